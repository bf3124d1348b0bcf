"""Processing of motions as a list of steps, each from motion to motion and named in the history."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, signature
from math import isfinite, pi, radians
from typing import Any, NamedTuple

from mcrock.base.suggestions import suggest
from mcrock.excitation.motion import Motion, MotionError
from mcrock.excitation.processing.baseline import correct_baseline, correct_segments, remove_mean
from mcrock.excitation.processing.components import assign, reverse, rotate, vertical
from mcrock.excitation.processing.filtering import bandpass, resample
from mcrock.excitation.processing.trimming import trim

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
