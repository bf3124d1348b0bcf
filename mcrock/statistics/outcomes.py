"""How runs ended: outcomes, responses of users, doubtful and representative runs, convergence.

`outcome_shares` has the fraction of each ending, `own_responses` mean and quantiles of what a function of the
user gives for every run, `undecided_runs` the reasons, `representative_runs` the middle and the weakest run
that overturned and the strongest survivor.

`model_validity` counts runs at the limits of the model. Without friction in the study contacts stick: the
body is rigid, does not slide and does not bounce. Every run records where that would not hold, and the least
friction at which it holds throughout. The counts tell whether the model applies, not whether it is right.
`size_convergence` and `step_check` are of the number of realizations and of the time step.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from enum import IntEnum, auto
from typing import NamedTuple, Unpack

import numpy as np
import xarray as xr

from mcrock.base.checks import shared_keywords
from mcrock.base.params import STANDING, Outcome
from mcrock.dataset.opened import accepts_path
from mcrock.dataset.schema import OUTER, own_names
from mcrock.statistics.intervals import (
    Confidence,
    ConfidenceKeywords,
    check_level,
    interval_of_readings,
    student_interval,
    table,
    wilson_interval,
)
from mcrock.statistics.probability import (
    CLASSES,
    OF_SUPPORT,
    displacement_limit,
    intensity_coordinate,
    pooled,
)
from mcrock.statistics.runs import (
    NOT_DECIDED,
    Classes,
    Passed,
    among,
    axis_attrs,
    check_runs,
    count_runs,
    guessed,
    intensity_classes,
    is_cloud,
    overturn_levels,
    read_slices,
    record_index,
    run_intensity,
    slices,
    undecided,
)

TILT = 1e-6  # of a body that does not rock: flat landings of one that slides leave rounding [rad]
SLIP = 1e-3  # slip path up to which a contact is said to stick [m]
FLIGHT = 0.01  # time of a flight up to which a body is not said to leave the ground [s]
PEAKS_READ = ("peak_tilt", "slip_path", "longest_flight", "peak_displacement")


class Ending(IntEnum):
    """Outcome of a run in the words of users: the last that applies; `words` is its name."""

    RESTED = 0
    SLID = auto()
    ROCKED = auto()
    SLID_AND_ROCKED = auto()
    LEFT_THE_GROUND = auto()
    FELL_OFF_ITS_SUPPORT = auto()
    OVERTURNED = auto()
    STILL_ROCKING = auto()  # from here on the run is undecided
    LIMIT_MET = auto()
    FRICTION_UNDECIDED = auto()
    LIFTED_OFF = auto()
    FAILED = auto()
    INFEASIBLE_IMPACT = auto()
    BEYOND_STROKE = auto()

    @property
    def words(self) -> str:
        """As users say it."""
        return self.name.lower().replace("_", " ")


UNDECIDED = tuple(ending for ending in Ending if ending >= Ending.STILL_ROCKING)


@accepts_path
@shared_keywords(Confidence)
def outcome_shares(
    ds: xr.Dataset, *, classes: int = CLASSES, **keywords: Unpack[ConfidenceKeywords]
) -> xr.Dataset:
    """Fraction of the runs at each intensity with each ending, with its interval.

    Parameters
    ----------
    ds : Dataset
        As for `overturning_probability`. `peak_tilt`, if present, tells rocking from standing still;
        `slip_path` (beyond 1 mm), `longest_flight` (beyond 10 ms) and `peak_displacement` (beyond
        `displacement_limit`) of runs with friction tell the other endings.
    classes, **keywords
        As for `overturning_probability`.

    Returns
    -------
    Dataset
        `share` (ending, intensity) and `interval` (bound, ending, intensity) [1], `runs` (intensity) and
        `records` [1]. The endings, named by the words of `Ending`, exclude each other. A run in doubt after
        infeasible impacts has that ending, whatever came later; the intervals of decided endings take
        undecided runs both ways, as in `overturning_probability`.

    Raises
    ------
    ValueError
        If the dataset does not fit, holds runs not yet run, or `level` is outside (0, 1).
    """
    how = Confidence(**keywords)
    check_runs(ds)
    limit = displacement_limit(ds)

    def ending(part: xr.Dataset) -> Passed:
        code = run_endings(part, limit)
        return Passed(code, code, code, code)

    record, records = record_index(ds)
    grouping = record if how.cluster else None
    places = intensity_classes(ds, classes)
    tally = count_runs(
        ds, ending, len(Ending), places, grouping, names=PEAKS_READ, allow_missing=how.allow_missing
    )
    # runs (record, class) that are beyond each ending, and so of each
    beyond = tally.beyond.sure
    above = np.concatenate([tally.runs[..., None], beyond[..., :-1]], axis=-1)
    number = np.moveaxis(above - beyond, -1, 1)
    doubt = number[:, list(UNDECIDED)].sum(axis=1, keepdims=True)
    decided = np.array([ending not in UNDECIDED for ending in Ending])[:, None]
    possible = number + np.where(decided, doubt, 0)
    runs = np.broadcast_to(tally.runs[:, None], number.shape)
    ends = interval_of_readings(number, possible, runs, how.level, clustered=grouping is not None)
    total = tally.runs.sum(axis=0)
    with np.errstate(invalid="ignore"):
        share = number.sum(axis=0) / total
    return table(
        {
            "share": (("ending", "intensity"), share, {"long_name": "fraction of the runs"}),
            "interval": (("bound", "ending", "intensity"), ends),
            "runs": ("intensity", total),
            "records": ((), records),
        },
        coords={"ending": [ending.words for ending in Ending], "intensity": intensity_coordinate(ds, places)},
        attrs=how.attrs(record) | ({} if limit is None else {OF_SUPPORT: limit}),
    )


def run_endings(part: xr.Dataset, limit: float | None) -> np.ndarray:
    """Codes of `Ending` of the runs of a slice."""

    def beyond(name: str, least: float) -> np.ndarray:
        return part[name].values > least if name in part else np.zeros(outcome.shape, bool)

    outcome = part["outcome"].values
    rocked = beyond("peak_tilt", TILT) | (outcome == Outcome.SETTLING) | ("peak_tilt" not in part)
    code = Ending.SLID * beyond("slip_path", SLIP) + Ending.ROCKED * rocked  # both are SLID_AND_ROCKED
    code[beyond("longest_flight", FLIGHT)] = Ending.LEFT_THE_GROUND
    if limit is not None:
        code[beyond("peak_displacement", limit)] = Ending.FELL_OFF_ITS_SUPPORT
    code[outcome == Outcome.OVERTURNED] = Ending.OVERTURNED
    code[~among(outcome, (*STANDING, Outcome.OVERTURNED))] = Ending.LIMIT_MET
    code[outcome == Outcome.ROCKING] = Ending.STILL_ROCKING
    code[outcome == Outcome.PAINLEVE] = Ending.FRICTION_UNDECIDED
    code[outcome == Outcome.LIFTED_OFF] = Ending.LIFTED_OFF
    code[outcome == Outcome.FAILED] = Ending.FAILED
    code[guessed(part).values] = Ending.INFEASIBLE_IMPACT
    code[beyond(STROKE, 0)] = Ending.BEYOND_STROKE
    return code


SHARES = (0.05, 0.5, 0.95)  # of the runs below the quantiles


@accepts_path
@shared_keywords(Confidence)
def own_responses(ds: xr.Dataset, **keywords: Unpack[ConfidenceKeywords]) -> xr.Dataset | None:
    """Mean and quantiles of each response of one's own, over the runs in which it is a number.

    Parameters
    ----------
    ds : Dataset
        Result of a study with responses ``own_NAME``; those of a cloud study are taken together.
    **keywords
        As for `overturning_probability`.

    Returns
    -------
    Dataset or None
        `mean` (response, intensity) with its `interval` (bound, response, intensity), Student's over the
        recordings and NaN with a single one, from 0 on at least where no run has a negative response, as
        then a time or distance has no negative mean and no coverage is lost; and `quantile` (share, response,
        intensity), in the units that `units` (response) names; `runs` (intensity) and `unknown` (response,
        intensity), runs in which the response is NaN [1]. None without such a response.

    Raises
    ------
    ValueError
        As `overturning_probability`.
    """
    how = Confidence(**keywords)
    check_runs(ds)
    names = own_names(ds)
    if not names:
        return None
    record, records = record_index(ds)
    unit = record if how.cluster and record is not None else np.arange(ds.sizes["realization"])
    n_unit, n = int(unit.max()) + 1, len(unit)
    done = np.concatenate([there for *_, there in read_slices(ds, (), how.allow_missing)]).reshape(n, -1)
    found: list[tuple[np.ndarray, ...]] = []
    for name in names:
        values = np.asarray(ds[name].values, float).reshape(n, -1)
        known = np.isfinite(values)
        total, runs = np.zeros((2, n_unit, values.shape[1]))
        np.add.at(total, unit, np.where(known, values, 0.0))
        np.add.at(runs, unit, known)
        with np.errstate(invalid="ignore"), warnings.catch_warnings(action="ignore"):  # where none is known
            mean, half = student_interval(total, runs, how.level)
            quantiles = np.nanquantile(np.where(known, values, np.nan), SHARES, axis=0)
        least = 0.0 if np.nanmin(values, initial=0.0) == 0.0 else -np.inf
        ends = np.stack([np.maximum(mean - half, least), mean + half])
        found.append((mean, ends, quantiles, (done & ~known).sum(axis=0)))
    mean, interval, quantiles, unknown = (np.stack(each, axis=-2) for each in zip(*found, strict=True))
    levels = {} if is_cloud(ds) else {"intensity": ("intensity", ds["intensity"].values, axis_attrs(ds))}
    of_runs = ("response", "intensity")
    return table(
        {
            "mean": (of_runs, mean),
            "interval": (("bound", *of_runs), interval),
            "quantile": (("share", *of_runs), quantiles),
            "unknown": (of_runs, unknown),
            "runs": ("intensity", done.sum(axis=0)),
            "records": ((), records),
            "units": ("response", [ds[name].attrs.get("units", "1") for name in names]),
        },
        coords={"response": names, "share": list(SHARES)} | levels,
        attrs=how.attrs(record),
    )


GUESS, STROKE = "infeasible_impact", "beyond_stroke"  # reasons of runs whose outcome rests on a guess
REASONS = (GUESS, *(outcome.name.lower() for outcome in NOT_DECIDED), STROKE)


@accepts_path
def undecided_runs(ds: xr.Dataset, *, allow_missing: bool = False) -> xr.Dataset:
    """Numbers of undecided runs by reason.

    Parameters
    ----------
    ds : Dataset
        As for `overturning_probability`.
    allow_missing : bool
        Leave out runs that have not been run, rather than refuse.

    Returns
    -------
    Dataset
        `runs` (reason), and `overturned` (reason), how many of them overturned as simulated [1]. A reason is
        "infeasible_impact" or, of an isolator, "beyond_stroke", where the outcome rests on a guess, or the
        outcome of a run that broke off, such as "rocking" or "step_limit".

    Raises
    ------
    ValueError
        If the dataset does not fit or holds runs not yet run.

    Examples
    --------
    >>> outcome = ("realization", "intensity"), np.array([[1, 2, 3, 2]], "i1")
    >>> ds = xr.Dataset({"outcome": outcome}, coords={"intensity": [1.0, 2.0, 3.0, 4.0]})
    >>> int(undecided_runs(ds)["runs"].sel(reason="rocking"))
    2
    """
    check_runs(ds)
    runs, fell = np.zeros((2, len(REASONS)), np.int64)
    for _, part, there in read_slices(ds, (), allow_missing):
        outcome, guess = part["outcome"].values, guessed(part).values
        struck = part[STROKE].values > 0 if STROKE in part else np.zeros_like(guess)
        guesses = {GUESS: guess & ~struck, STROKE: struck}
        for k, reason in enumerate(REASONS):
            of = guesses[reason] if reason in guesses else (outcome == int(Outcome[reason.upper()])) & ~guess
            runs[k] += np.count_nonzero(of & there)
            fell[k] += np.count_nonzero(outcome[of] == int(Outcome.OVERTURNED))
    return table(
        {
            "runs": ("reason", runs, {"long_name": "number of undecided runs"}),
            "overturned": ("reason", fell, {"long_name": "of these, overturned as simulated"}),
        },
        coords={"reason": list(REASONS)},
    )


RATIO = "peak_tilt_ratio"
MEANINGS = {
    "median_overturned": "it overturned at the median intensity of the runs that overturned, and has the "
    "lowest number of those there",
    "strongest_survivor": "of the runs that stood, one at the strongest intensity: there it tilted most",
    "weakest_overturned": "it overturned at the weakest intensity at which any run did, and has the lowest "
    "number of those there",
}


class RunPlace(NamedTuple):
    """Numbers of a run in its study."""

    realization: int
    intensity: int = 0
    outer: int = 0


class _Slice(NamedTuple):
    """Runs of a slice, flat: their numbers, intensities, peak tilts, and how they ended."""

    number: np.ndarray  # realization x levels + level
    intensity: np.ndarray
    tilt: np.ndarray
    fell: np.ndarray
    stood: np.ndarray


@accepts_path
def representative_runs(ds: xr.Dataset, *, allow_missing: bool = False) -> dict[str, RunPlace]:
    """The runs that `MEANINGS` defines, by name; undecided runs are none of them.

    Parameters
    ----------
    ds : Dataset
        Result of a study, read in slices; of a nested one the draws are taken together.
    allow_missing : bool
        Leave out runs that have not been run, rather than refuse.

    Returns
    -------
    dict of str to RunPlace
        Without those that need a run that overturned, or stood, where none did.

    Raises
    ------
    ValueError
        If the dataset does not fit.

    Examples
    --------
    >>> import numpy as np, xarray as xr
    >>> outcome = ("realization", "intensity"), np.array([[1, 3, 1, 3], [1, 1, 3, 3]], "i1")
    >>> ds = xr.Dataset({"outcome": outcome}, coords={"intensity": [1.0, 2.0, 3.0, 4.0]})
    >>> for name, place in representative_runs(ds).items():
    ...     print(name, place.realization, place.intensity)
    median_overturned 1 2
    strongest_survivor 0 2
    weakest_overturned 0 1
    """
    inner = ds.sizes["realization"]
    flat = pooled(ds)
    check_runs(flat)
    levels = 1 if is_cloud(flat) else flat.sizes["intensity"]
    fell = [np.unique(part.intensity[part.fell], return_counts=True) for part in _parts(flat, allow_missing)]
    strength, number = (np.concatenate(each) for each in zip(*fell, strict=True))
    order = np.argsort(strength)
    upto = number[order].cumsum()
    middle = strength[order][np.searchsorted(2 * upto, upto[-1])] if len(upto) else np.nan
    best: dict[str, tuple[tuple[float, ...], int]] = {}
    for part in _parts(flat, allow_missing):
        at_middle = part.fell & (part.intensity == middle)
        _keep(best, "median_overturned", part, at_middle, (part.number,))
        _keep(best, "strongest_survivor", part, part.stood, (-part.intensity, -part.tilt, part.number))
        _keep(best, "weakest_overturned", part, part.fell, (part.intensity, part.number))

    def place(run: int) -> RunPlace:
        realization, level = divmod(run, levels)
        outer, realization = divmod(realization, inner) if OUTER in ds.dims else (0, realization)
        return RunPlace(realization, level, outer)

    return {name: place(best[name][1]) for name in MEANINGS if name in best}


def _keep(
    best: dict[str, tuple[tuple[float, ...], int]],
    name: str,
    part: _Slice,
    among: np.ndarray,
    keys: tuple[np.ndarray, ...],
) -> None:
    """Take the run with the least keys among some of a slice, if it is better than those before."""
    if among.any():
        first = np.lexsort([key[among] for key in reversed(keys)])[0]
        found = tuple(float(key[among][first]) for key in keys), int(part.number[among][first])
        best[name] = min(best.get(name, found), found)


def _parts(ds: xr.Dataset, allow_missing: bool) -> Iterator[_Slice]:
    strength = run_intensity(ds)
    for where, part, there in read_slices(ds, (RATIO,), allow_missing):
        doubt = undecided(part).values
        outcome = part["outcome"].values
        x = strength.isel(realization=where).values if is_cloud(ds) else strength.values
        number = np.arange(where.start * (outcome[0].size), where.stop * (outcome[0].size))
        tilt = part[RATIO].values if RATIO in part else np.zeros(outcome.shape)
        decided = there & ~doubt
        columns = (
            number.reshape(outcome.shape),
            np.broadcast_to(x, outcome.shape).astype(float),
            tilt,
            decided & (outcome == Outcome.OVERTURNED),
            decided & among(outcome, STANDING),
        )
        yield _Slice(*(column.ravel() for column in columns))


AMONG = ("all", "standing")
FRICTIONS = (0.3, 0.5, 1.0)  # polished stone or steel, usual floors, rough ground [1]
FLAGS = {
    "contact_lost": "runs in which the contact force became tensile before 45 degrees of tilt",
    "edge_stick_infeasible": "runs in which the centre of pressure left an edge that could not be released",
    "infeasible_impacts": "runs in doubt after impacts without feasible pivot",
    "energy_gain_impacts": "runs with impacts whose drawn parameters gain energy",
}
STRAINS_READ = ("contact_lost", "edge_stick_infeasible", "energy_gain_impacts", "lowest_normal_force")
CERTIFICATES = ("certified_friction", "certified_until")


@accepts_path
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
    for name in STRAINS_READ:
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
    return all(name in ds for name in STRAINS_READ)


def _counted(
    ds: xr.Dataset, coefficients: np.ndarray, places: Classes, allow_missing: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Runs (among, n_class), those of each flag and certificate, and the lowest force (n_class,)."""
    size, with_friction = len(places.centre), "certified_until" in ds
    runs = np.zeros((len(AMONG), size), np.int64)
    flagged = np.zeros((len(FLAGS), *runs.shape), np.int64)
    certified = np.zeros((with_friction + len(coefficients), *runs.shape), np.int64)
    force = np.full(size, np.inf)
    for where, part, there in read_slices(ds, (*STRAINS_READ, *CERTIFICATES), allow_missing):
        cell = None if places.of_run is None else np.broadcast_to(places.of_run[where], there.shape)
        standing = there & among(part["outcome"].values, STANDING)
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
            runs[k] += _in_classes(group, cell, size)
            for counts, chosen in ((flagged, marks), (certified, sure)):
                for i, mark in enumerate(chosen):
                    counts[i, k] += _in_classes(group & mark, cell, size) if mark.any() else 0
        lowest = part["lowest_normal_force"].values
        if cell is None:
            force = np.minimum(force, np.where(standing, lowest, np.inf).min(axis=0))
        else:
            np.minimum.at(force, cell[standing], lowest[standing])
    return runs, flagged, certified, force


