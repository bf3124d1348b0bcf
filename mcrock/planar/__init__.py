"""Rocking in a vertical plane: restitution models, motion, rocking and overturning spectra.

Blocks: `rectangle`, `rectangle_of` (slenderness and frequency parameter), `planar_block` (of a body),
`PlanarBlock` (any mass properties, also off centre).

One run: `simulate_planar`, which returns a `PlanarRun`.

Spectra of blocks of every size, as datasets: `rocking_spectrum` (largest tilt), `overturning_spectrum`
(bands of amplitude that overturn); `mcrock.plots` draws both.

Restitution: every run and spectrum takes ``r`` as a velocity ratio, or a model in words as for
`velocity_ratios`. The models themselves give the ratio of a block: `housner`, `ther_kollar`,
`kalliontzis`, `chatzis`, `wittich_hutchinson`. Conversions: `energy_ratio`, `largest_ratio` (no loss),
`admissible_ratios` (without slip or pull), `lambda_of_ratio`, `nu_of_ratio`, `effective_width`,
`nu_of_effective_width`, `e_n21_of_ratio`, `ratio_of_e_n21`.
"""

from mcrock.planar.block import PlanarBlock, planar_block, rectangle, rectangle_of
from mcrock.planar.overturning_spectra import overturning_spectrum
from mcrock.planar.restitution import (
    admissible_ratios,
    chatzis,
    e_n21_of_ratio,
    effective_width,
    energy_ratio,
    housner,
    kalliontzis,
    lambda_of_ratio,
    largest_ratio,
    nu_of_effective_width,
    nu_of_ratio,
    ratio_of_e_n21,
    ther_kollar,
    velocity_ratios,
    wittich_hutchinson,
)
from mcrock.planar.rocking_spectra import rocking_spectrum
from mcrock.planar.simulation import PlanarRun, simulate_planar

__all__ = [
    "PlanarBlock",
    "PlanarRun",
    "admissible_ratios",
    "chatzis",
    "e_n21_of_ratio",
    "effective_width",
    "energy_ratio",
    "housner",
    "kalliontzis",
    "lambda_of_ratio",
    "largest_ratio",
    "nu_of_effective_width",
    "nu_of_ratio",
    "overturning_spectrum",
    "planar_block",
    "ratio_of_e_n21",
    "rectangle",
    "rectangle_of",
    "rocking_spectrum",
    "simulate_planar",
    "ther_kollar",
    "velocity_ratios",
    "wittich_hutchinson",
]
