"""The document of a benchmark as tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mcrock.show.tables import format_table

BUSY = 0.25  # load average over cores from which on others disturb the measurement [1]
Column = tuple[str, str, str]  # head, dotted key of a measurement, and format


def format_bench(document: dict[str, Any]) -> str:
    """The document of `run_bench` as tables."""
    blocks = ["\n".join(_machine_lines(document))]
    workloads = [{"workload": name, **item} for name, item in document["workloads"].items()]
    title = f"One core, processor time: median of {document['options']['repeat']} and range"
    blocks.append(_table(title, workloads, SPEED))
    if rows := document.get("gpu"):
        title = (
            f"In {rows[0]['arithmetic']}: time on the clock, with sending inputs and fetching results; "
            "first: with compiling or loading; overturned: of the runs that one core computes above"
        )
        blocks.append(_table(title, rows, GPU))
    if "scaling" in document:
        title = "Several workers, time on the clock; efficiency is the rate of one over that of one alone"
        blocks.append(_table(title, document["scaling"], SCALING))
    if "whole_study" in document:
        study, seconds = document["whole_study"], document["whole_study"]["seconds"]
        blocks.append(
            f"The whole study as mcrock run does it, store included: {study['runs']} runs on "
            f"{study['workers']} threads in {seconds['median']:.2f} s ({seconds['min']:.2f} to "
            f"{seconds['max']:.2f}), {study['runs'] / seconds['median']:.0f} runs/s"
        )
    if "start" in document:
        title = "A fresh process that makes one run and ends, with and without compiled code"
        blocks.append(_table(title, document["start"], START))
    return "\n\n".join(blocks)


def _range(head: str, key: str, form: str) -> list[Column]:
    """Columns of a median and its range."""
    return [(head, f"{key}.median", form), ("from", f"{key}.min", form), ("to", f"{key}.max", form)]


SPEED: list[Column] = [
    ("workload", "workload", ""),
    ("runs", "runs", ""),
    ("steps/run", "steps_per_run", ".0f"),
    *_range("runs/s/core", "runs_per_second_per_core", ".0f"),
    ("us/run", "runs_per_second_per_core.median", "us"),
    ("steps/s", "steps_per_second_per_core", ".3g"),
    ("peak MiB", "peak_memory_MiB", ".0f"),
]
GPU: list[Column] = [
    ("workload", "workload", ""),
    ("runs", "runs", ""),
    ("first [s]", "first_seconds", ".1f"),
    *_range("runs/s", "runs_per_second", ".0f"),
    ("over one core", "over_one_core", ".0f"),
    ("overturned", "overturned", "of"),
    ("on the CPU", "overturned_on_the_processor", "of"),
]
SCALING: list[Column] = [
    ("workload", "workload", ""),
    ("workers", "workers", ""),
    ("", "kind", ""),
    *_range("runs/s", "runs_per_second", ".0f"),
    ("cores at work", "cores_at_work", ".2f"),
    ("efficiency", "efficiency", ".2f"),
]
START: list[Column] = [
    ("workload", "workload", ""),
    ("import mcrock [s]", "import_seconds.median", ".3f"),
    *_range("first result, warm [s]", "first_result_warm_seconds", ".2f"),
    ("first result, cold [s]", "first_result_cold_seconds", ".1f"),
]


def _table(title: str, rows: Sequence[dict[str, Any]], columns: Sequence[Column]) -> str:
    cells = [[_cell(row, key, form) for _, key, form in columns] for row in rows]
    return f"{title}\n{format_table([head for head, _, _ in columns], cells)}"


def _cell(row: dict[str, Any], key: str, form: str) -> str:
    """A measurement in its format; "-" of none."""
    value: Any = row
    for part in key.split("."):
        value = value[part]
    special: dict[str, Callable[[], str]] = {
        "us": lambda: f"{1e6 / value:.1f}",
        "of": lambda: f"{value}/{row['compared_runs']}",
    }
    if form in special:
        return special[form]()
    return "-" if value is None else f"{value:{form}}"


def _machine_lines(document: dict[str, Any]) -> list[str]:
    machine = document["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in document["versions"].items())
    cores = f"{machine['usable_cores']} of {machine['cores']} cores"
    load = machine["load_average"]
    lines = [versions, f"{machine['cpu']} ({machine['compiled_for']}), {cores}, {machine['os']}"]
    lines.append(document["date"] + ("" if load is None else f", load average before {load:.2f}"))
    if load is not None and load > BUSY * machine["usable_cores"]:
        lines.append("other programs are running: times on the clock are too long, efficiencies too low")
    lines += [f"{name}: {item['what']}" for name, item in document["workloads"].items()]
    records = dict.fromkeys(item["records"] for item in document["workloads"].values())
    lines.append(f"records: {', '.join(text for text in records if text != 'none') or 'none'}")
    return lines
