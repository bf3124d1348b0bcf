"""The command `mcrock risk`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mcrock.commands import options

app = typer.Typer()


@options.unpacked
def risk(
    *,
    store: options.Store,
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="HAZARD", help="Files of the hazard curves.", show_default=False),
    ] = None,
    site: options.SiteOptions,
    level: options.Level = 0.95,
    reading: options.ReadingOptions,
    figures: options.FigureOptions,
    as_json: options.AsJson = False,
) -> None:
    """Print the annual rate of overturning at a site, and where it comes from.

    HAZARD is a CSV file that begins as in `pga [g], mean, 0.16, 0.84`, or files
    of OpenQuake, the USGS or EFEHR: `mcrock docs assessment hazard`.
    """
    from mcrock.show.progress import reading_progress
    from mcrock.show.risk import plot_risk, risk_blocks, risk_of, standards_of
    from mcrock.show.text import as_text, missing_chunks
    from mcrock.statistics.intervals import Confidence

    how = Confidence(level=level, allow_missing=reading.allow_incomplete)
    with reading.open(store) as ds, reading_progress():
        asked = site.of(ds, files or ())
        if asked.hazard is None:
            raise ValueError("mcrock risk needs the hazard of the site: mcrock risk STORE HAZARD.csv")
        tables = risk_of(ds, asked, how)
        rates = tables["annual_rate"]
        tables |= standards_of(ds, asked, rates, how)
        draw = {"risk": lambda: plot_risk(ds, tables["hazard"], found=rates)}
        paths = options.save_figures(draw, figures, ds.attrs)
    options.print_result(as_json, tables, [*missing_chunks(ds), *as_text(risk_blocks(tables)), *paths])
