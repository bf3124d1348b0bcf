"""Fits of a curve to counts, and counts of resampled recordings.

Maximum likelihood of fragility curves for many sets of counts at once.

The curve is F(a + b z) with z the logarithm of the intensity and F normal (probit, a lognormal curve) or
logistic (logit), so that median = exp(-a / b) and, of the lognormal one, dispersion = 1 / b. Its
log-likelihood is concave, but has no maximum for every set of counts; such sets get the curve (or the range
of curves) that the likelihood tends to.

Albert, A. and Anderson, J. A. (1984). On the existence of maximum likelihood estimates in logistic
regression models. Biometrika 71(1), 1-10. (The conditions hold for the probit as well.)

Counts of runs per resampling unit: records, or single realizations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike
from scipy.special import expit, log_expit, log_ndtr, logit, ndtr, ndtri, xlogy

from mcrock.statistics.intervals import Bootstrap
from mcrock.statistics.runs import (
    ESTIMATE,
    Classes,
    Tally,
    count_runs,
    cut,
    intensities,
    is_cloud,
    labelled,
    overturn_levels,
    read_slices,
)

STEPS = 100  # Newton steps before a set is taken as separable
STEEPEST = 1e8  # slope in standard deviations of z, beyond which a curve is a step
FARTHEST = 700.0  # logarithm of a median: beyond it is no number, and the curve flat over any levels [1]


Pair = tuple[np.ndarray, np.ndarray]


class Link(NamedTuple):
    """A distribution function F of ln(capacity), symmetric about 0, with what its likelihood asks for."""

    name: str
    curve: str  # what a fragility curve of the kind is called
    cdf: Callable[[np.ndarray], np.ndarray]
    log_cdf: Callable[[np.ndarray], np.ndarray]
    quantile: Callable[[np.ndarray], np.ndarray]
    hazards: Callable[..., Pair]  # density over F, and over 1 - F, whose logarithms may follow
    bends: Callable[[np.ndarray, np.ndarray, np.ndarray], Pair]  # minus second derivatives of ln F, ln(1 - F)
    deviation: float  # standard deviation [1]


def normal_hazards(eta: np.ndarray, *logs: np.ndarray) -> Pair:
    """Normal density over the probability of being below ``eta``, and over that of being above [1]."""
    log_below, log_above = logs or (log_ndtr(eta), log_ndtr(-eta))
    log_density = -0.5 * eta * eta - 0.5 * np.log(2 * np.pi)
    return np.exp(log_density - log_below), np.exp(log_density - log_above)


PROBIT = Link(
    "probit",
    "lognormal",
    ndtr,
    log_ndtr,
    ndtri,
    normal_hazards,
    lambda eta, up, down: (up * (up + eta), down * (down - eta)),
    1.0,
)
LOGIT = Link(
    "logit",
    "log-logistic",
    expit,
    log_expit,
    logit,
    lambda eta, *_: (expit(-eta), expit(eta)),
    lambda eta, up, down: (up * down, up * down),
    np.pi / np.sqrt(3),
)
LINKS = {link.name: link for link in (PROBIT, LOGIT)}


def link_of(name: str) -> Link:
    """A link by its name.

    Raises
    ------
    ValueError
        If there is no such link.
    """
    if name not in LINKS:
        raise ValueError(f"link must be {' or '.join(map(repr, LINKS))}, got {name!r}")
    return LINKS[name]


def climbed(
    start: np.ndarray,
    height: Callable[[np.ndarray], np.ndarray],
    move: Callable[[np.ndarray], np.ndarray],
    close: np.ndarray,
    steps: int = 60,
) -> tuple[np.ndarray, np.ndarray]:
    """Parameters (n, k) where a concave function is highest, and what the last step gained (n,).

    Parameters
    ----------
    start : ndarray (n, k)
        Of n samples.
    height : callable
        The function (n,) at some parameters (n, k), minus infinity where there is none.
    move : callable
        Newton's steps (n, k) there, which are halved until they climb.
    close : ndarray (n,)
        Gain at which a sample is at its maximum; all take steps until each is.
    steps : int
        Steps after which those that are not have none.
    """
    found, value, gain = start, height(start), np.full(len(start), np.inf)
    for _ in range(steps):
        step, part = move(found), np.ones((len(found), 1))
        for _ in range(40):
            new = height(found + part * step)
            worse = ~(new >= value - 1e-12 * np.abs(value))
            if not worse.any():
                break
            part[worse] /= 2
        found, gain, value = found + part * step, new - value, new
        if (np.abs(gain) < close).all():
            break
    return found, gain


class FitKind(IntEnum):
    """Kind of the likelihood of a set of counts: with a maximum, or why without."""

    MAXIMUM = 0
    SEPARATED = 1  # a step: every run below survived, every run above overturned
    NONE = 2  # no run overturned
    ALL = 3  # every run overturned
    FLAT = 4  # overturning does not become more frequent with intensity


class Curves(NamedTuple):
    """Fitted curves; where the likelihood leaves a range of medians, its two ends differ."""

    kind: np.ndarray  # (n,) codes of `FitKind`
    low_median: np.ndarray  # (n,) in the unit of the intensity
    high_median: np.ndarray  # (n,)
    low_dispersion: np.ndarray  # (n,) [1]
    high_dispersion: np.ndarray  # (n,) [1]
    share: np.ndarray  # (n,) share of all runs that overturned [1], the curve where it is flat
    link: Link = PROBIT  # dispersions are 1 / b: standard deviations in units of that of the link


def fit_curves(
    intensity: np.ndarray, yes: np.ndarray, runs: np.ndarray, link: Link = PROBIT, start: Curves | None = None
) -> Curves:
    """Fit a curve to each set of counts.

    Parameters
    ----------
    intensity : ndarray (n_intensity,)
        Rising, > 0.
    yes, runs : ndarray (n, n_intensity)
        Overturned runs and all runs [1]; broken numbers are weights. Every set has runs.
    link : Link
        Of the curves.
    start : Curves, optional
        A curve of the link close to all of them, such as that of the sample that they resample.

    Returns
    -------
    Curves
        One curve for each set.
    """
    yes, runs = np.asarray(yes, float), np.asarray(runs, float)
    z = np.log(intensity)
    some, rest = yes > 0, runs - yes > 0
    first_yes = np.where(some.any(axis=1), some.argmax(axis=1), len(z))
    last_no = np.where(rest.any(axis=1), len(z) - 1 - rest[:, ::-1].argmax(axis=1), -1)
    total = runs.sum(axis=1)
    share = yes.sum(axis=1) / total
    mean = (runs @ z) / total
    rise = (yes * (z - mean[:, None])).sum(axis=1)  # has the sign of the slope

    kind = np.full(len(yes), FitKind.MAXIMUM)
    kind[first_yes >= last_no] = FitKind.SEPARATED
    kind[rise <= 1e-12 * total * (np.ptp(z) + 1e-300)] = FitKind.FLAT
    kind[first_yes == len(z)] = FitKind.NONE
    kind[last_no == -1] = FitKind.ALL

    low, high = np.zeros(len(yes)), np.full(len(yes), np.inf)
    thin, wide = np.zeros(len(yes)), np.full(len(yes), np.inf)
    regular = np.flatnonzero(kind == FitKind.MAXIMUM)
    location, slope = _newton(z, yes[regular], runs[regular], link, start)
    steep = ~np.isfinite(slope) | (np.abs(slope) > STEEPEST)
    kind[regular[steep]] = FitKind.SEPARATED
    kind[regular[np.abs(location) > FARTHEST]] = FitKind.FLAT
    with np.errstate(over="ignore"):
        low[regular] = high[regular] = np.exp(location)
        thin[regular] = wide[regular] = np.where(steep, 0.0, 1 / slope)

    clean = (kind == FitKind.SEPARATED) & (first_yes >= last_no)
    gap = clean & (first_yes > last_no)
    low[clean], high[clean] = intensity[last_no[clean]], intensity[first_yes[clean]]
    low[gap], high[gap] = np.nextafter(low[gap], np.inf), np.nextafter(high[gap], 0)
    wide[clean] = 0.0
    there = runs > 0
    weakest = intensity[there.argmax(axis=1)]
    strongest = intensity[len(z) - 1 - there[:, ::-1].argmax(axis=1)]
    low = np.where(kind == FitKind.NONE, np.nextafter(strongest, np.inf), low)
    high = np.where(kind == FitKind.ALL, np.nextafter(weakest, 0), high)
    flat = kind == FitKind.FLAT
    low[flat], high[flat], thin[flat], wide[flat] = 0.0, np.inf, np.inf, np.inf
    low[flat & (share < 0.5)] = np.inf
    high[flat & (share > 0.5)] = 0.0
    return Curves(kind, low, high, thin, wide, share, link)


def log_likelihood(
    yes: np.ndarray, runs: np.ndarray, probability: np.ndarray, least: float = 0.0
) -> np.ndarray:
    """Logarithm of the likelihood (n,) of counts (n, n_intensity), but for a constant.

    What is less probable than ``least`` [1] is taken to be as probable as that.
    """
    both = np.maximum(probability, least), np.maximum(1 - probability, least)
    return (xlogy(yes, both[0]) + xlogy(runs - yes, both[1])).sum(axis=1)


def evaluate_curves(curves: Curves, intensity: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest probability that each curve leaves open at some intensities.

    Parameters
    ----------
    curves : Curves
        With n curves.
    intensity : ndarray (n_intensity,)
        At least 0.

    Returns
    -------
    tuple of ndarray (n, n_intensity)
        Lower and upper ends [1]; the same for curves with a maximum of the likelihood.
    """
    low, high = curves.low_median[:, None], curves.high_median[:, None]
    lower = (intensity > high).astype(float)
    upper = (intensity >= low).astype(float)
    smooth = (curves.kind == FitKind.MAXIMUM)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        score = (np.log(intensity) - np.log(low)) / curves.low_dispersion[:, None]
    curve = curves.link.cdf(score)
    flat = (curves.kind == FitKind.FLAT)[:, None]
    lower, upper = (
        np.where(flat, curves.share[:, None], np.where(smooth, curve, end)) for end in (lower, upper)
    )
    return lower, upper


