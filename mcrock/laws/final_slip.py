"""Collisions of one contact whose friction opposes the slip after it, or a mean of before and after.

The laws of Whittaker (1904), Pfeiffer and Glocker (1996) and Smith (1991); each function has its source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import hypot, inf, isinf

import numpy as np
from numpy.polynomial import Polynomial
from scipy.optimize import root

from mcrock.laws.problem import (
    NEGLIGIBLE,
    ImpactResult,
    NormalForm,
    SingleContact,
    coefficient,
    first_of,
    sliding_impulse,
)

RESIDUAL = 1e-8  # of the slip direction up to which a root of the polynomial is a solution, relative [1]
ROUNDING = 4.0 * float(np.finfo(float).eps)  # of a product of inverse mass and impulse [1]
LARGE = 1e3  # friction above which roots close to each other are looked for, too [1]
STEPS = 12  # of Newton's method
SAME = 1e-7  # difference of impulses up to which two solutions are one, relative [1]


def whittaker(contact: SingleContact, *, restitution: float) -> ImpactResult:
    """Collision by the law of Whittaker, Kane and Levinson.

    Kinematic restitution with friction against the slip after the collision; energy may be gained.

    Whittaker, E. T. (1904). A Treatise on the Analytical Dynamics of Particles and Rigid Bodies. Cambridge
    University Press. In three dimensions: Kane, T. R., Levinson, D. A. (1985). Dynamics: Theory and
    Applications. McGraw-Hill. Form and critique: Chatterjee and Ruina (1998), section 4.2.2.

    The normal velocity after is -e times that before (the paper prints -(1 + e)). Either the contact sticks,
    with an impulse inside the friction cone, or the tangential impulse is mu times the normal one and opposes
    the slip after the collision. In three dimensions up to three impulses do so; all of them are found, as
    the roots of a polynomial.

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


CLOSED = 1e-12  # approach after the expansion that is rounding, over the speed before the collision [1]


