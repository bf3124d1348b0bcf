"""Tables of results: datasets whose variables say their unit and name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import xarray as xr

LONG_NAMES = {  # of variables that mean the same in every result
    "curve": "overturning probability",
    "dispersion": "standard deviation of ln(intensity) at overturning",
    "only_slide": "fraction of the realizations with too little friction to rock from rest",
    "records": "number of independent recordings",
    "runs": "number of runs",
    "runs_below": "runs below the weakest intensity at which one overturned",
    "expected_below": "of these, number that the curve expects to overturn",
    "fit_p_value": "probability of fractions as far from the curve as these, were it true",
}


def table(
    variables: Mapping[str, tuple[Any, ...]],
    coords: Mapping[str, Any],
    attrs: Mapping[str, Any] | None = None,
) -> xr.Dataset:
    """A dataset of results.

    Parameters
    ----------
    variables : mapping of str to tuple
        (dims, values) or (dims, values, attributes) by name: numbers are in [1] where the attributes do not
        say otherwise, and have the long name of `LONG_NAMES` if they have none.
    coords, attrs : mapping
        As for a dataset.
    """
    result = xr.Dataset(variables, coords, attrs)
    for name, array in result.data_vars.items():
        if array.dtype.kind in "iuf":
            known = {"long_name": LONG_NAMES[str(name)]} if name in LONG_NAMES else {}
            array.attrs = {"units": "1"} | known | array.attrs
    return result
