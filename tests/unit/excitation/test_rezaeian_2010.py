"""The stochastic model: its exact moments, its ensemble statistics, its ends."""

from math import inf, pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import fixed_quad, quad
from scipy.stats import gamma

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.excitation.rezaeian_2010 import (
    StochasticModel,
    _filter,
    _slow_filter,
    color_noise,
    remove_slow_motion,
    simulate_motion,
)

DT = 0.01
# a quick, a usual, and a slow and broad motion whose frequency falls
MODELS = [
    StochasticModel(arias=0.5, duration=8.0, middle=5.0, frequency=6.0, frequency_slope=0.1, damping=0.15),
    StochasticModel(arias=1.0, duration=15.0, middle=10.0, frequency=5.0, frequency_slope=-0.1, damping=0.2),
    StochasticModel(arias=2.0, duration=25.0, middle=15.0, frequency=2.0, frequency_slope=-0.05, damping=0.3),
]
N_MOTION = 500
# the two-sided 4.5 sigma of a mean of 500: one false alarm in 150,000, over 12 comparisons one in 10,000
SIGMAS = 4.5


def usual(**changes):
    return StochasticModel(
        **({"arias": 1.0, "duration": 15.0, "middle": 10.0, "frequency": 5.0, "damping": 0.2} | changes)
    )


def noise_for(model, n, dt=DT):
    return np.random.default_rng(0).standard_normal((n, int(model.noise_length() / dt) + 1))


# --- modulation -------------------------------------------------------------------------------------


@settings(max_examples=20)  # thousands of moments each
@given(arias=st.floats(0.01, 20.0), middle=st.floats(0.5, 40.0), ratio=st.floats(0.05, 4.5))
def test_energy_of_the_modulation_has_its_size_and_times(arias, middle, ratio):
    model = usual(arias=arias, middle=middle, duration=ratio * middle)

    shape, scale = model.gamma
    assert shape >= 1
    spread = np.sqrt(shape) * scale

    def energy(start, end):
        # over the root of the time, since a shape near 1 begins like a root
        return fixed_quad(lambda s: 2 * s * model.modulation(s**2) ** 2, start**0.5, end**0.5, n=300)[0]

    total = 2 * STANDARD_GRAVITY / pi * arias
    before = energy(max(0.0, middle - 15 * spread), middle)
    assert before == pytest.approx(0.45 * total, rel=1e-8)
    assert before + energy(middle, middle + 40 * spread) == pytest.approx(total, rel=1e-8)
    early, late = gamma.ppf([0.05, 0.95], shape, scale=scale)
    assert late - early == pytest.approx(ratio * middle, rel=1e-9)


def test_modulation_is_the_gamma_function_of_the_paper():
    model = usual()
    shape, scale = model.gamma
    alpha_2, alpha_3 = (shape + 1) / 2, 1 / (2 * scale)
    time = np.array([2.0, 5.0, 20.0])
    ratio = model.modulation(time) / (time ** (alpha_2 - 1) * np.exp(-alpha_3 * time))
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-12)
    assert model.modulation(np.array([-1.0, 0.0])).tolist() == [0.0, 0.0]


# --- filter -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("slope", [-8.0, 0.0, 8.0])
def test_filter_is_the_sum_of_its_answers(slope):
    rng = np.random.default_rng(1)
    n, damping = 200, 0.25
    frequency = np.clip(6.0 + slope * np.arange(n) * DT, 0.3, 25.0)
    noise = rng.standard_normal(n)
    process, variance = _filter(frequency, damping, DT, noise)
    lag = (np.arange(n)[:, None] - np.arange(n)) * DT
    omega = 2 * pi * frequency
    answer = np.where(
        lag > 0, omega * np.exp(-damping * omega * lag) * np.sin(omega * np.sqrt(1 - damping**2) * lag), 0.0
    )
    # what is forgotten: 1e-5 of an answer
    np.testing.assert_allclose(process, answer @ noise, atol=1e-4 * omega.max())
    np.testing.assert_allclose(variance, (answer**2).sum(axis=1), rtol=1e-6)


def test_filter_takes_many_noises_at_once():
    frequency = np.linspace(5.0, 3.0, 150)
    noise = np.random.default_rng(2).standard_normal((3, 150))
    together, variance = _filter(frequency, 0.2, DT, noise)
    for row, single in zip(together, noise, strict=True):
        alone, same = _filter(frequency, 0.2, DT, single)
        assert (alone == row).all()
        assert (variance == same).all()


