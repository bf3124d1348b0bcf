"""Domains of the coefficients of a planar block: against impacts themselves, limits, degenerate inputs."""

from math import inf, nan, pi, sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mcrock.laws import brogliato_2012 as domains
from mcrock.laws.brogliato_2012 import block_impact, block_problem, kinetic_angles
from mcrock.planar import PlanarBlock, admissible_ratios, rectangle
from tests.unit.planar.blocks import blocks

BLOCKS = blocks(off_centre=False)
SHARE = st.floats(0.0, 1.0)
FRICTION = st.floats(0.0, 3.0)
SLIPS = st.sampled_from(["right", "left"])
EDGE = 1e-6  # how near the end of a domain a coefficient is not tried


def flat_blocks():
    """Blocks of aspects from 0.1 to 10, homogeneous."""
    return st.floats(0.1, 10.0).map(lambda aspect: rectangle(1.0, aspect))


def impulses_of_slip(block, e, friction, sign):
    """Impulses of B and A for slip in a direction, solved from (28) with |rate| = 1."""
    m, inertia, half, height = block.mass, block.inertia, 0.5 * block.width, block.com_height
    # unknown p1, p2, p_t: vertical and angular momentum, p_t = -s mu (p1 + p2)
    matrix = [[1, 1, 0], [half, -half, height], [sign * friction, sign * friction, 1]]
    right = [m * half * (1 + e), inertia * (1 - e), 0]
    return np.linalg.solve(matrix, right)[:2]


def contains(domain, value):
    return domain is not None and domain[0] <= value <= domain[1]


def near_end(domain, value):
    return domain is not None and min(abs(value - domain[0]), abs(value - domain[1])) < EDGE


@given(st.one_of(BLOCKS, flat_blocks()), SHARE, st.sampled_from(["frictionless", "sticking"]))
def test_domain_without_slip_law_is_where_no_corner_pulls(block, e, tangential):
    domain = domains.sliding_domain(block) if tangential == "frictionless" else domains.sticking_domain(block)
    assume(not near_end(domain, e))
    assert block_impact(block, -1.0, e_n21=e, tangential=tangential).consistent == contains(domain, e)


@given(st.one_of(BLOCKS, flat_blocks()), SHARE, FRICTION)
def test_sticking_by_friction(block, e, friction):
    domain = domains.sticking_domain(block, friction)
    assume(not near_end(domain, e))
    assert block_impact(block, -1.0, e_n21=e, friction=friction).consistent == contains(domain, e)


@given(st.one_of(BLOCKS, flat_blocks()), SHARE, FRICTION, SLIPS)
def test_slip_domain_is_where_no_corner_pulls(block, e, friction, slip):
    domain = domains.sliding_coulomb_domain(block, friction, slip)
    assume(not near_end(domain, e))
    push = impulses_of_slip(block, e, friction, domains.SLIPS[slip])
    assume(np.abs(push).min() > EDGE * np.abs(push).max())
    assert (push.min() >= 0.0) == contains(domain, e)


@given(st.one_of(BLOCKS, flat_blocks()), SHARE, FRICTION, SLIPS, st.floats(-5.0, 5.0))
def test_slip_domain_of_a_speed_is_what_coulomb_reaches(block, e, friction, slip, speed):
    """With the speed given: the domain is where the unique outcome of Coulomb's law slips that way."""
    domain = domains.sliding_coulomb_domain(block, friction, slip, speed)
    assume(not near_end(domain, e))
    result = block_impact(block, -1.0, speed * block.width, e_n21=e, tangential="coulomb", friction=friction)
    after = domains.SLIPS[slip] * result.notes["slip_after"]
    size = block.width * (1 + abs(speed)) + block.com_height
    assume(abs(after) > EDGE * size)
    assume(np.abs(result.impulse).min() > EDGE * np.abs(result.impulse).max())
    assert (after > 0.0 and result.consistent) == contains(domain, e)


@given(st.one_of(BLOCKS, flat_blocks()), SHARE, st.floats(0.0, 2.0), st.floats(0.0, 5.0))
def test_sufficient_domain_suits_every_slip_to_the_right(block, share, friction, speed):
    domain = domains.sliding_coulomb_sufficient(block, friction)
    assume(domain is not None)
    e = domain[0] + share * (domain[1] - domain[0])
    x = block.com_height + speed * block.width  # slips to the right before, for |rate| = 1
    result = block_impact(block, -1.0, x, e_n21=e, tangential="coulomb", friction=friction)
    assume(result.notes["slip_after"] > 0.0)
    assert result.energetic
    assert result.kinematic
    assert result.impulse.min() >= -1e-9 * np.abs(result.impulse).max() * (1 + domains.aspect_of(block) ** 2)


