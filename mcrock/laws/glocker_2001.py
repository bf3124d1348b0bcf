"""Newton's law for many contacts, as inequalities: a contact that is hit rebounds, one that is not may leave.

Glocker, C. (2001). On frictionless impact models in rigid-body systems. Philosophical Transactions of the
Royal Society A 359, 2385-2404, equation (3.2). For each contact

    0 <= gamma+ + eps gamma-   and   0 <= L,   one of them 0

With friction as Brogliato, Zhang and Liu (2012) have it in remark 6: Coulomb's law for the impulses, with the
slip after the impact (`mcrock.laws.complementarity`). Of one contact it is the law of Whittaker.
"""

from __future__ import annotations

from collections.abc import Sequence

from mcrock.laws.complementarity import has_friction, law_with_friction, unilateral_impulses
from mcrock.laws.problem import ContactProblem, ImpactResult, coefficients


def newton(problem: ContactProblem, *, restitution: float | Sequence[float]) -> ImpactResult:
    """Impact with a ratio of velocities for each contact.

    No energy is gained where no contact separates before the impact, equation (3.5). A contact that separates
    may end up approaching, and energy may be gained: ``kinematic`` and ``energetic`` tell. It is for the
    caller to leave such contacts out. With friction and eps > 0 energy may be gained in any case.

    Parameters
    ----------
    problem : ContactProblem
        The system; friction needs its tangents.
    restitution : float or sequence of float (m,)
        eps of all contacts or of each, 0 to 1 [1].

    Returns
    -------
    ImpactResult
        Where contacts depend on each other the impulses are those of least norm, and ``unique_impulse`` is
        false. With friction the note ``tangential_impulse`` (m, k) [N s]; of several solutions the one with
        the least sum of normal impulses, and all that were found in ``solutions``. In space, or with more
        than five contacts, others are not sought: ``unique_velocity`` is true only where friction is low
        enough to exclude them.

    Raises
    ------
    ValueError
        If a coefficient is outside its domain, dependent contacts ask for different velocities, or
        friction is given without tangents.
    ArithmeticError
        If the problem is so ill-conditioned that the impulses are lost in rounding, or no solution with
        friction is found: there is none where friction jams a contact that is to rebound.

    Examples
    --------
    The first of three balls in a row hits the others, which touch.

    >>> import numpy as np
    >>> gaps = np.array([[-1.0, 0.0], [1.0, -1.0], [0.0, 1.0]])
    >>> newton(ContactProblem(np.eye(3), gaps, [1.0, 0.0, 0.0]), restitution=1.0).velocity.round(12)
    array([-0.33333333,  0.66666667,  0.66666667])
    """
    eps = coefficients("restitution", restitution, problem.directions.shape[1], 0.0, 1.0)
    if has_friction(problem):
        return law_with_friction(problem, (1.0 + eps) * problem.normal_velocity, problem.slip)
    found = unilateral_impulses(problem, (1.0 + eps) * problem.normal_velocity)
    if found is None:
        raise ValueError(
            "Newton's law has no solution: contacts that depend on each other ask for different velocities; "
            "give them the same restitution"
        )
    return problem.outcome(problem.velocity + found.change, found.impulse, unique_impulse=found.unique)
