"""Progress of what takes time and of the study of a store, and the resources that a cluster would need.

It is written to the error stream: live on a terminal, else a line now and then.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from math import floor
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

from mcrock.dataset.contents import Inventory, Template
from mcrock.ensemble.opening import AT_WORK, ENDED, NOT_BEGUN, Process
from mcrock.show.text import format_count, format_table, format_time, label_intensities

if TYPE_CHECKING:
    from mcrock.ensemble import Progress
    from mcrock.ensemble.cluster import ArrayPlan, Estimate

BAR_INTERVAL = 0.5  # between changes of a bar [s]
MANY = 1000  # runs from which on the start is worth a line
LONG = 10_000_000  # work of a realization that is worth a line, some seconds
LINE_INTERVAL = 10.0  # between progress lines where the output is not a terminal [s]


class Report(Protocol):
    """Callback of `run_study`."""

    def __call__(self, progress: Progress) -> None: ...


def on_terminal() -> bool:
    """Whether lines can be drawn again; in a cell of a notebook they cannot, though it looks a terminal."""
    return sys.stderr.isatty() and "JPY_PARENT_PID" not in os.environ


@contextmanager
def count_progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show how many of a known number are done, as in ``12 of 40 files read``."""
    if not on_terminal():
        is_due, has_begun = _now_and_then(LINE_INTERVAL), False

        def show(done: int, total: int) -> None:
            nonlocal has_begun
            if is_due() or (has_begun and done == total):  # no count that is over stays behind
                has_begun = True
                print(f"{done} of {total} {what}", file=sys.stderr, flush=True)

        yield show
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def reading_progress() -> Iterator[None]:
    """Show how far each pass over the runs of a large study is."""
    from mcrock.statistics.runs import report_slices

    with ExitStack() as stack:
        shown: list[Callable[[int, int], None]] = []

        def show(done: int, total: int) -> None:
            if not shown:  # nothing is drawn where little is read
                shown.append(stack.enter_context(count_progress("slices of runs read in this pass")))
            shown[0](done, total)

        with report_slices(show):
            yield


@contextmanager
def writing_progress() -> Iterator[None]:
    """Show how far dask is with what it reads and writes piece by piece."""
    from dask.callbacks import Callback

    with count_progress("slices of variables written") as progress:

        def count(key: Any, value: Any, graph: Any, state: Any, worker: Any) -> None:
            done = len(state["finished"])
            progress(done, done + sum(len(state[name]) for name in ("ready", "waiting", "running")))

        with Callback(posttask=count):
            yield


@contextmanager
def study_progress() -> Iterator[Report]:
    """Show how far a study is, and the fraction of its runs that overturned so far."""
    if not on_terminal():
        is_due, has_begun = _now_and_then(LINE_INTERVAL), False

        def print_line(progress: Progress) -> None:
            nonlocal has_begun
            begins, has_begun = not has_begun and progress.total_runs >= MANY, True
            if begins or (progress.finished and is_due()):
                lines = format_progress(progress), format_overturned(progress), format_slowest(progress)
                print("; ".join(filter(None, lines)), file=sys.stderr, flush=True)

        yield print_line
        return
    from rich.console import Console, Group
    from rich.live import Live
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    with Live(console=Console(stderr=True), refresh_per_second=4, transient=True) as live:

        def show(progress: Progress) -> None:
            bar = ProgressBar(total=max(progress.total_runs, 1), completed=progress.finished_runs)
            lines = format_progress(progress), format_overturned(progress), format_slowest(progress)
            live.update(Group(bar, *map(Text, filter(None, lines))))

        yield show


@contextmanager
def notebook_progress() -> Iterator[Report]:
    """Show a bar in the cell of a notebook, with the fraction of the runs that overturned so far."""
    from IPython.display import HTML, display
    from markupsafe import Markup

    def cell(progress: Progress) -> HTML:
        bar = Markup('<progress style="width: 30em" value="{}" max="{}"></progress><br>{}<br>{}<br>{}')
        lines = format_progress(progress), format_overturned(progress), format_slowest(progress)
        return HTML(bar.format(progress.finished_runs, max(progress.total_runs, 1), *lines))

    handle, is_due = None, _now_and_then(BAR_INTERVAL)

    def show(progress: Progress) -> None:
        nonlocal handle
        if handle is None:
            handle = display(cell(progress), display_id=True)
        elif is_due() or progress.finished_runs >= progress.total_runs:
            handle.update(cell(progress))

    yield show


def _now_and_then(interval: float) -> Callable[[], bool]:
    """Whether the last line is long enough ago for another one."""
    last = monotonic()

    def is_due() -> bool:
        nonlocal last
        if monotonic() - last < interval:
            return False
        last = monotonic()
        return True

    return is_due


