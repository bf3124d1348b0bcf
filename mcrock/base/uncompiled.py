"""Compiled functions as plain Python, with the same results to the last bit: slow, but there at once.

Where a compiled result is not plain Python's, the source is changed before it is run: a whole power is a
product, and a division by zero is no error.
"""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
from numba.core.registry import CPUDispatcher

from mcrock.base.code_cache import ROOT, is_edited


class Abandoned(Exception):  # noqa: N818
    """A run in plain Python that nobody waits for any more."""


def uncompiled(function: Callable[..., Any], check: Callable[[], None]) -> Callable[..., Any]:
    """A function of a module, with all compiled code that it calls as plain Python.

    Parameters
    ----------
    function : callable
    check : callable
        Called in every turn of a loop; may raise `Abandoned`.

    Raises
    ------
    OSError
        If the source of a module is not there, or not the one that was imported.
    """
    return _Twins(check).of(sys.modules[function.__module__])[function.__name__]


class _Twins:
    """Names of modules, with functions of plain Python in the place of compiled ones."""

    def __init__(self, check: Callable[[], None]) -> None:
        self.check = check
        self.found: dict[str, dict[str, Any]] = {}

    def of(self, module: ModuleType) -> dict[str, Any]:
        if module.__name__ in self.found:
            return self.found[module.__name__]
        names = self.found[module.__name__] = dict(vars(module))
        exec(_plain(module), names)
        names |= {"_check": self.check, "_power": _power}
        for name, value in vars(module).items():
            if isinstance(value, CPUDispatcher) and value.__module__ != module.__name__:
                names[name] = self.of(sys.modules[value.__module__])[value.py_func.__name__]
            elif isinstance(value, ModuleType) and value.__name__.startswith("mcrock."):
                names[name] = SimpleNamespace()
                names[name].__dict__.update(self.of(value))
            elif value is math.hypot:
                names[name] = np.hypot  # that of the C library, as in compiled code; Python has its own
        return names


def _plain(module: ModuleType) -> Any:
    """The functions of a module, to be defined without the compiler."""
    assert module.__file__
    file = Path(module.__file__)
    if is_edited(file.relative_to(ROOT).as_posix()):
        raise OSError(f"{file} has been edited since it was imported")
    tree = _Plain().visit(ast.parse(file.read_bytes()))
    tree.body = [
        ast.ImportFrom("__future__", [ast.alias("annotations")], 0),
        *(node for node in tree.body if isinstance(node, ast.FunctionDef)),
    ]
    return compile(ast.fix_missing_locations(tree), module.__file__, "exec")


class _Plain(ast.NodeTransformer):
    """Takes decorators away, and makes of Python what the compiler makes of it."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.decorator_list = []
        return self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        whole = isinstance(node.right, ast.Constant) and isinstance(node.right.value, int)
        if isinstance(node.op, ast.Pow) and whole:
            return ast.Call(ast.Name("_power", ast.Load()), [node.left, node.right], [])
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        return self._checked(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        return self._checked(node)

    def _checked(self, node: ast.For | ast.While) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, ast.Expr(ast.Call(ast.Name("_check", ast.Load()), [], [])))
        return node


def _power(base: Any, exponent: int) -> Any:
    """A whole power as numba computes it."""
    result = 1.0
    while exponent:
        if exponent & 1:
            result *= base
        exponent >>= 1
        base *= base
    return result
