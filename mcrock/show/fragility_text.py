"""Fragility curves as text: of a study, of its impact laws, by its intensity measures."""

from __future__ import annotations

import math

import xarray as xr

from mcrock.base.estimates import (
    format_few,
    format_p_value,
    format_percent,
    format_ratio,
    format_with_interval,
)
from mcrock.show.numbers import format_count, label_intensities, label_place
from mcrock.show.tables import format_table
from mcrock.statistics.goodness import REJECTED
from mcrock.statistics.limits import EVENT
from mcrock.statistics.probit import link_of


def format_fragility(fragility: xr.Dataset, units: str) -> str:
    """Parameters of the curve, or what is known of the median where there is none."""
    kind = fragility.attrs["fit"]
    low, high = fragility["median_capacity_interval"].values.tolist()
    if not (math.isnan(float(fragility["median_capacity"])) or kind.startswith("separated")):
        median = _median(fragility, units)
        dispersion = format_with_interval(*_estimate(fragility, "dispersion"))
        curve = link_of(fragility.attrs.get("link", "probit")).curve
        return f"{curve.capitalize()} fragility ({kind}): median {median}, dispersion {dispersion}"
    doubt = int(fragility["undecided"]) > 0
    percent = f"{fragility.attrs['level'] * 100:.4g} % interval"
    what, verb = f"no curve ({kind})", "was beyond the limit" if EVENT in fragility.attrs else "overturned"
    if kind.startswith("none overturned"):
        what = f"nothing {verb} without doubt" if doubt else f"nothing {verb}"
    elif kind.startswith("all overturned"):
        what = f"everything {verb}, or is undecided" if doubt else f"everything {verb}"
    lowest, highest = label_intensities([low, high], units)
    if low > 0 and math.isfinite(high):
        bound = f"the median lies between {lowest} and {highest} ({percent})"
    elif low > 0:
        bound = f"the median lies above {lowest} ({percent})"
    elif math.isfinite(high):
        bound = f"the median lies below {highest} ({percent})"
    else:
        bound = "the intervals are too wide to bound the median"
    return f"Fragility: {what}; {bound}"


def format_fit(fragility: xr.Dataset, units: str) -> list[str]:
    """A line where the test rejects the curve: what the rising fractions say in its place."""
    p = float(fragility["fit_p_value"])
    if not p < REJECTED:
        return []
    parts = zip(
        *(fragility[name].values.tolist() for name in ("probability", "rising_reached", "rising_below")),
        strict=True,
    )
    reached = ", ".join(f"{100 * q:g} % {label_place(at, below, units)}" for q, at, below in parts)
    return [
        f"this curve is rejected ({format_p_value(p)}, by resampling {fragility.attrs['independent']}): go "
        f"by the rising fractions, which reach {reached}"
    ]


def format_support(fragility: xr.Dataset, units: str) -> list[str]:
    """Lines on where no run supports the curve; none where all intensities are supported."""
    median, lines = float(fragility["median_capacity"]), format_fit(fragility, units)
    weakest, strongest = (float(fragility[name]) for name in ("weakest_overturning", "strongest_run"))
    below = int(fragility["runs_below"])
    if below and math.isfinite(weakest) and float(fragility["dispersion"]) > 0:
        verb = "was beyond the limit" if EVENT in fragility.attrs else "overturned"
        expected = format_few(float(fragility["expected_below"]))
        lines.append(
            f"below {label_intensities([weakest], units)[0]}, the weakest intensity at which a run {verb}, "
            f"the curve is an extrapolation: it expects {expected} among the "
            f"{format_count(below, 'run')} there, and there were none"
        )
    if median > strongest:
        label = label_intensities([strongest], units)[0]
        lines.append(f"the median lies beyond {label}, the strongest intensity of a run: an extrapolation")
    if float(fragility["only_slide"]) > 0 and math.isfinite(median):
        share = format_percent(float(fragility["only_slide"]))
        lines.append(
            f"{share} of the realizations have too little friction to rock from rest: they slide, however "
            "strong the motion, and a curve that rises to 1 holds no further than the runs"
        )
    return lines


