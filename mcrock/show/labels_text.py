"""Results of labels, as text."""

from __future__ import annotations

from collections.abc import Sequence

import xarray as xr

from mcrock.show.numbers import label_intensities
from mcrock.show.tables import format_table

TEMPERED = 0.999  # of the power of the likelihood, below which it is said


def format_labels(found: xr.Dataset, studies: Sequence[str]) -> str:
    """Weights, unknown inputs and probabilities before and after labels.

    Parameters
    ----------
    found : Dataset
        From `mcrock.labels.calibrate`.
    studies : sequence of str
        Names of the studies.
    """
    attrs, percent = found.attrs, f"{found.attrs['level'] * 100:.3g} %"
    lines = [
        f"{found.sizes['seen']} labels, {float(found['count_seen']):g} fallen; "
        f"error rate {attrs['error_rate']:g}",
        f"{attrs['effective']:.1f} effective of {attrs['draws']} draws",
    ]
    if attrs["temper"] < TEMPERED:
        lines.append(
            f"the likelihood is taken to the power {attrs['temper']:.3g}, the largest that leaves so many "
            "draws: with more draws (ensemble.outer), or --sequential, the labels say more"
        )
    rows = []
    for k, name in enumerate(found["input"].values.tolist()):
        one = found.isel(input=k)
        cells = [f"{name} [{one['unit'].item()}]"]
        for stage in found["stage"].values.tolist():
            there = one.sel(stage=stage)
            low, high = there["quantile"].values
            cells += [f"{float(there['mean']):.4g} +-{float(there['std']):.2g}", f"{low:.4g} to {high:.4g}"]
        rows.append(cells)
    if rows:
        width = max(len(row[0]) for row in rows)
        heads = ["", "before", percent, "after", percent]
        lines += ["", "Unknown inputs", format_table(heads, [[r[0].ljust(width), *r[1:]] for r in rows])]
    lines += ["", "How many of the labelled should have fallen"]
    for stage in found["stage"].values.tolist():
        one = found.sel(stage=stage)
        lines.append(
            f"  {stage} the labels {float(one['count']):.1f} +-{float(one['count_std']):.1f}, seen "
            f"{float(found['count_seen']):g}: P {float(one['tail']):.2g} of being as far off"
        )
    for number, name in enumerate(studies):
        lines += ["", f"Probability of overturning, {name}", _probabilities(found, number, percent)]
    return "\n".join(lines)


def _probabilities(found: xr.Dataset, number: int, percent: str) -> str:
    values, bounds = found[f"probability_{number}"], found[f"probability_interval_{number}"]
    axis = str(values.dims[1])
    names = ["all"]
    if axis in found.coords:
        names = label_intensities(found[axis].values.tolist(), str(found[axis].attrs.get("units", "1")))
    rows = []
    for j, name in enumerate(names):
        cells = [name]
        for stage in found["stage"].values.tolist():
            low, high = bounds.sel(stage=stage).isel({axis: j}).values
            cells += [f"{float(values.sel(stage=stage).isel({axis: j})):.4f}", f"{low:.3f} to {high:.3f}"]
        rows.append(cells)
    draws = f"{percent} of draws"
    return str(format_table(["intensity", "before", draws, "after", draws], rows))
