"""Designs: where in the unit cube each realization lies, and which motion it meets.

A realization is addressed by its index, with that of the outer draw where a study has several.
Random and Sobol designs can therefore be extended, and
any division into parts gives the same numbers; a Latin hypercube is made whole.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcrock.base.random_numbers import uniforms
from mcrock.study import Study
from mcrock.study.sampling import pick_freeze
from mcrock.study.sampling.sobol import sobol_points
from mcrock.study.sections import OF_INDICES

Array = NDArray[np.float64]


def stream(name: str) -> int:
    """Random stream of a purpose, from its dotted name: the same on every machine."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little")


def unit_numbers(study: Study, n_motions: int, start: int, stop: int, outer: int = 0) -> dict[str, Array]:
    """Coordinates in the unit cube of the realizations ``start`` to ``stop - 1``.

    The outer draws are independent of each other whatever the design: as a sample they say
    which part of a range they have seen, and their variance has no bias. The other coordinates do not depend
    on them.

    Parameters
    ----------
    study : Study
        The design is made of its seed and its uncertain inputs.
    n_motions : int
        Number of motions that the realizations share.
    start, stop : int
        Slice of realizations.
    outer : int
        Number of the outer draw.

    Returns
    -------
    dict of str to ndarray (stop - start,)
        For each name in ``study.uncertain``, in the open interval (0, 1) [1].
    """
    n, seed = stop - start, study.seed
    names = [name for name in study.uncertain if name not in (*study.epistemic, *study.listed)]
    unknown = {
        name: np.repeat(uniforms(seed, stream(f"outer.{name}"), outer, 1), n) for name in study.epistemic
    }
    unknown |= {name: item.places[start:stop] for name, item in study.listed.items()}
    if not names or not n:
        return unknown | {name: np.empty(0) for name in names}
    if study.ensemble.design == "random":
        return unknown | {name: uniforms(seed, stream(name), start, n) for name in names}
    if study.ensemble.design == "sobol":
        points = sobol_points(_generator(seed, "design.sobol"), len(names), start, stop)
    elif study.ensemble.design == "sobol_by_record":
        points = _sobol_by_record(seed, len(names), n_motions, start, stop)
    elif study.ensemble.design == OF_INDICES:
        points = _pick_freeze(study, len(names), start, stop)
    else:
        points = _latin_hypercube(seed, len(names), study.n_realizations)[start:stop]
    return unknown | {
        name: np.ascontiguousarray(column) for name, column in zip(names, points.T, strict=True)
    }


def assign_records(
    study: Study, n_motions: int, start: int, stop: int, u: dict[str, Array]
) -> NDArray[np.int32]:
    """Index of the motion of each realization (stop - start,).

    With ``assignment = "random"`` it is drawn. With "cycle" every block of ``n_motions``
    realizations meets every motion once: realization i has motion i modulo ``n_motions``, except
    in a Sobol design, where each block has an order of its own. The digits of a Sobol point follow
    those of its index: in a fixed order a motion would never meet half of the cube whenever
    ``n_motions`` is even, as with the 22 far-field pairs. A study that lists its records has them.
    """
    if study.motion.listed_records is not None:
        return np.array(study.motion.listed_records[start:stop], np.int32)
    if study.draws_records:
        weights = study.motion.record_weights
        if weights is None:
            return _pick(u["motion.record"], n_motions).astype(np.int32)
        ends = np.cumsum(weights) / np.sum(weights)
        return np.searchsorted(ends[:-1], u["motion.record"], side="right").astype(np.int32)
    if study.ensemble.design != "sobol":
        return (np.arange(start, stop) % n_motions).astype(np.int32)
    first, last = start // n_motions, -(-stop // n_motions)
    keys = uniforms(study.seed, stream("motion.record"), first * n_motions, (last - first) * n_motions)
    order = np.argsort(keys.reshape(-1, n_motions), axis=1).ravel()
    return order[start - first * n_motions : stop - first * n_motions].astype(np.int32)


def _pick(u: Array, n: int) -> NDArray[np.int64]:
    """Equally likely index 0 to n - 1."""
    return np.minimum((u * n).astype(np.int64), n - 1)


def choose(u: Array, options: Sequence[int]) -> NDArray[np.signedinteger[Any]]:
    """Equally likely one of a few codes, in one byte if they fit: numbers of edges may not."""
    codes: NDArray[np.signedinteger[Any]] = np.array(options, np.int64)
    if codes.max() <= np.iinfo(np.int8).max:
        codes = codes.astype(np.int8)
    return codes[_pick(u, len(options))]


def _generator(seed: int, purpose: str, *number: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(stream(purpose), *number)))


def _sobol_by_record(seed: int, dimensions: int, n_motions: int, start: int, stop: int) -> Array:
    """Points (stop - start, dimensions) of which those of each motion are a scrambled Sobol sequence.

    Where a body falls depends on the direction of shaking in another way for every recording: points that
    are even over all realizations, but not within a recording, gain next to nothing.
    """
    points = np.empty((stop - start, dimensions))
    for motion in range(n_motions):
        first, last = (-(-(end - motion) // n_motions) for end in (start, stop))  # blocks of realizations
        if first < last:
            generator = _generator(seed, "design.sobol", motion)
            points[first * n_motions + motion - start :: n_motions] = sobol_points(
                generator, dimensions, first, last
            )
    return points


def _pick_freeze(study: Study, dimensions: int, start: int, stop: int) -> Array:
    """Points (stop - start, dimensions) of the design of Sobol indices."""
    block = pick_freeze.block_length(study)
    first, last = start // block, -(-stop // block)
    pairs = [
        sobol_points(_generator(study.seed, f"design.{OF_INDICES}", scramble), 2 * dimensions, first, last)
        for scramble in range(pick_freeze.SCRAMBLES)
    ]
    width = block // pick_freeze.SCRAMBLES
    row, column = np.divmod(np.arange(start, stop) - first * block, width)
    return pick_freeze.mixed(np.stack(pairs, axis=1).reshape(-1, 2 * dimensions)[row], column)


@lru_cache(maxsize=2)
def _latin_hypercube(seed: int, dimensions: int, n: int) -> Array:
    """The whole hypercube (n, dimensions), read-only."""
    from scipy.stats import qmc

    generator = _generator(seed, "design.latin_hypercube")
    raw = qmc.LatinHypercube(dimensions, rng=generator).random(n)
    points: Array = np.clip(raw, np.finfo(float).tiny, 1.0 - 2.0**-53)
    points.setflags(write=False)
    return points
