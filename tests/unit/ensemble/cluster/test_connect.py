"""Studies on workers that a file of a cluster starts, and that may be killed."""

import asyncio
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import Future
from contextlib import suppress
from itertools import count
from pathlib import Path
from random import Random
from types import SimpleNamespace
from urllib.request import urlopen

import dask
import psutil
import pytest
import xarray as xr
from distributed.comm import connect
from distributed.security import Security

from mcrock.base.interrupt import hold_interruptions
from mcrock.ensemble import EnsembleError, run_study
from mcrock.ensemble.cluster import BatchJobs, ClusterError, Local, Mpi, _batch, connected
from mcrock.ensemble.part import Part, PartResult
from mcrock.ensemble.schedule import _result, _threads, run_distributed
from mcrock.study import load_config
from tests.cluster.conftest import wait_until
from tests.unit.conftest import write_study

JOB = {"jobs": 2, "cores": 4, "memory": "4GB", "walltime": "01:00:00", "interface": "lo"}


def needs_jobqueue():
    with hold_interruptions():  # which takes back what it makes of Ctrl-C when it is imported
        pytest.importorskip("dask_jobqueue")


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """400 realizations at 3 intensities, in 13 chunks."""
    return load_config(write_study(tmp_path_factory.mktemp("study")), ["ensemble.realizations=400"])


@pytest.fixture(scope="module")
def reference(study, tmp_path_factory):
    """Its result, from one worker."""
    return run_study(study, tmp_path_factory.mktemp("run") / "reference.zarr", workers=1).load()


