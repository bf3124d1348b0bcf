"""Nested studies: what epistemic draws do to the result.

In a nested study every epistemic draw of the epistemic inputs, such as the impact parameters of a body that
nobody has tested, has a probability of its own (`epistemic_probability`) and a curve (`epistemic_fragility`).
The variance of these probabilities is the first-order share of P (1 - P); the total share also counts what
the draws do in single earthquakes (`variance_shares`). Both are needed: effects that cancel over all
earthquakes do not in a given one.

Components of the variance of yes or no, where draws of two kinds are crossed, come first (`components_of`).
Every epistemic draw k meets every realization i, and realizations are nested in records r. With y
the outcomes, means of products of two of them over all pairs of one kind are unbiased for

====  ==================================  ======================================================
mean  pairs                               expectation
====  ==================================  ======================================================
q     the same run                        E[y^2]
a     same realization, two draws         E[P(i)^2]
b     same draw and record, two of its    E[P(k, r)^2]
      realizations
c     same record, two draws and          E[P(r)^2]
      realizations
d     same draw, two records              E[P(k)^2]
e     two draws, two records              P^2
====  ==================================  ======================================================

so that every component is a difference of them. Where records have equal numbers of realizations these are
the estimators of the analysis of variance: d - e is (MS_k - MS_kr) / (R m).

Searle, S. R., Casella, G. and McCulloch, C. E. (1992). Variance components. Wiley, chapter 4 (expected mean
squares of the balanced case).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import xarray as xr
from scipy.special import expit, logit, stdtrit

from mcrock.base.estimates import Term
from mcrock.dataset.opened import accepts_path
from mcrock.dataset.schema import OUTER
from mcrock.statistics.intervals import BOUNDS, check_level, interval_of_readings
from mcrock.statistics.likelihood import fit_curves, jackknife, log_parameters
from mcrock.statistics.probability import Crossed, read_crossed, unknown_inputs
from mcrock.statistics.runs import ALL_OVERTURN, ALL_STAND, ESTIMATE, axis_attrs

COMPONENTS = ("epistemic", "record", "within_record", "epistemic_record", "epistemic_within")


class Sums(NamedTuple):
    """Sums of outcomes and of their products, from which the components come."""

    cells: np.ndarray  # (n_outer, n_record, n_intensity) sums of y
    squares: np.ndarray  # (n_outer, n_record, n_intensity) sums of y**2
    both: np.ndarray  # (n_record, n_intensity) sums of y over pairs of draws of the same realization
    mixed: np.ndarray  # (n_outer, n_record, n_intensity) sums of y times its sum over the draws
    runs: np.ndarray  # (n_record,) realizations

    def without_record(self, r: int) -> Sums:
        """The sums of the other records."""
        cells, squares, mixed = (np.delete(array, r, 1) for array in (self.cells, self.squares, self.mixed))
        return Sums(cells, squares, np.delete(self.both, r, 0), mixed, np.delete(self.runs, r))

    def without_draw(self, k: int) -> Sums:
        """The sums of the other draws; not for leaving out another one."""
        both = self.both - 2 * self.mixed[k] + 2 * self.squares[k]
        cells, squares, mixed = (np.delete(array, k, 0) for array in (self.cells, self.squares, self.mixed))
        return Sums(cells, squares, both, mixed, self.runs)


def sums_of(crossed: Crossed) -> Sums:
    """Sums of the outcomes as they count in an estimate."""
    y = crossed.outcome[ESTIMATE]
    total = y.sum(axis=0, dtype=np.int64)

    def by_record(array: np.ndarray) -> np.ndarray:
        return np.add.reduceat(array, crossed.starts, axis=-2, dtype=np.int64) / 4.0

    squares = np.stack([by_record(draw.astype(np.int64) ** 2) for draw in y])
    mixed = np.stack([by_record(draw * total) for draw in y])
    both = by_record(total * total) - squares.sum(axis=0)
    return Sums(crossed.cells(ESTIMATE), squares, both, mixed, crossed.runs)


@np.errstate(invalid="ignore", divide="ignore")
def components_of(sums: Sums, has_records: bool) -> np.ndarray:
    """The components of `COMPONENTS` and their sum (6, n_intensity) [1]; they may be negative.

    Without records, those within and between them are one: that of the realizations is called that of the
    record, and those within are NaN, as they are where no record has two realizations. With a single draw or
    record they are not known either.
    """
    cells, m = sums.cells, sums.runs.astype(float)
    draws, n = len(cells), m.sum()
    pairs, inside = draws * (draws - 1), (m * (m - 1)).sum()
    across = n * n - (m * m).sum()
    of_draw, of_record = cells.sum(axis=1), cells.sum(axis=0)
    square = (cells**2).sum(axis=0)  # (n_record, n_intensity)
    q = sums.squares.sum(axis=(0, 1)) / (draws * n)
    a = sums.both.sum(axis=0) / (pairs * n)
    d = ((of_draw**2).sum(axis=0) - square.sum(axis=0)) / (draws * across)
    two = of_draw.sum(axis=0) ** 2 - (of_draw**2).sum(axis=0)
    e = (two - (of_record**2).sum(axis=0) + square.sum(axis=0)) / (pairs * across)
    if not has_records or inside == 0:
        none = np.full_like(q, np.nan)
        return np.stack([d - e, a - e, none, q - a - d + e, none, q - e])
    b = (square - sums.squares.sum(axis=0)).sum(axis=0) / (draws * inside)
    c = (of_record**2 - square - sums.both).sum(axis=0) / (pairs * inside)
    return np.stack([d - e, c - e, a - c, b - c - d + e, q - a - b + c, q - e])


def covariance_between_records(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Variance over the draws of what all records have in common, without bias: may be negative.

    Mean over all pairs of records, with the products of their weights, of the covariance over the draws:
    what records scatter by is not in it, as two of them share nothing but the draw.

    Parameters
    ----------
    values : ndarray (n_outer, n_record, ...)
        Of each draw in each record.
    weights : ndarray (n_record,)
        Such as numbers of realizations.
    """
    share = (weights / weights.sum()).reshape(-1, *(1,) * (values.ndim - 2))
    whole = (values * share).sum(axis=1).var(axis=0, ddof=1)
    own = (share**2 * values.var(axis=0, ddof=1)).sum(axis=0)
    return (whole - own) / (1 - (share**2).sum())


