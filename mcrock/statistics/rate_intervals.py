"""Bootstrap-t intervals of annual rates, for new earthquakes.

As those of fragility curves (`mcrock.statistics.studentized`), on the logarithm of the rate. Its standard
error in a resample is that of the cluster sandwich: for the lognormal curve by the delta method, for the
fractions, of which the rate is a weighted sum, directly.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mcrock.statistics.inference import Bootstrap
from mcrock.statistics.probit import Curves, Fit, fit_curves
from mcrock.statistics.rates import lognormal_rates, stripe_rates
from mcrock.statistics.resample import Units, draw_units
from mcrock.statistics.runs import ALL_OVERTURN, ALL_STAND
from mcrock.statistics.studentized import jackknife, sandwich

STEP = 1e-4  # of ln(median) and ln(dispersion) in differences

Table = tuple[np.ndarray, np.ndarray]  # rising intensities, and the annual rates at which they are exceeded
Sample = Callable[[Table], tuple[np.ndarray, np.ndarray, np.ndarray]]  # see `lognormal_sample`


def rate_bounds(units: Units, how: Bootstrap, tables: list[Table]) -> np.ndarray:
    """Bounds (2, 2, n_table) of the rates by the lognormal curve and by the fractions, for each hazard.

    The union over both readings of the undecided runs; NaN with too few units to reach the level, and where
    the sample, or more of its resamples than the tail of the level, have no curve or no rate.
    """
    bounds = np.full((2, 2, len(tables)), np.nan)
    if not how.reaches_level(units.number):
        return bounds
    for i, make in enumerate((lognormal_sample, stripe_sample)):
        samples = [make(units, units.overturned[reading], how) for reading in (ALL_STAND, ALL_OVERTURN)]
        for j, table in enumerate(tables):
            ends = np.array([_bounds(*sample(table), units.copies, how.level) for sample in samples])
            bounds[:, i, j] = ends[:, 0].min(), ends[:, 1].max()
    return bounds


def _bounds(
    centre: np.ndarray, left_out: np.ndarray, pivots: np.ndarray, copies: np.ndarray, level: float
) -> tuple[float, float]:
    """Ends of an interval of a rate, from logarithms; pivots that are not numbers count in both tails."""
    known, tail = np.isfinite(pivots), (1 - level) / 2
    low = np.quantile(np.where(known, pivots, -np.inf), tail, method="lower")
    high = np.quantile(np.where(known, pivots, np.inf), 1 - tail, method="higher")
    with np.errstate(invalid="ignore"):
        ends = centre - np.array([max(high, 0.0), min(low, 0.0)]) * jackknife(left_out[:, None], copies)
    known_ends = np.exp(np.where(np.isfinite(ends), ends, np.nan))
    return float(known_ends[0]), float(known_ends[1])


def lognormal_sample(units: Units, overturned: np.ndarray, how: Bootstrap) -> Sample:
    """Function from a hazard to ln(rate) of the sample and without each unit, and the pivots of resamples."""
    runs, yes = units.total(units.runs), units.total(overturned)
    there = runs > 0
    x = units.intensity[there]
    kinds = overturned[:, there], (units.runs - overturned)[:, there]
    whole = fit_curves(x, yes[None, there], runs[None, there])
    left_out = fit_curves(x, (yes - overturned)[:, there], (runs - units.runs)[:, there])
    drawn = []
    for times in draw_units(units, how):
        counts = [times @ kind for kind in kinds]
        curves = fit_curves(x, counts[0], counts[0] + counts[1])
        with np.errstate(invalid="ignore", divide="ignore"):
            drawn.append((curves, sandwich(curves, np.log(x), times, kinds, counts)))

    def sample(table: Table) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        centre, pivots = _log_rates(whole, table), []
        for curves, (v00, v01, v11) in drawn:
            by_median, by_dispersion = (
                (_log_rates(curves, table, *step) - _log_rates(curves, table, *(-s for s in step)))
                / (2 * STEP)
                for step in ((STEP, 0.0), (0.0, STEP))
            )
            # of c0 + c1 eta: ln(median) moves by -dispersion c0, ln(dispersion) by -c1
            by_median = by_median * curves.low_dispersion
            variance = by_median**2 * v00 + 2 * by_median * by_dispersion * v01 + by_dispersion**2 * v11
            with np.errstate(invalid="ignore", divide="ignore"):
                pivots.append((_log_rates(curves, table) - centre) / np.sqrt(variance))
        return centre, _log_rates(left_out, table), np.concatenate(pivots)

    return sample


def _log_rates(curves: Curves, table: Table, median: float = 0.0, dispersion: float = 0.0) -> np.ndarray:
    """ln(rate) of curves whose ln(median) and ln(dispersion) are moved; NaN without a maximum."""
    regular = curves.kind == Fit.MAXIMUM
    numbers = [
        np.where(regular, values, np.nan)[:, None] * np.exp(step)
        for values, step in ((curves.low_median, median), (curves.low_dispersion, dispersion))
    ]
    with np.errstate(invalid="ignore", divide="ignore"):
        found: np.ndarray = np.log(lognormal_rates(*table, *numbers).sum(axis=-1))
    return found


def stripe_sample(units: Units, overturned: np.ndarray, how: Bootstrap) -> Sample:
    """As `lognormal_sample`, of the fractions as counted: making them rising changes the rate little."""
    runs, yes = units.total(units.runs), units.total(overturned)
    there = runs > 0
    x, own_runs, own_yes = units.intensity[there], units.runs[:, there], overturned[:, there]
    drawn = list(draw_units(units, how))

    def sample(table: Table) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        steps = (np.arange(len(x)) >= k for k in range(len(x)))  # rising fractions, of which others are sums
        above = np.array([stripe_rates(*table, x, step.astype(float)).sum() for step in steps])
        weight = above - np.append(above[1:], 0.0)
        pivots = []
        with np.errstate(invalid="ignore", divide="ignore"):
            centre = np.log(np.atleast_1d(yes[there] / runs[there] @ weight))
            left_out = np.log((yes[there] - own_yes) / (runs[there] - own_runs) @ weight)
            for times in drawn:
                total = times @ own_runs
                fraction = (times @ own_yes) / total
                rate = fraction @ weight
                off = (weight / total) @ own_yes.T - (weight * fraction / total) @ own_runs.T  # of each unit
                error = np.sqrt((times * off**2).sum(axis=1)) / rate
                pivots.append((np.log(rate) - centre) / error)
        return centre, left_out, np.concatenate(pivots)

    return sample
