"""Maximum likelihood of fragility curves for many sets of counts at once.

The curve is F(a + b z) with z the logarithm of the intensity and F normal (probit, a lognormal curve) or
logistic (logit), so that median = exp(-a / b) and, of the lognormal one, dispersion = 1 / b. Its
log-likelihood is concave, but has no maximum for every set of counts; such sets get the curve (or the range
of curves) that the likelihood tends to.

Albert, A. and Anderson, J. A. (1984). On the existence of maximum likelihood estimates in logistic
regression models. Biometrika 71(1), 1-10. (The conditions hold for the probit as well.)
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from scipy.special import expit, log_expit, log_ndtr, logit, ndtr, ndtri, xlogy

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
    hazards: Callable[[np.ndarray], Pair]  # density over F, and over 1 - F
    bends: Callable[[np.ndarray, np.ndarray, np.ndarray], Pair]  # minus second derivatives of ln F, ln(1 - F)
    deviation: float  # standard deviation [1]


def normal_hazards(eta: np.ndarray) -> Pair:
    """Normal density over the probability of being below ``eta``, and over that of being above [1]."""
    log_density = -0.5 * eta * eta - 0.5 * np.log(2 * np.pi)
    return np.exp(log_density - log_ndtr(eta)), np.exp(log_density - log_ndtr(-eta))


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
    lambda eta: (expit(-eta), expit(eta)),
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


def fit_curves(intensity: np.ndarray, yes: np.ndarray, runs: np.ndarray, link: Link = PROBIT) -> Curves:
    """Fit a curve to each set of counts.

    Parameters
    ----------
    intensity : ndarray (n_intensity,)
        Rising, > 0.
    yes, runs : ndarray (n, n_intensity)
        Overturned runs and all runs [1]; broken numbers are weights. Every set has runs.
    link : Link
        Of the curves.

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
    location, slope = _newton(z, yes[regular], runs[regular], link)
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
    low[flat], high[flat], wide[flat] = 0.0, np.inf, np.inf
    low[flat & (share < 0.5)] = np.inf
    high[flat & (share > 0.5)] = 0.0
    thin[flat] = np.inf
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
    ends = []
    for step in (lower, upper):
        ends.append(np.where(flat, curves.share[:, None], np.where(smooth, curve, step)))
    return ends[0], ends[1]


def _newton(z: np.ndarray, yes: np.ndarray, runs: np.ndarray, link: Link) -> Pair:
    """Location -a/b and slope b of the maximum, by Newton steps that are halved until they climb."""
    total = runs.sum(axis=1)
    mean = (runs @ z) / total
    scale = np.sqrt((runs * (z - mean[:, None]) ** 2).sum(axis=1) / total)
    x = (z - mean[:, None]) / scale[:, None]
    a, b = np.zeros(len(yes)), np.ones(len(yes))
    value = _log_likelihood(a, b, x, yes, runs, link)
    active = np.arange(len(yes))
    for _ in range(STEPS):
        step_a, step_b, gain = _newton_step(a[active], b[active], x[active], yes[active], runs[active], link)
        moving = gain > 1e-13 * total[active]
        ready = active[~moving]  # so near that a full step cannot but improve
        a[ready], b[ready] = a[ready] + step_a[~moving], b[ready] + step_b[~moving]
        active, step_a, step_b = active[moving], step_a[moving], step_b[moving]
        if not len(active):
            break
        part = np.ones(len(active))
        for _ in range(30):
            new_a, new_b = a[active] + part * step_a, b[active] + part * step_b
            new = _log_likelihood(new_a, new_b, x[active], yes[active], runs[active], link)
            worse = ~(new >= value[active])
            if not worse.any():
                break
            part[worse] /= 2
        a[active], b[active], value[active] = new_a, new_b, new
    with np.errstate(divide="ignore", invalid="ignore"):
        return mean - a / b * scale, b / scale


def _log_likelihood(
    a: np.ndarray, b: np.ndarray, x: np.ndarray, yes: np.ndarray, runs: np.ndarray, link: Link
) -> np.ndarray:
    eta = a[:, None] + b[:, None] * x
    return (yes * link.log_cdf(eta) + (runs - yes) * link.log_cdf(-eta)).sum(axis=1)


def _newton_step(
    a: np.ndarray, b: np.ndarray, x: np.ndarray, yes: np.ndarray, runs: np.ndarray, link: Link
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Newton step and twice the gain it promises."""
    eta = a[:, None] + b[:, None] * x
    up, down = link.hazards(eta)
    slope = yes * up - (runs - yes) * down
    bend_up, bend_down = link.bends(eta, up, down)
    weight = yes * bend_up + (runs - yes) * bend_down
    ga, gb = slope.sum(axis=1), (slope * x).sum(axis=1)
    haa, hab, hbb = weight.sum(axis=1), (weight * x).sum(axis=1), (weight * x * x).sum(axis=1)
    determinant = haa * hbb - hab * hab
    with np.errstate(divide="ignore", invalid="ignore"):
        step_a, step_b = (hbb * ga - hab * gb) / determinant, (haa * gb - hab * ga) / determinant
    singular = ~(np.isfinite(step_a) & np.isfinite(step_b))
    step_a, step_b = np.where(singular, 0.0, step_a), np.where(singular, 0.0, step_b)
    return step_a, step_b, step_a * ga + step_b * gb
