"""Pulses: what holds for all of them, the formula of each, pulses by name, and pulses as sampled motions."""

from itertools import pairwise
from math import pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

from mcrock.body import cuboid
from mcrock.excitation import Pulse, half_sine, one_cosine, one_sine
from mcrock.excitation.pulses import SHAPES, MavroeidisPapageorgiou, Ricker, make_pulse, sample_pulse
from mcrock.impact.conditions import Impact
from mcrock.simulation.runs import simulate

ROUNDING = 1e-12  # a handful of roundings of numbers of the size of the peak
CUT = 2e-8  # of the peak: what the Ricker wavelets leave out at their ends
START, PERIOD, OMEGA = 0.5, 0.7, 2 * pi / 0.7
SIZE = (1.0, -2.0, 0.5)
X = (1.0, 0.0, 0.0)
PULSES = {
    "cycles": Pulse(SIZE, OMEGA, phase=0.2, cycles=1.5, start=START),
    "even": Ricker(SIZE, PERIOD, start=START),
    "odd": Ricker(SIZE, PERIOD, symmetric=False, start=START),
    "velocity": MavroeidisPapageorgiou(SIZE, PERIOD, 1.7, 1.1, START),
    "one_sine": one_sine(3.0, OMEGA, azimuth=0.3, start=START),
    "one_cosine": one_cosine(3.0, OMEGA, azimuth=0.3, start=START),
    "half_sine": half_sine(3.0, OMEGA, azimuth=0.3, start=START),
} | {shape: make_pulse(shape, period=PERIOD, peak=3.0, start=START) for shape in SHAPES}
# peak velocity over peak acceleration and period, and that at the end
VELOCITY = {"one-sine": 1 / pi, "one-cosine": 1 / (2 * pi), "half-sine": 1 / pi, "rectangle": 0.5}
AT_THE_END = {"one-sine": 0.0, "one-cosine": 0.0, "half-sine": 1 / pi, "rectangle": 0.5}


def along_x(pulse, time):
    return pulse.acceleration_at(time)[0]


def largest(pulse, of="acceleration_at"):
    time = np.linspace(pulse.start, pulse.end, 20001)
    time = time if of == "velocity_at" else time[:-1]  # the end of a pulse may be a jump
    return np.linalg.norm(getattr(pulse, of)(time), axis=0).max()


@pytest.mark.parametrize("pulse", PULSES.values(), ids=PULSES)
def test_components_share_one_wave_that_is_zero_outside(pulse):
    """From its start to before its end; arrays follow the shape of the time."""
    time = np.linspace(0.0, 3.0, 400)
    size = np.array(pulse.velocity if isinstance(pulse, MavroeidisPapageorgiou) else pulse.amplitude)
    for found in (pulse.acceleration_at(time), pulse.velocity_at(time)):
        np.testing.assert_allclose(found, size[:, None] * found[0] / size[0], atol=50 * ROUNDING)
    inside = (time >= START) & (time < pulse.end)
    rounding = 1e-14 if isinstance(pulse, MavroeidisPapageorgiou) else 0.0  # of its cosine at the ends
    assert np.abs(pulse.acceleration_at(time[~inside])).max() <= rounding
    assert (along_x(pulse, time[inside]) != 0).mean() > 0.98
    assert np.abs(pulse.acceleration_at(np.array([np.nextafter(START, 0), pulse.end]))).max() <= rounding
    for shape in ((), (2, 5)):
        assert pulse.acceleration_at(np.zeros(shape)).shape == (3, *shape)
        assert pulse.velocity_at(np.zeros(shape)).shape == (3, *shape)
    assert pulse.group == pulse.name


@given(pulse=st.sampled_from([*PULSES.values()]), share=st.floats(0.01, 1.2))
def test_velocity_is_the_integral_of_the_acceleration(pulse, share):
    ends = np.linspace(START, START + share * (pulse.end - START), 3)
    inside = np.minimum(ends, pulse.end * (1 - 1e-15))
    area = sum(quad(lambda t: float(along_x(pulse, t)), *pair, limit=200)[0] for pair in pairwise(inside))
    assert pulse.velocity_at(ends[-1])[0] == pytest.approx(area, abs=1e-7)  # quad's own error