@pytest.mark.parametrize(
    ("frequency", "damping", "corner"), [(5.0, 0.2, 0.1), (1.0, 0.6, 0.2), (2.0, 0.05, 0.3)]
)
def test_what_the_slow_filter_leaves_is_the_integral_over_the_spectral_density(frequency, damping, corner):
    omega, slow = 2 * pi * frequency, 2 * pi * corner

    def density(w, power, filtered):
        gain = (w**2 / (w**2 + slow**2)) ** 2 if filtered else 1.0
        return w**power * gain / ((omega**2 - w**2) ** 2 + (2 * damping * omega * w) ** 2)

    def integral(power, filtered):
        pieces = [(0, slow), (slow, omega), (omega, 3 * omega), (3 * omega, inf)]
        return sum(quad(density, a, b, args=(power, filtered), epsabs=0, limit=500)[0] for a, b in pieces)

    left, rate = _slow_filter(np.array([omega]), damping, slow)
    assert left[0] == pytest.approx(integral(0, True) / integral(0, False), rel=1e-6)
    expected = np.sqrt(integral(2, True) / integral(0, True)) / (2 * pi)
    assert rate[0] == pytest.approx(expected, rel=1e-6)


def crossing_rate(model, time, dt):
    """Expected number of zero crossings upwards of the motions of a model, per second [1/s]."""
    omega = 2 * pi * model.filter_frequency(time, dt)
    return _slow_filter(omega, model.damping, 2 * pi * model.corner)[1]


def test_crossing_rate_tends_to_the_frequency_of_the_filter():
    model = usual(frequency_slope=-0.1, corner=1e-4)
    time = np.array([2.0, 10.0, 20.0])
    np.testing.assert_allclose(crossing_rate(model, time, DT), model.filter_frequency(time, DT), rtol=1e-3)
    assert (crossing_rate(usual(), time, DT) > 5.0).all()


def test_filter_frequency_is_a_line_within_its_bounds():
    model = usual(frequency_slope=-0.5)
    assert model.filter_frequency(np.array([8.0, 10.0, 12.0]), DT).tolist() == [6.0, 5.0, 4.0]
    assert model.filter_frequency(np.array([30.0]), DT).tolist() == [0.3]
    rising = usual(frequency_slope=2.0)
    assert rising.filter_frequency(np.array([30.0]), DT).tolist() == [25.0]


def test_slow_filter_returns_to_rest_and_leaves_quick_motion():
    time = np.arange(4000) * DT
    quick = np.where(time < 10, np.sin(2 * pi * 5 * time), 0.0)
    # the filter takes 2 (2 pi corner) times the velocity, which goes up to 2/(2 pi f)
    taken = remove_slow_motion(quick, DT, 0.05) - quick
    assert np.abs(taken[:1000]).max() < 4 * 0.05 / 5
    pushed = remove_slow_motion(np.where(abs(time - 1) < 0.5, 1.0, 0.0), DT, 0.1)
    velocity = np.cumsum(pushed) * DT
    assert abs(velocity[-1]) < 1e-4 * np.abs(velocity).max()


# --- ensembles --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "dt"), list(zip(MODELS, (0.01, 0.01, 0.02), strict=True)), ids=["quick", "usual", "slow"]
)
def test_mean_intensity_duration_and_crossings_of_500_motions(model, dt):
    motions = color_noise(model, noise_for(model, N_MOTION, dt), dt, rest=1500)
    energy = np.cumsum(motions**2, axis=1) * dt
    arias = pi / (2 * STANDARD_GRAVITY) * energy[:, -1]
    time = np.arange(motions.shape[1]) * dt
    early, middle, late = np.array([np.interp([0.05, 0.45, 0.95], e / e[-1], time) for e in energy]).T
    window = slice(round((model.middle - 1) / dt), round((model.middle + 1) / dt) + 1)
    near = motions[:, window]
    crossings = ((near[:, :-1] < 0) & (near[:, 1:] >= 0)).sum(axis=1) / 2.0
    rate = crossing_rate(model, np.array([model.middle]), dt)[0]
    # of the definition: the duration of one motion is a little shorter than that of the mean energy,
    # less than 2 %, and counting in samples misses less than 1 % of the crossings
    for found, target, bias in (
        (arias, model.arias, 0.003),
        (late - early, model.duration, 0.02),
        (middle, model.middle, 0.02),
        (crossings, rate, 0.01),
    ):
        error = found.std() / np.sqrt(N_MOTION)
        assert abs(found.mean() - target) < SIGMAS * error + bias * target
    assert rate == pytest.approx(model.frequency, rel=0.03)
    # the energy of all together has the times of the parameters
    total = energy.sum(axis=0) / energy.sum(axis=0)[-1]
    early, middle, late = np.interp([0.05, 0.45, 0.95], total, time)
    assert late - early == pytest.approx(model.duration, rel=0.02)  # three standard errors
    assert middle == pytest.approx(model.middle, rel=0.02)


