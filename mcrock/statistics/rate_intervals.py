"""Bootstrap-t intervals of annual rates, for new earthquakes (`mcrock.statistics.studentized`).

Of the lognormal curve on ln(rate). Of the rising fractions the ends are those of two rates: the least and
the largest that the levels leave open (`mcrock.statistics.rising.bounding_steps`), so that the interval
holds whatever curve there is between them. Where resampling says nothing, as where nothing overturned or
records are few, the bounds are those of all rising curves through the intervals of the levels.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import xarray as xr
from scipy.optimize import isotonic_regression

from mcrock.statistics.inference import Bootstrap
from mcrock.statistics.probability import level_bounds
from mcrock.statistics.probit import PROBIT, Link
from mcrock.statistics.rates import hazard_nodes, lognormal_rates
from mcrock.statistics.resample import BATCH, Units
from mcrock.statistics.rising import bounding_steps
from mcrock.statistics.runs import ALL_OVERTURN, ALL_STAND
from mcrock.statistics.studentized import (
    Quantity,
    Shares,
    averaged_interval,
    bootstrap_t,
    pivots_by_link,
    readings_of,
    widened,
)

Table = tuple[np.ndarray, np.ndarray]  # rising intensities, and the annual rates at which they are exceeded


def log_rates(tables: list[Table], link: Link = PROBIT) -> Quantity:
    """ln(rate) of the curves of a link with some hazards (n, n_table)."""
    nodes = [] if link is PROBIT else [[part.ravel() for part in hazard_nodes(*table)] for table in tables]

    def quantity(median: np.ndarray, dispersion: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            if link is not PROBIT:
                scale = np.exp(dispersion)
                return np.log(
                    np.stack([link.cdf((z - median) / scale) @ weight for z, weight in nodes], axis=-1)
                )
            numbers = np.exp(median), np.exp(dispersion)
            return np.log(
                np.stack([lognormal_rates(*table, *numbers).sum(axis=-1) for table in tables], axis=-1)
            )

    return quantity


def lognormal_bounds(
    units: Units, how: Bootstrap, tables: list[Table], shares: Shares = ((PROBIT, 1.0),)
) -> np.ndarray:
    """Bounds (2, n_table) of the rates by the lognormal curve, over all readings of the undecided runs [1/a].

    Averaged over the curves of the links that have ``shares``, the lognormal one first. NaN where a reading
    has no lognormal curve, or too many of its resamples, and with too few units for the level.
    """
    quantity = log_rates(tables)
    if not how.reaches_level(units.number):
        return np.full((2, len(tables)), np.nan)
    ends = []
    for overturned in readings_of(units, quantity):
        parts = pivots_by_link(units, how, overturned, shares, lambda link: log_rates(tables, link), 1)
        if not parts:
            return np.full((2, len(tables)), np.nan)
        ends.append(np.minimum(averaged_interval(parts, how.level), _largest(tables)))
    return np.exp([np.min(ends, axis=0)[0], np.max(ends, axis=0)[1]])


def _largest(tables: list[Table]) -> np.ndarray:
    """ln(rate) (n_table,) if every earthquake of the table overturned."""
    return np.log([rate[0] - rate[-1] for _, rate in tables])


def rising_rate_bounds(units: Units, how: Bootstrap, tables: list[Table], points: xr.Dataset) -> np.ndarray:
    """Bounds (2, n_table) of the rates of all curves that rise through the fractions of the levels [1/a].

    Parameters
    ----------
    units, how, tables
        Of the study.
    points : Dataset
        From `overturning_probability`, for what resampling does not tell.
    """
    there = units.total(units.runs) > 0
    steps = [bounding_steps(units.intensity[there], *table) for table in tables]
    least, most = (np.stack([step[k] for step in steps]) for k in (0, 1))
    beyond = np.array([step[2] for step in steps])
    outer = envelope_rates(points, tables)
    inner = [
        _rates(units, reading, there, weights, units.copies[None])[0][0] + add
        for reading, weights, add in ((ALL_STAND, least, 0.0), (ALL_OVERTURN, most, beyond))
    ]
    bounds = np.full((2, len(tables)), np.nan)
    if how.reaches_level(units.number):
        for end, (reading, weights, add) in enumerate(
            ((ALL_STAND, least, np.zeros(len(tables))), (ALL_OVERTURN, most, beyond))
        ):
            ends = rising_interval(units, reading, how, weights, add)[end]
            bounds[end] = np.exp(np.minimum(ends, _largest(tables)))
    bounds = np.where(np.isnan(bounds), outer, bounds)
    return np.stack([np.minimum(bounds[0], inner[0]), np.maximum(bounds[1], inner[1])])


def envelope_rates(points: xr.Dataset, tables: list[Table]) -> np.ndarray:
    """Rates (2, n_table) of the least and the largest rising curve through the intervals of levels [1/a]."""
    weakest, strongest, lower, upper = level_bounds(points)
    there = weakest > 0
    weakest, strongest, lower, upper = (x[there] for x in (weakest, strongest, lower, upper))
    rates = []
    for table in tables:
        least, _, _ = bounding_steps(strongest, *table)
        _, most, beyond = bounding_steps(weakest, *table)
        ends = np.maximum.accumulate(lower), np.minimum.accumulate(upper[::-1])[::-1]
        rates.append([least @ ends[0], most @ ends[1] + beyond])
    return np.array(rates).T


def _rates(
    units: Units, reading: int, there: np.ndarray, weights: np.ndarray, times: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Weighted sums (n, n_table) of rising fractions of samples, and the variance of what their units add.

    ``times`` (n, n_kind) is how often each kind of unit is in a sample. Fractions that rise already, or are
    equal at 0 or 1, need no isotonic regression.
    """
    own, yes = units.runs[:, there], units.overturned[reading][:, there]
    runs, counts = times @ own, times @ yes
    with np.errstate(invalid="ignore"):
        share = counts / runs
    step = np.diff(share, axis=1)
    ends = (step == 0) & ((share[:, 1:] == 0) | (share[:, 1:] == 1))
    rising = ((step > 0) | ends).all(axis=1) & (runs > 0).all(axis=1)
    rate = np.empty((len(times), len(weights)))
    variance = np.empty_like(rate)
    rows = max(1, BATCH // own.size)
    for part in np.array_split(np.flatnonzero(rising), len(times) // rows + 1):
        x = share[part, None]
        off = (yes - x * own) @ (weights / runs[part, None]).swapaxes(1, 2)
        rate[part] = (weights @ x.swapaxes(1, 2))[..., 0]
        variance[part] = (times[part, None] @ off**2)[:, 0]
    for i in np.flatnonzero(~rising):
        some = runs[i] > 0
        fit = isotonic_regression(share[i, some], weights=runs[i, some])
        kept = _drawn_weights(weights, some)
        pooled = np.add.reduceat(kept, fit.blocks[:-1], axis=1) / fit.weights
        off = (yes[:, some] - fit.x * own[:, some]) @ np.repeat(pooled, np.diff(fit.blocks), axis=1).T
        rate[i], variance[i] = kept @ fit.x, times[i] @ off**2
    return rate, variance


def _drawn_weights(weights: np.ndarray, some: np.ndarray) -> np.ndarray:
    """Weights of the levels that have runs; that of one without goes to the one below, or the first."""
    if some.all():
        return weights
    home = np.maximum.accumulate(np.where(some, np.arange(len(some)), -1))
    home[home < 0] = np.flatnonzero(some)[0]
    moved = np.zeros_like(weights)
    np.add.at(moved.T, home, weights.T)
    return moved[:, some]


def rising_interval(
    units: Units, reading: int, how: Bootstrap, weights: np.ndarray, add: np.ndarray
) -> np.ndarray:
    """Bootstrap-t interval (2, n_table) of ln(rate), of ``weights @ fraction + add``, fractions rising."""
    there = units.total(units.runs) > 0

    def estimate(times: np.ndarray) -> tuple[np.ndarray, Callable[[], np.ndarray]]:
        rate, variance = _rates(units, reading, there, weights, times)
        return np.log(rate + add), lambda: np.sqrt(variance) / (rate + add)

    return bootstrap_t(units, how, estimate, widened(units))