@given(st.floats(0.1, 1.4), SHARE, SHARE, st.floats(0.0, 5.0))
def test_half_rocking_suits_every_slip_to_the_right(aspect, share, of_most, speed):
    block = rectangle(1.0, aspect)
    friction = of_most * domains.block_coefficients(block, 0.0).mu_half_rocking_max
    domain = domains.half_rocking_domain(block, friction)
    x = block.com_height + speed * block.width  # slips to the right before, for |rate| = 1
    result = block_impact(block, -1.0, x, e_n1=share * domain[1], tangential="coulomb", friction=friction)
    assume(result.notes["slip_after"] > 0.0)
    assert result.consistent


@given(flat_blocks(), FRICTION)
def test_half_rocking_ends_with_its_friction(block, friction):
    limit = domains.block_coefficients(block, friction).mu_half_rocking_max
    assume(abs(friction - limit) > EDGE)
    assert (domains.half_rocking_domain(block, friction) is None) == (friction > limit)


@given(st.one_of(BLOCKS, flat_blocks()), SHARE)
def test_half_rocking_without_friction(block, e):
    result = block_impact(block, -1.0, e_n1=e, tangential="frictionless")
    assume(abs(domains.inertia_ratio(block) - 1.0) > EDGE)
    assert result.consistent == contains(domains.half_rocking_domain(block), e)


@given(BLOCKS, FRICTION)
def test_domains_join_at_no_friction(block, friction):
    none = domains.sliding_domain(block)
    for slip in ("right", "left"):
        assert domains.sliding_coulomb_domain(block, 0.0, slip) == pytest.approx(none, abs=1e-12)
    assert domains.sliding_coulomb_sufficient(block, 0.0) == pytest.approx(none, abs=1e-12)
    assert domains.half_rocking_domain(block, 0.0) == domains.half_rocking_domain(block)
    assert domains.sticking_domain(block, inf) == domains.sticking_domain(block)
    assert domains.sticking_domain(block, 0.0) == (1.0, 1.0)
    assert domains.sticking_domain(block, friction) == admissible_ratios(block, friction)


@given(BLOCKS)
def test_kinetic_angle_of_the_block_is_that_of_its_contacts(block):
    angle = kinetic_angles(block_problem(block, -1.0))[0, 1]
    assert domains.kinetic_angle(block) == pytest.approx(angle, abs=1e-7)  # arccos near its ends
    assert np.cos(angle) == pytest.approx(domains.sliding_ratio(block), abs=1e-12)


@given(BLOCKS, st.floats(0.0, 2.0))
def test_formulas_of_homogeneous_blocks(block, mu):
    """The forms of the paper in l and L, corrected where it is wrong."""
    L, l = block.width, 2 * block.com_height  # noqa: E741
    block = rectangle(L, l)
    found = domains.block_coefficients(block, mu)
    below = l * l + 4 * L * L - 3 * mu * l * L
    assume(abs(below) > 1e-6 * l * l)
    assert found.e_c1_plus == pytest.approx((l * l - 2 * L * L + 3 * mu * l * L) / below)
    assert found.e_c1_minus == pytest.approx(
        (l * l - 2 * L * L - 3 * mu * l * L) / (l * l + 4 * L * L + 3 * mu * l * L)
    )
    energy = (l * l + 4 * L * L - 3 * mu**2 * L * L) / (l * l + 4 * L * L + 3 * mu**2 * L * L)
    assert found.e_c2_plus == found.e_c3_plus == pytest.approx(energy)
    assert found.mu_c == pytest.approx(sqrt((l * l + 4 * L * L) / (3 * L * L)))
    assert found.mu_half_rocking_max == pytest.approx(min((2 * L * L - l * l) / (3 * l * L), found.mu_c))


def test_friction_without_limit():
    """The bounds tend to their limits, and slip against infinite friction is impossible."""
    block = rectangle(1.0, 2.0)
    near, limit = domains.block_coefficients(block, 1e9), domains.block_coefficients(block, inf)
    assert near == pytest.approx(limit, abs=1e-8)
    for slip in ("right", "left"):
        assert domains.sliding_coulomb_domain(block, inf, slip) is None
        assert domains.sliding_coulomb_domain(block, 1e9, slip) is None
    assert domains.half_rocking_domain(rectangle(1.0, 0.5), inf) is None
    assert domains.sliding_coulomb_sufficient(block, inf) is None


def test_slip_to_the_right_ends_in_a_point():
    """mu = L/l: the only coefficient is 1; above it none, though the bound of (31) turns negative at last."""
    for l in (2.0, 3.0, 0.7, 5.5):  # noqa: E741
        block = rectangle(1.0, l)
        domain = domains.sliding_coulomb_domain(block, 1.0 / l, "right")
        assert domain == pytest.approx((1.0, 1.0), abs=1e-12)
        assert domains.sliding_coulomb_domain(block, 1.0 / l + 1e-9, "right") is None
        far = 2 * (l * l + 4) / (3 * l)
        assert domains.block_coefficients(block, far).e_c1_plus < 0.0
        assert domains.sliding_coulomb_domain(block, far, "right") is None


