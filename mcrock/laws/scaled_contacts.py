"""Several contacts with Coulomb friction in the kinetic metric, and what the law asks of their impulses.

With M = C C^T the columns A = C^-1 W, over the lengths of the normal ones, tell what impulses do; impulses
times these lengths and rates over them have one unit, which is that of the largest rate given.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcrock.laws.complementarity import ACCURACY, RANK
from mcrock.laws.problem import ContactProblem


class ScaledContacts(NamedTuple):
    """Contacts whose normal directions have the length 1, and their problem."""

    columns: np.ndarray  # normal and tangents of each contact in turn (n, m (1 + k))
    given: np.ndarray  # q and w over the largest of them (m, 1 + k)
    least: np.ndarray  # l in the same unit (m,)
    friction: np.ndarray  # mu (m,)
    size: float  # largest q or w [kg^1/2 m/s]
    lengths: np.ndarray  # of the normal directions (m,)
    factor: np.ndarray  # C (n, n), the mass is C C^T

    @classmethod
    def of(
        cls, problem: ContactProblem, rates: np.ndarray, slips: np.ndarray, least: np.ndarray | None
    ) -> ScaledContacts:
        """Contacts of a problem with tangents, and the q, w and l of `mcrock.laws.coulomb`."""
        frames = np.concatenate([problem.directions[:, :, None], np.asarray(problem.tangents)], axis=2)
        factor = np.linalg.cholesky(problem.mass)
        scaled = np.linalg.solve(factor, frames.reshape(len(factor), -1)).reshape(frames.shape)
        lengths = np.linalg.norm(scaled[:, :, 0], axis=0)
        columns = (scaled / lengths[:, None]).reshape(len(factor), -1)
        given = np.column_stack([rates, slips]) / lengths[:, None]
        bound = np.zeros(len(rates)) if least is None else least * lengths
        size = float(max(np.abs(given).max(), bound.max())) or 1.0
        mu = np.asarray(problem.friction, float)
        return cls(columns, given / size, bound / size, mu, size, lengths, factor)

    @property
    def k(self) -> int:
        """Number of tangents of a contact."""
        return self.given.shape[1] - 1

    def after(self, impulse: np.ndarray) -> np.ndarray:
        """Rates and slips (m, 1 + k) after impulses of the same shape."""
        return self.given + (self.columns.T @ (self.columns @ impulse.ravel())).reshape(self.given.shape)

    def reach(self, impulse: np.ndarray) -> float:
        """Size of what impulses and given velocities are the difference of."""
        return float(max(1.0, self.least.max(), np.abs(impulse).max()))

    def holds(self, impulse: np.ndarray) -> bool:
        """Whether impulses obey the law."""
        after = self.after(impulse)
        rate, slip = after[:, 0], after[:, 1:]
        speed = np.linalg.norm(slip, axis=1)
        p, x = impulse[:, 0], impulse[:, 1:]
        length = np.linalg.norm(x, axis=1)
        slack, push = ACCURACY, ACCURACY * self.reach(impulse)
        if rate.min() < -slack or np.any(p - self.least < -push):
            return False
        if np.any((rate > slack) & (p - self.least > push)):
            return False
        hard = np.isinf(self.friction)
        limit = np.where(hard, 0.0, self.friction) * p
        if np.any(~hard & (length > limit + push * (1.0 + np.where(hard, 0.0, self.friction)))):
            return False
        moving = speed > slack
        # |s| x = -mu p s; where mu is infinite p = 0, the gap is closed, and x still opposes the slip
        against = np.where(hard, length, limit)[:, None] * slip + speed[:, None] * x
        reach = 1.0 + np.where(hard, 0.0, self.friction)
        opposed = np.linalg.norm(against, axis=1) <= push * (1.0 + speed * reach)
        jammed = ~hard | (p <= push) & ((rate <= slack) | (length <= push))
        return bool(np.all(~moving | (self.friction == 0.0) | opposed & jammed))

    def is_monotone(self) -> bool:
        """Whether friction is low enough that no two solutions have different velocities.

        Of two solutions that differ by the impulses d and the velocity y = A d, the law leaves
        |y|^2 <= sum_i mu_i |d_p,i| |A_x,i^T y|. Where normal impulses follow from y, d_p = N y, this is at
        most |y|^2 sum_i mu_i (|N_i| |A_x,i| + |A_x,i^T N_i|)/2, so that y = 0 if the sum is below 1.
        """
        width, m = 1 + self.k, len(self.least)
        acting = np.repeat(self.friction > 0.0, width)
        acting[::width] = True
        places = np.cumsum(acting) - 1
        columns = self.columns[:, acting]
        back = np.linalg.pinv(columns, rcond=RANK)
        follows = back @ columns
        bound = 0.0
        for i in range(m):
            if self.friction[i] == 0.0:
                continue
            row = places[i * width]
            if np.abs(follows[row] - np.eye(len(follows))[row]).max() > RANK:
                return False
            tangents = self.columns[:, i * width + 1 : (i + 1) * width]
            lengths = np.linalg.norm(back[row]) * np.linalg.norm(tangents, 2)
            bound += 0.5 * self.friction[i] * (lengths + np.linalg.norm(tangents.T @ back[row]))
        return bool(bound < 1.0)
