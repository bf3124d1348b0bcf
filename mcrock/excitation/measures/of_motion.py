"""How strong a motion is: the numbers a study scales its records to, or looks at in addition to the result.

The intensity of a pair is the geometric mean of its two components as they were recorded, or a RotD
measure of the pair (Boore 2010). It is taken before any rotation, so that turning a pair does not change
how far it is scaled.

Boore, D. M. (2010). Orientation-independent, nongeometric-mean measures of seismic intensity from two
horizontal components of motion. Bulletin of the Seismological Society of America 100(4), 1830-1835.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from mcrock.excitation.measures.periods import averaged, check_spectrum, one_period
from mcrock.excitation.measures.registry import MEASURES
from mcrock.excitation.motion import Motion, MotionError

KEPT = 1000  # values kept for a motion

# a motion never changes, and every part of a study asks for the intensities of all of them
_KNOWN: WeakKeyDictionary[Motion, dict[Any, float]] = WeakKeyDictionary()


def intensity(motion: Motion, measure: str, **parameters: Any) -> float:
    """Intensity of a motion: geometric mean over its two horizontal components, or RotD of the pair.

    Parameters
    ----------
    motion : Motion
        As recorded or processed, not yet turned to the azimuth of a run: a turn changes geometric means.
    measure : str
        A key of `MEASURES`, for example "pga" [m/s2], "pgv" [m/s], "sa" or "sa_rotd50" [m/s2].
    **parameters
        What `MEASURES` says that the measure takes: `period` [s] and `damping` [1] of "sa", `periods`
        or `low`, `high` and `count` of "avgsa", `slenderness` [rad] and `frequency_parameter` [rad/s] of
        the ratios of rocking.

    Returns
    -------
    float
        In the units of the measure. Of a motion with a single horizontal component (the other is
        zero throughout, `Motion.shaken`) the value of that component, also where the measure is a RotD one.

    Raises
    ------
    MotionError
        If the measure or a parameter is unknown, lacking or out of range, or the motion does not
        shake horizontally.

    Examples
    --------
    >>> pair = Motion([[0.0, 4.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 0.0]], dt=0.5, name="pair")
    >>> intensity(pair, "pga"), intensity(pair, "pgv")
    (2.0, 1.0)
    >>> round(intensity(pair, "pga_rotd100"), 3), round(intensity(pair, "sa", period=1.0), 3)
    (4.123, 2.826)
    """
    known = _KNOWN.setdefault(motion, {})
    key = (measure, *((name, _hashable(parameters[name])) for name in sorted(parameters)))
    if key in known:
        return known[key]
    if len(known) >= KEPT:  # parameters may differ from run to run
        known.clear()
    check_parameters(measure, parameters)
    horizontal = [
        component for component, moves in zip(motion.acceleration[:2], motion.shaken, strict=False) if moves
    ]
    if not horizontal:
        raise MotionError(f"motion '{motion.name}' has no horizontal acceleration, so it has no {measure}")
    chosen = MEASURES[measure]
    try:
        if chosen.of_pair and len(horizontal) == 2:
            known[key] = chosen.function(*horizontal, motion.dt, **parameters)
            return known[key]
        alone = MEASURES[measure.split("_rotd")[0]].function
        values = [alone(component, motion.dt, **parameters) for component in horizontal]
    except MotionError as error:
        raise MotionError(f"{measure} of motion '{motion.name}': {error}") from None
    known[key] = sqrt(values[0] * values[-1])
    return known[key]


def check_parameters(measure: str, parameters: Mapping[str, Any]) -> None:
    """Refuse a measure that does not exist, or parameters it does not take or lacks."""
    if measure not in MEASURES:
        raise MotionError(f"intensity measure must be one of {', '.join(MEASURES)}, got {measure!r}")
    taken = MEASURES[measure].parameters
    for name in parameters:
        if name not in taken:
            raise MotionError(
                f"intensity measure '{measure}' takes {', '.join(taken) or 'no parameters'}; "
                f"unknown: {name!r}"
            )
    for name, parameter in taken.items():
        if parameter.required and name not in parameters:
            raise MotionError(
                f"intensity measure '{measure}' needs {name}, {parameter.long_name} [{parameter.units}]"
            )
    try:
        if "period" in taken:
            check_spectrum(one_period(parameters["period"]), parameters.get("damping", 0.05))
        elif "periods" in taken:
            check_spectrum(*averaged(**parameters))
    except MotionError as error:
        raise MotionError(f"intensity measure '{measure}': {error}") from None


def _hashable(value: Any) -> Any:
    """A list of periods as a key."""
    return tuple(np.ravel(value).tolist()) if np.ndim(value) else value
