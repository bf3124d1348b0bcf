"""Maximum likelihood of counts in cells, for many samples at once.

A model gives, at its parameters, the probability of overturning in each cell and how that changes with them
(`BinaryModel`). A fit needs no more (`maximize`), nor does the scatter of what is fitted (`covariances`,
`standard_errors`, `jackknife`). Read on with the models: curves over the intensity by either link
(`fit_curves`), curves to a plateau (`fit_plateau`) and planes over several covariates (`fit_planes`).

Albert, A. and Anderson, J. A. (1984). On the existence of maximum likelihood estimates in logistic
regression models. Biometrika 71(1), 1-10. (What has no maximum, `FitKind`; it holds for the probit as well.)

White, H. (1982). Maximum likelihood estimation of misspecified models. Econometrica 50(1), 1-25 (the
sandwich).
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from scipy.special import expit, log_expit, log_ndtr, logit, ndtr, ndtri, xlogy

STEPS, HALVINGS = 100, 30  # of a fit, and of a step that does not climb
CLOSE = 1e-13  # gain of ln(likelihood) for each run that a step must promise, for another one to follow
RIDGE = 1e-14  # of the information, over its trace: what nothing tells of stays
STEP = 1e-4  # of parameters in differences
STEEPEST = 1e8  # slope in standard deviations of z, beyond which a curve is a step
FARTHEST = 700.0  # logarithm of a median: beyond it is no number, and the curve flat over any levels [1]

WHOLE = 7.0  # logit of the share at which a plateau ends [1]

Pair = tuple[np.ndarray, np.ndarray]
Quantity = Callable[..., np.ndarray]  # from parameters of samples, each (n, 1), to numbers (n, m)


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
Shares = tuple[tuple[Link, float], ...]  # of links whose curves an interval is averaged over


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


class CellProbabilities(NamedTuple):
    """Probabilities p of cells (n, n_cell) by a model at n parameters, and how they change.

    With the parameters ln(p) changes by ``pulls[0] * by`` and ln(1 - p) by ``-pulls[1] * by``.
    """

    logs: Pair  # ln(p) and ln(1 - p)
    pulls: Pair
    bends: Pair  # information of a run that overturned, and of another one, along ``by`` twice
    by: np.ndarray  # (k, n, n_cell), or what broadcasts to it


class BinaryModel(NamedTuple):
    """Distributions over cells by k parameters, and the bounds that a fit keeps to."""

    cells: Callable[[np.ndarray], CellProbabilities]  # at parameters (n, k)
    low: np.ndarray | float = -np.inf  # of the parameters
    high: np.ndarray | float = np.inf
    longest: float = np.inf  # step of a parameter
    close: float = CLOSE


def maximize(model: BinaryModel, start: np.ndarray, yes: np.ndarray, no: np.ndarray) -> np.ndarray:
    """Parameters of largest likelihood, by Newton's (or Fisher's) steps that are halved until they climb.

    Parameters
    ----------
    model : BinaryModel
        Of the cells.
    start : ndarray (n, k)
        Parameters to begin with.
    yes, no : ndarray (n, n_cell)
        Overturned runs and others; broken numbers are weights.

    Returns
    -------
    ndarray (n, k)
        Where the likelihood has no maximum they run away along it.
    """
    found, active = np.array(start, float), np.arange(len(start))
    cells, enough = model.cells(found), model.close * (yes + no).sum(axis=1)
    value = _height(cells, yes, no)
    for _ in range(STEPS):
        theta = found[active]
        score, information = _slopes(cells, yes, no)
        held = ((theta <= model.low) & (score < 0)) | ((theta >= model.high) & (score > 0))
        information = np.where(held[:, None] | held[..., None], 0.0, information)
        step = _solved(information, np.where(held, 0.0, score))
        step /= np.maximum(np.abs(step).max(axis=1, keepdims=True) / model.longest, 1.0)
        moving = (step * score).sum(axis=1) > enough[active]
        ready = active[~moving]  # so near that a full step cannot but improve
        found[ready] = np.clip(found[ready] + step[~moving], model.low, model.high)
        active, theta, step, yes, no = (each[moving] for each in (active, theta, step, yes, no))
        if not active.size:
            break
        part = np.ones((len(active), 1))
        for _ in range(HALVINGS):
            moved = np.clip(theta + part * step, model.low, model.high)
            cells = model.cells(moved)
            worse = ~((new := _height(cells, yes, no)) >= value[active])
            if not worse.any():
                break
            part[worse] /= 2
        found[active], value[active] = moved, new
    return found


def _height(cells: CellProbabilities, yes: np.ndarray, no: np.ndarray) -> np.ndarray:
    """Log-likelihood (n,)."""
    found: np.ndarray = (yes * cells.logs[0] + no * cells.logs[1]).sum(axis=1)
    return found


def _slopes(cells: CellProbabilities, yes: np.ndarray, no: np.ndarray) -> Pair:
    """Derivatives (n, k) of the log-likelihood, and its information (n, k, k)."""
    pull = yes * cells.pulls[0] - no * cells.pulls[1]
    weight = yes * cells.bends[0] + no * cells.bends[1]
    by = np.broadcast_to(cells.by, (len(cells.by), *pull.shape))
    return np.einsum("nm,knm->nk", pull, by), np.einsum("nm,knm,lnm->nkl", weight, by, by)


def _solved(information: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Steps (n, k); 0 where nothing tells them."""
    ridge = RIDGE * np.trace(information, axis1=1, axis2=2)[:, None, None] + np.finfo(float).tiny
    with np.errstate(over="ignore", invalid="ignore"):
        step = np.linalg.solve(information + ridge * np.eye(score.shape[1]), score[..., None])[..., 0]
    return np.where(np.isfinite(step).all(axis=1, keepdims=True), step, 0.0)


