"""Files and folders that are put in their place whole or not at all."""

from __future__ import annotations

import os
import re
import socket
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FORGOTTEN = 86_400.0  # age at which what a process of another machine was writing counts as left [s]


def scratch_name(path: Path) -> Path:
    """A temporary name next to ``path`` that says which process writes there."""
    return path.with_name(f".{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex}.{path.name}")


def abandoned(folder: Path, name: str) -> list[Path]:
    """Files that ended processes have left in a folder under the scratch names of what fits a pattern.

    Of a process of this machine it is known whether it has ended; those of others are given up after a day.
    """
    pattern = re.compile(rf"\.(.+)-(\d+)-[0-9a-f]{{32}}\.{name}")
    found = []
    for entry in sorted(folder.iterdir()) if folder.is_dir() else []:
        match = pattern.fullmatch(entry.name)
        if match is None:
            continue
        is_old = time.time() - entry.stat().st_mtime > FORGOTTEN
        if is_old or (match[1] == socket.gethostname() and has_ended(int(match[2]))):
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
def replacing(path: Path) -> Iterator[Path]:
    """A temporary name next to ``path`` to write to, renamed to it when all went well."""
    scratch = scratch_name(path)
    try:
        yield scratch
        with scratch.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(scratch, path)
    except OSError as error:
        if str(error.filename) == str(scratch):  # a name that says nothing to the reader
            error.filename = str(path)
        raise
    finally:
        scratch.unlink(missing_ok=True)
