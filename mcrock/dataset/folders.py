"""Copies of results in folders of plain zarr arrays, from `mcrock export` or xarray: read, not continued."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcrock.dataset.archive import DamageError
from mcrock.dataset.schema import DatasetError

if TYPE_CHECKING:
    import xarray as xr

FIRST_FORMAT = "variables"  # attribute of `chunk_done` in stores of the first format
ADVICE = "copy the result again, or run the study again, into another output"


def is_copy(path: Path) -> bool:
    """Whether `path` is a copy of a result in plain arrays, and not a store."""
    attrs = _read_attributes(path)
    return str(attrs.get("source", "")).startswith("mcrock ") and "config" in attrs


def open_folder(path: Path, chunks: dict[str, int] | None = None) -> xr.Dataset:
    """Dataset of a folder of zarr arrays, read from disk when it is used.

    Raises
    ------
    DatasetError
        If it is a store of the first format, whose files nothing vouches for.
    DamageError
        If an array cannot be decoded.
    """
    from mcrock.dataset.reading import open_lazily  # loads xarray

    if FIRST_FORMAT in _read_attributes(path / "chunk_done"):
        raise DatasetError(
            f"{path} is a store of the first format, which is no longer read: run its study again, into "
            "another output"
        )
    with _explained(path):
        # the format before this one may name codecs that unpickle, and so run code
        how: dict[str, Any] = {"consolidated": False, "zarr_format": 3}
        return open_lazily(path, "zarr", partial(_undecodable, path), chunks, **how)


def check_copy(path: Path) -> None:
    """Raise `DamageError` where an array cannot be decoded."""
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
