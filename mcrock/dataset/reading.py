"""Arrays of results as xarray reads them from disk: what cannot be decoded is damage, whoever decodes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr
from xarray.backends import BackendArray, BackendEntrypoint
from xarray.core import indexing

from mcrock.dataset.schema import DamageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

Words = Callable[[str], str]  # what is said of an array by its name that cannot be decoded
Rows = Callable[..., "NDArray[Any]"]  # a part of an array by a slice of each dimension


def open_lazily(
    source: Any, engine: str, words: Words, chunks: dict[str, int] | None, **options: Any
) -> xr.Dataset:
    """Dataset that an engine of xarray opens, whose arrays raise `DamageError` where they cannot be decoded.

    Parameters
    ----------
    source, engine, options
        As `xarray.open_dataset` takes them; and `rows`, what reads slices of arrays faster, by their names.
    words : callable
        From the name of an array to the message; other processes have it if it can be pickled.
    chunks : dict, optional
        As there: with ``{}`` every variable is a dask array.
    """
    return xr.open_dataset(source, engine=_Engine, chunks=chunks, inner=engine, words=words, options=options)


class _Engine(BackendEntrypoint):
    """Another engine, with arrays that say what is damaged."""

    open_dataset_parameters = ("filename_or_obj", "drop_variables", "inner", "words", "options")

    def open_dataset(self, filename_or_obj: Any, **kwargs: Any) -> xr.Dataset:
        """Open a dataset, read when it is used."""
        inner, words, options = kwargs["inner"], kwargs["words"], dict(kwargs["options"])
        rows: Mapping[str, Rows] = options.pop("rows", {})
        ds = xr.open_dataset(filename_or_obj, engine=inner, chunks=None, cache=False, **options)
        lazy = {
            name: xr.Variable(
                variable.dims,
                _lazy(variable, partial(words, str(name)), rows.get(str(name))),
                variable.attrs,
                variable.encoding,
            )
            for name, variable in ds.variables.items()
            if name not in ds.xindexes
        }
        coordinates = {name: lazy.pop(name) for name in ds.coords if name in lazy}
        found = ds.assign_coords(coordinates).assign(lazy)
        found.set_close(ds.close)
        return found


def _lazy(variable: xr.Variable, words: Callable[[], str], rows: Rows | None) -> Any:
    """Values that are read when they are used; names at once, which xarray and dask take if of one length."""
    if variable.dtype.kind == "T":
        with decoding(words):
            return np.array(variable.values.tolist(), str)
    return indexing.LazilyIndexedArray(_Array(variable, words, rows))


class _Array(BackendArray):
    """An array on disk."""

    def __init__(self, variable: xr.Variable, words: Callable[[], str], rows: Rows | None) -> None:
        self.variable, self.words, self.rows = variable, words, rows
        self.shape, self.dtype = variable.shape, variable.dtype

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.OUTER, self._read)

    def _read(self, key: tuple[Any, ...]) -> NDArray[Any]:
        with decoding(self.words):
            if self.rows and _are_slices(key):
                return self.rows(*key)
            return np.asarray(self.variable[key].values)


def source_of(array: xr.DataArray) -> object | None:
    """What a whole array is read from when it is used; None of a part or permutation, or in memory."""
    data: Any = array.variable._data
    while hasattr(data, "array"):  # xarray's wrappers
        keys = data.key.tuple if hasattr(data, "key") else ()
        if not _are_slices(keys):
            return None
        data = data.array
    return data if isinstance(data, _Array) and data.shape == array.shape else None


def _are_slices(keys: tuple[Any, ...]) -> bool:
    return all(isinstance(key, slice) and key.step in (None, 1) for key in keys)


@contextmanager
def decoding(words: Callable[[], str]) -> Iterator[None]:
    """Raise `DamageError` where something cannot be decoded; errors of the system pass."""
    try:
        yield
    except (DamageError, MemoryError):
        raise
    except Exception as error:  # decoders raise what they like, the NetCDF library numbers below 0
        if isinstance(error, OSError) and (error.errno or 0) > 0:
            raise
        raise DamageError(words()) from error
