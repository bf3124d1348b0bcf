"""Fragility curves and capacities with their intervals.

`fit_fragility` is the lognormal (or log-logistic) curve by maximum likelihood, with all that results say of
it; `side_by_side` puts several along a dimension. `capacities` are the levels between which each realization
first overturns: in a study at levels every realization meets all, so that it is an incremental dynamic
analysis too.

Baker, J. W. (2015). Efficient analytical fragility function fitting using dynamic structural
analysis. Earthquake Spectra 31(1), 579-599.

Vamvatsikos, D. and Cornell, C. A. (2002). Incremental dynamic analysis. Earthquake Engineering and
Structural Dynamics 31(3), 491-514.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Unpack

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from mcrock.base.checks import shared_keywords
from mcrock.base.params import Outcome
from mcrock.dataset.opened import accepts_path
from mcrock.statistics.accepted_curve import ACCEPTED, WHY, accepted_of, rising_band
from mcrock.statistics.goodness import fit_p_value
from mcrock.statistics.intervals import Bootstrap, BootstrapKeywords, table
from mcrock.statistics.likelihood import PROBIT, FitKind, Link, evaluate_curves, fit_curves, link_of
from mcrock.statistics.probability import EVENT, level_bounds, overturning_probability, rising_bounds
from mcrock.statistics.resampling import Units, collect_units, curve_grid, resampled_bounds
from mcrock.statistics.runs import (
    ALL_OVERTURN,
    ALL_STAND,
    ESTIMATE,
    GUESSED,
    among,
    axis_attrs,
    check_runs,
    is_cloud,
    record_index,
    run_intensity,
    slices,
    undecided,
)


@accepts_path
def capacities(ds: xr.Dataset) -> xr.Dataset:
    """Levels between which each realization first overturns, and whether it survives a stronger one.

    Rocking is not monotone: a body may survive a level above one that overturns it. Such realizations are
    said to be resurrected (Vamvatsikos and Cornell 2002); their number tells how much a capacity means.

    Parameters
    ----------
    ds : Dataset
        As for `overturning_probability`, with at least two levels.

    Returns
    -------
    Dataset
        On (realization): `capacity_low`, the strongest level survived below, 0 if there is none, and
        `capacity_high`, the weakest that overturns, inf if none does [unit of the intensity]; `resurrected`
        (bool). A realization with an undecided run at or below its first overturning has the capacities
        NaN, and is resurrected only if decided runs alone say so.

    Raises
    ------
    ValueError
        If the dataset does not fit, is a cloud study or has a single level.

    Examples
    --------
    >>> import numpy as np, xarray as xr
    >>> outcome = ("realization", "intensity"), np.array([[1, 3, 1, 3], [1, 1, 3, 3]], "i1")
    >>> ds = xr.Dataset({"outcome": outcome}, coords={"intensity": [1.0, 2.0, 3.0, 4.0]})
    >>> found = capacities(ds)
    >>> found["capacity_high"].values.tolist(), found["resurrected"].values.tolist()
    ([2.0, 3.0], [True, False])
    """
    check_runs(ds)
    if is_cloud(ds) or ds.sizes["intensity"] < 2:
        raise ValueError("capacities need a study in which every realization meets two levels or more")
    ds = ds[[name for name in ("outcome", *GUESSED) if name in ds]].transpose("realization", "intensity")
    if (np.diff(ds["intensity"].values) < 0).any():
        ds = ds.sortby("intensity")
    level = run_intensity(ds).values.astype(float)
    over = among(ds["outcome"].values, [Outcome.OVERTURNED])
    unknown = undecided(ds).values | among(ds["outcome"].values, [Outcome.NOT_RUN])
    over &= ~unknown
    stands = ~over & ~unknown
    first = np.where(over.any(axis=1), over.argmax(axis=1), len(level))
    doubtful = (unknown & (np.arange(len(level)) <= first[:, None])).any(axis=1)
    bounds = np.concatenate([[0.0], level, [np.inf]])
    attrs = {"units": run_intensity(ds).attrs.get("units", "1")}
    low, high = (np.where(doubtful, np.nan, ends) for ends in (bounds[first], bounds[first + 1]))
    later = stands & (np.arange(len(level)) > first[:, None])
    return table(
        {
            "capacity_low": ("realization", low, attrs | {"long_name": "strongest level survived below"}),
            "capacity_high": ("realization", high, attrs | {"long_name": "weakest level that overturns"}),
            "resurrected": ("realization", later.any(axis=1), {"units": "1"}),
        },
        coords={},
    )


def count_resurrected(ds: xr.Dataset) -> xr.Dataset:
    """Realizations that overturn and survive a stronger motion, and all that have been run."""
    resurrected = total = 0
    ds = ds[[name for name in ("outcome", *GUESSED) if name in ds]]
    for where in slices(ds):
        part = ds.isel(realization=where)
        there = (part["outcome"] != int(Outcome.NOT_RUN)).any("intensity").values
        if there.any():
            part = part if there.all() else part.isel(realization=there)
            resurrected += int(capacities(part)["resurrected"].sum())
            total += int(there.sum())
    return table({"resurrected": ((), resurrected), "realizations": ((), total)}, {})


PROBABILITIES = (0.01, 0.05, 0.5)  # at which curves are read [1]
KEPT = (  # of every curve where several are side by side
    "median_capacity",
    "median_capacity_interval",
    "dispersion",
    "dispersion_interval",
    "curve",
    "band",
    "extrapolated",
    "runs",
    "overturned",
    "undecided",
    "fit_p_value",
    "accepted_reached",
    "accepted_reached_interval",
    "accepted_below",
    "accepted_curve",
    "strongest_run",
)
BELOW = {"below": "accepted_below"}  # attribute: what says that a place is a bound
LABELS = (ACCEPTED, WHY, "fit")  # attributes that are then variables
HOW = ("level", "resamples", "seed", "independent")  # attributes: how intervals were made
WORDS = {
    FitKind.MAXIMUM: "maximum likelihood",
    FitKind.SEPARATED: "separated: fewer than two levels tell how the curve rises",
    FitKind.NONE: "none overturned: no maximum of the likelihood",
    FitKind.ALL: "all overturned: no maximum of the likelihood",
    FitKind.FLAT: "not increasing: overturning does not become more frequent with intensity",
}


@accepts_path
@shared_keywords(Bootstrap)
def fit_fragility(
    ds: xr.Dataset,
    *,
    grid: ArrayLike | None = None,
    link: str = "probit",
    **keywords: Unpack[BootstrapKeywords],
) -> xr.Dataset:
    """Fit a lognormal (or log-logistic) fragility curve by maximum likelihood, with its uncertainty.

    The likelihood is Baker's (2015) binomial one over the levels, or the Bernoulli one over the
    runs of a cloud. Intervals come from drawing all recordings again with replacement, so that runs
    that share one stay together: they are bootstrap-t intervals (`mcrock.statistics.resampling`).
    Undecided runs count as simulated in the estimate, or half if the simulation broke off; the intervals
    are the union of those by this reading, with all undecided runs survived and with all overturned. The
    band is one of single intensities (it does not hold whole curves), widened where its bounds would fall
    with the intensity.

    In 2000 simulated studies each of 40 runs for every record, with a quarter, two thirds or nearly all of
    the variance of the capacity between records, intervals of level 0.95 covered the true median in 0.95
    to 0.96, the true dispersion in 0.95 to 0.97 and the true curve from its 1 % to its 99 % point in 0.94
    to 0.98 of them, with 22 and with 60 records; with 10 records 0.96, 0.94 to 0.97 and 0.94 to 0.98.
    Single realizations drawn instead of records covered the median in 0.40.

    A limit in place of overturning, such as a displacement, is a matter of the dataset: `by_limit`.

    Resampling says nothing where a study shows no transition (no or every run overturned, or a clean
    step), or would show none without one of its records or in more of the resamples than the tail of
    `level`, nor with too few records to reach `level` at all (fewer than six for 0.95). Then the bounds are
    those of all rising curves that pass through the intervals of `overturning_probability`.

    Parameters
    ----------
    ds : Dataset
        As for `overturning_probability`.
    grid : array_like, optional
        Rising intensities of the curve, in the unit of the intensity; by default 0, the levels,
        and 200 values up to a tenth beyond the strongest.
    link : str
        "probit", the lognormal curve, or "logit", the log-logistic one, with heavier tails.
    **keywords
        Of `mcrock.statistics.Bootstrap`: `level`, `cluster`, `allow_missing`, `resamples` and `seed`.

    Returns
    -------
    Dataset
        `median_capacity` [unit of the intensity] and `dispersion` [1], NaN if the likelihood has no maximum;
        `median_capacity_interval` and `dispersion_interval` (bound), from 0 to inf where nothing is known;
        `curve` (intensity_grid) and `band` (bound, intensity_grid) [1]; `fit_p_value` [1], that of the test
        whether the curve holds (`mcrock.statistics.goodness`), NaN where there is none. Of the curve that the
        study goes by (`mcrock.statistics.accepted_curve`) `accepted_reached` (probability) [unit of the
        intensity], where it has 1, 5 and 50 %, inf where it has not, with `accepted_reached_interval` (bound,
        probability), and `accepted_below`, whether the weakest level has more already; `accepted_curve`
        (intensity_grid) [1]. Numbers of `runs`, `overturned`, `undecided` and `records`.
        Attribute `fit` says what the likelihood looks like, `accepted_family` which family the study goes by,
        and `why` says so. No run supports the curve where it is
        `extrapolated` (intensity_grid): below `weakest_overturning`, the weakest
        intensity at which a run overturned without doubt, or above the strongest intensity
        `strongest_run` [unit of the intensity]. Of `runs_below` the weakest overturning none overturned,
        where the curve expects `expected_below` [1]. Of the realizations `only_slide` [1] have too little
        friction to rock from rest: the probability of overturning stays below what is left, which no
        lognormal curve knows.

    Raises
    ------
    ValueError
        If the dataset does not fit, holds runs not yet run, has no intensity > 0, or `level`,
        `resamples` or `grid` are outside their range.
    """
    how, shape_of = Bootstrap(**keywords), link_of(link)
    check_runs(ds)
    record, records = record_index(ds)
    units = collect_units(ds, record if how.cluster else None, how.allow_missing)
    x, (here, _, runs), kind = curve_grid(units, grid), units.sums(), _kind(units, shape_of)
    whole, estimate = units.curve(shape_of), np.full(2 + len(x), np.nan)
    accepted = accepted_of(ds, units, how)
    curve, choice = accepted.curve, accepted.choice
    p_value = choice.p_value if shape_of is PROBIT else fit_p_value(units, how, shape_of)
    if kind == FitKind.MAXIMUM:
        estimate[:2] = whole.low_median[0], whole.low_dispersion[0]
        estimate[2:] = evaluate_curves(whole, x)[0][0]
    bounds = resampled_bounds(units, how, x, shape_of)
    method = "rising curves through exact intervals" if bounds is None else "resampling"
    if bounds is None:
        bounds = _shape_bounds(overturning_probability(ds, **how.keywords), x, shape_of)
    bounds[:, 2:] = rising_band(bounds[:, 2:], estimate[2:])
    scale = np.append([1.0, shape_of.deviation], np.ones(len(x)))
    low, high, estimate = (
        part * scale for part in (np.fmin(bounds[0], estimate), np.fmax(bounds[1], estimate), estimate)
    )
    axis, at = axis_attrs(ds), {"units": run_intensity(ds).attrs.get("units", "1")}
    fit = WORDS[kind] if len(here) > 1 or kind != FitKind.FLAT else "one intensity: no curve to fit"
    return table(
        {
            "median_capacity": ((), estimate[0], at | {"long_name": "intensity at which one half overturns"}),
            "median_capacity_interval": ("bound", [low[0], high[0]], at),
            "dispersion": ((), estimate[1]),
            "dispersion_interval": ("bound", [low[1], high[1]]),
            "curve": ("intensity_grid", estimate[2:]),
            "band": (("bound", "intensity_grid"), np.stack([low[2:], high[2:]])),
            "records": ((), records),
            "fit_p_value": ((), p_value),
            "accepted_reached": ("probability", [curve.reached(p) for p in PROBABILITIES], at | BELOW),
            "accepted_reached_interval": (
                ("bound", "probability"),
                np.transpose([accepted.reached_interval(p) for p in PROBABILITIES]),
                at,
            ),
            "accepted_below": ("probability", [curve.is_open(p) for p in PROBABILITIES]),
            "accepted_curve": ("intensity_grid", curve.at(x)),
            "only_slide": ((), _only_slide(ds)),
            **_support(units, x, evaluate_curves(whole, here)[0][0] * runs, at, kind == FitKind.MAXIMUM),
        },
        coords={
            "intensity_grid": ("intensity_grid", x, axis),
            "probability": ("probability", list(PROBABILITIES), {"units": "1"}),
        },
        attrs=how.attrs(record)
        | choice.attrs
        | {"link": link, "fit": fit, "method": method}
        | ({EVENT: ds.attrs[EVENT]} if EVENT in ds.attrs else {}),
    )


def _kind(units: Units, link: Link) -> FitKind:
    """Kind of the estimate's likelihood, or of that of a reading of the undecided runs without a curve."""
    x, _, runs = units.sums()
    counts = np.stack([units.sums(reading)[1] for reading in range(len(units.overturned))])
    kinds = [FitKind(kind) for kind in fit_curves(x, counts, np.broadcast_to(runs, counts.shape), link).kind]
    return next((each for each in kinds if each not in (FitKind.MAXIMUM, FitKind.SEPARATED)), kinds[ESTIMATE])


