"""Fragility by several ways, limit states and intensity measures, as text."""

from __future__ import annotations

import math

import xarray as xr

from mcrock.base.estimates import format_estimate, format_p_value, format_with_interval
from mcrock.show.numbers import label_intensities, label_place
from mcrock.show.tables import format_table
from mcrock.statistics.goodness import REJECTED
from mcrock.statistics.increments import NO_FIT
from mcrock.statistics.limit_states import limit_words
from mcrock.statistics.ways import WORDS


def format_ways(found: xr.Dataset) -> list[str]:
    """Table of the curves of the same runs by several ways of fitting."""
    units, percent = found["reached"].attrs["units"], f"{found.attrs['level'] * 100:.4g} %"
    rows = []
    for way in found["way"].values.tolist():
        one = found.sel(way=way)
        reached = [
            label_place(float(at), bool(below), units).removeprefix("at ")
            for at, below in zip(one["reached"], one["reached_below"], strict=True)
        ]
        rows.append(
            [
                WORDS[way],
                *_parameters(one, units),
                *reached[:-1],
                "-" if math.isnan(float(one["log_loss"])) else f"{float(one['log_loss']):.4f}",
            ]
        )
        if way == "monotone":
            rows[-1][1] = reached[-1]
        if way == "plateau" and math.isfinite(float(one["share"])):
            ends = found["share_interval"].values.tolist()
            rows[-1][0] = f"{WORDS[way]} of {format_estimate(float(one['share']), *ends)}"
    heads = ["fit", f"median ({percent})", f"dispersion ({percent})", "1 % at", "5 % at", "log loss"]
    lines = ["Fragility of the same runs by several ways of fitting", format_table(heads, rows)]
    if "capacities" in found["way"] and found["median_capacity"].sel(way="capacities").isnull():
        lines.append(f"{WORDS['capacities']}: {NO_FIT}")
    lines += [*format_plateau(found, units), *format_families(found)]
    low, high = found["static_threshold"].values.tolist()
    if math.isfinite(low):
        ends = label_intensities([low, high], units)
        lines.append(f"no realization can rock below {ends[0]}; all may above {ends[1]}")
    return lines


def format_plateau(found: xr.Dataset, units: str) -> list[str]:
    """A line on the interval of the share that can ever overturn, and of where that curve has 1, 5, 50 %."""
    low, high = found["share_interval"].values.tolist()
    if math.isnan(low):
        return []
    reached = []
    for q, ends in zip(found["probability"].values, found["plateau_interval"].values.T, strict=True):
        a, b = ends.tolist()
        first, last = label_intensities([a, b], units)
        if not math.isinf(b):
            reached.append(f"{100 * q:g} % at {first} to {last}" if a > 0 else f"{100 * q:g} % below {last}")
        elif a > 0:
            reached.append(f"{100 * q:g} % above {first}, if ever")
    tail = f"; that curve has {', '.join(reached)}" if reached else ""
    percent = f"{found.attrs['level'] * 100:.4g} % interval"
    share = f"{low:.2g} or more" if high >= 1 else f"{low:.2g} to {high:.2g}"
    return [f"a share of {share} can ever overturn ({percent}){tail}"]


def format_families(found: xr.Dataset) -> list[str]:
    """Lines on the test of the lognormal curve, and on the family that foretells records left out best."""
    lines, p = [], float(found["fit_p_value"])
    if not math.isnan(p):
        verdict = "is rejected" if p < REJECTED else "is not rejected"
        lines.append(f"test of fit: the lognormal curve {verdict} ({format_p_value(p)})")
    scored = found.isel(way=found["log_loss"].notnull().values)
    least = str(scored["way"].values[scored["log_loss"].values.argmin()])
    parts = []
    for way in scored["way"].values.tolist():
        low, high = scored["log_loss_difference_interval"].sel(way=way).values.tolist()
        if way != least and math.isfinite(low):
            parts.append(f"{WORDS[way]} {low:.4f} to {high:.4f}")
    more = f"; more by: {', '.join(parts)}" if parts else ""
    lines.append(f"log loss, per run on records left out, is least by: {WORDS[least]}{more}")
    return lines


def format_limits(found: xr.Dataset) -> list[str]:
    """Table of the fragility curves of several limit states."""
    units, percent = found["intensity_grid"].attrs["units"], f"{found.attrs['level'] * 100:.4g} %"
    rows = []
    for i in range(found.sizes["limit"]):
        one = found.isel(limit=i)
        counts = [str(int(one[name])) for name in ("runs", "overturned", "undecided")]
        rows.append([limit_words(one), *counts, *_parameters(one, units)])
    heads = ["limit", "runs", "beyond", "undecided", f"median ({percent})", f"dispersion ({percent})"]
    return ["Fragility by limit states", format_table(heads, rows)]


def format_surface(found: xr.Dataset) -> list[str]:
    """Lines on a surface over two intensity measures."""
    first, second = found["measure"].values.tolist()
    low, high = found["coefficient_interval"].values
    slopes = [
        f"{value:.2f} ({a:.2f} to {b:.2f}) ln({name})"
        for value, a, b, name in zip(found["coefficient"].values, low, high, (first, second), strict=True)
    ]
    if math.isnan(float(found["intercept"])):
        return [f"no surface over {first} and {second}: the likelihood has no maximum"]
    loss, difference = found["log_loss"], found["log_loss_difference_interval"]
    words = [
        f"{name} alone {float(loss.sel(model=model)):.3f} (more by {a:.3f} to {b:.3f})"
        for name, model in ((first, "first"), (second, "second"))
        for a, b in [difference.sel(model=model).values.tolist()]
    ]
    score = " + ".join([f"{float(found['intercept']):.2f}", *slopes])
    return [
        f"Surface: {found.attrs['link']} of the probability = {score}, in SI units",
        f"log loss on records left out: both {float(loss.sel(model='both')):.3f}, {', '.join(words)}",
    ]


def _parameters(one: xr.Dataset, units: str) -> list[str]:
    """Median and dispersion with their intervals."""
    median, dispersion = float(one["median_capacity"]), float(one["dispersion"])
    if math.isnan(median):
        return ["-", "-"]
    if one["median_capacity_interval"].isnull().all():
        return [_intensity(median, units), format_estimate(dispersion, math.nan, math.nan)]
    low, high = label_intensities(one["median_capacity_interval"].values.tolist(), units)
    thin, wide = one["dispersion_interval"].values.tolist()
    return [
        f"{_intensity(median, units)} ({low} to {high})",
        format_with_interval(dispersion, thin, wide),
    ]


def _intensity(value: float, units: str) -> str:
    return label_intensities([value], units)[0] if math.isfinite(value) else "-"