def covariances(
    model: BinaryModel, theta: np.ndarray, times: np.ndarray, units: Pair, counts: Pair
) -> np.ndarray:
    """Covariances of estimates of resamples, from the scores of their units (the cluster sandwich).

    Parameters
    ----------
    model : BinaryModel
        Of the cells.
    theta : ndarray (n, k)
        Estimates of the resamples.
    times : ndarray (n, n_kind)
        How often each kind of unit was drawn.
    units, counts : pairs of ndarray (n_kind, n_cell), (n, n_cell)
        Overturned runs and others, of the kinds of units and of the resamples.

    Returns
    -------
    ndarray (n, k, k)
        NaN of estimates that are.
    """
    cells = model.cells(theta)
    up, down = ((pull * cells.by) @ each.T for pull, each in zip(cells.pulls, units, strict=True))
    scores = np.moveaxis(up - down, 0, -1)
    information = _slopes(cells, *counts)[1]
    inverse = np.full_like(information, np.nan)
    known = np.isfinite(information).all(axis=(1, 2))
    inverse[known] = np.linalg.pinv(information[known], hermitian=True)
    return inverse @ np.einsum("nr,nrk,nrl->nkl", times, scores, scores) @ inverse


def standard_errors(theta: np.ndarray, covariance: np.ndarray, quantity: Quantity) -> np.ndarray:
    """Standard errors (n, m) of quantities of estimates (n, k), by the delta method with differences."""
    moves = STEP * np.eye(theta.shape[1])
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        slopes = np.stack(
            [
                (values_of(theta + move, quantity) - values_of(theta - move, quantity)) / (2 * STEP)
                for move in moves
            ],
            axis=-1,
        )
        return np.sqrt(np.einsum("nmk,nkl,nml->nm", slopes, covariance, slopes))


