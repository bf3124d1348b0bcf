"""The command `mcrock verify`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer()


@app.command()
def verify(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE.json ...]", help="Case files; default: those that come with mcrock."),
    ] = None,
    failures: Annotated[bool, typer.Option("--failures", help="List only the failed checks.")] = False,
) -> None:
    """Recompute reference cases and compare with their known results.

    Ends with exit code 1 if a check fails.
    """
    from mcrock.text.checks import print_checks
    from mcrock.verification import CASES, run_file

    missing = [str(path) for path in files or [] if not path.is_file()]
    if missing:
        raise ValueError("\n".join(f"{path}: no such file" for path in missing))
    checks = (check for path in files or CASES for check in run_file(path))
    if not print_checks(checks, failures):
        sys.exit(1)
