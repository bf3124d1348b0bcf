"""Places of chains in the space of all that realizations draw, and their moves.

In every coordinate that space is standard normal: inputs are quantiles of it, the noise of a motion is a sum
of streams with coefficients. A move to ``rho x + sqrt(1 - rho^2) xi`` keeps the distribution (Papaioannou et
al. 2015). What is drawn at every impact is kept or drawn anew as a whole, which keeps it too.

Every random number is a function of the seed, the purpose, the place of a chain and the round.

Papaioannou, I., Betz, W., Zwirglmaier, K. and Straub, D. (2015). MCMC algorithms for subset simulation.
Probabilistic Engineering Mechanics 41, 89-103.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from mcrock.base.random_numbers import uniforms
from mcrock.study.design import stream

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
