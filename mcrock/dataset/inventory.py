"""Files of a store that are there: whole ones, older ones, damaged ones, and what does not belong to it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from contextlib import suppress
from enum import IntEnum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcrock.dataset.archive import (
    DamageError,
    ForeignError,
    explaining,
    read_archive,
    read_digest,
    read_record,
)
from mcrock.dataset.contents import (
    CHUNK_FILE,
    CHUNKS,
    FORMAT,
    README,
    STUDY,
    Key,
    Template,
    chunk_name,
    chunk_path,
    decode_levels,
    foreign_study,
    read_template,
    refuse_newer,
)
from mcrock.dataset.folders import is_copy

PASSING = ".nfs"  # of names that a network file system gives to what is deleted while it is read


class State(IntEnum):
    """Of a chunk in its store."""

    MISSING = 0
    OLDER = 1  # from before the store was extended: without some realizations or intensities
    WHOLE = 2


class Inventory(NamedTuple):
    """Chunks of a store that are there."""

    states: NDArray[np.int8]  # of the grid of its template
    damaged: dict[Key, str]  # what is wrong with the file of a chunk
    foreign: dict[Key, str | None]  # those that are whole, and the digest of the study that they belong to
    strays: list[str]  # names in its folder that no file of it has

    @property
    def done(self) -> NDArray[np.bool_]:
        """Chunks with all their runs."""
        return self.states == State.WHOLE

    def blames_study(self, template: Template) -> bool:
        """Whether chunks agree with each other and not with ``study.zip``."""
        studies = set(self.foreign.values()) - {None}
        return template.study in studies or (len(studies) == 1 and not self.states.any())

    def error(self, path: Path, template: Template) -> DamageError | None:
        """What is wrong with ``study.zip``, a chunk or what else is there, if something is."""
        if self.blames_study(template):
            what = "extent" if template.study in self.foreign.values() else "study"
            return foreign_study(path, f"of another {what} than {len(self.foreign)} chunks, which agree")
        for key, what in self.damaged.items():
            return damage(path, chunk_path(path, key).name, what, foreign=key in self.foreign)
        if self.strays:
            return ForeignError(
                f"{path} holds what is not of this store: {some_of(self.strays)}; "
                f"`mcrock verify {path} --repair --force` sets it aside"
            )
        return None


def some_of(names: list[str], most: int = 5) -> str:
    """The first of some names."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def take_inventory(
    path: Path, template: Template, keys: Iterable[Key] | None = None, *, thorough: bool = False
) -> Inventory:
    """Look for the chunks of a store.

    Parameters
    ----------
    path, template
        The store and what `read_template` gives for it.
    keys : iterable of tuple, optional
        Chunks to look for, all by default; the others count as missing.
    thorough : bool
        Read and check every byte; else the records alone, at the end of every file.
    """
    found = Inventory(np.full(template.grid, State.MISSING, np.int8), {}, {}, [])
    folders = [folder for folder in (path, path / CHUNKS) if folder.is_dir()]
    entries = {entry.relative_to(path).as_posix(): entry for folder in folders for entry in folder.iterdir()}
    unlisted = CHUNKS in entries and len(folders) < 2  # and the first chunk says so
    for key in template.chunks() if keys is None else keys:
        if f"{CHUNKS}/{chunk_name(key)}" not in entries and not unlisted:
            continue
        try:
            found.states[key] = chunk_state(path, template, key, thorough=thorough)
        except DamageError as error:
            found.damaged[key] = str(error)
            if isinstance(error, ForeignError):
                found.foreign[key] = error.study
    names = {STUDY, README, CHUNKS, *(f"{CHUNKS}/{chunk_name(key)}" for key in template.chunks())}
    for name, entry in sorted(entries.items()):
        if name not in names and not entry.name.startswith(PASSING):
            chunk = _key_of(entry)
            if chunk is not None and _is_chunk_of(entry, template.study, chunk):
                found.foreign[chunk] = template.study
            found.strays.append(name)
    return found


def _key_of(file: Path) -> Key | None:
    """Chunk that a file is by its name."""
    if file.parent.name == CHUNKS and re.fullmatch(CHUNK_FILE, file.name):
        return tuple(map(int, file.stem.split("-")))
    return None


