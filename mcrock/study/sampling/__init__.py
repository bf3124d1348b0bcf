"""From a `Study` to the inputs of every realization."""

from mcrock.study.sampling.inputs import check_inputs, draw_inputs, draw_numbers
from mcrock.study.sampling.motions import load_motions

__all__ = ["check_inputs", "draw_inputs", "draw_numbers", "load_motions"]
