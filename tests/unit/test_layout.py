"""The layout: imports point one way, compiled code is where it belongs."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import mcrock

ROOT = Path(mcrock.__file__).parent
# a module may import those before it in this list
ORDER = [
    "base",
    "impact",
    "body",
    "excitation",
    "kernel",
    "dataset",
    "simulation",
    "planar",
    "study",
    "measurement",
    "statistics",
    "ensemble",
    "show",
    "plots",
    "laws",
    "verify",
    "commands",
    "__init__",
    "__main__",
    "docs",
]
FILES = sorted(ROOT.rglob("*.py"))
LOADERS = {"import_module", "__import__"}
OWN_MODULES_ALONE = ROOT / "base" / "environment.py"  # a package gives it names of its own modules


def subject(path):
    """Name of a file's place in ORDER."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


@cache
def parsed(path):
    return ast.parse(path.read_text())


@cache
def named_modules(path):
    """Modules of mcrock that a file imports, for type checkers too, or hands to a loader by name."""
    found = []
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ImportFrom) and node.module == "mcrock":
            found += [f"mcrock.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.Call) and called(node) in LOADERS:
            parts = node.args[0].values if isinstance(node.args[0], ast.JoinedStr) else [node.args[0]]
            found += [parts[0].value if isinstance(parts[0], ast.Constant) else "mcrock."]
    return found


def called(node):
    """Name of the function that a call names."""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def rooms_of(path):
    """Rooms that a file takes something from; `__init__` is the package itself, which holds all of them."""
    for name in named_modules(path):
        root, _, rest = name.partition(".")
        if root == "mcrock":
            room = rest.split(".")[0]
            yield room if room in ORDER else "__init__"


def test_every_file_has_its_place():
    assert {subject(path) for path in FILES} == set(ORDER)


def test_loaders_are_seen():
    """What a loader imports is in its call, or what the source of a package imports for type checkers."""
    seen = {"mcrock.commands.", "mcrock.laws.systems.", "mcrock.show.animation"}  # strings of loaders
    for path in FILES:
        tree = parsed(path)
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        named = [node for node in ast.walk(tree) if getattr(node, "attr", getattr(node, "id", "")) in LOADERS]
        assert len(named) == sum(called(node) in LOADERS for node in calls), path
        for node in calls:
            if called(node) == "imported_on_use":
                assert [ast.unparse(argument) for argument in node.args] == ["__name__", "__file__"], path
        seen -= set(named_modules(path))
    assert seen == set()


def test_compiled_code_stands_in_its_folders_alone():
    homes = ("impact", "kernel", "measurement", "planar")
    compiled = {path for path in FILES if "@jit" in path.read_text().splitlines()}
    away = {str(path.relative_to(ROOT)) for path in compiled if subject(path) not in homes}
    assert away == {"base/random_numbers.py", "excitation/response_spectra.py"}


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


def test_the_picture_of_the_packages_has_their_order():
    """The first block of `mcrock docs architecture`; what is compiled has a star."""
    picture = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").split("```")[1]
    rooms = [line[18:].split("   ")[0].split() for line in picture.strip("\n").splitlines()]
    drawn = [room for line in rooms for room in line]
    assert [room.removesuffix("*") for room in drawn] == [room for room in ORDER if "__" not in room]
    compiled = {subject(path) for path in FILES if "@jit" in path.read_text().splitlines()}
    assert {room.removesuffix("*") for room in drawn if room.endswith("*")} == compiled
