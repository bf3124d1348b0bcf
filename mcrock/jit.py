"""The one compiler decorator of the package.

No fastmath: event location needs signs and NaN, and results must not depend on how a compiler
reorders sums. numba does not see edits in imported files, so the cache folder carries a hash of
every compiled source file: an edited law never runs stale, and a warm start compiles nothing.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import numba
from platformdirs import user_cache_path

COMPILED = (
    "jit.py",
    "params.py",
    "counter.py",
    "impact",
    "kernel",
    "planar/integrate.py",
    "laws/chatterjee_ruina_1998.py",
    "excitation/response_spectra.py",
)


def source_hash() -> str:
    """Hash of all source that ends up in compiled code [16 hex digits]."""
    root = Path(__file__).parent
    digest = hashlib.sha256()
    for name in COMPILED:
        path = root / name
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            digest.update(file.relative_to(root).as_posix().encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


if not os.environ.get("NUMBA_CACHE_DIR"):
    numba.config.CACHE_DIR = str(user_cache_path("mcrock") / source_hash())


def jit(function: Callable | None = None, *, inline: bool = False, internal: bool = False) -> Callable:
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
    return numba.njit(
        nogil=True,
        error_model="numpy",
        cache=True,
        _nrt=False,
        forceinline=inline,
        no_cfunc_wrapper=True,
        no_cpython_wrapper=internal,
    )(function)
