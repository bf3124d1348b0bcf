"""The command `mcrock report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mcrock.commands import options
from mcrock.commands.options import SiteOptions, unpacked
from mcrock.commands.results import ReadingOptions

app = typer.Typer()


@app.command()
@unpacked
def report(
    *,
    store: options.Store,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE.html", help="Page to write."),
    ],
    hazard: options.Hazard = None,
    around: SiteOptions,
    level: options.Level = 0.95,
    reading: ReadingOptions,
    folder: options.Folder = Path(),
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing page.")] = False,
) -> None:
    """Write a report of a study for a safety file: one HTML page, printable, no network needed.

    What is on it: `mcrock docs report`.
    """
    from mcrock.show.report.page import check_page

    check_page(output, overwrite)
    if not hazard and {around.hazard_years, around.hazard_site, around.age} != {None}:
        raise ValueError("--hazard-years, --site and --age go with --hazard FILE")
    import matplotlib

    matplotlib.use("Agg")
    from mcrock.show.progress import count_progress
    from mcrock.show.report.page import build_report, save_report
    from mcrock.show.report.results import Site
    from mcrock.statistics import load_hazard
    from mcrock.statistics.efficiency import own_measure

    site = None
    with reading.open(store) as ds, count_progress("permutations") as progress:
        if hazard:
            curves = load_hazard(hazard, **around.of_hazard, measure=own_measure(ds))
            site = Site(curves, around.years, around.age)
        page = build_report(
            ds,
            site=site,
            store=store,
            folder=folder,
            level=level,
            allow_missing=reading.allow_incomplete,
            progress=progress,
        )
    print(save_report(page, output, overwrite=overwrite))
