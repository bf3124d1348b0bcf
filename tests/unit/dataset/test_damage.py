"""Damaged stores: what is not as it was written is never read as a result, and a check names it."""

import hashlib
import json
import shutil
import signal
import subprocess
import sys
import zipfile
from itertools import permutations

import numpy as np
import pytest
import xarray as xr

from mcrock.dataset import (
    SCHEMA,
    DamageError,
    DatasetError,
    build_dataset,
    contents,
    load_dataset,
    outputs,
    save_dataset,
)
from mcrock.dataset.contents import (
    STUDY,
    chunk_files,
    chunk_path,
    chunks_done,
    encode,
    read_archive,
    read_member,
    read_record,
    read_template,
    take_inventory,
    write_archive,
)
from mcrock.dataset.create import create_store, mend_store
from mcrock.dataset.store import make_template, write_part

N, LEVELS, LENGTH = 40, 3, 8
OUTPUTS = outputs(friction=False)
MEASURE = ("m s-2", "peak ground acceleration")


def make(path, seed):
    """A finished store: its template and its attributes."""
    config = {"seed": seed}
    attrs = {"title": "t", "source": "mcrock 0", "seed": seed, "config": json.dumps(config)}
    header = build_dataset(
        {"intensity": [1.0, 2.0, 3.0], "motion_name": ["a", "b"], "motion_group": [0, 1]}, attrs=attrs
    )
    template = make_template(f"study {seed}", header, ["record", *OUTPUTS], N, MEASURE, length=LENGTH)
    assert create_store(path, template)
    rng = np.random.default_rng(seed)
    values = {name: rng.integers(1, 99, (N, LEVELS)) for name in OUTPUTS}
    values |= {"record": rng.integers(0, 2, N)}
    write_part(path, 0, {name: array.astype(SCHEMA[name].dtype) for name, array in values.items()}, attrs)
    return template, attrs


@pytest.fixture
def store(tmp_path):
    make(tmp_path / "s.zarr", 1)
    return tmp_path / "s.zarr"


def members(path):
    """Contents of all files that reading takes, each as a reader takes it."""
    template = read_template(path)
    found = take_inventory(path, template)
    if found.damaged:
        raise DamageError("damaged")
    contents = dict(template.members)
    for key in np.argwhere(found.done).tolist():
        for name in template.chunked:
            depth = len(template.chunk_shape(name)) - 1
            member = f"{name}/c/{key[0]}{'/0' * depth}"
            contents[member] = read_member(chunk_path(path, tuple(key)), member)
    return contents


KILLED = """
import os, signal, sys
from pathlib import Path
from tests.unit.dataset.test_damage import make
os.fsync = lambda file: os.kill(os.getpid(), signal.SIGKILL)
make(Path(sys.argv[1]), 1)
"""


