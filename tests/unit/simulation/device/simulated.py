"""A small study on a GPU that numba simulates, as a program: what it leaves is looked at by its caller.

    python -m tests.unit.simulation.device.simulated STUDY STORE [KEY=VALUE ...]

Memory of a GPU holds anything before it is written: here NaN, and an index that no array has.
"""

import sys

import numpy as np
from numba import cuda
from numba.cuda.simulator import kernelapi

from mcrock.ensemble import run_study
from mcrock.study import load_config


def anything(shape, dtype):
    """An array of what must not be read."""
    kind = np.dtype(dtype).kind
    return np.full(shape, np.nan if kind == "f" else True if kind == "b" else 10**6, dtype)


if __name__ == "__main__":
    study, store, *overrides = sys.argv[1:]
    kernelapi.FakeCUDALocal.array = lambda self, shape, dtype: anything(shape, dtype)
    kernelapi.FakeCUDAShared.array = lambda self, shape, dtype: self._allocations.setdefault(
        dtype, anything(shape, dtype)
    )
    cuda.device_array = lambda shape, dtype: cuda.to_device(anything(shape, dtype))
    run_study(load_config(study, overrides), store, device="cuda", workers=2)
