"""The command `mcrock compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mcrock.commands import options
from mcrock.commands.options import HazardOptions, unpacked
from mcrock.commands.results import FigureOptions, opened_result, print_result, save_figures

app = typer.Typer()


@app.command()
@unpacked
def compare(
    *,
    first: Annotated[Path, typer.Argument(metavar="A", help="Store of the first study.", show_default=False)],
    second: Annotated[Path, typer.Argument(metavar="B", help="Store of the second.", show_default=False)],
    site: HazardOptions,
    level: options.Level = 0.95,
    displacement_limit: options.DisplacementLimit = None,
    figures: FigureOptions,
    as_json: options.AsJson = False,
) -> None:
    """Compare two designs under the same earthquakes, run by run.

    Both studies need the same seed and the same draws of what they share: `mcrock
    docs assessment`.
    """
    from mcrock.show.comparison import format_comparison, plot_comparison
    from mcrock.show.progress import reading_progress
    from mcrock.statistics import compare_designs
    from mcrock.statistics.comparison import what_differs

    with (
        opened_result(first, limit=displacement_limit) as one,
        opened_result(second, limit=displacement_limit) as other,
        reading_progress(),
    ):
        curves = site.curves(one)
        changes = what_differs(one, other) if "config" in one.attrs else None
        found = compare_designs(one, other, curves, level=level)
        named = [ds.assign_attrs(title=store.name) for ds, store in ((one, first), (other, second))]
        draw = {"compare": lambda: plot_comparison(named[0], named[1], level=level, found=found)}
        paths = save_figures(draw, figures)
    tables = {"differs": {key: list(values) for key, *values in changes or ()}, "comparison": found}
    names = f"first: {first}, second: {second}"
    print_result(as_json, tables, [names, format_comparison(found, changes), *paths])
