"""Designs: where in the unit cube each realization lies, and which motion it meets.

A realization is addressed by its index, with that of the epistemic draw where a study has several. Random and
Sobol designs can therefore be extended, and any division into parts gives the same numbers; a Latin hypercube
is made whole. Scrambled Sobol points are the numbers of `scipy.stats.qmc.Sobol`, by their index: SciPy walks
to a point through all before it, and its import takes a third of a second.

In the design of Sobol indices (Saltelli et al. 2010) realizations differ in one input alone: every point of
two independent matrices A and B of inputs is a realization, and so is, for every input, the point of A with
that input from B. A and B are halves of one scrambled Sobol sequence; as the error of an index is told by its
scatter, there are `SCRAMBLES` of them. Realizations are in the order (point, scramble, column), so that the
first ones stay as they are when more are added. What a run draws inside, the error of the shape of its body,
the noise of its motion and parameters that are drawn anew at every impact, is an input like the others: a
realization with that of A has the draws of the realization of A. Otherwise it would look like an interaction
of all inputs.

Iman, R. L., Conover, W. J. (1982). A distribution-free approach to inducing rank correlation among input
variables. Communications in Statistics: Simulation and Computation 11(3), 311-334.

Joe, S., Kuo, F. Y. (2008). Constructing Sobol sequences with better two-dimensional projections. SIAM Journal
on Scientific Computing 30(5), 2635-2654. Directions, from SciPy's copy of their table.

Matousek, J. (1998). On the L2-discrepancy for anchored boxes. Journal of Complexity 14, 527-556. The
scrambling: a random lower triangular matrix and a random shift.

Saltelli, A., Annoni, P., Azzini, I., Campolongo, F., Ratto, M. and Tarantola, S. (2010). Variance based
sensitivity analysis of model output. Design and estimator for the total sensitivity index. Computer Physics
Communications 181(2), 259-270.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.special import ndtri

from mcrock.base.random_numbers import uniforms
from mcrock.study import Study
from mcrock.study.sections import OF_INDICES
from mcrock.study.study import LEAST, MOST, weighted_sum

BITS = 30  # of a coordinate, SciPy's default; the sequence has 2**BITS points
TABLE = Path(scipy.__file__).with_name("stats") / "_sobol_direction_numbers.npz"

Codes = NDArray[np.uint32]


def sobol_points(
    generator: np.random.Generator, dimensions: int, start: int, stop: int
) -> NDArray[np.float64]:
    """Scrambled points ``start`` to ``stop - 1``, (stop - start, dimensions), in the middle of their bins.

    Parameters
    ----------
    generator : Generator
        The scrambling is drawn from it.
    dimensions : int
    start, stop : int
        At most 2**30.

    Raises
    ------
    ValueError
        If the sequence does not have so many points or dimensions.
    """
    if not TABLE.exists():  # it is not part of SciPy's interface
        return points_by_scipy(generator, dimensions, start, stop)
    if stop > 2**BITS:
        raise ValueError(f"a Sobol design has at most 2**{BITS} = {2**BITS} points, got {stop}")
    generator = generator.spawn(1)[0]  # as SciPy does
    shift = generator.integers(2, size=(dimensions, BITS), dtype=np.uint32) @ _powers()[::-1]
    mixing = np.tril(generator.integers(2, size=(dimensions, BITS, BITS), dtype=np.uint32), -1)
    plain = _directions(dimensions)
    digits = (plain[:, :, None] >> np.arange(BITS - 1, -1, -1, dtype=np.uint32)) & 1
    mixed = (digits @ mixing.transpose(0, 2, 1) + digits) & 1
    directions = np.ascontiguousarray((mixed @ _powers()).T)  # (BITS, dimensions)
    # neighbours in Gray's order differ by one direction: that of the lowest set bit of the later index
    order = start ^ (start >> 1)
    first = shift
    for bit in range(order.bit_length()):
        if order >> bit & 1:
            first = first ^ directions[bit]
    index = np.arange(start + 1, max(stop, start + 1))
    lowest = np.log2(index & -index).astype(int)  # exact for powers of 2
    codes = np.bitwise_xor.accumulate(np.vstack([first, directions[lowest]]), axis=0)[: stop - start]
    return codes * 0.5**BITS + 0.5 ** (BITS + 1)


def _powers() -> Codes:
    """2**(BITS - 1) to 1."""
    return np.uint32(1) << np.arange(BITS - 1, -1, -1, dtype=np.uint32)


@cache
def _directions(dimensions: int) -> Codes:
    """Direction numbers (dimensions, BITS) of the plain sequence, read-only."""
    with np.load(TABLE) as table:
        polynomials, initial = table["poly"][:dimensions], table["vinit"][:dimensions].astype(np.uint32)
    if len(polynomials) < dimensions:
        raise ValueError(f"a Sobol design has at most {len(polynomials)} dimensions, got {dimensions}")
    numbers = np.ones((dimensions, BITS), np.uint32)  # of the first dimension: all 1
    degrees = np.frexp(polynomials.astype(float))[1] - 1
    for degree in range(1, degrees.max() + 1):
        rows = np.flatnonzero(degrees == degree)
        columns = list(initial[rows, :degree].T)
        for j in range(degree, BITS):
            new = columns[j - degree].copy()
            for k in range(degree):
                has = (polynomials[rows] >> (degree - 1 - k)) & 1
                new ^= (has.astype(np.uint32) * columns[j - k - 1]) << np.uint32(k + 1)
            columns.append(new)
        numbers[rows] = np.stack(columns, axis=1)
    numbers *= _powers()
    numbers.setflags(write=False)
    return numbers


def points_by_scipy(
    generator: np.random.Generator, dimensions: int, start: int, stop: int
) -> NDArray[np.float64]:
    """The points of `sobol_points`, by SciPy."""
    from scipy.stats import qmc  # a third of a second

    engine = qmc.Sobol(dimensions, scramble=True, bits=BITS, rng=generator)
    parts = [np.empty((0, dimensions))]
    if start == 0:
        parts.append(engine.random(1))  # SciPy warns of any first draw that is no power of 2
        start = 1
    else:
        engine.fast_forward(start)
    if stop > start:
        parts.append(engine.random(stop - start))
    return np.concatenate(parts) + 0.5 ** (BITS + 1)


Array = NDArray[np.float64]

SHARED, FLOOR = ("motion.", "intensity."), "motion.floor."  # inputs that objects of a collection share
SCRAMBLES = 8  # independent repetitions of the design of Sobol indices
OF_A, OF_B, FIRST_INPUT = range(3)  # columns of the realizations of a point
# names of what runs draw inside
HULL, NOISE, AT_IMPACTS = "body.shape_error", "motion.noise", "impact.draws"
PURPOSE = 1  # of the random stream of a motion, in the key of its seed


def inputs_of_design(study: Study) -> list[str]:
    """Dotted names of the inputs that have an index, in the order of the columns of the design."""
    inside = {
        HULL: not study.body.is_one_draw,
        NOISE: study.motion.draws_noise,
        AT_IMPACTS: bool(study.redrawn),
    }
    return [*study.uncertain, *(name for name, drawn in inside.items() if drawn)]


def block_length(study: Study) -> int:
    """Realizations of one point of all scrambles."""
    return SCRAMBLES * (FIRST_INPUT + len(inputs_of_design(study)))


def nearest_designs(study: Study) -> tuple[int, int]:
    """Numbers of realizations of the largest even design within the study, and of the next: Sobol points are
    even by powers of two."""
    block = block_length(study)
    power = max(study.n_realizations // block, 1).bit_length() - 1
    return block << power, block << power + 1


def exchange_inputs(pairs: NDArray[np.float64], column: NDArray[np.int64]) -> NDArray[np.float64]:
    """Points of realizations (n, dimension) from those of A and B side by side (n, 2 dimension)."""
    half = pairs.shape[1] // 2
    of_b = (column[:, None] == FIRST_INPUT + np.arange(half)) | (column[:, None] == OF_B)
    return np.where(of_b, pairs[:, half:], pairs[:, :half])


def draws_of(study: Study, name: str, start: int, stop: int) -> NDArray[np.int64]:
    """Number of the realization whose draws each of `start` to `stop` - 1 has inside its runs.

    ``name`` is `HULL`, `NOISE` or `AT_IMPACTS`.
    """
    realization = np.arange(start, stop)
    names = inputs_of_design(study)
    if study.ensemble.design != OF_INDICES or name not in names:
        return realization
    column = realization % (FIRST_INPUT + len(names))
    of_b = (column == OF_B) | (column == FIRST_INPUT + names.index(name))
    return realization - column + np.where(of_b, OF_B, OF_A)


class Points(NamedTuple):
    """Some realizations, by what they draw."""

    start: int  # number of the first one, for messages and the repetition at half the step
    u: dict[str, Array]  # (n,) coordinates of `mcrock.study.design.unit_numbers`
    record: NDArray[np.int32]  # (n,) index of the motion
    at_impacts: NDArray[np.int64]  # (n,) number by which each draws at every impact
    hull: NDArray[np.int64]  # (n,) number of the draw of the error of the shape of each
    noise: Callable[[int], np.random.Generator]  # by row: where the noise of its motion comes from


def points_of_design(study: Study, n_motions: int, start: int, stop: int, outer: int = 0) -> Points:
    """The realizations ``start`` to ``stop - 1`` of a study, with an epistemic draw."""
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


def stream(name: str) -> int:
    """Random stream of a purpose, from its dotted name: the same on every machine."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little")


