"""Designs under the same earthquakes, two of them or many that differ in one number: text and figures."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr
from scipy.spatial import KDTree

from mcrock.base.estimates import Term, format_or_bound, format_percent, format_ratio, format_with_interval
from mcrock.show import style, text
from mcrock.statistics import compare_designs
from mcrock.statistics.accepted_curve import FAMILIES, ISOTONIC, accepted_family
from mcrock.statistics.comparison import FEW, what_differs
from mcrock.statistics.hazard import MEAN
from mcrock.statistics.probability import EVENT
from mcrock.statistics.risk import YEARS, with_chance

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEW_POINTS = 8  # of a body that are printed


def compose_comparison(
    first: xr.Dataset,
    second: xr.Dataset,
    stores: tuple[Path, Path],
    hazard: xr.Dataset | None = None,
    *,
    level: float = 0.95,
    years: float = YEARS,
) -> text.Composition:
    """Two designs under the same earthquakes, which are named after their stores."""
    changes = what_differs(first, second) if "config" in first.attrs else None
    found = with_chance(compare_designs(first, second, hazard, level=level), years)
    one, other = (ds.assign_attrs(title=path.name) for ds, path in zip((first, second), stores, strict=True))
    return text.Composition(
        {"differs": {key: list(values) for key, *values in changes or ()}, "comparison": found},
        [f"first: {stores[0]}, second: {stores[1]}", *format_comparison(found, changes)],
        {"compare": lambda: plot_comparison(one, other, level=level, found=found)},
    )


def format_comparison(found: xr.Dataset, changes: Sequence[tuple[str, object, object]] | None) -> list[str]:
    """Differences between two designs and their effect.

    Parameters
    ----------
    found : Dataset
        From `mcrock.statistics.compare_designs`.
    changes : sequence of tuple, optional
        Dotted keys of the study file with both values, from `mcrock.statistics.comparison.what_differs`.
    """
    lines = ["first and second study differ in"] if changes else ["the studies differ in nothing that is run"]
    if changes is None:
        changes, lines = (), ["what differs between the two is not known of tables of outcomes"]
    lines += [f"  {key}: {values(old, new)}" for key, old, new in changes]
    lines.append(f"by {FAMILIES[accepted_family(found)].words} ({found.attrs['why']})")
    if math.isfinite(float(found["median_ratio"])):
        first, second = text.labels(found["median_capacity"])
        lines.append(
            f"median {first} and {second}: ratio {format_ratio(*text.estimate(found, 'median_ratio'))}"
        )
    else:
        lines.append("a study has no median within its runs: no ratio")
    lines += [
        f"the median of the {design} study lies beyond {text.label(found['strongest_run'])}, the strongest "
        "intensity of a run: an extrapolation"
        for design, median in zip(found["design"].values, found["median_capacity"].values, strict=True)
        if median > float(found["strongest_run"])
    ]
    if "rate" in found:
        lines.append(_rates(found.sel(fragility=accepted_family(found))))
    sides = {design: found["probability"].sel(design=design, drop=True) for design in found["design"].values}
    levels = xr.Dataset(sides).assign(found.drop_vars("probability").data_vars).assign_attrs(found.attrs)
    others = levels.drop_dims("intensity")
    lines += text.present(levels.drop_vars(list(others.data_vars)), "Probability of overturning")
    lines += ["only first, only second: pairs of which the run of one study alone overturned"]
    lines += text.present(others, f"Medians{', annual rates' * ('rate' in found)} and their ratios")
    differ, records = int(found["differ"]), int(found["records"])
    if differ < FEW and records > 1:
        lines.append(
            f"runs of {differ or 'no'} recording{'s' * (differ != 1)} differ: what others do is bounded by "
            "their number alone, and a ratio has no interval"
        )
    elif math.isfinite(float(found["median_ratio"])) and math.isnan(float(found["median_ratio_interval"][0])):
        lines.append(
            "the ratio of medians has no interval: without some of the recordings a study has no median "
            "within its levels"
        )
    noun = "recording" if found.attrs["independent"] == "records" else "realization"
    words = text.format_count(records, f"independent {noun}")
    return [*lines, f"intervals count {words}, and hold for new ground motions of the kind"]


def _rates(one: xr.Dataset) -> str:
    """Annual rates of both designs by a curve."""
    designs = [text.estimate(one.isel(design=k), "rate") for k in range(2)]
    rates = [format_with_interval(*rate) if rate[0] else format_or_bound(*rate) for rate in designs]
    known = math.isfinite(float(one["rate_ratio"]))
    tail = f": ratio {format_ratio(*text.estimate(one, 'rate_ratio'))}" if known else ""
    years = one.attrs.get("years", YEARS)
    chances = " and ".join(format_percent(-math.expm1(-years * rate)) for rate, *_ in designs)
    ends = f"; in {years:g} years {chances}"
    return f"annual rate {' and '.join(rates)} {Term.PER_YEAR}{tail}{ends}"


def values(old: Any, new: Any) -> str:
    """Two values of a key; of many points how far they are apart."""
    if not (_are_points(old) and _are_points(new)):
        return f"{_value(old)} and {_value(new)}"
    if max(len(old), len(new)) <= FEW_POINTS:
        return f"{_value(old)} and {_value(new)}"
    if len(old) != len(new):
        return f"{len(old)} and {len(new)} points"
    texts = [{json.dumps(point): point for point in points} for points in (old, new)]
    ones, others = (
        [point for key, point in here.items() if key not in there] for here, there in (texts, texts[::-1])
    )
    if not ones or not others:
        return f"{len(old)} points in another order"
    differ = f"{len(old)} points, {max(len(ones), len(others))} differ"
    try:
        a, b = np.array(ones, float), np.array(others, float)
    except (TypeError, ValueError):  # distributions
        return differ
    apart = max(KDTree(a).query(b)[0].max(), KDTree(b).query(a)[0].max())
    return f"{differ} by at most {apart:.2g} m"


def _are_points(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, list) for item in value)


def _value(value: object) -> str:
    return "nothing" if value is None else json.dumps(value)


@style.styled
def plot_comparison(
    first: xr.Dataset,
    second: xr.Dataset,
    ax: Axes | None = None,
    *,
    level: float = 0.95,
    found: xr.Dataset | None = None,
) -> Axes:
    """Draw by how much the second design overturns more often, with paired and unpaired intervals.

    Parameters
    ----------
    first, second, level
        As for `mcrock.statistics.compare_designs`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    found : Dataset, optional
        From `mcrock.statistics.compare_designs`, of the same runs and level; by default computed.

    Returns
    -------
    Axes
        Acceleration in g, other intensities in their own unit.

    Raises
    ------
    ValueError
        As `mcrock.statistics.compare_designs`.
    """
    found = (compare_designs(first, second, level=level) if found is None else found).sortby("intensity")
    ax = style.new_axes() if ax is None else ax
    x, y = found["intensity"].values * style.level_axis(ax, found["intensity"]), found["difference"].values
    ax.axhline(0.0, color="0.6", linewidth=0.6)
    wide: dict[str, Any] = {"color": style.GREY, "elinewidth": 3.0, "capsize": 0.0, "alpha": 0.5}
    style.error_bars(
        ax, x, y, found["unpaired_interval"].values, fmt="none", label=str(Term.UNPAIRED), **wide
    )
    look: dict[str, Any] = {"color": style.BLUE, "label": f"{level:.0%} interval"}
    style.error_bars(ax, x, y, found["difference_interval"].values, **look)
    ax.set_ylabel("Probability: second less first [1]")
    style.number_axis(ax, "y")
    style.legend_above(ax)
    words = text.count_words(found, int(found["pairs"].sum())).replace(" run", " pair of runs", 1)
    names = [f" ({one.attrs['title']})" if one.attrs.get("title") else "" for one in (first, second)]
    names = names if names[0] != names[1] else ["", ""]
    note = f"Second{names[1]} less first study{names[0]}, {words.replace('pair of runss', 'pairs of runs')}."
    ratio, low, high = text.estimate(found, "median_ratio")
    if math.isfinite(ratio) and math.isfinite(low):
        by = FAMILIES[accepted_family(found)].words
        note += f" Ratio of the medians by {by} {format_ratio(ratio, low, high)}."
    return style.add_note(ax, note)


OF = {"rate": "annual rate", "probability": "probability"}
BELOW = 30.0  # of the target: the axis of the figure goes on so far below it at least [1]
FAR_BELOW = 1e4  # and so far at most; what is farther below is marked [1]
MORE = 10  # times the runs of which it is said what they would change


def compose_remedy(found: xr.Dataset) -> text.Composition:
    """What to change: a required value, its line over another key, or a ranking, as `mcrock design` found it.

    Parameters
    ----------
    found : Dataset
        From `mcrock.statistics.required_value`, `frontier` or `rank_designs`. Attribute ``today`` is the
        value of the study itself, which is said if it is among those that were run; ``years``, by default 50,
        the time for which probabilities stand next to rates [a].
    """
    found = with_chance(found, found.attrs.get("years", YEARS))
    if "design" in found.dims:
        blocks, drawings = _ranking_blocks(found), {}
    elif "other" in found.dims:
        blocks, drawings = _frontier_blocks(found), {"frontier": lambda: plot_frontier(found)}
    else:
        blocks, drawings = _value_blocks(found), {"remedy": lambda: plot_remedy(found)}
    return text.Composition(found, blocks, drawings, {"remedy.nc": lambda: found})


def read_remedy(path: Path) -> xr.Dataset:
    """What `mcrock design` left in a folder as ``remedy.nc``.

    Raises
    ------
    ValueError
        If the file is not there, or none of these.
    """
    try:
        found = xr.load_dataset(path, engine="netcdf4")
        compose_remedy(found)
        json.loads(found.attrs["config"])
    except Exception as error:  # the reader has no common one, and what is shown may be missing
        words = f"{path}: expected the file remedy.nc that `mcrock design -o DIR` writes, with this version"
        raise ValueError(words) from error
    return found


def _value_blocks(found: xr.Dataset) -> list[str]:
    today = found.attrs.get("today")
    return [
        format_remedy(found),
        *(f"today: {_at(found, x)}" for x in found["value"].values.tolist() if x == today),
        *([f"by the fractiles of the hazard: {each}"] if (each := _by_hazard(found)) else []),
        *([f"limited by {limit}"] if (limit := _limit(found)) else []),
        "",
        *text.present(_of_table(found), f"Designs by {found.attrs['key']}"),
        *map(text.Caution, format_doubts(found)),
    ]


def _ranking_blocks(found: xr.Dataset) -> list[str]:
    """Designs, the safest first, and which of them meet a target."""
    attrs, names = found.attrs, found["design"].values.tolist()
    quantity, lines = _of(found), []
    if "target" in attrs:
        safe = [name for name in names if found[attrs["quantity"]].sel(design=name) <= attrs["target"]]
        upper = found[f"{attrs['quantity']}_interval"].sel(bound="upper")
        sure = [name for name in safe if upper.sel(design=name) <= attrs["target"]]
        lines = [
            f"{quantity} at {_target(found)} or below: {', '.join(safe) or 'no design'}; "
            f"with its {text.percent(found)} interval: {', '.join(sure) or 'no design'}"
        ]
    lines += text.present(found, f"Designs by {quantity}, compared with {attrs['reference']}")
    return [*lines, *map(text.Caution, _undecided(found, "design"))]


def _frontier_blocks(found: xr.Dataset) -> list[str]:
    """The line, its table, and where the dependence turns."""
    attrs, quantity, aim = found.attrs, _of(found), _target(found)
    ones = [found.isel(other=k) for k in range(found.sizes["other"])]
    at = "; ".join(f"{_needed(one)} at {text.label(one['other'])}" for one in ones)
    columns: list[text.Column] = [
        (attrs["other"], lambda one: text.label(one["other"])),
        (attrs["key"], _needed),
        (f"{text.percent(found)} interval", _ends),
        ("by fractiles of the hazard", _by_hazard),
        "designs",
    ]
    if not _by_hazard(ones[0]):
        del columns[3]
    limit = _limit(found.max("other")) if "runs_share" in found else ""
    turning = [text.label(one["other"]) for one in ones if one["rises"] and one["falls"]]
    doubt = (
        f"at {attrs['other']} {', '.join(turning)} the {quantity} does not go one way with {attrs['key']}, "
        f"beyond what chance does: vary {attrs['key']} alone there, and look at the figure"
    )
    return [
        f"Needed {attrs['key']} to keep the {quantity} at {aim} or below, by {attrs['other']}: {at}",
        *([f"limited by {limit} at most"] if limit else []),
        f"{attrs['key']} by {attrs['other']}",
        text.table_along(found, "other", columns, left=True),
        *map(text.Caution, [*([doubt] if turning else []), *_undecided(found, "other")]),
    ]


def _needed(one: xr.Dataset) -> str:
    """Which values of the key meet the target at a value of another one."""
    verdict, (low, high) = one["verdict"].item(), _range(one)
    if verdict.startswith("at "):
        return f"{verdict} {text.cell(one, 'required')}"
    return f"{'parts' if verdict == 'several' else verdict} of {low} to {high}"


def _range(found: xr.Dataset) -> list[str]:
    """Ends of the range of the key."""
    return text.label_intensities([found.attrs["low"], found.attrs["high"]], found["required"].attrs["units"])


def _ends(found: xr.Dataset) -> str:
    """Interval of the value, whose ends may be beyond the range."""
    ends = found["required_interval"].values.tolist()
    low, high = text.label_intensities(ends, found["required"].attrs["units"])
    if np.isinf(ends).all():
        return "open"
    return (
        f"below {high}"
        if math.isinf(ends[0])
        else f"above {low}"
        if math.isinf(ends[1])
        else f"{low} to {high}"
    )


def _by_hazard(one: xr.Dataset) -> str:
    """The value that is needed by each fractile of the hazard."""
    (low, high), words = _range(one), list[str]()
    names = one["hazard"].values.tolist() if "hazard" in one else []
    for name, value in zip(names, one.get("required_by_hazard", ()), strict=True):
        said = f"below {low}" if value < 0 else f"above {high}" if math.isinf(value) else "several values"
        if math.isfinite(value):
            said = text.label_intensities([value], one["required"].attrs["units"])[0]
        words += [f"{said} ({name})"] * (name != MEAN)
    return ", ".join(words)


def _limit(one: xr.Dataset) -> str:
    """How much recordings and how much runs limit the interval; empty where it is not known."""
    share = float(one.get("runs_share", math.nan))
    if math.isnan(share):
        return ""
    gain = format_percent(1 - math.sqrt(1 - (1 - 1 / MORE) * share))
    return f"{int(one['records'])} recordings: {MORE} times the runs would narrow the interval by {gain}"


def _of(found: xr.Dataset) -> str:
    """What designs are judged by, as in "annual rate of overturning"."""
    return f"{OF[found.attrs['quantity']]} of {found.attrs.get(EVENT, 'overturning')}"


def format_remedy(found: xr.Dataset) -> str:
    """The answer: which values of the key meet the target.

    The verdicts of `required_value` are each a sentence, in which a number has its interval.
    """
    attrs, value = found.attrs, found["value"].values
    verdict, aim = attrs["verdict"], f"{_of(found)} at {_target(found)} or below"
    low, high = _range(found)
    if verdict.startswith("at "):
        ends = f"{text.percent(found)} interval {_ends(found)}"
        at = text.cell(found, "required")
        return f"{verdict.capitalize()} {at} ({ends}) of {attrs['key']} keeps the {aim}"
    if verdict == "several":
        return f"Parts of the range of {attrs['key']} alone meet the target: {_parts(found)} keep the {aim}"
    best = value[np.nanargmin(found[attrs["quantity"]].values)]
    if verdict == "none":
        return f"No {attrs['key']} from {low} to {high} keeps the {aim}; least: {_at(found, best)}"
    worst = value[np.nanargmax(found[attrs["quantity"]].values)]
    if not (found[f"{attrs['quantity']}_interval"].sel(bound="upper") <= attrs["target"]).any():
        return (
            f"No {attrs['key']} from {low} to {high} is known to keep the {aim}: the estimates do, and their "
            f"intervals do not; most: {_at(found, worst)}"
        )
    inside = [end for end in found["required_interval"].values.tolist() if value[0] < end < value[-1]]
    more = "".join(f"; to be sure take {_label(found, end)}, where the interval ends" for end in inside)
    return f"Every {attrs['key']} from {low} to {high} keeps the {aim}; most: {_at(found, worst)}{more}"


def format_doubts(found: xr.Dataset) -> list[str]:
    """What limits the answer, each with what to do."""
    attrs, value, lines = found.attrs, found["value"], []
    lines += _undecided(found, "value")
    if found["rises"].item() and found["falls"].item():
        lines.append(
            f"the {_of(found)} does not go one way with {attrs['key']}, beyond what chance does: "
            "look at the figure before you take a value"
        )
    safe = {"at least": 1, "at most": 0}.get(attrs["verdict"])  # end of the interval that is sure
    if safe is not None and np.isinf(found["required_interval"].values[safe]):
        lines.append(
            f"the interval of the value goes on {('below', 'above')[safe]} {_range(found)[safe]}, which is "
            "not sure to meet the target itself: vary it farther that way, or take more recordings"
        )
    if attrs["verdict"] == "all" and not np.isfinite(found["required_interval"].values).any():
        lines.append(
            "the intervals are as wide as the recordings make them: more recordings tell, not more runs"
        )
    if "own_curve" in found:
        at = value[(found["own_curve"] == FAMILIES[ISOTONIC].label).values]
        if at.size:
            lines.append(
                f"at {', '.join(text.labels(at))} the interval is that of {FAMILIES[ISOTONIC].words}, which "
                "weaker levels of the intensity make narrower"
            )
    return lines


def _undecided(found: xr.Dataset, dim: str) -> list[str]:
    """Where most runs are undecided, if any are."""
    worst = found.isel({dim: int(found["undecided"].values.argmax())})
    if not worst["undecided"]:
        return []
    place = worst[dim].item() if dim == "design" else text.label(worst[dim])
    return [
        f"up to {int(worst['undecided'])} of {int(worst['runs'])} runs are undecided ({place}): intervals "
        "count them both ways, and `mcrock stats` on the store says why and what to do"
    ]


@style.styled
def plot_remedy(found: xr.Dataset, ax: Axes | None = None) -> Axes:
    """Draw the rate or probability over the values of a key, with the target and the value that meets it.

    Parameters
    ----------
    found : Dataset
        From `mcrock.statistics.required_value`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.

    Returns
    -------
    Axes
        Logarithmic along the rate or probability; values in the unit of the key.
    """
    ax = style.new_axes() if ax is None else ax
    quantity, target = found.attrs["quantity"], found.attrs["target"]
    x, y = found["value"].values, found[quantity].values
    least = max(min(target / BELOW, y[y > 0].min(initial=target) / 2), target / FAR_BELOW)
    low, high = np.clip(np.nan_to_num(found[f"{quantity}_interval"].values), least, None)
    ax.fill_between(x, low, high, color=style.BLUE, alpha=0.2, linewidth=0)
    shown = y >= least
    ax.plot(x, np.where(shown, y, np.nan), "o-", color=style.BLUE, markersize=3, linewidth=1.1)
    ax.plot(x[~shown], np.full((~shown).sum(), least), "v", color=style.BLUE, markersize=4, clip_on=False)
    below = "" if shown.all() else f"; triangles: below {least:.2g}"
    ax.axhline(target, color=style.DEEP_RED, linewidth=0.9)
    ends = np.clip(found["required_interval"].values, x[0], x[-1])
    if math.isfinite(float(found["required"])):
        ax.axvspan(*ends, color=style.GREY, alpha=0.2, linewidth=0)
        ax.axvline(float(found["required"]), color=style.GREY, linewidth=0.9, linestyle="--")
    unit = found["value"].attrs["units"]
    ax.set(yscale="log", xlim=(x[0], x[-1]), xlabel=f"{found.attrs['key']} [{unit}]")
    ax.set_ylim(bottom=least)
    ax.set_ylabel(f"{_of(found).capitalize()} [{Term.PER_YEAR if quantity == 'rate' else '1'}]")
    return style.add_note(
        ax,
        f"{format_remedy(found)}. Band: {text.percent(found)} intervals{below}; red: target; grey: the value "
        "that just meets it, with its interval.",
    )


@style.styled
def plot_frontier(found: xr.Dataset, ax: Axes | None = None) -> Axes:
    """Draw the value of one key that a target needs over another key, with its interval.

    Parameters
    ----------
    found : Dataset
        From `mcrock.statistics.frontier`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.

    Returns
    -------
    Axes
        Both keys in their units; the axis of the first has the range that was searched.
    """
    ax = style.new_axes() if ax is None else ax
    attrs, x, y = found.attrs, found["other"].values, found["required"].values
    low, high = attrs["low"], attrs["high"]
    ends = np.clip(np.nan_to_num(found["required_interval"].values, nan=math.inf), low, high)
    ends[0][np.isnan(y)] = low
    known = np.isfinite(y)
    ax.fill_between(x, ends[0], ends[1], where=known.tolist(), color=style.BLUE, alpha=0.2, linewidth=0)
    ax.vlines(x, *ends, color=style.BLUE, alpha=0.4, linewidth=0.9)
    ax.plot(x, np.where(known, y, np.nan), "o-", color=style.BLUE, markersize=3, linewidth=1.1)
    for sign, mark, edge in ((1, "^", high), (-1, "v", low)):
        for at in x[y == sign * math.inf]:
            ax.plot(at, edge, mark, color=style.GREY, markersize=4, clip_on=False)
    if "today" in attrs and "other_today" in attrs:
        ax.plot(attrs["other_today"], attrs["today"], "*", color=style.DEEP_RED, markersize=7)
    ax.set_xlabel(f"{attrs['other']} [{found['other'].attrs['units']}]")
    ax.set_ylabel(f"{attrs['key']} [{found['required'].attrs['units']}]".replace(" = ", " =\n"))
    ax.set_ylim(low, high)
    return style.add_note(
        ax,
        f"{attrs['key']} that just keeps the {_of(found)} at {_target(found)}, with "
        f"{text.percent(found)} intervals. Triangles: beyond the range searched. Star: the study itself.",
    )


def _of_table(found: xr.Dataset) -> xr.Dataset:
    names = [name for name in found if found[name].dims in (("value",), ("bound", "value"))]
    kept = found[names].drop_vars("meets").assign_attrs(level=found.attrs["level"])
    one_curve = "own_curve" in kept and len({*kept["own_curve"].values.tolist()}) == 1
    return kept.drop_vars("own_curve") if one_curve else kept


def _label(found: xr.Dataset, value: float) -> str:
    return text.label(found["value"].copy(data=np.full(found["value"].shape, value))[0])


def _target(found: xr.Dataset) -> str:
    target = f"{found.attrs['target']:g}"
    if found.attrs["quantity"] != "rate":
        return target
    return f"{target} {Term.PER_YEAR} ({_chance(found, found.attrs['target'])})"


def _chance(found: xr.Dataset, rate: float) -> str:
    """Probability of at least one event in some years."""
    years = found.attrs.get("years", YEARS)
    return f"{format_percent(-math.expm1(-rate * years))} in {years:g} years"


def _at(found: xr.Dataset, value: float) -> str:
    one, name = found.sel(value=value), found.attrs["quantity"]
    number = format_or_bound(*text.estimate(one, name))
    ends = text.ends(one, f"{name}_interval")
    unit = f" {Term.PER_YEAR}" * (name == "rate")
    often = f"; {_chance(found, float(one[name]))}" if unit else ""
    return f"{number}{unit} ({text.percent(found)} interval {ends}{often}) at {_label(found, value)}"


def _parts(found: xr.Dataset) -> str:
    """Parts of the range that meet the target."""
    places = [float(found["value"][0]), *found["crossing"].values.tolist(), float(found["value"][-1])]
    first = 0 if found["meets"].values[0] else 1
    pairs = [(places[k], places[k + 1]) for k in range(first, len(places) - 1, 2)]
    return ", ".join(f"{_label(found, a)} to {_label(found, b)}" for a, b in pairs)