def test_azimuth_turns_from_x_towards_y_and_equal_pulses_are_equal():
    for make in (one_sine, one_cosine, half_sine):
        x, y, z = make(3.0, OMEGA, azimuth=0.3).amplitude
        assert (np.hypot(x, y), np.arctan2(y, x), z) == (pytest.approx(3.0), pytest.approx(0.3), 0)
        assert make(3.0, OMEGA) == make(3.0, OMEGA)
    assert Pulse([1, 2, 3], OMEGA) == Pulse((1.0, 2.0, 3.0), OMEGA)
    assert Ricker([1, -2, 0.5], PERIOD, start=START) == PULSES["even"]
    assert (one_cosine(1.0, 1.0).name, Ricker(X, 1.0).name) == ("one-cosine pulse", "Ricker pulse")
    assert MavroeidisPapageorgiou(X, 1.0).name == "Mavroeidis-Papageorgiou pulse"


def test_sines_follow_their_formula():
    time = START + np.linspace(0.0, 0.499, 50) * PERIOD
    for pulse, phase, length in ((one_sine, 0, 1), (one_cosine, pi / 2, 1), (half_sine, 0, 0.5)):
        made = pulse(3.0, OMEGA, start=START)
        np.testing.assert_allclose(
            along_x(made, time), 3.0 * np.sin(OMEGA * (time - START) + phase), atol=ROUNDING
        )
        assert made.end == pytest.approx(START + length * PERIOD, abs=ROUNDING)


def test_symmetric_ricker_is_the_wavelet_of_its_peak_frequency():
    pulse = Ricker((3.0, 0.0, 0.0), period=0.8, start=0.5)
    s = np.linspace(-1, 1, 201)
    expected = 3.0 * (1 - 2 * (pi * s / 0.8) ** 2) * np.exp(-((pi * s / 0.8) ** 2))
    np.testing.assert_allclose(along_x(pulse, pulse.middle + s), expected, atol=ROUNDING)


def test_antisymmetric_ricker_is_a_derivative_of_the_symmetric_one():
    # the third and the second derivative of one Gaussian: exp(-s^2/6) and exp(-s^2/4) of their periods
    odd, even = Ricker(X, 1.0, symmetric=False), Ricker(X, sqrt(3 / 2))
    s, h = np.linspace(-0.9, 0.9, 100), 1e-5
    slope = (along_x(even, even.middle + s + h) - along_x(even, even.middle + s - h)) / (2 * h)
    wave = along_x(odd, odd.middle + s)
    factor = (wave @ slope) / (slope @ slope)
    np.testing.assert_allclose(factor * slope, wave, atol=1e-6)  # h**2 of the difference


@pytest.mark.parametrize("symmetric", [True, False])
def test_ricker_has_unit_peak_and_its_largest_fourier_amplitude_at_its_period(symmetric):
    """It is even or odd, and fades before it is cut."""
    pulse = Ricker(X, period=0.8, symmetric=symmetric, start=2.0)
    middle = pulse.middle
    peak = minimize_scalar(
        lambda t: -float(along_x(pulse, t)), bounds=(middle - 0.01, middle + 0.2), options={"xatol": 1e-9}
    )
    assert -peak.fun == pytest.approx(1.0, abs=ROUNDING)
    time = np.linspace(2.0, pulse.end, 2000)
    wave = along_x(pulse, time)
    most = minimize_scalar(
        lambda f: -abs(np.trapezoid(wave * np.exp(-2j * pi * f * time), time)), bounds=(0.5, 3.0)
    )
    assert 1 / most.x == pytest.approx(0.8, rel=1e-4)  # the maximum is flat
    s = np.linspace(0, 0.7, 50)
    mirrored = along_x(pulse, middle - s) * (1 if symmetric else -1)
    np.testing.assert_allclose(along_x(pulse, middle + s), mirrored, atol=ROUNDING)
    assert abs(along_x(pulse, pulse.start)) < CUT


