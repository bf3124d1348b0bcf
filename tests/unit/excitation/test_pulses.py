"""Pulses by name, and pulses as sampled motions."""

from math import inf, nan, pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from mcrock.body import cuboid
from mcrock.excitation.motion import MotionError
from mcrock.excitation.pulses import SHAPES, Pulse, make_pulse, sample_pulse
from mcrock.impact.conditions import Impact
from mcrock.simulation.runs import simulate

ROUNDING = 1e-12  # a handful of roundings of numbers of the size of the peak
# peak velocity over peak acceleration and period
VELOCITY = {"one-sine": 1 / pi, "one-cosine": 1 / (2 * pi), "half-sine": 1 / pi, "rectangle": 0.5}


def largest(pulse, of="acceleration_at"):
    time = np.linspace(pulse.start, pulse.end, 20001)
    time = time if of == "velocity_at" else time[:-1]  # the end of a pulse may be a jump
    return np.linalg.norm(getattr(pulse, of)(time), axis=0).max()


def velocity(motion):
    steps = 0.5 * motion.dt * (motion.acceleration[:, 1:] + motion.acceleration[:, :-1])
    return np.concatenate([np.zeros((3, 1)), np.cumsum(steps, axis=1)], axis=1)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("peak", [3.0, -0.4])
def test_peaks_are_as_asked(shape, peak):
    common = {"period": 0.7, "azimuth": 0.4, "inclination": -0.3, "start": 0.2, "cycles": 1.6, "phase": 0.9}
    # 2e-6: a sine seen at 20000 points
    assert largest(make_pulse(shape, peak=peak, **common)) == pytest.approx(abs(peak), rel=2e-6)
    by_velocity = make_pulse(shape, peak_velocity=peak, **common)
    assert largest(by_velocity, "velocity_at") == pytest.approx(abs(peak), rel=2e-6)


@pytest.mark.parametrize("shape", VELOCITY)
def test_peak_velocity_of_the_simple_shapes(shape):
    pulse = make_pulse(shape, period=0.7, peak_velocity=2.0)
    assert pulse.amplitude[0] == pytest.approx(2.0 / (0.7 * VELOCITY[shape]), rel=1e-6)


@pytest.mark.parametrize("shape", SHAPES)
def test_direction(shape):
    x, y, z = make_pulse(shape, period=1.0, peak=2.0, azimuth=0.5, inclination=0.25).acceleration_at(0.3)
    assert y / x == pytest.approx(np.tan(0.5))
    assert z / np.hypot(x, y) == pytest.approx(np.tan(0.25)) or z / np.hypot(x, y) == pytest.approx(
        -np.tan(0.25)
    )
    upright = make_pulse(shape, period=1.0, peak=2.0, inclination=pi / 2).acceleration_at(0.3)
    assert np.abs(upright[:2]).max() < 1e-15
    opposite = make_pulse(shape, period=1.0, peak=-2.0, azimuth=0.5, inclination=0.25).acceleration_at(0.3)
    np.testing.assert_allclose(opposite, [-x, -y, -z], atol=ROUNDING)


def test_simple_shapes_stay_exact_for_the_kernel():
    for shape in SHAPES:
        analytic = isinstance(make_pulse(shape, period=1.0, peak=1.0), Pulse)
        assert analytic == (shape in VELOCITY)


def test_rectangle_is_flat_and_lasts_half_a_period():
    pulse = make_pulse("rectangle", period=0.8, peak=3.0, start=0.5)
    assert pulse.end == pytest.approx(0.9, abs=1e-15)
    assert (pulse.acceleration_at(np.linspace(0.5, 0.8999, 50))[0] == 3.0).all()
    np.testing.assert_allclose(pulse.velocity_at(np.array([0.7, 5.0]))[0], [0.6, 1.2], rtol=1e-14)


@given(shape=st.sampled_from(SHAPES[:4]), share=st.floats(0.01, 1.2), period=st.floats(0.1, 5.0))
def test_velocity_of_the_analytic_pulse_is_its_integral(shape, share, period):
    pulse = make_pulse(shape, period=period, peak=1.0)
    time = share * pulse.end
    area = quad(lambda t: float(pulse.acceleration_at(t)[0]), 0, min(time, pulse.end * (1 - 1e-15)))[0]
    assert pulse.velocity_at(time)[0] == pytest.approx(area, abs=1e-8 * period)  # quad's own error


