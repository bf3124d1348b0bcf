"""The session of a user: what notebooks show, and signals that interrupt work."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any, NoReturn

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


AGAIN = 0.5  # until an interruption that nobody answered is raised again [s]


class Terminated(KeyboardInterrupt):
    """SIGTERM: end as Ctrl-C does."""


class HungUp(KeyboardInterrupt):
    """SIGHUP, as of a terminal that is closed: end as Ctrl-C does."""


_KINDS = {signal.SIGINT: KeyboardInterrupt, signal.SIGTERM: Terminated}
if hasattr(signal, "SIGHUP"):
    _KINDS[signal.SIGHUP] = HungUp
SIGNALS = tuple(_KINDS)
FROM_TERMINAL = tuple(set(SIGNALS) - {signal.SIGTERM})  # which go to all of its processes
_pending = signal.SIGINT
_unanswered = False


def listen(number: signal.Signals) -> None:
    """Raise KeyboardInterrupt at SIGINT, what is derived from it at another, until `answered` is called.

    A signal that the shell told the program to ignore, as for jobs in the background, stays ignored.
    """
    if signal.getsignal(number) in (signal.default_int_handler, signal.SIG_DFL):
        sys.unraisablehook = _report
        signal.signal(number, _interrupt)


def number_of(interruption: KeyboardInterrupt) -> signal.Signals:
    """The signal that an interruption came of."""
    return next((number for number, kind in _KINDS.items() if type(interruption) is kind), signal.SIGINT)


def answered() -> None:
    """The interruption has arrived: do not raise it again."""
    global _unanswered
    came, _unanswered = _unanswered, False
    if came and hasattr(signal, "setitimer"):  # a timer of others goes on
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def interruption() -> KeyboardInterrupt | None:
    """The interruption that came and was not answered: libraries make other errors of it."""
    return _KINDS[_pending]() if _unanswered else None


@contextmanager
def hold_interruptions() -> Iterator[None]:
    """Let interruptions wait until the end of the block, where they are raised.

    Python runs signal handlers in the main thread alone: in others there is nothing to hold.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    numbers = [*SIGNALS, *([signal.SIGALRM] if hasattr(signal, "SIGALRM") else [])]
    try:
        with ExitStack() as stack:  # which goes on with the next handler if the last one interrupts it
            for number in numbers:
                handler = signal.getsignal(number)
                if handler not in (None, signal.SIG_IGN):
                    stack.callback(signal.signal, number, handler)
                    signal.signal(number, lambda number, frame: came.append(number))
            yield
    finally:
        for late in dict.fromkeys(came):
            signal.raise_signal(late)


def _interrupt(number: int, frame: Any) -> NoReturn:
    global _pending, _unanswered
    _unanswered = True
    if number in _KINDS:
        _pending = signal.Signals(number)
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _interrupt)
        signal.setitimer(signal.ITIMER_REAL, AGAIN)
    raise _KINDS[_pending]


def _report(unraisable: sys.UnraisableHookArgs) -> None:
    """Say what was dropped, but for interruptions: those come again."""
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
