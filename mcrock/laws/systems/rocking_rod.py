"""A rod that rocks on two supports keeps rocking only if they are close enough to each other.

The rod turns about one support when the other one hits it; without rebound (eps = 0) it goes on turning about
the new one as long as the supports are nearer to the centre than a = l / sqrt(3), with l the half length: the
old support is released without an impulse. Further apart both supports push and the rod stops at once. At the
critical distance the directions of both gaps are orthogonal in the kinetic metric. Glocker (2001),
Philosophical Transactions of the Royal Society A 359, figure 10.
"""

from __future__ import annotations

import numpy as np
import xarray as xr

from mcrock.laws.glocker_2001 import newton
from mcrock.laws.problem import ContactProblem
from mcrock.laws.systems.parameters import count, quantity
from mcrock.laws.systems.rod import rod_problem


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
    half = quantity("half_length", half_length, "m", above=0.0)
    a = quantity("distance", distance, "m", above=0.0, most=half)
    w = quantity("spin", spin, "rad/s")
    return rod_problem(mass, half, [-a, a], [-a * abs(w), w])


def kinetic_cosine(problem: ContactProblem) -> float:
    """Cosine of the angle between the directions of two gaps in the kinetic metric [1].

    >>> round(kinetic_cosine(rocking_rod_problem(1.0, 1.0, 3.0**-0.5, 1.0)), 12) + 0.0
    0.0
    """
    delassus = problem.delassus
    return float(delassus[0, 1] / np.sqrt(delassus[0, 0] * delassus[1, 1]))


def example(
    *,
    mass: float = 1.0,
    half_length: float = 1.0,
    spin: float = 1.0,
    restitution: float = 0.0,
    points: int = 400,
) -> xr.Dataset:
    """Spin and impulses after the impact for all distances of the supports.

    Parameters
    ----------
    mass, half_length : float
        Of the rod [kg], [m].
    spin : float
        Before the impact [rad/s].
    restitution : float
        Of both contacts, 0 to 1 [1].
    points : int
        Distances.

    Returns
    -------
    Dataset
        On ``distance`` [m]: ``spin_ratio`` and ``energy_ratio`` after over before [1], ``impulse`` (contact,
        distance) [N s], ``cosine`` [1].

    Raises
    ------
    ValueError
        If a parameter is outside its domain, or the rod does not turn.
    """
    half = quantity("half_length", half_length, "m", above=0.0)
    if quantity("spin", spin, "rad/s") == 0.0:
        raise ValueError("spin must not be 0 [rad/s]: the rod has to turn to meet a support")
    number = count("points", points, 2, 100_000)
    distance = half * np.arange(1, number + 1) / number
    problems = [rocking_rod_problem(mass, half, a, spin) for a in distance]
    results = [newton(problem, restitution=restitution) for problem in problems]
    order = [0, 1] if spin > 0 else [1, 0]
    kept = [
        1.0 + result.energy_change / problem.energy for result, problem in zip(results, problems, strict=True)
    ]
    return xr.Dataset(
        {
            "spin_ratio": (
                "distance",
                np.array([result.velocity[1] for result in results]) / spin,
                {"units": "1", "long_name": "spin after over before"},
            ),
            "energy_ratio": ("distance", kept, {"units": "1", "long_name": "energy after over before"}),
            "impulse": (
                ("contact", "distance"),
                np.array([result.impulse[order] for result in results]).T,
                {"units": "N s", "long_name": "impulse of the support"},
            ),
            "cosine": (
                "distance",
                [kinetic_cosine(problem) for problem in problems],
                {"units": "1", "long_name": "cosine of the kinetic angle of the supports"},
            ),
        },
        coords={
            "contact": ["hit", "left"],
            "distance": (
                "distance",
                distance,
                {"units": "m", "long_name": "distance of the supports from the centre"},
            ),
        },
        attrs={
            "title": "Rocking rod on two supports",
            "description": (
                f"A rod of {mass:g} kg and half length {half:g} m turns about one support and meets the "
                f"other (restitution {restitution:g}, Newton's law in inequality form). Nearer than "
                f"{half / np.sqrt(3.0):.4g} m (half length / sqrt(3)) it rocks on and leaves the old support "
                "without an impulse; further apart both supports push and, without rebound, it stops at "
                "once. After Glocker (2001), figure 10."
            ),
            "critical_distance": half / float(np.sqrt(3.0)),
            "half_length": half,
            "restitution": float(restitution),
        },
    )
