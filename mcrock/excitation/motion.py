"""One ground motion: three components of ground acceleration on a uniform time step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import cos, sin
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcrock.base.checks import Number, Rule, check_array, check_fields, is_plain, suggest_keyword

FloatArray = NDArray[np.float64]
MOST_SAMPLES = 2_000_000  # of a motion that is made or lengthened: 48 MB, 2000 s in steps of 1 ms
LARGEST = 1e60  # acceleration [m/s2] and time step [s]; with much more velocities and energies overflow
# of any file, whose header may give a rate for a step, or ms for s: 100 kHz of drop tests to 1 Hz of GPS
TIME_STEP = Number("s", least=1e-5, most=1.0)
NO_SHAKING = 1e-9  # share of the largest peak below which a component is what rounding left of none


class MotionError(ValueError):
    """A ground motion that cannot be read or used; the message names the file or motion and the reason."""


@suggest_keyword
@dataclass(frozen=True, eq=False, repr=False)
class Motion:
    """Acceleration of the ground, linear between samples and zero after the last.

    Parameters
    ----------
    acceleration : array_like (3, n_time)
        Ground acceleration along ground x, y and z (up) [m/s2], finite, at least two samples. Kept
        as a read-only float64 copy.
    dt : float
        Time step [s]; the first sample is at time 0.
    name : str
        What messages, datasets and figures call the motion.
    group : str
        Recording the motion comes from. Motions of one group are dependent, which statistics have
        to know; by default a motion is its own group.
    metadata : dict
        Facts about the recording, in SI units. Scaling and rotation do not change them.

    Raises
    ------
    MotionError
        If the samples are not (3, n_time) finite numbers, or `dt` is not finite and positive, or one is
        beyond 1e60.

    Examples
    --------
    >>> shake = Motion([[0.0, 2.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]], dt=0.5, name="shake")
    >>> shake
    Motion('shake', 1 s at 0.5 s, peaks 2, 1, 0 m/s2)
    >>> shake.duration, shake.group
    (1.0, 'shake')
    >>> shake.scaled(-0.5).acceleration[0].tolist()
    [-0.0, -1.0, -0.0]
    """

    acceleration: FloatArray
    dt: float
    name: str
    group: str = ""
    metadata: Mapping[str, str | float] = field(default_factory=dict)

    def __repr__(self) -> str:
        peaks = ", ".join(f"{peak:.3g}" for peak in np.abs(self.acceleration).max(axis=1))
        return f"Motion({self.name!r}, {self.duration:.6g} s at {self.dt:g} s, peaks {peaks} m/s2)"

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and self.name and is_plain(self.name)):
            raise MotionError(
                f"Motion.name must be a non-empty text without control characters, got {self.name!r}"
            )
        acceleration = _samples(self.acceleration, self.name)
        dt = checked(Number("s", above=0.0, most=LARGEST), f"motion '{self.name}': dt", self.dt)
        acceleration.setflags(write=False)
        object.__setattr__(self, "acceleration", acceleration)
        object.__setattr__(self, "dt", dt)
        object.__setattr__(self, "group", self.group or self.name)
        object.__setattr__(self, "metadata", dict(self.metadata))

    @property
    def duration(self) -> float:
        """Time of the last sample [s]."""
        return float((self.acceleration.shape[1] - 1) * self.dt)

    @property
    def time(self) -> FloatArray:
        """Times of the samples, ndarray (n_time,) [s]."""
        return np.arange(self.acceleration.shape[1], dtype=np.float64) * self.dt

    @property
    def shaken(self) -> tuple[bool, bool, bool]:
        """Whether the ground moves along x, y and z.

        A peak below 1e-9 of the largest is none: a turn by 180 degrees leaves 1e-16 of the other component.

        >>> Motion([[0.0, 2.0], [0.0, 3e-16], [0.0, 0.5]], dt=0.5, name="shake").shaken
        (True, False, True)
        """
        peaks = np.abs(self.acceleration).max(axis=1)
        x, y, z = (peaks > NO_SHAKING * peaks.max()).tolist()
        return x, y, z

    def scaled(self, factor: float) -> Motion:
        """Return the motion with every acceleration multiplied by `factor` [1], which may be negative.

        Raises
        ------
        MotionError
            If `factor` is not finite.
        """
        checked(Number("1"), f"motion '{self.name}': the factor", factor)
        return replace(self, acceleration=factor * self.acceleration)

    def rotated(self, azimuth: float) -> Motion:
        """Return the motion with its horizontal pair turned by `azimuth` [rad].

        The turn is counter-clockwise seen from above: shaking along ground x comes to act along
        the direction (cos azimuth, sin azimuth). The vertical component stays.

        Raises
        ------
        MotionError
            If `azimuth` is not finite.

        Examples
        --------
        >>> from math import pi
        >>> shake = Motion([[0.0, 2.0], [0.0, 0.0], [0.0, 1.0]], dt=0.5, name="shake")
        >>> shake.rotated(pi / 2).acceleration[:, 1].round(12).tolist()
        [0.0, 2.0, 1.0]
        """
        checked(Number("rad"), f"motion '{self.name}': the azimuth", azimuth)
        x, y, z = self.acceleration
        c, s = cos(azimuth), sin(azimuth)
        return replace(self, acceleration=np.stack([c * x - s * y, s * x + c * y, z]))


def changed(motion: Motion, acceleration: ArrayLike, step: str, dt: float | None = None) -> Motion:
    """Return the motion with new samples and a phrase more in its history.

    Parameters
    ----------
    motion : Motion
        Gives name, group and metadata.
    acceleration : array_like (3, n_time)
        [m/s2].
    step : str
        What was done, for ``metadata["history"]``, where steps are separated by semicolons.
    dt : float, optional
        New time step [s].

    Examples
    --------
    >>> shake = Motion([[0.0, 2.0], [0.0, 0.0], [0.0, 1.0]], dt=0.5, name="shake")
    >>> twice = changed(changed(shake, -shake.acceleration, "sign reversed"), [[0, 1]] * 3, "replaced")
    >>> twice.metadata["history"]
    'sign reversed; replaced'
    """
    before = motion.metadata.get("history", "")
    history = f"{before}; {step}" if before else step
    samples, facts = np.asarray(acceleration, dtype=np.float64), {**motion.metadata, "history": history}
    return replace(motion, acceleration=samples, dt=motion.dt if dt is None else dt, metadata=facts)


def checked(rule: Rule, name: str, value: Any) -> Any:
    """A value that keeps a rule, as a plain one; a MotionError that names it if it does not."""
    try:
        return rule.check(name, value)
    except ValueError as error:
        raise MotionError(str(error)) from None


def checked_fields(instance: Any) -> None:
    """`rules.check_fields` with a MotionError."""
    try:
        check_fields(instance)
    except ValueError as error:
        raise MotionError(str(error)) from None


def checked_vector(name: str, value: Any, unit: str) -> tuple[float, float, float]:
    """Three finite numbers, for x, y and z."""
    try:
        x, y, z = check_array(name, value, (3,), unit).tolist()
    except ValueError as error:
        raise MotionError(f"{error}, for x, y and z") from None
    return x, y, z


def check_length(name: str, duration: float, dt: float) -> None:
    """Refuse a motion of a duration [s] with too many samples, before it is made."""
    if not duration / dt <= MOST_SAMPLES:
        raise MotionError(
            f"motion '{name}' would have {duration / dt:.3g} samples, {duration:g} s in steps of {dt:g} s, "
            f"and {MOST_SAMPLES:g} are the most"
        )


def _samples(acceleration: object, name: str) -> FloatArray:
    """Checked float64 copy of the samples of motion `name`, ndarray (3, n_time) [m/s2]."""
    try:
        samples = np.array(acceleration, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise MotionError(f"motion '{name}': acceleration must be numbers [m/s2]: {error}") from None
    if samples.ndim != 2 or samples.shape[0] != 3:
        raise MotionError(
            f"motion '{name}': acceleration must have the shape (3, n_time) for ground x, y, z, "
            f"got {samples.shape}; fill a component that was not recorded with zeros"
        )
    if samples.shape[1] < 2:
        raise MotionError(f"motion '{name}': at least 2 samples are needed, got {samples.shape[1]}")
    bad = np.argwhere(~(np.abs(samples) < LARGEST))
    if len(bad):
        axis, sample = bad[0]
        raise MotionError(
            f"motion '{name}': acceleration must be finite and below {LARGEST:g} [m/s2], "
            f"got {samples[axis, sample]} "
            f"in component {'xyz'[axis]}, sample {sample} ({len(bad)} such values in all)"
        )
    return samples