def _newton(z: np.ndarray, yes: np.ndarray, runs: np.ndarray, link: Link, start: Curves | None) -> Pair:
    """Location -a/b and slope b of the maximum, by Newton steps that are halved until they climb."""
    total = runs.sum(axis=1)
    mean = (runs @ z) / total
    scale = np.sqrt((runs * (z - mean[:, None]) ** 2).sum(axis=1) / total)
    x = (z - mean[:, None]) / scale[:, None]
    a, b = np.zeros(len(yes)), np.ones(len(yes))
    if start is not None and start.kind[0] == FitKind.MAXIMUM:
        a, b = (mean - np.log(start.low_median[0])) / start.low_dispersion[0], scale / start.low_dispersion[0]
    parts, at = [yes, runs - yes, x], _read(a, b, x, link)
    value, active = _weighed(parts, at), np.arange(len(yes))
    for _ in range(STEPS):
        step_a, step_b, gain = _newton_step(parts, at, link)
        moving = gain > 1e-13 * total[active]
        ready = active[~moving]  # so near that a full step cannot but improve
        a[ready], b[ready] = a[ready] + step_a[~moving], b[ready] + step_b[~moving]
        active, step_a, step_b, *parts = (each[moving] for each in (active, step_a, step_b, *parts))
        if not len(active):
            break
        part = np.ones(len(active))
        for _ in range(30):
            new_a, new_b = a[active] + part * step_a, b[active] + part * step_b
            at = _read(new_a, new_b, parts[2], link)
            worse = ~((new := _weighed(parts, at)) >= value[active])
            if not worse.any():
                break
            part[worse] /= 2
        a[active], b[active], value[active] = new_a, new_b, new
    with np.errstate(divide="ignore", invalid="ignore"):
        return mean - a / b * scale, b / scale


