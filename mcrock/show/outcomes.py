"""How runs ended and how far bodies moved: tables and figures of outcomes and of exceeded responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import xarray as xr

from mcrock.base.keywords import takes
from mcrock.base.params import STANDING
from mcrock.dataset.opened import takes_path
from mcrock.show import style
from mcrock.show.numbers import count_words, format_count, label, labels, percent
from mcrock.show.tables import format_table, table_along
from mcrock.statistics import exceedance_probability, outcome_shares
from mcrock.statistics.intervals import Confidence, ConfidenceKeywords
from mcrock.statistics.outcomes import UNDECIDED, Ending
from mcrock.statistics.probability import OF_SUPPORT, response
from mcrock.statistics.runs import is_cloud, is_shaken

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LOOKS = {  # with the colours of the chart of motions from rest; neighbours are apart in grey
    Ending.RESTED: ("0.92", ""),
    Ending.SLID: (style.PALE_BLUE, ""),
    Ending.ROCKED: (style.DEEP_GREEN, ""),
    Ending.SLID_AND_ROCKED: (style.ORANGE, ""),
    Ending.LEFT_THE_GROUND: (style.SAND, ""),
    Ending.FELL_OFF_ITS_SUPPORT: (style.DEEP_RED, ""),
    Ending.OVERTURNED: (style.DEEP_BLUE, ""),
    Ending.STILL_ROCKING: (style.YELLOW, "////"),
    Ending.LIMIT_MET: (style.PINK, "\\\\\\\\"),
    Ending.FRICTION_UNDECIDED: (style.GREY, "xxxx"),
    Ending.LIFTED_OFF: (style.BROWN, "----"),
    Ending.FAILED: ("1.0", "++++"),
    Ending.INFEASIBLE_IMPACT: (style.PURPLE, "...."),
}
TOLD = 0.02  # mean of p (1 - p) below which a curve is next to 0 or 1 throughout [1]
APART = 0.03  # mean difference of two curves below which only one is drawn [1]


def format_outcomes(outcomes: xr.Dataset, by_intensity: bool) -> list[str]:
    """Table of the outcomes that occur, and its title."""
    outcomes = outcomes.isel(ending=(outcomes["share"] > 0).any("intensity").values)
    title = f"Fractions of the runs in % ({percent(outcomes)} interval)"
    return [title, *_percent_table(outcomes, "share", outcomes["ending"].values.tolist(), by_intensity)]


def format_displacements(moved: xr.Dataset | None, overturned: xr.DataArray, by_intensity: bool) -> list[str]:
    """Table of the displacements that bodies exceeded without overturning, and its title; none if none."""
    if moved is None:
        return []
    moved = moved.isel(threshold=(moved["exceeding"] > overturned).any("intensity").values)
    if not moved.sizes["threshold"]:
        return []
    title = "Base centre displaced by more than this, or body overturned, in % "
    heads = [f"{limit:g} m" for limit in moved["threshold"].values]
    return [f"{title}({percent(moved)} interval)", *_percent_table(moved, "probability", heads, by_intensity)]


def format_own_responses(own: xr.Dataset) -> list[str]:
    """Table of each response of one's own, and its title."""
    lines: list[str] = []
    levels = labels(own["intensity"]) if "intensity" in own.coords else ["all"]
    shares = [f"{share:.0%} below" for share in own["share"].values]
    heads = ["intensity", "NaN", "mean", f"{percent(own)} interval", *shares]
    for name, units in zip(own["response"].values, own["units"].values, strict=True):
        one = own.sel(response=name).transpose("intensity", ...)
        rows = [
            [
                level,
                str(int(n)),
                f"{mean:.4g}",
                f"{low:.4g} to {high:.4g}",
                *(f"{value:.4g}" for value in values),
            ]
            for level, n, mean, (low, high), values in zip(
                levels, *(one[key].values for key in ("unknown", "mean", "interval", "quantile")), strict=True
            )
        ]
        lines += [f"{name} [{units}]", format_table(heads, rows)]
    if (own["unknown"] > 0).any():
        lines.append("NaN: runs whose response cannot be known; they count as undecided by a limit of it")
    return lines


def _percent_table(found: xr.Dataset, name: str, heads: list[str], by_intensity: bool) -> list[str]:
    """Table of shares (column, intensity) with intervals (bound, column, intensity)."""
    (dim,) = set(found[name].dims) - {"intensity"}

    def cell(k: int, one: xr.Dataset) -> str:
        low, high = 100 * one["interval"].isel({dim: k}).values
        return f"{100 * float(one[name][k]):.0f} ({low:.0f} to {high:.0f})"

    columns = [(head, lambda one, k=k: cell(k, one)) for k, head in enumerate(heads)]
    first = [("intensity", lambda one: label(one["intensity"]))] if by_intensity else []
    return [table_along(found, "intensity", [*first, *columns])]


