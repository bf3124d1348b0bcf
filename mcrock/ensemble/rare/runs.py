"""Runs of a study at any place in the space of what it draws, and how near each came to overturning."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from mcrock.base.params import MotionPack, Outcome
from mcrock.base.tables.errors import RealizationError
from mcrock.ensemble.rare.walkers import Array, Integers, Space, Walkers
from mcrock.excitation import Motion, pack_motions
from mcrock.simulation.runs import simulate_part
from mcrock.study import Study
from mcrock.study.design import Points
from mcrock.study.sampling import inputs_at

SLICE = 64  # realizations computed together
LEAST, MOST = np.finfo(float).tiny, 1.0 - 2.0**-53  # ends of the open interval (0, 1)
PURPOSE = 2  # of the random stream of noise, in the key of its seed; 1 is that of realizations


@dataclass(frozen=True)
class ScoredRuns:
    """Scores of the runs of a study at one intensity."""

    study: Study
    motions: Sequence[Motion]
    pack: MotionPack
    workers: int

    @property
    def space(self) -> Space:
        """Inputs that realizations draw, but for the record."""
        names = [name for name in self.study.uncertain if name != "motion.record"]
        return Space(self.study.seed, tuple(names), self.study.motion.draws_noise)

    def score(self, walkers: Walkers, record: Integers) -> Array:
        """Closeness of each realization to overturning (n,), infinite where it overturned.

        The peak tilt ratio of a body that rocked, the uplift margin of one that did not, in
        -1 to 0; that of a realization that no body or motion can have is -infinity.
        """
        slices = [np.arange(i, min(i + SLICE, len(record))) for i in range(0, len(record), SLICE)]
        with ThreadPoolExecutor(self.workers) as pool:
            found = list(pool.map(lambda rows: self._score(walkers.take(rows), record[rows]), slices))
        return np.concatenate(found)

    def _score(self, walkers: Walkers, record: Integers) -> Array:
        try:
            return self._of_slice(walkers, record)
        except RealizationError:
            if len(record) == 1:
                return np.array([-np.inf])
            half = np.arange(len(record)) < len(record) // 2
            parts = [np.flatnonzero(half), np.flatnonzero(~half)]
            return np.concatenate([self._score(walkers.take(rows), record[rows]) for rows in parts])

    def _of_slice(self, walkers: Walkers, record: Integers) -> Array:
        names, study = self.space.names, self.study
        u = dict(zip(names, np.clip(ndtr(walkers.normal), LEAST, MOST).T.copy(), strict=True))

        def noise(row: int) -> np.random.Generator:
            return cast(np.random.Generator, _Mixture(study.seed, walkers.noise[row], walkers.share[row]))

        hull = np.zeros(len(record), np.int64)  # errors of shapes are refused
        points = Points(0, u, record.astype(np.int32), walkers.at_impacts, hull, noise)
        inputs = inputs_at(study, self.motions, points)
        pack = pack_motions(inputs.motions) if inputs.motions else self.pack
        runs = simulate_part(inputs, pack, replace(study.controls, recheck=0.0))
        return scores(*(runs[name][:, 0] for name in ("outcome", "peak_tilt_ratio", "uplift_margin")))


def scores(outcome: NDArray[np.int8], tilt: Array, margin: Array) -> Array:
    """Scores of runs from their outcomes, peak tilt ratios and uplift margins.

    A run without a decided outcome has the score of what it did until it ended.

    >>> scores(np.array([3, 1, 1], np.int8), np.array([2.0, 0.4, 0.0]), np.array([0.0, 0.0, -0.3])).tolist()
    [inf, 0.4, -0.3]
    """
    reached = np.where(tilt > 0, tilt, margin).astype(float)
    return np.where(outcome == Outcome.OVERTURNED, np.inf, np.nan_to_num(reached, nan=-np.inf))


class _Mixture:
    """Standard normal numbers that are sums of those of several streams, with coefficients."""

    def __init__(self, seed: int, numbers: Integers, share: Array) -> None:
        used = np.flatnonzero(share)
        self.share = share[used]
        keys = [np.random.SeedSequence(seed, spawn_key=(PURPOSE, int(n))) for n in numbers[used]]
        self.streams = [np.random.default_rng(key) for key in keys]

    def standard_normal(self, size: int) -> Array:
        terms = (c * stream.standard_normal(size) for c, stream in zip(self.share, self.streams, strict=True))
        return np.sum(list(terms), axis=0)
