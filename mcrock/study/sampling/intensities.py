"""Scale factors of the motions of a study, and the further intensities that it keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcrock.excitation.measures import MEASURES, intensity
from mcrock.excitation.motion import Motion
from mcrock.study import Study
from mcrock.study.sampling.drawn import Drawn, Draws
from mcrock.study.sampling.shaking import Shaking

Array = NDArray[np.float64]

# measures of the body and the motion together, and the measure of the motion in them
OF_MOTION = {"uplift_ratio": "pga", "velocity_ratio": "pgv", "frequency_ratio": "tm"}


def recorded(
    measure: str,
    parameters: Mapping[str, Any],
    motions: Sequence[Motion],
    record: NDArray[np.int32],
    sizes: Mapping[str, Array],
    gravity: Array,
    pulse_period: Array | None = None,
    known: Array | None = None,
) -> Array:
    """Intensity of the motion of each realization before it is scaled (n,), in the units of the measure.

    Parameters
    ----------
    measure : str
        A key of `MEASURES`, or "factor", which is 1.
    parameters : mapping
        What the measure takes in addition to motion and body.
    motions, record
        The motions, and the index of that of each realization (n,).
    sizes, gravity
        `slenderness` [rad] and `frequency` [rad/s] of each body (n,), and the gravity [m/s2] on it.
    pulse_period : ndarray (n,), optional
        Periods of the motions that are pulses [s]: omega_p is then that of the pulse.
    known : ndarray (n_motion,), optional
        From `of_motions` of all motions, where many realizations ask one after the other.
    """
    if measure == "factor":
        return np.ones(len(record))
    if measure == "frequency_ratio":
        given = parameters.get("pulse_period", pulse_period)
        if given is not None:
            return np.broadcast_to(2.0 * pi / (np.asarray(given) * sizes["frequency"]), len(record))
    own = (of_motions(measure, parameters, motions, np.unique(record)) if known is None else known)[record]
    if measure == "frequency_ratio":
        return 2.0 * pi / (own * sizes["frequency"])
    if measure in OF_MOTION:
        own = own / (gravity * np.tan(sizes["slenderness"]))
    return own * sizes["frequency"] if measure == "velocity_ratio" else own


def of_motions(
    measure: str,
    parameters: Mapping[str, Any],
    motions: Sequence[Motion],
    used: NDArray[np.int64] | None = None,
) -> Array:
    """What a measure takes of motions (n_motion,), all or those used; ones of "factor"."""
    if measure == "factor":
        return np.ones(len(motions))
    values = np.zeros(len(motions))
    asked, taken = OF_MOTION.get(measure, measure), {} if measure in OF_MOTION else parameters
    used = np.arange(len(motions)) if used is None else used
    values[used] = [intensity(motions[i], asked, **taken) for i in used]
    return values


def factors(measure: str, level: Array, own: Array) -> Array:
    """Factors (n, n_level) that bring motions with the intensities ``own`` (n,) to ``level`` (n, n_level)."""
    power = 1 if measure == "factor" else MEASURES[measure].power
    ratio = level / own[:, None]
    return ratio if power == 1 else ratio ** (1.0 / power)


def draw_intensities(
    study: Study, draws: Draws, shaking: Shaking, sizes: Mapping[str, Array], gravity: Array
) -> Drawn:
    """Factors that bring the motions of realizations to their intensities, and the intensities kept.

    A negative polarity is part of the factor. Of motions that are not made both are NaN.
    """
    n, measure, taken = len(gravity), study.intensity.measure, study.intensity.parameters
    level = draw_levels(study, draws, n)
    own = np.full(n, np.nan)
    if shaking.ground is not None:
        own = recorded(measure, taken, shaking.ground, shaking.of, sizes, gravity)
    scaling = draws["motion.scaling"][:, None] if "motion.scaling" in draws else 1.0
    factor = scaling * factors(measure, level, own)
    values: dict[str, NDArray[Any]] = {}
    if study.motion.is_generated:
        values["own_intensity"] = own
    if study.is_cloud:
        values["intensity_value"] = level[:, 0]
        if shaking.ground is not None:
            for kept in study.intensity.variables:
                unscaled = recorded(
                    kept.measure,
                    kept.parameters,
                    shaking.ground,
                    shaking.of,
                    sizes,
                    gravity,
                    study.motion.pulse_period(draws),
                )
                values[kept.name] = unscaled * np.abs(factor[:, 0]) ** MEASURES[kept.measure].power
    return Drawn({"scale": draws["motion.polarity"][:, None] * factor}, values)


def draw_levels(study: Study, draws: Draws, n: int) -> Array:
    """Intensity of every run (n, n_intensity), in the units of the measure."""
    random = study.intensity.distribution
    if random is not None:
        return draws["intensity.value"][:, None] * random[1]
    return np.broadcast_to(np.array(study.intensity.si_levels), (n, study.n_intensity))
