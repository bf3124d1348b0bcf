"""Probabilities of overturning and of other limits, with their intervals and bounds.

`by_limit` puts a limit of a response in the place of overturning, `pooled` and `read_crossed` read nested
studies, in which every epistemic draw meets the same realizations of everything else.
`overturning_probability` and `exceedance_probability` have intervals for new earthquakes.

`epistemic_bounds` has bounds over a whole range of unknown numbers. Of K noisy fractions the largest is too
large: part of it is search. The worst draw is therefore chosen on one half of the records and its probability
estimated on the other, and the other way round.

Wilks, S. S. (1941). Determination of sample sizes for setting tolerance limits. Annals of Mathematical
Statistics 12(1), 91-96 (how much of a range its largest draw exceeds).

Jyrkama, M. I. and Pandey, M. D. (2016). On the separation of aleatory and epistemic uncertainties in
probabilistic assessments. Nuclear Engineering and Design 303, 68-74 (what such bounds are no confidence of).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Unpack

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from mcrock.base.checks import Number, shared_keywords
from mcrock.base.estimates import Term
from mcrock.base.params import DECIDED, Outcome
from mcrock.dataset import SCHEMA, schema
from mcrock.dataset.opened import accepts_path
from mcrock.dataset.schema import OUTER
from mcrock.statistics.intervals import (
    Confidence,
    ConfidenceKeywords,
    check_level,
    interval_of_readings,
    table,
)
from mcrock.statistics.runs import (
    ALL_OVERTURN,
    ALL_STAND,
    ESTIMATE,
    GUESSED,
    SMALL,
    Classes,
    Passed,
    among,
    axis_attrs,
    check_runs,
    config_of,
    count_runs,
    guessed,
    intensity_classes,
    is_cloud,
    is_given,
    map_slices,
    overturn_levels,
    read_slices,
    record_groups,
    record_index,
    undecided,
)

EVENT = schema.EVENT
ISOLATOR = "isolator_displacement"  # what the body does and how a run ends change nothing of it
TILTS = ("peak_tilt", "peak_tilt_ratio")  # above 0 from the first rocking on
DOUBTS = GUESSED[0], GUESSED[3]  # each of which alone can leave a run in doubt
FEW = 8  # limits, each of which is compared with all runs; of more the place is searched [1]
OF_SUPPORT = "displacement_limit"  # attribute of a dataset that is judged by another limit than its study's


class Residual(NamedTuple):
    """A response at the end of a run, computed from stored ones."""

    sources: tuple[str, ...]
    compute: Callable[..., np.ndarray]
    units: str
    long_name: str


RESIDUALS = {
    "residual_displacement": Residual(
        ("final_displacement_x", "final_displacement_y"), np.hypot, "m", "residual displacement of the base"
    ),
    "residual_yaw": Residual(("final_yaw",), np.abs, "rad", "residual rotation about the vertical"),
}


def sources(ds: xr.Dataset, variable: str) -> tuple[str, ...]:
    """Stored variables that a response is computed from: itself, or those of a residual.

    Raises
    ------
    ValueError
        If the dataset does not have them for every run.
    """
    names = RESIDUALS[variable].sources if variable in RESIDUALS else (variable,)
    for name in names:
        if name not in ds or "outcome" not in ds or set(ds[name].dims) != set(ds["outcome"].dims):
            raise ValueError(f"the dataset has no variable {name!r} on the dims of `outcome`")
    return names


def response(ds: xr.Dataset, variable: str) -> xr.DataArray:
    """A response of every run, stored or residual, with units and name."""
    names = sources(ds, variable)
    if variable not in RESIDUALS:
        found = ds[variable]
        units = SCHEMA[variable].units if variable in SCHEMA else "1"
        return found.assign_attrs({"units": units} | found.attrs)
    residual = RESIDUALS[variable]
    values = residual.compute(*(ds[name].values for name in names))
    attrs = {"units": residual.units, "long_name": residual.long_name}
    return xr.DataArray(values, dims=ds[names[0]].dims, name=variable, attrs=attrs)


def limit_levels(part: xr.Dataset, variable: str, rising: np.ndarray) -> Passed:
    """Numbers of rising limits that runs are beyond; see `exceedance_probability`.

    A peak that was reached stays; a residual is known of runs that ended.
    """
    value, of_body = response(part, variable).values, variable != ISOLATOR
    fell = of_body & among(part["outcome"].values, [Outcome.OVERTURNED])
    unsure, guess = of_body & undecided(part).values, of_body & guessed(part).values
    unknown = np.isnan(value) & ~fell
    open_ended = (of_body & ~among(part["outcome"].values, DECIDED)) | unknown
    if len(rising) <= FEW:
        passed = np.sum([value > level for level in rising], axis=0)
    else:
        passed = np.searchsorted(rising, np.where(np.isnan(value), -np.inf, value), side="left")
    if variable in RESIDUALS:
        passed[open_ended] = 0
    passed = np.where(fell, len(rising), passed)
    any_motion = int(np.searchsorted(rising, 0.0, side="right")) if variable in TILTS else 0
    return Passed(
        sure=np.where(guess, np.minimum(passed, any_motion), passed),
        fewest=passed,
        most=np.where(open_ended, len(rising), passed),
        possible=np.where(unsure | unknown, len(rising), passed),
    )


@accepts_path
def by_limit(ds: xr.Dataset, variable: str, limit: float) -> xr.Dataset:
    """A study judged by a limit of a response in place of overturning.

    Every statistic and figure of the dataset returned is then by that limit: what they call overturned is a
    run that is beyond the limit, or overturned.

    Parameters
    ----------
    ds : Dataset
        As for `overturning_probability`, or a nested study.
    variable : str
        Response of the runs, such as `peak_displacement`, `slip_path` or `peak_tilt_ratio`, or
        `residual_displacement` [m] or `residual_yaw` [rad], which are computed after the run.
    limit : float
        In the unit of the variable.

    Returns
    -------
    Dataset
        The same runs with other outcomes: overturned, at rest or, in doubt, rocking. The attribute `event`
        says what they mean.

    Raises
    ------
    ValueError
        If the dataset does not fit or has no such response, or the limit is not finite.
    """
    if is_nested(ds):
        draws = [by_limit(ds.isel({OUTER: k}), variable, limit) for k in range(ds.sizes[OUTER])]
        names = [name for name in ("outcome", *DOUBTS) if name in ds]
        judged = xr.concat([draw[names] for draw in draws], OUTER)
        return ds.assign(judged.data_vars).assign_attrs({EVENT: draws[0].attrs[EVENT]})
    check_runs(ds)
    needed = sources(ds, variable)
    unit = response(ds.isel(realization=slice(0, 1)), variable).attrs["units"]
    limit = Number(unit).check(f"the limit of {variable}", limit)
    known = ds[[name for name in dict.fromkeys(["outcome", *GUESSED, *needed]) if name in ds]]
    changed = [name for name in ("outcome", *DOUBTS) if name in ds]
    judged = map_slices(partial(_judged, variable=variable, limit=limit), known, changed)
    event = f"{variable.replace('_', ' ')} beyond {limit:g} {unit.replace('1', '')}".rstrip()
    return ds.assign({name: judged[name] for name in changed}).assign_attrs({EVENT: event})


def _judged(part: xr.Dataset, variable: str, limit: float) -> xr.Dataset:
    """Runs with the outcomes of `by_limit`."""
    passed = limit_levels(part, variable, np.array([limit]))
    code = np.where(passed.most > 0, Outcome.ROCKING, Outcome.AT_REST)
    code = np.where(passed.fewest > 0, Outcome.OVERTURNED, code)
    outcome = part["outcome"]
    code = np.where(outcome.values == Outcome.NOT_RUN, Outcome.NOT_RUN, code)
    found = part.assign(outcome=outcome.copy(data=code.astype(outcome.dtype)))
    doubtful = outcome.copy(data=passed.sure < passed.possible)
    for name in DOUBTS:  # a guess is no doubt of what was passed before it
        if name in part:
            found[name] = part[name].where(doubtful, 0)
    return found


@accepts_path
def displacement_limit(ds: xr.Dataset) -> float | None:
    """Peak displacement of the base centre beyond which the body of a study falls off its support [m].

    That of `with_displacement_limit`, or that of the study file; None if there is neither.
    """
    if OF_SUPPORT in ds.attrs:
        return float(ds.attrs[OF_SUPPORT])
    limits = config_of(ds).get("limits") or {}
    return limits.get("displacement")


@accepts_path
def by_support(ds: xr.Dataset) -> xr.Dataset | None:
    """A study judged by overturning or falling off its support, None without a displacement limit."""
    limit = displacement_limit(ds)
    return None if limit is None else by_limit(ds, "peak_displacement", limit)


@accepts_path
def by_falling(ds: xr.Dataset) -> xr.Dataset:
    """A study judged by overturning, or falling off its support where it has a displacement limit."""
    judged = by_support(ds)
    return ds if judged is None else judged


@accepts_path
def with_displacement_limit(ds: xr.Dataset, limit: float) -> xr.Dataset:
    """A study with another displacement limit, beyond which its body falls off its support.

    Parameters
    ----------
    ds : Dataset
        Study with friction.
    limit : float
        Peak displacement of the base centre [m].

    Returns
    -------
    Dataset
        The same runs, with the limit as the attribute `displacement_limit`, which takes precedence over that
        of the study file.

    Raises
    ------
    ValueError
        If the limit is not finite and > 0, or the runs have no peak displacement.
    """
    limit = Number("m", above=0.0).check("the displacement limit", limit)
    if "peak_displacement" not in ds:
        raise ValueError(
            "a displacement limit needs runs with friction: the dataset has no variable 'peak_displacement'"
        )
    return ds.assign_attrs({OF_SUPPORT: limit})


LOOK = 64  # realizations by which it is told what changes from draw to draw alone [1]
GROUPS = 64  # of realizations that share no motion, in place of records [1]


def is_nested(ds: xr.Dataset) -> bool:
    """True if a study has epistemic draws."""
    return OUTER in ds["outcome"].dims if "outcome" in ds else False


@accepts_path
def pooled(ds: xr.Dataset) -> xr.Dataset:
    """The runs of all epistemic draws as one study.

    Its probabilities are over both kinds of uncertainty, the mean over the draws. Intervals count recordings
    and take the draws as given; `variance_shares` tells what another set of draws would change.

    Parameters
    ----------
    ds : Dataset
        Result of a study; one that is not nested is returned as it is.

    Returns
    -------
    Dataset
        Without the dimension `outer`: realizations of the first draw come first.
    """
    if not is_nested(ds):
        return ds
    chunks = [str(name) for name in ds.variables if "chunk" in ds[name].dims]
    of_run = [name for name in ds.data_vars if OUTER in ds[name].dims and name not in chunks]
    runs = ds[of_run] if ds[of_run].nbytes <= SMALL else ds[of_run].chunk({OUTER: 1})
    flat = runs.stack(run=(OUTER, "realization"), create_index=False)
    flat = flat.rename(run="realization")
    rest = ds.drop_vars([*of_run, *chunks]).drop_dims(["realization"], errors="ignore")
    order = [name for name in ds.data_vars if name in flat or name in rest]
    result = xr.merge([flat, rest], combine_attrs="drop_conflicts").assign_attrs(ds.attrs)
    return result[order].transpose("realization", ...)


def unknown_inputs(ds: xr.Dataset) -> dict[str, np.ndarray]:
    """Inputs that are one number for each epistemic draw, and differ between draws (n_outer,).

    What follows from them, such as the slenderness of a body of unknown width, is among them.
    """
    found = {}
    for name, array in ds.data_vars.items():
        there = array.dims == (OUTER, "realization") and array.dtype.kind == "f"
        if there and is_given(ds, str(name)):
            some = array.isel(realization=slice(LOOK)).values
            if (some == some[:, :1]).all() and len(np.unique(some[:, 0])) > 1:
                found[str(name)] = some[:, 0]
    return found


class Crossed(NamedTuple):
    """Outcomes of a nested study, with the realizations of a record side by side."""

    outcome: np.ndarray  # (3, n_outer, n_realization, n_intensity) uint8, twice the readings of `Passed`
    starts: np.ndarray  # (n_record,) first realization of each record
    has_records: bool  # False where realizations share no motion: groups of them stand for records

    @property
    def runs(self) -> np.ndarray:
        """Realizations of each record (n_record,)."""
        return np.diff(self.starts, append=self.outcome.shape[2])

    def cells(self, reading: int) -> np.ndarray:
        """Runs that overturned (n_outer, n_record, n_intensity), by one of the readings of `Passed`."""
        doubled = np.add.reduceat(self.outcome[reading], self.starts, axis=1, dtype=np.int64)
        return doubled / 2.0


def read_crossed(ds: xr.Dataset) -> Crossed:
    """Read the outcomes of a nested study.

    Raises
    ------
    ValueError
        If the study is not nested, the draws do not meet the same motions at fixed levels of the intensity,
        runs are missing, or there are fewer than two records.
    """
    if not is_nested(ds):
        raise ValueError(
            "the study is not nested: mark distributions with 'epistemic = true' and give 'ensemble.outer', "
            "the number of their draws"
        )
    if ds.sizes[OUTER] < 2:
        raise ValueError("a nested study needs at least 2 epistemic draws, got 1")
    if "record" in ds and not (ds["record"] == ds["record"].isel({OUTER: 0})).all():
        raise ValueError("the epistemic draws must meet the same records, and they do not")
    group = record_groups(ds.isel({OUTER: 0}), GROUPS)
    if len(np.unique(group)) < 2:
        raise ValueError("a nested study needs at least 2 recordings, or independent realizations")
    order = np.argsort(group, kind="stable")
    draws = []
    for k in range(ds.sizes[OUTER]):
        one = ds.isel({OUTER: k})
        check_runs(one)
        parts = [
            np.rint(2 * overturn_levels(part).readings).astype(np.uint8)
            for _, part, _ in read_slices(one, (), allow_missing=False)
        ]
        draws.append(np.concatenate(parts, axis=1)[:, order])
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    return Crossed(np.stack(draws, axis=1), starts, "record" in ds)


CLASSES = 10  # intensity classes of a cloud study


@accepts_path
@shared_keywords(Confidence)
def overturning_probability(
    ds: xr.Dataset, *, classes: int = CLASSES, **keywords: Unpack[ConfidenceKeywords]
) -> xr.Dataset:
    """Overturning probability at each intensity with its interval.

    The probability is that of a new ground motion of the same kind. Runs that share a recording are
    dependent, and the interval is `mcrock.statistics.intervals.clustered_interval`; with `cluster` False, or
    in a dataset without records, it is Wilson's, for independent runs. With `cluster` False the interval is
    conditional on the given records: it is the sampling error of the probability for these very records, and
    says nothing about other earthquakes. In the probability an undecided run counts as simulated, or as one
    half if the simulation broke off; the interval is the union of those with all undecided runs survived and
    with all overturned. Low-discrepancy designs are treated as random ones, which makes intervals too wide,
    if anything.

    Parameters
    ----------
    ds : Dataset
        `outcome` (realization, intensity), or (realization) with `intensity_value` (realization).
    classes : int
        Number of bins, of equal numbers of runs, of a cloud study; 1 gives the probability over
        the study's own distribution of intensity.
    **keywords
        Of `mcrock.statistics.Confidence`: `level`, `cluster` and `allow_missing`.

    Returns
    -------
    Dataset
        `probability` (intensity) and `interval` (bound, intensity) [1]; `runs`, `overturned`,
        `undecided` (intensity), numbers of runs; `records`, the number of recordings. `intensity` is in the
        unit of the study: its levels or, for a cloud study, the medians of the bins, whose ends are
        `intensity_range` (bound, intensity).

    Raises
    ------
    ValueError
        If the dataset does not fit, holds runs not yet run, or `level` is outside (0, 1).
    """
    result = _probability(ds, overturn_levels, 1, Confidence(**keywords), classes)
    return result.isel(threshold=0).rename(exceeding="overturned")


@accepts_path
@shared_keywords(Confidence)
def exceedance_probability(
    ds: xr.Dataset,
    threshold: ArrayLike,
    variable: str = "peak_tilt_ratio",
    *,
    classes: int = CLASSES,
    **keywords: Unpack[ConfidenceKeywords],
) -> xr.Dataset:
    """Probability that an outcome variable exceeds a threshold, at each intensity, with its interval.

    Overturned runs exceed every threshold, but of `isolator_displacement`, which the motion of the ground
    decides alone and without doubt. Undecided runs exceed those they have already passed (a
    residual none) and may yet exceed the others, which widens the interval; if the simulation broke off
    they count half there. A run in doubt after infeasible impacts counts as simulated, but may have passed
    thresholds only through the guess: the store knows one peak for the whole run, not whether it came
    before the first such impact or after. It is in doubt at every threshold above 0. A tilt above 0,
    however, means that it rocked, and no impact comes before the first rocking: of threshold 0 there is no
    doubt. Intervals as in `overturning_probability`, with
    `cluster` False for the given records only.

    Parameters
    ----------
    ds : Dataset
        As for `overturning_probability`, with `variable` on the dims of `outcome`.
    threshold : array_like
        One threshold or several, in the unit of `variable`.
    variable : str
        Response that grows towards overturning, such as `peak_tilt_ratio` [1] or `slip_path` [m], or
        `residual_displacement` [m] or `residual_yaw` [rad], which are computed after the run.
    classes, **keywords
        As for `overturning_probability`.

    Returns
    -------
    Dataset
        As from `overturning_probability`, with `exceeding` for `overturned` and a first dimension
        `threshold` if several thresholds are given.

    Raises
    ------
    ValueError
        As `overturning_probability`; also if `variable` is missing or a threshold not finite.
    """
    values = np.atleast_1d(np.asarray(threshold, float))
    if values.ndim > 1 or values.size == 0 or not np.isfinite(values).all():
        raise ValueError(f"threshold must be one finite number or a list of them, got {threshold!r}")
    names, rising = sources(ds, variable), np.unique(values)

    def beyond(part: xr.Dataset) -> Passed:
        return limit_levels(part, variable, rising)

    result = _probability(ds, beyond, len(rising), Confidence(**keywords), classes, names=names)
    units = response(ds.isel(realization=slice(0, 1)), variable).attrs["units"]
    result = result.assign_coords(threshold=("threshold", rising, {"units": units, "long_name": variable}))
    result = result.isel(threshold=np.searchsorted(rising, values))
    result.attrs["variable"] = variable
    return result.isel(threshold=0) if np.ndim(threshold) == 0 else result


def intensity_coordinate(ds: xr.Dataset, places: Classes) -> tuple[str, np.ndarray, dict[str, Any]]:
    """Coordinate `intensity` of a result counted at `places`, with the attributes of the study's."""
    return "intensity", places.centre, axis_attrs(ds)


