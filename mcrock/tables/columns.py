"""Columns of numbers from a text file."""

from __future__ import annotations

import csv
from pathlib import Path

from mcrock.tables.errors import ConfigError
from mcrock.tables.parsing import read_data


def read_columns(path: Path) -> dict[str, list[float]]:
    """Columns of a CSV file with a header and a number in every cell.

    Raises
    ------
    ConfigError
        With file, line and column, if the file cannot be read or a cell holds no number.
    """
    text = read_data(path)
    rows = csv.reader(text.splitlines(), skipinitialspace=True)
    head = [name.strip() for name in next(rows, [])]
    columns: dict[str, list[float]] = {name: [] for name in head}
    if len(columns) < len(head) or not all(head):
        raise ConfigError(f"{path}, line 1: every column needs a name of its own, got {','.join(head)!r}")
    for cells in rows:
        place = f"{path}, line {rows.line_num}"
        if not cells:
            continue
        if len(cells) != len(head):
            raise ConfigError(f"{place}: expected {len(head)} cells as in the first line, got {len(cells)}")
        for name, cell in zip(head, cells, strict=True):
            try:
                columns[name].append(float(cell))
            except ValueError:
                raise ConfigError(f"{place}, column {name!r}: expected a number, got {cell!r}") from None
    return columns
