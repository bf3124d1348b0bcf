"""Tables of spectra of planar blocks, as `mcrock spectrum` prints them."""

from __future__ import annotations

from math import inf

import numpy as np
import xarray as xr

from mcrock.base.params import Outcome

Table = tuple[list[str], list[list[str]]]  # heads and rows

ROWS = 12  # of a printed table
BANDS = 4  # written out in a cell; of more the first two and the last


def overturning_table(ds: xr.Dataset) -> Table:
    """Bands of overturning at a few sizes, in words; of several motions their lowest amplitudes."""
    axis = str(ds["lower"].dims[2])
    heads = ["omega_p/p" if axis == "frequency_ratio" else "2 pi/p [s]", "slenderness [deg]"]
    single = ds.sizes["motion"] == 1
    heads += ["overturns at (after impacts)"] if single else ["lowest of the motions", "median"]
    rows = []
    for j, slenderness in enumerate(np.degrees(ds["slenderness"].values)):
        for place in _places(ds, axis):
            part = ds.isel({axis: place, "slenderness": j})
            lowest = part["lower"].isel(band=0).fillna(np.inf).values
            words = (
                [_format_bands(part.isel(motion=0))]
                if single
                else [f"{value:.3g}".replace("inf", "none") for value in (lowest.min(), np.median(lowest))]
            )
            rows.append([f"{float(ds[axis][place]):.3g}", f"{slenderness:.3g}", *words])
    return heads, rows


def rocking_table(ds: xr.Dataset) -> Table:
    """Largest tilt over the slenderness at a few sizes; of several motions the median."""
    slenderness = np.degrees(ds["slenderness"].values)
    rows = [
        [
            f"{float(ds['period'][place]):.3g}",
            *(_format_tilt(ds.isel(period=place, slenderness=j)) for j in range(len(slenderness))),
        ]
        for place in _places(ds, "period")
    ]
    return ["2 pi/p [s]", *(f"slenderness {angle:.3g} deg" for angle in slenderness)], rows


def _places(ds: xr.Dataset, axis: str) -> list[int]:
    """A few places along an axis, evenly spaced, with both ends."""
    return sorted({round(place) for place in np.linspace(0, ds.sizes[axis] - 1, ROWS).tolist()})


def _format_tilt(part: xr.Dataset) -> str:
    """Tilt ratio of the motions, or that the block overturns."""
    fallen = part["outcome"].values == Outcome.OVERTURNED
    tilt = np.where(fallen, np.inf, part["peak_tilt_ratio"].values)
    median = np.median(tilt)
    words = f"{median:.3f}" if np.isfinite(median) else "overturns"
    return words if len(tilt) == 1 else f"{words} ({fallen.sum()} of {len(tilt)} overturn)"


def _format_bands(part: xr.Dataset) -> str:
    """Bands as ranges with their impacts in brackets, the last one always."""
    bands = [
        band
        for band in zip(*(part[name].values.tolist() for name in ("lower", "upper", "impacts")), strict=True)
        if band[2] >= 0
    ]
    words = [_format_band(*band) for band in bands]
    if len(words) > BANDS:
        words = [*words[:2], f"{len(words) - 3} more", words[-1]]
    return ", ".join(words) or "stands"


def _format_band(lower: float, upper: float, impacts: int) -> str:
    """A band with as many digits as keep its ends apart.

    >>> _format_band(1.146021, 1.146138, 2), _format_band(3.66431, float("inf"), 0)
    ('1.1460-1.1461 (2)', 'above 3.664 (0)')
    """
    if upper == inf:
        return f"above {_digits(lower, 4)} ({impacts})"
    for number in range(4, 10):
        if _digits(lower, number) != _digits(upper, number):
            break
    return f"{_digits(lower, number)}-{_digits(upper, number)} ({impacts})"


def _digits(value: float, number: int) -> str:
    """A number of 0.1 to 1000 with some digits in all.

    >>> _digits(1.0, 4), _digits(12.3456, 4), _digits(0.98765, 4)
    ('1.000', '12.35', '0.9877')
    """
    return f"{value:#.{number}g}"
