"""What limits an answer: its runs, or the recordings that they share.

The variance of an estimate for new earthquakes has a part that more runs of the same recordings take away,
and one that only more recordings do. To first order an estimate moves with the runs that overturned, each by
the derivative of the estimate (the influence of a run); an analysis of variance of these by recording tells
the parts (Searle, Casella and McCulloch 1992).

Searle, S. R., Casella, G., McCulloch, C. E. (1992). Variance components. Wiley.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, inf, isfinite, log, nan, sqrt
from typing import Unpack

import numpy as np
import xarray as xr
from scipy.special import stdtrit

from mcrock.base.checks import ROUNDING, shared_keywords
from mcrock.base.params import Outcome
from mcrock.dataset.opened import accepts_path
from mcrock.statistics.accepted_curve import FAMILIES, AcceptedCurve, FragilityCurve, accept_curve
from mcrock.statistics.hazard import MEAN, check_measure
from mcrock.statistics.importance import drawn_intensity, run_weights, weighted_probability
from mcrock.statistics.intervals import Bootstrap, BootstrapKeywords, Confidence, bound_without_events, table
from mcrock.statistics.measures import own_measure
from mcrock.statistics.probability import by_falling, pooled
from mcrock.statistics.rates import integration_points, refine
from mcrock.statistics.runs import axis_attrs, is_cloud, read_slices, record_index, run_intensity

SMALL = 1e-3  # of the runs of a level, over which an answer is differentiated
MORE_RUNS, MORE_RECORDS = 10, 2  # times as many, whose gain is told [1]
WIDTH = 0.1  # half-width that is wanted of an interval [1]
NAMES = {
    "runs_share": "share of the variance that runs add {percent}",
    "half_width": "half-width of its interval {.2g}",
    "narrower_by_runs": f"{MORE_RUNS} times the runs would narrow the interval by {{percent}}",
    "narrower_by_records": f"{MORE_RECORDS} times the recordings would narrow the interval by {{percent}}",
    "records_needed": "recordings that the wanted interval takes",
    "width": "half-width that is wanted {.2g}",
}


def check_aim(ds: xr.Dataset, hazard: xr.Dataset | None, intensity: float | None) -> None:
    """Refuse what a study cannot be asked for; of a study the intensity is enough, without runs.

    Raises
    ------
    HazardError
        If the hazard is of another intensity.
    ValueError
        If the intensity is no level of the study.
    """
    if hazard is not None:
        check_measure(run_intensity(ds), hazard, own_measure(ds))
    elif intensity is None:
        return
    elif is_cloud(ds):
        raise ValueError("a cloud has no runs at one intensity: take [intensity] levels, or a hazard")
    elif ds.sizes["intensity"] and not np.isclose(ds["intensity"], intensity, rtol=ROUNDING).any():
        unit = axis_attrs(ds)["units"]
        raise ValueError(f"no level of the study is {intensity:g} {unit}: add it to [intensity] levels")


@accepts_path
@shared_keywords(Bootstrap)
def what_limits(
    ds: xr.Dataset,
    hazard: xr.Dataset | None = None,
    *,
    intensity: float | None = None,
    width: float = WIDTH,
    **keywords: Unpack[BootstrapKeywords],
) -> xr.Dataset:
    """What limits an answer: the median intensity, or with one of them the rate or a probability.

    It is that of overturning or, where the study has a displacement limit, of falling off its support too.

    Parameters
    ----------
    ds : Dataset
        Study.
    hazard : Dataset, optional
        From `load_hazard`, for the annual rate by its mean curve. Of a cloud whose intensity has a density
        it is the rate by weights (`weighted_probability`).
    intensity : float, optional
        Level of the study at which the probability is the answer [unit of the intensity].
    width : float
        Half-width that is wanted of the interval, of a probability itself, else of the logarithm [1].
    **keywords
        Of `mcrock.statistics.Bootstrap`.

    Returns
    -------
    Dataset
        `answer` with `answer_interval` (bound), `half_width` of that [1], and `runs_share` [1], the share of
        its variance that more runs of the same recordings would take away, NaN where realizations have
        recordings of their own, or one run each. `narrower_by_runs` and `narrower_by_records` [1], by how
        much `MORE_RUNS` times the runs, and `MORE_RECORDS` times the recordings with as many runs each, would
        narrow the interval; `records_needed` for `width`, NaN where the runs do not tell. `runs` and
        `records`.
        Attributes `answer`, "median", "probability" or "rate", and `limit`: "recordings", "runs", or "levels"
        where every fraction is 0 or 1, and exact bounds of the recordings decide.

    Raises
    ------
    ValueError
        As `check_aim` and `fit_fragility`, or if ``width`` is not > 0.
    """
    if not width > 0:
        raise ValueError(f"the half-width that is wanted must be > 0 [1], got {width!r}")
    check_aim(ds, hazard, intensity)
    how, ds = Bootstrap(**keywords), by_falling(pooled(ds))
    accepted = accept_curve(ds, how)
    x, fell, runs = accepted.units.sums()
    kind = "median" if hazard is None and intensity is None else "probability" if hazard is None else "rate"
    weighted = kind == "rate" and is_cloud(ds) and drawn_intensity(ds) is not None
    if kind == "probability":
        points = accepted.points.sel(intensity=intensity, method="nearest")
        estimate, ends = float(points["probability"]), points["interval"].values
        weights = np.isclose(ds["intensity"], intensity or 0.0, rtol=ROUNDING).astype(float)
        exact = estimate in (0.0, 1.0)
    elif weighted and hazard is not None:
        rate = weighted_probability(ds, hazard, level=how.level)
        estimate, ends = float(rate["rate"]), rate["rate_interval"].values
        weights, exact = run_weights(ds, hazard), estimate == 0.0
    else:
        if hazard is not None:
            rows = hazard_rows(hazard)
            estimate, ends = accepted.rate(*rows), accepted.rate_interval([rows])[:, 0]
        else:
            estimate, ends = accepted.curve.reached(0.5), np.array(accepted.reached_interval(0.5))
        (weights,) = influence(ds, accepted, hazard, [accepted.choice.family])
        fell, of = (fell.sum(), runs.sum()) if is_cloud(ds) else (fell, runs)
        exact = bool(np.all((fell == 0) | (fell == of)))
    expected = np.zeros(ds.sizes["realization"])
    if not is_cloud(ds):
        expected = at_levels(ds, x, fell / np.maximum(runs, 1))
    elif not weighted:
        intensity_of_run = run_intensity(ds).values.astype(float)
        place = np.searchsorted((x[1:] * x[:-1]) ** 0.5, intensity_of_run)
        weights, expected = weights[place], accepted.curve.at(intensity_of_run)
    share = 0.0 if exact else float(share_of_runs(ds, weights, expected, how))
    half = float(np.diff(ends)[0]) / 2
    if kind != "probability":
        half = log(ends[1] / ends[0]) / 2 if ends[0] > 0 and ends[1] < inf else inf
    record, records = record_index(ds)
    alone = record is None or not how.cluster  # runs and what is independent grow together
    narrower = 1 - sqrt(1 - (1.0 if alone else share) * (1 - 1 / MORE_RUNS))
    more = MORE_RECORDS * records
    if exact:
        by_records = 1 - bound_without_events(more, how.level) / bound_without_events(records, how.level)
    elif records < 2:
        by_records = nan
    else:
        quantile = stdtrit(np.array([more - 1, records - 1]), (1 + how.level) / 2)
        by_records = 1 - quantile[0] / quantile[1] / sqrt(MORE_RECORDS)
    told = 0 < half < inf and not exact and records > 1 and isfinite(estimate)
    limit = "levels" if exact and kind == "median" else "recordings"
    if not exact and (alone or narrower > by_records > 0):
        limit = "runs"
    units = {"median": axis_attrs(ds).get("units", "1"), "probability": "1", "rate": "1/a"}[kind]
    return table(
        {
            "answer": ((), estimate, {"units": units, "long_name": kind}),
            "answer_interval": ("bound", ends),
            "half_width": ((), half),
            "runs_share": ((), share),
            "narrower_by_runs": ((), narrower),
            "narrower_by_records": ((), by_records),
            "records_needed": ((), ceil(records * (half / width) ** 2) if told else nan),
            "width": ((), width),
            "runs": ((), int(runs.sum())),
            "records": ((), records),
        },
        {},
        how.attrs(record) | {"answer": kind, "limit": limit},
        NAMES,
    )


def hazard_rows(hazard: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Intensities and mean annual rates of a hazard, both (n,)."""
    return hazard["hazard_intensity"].values, hazard["rate"].sel(hazard=MEAN).values


