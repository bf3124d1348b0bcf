"""While numba compiles, Python searches for garbage less often, and who waits is told."""

from __future__ import annotations

import gc
import multiprocessing
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Timer
from time import perf_counter

from numba.core import event

COMPILE_FIRST = "MCROCK_COMPILE_FIRST"  # environment variable: wait for the compiler, and in silence
SILENCE = 2.0  # in which nobody is told [s]


def compiles_first() -> bool:
    """Whether this process waits for the compiler, as tests do, and says nothing."""
    return bool(os.environ.get(COMPILE_FIRST))


@contextmanager
def told_if_long() -> Iterator[None]:
    """Say on the error stream, which notebooks show, that the compiler is waited for, then how long it took.

    Of worker processes that wait together the first one speaks.
    """
    if compiles_first() or not multiprocessing.current_process().name.endswith(("MainProcess", "-1")):
        yield
        return
    said, began = [], perf_counter()

    def say() -> None:
        said.append(True)
        _print("compiling for this processor, once for each version: one to three minutes")

    timer = Timer(SILENCE, say)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        if said:
            _print(f"the compiler took {perf_counter() - began:.0f} s")


def _print(message: str) -> None:
    print(f"mcrock: {message}", file=sys.stderr, flush=True)


class _Compilation(event.Listener):
    """Lets Python search for garbage less often while numba compiles: an eighth of its time went there."""

    depth = 0  # of functions compiled for their callers; numba holds its lock
    threshold = gc.get_threshold()

    def on_start(self, event: event.Event) -> None:
        if not self.depth:
            self.threshold = gc.get_threshold()
            gc.set_threshold(max(100_000, self.threshold[0]), 20, 20)
            self.telling = told_if_long()
            self.telling.__enter__()
        self.depth += 1

    def on_end(self, event: event.Event) -> None:
        self.depth -= 1
        if not self.depth:
            gc.set_threshold(*self.threshold)
            self.telling.__exit__(None, None, None)


@cache
def watch_compiler() -> None:
    """From now on, whenever numba compiles."""
    event.register("numba:compile", _Compilation())  # type: ignore[no-untyped-call]
