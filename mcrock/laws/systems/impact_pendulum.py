"""A pendulum swings onto a rough floor: on a steep one it stays, on a flat one it bounces and loses energy.

The rod has one coordinate, the angle phi from the vertical that points down from its pivot, and meets the
horizontal floor at phi = alpha. Its tip moves by w_N = l sin(alpha) normal to the floor and by
w_T = l cos(alpha) along it for each radian, so that friction acts against the normal motion: the tip is
wedged. Newton's law returns the speed whatever the friction is; Poisson's law, with friction that opposes the
slip of each phase, gives

    eps_eff = eps (tan(alpha) - mu) / (tan(alpha) + mu),   0 where tan(alpha) <= mu

Glocker (2001), Philosophical Transactions of the Royal Society A 359, section 3(a) and figure 7. With one
coordinate the impulse at the end of compression is not unique; other rules than this one (Routh's law does
the same) give other numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, inf, pi, radians, sin
from typing import NamedTuple

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from scipy import constants
from scipy.integrate import solve_ivp

from mcrock.base.checks import Integer, Number
from mcrock.base.units import variable
from mcrock.laws.problem import SingleContact, coefficient
from mcrock.laws.systems.drawing import label_axes, numbers
from mcrock.show import style

SMALLEST_REBOUND = 1e-3  # of the speed of the first impact: a slower pendulum stays on the floor [1]
LAWS = ("poisson", "newton")


class PendulumImpact(NamedTuple):
    """What an impact leaves."""

    spin: float  # after the impact [rad/s]
    sticks: bool  # the tip stays on the floor
    restitution: float  # effective, ratio of the spins [1]
    normal_impulse: float  # [N s]
    tangential_impulse: float  # > 0 opposes the slip of the approach [N s]
    compression: float  # normal impulse at the end of the compression, NaN for Newton's law [N s]
    unique_impulse: bool  # no other impulses of the law lead to this spin


def pendulum_contact(
    inertia: float, length: float, angle: float, friction: float, spin: float
) -> SingleContact:
    """The tip in the axes (normal, tangential); its contact mass is unbounded, since it can only turn.

    Parameters
    ----------
    inertia : float
        About the pivot [kg m2].
    length : float
        From the pivot to the tip [m].
    angle : float
        alpha, from the vertical to the rod at the impact, above 0 and at most pi/2 [rad].
    friction : float
        mu, 0 to infinity [1].
    spin : float
        d phi/dt before the impact, < 0 [rad/s].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    """
    theta, arms, mu, before = _checked(inertia, length, angle, friction, spin)
    direction = np.array(arms)
    return SingleContact.of_inverse(
        np.outer(direction, direction) / theta, direction * before, np.array([1.0, 0.0]), mu
    )


def pendulum_impact(
    inertia: float,
    length: float,
    angle: float,
    friction: float,
    restitution: float,
    spin: float,
    law: str = "poisson",
) -> PendulumImpact:
    """Spin and impulses after the impact.

    Where the tip sticks the friction of the expansion is what holds it; for Newton's law, which does not say
    what friction does, the impulse is the one without friction.

    Parameters
    ----------
    inertia, length, angle, friction, spin
        As in `pendulum_contact`.
    restitution : float
        eps, 0 to 1 [1].
    law : str
        "poisson" or "newton".

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Examples
    --------
    >>> steep = pendulum_impact(1 / 3, 1.0, 0.5236, 0.6, 1.0, -1.0)
    >>> flat = pendulum_impact(1 / 3, 1.0, 1.3963, 0.6, 1.0, -1.0)
    >>> steep.sticks, flat.sticks, round(flat.restitution, 3)
    (True, False, 0.809)
    """
    theta, (normal, tangential), mu, before = _checked(inertia, length, angle, friction, spin)
    eps = coefficient("restitution", restitution, 0.0, 1.0)
    if law not in LAWS:
        raise ValueError(f"law must be one of {', '.join(LAWS)}, got {law!r}")
    if law == "newton":
        rough = mu > 0.0 and tangential > 0.0
        impulse = -theta * (1.0 + eps) * before / normal
        return PendulumImpact(-eps * before, eps == 0.0, eps, impulse, 0.0, np.nan, not rough)
    grip = mu * tangential if tangential > 0.0 else 0.0
    if grip == inf:  # friction alone stops the tip
        return PendulumImpact(0.0, True, 0.0, 0.0, -theta * before / tangential, 0.0, False)
    compression = -theta * before / (normal + grip)
    drive = max(0.0, normal - grip)
    after = eps * compression * drive / theta
    sticks = after == 0.0
    held = min(grip, normal) / tangential if tangential > 0.0 else mu  # friction of the expansion
    return PendulumImpact(
        spin=after,
        sticks=sticks,
        restitution=eps * drive / (normal + grip),
        normal_impulse=(1.0 + eps) * compression,
        tangential_impulse=(mu - eps * held) * compression,
        compression=compression,
        unique_impulse=not grip >= normal,
    )


def swing(
    length: float,
    angle: float,
    friction: float,
    restitution: float,
    duration: float,
    law: str = "poisson",
    points: int = 600,
) -> tuple[np.ndarray, np.ndarray, list[float]]:
    """Motion of a homogeneous rod that is released from the horizontal.

    Parameters
    ----------
    length, angle, friction, restitution, law
        As in `pendulum_impact`; the mass does not matter.
    duration : float
        [s].
    points : int
        Times at which the motion is given.

    Returns
    -------
    tuple of ndarray (points,), ndarray (points,), list of float
        phi [rad], d phi/dt [rad/s], times of the impacts [s]. A rod that rebounds with less than a thousandth
        of the speed of the first impact stays on the floor.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    """
    total = Number("s", above=0.0).check("duration", duration)
    pull = 1.5 * constants.g / Number("m", above=0.0).check("length", length)
    times = np.linspace(0.0, total, Integer(2, 1_000_000).check("points", points))
    phi, rate = np.full(times.size, float(angle)), np.zeros(times.size)

    def gap(_: float, state: np.ndarray) -> float:
        return float(state[0] - angle)

    vars(gap).update(terminal=True, direction=-1.0)  # where `solve_ivp` looks for them
    pendulum_contact(length**2 / 3.0, length, angle, friction, -1.0)  # checks before the motion
    start, state = 0.0, [pi / 2.0, 0.0]
    impacts: list[float] = []
    if angle == pi / 2.0:
        return phi, rate, impacts
    first = 0.0
    while start < total:
        ride = solve_ivp(
            lambda _, state: [state[1], -pull * sin(state[0])],
            (start, total),
            state,
            events=gap,
            dense_output=True,
            rtol=1e-10,
            atol=1e-12,
        )
        inside = (times >= start) & (times <= ride.t[-1])
        if inside.any():
            phi[inside], rate[inside] = ride.sol(times[inside])
        if ride.status != 1:
            break
        start, before = float(ride.t[-1]), float(ride.y[1, -1])
        impacts.append(start)
        first = first or -before
        after = pendulum_impact(length**2 / 3.0, length, angle, friction, restitution, before, law).spin
        if after <= SMALLEST_REBOUND * first:
            break
        state = [angle * (1.0 + 1e-15), after]
    return phi, rate, impacts


def example(
    *,
    angles_deg: Sequence[float] = (30.0, 80.0),
    friction: float = 0.6,
    restitution: float = 1.0,
    length: float = 1.0,
    duration: float = 2.0,
    law: str = "poisson",
    points: int = 600,
) -> xr.Dataset:
    """The pendulum released from the horizontal, on floors of several heights.

    Parameters
    ----------
    angles_deg : sequence of float
        Angles from the vertical at which the tip meets the floor, above 0 and below 90 [deg].
    friction, restitution, length, duration, law, points
        As in `swing`.

    Returns
    -------
    Dataset
        ``angle`` [rad] and ``energy_ratio``, energy over that of the first impact, (floor, time);
        ``effective_restitution`` [1] and ``impacts`` [1] (floor).

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    """
    degrees = numbers("angles_deg", angles_deg, Number("deg", above=0.0))
    if max(degrees) >= 90.0:
        raise ValueError(f"angles_deg must be < 90 [deg], where the rod is released; got {max(degrees):g}")
    alphas = [radians(value) for value in degrees]
    effective = [
        pendulum_impact(1.0, length, alpha, friction, restitution, -1.0, law).restitution for alpha in alphas
    ]
    motions = [swing(length, alpha, friction, restitution, duration, law, points) for alpha in alphas]
    pull = 1.5 * constants.g / length
    energy = [
        (0.5 * rate**2 + pull * (cos(alpha) - np.cos(phi))) / (pull * cos(alpha))
        for (phi, rate, _), alpha in zip(motions, alphas, strict=True)
    ]
    return xr.Dataset(
        {
            "angle": variable(
                "floor time", np.array([motion[0] for motion in motions]), "rad", "angle from the vertical"
            ),
            "energy_ratio": variable(
                "floor time", np.array(energy), "1", "energy above rest on the floor, over that before"
            ),
            "effective_restitution": variable("floor", effective, "1", "ratio of the spins of an impact"),
            "impacts": variable("floor", [len(motion[2]) for motion in motions], "1", "number of impacts"),
            "floor": variable("floor", alphas, "rad", "angle at which the tip meets the floor"),
            "time": variable("time", np.linspace(0.0, duration, points), "s", "time"),
        },
        attrs={
            "title": "Impact pendulum with friction",
            "description": (
                f"A rod of {length:g} m is released from the horizontal and meets a floor (restitution "
                f"{restitution:g}, friction {friction:g}, law of {law.capitalize()}). By Poisson's law it "
                "stays on the floor where the angle is so steep that friction wedges the tip (tan(angle) <= "
                "friction), and bounces with losses on a flat one, even for a restitution of 1. Newton's law "
                "would return the speed whatever the friction is. After Glocker (2001), figure 7."
            ),
            "friction": float(friction),
            "restitution": float(restitution),
            "law": law,
        },
    )


def _checked(
    inertia: float, length: float, angle: float, friction: float, spin: float
) -> tuple[float, tuple[float, float], float, float]:
    """Inertia, the arms (w_N, w_T), friction and spin."""
    theta = Number("kg m2", above=0.0).check("inertia", inertia)
    arm = Number("m", above=0.0).check("length", length)
    alpha = Number("rad", above=0.0, most=pi / 2.0).check("angle", angle)
    mu = coefficient("friction", friction, 0.0, inf)
    before = Number("rad/s").check("spin", spin)
    if before >= 0.0:
        raise ValueError(f"spin must be < 0 [rad/s], the tip must approach the floor; got {before:g}")
    along = 0.0 if alpha == pi / 2.0 else arm * cos(alpha)
    return theta, (arm * sin(alpha), along), mu, before


COLOURS = (style.BLUE, style.ORANGE, style.GREEN, style.PURPLE, style.RED)


@style.styled
def plot(ds: xr.Dataset) -> Axes:
    """Draw the motions of the pendulum on all floors, and the energy that is left.

    Parameters
    ----------
    ds : Dataset
        From `example`.

    Returns
    -------
    Axes
        Of the angles, above that of the energies.
    """
    figure = style.new_figure(style.COLUMN, 100.0)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[3, 2])
    time = ds["time"].values
    words = []
    for number, floor in enumerate(ds["floor"].values):
        colour, at = COLOURS[number % len(COLOURS)], ds.isel(floor=number)
        degrees = f"{np.degrees(floor):.3g}°"
        stroke = style.STROKES[number % len(style.STROKES)]
        above.plot(time, np.degrees(at["angle"]), color=colour, linestyle=stroke, label=f"floor at {degrees}")
        above.axhline(np.degrees(floor), color=colour, linestyle=":", linewidth=0.8)
        below.plot(time, at["energy_ratio"], color=colour, linestyle=stroke)
        impacts = int(at["impacts"])
        words.append(
            f"{degrees}: {impacts} impact{'s' * (impacts != 1)}, "
            f"effective restitution {float(at['effective_restitution']):.3g}"
        )
    label_axes(above, y="Angle from the vertical [°]", legend=2)
    label_axes(below, ds["time"])
    below.set_ylabel("Energy left [1]")
    below.set_xlim(time[0], time[-1])
    below.set_ylim(-0.04, 1.06)
    figure.align_ylabels([above, below])
    style.add_note(
        above,
        f"Law of {ds.attrs['law'].capitalize()}, restitution {ds.attrs['restitution']:g}, friction "
        f"{ds.attrs['friction']:g}. Dotted: the tip touches the floor. {'; '.join(words)}. Energy over that "
        "of the fall from the horizontal to that floor.",
    )
    return above