def own_seed(study: Study) -> int:
    """Seed of what an object of a collection draws by itself; that of the study where it has no name."""
    name = study.ensemble.object
    return study.seed if name is None else stream(f"{study.seed}.{name}")


def unit_numbers(study: Study, n_motions: int, start: int, stop: int, outer: int = 0) -> dict[str, Array]:
    """Coordinates in the unit cube of the realizations ``start`` to ``stop - 1``.

    The epistemic draws are independent of each other whatever the design: as a sample they say
    which part of a range they have seen, and their variance has no bias. The other coordinates do not depend
    on them. An object of a collection draws by itself (`own_seed`) what is not of the shaking, independently
    of all others; the floors of a building are uncertain together.

    Parameters
    ----------
    study : Study
        The design is made of its seed and its uncertain inputs.
    n_motions : int
        Number of motions that the realizations share.
    start, stop : int
        Slice of realizations.
    outer : int
        Number of the epistemic draw.

    Returns
    -------
    dict of str to ndarray (stop - start,)
        For each name in ``study.uncertain``, in the open interval (0, 1) [1].
    """
    n, seed = stop - start, study.seed
    names = [name for name in study.uncertain if name not in (*study.epistemic, *study.listed)]
    seeds = {name: seed if name.startswith(SHARED) else own_seed(study) for name in study.uncertain}
    unknown = {
        name: np.repeat(uniforms(seeds[name], stream(f"outer.{name}"), outer, 1), n)
        for name in study.epistemic
    }
    unknown |= {name: item.places[start:stop] for name, item in study.listed.items()}
    if study.ensemble.object is not None:
        own = [name for name in names if not name.startswith(SHARED) or name.startswith(FLOOR)]
        unknown |= {name: uniforms(seeds[name], stream(name), start, n) for name in own}
        names = [name for name in names if name not in own]
    mixed = study.copula.mixed
    if not names or not n:
        return mixed(unknown | {name: np.empty(0) for name in names})
    if study.ensemble.design == "random":
        return mixed(unknown | {name: uniforms(seed, stream(name), start, n) for name in names})
    if study.ensemble.design == "sobol":
        points = sobol_points(_generator(seed, "design.sobol"), len(names), start, stop)
    elif study.ensemble.design == "sobol_by_record":
        points = _sobol_by_record(seed, len(names), n_motions, start, stop)
    elif study.ensemble.design == OF_INDICES:
        points = _pick_freeze(study, len(names), start, stop)
    else:
        points = _latin_hypercube(seed, len(names), study.n_realizations, *_together(study, names))[
            start:stop
        ]
    columns = {name: np.ascontiguousarray(column) for name, column in zip(names, points.T, strict=True)}
    done = names if study.ensemble.design == "latin_hypercube" and study.ensemble.object is None else []
    return mixed(unknown | columns, done)


