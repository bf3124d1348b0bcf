"""Clusters: workers of dask in jobs of a batch system, what a study needs there, and batch scripts.

None of it is part of a study: the same study file runs on a laptop and on any cluster, bit for bit. Where
workers run, a file of dask's own configuration says; mcrock adds encryption and keeps lost jobs replaced.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import ceil, prod
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from mcrock.base.checks import check_name, suggest
from mcrock.base.environment import CONTRACT, contracts, shipped
from mcrock.base.session import hold_interruptions
from mcrock.base.tables.parsing import ConfigError
from mcrock.dataset.contents import STUDY, chunk_path, scratch_folder
from mcrock.dataset.create import create_store
from mcrock.dataset.store import write_part
from mcrock.ensemble import estimate_time
from mcrock.ensemble.opening import prepare_job, template_of
from mcrock.ensemble.part import Job, Part, simulate
from mcrock.ensemble.schedule import SAFE_PATH, without_current_folder
from mcrock.excitation import Motion
from mcrock.study import Study
from mcrock.study.sampling import check_inputs

if TYPE_CHECKING:
    from distributed import Client

SHORTEST = 60  # wall-time [s]
BATCH = {"slurm": "SLURMCluster", "pbs": "PBSCluster", "sge": "SGECluster", "lsf": "LSFCluster"}
SHARED_NETWORK = (
    "the network interface that login node and workers share, as 'ib0' (`ip -brief address` lists them), "
    "or 'lo' where all run on one machine"
)
NOT_YAML = (
    "expected a file of dask's own configuration (.yaml), as `mcrock example slurm_dask` writes one. TOML is "
    "retired here: keys of a batch system stand under 'jobqueue', the number of its jobs under "
    "'distributed.adaptive'; in place of the system local use --processes, of mpi jobs/slurm_ranks.sh"
)


def read_duration(text: str) -> int | None:
    """Seconds of a time as ``HH:MM:SS``; None if it is not one or is too short for a job.

    >>> read_duration("01:00:05"), read_duration("00:00:59")
    (3605, None)
    """
    found = re.fullmatch(r"(\d{1,4}):([0-5]\d):([0-5]\d)", text)
    hours, minutes, seconds = map(int, found.groups()) if found else (0, 0, 0)
    total = 3600 * hours + 60 * minutes + seconds
    return total if total >= SHORTEST else None


def load_cluster(path: str | Path) -> dict[str, Any]:
    """Read the file of a cluster, which says where a study runs and is not part of it.

    Parameters
    ----------
    path : str or Path
        YAML file of dask's own configuration, with one batch system under ``jobqueue``, and with
        ``distributed.adaptive``: `mcrock docs large-studies clusters`.

    Returns
    -------
    dict

    Raises
    ------
    ConfigError
        If the file is not there, or is none of these.
    """
    path = Path(path)
    if path.suffix not in (".yaml", ".yml"):
        raise ConfigError(f"{path}: {NOT_YAML}")
    if not path.is_file():
        raise ConfigError(f"{path}: no such file")
    from dask.config import collect_yaml

    try:
        place = next(iter(collect_yaml([str(path)])), {})
    except ValueError as error:
        raise ConfigError(" ".join(str(error).split())) from None
    systems = place.get("jobqueue")
    tables = [*systems.items()] if isinstance(systems, dict) else []
    if len(tables) != 1 or tables[0][0] not in BATCH or not isinstance(tables[0][1], dict):
        raise ConfigError(f"{path}: expected one table of {', '.join(BATCH)} under 'jobqueue'")
    most = dask_key(place, "distributed", "adaptive", "maximum")
    if not isinstance(most, int) or most < 1:
        wanted = "the most workers at a time, an integer >= 1"
        raise ConfigError(f"{path}: distributed.adaptive.maximum: expected {wanted}, got {most!r}")
    return place


def dask_key(place: Any, *names: str) -> Any:
    """Value of a key of nested tables, None where one is missing."""
    for name in names:
        place = place.get(name) if isinstance(place, dict) else None
    return place


LOOPBACK_ADDRESS = "127.0.0.1"
DASHBOARD = f"{LOOPBACK_ADDRESS}:0"  # nobody else sees it, and two studies have one each
# one thread for each part; and adaptive scaling takes parts for what they are before it has seen one [s]
ENVIRONMENT = "export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 NUMBA_NUM_THREADS=1"
TASK_DURATION = "5s"
INTERVAL = "5s"  # between two looks at how many jobs are wanted


class ClusterError(OSError):
    """Workers that cannot be started."""


@contextmanager
def connected(place: Mapping[str, Any], folder: Path) -> Iterator[Client]:
    """Submit the workers of a cluster and connect to their scheduler; end them at the end of the block.

    Connections are encrypted with keys made for this run, or with those that dask's configuration names
    where it has ``distributed.comm.require-encryption``.

    Parameters
    ----------
    place : mapping
        From `load_cluster`.
    folder : Path
        Where all workers see files: the keys of the run lie there until the end.

    Raises
    ------
    ClusterError
        If a package is missing or the system refuses the jobs.
    ValueError
        If dask-jobqueue does not take a setting, or the interface is missing.
    """
    import dask
    from distributed import Client

    try:
        with hold_interruptions():  # which takes back what it makes of Ctrl-C when it is imported
            import dask_jobqueue
    except ImportError:
        raise ClusterError("dask-jobqueue: not installed; pip install 'mcrock[cluster]'") from None
    (system,) = place["jobqueue"]
    known = dask.config.get(f"jobqueue.{system}")
    for key in place["jobqueue"][system]:
        if dask.config.canonical_name(key, known) not in known:
            raise ValueError(f"jobqueue.{system}: unknown key {key!r}{suggest(key, known)}")
    # dask would name the interface of the scheduler
    link = dask.config.get("distributed.dashboard.link").replace("{host}", LOOPBACK_ADDRESS)
    settings = {
        "distributed.scheduler.unknown-task-duration": TASK_DURATION,
        "distributed.dashboard.link": link,
        # a client that is closed before its end leaves itself as that of all that follows
        "scheduler": dask.config.get("scheduler", None),
    }
    merged = dask.config.merge(dask.config.config, place)
    refusals: list[str] = []
    kind = getattr(dask_jobqueue, BATCH[system])
    with (
        dask.config.set(merged),
        dask.config.set(settings),
        without_current_folder(),
        _jobs(kind, system, folder, refusals) as jobs,
    ):
        _keep(jobs, system, refusals)
        with Client(jobs) as client:
            yield client


def _jobs(kind: Any, system: str, folder: Path, refusals: list[str]) -> Any:
    """The jobs that dask's configuration describes, with what mcrock adds."""
    import dask
    from distributed.security import Security

    own = dask.config.get(f"jobqueue.{system}")
    if own["interface"] is None:
        raise ValueError(f"jobqueue.{system}: missing key 'interface'; expected {SHARED_NETWORK}")
    shared = str(folder.absolute())
    if shlex.quote(shared) != shared:  # dask-jobqueue puts names of keys into a script as they are
        raise ValueError(
            f"jobs read the keys of the run in {shared}, which a shell would not read as one word: choose an "
            "--output whose folders have names of letters and digits"
        )
    try:
        keys = dask.config.get("distributed.comm.require-encryption")
        return kind(
            job_cls=_lenient(kind.job_cls, refusals),
            processes=own["processes"] or 1,
            security=Security() if keys else Security.temporary(),
            shared_temp_directory=shared,
            python=own["python"] or shlex.quote(check_name(sys.executable)),
            scheduler_options={**own["scheduler-options"], "dashboard_address": DASHBOARD},
            # by default open to the network all the same
            worker_extra_args=[*own["worker-extra-args"], "--no-dashboard", "--dashboard-address", DASHBOARD],
            job_script_prologue=[*_environment(), *own["job-script-prologue"]],
        )
    except RuntimeError as error:
        raise ClusterError(f"the scheduler of dask cannot be started: {error}") from None
    except (ValueError, TypeError) as error:
        raise ValueError(f"jobqueue.{system}: {str(error).splitlines()[0]}") from None


