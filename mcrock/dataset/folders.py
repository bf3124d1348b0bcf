"""Results in folders of plain zarr arrays: stores of the first format, and copies that xarray wrote.

They are read, not written. A chunk of a store of the first format counts as done by its mark in the array
`chunk_done`, and every chunk has a file, also one that holds fill values alone: so lost files are noticed,
damaged ones only where they cannot be decoded.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mcrock.dataset.archive import DamageError
from mcrock.dataset.schema import declaration

if TYPE_CHECKING:
    import xarray as xr

FILES = "variables"  # attribute of `chunk_done`: the arrays whose files its marks vouch for
ADVICE = "stores of this older format are not repaired: run the study again, into another output"


def is_folder_store(path: Path) -> bool:
    """Whether `path` is a store of the first format."""
    attrs = _read_attributes(path)
    return str(attrs.get("source", "")).startswith("mcrock ") and "config" in attrs


def is_copy(path: Path) -> bool:
    """Whether `path` is a copy in plain arrays, which vouches for no files, and not a store itself."""
    return is_folder_store(path) and FILES not in _read_attributes(path / "chunk_done")


def open_folder(path: Path, chunks: dict[str, int] | None = None) -> xr.Dataset:
    """Dataset of a folder of zarr arrays, read from disk when it is used.

    Raises
    ------
    DamageError
        If files of what is done are missing from a store, or cannot be decoded.
    """
    from mcrock.dataset.reading import open_lazily  # loads xarray

    if is_folder_store(path):
        _check_files(path)
    with _explained(path):
        # the format before this one may name codecs that unpickle, and so run code
        ds = open_lazily(path, "zarr", partial(_undecodable, path), chunks, consolidated=False, zarr_format=3)
    if "chunk_done" in ds:
        ds["chunk_done"].attrs.pop(FILES, None)
    return ds


def check_folder(path: Path) -> None:
    """Raise `DamageError` where a file of a store is missing or cannot be decoded."""
    _check_files(path)
    if _find_undecodable(path) is not None:
        raise DamageError(_undecodable(path, ""))


def _read_attributes(path: Path) -> dict[str, Any]:
    return dict((_read_node(path) or {}).get("attributes", {}))


def _read_node(path: Path) -> dict[str, Any] | None:
    try:
        node = json.loads((path / "zarr.json").read_text(encoding="utf-8"))
    except PermissionError:
        raise
    except (OSError, ValueError):
        return None
    return node if isinstance(node, dict) else None


def _check_files(path: Path) -> None:
    import zarr

    if _read_node(path / "chunk_done") is None:
        raise DamageError(f"{path} is damaged: the array 'chunk_done' is missing; {ADVICE}")
    names = _read_attributes(path / "chunk_done").get(FILES)
    if names is None:  # a copy that was written by xarray
        return
    with _explained(path):
        done = np.asarray(zarr.open_array(path / "chunk_done", mode="r")[:]) == 1
    lost = list(_missing_files(path, names.split(), done))
    if lost:
        more = f" (and {len(lost) - 1} more)" if len(lost) > 1 else ""
        raise DamageError(f"{path} is damaged: {lost[0]} is missing{more}; {ADVICE}")


def _missing_files(path: Path, names: Iterable[str], done: np.ndarray) -> Iterator[str]:
    """Files of arrays and chunks that should be on disk and are not, or are empty; no data are read."""
    for name in names:
        node: Any = _read_node(path / name)
        try:
            lengths = node["chunk_grid"]["configuration"]["chunk_shape"]
            counts = [-(-size // length) for size, length in zip(node["shape"], lengths, strict=True)]
        except (TypeError, KeyError, ValueError):
            yield f"{name}/zarr.json"
            continue
        if name == "chunk_done":  # a mark that is missing says that the chunk is not done
            continue
        is_marked = declaration(name).dims[0] == "realization"
        for index in product(*map(range, counts)):
            if is_marked and not done[index[0]]:
                continue
            file = _chunk_file(name, index)
            try:
                size = os.stat(path / file).st_size
            except (FileNotFoundError, NotADirectoryError):
                size = 0
            if not size:
                yield file


def _chunk_file(name: str, index: Iterable[int]) -> str:
    return "/".join([name, "c", *map(str, index)])


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Where opening the folder `path` fails, name the file that cannot be decoded.

    Raises
    ------
    DamageError
        In place of the error of the decoder.
    """
    try:
        yield
    except (OSError, MemoryError):
        raise
    except Exception as error:  # decoders raise what they like
        if _find_undecodable(path) is None:
            raise
        raise DamageError(_undecodable(path, "")) from error


def _undecodable(path: Path, name: str) -> str:
    return f"{path} is damaged: {_find_undecodable(path) or name} cannot be decoded; {ADVICE}"


def _find_undecodable(path: Path) -> str | None:
    import zarr

    for name in sorted(file.parent.name for file in path.glob("*/zarr.json")):
        try:
            array = zarr.open_array(path / name, mode="r")
        except ValueError:
            return f"{name}/zarr.json"
        for index in product(*map(range, array.cdata_shape)):
            try:
                array.blocks[index]
            except (OSError, MemoryError):
                raise
            except Exception:  # decoders raise what they like
                return _chunk_file(name, index)
    return None
