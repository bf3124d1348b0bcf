"""Analytic pulses: their shape, their ends, what they refuse."""

from math import inf, nan, pi

import numpy as np
import pytest
from scipy.integrate import quad

from mcrock.excitation import MotionError, Pulse, half_sine, one_cosine, one_sine
from mcrock.excitation.pulses import MavroeidisPapageorgiou, Ricker

ROUNDING = 1e-12  # a handful of roundings of numbers of the size of the peak
PEAK, OMEGA, START = 3.0, 4.0, 0.5
X = (1.0, 0.0, 0.0)


def along_x(pulse, time):
    return pulse.acceleration_at(time)[0]


def test_one_sine_follows_its_formula():
    pulse = one_sine(PEAK, OMEGA, start=START)
    time = START + np.linspace(0.0, 0.999, 50) * 2 * pi / OMEGA
    np.testing.assert_allclose(along_x(pulse, time), PEAK * np.sin(OMEGA * (time - START)), atol=ROUNDING)


def test_one_cosine_begins_at_its_peak_and_turns_at_half_time():
    pulse = one_cosine(PEAK, OMEGA, start=START)
    assert along_x(pulse, START) == pytest.approx(PEAK, abs=ROUNDING)
    assert along_x(pulse, START + pi / OMEGA) == pytest.approx(-PEAK, abs=ROUNDING)


def test_half_sine_has_one_sign_and_half_the_length():
    pulse = half_sine(PEAK, OMEGA, start=START)
    assert pulse.end == pytest.approx(START + pi / OMEGA, abs=ROUNDING)
    assert (along_x(pulse, np.linspace(START, pulse.end, 100)) >= -ROUNDING).all()


@pytest.mark.parametrize(("make", "velocity"), [(one_sine, 0), (one_cosine, 0), (half_sine, 1.5)])
def test_ground_velocity_at_the_end(make, velocity):
    # half a sine leaves 2 peak / omega, the full cycles leave none
    pulse = make(PEAK, OMEGA)
    area = quad(lambda t: float(along_x(pulse, t)), 0, pulse.end)[0]
    assert area == pytest.approx(velocity, abs=1e-8)  # quad's own error estimate


@pytest.mark.parametrize("make", [one_sine, one_cosine, half_sine])
def test_zero_outside_and_half_open(make):
    pulse = make(PEAK, OMEGA, start=START)
    outside = [0.0, np.nextafter(START, 0), pulse.end, pulse.end + 1]
    assert (pulse.acceleration_at(np.array(outside)) == 0).all()
    inside = np.array([np.nextafter(START, 9) + 1e-6, np.nextafter(pulse.end, 0) - 1e-6])
    assert (along_x(pulse, inside) != 0).all()


@pytest.mark.parametrize("make", [one_sine, one_cosine, half_sine])
def test_azimuth_turns_the_pulse_from_x_towards_y(make):
    x, y, z = make(PEAK, OMEGA, azimuth=0.3).amplitude
    assert np.hypot(x, y) == pytest.approx(PEAK, abs=ROUNDING)
    assert np.arctan2(y, x) == pytest.approx(0.3, abs=ROUNDING)
    assert z == 0


def test_all_components_share_the_wave():
    pulse = Pulse((1.0, -2.0, 0.5), OMEGA, phase=0.2, cycles=1.5)
    x, y, z = pulse.acceleration_at(np.linspace(0, 3, 40))
    np.testing.assert_allclose(y, -2 * x, atol=ROUNDING)
    np.testing.assert_allclose(z, 0.5 * x, atol=ROUNDING)


def test_shapes_follow_the_time():
    pulse = one_sine(PEAK, OMEGA)
    assert pulse.acceleration_at(0.1).shape == (3,)
    assert pulse.acceleration_at(np.zeros((2, 5))).shape == (3, 2, 5)


def test_equal_pulses_are_equal_and_are_their_own_group():
    assert one_sine(PEAK, OMEGA) == one_sine(PEAK, OMEGA)
    assert Pulse([1, 2, 3], OMEGA) == Pulse((1.0, 2.0, 3.0), OMEGA)
    assert one_cosine(PEAK, OMEGA).group == one_cosine(PEAK, OMEGA).name == "one-cosine pulse"


def test_every_field_keeps_its_rule():
    """The message has the name, the unit and what came."""
    sine, ricker, wavelet = (
        (Pulse, {"amplitude": X, "angular_frequency": OMEGA}),
        (Ricker, {"amplitude": X, "period": 1.0}),
        (MavroeidisPapageorgiou, {"velocity": X, "period": 1.0}),
    )
    for (kind, usual), changes, message in (
        (sine, {"name": ""}, "name of a pulse must be a non-empty text, got ''"),
        (ricker, {"name": ""}, "name of a pulse must be a non-empty text, got ''"),
        (sine, {"amplitude": (1.0, 2.0)}, r"'pulse': amplitude .*3 .*\[m/s2\], got \(1.0, 2.0\)"),
        (sine, {"amplitude": 3.0}, r"amplitude .*3 .*\[m/s2\], got 3.0"),
        (sine, {"amplitude": "abc"}, r"amplitude .*3 .*\[m/s2\], got 'abc'"),
        (ricker, {"amplitude": (1.0, nan, 0.0)}, r"'Ricker pulse': amplitude .*3 .*\[m/s2\].*nan"),
        (wavelet, {"velocity": (0, 0, inf)}, r"velocity .*3 .*\[m/s\].*inf"),
        (sine, {"angular_frequency": 0.0}, r"Pulse.angular_frequency .*> 0 \[rad/s\], got 0.0"),
        (sine, {"angular_frequency": inf}, r"> 0 \[rad/s\], got inf"),
        (ricker, {"period": 0.0}, r"Ricker.period .*> 0 \[s\], got 0.0"),
        (wavelet, {"period": inf}, r"period .*> 0 \[s\], got inf"),
        (sine, {"phase": nan}, r"phase .*\[rad\], got nan"),
        (wavelet, {"phase": nan}, r"phase .*\[rad\], got nan"),
        (sine, {"cycles": 0.0}, r"cycles .*> 0 \[1\], got 0.0"),
        (wavelet, {"cycles": 1.0}, r"cycles .*> 1 \[1\], got 1.0"),
        (sine, {"start": -0.1}, r"start .*>= 0 \[s\], got -0.1"),
        (ricker, {"start": -1}, r"start .*>= 0 \[s\], got -1"),
        (wavelet, {"start": nan}, r"start .*>= 0 \[s\], got nan"),
    ):
        with pytest.raises(MotionError, match=message):
            kind(**usual | changes)


def test_refuses_what_is_not_finite_in_the_constructors():
    with pytest.raises(MotionError, match=r"azimuth of a pulse must be a finite number \[rad\], got inf"):
        one_sine(PEAK, OMEGA, azimuth=inf)
    with pytest.raises(MotionError, match=r"pulse 'half-sine pulse': amplitude must be 3 finite numbers"):
        half_sine(nan, OMEGA)