def test_two_components_along_principal_axes_are_independent_unless_asked():
    brief = usual(duration=5.0, middle=3.0)
    pair = [brief, usual(duration=4.0, middle=3.0, arias=0.6, frequency=6.0)]

    def coefficients(**options):
        found = []
        for seed in range(25):
            x, y, _ = simulate_motion(pair, np.random.default_rng(seed), **options).acceleration
            found.append(x @ y / np.sqrt((x @ x) * (y @ y)))
        return np.array(found)

    independent = coefficients()
    assert abs(independent.mean()) < SIGMAS * independent.std() / 5
    same = simulate_motion([brief, brief], np.random.default_rng(1), correlation=1.0).acceleration
    np.testing.assert_allclose(same[0], same[1], atol=1e-12)
    opposite = simulate_motion([brief, brief], np.random.default_rng(1), correlation=-1.0).acceleration
    np.testing.assert_allclose(opposite[0], -opposite[1], atol=1e-12)
    # equal filters pass on the correlation of the noises
    half = [
        np.corrcoef(
            *simulate_motion([brief] * 2, np.random.default_rng(s), correlation=0.5).acceleration[:2]
        )[0, 1]
        for s in range(25)
    ]
    assert np.mean(half) == pytest.approx(0.5, abs=SIGMAS * np.std(half) / 5)


# --- one motion -------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", MODELS, ids=["quick", "usual", "slow"])
def test_ground_ends_at_rest(model):
    for seed in range(5):
        motion = simulate_motion(model, np.random.default_rng(seed))
        x = motion.acceleration[0]
        velocity = np.concatenate([[0.0], np.cumsum(0.5 * DT * (x[1:] + x[:-1]))])
        displacement = np.cumsum(velocity) * DT
        assert abs(velocity[-1]) < 1e-3 * np.abs(velocity).max()
        assert abs(displacement[-1]) < 1e-2 * np.abs(displacement).max()
        assert np.abs(x[-100:]).max() < 1e-3 * np.abs(x).max()


def test_same_stream_same_motion():
    one, again = (simulate_motion(usual(), np.random.default_rng(7)) for _ in range(2))
    assert (one.acceleration == again.acceleration).all()
    other = simulate_motion(usual(), np.random.default_rng(8))
    assert not np.array_equal(one.acceleration, other.acceleration)


def test_a_further_component_leaves_the_others_as_they_are():
    one = simulate_motion(usual(), np.random.default_rng(7)).acceleration
    three = simulate_motion([usual()] * 3, np.random.default_rng(7)).acceleration
    assert (three[0] == one[0]).all()
    assert not one[1:].any()
    upright = simulate_motion([None, None, usual()], np.random.default_rng(7)).acceleration
    assert (upright[2] == one[0]).all()
    assert not upright[:2].any()


@settings(max_examples=20)
@given(factor=st.floats(0.1, 10.0))
def test_intensity_scales_the_motion(factor):
    one = simulate_motion(usual(duration=4.0, middle=3.0), np.random.default_rng(3), dt=0.02)
    other = simulate_motion(usual(duration=4.0, middle=3.0, arias=factor), np.random.default_rng(3), dt=0.02)
    np.testing.assert_allclose(
        other.acceleration, np.sqrt(factor) * one.acceleration, atol=1e-12 * max(1, factor)
    )


def test_azimuth_turns_the_components():
    pair = [usual(), usual(arias=0.5)]
    straight = simulate_motion(pair, np.random.default_rng(5))
    turned = simulate_motion(pair, np.random.default_rng(5), azimuth=0.7)
    np.testing.assert_allclose(turned.acceleration, straight.rotated(0.7).acceleration, atol=1e-14)
    assert turned.metadata["history"] == "synthetic motion; rotated by 0.7 rad"


def test_metadata_has_the_parameters():
    motion = simulate_motion([usual(), None, usual(arias=0.3)], np.random.default_rng(1), name="synthetic 4")
    assert (motion.name, motion.group, motion.dt) == ("synthetic 4", "synthetic 4", DT)
    assert motion.metadata["arias_x"] == 1.0
    assert motion.metadata["arias_z"] == 0.3
    assert "arias_y" not in motion.metadata
    assert motion.metadata["source"] == "Rezaeian and Der Kiureghian (2010)"
