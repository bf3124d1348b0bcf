"""Resampling and band-pass filters against signals of known frequency content."""

from math import pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcrock.excitation import Motion
from mcrock.excitation.processing import bandpass, resample

STEPS = [0.0024, 0.003, 0.005, 0.01, 0.0137]  # [s], from 0.005


def wavelet(time, frequency, centre=4.0, width=0.7):
    """Packet of waves, with 1/(2 pi width) Hz of standard deviation about its frequency."""
    return np.cos(2 * pi * frequency * (time - centre)) * np.exp(-(((time - centre) / width) ** 2) / 2)


def packets(dt, *frequencies):
    """Motion of three components that are packets of waves."""
    time = np.arange(0, 8 + dt / 2, dt)
    return Motion([wavelet(time, f) for f in frequencies], dt=dt, name="packets")


@pytest.mark.parametrize("dt", STEPS)
def test_resampling_meets_the_signal_itself(dt):
    new = resample(packets(0.005, 1.0, 10.0, 0.8 * min(100, 0.5 / dt)), dt)
    exact = [wavelet(new.time, f) for f in (1.0, 10.0, 0.8 * min(100, 0.5 / dt))]
    # 80 dB of the window
    np.testing.assert_allclose(new.acceleration, exact, rtol=0, atol=1e-4)
    assert new.dt == dt
    assert 8.0 - 1e-9 <= new.duration < 8.0 + dt


def test_what_the_new_step_cannot_show_is_gone():
    # 80 Hz would appear as 20 Hz at a step of 0.01 s
    new = resample(packets(0.005, 80.0, 10.0, 5.0), 0.01)
    assert np.abs(new.acceleration[0]).max() < 1e-4
    assert np.abs(new.acceleration[1]).max() > 0.999


@pytest.mark.parametrize("dt", [0.0025, 0.004])
def test_there_and_back(dt):
    motion = packets(0.005, 1.0, 10.0, 50.0)
    back = resample(resample(motion, dt), 0.005)
    n = motion.acceleration.shape[1]
    np.testing.assert_allclose(back.acceleration[:, :n], motion.acceleration, rtol=0, atol=2e-4)
    assert back.metadata["history"] == (
        f"resampled from 0.005 s to {dt:g} s; resampled from {dt:g} s to 0.005 s"
    )


def test_same_step_keeps_every_sample():
    motion = packets(0.005, 1.0, 10.0, 50.0)
    same = resample(motion, 0.005)
    np.testing.assert_array_equal(same.acceleration, motion.acceleration)
    assert same.metadata["history"] == "step of 0.005 s, as it was"


@given(st.floats(-5, 5), st.sampled_from(STEPS))
@settings(max_examples=20)
def test_resampling_is_linear(factor, dt):
    motion = packets(0.005, 1.0, 10.0, 50.0)
    np.testing.assert_allclose(
        resample(motion.scaled(factor), dt).acceleration,
        factor * resample(motion, dt).acceleration,
        rtol=0,
        atol=1e-12,
    )


def gain(order, frequency, low=None, high=None, dt=0.005):
    """Gain of the filter run once, from the analogue Butterworth formula with warped frequencies."""
    warped, *corners = (np.tan(pi * f * dt) if f else None for f in (frequency, low, high))
    low, high = corners
    if low and high:
        ratio = (warped**2 - low * high) / (warped * (high - low))
    else:
        ratio = warped / high if high else low / warped
    return 1 / np.sqrt(1 + ratio ** (2 * order))


@pytest.mark.parametrize("band", [{"low": 1.0}, {"high": 8.0}, {"low": 1.0, "high": 8.0}])
@pytest.mark.parametrize("order", [2, 4])
@pytest.mark.parametrize("causal", [False, True])
def test_gain_of_long_waves(band, order, causal):
    time = np.arange(0, 60, 0.005)
    frequencies = (0.7, 1.0, 6.0)
    motion = Motion([np.sin(2 * pi * f * time) for f in frequencies], dt=0.005, name="waves")
    filtered = bandpass(motion, **band, order=order, causal=causal)
    middle = slice(6000, 8000)  # 30 to 40 s, 7, 10 and 60 cycles, long after the start
    for component, frequency in zip(filtered.acceleration[:, middle], frequencies, strict=True):
        once = gain(order, frequency, **band)
        expected = once if causal else once**2
        assert np.sqrt(2 * np.mean(component**2)) == pytest.approx(expected, rel=1e-3)


def test_zero_phase_delays_nothing_and_causal_never_comes_early():
    motion = packets(0.005, 2.0, 2.0, 2.0)
    both = bandpass(motion, low=0.2, high=20.0).acceleration[0]
    assert np.argmax(both) == np.argmax(motion.acceleration[0])
    np.testing.assert_allclose(both[:800], both[801:][::-1], rtol=0, atol=1e-3)  # the packet is even
    onset = np.zeros((3, 800))
    onset[:, 400:] = 1.0
    causal = bandpass(Motion(onset, dt=0.005, name="onset"), low=0.2, high=20.0, causal=True)
    assert not causal.acceleration[:, :400].any()


def test_kept_padding_ends_at_rest():
    rng = np.random.default_rng(1)
    shake = Motion(rng.normal(size=(3, 2000)) + 0.1, dt=0.005, name="noise")
    kept = bandpass(shake, low=0.5, keep_padding=True)
    added = int(np.ceil(1.5 * 4 / 0.5 / 0.005))
    assert kept.acceleration.shape == (3, 2000 + 2 * added)
    cut = bandpass(shake, low=0.5)
    np.testing.assert_array_equal(kept.acceleration[:, added : added + 2000], cut.acceleration)
    velocity = np.cumsum(kept.acceleration, axis=1) * 0.005
    assert np.abs(velocity[:, -1]).max() < 1e-3 * np.abs(velocity).max()
    assert "12 s of padding kept at both ends" in kept.metadata["history"]
    late = bandpass(shake, low=0.5, causal=True, keep_padding=True)
    assert late.acceleration.shape == (3, 2000 + added)


def test_history_says_what_was_done():
    motion = packets(0.005, 1.0, 1.0, 1.0)
    assert bandpass(motion, low=0.1, high=25.0).metadata["history"] == (
        "band-pass 0.1 to 25.0 Hz, Butterworth order 4, zero-phase"
    )
    assert bandpass(motion, low=0.1, order=2, causal=True).metadata["history"] == (
        "high-pass 0.1 Hz, Butterworth order 2, causal"
    )
    assert bandpass(motion, high=25).metadata["history"].startswith("low-pass 25 Hz")
