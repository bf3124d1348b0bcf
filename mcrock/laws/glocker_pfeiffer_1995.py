"""Poisson's law for many contacts, as inequalities: compression, then an impulse in proportion to it.

Glocker, C., Pfeiffer, F. (1995). Multiple impacts with friction in rigid multibody systems. Nonlinear
Dynamics 7, 471-497; without friction in Glocker (2001), Philosophical Transactions of the Royal Society A
359, equations (3.3) and (3.4). For each contact

    0 <= gamma_c   and   0 <= Lc,             one of them 0   (compression)
    0 <= gamma+    and   0 <= Ld - eps Lc,    one of them 0   (expansion)

Glocker warns that energy may grow where coefficients differ. That is so of the equality Ld = eps Lc; the
inequalities never gain any: Ld minimises 1/2 Ld . D Ld + gamma_c . Ld over Ld >= eps Lc, and Lc itself is
among those, hence T+ - T_c <= 1/2 Lc . D Lc = T- - T_c.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg import cho_solve

from mcrock.laws.complementarity import Impulses, contact_coefficients, unilateral_impulses
from mcrock.laws.problem import TOLERANCE, ContactProblem, ImpactResult


def poisson(problem: ContactProblem, *, restitution: float | Sequence[float]) -> ImpactResult:
    """Impact with a ratio of impulses for each contact.

    Parameters
    ----------
    problem : ContactProblem
        The system; friction is ignored.
    restitution : float or sequence of float (m,)
        eps of all contacts or of each, 0 to 1 [1].

    Returns
    -------
    ImpactResult
        With the notes ``compression`` and ``expansion``, the impulses of both phases (m,) [N s]. Where
        contacts depend on each other the compression impulses are those of least norm; where others could
        have led to another velocity, ``unique_velocity`` is false.

    Raises
    ------
    ValueError
        If a coefficient is outside its domain, or obstacles move such that no velocity is admissible.
    ArithmeticError
        If the problem is so ill-conditioned that the impulses are lost in rounding.

    Examples
    --------
    >>> import numpy as np
    >>> gaps = np.array([[-1.0, 0.0], [1.0, -1.0], [0.0, 1.0]])
    >>> problem = ContactProblem(np.eye(3), gaps, [1.0, 0.0, -0.5])
    >>> poisson(problem, restitution=[0.8, 0.3]).velocity.round(12)
    array([-0.5,  0.5,  0.5])
    """
    eps = contact_coefficients("restitution", restitution, problem.directions.shape[1])
    compression = _phase(problem, problem.normal_velocity)
    least = eps * compression.impulse
    # the mean coefficient gives back the change itself: impulses between light bodies all but cancel
    mean = float(eps.mean())
    uneven = problem.directions @ ((eps - mean) * compression.impulse)
    back = mean * compression.change + cho_solve((np.linalg.cholesky(problem.mass), True), uneven)
    expansion = _phase(problem, compression.rates + problem.directions.T @ back)
    exchanged = problem.directions @ (eps[:, None] * compression.exchange)
    indifferent = np.abs(exchanged).max(initial=0.0) <= TOLERANCE * np.abs(problem.directions).max()
    return problem.outcome(
        problem.velocity + compression.change + back + expansion.change,
        compression.impulse + least + expansion.impulse,
        unique_velocity=compression.unique or bool(indifferent),
        unique_impulse=compression.unique and expansion.unique,
        notes={"compression": compression.impulse, "expansion": least + expansion.impulse},
    )


def _phase(problem: ContactProblem, rates: np.ndarray) -> Impulses:
    found = unilateral_impulses(problem, rates)
    if found is None:
        raise ValueError("Poisson's law has no solution: the obstacles move so that no velocity is admitted")
    return found
