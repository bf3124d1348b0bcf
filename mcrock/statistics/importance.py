"""Importance sampling on the intensity: runs drawn where they matter, weighted by how often it occurs.

The intensity of a cloud study has a density q of its own, which the study file gives. The probability for
another density f, or the annual rate for a hazard with -dH/dx in its place, is the mean of w Y with w = f /
q: no fragility curve is fitted, and no shape of its tail assumed. Of independent runs q in proportion to f
sqrt(F), with the fragility F, has the least variance.

What runs tell ends at the weakest intensity at which one overturned: a sum of weights knows nothing of rarer
overturning by weaker motions, however much of the target is there. So the interval is that of what
intensities from there on add. What the others add has a bound, if the probability rises with the intensity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from scipy.special import ndtr

from mcrock.base.tables.distributions import DISTRIBUTIONS, Distribution, Stepped
from mcrock.base.tables.fields import OneOf
from mcrock.dataset.opened import accepts_path
from mcrock.statistics.fragility import fit_fragility
from mcrock.statistics.hazard import MEAN, check_measure
from mcrock.statistics.intervals import Bootstrap, bound_without_events, clustered_interval, table
from mcrock.statistics.measures import own_measure
from mcrock.statistics.probability import GROUPS
from mcrock.statistics.rates import isotonic_interval
from mcrock.statistics.resampling import Units
from mcrock.statistics.runs import (
    ALL_OVERTURN,
    ALL_STAND,
    ESTIMATE,
    check_runs,
    is_cloud,
    overturn_levels,
    read_slices,
    record_index,
    run_intensity,
    study_of,
)

GRID = 2000  # places of the integrals over the intensity
TAIL = 1e-6  # of the density of the runs, beyond which it has none [1]


def drawn_intensity(ds: xr.Dataset) -> tuple[Any, float] | None:
    """SciPy's distribution of the intensities of a study, and the factor to SI; None without a density.

    A cloud has none of a measure that is not its own (`by_measure`).
    """
    study = study_of(ds)
    given = None if study is None else study.intensity.distribution
    if given is None or not is_cloud(ds) or "intensity_measure" in ds.attrs:
        return None
    table, factor = given
    if not isinstance(table, Distribution) or isinstance(table, Stepped):
        return None
    return table.frozen, factor


@accepts_path
def weighted_probability(
    ds: xr.Dataset, target: xr.Dataset | Mapping[str, Any], *, level: float = 0.95
) -> xr.Dataset:
    """Probability or annual rate of overturning from the weighted runs of a cloud study.

    Runs are weighted by the target density over that of their intensity (importance sampling). The interval
    is for new earthquakes: a bootstrap-t interval of the logarithm with records as units, and not beyond
    Gaffke's bound with one more record, all of whose runs from the weakest overturning on overturn. Its lower
    end leaves out the weakest run that overturned, as it ends there by that. Undecided runs count both ways.

    Parameters
    ----------
    ds : Dataset
        Cloud study whose intensity has a continuous distribution, with all its runs.
    target : Dataset or mapping
        Hazard from `load_hazard`, whose mean curve is used, or a distribution of the intensity as a table of
        a study file, in SI units, such as ``{"distribution": "lognormal", ...}``.
    level : float
        Coverage of the interval [1].

    Returns
    -------
    Dataset
        `probability` [1], or `rate` [1/year] for a hazard, with ``NAME_interval`` (bound) of what intensities
        from `weakest_overturning` [its unit] to the strongest of a run add, and `unseen` [1, or 1/year],
        an upper bound of what all others add: of n records with a run that is stronger than an intensity and
        weaker than the weakest overturning none overturned, so that the probability there is at most
        ``1 - ((1 - level) / 2)**(1 / n)``, if it rises with the intensity. Where nothing overturned
        the interval is from 0 to that bound.
        `effective_runs`, (sum w Y)^2 / sum (w Y)^2 of what overturned [1]; `runs` and `records`; `outside`
        [1, or 1/year], the part of the target beyond the intensities of the study; `proposal_median` [unit of
        the intensity] and `proposal_dispersion` [1], the lognormal distribution of the intensity nearest to
        the best one, NaN without a fragility curve.

    Raises
    ------
    ValueError
        If the study is not a cloud, its intensity has no density, runs are missing or ``level`` is outside
        (0, 1).
    HazardError
        If the hazard is of another intensity.
    """
    how = Bootstrap(level=level)
    check_runs(ds)
    drawn = drawn_intensity(ds)
    if drawn is None:
        raise ValueError(
            "weights need a cloud study whose intensity has a continuous distribution, intensity.value"
        )
    spread, factor = drawn
    ends = factor * np.array([spread.ppf(TAIL), spread.isf(TAIL)])
    of_hazard = isinstance(target, xr.Dataset)
    if isinstance(target, xr.Dataset):
        check_measure(run_intensity(ds), target, own_measure(ds))
    index, records = record_index(ds)
    parts = partial(_parts, ds, _weigher(drawn, target), index)
    grid = np.geomspace(*_support(target), GRID)
    sums = _sums(parts, grid, records if index is not None else None)
    n = int(sums.runs.sum())
    name, units = ("rate", "1/a") if of_hazard else ("probability", "1")
    density = _density(target, grid)
    inside = (grid >= ends[0]) & (grid <= ends[1])
    whole, kept = (np.trapezoid(np.where(mask, density, 0.0), grid) for mask in (True, inside))
    at_most = _without_overturning(sums, grid, level)
    unseen = float(np.trapezoid(density * at_most, grid))
    interval = _interval(sums, how) if np.isfinite(sums.weakest) else np.array([0.0, unseen])
    centre, dispersion = _proposal(ds, grid, density)
    axis = {"units": run_intensity(ds).attrs.get("units", "1")}
    words = f"{name}, from the weakest intensity with overturning on"
    unseen_words = "all others, weaker or stronger than all runs, add at most"
    outside_words = "intensities at which the study has no runs"
    return table(
        {
            name: ((), sums.total / n, {"units": units, "long_name": words}),
            f"{name}_interval": ("bound", interval),
            "unseen": ((), unseen, {"units": units, "long_name": unseen_words, "digits": "bound"}),
            "outside": ((), max(whole - kept, 0.0), {"units": units, "long_name": outside_words}),
            "weakest_overturning": ((), sums.weakest, axis),
            "effective_runs": ((), sums.total**2 / sums.square if sums.square > 0 else 0.0),
            "runs": ((), n),
            "records": ((), records),
            "proposal_median": ((), centre, axis),
            "proposal_dispersion": ((), dispersion),
        },
        attrs={"level": level},
    )


def _weigher(
    drawn: tuple[Any, float], target: xr.Dataset | Mapping[str, Any]
) -> Callable[[np.ndarray], np.ndarray]:
    spread, factor = drawn
    return lambda x: _density(target, x) / (spread.pdf(x / factor) / factor)


def run_weights(ds: xr.Dataset, target: xr.Dataset | Mapping[str, Any]) -> np.ndarray:
    """Weights (n_realization,) of the runs of a cloud whose intensity has a density, as of
    `weighted_probability`."""
    drawn = drawn_intensity(ds)
    assert drawn is not None
    return _weigher(drawn, target)(ds["intensity_value"].values.astype(float))


class _Part(NamedTuple):
    """Runs that are read together."""

    where: slice
    x: np.ndarray  # (n,) intensities
    weight: np.ndarray  # (n,)
    readings: np.ndarray  # (3, n) overturned, by the readings of `Passed`
    record: np.ndarray  # (n,) recording, or the run itself


def _parts(
    ds: xr.Dataset, weigh: Callable[[np.ndarray], np.ndarray], index: np.ndarray | None
) -> Iterator[_Part]:
    """All runs of a cloud, in slices."""
    for where, part, _ in read_slices(ds, ("intensity_value",), False):
        x = part["intensity_value"].values.astype(float)
        record = np.arange(where.start, where.stop) if index is None else index[where].astype(np.int64)
        yield _Part(where, x, weigh(x), overturn_levels(part).readings, record)


class _Sums(NamedTuple):
    """Sums over all runs, and over those of each recording; single runs are dealt into groups."""

    total: float  # of the weights of what overturned, by the estimate
    square: float  # of their squares
    weakest: float  # intensity at which a run overturned, if undecided ones did; inf if none
    strongest: float  # intensity of all
    stronger: np.ndarray  # (n_grid,) records with a run weaker than the weakest and stronger than the grid
    runs: np.ndarray  # (n_record,)
    # by the readings ALL_STAND, without the weakest run that overturned, and ALL_OVERTURN:
    some: tuple[bool, bool]  # whether a run overturned
    overturned: np.ndarray  # (2, n_record) weights of what overturned
    most: np.ndarray  # (2, n_record) weights of all runs from the weakest that overturned on


def _sums(parts: Callable[[], Iterator[_Part]], grid: np.ndarray, records: int | None) -> _Sums:
    """Sums of runs that are read twice; ``records`` is their number, None where each run is its own."""
    fell: list[list[tuple[float, int]]] = [[], []]  # the two weakest that overturned, and their places
    strongest, n = -np.inf, 0
    for part in parts():
        for known, reading in zip(fell, (ALL_STAND, ALL_OVERTURN), strict=True):
            place = np.flatnonzero(part.readings[reading])
            place = place[np.argsort(part.x[place], kind="stable")[:2]]
            known += zip(part.x[place].tolist(), (part.where.start + place).tolist(), strict=True)
            known[:] = sorted(known)[:2]
        strongest, n = max(strongest, float(part.x.max())), part.where.stop
    (left_out, *rest), counted = fell[0] or [(np.inf, -1)], fell[1]
    starts = [known[0][0] if known else np.inf for known in (rest, counted)]
    lots = min(GROUPS, n) if records is None or records == n else records
    total, square, stronger, largest = 0.0, 0.0, np.zeros(len(grid), np.int64), np.zeros(records or 0)
    runs, overturned, most = np.zeros(lots, np.int64), np.zeros((2, lots)), np.zeros((2, lots))
    for part in parts():
        weighted, lot = part.weight * part.readings, part.record % lots
        if part.where.start <= left_out[1] < part.where.stop:
            weighted[ALL_STAND, left_out[1] - part.where.start] = 0.0
        total += float(weighted[ESTIMATE].sum())
        square += float((weighted[ESTIMATE] ** 2).sum())
        runs += np.bincount(lot, minlength=lots)
        for k, reading in enumerate((ALL_STAND, ALL_OVERTURN)):
            np.add.at(overturned[k], lot, weighted[reading])
            np.add.at(most[k], lot, np.where(part.x >= starts[k], part.weight, 0.0))
        below = part.x < starts[1]
        if records is None:
            stronger += _above(part.x[below], grid)
        else:
            np.maximum.at(largest, part.record[below], part.x[below])
    if records is not None:
        stronger = _above(largest, grid)
    some = bool(rest), bool(counted)
    return _Sums(total, square, starts[1], strongest, stronger, runs, some, overturned, most)


def _above(values: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """Number of values above each of a grid."""
    return len(values) - np.searchsorted(np.sort(values), grid, side="right")


def _without_overturning(sums: _Sums, grid: np.ndarray, level: float) -> np.ndarray:
    """Upper bounds of the probability at intensities (n_grid,) below the weakest overturning, where records
    with stronger runs tell; 1 beyond the strongest run, 0 between."""
    some = np.maximum(sums.stronger, 1)
    bound = np.where(sums.stronger > 0, [bound_without_events(n, level) for n in some.tolist()], 1.0)
    return np.where(grid < sums.weakest, bound, np.where(grid > sums.strongest, 1.0, 0.0))


def _interval(sums: _Sums, how: Bootstrap) -> np.ndarray:
    """Interval (2,) of the mean of weighted overturning."""
    runs, ends = sums.runs, []
    for some, total, weights in zip(sums.some, sums.overturned, sums.most, strict=True):
        if not some:
            ends.append(np.zeros(2))
            continue
        most = weights / runs
        bounds = most.max() * np.stack(clustered_interval(total / most.max(), runs, how.level))
        units = Units(np.ones(1), runs[:, None], np.stack([total[:, None]] * 3), np.ones(len(runs), np.int64))
        found = np.full(2, np.nan)
        if how.reaches_level(len(runs)):
            found = np.exp(isotonic_interval(units, ESTIMATE, how, np.ones((1, 1)), np.zeros(1))[:, 0])
        ends.append(np.array([bounds[0] if np.isnan(found[0]) else found[0], np.fmin(found[1], bounds[1])]))
    return np.array([ends[0][0], ends[1][1]])


def _frozen(target: Mapping[str, Any]) -> Any:
    parsed = OneOf("distribution", DISTRIBUTIONS).parse(dict(target))
    if isinstance(parsed, Stepped) or not isinstance(parsed, Distribution):
        raise ValueError(
            f"the target of weights must be a continuous distribution, got {target['distribution']!r}"
        )
    return parsed.frozen


def _support(target: xr.Dataset | Mapping[str, Any]) -> tuple[float, float]:
    """Range of intensities above 0 that holds nearly all of the target."""
    if isinstance(target, xr.Dataset):
        rows = target["hazard_intensity"].values
        return float(rows[0]), float(rows[-1])
    spread = _frozen(target)
    high = float(spread.isf(TAIL))
    return max(float(spread.ppf(TAIL)), 1e-6 * high), high


def _density(target: xr.Dataset | Mapping[str, Any], x: np.ndarray) -> np.ndarray:
    """Density of the target, or -dH/dx of its mean curve, log-log between the rows and 0 outside."""
    if not isinstance(target, xr.Dataset):
        return np.asarray(_frozen(target).pdf(x), float)
    rows = np.log(target["hazard_intensity"].values)
    rate = np.log(target["rate"].sel(hazard=MEAN).values)
    slope = -np.diff(rate) / np.diff(rows)
    z = np.log(np.maximum(x, np.finfo(float).tiny))
    segment = np.clip(np.searchsorted(rows, z, side="right") - 1, 0, len(slope) - 1)
    inside = (z >= rows[0]) & (z <= rows[-1])
    return np.where(inside, slope[segment] * np.exp(np.interp(z, rows, rate)) / np.exp(z), 0.0)


def _proposal(ds: xr.Dataset, grid: np.ndarray, density: np.ndarray) -> tuple[float, float]:
    """Median and dispersion of the lognormal distribution nearest to f sqrt(F)."""
    fit = fit_fragility(ds, resamples=1)
    median, dispersion = float(fit["median_capacity"]), float(fit["dispersion"])
    if not (np.isfinite([median, dispersion]).all() and dispersion > 0):
        return np.nan, np.nan
    z = np.log(grid)
    best = density * grid * np.sqrt(ndtr((z - np.log(median)) / dispersion))
    best = best / best.sum()
    mean = float((best * z).sum())
    return float(np.exp(mean)), float(np.sqrt((best * (z - mean) ** 2).sum()))