def at_levels(ds: xr.Dataset, x: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Values (..., n) at the intensities of a curve as values at the levels of a study; 0 at level 0."""
    there = np.searchsorted(x, ds["intensity"].values).clip(max=len(x) - 1)
    return np.where(ds["intensity"].values > 0, values[..., there], 0.0)


def influence(
    ds: xr.Dataset, accepted: AcceptedCurve, hazard: xr.Dataset | None, families: Iterable[str] = FAMILIES
) -> np.ndarray:
    """How much the logarithm of the median, or of the rate, grows by another overturned run.

    Returns
    -------
    ndarray (n_family, n_intensity)
        At the levels of a study, or at the intensities of `AcceptedCurve.units` of a cloud [1]; NaN where a
        curve has no such answer.
    """
    x, yes, runs = accepted.units.sums()
    step = SMALL * runs * np.eye(len(x))
    low, high = np.clip(yes - step, 0.0, runs), np.clip(yes + step, 0.0, runs)
    rows = None if hazard is None else refine(*hazard_rows(hazard), integration_points(x))

    def read(curve: FragilityCurve) -> float:
        return curve.reached(0.5) if rows is None else float(curve.rates(*rows).sum())

    answers = [
        [read(FAMILIES[family].fit(x, row, runs, accepted.units.number)) for row in (*low, *high)]
        for family in families
    ]
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(answers)
        slopes = (logs[:, len(x) :] - logs[:, : len(x)]) / (high - low).diagonal()
    slopes[~np.isfinite(slopes)] = np.nan
    return slopes if is_cloud(ds) else at_levels(ds, x, slopes)


def share_of_runs(ds: xr.Dataset, weights: np.ndarray, expected: np.ndarray, how: Confidence) -> np.ndarray:
    """Share of the variance of weighted counts of overturned runs that is between runs of one recording.

    It is what more runs of the same recordings take away: with n times the runs the variance is
    ``1 - share (1 - 1/n)`` of what it was. By the sums of squares of an analysis of variance with recordings
    as groups, which of a smooth estimate are those of its linear part.

    Parameters
    ----------
    ds : Dataset
        Study.
    weights : ndarray (..., n_intensity)
        Change of the estimate by another overturned run at a level; of a cloud (n_realization,), of each run.
    expected : ndarray (n_intensity,) or (n_realization,)
        Fraction overturned at each level, or the probability of each run of a cloud; 0 of a sum of weights.
    how : Confidence
        What counts as independent.

    Returns
    -------
    ndarray (...)
        From 0 to 1 [1]; NaN where recordings are single, have a single realization, or there is no weight.
    """
    ds, unknown = pooled(ds), np.full(weights.shape[:-1], np.nan)
    record, _ = record_index(ds)
    if record is None or not how.cluster:
        return unknown
    total = np.zeros((3, 1 + int(record.max()), *unknown.shape))  # numbers, sums, sums of squares
    for where, part, there in read_slices(ds, (), how.allow_missing):
        fell = part["outcome"].values == Outcome.OVERTURNED
        if is_cloud(ds):
            off = np.where(there, fell - expected[where], 0.0) * weights[where]
        else:
            off = np.where(there, fell - expected, 0.0) @ weights.T
        some = there.reshape(len(there), -1).any(axis=1)
        counted = np.ones_like(off[some])
        for sums, values in zip(total, (counted, off[some], off[some] ** 2), strict=True):
            columns = values.reshape(len(values), -1).T  # np.add.at takes ten times as long
            each = [np.bincount(record[where][some], column, len(sums)) for column in columns]
            sums += np.stack(each, axis=-1).reshape(sums.shape)
    total = total[:, total[0].reshape(total.shape[1], -1)[:, 0] > 0]
    runs, of_records = total[0], total.shape[1]
    if of_records < 2 or runs.min() < 2:
        return unknown
    centred = total[1] - runs * total[1].sum(axis=0) / runs.sum(axis=0)
    within = ((total[2] - total[1] ** 2 / runs) * runs / (runs - 1)).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        between = (centred**2).sum(axis=0) * of_records / (of_records - 1)
        found: np.ndarray = np.minimum(within / between, 1.0)
    return found
