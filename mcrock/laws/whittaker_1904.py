"""Kinematic restitution with friction against the slip after the collision; energy may be gained.

Whittaker, E. T. (1904). A Treatise on the Analytical Dynamics of Particles and Rigid Bodies. Cambridge
University Press. In three dimensions: Kane, T. R., Levinson, D. A. (1985). Dynamics: Theory and
Applications. McGraw-Hill. Form and critique: Chatterjee and Ruina (1998), section 4.2.2.

The normal velocity after is -e times that before (the paper prints -(1 + e)). Either the contact sticks,
with an impulse inside the friction cone, or the tangential impulse is mu times the normal one and opposes
the slip after the collision. In three dimensions up to three impulses do so; all of them are found, as the
roots of a polynomial.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import hypot, inf, isinf

import numpy as np
from numpy.polynomial import Polynomial

from mcrock.laws.problem import NEGLIGIBLE, ImpactResult, NormalForm, SingleContact, coefficient, first_of

RESIDUAL = 1e-8  # of the slip direction up to which a root of the polynomial is a solution, relative [1]
ROUNDING = 4.0 * float(np.finfo(float).eps)  # of a product of inverse mass and impulse [1]
LARGE = 1e3  # friction above which roots close to each other are looked for, too [1]
STEPS = 12  # of Newton's method
SAME = 1e-7  # difference of impulses up to which two solutions are one, relative [1]


def whittaker(contact: SingleContact, *, restitution: float) -> ImpactResult:
    """Collision by the law of Whittaker, Kane and Levinson.

    In three dimensions there may be several solutions: the one of the smallest normal impulse is returned,
    and ``solutions`` has all, in rising order of it. For masses that couple the directions the law can gain
    energy without bound, even with e < 1 and moderate friction; ``energetic`` is then false.

    Parameters
    ----------
    contact : SingleContact
        Friction may be infinite. A grazing contact is the limit of ever slower approaches.
    restitution : float
        Newton's (kinematic) coefficient e, 0 to 1 [1].

    Returns
    -------
    ImpactResult

    Raises
    ------
    ValueError
        If the coefficient is outside its domain, or the mass is unbounded and there is no solution.

    Examples
    --------
    >>> contact = SingleContact(np.array([[1.0, 1.8], [1.8, 4.0]]), np.array([0.1, -1.0]), np.eye(2)[1], 3.0)
    >>> impact = whittaker(contact, restitution=1.0)
    >>> impact.velocity.round(9) + 0.0, round(impact.energy_change, 9), impact.energetic
    (array([0., 1.]), 0.175, False)
    """
    e = coefficient("restitution", restitution, 0.0, 1.0)
    form = NormalForm.of(contact)
    found = final_slip_impulses(form, float(contact.friction), -e * form.approach)
    if not found:
        raise no_solution(contact, "Whittaker")
    alone = len(found) == 1
    known = {"unique_velocity": alone, "unique_impulse": alone}
    return first_of(
        [contact.result(form.impulse(normal, tangential), **known) for normal, tangential in found]
    )


def no_solution(contact: SingleContact, law: str) -> Exception:
    """The error of a law without solution, which is the caller's only if the mass is unbounded."""
    if contact.mass is None:
        return ValueError(
            f"the law of {law} has no solution: the mass is unbounded, and its impulse grows without end"
        )
    return ArithmeticError(f"no impulse of the law of {law} was found, though there always is one")


def final_slip_impulses(form: NormalForm, mu: float, target: float) -> list[tuple[float, np.ndarray]]:
    """All impulses to a normal velocity whose friction opposes the slip that they leave.

    Parameters
    ----------
    form : NormalForm
        Its velocities are those before; the normal one may be negative or 0.
    mu : float
        Friction coefficient [1].
    target : float
        Normal velocity after the impulse [m/s].

    Returns
    -------
    list of (float, ndarray (k,))
        Normal and tangential impulse [N s], in the order of the normal one; at least one unless the mass
        is unbounded.
    """
    change = target - form.approach
    still = np.zeros_like(form.slip)
    if mu == 0.0 or len(still) == 0 or not (form.slip.any() or form.w_tn.any()):
        return [(change / form.w_nn, still)]
    speed = abs(change) + float(np.linalg.norm(form.slip))
    if speed == 0.0:
        return [(0.0, still)]
    found = _sticking(form, mu, change, speed) + _slipping(form, mu, change, speed)
    if change <= NEGLIGIBLE * speed:
        found = [(p, x) for p, x in found if p > SAME * speed / form.w_nn or np.linalg.norm(x) > 0.0]
        if not found or _starts_from_rest(form, mu):
            found.append((0.0, still))
    found.sort(key=lambda solution: solution[0])
    size = max((abs(p) + float(np.linalg.norm(x)) for p, x in found), default=0.0)
    kept: list[tuple[float, np.ndarray]] = []
    for p, x in found:
        if all(abs(p - q) + np.linalg.norm(x - y) > SAME * size for q, y in kept):
            kept.append((p, x))
    return kept


