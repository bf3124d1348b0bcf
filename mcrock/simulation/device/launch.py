"""Runs on a GPU: what a thread does, and how parts are launched.

Threads take runs of a part from a queue that they share. The record of a run is in pieces, as the 12.7 kB of
the whole one would be in the slow memory of a GPU: what each step reads and writes is in the shared memory of
a block, what all runs have in common is there once, and what only friction needs is nowhere. Its type has
the room that the body needs, and the program is compiled for it.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Sequence
from functools import cache
from math import nan
from typing import Any

import numpy as np
from numba import config, cuda
from numpy.typing import NDArray

from mcrock.base.compiled_code import cache_folder, folder_name
from mcrock.base.params import MotionPack, PulseColumn, Response
from mcrock.impact.planar import at_address
from mcrock.kernel.batch import Batch, halve_step, load_body, load_intensity, load_law
from mcrock.kernel.contact import Topology
from mcrock.kernel.ending import Trace
from mcrock.kernel.integrate import integrate
from mcrock.kernel.layout import corners_of_type, fill_topology, record_type, run_type, set_fields
from mcrock.kernel.shaking import end_of_run
from mcrock.simulation.device import is_simulated

# by `mcrock.kernel.layout.run_type`: what only friction reads and takes no room, what changes where contacts
# stick, what all runs of a part have in common, and what is of a run but not of a step
SLIPPING = "friction bend stops since last_mode last_place swing took_off bounced count slipped"
STICKING = "q0 q1 q2 q3 w_x w_y w_z p_x p_y angle rate f0 f1 f2 f3 along_x along_y"
COMMON = "n_vertex n_edge n_face spoke_first spokes spoke_edges edge_vertices edge_faces"
COMMON += " face_first face_vertices is_base"
RARE = "law kept maps window sides"
FEW = 8  # corners up to which the heights of a step are with its state


@cache
def pieces_of(corners: int) -> tuple[Any, Any, Any]:
    """Types of the pieces of a record with room for so many vertices.

    Hot is what each step reads and writes, of a thread in shared memory; scratch is of a thread in global
    memory, whole rows at a time; so is the body of a realization, one for all threads where all have it.
    """
    whole = run_type(corners)
    rare = RARE if corners <= FEW else f"{RARE} heights"
    hot = _picked(whole, but=f"{SLIPPING} {rare} body")
    hot = {name: np.int32 if kind == np.int64 else kind for name, kind in hot.items()}
    hot["settings"] = record_type(**_picked(whole["settings"], "step max_step"))
    hot["state"] = hot["trial"] = record_type(**_picked(whole["state"], STICKING))
    hot = dict(sorted(hot.items(), key=lambda item: item[1] in (np.int32, np.uint8)))  # by their alignment
    if record_type(**hot).itemsize % 16 == 0:
        hot["odd"] = np.float64  # threads side by side then have banks of their own
    body = record_type(**_picked(whole["body"], but=COMMON))
    return record_type(**hot), record_type(**_picked(whole, rare)), record_type(body=body)


def _picked(kind: Any, names: str = "", but: str = "") -> dict[str, Any]:
    """Types of some fields of a record, or of all but some."""
    return {name: kind[name] for name in names.split() or kind.names if name not in but.split()}


class Assembled:
    """A record of which each field is in the first of several pieces that has it, or nowhere: then it is 0.

    Numba's simulator takes it as it is; `allow_records` has its type on a GPU, as many pointers.
    """

    def __init__(self, kind: Any, pieces: Sequence[Any]) -> None:
        self.__dict__.update(_kind=kind, _pieces=pieces)

    def __getattr__(self, name: str) -> Any:
        kind = self._kind.fields[name][0]
        values = [piece[name] for piece in self._pieces if name in piece.dtype.names]
        return Assembled(kind, values) if kind.names else values[0] if values else kind.type(0)

    def __setattr__(self, name: str, value: Any) -> None:
        for piece in [piece for piece in self._pieces if name in piece.dtype.names][:1]:
            piece[name] = value


@cache
def allow_records() -> None:
    """Have numba-cuda take `Assembled`."""
    from numba.cuda import cgutils, extending, types
    from numba.cuda.typing import templates

    class Assembly(types.Type):
        def __init__(self, kind: Any, pieces: tuple[Any, ...]) -> None:
            self.kind, self.pieces = kind, pieces
            super().__init__(f"Assembly({kind._code}, {[piece._code for piece in pieces]})")

        def holding(self, name: str) -> list[tuple[int, Any]]:
            return [(i, piece) for i, piece in enumerate(self.pieces) if name in piece.fields]

        def typeof(self, name: str) -> Any:
            kind, held = self.kind.typeof(name), self.holding(name)
            if isinstance(kind, types.Record):
                return Assembly(kind, tuple(piece.typeof(name) for _, piece in held))
            return held[0][1].typeof(name) if held and isinstance(kind, types.NestedArray) else kind

    @extending.register_model(Assembly)
    class Pointers(extending.core_models.StructModel):
        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, [(f"piece_{i}", piece) for i, piece in enumerate(kind.pieces)])

    @templates.infer_getattr
    class Fields(templates.AttributeTemplate):
        key = Assembly

        def generic_resolve(self, kind: Any, name: str) -> Any:
            return kind.typeof(name)

    def joined(context: Any, builder: Any, kind: Any, pointers: Any) -> Any:
        made = cgutils.create_struct_proxy(kind)(context, builder)
        for i, pointer in enumerate(pointers):
            setattr(made, f"piece_{i}", pointer)
        return made._getvalue()

    @extending.lower_getattr_generic(Assembly)  # type: ignore[untyped-decorator]
    def read(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
        there, wanted = cgutils.create_struct_proxy(kind)(context, builder, value), kind.typeof(name)
        found = [
            context.get_getattr(piece, name)(context, builder, piece, getattr(there, f"piece_{i}"), name)
            for i, piece in kind.holding(name)
        ]
        if isinstance(wanted, Assembly):
            return joined(context, builder, wanted, found)
        if not found:
            return context.get_constant_null(wanted)
        return context.cast(builder, found[0], kind.holding(name)[0][1].typeof(name), wanted)

    @extending.lower_setattr_generic(Assembly)  # type: ignore[untyped-decorator]
    def write(context: Any, builder: Any, sig: Any, args: Any, name: str) -> None:
        kind, given = sig.args
        there = cgutils.create_struct_proxy(kind)(context, builder, args[0])
        for i, piece in kind.holding(name)[:1]:
            write_there = context.get_setattr(name, templates.signature(types.none, piece, given))
            write_there(builder, (getattr(there, f"piece_{i}"), args[1]))

    @templates.infer_global(Assembled)
    class Assemble(templates.AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            return templates.signature(Assembly(args[0].dtype, tuple(args[1])), *args)

    @extending.lower_builtin(Assembled, types.DType, types.BaseTuple)  # type: ignore[untyped-decorator]
    def assemble(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointers = [builder.extract_value(args[1], i) for i in range(len(sig.args[1]))]
        return joined(context, builder, sig.return_type, pointers)


@cache
def allow_members() -> None:
    """Have numba-cuda take ``array[Column.NAME]`` and ``array[i, Column.NAME]``, read or assigned to."""
    from numba.cuda import extending, types
    from numba.cuda.typing import arraydecl, templates

    @extending.overload(at_address)
    def no_address(address, inertia, mass, height, old, new, rate, parameter):
        # a law of a user, which has one, is refused
        return lambda address, inertia, mass, height, old, new, rate, parameter: nan

    def as_integers(index: Any) -> Any:
        if isinstance(index, types.IntEnumMember):
            return types.intp
        if isinstance(index, types.BaseTuple):
            return types.BaseTuple.from_types([as_integers(item) for item in index])
        return index

    @templates.infer_global(operator.getitem)
    class GetByMember(arraydecl.GetItemBuffer):
        def generic(self, args: Any, kws: Any) -> Any:
            array, index = args
            return super().generic((array, as_integers(index)), kws)

    @templates.infer_global(operator.setitem)
    class SetByMember(arraydecl.SetItemBuffer):
        def generic(self, args: Any, kws: Any) -> Any:
            array, index, value = args
            return super().generic((array, as_integers(index), value), kws)


# numba-cuda sees no edits in imported files
config.CACHE_DIR = str(cache_folder() / folder_name(__file__))  # type: ignore[attr-defined]
N_RESPONSES = len(Response)
OUTCOME, HALF_STEP = int(Response.OUTCOME), int(Response.HALF_STEP_OUTCOME)


@cuda.jit(device=True)
def compute(code, run, motions, batch, tail, trace, out):
    """The run of a code: all responses, or the outcome at half the step."""
    half, n_intensity = code % 2, batch.scale.shape[1]
    i, j = code // 2 // n_intensity, code // 2 % n_intensity
    load_law(run, batch, i)
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
    whole, hot_type = run_type(corners), pieces_of(corners)[0]

    @cuda.jit(cache=True)
    def run_all(template, bodies, scratch, motions, batch, tail, codes, queue, nothing, used, out):
        """All runs of a part, of contacts that stick; without codes the body that all runs have."""
        me, one = cuda.grid(1), bodies.shape[0] == 1
        hot = cuda.shared.array(BLOCK, hot_type)[cuda.threadIdx.x]
        body = bodies[0 if one else me]
        run = Assembled(whole, (hot, scratch[me], body, template[0]))
        settings = template[0].settings
        run.settings.step, run.settings.max_step = settings.step, settings.max_step
        if codes.shape[0] == 0 and me == 0:
            load_body(run, batch, 0)
        trace = Trace(nothing, nothing, used)
        while True:
            k = cuda.atomic.add(queue, 0, 1)
            if k >= codes.shape[0]:
                break
            if not one:
                load_body(run, batch, codes[k] // 2 // batch.scale.shape[1])
            compute(codes[k], run, motions, batch, tail, trace, out)

    return run_all


BLOCK = 32  # threads, whose hot records fit into 48 kB of shared memory
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
            allow_records()
        room = room_of(top, int(batch.rim.any()))
        template, one = template_of(top, settings, room), same_body(batch)
        _, scratch_type, body_type = pieces_of(room)
        n, results = _threads(template, len(codes)), _moved(out)
        bodies = cuda.device_array(1 if one else n, body_type)
        scratch = cuda.device_array(n, scratch_type)
        there = _moved(template), bodies, scratch, _motions_there(motions), _moved(batch), tail
        for given, blocks in ((codes[:0], 1), (codes, n // BLOCK)) if one else ((codes, n // BLOCK),):
            program(room)[blocks, BLOCK](
                *there, _moved(given), _moved(np.zeros(1, np.int64)), _moved(np.zeros((0, 1))),
                _moved(np.zeros(2, np.int64)), results,
            )  # fmt: skip
        results.copy_to_host(out)


def same_body(batch: Batch) -> bool:
    """Whether all realizations have one body, on one slope."""
    tables = (
        batch.mass, batch.inertia, batch.vertices, batch.rim, batch.gravity, batch.start_face, batch.slope
    )  # fmt: skip
    return all(bool((table == table[:1]).all()) for table in tables)


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


def room_of(top: Topology, more: int = 0) -> int:
    """Vertices that the record of a body on a GPU has room for, with ``more`` behind its own: a power of two,
    so that few programs do."""
    return corners_of_type(top, least=4, growth=2, more=more)


def template_of(top: Topology, settings: dict[str, float], room: int) -> NDArray[Any]:
    """A record (1,) with what is the same in all runs, and ``room`` for so many vertices."""
    template = np.zeros(1, run_type(room))
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