def jackknifed(sums: Sums, has_records: bool) -> Iterator[np.ndarray]:
    """Components without each of the records, and without each of the draws: (n, 6, n_intensity)."""
    records, draws = len(sums.runs), len(sums.cells)
    yield np.stack([components_of(sums.without_record(r), has_records) for r in range(records)])
    yield np.stack([components_of(sums.without_draw(k), has_records) for k in range(draws)])


FRACTILES = (0.05, 0.5, 0.95)
OPEN = 1e-6  # shares are kept so far from 0 and 1 where their logit is taken [1]


@accepts_path
def variance_shares(ds: xr.Dataset, *, level: float = 0.95) -> xr.Dataset:
    """Shares of the variance of overturning by its sources, of a nested study.

    Overturned or not has the variance P (1 - P). The shares are those of the epistemic draws, of
    the records, of the realizations within records (azimuth and other inputs), and of what draws do in single
    records and realizations: unbiased estimates for new draws and new records
    (`mcrock.statistics.epistemic`),
    where the plain variance of the probabilities of the draws counts the noise of single runs too.

    Intervals have standard errors from the jackknife over records and over draws and quantiles of Student; on
    the scale of the standard deviation, of total shares on that of the logit. In 400
    simulated studies of each of eight kinds (10 to 60 records, 16 to 64 draws) they covered the first-order
    share of the epistemic inputs in 0.94 to 0.99, and its total share in 0.95 to 0.98 at a probability of
    0.5, but in 0.85 to 0.92 at 0.16: few records tell little of it there.

    Parameters
    ----------
    ds : Dataset
        Nested study with all runs, at fixed levels of the intensity.
    level : float
        Coverage of the intervals [1].

    Returns
    -------
    Dataset
        Along `intensity`: `share` (component, intensity), not below 0; `first_order` and `total`, those of
        the epistemic inputs, with `first_order_interval` and `total_interval` (bound, intensity);
        `deviation`, the standard deviation of the probability over the draws, with `deviation_interval`, and
        `naive_deviation`, that of the fractions as counted; `probability`; all [1], NaN where all runs ended
        alike. Intervals are NaN with fewer than three draws or records too. Numbers of `draws`, `records` and
        `runs`. Undecided runs count as in `overturning_probability`.

    Raises
    ------
    ValueError
        If the study is not nested, runs are missing, or ``level`` is outside (0, 1).
    """
    check_level(level)
    crossed = read_crossed(ds)
    sums = sums_of(crossed)
    found = components_of(sums, crossed.has_records)
    others = list(jackknifed(sums, crossed.has_records))
    quantile = stdtrit(min(map(len, others)) - 1, (1 + level) / 2)

    def interval(
        of: Callable[[np.ndarray], np.ndarray], back: Callable[[np.ndarray], np.ndarray]
    ) -> np.ndarray:
        error = np.sqrt(sum(jackknife(of(left_out)) ** 2 for left_out in others))
        return np.stack([back(of(found) + sign * quantile * error) for sign in (-1, 1)])

    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(found[-1] > 0, np.maximum(found[:-1], 0.0) / found[-1], np.nan)
        first = interval(lambda x: _root(x[..., 0, :] / x[..., -1, :]), lambda s: np.clip(s, 0, 1) ** 2)
        total = interval(lambda x: logit(np.clip(_total(x), OPEN, 1 - OPEN)), expit)
        deviation = interval(lambda x: _root(x[..., 0, :]), lambda s: np.maximum(s, 0))
        deviation[:, found[-1] <= 0] = np.nan
        whole = np.clip(_total(found), 0, 1)
        total = np.stack([np.minimum(total[0], whole), np.maximum(total[1], whole)])
    cells, runs = sums.cells, sums.runs
    of_draw = cells.sum(axis=1) / runs.sum()
    spread = np.sqrt(np.maximum(found[0], 0.0))
    result = _frame(ds, crossed).assign_coords(component=list(COMPONENTS), bound=BOUNDS)
    _add(result, "share", ("component",), share, "share of the variance of overturning")
    _add(result, "first_order", (), share[0], "first-order share of the epistemic inputs")
    _add(result, "first_order_interval", ("bound",), first, "interval of the first-order share")
    _add(result, "total", (), whole, "total share of the epistemic inputs")
    _add(result, "total_interval", ("bound",), total, "interval of the total share")
    _add(result, "deviation", (), spread, "standard deviation of the probability over the draws")
    _add(result, "deviation_interval", ("bound",), deviation, "interval of the standard deviation")
    _add(result, "naive_deviation", (), of_draw.std(axis=0, ddof=1), "that of the fractions as counted")
    _add(result, "probability", (), of_draw.mean(axis=0), "probability of overturning over everything")
    result.attrs |= {"level": level, "independent": "records" if crossed.has_records else "realizations"}
    return result


