"""Constants, codes and packs: what every layer has to agree on.

A code is an ``IntEnum`` whose values are stored in datasets and compared in compiled code: values
are never reused or renumbered. A pack is a tuple or dataclass of plain numbers and arrays.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

import numpy as np

GRAVITY = 9.81  # default gravity [m/s2]
STANDARD_GRAVITY = 9.80665  # the `g` of accelerograms [m/s2], fixed by definition


class Outcome(IntEnum):
    """How a run ended. 0 is what an unwritten chunk of a store reads as."""

    NOT_RUN = 0
    AT_REST = 1
    ROCKING = 2  # not over: moving at the end with enough energy to overturn, or still shaken
    OVERTURNED = 3
    STEP_LIMIT = 4  # controls.max_steps
    IMPACT_LIMIT = 5  # controls.max_impacts
    INSTANT_LIMIT = 6  # too many events without time passing
    NOT_FINITE = 7  # the state became NaN or infinite
    SETTLING = 8  # still moving at the end, with too little energy left to overturn


STANDING = (Outcome.AT_REST, Outcome.SETTLING)
DECIDED = (*STANDING, Outcome.OVERTURNED)


class Mode(IntEnum):
    """Contact of the body with the ground."""

    REST = 0
    EDGE = 1
    VERTEX = 2
    OVERTURNED = 3


class Event(IntEnum):
    """Change of mode, as listed in the event table of a single run."""

    UPLIFT = 1
    EDGE_RELEASE = 2
    EDGE_IMPACT = 3
    FACET_IMPACT = 4
    REST = 5
    OVERTURN = 6


class EnergyGain(IntEnum):
    """What is done with impact parameters that would make an impact gain energy."""

    ALLOW = 0
    PROJECT = 1  # to the nearest lambda (edge) or lambda_lon (facet) that gains none


class FacetFallback(IntEnum):
    """What a facet impact without feasible pivot becomes."""

    REST = 0
    PLASTIC = 1  # the plastic impact of the whole face, also where the impact would gain energy


class Draw(IntEnum):
    """When the distributions of impact parameters are drawn."""

    RUN = 0
    IMPACT = 1


class ImpactParameter(IntEnum):
    """Column of an impact parameter; also the random stream it is drawn from at every impact.

    Behind these five come lambda_lon and lambda_lat of each face that has its own.
    """

    LAMBDA = 0  # [1] place of the impulse along a landing edge: -1 old pivot, 1 new pivot
    TAU = 1  # [N m s] angular impulse about the vertical in an edge impact
    LAMBDA_LON = 2  # [1] place of the impulse across a landing facet: -1 old edge, 1 far end
    LAMBDA_LAT = 3  # [1] place of the impulse along the old edge, in half chords
    TAU_FACET = 4  # [N m s] as TAU in a facet impact; NaN: whatever leaves no spin about the vertical


FACE_STREAM = 16  # random stream of the first column behind the five impact parameters
RECHECK_STREAM = 5  # random stream that picks the realizations run again at half the step


@dataclass(frozen=True, slots=True)
class Controls:
    """Numerical settings of a run.

    ``step`` is in units of 1/p, so that one value suits bodies of every size; ``max_step``
    bounds it in seconds. Steps never straddle a sample of the record.
    """

    step: float = 0.02  # largest step times p [1]
    max_step: float = 0.01  # largest step [s]
    tail: float = 60.0  # time allowed after the shaking for the motion to end [s]
    edge_zeno_time: float = 1e-4  # a sequence of edge impacts shorter than this is over [s]
    rest_time: float = 1e-3  # rocking whose half-cycle is shorter than this is rest [s]
    max_steps: int = 10_000_000  # integration steps [1]
    max_impacts: int = 1_000_000  # impacts [1]
    recheck: float = 0.01  # share of the realizations that are run again at half the step [1]
    follow_fall: bool = False  # go on after overturning until the body lies on a face
    overturned_by: str = "contact"  # or "tilt": whether the ground touched off the base counts too


class MotionPack(NamedTuple):
    """Ground motions end to end, as compiled code reads them."""

    samples: np.ndarray  # (n_sample, 3) ground acceleration [m/s2], linear between samples
    first: np.ndarray  # (n_motion,) index of the first sample
    length: np.ndarray  # (n_motion,) number of samples; 0 marks an analytic pulse
    dt: np.ndarray  # (n_motion,) time step [s]
    pulse: np.ndarray  # (n_motion, 7) ax, ay, az [m/s2], omega [rad/s], phase [rad], start, end [s]


@dataclass(frozen=True, slots=True)
class Inputs:
    """Everything the kernel needs for the realizations ``start`` to ``start + n - 1``."""

    seed: int
    start: int
    faces: tuple[tuple[int, ...], ...]  # vertices of each face, counter-clockwise from above
    start_face: np.ndarray  # (n,) face on which each realization starts
    base_faces: tuple[int, ...]  # faces that may touch the ground without overturning
    stands_clear: bool  # up to a tilt of 90 degrees nothing but face 0 can touch the ground
    gravity: np.ndarray  # (n,) [m/s2]
    mass: np.ndarray  # (n,) [kg]
    inertia: np.ndarray  # (n, 3, 3) about the centre of mass, body axes [kg m2]
    vertices: np.ndarray  # (n, n_vertex, 3) relative to the centre of mass, body axes [m]
    record: np.ndarray  # (n,) index of the motion
    azimuth: np.ndarray  # (n,) rotation of the motion about the vertical [rad]
    scale: np.ndarray  # (n, n_intensity) factor on the motion [1]
    impact: np.ndarray  # (n, n_parameter) values, first by `ImpactParameter`, unused where `redrawn`
    redrawn: np.ndarray  # (n, n_parameter) int8: 0 fixed, 1 drawn anew at every impact, 2 same for steps
    quantiles: np.ndarray  # (n_parameter, n_node) over normal scores (1) or probabilities (2)
    face_parameters: np.ndarray  # (n_face,) column of lambda_lon of each face; lambda_lat is the next
    energy_gain: np.ndarray  # (n,) codes of `EnergyGain`
    facet_fallback: np.ndarray  # (n,) codes of `FacetFallback`
    values: dict[str, np.ndarray] = field(default_factory=dict)  # dataset variables on realization

    def __len__(self) -> int:
        return len(self.mass)
