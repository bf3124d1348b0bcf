"""Columns of a planar block, of the results of a run, of its history and of its events.

Compiled code writes by these names and Python reads by them.
"""

from __future__ import annotations

from enum import IntEnum, auto
from typing import NamedTuple

import numpy as np

from mcrock.kernel.shaking import SEGMENT_SIZE

# columns of a block, those of an edge first: slenderness [rad], c = m R/K [1/m], R [m], K/m [m2],
# distance from the COM [m] and velocity ratio of landings on it [1]; those of the left edge follow
ALPHA, PULL, RADIUS, INERTIA, DISTANCE, RATIO, EDGE_SIZE = range(7)
# gravity [m/s2], COM height [m], p [rad/s], smallest slenderness [rad] and energy over mass that the
# lower of the two barriers takes [m2/s2]
GRAVITY, HEIGHT, FREQUENCY, SLENDERNESS, BARRIER, BLOCK_SIZE = range(2 * EDGE_SIZE, 2 * EDGE_SIZE + 6)


class PlanarResult(IntEnum):
    """Columns of the results of a run."""

    OUTCOME = 0  # code of `mcrock.base.params.Outcome`
    OVERTURNING_TIME = auto()  # [s]
    PEAK_RIGHT = auto()  # largest tilt over the right edge [rad]
    PEAK_LEFT = auto()  # and over the left one, in the next column [rad]
    PEAK_RATIO = auto()  # largest tilt over the smaller slenderness [1]
    IMPACTS = auto()
    UPLIFTS = auto()
    ENERGY_LOSS = auto()  # over mass [m2/s2]
    FRICTION = auto()  # largest horizontal over vertical contact force [1]
    NORMAL_FORCE = auto()  # smallest vertical contact force over the weight [1]
    CONTACT_LOST = auto()
    MARGIN = auto()  # of the free motion to overturning, see `mcrock.planar.integrate.decide` [1]
    END_TIME = auto()  # [s]
    STEPS = auto()


class PlanarTrace(NamedTuple):
    """Room for what one run writes; of a history and events of length 0 nothing is kept."""

    result: np.ndarray  # (`PlanarResult`,)
    segment: np.ndarray  # (SEGMENT_SIZE,) of the motion, as it is now
    history: np.ndarray  # (n, `PlanarHistory`)
    events: np.ndarray  # (n, `PlanarEvent`)
    used: np.ndarray  # (2,) rows of each written, past the end if there was no room


class PlanarHistory(IntEnum):
    """Columns of the history: one row for each step."""

    TIME = 0  # [s]
    SIDE = auto()  # edge about which it turns
    ROTATION = auto()  # signed [rad]
    RATE = auto()  # signed [rad/s]
    ENERGY = auto()  # above lying flat, over mass [m2/s2]


class PlanarEvent(IntEnum):
    """Columns of the event list: one row for each change of contact."""

    TIME = 0  # [s]
    KIND = auto()  # code of `Event`
    SIDE = auto()  # edge about which it turns afterwards
    RATE = auto()  # signed, afterwards [rad/s]
    ENERGY_CHANGE = auto()  # over mass [m2/s2]
    ROTATION = auto()  # signed [rad]


def empty_trace(rows: int, events: int) -> PlanarTrace:
    """Room for the results of a run, ``rows`` of history and a number of ``events``."""
    return PlanarTrace(
        np.zeros(len(PlanarResult)),
        np.zeros(SEGMENT_SIZE),
        np.zeros((rows, len(PlanarHistory))),
        np.zeros((events, len(PlanarEvent))),
        np.zeros(2, dtype=np.int64),
    )
