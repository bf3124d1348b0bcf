"""Lines of text out of the bytes of files that old and new programs wrote."""

from __future__ import annotations

from pathlib import Path

from mcrock.base.units import ACCELERATIONS, parse_unit
from mcrock.excitation.motion import MotionError

MOST = 2**28  # of a record file [bytes]


def known_unit(path: Path, unit: object) -> str:
    """Key of `ACCELERATIONS` that is given for a file.

    Raises
    ------
    MotionError
        If it is none.
    """
    known = parse_unit(unit)
    if known is None:
        names = ", ".join(ACCELERATIONS)
        raise MotionError(f"{path}: unit of the acceleration must be one of {names}, got {unit!r}")
    return known


def read_content(path: Path) -> bytes:
    """Content of a record file.

    Raises
    ------
    MotionError
        If it cannot be read or has more than 268 MB.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MOST + 1)
    except OSError as error:
        raise MotionError(f"{path}: cannot be read: {error.strerror}") from None
    if len(content) > MOST:
        raise MotionError(f"{path}: has more than {MOST} bytes; no record is that long")
    return content


def split_lines(content: bytes) -> list[str]:
    """Lines of a file in UTF-8 or, where it is not that, Latin-1.

    Lines may end as on Unix, DOS or old Macs; a byte order mark at the beginning and the end-of-file
    character of DOS are left out.

    >>> split_lines(b"a\\r\\nb\\x1a")
    ['a', 'b']
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")  # names of places in old files
    if "\x1a" in text[-80:]:
        text = text.rstrip().rstrip("\x1a")
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
