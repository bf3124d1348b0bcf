"""A store read: as a dataset, from disk when it is used, and chunk by chunk."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from mcrock.dataset.archive import DamageError, read_archive, read_member
from mcrock.dataset.contents import (
    MARKS,
    Key,
    State,
    Template,
    chunk_path,
    damage,
    decode,
    decode_levels,
    encode,
    read_template,
    take_inventory,
)
from mcrock.dataset.schema import OUTPUT, declaration


def open_store(path: Path, chunks: dict[str, int] | None = None) -> xr.Dataset:
    """Dataset of a store, read from disk when it is used, with runs missing where chunks are.

    Raises
    ------
    DamageError
        If a file is damaged: at once where a look at its end shows it, else when it is read.
    """
    from zarr.storage import MemoryStore

    template = read_template(path)
    found = take_inventory(path, template)
    for key, what in found.damaged.items():
        raise damage(path, chunk_path(path, key).name, what)
    members: Any = _Members(path, template, found.states)
    return xr.open_zarr(MemoryStore(members, read_only=True), consolidated=False, chunks=chunks)


class _Members(Mapping[str, Any]):
    """A store as zarr reads it: contents by their names, checked when they are read.

    What is done is that of the moment of opening, so that a study at work reads as one state.
    """

    def __init__(self, path: Path, template: Template, states: NDArray[np.int8]) -> None:
        self.path, self.template, self.states = path, template, states
        self.names = set(template.chunked)
        self.members = template.members | _marks(template, states)

    def __getitem__(self, name: str) -> Any:
        from zarr.buffer.cpu import Buffer

        return Buffer.from_bytes(self._read(name))

    def _read(self, name: str) -> bytes:
        if name in self.members:
            return self.members[name]
        array, _, place = name.partition("/c/")
        if not place or array not in self.names:
            raise KeyError(name)
        key = tuple(map(int, place.split("/")))[: self.states.ndim]
        if self.states[key] == State.MISSING:
            raise KeyError(name)
        file = chunk_path(self.path, key)
        try:
            if self.states[key] == State.OLDER:
                return encode(self._older(array, key))
            return read_member(file, name)
        except FileNotFoundError:
            raise damage(self.path, file.name, "gone") from None
        except DamageError as error:
            raise damage(self.path, file.name, str(error)) from None

    def _older(self, array: str, key: Key) -> NDArray[Any]:
        """A chunk from before the store was extended, without the runs that are still to come."""
        runs, wanted = read_runs(self.path, self.template, key), self.template.intensities
        values, chunk = runs.values[array], self.template.empty_chunk(array)
        if values.ndim == 1:
            chunk[: len(values)] = values
        else:
            for i, level in enumerate(runs.intensities):
                if level in wanted:
                    chunk[: len(values), wanted.index(level)] = values[:, i]
        return chunk

    def __iter__(self) -> Iterator[str]:
        return iter(self.members)

    def __len__(self) -> int:
        return len(self.members)

    def __eq__(self, other: object) -> bool:  # that of a mapping would read everything
        return self is other

    def __hash__(self) -> int:
        return id(self)


def _marks(template: Template, states: NDArray[np.int8]) -> dict[str, bytes]:
    """The marks of all chunks as one chunk of zarr, which would read thousands one by one."""
    grid = {"name": "regular", "configuration": {"chunk_shape": states.shape}}
    node = {**template.arrays[MARKS], "chunk_grid": grid}
    marks = encode((states == State.WHOLE).astype("u1"))
    return {f"{MARKS}/zarr.json": json.dumps(node).encode(), f"{MARKS}/c{'/0' * states.ndim}": marks}


class ChunkRuns(NamedTuple):
    """Runs of a chunk, perhaps from before its store was extended."""

    intensities: tuple[float, ...]  # none of a cloud study
    values: dict[str, NDArray[Any]]  # (n, ...) variables on `realization`


def read_runs(path: Path, template: Template, key: Key) -> ChunkRuns:
    """All runs in the file of a chunk, every byte checked.

    Raises
    ------
    DamageError
        If it is not as it was written.
    FileNotFoundError
        If it is missing.
    """
    record, members = read_archive(chunk_path(path, key))
    start, stop = record["realizations"]
    intensities, place = decode_levels(members), "/".join(map(str, key))
    values = {}
    for name in template.chunked:
        variable = declaration(name)
        sizes, end = ((len(intensities),), "/0") if intensities and variable.dims == OUTPUT else ((), "")
        content = members[f"{name}/c/{place}{end}"]
        values[name] = decode(content, variable.dtype, (record["length"], *sizes))[: stop - start]
    return ChunkRuns(intensities, values)
