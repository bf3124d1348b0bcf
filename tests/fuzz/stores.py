"""Damaged stores, read and repaired: no other value is ever read, and no study repaired into another one.

Every second damage is an archive written anew by a zip program, whose members all have a CRC that fits.
"""

from __future__ import annotations

import shutil
import sys
import zipfile
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import cache
from io import StringIO
from pathlib import Path
from random import Random

import numpy as np
import xarray as xr

from mcrock.commands import program
from mcrock.dataset import DamageError, DatasetError, load_dataset
from mcrock.dataset.contents import chunk_path, encode, read_archive
from mcrock.ensemble import run_study
from mcrock.study import load_config
from tests.unit.conftest import write_study

FEWER = ["intensity.levels=[1.0, 4.0]"]
CHUNKS = 4


def prepare(folder: Path) -> None:
    """A store that was extended, its study from before that, and the store of another seed."""
    study = write_study(folder)
    if not (folder / "other.zarr").exists():
        for name, seed in (("s.zarr", "seed=5"), ("other.zarr", "seed=6")):
            run_study(load_config(study, [*FEWER, seed]), folder / name).close()
            shutil.copy(folder / name / "study.zip", folder / f"{name}.before")
            run_study(load_config(study, [seed]), folder / name, extend=True).close()


def attempt(number: int, folder: Path) -> None:
    """Damage a copy of the store, read it, and repair it."""
    random = Random(f"store {number}")
    place = folder / "damaged"
    for old in folder.glob("damaged*"):
        old.unlink() if old.is_file() else shutil.rmtree(old)
    shutil.copytree(folder / "s.zarr", place)
    shutil.copy(folder / "s.zarr.log", folder / "damaged.log")
    whole = tree(place)
    (rewrite if number % 2 else damage)(random, place, folder)
    before = tree(place)
    check_values(place, original(folder))
    for option in ([], ["--force"]):
        code, said = mcrock("verify", place, "--repair", "--folder", folder, *option)
        found = tree(place)
        assert code in (0, 1, 2), said
        assert "Traceback" not in said, said
        if code == 0:
            assert found == whole, f"repaired into something else: {said}"
            break
        kept = {
            name for name, content in before.items() if content is not None and found.get(name) != content
        }
        assert not kept or option, f"whole files overwritten: {kept}: {said}"
    set_aside = [content for path in folder.glob("damaged.aside-*") for content in tree(path).values()]
    lost = [
        name for name, content in before.items() if content and content not in (found.get(name), *set_aside)
    ]
    assert not lost, f"whole files lost: {lost}"


def check_values(place: Path, ds: xr.Dataset) -> None:
    """Read all of a store: what is read is what was written, or there is a refusal."""
    with suppress(DamageError, DatasetError), load_dataset(place, allow_incomplete=True) as found:
        found.load()
        assert found.attrs == ds.attrs, "attributes differ"
        length = -(-ds.sizes["realization"] // CHUNKS)
        done = np.repeat(found["chunk_done"].values == 1, length)[: ds.sizes["realization"]]
        for name, array in ds.variables.items():
            if "realization" in array.dims and name != "realization":
                np.testing.assert_array_equal(found[name].values[done], array.values[done])
            elif name != "chunk_done":
                np.testing.assert_array_equal(found[name].values, array.values)


@cache
def original(folder: Path) -> xr.Dataset:
    with load_dataset(folder / "s.zarr") as ds:
        return ds.load()


def mcrock(*arguments: object) -> tuple[int, str]:
    """Exit code and errors of the command line."""
    sys.argv = ["mcrock", *map(str, arguments)]
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as errors:
        try:
            program.main()
        except SystemExit as end:
            return int(end.code or 0), errors.getvalue()
    return 0, errors.getvalue()


def tree(folder: Path) -> dict[str, bytes | None]:
    """Contents by name of the whole files in a folder; None of those that do not fit their digest."""
    found: dict[str, bytes | None] = {}
    for path in folder.rglob("*"):
        if path.is_file():
            found[str(path.relative_to(folder))] = path.read_bytes()
            with suppress(OSError):
                try:
                    read_archive(path)
                except DamageError:
                    found[str(path.relative_to(folder))] = None
    return found


def damage(random: Random, place: Path, folder: Path) -> None:
    """Change the bytes of one file, or put it, or one of another store, in the place of another one."""
    files = sorted(place.rglob("*.zip"))
    file, kind = random.choice(files), random.randrange(12)
    content = file.read_bytes()
    first, last = sorted(random.randrange(len(content)) for _ in range(2))
    changed = {
        0: content[:first] + bytes([content[first] ^ 1 << random.randrange(8)]) + content[first + 1 :],
        1: content[:first],
        2: content[:first] + bytes(len(content) - first),
        3: content[:first] + random.randbytes(last - first) + content[last:],
        4: content[:first] + random.randbytes(7) + content[first:],
        5: content + random.randbytes(9),
        6: b"",
        7: random.choice(files).read_bytes(),
        8: (folder / "other.zarr" / file.relative_to(place)).read_bytes(),
    }
    if kind in changed:
        file.write_bytes(changed[kind])
    elif kind == 9:
        file.unlink()
    elif kind == 10:
        shutil.copy(folder / "s.zarr.before", place / "study.zip")
    else:
        name = random.choice(["chunks/100.zip", "chunks/00.zip", "notes.txt", "chunks/x"])
        shutil.copy(file, place / name)


def rewrite(random: Random, place: Path, folder: Path) -> None:
    """Write an archive anew with one member changed, and its comment, as it was or with another record."""
    file = random.choice([place / "study.zip", chunk_path(place, (random.randrange(CHUNKS),))])
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
        comment = archive.comment
    name, kind = random.choice(list(members)), random.randrange(7)
    content = members[name]
    if kind == 0:
        members[name] = random.choice(list(members.values()))
    elif kind == 1:
        members[name] = encode(np.frombuffer(random.randbytes(8 * 3 * 8), "f8").reshape(8, 3))
    elif kind == 2:
        members[name] = content[: random.randrange(len(content) + 1)]
    elif kind == 3:
        first = random.randrange(len(content))
        members[name] = content[:first] + bytes([random.randrange(256)]) + content[first + 1 :]
    elif kind == 4:
        del members[name]
    elif kind == 5:
        members["x" + name] = members.pop(name)
    else:
        comment = comment.replace(b"[0, 8]", b"[0, 5]").replace(
            b'"study": "', b'"study": "0', random.randrange(2)
        )
        comment = comment.replace(b'"format": 2', b'"format": 3', random.randrange(2))
    compression = random.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
    with zipfile.ZipFile(file, "w", compression) as archive:
        for member, value in members.items():
            archive.writestr(member, value)
        archive.comment = comment
