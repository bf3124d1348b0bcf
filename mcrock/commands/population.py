"""The command `mcrock population`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from mcrock.commands.exit_codes import fail
from mcrock.commands.options import TrustCode, unpacked
from mcrock.commands.results import FigureOptions, OutputFolder, save_figures, write_netcdf, write_text

app = typer.Typer()

LEAST_CAMPAIGNS = 19  # simulated, for a p-value of 0.05


@dataclass(frozen=True, kw_only=True)
class SamplerOptions:
    """Options of the sampler that are not at their defaults."""

    seed: Annotated[int | None, typer.Option(help="Seed of the sampler; default: 0.")] = None
    parameter: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Impact parameter to take; repeatable; default: all of the file."),
    ] = None
    covariate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Column that may move the parameters, numbers or categories; repeatable. Fits of a campaign "
            "have depth, width, height and slenderness of the body, and the columns of its table.",
        ),
    ] = None
    prior_scale: Annotated[
        float | None, typer.Option(metavar="F", help="Factor on the widths of the priors; default: 1.")
    ] = None
    draws: Annotated[int | None, typer.Option(metavar="N", help="Draws of each chain; default: 2000.")] = None
    target_accept: Annotated[
        float | None, typer.Option(metavar="P", help="Acceptance rate of the sampler; default: 0.95.")
    ] = None

    def given(self) -> dict[str, Any]:
        """Arguments of `mcrock.measurement.population.fit_population`."""
        names = {"parameter": "parameters", "covariate": "covariates"}
        return {names.get(name, name): value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class PopulationOutput(FigureOptions):
    """Folder of all results."""

    output: OutputFolder = Path("population")


@dataclass(frozen=True, kw_only=True)
class PredictionOptions:
    """Which tests are predicted."""

    cut: Annotated[
        str,
        typer.Option(
            metavar="BOUND",
            help="What the section leaves out: energy (impacts that gain energy), base (also impulses beyond "
            "the base) or none.",
        ),
    ] = "energy"
    specimen: Annotated[
        str | None,
        typer.Option("--for", metavar="NAME", help="Predict tests on this specimen, not on a new one."),
    ] = None
    at: Annotated[
        list[str] | None,
        typer.Option(
            "--at",
            metavar="NAME=VALUE",
            help="Predict tests with this value of a covariate; repeatable; default: what is usual in the "
            "tests.",
        ),
    ] = None

    def of(self, whole: Any) -> Any:
        """The population as it is for these tests."""
        from mcrock.measurement.population import at_covariates, check_specimens, has_tests, of_specimen

        if self.specimen is None and has_tests(whole):
            check_specimens(whole.constant_data[["parameter", "specimen"]].to_dataframe())
        data = whole if self.specimen is None else of_specimen(whole, self.specimen)
        return at_covariates(data, self.at or ())


@dataclass(frozen=True, kw_only=True)
class IntoOptions:
    """A study that is to have the population."""

    into: Annotated[
        Path | None,
        typer.Option(
            metavar="STUDY.toml",
            help="Also write STUDY-population.toml next to it, which draws its impacts from a table of the "
            "population, with their correlations.",
            exists=True,
            dir_okay=False,
        ),
    ] = None
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace STUDY-population.toml and its table.")
    ] = False
    trust_code: TrustCode = False

    def check(self) -> None:
        """Refuse to replace files that nobody said to."""
        if self.into is None:
            return
        from mcrock.study import load_config

        load_config(self.into, trust_code=self.trust_code)
        for path in self.paths():
            if path.exists() and not self.overwrite:
                raise ValueError(f"{path} is there; --overwrite replaces it")

    def paths(self) -> tuple[Path, Path]:
        """The new study and its table."""
        assert self.into is not None
        made = self.into.with_name(f"{self.into.stem}-population.toml")
        return made, made.with_suffix(".csv")

    def write(self, data: Any, cut: str) -> list[Path]:
        """Write both, if they are asked for; nothing if the study could not be read."""
        if self.into is None:
            return []
        from mcrock.dataset import replacing
        from mcrock.show.population import draws_table, study_of_draws
        from mcrock.study import load_config

        study, table = self.paths()
        wanted = load_config(self.into, trust_code=self.trust_code).n_realizations
        text, keys = draws_table(data, cut, wanted), data.posterior["parameter"].values.tolist()
        with replacing(table) as draws, replacing(study) as scratch:
            draws.write_text(text, encoding="utf-8")
            for name in (draws.name, table.name):  # it must be read before it stands
                made = study_of_draws(self.into.read_text(encoding="utf-8"), name, text.count("\n") - 1, keys)
                scratch.write_text(made, encoding="utf-8")
                if name == draws.name:
                    load_config(scratch, trust_code=self.trust_code)
        return [study, table]


@dataclass(frozen=True, kw_only=True)
class CheckOptions:
    """Whether the population predicts the tests that it is from."""

    check: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Simulate the campaign N times from the population and hold the measured tests against it: "
            "AVRF, OPMF, edge impacts, duration; 99 tell a p-value of 0.01. FITS must be the folder of a "
            "campaign.",
        ),
    ] = None
    workers: Annotated[int | None, typer.Option(help="Tests simulated at once; default: all cores.")] = None

    def refuse(self, fits: Path) -> None:
        """Refuse what cannot be checked, before anything is sampled."""
        if self.check is None:
            return
        if self.check < LEAST_CAMPAIGNS:
            raise ValueError(f"--check must be at least {LEAST_CAMPAIGNS}, got {self.check}")
        from mcrock.measurement.replicates import read_tested

        read_tested(fits)

    def write(self, data: Any, fits: Path, results: FigureOptions, trust_code: bool) -> list[object]:
        """Simulate, write the figure check and check.nc, and say what came of it."""
        if self.check is None:
            return []
        from mcrock.base.compiled_code import cores
        from mcrock.ensemble.schedule import run_tasks
        from mcrock.measurement import replicates
        from mcrock.show.population import format_check, plot_check
        from mcrock.show.progress import count_progress
        from mcrock.study.load import load_tested

        every, known = replicates.read_tested(fits), set(data.constant_data["test"].values.tolist())
        found = {name: numbers for name, numbers in every.items() if name in known}
        left_out = [f"{name}: fitted before fits had measures" for name in sorted(known - found.keys())]
        keys, names = tuple(data.posterior["parameter"].values.tolist()), list(found)
        bodies = [
            load_tested(Path(numbers["file"]), keys, trust_code=trust_code) for numbers in found.values()
        ]
        seed = int(data.posterior.attrs["seed"])
        tested = replicates.to_simulate(data, found, bodies, self.check, seed)
        done: dict[str, Any] = {}
        with count_progress("tests simulated") as progress:

            def report(item: tuple[str, Any]) -> None:
                done[item[0]] = item[1]
                progress(len(done), len(tested))

            run_tasks(
                replicates.simulated_measures, tested, min(self.workers or cores(), len(tested)), report
            )
        check = replicates.check_of(
            [numbers["measures"] for numbers in found.values()], [done[name] for name in names], names
        )
        assert results.output is not None
        write_netcdf(results.output / "check.nc", check)
        paths = save_figures({"check": lambda: plot_check(check)}, results)
        return [*format_check(check, left_out), results.output / "check.nc", *paths]


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
    predicted: PredictionOptions,
    study: IntoOptions,
    checks: CheckOptions,
) -> None:
    """Turn the fits of many tests into the [impact] section of a study.

    Writes population.nc, the posterior for ArviZ, the figure population, with a --covariate also the figure
    effects, and, if the sampler can be trusted, impact.toml and draws.csv, a table of inputs with their
    correlations: `mcrock docs population`.
    """
    study.check()
    checks.refuse(fits)
    given, output = sampler.given(), results.output
    if fits.suffix == ".nc" and given:
        raise ValueError(f"{fits} has been sampled: {', '.join(given)} only go with a table of fits")
    from mcrock.measurement import population as of_tests
    from mcrock.show.population import (
        draws_table,
        format_population,
        impact_section,
        plot_effects,
        plot_population,
        untrusted,
    )

    if predicted.specimen is not None:
        given["specimens"] = 1
    whole = of_tests.load_population(fits) if fits.suffix == ".nc" else of_tests.fit_population(fits, **given)
    data, cut = predicted.of(whole), predicted.cut
    output.mkdir(parents=True, exist_ok=True)
    section, draws = output / "impact.toml", output / "draws.csv"
    for path in (section, draws):
        path.unlink(missing_ok=True)  # of another population
    print(*format_population(data, cut), sep="\n")
    if fits.suffix != ".nc":
        write_netcdf(output / "population.nc", whole)
        print(output / "population.nc")
    if of_tests.has_tests(data):  # of another sampler it may be without
        drawn = {"population": lambda: plot_population(data, cut)}
        if "effect" in data.posterior:
            drawn["effects"] = lambda: plot_effects(data)
        print(*save_figures(drawn, results), *checks.write(whole, fits, results, study.trust_code), sep="\n")
    diagnosis = of_tests.diagnose(data)
    if diagnosis.problems:
        fail(untrusted(diagnosis), 1)
    write_text(section, impact_section(data, cut))
    print(section)
    if hasattr(data, "predictions"):  # of another sampler it may be without
        write_text(draws, draws_table(data, cut))
        print(draws, *study.write(data, cut), sep="\n")
    elif study.into is not None:
        raise ValueError(f"{fits} has no predictions.new_test to draw from: --into needs it")
