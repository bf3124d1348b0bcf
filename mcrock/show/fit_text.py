"""The fit of a test of free rocking, for reading and for a study file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mcrock.measurement.fit import UNITS
from mcrock.show.tables import format_table

if TYPE_CHECKING:
    from mcrock.measurement.fit import Fit


def format_fit(fit: Fit) -> str:
    """Table of the estimates with their intervals, and what to know of them."""
    heads = ["", "estimate", f"{fit.level:.0%} interval", "standard error"]
    rows = estimate_rows(fit)
    landing = fit.landings.landing[fit.landings.landing <= fit.time[-1] + 1e-9]
    samples = int((fit.time >= fit.estimates["time"]).sum())
    lines = [
        f"{fit.name}, released over edge {fit.edge}: {samples} samples up to landing {len(landing)}",
        format_table(heads, rows),
        f"mean |omega measured - simulated| {fit.error:.4g} rad/s (28), noise {fit.noise:.2g} rad/s, "
        f"bias left {', '.join(f'{value:.1g}' for value in fit.bias)} rad/s, {fit.simulations} simulations",
    ]
    if not fit.resolved:
        lines.append(
            "the lateral rocking after the facet impact is too quick for the samples: they tell that "
            "lambda_lat is small, and determine neither it nor lambda and tau"
        )
    return "\n".join(lines)


def estimate_rows(fit: Fit) -> list[list[str]]:
    """Name with unit, estimate, interval and standard error of what was fitted."""
    rows = []
    for name, value in fit.estimates.items():
        words = [f"{name} [{UNITS[name]}]"]
        if name in fit.intervals:
            low, high = fit.intervals[name]
            digits = digits_of(high - low)
            words += [f"{value:.{digits}f}", f"{low:.{digits}f} to {high:.{digits}f}"]
            error = fit.standard_errors[name]
            words.append(f"{error:.2g}" if np.isfinite(error) else "not determined")
        else:
            words += [f"{value:.6g}", "-", "-"]
        rows.append(words)
    return rows


def digits_of(width: float) -> int:
    """Decimals with which an interval of a width [1] has two digits."""
    return int(np.clip(1 - np.floor(np.log10(max(width, 1e-9))), 1, 8))


def impact_section(fit: Fit) -> str:
    """Section ``[impact]`` of a study file with the estimates of one test."""
    lines = [f"[impact]  # fitted to one test, {fit.name}, released over edge {fit.edge}"]
    for key in fit.parameters:
        value, comment = fit.estimates[key], ""
        digits = 6
        if key in fit.intervals:
            low, high = fit.intervals[key]
            digits = digits_of(high - low)
            comment = f"  # [{UNITS[key]}] {fit.level:.0%} interval {low:.{digits}f} to {high:.{digits}f}"
            if not np.isfinite(fit.standard_errors[key]):
                comment += ", not determined by this test"
        lines.append(f"{key} = {value:.{digits}f}{comment}")
    return "\n".join(lines) + "\n"


def fit_as_json(fit: Fit) -> dict[str, Any]:
    """Numbers of a fit for programs; what is not determined has no standard error."""
    return {
        "recording": fit.name,
        "edge": fit.edge,
        "objective": fit.objective,
        "level": fit.level,
        "estimates": {
            name: {
                "value": value,
                "unit": UNITS[name],
                "interval": list(fit.intervals[name]) if name in fit.intervals else None,
                "standard_error": _number(fit.standard_errors.get(name, np.nan)),
            }
            for name, value in fit.estimates.items()
        },
        "covariance": [[_number(value) for value in row] for row in fit.covariance],
        "mean_error": fit.error,
        "noise": fit.noise,
        "bias": fit.bias.tolist(),
        "lateral_rocking_resolved": fit.resolved,
    }


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
