"""What a run answers: one enumeration of its responses, and the columns of its history and events.

The compiled kernel writes by these members, the schema of datasets declares by them and the reader of
results takes them apart by them: no two places have to agree on an order. A new response is its entry
here and the line of the kernel that computes it. Words are not part of the hash of compiled code, the
rest of this file is.
"""

from __future__ import annotations

from enum import IntEnum, auto
from math import inf, nan

from mcrock.base.params import Outcome


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
