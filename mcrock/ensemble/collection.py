"""The runs of a collection: a folder with a store for each object, all of which meet the same earthquakes.

Objects are computed together, part by part, by whoever is free; the store of each is that of its study alone,
so that the bits of one object do not depend on the others, and every command on stores reads it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import xarray as xr

from mcrock.base.tables.parsing import ConfigError, read_json
from mcrock.dataset import is_store, load_dataset
from mcrock.dataset.contents import chunks_done, is_copy, read_template, replacing
from mcrock.dataset.create import StoreError, check_new_store, check_removable, merge_stores
from mcrock.ensemble.opening import NOT_BEGUN, log_files
from mcrock.ensemble.part import named_responses
from mcrock.ensemble.pilot import first_size, settle, size_that_tells, static_resistance
from mcrock.ensemble.study import Options, Progress, fix_size, run_jobs
from mcrock.excitation import pack_motions
from mcrock.study.collection import Collection
from mcrock.study.sampling import OF_MOTION, check_inputs, load_motions
from mcrock.study.study import Study

TABLE, OBJECTS = "collection.json", "objects"
FORMAT = 1


@dataclass(frozen=True)
class StoredItem:
    """What the results of a collection know of a row of its table."""

    name: str
    members: tuple[str, ...]  # names of the equal ones, of which the first is that of the row
    value: float
    place: str
    group: str
    note: str


@dataclass(frozen=True)
class Results:
    """Results of a collection in their folder."""

    path: Path
    title: str
    rows: tuple[StoredItem, ...]

    def store(self, name: str) -> Path:
        """Store of a single object."""
        letters = (c if c.isalnum() or c in " ()+,=@-_." else quote(c, safe="") for c in name)
        return self.path / OBJECTS / f"{''.join(letters)}.zarr"

    def open(self, name: str, *, allow_incomplete: bool = False) -> xr.Dataset:
        """Result of a single object, read when it is used."""
        return load_dataset(self.store(name), allow_incomplete=allow_incomplete)

    @property
    def members(self) -> Iterator[tuple[StoredItem, str]]:
        """Every single object by its name, with its row."""
        return ((row, name) for row in self.rows for name in row.members)

    @property
    def done(self) -> tuple[int, int]:
        """Chunks of all stores that are there, and all of them."""
        found = [chunks_done(self.store(name)) for _, name in self.members if is_store(self.store(name))]
        lacking = sum(not is_store(self.store(name)) for _, name in self.members)
        return sum(int(done.sum()) for done in found), sum(done.size for done in found) + lacking


def is_collection_folder(path: Path) -> bool:
    """Whether a folder has the results of a collection."""
    return (path / TABLE).is_file()


def state_without_runs(path: Path) -> str:
    """What a path is that is neither a store nor a collection: "not begun", or why it is none; else ""."""
    if is_collection_folder(path) or (is_store(path) and not is_copy(path)):
        return ""
    if not path.exists():
        return NOT_BEGUN if log_files(path) else "no such store"
    begun = path.is_dir() and [entry.name for entry in path.iterdir()] == [OBJECTS]
    return NOT_BEGUN if begun else "not a store of mcrock of the present format"


def stores_in(path: Path) -> list[Path]:
    """Stores of a collection; of any other path itself."""
    if not is_collection_folder(path):
        return [path]
    results = open_collection(path)
    return [results.store(name) for _, name in results.members]


def open_collection(path: str | Path) -> Results:
    """Open the results of a collection.

    Raises
    ------
    ConfigError
        If the folder is none of these.
    """
    path = Path(path)
    if not is_collection_folder(path):
        raise ConfigError(
            f"{path} has no results of a collection: `mcrock run` makes them of a study file "
            "with [collection]"
        )
    held = read_json(path / TABLE)
    try:
        if held["format"] != FORMAT:
            raise ConfigError(
                f"{path / TABLE}: format {held['format']}; this version of mcrock reads {FORMAT}"
            )
        rows = tuple(StoredItem(**{**row, "members": tuple(row["members"])}) for row in held["objects"])
        return Results(path, str(held["title"]), rows)
    except (KeyError, TypeError) as error:
        raise ConfigError(f"{path / TABLE}: not as `mcrock run` wrote it: {error}") from None


def check_shaking(studies: Sequence[Study]) -> None:
    """Refuse objects that would not meet the same earthquakes at the same intensities."""
    study = studies[0]
    if study.intensity.measure in OF_MOTION:
        raise ConfigError(
            f"{study.source} [intensity] measure: {study.intensity.measure!r} depends on the body or its "
            "floor, and the objects of a collection share their intensities: take one of the ground, such as "
            "'pga' or 'pgv'"
        )


def run_collection(
    collection: Collection,
    output: str | Path,
    *,
    workers: int | None = None,
    part_size: int | None = None,
    overwrite: bool = False,
    resume: bool = False,
    extend: bool = False,
    task: tuple[int, int] = (1, 1),
    processes: bool = False,
    client: Any = None,
    device: str = "cpu",
    progress: Callable[[Progress], None] | None = None,
    **asked: Any,
) -> Results:
    """Run all objects of a collection into a folder of stores, and open it.

    Parameters
    ----------
    collection : Collection
        From `load_collection`.
    output : str or Path
        Folder, with ``objects/NAME.zarr`` for each object and ``collection.json``.
    extend : bool
        As `resume`, and add objects, realizations or intensities.
    workers, part_size, overwrite, resume, task, processes, client, device, progress
        As of `mcrock.ensemble.run_study`; a task computes its share of every object.
    **asked
        `hazard` or `intensity` of `mcrock.statistics.what_limits`, which "auto" then aims at for each object.

    Raises
    ------
    ConfigError
        If the objects do not share their intensities.
    ValueError
        If they are not asked for as `mcrock.statistics.precision.check_aim` says.
    StoreError
        If the folder is refused.
    EnsembleError, DamageError
        As of `mcrock.ensemble.run_study`.
    """
    path = Path(output)
    options = Options(workers, part_size, overwrite, resume, extend, task, processes, client, device)
    collection = settle_collection(collection, path if options.joining else None, **asked)
    if task[1] > 1:
        collection = fixed_collection(collection, path, **asked)
    members = collection.members
    rows = tuple(
        StoredItem(item.name, tuple(item.members), item.value, item.place, item.group, item.note)
        for item in collection.items
    )
    results = Results(path, collection.title, rows)
    _check_folder(results, options)
    wanted = {name: _size_of(study, results.store(name), options) for name, study in members.items()}
    if task[1] > 1 and not all(is_store(results.store(name)) for name in members):
        some = max(fix_size(study, **asked).n_realizations for study in _some_of([*members.values()]))
        wanted = dict.fromkeys(members, some)
    motions = load_motions(next(iter(members.values())))
    own = {name: named_responses(study) for name, study in members.items()}
    for name, study in members.items():  # before anything is written
        options.check(study)
        if overwrite or not results.store(name).exists():
            check_inputs(study, motions)
    pack = pack_motions(motions)
    (path / OBJECTS).mkdir(parents=True, exist_ok=True)
    while True:
        jobs = dict(
            options.prepare(members[name].of_size(n), results.store(name), own[name], (motions, pack))
            for name, n in wanted.items()
        )
        if options.overwrite and is_collection_folder(path):
            _remove_others(results)
        _write_table(results)
        try:
            run_jobs(jobs, options, progress)
        except StoreError as error:
            anew = "to compute this object alone anew, delete that folder, and go on with --resume"
            raise StoreError(f"{error}\n{anew}" if options.joining else str(error)) from None
        wanted = _more(results, {name: members[name] for name in wanted}, options, asked)
        if not wanted:
            return results
        options = replace(options, overwrite=False, resume=False, extend=True)


TRIED = 12  # objects that have a pilot, from the one that rocks first to the last


def settle_collection(collection: Collection, output: Path | None = None, **asked: Any) -> Collection:
    """The objects with common intensities in the place of those that are left to pilots.

    Parameters
    ----------
    collection : Collection
        From `load_collection`.
    output : Path, optional
        Folder that is there and gone on with: its intensities count.
    **asked
        As of `run_collection`.

    Raises
    ------
    ConfigError, ValueError
        As of `run_collection`.
    """
    studies = [item.study for item in collection.items]
    check_shaking(studies)
    if not studies[0].intensity.is_auto:
        settle(studies[:1], **asked)
        return collection
    stores = [] if output is None else [store for store in stores_in(output) if is_store(store)]
    settled = settle(_some_of(studies), output=stores[0] if stores else None, **asked)
    return collection.with_intensity(settled[0].intensity)


def fixed_collection(collection: Collection, output: Path | None = None, **asked: Any) -> Collection:
    """The objects with intensities and numbers of realizations, so that the tasks of an array agree on them.

    All that leave their number open have the largest one that some of them need, or that of the stores of
    ``output``. What is asked is given as to `run_collection`.
    """
    collection = settle_collection(collection, output, **asked)
    free = [item.study for item in collection.items if not item.study.has_fixed_size]
    if not free:
        return collection
    there = [] if output is None else [store for store in stores_in(output) if is_store(store)]
    n = max(
        [read_template(store).n_realizations for store in there]
        or [fix_size(study, **asked).n_realizations for study in _some_of(free)]
    )
    items = [
        item if item.study.has_fixed_size else replace(item, study=item.study.of_size(n))
        for item in collection.items
    ]
    return collection._replace(items=items)


def _some_of(studies: list[Study]) -> list[Study]:
    """Objects that stand for all, from those that rock first to those that rock last."""
    motions = load_motions(studies[0])
    order = sorted(studies, key=lambda study: (study.motion.on_floor, static_resistance(study, motions)))
    return [order[k] for k in np.unique(np.linspace(0, len(order) - 1, TRIED).round().astype(int))]


def _size_of(study: Study, store: Path, options: Options) -> int:
    """Realizations of an object to begin with."""
    there = options.joining and not study.has_fixed_size and is_store(store)
    return max(first_size(study), read_template(store).n_realizations if there else 0)


def _more(
    results: Results, members: Mapping[str, Study], options: Options, asked: Mapping[str, Any]
) -> dict[str, int]:
    """Realizations of the objects of no fixed size that need more; of an array of tasks none does."""
    found: dict[str, int] = {}
    for name, study in members.items():
        if not study.has_fixed_size and options.task[1] == 1:
            ds = results.open(name)
            n = size_that_tells(study, ds, **asked)
            found |= {name: n} if n > ds.sizes["realization"] else {}
    return found


def _check_folder(results: Results, options: Options) -> None:
    path = results.path
    check_new_store(path)
    if not path.exists():
        return
    others = (
        {entry.name for entry in path.iterdir() if not entry.name.startswith(".")} if path.is_dir() else {"x"}
    )
    if options.joining and others <= {OBJECTS}:
        return  # another task has just made it
    if not is_collection_folder(path):
        raise StoreError(f"{path} exists and has no results of a collection; choose another output")
    if not (options.overwrite or options.joining):
        raise StoreError(
            f"{path} exists already; continue it (--resume, in Python resume=True), replace it "
            "(--overwrite, in Python overwrite=True) or choose another output"
        )
    if options.overwrite:
        return
    there = {name for _, name in open_collection(path).members}
    wanted = {name for _, name in results.members}
    if missing := sorted(there - wanted):
        raise StoreError(
            f"{path} has objects that the table lacks: {', '.join(missing[:5])}; choose another output"
        )
    if there != wanted and not options.extend:
        new = sorted(wanted - there)
        raise StoreError(f"{path} lacks objects of the table: {', '.join(new[:5])}; --extend adds them")


def _remove_others(results: Results) -> None:
    """Delete the stores of objects that the table no longer has, and their logs."""
    before = open_collection(results.path)
    kept = {results.store(name) for _, name in results.members}
    for store in {before.store(name) for _, name in before.members} - kept:
        if is_store(store):
            check_removable(store)
            shutil.rmtree(store)
        for log in log_files(store):
            log.unlink()


def _write_table(results: Results) -> None:
    rows = [vars(row) for row in results.rows]
    held = {"format": FORMAT, "title": results.title, "objects": rows}
    with replacing(results.path / TABLE) as scratch:
        scratch.write_text(json.dumps(held, ensure_ascii=False, indent=1), encoding="utf-8")


def merge_collections(output: Path, folders: Sequence[Path]) -> Results:
    """Put the stores of several folders of one collection together, object by object; as `merge_stores`."""
    every = [open_collection(folder) for folder in folders]
    rows = dict.fromkeys(row for results in every for row in results.rows)
    found = Results(output, every[0].title, tuple(rows))
    (output / OBJECTS).mkdir(parents=True, exist_ok=True)
    for _, name in found.members:
        merge_stores(found.store(name), [one.store(name) for one in every if is_store(one.store(name))])
    _write_table(found)
    return found