def level_bounds(points: xr.Dataset) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Weakest and strongest intensity of each class of `overturning_probability`, and the interval there."""
    lower, upper = points["interval"].transpose("bound", "intensity").values
    weakest = strongest = points["intensity"].values
    if "intensity_range" in points:
        weakest, strongest = points["intensity_range"].values
    return weakest, strongest, lower, upper


def rising_bounds(points: xr.Dataset, x: np.ndarray) -> np.ndarray:
    """Bounds (2, n_grid) of all rising curves through the intervals of `overturning_probability`."""
    weakest, strongest, lower, upper = level_bounds(points)
    least = np.where(strongest <= x[:, None], lower, 0.0).max(axis=1)
    most = np.where(weakest >= x[:, None], upper, 1.0).min(axis=1)
    open_ended = least > most  # overturning falls beyond doubt: nothing rises through all intervals
    least, most = np.where(open_ended, 0.0, least), np.where(open_ended, 1.0, most)
    return np.stack([least, np.where(x > 0, most, 0.0)])


def _probability(
    ds: xr.Dataset,
    beyond: Callable[[xr.Dataset], Passed],
    levels: int,
    how: Confidence,
    classes: int,
    names: tuple[str, ...] = (),
) -> xr.Dataset:
    """Probabilities and intervals on (threshold, intensity) of passing some rising levels."""
    check_runs(ds)
    if classes < 1:
        raise ValueError(f"classes must be at least 1 [1], got {classes!r}")
    record, records = record_index(ds)
    places = intensity_classes(ds, classes)
    grouping = record if how.cluster else None
    tally = count_runs(ds, beyond, levels, places, grouping, names=names, allow_missing=how.allow_missing)
    runs = tally.runs.sum(axis=0)
    sure, possible, estimate = np.moveaxis(tally.beyond.readings, -1, 2)  # record, level, class
    clustered = grouping is not None
    ends = interval_of_readings(sure, possible, tally.runs[:, None], how.level, clustered=clustered)
    yes, doubt = (x.sum(axis=0).astype(np.int64) for x in (sure, possible - sure))
    with np.errstate(invalid="ignore"):
        probability = estimate.sum(axis=0) / runs
    dims = ("threshold", "intensity")
    result = table(
        {
            "probability": (dims, probability, {"long_name": "probability"}),
            "interval": (("bound", *dims), ends),
            "runs": ("intensity", runs),
            "exceeding": (dims, yes, {"long_name": "runs that exceed the threshold"}),
            "undecided": (dims, doubt, {"long_name": "undecided runs"}),
            "records": ((), records),
        },
        coords={"intensity": intensity_coordinate(ds, places)},
        attrs={
            **how.attrs(record),
            "shared": int("record" in ds),  # whether realizations share ground motions
            "method": "Gaffke's bounds on the fractions of the records" if clustered else "Wilson",
        },
    )
    if is_cloud(ds):
        result["intensity_range"] = (("bound", "intensity"), np.stack([places.lower, places.upper]))
        result["intensity_range"].attrs = dict(result["intensity"].attrs)
    return result


ENDS = ("least", "largest")


@accepts_path
def epistemic_bounds(ds: xr.Dataset, *, level: float = 0.95, seed: int = 0) -> xr.Dataset:
    """Least and largest probability of overturning over the epistemic draws.

    Parameters
    ----------
    ds : Dataset
        Nested study with all runs, at fixed levels of the intensity.
    level : float
        Coverage of the intervals [1].
    seed : int
        Of the order in which records are dealt to the halves.

    Returns
    -------
    Dataset
        Along `end`, "least" and "largest", and `intensity`: `estimate`, the probability of the draw that one
        half of the records chooses, in the other half (the mean of both ways): on average no farther out than
        the true extreme of the draws; `naive`, the extreme fraction, too far out; `draw`, the number of the
        extreme one. `interval` (bound, intensity) holds the probabilities of all draws at once with the
        confidence `level`, for new earthquakes: intervals of single draws at 1 - (1 - level) / K, undecided
        runs both ways. `content` [1]: with confidence `level` the extreme draw exceeds at least this part of
        the distribution of the unknown numbers. Values of inputs
        that differ between draws at the extreme ones are `input_NAME` (end, intensity), and
        `rank_correlation` (input, intensity) is Spearman's of the fractions with them [1].

    Raises
    ------
    ValueError
        If the study is not nested, runs are missing, or ``level`` is outside (0, 1).
    """
    check_level(level)
    crossed = read_crossed(ds)
    cells, runs = crossed.cells(ESTIMATE), crossed.runs.astype(float)
    fraction = cells.sum(axis=1) / runs.sum()
    half = np.random.default_rng(seed).permutation(len(runs)) % 2 == 0
    ways = [_chosen(cells, runs, chosen_on) for chosen_on in (half, ~half)]
    draws = len(cells)
    one = {"units": "1"}
    result = table(
        {
            "estimate": (("end", "intensity"), np.mean(ways, axis=0)),
            "naive": (("end", "intensity"), np.stack([fraction.min(axis=0), fraction.max(axis=0)])),
            "draw": (("end", "intensity"), np.stack([fraction.argmin(axis=0), fraction.argmax(axis=0)])),
            "interval": (("bound", "intensity"), _all_at_once(crossed, level)),
            "draws": ((), draws, {"long_name": f"number of {Term.DRAWS}"}),
            "content": ((), (1 - level) ** (1 / draws)),
        },
        coords={"end": list(ENDS), "intensity": ("intensity", ds["intensity"].values, axis_attrs(ds))},
        attrs={"level": level, "seed": seed},
    )
    inputs = unknown_inputs(ds)
    for name, values in inputs.items():
        result[f"input_{name}"] = (("end", "intensity"), values[result["draw"].values], dict(ds[name].attrs))
    if inputs:
        ranks = rank_scores(np.stack(list(inputs.values()))) @ rank_scores(fraction.T).T
        result["rank_correlation"] = (("input", "intensity"), ranks, one)
        result = result.assign_coords(input=list(inputs))
    return result


def _chosen(cells: np.ndarray, runs: np.ndarray, on: np.ndarray) -> np.ndarray:
    """Fractions (2, n_intensity) of the least and the largest draw on some records, in the other ones."""
    there, elsewhere = (cells[:, which].sum(axis=1) / runs[which].sum() for which in (on, ~on))
    picked = np.stack([there.argmin(axis=0), there.argmax(axis=0)])
    return np.take_along_axis(elsewhere, picked, axis=0)


def _all_at_once(crossed: Crossed, level: float) -> np.ndarray:
    """Bounds (2, n_intensity) of the probabilities of all draws, by Bonferroni."""
    draws = crossed.outcome.shape[1]
    each = 1 - (1 - level) / draws
    runs = crossed.runs[:, None, None].astype(float)
    sure, possible = (crossed.cells(reading).swapaxes(0, 1) for reading in (ALL_STAND, ALL_OVERTURN))
    low, high = interval_of_readings(sure, possible, runs, each)
    return np.stack([low.min(axis=0), high.max(axis=0)])


def rank_scores(values: np.ndarray) -> np.ndarray:
    """Ranks along the last axis, less their mean and over their norm; NaN where all values are equal.

    The sum of products of those of two inputs is Spearman's correlation.
    """

    def ranks(row: np.ndarray) -> np.ndarray:  # those of `scipy.stats`, half a second to import
        _, place, number = np.unique(row, return_inverse=True, return_counts=True)
        return np.where(np.isnan(row).any(), np.nan, (number.cumsum() - (number - 1) / 2)[place])

    off = np.apply_along_axis(ranks, -1, values) - (values.shape[-1] + 1) / 2
    with np.errstate(invalid="ignore"):
        found: np.ndarray = off / np.sqrt((off**2).sum(axis=-1, keepdims=True))
    return found
