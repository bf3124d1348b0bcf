"""Chain of aligned balls, as Newton's cradle: which velocities after an impact the energy allows.

The impact at one end reaches all contacts at once, and the balls can leave it in many ways that conserve
momentum and lose no energy: two of three coefficients of four balls stay open. The example shows the
velocities that are admissible, and that the energy condition printed in the source lets energy grow.

Brogliato, B., Zhang, H., Liu, C. (2012), section 7; see `mcrock.laws.brogliato_2012`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from mcrock.base.units import variable
from mcrock.laws.brogliato_2012 import generalized_kinematic, post_impact_ellipsoid
from mcrock.laws.problem import ContactProblem, ImpactResult, coefficient, finite_array
from mcrock.laws.systems.drawing import label_axes
from mcrock.show import style

CASES = ("first", "second")
WORDS = (
    "All contacts touch, so the impact acts at once in all of them. The map shows which velocities of "
    "separation the energy allows: all inside the solid line, which they reach without loss; the dashed "
    "line is the condition that the source prints for equal balls, which lets energy grow where it lies "
    "outside. Momentum is conserved and no contact pulls for any of them, so the energy alone does not say "
    "which one comes."
)
GRID = 161  # velocities along each axis of the map


def chain_problem(masses: Sequence[float], velocities: Sequence[float]) -> ContactProblem:
    """Balls in a line that touch each other, just before an impact.

    Parameters
    ----------
    masses : sequence of float
        Of two or more balls [kg].
    velocities : sequence of float
        Along the line [m/s].

    Raises
    ------
    ValueError
        If there are fewer than two balls, a mass is not positive, or the numbers of both differ.
    """
    balls = finite_array("masses", masses)
    if balls.ndim != 1 or len(balls) < 2 or not np.all(balls > 0.0):
        raise ValueError(f"masses must be those of two or more balls, positive [kg], got {masses!r}")
    speeds = finite_array("velocities", velocities, balls.shape)
    return ContactProblem(np.diag(balls), np.diff(np.eye(len(balls)), axis=0).T, speeds)


def chain_impact(masses: Sequence[float], velocities: Sequence[float], normal: np.ndarray) -> ImpactResult:
    """Impact of a chain by the generalized kinematic law.

    Parameters
    ----------
    masses, velocities : sequence of float
        Of n balls [kg], [m/s].
    normal : ndarray (n - 1, n - 1)
        E_n of the velocities normalized in the kinetic metric, gamma_i sqrt(m_i m_i+1/(m_i + m_i+1)). For
        equal balls they are those of the relative velocities gamma_i themselves [1].

    Returns
    -------
    ImpactResult
        Velocities of the balls [m/s], impulses of the contacts [N s]: (59), (63) for four equal balls.

    Raises
    ------
    ValueError
        As `chain_problem`, or if the matrix has another shape.
    """
    return generalized_kinematic(chain_problem(masses, velocities), normal=normal)


def before_impact(balls: int, case: str) -> np.ndarray:
    """Velocities before the impact of section 7 [m/s]: the first ball comes with 1 m/s ("first" case), or
    the last one meets it with 2 m/s as well ("second").

    Raises
    ------
    ValueError
        If there are fewer than three balls, or the case is another word.
    """
    if balls < 3:
        raise ValueError(f"the chain needs three or more balls, got {balls}")
    if case not in CASES:
        raise ValueError(f"case must be 'first' or 'second', got {case!r}")
    velocities = np.zeros(balls)
    velocities[0] = 1.0
    if case == "second":
        velocities[-1] = -2.0
    return velocities


def example(
    masses: Sequence[float] = (1.0, 1.0, 1.0, 1.0), case: str = "first", restitution: float = 1.0
) -> xr.Dataset:
    """Admissible velocities after the impact of a chain, and three outcomes.

    Parameters
    ----------
    masses : sequence of float
        Of three or more balls [kg].
    case : str
        "first": the first ball hits the others at rest with 1 m/s. "second": the last one comes from the
        other side with 2 m/s too.
    restitution : float
        e of the two outcomes by a law, 0 to 1 [1].

    Returns
    -------
    Dataset
        ``energy`` and ``printed`` (vertical, horizontal): the kinetic energy of the relative motion after the
        impact over that before, and the same by the printed conditions (60), (61). ``velocity`` (outcome,
        ball), ``impulse`` (outcome, contact), ``energy_change`` and ``consistent`` (outcome).

    Raises
    ------
    ValueError
        As `before_impact` and `chain_problem`, or if the restitution is not from 0 to 1.
    """
    e = coefficient("restitution", restitution, 0.0, 1.0)
    balls = finite_array("masses", masses)
    problem = chain_problem(balls.tolist(), before_impact(balls.size, case).tolist())
    approach = -problem.normal_velocity
    m = len(approach)
    axes = (1, m - 1) if case == "first" and m > 2 else (0, m - 1)
    axis = np.linspace(0.0, 1.25 * float(np.linalg.norm(approach)), GRID)
    energy, printed = _energies(problem, axis, axes)
    outcomes = {
        "each contact by itself": generalized_kinematic(problem, normal=e * np.eye(m)),
        "passed to the other end": generalized_kinematic(problem, normal=e * np.eye(m)[::-1]),
        "on the printed limit": _by_rates(problem, _printed_limit(approach, axes, case)),
    }
    results = outcomes.values()
    names = [f"{i + 1}-{i + 2}" for i in range(m)]
    after = [result.normal_velocity for result in results]
    held = " and ".join(names[i] for i in range(m) if i not in axes)
    return xr.Dataset(
        {
            "energy": variable(
                "vertical horizontal", energy, "1", "relative kinetic energy after over before"
            ),
            "printed": variable(
                "vertical horizontal", printed, "1", "sum of squares of the printed condition over its limit"
            ),
            "velocity": variable(
                "outcome ball", [result.velocity for result in results], "m s-1", "velocity after the impact"
            ),
            "velocity_before": variable("ball", problem.velocity, "m s-1", "velocity before the impact"),
            "relative_velocity": variable(
                "outcome contact", after, "m s-1", "velocity of separation after the impact"
            ),
            "impulse": variable(
                "outcome contact", [result.impulse for result in results], "N s", "impulse of the contact"
            ),
            "energy_change": variable(
                "outcome", [result.energy_change for result in results], "J", "change of kinetic energy"
            ),
            "consistent": variable(
                "outcome", [result.consistent for result in results], "1", "whether all checks hold"
            ),
            **{
                name: variable(name, axis, "m s-1", f"velocity of separation of {names[contact]}")
                for name, contact in zip(("vertical", "horizontal"), axes, strict=True)
            },
            "outcome": ("outcome", list(outcomes)),
            "ball": ("ball", np.arange(1, m + 2)),
            "contact": ("contact", names),
        },
        attrs={
            "title": f"Chain of {m + 1} balls, {case} impact",
            "description": f"{_before_words(problem.velocity)} {WORDS}"
            + (f" Contact {held} stays closed." if held else "")
            + " Brogliato, Zhang and Liu (2012), section 7, (59) to (63), Fig. 6.",
            "axes": [names[i] for i in axes],
        },
    )


def _energies(
    problem: ContactProblem, axis: np.ndarray, axes: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Energy after over before for velocities of separation of two contacts, and the printed condition."""
    rates = np.zeros((GRID, GRID, len(problem.normal_velocity)))
    rates[..., axes[0]], rates[..., axes[1]] = axis[:, None], axis[None, :]
    ellipsoid = post_impact_ellipsoid(problem)
    energy = np.einsum("...i,ij,...j->...", rates, ellipsoid.shape, rates) / ellipsoid.level
    return energy, (rates**2).sum(axis=2) / float(np.linalg.norm(problem.normal_velocity)) ** 2


