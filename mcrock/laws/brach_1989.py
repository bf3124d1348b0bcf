"""Kinematic restitution and given ratios of the tangential impulses to the normal one.

Brach, R. M. (1989). Rigid body collisions. Journal of Applied Mechanics 56(1), 133-138; and (1991).
Mechanical Impact Dynamics. Wiley, New York. Form: Chatterjee and Ruina (1998), section 4.1.

With ratios of any size the law reaches every permissible impulse, and many that are not; the checks of the
result tell which of them the bounds of the book exclude.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from mcrock.laws.problem import (
    ROUNDING,
    ImpactResult,
    SingleContact,
    coefficient,
    finite_array,
    tangent_basis,
)


def brach(
    contact: SingleContact, *, restitution: float, ratios: Any, tangents: Any | None = None
) -> ImpactResult:
    """Collision with given impulse ratios (Brach 1989).

    Parameters
    ----------
    contact : SingleContact
    restitution : float
        Newton's (kinematic) coefficient e >= 0 [1]. Above 1 energy may still be lost; ``energetic`` tells.
    ratios : array_like (d - 1,)
        Impulse along each tangent over the normal impulse, of either sign [1].
    tangents : array_like (d - 1, d), optional
        Orthonormal tangents; by default those of `tangent_basis`.

    Returns
    -------
    ImpactResult

    Raises
    ------
    ValueError
        If the coefficient is outside its domain, the tangents are not orthonormal, or with these ratios no
        compressive normal impulse reverses the approach.

    Examples
    --------
    >>> contact = SingleContact(np.diag([2.0, 1.0]), np.array([-1.0, 0.5]), np.eye(2)[0], 0.4)
    >>> brach(contact, restitution=0.5, ratios=[0.1]).impulse
    array([ 3. , -0.3])
    """
    e = coefficient("restitution", restitution, 0.0, inf)
    if e == inf:
        raise ValueError("restitution must be finite")
    axes = contact_tangents(contact, tangents)
    mu = finite_array("ratios", ratios, (len(axes),))
    direction = contact.normal + mu @ axes
    response = float(contact.normal @ contact.inverse @ direction)
    if not response > ROUNDING * float(np.linalg.norm(contact.inverse) * np.linalg.norm(direction)):
        raise ValueError(
            f"ratios {mu.tolist()}: an impulse in this direction does not push the bodies apart "
            f"(n . M^-1 (n + mu . t) = {response:.3g} must be positive)"
        )
    size = -(1.0 + e) * min(0.0, float(contact.normal @ contact.velocity)) / response
    return contact.result(size * direction)


def contact_tangents(contact: SingleContact, tangents: Any | None) -> np.ndarray:
    """Given tangents (d - 1, d), or those of `tangent_basis`.

    Raises
    ------
    ValueError
        If they are not orthonormal, or not across the normal.
    """
    if tangents is None:
        return tangent_basis(contact)
    d = len(contact.normal)
    axes = finite_array("tangents", tangents, (d - 1, d))
    frame = np.vstack([contact.normal, axes])
    if np.abs(frame @ frame.T - np.eye(d)).max() > ROUNDING:
        raise ValueError("tangents must be unit vectors at right angles to the normal and to each other")
    return axes
