"""What a rocking body does to its isolator: a block on a sprung mass in a plane, against a body without mass.

    python -m tests.benchmarks.isolators

mcrock shakes a body by the motion of its isolator alone. Here block and isolated mass move together: the base
pushes the block, and the block's inertia pushes the base. For isolators, pulses and blocks of several kinds
the weakest pulse that overturns is sought at mass ratios (block over all that the isolator carries) from 0,
and tilts and displacements under weaker pulses are compared. The equations are those of Lagrange for a base
displacement and a tilt, integrated by SciPy; an impact conserves the angular momentum of the block about its
new edge (Housner 1963) and the momentum of block and base together, as spring and damper give no impulse.

Vassiliou, M. F., Makris, N. (2012). Analysis of the rocking response of rigid blocks standing free on a
seismically isolated base. Earthquake Engineering and Structural Dynamics 41(2), 177-196.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import cos, pi, sin, tan
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from mcrock.base.params import STANDARD_GRAVITY

RATIOS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
FREQUENCIES = (0.3, 0.5, 0.8)  # of the isolator with all it carries [Hz]
DAMPING = 0.15
PULSES = ((0.5, 3), (1.0, 1), (1.0, 3), (2.0, 1))  # period [s], and how many of it
RADII = (0.5, 1.5, 4.0)  # [m]
SLENDERNESS = (0.15, 0.3)  # [rad]
STEPS = np.geomspace(1.05, 12.0, 18)  # amplitudes over the one that lifts an edge, until one overturns
HALVINGS = 6  # of the step that holds the weakest overturning
BELOW = (0.5, 0.7, 0.85)  # from the one that lifts an edge (0) to the weakest overturning (1)
REST = 1e-3  # angular velocity of rest over p [1]
AFTER = 12.0  # time that is followed after the pulse [s]


class Isolated(NamedTuple):
    """A rectangular block in a plane on an isolator."""

    radius: float  # [m]
    slenderness: float  # [rad]
    frequency: float  # of the isolator with all it carries [Hz]
    damping: float  # [1]
    ratio: float  # mass of the block over all that the isolator carries [1]

    @property
    def restitution(self) -> float:
        """Angular velocity after an impact over that before."""
        lost = self.ratio * cos(self.slenderness) ** 2
        return (4 / 3 - 2 * sin(self.slenderness) ** 2 - lost) / (4 / 3 - lost)

    def force(self, u: float, v: float) -> float:
        """Of spring and damper on all that moves, over its mass [m/s2]."""
        omega = 2 * pi * self.frequency
        return -2 * self.damping * omega * v - omega**2 * u

    def accelerations(self, state: np.ndarray, side: int) -> tuple[float, float]:
        """Of the base in space [m/s2], and of the tilt [rad/s2], over the edge of a side, 0 at rest."""
        u, v, tilt, rate = state
        force = self.force(u, v)
        if side == 0:
            return force, 0.0
        angle = self.slenderness - abs(tilt)
        c, s, r = cos(angle), side * sin(angle), self.radius
        turning = (-STANDARD_GRAVITY * s - c * force + self.ratio * r * c * s * rate**2) / (
            r * (4 / 3 - self.ratio * c * c)
        )
        return force - self.ratio * r * (c * turning + s * rate**2), turning


class Motion(NamedTuple):
    """Largest tilt over the slenderness, largest displacement of the isolator [m], and whether it fell."""

    tilt: float
    displacement: float
    overturned: bool


def follow(system: Isolated, ground: Callable[[float], float], end: float, longest: float) -> Motion:
    """Motion from rest under an acceleration of the ground [m/s2] until `end`, in steps to `longest` [s]."""
    slow = REST * (3 * STANDARD_GRAVITY / (4 * system.radius)) ** 0.5
    lift = STANDARD_GRAVITY * tan(system.slenderness)
    state, time, side, peak, moved = np.zeros(4), 0.0, 0, 0.0, 0.0
    while time < end:

        def rates(t: float, y: np.ndarray, side: int = side) -> list[float]:
            base, turning = system.accelerations(y, side)
            return [y[1], base - ground(t), y[3], turning]

        def lands(t: float, y: np.ndarray, side: int = side) -> float:
            return side * y[2]

        def falls(t: float, y: np.ndarray) -> float:
            return pi / 2 - abs(y[2])

        def lifts(t: float, y: np.ndarray) -> float:
            return lift - abs(system.force(y[0], y[1]))

        events = [lands, falls] if side else [lifts]
        for event in events:
            event.terminal, event.direction = True, -1.0  # type: ignore[attr-defined]
        run = solve_ivp(
            rates, (time, end), state, events=events, rtol=1e-7, atol=1e-10, max_step=longest, method="DOP853"
        )
        time, state = float(run.t[-1]), run.y[:, -1].copy()
        peak, moved = max(peak, abs(run.y[2]).max()), max(moved, abs(run.y[0]).max())
        if run.status == 0:
            break
        if side and len(run.t_events[1]):
            return Motion(peak / system.slenderness, moved, True)
        if side == 0:
            side = -int(np.sign(system.force(state[0], state[1])))
            continue
        before, after = state[3], system.restitution * state[3]
        state[1] += system.ratio * system.radius * cos(system.slenderness) * (before - after)
        state[2:] = 0.0, after
        side = int(np.sign(after))
        if abs(after) < slow:
            state[3], side = 0.0, 0
            if abs(system.force(state[0], state[1])) >= lift:
                side = -int(np.sign(system.force(state[0], state[1])))
    return Motion(peak / system.slenderness, moved, abs(state[2]) > system.slenderness)


def under_pulse(system: Isolated, amplitude: float, period: float, cycles: int) -> Motion:
    """Motion under sines of the ground [m/s2] and after them."""

    def ground(t: float) -> float:
        return amplitude * sin(2 * pi * t / period) if t < cycles * period else 0.0

    return follow(system, ground, cycles * period + AFTER, period / 20)


def lifting(system: Isolated, period: float, cycles: int) -> float:
    """Amplitude of the pulse that just lifts an edge [m/s2]: the isolator is linear until then."""
    stiff = system._replace(slenderness=1.5)  # which nothing lifts
    t = np.arange(0, cycles * period + 2 / system.frequency, period / 400)

    def rates(t: float, y: np.ndarray) -> list[float]:
        push = sin(2 * pi * t / period) if t < cycles * period else 0.0
        return [y[1], stiff.force(y[0], y[1]) - push]

    run = solve_ivp(rates, t[[0, -1]], [0, 0], t_eval=t, rtol=1e-9, atol=1e-12, max_step=period / 20)
    return STANDARD_GRAVITY * tan(system.slenderness) / max(abs(stiff.force(*run.y)))


def weakest(system: Isolated, least: float, period: float, cycles: int) -> float:
    """Smallest amplitude that overturns [m/s2], among steps and then halvings; NaN if none does."""
    standing = least
    for step in STEPS:
        if under_pulse(system, step * least, period, cycles).overturned:
            fallen = step * least
            break
        standing = step * least
    else:
        return float("nan")
    for _ in range(HALVINGS):
        middle = (standing * fallen) ** 0.5
        if under_pulse(system, middle, period, cycles).overturned:
            fallen = middle
        else:
            standing = middle
    return fallen


def compare(
    light: Isolated, period: float, cycles: int, ratios: Sequence[float] = RATIOS
) -> tuple[float, list[float], list[list[Motion]]]:
    """The weakest overturning of a light body [m/s2], those of heavier ones over it, and motions below it.

    Motions are a list for each amplitude in `BELOW`, of the light body first.
    """
    least = lifting(light, period, cycles)
    alone = weakest(light, least, period, cycles)
    heavier = [light._replace(ratio=ratio) for ratio in ratios]
    weak = [weakest(one, least, period, cycles) / alone for one in heavier]
    top = alone if alone == alone else STEPS[-1] * least
    amplitudes = [least + part * (top - least) for part in BELOW]
    return (
        alone,
        weak,
        [[under_pulse(one, a, period, cycles) for one in (light, *heavier)] for a in amplitudes],
    )


def spread(values: np.ndarray) -> str:
    """Median, and where nine in ten are."""
    low, middle, high = np.nanquantile(values, [0.05, 0.5, 0.95])
    return f"{middle:.3f} ({low:.3f} to {high:.3f})"


def table() -> None:
    """Print, for each mass ratio, how the weakest overturning and the motions below it change."""
    weak, tilts, displacements = [], [], []
    for frequency, (period, cycles), radius, slenderness in product(FREQUENCIES, PULSES, RADII, SLENDERNESS):
        light = Isolated(radius, slenderness, frequency, DAMPING, 0.0)
        alone, row, motions = compare(light, period, cycles)
        weak.append(row)
        tilts += [[motion.tilt / first.tilt for motion in others] for first, *others in motions]
        displacements += [[m.displacement / first.displacement for m in others] for first, *others in motions]
        print(
            f"{frequency:g} Hz, {cycles} x {period:g} s, R {radius:g} m, {slenderness:g} rad: overturns at "
            f"{alone:.3g} m/s2; times",
            *(f"{x:.3f}" for x in row),
            flush=True,
        )
    print("\nover that of a light body, median (5 to 95 %):")
    print("mass ratio | weakest overturning; fraction weaker | peak tilt | isolator displacement")
    for k, ratio in enumerate(RATIOS):
        one, *others = (np.array(each)[:, k] for each in (weak, tilts, displacements))
        print(f"{ratio:g} | {spread(one)}; {np.mean(one < 0.98):.2f} | {' | '.join(map(spread, others))}")
    print(f"{len(weak)} cases, {np.isfinite(np.array(weak)[:, 0]).sum()} that overturn; {len(tilts)} motions")


if __name__ == "__main__":
    table()
