"""The fragility curve of a study: its text, and its figure with the band and the observed fractions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import xarray as xr

from mcrock.base.estimates import format_few, format_percent, format_with_interval
from mcrock.base.keywords import takes
from mcrock.dataset.opened import takes_path
from mcrock.show import style
from mcrock.show.numbers import (
    count_words,
    estimate,
    format_count,
    label,
    label_intensities,
    label_place,
    labels,
    percent,
)
from mcrock.statistics import fit_fragility, overturning_probability
from mcrock.statistics.accepted_curve import FAMILIES, choice_of, goes_by, goes_without
from mcrock.statistics.goodness import is_rejected
from mcrock.statistics.intervals import Bootstrap, BootstrapKeywords
from mcrock.statistics.probability import EVENT
from mcrock.statistics.probit import link_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OPEN = "interval open"
UNSUPPORTED = "Dashed: no run supports the curve."


def format_median(fit: xr.Dataset) -> str:
    """Median of a curve and its interval; "-" where there is no curve."""
    median, low, _ = estimate(fit, "median_capacity")
    if not math.isfinite(median):
        return "-"
    known = label(fit["median_capacity"])
    return known if math.isnan(low) else f"{known} ({format_ends(fit)})"


def format_ends(fit: xr.Dataset) -> str:
    """Interval of the median of a curve, open where runs do not bound it."""
    least, most = labels(fit["median_capacity_interval"])
    _, low, high = estimate(fit, "median_capacity")
    if math.isinf(high):
        return f"above {least}" if low > 0 else OPEN
    return f"{least} to {most}" if low > 0 else f"below {most}"


def _units(fit: xr.Dataset) -> str:
    return str(fit["accepted_reached"].attrs["units"])


def format_half(fit: xr.Dataset) -> str:
    """Interval of the intensity at which the curve that a study goes by has one half."""
    low, high = fit["accepted_interval"].values[:, -1].tolist()
    least, most = label_intensities([low, high], _units(fit))
    if math.isinf(high):
        return f"above {least}" if low > 0 else OPEN
    return f"{least} to {most}"


def format_dispersion(fit: xr.Dataset) -> str:
    """Dispersion of a curve and its interval; "-" where there is no curve."""
    if not math.isfinite(float(fit["median_capacity"])):
        return "-"
    return format_with_interval(*estimate(fit, "dispersion"))


def format_fragility(fit: xr.Dataset) -> str:
    """Parameters of the curve, or what is known of the median where there is none."""
    kind = fit.attrs["fit"]
    if not (math.isnan(float(fit["median_capacity"])) or kind.startswith("separated")):
        curve = link_of(fit.attrs.get("link", "probit")).curve.capitalize()
        return f"{curve} fragility ({kind}): median {format_median(fit)}, dispersion {format_dispersion(fit)}"
    doubt = int(fit["undecided"]) > 0
    what, verb = f"no curve ({kind})", "was beyond the limit" if EVENT in fit.attrs else "overturned"
    if kind.startswith("none overturned"):
        what = f"nothing {verb} without doubt" if doubt else f"nothing {verb}"
    elif kind.startswith("all overturned"):
        what = f"everything {verb}, or is undecided" if doubt else f"everything {verb}"
    ends = format_ends(fit)
    if ends == OPEN:
        return f"Fragility: {what}; the intervals are too wide to bound the median"
    ends = f"between {ends.replace(' to ', ' and ')}" if " to " in ends else ends
    return f"Fragility: {what}; the median lies {ends} ({percent(fit)} interval)"


def format_support(fit: xr.Dataset) -> list[str]:
    """Lines on a curve that the runs reject, and on where none supports it; none where all is well."""
    lines, median = [], float(fit["median_capacity"])
    if goes_without(fit):
        names = ("probability", "accepted_reached", "accepted_below")
        parts, units = zip(*(fit[name].values.tolist() for name in names), strict=True), _units(fit)
        reached = ", ".join(f"{100 * q:g} % {label_place(at, below, units)}" for q, at, below in parts)
        lines.append(f"{choice_of(fit).words}: go by {FAMILIES[goes_by(fit)].words}, which reach {reached}")
    below = int(fit["runs_below"])
    if below and math.isfinite(float(fit["weakest_overturning"])) and float(fit["dispersion"]) > 0:
        verb = "was beyond the limit" if EVENT in fit.attrs else "overturned"
        lines.append(
            f"below {label(fit['weakest_overturning'])}, the weakest intensity at which a run {verb}, the "
            f"curve is an extrapolation: it expects {format_few(float(fit['expected_below']))} among the "
            f"{format_count(below, 'run')} there, and there were none"
        )
    if median > float(fit["strongest_run"]):
        lines.append(
            f"the median lies beyond {label(fit['strongest_run'])}, the strongest intensity of a run: an "
            "extrapolation"
        )
    if float(fit["only_slide"]) > 0 and math.isfinite(median):
        lines.append(
            f"{format_percent(float(fit['only_slide']))} of the realizations have too little friction to "
            "rock from rest: they slide, however strong the motion (a round base only if it is exactly flat: "
            "mcrock docs contact round), and a curve that rises to 1 holds no further than the runs"
        )
    return lines


@takes_path
@style.styled
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
    ax = style.new_axes() if ax is None else ax
    factor = style.level_axis(ax, fit["intensity_grid"], 1.0)
    x, known = fit["intensity_grid"].values * factor, _known(fit, points)
    rejected = goes_without(fit)
    colour = style.GREY if rejected else style.BLUE
    if known.sum() > 1:
        low, high = fit["band"].values[:, known]
        look: dict[str, Any] = {"color": colour, "alpha": 0.22, "linewidth": 0}
        ax.fill_between(x[known], low, high, label=f"{how.level:.0%} band", **look)
    if np.isfinite(fit["median_capacity"]):
        draw_curve(ax, x, fit, colour, label="lognormal fit" + not_gone_by(fit))
    if rejected:
        ax.plot(x, accepted_values(fit), color=style.BLUE, label=accepted_label(fit))
    p, ends = points["probability"].values, points["interval"].values
    look = {"color": style.ORANGE, "clip_on": False, "label": f"runs, {how.level:.0%} interval"}
    style.error_bars(ax, points["intensity"].values * factor, p, ends, **look)
    style.probability_axis(ax, probability_label(fit))
    style.legend_above(ax, 2 if rejected else 3, handlelength=1.2, handletextpad=0.5)
    verb = f"with {fit.attrs[EVENT]} or overturned" if EVENT in fit.attrs else "overturned"
    doubt = f", {int(fit['undecided'])} undecided (both ways in the intervals)" * bool(fit["undecided"])
    band = "every rising curve through the intervals"
    if fit.attrs["method"] == "resampling":
        band = f"{fit.attrs['resamples']} resamples of the {fit.attrs['independent']}"
    lines = [
        f"{count_words(fit, int(fit['runs']))}, {int(fit['overturned'])} {verb}{doubt}",
        format_fragility(fit),
        *format_support(fit),
    ]
    note = " ".join(f"{line[:1].upper()}{line[1:]}." for line in [*lines, f"Band: {band}"])
    style.add_note(ax, f"{note}{bins_words(points)} {UNSUPPORTED}")
    return ax


def observed(ds: xr.Dataset, how: Bootstrap) -> xr.Dataset:
    """`overturning_probability` at the intensities that have runs."""
    points = overturning_probability(ds, **how.keywords)
    return points.isel(intensity=points["runs"].values > 0)


def probability_label(found: xr.Dataset) -> str:
    """Name of the axis of a probability: of overturning, or of exceeding the limit of a response."""
    event = "exceeding the limit" if EVENT in found.attrs else "overturning"
    return f"Probability of {event} [1]"


def bins_words(points: xr.Dataset) -> str:
    """A sentence on the points of a cloud, which are bins."""
    if "intensity_range" not in points:
        return ""
    return f" Points: {points.sizes['intensity']} bins of the intensity, at their medians."


def accepted_values(fit: xr.Dataset) -> np.ndarray:
    """The curve that a study goes by up to the strongest run [1]."""
    return fit["accepted_curve"].where(fit["intensity_grid"] <= fit["strongest_run"]).values


def accepted_label(fit: xr.Dataset) -> str:
    """Name of that curve in a legend."""
    return FAMILIES[goes_by(fit)].words.removeprefix("the ")


def not_gone_by(fit: xr.Dataset) -> str:
    """What a legend adds to the lognormal curve."""
    return (", rejected" if is_rejected(fit) else ", not gone by") * goes_without(fit)


def draw_curve(ax: Axes, x: np.ndarray, fit: xr.Dataset, colour: str, **look: Any) -> None:
    """Draw the curve of a fit over ``x``, dashed where no run supports it."""
    curve, beyond = fit["curve"].values, fit["extrapolated"].values
    ax.plot(x, np.where(beyond, np.nan, curve), color=colour, **look)
    joined = beyond | np.append(beyond[1:], False) | np.insert(beyond[:-1], 0, False)
    ax.plot(x, np.where(joined, curve, np.nan), color=colour, linestyle=(0, (3, 2)))


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
