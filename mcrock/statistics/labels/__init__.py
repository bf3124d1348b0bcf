"""Calibration on what fell and what stood: which draws of the unknown inputs it makes likely.

Every outer draw of a nested study is a possible body or site. Objects seen after an earthquake or a test make
some draws more likely than others: this gives weights to the draws, and with them posterior distributions of
the inputs and probabilities for other objects.
"""

from __future__ import annotations

from mcrock.statistics.labels.calibrate import calibrate
from mcrock.statistics.labels.read import Labels, read_labels
from mcrock.statistics.labels.weights import Weights, left_out, weigh_draws

__all__ = ["Labels", "Weights", "calibrate", "left_out", "read_labels", "weigh_draws"]
