"""Ground motions that belong to one realization: pulses, synthetic motions, records on an uncertain floor.

They are made where they are needed and not kept. The random numbers of a motion come from a stream of its
realization, so that parts, workers and their order change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from math import pi
from pathlib import Path
from typing import Any

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
from mcrock.excitation.floor import Mode, chain_modes, floor_motion, oscillator_modes
from mcrock.excitation.motion import Motion, MotionError
from mcrock.excitation.processing import vertical
from mcrock.excitation.pulses import make_pulse, sample_pulse
from mcrock.excitation.readers import read_records
from mcrock.excitation.rezaeian_2010 import StochasticModel, simulate_motion
from mcrock.excitation.rezaeian_2010_fit import fit_pair
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
    keys = [key for key in table.quantities if f"motion.{key}" in draws]
    ground, under = [], []
    for i in range(len(record)):
        numbers = {key: draws[f"motion.{key}"][i] for key in keys}
        try:
            motion = motions[record[i]] if make is None else make(study, numbers, start + i)
            if not table.vertical:
                motion = without_vertical(motion)
            ground.append(motion)
            under.append(
                motion if table.floor is None else floor_motion(motion, _modes(table.floor, numbers))
            )
        except MotionError as error:
            drawn = ", ".join(f"{key} = {value:.6g}" for key, value in numbers.items() if np.ndim(value) == 0)
            raise ConfigError(
                f"{study.source} [motion]: realization {start + i}: {error} (drawn: {drawn})"
            ) from None
    return ground, under


def _modes(floor: Floor, numbers: Draws) -> list[Mode]:
    """Modes of the building in both horizontal directions."""
    damping = float(numbers["floor.damping"])
    if floor.masses is None:
        return oscillator_modes(
            float(numbers["floor.frequency"]), damping, "xy", float(numbers["floor.factor"])
        )
    chain = floor.masses, floor.stiffnesses, damping, floor.number
    return [mode for axis in "xy" for mode in chain_modes(*chain, axis)]


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
    names = ("arias", "duration", "frequency", "frequency_slope", "damping")
    own = {name: float(numbers[name]) for name in names}
    ratio = numbers.get("middle_ratio")
    own["middle"] = float(numbers["middle"]) if ratio is None else float(ratio) * own["duration"]
    model = StochasticModel(**own, corner=table.corner)
    models: list[StochasticModel | None] = [model]
    for key in ("arias_ratio_y", "arias_ratio_z"):
        share = float(numbers[key])
        models.append(replace(model, arias=share * model.arias) if share > NEGLIGIBLE else None)
    return simulate_motion(models, _random(study, realization), table.dt, name=f"synthetic {realization}")


def _fitted(study: Study, numbers: Draws, realization: int) -> Motion:
    table = study.motion
    assert isinstance(table, FittedMotion)
    where = table.set if table.path is None else str(study.folder / table.path)
    strong, weak, azimuth, dt = _fit(str(where), table.record, table.unit)
    pair = [strong, weak]
    rng = _random(study, realization)
    return simulate_motion(pair, rng, dt, azimuth=azimuth, name=f"synthetic {realization}")


@lru_cache(maxsize=8)
def _fit(
    where: str, record: int | None, unit: str | None
) -> tuple[StochasticModel, StochasticModel, float, float]:
    """Models of the principal components of a record, its azimuth and time step."""
    if record is not None:
        motion = fema_p695(where, [record])[0]
    else:
        found = read_records(Path(where), unit=unit)
        if len(found) != 1:
            raise MotionError(f"{where}: expected one record to fit, got {len(found)}")
        motion = found[0]
    return *fit_pair(motion), motion.dt


def _spectrum(study: Study, numbers: Draws, realization: int) -> Motion:
    table = study.motion
    assert isinstance(table, SpectrumMotion)
    if table.table is not None:
        target = _table(str(study.folder / table.table), str(table.unit), table.damping)
        targets = [target] * table.components
    else:
        ground = GROUNDS[int(numbers["ground"])]
        targets = [
            en_1998_1(1.0, ground, table.spectrum_type, table.damping, vertical=axis == 2)
            for axis in range(table.components)
        ]
    envelope = Envelope(table.rise, table.level, table.decay)
    name = f"spectrum-compatible {realization}"
    return compatible_motion(targets, _random(study, realization), table.dt, envelope, name=name)


@lru_cache(maxsize=8)
def _table(path: str, unit: str, damping: float) -> TargetSpectrum:
    return read_target(path, unit, damping)


MAKERS: dict[type, Callable[[Study, Draws, int], Motion]] = {
    PulseMotion: _pulse,
    SyntheticMotion: _synthetic,
    FittedMotion: _fitted,
    SpectrumMotion: _spectrum,
}
