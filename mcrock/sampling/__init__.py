"""From a `Study` to the inputs of every realization."""

from mcrock.sampling.inputs import check_inputs, draw_inputs, draw_numbers
from mcrock.sampling.motions import load_motions

__all__ = ["check_inputs", "draw_inputs", "draw_numbers", "load_motions"]
