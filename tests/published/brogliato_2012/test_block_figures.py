"""Figs. 2 to 5, Table 1 and the critical values of Brogliato, Zhang and Liu (2012), recomputed."""

from math import acos, pi, sqrt

import numpy as np
import pytest

from mcrock.laws import brogliato_2012 as domains
from mcrock.laws import system_example
from mcrock.laws.brogliato_2012 import block_problem, generalized_kinematic
from mcrock.laws.inequalities import moreau, newton
from mcrock.planar import rectangle

ASPECTS = np.linspace(0.05, 12.0, 240)
LIMIT = 1e-12


def blocks():
    return [(a, rectangle(1.0, a)) for a in ASPECTS]


def test_fig_2_sliding_rocking():
    """e_n21 from max(0, (l^2 - 2 L^2)/(l^2 + 4 L^2)) to 1 (section 3.3)."""
    for a, block in blocks():
        low = max(0.0, (a * a - 2) / (a * a + 4))
        assert domains.sliding_domain(block) == pytest.approx((low, 1.0), abs=LIMIT)


def test_fig_3_sticking_rocking():
    """e_n21 from max(0, (2 l^2 - L^2)/(2 (l^2 + L^2))) to 1 (section 3.4)."""
    for a, block in blocks():
        low = max(0.0, (2 * a * a - 1) / (2 * (a * a + 1)))
        assert domains.sticking_domain(block) == pytest.approx((low, 1.0), abs=LIMIT)


def test_fig_4_and_5_angular_restitution():
    """r from -1 to min(0, r_sli), though the text ends 3.7.1 with the other sign, and to min(0, r_H)."""
    for a, block in blocks():
        sliding = (2 - a * a) / (4 + a * a)
        housner = (1 - 2 * a * a) / (2 * (1 + a * a))
        assert domains.sliding_ratio(block) == pytest.approx(sliding, abs=LIMIT)
        assert domains.housner_ratio(block) == pytest.approx(housner, abs=LIMIT)
        for domain, high in ((domains.sliding_domain, sliding), (domains.sticking_domain, housner)):
            assert domains.angular_domain(domain(block)) == pytest.approx((-1.0, min(0.0, high)), abs=LIMIT)
        assert sliding > housner  # assuming sticking constrains more (section 4)
        assert domains.kinetic_angle(block) == pytest.approx(acos(sliding), abs=1e-7)


def test_housner_ratio_of_the_angle():
    """r_H = -(1 - 3/2 sin^2 alpha) for alpha = arctan(L/l), the slenderness."""
    for a, block in blocks():
        assert domains.housner_ratio(block) == pytest.approx(-(1 - 1.5 / (1 + a * a)), abs=LIMIT)


def test_range_of_the_kinetic_angle():
    """From pi/3 for l -> 0 to pi for l -> infinity, pi/2 at l = sqrt2 L (section 2.2)."""
    assert domains.kinetic_angle(rectangle(1.0, 1e-6)) == pytest.approx(pi / 3, abs=1e-9)
    assert domains.kinetic_angle(rectangle(1.0, 1e7)) == pytest.approx(pi, abs=1e-6)
    assert domains.kinetic_angle(rectangle(1.0, sqrt(2))) == pytest.approx(pi / 2, abs=LIMIT)
    angles = [domains.kinetic_angle(block) for _, block in blocks()]
    assert np.all(np.diff(angles) > 0.0)


@pytest.mark.parametrize("mu", [0.0, 0.1, 0.3, 1.0])
def test_critical_values_of_section_4(mu):
    found = domains.critical_aspects(mu)
    root = sqrt(9 * mu**2 + 8)
    assert found["a"] == pytest.approx((1 / sqrt(2), pi - acos(-1 / 3)))
    assert found["b"] == pytest.approx((sqrt(2), pi / 2))
    for name, sign in (("c", -1.0), ("d", 1.0)):
        square = 18 * mu**2 + sign * 6 * mu * root
        assert found[name].aspect == pytest.approx((sign * 3 * mu + root) / 2)
        assert found[name].angle == pytest.approx(pi - acos(square / (square + 24)))


