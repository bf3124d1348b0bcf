"""All zeros of a trigonometric polynomial of degree two: the directions in which a contact can slip."""

from itertools import pairwise
from math import cos, nan, pi, sin

import numpy as np
import pytest

from mcrock.kernel.friction.coulomb import harmonics, value, zeros

FIFTHS = 0.4 * pi * np.arange(5)


def found(f):
    angles = np.array(zeros(tuple(f)))
    return np.sort(angles[~np.isnan(angles)])


@pytest.mark.parametrize("seed", range(50))
def test_four_given_zeros_are_found(seed):
    """The product of sin((s - s_i)/2) over four angles s_i is such a polynomial."""
    at = np.sort(np.random.default_rng(seed).uniform(-pi, pi, 4))
    samples = [float(np.prod(np.sin(0.5 * (s - at)))) for s in FIFTHS]
    nearest = min(np.diff([*at, at[0] + 2.0 * pi]))
    # a zero moves by the rounding of the coefficients over the slope there, a product of distances
    assert found(harmonics(*samples)) == pytest.approx(at, abs=1e-14 / nearest**3 + 1e-14)


@pytest.mark.parametrize("seed", range(50))
def test_as_many_zeros_as_changes_of_sign(seed):
    rng = np.random.default_rng(seed)
    f = rng.normal(size=5) * 10.0 ** rng.uniform(-8.0, 8.0)
    f[3:] *= 10.0 ** rng.uniform(-18.0, 0.0)
    s = np.linspace(-pi, pi, 4001)
    y = f[0] + f[1] * np.cos(s) + f[2] * np.sin(s) + f[3] * np.cos(2.0 * s) + f[4] * np.sin(2.0 * s)
    crossings = [0.5 * (a + b) for (a, u), (b, v) in pairwise(zip(s, y, strict=True)) if u * v < 0.0]
    assert found(f) == pytest.approx(crossings, abs=s[1] - s[0])


def test_a_constant_and_nothing_have_no_zeros():
    assert found((1.0, 0.0, 0.0, 0.0, 0.0)).size == 0
    assert found((0.0, 0.0, 0.0, 0.0, 0.0)).size == 0
    assert found((nan, 1.0, 1.0, 0.0, 0.0)).size == 0


def test_a_double_zero_is_one():
    """1 - cos(2 s - 1) touches zero twice and does not cross it."""
    f = (1.0, 0.0, 0.0, -cos(1.0), -sin(1.0))
    assert found(f) == pytest.approx([0.5 - pi, 0.5], abs=1e-6)


@pytest.mark.parametrize("seed", range(10))
def test_coefficients_from_five_values(seed):
    f = tuple(np.random.default_rng(seed).normal(size=5))
    assert harmonics(*(value(f, s)[0] for s in FIFTHS)) == pytest.approx(f, abs=1e-14)


def test_slope():
    f, step = (0.3, 1.0, -2.0, 0.5, 0.7), 1e-6
    slope = (value(f, 0.4 + step)[0] - value(f, 0.4 - step)[0]) / (2.0 * step)
    assert value(f, 0.4)[1] == pytest.approx(slope, rel=1e-8)
