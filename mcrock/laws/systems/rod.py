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

from mcrock.laws.glocker_2001 import newton
from mcrock.laws.problem import ContactProblem
from mcrock.laws.systems.parameters import count, quantities, quantity


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
    m = quantity("mass", mass, "kg", above=0.0)
    half = quantity("half_length", half_length, "m", above=0.0)
    places = quantities("obstacles", obstacles, "m")
    beyond = [x for x in places if abs(x) > half * (1.0 + 1e-12)]
    if beyond:
        raise ValueError(f"obstacles must be within the half length of {half:g} [m], got {beyond[0]:g}")
    directions = np.array([np.ones(len(places)), places])
    motion = np.array(quantities("velocity", velocity, "m/s, rad/s", number=2))
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
    half = quantity("half_length", half_length, "m", above=0.0)
    places = np.linspace(-half, half, count("points", points, 2, 100_000))
    results = [
        newton(rod_problem(mass, half, [fixed, place], velocity), restitution=restitution) for place in places
    ]
    after = np.array([result.velocity for result in results]).T
    dims = ("contact", "place")
    return xr.Dataset(
        {
            "impulse": (
                dims,
                np.array([result.impulse for result in results]).T,
                {"units": "N s", "long_name": "impulse of the obstacle"},
            ),
            "gap_rate": (
                dims,
                np.array([result.normal_velocity for result in results]).T,
                {"units": "m s-1", "long_name": "rate of the gap after the impact"},
            ),
            "rise": ("place", after[0], {"units": "m s-1", "long_name": "velocity of the centre, upwards"}),
            "spin": ("place", after[1], {"units": "rad s-1", "long_name": "spin after the impact"}),
        },
        coords={
            "contact": ["fixed", "other"],
            "place": ("place", places, {"units": "m", "long_name": "place of the other obstacle"}),
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
