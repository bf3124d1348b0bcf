"""The layout: imports point one way, compiled code is where it belongs and compiles once."""

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
from numba.types import NoneType

import mcrock

ROOT = Path(mcrock.__file__).parent
# a module may import those before it in this list
ORDER = [
    "base",
    "arithmetic",
    "code_cache",
    "compilation",
    "jit",
    "uncompiled",
    "at_once",
    "counter",
    "params",
    "response",
    "rules",
    "impact",
    "tables",
    "conditions",
    "body",
    "excitation",
    "kernel",
    "device",
    "dataset",
    "simulation",
    "planar",
    "laws",
    "measurement",
    "config",
    "sampling",
    "ensemble",
    "cluster",
    "statistics",
    "labels",
    "validation",
    "rare",
    "plots",
    "verification",
    "text",
    "report",
    "bench",
    "commands",
    "docs",
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


def test_imports_point_upwards():
    upwards = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in FILES
        if subject(path) in ORDER
        for name in imports_of(path)
        if ORDER.index(name) > ORDER.index(subject(path))
    ]
    assert not upwards, "\n".join(upwards)


def test_compiled_code_stands_in_its_folders_alone():
    homes = ("counter", "impact", "kernel", "planar", "laws")
    compiled = {path for path in FILES if "@jit" in path.read_text().splitlines()}
    away = {str(path.relative_to(ROOT)) for path in compiled if subject(path) not in homes}
    assert away == {"excitation/measures/response_spectra.py"}


def test_import_is_light_and_compiles_nothing():
    code = (
        "import sys, mcrock; heavy = {'numba', 'scipy', 'dask', 'distributed', 'xarray', 'matplotlib'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_declarations_and_estimates_read_no_store():
    """`mcrock check` needs them; xarray, pandas and zarr take a third of a second."""
    code = (
        "import sys; from mcrock.dataset.schema import SCHEMA; from mcrock.ensemble import estimate_time; "
        "print(sorted({'xarray', 'pandas', 'zarr', 'dask', 'scipy.stats'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_kernel_compiles_once():
    """Start, motion, scale and parameters of every Python type lead to one signature."""
    from mcrock.kernel.contact import fill_constants
    from mcrock.kernel.integrate import run

    before = set(fill_constants.signatures)
    body = mcrock.cuboid(0.4, 0.4, 1.6, 2600)
    motion = mcrock.Motion(np.zeros((3, 5)), dt=1, name="still")
    for impact in (
        mcrock.Impact(),
        mcrock.Impact(lambda_=1, tau=0),
        mcrock.Impact(tau_facet=0, point=(0, 0)),
    ):
        mcrock.simulate(body, motion, impact, start=mcrock.Start(edge=1, tilt=0), t_end=1)
    mcrock.simulate(body, mcrock.Pulse((1, 0, 0), 3), start=mcrock.Start(edge=np.int32(1), tilt=0), t_end=2)
    # runs with friction, of other tests in this process, have a signature of their own
    assert sum(isinstance(signature[-1], NoneType) for signature in run.signatures) == 1
    # a body's arrays are read-only, those of a part are not
    added = set(fill_constants.signatures) - before
    assert all(array.mutable for signature in added for array in signature[2:4])


def test_the_picture_of_the_packages_has_their_order():
    """The first block of `mcrock docs architecture`; what is compiled has a star."""
    picture = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").split("```")[1]
    rooms = [line[18:].split("   ")[0].split() for line in picture.strip("\n").splitlines()]
    drawn = [room for line in rooms for room in line]
    assert [room.removesuffix("*") for room in drawn] == ORDER
    compiled = {subject(path) for path in FILES if "@jit" in path.read_text().splitlines()}
    assert {room.removesuffix("*") for room in drawn if room.endswith("*")} == compiled
