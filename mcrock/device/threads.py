"""What the threads of a GPU do: runs of a part, from a queue that they share.

Arrays of fixed size are local to a thread. Those whose size depends on the body are views of arrays for all
threads, which stand along the last axis: threads side by side then read memory side by side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import config, cuda

from mcrock.code_cache import cache_folder, folder_name
from mcrock.impact.dispatch import ImpactLaw
from mcrock.kernel.contact import SCALARS_SIZE, Constants, fill_constants
from mcrock.kernel.dynamics import STATE_SIZE
from mcrock.kernel.edge_train import MAP_SIZE
from mcrock.kernel.integrate import Workspace, pull_down, run, turn_of
from mcrock.kernel.record import RESULT_SIZE, Trace
from mcrock.kernel.shaking import SEGMENT_SIZE, end_of_run
from mcrock.kernel.start import set_start
from mcrock.kernel.window import MOST_SAMPLES, WINDOW_SIZE
from mcrock.response import Response

# numba-cuda sees no edits in imported files
config.CACHE_DIR = str(cache_folder() / folder_name(__file__))  # type: ignore[attr-defined]
N_RESPONSES = len(Response)
MAPS, WINDOW = (2, MAP_SIZE), (MOST_SAMPLES + 1, WINDOW_SIZE)  # shapes of `Workspace`
OUTCOME, HALF_STEP = int(Response.OUTCOME), int(Response.HALF_STEP_OUTCOME)


class Room(NamedTuple):
    """Arrays of the kernel whose size depends on the body, with an axis of threads at the end."""

    vertices: np.ndarray  # of `Constants`
    pivots: np.ndarray
    edges: np.ndarray
    faces: np.ndarray
    corners: np.ndarray
    standing: np.ndarray
    sides: np.ndarray  # of `Workspace`
    heights: np.ndarray


@cuda.jit(device=True)
def compute(code, t, top, motions, batch, settings, halved, tail, room, out):
    """The run of a code, in the room of thread ``t``: all responses, or the outcome at half the step."""
    half, n_intensity = code % 2, batch.scale.shape[1]
    i, j = code // 2 // n_intensity, code // 2 % n_intensity
    body = Constants(
        cuda.local.array(SCALARS_SIZE, np.float64),
        cuda.local.array(6, np.float64),
        room.vertices[:, :, t],
        room.pivots[:, :, t],
        room.edges[:, :, t],
        room.faces[:, :, t],
        room.corners[:, :, t],
        cuda.local.array(4, np.float64),
        cuda.local.array(1, np.int64),
        room.standing[:, t],
    )
    work = Workspace(
        cuda.local.array(STATE_SIZE, np.float64),
        cuda.local.array(STATE_SIZE, np.float64),
        cuda.local.array(2, np.int64),
        cuda.local.array(SEGMENT_SIZE, np.float64),
        room.sides[:, :, t],
        cuda.local.array(RESULT_SIZE, np.float64),
        room.heights[:, :, t],
        cuda.local.array(MAPS, np.float64),
        cuda.local.array(WINDOW, np.float64),
    )
    result = cuda.local.array(RESULT_SIZE, np.float64)
    nothing = room.vertices[:0, :, t]
    trace = Trace(nothing, nothing, cuda.local.array(2, np.int64))
    fill_constants(
        top,
        batch.mass[i],
        batch.inertia[i],
        batch.vertices[i],
        pull_down(batch, i),
        batch.start_face[i],
        body,
    )
    law = ImpactLaw(
        batch.impact[i],
        batch.redrawn[i],
        batch.quantiles,
        batch.face_parameters,
        batch.law[i],
        batch.energy_gain[i],
        batch.facet_fallback[i],
        batch.point,
        batch.seed,
        batch.number[i],
    )
    motion, turn = batch.record[i], turn_of(batch, i, j)
    set_start(top, body, work, batch.start_edge[i], batch.start_tilt[i])
    chosen, t_end = halved if half else settings, end_of_run(motions, motion, tail)
    run(top, body, motions, motion, turn, law, chosen, t_end, work, result, trace, None)
    if half:
        out[i, j, HALF_STEP] = result[OUTCOME]
        return
    for k in range(N_RESPONSES):
        if k != HALF_STEP or not batch.recheck[i]:  # which another thread writes
            out[i, j, k] = result[k]


@cuda.jit(cache=True)
def run_all(top, motions, batch, settings, halved, tail, codes, queue, room, out):
    """All runs of a part, of contacts that stick."""
    t = cuda.grid(1)
    while True:
        k = cuda.atomic.add(queue, 0, 1)
        if k >= codes.shape[0]:
            break
        compute(codes[k], t, top, motions, batch, settings, halved, tail, room, out)
