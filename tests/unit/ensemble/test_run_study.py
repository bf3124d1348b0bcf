"""Studies end to end: the result depends on nothing but the study, whatever happens on the way."""

import errno
import hashlib
import json
import multiprocessing
import os
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

import mcrock.ensemble.part
from mcrock.base.params import Outcome
from mcrock.dataset import DamageError, DatasetError, load_dataset
from mcrock.dataset.contents import chunks_done
from mcrock.dataset.create import StoreError
from mcrock.ensemble import EnsembleError, estimate_time, plan_study, run_study, schedule
from mcrock.ensemble.part import JOBS, Stopped, cut_parts, run_part
from mcrock.ensemble.schedule import _Process
from mcrock.simulation import runs
from mcrock.simulation.runs import simulate_part
from mcrock.study import load_config
from mcrock.study.sampling import load_motions
from tests.unit.conftest import copy_store


@pytest.fixture
def study(study_file):
    """40 realizations at 3 intensities, in 5 chunks of 8."""
    return load_config(study_file)


@pytest.fixture
def reference(computed, tmp_path):
    """Its result, from one worker: a store of each test's own."""
    return load_dataset(copy_store(computed, tmp_path / "reference.zarr"))


def files(path):
    """Digest of every file of a store."""
    found = [file for file in sorted(path.rglob("*")) if file.is_file() and file.suffix != ".partial"]
    return {str(f.relative_to(path)): hashlib.sha256(f.read_bytes()).hexdigest() for f in found}


def test_a_cluster_changes_no_bit(study, reference, tmp_path, monkeypatch):
    from distributed import Client, LocalCluster

    monkeypatch.setattr(schedule, "LEAST", 1e-9)  # so that the last part is cut
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
        ) as cluster,
        Client(cluster) as client,
    ):
        ds = run_study(study, tmp_path / "s.zarr", client=client)
    xr.testing.assert_identical(ds, reference)


