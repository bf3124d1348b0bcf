"""Workers of dask, started as the file of a cluster says, and ended when the study is."""

from __future__ import annotations

import logging
import shlex
import sys
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcrock.base.arithmetic import CONTRACT, contracts
from mcrock.base.interrupt import hold_interruptions
from mcrock.base.names import check_name
from mcrock.ensemble.cluster.settings import BATCH, BatchJobs, Cluster, Local, Mpi
from mcrock.ensemble.schedule import SAFE_PATH, importing_nothing_here

if TYPE_CHECKING:
    from distributed import Client
    from distributed.security import Security

LOOPBACK_ADDRESS = "127.0.0.1"
DASHBOARD = f"{LOOPBACK_ADDRESS}:0"  # nobody else sees it, and two studies have one each
# one thread for each part; and adaptive scaling takes parts for what they are before it has seen one [s]
ENVIRONMENT = "export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 NUMBA_NUM_THREADS=1"
TASK_DURATION = "5s"
INTERVAL = "5s"  # between two looks at how many jobs are wanted
FEWEST_RANKS = 3
ROLES = ("scheduler", "worker", "client")
OF_WORKER = ("tls_ca_file", "tls_worker_cert", "tls_worker_key")
OPEN = "not encrypted: whoever reaches it runs code under your account"


class ClusterError(OSError):
    """Workers that cannot be started."""


@contextmanager
def connected(cluster: Cluster, folder: Path) -> Iterator[Client]:
    """Start the workers of a cluster and connect to their scheduler; end them at the end of the block.

    Parameters
    ----------
    cluster : Cluster
        From `load_cluster`.
    folder : Path
        Where all workers see files: keys of a temporary encryption lie there until the end.

    Raises
    ------
    ClusterError
        If a package is missing or the system refuses the jobs.
    SystemExit
        In ranks of MPI that are scheduler or worker, once the study has ended.
    """
    import dask
    import distributed  # noqa: F401  # whose own configuration must be there before it is changed for a while

    # dask would name the interface of the scheduler
    link = dask.config.get("distributed.dashboard.link").replace("{host}", LOOPBACK_ADDRESS)
    settings = {
        "distributed.scheduler.unknown-task-duration": TASK_DURATION,
        "distributed.dashboard.link": link,
        # a client that is closed before its end leaves itself as that of all that follows
        "scheduler": dask.config.get("scheduler", None),
    }
    with ExitStack() as stack:
        stack.enter_context(dask.config.set(settings))
        stack.enter_context(importing_nothing_here())
        if isinstance(cluster, Mpi):
            yield stack.enter_context(_mpi(cluster))
            return
        from distributed import Client

        if isinstance(cluster, BatchJobs):
            refusals: list[str] = []
            workers = stack.enter_context(_batch(cluster, folder, refusals))
            _keep(workers, cluster, refusals)
        else:
            workers = stack.enter_context(_local(cluster))
        yield stack.enter_context(Client(workers))


def listening(client: Client, cluster: Cluster) -> str:
    """Where scheduler and workers listen, and whether anyone may talk to them."""
    address = client.scheduler_info()["address"]
    how = "encrypted (TLS)" if address.startswith("tls://") else OPEN
    return f"dask scheduler at {address}, its workers on the interface {cluster.interface}; {how}"


def _local(cluster: Cluster) -> Any:
    from distributed import LocalCluster

    assert isinstance(cluster, Local)
    try:
        return LocalCluster(
            n_workers=cluster.workers,
            threads_per_worker=cluster.threads,
            interface=cluster.interface,
            security=_security(cluster),
            dashboard_address=DASHBOARD,
            worker_dashboard_address=DASHBOARD,
            silence_logs=logging.ERROR,
        )
    except RuntimeError:  # all that dask says of it
        raise ClusterError(
            "a worker of this machine died while it started: start the command again"
        ) from None


def _batch(cluster: BatchJobs, folder: Path, refusals: list[str]) -> Any:
    try:
        with hold_interruptions():  # which takes back what it makes of Ctrl-C when it is imported
            import dask_jobqueue
    except ImportError:
        raise ClusterError(_missing("dask-jobqueue", "cluster")) from None
    options = dict(cluster.options)
    ends = ["--lifetime", f"{cluster.walltime - cluster.margin:.0f}s"]
    stagger = ["--lifetime-stagger", f"{cluster.margin / 2:.0f}s"]
    quiet = [
        "--no-dashboard",
        "--dashboard-address",
        DASHBOARD,
    ]  # by default open to the network all the same
    kind = getattr(dask_jobqueue, BATCH[cluster.system])
    try:
        return kind(
            job_cls=_lenient(kind.job_cls, refusals),
            cores=cluster.cores,
            processes=1,
            memory=cluster.memory,
            walltime=cluster.written_walltime,
            interface=cluster.interface,
            security=_security(cluster),
            shared_temp_directory=str(folder.absolute()),
            scheduler_options={"dashboard_address": DASHBOARD},
            worker_extra_args=[*ends, *stagger, *quiet, *options.pop("worker_extra_args", [])],
            job_script_prologue=[*_environment(), *options.pop("job_script_prologue", [])],
            **{"job_name": "mcrock", "python": shlex.quote(check_name(sys.executable)), **options},
        )
    except (ValueError, TypeError) as error:
        raise ValueError(f"[options]: {str(error).splitlines()[0]}") from None


