"""Two restitution coefficients and friction for spheres and discs: linear, then cut off.

Walton, O. R. (1993). Numerical simulation of inelastic, frictional particle-particle interactions. In Roco,
M. C. (ed.), Particulate Two-Phase Flow, Butterworth-Heinemann, Boston, 884-911. Form: Chatterjee and Ruina
(1998), equation (9), where it is the bilinear law.
"""

from __future__ import annotations

import numpy as np

from mcrock.laws.problem import ROUNDING, ImpactResult, SingleContact, coefficient, tangent_basis


def bilinear(contact: SingleContact, *, restitution: float, tangential_restitution: float) -> ImpactResult:
    """Collision by the bilinear law.

    Parameters
    ----------
    contact : SingleContact
        The normal and the direction of slip must be eigenvectors of its mass, as for spheres and discs.
    restitution : float
        Normal coefficient e, 0 to 1 [1].
    tangential_restitution : float
        Tangential coefficient e_t, -1 (frictionless) over 0 (sticking) to 1 (reversal) [1].

    Returns
    -------
    ImpactResult

    Raises
    ------
    ValueError
        If a coefficient is outside its domain, or the mass couples the normal and tangential directions: the
        law is then wrong even without friction.

    Examples
    --------
    >>> ball = SingleContact(np.diag([1.0, 2 / 7, 2 / 7]), np.array([-1.0, -0.3, 0.0]), np.eye(3)[0], 0.3)
    >>> bilinear(ball, restitution=0.8, tangential_restitution=0.4).impulse.round(9)
    array([1.8 , 0.12, 0.  ])
    """
    e = coefficient("restitution", restitution, 0.0, 1.0)
    et = coefficient("tangential_restitution", tangential_restitution, -1.0, 1.0)
    normal = contact.normal
    m_n = _eigenvalue(contact, normal, "the normal")
    approach, slip = contact.split(contact.velocity)
    speed = float(np.linalg.norm(slip))
    impulse = -(1.0 + e) * m_n * min(0.0, approach) * normal
    if speed > ROUNDING * float(np.linalg.norm(contact.velocity)):
        against = tangent_basis(contact)[0]
        m_t = _eigenvalue(contact, against, "the direction of slip")
        limit = contact.friction * float(normal @ impulse) if contact.friction < np.inf else np.inf
        impulse = impulse + min(limit, (1.0 + et) * m_t * speed) * against
    return contact.result(impulse)


def _eigenvalue(contact: SingleContact, direction: np.ndarray, name: str) -> float:
    """Mass along a direction [kg]; a ValueError if it is not a principal one."""
    change = contact.inverse @ direction
    value = float(direction @ change)
    size = float(np.linalg.norm(contact.inverse))
    if np.linalg.norm(change - value * direction) > 10.0 * ROUNDING * size or value <= ROUNDING * size:
        raise ValueError(
            f"the bilinear law needs {name} to be an eigenvector of the mass, as for spheres and discs; "
            "take the law of Chatterjee and Ruina (1998) for other bodies"
        )
    return 1.0 / value
