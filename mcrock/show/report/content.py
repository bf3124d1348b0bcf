"""Parts of a page: sections of text, tables and figures."""

from __future__ import annotations

import io
from base64 import b64encode
from collections.abc import Iterable
from typing import Any, NamedTuple

import matplotlib as mpl
from markupsafe import Markup
from matplotlib.axes import Axes

from mcrock.show.style import COLUMN, axes_width, figure_of, paper_style
from mcrock.show.text import Caution, Columns

# of figures in a page: letters as shapes, as fonts differ, and equal figures are equal files
SETTINGS: Any = {"svg.fonttype": "path", "svg.hashsalt": "mcrock"}
SHORT = 16  # rows of a table


class Code(str):
    """Lines as they are."""


class Figure(NamedTuple):
    """A figure as a page holds it."""

    source: str  # data URI
    words: str  # for who cannot see it
    width: float  # over that of a column of print [1]


class Player(NamedTuple):
    """A run in three dimensions, and what stands in its place on paper."""

    element: Markup
    still: str  # data URI
    words: str


class TitledTable(NamedTuple):
    """A table with its title."""

    title: str
    columns: Columns

    @property
    def right(self) -> list[bool]:
        """Mask of the columns that hold numbers, and so stand to the right."""
        return [all(map(is_number, column)) for column in zip(*self.columns.rows, strict=True)]

    @property
    def is_short(self) -> bool:
        """Whether it is kept on one page of paper."""
        return len(self.columns.rows) <= SHORT


Block = str | Columns | Caution | Code | Figure | Player | TitledTable


class Section(NamedTuple):
    """A part of the page."""

    key: str  # of links to it
    title: str
    blocks: list[Block]


def embed(ax: Axes, words: str) -> Figure:
    """The figure of `ax` as it stands in a page."""
    buffer = io.BytesIO()
    with paper_style(), mpl.rc_context(SETTINGS):
        figure_of(ax).savefig(
            buffer, format="svg", bbox_inches="tight", pad_inches=0.04, metadata={"Date": None}
        )
    source = f"data:image/svg+xml;base64,{b64encode(buffer.getvalue()).decode('ascii')}"
    return Figure(source, words, axes_width(ax) / COLUMN)


def cautions(lines: Iterable[str]) -> list[Block]:
    """Lines as ones to be heeded."""
    return [Caution(line) for line in lines]


def laid_out(section: Section) -> Section:
    """A section whose tables take the line before as their title, if it is not a sentence."""
    blocks: list[Block] = []
    for block in section.blocks:
        if not isinstance(block, Columns):
            blocks += [block] if block else []
            continue
        last = blocks[-1] if blocks else None
        is_title = type(last) is str and not last.endswith(".")
        blocks.append(TitledTable(str(blocks.pop()) if is_title else "", block))
    return section._replace(blocks=blocks)


def kind_of(block: Block) -> str:
    """What a template does with a block."""
    kinds = {Figure: "figure", Player: "player", TitledTable: "table", Caution: "caution", Code: "code"}
    return kinds.get(type(block), "text")


def is_number(cell: str) -> bool:
    """Whether a cell of a table is a number, or begins with one.

    >>> is_number("0.5 g"), is_number("below 0.5 g"), is_number("-"), is_number("uniform")
    (True, True, True, False)
    """
    cell = cell.removeprefix("below ").removeprefix("above ")
    return not cell or cell.lstrip("-+<").partition(" ")[0][:1].isdigit() or cell == "-"
