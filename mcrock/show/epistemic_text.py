"""Two kinds of uncertainty of a nested study as text."""

from __future__ import annotations

import math
from typing import NamedTuple

import xarray as xr

from mcrock.show.numbers import label_intensities
from mcrock.show.tables import format_table
from mcrock.statistics import epistemic_bounds, epistemic_fragility, epistemic_probability, variance_shares


class Nested(NamedTuple):
    """Statistics of a nested study, each a dataset."""

    shares: xr.Dataset  # from `variance_shares`
    probability: xr.Dataset  # from `epistemic_probability`
    fragility: xr.Dataset  # from `epistemic_fragility`
    bounds: xr.Dataset  # from `epistemic_bounds`


def summarize_nested(ds: xr.Dataset, level: float) -> Nested:
    """All statistics that a nested study has in addition to those of its pooled runs."""
    return Nested(
        variance_shares(ds, level=level),
        epistemic_probability(ds, level=level),
        epistemic_fragility(ds),
        epistemic_bounds(ds, level=level),
    )


def format_nested(nested: Nested) -> list[str]:
    """Lines on what ignorance does to the probability, and what it does in single earthquakes."""
    shares, spread, bounds = nested.shares, nested.probability, nested.bounds
    axis = shares["intensity"]
    labels = label_intensities(axis.values.tolist(), axis.attrs.get("units", "1"))
    percent = f"{shares.attrs['level'] * 100:.4g} % interval"
    draws = int(shares["draws"])
    rows = []
    for j, label in enumerate(labels):
        one, of = shares.isel(intensity=j), spread.isel(intensity=j)
        rows.append(
            [
                label,
                f"{float(of['probability']):.3f}",
                f"{float(of['fractile_probability'][0]):.3f} to {float(of['fractile_probability'][-1]):.3f}",
                f"{float(one['deviation']):.3f}",
                _share(one, "first_order"),
                _share(one, "total"),
            ]
        )
    heads = ["intensity", "probability", "5 to 95 % of draws", "deviation", f"first order ({percent})"]
    lines = [
        "",
        f"Epistemic uncertainty: {draws} outer draws that meet the same motions",
        format_table([*heads, "total"], rows),
        "first order: part of the variance of overturning that the draws explain over all earthquakes; "
        "total: part that they take part in, in single earthquakes too",
        "",
        f"Over the whole range: smallest and largest probability of {draws} draws, chosen on one half of the "
        "records and estimated on the other",
        format_table(
            ["intensity", "least", "largest", "as counted", f"all draws at once ({percent})"],
            [
                [
                    label,
                    *(f"{p:.3f}" for p in bounds["estimate"].values[:, j]),
                    " to ".join(f"{p:.3f}" for p in bounds["naive"].values[:, j]),
                    " to ".join(f"{p:.3f}" for p in bounds["interval"].values[:, j]),
                ]
                for j, label in enumerate(labels)
            ],
        ),
        f"the largest exceeds the probability on {100 * float(bounds['content']):.3g} % of the range with "
        f"{bounds.attrs['level'] * 100:.4g} % confidence, but for the noise of its runs",
    ]
    return [*lines, *_dispersions(nested.fragility), *_drivers(bounds, labels), ""]


def _share(one: xr.Dataset, name: str) -> str:
    value = float(one[name])
    if math.isnan(value):
        return "-"
    low, high = one[f"{name}_interval"].values.tolist()
    return f"{value:.3f} ({low:.3f} to {high:.3f})" if math.isfinite(low) else f"{value:.3f}"


def _dispersions(fragility: xr.Dataset) -> list[str]:
    """Dispersions of the fragility by their kinds; none where a draw has no curve."""
    names = ("aleatory", "epistemic", "sampling", "uncertainty")
    beta_r, epistemic, sampling, beta_u = (float(fragility[name]) for name in names)
    if math.isnan(beta_u):
        return ["a draw has no fragility curve of its own: more levels or records tell its dispersions apart"]
    return [
        f"dispersion for given unknown numbers beta_R = {beta_r:.3f}; of the median beta_U = {beta_u:.3f}: "
        f"{epistemic:.3f} from epistemic inputs and {sampling:.3f} from the number of records"
    ]


def _drivers(bounds: xr.Dataset, labels: list[str]) -> list[str]:
    """Inputs most correlated with the fractions of the draws, at each intensity."""
    if "rank_correlation" not in bounds:
        return []
    found = []
    for label, column in zip(labels, bounds["rank_correlation"].values.T, strict=True):
        if not all(map(math.isnan, column)):
            k = int(abs(column).argmax())
            found.append(f"{bounds['input'].values[k]} at {label} ({column[k]:+.2f})")
    return [f"they go most with {', '.join(found)}: rank correlation over the draws"] if found else []