def test_a_process_killed_while_it_makes_a_store_leaves_nothing_that_lasts(tmp_path):
    killed = subprocess.run([sys.executable, "-c", KILLED, tmp_path / "s.zarr"], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert len(list(tmp_path.iterdir())) >= 1
    make(tmp_path / "s.zarr", 1)
    assert [entry.name for entry in tmp_path.iterdir()] == ["s.zarr"]


def rewritten(path, change=bytes, **record):
    """Write ``study.zip`` anew with a digest that fits, another text of its arrays, another record."""
    found, contents = read_archive(path / STUDY)
    arrays = {name: change(content) for name, content in contents.items() if name.endswith("zarr.json")}
    write_archive(path / STUDY, contents | arrays, found | record)


def test_a_store_of_a_newer_version_is_refused_by_name(store):
    rewritten(store, format=3)
    with pytest.raises(
        DatasetError,
        match=r"^\S+study\.zip was written by a newer mcrock, in the format 3, and this one knows 2",
    ):
        load_dataset(store)


def test_a_store_in_another_byte_order_is_refused(store):
    """Its chunks were read in the order that study.zip names, angles of -4e16 rad among them."""
    rewritten(store, lambda content: content.replace(b'"little"', b'"big"'))
    with pytest.raises(DatasetError, match="another byte order than mcrock writes"):
        load_dataset(store)
    with pytest.raises(DatasetError, match="another byte order than mcrock writes"):
        chunks_done(store)


def block(content, rng, fill):
    """A piece of the content replaced by as many bytes."""
    first, last = sorted(rng.integers(len(content), size=2))
    return content[:first] + fill(int(last - first)) + content[last:]


def flip(content, rng):
    place, bit = rng.integers(len(content)), rng.integers(8)
    return content[:place] + bytes([content[place] ^ (1 << bit)]) + content[place + 1 :]


def zero_tail(content, rng):
    kept = rng.integers(len(content))
    return content[:kept] + bytes(len(content) - kept)


def insert(content, rng):
    place = rng.integers(len(content))
    return content[:place] + rng.bytes(7) + content[place:]


DAMAGE = {
    "flip": flip,
    "zero_tail": zero_tail,
    "insert": insert,
    "cut": lambda content, rng: content[: rng.integers(len(content))],
    "zero_block": lambda content, rng: block(content, rng, bytes),
    "garble_block": lambda content, rng: block(content, rng, rng.bytes),
    "lengthen": lambda content, rng: content + rng.bytes(rng.integers(1, 100)),
    "lose": lambda content, rng: None,
}


def check_damage(store, kind, times, seed):
    """Damage each time one file: readers see what was written or refuse, and a check tells which file."""
    whole, template = members(store), read_template(store)
    files, rng, refused = [store / STUDY, *chunk_files(store)], np.random.default_rng(seed), 0
    for i in range(times):
        file = files[i % len(files)]
        content = file.read_bytes()
        damaged = DAMAGE[kind](content, rng)
        if damaged == content:
            continue
        file.unlink()
        if damaged is not None:
            file.write_bytes(damaged)
        try:
            found = members(store)
        except DamageError:
            refused += 1
        else:
            if kind == "lose":
                found |= {name: whole[name] for name in set(whole) - set(found) if f"/c/{file.stem}" in name}
            assert found == whole
        if file.name == STUDY:
            with pytest.raises(DamageError, match=r"damaged: study\.zip is .*; run the command .*--resume"):
                read_template(store)
            mend_store(store, template)
            assert file.read_bytes() == content
        else:
            (lost,) = np.flatnonzero(~take_inventory(store, template, thorough=True).done)
            assert chunk_path(store, (lost,)) == file
        file.write_bytes(content)
    return refused


@pytest.mark.parametrize("kind", DAMAGE)
def test_no_damage_is_read_as_a_result(store, kind):
    assert check_damage(store, kind, 18, seed=1) >= 3  # study.zip in each turn


def test_every_bit_of_a_file_is_checked(store):
    """Whole files by their digest, members by their CRC-32."""
    file = chunk_path(store, (2,))
    content = file.read_bytes()
    expected = read_member(file, "outcome/c/2/0")
    unnoticed = 0
    for place in range(0, len(content), 29):
        file.write_bytes(content[:place] + bytes([content[place] ^ 16]) + content[place + 1 :])
        with pytest.raises(DamageError):
            read_archive(file)
        try:
            assert read_member(file, "outcome/c/2/0") == expected
            unnoticed += 1
        except DamageError:
            pass
    assert 0 < unnoticed < len(content) / 29


@pytest.mark.parametrize("chunks", list(permutations(range(3)))[1:], ids=str)
def test_exchanged_files_are_noticed(store, chunks):
    contents = [chunk_path(store, (i,)).read_bytes() for i in range(3)]
    for i, j in enumerate(chunks):
        chunk_path(store, (i,)).write_bytes(contents[j])
    assert chunks_done(store).tolist() == [*(i == j for i, j in enumerate(chunks)), True, True]
    first = next(i for i, j in enumerate(chunks) if i != j)
    message = (
        rf"chunks/{first}\.zip is chunk \[{chunks[first]}\] in the place of \[{first}\]; `mcrock .*--force"
    )
    with pytest.raises(DamageError, match=message):
        load_dataset(store)


def test_a_chunk_of_another_study_is_noticed(store, tmp_path):
    make(tmp_path / "other.zarr", 2)
    shutil.copy(chunk_path(tmp_path / "other.zarr", (3,)), chunk_path(store, (3,)))
    with pytest.raises(
        DamageError, match=r"chunks/3\.zip is of another study; `mcrock verify .* --repair --force`"
    ):
        load_dataset(store, allow_incomplete=True)
    shutil.copy(tmp_path / "other.zarr" / STUDY, store / STUDY)
    with pytest.raises(DamageError, match=r"chunks/0\.zip is of another study; `mcrock"):
        load_dataset(store)


def test_damage_that_opening_does_not_see_is_named_when_it_is_read(store):
    file = chunk_path(store, (4,))
    content = bytearray(file.read_bytes())
    place = content.index(read_member(file, "peak_tilt/c/4/0"))
    content[place + 3] ^= 1
    file.write_bytes(content)
    ds = load_dataset(store)
    assert ds["outcome"][:32].notnull().all()
    assert ds["peak_tilt"][:32].notnull().all()
    for read in (ds["peak_tilt"].load, load_dataset(store, chunks={})["peak_tilt"].compute):
        with pytest.raises(DamageError, match=r"damaged: chunks/4\.zip is not as it was written; "):
            read()


def rewrite(file, name, content, *, digest=False):
    """Change a member of a file as any zip program does, so that its CRC fits; and the digest, if told."""
    with zipfile.ZipFile(file) as archive:
        members = {member: archive.read(member) for member in archive.namelist()}
        comment = archive.comment
    members[name] = content(members[name])
    with zipfile.ZipFile(file, "w") as archive:
        for member, value in members.items():
            archive.writestr(member, value)
        archive.comment = comment
    if digest:
        body = file.read_bytes()[:-64]
        file.write_bytes(body + hashlib.blake2b(body, digest_size=32).hexdigest().encode())


def test_a_rewritten_archive_is_not_read(store):
    before = load_dataset(store).load()
    file = chunk_path(store, (2,))
    rewrite(file, "outcome/c/2/0", lambda content: encode(np.full((LENGTH, LEVELS), 3, "i1")))
    for name in ("outcome", "peak_tilt"):  # no array of the file is believed
        ds = load_dataset(store)
        xr.testing.assert_identical(ds[name][:16].load(), before[name][:16])
        with pytest.raises(DamageError, match=r"chunks/2\.zip is not as it was written"):
            ds[name].load()


@pytest.mark.parametrize("chunks", [None, {}])
@pytest.mark.parametrize("content", [b"", b"xx", encode(np.zeros((2, LEVELS), "i1"))])
def test_what_cannot_be_decoded_is_damage(store, chunks, content):
    rewrite(chunk_path(store, (2,)), "outcome/c/2/0", lambda _: content, digest=True)
    ds = load_dataset(store, chunks=chunks)
    ds["peak_tilt"].load()
    with pytest.raises(DamageError, match=r"damaged: outcome cannot be decoded; `mcrock verify"):
        ds["outcome"].load()


def test_a_file_is_checked_once(store, monkeypatch):
    ds, checked = load_dataset(store), []
    digest = contents._digest
    monkeypatch.setattr(contents, "_digest", lambda content: checked.append(1) or digest(content))
    ds.load()
    assert len(checked) == N / LENGTH


def test_a_chunk_that_is_replaced_after_opening_is_not_read(store, tmp_path):
    make(tmp_path / "other.zarr", 2)
    ds = load_dataset(store)
    ds["peak_tilt"].load()
    for seed in (1, 2):  # once it was checked, and before
        ds = load_dataset(store)
        if seed == 1:
            ds["peak_tilt"].load()
        content = chunk_path(store, (1,)).read_bytes()
        shutil.copy(chunk_path(tmp_path / "other.zarr", (1,)), chunk_path(store, (1,)))
        with pytest.raises(DamageError, match=r"chunks/1\.zip is another file than at the opening"):
            ds["outcome"].load()
        chunk_path(store, (1,)).write_bytes(content)


@pytest.mark.parametrize("chunks", [None, {}])
def test_a_damaged_export_is_not_read(store, tmp_path, chunks):
    ds = load_dataset(store).load()
    save_dataset(ds, tmp_path / "s.nc")
    content, rng, refused = (tmp_path / "s.nc").read_bytes(), np.random.default_rng(3), 0
    for i in range(20):
        path = tmp_path / f"{i}.nc"
        path.write_bytes(DAMAGE["flip" if i % 2 else "garble_block"](content, rng))
        try:
            with load_dataset(path, chunks=chunks) as found:
                for name in OUTPUTS:
                    np.testing.assert_array_equal(found[name], ds[name])
        except (DamageError, DatasetError):
            refused += 1
    assert refused > 3


def test_a_chunk_that_goes_after_opening_is_no_missing_run(store):
    ds = load_dataset(store)
    chunk_path(store, (1,)).unlink()
    with pytest.raises(DamageError, match=r"chunks/1\.zip is gone"):
        ds["outcome"].load()


def test_a_lost_chunk_is_a_chunk_that_is_not_done(store):
    whole = load_dataset(store).load()
    chunk_path(store, (1,)).unlink()
    with pytest.raises(
        DatasetError, match=r"incomplete: 4 of 5 chunks are done, the first that is not is 1; "
    ):
        load_dataset(store)
    ds = load_dataset(store, allow_incomplete=True)
    assert not ds["outcome"][8:16].any()
    rest = {"realization": slice(16, None), "chunk": slice(2, None)}
    xr.testing.assert_identical(ds.isel(rest), whole.isel(rest))


def test_a_record_says_what_a_file_is(store):
    record = read_record(chunk_path(store, (4,)))
    intensities = read_member(chunk_path(store, (4,)), "intensity/c/0")
    assert record.pop("levels") == hashlib.blake2b(intensities, digest_size=16).hexdigest()
    assert record == {"format": 2, "study": "study 1", "chunk": [4], "length": 8, "realizations": [32, 40]}
    with pytest.raises(ValueError, match="must have at most"):
        write_archive(store / STUDY, {}, {"long": "x" * 70_000})
