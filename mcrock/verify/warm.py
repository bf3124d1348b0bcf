"""Code compiled before it is needed: into the cache of the user, or for a wheel.

What is compiled is what small pieces of work need, with whatever signatures that takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryFile
from time import perf_counter
from typing import NamedTuple

import numba
import numpy as np
from numba.core import event

from mcrock.base.compiled_code import CodeCache, cache_folder, cores
from mcrock.base.environment import shipped
from mcrock.body import Body, cuboid
from mcrock.excitation import Motion, pack_motions
from mcrock.excitation.response_spectra import response_spectrum
from mcrock.impact.conditions import Contact, Controls, Start
from mcrock.planar import planar_block, velocity_ratios
from mcrock.planar.simulation import block_rows, run_many, simulate_planar
from mcrock.simulation.runs import simulate, simulate_part
from mcrock.study import load_config
from mcrock.study.sampling import draw_inputs

T_END = 0.1  # of single runs [s]
SWING = np.sin(np.linspace(0.0, 2.0 * np.pi, 11))  # of the ground, in both directions [m/s2]
SHAKING = Motion(np.stack([SWING, -SWING, 0.0 * SWING]), dt=0.01, name="swing")


def _block() -> Body:
    return cuboid(0.4, 0.4, 1.6, 2700.0)


def _study(*overrides: str) -> None:
    study = load_config(shipped("configs") / "quickstart.toml", overrides).at_intensities([3.0])
    inputs = draw_inputs(study, [SHAKING], 0, 1)
    simulate_part(inputs, pack_motions([SHAKING]), study.controls)


def _without_friction() -> None:
    _study()
    for t_end in (T_END, None):
        simulate(_block(), start=Start(edge=0, tilt=0.1), controls=Controls(tail=T_END), t_end=t_end)


def _with_friction() -> None:
    _study("contact.friction=0.5")
    contact = Contact(friction=0.5)
    for start in (Start(edge=0, tilt=0.1), Start(velocity=(0.1, 0.0, 0.0)), Start(position=(0.0, 0.0, 2.0))):
        simulate(_block(), contact=contact, start=start, t_end=T_END)


def _others() -> None:
    flat, first = planar_block(_block()), np.zeros(1, np.int64)
    rows = block_rows([flat], [velocity_ratios(flat, "housner_1963")])
    run_many(rows, pack_motions([SHAKING]), first, first, np.ones(1), Controls(), workers=1)
    simulate_planar(flat, tilt=0.1, t_end=T_END)
    response_spectrum(np.zeros(2), 0.01, [1.0])


WITH_FRICTION = "the kernel with friction"
WORK: dict[str, Callable[[], None]] = {  # the longest first
    WITH_FRICTION: _with_friction,
    "the kernel without friction": _without_friction,
    "planar blocks and response spectra": _others,
}


class Warmth(NamedTuple):
    """Compilation of some code: what was compiled, and how long it took."""

    name: str  # of `WORK`
    compiled: int  # functions compiled now; 0 if all was in the cache
    seconds: float  # to compile or to load it [s]


def warm(names: Sequence[str], collect: Path | None = None) -> Iterator[Warmth]:
    """Compile what some work needs, unless the cache has it, in as many processes as there are cores.

    Parameters
    ----------
    names : sequence of str
        Of `WORK`.
    collect : Path, optional
        Folder to which all code is copied that Python calls.

    Raises
    ------
    ValueError
        If numba is told not to compile, or the cache cannot be written to.
    """
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        raise ValueError("NUMBA_DISABLE_JIT is set, so nothing is compiled; unset it")
    cache = cache_folder()
    try:
        cache.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=cache).close()
    except OSError as error:
        raise ValueError(
            f"{cache} cannot be written to ({error.strerror}): set NUMBA_CACHE_DIR to another folder"
        ) from None
    workers = min(len(names), cores())
    # a process for each: what one has loaded, the next would not ask the cache for
    with ProcessPoolExecutor(workers, get_context("spawn"), max_tasks_per_child=1) as pool:
        for done in as_completed([pool.submit(_warm_one, name, collect) for name in names]):
            yield done.result()


def _warm_one(name: str, collect: Path | None) -> Warmth:
    CodeCache.collected = collect
    began, compiled = perf_counter(), event.RecordingListener()  # type: ignore[no-untyped-call]
    with event.install_listener("numba:compile", compiled):
        WORK[name]()
    return Warmth(name, len(compiled.buffer) // 2, perf_counter() - began)


def compile_for_wheel(folder: Path) -> None:
    """Fill a folder with all code that Python calls, by way of the cache.

    Raises
    ------
    RuntimeError
        If the second pass compiles something: it would not be in the folder.
    """
    names = list(WORK)
    list(warm(names))
    missing = [found for found in warm(names, folder) if found.compiled]
    if missing:
        raise RuntimeError(f"compiled code is not found again: {missing}")
