"""Progress of what takes time, on the error stream: live on a terminal, else a line now and then."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

from mcrock.show.numbers import format_time, label_intensities

if TYPE_CHECKING:
    from mcrock.ensemble import Progress

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
    from mcrock.statistics.runs import watching

    with ExitStack() as stack:
        shown: list[Callable[[int, int], None]] = []

        def show(done: int, total: int) -> None:
            if not shown:  # nothing is drawn where little is read
                shown.append(stack.enter_context(count_progress("slices of runs read in this pass")))
            shown[0](done, total)

        with watching(show):
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
    """Fraction of the finished runs that overturned, at each intensity."""
    if not progress.finished:
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
    outer = "" if work.outer is None else f" of the outer draw {work.outer}"
    text = f"realization {work.realization}{outer} took {work.most / work.total:.0%} of the work so far"
    if progress.intensities is None:
        return text
    return f"{text}, most of it at {label_intensities(progress.intensities, progress.units)[work.level]}"
