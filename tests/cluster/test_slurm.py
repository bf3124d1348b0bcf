"""The scripts of `jobs/` on a real Slurm: tasks and workers are killed, and every bit is the same."""

import subprocess
import sys
from contextlib import ExitStack

import pytest

from mcrock.ensemble.cluster import set_lines
from tests.cluster.conftest import WORKERS, digests, done, processes, wait_until
from tests.cluster.slurm import jobs, missing, slurm

pytestmark = [pytest.mark.cluster, pytest.mark.skipif(bool(missing()), reason=f"no real Slurm: {missing()}")]


def described(folder, jobs=2):
    """The file of a cluster whose workers write to a folder."""
    return WORKERS.format(jobs=jobs).replace("distributed:", f"    log-directory: {folder}\ndistributed:")


@pytest.fixture(scope="module")
def system():
    """Environment of a Slurm that is there for the tests of this file."""
    with ExitStack() as stack:
        try:
            environment = stack.enter_context(slurm())
        except RuntimeError as error:
            pytest.skip(str(error))
        yield environment


@pytest.fixture
def submit(system, tmp_path):
    """Submit a script; the number of its job."""

    def submit(script):
        path = tmp_path / "script.sh"
        path.write_text(script)
        options = {"env": system, "cwd": tmp_path, "capture_output": True, "text": True}
        found = subprocess.run(["sbatch", "--parsable", path], **options, check=False)
        assert found.returncode == 0, found.stderr
        return found.stdout.strip()

    return submit


def cancel(system, number):
    subprocess.run(["scancel", number], env=system, check=True)


def outputs(folder):
    return "\n".join(f"{file.name}: {file.read_text()}" for file in sorted(folder.glob("mcrock*.out")))


def test_an_array_survives_scancel_and_sigkill(system, submit, config, expected, tmp_path):
    """One task is cancelled, the other one killed; the same script again does what is missing."""
    store = tmp_path / "s.zarr"
    options = ["--tasks", "2", "--cores", "1", "--time", "00:10:00", "--dry-run"]
    command = ["submit", config, "-o", store, *options]
    made = subprocess.run(
        [sys.executable, "-m", "mcrock", *command], capture_output=True, text=True, check=True
    )
    number = submit(made.stdout)
    wait_until(lambda: done(store) >= 6, lambda: jobs(system))
    first, second = jobs(system)
    assert {first, second} == {f"{number}_1", f"{number}_2"}
    show = ["squeue", "--noheader", "--array", "--format=%A", f"--jobs={second}"]
    own = subprocess.run(show, env=system, capture_output=True, text=True, check=True).stdout.strip()
    cancel(system, first)
    (victim, *_) = processes(own, "mcrock run")
    victim.kill()
    wait_until(lambda: not jobs(system))
    half = done(store)
    assert 6 <= half < len(expected) - 1
    assert "interrupted; " in outputs(tmp_path)
    assert "computes the others" in outputs(tmp_path)

    submit(made.stdout)
    wait_until(lambda: not jobs(system))
    assert digests(store) == expected, outputs(tmp_path)
    assert "Probability of overturning (95 % interval): " in outputs(tmp_path)


def test_dask_survives_lost_workers_and_a_stop_half_way(system, submit, config, expected, tmp_path):
    """A worker job is cancelled, a worker killed; then the study is stopped, and its workers with it."""
    store = tmp_path / "s.zarr"
    (tmp_path / "c.yaml").write_text(described(tmp_path / "workers"))
    lines = {"CONFIG": str(config), "STORE": str(store), "CLUSTER": "c.yaml"}
    script = set_lines("slurm_dask.sh", {"--mem=": "1G", "--time=": "00:20:00"}, lines)
    number = submit(script)
    wait_until(lambda: done(store) >= 4, lambda: jobs(system))
    workers = [job for job in jobs(system) if job != number]
    assert len(workers) == 2
    cancel(system, workers[0])
    (victim, *_) = processes(workers[1], "spawn_main")
    victim.kill()
    wait_until(lambda: len({*jobs(system)} - {number, *workers}) == 1)  # the one that takes its place
    seen = done(store)
    wait_until(lambda: done(store) >= seen + 4, lambda: jobs(system))
    cancel(system, number)
    wait_until(lambda: not jobs(system))
    assert seen + 4 <= done(store) < len(expected) - 1
    assert "interrupted; " in outputs(tmp_path)

    submit(script)
    wait_until(lambda: not jobs(system))
    assert digests(store) == expected, outputs(tmp_path)
    assert "Probability of overturning (95 % interval): " in outputs(tmp_path)


def test_workers_at_the_end_of_their_lifetime_hand_over(
    system, submit, config, expected, tmp_path, monkeypatch
):
    """One job at a time; its worker ends after 16 s, less than the study takes, the next after 32 s ...

    So the study ends, however slowly workers start. On a busy machine the first end before they have done a
    part, which dask must not hold against the parts."""
    monkeypatch.setitem(system, "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES", "100")
    store = tmp_path / "s.zarr"
    seconds = f"$((8 * $(ls {tmp_path / 'workers'} | wc -l)))s"  # each job has two files there
    text = described(tmp_path / "workers", jobs=1).replace("minimum: 1", "minimum: 0")
    lifetime = f'    worker-extra-args: ["--lifetime", "{seconds}", "--lifetime-stagger", "1s"]\n'
    (tmp_path / "c.yaml").write_text(text.replace("distributed:", f"{lifetime}distributed:"))
    lines = {"CONFIG": str(config), "STORE": str(store), "CLUSTER": "c.yaml"}
    submit(set_lines("slurm_dask.sh", {"--mem=": "1G", "--time=": "00:20:00"}, lines))
    wait_until(lambda: not jobs(system))
    assert digests(store) == expected, outputs(tmp_path)
    ends = [file.read_text() for file in (tmp_path / "workers").glob("*.err")]
    assert len(ends) > 1
    assert any("worker-lifetime-reached" in text for text in ends)


def test_a_refused_job_ends_the_run_with_the_reason(system, config, tmp_path):
    text = described(tmp_path).replace("distributed:", "    queue: nowhere\ndistributed:")
    (tmp_path / "c.yaml").write_text(text)
    command = [sys.executable, "-m", "mcrock", "run", config, "-o", tmp_path / "s.zarr"]
    ran = subprocess.run(
        [*command, "--cluster", tmp_path / "c.yaml"], env=system, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "mcrock: slurm refuses a job: sbatch: error: " in ran.stderr
    assert len(ran.stderr.splitlines()) == 1
    assert not (tmp_path / "s.zarr").exists()
