"""Overturning limits of the planar block: exact criteria, published numbers, an independent integrator.

Zhang, J., Makris, N. (2001). Rocking response of free-standing blocks under cycloidal pulses.
Journal of Engineering Mechanics 127(5), 473-483: a branch with one impact, one without, and safe
islands. Amplitudes here are over (slenderness x gravity).
"""

from math import asin, exp, pi, sin, tan

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

from mcrock.excitation import half_sine, one_cosine, one_sine
from mcrock.excitation.pulses import make_pulse
from mcrock.planar import overturning_spectrum
from tests.physics.bodies import overturns_by_solve_ivp

SLENDER = 1e-4  # a block that follows the linear equation to 1e-8 [rad]
LINEAR_TOL = 1e-6  # of critical amplitudes of the slender block: the tolerance of the limits
TABLE_TOL = 1e-4  # of published limits with four decimals


def rectangle_pulse(peak, angular_frequency):
    """Constant acceleration for half a period of that frequency [rad/s]."""
    return make_pulse("rectangle", period=2 * pi / angular_frequency, peak=peak)


def limits(pulse, ratio, slenderness, r, largest, **options):
    """Bands (lower, upper, impacts) of one spectrum ordinate, over (slenderness x gravity)."""
    scale = tan(slenderness) / slenderness
    options = {"angular_frequency": 3.0, **options}
    ds = overturning_spectrum(
        pulse(1.0, 3.0), slenderness, [ratio], r=r, largest_amplitude=largest / scale, **options
    )
    columns = (ds[name].values.ravel() for name in ("lower", "upper", "impacts"))
    return [
        (scale * low, scale * high, int(impacts))
        for low, high, impacts in zip(*columns, strict=True)
        if impacts >= 0
    ]


def critical_amplitude(shape, ratio, cycles):
    """Amplitude at which p int a e^{-pt} dt = 1 from the start of rocking on; time in units of 1/p.

    ``shape`` is the pulse of unit amplitude over its phase, in radians.
    """

    def excess(amplitude):
        start = asin(1 / amplitude) if shape(0.0) == 0.0 else 0.0
        grown = quad(
            lambda angle: shape(angle) * exp(-(angle - start) / ratio), start, 2 * pi * cycles, epsabs=1e-13
        )
        return amplitude * grown[0] / ratio - 1

    return brentq(excess, 1.0 + 1e-12, 200.0, xtol=1e-12)


@pytest.mark.parametrize(
    ("pulse", "shape", "cycles", "ratios"),
    [
        (one_sine, sin, 1.0, [1.0, 2.0, 3.0, 5.0, 8.0]),
        (one_cosine, lambda angle: sin(angle + pi / 2), 1.0, [1.0, 2.0, 4.0]),
        (half_sine, sin, 0.5, [1.0, 2.0, 5.0, 9.0]),
    ],
)
def test_the_branch_without_impact_is_the_laplace_criterion(pulse, shape, cycles, ratios):
    for ratio in ratios:
        expected = critical_amplitude(shape, ratio, cycles)
        bands = limits(pulse, ratio, SLENDER, 0.9, 1.5 * expected, scan=500)
        without = [band for band in bands if band[2] == 0]
        assert without[-1][0] == pytest.approx(expected, rel=LINEAR_TOL)


@pytest.mark.parametrize("ratio", [1.0, 2.0, 3.0, 5.0])
def test_a_rectangular_pulse_in_closed_form(ratio):
    bands = limits(rectangle_pulse, ratio, SLENDER, 0.9, 8.0)
    assert bands == [(pytest.approx(1 / (1 - exp(-pi / ratio)), rel=LINEAR_TOL), np.inf, 0)]


