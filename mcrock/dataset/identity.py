"""Identity of the study in a store: checked before anything is written, extended, repaired."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from mcrock.base.arithmetic import PLAIN
from mcrock.dataset.archive import DamageError, ForeignError, read_record
from mcrock.dataset.contents import CHUNKS, Template, read_template
from mcrock.dataset.create import StoreError, write_template
from mcrock.dataset.folders import is_copy
from mcrock.dataset.inventory import chunk_files, is_store, take_inventory

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
    """Whether a store lacks realizations, outer draws or intensities of `template`, of the same study.

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