def _starts_from_rest(form: NormalForm, mu: float) -> bool:
    """Whether the solutions of slow approaches to a grazing contact shrink to nothing."""
    coupling = float(form.w_tn @ form.slip) / float(np.linalg.norm(form.slip))
    return coupling < 0.0 if isinf(mu) else form.w_nn - mu * coupling > 0.0


def _sticking(form: NormalForm, mu: float, change: float, speed: float) -> list[tuple[float, np.ndarray]]:
    """The impulse that ends the slip, if it is inside the friction cone."""
    inverse = form.inverse
    wanted = np.append(change, -form.slip)
    impulse = np.linalg.lstsq(inverse, wanted, rcond=NEGLIGIBLE)[0]
    # of masses nearly unbounded: the parts of the product are large and cancel
    rounded = ROUNDING * float(np.linalg.norm(inverse) * np.linalg.norm(impulse))
    if np.linalg.norm(inverse @ impulse - wanted) > max(RESIDUAL * speed, rounded):
        return []  # of an unbounded mass
    p, x = float(impulse[0]), impulse[1:]
    rounding = NEGLIGIBLE * float(np.linalg.norm(impulse))
    inside = p >= -rounding if isinf(mu) else np.linalg.norm(x) <= mu * p + rounding
    return [(p, x)] if inside else []


def _slipping(form: NormalForm, mu: float, change: float, speed: float) -> list[tuple[float, np.ndarray]]:
    """The impulses on the friction cone that oppose the slip w+ they leave, w+ = -c x with c > 0.

    For a given c the impulse (p, x) solves a linear system; by Cramer's rule all parts are polynomials in c
    over a common one, and |x| = mu p is an equation of degree 2 k for k tangents.
    """
    scale = form.w_nn + float(np.trace(form.w_tt))
    values, vectors = np.linalg.eigh(form.w_tt / scale)
    coupling = vectors.T @ form.w_tn / scale
    slip = vectors.T @ form.slip / speed
    w_nn, change = form.w_nn / scale, change / speed
    factors = [Polynomial([max(value, 0.0), 1.0]) for value in values]
    whole, k = Polynomial([1.0]), len(values)
    for factor in factors:
        whole *= factor
    others = [Polynomial([1.0]) if k == 1 else factors[1 - i] for i in range(k)]
    below = w_nn * whole - sum(coupling[i] ** 2 * others[i] for i in range(k))
    normal = change * whole + sum(coupling[i] * slip[i] * others[i] for i in range(k))
    tangential = []
    for i in range(k):
        part = -(slip[i] * w_nn + coupling[i] * change) * others[i]
        if k == 2:
            j = 1 - i
            part = part + coupling[j] * (slip[i] * coupling[j] - coupling[i] * slip[j])
        tangential.append(part)
    # where friction is large the roots are in pairs about those of p = 0, too close for a polynomial
    starts = _positive_roots(normal) if mu > LARGE else []
    if mu < inf:
        across, along = 1.0 / hypot(1.0, mu), mu / hypot(1.0, mu)
        starts += _positive_roots(
            sum(((across * part) ** 2 for part in tangential), Polynomial([0.0])) - (along * normal) ** 2
        )
        starts = [root for c in starts for root in _on_the_cone(tangential, normal, mu, c)]
    found = []
    for c in starts:
        p = 0.0 if isinf(mu) else float(normal(c) / below(c))
        x = np.array([part(c) for part in tangential]) / below(c)
        left = slip + coupling * p + values * x
        length, rest = float(np.linalg.norm(x)), float(np.linalg.norm(left))
        if p < 0.0 or (isinf(mu) and length == 0.0):
            continue
        if not isinf(mu):
            p = length / mu  # exactly on the cone
        if np.linalg.norm(left * length + x * rest) <= RESIDUAL * length * max(rest, NEGLIGIBLE):
            found.append((p * speed / scale, vectors @ x * speed / scale))
    return found


def _on_the_cone(
    tangential: list[Polynomial], normal: Polynomial, mu: float, start: float
) -> Iterator[float]:
    """Roots c > 0 of |x| = mu p near a start, from each side of it, by Newton's method."""
    slopes, slope = [part.deriv() for part in tangential], normal.deriv()
    for side in (-1.0, 1.0) if mu > LARGE else (0.0,):
        c = start * (1.0 + side / mu)
        for _ in range(STEPS):
            x = np.array([part(c) for part in tangential])
            length = float(np.linalg.norm(x))
            if length == 0.0:
                break
            rate = float(x @ [part(c) for part in slopes]) / length - mu * float(slope(c))
            step = (length - mu * float(normal(c))) / rate if rate != 0.0 else 0.0
            if not abs(step) <= 0.5 * c:
                break
            c -= step
            if abs(step) <= NEGLIGIBLE * c:
                break
        yield c


def _positive_roots(equation: Polynomial) -> list[float]:
    """Real roots above 0, and the real parts of those that rounding may have made complex."""
    coefficients = equation.coef
    if not coefficients.any():
        return []
    roots: np.ndarray = Polynomial(coefficients / np.abs(coefficients).max()).roots()
    return [float(c.real) for c in roots if 0.0 < c.real < inf and abs(c.imag) <= 1e-5 * abs(c)]
