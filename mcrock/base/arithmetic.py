"""What the bits of a result depend on besides its source and inputs: how arithmetic is done.

Stores record it, unless it is the plain arithmetic of a processor, in the attribute `arithmetic`: runs of two
kinds never meet in one store.
"""

from __future__ import annotations

import hashlib
import os
from functools import cache

CONTRACT = "MCROCK_CONTRACT"  # environment variable
PLAIN = "the plain arithmetic of a processor"


@cache
def contracts() -> bool:
    """Whether the kernel of this process is compiled with fused multiply-add: as the first call finds it.

    Raises
    ------
    ValueError
        If the environment variable is neither 0 nor 1.
    """
    value = os.environ.get(CONTRACT) or "0"
    if value not in ("0", "1"):
        raise ValueError(f"the environment variable {CONTRACT} must be 0 or 1, got {value!r}")
    return value == "1"


def contract() -> None:
    """Have the kernel compiled with fused multiply-add, here and in all processes that this one starts.

    Raises
    ------
    ValueError
        If this process has loaded the kernel without.
    """
    if contracts.cache_info().currsize and not contracts():
        raise ValueError(f"the kernel is loaded already, without contraction: start Python with {CONTRACT}=1")
    os.environ[CONTRACT] = "1"


def arithmetic() -> str | None:
    """How the kernel of this process computes; None for plain arithmetic.

    Which multiplications and additions are fused is the choice of a compiler for a kind of processor, so both
    are named.
    """
    if not contracts():
        return None
    from llvmlite.binding import llvm_version_info
    from numba.core.registry import cpu_target

    _, processor, features = cpu_target.target_context.codegen().magic_tuple()
    digest = hashlib.blake2b(str(features).encode(), digest_size=4).hexdigest()
    version = ".".join(map(str, llvm_version_info))
    return f"fused multiply-add, by LLVM {version} for {processor} with features {digest}"
