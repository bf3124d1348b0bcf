"""Cases of motions of any convex polyhedron, in the axes and numbers of the case."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from mcrock.base.params import Event, Mode
from mcrock.body import Body, merge_coplanar, orient
from mcrock.body.faces import body_axes, face_normals, rotation_matrix
from mcrock.impact.conditions import Impact, Start
from mcrock.kernel.contact import Topology, topology
from mcrock.simulation.run import Run
from mcrock.simulation.runs import simulate
from mcrock.verify.checks import ComparedQuantity, checks_where_given, is_information, same
from mcrock.verify.impacts import impact_parameters
from mcrock.verify.motions import TIGHT, case_motion, event_checks, peak_checks, state_checks


@dataclass(frozen=True, slots=True)
class Frame:
    """The body of a case, and how its axes and numbers become those of the case."""

    body: Body
    top: Topology
    axes: np.ndarray  # (3, 3) from the axes of the case to those of the body
    vertex: np.ndarray  # (n_vertex,) number in the case
    face: np.ndarray  # (n_face,) lowest number in the case
    merged: np.ndarray  # (n,) number of every face of the case

    def place(self, mode: str, index: int) -> list[Any]:
        """A contact in the numbers of the case; an edge by its vertices in rising order."""
        if mode == "EDGE":
            return [mode, *sorted(int(self.vertex[v]) for v in self.top.edge_vertices[index])]
        return [mode, int((self.vertex if mode == "VERTEX" else self.face)[index])]

    def turned(self, orientation: list[float]) -> np.ndarray:
        """An orientation of the case as one of the body (4,)."""
        turn = Rotation.from_quat(orientation, scalar_first=True).as_matrix() @ self.axes.T
        return Rotation.from_matrix(turn).as_quat(scalar_first=True)

    def run(self, run: Run) -> Run:
        """A run in the axes and numbers of the case; its list of events leaves the overturning out."""
        history = run.history.copy()
        turned = rotation_matrix(history["orientation"].values) @ self.axes
        history["orientation"] = (
            history["orientation"].dims,
            Rotation.from_matrix(turned).as_quat(scalar_first=True),
        )
        events = [
            event
            | {"to": self.place(*event["to"])}
            | ({} if event["face"] is None else {"face": int(self.face[event["face"]])})
            for event in run.events
        ]
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


def case_impact(case: dict[str, Any], frame: Frame) -> Impact:
    """Impact parameters of a case; energy gains are neither refused nor projected."""
    params = case.get("params", {})
    own = {
        int(frame.merged[int(number)]): impact_parameters(table)
        for number, table in params.get("face_params", {}).items()
    }
    fallback = params.get("facet_fallback", "rest")
    return Impact(**impact_parameters(params), energy_gain="allow", facet_fallback=fallback, faces=own)


def case_start(case: dict[str, Any], frame: Frame) -> Start:
    """Initial state of a case; at rest on the start face by default."""
    initial = case.get("initial", {"mode": "REST"})
    numbers = {int(number): new for new, number in enumerate(frame.vertex)}
    if initial["mode"] == "EDGE":
        v, w = (numbers[number] for number in initial["edge"])
        sides = frame.body.faces[frame.body.start_face]
        lifts = (v, w) in zip(sides, sides[1:] + sides[:1], strict=True)
        tilt, rate = initial.get("tilt", 0.0), initial.get("rate", 0.0)
        edge = int(frame.top.edge_of[v, w])
        return Start(edge=edge, tilt=tilt if lifts else -tilt, rate=rate if lifts else -rate)
    if initial["mode"] == "VERTEX":
        return Start(
            vertex=numbers[initial["idx"]],
            orientation=frame.turned(initial["quat_wxyz"]),
            angular_velocity=initial["omega"],
        )
    if initial["mode"] != "REST":
        raise ValueError(f"initial mode must be REST, EDGE or VERTEX, got {initial['mode']!r}")
    return Start()


def polyhedron_case(case: dict[str, Any]) -> Iterator[ComparedQuantity]:
    """Leading events, tilt peaks, states, maxima and the last face of one motion."""
    name, expected = case["id"], case["expected"]
    frame = case_frame(case)
    stops = case.get("stop_at_overturn", True)
    controls = replace(TIGHT, overturned_by="tilt", follow_fall=not stops)

    def to(t_end: float) -> Run:
        run = simulate(
            frame.body,
            case_motion(case.get("excitation"), case["t_end"]),
            case_impact(case, frame),
            start=case_start(case, frame),
            controls=controls,
            t_end=t_end,
        )
        return frame.run(run)

    run = to(case["t_end"])
    events = [event for event in run.events if stops or event["kind"] != Event.OVERTURN.name.lower()]
    yield from event_checks(name, expected.get("events") or [], events)
    yield from peak_checks(name, expected.get("tilt_peaks") or [], run)
    for number, state in enumerate(expected.get("states") or []):
        yield from state_checks(name, number, state, to(state["t"]), frame.place)
    yield from overturning_checks(name, expected, run)
    if not is_information("final_face", expected.get("final_face")):
        last = run.history.isel(time=-1)
        where = frame.place(Mode(int(last["mode"])).name, int(last["index"]))
        yield same(name, "final_face", ["REST", expected["final_face"]], where)


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


POLYHEDRON_KINDS = {"poly_free": polyhedron_case, "poly_excited": polyhedron_case}
