"""Two designs under the same earthquakes as text."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from scipy.spatial import KDTree

from mcrock.base.estimates import format_difference, format_estimate, format_ratio
from mcrock.show.numbers import format_count, label_intensities
from mcrock.show.tables import format_table
from mcrock.statistics.comparison import FEW

FEW_POINTS = 8  # of a body that are printed


def format_comparison(found: xr.Dataset, changes: Sequence[tuple[str, object, object]]) -> str:
    """Differences between two designs and their effect.

    Parameters
    ----------
    found : Dataset
        From `mcrock.statistics.compare_designs`.
    changes : sequence of tuple
        Dotted keys of the study file with both values, from `mcrock.statistics.paired.what_differs`.
    """
    axis, percent = found["intensity"], f"{found.attrs['level'] * 100:.4g} % interval"
    units = axis.attrs.get("units", "1")
    lines = ["first and second study differ in"] if changes else ["the studies differ in nothing that is run"]
    lines += [f"  {key}: {_values(old, new)}" for key, old, new in changes]
    rows = [
        [
            label,
            *_probabilities(one["probability"].values.tolist(), said),
            said,
            interval,
            format_difference(0.0, *one["unpaired_interval"].values.tolist())[1],
            f"{float(one['only_first']):g}",
            f"{float(one['only_second']):g}",
        ]
        for j, label in enumerate(label_intensities(axis.values.tolist(), units))
        for one in [found.isel(intensity=j)]
        for said, interval in [
            format_difference(float(one["difference"]), *one["difference_interval"].values.tolist())
        ]
    ]
    heads = [
        "intensity",
        "first",
        "second",
        "difference",
        percent,
        "without pairs",
        "only first",
        "only second",
    ]
    lines += ["", "Probability of overturning", format_table(heads, rows)]
    lines.append("only first, only second: pairs of which the run of one study alone overturned")
    medians = label_intensities(found["median_capacity"].values.tolist(), units)
    if math.isfinite(float(found["median_ratio"])):
        lines.append(
            f"median {medians[0]} and {medians[1]}: ratio "
            f"{_ratio(found['median_ratio'], found['median_ratio_interval'])}"
        )
    else:
        lines.append("a study has no median within its runs: no ratio")
    lines += _beyond(found, units)
    if "rate" in found:
        for curve in found["fragility"].values.tolist():
            one = found.sel(fragility=curve)
            rates = " and ".join(format_estimate(rate, np.nan, np.nan) for rate in one["rate"].values)
            ratio = float(one["rate_ratio"])
            known = f": ratio {_ratio(one['rate_ratio'], one['rate_ratio_interval'])}"
            tail = known if math.isfinite(ratio) else ""
            lines.append(f"annual rate ({curve}) {rates} 1/a{tail}")
    differ = int(found["differ"])
    if differ < FEW and int(found["records"]) > 1:
        lines.append(
            f"runs of {differ or 'no'} recording{'s' * (differ != 1)} differ: what others do is bounded by "
            "their number alone, and a ratio has no interval"
        )
    records = format_count(int(found["records"]), "independent recording")
    if found.attrs["independent"] != "records":
        records = format_count(int(found["records"]), "independent realization")
    lines.append(f"intervals count {records}, and hold for new ground motions of the kind")
    return "\n".join(lines)


def _beyond(found: xr.Dataset, units: str) -> list[str]:
    """Lines on medians that no run supports."""
    strongest = float(found["strongest_run"])
    label = label_intensities([strongest], units)[0]
    return [
        f"the median of the {design} study lies beyond {label}, the strongest intensity of a run: an "
        "extrapolation"
        for design, median in zip(found["design"].values, found["median_capacity"].values, strict=True)
        if median > strongest
    ]


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
        [point for text, point in here.items() if text not in there] for here, there in (texts, texts[::-1])
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


def _probabilities(values: Sequence[float], difference: str) -> list[str]:
    """Probabilities with the decimals of their difference, small ones with two digits."""
    decimals = max(2, len(difference.partition(".")[2]))
    return [f"{p:.{decimals}f}" if p >= 0.1 or p == 0 else f"{p:.2g}" for p in values]


def _ratio(ratio: xr.DataArray, ends: xr.DataArray) -> str:
    return format_ratio(float(ratio), *ends.values.tolist())
