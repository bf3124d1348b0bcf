"""A part of a study on a worker: draw its inputs, run it, store it with the responses of one's own."""

from __future__ import annotations

import inspect
import os
import socket
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from mcrock.base.environment import CONTRACT, PLAIN, peak_memory
from mcrock.base.own_function import OwnFunction
from mcrock.base.params import Inputs, MotionPack, Outcome
from mcrock.base.tables.parsing import RealizationError
from mcrock.dataset import DamageError, declaration, outputs
from mcrock.dataset.contents import State, chunk_state, filler, read_template
from mcrock.dataset.create import StoreError
from mcrock.dataset.schema import OUTPUT, OWN_RESPONSE, SCHEMA
from mcrock.dataset.store import ChunkRuns, read_runs, write_part
from mcrock.excitation import Motion, pack_motions
from mcrock.simulation.device import CPU, arithmetic_of, check_device
from mcrock.simulation.runs import Run, simulate_part, simulate_realization
from mcrock.study import ConfigError, Study
from mcrock.study.sampling import draw_inputs, draw_numbers


class OwnResponse(OwnFunction):
    """A response that a user computes from a `mcrock.simulation.runs.Run`; its unit is ``function.units``."""

    kind = "response"

    def accept(self) -> None:
        """Refuse a function of anything but one run, or a name that no variable has."""
        if len(inspect.signature(self.function).parameters) != 1 or not self.name.isidentifier():
            raise ValueError(f"response {self.name!r}: expected a named function of one argument, the run")
        if self.variable in SCHEMA:
            raise ValueError(
                f"response {self.name!r}: {self.variable} is {SCHEMA[self.variable].long_name}; rename it"
            )

    @property
    def variable(self) -> str:
        """Name in datasets."""
        return OWN_RESPONSE + self.name

    @property
    def attributes(self) -> dict[str, str]:
        """Of the variable."""
        units = getattr(self.function, "units", "1")
        return {"units": units, "long_name": self.name.replace("_", " ")}

    def of_run(self, run: Run, where: str) -> float:
        """The number of a run; ValueError if the function fails, or returns none."""
        try:
            return float(self.function(run))
        except Exception as error:
            raise ValueError(
                f"response {self.name!r} of {where}: expected a number, or NaN where it cannot be known, got "
                f"{type(error).__name__}: {error}"
            ) from error


def named_responses(study: Study) -> tuple[OwnResponse, ...]:
    """Responses that a study names; errors as of `OwnResponse.named`."""
    named = study.ensemble.responses or ()
    return tuple(OwnResponse.named(name, study.folder, study.trust_code) for name in named)


def own_values(
    responses: Sequence[OwnResponse],
    inputs: Inputs,
    motions: MotionPack,
    study: Study,
    pause: Callable[[], None] = lambda: None,
) -> tuple[dict[str, np.ndarray], dict[int, str]]:
    """Responses of every run of a part (n, m), each of which is run again with its history.

    Where a function fails or returns no number they are NaN, and the message is the second result, one for
    each such realization. What ``pause`` raises, which is called before every run, ends it.
    """
    wrong: dict[int, str] = {}
    found = {response.variable: np.full(inputs.scale.shape, np.nan) for response in responses}
    for row, level in np.ndindex(inputs.scale.shape) if responses else ():
        pause()
        _, run = simulate_realization(inputs, row, level, motions, study.controls)
        for response in responses:
            number = inputs.start + row
            try:
                value = response.of_run(run, f"realization {number}")
            except ValueError as error:
                wrong[number] = str(error)
            else:
                found[response.variable][row, level] = value
    return found, wrong


OWN_MOTIONS = 64  # motions made and held at a time [1]
ON_GPU = 16  # times as many on a GPU, which computes many runs at a time


def _go_on() -> None:
    """Nothing ends a part before it is done."""


WHOLE = 0, 1


class Part(NamedTuple):
    """Realizations `start` to `stop` - 1: whole chunks of the store, or one piece of them."""

    start: int
    stop: int
    outer: int | None = None  # number of the epistemic draw, where a study has several
    member: int = 0  # number of the study, where several are run together
    piece: tuple[int, int] = WHOLE  # number of the piece, and of how many that are stored together

    @property
    def own(self) -> Part:
        """Realizations of the piece alone.

        >>> Part(20, 30, piece=(1, 3)).own
        Part(start=23, stop=26, outer=None, member=0, piece=(0, 1))
        """
        size, (i, n) = self.stop - self.start, self.piece
        start, stop = self.start + size * i // n, self.start + size * (i + 1) // n
        return self._replace(start=start, stop=stop, piece=WHOLE)