def _read(a: np.ndarray, b: np.ndarray, x: np.ndarray, link: Link) -> list[np.ndarray]:
    """``a + b x``, and ln F and ln(1 - F) there (n, n_intensity)."""
    eta = a[:, None] + b[:, None] * x
    return [eta, link.log_cdf(eta), link.log_cdf(-eta)]


def _weighed(parts: list[np.ndarray], at: list[np.ndarray]) -> np.ndarray:
    """Log-likelihood (n,) of overturned runs and others."""
    found: np.ndarray = (parts[0] * at[1] + parts[1] * at[2]).sum(axis=1)
    return found


def _newton_step(
    parts: list[np.ndarray], at: list[np.ndarray], link: Link
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Newton step and twice the gain it promises."""
    (yes, no, x), (up, down) = parts, link.hazards(*at)
    slope = yes * up - no * down
    bend_up, bend_down = link.bends(at[0], up, down)
    weight = yes * bend_up + no * bend_down
    ga, gb = slope.sum(axis=1), (slope * x).sum(axis=1)
    haa, hab, hbb = weight.sum(axis=1), (weight * x).sum(axis=1), (weight * x * x).sum(axis=1)
    determinant = haa * hbb - hab * hab
    with np.errstate(divide="ignore", invalid="ignore"):
        step_a, step_b = (hbb * ga - hab * gb) / determinant, (haa * gb - hab * ga) / determinant
    singular = ~(np.isfinite(step_a) & np.isfinite(step_b))
    step_a, step_b = np.where(singular, 0.0, step_a), np.where(singular, 0.0, step_b)
    return step_a, step_b, step_a * ga + step_b * gb


KINDS = np.array(  # of runs, by doubt, and how often each counts in the readings of `Passed`
    [
        [0.0, 0.0, 0.0],  # survived
        [0.0, 1.0, 0.0],  # survived after a guess
        [0.0, 1.0, 0.5],  # broke off
        [0.0, 1.0, 1.0],  # overturned after a guess
        [1.0, 1.0, 1.0],  # overturned
    ]
)
MISSING = len(KINDS)
GRID = 200  # intensities of a curve by default
CELLS = 256  # places along the logarithm of a cloud's intensity
NO_INTENSITY = "a fragility curve needs intensities > 0, and all are 0"
BATCH = 4_000_000  # numbers held at a time while drawing


class Units(NamedTuple):
    """Units grouped by equal counts, with the size of each group."""

    intensity: np.ndarray  # (n_intensity,) rising, > 0
    runs: np.ndarray  # (n_kind, n_intensity)
    overturned: np.ndarray  # (3, n_kind, n_intensity) of them, by the readings of `Passed`
    copies: np.ndarray  # (n_kind,) number of units of the kind

    @property
    def number(self) -> int:
        """Number of units."""
        return int(self.copies.sum())

    def total(self, counts: np.ndarray) -> np.ndarray:
        """Counts (..., n_kind, n_intensity) summed over the whole sample (..., n_intensity)."""
        return self.copies @ counts

    def sums(self, reading: int = ESTIMATE) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Intensities with runs, overturned runs and all runs there, of the whole sample (n_intensity,)."""
        yes, runs = self.total(self.overturned[reading]), self.total(self.runs)
        there = runs > 0
        return self.intensity[there], yes[there], runs[there]

    def curve(self, link: Link = PROBIT) -> Curves:
        """The curve of the estimate, alone."""
        x, yes, runs = self.sums()
        return fit_curves(x, yes[None], runs[None], link)


def collect_units(ds: xr.Dataset, record: np.ndarray | None, allow_missing: bool) -> Units:
    """Reduce a study to counts, whose size does not depend on the number of runs.

    Records are counted per intensity. Without records, realizations of a stripe study are counted
    by the pattern of their outcomes over the stripes, single runs of a cloud by their place and
    outcome. A cloud with more than `CELLS` different intensities is cut into as many cells of equal
    width in ln(intensity), each at the mean of ln(intensity) over its runs: with w the width, the
    variance of a fitted curve, dispersion**2, grows by less than w**2 / 12 (for intensities over a
    factor of 100 w is 0.018, and a dispersion of 0.3 is off by 0.02 %). Runs at zero intensity are
    left out: a lognormal curve is 0 there whatever its parameters.
    """
    ds, places = _laid_out(ds)
    if record is not None:
        tally = count_runs(ds, overturn_levels, 1, places, record, allow_missing=allow_missing)
        there = tally.runs.sum(axis=1) > 0
        runs, overturned = tally.runs[there].astype(float), tally.beyond.readings[..., 0][:, there]
        return Units(places.centre, runs, overturned, np.ones(len(runs), np.int64))
    if is_cloud(ds):
        tally = count_runs(ds, overturn_levels, 1, places, None, allow_missing=allow_missing)
        copies = _numbers_of_kinds(tally)[0].ravel()
        one = np.eye(len(places.centre))
        runs, overturned = np.tile(one, (len(KINDS), 1)), np.kron(KINDS.T[:, :, None], one)
        return Units(places.centre, runs[copies > 0], overturned[:, copies > 0], copies[copies > 0])
    patterns, copies = _patterns(ds, allow_missing)
    return Units(places.centre, *_counts(patterns), copies)


def split_units(
    ds: xr.Dataset, option: np.ndarray, record: np.ndarray | None, allow_missing: bool
) -> list[Units]:
    """The units of a study, with the runs of each option of a choice by themselves.

    Parameters
    ----------
    ds, record, allow_missing
        As for `collect_units`.
    option : ndarray (n_realization,)
        Number of the option of each realization, from 0.

    Returns
    -------
    list of Units
        One for each option. All have the same units, so that a resample is one of the whole study; a unit
        has no runs where it has none of the option.
    """
    cloud, n = is_cloud(ds), int(option.max()) + 1
    ds, places = _laid_out(ds)
    if record is None and not cloud:
        kinds = [_patterns(ds.isel(realization=option == k), allow_missing) for k in range(n)]
        tables = [_counts(patterns) for patterns, _ in kinds]
        copies = np.concatenate([number for _, number in kinds])
    else:
        own = option
        if record is not None:
            own = labelled(
                len(option),
                (int(record.max()) + 1) * n,
                lambda where: record[where].astype(np.int64) * n + option[where],
            )
        tally = count_runs(ds, overturn_levels, 1, places, own, allow_missing=allow_missing)
        if record is not None:
            counts = np.concatenate([tally.runs[None], tally.beyond.readings[..., 0]])
            counts = np.pad(counts, ((0, 0), (0, -counts.shape[1] % n), (0, 0)))
            counts = counts.reshape(4, -1, n, counts.shape[-1])
            runs, *overturned = counts[:, counts[0].any(axis=(1, 2))]
            one = np.ones(len(runs), np.int64)
            return [Units(places.centre, runs[:, k], np.stack(overturned)[:, :, k], one) for k in range(n)]
        # single runs of a cloud: each place and outcome is a kind
        unit = np.eye(len(places.centre))
        kind = np.tile(unit, (len(KINDS), 1)), np.kron(KINDS.T[:, :, None], unit)
        tables, copies = [kind] * n, _numbers_of_kinds(tally).ravel()
    ends = np.cumsum([0, *(len(runs) for runs, _ in tables)])
    found = []
    for k, table in enumerate(tables):
        whole = np.zeros((4, ends[-1], len(places.centre)))
        whole[:, ends[k] : ends[k + 1]] = np.concatenate([table[0][None], table[1]])
        runs, *overturned = whole[:, copies > 0]
        found.append(Units(places.centre, runs, np.stack(overturned), copies[copies > 0]))
    return found


def draw_units(units: Units, how: Bootstrap) -> Iterator[np.ndarray]:
    """Draw all units again with replacement, ``how.resamples`` times.

    Yields
    ------
    ndarray (n_batch, n_kind)
        How often each kind of unit was drawn; ``drawn @ counts`` are the counts of the resamples.
    """
    rng, resamples = np.random.default_rng(how.seed), how.resamples
    share = units.copies / units.number
    batch = max(1, min(resamples, BATCH // len(share)))
    for start in range(0, resamples, batch):
        yield rng.multinomial(units.number, share, size=min(batch, resamples - start)).astype(float)


def curve_grid(units: Units, grid: ArrayLike | None) -> np.ndarray:
    """Intensities (n_grid,) of a curve: those given, or 0, the levels, and `GRID` values beyond both ends."""
    if grid is None:
        level = units.sums()[0]
        x = np.concatenate([[0.0], np.geomspace(level[0] / 8, 1.1 * level[-1], GRID)])
        return x if len(level) > GRID else np.unique(np.concatenate([x, level]))
    x = np.asarray(grid, float)
    if x.ndim != 1 or x.size == 0 or not (np.isfinite(x).all() and (x >= 0).all() and (np.diff(x) > 0).all()):
        raise ValueError("grid must hold finite intensities >= 0 in rising order")
    return x


def _laid_out(ds: xr.Dataset) -> tuple[xr.Dataset, Classes]:
    """The runs, those at fixed levels at the intensities > 0, and where the ones there are counted."""
    if is_cloud(ds):
        values, n = ds["intensity_value"], ds.sizes["realization"]
        return ds, place_in_cells(lambda where: values.isel(realization=where).values.astype(float), n)
    (x,) = intensities(ds)
    order = np.flatnonzero(x > 0)[np.argsort(x[x > 0], kind="stable")]
    if not order.size:
        raise ValueError(NO_INTENSITY)
    if (np.diff(order) != 1).any():  # a list of levels is read more slowly than a slice of them
        return ds.isel(intensity=order), Classes(x[order], x[order], x[order], None)
    levels = slice(order[0], order[-1] + 1)
    return ds.isel(intensity=levels), Classes(x[levels], x[levels], x[levels], None)


class LogCells:
    """Places of intensities > 0 that are seen in slices: all are seen once, then counted once.

    Each intensity is by itself, or in one of ``most`` cells of equal width in the logarithm if they are more.
    """

    def __init__(self, most: int = CELLS) -> None:
        self.most, self.values, self.low, self.high = most, np.zeros(0), np.inf, -np.inf
        self.runs, self.total = np.zeros(most, np.int64), np.zeros(most)

    @property
    def few(self) -> bool:
        """Whether each intensity is by itself."""
        return len(self.values) <= self.most

    @property
    def size(self) -> int:
        """Number of places, empty ones included."""
        return len(self.values) if self.few else self.most

    def see(self, x: np.ndarray) -> None:
        """First pass."""
        x = x[x > 0]
        if self.few:
            self.values = np.unique(np.concatenate([self.values, x]))
        z = np.log(x)
        self.low, self.high = z.min(initial=self.low), z.max(initial=self.high)

    def count(self, x: np.ndarray) -> np.ndarray:
        """Second pass: place of each intensity (n,), -1 of those that are not > 0.

        Raises
        ------
        ValueError
            If none was > 0.
        """
        if not len(self.values):
            raise ValueError(NO_INTENSITY)
        place = np.full(len(x), -1)
        there = x > 0
        place[there] = index = self._place(x[there])
        if not self.few:
            self.runs += np.bincount(index, minlength=self.most)
            np.add.at(self.total, index, np.log(x[there]))  # one after the other, however they are cut
        return place

    def _place(self, x: np.ndarray) -> np.ndarray:
        if self.few:
            return np.searchsorted(self.values, x)
        width = (self.high - self.low) / self.most
        return np.minimum(((np.log(x) - self.low) / width).astype(np.int64), self.most - 1)

    @property
    def filled(self) -> np.ndarray:
        """Which places have intensities (size,), after the second pass."""
        return np.ones(self.size, bool) if self.few else self.runs > 0

    @property
    def centres(self) -> np.ndarray:
        """The intensities, or geometric means of those in each cell that has some."""
        there = self.filled
        return self.values if self.few else np.exp(self.total[there] / self.runs[there])


def place_in_cells(part: Callable[[slice], np.ndarray], n: int, most: int = CELLS) -> Classes:
    """Places of n intensities > 0, read in slices, by `LogCells`; -1 of others.

    Raises
    ------
    ValueError
        If none is > 0.
    """
    cells = LogCells(most)
    for where in cut(n):
        cells.see(part(where))
    of_run = labelled(n, cells.size, lambda where: cells.count(part(where)))
    names = np.append(cells.filled.cumsum() - 1, -1)  # that of -1 is the last
    for where in cut(n):
        of_run[where] = names[of_run[where]]
    return Classes(cells.centres, cells.centres, cells.centres, of_run)


def _patterns(ds: xr.Dataset, allow_missing: bool) -> tuple[np.ndarray, np.ndarray]:
    """Different rows of outcomes over the stripes, as numbers of `KINDS`, and how often each occurs."""
    rows, numbers = [], []
    for _, part, there in read_slices(ds, (), allow_missing):
        code = np.where(there, sum(overturn_levels(part)), MISSING).astype(np.int8)
        row, number = np.unique(_packed(code), return_counts=True)
        rows.append(row)
        numbers.append(number)
    packed, index = np.unique(np.concatenate(rows), return_inverse=True)
    copies = np.bincount(index, weights=np.concatenate(numbers)).astype(np.int64)
    patterns = packed.view(np.int8).reshape(len(packed), -1)
    some = (patterns != MISSING).any(axis=1)
    return patterns[some], copies[some]


def _counts(patterns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Runs (n_pattern, n_intensity) and overturned ones (3, n_pattern, n_intensity) of rows of outcomes."""
    there = patterns != MISSING
    overturned = np.moveaxis(KINDS[np.where(there, patterns, 0)], -1, 0)
    return there.astype(float), overturned


def _numbers_of_kinds(tally: Tally) -> np.ndarray:
    """Numbers of runs of each of `KINDS` (n_record, n_kind, n_class)."""
    rising = [np.zeros_like(tally.runs), *(x[..., 0] for x in tally.beyond), tally.runs]
    return np.diff(rising, axis=0)[::-1].swapaxes(0, 1)


def _packed(rows: np.ndarray) -> np.ndarray:
    """Rows of bytes as one sortable item each."""
    return np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1]))).ravel()
