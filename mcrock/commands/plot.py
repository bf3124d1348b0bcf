"""The command `mcrock plot`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mcrock.commands.options import DisplacementLimit, FigureFormat, Incomplete, Measure, Store, check_figure

app = typer.Typer()


@app.command()
def plot(
    store: Store,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the figures.")],
    format: FigureFormat = "png",
    measure: Measure = None,
    displacement_limit: DisplacementLimit = None,
    allow_incomplete: Incomplete = False,
) -> None:
    """Plot a result: outcomes, overturning probability and fragility.

    Studies with several impact laws or intensity measures get a figure that compares them.
    """
    check_figure(output, format)
    import matplotlib

    matplotlib.use("Agg")
    from mcrock.dataset import explained, load_dataset
    from mcrock.plots import save_all
    from mcrock.show.summary import missing_chunks
    from mcrock.statistics import by_measure, with_displacement_limit

    ds = load_dataset(store, allow_incomplete=allow_incomplete)
    with explained(store):
        ds = ds if measure is None else by_measure(ds, measure)
        ds = ds if displacement_limit is None else with_displacement_limit(ds, displacement_limit)
        for line in missing_chunks(ds):
            print(line)
        paths = save_all(ds, output, format, allow_missing=allow_incomplete)
    for path in paths:
        print(path)