def format_progress(progress: Progress) -> str:
    """Numbers of a progress in one line."""
    text = f"{progress.finished_runs} of {progress.total_runs} runs"
    if progress.finished <= progress.first:  # no rate yet: the first part may have waited for the compiler
        return f"{text}, starting"
    return f"{text}, {_format_rate(progress.rate)}, {format_time(progress.seconds_left)} left"


def _format_rate(rate: float) -> str:
    """Runs per second, or per minute where that is less than one.

    >>> _format_rate(812.4), _format_rate(2.34), _format_rate(0.07)
    ('812 runs/s', '2.3 runs/s', '4.2 runs/min')
    """
    rate, unit = (rate, "s") if rate >= 1.0 else (60.0 * rate, "min")
    return f"{rate:.{0 if rate >= 10.0 else 1}f} runs/{unit}"


def format_overturned(progress: Progress) -> str:
    """Fraction of the finished runs that overturned, at each intensity; of several studies none."""
    if not progress.finished or progress.studies > 1:
        return ""
    shares = [f"{count / progress.finished:.2f}" for count in progress.overturned]
    if progress.intensities is None:
        return f"overturned so far: {shares[0]}"
    labels = label_intensities(progress.intensities, progress.units)
    pairs = (f"{share} at {label}" for label, share in zip(labels, shares, strict=True))
    return f"overturned so far: {', '.join(pairs)}"


def format_slowest(progress: Progress) -> str:
    """The realization that took longer than all others together, if that was long."""
    work = progress.work
    if not (work.most > LONG and 2 * work.most > work.total):
        return ""
    outer = "" if work.outer is None else f" of the epistemic draw {work.outer}"
    text = f"realization {work.realization}{outer} took {work.most / work.total:.0%} of the work so far"
    if progress.intensities is None:
        return text
    return f"{text}, most of it at {label_intensities(progress.intensities, progress.units)[work.level]}"


MESSAGES = 5  # of parts that failed
SHOWN = 20  # processes, of which a large array has thousands


def format_status(
    template: Template, found: Inventory, processes: Sequence[Process], now: datetime
) -> list[str]:
    """Chunks and runs that are there, who works on the others, and how long that takes.

    Parameters
    ----------
    template, found
        The store and its chunks.
    processes : sequence of Process
        From its log.
    now : datetime
        With a time zone.
    """
    here = standing_of([(template, found, processes)], now)
    missing = here["chunks"] - here["chunks_done"] - here["chunks_damaged"]
    lines = [
        f"{here['chunks_done']} of {here['chunks']} chunks are done ({here['runs_done']} of {here['runs']} "
        f"runs), {missing} missing, {here['chunks_damaged']} damaged"
    ]
    at_work = [process for process in processes if process.state(now) == AT_WORK]
    if at_work:
        left = f", {format_time(here['seconds_left'])} left" if here["seconds_left"] else ""
        number = f"{len(at_work)} process{'es' * (len(at_work) > 1)}"
        lines.append(f"{number} at work, {here['runs_per_second']:.3g} runs/s{left}")
    elif not found.done.all():
        lines.append("no process is at work, as far as the log tells: --resume computes what is missing")
    lines += [
        f"dask's dashboard, of {process.host}: {process.dashboard}"
        for process in at_work
        if process.dashboard
    ]
    others = [process for process in processes if process.state(now) != ENDED]
    if others and not found.done.all():
        heads = ["process", "task", "workers", "state", "realizations", "runs/s", "memory", "last heard"]
        n_intensity = max(1, len(template.intensities))
        lines.append(format_table(heads, [_row(process, n_intensity, now) for process in others[-SHOWN:]]))
        if len(others) > SHOWN:
            lines.append(f"and {len(others) - SHOWN} processes that began before")
    failed = [message for process in processes for message in process.failed]
    if failed and not found.done.all():
        lines += [f"{format_count(len(failed), 'part')} failed so far:", *_few(failed)]
    return lines + format_impossible(processes)


