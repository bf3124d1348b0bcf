"""The result of a study on disk: made empty, filled chunk by chunk, continued, replaced.

A process may be killed at any moment: a chunk is one file, written under a temporary name and renamed when
it is on disk, so that it is there whole or not at all, and no process touches the file of another one. What
is missing or damaged is computed again.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import uuid
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
import zarr
from zarr.codecs import ZstdCodec
from zarr.storage import MemoryStore

from mcrock.dataset.archive import DamageError, read_archive, read_record, write_archive
from mcrock.dataset.contents import (
    CHUNK_FILE,
    CHUNKS,
    MARKS,
    STUDY,
    Key,
    Template,
    chunk_files,
    chunk_path,
    decode,
    decode_levels,
    encode,
    is_store,
    read_template,
    study_record,
    survey,
)
from mcrock.dataset.folders import is_folder_store
from mcrock.dataset.replace import abandoned, scratch_name
from mcrock.dataset.schema import OUTER, OUTPUT, attributes, declaration, is_declared
from mcrock.interrupt import hold_interruptions

MAX_CHUNKS = 2048
IN_CONFIG = {"config", "title", "seed"}  # attributes that the config has too


class StoreError(ValueError):
    """The output is something else than the store that is wanted there."""


def chunk_length(n_realizations: int, n_intensity: int) -> int:
    """Realizations per chunk [1]: fixed by the size of the study alone.

    The number of chunks grows as the power 0.4 of the number of runs: a chunk is half a second of work in a
    study of 10,000 runs, seconds in one of a million, and no study has more than `MAX_CHUNKS`.

    >>> chunk_length(440, 10), chunk_length(10**8, 1)
    (20, 84105)
    """
    n_runs = n_realizations * n_intensity
    n_chunks = min(MAX_CHUNKS, max(1, round(0.75 * n_runs**0.4)))
    return -(-n_realizations // n_chunks)


def make_template(
    study: str,
    header: xr.Dataset,
    variables: Iterable[str],
    n_realizations: int,
    measure: tuple[str, str],
    *,
    length: int | None = None,
    n_outer: int | None = None,
) -> Template:
    """What a store holds before any run.

    Parameters
    ----------
    study : str
        Digest of what makes it the study it is.
    header : Dataset
        What is known beforehand: `intensity` (unless it is a cloud study), the motions, the attributes.
    variables : iterable of str
        Names of the variables on `realization`: inputs, then outputs.
    n_realizations : int
        Size of `realization`.
    measure : tuple of str
        Units and long name of the intensity measure.
    length : int, optional
        Realizations of a chunk, by default `chunk_length`.
    n_outer : int, optional
        Size of a leading dimension `outer` of all that has `realization`.
    """
    is_cloud = "intensity" not in header.dims
    n_intensity = header.sizes.get("intensity", 1)
    length = length or chunk_length(n_realizations, n_intensity)
    contents: dict[str, Any] = {}
    # one chunk that `decode` reads
    as_one = {} if is_cloud else {"intensity": {"chunks": (n_intensity,), "compressors": ZstdCodec(level=0)}}
    header.to_zarr(
        MemoryStore(contents),
        consolidated=False,
        zarr_format=3,
        write_empty_chunks=True,
        encoding=as_one,
    )
    group = zarr.open_group(MemoryStore(contents), mode="r+")
    for name in [*variables, MARKS]:
        variable = declaration(name)
        dims = variable.dims[:1] if is_cloud and variable.dims == OUTPUT else variable.dims
        shape: tuple[int, ...] = (n_realizations, n_intensity)
        chunks: tuple[int, ...] = (length, n_intensity)
        if name == MARKS:
            shape, chunks = (-(-n_realizations // length),), (1,)
        shape, chunks = shape[: len(dims)], chunks[: len(dims)]
        if n_outer is not None:
            dims, shape, chunks = (OUTER, *dims), (n_outer, *shape), (1, *chunks)
        group.create_array(
            name,
            shape=shape,
            chunks=chunks,
            dtype=variable.dtype,
            compressors=ZstdCodec(level=0),  # as `encode`
            fill_value=_filler(variable.dtype),
            dimension_names=dims,
            attributes=attributes(name, *measure),
        )
    return Template.of(study, {name: contents[name].to_bytes() for name in sorted(contents)})


def _filler(dtype: str) -> float:
    return np.nan if dtype.startswith("f") else 0


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
        write_template(scratch, template)
        if replace and path.exists():
            if not _exchange(scratch, path):
                return False
        else:
            try:
                os.rename(scratch, path)
            except OSError:
                if path.exists():
                    return False
                raise
        remove_leftovers(path)
        return True
    except OSError as error:  # the temporary name would say nothing to the reader
        raise OSError(error.errno, error.strerror or str(error), str(path.parent)) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def check_folder(path: Path) -> None:
    """Raise `StoreError` if the folder that a store is to be put in does not exist."""
    if not path.parent.is_dir():
        raise StoreError(f"{path}: the folder {path.parent} does not exist")


def write_template(path: Path, template: Template) -> None:
    """Write what a store has but its chunks."""
    (path / CHUNKS).mkdir(exist_ok=True)
    write_archive(path / STUDY, template.members, study_record(template.study))


def _exchange(new: Path, path: Path) -> bool:
    """Put the store `new` where the store `path` is, which is moved aside; False if another was quicker."""
    check_removable(path)
    aside = _name_aside(path)
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


def _name_aside(path: Path) -> Path:
    """Name of a store that is being deleted: nobody takes it for a result."""
    return path.with_name(f".{path.name}.{uuid.uuid4().hex}.old")


def leftovers(path: Path) -> list[Path]:
    """What remains of stores that `path` has replaced, where their deletion was interrupted."""
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
        for file in [*abandoned(path, re.escape(STUDY)), *abandoned(path / CHUNKS, CHUNK_FILE)]:
            file.unlink(missing_ok=True)


def check_removable(path: Path) -> None:
    """Raise `StoreError` unless `path` is a store of mcrock and holds nothing else."""
    if path.is_symlink() or not is_store(path):
        raise StoreError(f"{path} is not a store of mcrock and is left alone; choose another output")
    foreign = _foreign_names(path)
    if foreign:
        raise StoreError(f"{path} holds files that are not mcrock's and is left alone: {', '.join(foreign)}")


def _foreign_names(path: Path) -> list[str]:
    """Names in the folder of a store, of this format or the one before, that mcrock does not give."""
    scratch = rf"(\..+-\d+-[0-9a-f]{{32}}\.)?({CHUNK_FILE}|{re.escape(STUDY)})"
    names = [entry.name for entry in path.iterdir()]
    if (path / CHUNKS).is_dir():
        names += [f"{CHUNKS}/{entry.name}" for entry in (path / CHUNKS).iterdir()]
    return sorted(
        name
        for name in names
        if not (
            name in ("zarr.json", CHUNKS)
            or re.fullmatch(scratch, name.removeprefix(f"{CHUNKS}/"))
            or is_declared(name)
        )
    )


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
    if is_folder_store(path):
        raise StoreError(
            f"{path} was written by a version of mcrock before the present format of stores: it can be read, "
            "but not continued. Choose another output, or replace it (--overwrite, in Python overwrite=True)"
        )
    if not is_store(path):
        raise StoreError(f"{path} {'is not a store of mcrock' if path.exists() else 'is gone'}")
    template = read_template(path)
    if template.attributes == dict(attrs):
        return template
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


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """In what two studies differ that have these global attributes, with both values."""
    configs = _differing_keys(json.loads(old["config"]), json.loads(new["config"]))
    others = ({name: attrs[name] for name in attrs.keys() - IN_CONFIG} for attrs in (old, new))
    return "; ".join([*configs, *_differing_keys(next(others), next(others))])


def _differing_keys(old: Any, new: Any, prefix: str = "") -> list[str]:
    """Dotted keys, with both values, in which two configs differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        keys = sorted({*old, *new})
        return [line for k in keys for line in _differing_keys(old.get(k), new.get(k), f"{prefix}{k}.")]
    return [] if old == new else [f"{prefix[:-1]} (stored {json.dumps(old)}, wanted {json.dumps(new)})"]


