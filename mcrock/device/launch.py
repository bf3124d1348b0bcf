"""A part of a study on a GPU: its inputs go there, its results come back."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numba import config, cuda
from numpy.typing import NDArray

from mcrock.device import is_simulated
from mcrock.device.members import allow_members
from mcrock.device.threads import Room, run_all
from mcrock.kernel.contact import Topology, empty_constants
from mcrock.kernel.integrate import Batch, Settings, empty_workspace
from mcrock.params import MotionPack, PulseColumn

BLOCK = 64  # threads
RESIDENT = 256  # threads for each multiprocessor: each takes 255 registers, of 65,536
SHARE = 0.5  # of the free memory that the room of threads may take

config.CUDA_LOW_OCCUPANCY_WARNINGS = 0  # type: ignore[attr-defined]  # small studies may be small

_LOCK = threading.Lock()  # parts of several threads of the processor take turns
_HELD: list[tuple[MotionPack, Any]] = []  # the motions that are on the GPU, last of one study


def run_on_gpu(
    top: Topology,
    motions: MotionPack,
    batch: Batch,
    settings: Settings,
    halved: Settings,
    tail: float,
    out: NDArray[np.float64],
) -> None:
    """What `mcrock.kernel.integrate.run_part` does, for contacts that stick."""
    codes = run_codes(motions, batch)
    with _LOCK:
        if not is_simulated():
            allow_members()
        n = _threads(top, len(codes))
        results = _moved(out)
        run_all[n // BLOCK, BLOCK](
            _moved(top), _motions_there(motions), _moved(batch), settings, halved, tail, _moved(codes),
            _moved(np.zeros(1, np.int64)), _made(room_of(top, n)), results,
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


def room_of(top: Topology, n: int) -> Room:
    """Shapes and types of the room of ``n`` threads: arrays that take no memory."""
    arrays = empty_constants(top)._asdict() | empty_workspace(top)._asdict()
    return Room(
        *(np.broadcast_to(arrays[name][..., None], (*arrays[name].shape, n)) for name in Room._fields)
    )


def _threads(top: Topology, n_runs: int) -> int:
    """Threads of a launch: a whole number of blocks, as many as the GPU holds at a time."""
    needed = -(-n_runs // BLOCK) * BLOCK
    if is_simulated():
        return needed
    context = cuda.current_context()
    size = sum(array.nbytes for array in room_of(top, 1))
    fit = int(SHARE * context.get_memory_info().free / size) // BLOCK * BLOCK
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


def _made(pack: Any) -> Any:
    """Arrays on the GPU of the shapes and types of a pack, with anything in them."""
    return type(pack)(*(cuda.device_array(array.shape, array.dtype) for array in pack))