def standing_of(
    stores: Iterable[tuple[Template, Inventory, Sequence[Process]]], now: datetime
) -> dict[str, Any]:
    """How far a store is, or several that are computed together: with their chunks and processes, at a time.

    Counts of chunks, runs and processes at work, their rate [runs/s], the time left [s], None where nobody
    computes what is missing, and the state in words.
    """
    names = ("chunks", "chunks_done", "chunks_damaged", "runs", "runs_done")
    here, rate = dict.fromkeys(names, 0), 0.0
    known = list[Process]()
    for template, found, processes in stores:
        n_intensity = max(1, len(template.intensities))
        runs = runs_done = 0
        for key in template.chunks():
            start, stop = template.realizations(key)
            runs += (stop - start) * n_intensity
            runs_done += (stop - start) * n_intensity * int(found.done[key])
        numbers = found.done.size, found.done.sum(), len(found.damaged), runs, runs_done
        here = {name: here[name] + int(number) for name, number in zip(names, numbers, strict=True)}
        known += processes
        rate += n_intensity * sum(process.rate for process in processes if process.state(now) == AT_WORK)
    at_work = {(process.host, process.number) for process in known if process.state(now) == AT_WORK}
    missing = here["runs"] - here["runs_done"]
    left = missing / rate if rate else None if missing else 0.0
    if here["chunks_damaged"]:
        state = "damaged"
    elif missing:
        last = max(known, key=lambda process: process.heard, default=None)
        state = AT_WORK if at_work else last.state(now) if last else NOT_BEGUN
    else:
        state = "done"
    return here | {"at_work": len(at_work), "runs_per_second": rate, "seconds_left": left, "state": state}


def format_standings(standings: Mapping[str, Mapping[str, Any]]) -> str:
    """A line for each of several stores, by its name; one that cannot be read has its state alone."""
    rows = []
    for name, here in standings.items():
        row = [name, *"-----", here["state"]]
        if "runs" in here:
            left, rate = here["seconds_left"], here["runs_per_second"]
            row[1] = f"{floor(1000 * here['runs_done'] / max(here['runs'], 1)) / 10:g} %"  # 100 only of all
            row[2:4] = f"{here['runs_done']} of {here['runs']}", str(here["at_work"])
            row[4:6] = _format_rate(rate) if rate else "-", format_time(left) if left else "-"
        rows.append(row)
    return format_table(["store", "done", "runs", "processes", "rate", "left", "state"], rows)


def format_impossible(processes: Sequence[Process]) -> list[str]:
    """Number of realizations of which no run could be made, by the log of a store, and the first messages."""
    found = list(dict.fromkeys(message for process in processes for message in process.impossible))
    count = format_count(len(found), "realization")
    return [f"no run could be made of {count}:", *_few(found)] if found else []


def _few(messages: Sequence[str]) -> list[str]:
    more = len(messages) - MESSAGES
    return [*messages[:MESSAGES], *([f"  and {more} more; the log has them all"] if more > 0 else [])]


def _row(process: Process, n_intensity: int, now: datetime) -> list[str]:
    return [
        f"{process.host}:{process.number}",
        process.task,
        "cluster" if process.workers is None else str(process.workers),
        process.state(now),
        str(process.realizations),
        f"{process.rate * n_intensity:.3g}",
        f"{process.memory:.0f} MiB" if process.memory else "-",
        f"{format_time((now - process.heard).total_seconds())} ago",
    ]


def format_cost(estimate: Estimate) -> list[str]:
    """Core-hours, disk and files of a study."""
    each, of_chunk = estimate.seconds * 1e3, format_time(estimate.core_seconds / estimate.chunks)
    return [
        f"{estimate.runs} runs of {each:.3g} ms (mean of {estimate.timed} runs): "
        f"{format_core_hours(estimate.core_seconds)} on processors as this one",
        f"{format_bytes(estimate.disk)} on disk in {estimate.files} files",
        f"{format_count(estimate.chunks, 'chunk')}, {of_chunk} each on one core, which an interruption loses",
    ]


def format_plan(plan: ArrayPlan) -> list[str]:
    """Tasks of an array, their time and memory, and a warning where they do not fit."""
    lines = [
        f"{plan.tasks} tasks of {plan.cores} cores, {format_time(plan.seconds)} each after the start, "
        f"{format_bytes(plan.memory)} of memory each"
    ]
    if not plan.fits:
        lines.append(
            "a task may not end before its wall-time: submit the script again, or ask for more tasks"
        )
    return lines


def format_core_hours(seconds: float) -> str:
    """Time on one core.

    >>> format_core_hours(9), format_core_hours(36000), format_core_hours(3.6e9)
    ('0.0025 core-hours', '10 core-hours', '1000000 core-hours')
    """
    hours = seconds / 3600.0
    return f"{hours:.2g} core-hours" if hours < 10 else f"{hours:.0f} core-hours"


def format_bytes(size: float) -> str:
    """An amount of memory or disk in the unit that suits it.

    >>> format_bytes(310), format_bytes(4.2e6), format_bytes(7e10)
    ('0.31 kB', '4.2 MB', '70 GB')
    """
    for limit, unit in ((1e6, "kB"), (1e9, "MB"), (1e12, "GB")):
        if size < limit:
            return (
                f"{size / limit * 1e3:.2g} {unit}"
                if size < limit / 10
                else f"{size / limit * 1e3:.0f} {unit}"
            )
    return f"{size / 1e12:.3g} TB"
