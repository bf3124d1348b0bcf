"""Two designs under the same earthquakes: text and figure."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr
from scipy.spatial import KDTree

from mcrock.base.estimates import format_or_bound, format_ratio, format_with_interval
from mcrock.show import style, text
from mcrock.statistics import compare_designs
from mcrock.statistics.accepted_curve import FAMILIES, accepted_family
from mcrock.statistics.comparison import FEW, what_differs

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
) -> text.Composition:
    """Two designs under the same earthquakes, which are named after their stores."""
    changes = what_differs(first, second) if "config" in first.attrs else None
    found = compare_designs(first, second, hazard, level=level)
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
    lines += [f"  {key}: {_values(old, new)}" for key, old, new in changes]
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
    return f"annual rate {' and '.join(rates)} 1/a{tail}"


def _values(old: Any, new: Any) -> str:
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
    """Draw by how much the second design overturns more often, with intervals with and without pairs.

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
    style.error_bars(ax, x, y, found["unpaired_interval"].values, fmt="none", label="without pairs", **wide)
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