def two_phase(
    contact: SingleContact,
    *,
    restitution: float,
    tangential_restitution: float = 0.0,
    reversibility: float = 0.0,
) -> ImpactResult:
    """Collision by the law of Pfeiffer and Glocker, and of Anitescu and Potra.

    Compression and expansion as two steps, each with friction against the slip that it leaves.

    Pfeiffer, F., Glocker, C. (1996). Multibody Dynamics with Unilateral Contacts. Wiley, New York (in the
    plane). Anitescu, M., Potra, F. A. (1997). Formulating dynamic multi-rigid-body contact problems with
    friction as solvable linear complementarity problems. Nonlinear Dynamics 14, 231-247 (in three dimensions,
    without tangential restitution). The friction cone is circular here, not a polyhedron as in the latter.

    In the plane the contact may give back tangential impulse as it gives back normal impulse, with two more
    coefficients, nu and e_t: e_k e_t of the friction x_c of the compression is stored. Along x_c the impulse
    of the expansion is between::

        nu e_k e_t |x_c| - (1 - nu) mu p    and    mu p,      p its normal impulse

    at the lower end where slip along x_c is left, at the upper end where slip against it is left, and in
    between where the slip has ended. nu = 0 is Coulomb's law alone. With nu = 1 the stored impulse comes back
    whatever the slip, which is Poisson's law in both directions. That the bound is linear in nu between the
    two is a choice.

    No energy is gained, whatever the coefficients: e_k times the impulse of the compression is within the
    bounds, and would lose energy; what friction makes of it minimises the energy over the bounds.

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


NO_SLIP = 1e-10  # slip over velocity that counts as none: both laws leave as little of it, or forget it [1]
SAMPLES = 32  # of a trigonometric polynomial of degree 8, which has 17 coefficients
CIRCLE = 0.05  # distance from the unit circle of roots that are tried as angles [1]
SLOW = 1e-3  # approach over slip below which the solutions of a grazing contact are tried, too [1]
COARSE = 1e-3  # rounding of a slip up to which it may be a solution, relative [1]
MUCH = 1e6  # friction that counts as infinite: beyond, rounding in g exceeds the difference [1]
SMITH_RESIDUAL = 1e-9  # of the equations up to which a slip is a solution, relative [1]
TURNS = 5  # of an iteration whose error shrinks by slip over mu p [1]
SMITH_SAME = 1e-6  # difference of slips up to which two solutions are one, relative to the velocity [1]


def smith(contact: SingleContact, *, restitution: float) -> ImpactResult:
    """Collision by Smith's law.

    Kinematic restitution, friction along a mean of the slip before and after.

    Smith, C. E. (1991). Predicting rebounds using rigid-body dynamics. Journal of Applied Mechanics 58(3),
    754-758. Form and critique: Chatterjee and Ruina (1998), equation (8): with the normal impulse p and the
    slip w before and w+ after the collision, the tangential impulse is::

        x = -mu p g,    g = (w |w| + w+ |w+|) / (|w|^2 + |w+|^2)

    No energy is gained and the impulse is inside the friction cone. In three dimensions there may be several
    solutions; those with p < 0, which the equations have for large friction, are discarded. (The paper's
    statement that the law cannot capture a slip that keeps its sign is wrong: after shallow incidence it
    does.)

    All solutions are found: in polar coordinates w+ = r s(angle) both equations are polynomials in r whose
    coefficients are trigonometric polynomials of the angle, and eliminating r leaves one of degree 8 in it.
    They are multiplied by what p is divided by, which otherwise has poles.

    The solution of the smallest normal impulse is returned; ``solutions`` has all, if there are several.

    Parameters
    ----------
    contact : SingleContact
        Without slip before the collision, the law is that of Whittaker. Friction may be infinite. A grazing
        contact is the limit of ever slower approaches.
    restitution : float
        e, 0 to 1: the normal velocity after is -e times that before [1].

    Returns
    -------
    ImpactResult

    Raises
    ------
    ValueError
        If the coefficient is outside its domain.

    Examples
    --------
    >>> contact = SingleContact(np.array([[1.5, 0.6], [0.6, 1.0]]), np.array([1.2, -1.0]), np.eye(2)[1], 0.4)
    >>> smith(contact, restitution=0.5).velocity.round(6)
    array([0.337931, 0.5     ])
    """
    e = coefficient("restitution", restitution, 0.0, 1.0)
    form, mu = NormalForm.of(contact), float(contact.friction)
    speed = float(np.linalg.norm(contact.velocity))
    if mu == 0.0 or np.linalg.norm(form.slip) <= NO_SLIP * speed:
        found = final_slip_impulses(form, mu, -e * form.approach)
    else:
        found = _impulses(form, mu, -(1.0 + e) * form.approach)
    if not found:
        raise no_solution(contact, "Smith")
    alone = len(found) == 1
    known = {"unique_velocity": alone, "unique_impulse": alone}
    return first_of([contact.result(form.impulse(p, x), **known) for p, x in found])


@dataclass(frozen=True, slots=True, eq=False)
class _Equations:
    """The law in units of the slip before and of W, with b = mu p as unknown: it stays finite for mu = inf.

    b D(w+) = change,    w+ = w + b T(w+),    D = W_nn / mu - W_tn . g,    T = W_tn / mu - W_tt g
    """

    slip: np.ndarray  # w (k,), of length 1
    change: float  # (1 + e) |v|
    w_nn: float  # W_nn / mu
    w_tn: np.ndarray  # W_tn (k,)
    pull: np.ndarray  # W_tn / mu (k,)
    w_tt: np.ndarray  # (k, k)

    def of_direction(self, s: np.ndarray) -> tuple[float, float, np.ndarray, np.ndarray]:
        """D1, D0, T1, T0 of (1 + r^2) D = D1 r^2 + D0 and (1 + r^2) T = T1 r^2 + T0 for w+ = r s."""
        return (
            self.w_nn - float(self.w_tn @ s),
            self.w_nn - float(self.w_tn @ self.slip),
            self.pull - self.w_tt @ s,
            self.pull - self.w_tt @ self.slip,
        )

    def parts(self, after: np.ndarray) -> tuple[np.ndarray, float, np.ndarray]:
        """g, D and T of a slip after the collision."""
        length = float(np.linalg.norm(after))
        g = (self.slip + length * after) / (1.0 + length**2)
        return g, self.w_nn - float(self.w_tn @ g), self.pull - self.w_tt @ g

    def residual(self, unknown: np.ndarray) -> np.ndarray:
        """Equations of b and w+ (1 + k,)."""
        b, after = float(unknown[0]), unknown[1:]
        _, d, t = self.parts(after)
        return np.concatenate([[b * d - self.change], after - self.slip - b * t])

    def solved(self, unknown: np.ndarray) -> bool:
        """Whether the equations hold but for rounding."""
        b, after = float(unknown[0]), unknown[1:]
        g, _, _ = self.parts(after)
        size = 1.0 + float(np.linalg.norm(after))
        if b * NEGLIGIBLE > COARSE * size:  # of infinite friction where nothing but rounding couples
            return False
        # g is small for much friction, its rounding is not
        part = SMITH_RESIDUAL * float(np.linalg.norm(g)) + NEGLIGIBLE
        wrong = np.abs(self.residual(unknown))
        return bool(
            wrong[0] <= SMITH_RESIDUAL * (self.change + b * self.w_nn) + b * part * np.linalg.norm(self.w_tn)
            and wrong[1:].max() <= SMITH_RESIDUAL * size + b * part * np.linalg.norm(self.w_tt)
        )


def _impulses(form: NormalForm, mu: float, change: float) -> list[tuple[float, np.ndarray]]:
    """All impulses of the law (p, x), in the order of p [N s]."""
    scale, speed = form.w_nn + float(np.trace(form.w_tt)), float(np.linalg.norm(form.slip))
    if mu > MUCH:
        mu = inf
    size = scale * max(1.0, 1.0 / mu)  # of the equations
    equations = _Equations(
        form.slip / speed,
        change / speed,
        form.w_nn / mu / size,
        form.w_tn / size,
        form.w_tn / mu / size,
        form.w_tt / size,
    )
    found = []
    for unknown in _solutions(equations):
        g, _, _ = equations.parts(unknown[1:])
        b = float(unknown[0]) * speed / size
        found.append((b / mu, -b * g))
    found += [last for last in _turned(form, mu, change) if _is_new(last, found)]
    if change == 0.0 and (not found or equations.parts(equations.slip)[1] > 0.0):
        found.append((0.0, np.zeros_like(form.slip)))
    return sorted(found, key=lambda solution: solution[0])


def _turned(form: NormalForm, mu: float, change: float) -> list[tuple[float, np.ndarray]]:
    """The solution where mu p is large over the slip, which rounding in g hides from the equations of b.

    The impulse follows from the slip after, g from the impulse, and the slip from g; it starts reversed, as
    infinite friction leaves it.
    """
    speed, after = float(np.linalg.norm(form.slip)), -form.slip
    for _ in range(TURNS):
        wanted = np.append(change, after - form.slip)
        p, *x = np.linalg.lstsq(form.inverse, wanted, rcond=NEGLIGIBLE)[0]
        if p <= 0.0 or np.linalg.norm(form.inverse @ [p, *x] - wanted) > SMITH_RESIDUAL * np.linalg.norm(
            wanted
        ):
            return []
        last, g = after, -np.array(x) / (mu * p)
        if np.abs(g).max() > 1.0 + SMITH_RESIDUAL:  # of no pair of slips: the iteration runs away
            return []
        square = g * (speed**2 + float(after @ after)) - speed * form.slip  # w+ |w+|
        after = square / np.sqrt(max(float(np.linalg.norm(square)), NEGLIGIBLE * speed**2))
    return [(float(p), np.array(x))] if np.linalg.norm(after - last) <= SMITH_RESIDUAL * speed else []


def _is_new(impulse: tuple[float, np.ndarray], found: list[tuple[float, np.ndarray]]) -> bool:
    """Whether an impulse is none of those found."""
    one, others = np.append(*impulse), [np.append(p, x) for p, x in found]
    return all(np.linalg.norm(one - other) > SMITH_SAME * np.linalg.norm(one) for other in others)


def _solutions(equations: _Equations) -> list[np.ndarray]:
    """All b > 0 with slip velocities after the collision (1 + k,), in the units of the equations."""
    found: list[np.ndarray] = []
    for start in _starts(equations):
        _, d, t = equations.parts(start)
        if equations.change > 0.0 and d > 0.0:
            b = equations.change / d
        else:
            b = float(t @ (start - equations.slip)) / max(float(t @ t), NEGLIGIBLE**2)
        if b <= 0.0:
            continue
        with np.errstate(all="ignore"):  # divisions by a step of zero, where the start is the solution
            unknown = root(equations.residual, np.concatenate([[b], start]), tol=1e-14).x
        if not (unknown[0] > (0.0 if equations.change > 0.0 else SMITH_SAME) and equations.solved(unknown)):
            continue
        if all(
            np.linalg.norm(unknown - other) > SMITH_SAME * (1.0 + np.linalg.norm(other)) for other in found
        ):
            found.append(unknown)
    return found


def _starts(equations: _Equations) -> list[np.ndarray]:
    """Slips after the collision near which the solutions are."""
    grazing = replace(equations, change=0.0)
    # a slow approach changes the slip little, or as a grazing contact would
    starts = [equations.slip] if equations.change > 0.0 else []
    for near in (equations, grazing) if 0.0 < equations.change < SLOW else (equations,):
        if len(equations.slip) == 1:
            directions = [np.array([1.0]), np.array([-1.0])]
        else:
            own = float(np.arctan2(near.slip[1], near.slip[0]))
            # with a mass that does not turn the slip the equations vanish along its own direction
            angles = [*_angles(partial(_eliminate, near)), own, own + np.pi]
            directions = [np.array([np.cos(angle), np.sin(angle)]) for angle in angles]
        starts += [r * s for s in directions for r in _lengths(near, s)]
    return starts


def _lengths(equations: _Equations, s: np.ndarray) -> list[float]:
    """Lengths r of a slip in direction s that solve the equation along s."""
    d1, d0, t1, t0 = equations.of_direction(s)
    along = float(s @ equations.slip)
    if equations.change == 0.0:  # grazing: D = 0 alone
        return [float(np.sqrt(-d0 / d1))] if d1 * d0 < 0.0 and abs(d1) > NEGLIGIBLE**2 * abs(d0) else []
    c = equations.change
    cubic = np.array([d1, -(along * d1 + c * float(s @ t1)), d0, -(along * d0 + c * float(s @ t0))])
    cubic[np.abs(cubic) <= NEGLIGIBLE**2 * np.abs(cubic).max()] = 0.0
    roots = np.roots(cubic)
    real = [r for r in roots if r.real >= -SMITH_SAME and abs(r.imag) <= 1e-2 * (1.0 + abs(r))]
    return [
        float(r.real) for r in real if abs(r) < 1.0 / NEGLIGIBLE
    ]  # beyond, it is the coefficients' rounding


def _eliminate(equations: _Equations, angle: float) -> float:
    """Trigonometric polynomial that is zero where the equations along and across s have a common r."""
    s, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    d1, d0, t1, t0 = equations.of_direction(s)
    w, c = equations.slip, equations.change
    if c == 0.0:  # r^2 = -d0 / d1 in the part of w+ - w across T
        a1, a0 = (s[0] * t[1] - s[1] * t[0] for t in (t1, t0))
        b1, b0 = (w[0] * t[1] - w[1] * t[0] for t in (t1, t0))
        return float(d0 * (d1 * a0 - d0 * a1) ** 2 + d1 * (d1 * b0 - d0 * b1) ** 2)
    a = float(across @ w) * d1 + c * float(across @ t1)  # a r^2 + b = 0 across
    b = float(across @ w) * d0 + c * float(across @ t0)
    c2 = float(s @ w) * d1 + c * float(s @ t1)  # d1 r^3 - c2 r^2 + d0 r - c0 = 0 along
    c0 = float(s @ w) * d0 + c * float(s @ t0)
    return b * (d0 * a - d1 * b) ** 2 + a * (b * c2 - a * c0) ** 2


def _angles(polynomial: Callable[[float], float]) -> list[float]:
    """Angles at which a trigonometric polynomial is zero or nearly so [rad]."""
    values = np.array([polynomial(2.0 * np.pi * i / SAMPLES) for i in range(SAMPLES)])
    spectrum = np.fft.fft(values) / SAMPLES
    degree = SAMPLES // 4
    coefficients = np.array([spectrum[i] for i in range(degree, -degree - 1, -1)])
    coefficients[np.abs(coefficients) <= 1e-15 * np.abs(coefficients).max()] = 0.0
    return [float(np.angle(z)) for z in np.roots(coefficients) if abs(abs(z) - 1.0) <= CIRCLE]
