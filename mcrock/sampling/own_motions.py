"""Ground motions that belong to one realization: pulses, synthetic motions, records on an uncertain floor.

They are made where they are needed and not kept. The random numbers of a motion come from a stream of its
realization, so that parts, workers and their order change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from math import pi
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcrock.config import ConfigError, Study
from mcrock.config.motions import (
    GROUNDS,
    SHAPES,
    FittedMotion,
    Floor,
    PulseMotion,
    SpectrumMotion,
    SyntheticMotion,
)
from mcrock.excitation.fema_p695 import fema_p695
from mcrock.excitation.floor import Mode, chain_modes, floor_motion, floor_tail, oscillator_modes
from mcrock.excitation.motion import Motion, MotionError
from mcrock.excitation.processing import process, vertical
from mcrock.excitation.pulses import make_pulse, sample_pulse
from mcrock.excitation.readers import read_records
from mcrock.excitation.rezaeian_2010 import StochasticModel, check_step, simulate_motion
from mcrock.excitation.rezaeian_2010_fit import fit_model, fit_pair
from mcrock.excitation.spectrum_compatible import Envelope, compatible_motion
from mcrock.excitation.target_spectrum import TargetSpectrum, en_1998_1, read_target

PURPOSE = 1  # of the random stream of a motion, in the key of its seed
NEGLIGIBLE = 1e-6  # Arias intensity of a component over that of the first, below which it is left out [1]

Draws = Mapping[str, Any]


def own_motions(
    study: Study,
    motions: Sequence[Motion],
    record: NDArray[np.int32],
    draws: Mapping[str, NDArray[Any]],
    start: int,
) -> tuple[list[Motion], list[Motion]]:
    """The motions of consecutive realizations.

    Parameters
    ----------
    study : Study
        Its motions are generated, or its floor is uncertain.
    motions, record
        Recorded motions, and the index of that of each realization (n,); not used if they are generated.
    draws : mapping
        Drawn values by dotted name, each (n,).
    start : int
        Number of the first realization.

    Returns
    -------
    tuple of list of Motion
        Those on the ground, whose intensities count, and those under the body: on the floor, or the same.

    Raises
    ------
    ConfigError
        If drawn numbers make no motion: names the realization.
    """
    table = study.motion
    make = MAKERS.get(type(table))
    try:
        read_sources(study)
    except MotionError as error:
        raise ConfigError(f"{study.source} [motion]: {error}") from None
    ground, under = [], []
    for i, numbers in enumerate(_rows(study, draws, len(record))):
        try:
            motion = motions[record[i]] if make is None else make(study, numbers, start + i)
            if not table.vertical:
                motion = without_vertical(motion)
            ground.append(motion)
            under.append(
                motion if table.floor is None else floor_motion(motion, _modes(table.floor, numbers))
            )
        except MotionError as error:
            raise _impossible(study, numbers, start + i, error) from None
    return ground, under


def check_draws(study: Study, draws: Mapping[str, NDArray[Any]], start: int) -> None:
    """Refuse numbers of consecutive realizations from which no motion can be made, without making any.

    Raises
    ------
    ConfigError
        As `own_motions`.
    """
    table = study.motion
    names = [name for name in study.uncertain if name.startswith("motion.")]
    n = max((len(draws[name]) for name in names), default=1)
    for i, numbers in enumerate(_rows(study, draws, n)):
        try:
            if isinstance(table, SyntheticMotion):
                check_step(_models(table, numbers), table.dt)
            elif isinstance(table, FittedMotion):
                fit = read_sources(study)
                assert isinstance(fit, Fit)
                check_step(_scaled(fit, numbers), fit.motion.dt)
            if table.floor is not None and (table.floor.masses is None or i == 0):
                floor_tail(_modes(table.floor, numbers))
        except MotionError as error:
            raise _impossible(study, numbers, start + i, error) from None


def _rows(study: Study, draws: Mapping[str, NDArray[Any]], n: int) -> Iterator[Draws]:
    """Numbers of each realization by key."""
    columns = {key: draws[f"motion.{key}"] for key in study.motion.quantities if f"motion.{key}" in draws}
    for i in range(n):
        yield {key: column[i] for key, column in columns.items()}


def _impossible(study: Study, numbers: Draws, realization: int, error: MotionError) -> ConfigError:
    """Message of a realization without a motion."""
    uncertain = {name.removeprefix("motion.") for name in study.uncertain}
    words = {"shape": SHAPES, "ground": GROUNDS}
    drawn = [
        f"{key} = {words[key][int(value)] if key in words else f'{value:.6g}'}"
        for key, value in numbers.items()
        if key in uncertain and key not in ("scaling", "azimuth", "polarity")
    ]
    advice = f" (drawn: {', '.join(drawn)}); truncate the distributions" if drawn else ""
    return ConfigError(f"{study.source} [motion]: realization {realization}: {error}{advice}")


def _modes(floor: Floor, numbers: Draws) -> list[Mode]:
    """Modes of the building in both horizontal directions."""
    damping = float(numbers["floor.damping"])
    if floor.masses is None:
        return oscillator_modes(
            float(numbers["floor.frequency"]), damping, "xy", float(numbers["floor.factor"])
        )
    return [mode for axis in "xy" for mode in chain_modes(*floor.chain(damping), axis)]


def without_vertical(motion: Motion) -> Motion:
    """The horizontal components alone."""
    return vertical(motion, on=False) if motion.acceleration[2].any() else motion


def _random(study: Study, realization: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(study.seed, spawn_key=(PURPOSE, realization)))


def _pulse(study: Study, numbers: Draws, realization: int) -> Motion:
    table = study.motion
    assert isinstance(table, PulseMotion)
    shape = SHAPES[int(numbers["shape"])]
    keys = ("period", "cycles", "phase")
    along = {key: float(numbers[key]) for key in keys}
    tables = {"y": (table.y, pi / 2, 0.0), "z": (table.z, 0.0, pi / 2)}
    delays = [float(numbers[f"{axis}.delay"]) for axis, (own, *_) in tables.items() if own is not None]
    begin = max(0.0, *(-delay for delay in delays)) if delays else 0.0
    pulses = [make_pulse(shape, peak=1.0, start=begin, **along)]
    ratios = {"y": float(numbers["ratio_y"]), "z": float(numbers["ratio_z"])}
    for axis, (own, azimuth, inclination) in tables.items():
        parameters, peak, start, of_axis = along, ratios[axis], begin, shape
        if own is not None:
            parameters = {key: float(numbers.get(f"{axis}.{key}", along[key])) for key in keys}
            peak, start = float(numbers[f"{axis}.ratio"]), begin + float(numbers[f"{axis}.delay"])
            of_axis = own.shape or shape
        if peak != 0:
            pulses.append(
                make_pulse(
                    of_axis, peak=peak, start=start, azimuth=azimuth, inclination=inclination, **parameters
                )
            )
    return sample_pulse(pulses, name=f"{shape} pulse")


def _synthetic(study: Study, numbers: Draws, realization: int) -> Motion:
    table = study.motion
    assert isinstance(table, SyntheticMotion)
    name = f"synthetic {realization}"
    return simulate_motion(_models(table, numbers), _random(study, realization), table.dt, name=name)


def _models(table: SyntheticMotion, numbers: Draws) -> list[StochasticModel | None]:
    """Models of the components."""
    names = ("arias", "duration", "frequency", "frequency_slope", "damping")
    own = {name: float(numbers[name]) for name in names}
    ratio = numbers.get("middle_ratio")
    own["middle"] = float(numbers["middle"]) if ratio is None else float(ratio) * own["duration"]
    model = StochasticModel(**own, corner=table.corner)
    models: list[StochasticModel | None] = [model]
    for key in ("arias_ratio_y", "arias_ratio_z"):
        share = float(numbers[key])
        models.append(replace(model, arias=share * model.arias) if share > NEGLIGIBLE else None)
    return models


def _fitted(study: Study, numbers: Draws, realization: int) -> Motion:
    fit = read_sources(study)
    assert isinstance(fit, Fit)
    rng, name = _random(study, realization), f"synthetic {realization}"
    return simulate_motion(_scaled(fit, numbers), rng, fit.motion.dt, azimuth=fit.azimuth, name=name)


def _scaled(fit: Fit, numbers: Draws) -> list[StochasticModel | None]:
    """Models of a record with the factors of a realization."""
    arias, duration, frequency, damping = (
        float(numbers[f"{key}_factor"]) for key in ("arias", "duration", "frequency", "damping")
    )
    return [
        None
        if model is None
        else replace(
            model,
            arias=arias * model.arias,
            duration=duration * model.duration,
            middle=duration * model.middle,
            frequency=frequency * model.frequency,
            frequency_slope=frequency / duration * model.frequency_slope,
            damping=damping * model.damping,
        )
        for model in fit.models
    ]


def _spectrum(study: Study, numbers: Draws, realization: int) -> Motion:
    table = study.motion
    assert isinstance(table, SpectrumMotion)
    targets = read_sources(study)
    if targets is None:
        ground = GROUNDS[int(numbers["ground"])]
        targets = [
            en_1998_1(1.0, ground, table.spectrum_type, table.damping, vertical=axis == 2)
            for axis in range(table.components)
        ]
    assert isinstance(targets, list)
    return compatible_motion(
        targets,
        _random(study, realization),
        table.dt,
        Envelope(table.rise, table.level, table.decay),
        band_periods=(table.band[0], table.band[1]),
        corner=table.corner,
        name=f"spectrum-compatible {realization}",
    )


def origin(study: Study) -> str:
    """How the motions of a study are made, in words."""
    table = study.motion
    if isinstance(table, FittedMotion):
        fit = read_sources(study)
        assert isinstance(fit, Fit)
        return f"filtered white noise fitted to {fit.motion.name}"
    if isinstance(table, SpectrumMotion):
        grounds = table.ground if isinstance(table.ground, tuple) else (table.ground,)
        target = f"table {table.table}"
        if table.ground is not None:
            target = f"EN 1998-1 type {table.spectrum_type}, ground {' or '.join(map(str, grounds))}"
        return f"compatible with a target spectrum ({target})"
    return {"pulse": "pulses", "synthetic": "filtered white noise"}[table.source]


class Fit(NamedTuple):
    """A record, and the models of its motion along its principal axes and z."""

    motion: Motion
    models: list[StochasticModel | None]
    azimuth: float  # of the first axis [rad]


def read_sources(study: Study) -> Fit | list[TargetSpectrum] | None:
    """What the files of generated motions hold: the record that was fitted, or target spectra; else nothing.

    Read once, and again when a file has changed.

    Raises
    ------
    MotionError
        If a file cannot be used.
    """
    table = study.motion
    if isinstance(table, FittedMotion):
        path = None if table.path is None else study.folder / table.path
        return _fit(table.model_dump_json(by_alias=True, exclude_none=True), str(study.folder), _stamp(path))
    if isinstance(table, SpectrumMotion) and table.table is not None:
        names = [table.table] * min(table.components, 2) + [name for name in [table.table_z] if name]
        paths = [study.folder / name for name in names]
        return [_table(str(path), str(table.unit), table.damping, _stamp(path)) for path in paths]
    return None


def _stamp(path: Path | None) -> tuple[tuple[str, int, int], ...]:
    """What changes with a file, or with those of a folder."""
    if path is None or not path.exists():
        return ()
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    return tuple((str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in files)


@lru_cache(maxsize=8)
def _fit(table_json: str, folder: str, stamp: tuple[tuple[str, int, int], ...]) -> Fit:
    """Models of a record."""
    table = FittedMotion.model_validate_json(table_json)
    if table.path is None:
        (motion,) = fema_p695(str(table.set), [int(table.record or 0)])
    else:
        path = Path(folder) / table.path
        found = read_records(path, unit=table.unit)
        if len(found) != 1:
            raise MotionError(f"{path}: expected one record to fit, got {len(found)}")
        motion = found[0]
    motion = process(motion, table.processing)
    if not table.vertical:
        motion = without_vertical(motion)
    strong, weak, azimuth = fit_pair(motion)
    upright = fit_model(motion, "z") if motion.shaken[2] else None
    return Fit(motion, [strong, weak, upright], azimuth)


@lru_cache(maxsize=8)
def _table(path: str, unit: str, damping: float, stamp: tuple[tuple[str, int, int], ...]) -> TargetSpectrum:
    return read_target(path, unit, damping)


MAKERS: dict[type, Callable[[Study, Draws, int], Motion]] = {
    PulseMotion: _pulse,
    SyntheticMotion: _synthetic,
    FittedMotion: _fitted,
    SpectrumMotion: _spectrum,
}
