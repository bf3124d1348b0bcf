"""The command `mcrock population`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for what is written.")
    ] = Path("population"),
    seed: Annotated[int, typer.Option(help="Seed of the sampler.")] = 0,
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
        float, typer.Option(metavar="F", help="Factor on the widths of the priors.")
    ] = 1.0,
    draws: Annotated[int, typer.Option(metavar="N", help="Draws of each of the four chains.")] = 2000,
    target_accept: Annotated[float, typer.Option(metavar="P", help="Acceptance rate of the sampler.")] = 0.95,
    format: FigureFormat = "png",
) -> None:
    """Turn fits of many tests into the [impact] section of a study.

    Writes population.nc, the posterior for ArviZ, the figure population and,
    if the sampler can be trusted, impact.toml: `mcrock docs population`.
    """
    check_figure(output, format)
    import matplotlib

    matplotlib.use("Agg")
    from mcrock.dataset import replacing
    from mcrock.measurement.population import fit_population, load_population
    from mcrock.plots import plot_population, save_figure
    from mcrock.text.population import format_population, impact_section

    if fits.suffix == ".nc":
        data = load_population(fits)
    else:
        data = fit_population(
            fits,
            seed=seed,
            parameters=parameter,
            prior_scale=prior_scale,
            draws=draws,
            target_accept=target_accept,
        )
    output.mkdir(parents=True, exist_ok=True)
    made = [output / "population.nc"]
    if fits.suffix != ".nc":
        with replacing(made[0]) as scratch:
            data.to_netcdf(str(scratch))
    else:
        made = []
    print("\n".join(format_population(data, cut)))
    made.append(save_figure(plot_population(data, cut), output / f"population.{format}"))
    for path in made:
        print(path)
    section = impact_section(data, cut)
    with replacing(output / "impact.toml") as scratch:
        scratch.write_text(section, encoding="utf-8")
    print(output / "impact.toml")
