"""Rods that fall, rock, bend or swing onto obstacles.

Glocker, C. (2001). On frictionless impact models in rigid-body systems. Philosophical Transactions of the
Royal Society A 359, 2385-2404: a rod on two obstacles (figure 9), one that rocks on two supports (figure 10),
a flexible one and its rigid model (figure 8), and a pendulum on a rough floor (figure 7).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, cosh, inf, pi, radians, sin
from typing import NamedTuple

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from scipy import constants
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from mcrock.base.checks import Integer, Number
from mcrock.laws.inequalities import newton
from mcrock.laws.problem import ContactProblem, SingleContact, coefficient
from mcrock.laws.systems.system import draw_lines, label_axes, numbers, swept, system_dataset
from mcrock.show import style

COLOURS = (style.BLUE, style.ORANGE, style.GREEN, style.PURPLE, style.RED)
LENGTH = Number("m", above=0.0)
POINTS = Integer(2, 100_000)
OBSTACLES = {"fixed": (style.BLUE, "-", "fixed obstacle"), "other": (style.ORANGE, "--", "other obstacle")}


def rod_problem(
    mass: float, half_length: float, obstacles: Sequence[float], velocity: Sequence[float]
) -> ContactProblem:
    """A slender homogeneous rod that touches obstacles from above.

    The gap at the abscissa x from its centre has the direction (1, x) in (height of the centre, inclination).

    Parameters
    ----------
    mass, half_length : float
        Of the rod [kg], [m].
    obstacles : sequence of float
        Abscissae of the obstacles from the centre of the rod [m].
    velocity : sequence of float
        Rise of the centre [m/s] and spin, counter-clockwise [rad/s].

    Raises
    ------
    ValueError
        If a parameter is outside its domain, or an obstacle beyond the ends of the rod.
    """
    m = Number("kg", above=0.0).check("mass", mass)
    half = LENGTH.check("half_length", half_length)
    places = numbers("obstacles", obstacles, Number("m"))
    beyond = [x for x in places if abs(x) > half * (1.0 + 1e-12)]
    if beyond:
        raise ValueError(f"obstacles must be within the half length of {half:g} [m], got {beyond[0]:g}")
    directions = np.array([np.ones(len(places)), places])
    motion = np.array(numbers("velocity", velocity, Number("m/s, rad/s"), 2))
    return ContactProblem(np.diag([m, m * half**2 / 3.0]), directions, motion)


def compute_rod(
    *,
    mass: float = 1.0,
    half_length: float = 1.0,
    fixed: float = 0.4,
    velocity: Sequence[float] = (-1.0, 0.0),
    restitution: float = 0.0,
    points: int = 401,
) -> xr.Dataset:
    """Impulses of two obstacles, one fixed, one anywhere along the rod, by Newton's inequality law.

    Parameters
    ----------
    mass, half_length : float
        Of the rod [kg], [m].
    fixed : float
        Abscissa of the fixed obstacle [m].
    velocity : sequence of float
        Rise of the centre [m/s] and spin [rad/s] before.
    restitution : float
        Of both contacts, 0 to 1 [1].
    points : int
        Places of the other obstacle.

    Returns
    -------
    Dataset
        ``impulse`` [N s] and ``gap_rate`` [m/s] (contact, place) after the impact, ``rise`` [m/s] and
        ``spin`` [rad/s] (place).
    """
    half = LENGTH.check("half_length", half_length)
    places = np.linspace(-half, half, POINTS.check("points", points))
    results = [
        newton(rod_problem(mass, half, [fixed, place], velocity), restitution=restitution) for place in places
    ]
    quantities = {
        "impulse": ("contact", lambda after: after.impulse, "N s", "impulse of the obstacle"),
        "gap_rate": (
            "contact",
            lambda after: after.normal_velocity,
            "m s-1",
            "rate of the gap after the impact",
        ),
        "rise": ("", lambda after: after.velocity[0], "m s-1", "velocity of the centre, upwards"),
        "spin": ("", lambda after: after.velocity[1], "rad s-1", "spin after the impact"),
    }
    return system_dataset(
        "Rod falling on two obstacles",
        f"A rod of {mass:g} kg and half length {half:g} m meets two obstacles at once, one fixed at "
        f"{fixed:g} m from its centre, the other anywhere along it (restitution {restitution:g}, "
        "Newton's law in inequality form). Under pure translation both act where they are on "
        "different sides of the centre; on one side only the nearer one does, and the rod turns away "
        "from the other, which separates although nothing pushed there. After Glocker (2001), "
        "figure 9.",
        {
            **swept("place", results, quantities),
            "place": ("place", places, "m", "place of the other obstacle"),
            "contact": ("contact", list(OBSTACLES)),
        },
        fixed=float(fixed),
        half_length=half,
        restitution=float(restitution),
        velocity=[float(part) for part in velocity],
    )


def draw_rod(ds: xr.Dataset) -> Axes:
    """Impulses of both obstacles above the rates of their gaps, over the place of one."""
    figure = style.new_figure(style.COLUMN, 96.0)
    above, below = figure.subplots(2, 1, sharex=True)
    place, fixed = ds["place"].values, ds.attrs["fixed"]
    step = 0.6 * (place[1] - place[0])  # a line ends where the obstacles change their parts
    for ax, name in ((above, "impulse"), (below, "gap_rate")):
        draw_lines(ax, place, ds[name].where(np.abs(ds["place"] - fixed) > step), OBSTACLES)
        ax.axvline(0.0, color=style.GREY, linewidth=0.6)
        ax.axvline(fixed, color=style.BLUE, linestyle=":", linewidth=0.8)
    label_axes(above, y="Impulse [N s]", legend=2)
    label_axes(below, ds["place"], "Gap rate after [m/s]")
    below.set_xlim(place[0], place[-1])
    figure.align_ylabels([above, below])
    rise, spin = ds.attrs["velocity"]
    style.add_note(
        above,
        f"Before the impact the centre moves at {rise:g} m/s and the rod turns at {spin:g} rad/s; "
        f"restitution {ds.attrs['restitution']:g}, Newton's law as inequalities. Dotted: place of the fixed "
        "obstacle; thin: centre of the rod. Where a gap rate is above 0 without an impulse, the "
        "other obstacle turns the rod away from this one.",
    )
    return above


def rocking_rod_problem(mass: float, half_length: float, distance: float, spin: float) -> ContactProblem:
    """The rod as it turns about one support and meets the other.

    Parameters
    ----------
    mass, half_length : float
        Of the rod [kg], [m].
    distance : float
        Of either support from the centre, at most the half length [m].
    spin : float
        Angular velocity before the impact [rad/s]: > 0, about the right support, the left one is hit; < 0 the
        other way round.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    """
    half = LENGTH.check("half_length", half_length)
    a = Number("m", above=0.0, most=half).check("distance", distance)
    w = Number("rad/s").check("spin", spin)
    return rod_problem(mass, half, [-a, a], [-a * abs(w), w])


def kinetic_cosine(problem: ContactProblem) -> float:
    """Cosine of the angle between the directions of two gaps in the kinetic metric [1].

    >>> round(kinetic_cosine(rocking_rod_problem(1.0, 1.0, 3.0**-0.5, 1.0)), 12) + 0.0
    0.0
    """
    delassus = problem.delassus
    return float(delassus[0, 1] / np.sqrt(delassus[0, 0] * delassus[1, 1]))


def compute_rocking_rod(
    *,
    mass: float = 1.0,
    half_length: float = 1.0,
    spin: float = 1.0,
    restitution: float = 0.0,
    points: int = 400,
) -> xr.Dataset:
    """Spin and impulses after the impact for all distances of the supports.

    Without rebound the rod goes on turning about the new support as long as the supports are nearer to the
    centre than the half length over sqrt(3): the old one is released without an impulse. Further apart both
    push and the rod stops. At that distance the directions of both gaps are orthogonal in the kinetic metric.

    Parameters
    ----------
    mass, half_length : float
        Of the rod [kg], [m].
    spin : float
        Before the impact, not 0 [rad/s].
    restitution : float
        Of both contacts, 0 to 1 [1].
    points : int
        Distances.

    Returns
    -------
    Dataset
        On ``distance`` [m]: ``spin_ratio`` and ``energy_ratio`` after over before [1], ``impulse`` (contact,
        distance) [N s], ``cosine`` [1].
    """
    half = LENGTH.check("half_length", half_length)
    if Number("rad/s").check("spin", spin) == 0.0:
        raise ValueError("spin must not be 0 [rad/s]: the rod has to turn to meet a support")
    number = POINTS.check("points", points)
    distance = half * np.arange(1, number + 1) / number
    problems = [rocking_rod_problem(mass, half, a, spin) for a in distance]
    impacts = [(problem, newton(problem, restitution=restitution)) for problem in problems]
    order = [0, 1] if spin > 0 else [1, 0]
    quantities = {
        "spin_ratio": ("", lambda impact: impact[1].velocity[1] / spin, "1", "spin after over before"),
        "energy_ratio": (
            "",
            lambda impact: 1.0 + impact[1].energy_change / impact[0].energy,
            "1",
            "energy after over before",
        ),
        "impulse": ("contact", lambda impact: impact[1].impulse[order], "N s", "impulse of the support"),
        "cosine": (
            "",
            lambda impact: kinetic_cosine(impact[0]),
            "1",
            "cosine of the kinetic angle of the supports",
        ),
    }
    return system_dataset(
        "Rocking rod on two supports",
        f"A rod of {mass:g} kg and half length {half:g} m turns about one support and meets the "
        f"other (restitution {restitution:g}, Newton's law in inequality form). Nearer than "
        f"{half / np.sqrt(3.0):.4g} m (half length / sqrt(3)) it rocks on and leaves the old support "
        "without an impulse; further apart both supports push and, without rebound, it stops at "
        "once. After Glocker (2001), figure 10.",
        {
            **swept("distance", impacts, quantities),
            "distance": ("distance", distance, "m", "distance of the supports from the centre"),
            "contact": ("contact", ["hit", "left"]),
        },
        critical_distance=half / float(np.sqrt(3.0)),
        half_length=half,
        restitution=float(restitution),
    )


def draw_rocking_rod(ds: xr.Dataset) -> Axes:
    """Spin and energy kept by an impact above the impulses, over the distance of the supports."""
    figure = style.new_figure(style.COLUMN, 100.0)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[3, 2])
    distance, critical = ds["distance"].values, ds.attrs["critical_distance"]
    above.plot(distance, ds["spin_ratio"], color=style.BLUE, label="spin")
    above.plot(distance, ds["energy_ratio"], color=style.ORANGE, linestyle="--", label="energy")
    looks = {
        "hit": (style.GREEN, "-", "support that is hit"),
        "left": (style.GREY, "--", "support left behind"),
    }
    draw_lines(below, distance, ds["impulse"], looks)
    for ax in (above, below):
        ax.axvline(critical, color="0.35", linestyle=":", linewidth=0.8)
    top = 1.12 * above.get_ylim()[1]
    above.set_ylim(top=top)
    name = {"textcoords": "offset points", "va": "top", "fontsize": 7.0, "color": "0.35"}
    above.annotate("rocks on", (critical, top), xytext=(-3.0, -1.0), ha="right", **name)
    above.annotate("both supports push", (critical, top), xytext=(3.0, -1.0), ha="left", **name)
    label_axes(above, y="After over before [1]", legend=2)
    label_axes(below, ds["distance"], "Impulse [N s]")
    below.set_xlim(0.0, distance[-1])
    below.legend(loc="upper left")
    below.set_ylim(top=1.45 * below.get_ylim()[1])
    figure.align_ylabels([above, below])
    style.add_note(
        above,
        f"Newton's law as inequalities, restitution {ds.attrs['restitution']:g}. Dotted: half length / √3 "
        f"= {critical:.3g} m from the centre, where the directions of both gaps are orthogonal in "
        "the kinetic metric. Nearer, the support left behind takes no impulse.",
    )
    return above


MOST_MODES = 10  # hyperbolic functions lose the mode shapes beyond


def rigid_restitution(hybrid: float, rigid: float, flexible: float) -> float:
    """Coefficient with which a rigid model gets the same motion as one with vibrations [1].

    Both rebound from rest, the flexible one without vibrations before. A negative number means that the rigid
    model would have to go on approaching: no coefficient of Newton's law does that.

    Parameters
    ----------
    hybrid : float
        Coefficient at the contact of the model with vibrations, 0 to 1 [1].
    rigid, flexible : float
        G = w . M^-1 w of either part, the velocity that a unit impulse gives the point that is hit [1/kg].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Examples
    --------
    >>> round(rigid_restitution(0.8, 1.3, 0.4), 6)
    0.376471
    """
    eps = coefficient("hybrid", hybrid, 0.0, 1.0)
    stiff = Number("1/kg", above=0.0).check("rigid", rigid)
    soft = Number("1/kg", least=0.0).check("flexible", flexible)
    return (1.0 + eps) * stiff / (stiff + soft) - 1.0


def mode_shapes(modes: int, place: np.ndarray) -> np.ndarray:
    """Bending modes of a rod with free ends, of mean square 1: their modal mass is the mass of the rod.

    Parameters
    ----------
    modes : int
        Number of modes.
    place : ndarray (n,)
        Places along the rod over its half length, -1 to 1 [1].

    Returns
    -------
    ndarray (modes, n)
        2 at an end [1].
    """
    x = np.asarray(place, float)
    shapes = []
    for k in range(1, modes + 1):
        wave = brentq(lambda b: cos(b) - 1.0 / cosh(b), k * pi, (k + 1.0) * pi) / 2.0  # of the half length
        bent, straight = (np.cosh, np.cos) if k % 2 else (np.sinh, np.sin)
        shapes.append(bent(wave * x) / bent(wave) + straight(wave * x) / straight(wave))
    return np.array(shapes).reshape(modes, x.size)


def flexible_rod_problem(
    mass: float, half_length: float, place: float, modes: int, velocity: Sequence[float]
) -> ContactProblem:
    """A slender rod that is hit from below at one place, with bending modes at rest.

    Parameters
    ----------
    mass, half_length : float
        Of the rod [kg], [m].
    place : float
        From the centre, at most the half length [m].
    modes : int
        Bending modes, 0 for a rigid rod.
    velocity : sequence of float
        Rise of the centre [m/s] and spin [rad/s]; the contact must approach for an impact.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    """
    m = Number("kg", above=0.0).check("mass", mass)
    half = LENGTH.check("half_length", half_length)
    x = Number("m").check("place", place)
    if abs(x) > half:
        raise ValueError(f"place must be within the half length of {half:g} [m], got {place!r}")
    number = Integer(0, MOST_MODES).check("modes", modes)
    shapes = mode_shapes(number, np.array([x / half]))[:, 0]
    motion = numbers("velocity", velocity, Number("m/s, rad/s"), 2)
    return ContactProblem(
        np.diag([m, m * half**2 / 3.0] + [m] * number),
        np.concatenate([[1.0, x], shapes])[:, None],
        np.array(motion + [0.0] * number),
    )


def compute_flexible_rod(
    *,
    mass: float = 1.0,
    half_length: float = 1.0,
    restitution: float = 0.8,
    modes: Sequence[int] = (1, 2, 3),
    points: int = 401,
) -> xr.Dataset:
    """Rigid coefficient over the place that is hit, for several numbers of bending modes: (3.6) to (3.8).

    Part of the impulse goes into vibrations, which a rigid model does not have: not at all at a node of the
    bending mode, most at the ends.

    Parameters
    ----------
    mass, half_length : float
        Of the rod [kg], [m].
    restitution : float
        At the contact of the flexible model, 0 to 1 [1].
    modes : sequence of int
        Numbers of bending modes.
    points : int
        Places along the rod.

    Returns
    -------
    Dataset
        ``rigid_restitution`` (modes, place) [1] and ``node`` (node) [m], the nodes of the first mode.
    """
    half = LENGTH.check("half_length", half_length)
    counts = numbers("modes", modes, Integer(0, MOST_MODES))
    places = np.linspace(-half, half, POINTS.check("points", points))
    table = np.empty((len(counts), len(places)))
    for row, number in enumerate(counts):
        for column, place in enumerate(places):
            problem = flexible_rod_problem(mass, half, place, number, (-1.0, 0.0))
            receptance = problem.directions[:, 0] ** 2 / np.diag(problem.mass)
            table[row, column] = rigid_restitution(restitution, receptance[:2].sum(), receptance[2:].sum())
    node = half * brentq(lambda x: float(mode_shapes(1, np.array([x]))[0, 0]), 0.0, 1.0)
    return system_dataset(
        "Flexible rod and the coefficient of its rigid model",
        f"A rod of {mass:g} kg and half length {half:g} m with free ends hits an obstacle; the "
        f"restitution at the contact is {restitution:g}. Shown is the coefficient with which a rigid "
        "model gets the same rigid-body motion. It is the smaller one, because vibrations keep part "
        "of the energy, and equal only where the rod is hit at a node of every mode. Where it is "
        "negative no rigid model gets that motion. After Glocker (2001), figure 8 and equation "
        "(3.8); the bending modes are those of a slender beam.",
        {
            "rigid_restitution": ("modes place", table, "1", "restitution of the rigid model"),
            "node": ("node", [-node, node], "m", "node of the first bending mode"),
            "modes": ("modes", counts, "1", "bending modes"),
            "place": ("place", places, "m", "place that is hit, from the centre"),
        },
        restitution=float(restitution),
    )


def draw_flexible_rod(ds: xr.Dataset) -> Axes:
    """Restitution of the rigid model over the place that is hit."""
    ax = style.new_axes(height=84.0)
    place, looks = ds["place"].values, {}
    for number, modes in enumerate(ds["modes"].values.tolist()):
        stroke = style.STROKES[(number + number // len(COLOURS)) % len(style.STROKES)]
        looks[modes] = (COLOURS[number % len(COLOURS)], stroke, f"{modes} mode" + "s" * (modes != 1))
    draw_lines(ax, place, ds["rigid_restitution"], looks)
    restitution = ds.attrs["restitution"]
    ax.axhline(restitution, color=style.GREY, linewidth=0.8)
    ax.axhline(0.0, color="0.35", linestyle=":", linewidth=0.8)
    nodes = ds["node"].values
    ax.plot(nodes, [restitution] * len(nodes), "o", color="0.35", markersize=3.5, clip_on=False)
    label_axes(ax, ds["place"], ds["rigid_restitution"], legend=3)
    ax.set_xlim(place[0], place[-1])
    style.add_note(
        ax,
        f"Thin: restitution at the contact, {restitution:g}. Dots: nodes of the first bending mode, where it "
        "takes no energy. Dotted: below 0 a rigid contact would still approach after the impact.",
    )
    return ax


SMALLEST_REBOUND = 1e-3  # of the speed of the first impact: a slower pendulum stays on the floor [1]
PENDULUM_LAWS = ("poisson", "newton")


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
    theta, arms, mu, before = _checked_pendulum(inertia, length, angle, friction, spin)
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
    theta, (normal, tangential), mu, before = _checked_pendulum(inertia, length, angle, friction, spin)
    eps = coefficient("restitution", restitution, 0.0, 1.0)
    if law not in PENDULUM_LAWS:
        raise ValueError(f"law must be one of {', '.join(PENDULUM_LAWS)}, got {law!r}")
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
    pull = 1.5 * constants.g / LENGTH.check("length", length)
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


def compute_impact_pendulum(
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
    return system_dataset(
        "Impact pendulum with friction",
        f"A rod of {length:g} m is released from the horizontal and meets a floor (restitution "
        f"{restitution:g}, friction {friction:g}, law of {law.capitalize()}). By Poisson's law it "
        "stays on the floor where the angle is so steep that friction wedges the tip (tan(angle) <= "
        "friction), and bounces with losses on a flat one, even for a restitution of 1. Newton's law "
        "would return the speed whatever the friction is. After Glocker (2001), figure 7.",
        {
            "angle": (
                "floor time",
                np.array([motion[0] for motion in motions]),
                "rad",
                "angle from the vertical",
            ),
            "energy_ratio": (
                "floor time",
                np.array(energy),
                "1",
                "energy above rest on the floor, over that before",
            ),
            "effective_restitution": ("floor", effective, "1", "ratio of the spins of an impact"),
            "impacts": ("floor", [len(motion[2]) for motion in motions], "1", "number of impacts"),
            "floor": ("floor", alphas, "rad", "angle at which the tip meets the floor"),
            "time": ("time", np.linspace(0.0, duration, points), "s", "time"),
        },
        friction=float(friction),
        restitution=float(restitution),
        law=law,
    )


def _checked_pendulum(
    inertia: float, length: float, angle: float, friction: float, spin: float
) -> tuple[float, tuple[float, float], float, float]:
    """Inertia, the arms (w_N, w_T), friction and spin."""
    theta = Number("kg m2", above=0.0).check("inertia", inertia)
    arm = LENGTH.check("length", length)
    alpha = Number("rad", above=0.0, most=pi / 2.0).check("angle", angle)
    mu = coefficient("friction", friction, 0.0, inf)
    before = Number("rad/s").check("spin", spin)
    if before >= 0.0:
        raise ValueError(f"spin must be < 0 [rad/s], the tip must approach the floor; got {before:g}")
    along = 0.0 if alpha == pi / 2.0 else arm * cos(alpha)
    return theta, (arm * sin(alpha), along), mu, before


def draw_impact_pendulum(ds: xr.Dataset) -> Axes:
    """The motions of the pendulum on all floors, and the energy that is left."""
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
