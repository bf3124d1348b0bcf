"""Files of a store: written whole or not at all, read with their checksums.

Files and folders that are put in their place whole or not at all.

One file of a store: a zip archive that ends with the digest of all its bytes.

The members are chunks and metadata of a zarr group by their zarr names. They are not compressed once more,
so that any zip program takes the group out. The comment, the last thing in a zip archive, is a record in JSON
of what the file is, and the BLAKE2b digest of every byte before it. A member that is read is checked by its
CRC-32, and the whole file by its digest when the first one is: what a file is can be read from its end alone.
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
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

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
STAMP = (1980, 1, 1, 0, 0, 0)  # time of every member: equal contents are equal files
UNIX = 3
HEAD, FIRST = 64, (b"intensity/c/0", b"chunk_done/", b"zarr.json")  # bytes, and what a first member is called


class DamageError(OSError):
    """A file of a store that is not as it was written."""


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
        with zipfile.ZipFile(source) as archive:
            return _content(archive, name, found.st_size)


class Known(NamedTuple):
    """Files that were checked as a whole."""

    record_of: Callable[[Path], dict[str, Any]]
    states: dict[Path, tuple[int, int, int]]  # inode, size and time when they were


def read_archive(path: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Record and members of a file of which every byte is checked; errors as of `read_record`."""
    content = path.read_bytes()
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
