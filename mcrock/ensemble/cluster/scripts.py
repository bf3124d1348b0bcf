"""Batch scripts for a study: those of the folder jobs/ with the lines at their top set."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path

from mcrock.base.shipped_files import shipped
from mcrock.ensemble.cluster.estimate import ArrayPlan

SYSTEMS = {"slurm": "sbatch", "pbs": "qsub"}  # and what submits a script
WIDTH = 30  # of a line before its comment


def read_script(name: str) -> str:
    """A shipped batch script."""
    return (shipped("jobs") / name).read_text(encoding="utf-8")


def write_script(
    system: str,
    config: Path,
    store: Path,
    options: Sequence[str],
    plan: ArrayPlan,
    cluster: Path | None = None,
) -> str:
    """The batch script of a study.

    Parameters
    ----------
    system : str
        ``slurm`` or ``pbs``.
    config, store : Path
        Study file and result.
    options : sequence of str
        More of ``mcrock run``.
    plan : Plan
        Tasks, cores, memory and wall-time.
    cluster : Path, optional
        File of a cluster: its workers compute, and not the tasks of an array.
    """
    variables = {"CONFIG": quote(config), "STORE": quote(store), "OPTIONS": f"({shlex.join(options)})"}
    if cluster:
        variables["CLUSTER"] = quote(cluster)
        return set_lines(f"{system}_dask.sh", {}, variables)
    gigabytes = ceil(plan.memory / 1e9)
    if system == "slurm":
        directives = {
            "--array=": f"1-{plan.tasks}",
            "--cpus-per-task=": str(plan.cores),
            "--mem=": f"{gigabytes}G",
            "--time=": plan.written_walltime,
        }
    else:
        directives = {
            "-J ": f"1-{plan.tasks}",
            "-l select=": f"1:ncpus={plan.cores}:mem={gigabytes}gb",
            "-l walltime=": plan.written_walltime,
        }
        variables |= {"TASKS": str(plan.tasks), "CORES": str(plan.cores)}
    return set_lines(f"{system}_array.sh", directives, variables)


def quote(path: Path) -> str:
    """The absolute name of a file: a script may be started in any folder."""
    return shlex.quote(os.path.abspath(path))


def set_lines(name: str, directives: Mapping[str, str], variables: Mapping[str, str]) -> str:
    """A shipped script with directives and variables set, and the folder where this mcrock is installed.

    >>> script = set_lines("one_node.sh", {"--time=": "00:10:00"}, {"STORE": "b.zarr"})
    >>> print(*[line for line in script.splitlines() if "time=" in line or "STORE=" in line], sep="\\n")
    #SBATCH --time=00:10:00
    STORE=b.zarr                   # result
    """
    script = read_script(name)
    for start, value in directives.items():
        script, n = re.subn(rf"(?m)^(#(?:SBATCH|PBS) {re.escape(start)}).*$", rf"\g<1>{value}", script)
        assert n == 1, start
    for variable, value in variables.items():
        script = comment_kept(script, rf"{variable}=.*?", f"{variable}={value}")
    path = f'export PATH={shlex.quote(str(Path(sys.executable).parent))}:"$PATH"'
    return comment_kept(script, r"source \S+", path)


def comment_kept(script: str, pattern: str, line: str) -> str:
    """Put a line in place of the one that begins with a pattern, before its comment."""

    def replace(found: re.Match[str]) -> str:
        return f"{line:<{WIDTH}} {found[1]}"

    script, n = re.subn(rf"(?m)^{pattern}\s*(#.*)$", replace, script)
    assert n == 1, pattern
    return script