@takes_path
@style.styled
def plot_outcomes(ds: xr.Dataset, ax: Axes | None = None, *, allow_missing: bool = False) -> Axes:
    """Draw stacked fractions of the outcomes over the intensities.

    Parameters
    ----------
    ds : Dataset
        Study, as for `mcrock.statistics.outcome_shares`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    allow_missing : bool
        Leave out runs that have not been run, rather than refuse.

    Returns
    -------
    Axes
        One bar for each intensity, or bin of the intensities of a cloud; one without an intensity
        where the ground does not move.

    Raises
    ------
    ValueError
        As `mcrock.statistics.outcome_shares`.
    """
    result = outcome_shares(ds, allow_missing=allow_missing)
    result = result.isel(intensity=result["runs"].values > 0).sortby("intensity")
    ax = style.new_axes(height=74.0) if ax is None else ax
    factor, words = style.axis_scale(result["intensity"])
    parts = []
    for ending, (colour, hatch) in LOOKS.items():
        look: dict[str, Any] = {"color": colour, "hatch": hatch, "linewidth": 0.3}
        look["edgecolor"] = "0.25" if hatch else "white"
        parts.append((ending.words, result["share"].sel(ending=ending.words).values, look))
    style.stacked_bars(ax, style.short_numbers(result["intensity"].values * factor), parts)
    style.probability_axis(ax, "Fraction of the runs [1]")
    style.legend_above(ax, left=0.0)
    runs = result["runs"].values
    each = f"{runs[0]}" if np.ptp(runs) == 0 else f"{runs.min()} to {runs.max()}"
    where = f", {each} at each intensity"
    if not is_shaken(ds):
        ax.set_xticks([])
        where = ", on ground that does not move"
    else:
        ax.set_xlabel(words)
        if is_cloud(ds):
            where = f" in {len(runs)} bins of {each} runs by intensity, named by their medians"
    limit = ""
    if OF_SUPPORT in result.attrs:
        limit = f" Fell off: the base centre was displaced by more than {result.attrs[OF_SUPPORT]:g} m."
    style.add_note(ax, f"{format_count(runs.sum(), 'run')}{where}.{limit} {_doubt(result)}")
    return ax


def _doubt(result: xr.Dataset) -> str:
    doubtful = result["share"].sel(ending=[ending.words for ending in UNDECIDED]).sum("ending")
    number = round(float((doubtful * result["runs"]).sum()))
    if number == 0:
        return "All are decided."
    are, count = ("is", "it counts") if number == 1 else ("are", "they count")
    return f"{number} {are} undecided (with a pattern): {count} both ways in the intervals."


@takes_path
@style.styled
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
    ax = style.new_axes() if ax is None else ax
    factor, words = style.axis_scale(result["intensity"])
    import seaborn as sns

    colours = sns.color_palette("viridis_r", len(shown) + 1)[1:][::-1]
    names = style.short_numbers(result["intensity"].values * factor)
    for i, (colour, name) in enumerate(zip(colours, names, strict=True)):
        one = result.isel(intensity=i)
        lower, upper = one["interval"].values
        # the probability falls, the intervals need not: widen them to bounds that fall as well
        lower, upper = np.minimum.accumulate(lower), np.maximum.accumulate(upper[::-1])[::-1]
        ax.fill_between(thresholds, lower, upper, color=colour, alpha=0.08, linewidth=0)
        for bound in (lower, upper):
            ax.plot(thresholds, bound, color=colour, linewidth=0.6, linestyle=(0, (4, 2)), alpha=0.9)
        look: dict[str, Any] = {"marker": style.MARKERS[i % len(style.MARKERS)], "markersize": 3.4}
        look |= {"color": colour, "markevery": (0.05 + 0.06 * i, 0.25), "label": name}
        ax.plot(thresholds, one["probability"], **look)
    ax.set_xlim(0, thresholds[-1])
    style.number_axis(ax)
    ax.set_xlabel(_axis_label(ds, variable))
    style.probability_axis(ax, "Probability of exceedance [1]")
    style.legend_of_levels(ax, words, len(shown) if is_shaken(ds) else 0)
    note, places = count_words(result, runs), "intensities"
    if is_cloud(ds) and is_shaken(ds):
        places = "bins"
        note += f" in {len(moving)} bins of the intensity, named by their medians"
    if len(shown) < int(moving.sum()):
        note += f"; {len(shown)} of {int(moving.sum())} {places} with motion shown"
    level = f"{result.attrs['level']:.0%}"
    style.add_note(ax, f"{note}. Overturned runs exceed every threshold. Dashed: {level} intervals.")
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
    return style.axis_scale(response(ds, variable))[1].replace("[g]", "[m/s²]")