@pytest.mark.parametrize("shape", SHAPES)
def test_stated_errors_of_sampling_are_the_errors(shape):
    pulse = make_pulse(shape, period=1.0, peak=2.0, start=0.13)
    motion = sample_pulse(pulse, dt=0.01)
    fine = np.linspace(0, motion.duration, 20011)
    straight = np.array([np.interp(fine, motion.time, a) for a in motion.acceleration])
    apart = np.abs(straight - pulse.acceleration_at(fine))
    near_jump = np.min(np.abs(fine[:, None] - [pulse.start, pulse.end]), axis=1) < 0.03
    assert apart[:, ~near_jump].max() <= 1.001 * motion.metadata["acceleration_error"]
    assert motion.metadata["acceleration_error"] < 0.01 * 2.0
    assert (
        np.abs(velocity(motion) - pulse.velocity_at(motion.time))[:, -1].max() < 3e-4
    )  # dt^2/12 times 8 pi/s


@pytest.mark.parametrize("shape", SHAPES)
def test_default_step_keeps_the_error_below_a_few_ten_thousandths(shape):
    motion = sample_pulse(make_pulse(shape, period=0.9, peak=2.0))
    # (2 pi/250)^2/8 of a sine; the short lobes of the wavelets are up to five times as curved
    assert motion.metadata["acceleration_error"] <= 5 * (2 * pi / 250) ** 2 / 8 * 2.0
    assert motion.metadata["velocity_error"] < 2e-4 * 2.0 * 0.9
    assert motion.acceleration[1].any() == motion.acceleration[2].any() == False  # noqa: E712
    assert "0.0" in motion.metadata["history"]


@pytest.mark.parametrize("shape", sorted({*SHAPES} - {"rectangle"}))  # whose straight top has no error
def test_error_falls_with_the_square_of_the_step(shape):
    pulse = make_pulse(shape, period=1.0, peak=2.0)
    coarse, fine = (sample_pulse(pulse, dt).metadata["acceleration_error"] for dt in (0.01, 0.005))
    assert coarse / fine == pytest.approx(4.0, rel=0.03)  # terms of fourth order


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
    across = make_pulse("one-sine", period=1.0, peak=1.0)
    up = make_pulse("ricker-symmetric", period=0.5, peak=2.0, inclination=pi / 2, start=0.25)
    motion = sample_pulse([across, up], dt=0.002)
    np.testing.assert_allclose(
        motion.acceleration, across.acceleration_at(motion.time) + up.acceleration_at(motion.time), atol=1e-7
    )
    assert motion.name == "one-sine pulse + ricker-symmetric pulse"
    assert sample_pulse(across, name="push").name == "push"
    assert motion.duration >= up.end


def test_default_step_suits_the_quickest_pulse():
    slow, quick = (make_pulse("one-sine", period=period, peak=1.0) for period in (2.0, 0.5))
    assert sample_pulse([slow, quick]).dt == pytest.approx(0.5 / 250)
    assert sample_pulse(make_pulse("half-sine", period=1.0, peak=1.0)).dt == pytest.approx(0.5 / 250)
    assert sample_pulse(make_pulse("rectangle", period=1.0, peak=1.0)).dt == pytest.approx(0.5 / 250)


def test_refuses():
    wavelet = {"shape": "mavroeidis-papageorgiou"}
    for changes, message in (
        ({"shape": "sine"}, "shape of a pulse must be one of one-sine, .*, got 'sine'"),
        ({"peak_velocity": 1.0}, r"give either peak \[m/s2\] or peak_velocity \[m/s\]"),
        ({"peak": None}, r"give either peak \[m/s2\] or peak_velocity \[m/s\]"),
        ({"peak": inf}, r"peak .*\[m/s2\], got inf"),
        ({"peak": None, "peak_velocity": nan}, r"peak_velocity .*\[m/s\], got nan"),
        ({"period": 0.0}, r"period .*> 0 \[s\], got 0.0"),
        ({"azimuth": nan}, r"azimuth .*\[rad\], got nan"),
        ({"inclination": inf}, r"inclination .*\[rad\], got inf"),
        ({"start": -1.0}, r"start .*>= 0 \[s\], got -1.0"),
        (wavelet | {"cycles": 0.9}, r"cycles .*> 1 \[1\], got 0.9"),
        (wavelet | {"phase": nan}, r"phase .*\[rad\], got nan"),
    ):
        with pytest.raises(MotionError, match=message):
            make_pulse(**{"shape": "one-sine", "period": 1.0, "peak": 1.0} | changes)


def test_sampling_refuses():
    with pytest.raises(MotionError, match="at least one pulse is needed, got none"):
        sample_pulse([])
    for dt in (0.0, nan, 2.0):
        with pytest.raises(MotionError, match=r"dt must be > 0 and at most the shortest pulse, 1 \[s\], got"):
            sample_pulse(make_pulse("one-sine", period=1.0, peak=1.0), dt=dt)


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
