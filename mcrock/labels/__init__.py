"""What fell and what stood, as data: which draws of the unknown inputs it makes likely.

Every draw of what is epistemic in a nested study is a body, or a place, that could be. Objects that were seen
after an earthquake, or a test, make some draws more likely than others: weights over the draws, and what
follows from them for the inputs and for other objects.
"""

from __future__ import annotations

from mcrock.labels.calibrate import calibrate, calibrate_anew
from mcrock.labels.read import Labels, read_labels
from mcrock.labels.sequential import Posterior, sequential_posterior
from mcrock.labels.weights import Weights, left_out, weigh_draws

__all__ = [
    "Labels",
    "Posterior",
    "Weights",
    "calibrate",
    "calibrate_anew",
    "left_out",
    "read_labels",
    "sequential_posterior",
    "weigh_draws",
]
