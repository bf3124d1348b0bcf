"""The command `mcrock submit`."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from mcrock.base import environment
from mcrock.commands.exit_codes import fail
from mcrock.commands.options import Config, Contract, StudyOptions, unpacked
from mcrock.commands.results import write_text

app = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class ArrayOptions:
    """What an array of tasks asks of a batch system."""

    system: Annotated[str, typer.Option(help="Batch system: slurm or pbs.")] = "slurm"
    cores: Annotated[int, typer.Option(min=1, help="Cores of each task.")] = 4
    time: Annotated[str, typer.Option(metavar="HH:MM:SS", help="Wall-time limit of each task.")] = "01:00:00"
    tasks: Annotated[
        int | None, typer.Option(min=1, help="Tasks of the array; default: as many as the time asks for.")
    ] = None
    partition: Annotated[str | None, typer.Option(metavar="NAME", help="Partition or queue.")] = None
    account: Annotated[str | None, typer.Option(metavar="NAME", help="Account that pays.")] = None

    @property
    def place(self) -> dict[str, str]:
        """Partition and account, where they are given."""
        return {key: name for key in ("partition", "account") if (name := getattr(self, key)) is not None}


@app.command()
@unpacked
def submit(
    *,
    config: Config,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="STORE", help="Folder for the results; default: CONFIG.zarr."),
    ] = None,
    array: ArrayOptions,
    cluster: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Dask in place of an array, on the workers of this file."),
    ] = None,
    changes: StudyOptions,
    contract: Contract = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the script, and submit nothing.")] = False,
) -> None:
    """Write the batch script of a study and submit it.

    It states core-hours, memory and disk, estimated from a few runs on this
    machine. The script is STORE.sh; submit it again to continue.
    """
    if contract:
        environment.contract()  # before anything loads the kernel
    from mcrock.base.environment import peak_memory
    from mcrock.ensemble.cluster import (
        SYSTEMS,
        check_replaceable,
        load_cluster,
        measure,
        plan_tasks,
        read_duration,
        script_path,
        signed,
        write_script,
    )
    from mcrock.show.progress import format_cost, format_plan
    from mcrock.study.sampling import load_motions

    system, walltime = array.system, read_duration(array.time)
    if system not in SYSTEMS:
        raise ValueError(f"--system must be one of {', '.join(SYSTEMS)}, got {system!r}")
    if walltime is None:
        raise ValueError(f'--time must be a time as "HH:MM:SS", of at least a minute, got {array.time!r}')
    if cluster:
        load_cluster(cluster)
    study = changes.load(config)
    store = output or Path(config.name).with_suffix(".zarr")
    path = script_path(store)
    if not dry_run:
        check_replaceable(path)
    motions = load_motions(study)
    estimate = measure(study, motions)
    least = 2 if system == "pbs" else 1  # an array of one is refused there
    used = (peak_memory() or 0.0) * 2**20
    plan = plan_tasks(estimate, array.cores, walltime, used, array.tasks, least)
    options = [f"--set={item}" for item in changes.set or []]
    options += [] if changes.seed is None else [f"--seed={changes.seed}"]
    options += ["--trust-code"] if changes.trust_code else []
    options += ["--contract"] if environment.contracts() else []
    about = format_cost(estimate) + ([] if cluster else format_plan(plan))
    script = write_script(system, config, store, options, plan, cluster, about, array.place)
    if dry_run:
        print(script, end="")
        return
    write_text(path, signed(script))
    print("\n".join([*about, f"{path}: {_submitted(path, SYSTEMS[system])}"]))


def _submitted(path: Path, program: str) -> str:
    """What the program of a batch system says of a script."""
    try:
        done = subprocess.run([program, path.absolute()], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        fail(f"{path} is written, but {program} is not on this machine: submit it where it is", 1)
    if done.returncode:
        fail(f"{path} is written, but {program} refuses it: {done.stderr.strip()}", 1)
    return done.stdout.strip()