@dataclass(frozen=True, eq=False)
class Job:
    """Data that the workers of a study share; every process holds it once."""

    study: Study
    motions: list[Motion]
    pack: MotionPack
    store: Path  # absolute
    attrs: dict[str, Any]  # global attributes of the store
    device: str = CPU  # or `mcrock.simulation.device.CUDA`
    responses: tuple[OwnResponse, ...] = ()
    pause: Callable[[], None] = _go_on  # called between pieces of a part; what it raises ends it


class Failure(NamedTuple):
    """A realization of which no run could be made, or no response of one, and why."""

    realization: int
    error: str
    trace: str = ""  # of an error that nobody expected
    has_runs: bool = False


class Work(NamedTuple):
    """Work of runs, the same on every machine: their steps and solved contacts, each a fraction of a
    microsecond; and which realization took most of it."""

    total: int = 0
    most: int = 0  # of one realization
    realization: int = 0
    level: int = 0  # number of the intensity that took most of that
    outer: int | None = None

    def __add__(self, other: Work) -> Work:  # type: ignore[override]
        """That of both, with the realization that took more."""
        return max(self, other, key=lambda work: work.most)._replace(total=self.total + other.total)


NO_WORK = Work()


@dataclass(frozen=True)
class PartResult:
    """Report of a worker about a part; the runs themselves are in the store."""

    part: Part
    seconds: float
    worker: str  # host:process
    overturned: np.ndarray = field(default_factory=lambda: np.zeros(0, int))  # (n_intensity,) runs
    error: str = ""
    trace: str = ""
    fatal: bool = False  # other parts would fail in the same way
    failures: tuple[Failure, ...] = ()  # realizations that are stored without runs
    work: Work = NO_WORK
    memory: float | None = None  # that the worker has held at most so far [MiB]
    values: dict[str, np.ndarray] | None = field(default=None, repr=False)  # of a piece, which is not stored


# Jobs of this process by name, of one study or of several that are run together. Threads see the caller's,
# other processes receive theirs at start-up. A job that is taken out ends: its parts at work are given up
# within a second, and nothing more is stored.
JOBS: dict[str, Sequence[Job]] = {}


class Stopped(Exception):  # noqa: N818
    """A run was stopped by who started it."""


def run_part(name: str, part: Part, values: dict[str, np.ndarray] | None = None) -> PartResult:
    """Compute and store one part of the job `name`; an error is returned, but for the end of the job.

    Of a piece the values are returned, or an error where all pieces are to be computed as one part;
    ``values`` are those of a part that is only to be stored.
    """

    def check() -> None:
        if name not in JOBS:
            raise Stopped

    check()
    job = JOBS[name][part.member]
    began = perf_counter()
    worker = f"{socket.gethostname()}:{os.getpid()}"
    fatal = True
    failures: list[Failure] = []
    try:
        _check_arithmetic(job, worker)
        chunks = read_known(job, part)
        fatal = False
        running = replace(job, pause=check)
        if part.piece != WHOLE:
            is_known = any(runs for _, runs in chunks)
            values = None if is_known else simulate(running, part.own, failures)
            error = "computed as a whole" if is_known or failures else ""
            return PartResult(part, perf_counter() - began, worker, error=error, values=values)
        values = values or simulate_others(running, part, chunks, failures)
        fatal = True
        check()
        write_part(job.store, part.start, values, job.attrs, part.outer)
    except Stopped:
        raise
    except Exception as error:
        return PartResult(
            part,
            perf_counter() - began,
            worker,
            error=describe_error(error),
            trace=traceback.format_exc(),
            fatal=fatal and isinstance(error, OSError | StoreError),
        )
    overturned = (np.atleast_2d(values["outcome"].T) == Outcome.OVERTURNED).sum(axis=1)
    return PartResult(
        part,
        perf_counter() - began,
        worker,
        overturned,
        failures=tuple(dict.fromkeys(failures)),
        work=count_work(part, values),
        memory=peak_memory(),
    )


def count_work(part: Part, values: dict[str, np.ndarray]) -> Work:
    """Work of a part, from its variables on `realization`."""
    runs = sum(
        np.maximum(values[name], 0).astype(int) for name in ("steps", "contact_solves") if name in values
    )
    runs = np.reshape(runs, (part.stop - part.start, -1))
    each = runs.sum(axis=1)
    slowest = int(each.argmax())
    level = int(runs[slowest].argmax())
    return Work(int(each.sum()), int(each[slowest]), part.start + slowest, level, part.outer)


