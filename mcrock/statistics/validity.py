"""How far a study strains the model: contact, friction demand, impacts without a feasible pivot.

The body is rigid, does not slide and does not bounce. Every run records where that would not hold;
here the runs are counted. What is counted says whether the model applies, not whether it is right.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import xarray as xr

from mcrock.params import STANDING
from mcrock.statistics.probability import CLASSES, intensity_coordinate
from mcrock.statistics.runs import Classes, check_runs, guessed, intensity_classes, read_slices

AMONG = ("all", "standing")
QUANTILE = 0.95  # of the friction demand
# places at which friction demands are counted, 0.1 % apart
DEMANDS = np.exp(np.arange(np.log(1e-4), np.log(1e4), 1e-3))
FLAGS = {
    "contact_lost": "runs in which the contact force became tensile before 45 degrees of tilt",
    "edge_stick_infeasible": "runs in which the centre of pressure left an edge that could not be released",
    "infeasible_impacts": "runs in doubt after impacts without feasible pivot",
    "energy_gain_impacts": "runs with impacts whose drawn parameters gain energy",
}
READ = (
    "contact_lost",
    "edge_stick_infeasible",
    "energy_gain_impacts",
    "peak_tilt",
    "peak_friction_demand",
    "lowest_normal_force",
)


def model_validity(
    ds: xr.Dataset,
    friction: float | None = None,
    *,
    classes: int = CLASSES,
    allow_missing: bool = False,
) -> xr.Dataset:
    """Count, at each intensity, the runs that strain the model of a rigid body that sticks and never bounces.

    A run stands if it came to rest or had too little energy left to overturn; a body that never moved
    stands. Friction is that of the runs that rocked and stood: with a coefficient below the demand the
    body would have slid at some instant. A run that lost contact has no finite demand, and counts as
    needing more than any coefficient. Quantiles are rounded up by at most 0.1 %.

    Parameters
    ----------
    ds : Dataset
        Study with the outcomes `contact_lost`, `edge_stick_infeasible`, `energy_gain_impacts`,
        `peak_tilt`, `peak_friction_demand` and `lowest_normal_force`.
    friction : float, optional
        Coefficient of friction of the ground [1]; adds the shares of runs that need more.
    classes : int
        Classes of equal numbers of runs that a cloud study is cut into.
    allow_missing : bool
        Leave out runs that have not been run, rather than refuse.

    Returns
    -------
    Dataset
        Shares of the runs [1] on (among, intensity), `among` "all" or "standing": `contact_lost`,
        `edge_stick_infeasible`, `infeasible_impacts` (`mcrock.statistics.runs.guessed`) and
        `energy_gain_impacts`; `runs` (among, intensity). On (intensity): `rocked`, number of runs that
        rocked and stood; of these `friction_demand`, 95 % quantile, and `largest_friction_demand`,
        inf where contact was lost, and with `friction` the share `beyond_friction` [1];
        `lowest_normal_force` of the standing runs over the weight [1]. NaN where there are no such runs.
        Over all intensities: `study_friction_demand`, and `study_held_friction_demand` of the runs that
        rocked, stood and kept contact, both 95 % quantiles.

    Raises
    ------
    ValueError
        If the dataset does not fit, lacks a variable, holds runs not yet run, or `friction` is not
        finite and > 0.
    """
    check_runs(ds)
    if friction is not None and not (np.isfinite(friction) and friction > 0):
        raise ValueError(f"friction must be finite and > 0 [1], got {friction!r}")
    if classes < 1:
        raise ValueError(f"classes must be at least 1 [1], got {classes!r}")
    for name in READ:
        if name not in ds:
            raise ValueError(f"the dataset has no variable {name!r}; is it the store of a mcrock study?")
    places = intensity_classes(ds, classes)
    counts = _count(ds, places, friction, allow_missing)
    lost, largest = counts.lost, counts.largest
    rocked_runs = counts.demands.sum(axis=1) + lost
    with np.errstate(invalid="ignore"):
        shares = counts.flagged / counts.runs
        beyond_share = counts.beyond / rocked_runs
    result = xr.Dataset(
        coords={"among": list(AMONG), "intensity": intensity_coordinate(ds, places)},
        attrs={"quantile": QUANTILE, **({} if friction is None else {"friction": friction})},
    )

    def add(name: str, dims: tuple[str, ...], values: np.ndarray | float, long_name: str) -> None:
        result[name] = (dims, values, {"units": "1", "long_name": long_name})

    add("runs", ("among", "intensity"), counts.runs, "number of runs")
    for (name, words), share in zip(FLAGS.items(), shares, strict=True):
        add(name, ("among", "intensity"), share, f"fraction of {words}")
    add("rocked", ("intensity",), rocked_runs, "number of runs that rocked and stood")
    by_intensity = zip(counts.demands, lost, largest, strict=True)
    quantiles = [_quantile(row, gone, top) for row, gone, top in by_intensity]
    whole = f"{QUANTILE * 100:g} % quantile of the friction demand of the runs that rocked and stood"
    add("friction_demand", ("intensity",), np.array(quantiles), whole)
    add(
        "largest_friction_demand",
        ("intensity",),
        np.where(rocked_runs > 0, largest, np.nan),
        "largest friction demand of the runs that rocked and stood",
    )
    if friction is not None:
        add(
            "beyond_friction",
            ("intensity",),
            beyond_share,
            f"fraction of these with a demand above {friction:g}",
        )
    add(
        "lowest_normal_force",
        ("intensity",),
        np.where(counts.runs[1] > 0, counts.force, np.nan),
        "smallest vertical contact force of the standing runs over the weight",
    )
    total, top = counts.demands.sum(axis=0), float(largest.max())
    add("study_friction_demand", (), _quantile(total, int(lost.sum()), top), f"{whole}, at all intensities")
    held_words = f"{whole} and kept contact, at all intensities"
    add("study_held_friction_demand", (), _quantile(total, 0, top), held_words)
    return result


class Counts(NamedTuple):
    """Numbers of runs by class of the intensity, in the groups of AMONG and with the FLAGS."""

    runs: np.ndarray  # (2, n_class)
    flagged: np.ndarray  # (n_flag, 2, n_class)
    demands: np.ndarray  # (n_class, n_demand + 1) rocked, stood, kept contact; by friction demand
    lost: np.ndarray  # (n_class,) rocked and stood, and lost contact
    beyond: np.ndarray  # (n_class,) rocked and stood, and need more friction than there is
    largest: np.ndarray  # (n_class,) largest demand, -inf where none rocked and stood [1]
    force: np.ndarray  # (n_class,) smallest contact force of standing runs over the weight [1], else inf


def _count(ds: xr.Dataset, places: Classes, friction: float | None, allow_missing: bool) -> Counts:
    """Read the runs in slices and count those that strain the model."""
    size = len(places.centre)
    runs = np.zeros((2, size), np.int64)
    flagged = np.zeros((len(FLAGS), 2, size), np.int64)
    demands = np.zeros((size, len(DEMANDS) + 1), np.int64)
    lost, beyond = np.zeros(size, np.int64), np.zeros(size, np.int64)
    largest, force = np.full(size, -np.inf), np.full(size, np.inf)
    for where, part, there in read_slices(ds, READ, allow_missing):
        index = np.arange(size) if places.of_run is None else places.of_run[where]
        cell = np.broadcast_to(index, there.shape)

        def count(kept: np.ndarray, cell: np.ndarray = cell) -> np.ndarray:
            return np.bincount(cell[kept], minlength=size)

        standing = there & np.isin(part["outcome"].values, STANDING)
        tensile = part["contact_lost"].values > 0
        marks = (
            tensile,
            part["edge_stick_infeasible"].values > 0,
            guessed(part).values,
            part["energy_gain_impacts"].values > 0,
        )
        for k, group in enumerate((there, standing)):
            runs[k] += count(group)
            for i, mark in enumerate(marks):
                flagged[i, k] += count(group & mark)
        rocked = standing & (part["peak_tilt"].values > 0)
        held = rocked & ~tensile
        demand = np.where(tensile, np.inf, part["peak_friction_demand"].values.astype(float))
        lost += count(rocked & tensile)
        flat = cell[held] * demands.shape[1] + np.searchsorted(DEMANDS, demand[held])
        demands += np.bincount(flat, minlength=demands.size).reshape(demands.shape)
        np.maximum.at(largest, cell[rocked], demand[rocked])
        np.minimum.at(force, cell[standing], part["lowest_normal_force"].values[standing])
        if friction is not None:
            beyond += count(rocked & (demand > friction))
    return Counts(runs, flagged, demands, lost, beyond, largest, force)


def _quantile(counts: np.ndarray, lost: int | np.int64, largest: float) -> float:
    """Demand that QUANTILE of the runs do not exceed; `lost` runs have no finite one."""
    number = int(counts.sum()) + int(lost)
    if number == 0:
        return np.nan
    place = int(np.searchsorted(np.cumsum(counts), np.ceil(QUANTILE * number)))
    return float(min(DEMANDS[place], largest)) if place < len(DEMANDS) else np.inf
