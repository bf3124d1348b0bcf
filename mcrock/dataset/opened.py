"""Datasets in files: opened, written and replaced, and functions that take the path of one in its place."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeAlias, TypeVar, cast

import numpy as np

from mcrock.dataset.archive import DamageError
from mcrock.dataset.atomic import replacing
from mcrock.dataset.contents import CHUNKS, STUDY
from mcrock.dataset.folders import open_folder
from mcrock.dataset.outcome_table import read_outcomes
from mcrock.dataset.schema import OUTER, DatasetError, check_dataset, place_in_schema

if TYPE_CHECKING:
    import xarray as xr

AT_ONCE = {OUTER: 1, "realization": 1 << 17}  # that are written to a NetCDF file together
IN_FILE = {OUTER: 1, "realization": 1 << 14}  # of a chunk there
CACHE = 1 << 22  # of chunks of a variable while it is written [B]

Rest = ParamSpec("Rest")
Result = TypeVar("Result")
Source: TypeAlias = "xr.Dataset | str | Path"


def load_dataset(
    path: str | Path, *, allow_incomplete: bool = False, chunks: dict[str, int] | None = None
) -> xr.Dataset:
    """Open the result of a study: a store of `mcrock run` or its NetCDF export, or a table of outcomes.

    Parameters
    ----------
    path : str or Path
        Zarr store (a folder), NetCDF file, or CSV file of `read_outcomes`.
    allow_incomplete : bool
        Accept a store in which runs are missing; they have the outcome ``not_run``.
    chunks : dict, optional
        As in `xarray.open_dataset`: with ``{}`` every variable is a dask array over the chunks of the file.

    Returns
    -------
    Dataset
        Variables as declared in `mcrock.dataset.SCHEMA` and `NUMBERED`, read from disk when they are used.

    Raises
    ------
    DatasetError
        If there is no such file, it is not a result of mcrock, or runs are missing.
    DamageError
        If a file of the store is not as it was written; one whose end is, when an array is read, as of a
        NetCDF file.
    """
    path = Path(path)
    if not path.exists():
        raise DatasetError(f"{path}: no such store or file")
    if path.suffix == ".toml":
        how = f"mcrock run {path} -o {path.with_suffix('.zarr')}"
        raise DatasetError(f"{path} is a study, not its result; run it first: {how}")
    if path.suffix.lower() == ".csv" and path.is_file():
        ds = read_outcomes(path)
        return ds if chunks is None else ds.chunk(chunks)
    try:
        if path.is_dir():
            from mcrock.dataset.store import open_store  # loads zarr

            is_store = (path / STUDY).exists() or (path / CHUNKS).exists()
            ds = open_store(path, chunks) if is_store else open_folder(path, chunks)
        else:
            from mcrock.dataset.reading import open_lazily

            ds = open_lazily(path, "netcdf4", partial(_undecodable, path), chunks)
    except (PermissionError, DamageError, DatasetError):
        raise
    except Exception as error:  # the backends have no common error for "this is something else"
        raise DatasetError(f"{path} is neither a zarr store nor a NetCDF file of mcrock ({error})") from error
    check_dataset(ds, str(path))
    close = ds.close
    ds = ds[sorted(ds.variables, key=place_in_schema)]
    ds.set_close(close)
    if "chunk_done" not in ds:
        return ds
    if not allow_incomplete:
        done = ds["chunk_done"].values == 1
        if not done.all():
            first = "-".join(map(str, np.argwhere(~done)[0]))
            raise DatasetError(
                f"{path} is incomplete: {done.sum()} of {done.size} chunks are done, "
                f"the first that is not is {first}; "
                "finish it with `mcrock run --resume`, or accept the missing runs with --allow-incomplete"
            )
    return ds


def _undecodable(path: Path, name: str) -> str:
    return f"{path} is damaged: {name} cannot be read; export it once more"


def save_dataset(ds: xr.Dataset, path: str | Path, *, overwrite: bool = False) -> None:
    """Write a dataset to one NetCDF file, whole or not at all.

    Parameters
    ----------
    ds : Dataset
        From `load_dataset`. What it has not read yet is read and written in slices of realizations.
    path : str or Path
        File to write. It is written under a temporary name next to it and then renamed.
    overwrite : bool
        Replace an existing NetCDF file (and nothing else).

    Raises
    ------
    DatasetError
        If the output is refused.
    OSError
        If it cannot be written.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise DatasetError(f"{path}: the folder {path.parent} does not exist")
    if os.path.lexists(path):
        if not _is_netcdf(path):
            raise DatasetError(f"{path} exists and is not a NetCDF file; choose another output")
        if not overwrite:
            raise DatasetError(f"{path} exists already; replace it with --overwrite or choose another output")
    if path.suffix != ".nc":
        raise DatasetError(f"{path}: the name of a NetCDF file must end in .nc")
    ds = ds.drop_encoding()
    for array in ds.variables.values():
        if "flag_values" in array.attrs:  # of the type of the variable, as the CF conventions want it
            array.attrs["flag_values"] = np.asarray(array.attrs["flag_values"], array.dtype)
    numbers = [name for name, array in ds.variables.items() if array.dtype.kind in "fiu"]
    encoding: dict[str, dict[str, Any]] = {
        str(name): {"zlib": True, "complevel": 1, "fletcher32": True} for name in numbers
    }
    for name, how in encoding.items():
        found = ds[name]
        if "realization" in found.dims:
            chunks = {dim: size for dim, size in AT_ONCE.items() if dim in found.dims}
            # said to be in the order of this machine, as they are: the NetCDF library warns of others
            native = np.empty((0,) * found.ndim, found.dtype.newbyteorder("="))
            ds[name] = found.copy(data=found.chunk(chunks).data.map_blocks(np.asarray, meta=native))
            how["chunksizes"] = [min(size, IN_FILE.get(str(dim), size)) for dim, size in found.sizes.items()]
    with replacing(path) as scratch, _small_cache():
        try:
            ds.to_netcdf(scratch, engine="netcdf4", format="NETCDF4", encoding=encoding)
        except RuntimeError as error:  # how the NetCDF library reports that it could not write
            raise OSError(f"cannot write {path}: {error}; is the disk full?") from error