def _together(study: Study, names: Sequence[str]) -> tuple[tuple[int, ...], tuple[tuple[float, ...], ...]]:
    """Columns of a whole design that vary together, and Cholesky's factor of their correlations."""
    others = study.epistemic if study.ensemble.object is None else study.copula.names
    known, factor = study.copula.factor(others)
    return tuple(map(names.index, known)), tuple(map(tuple, factor.tolist()))


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
    block = block_length(study)
    first, last = start // block, -(-stop // block)
    pairs = [
        sobol_points(_generator(study.seed, f"design.{OF_INDICES}", scramble), 2 * dimensions, first, last)
        for scramble in range(SCRAMBLES)
    ]
    width = block // SCRAMBLES
    row, column = np.divmod(np.arange(start, stop) - first * block, width)
    return exchange_inputs(np.stack(pairs, axis=1).reshape(-1, 2 * dimensions)[row], column)


@lru_cache(maxsize=2)
def _latin_hypercube(
    seed: int,
    dimensions: int,
    n: int,
    columns: tuple[int, ...] = (),
    factor: tuple[tuple[float, ...], ...] = (),
) -> Array:
    """The whole hypercube (n, dimensions), read-only.

    Coordinates in ``columns`` take the order of sums of their normal scores by ``factor`` (Iman and Conover
    1982), so that each of them still has one number in every stratum.
    """
    from scipy.stats import qmc

    generator = _generator(seed, "design.latin_hypercube")
    raw = qmc.LatinHypercube(dimensions, rng=generator).random(n)
    points: Array = np.clip(raw, LEAST, MOST)
    scores = ndtri(points[:, columns]).T
    for column, row in zip(columns, factor, strict=True):
        order = np.argsort(weighted_sum(row, scores), kind="stable")
        points[order, column] = np.sort(points[:, column])
    points.setflags(write=False)
    return points
