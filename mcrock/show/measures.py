"""Intensity measures of a cloud study: how much each explains, and a surface over two of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

import numpy as np
import xarray as xr

from mcrock.base.params import Outcome
from mcrock.show import style
from mcrock.show.curves import median_columns, table_of_curves
from mcrock.show.fragility import DISPERSION, accepted_label, format_accepted_median
from mcrock.show.text import Column, count_words, estimate, format_count, percent, present, with_ends, write
from mcrock.statistics import by_measure, compare_measures, fit_surface, overturned
from mcrock.statistics.accepted_curve import FAMILIES, accepted_family, rejects_lognormal
from mcrock.statistics.intervals import Bootstrap, BootstrapKeywords, Confidence, ConfidenceKeywords

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINE = 12.0  # height of a measure in the figure [mm]
REST = 34.0  # height of everything else [mm]
LEVELS = (0.05, 0.2, 0.5, 0.8, 0.95)  # of the contours [1]
DRAWN = 3000  # points at most
ROOM = 1.06  # beside the points [1]
SIDES = ("first", "second")


def format_measures(measures: xr.Dataset) -> list[str]:
    """Table of the fragility curves by each intensity measure, the one that explains most first."""
    level = percent(measures)

    def difference(fit: xr.Dataset) -> str:
        value, low, _ = estimate(fit, "log_loss_difference")
        return "-" if value == 0 or math.isnan(low) else with_ends(fit, "log_loss_difference", ".3f")

    columns: list[Column] = [
        ("measure", "{measure}"),
        *median_columns(level),
        ("explained", "{explained:.3f}"),
        (f"{level} interval", "{explained_interval:.3f}"),
        ("most in", "{first:percent}"),
        ("log loss", "{log_loss:.3f}"),
        (f"over the least ({level})", difference),
    ]
    ordered = measures.isel(measure=(-measures["explained"]).argsort().values)
    return [
        *table_of_curves(ordered, "measure", columns),
        "explained: fraction of the deviance that the lognormal curve by the measure explains, also where it "
        "is rejected, as isotonic fractions follow every run; most in: fraction of the resamples in which it "
        "explains most; log loss: on records left out, 0 if every outcome was predicted with certainty, by "
        f"{FAMILIES[accepted_family(measures)].words} of every measure",
    ]


def format_sufficiency(found: xr.Dataset) -> list[str]:
    """Tables of efficiency, practicality and sufficiency, and the measures and pairs by log loss."""
    ranked = found.isel(predictor=found["log_loss"].argsort().values)
    tests = 2 * found.sizes["measure"] * found.sizes["property"]
    words = (
        f"a small p speaks against the measure; of {tests} tests {0.05 * tests:.1f} are below 0.05 by chance"
    )
    return [*present(ranked, "Sufficiency, practicality and efficiency, by the peak tilt ratio"), words]


def format_surface(found: xr.Dataset) -> list[str]:
    """Tables of a surface over two intensity measures."""
    if math.isnan(float(found["intercept"])):
        return [f"no surface over {' and '.join(found['measure'].values)}: the likelihood has no maximum"]
    return present(found, f"Surface: {found.attrs['link']} of the probability over two measures, in SI units")


@style.figure_of_runs(Bootstrap)
def plot_measures(
    ds: xr.Dataset,
    ax: Axes | None = None,
    *,
    found: xr.Dataset | None = None,
    **keywords: Unpack[BootstrapKeywords],
) -> Axes:
    """Draw the fraction of the deviance that each intensity measure explains, with its interval.

    Parameters
    ----------
    ds : Dataset
        Cloud study with several measures, as for `mcrock.statistics.compare_measures`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    found : Dataset, optional
        From `mcrock.statistics.compare_measures`, of the same runs and keywords; by default computed.
    **keywords
        As for `mcrock.statistics.compare_measures`.

    Returns
    -------
    Axes
        The measure that explains most on top.

    Raises
    ------
    ValueError
        As `mcrock.statistics.compare_measures`.
    """
    found = compare_measures(ds, **keywords) if found is None else found
    found = found.isel(measure=found["explained"].argsort().values)
    names = found["measure"].values.tolist()
    ax = style.new_axes(height=REST + LINE * len(names)) if ax is None else ax
    share, (low, high) = found["explained"].values, found["explained_interval"].values
    row = style.interval_rows(ax, names, found["explained_interval"].values, [style.BLUE])
    ax.plot(share, row, "o", color=style.BLUE, markersize=4.0)
    long = [by_measure(ds, name)["intensity_value"].attrs.get("long_name", name) for name in names]
    curves = [_curve(found.isel(measure=i)) for i in range(len(names))]
    words = map("{}: {}\n{}".format, names, long, curves)
    style.words_above_rows(ax, [*words])
    largest = np.nanmax([0.1, *np.where(np.isfinite(high), high, share)])
    ax.set_xlim(0, min(1.0, 1.15 * largest))
    ax.set_xlabel("Fraction of the deviance explained [1]")
    note = f"{count_words(found, ds.sizes['realization'])}. "
    if np.isfinite(low).all():
        drawn = f"{found.attrs['resamples']} resamples of the {found.attrs['independent']}"
        note += f"Bars: {found.attrs['level']:.0%} intervals, {drawn}. "
    note += "1: the lognormal curve by the measure decides overturning; 0: it says nothing about it."
    return style.add_note(ax, note)


def _curve(fit: xr.Dataset) -> str:
    """Median and dispersion of the curve by a measure."""
    if not np.isfinite(fit["median_capacity"]):
        return "no curve"
    spread = f"dispersion {write(fit, DISPERSION).partition(' ')[0]}"
    return (
        f"median {format_accepted_median(fit)}, {accepted_label(fit) if rejects_lognormal(fit) else spread}"
    )


@style.figure_of_runs(Confidence)
def plot_surface(
    ds: xr.Dataset,
    measures: Sequence[str],
    ax: Axes | None = None,
    *,
    link: str = "probit",
    found: xr.Dataset | None = None,
    **keywords: Unpack[ConfidenceKeywords],
) -> Axes:
    """Draw contours of the probability of overturning over two intensity measures, with the runs.

    Parameters
    ----------
    ds, measures, link, **keywords
        As for `mcrock.statistics.fit_surface`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    found : Dataset, optional
        From `mcrock.statistics.fit_surface`, of the same runs and keywords; by default computed.

    Returns
    -------
    Axes
        Logarithmic; acceleration in g, other intensities in their own unit.

    Raises
    ------
    ValueError
        As `mcrock.statistics.fit_surface`.
    """
    from matplotlib.colors import LinearSegmentedColormap

    found = fit_surface(ds, measures, link=link, **keywords) if found is None else found
    ax = style.new_axes(height=92.0) if ax is None else ax
    scales = [style.axis_scale(found[name]) for name in SIDES]
    x, y = (
        by_measure(ds, name)["intensity_value"].values * factor
        for name, (factor, _) in zip(measures, scales, strict=True)
    )
    there = (ds["outcome"].values != Outcome.NOT_RUN) & (x > 0) & (y > 0)
    points, index = np.unique(np.stack([x, y])[:, there], axis=1, return_inverse=True)
    share = np.bincount(index, weights=overturned(ds).values[there]) / np.bincount(index)
    drawn = np.random.default_rng(0).permutation(len(share))[:DRAWN]
    between = LinearSegmentedColormap.from_list("outcome", [style.PALE_BLUE, style.DEEP_RED])
    x, y = points[:, drawn]
    ax.scatter(x, y, s=3.0, c=between(share[drawn]), alpha=0.6, linewidths=0)
    for colour, words in ((style.PALE_BLUE, "stood"), (style.DEEP_RED, "overturned")):
        ax.plot([], [], "o", color=colour, markersize=3.5, label=words)
    first, second = (found[name].values * factor for name, (factor, _) in zip(SIDES, scales, strict=True))
    ax.set(xlim=(first[0] / ROOM, first[-1] * ROOM), ylim=(second[0] / ROOM, second[-1] * ROOM))
    for axis in "xy":
        style.log_axis(ax, axis)
    ax.set(xlabel=scales[0][1], ylabel=scales[1][1])
    surface = found["probability"].where(found["inside"]).values.T
    if np.isfinite(surface).any():
        lines = ax.contour(first, second, surface, levels=LEVELS, colors="0.1", linewidths=1.0)
        ax.clabel(lines, fmt="%g", fontsize=6.5)
    style.legend_above(ax, left=-0.05, handletextpad=0.2)
    loss, named = found["log_loss"], zip((*measures, "both"), (*SIDES, "both"), strict=True)
    words = ", ".join(f"{name} {float(loss.sel(model=model)):.3f}" for name, model in named)
    return style.add_note(
        ax,
        f"{format_count(int(found['runs']), 'run')} of {int(found['records'])} records. Lines: probability "
        "of overturning; points: runs, the darker the more overturned. Log loss on records left out: "
        f"{words}.",
    )
