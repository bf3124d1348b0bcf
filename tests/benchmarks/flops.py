"""Operations of the kernel, how fast it does them, and how fast this machine could.

    python -m tests.benchmarks.flops [--members 4] [--repeat 7] [--output FILE.json]

Additions, multiplications, divisions and square roots are counted by running the source uncompiled with
numbers that count (`tests.benchmarks.flop_count`); each is one flop. Sines and their like are listed and are
none. The pieces of the kernel are timed in loops in which a round waits for the one before, and in loops
over many bodies in turn. The whole is the workload `record` of `mcrock bench`. Times are the best of
the rounds on one core: they are limits, and other load only adds to them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from math import nan
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, NamedTuple

import numba
import numpy as np

from mcrock.bench.machine import describe_machine, describe_versions
from mcrock.bench.workloads import amplitudes, block, inputs_of, strong_record
from mcrock.excitation import pack_motions
from mcrock.kernel.integrate import empty_workspace
from mcrock.kernel.record import RESULT_SIZE
from mcrock.simulation import Impact, body_tables, impact_law, settings_of, simulate_part
from mcrock.text.json_values import as_json
from tests.benchmarks import flop_loops
from tests.benchmarks.flop_count import CONTROLS, KINDS

SECONDS = 0.05  # least time of a measurement [s]
BODIES = 64  # of the loops over many
RUNS = 200  # of the workload
CHAINS = dict(zip(KINDS, ("add", "multiply", "divide", "root", "cosine"), strict=True))
VECTOR = 512  # numbers in the array of the loop over vectors
CONTRACTED = {"as written": False, "contracted": True}


class Row(NamedTuple):
    """A piece of the kernel.

    Attributes
    ----------
    name : str
    counts : ndarray (5,)
        Operations by `KINDS`.
    chain : float
        Time of its longest chain of dependent operations [ns], NaN where it is not known.
    waiting, streaming : float
        Time of a round that waits for the one before, and of one that does not [ns]; NaN where there is none.
    """

    name: str
    counts: np.ndarray
    chain: float
    waiting: float
    streaming: float

    @property
    def flops(self) -> float:
        """Additions, multiplications, divisions and square roots."""
        return float(self.counts[:4].sum())

    @property
    def gflops(self) -> float:
        """Flops over the time of a round as the kernel does it [Gflop/s]."""
        return self.flops / (self.streaming if np.isnan(self.waiting) else self.waiting)


def time_of(call: Callable[[int], Any], rounds: int, repeat: int) -> float:
    """Best time of one of the ``rounds`` that ``call(1)`` does [ns]."""
    call(1)  # compiles or loads
    n, spent = 1, 0.0
    while spent < SECONDS:
        n *= 4 if spent < SECONDS / 4 else 2
        began = process_time()
        call(n)
        spent = process_time() - began
    times = [spent]
    for _ in range(repeat):
        began = process_time()
        call(n)
        times.append(process_time() - began)
    return min(times) / (n * rounds) * 1e9


def measure_latencies(repeat: int) -> dict[str, float]:
    """Time of an operation that waits for the one before, by `KINDS` [ns]."""
    found = {}
    for kind, name in CHAINS.items():
        chain = numba.njit(getattr(flop_loops, f"{name}_chain"))
        found[kind] = time_of(lambda n, chain=chain: chain(0.77, 100 * n, 0.999999, 1.2345), 100, repeat)
    found["root"] -= found["add"]  # its chain adds too
    return found


def measure_peaks(repeat: int) -> dict[str, dict[str, float]]:
    """Multiply-adds of numbers and of vectors, as written and contracted to one operation [Gflop/s]."""
    loops = {
        "scalar": [(flop_loops.scalar_multiply_adds, flop_loops.SCALAR_FLOPS)],
        "vector": [
            (flop_loops.short_vector_multiply_adds, 2 * flop_loops.FEW * VECTOR),
            (flop_loops.long_vector_multiply_adds, 2 * flop_loops.MANY * VECTOR),
        ],
    }
    return {
        name: {
            words: max(flops / time_multiply_adds(loop, contract, repeat) for loop, flops in both)
            for words, contract in CONTRACTED.items()
        }
        for name, both in loops.items()
    }


def time_multiply_adds(loop: Callable[..., Any], contract: bool, repeat: int) -> float:
    """Time of a round of a loop of multiply-adds [ns]."""
    compiled = numba.njit(fastmath={"contract"} if contract else False)(loop)
    x = np.linspace(0.1, 0.9, VECTOR)
    return time_of(lambda n: compiled(x, 100 * n, 0.999999, 1e-7), 100, repeat)


def count(members: int, latencies: dict[str, float]) -> dict[str, np.ndarray]:
    """What `tests.benchmarks.flop_count` finds, in a process that does not compile."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "counts.npz"
        command = [sys.executable, "-W", "ignore", "-m", "tests.benchmarks.flop_count", str(file)]
        command += ["--members", str(members), "--latencies", *(str(latencies[kind]) for kind in KINDS)]
        subprocess.run(command, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, check=True)
        return dict(np.load(file))


