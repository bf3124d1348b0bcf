"""The command `mcrock stats`."""

from __future__ import annotations

from pathlib import Path

import typer

from mcrock.commands import options
from mcrock.commands.options import unpacked
from mcrock.commands.results import ReadingOptions, print_json

app = typer.Typer()


@app.command()
@unpacked
def stats(
    *,
    store: options.Store,
    level: options.Level = 0.95,
    reading: ReadingOptions,
    folder: options.Folder = Path(),
    design: options.Design = None,
    as_json: options.AsJson = False,
) -> None:
    """Print overturning probabilities and fragility with intervals.

    How they are computed: `mcrock docs results`.
    """
    from mcrock.dataset.contents import STUDY, store_digest
    from mcrock.ensemble.opening import read_log
    from mcrock.show.progress import format_impossible, reading_progress
    from mcrock.show.summary import format_summary, summarize, summary_as_json
    from mcrock.show.text import missing_chunks

    with reading.open(store) as ds, reading_progress():
        summary = summarize(
            ds, folder=folder, design=design, level=level, allow_missing=reading.allow_incomplete
        )
    if as_json:
        digest = store_digest(store) if (store / STUDY).exists() else None
        print_json(summary_as_json(summary) | {"digest": digest})
    else:
        print(*missing_chunks(ds), *format_impossible(read_log(store)), format_summary(summary), sep="\n")
