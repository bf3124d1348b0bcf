"""What a store holds: its files, and which of them are there, whole, older or damaged.

A store is a zarr group cut into zip archives: ``study.zip`` has the metadata and what is known before any
run, ``chunks/3.zip`` the chunk 3 of realizations of every variable. A chunk is computed if its file is there:
files are put in their place whole or not at all. Where the same realizations meet several epistemic draws,
arrays have a leading dimension `outer`, and files are called ``chunks/0-3.zip``.

The members of an archive are chunks and metadata of the group by their zarr names. They are not compressed
once more, so that any zip program takes the group out. The comment, the last thing in a zip archive, is a
record in JSON of what the file is, of which study and which chunk, so that a file in the place of another one
is noticed; and the BLAKE2b digest of every byte before it. A member that is read is checked by its CRC-32,
and the whole file by its digest when the first one is: what a file is can be read from its end alone.

Copies of results in folders of plain zarr arrays, from `mcrock export` or xarray, are read and not continued.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import math
import os
import re
import shutil
import socket
import struct
import tempfile
import time
import uuid
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import IntEnum
from functools import lru_cache, partial
from itertools import product
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcrock.dataset.schema import DamageError, DatasetError, declaration

if TYPE_CHECKING:
    import xarray as xr

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # what a full disk says, without the name of the file
FORGOTTEN = 86_400.0  # age at which what a process of another machine was writing counts as left [s]


def scratch_name(path: Path) -> Path:
    """A temporary name next to ``path`` that says which process writes there."""
    return path.with_name(f".{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex}.{path.name}")


def scratch_of(file: Path, store: Path) -> Path:
    """A temporary name for a file of a store: next to the store, in which nothing is ever half there."""
    home = store.resolve()  # on the same disk, where the store is a link
    return scratch_name(home.with_name(f"{home.name}.{file.name}"))


def abandoned(folder: Path, name: str, *, with_own: bool = False, patience: float = FORGOTTEN) -> list[Path]:
    """Files that ended processes have left in a folder under the scratch names of what fits a pattern.

    Of a process of this machine it is known whether it has ended; those of others are given up after a day,
    or another time. Those of this process count where it is about to end.
    """
    pattern = re.compile(rf"\.(.+)-(\d+)-[0-9a-f]{{32}}\.{name}")
    found = []
    for entry in sorted(folder.iterdir()) if folder.is_dir() else []:
        match = pattern.fullmatch(entry.name)
        if match is None:
            continue
        try:
            is_old = time.time() - entry.stat().st_mtime > patience
        except FileNotFoundError:
            continue
        process = int(match[2]) if match[1] == socket.gethostname() else None
        is_own = with_own and process == os.getpid()
        if is_old or is_own or (process is not None and has_ended(process)):
            found.append(entry)
    return found


def has_ended(process: int) -> bool:
    """Whether no process of this machine has a number; False where the system cannot be asked."""
    if os.name != "posix":
        return False
    try:
        os.kill(process, 0)  # sends nothing
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    return False


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder for temporary files of this process; what ended ones have left of theirs is deleted."""
    home = Path(tempfile.gettempdir())
    with suppress(OSError):
        for left in abandoned(home, "mcrock", patience=math.inf):
            shutil.rmtree(left, ignore_errors=True)
    folder = scratch_name(home / "mcrock")
    try:
        folder.mkdir(mode=0o700)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def replacing(path: Path, store: Path | None = None) -> Iterator[Path]:
    """A temporary name next to ``path`` to write to, renamed to it when all went well.

    It is next to the store that the file belongs to, if to any.
    """
    scratch = scratch_of(path, store) if store else scratch_name(path)
    try:
        if not store:
            with suppress(OSError):
                for left in abandoned(path.parent, ".+"):
                    if left.is_file():
                        left.unlink(missing_ok=True)
        yield scratch
        with scratch.open("r+b") as file:  # Windows flushes what may be written to alone
            os.fsync(file.fileno())
        os.replace(scratch, path)
    except OSError as error:
        names = [os.path.abspath(str(name)) for name in (error.filename, error.filename2)]
        if os.path.abspath(scratch) in names:  # which says nothing to the reader
            error.filename, error.filename2 = str(path), None
        if error.errno in FULL and error.filename is None:
            error.filename = str(path)
        raise
    finally:
        scratch.unlink(missing_ok=True)


