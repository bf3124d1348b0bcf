"""Rules of thumb and standards next to the result of a study.

First `baselines`, what would be said of the body without a simulation: a threshold of peak acceleration or
velocity, a probit curve of either, or a check for the smallest slenderness of the body, which is here that of
the medians of its slenderness alpha, radius R and frequency parameter p (`checks_of_body`). Then `standards`,
a study judged at a design motion and against a target frequency.

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

ASCE/SEI 43 (2005, 2019). Seismic design criteria for structures, systems, and components in nuclear
facilities: acceptance (section 1.3), and the approximate methods of appendix A (edition of 2005).

DOE-STD-1020-2002. Natural phenomena hazards design and evaluation criteria for Department of Energy
facilities, appendix C: capacity, slope of the hazard and annual frequency.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from math import cos, inf, log, nan, pi, sin, sqrt, tan
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np
import xarray as xr
from scipy.optimize import brentq
from scipy.special import bdtr

from mcrock.base.checks import shared_keywords
from mcrock.base.params import Outcome
from mcrock.base.units import parse_intensity_unit, unit_in_text
from mcrock.dataset.opened import accepts_path
from mcrock.excitation.measures import intensity
from mcrock.excitation.motion import Motion
from mcrock.excitation.response_spectra import rotated_spectrum
from mcrock.statistics.accepted_curve import (
    ACCEPTED,
    FAMILIES,
    WHY,
    AcceptedCurve,
    CurveChoice,
    accept_curve,
    chosen,
)
from mcrock.statistics.goodness import (
    HeldOut,
    Rule,
    best_thresholds,
    by_probit,
    by_threshold,
    constant,
    held_out,
    judged,
)
from mcrock.statistics.hazard import MEAN
from mcrock.statistics.intervals import (
    Bootstrap,
    BootstrapKeywords,
    clustered_interval,
    interval_of_readings,
    student_interval,
    table,
)
from mcrock.statistics.likelihood import fit_curves
from mcrock.statistics.measures import (
    Asked,
    Measures,
    has_records,
    measure_name,
    measures_of,
    motions_at,
    own_measure,
    stands_on_floor,
    weigh_runs,
)
from mcrock.statistics.probability import CLASSES, by_falling, displacement_limit, pooled
from mcrock.statistics.rates import lognormal_rates
from mcrock.statistics.resampling import Units
from mcrock.statistics.risk import accepted_rate, failure_of, largest_rate
from mcrock.statistics.runs import (
    ALL_OVERTURN,
    ALL_STAND,
    ESTIMATE,
    LOTS,
    axis_attrs,
    is_cloud,
    read_input,
    record_index,
    run_intensity,
    slices,
)
from mcrock.study import ConfigError

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


@accepts_path
@shared_keywords(Bootstrap)
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
        the runs accept over the measure (`mcrock.statistics.accepted_curve`), of which `accepted_family`,
        `why` and `fit_p_value` (rule) tell. `misclassified` and `misclassified_interval` (bound, rule),
        fraction of the runs that a rule predicts wrongly [1]; `log_loss` and `log_loss_interval` (bound,
        rule), mean of minus the logarithm of the probability given to what came [1]: that of a threshold or a
        check is the overturned fraction on its side among the other records. `record_runs`,
        `record_misclassified` and `record_log_loss` (rule, left_out) are the means over the runs of each
        record (or lot of records, where there are more than 400), for differences between rules.
        `spectral_velocity`, ``g alpha / p`` [m/s], is Housner's (1963), to be compared with an undamped
        velocity spectrum. NaN where a rule has none. A body whose slenderness is not between 0 and 90 degrees
        has no checks. Attributes hold the body.

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
    checks, _ = checks_of_medians(flat, body)
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


def checks_of_medians(ds: xr.Dataset, body: dict[str, float] | None = None) -> tuple[dict[str, Check], float]:
    """Checks of the body of the medians of a study, and the gravity [m/s2]; none where it does not stand."""
    body = {name: median_of(ds, name) for name in BODY if name in ds} if body is None else body
    stands = len(body) == len(BODY) and 0 < body["body_slenderness"] < pi / 2
    return (checks_of_body(*body.values()) if stands else {}), body.get("gravity", np.nan)


def median_of(ds: xr.Dataset, name: str) -> float:
    """Median of an input, which is read in slices."""
    x = read_input(ds, name)
    x.sort()
    return float((x[(len(x) - 1) // 2] + x[len(x) // 2]) / 2)


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
    median = float(curves.median[0])
    return row if np.isnan(median) else row._replace(capacity=median, dispersion=curves.low_dispersion[0])


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


def why_no_baselines(ds: xr.Dataset) -> str:
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
        coords={per_rule: names},
    )
    del result["capacity"].attrs["units"]  # which are those of the measure
    return result


ACCEPTANCE = (
    (1.0, 0.01),
    (1.5, 0.10),
)  # multiples of the design motion, and the most probable overturning [1]
JUDGED = ("static", "full_impulse", "asce_43_05")  # of `checks_of_body`, those that deny overturning
SLIDING_DAMPING = 0.1  # of the spectrum that tells how far a body slides [1]
PERIODS = np.geomspace(10.0, 0.02, 80)  # from which on it is searched [s]
LEAST_DIGITS = 9  # of a displacement [m], below which it is rounding
AT_ONCE = 8  # of them computed together, until it is found
FRICTION = "contact_friction"
PEAK = "peak_displacement"
ASCE = "ASCE/SEI 43"
CATEGORIES = {"SDC-3": 1e-4, "SDC-4": 4e-5, "SDC-5": 1e-5}  # target performance goals of ASCE/SEI 43 [1/year]
USUAL = (1e-8, 0.1)  # target frequencies, beyond which one is asked about [1/year]
Three = tuple[float, float, float]  # a number and the ends of its interval


def design_intensity(text: str, ds: xr.Dataset) -> float:
    """Design motion, as in ``0.4g`` or ``0.6 m/s``, in the unit of the intensity of a study.

    Raises
    ------
    ValueError
        If it is not a number > 0 with a unit of that intensity.
    """
    units = str(run_intensity(ds).attrs.get("units", "1"))
    found = re.fullmatch(r"\s*([0-9.eE+-]+?)\s*([a-zA-Z/%^²].*)?", text)
    try:
        value = float(found[1]) if found else nan
    except ValueError:
        value = nan
    unit = parse_intensity_unit(((found and found[2]) or "1").strip())
    if not (np.isfinite(value) and value > 0 and unit is not None and unit[0] == units):
        wanted = {"m s-2": "0.4g", "m s-1": "0.6m/s", "1": "1.2"}.get(units, f"1 {unit_in_text(units)}")
        raise ValueError(
            f"the design motion must be a {own_measure(ds)} > 0 with its unit, as in {wanted}, got {text!r}"
        )
    return value * unit[1]


def category_target(category: str) -> float:
    """Annual frequency of unacceptable performance that ASCE/SEI 43 allows a design category [1/year].

    Raises
    ------
    ValueError
        If it is none of the standard's, SDC-3 to SDC-5; the others are left to codes of buildings.

    >>> category_target("SDC-4"), category_target("sdc5")
    (4e-05, 1e-05)
    """
    found = CATEGORIES.get(f"SDC-{category.upper().removeprefix('SDC').strip(' -')}")
    if found is None:
        known = ", ".join(f"{name} ({rate:g} 1/year)" for name, rate in CATEGORIES.items())
        raise ValueError(f"a seismic design category of {ASCE} is one of {known}, got {category!r}")
    return found


def sliding_distance(motion: Motion, friction: float, gravity: float = 9.81) -> float:
    """Sliding distance of an unanchored rigid body by reserve energy, ASCE/SEI 43-05 A.1.

    ``delta = c_s / (2 pi f_es)**2`` with ``c_s = 2 mu_e g`` and ``mu_e = mu (1 - 0.4 A_V / g)``, A_V the
    vertical peak, and f_es the lowest frequency at which the 10 % damped vector spectrum of both horizontal
    components reaches c_s: an oscillator that stores at delta what friction takes up on that way. The vector
    spectrum is here the largest over all directions (RotD100).

    Parameters
    ----------
    motion : Motion
    friction : float
        Coefficient of sliding friction mu [1], > 0.
    gravity : float
        [m/s2].

    Returns
    -------
    float
        [m]; 0 where the spectrum stays below c_s.

    Raises
    ------
    ValueError
        Outside the method: the vertical peak takes all friction away, or the spectrum has c_s at 10 s
        already.
    """
    return _reserve_energy(motion, friction, gravity)[0]


def _reserve_energy(motion: Motion, friction: float, gravity: float) -> Three:
    """`sliding_distance` [m], with A_V [m/s2] and f_es [Hz], inf where the spectrum stays below c_s."""
    down = float(np.abs(motion.acceleration[2]).max()) / gravity
    effective = friction * (1 - 0.4 * down)
    if not effective > 0:
        raise ValueError(
            f"{motion.name}: ASCE/SEI 43-05 A.1 needs friction > 0 and a vertical peak below 2.5 g, got "
            f"{friction:g} [1] and {down:.3g} g"
        )
    capacity = 2 * effective * gravity
    x, y, _ = motion.acceleration
    spectrum = np.empty(0)
    while not (spectrum >= capacity).any():
        if len(spectrum) == len(PERIODS):
            return 0.0, down * gravity, inf
        further = PERIODS[len(spectrum) : len(spectrum) + AT_ONCE]
        beyond = rotated_spectrum(x, y, motion.dt, further, SLIDING_DAMPING, percentile=100)
        spectrum = np.concatenate([spectrum, beyond])
    k = int(np.argmax(spectrum >= capacity))
    if k == 0:
        raise ValueError(
            f"{motion.name}: outside ASCE/SEI 43-05 A.1, as its spectrum at {PERIODS[0]:g} s is beyond "
            f"2 mu_e g = {capacity:.3g} m/s2 already"
        )
    here = slice(k - 1, k + 1)
    period = np.exp(np.interp(np.log(capacity), np.log(spectrum[here]), np.log(PERIODS[here])))
    return float(capacity * (period / (2 * pi)) ** 2), down * gravity, float(1 / period)


def required_median(hazard: xr.Dataset, target: float, dispersion: float) -> float:
    """Median of the lognormal fragility of a dispersion whose annual rate is a target.

    Parameters
    ----------
    hazard : Dataset
        From `load_hazard`; its mean curve counts.
    target : float
        Annual frequency [1/year], > 0.
    dispersion : float
        Of the fragility [1].

    Returns
    -------
    float
        [unit of the hazard]; NaN where none in the table and a thousand times around it has that rate. With
        ``H = k0 x**-k`` it is ``(k0 exp(k**2 dispersion**2 / 2) / target)**(1 / k)``.
    """
    x, rate = hazard["hazard_intensity"].values, hazard["rate"].sel(hazard=MEAN).values
    if np.isnan(dispersion):
        return nan
    return _scale(lambda scale: float(lognormal_rates(x, rate, scale, dispersion).sum()), x, target)


def _scale(rate: Callable[[float], float], x: np.ndarray, target: float) -> float:
    """Where a rate that falls with a scale is the target; NaN beyond a thousand times around ``x``."""

    def excess(log_scale: float) -> float:
        return float(np.log(max(rate(np.exp(log_scale)), 1e-300)) - np.log(target))

    low, high = np.log(x[0]) - 7, np.log(x[-1]) + 7
    if excess(low) < 0 or excess(high) > 0:
        return nan
    return float(np.exp(brentq(excess, low, high)))


class JudgedCheck(NamedTuple):
    """A check: what is asked of the body and what it has, each with the ends of its interval."""

    check: str
    demand: Three
    capacity: Three
    units: str
    source: str

    @property
    def verdict(self) -> str:
        """Pass or fail where the intervals are apart."""
        (_, least, most), (_, low, high) = self.demand, self.capacity
        if most <= low:
            return "pass"
        return "fail" if least > high else "undecided"


@accepts_path
@shared_keywords(Bootstrap)
def standards(
    ds: xr.Dataset,
    design: float | None = None,
    *,
    rates: xr.Dataset | None = None,
    hazard: xr.Dataset | None = None,
    target: float | None = None,
    folder: str | Path = ".",
    **keywords: Unpack[BootstrapKeywords],
) -> xr.Dataset:
    """Standards judged by a study: a check, its demand and capacity, and a verdict, in each row.

    A check is passed if the interval of its demand ends below that of its capacity, failed if it begins
    above, and undecided otherwise. With a design motion: the acceptance of ASCE/SEI 43, at most 1 % at the
    design motion and 10 % at 1.5 times it, by the accepted curve (`mcrock.statistics.accepted_curve`); the
    checks of `checks_of_body` that deny overturning, and in a study with friction the sliding distance by
    A.1 next to the simulated one, with the median of the recordings scaled to the design motion as demand.
    With a target: the annual rate that is given, and the median that the accepted curve would need,
    stretched along the intensity.

    Parameters
    ----------
    ds : Dataset
        As for `fit_fragility`; the runs of a nested study are pooled.
    design : float, optional
        Intensity of the design motion, as from `design_intensity`.
    rates, hazard, target : optional
        From `annual_rate`, or `mcrock.statistics.risk.rate_with_support`, of this study and `load_hazard`,
        and the annual frequency asked for [1/year].
    folder : str or Path
        Folder that the names of record files start from.
    **keywords
        As for `fit_fragility`.

    Returns
    -------
    Dataset
        Along `check`: `demand`, `demand_interval` (bound), `capacity`, `capacity_interval` (bound) in the
        unit `units`, `verdict` and `source`. Attribute `notes`: what no run supports, or could not be
        checked, a line each; others hold the body. Along `recording` what demands are the medians of: `pga`,
        `pgv` and `sa`, and of A.1 `vertical_peak`, `sliding_frequency` and `sliding_distance`.

    Raises
    ------
    ValueError
        As `fit_fragility`; if the design motion or the target is not > 0.
    """
    how = Bootstrap(**keywords)
    for name, value in (("design motion", design), ("target frequency", target)):
        if value is not None and not (np.isfinite(value) and value > 0):
            raise ValueError(f"the {name} must be finite and > 0, got {value!r}")
    accepted, notes, rows = accept_curve(ds, how), list[str](), list[JudgedCheck]()
    ordinates: dict[str, Any] = {}
    if design is not None:
        rows += _acceptance(accepted, design, notes)
        try:
            rows += _at_design(accepted.ds, design, folder, notes, how.level, ordinates)
        except ConfigError as error:
            notes.append(
                f"no checks of the body: {error.mistakes[0]}; give the folder of the study file (--folder)"
            )
    if rates is not None and hazard is not None and target is not None:
        if not USUAL[0] <= target <= USUAL[1]:
            notes.append(
                f"the target frequency allows {failure_of(rates)} once in {1 / target:.3g} years: usual ones "
                f"lie between {USUAL[0]:g} and {USUAL[1]:g} [1/year]"
            )
        judged = accept_curve(by_falling(ds), how) if "crosses" in rates.attrs else accepted
        rows += _against_target(judged, rates, hazard, target)
    body = {name: median_of(accepted.ds, name) for name in (*BODY, FRICTION) if name in accepted.ds}
    found = _table(rows, {"level": how.level, "notes": "\n".join(notes)} | body)
    return found.assign({name: ("recording", *item) for name, item in ordinates.items()})


def _acceptance(accepted: AcceptedCurve, design: float, notes: list[str]) -> list[JudgedCheck]:
    """Intensities at which the accepted curve has the probabilities of ASCE/SEI 43."""
    units, rows, words = axis_attrs(accepted.ds).get("units", "1"), [], FAMILIES[accepted.choice.family].words
    weakest, strongest = accepted.support
    if accepted.choice.family != "lognormal":
        notes.append(f"{accepted.choice.why}: capacities are those of {words}")
    for factor, most in ACCEPTANCE:
        at = accepted.curve.reached(most)
        if np.isfinite(at) and not weakest <= at <= strongest:
            notes.append(f"no run supports {words} where it has {100 * most:g} %: its tail is an assumption")
        check = f"at most {100 * most:g} % at {'' if factor == 1 else f'{factor:g} times '}the design motion"
        capacity = (at, *accepted.reached_interval(most))
        rows.append(JudgedCheck(check, (factor * design,) * 3, capacity, units, f"{ASCE}, 1.3"))
    return rows


def _at_design(
    ds: xr.Dataset,
    design: float,
    folder: str | Path,
    notes: list[str],
    level: float,
    ordinates: dict[str, Any],
) -> list[JudgedCheck]:
    """Checks of the body, and how far it slides, in the recordings scaled to the design motion.

    ``ordinates`` gets what their demands are the medians of: values and attributes of variables.
    """

    def keep(name: str, values: Sequence[float], units: str, words: str) -> Three:
        ordinates[name] = list(values), {"units": units, "long_name": words, "digits": "curve"}
        return _median(values, level)

    study_measure = motions = None
    if has_records(ds):
        study_measure, motions = motions_at(ds, design, folder)
    if motions is None or own_measure(ds) != study_measure:
        notes.append("checks of the body need recordings and the study's own intensity measure: left out")
        return []
    rows, (checks, gravity) = [], checks_of_medians(ds)
    ordinates["recording"] = ([motion.name for motion in motions],)
    for name, check in checks.items():
        if name not in JUDGED:
            continue
        kept = {"measure": check.measure} if isinstance(check.measure, str) else dict(check.measure)
        key, words = kept.pop("measure"), WORDS[name]
        if kept:
            words += f"({kept['period']:.3g} s, {100 * kept['damping']:.2g} %)"
        units = "m s-1" if key == "pgv" else "m s-2"
        demand = keep(key, [intensity(motion, key, **kept) for motion in motions], units, words)
        rows.append(JudgedCheck(words, demand, (check.capacity,) * 3, units, check.source))
    friction = median_of(ds, FRICTION) if FRICTION in ds else nan
    if not np.isfinite(friction):
        return rows
    limit = displacement_limit(ds)
    capacity = (nan, 0.0, np.inf) if limit is None else (limit,) * 3
    if limit is None:
        notes.append("how far the body may slide is not said: give [limits] displacement of the study")
    source = "ASCE/SEI 43-05 A.1"
    try:
        far, down, often = zip(*(_reserve_energy(one, friction, gravity) for one in motions), strict=True)
        keep("vertical_peak", down, "m s-2", "A_V")
        keep("sliding_frequency", often, "Hz", "f_es")
        words = "sliding distance by reserve energy"
        rows.append(JudgedCheck(words, keep("sliding_distance", far, "m", words), capacity, "m", source))
    except ValueError as error:
        notes.append(str(error))
    moved = _simulated(ds, design)
    if moved is None:
        notes.append("no simulated sliding distance: the design motion is not a level of the study")
    else:
        rows.append(
            JudgedCheck(
                "sliding distance, simulated",
                _median(moved, level),
                capacity,
                "m",
                "median run of each recording",
            )
        )
    return rows


def _simulated(ds: xr.Dataset, design: float) -> np.ndarray | None:
    """Median displacement of the runs of each recording at the design motion (n_record,) [m].

    That of a run that overturned counts as inf; None where it was not kept or the motion is no level.
    """
    if is_cloud(ds) or PEAK not in ds or not np.isclose(ds["intensity"], design, rtol=1e-6).any():
        return None
    part = (
        ds[["outcome", PEAK, "record"]]
        .isel(intensity=int(np.abs(ds["intensity"].values - design).argmin()))
        .load()
    )
    far = part[PEAK].where(part["outcome"] != Outcome.OVERTURNED, np.inf)
    records: np.ndarray = far.groupby(part["record"]).median(skipna=True).values.round(LEAST_DIGITS)
    return records[~np.isnan(records)]


def _median(values: Sequence[float] | np.ndarray, level: float) -> Three:
    """Median of independent values with its interval by order statistics."""
    ordered = np.sort(np.asarray(values, float))
    n = len(ordered)
    k = int(np.searchsorted(bdtr(np.arange(n + 1), n, 0.5), (1 - level) / 2))
    ends = (0.0, np.inf) if k == 0 else (float(ordered[k - 1]), float(ordered[n - k]))
    return float(np.median(ordered)), *ends


def _against_target(
    accepted: AcceptedCurve, rates: xr.Dataset, hazard: xr.Dataset, target: float
) -> list[JudgedCheck]:
    """The rate for a target frequency, and the median that the accepted curve needs."""
    one = accepted_rate(rates)
    (low, high), (most, is_bound) = one["rate_interval"].values.tolist(), largest_rate(one)
    found = (float(one["rate"]), low, most if is_bound else high)
    rows = [
        JudgedCheck(f"annual rate of {failure_of(rates)}", found, (target,) * 3, "1/a", "target frequency")
    ]
    words, half = FAMILIES[accepted.choice.family].words, accepted.curve.reached(0.5)
    if not np.isfinite(half):
        return rows
    x, rate = hazard["hazard_intensity"].values, hazard["rate"].sel(hazard=MEAN).values
    need = _scale(lambda median: accepted.rate(x * half / median, rate), x, target)
    if np.isfinite(need) and not is_bound:
        median, units = (half, *accepted.reached_interval(0.5)), axis_attrs(accepted.ds).get("units", "1")
        rows.append(JudgedCheck("median for the target", (need,) * 3, median, units, f"hazard, {words}"))
    return rows


def _table(rows: list[JudgedCheck], attrs: dict[str, object]) -> xr.Dataset:
    demand, capacity = np.array([[row.demand, row.capacity] for row in rows]).reshape(-1, 2, 3).swapaxes(0, 1)
    result = table(
        {
            "demand": ("check", demand[:, 0]),
            "demand_interval": (("bound", "check"), demand[:, 1:].T),
            "capacity": ("check", capacity[:, 0]),
            "capacity_interval": (("bound", "check"), capacity[:, 1:].T),
            "verdict": ("check", [row.verdict for row in rows]),
            "units": ("check", [row.units for row in rows]),
            "source": ("check", [row.source for row in rows]),
        },
        coords={"check": [row.check for row in rows]},
        attrs=attrs,
    )
    for name in ("demand", "capacity"):
        del (
            result[name].attrs["units"],
            result[f"{name}_interval"].attrs["units"],
        )  # they are those of the row
    return result
