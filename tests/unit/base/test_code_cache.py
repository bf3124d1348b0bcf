"""Compiled code on disk: an edit is never missed, what it does not touch stays, and old code goes."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path
from time import time

import numba
import pytest

import mcrock
from mcrock.base import compiled_code
from mcrock.base.compiled_code import BASELINE, KEPT_VERSIONS, closure, remove_old, source_hash

ROOT = Path(mcrock.__file__).parent
COMPILED = [
    path.relative_to(ROOT).as_posix()
    for path in sorted(ROOT.rglob("*.py"))
    if "from mcrock.base.jit import jit" in path.read_text()
]
compiled = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


@pytest.fixture
def copy(tmp_path):
    """A copy of the package, whose hashes are forgotten."""
    shutil.copytree(ROOT, tmp_path / "mcrock", ignore=shutil.ignore_patterns("__pycache__", "docs"))
    return tmp_path / "mcrock"


def hash_of(copy, place="kernel/integrate.py"):
    compiled_code._read.cache_clear()
    return source_hash(place, copy)


def imported(place):
    """Files of the package that a file imports, by its syntax tree."""
    for node in ast.walk(ast.parse((ROOT / place).read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("mcrock"):
            module = Path(*node.module.split(".")[1:])
            for name in (alias.name for alias in node.names):
                files = module / f"{name}.py", module / name / "__init__.py", module.with_suffix(".py")
                yield next((f for f in files if (ROOT / f).is_file()), module / "__init__.py").as_posix()


def test_every_import_of_compiled_code_is_part_of_its_key():
    files = set().union(*map(closure, COMPILED)) - {"base/jit.py"}
    imports = {file: set(imported(file)) for file in files}
    for place in COMPILED:
        reached = closure(place)
        assert {place, "base/jit.py"} <= reached
        assert [file for file in reached - {"base/jit.py"} if not imports[file] <= reached] == []


def test_an_edit_changes_the_key_of_what_imports_the_file_and_no_other(copy):
    before = {place: hash_of(copy, place) for place in COMPILED}
    with (copy / "impact" / "varkonyi_2022.py").open("a") as file:
        file.write("\n# edited\n")
    after = {place: hash_of(copy, place) for place in COMPILED}
    changed = {place for place in COMPILED if after[place] != before[place]}
    assert changed == {place for place in COMPILED if "impact/varkonyi_2022.py" in closure(place)}
    assert "kernel/integrate.py" in changed
    assert not {"base/random_numbers.py", "kernel/contact.py", "planar/integrate.py"} & changed


STEPS = '    STEPS = "i4", "1", "integration steps taken"\n'
END_TIME = '    END_TIME = "f4", "s", "time at which the run ended"\n'


@pytest.mark.parametrize(
    ("place", "old", "new", "recompiles"),
    [
        ("base/params.py", "integration steps taken", "number of time steps", False),
        ("base/params.py", '"""Responses of a run', '"""What comes out', False),
        ("base/params.py", STEPS, STEPS + "    # a comment\n", False),
        ("base/params.py", END_TIME + STEPS, STEPS + END_TIME, True),
        ("base/params.py", STEPS, "", True),
        ("base/params.py", STEPS, STEPS.replace("STEPS", "N_STEPS"), True),
        ("base/params.py", STEPS, STEPS.replace('taken"', 'taken", 1.0'), True),
        ("base/params.py", "    MODE = auto()  # code of `Mode`\n", "", True),
        ("impact/registry.py", "kinematic coefficient of the edge that leaves", "coefficient", False),
        ("impact/registry.py", "Journal of Structural Engineering 142(12)", "J. Struct. Eng. 142(12)", False),
        ("impact/registry.py", "HOUSNER_1963 = (\n        1,", "HOUSNER_1963 = (\n        9,", True),
        ("impact/registry.py", "Law.BROGLIATO_2012,\n        Number", "Law.OWN,\n        Number", True),
    ],
)
def test_words_are_no_part_of_the_key(copy, place, old, new, recompiles):
    before, file = hash_of(copy), copy / place
    assert file.read_text().count(old) == 1
    file.write_text(file.read_text().replace(old, new))
    assert (hash_of(copy) != before) == recompiles


def folder_of(base, name, days):
    folder = base / name
    folder.mkdir(parents=True)
    (folder / "run.pickle").touch()
    os.utime(folder, (time() - days * 86400.0,) * 2)
    return folder


def test_old_code_is_removed_and_nothing_else(tmp_path):
    names = [f"kernel.integrate-{i:016x}" for i in range(KEPT_VERSIONS + 3)]
    kept = [folder_of(tmp_path, name, 3.0 + i) for i, name in enumerate(names[:KEPT_VERSIONS])]
    superseded = [folder_of(tmp_path, name, 20.0) for name in names[KEPT_VERSIONS:]]
    kept.append(folder_of(tmp_path, f"counter-{1:016x}", 29.0))
    unused = [folder_of(tmp_path, f"counter-{2:016x}", 31.0), folder_of(tmp_path, f"{3:016x}", 31.0)]
    kept.append(folder_of(tmp_path, "letters-from-home", 400.0))
    remove_old(tmp_path)
    assert all(folder.exists() for folder in kept)
    assert not any(folder.exists() for folder in superseded + unused)


def test_versions_of_today_stay_however_many(tmp_path):
    kept = [folder_of(tmp_path, f"counter-{i:016x}", 0.5) for i in range(3 * KEPT_VERSIONS)]
    remove_old(tmp_path)
    assert all(folder.exists() for folder in kept)


def test_a_cache_that_is_missing_or_in_use_elsewhere_is_left_alone(tmp_path):
    remove_old(tmp_path / "missing")


UNIFORM = """
import sys, pathlib
from mcrock.base import compiled_code
compiled_code.SHIPPED = pathlib.Path(sys.argv[1])
compiled_code.CodeCache.collected = pathlib.Path(sys.argv[2]) if sys.argv[2:] else None
from numba.core import event
from mcrock.base.random_numbers import uniform
with event.install_listener("numba:compile", event.RecordingListener()) as compiled:
    value = uniform(1, 2, 3, 4)
