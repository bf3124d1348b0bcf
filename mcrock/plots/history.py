"""The history of one run: ground motion, tilt and rotations, contact, energy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mcrock.params import STANDARD_GRAVITY, Mode, Outcome
from mcrock.plots.style import BLUE, COLUMN, GREEN, GREY, MILLIMETRE, ORANGE, OWN, add_note, paper_style

if TYPE_CHECKING:
    from mcrock.excitation import Motion
    from mcrock.simulation import Run

CONTACT = {Mode.REST: GREY, Mode.EDGE: GREEN, Mode.VERTEX: ORANGE}


def plot_history(
    run: Run, title: str = "", slenderness: float | None = None, motion: Motion | None = None
) -> Axes:
    """Ground motion, tilt and rotations, contact mode and energy of one run over time.

    Parameters
    ----------
    run : Run
        With its history.
    title : str
        Line above the figure.
    slenderness : float, optional
        Smallest slenderness of the body, drawn as a level in the tilt [rad].
    motion : Motion, optional
        Ground motion as the body felt it, scaled and turned.

    Returns
    -------
    Axes
        Of the angles, in a figure of axes that share the time.

    Raises
    ------
    ValueError
        If the run was made without its history.
    """
    history = run.history
    if history.sizes["time"] < 2:
        raise ValueError("the run has no history to draw; simulate with history=True")
    time = history["time"].values
    heights = [*([2.0] if motion is not None else []), 5.0, 0.7, 2.5]
    with paper_style():
        size = (1.5 * COLUMN * MILLIMETRE, (85 + 20 * (motion is not None)) * MILLIMETRE)
        figure = Figure(figsize=size, layout="constrained")
        figure.set_label(OWN)
        *ground, angles, contact, energy = figure.subplots(
            len(heights), 1, sharex=True, height_ratios=heights
        )
        for ax in ground:
            _draw_ground(ax, motion)
        angles.plot(time, np.degrees(history["tilt"]), color="black", linewidth=1.0, label="tilt")
        for name, colour in (("x", BLUE), ("y", ORANGE)):
            angle = np.degrees(history[f"rotation_{name}"])
            angles.plot(time, angle, color=colour, linewidth=0.8, label=f"rotation about base {name}")
        if slenderness is not None:
            level = np.degrees(slenderness)
            angles.axhline(level, color=GREY, linestyle=":", linewidth=0.8, label="slenderness")
        angles.set_ylabel("Angle [°]")
        angles.legend(
            loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=4, handlelength=1.3, columnspacing=1.2
        )
        _draw_contact(contact, time, history["mode"].values)
        joule = history["energy"].values - history["energy"].values[0]
        factor, unit = (1e-3, "kJ") if np.abs(joule).max() >= 1e4 else (1.0, "J")
        energy.plot(time, factor * joule, color="black", linewidth=1.0)
        energy.set_ylabel(f"Energy [{unit}]")
        energy.set_xlabel("Time [s]")
        energy.set_xlim(*_moving_span(run, time))
        figure.align_ylabels([*ground, angles, energy])
        if title:
            figure.suptitle(title, fontsize=8.0)
        add_note(energy, _word_ending(run))
    return angles


def _moving_span(run: Run, time: np.ndarray) -> tuple[float, float]:
    """The part of the time in which something happens, with a margin [s]."""
    if not run.events:
        return time[0], time[-1]
    first, last = run.events[0]["t"], run.events[-1]["t"]
    last = last if run.outcome in (Outcome.AT_REST, Outcome.OVERTURNED) else time[-1]
    margin = 0.05 * max(last - first, 1.0)
    return max(time[0], first - margin), min(time[-1], last + margin)


def _word_ending(run: Run) -> str:
    """How the run ended, in a sentence or two."""
    edge, facet = int(run.results["edge_impacts"]), int(run.results["facet_impacts"])
    if not run.events:
        return "The body never left its base."
    if run.outcome == Outcome.AT_REST:
        ending = f"Came to rest at {run.events[-1]['t']:.4g} s"
    else:
        name = Outcome(run.outcome).name.lower().replace("_", " ").capitalize()
        ending = f"{name} at {run.results['end_time']:.4g} s"
    return (
        f"{ending}; {edge} edge and {facet} facet impacts. "
        "Energy: kinetic and potential, above its value at the start."
    )


def _draw_ground(ax: Axes, motion: Motion) -> None:
    for row, name, colour in ((0, "x", BLUE), (1, "y", ORANGE), (2, "z", GREEN)):
        if motion.acceleration[row].any():
            a = motion.acceleration[row] / STANDARD_GRAVITY
            ax.plot(motion.time, a, color=colour, linewidth=0.6, label=f"ground {name}")
    ax.set_ylabel("Ground [g]")
    ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=3, handlelength=1.3, columnspacing=1.2)


def _draw_contact(ax: Axes, time: np.ndarray, mode: np.ndarray) -> None:
    """Strip of the contact mode between the points of the history."""
    changes = np.concatenate([[0], np.flatnonzero(np.diff(mode)) + 1])
    ends = np.append(time[changes[1:]], time[-1])
    for code, colour in CONTACT.items():
        held = mode[changes] == code
        spans = list(zip(time[changes][held], (ends - time[changes])[held], strict=True))
        ax.broken_barh(spans, (0, 1), color=colour, linewidth=0, label=code.name.lower())
    ax.set_yticks([])
    ax.set_ylim(0, 1)
    ax.set_ylabel("Contact", rotation=0, ha="right", va="center")
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=0.8, labelspacing=0.1)
