"""Resources of a study on a cluster, in words."""

from __future__ import annotations

from mcrock.ensemble.cluster import ArrayPlan, Estimate
from mcrock.show.numbers import format_count, format_time


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
