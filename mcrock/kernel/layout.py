"""The record of a run: everything of fixed size that the kernel reads and writes, in one piece of memory.

A record goes to a function as one pointer, where a tuple of arrays would go as dozens of numbers. Its type
has the sizes of its arrays, and code is compiled for a type, so bodies of all sizes share one: tables have
room for `CORNERS` vertices, of which memory is only taken where something is written. Larger bodies have a
type of their own, and a smaller one serves where memory is scarce.

A field is a number wherever code names it. Columns of the results are those of `mcrock.base.params`.
"""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from mcrock.impact.planar import N_PARAMETERS
from mcrock.kernel.contact import Topology
from mcrock.kernel.results import RESULT_SIZE
from mcrock.kernel.window import MOST_SAMPLES

CORNERS = 2000  # room of a record
GROWTH = 8  # of the room of larger ones
REAL, WHOLE, FLAG, COUNTER = np.float64, np.int64, np.uint8, np.uint64


def record_type(**fields: Any) -> np.dtype[Any]:
    """A type of records: of each field its type, or its type and shape."""
    rows = [(name, *kind) if isinstance(kind, tuple) else (name, kind) for name, kind in fields.items()]
    return np.dtype((np.record, np.dtype(rows, align=True)))


def _reals(names: str) -> dict[str, Any]:
    """Fields that are numbers. Each has its own: a vector in a record takes ten times as long to compile."""
    return dict.fromkeys(names.split(), REAL)


