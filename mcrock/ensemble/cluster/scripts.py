"""Batch scripts for a study: those of the folder jobs/ with the lines at their top set."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from pathlib import Path
from types import MappingProxyType

from mcrock.base.names import check_name
from mcrock.base.shipped_files import shipped
from mcrock.ensemble.cluster.estimate import ArrayPlan

SYSTEMS = {"slurm": "sbatch", "pbs": "qsub"}  # and what submits a script
DIRECTIVES = {  # that no shipped script has
    "slurm": {"partition": "--partition=", "account": "--account="},
    "pbs": {"partition": "-q ", "account": "-A "},
}
WIDTH = 30  # of a line before its comment
SIGNATURE = "# written by mcrock submit; digest of all lines above: "


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
    about: Iterable[str] = (),
    place: Mapping[str, str] = MappingProxyType({}),
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
    about : iterable of str
        Comments at the top.
    place : mapping of str, optional
        Names of the ``partition`` and the ``account``.

    Raises
    ------
    ValueError
        If a name or an option has control characters, which could add a line to the script, or that of a
        partition or account a blank, which would end it.
    """
    variables = {"CONFIG": quote(config), "STORE": quote(store), "OPTIONS": f"({quoted(options)})"}
    gigabytes = ceil(plan.memory / 1e9)
    kind, directives = "dask" if cluster else "array", {}
    if cluster:
        variables["CLUSTER"] = quote(cluster)
    elif system == "slurm":
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
    script = set_lines(f"{system}_{kind}.sh", directives, variables)
    for key, value in place.items():
        if not re.fullmatch(r"[\w.+:@-]+", value):
            raise ValueError(f"--{key} must be a name without blanks, got {value!r}")
        script = re.sub(
            r"(?m)^(#(?:SBATCH|PBS) )", rf"\g<1>{DIRECTIVES[system][key]}{value}\n\g<1>", script, count=1
        )
    name = quoted([script_path(store).name])
    first, rest = script.replace(f"jobs/{system}_{kind}.sh", name, 1).split("\n", 1)
    return "\n".join([first, *(f"# {line}" for line in about), rest])


def script_path(store: Path) -> Path:
    """Where the batch script of a store lies: next to it."""
    return store.with_suffix(".sh")


def signed(script: str) -> str:
    """A script with a last line that tells whether it was edited."""
    return f"{script}{SIGNATURE}{_digest(script.encode())}\n"


def check_replaceable(path: Path) -> None:
    """Refuse a script that would take the place of what is not a `signed` one, or was edited since.

    Raises
    ------
    ValueError
        If something is there that does not end with its own digest.
    """
    if not os.path.lexists(path):
        return
    script, _, digest = path.read_bytes().rpartition(SIGNATURE.encode()) if path.is_file() else (b"",) * 3
    if digest.decode("latin-1").rstrip("\n") != _digest(script):
        raise ValueError(
            f"{path} exists and is not a batch script as mcrock submit wrote it, which would take its place: "
            "submit it as it is, move it away, or choose another --output"
        )


def _digest(script: bytes) -> str:
    return hashlib.blake2b(script, digest_size=16).hexdigest()


def quote(path: Path) -> str:
    """The absolute name of a file: a script may be started in any folder."""
    return quoted([os.path.abspath(path)])


def quoted(words: Iterable[str]) -> str:
    """Words as a shell reads them, each whole."""
    return shlex.join(map(check_name, words))


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
    path = f'export PATH={quoted([os.path.dirname(sys.executable)])}:"$PATH"'
    return comment_kept(script, r"source \S+", path)


def comment_kept(script: str, pattern: str, line: str) -> str:
    """Put a line in place of the one that begins with a pattern, before its comment."""

    def replace(found: re.Match[str]) -> str:
        return f"{line:<{WIDTH}} {found[1]}"

    script, n = re.subn(rf"(?m)^{pattern}\s*(#.*)$", replace, script)
    assert n == 1, pattern
    return script
