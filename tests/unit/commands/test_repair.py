"""What is whole and not a store's own: refused by every command, and never overwritten unasked."""

import re
import shutil

import pytest

from mcrock.dataset.contents import read_archive, write_archive

MORE = ("--set", "intensity.levels=[1.0, 2.0, 4.0, 9.0]")


def tree(folder):
    """Contents by name of all files in a folder."""
    return {
        file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()
    }


@pytest.fixture
def other(mcrock, study_file, tmp_path):
    """Store of the same study with another seed."""
    assert mcrock("run", study_file, "-o", tmp_path / "other.zarr", "--seed", 6)[0] == 0
    return tmp_path / "other.zarr"


def aside(store):
    """What was set aside of a store."""
    return tree(store.with_name(f"{store.name}.aside-1"))


def test_a_study_of_another_seed_does_not_take_the_chunks_away(mcrock, store, other, study_file, monkeypatch):
    monkeypatch.chdir(store.parent)
    whole = tree(store)
    shutil.copy(other / "study.zip", store / "study.zip")
    before = tree(store)
    for arguments in (("verify", store), ("verify", store, "--repair"), ("stats", store)):
        code, _, errors = mcrock(*arguments)
        assert (code, tree(store)) == (1, before)
        assert "study.zip is of another study than 5 chunks, which agree" in errors
    for seed in (5, 6):  # of the chunks, of study.zip
        assert mcrock("run", study_file, "-o", store, "--resume", "--seed", seed)[0] != 0
        assert tree(store) == before
    code, output, _ = mcrock("verify", store, "--repair", "--force")
    assert code == 0
    assert "study.zip is set aside in" in output
    assert tree(store) == whole
    assert aside(store) == {"study.zip": before["study.zip"]}


def test_a_study_from_before_an_extension_does_not_take_its_runs_away(mcrock, store, study_file, monkeypatch):
    monkeypatch.chdir(store.parent)
    old = (store / "study.zip").read_bytes()
    assert mcrock("run", study_file, "-o", store, "--extend", *MORE)[0] == 0
    whole = tree(store)
    (store / "study.zip").write_bytes(old)
    before = tree(store)
    for arguments in (("verify", store, "--repair"), ("run", study_file, "-o", store, "--resume")):
        code, _, errors = mcrock(*arguments)
        assert (code, tree(store)) == (1, before)
        assert "study.zip is of another extent than 5 chunks" in errors
    store.with_name("s.zarr.log").rename(store.with_name("log"))
    assert mcrock("verify", store, "--repair", "--force")[0] == 1
    assert tree(store) == before
    store.with_name("log").rename(store.with_name("s.zarr.log"))
    assert mcrock("verify", store, "--repair", "--force")[0] == 0
    assert tree(store) == whole


def test_chunks_that_are_all_of_another_study_are_set_aside(mcrock, store, other, monkeypatch):
    monkeypatch.chdir(store.parent)
    whole = tree(store)
    for chunk in (other / "chunks").iterdir():
        shutil.copy(chunk, store / "chunks")
    before = tree(store)
    assert mcrock("verify", store, "--repair")[0] == 1
    assert tree(store) == before
    log = store.with_name("s.zarr.log").rename(store.with_name("log"))
    assert mcrock("verify", store, "--repair", "--force")[0] == 1  # nobody knows which of them is right
    assert tree(store) == before
    log.rename(store.with_name("s.zarr.log"))
    code, output, errors = mcrock("verify", store, "--repair", "--force")
    assert (code, tree(store)) == (0, whole), output + errors
    assert aside(store) == {name: before[name] for name in before if name.startswith("chunks")}


def test_a_whole_chunk_of_another_study_is_kept(mcrock, store, other, study_file, monkeypatch):
    monkeypatch.chdir(store.parent)
    whole = tree(store)
    shutil.copy(other / "chunks" / "3.zip", store / "chunks" / "3.zip")
    before = tree(store)
    code, output, errors = mcrock("verify", store, "--repair")
    assert (code, tree(store)) == (1, before)
    assert "chunks/3.zip is of another study" in output
    assert "--force" in errors
    code, _, errors = mcrock("run", study_file, "-o", store, "--resume")
    assert (code, tree(store)) == (1, before)
    assert re.search(
        r"chunks/3\.zip is of another study; `mcrock verify .* --repair --force` sets it", errors
    )
    assert mcrock("verify", store, "--repair", "--force")[0] == 0
    assert tree(store) == whole
    assert aside(store) == {"chunks/3.zip": before["chunks/3.zip"]}


