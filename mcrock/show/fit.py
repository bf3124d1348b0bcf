"""A test of free rocking next to the run that fits it best, and how well it tells each parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from mcrock.impact.registry import ImpactParameter
from mcrock.show.style import BLUE, GREY, ORANGE, PAGE, add_note, new_figure, styled

if TYPE_CHECKING:
    from mcrock.measurement.fit import Fit

LABELS = {"time": "Time of release [s]", "tilt": "Initial tilt [rad]"} | {
    item.key: f"${item.row.symbol}$ [{item.row.rule.unit}]" for item in ImpactParameter
}
HIGHEST = 2.0  # deviance drawn over that of the interval [1]
SPAN: dict[str, Any] = {"color": GREY, "alpha": 0.25, "linewidth": 0.0}


@styled
def plot_fit(fit: Fit) -> Axes:
    """Draw measured and simulated angular velocity, residuals, and the profile of each parameter.

    Parameters
    ----------
    fit : Fit
        From `mcrock.measurement.fit_test`.

    Returns
    -------
    Axes
        The first of a figure two columns wide: components about the edge, across it and about the vertical
        axis of the body, each with its residuals below; the profiles in the last row.
    """
    figure = new_figure(PAGE, 118.0 if fit.profiles else 80.0)
    upper: Any = figure
    lower: Any = None
    if fit.profiles:
        parts: Any = figure.subfigures(2, 1, height_ratios=[1.7, 1.0])
        upper, lower = parts
    rows = upper.subplots(2, 3, sharex=True, height_ratios=[2.0, 1.0])
    up = np.cross(fit.along, fit.across)
    axes = {"About the edge": fit.along, "Across it": fit.across, "About the body axis": up}
    for column, (name, axis) in enumerate(axes.items()):
        above, below = rows[:, column]
        above.plot(fit.time, fit.measured @ axis, ".", color=ORANGE, markersize=2.0, label="measured")
        above.plot(fit.time, fit.simulated @ axis, color=BLUE, linewidth=0.8, label="simulated")
        above.set_title(name)
        below.axhspan(-2.0 * fit.noise, 2.0 * fit.noise, **SPAN)
        below.plot(fit.time, fit.residuals @ axis, ".", color=ORANGE, markersize=1.6)
        below.set_xlabel("Time [s]")
    rows[0, 0].set_ylabel("Angular velocity\n[rad/s]")
    rows[1, 0].set_ylabel("Residual\n[rad/s]")
    rows[0, 0].legend(loc="best", handlelength=1.2, markerscale=2.0)
    below = max(0.05 * (fit.time[-1] - fit.estimates["time"]), 0.0)
    rows[0, 0].set_xlim(max(fit.time[0], fit.estimates["time"] - below), fit.time[-1])
    if lower is not None:
        _draw_profiles(lower, fit)
    words = f"{fit.name}, edge {fit.edge}: mean |ω measured - simulated| {fit.error:.3g} rad/s. "
    words += "Grey around the residuals: twice the noise. "
    if fit.profiles:
        words += (
            "Below: profile loss, with one parameter held, over that of the best fit; dotted: quantile; "
            f"grey: {fit.level:.0%} interval."
        )
    add_note(rows[0, 0], words.rstrip())
    return rows[0, 0]


def _draw_profiles(part: Any, fit: Fit) -> None:
    for i, (ax, (name, profile)) in enumerate(
        zip(part.subplots(1, len(fit.profiles)), fit.profiles.items(), strict=True)
    ):
        ax.axvspan(*fit.intervals[name], **SPAN)
        ax.axhline(profile.quantile, color="0.4", linewidth=0.6, linestyle=":")
        ax.plot(profile.values, profile.deviance, color=BLUE, marker=".", markersize=2.5, linewidth=0.9)
        ax.axvline(fit.estimates[name], color=ORANGE, linewidth=0.8)
        low, high = fit.intervals[name]
        room = 0.25 * (high - low)
        ax.set_xlim(low - room, high + room)
        ax.set_ylim(0.0, HIGHEST * profile.quantile)
        ax.set_xlabel(LABELS[name])
        ax.locator_params(axis="x", nbins=2)
        ax.ticklabel_format(useOffset=False)
        if i == 0:
            ax.set_ylabel("Deviance [1]")
        else:
            ax.set_yticklabels([])
