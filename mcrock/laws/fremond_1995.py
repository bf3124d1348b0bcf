"""Newton's law with coefficients between contacts: what one approaches with may come back at another.

Fremond, M. (1995). Rigid bodies collisions. Physics Letters A 204, 33-41; in the form of Glocker (2001),
Philosophical Transactions of the Royal Society A 359, equation (3.9). For each contact

    0 <= gamma+_i + sum_j eps_ij gamma-_j   and   0 <= L_i,   one of them 0
"""

from __future__ import annotations

import numpy as np

from mcrock.laws.complementarity import refuse_friction, unilateral_impulses
from mcrock.laws.problem import ContactProblem, ImpactResult, finite_array


def fremond(problem: ContactProblem, *, restitution: np.ndarray) -> ImpactResult:
    """Impact with a matrix of coefficients, which need not be symmetric.

    Energy may be gained and contacts may penetrate: ``energetic`` and ``kinematic`` tell. The matrix changes
    the velocities required, not the Delassus matrix, so that the problem is as convex as those of the other
    laws and the velocity is unique.

    Parameters
    ----------
    problem : ContactProblem
        The system, without friction.
    restitution : ndarray (m, m)
        eps_ij [1]; a diagonal matrix gives Newton's law.

    Returns
    -------
    ImpactResult
        Where contacts depend on each other the impulses are those of least norm, and ``unique_impulse`` is
        false.

    Raises
    ------
    ValueError
        If the matrix is of another size or not finite, dependent contacts require different velocities, or a
        contact has friction, for which the source has no rule.
    ArithmeticError
        If the problem is so ill-conditioned that the impulses are lost in rounding.

    Examples
    --------
    Newton's cradle: the last of four balls leaves with the speed of the first.

    >>> import numpy as np
    >>> gaps = np.diff(np.eye(4), axis=0).T
    >>> cradle = ContactProblem(np.eye(4), gaps, [1.0, 0.0, 0.0, 0.0])
    >>> matrix = [[0, 0, 0], [0, 0, 0], [1, 0, 0]]
    >>> np.abs(fremond(cradle, restitution=matrix).velocity.round(12))
    array([0., 0., 0., 1.])
    """
    refuse_friction(problem, "Fremond's law")
    m = problem.directions.shape[1]
    matrix = finite_array("restitution", restitution, (m, m))
    approach = problem.normal_velocity
    found = unilateral_impulses(problem, approach + matrix @ approach)
    if found is None:
        raise ValueError(
            "Fremond's law has no solution: contacts that depend on each other ask for different velocities"
        )
    return problem.outcome(problem.velocity + found.change, found.impulse, unique_impulse=found.unique)
