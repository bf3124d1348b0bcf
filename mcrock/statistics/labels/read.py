"""Labels from a file, and the runs of a study that they refer to."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from mcrock.base.tables.errors import ConfigError
from mcrock.base.tables.parsing import read_columns
from mcrock.dataset.schema import OUTER
from mcrock.statistics.nested import is_nested
from mcrock.statistics.runs import ESTIMATE, overturn_levels

COLUMNS = ("realization", "record", "intensity")  # that choose runs; each may be missing
MOST = 2**53  # number of a run of which a table can say that it is whole
STUDY = "study"  # column with the number of the study, from 0 in their order


class Labels(NamedTuple):
    """Observations of objects that fell or stood, one label each."""

    fallen: NDArray[np.float64]  # (n_label,) 1 fell, 0 stood
    chosen: dict[str, NDArray[np.int64]]  # (n_label,) numbers from 0 that choose runs, by `COLUMNS`
    study: NDArray[np.int64]  # (n_label,) number of the study, from 0

    def of_study(self, number: int) -> Labels:
        """Labels of one study, by its number from 0."""
        own = self.study == number
        chosen = {name: array[own] for name, array in self.chosen.items()}
        return Labels(self.fallen[own], chosen, self.study[own])


def read_labels(path: str | Path) -> Labels:
    """Read labels from a CSV file.

    The column ``fallen`` has 1 for objects that fell and 0 for those that stood; ``study`` the number of the
    study, by default 0. The columns ``realization``, ``record`` and ``intensity``, numbers from 0 in the
    order of the store, choose the runs that a label refers to; without them it refers to all runs.

    Parameters
    ----------
    path : str or Path
        CSV file with a line of column names.

    Returns
    -------
    Labels

    Raises
    ------
    ConfigError
        If the file cannot be read, has no column ``fallen`` or an unknown one, a value of ``fallen`` other
        than 0 and 1, or other numbers that are not whole numbers from 0.
    """
    place = Path(path)
    columns = read_columns(place)
    if "fallen" not in columns or not columns["fallen"]:
        raise ConfigError(f"{place}: expected a column 'fallen' with 1 for fallen and 0 for standing")
    unknown = [name for name in columns if name not in (*COLUMNS, STUDY, "fallen")]
    if unknown:
        raise ConfigError(
            f"{place}: unknown column {unknown[0]!r}; expected fallen, {STUDY}, {', '.join(COLUMNS)}"
        )
    fallen = np.array(columns.pop("fallen"))
    if not np.isin(fallen, (0.0, 1.0)).all():
        row = int(np.flatnonzero(~np.isin(fallen, (0.0, 1.0)))[0])
        raise ConfigError(f"{place}: fallen: expected 0 or 1, got {fallen[row]:g} in row {row + 1}")
    chosen = {name: whole_numbers(place, name, np.array(values)) for name, values in columns.items()}
    study = chosen.pop(STUDY, np.zeros(len(fallen), np.int64))
    return Labels(fallen, chosen, study)


def whole_numbers(place: Path, name: str, values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Numbers of runs in a column of a file; a ConfigError if some are no whole numbers from 0."""
    if not ((values >= 0) & (values < MOST) & (np.floor(values) == values)).all():
        raise ConfigError(f"{place}: {name}: expected whole numbers from 0")
    return values.astype(np.int64)


def shares_of_runs(
    fallen: NDArray[np.float64], labels: Labels, record: NDArray[np.int64] | None = None
) -> NDArray[np.float64]:
    """Fraction overturned of the runs that each label is about, by draw (n_draw, n_label) [1].

    Parameters
    ----------
    fallen : ndarray (n_draw, n_realization, n_intensity)
        From `overturned_shares`.
    labels : Labels
    record : ndarray (n_realization,), optional
        Number of the record of each realization.

    Raises
    ------
    ValueError
        If a label is about no run.
    """
    found = np.empty((len(fallen), len(labels.fallen)))
    for k in range(len(labels.fallen)):
        rows, levels = chosen_runs(labels, k, fallen.shape[1:], record)
        found[:, k] = fallen[:, rows][:, :, levels].mean(axis=(1, 2))
    return found


def chosen_runs(
    labels: Labels, k: int, shape: tuple[int, ...], record: NDArray[np.int64] | None
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which realizations and which intensities the label k is about, of a study with runs of a shape
    (n_realization, n_intensity); records as of `shares_of_runs`.

    Raises
    ------
    ValueError
        If it is about no run.
    """
    sizes = dict(zip(("realization", "intensity"), shape, strict=True))
    rows, levels = (np.ones(size, bool) for size in shape)
    for name, numbers in labels.chosen.items():
        number = int(numbers[k])
        if name == "record":
            if record is None:
                raise ValueError("the study has no records, and the labels name them")
            rows &= record == number
            continue
        if number >= sizes[name]:
            raise ValueError(f"row {k + 1} of the table: {name} must be 0 to {sizes[name] - 1}, got {number}")
        only = np.arange(sizes[name]) == number
        rows, levels = (rows & only, levels) if name == "realization" else (rows, levels & only)
    if not rows.any():
        raise ValueError(f"row {k + 1} of the table is about no run: no realization has its record")
    return rows, levels


def overturned_shares(ds: xr.Dataset) -> NDArray[np.float64]:
    """What each run of a nested study says: 1 overturned, 0 stood, one half where it is not decided
    (n_draw, n_realization, n_intensity).

    Raises
    ------
    ValueError
        If the study is not nested.
    """
    if not is_nested(ds):
        raise ValueError(
            "labels weigh outer draws: mark distributions with 'epistemic = true' and "
            "give 'ensemble.outer', the number of their draws"
        )
    draws = []
    for k in range(ds.sizes[OUTER]):
        one = ds.isel({OUTER: k}).transpose("realization", ...)
        found = overturn_levels(one).readings[ESTIMATE].astype(float)
        draws.append(found.reshape(len(found), -1))
    return np.stack(draws)
