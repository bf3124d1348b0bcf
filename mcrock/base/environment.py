"""The installed package and the process that runs it.

The package: its version, the files that come with it to be copied, and names that are imported when they
are first used. The process: how its arithmetic is done, which decides the last bits of a result, and the
memory that it takes.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path


@cache
def mcrock_version() -> str:
    """Version of the installed package; ``0+unknown`` in a checkout that is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # half of the time of `import mcrock`

    try:
        return version("mcrock")
    except PackageNotFoundError:
        return "0+unknown"


def shipped(folder: str) -> Path:
    """A folder of shipped files: in the installed package, else at the root of the checkout."""
    package = Path(__file__).parents[1]
    return package / folder if (package / folder).is_dir() else package.parent / folder


SOURCE = Path(__file__).parents[2]


def homes_of(file: str) -> dict[str, str]:
    """Module that each name comes from which the source of a package imports before ``__all__``, indented."""
    head = Path(file).read_text(encoding="utf-8").partition("\n__all__")[0]
    found = re.findall(r"^    from (mcrock[\w.]*) import (\([^)]*\)|.*)$", head, re.MULTILINE)
    return {name: module for module, names in found for name in re.findall(r"\w+", names)}


def is_module(name: str) -> bool:
    """Whether a dotted name is that of a module of mcrock, by its files."""
    place = SOURCE / name.replace(".", "/")
    return place.is_dir() or place.with_suffix(".py").is_file()


def imported_on_use(package: str, file: str) -> Callable[[str], object]:
    """``__getattr__`` of a package, by its ``__name__`` and ``__file__``."""
    homes = homes_of(file)

    def attribute(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        whole = f"{homes[name]}.{name}"
        value = import_module(whole) if is_module(whole) else getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return attribute


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


def peak_memory() -> float | None:
    """Largest memory this process has held so far [MiB]; None where the system does not tell.

    Linux keeps in ``ru_maxrss`` what the parent held when it started the process, so that there its
    own high-water mark is read instead.
    """
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return round(int(line.split()[1]) / 1024, 1)
    except OSError:
        pass
    try:
        import resource
    except ImportError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20, 1)