def _environment() -> list[str]:
    """Of a job: not all batch systems hand on that of the process that submits it."""
    return [f"{ENVIRONMENT} {SAFE_PATH}=1", *([f"export {CONTRACT}=1"] if contracts() else [])]


def _keep(workers: Any, cluster: BatchJobs, refusals: list[str]) -> None:
    """Submit the first jobs, and keep as many as are wanted, also where some are lost or refused later."""
    from distributed.deploy.adaptive import Adaptive

    class Keeper(Adaptive):
        async def adapt(self) -> None:
            await super().adapt()
            jobs: Any = self.cluster
            for job in list(jobs.workers.values()):
                if job.job_id is None:
                    warnings.warn(f"a job was refused and is submitted again: {refusals[-1]}", stacklevel=2)
                    await job.start()

    async def submitted() -> None:
        await workers

    least, most = cluster.jobs
    workers.scale(jobs=max(1, least))
    workers.sync(submitted)
    if refusals:
        raise ClusterError(f"{cluster.system} refuses a job: {refusals[0]}")
    workers.adapt(Adaptive=Keeper, minimum_jobs=least, maximum_jobs=most, interval=INTERVAL)


def _lenient(job_class: Any, refusals: list[str]) -> Any:
    """A class of jobs with quoted names, of which a refusal is noted: dask would print a traceback, and not
    try again."""
    from distributed.core import Status

    class LenientJob(job_class):  # type: ignore[misc]
        def __init__(self, *arguments: Any, security: Security | None = None, **options: Any) -> None:
            if security is not None:  # names of files, which dask-jobqueue puts into a script as they are
                security = copy(security)
                for item in OF_WORKER:
                    setattr(security, item, shlex.quote(check_name(getattr(security, item))))
            super().__init__(*arguments, security=security, **options)

        async def start(self) -> None:
            try:
                await super().start()
            except (RuntimeError, OSError, ValueError) as error:
                self.status = Status.running  # without a number
                refusals.append([line.strip() for line in str(error).splitlines() if line.strip()][-1])

    return LenientJob


def _security(cluster: Cluster) -> Security | None:
    """Encryption between scheduler, workers and client."""
    from distributed.security import Security

    match cluster.security:
        case "none":
            return None
        case "temporary":
            try:
                return Security.temporary()
            except ImportError:
                raise ClusterError("cryptography: not installed; pip install cryptography") from None
        case files:
            return Security(require_encryption=True, **_tls(files))


def _tls(files: Any) -> dict[str, str]:
    """Keyword arguments of `Security` for one key of all roles."""
    keys = {f"tls_{role}_{item}": files[item] for role in ROLES for item in ("cert", "key")}
    return {"tls_ca_file": files["ca"], **keys}


@contextmanager
def _mpi(cluster: Mpi) -> Iterator[Client]:
    """Scheduler in rank 0, workers from rank 2 on; rank 1 goes on as the client."""
    try:
        import dask_mpi
        from mpi4py import MPI
    except ImportError:
        raise ClusterError(_missing("dask-mpi and mpi4py", "mpi")) from None
    import dask
    from distributed import Client

    if MPI.COMM_WORLD.Get_size() < FEWEST_RANKS:
        raise ClusterError(
            f"MPI needs at least {FEWEST_RANKS} ranks, for scheduler, client and workers, got "
            f"{MPI.COMM_WORLD.Get_size()}: mpirun -n 8 mcrock run ..."
        )
    logging.getLogger("distributed").setLevel(logging.ERROR)
    security = MPI.COMM_WORLD.bcast(_security(cluster))  # that of rank 0
    config: dict[str, Any] = {}
    if security is not None:
        config["distributed.comm.require-encryption"] = True
        config["distributed.comm.tls.ca-file"] = security.tls_ca_file
        for role in ROLES:
            for item in ("cert", "key"):
                config[f"distributed.comm.tls.{role}.{item}"] = getattr(security, f"tls_{role}_{item}")
    with dask.config.set(config):
        is_client = dask_mpi.initialize(
            interface=cluster.interface,
            nthreads=cluster.threads,
            protocol="tls" if security else "tcp",
            dashboard_address=DASHBOARD,
            worker_options={"dashboard_address": DASHBOARD},
            exit=False,
        )
        if not is_client:
            raise SystemExit(0)
        with Client() as client:
            try:
                yield client
            finally:
                client.shutdown()


def _missing(packages: str, extra: str) -> str:
    return f"{packages}: not installed; pip install 'mcrock[{extra}]'"
