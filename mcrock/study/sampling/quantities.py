"""Values of all inputs of a study, from the place of each realization in the unit cube."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcrock.base.tables.distributions import Distribution
from mcrock.study import Study
from mcrock.study.sampling import impacts, release
from mcrock.study.sampling.design import choose

Array = NDArray[np.float64]
CODES = impacts.CODES | release.CODES  # of the options of a choice, by its dotted name


def draw_quantities(study: Study, u: dict[str, Array], n: int) -> dict[str, NDArray[Any]]:
    """Value (n,) of every input, by dotted name, in the unit of its key; choices as codes.

    ``u`` are the coordinates of `mcrock.study.sampling.design.unit_numbers`.
    """
    draws: dict[str, NDArray[Any]] = {}
    codes_of = CODES | {f"motion.{key}": code for key, code in study.motion.codes.items()}
    for name, item in study.quantities.items():
        if isinstance(item, Distribution):
            draws[name] = item.quantile(u[study.tied.get(name, name)])
        elif name in codes_of:
            codes = [codes_of[name](option) for option in (item if isinstance(item, tuple) else (item,))]
            draws[name] = choose(u.get(name, np.full(n, 0.5)), codes)
        else:
            draws[name] = np.full(n, item, float)
    return draws
