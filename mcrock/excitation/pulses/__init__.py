"""Pulses: analytic ones, by name, and sampled as motions."""

from mcrock.excitation.pulses.make import SHAPES, AnalyticPulse, make_pulse
from mcrock.excitation.pulses.pulse import (
    MavroeidisPapageorgiou,
    Pulse,
    Ricker,
    half_sine,
    one_cosine,
    one_sine,
)
from mcrock.excitation.pulses.sample import sample_pulse

__all__ = [
    "SHAPES",
    "AnalyticPulse",
    "MavroeidisPapageorgiou",
    "Pulse",
    "Ricker",
    "half_sine",
    "make_pulse",
    "one_cosine",
    "one_sine",
    "sample_pulse",
]
