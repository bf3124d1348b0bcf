"""Where a height known with its rate at both ends of a step comes to zero."""

import numpy as np
import pytest

from mcrock.kernel.roots import cubic_peak, first_landing

GUESS_RTOL = 1e-8  # the root of the cubic: Newton's method, whose last correction is below 1e-5
NEVER = -1.0
TOUCH = 1e-12


def ends(polynomial, h):
    """Value and rate at both ends of a step of a cubic given from the highest power."""
    rate = np.polyder(polynomial)
    return *(float(np.polyval(p, 0.0)) for p in (polynomial, rate)), *(
        float(np.polyval(p, h)) for p in (polynomial, rate)
    )


def landing(polynomial, h):
    z0, v0, z1, v1 = ends(polynomial, h)
    return first_landing(z0, v0, z1, v1, h, TOUCH)


def product(scale, *roots):
    return scale * np.poly(roots)


@pytest.mark.parametrize(
    ("polynomial", "expected"),
    [
        (product(1.0, 0.3, 2.0, 3.0) * -1, 0.3),  # falls through once
        (product(-1.0, 0.7, -1.0, -2.0), 0.7),
        (product(1.0, 0.95, 1.2, -0.05), 0.95),  # the tangent at the middle leads out of the step
        (product(1.0, 0.4, 0.6), 0.4),  # dips below and comes back within the step
        (product(1.0, 0.4, 0.41), 0.4),  # hardly dips
        (product(1.0, -1.0, 0.4, 0.41), 0.4),
        (product(1.0, -0.3, 1.5, 1.7), NEVER),  # positive throughout
        ([1.0, -0.8, 0.17], NEVER),  # nearly touches
        (product(-1.0, 0.0, 0.6), 0.6),  # leaves the ground and lands in the step
        (product(1.0, 0.0, 0.4, 0.7), 0.4),  # the same, and is up again at its end
        (product(1.0, 0.0, 0.4, 0.401), 0.4),  # hardly comes back to it
        (product(1.0, 0.0, 1.1, 1.3), NEVER),  # comes back after the step
        (product(1.0, 0.0, 1.3, 2.0), NEVER),  # leaves the ground for good
        (product(1.0, 0.0, 0.0), NEVER),  # accelerates off the ground from rest
        (product(-1.0, 0.0, 0.0), 0.0),  # sinks at once from rest
        (product(-0.5, 0.0, 0.0, -1.0), 0.0),  # the same, ever faster
        ([-1.0, 0.0], 0.0),  # sinks at once
        (product(-1.0, 0.0, 0.0, 0.5), 0.5),  # is lifted from rest and dropped
    ],
)
@pytest.mark.parametrize("h", [1.0, 1e-3])
def test_first_landing(polynomial, expected, h):
    """Steps of 1 s and, with time compressed, of 1 ms."""
    degree = len(polynomial) - 1
    stretched = np.array(polynomial) / h ** np.arange(degree, -1, -1)
    found = landing(stretched, h)
    assert found == pytest.approx(expected if expected == NEVER else expected * h, rel=GUESS_RTOL, abs=0.0)


def test_touch_is_not_a_landing():
    """A start within the tolerance of the ground, moving up, has not landed."""
    assert first_landing(0.5 * TOUCH, 1e-3, 1e-3, 1e-3, 1.0, TOUCH) == NEVER
    assert first_landing(-0.5 * TOUCH, 0.0, 0.5 * TOUCH, 0.0, 1.0, TOUCH) == NEVER


@pytest.mark.parametrize("peak", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("h", [1.0, 0.25])
def test_cubic_peak(peak, h):
    """Of a parabola and of a cubic, with time compressed too."""
    parabola = np.array([-1.0, 2 * peak, 0.3]) / h ** np.arange(2, -1, -1)
    assert cubic_peak(*ends(parabola, h), h) == pytest.approx(0.3 + peak**2, abs=1e-10)
    cubic = np.polyint([-1.0, 0.0, peak**2], k=0.1) / h ** np.arange(3, -1, -1)
    assert cubic_peak(*ends(cubic, h), h) == pytest.approx(0.1 + 2 * peak**3 / 3, abs=1e-10)


def test_cubic_peak_is_at_least_the_ends():
    assert cubic_peak(1.0, 1e-300, 0.0, -1.0, 1.0) >= 1.0


@pytest.mark.parametrize("v0", [0.0, 1e-19, 2.6e-19, 1e-17, -1e-19])
@pytest.mark.parametrize("snap", [0.0071, -0.0071, 50.0])
def test_rounding_of_a_release_is_not_a_landing(v0, snap):
    """An end freed at z = z' = z'' = 0 rises with its jerk; rounding of its rate and what the cubic leaves
    of the fourth order must not bring it back."""
    h, jerk = 5.7e-4, 0.0568
    z1, v1 = jerk * h**3 / 6 + snap * h**4 / 24, jerk * h**2 / 2 + snap * h**3 / 6
    for z0 in (0.0, -1.1e-19, 1.1e-19):
        assert first_landing(z0, v0, z1, v0 + v1, h, TOUCH) == NEVER