# what motion about a vertex needs, per unit mass
_PIVOT = record_type(
    **_reals("com_x com_y com_z"),  # from there [m]
    **_reals("k_xx k_xy k_xz k_yy k_yz k_zz"),  # inertia about it over mass [m2]
    **_reals("inv_xx inv_xy inv_xz inv_yy inv_yz inv_zz"),  # inverse of that [1/m2]
    largest=REAL,  # principal moment of k [m2]
)
# along, inwards and up are the frame (e, n, z) of the first face
_EDGE = record_type(
    **_reals("along_x along_y along_z normal_x normal_y normal_z up_x up_y up_z"),
    length=REAL,  # [m]
    **_reals("com_e com_n com_z"),  # from the first end [m]
    **_reals("k_ee k_en k_ez"),  # inertia about the first end over mass [m2]
    opening=REAL,  # turn from the first face flat to the other one flat [rad]
    push=REAL,  # 1/k_ee
    share=REAL,  # 1/(g length)
)
_FACE = record_type(
    **_reals("x_x x_y x_z y_x y_y y_z up_x up_y up_z"),  # its axes
    height=REAL,  # of the COM [m]
    **_reals("c_xx c_xy c_yy"),  # inverse of Theta + m h^2 [1/(kg m2)]
    pass_height=REAL,  # that the COM has to rise to at least on the way there from the start [m]
)
# ground acceleration between two samples, or of a sine
SEGMENT = record_type(
    begin=REAL,  # [s]
    end=REAL,  # [s]
    **_reals("a_x a_y a_z"),  # acceleration at its start, or amplitude of a sine [m/s2]
    **_reals("b_x b_y b_z"),  # rate [m/s3], or what is added to a sine [m/s2]
    sine=REAL,  # 1 of a sine, else 0
    omega=REAL,  # of a sine [rad/s]
    phase=REAL,  # [rad]
    origin=REAL,  # its start [s]
    **_reals("kink_x kink_y kink_z"),  # if asked for, how much the rate differs in the next segment [m/s3]
)
# at the start of a step over several samples, then at each sample up to its end
_WINDOW = record_type(
    at=REAL,  # time since the start [s]
    **_reals("v_x v_y v_z"),  # integral of the ground acceleration since then [m/s]
    **_reals("d_x d_y d_z"),  # double integral [m]
    **_reals("g_x g_y g_z"),  # ground acceleration [m/s2]
    count=REAL,  # of the samples in use, in the first row
)
# of a vertex in a step
_HEIGHT = record_type(
    before=REAL,  # at the start [m]
    rate_before=REAL,  # [m/s]
    after=REAL,  # at the end [m]
    rate_after=REAL,  # [m/s]
    lands_at=REAL,  # time of landing after the start [s], negative where it does not
    offset=REAL,  # height from which it counts [m]
)
# of the face at rest
_SIDE = record_type(
    distance=REAL,  # of the COM inside it [m]
    **_reals("pull_x pull_y"),  # COM height times its inward normal in ground axes [m]
)
STATE = record_type(
    **_reals("q0 q1 q2 q3"),  # orientation body to ground
    **_reals("w_x w_y w_z"),  # angular velocity in body axes [rad/s]
    # where contacts stick: ground position of the pivot, the first end of the edge or the first vertex of the
    # face at rest [m]; angle from the first face flat [rad] and its rate [rad/s], orientation with that face
    # flat and ground direction of the edge
    **_reals("p_x p_y angle rate f0 f1 f2 f3 along_x along_y"),
    # with slip and in flight: position [m] and velocity [m/s] of the COM in ground axes, how far the first
    # and the second contact have slipped [m], energy lost in slip over the mass [m2/s2], and the directions
    # of the slips
    **_reals("x y z v_x v_y v_z path_0 path_1 loss s0_x s0_y s1_x s1_y"),
)
# of the impact of an edge, to or fro
_MAP = record_type(
    jump=(REAL, 9),  # of the angular velocity, a matrix
    push=(REAL, 9),  # impulse over mass by the angular velocity before, a matrix
    loss=(REAL, 9),  # energy by the angular velocity before, a form
    **_reals("old new"),  # the vertices they are for
    **_reals("about_x about_y about_z rate_x rate_y rate_z"),  # acceleration about the old one, and its rate
)
# in the order of `ContactColumn`: coefficients of friction and of restitution
CONTACT_FIELDS = "mu", "static", "restitution", "impact_restitution", "tangential"
CONTACT = record_type(
    **_reals("d_x d_y d_z"),  # place from the COM [m]
    **_reals("p_x p_y p_z"),  # impulse over mass [m/s]
    **_reals("s_x s_y given"),  # direction of slip, and whether it is given
    target=REAL,  # normal velocity to be reached [m/s]
    **_reals("w_xx w_xy w_xz w_yy w_yz w_zz"),  # mobility [1]
    **_reals("b_x b_y b_z"),  # what its velocity has beside that of the twist [m/s]
    solves=REAL,  # how often it was solved
    # of a corner of a face that spins: whether it carries, its speed [m/s], moments of a unit pressure [m]
    **_reals("carries speed moment_x moment_y"),
)
# what a step or an impact found
_FOUND = record_type(
    **_reals("n_0 n_1 t_0 t_1"),  # forces over mass at both contacts [m/s2]
    **_reals("turning stiffness"),  # how fast slips turn [rad/s] and would settle to their direction [1/s]
    **_reals("i_x i_y i_z couple"),  # impulse over mass [m/s] and couple [m2/s] of an impact
    **_reals("kappa clipped map"),  # its kappa, whether it is clipped, by which map
    **_reals("unconverged gained"),  # whether it did not converge, its change of energy over mass [m2/s2]
    stood=REAL,  # whether a contact stood when contacts were decided
    **_reals("bend_0 bend_1"),  # angles added to the directions of slip [rad]
    held=REAL,  # whether the ends of an edge are held, whatever their forces
    slow=REAL,  # slip this slow has stopped [m/s]
    creep=REAL,  # slip that friction stops at once, for corners of a face [m/s]
    solved=REAL,  # how often contacts were solved in the run
    stopping=REAL,  # whether a step is the last of a slip that stops
)
# how rates change with the direction of a slip, and it with velocity and spin: `friction.step`
_STIFF = record_type(**_reals("r_vx r_vy r_wx r_wy r_wz t_vx t_vy t_spin t_square"))


def _body(n: int) -> np.dtype[Any]:
    return record_type(
        # who is next to whom
        n_vertex=WHOLE,
        n_edge=WHOLE,
        n_face=WHOLE,
        spoke_first=(WHOLE, n + 1),  # where the spokes of each vertex begin
        spokes=(WHOLE, 6 * n),  # vertices joined to it by an edge, rising
        spoke_edges=(WHOLE, 6 * n),  # and those edges
        edge_vertices=(WHOLE, (3 * n, 2)),  # ends, in the order of the first face
        edge_faces=(WHOLE, (3 * n, 2)),  # first face (lifted by positive rotation), other face or -1
        face_first=(WHOLE, 2 * n + 1),  # where the vertices of each face begin
        face_vertices=(WHOLE, 6 * n),  # counter-clockwise from above
        is_base=(FLAG, 2 * n),  # faces that may touch the ground without overturning
        # mass properties of one realization, in body axes
        mass=REAL,  # [kg]
        gravity=REAL,  # [m/s2]
        frequency=REAL,  # parameter about the edge of the slenderness [rad/s]
        slenderness=REAL,  # [rad]
        radius=REAL,  # of the vertex farthest from the COM [m]
        barrier=REAL,  # energy to overturn from the start [J]
        **_reals("j_xx j_xy j_xz j_yy j_yz j_zz"),  # J = m Theta^-1 [1/m2]
        **_reals("base_x base_y base_z"),  # centre of the start face from the COM [m]
        rim=REAL,  # radius of the start face where it is a circle, 0 where it is a polygon [m]
        **_reals("start_x start_y"),  # its place on the ground at the start [m]
        inertia=(REAL, 6),  # about the COM: xx, xy, xz, yy, yz, zz [kg m2]
        vertices=(REAL, (n, 3)),  # [m]
        pivots=(_PIVOT, n),
        edges=(_EDGE, 3 * n),
        faces=(_FACE, 2 * n),
        corners=(REAL, (6 * n, 2)),  # face axes coordinates of the vertices of each face [m]
        pose=(REAL, 4),  # orientation at the start: the start face flat
        start=WHOLE,  # face on which the body starts
        standing=(FLAG, n),  # vertices of the base, start face included
    )


