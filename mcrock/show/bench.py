"""The document of a benchmark as tables."""

from __future__ import annotations

from typing import Any

from mcrock.show.tables import format_table

BUSY = 0.25  # load average over cores from which on others disturb the measurement [1]


def format_bench(document: dict[str, Any]) -> str:
    """The document of `run_bench` as tables."""
    blocks = ["\n".join(_machine_lines(document)), _format_speed(document)]
    if document.get("gpu"):
        blocks.append(_format_gpu(document["gpu"]))
    if "scaling" in document:
        blocks.append(_format_scaling(document))
    if "whole_study" in document:
        blocks.append(_format_study(document["whole_study"]))
    if "start" in document:
        blocks.append(_format_start(document))
    return "\n\n".join(blocks)


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


def _format_speed(document: dict[str, Any]) -> str:
    heads = ["workload", "runs", "steps/run", "runs/s/core", "from", "to", "us/run", "steps/s", "peak MiB"]
    rows = []
    for name, item in document["workloads"].items():
        rate = item["runs_per_second_per_core"]
        rows.append(
            [
                name,
                str(item["runs"]),
                f"{item['steps_per_run']:.0f}",
                *(f"{rate[key]:.0f}" for key in ("median", "min", "max")),
                f"{1e6 / rate['median']:.1f}",
                f"{item['steps_per_second_per_core']:.3g}",
                _or_dash(item["peak_memory_MiB"], "{:.0f}"),
            ]
        )
    title = f"One core, processor time: median of {document['options']['repeat']} and range"
    return f"{title}\n{format_table(heads, rows)}"


def _format_gpu(rows: list[dict[str, Any]]) -> str:
    heads = [
        "workload",
        "runs",
        "first [s]",
        "runs/s",
        "from",
        "to",
        "over one core",
        "overturned",
        "on the CPU",
    ]
    cells = [
        [
            item["workload"],
            str(item["runs"]),
            f"{item['first_seconds']:.1f}",
            *(f"{item['runs_per_second'][key]:.0f}" for key in ("median", "min", "max")),
            f"{item['over_one_core']:.0f}",
            *(
                f"{item[key]}/{item['compared_runs']}"
                for key in ("overturned", "overturned_on_the_processor")
            ),
        ]
        for item in rows
    ]
    title = (
        f"In {rows[0]['arithmetic']}: time on the clock, with sending inputs and fetching results; first: "
        "with compiling or loading; overturned: of the runs that one core computes above"
    )
    return f"{title}\n{format_table(heads, cells)}"


def _format_scaling(document: dict[str, Any]) -> str:
    heads = ["workload", "workers", "", "runs/s", "from", "to", "cores at work", "efficiency"]
    rows = [
        [
            item["workload"],
            str(item["workers"]),
            item["kind"],
            *(f"{item['runs_per_second'][key]:.0f}" for key in ("median", "min", "max")),
            f"{item['cores_at_work']:.2f}",
            f"{item['efficiency']:.2f}",
        ]
        for item in document["scaling"]
    ]
    title = "Several workers, time on the clock; efficiency is the rate of one over that of one alone"
    return f"{title}\n{format_table(heads, rows)}"


def _format_study(study: dict[str, Any]) -> str:
    seconds = study["seconds"]
    return (
        f"The whole study as mcrock run does it, store included: {study['runs']} runs on {study['workers']} "
        f"threads in {seconds['median']:.2f} s ({seconds['min']:.2f} to {seconds['max']:.2f}), "
        f"{study['runs'] / seconds['median']:.0f} runs/s"
    )


def _format_start(document: dict[str, Any]) -> str:
    heads = [
        "workload",
        "import mcrock [s]",
        "first result, warm [s]",
        "from",
        "to",
        "first result, cold [s]",
    ]
    rows = [
        [
            item["workload"],
            f"{item['import_seconds']['median']:.3f}",
            *(f"{item['first_result_warm_seconds'][key]:.2f}" for key in ("median", "min", "max")),
            _or_dash(item["first_result_cold_seconds"], "{:.1f}"),
        ]
        for item in document["start"]
    ]
    title = "A fresh process that makes one run and ends, with and without compiled code"
    return f"{title}\n{format_table(heads, rows)}"


def _or_dash(value: float | None, form: str) -> str:
    return "-" if value is None else form.format(value)
