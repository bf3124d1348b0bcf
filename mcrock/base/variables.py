"""Variables of a dataset: numbers with their unit and what they are."""

from __future__ import annotations

from typing import Any


def variable(
    dims: str, values: Any, units: str, long_name: str, **attributes: Any
) -> tuple[list[str], Any, dict[str, Any]]:
    """A variable or a coordinate as xarray takes it.

    Parameters
    ----------
    dims : str
        Name of each dimension of the values, apart by spaces.
    values : array_like
    units, long_name : str
        As CF conventions have them, such as "m s-2".
    **attributes
        Further attributes.

    Examples
    --------
    >>> variable("contact time", [[0.0, 0.1]], "m", "gap of the contact")
    (['contact', 'time'], [[0.0, 0.1]], {'units': 'm', 'long_name': 'gap of the contact'})
    """
    return dims.split(), values, {"units": units, "long_name": long_name, **attributes}
