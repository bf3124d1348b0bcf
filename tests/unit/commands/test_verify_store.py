"""`mcrock verify` of stores: what is damaged is named, and computed again if told."""

import json
import os

from mcrock.dataset.contents import store_digest


def damage(store):
    """Flip a bit in the middle of one chunk, exchange two others and lose a fourth."""
    chunks = store / "chunks"
    content = bytearray((chunks / "3.zip").read_bytes())
    content[len(content) // 2] ^= 1
    (chunks / "3.zip").write_bytes(content)
    (chunks / "0.zip").rename(chunks / "x")
    (chunks / "1.zip").rename(chunks / "0.zip")
    (chunks / "x").rename(chunks / "1.zip")
    (chunks / "4.zip").unlink()


def test_a_whole_store_is_said_to_be_whole(mcrock, store, monkeypatch):
    monkeypatch.chdir(store.parent)
    digest = store_digest(store)
    assert mcrock("verify", "s.zarr") == (
        0,
        f"s.zarr: 5 of 5 chunks are whole, 0 damaged, 0 missing; digest {digest}\n",
        "",
    )
    assert mcrock("verify", "s.zarr", "--digest", "--expect", digest) == (0, f"{digest}\n", "")
    code, _, errors = mcrock("verify", "s.zarr", "--expect", digest[::-1])
    assert (code, errors) == (1, f"mcrock: s.zarr has the digest {digest}, expected {digest[::-1]}\n")
    assert json.loads(mcrock("stats", "s.zarr", "--json")[1])["digest"] == digest

    (store / "chunks" / "3.zip").unlink()
    assert store_digest(store) != digest
    assert mcrock("verify", "s.zarr", "--repair")[0] == 0
    assert store_digest(store) == digest


def test_damage_is_named_and_repaired(mcrock, store, monkeypatch):
    monkeypatch.chdir(store.parent)
    before = {file: file.read_bytes() for file in store.rglob("*.zip")}
    damage(store)
    named = [
        "s.zarr: chunks/0.zip is chunk [1] in the place of [0]",
        "s.zarr: chunks/1.zip is chunk [0] in the place of [1]",
        "s.zarr: chunks/3.zip is not as it was written",
        "s.zarr: 1 of 5 chunks are whole, 3 damaged, 1 missing, the first is chunks/4.zip",
    ]
    code, output, _ = mcrock("verify", "s.zarr")
    assert (code, output.splitlines()) == (1, named)
    untouched = os.stat(store / "chunks" / "2.zip")
    content = {name: (store / "chunks" / name).read_bytes() for name in ("0.zip", "1.zip")}
    assert mcrock("verify", "s.zarr", "--repair")[0] == 1
    assert all((store / "chunks" / name).read_bytes() == content[name] for name in content)
    code, output, _ = mcrock("verify", "s.zarr", "--repair", "--force")
    assert (code, output.splitlines()[4:]) == (
        0,
        [
            "s.zarr: what is not its own is set aside in s.zarr.aside-1",
            "s.zarr: 4 chunks were computed again",
            f"s.zarr: 5 of 5 chunks are whole, 0 damaged, 0 missing; digest {store_digest(store)}",
        ],
    )
    assert {file: file.read_bytes() for file in store.rglob("*.zip")} == before
    assert os.stat(store / "chunks" / "2.zip") == untouched


def test_repair_finds_the_records_beside_the_study_file(mcrock, store, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    for name in ("chunks/1.zip", "study.zip"):
        (store / name).write_bytes(b"")
        code, _, errors = mcrock("verify", store, "--repair")
        assert code == 2
        assert "one.csv: cannot be read" in errors
        assert errors.splitlines()[-1].endswith("give the folder of the study file with --folder")
    assert mcrock("verify", store, "--repair", "--folder", tmp_path)[0] == 0
    assert mcrock("verify", store)[0] == 0


def test_the_study_is_repaired_from_the_log(mcrock, store, monkeypatch):
    monkeypatch.chdir(store.parent)
    before = {file: file.read_bytes() for file in store.rglob("*.zip")}
    digest = store_digest(store)
    (store / "study.zip").unlink()
    (store / "chunks" / "4.zip").unlink()
    code, output, _ = mcrock("verify", "s.zarr", "--repair")
    assert (code, output.splitlines()) == (
        0,
        [
            "s.zarr: study.zip was damaged, and is written again with the study that the log has",
            "s.zarr: 4 of 5 chunks are whole, 0 damaged, 1 missing, the first is chunks/4.zip",
            "s.zarr: 1 chunks were computed again",
            f"s.zarr: 5 of 5 chunks are whole, 0 damaged, 0 missing; digest {digest}",
        ],
    )
    assert {file: file.read_bytes() for file in store.rglob("*.zip")} == before


def test_a_store_without_its_study_and_log_says_what_to_do(mcrock, store):
    store.with_name("s.zarr.log").unlink()
    (store / "study.zip").write_bytes(b"")
    code, _, errors = mcrock("verify", store, "--repair")
    assert code == 1
    assert "study.zip is not as it was written; run the command that made the store once more" in errors


def test_a_copy_is_decoded(mcrock, store, tmp_path):
    assert mcrock("export", store, "-o", tmp_path / "copy.zarr")[0] == 0
    code, output, _ = mcrock("verify", tmp_path / "copy.zarr")
    assert code == 0
    assert "can be decoded; a copy has no checksums" in output
    (tmp_path / "copy.zarr" / "outcome" / "c" / "0" / "0").write_bytes(b"xx")
    for command in ("verify", "stats"):
        code, _, errors = mcrock(command, tmp_path / "copy.zarr")
        assert code == 1
        assert "copy.zarr is damaged: outcome/c/0/0 cannot be decoded; copy the result again" in errors
