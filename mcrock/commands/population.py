"""The command `mcrock population`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from mcrock.commands.exit_codes import fail
from mcrock.commands.options import FigureFormat, check_figure

app = typer.Typer()


@app.command()
def population(
    fits: Annotated[
        Path,
        typer.Argument(
            metavar="FITS",
            help="CSV with a row for each test and parameter, or population.nc of an earlier call.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the results.")
    ] = Path("population"),
    seed: Annotated[int | None, typer.Option(help="Seed of the sampler; default: 0.")] = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Impact parameter to take; repeatable; default: all of the file."),
    ] = None,
    cut: Annotated[
        str,
        typer.Option(
            metavar="BOUND",
            help="What the section leaves out: energy (impacts that gain energy), base (also impulses beyond "
            "the base) or none.",
        ),
    ] = "energy",
    prior_scale: Annotated[
        float | None, typer.Option(metavar="F", help="Factor on the widths of the priors; default: 1.")
    ] = None,
    draws: Annotated[
        int | None, typer.Option(metavar="N", help="Draws of each of four chains; default: 2000.")
    ] = None,
    target_accept: Annotated[
        float | None, typer.Option(metavar="P", help="Acceptance rate of the sampler; default: 0.95.")
    ] = None,
    format: FigureFormat = "png",
) -> None:
    """Turn the fits of many tests into the [impact] section of a study.

    Writes population.nc, the posterior for ArviZ, the figure population and,
    if the sampler can be trusted, impact.toml: `mcrock docs population`.
    """
    check_figure(output, format)
    given = {
        "seed": seed,
        "parameters": parameter,
        "prior_scale": prior_scale,
        "draws": draws,
        "target_accept": target_accept,
    }
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if fits.suffix == ".nc" and options:
        raise ValueError(f"{fits} has been sampled: {', '.join(options)} only go with a table of fits")
    import matplotlib

    matplotlib.use("Agg")
    from mcrock.dataset import replacing
    from mcrock.measurement.population import diagnose, fit_population, has_tests, load_population
    from mcrock.plots import plot_population, save_figure
    from mcrock.show.population_text import format_population, impact_section, untrusted

    data = load_population(fits) if fits.suffix == ".nc" else fit_population(fits, **options)
    output.mkdir(parents=True, exist_ok=True)
    section = output / "impact.toml"
    section.unlink(missing_ok=True)  # of another population
    if fits.suffix != ".nc":
        with replacing(output / "population.nc") as scratch:
            data.to_netcdf(str(scratch))
    print("\n".join(format_population(data, cut)))
    if fits.suffix != ".nc":
        print(output / "population.nc")
    if has_tests(data):  # of another sampler it may be without
        print(save_figure(plot_population(data, cut), output / f"population.{format}"))
    diagnosis = diagnose(data)
    if diagnosis.problems:
        fail(untrusted(diagnosis), 1)
    with replacing(section) as scratch:
        scratch.write_text(impact_section(data, cut), encoding="utf-8")
    print(section)
