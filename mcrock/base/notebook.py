"""What notebooks show of objects and of progress; modules that import everything draw it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any


class Displayed:
    """An object that a notebook shows drawn and in a table (`mcrock.report.cells`)."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return str(import_module("mcrock.report.cells").html_of(self))


@contextmanager
def shown_progress(progress: Callable[[Any], None] | None) -> Iterator[Callable[[Any], None] | None]:
    """What a caller wants to hear of progress, and in a notebook a bar if it is nothing."""
    if progress is not None or not in_notebook():
        yield progress
        return
    with import_module("mcrock.text.progress").notebook_progress() as report:
        yield report


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    shell: Any = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return shell is not None and hasattr(shell, "kernel")
