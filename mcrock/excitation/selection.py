"""Recordings for a site: chosen so that their spectra have the mean and the spread of a target.

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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mcrock.base.tables.parsing import separator_of, with_points
from mcrock.base.units import ACCELERATIONS, plain_number
from mcrock.excitation.measures import intensity
from mcrock.excitation.motion import FloatArray, Motion, MotionError
from mcrock.excitation.readers.read import failing_in_words
from mcrock.excitation.synthesis.target_spectrum import read_spectrum

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
