"""The ground motions that the realizations of a study share."""

from __future__ import annotations

from collections.abc import Sequence

from mcrock.excitation.measures import intensity
from mcrock.excitation.motion import Motion, MotionError
from mcrock.study import ConfigError, Study
from mcrock.study.sampling.intensities import OF_MOTION


def load_motions(study: Study) -> list[Motion]:
    """Read the ground motions of a study.

    Parameters
    ----------
    study : Study
        Names of files start from ``study.folder``.

    Returns
    -------
    list of Motion
        As recorded and processed, neither scaled nor turned by the azimuth, in the order of the study file.

    Raises
    ------
    ConfigError
        One line for every motion that cannot be read, or has no intensity to scale to.
    """
    motions, mistakes = study.motion.load(study.folder)
    if not study.motion.is_generated:
        mistakes += _without_intensity(study, motions)
    if mistakes:
        raise ConfigError([f"{study.source} [motion]: {text}" for text in mistakes])
    return motions


def _without_intensity(study: Study, motions: Sequence[Motion]) -> list[str]:
    """Mistakes of motions that lack a measure which the study asks of every motion."""
    asked = [(table.measure, table.parameters) for table in study.intensity.variables]
    if study.intensity.measure != "factor":
        asked.insert(0, (study.intensity.measure, study.intensity.parameters))
    mistakes = []
    for motion in motions:
        try:
            for measure, parameters in asked:
                of_motion = OF_MOTION.get(measure)
                intensity(motion, of_motion or measure, **({} if of_motion else parameters))
        except MotionError as error:
            remedy = " to scale to; leave it out or use the measure 'factor'"
            if measure != study.intensity.measure:
                remedy = f"; leave it out, or {measure} out of intensity.variables"
            mistakes.append(str(error) + ("" if any(motion.shaken[:2]) else remedy))
    return mistakes
