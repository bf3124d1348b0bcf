"""Weighted sum of two laws: a grazing collision can rebound in both directions.

Chatterjee, A., Ruina, A. (1998). A new algebraic rigid-body collision law based on impulse space
considerations. Journal of Applied Mechanics 65(4), 939-951, section 5.3.
"""

from __future__ import annotations

from mcrock.laws.chatterjee_ruina_1998 import chatterjee_ruina
from mcrock.laws.problem import ImpactResult, SingleContact, coefficient
from mcrock.laws.routh_1905 import routh


def composite(
    contact: SingleContact, *, restitution: float, tangential_restitution: float, weight: float
) -> ImpactResult:
    """Weighted sum of the impulses of `chatterjee_ruina` and `routh`.

    The permissible region is convex, so the sum is permissible where both are. Unlike the law of two
    coefficients it can rebound from a grazing collision.

    Parameters
    ----------
    contact : SingleContact
    restitution : float
        Coefficient e of the one law and e_k of the other, 0 to 1 [1].
    tangential_restitution : float
        e_t of `chatterjee_ruina`, -1 to 1 [1].
    weight : float
        sigma, 0 (Routh) to 1 (Chatterjee and Ruina) [1].

    Returns
    -------
    ImpactResult

    Raises
    ------
    ValueError
        If a coefficient is outside its domain.
    """
    sigma = coefficient("weight", weight, 0.0, 1.0)
    new = chatterjee_ruina(contact, restitution=restitution, tangential_restitution=tangential_restitution)
    old = routh(contact, restitution=restitution)
    notes = {"chatterjee_ruina": new, "routh": old}
    return contact.result(sigma * new.impulse + (1.0 - sigma) * old.impulse, notes=notes)
