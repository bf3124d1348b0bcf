"""Rules of thumb and checks of codes, judged by the runs of a study.

What would be said of the body without a simulation: a threshold of peak acceleration or velocity, a probit
curve of either, or a check for the smallest slenderness of the body, which is here that of the medians of its
slenderness alpha, radius R and frequency parameter p.

ASCE/SEI 43-05 (2005). Seismic design criteria for structures, systems, and components in nuclear facilities,
appendix A.2 (approximate method for rocking of an unanchored rigid body), derived here for an oscillator with
the energy of the tilted body.

Ishiyama, Y. Criteria for overturning of rigid bodies by sinusoidal and earthquake excitations (that velocity
as well as acceleration must be taken into account).

FEMA P-58 (2018). Seismic performance assessment of buildings. Its medians of bookcases and cabinets are those
of A.2 with the median amplification of velocity of Newmark and Hall (1982, Earthquake spectra and design,
EERI): the seven of its library that have a size come out within 2 %.

Housner, G. W. (1963). The behavior of inverted pendulum structures during earthquakes. Bulletin of the
Seismological Society of America 53(2), 403-417.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from math import cos, log, pi, sin, sqrt, tan
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np
import xarray as xr

from mcrock.base.params import Outcome
from mcrock.dataset.opened import takes_path
from mcrock.statistics.accepted_curve import ACCEPTED, WHY, AcceptedCurve, CurveChoice, accept_curve, chosen
from mcrock.statistics.cross_validation import (
    HeldOut,
    Rule,
    best_thresholds,
    by_probit,
    by_threshold,
    constant,
    held_out,
    judged,
)
from mcrock.statistics.efficiency import measures_of, own_measure
from mcrock.statistics.grouped_runs import Measures, weigh_runs
from mcrock.statistics.inference import Bootstrap, BootstrapKeywords, takes
from mcrock.statistics.intervals import clustered_interval, interval_of_readings, student_interval
from mcrock.statistics.nested import pooled
from mcrock.statistics.order_statistics import median
from mcrock.statistics.probability import BOUNDS, CLASSES
from mcrock.statistics.probit import FitKind, fit_curves
from mcrock.statistics.resample import Units
from mcrock.statistics.result_table import table
from mcrock.statistics.run_measures import Asked, has_records, measure_name, stands_on_floor
from mcrock.statistics.runs import ALL_OVERTURN, ALL_STAND, ESTIMATE, LOTS, record_index, slices

FITTED: dict[str, tuple[str, Rule]] = {
    "constant": ("", constant),
    "pga_threshold": ("pga", by_threshold),
    "pga_probit": ("pga", by_probit),
    "pgv_threshold": ("pgv", by_threshold),
    "pgv_probit": ("pgv", by_probit),
}
BOTH = "static_and_impulse"
WORDS = {
    "constant": "constant probability",
    "pga_threshold": "PGA, threshold",
    "pga_probit": "PGA, probit",
    "pgv_threshold": "PGV, threshold",
    "pgv_probit": "PGV, probit",
    "static": "static: PGA over g tan(alpha)",
    "full_impulse": "full impulse: PGV",
    "asce_43_05": "ASCE 43-05 A.2: Sa",
    "fema_p58": "FEMA P-58: PGV",
    BOTH: "static and full impulse",
}
NO_MOTIONS = (
    "no rules of thumb: they need peak acceleration and velocity of every run, as in columns pga [g] and "
    "pgv [m/s] of a table of outcomes"
)
ONE_RECORD = "no rules of thumb: they are scored on recordings left out, and there is only one"
BELOW, ABOVE = 0.5, 2.0  # what a check says of a run, as an intensity whose threshold is 1
P58_DISPERSION = 0.5  # of its fragilities of overturning by peak floor velocity [1]
P58_DAMPING = (0.005, 0.2)  # for which the amplification is meant [1]
BODY = ("body_slenderness", "body_radius", "body_frequency", "gravity")


class Check(NamedTuple):
    """A check of overturning: so strong a motion overturns the body."""

    measure: Asked  # of the motion under the body
    capacity: float  # in the unit of the measure
    source: str
    dispersion: float = np.nan  # of a curve whose median is the capacity [1]


def checks_of_body(
    slenderness: float, radius: float, frequency: float, gravity: float = 9.81
) -> dict[str, Check]:
    """Checks of codes and handbooks for a body, by name.

    Parameters
    ----------
    slenderness, radius, frequency : float
        Angle alpha [rad] and distance R [m] from the edge to the centre of mass, and frequency parameter
        p [rad/s] at that edge.
    gravity : float
        [m/s2].

    Returns
    -------
    dict of str to Check
        `static`, the acceleration ``g tan(alpha)`` at which a body begins to rock (West's formula): it
        overturns only if that lasts. `full_impulse`, the velocity of the ground that, given at once, is just
        enough. `asce_43_05`, the spectral acceleration of the oscillator that replaces the body at the tilt
        alpha, with half the potential energy gained there and the damping of two impacts a cycle by Housner
        (1963); without the vertical component. Not there for a body that an impact would stop. `fema_p58`,
        the median peak velocity of FEMA P-58: the spectral velocity of that oscillator, which is the velocity
        of `full_impulse`, over the amplification ``2.31 - 0.41 ln(damping [%])``. Not there where the damping
        is outside 0.5 to 20 %.

    Examples
    --------
    A block of 0.4 m x 1.6 m:

    >>> alpha, radius = np.arctan(0.25), np.hypot(0.2, 0.8)
    >>> checks = checks_of_body(alpha, radius, np.sqrt(0.75 * 9.81 / radius))
    >>> for name, check in checks.items():
    ...     print(name, check.measure, round(check.capacity, 3))
    static pga 2.453
    full_impulse pgv 0.827
    asce_43_05 {'measure': 'sa', 'period': 2.108..., 'damping': 0.0293...} 2.465
    fema_p58 pgv 0.443
    """
    a, height = tan(slenderness), radius * cos(slenderness)
    impulse = 2 * gravity * sin(slenderness / 2) / (frequency * cos(slenderness))
    found = {
        "static": Check("pga", gravity * a, "g tan(alpha), where rocking starts"),
        "full_impulse": Check("pgv", impulse, "energy of the whole velocity given at once"),
    }
    inertia = gravity / (frequency**2 * radius * cos(slenderness) ** 2)  # C1, moment of inertia over m h^2
    restitution = 1 - 2 * a * a / inertia  # C_R
    if restitution > 0:
        gain = 1 / cos(slenderness) - 1  # f1 at the tilt alpha
        period = 2 * pi * sqrt(inertia * slenderness**2 * height / (2 * gain * gravity))
        loss = -2 * log(restitution)
        damping = loss / sqrt(4 * pi**2 + loss**2)
        found["asce_43_05"] = Check(
            {"measure": "sa", "period": period, "damping": damping},
            2 * gravity * gain / slenderness,
            "ASCE/SEI 43-05 A.2, without the vertical component",
        )
        if P58_DAMPING[0] <= damping <= P58_DAMPING[1]:
            amplified = impulse / (2.31 - 0.41 * log(100 * damping))
            found["fema_p58"] = Check("pgv", amplified, "FEMA P-58, as explained", P58_DISPERSION)
    return found


@takes_path
@takes(Bootstrap)
def baselines(
    ds: xr.Dataset, *, folder: str | Path = ".", **keywords: Unpack[BootstrapKeywords]
) -> xr.Dataset:
    """Rules of thumb and checks of codes, scored by the runs of a study.

    A rule that is fitted is scored record by record, as fitted to all others. Checks are
    those of `checks_of_body` for the body of the medians, on a floor judged by the motion of the floor (an
    uncertain one at its medians); intensities are geometric means of the two components. Of a table of
    outcomes there are those whose measures it has.

    Parameters
    ----------
    ds : Dataset
        Result of a study with shaking; the runs of a nested study are pooled.
    folder : str or Path
        Folder that the names of record files start from.
    **keywords
        As for `fit_fragility`.

    Returns
    -------
    Dataset
        Along `rule`: "constant", the same probability for all runs; "pga_threshold", "pga_probit",
        "pgv_threshold" and "pgv_probit"; "static", "full_impulse", "asce_43_05", "fema_p58", and
        "static_and_impulse", which takes the first two to be passed. `capacity`, the threshold, or the median
        of a probit curve, of the measure `measure` (rule), in the unit that `units` (rule) has as text, with
        the `period` [s] and `damping` [1] of a spectral one; `dispersion` of a probit curve [1];
        `probability` and `probability_interval` (bound, rule) of overturning there [1], by the curve that
        the runs accept over the measure (`mcrock.statistics.accepted_curve`), of which `headline`, `why` and
        `fit_p_value` (rule) tell. `misclassified` and `misclassified_interval` (bound, rule), fraction
        of the runs that a rule predicts wrongly [1]; `log_loss` and `log_loss_interval` (bound, rule), mean
        of minus the logarithm of the probability given to what came [1]: that of a threshold or a check is
        the overturned fraction on its side among the other records. `record_runs`, `record_misclassified` and
        `record_log_loss` (rule, left_out) are the means over the runs of each record (or lot of records,
        where there are more than 400), for differences between rules. `spectral_velocity`, ``g alpha / p``
        [m/s], is Housner's (1963), to be compared with an undamped velocity spectrum. NaN where a rule has
        none. A body whose slenderness is not between 0 and 90 degrees has no checks. Attributes hold the
        body.

    Raises
    ------
    ValueError
        As `fit_fragility` and `with_measures`.
    """
    how = Bootstrap(**keywords)
    flat = pooled(ds)
    if how.allow_missing:  # of which not even the inputs are there
        rest = set(flat["outcome"].dims) - {"realization"}
        parts = (flat["outcome"].isel(realization=where) for where in slices(flat))
        there = np.concatenate([(part != Outcome.NOT_RUN).any(rest).values for part in parts])
        flat = flat if there.all() else flat.isel(realization=there)
    body = {name: median_of(flat, name) for name in BODY if name in flat}
    checks, _ = checks_of_medians(flat)
    if not has_records(flat):
        known = measures_of(flat)
        checks = {name: check for name, check in checks.items() if measure_name(check.measure) in known}
    asked, sides = [check.measure for check in checks.values()], _sides(checks)
    on_floor = stands_on_floor(flat)
    runs = weigh_runs(flat, ["pga", "pgv", *([] if on_floor else asked)], how.allow_missing, folder)
    tables, units_of = runs.units({} if on_floor else sides), dict(runs.units_of)
    rows = []
    for name, (measure, rule) in FITTED.items():
        units = tables[measure or "pga"]
        row = _Row(name, measure, held_out(units, rule), units)
        rows.append(_with_capacity(row) if measure else row)
    if checks and on_floor:
        runs = weigh_runs(flat, asked, how.allow_missing, folder, under_body=True)
        tables, units_of = runs.units(sides), units_of | dict(runs.units_of)
    rows += _checked(checks, tables)
    scored = "records" if record_index(flat)[1] <= LOTS else "groups of records"
    curves = _curves(rows, flat, how, [*checks] if on_floor else [])
    result = _dataset(rows, units_of, curves, how.level)
    if checks:
        velocity = body["gravity"] * body["body_slenderness"] / body["body_frequency"]
        words = {"units": "m s-1", "long_name": "undamped spectral velocity g alpha / p"}
        result["spectral_velocity"] = ((), velocity, words)
    return result.assign_attrs({"level": how.level, "resamples": how.resamples, "scored": scored} | body)


def checks_of_medians(ds: xr.Dataset) -> tuple[dict[str, Check], float]:
    """Checks of the body of the medians of a study, and the gravity [m/s2]; none where it does not stand."""
    body = {name: median_of(ds, name) for name in BODY if name in ds}
    stands = len(body) == len(BODY) and 0 < body["body_slenderness"] < pi / 2
    return (checks_of_body(*body.values()) if stands else {}), body.get("gravity", np.nan)


def median_of(ds: xr.Dataset, name: str) -> float:
    """Median of an input, which is read in slices."""
    first = float(ds[name][0])
    if all((ds[name].isel(realization=where) == first).all() for where in slices(ds)):
        return first

    def parts() -> Iterator[np.ndarray]:
        return (ds[name].isel(realization=where).values for where in slices(ds))

    return median(parts, ds.sizes["realization"])


class _Row(NamedTuple):
    """A rule with its scores and its capacity."""

    rule: str
    measure: str
    scores: HeldOut
    units: Units  # counts over the measure
    capacity: float = np.nan
    dispersion: float = np.nan
    oscillator: tuple[float, float] = (np.nan, np.nan)  # period [s] and damping [1] of a spectral measure


def _with_capacity(row: _Row) -> _Row:
    """A rule that is fitted, with its threshold or median for all runs."""
    units = row.units
    yes, runs = (units.total(counts)[None] for counts in (units.overturned[ESTIMATE], units.runs))
    if row.rule.endswith("threshold"):
        k = int(best_thresholds(yes, runs)[0])
        between = units.intensity[max(k - 1, 0) : k + 1]
        return row._replace(capacity=float(np.sqrt(between.prod())) if len(between) == 2 else np.nan)
    curves = fit_curves(units.intensity, yes, runs)
    if curves.kind[0] not in (FitKind.MAXIMUM, FitKind.SEPARATED):
        return row
    median = float(np.sqrt(curves.low_median[0] * curves.high_median[0]))
    return row._replace(capacity=median, dispersion=float(curves.low_dispersion[0]))


def _sides(checks: dict[str, Check]) -> dict[str, Callable[[Measures], np.ndarray]]:
    """On which side of a check each run is, as an intensity; the last asks for two to be passed."""

    def side(of: tuple[str, ...], measures: Measures) -> np.ndarray:
        ratios = [measures[measure_name(checks[name].measure)] / checks[name].capacity for name in of]
        ratio = np.min(ratios, axis=0)
        return np.where(ratio > 1, ABOVE, np.where(ratio > 0, BELOW, 0.0))

    passed = {name: (name,) for name in checks} | ({BOTH: ("static", "full_impulse")} if checks else {})
    return {name: partial(side, of) for name, of in passed.items()}


def _checked(checks: dict[str, Check], tables: dict[str, Units]) -> list[_Row]:
    """Checks, and the two that acceleration and velocity must both pass."""
    rows = []
    for name, check in checks.items():
        measure = measure_name(check.measure)
        row = _Row(
            name, measure, judged(tables[name], 1.0), tables[measure], check.capacity, check.dispersion
        )
        if not isinstance(check.measure, str):
            row = row._replace(oscillator=(check.measure["period"], check.measure["damping"]))
        rows.append(row)
    return [*rows, *(_Row(BOTH, "", judged(tables[BOTH], 1.0), tables[BOTH]) for _ in rows[:1])]


class _OverMeasure(AcceptedCurve):
    """The accepted curve over a measure of which the counts alone are known."""

    least = 0.0

    @cached_property
    def points(self) -> xr.Dataset:
        """Fractions of classes of about equal numbers of runs with their intervals."""
        own = self.units.total(self.units.runs)
        place = ((own.cumsum() - own / 2) / own.sum() * CLASSES).astype(np.int64)
        first = np.flatnonzero(np.diff(place, prepend=-1))
        stand, fall = self.units.overturned[ALL_STAND], self.units.overturned[ALL_OVERTURN]
        sure, possible, runs = (
            np.add.reduceat(each, first, axis=1) for each in (stand, fall, self.units.runs)
        )
        bounds = interval_of_readings(sure, possible, runs, self.how.level)
        ends = self.units.intensity[first], self.units.intensity[np.append(first[1:], len(own)) - 1]
        return xr.Dataset(
            {
                "interval": (("bound", "intensity"), bounds),
                "intensity_range": (("bound", "intensity"), np.stack(ends)),
            },
            coords={"intensity": ends[0]},
        )


def _curves(rows: list[_Row], ds: xr.Dataset, how: Bootstrap, elsewhere: Sequence[str]) -> dict[str, Any]:
    """Probability of overturning at the capacity of each row, with its bounds, by the accepted curve.

    Of the rules ``elsewhere`` the measure is of the motion under the body.
    """
    found, choices = np.full((3, len(rows)), np.nan), [CurveChoice("", "", np.nan)] * len(rows)
    known = [i for i, row in enumerate(rows) if np.isfinite(row.capacity)]
    for i in known:
        alike = [j for j in known if rows[j].units is rows[i].units]
        if alike[0] != i:
            continue
        units, own = rows[i].units, rows[i].measure == own_measure(ds) and rows[i].rule not in elsewhere
        over = _OverMeasure(ds, units, how, chosen(ds, units, how)) if not own else accept_curve(ds, how)
        at, place = np.unique([rows[j].capacity for j in alike], return_inverse=True)
        found[:, alike] = np.stack([over.curve.at(at), *over.band(at)])[:, place]
        for j in alike:
            choices[j] = over.choice
    return {
        "probability": ("rule", found[0], {"long_name": "probability at the capacity"}),
        "probability_interval": (("bound", "rule"), found[1:]),
        ACCEPTED: ("rule", [choice.family for choice in choices]),
        WHY: ("rule", [choice.why for choice in choices]),
        "fit_p_value": ("rule", [choice.p_value for choice in choices]),
    }


def rule_words(row: xr.Dataset) -> str:
    """A rule, one of a result of `baselines`, in words."""
    words = WORDS[str(row["rule"].item())]
    if np.isfinite(row["period"]):
        words += f"({float(row['period']):.3g} s, {100 * float(row['damping']):.2g} %)"
    return words


def without_rules(ds: xr.Dataset) -> str:
    """Why no rules of thumb can be scored; empty if they can.

    Peak acceleration and velocity of every run are kept or can be measured, and there are two recordings.
    """
    if not ({"pga", "pgv"} <= set(measures_of(ds)) or has_records(ds)):
        return NO_MOTIONS
    return ONE_RECORD if record_index(pooled(ds))[1] < 2 else ""


def _dataset(
    rows: list[_Row], units_of: Mapping[str, str], curves: Mapping[str, Any], level: float
) -> xr.Dataset:
    """The table of the rules."""
    names = [row.rule for row in rows]
    per_rule, per_bound = "rule", ("bound", "rule")
    runs, loss, wrong = (np.stack(each) for each in zip(*(row.scores for row in rows), strict=True))
    mean, half = student_interval(loss.T, runs.T, level)
    result = table(
        {
            "measure": (per_rule, [row.measure for row in rows]),
            "capacity": (per_rule, [row.capacity for row in rows]),
            "units": (per_rule, [units_of[row.measure] if row.measure else "1" for row in rows]),
            "period": (per_rule, [row.oscillator[0] for row in rows], {"units": "s"}),
            "damping": (per_rule, [row.oscillator[1] for row in rows]),
            "dispersion": (per_rule, [row.dispersion for row in rows]),
            **curves,
            "misclassified": (
                per_rule,
                wrong.sum(axis=1) / runs.sum(axis=1),
                {"long_name": "misclassified fraction"},
            ),
            "misclassified_interval": (per_bound, np.stack(clustered_interval(wrong.T, runs.T, level))),
            "log_loss": (per_rule, mean, {"long_name": "mean log loss"}),
            "log_loss_interval": (per_bound, np.stack([mean - half, mean + half])),
            "record_runs": ((per_rule, "left_out"), runs),
            "record_misclassified": ((per_rule, "left_out"), wrong / runs),
            "record_log_loss": ((per_rule, "left_out"), loss / runs),
        },
        coords={per_rule: names, "bound": BOUNDS},
    )
    del result["capacity"].attrs["units"]  # which are those of the measure
    return result