def side_by_side(dim: str, names: Sequence[str], fits: Iterable[xr.Dataset], **attrs: str) -> xr.Dataset:
    """Results of `fit_fragility` of the same runs along one dimension, all on one grid or on none.

    Parameters
    ----------
    dim, names, fits : str, sequence of str, iterable of Dataset
        The dimension, with the attributes ``attrs``, and the names and results along it.
    """
    every = [fit.assign({key: fit.attrs[key] for key in LABELS}) for fit in fits]
    kept = [name for name in (*KEPT, *LABELS) if name in every[0]]
    axis = xr.DataArray(list(names), dims=dim, name=dim, attrs=attrs)
    result = xr.concat([fit[kept] for fit in every], axis, combine_attrs="override")
    result.attrs = {key: every[0].attrs[key] for key in HOW}
    return result


def _only_slide(ds: xr.Dataset) -> float:
    """Fraction of the realizations that slide flat under any horizontal shaking [1]; 0 for another event.

    On any slope: it adds to the force along the ground, and what counts is its ratio to that across, by which
    a body at rest slips beyond the friction coefficient and lifts beyond tan(slenderness).
    """
    names = ("contact_static_friction", "body_slenderness")
    if not all(name in ds for name in names) or "start_tilt_ratio" in ds or EVENT in ds.attrs:
        return 0.0
    slides = known = 0
    for where in slices(ds):
        static, slenderness = (ds[name].isel(realization=where) for name in names)
        there = np.isfinite(static)
        slides += int((there & (static <= np.tan(slenderness))).sum())
        known += int(there.sum())
    return slides / known if known else np.nan


