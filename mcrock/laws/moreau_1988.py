"""Impact as a projection: the part of the velocity that the contacts do not admit is reversed.

Moreau, J. J. (1988). Unilateral contact and dry friction in finite freedom dynamics. In: Nonsmooth Mechanics
and Applications, CISM Courses and Lectures 302, Springer, 1-82. In the form of Glocker (2005), The geometry
of Newtonian impacts, equations (10) to (15): v is the admissible velocity nearest to u- in the kinetic
metric, and

    u+ = v - eps (u- - v) = (1 + eps) prox(u-) - eps u-

With friction v and its impulses obey Coulomb's law (`mcrock.laws.complementarity`), and the same is done to
them, as
Moreau has it: friction opposes the mean of the slips after and before, (s+ + eps s-)/(1 + eps), so that a
contact which sticks in the mean gives back eps of its slip. The energy falls by the friction on that mean and
by (1 - eps)/(1 + eps) of the energy of the change of velocity.
"""

from __future__ import annotations

from mcrock.laws.complementarity import has_friction, law_with_friction, unilateral_impulses
from mcrock.laws.problem import ContactProblem, ImpactResult, coefficient


def moreau(problem: ContactProblem, *, restitution: float) -> ImpactResult:
    """Impact with one coefficient for the system, its dissipation index.

    No energy is gained where the obstacles are at rest. A contact that already separates, or just touches,
    can end up approaching; ``kinematic`` tells.

    Parameters
    ----------
    problem : ContactProblem
        The system; friction needs its tangents.
    restitution : float
        eps, 0 to 1 [1].

    Returns
    -------
    ImpactResult
        Without friction the notes ``admitted_part`` and ``normal_part`` are v and v_perp (n,) of the
        splitting (10), u- = v + v_perp. Where contacts depend on each other the impulses are those of least
        norm, and ``unique_impulse`` is false. With friction the note ``tangential_impulse`` (m, k) [N s]; of
        several solutions the one with the least sum of normal impulses, and all that were found in
        ``solutions``. In space, or with more than five contacts, others are not sought: ``unique_velocity``
        is true only where friction is low enough to exclude them.

    Raises
    ------
    ValueError
        If the coefficient is outside its domain, obstacles move such that no velocity is admissible, or
        friction is given without tangents.
    ArithmeticError
        If the problem is so ill-conditioned that the impulses are lost in rounding.

    Examples
    --------
    A ball falls into a right-angled corner.

    >>> import numpy as np
    >>> moreau(ContactProblem(np.eye(2), np.eye(2), [-1.0, -2.0]), restitution=0.5).velocity
    array([0.5, 1. ])
    """
    eps = coefficient("restitution", restitution, 0.0, 1.0)
    if has_friction(problem):
        return law_with_friction(problem, problem.normal_velocity, problem.slip, 1.0 + eps)
    found = unilateral_impulses(problem, problem.normal_velocity)
    if found is None:
        raise ValueError("Moreau's law has no solution: the obstacles move so that no velocity is admitted")
    return problem.outcome(
        problem.velocity + (1.0 + eps) * found.change,
        (1.0 + eps) * found.impulse,
        unique_impulse=found.unique,
        notes={"admitted_part": problem.velocity + found.change, "normal_part": -found.change},
    )