def time_pieces(counted: dict[str, np.ndarray], repeat: int) -> list[Row]:
    """Right-hand side and steps in loops over one state and over many."""
    names = {
        "right_hand_sides": "right-hand side (VERTEX), with its use",
        "vertex_steps": "Runge-Kutta step (VERTEX)",
        "edge_steps": "Runge-Kutta step (EDGE)",
    }
    rows = []
    for piece, name in names.items():
        loop, one, many = getattr(flop_loops, piece), *(flop_loops.pieces(n)[piece] for n in (1, BODIES))
        waiting = time_of(lambda n, f=loop, x=one: f(*x, n), 1, repeat)
        streaming = time_of(lambda n, f=loop, x=many: f(*x, n), BODIES, repeat)
        chain = float(counted[f"{piece}_chain"])
        rows.append(Row(name, counted[f"{piece}_counts"], chain, waiting, streaming))
    return rows


def time_impacts(counted: dict[str, np.ndarray], repeat: int) -> list[Row]:
    """Impacts of the counted runs once more, one after the other."""
    top, body = body_tables(block(), True)
    work, result = empty_workspace(top), np.zeros(RESULT_SIZE)
    zeno = settings_of(CONTROLS).edge_zeno_time
    law = impact_law(Impact(), len(top.face_first) - 1)
    edge = counted["edge_states"], counted["edge_places"], counted["edge_pushes"]
    facet = counted["facet_states"], counted["facet_places"]
    timed = {
        "edge": lambda n: flop_loops.edge_impacts(top, body, *edge, work.state, result, law, zeno, n),
        "facet": lambda n: flop_loops.facet_impacts(
            top, body, *facet, work.state, result, law, work.sides, n
        ),
    }
    return [
        Row(
            f"{name} impact, mean of {len(counted[f'{name}_states'])}",
            counted[f"{name}_counts"],
            nan,
            nan,
            time_of(call, len(counted[f"{name}_states"]), repeat),
        )
        for name, call in timed.items()
    ]


def time_runs(counted: dict[str, np.ndarray], members: int, repeat: int) -> Row:
    """The counted runs compiled, as often as makes `RUNS`."""
    pack = pack_motions([strong_record()[0]])
    inputs = inputs_of(block(), np.resize(amplitudes(members), RUNS - RUNS % members))
    steps = simulate_part(inputs, pack, CONTROLS)["steps"]
    if not np.array_equal(steps[:members], counted["steps"]):
        raise SystemExit(
            f"the counted runs are not the compiled ones: {counted['steps'].sum()} steps, compiled "
            f"{steps[:members].sum()}"
        )
    total = int(counted["steps"].sum())
    took = time_of(
        lambda n: [simulate_part(inputs, pack, CONTROLS) for _ in range(n)], int(steps.sum()), repeat
    )
    return Row(
        "step of the record, with its events",
        counted["runs_counts"] / total,
        float(counted["runs_chain"]) / total,
        took,
        nan,
    )


def number(value: float, digits: int = 0) -> str:
    """A number, a dash for NaN."""
    return "-" if np.isnan(value) else f"{value:,.{digits}f}"


