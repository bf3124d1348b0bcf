"""Ground motion that shakes each of a slice of realizations, and from which side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcrock.base.tables.distributions import Distribution
from mcrock.excitation.motion import Motion
from mcrock.study import Study
from mcrock.study.sampling.drawn import Drawn, Draws, variable_name
from mcrock.study.sampling.own_motions import check_draws, own_motions
from mcrock.study.sampling.points import Points

Array = NDArray[np.float64]


class Shaking(NamedTuple):
    """The motions of a slice of realizations before they are scaled."""

    ground: Sequence[Motion] | None  # motions whose intensities count; None where they are not made
    of: NDArray[np.int32]  # (n,) index of that of each realization
    drawn: Drawn


def draw_shaking(
    study: Study,
    motions: Sequence[Motion],
    draws: Draws,
    points: Points,
    with_motions: bool,
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
    found: Array = np.abs(scale) * largest[shaking.of][:, None]
    return found
