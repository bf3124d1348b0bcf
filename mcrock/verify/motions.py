"""Cases of motions: free and excited rocking, of any polyhedron, with slip, rebound and flight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import acosh, inf
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from mcrock.base.params import DECIDED, STANDARD_GRAVITY, Event, Mode, Outcome
from mcrock.body import Body, merge_coplanar, orient
from mcrock.body.faces import body_axes, face_normals, rotation_matrix
from mcrock.excitation import Motion, Pulse, fema_p695
from mcrock.impact.conditions import Contact, Controls, Impact, Start
from mcrock.kernel.contact import Topology, topology
from mcrock.kernel.friction.impacts import AT_VERTEX, OF_FACE, impact_of
from mcrock.kernel.friction.motion import STOPPED
from mcrock.kernel.layout import CONTACT_FIELDS, set_fields
from mcrock.simulation.runs import Run, body_tables, impact_law, set_law, simulate
from mcrock.verify.checks import (
    ComparedQuantity,
    case_body,
    checks_where_given,
    compare,
    impact_parameters,
    is_information,
    same,
    value_checks,
)

# some 15 times the steps that the longest of the shipped cases takes
TIGHT = Controls(step=0.004, max_step=1e-3, edge_zeno_time=1e-6, rest_time=1e-5, max_steps=200_000)


def case_impact(case: dict[str, Any]) -> Impact:
    """Impact parameters of a case; energy gains are neither refused nor projected."""
    params = case.get("params", {})
    point = tuple(params["R_xy_body"]) if "R_xy_body" in params else None
    return Impact(**impact_parameters(params), point=point, energy_gain="allow")


def case_start(case: dict[str, Any]) -> Start:
    """Initial state of a case; at rest by default."""
    initial = case.get("initial", {"mode": "REST"})
    if initial["mode"] == "EDGE":
        return Start(edge=initial["idx"], tilt=initial.get("tilt", 0.0), rate=initial.get("rate", 0.0))
    if initial["mode"] == "VERTEX":
        return Start(
            vertex=initial["idx"], orientation=initial["quat_wxyz"], angular_velocity=initial["omega"]
        )
    if initial["mode"] != "REST":
        raise ValueError(f"initial mode must be REST, EDGE or VERTEX, got {initial['mode']!r}")
    return Start()


def case_motion(
    excitation: dict[str, Any] | None, t_end: float, factor: float = 1.0
) -> Motion | Pulse | None:
    """Ground motion of a case, times ``factor``."""
    if excitation is None:
        return None
    kind = excitation["type"]
    scale = factor * excitation.get("scale", 1.0)
    if kind == "pulse":
        return Pulse(
            tuple(scale * np.array(excitation["A"], float)),
            excitation["omega_p"],
            phase=excitation.get("phase", 0.0),
            cycles=excitation.get("cycles", 1.0),
            start=excitation.get("t0", 0.0),
        )
    if kind == "ramp":
        start, slope = np.array(excitation["a0"], float), np.array(excitation["slope"], float)
        ends = np.stack([start, start + slope * t_end], axis=1)
        return Motion(scale * ends, dt=t_end, name="ramp")
    if kind != "record":
        raise ValueError(f"excitation type must be pulse, ramp or record, got {kind!r}")
    if "a" in excitation:
        return Motion(scale * np.array(excitation["a"], float).T, dt=excitation["dt"], name="record")
    window = excitation["fema_p695"]
    motion = fema_p695(window["set"], [window["record"]])[0]
    samples = motion.acceleration[:, window["first"] : window["last"]] / STANDARD_GRAVITY
    samples[:, 0] = 0.0
    return Motion(scale * window["factor"] * samples, dt=excitation.get("dt", motion.dt), name=motion.name)


def _run(case: dict[str, Any], t_end: float, factor: float = 1.0, history: bool = True) -> Run:
    return simulate(
        case_body(case),
        case_motion(case.get("excitation"), case["t_end"], factor),
        case_impact(case),
        start=case_start(case),
        controls=TIGHT,
        t_end=t_end,
        history=history,
    )


def motion_case(case: dict[str, Any]) -> Iterator[ComparedQuantity]:
    """Leading events, tilt peaks, states and maxima of one motion."""
    name, expected = case["id"], case["expected"]
    run = _run(case, case["t_end"])
    yield from event_checks(name, expected.get("events") or [], run.events)
    yield from peak_checks(name, expected.get("tilt_peaks") or [], run)
    for number, state in enumerate(expected.get("states") or []):
        yield from state_checks(name, number, state, _run(case, state["t"]))
    if not is_information("overturned", expected.get("overturned")):
        yield same(name, "overturned", expected["overturned"], run.outcome == Outcome.OVERTURNED)
    computed = {
        "t_overturn": (run.results["overturning_time"], "t_overturn_tol"),
        "max_tilt": (run.results["peak_tilt"], "max_tilt_tol"),
        "max_friction_contact": (run.results["peak_friction_demand"], "max_friction_tol"),
    }
    yield from checks_where_given(name, "", expected, computed)


def event_checks(
    name: str, expected: list[dict[str, Any]], events: list[dict[str, Any]]
) -> Iterator[ComparedQuantity]:
    """Compare the leading events in order."""
    position = 0
    for number, event in enumerate(expected):
        while position < len(events) and events[position]["kind"] == "rest" != event["kind"]:
            position += 1  # the end of a sequence of impacts, listed by some references only
        label = f"event {number} {event['kind']}"
        if position >= len(events):
            yield ComparedQuantity(name, label, event["kind"], "no such event", None, False)
            return
        found = events[position]
        position += 1
        yield same(name, label, [event["kind"], *unordered(event["to"])], [found["kind"], *found["to"]])
        values = {
            "t": (found["t"], "tol_t"),
            "omega_after": (found.get("omega"), "tol_omega"),
            "velocity_after": (found.get("velocity"), "tol_velocity"),
        }
        yield from checks_where_given(name, f"{label} ", event, values)
        if event.get("slipping") is not None:
            yield same(name, f"{label} slipping", sorted(event["slipping"]), found["slipping"])
        if event.get("face") is not None:
            yield same(name, f"{label} face", event["face"], found["face"])


def unordered(place: list[Any]) -> list[Any]:
    """A contact with the vertices of an edge in rising order."""
    return [place[0], *sorted(place[1:])]


def peak_checks(name: str, expected: list[dict[str, Any]], run: Run) -> Iterator[ComparedQuantity]:
    """Peaks by the parabola through the highest point of the history and its neighbours."""
    t, tilt = run.history["time"].values, run.history["tilt"].values
    keep = np.concatenate([[True], np.diff(t) > 1e-9])
    t, tilt = t[keep], tilt[keep]
    inner = np.flatnonzero((tilt[1:-1] >= tilt[:-2]) & (tilt[1:-1] > tilt[2:])) + 1
    for number, peak in enumerate(expected):
        label = f"tilt peak {number}"
        if len(inner) == 0:
            yield ComparedQuantity(name, label, peak["tilt"], "no peak", None, False)
            continue
        i = inner[np.abs(t[inner] - peak["t"]).argmin()]
        c2, c1, c0 = np.polyfit(t[i - 1 : i + 2] - t[i], tilt[i - 1 : i + 2] - tilt[i], 2)
        if peak.get("tol_t") is not None:
            yield compare(name, f"{label} t", peak["t"], t[i] - c1 / (2 * c2), peak["tol_t"])
        if peak.get("tol_tilt") is not None:
            yield compare(name, label, peak["tilt"], tilt[i] + c0 - c1 * c1 / (4 * c2), peak["tol_tilt"])


def state_checks(
    name: str, number: int, expected: dict[str, Any], run: Run, frame: Frame | None = None
) -> Iterator[ComparedQuantity]:
    """Compare the last state of a run, with its contact in the numbers of the body or of a frame."""
    last = run.history.isel(time=-1)
    label = f"state {number}"
    if expected.get("mode") is not None:
        mode = [Mode(int(last["mode"])).name, int(last["index"])] if frame is None else frame.last(run)[0]
        yield same(name, f"{label} mode", unordered(expected["mode"]), mode)
    values = {
        "R": (rotation_matrix(last["orientation"].values), "tol_R"),
        "omega": (last["angular_velocity"].values, "tol_omega"),
        "com": (last["com"].values, "tol_com"),
        "tilt": (float(last["tilt"]), "tol_R"),
    }
    yield from checks_where_given(name, f"{label} ", expected, values)


def quarter_period_case(case: dict[str, Any]) -> Iterator[ComparedQuantity]:
    """Time from rest at a tilt to the first facet impact, simulated and by Housner's formula."""
    name, expected, tolerance = case["id"], case["expected"], case.get("tol", {})
    body, start = case_body(case), case_start(case)
    if expected.get("linear") is not None:
        p, slenderness = edge_frequency(body, case["initial"]["idx"])
        linear = acosh(1.0 / (1.0 - start.tilt / slenderness)) / p
        yield compare(name, "linear", expected["linear"], linear, 0.0, tolerance.get("linear_rel") or 0.0)
    if expected.get("nonlinear") is not None:
        t_end = case.get("t_end", 100.0)
        run = simulate(body, None, case_impact(case), start=start, controls=TIGHT, t_end=t_end)
        first = next((e["t"] for e in run.events if e["kind"] == "facet_impact"), np.nan)
        yield compare(name, "nonlinear", expected["nonlinear"], first, tolerance.get("nonlinear_abs") or 0.0)


