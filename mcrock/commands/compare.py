"""The command `mcrock compare`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from mcrock.commands.options import DisplacementLimit, FigureFormat, check_figure

app = typer.Typer()


@app.command()
def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help="Store of the first study.", show_default=False)],
    second: Annotated[
        Path, typer.Argument(metavar="B", help="Store of the second study.", show_default=False)
    ],
    hazard: Annotated[
        Path | None,
        typer.Option(metavar="FILE.csv", help="Hazard of the site, as for `mcrock risk`: compare rates too."),
    ] = None,
    hazard_years: Annotated[
        float | None,
        typer.Option(
            help="The hazard has probabilities of exceedance in this many years; default: annual rates."
        ),
    ] = None,
    level: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    displacement_limit: DisplacementLimit = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Folder for the figure compare; default: none."),
    ] = None,
    format: FigureFormat = "png",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare two designs under the same earthquakes, run by run.

    Both studies need the same seed and the same draws of what they share: `mcrock
    docs assessment`.
    """
    if output is not None:
        check_figure(output, format)
    import matplotlib

    matplotlib.use("Agg")
    from mcrock.dataset import explained, load_dataset
    from mcrock.plots import plot_comparison, save_figure
    from mcrock.show.comparison_text import format_comparison
    from mcrock.show.json_values import dataset_as_json
    from mcrock.statistics import compare_designs, load_hazard, with_displacement_limit
    from mcrock.statistics.paired import what_differs

    curves = None if hazard is None else load_hazard(hazard, years=hazard_years)
    one, other = load_dataset(first), load_dataset(second)
    changes = what_differs(one, other)
    figure = None
    with explained(first), explained(second):
        if displacement_limit is not None:
            one, other = (with_displacement_limit(ds, displacement_limit) for ds in (one, other))
        found = compare_designs(one, other, curves, level=level)
        if output is not None:
            output.mkdir(parents=True, exist_ok=True)
            figure = save_figure(plot_comparison(one, other, level=level), output / f"compare.{format}")
    if as_json:
        table = {key: list(values) for key, *values in changes}
        print(json.dumps({"differs": table, "comparison": dataset_as_json(found)}, allow_nan=False))
        return
    print(format_comparison(found, changes))
    if figure is not None:
        print(figure)
