"""Cases of bodies that slip, rebound and fly, in the axes and numbers of the case."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from mcrock.base.params import Event, Mode
from mcrock.impact.conditions import Contact, Impact, Start
from mcrock.kernel.dynamics import Q0, V_X, W_X, X
from mcrock.kernel.friction.impacts import AT_VERTEX, OF_FACE, impact_of
from mcrock.kernel.friction.motion import CLIPPED, COUPLE, GAINED, I_X, KAPPA, MAP, STOPPED
from mcrock.simulation.run import Run
from mcrock.simulation.runs import body_tables, impact_law, set_law, simulate
from mcrock.verify.checks import ComparedQuantity, checks_where_given, same, value_checks
from mcrock.verify.impacts import impact_parameters
from mcrock.verify.motions import TIGHT, case_motion, event_checks, state_checks, unordered
from mcrock.verify.polyhedra import Frame, case_frame, overturning_checks
from mcrock.verify.polyhedra import case_start as sticking_start

FRICTION = 0.5  # of a case that gives none [1]


def case_contact(params: dict[str, Any]) -> Contact:
    """Friction and restitution of a case; its ``e`` is of every contact."""
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


def case_impact(params: dict[str, Any]) -> Impact:
    """Points of the impulses of a case; energy gains are neither refused nor projected."""
    return Impact(**impact_parameters(params), energy_gain="allow")


def case_start(case: dict[str, Any], frame: Frame) -> Start:
    """Initial state of a case, with its velocities."""
    initial = case.get("initial", {"mode": "REST"})
    if initial["mode"] == "FLIGHT":
        return Start(
            position=initial["com"],
            velocity=initial["velocity"],
            orientation=frame.turned(initial["quat_wxyz"]),
            angular_velocity=initial["omega"],
        )
    start = sticking_start(case, frame)
    velocity = (*initial.get("velocity", (0.0, 0.0)), 0.0)
    return replace(start, velocity=velocity, yaw_rate=initial.get("yaw_rate", 0.0))


def contact_impact_case(case: dict[str, Any]) -> Iterator[ComparedQuantity]:
    """One impact: velocities, impulse and energy after it, and what stays on the ground."""
    frame, params = case_frame(case), case.get("params", {})
    _, run = body_tables(frame.body, base_only=False)
    friction, state = run.friction, run.state
    friction.values[:] = case_contact(params).values()
    turn = np.array(case["orientation_R"], float) @ frame.axes.T
    state[Q0 : Q0 + 4] = Rotation.from_matrix(turn).as_quat(scalar_first=True)
    numbers = {int(number): new for new, number in enumerate(frame.vertex)}
    standing, landing = (
        np.array([numbers[v] for v in case[key]], dtype=np.int64) for key in ("contacts", "landing")
    )
    state[X : X + 3] = 0.0
    state[V_X : V_X + 3] = case["velocity_before"]
    state[W_X : W_X + 3] = turn.T @ np.array(case["omega_before"], float)
    quantiles = set_law(run, impact_law(case_impact(params), len(frame.body.faces)))
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
        "impulse": mass * found[I_X : I_X + 3],
        "dE": mass * found[GAINED],
        "map": {AT_VERTEX: "vertex", OF_FACE: "face"}.get(int(found[MAP]), "multi"),
        "in_contact_after": sorted(int(frame.vertex[v]) for v in touching),
        "slipping_after": sorted(int(frame.vertex[v]) for v in touching[slips]),
        "kappa": found[KAPPA],
        "clipped": bool(found[CLIPPED]),
        "couple": mass * found[COUPLE],
    }
    yield from value_checks(case, computed)


SLIPPING = {
    Mode.VERTEX_SLIP: ("VERTEX", (0,)),
    Mode.EDGE_SLIP_FIRST: ("EDGE", (0,)),
    Mode.EDGE_SLIP_SECOND: ("EDGE", (1,)),
    Mode.EDGE_SLIP: ("EDGE", (0, 1)),
}


def place(frame: Frame, mode: str, index: int) -> tuple[list[Any], list[int]]:
    """A mode and the vertices that slip in it, as the case has them."""
    if mode == Mode.FLIGHT.name:
        return [mode], []
    name, ends = SLIPPING.get(Mode[mode], (mode, ()))
    kind = "REST" if name in ("SLIDE", "SPIN") else name
    where = [name, *frame.place(kind, index)[1:]]
    if name == "VERTEX":
        return where, [where[1]] if ends else []
    return where, sorted(int(frame.vertex[frame.top.edge_vertices[index, end]]) for end in ends)


def sliding_case(case: dict[str, Any]) -> Iterator[ComparedQuantity]:
    """Leading events, states, largest tilt and last mode of one motion with friction."""
    name, expected, params = case["id"], case["expected"], case.get("params", {})
    frame = case_frame(case)
    stops = case.get("stop_at_overturn", True)
    controls = replace(TIGHT, overturned_by="tilt", follow_fall=not stops)

    def to(t_end: float) -> Run:
        return simulate(
            frame.body,
            case_motion(case.get("excitation"), case["t_end"]),
            case_impact(params),
            contact=case_contact(params),
            start=case_start(case, frame),
            controls=controls,
            t_end=t_end,
        )

    run = to(case["t_end"])
    events = []
    for event in run.events:
        if event["t"] == 0.0 or (not stops and event["kind"] == Event.OVERTURN.name.lower()):
            continue
        where, slips = place(frame, *event["to"])
        face = {} if event["face"] is None else {"face": int(frame.face[event["face"]])}
        events.append(event | {"to": where, "slipping": slips} | face)
    wanted = list(expected.get("events") or [])
    if expected.get("first") is not None:
        wanted = [expected["first"], *wanted]
    yield from event_checks(name, wanted, events)
    if expected.get("mode_at_0") is not None:
        first = to(min(1e-9, case["t_end"])).history.isel(time=-1)
        where, slips = place(frame, Mode(int(first["mode"])).name, int(first["index"]))
        yield same(name, "mode_at_0", unordered(expected["mode_at_0"]), unordered(where))
        if expected.get("slipping_at_0") is not None:
            yield same(name, "slipping_at_0", sorted(expected["slipping_at_0"]), slips)
    for number, state in enumerate(expected.get("states") or []):
        last = frame.run(replace(to(state["t"]), events=[]))
        yield from state_checks(name, number, state, last, lambda mode, index: place(frame, mode, index)[0])
        if state.get("slipping") is not None:
            row = last.history.isel(time=-1)
            _, slips = place(frame, Mode(int(row["mode"])).name, int(row["index"]))
            yield same(name, f"state {number} slipping", sorted(state["slipping"]), slips)
        velocity = last.history["velocity"].values[-1]
        yield from checks_where_given(
            name, f"state {number} ", state, {"velocity": (velocity, "tol_velocity")}
        )
    yield from overturning_checks(name, expected, run)
    if expected.get("final_mode") is not None:
        row = run.history.isel(time=-1)
        where, _ = place(frame, Mode(int(row["mode"])).name, int(row["index"]))
        yield same(name, "final_mode", unordered(expected["final_mode"]), unordered(where))


SLIDING_KINDS = {
    "contact_impact": contact_impact_case,
    "onset": sliding_case,
    "slide_free": sliding_case,
    "slide_excited": sliding_case,
    "flight_free": sliding_case,
}
