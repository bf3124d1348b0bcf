"""Files and folders that are put in their place whole or not at all."""

from __future__ import annotations

import errno
import math
import os
import re
import shutil
import socket
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

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