def format_laws(laws: xr.Dataset, units: str) -> list[str]:
    """Table of the fragility curves of the impact laws, and what it compares."""
    percent = f"{laws.attrs['level'] * 100:.4g} %"
    rows = []
    for law in laws["impact_law"].values.tolist():
        fit = laws.sel(impact_law=law)
        median = float(fit["median_capacity"])
        rows.append(
            [
                law,
                str(int(fit["runs"])),
                str(int(fit["undecided"])),
                label_intensities([median], units)[0] if math.isfinite(median) else "none",
                " to ".join(label_intensities(fit["median_capacity_interval"].values.tolist(), units)),
                format_with_interval(*_estimate(fit, "dispersion")) if math.isfinite(median) else "none",
                format_ratio(*_estimate(fit, "ratio")) if math.isfinite(float(fit["ratio"])) else "-",
            ]
        )
    heads = ["impact law", "runs", "undecided", "median", f"{percent} interval", f"dispersion ({percent})"]
    heads.append(f"over that of all ({percent})")
    lines: list[str] = [format_table(heads, rows)]
    if laws.attrs["independent"] == "records" and laws["ratio_interval"].notnull().any():
        lines.append(
            "The last column compares medians under the same ground motions: what the law alone does"
        )
    return lines


def format_measures(measures: xr.Dataset) -> list[str]:
    """Table of the fragility curves by each intensity measure, the one that explains most first."""
    percent = f"{measures.attrs['level'] * 100:.4g} %"
    rows = []
    for i in (-measures["explained"]).argsort().values:
        fit = measures.isel(measure=i)
        units, median = str(fit["units"].item()), float(fit["median_capacity"])
        there = math.isfinite(median)
        low, high = fit["explained_interval"].values.tolist()
        explained, first = float(fit["explained"]), float(fit["first"])
        rows.append(
            [
                str(fit["measure"].item()),
                label_intensities([median], units)[0] if there else "none",
                " to ".join(label_intensities(fit["median_capacity_interval"].values.tolist(), units)),
                format_with_interval(*_estimate(fit, "dispersion")) if there else "none",
                "-" if math.isnan(explained) else f"{explained:.3f}",
                "-" if math.isnan(low) else f"{low:.3f} to {high:.3f}",
                "-" if math.isnan(first) else format_percent(first),
                "-" if math.isnan(explained) else f"{float(fit['log_loss']):.3f}",
                _difference(fit),
            ]
        )
    interval = f"{percent} interval"
    heads = ["measure", "median", interval, f"dispersion ({percent})", "explained", interval, "most in"]
    heads += ["log loss", f"over the least ({percent})"]
    return [
        format_table(heads, rows),
        "explained: fraction of the deviance that the curve by the measure explains; most in: fraction of "
        "the resamples in which it explains most; log loss: on records left out, 0 if every outcome was "
        "predicted with certainty",
    ]


def _difference(fit: xr.Dataset) -> str:
    """Log loss of a measure over the least, with its interval."""
    low, high = fit["log_loss_difference_interval"].values.tolist()
    if float(fit["log_loss_difference"]) == 0 or math.isnan(low):
        return "-"
    return f"{float(fit['log_loss_difference']):.3f} ({low:.3f} to {high:.3f})"


def _median(fragility: xr.Dataset, units: str) -> str:
    values = [float(fragility["median_capacity"]), *fragility["median_capacity_interval"].values.tolist()]
    estimate, low, high = label_intensities(values, units)
    if values[1] <= 0 and math.isinf(values[2]):
        return f"{estimate} (interval open)"
    if math.isinf(values[2]):
        return f"{estimate} (above {low})"
    return f"{estimate} ({low} to {high})"


def _estimate(fit: xr.Dataset, name: str) -> tuple[float, float, float]:
    """A number with the ends of its interval."""
    low, high = fit[f"{name}_interval"].values.tolist()
    return float(fit[name]), low, high
