"""Ground motions: records, pulses, their intensity, and the form in which the kernel reads them.

A motion is the acceleration of the ground along x, y and z (up) [m/s2]; a positive value moves the
ground, not the body, in the positive direction.
"""

from mcrock.excitation.measures import MEASURES, intensity
from mcrock.excitation.motion import Motion, MotionError
from mcrock.excitation.pulses import STILL, Pulse, half_sine, one_cosine, one_sine, pack_motions
from mcrock.excitation.readers.collections import fema_p695
from mcrock.excitation.readers.csv_file import read_csv

__all__ = [
    "MEASURES",
    "STILL",
    "Motion",
    "MotionError",
    "Pulse",
    "fema_p695",
    "half_sine",
    "intensity",
    "one_cosine",
    "one_sine",
    "pack_motions",
    "read_csv",
]
