"""Fragility curve with its confidence band and the observed fractions."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from mcrock.base.estimates import format_few, format_percent, format_with_interval
from mcrock.dataset.opened import takes_path
from mcrock.show.style import (
    BARS,
    BLUE,
    ORANGE,
    add_note,
    axis_scale,
    count_words,
    new_axes,
    number_axis,
    probability_axis,
    styled,
    unit_of,
)
from mcrock.statistics import fit_fragility, overturning_probability
from mcrock.statistics.inference import Bootstrap, BootstrapKeywords, takes
from mcrock.statistics.limits import EVENT

DASHES = (0, (3, 2))


@takes_path
@styled
@takes(Bootstrap)
def plot_fragility(
    ds: xr.Dataset,
    ax: Axes | None = None,
    *,
    found: xr.Dataset | None = None,
    **keywords: Unpack[BootstrapKeywords],
) -> Axes:
    """Draw the fitted curve, its band, and the observed fractions with their intervals.

    Parameters
    ----------
    ds : Dataset
        Study, as for `mcrock.statistics.fit_fragility`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    found : Dataset, optional
        From `mcrock.statistics.fit_fragility`, of the same runs and keywords; by default computed.
    **keywords
        As for `mcrock.statistics.fit_fragility`.

    Returns
    -------
    Axes
        Acceleration in g, other intensities in their own unit.

    Raises
    ------
    ValueError
        As `mcrock.statistics.fit_fragility`.
    """
    how = Bootstrap(**keywords)
    points = observed(ds, how)
    fit = fit_fragility(ds, **keywords) if found is None else found
    ax = new_axes() if ax is None else ax
    factor, label = axis_scale(points["intensity"])
    x = fit["intensity_grid"].values * factor
    lower, upper = fit["band"].values
    drawn = _known(fit, points)
    if drawn.sum() > 1:
        ax.fill_between(
            x[drawn],
            lower[drawn],
            upper[drawn],
            color=BLUE,
            alpha=0.22,
            linewidth=0,
            label=f"{how.level:.0%} band",
        )
    if np.isfinite(fit["median_capacity"]):
        draw_curve(ax, x, fit, BLUE, label="lognormal fit")
    at, p = points["intensity"].values * factor, points["probability"].values
    errors = np.clip(np.stack([p - points["interval"][0], points["interval"][1] - p]), 0, None)
    ax.errorbar(
        at,
        p,
        errors,
        fmt="o",
        color=ORANGE,
        markersize=3.2,
        clip_on=False,
        zorder=3,
        label=f"runs, {how.level:.0%} interval",
        **BARS,
    )
    ax.set_xlim(0, x[-1])
    ax.set_xlabel(label)
    number_axis(ax)
    event = "exceeding the limit" if EVENT in fit.attrs else "overturning"
    probability_axis(ax, f"Probability of {event} [1]")
    ax.legend(
        loc="lower left",
        bbox_to_anchor=(-0.1, 1.0),
        ncols=3,
        handlelength=1.2,
        handletextpad=0.5,
        columnspacing=1.0,
    )
    note = _note(fit, factor, unit_of(label))
    if "intensity_range" in points:
        note += f" Points: {points.sizes['intensity']} bins of the intensity, at their medians."
    add_note(ax, note)
    return ax


def observed(ds: xr.Dataset, how: Bootstrap) -> xr.Dataset:
    """`overturning_probability` at the intensities that have runs."""
    points = overturning_probability(ds, **how.keywords)
    return points.isel(intensity=points["runs"].values > 0)


def draw_curve(ax: Axes, x: np.ndarray, fit: xr.Dataset, colour: str, **look: Any) -> None:
    """Draw the curve of a fit over ``x``, dashed where no run supports it."""
    curve, beyond = fit["curve"].values, fit["extrapolated"].values
    ax.plot(x, np.where(beyond, np.nan, curve), color=colour, **look)
    joined = beyond | np.append(beyond[1:], False) | np.insert(beyond[:-1], 0, False)
    ax.plot(x, np.where(joined, curve, np.nan), color=colour, linestyle=DASHES)


def _known(fit: xr.Dataset, points: xr.Dataset) -> np.ndarray:
    """Intensities of the grid that the band says something about.

    Bounds through the intervals of the shares know nothing beyond the runs, and jump there to 0 or 1.
    """
    x = fit["intensity_grid"].values
    if fit.attrs["method"] == "resampling":
        return np.ones(len(x), bool)
    weakest = strongest = points["intensity"].values
    if "intensity_range" in points:
        weakest, strongest = points["intensity_range"].values
    return (x >= strongest.min()) & (x <= weakest.max())


def _format_bounds(low: float, high: float) -> str:
    if np.isfinite(high):
        return f"{low:.3g} to {high:.3g}"
    return f"above {low:.3g}" if low > 0 else "interval open"


def _note(fit: xr.Dataset, factor: float, units: str) -> str:
    units = "" if units == "1" else f" {units}"
    verb = f"with {fit.attrs[EVENT]} or overturned" if EVENT in fit.attrs else "overturned"
    text = f"{count_words(fit, int(fit['runs']))}, {int(fit['overturned'])} {verb}"
    if int(fit["undecided"]):
        text += f", {int(fit['undecided'])} undecided (both ways in the intervals)"
    text += ". "
    if np.isfinite(fit["median_capacity"]):
        low, high = fit["median_capacity_interval"].values * factor
        thin, wide = fit["dispersion_interval"].values.tolist()
        text += (
            f"Median {float(fit['median_capacity']) * factor:.3g}{units} ({_format_bounds(low, high)}), "
            f"dispersion {format_with_interval(float(fit['dispersion']), thin, wide)}. "
        )
        if int(fit["runs_below"]) and float(fit["dispersion"]) > 0:
            weakest = f"{float(fit['weakest_overturning']) * factor:.3g}{units}"
            text += (
                f"Dashed: no run is above {float(fit['strongest_run']) * factor:.3g}{units}, and below "
                f"{weakest} none of {int(fit['runs_below'])} overturned "
                f"({format_few(float(fit['expected_below']))} expected). "
            )
        if float(fit["only_slide"]) > 0:
            text += f"{format_percent(float(fit['only_slide']))} of the realizations can only slide. "
    else:
        text += f"No curve: {fit.attrs['fit'].split(':')[0]}. "
    if fit.attrs["method"] == "resampling":
        text += f"Band: {fit.attrs['resamples']} resamples of the {fit.attrs['independent']}."
    else:
        text += "Band: every rising curve through the intervals."
    return text
