"""Recordings for a study: surveyed for suspicious features, and selected to match a target spectrum.

The survey changes and refuses nothing: a flag says what is unusual and how large it is. The selection has
the mean and the spread of a target.

Jayaram, N., Lin, T. and Baker, J. W. (2011). A computationally efficient ground-motion selection algorithm
for matching a target response spectrum mean and variance. Earthquake Spectra 27(3), 797-815.

Baker, J. W. and Lee, C. (2018). An improved algorithm for selecting ground motions to match a conditional
spectrum. Journal of Earthquake Engineering 22(4), 708-723.

Baker, J. W. and Jayaram, N. (2008). Correlation of spectral acceleration values from NGA ground motion
models. Earthquake Spectra 24(1), 299-317.
"""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from math import degrees
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.base.tables.parsing import separator_of, with_points
from mcrock.base.units import ACCELERATIONS, plain_number
from mcrock.excitation.measures import (
    MEASURES,
    displacement_of,
    intensity,
    peak_displacement,
    peak_velocity,
    velocity_of,
)
from mcrock.excitation.motion import FloatArray, Motion, MotionError
from mcrock.excitation.readers.read import failing_in_words, skew
from mcrock.excitation.spectrum_compatible import read_spectrum

COLUMNS = ("pga", "pgv", "pgd", "arias", "d5_95", "tm")  # measures

LARGEST_PGA = 3.0 * STANDARD_GRAVITY  # [m/s2]; hardly a record of an earthquake exceeds it
SMALLEST_PGA = 1e-3 * STANDARD_GRAVITY  # [m/s2]; below, nothing rocks
EDGE = 0.05  # first or last sample over the peak [1]
RESIDUAL_VELOCITY = 0.1  # velocity at the end over the peak velocity [1]
SMALL_VELOCITY = 1e-3  # [m/s]; not worth a flag
DRIFT = 0.5  # displacement at the end over the peak displacement [1]
SMALL_DRIFT = 0.1  # [m]; not worth a flag
CLIPPED_RUN = 3  # equal samples at the extreme in a row
CLIPPED_SAMPLES = 4  # equal samples at the extreme in separate places
CLIPPED_JUMP = 10  # steps to and from such a place, in resolutions of the record: a smooth peak has about 2
SPIKE = 3.0  # largest sample over the next largest, both neighbours included [1]
LONGEST_STEP = 0.02  # [s]
SHORTEST = 2.0  # [s]
SKEW = 1.0  # deviation of the horizontal components from a right angle [deg]


@dataclass(frozen=True)
class Survey:
    """A motion with its measures and flags.

    Parameters
    ----------
    motion : Motion
    values : dict
        Of each measure in `COLUMNS`: PGA [m/s2], PGV [m/s], PGD [m], Arias intensity [m/s], D5-95 [s] and
        Tm [s], the geometric mean of the horizontal components as they were recorded; NaN where there is
        none.
    flags : tuple of str
        What is suspicious.
    """

    motion: Motion
    values: dict[str, float]
    flags: tuple[str, ...]


def survey(motions: Sequence[Motion], progress: Callable[[int, int], None] | None = None) -> list[Survey]:
    """Measures and flags of some motions, which are also compared with one another.

    `progress` is called with the numbers of motions done and given.

    Examples
    --------
    >>> cut_off = Motion([[0.0, 1.0, 2.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], dt=1.0, name="cut off")
    >>> for flag in survey([cut_off])[0].flags:
    ...     print(flag)
    the time step of 1 s is longer than 0.02 s: short periods are lost
    x: the record ends at 100 % of its peak acceleration
    x: the ground has 2 m/s at the end, 100 % of its peak velocity, and would go on with it
    x: the ground ends 1.3 m from where it began: lasting offset, or the baseline?
    one horizontal component only
    """
    first: dict[bytes, str] = {}
    surveys = []
    for motion in motions:
        flags = suspicions(motion)
        print_of = sha256(motion.acceleration.tobytes()).digest()
        if print_of in first:
            flags.append(f"the same samples as '{first[print_of]}'")
        first.setdefault(print_of, motion.name)
        surveys.append(
            Survey(motion, {name: _or_nan(intensity, motion, name) for name in COLUMNS}, tuple(flags))
        )
        if progress:
            progress(len(surveys), len(motions))
    return surveys


def component_values(motion: Motion) -> dict[str, dict[str, float]]:
    """Measures of each component that is not zero throughout, by the name of its axis."""
    return {
        axis: {name: _or_nan(MEASURES[name].function, samples, motion.dt) for name in COLUMNS}
        for axis, samples in zip("xyz", motion.acceleration, strict=True)
        if samples.any()
    }


