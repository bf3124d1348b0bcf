"""The fragility curve that a study goes by: chosen once, by one rule, and taken by every result.

`choose` is the rule, between the families of `FAMILIES`. `accept_curve` makes the object that statistics,
standards, exports, figures and pages take (`AcceptedCurve`): the family, why, and its probabilities,
intensities and rates with their intervals. Results carry the choice as the attributes of
`CurveChoice.attrs`, which `accepted_family` and `choice_of` read. `capacity_at` reads a fitted curve.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import cos, inf, pi, sqrt
from typing import NamedTuple, Protocol

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from mcrock.base.estimates import Term, format_p_value
from mcrock.base.units import unit_in_text
from mcrock.statistics.goodness import (
    FEWEST,
    REJECTED,
    by_isotonic,
    fit_p_value,
    fitted_rule,
    left_out_losses,
    plateau_rule,
)
from mcrock.statistics.intervals import BOUNDS, Bootstrap
from mcrock.statistics.likelihood import LOGIT, PROBIT, FitKind, Shares, fit_plateau, link_of
from mcrock.statistics.probability import EVENT, overturning_probability, pooled, rising_bounds
from mcrock.statistics.rates import (
    IsotonicCurve,
    LognormalCurve,
    Table,
    integration_points,
    isotonic_bounds,
    lognormal_bounds,
    refine,
)
from mcrock.statistics.resampling import Units, collect_units, curve_grid, remembered, resampled_bounds
from mcrock.statistics.runs import (
    ALL_STAND,
    axis_attrs,
    check_runs,
    config_of,
    cut,
    record_index,
    study_of,
    tipping_acceleration,
)

ACCEPTED, WHY = "accepted_family", "why"  # attributes of results
MOST = 2 / 3  # of the resamples in which a curve that follows other data too foretells best, to be believed
# the largest acceleration of any recording in any direction over its intensity, by measures that bound it [1]
LARGEST = {"pga_rotd100": 1 / cos(pi / 360), "pga_rotd50": sqrt(2) / cos(pi / 360)}
_CHOICES: dict[bytes, CurveChoice] = {}
ISOTONIC = "stripes"  # key of the empirical fractions in results and JSON


class FragilityCurve(Protocol):
    """A fragility curve of counts; NaN where the family has none of them."""

    def at(self, intensity: np.ndarray) -> np.ndarray:
        """Probability (n,) at some intensities, at least 0 [1]."""

    def reached(self, probability: float) -> float:
        """Weakest intensity with a probability [unit of the intensity]; inf if there is none."""

    def is_open(self, probability: float) -> bool:
        """Whether a probability is reached below all that the curve knows."""

    def rates(self, x: np.ndarray, rate: np.ndarray) -> np.ndarray:
        """Rate of overturning from each piece of a hazard table (n - 1,) [1/year]."""


class BoundedCurve(NamedTuple):
    """A curve that is 0 below an intensity at which no recording can rock a body."""

    curve: FragilityCurve
    least: float

    def at(self, intensity: np.ndarray) -> np.ndarray:
        return np.where(intensity < self.least, 0.0, self.curve.at(intensity))

    def reached(self, probability: float) -> float:
        return max(self.curve.reached(probability), self.least)

    def is_open(self, probability: float) -> bool:
        return self.curve.is_open(probability)

    def rates(self, x: np.ndarray, rate: np.ndarray) -> np.ndarray:
        """The bound is a row of the table if inside."""
        return np.where(x[1:] <= self.least, 0.0, self.curve.rates(x, rate))


class Family(NamedTuple):
    """A kind of curve, and its intervals for new earthquakes."""

    words: str
    fit: Callable[[np.ndarray, np.ndarray, np.ndarray, float], FragilityCurve]  # levels, fell, runs, units
    band: Callable[[AcceptedCurve, np.ndarray], np.ndarray]  # (2, n) at some intensities [1]
    rate_bounds: Callable[[AcceptedCurve, list[Table]], np.ndarray]  # (2, n_table) of the rate [1/year]

    @property
    def label(self) -> str:
        """The same in a legend or a table."""
        return self.words.removeprefix("the ").removesuffix(" curve")


def _lognormal_band(accepted: AcceptedCurve, x: np.ndarray) -> np.ndarray:
    bounds = resampled_bounds(accepted.units, accepted.how, x)
    return np.full((2, len(x)), [[0.0], [1.0]]) if bounds is None else bounds[:, 2:]


FAMILIES = {
    "lognormal": Family(
        "the lognormal curve",
        LognormalCurve,
        _lognormal_band,
        lambda accepted, hazards: lognormal_bounds(
            accepted.units, accepted.how, hazards, accepted.choice.shares
        ),
    ),
    ISOTONIC: Family(
        f"the {Term.FRACTIONS}",
        IsotonicCurve,
        lambda accepted, x: rising_bounds(accepted.points, x),
        lambda accepted, hazards: isotonic_bounds(accepted.units, accepted.how, hazards, accepted.points),
    ),
}


class CurveChoice(NamedTuple):
    """A family of `FAMILIES`, why, the p-value of the test of fit of the lognormal curve [1], and what its
    rates are averaged over."""

    family: str
    why: str
    p_value: float
    shares: Shares = ((PROBIT, 1.0),)

    @property
    def attrs(self) -> dict[str, str]:
        """What a result says of it."""
        return {ACCEPTED: self.family, WHY: self.why}

    @property
    def words(self) -> str:
        """Why, with the p-value after its first clause."""
        reason, *further = self.why.split("; ", 1)
        tested = "" if np.isnan(self.p_value) else f" ({format_p_value(self.p_value)})"
        return "; ".join([reason + tested, *further])


def choose(ds: xr.Dataset, units: Units, how: Bootstrap) -> CurveChoice:
    """The rule: which family the runs of a study go by.

    The lognormal curve, unless it has no interval, its test of fit (`mcrock.statistics.goodness`) rejects it,
    or a curve that follows other data too, lognormal to a plateau or the empirical fractions, foretells best:
    it has the least log loss on the recordings that a resample leaves out in more than `MOST` of them.
    A plateau counts only if all runs together have one: near 1 it merely tempers what resamples make certain,
    and foretold better so in 0.08 of the studies with a lognormal truth. Then it is the empirical fractions.
    Few runs tell of the tail, and a log-logistic curve has a heavier one: unless its own test rejects it, or
    the lognormal one foretells better in `MOST` of the resamples, intervals of the rate are averaged over
    both, each with the share of the resamples in which it foretells better.

    In 300 to 600 studies each, all drawn at random (`tests.benchmarks.curve_coverage`), the fractions
    were taken in 0.08 of those with a lognormal truth, in 0.20 with a log-logistic one and in 0.91 with a
    plateau of 0.5 to 0.95.

    Parameters
    ----------
    ds : Dataset
        The study, without epistemic draws.
    units : Units
        Of it.
    how : Bootstrap
        Level, resamples and seed.
    """
    if units.curve().kind[0] != FitKind.MAXIMUM:
        return CurveChoice(ISOTONIC, "there is no lognormal curve", np.nan)
    p_value = fit_p_value(units, how)
    if p_value < REJECTED:
        return CurveChoice(ISOTONIC, "the lognormal curve is rejected", p_value)
    noun = "recordings" if how.cluster and "record" in ds else "realizations"
    few = f", and fewer than {FEWEST} {noun} cannot test it" * (units.number < FEWEST)
    if resampled_bounds(units, how, np.zeros(0)) is None:
        why = f"resamples of the {noun} give the lognormal curve no interval{few}"
        return CurveChoice(ISOTONIC, why, p_value)
    why = f"the lognormal curve is not rejected{few}"
    if few:
        return CurveChoice("lognormal", why, p_value)
    fits = [fitted_rule(units, how, link) for link in (PROBIT, LOGIT)]
    lognormal, logistic, rising = left_out_losses(units, how, [*fits, by_isotonic])
    least, plateau = np.minimum(lognormal, logistic), np.inf
    levels_off = fit_plateau(*units.sample())[0, 0] < 1
    if levels_off or (rising < least).mean() > MOST:  # else a plateau changes nothing
        (plateau,) = left_out_losses(units, how, [plateau_rule(units)])
    for words, share in (
        ("a curve to a plateau foretells", np.mean(plateau < least) * levels_off),
        ("the empirical fractions foretell", np.mean(rising < np.minimum(least, plateau))),
    ):
        if share > MOST:
            better = f"better than the lognormal curve in {100 * share:.0f} % of the resamples"
            why = f"{words} {noun} left out {better}, though the test of fit does not reject it"
            return CurveChoice(ISOTONIC, why, p_value)
    share = float((logistic < lognormal).mean())
    if share > 1 - MOST and not fit_p_value(units, how, LOGIT) < REJECTED:
        why += f"; intervals of the rate give a log-logistic one, of heavier tail, the weight {share:.2g}"
        return CurveChoice("lognormal", why, p_value, ((PROBIT, 1 - share), (LOGIT, share)))
    return CurveChoice("lognormal", why, p_value)


def chosen(ds: xr.Dataset, units: Units, how: Bootstrap) -> CurveChoice:
    """`choose`, once for the same counts: every result of a study asks for it."""
    return remembered(_CHOICES, lambda: choose(ds, units, how), *units, how, "record" in ds)


@dataclass(frozen=True)
class AcceptedCurve:
    """The curve that a study goes by.

    Attributes
    ----------
    ds : Dataset
        The study, without epistemic draws.
    units : Units
        Of it.
    how : Bootstrap
        Level, resamples and seed.
    choice : CurveChoice
        Family, why, and the test of fit of the lognormal curve.
    """

    ds: xr.Dataset
    units: Units
    how: Bootstrap
    choice: CurveChoice

    @cached_property
    def points(self) -> xr.Dataset:
        """Fractions of the levels with their intervals."""
        return overturning_probability(self.ds, **self.how.keywords)

    @cached_property
    def least(self) -> float:
        """`rocking_bound` of the study."""
        return rocking_bound(self.ds)

    @cached_property
    def curves(self) -> dict[str, FragilityCurve]:
        """The curve of each family; the accepted one is `curve`."""
        fits = {name: family.fit(*self.units.sums(), self.units.number) for name, family in FAMILIES.items()}
        return {name: BoundedCurve(fit, self.least) if self.least else fit for name, fit in fits.items()}

    @property
    def curve(self) -> FragilityCurve:
        """The accepted curve itself."""
        return self.curves[self.choice.family]

    @property
    def isotonic(self) -> FragilityCurve:
        """The empirical fractions, whichever is accepted."""
        return self.curves[ISOTONIC]

    @property
    def support(self) -> tuple[float, float]:
        """Weakest intensity at which a run overturned without doubt, inf if none, and strongest of a run."""
        x, fell, _ = self.units.sums(ALL_STAND)
        return float(x[fell > 0].min(initial=np.inf)), float(x[-1])

    def rate(self, x: np.ndarray, rate: np.ndarray) -> float:
        """Rate of overturning by rising intensities and the rates at which they are exceeded [1/year]."""
        further = np.append(integration_points(self.units.sums()[0]), self.least)
        return float(self.curve.rates(*refine(x, rate, further)).sum())

    def band(self, x: np.ndarray) -> np.ndarray:
        """Bounds (2, n) of the curve at rising intensities, each by itself; they rise and hold it [1]."""
        band = FAMILIES[self.choice.family].band(self, x)
        return np.where(x < self.least, 0.0, rising_band(band, self.curve.at(x)))

    def reached_interval(self, probability: float) -> tuple[float, float]:
        """Ends of the intensity with a probability, from 0 to inf where `band` excludes none."""
        if probability == 0.5 and self.choice.family == "lognormal":  # has an interval of its own
            bounds = resampled_bounds(self.units, self.how, np.zeros(0))
            low, high = (0.0, np.inf) if bounds is None else bounds[:, 0].tolist()
            return max(low, self.least), max(high, self.least)
        x = curve_grid(self.units, None)
        low, high = self.band(x)
        least = np.where(high < probability, x, 0.0).max()
        return max(float(least), self.least), float(np.where(low >= probability, x, np.inf).min())

    def rate_interval(self, hazards: list[Table], family: str | None = None) -> np.ndarray:
        """Bounds (2, n_hazard) of the rate of the accepted curve or a family, in new earthquakes [1/year].

        NaN where the family has none.
        """
        above = [cut_below(*hazard, self.least) for hazard in hazards]
        bounds = FAMILIES[family or self.choice.family].rate_bounds(self, above)
        return np.where([x[-1] > self.least for x, _ in hazards], bounds, 0.0)


def cut_below(x: np.ndarray, rate: np.ndarray, least: float) -> Table:
    """A hazard table (n,) from an intensity on; of one beyond the table a millionth of its last row."""
    if least <= x[0]:
        return x, rate
    if least >= x[-1]:
        return x[-1] * np.array([1, 1 + 1e-6]), rate[-1] * np.array([1, 1 - 1e-6])
    grid, rate = refine(x, rate, np.array([least]))
    return grid[grid >= least], rate[grid >= least]


def rocking_bound(ds: xr.Dataset) -> float:
    """Intensity below which no recording whatever rocks a body of the study [unit of the intensity]; 0 of
    none.

    The largest horizontal acceleration in any direction bounds what tips a body that stands at rest on the
    ground (`tipping_acceleration`): RotD100 of the peak acceleration is it, and RotD50 is at least 1 /
    sqrt(2) of it, as the peak in a direction at an angle is at least its cosine times the largest. No other
    measure bounds it, not even the geometric mean: one component may be as good as 0. None bounds a vertical
    acceleration, nor what a floor makes of the ground's, and a body of several base faces rocks before it
    tips over the edges round them, of which its slenderness is.
    """
    asked = config_of(ds).get("intensity", {}).get("measure", "")
    largest = LARGEST.get(ds.attrs.get("intensity_measure", asked), inf)
    if largest == inf or EVENT in ds.attrs or "body_slenderness" not in ds:
        return 0.0
    study = study_of(ds)
    if study is None or study.start is not None or study.motion.on_floor:
        return 0.0
    if getattr(study.motion, "vertical", True) or len(study.body.at_medians().base_faces) > 1:
        return 0.0
    least = inf
    for where in cut(ds.sizes["realization"]):
        part = ds.isel(realization=where)
        stronger = np.maximum(part["motion_scaling"].values, 1.0) if "motion_scaling" in part else 1.0
        least = min(least, float((tipping_acceleration(part)[0] / stronger).min()))
    return least / largest


def accepted_of(ds: xr.Dataset, units: Units, how: Bootstrap) -> AcceptedCurve:
    """`accept_curve` of runs that are counted already."""
    accepted = AcceptedCurve(ds, units, how, chosen(ds, units, how))
    if not accepted.least:
        return accepted
    least = f"{accepted.least:.3g} {unit_in_text(axis_attrs(ds)['units'])}"
    why = f"{accepted.choice.why}; 0 below {least}, where no recording rocks a body of the study"
    return replace(accepted, choice=accepted.choice._replace(why=why))


def accept_curve(ds: xr.Dataset, how: Bootstrap) -> AcceptedCurve:
    """The curve that a study goes by.

    Parameters
    ----------
    ds : Dataset
        As for `fit_fragility`; the runs of a nested study are pooled.
    how : Bootstrap
        Level, resamples and seed.

    Raises
    ------
    ValueError
        As `fit_fragility`.
    """
    ds = pooled(ds)
    check_runs(ds)
    units = collect_units(ds, record_index(ds)[0] if how.cluster else None, how.allow_missing)
    return accepted_of(ds, units, how)


def common_choice(choices: Sequence[CurveChoice], names: Sequence[str] = ("first", "second")) -> CurveChoice:
    """What several studies go by together: the family of all, or the empirical fractions of each."""
    families, whys = {each.family for each in choices}, [each.words for each in choices]
    family = families.pop() if len(families) == 1 else ISOTONIC
    why = "; ".join(f"{name}: {why}" for name, why in zip(names, whys, strict=True))
    return CurveChoice(family, why, np.nan)


def choice_of_most(choices: Sequence[CurveChoice]) -> CurveChoice:
    """What many designs of one study go by: the lognormal curve where more than half of them do.

    The rule of `choose` takes the fractions in a share of the studies with a lognormal truth, and so those of
    any of n designs in up to n times that share. Half of them or more take them in at most twice the share,
    however much the designs have in common (Markov's inequality, as for the median of p-values).
    """
    lognormal = sum(each.family == "lognormal" for each in choices)
    family = "lognormal" if 2 * lognormal > len(choices) else ISOTONIC
    return CurveChoice(family, f"{lognormal} of {len(choices)} designs go by the lognormal curve", np.nan)


def choice_of(found: xr.Dataset) -> CurveChoice:
    """The choice that a result carries: as attributes, or of one of several side by side as variables."""
    why = found[WHY].item() if WHY in found else found.attrs[WHY]
    return CurveChoice(accepted_family(found), str(why), float(found["fit_p_value"]))


def choice_of_all(fits: Mapping[str, xr.Dataset]) -> CurveChoice:
    """`common_choice` of the results, by name, of `fit_fragility` that have a curve."""
    known = {name: choice_of(fit) for name, fit in fits.items() if np.isfinite(fit["median_capacity"])}
    return common_choice(list(known.values()), list(known))


def accepted_family(found: xr.Dataset) -> str:
    """Family of `FAMILIES` that a result goes by, or one of several side by side; of all, the common one."""
    of_one = ACCEPTED in found and found[ACCEPTED].ndim == 0
    return str(found[ACCEPTED].item() if of_one else found.attrs[ACCEPTED])


def rejects_lognormal(fit: xr.Dataset) -> bool:
    """Whether a result of `fit_fragility` has a lognormal curve, and yet goes by another."""
    return accepted_family(fit) != "lognormal" and bool(np.isfinite(fit["median_capacity"]))


def rising_band(bounds: np.ndarray, curve: np.ndarray) -> np.ndarray:
    """Bounds (2, n) along rising intensities, made so that they rise, and hold a curve.

    Each resampled curve rises, but quantiles are taken at each intensity by itself.
    """
    low, high = np.minimum.accumulate(bounds[0, ::-1])[::-1], np.maximum.accumulate(bounds[1])
    return np.stack([np.fmin(low, curve), np.fmax(high, curve)])


def capacity_at(fit: xr.Dataset, probability: ArrayLike) -> xr.Dataset:
    """Intensity at which the curve reaches a probability, with its interval.

    The lower tail of a lognormal curve is an assumption: bodies do not overturn below the acceleration that
    starts rocking, where every such curve is above 0. A warning says where nothing that was run supports
    what is read.

    Parameters
    ----------
    fit : Dataset
        From `fit_fragility`.
    probability : array_like
        One probability or several, inside (0, 1) [1].

    Returns
    -------
    Dataset
        `capacity` [unit of the intensity], NaN where there is no curve; `capacity_interval` (bound), between
        the values of the grid of the fit that its band excludes, or 0 and inf; `extrapolated`, whether no
        run supports the capacity. Along `probability` if several are given.

    Raises
    ------
    ValueError
        If a probability is outside (0, 1).

    Warns
    -----
    UserWarning
        If a capacity is below the weakest intensity at which a run overturned, or above the strongest; if the
        study goes by another curve (`mcrock.statistics.accepted_curve`).
    """
    wanted = np.atleast_1d(np.asarray(probability, float))
    if wanted.ndim > 1 or not ((wanted > 0) & (wanted < 1)).all():
        raise ValueError(f"probability must lie in (0, 1) [1], got {probability!r}")
    link = link_of(fit.attrs.get("link", PROBIT.name))
    scale = float(fit["dispersion"]) / link.deviation
    capacity = float(fit["median_capacity"]) * np.exp(scale * link.quantile(wanted))
    if link is PROBIT and ACCEPTED in fit.attrs and rejects_lognormal(fit):
        words = choice_of(fit)
        warnings.warn(f"{words.words}: the study goes by {FAMILIES[words.family].words}", stacklevel=2)
    grid, (low, high) = fit["intensity_grid"].values, fit["band"].values
    interval = [
        np.where(high < wanted[:, None], grid, 0.0).max(axis=1),
        np.where(low >= wanted[:, None], grid, np.inf).min(axis=1),
    ]
    weakest, strongest = float(fit["weakest_overturning"]), float(fit["strongest_run"])
    outside = ~((weakest <= capacity) & (capacity <= strongest))
    unit = fit["median_capacity"].attrs["units"]
    for p, x in zip(wanted[outside], capacity[outside], strict=True):
        if np.isnan(x):
            continue
        warnings.warn(f"the curve reaches {p:g} at {x:.4g} {unit}, {_why(fit, x)}", stacklevel=2)
    attrs = {"units": unit, "long_name": "intensity at which the fraction overturns"}
    result = xr.Dataset(
        {
            "capacity": ("probability", capacity, attrs),
            "capacity_interval": (("bound", "probability"), np.stack(interval), {"units": unit}),
            "extrapolated": ("probability", outside, {"long_name": "whether no run supports the capacity"}),
        },
        coords={"probability": ("probability", wanted, {"units": "1"}), "bound": BOUNDS},
    )
    return result.isel(probability=0) if np.ndim(probability) == 0 else result


def _why(fit: xr.Dataset, x: float) -> str:
    """Reason why no run supports an intensity."""
    unit = fit["median_capacity"].attrs["units"]
    weakest, strongest = (float(fit[name]) for name in ("weakest_overturning", "strongest_run"))
    if x > strongest:
        return f"beyond the strongest run, {strongest:.4g} {unit}: an extrapolation"
    verb = "was beyond the limit" if EVENT in fit.attrs else "overturned"
    return (
        f"below {weakest:.4g} {unit}, the weakest intensity at which a run {verb}: an extrapolation, which "
        f"expects {float(fit['expected_below']):.2g} among the {int(fit['runs_below'])} runs there, and "
        "there were none"
    )