HOUSNER = "housner_1963"
PUBLISHED = [  # pulse, omega_p/p, slenderness [rad], r, changes of the outcome and impacts of the first band
    (one_sine, 3, 0.25, 0.9, [1.4354, 3.6049, 3.7428], 1),
    (one_sine, 5, 0.25, 0.9, [3.0323, 6.7430, 7.4930], 1),
    (one_sine, 6, 0.25, 0.9, [4.9199, 8.5082, 9.9180], 1),
    (one_sine, 8, 0.25, 0.9, [15.9049], 0),
    (one_cosine, 2, 0.25, 0.9, [1.4401, 4.3214, 5.3001], 1),
    (half_sine, 2, 0.25, 0.9, [1.8400], 0),
    (half_sine, 5, 0.25, 0.9, [3.3698], 0),
    (rectangle_pulse, 3, 0.25, 0.9, [1.5738], 0),
    (one_sine, 4, 0.10, HOUSNER, [1.6713, 5.2243, 5.2701], 1),
    (one_sine, 6, 0.10, HOUSNER, [3.5862, 9.3327, 9.4955], 1),
    (one_sine, 3, 0.20, HOUSNER, [1.4071, 3.6258, 3.7021], 1),
    (one_sine, 5, 0.20, HOUSNER, [2.6254, 6.9758, 7.3745], 1),
    (one_sine, 4, 0.35, HOUSNER, [2.1936, 4.8863, 5.6338], 1),
    (one_sine, 5, 0.35, HOUSNER, [4.2411, 6.0515, 7.8170], 1),
    (one_sine, 6, 0.35, HOUSNER, [10.419], 0),
]


@pytest.mark.parametrize(("pulse", "ratio", "slenderness", "r", "changes", "impacts"), PUBLISHED)
def test_published_limits(pulse, ratio, slenderness, r, changes, impacts):
    bands = limits(pulse, ratio, slenderness, r, 1.2 * changes[-1])
    found = [amplitude for band in bands for amplitude in band[:2] if np.isfinite(amplitude)]
    assert found == pytest.approx(changes, rel=TABLE_TOL)
    assert [band[2] for band in bands] == [impacts, 0][: len(bands)]


def test_linear_limits_of_zhang_and_makris():
    """Slender block, r = 0.9, omega_p = 5 p: 3.02 to 6.32 with one impact, above 7.17 without."""
    (low, high, with_impact), (last, end, without) = limits(one_sine, 5.0, SLENDER, 0.9, 10.0)
    assert (low, high, last) == pytest.approx((3.0186, 6.3181, 7.1681), rel=TABLE_TOL)
    assert (with_impact, without, end) == (1, 0, np.inf)


def test_thin_bands_agree_with_solve_ivp():
    """A band after three impacts and an island, both 0.2 % wide: found, and there for another integrator."""
    bands = limits(one_sine, 1.0, 0.25, 0.9, 4.0)
    assert [band[2] for band in bands] == [3, 1, 0]
    (low, high, _), (_, island, _), (last, _, _) = bands
    assert high / low < 1.004
    assert last / island < 1.002
    for amplitude, below, above in ((low, None, 3), (high, 3, None), (island, 1, None), (last, None, 0)):
        assert overturns_by_solve_ivp(0.25, 0.9, 1.0, amplitude * (1 - 1e-5)) == below
        assert overturns_by_solve_ivp(0.25, 0.9, 1.0, amplitude * (1 + 1e-5)) == above


def test_islands_thinner_than_the_scan_are_found():
    """Ten amplitudes from 1 to 6, each 22 % above the last, and an island of 1.4 %."""
    coarse, fine = (limits(one_sine, 2.0, 0.25, 0.9, 6.0, scan=scan) for scan in (10, 1000))
    assert np.array(coarse)[:, :2] == pytest.approx(np.array(fine)[:, :2], rel=2e-6)
    assert [band[2] for band in coarse] == [1, 0]


def test_a_larger_similar_block_is_safer():
    """One sine of 0.5 s and 2 g tan(slenderness), slenderness 0.2: up to R = 0.5 m it overturns."""
    radii = np.array([0.25, 0.5, 1.0, 2.0, 4.0])
    periods = 2 * pi / np.sqrt(3 * 9.81 / (4 * radii))
    ds = overturning_spectrum(one_sine(1.0, 4 * pi), 0.2, periods=periods, largest_amplitude=4.0)
    assert ds["radius"].values.ravel() == pytest.approx(radii)
    inside = ((ds["lower"] <= 2.0) & (ds["upper"] > 2.0)).any("band").values.ravel()
    assert inside.tolist() == [True, True, False, False, False]
