"""Constants, codes and packs: what every layer has to agree on, compiled code included.

A code is an ``IntEnum`` whose values are stored in datasets and compared in compiled code: values
are never reused or renumbered. A pack is a tuple or dataclass of plain numbers and arrays. Checks and
their messages stand in `mcrock.base.checks`: a reworded one recompiles nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, auto
from typing import Any, NamedTuple

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
    PAINLEVE = 9  # friction leaves no contact force, or more than one: the motion is not decided
    FAILED = 10  # nothing was run: what was drawn is impossible, or an error came up; the log has its message
    CONTACT_LIMIT = 11  # controls.max_contact_solves
    LIFTED_OFF = 12  # at rest, with contacts that stick, the ground fell faster than the body would

    def __str__(self) -> str:
        return self.name


STANDING = (Outcome.AT_REST, Outcome.SETTLING)
DECIDED = (*STANDING, Outcome.OVERTURNED)


class Mode(IntEnum):
    """Contact of the body with the ground."""

    REST = 0
    EDGE = 1
    VERTEX = 2
    OVERTURNED = 3
    FLIGHT = 4
    SLIDE = 5  # flat on a face, without spin
    SPIN = 6  # flat on a face
    VERTEX_SLIP = 7
    EDGE_SLIP_FIRST = 8  # the first end slips, the body turns about the second
    EDGE_SLIP_SECOND = 9
    EDGE_SLIP = 10  # both ends slip


class Event(IntEnum):
    """Change of mode, as listed in the event table of a single run."""

    UPLIFT = 1
    EDGE_RELEASE = 2
    EDGE_IMPACT = 3
    FACET_IMPACT = 4
    REST = 5
    OVERTURN = 6
    SLIP = 7  # a contact that sticks starts to slip
    STICK = 8  # slip ends at one contact or at all
    SLIP_REVERSAL = 9  # slip stops and goes on at once in a new direction
    LIFTOFF = 10  # to flight, without impact
    LANDING = 11  # impact from flight


class EnergyGain(IntEnum):
    """What is done with impact parameters that would make an impact gain energy."""

    ALLOW = 0
    PROJECT = 1  # to the nearest lambda (edge) or lambda_lon (facet) that gains none


class FacetFallback(IntEnum):
    """What a facet impact without feasible pivot becomes."""

    REST = 0
    PLASTIC = 1  # the plastic impact of the whole face, also where the impact would gain energy


class ContactColumn(IntEnum):
    """Columns of `Inputs.contact`."""

    FRICTION = 0  # Coulomb coefficient while a contact slips, and in impacts [1]
    STATIC_FRICTION = 1  # up to which a contact sticks [1]
    RESTITUTION = 2  # of landings from flight [1]
    IMPACT_RESTITUTION = 3  # of edge and facet impacts [1]
    TANGENTIAL_RESTITUTION = 4  # of all impacts at one point [1]


class PulseShape(IntEnum):
    """Shape of a pulse."""

    ONE_SINE = 0
    ONE_COSINE = 1
    HALF_SINE = 2
    RECTANGLE = 3
    RICKER_SYMMETRIC = 4
    RICKER_ANTISYMMETRIC = 5
    MAVROEIDIS_PAPAGEORGIOU = 6


class Ground(IntEnum):
    """Ground type of EN 1998-1."""

    A = 0
    B = 1
    C = 2
    D = 3
    E = 4


class Draw(IntEnum):
    """When the distributions of impact parameters are drawn."""

    RUN = 0
    IMPACT = 1


FACE_STREAM = 16  # random stream of the first column behind the impact parameters
RECHECK_STREAM = 5  # random stream that picks the realizations run again at half the step
ALWAYS_REPEATED = 3  # realizations that are, in any case


BLOCK = 32  # time steps over which the extremes of a motion are known, to pass over quiet ones at once


class PulseColumn(IntEnum):
    """Columns of the analytic pulses of a `MotionPack`."""

    A_X = 0  # amplitudes [m/s2]
    A_Y = auto()
    A_Z = auto()
    OMEGA = auto()  # angular frequency [rad/s]
    PHASE = auto()  # [rad]
    START = auto()  # [s]
    END = auto()  # [s]


class MotionPack(NamedTuple):
    """Ground motions end to end, as compiled code reads them."""

    samples: np.ndarray  # (n_sample, 3) ground acceleration [m/s2], linear between samples
    first: np.ndarray  # (n_motion,) index of the first sample
    length: np.ndarray  # (n_motion,) number of samples; 0 marks an analytic pulse
    dt: np.ndarray  # (n_motion,) time step [s]
    pulse: np.ndarray  # (n_motion, `PulseColumn`)
    block: np.ndarray  # (n_block, 3) per `BLOCK` steps: largest horizontal, least and largest vertical [m/s2]
    first_block: np.ndarray  # (n_motion,) index of the first block


@dataclass(frozen=True, slots=True)
class Inputs:
    """Everything the kernel needs for the realizations ``start`` to ``start + n - 1``."""

    seed: int
    start: int
    number: np.ndarray  # (n,) realization whose draws at every impact each takes: its own, as a rule
    faces: tuple[tuple[int, ...], ...]  # vertices of each face, counter-clockwise from above
    start_face: np.ndarray  # (n,) face on which each realization starts
    base_faces: tuple[int, ...]  # faces that may touch the ground without overturning
    stands_clear: bool  # up to a tilt of 90 degrees nothing but face 0 can touch the ground
    gravity: np.ndarray  # (n,) [m/s2]
    mass: np.ndarray  # (n,) [kg]
    inertia: np.ndarray  # (n, 3, 3) about the centre of mass, body axes [kg m2]
    vertices: np.ndarray  # (n, n_vertex, 3) relative to the centre of mass, body axes [m]
    start_edge: np.ndarray  # (n,) edge over which the body is released where `start_tilt` is not 0
    start_tilt: np.ndarray  # (n,) angle of release [rad]; 0 starts at rest
    slope: np.ndarray  # (n, 2) components of the vertical along x and y of the ground [1]; 0 on level ground
    record: np.ndarray  # (n,) index of the motion
    azimuth: np.ndarray  # (n,) rotation of the motion about the vertical [rad]
    scale: np.ndarray  # (n, n_intensity) factor on the motion [1]
    impact: np.ndarray  # (n, n_parameter) values, by columns of the registry, unused where `redrawn`
    redrawn: np.ndarray  # (n, n_parameter) int8: 0 fixed, 1 drawn anew at every impact, 2 same for steps
    quantiles: np.ndarray  # (n_parameter, n_node) over normal scores (1) or probabilities (2)
    face_parameters: np.ndarray  # (n_face,) column of lambda_lon of each face; lambda_lat is the next
    law: np.ndarray  # (n,) codes of `mcrock.impact.registry.Law`
    energy_gain: np.ndarray  # (n,) codes of `EnergyGain`
    facet_fallback: np.ndarray  # (n,) codes of `FacetFallback`
    contact: np.ndarray | None = None  # (n, `ContactColumn`); None: contacts stick and nothing rebounds
    values: dict[str, np.ndarray] = field(default_factory=dict)  # dataset variables on realization
    own_law: Any = None  # `mcrock.impact.conditions.OwnLaw` of the law `own`, or its name
    motions: tuple[Any, ...] = ()  # one `Motion` for each realization, where they are not those of the study

    def __len__(self) -> int:
        return len(self.mass)
