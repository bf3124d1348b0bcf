"""Packages that import a module of theirs when a name of it is first used.

`mcrock check` needs the declarations of a dataset, not what reads and writes one, which takes longer to
import than a small study to check. What is imported from where stands in the source of a package once, for
type checkers, and is read from there.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[2]


def homes_of(file: str) -> dict[str, str]:
    """Module that each name comes from which the source of a package imports before ``__all__``, indented."""
    head = Path(file).read_text(encoding="utf-8").partition("\n__all__")[0]
    found = re.findall(r"^    from (mcrock[\w.]*) import (\([^)]*\)|.*)$", head, re.MULTILINE)
    return {name: module for module, names in found for name in re.findall(r"\w+", names)}


def is_module(name: str) -> bool:
    """Whether a dotted name is that of a module of mcrock, by its files."""
    place = ROOT / name.replace(".", "/")
    return place.is_dir() or place.with_suffix(".py").is_file()


def imported_on_use(package: str, file: str) -> Callable[[str], object]:
    """``__getattr__`` of a package, by its ``__name__`` and ``__file__``."""
    homes = homes_of(file)

    def attribute(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        whole = f"{homes[name]}.{name}"
        value = import_module(whole) if is_module(whole) else getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return attribute
