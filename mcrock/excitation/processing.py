"""Processing of motions: a list of steps, each from motion to motion and named in the history; and floors.

`process` applies a list of steps, as study files give them; `STEPS` lists them with their parameters:
directions, signs and roles of components, another time step or frequency band, the significant part, and
baselines, which an instrument adds to the ground's motion and the integrals show.

`floor_motion` is what stands on a floor of a linear building feels: the acceleration of the floor in space.
Rotation of the floor, and what the body does to the building, are left out.

Boore, D. M. (2001). Effect of baseline corrections on displacements and response spectra for several
recordings of the 1999 Chi-Chi, Taiwan, earthquake. Bulletin of the Seismological Society of America 91(5),
1199-1211.

Boore, D. M. (2005). On pads and filters: processing strong-motion data. Bulletin of the Seismological
Society of America 95(2), 745-750.

Chopra, A. K. (2012). Dynamics of structures, 4th edition. Pearson. Chapters 12 and 13.

Iwan, W. D., Moser, M. A., Peng, C.-Y. (1985). Some observations on strong-motion earthquake measurement
using a digital accelerograph. Bulletin of the Seismological Society of America 75(5), 1225-1246.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import Parameter, signature
from math import ceil, degrees, floor, isfinite, log, pi, radians
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcrock.base.checks import Choice, Integer, Number, suggest
from mcrock.excitation.measures import energy_of, time_of_share, velocity_of
from mcrock.excitation.motion import (
    MOST_SAMPLES,
    FloatArray,
    Motion,
    MotionError,
    changed,
    check_length,
    checked,
    checked_vector,
)
from mcrock.excitation.response_spectra import absolute_acceleration, oscillate

ABSENT = "none"


def rotate(motion: Motion, azimuth: float) -> Motion:
    """Return the motion turned by `azimuth` [rad], as `Motion.rotated`, with a note in its history."""
    turned = motion.rotated(azimuth)
    return changed(motion, turned.acceleration, f"rotated by {degrees(azimuth):g} deg")


def reverse(motion: Motion, components: str = "xyz") -> Motion:
    """Return the motion with the sign of some components reversed, of "xyz" (all) or part of it.

    Raises
    ------
    MotionError
        If `components` is not made of x, y and z.
    """
    if not components or len({*components}) < len(components) or not {*components} <= {*"xyz"}:
        raise MotionError(
            f"motion '{motion.name}': components to reverse must be some of 'xyz', got {components!r}"
        )
    sign = np.array([-1.0 if axis in components else 1.0 for axis in "xyz"])
    return changed(motion, motion.acceleration * sign[:, None], f"sign of {components} reversed")


def assign(motion: Motion, x: str = "x", y: str = "y", z: str = "z") -> Motion:
    """Return the motion with its components in other roles.

    Parameters
    ----------
    motion : Motion
    x, y, z : str
        What acts along ground x, y and z: "x", "y" or "z" of the motion as it is, with a minus sign
        for the opposite direction, or "none" for no shaking.

    Raises
    ------
    MotionError
        If a component is unknown or used twice.

    Examples
    --------
    >>> shake = Motion([[0.0, 2.0], [0.0, 3.0], [0.0, 1.0]], dt=0.5, name="shake")
    >>> assign(shake, x="y", y="-x", z="none").acceleration[:, 1].tolist()
    [3.0, -2.0, 0.0]
    """
    chosen = {"x": x, "y": y, "z": z}
    rows = []
    for role, name in chosen.items():
        source = name.removeprefix("-")
        if name != ABSENT and (len(source) != 1 or source not in "xyz"):
            raise MotionError(
                f"motion '{motion.name}': role {role} must be x, y, z, one of them with a minus sign, or "
                f"'{ABSENT}', got {name!r}"
            )
        row = np.zeros(motion.acceleration.shape[1])
        if name != ABSENT:
            row = motion.acceleration["xyz".index(source)] * (-1.0 if name.startswith("-") else 1.0)
        rows.append(row)
    used = [name.removeprefix("-") for name in chosen.values() if name != ABSENT]
    if len({*used}) < len(used):
        raise MotionError(
            f"motion '{motion.name}': a component can have one role, got x = {x!r}, y = {y!r}, z = {z!r}"
        )
    return changed(motion, rows, "components assigned: " + ", ".join(f"{r} = {n}" for r, n in chosen.items()))


def vertical(motion: Motion, on: bool) -> Motion:
    """Return the motion with its vertical component (`on`) or without it.

    Raises
    ------
    MotionError
        If the vertical is to be on, but is zero throughout: it was not recorded, or taken away before.
    """
    if on:
        if not motion.acceleration[2].any():
            raise MotionError(f"motion '{motion.name}' has no vertical component that could be on")
        return changed(motion, motion.acceleration, "vertical on")
    return changed(motion, motion.acceleration * np.array([[1.0], [1.0], [0.0]]), "vertical off")


CROSSINGS = 64  # zeros of the sinc on each side
ATTENUATION = 80.0  # of what lies above the lower Nyquist frequency [dB]
KAISER = 0.1102 * (ATTENUATION - 8.7)  # shape of the window, Kaiser's formula
# width of the transition over its centre, from Kaiser's formula for the length of the window
TRANSITION = (ATTENUATION - 8) / (2.285 * np.pi * 2 * CROSSINGS)
BATCH = 4096  # new samples computed together
PADDING = 1.5  # times order over the lowest corner frequency [s], Boore (2005)
SAME_STEP = 1e-9  # relative difference of steps that counts as none


def resample(motion: Motion, dt: float) -> Motion:
    """Return the motion at another time step, with the frequencies that both steps can show.

    The samples are taken for those of a band-limited signal, zero before the first and after the last:
    a sinc with 64 zeros on each side under a Kaiser window is laid through them. Up to 0.92 of the lower
    Nyquist frequency nothing changes (within 1e-4), above it everything is down by 80 dB. A record that
    does not begin and end at zero rings there.

    Parameters
    ----------
    motion : Motion
        Recorded at any step; no ratio of steps is special.
    dt : float
        New step [s].

    Returns
    -------
    Motion
        Its last sample is the first at or after the old last one.

    Raises
    ------
    MotionError
        If `dt` is not finite and positive, or leaves fewer than two samples.
    """
    checked(Number("s", above=0.0), f"motion '{motion.name}': the new dt", dt)
    if dt >= motion.duration:
        raise MotionError(
            f"motion '{motion.name}': the new dt must be below the duration, {motion.duration:g} s, "
            f"got {dt:g}"
        )
    if abs(dt - motion.dt) <= SAME_STEP * motion.dt:
        return changed(motion, motion.acceleration, f"step of {dt:g} s, as it was", dt)
    phrase = f"resampled from {motion.dt:g} s to {dt:g} s"
    n_old = motion.acceleration.shape[1]
    ratio = dt / motion.dt
    check_length(motion.name, motion.duration, dt)
    n_new = ceil((n_old - 1) / ratio - SAME_STEP) + 1
    cutoff = min(1.0, 1 / ratio) / (1 + TRANSITION / 2)  # over the old Nyquist frequency
    reach = ceil(CROSSINGS / cutoff)
    padded = np.pad(motion.acceleration, ((0, 0), (reach, reach + 2 + ceil(ratio))))
    new = np.empty((3, n_new))
    offsets = np.arange(-reach + 1, reach + 1)
    for first in range(0, n_new, BATCH):
        place = np.arange(first, min(first + BATCH, n_new)) * ratio  # in old steps
        nearest = np.floor(place + SAME_STEP).astype(np.int64)
        # steps in a simple ratio meet the same few places between samples again and again
        between, which = np.unique((place - nearest).round(9), return_inverse=True)
        weights = _windowed_sinc(cutoff * (offsets - between[:, None]))
        weights /= weights.sum(axis=1, keepdims=True)
        samples = padded[:, nearest[:, None] + (offsets + reach)]
        new[:, first : first + len(place)] = np.einsum("ctk,tk->ct", samples, weights[which])
    return changed(motion, new, phrase, dt)


def bandpass(
    motion: Motion,
    low: float | None = None,
    high: float | None = None,
    order: int = 4,
    causal: bool = False,
    keep_padding: bool = False,
) -> Motion:
    """Return the motion without what lies below `low` and above `high`: a Butterworth filter.

    The zero-phase filter runs forwards and backwards and delays nothing: its gain at the corners is
    1/2, and it begins before the motion does. The causal one runs once: gain 0.707, phase of its own.
    Zeros are added before filtering, Boore's (2005) 1.5 order/low seconds (order/high without a low
    corner), on both sides or, for the causal filter, at the end. They are cut off again unless
    `keep_padding` is set; what the filter put there is then lost, and velocity and displacement do not
    end at zero.

    Parameters
    ----------
    motion : Motion
    low, high : float, optional
        Corner frequencies [Hz]; one of them may be left out.
    order : int
        Of the filter run once [1].
    causal : bool
        Whether it runs forwards only.
    keep_padding : bool
        Whether the added time stays, which then moves the record to later times.

    Raises
    ------
    MotionError
        Unless ``0 < low < high <`` the Nyquist frequency, and the order is from 1 to 10.
    """
    nyquist = 0.5 / motion.dt
    corners = [corner for corner in (low, high) if corner is not None]
    if not corners:
        raise MotionError(f"motion '{motion.name}': a band-pass needs low or high, corner frequencies [Hz]")
    if not all(isfinite(corner) and 0 < corner < nyquist for corner in corners):
        raise MotionError(
            f"motion '{motion.name}': corner frequencies must be between 0 and the Nyquist frequency, "
            f"{nyquist:g} Hz, got {', '.join(f'{corner:g}' for corner in corners)}"
        )
    if len(corners) == 2 and corners[0] >= corners[1]:
        raise MotionError(
            f"motion '{motion.name}': low must be below high [Hz], got {corners[0]:g} and {corners[1]:g}"
        )
    checked(Integer(1, 10), f"motion '{motion.name}': order of a filter", order)
    from scipy.signal import butter, sosfilt, sosfiltfilt

    kind = "highpass" if high is None else "lowpass" if low is None else "bandpass"
    sections = butter(
        order, corners if len(corners) == 2 else corners[0], kind, fs=1 / motion.dt, output="sos"
    )
    n = ceil(PADDING * order / corners[0] / motion.dt)
    if n > MOST_SAMPLES:
        raise MotionError(
            f"motion '{motion.name}': a corner of {corners[0]:g} Hz needs {n * motion.dt:.3g} s of padding, "
            f"{n:.3g} samples, and {MOST_SAMPLES:g} are the most"
        )
    before = 0 if causal else n
    padded = np.pad(motion.acceleration, ((0, 0), (before, n)))
    filtered = sosfilt(sections, padded) if causal else sosfiltfilt(sections, padded, padlen=0)
    words = {"highpass": f"high-pass {low} Hz", "lowpass": f"low-pass {high} Hz"}
    phrase = f"{words.get(kind, f'band-pass {low} to {high} Hz')}, Butterworth order {order}, "
    phrase += "causal" if causal else "zero-phase"
    if keep_padding:
        phrase += f", {n * motion.dt:g} s of padding kept" + (" at the end" if causal else " at both ends")
    else:
        filtered = filtered[:, before : before + motion.acceleration.shape[1]]
    return changed(motion, filtered, phrase)


def _windowed_sinc(t: FloatArray) -> FloatArray:
    """Kaiser-windowed sinc at `t` zero crossings from its centre."""
    inside = np.clip(1 - (t / CROSSINGS) ** 2, 0, None)
    return np.where(np.abs(t) < CROSSINGS, np.sinc(t) * np.i0(KAISER * np.sqrt(inside)), 0.0)


def trim(
    motion: Motion, start: float = 0.05, end: float = 0.95, padding: float = 2.0, taper: float = 1.0
) -> Motion:
    """Return the part of the motion in which it is significant.

    That is from `padding` before the Arias intensities of the two horizontal components together reach
    the share `start` of their final sum (of the vertical, if there is no other) to `padding` after
    they reach `end`, at whole samples and as far as the record goes. Ends that were cut rise and fall
    with half a cosine of length `taper`.

    Parameters
    ----------
    motion : Motion
    start, end : float
        Shares of the Arias intensity [1].
    padding, taper : float
        [s], the taper not longer than the padding, so that the significant part stays as it is.

    Raises
    ------
    MotionError
        Unless ``0 <= start < end <= 1`` and ``0 <= taper <= padding``, or if the motion is zero
        throughout.
    """
    if not 0 <= start < end <= 1:
        raise MotionError(
            f"motion '{motion.name}': shares of the Arias intensity must be 0 <= start < end <= 1 [1], "
            f"got {start!r} and {end!r}"
        )
    if not (isfinite(padding) and 0 <= taper <= padding):
        raise MotionError(
            f"motion '{motion.name}': trim needs 0 <= taper <= padding [s], got {taper!r} and {padding!r}"
        )
    horizontal = motion.acceleration[:2]
    counted = horizontal if horizontal.any() else motion.acceleration[2:]
    energy = np.sum([energy_of(component, motion.dt) for component in counted], axis=0)
    if not energy[-1] > 0:
        raise MotionError(f"motion '{motion.name}' is zero throughout, so no part of it is significant")
    first_time, last_time = (time_of_share(energy, motion.dt, share) for share in (start, end))
    n = motion.acceleration.shape[1]
    first = max(floor((first_time - padding) / motion.dt), 0)
    last = min(ceil((last_time + padding) / motion.dt), n - 1)
    part = motion.acceleration[:, first : last + 1].copy()
    rise = _taper(part.shape[1], taper, motion.dt)
    if first > 0:
        part *= rise
    if last < n - 1:
        part *= rise[::-1]
    return changed(
        motion,
        part,
        f"trimmed to {first * motion.dt:g}-{last * motion.dt:g} s: {start:g} to {end:g} of the Arias "
        f"intensity with {padding:g} s around it, tapered over {taper:g} s",
    )


def _taper(n: int, taper: float, dt: float) -> FloatArray:
    """Factors (n,) that rise from 0 to 1 over the time `taper` [s] along half a cosine."""
    if taper == 0:
        return np.ones(n)
    angle = np.pi * np.clip(np.arange(n) * dt / taper, 0, 1)
    return np.asarray(0.5 - 0.5 * np.cos(angle), dtype=np.float64)


def remove_mean(motion: Motion, duration: float | None = None) -> Motion:
    """Return the motion less the mean of each component, over its first `duration` [s] or all of it.

    The usual first step for a digital record: `duration` is the quiet time before the first wave.

    Raises
    ------
    MotionError
        If `duration` is not positive or longer than the record.
    """
    n = motion.acceleration.shape[1]
    words = "mean removed"
    if duration is not None:
        if not 0 < duration <= motion.duration:
            raise MotionError(
                f"motion '{motion.name}': duration of the mean must be above 0 and at most that of the "
                f"record, {motion.duration:g} s, got {duration!r}"
            )
        n = max(round(duration / motion.dt), 1)
        words = f"mean of the first {duration:g} s removed"
    mean = motion.acceleration[:, :n].mean(axis=1, keepdims=True)
    return changed(motion, motion.acceleration - mean, words)


def correct_baseline(motion: Motion, order: int = 1) -> Motion:
    """Return the motion less the derivative of a polynomial fitted to the velocity of each component.

    The polynomial of order `order` is zero at time 0 and fitted by least squares to the velocity at all
    samples: order 1 removes a constant acceleration, order 2 a constant and a trend, and so on. A
    component that is zero throughout stays so.

    Raises
    ------
    MotionError
        Unless `order` is a whole number from 1 to 6.
    """
    checked(Integer(1, 6), f"motion '{motion.name}': order of the baseline", order)
    # time over the duration keeps the columns comparable; of each power what its samples integrate to
    powers = np.arange(1, order + 1)
    slopes = powers * np.linspace(0, 1, motion.acceleration.shape[1])[:, None] ** (powers - 1)
    columns = np.stack([velocity_of(slope, motion.dt) for slope in slopes.T], axis=1)
    corrected = []
    for component in motion.acceleration:
        factors = np.linalg.lstsq(columns, velocity_of(component, motion.dt), rcond=None)[0]
        corrected.append(component - slopes @ factors)
    return changed(motion, corrected, f"baseline: polynomial of order {order} fitted to the velocity")


def correct_segments(motion: Motion, start: float, end: float, fit_from: float | None = None) -> Motion:
    """Return the motion less a constant offset in its strong phase and another one after it.

    A line is fitted to the velocity of each component from `fit_from` on. Its slope is the offset after
    `end`; that between `start` and `end` brings the velocity onto the line at `end`. Iwan et al. (1985)
    gave the scheme, with times at 0.5 m/s2; Boore (2001) shows how little its displacements can be
    trusted when the times are chosen otherwise.

    Parameters
    ----------
    motion : Motion
    start, end : float
        Times [s] between which the baseline moves.
    fit_from : float, optional
        Start [s] of the fitted part, `end` by default.

    Raises
    ------
    MotionError
        Unless ``0 <= start < end <= fit_from <`` the duration, and three samples remain to be fitted.
    """
    fitted = end if fit_from is None else fit_from
    times = (start, end, fitted)
    if not (all(map(isfinite, times)) and 0 <= start < end <= fitted <= motion.duration - 2 * motion.dt):
        raise MotionError(
            f"motion '{motion.name}': baseline needs 0 <= start < end <= fit_from, two steps before the end "
            f"of the record, {motion.duration:g} s, got {start!r}, {end!r} and {fitted!r} [s]"
        )
    time = motion.time
    part = time >= fitted - 1e-9 * motion.dt
    a, dt = motion.acceleration, motion.dt
    corrected = [each - _offset(time, part, velocity_of(each, dt), start, end) for each in a]
    return changed(
        motion,
        corrected,
        f"baseline: constant offsets from {start:g} to {end:g} s and after it, "
        f"line fitted to the velocity from {fitted:g} s",
    )


def _offset(
    time: FloatArray, part: NDArray[np.bool_], velocity: FloatArray, start: float, end: float
) -> FloatArray:
    """Offsets of the acceleration (n_time,) [m/s2] that bring the velocity to zero from `end` on."""
    late, level = np.polyfit(time[part] - end, velocity[part], 1)
    return np.where(time < start, 0.0, np.where(time < end, level / (end - start), late))


TURN = 2 * pi  # [rad]


class Step(NamedTuple):
    """A way to process a motion."""

    function: Callable[..., Motion]
    parameters: Mapping[str, str]  # unit of each, in the order of messages

    def kind(self, name: str) -> str:
        """What a parameter is, by its annotation: float, int, bool or str."""
        return str(signature(self.function).parameters[name].annotation).partition(" ")[0]

    def is_required(self, name: str) -> bool:
        """Whether a parameter has no default."""
        return signature(self.function).parameters[name].default is Parameter.empty


STEPS: dict[str, Step] = {
    "resample": Step(resample, {"dt": "s"}),
    "bandpass": Step(bandpass, {"low": "Hz", "high": "Hz", "order": "1", "causal": "1", "keep_padding": "1"}),
    "remove_mean": Step(remove_mean, {"duration": "s"}),
    "baseline": Step(correct_baseline, {"order": "1"}),
    "baseline_segments": Step(correct_segments, {"start": "s", "end": "s", "fit_from": "s"}),
    "trim": Step(trim, {"start": "1", "end": "1", "padding": "s", "taper": "s"}),
    "rotate": Step(rotate, {"azimuth": "rad"}),
    "reverse": Step(reverse, {"components": "1"}),
    "assign": Step(assign, dict.fromkeys("xyz", "1")),
    "vertical": Step(vertical, {"on": "1"}),
}
_EXPECTED = {"float": "a finite number", "int": "a whole number", "bool": "true or false", "str": "a text"}


def process(motion: Motion, steps: Sequence[Mapping[str, Any]]) -> Motion:
    """Apply steps to a motion, one after the other.

    Parameters
    ----------
    motion : Motion
    steps : sequence of mappings
        Each with the name under "step", a key of `STEPS`, and the parameters of that step:
        ``{"step": "bandpass", "low": 0.1, "high": 25.0}``. An angle may be given as ``azimuth_deg``.

    Returns
    -------
    Motion
        With one phrase for each step in ``metadata["history"]``.

    Raises
    ------
    MotionError
        With the number of the step and the reason.

    Examples
    --------
    >>> shake = Motion([[0.0, 2.0], [0.0, 0.0], [0.0, 1.0]], dt=0.5, name="shake")
    >>> turned = process(shake, [{"step": "vertical", "on": False}, {"step": "rotate", "azimuth_deg": 90}])
    >>> turned.acceleration[:, 1].round(12).tolist(), turned.metadata["history"]
    ([0.0, 2.0, 0.0], 'vertical off; rotated by 90 deg')
    """
    for number, (name, parameters) in enumerate(check_steps(steps), start=1):
        try:
            motion = STEPS[name].function(motion, **parameters)
        except MotionError as error:
            raise MotionError(f"step {number}, {name}: {error}") from None
    return motion


def check_steps(steps: Sequence[Mapping[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    """Names and parameters of the steps, angles in [rad], checked as far as that needs no motion.

    Raises
    ------
    MotionError
        With the number of the step: an unknown or missing name or parameter, or one of another kind.
    """
    if isinstance(steps, (str, Mapping)) or not isinstance(steps, Sequence):
        raise MotionError(f"processing must be a list of steps, got {steps!r}")
    checked = []
    for number, step in enumerate(steps, start=1):
        if not isinstance(step, Mapping) or "step" not in step:
            raise MotionError(
                f"step {number} of the processing must be a table with 'step', one of {', '.join(STEPS)}, "
                f"got {step!r}"
            )
        name = step["step"]
        if not isinstance(name, str) or name not in STEPS:
            raise MotionError(
                f"step {number} of the processing must be one of {', '.join(STEPS)}, got {name!r}"
            )
        checked.append((name, _parameters(f"step {number}, {name}", STEPS[name], step)))
    return checked


def _parameters(where: str, known: Step, given: Mapping[str, Any]) -> dict[str, Any]:
    """Checked parameters of one step."""
    units = known.parameters
    spelled = {name: name for name in units} | {f"{name}_deg": name for name in units if units[name] == "rad"}
    found: dict[str, Any] = {}
    for key, value in given.items():
        if key == "step":
            continue
        if key not in spelled:
            hint = suggest(key, spelled) or f"; it takes {', '.join(units) or 'none'}"
            raise MotionError(f"{where}: unknown parameter {key!r}{hint}")
        name, in_degrees = spelled[key], spelled[key] != key
        if name in found:
            raise MotionError(f"{where}: give {name} or {name}_deg, not both")
        unit = "deg" if in_degrees else units[name]
        found[name] = _value(f"{where}: {key}", known.kind(name), unit, value)
        if unit == "rad" and abs(found[name]) > TURN:
            raise MotionError(
                f"{where}: {name} = {found[name]:g} rad is more than a circle; in degrees it is {name}_deg"
            )
        if in_degrees:
            found[name] = radians(found[name])
    for name in units:
        if known.is_required(name) and name not in found:
            raise MotionError(f"{where}: {name} [{units[name]}] is missing")
    return found


def _value(what: str, kind: str, unit: str, value: Any) -> Any:
    """Checked value of one parameter."""
    is_number = kind == "float" and isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and isfinite(value):
        return float(value)
    if kind != "float" and type(value).__name__ == kind:
        return value
    raise MotionError(f"{what} must be {_EXPECTED[kind]} [{unit}], got {value!r}")


LEFT = 0.005  # of the peak of a component, below which the free vibration after the record is cut off [1]
FLOOR = "floor of a building"  # in the history of its motion
LONGEST_TAIL = 600.0  # after the record, unless asked for [s]


@dataclass(frozen=True)
class VibrationMode:
    """One mode of a linear building, as one floor sees it.

    Parameters
    ----------
    frequency : float
        Natural frequency [Hz], positive.
    damping : float
        Share of the critical damping [1], from 0 to below 1.
    participation : tuple of 3 floats
        Participation factors for ground shaking along x, y and z [1].
    shape : tuple of 3 floats
        Mode shape at the place of the body, along x, y and z, in the norm of the participation
        factors: products of the two count [1].

    Raises
    ------
    MotionError
        If a number is not finite or out of its range.
    """

    frequency: float
    damping: float
    participation: tuple[float, float, float]
    shape: tuple[float, float, float]

    def __post_init__(self) -> None:
        checked(Number("Hz", above=0.0), "VibrationMode.frequency", self.frequency)
        checked(Number("1", least=0.0), "VibrationMode.damping", self.damping)
        if not self.damping < 1:
            raise MotionError(f"VibrationMode.damping must be in [0, 1) [1], got {self.damping!r}")
        for name in ("participation", "shape"):
            vector = checked_vector(f"VibrationMode.{name}", getattr(self, name), "1")
            object.__setattr__(self, name, vector)


def oscillator_modes(
    frequency: float, damping: float, axes: str = "xy", factor: float = 1.0
) -> list[VibrationMode]:
    """Modes of a building that is one oscillator in each of the given directions.

    Parameters
    ----------
    frequency, damping : float
        [Hz] and [1], of all directions: for different ones join lists.
    axes : str
        Out of "xyz".
    factor : float
        Participation factor times mode shape at the floor [1]: 1 for a single mass, about 1.3 for the roof
        in the first mode of a regular building, less further down.

    Returns
    -------
    list of VibrationMode

    Raises
    ------
    MotionError
        If `axes` names no direction or a number is out of its range.
    """
    if not axes or set(axes) - set("xyz") or len(set(axes)) < len(axes):
        raise MotionError(f"axes of a floor must be some of x, y, z, got {axes!r}")
    units = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
    return [
        VibrationMode(frequency, damping, units[axis], tuple(factor * part for part in units[axis]))  # type: ignore[arg-type]
        for axis in axes
    ]


def chain_modes(
    masses: ArrayLike, stiffnesses: ArrayLike, damping: float, floor: int, axis: str = "x"
) -> list[VibrationMode]:
    """Modes of a chain of masses on springs: a shear building in one direction.

    Parameters
    ----------
    masses : array_like (n,)
        From the first floor to the roof [kg].
    stiffnesses : array_like (n,)
        Of the storeys below them [N/m].
    damping : float
        Share of the critical damping of every mode [1].
    floor : int
        On which the body stands, from 1 to n.
    axis : str
        "x", "y" or "z".

    Returns
    -------
    list of VibrationMode
        All n of them, by frequency; participation times shape adds up to 1.

    Raises
    ------
    MotionError
        If the lists differ in length, a number is not positive, or there is no such floor or axis.

    Examples
    --------
    >>> modes = chain_modes([1e5, 1e5], [4e7, 4e7], damping=0.05, floor=2)
    >>> [round(mode.frequency, 3) for mode in modes]
    [1.967, 5.15]
    >>> round(sum(mode.participation[0] * mode.shape[0] for mode in modes), 12)
    1.0
    """
    m, k = (np.atleast_1d(np.asarray(values, dtype=np.float64)) for values in (masses, stiffnesses))
    if m.ndim != 1 or m.shape != k.shape:
        raise MotionError(
            f"a chain needs as many masses as stiffnesses, got the shapes {m.shape} and {k.shape}"
        )
    for name, unit, values in (("masses", "kg", m), ("stiffnesses", "N/m", k)):
        if not (np.isfinite(values).all() and (values > 0).all()):
            raise MotionError(f"{name} of a chain must be finite and > 0 [{unit}], got {values.tolist()!r}")
    checked(Integer(1, len(m)), "floor of a chain", floor)
    checked(Choice(("x", "y", "z")), "axis of a chain", axis)
    above = np.append(k[1:], 0.0)
    stiffness = np.diag(k + above) - np.diag(k[1:], 1) - np.diag(k[1:], -1)
    root = np.sqrt(m)
    squares, vectors = np.linalg.eigh(stiffness / np.outer(root, root))
    shapes = vectors / root[:, None]  # of unit modal mass
    factors = shapes.T @ m
    along = np.eye(3)["xyz".index(axis)]
    return [
        VibrationMode(float(np.sqrt(square)) / (2 * pi), damping, tuple(factor * along), tuple(value * along))
        for square, factor, value in zip(squares, factors, shapes[floor - 1], strict=True)
    ]


def floor_tail(modes: Sequence[VibrationMode]) -> float:
    """Time in which the free vibration of the slowest mode falls to half a percent [s].

    Raises
    ------
    MotionError
        If that is more than 600 s.
    """
    slowest = min(mode.damping * mode.frequency for mode in modes)
    longest = -log(LEFT) / (2 * pi * slowest) if slowest > 0 else float("inf")
    if longest > LONGEST_TAIL:
        raise MotionError(
            f"the floor swings on for more than {LONGEST_TAIL:g} s: damping times frequency is "
            f"{slowest:.3g} Hz and must be at least {-log(LEFT) / (2 * pi * LONGEST_TAIL):.3g} Hz, unless a "
            "tail [s] is given"
        )
    return longest


def floor_motion(motion: Motion, modes: Sequence[VibrationMode], tail: float | None = None) -> Motion:
    """Acceleration of a floor in space under a ground motion.

    The modes are integrated exactly for acceleration that is linear between samples. What the modes do not
    span moves with the ground, so that the peak of a stiff building is right with its first modes alone.

    Parameters
    ----------
    motion : Motion
        Of the ground. Its step should be at most a tenth of the shortest period of the modes: between
        samples the floor motion is taken to be linear, too.
    modes : sequence of VibrationMode
        At least one. A direction without a mode moves with the ground.
    tail : float, optional
        How long the floor is followed after the record [s]; by default until less than half a percent of
        its peak is left.

    Returns
    -------
    Motion
        Of the same group.

    Raises
    ------
    MotionError
        If there is no mode, or `tail` is negative, or missing where the vibration hardly decays; as
        `floor_tail`.

    Examples
    --------
    >>> push = Motion([[1.0] * 200, [0.0] * 200, [0.0] * 200], dt=0.01, name="push")
    >>> floor = floor_motion(push, oscillator_modes(2.0, 0.0, "x"), tail=0.0)
    >>> round(float(floor.acceleration[0].max()), 6)
    2.0
    """
    if not modes:
        raise MotionError(f"motion '{motion.name}': at least one mode of the building is needed, got none")
    if tail is None:
        longest = floor_tail(modes)
    else:
        longest = checked(Number("s", least=0.0), f"motion '{motion.name}': tail", tail)
    check_length(f"{motion.name}, floor", motion.duration + longest, motion.dt)
    after = ceil(round(longest / motion.dt, 6))
    ground = np.concatenate([motion.acceleration, np.zeros((3, after))], axis=1)
    floor = ground.copy()
    for mode in modes:
        driving = np.array(mode.participation) @ ground
        relative = absolute_acceleration(driving, motion.dt, mode.frequency, mode.damping) - driving
        floor += np.outer(mode.shape, relative)
    if tail is None:
        peaks = np.abs(floor).max(axis=1, keepdims=True)
        swinging = np.flatnonzero((np.abs(floor) > LEFT * peaks).any(axis=0))
        n_recorded = motion.acceleration.shape[1]
        floor = floor[:, : max(n_recorded, int(swinging[-1]) + 1 if len(swinging) else 0)]
    listed = ", ".join(f"{mode.frequency:.3g}" for mode in modes)
    found = changed(motion, floor, f"{FLOOR} with modes at {listed} Hz")
    return replace(found, name=f"{motion.name}, floor")


def isolator_displacement(motion: Motion, frequency: float, damping: float) -> float:
    """Largest horizontal displacement of an isolator relative to the ground, during the motion and after [m].

    The resultant of both components, exact at the samples for acceleration that is linear between them, as in
    `floor_motion`. Between samples it may be larger by a fraction (pi frequency dt)^2 / 2 at the most.

    Parameters
    ----------
    motion : Motion
        Of the ground.
    frequency, damping : float
        Of the isolator with all that it carries, alike in x and y [Hz] and [1].

    Examples
    --------
    >>> push = Motion([[3.0] * 200, [4.0] * 200, [0.0] * 200], dt=0.01, name="push")
    >>> round(isolator_displacement(push, 1.0, 0.0) * (2 * pi) ** 2, 6)
    10.0
    """
    swing = ceil(1 / (frequency * motion.dt))  # the first one after the motion is the largest
    ground = np.pad(motion.acceleration[:2], ((0, 0), (0, swing)))
    x, y = oscillate(ground, motion.dt, frequency, damping)[0]
    return float(np.hypot(x, y).max())
