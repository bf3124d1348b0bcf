"""Studies on workers of dask that may be killed, and what listens where mcrock starts a scheduler."""

import asyncio
import os
import shlex
import signal
import stat
import sys
import threading
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from itertools import count
from random import Random
from types import SimpleNamespace
from urllib.request import urlopen

import dask
import psutil
import pytest
import xarray as xr
import yaml
from distributed import Client, LocalCluster
from distributed.comm import connect
from distributed.security import Security

from mcrock.base.session import hold_interruptions
from mcrock.ensemble import EnsembleError, run_study
from mcrock.ensemble.cluster import ClusterError, _jobs, connected
from mcrock.ensemble.part import Part, PartResult
from mcrock.ensemble.schedule import _result, _threads, run_distributed
from mcrock.study import load_config
from tests.cluster.conftest import WORKERS, processes_for_slurm, wait_until
from tests.unit.conftest import write_study


@contextmanager
def workers(number):
    """A client of one's own, with worker processes of this machine."""
    with (
        dask.config.set(
            scheduler=dask.config.get("scheduler", None)
        ),  # a client that is closed early leaves it
        LocalCluster(number, threads_per_worker=1, dashboard_address=":0", silence_logs=40) as cluster,
        Client(cluster) as client,
    ):
        yield client


def place(system="slurm", jobs=1, **settings):
    """Settings of a cluster: those of the tests, and more of its batch system."""
    found = yaml.safe_load(WORKERS.format(jobs=jobs))
    return found | {"jobqueue": {system: found["jobqueue"]["slurm"] | settings}}


@pytest.fixture
def jobqueue():
    with hold_interruptions():  # which takes back what it makes of Ctrl-C when it is imported
        return pytest.importorskip("dask_jobqueue")


@pytest.fixture
def processes(jobqueue, tmp_path, monkeypatch):
    """A batch system whose jobs are processes of this machine."""
    processes_for_slurm(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)


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

    with workers(2) as client:
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


def is_open(address, security, seconds=2):
    """Whether who has these keys, or none, can talk to what listens at an address as dask does."""

    async def talk():
        protocol = "tls" if security.require_encryption else "tcp"
        options = security.get_connection_args("client")
        comm = await connect(f"{protocol}://{address}", timeout=seconds, **options)
        await comm.close()

    try:
        asyncio.run(asyncio.wait_for(talk(), 2 * seconds))
    except OSError:
        return False
    return True


def test_only_who_has_the_keys_of_a_run_can_talk_to_its_processes(tmp_path, processes):
    """On this machine alone: any of its users can reach every port there."""
    with connected(place(), tmp_path) as client:
        client.wait_for_workers(1, timeout=600)
        theirs = list(client.run(os.getpid).values())
        nannies = [psutil.Process(pid).parent() for pid in theirs]
        me = psutil.Process()
        ours = {me, *me.children(recursive=True), *nannies, *map(psutil.Process, theirs)}
        listening = {c.laddr.ip for p in ours for c in p.net_connections("inet") if c.status == "LISTEN"}
        assert listening == {"127.0.0.1"}
        ((address, about),) = client.scheduler_info()["workers"].items()
        places = [url.partition("://")[2] for url in (client.scheduler.address, address, about["nanny"])]
        strangers = [Security(), Security.temporary()]
        assert {is_open(each, keys) for each in places for keys in strangers} == {False}
        assert is_open(places[0], client.security, seconds=300)
        keys = list(tmp_path.glob(".dask-jobqueue.worker.*"))
        assert [stat.S_IMODE(key.stat().st_mode) for key in keys] == [0o600] * 3
        assert client.dashboard_link.startswith("http://127.0.0.1:")
        with urlopen(client.dashboard_link, timeout=300) as page:
            assert page.status == 200


def test_keys_of_the_configuration_take_the_place_of_those_of_a_run(jobqueue, tmp_path):
    files = {"ca-file": "ca.pem", "scheduler.cert": "cert.pem", "scheduler.key": "key.pem"}
    given = {f"distributed.comm.tls.{name}": file for name, file in files.items()}
    with (
        dask.config.set({"distributed.comm.require-encryption": True, **given}),
        settings(place()),
        pytest.raises(ClusterError, match=r"cannot be started: .*No such file"),
        _jobs(jobqueue.SLURMCluster, "slurm", tmp_path, []),
    ):
        pass


def settings(given):
    return dask.config.set(dask.config.merge(dask.config.config, given))


