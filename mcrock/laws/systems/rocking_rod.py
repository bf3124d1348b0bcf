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
from matplotlib.axes import Axes

from mcrock.base.checks import Integer, Number
from mcrock.base.units import variable
from mcrock.laws.inequalities import newton
from mcrock.laws.problem import ContactProblem
from mcrock.laws.systems.drawing import label_axes
from mcrock.laws.systems.rod import rod_problem
from mcrock.show import style


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
    half = Number("m", above=0.0).check("half_length", half_length)
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
    half = Number("m", above=0.0).check("half_length", half_length)
    if Number("rad/s").check("spin", spin) == 0.0:
        raise ValueError("spin must not be 0 [rad/s]: the rod has to turn to meet a support")
    number = Integer(2, 100_000).check("points", points)
    distance = half * np.arange(1, number + 1) / number
    problems = [rocking_rod_problem(mass, half, a, spin) for a in distance]
    results = [newton(problem, restitution=restitution) for problem in problems]
    order = [0, 1] if spin > 0 else [1, 0]
    ratio = np.array([result.velocity[1] for result in results]) / spin
    impulse = np.array([result.impulse[order] for result in results]).T
    cosine = [kinetic_cosine(problem) for problem in problems]
    kept = [
        1.0 + result.energy_change / problem.energy for result, problem in zip(results, problems, strict=True)
    ]
    return xr.Dataset(
        {
            "spin_ratio": variable("distance", ratio, "1", "spin after over before"),
            "energy_ratio": variable("distance", kept, "1", "energy after over before"),
            "impulse": variable("contact distance", impulse, "N s", "impulse of the support"),
            "cosine": variable("distance", cosine, "1", "cosine of the kinetic angle of the supports"),
            "distance": variable("distance", distance, "m", "distance of the supports from the centre"),
            "contact": ("contact", ["hit", "left"]),
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


@style.styled
def plot(ds: xr.Dataset) -> Axes:
    """Draw spin and energy kept by an impact, and the impulses, over the distance of the supports.

    Parameters
    ----------
    ds : Dataset
        From `example`.

    Returns
    -------
    Axes
        Of the ratios, above that of the impulses.
    """
    figure = style.new_figure(style.COLUMN, 100.0)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[3, 2])
    distance, critical = ds["distance"].values, ds.attrs["critical_distance"]
    above.plot(distance, ds["spin_ratio"], color=style.BLUE, label="spin")
    above.plot(distance, ds["energy_ratio"], color=style.ORANGE, linestyle="--", label="energy")
    below.plot(distance, ds["impulse"].sel(contact="hit"), color=style.GREEN, label="support that is hit")
    below.plot(
        distance,
        ds["impulse"].sel(contact="left"),
        color=style.GREY,
        linestyle="--",
        label="support left behind",
    )
    for ax in (above, below):
        ax.axvline(critical, color="0.35", linestyle=":", linewidth=0.8)
    top = above.get_ylim()[1]
    above.set_ylim(top=1.12 * top)
    for place, side, words in ((-3.0, "right", "rocks on"), (3.0, "left", "both supports push")):
        above.annotate(
            words,
            (critical, 1.12 * top),
            xytext=(place, -1.0),
            textcoords="offset points",
            ha=side,
            va="top",
            fontsize=7.0,
            color="0.35",
        )
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
