"""Datasets in files: opened, written and replaced, as a table of runs, and as copies for other programs."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial, wraps
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeAlias, TypeVar, cast

import numpy as np

from mcrock.base.params import Outcome
from mcrock.dataset.contents import CHUNKS, STUDY, is_copy, open_folder, replacing, scratch_name
from mcrock.dataset.create import check_new_store, put_in_place
from mcrock.dataset.outcome_table import read_outcomes
from mcrock.dataset.schema import (
    INPUT,
    OUTER,
    OUTPUT,
    OWN_RESPONSE,
    SCHEMA,
    DamageError,
    DatasetError,
    check_dataset,
    is_declared,
    place_in_schema,
)

if TYPE_CHECKING:
    import pandas as pd
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
    if (path / "collection.json").is_file():
        how = f"`mcrock collection {path}` says what falls; each store in {path / 'objects'} is of one object"
        raise DatasetError(f"{path} is a collection: {how}")
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
        raise DatasetError(f"{path} is neither a zarr store nor a NetCDF file that mcrock wrote") from error
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
    if not hasattr(source, "data_vars") or "outcome" not in source:
        return source
    return _without_mask(source) if source["outcome"].dtype.kind == "f" else source


def _with_level(ds: xr.Dataset) -> xr.Dataset:
    """A result of which one level was chosen, by `ds.sel` or `ds.isel`, with its dimension."""
    chosen = LEVEL in getattr(ds, "coords", ()) and LEVEL not in ds.dims
    if not chosen or "outcome" not in ds or "intensity_value" in ds:
        return ds
    runs = [name for name, array in ds.data_vars.items() if _own_dims(str(name), array) >= {LEVEL}]
    return ds.assign({name: ds[name].expand_dims(LEVEL, ds[name].ndim) for name in runs})


def _own_dims(name: str, array: xr.DataArray) -> set[str]:
    """Dimensions of a variable before a part of its result was chosen; as they are if it is not known."""
    if name in SCHEMA:
        return set(SCHEMA[name].dims)
    if name.startswith(OWN_RESPONSE):
        return set(OUTPUT)
    return set(INPUT) if is_declared(name) else set(map(str, array.dims))


def _without_mask(ds: xr.Dataset) -> xr.Dataset:
    """What `ds.where` leaves, without the realizations and levels that it masks.

    It gives every variable the dimensions of the mask, and makes floats of whole numbers.
    """
    there = ds["outcome"].notnull()
    for dim in there.dims:
        ds = ds.isel({dim: there.any([other for other in there.dims if other != dim]).values})
    if ds["outcome"].isnull().any():
        raise ValueError(
            "ds.where masks single runs of realizations or levels that it keeps, and statistics need whole "
            "ones: choose by what is on realization or on intensity alone, as in ds.where(ds.record < 3)"
        )
    kept = {}
    for name, array in ds.data_vars.items():
        dims = _own_dims(str(name), array)
        array = array.isel(dict.fromkeys({*there.dims} & {*array.dims} - dims, 0))
        kind = SCHEMA[str(name)].dtype if name in SCHEMA else "f8"
        kept[name] = array.astype(kind) if array.dtype.kind == "f" and kind[0] in "iub" else array
    return ds.assign(kept)


def accepts_path(
    function: Callable[Concatenate[xr.Dataset, Rest], Result],
) -> Callable[Concatenate[Source, Rest], Result]:
    """Let a function of a dataset take the path of a store or NetCDF file in its place.

    A store in which runs are missing is opened if the function is told to leave them out; a level that was
    chosen alone has its dimension again, but for masks, which have those of their dataset.
    """

    @wraps(function)
    def wrapper(ds: Source, *args: Rest.args, **kwargs: Rest.kwargs) -> Result:
        known = opened(ds, allow_incomplete=bool(kwargs.get("allow_missing")))
        return function(known if function.__name__ in MASKS else _with_level(known), *args, **kwargs)

    return cast("Callable[Concatenate[Source, Rest], Result]", wrapper)


MOTION, RECORD, LEVEL = "motion", "record", "intensity"
MASKS = ("overturned", "undecided")  # of the runs of a dataset


@accepts_path
def to_frame(ds: xr.Dataset, variables: Sequence[str] | None = None) -> pd.DataFrame:
    """Table of the runs of a study.

    `Dataset.to_dataframe` would combine every run with every ground motion and every chunk of the store.

    Parameters
    ----------
    ds : Dataset or path
        Result of a study, or its store.
    variables : sequence of str, optional
        Columns; by default everything that is known of a run: its inputs and responses, and what is known of
        its ground motion.

    Returns
    -------
    DataFrame
        A row for each run that has been run, numbered by `realization` and `intensity` (a cloud by
        `realization` alone), which are columns too. Codes are categories by name, such as the outcome
        "overturned"; units are those of the dataset.

    Raises
    ------
    DatasetError
        If the dataset has no outcomes, or no such variable for every run.

    Examples
    --------
    >>> import xarray as xr
    >>> outcome = ("realization", "intensity"), np.array([[1, 3], [0, 1]], "i1")
    >>> ds = xr.Dataset({"outcome": outcome, "mass": ("realization", [5.0, 7.0])}, {"intensity": [2.0, 3.0]})
    >>> to_frame(ds)
       realization  intensity  outcome  mass
    0            0        2.0        1   5.0
    1            0        3.0        3   5.0
    2            1        3.0        1   7.0
    """
    import pandas as pd
    import xarray as xr

    if "outcome" not in ds:
        raise DatasetError("the dataset lacks the variable `outcome`; is it the store of a mcrock study?")
    sizes = {str(dim): size for dim, size in ds["outcome"].sizes.items()}
    of_run = {str(name): item for name, item in ds.variables.items() if {*item.dims} <= {*sizes}}
    if RECORD in ds:
        motion = ds.variables[RECORD].load()
        of_motion = {str(name): item for name, item in ds.variables.items() if item.dims == (MOTION,)}
        of_run |= {name: item.load()[motion] for name, item in of_motion.items()}
    for name in variables or ():
        if name not in of_run:
            known = ", ".join(of_run)
            raise DatasetError(f"the dataset has no variable {name!r} of every run; it has {known}")
    wanted = dict.fromkeys([*sizes, *(of_run if variables is None else variables)])
    of_run |= {dim: xr.Variable(dim, np.arange(size)) for dim, size in sizes.items() if dim not in of_run}
    there = (ds["outcome"] != Outcome.NOT_RUN).values
    whole = {name: of_run[name].set_dims(sizes) for name in wanted}  # type: ignore[no-untyped-call]
    return pd.DataFrame({name: _column(item.transpose(*sizes), there) for name, item in whole.items()})


def _column(variable: xr.Variable, there: np.ndarray) -> np.ndarray | pd.Categorical:
    """Values of the runs that are there; codes as categories, where the attributes name them."""
    import pandas as pd

    values = variable.values[there]
    if "flag_meanings" not in variable.attrs:
        return values
    flags: np.ndarray = np.atleast_1d(variable.attrs["flag_values"])
    words, order = str(variable.attrs["flag_meanings"]).split(), np.argsort(flags)
    return pd.Categorical.from_codes(np.searchsorted(flags[order], values), [words[i] for i in order])


TAKEN = "{path} exists already; replace it with --overwrite or choose another output"


def save_zarr(ds: xr.Dataset, path: str | Path, *, overwrite: bool = False) -> None:
    """Write a dataset to a folder in the format Zarr 3, each chunk with a checksum (CRC-32C).

    Any library for Zarr reads it, `mcrock.load_dataset` too; `mcrock run` cannot continue it.

    Parameters
    ----------
    ds : Dataset
        From `load_dataset`. What it has not read yet is read and written in slices of realizations.
    path : str or Path
        Folder to write. It is written under a temporary name next to it and then renamed.
    overwrite : bool
        Replace such a copy (and nothing else).

    Raises
    ------
    DatasetError, StoreError
        If the output is refused.
    OSError
        If it cannot be written.
    """
    from zarr.codecs import Crc32cCodec, ZstdCodec
    from zarr.errors import ZarrUserWarning

    path = Path(path)
    check_new_store(path)
    if path.exists() and not overwrite:
        raise DatasetError(TAKEN.format(path=path))
    if path.exists() and not is_copy(path):
        raise DatasetError(f"{path} exists and was not written by mcrock export; choose another output")
    how = {"compressors": [ZstdCodec(level=1), Crc32cCodec()]}
    numbers = [name for name, array in ds.variables.items() if array.dtype.kind in "fiu"]
    names = {
        name: array.astype(object) for name, array in ds.variables.items() if array.dtype.kind == "U"
    }  # which the format has of any length alone
    chunks = {dim: min(size, AT_ONCE.get(str(dim), size)) for dim, size in ds.sizes.items()}
    scratch = scratch_name(path)
    try:
        with warnings.catch_warnings():
            # xarray expects consolidated metadata, which the specification does not have yet
            warnings.filterwarnings("ignore", "Consolidated metadata", ZarrUserWarning)
            ds.drop_encoding().chunk(chunks).assign(names).to_zarr(
                scratch, zarr_format=3, consolidated=True, encoding=dict.fromkeys(numbers, how)
            )
        if not put_in_place(scratch, path, replace=overwrite):
            raise DatasetError(TAKEN.format(path=path))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def save_table(ds: xr.Dataset, path: str | Path, *, overwrite: bool = False) -> None:
    """Write the table of `to_frame` to a Parquet file: a row for each run, units with the columns.

    Parameters
    ----------
    ds : Dataset
        From `load_dataset`. It is read and written in slices of realizations.
    path : str or Path
        File to write. It is written under a temporary name next to it and then renamed.
    overwrite : bool
        Replace an existing file.

    Raises
    ------
    DatasetError
        If the output is refused.
    OSError
        If it cannot be written.
    ValueError
        If pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise ValueError("a table in Parquet needs pyarrow: pip install 'mcrock[parquet]'") from error

    path = Path(path)
    check_new_store(path)
    if path.exists() and not overwrite:
        raise DatasetError(TAKEN.format(path=path))
    schema: Any = None
    with replacing(path) as scratch:
        writer = None
        for frame in _slices(ds):
            table = pa.Table.from_pandas(frame, schema, preserve_index=False)
            if writer is None:
                fields = [field.with_metadata(_units(ds, field.name)) for field in table.schema]
                schema = pa.schema(fields, metadata=table.schema.metadata)
                writer = pq.ParquetWriter(scratch, schema, compression="zstd")
            writer.write_table(table.cast(schema))
        assert writer is not None  # a dataset has realizations
        writer.close()


def _slices(ds: xr.Dataset) -> Iterator[pd.DataFrame]:
    """Tables of some runs each, numbered and in the order of the whole."""
    dims = [dim for dim in AT_ONCE if dim in ds.sizes]
    numbered = ds.assign_coords({dim: range(ds.sizes[dim]) for dim in dims})
    for starts in product(*(range(0, ds.sizes[dim], AT_ONCE[dim]) for dim in dims)):
        part = {dim: slice(start, start + AT_ONCE[dim]) for dim, start in zip(dims, starts, strict=True)}
        yield to_frame(numbered.isel(part))


def _units(ds: xr.Dataset, name: str) -> dict[str, str]:
    """Units and long name of a column, where its variable has them."""
    attributes = ds[name].attrs if name in ds.variables else {}
    return {key: str(attributes[key]) for key in ("units", "long_name") if key in attributes}
