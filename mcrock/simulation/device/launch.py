"""Runs on a GPU: what a thread does, and how parts are launched.

Threads take runs of a part from a queue that they share. A thread has the record of its run in its own
memory, which a GPU lays out so that threads side by side read side by side; its type has the room that the
body needs, and the program is compiled for it.
"""

from __future__ import annotations

import operator
import threading
from functools import cache
from math import nan
from typing import Any

import numpy as np
from numba import config, cuda
from numpy.typing import NDArray

from mcrock.base.compiled_code import cache_folder, folder_name
from mcrock.base.params import MotionPack, PulseColumn, Response
from mcrock.impact.planar import at_address
from mcrock.kernel.batch import Batch, halve_step, load_intensity, load_realization
from mcrock.kernel.contact import Topology
from mcrock.kernel.ending import Trace
from mcrock.kernel.integrate import integrate
from mcrock.kernel.layout import corners_of_type, fill_topology, run_type, set_fields
from mcrock.kernel.shaking import end_of_run
from mcrock.simulation.device import is_simulated


@cache
def allow_members() -> None:
    """Have numba-cuda take ``array[Column.NAME]`` and ``array[i, Column.NAME]``, read or assigned to."""
    from numba.cuda import types
    from numba.cuda.extending import overload
    from numba.cuda.typing.arraydecl import GetItemBuffer, SetItemBuffer
    from numba.cuda.typing.templates import infer_global

    @overload(at_address)
    def no_address(address, inertia, mass, height, old, new, rate, parameter):
        # a law of a user, which has one, is refused
        return lambda address, inertia, mass, height, old, new, rate, parameter: nan

    def as_integers(index: Any) -> Any:
        if isinstance(index, types.IntEnumMember):
            return types.intp
        if isinstance(index, types.BaseTuple):
            return types.BaseTuple.from_types([as_integers(item) for item in index])
        return index

    @infer_global(operator.getitem)
    class GetByMember(GetItemBuffer):
        def generic(self, args: Any, kws: Any) -> Any:
            array, index = args
            return super().generic((array, as_integers(index)), kws)

    @infer_global(operator.setitem)
    class SetByMember(SetItemBuffer):
        def generic(self, args: Any, kws: Any) -> Any:
            array, index, value = args
            return super().generic((array, as_integers(index), value), kws)


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


BLOCK = 64  # threads
RESIDENT = 256  # threads for each multiprocessor: each takes 255 registers, of 65,536
SHARE = 0.5  # of the free memory that the records of threads may take
LARGEST = 512 * 1024  # record that a thread can have [byte]

config.CUDA_LOW_OCCUPANCY_WARNINGS = 0  # type: ignore[attr-defined]  # small studies may be small

_LOCK = threading.Lock()  # parts of several threads of the processor take turns
_HELD: list[tuple[MotionPack, Any]] = []  # the motions that are on the GPU, last of one study


def run_on_gpu(
    top: Topology,
    motions: MotionPack,
    batch: Batch,
    settings: dict[str, float],
    tail: float,
    out: NDArray[np.float64],
) -> None:
    """What `mcrock.kernel.integrate.run_part` does, for contacts that stick.

    Raises
    ------
    ValueError
        If the body has too many vertices for the memory of a thread.
    """
    codes = run_codes(motions, batch)
    with _LOCK:
        if not is_simulated():
            allow_members()
        template = template_of(top, settings)
        n, results = _threads(template, len(codes)), _moved(out)
        program(room_of(top))[n // BLOCK, BLOCK](
            _moved(template), _motions_there(motions), _moved(batch), tail, _moved(codes),
            _moved(np.zeros(1, np.int64)), _moved(np.zeros((0, 1))), _moved(np.zeros(2, np.int64)), results,
        )  # fmt: skip
        results.copy_to_host(out)


def run_codes(motions: MotionPack, batch: Batch) -> NDArray[np.int64]:
    """Runs in the order in which threads take them.

    The code of a run is twice its number, by realization and then intensity, and one more for its repetition
    at half the step. The threads of a warp wait for the longest of their runs, and in the end all wait for
    the last one: so first come the repetitions, then strong shaking, and last what hardly moves.
    """
    strength = np.abs(batch.scale) * _peaks(motions)[batch.record][:, None]
    order = np.argsort(-strength, axis=None, kind="stable").astype(np.int64)
    again = order[batch.recheck[order // batch.scale.shape[1]]]
    return np.concatenate([2 * again + 1, 2 * order])


def _peaks(motions: MotionPack) -> NDArray[np.float64]:
    """Largest horizontal acceleration of each motion along one axis [m/s2]."""
    peaks = np.abs(motions.pulse[:, [PulseColumn.A_X, PulseColumn.A_Y]]).max(axis=1, initial=0.0)
    for i, (first, length) in enumerate(zip(motions.first, motions.length, strict=True)):
        if length:
            peaks[i] = np.abs(motions.samples[first : first + length, :2]).max()
    return peaks


def room_of(top: Topology) -> int:
    """Vertices that the record of a body on a GPU has room for: a power of two, so that few programs do."""
    return corners_of_type(top, least=4, growth=2)


def template_of(top: Topology, settings: dict[str, float]) -> NDArray[Any]:
    """A record (1,) with what is the same in all runs."""
    template = np.zeros(1, run_type(room_of(top)))
    if template.nbytes > LARGEST:
        raise ValueError(
            f"device cuda: a body of {len(top.neighbours)} vertices needs {template.nbytes // 1024} KiB for "
            f"a run, a thread of a GPU has {LARGEST // 1024} KiB; leave --device out"
        )
    fill_topology(top, template[0].body)
    set_fields(template[0].settings, settings)
    return template


def _threads(template: NDArray[Any], n_runs: int) -> int:
    """Threads of a launch: a whole number of blocks, as many as the GPU holds at a time."""
    needed = -(-n_runs // BLOCK) * BLOCK
    if is_simulated():
        return needed
    context = cuda.current_context()
    fit = int(SHARE * context.get_memory_info().free / template.nbytes) // BLOCK * BLOCK
    return max(BLOCK, min(needed, RESIDENT * context.device.MULTIPROCESSOR_COUNT, fit))


def _motions_there(motions: MotionPack) -> Any:
    """A pack on the GPU, which is sent once."""
    if not (_HELD and _HELD[0][0] is motions):
        _HELD[:] = [(motions, _moved(motions))]
    return _HELD[0][1]


def _moved(item: Any) -> Any:
    """An array, or all arrays of a pack, on the GPU; numbers stay."""
    if isinstance(item, tuple):
        return type(item)(*map(_moved, item))
    return cuda.to_device(item) if isinstance(item, np.ndarray) else item
