"""The command `mcrock stats`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from mcrock.commands.options import DisplacementLimit, Folder, Incomplete, Measure, Store

app = typer.Typer()


@app.command()
def stats(
    store: Store,
    level: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    measure: Measure = None,
    displacement_limit: DisplacementLimit = None,
    folder: Folder = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    allow_incomplete: Incomplete = False,
) -> None:
    """Print overturning probabilities and fragility with intervals.

    How they are computed: `mcrock docs results`.
    """
    from mcrock.dataset import explained, load_dataset
    from mcrock.show.summary import format_summary, missing_chunks, summarize, summary_as_json
    from mcrock.statistics import by_measure, with_displacement_limit

    ds = load_dataset(store, allow_incomplete=allow_incomplete)
    with explained(store):
        ds = ds if measure is None else by_measure(ds, measure)
        ds = ds if displacement_limit is None else with_displacement_limit(ds, displacement_limit)
        summary = summarize(ds, folder=folder, level=level, allow_missing=allow_incomplete)
        if as_json:
            print(json.dumps(summary_as_json(summary), allow_nan=False))
        else:
            print("\n".join([*missing_chunks(ds), format_summary(summary)]))
