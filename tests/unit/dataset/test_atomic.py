"""Files that appear whole or not at all, and what ended processes leave beside them."""

import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mcrock.dataset.contents import abandoned, has_ended, replacing, scratch_name

pytestmark = pytest.mark.skipif(os.name != "posix", reason="asks the system for processes")
DAY = 86_400.0


@pytest.fixture
def ended():
    """Number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def of(host, process, name="a.zip"):
    return f".{host}-{process}-{'0' * 31}f.{name}"


def test_a_scratch_name_tells_its_process(tmp_path):
    one, other = scratch_name(tmp_path / "a.zip"), scratch_name(tmp_path / "a.zip")
    assert one != other
    assert one.parent == tmp_path
    pattern = rf"\.{re.escape(socket.gethostname())}-{os.getpid()}-[0-9a-f]{{32}}\.a\.zip"
    assert re.fullmatch(pattern, one.name)


@pytest.mark.parametrize(
    ("place", "works", "age", "left"),
    [
        ("here", True, 0.0, False),
        ("here", True, DAY, False),
        ("here", True, DAY + 0.5, True),  # it may have the number of another one
        ("here", False, 0.0, True),
        ("elsewhere", True, 0.0, False),
        ("elsewhere", False, 0.0, False),  # its number says nothing on this machine
        ("elsewhere", False, DAY, False),
        ("elsewhere", False, DAY + 0.5, True),
    ],
)
def test_what_is_left_is_of_an_ended_process_or_old(tmp_path, monkeypatch, ended, place, works, age, left):
    host = socket.gethostname() if place == "here" else "another-host-2"
    file = tmp_path / of(host, os.getpid() if works else ended)
    file.touch()
    now = 2.0e9
    os.utime(file, (now - age,) * 2)
    monkeypatch.setattr(time, "time", lambda: now)
    assert abandoned(tmp_path, r"a\.zip") == ([file] if left else [])


def test_nothing_else_is_left(tmp_path, ended):
    host = socket.gethostname()
    found = [tmp_path / of(host, ended, name) for name in ("0-1.zip", "12.zip")]
    others = ["!first", "a.zip", *(of(host, ended, name) for name in ("b.zip", "12.zip.old"))]
    others.append(f"x{found[1].name}")
    for path in (*found, *(tmp_path / name for name in others)):
        path.touch()
    assert sorted(abandoned(tmp_path, r"\d+(-\d+)*\.zip")) == sorted(found)
    assert abandoned(tmp_path / "nowhere", ".*") == []


def test_a_process_has_ended_if_the_system_says_so(ended, monkeypatch):
    assert has_ended(ended)
    assert not has_ended(os.getpid())

    def forbidden(process, signal):
        assert signal == 0
        raise PermissionError

    monkeypatch.setattr(os, "kill", forbidden)
    assert not has_ended(ended)  # that of another user
    monkeypatch.setattr(os, "name", "nt")
    monkeypatch.delattr(os, "kill")  # which would end it there
    assert not has_ended(ended)


def test_a_file_is_replaced_when_all_is_on_the_disk(tmp_path, monkeypatch):
    path, done = tmp_path / "a.txt", []
    path.write_text("old")
    sync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda file: (done.append("sync"), sync(file)))
    monkeypatch.setattr(os, "replace", lambda *names: (done.append("replace"), replace(*names)))
    with replacing(path) as scratch:
        scratch.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert done == ["sync", "replace"]
    assert list(tmp_path.iterdir()) == [path]


def test_who_writes_a_file_deletes_what_ended_processes_left_in_its_folder(tmp_path, ended):
    host = socket.gethostname()
    left, other = tmp_path / of(host, ended, "b.nc"), tmp_path / of(host, os.getpid(), "b.nc")
    for file in (left, other):
        file.touch()
    with replacing(tmp_path / "a.txt") as scratch:
        scratch.touch()
    assert sorted(tmp_path.iterdir()) == [other, tmp_path / "a.txt"]


@pytest.mark.parametrize("of_scratch", [True, False])
def test_what_fails_leaves_the_old_file(tmp_path, monkeypatch, of_scratch):
    monkeypatch.chdir(tmp_path)
    path, other = Path("a.txt"), tmp_path / "b.txt"
    path.write_text("old")
    with pytest.raises(OSError, match="no space") as caught, replacing(path) as scratch:  # noqa: PT012
        scratch.write_text("half")
        raise OSError(28, "no space", str(scratch.absolute() if of_scratch else other))
    assert caught.value.filename == str(path if of_scratch else other)
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.txt"]
