"""Ground motion that shakes each of a slice of realizations, and from which side.

Motions that belong to one realization, generated ones and records on an uncertain floor, are made where they
are needed and not kept. The random numbers of a motion come from a stream of its realization, so that parts,
workers and their order change nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcrock.base.tables.distributions import Distribution
from mcrock.base.tables.errors import RealizationError
from mcrock.excitation.motion import Motion, MotionError
from mcrock.study import ConfigError, Study
from mcrock.study.sampling.design import Points
from mcrock.study.sampling.drawn import Drawn, Draws, variable_name

Array = NDArray[np.float64]


class Shaking(NamedTuple):
    """The motions of a slice of realizations before they are scaled."""

    ground: Sequence[Motion] | None  # motions whose intensities count; None where they are not made
    of: NDArray[np.int32]  # (n,) index of that of each realization
    drawn: Drawn


def draw_shaking(
    study: Study, motions: Sequence[Motion], draws: Draws, points: Points, with_motions: bool
) -> Shaking:
    """Motions of realizations, as `mcrock.study.sampling.draw_inputs` makes them.

    Raises
    ------
    ConfigError
        If drawn numbers make no motion: names the realization.
    """
    record = points.record
    ground: Sequence[Motion] | None = motions
    of, under = record, list[Motion]()
    if study.motion.has_own_motions and with_motions:
        ground, under = own_motions(study, motions, draws, points)
        of = np.arange(len(record), dtype=np.int32)
    elif study.motion.has_own_motions:
        check_draws(study, draws, points.start)
        ground = None if study.motion.is_generated else motions  # a floor has the intensities of its ground
    azimuth = draws["motion.azimuth"] * study.motion.rotation[1]
    values: dict[str, NDArray[Any]] = {}
    if study.motion.shakes:
        values |= {
            variable_name(f"motion.{key}"): draws[f"motion.{key}"]
            for key, item in study.motion.quantities.items()
            if isinstance(item, Distribution | tuple)
        }
        values |= {"azimuth": azimuth, "polarity": draws["motion.polarity"]}
        if not study.motion.is_generated:
            values["record"] = record
    arrays = {"record": of, "azimuth": azimuth, "motions": tuple(under)}
    return Shaking(ground, of, Drawn(arrays, values))


def peak_accelerations(study: Study, shaking: Shaking, scale: Array) -> Array:
    """Largest horizontal acceleration under the body in each run (n, n_intensity) [m/s2].

    ``scale`` has the factors on the motions; NaN where the motions are not made.
    """
    under = shaking.drawn.arrays["motions"] if study.motion.has_own_motions else shaking.ground
    if not under:
        return np.full(scale.shape, np.nan)
    largest = np.array([np.hypot(*motion.acceleration[:2]).max() for motion in under])
    return np.abs(scale) * largest[shaking.of][:, None]


def own_motions(
    study: Study, motions: Sequence[Motion], draws: Draws, points: Points
) -> tuple[list[Motion], list[Motion]]:
    """The motions of some realizations.

    Parameters
    ----------
    study : Study
        Its motions are generated, or its floor is uncertain.
    motions : sequence of Motion
        Recorded motions; not used if they are generated.
    draws : mapping
        Drawn values by dotted name, each (n,).
    points : Points
        Which recorded motion each has, or where its noise comes from.

    Returns
    -------
    tuple of list of Motion
        Those on the ground, whose intensities count, and those under the body: on the floor, or the same.

    Raises
    ------
    ConfigError
        If drawn numbers make no motion: names the realization.
    """
    source = study.motion
    _read(study)
    ground, under = [], []
    for i, numbers in enumerate(_rows(study, draws, len(points.record))):
        try:
            motion = motions[points.record[i]]
            if source.is_generated:
                motion = source.make(numbers, points.noise(i), points.start + i, study.folder)
            ground.append(source.select(motion))
            under.append(source.under_body(ground[-1], numbers))
        except MotionError as error:
            _read(study)  # or a file has gone
            raise _impossible(study, numbers, points.start + i, error) from None
    return ground, under


def check_draws(study: Study, draws: Draws, start: int) -> None:
    """Refuse numbers of consecutive realizations from which no motion can be made, without making any.

    Raises
    ------
    ConfigError
        As `own_motions`.
    """
    _read(study)
    names = [name for name in study.uncertain if name.startswith("motion.")]
    n = max((len(draws[name]) for name in names), default=1)
    for i, numbers in enumerate(_rows(study, draws, n)):
        try:
            study.motion.check(numbers, study.folder)
        except MotionError as error:
            raise _impossible(study, numbers, start + i, error) from None


def _read(study: Study) -> None:
    """Read the files of generated motions, whose mistakes belong to no realization."""
    try:
        study.motion.read(study.folder)
    except MotionError as error:
        raise ConfigError(f"{study.source} [motion]: {error}") from None


def _rows(study: Study, draws: Draws, n: int) -> Iterator[dict[str, Any]]:
    """Numbers of each realization by key."""
    columns = {key: draws[f"motion.{key}"] for key in study.motion.quantities}
    for i in range(n):
        yield {key: column[i] for key, column in columns.items()}


def _impossible(
    study: Study, numbers: Mapping[str, Any], realization: int, error: MotionError
) -> RealizationError:
    """Message of a realization without a motion."""
    uncertain = {name.removeprefix("motion.") for name in study.uncertain}
    shown = [key for key in numbers if key in uncertain and key not in ("scaling", "azimuth", "polarity")]
    drawn = ", ".join(f"{key} = {study.motion.word(key, numbers[key])}" for key in shown)
    advice = f" (drawn: {drawn}); truncate the distributions" if drawn else ""
    return RealizationError(f"{study.source} [motion]: realization {realization}: {error}{advice}")
