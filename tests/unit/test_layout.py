"""The layout: imports point one way, compiled code is where it belongs and compiles once."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mcrock

ROOT = Path(mcrock.__file__).parent
# a module may import those before it in this list
ORDER = [
    "jit",
    "counter",
    "interrupt",
    "params",
    "rules",
    "tables",
    "conditions",
    "body",
    "excitation",
    "impact",
    "kernel",
    "dataset",
    "simulation",
    "planar",
    "laws",
    "config",
    "sampling",
    "ensemble",
    "statistics",
    "plots",
    "verification",
    "text",
    "bench",
    "commands",
]
FILES = sorted(ROOT.rglob("*.py"))


def subject(path):
    """Name of a file's place in ORDER."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports_of(path):
    """Modules of mcrock that a file imports, but for type checkers alone."""
    tree = ast.parse(path.read_text())
    typing_only = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and getattr(block.test, "id", "") == "TYPE_CHECKING"
        for node in ast.walk(block)
    }
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("mcrock."):
            yield node.module.split(".")[1]
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("mcrock."):
                    yield alias.name.split(".")[1]


def test_every_file_has_its_place():
    assert {subject(path) for path in FILES} - {"__init__", "__main__"} == set(ORDER)


@pytest.mark.parametrize(
    "path", [path for path in FILES if subject(path) in ORDER], ids=lambda path: str(path.relative_to(ROOT))
)
def test_imports_point_upwards(path):
    own = ORDER.index(subject(path))
    later = [name for name in imports_of(path) if ORDER.index(name) > own]
    assert later == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_compiled_code_stands_in_its_folders_alone(path):
    compiled = "@jit" in path.read_text().splitlines()
    home = subject(path) in ("counter", "impact", "kernel", "planar", "laws")
    assert not compiled or home or path == ROOT / "excitation" / "response_spectra.py"


def test_import_is_light_and_compiles_nothing():
    code = (
        "import sys, mcrock; heavy = {'numba', 'scipy', 'dask', 'distributed', 'xarray', 'matplotlib'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_kernel_compiles_once():
    """Start, motion, scale and parameters of every Python type lead to one signature."""
    from mcrock.kernel.integrate import run

    body = mcrock.cuboid(0.4, 0.4, 1.6, 2600)
    motion = mcrock.Motion(np.zeros((3, 5)), dt=1, name="still")
    for impact in (
        mcrock.Impact(),
        mcrock.Impact(lambda_=1, tau=0),
        mcrock.Impact(tau_facet=0, point=(0, 0)),
    ):
        mcrock.simulate(body, motion, impact, start=mcrock.Start(edge=1, tilt=0), t_end=1)
    mcrock.simulate(body, mcrock.Pulse((1, 0, 0), 3), start=mcrock.Start(edge=np.int32(1), tilt=0), t_end=2)
    assert len(run.signatures) == 1


def test_cache_is_keyed_by_the_source(monkeypatch, tmp_path):
    from mcrock import jit

    shipped = jit.source_hash()
    shutil.copytree(ROOT, tmp_path / "mcrock", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(jit, "__file__", str(tmp_path / "mcrock" / "jit.py"))
    assert jit.source_hash() == shipped
    with (tmp_path / "mcrock" / "impact" / "varkonyi_2022.py").open("a") as file:
        file.write("\n# edited\n")
    assert jit.source_hash() != shipped
