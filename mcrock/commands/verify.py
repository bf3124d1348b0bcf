"""The command `mcrock verify`."""

from __future__ import annotations

import sys
import warnings
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from mcrock.commands.exit_codes import fail

app = typer.Typer()


@app.command()
def verify(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE.json|STORE",
            help="Case files or stores; default: the cases that come with mcrock.",
        ),
    ] = None,
    failures: Annotated[bool, typer.Option("--failures", help="List only the failed checks.")] = False,
    repair: Annotated[
        bool, typer.Option("--repair", help="Recompute what is damaged or missing in a store.")
    ] = False,
    folder: Annotated[
        Path, typer.Option(help="Folder of the study file, for --repair of a study with record files.")
    ] = Path(),
) -> None:
    """Recompute reference cases and compare with their known results; check every byte of a store.

    Ends with exit code 1 if a check fails or a store is not whole.
    """
    from mcrock.dataset import is_store

    missing = [str(path) for path in files or [] if not path.exists()]
    if missing:
        raise ValueError("\n".join(f"{path}: no such file" for path in missing))
    foreign = [str(path) for path in files or [] if path.is_dir() and not is_store(path)]
    if foreign:
        raise ValueError("\n".join(f"{path} is a folder and not a store of mcrock" for path in foreign))
    stores = [path for path in files or [] if path.is_dir()]
    is_right = [_verify_store(path, repair, folder) for path in stores]
    if not stores or len(stores) < len(files or []):
        is_right.append(_verify_cases([path for path in files or [] if path not in stores], failures))
    if not all(is_right):
        sys.exit(1)


def _verify_cases(files: list[Path], failures: bool) -> bool:
    from mcrock.verify import CASES, run_file
    from mcrock.verify.lines import print_checks

    runs = [run_file(path) for path in files or CASES]  # all are read before any is run
    return print_checks(chain.from_iterable(runs), failures)


def _verify_store(path: Path, repair: bool, folder: Path) -> bool:
    """Print what is not whole in a store; whether in the end it all is."""
    from mcrock.dataset import DamageError
    from mcrock.dataset.contents import STUDY, chunk_path, read_template, store_digest, take_inventory
    from mcrock.dataset.folders import check_folder, is_folder_store
    from mcrock.ensemble.log import read_log

    if is_folder_store(path):
        check_folder(path)
        print(f"{path}: every file can be decoded; this older format of stores has no checksums")
        return True
    try:
        template = read_template(path)
    except DamageError:
        configs = [process.config for process in read_log(path) if process.config]
        if not (repair and configs):
            raise
        _compute(path, configs[-1], folder)
        print(f"{path}: {STUDY} was damaged, and is written again with the study that the log has")
        template = read_template(path)
    found = take_inventory(path, template, thorough=True)
    for key, what in found.damaged.items():
        print(f"{path}: {chunk_path(path, key).relative_to(path)} is {what}")
    whole, damaged = int(found.done.sum()), len(found.damaged)
    missing = [key for key in template.chunks() if not found.done[key] and key not in found.damaged]
    left = len(missing)
    if missing:
        more = f", the first is {chunk_path(path, missing[0]).relative_to(path)}"
    else:
        more = "" if damaged else f"; digest {store_digest(path)}"
    print(f"{path}: {whole} of {found.done.size} chunks are whole, {damaged} damaged, {left} missing{more}")
    if found.done.all() or not repair:
        return bool(found.done.all())
    warnings.filterwarnings("ignore", ".* is computed again")  # as printed above
    _compute(path, template.attributes["config"], folder)
    print(f"{path}: {damaged + left} chunks were computed again, all are whole")
    return True


def _compute(path: Path, config: str, folder: Path) -> None:
    """Compute what is damaged or missing in the store of a study."""
    from mcrock.config import ConfigError, Study
    from mcrock.ensemble import EnsembleError, run_study
    from mcrock.show.progress import study_progress

    try:
        with study_progress() as progress:
            run_study(Study.from_json(config, folder), path, resume=True, progress=progress).close()
    except ConfigError as error:
        raise ValueError(f"{error}\n{path}: give the folder of the study file with --folder") from None
    except EnsembleError as error:
        fail(str(error), 1)