@pytest.mark.parametrize("kills", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_workers_killed_at_random_change_no_bit(study, reference, tmp_path, kills):
    """Each kill follows a part that was finished after the last one; a part outlives three lost workers."""
    killed, choose = [], Random(16).choice
    finished = threading.Event()

    def kill(client):
        while len(set(killed)) < kills and finished.wait(60):
            finished.clear()
            with suppress(OSError):  # one that was just killed does not answer
                killed.append(choose(sorted(client.run(os.getpid).values())))
                os.kill(killed[-1], signal.SIGKILL)

    with connected(Local(system="local", workers=2), tmp_path) as client:
        killer = threading.Thread(target=kill, args=(client,), daemon=True)
        killer.start()
        ds = run_study(
            study,
            tmp_path / "s.zarr",
            client=client,
            part_size=1,
            progress=lambda state: state.finished and finished.set(),
        )
        killer.join(1)
    assert len(set(killed)) == kills
    xr.testing.assert_identical(ds, reference)


def is_open(address, security):
    """Whether who has these keys, or none, can talk to what listens at an address as dask does."""

    async def talk():
        protocol = "tls" if security.require_encryption else "tcp"
        options = security.get_connection_args("client")
        comm = await connect(f"{protocol}://{address}", timeout=2, **options)
        await comm.close()

    try:
        asyncio.run(asyncio.wait_for(talk(), 5))
    except OSError:
        return False
    return True


@pytest.mark.parametrize("place", [{}, {"security": "none"}])
def test_only_who_has_the_keys_of_a_run_can_talk_to_its_processes(tmp_path, place):
    """On this machine alone: any of its users can reach every port there."""
    with connected(Local(system="local", workers=1, **place), tmp_path) as client:
        me = psutil.Process()
        ours = [me, *me.children(recursive=True)]
        assert {*client.run(os.getpid).values()} < {process.pid for process in ours}
        listening = {c.laddr.ip for p in ours for c in p.net_connections("inet") if c.status == "LISTEN"}
        assert listening == {"127.0.0.1"}
        ((address, about),) = client.scheduler_info()["workers"].items()
        places = [url.partition("://")[2] for url in (client.scheduler.address, address, about["nanny"])]
        strangers = [Security()] if place else [Security(), Security.temporary()]
        assert {is_open(each, keys) for each in places for keys in strangers} == {bool(place)}
        assert is_open(places[0], client.security)


def test_names_of_key_files_are_whole_in_the_script_of_a_job(tmp_path):
    needs_jobqueue()
    folder = tmp_path / "a; touch b '$x'"
    folder.mkdir()
    with _batch(BatchJobs(system="slurm", **JOB), folder, []) as workers:
        words = shlex.split(workers.job_script().splitlines()[-1])
        files = [word for word in words if Path(word).parent == folder]
    assert len(files) == 3
    assert "touch" not in words


def test_workers_can_be_started_again_in_a_fresh_process(tmp_path):
    """Dask's configuration is loaded with it: what is set before that must not take the rest away."""
    code = (
        "from pathlib import Path\nfrom mcrock.ensemble.cluster import connected\n"
        "from mcrock.ensemble.cluster import Local\n"
        "for _ in range(2):\n    with connected(Local(system='local', workers=1), Path('.')):\n        pass"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize("when", ["before", "during"])
def test_a_client_that_was_closed_is_told(study, tmp_path, when):
    with connected(Local(system="local", workers=1), tmp_path) as client:
        if when == "before":
            client.close()
        error = r"dask that is connected, got 'closed'" if when == "before" else "the dask scheduler is lost"
        with pytest.raises((ValueError, EnsembleError), match=error):
            run_study(study, tmp_path / "s.zarr", client=client, progress=lambda _: client.close())
    assert (tmp_path / "s.zarr").exists() == (when == "during")


def test_a_lost_scheduler_ends_the_run_and_loses_nothing(study, reference, tmp_path):
    impatient = dask.config.set({"distributed.comm.timeouts.connect": "1s"})
    with impatient, connected(Local(system="local", workers=1), tmp_path) as client:

        def lose(progress):
            with suppress(OSError):
                if progress.finished:
                    client.sync(client.scheduler.terminate)

        with pytest.raises(
            EnsembleError, match=r"the dask scheduler is lost\n1?\d of 13 chunks are done and kept"
        ):
            run_study(study, tmp_path / "s.zarr", client=client, progress=lose)
    xr.testing.assert_identical(run_study(study, tmp_path / "s.zarr", resume=True), reference)


@pytest.mark.parametrize(
    ("system", "directives"),
    [
        ("slurm", ["-n 1", "--cpus-per-task=4", "--mem=4G", "-t 01:00:00", "-p long"]),
        ("pbs", ["-l select=1:ncpus=4:mem=3815MB", "-l walltime=01:00:00", "-q long"]),
        ("sge", ["-l h_rt=01:00:00", "-q long"]),
        ("lsf", ["-n 4", "-W 01:00", "-q long"]),
    ],
)
def test_jobs_ask_for_what_the_file_says(tmp_path, monkeypatch, system, directives):
    """Memory in the units of each system; PBS counts in powers of 2."""
    needs_jobqueue()
    monkeypatch.setattr("dask_jobqueue.lsf.lsf_detect_units", lambda: "mb")
    options = {"queue": "long", "job_script_prologue": ["module load python"]}
    with _batch(BatchJobs(system=system, options=options, **JOB), tmp_path, []) as workers:
        script = workers.job_script()
    header = [
        line.split(maxsplit=1)[1] for line in script.splitlines() if line.startswith("#") and " " in line
    ]
    assert [item for item in directives if item not in header] == []
    assert "module load python" in script
    worker = script.splitlines()[-1]
    assert "--lifetime 3240s --lifetime-stagger 180s --no-dashboard --dashboard-address 127.0.0.1:0" in worker
    assert "--nthreads 4" in worker


# dask's own complaint of the cluster that it did not make
@pytest.mark.filterwarnings("ignore:unclosed cluster:ResourceWarning")
@pytest.mark.filterwarnings("ignore:.*Cluster.__del__:pytest.PytestUnraisableExceptionWarning")
def test_an_unknown_option_of_dask_jobqueue_is_named(tmp_path):
    needs_jobqueue()
    with pytest.raises(ValueError, match=r"\[options\]: .*unexpected keyword argument 'quue'"):
        _batch(BatchJobs(system="slurm", options={"quue": "long"}, **JOB), tmp_path, [])


def test_a_batch_system_that_is_not_there_is_one_message(tmp_path, monkeypatch):
    needs_jobqueue()
    monkeypatch.setenv("PATH", str(tmp_path))
    with (
        pytest.raises(ClusterError, match=r"pbs refuses a job: .*No such file or directory: 'qsub'"),
        connected(BatchJobs(system="pbs", **JOB), tmp_path),
    ):
        pass


@pytest.mark.parametrize(
    ("cluster", "module", "message"),
    [
        (BatchJobs(system="pbs", **JOB), "dask_jobqueue", r"dask-jobqueue: not .* 'mcrock\[cluster\]'"),
        (Mpi(system="mpi"), "dask_mpi", r"dask-mpi and mpi4py: not installed; pip install 'mcrock\[mpi\]'"),
    ],
)
def test_a_missing_package_is_named(tmp_path, monkeypatch, cluster, module, message):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ClusterError, match=message), connected(cluster, tmp_path):
        pass


# dask's own complaint of the cluster that it did not make
@pytest.mark.filterwarnings("ignore:unclosed cluster:ResourceWarning")
@pytest.mark.filterwarnings("ignore:.*Cluster.__del__:pytest.PytestUnraisableExceptionWarning")
def test_a_worker_that_dies_while_it_starts_is_one_message(tmp_path, monkeypatch):
    monkeypatch.setattr("distributed.nanny.WorkerProcess._run", die)
    with (
        pytest.raises(ClusterError, match="a worker of this machine died while it started"),
        connected(Local(system="local", workers=1), tmp_path),
    ):
        pass


def die(*arguments, **options):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_run_without_workers_ends_with_a_message(study, tmp_path, monkeypatch):
    monkeypatch.setattr("mcrock.ensemble.schedule.ALONE", 1.0)
    with connected(Local(system="local", workers=1), tmp_path) as client:
        client.cluster.scale(0)
        with pytest.raises(EnsembleError, match="no worker of this machine is left"):
            run_study(study, tmp_path / "s.zarr", client=client)


def test_results_that_are_lost_with_the_last_worker_are_not_waited_for(study, tmp_path, monkeypatch):
    """They had been announced; the clock counts looks, so that the loss itself may take its time."""
    for name, value in {"monotonic": count().__next__, "LOOK": 0.1, "GATHER": 0.1, "ALONE": 30}.items():
        monkeypatch.setattr(f"mcrock.ensemble.schedule.{name}", value)
    with connected(Local(system="local", workers=1), tmp_path) as client:

        def lose(progress):
            if progress.finished and client.cluster.workers:
                wait_until(lambda: all(state.status == "finished" for state in client.futures.values()))
                client.cluster.scale(0)
                wait_until(lambda: not client.scheduler_info()["workers"])

        with pytest.raises(EnsembleError, match="no worker of this machine is left"):
            run_study(study, tmp_path / "s.zarr", client=client, part_size=1, progress=lose)


@pytest.mark.parametrize(
    ("status", "error", "what"),
    [
        ("pending", TimeoutError(), None),  # it is computed again
        ("finished", OSError("Timed out trying to connect"), None),  # its worker has just died
        ("error", OSError("no space"), "OSError: no space"),  # it was raised there
        ("finished", ValueError("of another version"), "ValueError: of another version"),
    ],
)
def test_a_result_that_cannot_be_had_is_asked_for_again(status, error, what):
    def result(timeout):
        raise error

    found = _result(SimpleNamespace(status=status, result=result), Part(0, 1))
    assert (found and found.error) == what


class Workers:
    """A client whose workers have done at once what takes them some seconds for each chunk."""

    status, cluster = "running", None

    def __init__(self, seconds):
        self.seconds, self.parts = seconds, []

    def submit(self, function, name, part, pure):
        self.parts.append(part)
        future = Future()
        future.set_result(PartResult(part, self.seconds * (part.stop - part.start), "worker"))
        return future

    def ncores(self):
        return {"worker": 2}

    cancel = register_plugin = unregister_worker_plugin = lambda self, *args, **names: None


@pytest.mark.parametrize(("seconds", "most"), [(10.0, 1), (1.25, 4)])
def test_neighbours_are_one_part_while_it_takes_less_than_five_seconds(seconds, most):
    client, reports = Workers(seconds), []
    run_distributed("job", None, [Part(i, i + 1) for i in range(400)], client, reports.append)
    assert max(part.stop - part.start for part in client.parts) == most
    assert sum(part.stop - part.start for part in client.parts) == 400
    assert [report.part for report in reports] == client.parts


def test_a_scheduler_that_does_not_answer_is_lost():
    def ncores():
        raise OSError("Timed out trying to connect to tcp://127.0.0.1:34553 after 1 s")

    with pytest.raises(OSError, match="the dask scheduler is lost"):
        _threads(SimpleNamespace(ncores=ncores))


def test_the_dashboard_answers_where_its_link_says(tmp_path):
    """On this machine alone, also where scheduler and workers talk over a network."""
    up = [name for name, state in psutil.net_if_stats().items() if state.isup and name != "lo"]
    addresses = {name: psutil.net_if_addrs().get(name, []) for name in up}
    networks = [name for name, found in addresses.items() if any(a.family == socket.AF_INET for a in found)]
    place = Local(system="local", workers=1, interface=[*networks, "lo"][0], security="none")
    with connected(place, tmp_path) as client, urlopen(client.dashboard_link, timeout=30) as page:
        assert client.dashboard_link.startswith("http://127.0.0.1:")
        assert page.status == 200
