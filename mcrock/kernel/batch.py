"""How a run begins, at rest on the start face or released over one of its edges; and many runs in a row."""

from __future__ import annotations

from math import cos, sin, sqrt
from typing import NamedTuple

import numpy as np

from mcrock.base.jit import jit
from mcrock.base.params import ContactColumn, Response
from mcrock.kernel import codes
from mcrock.kernel.contact import fill_constants
from mcrock.kernel.dynamics import clear_state, orientation
from mcrock.kernel.edge import lay_edge
from mcrock.kernel.integrate import integrate
from mcrock.kernel.rest import tip
from mcrock.kernel.rotation import to_ground, turned
from mcrock.kernel.shaking import end_of_run


@jit
def start_at_rest(run):
    """Stand the body on its start face with the COM over the origin of the ground frame."""
    body = run.body
    state, face = run.state, body.start
    clear_state(state)
    state.q0, state.q1, state.q2, state.q3 = body.pose[0], body.pose[1], body.pose[2], body.pose[3]
    v = body.vertices[body.face_vertices[body.face_first[face]]]
    state.p_x, state.p_y, _ = to_ground(orientation(state), v[0], v[1], v[2])
    run.mode, run.place = codes.REST, face


@jit
def start_tilted(run, k, tilt, rate):
    """Stand the body on edge ``k`` of its start face, or the point of its rim in front of it, lifted by
    ``tilt`` [rad] and turning at ``rate`` [rad/s]."""
    body, state, edge = run.body, run.state, run.body.edges[k]
    start_at_rest(run)
    if body.rim > 0.0:
        tip(run, -edge.normal_x, -edge.normal_y, tilt)
        state.w_x, state.w_y = rate * edge.along_x, rate * edge.along_y
        return
    state.angle, state.rate = tilt, rate
    q = orientation(state)
    if body.edge_faces[k, 0] != body.start:  # angles count from the other face lying flat
        q = turned(q, edge.along_x, edge.along_y, edge.along_z, -edge.opening)
        state.angle, state.rate = edge.opening - tilt, -rate
    lay_edge(edge, state, q)
    v = body.vertices[body.edge_vertices[k, 0]]
    state.p_x, state.p_y, _ = to_ground(orientation(state), v[0], v[1], v[2])
    run.mode, run.place = codes.EDGE, k


class Batch(NamedTuple):
    """Inputs of consecutive realizations, see `mcrock.base.params.Inputs`."""

    seed: np.uint64
    number: np.ndarray
    gravity: np.ndarray
    mass: np.ndarray
    inertia: np.ndarray
    vertices: np.ndarray
    start_face: np.ndarray
    start_edge: np.ndarray
    start_tilt: np.ndarray
    slope: np.ndarray  # (n, 2)
    record: np.ndarray
    azimuth: np.ndarray
    scale: np.ndarray
    impact: np.ndarray
    redrawn: np.ndarray
    quantiles: np.ndarray
    face_parameters: np.ndarray
    law: np.ndarray
    energy_gain: np.ndarray
    facet_fallback: np.ndarray
    point: np.ndarray  # (2,) impact point of `ImpactLaw`: NaN
    recheck: np.ndarray  # (n,) bool: run again at half the step
    rim: np.ndarray  # (n,) radius of a circular base [m], 0 of a polygon
    contact: np.ndarray  # (n, 5) by `mcrock.base.params.ContactColumn`, (0, 5) without friction


# of the fields of a batch that are those of the inputs; every name is looked up in both
BATCH_TYPES: dict[str, type[np.generic]] = {
    **dict.fromkeys(("gravity", "mass", "inertia", "vertices", "start_tilt", "azimuth", "scale"), np.float64),
    **dict.fromkeys(("slope", "impact", "quantiles"), np.float64),
    **dict.fromkeys(("start_face", "start_edge", "record", "face_parameters"), np.int64),
    **dict.fromkeys(("law", "energy_gain", "facet_fallback"), np.int64),
    "redrawn": np.int8,
    "number": np.uint64,
}
NO_RESULTS = np.zeros((0, 0, len(Response)))


