"""The runs of a study on disk: a template without any, filled chunk by chunk.

A process may be killed at any moment: a chunk is one file, written under a temporary name and renamed when
it is on disk, so that it is there whole or not at all, and no process touches the file of another one. What
is missing or damaged is computed again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache, partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
import zarr
from numcodecs.zstd import Zstd
from numpy.typing import NDArray
from zarr.codecs import ZstdCodec
from zarr.storage import MemoryStore

from mcrock.dataset.contents import (
    MARKS,
    ForeignError,
    Key,
    Known,
    State,
    Template,
    chunk_path,
    damage,
    decode,
    decode_levels,
    encode,
    filler,
    read_archive,
    read_member,
    read_template,
    take_inventory,
    write_archive,
)
from mcrock.dataset.create import check_same_study
from mcrock.dataset.reading import open_lazily
from mcrock.dataset.schema import OUTER, OUTPUT, DamageError, attributes, declaration

MAX_CHUNKS = 16_384
LONG = 32_768  # runs of a chunk past which there are more chunks: about a minute of work
KEPT = 2**28  # bytes of what was read of a store that is open


def chunk_length(n_realizations: int, n_intensity: int, n_outer: int = 1) -> int:
    """Realizations per chunk [1]: fixed by the size of the study alone.

    The number of chunks grows as the power 0.4 of the number of runs: a chunk is half a second of work in a
    study of 10,000 runs, seconds in one of a million. No chunk has more runs than `LONG` until a study has
    `MAX_CHUNKS`; there are no more than that, or one for each epistemic draw.

    >>> chunk_length(440, 10), chunk_length(10**8, 1), chunk_length(440, 10, 8)
    (20, 32766, 74)
    """
    n_runs = n_outer * n_realizations * n_intensity
    n_chunks = min(MAX_CHUNKS, max(round(0.75 * n_runs**0.4), -(-n_runs // LONG)))
    return -(-n_realizations // max(1, n_chunks // n_outer))


def make_template(
    study: str,
    header: xr.Dataset,
    variables: Iterable[str],
    n_realizations: int,
    measure: tuple[str, str],
    *,
    length: int | None = None,
    n_outer: int | None = None,
    own: Mapping[str, Mapping[str, str]] | None = None,
) -> Template:
    """Contents of a store before any run.

    Parameters
    ----------
    study : str
        Digest of what makes it the study it is.
    header : Dataset
        What is known beforehand: `intensity` (unless it is a cloud study), the motions, the attributes.
    variables : iterable of str
        Names of the variables on `realization`: inputs, then outputs.
    n_realizations : int
        Size of `realization`.
    measure : tuple of str
        Units and long name of the intensity measure.
    length : int, optional
        Realizations of a chunk, by default `chunk_length`.
    n_outer : int, optional
        Size of a leading dimension `outer` of all that has `realization`.
    own : mapping of str to mapping, optional
        Further variables, by name with their attributes: responses by functions of the user.
    """
    is_cloud = "intensity" not in header.dims
    n_intensity = header.sizes.get("intensity", 1)
    length = length or chunk_length(n_realizations, n_intensity, n_outer or 1)
    contents: dict[str, Any] = {}
    # one chunk that `decode` reads
    as_one = {} if is_cloud else {"intensity": {"chunks": (n_intensity,), "compressors": ZstdCodec(level=0)}}
    header.to_zarr(
        MemoryStore(contents), consolidated=False, zarr_format=3, write_empty_chunks=True, encoding=as_one
    )
    members = {name: stored.to_bytes() for name, stored in contents.items()}
    own = own or {}
    for name in [*variables, *own, MARKS]:
        variable = declaration(name)
        dims = variable.dims[:1] if is_cloud and variable.dims == OUTPUT else variable.dims
        shape: tuple[int, ...] = (n_realizations, n_intensity)
        chunks: tuple[int, ...] = (length, n_intensity)
        if name == MARKS:
            shape, chunks = (-(-n_realizations // length),), (1,)
        shape, chunks = shape[: len(dims)], chunks[: len(dims)]
        if n_outer is not None:
            dims, shape, chunks = (OUTER, *dims), (n_outer, *shape), (1, *chunks)
        of_array = _empty_array(name, shape, chunks, dims, measure, tuple(own.get(name, {}).items()))
        members[f"{name}/zarr.json"] = of_array
    return Template.of(study, {name: members[name] for name in sorted(members)})


@lru_cache(maxsize=256)  # objects of a collection have the same ones, and zarr takes a millisecond for each
def _empty_array(
    name: str,
    shape: tuple[int, ...],
    chunks: tuple[int, ...],
    dims: tuple[str, ...],
    measure: tuple[str, str],
    own: tuple[tuple[str, str], ...],
) -> bytes:
    """What a store says of an array without chunks."""
    contents: dict[str, Any] = {}
    variable = declaration(name)
    zarr.create_group(MemoryStore(contents)).create_array(
        name,
        shape=shape,
        chunks=chunks,
        dtype=variable.dtype,
        compressors=ZstdCodec(level=0),  # as `encode`
        fill_value=filler(variable.dtype),
        dimension_names=dims,
        attributes=attributes(name, *measure) | dict(own),
    )
    return bytes(contents[f"{name}/zarr.json"].to_bytes())


def write_part(
    path: Path,
    start: int,
    values: Mapping[str, np.ndarray],
    attrs: Mapping[str, Any],
    outer: int | None = None,
) -> None:
    """Write the realizations from `start` on, each chunk whole or not at all.

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
    outer : int, optional
        Which epistemic draw, where the store has some.

    Raises
    ------
    StoreError
        If the store was removed or replaced by that of another study.
    ValueError
        If the part does not consist of whole chunks or lacks a variable.
    OSError
        If it cannot be written; its chunks are then not there.
    """
    template = check_same_study(path, attrs)
    length, n_realizations = template.length, template.n_realizations
    stop = start + len(values["outcome"])
    if start % length or (stop % length and stop != n_realizations) or stop > n_realizations:
        raise ValueError(f"part {start}:{stop} is not made of whole chunks of {length} realizations")
    if values.keys() != set(template.chunked):
        names = ", ".join(sorted(set(template.chunked) ^ values.keys()))
        raise ValueError(f"part {start}:{stop} does not have the variables of the store: {names}")
    lead = () if outer is None else (outer,)
    for chunk in range(start // length, -(-stop // length)):
        key = (*lead, chunk)
        first, last = (end - start for end in template.realizations(key))
        pieces = {name: array[first:last] for name, array in values.items()}
        write_chunk(path, template, key, pieces)


def write_chunk(path: Path, template: Template, key: Key, values: Mapping[str, np.ndarray]) -> None:
    """Write one chunk of all variables."""
    place = "/".join(map(str, key))
    members = template.levels
    members[f"{MARKS}/c/{place}"] = encode(np.ones(1, "u1"))
    for name in template.chunked:
        chunk = template.empty_chunk(name)
        chunk[: len(values[name])] = values[name].reshape(-1, *chunk.shape[1:])
        members[f"{name}/c/{place}{'/0' * (chunk.ndim - 1)}"] = encode(chunk)
    write_archive(chunk_path(path, key), members, template.record(key), path)


def open_store(path: Path, chunks: dict[str, int] | None = None) -> xr.Dataset:
    """Dataset of a store, read from disk when it is used, with runs missing where chunks are.

    Raises
    ------
    DamageError
        If a file is damaged: at once where a look at its end shows it, else when it is read.
    """
    template = read_template(path)
    found = take_inventory(path, template)
    found.strays[:] = [name for name in found.strays if name.endswith(".zip")]  # what may be runs
    if error := found.error(path, template):
        raise error
    members: Any = _Members(path, template, found.states)
    source = MemoryStore(members, read_only=True)
    rows = {name: partial(members.rows, name) for name in template.chunked}
    how = {"consolidated": False, "zarr_format": 3, "rows": rows}
    return open_lazily(source, "zarr", partial(_undecodable, path), chunks, **how)


def _undecodable(path: Path, name: str) -> str:
    return f"{path} is damaged: {name} cannot be decoded; `mcrock verify {path}` checks every byte"


class _Members(Mapping[str, Any]):
    """A store as zarr reads it: contents by their names, checked when they are read.

    What is done is that of the moment of opening, so that a study at work reads as one state.
    """

    def __init__(self, path: Path, template: Template, states: NDArray[np.int8]) -> None:
        self.path, self.template, self.states = path, template, states
        self.names = set(template.chunked)
        self.members = template.members | _marks(template, states)
        self.known = Known(self._record, {})
        self.kept: dict[str, bytes] = {}
        self.room = KEPT

    def __getitem__(self, name: str) -> Any:
        from zarr.buffer.cpu import Buffer

        return Buffer.from_bytes(self._read(name))

    def rows(self, name: str, *cuts: slice) -> NDArray[Any]:
        """A part of an array: zarr takes four times as long for the many chunks."""
        shape, size = self.template.arrays[name]["shape"], self.template.chunk_shape(name)
        ends = [cut.indices(length)[:2] for cut, length in zip(cuts, shape, strict=True)]
        grid = [range(a // step, -(-b // step)) for (a, b), step in zip(ends, size, strict=True)]
        dtype, padded = declaration(name).dtype, [len(at) * step for at, step in zip(grid, size, strict=True)]
        stored, whole = np.dtype(dtype).newbyteorder("<"), np.full(padded, filler(dtype), dtype)
        for place in product(*grid):
            with suppress(KeyError):  # of what is not there
                content = self._read(f"{name}/c/{'/'.join(map(str, place))}")
                into = ((i - places.start) * step for i, places, step in zip(place, grid, size, strict=True))
                target = tuple(slice(start, start + step) for start, step in zip(into, size, strict=True))
                whole[target] = np.frombuffer(Zstd().decode(content), stored).reshape(size)
        first = (places.start * step for places, step in zip(grid, size, strict=True))
        return whole[tuple(slice(a - i, b - i) for (a, b), i in zip(ends, first, strict=True))]

    def _read(self, name: str) -> bytes:
        """Content by its name; what statistics read again and again stays as it is packed, up to `KEPT`."""
        content = self.kept.get(name)
        if content is None:
            content = self._from_disk(name)
            if len(content) <= self.room:
                self.kept[name] = content
                self.room -= len(content)
        return content

    def _from_disk(self, name: str) -> bytes:
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
            return read_member(file, name, self.known)
        except FileNotFoundError:
            raise damage(self.path, file.name, "gone") from None
        except ForeignError as error:
            what = f"{file.parent.name}/{file.name} is {error}"
            raise ForeignError(f"{self.path} was written anew: {what}; open it again") from None
        except DamageError as error:
            raise damage(self.path, file.name, str(error)) from None

    def _record(self, file: Path) -> dict[str, Any]:
        return self.template.record(tuple(map(int, file.stem.split("-"))))

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
