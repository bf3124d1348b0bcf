"""Uncertain inputs: what was drawn from which distributions, what decides the result, and nested studies."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from mcrock.base.estimates import Term, format_p_value
from mcrock.base.tables.distributions import Discrete, Distribution, Listed
from mcrock.base.units import unit_in_figure
from mcrock.impact.registry import ImpactParameter
from mcrock.show import style, text
from mcrock.show.maps import map_axes, runs_at
from mcrock.show.text import (
    Column,
    Columns,
    Words,
    at,
    format_count,
    label,
    labels,
    missing_chunks,
    percent,
    table_along,
    write,
)
from mcrock.statistics import (
    epistemic_probability,
    outcome_distances,
    parameter_effect,
    sobol_indices,
    variance_shares,
)
from mcrock.statistics.intervals import Confidence
from mcrock.statistics.probability import rank_scores
from mcrock.statistics.sensitivity import MOST, has_indices
from mcrock.study import Study
from mcrock.study.sampling import variable_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW = 24.0  # height of a row of axes [mm]
ACROSS = 3  # axes in a row, of more than four
MOST_AXES = 12  # axes
BINS = 24
DOTS = 2000  # realizations of a pair of inputs that are drawn
FINE = 200  # points of a density
TAIL = 1e-3  # probability beyond each end of a density
_OF_IMPACTS = {item.variable: item.row.rule.unit for item in ImpactParameter}  # where they are drawn anew


def distributed_inputs(study: Study) -> dict[str, Distribution]:
    """Inputs with a distribution by dotted name, drawn once for each realization or anew at every impact."""
    items = {name: study.quantities[name] for name in study.uncertain if name in study.quantities}
    items |= {f"impact.{key}": item for key, item in study.impact.redrawn.items()}
    return {name: item for name, item in items.items() if isinstance(item, Distribution)}


def has_distributions(ds: xr.Dataset) -> bool:
    """Whether a dataset says what its study is, and any number of that has a distribution."""
    config = ds.attrs.get("config") or "{}"
    return "body" in json.loads(config) and bool(distributed_inputs(Study.from_json(config)))


@style.figure_of_runs()
def plot_inputs(ds: xr.Dataset) -> Axes:
    """Draw the distribution of every uncertain number, and what was drawn from it.

    Parameters
    ----------
    ds : Dataset
        Study, with the attribute `config`; of a nested one the runs together, or one draw.

    Returns
    -------
    Axes
        Those of the first of at most twelve inputs, in SI units; azimuths as the study file has them.

    Raises
    ------
    ValueError
        If no number of the study has a distribution.
    """
    study = Study.from_json(ds.attrs["config"])
    inputs = distributed_inputs(study)
    if not inputs:
        raise ValueError("no number of this study has a distribution: there is nothing to draw")
    pairs = study.copula.pairs
    room = max(MOST_AXES - len(pairs), MOST_AXES // 2)
    shown = list(inputs)[:room]
    drawn_pairs = pairs[: MOST_AXES - len(shown)]
    number = len(shown) + len(drawn_pairs)
    across = 2 if number in (2, 4) else ACROSS
    rows = -(-number // across)
    figure = style.new_figure(style.COLUMN, ROW * rows + 14.0)
    grid: list[Axes] = figure.subplots(rows, across, squeeze=False).ravel().tolist()
    for ax, name in zip(grid, shown, strict=False):
        _draw(ax, inputs[name], _drawn(ds, study, name))
        ax.set_title(_named(ds, study, name), fontsize=7.0, loc="left", pad=3)
    for ax, pair in zip(grid[len(shown) :], drawn_pairs, strict=False):
        _draw_pair(ax, ds, study, pair)
    for ax in grid[number:]:
        ax.set_axis_off()
    left_out = len(inputs) + len(pairs) - number
    more = f" {left_out} more are not shown." * bool(left_out)
    dots = " Dots: inputs that vary together, and their rank correlation as drawn." * bool(pairs)
    return style.add_note(
        grid[0], f"Densities. Lines: distributions; bars: {ds.sizes['realization']} realizations.{dots}{more}"
    )


def _named(ds: xr.Dataset, study: Study, name: str) -> str:
    """Key and unit of an input."""
    return f"{style.input_name(name).partition(' ')[2] or name} [{_unit(ds, study, name)}]"


def _draw_pair(ax: Axes, ds: xr.Dataset, study: Study, pair: tuple[str, str, float]) -> None:
    """Two inputs that vary together, as they were drawn."""
    x, y = (_drawn(ds, study, name) for name in pair[:2])
    ax.plot(x[:DOTS], y[:DOTS], ".", color=style.BLUE, markersize=1.5, alpha=0.5)
    ax.set_title(f"{rank_scores(x) @ rank_scores(y):+.2f}", fontsize=7.0, loc="left", pad=3)
    ax.set_xlabel(_named(ds, study, pair[0]), fontsize=6.5)
    ax.set_ylabel(_named(ds, study, pair[1]), fontsize=6.5)
    ax.locator_params(nbins=3)


def _drawn(ds: xr.Dataset, study: Study, name: str) -> np.ndarray:
    """Values of an input, in the unit of its key; none of one that is drawn anew at every impact."""
    variable = variable_name(name)
    if variable not in ds:
        return np.zeros(0)
    values = ds[variable].values.astype(float)
    if name == "motion.azimuth":
        values = values / study.motion.rotation[1]
    return values[np.isfinite(values)]


def _unit(ds: xr.Dataset, study: Study, name: str) -> str:
    """Unit in which an input is drawn."""
    if name == "motion.azimuth":
        return "rad" if study.motion.rotation[1] == 1.0 else "°"
    variable = variable_name(name)
    units = str(ds[variable].attrs.get("units", "1")) if variable in ds else _OF_IMPACTS.get(variable, "1")
    return unit_in_figure(units)


def _draw(ax: Axes, item: Distribution, values: np.ndarray) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    if isinstance(item, Discrete):
        given, reached = item.steps
        ax.vlines(given, 0, np.diff(reached, prepend=0.0), color=style.DEEP_RED, linewidth=1.0)
        found = [(values == value).mean() for value in given] if len(values) else []
        ax.plot(given[: len(found)], found, "o", color=style.BLUE, markersize=2.5, alpha=0.6)
    else:
        _draw_density(ax, item, values)
    ax.set_ylim(bottom=0)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.xaxis.set_major_locator(MaxNLocator(3))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _draw_density(ax: Axes, item: Distribution, values: np.ndarray) -> None:
    low, high = (float(item.quantile(p)) for p in (TAIL, 1 - TAIL))
    if len(values):
        low, high = min(low, values.min()), max(high, values.max())
        few = np.unique(values)
        if len(few) < len(values) / BINS:  # one number for many realizations: a mark for each
            ax.vlines(few, 0, 0.12, transform=ax.get_xaxis_transform(), color=style.BLUE, linewidth=0.5)
        else:
            look: dict[str, Any] = {"color": style.BLUE, "alpha": 0.35, "linewidth": 0}
            ax.hist(values, bins=BINS, range=(low, high), density=True, **look)
    if isinstance(item, Listed):
        return
    x = np.linspace(low, high, FINE)
    with np.errstate(all="ignore"):
        density = item.density(x)
    ax.plot(x, np.where(np.isfinite(density), density, np.nan), color=style.DEEP_RED, linewidth=1.0)


MOST_INPUTS = 10  # inputs drawn [1]
LEVELS = 4  # intensities drawn [1]
APART = 0.7  # of a row over which the marks of intensities are spread [1]
OPEN = 0.9  # width of an interval beyond which nothing is known [1]
SIGNIFICANT = 0.05  # fraction of the permutations from which a distance is called one of chance [1]


def sensitivity_of(
    ds: xr.Dataset,
    how: Confidence,
    permutations: int = 199,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, xr.Dataset]:
    """Inputs given the outcome, and of a whole study of that design Sobol indices, by name of the function.

    Raises
    ------
    ValueError
        As the functions of `mcrock.statistics`.
    """
    whole = has_indices(ds) and not missing_chunks(ds)
    found = {"sobol_indices": sobol_indices(ds, level=how.level)} if whole else {}
    distances = outcome_distances(
        ds, permutations=permutations, allow_missing=how.allow_missing, progress=progress
    )
    return found | {"outcome_distances": distances}


def compose_sensitivity(found: Mapping[str, xr.Dataset]) -> text.Composition:
    """Tables of `sensitivity_of`, and the figure of the first of them."""
    drawings = {"sensitivity": lambda: plot_sensitivity(next(iter(found.values())))}
    return text.Composition(found, text.blocks_of(found, BLOCKS), drawings)


def format_indices(found: xr.Dataset) -> list[str]:
    """Tables of the total and first-order indices of `mcrock.statistics.sobol_indices`."""
    lines: list[str] = []
    for name, words in (
        ("total", "Total indices: share of the variance of overturning that an input takes part in"),
        ("first_order", "First-order indices: share that an input explains alone"),
    ):
        table = _by_input(found, f"{{{name}:.2f with ends}}")
        lines += [f"{words} ({percent(found)} interval)", table, ""]
    together = found["first_order"].sum("input", skipna=False)
    places = [f" at {place}" for place in labels(found["intensity"])] if "intensity" in found.dims else [""]
    sums = zip(together.values.ravel().tolist(), places, strict=True)
    words = ", ".join(f"{p:.2f}{place}" for p, place in sums if not math.isnan(p))
    return [
        *lines,
        f"first-order indices add up to {words}: of yes or no even a sum is mostly interaction; rank by the "
        "total",
        f"{int(found['runs'])} runs: 8 independent designs of {int(found['points'])} points, whose scatter "
        "gives the intervals",
    ]


def format_distances(found: xr.Dataset) -> list[str]:
    """Table of `mcrock.statistics.outcome_distances`, with a mark where chance does as much."""
    notes = {
        "dependent": "vary together, so that the table cannot tell which one acts: {} (rank correlation)",
        "constant": "the same in all runs, and so not in the table: {}",
    }
    return [
        "Inputs of runs that overturned against those of the others: distance of their distributions",
        _by_input(found, _distance),
        "0 without effect, 1 where the input alone decides; + runs overturned at larger numbers, - at "
        "smaller ones",
        f"in brackets: in more than {SIGNIFICANT:.0%} of {int(found.attrs['permutations'])} permutations of "
        "the outcomes within records chance makes a distance as large, of all inputs and intensities "
        "together",
        *(words.format(found.attrs[name]) for name, words in notes.items() if found.attrs[name]),
    ]


BLOCKS = {"sobol_indices": format_indices, "outcome_distances": format_distances}
FIGURES = {
    "sobol_indices": "Sobol indices of the inputs",
    "outcome_distances": "Distances between the inputs of runs that overturned and of those that did not",
}


def _by_input(found: xr.Dataset, words: Words) -> Columns:
    """Table with a row for each input and a column for each intensity, if there are any."""
    columns: list[Column] = [("", words)]
    if "intensity" in found.dims:
        columns = [(label(x), at(words, intensity=x.item())) for x in found["intensity"]]
    return table_along(found, "input", ["input", *columns])


def _distance(one: xr.Dataset) -> str:
    distance, direction = float(one["distance"]), float(one["direction"])
    if math.isnan(distance):
        return "-"
    words = f"{'+' if direction > 0 else '-' if direction < 0 else ''}{distance:.2f}"
    return f"({words})" if float(one["family_significance"]) > SIGNIFICANT else words


@style.styled
def plot_sensitivity(found: xr.Dataset, ax: Axes | None = None) -> Axes:
    """Draw Sobol indices, or distances of the inputs given the outcome.

    Parameters
    ----------
    found : Dataset
        From `mcrock.statistics.sobol_indices` or `mcrock.statistics.outcome_distances`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.

    Returns
    -------
    Axes
        A row for each of up to ten inputs, those with the largest values, with a mark for each of up to four
        intensities at which something is known. Total indices have intervals, first-order ones are strokes,
        and neither is drawn where the interval is nearly the whole range; distances that chance may reach are
        open marks.
    """
    from matplotlib import colormaps

    indices = "total" in found
    values = found["total" if indices else "distance"]
    values = values if indices else values.where(found["family_significance"] <= SIGNIFICANT)
    inputs = values.sizes["input"]
    largest = np.nan_to_num(values.values.reshape(inputs, -1)).max(axis=1)
    order = np.argsort(-largest, kind="stable")[:MOST_INPUTS]
    levels = [found.isel(input=order)]
    if "intensity" in found.dims:
        known = np.flatnonzero(values.notnull().any("input"))
        known = known if known.size else np.arange(found.sizes["intensity"])
        drawn = known[np.unique(np.linspace(0, len(known) - 1, min(len(known), LEVELS)).round().astype(int))]
        levels = [levels[0].isel(intensity=i) for i in drawn]
    ax = style.new_axes(height=34.0 + (4.0 + len(levels)) * len(order)) if ax is None else ax
    rows = np.arange(len(order), dtype=float)
    for i, one in enumerate(levels):
        shade = colormaps["viridis"](0.85 * i / max(len(levels) - 1, 1))
        name = label(one["intensity"]) if "intensity" in one.coords else ""
        look = {"color": shade, "label": name, "marker": style.MARKERS[i]}
        aside = APART * ((i + 0.5) / len(levels) - 0.5)
        (_draw_indices if indices else _draw_distances)(ax, rows + aside, one, look)
    ax.set_yticks(rows, [style.input_name(name) for name in levels[0]["input"].values.tolist()])
    ax.tick_params(axis="y", length=0)
    ax.set(ylim=(len(order) - 0.5, -0.5), xlim=(-0.02, 1.02))
    ax.hlines(rows[1:] - 0.5, 0.0, 1.0, color="0.85", linewidth=0.5, zorder=0)
    style.number_axis(ax)
    ax.set_xlabel("Sobol index [1]" if indices else "Distance of the inputs [1]")
    if len(levels) > 1:
        style.legend_of_levels(ax, style.axis_scale(found["intensity"])[1].rpartition(" [")[0], len(levels))
    left_out = f" {inputs - len(order)} more inputs are not drawn." if inputs > len(order) else ""
    note = (
        "Inputs of overturned runs against those of the others; open: reached by chance in more than "
        f"{SIGNIFICANT:.0%} of {found.attrs.get('permutations')} random permutations."
    )
    if indices:
        level = f"{found.attrs['level']:.0%}"
        note = f"Marks: total indices with {level} intervals; strokes: first-order indices. "
        note += f"{int(found['runs'])} runs."
    return style.add_note(ax, note + left_out)


def _draw_indices(ax: Axes, rows: np.ndarray, one: xr.Dataset, look: dict[str, Any]) -> None:
    low, high = one["total_interval"].values.reshape(2, -1)
    known = high - low < OPEN
    total = one["total"].values
    ends = np.abs(np.stack([total - low, high - total]))[:, known]
    thin = style.BARS | {"linestyle": "none", "markersize": 3.6, "zorder": 3}
    ax.errorbar(total[known], rows[known], xerr=ends, **look, **thin)
    ax.plot(one["first_order"].values[known], rows[known], "|", color=look["color"], markersize=6.0)


def _draw_distances(ax: Axes, rows: np.ndarray, one: xr.Dataset, look: dict[str, Any]) -> None:
    by_chance = one["family_significance"].values > SIGNIFICANT
    look = look | {"linestyle": "none", "markersize": 4.0}
    ax.plot(np.where(by_chance, np.nan, one["distance"].values), rows, **look)
    faint = {"markerfacecolor": "white", "alpha": 0.6, "label": "_"}
    ax.plot(np.where(by_chance, one["distance"].values, np.nan), rows, **look | faint)


COMPONENTS = {  # by component: its name in the figure and its colour, neighbours apart in grey
    "epistemic": ("epistemic alone", style.GREEN),
    "epistemic_record": ("epistemic x record", style.YELLOW),
    "epistemic_within": ("epistemic x azimuth etc.", style.ORANGE),
    "within_record": ("azimuth etc. in records", style.PALE_BLUE),
    "record": ("record", "0.92"),
}


CHANCE = 0.05  # p-value below which parameters have an effect [1]


def runs_of_map(ds: xr.Dataset) -> xr.Dataset:
    """The first realizations, as many as tell any effect that matters and fit in the memory."""
    return ds.isel(realization=slice(MOST))


def impact_effect(ds: xr.Dataset, how: Confidence) -> xr.Dataset | str | None:
    """What the two parameters of impacts or contacts do that tell most, or a line that they do nothing.

    Returns
    -------
    Dataset, str or None
        `mcrock.statistics.parameter_effect` of the runs of `plot_impact_map`, at ``attrs["where"]``;
        None of a study without two such parameters, or if all those runs ended alike.
    """
    axes = map_axes(ds)
    if axes is None:
        return None
    ds = runs_of_map(ds)
    part, where = runs_at(ds, None, how.allow_missing)
    there = (part["outcome"] != 0).values & np.isfinite(part[list(axes)].to_array().values).all(axis=0)
    found = parameter_effect(part.isel(realization=there), axes, level=how.level)
    if found["p_value"].isnull():
        return None
    if found["p_value"] < CHANCE:
        return found.assign_attrs(where=where)
    runs, p = format_count(there.sum(), "run"), format_p_value(float(found["p_value"]))
    return f"no map of impacts: {runs} {where} do not tell an effect ({p}): {_changes(found)}"


def effect_line(found: xr.Dataset) -> str:
    """How far parameters change the fraction of the runs that overturn."""
    p = format_p_value(float(found["p_value"]))
    return f"impacts have an effect {found.attrs['where']} ({p}): {_changes(found)}"


def _changes(found: xr.Dataset) -> str:
    ones = (found.isel(parameter=k) for k in range(found.sizes["parameter"]))
    changes = ", ".join(write(one, "{parameter} {change:+.2f} ({change_interval:+.2f})") for one in ones)
    return f"from its least to its largest number each changes the overturned fraction, {changes}"


def format_shares(shares: xr.Dataset, probability: xr.Dataset) -> list[str]:
    """Table of what ignorance does to the probability, and what it does in single earthquakes."""
    fractiles = probability["fractile_probability"]
    both = shares.assign(of_all=probability["probability"], fractiles=fractiles[[0, -1]])
    columns: list[Column] = [
        "intensity",
        ("probability", "{of_all:.3f}"),
        ("5 to 95 % of draws", "{fractiles:.3f}"),
        ("deviation", "{deviation:.3f}"),
        (f"first order ({percent(shares)} interval)", "{first_order:.3f with ends}"),
        ("total", "{total:.3f with ends}"),
    ]
    return [
        f"Epistemic uncertainty: {int(shares['draws'])} {Term.DRAWS} that meet the same motions",
        table_along(both, "intensity", columns),
        "first order: part of the variance of overturning that the draws explain over all earthquakes; "
        "total: part that they take part in, in single earthquakes too",
    ]


def format_bounds(bounds: xr.Dataset) -> list[str]:
    """Table of the smallest and the largest probability of the draws, and the inputs that they go with."""
    columns: list[Column] = [
        "intensity",
        *((end, at("{estimate:.3f}", end=end)) for end in bounds["end"].values.tolist()),
        ("as counted", "{naive:.3f}"),
        (f"all draws at once ({percent(bounds)} interval)", "{interval:.3f}"),
    ]
    return [
        f"Over the whole range: smallest and largest probability of {int(bounds['draws'])} draws, chosen on "
        "one half of the records and estimated on the other",
        table_along(bounds, "intensity", columns),
        f"the largest exceeds the probability on {100 * float(bounds['content']):.3g} % of the range with "
        f"{percent(bounds)} confidence, but for the noise of its runs",
        *_drivers(bounds),
    ]


def format_dispersions(fragility: xr.Dataset) -> list[str]:
    """Dispersions of the fragility by their kinds; none where a draw has no curve."""
    names = ("aleatory", "epistemic", "sampling", "uncertainty")
    beta_r, epistemic, sampling, beta_u = (float(fragility[name]) for name in names)
    if math.isnan(beta_u):
        return ["a draw has no fragility curve of its own: more levels or records tell its dispersions apart"]
    return [
        f"dispersion of the capacity from the shaking {beta_r:.3f}; of its median {beta_u:.3f}: "
        f"{epistemic:.3f} from epistemic inputs and {sampling:.3f} from the number of records"
    ]


def _drivers(bounds: xr.Dataset) -> list[str]:
    """Inputs most correlated with the fractions of the draws, at each intensity."""
    if "rank_correlation" not in bounds:
        return []
    found = []
    for place, column in zip(labels(bounds["intensity"]), bounds["rank_correlation"].values.T, strict=True):
        if not np.isnan(column).all():
            k = int(abs(column).argmax())
            found.append(f"{bounds['input'].values[k]} at {place} ({column[k]:+.2f})")
    return [f"they go most with {', '.join(found)}: rank correlation over the draws"] if found else []


@style.figure_of_runs()
def plot_probability_box(
    ds: xr.Dataset, ax: Axes | None = None, *, level: float = 0.95, found: xr.Dataset | None = None
) -> Axes:
    """Draw the probability of each epistemic draw, their box, and the interval for new earthquakes.

    Parameters
    ----------
    ds : Dataset
        Nested study, as for `mcrock.statistics.epistemic_probability`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    level : float
        Coverage of the intervals [1].
    found : Dataset, optional
        From `mcrock.statistics.epistemic_probability`, of the same study and level; by default computed.

    Returns
    -------
    Axes
        Acceleration in g, other intensities in their own unit.

    Raises
    ------
    ValueError
        As `mcrock.statistics.epistemic_probability`.
    """
    found = epistemic_probability(ds, level=level) if found is None else found
    found = found.sortby("intensity")
    ax = style.new_axes() if ax is None else ax
    x = found["intensity"].values * style.level_axis(ax, found["intensity"])
    look: dict[str, Any] = {"color": style.BLUE, "alpha": 0.3, "linewidth": 0}
    ax.fill_between(x, *found["box"].values, label="box, 5 to 95 %", **look)
    ax.plot(x, found["draw_probability"].values.T, color="0.4", linewidth=0.25, alpha=0.6)
    look = {"fmt": "o-", "color": style.DEEP_RED, "linewidth": 1.0, "clip_on": False}
    mean, ends = found["probability"].values, found["interval"].values
    style.error_bars(ax, x, mean, ends, label=f"mean, {level:.0%} interval", **look)
    style.probability_axis(ax, "Probability of overturning [1]")
    style.legend_above(ax)
    return style.add_note(
        ax,
        f"Thin lines: {int(found['draws'])} {Term.DRAWS}, less the noise of their runs; box: their spread, "
        f"epistemic uncertainty. Bars: sampling error of {int(found['records'])} recordings. "
        f"{int(found['runs'])} runs.",
    )


@style.figure_of_runs()
def plot_variance_shares(
    ds: xr.Dataset, ax: Axes | None = None, *, level: float = 0.95, found: xr.Dataset | None = None
) -> Axes:
    """Draw the shares of the variance of overturning by source, and the total share of the epistemic inputs.

    Parameters
    ----------
    ds : Dataset
        Nested study, as for `mcrock.statistics.variance_shares`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    level : float
        Coverage of the interval of the total share [1].
    found : Dataset, optional
        From `mcrock.statistics.variance_shares`, of the same study and level; by default computed.

    Returns
    -------
    Axes
        A bar for each intensity; none where all runs ended alike.

    Raises
    ------
    ValueError
        As `mcrock.statistics.variance_shares`.
    """
    found = variance_shares(ds, level=level) if found is None else found
    found = found.sortby("intensity")
    ax = style.new_axes(height=78.0) if ax is None else ax
    factor, axis_label = style.axis_scale(found["intensity"])
    parts = [
        (words, np.nan_to_num(found["share"].sel(component=name).values), {"color": colour, "linewidth": 0})
        for name, (words, colour) in COMPONENTS.items()
    ]
    style.stacked_bars(ax, style.short_numbers(found["intensity"].values * factor), parts)
    total, ends = found["total"].values, found["total_interval"].values
    look: dict[str, Any] = {"fmt": "D", "color": "0.15", "label": f"epistemic, total, {level:.0%} interval"}
    style.error_bars(ax, np.arange(len(total)), total, ends, **look)
    ax.set_xlabel(axis_label)
    style.probability_axis(ax, "Share of the variance [1]")
    style.legend_above(ax, left=-0.14, handlelength=1.0)
    return style.add_note(
        ax,
        f"{int(found['draws'])} {Term.DRAWS} x {int(found['records'])} recordings, "
        f"{int(found['runs'])} runs. Alone: effect of the epistemic inputs on the probability over all "
        "earthquakes; total: with their effect in single earthquakes.",
    )
