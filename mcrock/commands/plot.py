"""The command `mcrock plot`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mcrock.commands import options
from mcrock.commands.options import check_figure, unpacked
from mcrock.commands.results import ReadingOptions

app = typer.Typer()


@app.command()
@unpacked
def plot(
    *,
    store: options.Store,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the figures.")],
    format: options.FigureFormat = "png",
    reading: ReadingOptions,
) -> None:
    """Plot a result: outcomes, overturning probability and fragility.

    Studies with several impact laws or intensity measures get a figure that compares them.
    """
    check_figure(output, format)
    from mcrock.show.progress import reading_progress
    from mcrock.show.summary import save_all
    from mcrock.show.text import missing_chunks

    with reading.open(store) as ds:
        print(*missing_chunks(ds), sep="\n", end="\n" * bool(missing_chunks(ds)))
        with reading_progress():
            paths = save_all(ds, output, format, allow_missing=reading.allow_incomplete)
    print(*paths, sep="\n")
