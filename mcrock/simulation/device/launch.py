"""A part of a study on a GPU: its inputs go there, its results come back."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numba import config, cuda
from numpy.typing import NDArray

from mcrock.base.params import MotionPack, PulseColumn
from mcrock.kernel.batch import Batch
from mcrock.kernel.contact import Topology
from mcrock.kernel.layout import corners_of_type, fill_topology, run_type, set_fields
from mcrock.simulation.device import is_simulated
from mcrock.simulation.device.members import allow_members
from mcrock.simulation.device.threads import program

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
