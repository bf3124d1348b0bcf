"""Outcomes of any program or test, a row for each run, as the dataset that statistics take."""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mcrock.base.checks import ROUNDING, by_number, suggest
from mcrock.base.params import Outcome
from mcrock.base.tables.parsing import ConfigError, read_data, with_points
from mcrock.base.units import (
    factor_to,
    parse_intensity_unit,
    plain_number,
    split_header,
    strongest,
    unit_in_text,
)
from mcrock.dataset.schema import (
    EVENT,
    INPUT,
    MEASURED,
    OUTPUT,
    DatasetError,
    Variable,
    build_dataset,
    declaration,
    is_declared,
)
from mcrock.excitation.measures import MEASURES, named_measure

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

ANY = "intensity"  # a measure that has no name
LIMIT = "_limit"  # ends the name of the limit of a response
MOST_RUNS = 1e7  # of all weights [1]
OF_MOTION = ("motion",)
WORDS = {"0": Outcome.AT_REST, "1": Outcome.OVERTURNED, "undecided": Outcome.FAILED}
WORDS |= dict.fromkeys(("false", "no"), WORDS["0"]) | dict.fromkeys(("true", "yes"), WORDS["1"])
NEEDED = "an intensity with its unit (such as 'pga [g]'), 'record' and 'overturned'"


class GivenColumn(NamedTuple):
    """A column: name and unit as its head has them, and what stands in each row."""

    name: str
    unit: str
    values: list[Any]


class OutcomeTable(NamedTuple):
    """Columns of a table of outcomes by name, and what its rows are called in messages."""

    name: str
    places: Sequence[str]
    columns: dict[str, GivenColumn]

    def refuse(self, row: int, column: str, expected: str) -> DatasetError:
        """The error that says what was expected in a cell."""
        got = self.columns[column].values[row]
        return DatasetError(f"{self.name}, {self.places[row]}, column {column!r}: {expected}, got {got!r}")

    def numbers(self, column: str, expected: str, holds: Callable[[np.ndarray], Any]) -> np.ndarray:
        """Numbers of a column (n_row,), refused where they are not as expected; NaN of empty cells."""
        values = np.array([_number(cell) for cell in self.columns[column].values], float)
        wrong = ~np.asarray(holds(values), bool)
        if wrong.any():
            raise self.refuse(int(wrong.argmax()), column, expected)
        return values