def values_of(theta: np.ndarray, quantity: Quantity) -> np.ndarray:
    """Quantities (n, m) of parameters (n, k); NaN of those that are."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        return quantity(*theta.T[..., None])


def jackknife(left_out: np.ndarray, copies: np.ndarray | None = None) -> np.ndarray:
    """Standard error (...) from estimates without one unit of each kind (n_kind, ...), by default of one."""
    copies = np.ones(len(left_out)) if copies is None else copies
    number = copies.sum()
    with np.errstate(invalid="ignore"):  # a rate without the one record that overturns
        spread = left_out - np.tensordot(copies, left_out, 1) / number
        error: np.ndarray = np.sqrt((number - 1) / number * np.tensordot(copies, spread**2, 1))
    return error


def _by_link(link: Link, eta: np.ndarray, by: np.ndarray) -> CellProbabilities:
    """CellProbabilities of the probability F(eta), and the derivatives of eta."""
    logs = link.log_cdf(eta), link.log_cdf(-eta)
    pulls = link.hazards(eta, *logs)
    return CellProbabilities(logs, pulls, link.bends(eta, *pulls), by)


def linear_model(x: np.ndarray, link: Link) -> BinaryModel:
    """The probability F(c @ x) of coefficients c (n, k) and covariates x (k, n_cell)."""
    return BinaryModel(lambda c: _by_link(link, c @ x, x[:, None]))


def curve_model(intensity: np.ndarray, link: Link) -> BinaryModel:
    """Curves by ln(median) and ln(dispersion); the information is that at a maximum."""
    z = np.log(intensity)

    def cells(theta: np.ndarray) -> CellProbabilities:
        scale = np.exp(theta[:, 1:])
        eta = (z - theta[:, :1]) / scale
        return _by_link(link, eta, np.stack([np.broadcast_to(-1 / scale, eta.shape), -eta]))

    return BinaryModel(cells)


def plateau_model(intensity: np.ndarray) -> BinaryModel:
    """Lognormal curves to a plateau, by ln(median), ln(dispersion) and logit(share); Fisher's information."""
    z = np.log(intensity)

    def cells(theta: np.ndarray) -> CellProbabilities:
        scale, share = np.exp(theta[:, 1:2]), expit(theta[:, 2:])
        eta = (z - theta[:, :1]) / scale
        density, curve = share * np.exp(-0.5 * eta**2) / np.sqrt(2 * np.pi), share * ndtr(eta)
        by = np.stack([-density / scale, -density * eta, (1 - share) * curve])
        curve = np.clip(curve, 1e-12, 1 - 1e-12)
        pulls = 1 / curve, 1 / (1 - curve)
        return CellProbabilities((np.log(curve), np.log1p(-curve)), pulls, (pulls[0] * pulls[1],) * 2, by)

    return BinaryModel(cells, np.array([z[0] - 9, -5.0, -5.0]), np.array([z[-1] + 9, 3.0, WHOLE]), 2.0, 1e-10)


def fit_planes(x: np.ndarray, yes: np.ndarray, runs: np.ndarray, link: Link) -> np.ndarray:
    """Coefficients (n, k) of `linear_model` for counts (n, n_cell); NaN where there is no maximum."""
    scale = np.where(x.std(axis=1) > 0, x.std(axis=1), 1.0)
    fell, total = yes.sum(axis=1), runs.sum(axis=1)
    start = np.zeros((len(yes), len(x)))
    start[:, 0] = link.quantile(np.clip((fell + 0.5) / (total + 1), 1e-9, 1 - 1e-9))
    found = maximize(linear_model(x / scale[:, None], link), start, yes, runs - yes)
    good = (fell > 0) & (fell < total) & (np.abs(found).max(axis=1) < 1e4)
    return np.where(good[:, None], found / scale, np.nan)


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

    @property
    def median(self) -> np.ndarray:
        """Middle (n,), in the logarithm, of the medians left open; NaN where their range has no two ends."""
        closed = (self.kind == FitKind.MAXIMUM) | (self.kind == FitKind.SEPARATED)
        low, high = (np.where(closed, each, np.nan) for each in (self.low_median, self.high_median))
        return np.sqrt(low * high)


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
    location, slope = _maxima(z, yes[regular], runs[regular], link, start)
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


def _maxima(
    z: np.ndarray, yes: np.ndarray, runs: np.ndarray, link: Link, start: Curves | None
) -> tuple[np.ndarray, np.ndarray]:
    """Location -a/b and slope b of the maximum of ``a + b z``."""
    total, middle, width = runs.sum(axis=1), z.mean(), max(z.std(), np.finfo(float).tiny)
    location = (runs @ z) / total
    slope = 1 / np.sqrt((runs * (z - location[:, None]) ** 2).sum(axis=1) / total)
    if start is not None and start.kind[0] == FitKind.MAXIMUM:
        location[:], slope[:] = np.log(start.low_median[0]), 1 / start.low_dispersion[0]
    model = linear_model(np.stack([np.ones_like(z), (z - middle) / width]), link)
    first = np.stack([(middle - location) * slope, slope * width], axis=1)
    a, b = maximize(model, first, yes, runs - yes).T
    with np.errstate(divide="ignore", invalid="ignore"):
        return middle - a / b * width, b / width