def suspicions(motion: Motion) -> list[str]:
    """Suspicious features of a motion, by its samples and by what its reader remarked."""
    flags = [remark for remark in str(motion.metadata.get("remarks", "")).split("; ") if remark]
    if motion.dt > LONGEST_STEP * (1 + 1e-9):
        flags.append(
            f"the time step of {motion.dt:g} s is longer than {LONGEST_STEP:g} s: short periods are lost"
        )
    if motion.duration < SHORTEST:
        flags.append(f"{motion.duration:.3g} s long, shorter than {SHORTEST:g} s")
    peak = float(np.abs(motion.acceleration).max()) / STANDARD_GRAVITY
    if 0 < peak < SMALLEST_PGA / STANDARD_GRAVITY:
        flags.append(f"PGA {peak:.2g} g; is the unit right?")
    found: dict[str, dict[str, Finding]] = {}
    for axis, samples in zip("xyz", motion.acceleration, strict=True):
        recorded = samples[: _recorded(samples)]
        if recorded.any():
            for kind, finding in _findings(recorded, motion.dt).items():
                found.setdefault(kind, {})[axis] = finding
        elif axis not in str(motion.metadata.get("missing", "xyz")):
            flags.append(f"{axis}: zero throughout")
    for findings in found.values():
        worst = max(findings.values(), key=lambda finding: finding.size)
        flags.append(f"{', '.join(findings)}: {worst.words}")
    return flags + _of_pair(motion)


def _recorded(samples: FloatArray) -> int:
    """Number of samples before the zeros with which a component is continued."""
    nonzero = np.flatnonzero(samples)
    # one zero at the end belongs to the record: it is how many of them end
    return min(int(nonzero[-1]) + 2, len(samples)) if len(nonzero) else 0


class Finding(NamedTuple):
    """Something suspicious about a component; of several components the largest is told."""

    size: float
    words: str


def _findings(samples: FloatArray, dt: float) -> dict[str, Finding]:
    """Suspicious features of a component that is not zero throughout, by its kind."""
    size = np.abs(samples)
    peak = float(size.max())
    found = {}
    if peak > LARGEST_PGA:
        found["large"] = Finding(peak, f"PGA {peak / STANDARD_GRAVITY:.3g} g; is the unit right?")
    if np.ptp(samples) == 0:
        return found | {"constant": Finding(peak, "all samples are equal")}
    for kind, share in (("begins", size[0] / peak), ("ends", size[-1] / peak)):
        if share > EDGE:
            found[kind] = Finding(share, f"the record {kind} at {_percent(share)} of its peak acceleration")
    left, largest = abs(float(velocity_of(samples, dt)[-1])), peak_velocity(samples, dt)
    if left > max(RESIDUAL_VELOCITY * largest, SMALL_VELOCITY):
        found["velocity"] = Finding(
            left,
            f"the ground has {left:.2g} m/s at the end, {_percent(left / largest)} of its peak velocity, and "
            "would go on with it",
        )
    drift = abs(float(displacement_of(samples, dt)[-1]))
    if drift > max(DRIFT * peak_displacement(samples, dt), SMALL_DRIFT):
        found["drift"] = Finding(
            drift, f"the ground ends {drift:.2g} m from where it began: lasting offset, or the baseline?"
        )
    clipped = _clipped(samples)
    if clipped:
        found["clipped"] = clipped
    second = float(np.partition(size, -2)[-2])
    if peak > SPIKE * second:
        time = int(size.argmax()) * dt
        words = f"{peak / second:.2g} times any other" if second > 0 else "alone, all others are zero"
        found["spike"] = Finding(peak, f"a single sample at {time:g} s is {words}")
    return found


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _clipped(samples: FloatArray) -> Finding | None:
    """Equal samples at the largest or smallest value that no smooth peak has.

    Either several in a row, or, where the time step is too long for that, in separate places; these
    only if fewer samples lie just below, as a coarse record reaches its extreme by chance, and then
    the values next to it more often.
    """
    steps = np.abs(np.diff(samples))
    resolution = float(steps[steps > 0].min())
    longest = most = places = 0
    for signed in (samples, -samples):
        extreme = signed.max()
        at = np.concatenate([[False], signed == extreme, [False]])
        starts, ends = np.flatnonzero(at[1:] & ~at[:-1]), np.flatnonzero(at[:-1] & ~at[1:])
        before = np.where(starts > 0, steps[starts - 1], 0.0)
        after = np.where(ends < len(samples), steps[np.minimum(ends, len(steps)) - 1], 0.0)
        jumps = before + after >= CLIPPED_JUMP * resolution
        if extreme == 0 or not jumps.any():
            continue
        runs = (ends - starts)[jumps]
        longest = max(longest, int(runs.max()))
        close = extreme - (CLIPPED_JUMP + 0.5) * resolution
        below = np.count_nonzero((signed >= close) & (signed < extreme))
        if runs.sum() > max(most, below):
            most, places = int(runs.sum()), len(runs)
    if longest >= CLIPPED_RUN:
        return Finding(longest, f"{longest} samples in a row at the same extreme: clipped?")
    if most >= CLIPPED_SAMPLES:
        return Finding(most, f"{most} samples at the same extreme in {places} places: clipped?")
    return None


