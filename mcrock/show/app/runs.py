"""Runs of a study as dots to choose from and as counts to look at, neither of which grows with the study."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from mcrock.base.random_numbers import uniforms
from mcrock.dataset.schema import OUTER, outputs
from mcrock.show.run import format_result
from mcrock.show.style import axis_scale
from mcrock.statistics.outcomes import PEAKS_READ, UNDECIDED, Ending, run_endings
from mcrock.statistics.probability import displacement_limit, pooled
from mcrock.statistics.runs import intensity_classes, is_cloud, is_given, read_slices, run_intensity, study_of
from mcrock.study.sampling import variable_name

RATIO = "peak_tilt_ratio"
LEAST, MOST_TILT = 1e-3, 20.0  # of the axis of the tilt; below it runs stand at its end [1]
ROWS = 36  # of the counts
BINS = 40  # of the intensities of a cloud
DOTS = 2500  # of each group: as many as browsers move at ease
JITTER = 0.35  # width of a stripe over the distance to its neighbour [1]
SPREAD = 0x5EED  # stream of the numbers that spread dots, and choose those shown
GROUPS = {  # what is filtered, by what a run ended as
    "overturned": (Ending.OVERTURNED,),
    "slid": (Ending.SLID, Ending.SLID_AND_ROCKED, Ending.LEFT_THE_GROUND, Ending.FELL_OFF_ITS_SUPPORT),
    "stood": (Ending.RESTED, Ending.ROCKED),
    "undecided": UNDECIDED,
}


class RunDots(NamedTuple):
    """Runs of a study for a figure.

    Attributes
    ----------
    totals : dict of str to int
        Runs of each group.
    counts : ndarray (n_group, n_column, `ROWS`)
        Runs of each group in cells of intensity and peak tilt.
    x_edges : ndarray (n_column, 2)
        Ends of the columns, in the unit of the axis.
    y_edges : ndarray (`ROWS` + 1,)
        Ends of the rows: peak tilt over slenderness [1].
    dots : dict of str to ndarray
        Some runs of each group, all of a small study: `group`, `ending`, `outer`, `realization`,
        `intensity` (numbers), `x` in the unit of the axis, spread around its level, and `tilt`.
    label : str
        Of the axis of intensities, with its unit.
    """

    totals: dict[str, int]
    counts: np.ndarray
    x_edges: np.ndarray
    y_edges: np.ndarray
    dots: dict[str, np.ndarray]
    label: str


def collect_runs(ds: xr.Dataset, *, allow_missing: bool = False) -> RunDots:
    """Dots and counts of the runs of a study, read in slices.

    Parameters
    ----------
    ds : Dataset
        Result of a study with `peak_tilt_ratio`.
    allow_missing : bool
        Leave out runs that have not been run, rather than refuse.
    """
    inner, flat = ds.sizes["realization"], pooled(ds)
    factor, label = axis_scale(run_intensity(flat))
    places = intensity_classes(flat, BINS)
    x_edges = factor * (
        np.stack([places.lower, places.upper], axis=1) if is_cloud(flat) else _stripes(places.centre)
    )
    y_edges = np.geomspace(LEAST, MOST_TILT, ROWS + 1)
    code_of = np.zeros(len(Ending), int)
    for code, endings in enumerate(GROUPS.values()):
        code_of[list(endings)] = code
    shape = (len(GROUPS), len(x_edges), ROWS)
    counts, kept = np.zeros(np.prod(shape), np.int64), [_Kept() for _ in GROUPS]
    strength, limit = run_intensity(flat), displacement_limit(flat)
    for where, part, there in read_slices(flat, (*PEAKS_READ, RATIO), allow_missing):
        ending = run_endings(part, limit)
        column = np.arange(len(x_edges)) if places.of_run is None else places.of_run[where].astype(np.int64)
        tilt = np.nan_to_num(part[RATIO].values, nan=LEAST).clip(LEAST, MOST_TILT)
        row = (np.searchsorted(y_edges, tilt, side="right") - 1).clip(0, ROWS - 1)
        group = code_of[ending]
        cell = (group * shape[1] + column) * ROWS + row
        counts += np.bincount(cell[there], minlength=counts.size)
        levels = 1 if is_cloud(flat) else there.shape[1]
        number = np.arange(where.start * levels, where.stop * levels).reshape(there.shape)
        order = uniforms(SPREAD, 0, where.start * levels, there.size).reshape(there.shape)
        values = strength.isel(realization=where).values if is_cloud(flat) else strength.values
        columns = {"number": number, "order": order, "ending": ending, "tilt": tilt}
        columns["level"] = np.broadcast_to(values, there.shape)
        for code, keep in enumerate(kept):
            among = there & (group == code)
            keep.add({name: array[among] for name, array in columns.items()})
    dots = _dots(kept, levels, inner if OUTER in ds.dims else flat.sizes["realization"])
    spread = np.zeros(len(dots["x"])) if is_cloud(flat) else np.ptp(x_edges, axis=1)[dots["intensity"]]
    dots["x"] = factor * dots["x"] + spread * (dots.pop("spread") - 0.5)
    totals = counts.reshape(shape).sum(axis=(1, 2))
    return RunDots(
        dict(zip(GROUPS, totals.tolist(), strict=True)), counts.reshape(shape), x_edges, y_edges, dots, label
    )


class _Kept:
    """Runs of a group: those with the least of some random numbers, whatever the slices."""

    def __init__(self) -> None:
        self.columns: dict[str, np.ndarray] = {}

    def add(self, more: dict[str, np.ndarray]) -> None:
        joined = {
            name: np.concatenate([self.columns.get(name, array[:0]), array]) for name, array in more.items()
        }
        best = np.argsort(joined["order"], kind="stable")[:DOTS]
        self.columns = {name: array[best] for name, array in joined.items()}


def _dots(kept: list[_Kept], levels: int, inner: int) -> dict[str, np.ndarray]:
    """Columns of the dots by name."""
    joined = {name: np.concatenate([keep.columns[name] for keep in kept]) for name in kept[0].columns}
    group = np.repeat(list(GROUPS), [len(keep.columns["number"]) for keep in kept])
    realization, intensity = np.divmod(joined["number"], levels)
    outer, realization = np.divmod(realization, inner)
    words = np.array([ending.words for ending in Ending])
    spread = np.modf(joined["order"] * 4096.0)[0]  # other digits than those that choose
    numbers = {"outer": outer, "realization": realization, "intensity": intensity, "spread": spread}
    told = {"group": group, "ending": words[joined["ending"]]}
    return numbers | told | {"x": joined["level"].astype(float), "tilt": joined["tilt"].astype(float)}


def _stripes(levels: np.ndarray) -> np.ndarray:
    """Ends of a column around each level (n, 2), narrower than the distance to the next."""
    if len(levels) == 1:
        half = np.array([0.5 * JITTER * max(levels[0], 1.0)])
    else:
        gaps = np.abs(levels[:, None] - levels)
        half = JITTER * np.where(gaps > 0, gaps, np.inf).min(axis=1)
    return np.stack([levels - half, levels + half], axis=1)


def input_names(ds: xr.Dataset, first: int = 0) -> dict[str, str]:
    """Keys of the study file and units of the numbers that differ between realizations from a first one that
    was run on, by variable."""
    results, dims = outputs(friction=True), (("realization",), (OUTER, "realization"))
    study = study_of(ds)
    keys = {variable_name(key): key for key in study.uncertain} if study else {}
    names = [str(name) for name in ds.data_vars if name not in results and ds[name].dims in dims]
    names = [name for name in names if is_given(ds, name)]
    found = {}
    for name in names:
        some = ds[name].isel(realization=slice(first, first + 256)).values.ravel()
        if some.dtype.kind in "fi" and len(np.unique(some[some == some])) > 1:
            found[name] = f"{keys.get(name, name)} [{_scale(ds[name])[1]}]"
    return found


def _scale(variable: xr.DataArray) -> tuple[float, str]:
    """Factor from data to axis, and the unit there; angles are in degrees, as in study files."""
    if variable.attrs.get("units") == "rad":
        return 180.0 / np.pi, "deg"
    factor, label = axis_scale(variable)
    return factor, label.rpartition("[")[2].removesuffix("]")


def input_of(ds: xr.Dataset, name: str, outer: np.ndarray, realization: np.ndarray) -> np.ndarray:
    """An input of some runs, in the unit of its axis."""
    at: dict[str, Any] = {"realization": xr.DataArray(realization, dims="dot")}
    if OUTER in ds[name].dims:
        at[OUTER] = xr.DataArray(outer, dims="dot")
    values: np.ndarray = _scale(ds[name])[0] * ds[name].isel(at).values
    return values


def input_rows(ds: xr.Dataset, names: dict[str, str], at: dict[str, int]) -> list[tuple[str, str]]:
    """Inputs of a run, of the names of `input_names`: their keys, values with units, and what they are."""
    rows = []
    for name, key in names.items():
        value, attrs = float(ds[name].isel({dim: at[str(dim)] for dim in ds[name].dims})), ds[name].attrs
        shown = format_result(attrs.get("units", "1"), value)
        rows.append((key.partition(" [")[0], f"{shown}  {attrs.get('long_name', '')}".replace("`", "")))
    return rows
