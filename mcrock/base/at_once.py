"""Results before the compiler is done: in plain Python, while another process compiles.

The other process does the same work, which leaves what it compiled in the cache, and ends with this one at
the latest; what it had compiled by then stays. Results are those of compiled code to the last bit.
"""

from __future__ import annotations

import atexit
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from threading import Thread, local
from time import monotonic
from types import TracebackType
from typing import Any

import numpy as np

from mcrock.base.arithmetic import contracts
from mcrock.base.code_cache import LOADING, ROOT, NotCompiled, cache_folder
from mcrock.base.compilation import compiles_first, told_if_long
from mcrock.base.uncompiled import Abandoned, uncompiled

PATIENCE = 10.0  # with plain Python, before the compiler is waited for [s]
LOCK = "compiling.lock"  # in the cache: one process compiles behind others

CHILD = """
import os, pickle, sys, threading
def end_with_parent():
    sys.stdin.buffer.read()
    os._exit(1)
function, arguments = pickle.load(sys.stdin.buffer)
threading.Thread(target=end_with_parent, daemon=True).start()
try:
    function(*arguments)
except ValueError:  # which the other process words
    pass
os._exit(0)  # else the thread that reads is an error at exit
"""
_limit = local()  # of the work that a thread does in plain Python
_behind: list[subprocess.Popen[bytes]] = []  # the process that compiles, or compiled last


def at_once(function: Callable[..., Any], *arguments: Any) -> Any:
    """Result of a function without a long wait for its compilation.

    Parameters
    ----------
    function : callable
        Of a module, and by itself not compiled; it changes none of its arguments.
    arguments
        They can be pickled.
    """
    if compiles_first() or contracts() or os.name != "posix":
        return function(*arguments)
    try:
        LOADING.alone = True
        return function(*arguments)
    except NotCompiled:
        pass
    finally:
        LOADING.alone = False
    try:
        process = _compile_behind(function, arguments)
    except OSError:  # nothing can be kept: all would start anew at each call
        return function(*arguments)
    with suppress(Abandoned, ArithmeticError, OSError):
        try:
            _limit.process, _limit.time = process, monotonic() + PATIENCE
            with np.errstate(all="ignore"):  # as in compiled code
                return _plain(function)(*arguments)
        except (
            ValueError
        ) as error:  # a mistake in the input, or one of mathematics, which is none when compiled
            if _raised_in(error.__traceback__) == function.__code__.co_filename:
                raise
    if process is not None:
        with told_if_long():
            process.wait()
    return function(*arguments)


@cache
def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    return uncompiled(function, _check)


def _check() -> None:
    """Give up plain Python when compiled code is there, or after a while."""
    ended = _limit.process is not None and _limit.process.returncode is not None
    if ended or monotonic() > _limit.time:
        raise Abandoned


def _raised_in(traceback: TracebackType | None) -> str:
    """File in which an error was raised."""
    name = ""
    while traceback is not None:
        name, traceback = traceback.tb_frame.f_code.co_filename, traceback.tb_next
    return name


def _compile_behind(
    function: Callable[..., Any], arguments: tuple[Any, ...]
) -> subprocess.Popen[bytes] | None:
    """The process that compiles, started if none does; None if another program has one or it has failed.

    Raises
    ------
    OSError
        If the cache cannot be written to.
    """
    if _behind and _behind[0].returncode != 0:
        return _behind[0] if _behind[0].returncode is None else None
    process = start_process(LOCK, function, arguments)
    if process is not None:
        _behind[:] = [process]
    return process


def start_process(
    lock_name: str, function: Callable[..., Any], arguments: tuple[Any, ...]
) -> subprocess.Popen[bytes] | None:
    """A process that calls a function and ends with this one at the latest; None if another has the lock.

    Parameters
    ----------
    lock_name : str
        File in the cache that the process locks until it ends.
    function : callable
        Of a module.
    arguments : tuple
        They can be pickled.

    Raises
    ------
    OSError
        If the cache cannot be written to.
    """
    import fcntl  # of POSIX

    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / lock_name).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return None
        path = os.pathsep.join(filter(None, [str(ROOT.parent), os.environ.get("PYTHONPATH")]))
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", CHILD],  # -P: imports nothing from the current folder
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[lock.fileno()],  # it holds the lock to its end
            env=os.environ | {"PYTHONPATH": path},
            start_new_session=True,  # it does not hear of Ctrl-C
        )
    Thread(target=_attend, args=(process, pickle.dumps((function, arguments))), daemon=True).start()
    return process


def _attend(process: subprocess.Popen[bytes], work: bytes) -> None:
    """Tell a process what to do, and see it end, so that it is no zombie."""
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.write(work)
        process.stdin.flush()
    process.wait()
    with suppress(OSError):
        process.stdin.close()  # not before: its end is that of this process


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_behind.clear)


@atexit.register
def _end() -> None:
    for process in _behind:
        process.kill()
        process.wait()
