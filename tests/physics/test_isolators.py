"""Isolators: their displacement against another integration, and what a body of some mass does to them."""

from math import atan, pi, sin

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.body import cuboid
from mcrock.excitation import Motion
from mcrock.excitation.processing import floor_motion, isolator_displacement, oscillator_modes
from mcrock.impact.conditions import Impact
from mcrock.impact.planar import housner_1963
from mcrock.simulation.runs import simulate
from tests.benchmarks.isolators import DAMPING, Isolated, compare, lifting, under_pulse
from tests.benchmarks.isolators import Motion as Moved

ONE = Isolated(radius=1.5, slenderness=0.3, frequency=0.5, damping=DAMPING, ratio=0.0)


@pytest.mark.parametrize("frequency", [0.3, 0.8, 2.0])
@pytest.mark.parametrize("damping", [0.02, 0.2])
def test_the_displacement_is_that_of_another_integration(frequency, damping):
    rng, dt = np.random.default_rng(5), 0.01
    ground = np.concatenate([rng.standard_normal((3, 60)), np.zeros((3, 1))], axis=1)
    times, omega, largest = dt * np.arange(61), 2 * pi * frequency, 0.0

    def rates(t, y):
        push = [np.interp(t, times, each, right=0.0) for each in ground[:2]]
        return [*y[2:], *(-2 * damping * omega * y[2:] - omega**2 * y[:2] - push)]

    fine = np.linspace(0.0, 0.6 + 1 / frequency, 4001)
    run = solve_ivp(rates, fine[[0, -1]], np.zeros(4), t_eval=fine, rtol=1e-9, atol=1e-13, max_step=dt)
    largest = np.hypot(*run.y[:2]).max()
    found = isolator_displacement(Motion(ground, dt=dt, name="noise"), frequency, damping)
    assert found == pytest.approx(largest, rel=(pi * frequency * dt) ** 2 / 2 + 1e-5)  # between samples


def test_a_constant_push_moves_it_along_the_resultant():
    push = Motion([[0.6] * 400, [-0.8] * 400, [9.0] * 400], dt=0.01, name="push")
    omega, ratio = 2 * pi * 0.5, 0.1
    over = np.exp(-pi * ratio / np.sqrt(1 - ratio**2))  # overshoot of a step
    assert isolator_displacement(push, 0.5, ratio) == pytest.approx((1 + over) / omega**2, rel=2e-4)


def energy(system, state):
    """Kinetic and potential energy of block and base over their mass [J/kg]."""
    u, v, tilt, rate = state
    angle = system.slenderness - abs(tilt)
    c, r, share = np.cos(angle), system.radius, system.ratio
    moving = v**2 / 2 + share * (r * c * v * rate + 2 / 3 * (r * rate) ** 2)
    return moving + (2 * pi * system.frequency * u) ** 2 / 2 + share * STANDARD_GRAVITY * r * c


@pytest.mark.parametrize("ratio", [0.1, 0.9])
def test_the_coupled_model_conserves_energy_between_impacts_and_never_gains_it_in_one(ratio):
    system = ONE._replace(damping=0.0, ratio=ratio)

    def rates(t, y):
        base, turning = system.accelerations(y, 1)
        return [y[1], base, y[3], turning]

    def lands(t, y):
        return y[2]

    lands.terminal, lands.direction = True, -1.0
    start = [0.05, 0.3, 0.12, 0.0]
    run = solve_ivp(rates, (0.0, 3.0), start, events=lands, rtol=1e-11, atol=1e-12)
    assert run.status == 1
    energies = energy(system, run.y)
    np.testing.assert_allclose(energies, energies[0], rtol=1e-9)
    after = run.y[:, -1].copy()
    jump = after[3] * (1 - system.restitution)
    after[1] += ratio * system.radius * np.cos(system.slenderness) * jump
    after[2:] = 0.0, system.restitution * after[3]
    assert energy(system, after) < energies[-1]
    half = 1.5 * sin(0.3)
    ratio_of_housner = housner_1963(4 / 3 * 1.5**2 - half**2, 1.0, -half, half)
    assert system._replace(ratio=0.0).restitution == pytest.approx(ratio_of_housner, rel=1e-12)


@pytest.mark.parametrize(("period", "cycles"), [(1.0, 1), (0.5, 3)])
@pytest.mark.parametrize("factor", [1.1, 1.15, 1.25])
def test_a_body_without_mass_is_that_of_mcrock(period, cycles, factor):
    """Tilts agree to the steps at which the twin is looked at, a twentieth of a period at most."""
    amplitude = factor * lifting(ONE, period, cycles)
    time = np.arange(0.0, cycles * period, 1e-3)
    along = np.append(amplitude * np.sin(2 * pi * time / period), 0.0)
    ground = Motion([along, 0 * along, 0 * along], dt=1e-3, name="sines")
    block = cuboid(2 * 1.5 * sin(0.3), 20.0, 2 * 1.5 * np.cos(0.3), 1000.0)
    run = simulate(block, floor_motion(ground, oscillator_modes(0.5, DAMPING)), Impact(law="housner_1963"))
    twin = under_pulse(ONE, amplitude, period, cycles)
    assert (run.outcome.name == "OVERTURNED") == twin.overturned
    assert isolator_displacement(ground, 0.5, DAMPING) == pytest.approx(twin.displacement, rel=0.01)
    if not twin.overturned:
        assert run.results["peak_tilt_ratio"] == pytest.approx(twin.tilt, rel=0.02)


def test_what_a_heavy_body_does_to_its_isolator():
    """A small part of `tests.benchmarks.isolators`: the numbers that the note of `mcrock check` rests on."""
    alone, (light, heavy), motions = compare(ONE._replace(frequency=0.8), 0.5, 3, (0.1, 0.5))
    assert atan(alone / STANDARD_GRAVITY) > 0.3  # stronger than what tips it on the ground
    assert light == pytest.approx(1.0, abs=0.05)
    assert 1.2 < heavy < 1.5
    for first, *others in motions:
        assert all(isinstance(one, Moved) and not one.overturned for one in (first, *others))
        assert [one.displacement / first.displacement for one in others] == [
            pytest.approx(1.0, abs=0.05),
            pytest.approx(0.93, abs=0.08),
        ]