def known_length(path: Path) -> int | None:
    """Realizations of a chunk in the store that is there; None if that is not known.

    Where ``study.zip`` is damaged the chunks tell.
    """
    with suppress(DamageError):
        return read_template(path).length
    for file in chunk_files(path):
        with suppress(DamageError, KeyError):
            return int(read_record(file)["length"])
    return None


def check_extent(path: Path, template: Template) -> bool:
    """Whether a store lacks realizations or intensities of `template`, which is of the same study.

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
    if old.n_realizations > template.n_realizations or set(old.intensities) - set(template.intensities):
        raise StoreError(
            f"{path} is only ever extended, and has runs that are not wanted: "
            f"{differences(old.attributes, template.attributes)}"
        )
    return old.attributes != template.attributes


def extend_store(path: Path, template: Template) -> None:
    """Give a store the realizations and intensities of `template`, if it has less; errors as `check_extent`.

    Its runs stay: chunks that have all as they are, the others until they are written anew.
    """
    with suppress(DamageError):  # `mend_store` writes what is damaged again
        if check_extent(path, template):
            write_template(path, template)


def mend_store(path: Path, template: Template) -> None:
    """Check that a store is the one of `template`, and put back what `create_store` wrote and is damaged.

    Raises
    ------
    StoreError
        If the store is that of another study.
    """
    try:
        check_same_study(path, template.attributes, template.study)
    except DamageError:
        studies = set()
        for file in chunk_files(path):
            with suppress(DamageError):
                studies.add(read_record(file).get("study"))
        if studies and template.study not in studies:
            raise StoreError(
                f"{path} holds another study. Choose another output, or replace it (--overwrite, in Python "
                "overwrite=True)"
            ) from None
        write_template(path, template)
    (path / CHUNKS).mkdir(exist_ok=True)


def chunks_done(path: Path) -> np.ndarray:
    """Which chunks are there, by the records of their files: bool (n_chunk,).

    Raises
    ------
    DamageError
        If ``study.zip`` is damaged; a chunk that is damaged is not done.
    """
    return survey(path, read_template(path)).done


def write_part(
    path: Path,
    start: int,
    values: Mapping[str, np.ndarray],
    attrs: Mapping[str, Any],
    outer: int | None = None,
) -> None:
    """Write the realizations from `start` on, each chunk whole or not at all.

    Parameters
    ----------
    path : Path
        The store.
    start : int
        First realization; first of a chunk.
    values : mapping of str to ndarray (n, ...)
        All variables on `realization`; ``start + n`` is the end of a chunk.
    attrs : mapping
        Global attributes of the study: the store must still be the one that was opened.
    outer : int, optional
        Which outer draw, where the store has some.

    Raises
    ------
    StoreError
        If the store was removed or replaced by that of another study.
    ValueError
        If the part does not consist of whole chunks or lacks a variable.
    OSError
        If it cannot be written; its chunks are then not there.
    """
    template = check_same_study(path, attrs)
    length, n_realizations = template.length, template.n_realizations
    stop = start + len(values["outcome"])
    if start % length or (stop % length and stop != n_realizations) or stop > n_realizations:
        raise ValueError(f"part {start}:{stop} is not made of whole chunks of {length} realizations")
    if values.keys() != set(template.chunked):
        names = ", ".join(sorted(set(template.chunked) ^ values.keys()))
        raise ValueError(f"part {start}:{stop} does not have the variables of the store: {names}")
    lead = () if outer is None else (outer,)
    for chunk in range(start // length, -(-stop // length)):
        key = (*lead, chunk)
        first, last = (end - start for end in template.realizations(key))
        pieces = {name: array[first:last] for name, array in values.items()}
        write_chunk(path, template, key, pieces)


def write_chunk(path: Path, template: Template, key: Key, values: Mapping[str, np.ndarray]) -> None:
    """Write one chunk of all variables."""
    place = "/".join(map(str, key))
    members = template.levels
    members[f"{MARKS}/c/{place}"] = encode(np.ones(1, "u1"))
    for name in template.chunked:
        shape = template.chunk_shape(name)[len(key) - 1 :]
        dtype = declaration(name).dtype
        piece = np.full(shape, _filler(dtype), dtype)
        piece[: len(values[name])] = values[name].reshape(-1, *shape[1:])
        members[f"{name}/c/{place}{'/0' * (len(shape) - 1)}"] = encode(piece)
    write_archive(chunk_path(path, key), members, template.record(key))


def read_runs(
    path: Path, template: Template, key: Key
) -> tuple[tuple[float, ...], dict[str, np.ndarray]] | None:
    """Runs of a chunk at other intensities than those of `template`, from before the store was extended.

    Returns
    -------
    tuple
        The intensities, and all variables of the realizations of the chunk as `write_part` took them. None if
        there is no file, it is damaged or it does not have all the realizations.
    """
    try:
        record, members = read_archive(chunk_path(path, key))
    except (FileNotFoundError, DamageError):
        return None
    wanted = template.record(key)
    if record | {"levels": None} != wanted | {"levels": None} or template.is_cloud:
        return None
    intensities = decode_levels(members)
    start, stop = record["realizations"]
    place = "/".join(map(str, key))
    values = {}
    for name in template.chunked:
        variable = declaration(name)
        sizes, end = ((len(intensities),), "/0") if variable.dims == OUTPUT else ((), "")
        content = members[f"{name}/c/{place}{end}"]
        values[name] = decode(content, variable.dtype, (record["length"], *sizes))[: stop - start]
    return intensities, values