@pytest.mark.parametrize("n", [2, 3, 5, 9])
def test_tasks_share_the_work_without_overlap(n):
    done = np.array([False, False, False, True, False])
    parts = [part for i in range(1, n + 1) for part in cut_parts(done, 8, 37, 16, (i, n))]
    computed = [realization for part in parts for realization in range(part.start, part.stop)]
    assert computed == [realization for realization in range(37) if realization // 8 != 3]


@pytest.mark.parametrize("n", [1, 2, 5, 7])
@pytest.mark.parametrize("part_size", [1, 16, 1000])
def test_parts_of_outer_draws_cover_what_is_missing_once(n, part_size):
    done = np.zeros((3, 5), bool)
    done[[0, 2], [3, 0]] = True
    parts = [part for i in range(1, n + 1) for part in cut_parts(done, 8, 37, part_size, (i, n))]
    computed = [(part.outer, i) for part in parts for i in range(part.start, part.stop)]
    assert computed == [(k, i) for k in range(3) for i in range(37) if not done[k, i // 8]]


def test_tasks_may_race_to_create_the_store(study_file, study, reference, tmp_path):
    script = textwrap.dedent("""
        import sys
        from mcrock.study import load_config
        from mcrock.ensemble import run_study
        run_study(load_config(sys.argv[1]), sys.argv[2], task=(int(sys.argv[3]), 2), workers=1)
    """)
    path = tmp_path / "s.zarr"
    command = [sys.executable, "-c", script, str(study_file), str(path)]
    tasks = [subprocess.Popen([*command, str(i)]) for i in (1, 2)]
    assert [task.wait(timeout=600) for task in tasks] == [0, 0]
    xr.testing.assert_identical(run_study(study, path, resume=True), reference)
    assert not [p.name for p in tmp_path.iterdir() if p.name.startswith(".")]


def test_what_is_there_is_not_touched(study, reference, tmp_path):
    before = files(tmp_path / "reference.zarr")
    with pytest.raises(StoreError, match=r"exists already; continue it \(--resume, in Python resume=True\)"):
        run_study(study, tmp_path / "reference.zarr")
    other = tmp_path / "folder"
    other.mkdir()
    (other / "notes.txt").write_text("years of work")
    for options in ({}, {"overwrite": True}, {"resume": True}, {"task": (1, 2)}):
        with pytest.raises(StoreError, match="is not a store of mcrock; choose another output"):
            run_study(study, other, **options)
    assert (other / "notes.txt").read_text() == "years of work"
    assert files(tmp_path / "reference.zarr") == before


def test_another_study_does_not_join(study_file, reference, tmp_path):
    path = tmp_path / "reference.zarr"
    other = load_config(study_file, ["seed=6", "ensemble.realizations=41"])
    for options in ({"resume": True}, {"task": (1, 2)}):
        with pytest.raises(StoreError, match=r"seed \(stored 5, wanted 6\)"):
            run_study(other, path, **options)
    ds = run_study(other, path, overwrite=True)
    assert ds.sizes["realization"] == 41


def test_changed_records_are_noticed(study, reference, tmp_path, study_file):
    record = study_file.parent / "one.csv"
    record.write_text(record.read_text().replace("0.000000000000000000e+00,0.0", "0.0,0.1", 1))
    with pytest.raises(StoreError, match="motions_digest"):
        run_study(study, tmp_path / "reference.zarr", resume=True)


def test_another_kernel_does_not_go_on(study, reference, tmp_path, monkeypatch):
    monkeypatch.setattr("mcrock.ensemble.opening.source_hash", lambda: "edited")
    with pytest.raises(StoreError, match=r'kernel_digest \(stored "\w+", wanted "edited"\)'):
        run_study(study, tmp_path / "reference.zarr", resume=True)


def test_time_and_place_go_to_the_log(study, reference, tmp_path):
    lines = [json.loads(line) for line in (tmp_path / "reference.zarr.log").read_text().splitlines()]
    assert [line["event"] for line in lines] == ["start", *["part"] * 5, "end"]
    assert lines[0]["workers"] == 1
    digests = {"kernel_digest", "motions_digest"}
    assert set(reference.attrs) == {"Conventions", "title", "source", "seed", "config"} | digests


def test_progress_counts_all_runs(study, tmp_path):
    states = []

    def note(progress):
        states.append((progress.finished_runs, progress.total_runs))

    ds = run_study(study, tmp_path / "s.zarr", progress=note)
    assert states[0] == (0, 120)
    assert states[-1] == (120, 120)
    assert len(states) == 1 + ds.sizes["chunk"]


def test_a_part_that_fails_is_named_and_the_others_are_stored(study, reference, tmp_path, monkeypatch):
    def fail(inputs, motions, controls, **more):
        if inputs.start == 16:
            raise OSError(errno.EIO, "Input/output error", "record.csv")
        return simulate_part(inputs, motions, controls, **more)

    path = tmp_path / "s.zarr"
    monkeypatch.setattr(mcrock.ensemble.part, "simulate_part", fail)
    message = r"realizations 16 to 23 failed: Input/output error: record\.csv\n4 of 5 chunks are done"
    with pytest.raises(EnsembleError, match=message):
        run_study(study, path, workers=2)
    assert chunks_done(path).tolist() == [True, True, False, True, True]
    assert "Traceback" in (tmp_path / "s.zarr.log").read_text()
    monkeypatch.undo()
    xr.testing.assert_identical(run_study(study, path, resume=True), reference)


def test_runs_the_kernel_leaves_out_are_an_error(study, tmp_path, monkeypatch):
    def forget(inputs, motions, controls, **more):
        outcomes = simulate_part(inputs, motions, controls, **more)
        outcomes["outcome"][:, 0] = Outcome.NOT_RUN
        return outcomes

    monkeypatch.setattr(mcrock.ensemble.part, "simulate_part", forget)
    with pytest.raises(EnsembleError, match="the kernel left out runs"):
        run_study(study, tmp_path / "s.zarr")


@pytest.mark.parametrize("n_written", [0, 1, 2, 5])
def test_a_full_disk_ends_the_run_and_loses_nothing(study, reference, tmp_path, monkeypatch, n_written):
    path, count, lock = tmp_path / "s.zarr", [0], threading.Lock()
    sync = os.fsync

    def write(file):
        with lock:
            count[0] += 1
            if count[0] > n_written:
                raise OSError(errno.ENOSPC, "No space left on device")
        sync(file)

    monkeypatch.setattr(os, "fsync", write)
    with pytest.raises(EnsembleError, match=r"s\.zarr.*No space left on device"):
        run_study(study, path, workers=2)
    monkeypatch.undo()
    if path.exists():
        assert not chunks_done(path).all()
    xr.testing.assert_identical(run_study(study, path, resume=True), reference)


def test_a_log_that_cannot_be_written_ends_the_run(study, tmp_path):
    (tmp_path / "s.zarr.log").mkdir()
    with pytest.raises(EnsembleError, match=r"Is a directory: .*s\.zarr\.log"):
        run_study(study, tmp_path / "s.zarr")


SLOW = """
    import sys, time
    from mcrock.study import load_config
    from mcrock.ensemble import part, run_study
    simulate_part = part.simulate_part
    def slow(*args, **more):
        outcomes = simulate_part(*args, **more)
        time.sleep(0.2)
        return outcomes
    part.simulate_part = slow
    run_study(load_config(sys.argv[1]), sys.argv[2], workers=1, resume=True)
"""


def test_a_killed_run_goes_on_where_it_ended(study, study_file, reference, tmp_path):
    path = tmp_path / "s.zarr"
    command = [sys.executable, "-c", textwrap.dedent(SLOW), str(study_file), str(path)]
    process = subprocess.Popen(command)
    while not path.exists() or chunks_done(path).sum() < 2:
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait()
    done = chunks_done(path)
    assert 2 <= done.sum() < len(done)
    xr.testing.assert_identical(run_study(study, path, resume=True), reference)
    assert files(path) == files(tmp_path / "reference.zarr")


def test_what_killed_processes_leave_is_removed(study, reference, tmp_path):
    path = tmp_path / "reference.zarr"
    process = subprocess.Popen([sys.executable, "-c", "pass"])
    process.wait()
    owner = f"{socket.gethostname()}-{process.pid}-{'0' * 32}"
    left = tmp_path / f".{owner}.reference.zarr.3.zip"
    left.write_text("half")
    (tmp_path / f".{owner}.reference.zarr").mkdir()
    run_study(study, path, resume=True)
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith(".")) == []
    assert not left.exists()


def test_every_lost_file_is_made_again(study, reference, tmp_path):
    path = tmp_path / "reference.zarr"
    before, expected = files(path), reference.load()
    assert set(before) == {"README.txt", "study.zip", *(f"chunks/{i}.zip" for i in range(5))}
    for file in set(before) - {"README.txt"}:
        (path / file).unlink()
        with pytest.raises((DatasetError, DamageError), match=r"zip is missing|4 of 5 chunks are done"):
            load_dataset(path)
        xr.testing.assert_identical(run_study(study, path, resume=True), expected)
        assert files(path) == before
    shutil.rmtree(path / "chunks")
    xr.testing.assert_identical(run_study(study, path, resume=True), expected)
    assert files(path) == before


@pytest.mark.parametrize("place", [40, -300, -100])
def test_a_damaged_chunk_is_computed_again(study, reference, tmp_path, place):
    path = tmp_path / "reference.zarr"
    before, expected = files(path), reference.load()
    content = bytearray((path / "chunks/2.zip").read_bytes())
    content[place] ^= 4
    (path / "chunks/2.zip").write_bytes(content)
    with pytest.warns(UserWarning, match=r"chunks/2\.zip is not as it was written; it is computed again"):
        xr.testing.assert_identical(run_study(study, path, resume=True), expected)
    assert files(path) == before
    lines = [json.loads(line) for line in (tmp_path / "reference.zarr.log").read_text().splitlines()]
    assert [line["file"] for line in lines if line["event"] == "damaged"] == ["chunks/2.zip"]
    assert [line["start"] for line in lines[-2:-1]] == [16]


def test_a_task_checks_its_share_alone(study, reference, tmp_path):
    path = tmp_path / "reference.zarr"
    for chunk in (0, 4):
        (path / f"chunks/{chunk}.zip").write_bytes(b"")
    with (
        pytest.warns(UserWarning, match=r"chunks/4\.zip is not"),
        pytest.raises(DamageError, match=r"chunks/0\.zip is not as it was written; `mcrock verify"),
    ):
        run_study(study, path, task=(2, 2))
    assert chunks_done(path).tolist() == [False, True, True, True, True]


@pytest.mark.parametrize("content", [None, b"", b"years of work"])
def test_a_store_without_its_study_is_continued_with_the_study_file(
    study, study_file, reference, tmp_path, content
):
    path = tmp_path / "reference.zarr"
    before, expected = files(path), reference.load()
    (path / "study.zip").unlink()
    if content is not None:
        (path / "study.zip").write_bytes(content)
    with pytest.raises(DamageError, match=r"study\.zip is .*; run the command .* once more with --resume"):
        load_dataset(path)
    assert plan_study(study, path, resume=True)[1:] == (5, 5, 0)
    with pytest.raises(StoreError, match="holds another study"):
        run_study(load_config(study_file, ["seed=6"]), path, resume=True)
    xr.testing.assert_identical(run_study(study, path, resume=True), expected)
    assert files(path) == before


def test_a_store_of_the_first_format_is_read_and_not_continued(study, reference, tmp_path):
    path = tmp_path / "old.zarr"
    reference.load().to_zarr(path, consolidated=False, zarr_format=3)
    for options in ({"resume": True}, {"task": (1, 2)}):
        with pytest.raises(StoreError, match=r"can be read, but not continued\. Choose another output"):
            run_study(study, path, **options)
    xr.testing.assert_identical(load_dataset(path), reference)
    xr.testing.assert_identical(run_study(study, path, overwrite=True), reference)
    assert files(path) == files(tmp_path / "reference.zarr")


def test_a_copy_of_a_result_needs_no_files_of_fill_values(reference, tmp_path):
    reference.to_zarr(tmp_path / "copy.zarr", consolidated=False, zarr_format=3)
    assert not (tmp_path / "copy.zarr" / "contact_lost" / "c" / "0").exists()
    xr.testing.assert_identical(load_dataset(tmp_path / "copy.zarr"), reference)


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_folder_that_cannot_be_written_is_named(study, reference, tmp_path, monkeypatch, overwrite):
    def refuse(path):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr("pathlib.Path.mkdir", refuse)
    path = tmp_path / ("reference.zarr" if overwrite else "s.zarr")
    with pytest.raises(EnsembleError) as caught:
        run_study(study, path, overwrite=overwrite)
    assert str(caught.value) == f"{path}: Permission denied: {tmp_path}"


def test_a_plan_counts_the_chunks_that_are_left(study, reference, tmp_path):
    path = tmp_path / "reference.zarr"
    (path / "chunks" / "3.zip").unlink()
    assert plan_study(study, path, resume=True)[1:] == (5, 5, 1)
    assert plan_study(study, path, task=(1, 2))[1:] == (5, 2, 0)
    assert plan_study(study, path, task=(2, 2))[1:] == (5, 3, 1)
    assert plan_study(study, path, overwrite=True)[1:] == (5, 5, 5)
    assert plan_study(study, tmp_path / "new.zarr", task=(2, 2))[1:] == (5, 3, 3)


def test_a_lost_worker_process_is_reported(study, tmp_path):
    def kill(progress):
        for child in multiprocessing.active_children():
            os.kill(child.pid, signal.SIGKILL)

    with pytest.raises(EnsembleError, match=r"a worker process died.*\n\d of 5 chunks are done"):
        run_study(study, tmp_path / "s.zarr", workers=2, processes=True, progress=kill)


def test_no_more_parts_are_held_than_there_are_workers(study, tmp_path, monkeypatch):
    held, most, lock = [0], [0], threading.Lock()

    def count(inputs, motions, controls, **more):
        with lock:
            held[0] += 1
            most[0] = max(most[0], held[0])
        outcomes = simulate_part(inputs, motions, controls, **more)
        time.sleep(0.02)
        with lock:
            held[0] -= 1
        return outcomes

    monkeypatch.setattr(mcrock.ensemble.part, "simulate_part", count)
    run_study(study, tmp_path / "s.zarr", workers=2)
    assert most[0] == 2
    assert not JOBS


@pytest.mark.parametrize(
    ("workers", "fails", "cuts"), [(3, False, [2, 3]), (3, True, [2, 3]), (20, False, [4, 5, 7, 8, 8])]
)
def test_the_last_parts_are_shared_by_all_workers(
    study, reference, tmp_path, monkeypatch, workers, fails, cuts
):
    pieces = []

    def compute(name, part, *values):
        pieces.append(part.piece)
        result = run_part(name, part, *values)
        return replace(result, error="lost") if fails and part.piece == (1, 3) else result

    monkeypatch.setattr(schedule, "run_part", compute)
    xr.testing.assert_identical(run_study(study, tmp_path / "s.zarr", workers=workers), reference)
    # all are stored, or computed anew, as a whole
    assert sorted(n for _, n in pieces) == [1] * 5 + [n for n in cuts for _ in range(n)]


def test_an_interrupt_keeps_what_is_done(study, reference, tmp_path):
    def interrupt(progress):
        if progress.finished:
            raise KeyboardInterrupt

    path = tmp_path / "s.zarr"
    with pytest.raises(KeyboardInterrupt):
        run_study(study, path, workers=1, progress=interrupt)
    assert chunks_done(path).any()
    xr.testing.assert_identical(run_study(study, path, resume=True), reference)


def test_a_run_that_is_stopped_gives_up_the_part_at_work(study, reference, tmp_path, monkeypatch):
    states, pieces, compute = [], [], runs._run_part

    def stop_at_the_third(*arguments):
        pieces.append(compute(*arguments))
        if len(pieces) == 3:
            states[0].stop()

    monkeypatch.setattr(runs, "PIECE", 0.0)  # of one realization
    monkeypatch.setattr(runs, "_run_part", stop_at_the_third)
    path = tmp_path / "s.zarr"
    with pytest.raises(Stopped):
        run_study(study, path, workers=1, progress=states.append)
    assert len(pieces) == 3
    assert not chunks_done(path).any()
    assert not JOBS
    xr.testing.assert_identical(run_study(study, path, resume=True), reference)


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals cannot be blocked here")
def test_ctrl_c_does_not_reach_a_worker_process_that_starts():
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    process = _Process(target=time.sleep, args=(0,))
    process.start()
    os.kill(process.pid, signal.SIGINT)  # Python itself is still starting there
    process.join(30)
    assert process.exitcode == 0
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == blocked


def test_an_interruption_waits_until_a_worker_process_is_on_its_way(study, tmp_path, monkeypatch):
    launch = multiprocessing.context.SpawnProcess._Popen

    def interrupt(process):
        signal.raise_signal(signal.SIGINT)
        return launch(process)

    monkeypatch.setattr(_Process, "_Popen", staticmethod(interrupt))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            run_study(study, tmp_path / "s.zarr", workers=2, processes=True)
    finally:
        signal.signal(signal.SIGINT, before)
    for process in multiprocessing.active_children():
        process.join(10)
    assert not multiprocessing.active_children()


def test_resuming_ends_the_deletion_of_what_was_replaced(study, reference, tmp_path):
    left = tmp_path / f".reference.zarr.{'0' * 32}.old"
    (left / "outcome").mkdir(parents=True)
    run_study(study, tmp_path / "reference.zarr", resume=True)
    assert not left.exists()


def test_impossible_bodies_are_refused_before_anything_is_written(study_file, tmp_path):
    offset = 'body.com_x={ distribution = "normal", mean = 0, std = 0.1 }'
    with pytest.raises(ValueError, match=r"realization \d+: .*truncate"):
        run_study(load_config(study_file, [offset]), tmp_path / "s.zarr")
    assert not (tmp_path / "s.zarr").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"workers": 0}, "workers must be at least 1, got 0"),
        ({"part_size": -1}, "part_size must be at least 1, got -1"),
        ({"task": (3, 2)}, "task must be i/n with 1 <= i <= n, got 3/2"),
        ({"task": (0, 2)}, "task must be i/n"),
        ({"overwrite": True, "resume": True}, "give one of them"),
        ({"overwrite": True, "task": (1, 2)}, "would delete what the other tasks have done"),
        ({"client": object(), "workers": 2}, "are set by the cluster"),
    ],
)
def test_options_that_make_no_sense_are_refused(study, tmp_path, options, message):
    with pytest.raises(ValueError, match=message):
        run_study(study, tmp_path / "s.zarr", **options)


