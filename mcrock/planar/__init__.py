"""Rocking in a vertical plane: restitution models, motion, rocking and overturning spectra.

Blocks: `rectangle`, `rectangle_of` (slenderness and frequency parameter), `planar_block` (of a body),
`PlanarBlock` (any mass properties, also off centre).

One run: `simulate_planar`, which returns a `PlanarRun`.

Spectra of blocks of every size, as datasets: `rocking_spectrum` (largest tilt), `overturning_spectrum`
(bands of amplitude that overturn); `mcrock.plots` draws both.

Restitution: every run and spectrum takes ``r`` as a velocity ratio, or a model in words as for
`velocity_ratios`. The laws themselves give the ratio of a block: `housner_1963`, `ther_kollar_2017`,
`kalliontzis_2016`, `brogliato_2012`, `chatzis_2017`, `wittich_hutchinson_2018`. Conversions: `energy_ratio`,
`largest_ratio` (no loss), `admissible_ratios` (without slip or pull), `lambda_of_ratio`, `nu_of_ratio`,
`effective_width`, `nu_of_effective_width`, `e_n21_of_ratio`.
"""

from mcrock.planar.block import PlanarBlock, planar_block, rectangle, rectangle_of
from mcrock.planar.restitution import (
    admissible_ratios,
    brogliato_2012,
    chatzis_2017,
    e_n21_of_ratio,
    effective_width,
    energy_ratio,
    housner_1963,
    kalliontzis_2016,
    lambda_of_ratio,
    largest_ratio,
    nu_of_effective_width,
    nu_of_ratio,
    ther_kollar_2017,
    velocity_ratios,
    wittich_hutchinson_2018,
)
from mcrock.planar.simulation import PlanarRun, simulate_planar
from mcrock.planar.spectra import overturning_spectrum, rocking_spectrum

__all__ = [
    "PlanarBlock",
    "PlanarRun",
    "admissible_ratios",
    "brogliato_2012",
    "chatzis_2017",
    "e_n21_of_ratio",
    "effective_width",
    "energy_ratio",
    "housner_1963",
    "kalliontzis_2016",
    "lambda_of_ratio",
    "largest_ratio",
    "nu_of_effective_width",
    "nu_of_ratio",
    "overturning_spectrum",
    "planar_block",
    "rectangle",
    "rectangle_of",
    "rocking_spectrum",
    "simulate_planar",
    "ther_kollar_2017",
    "velocity_ratios",
    "wittich_hutchinson_2018",
]
