"""The command `mcrock report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mcrock.commands.options import DisplacementLimit, Folder, Incomplete, Measure, Store

app = typer.Typer()


@app.command()
def report(
    store: Store,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE.html", help="Page to write; an existing one is replaced."
        ),
    ],
    hazard: Annotated[
        Path | None,
        typer.Option(metavar="HAZARD.csv", help="Hazard curves of the site, as for `mcrock risk`."),
    ] = None,
    years: Annotated[
        float, typer.Option(help="Exposure time for which a probability is given [years].")
    ] = 50.0,
    hazard_years: Annotated[
        float | None,
        typer.Option(
            help="HAZARD.csv has probabilities of exceedance in this many years; default: annual rates."
        ),
    ] = None,
    age: Annotated[
        float | None, typer.Option(help="Age of a body that still stands, such as a balanced rock [years].")
    ] = None,
    level: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    measure: Measure = None,
    displacement_limit: DisplacementLimit = None,
    folder: Folder = Path(),
    allow_incomplete: Incomplete = False,
) -> None:
    """Write a report of a study for a safety file: one HTML page, printable, no network needed.

    What is on it: `mcrock docs report`.
    """
    from mcrock.show.report.page import check_page

    check_page(output)
    if hazard is None and (hazard_years is not None or age is not None):
        raise ValueError("--hazard-years and --age go with --hazard FILE.csv")
    import matplotlib

    matplotlib.use("Agg")
    from mcrock.dataset import explained, load_dataset
    from mcrock.report import build_report, save_report
    from mcrock.show.report.results import Site
    from mcrock.statistics import by_measure, load_hazard, with_displacement_limit

    site = None if hazard is None else Site(load_hazard(hazard, years=hazard_years), years, age)
    ds = load_dataset(store, allow_incomplete=allow_incomplete)
    with explained(store):
        ds = ds if measure is None else by_measure(ds, measure)
        ds = ds if displacement_limit is None else with_displacement_limit(ds, displacement_limit)
        page = build_report(
            ds, site=site, store=store, folder=folder, level=level, allow_missing=allow_incomplete
        )
    print(save_report(page, output))
