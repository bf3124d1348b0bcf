"""Kinematic restitution, friction along a mean of the slip before and after.

Smith, C. E. (1991). Predicting rebounds using rigid-body dynamics. Journal of Applied Mechanics 58(3),
754-758. Form and critique: Chatterjee and Ruina (1998), equation (8): with the normal impulse p and the
slip w before and w+ after the collision, the tangential impulse is

    x = -mu p g,    g = (w |w| + w+ |w+|) / (|w|^2 + |w+|^2)

No energy is gained and the impulse is inside the friction cone. In three dimensions there may be several
solutions; those with p < 0, which the equations have for large friction, are discarded. (The paper's
statement that the law cannot capture a slip that keeps its sign is wrong: after shallow incidence it does.)

All solutions are found: in polar coordinates w+ = r s(angle) both equations are polynomials in r whose
coefficients are trigonometric polynomials of the angle, and eliminating r leaves one of degree 8 in it. They
are multiplied by what p is divided by, which otherwise has poles.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import inf

import numpy as np
from scipy.optimize import root

from mcrock.laws.problem import NEGLIGIBLE, ImpactResult, NormalForm, SingleContact, coefficient, first_of
from mcrock.laws.whittaker_1904 import final_slip_impulses, no_solution

NO_SLIP = 1e-10  # slip over velocity that counts as none: both laws leave as little of it, or forget it [1]
SAMPLES = 32  # of a trigonometric polynomial of degree 8, which has 17 coefficients
CIRCLE = 0.05  # distance from the unit circle of roots that are tried as angles [1]
SLOW = 1e-3  # approach over slip below which the solutions of a grazing contact are tried, too [1]
COARSE = 1e-3  # rounding of a slip up to which it may be a solution, relative [1]
MUCH = 1e6  # friction that counts as infinite: beyond, rounding in g exceeds the difference [1]
RESIDUAL = 1e-9  # of the equations up to which a slip is a solution, relative [1]
TURNS = 5  # of an iteration whose error shrinks by slip over mu p [1]
SAME = 1e-6  # difference of slips up to which two solutions are one, relative to the velocity [1]


def smith(contact: SingleContact, *, restitution: float) -> ImpactResult:
    """Collision by Smith's law.

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
        part = RESIDUAL * float(np.linalg.norm(g)) + NEGLIGIBLE
        wrong = np.abs(self.residual(unknown))
        return bool(
            wrong[0] <= RESIDUAL * (self.change + b * self.w_nn) + b * part * np.linalg.norm(self.w_tn)
            and wrong[1:].max() <= RESIDUAL * size + b * part * np.linalg.norm(self.w_tt)
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
        if p <= 0.0 or np.linalg.norm(form.inverse @ [p, *x] - wanted) > RESIDUAL * np.linalg.norm(wanted):
            return []
        last, g = after, -np.array(x) / (mu * p)
        if np.abs(g).max() > 1.0 + RESIDUAL:  # of no pair of slips: the iteration runs away
            return []
        square = g * (speed**2 + float(after @ after)) - speed * form.slip  # w+ |w+|
        after = square / np.sqrt(max(float(np.linalg.norm(square)), NEGLIGIBLE * speed**2))
    return [(float(p), np.array(x))] if np.linalg.norm(after - last) <= RESIDUAL * speed else []


def _is_new(impulse: tuple[float, np.ndarray], found: list[tuple[float, np.ndarray]]) -> bool:
    """Whether an impulse is none of those found."""
    one, others = np.append(*impulse), [np.append(p, x) for p, x in found]
    return all(np.linalg.norm(one - other) > SAME * np.linalg.norm(one) for other in others)


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
        if not (unknown[0] > (0.0 if equations.change > 0.0 else SAME) and equations.solved(unknown)):
            continue
        if all(np.linalg.norm(unknown - other) > SAME * (1.0 + np.linalg.norm(other)) for other in found):
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
    real = [r for r in roots if r.real >= -SAME and abs(r.imag) <= 1e-2 * (1.0 + abs(r))]
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
