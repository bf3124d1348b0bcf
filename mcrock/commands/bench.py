"""The command `mcrock bench`."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from mcrock.commands.exit_codes import fail, say
from mcrock.commands.options import unpacked
from mcrock.commands.results import write_text

app = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class MeasuringOptions:
    """How much is measured, as `run_bench` takes it."""

    repeat: Annotated[int, typer.Option(help="Number of measurements; their median is shown.")] = 5
    workers: Annotated[
        int | None,
        typer.Option(help="Largest number of threads or processes; default: all cores.", show_default=False),
    ] = None
    device: Annotated[
        str | None,
        typer.Option(
            help="cuda to insist on a GPU, cpu to leave it out; default: measured where there is one.",
            show_default=False,
        ),
    ] = None
    seconds: Annotated[float, typer.Option(help="Minimum time of a speed measurement, in seconds.")] = 0.3
    runs: Annotated[
        int | None,
        typer.Option(help="Approximate number of runs per workload, for a quick try; rates then differ."),
    ] = None


@app.command()
@unpacked
def bench(
    *,
    workload: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="free_rocking, record, study, lambda_half, scanned, friction or planar; repeatable; "
            "default: all.",
            show_default=False,
        ),
    ] = None,
    measuring: MeasuringOptions,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE.json", help="Write all measurements to this file."),
    ] = None,
    no_start: Annotated[
        bool, typer.Option("--no-start", help="Skip cold and warm start, which take some minutes.")
    ] = False,
    no_scaling: Annotated[
        bool, typer.Option("--no-scaling", help="Skip threads, processes and the whole study.")
    ] = False,
) -> None:
    """Measure the speed of mcrock on this machine.

    Runs per second, also of a GPU, scaling over cores, memory and start-up: see
    `mcrock docs performance`.
    """
    if output is not None:
        _check_output(output)
    from mcrock.show.bench import format_bench
    from mcrock.verify.bench import run_bench

    try:
        document = run_bench(
            workload or [], **asdict(measuring), start=not no_start, scaling=not no_scaling, say=say
        )
    except RuntimeError as error:  # a process died, or a study failed
        fail(str(error), 1)
    print(format_bench(document))
    if output is not None:
        write_text(output, json.dumps(document, indent=1, allow_nan=False) + "\n")
        print(output)


def _check_output(output: Path) -> None:
    """Refuse a file that cannot be written, before minutes are spent."""
    if not output.parent.is_dir():
        raise ValueError(f"{output}: the folder {output.parent} does not exist")
    if output.is_dir():
        raise ValueError(f"{output} is a folder; give the name of a file")
    if not os.access(output.parent, os.W_OK):
        raise ValueError(f"{output}: the folder {output.parent} cannot be written to")
