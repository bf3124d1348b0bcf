"""Compression and expansion as two steps, each with friction against the slip that it leaves.

Pfeiffer, F., Glocker, C. (1996). Multibody Dynamics with Unilateral Contacts. Wiley, New York (in the
plane). Anitescu, M., Potra, F. A. (1997). Formulating dynamic multi-rigid-body contact problems with
friction as solvable linear complementarity problems. Nonlinear Dynamics 14, 231-247 (in three dimensions,
without tangential restitution). The friction cone is circular here, not a polyhedron as in the latter.
"""

from __future__ import annotations

from dataclasses import replace
from math import isinf

import numpy as np

from mcrock.laws.normal_form import NormalForm, sliding_impulse
from mcrock.laws.problem import ImpactResult, SingleContact, coefficient
from mcrock.laws.whittaker_1904 import final_slip_impulses, no_solution

CLOSED = 1e-12  # approach after the expansion that is rounding, over the speed before the collision [1]


def two_phase(contact: SingleContact, *, restitution: float) -> ImpactResult:
    """Collision by the law of Pfeiffer and Glocker, and of Anitescu and Potra.

    Compression is the law of Whittaker without restitution. In expansion the normal impulse is e_k times
    that of compression, and friction minimises the energy of the slip under it. If this leaves an approach,
    the normal impulse of expansion is raised until there is none. The outcome is permissible.

    Parameters
    ----------
    contact : SingleContact
    restitution : float
        e_k of Poisson, 0 to 1 [1].

    Returns
    -------
    ImpactResult
        With the notes ``compression_impulse`` (d,) [N s], ``raised``, whether the impulse of expansion is
        more than e_k times that of compression, and ``n_compressions``, the number of solutions of the
        compression in three dimensions; that of the smallest normal impulse is taken.

    Raises
    ------
    ValueError
        If the coefficient is outside its domain, or the mass is unbounded and there is no solution.
    """
    e = coefficient("restitution", restitution, 0.0, 1.0)
    mu = float(contact.friction)
    form = NormalForm.of(contact)
    compressions = final_slip_impulses(form, mu, 0.0)
    if not compressions:
        raise no_solution(contact, "Pfeiffer and Glocker")
    normal, tangential = compressions[0]
    middle = replace(
        form,
        approach=form.normal_velocity(normal, tangential),
        slip=form.tangential_velocity(normal, tangential),
    )
    slipped = e * float(np.linalg.norm(tangential))
    speed = float(np.linalg.norm(contact.velocity))
    expansion = _expand(middle, e * normal, slipped, mu, speed)
    if expansion is None:
        raise no_solution(contact, "Pfeiffer and Glocker")
    more, friction, raised = expansion
    notes = {
        "compression_impulse": form.impulse(normal, tangential),
        "raised": raised,
        "n_compressions": len(compressions),
    }
    unique = len(compressions) == 1
    return contact.result(
        form.impulse(normal + more, tangential + friction),
        unique_velocity=unique,
        unique_impulse=unique,
        notes=notes,
    )


def _expand(
    form: NormalForm, normal: float, slipped: float, mu: float, speed: float
) -> tuple[float, np.ndarray, bool] | None:
    """Normal and tangential impulse of the expansion, and whether the normal one was raised; or None.

    ``slipped`` bounds friction where it is infinite and the normal impulse is zero: the limit of mu p.
    """
    limit = slipped if isinf(mu) and normal == 0.0 else mu * normal
    slip = form.slip + form.w_tn * normal
    tangential = sliding_impulse(form.w_tt, slip, limit)
    if form.normal_velocity(normal, tangential) >= -CLOSED * speed:
        return normal, tangential, False
    for higher, friction in final_slip_impulses(form, mu, 0.0):
        if higher > normal or (normal == 0.0 and friction.any()):
            return higher, friction, True
    return None