def _printed_limit(approach: np.ndarray, axes: tuple[int, int], case: str) -> np.ndarray:
    """Velocities of separation on the limit |w|^2 = |approach|^2 of (60), (61) as printed."""
    rates = np.zeros(len(approach))
    rates[list(axes[:1] if case == "first" and len(approach) > 2 else axes)] = 1.0
    return rates * np.linalg.norm(approach) / np.linalg.norm(rates)


def _by_rates(problem: ContactProblem, rates: np.ndarray) -> ImpactResult:
    """The impact that leads to given velocities of separation."""
    return problem.result(np.linalg.solve(problem.delassus, rates - problem.normal_velocity))


def _before_words(velocities: np.ndarray) -> str:
    words = f"The first of {len(velocities)} balls comes with {velocities[0]:g} m/s"
    if velocities[-1] < 0.0:
        return f"{words} and the last one meets it with {-velocities[-1]:g} m/s; the others rest."
    return f"{words}; the others rest."


LOOKS = ((style.BLUE, "o"), (style.GREEN, "s"), (style.RED, "^"))


@style.styled
def plot(ds: xr.Dataset) -> Axes:
    """Draw what the energy allows after the impact of a chain, and the velocities of three outcomes.

    Parameters
    ----------
    ds : Dataset
        From `example`.

    Returns
    -------
    Axes
        The first of two panels.
    """
    figure = style.new_figure(style.PAGE, 88.0)
    ax, balls = figure.subplots(1, 2, width_ratios=[1.0, 1.15])
    x, y = ds["horizontal"].values, ds["vertical"].values
    ax.contourf(x, y, ds["energy"].values, levels=[0.0, 1.0], colors=[style.BLUE], alpha=0.25)
    for name, colour, line in (("energy", style.BLUE, "-"), ("printed", style.ORANGE, "--")):
        ax.contour(x, y, ds[name].values, levels=[1.0], colors=[colour], linestyles=[line], linewidths=1.3)
    axes = ds.attrs["axes"]
    others = [name for name in ds["contact"].values if name not in axes]
    numbers = ds["ball"].values
    balls.plot(numbers, ds["velocity_before"], "_", color="0.35", markersize=9.0, label="before the impact")
    handles = [
        Line2D([], [], color=style.BLUE, label="no energy is lost"),
        Line2D([], [], color=style.ORANGE, linestyle="--", label="limit as printed"),
    ]
    count = ds.sizes["outcome"]
    for place, (outcome, (colour, marker)) in enumerate(zip(ds["outcome"].values, LOOKS, strict=True)):
        one = ds.sel(outcome=outcome)
        rates = one["relative_velocity"]
        if not np.abs(rates.sel(contact=others).values).max(initial=0.0) > 1e-9:
            place_in_plane = [rates.sel(contact=name) for name in axes[::-1]]
            ax.plot(*place_in_plane, marker, color=colour, clip_on=False, zorder=3)
        shift = 0.13 * (place - 0.5 * (count - 1))
        change = float(one["energy_change"])
        words = "no loss" if abs(change) < 1e-9 else f"{change:+.3g} J"
        balls.plot(numbers + shift, one["velocity"], marker, color=colour, label=f"{outcome}, {words}")
    balls.axhline(0.0, color=style.GREY, linewidth=0.6, zorder=0)
    balls.set_xticks(numbers)
    balls.set_xlabel("Ball")
    label_axes(balls, y="Velocity [m/s]", legend=1)
    label_axes(ax, ds["horizontal"], ds["vertical"], legend=1, handles=handles)
    ax.set_aspect("equal")
    held = f", contact {' and '.join(others)} closed" if others else ""
    style.add_note(
        ax,
        f"{ds.attrs['title']}. Left: velocities with which the contacts open{held}; shaded: allowed by the "
        "energy. Momentum and the sign of the impulses allow all of them. Right: three outcomes, each a "
        "mark on the left where it lies in the plane; the last one is allowed by the printed condition.",
    )
    return ax
