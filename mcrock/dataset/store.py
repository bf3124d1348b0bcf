"""The result of a study on disk: one flat zarr store that opens as a dataset, filled chunk by chunk.

A missing chunk of a zarr array reads as its fill value, so that the presence of data proves nothing.
What is finished is said by `chunk_done` alone: one element per chunk of realizations, written after
every variable of the chunk. A process may be killed at any moment: whatever has no mark is computed
again. Every chunk is written, also one that holds fill values alone, so that a file which is lost
later is noticed: a chunk counts as done if it has its mark and all its files. Zarr writes each chunk
file under a temporary name and renames it, so parts that hold whole chunks never touch each other's
files.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import uuid
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
import zarr

from mcrock.dataset import (
    FILES,
    OUTPUT,
    attributes,
    declaration,
    is_declared,
    is_store,
    missing_files,
    read_attributes,
    read_marks,
)
from mcrock.interrupt import hold_interruptions

MAX_CHUNKS = 2048


class StoreError(ValueError):
    """The output is something else than the store that is wanted there."""


def chunk_length(n_realizations: int, n_intensity: int) -> int:
    """Realizations per chunk [1]: fixed by the size of the study alone.

    The number of chunks grows as the power 0.4 of the number of runs: a chunk, which takes 0.05 s to
    write, is half a second of work in a study of 10,000 runs, seconds in one of a million, and a large
    study has no more than `MAX_CHUNKS` files per variable.

    >>> chunk_length(440, 10), chunk_length(10**8, 1)
    (20, 84105)
    """
    n_runs = n_realizations * n_intensity
    n_chunks = min(MAX_CHUNKS, max(1, round(0.75 * n_runs**0.4)))
    return -(-n_realizations // n_chunks)


def create_store(
    path: Path,
    header: xr.Dataset,
    variables: Iterable[str],
    n_realizations: int,
    measure: tuple[str, str],
    *,
    replace: bool = False,
) -> bool:
    """Put a store without any run in place, whole or not at all.

    Parameters
    ----------
    path : Path
        Folder of the store.
    header : Dataset
        What is known beforehand: `intensity` (unless it is a cloud study), the motions, the attributes.
    variables : iterable of str
        Names of the variables on `realization`: inputs, then outputs.
    n_realizations : int
        Size of `realization`.
    measure : tuple of str
        Units and long name of the intensity measure.
    replace : bool
        Take the place of a store that is there: it is deleted when the new one is in its place, so that an
        interruption leaves the one or the other, whole. `remove_leftovers` ends a deletion that was
        interrupted.

    Returns
    -------
    bool
        False if another process was quicker: the store that is there stays.

    Raises
    ------
    StoreError
        If the folder to put it in does not exist, or what would be replaced is not a store.
    OSError
        If it cannot be written.
    """
    check_folder(path)
    scratch = path.with_name(f".{path.name}.{uuid.uuid4().hex}.new")
    try:
        with hold_interruptions():  # or zarr's own thread would still write what is deleted below
            _write_template(scratch, header, variables, n_realizations, measure)
        if replace and path.exists():
            if not _exchange(scratch, path):
                return False
        else:
            try:
                os.rename(scratch, path)
            except OSError:
                if path.exists():
                    return False
                raise
        remove_leftovers(path)
        return True
    except OSError as error:  # the temporary name would say nothing to the reader
        raise OSError(error.errno, error.strerror or str(error), str(path.parent)) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def check_folder(path: Path) -> None:
    """Raise `StoreError` if the folder that a store is to be put in does not exist."""
    if not path.parent.is_dir():
        raise StoreError(f"{path}: the folder {path.parent} does not exist")


def _write_template(
    path: Path, header: xr.Dataset, variables: Iterable[str], n_realizations: int, measure: tuple[str, str]
) -> None:
    header.to_zarr(path, mode="w-", consolidated=False, zarr_format=3, write_empty_chunks=True)
    names = [*variables, "chunk_done"]
    _create_arrays(path, names, [*map(str, header.variables), *names], header, n_realizations, measure)


def _create_arrays(
    path: Path,
    names: Iterable[str],
    every_name: Iterable[str],
    header: xr.Dataset,
    n_realizations: int,
    measure: tuple[str, str],
) -> None:
    """Make arrays without any run; `every_name` lists all arrays of the store."""
    is_cloud = "intensity" not in header.dims
    n_intensity = header.sizes.get("intensity", 1)
    length = chunk_length(n_realizations, n_intensity)
    group = zarr.open_group(path, mode="r+")
    for name in names:
        variable = declaration(name)
        dims = variable.dims[:1] if is_cloud and variable.dims == OUTPUT else variable.dims
        shape, chunks = (n_realizations, n_intensity)[: len(dims)], (length, n_intensity)[: len(dims)]
        attrs = attributes(name, *measure)
        if name == "chunk_done":
            attrs[FILES] = " ".join(every_name)
            shape, chunks = (-(-n_realizations // length),), (1,)
        group.create_array(
            name,
            shape=shape,
            chunks=chunks,
            dtype=variable.dtype,
            fill_value=np.nan if variable.dtype.startswith("f") else 0,
            dimension_names=dims,
            attributes=attrs,
        )


def repair_store(
    path: Path, header: xr.Dataset, variables: Iterable[str], n_realizations: int, measure: tuple[str, str]
) -> None:
    """Put back what `create_store` wrote and is missing; the arguments are the same.

    Arrays on `realization` come back empty, so that their chunks are not done.
    """
    names = [*variables, "chunk_done"]
    every_name = [*map(str, header.variables), *names]
    nothing = np.zeros(
        -(-n_realizations // chunk_length(n_realizations, header.sizes.get("intensity", 1))), bool
    )
    lost = {name for name, _ in missing_files(path, every_name, nothing)}
    for name in lost:
        shutil.rmtree(path / name, ignore_errors=True)
    known = [name for name in header.variables if name in lost]
    if known:
        header[known].to_zarr(path, mode="a", consolidated=False, zarr_format=3, write_empty_chunks=True)
    _create_arrays(
        path, [name for name in names if name in lost], every_name, header, n_realizations, measure
    )


def _exchange(new: Path, path: Path) -> bool:
    """Put the store `new` where the store `path` is, which is moved aside; False if another was quicker."""
    check_removable(path)
    aside = _name_aside(path)
    with hold_interruptions():
        os.rename(path, aside)
        try:
            os.rename(new, path)
        except OSError:
            if path.exists():
                return False
            os.rename(aside, path)
            raise
    return True


def _name_aside(path: Path) -> Path:
    """Name of a store that is being deleted: nobody takes it for a result."""
    return path.with_name(f".{path.name}.{uuid.uuid4().hex}.old")


def leftovers(path: Path) -> list[Path]:
    """What remains of stores that `path` has replaced, where their deletion was interrupted."""
    name = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{32}}\.old")
    try:
        return sorted(entry for entry in path.parent.iterdir() if name.fullmatch(entry.name))
    except OSError:  # the folder cannot be listed
        return []


def remove_leftovers(path: Path) -> None:
    """Delete `leftovers`, as far as they hold nothing but files of mcrock, if the store `path` exists."""
    for folder in leftovers(path) if is_store(path) else []:
        with suppress(OSError):  # another process may be quicker
            if not _foreign_names(folder):
                shutil.rmtree(folder, ignore_errors=True)


def check_removable(path: Path) -> None:
    """Raise `StoreError` unless `path` is a store of mcrock and holds nothing else."""
    if path.is_symlink() or not is_store(path):
        raise StoreError(f"{path} is not a store of mcrock and is left alone; choose another output")
    foreign = _foreign_names(path)
    if foreign:
        raise StoreError(f"{path} holds files that are not mcrock's and is left alone: {', '.join(foreign)}")


def _foreign_names(path: Path) -> list[str]:
    """Names in the folder of a store that mcrock does not give."""
    names = {entry.name for entry in path.iterdir()} - {"zarr.json"}
    return sorted(name for name in names if not is_declared(name))


def check_same_study(path: Path, attrs: Mapping[str, Any]) -> None:
    """Raise `StoreError` unless the store holds the study with the global attributes `attrs`."""
    found = read_attributes(path)
    if not is_store(path) or found is None:
        what = "is not a store of mcrock" if path.exists() else "is gone"
        raise StoreError(f"{path} {what}")
    if found == dict(attrs):
        return
    try:
        config = json.loads(found["config"])
    except (TypeError, ValueError):
        raise StoreError(
            f"{path} is damaged: its attribute 'config' is not JSON, so that its study is unknown. Choose "
            "another output, or replace it (--overwrite, in Python overwrite=True)"
        ) from None
    differing = _differing_keys(config, json.loads(attrs["config"]))
    differing = differing or _differing_keys(found, dict(attrs))
    raise StoreError(
        f"{path} holds another study, which differs in {'; '.join(differing)}. Choose another output, "
        "or replace it (--overwrite, in Python overwrite=True)"
    )


def _differing_keys(old: Any, new: Any, prefix: str = "") -> list[str]:
    """Dotted keys, with both values, in which two configs differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        keys = sorted({*old, *new})
        return [line for k in keys for line in _differing_keys(old.get(k), new.get(k), f"{prefix}{k}.")]
    return [] if old == new else [f"{prefix[:-1]} (stored {json.dumps(old)}, wanted {json.dumps(new)})"]


