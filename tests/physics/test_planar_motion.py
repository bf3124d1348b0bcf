"""Motion of the planar block: exact solutions, symmetries, order of convergence."""

from dataclasses import replace
from itertools import pairwise
from math import acos, acosh, asin, cos, pi, sin, sqrt, tan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from mcrock.base.params import GRAVITY, STANDING, Outcome
from mcrock.excitation import Motion, Pulse, one_sine, pack_motions
from mcrock.impact.conditions import Controls
from mcrock.planar import rectangle, rectangle_of, simulate_planar
from mcrock.planar.integrate import PlanarResult
from mcrock.planar.restitution import energy_ratio, velocity_ratios
from mcrock.planar.simulation import block_rows, run_many
from tests.physics.bodies import TIGHT
from tests.physics.test_free_rocking import next_peak, quarter_period
from tests.unit.planar.blocks import blocks, mirrored

ATOL = 1e-6  # times [s] and tilts [rad], at the tight step
BLOCK = rectangle(0.4, 1.2)


def peaks(run):
    """Largest tilt after each impact of a free run [rad]."""
    times = [0.0, *(event["t"] for event in run.events)]
    tilt = np.abs(run.history["rotation"])
    return [float(tilt.sel(time=slice(a, b)).max()) for a, b in pairwise(times)]


@pytest.mark.parametrize("fraction", [0.2, 0.5, 0.8])
@pytest.mark.parametrize("ratio", [0.8, 0.95, 1.0])
def test_quarter_periods_and_peaks(fraction, ratio):
    alpha, p, tilt = BLOCK.slenderness, BLOCK.frequency, fraction * BLOCK.slenderness
    run = simulate_planar(BLOCK, r=ratio, tilt=tilt, controls=TIGHT, t_end=8.0, history=True)
    when = 0.0
    for event, peak in zip(run.events[:5], peaks(run), strict=False):
        when += quarter_period(p, alpha, tilt)
        assert event["t"] == pytest.approx(when, abs=ATOL)
        assert peak == pytest.approx(tilt, abs=ATOL)
        tilt = next_peak(alpha, tilt, ratio)
        when += quarter_period(p, alpha, tilt)


def test_linear_quarter_period_of_a_slender_block():
    """T/4 = acosh(1/(1 - tilt/slenderness))/p, Housner (1963) eq. (7): its error is quadratic in the
    slenderness."""
    errors = []
    for slenderness in (0.04, 0.02, 0.01):
        block = rectangle_of(slenderness, 2.0)
        run = simulate_planar(block, tilt=0.5 * slenderness, controls=TIGHT, t_end=2.0, history=True)
        errors.append(abs(run.events[0]["t"] * block.frequency / acosh(2.0) - 1))
    assert errors[0] < 2e-4
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.02)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.02)


@given(blocks(), st.floats(0.2, 0.8), st.floats(0.5, 1.0))
def test_every_impact_keeps_its_share_of_the_energy(block, fraction, lambda_):
    """r^2 for a COM above the middle, else times the inertia about the new over that about the old edge."""
    try:
        ratios = velocity_ratios(block, f"chatzis_2017:lambda={lambda_}")
    except ValueError:  # off centre: would gain energy
        ratios = velocity_ratios(block, "housner_1963")
    tilt = fraction * block.slendernesses[0]
    run = simulate_planar(block, r=ratios, tilt=tilt, controls=TIGHT, t_end=6.0, history=True)
    energy = float(run.history["energy"][0])
    for event in run.events[:4]:
        ratio = ratios[0] if event["edge"] == "right" else ratios[1]
        kept = energy_ratio(block, ratio, event["edge"] or "left")
        if event["kind"] != "facet_impact" or event["edge"] is None or energy * kept < 1e-6 * energy:
            break
        assert -event["energy_change"] == pytest.approx(energy * (1 - kept), rel=1e-6, abs=1e-9 * energy)
        energy *= kept


def test_energy_is_constant_between_impacts():
    run = simulate_planar(BLOCK, r=0.9, tilt=0.25, t_end=3.0, history=True)
    energy, edge = run.history["energy"].values, run.history["edge"].values
    flights = np.split(np.arange(len(edge)), np.flatnonzero(np.diff(edge)) + 1)
    assert len(flights) > 3
    for flight in flights[:-1]:
        assert np.ptp(energy[flight]) < 1e-8 * energy[0]


def test_fall_from_beyond_the_balance_by_quadrature():
    alpha, p, tilt = BLOCK.slenderness, BLOCK.frequency, 1.2 * BLOCK.slenderness

    def rate(angle):
        return p * sqrt(2 * (cos(alpha - tilt) - cos(alpha - angle)))

    time = quad(lambda u: 2 * u / rate(tilt + u * u), 0, sqrt(pi / 2 - tilt), epsabs=0, epsrel=1e-11)[0]
    run = simulate_planar(BLOCK, tilt=tilt, controls=TIGHT)
    assert run.outcome == Outcome.OVERTURNED
    assert run.overturning_time == pytest.approx(time, abs=ATOL)
    assert run.peak_tilt == pi / 2


