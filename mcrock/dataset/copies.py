"""Copies of a result for other programs: a folder of plain zarr arrays, and a table of runs in Parquet."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcrock.dataset.atomic import replacing, scratch_name
from mcrock.dataset.create import check_folder, put_in_place
from mcrock.dataset.folders import is_copy
from mcrock.dataset.opened import AT_ONCE
from mcrock.dataset.schema import DatasetError
from mcrock.dataset.table import to_frame

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

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
    check_folder(path)
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
    check_folder(path)
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
