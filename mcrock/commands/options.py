"""What commands share: options and checks of their values, results that they open and print, exit codes."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import partial, wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, get_args, get_origin, get_type_hints

import typer
from typer.models import OptionInfo

from mcrock.base import session
from mcrock.base.environment import peak_memory

if TYPE_CHECKING:
    import xarray as xr
    from xarray import Dataset

    from mcrock.show.risk import Site
    from mcrock.show.text import Composition
    from mcrock.study import Study
    from mcrock.study.collection import Collection


def say(message: str) -> None:
    """Print lines on the error stream, as those of mcrock."""
    for line in message.splitlines():
        print(f"mcrock: {line}", file=sys.stderr, flush=True)


def fail(message: str, code: int) -> NoReturn:
    """End with a message and an exit code: 2 for a mistake in the input, 1 for a run that failed."""
    say(message)
    sys.exit(code)


@contextmanager
def one_line_per_failure() -> Iterator[None]:
    """End the process with a message in place of a traceback."""
    try:
        with one_line_if_interrupted():
            try:
                yield
            finally:
                sys.stdout.flush()
    except ValueError as error:
        fail(str(error), 2)
    except BrokenPipeError:  # the reader of the output has what it wanted
        sys.exit(1)
    except OSError as error:
        place = f": {error.filename}" if error.filename else ""
        fail(f"{error.strerror or error}{place}", 1)
    except MemoryError:
        fail("out of memory", 1)


@contextmanager
def one_line_if_out_of_memory(options: Callable[[], set[str]]) -> Iterator[None]:
    """End the process with a message if memory runs out: what to do rests on the options of the command."""
    try:
        yield
    except MemoryError:
        given, held = options(), peak_memory()
        said = "out of memory" if held is None else f"out of memory, with {held:.0f} MiB taken"
        if "--workers" in given:
            fail(f"{said}; use fewer --workers{' or a smaller --part-size' * ('--part-size' in given)}", 1)
        fail(f"{said}; give it more: `mcrock docs large-studies` has what commands take of large stores", 1)


@contextmanager
def one_line_if_interrupted() -> Iterator[None]:
    """End the process with a message if an interruption arrives."""
    try:
        yield
    except KeyboardInterrupt as interruption:
        fail("interrupted", interruption_code(interruption))
    except (Exception, SystemExit):  # as of an extension module that was being loaded, or of Typer
        came = session.interruption()
        if came is None:
            raise
        fail("interrupted", interruption_code(came))


def interruption_code(interruption: KeyboardInterrupt) -> int:
    """Exit code of an interruption, which has arrived."""
    session.answered()
    return 128 + session.number_of(interruption)


FORMATS = ("png", "pdf", "svg")  # of figures

Config = Annotated[Path, typer.Argument(metavar="CONFIG", help="Study file in TOML.", show_default=False)]
Store = Annotated[
    Path,
    typer.Argument(metavar="STORE", help="Store of `mcrock run`, or table of outcomes.", show_default=False),
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Override a key of the study file; repeatable."),
]
TrustCode = Annotated[
    bool,
    typer.Option(
        "--trust-code",
        help="Run the code that a study names, its own law and responses: `mcrock docs trust`.",
    ),
]
Seed = Annotated[int | None, typer.Option(help="Override the seed of the study file.")]
Contract = Annotated[
    bool,
    typer.Option(
        "--contract",
        help="Fused multiply-add: quicker, other bits. The store keeps it, as MCROCK_CONTRACT=1.",
    ),
]
Measure = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Intensity measure of a cloud study, such as pgv; default: its own."),
]
DisplacementLimit = Annotated[
    float | None,
    typer.Option(
        metavar="M",
        help="Displacement of the base centre beyond which the body falls off its support [m]; default: that "
        "of the study.",
    ),
]
Folder = Annotated[
    Path,
    typer.Option(
        metavar="DIR",
        help="Folder of the study file, from which names of record files start; default: this folder.",
        show_default=False,
    ),
]
Incomplete = Annotated[bool, typer.Option("--allow-incomplete", help="Accept a store with missing runs.")]
FigureFormat = Annotated[str, typer.Option("--format", help="Figure format: png, pdf or svg.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace what is there.")]
TimeStep = Annotated[float | None, typer.Option(help="Time step of tables without times, in seconds.")]
RecordUnit = Annotated[
    str | None,
    typer.Option(help="Unit of tables and ObsPy files: m/s2, cm/s2, mm/s2, gal, g, mg, %g, ft/s2 or in/s2."),
]
Level = Annotated[float, typer.Option(help="Confidence level of the intervals.")]
Workers = Annotated[int | None, typer.Option(help="Number of threads; default: all cores.")]
ErrorRate = Annotated[float, typer.Option(help="How often a label and the model disagree [1].")]
Temper = Annotated[float | None, typer.Option(help="Power of the likelihood; default: what draws allow.")]
Hazard = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="HAZARD", help="Hazard curves of the site (`mcrock docs assessment hazard`); repeatable."
    ),
]
HazardSite = Annotated[
    str | None,
    typer.Option("--site", metavar="SITE", help="Site in the hazard files: its name, or LON,LAT [degrees]."),
]
HazardYears = Annotated[
    float | None,
    typer.Option(
        help="The hazard has probabilities of exceedance in this many years; default: what the file says, or "
        "annual rates."
    ),
]
Years = Annotated[float, typer.Option(help="Exposure time for which a probability is given [years].")]
Age = Annotated[float | None, typer.Option(help="Age of what still stands, such as a balanced rock [years].")]
Design = Annotated[
    str | None,
    typer.Option(
        metavar="INTENSITY",
        help="Design motion at which standards are judged, with its unit, as in 0.4g or 0.6m/s.",
    ),
]
Target = Annotated[
    float | None, typer.Option(help="Annual rate of overturning that is allowed, such as 1e-5 [1/year].")
]


@dataclass(frozen=True, kw_only=True)
class StudyOptions:
    """Values that stand in place of those of a study file."""

    seed: Seed = None
    set: Set = None
    trust_code: TrustCode = False

    def load(self, config: Path, *more: str) -> Study:
        """Study of a file with these values, and further changes."""
        from mcrock.study import load_config

        return load_config(config, [*self.changes, *more], trust_code=self.trust_code)

    def load_collection(self, config: Path) -> Collection:
        """Objects of a file with these values."""
        from mcrock.study.collection import load_collection

        return load_collection(config, self.changes, trust_code=self.trust_code)

    @property
    def changes(self) -> list[str]:
        """Overrides of the study file."""
        return [*(self.set or []), *([] if self.seed is None else [f"seed={self.seed}"])]


@dataclass(frozen=True, kw_only=True)
class ForOptions:
    """What a study is asked for."""

    answer: Annotated[
        str,
        typer.Option(
            "--for",
            metavar="ANSWER",
            help="What `auto` aims at: median, the probability at a level as 0.5g, or a hazard file's rate.",
        ),
    ] = "median"

    def of(self, study: Study) -> dict[str, Any]:
        """Keywords of `mcrock.statistics.what_limits`."""
        if self.answer == "median":
            return {}
        from mcrock.ensemble.pilot import without_runs
        from mcrock.statistics import design_intensity

        ds = without_runs(study)
        if Path(self.answer).exists() or not self.answer.strip()[:1].isdigit():
            return {"hazard": HazardOptions(hazard=[Path(self.answer)]).curves(ds)}
        try:
            return {"intensity": design_intensity(self.answer, ds)}
        except ValueError as error:
            raise ValueError(f"--for: expected median, the file of a hazard, or a level: {error}") from None


@dataclass(frozen=True, kw_only=True)
class HazardOptions:
    """The files of a hazard, and how they are read."""

    hazard: Hazard = None
    hazard_years: HazardYears = None
    hazard_site: HazardSite = None

    @property
    def of_hazard(self) -> dict[str, Any]:
        """Keywords of `mcrock.statistics.load_hazard`."""
        return {"years": self.hazard_years, "site": self.hazard_site}

    def curves(self, ds: Dataset, more: Sequence[Path] = ()) -> Dataset | None:
        """Hazard curves in the measure of a result where the files have several; None without files."""
        from mcrock.statistics import load_hazard
        from mcrock.statistics.measures import own_measure

        files = [*more, *(self.hazard or [])]
        return load_hazard(files, **self.of_hazard, measure=own_measure(ds)) if files else None


@dataclass(frozen=True, kw_only=True)
class SiteOptions(HazardOptions):
    """The hazard of a site, and what it is asked for."""

    years: Years = 50.0
    age: Age = None
    design: Design = None
    target: Target = None
    other: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="HAZARD",
            help="Hazard curves of other measures, to compare with what the recordings give; repeatable.",
        ),
    ] = None
    folder: Folder = Path()
    beta_u: Annotated[
        float,
        typer.Option(help="Dispersion of the capacity for what the model leaves out, such as soil [1]."),
    ] = 0.0
    standard: Annotated[
        bool,
        typer.Option(
            "--standard", help="Say HCLPF, beta_R and beta_U too, as --design, --target, --beta-u do."
        ),
    ] = False

    def of(self, ds: Dataset, files: Sequence[Path] = ()) -> Site:
        """The site, with its hazard curves where there are files, for a result."""
        from mcrock.show.risk import Site
        from mcrock.statistics.measures import other_hazards

        curves = self.curves(ds, files)
        own = "" if curves is None else curves.attrs["measure"]
        others = other_hazards(self.other or [], own, **self.of_hazard) if own else ()
        return Site(
            curves,
            self.years,
            self.age,
            self.design,
            self.target,
            others,
            self.beta_u,
            self.folder,
            self.standard,
        )


def unpacked(command: Callable[..., None]) -> Callable[..., None]:
    """A command of keywords whose dataclasses stand in the command line as their fields."""
    hints = get_type_hints(command, include_extras=True)
    packs: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    shown: list[Parameter] = []
    for name, parameter in signature(command).parameters.items():
        if name not in packs:
            shown.append(parameter.replace(annotation=hints[name]))
            continue
        own = get_type_hints(packs[name], include_extras=True)
        shown += [
            Parameter(
                each.name,
                Parameter.KEYWORD_ONLY,
                default=Parameter.empty if each.default is MISSING else each.default,
                annotation=own[each.name],
            )
            for each in fields(packs[name])
        ]

    @wraps(command)
    def packed(**given: Any) -> None:
        for name, pack in packs.items():
            given[name] = pack(
                **{each.name: given.pop(each.name) for each in fields(pack) if each.name in given}
            )
        command(**given)

    packed.__signature__ = Signature(shown)  # type: ignore[attr-defined]
    packed.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    return packed


def read_numbers(command: Any) -> None:
    """Let numbers of a command have a decimal comma, and the unit in their help or another behind them."""
    for hint in get_type_hints(command, include_extras=True).values():
        of, *marks = get_args(hint) if get_origin(hint) is Annotated else (None,)
        option = marks[0] if of in (float, float | None) else None
        if isinstance(option, OptionInfo):
            units = re.findall(r"\[([^]]+)\]", option.help or "")
            option.parser = partial(_number, units[-1] if units else "1")
            option.metavar = option.metavar or "<float>"


def _number(unit: str, text: Any) -> float:
    from mcrock.base.units import parse_quantity, units_of

    try:
        if str(text).strip("+- ").lower() in ("inf", "nan"):  # which the command refuses by what it asks for
            return float(text)
        return parse_quantity(str(text), units_of(unit))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def whole_numbers(text: str, option: str, most: int | None = None) -> list[int]:
    """Numbers of a list such as 1,2,14, from 1 to the most there are."""
    numbers = []
    for word in text.split(","):
        if not (word.strip().isdecimal() and len(word) < 19 and 1 <= int(word) <= (most or int(word))):
            what = "numbers from 1" if most is None else f"numbers from 1 to {most}"
            raise ValueError(f"{option} must list {what}, as in 1,2,14; got {word.strip()!r}")
        numbers.append(int(word))
    return numbers


def check_figure(output: Path | None, format: str) -> None:
    """Refuse a format of figures that is not known and a folder that cannot be one."""
    if output is None:
        return
    if format not in FORMATS:
        raise ValueError(f"--format must be one of {', '.join(FORMATS)}, got {format!r}")
    place = next(place for place in (output, *output.parents) if os.path.lexists(place))
    if not place.is_dir():
        raise ValueError(f"{output}: {place} is a file, not a folder; choose another output")
    if not os.access(place, os.W_OK | os.X_OK):
        raise ValueError(f"{output}: the folder {place} cannot be written to; choose another output")


OutputFolder = Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the results.")]


@dataclass(frozen=True, kw_only=True)
class FigureOptions:
    """Folder and format of the figures, checked."""

    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Folder for figures and data; default: none."),
    ] = None
    format: FigureFormat = "png"

    def __post_init__(self) -> None:
        check_figure(self.output, self.format)


@dataclass(frozen=True, kw_only=True)
class ResultOptions(FigureOptions):
    """Folder and format of the figures, and whether the result is printed as JSON."""

    as_json: AsJson = False


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """What of a store is read, and how."""

    measure: Measure = None
    displacement_limit: DisplacementLimit = None
    allow_incomplete: Incomplete = False

    def open(self, store: Path) -> AbstractContextManager[xr.Dataset]:
        """Result of a store, as the options say."""
        return opened_result(store, self.allow_incomplete, self.measure, self.displacement_limit)


@contextmanager
def opened_result(
    store: Path, incomplete: bool = False, measure: str | None = None, limit: float | None = None
) -> Iterator[xr.Dataset]:
    """Result of a store by an intensity measure and a displacement limit."""
    from mcrock.dataset import load_dataset
    from mcrock.statistics import by_measure, with_displacement_limit

    with load_dataset(store, allow_incomplete=incomplete) as opened:
        ds = opened if measure is None else by_measure(opened, measure)
        yield ds if limit is None else with_displacement_limit(ds, limit)


def show(found: Composition, results: FigureOptions, ds: xr.Dataset | None = None, *more: Path) -> None:
    """Write files and figures of a subject, and print it as JSON, or as text with their names.

    ``ds`` is the study that it is of, ``more`` are further files that are there.
    """
    from mcrock.show.text import as_text, missing_chunks

    paths = write(found, results, ds)
    if isinstance(results, ResultOptions) and results.as_json:
        print_json(found.tables)
        return
    missing = [] if ds is None else missing_chunks(ds)
    print(*missing, *as_text(found.blocks), *more, *paths, sep="\n")


def write(found: Composition, results: FigureOptions, ds: xr.Dataset | None = None) -> list[str]:
    """Write files and figures of a subject, signed with title and seed of its study, if there is a folder."""
    if results.output is None:
        return []
    from mcrock.show.style import add_source, save_figure

    results.output.mkdir(parents=True, exist_ok=True)
    paths = [results.output / name for name in found.files]
    for path, make in zip(paths, found.files.values(), strict=True):
        content = make()
        write_text(path, content) if isinstance(content, str) else write_netcdf(path, content)
    said = [str(path) for path in paths]
    for name, draw in found.drawings.items():
        ax = draw()
        if not isinstance(ax, str):
            add_source(ax, {} if ds is None else ds.attrs)
            ax = str(save_figure(ax, results.output / f"{name}.{results.format}"))
        said.append(ax)
    return said


def write_text(path: Path, text: str) -> None:
    """Write a file, whole or not at all."""
    from mcrock.dataset import replacing

    with replacing(path) as scratch:
        scratch.write_text(text, encoding="utf-8", newline="\n")  # also of a batch script on Windows


def write_netcdf(path: Path, ds: xr.Dataset) -> None:
    """Write a dataset to a NetCDF file, whole or not at all."""
    from mcrock.dataset import replacing

    with replacing(path) as scratch:
        ds.to_netcdf(str(scratch))


def print_json(tables: xr.Dataset | Mapping[str, Any]) -> None:
    """Print a dataset, or datasets and what JSON can hold by name."""
    from mcrock.show.text import dataset_as_json

    def plain(item: Any) -> Any:
        return dataset_as_json(item) if hasattr(item, "dims") else item

    shown = plain(tables) if hasattr(tables, "dims") else {key: plain(item) for key, item in tables.items()}
    print(json.dumps(shown, allow_nan=False))