def read_outcomes(source: str | Path | pd.DataFrame) -> xr.Dataset:
    """Outcomes of another program, of shake-table tests or of a spreadsheet, for the statistics of mcrock.

    Every row is a run. Its motion is scaled to an intensity, whose column is named after the measure, as in
    ``pga [g]``, or `intensity`, with the unit in brackets; `record` names the ground motion, which runs share
    that are not independent. Whether it overturned is said by `overturned` (0, 1, or "undecided" of an
    analysis that broke off), by `outcome` (names of `mcrock.Outcome`), or by a response and its limit, as
    ``peak_tilt [deg]`` and ``peak_tilt_limit [deg]``: above it the run counts as overturned, and without a
    number as undecided.

    Optional are `realization`, names or numbers of what meets several intensities; `weight`, a whole number
    of equal runs for which the row stands; variables of `mcrock.dataset.SCHEMA`, in their unit if they give
    none; and further measures, which make the table a cloud study. It is one, too, where not every
    realization meets every intensity, or an input changes with the intensity.

    Parameters
    ----------
    source : str, Path or DataFrame
        CSV file with a line of names, separated by commas, semicolons or tabs (then with decimal commas
        too), in which lines that begin with # are comments; or a table of pandas with such columns.

    Returns
    -------
    Dataset
        `outcome` (realization, intensity), or of a cloud (realization) with `intensity_value`; `record`;
        `motion_name` (motion); what else was given. The order of the rows changes nothing.

    Raises
    ------
    DatasetError
        If a column is missing or a cell does not fit, with its row; if a row is there twice, or analyses stop
        at their first overturning, so that at stronger intensities only what stands is left.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = {"pga [g]": [0.2, 0.4] * 2, "record": ["a", "a", "b", "b"], "overturned": [0, 1, 0, 0]}
    >>> ds = read_outcomes(pd.DataFrame(rows))
    >>> ds["outcome"].dims, ds["outcome"].values.tolist(), ds["intensity"].values.round(3).tolist()
    (('realization', 'intensity'), [[1, 3], [1, 1]], [1.961, 3.923])
    """
    given = _read_file(Path(source)) if isinstance(source, str | Path) else _read_frame(source)
    measures = [name for name in given.columns if name == ANY or named_measure(name)[0]]
    _check_columns(given, measures)
    outcome, event = _outcomes(given)
    units, strengths = _intensities(given, measures)
    record, record_names = _labels(given, "record")
    weight = np.ones(len(given.places))
    if "weight" in given.columns:
        expected = "expected a whole number of equal runs, 1 or more (other weights are not taken)"
        weight = given.numbers("weight", expected, lambda x: (x >= 1) & (x == np.floor(x)))
        if weight.sum() > MOST_RUNS:
            raise DatasetError(
                f"{given.name}: weights of {weight.sum():g} runs, at most {MOST_RUNS:g} are read"
            )
    single = "realization" not in given.columns
    own = record if single else _labels(given, "realization")[0]
    fell = (strengths[0] == 0) & (outcome == Outcome.OVERTURNED)
    if fell.any():
        raise given.refuse(int(fell.argmax()), measures[0], "expected more than 0, as the body overturned")
    _check_repeated(given, dict(zip(measures, strengths, strict=True)), outcome)
    order = np.lexsort((outcome, strengths[0], record, own))
    others = {
        name: _variable(given, name)[order]
        for name in given.columns
        if _is_variable(name) and name not in measures
    }
    table = _Rows(own[order], record[order], strengths[0][order], outcome[order], weight[order])
    _check_ladders(given.name, table, single)
    values = _laid_out(table, others, [x[order] for x in strengths[1:]], measures)
    values["motion_name"] = values.get("motion_name", record_names)
    measure, words = named_measure(measures[0])
    long_name = MEASURES[measure].long_name + words if measure else "intensity"
    attrs = {"intensity_measure": measures[0], "source": f"outcomes of {given.name}"}
    attrs |= {EVENT: event} if event else {}
    return build_dataset(values, units=units, long_name=long_name, attrs=attrs)


class _Rows(NamedTuple):
    """Rows in the order of realizations, records and intensities."""

    own: np.ndarray  # (n_row,) number of the label of the realization
    record: np.ndarray
    intensity: np.ndarray
    outcome: np.ndarray
    weight: np.ndarray


