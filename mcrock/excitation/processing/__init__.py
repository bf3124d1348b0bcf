"""Processing of motions: a list of steps, each from motion to motion and named in the history.

`process` applies a list of steps, as study files give them; `STEPS` lists them with their parameters.
"""

from mcrock.excitation.processing.baseline import correct_baseline, correct_segments, remove_mean
from mcrock.excitation.processing.components import assign, reverse, rotate, vertical
from mcrock.excitation.processing.filtering import bandpass, resample
from mcrock.excitation.processing.steps import STEPS, check_steps, process
from mcrock.excitation.processing.trimming import trim

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
