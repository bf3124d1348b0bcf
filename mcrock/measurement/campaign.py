"""Tests of a campaign: which recording is of which specimen, position and repetition."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcrock.base.suggestions import suggest
from mcrock.base.tables.errors import ConfigError
from mcrock.base.tables.parsing import read_data, separator_of
from mcrock.base.units import factor_to, plain_number, split_header

NEEDED = ("file", "specimen", "position", "repetition")
OWN = ("body", "edge")  # that a test may have of its own
WINDOWS = {"still": 2, "rest": 2, "from": 1, "until": 1}  # times of its recording: options of these names


@dataclass(frozen=True, kw_only=True)
class TestFile:
    """Recording of one test, and what was tested.

    Attributes
    ----------
    file : Path
    specimen, position, repetition : str
        Which body, on which of its ends it rocked, and the number of the test there.
    body : Path
        File with its section ``[body]``.
    edge : int
        Over which it was released.
    windows : dict of tuple of float
        ``still`` and ``rest``, start and end [s], ``from`` and ``until`` [s], of those that are its own.
    covariates : dict of str
        Other columns of its table.
    """

    file: Path
    specimen: str
    position: str
    repetition: str
    body: Path
    edge: int
    windows: dict[str, tuple[float, ...]] = field(default_factory=dict)
    covariates: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Of the test and of the folder with its fit."""
        return "-".join((self.specimen, self.position, self.repetition)).replace("/", "_")


def numbered_tests(
    files: Sequence[Path], specimen: str, position: str, repetition: int, body: Path, edge: int
) -> list[TestFile]:
    """Recordings of one specimen in one position, whose repetitions are counted from the first."""
    same: dict[str, Any] = {"specimen": specimen, "position": position, "body": body, "edge": edge}
    return [TestFile(file=file, repetition=str(repetition + i), **same) for i, file in enumerate(files)]


def read_campaign(path: Path, body: Path | None = None, edge: int | None = None) -> list[TestFile]:
    """Tests of a table, one a row.

    Parameters
    ----------
    path : Path
        CSV file with the columns ``file``, ``specimen``, ``position``, ``repetition`` and, where tests have
        their own, ``body`` (a file), ``edge``, ``still`` and ``rest`` (start and end [s], as in ``0 1.5``; of
        ``still [ms]`` in that unit), ``from`` and ``until`` [s]; names of files are relative to the table.
        Others are covariates.
    body, edge : Path, int
        Of the tests that have none of their own.

    Raises
    ------
    ConfigError
        If the table cannot be read, has a column that is nearly one of these, an empty cell, or a test twice.
    """
    lines = read_data(path).splitlines()
    reader = csv.DictReader(lines, skipinitialspace=True, delimiter=separator_of("".join(lines[:1])))
    heads = [str(head) for head in reader.fieldnames or []]
    said = {name: unit for name, unit in map(split_header, heads) if name in WINDOWS and unit}
    heads = reader.fieldnames = [split_header(h)[0] if split_header(h)[0] in said else h for h in heads]
    rows, seconds = list(reader), {name: factor_to(said.get(name, "s"), "s") for name in WINDOWS}
    mistakes = [
        f"{path}: no column {name!r}; expected {', '.join(NEEDED)}" for name in NEEDED if name not in heads
    ]
    mistakes += [
        f"{path}: {name} must be in s or ms, got {said[name]!r}" for name in WINDOWS if not seconds[name]
    ]
    known = [*NEEDED, *OWN, *WINDOWS]
    others = [head for head in heads if head not in known]
    for head in others:
        if meant := suggest(str(head), known):
            mistakes.append(f"{path}: unknown column {head!r}{meant}; {', '.join(known)} are")
    if mistakes or not rows:
        raise ConfigError(mistakes or [f"{path}: there are no rows below the header"])
    found = []
    for number, row in enumerate(rows, 2):
        given = {name: (row.get(name) or "").strip() for name in (*NEEDED, *OWN)}
        given["body"] = (given["body"] and str(path.parent / given["body"])) or str(body or "")
        given["edge"] = given["edge"] or ("" if edge is None else str(edge))
        empty = [name for name, value in given.items() if not value]
        if empty:
            option = f"; or say --{empty[0]} for all tests" if empty[0] in OWN else ""
            mistakes.append(f"{path}, line {number}: nothing in the column {empty[0]!r}{option}")
        elif not re.fullmatch("[0-9]{1,6}", given["edge"]):
            mistakes.append(f"{path}, line {number}: edge must be a number 0, 1, ..., got {given['edge']!r}")
        else:
            words: dict[str, Any] = {name: given[name] for name in NEEDED[1:]}
            words["covariates"] = {name: (row.get(name) or "").strip() for name in others}
            try:
                words["windows"] = {
                    name: _window(name, row[name], seconds[name]) for name in WINDOWS if row.get(name)
                }
            except ValueError as error:
                mistakes.append(f"{path}, line {number}: {error}")
                continue
            place, its_body = path.parent / given["file"], Path(given["body"])
            found.append(TestFile(file=place, body=its_body, edge=int(given["edge"]), **words))
    for name, count in Counter(test.name for test in found).items():
        if count > 1:
            mistakes.append(f"{path}: {count} rows of specimen, position and repetition {name}; number them")
    if mistakes:
        raise ConfigError(mistakes)
    return found


def _window(name: str, text: str, unit: float | None) -> tuple[float, ...]:
    try:
        times = tuple(plain_number(word.replace(",", ".")) * (unit or 1.0) for word in text.split())
    except ValueError:
        times = ()
    if len(times) != WINDOWS[name] or list(times) != sorted(set(times)):
        wanted = "start and end in s, as in 0 1.5" if WINDOWS[name] == 2 else "a time in s, as in 1.5"
        raise ValueError(f"{name} must be {wanted}, got {text!r}")
    return times