def test_velocity_pulse_follows_the_paper():
    # acceleration of the paper, in its own parameters
    a, period, gamma, nu, start = 0.8, 1.6, 2.3, 0.7, 0.4
    pulse = MavroeidisPapageorgiou((a, 0.0, 0.0), period, gamma, nu, start)
    s = np.linspace(-0.499, 0.499, 77) * gamma * period
    slow, turn = 2 * pi * s / (gamma * period), 2 * pi * s / period + nu
    expected = np.sin(slow) * np.cos(turn) + gamma * np.sin(turn) * (1 + np.cos(slow))
    time = s + start + gamma * period / 2
    expected *= -a * pi / (period * gamma)
    np.testing.assert_allclose(along_x(pulse, time), expected, atol=10 * ROUNDING)
    velocity = a / 2 * (1 + np.cos(slow)) * np.cos(turn)
    np.testing.assert_allclose(pulse.velocity_at(time)[0], velocity, atol=ROUNDING)
    for moment in (start, pulse.end, 0.0, 50.0):  # begins and ends without a jump
        assert along_x(pulse, moment) == pytest.approx(0.0, abs=1e-14)
        assert pulse.velocity_at(moment)[0] == pytest.approx(0.0, abs=1e-14)


@given(factor=st.floats(0.2, 5.0), share=st.floats(0.0, 0.999), symmetric=st.booleans())
def test_a_wavelet_stretches_with_its_period(factor, share, symmetric):
    one, other = Ricker(X, 1.0, symmetric), Ricker(X, factor, symmetric)
    # near the ends of the cut a rounding of the time decides
    if 0.001 < share < 0.998:
        assert along_x(one, share * one.end) == pytest.approx(along_x(other, share * other.end), abs=1e-11)
    pulse, slow = MavroeidisPapageorgiou(X, 1.0), MavroeidisPapageorgiou(X, factor)
    stretched = factor * along_x(slow, share * slow.end)
    assert along_x(pulse, share * pulse.end) == pytest.approx(stretched, abs=1e-11)


# ----- by name


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("peak", [3.0, -0.4])
def test_peaks_and_directions_are_as_asked(shape, peak):
    common = {"period": 0.7, "azimuth": 0.4, "inclination": -0.3, "start": 0.2, "cycles": 1.6, "phase": 0.9}
    # 2e-6: a sine seen at 20000 points
    by_peak = make_pulse(shape, peak=peak, **common)
    assert largest(by_peak) == pytest.approx(abs(peak), rel=2e-6)
    by_velocity = make_pulse(shape, peak_velocity=peak, **common)
    assert largest(by_velocity, "velocity_at") == pytest.approx(abs(peak), rel=2e-6)
    x, y, z = by_peak.acceleration_at(0.4)
    assert (y / x, z / np.hypot(x, y) * np.sign(x)) == (
        pytest.approx(np.tan(0.4)),
        pytest.approx(-np.tan(0.3)),
    )
    opposite = make_pulse(shape, peak=-peak, **common).acceleration_at(0.4)
    np.testing.assert_allclose(opposite, [-x, -y, -z], atol=ROUNDING)
    upright = make_pulse(shape, period=1.0, peak=2.0, inclination=pi / 2).acceleration_at(0.3)
    assert np.abs(upright[:2]).max() < 1e-15 < abs(upright[2])


@pytest.mark.parametrize("shape", SHAPES)
def test_simple_shapes_stay_exact_for_the_kernel(shape):
    pulse = make_pulse(shape, period=0.7, peak_velocity=2.0)
    assert isinstance(pulse, Pulse) == (shape in VELOCITY)
    if shape in VELOCITY:
        assert pulse.amplitude[0] == pytest.approx(2.0 / (0.7 * VELOCITY[shape]), rel=1e-6)
        after = 0.7 * pulse.amplitude[0] * AT_THE_END[shape]
        assert pulse.velocity_at(5.0)[0] == pytest.approx(after, abs=ROUNDING)


def test_rectangle_is_flat_and_lasts_half_a_period():
    pulse = make_pulse("rectangle", period=0.8, peak=3.0, start=0.5)
    assert pulse.end == pytest.approx(0.9, abs=1e-15)
    assert (along_x(pulse, np.linspace(0.5, 0.8999, 50)) == 3.0).all()


# ----- as sampled motions


def velocity(motion):
    steps = 0.5 * motion.dt * (motion.acceleration[:, 1:] + motion.acceleration[:, :-1])
    return np.concatenate([np.zeros((3, 1)), np.cumsum(steps, axis=1)], axis=1)