def _law(n: int) -> np.dtype[Any]:
    """`mcrock.impact.planar.ImpactLaw` without its tables of quantiles."""
    return record_type(
        values=(REAL, N_PARAMETERS + 4 * n),
        redrawn=(np.int8, N_PARAMETERS + 4 * n),
        face_parameters=(WHOLE, 2 * n),
        law=WHOLE,
        energy_gain=WHOLE,
        facet_fallback=WHOLE,
        point=(REAL, 2),
        seed=COUNTER,
        realization=COUNTER,
        function=WHOLE,
    )


# see `mcrock.impact.conditions.Controls`
_SETTINGS = record_type(
    step=REAL,
    max_step=REAL,
    edge_zeno_time=REAL,
    rest_time=REAL,
    rest_tilt=REAL,
    sweep_tilt=REAL,
    max_steps=WHOLE,
    max_impacts=WHOLE,
    max_contact_solves=WHOLE,
    follow_fall=FLAG,
    contact_overturns=FLAG,
    stop_at_settling=FLAG,
)


def _friction(n: int) -> np.dtype[Any]:
    return record_type(
        on=FLAG,  # contacts may slip, rebound and fly
        **_reals(" ".join(CONTACT_FIELDS)),
        rates=(STATE, 4),  # of the stages of a step
        other=STATE,  # a state tried
        before=STATE,  # the state before an impact
        speeds=(REAL, 6),  # the twist before an impact
        twist=(REAL, 6),  # velocity of the COM and angular velocity in ground axes, or their rates
        contacts=(CONTACT, n),
        touching=(WHOLE, n),  # vertices that touch the ground
        matrix=(REAL, (4, 5)),
        stiff=(_STIFF, 2),  # how rates change with the direction of each slip
        spinning=(REAL, (3, 4)),  # and those of a face that spins, with its velocity and spin
        found=_FOUND,
        path=(REAL, n),  # how far each vertex has slipped [m]
        watched=(WHOLE, n),  # vertices that may land
        heights=(_HEIGHT, n),  # of those
    )


