"""Figures 9 and 13: edge impacts of a square block of 1 kg tilted by 5 degrees.

The numbers were read from an independent evaluation of equation (20), not from the figures. The
caption's "h = 20 cm" may mean the height of the block or of its centre of mass; both are given.
"""

from math import cos, nan, pi, sin

import numpy as np
import pytest

from mcrock.impact.varkonyi_2022 import (
    edge_energy_change,
    edge_energy_roots,
    edge_map,
    kinetic_energy,
    lift_speed,
)

PRINTED = 0.51e-5  # five decimals of an angular velocity [rad/s]
PRINTED_TORQUE = 0.51e-7  # seven decimals of an angular impulse [N m s]
ENERGY_RTOL = 1e-12  # rounding
HALF, TILT = 0.05, pi / 36
UP = (0.0, 0.0, 1.0)


def block(com_height):
    """Inertia (6,), pivots V_1 and V_0 before and after, ground axes, tilted about the edge x = +b1."""
    about = (HALF**2 + com_height**2) / 3
    inertia = np.diag([about, about, 2 * HALF**2 / 3])
    turn = np.array([[cos(TILT), 0, sin(TILT)], [0, 1, 0], [-sin(TILT), 0, cos(TILT)]])
    theta = turn @ inertia @ turn.T
    old, new = turn @ [HALF, HALF, -com_height], turn @ [HALF, -HALF, -com_height]
    return tuple(theta[np.triu_indices(3)]), tuple(old), tuple(new)


FIGURE_9 = [  # lambda, tau [N m s], omega after for a COM at 20 cm and at 10 cm [rad/s]
    (0.0, 0.0, [1, -0.05714, 0], [1, -0.24656, 0]),
    (0.5, 0.0, [0.95855, -0.05918, -0.01798], [0.86337, -0.23324, -0.01127]),
    (1.0, 0.0, [0.91849, -0.06044, -0.03133], [0.74392, -0.22080, -0.01861]),
    (0.5, 0.002, [0.88142, 0.08213, 0.75642], [0.65586, 0.03022, 0.75130]),
    (-1.0, 0.0, [1.08647, -0.04864, 0.06108], [1.34074, -0.27379, 0.04739]),
]


@pytest.mark.parametrize(("lambda_", "tau", "high", "low"), FIGURE_9)
def test_figure_9(lambda_, tau, high, low):
    for com_height, expected in ((0.2, high), (0.1, low)):
        inertia, old, new = block(com_height)
        after = edge_map(1.0, inertia, old, new, (1.0, 0.0, 0.0), UP, lambda_, tau)
        assert after == pytest.approx(expected, abs=PRINTED)
        assert lift_speed(old, new, after, UP) > 0


@pytest.mark.parametrize(("lambda_", "tau", "high", "low"), FIGURE_9)
def test_the_other_side_mirrors_figure_9(lambda_, tau, high, low):
    """Tilted over x = -b1 instead: w_y, w_z and tau change sign."""
    for com_height, expected in ((0.2, high), (0.1, low)):
        inertia, old, new = block(com_height)
        xx, xy, xz, yy, yz, zz = inertia
        mirrored = (xx, -xy, -xz, yy, yz, zz)
        a, b = ((-p[0], p[1], p[2]) for p in (new, old))
        after = edge_map(1.0, mirrored, b, a, (1.0, 0.0, 0.0), UP, lambda_, -tau)
        assert after == pytest.approx(np.array(expected) * [1, -1, -1], abs=PRINTED)


def test_lambda_zero_conserves_energy_and_less_gains():
    for com_height in (0.2, 0.1):
        inertia, old, new = block(com_height)
        before = kinetic_energy(1.0, inertia, old, (1.0, 0.0, 0.0))
        for lambda_, sign in ((-1.0, 1), (-0.1, 1), (0.0, 0), (0.1, -1), (1.0, -1)):
            change = edge_energy_change(1.0, inertia, old, new, (1.0, 0.0, 0.0), UP, lambda_, 0.0)
            assert np.sign(change) * (abs(change) > ENERGY_RTOL * before) == sign


FIGURE_13 = [  # omega_z before [rad/s], lambda, interval of tau without gain of energy [N m s]
    (0.0, 0.25, [-0.0022577, 0.0022472]),
    (0.0, 0.50, [-0.0033314, 0.0033848]),
    (0.0, 1.00, [-0.0051314, 0.0053132]),
    (1.0, 0.25, [-0.0056125, 0.0013921]),
    (1.0, 0.50, [-0.0064601, 0.0026288]),
    (1.0, 1.00, [-0.0080030, 0.0049506]),
    (-1.0, 0.25, [-0.0010265, 0.0052257]),
    (-1.0, 0.50, [-0.0019716, 0.0059096]),
    (-1.0, 1.00, [-0.0037760, 0.0071921]),
]