def _shape_bounds(points: xr.Dataset, x: np.ndarray, link: Link = PROBIT) -> np.ndarray:
    """Bounds (2, 2 + n_grid) of median, dispersion and values of all rising curves through the intervals.

    The curves are of the link, the intervals those of `overturning_probability`.
    """
    weakest, strongest, lower, upper = level_bounds(points)
    median = np.where(upper < 0.5, weakest, 0.0).max(), np.where(lower > 0.5, strongest, np.inf).min()
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = link.quantile(lower), link.quantile(upper)
        weak, strong = np.log(weakest), np.log(strongest)
        fall = low[None, :] - high[:, None]  # from the upper end of one to the lower end of another
        flattest = np.where(fall > 0, (strong[None, :] - weak[:, None]) / fall, np.inf)
        climb = high[None, :] - low[:, None]
        steepest = np.where(climb > 0, (weak[None, :] - strong[:, None]) / climb, 0.0)
    flattest = np.where(np.isfinite(flattest) & (flattest > 0), flattest, np.inf)
    steepest = np.where(np.isfinite(steepest), steepest, 0.0)
    dispersion = max(0.0, steepest.max()), flattest.min()  # the first of equals: no -0.0
    if (
        median[0] > median[1] or dispersion[0] > dispersion[1]
    ):  # overturning falls: no curve rises through all
        median, dispersion = (0.0, np.inf), (0.0, np.inf)
    return np.column_stack([median, dispersion, rising_bounds(points, x)])


def _support(
    units: Units, grid: np.ndarray, expected: np.ndarray, at: dict[str, str], known: bool
) -> dict[str, tuple[Any, ...]]:
    """Numbers of runs, and where they support the curve, which expects ``expected`` overturned ones."""
    (x, sure, runs), possible = units.sums(ALL_STAND), units.sums(ALL_OVERTURN)[1]
    weakest = x[sure > 0].min(initial=np.inf)
    below = x < weakest
    counts = {"runs": runs, "overturned": sure, "undecided": possible - sure}
    return {
        **{
            name: ((), int(number.sum()), {"long_name": f"number of runs: {name}"})
            for name, number in counts.items()
        },
        "weakest_overturning": (
            (),
            weakest,
            at | {"long_name": "weakest intensity at which a run overturned"},
        ),
        "strongest_run": ((), x[-1], at | {"long_name": "strongest intensity of a run"}),
        "runs_below": ((), int(runs[below].sum())),
        "expected_below": ((), expected[below].sum() if known else np.nan),
        "extrapolated": (
            "intensity_grid",
            (grid < weakest) | (grid > x[-1]),
            {"long_name": "whether no run supports the curve"},
        ),
    }
