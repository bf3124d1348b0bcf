"""Stores of one study that were computed apart, as one."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mcrock.dataset.archive import DamageError, read_digest
from mcrock.dataset.atomic import replacing
from mcrock.dataset.contents import Key, Template, chunk_path, read_template
from mcrock.dataset.create import StoreError, check_folder, create_store, remove_leftovers
from mcrock.dataset.folders import is_copy
from mcrock.dataset.identity import check_same_arithmetic, differences, of_study
from mcrock.dataset.inventory import chunk_state, damage, is_store, take_inventory


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
    check_folder(output)
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