@contextmanager
def _small_cache() -> Iterator[None]:
    """Keep few chunks of each variable that is written; the NetCDF library would keep 64 MiB."""
    import netCDF4

    size, number, preemption = netCDF4.get_chunk_cache()
    netCDF4.set_chunk_cache(CACHE)
    try:
        yield
    finally:
        netCDF4.set_chunk_cache(int(size), int(number), preemption)


def check_folder(folder: Path) -> None:
    """Refuse a folder that cannot be made or written to, before anything is computed for it.

    Raises
    ------
    DatasetError
        If a file is in its place or on the way to it, or it must not be written to.
    """
    for place in (folder, *folder.parents):
        if os.path.lexists(place):
            if not place.is_dir():
                raise DatasetError(f"{folder}: {place} is a file, not a folder; choose another output")
            if not os.access(place, os.W_OK | os.X_OK):
                raise DatasetError(
                    f"{folder}: the folder {place} cannot be written to; choose another output"
                )
            return


def _is_netcdf(path: Path) -> bool:
    """Whether a file begins as NetCDF files do."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) in (b"\x89HDF", b"CDF\x01", b"CDF\x02", b"CDF\x05")


def opened(source: Source, *, allow_incomplete: bool = False) -> xr.Dataset:
    """A dataset as it is, or that of a store or file; errors as `load_dataset`."""
    if isinstance(source, str | os.PathLike):
        return load_dataset(Path(source), allow_incomplete=allow_incomplete)
    outcome = source.get("outcome") if hasattr(source, "data_vars") else None
    if outcome is not None and outcome.dtype.kind == "f":
        if outcome.isnull().any() or ("record" in source and source["record"].dtype.kind == "f"):
            raise ValueError(
                "outcome must hold whole numbers, the codes of mcrock.Outcome, and record too, got what "
                "`ds.where` leaves: choose realizations by ds.isel(realization=...) and levels by "
                "ds.isel(intensity=[...])"
            )
        return source.assign(outcome=outcome.astype("i1"))
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