def edge_frequency(body: Body, edge: int) -> tuple[float, float]:
    """Frequency parameter p [rad/s] and slenderness [rad] of planar rocking about a base edge."""
    v, w = body.vertices[edge], body.vertices[(edge + 1) % len(body.vertices)]
    along = (w - v) / np.linalg.norm(w - v)
    lever = v - (v @ along) * along
    about = along @ body.inertia @ along + body.mass * lever @ lever
    radius = float(np.linalg.norm(lever))
    return float(np.sqrt(body.mass * body.gravity * radius / about)), float(body.edge_slenderness[edge])


def min_overturn_amplitude_case(case: dict[str, Any]) -> Iterator[ComparedQuantity]:
    """Smallest amplitude of an overturning band: scanned upwards from just below, then bisected."""
    name, expected, tolerance = case["id"], case["expected"], case.get("tol", {})

    def overturns(amplitude: float) -> Run | None:
        run = _run(case, case["t_end"], amplitude, history=False)
        if run.outcome not in (*DECIDED, Outcome.ROCKING):  # which a limit ended
            raise ValueError(f"the run with the amplitude {amplitude:.6g} is undecided: {run.outcome.name}")
        return run if run.outcome == Outcome.OVERTURNED else None

    for key, wanted in (("not_overturned_at", False), ("overturned_at", True)):
        if expected.get(key) is not None:
            yield same(name, f"{key} {expected[key]:.6g}", wanted, overturns(expected[key]) is not None)
    if expected.get("a_min") is None:
        return
    low = high = 0.97 * expected["a_min"]
    found = None
    for share in np.arange(0.972, 1.051, 0.002).tolist():
        low, high = high, share * expected["a_min"]
        if (found := overturns(high)) is not None:
            break
    while found is not None and high - low > 1e-7 * high:
        middle = 0.5 * (low + high)
        if (run := overturns(middle)) is not None:
            high, found = middle, run
        else:
            low = middle
    value = 0.5 * (low + high) if found is not None else np.nan
    yield compare(
        name, "a_min", expected["a_min"], value, tolerance.get("abs") or 0.0, tolerance.get("rel") or 0.0
    )
    if expected.get("impacts_before_overturn") is not None and found is not None:
        impacts = int(found.results["facet_impacts"])
        yield same(name, "impacts_before_overturn", expected["impacts_before_overturn"], impacts)


