"""Many runs of planar blocks in compiled loops, and what those read of blocks and settings."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from math import cos, hypot

import numpy as np
from numpy.typing import NDArray

from mcrock.base.params import MotionPack
from mcrock.base.two_cores import cores
from mcrock.impact.conditions import Controls
from mcrock.planar import integrate as kernel
from mcrock.planar.block import PlanarBlock
from mcrock.planar.columns import BLOCK_SIZE, EDGE_SIZE, PlanarResult, empty_trace

Array = NDArray[np.float64]

PARALLEL_RUNS = 200  # fewer runs are not worth threads
LARGEST_PIECE = 2000  # runs that an interruption waits for


def settings_of(controls: Controls, follow: bool) -> kernel.Settings:
    """Numerical settings as compiled code reads them."""
    return kernel.Settings(
        float(controls.step),
        float(controls.max_step),
        float(controls.rest_time),
        int(controls.max_steps),
        int(controls.max_impacts),
        float(controls.tail),
        bool(follow),
    )


def block_rows(blocks: Sequence[PlanarBlock], ratios: Sequence[tuple[float, float]]) -> Array:
    """Blocks and their velocity ratios as compiled code reads them (n, BLOCK_SIZE)."""
    rows = np.zeros((len(blocks), BLOCK_SIZE))
    for row, block, pair in zip(rows, blocks, ratios, strict=True):
        height, barriers = block.com_height, []
        for edge, distance, slenderness, ratio in zip(
            row[: 2 * EDGE_SIZE].reshape(2, -1),
            (block.right, block.left),
            block.slendernesses,
            pair,
            strict=True,
        ):
            radius = hypot(distance, height)
            inertia = block.inertia / block.mass + radius**2
            edge[:] = slenderness, radius / inertia, radius, inertia, distance, ratio
            barriers.append(block.gravity * radius * (1.0 - cos(slenderness)))
        row[2 * EDGE_SIZE :] = (
            block.gravity, height, block.frequency, block.slenderness, min(barriers)
        )  # fmt: skip
    return rows


def run_many(
    rows: Array,
    motions: MotionPack,
    block: NDArray[np.int64],
    motion: NDArray[np.int64],
    scale: Array,
    controls: Controls,
    workers: int | None = None,
) -> Array:
    """Runs from rest, each decided by its energy when the ground comes to rest.

    Parameters
    ----------
    rows : ndarray (n_block, BLOCK_SIZE)
        From `block_rows`.
    motions : MotionPack
    block, motion : ndarray (n,)
        Row of the block and number of the motion of every run.
    scale : ndarray (n,)
        Factor on the motion [1].
    controls : Controls
    workers : int, optional
        Threads; all cores by default.

    Returns
    -------
    ndarray (n, RESULT_SIZE)
        Columns of `mcrock.planar.integrate`. They do not depend on the number of threads.

    Raises
    ------
    ValueError
        If ``workers`` is below 1.
    """
    if workers is None:
        workers = cores()
    elif workers < 1:
        raise ValueError(f"workers must be a number of threads, at least 1, got {workers!r}")
    n = len(scale)
    runs = kernel.Runs(
        block.astype(np.int64),
        motion.astype(np.int64),
        np.ascontiguousarray(scale, float),
        np.zeros((n, len(PlanarResult))),
    )
    settings = settings_of(controls, follow=False)

    def work(first: int, last: int) -> None:
        kernel.run_many(rows, motions, runs, settings, first, last, empty_trace(0, 0))

    pieces = 1 if n < PARALLEL_RUNS else max(8 * workers, n // LARGEST_PIECE)
    ends = np.linspace(0, n, 1 + pieces).astype(int)
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, ends[:-1].tolist(), ends[1:].tolist()))
    return runs.out
