"""A rod falls on two obstacles: which of them it feels depends on where they are.

The rod has the coordinates (y, phi), the height of its centre and its inclination, and obstacles at abscissae
x_i from its centre; the gaps have the directions (1, x_i). Under pure translation obstacles on both sides of
the centre both act, of two on one side only the nearer: it turns the rod away from the other. Glocker (2001),
Philosophical Transactions of the Royal Society A 359, figure 9.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from mcrock.base.checks import Integer, Number
from mcrock.base.units import variable
from mcrock.laws.inequalities import newton
from mcrock.laws.problem import ContactProblem
from mcrock.laws.systems.drawing import label_axes, numbers
from mcrock.show import style


def rod_problem(
    mass: float, half_length: float, obstacles: Sequence[float], velocity: Sequence[float]
) -> ContactProblem:
    """A slender homogeneous rod that touches obstacles from above.

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
    half = Number("m", above=0.0).check("half_length", half_length)
    places = numbers("obstacles", obstacles, Number("m"))
    beyond = [x for x in places if abs(x) > half * (1.0 + 1e-12)]
    if beyond:
        raise ValueError(f"obstacles must be within the half length of {half:g} [m], got {beyond[0]:g}")
    directions = np.array([np.ones(len(places)), places])
    motion = np.array(numbers("velocity", velocity, Number("m/s, rad/s"), 2))
    return ContactProblem(np.diag([m, m * half**2 / 3.0]), directions, motion)


def example(
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

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    """
    half = Number("m", above=0.0).check("half_length", half_length)
    places = np.linspace(-half, half, Integer(2, 100_000).check("points", points))
    results = [
        newton(rod_problem(mass, half, [fixed, place], velocity), restitution=restitution) for place in places
    ]
    after = np.array([result.velocity for result in results]).T
    impulse = np.array([result.impulse for result in results]).T
    rates = np.array([result.normal_velocity for result in results]).T
    return xr.Dataset(
        {
            "impulse": variable("contact place", impulse, "N s", "impulse of the obstacle"),
            "gap_rate": variable("contact place", rates, "m s-1", "rate of the gap after the impact"),
            "rise": variable("place", after[0], "m s-1", "velocity of the centre, upwards"),
            "spin": variable("place", after[1], "rad s-1", "spin after the impact"),
            "place": variable("place", places, "m", "place of the other obstacle"),
            "contact": ("contact", ["fixed", "other"]),
        },
        attrs={
            "title": "Rod falling on two obstacles",
            "description": (
                f"A rod of {mass:g} kg and half length {half:g} m meets two obstacles at once, one fixed at "
                f"{fixed:g} m from its centre, the other anywhere along it (restitution {restitution:g}, "
                "Newton's law in inequality form). Under pure translation both act where they are on "
                "different sides of the centre; on one side only the nearer one does, and the rod turns away "
                "from the other, which separates although nothing pushed there. After Glocker (2001), "
                "figure 9."
            ),
            "fixed": float(fixed),
            "half_length": half,
            "restitution": float(restitution),
            "velocity": [float(part) for part in velocity],
        },
    )


LINES = {"fixed": (style.BLUE, "-", "fixed obstacle"), "other": (style.ORANGE, "--", "other obstacle")}


@style.styled
def plot(ds: xr.Dataset) -> Axes:
    """Draw the impulses of both obstacles and the rates of their gaps over the place of one.

    Parameters
    ----------
    ds : Dataset
        From `example`.

    Returns
    -------
    Axes
        Of the impulses, above those of the gaps.
    """
    figure = style.new_figure(style.COLUMN, 96.0)
    above, below = figure.subplots(2, 1, sharex=True)
    place = ds["place"].values
    step = 0.6 * (place[1] - place[0])  # a line ends where the obstacles change their parts
    for contact, (colour, line, words) in LINES.items():
        for ax, name in ((above, "impulse"), (below, "gap_rate")):
            values = ds[name].sel(contact=contact).where(np.abs(place - ds.attrs["fixed"]) > step).values
            ax.plot(place, values, color=colour, linestyle=line, label=words)
    for ax in (above, below):
        ax.axvline(0.0, color=style.GREY, linewidth=0.6)
        ax.axvline(ds.attrs["fixed"], color=style.BLUE, linestyle=":", linewidth=0.8)
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