def test_order_of_convergence():
    """Nystrom's method is of fourth order: half the step, a sixteenth of the error."""
    pulse = one_sine(0.9 * GRAVITY, 7.0)

    def tilt_at(step):
        controls = replace(TIGHT, step=1.0, max_step=step)
        run = simulate_planar(BLOCK, pulse, controls=controls, t_end=0.4, history=True)
        return float(run.history["rotation"][-1])

    exact = tilt_at(1e-4)
    errors = [abs(tilt_at(step) - exact) for step in (8e-3, 4e-3, 2e-3)]
    assert errors[0] / errors[1] == pytest.approx(16, rel=0.3)
    assert errors[1] / errors[2] == pytest.approx(16, rel=0.3)


def test_uplift_on_a_ramp_and_on_a_sine_is_exact():
    threshold = GRAVITY * tan(BLOCK.slenderness)
    ramp = Motion([[0.0, -10.0], [0.0, 0.0], [0.0, 2.0]], dt=1.0, name="ramp")
    run = simulate_planar(BLOCK, ramp, history=True)
    # 10 t = (g + 2 t) tan(alpha)
    assert run.events[0]["t"] == pytest.approx(threshold / (10.0 - 2.0 * tan(BLOCK.slenderness)), rel=1e-12)
    assert run.events[0]["edge"] == "right"  # shaken to the left it lifts to the right
    for phase in (0.0, 1.0, 3.5, 5.9):
        pulse = Pulse((1.3 * threshold, 0.0, -0.4), 6.0, phase=phase, start=0.3)
        pull = 0.4 * tan(BLOCK.slenderness)  # of the vertical, together with the horizontal
        left, right = (
            asin(threshold / (1.3 * threshold + pull)),
            pi + asin(threshold / (1.3 * threshold - pull)),
        )
        waits = [(angle - phase) % (2 * pi) for angle in (left, right)]
        lifted = [phase < pi - left and phase > left, pi + (right - pi) < phase < 2 * pi - (right - pi)]
        expected = 0.3 if any(lifted) else 0.3 + min(waits) / 6.0
        run = simulate_planar(BLOCK, pulse, history=True)
        assert run.events[0]["t"] == pytest.approx(expected, abs=1e-12)


def test_a_block_below_the_threshold_rests():
    motion = one_sine(0.999999 * GRAVITY * tan(BLOCK.slenderness), 5.0)
    run = simulate_planar(BLOCK, motion)
    assert (run.outcome, run.uplifts, run.peak_tilt) == (Outcome.AT_REST, 0, 0.0)


def shake(seed, amplitude=4.0):
    """Random samples of x and z."""
    rng = np.random.default_rng(seed)
    return Motion(amplitude * rng.normal(size=(3, 200)) * [[1.0], [0.0], [0.3]], dt=0.02, name="shake")


@given(blocks(), st.integers(0, 1000))
def test_mirror_symmetry(block, seed):
    """Block and shaking mirrored: the mirrored motion, to the last bit."""
    motion = shake(seed)
    flipped = Motion(motion.acceleration * [[-1.0], [1.0], [1.0]], motion.dt, "flipped")
    ratios = velocity_ratios(block, "housner_1963")
    run = simulate_planar(block, motion, ratios, t_end=4.0, history=True)
    other = simulate_planar(mirrored(block), flipped, ratios[::-1], t_end=4.0, history=True)
    np.testing.assert_array_equal(run.history["rotation"], -other.history["rotation"])
    assert (run.peak_right, run.peak_left) == (other.peak_left, other.peak_right)


def test_constant_vertical_acceleration_is_more_gravity():
    lifted = Motion(np.stack([np.zeros(801), np.zeros(801), np.full(801, 2.5)]), dt=0.005, name="lift")
    heavier = replace(BLOCK, gravity=GRAVITY + 2.5)
    still = simulate_planar(heavier, r=0.9, tilt=0.2, controls=TIGHT, t_end=3.9, history=True)
    run = simulate_planar(BLOCK, lifted, r=0.9, tilt=0.2, controls=TIGHT, t_end=3.9, history=True)
    assert len(still.events) > 5
    for ours, theirs in zip(run.events[:5], still.events[:5], strict=True):
        assert ours["t"] == pytest.approx(theirs["t"], abs=1e-9)
        assert ours["rate"] == pytest.approx(theirs["rate"], abs=1e-9)


