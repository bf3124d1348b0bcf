"""The history of one run: tilt and rotations, contact, energy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mcrock.params import Mode, Outcome
from mcrock.plots.style import BLUE, COLUMN, GREEN, GREY, MILLIMETRE, ORANGE, OWN, add_note, paper_style

if TYPE_CHECKING:
    from mcrock.simulation import Run

CONTACT = {Mode.REST: GREY, Mode.EDGE: GREEN, Mode.VERTEX: ORANGE}


def plot_history(run: Run, title: str = "", slenderness: float | None = None) -> Axes:
    """Tilt and rotations, contact mode and energy of one run over time.

    Parameters
    ----------
    run : Run
        With its history.
    title : str
        Line above the figure.
    slenderness : float, optional
        Smallest slenderness of the body, drawn as a level in the tilt [rad].

    Returns
    -------
    Axes
        Of the angles, in a figure of three axes that share the time.

    Raises
    ------
    ValueError
        If the run was made without its history.
    """
    history = run.history
    if history.sizes["time"] < 2:
        raise ValueError("the run has no history to draw; simulate with history=True")
    time = history["time"].values
    with paper_style():
        figure = Figure(figsize=(1.5 * COLUMN * MILLIMETRE, 105 * MILLIMETRE), layout="constrained")
        figure.set_label(OWN)
        top, middle, bottom = figure.subplots(3, 1, sharex=True, height_ratios=[5, 0.7, 2.5])
        top.plot(time, np.degrees(history["tilt"]), color="black", linewidth=1.0, label="tilt")
        for name, colour in (("x", BLUE), ("y", ORANGE)):
            angle = np.degrees(history[f"rotation_{name}"])
            top.plot(time, angle, color=colour, linewidth=0.8, label=f"rotation about base {name}")
        if slenderness is not None:
            top.axhline(
                np.degrees(slenderness), color=GREY, linestyle=":", linewidth=0.8, label="slenderness"
            )
        top.set_ylabel("Angle [°]")
        top.legend(
            loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4, handlelength=1.3, columnspacing=1.2
        )
        _draw_contact(middle, time, history["mode"].values)
        bottom.plot(time, history["energy"] - history["energy"].values[0], color="black", linewidth=1.0)
        bottom.set_ylabel("Energy [J]")
        bottom.set_xlabel("Time [s]")
        moves = time[1]  # nothing happens before the second point
        bottom.set_xlim(max(time[0], moves - 0.05 * (time[-1] - moves)), time[-1])
        figure.align_ylabels([top, bottom])
        if title:
            figure.suptitle(title, fontsize=8.0)
        impacts = int(run.results["edge_impacts"]), int(run.results["facet_impacts"])
        ending = Outcome(run.outcome).name.lower().replace("_", " ")
        add_note(
            bottom,
            f"{ending.capitalize()} at {run.results['end_time']:.4g} s; {impacts[0]} edge and "
            f"{impacts[1]} facet impacts. Energy: kinetic and potential, above its value at the start.",
        )
    return top


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
