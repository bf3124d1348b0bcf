"""The kernel compiled into the cache before it is needed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numba
import numpy as np

from mcrock.bench.workloads import block, inputs_of
from mcrock.conditions import Contact, Controls, Start
from mcrock.excitation import STILL
from mcrock.excitation.measures.response_spectra import response_spectrum
from mcrock.kernel.integrate import run, run_part
from mcrock.simulation import simulate, simulate_part

TAIL = 0.1  # of the runs that make the kernel compile [s]


class Warmth(NamedTuple):
    """How the kernel came to be compiled."""

    compiled: bool  # now; else it was in the cache
    seconds: float  # to compile or to load it [s]
    cache: Path  # folder of compiled code


def warm_kernel(friction: bool) -> Warmth:
    """Compile the kernel, of studies and of single runs, and response spectra, unless the cache has them.

    Parameters
    ----------
    friction : bool
        Whether that with friction or that of contacts that stick.

    Raises
    ------
    ValueError
        If numba is told not to compile, or cannot write to the folder that it is told to use.
    """
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        raise ValueError("NUMBA_DISABLE_JIT is set, so nothing is compiled; unset it")
    wanted = Path(numba.config.CACHE_DIR)  # type: ignore[attr-defined]
    found = Path(run_part.stats.cache_path)  # type: ignore[attr-defined]
    if wanted not in found.parents:
        raise ValueError(
            f"{wanted} cannot be written to, numba would use {found}: set NUMBA_CACHE_DIR to another folder"
        )
    contact = Contact(friction=0.5) if friction else Contact()
    values = contact.values()
    inputs = replace(inputs_of(block(), np.ones(1)), contact=None if values is None else values[None])
    began, before = perf_counter(), _compiled()
    simulate_part(inputs, STILL, Controls(tail=TAIL))
    simulate(block(), contact=contact, start=Start(edge=0, tilt=0.1), t_end=TAIL)
    response_spectrum(np.zeros(2), 0.01, [1.0])
    return Warmth(_compiled() > before, perf_counter() - began, wanted)


def _compiled() -> int:
    """Specializations of the kernel that this process did not find in the cache."""
    entries: list[Any] = [run, run_part]
    return sum(sum(entry.stats.cache_misses.values()) for entry in entries)
