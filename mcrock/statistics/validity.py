"""Runs at the limits of the model, and runs certified to be the same with friction.

Without friction in the study contacts stick: the body is rigid, does not slide and does not bounce. Every run
records where that would not hold, and the least friction at which it holds throughout; here these runs are
counted. The counts tell whether the model applies, not whether it is right.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from mcrock.base.params import STANDING
from mcrock.dataset.opened import takes_path
from mcrock.statistics.probability import CLASSES, intensity_coordinate
from mcrock.statistics.runs import Classes, check_runs, guessed, intensity_classes, read_slices

AMONG = ("all", "standing")
FRICTIONS = (0.3, 0.5, 1.0)  # polished stone or steel, usual floors, rough ground [1]
FLAGS = {
    "contact_lost": "runs in which the contact force became tensile before 45 degrees of tilt",
    "edge_stick_infeasible": "runs in which the centre of pressure left an edge that could not be released",
    "infeasible_impacts": "runs in doubt after impacts without feasible pivot",
    "energy_gain_impacts": "runs with impacts whose drawn parameters gain energy",
}
READ = ("contact_lost", "edge_stick_infeasible", "energy_gain_impacts", "lowest_normal_force")
CERTIFICATES = ("certified_friction", "certified_until")


@takes_path
def model_validity(
    ds: xr.Dataset,
    friction: Sequence[float] = FRICTIONS,
    *,
    classes: int = CLASSES,
    allow_missing: bool = False,
) -> xr.Dataset:
    """Count the runs at the limits of the model and those it certainly holds for, at each intensity.

    A run stands if it came to rest or had too little energy left to overturn; a body that never moved stands.
    A run without friction is certified at a friction coefficient if the whole run would be identical with
    that friction and without rebound: every contact force, at rest and in motion, and every impact impulse
    lies within the friction cone. A run with friction is certified if it is identical to one with sticking
    contacts. Not certified means not known.

    Parameters
    ----------
    ds : Dataset
        Study with the outcomes `contact_lost`, `edge_stick_infeasible`, `energy_gain_impacts` and
        `lowest_normal_force`; `certified_friction` or, with friction, `certified_until`, if there.
    friction : sequence of float
        Coefficients at which runs of a study without friction are judged [1].
    classes : int
        Number of bins, of equal numbers of runs, of a cloud study.
    allow_missing : bool
        Leave out runs that have not been run, rather than refuse.

    Returns
    -------
    Dataset
        Fractions of the runs [1] on (among, intensity), `among` "all" or "standing": `contact_lost`,
        `edge_stick_infeasible`, `infeasible_impacts` (`mcrock.statistics.runs.guessed`) and
        `energy_gain_impacts`; `runs` (among, intensity), their number. `lowest_normal_force` (intensity), the
        smallest of the standing runs over the weight [1]. For a study without friction `certified` (friction,
        among, intensity), for one with friction `certified_throughout` (among, intensity) [1], if the dataset
        has the certificates. NaN where there are no such runs.

    Raises
    ------
    ValueError
        If the dataset does not fit, lacks a variable, holds runs not yet run, or a friction is not finite
        and > 0.
    """
    check_runs(ds)
    coefficients = np.asarray(friction, float)
    if coefficients.ndim != 1 or not (np.isfinite(coefficients) & (coefficients > 0)).all():
        raise ValueError(f"friction must list coefficients that are finite and > 0 [1], got {friction!r}")
    if classes < 1:
        raise ValueError(f"classes must be at least 1 [1], got {classes!r}")
    for name in READ:
        if name not in ds:
            raise ValueError(f"the dataset has no variable {name!r}; is it the store of a mcrock study?")
    with_friction = "certified_until" in ds
    if with_friction or "certified_friction" not in ds:
        coefficients = coefficients[:0]
    places = intensity_classes(ds, classes)
    runs, flagged, certified, force = _counted(ds, coefficients, places, allow_missing)
    with np.errstate(invalid="ignore"):
        shares, certain = flagged / runs, certified / runs
    result = xr.Dataset(coords={"among": list(AMONG), "intensity": intensity_coordinate(ds, places)})

    def add(name: str, dims: tuple[str, ...], values: np.ndarray, long_name: str) -> None:
        result[name] = (dims, values, {"units": "1", "long_name": long_name})

    add("runs", ("among", "intensity"), runs, "number of runs")
    for (name, words), share in zip(FLAGS.items(), shares, strict=True):
        add(name, ("among", "intensity"), share, f"fraction of {words}")
    add(
        "lowest_normal_force",
        ("intensity",),
        np.where(runs[1] > 0, force, np.nan),
        "smallest vertical contact force of the standing runs over the weight",
    )
    if with_friction:
        whole = "fraction of runs certified to be those of contacts that stick"
        add("certified_throughout", ("among", "intensity"), certain[0], whole)
    elif len(coefficients):
        result = result.assign_coords(friction=("friction", coefficients, {"units": "1"}))
        same = "fraction of runs certified to be the same with friction"
        add("certified", ("friction", "among", "intensity"), certain, same)
    return result


def knows_strain(ds: xr.Dataset) -> bool:
    """True if the runs say what strained the model: those of mcrock do."""
    return all(name in ds for name in READ)


def _counted(
    ds: xr.Dataset, coefficients: np.ndarray, places: Classes, allow_missing: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Runs (among, n_class), those of each flag and certificate, and the lowest force (n_class,)."""
    size, with_friction = len(places.centre), "certified_until" in ds
    runs = np.zeros((len(AMONG), size), np.int64)
    flagged = np.zeros((len(FLAGS), *runs.shape), np.int64)
    certified = np.zeros((with_friction + len(coefficients), *runs.shape), np.int64)
    force = np.full(size, np.inf)
    for where, part, there in read_slices(ds, (*READ, *CERTIFICATES), allow_missing):
        index = np.arange(size) if places.of_run is None else places.of_run[where]
        cell = np.broadcast_to(index, there.shape)
        standing = there & np.isin(part["outcome"].values, STANDING)
        marks = (
            part["contact_lost"].values > 0,
            part["edge_stick_infeasible"].values > 0,
            guessed(part).values,
            part["energy_gain_impacts"].values > 0,
        )
        sure = [part["certified_until"].values == np.inf] if with_friction else []
        if len(coefficients):
            needed = part["certified_friction"].values  # 0 is no certificate: whatever is shaken needs some
            sure = [(needed > 0) & (needed <= coefficient) for coefficient in coefficients]
        for k, group in enumerate((there, standing)):
            runs[k] += np.bincount(cell[group], minlength=size)
            for counts, chosen in ((flagged, marks), (certified, sure)):
                for i, mark in enumerate(chosen):
                    counts[i, k] += np.bincount(cell[group & mark], minlength=size)
        np.minimum.at(force, cell[standing], part["lowest_normal_force"].values[standing])
    return runs, flagged, certified, force
