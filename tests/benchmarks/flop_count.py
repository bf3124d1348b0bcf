"""How many operations the kernel does: its source, uncompiled, with numbers that count.

    NUMBA_DISABLE_JIT=1 python -m tests.benchmarks.flop_count FILE.npz --members 4 --latencies ...

is what `tests.benchmarks.flops` starts. A number also knows when it is ready at the earliest: its own
operation after the last of the numbers it is made from. What is ready last at the end of a loop gives the
time that the longest chain of dependent operations takes, however many others run beside it.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import config

from mcrock import simulation
from mcrock.bench.workloads import amplitudes, block, inputs_of, strong_record
from mcrock.conditions import Controls
from mcrock.excitation import pack_motions
from mcrock.kernel import advance, integrate
from tests.benchmarks import flop_loops

KINDS = ("add", "multiply", "divide", "root", "trigonometry")
IMPACTS = 200  # of each kind, kept to be repeated
CONTROLS = Controls(recheck=0.0)

counts = dict.fromkeys(KINDS, 0)
latencies = dict.fromkeys(KINDS, 0.0)


class Counted(float):
    """A number whose arithmetic is counted, and when it is ready [ns]."""

    __slots__ = ("ready",)
    __array_ufunc__ = None  # numpy's numbers leave operations with it to it

    def __new__(cls, value: float, ready: float = 0.0) -> Counted:
        self = super().__new__(cls, value)
        self.ready = ready
        return self

    def __neg__(self) -> Counted:
        return Counted(-float(self), self.ready)

    def __abs__(self) -> Counted:
        return Counted(abs(float(self)), self.ready)

    def __pow__(self, power: int) -> Counted:
        if power != 2:
            raise ValueError(f"only squares are counted, got a power of {power}")
        return self * self


def ready(value: Any) -> float:
    """When a number is ready [ns]; constants are from the start."""
    return value.ready if isinstance(value, Counted) else 0.0


def noted(kind: str, value: float, *operands: Any) -> Counted:
    """The result of one operation."""
    counts[kind] += 1
    return Counted(value, max(map(ready, operands)) + latencies[kind])


def divided(a: float, b: float) -> float:
    """Division as compiled code does it."""
    return float(np.float64(a) / np.float64(b))


def _operator(kind: str, operate: Callable[[float, float], float]) -> tuple[Callable, Callable]:
    return (
        lambda self, other: noted(kind, operate(float(self), float(other)), self, other),
        lambda self, other: noted(kind, operate(float(other), float(self)), self, other),
    )


for _name, _kind, _operate in (
    ("add", "add", float.__add__),
    ("sub", "add", float.__sub__),
    ("mul", "multiply", float.__mul__),
    ("truediv", "divide", divided),
    ("mod", "divide", float.__mod__),
):
    _forward, _backward = _operator(_kind, _operate)
    setattr(Counted, f"__{_name}__", _forward)
    setattr(Counted, f"__r{_name}__", _backward)


def _function(kind: str, function: Callable[..., float]) -> Callable[..., Counted]:
    return lambda *x: noted(kind, float(function(*map(float, x))), *x)


def _uncounted(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x: function(float(x))


FUNCTIONS = {math.sqrt: _function("root", math.sqrt)}
for _f in (math.sin, math.cos, math.atan2, math.asin, math.acos):
    FUNCTIONS[_f] = _function("trigonometry", _f)


class Numpy:
    """numpy for the kernel: functions of one number are those of plain ones."""

    arctan2 = staticmethod(FUNCTIONS[math.atan2])
    isnan = staticmethod(_uncounted(np.isnan))
    isfinite = staticmethod(_uncounted(np.isfinite))
    ceil = staticmethod(_uncounted(np.ceil))

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


def count_functions() -> None:
    """Let the source of the kernel and of the loops call functions that count."""
    proxy = Numpy()
    for name, module in list(sys.modules.items()):
        if name.startswith(("mcrock.kernel", "mcrock.impact")) or module is flop_loops:
            for key, value in list(vars(module).items()):
                if value is np:
                    setattr(module, key, proxy)
                elif callable(value) and value in FUNCTIONS:
                    setattr(module, key, FUNCTIONS[value])


def counted(value: Any) -> Any:
    """Numbers, arrays and packs of numbers with ones that count; what is no float stays."""
    if isinstance(value, float):
        return Counted(value)
    if isinstance(value, np.ndarray) and value.dtype == float:
        array = np.empty(value.shape, object)
        array.flat = [Counted(x) for x in value.ravel().tolist()]
        return array
    if isinstance(value, tuple):
        items = map(counted, value)
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return value


class Kept:
    """Impacts of the counted runs: what went in, and how many operations each took."""

    def __init__(self) -> None:
        self.states: list[list[float]] = []
        self.places: list[tuple[int, ...]] = []
        self.pushes: list[tuple[float, ...]] = []
        self.counts: list[list[int]] = []

    def watch(self, function: Callable[..., Any], place: Callable[..., tuple], push: slice) -> Callable:
        """A function with the arguments (top, body, state, ...) that keeps its calls."""

        def watched(top: Any, body: Any, state: Any, *rest: Any) -> Any:
            before, was = list(counts.values()), [float(x) for x in state]
            found = function(top, body, state, *rest)
            if len(self.states) < IMPACTS:
                self.states.append(was)
                self.places.append(place(*rest))
                self.pushes.append(tuple(map(float, rest[push])))
                self.counts.append([a - b for a, b in zip(counts.values(), before, strict=True)])
            return found

        return watched

    def arrays(self, name: str) -> dict[str, np.ndarray]:
        """Everything by name."""
        return {
            f"{name}_states": np.array(self.states, float).reshape(-1, flop_loops.STATE_SIZE),
            f"{name}_places": np.array(self.places, np.int64).reshape(-1, 3),
            f"{name}_pushes": np.array(self.pushes, float).reshape(len(self.states), -1),
            f"{name}_counts": np.array(self.counts, float).reshape(-1, len(KINDS)).mean(0),
        }


class Calls:
    """Counts the calls of a function."""

    def __init__(self, module: Any, name: str) -> None:
        self.number, self.function = 0, getattr(module, name)
        setattr(module, name, self)

    def __call__(self, *arguments: Any) -> Any:
        self.number += 1
        return self.function(*arguments)


def count_piece(name: str) -> dict[str, Any]:
    """Operations of a round of a loop over one state, and its longest chain [ns]."""
    arguments = counted(flop_loops.pieces(1)[name])
    found = []
    for n in (10, 10):
        before = list(counts.values())
        getattr(flop_loops, name)(*arguments, n)
        chain = max(map(ready, arguments[2].flat))
        found.append((np.subtract(list(counts.values()), before) / n, chain))
    return {f"{name}_counts": found[1][0], f"{name}_chain": (found[1][1] - found[0][1]) / 10}


def count_runs(members: int) -> dict[str, Any]:
    """Operations of whole runs, their longest chains [ns] and the impacts in them."""
    edge, facet = Kept(), Kept()
    integrate.land_edge = edge.watch(integrate.land_edge, lambda *x: (x[2], x[3], 0), slice(5, 8))
    integrate.land_on_face = facet.watch(integrate.land_on_face, lambda *x: x[2:5], slice(0))
    calls = {name: Calls(advance, name) for name in ("vertex_step", "edge_step")}
    chains, before = [], list(counts.values())
    run, run_part = integrate.run, integrate.run_part

    def timed_run(*arguments: Any) -> None:
        run(*arguments)
        chains.append(max(map(ready, arguments[8].state)))

    integrate.run = timed_run
    simulation.run_part = lambda top, *rest: run_part(top, *map(counted, rest[:-1]), rest[-1])
    out = simulation.simulate_part(
        inputs_of(block(), amplitudes(members)), pack_motions([strong_record()[0]]), CONTROLS
    )
    return {
        "runs_counts": np.subtract(list(counts.values()), before),
        "runs_chain": sum(chains),
        **{name: out[name] for name in ("steps", "edge_impacts", "facet_impacts")},
        **{f"{name}_calls": call.number for name, call in calls.items()},
        **edge.arrays("edge"),
        **facet.arrays("facet"),
    }


def main() -> None:
    """Count everything into a file."""
    if not config.DISABLE_JIT:
        raise SystemExit("set NUMBA_DISABLE_JIT=1")
    parser = argparse.ArgumentParser(description="operations of the kernel")
    parser.add_argument("file")
    parser.add_argument("--members", type=int, required=True)
    parser.add_argument(
        "--latencies", type=float, nargs=len(KINDS), required=True, help="of " + ", ".join(KINDS)
    )
    options = parser.parse_args()
    latencies.update(zip(KINDS, options.latencies, strict=True))
    pieces = list(flop_loops.pieces(1))
    count_functions()
    found = [count_piece(name) for name in pieces]
    np.savez(
        options.file,
        **{key: value for part in (*found, count_runs(options.members)) for key, value in part.items()},
    )


if __name__ == "__main__":
    main()