def word(found: dict[str, Any], rows: list[Row]) -> str:
    """Tables and what bounds the speed, in Markdown."""
    lines = [
        "| piece | + - | x | / | sqrt | sin, cos | flops | longest chain [ns] | one waits for the other [ns] "
        "| many in turn [ns] | Gflop/s |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        digits = 0 if np.allclose(row.counts, np.round(row.counts)) else 1
        cells = [row.name, *(number(count, digits) for count in row.counts), number(row.flops)]
        cells += [number(time, 1) for time in (row.chain, row.waiting, row.streaming)]
        lines.append(f"| {' | '.join([*cells, number(row.gflops, 1)])} |")
    lines += ["", f"| multiply-adds of this machine [Gflop/s] | {' | '.join(CONTRACTED)} |", "|---|---|---|"]
    for name, key in (("single numbers", "scalar"), ("vectors", "vector")):
        lines.append(f"| {name} | {' | '.join(number(x, 1) for x in found['peaks'][key].values())} |")
    return "\n".join([*lines, "", *format_bounds(found, rows)])


def format_bounds(found: dict[str, Any], rows: list[Row]) -> list[str]:
    """What is behind the figures."""
    scalar, vector = (found["peaks"][name]["as written"] for name in ("scalar", "vector"))
    _, vertex, edge, edge_hit, facet_hit, run = rows
    counted = found["counted"]
    share = {name: value / counted["steps"] for name, value in counted.items()}
    explained = (
        share["vertex_step_calls"] * vertex.waiting
        + share["edge_step_calls"] * edge.waiting
        + share["edge_impacts"] * edge_hit.streaming
        + share["facet_impacts"] * facet_hit.streaming
    )
    waits = ", ".join(f"{found['latencies'][kind]:.2f} ns ({name})" for kind, name in CHAINS.items())
    steps = "{vertex_step_calls:.2f} Runge-Kutta steps in VERTEX and {edge_step_calls:.2f} in EDGE mode"
    impacts = "{edge_impacts:.2f} edge impacts and {facet_impacts:.2f} facet impacts"
    return [
        f"An operation that waits for the one before takes {waits}.",
        f"A step of the record ({found['records']}) has {f'{steps}, {impacts}'.format(**share)}, which "
        f"take about {explained:.0f} of its {run.waiting:.0f} ns.",
        f"A Runge-Kutta step in VERTEX mode takes {vertex.waiting:.0f} ns: at the rate of single numbers its "
        f"operations would take {vertex.flops / scalar:.0f} ns, but the longest chain of those that wait for "
        f"each other takes {vertex.chain:.0f} ns, and many bodies in turn fill few of the waits "
        f"({vertex.streaming:.0f} ns).",
        f"On the record the kernel does {run.gflops:.1f} Gflop/s, {run.gflops / scalar:.0%} of what this "
        f"machine reaches with single numbers and {run.gflops / vector:.0%} with vectors.",
    ]


def measure(members: int, repeat: int) -> tuple[dict[str, Any], list[Row]]:
    """All figures by name, and the rows of the table."""
    latencies = measure_latencies(repeat)
    counted = count(members, latencies)
    rows = [
        *time_pieces(counted, repeat),
        *time_impacts(counted, repeat),
        time_runs(counted, members, repeat),
    ]
    totals = ("steps", "vertex_step_calls", "edge_step_calls", "edge_impacts", "facet_impacts")
    return {
        "machine": describe_machine(),
        "versions": describe_versions(),
        "records": strong_record()[1],
        "members": members,
        "latencies": latencies,
        "peaks": measure_peaks(repeat),
        "counted": {name: int(counted[name].sum()) for name in totals},
        "rows": [{**row._asdict(), "flops": row.flops, "gflops": row.gflops} for row in rows],
    }, rows


def main() -> None:
    """Count, time, print and write."""
    parser = argparse.ArgumentParser(description="operations of the kernel and their speed")
    parser.add_argument("--members", type=int, default=4, help=f"runs that are counted, 1 to {RUNS}")
    parser.add_argument("--repeat", type=int, default=7, help="rounds of which the best counts")
    parser.add_argument("--output", "-o", type=Path, help="JSON file of all figures")
    options = parser.parse_args()
    if not 1 <= options.members <= RUNS:
        parser.error(f"--members must be 1 to {RUNS}, got {options.members}")
    if options.repeat < 1:
        parser.error(f"--repeat must be at least 1, got {options.repeat}")
    found, rows = measure(options.members, options.repeat)
    print(word(found, rows))
    if options.output:
        options.output.write_text(json.dumps(as_json(found), indent=1, allow_nan=False) + "\n")


if __name__ == "__main__":
    main()
