"""Compression and expansion as two steps, each with friction against the slip that it leaves.

Pfeiffer, F., Glocker, C. (1996). Multibody Dynamics with Unilateral Contacts. Wiley, New York (in the
plane). Anitescu, M., Potra, F. A. (1997). Formulating dynamic multi-rigid-body contact problems with
friction as solvable linear complementarity problems. Nonlinear Dynamics 14, 231-247 (in three dimensions,
without tangential restitution). The friction cone is circular here, not a polyhedron as in the latter.

In the plane the contact may give back tangential impulse as it gives back normal impulse, with two more
coefficients, nu and e_t: e_k e_t of the friction x_c of the compression is stored. Along x_c the impulse of
the expansion is between

    nu e_k e_t |x_c| - (1 - nu) mu p    and    mu p,      p its normal impulse

at the lower end where slip along x_c is left, at the upper end where slip against it is left, and in between
where the slip has ended. nu = 0 is Coulomb's law alone. With nu = 1 the stored impulse comes back whatever
the slip, which is Poisson's law in both directions. That the bound is linear in nu between the two is a
choice.

No energy is gained, whatever the coefficients: e_k times the impulse of the compression is within the bounds,
and would lose energy; what friction makes of it minimises the energy over the bounds.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf, isinf

import numpy as np

from mcrock.laws.problem import (
    NEGLIGIBLE,
    ImpactResult,
    NormalForm,
    SingleContact,
    coefficient,
    sliding_impulse,
)
from mcrock.laws.whittaker_1904 import final_slip_impulses, no_solution

CLOSED = 1e-12  # approach after the expansion that is rounding, over the speed before the collision [1]


def two_phase(
    contact: SingleContact,
    *,
    restitution: float,
    tangential_restitution: float = 0.0,
    reversibility: float = 0.0,
) -> ImpactResult:
    """Collision by the law of Pfeiffer and Glocker, and of Anitescu and Potra.

    Compression is the law of Whittaker without restitution. In expansion the normal impulse is e_k times
    that of compression, and friction minimises the energy of the slip under it. If the contact
    still approaches then, the normal impulse of expansion is raised until it does not. The outcome is
    permissible.

    Parameters
    ----------
    contact : SingleContact
    restitution : float
        Poisson's (kinetic) coefficient e_k, 0 to 1 [1].
    tangential_restitution : float
        e_t, coefficient of the stored tangential impulse, 0 to 1; without effect where nu is 0 [1].
    reversibility : float
        nu, 0 (friction alone) to 1 (all of the stored impulse returns); above 0 in the plane only [1].

    Returns
    -------
    ImpactResult
        With the notes ``compression_impulse`` (d,) [N s], ``raised``, whether the impulse of expansion is
        more than e_k times that of compression, and ``n_compressions``, the number of solutions of the
        compression in three dimensions; that of the smallest normal impulse is taken.

    Raises
    ------
    ValueError
        If a coefficient is outside its domain, nu is above 0 for a contact in three dimensions, or the mass
        is unbounded and there is no solution.

    Examples
    --------
    A superball: spin and slip are reversed, and no energy is lost.

    >>> ball = SingleContact(np.diag([1.0, 2 / 7]), np.array([-1.0, -0.6]), np.eye(2)[0], 0.3)
    >>> two_phase(ball, restitution=1.0, tangential_restitution=1.0, reversibility=1.0).velocity.round(12)
    array([1. , 0.6])
    """
    e = coefficient("restitution", restitution, 0.0, 1.0)
    et = coefficient("tangential_restitution", tangential_restitution, 0.0, 1.0)
    nu = coefficient("reversibility", reversibility, 0.0, 1.0)
    mu = float(contact.friction)
    form = NormalForm.of(contact)
    if nu > 0.0 and len(form.slip) == 2:
        raise ValueError(
            "the law has tangential restitution in the plane only: in space it needs reversibility = 0; "
            "the law of Chatterjee and Ruina (1998) has tangential restitution in space"
        )
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
    if nu > 0.0 and len(tangential) and abs(tangential[0]) > NEGLIGIBLE * normal:
        released = nu * et * slipped
        along = float(np.sign(tangential[0]))
        expansion = _expand_reversibly(middle, e * normal, slipped, released, along, mu, nu, speed)
    else:
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


def _expand_reversibly(
    form: NormalForm,
    normal: float,
    slipped: float,
    released: float,
    along: float,
    mu: float,
    nu: float,
    speed: float,
) -> tuple[float, np.ndarray, bool] | None:
    """`_expand` in the plane with ``released`` tangential impulse at least, but for (1 - nu) mu p [N s].

    ``along`` is the sign of the friction of the compression.
    """
    slip, w_tn, w_tt = along * float(form.slip[0]), along * float(form.w_tn[0]), float(form.w_tt[0, 0])

    def friction(p: float) -> float:
        most = slipped if isinf(mu) and p == 0.0 else mu * p
        least = released - ((1.0 - nu) * most if nu < 1.0 else 0.0)
        return min(max(-(slip + w_tn * p) / w_tt, least), most)

    def outcome(p: float, raised: bool) -> tuple[float, np.ndarray, bool]:
        return p, np.array([along * friction(p)]), raised

    def velocity(p: float) -> float:
        return form.approach + form.w_nn * p + w_tn * friction(p)

    if velocity(normal) >= -CLOSED * speed:
        return outcome(normal, False)
    # friction is one of three lines in p, and the contact closes where the normal velocity is 0 on it
    lines = [(-slip / w_tt, -w_tn / w_tt)]
    if mu < inf:
        lines += [(0.0, mu), (released, -(1.0 - nu) * mu)]
    elif nu == 1.0:
        lines += [(released, 0.0)]
    ends = []
    for level, slope in lines:
        growth = form.w_nn + w_tn * slope
        p = -(form.approach + w_tn * level) / growth if growth != 0.0 else 0.0
        if p > normal and abs(velocity(p)) <= CLOSED * speed:
            ends.append(p)
    return outcome(min(ends), True) if ends else None
