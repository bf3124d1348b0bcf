"""Small probabilities of overturning as text, with what no number of runs decides."""

from __future__ import annotations

import math

import numpy as np
import xarray as xr

from mcrock.base.estimates import format_estimate, format_interval
from mcrock.show.numbers import format_count, label_intensities
from mcrock.show.tables import format_table

MOST_OF_ONE = 0.5  # of the sum of all repetitions that one may hold [1]


def format_rare(found: xr.Dataset) -> str:
    """Table of `mcrock.rare.rare_probability`, and what its recordings cannot decide."""
    by_level = "intensity" in found.dims
    rows = found if by_level else found.expand_dims("intensity")
    axis = rows["intensity"] if by_level else None
    labels = (
        label_intensities(axis.values.tolist(), axis.attrs.get("units", "1")) if axis is not None else [""]
    )
    several = found.sizes["record"] > 1
    percent = f"{found.attrs['level'] * 100:.4g} %"
    heads = ["intensity", "probability", f"{percent}, these motions", f"{percent}, new earthquakes"]
    heads += ["runs", "counting needs", "records for 10 %"]
    cells = []
    for label, one in zip(labels, (rows.isel(intensity=j) for j in range(len(labels))), strict=True):
        same = one["new_interval"] if several else one["interval"]
        cells.append(
            [
                label,
                format_estimate(float(one["probability"]), *one["interval"].values.tolist()),
                format_interval(*one["interval"].values.tolist()),
                format_interval(*same.values.tolist()),
                str(int(one["runs"])),
                _number(float(one["brute_force_runs"])),
                _number(float(one["records_needed"])),
            ]
        )
    kept = [i for i in range(len(heads)) if (by_level or i != 0) and (several or i not in (3, 6))]
    lines = [
        "Probability of overturning by subset simulation",
        format_table([heads[i] for i in kept], [[row[i] for i in kept] for row in cells]),
        f"{found.attrs['repetitions']} independent repetitions with {found.attrs['states']} realizations at "
        f"each level of the score; probabilities below {found.attrs['least']:.1g} count as 0",
        "counting needs: runs of a plain study for the same accuracy",
    ]
    each = found["repetition_probability"].values
    largest = float((each.max(axis=0) / np.maximum(each.sum(axis=0), np.finfo(float).tiny)).max())
    if largest > MOST_OF_ONE:
        lines.append(
            f"one repetition holds {100 * largest:.0f} % of an estimate: the others may have missed where "
            "bodies overturn, and the interval is too narrow; raise --states"
        )
    if several:
        n = int(found["records"])
        none = -math.expm1(math.log((1 - found.attrs["level"]) / 2) / n)
        lines.append(
            f"{format_count(n, 'independent recording')} cannot show that a probability for new earthquakes "
            f"is below {none:.2g}, however many runs there are and though none overturns: only more "
            "recordings can. The interval of these motions says how often the body overturns in these "
            "recordings, scaled to this intensity, and nothing more"
        )
    return "\n".join(lines)


def _number(value: float) -> str:
    return f"{value:.2g}" if math.isfinite(value) else "-"