DIGEST = 64  # hexadecimal digits at the end of the file
LONGEST = 4096  # comment [bytes]: few are read of a store of thousands of files
END, END_SIZE = b"PK\5\6", 22  # record of a zip archive that comes before its comment [bytes]
TAIL, ENTRY, LOCAL, ZIP64 = 1 << 14, 46, 30, 0xFFFFFFFF  # bytes: read of the end, heads of members, largest
STAMP = (1980, 1, 1, 0, 0, 0)  # time of every member: equal contents are equal files
UNIX = 3
HEAD, FIRST = 64, (b"intensity/c/0", b"chunk_done/", b"zarr.json")  # bytes, and what a first member is called


class ForeignError(DamageError):
    """A whole file in a place where it does not belong: never overwritten unasked."""

    study: str | None = None  # digest of the study that a chunk speaks for, if not of ``study.zip``


def write_archive(
    path: Path, members: Mapping[str, bytes], record: Mapping[str, Any], store: Path | None = None
) -> None:
    """Write a file, whole or not at all, and have it on disk when this returns.

    Parameters
    ----------
    path : Path
        File; one that is there is replaced.
    members : mapping of str to bytes
        Contents by name.
    record : mapping
        What the file is, in values that JSON has.
    store : Path, optional
        The store that it is in, next to which it is written before it takes its place.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    comment = json.dumps(record).encode() + b"0" * DIGEST
    if len(comment) > LONGEST:
        raise ValueError(f"the record of {path.name} must have at most {LONGEST - DIGEST} bytes")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            member = zipfile.ZipInfo(name, STAMP)
            member.create_system = UNIX
            archive.writestr(member, content)
        archive.comment = comment
    body = buffer.getbuffer()[:-DIGEST]
    with replacing(path, store) as scratch, scratch.open("wb") as file:
        file.write(body)
        file.write(_digest(body))


def read_digest(path: Path) -> bytes:
    """The digest at the end of a file, as it stands there."""
    with path.open("rb") as file, explaining():
        file.seek(-DIGEST, os.SEEK_END)
        return file.read()


def read_record(path: Path, *, thorough: bool = False) -> dict[str, Any]:
    """Record of a file, of which every byte or the end alone is checked.

    Raises
    ------
    DamageError
        If it is not as it was written.
    FileNotFoundError
        If it is gone.
    """
    with path.open("rb") as file, explaining():
        if not thorough:
            file.seek(-min(file.seek(0, os.SEEK_END), END_SIZE + LONGEST), os.SEEK_END)
        content = file.read()
        if thorough:
            _check_digest(content)
        return _record(content)


def is_archive(path: Path) -> bool:
    """Whether the end of a file has a record, or its beginning a member of a store; empty it may be."""
    try:
        read_record(path)
        return True
    except DamageError:
        with path.open("rb") as file:
            start = file.read(HEAD)
    return not start or (start.startswith(b"PK\3\4") and any(name in start for name in FIRST))


def read_member(path: Path, name: str, known: Known | None = None) -> bytes:
    """A member of a file; `DamageError` if it is missing or not what was written.

    A file that is not among the known ones is read as a whole, and its digest and record are checked.
    """
    with path.open("rb") as file, explaining():
        found = os.fstat(file.fileno())
        state = found.st_ino, found.st_size, found.st_mtime_ns
        source: IO[bytes] = file
        if known and known.states.get(path) != state:
            content = file.read()
            _check_digest(content)
            if _record(content) != known.record_of(path):
                raise ForeignError("another file than at the opening")
            known.states[path], source = state, io.BytesIO(content)
        if member := _found_in(source, name):
            return member
        with zipfile.ZipFile(source) as archive:
            return _content(archive, name, found.st_size)


class Known(NamedTuple):
    """Files that were checked as a whole."""

    record_of: Callable[[Path], dict[str, Any]]
    states: dict[Path, tuple[int, int, int]]  # inode, size and time when they were


def read_archive(path: Path, content: bytes = b"") -> tuple[dict[str, Any], dict[str, bytes]]:
    """Record and members of a file of which every byte is checked, also where its content was read; errors as
    of `read_record`."""
    content = content or path.read_bytes()
    with explaining():
        _check_digest(content)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = {name: _content(archive, name, len(content)) for name in archive.namelist()}
        return _record(content), members


def _digest(content: memoryview) -> bytes:
    return hashlib.blake2b(content, digest_size=DIGEST // 2).hexdigest().encode()


def _check_digest(content: bytes) -> None:
    if _digest(memoryview(content)[:-DIGEST]) != content[-DIGEST:]:
        raise ValueError("the digest does not fit")


def _record(content: bytes) -> dict[str, Any]:
    """The record at the end of a file; text in JSON has no bytes as those of `END`."""
    end = content.rindex(END)
    comment = content[end + END_SIZE :]
    (length,) = struct.unpack_from("<H", content, end + END_SIZE - 2)
    record = json.loads(comment[:-DIGEST])
    if len(comment) != length or not isinstance(record, dict):
        raise ValueError("the comment holds no record")
    return record


def _content(archive: zipfile.ZipFile, name: str, size: int) -> bytes:
    """A member, checked by its CRC-32, of a file of `size` bytes: no more memory than that is asked for."""
    member = archive.getinfo(name)
    if not member.file_size == member.compress_size <= size:
        raise ValueError("a member is longer than the file")
    content = archive.read(member)
    if len(content) != member.file_size:
        raise ValueError("a member is too short")
    return content


def _found_in(file: IO[bytes], name: str) -> bytes | None:
    """A member by the directory at the end, checked by its CRC-32; None if it is not seen in a few bytes.

    `zipfile` makes an object of each member, which takes longer than all else of reading one.
    """
    file.seek(-min(file.seek(0, os.SEEK_END), TAIL), os.SEEK_END)
    end, key, at = file.read(), name.encode() + b"PK", 0  # a next entry or the end follows
    while (at := end.find(key, at + 1)) > ENTRY:
        crc, packed, size = struct.unpack_from("<3L", end, at - ENTRY + 16)
        (head,) = struct.unpack_from("<L", end, at - 4)
        if end.startswith(b"PK\1\2", at - ENTRY) and packed == size and head + size < ZIP64:
            file.seek(head + LOCAL - 4)
            file.seek(sum(struct.unpack("<2H", file.read(4))), os.SEEK_CUR)
            content = file.read(size)
            if len(content) != size or zlib.crc32(content) != crc:
                raise ValueError("a member is not what was written")
            return content
    return None


@contextmanager
def explaining() -> Iterator[None]:
    """Raise `DamageError` where a file cannot be read as what it should be.

    What damaged archives make of `zipfile`, nobody lists. Errors of the system pass, but for a place in the
    file that cannot be.
    """
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno != errno.EINVAL:
            raise
        raise DamageError("not as it was written") from error


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

Key = tuple[int, ...]  # of a chunk: its number, behind that of the epistemic draw if there is one


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
        """Number of chunks, behind that of epistemic draws if there are some."""
        return tuple(self.arrays[MARKS]["shape"])

    @property
    def n_outer(self) -> int | None:
        """Number of epistemic draws, where arrays have a dimension of them."""
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
        """A chunk of an array without runs, less the dimension of epistemic draws."""
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


@lru_cache(maxsize=1024)  # each array asks for the same ones
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
        return _template_of((path / STUDY).read_bytes(), path)
    except IsADirectoryError:
        raise foreign_study(path, "a folder") from None
    except FileNotFoundError:
        raise DamageError(_no_study(path, "is missing")) from None


@lru_cache(maxsize=4)  # each part of a study asks twice, which took 3 ms in which other threads wait
def _template_of(content: bytes, path: Path) -> Template:
    try:
        record, members = read_archive(path / STUDY, content)
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


PASSING = ".nfs"  # of names that a network file system gives to what is deleted while it is read


class State(IntEnum):
    """Of a chunk in its store."""

    MISSING = 0
    OLDER = 1  # from before the store was extended: without some realizations or intensities
    WHOLE = 2


class Inventory(NamedTuple):
    """Chunks of a store that are there."""

    states: NDArray[np.int8]  # of the grid of its template
    damaged: dict[Key, str]  # what is wrong with the file of a chunk
    foreign: dict[Key, str | None]  # those that are whole, and the digest of the study that they belong to
    strays: list[str]  # names in its folder that no file of it has

    @property
    def done(self) -> NDArray[np.bool_]:
        """Chunks with all their runs."""
        return self.states == State.WHOLE

    def blames_study(self, template: Template) -> bool:
        """Whether chunks agree with each other and not with ``study.zip``."""
        studies = set(self.foreign.values()) - {None}
        return template.study in studies or (len(studies) == 1 and not self.states.any())

    def error(self, path: Path, template: Template) -> DamageError | None:
        """What is wrong with ``study.zip``, a chunk or what else is there, if something is."""
        if self.blames_study(template):
            what = "extent" if template.study in self.foreign.values() else "study"
            return foreign_study(path, f"of another {what} than {len(self.foreign)} chunks, which agree")
        for key, what in self.damaged.items():
            return damage(path, chunk_path(path, key).name, what, foreign=key in self.foreign)
        if self.strays:
            return ForeignError(
                f"{path} holds what is not of this store: {some_of(self.strays)}; "
                f"`mcrock verify {path} --repair --force` sets it aside"
            )
        return None


def some_of(names: list[str], most: int = 5) -> str:
    """The first of some names."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def take_inventory(
    path: Path, template: Template, keys: Iterable[Key] | None = None, *, thorough: bool = False
) -> Inventory:
    """Look for the chunks of a store.

    Parameters
    ----------
    path, template
        The store and what `read_template` gives for it.
    keys : iterable of tuple, optional
        Chunks to look for, all by default; the others count as missing.
    thorough : bool
        Read and check every byte; else the records alone, at the end of every file.
    """
    found = Inventory(np.full(template.grid, State.MISSING, np.int8), {}, {}, [])
    folders = [folder for folder in (path, path / CHUNKS) if folder.is_dir()]
    entries = {entry.relative_to(path).as_posix(): entry for folder in folders for entry in folder.iterdir()}
    unlisted = CHUNKS in entries and len(folders) < 2  # and the first chunk says so
    for key in template.chunks() if keys is None else keys:
        if f"{CHUNKS}/{chunk_name(key)}" not in entries and not unlisted:
            continue
        try:
            found.states[key] = chunk_state(path, template, key, thorough=thorough)
        except DamageError as error:
            found.damaged[key] = str(error)
            if isinstance(error, ForeignError):
                found.foreign[key] = error.study
    names = {STUDY, README, CHUNKS, *(f"{CHUNKS}/{chunk_name(key)}" for key in template.chunks())}
    for name, entry in sorted(entries.items()):
        if name not in names and not entry.name.startswith(PASSING):
            chunk = _key_of(entry)
            if chunk is not None and _is_chunk_of(entry, template.study, chunk):
                found.foreign[chunk] = template.study
            found.strays.append(name)
    return found


