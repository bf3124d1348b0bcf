"""What of a store is on disk, and which of its files cannot be read."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from mcrock.dataset.schema import DatasetError, declaration


class DamageError(OSError):
    """A file of a store that cannot be decoded."""


FILES = "variables"  # attribute of `chunk_done` in a store: the arrays whose files its marks vouch for


def is_store(path: Path) -> bool:
    """Whether `path` is a store made by mcrock: the only thing that it ever replaces."""
    attrs = read_attributes(path)
    return attrs is not None and str(attrs.get("source", "")).startswith("mcrock ") and "config" in attrs


def read_attributes(path: Path) -> dict[str, Any] | None:
    """Attributes of a zarr group or array, None where there is none that can be read."""
    node = _read_node(path)
    return None if node is None else node.get("attributes", {})


def _read_node(path: Path) -> dict[str, Any] | None:
    try:
        node = json.loads((path / "zarr.json").read_text(encoding="utf-8"))
    except PermissionError:
        raise
    except (OSError, ValueError):
        return None
    return node if isinstance(node, dict) else None


def read_marks(path: Path) -> np.ndarray:
    """What `chunk_done` of a store says: bool (n_chunk,)."""
    import zarr

    with explained(path):
        return np.asarray(zarr.open_array(path / "chunk_done", mode="r")[:]) == 1


def missing_files(
    path: Path, names: Iterable[str], done: np.ndarray
) -> Iterator[tuple[str, tuple[int, ...] | None]]:
    """What should be on disk and is not; no data are read.

    Parameters
    ----------
    path : Path
        Store made by `mcrock.dataset.store`, which writes every chunk, also one that holds fill values alone.
    names : iterable of str
        Arrays that should be there.
    done : ndarray (n_chunk,)
        Chunks of realizations that should be there; the other arrays should be there whole.

    Yields
    ------
    str, tuple of int or None
        Array and index of a chunk whose file is missing or empty; None if the array itself is missing.
    """
    for name in names:
        node: Any = _read_node(path / name)
        try:
            lengths = node["chunk_grid"]["configuration"]["chunk_shape"]
            counts = [-(-size // length) for size, length in zip(node["shape"], lengths, strict=True)]
        except (TypeError, KeyError, ValueError):
            yield name, None
            continue
        if name == "chunk_done":  # a mark that is missing says that the chunk is not done
            continue
        is_marked = declaration(name).dims[0] == "realization"
        for index in product(*map(range, counts)):
            if is_marked and not done[index[0]]:
                continue
            try:
                size = os.stat(f"{path}/{chunk_file(name, index)}").st_size
            except (FileNotFoundError, NotADirectoryError):
                size = 0
            if not size:
                yield name, index


def chunk_file(name: str, index: Iterable[int]) -> str:
    """File of a chunk inside its store."""
    return "/".join([name, "c", *map(str, index)])


def check_files(path: Path) -> None:
    """Raise `DatasetError` where a store of mcrock lacks files of what is done."""
    if not is_store(path):
        return
    advice = "run the command that made the store once more with --resume"
    attrs = read_attributes(path / "chunk_done")
    if attrs is None:
        raise DatasetError(f"{path} is damaged: the array 'chunk_done' is missing; {advice}")
    if FILES not in attrs:  # a copy that was written by xarray
        return
    lost = list(missing_files(path, attrs[FILES].split(), read_marks(path)))
    if lost:
        name, index = lost[0]
        what = f"the array {name!r} is missing"
        if index is not None:
            what = f"the chunk {chunk_file(name, index)} of the array {name!r} is missing"
        more = f" (and {len(lost) - 1} more)" if len(lost) > 1 else ""
        raise DatasetError(f"{path} is damaged: {what}{more}; {advice}")


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Where reading the store `path` fails, name the file that cannot be decoded.

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
        file = _find_undecodable(path) if is_of_zarr(error) else None
        if file is None:
            raise
        raise DamageError(
            f"{path} is damaged: {file} cannot be decoded; remove that file and run the command that made "
            "the store once more with --resume"
        ) from error


def is_of_zarr(error: BaseException | None) -> bool:
    """Whether an error, or one that it came of, was raised inside zarr."""
    while error is not None:
        trace = error.__traceback__
        while trace is not None:
            if str(trace.tb_frame.f_globals.get("__name__")).startswith("zarr."):
                return True
            trace = trace.tb_next
        error = error.__cause__
    return False


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
                return chunk_file(name, index)
    return None
