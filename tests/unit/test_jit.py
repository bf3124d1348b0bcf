"""Compiled functions that have no way in from Python are called from compiled code only."""

import ast
from importlib import import_module
from pathlib import Path

import pytest
from numba.core.registry import CPUDispatcher

from mcrock.jit import COMPILED

ROOT = Path(__file__).parents[2]


def imported(path):
    """Objects that a file imports from the package, by name."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("mcrock."):
            module = import_module(node.module)
            for alias in node.names:
                yield f"{node.module}.{alias.name}", getattr(module, alias.name, None)


def interpreted():
    for folder in ("mcrock", "tests"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if not name.removeprefix("mcrock/").startswith(COMPILED):
                yield pytest.param(path, id=name)


@pytest.mark.parametrize("path", list(interpreted()))
def test_internal_functions_stay_inside(path):
    """Called from Python they would crash the interpreter."""
    inside = [
        name
        for name, function in imported(path)
        if isinstance(function, CPUDispatcher) and function.targetoptions.get("no_cpython_wrapper")
    ]
    assert not inside
