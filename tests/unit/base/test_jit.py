"""Compiled functions that have no way in from Python are called from compiled code only."""

import ast
import gc
import re
from importlib import import_module
from pathlib import Path

import numba
import pytest
from numba.core import event
from numba.core.registry import CPUDispatcher

ROOT = Path(__file__).parents[3]


def imported(path):
    """Objects that a file imports from the package, by name."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("mcrock."):
            module = import_module(node.module)
            for alias in node.names:
                yield f"{node.module}.{alias.name}", getattr(module, alias.name, None)


def test_internal_functions_stay_inside():
    """Called from Python they would crash the interpreter."""
    outside = [
        path
        for folder in ("mcrock", "tests")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if not re.search(r"from mcrock\.base\.jit import .*jit$|^@cuda\.jit", path.read_text(), re.MULTILINE)
    ]
    assert len(outside) > 100
    named = ROOT / "mcrock" / "simulation" / "parts.py"  # which hands them to the compiler
    assert not any(isinstance(node, ast.Call) for node in ast.walk(ast.parse(named.read_text())))
    outside.remove(named)
    inside = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in outside
        for name, function in imported(path)
        if isinstance(function, CPUDispatcher) and function.targetoptions.get("no_cpython_wrapper")
    ]
    assert not inside, "\n".join(inside)


class Thresholds(event.Listener):
    """Thresholds of the collector while something is compiled."""

    def __init__(self):
        self.seen = []

    def on_start(self, event):
        self.seen.append(gc.get_threshold())

    def on_end(self, event):
        self.seen.append(gc.get_threshold())


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_garbage_is_searched_for_less_often_while_the_kernel_is_compiled():
    @numba.njit
    def inner(x):
        return x + 1

    @numba.njit
    def outer(x):
        return inner(x) * 2

    before, found = gc.get_threshold(), Thresholds()
    try:
        gc.set_threshold(700, 10, 10)
        with event.install_listener("numba:compile", found):
            assert outer(1) == 4
        assert gc.get_threshold() == (700, 10, 10)
    finally:
        gc.set_threshold(*before)
    assert len(found.seen) == 4
    # told last of an end, this listener sees what is there after it
    assert found.seen[:3] == [(100_000, 20, 20)] * 3
