"""Fragility curves of the same runs by way of fitting, limit state, impact law or intensity measure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import xarray as xr

from mcrock import statistics
from mcrock.base.estimates import Term, format_ratio
from mcrock.base.params import Outcome
from mcrock.excitation.motion import MotionError
from mcrock.impact.registry import Law
from mcrock.show import fragility, style, text
from mcrock.show.risk import plot_baselines
from mcrock.statistics.accepted_curve import FAMILIES, accepted_family, choice_of, rejects_lognormal
from mcrock.statistics.curves import LAW, WORDS, limit_words
from mcrock.statistics.intervals import Bootstrap, BootstrapKeywords, Confidence, ConfidenceKeywords
from mcrock.statistics.measures import has_records, measure_name
from mcrock.statistics.standards import why_no_baselines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STYLES = {  # colour and mark
    "probit": (style.BLUE, "s"),
    "logit": (style.PURPLE, "^"),
    "plateau": (style.GREY, "v"),
    "monotone": (style.ORANGE, None),
}
LABELS = {law.key: law.label for law in Law}


def compose_fragility(
    ds: xr.Dataset,
    limits: Sequence[tuple[str, float]] | None = None,
    measures: Sequence[Any] = (),
    *,
    folder: str | Path = ".",
    **keywords: Unpack[ConfidenceKeywords],
) -> text.Composition:
    """Curves of a study by ways of fitting, limit states and intensity measures, of two a surface.

    Parameters
    ----------
    ds : Dataset
        Study, as for `mcrock.statistics.fragility_by_method`.
    limits, measures, folder
        As for `fragility_by_limit` and `with_measures` of `mcrock.statistics`.
    **keywords
        Of `mcrock.statistics.Confidence`.

    Raises
    ------
    ValueError
        As the functions of `mcrock.statistics`.
    """
    ways = statistics.fragility_by_method(ds, folder=folder, **keywords)
    states = statistics.fragility_by_limit(ds, limits, **keywords)
    found, blocks = {"methods": ways, "limits": states}, [*format_methods(ways), *format_limits(states)]
    draw: dict[str, Callable[[], Axes | str]] = {
        "fragility_methods": lambda: plot_methods(ds, folder=folder, found=ways, **keywords),
        "fragility_limits": lambda: plot_limits(ds, limits, found=states, **keywords),
    }
    if why := why_no_baselines(ds):
        blocks += ["", why]
    else:
        draw["baselines"] = lambda: _draw_baselines(ds, folder, **keywords)
    if not measures:
        return text.Composition(found, blocks, draw)
    runs = statistics.with_measures(ds, measures, folder=folder)
    found["measures"] = compared = statistics.compare_measures(runs, **keywords)
    blocks += ["Fragility by intensity measures", *format_measures(compared)]
    draw["fragility_measures"] = lambda: plot_measures(runs, found=compared, **keywords)
    if len(measures) == 2:
        names = [measure_name(item) for item in measures]
        found["surface"] = surface = statistics.fit_surface(runs, names, **keywords)
        blocks += ["", *format_surface(surface)]
        draw["fragility_surface"] = lambda: plot_surface(runs, names, found=surface, **keywords)
    if has_records(ds) and "peak_tilt_ratio" in ds:
        sufficiency = statistics.measure_sufficiency(ds, measures, folder=folder, **keywords)
        found["sufficiency"] = sufficiency
        blocks += format_sufficiency(sufficiency)
    return text.Composition(found, blocks, draw)


def _draw_baselines(ds: xr.Dataset, folder: str | Path, **keywords: Unpack[ConfidenceKeywords]) -> Axes | str:
    try:
        return plot_baselines(ds, folder=folder, **keywords)
    except MotionError as error:  # motions that do not shake along the ground
        return f"no rules of thumb: {error}"


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


ROW = 12.0  # height of a measure in the figure [mm]
REST = 34.0  # height of everything else [mm]
LEVELS = (0.05, 0.2, 0.5, 0.8, 0.95)  # of the contours [1]
DRAWN = 3000  # points at most
ROOM = 1.06  # beside the points [1]
SIDES = ("first", "second")


def format_measures(measures: xr.Dataset) -> list[str]:
    """Table of the fragility curves by each intensity measure, the one that explains most first."""
    level = text.percent(measures)

    def difference(fit: xr.Dataset) -> str:
        value, low, _ = text.estimate(fit, "log_loss_difference")
        return "-" if value == 0 or math.isnan(low) else text.with_ends(fit, "log_loss_difference", ".3f")

    columns: list[text.Column] = [
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
        f"is rejected, as {Term.FRACTIONS} follow every run; most in: fraction of the resamples in which it "
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
    return [*text.present(ranked, "Sufficiency, practicality and efficiency, by the peak tilt ratio"), words]


def format_surface(found: xr.Dataset) -> list[str]:
    """Tables of a surface over two intensity measures."""
    if math.isnan(float(found["intercept"])):
        return [f"no surface over {' and '.join(found['measure'].values)}: the likelihood has no maximum"]
    return text.present(
        found, f"Surface: {found.attrs['link']} of the probability over two measures, in SI units"
    )


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
    found = statistics.compare_measures(ds, **keywords) if found is None else found
    found = found.isel(measure=found["explained"].argsort().values)
    names = found["measure"].values.tolist()
    ax = style.new_axes(height=REST + ROW * len(names)) if ax is None else ax
    share, (low, high) = found["explained"].values, found["explained_interval"].values
    row = style.interval_rows(ax, names, found["explained_interval"].values, [style.BLUE])
    ax.plot(share, row, "o", color=style.BLUE, markersize=4.0)
    long = [statistics.by_measure(ds, name)["intensity_value"].attrs.get("long_name", name) for name in names]
    curves = [_curve(found.isel(measure=i)) for i in range(len(names))]
    words = map("{}: {}\n{}".format, names, long, curves)
    style.words_above_rows(ax, [*words])
    largest = np.nanmax([0.1, *np.where(np.isfinite(high), high, share)])
    ax.set_xlim(0, min(1.0, 1.15 * largest))
    ax.set_xlabel("Fraction of the deviance explained [1]")
    note = f"{text.count_words(found, ds.sizes['realization'])}. "
    if np.isfinite(low).all():
        drawn = f"{found.attrs['resamples']} resamples of the {found.attrs['independent']}"
        note += f"Bars: {found.attrs['level']:.0%} intervals, {drawn}. "
    note += "1: the lognormal curve by the measure decides overturning; 0: it says nothing about it."
    return style.add_note(ax, note)


def _curve(fit: xr.Dataset) -> str:
    """Median and dispersion of the curve by a measure."""
    if not np.isfinite(fit["median_capacity"]):
        return "no curve"
    spread = f"dispersion {text.write(fit, fragility.DISPERSION).partition(' ')[0]}"
    tail = fragility.accepted_label(fit) if rejects_lognormal(fit) else spread
    return f"median {fragility.format_accepted_median(fit)}, {tail}"


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

    found = statistics.fit_surface(ds, measures, link=link, **keywords) if found is None else found
    ax = style.new_axes(height=92.0) if ax is None else ax
    scales = [style.axis_scale(found[name]) for name in SIDES]
    x, y = (
        statistics.by_measure(ds, name)["intensity_value"].values * factor
        for name, (factor, _) in zip(measures, scales, strict=True)
    )
    there = (ds["outcome"].values != Outcome.NOT_RUN) & (x > 0) & (y > 0)
    points, index = np.unique(np.stack([x, y])[:, there], axis=1, return_inverse=True)
    share = np.bincount(index, weights=statistics.overturned(ds).values[there]) / np.bincount(index)
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
        f"{text.format_count(int(found['runs']), 'run')} of {int(found['records'])} records. Lines: "
        "probability of overturning; points: runs, the darker the more overturned. Log loss on records "
        f"left out: {words}.",
    )
