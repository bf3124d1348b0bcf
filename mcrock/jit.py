"""The one compiler decorator of the package.

No fastmath: event location needs signs and NaN, and results must not depend on how a compiler
reorders sums. Products are contracted with sums into fused multiply-adds where the user asks for it
(`mcrock.arithmetic`). numba does not see edits in imported files, so the cache folder carries a hash of
every compiled source file: an edited law never runs stale, and a warm start compiles nothing. Of
files that declare codes together with words for people, the words are left out.
"""

from __future__ import annotations

import ast
import gc
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import event
from platformdirs import user_cache_path

from mcrock.arithmetic import contracts

COMPILED = (
    "jit.py",
    "params.py",
    "response.py",
    "counter.py",
    "impact",
    "kernel",
    "device/threads.py",
    "planar/columns.py",
    "planar/integrate.py",
    "laws/chatterjee_ruina_1998.py",
    "excitation/measures/response_spectra.py",
)
# of these the words do not count: a reworded long name or docstring recompiles nothing
WORDED = ("response.py", "impact/registry.py")


def source_hash() -> str:
    """Hash of all source that ends up in compiled code [16 hex digits]."""
    root = Path(__file__).parent
    digest = hashlib.sha256()
    for name in COMPILED:
        path = root / name
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            place = file.relative_to(root).as_posix()
            digest.update(place.encode())
            digest.update(_without_words(file.read_text()) if place in WORDED else file.read_bytes())
    return digest.hexdigest()[:16]


def _without_words(source: str) -> bytes:
    """Syntax tree of a source, with nothing in its strings: names, order and numbers are left."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.dump(tree).encode()


if not os.environ.get("NUMBA_CACHE_DIR"):
    numba.config.CACHE_DIR = str(user_cache_path("mcrock") / source_hash())  # type: ignore[attr-defined]
if contracts():  # numba does not tell compiled code of one setting from that of another
    numba.config.CACHE_DIR = str(Path(numba.config.CACHE_DIR) / "contracted")  # type: ignore[attr-defined]


class _Compilation(event.Listener):
    """Lets Python search for garbage less often while numba compiles: an eighth of its time went there."""

    depth = 0  # of functions compiled for their callers; numba holds its lock
    threshold = gc.get_threshold()

    def on_start(self, event: event.Event) -> None:
        if not self.depth:
            self.threshold = gc.get_threshold()
            gc.set_threshold(max(100_000, self.threshold[0]), 20, 20)
        self.depth += 1

    def on_end(self, event: event.Event) -> None:
        self.depth -= 1
        if not self.depth:
            gc.set_threshold(*self.threshold)


event.register("numba:compile", _Compilation())  # type: ignore[no-untyped-call]


def jit(
    function: Callable[..., Any] | None = None, *, inline: bool = False, internal: bool = False
) -> Callable[..., Any]:
    """Compile in nopython mode, without the GIL, cached on disk.

    The run-time of numba that counts references to arrays is left out: compiled code here allocates
    nothing (it would not compile), and counting took a third of the time.

    Parameters
    ----------
    inline : bool
        Always part of the caller: for small functions of inner loops and for large ones with one
        caller. A call passes every array of a pack by itself, which costs as much as a right-hand
        side.
    internal : bool
        Called from compiled code only; a call from Python would crash. What unpacks Python objects
        takes longer to compile than most functions.
    """
    if function is None:
        return lambda decorated: jit(decorated, inline=inline, internal=internal)
    options: dict[str, Any] = {
        "nogil": True,
        "error_model": "numpy",
        "fastmath": {"contract"} if contracts() else False,
        "cache": True,
        "_nrt": False,
        "forceinline": inline,
        "no_cfunc_wrapper": True,
        "no_cpython_wrapper": internal,
    }
    return numba.njit(**options)(function)