print(len(compiled.buffer) // 2, value)
"""


def uniform(home, cache, shipped, *collect, **variables):
    """Functions compiled for a random number of a package in a fresh process, and the number."""
    done = subprocess.run(
        [sys.executable, "-c", UNIFORM, str(shipped), *map(str, collect)],
        cwd=home,
        env=os.environ | {"PYTHONPATH": str(home), "NUMBA_CACHE_DIR": str(cache)} | variables,
        capture_output=True,
        text=True,
        check=True,
    )
    number, value = done.stdout.split()
    return int(number), float(value)


@compiled
@pytest.mark.skipif(os.uname().machine not in BASELINE, reason="no processor is shipped for")
def test_shipped_code_is_loaded_until_the_source_is_edited(copy, tmp_path):
    """As from an editable installation of what a wheel was made of."""
    home, shipped, cache = copy.parent, tmp_path / "shipped", tmp_path / "cache"
    wheel = {"NUMBA_CPU_NAME": BASELINE[os.uname().machine][0], "NUMBA_CPU_FEATURES": ""}
    first, value = uniform(home, cache, shipped, **wheel)
    assert first > 0
    assert uniform(home, cache, shipped, shipped, **wheel) == (0, value)
    # what compiled code calls alone is not in the wheel, and the cache of the one who uses it stays empty
    assert [path.name.partition("-")[0] for path in shipped.rglob("*.pickle")] == ["uniform"]
    empty = tmp_path / "empty"
    assert uniform(home, empty, shipped) == (0, value)
    assert not empty.exists()
    # a processor of one's own choice, and contraction, are not what the wheel was made for
    assert uniform(home, empty, shipped, NUMBA_CPU_NAME="nehalem", NUMBA_CPU_FEATURES="")[0] > 0
    assert uniform(home, empty, shipped, MCROCK_CONTRACT="1")[0] > 0
    source = (copy / "base/random_numbers.py").read_text()
    assert source.count("+ 0.5) * _TO_UNIT") == 1
    (copy / "base/random_numbers.py").write_text(source.replace("+ 0.5) * _TO_UNIT", "+ 0.5) * _TO_UNIT / 2"))
    assert uniform(home, tmp_path / "fresh", shipped) == (first, value / 2)
    (copy / "base/random_numbers.py").write_text(source)
    assert uniform(home, tmp_path / "fresh", shipped) == (0, value)


@compiled
def test_a_cache_that_cannot_be_written_to_is_read(copy, tmp_path):
    cache = tmp_path / "cache"
    first, value = uniform(copy.parent, cache, tmp_path)
    assert first > 0
    for folder in (cache / "mcrock").iterdir():
        folder.chmod(0o500)
    assert uniform(copy.parent, cache, tmp_path) == (0, value)
    (tmp_path / "file").touch()
    assert uniform(copy.parent, tmp_path / "file", tmp_path) == (first, value)  # there can be no folder


@compiled
def test_damaged_code_is_compiled_again(copy, tmp_path):
    cache = tmp_path / "cache"
    value = uniform(copy.parent, cache, tmp_path)[1]
    for file in cache.rglob("uniform-*.pickle"):
        file.write_bytes(file.read_bytes()[:20])
    assert uniform(copy.parent, cache, tmp_path)[1] == value
    assert uniform(copy.parent, cache, tmp_path) == (0, value)