def test_scale_invariance():
    """In units of 1/p the motion under a pulse of given omega_p/p depends on the slenderness alone."""
    small, large = rectangle_of(0.25, 4.0), rectangle_of(0.25, 1.0)
    runs = [
        simulate_planar(
            block,
            one_sine(1.5 * GRAVITY * tan(0.25), 3.0 * block.frequency),
            controls=replace(TIGHT, max_step=1.0),
        )
        for block in (small, large)
    ]
    assert runs[0].peak_tilt == pytest.approx(runs[1].peak_tilt, rel=1e-10)


def test_blocks_come_back_from_beyond_their_slenderness():
    """A normalised tilt above 1 is not overturning while the ground moves."""
    block = rectangle_of(0.25, 2.14)
    run = simulate_planar(block, one_sine(7.4 * 0.25 * GRAVITY, 5 * 2.14), 0.9)
    assert run.peak_tilt_ratio > 1.3
    assert run.outcome in STANDING


@pytest.mark.parametrize("offset", [0.0, 0.05])
def test_energy_decides_as_the_motion_does(offset):
    """Without following the free motion: the same outcome, impacts before a fall, and peak tilts."""
    block = rectangle_of(0.25, 2.14) if not offset else rectangle(0.8, 3.0, offset=offset)
    ratios = velocity_ratios(block, "housner_1963")
    omega = 4 * block.frequency
    amplitudes = np.linspace(1.0, 9.0, 161) * GRAVITY * tan(block.slenderness)
    index = np.zeros(len(amplitudes), dtype=np.int64)
    out = run_many(
        block_rows([block], [ratios]), pack_motions([one_sine(1.0, omega)]), index, index, amplitudes, TIGHT
    )
    fallen = 0
    for row, amplitude in zip(out, amplitudes, strict=True):
        run = simulate_planar(block, one_sine(amplitude, omega), ratios, controls=TIGHT)
        assert (row[PlanarResult.OUTCOME] == Outcome.OVERTURNED) == (run.outcome == Outcome.OVERTURNED)
        assert row[PlanarResult.PEAK_RIGHT : PlanarResult.PEAK_LEFT + 1] == pytest.approx(
            [run.peak_right, run.peak_left], abs=ATOL
        )
        if run.outcome == Outcome.OVERTURNED:
            assert row[PlanarResult.IMPACTS] == run.impacts
            fallen += 1
    assert 20 < fallen < 150


def test_the_balanced_state_is_the_boundary():
    """Free motion: the sign of p^-1 phi' + 2 sin((phi - alpha)/2) decides, from any state."""
    alpha, p = BLOCK.slenderness, BLOCK.frequency
    for tilt in (0.05, 0.2, alpha, 0.5, 1.0):
        balance = -2 * p * sin(0.5 * (tilt - alpha))
        for rate, falls in ((balance + 1e-6, True), (balance - 1e-6, False)):
            run = simulate_planar(
                BLOCK, r=0.5, tilt=tilt, rate=rate, controls=TIGHT, t_end=30.0, history=True
            )
            assert (run.outcome == Outcome.OVERTURNED and run.impacts == 0) is falls


def test_peak_after_an_impact_of_a_block_off_centre():
    """Over the other edge the barrier is another one: energy and geometry alone."""
    block = rectangle(0.6, 2.0, offset=0.08)
    ratios = velocity_ratios(block, "housner_1963")
    right, left = block.slendernesses
    radius = [sqrt(x * x + 1.0) for x in (block.right, block.left)]
    tilt = 0.7 * right
    run = simulate_planar(block, r=ratios, tilt=tilt, controls=TIGHT, t_end=3.0, history=True)
    energy = block.mass * GRAVITY * radius[0] * (cos(right - tilt) - cos(right))
    energy *= energy_ratio(block, ratios[1], "left")
    level = cos(left) + energy / (block.mass * GRAVITY * radius[1])
    assert peaks(run)[1] == pytest.approx(left - acos(level), abs=ATOL)


def test_default_step_on_pulses():
    """What the default step costs: peak tilts to 1e-6 of the slenderness."""
    for motion in (one_sine(4.0, 6.0), one_sine(3.5, 12.0)):
        usual, tight = (simulate_planar(BLOCK, motion, controls=controls) for controls in (None, TIGHT))
        assert usual.outcome == tight.outcome
        assert usual.peak_tilt == pytest.approx(tight.peak_tilt, abs=1e-6 * BLOCK.slenderness)


def test_rest_time_ends_free_rocking_and_nothing_else():
    run = simulate_planar(BLOCK, r=0.9, tilt=0.2, controls=Controls(rest_time=1e-3), history=True)
    assert run.outcome == Outcome.AT_REST
    flights = np.diff([event["t"] for event in run.events])
    assert (flights > 1e-3 * 0.9).all()
    assert flights[-1] < 2e-3
