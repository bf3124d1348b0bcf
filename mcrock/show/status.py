"""Progress of the study of a store, in text."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from mcrock.dataset.contents import Inventory, Template
from mcrock.ensemble.opening import AT_WORK, ENDED, Process
from mcrock.show.numbers import format_count, format_time
from mcrock.show.tables import format_table

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
    n_intensity = max(1, len(template.intensities))
    total = done = 0
    for key in template.chunks():
        start, stop = template.realizations(key)
        total += (stop - start) * n_intensity
        done += (stop - start) * n_intensity * int(found.done[key])
    n_done, n_damaged = int(found.done.sum()), len(found.damaged)
    lines = [
        f"{n_done} of {found.done.size} chunks are done ({done} of {total} runs), "
        f"{found.done.size - n_done - n_damaged} missing, {n_damaged} damaged"
    ]
    at_work = [process for process in processes if process.state(now) == AT_WORK]
    rate = sum(process.rate for process in at_work) * n_intensity
    if at_work:
        left = f", {format_time((total - done) / rate)} left" if rate and done < total else ""
        lines.append(f"{len(at_work)} process{'es' * (len(at_work) > 1)} at work, {rate:.3g} runs/s{left}")
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
        lines.append(format_table(heads, [_row(process, n_intensity, now) for process in others[-SHOWN:]]))
        if len(others) > SHOWN:
            lines.append(f"and {len(others) - SHOWN} processes that began before")
    failed = [message for process in processes for message in process.failed]
    if failed and not found.done.all():
        lines += [f"{format_count(len(failed), 'part')} failed so far:", *_few(failed)]
    return lines + format_impossible(processes)


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
