"""Where runs are computed: on a processor, or on a GPU through numba-cuda.

Importing this loads nothing of CUDA.
"""

from __future__ import annotations

import importlib.util

from mcrock.base.environment import CONTRACT, arithmetic, contracts

CPU, CUDA = DEVICES = "cpu", "cuda"


def is_simulated() -> bool:
    """Whether numba simulates a GPU: slow, and good for tests."""
    from numba import config

    return bool(config.ENABLE_CUDASIM)  # type: ignore[attr-defined]


def check_device(device: str) -> None:
    """Refuse a device that is not known or not there.

    Raises
    ------
    ValueError
        With what is missing.
    """
    if device not in DEVICES:
        raise ValueError(f"device must be one of {', '.join(DEVICES)}, got {device!r}")
    if device == CUDA and (why := missing_gpu()):
        raise ValueError(f"device cuda: {why}")
    if device == CUDA and contracts():
        raise ValueError(
            f"{CONTRACT} and --contract are for processors: a GPU fuses in any case, leave it out"
        )


def missing_gpu() -> str:
    """Why no GPU can be used here, empty where one can."""
    if not is_simulated() and importlib.util.find_spec("numba_cuda") is None:
        return "numba-cuda is not installed; pip install 'mcrock[cuda]'"
    from numba import cuda

    try:
        cuda.current_context()
    except Exception as error:  # of several kinds, by what is missing
        return (
            f"no GPU that CUDA can use is found on this machine: {' '.join(str(error).split()).rstrip(' :')}"
        )
    return "" if cuda.is_available() else "numba-cuda lacks a compiler; pip install 'mcrock[cuda]'"


def arithmetic_of(device: str) -> str | None:
    """How runs are computed on a device, as a store has it; None for plain arithmetic of a processor."""
    if device == CPU:
        return arithmetic()
    from importlib.metadata import version

    from numba import cuda

    compiler = "numba's simulator" if is_simulated() else f"numba-cuda {version('numba-cuda')}"
    major, minor = cuda.current_context().device.compute_capability
    return f"the arithmetic of a GPU of compute capability {major}.{minor}, by {compiler}"
