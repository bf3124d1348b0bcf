"""Poisson's law for many contacts, as inequalities: compression, then an impulse in proportion to it.

Glocker, C., Pfeiffer, F. (1995). Multiple impacts with friction in rigid multibody systems. Nonlinear
Dynamics 7, 471-497; without friction in Glocker (2001), Philosophical Transactions of the Royal Society A
359, equations (3.3) and (3.4). For each contact

    0 <= gamma_c   and   0 <= Lc,             one of them 0   (compression)
    0 <= gamma+    and   0 <= Ld - eps Lc,    one of them 0   (expansion)

Glocker warns that energy may grow where coefficients differ. That is so of the equality Ld = eps Lc; the
inequalities never gain any: Ld minimises 1/2 Ld . D Ld + gamma_c . Ld over Ld >= eps Lc, and Lc itself is
among those, hence T+ - T_c <= 1/2 Lc . D Lc = T- - T_c.

With friction both phases obey Coulomb's law with the slips at their ends (`mcrock.laws.complementarity`),
without
tangential restitution, which `two_phase` has for one contact in the plane. With one eps for all contacts no
energy is gained, as eps times the impulses of the compression are within the bounds of the expansion; with
several it may be.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg import cho_solve

from mcrock.laws.complementarity import (
    Impulses,
    frictional_impulses,
    has_friction,
    ill_conditioned,
    rounding_of_rates,
    unilateral_impulses,
    within_cone,
)
from mcrock.laws.problem import TOLERANCE, ContactProblem, ImpactResult, coefficients

MISSED = 5e-9  # of the rates after the impact by its velocity, over the largest scaled rate [1]
EXPANDED = 1e-15  # rounding of a rate that impulses change, over the sum of what each of them changes [1]


def poisson(problem: ContactProblem, *, restitution: float | Sequence[float]) -> ImpactResult:
    """Impact with a ratio of impulses for each contact.

    Parameters
    ----------
    problem : ContactProblem
        The system; friction needs its tangents.
    restitution : float or sequence of float (m,)
        eps of all contacts or of each, 0 to 1 [1].

    Returns
    -------
    ImpactResult
        With the notes ``compression`` and ``expansion``, the impulses of both phases (m,) [N s]. Where
        contacts depend on each other the compression impulses are those of least norm; where others could
        have led to another velocity, ``unique_velocity`` is false. With friction also ``tangential_impulse``
        (m, k) of both phases together [N s] and ``n_solutions``, how many velocities were found for the end
        of each phase, of which the one with the least sum of normal impulses is taken. In space, or with
        more than four contacts, others are not sought: ``unique_velocity`` is true only where friction is
        low enough to exclude them.

    Raises
    ------
    ValueError
        If a coefficient is outside its domain, obstacles move such that no velocity is admissible, or
        friction is given without tangents.
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
    eps = coefficients("restitution", restitution, problem.directions.shape[1], 0.0, 1.0)
    if has_friction(problem):
        return _with_friction(problem, eps)
    compression = _phase(problem, problem.normal_velocity)
    least = eps * compression.impulse
    # the coefficient of half of all that pushes gives back the change itself: impulses between light bodies,
    # or of a mass nearly singular, all but cancel, and those of the others are known to their rounding
    order, lengths = np.argsort(eps), problem.in_kinetic_metric()[2]
    pushes = np.cumsum((compression.impulse * lengths)[order])
    common = float(eps[order][np.searchsorted(pushes, 0.5 * pushes[-1])])
    uneven = (eps - common) * compression.impulse
    moved = cho_solve((np.linalg.cholesky(problem.mass), True), problem.directions)
    back = common * compression.change + moved @ uneven
    # of several contacts in a plane all may come to rest: what cancels leaves its rounding
    rounding = EXPANDED * np.abs(problem.directions.T @ moved) @ np.abs(uneven)
    expansion = _phase(problem, compression.rates + problem.directions.T @ back, rounding)
    velocity = problem.velocity + compression.change + back + expansion.change
    missed = problem.directions.T @ velocity + problem.drift - expansion.rates
    size = max(
        np.abs(rates / lengths).max() for rates in (problem.normal_velocity, problem.directions.T @ back)
    )
    if np.any(np.abs(missed) > MISSED * size * lengths + rounding_of_rates(problem)):
        raise ill_conditioned(len(eps))
    exchanged = problem.directions @ (eps[:, None] * compression.exchange)
    indifferent = np.abs(exchanged).max(initial=0.0) <= TOLERANCE * np.abs(problem.directions).max()
    return problem.outcome(
        velocity,
        compression.impulse + least + expansion.impulse,
        unique_velocity=compression.unique or bool(indifferent),
        unique_impulse=compression.unique and expansion.unique,
        notes={"compression": compression.impulse, "expansion": least + expansion.impulse},
    )


def _with_friction(problem: ContactProblem, eps: np.ndarray) -> ImpactResult:
    """Both phases with friction against the slip at their ends."""
    compressions, first = frictional_impulses(problem, problem.normal_velocity, problem.slip)
    compression = compressions[0]
    least = eps * compression.normal
    expansions, second = frictional_impulses(problem, compression.rates, compression.slips, least)
    expansion = expansions[0]
    more = np.maximum(expansion.normal, least)  # but for the rounding of its scale
    normal, tangential = compression.normal + more, compression.tangential + expansion.tangential
    return problem.outcome(
        problem.velocity + compression.change + expansion.change,
        normal,
        friction=within_cone(problem, normal, tangential),
        unique_velocity=first and second and (compression.unique or not eps.any()),
        unique_impulse=first and second and compression.unique and expansion.unique,
        notes={
            "compression": compression.normal,
            "expansion": more,
            "tangential_impulse": tangential,
            "n_solutions": (len(compressions), len(expansions)),
        },
    )


def _phase(problem: ContactProblem, rates: np.ndarray, rounding: np.ndarray | float = 0.0) -> Impulses:
    found = unilateral_impulses(problem, rates, rounding)
    if found is None:
        raise ValueError("Poisson's law has no solution: the obstacles move so that no velocity is admitted")
    return found
