"""Small probabilities by subset simulation within each record, with their error for new earthquakes.

A score says how near a realization came to the event, infinite where it happened. With levels of the score
that are fixed beforehand the product of the fractions that reach each level is an unbiased estimate, whatever
the number of realizations and however slowly the chains move: every set of states stands for the distribution
beyond its level in expectation (Del Moral 2004, chapter 7). Levels chosen from the same realizations, as in
the usual algorithm, make it too large: with 100 realizations by 20 % near 1e-4 and 40 % near 1e-6. They are
chosen in a run before.

Chains move in the space of all that realizations draw, in every coordinate standard normal: inputs are
quantiles of it, the noise of a motion is a sum of streams with coefficients. A move to
``rho x + sqrt(1 - rho^2) xi`` keeps the distribution (Papaioannou et al. 2015). What is drawn at every impact
is kept or drawn anew as a whole, which keeps it too. Every random number is a function of the seed, the
purpose, the place of a chain and the round.

Au, S. K. and Beck, J. L. (2001). Estimation of small failure probabilities in high dimensions by subset
simulation. Probabilistic Engineering Mechanics 16(4), 263-277.

Del Moral, P. (2004). Feynman-Kac Formulae. Springer.

Papaioannou, I., Betz, W., Zwirglmaier, K. and Straub, D. (2015). MCMC algorithms for subset simulation.
Probabilistic Engineering Mechanics 41, 89-103.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import ceil, exp, log, sqrt
from typing import NamedTuple, cast

import numpy as np
import xarray as xr
from dask.system import CPU_COUNT
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

from mcrock.base.params import MotionPack, Outcome
from mcrock.base.random_numbers import uniforms
from mcrock.base.tables.parsing import RealizationError
from mcrock.excitation import Motion, pack_motions
from mcrock.simulation.runs import simulate_part
from mcrock.statistics.intervals import check_level, clustered_interval
from mcrock.study import Study
from mcrock.study.design import Points, stream
from mcrock.study.sampling import check_inputs, inputs_at, load_motions
from mcrock.study.study import LEAST, MOST

__all__ = ["rare_probability"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

ROUND = 2**32  # numbers of streams of one round: more than a study has realizations [1]


class Walkers(NamedTuple):
    """Some places, each that of a realization."""

    normal: Array  # (n, dimension) of the inputs
    at_impacts: Integers  # (n,) number by which each draws at every impact
    noise: Integers  # (n, m) numbers of the streams of the noise of its motion; m = 0 without noise
    share: Array  # (n, m) their coefficients, whose squares add up to 1

    def take(self, index: Integers) -> Walkers:
        """Some of them, or one several times."""
        return Walkers(self.normal[index], self.at_impacts[index], self.noise[index], self.share[index])

    def put(self, rows: Integers, other: Walkers) -> Walkers:
        """The same with others, of no fewer streams, in some rows."""
        more = ((0, 0), (0, other.noise.shape[1] - self.noise.shape[1]))
        found = Walkers(
            self.normal.copy(), self.at_impacts.copy(), np.pad(self.noise, more), np.pad(self.share, more)
        )
        found.normal[rows], found.at_impacts[rows] = other.normal, other.at_impacts
        found.noise[rows], found.share[rows] = other.noise, other.share
        return found

    def moved(self, accepted: NDArray[np.bool_], proposal: Walkers) -> Walkers:
        """Those of the proposal where it is accepted."""
        more = ((0, 0), (0, proposal.noise.shape[1] - self.noise.shape[1]))
        column = accepted[:, None]
        return Walkers(
            np.where(column, proposal.normal, self.normal),
            np.where(accepted, proposal.at_impacts, self.at_impacts),
            np.where(column, proposal.noise, np.pad(self.noise, more)),
            np.where(column, proposal.share, np.pad(self.share, more)),
        )


class Space(NamedTuple):
    """Space that the chains of a study move in."""

    seed: int
    names: tuple[str, ...]  # of the inputs
    has_noise: bool

    def fresh(self, places: int, turn: int) -> Walkers:
        """Independent draws at the first ``places`` places, others in every round ``turn`` >= 1."""
        normal = np.empty((places, len(self.names)))
        for column, name in enumerate(self.names):
            normal[:, column] = ndtri(uniforms(self.seed, stream(f"rare.{name}"), 0, places, turn))
        number = turn * ROUND + np.arange(places)
        noise = number[:, None] if self.has_noise else np.empty((places, 0), np.int64)
        return Walkers(normal, number, noise, np.ones(noise.shape))

    def propose(self, now: Walkers, new: Walkers, places: Integers, turn: int, sigma: float) -> Walkers:
        """Proposals from independent draws ``new``, further away with a larger ``sigma`` in (0, 1]."""
        rho = sqrt(1.0 - sigma * sigma)
        anew = self.keys("rare.refresh", int(places.max()) + 1, turn)[places] < sigma
        return Walkers(
            rho * now.normal + sigma * new.normal,
            np.where(anew, new.at_impacts, now.at_impacts),
            np.concatenate([now.noise, new.noise], axis=1),
            np.concatenate([rho * now.share, sigma * new.share], axis=1),
        )

    def keys(self, purpose: str, places: int, turn: int) -> Array:
        """Uniform numbers of the first ``places`` places, for choices."""
        return uniforms(self.seed, stream(purpose), 0, places, turn)


SLICE = 64  # realizations computed together
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
        points = Points(0, study.copula.mixed(u), record.astype(np.int32), walkers.at_impacts, hull, noise)
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


Score = Callable[[Walkers, Integers], Array]  # of walkers, and the numbers of their strata

LENGTH = 5  # states of a chain, the first included
CHANCE = 1 / LENGTH  # of reaching a level from the one before [1]
CAP = 1.0  # level beyond which nothing is ranked: the slenderness is passed
FIRST_SIGMA, ACCEPTANCE = 0.6, 0.44  # of the moves at the first level, and the acceptance they are tuned to


class Ladders(NamedTuple):
    """Levels of the score in every stratum, and how far chains move at each."""

    levels: list[list[float]]  # by stratum, rising; the last is infinite, the event
    sigma: list[float]  # by level


class Climb(NamedTuple):
    """Result of one pass over all units."""

    probability: Array  # (n_unit,)
    runs: Integers  # (n_unit,) scores computed
    ladders: Ladders  # by unit


def climb(
    space: Space,
    score: Score,
    strata: Sequence[int],
    n: int,
    most: int,
    *,
    ladders: Ladders | None = None,
    turn: int = 0,
) -> Climb:
    """Estimate the probability of the event in some units side by side.

    Parameters
    ----------
    space : Space
    score : callable
        Of walkers in the strata of their units.
    strata : sequence of int
        Stratum of each unit; units are independent of each other.
    n : int
        States of each unit at every level, a multiple of `LENGTH`.
    most : int
        Levels below the event; what is less probable than the chance of reaching so many is 0 to a unit.
    ladders : Ladders, optional
        By stratum; without them each unit chooses its own, and the probability is too large.
    turn : int
        Rounds of random numbers that were used before.
    """
    units, of_unit = len(strata), np.asarray(strata, np.int64)
    chains, length = n // LENGTH, LENGTH
    found = np.ones(units)
    runs = np.full(units, n)
    rising: list[list[float]] = [[] for _ in range(units)]
    sigma = [FIRST_SIGMA] if ladders is None else ladders.sigma
    turn += 1
    walkers = space.fresh(units * n, turn)
    scores = score(walkers, np.repeat(of_unit, n)).reshape(units, n)
    going = np.arange(units)
    for j in range(most + 1):
        for unit in going:
            own = None if ladders is None else ladders.levels[of_unit[unit]][j]
            chosen = next_level(scores[unit], rising[unit], last=j == most) if own is None else own
            rising[unit].append(chosen)
        levels = np.array([rising[unit][j] for unit in going])
        hits = scores[going] >= levels[:, None]
        found[going] *= hits.mean(axis=1)
        kept = hits.any(axis=1) & (levels < np.inf)
        going, levels, hits = going[kept], levels[kept], hits[kept]
        if not len(going):
            break
        keys = space.keys("rare.start", units * n, turn).reshape(units, n)
        starts = [
            unit * n + np.resize(np.flatnonzero(hit)[np.argsort(keys[unit][hit], kind="stable")], chains)
            for unit, hit in zip(going.tolist(), hits, strict=True)
        ]
        index = np.concatenate(starts)
        places = (going[:, None] * n + np.arange(chains)).ravel()
        now, value = walkers.take(index), scores.reshape(-1)[index]
        threshold, step = np.repeat(levels, chains), sigma[min(j, len(sigma) - 1)]
        accepted = 0.0
        for move in range(length):
            if move:
                turn += 1
                new = space.fresh(units * n, turn).take(places)
                proposal = space.propose(now, new, places, turn, step)
                reached = score(proposal, np.repeat(of_unit[going], chains))
                good = reached >= threshold
                now, value = now.moved(good, proposal), np.where(good, reached, value)
                accepted += float(good.mean()) / (length - 1)
            rows = places + move * chains
            walkers = walkers.put(rows, now)
            scores.reshape(-1)[rows] = value
        if ladders is None:
            sigma.append(min(1.0, step * exp(accepted - ACCEPTANCE)))
        runs[going] += chains * (length - 1)
    # one that nobody has climbed to its end leads to the event too
    whole = [levels if levels[-1] == np.inf else [*levels, np.inf] for levels in rising]
    return Climb(found, runs, Ladders(whole, sigma))


def next_level(scores: Array, levels: Sequence[float], *, last: bool = False) -> float:
    """Level that about one in five scores reach: higher than those before, and infinite for the event.

    >>> scores = np.array([-1.0] * 6 + [-0.5, 0.2, 0.4, 2.0])
    >>> next_level(scores, []), next_level(scores, [0.4]), next_level(scores, [1.0])
    (0.4, 1.0, inf)
    """
    if last or (levels and levels[-1] >= CAP):
        return np.inf
    falling = np.sort(scores)[::-1]
    level = falling[len(scores) // LENGTH - 1]
    floor = levels[-1] if levels else -np.inf
    if level <= floor or (scores >= level).mean() > 0.5:  # many scores are the same
        above = scores[scores > max(level, floor)]
        level = above.min() if above.size else np.inf
    return float(min(level, CAP)) if (scores == np.inf).mean() < CHANCE else np.inf


ONE = {"units": "1"}
STATES, FEWEST = 1000, 100  # states of all records together at a level, and least of each
LEAST_STATES, LEAST_REPETITIONS = 20, 4
CORRELATION = 1.0  # of the states of a chain, see `_counting` [1]
WANTED = 0.1  # coefficient of variation for which records are counted


def rare_probability(
    study: Study,
    *,
    states: int | None = None,
    repetitions: int = 8,
    least: float = 1e-6,
    level: float = 0.95,
    workers: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> xr.Dataset:
    """Probability of overturning by subset simulation within each record.

    Each record is a stratum with its weight, its own levels of the score (`mcrock.ensemble.rare`),
    chosen in a preliminary pass, and independent repetitions, whose estimates are unbiased (Au and Beck 2001;
    `mcrock.ensemble.rare`). Motions generated for each realization are one stratum, and the chains
    move in their noise too. Epistemic inputs are treated like the others.

    There are two intervals. The one for these recordings is Student's, on the logarithm, from the
    repetitions. The one for new earthquakes has Gaffke's bounds, with the recordings as units; more runs do
    not narrow it.

    Parameters
    ----------
    study : Study
        Each of its intensity levels has a probability; a cloud study has one, over its distribution of the
        intensity.
    states : int, optional
        Realizations at each level of the score, of a stratum in one repetition, at least 20; rounded up to a
        multiple of 5. By default 1000 over all records together, and at least 100 for each.
    repetitions : int
        Independent repetitions, at least 4.
    least : float
        Probability of overturning in a record below which it counts as 0, in (0, 0.1] [1].
    level : float
        Coverage of the intervals [1].
    workers : int, optional
        Threads; by default one for each CPU. The result does not depend on their number.
    progress : callable, optional
        Called with a line of text at every intensity.

    Returns
    -------
    Dataset
        Along `intensity` (not for a cloud study): `probability`; `interval` (bound) for these motions, NaN
        where no repetition reached overturning; `new_interval` (bound) for new ones, NaN with a single
        stratum, where `interval` is for new motions too; `variation`, the coefficient of variation of
        `probability` from the repetitions; `runs`, their number, and `brute_force_runs`, how many direct
        Monte Carlo simulation would need for the same variation; `records`, the number of recordings, and
        `records_needed`, how many a coefficient of variation of 0.1 over new earthquakes would need;
        `record_probability` (record), of each record; `repetition_probability` (repetition); all [1].

    Raises
    ------
    ConfigError
        If motions cannot be read, or a body cannot stand.
    ValueError
        If nothing but the record is drawn, inputs are listed, the body has a `shape_error`, or an option is
        out of range.
    """
    check_level(level)
    _check(study, states, repetitions, least)
    motions = load_motions(study)
    check_inputs(study, motions)
    pack = pack_motions(motions)
    strata = 1 if study.motion.is_generated or not study.motion.shakes else len(motions)
    n = LENGTH * -(-(states or max(FEWEST, STATES // strata)) // LENGTH)
    most = ceil(log(least) / log(CHANCE))
    weights = np.asarray(study.motion.record_weights or np.ones(strata), float)
    weights /= weights.sum()
    found, spent = [], []
    places = [None] if study.is_cloud else list(study.intensity.si_levels)
    for place in places:
        one = study if place is None else study.at_intensities([place])
        runs = ScoredRuns(one, motions, pack, workers or CPU_COUNT)
        if not runs.space.names and not runs.space.has_noise and not study.redrawn:
            raise ValueError("nothing is drawn but the record: there is no small probability to find")
        before = climb(runs.space, runs.score, range(strata), n, most)
        if progress and (counted := _counting(float(before.probability @ weights), n * strata * repetitions)):
            total = (repetitions + 1) * int(before.runs.sum())
            progress(
                f"overturning is not so rare here: about {float(f'{counted:.1g}'):.0f} plain runs "
                f"(mcrock run) are as accurate as the {float(f'{total:.1g}'):.0f} of this"
            )
        turn = (most + 2) * LENGTH
        units = list(range(strata)) * repetitions
        after = climb(runs.space, runs.score, units, n, most, ladders=before.ladders, turn=turn)
        found.append(after.probability.reshape(repetitions, strata))
        spent.append(int(before.runs.sum() + after.runs.sum()))
        if progress:
            progress(f"{spent[-1]} runs: probability {float((found[-1] @ weights).mean()):.3g}")
    names = [motion.name for motion in motions] if strata > 1 else ["all motions"]
    groups = np.unique([motion.group for motion in motions] if strata > 1 else [""], return_inverse=True)[1]
    result = _summary(np.stack(found), weights, groups, level)
    result["runs"] = ("intensity", spent, ONE)
    p, cov = result["probability"], result["variation"]
    result["brute_force_runs"] = ((1 - p) / (p * cov**2)).where(cov > 0).assign_attrs(ONE)
    axis = np.full(1, np.nan) if study.is_cloud else np.asarray(places, float)
    attrs = {"units": study.intensity.units, "long_name": study.intensity.long_name}
    result = result.assign_coords(record=names, intensity=("intensity", axis, attrs))
    result.attrs = {
        "level": level,
        "states": n,
        "repetitions": repetitions,
        "least": least,
        "seed": study.seed,
        "title": study.title,
        "independent": "records" if strata > 1 else "realizations",
    }
    return result.isel(intensity=0, drop=True) if study.is_cloud else result


def _counting(p: float, n: int) -> float | None:
    """Runs by direct simulation as accurate as subset simulation with `n` states a level; None if more.

    Its squared coefficient of variation is about that of m levels of probability q in turn,
    m (1 - q) / (q n) (1 + gamma), where gamma, by the correlation of states in a chain, is about 1. Of one
    level the states are plain runs.
    """
    if p <= 0 or p >= CHANCE:
        return n if p > 0 else None
    levels = log(p) / log(CHANCE)
    variation = levels * (1 - CHANCE) / (CHANCE * n) * (1.0 + CORRELATION)
    counted = (1 - p) / (p * variation)
    return counted if counted < levels * n else None


def _check(study: Study, states: int | None, repetitions: int, least: float) -> None:
    """Refuse what subset simulation cannot do."""
    if states is not None and states < LEAST_STATES:
        raise ValueError(f"states must be at least {LEAST_STATES} [1], got {states!r}")
    if repetitions < LEAST_REPETITIONS:
        raise ValueError(f"repetitions must be at least {LEAST_REPETITIONS} [1], got {repetitions!r}")
    if not 0 < least <= 0.1:
        raise ValueError(f"least must lie in (0, 0.1] [1], got {least!r}; 1e-6 is usual")
    if study.listed or study.motion.listed_records is not None:
        raise ValueError(
            "rare events are searched among all that could be drawn: give distributions in place of lists "
            "(ensemble.table)"
        )
    if study.body.underside is not None:
        raise ValueError(
            "Markov chains need realizations close to each other, and hulls of random surfaces are not: "
            "leave body.shape_error out"
        )
    if study.motion.isolator is not None and study.motion.isolator.stroke is not None:
        raise ValueError(
            "runs beyond the stroke of an isolator are undecided, which subset simulation cannot count: "
            "leave motion.floor.stroke out, and ask `mcrock stats` of a study with it how often they are"
        )


def _summary(found: np.ndarray, weights: np.ndarray, groups: np.ndarray, level: float) -> xr.Dataset:
    """Probabilities and intervals of estimates (n_intensity, n_repetition, n_record)."""
    of_record, each = found.mean(axis=1), found @ weights
    p, k = each.mean(axis=1), found.shape[1]
    with np.errstate(invalid="ignore", divide="ignore"):
        variation = each.std(axis=1, ddof=1) / np.sqrt(k) / p
        half = stdtrit(k - 1, (1 + level) / 2) * variation
        ends = np.stack([p * np.exp(-half), np.minimum(p * np.exp(half), 1.0)])
        share = np.bincount(groups, weights)  # of the recordings of one earthquake
        of_group = np.stack([np.bincount(groups, row) for row in weights * of_record]) / share
        count = len(share)
        spread = (share * (of_group - p[:, None]) ** 2).sum(axis=1) * count / max(count - 1, 1)
        noise = (weights * found.var(axis=1, ddof=1)).sum(axis=1) / k
        needed = np.ceil(np.maximum(spread - noise, 0.0) / (WANTED * p) ** 2)
    new = np.full((2, len(p)), np.nan)
    if count > 1:
        runs = np.broadcast_to(share[:, None] * count, (count, len(p)))
        new = np.stack(clustered_interval(np.clip(of_group.T, 0, 1) * runs, runs, level))
    needed = np.where((p > 0) & (count > 1), needed, np.nan)
    return xr.Dataset(
        {
            "probability": ("intensity", p, ONE | {"long_name": "probability of overturning"}),
            "interval": (("bound", "intensity"), ends, ONE),
            "new_interval": (("bound", "intensity"), new, ONE),
            "variation": ("intensity", variation, ONE),
            "records_needed": ("intensity", needed, ONE),
            "records": ((), count, ONE),
            "record_probability": (("record", "intensity"), of_record.T, ONE),
            "repetition_probability": (("repetition", "intensity"), each.T, ONE),
        }
    )