def chunks_done(path: Path) -> np.ndarray:
    """Which chunks are finished: they have their mark and all their files: bool (n_chunk,).

    Raises
    ------
    OSError
        If the marks cannot be read.
    """
    done = read_marks(path)
    names = (read_attributes(path / "chunk_done") or {}).get(FILES, "").split()
    for name, index in missing_files(path, names, done):
        if declaration(name).dims[0] == "realization":
            done[slice(None) if index is None else index[0]] = False
    return done


def write_part(path: Path, start: int, values: Mapping[str, np.ndarray], attrs: Mapping[str, Any]) -> None:
    """Write the realizations from `start` on, and then mark their chunks as done.

    Parameters
    ----------
    path : Path
        The store.
    start : int
        First realization; first of a chunk.
    values : mapping of str to ndarray (n, ...)
        All variables on `realization`; ``start + n`` is the end of a chunk.
    attrs : mapping
        Global attributes of the study: the store must still be the one that was opened.

    Raises
    ------
    StoreError
        If the store was removed or replaced by that of another study.
    ValueError
        If the part does not consist of whole chunks or lacks a variable.
    OSError
        If it cannot be written; its chunks are then not marked.
    """
    check_same_study(path, attrs)
    group = zarr.open_group(path, mode="r+")
    arrays = {name: array for name, array in group.arrays() if declaration(name).dims[0] == "realization"}
    n_realizations, length = arrays["outcome"].shape[0], arrays["outcome"].chunks[0]
    stop = start + len(values["outcome"])
    if start % length or (stop % length and stop != n_realizations) or stop > n_realizations:
        raise ValueError(f"part {start}:{stop} is not made of whole chunks of {length} realizations")
    if arrays.keys() != values.keys():
        names = ", ".join(sorted(arrays.keys() ^ values.keys()))
        raise ValueError(f"part {start}:{stop} does not have the variables of the store: {names}")
    for name, array in arrays.items():
        array = array.with_config({"write_empty_chunks": True})
        array[start:stop] = values[name].reshape(stop - start, *array.shape[1:])
    check_same_study(path, attrs)
    zarr.open_array(path / "chunk_done", mode="r+")[start // length : -(-stop // length)] = 1
