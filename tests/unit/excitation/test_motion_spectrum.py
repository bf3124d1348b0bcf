"""Spectrum of a motion: which components it is of, and how two of them become one."""

import numpy as np
import pytest

from mcrock.excitation import Motion
from mcrock.excitation.response_spectra import (
    COMBINATIONS,
    motion_spectrum,
    response_spectrum,
    rotated_spectrum,
)

ROUNDING = 1e-10


def test_combinations_of_a_motion():
    rng = np.random.default_rng(9)
    motion = Motion(rng.normal(size=(3, 200)), dt=0.01, name="noise")
    periods = [0.1, 1.0]
    x, y, z = (response_spectrum(a, 0.01, periods) for a in motion.acceleration)
    found = {c: motion_spectrum(motion, periods, combination=c) for c in COMBINATIONS}
    for name, expected in {"x": x, "y": y, "z": z, "geometric_mean": np.sqrt(x * y)}.items():
        np.testing.assert_allclose(found[name], expected, rtol=1e-14)
    np.testing.assert_array_equal(found["rotd50"], rotated_spectrum(*motion.acceleration[:2], 0.01, periods))
    assert (found["rotd100"] >= np.maximum(x, y) * (1 - ROUNDING)).all()


@pytest.mark.parametrize("combination", ["geometric_mean", "rotd50", "rotd100"])
@pytest.mark.parametrize("role", [0, 1])
def test_a_single_component_counts_alone(combination, role):
    samples = np.zeros((3, 50))
    samples[role] = np.random.default_rng(10).normal(size=50)
    motion = Motion(samples, dt=0.01, name="one component")
    expected = response_spectrum(samples[role], 0.01, [0.5])
    np.testing.assert_array_equal(motion_spectrum(motion, [0.5], combination=combination), expected)


def test_damping_and_quantity_are_passed_on():
    motion = Motion(np.random.default_rng(12).normal(size=(3, 50)), dt=0.01, name="noise")
    for quantity in ("displacement", "velocity"):
        expected = response_spectrum(motion.acceleration[2], 0.01, [0.5], 0.2, quantity)
        np.testing.assert_array_equal(motion_spectrum(motion, [0.5], 0.2, quantity, "z"), expected)


def test_a_still_pair_has_a_spectrum_of_zeros():
    still = Motion([[0.0, 0.0], [0.0, 0.0], [0.0, 1.0]], dt=0.1, name="vertical")
    assert motion_spectrum(still, [1.0])[0] == 0
    assert motion_spectrum(still, [1.0], combination="z")[0] > 0
