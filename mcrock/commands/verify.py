"""The command `mcrock verify`."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from mcrock.commands.exit_codes import fail, say
from mcrock.commands.options import TrustCode

if TYPE_CHECKING:
    from mcrock.dataset.contents import Inventory, Template

app = typer.Typer()

CLONE = """--all needs a clone of the repository, as published figures and benchmarks are not installed
in the clone: pip install -e '.[test]' && mcrock verify --all
without it mcrock verify recomputes the cases, and mcrock docs evidence shows the last results"""


class _Wanted(NamedTuple):
    repair: bool
    force: bool
    folder: Path
    only_digest: bool
    trust_code: bool


@app.command()
def verify(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE.json|STORE", help="Case files or stores; default: the cases that come with mcrock."
        ),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option("--all", help="Regenerate all the evidence: `mcrock docs evidence`; needs a clone."),
    ] = False,
    failures: Annotated[bool, typer.Option("--failures", help="List only the failed checks.")] = False,
    digest: Annotated[
        bool,
        typer.Option("--digest", help="Print of a whole store its digest alone, which stands for all of it."),
    ] = False,
    expect: Annotated[str | None, typer.Option(metavar="DIGEST", help="Check the store's digest.")] = None,
    repair: Annotated[
        bool, typer.Option("--repair", help="Recompute what is damaged or missing in a store.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="With --repair, set aside what is whole and not of the store.")
    ] = False,
    folder: Annotated[
        Path, typer.Option(help="Folder of the study file, for --repair of a study with record files.")
    ] = Path(),
    trust_code: TrustCode = False,
) -> None:
    """Recompute reference cases and compare with their known results; check every byte of a store.

    Ends with exit code 1 if a check fails or a store is not whole.
    """
    from mcrock.dataset import is_store

    if everything and (files or failures or digest or expect or repair or force):
        raise ValueError("--all goes alone: it runs the evidence of a clone, not that of files")
    if everything:
        root = Path(__file__).parents[2]
        if not (root / "tests" / "evidence.py").exists():
            raise ValueError(CLONE)
        sys.exit(subprocess.run([sys.executable, "-m", "tests.evidence"], cwd=root, check=False).returncode)
    missing = [str(path) for path in files or [] if not path.exists()]
    if missing:
        raise ValueError("\n".join(f"{path}: no such file" for path in missing))
    foreign = [str(path) for path in files or [] if path.is_dir() and not is_store(path)]
    if foreign:
        raise ValueError("\n".join(f"{path} is a folder and not a store of mcrock" for path in foreign))
    stores = [path for path in files or [] if path.is_dir()]
    if expect is not None and not len(files or []) == len(stores) == 1:
        raise ValueError("--expect goes with one store")
    if force and not repair:
        raise ValueError("--force goes with --repair")
    options = _Wanted(repair, force, folder, digest, trust_code)
    digests = [_verify_store(path, options) for path in stores]
    is_right = all(found is not None for found in digests)
    if expect is not None and is_right and digests != [expect]:
        fail(f"{stores[0]} has the digest {digests[0]}, expected {expect}", 1)
    if not stores or len(stores) < len(files or []):
        is_right &= _verify_cases([path for path in files or [] if path not in stores], failures)
    if not is_right:
        sys.exit(1)


def _verify_cases(files: list[Path], failures: bool) -> bool:
    from mcrock.verify import CASES, run_file
    from mcrock.verify.checks import print_checks

    runs = [run_file(path) for path in files or CASES]  # all are read before any is run
    return print_checks(chain.from_iterable(runs), failures)


def _verify_store(path: Path, options: _Wanted) -> str | None:
    """Print what is not whole in a store; its digest if in the end it all is (of a copy "none")."""
    from mcrock.dataset.contents import check_copy, chunk_path, is_copy
    from mcrock.dataset.create import remove_leftovers

    if is_copy(path):
        check_copy(path)
        print(f"{path}: every array of this copy can be decoded; a copy has no checksums")
        return "none"
    remove_leftovers(path)
    template, found = _study_and_inventory(path, options)
    for key, what in found.damaged.items():
        print(f"{path}: {chunk_path(path, key).relative_to(path)} is {what}")
    for name in found.strays:
        print(f"{path}: {name} is not of this store")
    digest = _summary(path, template, found, options.only_digest)
    if digest or not options.repair:
        return digest
    damaged = [key for key in found.damaged if key in found.foreign]
    foreign = [*(chunk_path(path, key) for key in damaged), *(path / name for name in found.strays)]
    if foreign and not options.force:
        say(f"{path}: --repair overwrites nothing that is whole; with --force it sets that aside")
        return None
    if foreign:
        from mcrock.ensemble.opening import set_aside  # loads what runs studies

        print(f"{path}: what is not its own is set aside in {set_aside(path, foreign)}")
    warnings.filterwarnings("ignore", ".* is computed again")  # as printed above
    if not found.done.all():
        _compute(path, template.attributes["config"], options)
        print(f"{path}: {(~found.done).sum()} chunks were computed again")
    return _summary(path, *_study_and_inventory(path, options), options.only_digest)


def _study_and_inventory(path: Path, options: _Wanted) -> tuple[Template, Inventory]:
    """What a store has but its runs, written again from the log if that is damaged, and its chunks."""
    from mcrock.dataset import DamageError
    from mcrock.dataset.archive import ForeignError
    from mcrock.dataset.contents import STUDY, read_template, take_inventory

    template = None
    try:
        template = read_template(path)
        found = take_inventory(path, template, thorough=True)
        error = found.error(path, template)
        if not (error and found.blames_study(template)):
            return template, found
        raise error
    except DamageError as error:
        if not options.repair or (isinstance(error, ForeignError) and not options.force):
            raise
        from mcrock.ensemble.opening import is_logged, write_study_again

        with _folder_named(path):
            try:
                aside = write_study_again(path, options.folder, error, trust_code=options.trust_code)
            except DamageError:
                if template and is_logged(path, options.folder, template, trust_code=options.trust_code):
                    return template, found  # then the chunks are foreign
                raise
    if aside:
        print(f"{path}: {STUDY} is set aside in {aside}")
    print(f"{path}: {STUDY} was damaged, and is written again with the study that the log has")
    template = read_template(path)
    return template, take_inventory(path, template, thorough=True)


def _summary(path: Path, template: Template, found: Inventory, only_digest: bool) -> str | None:
    """Print how much of a store is whole; its digest if all is."""
    from mcrock.dataset.contents import chunk_path, store_digest

    whole, damaged = int(found.done.sum()), len(found.damaged)
    missing = [key for key in template.chunks() if not found.done[key] and key not in found.damaged]
    is_whole = not (damaged or missing or found.strays)
    digest = store_digest(path) if is_whole else None
    if only_digest and digest:
        print(digest)
        return digest
    more = f"; digest {digest}" if digest else ""
    if missing:
        more = f", the first is {chunk_path(path, missing[0]).relative_to(path)}"
    counts = f"{damaged} damaged, {len(missing)} missing"
    print(f"{path}: {whole} of {found.done.size} chunks are whole, {counts}{more}")
    return digest


def _compute(path: Path, config: str, options: _Wanted) -> None:
    """Compute what is damaged or missing in the store of a study."""
    from mcrock.ensemble import EnsembleError, run_study
    from mcrock.show.progress import study_progress
    from mcrock.study import Study

    try:
        with _folder_named(path), study_progress() as progress:
            study = Study.from_json(config, options.folder, trust_code=options.trust_code)
            run_study(study, path, resume=True, progress=progress).close()
    except EnsembleError as error:
        fail(str(error), 1)


@contextmanager
def _folder_named(path: Path) -> Iterator[None]:
    """Where the files of a study are not found, say which option tells where they are."""
    from mcrock.study import ConfigError

    try:
        yield
    except ConfigError as error:
        raise ValueError(f"{error}\n{path}: give the folder of the study file with --folder") from None