def uplift_ramp_case(case: dict[str, Any]) -> Iterator[ComparedQuantity]:
    """Uplift from rest and release of an edge under a ground acceleration that grows linearly."""
    name, expected, tolerance = case["id"], case["expected"], case.get("tol", {})
    run = _run(case, case["t_end"])
    for key, kind in (("uplift", "uplift"), ("release", "edge_release")):
        wanted = expected.get(key)
        if wanted is None:
            continue
        found = next((event for event in run.events if event["kind"] == kind), None)
        if found is None:
            yield ComparedQuantity(name, key, wanted, "no such event", None, False)
            continue
        yield compare(name, f"{key} t", wanted["t"], found["t"], tolerance.get(f"t_{key}") or 0.0)
        if "mode" in wanted:
            yield same(name, f"{key} contact", [wanted["mode"], wanted["idx"]], list(found["to"]))
        if "pivot" in wanted:
            yield same(name, f"{key} pivot", wanted["pivot"], found["to"][1])


MOTION_KINDS = {
    "free_planar": motion_case,
    "free_3d": motion_case,
    "excited": motion_case,
    "excited_record": motion_case,
    "real_record": motion_case,
    "quarter_period": quarter_period_case,
    "min_overturn_amplitude": min_overturn_amplitude_case,
    "uplift_ramp": uplift_ramp_case,
}


