"""Rocking in a vertical plane: restitution models, motion, rocking and overturning spectra."""

from mcrock.planar.block import PlanarBlock, planar_block, rectangle, rectangle_of

__all__ = ["PlanarBlock", "planar_block", "rectangle", "rectangle_of"]