def _of_pair(motion: Motion) -> list[str]:
    """Suspicious features of the components together."""
    x, y, _ = motion.acceleration
    flags = []
    if not motion.acceleration.any():
        flags.append("zero throughout")
    elif not (x.any() or y.any()):
        flags.append("no horizontal component")
    elif not (x.any() and y.any()):
        flags.append("one horizontal component only")
    elif np.array_equal(x, y) or np.array_equal(x, -y):
        flags.append("the horizontal components are the same")
    angle = skew(motion)
    if angle is not None and degrees(angle) > SKEW:
        flags.append(f"the horizontal components are {degrees(angle):.0f} deg off a right angle")
    return flags


def _or_nan(measure: Callable[..., float], *arguments: Any) -> float:
    """A measure, NaN where there is none."""
    try:
        return float(measure(*arguments))
    except MotionError:
        return float("nan")


DAMPING = 0.05  # of all spectra [1]
LOOPS = 4  # passes of the optimization, at most
SPREAD = 2.0  # weight of the errors of the standard deviation, that of the mean being 1 (Baker and Lee 2018)
BY_LEVEL = {
    "magnitude": 1.0,
    "distance": 1000.0,
    "vs30": 1.0,
}  # limits that can be asked for, and their unit in SI
FACTS = {
    "magnitude": "magnitude",
    "distance": "distance_rupture",
    "vs30": "vs30",
}  # in the metadata of a motion
UNKNOWN = "? "  # begins the event of a recording that says none, which counts as one of its own
PULSE = "pulse"  # fact of the tables of PEER: the period of the pulse, where there is one


class FlatFile(NamedTuple):
    """Columns of a flat file, in small letters; of several the first that a row has counts."""

    name: tuple[str, ...]  # whose cells together name a recording
    event: tuple[str, ...]
    facts: dict[str, tuple[str, ...]]
    spectrum: str  # pattern of the columns of the spectrum, with the period
    unit: str  # of its values


# as in the headers of NGA-West2 (RotD50, 5 %), of the flat file of ESM of 2018, whose format that of ITA18
# has, and of the answers of the web service of ESM
FLAT = (
    FlatFile(
        ("record sequence number",),
        ("eqid",),
        {
            "magnitude": ("earthquake magnitude",),
            "distance": ("clstd (km)",),
            "vs30": ("vs30 (m/s) selected for analysis",),
            PULSE: ("tp",),
        },
        r"t(\d+\.\d+)s",
        "g",
    ),
    FlatFile(
        ("network_code", "station_code"),
        ("event_id", "esm_event_id"),
        {
            "magnitude": ("mw", "emec_mw"),
            "distance": ("epi_dist",),
            "vs30": ("vs30_m_sec", "vs30_m_s", "vs30_m_sec_wa", "vs30_m_s_wa"),
        },
        r"rotd50_t(\d+_\d+)",
        "cm/s2",
    ),
)


class Candidates(NamedTuple):
    """Recordings that may be chosen."""

    names: list[str]
    events: list[str]
    facts: dict[str, FloatArray]  # by the names of `BY_LEVEL` (n,), in SI; NaN where not known; maybe `PULSE`
    log_spectra: FloatArray  # (n, n_period), of the geometric mean or RotD50 [ln m/s2]


@dataclass(frozen=True, kw_only=True)
class Target:
    """Spectrum that the set is to have: mean and standard deviation of the logarithm at some periods.

    Attributes
    ----------
    periods : ndarray (n_period,)
        [s].
    log_mean, log_std : ndarray (n_period,)
        Of the pseudo-acceleration at 5 % damping, [ln m/s2] and [1].
    condition : int, optional
        Place of the period to whose value every recording is scaled; None for a uniform hazard spectrum.
    """

    periods: FloatArray
    log_mean: FloatArray
    log_std: FloatArray
    condition: int | None = None