def _root(x: np.ndarray) -> np.ndarray:
    return np.sign(x) * np.sqrt(np.abs(x))


def _total(components: np.ndarray) -> np.ndarray:
    """Share of all that the draws take part in: what is left is that of records and realizations."""
    rest = np.nansum(components[..., 1:3, :], axis=-2)
    return 1 - rest / components[..., -1, :]


@accepts_path
def epistemic_probability(ds: xr.Dataset, *, level: float = 0.95) -> xr.Dataset:
    """Distribution of the probability of overturning over the epistemic draws, and its probability box.

    The fraction of a draw has the noise of its runs. The fractions of all draws are therefore brought nearer
    to their mean, until their variance is the unbiased one of `variance_shares`; at none they are all equal.

    Parameters
    ----------
    ds, level
        As for `variance_shares`.

    Returns
    -------
    Dataset
        `draw_probability` (outer, intensity) shrunk so, and `draw_fraction` (outer, intensity) as counted;
        `shrinkage` (intensity), the factor on deviations from the mean; `fractile_probability` (fractile,
        intensity), 0.05, 0.5 and 0.95; `box` (bound, intensity), rising curves that hold the outer ones at
        all intensities: bounds of the distribution of the capacity; `probability` (intensity) over
        everything, and `interval` (bound, intensity), its interval for new earthquakes with these draws. All
        in [1]. Inputs that differ between draws are `input_NAME` (outer).

    Raises
    ------
    ValueError
        As `variance_shares`.
    """
    check_level(level)
    crossed = read_crossed(ds)
    cells, runs = crossed.cells(ESTIMATE), crossed.runs
    fraction = cells.sum(axis=1) / runs.sum()
    shrinkage = _shrinkage(cells, runs)
    mean = fraction.mean(axis=0)
    probability = mean + shrinkage * (fraction - mean)
    fractiles = np.quantile(probability, FRACTILES, axis=0)
    order = np.argsort(ds["intensity"].values, kind="stable")
    box = np.empty((2, len(order)))
    box[0, order] = np.minimum.accumulate(fractiles[0, order][::-1])[::-1]
    box[1, order] = np.maximum.accumulate(fractiles[-1, order])
    result = _frame(ds, crossed).assign_coords(fractile=list(FRACTILES), bound=BOUNDS)
    _add(
        result,
        "draw_probability",
        (OUTER,),
        probability,
        "probability of each draw, less the noise of its runs",
    )
    _add(result, "draw_fraction", (OUTER,), fraction, "fraction of the runs of each draw that overturned")
    _add(result, "shrinkage", (), shrinkage, "factor on the deviations of fractions from their mean")
    _add(result, "fractile_probability", ("fractile",), fractiles, "fractiles over the draws")
    _add(result, "box", ("bound",), box, "bounds of the probability box, 5 % to 95 %")
    _add(result, "probability", (), mean, "probability of overturning over everything")
    _add(result, "interval", ("bound",), _interval(crossed, level), "interval for new earthquakes")
    for name, values in unknown_inputs(ds).items():
        result[f"input_{name}"] = (OUTER, values, dict(ds[name].attrs))
    result.attrs |= {"level": level}
    return result