def log_parameters(curves: Curves) -> np.ndarray:
    """ln(median) and ln(dispersion) (n, 2); NaN without a maximum of the likelihood."""
    known = (curves.kind == FitKind.MAXIMUM)[:, None]
    with np.errstate(divide="ignore"):
        return np.log(np.where(known, np.stack([curves.low_median, curves.low_dispersion], axis=1), np.nan))


def fit_plateau(
    intensity: np.ndarray, yes: np.ndarray, runs: np.ndarray, start: np.ndarray | None = None
) -> np.ndarray:
    """Share that ever overturns [1], and median and dispersion of the lognormal curve of these.

    Some bodies never overturn however strong the motion: they slide, or are held. The curve is the mixture
    (cure) model of survival analysis with current status data (Farewell, V. T., 1982, The use of mixture
    models for the analysis of survival data with long-term survivors, Biometrics 38(4), 1041-1046).

    Parameters
    ----------
    intensity : ndarray (n_intensity,)
        Rising, > 0.
    yes, runs : ndarray (n, n_intensity)
        Overturned runs and all runs [1].
    start : ndarray (1, 3), optional
        A fit close to all of them, which then all have a plateau, be it just below 1.

    Returns
    -------
    ndarray (n, 3)
        A share of 1 is the lognormal curve itself; NaN where there is no such curve.
    """
    yes, runs, model = np.asarray(yes, float), np.asarray(runs, float), plateau_model(intensity)
    if start is not None:
        theta = maximize(model, plateau_parameters(start).repeat(len(yes), 0), yes, runs - yes)
        return np.column_stack([expit(theta[:, 2]), np.exp(theta[:, :2])])
    plain = log_parameters(fit_curves(intensity, yes, runs))
    found = np.exp(np.pad(plain, ((0, 0), (1, 0))))
    found[np.isnan(plain[:, 0])] = np.nan
    held = np.flatnonzero(np.isfinite(plain).all(axis=1))
    plain, yes, runs = plain[held], yes[held], runs[held]
    fell, of = (counts[:, ::-1].cumsum(axis=1) for counts in (yes, runs))  # from each intensity on
    tenth = of >= runs.sum(axis=1, keepdims=True) / 10
    fraction = np.divide(fell, of, out=np.zeros_like(yes), where=tenth).max(axis=1, initial=0.0)
    share = np.clip(fraction[:, None] + 0.02, 0.05, 0.98)
    first = log_parameters(fit_curves(intensity, yes, np.maximum(runs * share, yes)))
    first = np.where(np.isfinite(first).all(axis=1, keepdims=True), first, plain)
    theta = maximize(model, np.append(first, logit(share), axis=1), yes, runs - yes)
    cells = model.cells(theta), curve_model(intensity, PROBIT).cells(plain)
    value = [_height(each, yes, runs - yes) for each in cells]
    more = value[0] > value[1]
    found[held[more]] = np.column_stack([expit(theta[more, 2]), np.exp(theta[more, :2])])
    return found


def plateau_parameters(fitted: np.ndarray) -> np.ndarray:
    """Parameters (n, 3) of `plateau_model` to begin with, from fits of `fit_plateau`."""
    return np.column_stack([np.log(fitted[:, 1:]), logit(np.clip(fitted[:, 0], 0.001, 0.999))])


def plateau_curve(fitted: np.ndarray, intensity: np.ndarray) -> np.ndarray:
    """Probabilities (n, n_intensity) of fits of `fit_plateau` at intensities >= 0."""
    share, median, dispersion = fitted.T[..., None]
    with np.errstate(divide="ignore"):
        return share * ndtr((np.log(intensity) - np.log(median)) / dispersion)