def empty_batch(quantiles: np.ndarray) -> Batch:
    """A batch without realizations."""
    shapes: dict[str, tuple[int, ...]] = {"inertia": (0, 3, 3), "vertices": (0, 0, 3)}
    shapes |= dict.fromkeys(("slope", "scale", "impact", "redrawn", "quantiles"), (0, 0))
    fields = {name: np.zeros(shapes.get(name, (0,)), kind) for name, kind in BATCH_TYPES.items()}
    return Batch(
        seed=np.uint64(0),
        point=np.full(2, np.nan),
        recheck=np.zeros(0, np.bool_),
        rim=np.zeros(0),
        contact=np.zeros((0, len(ContactColumn))),
        **fields | {"quantiles": quantiles},
    )


@jit(internal=True)
def load_body(run, batch, i):
    """Body of realization ``i`` of a batch."""
    gravity = batch.gravity[i] * sqrt(1.0 - batch.slope[i, 0] ** 2 - batch.slope[i, 1] ** 2)
    run.body.rim = batch.rim[i]
    fill_constants(run.body, batch.mass[i], batch.inertia[i], batch.vertices[i], gravity, batch.start_face[i])


@jit(internal=True)
def load_law(run, batch, i):
    """Law, friction and motion of realization ``i`` of a batch."""
    law = run.law
    for column in range(batch.impact.shape[1]):
        law.values[column], law.redrawn[column] = batch.impact[i, column], batch.redrawn[i, column]
    for f in range(batch.face_parameters.size):
        law.face_parameters[f] = batch.face_parameters[f]
    law.law, law.energy_gain = batch.law[i], batch.energy_gain[i]
    law.facet_fallback, law.point[0], law.point[1] = batch.facet_fallback[i], batch.point[0], batch.point[1]
    law.seed, law.realization = batch.seed, batch.number[i]
    run.friction.on = batch.contact.shape[0] > 0
    if run.friction.on:
        friction, contact = run.friction, batch.contact[i]
        friction.mu, friction.static = contact[ContactColumn.FRICTION], contact[ContactColumn.STATIC_FRICTION]
        friction.restitution = contact[ContactColumn.RESTITUTION]
        friction.impact_restitution = contact[ContactColumn.IMPACT_RESTITUTION]
        friction.tangential = contact[ContactColumn.TANGENTIAL_RESTITUTION]
    run.motion = batch.record[i]


@jit(internal=True)
def load_intensity(run, batch, i, j):
    """Shaking (`mcrock.kernel.shaking.load_segment`) and start of realization ``i`` at intensity ``j``: at
    rest or released from a tilt over an edge."""
    scale, azimuth, gravity, turn = batch.scale[i, j], batch.azimuth[i], batch.gravity[i], run.turn
    turn[0], turn[1], turn[2] = scale * cos(azimuth), scale * sin(azimuth), scale
    turn[3], turn[4] = gravity * batch.slope[i, 0], gravity * batch.slope[i, 1]
    if batch.start_tilt[i] == 0.0:
        start_at_rest(run)
    else:
        start_tilted(run, batch.start_edge[i], batch.start_tilt[i], 0.0)


@jit(internal=True)
def halve_step(run, factor):
    """Settings of a run at half the step, or with 2 back again."""
    run.settings.step *= factor
    run.settings.max_step *= factor


@jit
def run_part(run, motions, batch, tail, trace, out, slips):
    """Runs of consecutive realizations at all their intensities, into ``out`` (n, m, `Response`).

    With an empty batch the one run that the record has been set up for: two functions to call from Python
    would be compiled and optimized twice. ``slips`` is that of `integrate`.
    """
    if batch.mass.shape[0] == 0:
        integrate(run, motions, batch.quantiles, trace, slips)
    for i in range(batch.mass.shape[0]):
        load_body(run, batch, i)
        load_law(run, batch, i)
        run.end = end_of_run(motions, run.motion, tail)
        for j in range(batch.scale.shape[1]):
            for half in range(2 if batch.recheck[i] else 1):
                load_intensity(run, batch, i, j)
                halve_step(run, 0.5 if half else 1.0)
                integrate(run, motions, batch.quantiles, trace, slips)
                halve_step(run, 2.0 if half else 1.0)
                if half:
                    out[i, j, Response.HALF_STEP_OUTCOME] = run.result[Response.OUTCOME]
                else:
                    for column in range(out.shape[2]):
                        out[i, j, column] = run.result[column]
