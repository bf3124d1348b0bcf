"""Collision without tangential compliance: slip and stick, followed in the normal impulse.

Routh, E. J. (1905). The Elementary Part of a Treatise on the Dynamics of a System of Rigid Bodies, seventh
edition. Macmillan, London (first edition 1860, fifth 1891). Kinetic restitution after Poisson: the impulse
ends at 1 + e_k times its value at the end of compression. Here in the form of Chatterjee and Ruina (1998),
equation (7).

In the plane the path of the impulse is a line with a kink or two, so the law is in closed form. In three
dimensions the direction of slip turns; the integration is exact where the contact sticks or slips straight.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, isinf, log

import numpy as np
from scipy.integrate import solve_ivp

from mcrock.laws.problem import (
    NEGLIGIBLE,
    ImpactResult,
    NormalForm,
    SingleContact,
    coefficient,
    sliding_impulse,
)
from mcrock.laws.whittaker_1904 import no_solution

RTOL = 1e-12  # of the integration in three dimensions, relative and for logarithms and angles absolute [1]
STEADY = 1e-13  # rate at which the direction of slip turns that is rounding, relative [1]
CLOSED = 1e-13  # normal velocity at a kink that is rounding, over the speed before the collision [1]
STIFF = 300.0  # ratio of the two rates at which slip decays beyond which an implicit method is faster [1]
PIECES = 8  # of a path that slips: it turns to the end of compression and on, and goes straight
LONGEST = 1e9  # of the integration, in units in which slip turns at a rate of about 1
FIRST_STEP = 1e-6  # of the integration, in the same units


class EndlessError(Exception):
    """The normal impulse grows without an end of the compression."""


@dataclass(slots=True)
class _Path:
    """The impulse on its way."""

    form: NormalForm
    mu: float
    restitution: float
    normal: float  # impulse so far [N s]
    tangential: np.ndarray  # (k,) [N s]
    compression: float | None = None  # normal impulse at the end of compression [N s]
    phases: list[str] = field(default_factory=list)

    @property
    def end(self) -> float:
        """Normal impulse at the end of the collision, infinite as long as it is not known [N s]."""
        return inf if self.compression is None else (1.0 + self.restitution) * self.compression

    @property
    def approach(self) -> float:
        return self.form.normal_velocity(self.normal, self.tangential)

    @property
    def slip(self) -> np.ndarray:
        return self.form.tangential_velocity(self.normal, self.tangential)

    def follow(self, rate: np.ndarray, longest: float) -> bool:
        """Go straight, dx/dp = ``rate``, for at most a given normal impulse; True at the end."""
        growth = self.form.w_nn + float(self.form.w_tn @ rate)
        if abs(growth) <= NEGLIGIBLE * (self.form.w_nn + float(np.abs(self.form.w_tn) @ np.abs(rate))):
            growth = 0.0  # of a mass that is unbounded along this way
        speed = abs(self.form.approach) + float(np.linalg.norm(self.form.slip))
        start, length = self.approach, inf
        if self.compression is None:
            if start >= -CLOSED * speed and not (self.normal == 0.0 and growth < 0.0):
                length = 0.0
            elif growth > 0.0 and start < 0.0:
                length = -start / growth
            if length <= longest:
                self.compression = self.normal + length
        length = min(longest, self.end - self.normal)
        if isinf(length):
            raise EndlessError
        self.normal, self.tangential = self.normal + length, self.tangential + length * rate
        return length < longest or isinf(longest)


def routh(contact: SingleContact, *, restitution: float) -> ImpactResult:
    """Collision by Routh's law.

    In the plane the outcome is permissible. In three dimensions it may penetrate where friction jams the
    contact, i.e. makes the normal velocity fall again after the compression; ``kinematic`` is then false.

    Parameters
    ----------
    contact : SingleContact
        Friction may be infinite: the contact then sticks at once, before any normal impulse. (The limit of
        growing friction differs where this first step already separates the contact.)
    restitution : float
        Poisson's (kinetic) coefficient e_k, 0 to 1 [1].

    Returns
    -------
    ImpactResult
        With the notes ``compression_impulse``, the normal impulse at the end of compression [N s], and
        ``phases``, the phases of the contact in order: "slip", "stick" or "slip on" (after the slip has come
        to zero, where friction cannot hold the contact).

    Raises
    ------
    ValueError
        If the coefficient is outside its domain, or the mass is unbounded and no impulse ends the slip, as
        infinite friction asks, or the approach.

    Examples
    --------
    >>> contact = SingleContact(np.array([[1.5, 0.6], [0.6, 1.0]]), np.array([1.2, -1.0]), np.eye(2)[1], 0.3)
    >>> routh(contact, restitution=0.6).velocity.round(6)
    array([0.342857, 0.6     ])
    """
    e = coefficient("restitution", restitution, 0.0, 1.0)
    form = NormalForm.of(contact)
    path = _Path(form, float(contact.friction), e, 0.0, np.zeros_like(form.slip))
    try:
        _collide(path, speed=float(np.linalg.norm(contact.velocity)))
    except EndlessError:
        raise no_solution(contact, "Routh") from None
    notes = {"compression_impulse": float(path.compression or 0.0), "phases": tuple(path.phases)}
    impulse = form.impulse(path.normal, path.tangential)
    # along a direction in which nothing can move, the impulse is internal
    unique = contact.mass is not None or contact.friction == 0.0
    return contact.result(impulse, unique_impulse=unique, notes=notes)


def _collide(path: _Path, speed: float) -> None:
    """Follow the impulse to the end of the collision."""
    form, mu = path.form, path.mu
    if mu == 0.0:
        path.phases.append("slip")
        path.follow(np.zeros_like(form.slip), inf)
        return
    slipping = float(np.linalg.norm(form.slip)) > NEGLIGIBLE * speed
    if slipping and isinf(mu):
        stop = sliding_impulse(form.w_tt, form.slip, inf)
        if np.linalg.norm(form.slip + form.w_tt @ stop) > CLOSED * speed:
            raise ValueError("infinite friction: no impulse ends the slip, which is not in the range of M^-1")
        if form.approach == 0.0 and float(form.w_tn @ stop) >= 0.0:  # grazing: nothing presses the contact
            path.compression = 0.0
            return
        path.tangential = stop
        path.phases.append("slip")
        if path.approach >= -CLOSED * speed:
            path.compression = 0.0
            return
    elif slipping:
        path.phases.append("slip")
        if _slip(path, speed):
            return
    # dx/dp is the impulse that best holds the slip that a unit of normal impulse would cause
    rate = sliding_impulse(form.w_tt, form.w_tn, mu)
    left = float(np.linalg.norm(form.w_tn + form.w_tt @ rate))
    held = left <= CLOSED * (form.w_nn + float(np.linalg.norm(form.w_tn)))
    path.phases.append("stick" if held else "slip on")
    path.follow(rate, inf)


def _slip(path: _Path, speed: float) -> bool:
    """Slip until the slip velocity is zero or the collision over; True if it is over."""
    form, mu = path.form, path.mu
    scale = (form.w_nn + float(np.trace(form.w_tt))) * (1.0 + mu)
    angle, length = 0.0, float(np.linalg.norm(path.slip))
    s = path.slip / length
    if len(s) == 2:
        angle = float(np.arctan2(s[1], s[0]))
    for _ in range(PIECES):
        pull = form.w_tn - mu * (form.w_tt @ s)  # dw/dp
        shrink = float(s @ pull)
        if np.linalg.norm((pull - shrink * s) / scale) <= STEADY:
            over = path.follow(-mu * s, length / -shrink if shrink < 0.0 else inf)
            if over or shrink < 0.0:
                return over
            continue
        # the slip that follows from the impulse so far would be blurred by rounding where it is small
        ending, angle, length = _turn(path, angle, length, speed, scale)
        if ending != "on":
            return ending == "over"
        s = np.array([np.cos(angle), np.sin(angle)])
    raise ArithmeticError(f"the slip did not end in {PIECES} pieces")


def _turn(path: _Path, start: float, length: float, speed: float, scale: float) -> tuple[str, float, float]:
    """Follow a slip that turns until it is straight or zero or the compression or the collision ends.

    In the time t with dp = |w| dt the direction of slip follows an equation of its own, and the length of
    the slip decays exponentially: its zero is no singularity.

    Parameters
    ----------
    path : _Path
    start, length : float
        Direction [rad] and length [m/s] of the slip.
    speed, scale : float
        Units of velocity [m/s] and of its change by the impulse [1/kg].

    Returns
    -------
    tuple of str, float, float
        "over" if the collision is, "zero" if the slip is, else "on"; direction and length of the slip.
    """
    form, mu = path.form, path.mu
    unit = speed / scale  # of the normal impulse
    wide = unit * (1.0 + mu)  # and of the tangential one

    def pull(angle: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        s = np.array([np.cos(angle), np.sin(angle)])
        return s, np.array([-s[1], s[0]]), (form.w_tn - mu * (form.w_tt @ s)) / scale

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        s, across, q = pull(y[0])
        length = np.exp(y[1])
        return np.array([across @ q, s @ q, length, *(-mu / (1.0 + mu) * length * s)])

    def turning(_: float, y: np.ndarray) -> float:
        across, q = pull(y[0])[1:]
        return abs(float(across @ q)) - 0.5 * STEADY

    def slipping(_: float, y: np.ndarray) -> float:
        return float(y[1]) - log(0.5 * NEGLIGIBLE)

    def normal_velocity(_: float, y: np.ndarray) -> float:
        return form.normal_velocity(unit * y[2], wide * y[3:]) / speed

    def remaining(_: float, y: np.ndarray) -> float:
        return unit * float(y[2]) / path.end - 1.0

    third = remaining
    state = np.array([start, log(length / speed), path.normal / unit, *(path.tangential / wide)])
    if path.compression is None:
        third = normal_velocity
        growth = form.w_nn - mu * float(form.w_tn @ pull(start)[0])
        if path.normal == 0.0 and path.approach >= 0.0 and growth >= 0.0:  # grazing, and nothing presses
            path.compression = 0.0
            return "over", start, length
    values = np.linalg.eigvalsh(form.w_tt)
    method = "DOP853" if values[1] < STIFF * values[0] else "Radau"
    events = [turning, slipping, third]
    for event, direction in zip(events, (-1.0, -1.0, 1.0), strict=True):
        vars(event).update(terminal=True, direction=direction)  # where `solve_ivp` looks for them
    solution = solve_ivp(
        rates,
        (0.0, LONGEST),
        state,
        method,
        events=events,
        first_step=FIRST_STEP,  # small enough to see a grazing contact close before it opens
        rtol=RTOL,
        atol=RTOL,
    )
    if solution.status != 1:
        raise ArithmeticError(f"integration of the slip: {solution.message}")
    final = solution.y[:, -1]
    path.normal, path.tangential = unit * float(final[2]), wide * final[3:]
    ending = "zero" if len(solution.t_events[1]) else "on"
    if len(solution.t_events[2]):
        ending = "over"
        if path.compression is None:
            path.compression = path.normal
            ending = "on" if path.restitution > 0.0 else "over"
    return ending, float(final[0]), speed * float(np.exp(final[1]))
