"""Commands on results.

`stats`, `plot`, `fragility`, `risk`, `compare`, `design`, `collection`, `report`, `app`,
`sensitivity`, `rare`, `export`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mcrock.base.units import plain_number
from mcrock.commands import options

if TYPE_CHECKING:
    import xarray as xr

    from mcrock.show.collection import Asked
    from mcrock.show.report.subject import Signed
    from mcrock.study import Study


@options.unpacked
def stats(
    *,
    store: options.Store,
    level: options.Level = 0.95,
    reading: options.ReadingOptions,
    folder: options.Folder = Path(),
    design: options.Design = None,
    as_json: options.AsJson = False,
) -> None:
    """Print overturning probabilities and fragility with intervals.

    How they are computed: `mcrock docs results`.
    """
    from mcrock.dataset.contents import STUDY, store_digest
    from mcrock.ensemble.opening import read_log
    from mcrock.show.progress import format_impossible, reading_progress
    from mcrock.show.summary import format_summary, summarize, summary_as_json
    from mcrock.show.text import missing_chunks

    with reading.open(store) as ds, reading_progress():
        summary = summarize(
            ds, folder=folder, design=design, level=level, allow_missing=reading.allow_incomplete
        )
    if as_json:
        digest = store_digest(store) if (store / STUDY).exists() else None
        options.print_json(summary_as_json(summary) | {"digest": digest})
    else:
        print(*missing_chunks(ds), *format_impossible(read_log(store)), format_summary(summary), sep="\n")


@options.unpacked
def plot(
    *,
    store: options.Store,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the figures.")],
    format: options.FigureFormat = "png",
    reading: options.ReadingOptions,
) -> None:
    """Plot a result: outcomes, overturning probability and fragility.

    Studies with several impact laws or intensity measures get a figure that compares them.
    """
    options.check_figure(output, format)
    from mcrock.show.progress import reading_progress
    from mcrock.show.summary import save_all
    from mcrock.show.text import missing_chunks

    with reading.open(store) as ds:
        print(*missing_chunks(ds), sep="\n", end="\n" * bool(missing_chunks(ds)))
        with reading_progress():
            paths = save_all(ds, output, format, allow_missing=reading.allow_incomplete)
    print(*paths, sep="\n")


@dataclass(frozen=True, kw_only=True)
class CurveOptions:
    """Limit states and intensity measures whose curves are compared."""

    limit: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Limit state of a response, in SI units, such as peak_displacement=0.05; repeatable; "
            "default: usual limits.",
        ),
    ] = None
    compare: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Intensity measure to compare, such as pgv, or sa=0.5 with a period; repeatable. Two make a "
            "surface.",
        ),
    ] = None

    @property
    def limits(self) -> list[tuple[str, float]] | None:
        """Responses and the numbers that they must not exceed; None for the usual ones."""
        return None if self.limit is None else [_limit(text) for text in self.limit]

    @property
    def measures(self) -> list[str | dict[str, str | float]]:
        """Intensity measures, as `mcrock.statistics.with_measures` takes them."""
        return [_measure(text) for text in self.compare or []]


@options.unpacked
def fragility(
    *,
    store: options.Store,
    curves: CurveOptions,
    level: options.Level = 0.95,
    reading: options.ReadingOptions,
    folder: options.Folder = Path(),
    results: options.ResultOptions,
) -> None:
    """Print fragility curves by ways of fitting, limits and intensity measures.

    Which curve to take: `mcrock docs fragility`.
    """
    limits, measures = curves.limits, curves.measures
    from mcrock.show.curves import compose_fragility
    from mcrock.show.progress import reading_progress
    from mcrock.statistics.intervals import Confidence
    from mcrock.study import ConfigError

    how = Confidence(level=level, allow_missing=reading.allow_incomplete).keywords
    with reading.open(store) as ds, reading_progress():
        try:
            found = compose_fragility(ds, limits, measures, folder=folder, **how)
        except ConfigError as error:
            raise ValueError(f"{error}\n{store}: give the folder of the study file with --folder") from None
        options.show(found, results, ds)


def _limit(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name.strip(), plain_number(value)
    except ValueError:
        raise ValueError(f"--limit: expected NAME=VALUE, as in peak_tilt_ratio=0.5, got {text!r}") from None


def _measure(text: str) -> str | dict[str, str | float]:
    name, is_given, period = text.partition("=")
    try:
        return {"measure": name.strip(), "period": plain_number(period)} if is_given else name
    except ValueError:
        raise ValueError(f"--compare: expected NAME or NAME=PERIOD [s], as in sa=0.5, got {text!r}") from None


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
    results: options.ResultOptions,
) -> None:
    """Print the annual rate of overturning at a site, and where it comes from.

    HAZARD is a CSV file that begins as in `pga [g], mean, 0.16, 0.84`, or files
    of OpenQuake, the USGS or EFEHR: `mcrock docs assessment hazard`.
    """
    from mcrock.show.progress import reading_progress
    from mcrock.show.risk import compose_risk
    from mcrock.statistics.intervals import Confidence

    how = Confidence(level=level, allow_missing=reading.allow_incomplete)
    with reading.open(store) as ds, reading_progress():
        asked = site.of(ds, files or ())
        if asked.hazard is None:
            raise ValueError("mcrock risk needs the hazard of the site: mcrock risk STORE HAZARD.csv")
        options.show(compose_risk(ds, asked, how), results, ds)


@dataclass(frozen=True, kw_only=True)
class AimOptions(options.HazardOptions):
    """By what designs are judged: the rate at a site, or the probability at an intensity."""

    target: options.Target = None
    years: options.Years = 50.0
    category: Annotated[
        str | None,
        typer.Option(
            "--design-category",
            metavar="SDC-N",
            help="Take the target of a seismic design category of ASCE/SEI 43: SDC-3, SDC-4 or SDC-5.",
        ),
    ] = None
    at: Annotated[
        str | None,
        typer.Option(metavar="INTENSITY", help="Without a hazard: level that is judged, as in 0.4g."),
    ] = None
    probability: Annotated[
        float | None, typer.Option(help="Probability of overturning that is allowed there [1].")
    ] = None

    def aim(self, is_needed: bool) -> float | None:
        """Rate or probability that is allowed; None if there is none and none is needed."""
        target, of_level = self.target, self.probability is not None
        if self.category is not None:
            from mcrock.statistics.standards import category_target

            if target is not None or not self.hazard:
                raise ValueError(
                    "--design-category is an annual rate: give it with --hazard FILE in place of --target; "
                    "at a design motion ASCE/SEI 43 allows 1 %: --at INTENSITY --probability 0.01"
                )
            target = category_target(self.category)
        of_rate = target is not None
        if bool(self.hazard) == bool(self.at) or (of_rate and self.at) or (of_level and self.hazard):
            raise ValueError(
                "designs are judged by --hazard FILE --target RATE, or --at INTENSITY --probability P"
            )
        if not 0 < self.years < float("inf"):
            raise ValueError(f"--years must be finite and > 0, got {self.years:g}")
        if is_needed and not (of_rate or of_level):
            raise ValueError(
                "--vary needs what is allowed: --target RATE or --design-category SDC-N, or --probability P "
                "with --at"
            )
        if of_rate and not 0 < (target or 0.0) < float("inf"):
            raise ValueError(f"--target must be finite and > 0 [1/year], got {target:g}")
        if of_level and not 0 < (self.probability or 0.0) < 1:
            raise ValueError(f"--probability must be between 0 and 1 [1], got {self.probability:g}")
        return target if of_rate else self.probability

    def of(self, study: Study) -> tuple[xr.Dataset | None, float | None]:
        """Hazard, or the level that is judged in the unit of the study, checked before any run."""
        from mcrock.ensemble.pilot import without_runs
        from mcrock.statistics import design_intensity
        from mcrock.statistics.precision import check_aim

        ds = without_runs(study)
        hazard, level = self.curves(ds), None if self.at is None else design_intensity(self.at, ds)
        check_aim(ds, hazard, level)
        return hazard, level


@options.unpacked
def design(
    *,
    config: options.Config,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=FROM:TO",
            help="Number that changes, and its range: body.width=40cm:80cm; keys with commas are equal. With "
            "a second one, a line in the plane of both.",
        ),
    ] = None,
    designs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.csv", help="Designs to compare instead, one a row: columns are keys, design, cost."
        ),
    ] = None,
    aims: AimOptions,
    changes: options.StudyOptions,
    workers: options.Workers = None,
    level: options.Level = 0.95,
    results: options.ResultOptions,
) -> None:
    """Find the number of a study that is safe enough, or rank designs.

    Designs meet the same earthquakes. Their stores are in DIR, where the same
    command goes on: `mcrock docs assessment`.
    """
    if results.output is None:
        raise ValueError("mcrock design writes a store for each design: give their folder with -o DIR")
    if bool(vary) == (designs is not None) or len(vary or ()) > 2:
        raise ValueError("give either --vary KEY=FROM:TO, once or twice, or --designs FILE.csv")
    aim = aims.aim(is_needed=bool(vary))
    from mcrock.ensemble.designs import find_remedy, read_designs, run_designs
    from mcrock.show.comparison import compose_remedy
    from mcrock.show.progress import study_progress
    from mcrock.statistics import rank_designs

    def load(*more: str) -> Study:
        return changes.load(config, *more)

    how: dict[str, Any] = {"workers": workers}
    study = load()
    hazard, place = aims.of(study)
    if designs is not None:
        table, costs = read_designs(designs)
        with study_progress() as progress:
            how |= {"intensity": place, "progress": progress}
            studies = run_designs(load, table, results.output, hazard, **how)
        found = rank_designs(studies, hazard, intensity=place, costs=costs, level=level)
        found = found.assign_attrs({} if aim is None else {"target": aim}, config=study.to_json())
        options.show(compose_remedy(found.assign_attrs(years=aims.years)), results)
        return
    with study_progress() as progress:
        how |= {"intensity": place, "level": level, "progress": progress}
        found = find_remedy(load, vary or (), results.output, aim or 0.0, hazard, **how)
    options.show(compose_remedy(found.assign_attrs(years=aims.years)), results)


@dataclass(frozen=True, kw_only=True)
class EarthquakeOptions(options.HazardOptions):
    """The earthquakes that a collection is judged by."""

    at: Annotated[
        str | None,
        typer.Option(metavar="INTENSITY", help="Level at which losses are given; default: about half fall."),
    ] = None
    scenario: Annotated[
        str | None,
        typer.Option(
            metavar="MEDIAN,SCATTER",
            help="One earthquake in place of a hazard: median at the site and standard deviation of its "
            "logarithm, as in 0.3g,0.5.",
        ),
    ] = None
    shakemap: Annotated[
        Path | None, typer.Option(metavar="grid.xml", help="The same from a ShakeMap, at --site.")
    ] = None
    years: options.Years = 50.0
    worst: Annotated[int, typer.Option(min=1, help="Number of the most urgent objects.")] = 10

    def of(self, ds: xr.Dataset, level: float) -> Asked:
        """What is asked, for objects with the intensity of one of them."""
        from mcrock.show.collection import Asked
        from mcrock.statistics import design_intensity
        from mcrock.statistics.collection import scenario_hazard
        from mcrock.statistics.hazard import shakemap_intensity
        from mcrock.statistics.measures import own_measure

        given = [name for name in ("hazard", "scenario", "shakemap") if getattr(self, name)]
        if len(given) > 1 and given != ["scenario", "shakemap"]:
            raise ValueError(f"give one of --{' and --'.join(given)}")
        at = None if self.at is None else design_intensity(self.at, ds)
        hazard = self.curves(ds)
        if given and not self.hazard:
            median, _, scatter = (self.scenario or "").rpartition(",")
            try:
                spread = float(scatter or "0.5")
            except ValueError:
                raise ValueError(f"--scenario must be as in 0.3g,0.5, got {self.scenario!r}") from None
            if self.shakemap:
                level_there = shakemap_intensity(self.shakemap, self.hazard_site, own_measure(ds))
            elif median:
                level_there = design_intensity(median, ds)
            else:
                raise ValueError(f"--scenario must be as in 0.3g,0.5, got {self.scenario!r}")
            words = f"{self.shakemap or median} with a scatter of {spread:g}"
            hazard = scenario_hazard(level_there, spread, ds["intensity"], own_measure(ds), words)
        return Asked(at, hazard, self.years, self.worst, level)


@options.unpacked
def collection(
    *,
    store: Annotated[
        Path, typer.Argument(metavar="STORE", help="Folder of a collection.", show_default=False)
    ],
    asked: EarthquakeOptions,
    changed: Annotated[
        Path | None,
        typer.Option(metavar="STORE", help="The same collection after a change, to say what it buys."),
    ] = None,
    page: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Page to print or read: answer, objects, sheets.")
    ] = None,
    overwrite: options.Overwrite = False,
    level: options.Level = 0.95,
    results: options.ResultOptions,
) -> None:
    """Say which objects fall first, and how many in one earthquake.

    Objects meet the same earthquakes: `mcrock docs collection`.
    """
    from mcrock.ensemble.collection import open_collection
    from mcrock.show.collection import collection_page, compose_collection, find
    from mcrock.show.progress import reading_progress
    from mcrock.show.report.page import check_page, save_report
    from mcrock.statistics.intervals import check_level

    check_level(level)
    if page is not None:
        check_page(page, overwrite)
    for each in filter(None, (store, changed)):
        done, of = open_collection(each).done
        if done < of:
            raise ValueError(f"{each}: {done} of {of} chunks are done; `mcrock run` with --resume goes on")
    opened, other = open_collection(store), None if changed is None else open_collection(changed)
    with reading_progress():
        found = find(opened, asked.of(opened.open(opened.rows[0].name), level), other)
        more = [] if page is None else [save_report(collection_page(found), page, overwrite=overwrite)]
        options.show(compose_collection(found), results, None, *more)


@options.unpacked
def compare(
    *,
    first: Annotated[Path, typer.Argument(metavar="A", help="Store of the first study.", show_default=False)],
    second: Annotated[Path, typer.Argument(metavar="B", help="Store of the second.", show_default=False)],
    site: options.HazardOptions,
    years: options.Years = 50.0,
    level: options.Level = 0.95,
    displacement_limit: options.DisplacementLimit = None,
    results: options.ResultOptions,
) -> None:
    """Compare two designs under the same earthquakes, run by run.

    Both studies need the same seed and the same draws of what they share: `mcrock
    docs assessment`.
    """
    from mcrock.show.comparison import compose_comparison
    from mcrock.show.progress import reading_progress

    with (
        options.opened_result(first, limit=displacement_limit) as one,
        options.opened_result(second, limit=displacement_limit) as other,
        reading_progress(),
    ):
        found = compose_comparison(one, other, (first, second), site.curves(one), level=level, years=years)
        options.show(found, results)


def _text(words: str) -> Any:
    return typer.Option(metavar="TEXT", help=words, show_default=False)


@dataclass(frozen=True, kw_only=True)
class PageOptions:
    """Who answers for a report, files that belong to it, and whether it replaces one."""

    object: Annotated[str, _text("What is judged; default, as of the next three: [report] of the study.")] = (
        ""
    )
    author: Annotated[str, _text("Who made the study.")] = ""
    checker: Annotated[str, _text("Who checked it.")] = ""
    reference: Annotated[str, _text("Number of the document or revision.")] = ""
    file: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Further file whose digest is listed, as the scan; repeatable."),
    ] = None

    remedy: Annotated[
        Path | None, typer.Option(metavar="FILE", help="What to change: remedy.nc of `mcrock design -o DIR`.")
    ] = None
    brief: Annotated[
        bool, typer.Option("--brief", help="Two pages for whoever decides first, and the rest as an annex.")
    ] = False
    overwrite: options.Overwrite = False

    def signed(self, files: list[Path]) -> Signed:
        """What heads the page."""
        from mcrock.show.report.subject import Signed

        given = [*files, *(self.file or []), *([self.remedy] if self.remedy else [])]
        return Signed(self.object, self.author, self.checker, self.reference, given)


@options.unpacked
def report(
    *,
    store: options.Store,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE.html", help="Page to write.")],
    around: options.SiteOptions,
    page_options: PageOptions,
    level: options.Level = 0.95,
    reading: options.ReadingOptions,
    trust_code: options.TrustCode = False,
) -> None:
    """Write a report for a safety file: one HTML page, to print or to read offline.

    What is on it: `mcrock docs app`.
    """
    from mcrock.show.report.page import check_page

    check_page(output, page_options.overwrite)
    if not around.hazard and any(
        given is not None
        for given in (around.hazard_years, around.hazard_site, around.age, around.target, around.other)
    ):
        raise ValueError("--hazard-years, --site, --age, --target and --other go with --hazard FILE")
    from mcrock.show.comparison import read_remedy
    from mcrock.show.progress import count_progress
    from mcrock.show.report.page import build_report, save_report
    from mcrock.statistics import design_intensity

    remedy = None if page_options.remedy is None else read_remedy(page_options.remedy)
    with reading.open(store) as ds, count_progress("permutations") as progress:
        if around.design is not None:
            design_intensity(around.design, ds)  # refused before anything is computed
        page = build_report(
            ds,
            site=around.of(ds),
            store=store,
            folder=around.folder,
            signed=page_options.signed([*(around.hazard or []), *(around.other or [])]),
            level=level,
            allow_missing=reading.allow_incomplete,
            trust_code=trust_code,
            remedy=remedy,
            brief=page_options.brief,
            progress=progress,
        )
    print(save_report(page, output, overwrite=page_options.overwrite))


def app(
    source: Annotated[
        Path | None,
        typer.Argument(
            metavar="STORE_OR_STUDY", help="Store of `mcrock run`, or a study file.", show_default=False
        ),
    ] = None,
    address: Annotated[
        str, typer.Option(metavar="HOST", help="Where the page listens; by default on this machine alone.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Its port; 0 is any that is free.", min=0, max=65535)] = 0,
    browser: Annotated[bool, typer.Option("--browser", help="Open it in the browser.")] = False,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Another name by which browsers reach the page; repeatable."),
    ] = None,
    folder: options.Folder = Path(),
    allow_incomplete: options.Incomplete = False,
    trust_code: options.TrustCode = False,
) -> None:
    """Describe, run and explore a study in the browser, and watch its runs.

    Stores are only read, and new ones written where you say. The address that is
    printed opens the page once; Ctrl-C ends it: `mcrock docs app`. With --trust-code
    replays of STORE run its law; a study in the page runs no code.
    """
    try:
        import panel  # noqa: F401
    except ModuleNotFoundError:
        raise ValueError(
            "mcrock app needs Panel, which is not installed: pip install 'mcrock[app]'"
        ) from None
    import os
    import tempfile

    from mcrock.dataset import load_dataset
    from mcrock.ensemble.collection import is_collection_folder, open_collection
    from mcrock.show.app.page import Page, open_in_browser, serve
    from mcrock.show.app.parts import UPLOADS
    from mcrock.show.app.results import Result
    from mcrock.show.app.study import Desk
    from mcrock.show.collection import Asked, find
    from mcrock.study import load_config

    result, text, every = None, "", None
    if source is not None and is_collection_folder(source):
        every = find(open_collection(source), Asked())
    elif source is not None and source.suffix == ".toml":
        if trust_code:
            raise ValueError("a study in the page runs no code: mcrock run --trust-code, then open the store")
        load_config(source)  # refused here, before a page opens
        text, folder = source.read_text(encoding="utf-8"), source.parent
    elif source is not None:
        result = Result(
            load_dataset(source, allow_incomplete=allow_incomplete),
            source,
            folder,
            allow_incomplete,
            trust_code,
        )
        result.prepare()
    title = f"mcrock: {source.name}" if source else "mcrock"
    with tempfile.TemporaryDirectory(prefix=UPLOADS) as uploads:
        desk = Desk(result, text, folder, Path(uploads), every)
        first = True

        def say(link: str) -> None:
            nonlocal first
            print(f"{link}\nCtrl-C ends the page" if first else f"for another browser: {link}", flush=True)
            if browser and first:
                open_in_browser(link, uploads)
            first = False

        try:
            serve(lambda theme: Page(theme, desk).view(), title, address, port, allow_host or [], say)
        finally:
            desk.close()
    os._exit(0)  # threads that compile or repeat a run are not waited for


@options.unpacked
def sensitivity(
    *,
    store: options.Store,
    level: options.Level = 0.95,
    permutations: Annotated[
        int, typer.Option(metavar="N", help="Permutations of the outcomes that show the effect of chance.")
    ] = 199,
    results: options.ResultOptions,
    allow_incomplete: options.Incomplete = False,
) -> None:
    """Print which inputs decide whether the body overturns.

    Of a study with ensemble.design = "sobol_indices" the Sobol indices, of any
    study the inputs given the outcome: `mcrock docs assessment`.
    """
    from mcrock.show.progress import count_progress
    from mcrock.show.sensitivity import compose_sensitivity, sensitivity_of
    from mcrock.statistics import Confidence

    how = Confidence(level=level, allow_missing=allow_incomplete)
    with options.opened_result(store, incomplete=allow_incomplete) as ds:
        with count_progress("permutations") as progress:
            tables = sensitivity_of(ds, how, permutations, progress)
        options.show(compose_sensitivity(tables), results, ds)


@dataclass(frozen=True, kw_only=True)
class SplittingOptions:
    """Size of the subset simulation."""

    states: Annotated[
        int | None, typer.Option(metavar="N", help="Realizations per recording and level of the score.")
    ] = None
    repetitions: Annotated[int, typer.Option(help="Independent repetitions.")] = 8
    least: Annotated[
        float, typer.Option(help="Probability given a recording below which it counts as 0.")
    ] = 1e-6


@options.unpacked
def rare(
    *,
    config: options.Config,
    splitting: SplittingOptions,
    level: options.Level = 0.95,
    workers: options.Workers = None,
    changes: options.StudyOptions,
    results: options.ResultOptions,
) -> None:
    """Print small probabilities of overturning, by subset simulation.

    For levels at which next to no run of a study overturns:
    `--set 'intensity.levels_g=[0.24]'`. Method and limits: `mcrock docs assessment`.
    """
    if workers is not None and workers < 1:
        raise ValueError(f"workers must be at least 1, got {workers}")
    from mcrock.ensemble.pilot import settle
    from mcrock.ensemble.rare import rare_probability
    from mcrock.show.rare import compose_rare

    (study,) = settle([changes.load(config)])
    found = rare_probability(study, **asdict(splitting), level=level, workers=workers, progress=options.say)
    options.show(compose_rare(found), results, found)


class ExportKind(StrEnum):
    """What can be written of a result."""

    RUNS = "runs"
    OUTCOMES = "outcomes"
    OPENQUAKE = "openquake"
    PELICUN = "pelicun"
    JSON = "json"


def export(
    store: options.Store,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Runs: FILE.nc, .parquet, .zarr. Fragility: FILE.xml (OpenQuake), .csv (pelicun), .json.",
        ),
    ],
    kind: Annotated[
        ExportKind | None,
        typer.Option("--as", help="What is written; default: by the end of its name.", show_default=False),
    ] = None,
    identifier: Annotated[
        str, typer.Option("--id", metavar="NAME", help="Name of the body in a fragility file.")
    ] = "body",
    empirical: Annotated[
        bool,
        typer.Option("--empirical", help="For OpenQuake and pelicun: the empirical fractions in any case."),
    ] = False,
    stripes: Annotated[bool, typer.Option("--stripes", hidden=True)] = False,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="For pelicun: a limit state before overturning, as peak_displacement=0.05 (slid so far); "
            "repeatable. Falling off the support of the study is one too.",
        ),
    ] = None,
    site: Annotated[
        str | None,
        typer.Option(metavar="LON,LAT", help="Of a collection, for OpenQuake: where it is [degrees]."),
    ] = None,
    overwrite: options.Overwrite = False,
    allow_incomplete: options.Incomplete = False,
) -> None:
    """Write a result or its fragility for other programs: NetCDF, OpenQuake, pelicun.

    All runs go to a NetCDF file, to a table in Parquet (a row for each run, for polars, R or a database), to
    a folder of plain Zarr 3 with checksums, or by --as outcomes to CSV that mcrock reads as a result.
    """
    from mcrock.dataset import load_dataset, save_dataset
    from mcrock.dataset.opened import save_table, save_zarr
    from mcrock.show.progress import reading_progress, writing_progress

    by_end = {".xml": ExportKind.OPENQUAKE, ".csv": ExportKind.PELICUN, ".json": ExportKind.JSON}
    kind, empirical = kind or by_end.get(output.suffix, ExportKind.RUNS), empirical or stripes
    from mcrock.ensemble.collection import is_collection_folder, open_collection

    if is_collection_folder(store):
        if kind not in (ExportKind.OPENQUAKE, ExportKind.PELICUN):
            raise ValueError(
                f"a collection is exported for openquake (.xml) and pelicun (.csv); `mcrock collection "
                f"{store} -o DIR` writes its table, and each store in {store / 'objects'} has runs"
            )
        from mcrock.show.collection import exported
        from mcrock.statistics.accepted_curve import ISOTONIC

        files = exported(open_collection(store), kind.value, site, ISOTONIC if empirical else None)
        paths = {
            output.with_name(f"{output.stem}{end}{output.suffix if not end else '.csv'}"): end
            for end in files
        }
        if there := [path for path in paths if path.exists() and not overwrite]:
            raise ValueError(
                f"{there[0]} exists already; replace it with --overwrite or choose another output"
            )
        for path, end in paths.items():
            options.write_text(path, files[end])
        print(*paths, sep="\n")
        return
    if kind == ExportKind.RUNS:
        ds = load_dataset(store, allow_incomplete=allow_incomplete)
        save = {".zarr": save_zarr, ".parquet": save_table}.get(output.suffix, save_dataset)
        with writing_progress():
            save(ds, output, overwrite=overwrite)
        print(output)
        return
    from mcrock.show import fragility
    from mcrock.statistics.accepted_curve import ISOTONIC, accept_curve
    from mcrock.statistics.intervals import Bootstrap

    if empirical and kind not in (ExportKind.OPENQUAKE, ExportKind.PELICUN):
        raise ValueError(f"--empirical goes with openquake and pelicun, not with {kind.value}")
    if output.exists() and not overwrite:
        raise ValueError(f"{output} exists already; replace it with --overwrite or choose another output")
    if not output.parent.is_dir():
        raise ValueError(f"{output}: the folder {output.parent} does not exist")
    if limit and kind != ExportKind.PELICUN:
        raise ValueError(f"--limit goes with pelicun, not with {kind.value}")
    ds, words = load_dataset(store), list[str]()
    with reading_progress():
        if kind == ExportKind.OUTCOMES:
            text = fragility.outcome_rows(ds)
        elif kind == ExportKind.JSON:
            text = fragility.json_fragility(ds)
        else:
            curve = ISOTONIC if empirical else None
            if kind == ExportKind.OPENQUAKE:
                text = fragility.openquake_fragility(ds, identifier=identifier, curve=curve)
            else:
                states = fragility.limit_states(ds, [_limit(item) for item in limit or ()])
                text = fragility.pelicun_library({identifier: states}, curve)
                words = fragility.library_notes(states)
            words += fragility.export_notes(accept_curve(ds, Bootstrap()), curve)
    options.write_text(output, text)
    print(*filter(None, words), output, sep="\n")