def test_a_file_name_is_no_study(tmp_path):
    with pytest.raises(ValueError, match=r"must be a Study, as load_config\(.* makes one, got 'a\.toml'"):
        run_study("a.toml", tmp_path / "s.zarr")
    assert not list(tmp_path.iterdir())


def test_the_estimate_is_measured(study):
    seconds, n_timed = estimate_time(study, load_motions(study), budget=0.2)
    assert 0 < seconds < 1
    assert n_timed % 3 == 0
    assert 0 < n_timed <= 120


def test_the_estimate_takes_a_share_of_a_short_study(study_file, monkeypatch):
    """Of ten seconds: a fiftieth, after the blocks that found how many realizations to time at once."""
    each, clock = 1e-3, [0.0]

    def simulated(inputs, pack, controls):
        clock[0] += each * len(inputs.values["body_width"])

    monkeypatch.setattr("mcrock.ensemble.estimate.thread_time", lambda: clock[0])
    monkeypatch.setattr("mcrock.ensemble.estimate.simulate_part", simulated)
    study = load_config(study_file, ["ensemble.realizations=10000"])
    seconds, _ = estimate_time(study, load_motions(study))
    assert seconds == pytest.approx(each / study.n_intensity)
    assert 0.2 < clock[0] < 0.2 + 4 * 0.1


@pytest.mark.parametrize("each", [1e-4, 1e-2, 1.0])  # of a realization [s]
def test_the_estimate_counts_what_a_call_costs_as_a_study_does(study_file, monkeypatch, each):
    """Once for a whole chunk, of which the time of single realizations would make 40 times as much."""
    call, clock = 4e-3, [0.0]

    def simulated(inputs, pack, controls):
        clock[0] += call + each * len(inputs.values["body_width"])

    monkeypatch.setattr("mcrock.ensemble.estimate.thread_time", lambda: clock[0])
    monkeypatch.setattr("mcrock.ensemble.estimate.simulate_part", simulated)
    study = load_config(study_file, ["ensemble.realizations=10000"])
    seconds, n_timed = estimate_time(study, load_motions(study))
    assert each <= 3 * seconds <= max(1.2 * each, each + call / 200)
    assert clock[0] < 3 + 3 * max(each, 0.2)
    assert n_timed <= 30000
