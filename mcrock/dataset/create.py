"""Stores made and put in place, known again before anything is written, extended, repaired, merged."""

from __future__ import annotations

import json
import os
import re
import shutil
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from mcrock.base.environment import PLAIN
from mcrock.base.session import hold_interruptions
from mcrock.dataset.contents import (
    CHUNK_FILE,
    CHUNKS,
    EXPLANATION,
    README,
    STUDY,
    ForeignError,
    Key,
    Template,
    abandoned,
    chunk_files,
    chunk_path,
    chunk_state,
    damage,
    is_archive,
    is_copy,
    is_store,
    read_digest,
    read_record,
    read_template,
    replacing,
    scratch_name,
    some_of,
    study_record,
    take_inventory,
    write_archive,
)
from mcrock.dataset.schema import DamageError, is_declared


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
    check_new_store(path)
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


def check_new_store(path: Path) -> None:
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


IN_CONFIG = {"config", "title", "seed"}  # attributes that the config has too
SIGNED = "report"  # section of the config by which no study is told from another


def check_same_study(path: Path, attrs: Mapping[str, Any], study: str | None = None) -> Template:
    """What the store holds but its runs.

    Parameters
    ----------
    path : Path
        The store.
    attrs : mapping
        Global attributes of the study that should be in it.
    study : str, optional
        Digest of that study: one that differs in its extent alone is told from another one.

    Raises
    ------
    StoreError
        If it is another study, or one of another extent.
    DamageError
        If ``study.zip`` is damaged.
    """
    if is_copy(path):
        raise StoreError(
            f"{path} is a copy of a result: it can be read, but not continued. Choose another output, or "
            "replace it (--overwrite, in Python overwrite=True)"
        )
    if not is_store(path):
        raise StoreError(f"{path} {'is not a store of mcrock' if path.exists() else 'is gone'}")
    template = read_template(path)
    if template.attributes == dict(attrs) or of_study(template.attributes) == of_study(attrs):
        return template
    check_same_arithmetic(path, template.attributes, attrs, "this process computes")
    found = differences(template.attributes, attrs)
    if template.study == study:
        raise StoreError(
            f"{path} holds the same study but for {found}; --extend (in Python extend=True) keeps its runs "
            "and computes the others"
        )
    raise StoreError(
        f"{path} holds another study, which differs in {found}. Choose another output, or replace it "
        "(--overwrite, in Python overwrite=True)"
    )


def of_study(attrs: Mapping[str, Any]) -> dict[str, Any]:
    """Global attributes with the config as tables, less the section of who answers for the study."""
    config = json.loads(attrs["config"])
    return {**attrs, "config": {key: config[key] for key in config if key != SIGNED}}


def check_same_arithmetic(path: Path, old: Mapping[str, Any], new: Mapping[str, Any], other: str) -> None:
    """Refuse a store with runs in another arithmetic, by its attributes and those of another study."""
    stored, wanted = (attrs.get("arithmetic") or PLAIN for attrs in (old, new))
    if stored != wanted:
        raise StoreError(
            f"{path} holds runs in {stored}, {other} in {wanted}, and runs of both never meet in one store: "
            "give the same setting (--contract, MCROCK_CONTRACT=1 or --device) or choose another output"
        )


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """In what two studies differ that have these global attributes, with both values."""
    configs = differing_keys(*(of_study(attrs)["config"] for attrs in (old, new)))
    others = ({name: attrs[name] for name in attrs.keys() - IN_CONFIG} for attrs in (old, new))
    return "; ".join(
        f"{key} (stored {json.dumps(was)}, wanted {json.dumps(wanted)})"
        for key, was, wanted in [*configs, *differing_keys(next(others), next(others))]
    )


def differing_keys(old: Any, new: Any, prefix: str = "") -> list[tuple[str, Any, Any]]:
    """Dotted keys, with both values, in which two configs differ; None where one has no such key."""
    if isinstance(old, dict) and isinstance(new, dict):
        keys = sorted({*old, *new})
        return [item for k in keys for item in differing_keys(old.get(k), new.get(k), f"{prefix}{k}.")]
    return [] if old == new else [(prefix[:-1], old, new)]


def known_length(path: Path, *, from_chunks: bool = False) -> int | None:
    """Realizations of a chunk in the store that is there; None if that is not known.

    Where ``study.zip`` is damaged, or not to be asked, the chunks tell.
    """
    with suppress(DamageError):
        if not from_chunks:
            return read_template(path).length
    for file in chunk_files(path):
        with suppress(DamageError, KeyError, IsADirectoryError):
            return int(read_record(file)["length"])
    return None


