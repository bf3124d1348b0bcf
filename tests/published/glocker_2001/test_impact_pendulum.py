"""Figure 7: the impact pendulum with friction, at 30 and at 80 degrees."""

from math import inf, pi, radians, sin, tan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.laws import system_example
from mcrock.laws.impulse_space import routh
from mcrock.laws.problem import ContactProblem
from mcrock.laws.systems.rods import pendulum_contact, pendulum_impact, swing

STEEP, FLAT = radians(30.0), radians(80.0)


@pytest.mark.parametrize("friction", [0.58, 0.6, 1.0, 5.0, inf])
def test_steep_pendulum_stays_on_the_floor(friction):
    """Poisson's law, restitution 1, 30 degrees: one impact, then contact, for friction from tan(30 deg)."""
    impact = pendulum_impact(1 / 3, 1.0, STEEP, friction, 1.0, -2.0)
    assert impact.sticks
    assert impact.spin == 0.0
    assert not impact.unique_impulse
    assert not pendulum_impact(1 / 3, 1.0, STEEP, 0.57, 1.0, -2.0).sticks


@pytest.mark.parametrize("friction", [0.1, 0.6, 1.0])
def test_flat_pendulum_bounces_with_losses(friction):
    """80 degrees: a dissipative sequence although the restitution is 1."""
    impact = pendulum_impact(1 / 3, 1.0, FLAT, friction, 1.0, -2.0)
    assert not impact.sticks
    assert impact.restitution == pytest.approx((tan(FLAT) - friction) / (tan(FLAT) + friction))
    assert impact.spin == pytest.approx(2.0 * impact.restitution)
    assert 0.0 < impact.restitution < 1.0


@given(
    st.floats(0.05, pi / 2),
    st.floats(0.0, 5.0),
    st.floats(0.0, 1.0),
    st.floats(0.1, 10.0),
    st.floats(0.1, 5.0),
)
def test_impulses_balance_and_lie_in_the_cone(angle, friction, restitution, inertia, length):
    """Momentum, friction cone of both phases, and never a gain of energy."""
    impact = pendulum_impact(inertia, length, angle, friction, restitution, -1.5)
    contact = pendulum_contact(inertia, length, angle, friction, -1.5)
    impulse = np.array([impact.normal_impulse, impact.tangential_impulse])
    result = contact.result(impulse)
    arms = contact.velocity / -1.5
    assert result.velocity == pytest.approx(arms * impact.spin, abs=1e-12 * length)
    assert result.consistent
    assert impact.normal_impulse == pytest.approx((1.0 + restitution) * impact.compression)


@given(st.floats(0.1, pi / 2 - 0.05), st.floats(0.0, 3.0), st.floats(0.0, 1.0))
def test_rule_of_friction_that_opposes_each_phase_is_rouths_law(angle, friction, restitution):
    """Twin: Routh's law, which follows the slip through the collision, on the singular contact mass."""
    impact = pendulum_impact(0.7, 1.3, angle, friction, restitution, -1.0)
    contact = pendulum_contact(0.7, 1.3, angle, friction, -1.0)
    twin = routh(contact, restitution=restitution)
    arms = contact.velocity / -1.0
    assert twin.velocity == pytest.approx(arms * impact.spin, abs=1e-9)
    assert twin.impulse == pytest.approx([impact.normal_impulse, impact.tangential_impulse], abs=1e-9)


@pytest.mark.parametrize("friction", [0.0, 0.6, 50.0])
@pytest.mark.parametrize("angle", [STEEP, FLAT])
def test_newtons_law_dissipates_nothing_whatever_the_friction(friction, angle):
    impact = pendulum_impact(1 / 3, 1.0, angle, friction, 1.0, -2.0, law="newton")
    assert impact.spin == 2.0
    assert impact.unique_impulse == (friction == 0.0)


def test_without_friction_both_laws_agree():
    for restitution in (0.0, 0.5, 1.0):
        one = pendulum_impact(0.2, 0.8, 1.1, 0.0, restitution, -1.0)
        other = pendulum_impact(0.2, 0.8, 1.1, 0.0, restitution, -1.0, law="newton")
        assert one.spin == pytest.approx(other.spin)
        assert one.normal_impulse == pytest.approx(other.normal_impulse)


def test_infinite_friction_is_the_limit_of_large_friction():
    one, other = (pendulum_impact(0.2, 0.8, 1.1, mu, 0.7, -1.0) for mu in (inf, 1e9))
    assert one.spin == other.spin == 0.0
    assert one.tangential_impulse == pytest.approx(other.tangential_impulse, rel=1e-6)
    assert one.normal_impulse == pytest.approx(other.normal_impulse, abs=1e-8)


def test_level_pendulum_feels_no_friction():
    """At 90 degrees the tip moves straight down, with any friction."""
    for friction in (0.0, 2.0, inf):
        impact = pendulum_impact(0.2, 0.8, pi / 2, friction, 0.6, -1.0)
        assert impact.spin == pytest.approx(0.6)


def test_first_impact_and_peaks_of_the_motion():
    """Energy between impacts, and the height of each rebound from the effective restitution."""
    phi, rate, impacts = swing(1.0, FLAT, 0.6, 1.0, 1.0, points=20_001)
    times = np.linspace(0.0, 1.0, 20_001)
    pull = 1.5 * STANDARD_GRAVITY
    assert phi[0] == pytest.approx(pi / 2)
    effective = (tan(FLAT) - 0.6) / (tan(FLAT) + 0.6)
    for number in range(3):
        between = (times > impacts[number]) & (times < impacts[number + 1])
        height = np.cos(FLAT) - np.cos(phi[between].max())
        assert height == pytest.approx(np.cos(FLAT) * effective ** (2 * (number + 1)), rel=1e-4)
        energy = 0.5 * rate[between] ** 2 + pull * (np.cos(FLAT) - np.cos(phi[between]))
        assert np.ptp(energy) < 1e-7 * energy.max()
    assert np.all(phi >= FLAT - 1e-9)


def test_figure_7():
    ds = system_example("impact_pendulum")
    assert ds["impacts"].values[0] == 1
    assert ds["impacts"].values[1] > 10
    steep = ds["angle"].isel(floor=0)
    assert float(steep.min()) == pytest.approx(STEEP)
    landed = ds["time"] > 0.5
    assert np.all(steep.where(landed, drop=True) == STEEP)
    assert np.all(ds["energy_ratio"].diff("time") < 1e-6)
    newton = system_example("impact_pendulum", law="newton", duration=1.0)
    assert newton["energy_ratio"].values == pytest.approx(1.0, abs=1e-6)


def test_fall_from_the_horizontal_takes_the_time_of_the_quadrature():
    _, _, impacts = swing(0.7, STEEP, 0.6, 0.5, 1.0)
    pull = 1.5 * STANDARD_GRAVITY / 0.7

    def integrand(u):  # phi = pi/2 - s u^2 removes the singular start
        span = pi / 2 - STEEP
        drop = 2.0 * pull * sin(span * u * u)
        return 2.0 * span * u / np.sqrt(drop) if u > 0.0 else 2.0 * np.sqrt(span / (2.0 * pull))

    assert impacts[0] == pytest.approx(quad(integrand, 0.0, 1.0, epsrel=1e-12)[0], rel=1e-8)


def test_contact_mass_is_unbounded():
    contact = pendulum_contact(1 / 3, 1.0, STEEP, 0.6, -1.0)
    assert contact.mass is None
    assert isinstance(ContactProblem(np.eye(1), [[1.0]], [-1.0]).at(0).mass, np.ndarray)
