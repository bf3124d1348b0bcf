"""The command `mcrock stats`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from mcrock.commands.options import Incomplete, Measure, Store

app = typer.Typer()


@app.command()
def stats(
    store: Store,
    level: Annotated[float, typer.Option(help="Coverage of the intervals.")] = 0.95,
    measure: Measure = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    allow_incomplete: Incomplete = False,
) -> None:
    """Print probabilities of overturning with intervals and the fragility parameters."""
    from mcrock.dataset import explained, load_dataset
    from mcrock.statistics import by_measure
    from mcrock.text.result import missing_chunks, result_as_json, summary

    ds = load_dataset(store, allow_incomplete=allow_incomplete)
    with explained(store):
        ds = ds if measure is None else by_measure(ds, measure)
        if as_json:
            print(json.dumps(result_as_json(ds, level, allow_incomplete), allow_nan=False))
            return
        print("\n".join([*missing_chunks(ds), summary(ds, level, allow_incomplete)]))