SLIPPING = {
    Mode.VERTEX_SLIP: ("VERTEX", (0,)),
    Mode.EDGE_SLIP_FIRST: ("EDGE", (0,)),
    Mode.EDGE_SLIP_SECOND: ("EDGE", (1,)),
    Mode.EDGE_SLIP: ("EDGE", (0, 1)),
}


@dataclass(frozen=True, slots=True)
class Frame:
    """The body of a case, and how its axes and numbers become those of the case."""

    body: Body
    top: Topology
    axes: np.ndarray  # (3, 3) from the axes of the case to those of the body
    vertex: np.ndarray  # (n_vertex,) number in the case
    face: np.ndarray  # (n_face,) lowest number in the case
    merged: np.ndarray  # (n,) number of every face of the case

    @property
    def numbers(self) -> dict[int, int]:
        """Vertices of the body by their numbers in the case."""
        return {int(number): new for new, number in enumerate(self.vertex)}

    def place(self, mode: str, index: int) -> tuple[list[Any], list[int]]:
        """A mode with its contact, and the vertices that slip in it, in the numbers of the case.

        An edge is named by its vertices in rising order.
        """
        if mode == Mode.FLIGHT.name:
            return [mode], []
        name, ends = SLIPPING.get(Mode[mode], (mode, ()))
        if name == "VERTEX":
            vertex = int(self.vertex[index])
            return [name, vertex], [vertex] if ends else []
        if name == "EDGE":
            vertices = [int(v) for v in self.vertex[self.top.edge_vertices[index]]]
            return [name, *sorted(vertices)], sorted(vertices[end] for end in ends)
        return [name, int(self.face[index])], []

    def last(self, run: Run) -> tuple[list[Any], list[int]]:
        """The last mode of a run and the vertices that slip in it."""
        row = run.history.isel(time=-1)
        return self.place(Mode(int(row["mode"])).name, int(row["index"]))

    def turned(self, orientation: list[float]) -> np.ndarray:
        """An orientation of the case as one of the body (4,)."""
        turn = Rotation.from_quat(orientation, scalar_first=True).as_matrix() @ self.axes.T
        return Rotation.from_matrix(turn).as_quat(scalar_first=True)

    def run(self, run: Run) -> Run:
        """A run in the axes and numbers of the case."""
        history = run.history.copy()
        turned = rotation_matrix(history["orientation"].values) @ self.axes
        history["orientation"] = (
            history["orientation"].dims,
            Rotation.from_matrix(turned).as_quat(scalar_first=True),
        )
        events = []
        for event in run.events:
            place, slipping = self.place(*event["to"])
            face = {} if event["face"] is None else {"face": int(self.face[event["face"]])}
            events.append(event | {"to": place, "slipping": slipping} | face)
        return replace(run, recorded=history, events=events)


def case_frame(case: dict[str, Any]) -> Frame:
    """The body of a case, with coplanar faces merged and body z along its axis."""
    given = case["body"]
    faces = orient(given["verts"], tuple(tuple(face) for face in given["faces"]))
    vertices, faces, face_map, vertex_map = merge_coplanar(given["verts"], faces)
    start = int(face_map[given["start_face"]])
    normals = face_normals(vertices[None], faces)[:, start]
    axes = body_axes(normals, given.get("axis"))[0]
    body = Body(
        given["m"],
        axes @ np.array(given["Theta"], float) @ axes.T,
        vertices @ axes.T,
        case.get("g", 9.81),
        faces=faces,
        start_face=start,
    )
    return Frame(
        body,
        topology(body.faces, len(body.vertices)),
        axes,
        np.flatnonzero(vertex_map >= 0),
        np.array([np.flatnonzero(face_map == f)[0] for f in range(len(faces))]),
        face_map,
    )