def _in_classes(chosen: np.ndarray, cell: np.ndarray | None, size: int) -> np.ndarray:
    """Chosen runs of each class, which is the column where there is no ``cell``."""
    return np.count_nonzero(chosen, axis=0) if cell is None else np.bincount(cell[chosen], minlength=size)


SIZES = 24  # at which a study is looked at
LEAST = 10  # realizations of the first of them


@accepts_path
def size_convergence(ds: xr.Dataset, *, classes: int = CLASSES, allow_missing: bool = False) -> xr.Dataset:
    """Overturning probability from a growing number of the first realizations of a study.

    In random and Sobol designs the first realizations are a smaller study of the same kind. Where the
    probability settles, more realizations would change little; other recordings still may, which is what the
    interval of `overturning_probability` is for.

    Parameters
    ----------
    ds : Dataset
        As for `overturning_probability`.
    classes : int
        Number of bins, of equal numbers of runs, of a cloud study.
    allow_missing : bool
        Leave out runs that have not been run, rather than refuse.

    Returns
    -------
    Dataset
        `probability` (size, intensity) [1] from the first `size` realizations, whole rounds of the recordings
        where there are as many; NaN where none of them has a run. `change` (intensity) [1], that from the
        first half of the realizations to all of them.

    Raises
    ------
    ValueError
        If the dataset does not fit or holds runs not yet run.
    """
    check_runs(ds)
    places, n = intensity_classes(ds, classes), ds.sizes["realization"]
    index, records = record_index(ds)
    step = records if index is not None and n >= 2 * records else 1
    rounds = np.geomspace(max(1.0, min(LEAST, n) / step), n / step, SIZES)
    half = max(1, round(n / (2 * step))) * step
    sizes = np.unique(np.append(np.round(rounds[:-1]).astype(int) * step, [half, n]))
    sizes = sizes[(sizes > 0) & (sizes <= n)]
    # each ends where a size does
    block = np.repeat(np.arange(len(sizes), dtype=np.int8), np.diff(sizes, prepend=0))
    tally = count_runs(ds, overturn_levels, 1, places, block, allow_missing=allow_missing)
    runs = tally.runs.cumsum(axis=0)
    with np.errstate(invalid="ignore"):
        share = tally.beyond.estimate[..., 0].cumsum(axis=0) / runs
    change = share[-1] - share[np.searchsorted(sizes, half)]
    return table(
        {
            "probability": (("size", "intensity"), share, {"long_name": "overturning probability"}),
            "change": ("intensity", change, {"long_name": "from the first half to all"}),
        },
        coords={
            "size": ("size", sizes, {"units": "1", "long_name": "number of realizations"}),
            "intensity": intensity_coordinate(ds, places),
        },
    )


