"""A flexible rod hits an obstacle: a rigid model of it needs a smaller coefficient than the contact has.

Part of the impulse goes into vibrations, which a rigid model does not have; it gets the same motion only from
a smaller coefficient. How much smaller depends on where the rod is hit: not at all at a node of its bending
mode, most at the ends. Glocker (2001), Philosophical Transactions of the Royal Society A 359, figure 8 and
equations (3.6) to (3.8).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, cosh, pi

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from scipy.optimize import brentq

from mcrock.base.checks import Integer, Number
from mcrock.base.units import variable
from mcrock.laws.problem import ContactProblem, coefficient
from mcrock.laws.systems.drawing import label_axes, numbers
from mcrock.show import style

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
    half = Number("m", above=0.0).check("half_length", half_length)
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


def example(
    *,
    mass: float = 1.0,
    half_length: float = 1.0,
    restitution: float = 0.8,
    modes: Sequence[int] = (1, 2, 3),
    points: int = 401,
) -> xr.Dataset:
    """Rigid coefficient over the place that is hit, for several numbers of bending modes.

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

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    """
    half = Number("m", above=0.0).check("half_length", half_length)
    counts = numbers("modes", modes, Integer(0, MOST_MODES))
    places = np.linspace(-half, half, Integer(2, 100_000).check("points", points))
    table = np.empty((len(counts), len(places)))
    for row, number in enumerate(counts):
        for column, place in enumerate(places):
            problem = flexible_rod_problem(mass, half, place, number, (-1.0, 0.0))
            receptance = problem.directions[:, 0] ** 2 / np.diag(problem.mass)
            table[row, column] = rigid_restitution(restitution, receptance[:2].sum(), receptance[2:].sum())
    node = half * brentq(lambda x: float(mode_shapes(1, np.array([x]))[0, 0]), 0.0, 1.0)
    return xr.Dataset(
        {
            "rigid_restitution": variable("modes place", table, "1", "restitution of the rigid model"),
            "node": variable("node", [-node, node], "m", "node of the first bending mode"),
            "modes": variable("modes", counts, "1", "bending modes"),
            "place": variable("place", places, "m", "place that is hit, from the centre"),
        },
        attrs={
            "title": "Flexible rod and the coefficient of its rigid model",
            "description": (
                f"A rod of {mass:g} kg and half length {half:g} m with free ends hits an obstacle; the "
                f"restitution at the contact is {restitution:g}. Shown is the coefficient with which a rigid "
                "model gets the same rigid-body motion. It is the smaller one, because vibrations keep part "
                "of the energy, and equal only where the rod is hit at a node of every mode. Where it is "
                "negative no rigid model gets that motion. After Glocker (2001), figure 8 and equation "
                "(3.8); the bending modes are those of a slender beam."
            ),
            "restitution": float(restitution),
        },
    )


COLOURS = (style.BLUE, style.ORANGE, style.GREEN, style.PURPLE, style.RED)


@style.styled
def plot(ds: xr.Dataset) -> Axes:
    """Draw the restitution of the rigid model over the place that is hit.

    Parameters
    ----------
    ds : Dataset
        From `example`.
    """
    ax = style.new_axes(height=84.0)
    place = ds["place"].values
    for number, modes in enumerate(ds["modes"].values.tolist()):
        ax.plot(
            place,
            ds["rigid_restitution"].sel(modes=modes).values,
            color=COLOURS[number % len(COLOURS)],
            linestyle=style.STROKES[(number + number // len(COLOURS)) % len(style.STROKES)],
            label=f"{modes} mode" + "s" * (modes != 1),
        )
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