def check_extent(path: Path, template: Template) -> bool:
    """Whether a store lacks realizations, epistemic draws or intensities of `template`, of the same study.

    Raises
    ------
    StoreError
        If the store is that of another study, or has what `template` has not.
    DamageError
        If ``study.zip`` is damaged.
    """
    old = read_template(path)
    if old.study != template.study:
        check_same_study(path, template.attributes)
    fewer = old.n_realizations > template.n_realizations or (old.n_outer or 1) > (template.n_outer or 1)
    if fewer or set(old.intensities) - set(template.intensities):
        raise StoreError(
            f"{path} is only ever extended, and has runs that are not wanted: "
            f"{differences(old.attributes, template.attributes)}"
        )
    return old.attributes != template.attributes


def extend_store(path: Path, template: Template) -> None:
    """Give a store the extent of `template`, if it has less; errors as `check_extent`.

    Its runs stay: chunks that have all as they are, the others until they are written anew.
    """
    with suppress(DamageError):  # `mend_store` writes what is damaged again
        if check_extent(path, template):
            write_template(path, template)


def mend_store(path: Path, template: Template) -> None:
    """Check that a store is the one of `template`, and put back what `create_store` wrote and is damaged.

    Who answers for the study is as `template` has it from then on.

    Raises
    ------
    StoreError
        If the store is that of another study.
    ForeignError
        If something whole is in the place of ``study.zip``, which would be overwritten.
    """
    try:
        if check_same_study(path, template.attributes, template.study).attributes != template.attributes:
            write_template(path, template)
    except ForeignError:
        raise
    except DamageError:
        if not fits_chunks(path, template):
            raise StoreError(
                f"{path} holds another study. Choose another output, or replace it (--overwrite, in Python "
                "overwrite=True)"
            ) from None
        write_template(path, template)
    (path / CHUNKS).mkdir(exist_ok=True)


def fits_chunks(path: Path, template: Template) -> bool:
    """Whether no whole chunk in the store is that of another study, or has runs that `template` has not."""
    found = take_inventory(path, template)
    studies = set(found.foreign.values()) - {None}
    return not studies or (template.study not in studies and bool(found.states.any()))


def merge_stores(output: Path, stores: Sequence[Path]) -> list[int]:
    """Put the chunks of several stores into one, which is made or completed.

    Every byte is checked before anything is written, and again in its new place.

    Parameters
    ----------
    output : Path
        Folder of the store to be made, or of a store of the same study.
    stores : sequence of Path
        Where the chunks are.

    Returns
    -------
    list of int
        How many chunks came from each store.

    Raises
    ------
    StoreError
        If the stores are not of one study of one extent, or two have other runs in the same chunk.
    DamageError
        If a file of a store is damaged.
    """
    check_new_store(output)
    sources = [output, *stores] if output.exists() else list(stores)
    template = _common_template(sources)
    places: dict[Key, Path] = {}
    for store in sources:
        found = take_inventory(store, template, thorough=True)
        if error := found.error(store, template):
            raise error
        for key in map(tuple, np.argwhere(found.done).tolist()):
            first = places.setdefault(key, store)
            if read_digest(chunk_path(first, key)) != read_digest(chunk_path(store, key)):
                raise StoreError(
                    f"the chunk {chunk_path(store, key).name} has other runs in {store} than in {first}, as "
                    "kinds of processors differ in last digits: remove that file from one of them"
                )
    if not output.exists() and not create_store(output, template):
        raise StoreError(f"{output} was made by another process at the same time: merge once more")
    remove_leftovers(output)
    for key, store in places.items():
        if store != output:
            _copy(template, key, store, output)
    return [list(places.values()).count(store) for store in stores]


def _common_template(stores: Sequence[Path]) -> Template:
    """Common contents of all stores but their runs."""
    foreign = [str(store) for store in stores if is_copy(store) or not is_store(store)]
    if foreign:
        raise StoreError(
            "\n".join(f"{path} is not a store of mcrock of the present format" for path in foreign)
        )
    first, template = stores[0], read_template(stores[0])
    for store in stores[1:]:
        other = read_template(store)
        check_same_arithmetic(store, other.attributes, template.attributes, f"{first}")
        if of_study(other.attributes) != of_study(template.attributes):
            found = differences(template.attributes, other.attributes)
            raise StoreError(f"{store} holds another study than {first}: {found}")
        if other.arrays != template.arrays:
            raise StoreError(
                f"{store} has chunks of {other.length} realizations and {first} of {template.length}, as one "
                "of them was extended: they cannot be merged"
            )
    return template


def _copy(template: Template, key: Key, store: Path, output: Path) -> None:
    with replacing(chunk_path(output, key), output) as scratch:
        shutil.copyfile(chunk_path(store, key), scratch)
    try:
        chunk_state(output, template, key, thorough=True)
    except DamageError as error:
        raise damage(output, chunk_path(output, key).name, str(error)) from None
