"""The store: template, whole chunks, and what it refuses."""

import hashlib
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
from itertools import count, pairwise

import numpy as np
import pytest
import xarray as xr

from mcrock.base.session import hold_interruptions
from mcrock.dataset import SCHEMA, DamageError, build_dataset, create, is_store, load_dataset, outputs
from mcrock.dataset import contents as contents_module
from mcrock.dataset import store as store_module
from mcrock.dataset.contents import (
    CHUNKS,
    STUDY,
    chunk_path,
    chunks_done,
    read_archive,
    read_template,
    replacing,
    scratch_name,
    scratch_of,
    store_digest,
    write_archive,
)
from mcrock.dataset.create import (
    StoreError,
    check_extent,
    check_removable,
    check_same_study,
    create_store,
    extend_store,
    known_length,
    leftovers,
    mend_store,
    remove_leftovers,
    remove_scratch,
)
from mcrock.dataset.store import LONG, MAX_CHUNKS, chunk_length, make_template, write_part

N, LEVELS = 50, 3
LENGTH = chunk_length(N, LEVELS)
OUTPUTS = outputs(friction=False)
VARIABLES = ["record", *OUTPUTS]
MEASURE = ("m s-2", "peak ground acceleration")


@pytest.fixture
def header():
    """Header of a study with 2 motions."""
    config = {"seed": 3, "body": {"width": 0.3}}
    attrs = {"title": "t", "source": "mcrock 0", "seed": 3, "config": json.dumps(config)}
    values = {"motion_name": ["a", "b"], "motion_group": [0, 0], "motion_intensity": [1.0, 2.0]}
    values["intensity"] = np.arange(1.0, LEVELS + 1)
    return build_dataset(values, units=MEASURE[0], long_name=MEASURE[1], attrs=attrs)


@pytest.fixture
def template(header):
    """What its store holds before any run."""
    return make_template("abc", header, VARIABLES, N, MEASURE)


@pytest.fixture
def store(tmp_path, template):
    """Store without any run."""
    path = tmp_path / "s.zarr"
    assert create_store(path, template)
    return path


def part(start, stop):
    """Values of some realizations, all different."""
    n = stop - start
    values = {name: np.arange(start * LEVELS, stop * LEVELS).reshape(n, LEVELS) for name in OUTPUTS}
    values |= {"record": np.arange(start, stop), "outcome": np.full((n, LEVELS), 3)}
    return {name: array.astype(SCHEMA[name].dtype) for name, array in values.items()}


def tree(path):
    """Digest of every file of a folder."""
    files = [file for file in sorted(path.rglob("*")) if file.is_file()]
    return {str(f.relative_to(path)): hashlib.sha256(f.read_bytes()).hexdigest() for f in files}


