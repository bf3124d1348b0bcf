"""Clusters: workers of a scheduler, their settings, scripts of jobs and what they need.

A file of a cluster: which system starts the workers, how many, for how long, and how they talk.

Workers of dask, started as the file of a cluster says, and ended when the study is.

Resources that a study needs on a cluster, measured on some of its realizations, and cut into tasks.

Batch scripts for a study: those of the folder jobs/ with the lines at their top set.

Studies on several machines: files of clusters, workers of dask, batch scripts.

None of it is part of a study: the same study file runs on a laptop and on any cluster, bit for bit.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import shlex
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from dataclasses import dataclass
from math import ceil, prod
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import ValidationError

from mcrock.base.arithmetic import CONTRACT, contracts
from mcrock.base.interrupt import hold_interruptions
from mcrock.base.names import check_name
from mcrock.base.shipped_files import shipped
from mcrock.base.tables.errors import ConfigError, format_mistakes, mistake, refuse
from mcrock.base.tables.fields import IntegerKey, Kind, OneOf, Table, Text, entry
from mcrock.dataset.archive import scratch_folder
from mcrock.dataset.contents import STUDY, chunk_path
from mcrock.dataset.create import create_store
from mcrock.dataset.store import write_part
from mcrock.ensemble import estimate_time
from mcrock.ensemble.opening import prepare_job, template_of
from mcrock.ensemble.part import Job, Part, simulate
from mcrock.ensemble.schedule import SAFE_PATH, importing_nothing_here
from mcrock.excitation import Motion
from mcrock.study import Study
from mcrock.study.load import read_toml
from mcrock.study.sampling import check_inputs

if TYPE_CHECKING:
    from distributed import Client
    from distributed.security import Security

SHORTEST = 60  # wall-time [s]
LOOPBACK = "lo"  # interface of connections that stay on their machine
BATCH = {"slurm": "SLURMCluster", "pbs": "PBSCluster", "sge": "SGECluster", "lsf": "LSFCluster"}
MARGIN, LONGEST_MARGIN = 0.1, 600.0  # of the wall-time, at most so many seconds, in which a worker ends
SHARED_NETWORK = (
    "the network interface that login node and workers share, as 'ib0' (`ip -brief address` lists them), "
    "or 'lo' where all run on one machine"
)
TAKEN = ("cores", "memory", "walltime", "interface", "processes", "protocol", "security", "scheduler_options")


def read_duration(text: str) -> int | None:
    """Seconds of a time as ``HH:MM:SS``; None if it is not one or is too short for a job.

    >>> read_duration("01:00:05"), read_duration("00:00:59")
    (3605, None)
    """
    found = re.fullmatch(r"(\d{1,4}):([0-5]\d):([0-5]\d)", text)
    hours, minutes, seconds = map(int, found.groups()) if found else (0, 0, 0)
    total = 3600 * hours + 60 * minutes + seconds
    return total if total >= SHORTEST else None


@dataclass(frozen=True)
class Duration(Kind):
    """A time as batch systems write it."""

    expected: str = 'a time as "HH:MM:SS", of at least a minute'

    def parse(self, value: Any) -> int:
        """Seconds."""
        seconds = read_duration(value) if isinstance(value, str) else None
        if seconds is None:
            refuse(self.wrong(value))
        return seconds


@dataclass(frozen=True)
class Memory(Kind):
    """An amount of memory with its unit."""

    expected: str = 'an amount of memory as "4GB"'

    def parse(self, value: Any) -> str:
        if not (isinstance(value, str) and re.fullmatch(r"[1-9]\d{0,5} ?[MGT]i?B", value)):
            refuse(self.wrong(value))
        return str(value)


@dataclass(frozen=True)
class Jobs(Kind):
    """A number, or the least and the most."""

    expected: str = "a number of jobs >= 1, or the least and the most, as [1, 20]"

    def parse(self, value: Any) -> tuple[int, int]:
        pair = value if isinstance(value, list | tuple) else (value, value)
        count = IntegerKey(0, 100_000)
        if len(pair) != 2 or not all(map(count.fits, pair)) or not max(1, pair[0]) <= pair[1]:
            refuse(self.wrong(value))
        return int(pair[0]), int(pair[1])


@dataclass(frozen=True)
class SecuritySetting(Kind):
    """Encryption of connections."""

    expected: str = '"temporary" (TLS), "none", or a table with the files ca, cert and key'

    def parse(self, value: Any) -> str | dict[str, str]:
        if isinstance(value, Mapping) and set(value) == {"ca", "cert", "key"}:
            return {name: Text("a file name").parse(file) for name, file in value.items()}
        if not isinstance(value, str) or value not in ("temporary", "none"):
            refuse(self.wrong(value))
        return value


@dataclass(frozen=True)
class Options(Kind):
    """Options of dask-jobqueue that are passed on."""

    expected: str = "a table of options of dask-jobqueue, as { queue = 'long' }"

    def parse(self, value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            refuse(self.wrong(value))
        taken = [key for key in value if key in TAKEN]
        if taken:
            refuse(*(mistake("mcrock sets this option from the keys above", (key,)) for key in taken))
        return dict(value)


class Cluster(Table):
    """Settings that every file of a cluster has."""

    system: str = entry(Text(), "what starts the workers")
    interface: str = entry(
        Text("the name of a network interface, as 'ib0'"),
        "network interface of scheduler and workers; `lo`, the loopback, is that of one machine",
        default=LOOPBACK,
    )
    security: str | dict[str, str] = entry(
        SecuritySetting(),
        "encryption: `temporary` (TLS with keys made for this run), the files of `ca`, `cert` and `key`, or "
        "`none`: then whoever reaches a port, as every user of a shared machine does, runs code as you",
        default="temporary",
    )


class Local(Cluster):
    """Worker processes of this machine."""

    workers: int = entry(IntegerKey(1, 10_000), "worker processes", 8)
    threads: int = entry(IntegerKey(1, 10_000), "threads of each", default=1)


class Mpi(Cluster):
    """Ranks that mpirun or the like has started: scheduler, client, and workers from the third on."""

    threads: int = entry(IntegerKey(1, 10_000), "threads of each worker", default=1)


class BatchJobs(Cluster):
    """Jobs of a batch system, each a worker of dask."""

    interface: str = entry(Text(SHARED_NETWORK), "network interface", "ib0")
    jobs: tuple[int, int] = entry(
        Jobs(), "jobs at a time; those that end or are lost are replaced, as long as there is work", [1, 20]
    )
    cores: int = entry(IntegerKey(1, 10_000), "cores of each job", 8)
    memory: str = entry(Memory(), "memory of each job", "8GB")
    walltime: int = entry(Duration(), "wall-time limit of each job", "01:00:00")
    options: dict[str, Any] = entry(
        Options(),
        "further arguments of the class of dask-jobqueue",
        {"queue": "long", "account": "project"},
        default={},
    )

    @property
    def margin(self) -> float:
        """Time before its wall-time in which a worker ends: it takes no more parts, the others do [s]."""
        return min(MARGIN * self.walltime, LONGEST_MARGIN)

    @property
    def written_walltime(self) -> str:
        """The wall-time as the system reads it: LSF has no seconds."""
        minutes, seconds = divmod(self.walltime, 60)
        text = f"{minutes // 60:02d}:{minutes % 60:02d}"
        return text if self.system == "lsf" else f"{text}:{seconds:02d}"


TABLES: Mapping[str, type[Cluster]] = {"local": Local, "mpi": Mpi, **dict.fromkeys(BATCH, BatchJobs)}


def load_cluster(path: str | Path) -> Cluster:
    """Read and check the file of a cluster, which says where a study runs and is not part of it.

    Parameters
    ----------
    path : str or Path
        TOML file; `mcrock docs clusters` describes its keys.

    Raises
    ------
    ConfigError
        With every mistake of the file, one line each.
    """
    path = Path(path)
    data = read_toml(path, "file of a cluster")
    try:
        table: Cluster = OneOf("system", TABLES).parse(data)  # type: ignore[assignment]
    except ValidationError as error:
        raise ConfigError(format_mistakes(error, str(path), ("options",), {}, {})) from None
    return table


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


SAMPLE = 3.0  # time spent on a chunk that is written [s]
START = 120.0  # of a task, with compilation [s]
RESERVE = 1.5  # times the measured time and memory that a task asks for [1]
USED = 0.8  # of the wall-time that tasks are planned for [1]
COPIES = 4  # of a chunk that a worker holds while it makes and packs it [1]
LEAST_MEMORY = 1e9  # that a task asks for [bytes]; compilation needs 0.6e9


class Estimate(NamedTuple):
    """Resources that a study needs."""

    runs: int
    seconds: float  # a run on one core [s]
    timed: int  # runs that this was measured on
    disk: float  # of the store [bytes]
    chunks: int
    files: int  # of the store
    chunk_memory: float  # a chunk in memory [bytes]

    @property
    def core_seconds(self) -> float:
        """Time on one core [s]."""
        return self.runs * self.seconds


class ArrayPlan(NamedTuple):
    """Tasks of an array job."""

    tasks: int
    cores: int  # of each
    walltime: int  # of each [s]
    memory: float  # of each [bytes]
    seconds: float  # that a task takes, without the start [s]

    @property
    def written_walltime(self) -> str:
        """Wall-time as ``HH:MM:SS``."""
        minutes, seconds = divmod(self.walltime, 60)
        return f"{minutes // 60:02d}:{minutes % 60:02d}:{seconds:02d}"

    @property
    def fits(self) -> bool:
        """True if a task is likely to end before its wall-time."""
        return START + RESERVE * self.seconds <= self.walltime


def measure(study: Study, motions: list[Motion]) -> Estimate:
    """Time runs of a study, and write some of them to a temporary store.

    Parameters
    ----------
    study, motions
        The study and what `load_motions` gives for it.
    """
    check_inputs(study, motions)
    seconds, timed = estimate_time(study, motions)
    with scratch_folder() as folder:
        job = prepare_job(study, motions, folder / "s.zarr")
        whole = template_of(job)
        affordable = int(SAMPLE / max(seconds * study.n_intensity, 1e-9))
        n = max(1, min(affordable, whole.length, study.n_realizations))
        outer = 0 if len(whole.grid) > 1 else None
        values = simulate(job, Part(0, n, outer))
        fixed, each = _size_of_chunk(job, values, n, outer)
        study_file = (job.store / STUDY).stat().st_size
    outers = prod(whole.grid[:-1])
    runs = study.n_realizations * study.n_intensity * outers
    return Estimate(
        runs=runs,
        seconds=seconds,
        timed=timed,
        disk=each * study.n_realizations * outers + fixed * prod(whole.grid) + study_file,
        chunks=prod(whole.grid),
        files=prod(whole.grid) + 2,  # of the study, and README.txt
        chunk_memory=sum(array.nbytes for array in values.values()) / n * whole.length,
    )


def _size_of_chunk(job: Job, values: dict[str, Any], n: int, outer: int | None) -> tuple[float, float]:
    """Size of a chunk on disk: constant part, and part of each realization [bytes]."""

    def written(n: int) -> int:
        template = template_of(job, n)
        create_store(job.store, template, replace=True)
        write_part(job.store, 0, {name: array[:n] for name, array in values.items()}, job.attrs, outer)
        return chunk_path(job.store, (0,) * len(template.grid)).stat().st_size

    whole, half = written(n), written(max(1, n // 2))
    each = (whole - half) / (n - n // 2) if n > 1 else whole
    return whole - n * each, each


def plan_tasks(
    estimate: Estimate, cores: int, walltime: int, memory: float, tasks: int | None, least: int = 1
) -> ArrayPlan:
    """Cut a study into tasks that end before their wall-time.

    Parameters
    ----------
    estimate : Estimate
        From `measure`.
    cores, walltime : int
        Of each task [1], [s].
    memory : float
        That this process has needed for it [bytes].
    tasks : int, optional
        By default as many as the wall-time asks for, at most one for `cores` chunks.
    least : int
        Tasks of the smallest array that the system takes.
    """
    usable = max(USED * walltime - START, 1.0) * cores
    if tasks is None:
        most = max(1, estimate.chunks // cores)
        tasks = min(most, ceil(RESERVE * estimate.core_seconds / usable))
    tasks = max(least, tasks)
    needed = RESERVE * (memory + cores * COPIES * estimate.chunk_memory)
    seconds = estimate.core_seconds / (tasks * cores)
    return ArrayPlan(tasks, cores, walltime, max(LEAST_MEMORY, needed), seconds)


SYSTEMS = {"slurm": "sbatch", "pbs": "qsub"}  # and what submits a script
DIRECTIVES = {  # that no shipped script has
    "slurm": {"partition": "--partition=", "account": "--account="},
    "pbs": {"partition": "-q ", "account": "-A "},
}
WIDTH = 30  # of a line before its comment
SIGNATURE = "# written by mcrock submit; digest of all lines above: "


def read_script(name: str) -> str:
    """A shipped batch script."""
    return (shipped("jobs") / name).read_text(encoding="utf-8")


def write_script(
    system: str,
    config: Path,
    store: Path,
    options: Sequence[str],
    plan: ArrayPlan,
    cluster: Path | None = None,
    about: Iterable[str] = (),
    place: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """The batch script of a study.

    Parameters
    ----------
    system : str
        ``slurm`` or ``pbs``.
    config, store : Path
        Study file and result.
    options : sequence of str
        More of ``mcrock run``.
    plan : Plan
        Tasks, cores, memory and wall-time.
    cluster : Path, optional
        File of a cluster: its workers compute, and not the tasks of an array.
    about : iterable of str
        Comments at the top.
    place : mapping of str, optional
        Names of the ``partition`` and the ``account``.

    Raises
    ------
    ValueError
        If a name or an option has control characters, which could add a line to the script, or that of a
        partition or account a blank, which would end it.
    """
    variables = {"CONFIG": quote(config), "STORE": quote(store), "OPTIONS": f"({quoted(options)})"}
    gigabytes = ceil(plan.memory / 1e9)
    kind, directives = "dask" if cluster else "array", {}
    if cluster:
        variables["CLUSTER"] = quote(cluster)
    elif system == "slurm":
        directives = {
            "--array=": f"1-{plan.tasks}",
            "--cpus-per-task=": str(plan.cores),
            "--mem=": f"{gigabytes}G",
            "--time=": plan.written_walltime,
        }
    else:
        directives = {
            "-J ": f"1-{plan.tasks}",
            "-l select=": f"1:ncpus={plan.cores}:mem={gigabytes}gb",
            "-l walltime=": plan.written_walltime,
        }
        variables |= {"TASKS": str(plan.tasks), "CORES": str(plan.cores)}
    script = set_lines(f"{system}_{kind}.sh", directives, variables)
    for key, value in place.items():
        if not re.fullmatch(r"[\w.+:@-]+", value):
            raise ValueError(f"--{key} must be a name without blanks, got {value!r}")
        script = re.sub(
            r"(?m)^(#(?:SBATCH|PBS) )", rf"\g<1>{DIRECTIVES[system][key]}{value}\n\g<1>", script, count=1
        )
    name = quoted([script_path(store).name])
    first, rest = script.replace(f"jobs/{system}_{kind}.sh", name, 1).split("\n", 1)
    return "\n".join([first, *(f"# {line}" for line in about), rest])


def script_path(store: Path) -> Path:
    """Where the batch script of a store lies: next to it."""
    return store.with_suffix(".sh")


def signed(script: str) -> str:
    """A script with a last line that tells whether it was edited."""
    return f"{script}{SIGNATURE}{_digest(script.encode())}\n"


def check_replaceable(path: Path) -> None:
    """Refuse a script that would take the place of what is not a `signed` one, or was edited since.

    Raises
    ------
    ValueError
        If something is there that does not end with its own digest.
    """
    if not os.path.lexists(path):
        return
    script, _, digest = path.read_bytes().rpartition(SIGNATURE.encode()) if path.is_file() else (b"",) * 3
    if digest.decode("latin-1").rstrip("\n") != _digest(script):
        raise ValueError(
            f"{path} exists and is not a batch script as mcrock submit wrote it, which would take its place: "
            "submit it as it is, move it away, or choose another --output"
        )


def _digest(script: bytes) -> str:
    return hashlib.blake2b(script, digest_size=16).hexdigest()


def quote(path: Path) -> str:
    """The absolute name of a file: a script may be started in any folder."""
    return quoted([os.path.abspath(path)])


def quoted(words: Iterable[str]) -> str:
    """Words as a shell reads them, each whole."""
    return shlex.join(map(check_name, words))


def set_lines(name: str, directives: Mapping[str, str], variables: Mapping[str, str]) -> str:
    """A shipped script with directives and variables set, and the folder where this mcrock is installed.

    >>> script = set_lines("one_node.sh", {"--time=": "00:10:00"}, {"STORE": "b.zarr"})
    >>> print(*[line for line in script.splitlines() if "time=" in line or "STORE=" in line], sep="\\n")
    #SBATCH --time=00:10:00
    STORE=b.zarr                   # result
    """
    script = read_script(name)
    for start, value in directives.items():
        script, n = re.subn(rf"(?m)^(#(?:SBATCH|PBS) {re.escape(start)}).*$", rf"\g<1>{value}", script)
        assert n == 1, start
    for variable, value in variables.items():
        script = comment_kept(script, rf"{variable}=.*?", f"{variable}={value}")
    path = f'export PATH={quoted([os.path.dirname(sys.executable)])}:"$PATH"'
    return comment_kept(script, r"source \S+", path)


def comment_kept(script: str, pattern: str, line: str) -> str:
    """Put a line in place of the one that begins with a pattern, before its comment."""

    def replace(found: re.Match[str]) -> str:
        return f"{line:<{WIDTH}} {found[1]}"

    script, n = re.subn(rf"(?m)^{pattern}\s*(#.*)$", replace, script)
    assert n == 1, pattern
    return script