def polyhedron_impact(case: dict[str, Any], frame: Frame) -> Impact:
    """Impact parameters of a case; energy gains are neither refused nor projected."""
    params = case.get("params", {})
    own = {
        int(frame.merged[int(number)]): impact_parameters(table)
        for number, table in params.get("face_params", {}).items()
    }
    fallback = params.get("facet_fallback")
    return Impact(**impact_parameters(params), energy_gain="allow", facet_fallback=fallback, faces=own)


FRICTION = 0.5  # of a case that gives none [1]


def case_contact(case: dict[str, Any]) -> Contact:
    """Friction and restitution of a case; its ``e`` is of every contact."""
    params = case.get("params", {})
    e = params.get("e", 0.0)
    mu = params.get("mu", FRICTION)
    mu = inf if mu == "inf" else mu
    static = params.get("mu_s")
    return Contact(
        friction=mu,
        static_friction=None if mu == inf or static == "inf" else static,
        restitution=e,
        impact_restitution=e,
        tangential_restitution=params.get("e_t", 0.0),
    )


def polyhedron_start(case: dict[str, Any], frame: Frame) -> Start:
    """Initial state of a case; at rest on the start face by default."""
    initial = case.get("initial", {"mode": "REST"})
    if initial["mode"] == "FLIGHT":
        return Start(
            position=initial["com"],
            velocity=initial["velocity"],
            orientation=frame.turned(initial["quat_wxyz"]),
            angular_velocity=initial["omega"],
        )
    level = (*initial.get("velocity", (0.0, 0.0)), 0.0)
    moving = {"velocity": level, "yaw_rate": initial.get("yaw_rate", 0.0)}
    if initial["mode"] == "EDGE":
        v, w = (frame.numbers[number] for number in initial["edge"])
        sides = frame.body.faces[frame.body.start_face]
        lifts = (v, w) in zip(sides, sides[1:] + sides[:1], strict=True)
        tilt, rate = initial.get("tilt", 0.0), initial.get("rate", 0.0)
        edge = int(frame.top.edge_of[v, w])
        return Start(edge=edge, tilt=tilt if lifts else -tilt, rate=rate if lifts else -rate, **moving)
    if initial["mode"] == "VERTEX":
        return Start(
            vertex=frame.numbers[initial["idx"]],
            orientation=frame.turned(initial["quat_wxyz"]),
            angular_velocity=initial["omega"],
            **moving,
        )
    if initial["mode"] != "REST":
        raise ValueError(f"initial mode must be REST, EDGE, VERTEX or FLIGHT, got {initial['mode']!r}")
    return Start(**moving)


def polyhedron_case(case: dict[str, Any]) -> Iterator[ComparedQuantity]:
    """Leading events, tilt peaks, states, maxima and the last contact of one motion."""
    name, expected = case["id"], case["expected"]
    frame = case_frame(case)
    contact = case_contact(case) if case["kind"] in SLIDING_KINDS else None
    stops = case.get("stop_at_overturn", True)
    controls = replace(TIGHT, overturned_by="tilt", follow_fall=not stops)

    def to(t_end: float) -> Run:
        run = simulate(
            frame.body,
            case_motion(case.get("excitation"), case["t_end"]),
            polyhedron_impact(case, frame),
            contact=contact,
            start=polyhedron_start(case, frame),
            controls=controls,
            t_end=t_end,
        )
        return frame.run(run)

    run = to(case["t_end"])
    events = [event for event in run.events if stops or event["kind"] != Event.OVERTURN.name.lower()]
    if contact is not None:  # what slips from the start on is told by its mode
        events = [event for event in events if event["t"] != 0.0]
    first = [] if expected.get("first") is None else [expected["first"]]
    yield from event_checks(name, [*first, *(expected.get("events") or [])], events)
    yield from peak_checks(name, expected.get("tilt_peaks") or [], run)
    if expected.get("mode_at_0") is not None:
        place, slipping = frame.last(to(min(1e-9, case["t_end"])))
        yield same(name, "mode_at_0", unordered(expected["mode_at_0"]), place)
        if expected.get("slipping_at_0") is not None:
            yield same(name, "slipping_at_0", sorted(expected["slipping_at_0"]), slipping)
    for number, state in enumerate(expected.get("states") or []):
        at = to(state["t"])
        yield from state_checks(name, number, state, at, frame)
        if state.get("slipping") is not None:
            yield same(name, f"state {number} slipping", sorted(state["slipping"]), frame.last(at)[1])
        if state.get("velocity") is not None:
            velocity = {"velocity": (at.history["velocity"].values[-1], "tol_velocity")}
            yield from checks_where_given(name, f"state {number} ", state, velocity)
    yield from overturning_checks(name, expected, run)
    place, _ = frame.last(run)
    if not is_information("final_face", expected.get("final_face")):
        yield same(name, "final_face", ["REST", expected["final_face"]], place)
    if expected.get("final_mode") is not None:
        yield same(name, "final_mode", unordered(expected["final_mode"]), place)