@pytest.mark.parametrize("n_intensity", [1, 10])
def test_number_of_chunks_suits_the_size_of_the_study(n_intensity):
    def count(n):
        return -(-n // chunk_length(n, n_intensity))

    assert count(1) == 1
    assert count(440) <= 40
    assert 128 <= count(10**6) <= MAX_CHUNKS  # enough for a large node, each seconds of work
    assert MAX_CHUNKS / 2 <= count(10**9 // n_intensity) <= MAX_CHUNKS
    assert count(10**10) == MAX_CHUNKS
    assert all((chunk_length(10**n, n_intensity) - 1) * n_intensity < LONG for n in range(2, 8))  # a minute
    assert all(count(n) <= n for n in range(1, 200))
    assert chunk_length(10, 1, 50) == 10  # every epistemic draw has a chunk of its own


def test_a_new_store_holds_no_run(store, header):
    ds = load_dataset(store, allow_incomplete=True)
    assert (ds["outcome"] == 0).all()
    assert ds["peak_tilt"].isnull().all()
    assert not ds["chunk_done"].any()
    assert ds["outcome"].sizes == {"realization": N, "intensity": LEVELS}
    assert ds.attrs == header.attrs
    assert ds["outcome"].attrs["units"] == "1"
    assert ds["intensity"].attrs == header["intensity"].attrs


def test_parts_fill_the_store(store, header):
    for start, stop in ((2 * LENGTH, N), (0, 2 * LENGTH)):
        write_part(store, start, part(start, stop), header.attrs)
    assert chunks_done(store).all()
    ds = load_dataset(store)
    for name, array in part(0, N).items():
        assert ds[name].dtype == array.dtype
        np.testing.assert_array_equal(ds[name], array)


def test_a_chunk_is_a_file_with_its_runs_and_their_intensities(store, header, template):
    write_part(store, 0, part(0, N), header.attrs)
    assert len(tree(store)) == 2 + len(chunks_done(store))  # study.zip and README.txt
    _, members = read_archive(chunk_path(store, (1,)))
    arrays = {"record/c/1", "chunk_done/c/1", *(f"{name}/c/1/0" for name in OUTPUTS)}
    assert members.keys() == {"intensity/c/0", *arrays}
    assert members["intensity/c/0"] == template.members["intensity/c/0"]


def test_stores_of_equal_results_have_equal_digests(store, header, template):
    other = store.with_name("other.zarr")
    create_store(other, template)
    found = []
    for start, stop in pairwise((0, LENGTH, N)):
        found.append(store_digest(store))
        write_part(store, start, part(start, stop), header.attrs)
    write_part(other, 0, part(0, N), header.attrs)
    assert store_digest(store) == store_digest(other)
    write_part(other, 0, part(LENGTH, 2 * LENGTH), header.attrs)
    found += [store_digest(store), store_digest(other)]
    assert len(set(found)) == len(found)
    (store / STUDY).unlink()
    with pytest.raises(DamageError, match=r"study\.zip is missing"):
        store_digest(store)


def test_unzipped_a_store_is_a_zarr_group(store, header, tmp_path):
    write_part(store, 0, part(0, N), header.attrs)
    for file in store.rglob("*.zip"):
        shutil.unpack_archive(file, tmp_path / "plain")
    xr.testing.assert_identical(
        xr.open_zarr(tmp_path / "plain", consolidated=False).load(), load_dataset(store).load()
    )


def test_a_slice_of_a_variable_reads_no_other_chunk(store, header, monkeypatch):
    write_part(store, 0, part(0, N), header.attrs)
    ds, read = load_dataset(store), []
    read_member = store_module.read_member
    monkeypatch.setattr(
        store_module, "read_member", lambda file, name, *_: read.append(name) or read_member(file, name)
    )
    ds["peak_tilt"][LENGTH : 2 * LENGTH].load()
    assert read == ["peak_tilt/c/1/0"]


@pytest.mark.parametrize("tail", [1 << 14, 100])  # bytes in which the place of a member is looked for
def test_slices_are_read_as_zarr_reads_them(store, header, monkeypatch, tail):
    monkeypatch.setattr(contents_module, "TAIL", tail)
    write_part(store, 0, part(0, N), header.attrs)
    chunk_path(store, (1,)).unlink()
    ds = load_dataset(store, allow_incomplete=True)
    for name in ("outcome", "peak_tilt", "record"):
        for where in (slice(None), slice(1, 2 * LENGTH + 1), slice(LENGTH, 2 * LENGTH), slice(3, 3)):
            by_zarr = ds[name].isel(realization=np.arange(N)[where]).values
            sliced = ds[name].isel(realization=where)
            assert sliced.dtype == by_zarr.dtype
            np.testing.assert_array_equal(sliced.values, by_zarr)
    levels = ds["peak_tilt"].isel(intensity=slice(1, 2))
    np.testing.assert_array_equal(levels.values, ds["peak_tilt"].isel(intensity=[1]).values)


def test_an_open_dataset_shows_the_moment_of_opening(store, header):
    write_part(store, 0, part(0, LENGTH), header.attrs)
    ds = load_dataset(store, allow_incomplete=True)
    write_part(store, LENGTH, part(LENGTH, N), header.attrs)
    assert ds["chunk_done"].values.tolist() == [1] + [0] * (len(chunks_done(store)) - 1)
    assert not ds["outcome"][LENGTH:].any()


def test_lazy_arrays_go_to_other_processes(store, header):
    write_part(store, 0, part(0, N), header.attrs)
    ds = pickle.loads(pickle.dumps(load_dataset(store, chunks={})))
    assert ds["outcome"].chunks[0][0] == LENGTH
    np.testing.assert_array_equal(ds["steps"].compute(), part(0, N)["steps"])


def test_outer_draws_lead_every_array_of_realizations(tmp_path, header):
    template = make_template("abc", header, VARIABLES, N, MEASURE, n_outer=3)
    create_store(tmp_path / "o.zarr", template)
    for outer in (2, 0):
        values = {name: array + outer for name, array in part(0, N).items()}
        write_part(tmp_path / "o.zarr", 0, values, header.attrs, outer)
    ds = load_dataset(tmp_path / "o.zarr", allow_incomplete=True)
    assert ds["outcome"].sizes == {"outer": 3, "realization": N, "intensity": LEVELS}
    assert ds["record"].dims == ("outer", "realization")
    assert ds["chunk_done"].any("chunk").values.tolist() == [True, False, True]
    np.testing.assert_array_equal(ds["steps"][2], part(0, N)["steps"] + 2)
    assert not ds["outcome"][1].any()
    assert chunk_path(tmp_path / "o.zarr", (2, 1)).name == "2-1.zip"


def test_equal_parts_give_equal_files(tmp_path, header, template):
    for name, cuts in (("a", (0, LENGTH, N)), ("b", (0, 2 * LENGTH, 3 * LENGTH, N))):
        create_store(tmp_path / name, template)
        for start, stop in pairwise(cuts):
            write_part(tmp_path / name, start, part(start, stop), header.attrs)
    assert tree(tmp_path / "a") == tree(tmp_path / "b")


def test_a_store_is_the_same_on_machines_of_another_byte_order(store, header, template):
    other = store.with_name("other.zarr")
    create_store(other, template)
    write_part(store, 0, part(0, N), header.attrs)
    values = {name: array.astype(array.dtype.newbyteorder(">")) for name, array in part(0, N).items()}
    write_part(other, 0, values, header.attrs)
    assert tree(other) == tree(store)


@pytest.mark.parametrize(("start", "stop"), [(1, LENGTH), (0, LENGTH - 1), (LENGTH, N + LENGTH)])
def test_parts_that_cut_a_chunk_are_refused(store, header, start, stop):
    with pytest.raises(ValueError, match="not made of whole chunks"):
        write_part(store, start, part(start, stop), header.attrs)
    values = part(0, LENGTH)
    del values["record"]
    with pytest.raises(ValueError, match="variables of the store: record"):
        write_part(store, 0, values, header.attrs)
    assert not chunks_done(store).any()


@pytest.mark.parametrize("failing", [0, 1, 2])
def test_a_write_that_fails_keeps_the_chunks_before_it(store, header, monkeypatch, failing):
    written, sync = [], os.fsync

    def fail(file):
        written.append(file)
        if len(written) > failing:
            raise OSError(28, "No space left on device")
        sync(file)

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        write_part(store, 0, part(0, 3 * LENGTH), header.attrs)
    assert np.flatnonzero(chunks_done(store)).tolist() == list(range(failing))
    assert len(tree(store)) == 2 + failing


def test_only_one_of_many_creators_wins(tmp_path, template):
    gate, won = threading.Barrier(8), []

    def create():
        gate.wait()
        won.append(create_store(tmp_path / "s.zarr", template))

    threads = [threading.Thread(target=create) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won) == [False] * 7 + [True]
    assert [path.name for path in tmp_path.iterdir()] == ["s.zarr"]


def full(*args, **kwargs):
    raise OSError(28, "No space left on device")


def test_a_store_that_cannot_be_written_leaves_nothing(tmp_path, template, monkeypatch):
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        create_store(tmp_path / "s.zarr", template)
    with pytest.raises(StoreError, match=r"the folder .*none does not exist"):
        create_store(tmp_path / "none" / "s.zarr", template)
    assert not list(tmp_path.iterdir())


def test_a_replaced_store_is_kept_until_the_new_one_is_whole(store, template, monkeypatch):
    before = tree(store)
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        create_store(store, template, replace=True)
    assert tree(store) == before


@pytest.fixture
def ctrl_c():
    """Ctrl-C interrupts, also where the tests themselves run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted_at(line, call):
    """Send Ctrl-C when `call` has come to its n-th line of create.py: whether it came so far."""
    lines = count(1)

    def watch(frame, event, argument):
        if event == "call":
            return watch if frame.f_code.co_filename == create.__file__ else None
        if event == "line" and next(lines) == line:
            signal.raise_signal(signal.SIGINT)
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        call()
        return next(lines) > line
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)


@pytest.mark.usefixtures("ctrl_c")
def test_an_interruption_leaves_the_old_store_or_the_new_one(store, tmp_path, template, monkeypatch):
    old, new = tmp_path / "old", tmp_path / "new"
    for folder in (old, new):
        shutil.copytree(store, folder)
        write_archive(folder / "chunks" / "0.zip", {"zarr.json": folder.name.encode()}, {"study": "abc"})
    shutil.rmtree(store)
    shutil.copytree(old, store)
    monkeypatch.setattr(
        create, "write_archive", lambda path, *_: shutil.copytree(new, path.parent, dirs_exist_ok=True)
    )
    wholes = {False: tree(old), True: tree(new)}
    handler, found = signal.getsignal(signal.SIGINT), []
    for line in count(1):
        remove_leftovers(store)
        assert not leftovers(store)
        if found and found[-1]:
            shutil.rmtree(store)
            shutil.copytree(old, store)
        came = interrupted_at(line, lambda: create_store(store, template, replace=True))
        assert signal.getsignal(signal.SIGINT) is handler
        found.append(tree(store) == wholes[True])
        assert found[-1] or tree(store) == wholes[False]
        hidden = {path.name for path in tmp_path.iterdir()} - {"old", "new", "s.zarr"}
        assert hidden == {path.name for path in leftovers(store)}
        assert not hidden or found[-1]
        if not came:
            break
    assert found == sorted(found)  # once the new store is there, it stays
    assert line > 40
    assert 10 < sum(found) < line - 10


def test_an_interrupted_deletion_is_ended_by_the_next_one(store, template, monkeypatch):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(create, "remove_leftovers", interrupt)
        with pytest.raises(KeyboardInterrupt):
            create_store(store, template, replace=True)
    (left,) = leftovers(store)
    (left / STUDY).unlink()
    others = [store.with_name(name) for name in (".s.zarr.old", f".t.zarr.{'0' * 32}.old")]
    others.append(store.with_name(f".s.zarr.{'1' * 32}.old"))
    for other in others:
        other.mkdir()
        (other / "notes.txt").write_text("years of work")
    remove_leftovers(store.with_name("t.zarr"))  # no store is there: what is aside may be all there is
    assert left.exists()
    assert create_store(store, template, replace=True)
    assert sorted(store.parent.iterdir()) == sorted([store, *others])


def ended_process():
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


@pytest.mark.skipif(os.name != "posix", reason="asks the system for processes")
def test_what_killed_processes_were_writing_is_removed_and_no_more(store, monkeypatch):
    def names():
        return [scratch_name(store), scratch_of(store / STUDY, store), scratch_of(store / "3.zip", store)]

    mine = names()
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", ended_process)
        left = names()
        patch.setattr("socket.gethostname", lambda: "else-where-7")
        elsewhere, old = names(), names()
    for store_of, *files in (mine, left, elsewhere, old):
        store_of.mkdir()
        for file in files:
            file.write_text("half")
    for path in old:
        os.utime(path, (0, 0))
    remove_leftovers(store)
    for path in (*mine, *elsewhere):
        assert path.exists()
    for path in (*left, *old):
        assert not path.exists()


@pytest.mark.parametrize("failing", [1, 2])
def test_a_store_that_cannot_be_replaced_stays(store, template, monkeypatch, failing):
    before, calls, rename = tree(store), count(1), os.rename

    def fail(source, target):
        if next(calls) == failing:
            raise PermissionError(13, "Permission denied")
        rename(source, target)

    monkeypatch.setattr(os, "rename", fail)
    with pytest.raises(OSError, match="Permission denied"):
        create_store(store, template, replace=True)
    assert tree(store) == before
    assert list(store.parent.iterdir()) == [store]


def test_a_replacement_gives_way_to_a_quicker_process(store, template, monkeypatch):
    rename = os.rename

    def come_between(source, target):
        rename(source, target)
        if target.name.endswith(".old"):
            shutil.copytree(target, store)

    monkeypatch.setattr(os, "rename", come_between)
    assert not create_store(store, template, replace=True)
    assert is_store(store)
    remove_leftovers(store)
    assert list(store.parent.iterdir()) == [store]


@pytest.mark.usefixtures("ctrl_c")
def test_interruptions_wait_for_the_end_of_what_holds_them():
    reached = []

    def interrupt():
        with hold_interruptions():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            reached.append("end")

    with pytest.raises(KeyboardInterrupt):
        interrupt()
    assert reached == ["end"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_ignored_ctrl_c_stays_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with hold_interruptions():
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_nothing_but_a_store_is_removed(store, tmp_path):
    folder, file, link, other = (tmp_path / name for name in ("folder", "file", "link", "other.zarr"))
    folder.mkdir()
    (folder / "zarr.json").write_text("{}")
    file.write_text("years of work")
    link.symlink_to(store)
    xr.Dataset({"x": 1}, attrs={"source": "another model"}).to_zarr(other, consolidated=False, zarr_format=3)
    for path in (folder, file, link, other, tmp_path / "none"):
        with pytest.raises(StoreError, match="not a store of mcrock and is left alone"):
            check_removable(path)
    with replacing(chunk_path(store, (1,)), store) as scratch:
        scratch.write_text("half a chunk")
        check_removable(store)
    (store / "notes.txt").write_text("years of work")
    (store / "chunks" / "1.txt").write_text("years of work")
    with pytest.raises(
        StoreError, match=r"not mcrock's and is left alone: chunks/1\.txt, chunks/1\.zip, notes\.txt"
    ):
        check_removable(store)
    assert all(path.exists() for path in (folder, file, link, other, store / "notes.txt"))


def test_what_this_process_was_writing_is_removed_at_its_end(store):
    own = [scratch_of(store / name, store) for name in (STUDY, "3.zip")]
    for file in own:
        file.touch()
    remove_scratch(store)
    assert all(file.exists() for file in own)
    remove_scratch(store, with_own=True)
    assert list(store.parent.iterdir()) == [store]


def of_body(body):
    return {"config": json.dumps({"seed": 3, "body": body})}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (of_body({"width": 0.4}), r"body\.width \(stored 0\.3, wanted 0\.4\)\. Choose"),
        (of_body({"width": {"mean": 0.3}}), r'body\.width \(stored 0\.3, wanted {"mean": 0\.3}\)\. Choose'),
        (of_body({}), r"body\.width \(stored 0\.3, wanted null\)\. Choose"),
        (of_body(None), r'body \(stored {"width": 0\.3}, wanted null\)\. Choose'),
        ({"source": "mcrock 1"}, r'source \(stored "mcrock 0", wanted "mcrock 1"\)'),
    ],
    ids=str,
)
def test_another_study_is_named_by_its_differences(store, header, changes, message):
    with pytest.raises(StoreError, match=rf"another study, which differs in {message}"):
        check_same_study(store, header.attrs | changes)


def of_extent(study="abc", n=N, n_outer=2, levels=(1.0, 2.0, 3.0)):
    """Template of a study with some extent."""
    config = json.dumps({"n": n, "outer": n_outer, "levels": levels, "study": study})
    values = {"motion_name": ["a"], "motion_group": [0], "motion_intensity": [1.0], "intensity": levels}
    header = build_dataset(values, attrs={"config": config})
    return make_template(study, header, VARIABLES, n, MEASURE, length=LENGTH, n_outer=n_outer)


@pytest.mark.parametrize(
    "more",
    [{"n": N + 1}, {"n_outer": 3}, {"levels": (1.0, 1.5, 2.0, 3.0)}, {"n": N + 1, "n_outer": 3}],
    ids=str,
)
def test_a_store_may_lack_runs_and_have_none_too_many(tmp_path, more):
    less, whole = tmp_path / "less", tmp_path / "whole"
    if "n_outer" not in more:
        plain = of_extent(n_outer=None)
        create_store(tmp_path / "plain", plain)
        assert not check_extent(tmp_path / "plain", plain)
        assert check_extent(tmp_path / "plain", of_extent(**more | {"n_outer": None}))
    create_store(less, of_extent())
    create_store(whole, of_extent(**more))
    assert check_extent(less, of_extent(**more))
    assert not check_extent(whole, of_extent(**more))
    with pytest.raises(StoreError, match="is only ever extended, and has runs that are not wanted"):
        check_extent(whole, of_extent())
    with pytest.raises(StoreError, match="holds another study"):
        check_extent(less, of_extent("def", **more))
    with pytest.raises(StoreError, match=r"holds the same study but for .*; --extend .* keeps its runs"):
        check_same_study(less, of_extent(**more).attributes, "abc")
    extend_store(less, of_extent(**more))
    assert tree(less) == tree(whole)


def test_writers_notice_that_the_store_was_taken_away(store, header):
    shutil.rmtree(store)
    with pytest.raises(StoreError, match="is gone"):
        write_part(store, 0, part(0, LENGTH), header.attrs)
    assert not store.exists()


def test_writers_notice_that_another_study_took_the_place(store, header, template):
    other = header.assign_attrs(seed=4, config=json.dumps({"seed": 4, "body": {"width": 0.3}}))
    assert create_store(store, make_template("def", other, VARIABLES, N, MEASURE), replace=True)
    with pytest.raises(StoreError, match=r"another study, which differs in seed \(stored 4, wanted 3\)"):
        write_part(store, 0, part(0, LENGTH), header.attrs)
    assert not chunks_done(store).any()
    with pytest.raises(StoreError, match=r"holds another study"):
        mend_store(store, template)


def test_a_cloud_study_has_no_intensity_dimension(tmp_path, header):
    cloud = make_template("abc", header.drop_vars("intensity"), ["intensity_value", *OUTPUTS], 30, MEASURE)
    assert cloud.length == chunk_length(30, 1)
    create_store(tmp_path / "c.zarr", cloud)
    ds = load_dataset(tmp_path / "c.zarr", allow_incomplete=True)
    assert ds["outcome"].dims == ("realization",)
    assert ds["intensity_value"].attrs == {"units": MEASURE[0], "long_name": MEASURE[1]}


def test_a_lost_template_is_made_again_if_the_chunks_belong_to_it(store, header, template):
    write_part(store, 0, part(0, N), header.attrs)
    before = tree(store)
    (store / STUDY).unlink()
    assert known_length(store) == LENGTH
    with pytest.raises(StoreError, match=r"holds another study\. Choose another output"):
        mend_store(store, template._replace(study="def"))
    mend_store(store, template)
    assert tree(store) == before
    assert read_template(store) == template
    shutil.rmtree(store / CHUNKS)
    mend_store(store, template)
    write_part(store, 0, part(0, N), header.attrs)
    assert tree(store) == before
