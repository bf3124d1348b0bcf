"""Probabilities compared with what happened: calibration, ROC curve, and the tests of each recording."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from mcrock.show.style import (
    BLUE,
    GREY,
    ORANGE,
    PAGE,
    add_note,
    new_figure,
    probability_axis,
    styled,
)
from mcrock.validation.scores import calibration_curve, roc_curve

CURVES = 3  # methods at most in the upper panels: mcrock, that calibrated and the best rule
LOOKS = {0: (BLUE, "o", "-"), 1: (ORANGE, "s", "--"), 2: (GREY, "^", "-.")}


@styled
def plot_validation(found: xr.Dataset) -> Axes:
    """Draw how good probabilities were.

    Parameters
    ----------
    found : Dataset
        From `mcrock.validation.validate`.

    Returns
    -------
    Axes
        That of the calibration, next to it the ROC curve, both for mcrock and for the rule with the best
        Brier score; below, the probability of every test by its recording.
    """
    names = _shown(found)
    recordings = _by_probability(found)
    figure = new_figure(PAGE, 78.0 + 3.4 * len(recordings))
    grid = figure.add_gridspec(2, 2, height_ratios=(62.0, 3.4 * len(recordings) + 8.0))
    calibration, roc = figure.add_subplot(grid[0, 0]), figure.add_subplot(grid[0, 1])
    tests = figure.add_subplot(grid[1, :])
    y = found["fallen"].values
    for k, name in enumerate(names):
        p = found["probability"].sel(predictor=name).values
        colour, mark, line = LOOKS[k]
        mean, share, number = calibration_curve(p, y)
        calibration.plot(mean, share, line, color=colour, marker=mark, markersize=4, label=name)
        if k == 0:
            for x, z, n in zip(mean, share, number, strict=True):
                calibration.annotate(
                    f"{n:.0f}", (x, z), textcoords="offset points", xytext=(4, -8), fontsize=6, color=colour
                )
        false, true = roc_curve(p, y)
        area = float(found["value"].sel(predictor=name, score="auc"))
        roc.plot(false, true, line, color=colour, drawstyle="steps-post", label=f"{name}: area {area:.3f}")
    for ax, label in ((calibration, "Predicted probability"), (roc, "False positive rate")):
        ax.plot([0, 1], [0, 1], color="0.7", linewidth=0.7, linestyle=":")
        ax.set_xlim(-0.02, 1.02)
        ax.set_xlabel(f"{label} [1]")
        ax.legend(loc="lower right")
    probability_axis(calibration, "Fraction overturned [1]")
    probability_axis(roc, "True positive rate [1]")
    _draw_tests(tests, found, recordings)
    judged = found.attrs["judged"]
    add_note(
        calibration,
        f"{found.sizes['test']} tests, {int(y.sum())} overturned. Calibration: bins with about as many tests "
        f"each, whose number is written next to them. Below: {judged}, each test a mark at its probability; "
        "the dotted line is one half.",
    )
    return calibration


def _shown(found: xr.Dataset) -> list[str]:
    methods = found["predictor"].values.tolist()
    own = [name for name in methods if name.startswith("mcrock")]
    rules = [name for name in methods if not name.startswith("mcrock")]
    best = min(rules, key=lambda name: float(found["value"].sel(predictor=name, score="brier")))
    return [*own, best][:CURVES]


def _by_probability(found: xr.Dataset) -> list[str]:
    """Recordings, that with the largest mean probability first."""
    p = found["probability"].sel(predictor=found.attrs["judged"]).values
    recording = found["recording"].values
    names = np.unique(recording)
    means = np.array([p[recording == name].mean() for name in names])
    return [str(name) for name in names[np.argsort(-means, kind="stable")]]


def _draw_tests(ax: Axes, found: xr.Dataset, recordings: list[str]) -> None:
    p = found["probability"].sel(predictor=found.attrs["judged"]).values
    y, recording = found["fallen"].values, found["recording"].values
    ax.axvline(0.5, color="0.7", linewidth=0.7, linestyle=":")
    for k, name in enumerate(recordings):
        own = recording == name
        ax.axhline(k, color="0.92", linewidth=0.5, zorder=0)
        for fell, colour, mark, size in ((0, BLUE, "o", 9.0), (1, ORANGE, "X", 14.0)):
            here = own & (y == fell)
            ax.scatter(
                p[here], np.full(here.sum(), k), s=size, marker=mark, color=colour, alpha=0.75, linewidths=0
            )
    for colour, mark, label in ((BLUE, "o", "stood"), (ORANGE, "X", "overturned")):
        ax.scatter([], [], s=12, marker=mark, color=colour, label=label, linewidths=0)
    ax.set_yticks(range(len(recordings)), recordings, fontsize=5.5)
    ax.set_ylim(len(recordings) - 0.4, -0.6)
    ax.set_xlim(-0.02, 1.02)
    ax.set_xlabel("Probability of overturning [1]")
    ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2)
