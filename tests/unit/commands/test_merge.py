"""`mcrock merge`: stores computed apart become the one of the whole study, and others are refused."""

import re
import shutil

import pytest

from mcrock.dataset.contents import chunk_path
from mcrock.dataset.create import StoreError, merge_stores
from mcrock.dataset.schema import DamageError


def tree(store):
    return {str(file.relative_to(store)): file.read_bytes() for file in store.rglob("*.zip")}


@pytest.fixture
def shares(copied, study_file):
    """Two stores next to the study's file, each with the chunks of one task: 0 and 1, and 2 to 4."""
    stores = [copied(to=f"{i}.zarr") for i in (1, 2)]
    for store, others in zip(stores, ((2, 3, 4), (0, 1)), strict=True):
        for chunk in others:
            chunk_path(store, (chunk,)).unlink()
    return stores


def test_stores_computed_apart_are_one(mcrock, store, shares, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert mcrock("merge", "all.zarr", "1.zarr", "2.zarr") == (
        0,
        "1.zarr: 2 chunks\n2.zarr: 3 chunks\nall.zarr: 5 of 5 chunks are done\n",
        "",
    )
    assert tree(tmp_path / "all.zarr") == tree(store)
    assert mcrock("verify", "all.zarr")[0] == 0


def test_a_store_is_completed_by_others(mcrock, store, shares, tmp_path):
    code, output, _ = mcrock("merge", *shares)
    assert (code, output.splitlines()[-1]) == (0, f"{shares[0]}: 5 of 5 chunks are done")
    assert tree(shares[0]) == tree(store)
    code, output, _ = mcrock("merge", tmp_path / "half.zarr", shares[1], shares[1])
    assert (code, output.splitlines()[-1]) == (0, f"{tmp_path / 'half.zarr'}: 3 of 5 chunks are done")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--seed", 6), r"2\.zarr holds another study than .*1\.zarr: seed \(stored 5, wanted 6\)"),
        (("--set", "ensemble.realizations=41"), r"another study .*: ensemble\.realizations \(stored 40"),
    ],
)
def test_stores_of_other_studies_are_refused(mcrock, study_file, shares, tmp_path, options, message):
    assert mcrock("run", study_file, "-o", shares[1], "--overwrite", *options)[0] == 0
    code, output, errors = mcrock("merge", tmp_path / "all.zarr", *shares)
    assert (code, output) == (2, "")
    assert re.search(message, errors)
    assert not (tmp_path / "all.zarr").exists()


def test_stores_may_differ_in_who_answers_for_them(mcrock, study_file, shares, tmp_path):
    changed = ("--resume", "--task", "2/2", "--set", "report.author=B. Bauer")
    assert mcrock("run", study_file, "-o", shares[1], *changed)[0] == 0
    assert mcrock("merge", tmp_path / "all.zarr", *shares)[0] == 0


def test_chunks_of_other_lengths_are_refused(mcrock, study_file, shares, tmp_path):
    whole = ("--set", "ensemble.realizations=200")
    for store, options in zip(shares, (("--overwrite",), ("--extend",)), strict=True):
        assert mcrock("run", study_file, "-o", store, *whole, *options)[0] == 0
    code, _, errors = mcrock("merge", tmp_path / "all.zarr", *shares)
    assert code == 2
    assert re.search(r"has chunks of 8 realizations and .* of \d+, as one of them was extended", errors)


def test_damage_is_not_merged(mcrock, shares, tmp_path):
    file = chunk_path(shares[1], (3,))
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    code, _, errors = mcrock("merge", tmp_path / "all.zarr", *shares)
    assert code == 1
    assert re.search(r"2\.zarr is damaged: chunks/3\.zip is not as it was written; `mcrock verify", errors)
    assert not (tmp_path / "all.zarr").exists()


def test_other_runs_in_one_chunk_are_refused(mcrock, study_file, store, shares, tmp_path, monkeypatch):
    """As another processor gives other last digits."""
    import mcrock.ensemble.part as part

    simulate = part.simulate_part

    def differ(*arguments, **more):
        values = simulate(*arguments, **more)
        values["peak_tilt"] *= 1 + 1e-6
        return values

    monkeypatch.setattr(part, "simulate_part", differ)
    shutil.rmtree(shares[1])
    assert mcrock("run", study_file, "-o", shares[1])[0] == 0
    code, _, errors = mcrock("merge", tmp_path / "all.zarr", *shares)
    assert code == 2
    assert re.search(r"chunk 0\.zip has other runs in .*2\.zarr than in .*1\.zarr, as kinds of proc", errors)


def test_the_folder_is_looked_for_before_the_stores(tmp_path):
    with pytest.raises(StoreError, match="nowhere does not exist"):
        merge_stores(tmp_path / "nowhere" / "all.zarr", [tmp_path / "no.zarr"])


def test_another_process_may_be_quicker(shares, tmp_path, monkeypatch):
    monkeypatch.setattr("mcrock.dataset.create.create_store", lambda *_: False)
    with pytest.raises(StoreError, match=r"all\.zarr was made by another process at the same time"):
        merge_stores(tmp_path / "all.zarr", shares)


def test_what_is_copied_is_read_again(shares, tmp_path, monkeypatch):
    def half(source, target):
        target.write_bytes(source.read_bytes()[:-40])

    monkeypatch.setattr(shutil, "copyfile", half)
    with pytest.raises(DamageError, match=r"all\.zarr is damaged: chunks/0\.zip"):
        merge_stores(tmp_path / "all.zarr", shares)
