"""The command `mcrock risk`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from mcrock.commands.options import DisplacementLimit, FigureFormat, Incomplete, Measure, Store, check_figure

app = typer.Typer()


@app.command()
def risk(
    store: Store,
    hazard: Annotated[
        Path, typer.Argument(metavar="HAZARD.csv", help="Hazard curves of the site.", show_default=False)
    ],
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
    beta_u: Annotated[
        float,
        typer.Option(help="Dispersion of the capacity for what the model leaves out, such as soil [1]."),
    ] = 0.0,
    level: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    measure: Measure = None,
    displacement_limit: DisplacementLimit = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Folder for the figure risk; default: none."),
    ] = None,
    format: FigureFormat = "png",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    allow_incomplete: Incomplete = False,
) -> None:
    """Print the annual rate of overturning at a site, and where it comes from.

    The first line of HAZARD.csv is as in `pga [g], mean, 0.16, 0.84`.
    Formulas and limits: `mcrock docs assessment`.
    """
    if output is not None:
        check_figure(output, format)
    import matplotlib

    matplotlib.use("Agg")
    from mcrock.dataset import explained, load_dataset
    from mcrock.plots import plot_risk, save_figure
    from mcrock.show.json_values import dataset_as_json
    from mcrock.show.risk_text import format_distribution, format_risk, format_weighted
    from mcrock.show.style import add_source
    from mcrock.show.summary import missing_chunks
    from mcrock.statistics import (
        annual_rate,
        by_measure,
        high_confidence_capacity,
        load_hazard,
        rate_distribution,
        rate_of_draws,
        weighted_probability,
        with_displacement_limit,
    )
    from mcrock.statistics.importance import drawn_intensity
    from mcrock.statistics.nested import is_nested

    curves = load_hazard(hazard, years=hazard_years)
    ds = load_dataset(store, allow_incomplete=allow_incomplete)
    with explained(store):
        ds = ds if measure is None else by_measure(ds, measure)
        ds = ds if displacement_limit is None else with_displacement_limit(ds, displacement_limit)
        rates = annual_rate(ds, curves, years=years, level=level, allow_missing=allow_incomplete)
        capacity = high_confidence_capacity(ds, allow_missing=allow_incomplete)
        if is_nested(ds):
            rates["rate_of_draws"] = rate_of_draws(ds, curves)
        weighted = None
        if measure is None and not missing_chunks(ds) and drawn_intensity(ds) is not None:
            weighted = weighted_probability(ds, curves, level=level)
        whole = rate_distribution(
            ds,
            curves,
            fragility=rates.attrs["headline"],
            beta_u=beta_u,
            age=age,
            level=level,
            allow_missing=allow_incomplete,
        )
        figure = None
        if output is not None:
            output.mkdir(parents=True, exist_ok=True)
            ax = plot_risk(ds, curves, years=years, level=level, allow_missing=allow_incomplete)
            add_source(ax, ds.attrs)
            figure = save_figure(ax, output / f"risk.{format}")
    if as_json:
        tables = {"annual_rate": rates, "high_confidence_capacity": capacity, "rate_distribution": whole}
        tables |= {} if weighted is None else {"weighted_rate": weighted}
        print(json.dumps({name: dataset_as_json(table) for name, table in tables.items()}, allow_nan=False))
        return
    print("\n".join([*missing_chunks(ds), format_risk(rates, capacity)]))
    if weighted is not None:
        print("\n".join(["", *format_weighted(weighted)]))
    units = rates["weakest_overturning"].attrs.get("units", "1")
    print("\n".join(["", *format_distribution(whole, units, age)]))
    if figure is not None:
        print(figure)
