"""Probabilities of mcrock compared with shake-table tests.

`read_geometry` reads the body, `validation_study` makes a nested study of the uncertainties of body and
tests, in which every draw meets every test, and `validate` scores its probabilities next to rules of thumb.
"""

from __future__ import annotations

from mcrock.statistics.labels.validation.aside import is_set_aside
from mcrock.statistics.labels.validation.distributions import compare_tests, judge, read_tests
from mcrock.statistics.labels.validation.geometry import Geometry, read_geometry
from mcrock.statistics.labels.validation.rules import RULES, fitted_elsewhere, leave_one_out
from mcrock.statistics.labels.validation.scores import Scores, calibration_curve, resampled, roc_curve, score
from mcrock.statistics.labels.validation.setting import DEFAULT, Setting, validation_study
from mcrock.statistics.labels.validation.validate import probabilities, validate

__all__ = [
    "DEFAULT",
    "RULES",
    "Geometry",
    "Scores",
    "Setting",
    "calibration_curve",
    "compare_tests",
    "fitted_elsewhere",
    "is_set_aside",
    "judge",
    "leave_one_out",
    "probabilities",
    "read_geometry",
    "read_tests",
    "resampled",
    "roc_curve",
    "score",
    "validate",
    "validation_study",
]