def _shrinkage(cells: np.ndarray, runs: np.ndarray) -> np.ndarray:
    """Factor (n_intensity,) that leaves of the variance over draws what is not noise of runs."""
    fraction = cells.sum(axis=1) / runs.sum()
    naive = fraction.var(axis=0, ddof=1)
    weights = runs.reshape(1, -1, 1)
    unbiased = covariance_between_records(cells / weights, runs.astype(float))
    ratio = np.divide(np.maximum(unbiased, 0.0), naive, out=np.zeros_like(naive), where=naive > 0)
    return np.sqrt(np.minimum(ratio, 1.0))


def _interval(crossed: Crossed, level: float) -> np.ndarray:
    """Interval of the probability over everything, for new records, with undecided runs both ways."""
    runs = (crossed.runs * crossed.outcome.shape[1])[:, None]
    sure, possible = (crossed.cells(reading).sum(axis=0) for reading in (ALL_STAND, ALL_OVERTURN))
    return interval_of_readings(sure, possible, runs, level)


@accepts_path
def epistemic_fragility(ds: xr.Dataset) -> xr.Dataset:
    """Lognormal fragility of each epistemic draw, and the dispersion by source.

    The standard deviation of the logarithm of the median over the draws is that of what all records have in
    common (`mcrock.statistics.epistemic.covariance_between_records`), on the pseudovalues of the jackknife.

    Parameters
    ----------
    ds : Dataset
        As for `variance_shares`.

    Returns
    -------
    Dataset
        `median_capacity` [unit of the intensity] and `dispersion` [1] along `outer`. Dispersions [1]:
        `aleatory`, root mean square of those of the draws, called beta_R; `epistemic`, standard deviation of
        ln(median) over the draws; `sampling`, standard error of the mean ln(median), from the jackknife over
        records; `uncertainty`, both of the latter, called beta_U. NaN where a draw, or one without one of the
        records, has no maximum of the likelihood: more levels or records are needed then.

    Raises
    ------
    ValueError
        As `variance_shares`.
    """
    crossed = read_crossed(ds)
    order = np.argsort(ds["intensity"].values, kind="stable")
    order = order[ds["intensity"].values[order] > 0]
    x = ds["intensity"].values[order]
    cells, m = crossed.cells(ESTIMATE)[..., order], crossed.runs.astype(float)
    draws, records = cells.shape[:2]
    total = cells.sum(axis=1)
    counts = np.concatenate([total[:, None], total[:, None] - cells], axis=1)  # all, and without each record
    runs = np.broadcast_to(np.append(m.sum(), m.sum() - m)[None, :, None], counts.shape)
    curves = fit_curves(x, counts.reshape(-1, len(x)), runs.reshape(-1, len(x)))
    log_median, log_dispersion = np.moveaxis(log_parameters(curves).reshape(draws, -1, 2), -1, 0)
    regular, centre, spread = np.isfinite(log_median), np.exp(log_median), np.exp(log_dispersion)
    pseudo = records * log_median[:, :1] - (records - 1) * log_median[:, 1:]
    common = covariance_between_records(pseudo, np.ones(records))
    epistemic = np.sqrt(np.maximum(common, 0.0))
    sampling = jackknife(log_median[:, 1:].mean(axis=0)[:, None])[0]
    result = _frame(ds, crossed)
    units = {"units": ds["intensity"].attrs.get("units", "1")}
    words = {"long_name": "intensity at which one half overturns"}
    result["median_capacity"] = (OUTER, centre[:, 0], units | words)
    _add(result, "dispersion", (OUTER,), spread[:, 0], "standard deviation of ln(intensity) at overturning")
    known = bool(regular.all())
    for name, value, long_name in (
        ("aleatory", np.sqrt((spread[:, 0] ** 2).mean()), "dispersion for given unknown numbers, beta_R"),
        ("epistemic", epistemic, f"standard deviation of ln(median) over the {Term.DRAWS}"),
        ("sampling", sampling, "standard error of ln(median) from the number of records"),
        ("uncertainty", np.hypot(epistemic, sampling), "of both kinds, beta_U"),
    ):
        _add(result, name, (), value if known else np.nan, long_name)
    return result


def _frame(ds: xr.Dataset, crossed: Crossed) -> xr.Dataset:
    """Dataset with the intensities and the numbers of draws, records and runs."""
    axis = ds["intensity"]
    result = xr.Dataset(coords={"intensity": ("intensity", axis.values, axis_attrs(ds))})
    draws, n = crossed.outcome.shape[1:3]
    records = len(crossed.runs) if crossed.has_records else n
    _add(result, "draws", (), draws, f"number of {Term.DRAWS}")
    _add(result, "records", (), records, "number of independent recordings")
    _add(result, "runs", (), draws * n * len(axis), "number of runs")
    return result


def _add(ds: xr.Dataset, name: str, dims: tuple[str, ...], values: np.ndarray | float, words: str) -> None:
    """Add a variable in [1], along the intensity if its values are."""
    along = (*dims, "intensity") if np.ndim(values) > len(dims) else dims
    ds[name] = (along, values, {"units": "1", "long_name": words})