@dataclass(frozen=True, kw_only=True)
class RecordLimits:
    """What a recording must keep to.

    Attributes
    ----------
    ranges : mapping
        Smallest and largest `magnitude` [1], `distance` [m] (to the rupture; in ESM to the epicentre) and
        `vs30` [m/s].
    largest_factor : float
        By which a recording is scaled up, or down by its inverse [1].
    per_event : int
        Recordings of one earthquake at most.
    pulses : bool, optional
        Whether all have a pulse, or none.
    """

    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    largest_factor: float = 4.0
    per_event: int = 3
    pulses: bool | None = None


class Selection(NamedTuple):
    """Recordings chosen, by their places among the candidates, and the factors on them."""

    places: np.ndarray  # (n,)
    factors: FloatArray  # (n,) [1]
    log_mean: FloatArray  # (n_period,) of the set, scaled
    log_std: FloatArray  # (n_period,)
    allowed: int  # candidates that keep to the limits


def baker_jayaram_2008(one: ArrayLike, other: ArrayLike) -> FloatArray:
    """Correlation of the logarithms of two spectral accelerations, from 0.01 to 10 s.

    >>> baker_jayaram_2008([0.1, 1.0, 0.05], [0.1, 0.1, 0.02]).round(4).tolist()
    [1.0, 0.2791, 0.9607]
    """
    low, high = np.minimum(one, other).astype(float), np.maximum(one, other).astype(float)
    c1 = 1 - np.cos(np.pi / 2 - 0.366 * np.log(high / np.maximum(low, 0.109)))
    with np.errstate(over="ignore"):
        c2 = 1 - 0.105 * (1 - 1 / (1 + np.exp(100 * high - 5))) * (high - low) / (high - 0.0099)
    c3 = np.where(high < 0.109, c2, c1)
    c4 = c1 + 0.5 * (np.sqrt(c3) - c3) * (1 + np.cos(np.pi * low / 0.109))
    return np.select([high <= 0.109, low > 0.109, high < 0.2], [c2, c1, np.minimum(c2, c4)], default=c4)


def conditional_spectrum(
    periods: ArrayLike, log_mean: ArrayLike, log_std: ArrayLike, period: float, epsilon: float
) -> Target:
    """Conditional spectrum of a ground-motion model, by the correlation of Baker and Jayaram (2008).

    Parameters
    ----------
    periods, log_mean, log_std : array_like (n_period,)
        [s], and the mean [ln m/s2] and standard deviation [1] of the model for the scenario (M, R).
    period : float
        At which it is conditioned [s], within those of the model; mean and standard deviation are straight in
        the logarithm of the period, and it joins the periods of the target.
    epsilon : float
        By how many standard deviations the motion is beyond the mean there [1].

    Raises
    ------
    MotionError
        If the period is beyond those of the model.
    """
    given, mean, std = (np.asarray(x, float) for x in (periods, log_mean, log_std))
    if not given[0] <= period <= given[-1]:
        raise MotionError(
            f"the condition of {period:g} s is beyond the periods of the target, {given[0]:g} to "
            f"{given[-1]:g} s"
        )
    t = np.union1d(given, [period])
    mean, std = (np.interp(np.log(t), np.log(given), x) for x in (mean, std))
    k = int(np.searchsorted(t, period))
    rho = baker_jayaram_2008(t, period)
    rho[k] = 1.0  # of which rounding leaves a spread of 1e-8
    left = std * np.sqrt(np.clip(1 - rho**2, 0.0, None))
    return Target(periods=t, log_mean=mean + rho * epsilon * std, log_std=left, condition=k)