def _key_of(file: Path) -> Key | None:
    """Chunk that a file is by its name."""
    if file.parent.name == CHUNKS and re.fullmatch(CHUNK_FILE, file.name):
        return tuple(map(int, file.stem.split("-")))
    return None


def _is_chunk_of(file: Path, study: str, key: Key) -> bool:
    with suppress(DamageError, IsADirectoryError):
        record = read_record(file, thorough=True)
        refuse_newer(file, record)
        return (record.get("study"), record.get("chunk")) == (study, list(key))
    return False


def chunks_done(path: Path) -> NDArray[np.bool_]:
    """Mask of the chunks that have all their runs, by the records of their files: bool ([n_outer,] n_chunk).

    Raises
    ------
    DamageError
        If ``study.zip`` is damaged; a chunk that is damaged is not done.
    """
    return take_inventory(path, read_template(path)).done


def chunk_state(path: Path, template: Template, key: Key, *, thorough: bool = False) -> State:
    """State of a chunk.

    Raises
    ------
    DamageError
        If its file is not as it was written; `ForeignError` if it is whole and of another chunk or study, or
        has runs that ``study.zip`` has not.
    DatasetError
        If a later version of mcrock wrote it.
    """
    file, wanted = chunk_path(path, key), template.record(key)
    try:
        record = read_record(file, thorough=thorough)
        if record == wanted:
            return State.WHOLE
        record, members = read_archive(file)  # or the record is what is damaged
        refuse_newer(file, record)
        with explaining():
            more = set(decode_levels(members)) - set(template.intensities)
            what, study = _foreign(record, wanted, has_more=bool(more))
    except FileNotFoundError:
        return State.MISSING
    except IsADirectoryError:
        what, study = "a folder", None
    except NotADirectoryError:
        raise ForeignError(f"missing: {CHUNKS} must be a folder") from None
    if what:
        error = ForeignError(what)
        error.study = study
        raise error
    return State.OLDER


