"""A few short runs, one per thread of a GPU or one after the other on the processor.

    python -m tests.unit.kernel.cuda_runs FILE.npz

launches them in numba's CUDA simulator, which NUMBA_ENABLE_CUDASIM has to switch on. Each thread has one
realization and its own slices of constants, workspace, results and trace, and calls the compiled function
for a part of a study, as a program for a GPU would.
"""

import sys
from math import sin
from typing import NamedTuple

import numpy as np
from numba import config, cuda

from mcrock.base.params import EnergyGain, FacetFallback, MotionPack, Response
from mcrock.body import Body, cuboid, cylinder, frustum
from mcrock.excitation import Motion, Pulse, pack_motions
from mcrock.impact.conditions import Controls
from mcrock.impact.registry import ImpactParameter, Law
from mcrock.kernel.batch import Batch, run_part
from mcrock.kernel.contact import topology
from mcrock.kernel.ending import Trace, empty_trace
from mcrock.kernel.layout import fill_topology, run_type, set_fields
from mcrock.simulation.runs import settings_of

THREADS_PER_BLOCK = 2  # of the last block one is idle where the number of runs is odd
TAIL = 0.5  # time after the motion [s]
HISTORY_ROWS, EVENT_ROWS = 1500, 600
STILL, SHAKEN, PULSE = range(3)  # motions
REST, PLASTIC = int(FacetFallback.REST), int(FacetFallback.PLASTIC)
VARKONYI, KALLIONTZIS = int(Law.VARKONYI_2022), int(Law.KALLIONTZIS_2016)


def filled(*values, rest=np.nan):
    """A value for every impact parameter: lambda, tau, lambda_lon, lambda_lat, tau_facet, nu, and so on."""
    return (*values, *[rest] * (len(ImpactParameter) - len(values)))


class Case(NamedTuple):
    """One realization."""

    edge: int = 0  # of release
    tilt: float = 0.0  # of release [rad]
    motion: int = STILL
    azimuth: float = 0.0  # [rad]
    scale: float = 1.0  # [1]
    impact: tuple[float, ...] = filled(1.0, 0.0, 1.0, 0.0)
    law: int = VARKONYI
    fallback: int = REST
    redrawn: bool = False  # at every impact
    recheck: bool = False  # run again at half the step


# a block of 0.1 x 0.1 x 0.4 m on its base
BLOCK = {
    "free rocking": Case(0, 0.15),
    "free rocking that turns": Case(1, 0.15, impact=filled(0.6, 0.0, 0.6, 0.3)),
    "facet impacts with torque": Case(2, 0.1, impact=filled(0.9, 0.0, 0.8, 0.1, 0.0005)),
    "plastic facet impacts": Case(3, 0.1, impact=filled(0.9, 0.0, -0.5, 0.3), fallback=PLASTIC),
    "coming to rest": Case(0, 2e-4),
    "record": Case(motion=SHAKEN, azimuth=0.3, scale=0.45, impact=filled(0.8, 0.0, 0.8, 0.0)),
    "record, impacts drawn": Case(motion=SHAKEN, azimuth=0.3, scale=0.5, redrawn=True),
    "record, half the step": Case(
        motion=SHAKEN, azimuth=1.0, scale=0.4, impact=filled(0.7, 0.01, 0.7, 0.0), recheck=True
    ),
    "record, effective width": Case(
        motion=SHAKEN,
        azimuth=0.3,
        scale=0.45,
        impact=filled(1.0, 0.0, 1.0, 0.0, np.nan, 0.7),
        law=KALLIONTZIS,
    ),
    "record too weak": Case(motion=SHAKEN, scale=0.2),
    "pulse that overturns": Case(motion=PULSE, azimuth=0.5),
}
# a frustum that can land on all of its faces
FRUSTUM = {
    "fall over an edge": Case(0, 0.7),
    "fall that turns": Case(1, 0.6, impact=filled(0.8, 0.0, 0.7, 0.2)),
}


ON_RIM = [np.nan] * (ImpactParameter["ROLLING_LOSS"] - 4)  # between lambda_lat and the two of a rim
# a drum on its rim
DRUM = {
    "rolling with a loss": Case(0, 0.1, impact=filled(1.0, 0.0, 1.0, 0.0, *ON_RIM, 0.2)),
    "landing on an uneven base": Case(1, 0.05, impact=filled(1.0, 0.0, 0.8, 0.3, *ON_RIM, 0.1, 1e-3)),
    "record on a rim": Case(motion=SHAKEN, scale=0.8, impact=filled(1.0, 0.0, 0.9, 0.0, *ON_RIM, 0.1, 1e-3)),
}


class Launch(NamedTuple):
    """Arguments of the GPU kernel; what is written to has a leading dimension of realizations."""

    records: np.ndarray
    motions: MotionPack
    batch: Batch
    tail: float
    traces: Trace
    out: np.ndarray


def thread(i, records, motions, batch, tail, traces, out):
    """What thread ``i`` does."""
    j = i + 1
    run_part(
        records[i],
        motions,
        Batch(
            batch.seed, batch.number[i:j], batch.gravity[i:j], batch.mass[i:j], batch.inertia[i:j],
            batch.vertices[i:j], batch.start_face[i:j], batch.start_edge[i:j], batch.start_tilt[i:j],
            batch.slope[i:j], batch.record[i:j], batch.azimuth[i:j], batch.scale[i:j], batch.impact[i:j],
            batch.redrawn[i:j], batch.quantiles, batch.face_parameters, batch.law[i:j],
            batch.energy_gain[i:j],
            batch.facet_fallback[i:j], batch.point, batch.recheck[i:j], batch.rim[i:j], batch.contact,
        ),
        tail,
        Trace(traces.history[i], traces.events[i], traces.used[i]),
        out[i:j],
        None,
    )  # fmt: skip


