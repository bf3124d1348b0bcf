"""Blocks of numbers that a line of text announces, as COSMOS and CSMIP files have them.

Such a line says how many numbers follow and in which Fortran format: ``31932 Accelerogram points at
100 pts/sec in units of g. Format: (8f9.6)``.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from mcrock.excitation.motion import FloatArray
from mcrock.excitation.readers.text_file import TextFile

FORMAT = re.compile(r"\(\s*(\d*)[A-Z]+(\d+)(?:\.\d+)?\s*\)\s*$", re.IGNORECASE)


class Layout(NamedTuple):
    """Numbers in a full line and the width of a column."""

    per_line: int
    width: int


def parse_layout(line: str, usual: Layout) -> Layout:
    """Layout in the Fortran format at the end of a line, or the usual one.

    >>> parse_layout("in units of g.       Format: (8f9.6)  ", Layout(8, 10))
    Layout(per_line=8, width=9)
    """
    found = FORMAT.search(line.rstrip())
    return Layout(int(found[1] or 1), int(found[2])) if found else usual


def read_counted(file: TextFile, index: int, what: str, usual: Layout) -> tuple[FloatArray, int]:
    """Numbers that line `index` announces, its first word being their count, and the line after them.

    Raises
    ------
    MotionError
        If the line announces nothing, or the numbers are fewer or none.
    """
    line = file.line(index)
    words = line.split()
    if not (words and words[0].isdecimal()):
        raise file.error(
            index, f"expected a line that says how many {what} follow, got {line.strip()[:40]!r}"
        )
    if "format" in line.lower() and not FORMAT.search(line.rstrip()):
        raise file.error(index, f"expected a format such as (8f10.6), got {line.strip()[-40:]!r}")
    layout = parse_layout(line, usual)
    return file.samples(index + 1, int(words[0]), *layout)