def _read_file(path: Path) -> OutcomeTable:
    try:
        text = read_data(path)
    except ConfigError as error:
        raise DatasetError(str(error)) from None
    lines = [
        (f"line {number}", line)
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not lines:
        raise DatasetError(f"{path}: the file is empty; a table of outcomes has {NEEDED}")
    separator = max(",;\t", key=lines[0][1].count)
    try:
        rows = [[cell.strip() for cell in next(csv.reader([line], delimiter=separator))] for _, line in lines]
    except csv.Error as error:
        raise DatasetError(f"{path}: no table: {error}") from None
    for (place, _), cells in zip(lines, rows, strict=True):
        if len(cells) != len(rows[0]):
            raise DatasetError(
                f"{path}, {place}: expected {len(rows[0])} cells as in the first line, got {len(cells)}"
            )
    if separator != ",":
        rows[1:] = [[with_points(cell) for cell in cells] for cells in rows[1:]]
    columns = [list(column) for column in zip(*rows[1:], strict=True)] or [[] for _ in rows[0]]
    return _named(str(path), [place for place, _ in lines[1:]], rows[0], columns)


def _read_frame(frame: pd.DataFrame) -> OutcomeTable:
    places = [f"row {number}" for number in range(1, len(frame) + 1)]
    columns = [frame.iloc[:, i].tolist() for i in range(frame.shape[1])]
    return _named("the table", places, list(map(str, frame.columns)), columns)


def _named(name: str, places: list[str], heads: list[str], columns: list[list[Any]]) -> OutcomeTable:
    found: dict[str, GivenColumn] = {}
    for head, values in zip(heads, columns, strict=True):
        word, unit = split_header(head)
        key = re.sub(r"\s+", "_", word.lower())
        if key in found:
            raise DatasetError(f"{name}: the column {word!r} is there twice; give each a name of its own")
        found[key] = GivenColumn(head, unit, values)
    return OutcomeTable(name, places, found)


def _check_columns(given: OutcomeTable, measures: list[str]) -> None:
    """Refuse a table without what is needed, and say which columns are left out."""
    ends: list[str] = [name for name in ("overturned", "outcome") if name in given.columns]
    ends += [name for name in given.columns if _limited(name) in given.columns]
    have = ", ".join(repr(cells.name) for cells in given.columns.values())
    wanted = {"record": "record" in given.columns, "intensity": bool(measures), "overturned": bool(ends)}
    for name, there in wanted.items():
        if not there:
            raise DatasetError(
                f"{given.name}: no column {name!r}{suggest(name, given.columns)}; a table of outcomes needs "
                f"{NEEDED}, and this one has {have}; see `mcrock docs outcomes`"
            )
    if "outer" in given.columns:
        raise DatasetError(
            f"{given.name}: a table has no epistemic draws (column 'outer'), so what is epistemic cannot "
            "be told; read a nested study from its store, or write the table of mcrock.statistics.pooled(ds)"
        )
    if len(ends) > 1:
        raise DatasetError(f"{given.name}: give one of {', '.join(map(repr, ends))}, not {len(ends)}")
    if not given.places:
        raise DatasetError(f"{given.name}: there are no rows below the names of the columns")
    known = {"record", "realization", "weight", *ends, *measures, *map(_limited, ends)}
    unknown = [cells.name for key, cells in given.columns.items() if not (key in known or _is_variable(key))]
    if unknown:
        warnings.warn(
            f"{given.name}: columns of no known name are left out: {', '.join(map(repr, unknown))}",
            UserWarning,
            stacklevel=3,
        )


def _limited(name: str) -> str:
    """Response that a column is the limit of; no name where it is not one."""
    response = name.removesuffix(LIMIT)
    return response if name.endswith(LIMIT) and is_declared(response) and _dims(response) == OUTPUT else ""


def _dims(name: str) -> tuple[str, ...]:
    return declaration(name).dims


def _is_variable(name: str, kinds: tuple[Any, ...] = (INPUT, OUTPUT, OF_MOTION)) -> bool:
    """Whether a column goes into the dataset under its own name."""
    taken = ("outcome", "record", "intensity_value")
    return name not in taken and is_declared(name) and _dims(name) in kinds


def _outcomes(given: OutcomeTable) -> tuple[np.ndarray, str]:
    """Codes of the outcomes (n_row,), and what they mean where it is not overturning."""
    if "overturned" in given.columns or "outcome" in given.columns:
        name, words, shown = "overturned", WORDS, list(WORDS)[:3]
        if name not in given.columns:
            name, codes = "outcome", [code for code in Outcome if code != Outcome.NOT_RUN]
            words = {code.name.lower(): code for code in codes}
            shown, words = list(words), words | {str(int(code)): code for code in codes}
        found = []
        for row, cell in enumerate(given.columns[name].values):
            text, number = str(cell).strip().lower(), _number(cell)
            code = words.get(f"{number:g}" if np.isfinite(number) else text)
            if code is None:
                raise given.refuse(row, name, f"expected {', '.join(shown)}")
            found.append(code)
        return np.array(found), ""
    limits = next(name for name in given.columns if _limited(name) in given.columns)
    response = _limited(limits)
    limit, value = _variable(given, limits, declaration(response)), _variable(given, response)
    if not np.isfinite(limit).all():
        raise given.refuse(int((~np.isfinite(limit)).argmax()), limits, "expected a finite number")
    judged = np.where(value > limit, Outcome.OVERTURNED, Outcome.AT_REST)
    unit = unit_in_text(declaration(response).units).replace("1", "")
    beyond = f"{limit[0]:g} {unit}".strip() if (limit == limit[0]).all() else "its limit"
    event = f"{response.replace('_', ' ')} beyond {beyond}"
    return np.where(np.isnan(value), Outcome.FAILED, judged), event


def _intensities(given: OutcomeTable, measures: list[str]) -> tuple[str, list[np.ndarray]]:
    """Unit of the first measure in datasets, and all measures (n_row,) in SI units."""
    units, found = [], []
    for name in measures:
        head, unit, _ = given.columns[name]
        parsed = parse_intensity_unit(unit) if unit else None
        declared = MEASURES[named_measure(name)[0]].units if name != ANY else ""
        if parsed is None and unit and declared and unit in (declared, unit_in_text(declared)):
            parsed = declared, 1.0
        if parsed is None or (declared and parsed[0] != declared):
            wanted = f" in {unit_in_text(declared)}" if declared else ""
            raise DatasetError(
                f"{given.name}: the intensity {head!r} needs a unit{wanted} in brackets, as in 'pga [g]', "
                "'pgv [cm/s]' or 'intensity [1]'"
            )
        most, words = strongest(parsed[0])
        most /= parsed[1]
        expected = f"expected a finite number >= 0 [{unit}] and <= {words}"
        values = given.numbers(name, expected, partial(_between, most))
        units.append(parsed[0])
        found.append(levelled(values * parsed[1]))
    return units[0], found


def _between(most: float, values: np.ndarray) -> np.ndarray:
    return (values >= 0) & (values <= most)


def levelled(values: np.ndarray) -> np.ndarray:
    """Intensities (n,), of which those that differ by rounding alone are the least of them.

    >>> levelled(np.array([0.1 + 0.2, 0.6, 0.3, 0.3001])).tolist()
    [0.3, 0.6, 0.3, 0.3001]
    """
    levels, place = np.unique(values, return_inverse=True)
    for k in np.flatnonzero(np.diff(levels) <= ROUNDING * levels[1:]) + 1:
        if levels[k] - levels[k - 1] <= ROUNDING * levels[k]:  # not a chain of many small steps
            levels[k] = levels[k - 1]
    return levels[place]


def _labels(given: OutcomeTable, column: str) -> tuple[np.ndarray, list[str]]:
    """Number of the label of each row (n_row,), and the labels, sorted with numbers in them as numbers."""
    texts = ["" if _is_missing(cell) else str(cell).strip() for cell in given.columns[column].values]
    if "" in texts:
        raise given.refuse(texts.index(""), column, "expected a name or number")
    labels = sorted(set(texts), key=by_number)
    number = {label: k for k, label in enumerate(labels)}
    return np.array([number[text] for text in texts]), labels


def _variable(given: OutcomeTable, name: str, declared: Variable | None = None) -> np.ndarray:
    """A column (n_row,) as the variable that is declared, in its unit."""
    declared = declared or declaration(name)
    _, unit, cells = given.columns[name]
    if declared.dtype == "U":
        return np.array([str(cell).strip() for cell in cells], object)
    own = unit_in_text(declared.units)
    size = 1.0 if unit in ("", own, declared.units) else factor_to(unit, own)
    if size is None:
        raise DatasetError(f"{given.name}: the column {name!r} must be in {own}, got the unit {unit!r}")
    if declared.flags is not None:
        codes = {code.name.lower(): int(code) for code in declared.flags}
        codes |= {str(code): code for code in codes.values()}
        keys = [str(cell).strip().lower() for cell in cells]
        if wrong := [row for row, key in enumerate(keys) if key not in codes]:
            raise given.refuse(wrong[0], name, f"expected one of {', '.join(codes)}")
        return np.array([codes[key] for key in keys])
    whole = np.dtype(declared.dtype).kind in "iu"
    expected = "expected a whole number" if whole else "expected a number, or nothing"
    blank = np.array([_is_missing(cell) for cell in cells])
    values = given.numbers(name, expected, lambda x: (x == np.floor(x)) if whole else ~np.isnan(x) | blank)
    return values * size


def _is_missing(cell: Any) -> bool:
    return cell is None or cell != cell or str(cell).strip().lower() in ("", "nan", "<na>")


def _number(cell: Any) -> float:
    try:
        return plain_number(cell) if isinstance(cell, str) else float(cell)
    except (TypeError, ValueError, OverflowError):
        return np.nan


def _check_repeated(given: OutcomeTable, measured: dict[str, np.ndarray], outcome: np.ndarray) -> None:
    """Refuse a run that is there twice, of its realization or with no other difference than its results.

    Rows that have a weight are counts of runs, of which one record may have several.
    """
    keys, what = ["record", "realization", *measured], "run of that realization"
    if "realization" not in given.columns:
        counts, results = "weight" in given.columns, ("overturned", "outcome")
        keys = [x for x in given.columns if counts or not (x in results or _is_variable(x, (OUTPUT,)))]
        what = "run"
    cells = [measured.get(name, given.columns[name].values) for name in keys]
    seen: dict[tuple[str, ...], int] = {}
    for row, key in enumerate(zip(*(map(str, column) for column in cells), strict=True)):
        if (first := seen.setdefault(key, row)) < row:
            raise DatasetError(
                f"{given.name}: {given.places[row]} has the same {what} as {given.places[first]}"
                f"{'' if outcome[row] == outcome[first] else ' with another outcome'}; number runs of their "
                "own in a column 'realization', or say in a column 'weight' for how many equal ones it stands"
            )


def _check_ladders(name: str, runs: _Rows, single: bool) -> None:
    """Refuse incremental analyses that stop at their first overturning while others go on."""
    key, number = _numbers_of_pairs(runs.own, runs.record)
    levels, rung = np.unique(runs.intensity, return_inverse=True)
    count, top = np.bincount(key), np.zeros(number, np.int64)
    np.maximum.at(top, key, rung)
    fell = np.bincount(key, runs.outcome == Outcome.OVERTURNED)
    last = np.bincount(key, (runs.outcome == Outcome.OVERTURNED) & (rung == top[key]))
    short = count < len(levels)
    if short.any() and (count == top + 1).all() and ((fell == 1) & (last == 1))[short].all():
        what = "records" if single else "realizations"
        raise DatasetError(
            f"{name}: {short.sum()} of {number} {what} stop at their first overturning: at stronger "
            "intensities only those that stand would be left, and the fractions would be too low; add a row "
            "with overturned 1 for each stronger one, as incremental analyses assume, or run them"
        )


def _numbers_of_pairs(own: np.ndarray, record: np.ndarray) -> tuple[np.ndarray, int]:
    """Number of the realization of each row, by its own label and its record, and how many there are."""
    pairs, key = np.unique(np.stack([own, record]), axis=1, return_inverse=True)
    return key.ravel(), pairs.shape[1]


def _laid_out(
    runs: _Rows, others: dict[str, np.ndarray], further: list[np.ndarray], measures: list[str]
) -> dict[str, Any]:
    """Variables of a dataset of levels if every realization meets every intensity, else of a cloud."""
    key, number = _numbers_of_pairs(runs.own, runs.record)
    levels = np.unique(runs.intensity)
    inputs = {name: values for name, values in others.items() if _dims(name) == INPUT}
    outputs = {name: values for name, values in others.items() if _dims(name) == OUTPUT}
    first = np.flatnonzero(np.diff(key, prepend=-1))
    per_realization = [*inputs.values(), runs.weight]
    stripes = (
        not further
        and len(key) == number * len(levels)
        and (np.bincount(key) == len(levels)).all()
        and (runs.intensity.reshape(number, -1) == levels).all()
        and all(_same(values, values[first][key]) for values in per_realization)
    )
    kept = first if stripes else np.arange(len(key))
    kept = np.repeat(kept, runs.weight[kept].astype(np.int64))
    shape = (len(kept), len(levels)) if stripes else (len(kept),)
    runs_kept = (kept[:, None] + np.arange(len(levels))) if stripes else kept
    found: dict[str, Any] = {"intensity": levels} if stripes else {"intensity_value": runs.intensity[kept]}
    found |= {"outcome": runs.outcome[runs_kept].reshape(shape), "record": runs.record[kept]}
    found |= {name: values[runs_kept].reshape(shape) for name, values in outputs.items()}
    found |= {name: values[kept] for name, values in inputs.items()}
    more = zip(measures[1:], further, strict=True)
    found |= {MEASURED + name: values[kept] for name, values in more}
    _, of_record = np.unique(runs.record, return_index=True)
    for name in (name for name in others if _dims(name) == OF_MOTION):
        found[name] = others[name][of_record]
        if (found[name][runs.record] != others[name]).any():
            raise DatasetError(f"the column {name!r} must be the same in all rows of a record")
    return found


def _same(first: np.ndarray, second: np.ndarray) -> bool:
    return bool(((first == second) | ((first != first) & (second != second))).all())
