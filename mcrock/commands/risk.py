"""The command `mcrock risk`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mcrock.commands import options
from mcrock.commands.options import check_figure
from mcrock.commands.results import opened_result, print_json, save_figures

app = typer.Typer()


@app.command()
def risk(
    store: options.Store,
    hazard: Annotated[
        Path, typer.Argument(metavar="HAZARD.csv", help="Hazard curves of the site.", show_default=False)
    ],
    years: options.Years = 50.0,
    hazard_years: options.HazardYears = None,
    age: options.Age = None,
    beta_u: Annotated[
        float,
        typer.Option(help="Dispersion of the capacity for what the model leaves out, such as soil [1]."),
    ] = 0.0,
    level: options.Level = 0.95,
    measure: options.Measure = None,
    displacement_limit: options.DisplacementLimit = None,
    output: options.Figures = None,
    format: options.FigureFormat = "png",
    as_json: options.AsJson = False,
    allow_incomplete: options.Incomplete = False,
) -> None:
    """Print the annual rate of overturning at a site, and where it comes from.

    The first line of HAZARD.csv is as in `pga [g], mean, 0.16, 0.84`.
    Formulas and limits: `mcrock docs assessment`.
    """
    check_figure(output, format)
    from mcrock.show.risk import format_distribution, format_risk, format_weighted, plot_risk
    from mcrock.show.summary import missing_chunks
    from mcrock.statistics import (
        annual_rate,
        high_confidence_capacity,
        load_hazard,
        rate_distribution,
        rate_of_draws,
        weighted_probability,
    )
    from mcrock.statistics.importance import drawn_intensity
    from mcrock.statistics.inference import Confidence
    from mcrock.statistics.nested import is_nested

    curves = load_hazard(hazard, years=hazard_years)
    how = Confidence(level=level, allow_missing=allow_incomplete).keywords
    with opened_result(store, allow_incomplete, measure, displacement_limit) as ds:
        rates = annual_rate(ds, curves, years=years, **how)
        capacity = high_confidence_capacity(ds, allow_missing=allow_incomplete)
        if is_nested(ds):
            rates["rate_of_draws"] = rate_of_draws(ds, curves)
        tables = {"annual_rate": rates, "high_confidence_capacity": capacity}
        tables["rate_distribution"] = rate_distribution(
            ds, curves, fragility=rates.attrs["headline"], beta_u=beta_u, age=age, **how
        )
        if measure is None and not missing_chunks(ds) and drawn_intensity(ds) is not None:
            tables["weighted_rate"] = weighted_probability(ds, curves, level=level)
        paths = save_figures({"risk": lambda: plot_risk(ds, curves, found=rates)}, output, format, ds.attrs)
    if as_json:
        print_json(tables)
        return
    lines = [*missing_chunks(ds), format_risk(rates, capacity), ""]
    if "weighted_rate" in tables:
        lines += [*format_weighted(tables["weighted_rate"]), ""]
    print(*lines, *format_distribution(tables["rate_distribution"], age), *paths, sep="\n")
