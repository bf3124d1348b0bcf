"""Runs of planar blocks: one with its history, and many in compiled loops with what those read."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import cos, hypot, isfinite, pi
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from mcrock.base.compiled_code import cores
from mcrock.base.params import Event, MotionPack, Outcome
from mcrock.base.units import variable
from mcrock.excitation import STILL, Motion, Pulse, pack_motions
from mcrock.impact.conditions import Controls
from mcrock.kernel.shaking import end_of_run
from mcrock.planar import integrate as kernel
from mcrock.planar.block import SIDES, PlanarBlock, check_planar
from mcrock.planar.integrate import (
    BLOCK_SIZE,
    EDGE_SIZE,
    REST,
    PlanarEvent,
    PlanarHistory,
    PlanarResult,
    PlanarTrace,
    empty_trace,
)
from mcrock.planar.restitution import Restitution, velocity_ratios

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


@dataclass(frozen=True, slots=True)
class PlanarRun:
    """Result of one run of a planar block.

    Attributes
    ----------
    outcome : Outcome
        How it ended. Overturned means a tilt of 90 degrees; a tilt beyond the slenderness alone does not:
        while the ground moves, blocks come back from there.
    peak_tilt, peak_tilt_ratio : float
        Largest tilt [rad], and over the smaller slenderness [1].
    peak_right, peak_left : float
        Largest tilts over the two edges [rad].
    impacts, uplifts : int
        Landings that went on over the other edge or ended in rest; departures from rest.
    overturning_time, end_time : float
        [s]; NaN if it stands.
    energy_loss : float
        Energy lost in impacts [J].
    peak_friction_demand : float
        Largest horizontal over vertical contact force while rocking, up to 45 degrees of tilt [1].
    lowest_normal_force : float
        Smallest vertical contact force over the weight, up to 45 degrees of tilt [1].
    contact_lost : bool
        Whether the ground would have had to pull before 45 degrees of tilt.
    steps : int
        Integration steps.
    events : list of dict
        Time ``t`` [s], ``kind``, ``edge`` of the motion after it ("right", "left" or None at rest),
        signed angular velocity ``rate`` after it [rad/s], ``energy_change`` [J] and ``rotation`` [rad].
    history : Dataset
        Signed `rotation` (positive over the right edge) [rad], `rate` [rad/s], `edge` (0 right, 1 left,
        -1 at rest) and mechanical `energy` above rest [J] over `time` [s].
    """

    outcome: Outcome
    peak_tilt: float
    peak_tilt_ratio: float
    peak_right: float
    peak_left: float
    impacts: int
    uplifts: int
    overturning_time: float
    end_time: float
    energy_loss: float
    peak_friction_demand: float
    lowest_normal_force: float
    contact_lost: bool
    steps: int
    events: list[dict[str, Any]]
    history: xr.Dataset


def simulate_planar(
    block: PlanarBlock,
    motion: Motion | Pulse | None = None,
    r: Restitution = "housner_1963",
    *,
    tilt: float = 0.0,
    rate: float = 0.0,
    controls: Controls | None = None,
    t_end: float | None = None,
    history: bool = False,
) -> PlanarRun:
    """One run of a planar block under the x and z components of a motion.

    Parameters
    ----------
    block : PlanarBlock
        From `rectangle`, `rectangle_of`, or `planar_block` for a body.
    motion : Motion or Pulse, optional
        Ground acceleration; none for free rocking. The y component does not act.
    r : str, float or tuple of 2 float
        Restitution: velocity ratio (not energy ratio), one for each edge, or a model, as for
        `mcrock.planar.restitution.velocity_ratios`.
    tilt, rate : float
        Signed rotation at the start [rad], positive over the right edge, and its rate [rad/s].
    controls : Controls, optional
        Numerical settings; those on edge impacts have no meaning here.
    t_end : float, optional
        Latest time [s], not negative; by default ``controls.tail`` after the motion is over.
    history : bool
        Whether to keep history and event list.

    Returns
    -------
    PlanarRun

    Raises
    ------
    ValueError
        If ``block`` is not a planar block, the start or ``t_end`` is impossible, or the restitution does not
        suit the block.

    Examples
    --------
    >>> from mcrock.planar import rectangle
    >>> run = simulate_planar(rectangle(0.4, 1.6), tilt=0.1, history=True)
    >>> run.outcome.name, round(run.events[0]["t"], 4), run.events[0]["kind"]
    ('AT_REST', 0.3744, 'facet_impact')
    """
    controls = controls or Controls()
    check_planar(block)
    if not (isfinite(tilt) and abs(tilt) < pi / 2):
        raise ValueError(f"tilt at the start must be between -pi/2 and pi/2 rad, got {tilt!r}")
    if not isfinite(rate):
        raise ValueError(f"rate at the start must be finite [rad/s], got {rate!r}")
    if t_end is not None and not (isfinite(t_end) and t_end >= 0.0):
        raise ValueError(f"t_end must be finite and >= 0 s, got {t_end!r}")
    row = block_rows([block], [velocity_ratios(block, r)])[0]
    pack = pack_motions([motion]) if motion is not None else STILL
    if t_end is None:
        t_end = end_of_run(pack, 0, float(controls.tail))
    sign = -1.0 if tilt < 0.0 or (tilt == 0.0 and rate < 0.0) else 1.0
    side = REST if tilt == rate == 0.0 else np.int64(sign < 0)
    start = (side, sign * float(tilt), sign * float(rate))
    rows, events = (4096, 1024) if history else (0, 0)
    settings, turn = settings_of(controls, follow=True), (1.0, 0.0, 1.0, 0.0, 0.0)
    while True:
        trace = empty_trace(rows, events)
        kernel.run(row, pack, 0, turn, settings, start, float(t_end), trace)
        if trace.used[0] <= rows and trace.used[1] <= events:
            break
        rows, events = int(trace.used[0]), int(trace.used[1])  # the run is repeatable: once more, with room
    return _planar_run(block, trace)


def _planar_run(block: PlanarBlock, trace: PlanarTrace) -> PlanarRun:
    result = trace.result
    right, left = float(result[PlanarResult.PEAK_RIGHT]), float(result[PlanarResult.PEAK_LEFT])
    return PlanarRun(
        outcome=Outcome(int(result[PlanarResult.OUTCOME])),
        peak_tilt=max(right, left),
        peak_tilt_ratio=float(result[PlanarResult.PEAK_RATIO]),
        peak_right=right,
        peak_left=left,
        impacts=int(result[PlanarResult.IMPACTS]),
        uplifts=int(result[PlanarResult.UPLIFTS]),
        overturning_time=float(result[PlanarResult.OVERTURNING_TIME]),
        end_time=float(result[PlanarResult.END_TIME]),
        energy_loss=block.mass * float(result[PlanarResult.ENERGY_LOSS]),
        peak_friction_demand=float(result[PlanarResult.FRICTION]),
        lowest_normal_force=float(result[PlanarResult.NORMAL_FORCE]),
        contact_lost=bool(result[PlanarResult.CONTACT_LOST]),
        steps=int(result[PlanarResult.STEPS]),
        events=[
            {
                "t": float(row[PlanarEvent.TIME]),
                "kind": Event(int(row[PlanarEvent.KIND])).name.lower(),
                "edge": SIDES[int(row[PlanarEvent.SIDE])] if row[PlanarEvent.SIDE] >= 0 else None,
                "rate": float(row[PlanarEvent.RATE]),
                "energy_change": block.mass * float(row[PlanarEvent.ENERGY_CHANGE]),
                "rotation": float(row[PlanarEvent.ROTATION]),
            }
            for row in trace.events[: trace.used[1]]
        ],
        history=_history(block, trace.history[: trace.used[0]]),
    )


def _history(block: PlanarBlock, rows: Array) -> xr.Dataset:
    column = PlanarHistory
    edge = {"flag_values": [-1, 0, 1], "flag_meanings": "rest right left"}
    energy = block.mass * rows[:, column.ENERGY]
    return xr.Dataset(
        {
            "edge": (
                "time",
                rows[:, column.SIDE].astype("i1"),
                {"long_name": "edge about which it turns", **edge},
            ),
            "rotation": variable("time", rows[:, column.ROTATION], "rad", "rotation, positive to the right"),
            "rate": variable("time", rows[:, column.RATE], "rad s-1", "angular velocity"),
            "energy": variable("time", energy, "J", "energy above rest"),
            "time": variable("time", rows[:, column.TIME], "s", "time"),
        }
    )
