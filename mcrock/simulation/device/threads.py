"""What the threads of a GPU do: runs of a part, from a queue that they share.

A thread has the record of its run in its own memory, which a GPU lays out so that threads side by side read
side by side. Its type has the room that the body needs, and the program is compiled for it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from numba import config, cuda

from mcrock.base.code_cache import cache_folder, folder_name
from mcrock.base.response import Response
from mcrock.kernel.batch import halve_step, load_intensity, load_realization
from mcrock.kernel.ending import Trace
from mcrock.kernel.integrate import integrate
from mcrock.kernel.layout import run_type
from mcrock.kernel.shaking import end_of_run

# numba-cuda sees no edits in imported files
config.CACHE_DIR = str(cache_folder() / folder_name(__file__))  # type: ignore[attr-defined]
N_RESPONSES = len(Response)
OUTCOME, HALF_STEP = int(Response.OUTCOME), int(Response.HALF_STEP_OUTCOME)


@cuda.jit(device=True)
def take_template(template, run):
    """Copy who is next to whom, and the settings."""
    there, body = template.body, run.body
    body.n_vertex, body.n_edge, body.n_face = there.n_vertex, there.n_edge, there.n_face
    for v in range(there.n_vertex + 1):
        body.spoke_first[v] = there.spoke_first[v]
    for i in range(there.spoke_first[there.n_vertex]):
        body.spokes[i], body.spoke_edges[i] = there.spokes[i], there.spoke_edges[i]
    for k in range(there.n_edge):
        for end in range(2):
            body.edge_vertices[k, end] = there.edge_vertices[k, end]
            body.edge_faces[k, end] = there.edge_faces[k, end]
    for f in range(there.n_face + 1):
        body.face_first[f] = there.face_first[f]
    for f in range(there.n_face):
        body.is_base[f] = there.is_base[f]
    for i in range(there.face_first[there.n_face]):
        body.face_vertices[i] = there.face_vertices[i]
    ours, given = run.settings, template.settings
    ours.step, ours.max_step, ours.edge_zeno_time = given.step, given.max_step, given.edge_zeno_time
    ours.rest_time, ours.rest_tilt = given.rest_time, given.rest_tilt
    ours.max_steps, ours.max_impacts = given.max_steps, given.max_impacts
    ours.follow_fall, ours.contact_overturns = given.follow_fall, given.contact_overturns
    ours.stop_at_settling = given.stop_at_settling


@cuda.jit(device=True)
def compute(code, run, motions, batch, tail, trace, out):
    """The run of a code: all responses, or the outcome at half the step."""
    half, n_intensity = code % 2, batch.scale.shape[1]
    i, j = code // 2 // n_intensity, code // 2 % n_intensity
    load_realization(run, batch, i)
    run.end = end_of_run(motions, run.motion, tail)
    load_intensity(run, batch, i, j)
    if half:
        halve_step(run, 0.5)
    integrate(run, motions, batch.quantiles, trace, None)
    if half:
        halve_step(run, 2.0)
        out[i, j, HALF_STEP] = run.result[OUTCOME]
        return
    for k in range(N_RESPONSES):
        if k != HALF_STEP or not batch.recheck[i]:  # which another thread writes
            out[i, j, k] = run.result[k]


@cache
def program(corners: int) -> Any:
    """The program for bodies whose record has room for so many vertices."""
    kind = run_type(corners)

    @cuda.jit(cache=True)
    def run_all(template, motions, batch, tail, codes, queue, nothing, used, out):
        """All runs of a part, of contacts that stick."""
        room = cuda.local.array(1, kind)
        run = room[0]
        take_template(template[0], run)
        trace = Trace(nothing, nothing, used)
        while True:
            k = cuda.atomic.add(queue, 0, 1)
            if k >= codes.shape[0]:
                break
            compute(codes[k], run, motions, batch, tail, trace, out)

    return run_all
