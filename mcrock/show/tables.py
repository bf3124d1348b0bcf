"""Tables and paragraphs that fit a terminal."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Sequence

WIDTH = 110  # of paragraphs at most [characters]
UNBOUNDED = 10_000  # width where the output is not a terminal [characters]


class Columns(str):
    """A table as text, whose cells are still there for pages that draw it in another way."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


def format_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Columns:
    """Columns aligned to the right, one line per row.

    >>> print(format_table(["a", "b"], [["1", "long"], ["20", "x"]]))
     a     b
     1  long
    20     x
    """
    widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]
    table = Columns(
        "\n".join(
            "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
            for row in [heads, *rows]
        )
    )
    table.heads, table.rows = heads, rows
    return table


def terminal_width() -> int:
    """Width of the terminal; output that goes elsewhere is as wide as it is [characters]."""
    if sys.stdout.isatty() or "COLUMNS" in os.environ:
        return shutil.get_terminal_size().columns
    return UNBOUNDED


def wrap(text: str, width: int, indent: str = "") -> str:
    """Text in lines that fit, the later ones indented."""
    return textwrap.fill(
        text,
        min(width, WIDTH),
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def shorten(text: str, length: int) -> str:
    """Text of at most so many characters.

    >>> shorten("Superstition Hills", 10)
    'Superst...'
    """
    return text if len(text) <= length else f"{text[: length - 3]}..."
