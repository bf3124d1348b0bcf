"""Contents of a store: its files and their arrays. Which of them are there, `mcrock.dataset.inventory` tells.

A store is a zarr group cut into zip archives (`mcrock.dataset.archive`): ``study.zip`` has the metadata and
what is known before any run, ``chunks/3.zip`` the chunk 3 of realizations of every variable. A chunk is
computed if its file is there: it appears whole or not at all. The record in a file says of which study and
which chunk it is, so that a file in the place of another one is noticed. Where the same realizations meet
several outer draws, arrays have a leading dimension `outer`, and files are called
``chunks/0-3.zip``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcrock.dataset.archive import DamageError, ForeignError, explaining, read_archive
from mcrock.dataset.schema import DatasetError, declaration

FORMAT = 2  # the first one was that of development: a file for each variable and chunk
STUDY = "study.zip"
README = "README.txt"
EXPLANATION = """\
This folder is a store of mcrock: the runs of a study of overturning, in study.zip and chunks.

Read it with `mcrock stats FOLDER` or, in Python where mcrock is installed, xarray.open_dataset("FOLDER").
`mcrock export FOLDER -o FILE.nc` writes one NetCDF file for other programs. Change nothing in here: what
was touched is refused.
"""
CHUNKS = "chunks"
MARKS = "chunk_done"  # array on the chunks
LEVELS = "intensity/c/0"  # member of every file: the intensities of its runs
CHUNK_FILE = r"(0|[1-9]\d*)(-(0|[1-9]\d*))*\.zip"

Key = tuple[int, ...]  # of a chunk: its number, behind that of the outer draw if there is one


class Template(NamedTuple):
    """Contents of ``study.zip``: all of a store but its runs."""

    study: str  # digest of what a chunk must have in common with the study to belong to it
    members: dict[str, bytes]
    arrays: dict[str, dict[str, Any]]  # zarr metadata by name

    @classmethod
    def of(cls, study: str, members: dict[str, bytes]) -> Template:
        """A template of what its file holds."""
        names = [name.removesuffix("/zarr.json") for name in members if name.endswith("/zarr.json")]
        return cls(study, members, {name: json.loads(members[f"{name}/zarr.json"]) for name in names})

    @property
    def attributes(self) -> dict[str, Any]:
        """Global attributes."""
        return dict(json.loads(self.members["zarr.json"])["attributes"])

    @property
    def grid(self) -> tuple[int, ...]:
        """Number of chunks, behind that of outer draws if there are some."""
        return tuple(self.arrays[MARKS]["shape"])

    @property
    def n_outer(self) -> int | None:
        """Number of outer draws, where arrays have a dimension of them."""
        return self.grid[0] if len(self.grid) > 1 else None

    @property
    def length(self) -> int:
        """Realizations of a chunk."""
        return int(self.chunk_shape("outcome")[len(self.grid) - 1])

    @property
    def n_realizations(self) -> int:
        return int(self.arrays["outcome"]["shape"][len(self.grid) - 1])

    @property
    def levels(self) -> dict[str, bytes]:
        """Members that hold the intensities; none of a cloud study."""
        return {name: content for name, content in self.members.items() if name == LEVELS}

    @property
    def intensities(self) -> tuple[float, ...]:
        """Intensities of every realization; none of a cloud study."""
        return decode_levels(self.members)

    @property
    def chunked(self) -> list[str]:
        """Arrays that chunk files hold, but for the marks."""
        return [name for name, node in self.arrays.items() if "realization" in node["dimension_names"]]

    def chunk_shape(self, name: str) -> tuple[int, ...]:
        return tuple(self.arrays[name]["chunk_grid"]["configuration"]["chunk_shape"])

    def empty_chunk(self, name: str) -> NDArray[Any]:
        """A chunk of an array without runs, less the dimension of outer draws."""
        dtype = declaration(name).dtype
        return np.full(self.chunk_shape(name)[len(self.grid) - 1 :], filler(dtype), dtype)

    def chunks(self) -> Iterator[Key]:
        """All chunks, in order."""
        return product(*map(range, self.grid))

    def realizations(self, key: Key) -> tuple[int, int]:
        """First realization of a chunk, and the one after its last."""
        start = key[-1] * self.length
        return start, min(start + self.length, self.n_realizations)

    def record(self, key: Key) -> dict[str, Any]:
        """Record of the file of a chunk."""
        levels = hashlib.blake2b(b"".join(self.levels.values()), digest_size=16).hexdigest()
        realizations = list(self.realizations(key))
        place = {"format": FORMAT, "study": self.study, "chunk": list(key), "length": self.length}
        return {**place, "realizations": realizations, "levels": levels}


def filler(dtype: str) -> float:
    """Value that stands for a missing one."""
    return np.nan if dtype.startswith("f") else 0


def study_record(study: str) -> dict[str, Any]:
    """Record of ``study.zip``."""
    return {"format": FORMAT, "study": study}


def chunk_path(path: Path, key: Key) -> Path:
    """File of a chunk."""
    return path / CHUNKS / chunk_name(key)


def chunk_name(key: Key) -> str:
    """Name of the file of a chunk."""
    return f"{'-'.join(map(str, key))}.zip"


def read_template(path: Path) -> Template:
    """Contents of ``study.zip`` of the store ``path``, every byte of it checked.

    Raises
    ------
    DamageError
        If the file is missing or not as it was written; `ForeignError` if something else is in its place.
    DatasetError
        If a version of mcrock has written it that knows another format, or a program with another byte order.
    """
    try:
        record, members = read_archive(path / STUDY)
    except IsADirectoryError:
        raise foreign_study(path, "a folder") from None
    except FileNotFoundError:
        raise DamageError(_no_study(path, "is missing")) from None
    except DamageError:
        raise DamageError(_no_study(path, "is not as it was written")) from None
    refuse_newer(path / STUDY, record)
    if record.get("format") != FORMAT:
        raise foreign_study(path, f"of the format {record.get('format')}")
    if "chunk" in record:
        raise foreign_study(path, f"chunk {record['chunk']}")
    try:
        with explaining():
            template = Template.of(str(record["study"]), members)
            json.loads(template.attributes["config"])
            template.record(next(template.chunks()))
            is_ours = all(map(_is_little_endian, template.arrays.values()))
    except DamageError:
        raise foreign_study(path, "no study that can be decoded") from None
    if not is_ours:
        raise DatasetError(
            f"{path} declares arrays in another byte order than mcrock writes: open it with what wrote it"
        )
    return template


def refuse_newer(file: Path, record: Mapping[str, Any]) -> None:
    """Refuse a whole file of a later version of mcrock: nobody here knows what it would lose.

    Raises
    ------
    DatasetError
        If its record says so.
    """
    found = record.get("format")
    if isinstance(found, int) and found > FORMAT:
        raise DatasetError(
            f"{file} was written by a newer mcrock, in the format {found}, and this one knows {FORMAT}: use "
            "the version that wrote it"
        )


def _is_little_endian(array: Mapping[str, Any]) -> bool:
    """Whether an array, by its zarr metadata, has the byte order of `encode`."""
    codecs = array.get("codecs", ())
    return all(codec.get("configuration", {}).get("endian", "little") == "little" for codec in codecs)


def _no_study(path: Path, state: str) -> str:
    return (
        f"{path} is damaged: {STUDY} {state}; run the command that made the store once more with --resume, "
        "which writes it again and keeps the runs, as `mcrock verify --repair` does if the log is next to "
        "the store"
    )


def foreign_study(path: Path, what: str) -> ForeignError:
    """The error that says what is in the place of ``study.zip``, and what to do."""
    return ForeignError(
        f"{path} is damaged: {STUDY} is {what}; `mcrock verify {path} --repair --force` sets it aside and "
        "writes the study that the log next to the store has"
    )


def encode(array: NDArray[Any]) -> bytes:
    """A chunk as zarr has it: little-endian, in C order, compressed by Zstandard."""
    from numcodecs.zstd import Zstd

    return bytes(Zstd(level=0).encode(np.ascontiguousarray(array, array.dtype.newbyteorder("<"))))


def decode(content: bytes, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """An array of what `encode` made of it."""
    from numcodecs.zstd import Zstd

    with explaining():
        return np.frombuffer(Zstd().decode(content), np.dtype(dtype).newbyteorder("<")).reshape(shape)


def decode_levels(members: Mapping[str, bytes]) -> tuple[float, ...]:
    """Intensities of the runs of a file; none of a cloud study."""
    return tuple(decode(members[LEVELS], "f8", (-1,)).tolist()) if LEVELS in members else ()
