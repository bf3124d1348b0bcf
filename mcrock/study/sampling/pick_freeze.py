"""The design of Sobol indices: realizations that differ in one input alone.

Every point of two independent matrices A and B of inputs is a realization, and so is, for every input, the
point of A with that input from B (Saltelli et al. 2010). A and B are halves of one scrambled Sobol sequence;
as the error of an index is told by its scatter, there are `SCRAMBLES` of them. Realizations are in the order
(point, scramble, column), so that the first ones stay as they are when more are added.

What a run draws inside, the error of the shape of its body, the noise of its motion and parameters that are
drawn anew at every impact, is an input like the others: a realization with that of A has the draws of the
realization of A. Otherwise it would look like an interaction of all inputs.

Saltelli, A., Annoni, P., Azzini, I., Campolongo, F., Ratto, M. and Tarantola, S. (2010). Variance based
sensitivity analysis of model output. Design and estimator for the total sensitivity index. Computer Physics
Communications 181(2), 259-270.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mcrock.study import Study
from mcrock.study.sections import OF_INDICES

SCRAMBLES = 8  # independent repetitions of the design
OF_A, OF_B, FIRST_INPUT = range(3)  # columns of the realizations of a point
# names of what runs draw inside
HULL, NOISE, AT_IMPACTS = "body.shape_error", "motion.noise", "impact.draws"


def inputs_of_design(study: Study) -> list[str]:
    """Dotted names of the inputs that have an index, in the order of the columns of the design."""
    inside = {
        HULL: not study.body.is_one_draw,
        NOISE: study.motion.draws_noise,
        AT_IMPACTS: bool(study.redrawn),
    }
    return [*study.uncertain, *(name for name, drawn in inside.items() if drawn)]


def block_length(study: Study) -> int:
    """Realizations of one point of all scrambles."""
    return SCRAMBLES * (FIRST_INPUT + len(inputs_of_design(study)))


def nearest_designs(study: Study) -> tuple[int, int]:
    """Numbers of realizations of the largest even design within the study, and of the next: Sobol points are
    even by powers of two."""
    block = block_length(study)
    power = max(study.n_realizations // block, 1).bit_length() - 1
    return block << power, block << power + 1


def mixed(pairs: NDArray[np.float64], column: NDArray[np.int64]) -> NDArray[np.float64]:
    """Points of realizations (n, dimension) from those of A and B side by side (n, 2 dimension)."""
    half = pairs.shape[1] // 2
    of_b = (column[:, None] == FIRST_INPUT + np.arange(half)) | (column[:, None] == OF_B)
    return np.where(of_b, pairs[:, half:], pairs[:, :half])


def draws_of(study: Study, name: str, start: int, stop: int) -> NDArray[np.int64]:
    """Number of the realization whose draws each of `start` to `stop` - 1 has inside its runs.

    ``name`` is `HULL`, `NOISE` or `AT_IMPACTS`.
    """
    realization = np.arange(start, stop)
    names = inputs_of_design(study)
    if study.ensemble.design != OF_INDICES or name not in names:
        return realization
    column = realization % (FIRST_INPUT + len(names))
    of_b = (column == OF_B) | (column == FIRST_INPUT + names.index(name))
    found: NDArray[np.int64] = realization - column + np.where(of_b, OF_B, OF_A)
    return found