def _is_chunk_of(file: Path, study: str, key: Key) -> bool:
    with suppress(DamageError, IsADirectoryError):
        record = read_record(file, thorough=True)
        refuse_newer(file, record)
        return (record.get("study"), record.get("chunk")) == (study, list(key))
    return False


def chunks_done(path: Path) -> NDArray[np.bool_]:
    """Mask of the chunks that have all their runs, by the records of their files: bool ([n_outer,] n_chunk).

    Raises
    ------
    DamageError
        If ``study.zip`` is damaged; a chunk that is damaged is not done.
    """
    return take_inventory(path, read_template(path)).done


def chunk_state(path: Path, template: Template, key: Key, *, thorough: bool = False) -> State:
    """State of a chunk.

    Raises
    ------
    DamageError
        If its file is not as it was written; `ForeignError` if it is whole and of another chunk or study, or
        has runs that ``study.zip`` has not.
    DatasetError
        If a later version of mcrock wrote it.
    """
    file, wanted = chunk_path(path, key), template.record(key)
    try:
        record = read_record(file, thorough=thorough)
        if record == wanted:
            return State.WHOLE
        record, members = read_archive(file)  # or the record is what is damaged
        refuse_newer(file, record)
        with explaining():
            more = set(decode_levels(members)) - set(template.intensities)
            what, study = _foreign(record, wanted, has_more=bool(more))
    except FileNotFoundError:
        return State.MISSING
    except IsADirectoryError:
        what, study = "a folder", None
    except NotADirectoryError:
        raise ForeignError(f"missing: {CHUNKS} must be a folder") from None
    if what:
        error = ForeignError(what)
        error.study = study
        raise error
    return State.OLDER


def _foreign(record: dict[str, Any], wanted: dict[str, Any], *, has_more: bool) -> tuple[str, str | None]:
    """What a whole chunk is, if not the wanted one or an older one of it, and the study that it speaks for.

    It may have more intensities than ``study.zip``.
    """
    if record.get("format") != FORMAT:
        return f"of the format {record.get('format')}, and this version of mcrock knows {FORMAT}", None
    if record["study"] != wanted["study"]:
        return "of another study", record["study"]
    if record.get("chunk") != wanted["chunk"]:
        return f"chunk {record.get('chunk')} in the place of {wanted['chunk']}", None
    has_more |= record["realizations"][1] > wanted["realizations"][1]
    if has_more or record["length"] != wanted["length"]:
        return f"of another extent than {STUDY}", record["study"]
    return "", None


def damage(path: Path, file: str, what: str, *, foreign: bool = False) -> DamageError:
    """The error that says what is wrong with a file of chunks, and what to do."""
    remedy = "--repair --force` sets it aside and" if foreign else "--repair`"
    kind = ForeignError if foreign else DamageError
    return kind(
        f"{path} is damaged: {CHUNKS}/{file} is {what}; `mcrock verify {path} {remedy} computes it again"
    )


def store_digest(path: Path) -> str:
    """Digest of a store: that of the digests at the ends of its files; equal results have equal ones.

    So it stands for the study, its runs, and the version and kernel that computed them, which ``study.zip``
    names. No other byte of chunks is read. Whether they fit their digests, `take_inventory` checks.

    Raises
    ------
    DamageError
        If ``study.zip`` is missing or damaged.
    """
    template, digest = read_template(path), hashlib.blake2b(digest_size=16)
    chunks = sorted(chunk_path(path, key) for key in template.chunks())
    for file in (path / STUDY, *(file for file in chunks if file.exists())):
        digest.update(file.name.encode() + read_digest(file))
    return digest.hexdigest()


def is_store(path: Path) -> bool:
    """Whether a file in `path` says that it belongs to a store: the only thing that is ever replaced."""
    return _is_of_store(path / STUDY) or any(map(_is_of_store, chunk_files(path))) or is_copy(path)


def _is_of_store(file: Path) -> bool:
    with suppress(DamageError, FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return "study" in read_record(file)
    return False


def chunk_files(path: Path) -> list[Path]:
    """Files of chunks that are there."""
    return sorted(file for file in (path / CHUNKS).glob("*.zip") if re.fullmatch(CHUNK_FILE, file.name))