def test_table_1_slender_and_flat():
    """Every row, with coefficients and critical angles, for l = 2 L and l = 0.6 L, mu = 0.3."""
    mu = 0.3
    slender = {row.motion: row for row in domains.rocking_cases(rectangle(1.0, 2.0), mu)}
    flat = {row.motion: row for row in domains.rocking_cases(rectangle(1.0, 0.6), mu)}
    assert list(slender) == list(flat)
    expected = {  # e_n21 of the slender block, and of the flat one
        "sliding rocking, no friction": ((0.25, 1.0), (0.0, 1.0)),
        "sticking rocking": ((0.7, 1.0), (0.0, 1.0)),
        "sticking rocking, Coulomb friction": ((1.7 / 2.3, 1.0), (0.3 / 0.9, 1.0)),
        "rocking, slip to the right": ((3.8 / 6.2, 1.0), (0.0, 1.0)),
        "rocking, slip to the left": ((0.2 / 9.8, 1.0), (0.0, 1.0)),
    }
    for motion, pair in expected.items():
        for row, domain in zip((slender[motion], flat[motion]), pair, strict=True):
            assert row.e_n1 == (0.0, 0.0)
            assert row.e_n21 == pytest.approx(domain, abs=LIMIT)
            assert row.r == pytest.approx((-domain[1], -domain[0]), abs=LIMIT)
    for motion, highest in (
        ("half rocking, no friction", 1.0),
        ("half rocking, slip to the right", (4.36 - 0.27) / (4.36 + 0.27)),
    ):
        assert slender[motion].e_n1 is None  # only flat blocks half-rock
        assert flat[motion].e_n1 == flat[motion].r == pytest.approx((0.0, highest), abs=LIMIT)
        assert flat[motion].e_n21 == (0.0, 0.0)
    gamma, beta = pi - acos(-1 / 3), pi / 2
    assert slender["sliding rocking, no friction"].critical_angle == pytest.approx(beta)
    assert slender["sticking rocking"].critical_angle == pytest.approx(gamma)
    assert slender["half rocking, no friction"].critical_angle == pytest.approx(beta)


def test_example_draws_these_domains():
    ds = system_example("block_domains", friction=0.3, aspect=2.0, largest_aspect=6.0)
    a = ds["aspect"].values
    low = ds["low"].sel(domain="e_n21, sliding").values
    assert np.allclose(low, np.maximum(0.0, (a**2 - 2) / (a**2 + 4)), atol=LIMIT)
    right = ds["high"].sel(domain="e_n21, slip right").values
    assert np.array_equal(np.isfinite(right), a <= 1 / 0.3)
    half = ds["high"].sel(domain="e_n1, half rocking").values
    assert np.array_equal(np.isfinite(half), a <= sqrt(2) * (1 + 1e-12))
    assert float(ds["e_n21_low"].sel(motion="sticking rocking")) == pytest.approx(0.7)


@pytest.mark.parametrize("aspect", [1.5, 2.0, 4.0])
def test_remark_4_holds_for_the_equality_law_alone(aspect):
    """A diagonal E_n cannot rock; with the inequalities of Newton's and Moreau's laws a slender block does.

    The left corner leaves without impulse and r = r_sli, though all coefficients are 0.
    """
    block = rectangle(1.0, aspect)
    problem = block_problem(block, -1.0)
    equality = generalized_kinematic(problem, normal=np.zeros((2, 2)))
    assert equality.velocity[1:] == pytest.approx([0.0, 0.0], abs=LIMIT)
    assert not equality.kinetic  # it holds A down
    for result in (newton(problem, restitution=0.0), moreau(problem, restitution=0.0)):
        assert result.impulse[1] == pytest.approx(0.0, abs=LIMIT)
        assert result.velocity[2] == pytest.approx(domains.sliding_ratio(block), abs=LIMIT)
        assert result.consistent


def test_flat_blocks_come_to_rest_by_either_form():
    problem = block_problem(rectangle(1.0, 1.0), -1.0)
    for result in (
        generalized_kinematic(problem, normal=np.zeros((2, 2))),
        newton(problem, restitution=0.0),
        moreau(problem, restitution=0.0),
    ):
        assert result.velocity[1:] == pytest.approx([0.0, 0.0], abs=LIMIT)
        assert result.consistent
