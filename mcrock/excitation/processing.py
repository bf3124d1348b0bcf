"""Processing of motions: a list of steps, each from motion to motion and named in the history."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from math import ceil, degrees, floor, isfinite, pi, radians
from typing import Any, NamedTuple

import numpy as np

from mcrock.excitation.baseline import correct_baseline, correct_segments, remove_mean
from mcrock.excitation.filtering import bandpass, resample
from mcrock.excitation.history import changed
from mcrock.excitation.measures import energy_of, time_of_share
from mcrock.excitation.motion import FloatArray, Motion, MotionError

ABSENT = "none"
TURN = 2 * pi  # [rad]

__all__ = [
    "STEPS",
    "assign",
    "bandpass",
    "check_steps",
    "correct_baseline",
    "correct_segments",
    "process",
    "remove_mean",
    "resample",
    "reverse",
    "rotate",
    "trim",
    "vertical",
]


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


class StepParameter(NamedTuple):
    """A parameter of a step, as study files give it."""

    kind: type  # float, int, bool or str
    units: str
    required: bool = False


class Step(NamedTuple):
    """A way to process a motion."""

    function: Callable[..., Motion]
    parameters: Mapping[str, StepParameter]


_SECONDS = StepParameter(float, "s")
STEPS: dict[str, Step] = {
    "resample": Step(resample, {"dt": StepParameter(float, "s", required=True)}),
    "bandpass": Step(
        bandpass,
        {
            "low": StepParameter(float, "Hz"),
            "high": StepParameter(float, "Hz"),
            "order": StepParameter(int, "1"),
            "causal": StepParameter(bool, "1"),
            "keep_padding": StepParameter(bool, "1"),
        },
    ),
    "remove_mean": Step(remove_mean, {"duration": _SECONDS}),
    "baseline": Step(correct_baseline, {"order": StepParameter(int, "1")}),
    "baseline_segments": Step(
        correct_segments,
        {
            "start": StepParameter(float, "s", required=True),
            "end": StepParameter(float, "s", required=True),
            "fit_from": _SECONDS,
        },
    ),
    "trim": Step(
        trim,
        {
            "start": StepParameter(float, "1"),
            "end": StepParameter(float, "1"),
            "padding": _SECONDS,
            "taper": _SECONDS,
        },
    ),
    "rotate": Step(rotate, {"azimuth": StepParameter(float, "rad", required=True)}),
    "reverse": Step(reverse, {"components": StepParameter(str, "1")}),
    "assign": Step(assign, {role: StepParameter(str, "1") for role in "xyz"}),
    "vertical": Step(vertical, {"on": StepParameter(bool, "1", required=True)}),
}
_EXPECTED = {float: "a finite number", int: "a whole number", bool: "true or false", str: "a text"}


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
        checked.append((name, _parameters(f"step {number}, {name}", STEPS[name].parameters, step)))
    return checked


def _parameters(where: str, known: Mapping[str, StepParameter], step: Mapping[str, Any]) -> dict[str, Any]:
    """Checked parameters of one step."""
    found = {}
    for key, value in step.items():
        if key == "step":
            continue
        name = key.removesuffix("_deg")
        in_degrees = name != key and name in known and known[name].units == "rad"
        if not in_degrees and key not in known:
            spelled = [*known, *(f"{own}_deg" for own, item in known.items() if item.units == "rad")]
            hint = get_close_matches(key, spelled, 1)
            raise MotionError(
                f"{where}: unknown parameter {key!r}; "
                + (f"did you mean {hint[0]!r}?" if hint else f"it takes {', '.join(known) or 'none'}")
            )
        name = name if in_degrees else key
        if name in found:
            raise MotionError(f"{where}: give {name} or {name}_deg, not both")
        own = known[name]._replace(units="deg") if in_degrees else known[name]
        value = _value(f"{where}: {key}", own, value)
        if known[name].units == "rad" and not in_degrees and abs(value) > TURN:
            raise MotionError(
                f"{where}: {name} = {value:g} rad is more than a circle; in degrees it is {name}_deg"
            )
        found[name] = radians(value) if in_degrees else value
    for name, parameter in known.items():
        if parameter.required and name not in found:
            raise MotionError(f"{where}: {name} [{parameter.units}] is missing")
    return found


def _value(what: str, parameter: StepParameter, value: Any) -> Any:
    """Checked value of one parameter."""
    kind = parameter.kind
    number = kind is float and isinstance(value, (int, float)) and not isinstance(value, bool)
    if number and isfinite(value):
        return float(value)
    if kind is not float and type(value) is kind:
        return value
    raise MotionError(f"{what} must be {_EXPECTED[kind]} [{parameter.units}], got {value!r}")


def _taper(n: int, taper: float, dt: float) -> FloatArray:
    """Factors (n,) that rise from 0 to 1 over the time `taper` [s] along half a cosine."""
    if taper == 0:
        return np.ones(n)
    angle = np.pi * np.clip(np.arange(n) * dt / taper, 0, 1)
    return np.asarray(0.5 - 0.5 * np.cos(angle), dtype=np.float64)