@pytest.mark.parametrize(("spin", "lambda_", "interval"), FIGURE_13)
@pytest.mark.parametrize("along", [0.0, 1.0, -3.0])
def test_figure_13(spin, lambda_, interval, along):
    """The interval does not depend on the velocity along the edge, and scales with the motion."""
    inertia, old, new = block(0.2)
    omega = (1.0, along, spin)
    roots = edge_energy_roots(1.0, inertia, old, new, omega, UP, lambda_)
    assert roots == pytest.approx(interval, abs=PRINTED_TORQUE)
    doubled = edge_energy_roots(1.0, inertia, old, new, tuple(2 * x for x in omega), UP, lambda_)
    assert doubled == pytest.approx([2 * root for root in interval], abs=2 * PRINTED_TORQUE)
    middle = 0.5 * sum(interval)
    assert edge_energy_change(1.0, inertia, old, new, omega, UP, lambda_, middle) < 0
    for end, sign in zip(interval, (-1, 1), strict=True):
        outside = end + sign * 10 * PRINTED_TORQUE
        assert edge_energy_change(1.0, inertia, old, new, omega, UP, lambda_, outside) > 0


@pytest.mark.parametrize("size", [1e-3, 16.0, 1e4])
@pytest.mark.parametrize("lambda_", [0.0, 0.5, 1.0])
def test_interval_of_tau_scales_with_the_body(size, lambda_):
    """tau as m L^2 / T of lengths by ``size`` and times by its root: it has no unit that matters."""
    inertia, old, new = block(0.2)
    clock, omega = size**0.5, np.array([1.0, 0.3, 0.4])
    roots = edge_energy_roots(1.0, inertia, old, new, tuple(omega), UP, lambda_)
    large = [tuple(power * np.array(x)) for power, x in ((size**5, inertia), (size, old), (size, new))]
    scaled = edge_energy_roots(size**3, *large, tuple(omega / clock), UP, lambda_)
    # of rounding next to the wider end
    width = np.abs(roots).max()
    assert np.array(scaled) * clock / size**5 == pytest.approx(roots, rel=0.0, abs=ENERGY_RTOL * width)


def test_no_torque_helps_below_a_negative_lambda():
    inertia, old, new = block(0.2)
    assert edge_energy_roots(1.0, inertia, old, new, (1.0, 0.0, 0.0), UP, -0.5) == pytest.approx(
        [nan, nan], nan_ok=True
    )


def test_off_centre_block_keeps_energy_at_another_lambda():
    """Erratum 4: COM 1 cm along the edge, dE = 0 at lambda -0.0085 one way and +0.0085 the other."""
    inertia, old, new = block(0.2)
    shift = np.array([0.0, 0.01, 0.0])
    ends = [tuple(np.array(p) - shift) for p in (old, new)]
    half_width = 0.0001  # the erratum gives four decimals
    bounds = {}
    for way, (b, a), omega in (("one", ends, 1.0), ("other", ends[::-1], -1.0)):
        for lambda_ in (-0.0085, 0.0085):
            signs = [
                edge_energy_change(1.0, inertia, b, a, (omega, 0.0, 0.0), UP, lambda_ + d, 0.0) > 0
                for d in (-half_width, half_width)
            ]
            bounds[way, lambda_] = signs == [True, False]
    assert sum(bounds.values()) == 2
    assert bounds["one", -0.0085] != bounds["one", 0.0085]
    assert bounds["one", -0.0085] == bounds["other", 0.0085]


def test_singularity_of_equation_18_is_far_outside():
    """det(Theta - m R_R R_a) = 0 at lambda -3.55 and -22.7, none in [-1, 1] nor above."""
    inertia, old, new = block(0.2)

    def grows(lambda_, side):
        after = edge_map(1.0, inertia, old, new, (1.0, 0.0, 0.0), UP, lambda_ + side, 0.0)
        return after[0]

    for lambda_, within in ((-3.55, 0.01), (-22.7, 0.1)):  # the sign changes through infinity
        assert grows(lambda_, -within) * grows(lambda_, within) < 0
        assert min(abs(grows(lambda_, -within)), abs(grows(lambda_, within))) > 1
    smooth = [
        np.abs(edge_map(1.0, inertia, old, new, (1.0, 0.0, 0.0), UP, x, 0.0)).max()
        for x in np.linspace(-1, 20, 400)
    ]
    assert max(smooth) < 1.2
