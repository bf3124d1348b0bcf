"""Campaigns: which recording is of which specimen, position and repetition, and what each test gave."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mcrock.base.checks import suggest
from mcrock.base.tables.parsing import ConfigError, read_data, read_json, separator_of
from mcrock.base.units import factor_to, plain_number, split_header
from mcrock.impact.registry import DEFAULT_LAW

if TYPE_CHECKING:
    import pandas as pd

WORDS = ("test", "specimen", "position", "repetition", "parameter")
NUMBERS = ("estimate", "standard_error")
MOST_TOGETHER = 0.999  # correlation of two errors, so that they have an inverse [1]
PARAMETERS = tuple(parameter.key for parameter in DEFAULT_LAW.parameters)


def read_tests(source: str | Path | pd.DataFrame, covariates: Sequence[str] = ()) -> pd.DataFrame:
    """Fits of single tests, checked and sorted.

    Parameters
    ----------
    source : str, Path or DataFrame
        CSV file or frame with the columns ``test``, ``specimen``, ``position``, ``repetition``, ``parameter``
        (names) and ``estimate``, ``standard_error`` (numbers in the unit of the parameter), and perhaps
        ``correlation_lambda`` and so on: of its error with that of another parameter of the test. Other
        columns are left out. Or a folder of a campaign, with a folder for each test and its fit.json.
    covariates : sequence of str
        Other columns to keep, as text; of a campaign those of its tests.csv.

    Returns
    -------
    DataFrame
        With these columns, those of names as text, sorted by parameter, specimen, position, repetition and
        test, so that the order of the rows tells nothing.

    Raises
    ------
    ConfigError
        If the file cannot be read, a column is missing, a cell holds what it cannot hold, or a parameter
        of a test is there twice.

    Examples
    --------
    >>> import pandas as pd
    >>> row = {"test": "t1", "specimen": 3, "position": "A", "repetition": 1}
    >>> read_tests(pd.DataFrame([row | {"parameter": "lambda", "estimate": 1.2, "standard_error": 0.1}]))
      test specimen position repetition parameter  estimate  standard_error
    0   t1        3        A          1    lambda       1.2             0.1
    """
    import pandas as pd

    if isinstance(source, pd.DataFrame):
        name, frame = "the table of tests", source
    elif Path(source).is_dir():
        name, folder = str(source), Path(source)
        frame = _with_columns(pd.DataFrame(_rows_of(folder)), folder, covariates)
    else:
        from io import StringIO

        name = str(source)
        try:
            frame = pd.read_csv(StringIO(read_data(Path(source))), dtype=str, skipinitialspace=True)
        except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
            raise ConfigError(f"{name}: no table of comma-separated columns: {error}") from None
    missing = [column for column in (*WORDS, *NUMBERS, *covariates) if column not in frame]
    if missing:
        raise ConfigError(
            f"{name}: no column {missing[0]!r}{suggest(missing[0], map(str, frame.columns))}; a table of "
            f"tests has {', '.join((*WORDS, *NUMBERS))}, and this one {', '.join(map(str, frame.columns))}"
        )
    if not len(frame):
        raise ConfigError(f"{name}: there are no rows below the header")
    found = {column: _names(name, frame, column) for column in WORDS}
    for column in NUMBERS:
        found[column] = _numbers(name, frame, column)
    for key in PARAMETERS:
        if (column := f"correlation_{key}") in frame:
            found[column] = (
                pd.to_numeric(frame[column], "coerce").fillna(0.0).clip(-MOST_TOGETHER, MOST_TOGETHER)
            )
    found |= {column: frame[column].fillna("").astype(str).str.strip().to_list() for column in covariates}
    table = pd.DataFrame(found)
    repeated = table.duplicated(["test", "parameter"])
    if repeated.any():
        test, parameter = table.loc[repeated, ["test", "parameter"]].iloc[0]
        raise ConfigError(f"{name}: test {test!r} has the parameter {parameter!r} twice; one row each")
    places = table.groupby("test")[["specimen", "position", "repetition"]].nunique().max(axis=1)
    if (places > 1).any():
        raise ConfigError(
            f"{name}: test {places.idxmax()!r} has rows of several specimens, positions or repetitions; "
            "give every test a name of its own"
        )
    keys = ["parameter", "specimen", "position", "repetition", "test"]
    return table.sort_values(keys, ignore_index=True)


def _with_columns(frame: pd.DataFrame, folder: Path, covariates: Sequence[str]) -> pd.DataFrame:
    """Rows of fits with columns of the table of their campaign, by the name of the test."""
    import pandas as pd

    if not covariates:
        return frame
    from io import StringIO

    table = pd.read_csv(StringIO(read_data(folder / "tests.csv")), dtype=str, skipinitialspace=True)
    for column in ("test", *covariates):
        if column not in table:
            raise ConfigError(
                f"{folder / 'tests.csv'}: no column {column!r}{suggest(column, table)}; there are "
                f"{', '.join(table)}"
            )
    return frame.merge(table[["test", *covariates]], on="test", how="left")


def rows_of_fit(numbers: dict[str, Any]) -> list[dict[str, Any]]:
    """Rows of a table of tests from the numbers of a fit: one for each parameter that the test determines."""
    estimates, names = numbers["estimates"], list(numbers["estimates"])
    keys = [key for key in names if key in PARAMETERS and estimates[key]["standard_error"] is not None]
    spread = {key: numbers["covariance"][names.index(key)][names.index(key)] for key in keys}
    return [
        {word: numbers[word] for word in WORDS[:4]}
        | {"parameter": key, "estimate": estimates[key]["value"]}
        | {"standard_error": estimates[key]["standard_error"]}
        | {
            f"correlation_{other}": numbers["covariance"][names.index(key)][names.index(other)]
            / (spread[key] * spread[other]) ** 0.5
            for other in keys
        }
        for key in keys
    ]


def left_out(folder: Path, taken: Iterable[str]) -> list[str]:
    """Tests of a campaign that are not among those taken, and why: "A-1-2: no release in it"."""
    names, why = set(taken), _column(folder, "reason").items()
    return [f"{test}: {reason or 'determines no parameter'}" for test, reason in why if test not in names]


def unexplained(folder: Path, taken: Iterable[str]) -> list[str]:
    """Tests of a campaign among those taken that the model does not explain."""
    names, explained = set(taken), _column(folder, "explained").items()
    return [test for test, word in explained if test in names and word == "False"]


def _column(folder: Path, column: str) -> dict[str, str]:
    """Cells of the table of a campaign by the names of its tests, such as why one was not fitted."""
    place = folder / "tests.csv"
    rows = csv.DictReader(read_data(place).splitlines()) if place.is_file() else ()
    return {row.get("test", ""): row.get(column) or "" for row in rows}


def _rows_of(folder: Path) -> list[dict[str, Any]]:
    rows, failed = [], _column(folder, "reason")
    for place in sorted(folder.glob("*/fit.json")):
        if failed.get(place.parent.name):
            continue  # of other options, with which it could be fitted
        try:
            rows += rows_of_fit(read_json(place))
        except (KeyError, TypeError, ValueError):
            raise ConfigError(f"{place}: not the fit of a test with a specimen; fit it again") from None
    if not rows:
        raise ConfigError(
            f"{folder}: no folders with a fit.json that determines a parameter of "
            f"{', '.join(PARAMETERS)}; `mcrock fit` makes them"
        )
    return rows


def chosen_parameters(table: pd.DataFrame, parameters: list[str] | None = None) -> list[str]:
    """Impact parameters of a table in the order of their law; those asked for, or all that it has.

    Raises
    ------
    ConfigError
        If one that is asked for is no impact parameter of the law or not in the table, or the table has none.
    """
    there = [key for key in PARAMETERS if (table["parameter"] == key).any()]
    for key in parameters or ():
        if key not in there:
            raise ConfigError(
                f"no rows of the parameter {key!r}{suggest(key, there)}; the table has "
                f"{', '.join(table['parameter'].unique())}, impact parameters are {', '.join(PARAMETERS)}"
            )
    if not there:
        raise ConfigError(
            f"the table has no impact parameter ({', '.join(PARAMETERS)}), only "
            f"{', '.join(table['parameter'].unique())}"
        )
    return [key for key in there if not parameters or key in parameters]


def _names(name: str, frame: pd.DataFrame, column: str) -> list[str]:
    empty = np.flatnonzero(frame[column].isna())
    if empty.size:
        raise ConfigError(f"{name}, row {empty[0] + 1}, column {column!r}: expected a name, got nothing")
    return [str(value).strip() for value in frame[column]]


def _numbers(name: str, frame: pd.DataFrame, column: str) -> Any:
    least = 0.0 if column == "standard_error" else -np.inf
    values = np.empty(len(frame))
    for i, cell in enumerate(frame[column]):
        try:
            values[i] = plain_number(str(cell))
        except ValueError:
            values[i] = np.nan
        if not values[i] > least:
            bound = " > 0" if column == "standard_error" else ""
            raise ConfigError(
                f"{name}, row {i + 1}, column {column!r}: expected a finite number{bound} in the unit of the "
                f"parameter, got {cell!r}; leave out tests that could not be fitted"
            )
    return values


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
