"""Impact pendulum: angle and energy over time."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from mcrock.show.style import (
    BLUE,
    COLUMN,
    GREEN,
    ORANGE,
    PURPLE,
    RED,
    STROKES,
    add_note,
    axis_scale,
    new_figure,
    number_axis,
    styled,
)

COLOURS = (BLUE, ORANGE, GREEN, PURPLE, RED)


@styled
def plot_impact_pendulum(ds: xr.Dataset) -> Axes:
    """Draw the motions of the pendulum on all floors, and the energy that is left.

    Parameters
    ----------
    ds : Dataset
        From `mcrock.laws.systems.impact_pendulum.example`.

    Returns
    -------
    Axes
        Of the angles, above that of the energies.
    """
    figure = new_figure(COLUMN, 100.0)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[3, 2])
    time = ds["time"].values
    words = []
    for number, floor in enumerate(ds["floor"].values):
        colour, at = COLOURS[number % len(COLOURS)], ds.isel(floor=number)
        degrees = f"{np.degrees(floor):.3g}°"
        stroke = STROKES[number % len(STROKES)]
        above.plot(time, np.degrees(at["angle"]), color=colour, linestyle=stroke, label=f"floor at {degrees}")
        above.axhline(np.degrees(floor), color=colour, linestyle=":", linewidth=0.8)
        below.plot(time, at["energy_ratio"], color=colour, linestyle=stroke)
        impacts = int(at["impacts"])
        words.append(
            f"{degrees}: {impacts} impact{'s' * (impacts != 1)}, "
            f"effective restitution {float(at['effective_restitution']):.3g}"
        )
    above.set_ylabel("Angle from the vertical [°]")
    below.set_ylabel("Energy left [1]")
    below.set_ylim(-0.04, 1.06)
    below.set_xlabel(axis_scale(ds["time"])[1])
    below.set_xlim(time[0], time[-1])
    number_axis(below)
    number_axis(above, "y")
    above.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, columnspacing=1.2)
    figure.align_ylabels([above, below])
    add_note(
        above,
        f"Law of {ds.attrs['law'].capitalize()}, restitution {ds.attrs['restitution']:g}, friction "
        f"{ds.attrs['friction']:g}. Dotted: the tip touches the floor. {'; '.join(words)}. Energy over that "
        "of the fall from the horizontal to that floor.",
    )
    return above
