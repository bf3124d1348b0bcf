"""Values as JSON can hold them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import xarray as xr


def as_json(value: Any) -> Any:
    """Numbers and arrays as plain numbers and lists; NaN and infinity become null."""
    if isinstance(value, dict):
        return {key: as_json(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def dataset_as_json(ds: xr.Dataset) -> dict[str, Any]:
    """Every variable of a small dataset as plain lists, with dims and units."""
    variables = {
        str(name): {"dims": list(array.dims), "units": array.attrs.get("units"), "values": array.values}
        for name, array in ds.variables.items()
    }
    return as_json({"variables": variables, "attributes": dict(ds.attrs)})
