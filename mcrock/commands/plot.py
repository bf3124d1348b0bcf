"""The command `mcrock plot`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mcrock.commands import options
from mcrock.commands.options import check_figure
from mcrock.commands.results import opened_result

app = typer.Typer()


@app.command()
def plot(
    store: options.Store,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the figures.")],
    format: options.FigureFormat = "png",
    measure: options.Measure = None,
    displacement_limit: options.DisplacementLimit = None,
    allow_incomplete: options.Incomplete = False,
) -> None:
    """Plot a result: outcomes, overturning probability and fragility.

    Studies with several impact laws or intensity measures get a figure that compares them.
    """
    check_figure(output, format)
    import matplotlib

    matplotlib.use("Agg")
    from mcrock.show.figures import save_all
    from mcrock.show.summary import missing_chunks

    with opened_result(store, allow_incomplete, measure, displacement_limit) as ds:
        print(*missing_chunks(ds), sep="\n", end="\n" * bool(missing_chunks(ds)))
        paths = save_all(ds, output, format, allow_missing=allow_incomplete)
    print(*paths, sep="\n")
