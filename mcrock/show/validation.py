"""Predictions and what happened: labels, measured maxima, calibration, ROC curve, unknown inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from mcrock.base.units import unit_in_figure, unit_in_text
from mcrock.show import style
from mcrock.show.report.content import Block, Section, embed
from mcrock.show.report.page import build_page
from mcrock.show.text import Caution, Composition, percent, present
from mcrock.statistics.distributions import calibration_curve, contradicts, roc_curve
from mcrock.statistics.labels import REMEDY

COLUMNS = 3
MOST_BINS = 24  # at most
MOST = 12  # inputs that are drawn
TEMPERED = 0.999  # of the power of the likelihood, below which it is said


def compose_labels(found: xr.Dataset, studies: Sequence[str]) -> Composition:
    """What labels say of unknown inputs and of studies by name."""
    drawings, files = {"labels": lambda: plot_labels(found)}, {"labels.nc": lambda: found}
    return Composition(found, format_labels(found, studies), drawings, files)


def format_labels(found: xr.Dataset, studies: Sequence[str]) -> list[str]:
    """Weights, unknown inputs and probabilities before and after labels.

    Parameters
    ----------
    found : Dataset
        From `mcrock.statistics.labels`.
    studies : sequence of str
        Names of the studies.
    """
    attrs = found.attrs
    lines = [
        f"{found.sizes['seen']} labels, {float(found['count_seen']):g} fallen; "
        f"error rate {attrs['error_rate']:g}",
        f"{attrs['effective']:.1f} effective of {attrs['draws']} draws",
    ]
    if attrs["temper"] < TEMPERED:
        lines.append(
            f"the draws do not suffice for these labels: their likelihood is taken to the power "
            f"{attrs['temper']:.3g}, the largest that leaves so many; for all that they say, {REMEDY}"
        )
    for number, name in enumerate(studies):
        one = found[f"probability_{number}"]
        found = found.assign({one.name: one.assign_attrs(long_name=f"{one.attrs['long_name']}, {name}")})
    found = found.transpose(..., "stage")  # before and after stand below each other
    return [*lines, *present(found, "Unknown inputs, and probabilities, before and after the labels")]


@style.styled
def plot_labels(found: xr.Dataset) -> Axes:
    """Draw the unknown inputs before and after labels, those that changed most first.

    Parameters
    ----------
    found : Dataset
        From `mcrock.statistics.labels`.

    Returns
    -------
    Axes
        The first of up to twelve, with histograms of the draws: grey before the labels, blue after.

    Raises
    ------
    ValueError
        If there is no unknown input.
    """
    names = [name for name in found["input"].values.tolist() if f"draw_{name}" in found]
    if not names:
        raise ValueError("no unknown input has values to draw")
    before, after = (found.sel(stage=stage) for stage in found["stage"].values)
    shift = (after["mean"] - before["mean"]).values / before["std"].values
    change = np.abs(shift) + np.abs(1.0 - after["std"].values / before["std"].values)
    order = [names[k] for k in np.argsort(-np.nan_to_num(change), kind="stable")][:MOST]
    rows = -(-len(order) // COLUMNS)
    figure = style.new_figure(style.PAGE, 14.0 + 42.0 * rows)
    weight = found["weight"].values
    drawn = []
    for k, name in enumerate(order):
        ax = figure.add_subplot(rows, COLUMNS, k + 1)
        values = found[f"draw_{name}"].values
        bins = min(MOST_BINS, round(2 * len(values) ** (1 / 3)))  # Rice's rule
        edges = np.linspace(values.min(), values.max(), bins + 1).tolist()
        ax.hist(values, edges, density=True, color="0.8", label="before")
        ax.hist(values, edges, density=True, label="after", weights=weight, histtype="step", color=style.BLUE)
        unit = unit_in_figure(str(found["unit"].sel(input=name).item()))
        ax.set(xlabel=f"{name.replace('_', ' ')} [{unit}]", yticks=[])
        style.number_axis(ax)
        drawn.append(ax)
    drawn[0].legend(loc="best", handlelength=1.2)
    return style.add_note(
        drawn[0],
        f"Draws of the unknown inputs before and after {found.sizes['seen']} labels, "
        f"{float(found['count_seen']):g} fallen; {found.attrs['effective']:.1f} effective of "
        f"{found.attrs['draws']} draws. Densities.",
    )


RANK_BINS = 10  # of the ranks


def compose_tests(found: Mapping[str, xr.Dataset]) -> Composition:
    """What tests say of a study, for each response of `mcrock.statistics.distributions.compare_tests`."""
    blocks = [block for one in found.values() for block in [*format_tests(one), ""]]
    drawings = {name: partial(plot_tests, one) for name, one in found.items()}
    files: dict[str, Callable[[], Any]] = {f"{name}.nc": partial(found.get, name) for name in found}
    return Composition(found, blocks, drawings, files | {"report.html": lambda: tests_page(found)})


def format_tests(found: xr.Dataset) -> list[str]:
    """What was tested, the verdict (a caution where tests contradict the study), scores and their words.

    Parameters
    ----------
    found : Dataset
        Of `mcrock.statistics.distributions.compare_tests`, of one response.
    """
    least, rank = float(found["p_value"].min()), float(found["rank"].mean())
    contradict = contradicts(found["p_value"])
    verdict = (
        f"the tests {'' if contradict else 'do not '}contradict the study (smallest p-value {least:.2g}); "
        f"mean rank {rank:.2f}, above 0.5 if more was measured"
    )
    attrs, few = found.attrs, ["intervals of the CRPS need a second recording"]
    return [
        f"{attrs['long_name']} [{unit_in_text(attrs['units'])}]: {found.sizes['test']} tests of "
        f"{attrs['recordings']} recordings, {attrs['fell']} overturned",
        Caution(verdict) if contradict else verdict,
        *present(found, "Measured compared with predicted"),
        f"p-value: fraction of {attrs['campaigns']} campaigns simulated from the study that are at "
        f"least as far from it, {1 / (attrs['campaigns'] + 1):.1g} at least",
        f"of simulated campaigns of this size the central {percent(found)} are given",
        *(few if attrs["recordings"] < 2 else []),
    ]


def tests_page(found: Mapping[str, xr.Dataset]) -> str:
    """One HTML page with scores and figure of each response.

    Parameters
    ----------
    found : dict of Dataset
        Of `mcrock.statistics.distributions.compare_tests`.
    """
    sections = []
    for name, one in found.items():
        title, words = one.attrs["long_name"], f"Distribution functions and ranks of {name}"
        blocks: list[Block] = [*format_tests(one), embed(plot_tests(one), words)]
        sections.append(Section(name, title[:1].upper() + title[1:], blocks))
    title = next(iter(found.values())).attrs.get("title", "Untitled study")
    return build_page(title, "Measured maxima over those predicted", sections)


@style.styled
def plot_tests(found: xr.Dataset) -> Axes:
    """Draw the distribution function of measured maxima over that predicted, and the ranks of the tests.

    Parameters
    ----------
    found : Dataset
        Of `mcrock.statistics.distributions.compare_tests`, of one response.

    Returns
    -------
    Axes
        That of the distribution functions; right of it the histogram of the ranks.
    """
    figure = style.new_figure(style.PAGE, 72.0)
    curves, ranks = figure.subplots(1, 2, width_ratios=(3, 2))
    response = xr.DataArray(found["at"].values, attrs=found.attrs)
    factor, label = style.axis_scale(response)
    found = found.isel(at=slice(None, -1))  # the last value stands for all beyond it
    at = factor * found["at"].values
    bands = {"expected": (style.GREY, 0.3, "simulated campaigns"), "observed": (style.BLUE, 0.2, None)}
    for name, (colour, alpha, words) in bands.items():
        ends = found[f"{name}_band"].values
        curves.fill_between(at, *ends, color=colour, alpha=alpha, linewidth=0, step="post", label=words)
    curves.plot(at, found["predicted"], color="0.3", drawstyle="steps-post", label="predicted")
    curves.plot(at, found["observed"], color=style.BLUE, drawstyle="steps-post", label="measured")
    style.probability_axis(curves, "Fraction of tests below [1]")
    curves.set_xlim(0.0, at[-1])
    curves.set_xlabel(label)
    curves.legend(loc="lower right")
    tests = found.sizes["test"]
    low, high = found["rank_interval"].values[..., None]
    edges = np.linspace(0.0, 1.0, RANK_BINS + 1)
    below = np.clip((edges - low) / (high - low), 0.0, 1.0).sum(axis=0)  # a rank that ties share, evenly
    ranks.stairs(np.diff(below), edges, fill=True, color=style.BLUE, alpha=0.6)
    ranks.axhline(tests / RANK_BINS, color="0.3", linestyle="--")
    ranks.set_xlabel("Rank of a test among its runs [1]")
    ranks.set_ylabel(f"Tests of {tests}")
    ranks.set_xlim(0.0, 1.0)
    ranks.yaxis.set_major_locator(MaxNLocator(integer=True))
    level = percent(found)
    return style.add_note(
        curves,
        f"{tests} tests of {found.attrs['recordings']} recordings, {found.attrs['fell']} overturned, beyond "
        f"the right end. Grey: {level} of simulated campaigns of as many tests; blue: {level} of the "
        "measured curve over recordings. Right: dashed is the level if the study is true; full at both ends "
        "where it scatters too little, at one end where it is too low or too high.",
    )


CURVES = 3  # methods at most in the upper panels: mcrock, that calibrated and the best rule
LOOKS = {0: (style.BLUE, "o", "-"), 1: (style.ORANGE, "s", "--"), 2: (style.GREY, "^", "-.")}
WORST = 12  # tests at most that are listed as judged wrongly


def compose_validation(found: xr.Dataset, tests: str, study: str) -> Composition:
    """How good the probabilities of tests were, which of them, and by which study, in words."""
    blocks = [f"{study}, {tests} tests", *format_validation(found)]
    drawings, files = {"validation": lambda: plot_validation(found)}, {"scores.nc": lambda: found}
    return Composition({"part": tests, "scores": found}, blocks, drawings, files)


def format_validation(found: xr.Dataset) -> list[str]:
    """Scores with intervals, differences to the rules, and the tests that were judged wrongly.

    Parameters
    ----------
    found : Dataset
        From `mcrock.statistics.validation`.
    """
    judged = found.attrs["judged"]
    recordings, fell = len(np.unique(found["recording"])), int(found["fallen"].sum())
    lines = [
        f"{found.sizes['test']} tests of {recordings} recordings, {fell} overturned",
        *present(found, f"Scores, and those of {judged} on the same resamples of the recordings"),
        "",
        *_wrong(found, judged),
    ]
    if "calibrated" in judged:
        few = float(found["effective"].min())
        lines.append(f"weights of the draws leave {few:.1f} effective draws or more, without each recording")
    return lines


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
    for ax, words in ((calibration, "Predicted probability"), (roc, "False positive rate")):
        ax.plot([0, 1], [0, 1], color="0.7", linewidth=0.7, linestyle=":")
        ax.set_xlim(-0.02, 1.02)
        ax.set_xlabel(f"{words} [1]")
        ax.legend(loc="lower right")
    style.probability_axis(calibration, "Fraction overturned [1]")
    style.probability_axis(roc, "True positive rate [1]")
    _draw_tests(tests, found, recordings)
    judged = found.attrs["judged"]
    return style.add_note(
        calibration,
        f"{found.sizes['test']} tests, {int(y.sum())} overturned. Calibration: bins with about as many tests "
        f"each, whose number is written next to them. Below: {judged}, each test a mark at its probability; "
        "the dotted line is one half.",
    )


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
