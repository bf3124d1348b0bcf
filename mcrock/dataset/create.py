"""A store put in its place, or in that of another one, and what killed processes leave of that."""

from __future__ import annotations

import os
import re
import shutil
import uuid
from contextlib import suppress
from pathlib import Path

from mcrock.base.interrupt import hold_interruptions
from mcrock.dataset.archive import is_archive, write_archive
from mcrock.dataset.atomic import abandoned, scratch_name
from mcrock.dataset.contents import CHUNK_FILE, CHUNKS, EXPLANATION, README, STUDY, Template, study_record
from mcrock.dataset.inventory import is_store, some_of
from mcrock.dataset.schema import is_declared


class StoreError(ValueError):
    """The output is something else than the store that is wanted there."""


def create_store(path: Path, template: Template, *, replace: bool = False) -> bool:
    """Put a store without any run in place, whole or not at all.

    Parameters
    ----------
    path : Path
        Folder of the store.
    template : Template
        From `make_template`.
    replace : bool
        Take the place of a store that is there: it is deleted when the new one is in its place, so that an
        interruption leaves the one or the other, whole. `remove_leftovers` ends a deletion that was
        interrupted.

    Returns
    -------
    bool
        False if another process was quicker: the store that is there stays.

    Raises
    ------
    StoreError
        If the folder to put it in does not exist, or what would be replaced is not a store.
    OSError
        If it cannot be written.
    """
    check_folder(path)
    scratch = scratch_name(path)
    try:
        scratch.mkdir()
        (scratch / CHUNKS).mkdir()
        (scratch / README).write_bytes(EXPLANATION.encode())  # with the same ends of lines everywhere
        write_archive(scratch / STUDY, template.members, study_record(template.study), path)  # not inside
        return put_in_place(scratch, path, replace=replace)
    except OSError as error:  # the temporary name would say nothing to the reader
        raise OSError(error.errno, error.strerror or str(error), str(path.parent)) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def put_in_place(new: Path, path: Path, *, replace: bool = False) -> bool:
    """Give a folder its name, or that of the store that it replaces; False if another was quicker."""
    if replace and path.exists():
        if not _exchange(new, path):
            return False
    else:
        try:
            os.rename(new, path)
        except OSError:
            if path.exists():
                return False
            raise
    remove_leftovers(path)
    return True


def check_folder(path: Path) -> None:
    """Raise `StoreError` if the folder that a store is to be put in does not exist."""
    if not path.parent.is_dir():
        raise StoreError(f"{path}: the folder {path.parent} does not exist")


def write_template(path: Path, template: Template) -> None:
    """Write what a store has but its chunks."""
    (path / CHUNKS).mkdir(exist_ok=True)
    write_archive(path / STUDY, template.members, study_record(template.study), path)


def _exchange(new: Path, path: Path) -> bool:
    """Put the store `new` where the store `path` is, which is moved aside; False if another was quicker."""
    check_removable(path)
    aside = path.with_name(f".{path.name}.{uuid.uuid4().hex}.old")
    with hold_interruptions():
        os.rename(path, aside)
        try:
            os.rename(new, path)
        except OSError:
            if path.exists():
                return False
            os.rename(aside, path)
            raise
    return True


def leftovers(path: Path) -> list[Path]:
    """Remains of stores that `path` has replaced, where their deletion was interrupted."""
    name = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{32}}\.old")
    try:
        return sorted(entry for entry in path.parent.iterdir() if name.fullmatch(entry.name))
    except OSError:  # the folder cannot be listed
        return []


def remove_leftovers(path: Path) -> None:
    """Delete `leftovers` and what killed processes were writing, if the store `path` exists.

    Folders go as far as they hold nothing but files of mcrock.
    """
    if not is_store(path):
        return
    with suppress(OSError):  # another process may be quicker
        for folder in [*leftovers(path), *abandoned(path.parent, re.escape(path.name))]:
            if not _foreign_names(folder):
                shutil.rmtree(folder, ignore_errors=True)
        remove_scratch(path)


def remove_scratch(path: Path, *, with_own: bool = False) -> None:
    """Delete the files of a store that ended processes were writing, or this one, if it is about to end."""
    home = path.resolve()
    name = rf"{re.escape(home.name)}\.({CHUNK_FILE}|{re.escape(STUDY)})"
    for file in abandoned(home.parent, name, with_own=with_own):
        file.unlink(missing_ok=True)


def check_removable(path: Path) -> None:
    """Raise `StoreError` unless `path` is a store of mcrock and holds nothing else."""
    if path.is_symlink() or not is_store(path):
        raise StoreError(f"{path} is not a store of mcrock and is left alone; choose another output")
    foreign = _foreign_names(path)
    if foreign:
        raise StoreError(f"{path} holds what is not mcrock's and is left alone: {some_of(foreign)}")


def _foreign_names(path: Path) -> list[str]:
    """What is in the folder of a store, of this format or the one before, and not written by mcrock."""
    found = []
    for place, folders, files in os.walk(path):
        for name in [*folders, *files]:
            entry, is_folder = Path(place, name), name in folders
            inner = entry.relative_to(path).as_posix()
            if entry.is_symlink() or not (_is_folder(inner) if is_folder else _is_file(entry, inner)):
                found.append(inner)
                if is_folder:
                    folders.remove(name)
    return sorted(found)


def _is_folder(name: str) -> bool:
    """Whether a store has such a folder: that of chunks, or in a copy one of an array."""
    array, _, inner = name.partition("/")
    return name == CHUNKS or (is_declared(array) and re.fullmatch(r"(c(/\d+)*)?", inner) is not None)


def _is_file(file: Path, name: str) -> bool:
    """Whether a file is one of a store, perhaps damaged."""
    if re.fullmatch(rf"{re.escape(STUDY)}|{CHUNKS}/{CHUNK_FILE}", name):
        return is_archive(file)
    if name == README:
        return file.read_bytes() == EXPLANATION.encode()
    match = re.fullmatch(r"((\w+)/)?(zarr\.json|c(/\d+)*)", name)
    return match is not None and (is_declared(match[2]) if match[2] else name == "zarr.json")
