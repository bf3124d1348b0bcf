"""The store of a study that runs: opened or made, repaired from the log next to it.

A log says what equal studies may differ in: times, hosts, memory; one JSON object a line. Every task has one
of its own: on network file systems lines of several machines would be lost.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from mcrock.base.compiled_code import source_hash
from mcrock.base.environment import mcrock_version, peak_memory
from mcrock.base.params import MotionPack
from mcrock.base.session import number_of
from mcrock.dataset import build_dataset, create, is_store, outputs
from mcrock.dataset.contents import STUDY, ForeignError, Template, has_ended, read_template
from mcrock.dataset.store import make_template
from mcrock.ensemble.part import Job, OwnResponse, named_responses
from mcrock.excitation import Motion, intensity, pack_motions
from mcrock.excitation.measures import MEASURES
from mcrock.simulation.device import CPU, arithmetic_of
from mcrock.study import Study
from mcrock.study.sampling import OF_MOTION, check_inputs, draw_inputs, load_motions

SILENT = 10.0  # times the longest silence between its parts after which a process seems to have ended
SHORTEST = 60.0  # silence that says something of a process [s]
PACKAGES = ("numpy", "scipy", "numba", "xarray", "zarr", "dask")
IDENTIFIERS = (  # of the batch systems, from the environment
    "SLURM_JOB_ID",
    "SLURM_ARRAY_JOB_ID",
    "SLURM_ARRAY_TASK_ID",
    "PBS_JOBID",
    "PBS_ARRAY_INDEX",
    "LSB_JOBID",
    "LSB_JOBINDEX",
    "JOB_ID",
    "SGE_TASK_ID",
)
AT_WORK, ENDED, INTERRUPTED, STOPPED = "at work", "ended", "interrupted", "stopped"
NOT_BEGUN = "not begun"  # of a store


class Log:
    """Writes the log of one task."""

    def __init__(self, store: Path, task: tuple[int, int] = (1, 1)) -> None:
        self.path = log_path(store, task)
        self.path.parent.mkdir(exist_ok=True)

    def write(self, event: str, **items: Any) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        entry = {"time": now, "host": socket.gethostname(), "process": os.getpid(), "event": event, **items}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    @contextmanager
    def noting_its_end(self) -> Iterator[None]:
        """Write what ends the work in the block, if something does."""
        try:
            yield
        except KeyboardInterrupt as error:
            self._last(INTERRUPTED, signal=number_of(error).name)
            raise
        except Exception as error:
            self._last(STOPPED, error=f"{type(error).__name__}: {error}")
            raise

    def _last(self, event: str, **items: Any) -> None:
        with suppress(OSError):  # perhaps of a disk that is full
            self.write(event, memory=peak_memory(), **items)


def log_path(store: Path, task: tuple[int, int] = (1, 1)) -> Path:
    """Log of a task on a store.

    >>> log_path(Path("s.zarr")).as_posix(), log_path(Path("s.zarr"), (3, 8)).as_posix()
    ('s.zarr.log', 's.zarr.logs/3-of-8.log')
    """
    if task == (1, 1):
        return store.with_name(f"{store.name}.log")
    return store.with_name(f"{store.name}.logs") / f"{task[0]}-of-{task[1]}.log"


def log_files(store: Path) -> list[Path]:
    """Logs of a store that are there."""
    alone = log_path(store)
    others = store.with_name(f"{store.name}.logs").glob("*.log")
    return [path for path in (alone, *sorted(others)) if path.is_file()]


def describe_versions() -> dict[str, str]:
    """Versions of mcrock, Python and what results may depend on."""
    return {
        "mcrock": mcrock_version(),
        "python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
    }


def batch_job() -> dict[str, str]:
    """Numbers that a batch system has given this process."""
    return {name: os.environ[name] for name in IDENTIFIERS if name in os.environ}


@dataclass
class Process:
    """A process that worked on a study, or does, by its log."""

    host: str
    number: int
    task: str
    workers: int | None  # None on a cluster of dask
    began: datetime
    heard: datetime  # last
    realizations: int = 0  # done
    failed: list[str] = field(default_factory=list)  # messages of parts
    impossible: list[str] = field(default_factory=list)  # messages of realizations without runs
    memory: float = 0.0  # that one of its workers has held at most [MiB]
    dashboard: str | None = None  # of dask
    config: str | None = None  # study in JSON
    longest: float = 0.0  # silence so far [s]
    ending: str = ""

    @property
    def rate(self) -> float:
        """Realizations per second until it was last heard [1/s], compilation included."""
        seconds = (self.heard - self.began).total_seconds()
        return self.realizations / seconds if seconds > 0 else 0.0

    def state(self, now: datetime) -> str:
        """At work, how it ended, gone without a word, or silent."""
        if self.ending:
            return self.ending
        if self.host == socket.gethostname():
            return "gone" if has_ended(self.number) else AT_WORK
        silence = (now - self.heard).total_seconds()
        return "silent" if silence > max(SHORTEST, SILENT * self.longest) else AT_WORK

    def hear(self, entry: dict[str, Any], time: datetime) -> None:
        """Take in a line of the log."""
        self.longest = max(self.longest, (time - self.heard).total_seconds())
        self.heard = time
        self.memory = max(self.memory, float(entry.get("memory") or 0.0))
        match entry["event"]:
            case "part":
                self.realizations += int(entry["stop"]) - int(entry["start"])
            case "failed":
                self.failed.append(f"realizations {entry['start']} to {entry['stop'] - 1}: {entry['error']}")
            case "no_run":
                self.impossible.append(f"realization {entry['realization']}: {entry['error']}")
            case "end":
                self.ending = ENDED
            case "interrupted" | "stopped" as ending:
                self.ending = ending


def read_log(store: Path) -> list[Process]:
    """Processes that worked on a store, in the order of their start; none where logs are missing."""
    found: list[Process] = []
    for path in log_files(store):
        at_work: dict[tuple[str, int], Process] = {}
        for entry in _entries(path):
            with suppress(KeyError, TypeError, ValueError, OverflowError):  # a line that was changed
                name = str(entry["host"]), int(entry["process"])
                time = datetime.fromisoformat(entry["time"]).astimezone(UTC)
                if entry["event"] == "start":
                    at_work[name] = Process(*name, str(entry["task"]), entry["workers"], time, time)
                    at_work[name].dashboard, at_work[name].config = (
                        entry.get("dashboard"),
                        entry.get("config"),
                    )
                    found.append(at_work[name])
                if name in at_work:
                    at_work[name].hear(entry, time)
    return sorted(found, key=lambda process: process.began)


def logged_versions(store: Path) -> list[dict[str, str]]:
    """Versions with which a store was computed, those of each process once; none where logs are missing."""
    entries = (entry for path in log_files(store) for entry in _entries(path))
    starts = (entry.get("versions") for entry in entries if entry["event"] == "start")
    found = [versions for versions in starts if isinstance(versions, dict)]
    return [versions for k, versions in enumerate(found) if versions not in found[:k]]


def _entries(path: Path) -> Iterator[dict[str, Any]]:
    """Lines that are whole: a process may be killed while it writes one, and a disk may be full."""
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if isinstance(entry, dict) and {"time", "host", "process", "event"} <= entry.keys():
                yield entry


def check_output(path: Path, overwrite: bool, joining: bool) -> None:
    """Refuse an output that is there already, before anything is computed."""
    create.check_new_store(path)
    if not os.path.lexists(path):
        return
    if not is_store(path):
        raise create.StoreError(f"{path} exists and is not a store of mcrock; choose another output")
    if not (overwrite or joining):
        raise create.StoreError(
            f"{path} exists already; continue it (--resume, in Python resume=True), replace it "
            "(--overwrite, in Python overwrite=True) or choose another output"
        )
    if overwrite:
        create.check_removable(path)


def open_output(job: Job, path: Path, overwrite: bool, joining: bool, extend: bool) -> None:
    """Make the store, or check, extend and mend the one that is there."""
    if not (joining and path.exists()):
        check_inputs(job.study, job.motions)
        if create.create_store(path, template_of(job), replace=overwrite):
            return
        check_output(path, overwrite=False, joining=joining)  # another process was quicker
    template = template_of(job, create.known_length(path))
    if extend:
        create.extend_store(path, template)
    create.mend_store(path, template)
    create.remove_leftovers(path)


def template_of(job: Job, length: int | None = None) -> Template:
    """Contents of the store of a study before any run, with chunks of `length` realizations."""
    study = job.study
    inputs = draw_inputs(study, job.motions, 0, 1, with_motions=False)
    measures = [variable.name for variable in study.intensity.variables]
    return make_template(
        study_digest(job.attrs),
        _header(study, job.motions, job.attrs),
        [*dict.fromkeys([*inputs.values, *measures]), *outputs(friction=inputs.contact is not None)],
        study.n_realizations,
        measure_of(study),
        length=length,
        n_outer=study.ensemble.outer,
        own={response.variable: response.attributes for response in job.responses},
    )


def study_digest(attrs: dict[str, Any]) -> str:
    """Digest of what two stores have in common if the runs of one of them may be in the other.

    That is everything but the number of realizations, where the first ones do not depend on it, the number of
    epistemic draws, the intensities, and who answers for the study.
    """
    config = json.loads(attrs["config"])
    if config["ensemble"]["design"] != "latin_hypercube":
        del config["ensemble"]["realizations"]
    config["ensemble"].pop("outer", None)
    config.pop(create.SIGNED, None)
    for levels in ("levels", "levels_g"):
        config["intensity"].pop(levels, None)
    text = json.dumps({**attrs, "config": config}, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def prepare_job(
    study: Study,
    motions: list[Motion],
    store: Path,
    device: str = CPU,
    responses: tuple[OwnResponse, ...] = (),
    pack: MotionPack | None = None,
) -> Job:
    """Data that the workers need, with the global attributes by which a store is known; ``pack`` are the
    motions as the kernel reads them, if they are at hand."""
    pack = pack or pack_motions(motions)
    attrs = {
        "Conventions": "CF-1.10",
        "title": study.title or "mcrock study",
        "source": f"mcrock {mcrock_version()}",
        "seed": study.seed,
        # parts of two kernels never meet in one store
        "kernel_digest": source_hash() if device == CPU else source_hash("simulation/device/launch.py"),
        "motions_digest": _digest(_example(study, motions) or pack),
        "config": study.to_json(),
    }
    if responses:
        attrs["own_responses"] = "; ".join(response.words for response in responses)
    if words := study.own_law_words:
        attrs["own_law"] = words  # of another source it is another study
    if special := arithmetic_of(device):
        attrs["arithmetic"] = special
    return Job(study, motions, pack, store, attrs, device, responses)


def job_as_stored(job: Job) -> Job:
    """The job under the names that its store has of the functions of a user: by file, or given in Python."""
    try:
        begun = read_template(job.store).attributes
    except OSError:  # of no store, or a damaged one
        return job
    attrs, config, known = dict(job.attrs), json.loads(job.attrs["config"]), json.loads(begun["config"])
    law = job.study.find_own_law()
    own = {
        ("own_law", "impact", "own_law"): [law] if law else [],
        ("own_responses", "ensemble", "responses"): job.responses,
    }
    for (name, section, key), functions in own.items():
        words = begun.get(name, "").split("; ")
        if len(words) == len(functions) and all(
            f.made(word) for f, word in zip(functions, words, strict=True)
        ):
            attrs[name], config[section][key] = begun[name], known[section].get(key)
            config[section] = {k: v for k, v in config[section].items() if v is not None}
    return replace(job, attrs=attrs | {"config": json.dumps(config, ensure_ascii=False)})


def _example(study: Study, motions: list[Motion]) -> MotionPack | None:
    """The motion of the first realization, where each has its own: it changes with the files behind it."""
    own = draw_inputs(study, motions, 0, 1).motions if study.motion.has_own_motions else ()
    return pack_motions(own) if own else None


def _digest(pack: MotionPack) -> str:
    """Hash of all ground motions: a study whose record files were changed is another study."""
    digest = hashlib.blake2b(digest_size=16)
    for array in pack:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def measure_of(study: Study) -> tuple[str, str]:
    """Units and long name of the intensity measure."""
    return study.intensity.units, study.intensity.long_name


def _recorded(study: Study, motion: Motion) -> float:
    """Intensity of a motion as recorded; of a measure that asks for the body, that of the motion in it."""
    measure = study.intensity.measure
    if study.motion.is_generated:
        return float("nan")
    if measure == "factor":
        return 1.0
    if measure in OF_MOTION:
        return intensity(motion, OF_MOTION[measure])
    return intensity(motion, measure, **study.intensity.parameters)


def _header(study: Study, motions: list[Motion], attrs: dict[str, Any]) -> xr.Dataset:
    """Variables and attributes of the result that are known before any run."""
    groups = {group: i for i, group in enumerate(dict.fromkeys(motion.group for motion in motions))}
    values: dict[str, Any] = {
        "motion_name": [motion.name for motion in motions],
        "motion_group": [groups[motion.group] for motion in motions],
        "motion_history": [study.motion.history(motion, study.folder) for motion in motions],
        "motion_intensity": [_recorded(study, motion) for motion in motions],
    }
    if not study.is_cloud:
        values["intensity"] = study.intensity.si_levels
    units, long_name = measure_of(study)
    ds = build_dataset(values, units=units, long_name=long_name, attrs=attrs)
    if study.intensity.measure in OF_MOTION:
        of_motion = MEASURES[OF_MOTION[study.intensity.measure]]
        ds["motion_intensity"].attrs |= {"units": of_motion.units, "long_name": of_motion.long_name}
    return ds


def write_study_again(path: Path, folder: Path, error: OSError, *, trust_code: bool = False) -> Path | None:
    """Write ``study.zip`` again, with the last study in the log next to the store that the chunks fit.

    Parameters
    ----------
    path, folder : Path
        The store, and the folder that the paths of its study are relative to.
    error : OSError
        What is wrong with the file that is there; raised if no study of the log fits.
    trust_code : bool
        As of `mcrock.study.load_config`.

    Returns
    -------
    Path or None
        Where the file that was there is now, if it was whole.
    """
    for template in _logged(path, folder, trust_code=trust_code):
        if create.fits_chunks(path, template):
            aside = set_aside(path, [path / STUDY]) if isinstance(error, ForeignError) else None
            create.write_template(path, template)
            return aside
    raise error


def is_logged(path: Path, folder: Path, template: Template, *, trust_code: bool = False) -> bool:
    """Whether the log next to a store has the very study that its ``study.zip`` holds."""
    logged = _logged(path, folder, template.length, trust_code=trust_code)
    return any(known.members == template.members for known in logged)


def _logged(path: Path, folder: Path, length: int | None = None, *, trust_code: bool) -> Iterator[Template]:
    """Of the studies in the log next to a store, the last one first, with chunks as they are there."""
    for config in dict.fromkeys(
        process.config for process in reversed(read_log(path)) if isinstance(process.config, str)
    ):
        study = Study.from_json(config, folder, trust_code=trust_code)
        responses = named_responses(study)
        job = prepare_job(study, load_motions(study), path.absolute(), responses=responses)
        yield template_of(job, length or create.known_length(path, from_chunks=True))


def set_aside(path: Path, entries: Iterable[Path]) -> Path:
    """Move files and folders out of a store into a new folder next to it, which is returned."""
    for number in count(1):
        aside = path.with_name(f"{path.name}.aside-{number}")
        if not os.path.lexists(aside):
            break
    for entry in entries:
        place = aside / entry.relative_to(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        os.rename(entry, place)
    return aside
