"""Constants, codes, packs and responses: what every layer has to agree on, compiled code included.

A code is an ``IntEnum`` whose values are stored in datasets and compared in compiled code: values
are never reused or renumbered. A pack is a tuple or dataclass of plain numbers and arrays. Checks and
their messages stand in `mcrock.base.checks`.

What a run answers is one enumeration of its responses, and the columns of its history and events. The
compiled kernel writes by these members, the schema of datasets declares by them and the reader of
results takes them apart by them: no two places have to agree on an order. A new response is its entry
here and the line of the kernel that computes it. Words are not part of the hash of compiled code, the
rest of this file is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, auto
from math import inf, nan
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
    ROLL = 11  # on one point of a circular rim, without slip
    ROLL_SLIP = 12  # with it; of the kernel a VERTEX_SLIP


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
SWEEP_STREAM = 15  # random stream of the side to which a rim sweeps that comes down in a plane
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
    rim: np.ndarray | None = (
        None  # (n,) radius of a circular base [m], 0 of a polygon; None: all are polygons
    )
    contact: np.ndarray | None = None  # (n, `ContactColumn`); None: contacts stick and nothing rebounds
    values: dict[str, np.ndarray] = field(default_factory=dict)  # dataset variables on realization
    own_law: Any = None  # `mcrock.impact.conditions.OwnLaw` of the law `own`, or its name
    parts: tuple[Any, ...] = ()  # of one body: vertices (1, n_vertex, 3) and faces of its parts, to draw
    motions: tuple[Any, ...] = ()  # one `Motion` for each realization, where they are not those of the study

    def __len__(self) -> int:
        return len(self.mass)


class Response(IntEnum):
    """Responses of a run, in the order of a dataset; `variable` is the name there.

    The value of a member is its column in the array that compiled code fills. An entry gives type and
    units in a dataset, the long name, what stands in the column when a run starts (0 by default), the
    enumeration whose codes it holds, if any, and whether only runs with friction have it.
    """

    dtype: str
    units: str
    long_name: str
    start: float
    flags: type[IntEnum] | None
    of_friction: bool

    def __new__(
        cls, dtype: str, units: str, long_name: str, start: float = 0.0, flags: type[IntEnum] | None = None,
        of_friction: bool = False,
    ) -> Response:  # fmt: skip
        member = int.__new__(cls, len(cls.__members__))
        member._value_ = len(cls.__members__)
        member.dtype, member.units, member.long_name = dtype, units, long_name
        member.start, member.flags, member.of_friction = start, flags, of_friction
        return member

    @property
    def variable(self) -> str:
        """Name of the dataset variable."""
        return self.name.lower()

    OUTCOME = "i1", "1", "how the run ended", 0.0, Outcome
    OVERTURNING_TIME = "f4", "s", "time at which the body overturned", nan
    OVERTURNING_DIRECTION = "f4", "rad", "azimuth of the fall, from ground x towards y", nan
    PEAK_TILT = "f4", "rad", "largest tilt of the body axis"
    PEAK_TILT_RATIO = "f4", "1", "largest tilt over the smallest slenderness"
    PEAK_ROTATION_X = "f4", "rad", "largest rotation about the base axis x"
    PEAK_ROTATION_Y = "f4", "rad", "largest rotation about the base axis y"
    OUT_OF_PLANE_FACTOR = (
        "f4", "1", "smaller over larger peak rotation about the base axes after the first impact", nan
    )  # fmt: skip
    EDGE_IMPACTS = "i4", "1", "number of edge impacts"
    FACET_IMPACTS = "i4", "1", "number of facet impacts"
    IMPACT_ENERGY_LOSS = "f4", "J", "energy lost in impacts"
    FINAL_FACE = "i2", "1", "face on which the body is at rest at the end, -1 while it moves", -1.0
    FINAL_YAW = "f4", "rad", "rotation about the vertical at the end"
    FINAL_DISPLACEMENT_X = "f4", "m", "displacement of the base along ground x at the end"
    FINAL_DISPLACEMENT_Y = "f4", "m", "displacement of the base along ground y at the end"
    PEAK_FRICTION_DEMAND = (
        "f4", "1", "largest horizontal over vertical contact force while rocking, up to 45 degrees of tilt"
    )  # fmt: skip
    LOWEST_NORMAL_FORCE = (
        "f4", "1", "smallest vertical contact force over the weight, up to 45 degrees of tilt", 1.0
    )  # fmt: skip
    CONTACT_LOST = "i1", "1", "1 if the contact force became tensile before 45 degrees of tilt"
    INFEASIBLE_EDGE_IMPACTS = "i4", "1", "edge impacts without feasible pivot, taken as plastic edge contact"
    INFEASIBLE_FACET_IMPACTS = (
        "i4", "1", "facet impacts without feasible pivot, taken as rest or plastic (facet_fallback)"
    )  # fmt: skip
    INFEASIBLE_ENERGY_LOSS = (
        "f4", "1", "energy lost in infeasible impacts over the energy needed to overturn"
    )  # fmt: skip
    EDGE_STICK_INFEASIBLE = (
        "i1", "1", "1 if the centre of pressure left an edge that could not be released"
    )  # fmt: skip
    ENERGY_GAIN_IMPACTS = "i4", "1", "impacts whose drawn parameters gain energy (projected or allowed)"
    END_TIME = "f4", "s", "time at which the run ended"
    STEPS = "i4", "1", "integration steps taken"
    HALF_STEP_OUTCOME = (
        "i1", "1", "how the run ended at half the time step (not_run: not repeated)", 0.0, Outcome
    )  # fmt: skip
    CERTIFIED_FRICTION = (
        "f4", "1", "least friction coefficient at which the run is certified to be the same with friction"
    )  # fmt: skip
    PEAK_IMPACT_FRICTION = "f4", "1", "largest horizontal over vertical impulse of an impact"
    PULLING_IMPACTS = "i4", "1", "impacts whose impulse would have to pull the body down"
    UPLIFT_MARGIN = (
        "f4", "1", "largest overturning over restoring moment at rest, less 1: 0 once the body lifts"
    )  # fmt: skip
    CERTIFIED_UNTIL = (
        "f4", "s", "time up to which the run is that of contacts that stick, infinite if throughout", inf,
        None, True,
    )  # fmt: skip
    SLIP_PATH = (
        "f4", "m", "longest path that a corner slips while it is in contact", 0.0, None, True
    )  # fmt: skip
    PEAK_DISPLACEMENT = (
        "f4", "m", "largest horizontal displacement of the base centre", 0.0, None, True
    )  # fmt: skip
    FRICTION_ENERGY_LOSS = "f4", "J", "energy lost in slip between impacts", 0.0, None, True
    FLIGHTS = "i4", "1", "number of flights", 0.0, None, True
    LONGEST_FLIGHT = "f4", "s", "time of the longest flight", 0.0, None, True
    REST_SHARE = "f4", "1", "share of the time at rest", 0.0, None, True
    SLIDING_SHARE = "f4", "1", "share of the time flat on a face and slipping", 0.0, None, True
    ROCKING_SHARE = "f4", "1", "share of the time on an edge or a vertex that sticks", 0.0, None, True
    SLIDE_ROCKING_SHARE = "f4", "1", "share of the time on an edge or a vertex that slips", 0.0, None, True
    FLIGHT_SHARE = "f4", "1", "share of the time in flight", 0.0, None, True
    UNCONVERGED_IMPACTS = (
        "i4", "1", "impacts of more than two corners whose impulses did not converge", 0.0, None, True
    )  # fmt: skip
    JAMS = (
        "i4", "1", "times that friction left no contact force and an impulse took its place", 0.0, None, True
    )  # fmt: skip
    CONTACT_SOLVES = (
        "i4", "1", "times that a contact was solved, in impacts and decisions of several", 0.0, None, True
    )  # fmt: skip


class HistoryColumn(IntEnum):
    """Columns of the history of a run: one row for each step."""

    TIME = 0  # [s]
    MODE = auto()  # code of `Mode`
    INDEX = auto()  # of the edge, vertex or face in contact
    Q0 = auto()  # quaternion body to ground
    Q1 = auto()
    Q2 = auto()
    Q3 = auto()
    OMEGA_X = auto()  # angular velocity in ground axes [rad/s]
    OMEGA_Y = auto()
    OMEGA_Z = auto()
    COM_X = auto()  # centre of mass in the ground frame [m]
    COM_Y = auto()
    COM_Z = auto()
    ENERGY = auto()  # mechanical [J]
    TILT = auto()  # of the body axis [rad]
    VELOCITY_X = auto()  # of the centre of mass relative to the ground [m/s]
    VELOCITY_Y = auto()
    VELOCITY_Z = auto()


class EventColumn(IntEnum):
    """Columns of the event list of a run: one row for each change of contact."""

    TIME = 0  # [s]
    KIND = auto()  # code of `Event`
    MODE = auto()  # that it leads to, code of `Mode`
    INDEX = auto()  # of the edge, vertex or face in contact after it
    OMEGA_X = auto()  # angular velocity after it in ground axes [rad/s]
    OMEGA_Y = auto()
    OMEGA_Z = auto()
    ENERGY_CHANGE = auto()  # [J]
    TILT = auto()  # of the body axis [rad]
    FACE = auto()  # that lands, -1 but in a facet impact
    VELOCITY_X = auto()  # of the centre of mass after it, relative to the ground [m/s]
    VELOCITY_Y = auto()
    VELOCITY_Z = auto()
