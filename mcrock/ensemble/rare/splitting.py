"""Subset simulation: the probability of a rare event as a product of probabilities that are not rare.

A score says how near a realization came to the event, infinite where it happened. With levels of the score
that are fixed beforehand the product of the fractions that reach each level is an unbiased estimate, whatever
the number of realizations and however slowly the chains move: every set of states stands for the distribution
beyond its level in expectation (Del Moral 2004, chapter 7). Levels chosen from the same realizations, as in
the usual algorithm, make it too large: with 100 realizations by 20 % near 1e-4 and 40 % near 1e-6. They are
chosen in a run before.

Au, S. K. and Beck, J. L. (2001). Estimation of small failure probabilities in high dimensions by subset
simulation. Probabilistic Engineering Mechanics 16(4), 263-277. Del Moral, P. (2004). Feynman-Kac Formulae.
Springer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcrock.ensemble.rare.walkers import Integers, Space, Walkers

Array = NDArray[np.float64]
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
