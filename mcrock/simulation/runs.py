"""One run with its history, or the runs of a part, from Python to the kernel and back."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from math import cos, isfinite, pi, radians, sin, sqrt
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mcrock.base.checks import Number, shown, suggest_keyword
from mcrock.base.compiled_code import compile_in_parallel, run_while_compiling
from mcrock.base.params import (
    ALWAYS_REPEATED,
    RECHECK_STREAM,
    FacetFallback,
    Inputs,
    Mode,
    MotionPack,
    Outcome,
    Response,
)
from mcrock.base.random_numbers import uniforms
from mcrock.base.session import Displayed
from mcrock.body import Body, rotation_matrix
from mcrock.dataset.history import build_history, event_list
from mcrock.dataset.schema import outputs
from mcrock.excitation import STILL, Motion, Pulse, pack_motions
from mcrock.impact.conditions import STEEPEST, Contact, Controls, Impact, OwnLaw, Start, check_contact
from mcrock.impact.planar import ImpactLaw
from mcrock.impact.registry import ImpactParameter, code_of, options
from mcrock.kernel.batch import (
    BATCH_TYPES,
    NO_RESULTS,
    Batch,
    empty_batch,
    run_part,
    start_at_rest,
    start_tilted,
)
from mcrock.kernel.contact import Topology, fill_constants, topology
from mcrock.kernel.ending import Trace, empty_trace
from mcrock.kernel.friction.motion import free_body, place_pivot
from mcrock.kernel.layout import CONTACT_FIELDS, new_run, plain, set_fields
from mcrock.kernel.shaking import end_of_run
from mcrock.simulation.device import CPU
from mcrock.simulation.parts import parts_with_friction, parts_without_friction

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True)
class Run(Displayed):
    """Result of one run.

    Attributes
    ----------
    outcome : Outcome
        How it ended.
    results : dict of float
        The scalars of a run by the names of the dataset, SI units.
    events : list of dict
        Time ``t`` [s], ``kind``, mode and index ``to``, angular velocity after ``omega`` (3,) in
        ground axes [rad/s], ``velocity`` of the centre of mass after (3,) relative to the ground [m/s],
        ``energy_change`` [J], ``tilt`` [rad] and ``face`` (the one that lands, None but in a facet
        impact) of every change of contact.
    history : Dataset
        Motion over ``time``: mode, orientation, angular velocity, position and velocity of the centre
        of mass, displacement of the base, rotations, energy, tilt.
    body : Body
        The body that it was made with.
    facet_fallback : FacetFallback
        What a facet impact without feasible pivot became.
    recorded : Dataset, or tuple of ndarray
        What the history is, or the arguments of `mcrock.dataset.build_history` to make it of at its first
        use: xarray takes longer to load than a run.
    """

    outcome: Outcome
    results: dict[str, float]
    events: list[dict[str, Any]]
    body: Body
    facet_fallback: FacetFallback
    recorded: xr.Dataset | tuple[np.ndarray, np.ndarray, np.ndarray]

    @cached_property
    def history(self) -> xr.Dataset:
        """Motion over ``time``."""
        return build_history(*self.recorded) if isinstance(self.recorded, tuple) else self.recorded

    def __repr__(self) -> str:
        tilt, end = self.results["peak_tilt_ratio"], self.results["end_time"]
        return (
            f"Run({self.outcome.name} at {end:.4g} s, peak tilt {tilt:.4g} of the slenderness, "
            f"{len(self.events)} events; .results, .events, .history)"
        )

    def __getattr__(self, name: str) -> float:
        if name.startswith("_") or name == "results":  # as a copy is made, before it has results
            raise AttributeError(name)
        try:
            return self.results[name]
        except KeyError:
            raise AttributeError(f"a run has no result {name!r}; it has {', '.join(self.results)}") from None


SWEEP_TILT = 1e-6  # at which a rim that comes down in a plane is pushed out of it [rad]
PIECE = 0.2  # time of a call of the kernel, which cannot be interrupted [s]
OF_REALIZATIONS = [*({*Batch._fields} - {"seed", "point", "quantiles", "face_parameters"})]
PENETRATION = 1e-6  # of the ground at the start, over the size of the body, that is rounding [1]


class RunShaking(NamedTuple):
    """What the ground does in one run, and how long it is followed."""

    pack: MotionPack
    end: float | None  # latest time [s]; None is the tail after the motion
    lean: np.ndarray  # (2,) components of the vertical along x and y of the ground [1]
    number: int = 0  # of the motion in the pack
    scale: float = 1.0  # of the motion [1]
    azimuth: float = 0.0  # of the motion [rad]


def settings_of(controls: Controls) -> dict[str, float]:
    """Numerical settings as the record of a run has them."""
    measures = "step", "max_step", "edge_zeno_time", "rest_time"
    counts = "max_steps", "max_impacts", "max_contact_solves", "follow_fall", "stop_at_settling"
    return {
        **{name: float(getattr(controls, name)) for name in measures},
        **{name: int(getattr(controls, name)) for name in counts},
        # the lying pose is reached within this tilt; looser where the time tolerance is [rad]
        "sweep_tilt": SWEEP_TILT,
        "rest_tilt": min(1e-4, max(1e-5, 0.1 * controls.rest_time)),
        "contact_overturns": int(controls.overturned_by == "contact"),
    }


def body_tables(body: Body, base_only: bool, upright: float = 1.0) -> tuple[Topology, Any]:
    """Neighbour tables of a body, of its face 0 alone where that is all to watch, and the record of a run.

    ``upright`` is the part of gravity that acts across the ground [1].
    """
    vertices, faces = body.vertices, body.faces
    if base_only:
        vertices, faces = vertices[: len(faces[0])], faces[:1]
    top = topology(faces, len(vertices), body.base_faces)
    run = _record(top)
    # arrays of a body are read-only, which would be one more signature to compile
    inertia, vertices = np.array(body.inertia), np.array(vertices)
    run.body.rim = body.rim
    fill_constants(run.body, body.mass, inertia, vertices, upright * body.gravity, body.start_face)
    return top, run


def _record(top: Topology) -> Any:
    """The record of a run, as Python reads it where the kernel is not compiled."""
    run = new_run(top)
    return run if hasattr(run_part, "py_func") else plain(run)


def _set_start(top: Topology, run: Any, start: Start) -> None:
    start_at_rest(run)
    velocity, moves = np.array(start.velocity, float), start.slips_or_flies
    if moves and not run.friction.on:
        raise ValueError(
            "Start.position, Start.velocity and Start.yaw_rate are of bodies that slip or fly: give simulate "
            "a contact with friction too"
        )
    if start.position is not None:
        _set_flight(run, start)
        return
    state, body, vertices = run.state, run.body, run.body.vertices[: run.body.n_vertex]
    if start.edge is not None:
        own = np.flatnonzero((top.edge_faces == body.start).any(1))
        if start.edge not in own:
            raise ValueError(
                f"Start.edge must be an edge of the start face, {', '.join(map(str, own))}, got {start.edge}"
            )
        opening = body.edges[start.edge].opening
        most = opening if isfinite(opening) else pi / 2  # of a body that may lie on its base alone
        if start.tilt > most:
            raise ValueError(
                f"Start.tilt must be at most {most:.6g} rad over edge {start.edge}, where the body has "
                f"tipped over, got {start.tilt:g}"
            )
        start_tilted(run, int(start.edge), float(start.tilt), float(start.rate))
    elif start.vertex is not None:
        n = len(vertices)
        if not 0 <= start.vertex < n:
            raise ValueError(f"Start.vertex must be 0 to {n - 1}, got {start.vertex}")
        turn = rotation_matrix(start.orientation)
        heights = (vertices - vertices[start.vertex]) @ turn[2]
        if body.rim == 0.0 and heights.min() < -PENETRATION * np.ptp(vertices, axis=0).max():
            raise ValueError(
                f"Start.orientation puts vertex {heights.argmin()} {-heights.min():.3g} m below vertex "
                f"{start.vertex}, on which the body is to stand"
            )
        state.q0, state.q1, state.q2, state.q3 = np.array(start.orientation)
        state.w_x, state.w_y, state.w_z = turn.T @ np.array(start.angular_velocity)
        if body.rim > 0.0:
            _set_on_rim(run)
        else:
            state.p_x, state.p_y = (rotation_matrix(body.pose) @ vertices[start.vertex])[:2]
            run.mode, run.place = int(Mode.VERTEX), int(start.vertex)
    if moves:
        free_body(body, state, int(run.mode), int(run.place))
        state.v_x, state.v_y, state.v_z = np.array([state.v_x, state.v_y, state.v_z]) + velocity
        turning = start.yaw_rate * rotation_matrix([state.q0, state.q1, state.q2, state.q3])[2]
        state.w_x, state.w_y, state.w_z = np.array([state.w_x, state.w_y, state.w_z]) + turning
        slips = {
            Mode.REST: Mode.SPIN,
            Mode.EDGE: Mode.EDGE_SLIP,
            Mode.VERTEX: Mode.VERTEX_SLIP,
            Mode.ROLL: Mode.VERTEX_SLIP,
        }
        run.place = int(body.n_vertex) if run.mode == Mode.ROLL else run.place
        run.mode = int(slips[Mode(int(run.mode))])


FASTEST = 340.0  # speed of a corner as a body turns, where it slips or flies: that of sound [m/s]


def _check_turning(run: Any) -> None:
    """Refuse a start that turns so fast that a run with friction, in steps of an angle, hardly ends."""
    state, reach = run.state, np.linalg.norm(run.body.vertices[: run.body.n_vertex], axis=1).max()
    speed = np.linalg.norm([state.w_x, state.w_y, state.w_z])
    if run.friction.on and speed * reach > FASTEST:
        raise ValueError(
            f"Start turns the body at {speed:.4g} rad/s, and a corner at {speed * reach:.4g} m/s: with "
            f"friction Start.yaw_rate and Start.angular_velocity must keep it below sound, {FASTEST:g} m/s, "
            f"here {FASTEST / reach:.4g} rad/s"
        )


def _set_on_rim(run: Any) -> None:
    """Stand the body on the lowest point of its rim, with the COM where it is at rest."""
    state, body = run.state, run.body
    turn = rotation_matrix([state.q0, state.q1, state.q2, state.q3])
    tilt = np.hypot(*turn[2, :2])
    if tilt == 0.0:
        raise ValueError("Start.orientation must lean a body with a rim: it rolls on the lowest point")
    x, y = -body.rim * turn[2, :2] / tilt
    point = np.array([body.base_x + x, body.base_y + y, body.base_z])
    state.p_x, state.p_y = (turn @ point)[:2]
    run.mode = int(Mode.ROLL)
    if not run.friction.on:
        _check_spin(body, turn[2], point, np.array([state.w_x, state.w_y, state.w_z]))


def _check_spin(body: Any, up: np.ndarray, point: np.ndarray, w: np.ndarray) -> None:
    """Refuse an angular velocity (3,) with which the ground would have to pull on a ``point`` of a rim.

    As in `mcrock.kernel.rolling`, in body axes with all over the mass; the force is of second order in it.
    """
    x, y, z = np.array(body.inertia)[:3], np.array(body.inertia)[[1, 3, 4]], np.array(body.inertia)[[2, 4, 5]]
    theta, tilt = np.array([x, y, z]) / body.mass, np.hypot(up[0], up[1])
    along = np.cross([0.0, 0.0, 1.0], [-up[0], -up[1], 0.0]) / tilt

    def normal(w: np.ndarray) -> float:
        turning = up[2] * (up[0] * w[0] + up[1] * w[1]) / tilt**2 - w[2]
        force = np.cross(w, np.cross(w, -point) - body.rim * turning * along) + body.gravity * up
        about = theta + point @ point * np.eye(3) - np.outer(point, point)
        change = np.linalg.solve(about, np.cross(point, force) - np.cross(w, theta @ w))
        return float(up @ (force + np.cross(change, -point)))

    still, moving = normal(np.zeros(3)), normal(w)
    if moving < 0.0:
        speed = np.linalg.norm(w)
        most = speed * np.sqrt(still / (still - moving))
        raise ValueError(
            f"Start.angular_velocity of {speed:.4g} rad/s is too fast to roll: the ground would have to pull "
            f"on the rim; about this axis it holds up to {most:.4g} rad/s. With a contact the body may fly"
        )


def _set_flight(run: Any, start: Start) -> None:
    state, vertices = run.state, run.body.vertices[: run.body.n_vertex]
    position = np.array(start.position, float)
    turn = rotation_matrix(start.orientation)
    lowest = (vertices @ turn[2]).min() + position[2]
    if lowest < -PENETRATION * np.ptp(vertices, axis=0).max():
        raise ValueError(f"Start.position puts the body {-lowest:.3g} m into the ground")
    state.q0, state.q1, state.q2, state.q3 = np.array(start.orientation)
    state.w_x, state.w_y, state.w_z = turn.T @ np.array(start.angular_velocity)
    state.x, state.y, state.z = position
    state.v_x, state.v_y, state.v_z = np.array(start.velocity)
    run.mode, run.place = int(Mode.FLIGHT), -1
    place_pivot(run.body, state, 0)


@suggest_keyword
def simulate(
    body: Body,
    motion: Motion | Pulse | None = None,
    impact: Impact | None = None,
    *,
    contact: Contact | None = None,
    start: Start | None = None,
    controls: Controls | None = None,
    slope: tuple[float, float] = (0.0, 0.0),
    t_end: float | None = None,
    history: bool = True,
) -> Run:
    """One run of a body.

    Parameters
    ----------
    body : Body
    motion : Motion or Pulse, optional
        Ground acceleration; none for free rocking.
    impact : Impact, optional
        Impact parameters; lambda = lambda_lon = 1 and nothing lateral by default, the extension
        of Housner's rule.
    contact : Contact, optional
        Friction and restitution; by default contacts stick and nothing rebounds.
    start : Start, optional
        At rest on the base by default.
    controls : Controls, optional
        Numerical settings.
    slope : tuple of 2 float
        Angles by which the ground rises along x and y, less than 40 deg [rad]; heights and tilts are over
        it.
    t_end : float, optional
        Latest time [s]; by default ``controls.tail`` after the motion is over.
    history : bool
        Whether to keep history and event list.

    Returns
    -------
    Run

    Raises
    ------
    ValueError
        If an argument is not what it must be, or ``start`` does not fit the body.

    Examples
    --------
    >>> from mcrock.body import cuboid
    >>> run = simulate(cuboid(0.4, 0.4, 1.6, 2600), start=Start(edge=0, tilt=0.1))
    >>> run.outcome.name, round(run.events[0]["t"], 4), run.events[0]["kind"]
    ('AT_REST', 0.3744, 'facet_impact')
    """
    _check_arguments(body=body, motion=motion, impact=impact, contact=contact, start=start, controls=controls)
    if t_end is not None:
        t_end = Number("s", least=0.0).check("simulate.t_end", t_end)
    lean = _lean(slope)
    impact, controls, start = impact or Impact(), controls or Controls(), start or Start()
    pack = pack_motions([motion]) if motion is not None else STILL
    law = impact_law(impact, len(body.faces))
    contact = contact or Contact()
    if contact.sticks and not start.slips_or_flies:
        contact = Contact()
    check_contact(impact, contact)
    values = contact.values()
    if body.rim > 0.0:
        placed = impact.tau_facet is not None or impact.point is not None
        _check_rim(controls, placed)
        if (impact.clearance or 0.0) >= body.slenderness:
            raise ValueError(
                f"Impact.clearance must be below the slenderness, {body.slenderness:.4g} rad, got "
                f"{impact.clearance:g}"
            )
    base_only = body.stands_clear and body.start_face == 0 and not controls.follow_fall and values is None
    shaking = RunShaking(pack, t_end, lean)
    return _followed(impact.own_law, body, base_only, shaking, law, values, start, controls, history)


def _check_rim(controls: Controls, placed: bool) -> None:
    """Refuse what a body that rolls on its rim cannot have yet."""
    found = {"Controls.follow_fall is": controls.follow_fall, "impact.tau_facet and Impact.point are": placed}
    for what, given in found.items():
        if given:
            raise ValueError(f"{what} not for a body with a rim yet: stand it on a polygon (sides = 48)")


def _lean(slope: tuple[float, float]) -> np.ndarray:
    """Components of the vertical along x and y of ground with a slope (2,) [1]."""
    angles = np.asarray(slope, float)
    if angles.shape != (2,) or not (np.abs(angles) <= radians(STEEPEST)).all():
        raise ValueError(
            f"simulate.slope must be two angles of the ground along x and y within {STEEPEST:g} deg "
            f"[rad], got {shown(slope)}"
        )
    return np.sin(angles)


def impact_law(impact: Impact, n_face: int) -> ImpactLaw:
    """Impact parameters of one run as the kernel reads them, for a body of some faces."""
    values = impact.values()
    return ImpactLaw(
        values,
        np.zeros(len(values), dtype=np.int8),
        np.zeros((len(values), 1)),
        impact.face_parameters(n_face),
        code_of("law", impact.law),
        code_of("energy_gain", impact.energy_gain),
        code_of("facet_fallback", impact.facet_fallback or options("facet_fallback")[0]),
        np.array(impact.point if impact.point is not None else (np.nan, np.nan), float),
        np.uint64(0),
        np.uint64(0),
        getattr(impact.own_law, "address", 0),
    )


def _check_arguments(**arguments: Any) -> None:
    kinds: dict[str, tuple[tuple[type, ...], str]] = {
        "body": ((Body,), "a Body, as cuboid() makes one"),
        "motion": ((Motion, Pulse, type(None)), "one Motion or Pulse"),
        "impact": ((Impact, type(None)), "an Impact, as in Impact(lambda_=0.9)"),
        "contact": ((Contact, type(None)), "a Contact, as in Contact(friction=0.5)"),
        "start": ((Start, type(None)), "a Start, as in Start(edge=0, tilt=0.1)"),
        "controls": ((Controls, type(None)), "Controls, as in Controls(tail=10)"),
    }
    for name, value in arguments.items():
        if not isinstance(value, kinds[name][0]):
            raise ValueError(f"simulate.{name} must be {kinds[name][1]}, got {shown(value)}")


def simulate_realization(
    inputs: Inputs, row: int, level: int, motions: MotionPack, controls: Controls | None = None
) -> tuple[Body, Run]:
    """Replay one run of a study with its history.

    Parameters
    ----------
    inputs : Inputs
        Of the realizations ``inputs.start`` on.
    row, level : int
        Realization within ``inputs`` and index of the intensity.
    motions : MotionPack
    controls : Controls, optional

    Returns
    -------
    Body, Run
        The results equal those of the study to the last bit.
    """
    controls, own_law = controls or Controls(), OwnLaw.given(inputs.own_law)
    body = Body(
        inputs.mass[row],
        inputs.inertia[row],
        inputs.vertices[row],
        inputs.gravity[row],
        faces=inputs.faces,
        start_face=int(inputs.start_face[row]),
        base_faces=inputs.base_faces,
        rim=0.0 if inputs.rim is None else inputs.rim[row],
        parts=tuple((vertices[row], faces) for vertices, faces in inputs.parts),
    )
    law = ImpactLaw(
        inputs.impact[row],
        inputs.redrawn[row],
        inputs.quantiles,
        inputs.face_parameters,
        int(inputs.law[row]),
        int(inputs.energy_gain[row]),
        int(inputs.facet_fallback[row]),
        np.full(2, np.nan),
        np.uint64(inputs.seed),
        np.uint64(inputs.number[row]),
        own_law.address if own_law else 0,
    )
    contact = None if inputs.contact is None else inputs.contact[row]
    base_only = inputs.stands_clear and not controls.follow_fall and contact is None
    number, scale = int(inputs.record[row]), float(inputs.scale[row, level])
    shaking = RunShaking(motions, None, inputs.slope[row], number, scale, inputs.azimuth[row])
    start = _start_of(inputs, row)
    return body, _followed(own_law, body, base_only, shaking, law, contact, start, controls, True)


def _start_of(inputs: Inputs, row: int) -> Start:
    tilt = float(inputs.start_tilt[row])
    return Start(edge=int(inputs.start_edge[row]), tilt=tilt) if tilt else Start()


def _followed(own_law: Any, *arguments: Any) -> Run:
    """`_traced`; with a law of a user, whose address another process has not, once all is compiled."""
    if own_law is None:
        return run_while_compiling(_traced, *arguments)
    with own_law.watched():
        return _traced(*arguments)


def _traced(
    body: Body,
    base_only: bool,
    shaking: RunShaking,
    law: ImpactLaw,
    contact: np.ndarray | None,
    start: Start,
    controls: Controls,
    history: bool,
) -> Run:
    pack, lean, scale = shaking.pack, shaking.lean, shaking.scale
    top, run = body_tables(body, base_only, sqrt(1.0 - lean[0] ** 2 - lean[1] ** 2))
    set_fields(run.settings, settings_of(controls))
    quantiles = set_law(run, law)
    if contact is not None:
        run.friction.on = 1
        set_fields(run.friction, dict(zip(CONTACT_FIELDS, contact, strict=True)))
    run.motion, end = shaking.number, shaking.end
    run.end = float(end_of_run(pack, shaking.number, float(controls.tail)) if end is None else end)
    pull_x, pull_y = body.gravity * lean
    turned = scale * cos(shaking.azimuth), scale * sin(shaking.azimuth)
    run.turn[:] = *turned, scale, float(pull_x), float(pull_y)
    rows, events = (4096, 1024) if history else (0, 0)
    while True:
        trace = empty_trace(rows, events)
        _set_start(top, run, start)
        _check_turning(run)
        run_alone(run, pack, quantiles, trace)
        if trace.used[0] <= rows and trace.used[1] <= events:
            break
        rows, events = int(trace.used[0]), int(trace.used[1])  # the run is repeatable: once more, with room
    result = run.result
    results = {response.variable: float(result[response]) for response in _responses(contact)}
    base = body.vertices[list(body.faces[body.start_face])].mean(axis=0)
    # at rest the centre of mass is over the origin, and the base on the ground
    stand = rotation_matrix(run.body.pose) @ base * (1.0, 1.0, 0.0)
    return Run(
        Outcome(int(result[Response.OUTCOME])),
        results,
        event_list(trace.events[: trace.used[1]] if history else trace.events),
        body,
        FacetFallback(law.facet_fallback),
        (trace.history[: trace.used[0]].copy() if history else trace.history, base, stand),
    )


def set_law(run: Any, law: ImpactLaw) -> np.ndarray:
    """Write impact parameters into the record of a run; returns the tables of those that are drawn."""
    fields = law._asdict()
    quantiles: np.ndarray = fields.pop("quantiles")
    set_fields(run.law, fields)
    return quantiles


def run_alone(run: Any, motions: MotionPack, quantiles: np.ndarray, trace: Trace) -> None:
    """The run that a record has been set up for."""
    _run_part(run, motions, empty_batch(quantiles), 0.0, trace, NO_RESULTS)


def _run_part(
    run: Any, motions: MotionPack, batch: Batch, tail: float, trace: Trace, out: np.ndarray
) -> None:
    """`run_part`, which two cores compile in little more than half the time."""
    slips = True if run.friction.on else None
    arguments = {"run": run, "motions": motions, "batch": batch, "tail": tail, "trace": trace, "out": out}
    parts = parts_with_friction if slips else parts_without_friction
    examples = {"quantiles": batch.quantiles, "samples": motions.samples, "i": 0, "j": 0, "h": 0.0}
    compile_in_parallel(run_part, arguments | {"slips": slips}, parts, examples)


def _responses(contact: np.ndarray | None) -> list[Response]:
    """The responses of a run, by its parameters of contact."""
    names = outputs(friction=contact is not None)
    return [response for response in Response if response.variable in names]


def simulate_part(
    inputs: Inputs,
    motions: MotionPack,
    controls: Controls,
    device: str = CPU,
    pause: Callable[[], None] = lambda: None,
) -> dict[str, np.ndarray]:
    """All runs of consecutive realizations, without the GIL.

    Parameters
    ----------
    inputs : Inputs
        ``n`` realizations at ``m`` intensities.
    motions : MotionPack
    controls : Controls
    device : str
        ``cpu``, or ``cuda`` for a GPU.
    pause : callable
        Called before every piece of about `PIECE` seconds, and once on a GPU; what it raises ends the part.

    Returns
    -------
    dict of ndarray (n, m)
        By the variables of `Response`, in their types. A share ``controls.recheck`` of
        the realizations, picked by their own random stream, is run again at half the step, and the first
        three in any case.
    """
    if inputs.rim is not None:
        torques = inputs.impact[:, ImpactParameter["TAU_FACET"]]
        _check_rim(controls, bool(np.isfinite(torques).any()))
    if inputs.stands_clear and not controls.follow_fall and inputs.contact is None:
        n_base = len(inputs.faces[0])
        inputs = replace(inputs, vertices=inputs.vertices[:, :n_base], faces=inputs.faces[:1])
    top = topology(inputs.faces, inputs.vertices.shape[1], inputs.base_faces)
    n, m = inputs.scale.shape
    repeated = uniforms(inputs.seed, RECHECK_STREAM, inputs.start, n) < controls.recheck
    if inputs.start < ALWAYS_REPEATED and controls.recheck > 0:  # so that small studies have some too
        repeated[: ALWAYS_REPEATED - inputs.start] = True
    out = np.zeros((n, m, len(Response)))
    batch = Batch(
        seed=np.uint64(inputs.seed),
        point=np.full(2, np.nan),
        recheck=repeated,
        rim=np.zeros(n) if inputs.rim is None else np.ascontiguousarray(inputs.rim, float),
        contact=np.zeros((0, 5)) if inputs.contact is None else np.ascontiguousarray(inputs.contact, float),
        **{name: np.ascontiguousarray(getattr(inputs, name), dtype) for name, dtype in BATCH_TYPES.items()},
    )
    if device == CPU:
        run = _record(top)
        set_fields(run.settings, settings_of(controls))
        run.friction.on = inputs.contact is not None
        own_law = OwnLaw.given(inputs.own_law)
        run.law.function = own_law.address if own_law else 0
        start, size = 0, 1
        with own_law.watched() if own_law else nullcontext():
            while start < n:  # the record goes from piece to piece as from realization to realization
                pause()
                began, rows = perf_counter(), slice(start, start + size)
                piece = batch._replace(**{name: getattr(batch, name)[rows] for name in OF_REALIZATIONS})
                _run_part(run, motions, piece, float(controls.tail), empty_trace(0, 0), out[rows])
                start += size
                size = max(1, min(4 * size, int(size * PIECE / (perf_counter() - began))))
    else:
        from mcrock.simulation.device.launch import run_on_gpu

        pause()
        run_on_gpu(top, motions, batch, settings_of(controls), float(controls.tail), out)
    return {
        response.variable: out[:, :, response].astype(response.dtype)
        for response in _responses(inputs.contact)
    }
