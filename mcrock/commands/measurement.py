"""Commands on free rocking tests: `measure`, `fit` and `population`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from mcrock.commands import options

if TYPE_CHECKING:
    import xarray as xr

    from mcrock.measurement import Recording
    from mcrock.measurement.campaign import TestFile
    from mcrock.measurement.misfit import FreeRocking


@dataclass(frozen=True, kw_only=True)
class TestOptions:
    """Which tests, of which bodies."""

    tests: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="TEST...",
            help="CSV file of a gyroscope, units in its header, or of markers (C3D, Vicon, Qualisys, DLTdv, "
            "Tracker); several are repetitions.",
            show_default=False,
        ),
    ] = None
    table: Annotated[
        Path | None,
        typer.Option(
            metavar="TESTS.csv",
            help="Instead, a table with the columns file, specimen, position, repetition and, if tests "
            "differ, body, edge, still and rest; others are covariates.",
        ),
    ] = None
    body: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Study file, or TOML file with its [body], and [impact] if any."),
    ] = None
    edge: Annotated[
        int | None,
        typer.Option(metavar="K", help="Edge over which the body is released; k joins vertices k and k + 1."),
    ] = None
    specimen: Annotated[str | None, typer.Option(metavar="NAME", help="Body that was tested.")] = None
    position: Annotated[str, typer.Option(metavar="NAME", help="End of the body on which it rocked.")] = "1"
    repetition: Annotated[int, typer.Option(metavar="N", help="Number of the (first) test.")] = 1

    def listed(self) -> list[TestFile]:
        """The tests, each with its body and edge."""
        from mcrock.measurement.campaign import numbered_tests, read_campaign

        if bool(self.tests) == (self.table is not None):
            raise ValueError("give recordings, TEST..., or --table TESTS.csv with their names")
        if self.table is not None:
            return read_campaign(self.table, self.body, self.edge)
        if self.body is None or self.edge is None:
            raise ValueError("recordings need --body FILE and --edge K")
        names = self.specimen or self.body.stem, self.position, self.repetition
        for folder in filter(Path.is_dir, self.tests or ()):
            raise ValueError(
                f"{folder} is a folder: name its recordings, as in {folder / '*.csv'}, or --table"
            )
        return numbered_tests(self.tests or (), *names, self.body, self.edge)

    @property
    def is_campaign(self) -> bool:
        """Whether each test gets a folder of its own."""
        return self.table is not None or len(self.tests or ()) > 1 or self.specimen is not None


@dataclass(frozen=True, kw_only=True)
class RecordingOptions:
    """How recordings are to be read."""

    axes: Annotated[
        str, typer.Option(help="Axes of the sensor along x, y and z of the body, as in 'y -x z'.")
    ] = "x y z"
    columns: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=HEADER",
            help="Column of the file for time, omega_x ..., with a unit in brackets if its header has none; "
            "may be repeated.",
        ),
    ] = None
    still: Annotated[
        tuple[float, float] | None,
        typer.Option(metavar="START END", help="Times between which the sensor rests, for its bias [s]."),
    ] = None

    rest: Annotated[
        tuple[float, float] | None,
        typer.Option(
            metavar="START END",
            help="Times between which the body stood on its base [s]: gravity there and the first swing say "
            "how the sensor is turned.",
        ),
    ] = None

    begin: Annotated[
        float | None,
        typer.Option("--from", metavar="S", help="Start of the part taken, at rest before the release [s]."),
    ] = None
    until: Annotated[
        float | None, typer.Option(metavar="S", help="Its end; default: both as the motion says [s].")
    ] = None

    markers: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Markers of motion capture that are on the body; default: all."),
    ] = None
    frame_rate: Annotated[
        float | None, typer.Option(metavar="HZ", help="Of a video whose points have no time [1/s].")
    ] = None

    def of(self, test: TestFile) -> RecordingOptions:
        """These options, with the times of a test that has its own."""
        own: dict[str, Any] = {
            "begin" if name == "from" else name: times if times[1:] else times[0]
            for name, times in test.windows.items()
        }
        return replace(self, **own)

    def read(self, file: Path, axes: FreeRocking) -> tuple[Recording, list[str]]:
        """A recording without bias and ends in axes of the body, released over the edge of ``axes``, and what
        to say of it."""
        from mcrock.measurement import alignment, measures, mounting
        from mcrock.measurement.files import is_of_markers

        of_markers = is_of_markers(file)
        data, notes = self._of_markers(file) if of_markers else (self._of_sensor(file), [])
        begin, until = self.begin, self.until
        window = -inf if begin is None else begin, inf if until is None else until
        if not of_markers:
            measures.check_spikes(data.between(*window))
        still = self.still or (None if of_markers else measures.rest_before(data.between(*window)))
        if self.still is not None:
            measures.check_still(data, *self.still)
        elif not of_markers:
            found_at = "bias of the sensor taken from {:.4g} to {:.4g} s, at rest; --still takes others"
            notes.append(found_at.format(*still) if still else measures.NO_REST)
        data = data if still is None else data.unbiased(still)
        cut = data.between(*window)
        part = cut.trimmed()
        part = cut.between(
            part.time[0] if begin is None else begin, part.time[-1] if until is None else until
        )
        measures.check_readings(part)
        notes += filter(None, (measures.later_motion(cut, part), measures.lost_samples(part)))
        if self.rest is None or of_markers:
            turn = alignment(part, axes.along)
        else:
            found = mounting(part, data, axes.along, self.rest)
            turn, notes = found.turn, [str(found), *notes]
        part = part.turned(turn)
        measures.check_motion(part, axes.body, axes.along, axes.across)
        return part, notes

    def _of_sensor(self, file: Path) -> Recording:
        from mcrock.measurement import read_recording

        for text in self.columns or []:
            if "=" not in text:
                raise ValueError(f"--columns must be NAME=HEADER, as in 'omega_x=GyrX [deg/s]', got {text!r}")
        pairs = (text.partition("=") for text in self.columns or [])
        return read_recording(file, self.axes, {name.strip(): head.strip() for name, _, head in pairs})

    def _of_markers(self, file: Path) -> tuple[Recording, list[str]]:
        from scipy.spatial.transform import Rotation

        from mcrock.measurement.files import axes_of, read_markers, turned_with

        chosen = None if self.markers is None else self.markers.replace(",", " ").split()
        data, notes = turned_with(read_markers(file, self.frame_rate), self.rest, chosen)
        return data.turned(Rotation.from_matrix(axes_of(self.axes))), notes


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """What is fitted, and how."""

    free: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Impact parameters to fit, also tau; and slip of the foot, rate at the release; default: "
            "lambda lambda_lon lambda_lat, and of a round base rolling_loss push.",
        ),
    ] = None
    landings: Annotated[int, typer.Option(metavar="N", help="Last landing of the fit.")] = 2
    objective: Annotated[str, typer.Option(help="Misfit: robust, or mean as in the source paper.")] = "robust"
    level: options.Level = 0.95
    size_error: Annotated[
        float,
        typer.Option(help="Standard deviation of each dimension of the body, over it; intervals contain it."),
    ] = 0.0
    seed: Annotated[int, typer.Option(help="Seed of the search.")] = 0


@dataclass(frozen=True, kw_only=True)
class FitOutput(options.FigureOptions):
    """Folder of all results."""

    output: options.OutputFolder = Path("fit")


class Request(NamedTuple):
    """A test to fit, for another process."""

    test: TestFile
    recording: RecordingOptions
    search: SearchOptions
    energy_gain: str | None
    results: FitOutput  # the folder of this test
    trust_code: bool

    @property
    def digest(self) -> str:
        """What the fit depends on: recording, body, law, options and version [16 hex digits]."""
        from mcrock.base.environment import mcrock_version
        from mcrock.study.load import load_tested

        law = load_tested(self.test.body, self.free, trust_code=self.trust_code)[1].own_law
        how = asdict(self.recording), asdict(self.search), self.energy_gain
        made = [mcrock_version(), self.test.edge, *how, *([law.words] if law else [])]
        parts = [json.dumps(made).encode(), *(path.read_bytes() for path in (self.test.file, self.test.body))]
        return sha256(b"".join(sha256(part).digest() for part in parts)).hexdigest()[:16]

    @property
    def free(self) -> list[str]:
        """Keys of what is fitted."""
        from mcrock.measurement.fit import fitted_by_default
        from mcrock.study.load import load_tested

        if self.search.free is None:
            return [*fitted_by_default(load_tested(self.test.body, None)[0])]
        return self.search.free.replace(",", " ").split()

    def outcome(self, status: str, reason: str = "", fit: dict[str, Any] | None = None) -> dict[str, Any]:
        """What became of the test, and its names."""
        words = {"file": str(self.test.file), "body": str(self.test.body), "test": self.test.name}
        return asdict(self.test) | words | {"status": status, "reason": reason, "fit": fit}


@options.unpacked
def fit(
    *,
    tests: TestOptions,
    recording: RecordingOptions,
    search: SearchOptions,
    energy_gain: Annotated[
        str | None,
        typer.Option(metavar="CHOICE", help="Impacts that gain energy: project or allow; not the file's."),
    ] = None,
    results: FitOutput,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Fit tests of a campaign again that have been fitted.")
    ] = False,
    workers: Annotated[int | None, typer.Option(help="Tests fitted at once; default: all cores.")] = None,
    trust_code: options.TrustCode = False,
    as_json: options.AsJson = False,
) -> None:
    """Fit impact parameters to free-rocking tests.

    Writes fit.json, the section impact.toml for a study and the figures fit and angles. Several tests, a
    --table or a --specimen make a campaign: a folder for each test, tests.csv and report.html. See `mcrock
    docs fitting`.
    """
    listed = tests.listed()
    if tests.is_campaign:
        requests = []
        for test in listed:
            place = replace(results, output=results.output / test.name)
            requests.append(Request(test, recording.of(test), search, energy_gain, place, trust_code))
        outcomes = _fit_all(requests, overwrite, workers)
        _write_campaign(outcomes, results, as_json)
        if all(outcome["fit"] is None for outcome in outcomes):
            options.fail("no test could be fitted", 2)
        return
    lines, numbers = _fit_one(Request(listed[0], recording, search, energy_gain, results, trust_code))
    if as_json:
        print(json.dumps(numbers, indent=1))
        return
    print(*lines, sep="\n")


def _fit_one(request: Request) -> tuple[list[str], dict[str, Any]]:
    """Fit a test and write what came of it; its text and its numbers."""
    from mcrock.measurement import fit_test
    from mcrock.measurement.fit import neighbours, widen_intervals
    from mcrock.measurement.misfit import FreeRocking
    from mcrock.measurement.population import sizes
    from mcrock.measurement.predictive import describe_test
    from mcrock.show import fit as show
    from mcrock.show.text import Composition
    from mcrock.study.load import load_tested

    test, search = request.test, request.search
    how = asdict(search) | {"free": request.free}
    measured, impact = load_tested(test.body, how["free"], trust_code=request.trust_code)
    if request.energy_gain is not None:
        impact = replace(impact, energy_gain=request.energy_gain)
    rocking = FreeRocking(measured, test.edge, impact)
    data, notes = request.recording.read(test.file, rocking)
    found = fit_test(measured, data, test.edge, impact=impact, **how)
    names = {"test": test.name, "specimen": test.specimen, "position": test.position}
    near = neighbours(measured, data, found) if found.misfit.explained is False else []
    found, nearby = widen_intervals(found, near), show.neighbours_as_json(near)
    words = show.neighbour_words(near)
    numbers = show.fit_as_json(found) | {"neighbours": nearby} | names
    numbers |= {"repetition": test.repetition, "made_from": request.digest}
    numbers["body"] = sizes(measured, rocking)
    numbers |= describe_test(measured, data, rocking.along, rocking.across, found.averaging)
    numbers |= {"notes": notes, "verdict": notes + numbers["verdict"] + words}
    section, table = show.impact_section(found), [show.neighbour_table(nearby)] if nearby else []
    shown = Composition(
        numbers,
        [show.format_fit(found), *table, *words, *notes, section.rstrip("\n")],
        {"fit": lambda: show.plot_fit(found), "angles": lambda: show.plot_angles(found)},
        {
            "fit.json": lambda: json.dumps(numbers, indent=1, allow_nan=False) + "\n",
            "impact.toml": lambda: section,
        },
    )
    return [*shown.blocks, *options.write(shown, request.results)], numbers


def _attempt(request: Request) -> dict[str, Any]:
    """What became of a test: one that cannot be fitted has a reason and does not stop the others."""
    try:
        fit = _fit_one(request)[1]
    except (ValueError, OSError) as error:
        return request.outcome("failed", " ".join(str(error).split()))
    return request.outcome("fitted", fit=fit)


def _standing(request: Request) -> dict[str, Any] | None:
    """The outcome of a test that has been fitted before; one of other data is refused."""
    assert request.results.output is not None
    place = request.results.output / "fit.json"
    if not place.is_file():
        return None
    from mcrock.base.tables.parsing import parse_json

    digest = request.digest
    try:
        fit = parse_json(place.read_text(encoding="utf-8"))
        if fit["made_from"] == digest:
            return request.outcome("kept", fit=fit)
    except (ValueError, KeyError, TypeError, OSError):
        pass
    raise ValueError(
        f"{place} is of another recording, body, law, version or other options; --overwrite replaces it "
        "and all others; without its folder it is fitted again alone"
    )


def _fit_all(requests: list[Request], overwrite: bool, workers: int | None) -> list[dict[str, Any]]:
    """Outcomes of all tests in their order, fitted in several processes; what stands is kept."""
    if workers is not None and workers < 1:
        raise ValueError(f"--workers must be at least 1, got {workers}")
    found = {} if overwrite else {r.test.name: kept for r in requests if (kept := _standing(r)) is not None}
    left = [request for request in requests if request.test.name not in found]
    found |= {one["test"]: one for one in _counted("tests tried", _attempt, left, workers, len(found))}
    return [found[request.test.name] for request in requests]


def _counted(
    what: str, work: Callable[[Any], Any], tasks: Sequence[Any], workers: int | None, before: int = 0
) -> list[Any]:
    """Results of tasks in several processes as they come, with a count that includes what was done before."""
    from mcrock.base.compiled_code import cores
    from mcrock.ensemble.schedule import run_tasks
    from mcrock.show.progress import count_progress

    done: list[Any] = []
    with count_progress(what) as progress:

        def report(result: Any) -> None:
            done.append(result)
            progress(before + len(done), before + len(tasks))

        run_tasks(work, tasks, min(workers or cores(), max(len(tasks), 1)), report)
    return done


def _write_campaign(outcomes: list[dict[str, Any]], results: FitOutput, as_json: bool) -> None:
    """The table and the page of a campaign."""
    import pandas as pd

    from mcrock.show.fit import campaign_rows, campaign_sections, format_campaign
    from mcrock.show.report.page import build_page
    from mcrock.show.report.results import KeyFigure
    from mcrock.show.text import Composition

    output = results.output
    assert output is not None
    fits = [outcome["fit"] for outcome in outcomes if outcome["fit"] is not None]
    fitted, explained = len(fits), sum(each["misfit"]["explained"] is True for each in fits)
    figures = {
        each["test"]: [output / each["test"] / f"{name}.{results.format}" for name in ("angles", "fit")]
        for each in outcomes
    }
    page = build_page(
        f"Campaign of {len(outcomes)} tests",
        "Impact parameters of free-rocking tests",
        campaign_sections(outcomes, figures),
        figures=[
            KeyFigure("Tests fitted", f"{fitted} of {len(outcomes)}", "the others are named with the reason"),
            KeyFigure("Explained to the noise", f"{explained} of {fitted}", "by constant parameters"),
        ],
    )
    rows = campaign_rows(outcomes)
    files = {"tests.csv": lambda: pd.DataFrame(rows).to_csv(index=False), "report.html": lambda: page}
    paths = options.write(Composition(rows, [], files=files), results)
    print(json.dumps(rows, indent=1) if as_json else "\n".join([*format_campaign(outcomes), *paths]))


@options.unpacked
def measure(
    *,
    tests: TestOptions,
    recording: RecordingOptions,
    level: options.Level = 0.95,
    results: options.ResultOptions,
) -> None:
    """Measure free-rocking tests without a model of their impacts.

    A row for each test: angular velocity reduction factor, out-of-plane motion factor, phases, energy lost
    and dominant frequencies, with intervals. With -o also measures.csv and the figure measures. See
    `mcrock docs single-runs`, and of the files `mcrock docs fitting`.
    """
    import xarray as xr

    from mcrock.show.fit import format_measured, measured_frame, plot_measured
    from mcrock.show.text import Composition

    if not 0.0 < level < 1.0:
        raise ValueError(f"--level must be > 0 and < 1, got {level!r}")
    found, said, reasons = [], [], dict[str, str]()
    for test in tests.listed():
        reasons[test.name] = ""
        try:
            measures, notes = _measured(test, recording, level)
            found.append(measures)
            said += [f"{test.name}: {note}" for note in notes]
        except (ValueError, OSError) as error:  # a bad test does not stop the others
            reasons[test.name] = " ".join(str(error).split())
    failed = [f"{name}: {reason}" for name, reason in reasons.items() if reason]
    if not found:
        options.fail("\n".join(failed), 2)
    table = xr.concat(found, "test").reindex(test=list(reasons)).assign(reason=("test", [*reasons.values()]))
    shown = Composition(
        {"measures": table, "not_measured": failed, "notes": said},
        [*format_measured(table), *said, *(f"not measured: {reason}" for reason in failed)],
        {"measures": lambda: plot_measured(table)},
        {"measures.csv": lambda: measured_frame(table).to_csv(index=False)},
    )
    options.show(shown, results)


def _measured(test: TestFile, how: RecordingOptions, level: float) -> tuple[xr.Dataset, list[str]]:
    from mcrock.impact.conditions import Impact
    from mcrock.measurement.measures import measure_test
    from mcrock.measurement.misfit import FreeRocking
    from mcrock.study.load import load_tested

    body, _ = load_tested(test.body, None)
    axes = FreeRocking(body, test.edge, Impact())
    data, notes = how.of(test).read(test.file, axes)
    found = measure_test(body, data, axes.along, axes.across, level=level)
    return found.assign_coords(test=[test.name]), notes


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
class PopulationOutput(options.FigureOptions):
    """Folder of all results."""

    output: options.OutputFolder = Path("population")


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
    trust_code: options.TrustCode = False

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
        from mcrock.ensemble.pilot import first_size
        from mcrock.show.population import draws_table, study_of_draws
        from mcrock.study import load_config

        study, table = self.paths()
        into = load_config(self.into, trust_code=self.trust_code)
        wanted = into.n_realizations if into.has_fixed_size else 10 * first_size(into)
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
        from mcrock.measurement.predictive import read_campaign_fits

        read_campaign_fits(fits)

    def show(self, data: Any, fits: Path, results: options.FigureOptions, trust_code: bool) -> None:
        """Simulate, write the figure check and check.nc, and say what came of it."""
        if self.check is None:
            return
        from mcrock.measurement import predictive
        from mcrock.show.population import compose_check
        from mcrock.study.load import load_tested

        every, known = predictive.read_campaign_fits(fits), set(data.constant_data["test"].values.tolist())
        found = {name: numbers for name, numbers in every.items() if name in known}
        left_out = [f"{name}: fitted before fits had measures" for name in sorted(known - found.keys())]
        keys, names = tuple(data.posterior["parameter"].values.tolist()), list(found)
        bodies = [
            load_tested(Path(numbers["file"]), keys, trust_code=trust_code) for numbers in found.values()
        ]
        seed = int(data.posterior.attrs["seed"])
        tested = predictive.replicated_tests(data, found, bodies, self.check, seed)
        done = dict(_counted("tests simulated", predictive.simulated_measures, tested, self.workers))
        check = predictive.predictive_check(
            [numbers["measures"] for numbers in found.values()], [done[name] for name in names], names
        )
        options.show(compose_check(check, left_out), results)


@options.unpacked
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
    from mcrock.show import population as show

    if predicted.specimen is not None:
        given["specimens"] = 1
    whole = of_tests.load_population(fits) if fits.suffix == ".nc" else of_tests.fit_population(fits, **given)
    data, cut = predicted.of(whole), predicted.cut
    output.mkdir(parents=True, exist_ok=True)
    section, draws = output / "impact.toml", output / "draws.csv"
    for path in (section, draws):
        path.unlink(missing_ok=True)  # of another population
    found = show.compose_population(data, cut)
    files = {} if fits.suffix == ".nc" else {"population.nc": lambda: whole}
    options.show(found._replace(files=files), results)
    if of_tests.has_tests(data):
        checks.show(whole, fits, results, study.trust_code)
    diagnosis = of_tests.diagnose(data)
    if diagnosis.problems:
        options.fail(show.untrusted(diagnosis), 1)
    options.write_text(section, show.impact_section(data, cut))
    print(section)
    if hasattr(data, "predictions"):  # of another sampler it may be without
        options.write_text(draws, show.draws_table(data, cut))
        print(draws, *study.write(data, cut), sep="\n")
    elif study.into is not None:
        raise ValueError(f"{fits} has no predictions.new_test to draw from: --into needs it")
