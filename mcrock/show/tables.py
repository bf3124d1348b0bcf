"""Tables and paragraphs that fit a terminal, and results as JSON holds them."""

from __future__ import annotations

import math
import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import xarray as xr

WIDTH = 110  # of paragraphs at most [characters]
Column = tuple[str, Callable[["xr.Dataset"], str]]  # head of a column, and what writes its cells
UNBOUNDED = 10_000  # width where the output is not a terminal [characters]


class Columns(str):
    """A table as text, whose cells are still there for pages that draw it in another way."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


def format_table(heads: Sequence[str], rows: Sequence[Sequence[str]], left: bool = False) -> Columns:
    """Columns aligned to the right, one line per row; with ``left`` the first one to the left.

    >>> print(format_table(["a", "b"], [["1", "long"], ["20", "x"]]))
     a     b
     1  long
    20     x
    """
    if left:
        width = max(len(row[0]) for row in [heads, *rows])
        rows = [[row[0].ljust(width), *row[1:]] for row in rows]
    widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]
    table = Columns(
        "\n".join(
            "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
            for row in [heads, *rows]
        )
    )
    table.heads, table.rows = heads, rows
    return table


def table_along(found: xr.Dataset, dim: str, columns: Iterable[Column], left: bool = False) -> Columns:
    """Table of a result with a row for each place along a dimension.

    Parameters
    ----------
    found : Dataset
    dim : str
        Without it the result is the only row.
    columns : iterable of tuple
        Head of each column, and what writes its cell from the result at one place.
    left : bool
        Align the first column to the left.
    """
    ones = [found.isel({dim: i}) for i in range(found.sizes[dim])] if dim in found.dims else [found]
    heads, cells = zip(*columns, strict=True)
    return format_table(heads, [[cell(one) for cell in cells] for one in ones], left)


def terminal_width() -> int:
    """Width of the terminal; output that goes elsewhere is as wide as it is [characters]."""
    if sys.stdout.isatty() or "COLUMNS" in os.environ:
        return shutil.get_terminal_size().columns
    return UNBOUNDED


def wrap(text: str, width: int, indent: str = "") -> str:
    """Text in lines that fit, the later ones indented."""
    return textwrap.fill(
        text, min(width, WIDTH), subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def shorten(text: str, length: int) -> str:
    """Text of at most so many characters.

    >>> shorten("Superstition Hills", 10)
    'Superst...'
    """
    return text if len(text) <= length else f"{text[: length - 3]}..."


def as_json(value: Any) -> Any:
    """Numbers and arrays as plain numbers and lists; NaN and infinity become null."""
    if isinstance(value, dict):
        return {key: as_json(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def dataset_as_json(ds: xr.Dataset) -> dict[str, Any]:
    """Every variable of a small dataset as plain lists, with dims and units."""
    variables = {
        str(name): {"dims": list(array.dims), "units": array.attrs.get("units"), "values": array.values}
        for name, array in ds.variables.items()
    }
    return as_json({"variables": variables, "attributes": dict(ds.attrs)})
