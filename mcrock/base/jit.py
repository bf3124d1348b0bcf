"""The one compiler decorator of the package.

No fastmath: event location needs signs and NaN, and results must not depend on how a compiler
reorders sums. Products are contracted with sums into fused multiply-adds where the user asks for it
(`mcrock.base.environment`). Compiled code is kept on disk (`mcrock.base.compiled_code`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numba

from mcrock.base.compiled_code import CodeCache, InnerCompiler, watch_compiler
from mcrock.base.environment import contracts

watch_compiler()
# numba would take settings from a file of the current folder, among them programs and what changes numbers
numba.core.config._config_fname = ""
numba.core.config.reload_config()  # type: ignore[no-untyped-call]


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
        "_nrt": False,
        "forceinline": inline,
        "no_cfunc_wrapper": True,
        "no_cpython_wrapper": internal,
        "pipeline_class": InnerCompiler if internal else numba.core.compiler.Compiler,
    }
    compiled = numba.njit(**options)(function)
    if compiled is not function:  # NUMBA_DISABLE_JIT is not set
        compiled._cache = CodeCache(function)  # what enable_caching() of a dispatcher does
    return compiled


def by_code(names: dict[str, Any], head: str, calls: Mapping[int, str], otherwise: str) -> Any:
    """Compiled function of a module with a branch for each code, whose text is its docstring.

    Codes are constants to the compiler, and the function is part of its caller, as if it were written out.

    Parameters
    ----------
    names : dict
        All of the module.
    head : str
        ``name(code, ...)``.
    calls : mapping of int to str
        What it returns by code.
    otherwise : str
        What it returns for every other code.
    """
    branches = [f"    if code == {code}:\n        return {call}" for code, call in calls.items()]
    text = "\n".join(
        ["@jit(inline=True, internal=True)", f"def {head}:", *branches, f"    return {otherwise}"]
    )
    exec(compile(text, names["__file__"], "exec"), names)
    made = names[head.partition("(")[0]]
    made.__doc__ = text
    return made
