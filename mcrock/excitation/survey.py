"""What an engineer looks at before using a record: its measures, and what about it is suspicious.

Nothing here changes or refuses a record. A flag says what is unusual and how large it is; whether it
matters is for the reader of the flag.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import degrees
from typing import Any, NamedTuple

import numpy as np

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.excitation.measures import (
    MEASURES,
    displacement_of,
    intensity,
    peak_displacement,
    peak_velocity,
    velocity_of,
)
from mcrock.excitation.motion import FloatArray, Motion, MotionError
from mcrock.excitation.readers.assemble import skew

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
