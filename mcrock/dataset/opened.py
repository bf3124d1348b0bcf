"""Functions of a dataset that take the place of its store as well."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar, cast

import xarray as xr

from mcrock.dataset.files import load_dataset

Rest = ParamSpec("Rest")
Result = TypeVar("Result")
Source = xr.Dataset | str | Path


def opened(source: Source, *, allow_incomplete: bool = False) -> xr.Dataset:
    """A dataset as it is, or that of a store or file; errors as `load_dataset`."""
    if isinstance(source, str | os.PathLike):
        return load_dataset(Path(source), allow_incomplete=allow_incomplete)
    return source


def takes_path(
    function: Callable[Concatenate[xr.Dataset, Rest], Result],
) -> Callable[Concatenate[Source, Rest], Result]:
    """Let a function of a dataset take the path of a store or NetCDF file in its place.

    A store in which runs are missing is opened if the function is told to leave them out.
    """

    @wraps(function)
    def wrapper(ds: Source, *args: Rest.args, **kwargs: Rest.kwargs) -> Result:
        known = opened(ds, allow_incomplete=bool(kwargs.get("allow_missing")))
        return function(known, *args, **kwargs)

    return cast("Callable[Concatenate[Source, Rest], Result]", wrapper)
