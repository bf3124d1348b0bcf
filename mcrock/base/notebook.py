"""How notebooks show objects and progress: `show_with` registers it from above, as it needs everything."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

Listener = Callable[[Any], None]  # hears of progress
_html: Callable[[Any], str] | None = None
_bar: Callable[[], AbstractContextManager[Listener]] | None = None


def show_with(html: Callable[[Any], str], bar: Callable[[], AbstractContextManager[Listener]]) -> None:
    """Register what a notebook shows of a `Displayed` object, and the bar that shows progress."""
    global _html, _bar
    _html, _bar = html, bar


class Displayed:
    """An object that a notebook shows drawn and in a table."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        return None if _html is None else _html(self)


@contextmanager
def shown_progress(progress: Listener | None) -> Iterator[Listener | None]:
    """A caller's own listener; if there is none, a bar in a notebook and nothing elsewhere."""
    if progress is not None or _bar is None or not in_notebook():
        yield progress
        return
    with _bar() as listener:
        yield listener


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    shell: Any = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return shell is not None and hasattr(shell, "kernel")