def _check_arithmetic(job: Job, worker: str) -> None:
    """Refuse to compute for a study that was begun with another arithmetic."""
    try:
        check_device(job.device)
    except ValueError as error:
        raise StoreError(f"the worker {worker}: {error}") from None
    stored, own = job.attrs.get("arithmetic"), arithmetic_of(job.device)
    if stored != own:
        raise StoreError(
            f"the worker {worker} computes in {own or PLAIN}, the study is in {stored or PLAIN}: start all "
            f"workers with the same {CONTRACT}, on machines of one kind"
        )


def read_known(job: Job, part: Part) -> list[tuple[Part, ChunkRuns | None]]:
    """Chunks of a part that is to be computed, with runs that the store has at other intensities."""
    template = read_template(job.store)
    found: list[tuple[Part, ChunkRuns | None]] = []
    lead = () if part.outer is None else (part.outer,)
    for number in range(part.start // template.length, -(-part.stop // template.length)):
        key, runs = (*lead, number), None
        chunk = Part(*template.realizations(key), part.outer)
        with suppress(DamageError):
            if chunk_state(job.store, template, key) == State.OLDER:
                runs = read_runs(job.store, template, key)
        if runs and len(runs.values["outcome"]) != chunk.stop - chunk.start:
            runs = None  # the last chunk, which was not full
        found.append((chunk, runs))
    return found


def simulate_others(
    job: Job, part: Part, chunks: list[tuple[Part, ChunkRuns | None]], failures: list[Failure]
) -> dict[str, np.ndarray]:
    """Variables on `realization` of a part, of which runs at other intensities are known."""
    if all(known is None for _, known in chunks):
        return simulate_possible(job, part, failures)
    return joined(
        [
            simulate_possible(job, chunk, failures)
            if known is None
            else _complete(job, chunk, known, failures)
            for chunk, known in chunks
        ]
    )


def _complete(job: Job, chunk: Part, known: ChunkRuns, failures: list[Failure]) -> dict[str, np.ndarray]:
    wanted = job.study.intensity.si_levels
    missing = [level for level in wanted if level not in known.intensities]
    pieces = [known.values]
    if missing:
        others = replace(job, study=job.study.at_intensities(missing))
        pieces.append(simulate_possible(others, chunk, failures))
    order = [[*known.intensities, *missing].index(level) for level in wanted]
    values = dict(known.values)
    for name, array in values.items():
        if array.ndim == 2:
            values[name] = np.concatenate([piece[name] for piece in pieces], axis=1)[:, order]
    return values


def simulate_possible(job: Job, part: Part, failures: list[Failure]) -> dict[str, np.ndarray]:
    """Variables on `realization` of a part, in which realizations of which no run can be made have none.

    Their failures are added to the list. What is not the fault of a realization is raised: errors of the
    system or of the study, and one that nobody expected if no realization of the part can be run.
    """
    try:
        return simulate(job, part, failures)
    except Exception as error:
        if not _is_of_realization(error):
            raise
        first, found = error, list[Failure]()
        values = _simulate_halves(job, part, error, found)
    without = sum(not each.has_runs for each in found)
    if without == part.stop - part.start and not isinstance(first, RealizationError):
        raise first
    failures += found
    return values


def _simulate_halves(
    job: Job, part: Part, error: Exception, failures: list[Failure]
) -> dict[str, np.ndarray]:
    """Variables of a part that met an error, without runs where nothing can be simulated."""
    if part.stop - part.start == 1:
        trace = "" if isinstance(error, RealizationError) else "".join(traceback.format_exception(error))
        failures.append(Failure(part.start, describe_error(error), trace))
        return without_runs(job, part)
    middle = (part.start + part.stop) // 2
    pieces = []
    for half in (part._replace(stop=middle), part._replace(start=middle)):
        try:
            pieces.append(simulate(job, half, failures))
        except Exception as another:
            if not _is_of_realization(another):
                raise
            pieces.append(_simulate_halves(job, half, another, failures))
    return joined(pieces)


def _is_of_realization(error: Exception) -> bool:
    """True if an error may come from what was drawn, and not from the system or the study."""
    return isinstance(error, RealizationError) or not isinstance(
        error, OSError | MemoryError | ConfigError | Stopped
    )


def without_runs(job: Job, part: Part) -> dict[str, np.ndarray]:
    """Variables on `realization` of a part without runs, of which all has failed."""
    drawn = draw_numbers(job.study, job.motions, part.start, part.stop, part.outer or 0)
    values = {}
    for name in read_template(job.store).chunked:
        variable = declaration(name)
        of_runs = variable.dims == OUTPUT and not job.study.is_cloud
        shape = (part.stop - part.start, *([job.study.n_intensity] * of_runs))
        fill = Outcome.FAILED if name == "outcome" else filler(variable.dtype)
        values[name] = np.asarray(drawn.get(name, np.full(shape, fill))).astype(variable.dtype)
    return values


def joined(pieces: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Consecutive realizations as one part."""
    if len(pieces) == 1:
        return pieces[0]
    return {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}


def simulate(job: Job, part: Part, failures: list[Failure] | None = None) -> dict[str, np.ndarray]:
    """Variables on `realization` of a part; a few at a time where realizations have motions of their own, one
    where they have faces of their own. Responses that functions did not give are added to the failures."""
    study = job.study
    few = OWN_MOTIONS if job.device == CPU else ON_GPU * OWN_MOTIONS
    step = few if study.motion.has_own_motions else part.stop - part.start
    step = 1 if study.body.own_hulls else step
    compute = simulate_part if job.device == CPU else partial(simulate_part, device=job.device)
    pieces = []
    for start in range(part.start, part.stop, step):
        inputs = draw_inputs(study, job.motions, start, min(start + step, part.stop), part.outer or 0)
        pack = pack_motions(inputs.motions) if inputs.motions else job.pack
        own, wrong = own_values(job.responses, inputs, pack, study, job.pause)
        if failures is not None:
            failures += [Failure(number, error, has_runs=True) for number, error in wrong.items()]
        own = {name: array[:, 0] if study.is_cloud else array for name, array in own.items()}
        pieces.append(collect(inputs, compute(inputs, pack, study.controls, pause=job.pause)) | own)
    return joined(pieces)


def collect(inputs: Inputs, outcomes: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Variables on `realization` as the store holds them: inputs, then outcomes.

    Raises
    ------
    ValueError
        If an outcome is missing or a run was left out.
    """
    expected = outputs(friction=inputs.contact is not None)
    if set(outcomes) != set(expected):
        raise ValueError(f"outcomes do not match the schema: {sorted(set(outcomes) ^ set(expected))}")
    if (outcomes["outcome"] == Outcome.NOT_RUN).any():
        raise ValueError("the kernel left out runs")
    if "intensity_value" in inputs.values:  # a cloud study has one intensity per realization
        outcomes = {name: array[:, 0] for name, array in outcomes.items()}
    values = {**inputs.values, **outcomes}
    return {name: np.asarray(array).astype(declaration(name).dtype) for name, array in values.items()}


def describe_error(error: BaseException) -> str:
    """One line for an error: its message, with the type where that alone says little."""
    if isinstance(error, StoreError | ConfigError):
        return str(error)
    if isinstance(error, BrokenProcessPool):
        return "a worker process died, perhaps for want of memory"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}{f': {error.filename}' if error.filename else ''}"
    return f"{type(error).__name__}: {error}"


def cut_parts(
    done: np.ndarray,
    length: int,
    n_realizations: int,
    part_size: int | None,
    task: tuple[int, int],
    member: int = 0,
) -> Iterator[Part]:
    """Parts that are still to be computed by one task.

    Parameters
    ----------
    done : ndarray ([n_outer,] n_chunk)
        Chunks to skip. No part has realizations of two epistemic draws.
    length, n_realizations : int
        Realizations per chunk and of the study.
    part_size : int, optional
        Realizations per part, rounded up to whole chunks; one chunk by default.
    task : tuple of int
        ``(i, n)``: the i-th of n shares of the chunks, counted from 1.
    member : int
        Number of the study, where several are run together.

    Examples
    --------
    >>> parts = cut_parts(np.array([True, False, False, False]), 10, 35, 20, (1, 1))
    >>> [(part.start, part.stop) for part in parts]
    [(10, 30), (30, 35)]
    """
    row, skipped = done.shape[-1], done.ravel()
    first, last = share_of(task, done.size)
    chunks_per_part = max(1, -(-(part_size or 1) // length))
    chunk = first
    while chunk < last:
        if skipped[chunk]:
            chunk += 1
            continue
        outer, number = divmod(chunk, row)
        end = chunk + 1
        while end < min(last, chunk + chunks_per_part, (outer + 1) * row) and not skipped[end]:
            end += 1
        stop = min((number + end - chunk) * length, n_realizations)
        yield Part(number * length, stop, outer if done.ndim > 1 else None, member)
        chunk = end


def share_of(task: tuple[int, int], n_chunks: int) -> tuple[int, int]:
    """First chunk of a task, and the one after its last.

    >>> share_of((1, 2), 5), share_of((2, 2), 5)
    ((0, 2), (2, 5))
    """
    i, n = task
    return n_chunks * (i - 1) // n, n_chunks * i // n
