"""Rocking in a vertical plane: restitution models, motion, rocking and overturning spectra."""

from mcrock.planar.block import PlanarBlock, planar_block, rectangle, rectangle_of
from mcrock.planar.restitution import velocity_ratios
from mcrock.planar.simulation import PlanarRun, simulate_planar
from mcrock.planar.spectra import overturning_spectrum, rocking_spectrum

__all__ = [
    "PlanarBlock",
    "PlanarRun",
    "overturning_spectrum",
    "planar_block",
    "rectangle",
    "rectangle_of",
    "rocking_spectrum",
    "simulate_planar",
    "velocity_ratios",
]
