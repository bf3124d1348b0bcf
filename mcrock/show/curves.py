"""Fragility curves of the same runs by way of fitting, limit state or impact law: tables and figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import xarray as xr

from mcrock import statistics
from mcrock.base.estimates import format_ratio
from mcrock.impact.registry import Law
from mcrock.show import fragility, style, text
from mcrock.statistics.accepted_curve import FAMILIES, accepted_family, choice_of, rejects_lognormal
from mcrock.statistics.curves import LAW, WORDS, limit_words
from mcrock.statistics.intervals import Bootstrap, BootstrapKeywords

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STYLES = {  # colour and mark
    "probit": (style.BLUE, "s"),
    "logit": (style.PURPLE, "^"),
    "plateau": (style.GREY, "v"),
    "monotone": (style.ORANGE, None),
}
LABELS = {law.key: law.label for law in Law}


def format_methods(found: xr.Dataset) -> list[str]:
    """Table of the curves of the same runs by several ways of fitting."""
    level = text.percent(found)

    def name(one: xr.Dataset) -> str:
        method = str(one["fitting_method"].item())
        share = method == "plateau" and math.isfinite(float(one["share"]))
        return WORDS[method] + (f" of {text.cell(one, 'share')}" if share else "")

    def reached(k: int) -> Callable[[xr.Dataset], str]:
        return lambda one: text.cell(one.isel(probability=k), "reached")

    def median(one: xr.Dataset) -> str:
        return reached(-1)(one) if one["fitting_method"] == "monotone" else fragility.format_median(one)

    columns: list[text.Column] = [
        ("fit", name),
        (f"median ({level})", median),
        (f"dispersion ({level})", fragility.DISPERSION),
        *((f"{100 * p:g} % at", reached(k)) for k, p in enumerate(found["probability"].values[:-1])),
        ("log loss", "{log_loss:.4f}"),
    ]
    lines = [
        "Fragility of the same runs by several ways of fitting",
        text.table_along(found, "fitting_method", columns),
        *without_curve(found, "fitting_method", lambda one: WORDS[str(one["fitting_method"].item())]),
        *_plateau(found),
        *_families(found),
    ]
    if math.isfinite(float(found["static_threshold"][0])):
        low, high = text.labels(found["static_threshold"])
        lines.append(f"no realization can rock below {low}; all may above {high}")
    return lines


def without_curve(found: xr.Dataset, dim: str, words: text.Words) -> list[str]:
    """Lines that say why rows of a table of curves have none, those of one reason together."""
    reasons: dict[str, list[str]] = {}
    for one in (found.isel({dim: i}) for i in np.flatnonzero(found["median_capacity"].isnull())):
        reasons.setdefault(str(one["fit"].item()), []).append(text.write(one, words))
    reasons.pop("", None)  # of a curve without a formula
    return [f"no curve ({fit}): {'; '.join(names)}" for fit, names in reasons.items()]


def _plateau(found: xr.Dataset) -> list[str]:
    """A line on the interval of the share that can ever overturn, and of where that curve has 1, 5, 50 %."""
    low, high = found["share_interval"].values.tolist()
    if math.isnan(low):
        return []
    reached = []
    for q, ends in zip(found["probability"].values, found["plateau_interval"].T, strict=True):
        if (place := text.label_interval(xr.Dataset({"at": ends}), "at")) != "open":
            at = "at " * (" to " in place)
            reached.append(f"{100 * q:g} % {at}{place}{', if ever' * place.startswith('above')}")
    tail = f"; that curve has {', '.join(reached)}" if reached else ""
    share = f"{low:.2g} or more" if high >= 1 else f"{low:.2g} to {high:.2g}"
    return [f"a share of {share} can ever overturn ({text.percent(found)} interval){tail}"]


def _families(found: xr.Dataset) -> list[str]:
    """Lines on the test of the lognormal curve, and on the family that foretells records left out best."""
    choice = choice_of(found)
    lines = [f"go by {FAMILIES[choice.family].words}: {choice.words}"]
    scored = found.isel(fitting_method=found["log_loss"].notnull().values)
    if not scored.sizes["fitting_method"]:
        return [*lines, "no log loss on records left out: a single recording leaves no others to fit to"]
    if scored.sizes["fitting_method"] > 1 and np.ptp(scored["log_loss"].values) == 0:
        return [*lines, "log loss on records left out: the same by all ways"]
    least = str(scored["fitting_method"].values[scored["log_loss"].values.argmin()])
    parts = []
    for method in scored["fitting_method"].values.tolist():
        low, high = scored["log_loss_difference_interval"].sel(fitting_method=method).values.tolist()
        if method != least and math.isfinite(low):
            parts.append(f"{WORDS[method]} {low:.4f} to {high:.4f}")
    more = f"; more by: {', '.join(parts)}" if parts else ""
    return [*lines, f"log loss, per run on records left out, is least by: {WORDS[least]}{more}"]


def format_limits(found: xr.Dataset) -> list[str]:
    """Table of the fragility curves of several limit states."""
    level = text.percent(found)
    columns: list[text.Column] = [
        ("limit", limit_words),
        "runs",
        ("beyond", "{overturned}"),
        "undecided",
        (f"median ({level})", fragility.format_median),
        (f"dispersion ({level})", fragility.DISPERSION),
        ("share that can", "{share:with ends}"),
        ("50 % at", fragility.format_half),
        ("by", fragility.accepted_label),
    ]
    return ["Fragility by limit states", *table_of_curves(found, "limit", columns)]


def table_of_curves(found: xr.Dataset, dim: str, columns: Sequence[text.Column]) -> list[str]:
    """Table of curves along a dimension, why some have none, and which of them are rejected by the runs.

    The first column has the names of the curves.
    """
    name = columns[0][1]
    lines = [text.table_along(found, dim, columns), *without_curve(found, dim, name)]
    for one in (found.isel({dim: k}) for k in range(found.sizes[dim])):
        if rejects_lognormal(one):
            by = FAMILIES[accepted_family(one)].words
            lines.append(f"{text.write(one, name)}: {choice_of(one).words}, so go by {by}")
    return lines


def format_laws(laws: xr.Dataset) -> list[str]:
    """Table of the fragility curves of the impact laws, and what it compares."""
    level = text.percent(laws)
    columns: list[text.Column] = [
        ("impact law", "{impact_law}"),
        "runs",
        "undecided",
        *median_columns(level),
        (f"over that of all ({level})", _ratio),
    ]
    lines = table_of_curves(laws, "impact_law", columns)
    if laws.attrs["independent"] == "records" and laws["ratio_interval"].notnull().any():
        lines.append(
            "The last column compares medians under the same ground motions: what the law alone does, by "
            f"{FAMILIES[accepted_family(laws)].words}"
        )
    return lines


def median_columns(level: str) -> list[text.Column]:
    """Columns of the median, its interval and the dispersion of accepted curves for `table_along`."""
    return [
        ("median", fragility.format_accepted_median),
        (f"{level} interval", fragility.format_accepted_ends),
        (
            f"dispersion ({level})",
            lambda fit: text.write(fit, "-" if rejects_lognormal(fit) else fragility.DISPERSION),
        ),
    ]


def _ratio(fit: xr.Dataset) -> str:
    return format_ratio(*text.estimate(fit, "ratio")) if math.isfinite(float(fit["ratio"])) else "-"


@style.figure_of_runs(Bootstrap)
def plot_methods(
    ds: xr.Dataset,
    ax: Axes | None = None,
    *,
    folder: str | Path = ".",
    found: xr.Dataset | None = None,
    **keywords: Unpack[BootstrapKeywords],
) -> Axes:
    """Draw the fragility curves of the same runs by several ways of fitting, with the observed fractions.

    Parameters
    ----------
    ds, folder, **keywords
        As for `mcrock.statistics.fragility_by_method`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    found : Dataset, optional
        From `mcrock.statistics.fragility_by_method`, of the same runs and keywords; by default computed.

    Returns
    -------
    Axes
        Acceleration in g, other intensities in their own unit.

    Raises
    ------
    ValueError
        As `mcrock.statistics.fragility_by_method`.
    """
    how = Bootstrap(**keywords)
    ds = statistics.pooled(ds)
    found = statistics.fragility_by_method(ds, folder=folder, **keywords) if found is None else found
    points = fragility.observed(ds, how)
    ax = style.new_axes(height=80.0) if ax is None else ax
    factor = style.level_axis(ax, found["intensity_grid"], 1.0)
    x = found["intensity_grid"].values * factor
    low, high = found["band"].sel(fitting_method="monotone").values
    ax.fill_between(x, low, high, color=style.ORANGE, alpha=0.16, linewidth=0)
    for method in found["fitting_method"].values.tolist():
        one, (colour, mark) = found.sel(fitting_method=method), STYLES[method]
        if mark is None:
            ax.plot(x, one["curve"], color=colour, label=WORDS[method])
        elif np.isfinite(one["median_capacity"]):
            look: dict[str, Any] = {"marker": mark, "markersize": 3.0, "markevery": (0.03, 0.12)}
            fragility.draw_curve(ax, x, one, colour, label=WORDS[method], **look)
    _draw_points(ax, points, factor, "o", "0.2", label="fractions of the runs")
    style.probability_axis(ax, fragility.probability_label(ds))
    style.legend_above(ax)
    note = f"{text.count_words(points, int(points['runs'].sum()))}. Shaded: all rising curves through the "
    note += f"{how.level:.0%} intervals of the fractions. "
    if np.isfinite(static := found["static_threshold"][0]):
        ax.axvline(float(static) * factor, color=style.ORANGE, linestyle=":", linewidth=0.9)
        note += f"Dotted: {text.label(static)}, below which no realization can rock. "
    note += f"Go by {FAMILIES[accepted_family(found)].words}: {choice_of(found).words}. "
    return style.add_note(ax, note + fragility.UNSUPPORTED + fragility.bins_words(points))


@style.figure_of_runs(Bootstrap)
def plot_limits(
    ds: xr.Dataset,
    limits: Sequence[tuple[str, float]] | None = None,
    ax: Axes | None = None,
    *,
    found: xr.Dataset | None = None,
    **keywords: Unpack[BootstrapKeywords],
) -> Axes:
    """Draw the fragility curve of each of several limit states, with the observed fractions.

    Parameters
    ----------
    ds, limits, **keywords
        As for `mcrock.statistics.fragility_by_limit`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    found : Dataset, optional
        From `mcrock.statistics.fragility_by_limit`, of the same runs and keywords; by default computed.

    Returns
    -------
    Axes
        Acceleration in g, other intensities in their own unit.

    Raises
    ------
    ValueError
        As `mcrock.statistics.fragility_by_limit`.
    """
    how = Bootstrap(**keywords)
    ds = statistics.pooled(ds)
    fits = statistics.fragility_by_limit(ds, limits, **keywords) if found is None else found
    ax = style.new_axes(height=70.0 + 4.0 * fits.sizes["limit"]) if ax is None else ax
    ones = [fits.isel(limit=i) for i in range(fits.sizes["limit"])]
    runs, names = [], []
    for one in ones:
        variable = str(one["variable"].item())
        runs.append(statistics.by_limit(ds, variable, float(one["value"])) if variable else ds)
        curve = f"{fragility.format_median(one)}, {float(one['dispersion']):.2g}"
        if accepted_family(one) != "lognormal":
            curve = f"{fragility.accepted_label(one)}, 50 % {fragility.format_half(one)}"
        names.append(f"{limit_words(one)}: {curve}")
    _draw_family(ax, fits["intensity_grid"], zip(ones, runs, names, strict=True), how)
    style.probability_axis(ax, "Probability of exceeding the limit [1]")
    style.legend_above(ax, 1, title=f"Limit: median ({how.level:.0%} interval), dispersion")
    note = f"{text.count_words(fits, int(fits['runs'][0]))}. Overturned runs exceed every limit. "
    if most := int(fits["undecided"].max()):
        note += f"Up to {most} undecided: both ways in the intervals. "
    return style.add_note(ax, note + fragility.UNSUPPORTED)


@style.figure_of_runs(Bootstrap)
def plot_choices(
    ds: xr.Dataset,
    choice: str = LAW,
    ax: Axes | None = None,
    *,
    found: xr.Dataset | None = None,
    **keywords: Unpack[BootstrapKeywords],
) -> Axes:
    """Draw the fragility curve of each option of a choice with the observed fractions.

    The legend gives the median of each curve over that of all runs, with its interval.

    Parameters
    ----------
    ds : Dataset
        Study, as for `mcrock.statistics.fragility_by_choice`.
    choice : str
        Variable of codes on realization: "impact_law" and the like.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    found : Dataset, optional
        From `mcrock.statistics.fragility_by_choice`, of the same runs and keywords; by default computed.
    **keywords
        As for `mcrock.statistics.fragility_by_choice`.

    Returns
    -------
    Axes
        Acceleration in g, other intensities in their own unit.

    Raises
    ------
    ValueError
        As `mcrock.statistics.fragility_by_choice`.
    """
    how = Bootstrap(**keywords)
    fits = statistics.fragility_by_choice(ds, choice, **keywords) if found is None else found
    ax = style.new_axes(height=90.0) if ax is None else ax
    parts = statistics.split_by_choice(ds, choice)
    ones = [fits.sel({choice: word}) for word in parts]
    known = LABELS | {Law.OWN.key: ds.attrs.get("own_law", "").partition(",")[0]}
    names = [known.get(word) or word.replace("_", " ").title() for word in parts]
    names = [name + f": {_ratio(one)}".replace(": -", "") for name, one in zip(names, ones, strict=True)]
    _draw_family(ax, fits["intensity_grid"], zip(ones, parts.values(), names, strict=True), how)
    style.probability_axis(ax, "Probability of overturning [1]")
    words = f"Median over that of all runs by {FAMILIES[accepted_family(fits)].words} ({how.level:.0%})"
    style.legend_above(ax, 1, title=words)
    points = statistics.overturning_probability(ds, **how.keywords)
    note = f"{text.count_words(points, int(fits['runs'].sum()))}. "
    if doubtful := int(fits["undecided"].sum()):
        note += f"{doubtful} undecided runs: both ways in the intervals. "
    drawn = f"{how.resamples} resamples of the {fits.attrs['independent']}, the same ones for all curves"
    return style.add_note(ax, f"{note}Intervals: {drawn}. {fragility.UNSUPPORTED}")


def _draw_family(
    ax: Axes, grid: xr.DataArray, members: Iterable[tuple[xr.Dataset, xr.Dataset, str]], how: Bootstrap
) -> None:
    """Curves over a grid of intensities, each a fit with its runs, whose fractions are marks, and a name."""
    factor = style.level_axis(ax, grid, 1.0)
    for i, (fit, runs, name) in enumerate(members):
        colour, mark = style.COLOURS[i % len(style.COLOURS)], style.MARKERS[i % len(style.MARKERS)]
        if np.isfinite(fit["median_capacity"]) and not rejects_lognormal(fit):
            fragility.draw_curve(ax, grid.values * factor, fit, colour)
        else:
            ax.plot(
                grid.values * factor, fragility.accepted_values(fit.assign(intensity_grid=grid)), color=colour
            )
        _draw_points(ax, fragility.observed(runs, how), factor, mark, colour)
        ax.plot([], [], f"{mark}-", color=colour, markersize=3.4, label=name)


def _draw_points(ax: Axes, points: xr.Dataset, factor: float, mark: str, colour: str, **look: Any) -> None:
    x, p = points["intensity"] * factor, points["probability"]
    ax.plot(x, p, mark, color=colour, markersize=3.2, clip_on=False, zorder=3, **look)
