"""The command `mcrock validate`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mcrock.commands import options
from mcrock.commands.options import check_figure
from mcrock.commands.results import print_json, save_figures, write_netcdf

if TYPE_CHECKING:
    import numpy as np
    import xarray as xr
    from numpy.typing import NDArray

    from mcrock.config import Study
    from mcrock.excitation.readers.shake_table import ShakeTableTests
    from mcrock.labels.validation.validate import Elsewhere

app = typer.Typer()


@app.command()
def validate(
    motions: Annotated[
        Path, typer.Argument(metavar="MOTIONS.nc", help="Tests of a shake table.", show_default=False)
    ],
    geometry: Annotated[Path, typer.Option(metavar="FILE.json", help="Body as scanned.")],
    labels: Annotated[str, typer.Option(metavar="NAME", help="Variable that is 1 where it overturned.")],
    azimuth_deg: Annotated[
        float | None,
        typer.Option(metavar="A", help="Direction of shaking in degrees; default: the weakest of the body."),
    ] = None,
    calibrate: Annotated[
        bool,
        typer.Option("--calibrate", help="Also weigh the draws by the labels of all other recordings."),
    ] = False,
    error_rate: Annotated[float, typer.Option(help="Error rate of labels, for --calibrate.")] = 0.05,
    temper: Annotated[
        float | None, typer.Option(help="Power of the likelihood; default: as large as draws allow.")
    ] = None,
    rules: Annotated[
        Path | None,
        typer.Option(metavar="OTHER.nc", help="Tests that rules of thumb are also fitted to."),
    ] = None,
    part: Annotated[
        str, typer.Option(help="Tests to score: all, tuning (alone), or aside, the quarter never tuned on.")
    ] = "all",
    draws: Annotated[
        int | None, typer.Option(metavar="N", help="Draws of the unknown properties; default: as shipped.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the draws.")] = 1,
    level: options.Level = 0.9,
    workers: options.Workers = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for runs, scores and figure.")
    ] = Path("validation"),
    format: options.FigureFormat = "png",
    as_json: Annotated[bool, typer.Option("--json", help="Print scores and probabilities as JSON.")] = False,
) -> None:
    """Score probabilities against tests on a shake table.

    Every draw of the unknown properties of body and table meets every test. The
    folder keeps the runs for a second call: `mcrock docs validation`.
    """
    check_figure(output, format)
    if part not in PARTS:
        raise ValueError(f"--part must be one of {', '.join(PARTS)}, got {part!r}")
    import numpy as np

    from mcrock.excitation.readers.shake_table import read_shake_table
    from mcrock.labels import validation
    from mcrock.show.validation import format_validation, plot_validation

    tests = read_shake_table(motions)
    fallen = _labels(motions, tests, labels)
    aside = validation.is_set_aside(tests.recording)
    used = np.flatnonzero(~aside) if part == "tuning" else np.arange(len(fallen))
    body = validation.read_geometry(geometry)
    setting = validation.DEFAULT if draws is None else replace(validation.DEFAULT, draws=draws)
    every = list(range(len(fallen)))
    study = validation.validation_study(motions, every, body, setting, azimuth_deg=azimuth_deg, seed=seed)
    store = output / "runs.zarr"
    output.mkdir(parents=True, exist_ok=True)
    ds = _runs(study, store, workers)
    measures = {name: array[used] for name, array in _measures(tests).items() if (array > 0.0).all()}
    scored = aside[used] if part == "aside" else np.ones(len(used), bool)
    found = validation.validate(
        validation.probabilities(ds)[:, used],
        fallen[used],
        tests.recording[used],
        measures,
        calibrate=calibrate,
        error_rate=error_rate,
        temper=temper,
        elsewhere=None if rules is None else _elsewhere(rules, labels),
        group=np.where(scored, "aside", tests.recording[used]) if part == "aside" else None,
        scored=scored,
        level=level,
    )
    words = {"units": "1", "long_name": "number of the test in its file, from 0"}
    found["number"] = ("test", used[scored], words)
    write_netcdf(output / "scores.nc", found)
    paths = save_figures({"validation": lambda: plot_validation(found)}, output, format, {})
    if as_json:
        print_json({"part": part, "scores": found})
        return
    print(f"{body.name}: {setting.draws} draws of body and table, {part} tests")
    print(format_validation(found), store, output / "scores.nc", *paths, sep="\n")


PARTS = ("all", "tuning", "aside")


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
    from mcrock.excitation.readers.shake_table import read_shake_table
    from mcrock.labels.validation.validate import Elsewhere

    tests = read_shake_table(path)
    measures = tests.measures | {"PGV": tests.pgv, "PGA": tests.pga}
    return Elsewhere(measures, _labels(path, tests, labels).astype(float))