def _environment() -> list[str]:
    """Of a job: not all batch systems hand on that of the process that submits it."""
    return [f"{ENVIRONMENT} {SAFE_PATH}=1", *([f"export {CONTRACT}=1"] if contracts() else [])]


def _keep(workers: Any, system: str, refusals: list[str]) -> None:
    """Submit the first jobs, and keep as many as are wanted, also where some are lost or refused later."""
    import dask
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

    least, most = (dask.config.get(f"distributed.adaptive.{end}") for end in ("minimum", "maximum"))
    workers.scale(max(1, least))
    workers.sync(submitted)
    if refusals:
        raise ClusterError(f"{system} refuses a job: {refusals[0]}")
    workers.adapt(Adaptive=Keeper, minimum=least, maximum=most, interval=INTERVAL)


def _lenient(job_class: Any, refusals: list[str]) -> Any:
    """A class of jobs of which a refusal is noted: dask would print a traceback, and not try again."""
    from distributed.core import Status

    class LenientJob(job_class):  # type: ignore[misc]
        async def start(self) -> None:
            try:
                await super().start()
            except (RuntimeError, OSError, ValueError) as error:
                self.status = Status.running  # without a number
                refusals.append([line.strip() for line in str(error).splitlines() if line.strip()][-1])

    return LenientJob


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


TIMED = 6  # studies of several that are measured


def measure_all(studies: Sequence[Study], motions: list[Motion]) -> Estimate:
    """Resources of studies that are run together, by those of some of them."""
    found = [measure(study, motions) for study in studies[:: -(-len(studies) // TIMED)]]
    times = len(studies) / len(found)
    return Estimate(
        runs=sum(study.n_runs for study in studies),
        seconds=sum(one.core_seconds for one in found) / sum(one.runs for one in found),
        timed=sum(one.timed for one in found),
        disk=times * sum(one.disk for one in found),
        chunks=round(times * sum(one.chunks for one in found)),
        files=round(times * sum(one.files for one in found)),
        chunk_memory=max(one.chunk_memory for one in found),
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