def _foreign(record: dict[str, Any], wanted: dict[str, Any], *, has_more: bool) -> tuple[str, str | None]:
    """What a whole chunk is, if not the wanted one or an older one of it, and the study that it speaks for.

    It may have more intensities than ``study.zip``.
    """
    if record.get("format") != FORMAT:
        return f"of the format {record.get('format')}, and this version of mcrock knows {FORMAT}", None
    if record["study"] != wanted["study"]:
        return "of another study", record["study"]
    if record.get("chunk") != wanted["chunk"]:
        return f"chunk {record.get('chunk')} in the place of {wanted['chunk']}", None
    has_more |= record["realizations"][1] > wanted["realizations"][1]
    if has_more or record["length"] != wanted["length"]:
        return f"of another extent than {STUDY}", record["study"]
    return "", None


def damage(path: Path, file: str, what: str, *, foreign: bool = False) -> DamageError:
    """The error that says what is wrong with a file of chunks, and what to do."""
    remedy = "--repair --force` sets it aside and" if foreign else "--repair`"
    kind = ForeignError if foreign else DamageError
    return kind(
        f"{path} is damaged: {CHUNKS}/{file} is {what}; `mcrock verify {path} {remedy} computes it again"
    )


def store_digest(path: Path) -> str:
    """Digest of a store: that of the digests at the ends of its files; equal results have equal ones.

    So it stands for the study, its runs, and the version and kernel that computed them, which ``study.zip``
    names. No other byte of chunks is read. Whether they fit their digests, `take_inventory` checks.

    Raises
    ------
    DamageError
        If ``study.zip`` is missing or damaged.
    """
    template, digest = read_template(path), hashlib.blake2b(digest_size=16)
    chunks = sorted(chunk_path(path, key) for key in template.chunks())
    for file in (path / STUDY, *(file for file in chunks if file.exists())):
        digest.update(file.name.encode() + read_digest(file))
    return digest.hexdigest()


def is_store(path: Path) -> bool:
    """Whether a file in `path` says that it belongs to a store: the only thing that is ever replaced."""
    return _is_of_store(path / STUDY) or any(map(_is_of_store, chunk_files(path))) or is_copy(path)


def _is_of_store(file: Path) -> bool:
    with suppress(DamageError, FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return "study" in read_record(file)
    return False


def chunk_files(path: Path) -> list[Path]:
    """Files of chunks that are there."""
    return sorted(file for file in (path / CHUNKS).glob("*.zip") if re.fullmatch(CHUNK_FILE, file.name))