def read_target_table(path: str | Path) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Periods [s], ln(acceleration) [ln m/s2] and its standard deviation [1] of a table.

    The first line names columns and units, as in ``period [s], median [g], sigma``; the others are numbers.

    Raises
    ------
    MotionError
        With the file and the reason.
    """
    rows = read_spectrum(Path(path), 3)
    if not ((rows[:, :2] > 0).all() and (rows[:, 2] >= 0).all()):
        raise MotionError(f"{path}: expected periods > 0 [s], accelerations > 0 and sigmas >= 0")
    return rows[:, 0], np.log(rows[:, 1]), rows[:, 2]


def candidates_of(motions: Sequence[Motion], periods: ArrayLike) -> Candidates:
    """Candidates of recordings that were read, by the geometric mean of their components."""
    spectra = [
        [intensity(motion, "sa", period=float(period), damping=DAMPING) for period in np.asarray(periods)]
        for motion in motions
    ]
    facts = {
        name: np.array([float(motion.metadata.get(fact, np.nan)) for motion in motions])
        for name, fact in FACTS.items()
    }
    periods_of_pulses = np.array([float(motion.metadata.get("pulse_period", np.nan)) for motion in motions])
    if np.isfinite(periods_of_pulses).any():
        facts[PULSE] = periods_of_pulses
    events = [str(motion.metadata.get("event", f"{UNKNOWN}{motion.group}")) for motion in motions]
    return Candidates([motion.name for motion in motions], events, facts, np.log(np.array(spectra)))


def read_flat_file(path: str | Path, periods: ArrayLike) -> Candidates:
    """Candidates of a flat file of NGA-West2 (T0.010S, in g) or of ESM and ITACA (rotD50_T0_010, in cm/s2).

    Spectra are interpolated in logarithms. Rows without one within the periods, where a cell is empty or as
    -999, are left out with a warning that names their lines.

    Raises
    ------
    MotionError
        With the columns that are missing, the line and column of a cell that is not a number, or if the
        periods of the target are beyond those of the file.
    """
    found, without = [], []
    place = Path(path)
    with place.open(encoding="utf-8-sig", newline="") as file, failing_in_words(place, "flat file"):
        first = file.readline()
        file.seek(0)
        mark = separator_of(first)
        table = csv.reader(file, delimiter=mark)
        heads = [head.strip().lower() for head in next(table, [])]
        kind, own = _kind_of_flat_file(path, heads)
        at, wanted = np.array(sorted(own)), np.asarray(periods, float)
        if wanted[0] < at[0] or wanted[-1] > at[-1]:
            raise MotionError(
                f"{path}: its spectra reach from {at[0]:g} to {at[-1]:g} s, not to those of the target"
            )
        at = at[np.searchsorted(at, wanted[0], "right") - 1 : np.searchsorted(at, wanted[-1]) + 1]
        event = next(each for each in kind.event if each in heads)
        facts = {key: columns for key, columns in kind.facts.items() if set(columns) & set(heads)}
        for row in filter(any, table):
            line, numbers = f"{path}, line {table.line_num}", row if mark == "," else map(with_points, row)
            if len(row) != len(heads):
                raise MotionError(f"{line}: expected {len(heads)} cells as in its header, got {len(row)}")
            cells = dict(zip(heads, numbers, strict=True))
            spectrum = [_first(line, cells, [own[period]]) for period in at]
            if np.isnan(spectrum).any():
                without.append(str(table.line_num))
                continue
            known = [_first(line, cells, columns) for columns in facts.values()]
            found.append((".".join(cells[each] for each in kind.name), cells[event], known, spectrum))
    reach = f"whole spectrum from {at[0]:g} to {at[-1]:g} s"
    if not found:
        raise MotionError(f"{path}: no row has a {reach}")
    if without:
        lines = ", ".join(without[:9]) + ", ..." * (len(without) > 9)
        warnings.warn(f"{path}: rows without a {reach} are left out, of lines {lines}", stacklevel=2)
    names, events, values, spectra = zip(*found, strict=True)
    logs = np.log(np.array(spectra) * ACCELERATIONS[kind.unit])
    return Candidates(
        [*names],
        [*events],
        {key: BY_LEVEL.get(key, 1.0) * each for key, each in zip(facts, np.transpose(values), strict=True)},
        np.array([np.interp(np.log(wanted), np.log(at), log) for log in logs]),
    )


def _kind_of_flat_file(path: str | Path, heads: list[str]) -> tuple[FlatFile, dict[float, str]]:
    """What a flat file is, by its columns, and that of the spectrum at each period [s]."""
    for kind in FLAT:
        found = {head: m for head in heads if (m := re.fullmatch(kind.spectrum, head))}
        if len(found) < 2:
            continue
        needed = [(each,) for each in kind.name] + [kind.event]
        needed += [kind.facts[name] for name in BY_LEVEL]
        missing = [" or ".join(map(repr, each)) for each in needed if not set(each) & set(heads)]
        if missing:
            raise MotionError(f"{path}: missing columns {', '.join(missing)}, in capital or small letters")
        return kind, {float(m[1].replace("_", ".")): head for head, m in found.items()}
    raise MotionError(f"{path}: no columns of a spectrum, such as T0.010S [g] or rotD50_T0_010 [cm/s2]")


def _first(place: str, cells: dict[str, str], columns: Sequence[str]) -> float:
    """The first number > 0 of some cells of a row; NaN where there is none, as with -999."""
    for column in columns:
        try:
            text = cells.get(column, "").strip()
            if text.lower() not in ("", "nan") and (number := plain_number(text)) > 0:
                return number
        except ValueError as error:
            raise MotionError(f"{place}, column {column!r}: {error}") from None
    return np.nan


def select(
    candidates: Candidates, target: Target, number: int, limits: RecordLimits | None = None
) -> Selection:
    """Choose recordings whose scaled spectra have the mean and the standard deviation of a target.

    After Jayaram et al. (2011): starting from the recordings nearest to the mean, each is exchanged for the
    candidate that leaves the least sum over the periods of the squared errors of mean and, twice, standard
    deviation, until a pass changes nothing. For a conditional spectrum recordings are scaled to its value at
    that period, for others to the target on average.

    Parameters
    ----------
    candidates : Candidates
    target : Target
    number : int
        Of recordings, at least 2.
    limits : RecordLimits, optional

    Raises
    ------
    MotionError
        If too few candidates keep to the limits, with how many each of them leaves, or a limit asks for
        what is not known of any.
    """
    keep = limits or RecordLimits()
    logs = candidates.log_spectra
    off = target.log_mean - logs
    shift = off.mean(axis=1) if target.condition is None else off[:, target.condition]
    tests = {"scale factor": np.abs(shift) <= np.log(keep.largest_factor)}
    for name, (least, most) in keep.ranges.items():
        if np.isnan(candidates.facts[name]).all():
            raise MotionError(f"no recording says its {name}, which is asked to be {least:g} to {most:g}")
        tests[name] = (candidates.facts[name] >= least) & (candidates.facts[name] <= most)
    if keep.pulses is not None:
        if PULSE not in candidates.facts:
            raise MotionError(
                "no recording says that it has a pulse; a flat file of NGA-West2 does, in its column 'Tp', "
                "and the table of a PEER download"
            )
        tests[PULSE] = np.isfinite(candidates.facts[PULSE]) == keep.pulses
    allowed = np.flatnonzero(np.logical_and.reduce(list(tests.values())))
    events = np.unique(candidates.events, return_inverse=True)[1]
    most = int(np.minimum(np.bincount(events[allowed], minlength=1), keep.per_event).sum())
    if number < 2 or most < number:
        left = ", ".join(f"{name} leaves {int(test.sum())}" for name, test in tests.items())
        raise MotionError(
            f"{number} recordings cannot be chosen: of {len(logs)} candidates {left}, all together "
            f"{len(allowed)}, and {most} with at most {keep.per_event} of an earthquake; widen the limits"
        )
    x = (logs + shift[:, None])[allowed]
    chosen = _exchanged(x, events[allowed], target, number, keep.per_event)
    scaled = x[chosen]
    return Selection(
        allowed[chosen],
        np.exp(shift[allowed[chosen]]),
        scaled.mean(axis=0),
        scaled.std(axis=0, ddof=1),
        len(allowed),
    )


def _exchanged(x: FloatArray, events: np.ndarray, target: Target, number: int, per_event: int) -> np.ndarray:
    """Places (number,) of spectra (n, n_period), with at most ``per_event`` of each event."""
    near, chosen = np.argsort(((x - target.log_mean) ** 2).sum(axis=1)), list[int]()
    for i in near:
        if len(chosen) < number and sum(events[j] == events[i] for j in chosen) < per_event:
            chosen.append(int(i))
    for _ in range(LOOPS):
        before = list(chosen)
        for slot in range(number):
            rest = chosen[:slot] + chosen[slot + 1 :]
            mean = (x[rest].sum(axis=0) + x) / number
            square = ((x[rest] ** 2).sum(axis=0) + x**2) / number
            std = np.sqrt(np.clip(square - mean**2, 0.0, None) * number / (number - 1))
            error = ((mean - target.log_mean) ** 2 + SPREAD * (std - target.log_std) ** 2).sum(axis=1)
            full = np.bincount(events[rest], minlength=events.max() + 1) >= per_event
            error[full[events]] = np.inf
            error[rest] = np.inf
            chosen[slot] = int(error.argmin())
        if chosen == before:
            break
    return np.array(chosen)
