"""The command `mcrock population`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from mcrock.commands.exit_codes import fail
from mcrock.commands.options import unpacked
from mcrock.commands.results import FigureOptions, save_figures, write_netcdf, write_text

app = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class SamplerOptions:
    """Options of the sampler that are not at their defaults."""

    seed: Annotated[int | None, typer.Option(help="Seed of the sampler; default: 0.")] = None
    parameter: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Impact parameter to take; repeatable; default: all of the file."),
    ] = None
    prior_scale: Annotated[
        float | None, typer.Option(metavar="F", help="Factor on the widths of the priors; default: 1.")
    ] = None
    draws: Annotated[
        int | None, typer.Option(metavar="N", help="Draws of each of four chains; default: 2000.")
    ] = None
    target_accept: Annotated[
        float | None, typer.Option(metavar="P", help="Acceptance rate of the sampler; default: 0.95.")
    ] = None

    def given(self) -> dict[str, Any]:
        """Arguments of `mcrock.measurement.population.fit_population`."""
        names = {"parameter": "parameters"}
        return {names.get(name, name): value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class PopulationOutput(FigureOptions):
    """Folder of all results."""

    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the results.")] = (
        Path("population")
    )


@app.command()
@unpacked
def population(
    *,
    fits: Annotated[
        Path,
        typer.Argument(
            metavar="FITS",
            help="Folder of fits, CSV with a row for each test and parameter, or population.nc of an earlier "
            "call.",
            show_default=False,
        ),
    ],
    results: PopulationOutput,
    sampler: SamplerOptions,
    cut: Annotated[
        str,
        typer.Option(
            metavar="BOUND",
            help="What the section leaves out: energy (impacts that gain energy), base (also impulses beyond "
            "the base) or none.",
        ),
    ] = "energy",
    specimen: Annotated[
        str | None,
        typer.Option("--for", metavar="NAME", help="Predict tests on this specimen, not on a new one."),
    ] = None,
) -> None:
    """Turn the fits of many tests into the [impact] section of a study.

    Writes population.nc, the posterior for ArviZ, the figure population and, if the sampler can be trusted,
    impact.toml and draws.csv, a table of inputs with their correlations: `mcrock docs population`.
    """
    given, output = sampler.given(), results.output
    if fits.suffix == ".nc" and given:
        raise ValueError(f"{fits} has been sampled: {', '.join(given)} only go with a table of fits")
    from mcrock.measurement import population as of_tests
    from mcrock.show.population import (
        draws_table,
        format_population,
        impact_section,
        plot_population,
        untrusted,
    )

    if specimen is not None:
        given["specimens"] = 1
    whole = of_tests.load_population(fits) if fits.suffix == ".nc" else of_tests.fit_population(fits, **given)
    data = whole if specimen is None else of_tests.of_specimen(whole, specimen)
    output.mkdir(parents=True, exist_ok=True)
    section, draws = output / "impact.toml", output / "draws.csv"
    for path in (section, draws):
        path.unlink(missing_ok=True)  # of another population
    print(*format_population(data, cut), sep="\n")
    if fits.suffix != ".nc":
        write_netcdf(output / "population.nc", whole)
        print(output / "population.nc")
    if of_tests.has_tests(data):  # of another sampler it may be without
        print(*save_figures({"population": lambda: plot_population(data, cut)}, results))
    diagnosis = of_tests.diagnose(data)
    if diagnosis.problems:
        fail(untrusted(diagnosis), 1)
    write_text(section, impact_section(data, cut))
    print(section)
    if hasattr(data, "predictions"):  # of another sampler it may be without
        write_text(draws, draws_table(data, cut))
        print(draws)