@pytest.mark.parametrize("shape", SHAPES)
def test_stated_errors_of_sampling_are_the_errors(shape):
    """They fall with the square of the step; by default they are a few ten thousandths of the peak."""
    pulse = make_pulse(shape, period=1.0, peak=2.0, start=0.13)
    motion = sample_pulse(pulse, dt=0.01)
    fine = np.linspace(0, motion.duration, 20011)
    straight = np.array([np.interp(fine, motion.time, a) for a in motion.acceleration])
    apart = np.abs(straight - pulse.acceleration_at(fine))
    near_jump = np.min(np.abs(fine[:, None] - [pulse.start, pulse.end]), axis=1) < 0.03
    stated = motion.metadata["acceleration_error"]
    assert apart[:, ~near_jump].max() <= 1.001 * stated
    assert stated < 0.01 * 2.0
    last = np.abs(velocity(motion) - pulse.velocity_at(motion.time))[:, -1]
    assert last.max() < 3e-4  # dt^2/12 times 8 pi/s
    if shape != "rectangle":  # whose straight top has no error
        whole, half = (
            sample_pulse(make_pulse(shape, period=1.0, peak=2.0), dt).metadata for dt in (0.01, 0.005)
        )
        ratio = whole["acceleration_error"] / half["acceleration_error"]
        assert ratio == pytest.approx(4.0, rel=0.03)  # terms of fourth order
    usual = sample_pulse(make_pulse(shape, period=0.9, peak=2.0))
    # (2 pi/250)^2/8 of a sine; the short lobes of the wavelets are up to five times as curved
    assert usual.metadata["acceleration_error"] <= 5 * (2 * pi / 250) ** 2 / 8 * 2.0
    assert usual.metadata["velocity_error"] < 2e-4 * 2.0 * 0.9
    assert not usual.acceleration[1:].any()
    assert "0.0" in usual.metadata["history"]


@given(start=st.floats(0.0, 1.0), dt=st.floats(0.001, 0.05), shape=st.sampled_from(SHAPES))
def test_a_jump_anywhere_between_samples_leaves_the_right_velocity(start, dt, shape):
    pulse = make_pulse(shape, period=1.0, peak=1.0, start=start)
    motion = sample_pulse(pulse, dt)
    # trapezoids of the smooth part: a'(end) - a'(start) times dt^2/12, within two derivatives of 50/s
    expected = pulse.velocity_at(pulse.end)[0]
    assert velocity(motion)[0, -1] == pytest.approx(expected, abs=100 * dt**2 / 12 + 1e-9)
    if shape == "rectangle":
        assert velocity(motion)[0, -1] == pytest.approx(0.5, abs=1e-12)


def test_pulses_add_up_each_along_its_direction():
    """At a step that suits the quickest of them."""
    across = make_pulse("one-sine", period=1.0, peak=1.0)
    up = make_pulse("ricker-symmetric", period=0.5, peak=2.0, inclination=pi / 2, start=0.25)
    motion = sample_pulse([across, up], dt=0.002)
    both = across.acceleration_at(motion.time) + up.acceleration_at(motion.time)
    np.testing.assert_allclose(motion.acceleration, both, atol=1e-7)
    assert motion.name == "one-sine pulse + ricker-symmetric pulse"
    assert sample_pulse(across, name="push").name == "push"
    assert motion.duration >= up.end
    for shape, period in (("one-sine", 0.5), ("half-sine", 1.0), ("rectangle", 1.0)):
        quick = make_pulse(shape, period=period, peak=1.0)
        assert sample_pulse([make_pulse("one-sine", period=2.0, peak=1.0), quick]).dt == pytest.approx(
            0.5 / 250
        )


@pytest.mark.parametrize("shape", sorted(VELOCITY))
def test_a_body_feels_the_sampled_pulse_as_the_analytic_one(shape):
    body = cuboid(width=0.4, depth=0.4, height=1.6, density=2600)
    pulse = make_pulse(shape, period=0.8, peak=4.5, start=0.1)
    exact, sampled = (
        simulate(body, motion, Impact(lambda_=0.8, lambda_lon=0.8)) for motion in (pulse, sample_pulse(pulse))
    )
    assert exact.peak_tilt_ratio > 0.1
    # straight lines between 250 samples per period, and a jump spread over a 250th of it
    assert sampled.peak_tilt_ratio == pytest.approx(exact.peak_tilt_ratio, rel=2e-3)
