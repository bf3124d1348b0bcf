"""A long compilation on two cores: another process leaves parts of it in the cache for this one."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from subprocess import Popen
from time import sleep
from typing import Any

from numba import typeof

from mcrock.base.at_once import start_process
from mcrock.base.code_cache import LOADING, CodeCache, NotCompiled, cache_folder

LOCK = "two_cores.lock"  # in the cache, with the number of the part in work: one process is helped at a time


def call_with_help(
    function: Callable[..., Any],
    arguments: Mapping[str, Any],
    parts: Callable[[], Sequence[Callable[..., Any]]],
    examples: Mapping[str, Any],
) -> None:
    """Call a function; if it is to be compiled first, another process compiles parts of it meanwhile.

    Parameters
    ----------
    function : callable
        Compiled by `mcrock.base.jit`, or plain Python.
    arguments : mapping of str
        Its arguments in their order, by the names of its parameters.
    parts : callable
        Gives functions that it calls, directly or not, from the one that it comes to last; of a module.
    examples : mapping of str
        Values of the parameters of these parts that are none of the arguments, by name: their types count.
    """
    # another process would not have this one's cache without POSIX, nor a core to itself
    if LOADING.alone or os.name != "posix" or cores() < 2 or not hasattr(function, "overloads"):
        function(*arguments.values())
        return
    try:
        LOADING.alone = True
        function(*arguments.values())
        return
    except NotCompiled:
        pass
    finally:
        LOADING.alone = False
    given = {**arguments, **examples}
    kinds = {name: typeof(value) for name, value in given.items()}  # type: ignore[no-untyped-call]
    process = None
    with suppress(OSError):  # of a cache that cannot be written to
        process = start_process(LOCK, compile_parts, (parts, kinds))
    if process is None:
        function(*arguments.values())
        return
    names = [(part.__module__, part.__name__) for part in parts()]
    try:
        CodeCache.awaited = lambda part: _wait(process, names, (part.__module__, part.__name__))
        function(*arguments.values())
    finally:
        CodeCache.awaited = None
        process.kill()


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def compile_parts(parts: Callable[[], Sequence[Any]], kinds: Mapping[str, Any]) -> None:
    """Compile functions for the types of their parameters, by name, and note which one is in work."""
    for number, part in enumerate(parts()):
        (cache_folder() / LOCK).write_text(str(number))
        part.compile(tuple(kinds[name] for name in inspect.signature(part).parameters))


def _wait(process: Popen[bytes], names: Sequence[tuple[str, str]], part: tuple[str, str]) -> bool:
    """Whether a part may be in the cache now: the other process had begun it and was waited for."""
    if part not in names:
        return False
    waited = False
    while process.returncode is None and _in_work() == names.index(part):
        waited = True
        sleep(0.05)
    return waited


def _in_work() -> int:
    """Number of the part that the other process compiles; -1 before the first."""
    with suppress(OSError, ValueError):
        return int((cache_folder() / LOCK).read_text())
    return -1
