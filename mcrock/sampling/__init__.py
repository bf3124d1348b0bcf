"""From a `Study` to the inputs of every realization."""

from mcrock.sampling.inputs import check_inputs, draw_inputs
from mcrock.sampling.motions import load_motions

__all__ = ["check_inputs", "draw_inputs", "load_motions"]
