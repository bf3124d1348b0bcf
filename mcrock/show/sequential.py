"""Intervals that hold at every look as text."""

from __future__ import annotations

import xarray as xr

from mcrock.show.numbers import format_count, label_intensities


def format_looks(found: xr.Dataset, realizations: int) -> str:
    """What a study that stopped by itself knows: lines on `mcrock.statistics.sequential_probability`."""
    axis = found["intensity"]
    low, high = found["interval"].values
    widest = int((high - low).argmax())
    label = label_intensities(axis.values.tolist(), axis.attrs.get("units", "1"))[widest]
    lines = [
        f"after {format_count(realizations, 'realization')} the probabilities in these motions are known to "
        f"+-{(high - low)[widest] / 2:.3g} or better (widest at {label}: {low[widest]:.3f} to "
        f"{high[widest]:.3f}), with {found.attrs['level'] * 100:.4g} % confidence at all looks together"
    ]
    if found.attrs["shared"]:
        lines.append(
            f"for other earthquakes {format_count(int(found['records']), 'recording')} leave open what the "
            "table above says, and more realizations do not narrow it"
        )
    return "\n".join(lines)
