"""Intensity measures: how strong a motion is, and its response spectra.

`MEASURES` lists the measures and `intensity` computes one of a motion; the modules have what those are made
of.
Response spectra stand in `mcrock.excitation.measures.response_spectra`, which loads the compiler.
"""

from mcrock.excitation.measures.of_motion import check_parameters, intensity
from mcrock.excitation.measures.registry import MEASURES, named_measure, variable_name

__all__ = ["MEASURES", "check_parameters", "intensity", "named_measure", "variable_name"]
