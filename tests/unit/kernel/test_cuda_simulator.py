"""The source of the kernel as a program for a GPU, in numba's CUDA simulator.

One thread has one realization, with its own slices of constants, workspace and results, and no thread reads
what another writes. The simulator runs the source as plain Python: this shows that the source keeps to its
packs and slices and needs nothing of the processor's compiler. It does NOT show that a GPU compiler finds
types for it, that it fits into the registers of a GPU, nor its speed there.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mcrock.base.params import Event, EventColumn, HistoryColumn, Outcome, Response
from tests.unit.kernel.cuda_runs import BLOCK, DRUM, FRUSTUM, on_processor

# both do the same operations in the same order, and where sines come from one C library they have agreed to
# the last bit; elsewhere a rounding of 1e-16 may grow tenfold in a grazing impact
ROUNDING = 1e-9
FIRST_EVENTS = 6
RUNS = [("block", i, name) for i, name in enumerate(BLOCK)]
RUNS += [("frustum", i, name) for i, name in enumerate(FRUSTUM)]
RUNS += [("drum", i, name) for i, name in enumerate(DRUM)]
KIND_TO_INDEX = slice(EventColumn.KIND, EventColumn.INDEX + 1)


@pytest.fixture(scope="module")
def compiled():
    return on_processor()


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    """In a process of its own: the environment decides at the first import whether numba compiles."""
    file = tmp_path_factory.mktemp("cuda") / "runs.npz"
    subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.unit.kernel.cuda_runs", str(file)],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"},
        cwd=Path(__file__).parents[3],
        check=True,
    )
    return np.load(file)


def of(found, body, i, key):
    return found[f"{body}_{key}"][i]


@pytest.mark.parametrize(("body", "i"), [run[:2] for run in RUNS], ids=[run[2] for run in RUNS])
def test_threads_repeat_the_compiled_runs(compiled, simulated, body, i):
    """Motion, impact maps and events to rounding up to the first few events, and the same end."""
    ours, theirs = (of(found, body, i, "out")[0] for found in (compiled, simulated))
    ends = [Response.OUTCOME, Response.HALF_STEP_OUTCOME]
    assert (ours[ends] == theirs[ends]).all()
    rows, events = of(compiled, body, i, "used")
    close = {"rtol": ROUNDING, "atol": ROUNDING}
    if events <= FIRST_EVENTS:
        np.testing.assert_allclose(ours, theirs, **close)
    first = min(events, FIRST_EVENTS)
    ours, theirs = (of(found, body, i, "events")[:first] for found in (compiled, simulated))
    np.testing.assert_array_equal(ours[:, KIND_TO_INDEX], theirs[:, KIND_TO_INDEX])
    np.testing.assert_allclose(ours, theirs, **close)
    until = ours[-1, EventColumn.TIME] if first else np.inf
    ours, theirs = (of(found, body, i, "history")[:rows] for found in (compiled, simulated))
    early = ours[:, HistoryColumn.TIME] <= until
    np.testing.assert_allclose(ours[early], theirs[early], **close)


def test_runs_have_something_to_show(compiled):
    """All kinds of events and the ends of short runs are among them, and no list of events is too short."""
    kinds, outcomes = set(), set()
    for body, i, _ in RUNS:
        _, events = of(compiled, body, i, "used")
        assert events <= len(of(compiled, body, i, "events"))
        kinds |= set(of(compiled, body, i, "events")[:events, EventColumn.KIND])
        outcomes.add(of(compiled, body, i, "out")[0, Response.OUTCOME])
    assert kinds == {event for event in Event if event <= Event.OVERTURN}
    assert outcomes >= {Outcome.AT_REST, Outcome.SETTLING, Outcome.OVERTURNED}