@accepts_path
def step_check(ds: xr.Dataset, level: float = 0.95) -> xr.Dataset:
    """Fraction of the repeated runs whose outcome differs at half the time step.

    Single runs are chaotic, so some outcomes flip at any step; what matters is that as many flip one
    way as the other, so that the overturned fraction changes little.

    Parameters
    ----------
    ds : Dataset
        With `outcome` and `half_step_outcome` on the same dims.
    level : float
        Coverage of the interval [1].

    Returns
    -------
    Dataset
        `repeated` and `flipped`, numbers of runs; `share`, the fraction flipped, with its Wilson score
        `interval` (bound) [1]; `change`, the overturned fraction at half the step minus that at the full step
        [1]. NaN where nothing was repeated.

    Raises
    ------
    ValueError
        If `level` is outside (0, 1) or a variable is missing.
    """
    check_level(level)
    for name in ("outcome", "half_step_outcome"):
        if name not in ds:
            raise ValueError(f"the dataset has no variable {name!r}; is it the store of a mcrock study?")
    repeated = flipped = shift = 0
    for where in slices(ds):
        part = ds[["outcome", "half_step_outcome"]].isel(realization=where).load()
        first, second = part["outcome"].values, part["half_step_outcome"].values
        kept = (second != Outcome.NOT_RUN) & (first != Outcome.NOT_RUN)
        first, second = first[kept], second[kept]
        repeated += first.size
        flipped += int((_verdict(first) != _verdict(second)).sum())
        shift += int((second == Outcome.OVERTURNED).sum()) - int((first == Outcome.OVERTURNED).sum())
    lower, upper = wilson_interval(flipped, repeated, level)
    return table(
        {
            "repeated": ((), repeated, {"long_name": "runs repeated at half the step"}),
            "flipped": ((), flipped, {"long_name": "of these, runs that ended differently"}),
            "share": ((), flipped / repeated if repeated else np.nan),
            "interval": ("bound", [float(lower), float(upper)]),
            "change": ((), shift / repeated if repeated else np.nan),
        },
        attrs={"level": level},
    )


def _verdict(outcome: np.ndarray) -> np.ndarray:
    """0 undecided, 1 stands, 2 overturned."""
    return among(outcome, STANDING) + 2 * (outcome == int(Outcome.OVERTURNED))
