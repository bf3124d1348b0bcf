"""Points of realizations: all that their inputs are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcrock.study import Study
from mcrock.study.sampling.design import assign_records, unit_numbers
from mcrock.study.sampling.pick_freeze import AT_IMPACTS, HULL, NOISE, draws_of

Array = NDArray[np.float64]

PURPOSE = 1  # of the random stream of a motion, in the key of its seed


class Points(NamedTuple):
    """Some realizations, by what they draw."""

    start: int  # number of the first one, for messages and the repetition at half the step
    u: dict[str, Array]  # (n,) coordinates of `mcrock.study.sampling.design.unit_numbers`
    record: NDArray[np.int32]  # (n,) index of the motion
    at_impacts: NDArray[np.int64]  # (n,) number by which each draws at every impact
    hull: NDArray[np.int64]  # (n,) number of the draw of the error of the shape of each
    noise: Callable[[int], np.random.Generator]  # by row: where the noise of its motion comes from


def points_of_design(study: Study, n_motions: int, start: int, stop: int, outer: int = 0) -> Points:
    """The realizations ``start`` to ``stop - 1`` of a study, with an outer draw."""
    u = unit_numbers(study, n_motions, start, stop, outer)
    number = draws_of(study, NOISE, start, stop)

    def noise(row: int) -> np.random.Generator:
        key = np.random.SeedSequence(study.seed, spawn_key=(PURPOSE, int(number[row])))
        return np.random.default_rng(key)

    return Points(
        start,
        u,
        assign_records(study, n_motions, start, stop, u),
        draws_of(study, AT_IMPACTS, start, stop),
        np.full(stop - start, outer) if study.body.is_one_draw else draws_of(study, HULL, start, stop),
        noise,
    )