@pytest.mark.parametrize("name", ["study.zip", "chunks/3.zip", "chunks/100.zip"])
def test_what_a_newer_version_wrote_is_never_set_aside(mcrock, store, study_file, monkeypatch, name):
    monkeypatch.chdir(store.parent)
    record, members = read_archive(store / name.replace("100", "3"))
    write_archive(store / name, members, record | {"format": record["format"] + 1})
    before = tree(store.parent)
    for arguments in (
        ("verify", store, "--repair", "--force"),
        ("run", study_file, "-o", store, "--resume"),
        ("merge", store.with_name("all.zarr"), store),
        ("verify", store),
        ("stats", store),
        ("status", store),
    ):
        code, output, errors = mcrock(*arguments)
        assert (code != 0, tree(store.parent)) == (True, before), arguments
        assert f"{name} was written by a newer mcrock, in the format 3" in output + errors
        assert "and this one knows 2: use the version that wrote it" in output + errors


def put(source, *places):
    """A way to damage a store: a file copied to a place in it, or a folder made where one was."""

    def damage(store):
        place = store.joinpath(*places)
        if source == "folder":
            place.unlink()
            place.mkdir()
        else:
            shutil.copy(store / source, place)

    return damage


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (put("chunks/1.zip", "study.zip"), r"study\.zip is chunk \[1\]"),
        (put("chunks/1.zip", "chunks", "100.zip"), r"chunks/100\.zip"),
        (put("chunks/0.zip", "chunks", "00.zip"), r"chunks/00\.zip"),
        (put("../study.toml", "notes.txt"), r"notes\.txt"),
        (put("folder", "chunks", "2.zip"), r"chunks/2\.zip is a folder"),
        (put("folder", "study.zip"), r"study\.zip is a folder"),
    ],
    ids=["chunk as study", "100", "00", "notes", "folder as chunk", "folder as study"],
)
def test_what_is_out_of_place_is_refused_by_name(
    mcrock, store, study_file, tmp_path, monkeypatch, damage, message
):
    monkeypatch.chdir(tmp_path)
    whole = tree(store)
    damage(store)
    before = tree(store)
    for arguments in (
        ("verify", store),
        ("verify", store, "--repair"),
        ("verify", store, "--digest"),
        ("merge", tmp_path / "all.zarr", store),
        ("status", store),
        ("run", study_file, "-o", store, "--resume"),
        ("run", study_file, "-o", store, "--overwrite"),
    ):
        if "--overwrite" in arguments and "chunk" in message and "folder" not in message:
            continue  # chunks in a wrong place are the store's own
        code, output, errors = mcrock(*arguments)
        assert code in (1, 2), arguments
        expected = message.split(" ")[0] if "--overwrite" in arguments else message
        assert re.search(expected, output + errors), arguments
        assert tree(store) == before
    assert not (tmp_path / "all.zarr").exists()
    code, output, errors = mcrock("verify", store, "--repair", "--force")
    assert (code, tree(store)) == (0, whole), output + errors
    assert set(aside(store)) == set(before) - set(whole) | {n for n in before if before[n] != whole.get(n)}


def test_replacing_a_store_deletes_nothing_else(mcrock, store, study_file, tmp_path):
    forged = tmp_path / "forged"
    (forged / "record").mkdir(parents=True)
    (forged / "zarr.json").write_text('{"attributes": {"source": "mcrock 1", "config": ""}}')
    (forged / "record" / "thesis.tex").write_text("years of work")
    for name in ("record/thesis.tex", "chunks/9.zip/thesis.tex", "chunks/9.zip", "chunks/7.zip"):
        copy = shutil.copytree(store, tmp_path / name.replace("/", "-"))
        (copy / name).parent.mkdir(exist_ok=True)
        (copy / name).write_text("years of work")
    for folder in [forged, *tmp_path.glob("*-*")]:
        before = tree(folder)
        code, _, errors = mcrock("run", study_file, "-o", folder, "--overwrite")
        assert (code, tree(folder)) == (2, before)
        assert re.search(r"left alone: (record|record/thesis\.tex|chunks/[97]\.zip)$", errors.strip()), errors
    (tmp_path / "chunks").mkdir()
    linked = shutil.copytree(store, tmp_path / "linked")
    shutil.move(linked / "chunks", tmp_path / "elsewhere")
    (linked / "chunks").symlink_to(tmp_path / "elsewhere")
    assert mcrock("run", study_file, "-o", linked, "--overwrite")[0] == 2
    assert len(tree(tmp_path / "elsewhere")) == 5
