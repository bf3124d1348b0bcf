"""Figures 11a and 12, and the errata on facet impacts: a block of 10 by 6 cm and 1 kg.

It rocks about V_1V_2 (here edge 0, x = +b1) with omega = (0, -1, 0) before. The caption's
"h = 20 cm" may mean the height of the block or of its centre of mass; both are given.
"""

import numpy as np
import pytest

from mcrock.body import cuboid
from mcrock.impact.varkonyi_2022 import angular_impulse, general_map
from mcrock.kernel import codes
from tests.unit.impact.equations import facet_solutions
from tests.unit.impact.landing import Landing

PRINTED = 0.51e-6  # six decimals of an angular velocity [rad/s]
PRINTED_TAU = {0.2: 0.51e-8, 0.1: 0.51e-7}  # -5.35e-6 and -3.73e-5, three digits [N m s]
PRINTED_SPIN = 0.51e-4  # four decimals of an angular velocity [rad/s]
MAP_ATOL = 1e-9  # impact maps [rad/s]


def block(com_height):
    return cuboid(0.10, 0.06, 2 * com_height, mass=1.0)


def impact_point(lon, lat):
    """(21) for b = 2 [m]."""
    return -0.05 * lon, 0.03 * lat


def solutions(body, lon, lat, tau=None):
    point = np.array([*impact_point(lon, lat), body.base[0, 2]])
    before = np.array([0.0, -1.0, 0.0])
    return facet_solutions(body.mass, body.inertia, body.base, point, body.base[0], before, tau)


FIGURE_12 = [  # lambdas, omega after for a COM at 20 cm and 10 cm, pivots (from 1)
    (0.5, 0.0, [0, -0.954887, 0], [0, -0.837838, 0], [3, 4]),
    (1.0, 0.0, [0, -0.911765, 0], [0, -0.7, 0], [3, 4]),
    (0.5, 0.5, [0.027563, -0.954514, 0], [0.104266, -0.832765, 0], [4]),
    (1.0, 1.0, [0.054339, -0.910326, 0], [0.198161, -0.682166, 0], [4]),
    (0.5, -0.5, [-0.027563, -0.954514, 0], [-0.104266, -0.832765, 0], [3]),
]


@pytest.mark.parametrize(("lon", "lat", "high", "low", "pivots"), FIGURE_12)
def test_figure_12(lon, lat, high, low, pivots):
    for com_height, expected in ((0.2, high), (0.1, low)):
        landing = Landing(block(com_height), lon=lon, lat=lat)
        assert landing.omega == pytest.approx(expected, abs=PRINTED)
        assert [pivot + 1 for pivot in landing.pivots] == pivots
        assert (landing.mode == codes.EDGE) == (len(pivots) == 2)


def test_figure_12_is_continuous_and_bent_at_lambda_lat_zero():
    body, step = block(0.2), 1e-6
    left, middle, right = (Landing(body, lon=0.5, lat=lat).omega for lat in (-step, 0.0, step))
    assert left == pytest.approx(middle, abs=step)
    assert right == pytest.approx(middle, abs=step)
    slopes = (middle - left)[1] / step, (right - middle)[1] / step
    assert slopes[0] == pytest.approx(-slopes[1], rel=1e-3)  # odd but for terms of order `step`
    assert abs(slopes[1]) > 1e-5


@pytest.mark.parametrize("com_height", [0.2, 0.1])
def test_figure_11a(com_height):
    """With (24) every place of the impulse has one pivot, told by the sign of lambda_lat.

    Erratum 5: the pivot is V_4 for lambda_lat > 0, away from R, as the paper's section 5.3 has it and
    its section 4.5 has not.
    """
    body = block(com_height)
    for lon in np.linspace(-1.0, 1.0, 9):
        for lat in np.linspace(-1.0, 1.0, 9):
            landing = Landing(body, lon=lon, lat=lat)
            pivots = [3, 4] if lat == 0 else [4] if lat > 0 else [3]
            assert [pivot + 1 for pivot in landing.pivots] == pivots
            assert {solution.pivot + 1 for solution in solutions(body, lon, lat)} == set(pivots)


def test_parameters_beyond_the_facet_stay_feasible():
    """Erratum 9: the measured lambda_lon > 1 and |lambda_lat| up to 5 are legal on slender blocks."""
    for lon in (-1.5, 0.5, 1.5):
        for lat in (-5.0, 5.0):
            assert Landing(block(0.2), lon=lon, lat=lat).mode != codes.REST


@pytest.mark.parametrize(("com_height", "tau", "spin"), [(0.2, -5.35e-6, 0.0035), (0.1, -3.73e-5, 0.0243)])
def test_no_spin_takes_a_torque(com_height, tau, spin):
    """Erratum 2: a homogeneous block needs tau != 0 for (24) unless its base is square."""
    body = block(com_height)
    landing = Landing(body, lon=1.0, lat=1.0)
    point = (*impact_point(1.0, 1.0), -com_height)
    old, new = tuple(body.base[0]), tuple(body.base[landing.pivots[0]])
    inertia = tuple(body.inertia[np.triu_indices(3)])
    up = (0.0, 0.0, 1.0)
    found = angular_impulse(1.0, inertia, point, old, new, (0.0, -1.0, 0.0), tuple(landing.omega), up)
    assert found == pytest.approx(tau, abs=PRINTED_TAU[com_height])
    xx, yy = (body.inertia[i, i] + com_height**2 for i in range(2))
    jump = (new[0] * landing.omega[1] - new[1] * landing.omega[0]) - old[0] * -1.0
    exact = com_height * point[0] * point[1] * jump * (1 / xx - 1 / yy)
    assert found == pytest.approx(exact, rel=MAP_ATOL)
    forced = general_map(1.0, inertia, point, old, new, (0.0, -1.0, 0.0), up, 0.0)
    assert abs(forced[2]) == pytest.approx(spin, abs=PRINTED_SPIN)
    square = Landing(cuboid(0.1, 0.1, 2 * com_height, mass=1.0), lon=1.0, lat=1.0, tau=0.0)
    assert square.omega[2] == pytest.approx(0.0, abs=MAP_ATOL)


def test_given_torque_may_leave_two_solutions():
    """Erratum 7: tau = -0.002 N m s, lambda_lon = -3, lambda_lat = 4.2; the kernel takes the lossier."""
    body = block(0.2)
    found = solutions(body, -3.0, 4.2, -0.002)
    assert sorted(solution.pivot + 1 for solution in found) == [3, 4]
    landing = Landing(body, lon=-3.0, lat=4.2, tau=-0.002)
    energies = []
    for solution in found:
        a = body.base[solution.pivot]
        v = np.cross(a, solution.omega)
        energies.append(0.5 * solution.omega @ body.inertia @ solution.omega + 0.5 * v @ v)
    best = found[int(np.argmin(energies))]
    assert landing.pivots == [best.pivot]
    assert landing.omega == pytest.approx(best.omega, abs=MAP_ATOL * np.abs(best.omega).max())


def test_given_torque_may_leave_no_solution():
    """Erratum 7: tau = -0.005 N m s has none in part of the square; then the body stops."""
    body = block(0.2)
    counts = {0: 0, 1: 0}
    for lon in np.linspace(-0.95, 0.95, 8):
        for lat in np.linspace(-0.95, 0.95, 8):
            found = solutions(body, lon, lat, -0.005)
            counts[len(found)] += 1
            landing = Landing(body, lon=lon, lat=lat, tau=-0.005)
            assert (landing.mode == codes.REST) == (found == [])
    assert counts[0] > 0
    assert counts[1] > 0
