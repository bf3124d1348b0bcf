"""Processing of motions as a list of steps, each from motion to motion and named in the history."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from math import isfinite, pi, radians
from typing import Any, NamedTuple

from mcrock.excitation.motion import Motion, MotionError
from mcrock.excitation.processing.baseline import correct_baseline, correct_segments, remove_mean
from mcrock.excitation.processing.components import assign, reverse, rotate, vertical
from mcrock.excitation.processing.filtering import bandpass, resample
from mcrock.excitation.processing.trimming import trim

TURN = 2 * pi  # [rad]


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
