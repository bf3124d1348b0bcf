"""The intensities of a study as text, and levels that look as if they were in another unit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcrock.base.params import STANDARD_GRAVITY, Inputs
from mcrock.base.units import as_written
from mcrock.body import uplift_slenderness
from mcrock.show.numbers import format_range
from mcrock.study import Study


def describe_intensity(study: Study, inputs: Inputs) -> list[str]:
    """A line on the measure and its levels."""
    measure = study.intensity.measure
    units, in_g = study.intensity.units, study.intensity.units == "m s-2"
    units = "times the motion" if measure == "factor" else "g" if in_g else as_written(units)
    levels = _levels(study, inputs)
    if in_g:
        levels = levels / STANDARD_GRAVITY
    measure += study.intensity.suffix
    if study.is_cloud:
        kept = ", ".join(variable.name for variable in study.intensity.variables)
        also = f"; also kept: {kept}" if kept else ""
        return [f"intensity: {measure}, {format_range(levels)} {units}, one per realization (cloud){also}"]
    return [f"intensity: {measure} = {', '.join(f'{level:.4g}' for level in levels)} {units}"]


def intensity_notes(study: Study, inputs: Inputs) -> list[str]:
    """Levels that look as if they were in another unit."""
    levels = _levels(study, inputs)
    strongest, weakest = levels.max(), levels.min()
    if study.intensity.measure in ("pga", "pga_rotd50", "pga_rotd100"):
        over = uplift_slenderness(inputs.vertices, inputs.faces, inputs.start_face)
        in_g = study.intensity.levels_g is not None or study.intensity.value_g is not None
        advice = "" if in_g else "; for numbers in g give levels_g or value_g"
        needed = float((inputs.values["gravity"] * np.tan(over)).min())
        if strongest < 0.5 * needed and not study.motion.on_floor:  # which may amplify
            return [
                f"note: the strongest motion has {strongest:.3g} m/s2 or "
                f"{strongest / STANDARD_GRAVITY:.3g} g, and the body begins to rock at about "
                f"{needed / STANDARD_GRAVITY:.3g} g{advice}"
            ]
        if weakest > 5 * STANDARD_GRAVITY:
            return [
                f"note: even the weakest motion has {weakest / STANDARD_GRAVITY:.3g} g; 'levels' are in "
                "m/s2, 'levels_g' in g"
            ]
    if study.intensity.measure.startswith("pgv") and weakest > 5:
        return [f"note: even the weakest motion has {weakest:.3g} m/s; levels of pgv are in m/s"]
    return []


def _levels(study: Study, inputs: Inputs) -> NDArray[Any]:
    """Intensities of the runs in SI units."""
    return inputs.values["intensity_value"] if study.is_cloud else np.array(study.intensity.si_levels)
