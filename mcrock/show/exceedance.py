"""Probability that a response exceeds a threshold, one curve for each intensity."""

from __future__ import annotations

from typing import Unpack

import numpy as np
import seaborn as sns
import xarray as xr
from matplotlib.axes import Axes

from mcrock.dataset.opened import takes_path
from mcrock.params import STANDING
from mcrock.show.style import (
    MARKERS,
    add_note,
    axis_scale,
    count_words,
    new_axes,
    number_axis,
    probability_axis,
    short_numbers,
    styled,
)
from mcrock.statistics import exceedance_probability
from mcrock.statistics.inference import Confidence, ConfidenceKeywords, takes
from mcrock.statistics.limits import response
from mcrock.statistics.runs import is_cloud, is_shaken

TOLD = 0.02  # mean of p (1 - p) below which a curve is next to 0 or 1 throughout [1]
APART = 0.03  # mean difference of two curves below which only one is drawn [1]
DASHES = (0, (4, 2))


@takes_path
@styled
@takes(Confidence)
def plot_exceedance(
    ds: xr.Dataset,
    ax: Axes | None = None,
    *,
    variable: str = "peak_tilt_ratio",
    curves: int = 3,
    **keywords: Unpack[ConfidenceKeywords],
) -> Axes:
    """Draw the probability that `variable` exceeds x, for a few intensities, with bands.

    Parameters
    ----------
    ds : Dataset
        Study, as for `mcrock.statistics.exceedance_probability`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    variable : str
        What is compared with x; by default the peak tilt ratio [1]. Others as in
        `mcrock.statistics.exceedance_probability`.
    curves : int
        Largest number of intensities drawn: of those whose probabilities are not next to 0 or 1 throughout
        the one that tells most, and those that differ most from it, by 0.03 on average at least; the
        strongest if there is none.
    **keywords
        As for `mcrock.statistics.exceedance_probability`.

    Returns
    -------
    Axes
        With one line and one band between dashed lines for each intensity; without a legend of the
        intensities where the ground does not move.

    Raises
    ------
    ValueError
        As `mcrock.statistics.exceedance_probability`, or if `curves` is less than 1.
    """
    if curves < 1:
        raise ValueError(f"curves must be at least 1, got {curves!r}")
    thresholds = _thresholds(ds, variable)
    result = exceedance_probability(ds, thresholds, variable, **keywords)
    runs = int(result["runs"].sum())
    moving = (result["runs"].values > 0) & (result["probability"].values[0] > 0)
    shown = np.flatnonzero(moving if moving.any() else result["runs"].values > 0)
    strength = result["intensity"].values[shown]
    shown = shown[_different(result["probability"].values[:, shown], strength, curves)]
    result = result.isel(intensity=shown).sortby("intensity", ascending=False)
    ax = new_axes() if ax is None else ax
    factor, label = axis_scale(result["intensity"])
    colours = sns.color_palette("viridis_r", len(shown) + 1)[1:][::-1]
    names = short_numbers(result["intensity"].values * factor)
    for i, (colour, name) in enumerate(zip(colours, names, strict=True)):
        lower, upper = result["interval"].isel(intensity=i).values
        # the probability falls, the intervals need not: widen them to bounds that fall as well
        lower, upper = np.minimum.accumulate(lower), np.maximum.accumulate(upper[::-1])[::-1]
        ax.fill_between(thresholds, lower, upper, color=colour, alpha=0.08, linewidth=0)
        for bound in (lower, upper):
            ax.plot(thresholds, bound, color=colour, linewidth=0.6, linestyle=DASHES, alpha=0.9)
        ax.plot(
            thresholds,
            result["probability"].isel(intensity=i),
            color=colour,
            marker=MARKERS[i % len(MARKERS)],
            markersize=3.4,
            markevery=(0.05 + 0.06 * i, 0.25),
            label=name,
        )
    ax.set_xlim(0, thresholds[-1])
    number_axis(ax)
    ax.set_xlabel(_axis_label(ds, variable))
    probability_axis(ax, "Probability of exceedance [1]")
    if is_shaken(ds):
        title = label.replace("Peak ground acceleration", "PGA").replace("Peak ground velocity", "PGV")
        ax.legend(
            title=title,
            loc="lower center",
            bbox_to_anchor=(0.5, 1.0),
            ncols=len(shown),
            handlelength=1.6,
            columnspacing=1.0,
        )
    note = f"{count_words(result, runs)}"
    cloud = is_cloud(ds) and is_shaken(ds)
    places = "bins" if cloud else "intensities"
    if cloud:
        note += f" in {len(moving)} bins of the intensity, named by their medians"
    if result["intensity"].size < int(moving.sum()):
        note += f"; {result['intensity'].size} of {int(moving.sum())} {places} with motion shown"
    dashed = f"Dashed: {result.attrs['level']:.0%} intervals"
    add_note(ax, f"{note}. Overturned runs exceed every threshold. {dashed}.")
    return ax


def _different(curves: np.ndarray, strength: np.ndarray, number: int) -> np.ndarray:
    """Columns of `curves` that tell most and are far from each other, in rising order."""
    told = (curves * (1.0 - curves)).mean(axis=0)
    chosen = [int(told.argmax() if told.max() > TOLD else strength.argmax())]
    while len(chosen) < number:
        apart = np.abs(curves[:, :, None] - curves[:, None, chosen]).mean(axis=0).min(axis=1)
        apart[told < TOLD] = 0.0
        if apart.max() < APART:
            break
        chosen.append(int(apart.argmax()))
    return np.sort(chosen)


def _thresholds(ds: xr.Dataset, variable: str) -> np.ndarray:
    """From 0 to where only overturned runs are beyond: 1.3 for a tilt ratio, else the 99 % quantile of those
    that stand."""
    if variable == "peak_tilt_ratio":
        return np.linspace(0, 1.3, 131)
    values = response(ds, variable).values[ds["outcome"].isin(STANDING).values]
    top = np.nanquantile(values, 0.99) if values.size else 0.0
    return np.linspace(0, top if top > 0 else 1.0, 131)


def _axis_label(ds: xr.Dataset, variable: str) -> str:
    if variable == "peak_tilt_ratio":
        return "Peak tilt / slenderness [1]"
    return axis_scale(response(ds, variable))[1].replace("[g]", "[m/s²]")