def test_a_folder_that_a_shell_would_take_apart_is_refused(jobqueue, tmp_path):
    """Dask-jobqueue puts the names of keys into the script of a job as they are."""
    with (
        settings(place()),
        pytest.raises(ValueError, match="which a shell would not read as one word: choose an --output"),
    ):
        _jobs(jobqueue.SLURMCluster, "slurm", tmp_path / "a; touch b '$x'", [])


@pytest.mark.parametrize("when", ["before", "during"])
def test_a_client_that_was_closed_is_told(study, tmp_path, when):
    with workers(1) as client:
        if when == "before":
            client.close()
        error = r"dask that is connected, got 'closed'" if when == "before" else "the dask scheduler is lost"
        with pytest.raises((ValueError, EnsembleError), match=error):
            run_study(study, tmp_path / "s.zarr", client=client, progress=lambda _: client.close())
    assert (tmp_path / "s.zarr").exists() == (when == "during")


def test_a_lost_scheduler_ends_the_run_and_loses_nothing(study, reference, tmp_path):
    impatient = dask.config.set({"distributed.comm.timeouts.connect": "1s"})
    with impatient, workers(1) as client:

        def lose(progress):
            with suppress(OSError):
                if progress.finished:
                    client.sync(client.scheduler.terminate)

        with pytest.raises(
            EnsembleError, match=r"the dask scheduler is lost\n1?\d of 13 chunks are done and kept"
        ):
            run_study(study, tmp_path / "s.zarr", client=client, progress=lose)
    xr.testing.assert_identical(run_study(study, tmp_path / "s.zarr", resume=True), reference)


def test_a_job_has_what_the_file_and_mcrock_ask_for(jobqueue, tmp_path):
    more = {
        "queue": "long",
        "job-script-prologue": ["module load python"],
        "worker-extra-args": ["--lifetime", "9m"],
    }
    with settings(place(**more)), _jobs(jobqueue.SLURMCluster, "slurm", tmp_path, []) as jobs:
        script = jobs.job_script()
    assert {"#SBATCH --mem=954M", "#SBATCH -t 00:10:00", "#SBATCH -p long"} < {*script.splitlines()}
    assert "PYTHONSAFEPATH=1\nmodule load python\n" in script
    worker = script.splitlines()[-1]
    assert "--lifetime 9m --no-dashboard --dashboard-address 127.0.0.1:0" in worker
    assert shlex.split(worker)[0] == sys.executable


# dask's own complaint of the cluster that it did not make
@pytest.mark.filterwarnings("ignore:unclosed cluster:ResourceWarning")
@pytest.mark.filterwarnings("ignore:.*Cluster.__del__:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"quue": "long"}, r"jobqueue\.slurm: unknown key 'quue'; did you mean 'queue'\?"),
        (
            {"interface": None},
            r"jobqueue\.slurm: missing key 'interface'; .* 'lo' where all run on one machine",
        ),
        ({"cores": None}, r"jobqueue\.slurm: You must specify how much cores and memory"),
    ],
)
def test_a_setting_that_does_not_do_is_named(jobqueue, tmp_path, more, message):
    with pytest.raises(ValueError, match=message), connected(place(**more), tmp_path):
        pass


def test_a_batch_system_that_is_not_there_is_one_message(jobqueue, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with (
        pytest.raises(ClusterError, match=r"pbs refuses a job: .*No such file or directory: 'qsub'"),
        connected(place("pbs"), tmp_path),
    ):
        pass


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "dask_jobqueue", None)
    message = r"dask-jobqueue: not installed; pip install 'mcrock\[cluster\]'"
    with pytest.raises(ClusterError, match=message), connected(place(), tmp_path):
        pass


def test_a_run_without_workers_ends_with_a_message(study, tmp_path, monkeypatch):
    monkeypatch.setattr("mcrock.ensemble.schedule.ALONE", 1.0)
    with workers(1) as client:
        client.cluster.scale(0)
        with pytest.raises(EnsembleError, match="no worker of this machine is left"):
            run_study(study, tmp_path / "s.zarr", client=client)


def test_results_that_are_lost_with_the_last_worker_are_not_waited_for(study, tmp_path, monkeypatch):
    """They had been announced; the clock counts looks, so that the loss itself may take its time."""
    for name, value in {"monotonic": count().__next__, "LOOK": 0.1, "GATHER": 0.1, "ALONE": 30}.items():
        monkeypatch.setattr(f"mcrock.ensemble.schedule.{name}", value)
    with workers(1) as client:

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