@cuda.jit
def kernel(records, motions, batch, tail, traces, out):
    """All realizations of a launch."""
    i = cuda.grid(1)
    if i < out.shape[0]:
        thread(i, records, motions, batch, tail, traces, out)


def on_processor():
    """Results and traces of all runs by name, one run after the other."""
    found = {}
    for name, launch in launches():
        for i in range(len(launch.out)):
            thread(i, *launch)
        found.update(collected(name, launch))
    return found


def in_simulator():
    """The same, a launch of the GPU kernel for each body."""
    found = {}
    for name, launch in launches():
        moved = mapped(cuda.to_device, launch)
        kernel[-(-len(launch.out) // THREADS_PER_BLOCK), THREADS_PER_BLOCK](*moved)
        back = moved._replace(out=moved.out.copy_to_host())
        found.update(collected(name, back._replace(traces=mapped(lambda a: a.copy_to_host(), moved.traces))))
    return found


def launches():
    """Launches by the name of the body."""
    block = cuboid(0.1, 0.1, 0.4, 2700.0)
    yield "block", prepared(block.vertices[:4], block, block.faces[:1], BLOCK, follow_fall=False)
    square = [(0.1, 0.1), (-0.1, 0.1), (-0.1, -0.1), (0.1, -0.1)]
    solid = frustum(square, 0.5, 2000.0, top_scale=0.6)
    yield "frustum", prepared(solid.vertices, solid, solid.faces, FRUSTUM, follow_fall=True)
    drum = cylinder(0.2, 1.0, 8, 2000.0)
    drum = Body(drum.mass, drum.inertia, drum.vertices[:8], rim=0.2)
    yield "drum", prepared(drum.vertices, drum, drum.faces, DRUM, follow_fall=False)


def prepared(vertices, body, faces, cases, follow_fall):
    """Arguments for the cases of a body, of which ``vertices`` and ``faces`` are watched."""
    top, n = topology(faces, len(vertices)), len(cases)
    columns = Case(*map(np.array, zip(*cases.values(), strict=True)))
    redrawn = np.zeros((n, len(ImpactParameter)), np.int8)
    redrawn[columns.redrawn, : ImpactParameter["TAU_FACET"]] = 1
    low, high = filled(0.5, -0.01, 0.6, -0.2, rest=0.0), filled(1.0, 0.01, 1.0, 0.2, rest=0.0)
    batch = Batch(
        seed=np.uint64(2**63 + 7),
        number=np.arange(5, 5 + n).astype(np.uint64),
        gravity=np.full(n, body.gravity),
        mass=np.full(n, body.mass),
        inertia=np.stack([body.inertia] * n),
        vertices=np.stack([vertices] * n),
        start_face=np.zeros(n, np.int64),
        start_edge=columns.edge,
        start_tilt=columns.tilt,
        slope=np.zeros((len(columns.tilt), 2)),
        record=columns.motion,
        azimuth=columns.azimuth,
        scale=columns.scale[:, None],
        impact=columns.impact,
        redrawn=redrawn,
        quantiles=np.ascontiguousarray(np.linspace(low, high, 9).T),
        face_parameters=np.full(len(faces), int(ImpactParameter["LAMBDA_LON"])),
        law=columns.law,
        energy_gain=np.full(n, int(EnergyGain.PROJECT)),
        facet_fallback=columns.fallback,
        point=np.full(2, np.nan),
        rim=np.full(n, body.rim),
        contact=np.zeros((0, 5)),
        recheck=columns.recheck,
    )
    records = np.zeros(n, run_type(9))  # with room for the point of a rim
    for record_ in records:
        fill_topology(top, record_.body)
        set_fields(record_.settings, settings_of(Controls(step=0.04, follow_fall=follow_fall)))
    return Launch(
        records,
        pack_motions([Pulse((0.0, 0.0, 0.0), 400.0), record(), Pulse((9.0, 4.0, 0.0), 9.0)]),
        batch,
        TAIL,
        mapped(lambda array: np.stack([array] * n), empty_trace(HISTORY_ROWS, EVENT_ROWS)),
        np.zeros((n, 1, len(Response))),
    )


def record():
    """Silence, which the kernel passes over at once, and two seconds of strong shaking along three axes."""
    t = np.maximum(0.0, np.arange(500) * 0.005 - 0.5)
    sines = [[sin(w * s) for s in t] for w in (14.0, 17.0, 29.0)]
    return Motion(np.array([[6.0], [5.0], [1.5]]) * sines, dt=0.005, name="sines")


def mapped(function, pack):
    """A function of every array in a pack; numbers stay."""
    if isinstance(pack, np.ndarray) or hasattr(pack, "copy_to_host"):
        return function(pack)
    return type(pack)(*(mapped(function, item) for item in pack)) if isinstance(pack, tuple) else pack


def collected(name, launch):
    """Results and traces of a launch by name."""
    return {f"{name}_{key}": array for key, array in (*launch.traces._asdict().items(), ("out", launch.out))}


if __name__ == "__main__":
    if not config.ENABLE_CUDASIM or not config.DISABLE_JIT:
        sys.exit("set NUMBA_ENABLE_CUDASIM=1 and NUMBA_DISABLE_JIT=1")
    np.savez(sys.argv[1], **in_simulator())
