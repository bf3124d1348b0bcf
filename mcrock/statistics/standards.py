"""Standards next to the result: a study judged at a design motion, and against a target frequency.

ASCE/SEI 43 (2005, 2019). Seismic design criteria for structures, systems, and components in nuclear
facilities: acceptance (section 1.3), and the approximate methods of appendix A (edition of 2005).

DOE-STD-1020-2002. Natural phenomena hazards design and evaluation criteria for Department of Energy
facilities, appendix C: capacity, slope of the hazard and annual frequency.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import nan, pi
from pathlib import Path
from typing import NamedTuple, Unpack

import numpy as np
import xarray as xr
from scipy.optimize import brentq
from scipy.special import bdtr

from mcrock.base.params import Outcome
from mcrock.base.units import as_written, parse_intensity_unit
from mcrock.dataset.opened import takes_path
from mcrock.excitation.measures import intensity
from mcrock.excitation.motion import Motion
from mcrock.excitation.response_spectra import rotated_spectrum
from mcrock.statistics.accepted_curve import FAMILIES, AcceptedCurve, accept_curve
from mcrock.statistics.baseline_rules import WORDS, checks_of_medians, median_of
from mcrock.statistics.efficiency import own_measure
from mcrock.statistics.hazard_files import MEAN
from mcrock.statistics.inference import Bootstrap, BootstrapKeywords, takes
from mcrock.statistics.limits import displacement_limit
from mcrock.statistics.probability import BOUNDS
from mcrock.statistics.rates import lognormal_rates
from mcrock.statistics.result_table import table
from mcrock.statistics.risk import headline_rate, largest_rate
from mcrock.statistics.run_measures import has_records, motions_at
from mcrock.statistics.runs import axis_attrs, is_cloud, run_intensity
from mcrock.study import ConfigError

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
USUAL = (1e-8, 0.1)  # target frequencies, beyond which one is asked about [1/a]
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
        wanted = {"m s-2": "0.4g", "m s-1": "0.6m/s", "1": "1.2"}.get(units, f"1 {as_written(units)}")
        raise ValueError(
            f"the design motion must be a {own_measure(ds)} > 0 with its unit, as in {wanted}, got {text!r}"
        )
    return value * unit[1]


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
            return 0.0
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
    return float(capacity * (period / (2 * pi)) ** 2)


def required_median(hazard: xr.Dataset, target: float, dispersion: float) -> float:
    """Median of the lognormal fragility of a dispersion whose annual rate is a target.

    Parameters
    ----------
    hazard : Dataset
        From `load_hazard`; its mean curve counts.
    target : float
        Annual frequency [1/a], > 0.
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


@takes_path
@takes(Bootstrap)
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
    With a target: the annual rate of overturning, and the median that the accepted curve would need,
    stretched along the intensity.

    Parameters
    ----------
    ds : Dataset
        As for `fit_fragility`; the runs of a nested study are pooled.
    design : float, optional
        Intensity of the design motion, as from `design_intensity`.
    rates, hazard, target : optional
        From `annual_rate` of this study and `load_hazard`, and the annual frequency asked for [1/a].
    folder : str or Path
        Folder that the names of record files start from.
    **keywords
        As for `fit_fragility`.

    Returns
    -------
    Dataset
        Along `check`: `demand`, `demand_interval` (bound), `capacity`, `capacity_interval` (bound) in the
        unit `units`, `verdict` and `source`. Attribute `notes`: what no run supports, or could not be
        checked, a line each.

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
    if design is not None:
        rows += _acceptance(accepted, design, notes)
        try:
            rows += _at_design(accepted.ds, design, folder, notes, how.level)
        except ConfigError as error:
            notes.append(
                f"no checks of the body: {error.mistakes[0]}; give the folder of the study file (--folder)"
            )
    if rates is not None and hazard is not None and target is not None:
        if not USUAL[0] <= target <= USUAL[1]:
            notes.append(
                f"the target frequency allows overturning once in {1 / target:.3g} years: usual ones lie "
                f"between {USUAL[0]:g} and {USUAL[1]:g} [1/a]"
            )
        rows += _against_target(accepted, rates, hazard, target)
    return _table(rows, {"level": how.level, "notes": "\n".join(notes)})


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
    ds: xr.Dataset, design: float, folder: str | Path, notes: list[str], level: float
) -> list[JudgedCheck]:
    """Checks of the body, and how far it slides, in the recordings scaled to the design motion."""
    study_measure = motions = None
    if has_records(ds):
        study_measure, motions = motions_at(ds, design, folder)
    if motions is None or own_measure(ds) != study_measure:
        notes.append("checks of the body need recordings and the study's own intensity measure: left out")
        return []
    rows, (checks, gravity) = [], checks_of_medians(ds)
    for name, check in checks.items():
        if name not in JUDGED:
            continue
        kept = {"measure": check.measure} if isinstance(check.measure, str) else dict(check.measure)
        key, words = kept.pop("measure"), WORDS[name]
        if kept:
            words += f"({kept['period']:.3g} s, {100 * kept['damping']:.2g} %)"
        demand = _median([intensity(motion, key, **kept) for motion in motions], level)
        units = "m s-1" if key == "pgv" else "m s-2"
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
        far = [sliding_distance(motion, friction, gravity) for motion in motions]
        rows.append(
            JudgedCheck("sliding distance by reserve energy", _median(far, level), capacity, "m", source)
        )
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
    """The rate of overturning for a target frequency, and the median that the accepted curve needs."""
    one = headline_rate(rates)
    (low, high), (most, is_bound) = one["rate_interval"].values.tolist(), largest_rate(rates)
    found = (float(one["rate"]), low, most if is_bound else high)
    rows = [JudgedCheck("annual rate of overturning", found, (target,) * 3, "1/a", "target frequency")]
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
        coords={"check": [row.check for row in rows], "bound": BOUNDS},
        attrs=attrs,
    )
    for name in ("demand", "capacity"):
        del (
            result[name].attrs["units"],
            result[f"{name}_interval"].attrs["units"],
        )  # they are those of the row
    return result
