"""Table of what single tests gave: a row for every test and parameter."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mcrock.base.suggestions import suggest
from mcrock.base.tables.errors import ConfigError
from mcrock.base.tables.parsing import read_data
from mcrock.impact.registry import DEFAULT_LAW

if TYPE_CHECKING:
    import pandas as pd

WORDS = ("test", "specimen", "position", "repetition", "parameter")
NUMBERS = ("estimate", "standard_error")
PARAMETERS = tuple(parameter.key for parameter in DEFAULT_LAW.parameters)


def read_tests(source: str | Path | pd.DataFrame) -> pd.DataFrame:
    """Fits of single tests, checked and sorted.

    Parameters
    ----------
    source : str, Path or DataFrame
        CSV file or frame with the columns ``test``, ``specimen``, ``position``, ``repetition``, ``parameter``
        (names) and ``estimate``, ``standard_error`` (numbers in the unit of the parameter). Other columns
        are left out.

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
    else:
        from io import StringIO

        name = str(source)
        try:
            frame = pd.read_csv(StringIO(read_data(Path(source))), dtype=str, skipinitialspace=True)
        except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
            raise ConfigError(f"{name}: no table of comma-separated columns: {error}") from None
    missing = [column for column in (*WORDS, *NUMBERS) if column not in frame]
    if missing:
        raise ConfigError(
            f"{name}: no column {missing[0]!r}; a table of tests has "
            f"{', '.join((*WORDS, *NUMBERS))}, and this one {', '.join(map(str, frame.columns))}"
        )
    if not len(frame):
        raise ConfigError(f"{name}: there are no rows below the header")
    found = {column: _names(name, frame, column) for column in WORDS}
    for column in NUMBERS:
        found[column] = _numbers(name, frame, column)
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
            values[i] = float(cell)
        except (TypeError, ValueError):
            values[i] = np.nan
        if not (np.isfinite(values[i]) and values[i] > least):
            bound = " > 0" if column == "standard_error" else ""
            raise ConfigError(
                f"{name}, row {i + 1}, column {column!r}: expected a finite number{bound} in the unit of the "
                f"parameter, got {cell!r}; leave out tests that could not be fitted"
            )
    return values
