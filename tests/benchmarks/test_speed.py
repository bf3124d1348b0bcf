"""Time of pieces of the kernel and of the named workloads, with pytest-benchmark.

    pip install -e '.[benchmark]'
    python -m pytest tests/benchmarks

Nothing here asserts a time, and the normal test run leaves the folder out. `mcrock bench` measures the
workloads with scaling and start-up; this is for comparing two versions of a piece:
``--benchmark-save NAME``, then ``--benchmark-compare``.
"""

from time import process_time

import numba
import numpy as np
import pytest

pytest.importorskip("pytest_benchmark", reason="needs the benchmark extra: pip install -e '.[benchmark]'")

from mcrock.impact.conditions import Controls
from mcrock.impact.varkonyi_2022 import edge_map, facet_map
from mcrock.simulation.runs import Start, simulate
from mcrock.verify.bench.workloads import WORKLOADS, block, prepare

REPEATS = 100_000  # of a piece in one call, so that what Python adds is small
FLIGHT = 0.1  # [s], over before anything lands
LEAN = np.array([1.0, -0.03, 0.04, 0.0]) / np.linalg.norm([1.0, -0.03, 0.04, 0.0])
pytestmark = pytest.mark.benchmark(timer=process_time)  # other load changes it little
STARTS = {
    "vertex": Start(vertex=1, orientation=LEAN, angular_velocity=(-0.1, 0.15, 0.05)),
    "edge": Start(edge=0, tilt=0.1),
}


@pytest.mark.parametrize("mode", STARTS)
def test_steps(benchmark, mode):
    """A hundred thousand steps without event, with all that the kernel watches in each."""
    controls = Controls(step=1.0, max_step=FLIGHT / REPEATS)

    def fly():
        return simulate(block(), start=STARTS[mode], controls=controls, t_end=FLIGHT, history=False)

    run = fly()
    assert run.edge_impacts == run.facet_impacts == 0
    benchmark.extra_info["steps"] = run.steps
    benchmark(fly)


@numba.njit
def _edge_impacts(n, mass, inertia, old, new, up, lambda_):
    total = 0.0
    for i in range(n):
        w = -0.3 + 1e-6 * i, 0.1, 0.05  # turns about the old pivot, the new one lands
        total += edge_map(mass, inertia, old, new, w, up, lambda_, 0.0)[0]
    return total


def test_edge_impacts(benchmark):
    """A hundred thousand maps of the angular velocity across an edge impact."""
    body = block()
    inertia = tuple(body.inertia[np.triu_indices(3)])
    old, new = (tuple(vertex) for vertex in body.vertices[:2])
    arguments = REPEATS, body.mass, inertia, old, new, (0.05, 0.0, 0.9987), 0.8
    assert np.isfinite(_edge_impacts(*arguments))
    benchmark(_edge_impacts, *arguments)


@numba.njit
def _facet_impacts(n, mass, compliance, corners, vz, point):
    total = 0.0
    for i in range(n):
        w = 1e-7 * i, -0.3  # turns about the edge at +x, the one at -x lands
        total += facet_map(mass, compliance, corners, 0, len(corners), w, vz, point)[0]
    return total


def test_facet_impacts(benchmark):
    """A hundred thousand maps of the angular velocity across a facet impact."""
    body = block()
    inertia = body.inertia[:2, :2] + body.mass * body.com_height**2 * np.eye(2)
    compliance = tuple(np.linalg.inv(inertia)[np.triu_indices(2)])
    corners = np.ascontiguousarray(body.base[:, :2])
    arguments = REPEATS, body.mass, compliance, corners, -0.06, (-0.18, 0.02)
    assert np.isfinite(_facet_impacts(*arguments))
    benchmark(_facet_impacts, *arguments)


@pytest.mark.parametrize("name", WORKLOADS)
def test_workload(benchmark, name):
    """One pass through a workload of `mcrock bench`, on one core."""
    work = prepare(name)
    benchmark.extra_info["runs"], benchmark.extra_info["steps"] = work.runs, work.run().steps
    benchmark(work.run)