def overturning_checks(name: str, expected: dict[str, Any], run: Run) -> Iterator[ComparedQuantity]:
    """Whether and when it overturned, and the largest tilt, of a body that fell that of the whole fall."""
    overturned = not np.isnan(run.results["overturning_time"])
    if not is_information("overturned", expected.get("overturned")):
        yield same(name, "overturned", expected["overturned"], overturned)
    largest = float(run.history["tilt"].max()) if overturned else run.results["peak_tilt"]
    computed = {
        "t_overturn": (run.results["overturning_time"], "t_overturn_tol"),
        "max_tilt": (largest, "max_tilt_tol"),
    }
    yield from checks_where_given(name, "", expected, computed)


def contact_impact_case(case: dict[str, Any]) -> Iterator[ComparedQuantity]:
    """One impact: velocities, impulse and energy after it, and what stays on the ground."""
    frame = case_frame(case)
    _, run = body_tables(frame.body, base_only=False)
    friction, state = run.friction, run.state
    set_fields(friction, dict(zip(CONTACT_FIELDS, np.array(case_contact(case).values()), strict=True)))
    turn = np.array(case["orientation_R"], float) @ frame.axes.T
    state.q0, state.q1, state.q2, state.q3 = Rotation.from_matrix(turn).as_quat(scalar_first=True)
    standing, landing = (
        np.array([frame.numbers[v] for v in case[key]], dtype=np.int64) for key in ("contacts", "landing")
    )
    state.x = state.y = state.z = 0.0
    state.v_x, state.v_y, state.v_z = case["velocity_before"]
    state.w_x, state.w_y, state.w_z = turn.T @ np.array(case["omega_before"], float)
    quantiles = set_law(run, impact_law(polyhedron_impact(case, frame), len(frame.body.faces)))
    kept = impact_of(run, quantiles, standing, landing)
    twist, found, mass = friction.twist, friction.found, frame.body.mass
    touching = friction.touching[:kept]
    levers = run.body.vertices[touching] @ turn.T
    slip = np.hypot(*(twist[:3] + np.cross(twist[3:], levers)).T[:2]) if kept else np.zeros(0)
    speed = max(1.0, float(np.abs(twist[:3]).max()))
    slips = slip > max(STOPPED, 1e-9 * speed)
    computed = {
        "velocity_after": twist[:3],
        "omega_after": twist[3:],
        "impulse": mass * np.array([found.i_x, found.i_y, found.i_z]),
        "dE": mass * found.gained,
        "map": {AT_VERTEX: "vertex", OF_FACE: "face"}.get(int(found.map), "multi"),
        "in_contact_after": sorted(int(frame.vertex[v]) for v in touching),
        "slipping_after": sorted(int(frame.vertex[v]) for v in touching[slips]),
        "kappa": found.kappa,
        "clipped": bool(found.clipped),
        "couple": mass * found.couple,
    }
    yield from value_checks(case, computed)


POLYHEDRON_KINDS = {"poly_free": polyhedron_case, "poly_excited": polyhedron_case}
SLIDING_KINDS = {
    "contact_impact": contact_impact_case,
    "onset": polyhedron_case,
    "slide_free": polyhedron_case,
    "slide_excited": polyhedron_case,
    "flight_free": polyhedron_case,
}
