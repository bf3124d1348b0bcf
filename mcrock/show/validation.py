"""Probabilities compared with what happened: calibration, ROC curve, and the tests of each recording."""

from __future__ import annotations

from functools import partial

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from mcrock.show import style
from mcrock.show.numbers import percent, with_ends
from mcrock.show.tables import Column, table_along
from mcrock.statistics.distributions import calibration_curve, roc_curve

HEADS = {"f1": "F1", "accuracy": "accuracy", "brier": "Brier", "log_loss": "log loss", "auc": "AUC"}
SHOWN = ("f1", "accuracy", "brier", "log_loss")
CURVES = 3  # methods at most in the upper panels: mcrock, that calibrated and the best rule
LOOKS = {0: (style.BLUE, "o", "-"), 1: (style.ORANGE, "s", "--"), 2: (style.GREY, "^", "-.")}
WORST = 12  # tests at most that are listed as judged wrongly


def format_validation(found: xr.Dataset) -> str:
    """Scores with intervals, differences to the rules, and the tests that were judged wrongly.

    Parameters
    ----------
    found : Dataset
        From `mcrock.statistics.validation`.
    """
    level, judged = percent(found), found.attrs["judged"]
    recordings, fell = len(np.unique(found["recording"])), int(found["fallen"].sum())
    table = found.drop_dims("test")

    def value(score: str, one: xr.Dataset) -> str:
        return with_ends(one.sel(score=score), "value", ".3f")

    def difference(score: str, one: xr.Dataset) -> str:
        low, high = -one["difference_interval"].sel(score=score).values[::-1]
        return f"{-float(one['difference'].sel(score=score)):+.3f} ({low:+.3f} to {high:+.3f})"

    def better(score: str, one: xr.Dataset) -> str:
        return f"{float(one['better'].sel(score=score)):.0%}"

    name: Column = ("", lambda one: str(one["predictor"].item()))
    scores: list[Column] = [(HEADS[score], partial(value, score)) for score in SHOWN]
    scores.append((HEADS["auc"], lambda one: f"{float(one['value'].sel(score='auc')):.3f}"))
    less: list[Column] = []
    for score in ("f1", "brier"):
        less += [(HEADS[score], partial(difference, score)), ("better in", partial(better, score))]
    others = table.sel(predictor=table["predictor"] != judged)
    lines = [
        f"{found.sizes['test']} tests of {recordings} recordings, {fell} overturned",
        "",
        f"Scores with {level} intervals over recordings",
        table_along(table, "predictor", [name, *scores], left=True),
        "",
        f"{judged} less each, on the same resamples of the recordings",
        table_along(others, "predictor", [name, *less], left=True),
        "",
        *_wrong(found, judged),
    ]
    if "calibrated" in judged:
        few = float(found["effective"].min())
        lines.append(f"weights of the draws leave {few:.1f} effective draws or more, without each recording")
    return "\n".join(lines)


def _wrong(found: xr.Dataset, judged: str) -> list[str]:
    """Tests that are judged wrongly, the worst first."""
    p, y = found["probability"].sel(predictor=judged).values, found["fallen"].values
    wrong = np.flatnonzero((p > 0.5) != (y == 1))
    order = wrong[np.argsort(-np.abs(p[wrong] - y[wrong]), kind="stable")]
    missed = int((y[wrong] == 1).sum())
    head = f"{len(wrong)} tests judged wrongly: {missed} overturned with a probability of at most one half"
    numbers = found["number"].values if "number" in found else np.arange(len(y))
    words = [
        f"  {found['recording'].values[i]}, test {numbers[i]}: "
        f"{'overturned' if y[i] else 'stood'}, probability {p[i]:.2f}"
        for i in order[:WORST]
    ]
    rest = len(order) - len(words)
    return [head, *words, *([f"  and {rest} more"] if rest else [])]


@style.styled
def plot_validation(found: xr.Dataset) -> Axes:
    """Draw how good probabilities were.

    Parameters
    ----------
    found : Dataset
        From `mcrock.statistics.validation`.

    Returns
    -------
    Axes
        That of the calibration, next to it the ROC curve, both for mcrock and for the rule with the best
        Brier score; below, the probability of every test by its recording.
    """
    names = _shown(found)
    recordings = _by_probability(found)
    figure = style.new_figure(style.PAGE, 78.0 + 3.4 * len(recordings))
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
                    f"{n:.0f}",
                    (x, z),
                    textcoords="offset points",
                    xytext=(4, -8),
                    fontsize=style.NOTE_SIZE,
                    color=colour,
                )
        false, true = roc_curve(p, y)
        area = float(found["value"].sel(predictor=name, score="auc"))
        roc.plot(false, true, line, color=colour, drawstyle="steps-post", label=f"{name}: area {area:.3f}")
    for ax, label in ((calibration, "Predicted probability"), (roc, "False positive rate")):
        ax.plot([0, 1], [0, 1], color="0.7", linewidth=0.7, linestyle=":")
        ax.set_xlim(-0.02, 1.02)
        ax.set_xlabel(f"{label} [1]")
        ax.legend(loc="lower right")
    style.probability_axis(calibration, "Fraction overturned [1]")
    style.probability_axis(roc, "True positive rate [1]")
    _draw_tests(tests, found, recordings)
    judged = found.attrs["judged"]
    style.add_note(
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
        for fell, colour, mark, size in ((0, style.BLUE, "o", 9.0), (1, style.ORANGE, "X", 14.0)):
            here = own & (y == fell)
            ax.scatter(
                p[here], np.full(here.sum(), k), s=size, marker=mark, color=colour, alpha=0.75, linewidths=0
            )
    for colour, mark, words in ((style.BLUE, "o", "stood"), (style.ORANGE, "X", "overturned")):
        ax.scatter([], [], s=12, marker=mark, color=colour, label=words, linewidths=0)
    ax.set_yticks(range(len(recordings)), recordings, fontsize=style.NOTE_SIZE)
    ax.set_ylim(len(recordings) - 0.4, -0.6)
    ax.set_xlim(-0.02, 1.02)
    ax.set_xlabel("Probability of overturning [1]")
    style.legend_above(ax, left=0.0)
