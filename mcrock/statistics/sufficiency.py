"""Fragility over two intensity measures, and whether one of them suffices.

`fit_surface` fits the probability over the plane of two measures, and tells whether the second one adds
anything. `measure_sufficiency` gives efficiency, practicality and sufficiency of measures, each with an
interval, and scores all pairs.

Baker, J. W. and Cornell, C. A. (2005). A vector-valued ground motion intensity measure consisting of spectral
acceleration and epsilon. Earthquake Engineering and Structural Dynamics 34(10), 1193-1217.

Luco, N., Cornell, C. A. (2007). Structure-specific scalar intensity measures for near-source and ordinary
earthquake ground motions. Earthquake Spectra 23(2), 357-392. (Efficiency and sufficiency.)

Graybill, F. A., Wang, C.-M. (1980). Confidence intervals on nonnegative linear combinations of variances.
Journal of the American Statistical Association 75(372), 869-873. (Interval of the scatter.)

Zou, G. Y., Donner, A. (2008). Construction of confidence limits about effect measures: a general approach.
Statistics in Medicine 27(10), 1693-1702. (Interval of the proficiency from those of scatter and slope.)

Padgett, J. E., Nielson, B. G., DesRoches, R. (2008). Selection of optimal intensity measures in probabilistic
seismic demand models of highway bridge portfolios. Earthquake Engineering and Structural Dynamics 37(5),
711-725. (Practicality and proficiency.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np
import xarray as xr
from scipy.special import chdtri, stdtr, stdtrit

from mcrock.base.checks import shared_keywords
from mcrock.base.params import Outcome
from mcrock.dataset.opened import accepts_path
from mcrock.statistics.goodness import add_log_losses, cross_validated
from mcrock.statistics.intervals import Confidence, ConfidenceKeywords, table
from mcrock.statistics.likelihood import PROBIT, Link, fit_planes, jackknife, link_of
from mcrock.statistics.measures import SMALLEST, by_measure, has_records, measure_name, with_measures
from mcrock.statistics.probability import EVENT, pooled
from mcrock.statistics.runs import (
    ALL_OVERTURN,
    ALL_STAND,
    ESTIMATE,
    Classes,
    check_runs,
    count_runs,
    is_cloud,
    overturn_levels,
    place_in_cells,
    read_slices,
    record_index,
    record_lots,
)
from mcrock.study import Study
from mcrock.study.sampling import load_motions

CELLS = 64  # along the logarithm of each measure
GRID = 40  # values of each measure at which the surface is given
MODELS = ("first", "second", "both")
CURVE, SIGNED = {"digits": "curve"}, {"digits": "difference"}
WORDS = {
    "slope": "practicality: slope",
    "scatter": "efficiency: scatter",
    "proficiency": "scatter/slope",
    "demand": "effect on ln(tilt), given the measure",
    "overturning": "on overturning",
}


class Cells(NamedTuple):
    """Counts of each record in cells of the plane of two measures."""

    x: np.ndarray  # (3, n_cell) 1 and the centred logarithms of both measures
    runs: np.ndarray  # (n_record, n_cell)
    overturned: np.ndarray  # (3, n_record, n_cell), by the readings of `Passed`


@accepts_path
@shared_keywords(Confidence)
def fit_surface(
    ds: xr.Dataset, measures: Sequence[str], *, link: str = "probit", **keywords: Unpack[ConfidenceKeywords]
) -> xr.Dataset:
    """Fit the probability of overturning as a function of two intensity measures.

    The surface is ``F(c0 + c1 ln(x1) + c2 ln(x2))``, fitted by maximum likelihood; its contours are straight
    lines in logarithmic axes. Intervals are Student's, with the jackknife over recordings, and take undecided
    runs both ways. The surface is compared with the curves of either measure alone by their log loss on
    records left out (leave-one-out).

    Parameters
    ----------
    ds : Dataset
        Cloud study with both measures, or the result of `with_measures`.
    measures : sequence of two str
        Of `measures_of(ds)`.
    link : str
        "probit" or "logit".
    **keywords
        Of `mcrock.statistics.Confidence`: `level` and `allow_missing`. Intervals always count recordings.

    Returns
    -------
    Dataset
        `intercept` and `coefficient` (measure) with `coefficient_interval` (bound, measure) [1], of the
        logarithms of both measures in SI units, NaN where the likelihood has no maximum; `probability`
        (first, second) and `interval` (bound, first, second) [1] over the ranges of both measures, and
        `inside` (first, second), whether there are runs nearby; `log_loss` (model) with `log_loss_interval`
        (bound, model) [1] of "first", "second" and "both" on records left out, and `log_loss_difference` from
        "both" with its interval, by paired differences of the records; `runs`, `records`.

    Raises
    ------
    ValueError
        If the dataset does not fit or is not a cloud study, ``measures`` are not two different ones of it,
        ``link`` is unknown, or there are fewer than two records.
    """
    how, shape = Confidence(**keywords), link_of(link)
    check_runs(ds)
    if not is_cloud(ds):
        raise ValueError("a surface needs a cloud with both measures: take with_measures(ds, [...])")
    if len(measures) != 2 or measures[0] == measures[1]:
        raise ValueError(f"a surface is over two different measures, got {list(measures)}")
    values = [by_measure(ds, name)["intensity_value"] for name in measures]
    cells, centre = in_cells(ds, values, how.allow_missing)
    records = len(cells.runs)
    if records < 2:
        raise ValueError("a surface needs at least 2 recordings, or independent realizations")
    axes = [np.geomspace(np.min(x[x > 0]), np.nanmax(x), GRID) for x in (value.values for value in values)]
    points = np.stack([np.ones((GRID, GRID)), *np.meshgrid(*(np.log(axis) for axis in axes), indexing="ij")])
    points[1:] -= centre[:, None, None]
    quantile = stdtrit(records - 1, (1 + how.level) / 2)
    found, ends = [], []
    for reading in (ESTIMATE, ALL_STAND, ALL_OVERTURN):
        yes = cells.overturned[reading]
        samples = np.concatenate([yes.sum(axis=0)[None], yes.sum(axis=0) - yes])
        runs = np.concatenate([cells.runs.sum(axis=0)[None], cells.runs.sum(axis=0) - cells.runs])
        fits = fit_planes(cells.x, samples, runs, shape)
        eta = np.tensordot(fits, points, axes=1).reshape(len(fits), -1)
        every = np.concatenate([fits[:, 1:], eta], axis=1)
        error = quantile * jackknife(every[1:])
        found.append(fits[0])
        ends.append(np.stack([every[0] - error, every[0] + error]))
    low, high = np.min(ends, axis=0)[0], np.max(ends, axis=0)[1]
    surface = np.tensordot(found[0], points, axes=1)
    band = shape.cdf(np.stack([low[2:], high[2:]])).reshape(2, GRID, GRID)
    names = [str(value.attrs.get("long_name", name)) for name, value in zip(measures, values, strict=True)]
    result = table(
        {
            "intercept": ((), found[0][0] - found[0][1:] @ centre, {"digits": ".2f"}),
            "coefficient": ("measure", found[0][1:], {"long_name": "coefficient of its logarithm"} | SIGNED),
            "coefficient_interval": (("bound", "measure"), np.stack([low[:2], high[:2]])),
            "probability": (("first", "second"), shape.cdf(surface), {"long_name": "probability"} | CURVE),
            "interval": (("bound", "first", "second"), band, CURVE),
            "inside": (("first", "second"), _near(cells, points), CURVE),
            "runs": ((), int(cells.runs.sum())),
            "records": ((), record_index(ds)[1]),
        },
        coords={
            "measure": list(measures),
            "model": list(MODELS),
            "model_label": ("model", [*measures, "both"]),
        }
        | {
            name: (name, axis, {"units": value.attrs.get("units", "1"), "long_name": words})
            for name, axis, value, words in zip(("first", "second"), axes, values, names, strict=True)
        },
        attrs={"level": how.level, "link": link, "independent": "records"}
        | ({EVENT: ds.attrs[EVENT]} if EVENT in ds.attrs else {}),
    )
    losses = np.stack([surface_log_loss(cells, columns, shape) for columns in ([0, 1], [0, 2], [0, 1, 2])])
    add_log_losses(result, "model", losses, cells.runs.sum(axis=1), how.level, MODELS.index("both"))
    return result


def surface_log_loss(cells: Cells, columns: list[int], link: Link) -> np.ndarray:
    """Log loss (n_record,) of a fit by some columns on records left out."""
    x = cells.x[columns]

    def predict(yes: np.ndarray, runs: np.ndarray) -> np.ndarray:
        return link.cdf(fit_planes(x, yes, runs, link) @ x)

    return cross_validated(cells.runs, cells.overturned[ESTIMATE], predict).log_loss


def in_cells(ds: xr.Dataset, values: list[xr.DataArray], allow_missing: bool) -> tuple[Cells, np.ndarray]:
    """Counts in cells, and the means of the logarithms that were taken off them."""
    there = np.concatenate([some for *_, some in read_slices(ds, (), allow_missing)])
    positive = there & (values[0].values > 0) & (values[1].values > 0)
    if not positive.any():
        raise ValueError("a surface needs intensities > 0")
    part, n = ds.isel(realization=positive), int(positive.sum())
    z = np.log(np.stack([value.values[positive] for value in values]))
    places = [
        np.asarray(place_in_cells(value.values[positive].__getitem__, n, CELLS).of_run, np.int64)
        for value in values
    ]
    index = np.unique(places[0] * (CELLS + 1) + places[1], return_inverse=True)[1]
    number = np.bincount(index)
    mean = np.stack([np.bincount(index, weights=row) / number for row in z])
    group = np.unique(record_lots(part), return_inverse=True)[1]
    classes = Classes(mean[0], mean[0], mean[0], index)
    tally = count_runs(part, overturn_levels, 1, classes, group, allow_missing=allow_missing)
    centre = z.mean(axis=1)
    x = np.concatenate([np.ones((1, len(number))), mean - centre[:, None]])
    return Cells(x, tally.runs.astype(float), tally.beyond.readings[..., 0]), centre


def _near(cells: Cells, points: np.ndarray) -> np.ndarray:
    """Points (GRID, GRID) that have a run within two steps of the grid."""
    steps = [points[1, 1, 0] - points[1, 0, 0], points[2, 0, 1] - points[2, 0, 0]]
    place = [
        np.clip(np.rint((row - points[k + 1, 0, 0]) / max(step, 1e-12)), 0, GRID - 1).astype(int)
        for k, (row, step) in enumerate(zip(cells.x[1:], steps, strict=True))
    ]
    there = np.zeros((GRID, GRID), bool)
    for i in range(-2, 3):
        for j in range(-2, 3):
            there[np.clip(place[0] + i, 0, GRID - 1), np.clip(place[1] + j, 0, GRID - 1)] = True
    return there


OF_MOTION = ("d5_95", "tm")  # of any motion: how long it is, and how long its pulses are
MAGNITUDE = "magnitude"
OF_RECORD = (MAGNITUDE, "distance_rupture", "distance_joyner_boore", "distance_epicentral")  # as metadata
ROCKED = 0.01  # least peak tilt over the slenderness that is a demand [1]
FEWEST = 3  # recordings
SAME = 0.9999  # correlation from which two measures are one


@accepts_path
@shared_keywords(Confidence)
def measure_sufficiency(
    ds: xr.Dataset,
    measures: Sequence[str | Mapping[str, Any]],
    *,
    folder: str | Path = ".",
    **keywords: Unpack[ConfidenceKeywords],
) -> xr.Dataset:
    """Efficiency, practicality and sufficiency of intensity measures, and all pairs of them by log loss.

    The demand is the peak tilt over the slenderness of the runs that rocked, by `ROCKED` at least, and came
    to rest: ``ln(demand) = a + b ln(x) + e`` by least squares. `slope` is the practicality b, `scatter` the
    efficiency, the standard deviation of e of the runs (less two), and `proficiency` scatter/b, where b is
    not 0. A measure is sufficient as to a property z of the motion if z tells nothing once the measure is
    known. Both coefficients of z are given, of ``ln(demand) = a + b ln(x) + c z`` and of the probability of
    overturning, ``F(c0 + c1 ln(x) + c z)``; z is the logarithm of the significant duration and of the mean
    period of the motion and, where the records have them, of the distance, the magnitude itself, and 1 for a
    pulse where a set names its pulses. Intervals and p-values are Student's, with the jackknife over
    recordings. The interval of the scatter holds that, centred on the jackknife's estimate without bias, and
    that of a normal variance between recordings and one within them (Graybill and Wang 1980).

    Parameters
    ----------
    ds : Dataset
        Result of a study with recorded motions.
    measures : sequence
        As for `mcrock.statistics.with_measures`.
    folder : str or Path
        Folder that the names of record files start from.
    **keywords
        Of `mcrock.statistics.Confidence`: `level` and `allow_missing`. Undecided runs are no demand, and
        count as in the estimate of the probability.

    Returns
    -------
    Dataset
        Along ``measure``: `slope`, `scatter`, `proficiency` with `..._interval` (bound, measure) [1]; along
        ``measure`` and ``property``: `demand_effect` and `overturning_effect` with intervals,
        `demand_p_value` and `overturning_p_value` [1]; along ``predictor``, each measure and each pair:
        `log_loss` and `log_loss_difference` from the best on records left out, with intervals; `demands` and
        `records`, numbers of runs and recordings. NaN where recordings are too few or the likelihood has no
        maximum.

    Raises
    ------
    ValueError
        As `mcrock.statistics.with_measures`; also if the study has no `peak_tilt_ratio`.
    ConfigError
        If the records cannot be read.
    """
    how = Confidence(**keywords)
    ds = pooled(ds)
    if "peak_tilt_ratio" not in ds:
        raise ValueError("sufficiency needs the response peak_tilt_ratio: run the study with it")
    runs = with_measures(ds, [*measures, *OF_MOTION], folder=folder)
    names = list(dict.fromkeys(measure_name(item) for item in measures))
    properties = _properties(ds, runs, Path(folder))
    tilt = ds["peak_tilt_ratio"].transpose("realization", ...).values.reshape(-1)
    rocked = np.isin(runs["outcome"].values, [Outcome.AT_REST]) & (tilt >= ROCKED)
    demand = _Demand(
        np.log(tilt[rocked]), rocked, np.unique(record_lots(runs), return_inverse=True)[1][rocked]
    )
    x = {name: _logarithm(runs, name) for name in names}
    alone = [demand.fit([each], how.level) for each in x.values()]
    beside = [[demand.fit([each, z], how.level) for z in properties.values()] for each in x.values()]
    over = [[_overturning(runs, [each, z], how) for z in properties.values()] for each in x.values()]
    result = table(
        {
            **_of_measures({"slope": 1, "scatter": -2, "proficiency": -1}, alone),
            **_of_properties("demand", beside),
            **_of_properties("overturning", over),
            "demands": ((), int(rocked.sum()), {"long_name": "runs that rocked and came to rest"}),
            "records": ((), record_index(runs)[1]),
        },
        coords={"measure": names, "property": list(properties)},
        attrs={"level": how.level, "independent": "records"},
    )
    return _with_pairs(result, runs, x, how)


class _Effects(NamedTuple):
    """Coefficients of a fit with intervals and p-values."""

    value: np.ndarray  # (k,)
    ends: np.ndarray  # (2, k)
    p_value: np.ndarray  # (k,)


def _student(every: np.ndarray, level: float, fitted: int = 1) -> _Effects:
    """From estimates (1 + n_record, k) of all records and without each, of so many coefficients."""
    value, freedom = every[0], len(every) - 1 - fitted
    error = jackknife(every[1:])
    half = stdtrit(freedom, (1 + level) / 2) * error
    with np.errstate(invalid="ignore", divide="ignore"):
        p_value = 2 * stdtr(freedom, -np.abs(value) / error)
    return _Effects(value, np.stack([value - half, value + half]), p_value)


def _unknown(size: int) -> _Effects:
    return _Effects(np.full(size, np.nan), np.full((2, size), np.nan), np.full(size, np.nan))


class _Demand(NamedTuple):
    """Logarithms of demands, and what they are of."""

    value: np.ndarray  # (n,)
    of_run: np.ndarray  # (n_run,) whether a run has one
    record: np.ndarray  # (n,)

    def fit(self, covariates: Sequence[np.ndarray], level: float) -> _Effects:
        """Least squares on covariates (n_run,): intercept, coefficients, scatter and proficiency."""
        parts = np.stack([*(each[self.of_run] for each in covariates), self.value])
        size, record = len(parts), np.unique(self.record, return_inverse=True)[1]
        number = int(record.max()) + 1 if len(record) else 0
        if number < max(FEWEST, size + 1):
            return _unknown(size + 2)
        rows = np.concatenate([np.ones((1, parts.shape[1])), parts - parts.mean(axis=1, keepdims=True)])
        gram = np.empty((number, size + 1, size + 1))
        for i in range(size + 1):
            for j in range(size + 1):
                gram[:, i, j] = np.bincount(record, weights=rows[i] * rows[j], minlength=number)
        total = gram.sum(axis=0)
        sums = np.concatenate([total[None], total - gram])
        bend, slope = sums[:, :size, :size], sums[:, :size, size]
        if np.linalg.matrix_rank(bend).min() < size:
            return _unknown(size + 2)
        found = np.linalg.solve(bend, slope[..., None])[..., 0]
        left = np.maximum(sums[:, size, size] - (found * slope).sum(axis=1), 1e-300)
        fit = _student(found, level, size)
        scatter = _scatter(rows[size] - found[0] @ rows[:size], record, size, level)
        logs = np.log(left / (sums[:, 0, 0] - size)) / 2
        unbiased = number * logs[0] - (number - 1) * logs[1:].mean()
        half = stdtrit(number - size, (1 + level) / 2) * jackknife(logs[1:, None])[0]
        scatter[1] = min(scatter[1], unbiased - half, logs[0])
        scatter[2] = max(scatter[2], unbiased + half, logs[0])
        scatter[0] = logs[0]
        more = np.exp([scatter, _ratio(scatter, np.array([fit.value[1], *fit.ends[:, 1]]))])
        return _Effects(
            np.append(fit.value, more[:, 0]),
            np.append(fit.ends, more[:, 1:].T, axis=1),
            np.append(fit.p_value, [np.nan, np.nan]),
        )


def _scatter(residual: np.ndarray, record: np.ndarray, size: int, level: float) -> np.ndarray:
    """Logarithm of the standard deviation of residuals (n,) of a fit of so many coefficients, and its ends.

    The sum of a variance between records, of their means, and one within them, both of normal variables, the
    ends by Graybill and Wang (1980). A fit takes the freedom of all coefficients but one slope from that
    between records.
    """
    runs = np.bincount(record)
    mean = np.bincount(record, weights=residual) / runs
    freedom = np.array([len(runs) - size + 1, max(len(record) - len(runs), 1)])
    between = ((mean - mean.mean()) ** 2).sum() / freedom[0]
    within = ((residual - mean[record]) ** 2).sum() / freedom[1]
    parts = np.array([between, (1 - (1 / runs).mean()) * within])
    low, high = (freedom / chdtri(freedom, (1 + sign * level) / 2) for sign in (-1, 1))
    total = max(parts.sum(), 1e-300)
    least = total - np.hypot(*((1 - low) * parts))
    most = total + np.hypot(*((high - 1) * parts))
    return np.log([total, max(least, 1e-300), most]) / 2


def _ratio(scatter: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """Logarithm of scatter over slope and its ends, of those of ln(scatter) and of the slope (3,).

    NaN where the slope may be 0; by Zou and Donner (2008), as both are independent.
    """
    if slope[1] <= 0 <= slope[2]:
        return np.full(3, np.nan)
    (a, low, high), b = scatter, np.log(np.abs(slope))
    least, most = np.sort(b[1:])
    return a - b[0] + np.array([0.0, -np.hypot(a - low, most - b[0]), np.hypot(high - a, b[0] - least)])


def _overturning(runs: xr.Dataset, covariates: Sequence[np.ndarray], how: Confidence) -> _Effects:
    """Coefficients of the probability of overturning by two covariates (n_run,)."""
    cells = _cells(runs, covariates, how)
    if len(cells.runs) < FEWEST + 1:
        return _unknown(len(cells.x))
    yes, every = (
        np.concatenate([each.sum(axis=0)[None], each.sum(axis=0) - each])
        for each in (cells.overturned[ESTIMATE], cells.runs)
    )
    return _student(fit_planes(cells.x, yes, every, PROBIT), how.level)


def _of_measures(places: Mapping[str, int], found: Sequence[_Effects]) -> dict[str, Any]:
    """Numbers of the fits by each measure, by the place where a fit has them."""
    variables: dict[str, Any] = {}
    for name, place in places.items():
        variables[name] = ("measure", [each.value[place] for each in found], {"long_name": WORDS[name]})
        variables[f"{name}_interval"] = (
            ("bound", "measure"),
            np.transpose([f.ends[:, place] for f in found]),
        )
    return variables


def _of_properties(kind: str, found: Sequence[Sequence[_Effects]]) -> dict[str, Any]:
    """Coefficients of the properties, the third of each fit."""
    size = ("measure", "property")
    ends = np.moveaxis(np.array([[each.ends[:, 2] for each in row] for row in found]), -1, 0)
    return {
        f"{kind}_effect": (
            size,
            [[each.value[2] for each in row] for row in found],
            {"long_name": WORDS[kind]} | SIGNED,
        ),
        f"{kind}_effect_interval": (("bound", *size), ends),
        f"{kind}_p_value": (
            size,
            [[each.p_value[2] for each in row] for row in found],
            {"long_name": "p", "digits": "p"},
        ),
    }


def _logarithm(runs: xr.Dataset, measure: str) -> np.ndarray:
    values: np.ndarray = by_measure(runs, measure)["intensity_value"].values
    return np.log(np.maximum(values, SMALLEST))


def _properties(ds: xr.Dataset, runs: xr.Dataset, folder: Path) -> dict[str, np.ndarray]:
    """Properties (n_run,) of the motions that vary: logarithms, but of magnitude and pulse."""
    found = {f"ln({name})": _logarithm(runs, name) for name in OF_MOTION}
    motions = load_motions(Study.from_json(ds.attrs["config"], folder)) if has_records(ds) else []
    metadata = {name: np.array([float(m.metadata.get(name, np.nan)) for m in motions]) for name in OF_RECORD}
    known = {name: values for name, values in metadata.items() if len(values) and (values > 0).all()}
    if motions:
        facts = [motion.metadata for motion in motions]
        pulse = ["pulse_period" in each or each.get("set") == "nearfield_pulse" for each in facts]
        found["pulse"] = np.array(pulse, float)[runs["record"].values]
    if MAGNITUDE in known:
        found[MAGNITUDE] = known.pop(MAGNITUDE)[runs["record"].values]
    for name in list(known)[:1]:  # one distance: they hardly differ
        found[f"ln({name})"] = np.log(known[name])[runs["record"].values]
    return {name: z for name, z in found.items() if np.ptp(z) > 0}


def _with_pairs(
    result: xr.Dataset, runs: xr.Dataset, x: dict[str, np.ndarray], how: Confidence
) -> xr.Dataset:
    """The log losses of each measure alone and of each pair, on records left out.

    Of two measures that are one but for a factor, as PGA and PGA/(g tan alpha) of one body, there is no pair.
    """
    asked = [(name, name) for name in x] + list(combinations(x, 2))
    losses: dict[str, np.ndarray] = {}
    number = np.zeros(0)
    for first, second in asked:
        if first != second and abs(np.corrcoef(x[first], x[second])[0, 1]) > SAME:
            continue
        cells = _cells(runs, [x[first], x[second]], how)
        number = cells.runs.sum(axis=1)
        name, columns = (first, [0, 1]) if first == second else (f"{first}, {second}", [0, 1, 2])
        losses[name] = surface_log_loss(cells, columns, PROBIT)
    rows = np.stack(list(losses.values()))
    sums = np.where(np.isnan(rows.sum(axis=1)), np.inf, rows.sum(axis=1))
    result = result.assign_coords(predictor=list(losses))
    add_log_losses(result, "predictor", rows, number, how.level, int(sums.argmin()))
    return result


def _cells(runs: xr.Dataset, covariates: Sequence[np.ndarray], how: Confidence) -> Cells:
    """Counts in cells of two covariates (n_run,)."""
    values = [runs["outcome"].copy(data=np.exp(each)) for each in covariates]
    return in_cells(runs, values, how.allow_missing)[0]
