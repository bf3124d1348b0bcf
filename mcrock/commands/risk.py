"""The command `mcrock risk`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mcrock.commands import options
from mcrock.commands.options import SiteOptions, unpacked
from mcrock.commands.results import FigureOptions, ReadingOptions, print_result, save_figures

if TYPE_CHECKING:
    from xarray import Dataset

    from mcrock.statistics.intervals import ConfidenceKeywords

app = typer.Typer()


@app.command()
@unpacked
def risk(
    *,
    store: options.Store,
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="HAZARD", help="Files of the hazard curves.", show_default=False),
    ] = None,
    site: SiteOptions,
    beta_u: Annotated[
        float,
        typer.Option(help="Dispersion of the capacity for what the model leaves out, such as soil [1]."),
    ] = 0.0,
    level: options.Level = 0.95,
    reading: ReadingOptions,
    figures: FigureOptions,
    as_json: options.AsJson = False,
) -> None:
    """Print the annual rate of overturning at a site, and where it comes from.

    HAZARD is a CSV file that begins as in `pga [g], mean, 0.16, 0.84`, or files
    of OpenQuake, the USGS or EFEHR: `mcrock docs hazard`.
    """
    from mcrock.show.progress import reading_progress
    from mcrock.show.risk import plot_risk
    from mcrock.show.summary import missing_chunks
    from mcrock.statistics import (
        annual_rate,
        high_confidence_capacity,
        rate_distribution,
        rate_of_draws,
        weighted_probability,
    )
    from mcrock.statistics.accepted_curve import goes_by
    from mcrock.statistics.hazard import question
    from mcrock.statistics.importance import drawn_intensity
    from mcrock.statistics.intervals import Confidence
    from mcrock.statistics.probability import is_nested

    how = Confidence(level=level, allow_missing=reading.allow_incomplete).keywords
    with reading.open(store) as ds, reading_progress():
        if (curves := site.curves(ds, files or ())) is None:
            raise ValueError("mcrock risk needs the hazard of the site: mcrock risk STORE HAZARD.csv")
        rates = annual_rate(ds, curves, years=site.years, **how)
        capacity = high_confidence_capacity(ds, allow_missing=reading.allow_incomplete)
        if is_nested(ds):
            rates["rate_of_draws"] = rate_of_draws(ds, curves)
        tables = {"annual_rate": rates, "high_confidence_capacity": capacity}
        tables["rate_distribution"] = rate_distribution(
            ds, curves, fragility=goes_by(rates), beta_u=beta_u, age=site.age, **how
        )
        tables["hazard"] = curves.assign_attrs(question=question(curves))
        tables |= _asked(ds, site, curves, rates, how)
        if reading.measure is None and not missing_chunks(ds) and drawn_intensity(ds) is not None:
            tables["weighted_rate"] = weighted_probability(ds, curves, level=level)
        paths = save_figures({"risk": lambda: plot_risk(ds, curves, found=rates)}, figures, ds.attrs)
    lines = [*missing_chunks(ds), *_lines(tables, curves, site), *map(str, paths)]
    print_result(as_json, tables, lines)


def _asked(
    ds: Dataset, site: SiteOptions, curves: Dataset, rates: Dataset, how: ConfidenceKeywords
) -> dict[str, Dataset]:
    """Standards, the hazard of other measures, and falling off a support, where they are asked for."""
    from mcrock.statistics import design_intensity, standards
    from mcrock.statistics.risk import rate_with_support

    found = site.consistencies(ds, curves)
    if (either := rate_with_support(ds, curves, rates, **how)) is not None:
        found["annual_rate_with_support"] = either
    if site.design is not None or site.target is not None:
        at = None if site.design is None else design_intensity(site.design, ds)
        found["standards"] = standards(ds, at, rates=rates, hazard=curves, **site.of_standards, **how)
    return found


def _lines(tables: dict[str, Dataset], curves: Dataset, site: SiteOptions) -> list[str]:
    """The text of all tables."""
    from mcrock.show.risk import (
        format_consistency,
        format_distribution,
        format_hazard,
        format_risk,
        format_standards,
        format_weighted,
        format_with_support,
    )

    lines: list[str] = []
    if (either := tables.get("annual_rate_with_support")) is not None:
        lines += [*format_with_support(either), ""]
    lines += [format_risk(tables["annual_rate"], tables["high_confidence_capacity"]), ""]
    lines += [format_hazard(curves), *filter(None, [tables["hazard"].attrs["question"]]), ""]
    if "weighted_rate" in tables:
        lines += [*format_weighted(tables["weighted_rate"]), ""]
    lines += [*format_standards(tables["standards"]), ""] if "standards" in tables else []
    for name in tables:
        lines += [*format_consistency(tables[name]), ""] if name.startswith("consistency_") else []
    return [*lines, *format_distribution(tables["rate_distribution"], site.age)]
