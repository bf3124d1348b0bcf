"""A file of a cluster: which system starts the workers, how many, for how long, and how they talk."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from mcrock.base.tables.errors import ConfigError, format_mistakes, mistake, refuse
from mcrock.base.tables.fields import IntegerKey, Kind, OneOf, Table, Text, entry
from mcrock.study.load import read_toml

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
class Security(Kind):
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
        Security(),
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