@cache
def run_type(corners: int = CORNERS) -> np.dtype[Any]:
    """Type of the record of a run of bodies with up to so many vertices, of three or four edges each."""
    n = corners
    return record_type(
        settings=_SETTINGS,
        # shaking
        motion=WHOLE,  # number of the motion
        first=WHOLE,  # its first sample
        length=WHOLE,  # its samples, 0 of a pulse
        dt=REAL,  # their step [s]
        turn=(REAL, 5),  # see `shaking.load_segment`
        piece=WHOLE,  # number of the segment
        pieces=WHOLE,  # segments in which the ground moves
        segment=SEGMENT,
        shaken=REAL,  # end of the shaking [s]
        end=REAL,  # of the run [s]
        # where the run is
        outcome=WHOLE,  # code of `Outcome`, NOT_RUN until it is decided
        mode=WHOLE,  # code of `Mode`
        place=WHOLE,  # edge, vertex or face in contact
        corners=WHOLE,  # sides of the face at rest
        t=REAL,  # [s]
        step=REAL,  # longest step [s]
        held_until=REAL,  # up to here no edge is released [s]
        at_instant=WHOLE,  # events without time passing
        state=STATE,
        # what the last step found
        event=WHOLE,  # code of `Event`, or 0
        vertex=WHOLE,  # that lands
        face=WHOLE,  # that lands
        kept_end=WHOLE,  # of an edge that is released: 0 or 1
        count=WHOLE,  # vertices that land from a slip or flight
        to_end=FLAG,  # whether the step went to the end of the segment
        change=REAL,  # of energy in an impact [J]
        rest_face=WHOLE,  # on which the body may come to rest
        # of the steps before
        highest=REAL,  # potential energy that the body has had, where the run may stop early [J]
        goes_on=FLAG,  # whether what the last step left at its end is that of the present state
        lifted=WHOLE,  # vertex that an edge impact has just lifted
        released_end=WHOLE,  # of an edge
        release_time=REAL,  # [s]
        slipped=FLAG,  # whether that edge slipped
        sweeps=WHOLE,  # times that a rim came down
        calm=WHOLE,  # the same when the ground shook last, or it slipped
        falls=FLAG,  # whether it comes down
        pushed=FLAG,  # whether it has been pushed out of a plane
        known=FLAG,  # whether the two below are those of this time
        rolling_loss=REAL,  # [1]
        clearance=REAL,  # [1]
        left=WHOLE,  # face on which the body rested, until an impact
        # with friction
        grip=REAL,  # square of the static friction coefficient, infinite without friction [1]
        bend=REAL,  # turn of a slip in a step [rad]
        stops=REAL,  # a slip that would end within this time ends at once [s]
        since=REAL,  # time of the last step [s]
        last_mode=WHOLE,
        last_place=WHOLE,
        swing=REAL,  # rate of the edge then [rad/s]
        took_off=REAL,  # start of the flight [s]
        bounced=FLAG,
        # results, and scratch
        result=(REAL, RESULT_SIZE),
        kept=(REAL, RESULT_SIZE),  # at the time of overturning, while a fall is followed
        trial=STATE,
        maps=(_MAP, 2),  # impacts of an edge to and fro
        window=(_WINDOW, MOST_SAMPLES + 1),  # samples of a step
        sides=(_SIDE, n),  # of the face at rest
        heights=(_HEIGHT, n),  # of a step
        law=_law(n),
        friction=_friction(n),
        body=_body(n),
    )


def corners_of_type(top: Topology, least: int = CORNERS, growth: int = GROWTH, more: int = 0) -> int:
    """Room that the record of a body needs, in vertices, with ``more`` behind its own."""
    n_vertex, n_edge, n_face = len(top.neighbours), len(top.edge_vertices), len(top.base)
    needed = max(n_vertex + more, -(-n_edge // 3), -(-n_face // 2), -(-len(top.face_vertices) // 6))
    room = least
    while room < needed:
        room *= growth
    return room


def new_run(top: Topology) -> Any:
    """A record for runs of bodies of a topology."""
    run = np.zeros(1, run_type(corners_of_type(top, more=1)))[0]  # the point of a rim that touches the ground
    fill_topology(top, run.body)
    return run


def fill_topology(top: Topology, body: Any) -> None:
    """Write who is next to whom into the record of a body."""
    body.n_vertex, body.n_edge, body.n_face = len(top.neighbours), len(top.edge_vertices), len(top.base)
    vertices, columns = np.nonzero(top.neighbours >= 0)
    spokes = top.neighbours[vertices, columns]
    body.spoke_first[: body.n_vertex + 1] = np.searchsorted(vertices, np.arange(body.n_vertex + 1))
    body.spokes[: len(spokes)] = spokes
    body.spoke_edges[: len(spokes)] = top.edge_of[vertices, spokes]
    body.is_base[: body.n_face] = top.base
    for name in ("edge_vertices", "edge_faces", "face_first", "face_vertices"):
        table = getattr(top, name)
        getattr(body, name)[: len(table)] = table


def set_fields(record: Any, values: dict[str, Any]) -> None:
    """Set fields of a record; arrays may be shorter than its own."""
    for name, value in values.items():
        if np.ndim(value):
            getattr(record, name)[: len(value)] = value
        else:
            setattr(record, name, value)


class _PlainRows(dict[int, SimpleNamespace]):
    """`plain` of the rows of a table, as they are asked for."""

    def __init__(self, table: np.ndarray) -> None:
        self.table = table

    def __missing__(self, i: int) -> SimpleNamespace:
        return self.setdefault(i, plain(self.table[i]))


def plain(record: Any) -> SimpleNamespace:
    """The record as an object of Python: fields of a record take microseconds each to read there."""
    found: dict[str, Any] = {}
    for name in record.dtype.names:
        value = record[name]
        if isinstance(value, np.void):
            found[name] = plain(value)
        elif np.ndim(value):
            found[name] = _PlainRows(value) if value.dtype.names else value
        else:
            found[name] = value.item()
    return SimpleNamespace(**found)