def test_pole_of_the_bound():
    """4 L^2 + l^2 = 3 mu l L, exactly: l = 2 L, mu = 4/3."""
    block = PlanarBlock(0.5, 0.5, 1.0, 12.0, 5.0)  # k = 5/3, a = 2
    mu = (1 + domains.inertia_ratio(block)) / 2
    assert domains.block_coefficients(block, mu).e_c1_plus == inf
    assert domains.sliding_coulomb_domain(block, mu, "right") is None


def test_slip_to_the_left_has_an_upper_bound():
    """(33) gives B an impulse that would pull for mu > L/l and e_n21 near 1."""
    block = rectangle(1.0, 3.0)
    low, high = domains.sliding_coulomb_domain(block, 0.8, "left")
    l, L, mu = 3.0, 1.0, 0.8  # noqa: E741
    assert high == pytest.approx((l * l + 4 * L * L - 3 * mu * l * L) / (l * l - 2 * L * L + 3 * mu * l * L))
    assert low == 0.0
    assert high < 1.0
    assert impulses_of_slip(block, 1.0, mu, -1.0)[0] < 0.0
    assert domains.sliding_coulomb_domain(block, 1.0 / 3.0, "left")[1] == pytest.approx(1.0)
    assert domains.sliding_coulomb_domain(block, 1.5, "left") is None


def test_block_of_orthogonal_corners():
    """l = sqrt2 L in floating point: half rocking is the last one possible, sliding admits everything."""
    block = rectangle(1.0, sqrt(2.0))
    assert domains.half_rocking_domain(block) == (0.0, 1.0)
    assert domains.half_rocking_domain(block, 1e-9) is None
    assert domains.sliding_domain(block) == pytest.approx((0.0, 1.0), abs=1e-12)
    assert domains.half_rocking_domain(rectangle(1.0, 1.4143)) is None
    assert domains.kinetic_angle(block) == pytest.approx(pi / 2, abs=1e-12)


def test_speed_at_which_the_slip_does_not_choose():
    """mu = a and slip to the left: the slip after does not depend on the coefficient."""
    block = rectangle(1.0, 1.0)
    assert domains.sliding_coulomb_domain(block, 1.0, "left", speed=0.0) is None
    assert domains.sliding_coulomb_domain(block, 1.0, "left", speed=-2.0) is not None


def test_critical_aspects_are_where_the_bounds_vanish():
    for mu in (0.0, 0.1, 0.3, 1.0, 5.0):
        found = domains.critical_aspects(mu)
        assert domains.housner_ratio(rectangle(1.0, found["a"].aspect)) == pytest.approx(0.0, abs=1e-12)
        assert domains.sliding_ratio(rectangle(1.0, found["b"].aspect)) == pytest.approx(0.0, abs=1e-12)
        for name, field in (("c", "e_c1_plus"), ("d", "e_c1_minus")):
            bounds = domains.block_coefficients(rectangle(1.0, found[name].aspect), mu)
            assert getattr(bounds, field) == pytest.approx(0.0, abs=1e-12)
            angle = domains.kinetic_angle(rectangle(1.0, found[name].aspect))
            assert found[name].angle == pytest.approx(angle, abs=1e-7)
    limit = domains.critical_aspects(inf)
    assert (limit["c"].aspect, limit["d"].aspect) == (0.0, inf)
    assert (limit["c"].angle, limit["d"].angle) == pytest.approx((pi / 3, pi))


@given(BLOCKS)
def test_semi_axes_lose_nothing(block):
    """Ends of the axes of the ellipsoid (52)."""
    a, k = domains.aspect_of(block), domains.inertia_ratio(block)
    both = sqrt(1.0 + k + a * a)
    twist, slip = both / sqrt(k), both / a
    size = 1e-9 * both**2 * (1 + both)
    for e_n1, e_n21, e_t3 in (
        (both / 2, both / 2, 0.0),
        (-twist / 2, twist / 2, 0.0),
        (0.0, 0.0, slip),
        (0.0, 1.0, -1.0),
        (1.0, 0.0, 1.0),
    ):
        assert domains.rebound_margins(block, e_n1, e_n21, e_t3)[0] == pytest.approx(0.0, abs=size)


BLOCK = rectangle(1.0, 2.0)
OFF = rectangle(1.0, 2.0, offset=0.1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: domains.sliding_domain(OFF), "is 0.6 m from the left edge and 0.4 m from the right"),
        (lambda: domains.sticking_domain(OFF), "above the middle of the base"),
        (lambda: domains.kinetic_angle(OFF), "above the middle of the base"),
        (lambda: domains.housner_ratio(OFF), "above the middle of the base"),
        (lambda: domains.block_coefficients(BLOCK, -0.1), r"friction must be .* got -0\.1"),
        (lambda: domains.critical_aspects(nan), "friction must be .* got nan"),
        (lambda: domains.sticking_domain(BLOCK, "rough"), "friction must be .* got 'rough'"),
        (lambda: domains.sliding_coulomb_domain(BLOCK, 0.1, "up"), "'right' or 'left', got 'up'"),
        (lambda: domains.rocking_cases(BLOCK, None), "friction must be .* got None"),
    ],
)
def test_what_cannot_be_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
