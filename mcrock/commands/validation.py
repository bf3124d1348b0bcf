"""Commands that hold a study against what was observed: `validate` and `calibrate`."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mcrock.commands import options
from mcrock.commands.options import ResultOptions, show, unpacked

if TYPE_CHECKING:
    import numpy as np
    import xarray as xr
    from numpy.typing import NDArray

    from mcrock.excitation.readers.collections import ShakeTableTests
    from mcrock.statistics.validation import Elsewhere
    from mcrock.study import Study

PARTS = ("all", "tuning", "aside")


@dataclass(frozen=True, kw_only=True)
class TestedOptions:
    """Tests, and which of them are scored."""

    motions: Annotated[
        Path,
        typer.Argument(
            metavar="MOTIONS.nc|STORE|STUDY.toml",
            help="Tests of a shake table, or with --measured runs of them or their study.",
            show_default=False,
        ),
    ]
    measured: Annotated[
        Path | None,
        typer.Option(metavar="TESTS.csv", help="Measured maxima, to compare their distributions with runs."),
    ] = None
    labels: Annotated[str | None, typer.Option(metavar="NAME", help="Variable: 1 if overturned.")] = None
    rules: Annotated[
        Path | None, typer.Option(metavar="OTHER.nc", help="Tests that rules of thumb are also fitted to.")
    ] = None
    part: Annotated[
        str, typer.Option(help="Tests to score: all, tuning (alone), or aside, the quarter never tuned on.")
    ] = "all"

    def __post_init__(self) -> None:
        if self.part not in PARTS:
            raise ValueError(f"--part must be one of {', '.join(PARTS)}, got {self.part!r}")
        if (self.measured is None) == (self.labels is None):
            raise ValueError(
                "give --labels with --geometry for tests of a shake table, or --measured for a store"
            )


@dataclass(frozen=True, kw_only=True)
class ScannedOptions:
    """The body, and the draws of its unknown properties."""

    geometry: Annotated[Path | None, typer.Option(metavar="FILE.json", help="Scan, for --labels.")] = None
    azimuth_deg: Annotated[
        float | None,
        typer.Option(metavar="A", help="Direction of shaking in degrees; default: the weakest of the body."),
    ] = None
    draws: Annotated[
        int | None, typer.Option(metavar="N", help="Draws of the unknown properties; default: as shipped.")
    ] = None
    inset: Annotated[
        float | None,
        typer.Option(metavar="M", help="Border of the scan that does not carry [m]; 0 for machined edges."),
    ] = None
    seed: Annotated[int, typer.Option(help="Seed of the draws.")] = 1


@dataclass(frozen=True, kw_only=True)
class CalibrationOptions:
    """Whether and how labels weigh the draws: arguments of `mcrock.validation.validate`."""

    calibrate: Annotated[
        bool, typer.Option("--calibrate", help="Also weigh the draws by the labels of all other recordings.")
    ] = False
    error_rate: Annotated[float, typer.Option(help="Error rate of labels, for --calibrate.")] = 0.05
    temper: options.Temper = None


@dataclass(frozen=True, kw_only=True)
class ValidationOutput(ResultOptions):
    """Folder of all results."""

    output: options.OutputFolder = Path("validation")


@unpacked
def validate(
    *,
    asked: TestedOptions,
    scanned: ScannedOptions,
    weights: CalibrationOptions,
    level: options.Level = 0.9,
    workers: options.Workers = None,
    results: ValidationOutput,
    trust_code: options.TrustCode = False,
) -> None:
    """Compare predictions with tests: labels, or distributions of maxima.

    With --labels every draw of the unknown properties of body and table meets
    every test; with --measured the runs are those of a store or a study. The
    folder keeps the runs for a second call: `mcrock docs outcomes`.
    """
    if asked.measured is not None:
        if scanned.geometry or asked.rules or asked.part != "all" or weights.calibrate:
            raise ValueError(
                "--geometry, --rules, --part and --calibrate go with --labels, not with --measured"
            )
        _compare_measured(asked, level, workers, results, trust_code)
        return
    import numpy as np

    from mcrock.excitation.readers.collections import read_shake_table
    from mcrock.show.validation import compose_validation
    from mcrock.statistics import validation

    tests = read_shake_table(asked.motions)
    if scanned.geometry is None or asked.labels is None:
        raise ValueError("--labels needs --geometry FILE.json, the body as scanned")
    fallen = _labels(asked.motions, tests, asked.labels)
    aside = validation.is_set_aside(tests.recording)
    used = np.flatnonzero(~aside) if asked.part == "tuning" else np.arange(len(fallen))
    scored = aside[used] if asked.part == "aside" else np.ones(len(used), bool)
    group = np.where(scored, "aside", tests.recording[used]) if asked.part == "aside" else None
    study, words = _study(asked.motions, len(fallen), scanned.geometry, scanned)
    results.output.mkdir(parents=True, exist_ok=True)
    store = results.output / "runs.zarr"
    ds = _runs(study, store, workers)
    found = validation.validate(
        validation.probabilities(ds)[:, used],
        fallen[used],
        tests.recording[used],
        {name: array[used] for name, array in _measures(tests).items() if (array > 0.0).all()},
        elsewhere=None if asked.rules is None else _elsewhere(asked.rules, asked.labels),
        group=group,
        scored=scored,
        level=level,
        **asdict(weights),
    )
    numbers = {"units": "1", "long_name": "number of the test in its file, from 0", "digits": "curve"}
    found["number"] = ("test", used[scored], numbers)
    show(compose_validation(found, asked.part, words), results, None, store)


def _compare_measured(
    asked: TestedOptions, level: float, workers: int | None, results: ValidationOutput, trust_code: bool
) -> None:
    """Print, draw and put on a page how the runs of a store or a study predict measured maxima."""
    from mcrock.dataset import load_dataset
    from mcrock.show.validation import compose_tests
    from mcrock.statistics.distributions import compare_tests, read_tests
    from mcrock.study import load_config

    store, table = asked.motions, asked.measured
    assert table is not None
    if store.suffix == ".toml":
        study, tests = load_config(store, trust_code=trust_code), read_tests(table)
        results.output.mkdir(parents=True, exist_ok=True)
        ds = _runs(study, results.output / "runs.zarr", workers)
    else:
        ds = load_dataset(store)
        tests = read_tests(table, ds)
    found = compare_tests(ds, tests, level=level)
    show(compose_tests(found), results)


def _study(motions: Path, tests: int, geometry: Path, scanned: ScannedOptions) -> tuple[Study, str]:
    """Study of all tests of a file with a scanned body, and what it is in words."""
    from mcrock.statistics import validation

    body, setting = validation.read_geometry(geometry), validation.DEFAULT
    own: dict[str, Any] = {"draws": scanned.draws, "inset": scanned.inset}
    setting = replace(setting, **{name: value for name, value in own.items() if value is not None})
    how: dict[str, Any] = {"azimuth_deg": scanned.azimuth_deg, "seed": scanned.seed}
    study = validation.validation_study(motions, range(tests), body, setting, **how)
    support = f"a support {1e3 * setting.inset:g} mm inside the border of the scan"
    return study, f"{body.name}: {setting.draws} draws of body and table, {support}"


def _runs(study: Study, store: Path, workers: int | None) -> xr.Dataset:
    """Runs of a study, of which a store may have some."""
    from mcrock.ensemble import EnsembleError, run_study
    from mcrock.show.progress import study_progress

    try:
        with study_progress() as progress:
            return run_study(study, store, workers=workers, extend=store.exists(), progress=progress)
    except EnsembleError as error:
        raise ValueError(str(error)) from None


def _measures(tests: ShakeTableTests) -> dict[str, NDArray[np.float64]]:
    """Intensity measures of tests, those that every rule knows by the names of the rules."""
    others = {name: array for name, array in tests.measures.items() if name not in ("pga", "pgv")}
    return {"PGV": tests.pgv, "PGA": tests.pga} | others


def _labels(path: Path, tests: ShakeTableTests, name: str) -> NDArray[np.int8]:
    if name not in tests.labels:
        there = ", ".join(tests.labels) or "none"
        raise ValueError(f"{path}: no variable {name!r} of 0 and 1 for each test; such are: {there}")
    return tests.labels[name]


def _elsewhere(path: Path, labels: str) -> Elsewhere:
    from mcrock.excitation.readers.collections import read_shake_table
    from mcrock.statistics.validation import Elsewhere

    tests = read_shake_table(path)
    measures = tests.measures | {"PGV": tests.pgv, "PGA": tests.pga}
    return Elsewhere(measures, _labels(path, tests, labels).astype(float))


@dataclass(frozen=True, kw_only=True)
class WeightOptions:
    """How labels weigh the draws."""

    error_rate: options.ErrorRate = 0.05
    temper: options.Temper = None
    effective: Annotated[float, typer.Option(metavar="N", help="Effective draws that weights leave.")] = 10.0


@unpacked
def calibrate(
    *,
    labels: Annotated[
        Path, typer.Argument(metavar="LABELS.csv", help="What fell and what stood.", show_default=False)
    ],
    stores: Annotated[
        list[Path],
        typer.Argument(metavar="STORE", help="Nested studies of the same draws.", show_default=False),
    ],
    weights: WeightOptions,
    level: options.Level = 0.9,
    results: ResultOptions,
) -> None:
    """Weigh the unknown inputs of studies by what fell and what stood.

    Prints what the labels say of the inputs and of the probabilities of all
    studies, those without labels included: `mcrock docs outcomes`.
    """
    from mcrock.dataset import load_dataset
    from mcrock.show.validation import compose_labels
    from mcrock.statistics.labels import calibrate, read_labels

    seen = read_labels(labels)
    studies = [load_dataset(store) for store in stores]
    found = calibrate(
        studies,
        seen,
        error_rate=weights.error_rate,
        temper=weights.temper,
        least_effective=weights.effective,
        level=level,
    )
    show(compose_labels(found, [store.name for store in stores]), results)
