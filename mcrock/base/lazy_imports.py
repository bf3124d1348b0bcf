"""Packages that import a module of theirs when a name of it is first used.

`mcrock check` needs the declarations of a dataset, not what reads and writes one, which takes longer to
import than a small study to check.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def imported_on_use(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """``__getattr__`` of a package.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    homes : mapping of str to str
        Module of the package that each name comes from.
    """

    def attribute(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return attribute
