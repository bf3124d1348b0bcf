"""Impact of a planar block by coefficients: equations of motion, friction, symmetry, degenerate inputs."""

from math import inf, nan, sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mcrock.laws.brogliato_2012 import (
    TANGENTIAL,
    aspect_of,
    block_impact,
    block_problem,
    coefficients_of,
    generalized_kinematic,
    inertia_ratio,
    least_friction,
    rebound_margins,
)
from mcrock.planar import housner_1963, rectangle
from tests.unit.planar.blocks import blocks

COEFFICIENT = st.floats(-1.0, 1.5)
SPEED = st.floats(-3.0, 3.0)
BLOCK = rectangle(width=1.0, height=2.0, mass=3.0)


@st.composite
def impacts(draw):
    """A block with its COM in the middle, and the arguments of an impact."""
    block = draw(blocks(off_centre=False))
    tangential = draw(st.sampled_from(TANGENTIAL))
    return (
        block,
        -draw(st.floats(0.1, 5.0)),
        draw(SPEED),
        {
            "e_n1": draw(COEFFICIENT),
            "e_n21": draw(COEFFICIENT),
            "tangential": tangential,
            "friction": draw(st.one_of(st.floats(0.0, 3.0), st.just(inf))),
            "e_t3": draw(st.floats(-1.0, 1.0)),
        },
    )


@given(impacts())
def test_balance_of_momentum_and_coefficients(case):
    """(15) with the definitions of the coefficients; both corners have the same horizontal velocity."""
    block, rate, speed, keys = case
    result = block_impact(block, rate, speed, **keys)
    problem = block_problem(block, rate, speed)
    jump = problem.mass @ (result.velocity - problem.velocity)
    tangential = result.notes["tangential_impulse"]
    by_impulses = problem.directions @ result.impulse + problem.tangents[:, 0, 0] * tangential
    scale = np.abs(jump).max() + np.abs(problem.mass @ problem.velocity).max()
    assert np.allclose(jump, by_impulses, atol=1e-12 * scale * (1 + block.com_height / block.width))
    before = problem.normal_velocity[0]  # D_11 = D_22, so E_n acts on the rates of the gaps as well
    assert result.normal_velocity == pytest.approx(
        [-keys["e_n1"] * before, -keys["e_n21"] * before], abs=1e-12 * block.width * abs(rate)
    )
    assert problem.normal_velocity[1] == pytest.approx(0.0, abs=1e-15 * block.width * abs(rate))


@given(impacts())
def test_it_is_the_generalized_law(case):
    """E_n = [[e_n1, 0], [e_n21, 0]] and what the horizontal velocity keeps."""
    block, rate, speed, keys = case
    assume(abs(speed) > 0.01)
    result = block_impact(block, rate, speed, **keys)
    kept = -result.velocity[0] / speed
    law = generalized_kinematic(
        block_problem(block, rate, speed, inf),
        normal=[[keys["e_n1"], 0.0], [keys["e_n21"], 0.0]],
        tangential=kept,
    )
    size = np.abs(result.velocity).max() + abs(speed)
    assert np.allclose(law.velocity, result.velocity, atol=1e-9 * size)
    force = block.mass * size * (1 + block.com_height / block.width) ** 2
    assert np.allclose(law.impulse, result.impulse, atol=1e-9 * force)


@given(impacts())
def test_energy_is_that_of_the_sum_of_squares(case):
    """T+ - T- for the state itself, the scale of (50)."""
    block, rate, speed, keys = case
    result = block_impact(block, rate, speed, **keys)
    m, inertia, half = block.mass, block.inertia, 0.5 * block.width

    def energy(x, y, w):
        return 0.5 * m * (x * x + y * y) + 0.5 * inertia * w * w

    change = energy(*result.velocity) - energy(speed, half * rate, rate)
    assert result.energy_change == pytest.approx(
        change, abs=1e-10 * (energy(speed, half * rate, rate) + abs(change))
    )


@given(impacts())
def test_coulomb_sticks_or_slips_against_the_limit(case):
    """Within the cone the corners do not slip, on its border the impulse opposes the slip."""
    block, rate, speed, keys = case
    keys |= {"tangential": "coulomb", "friction": min(keys["friction"], 5.0)}
    assume(1 + keys["e_n1"] + keys["e_n21"] > 0.01)
    result = block_impact(block, rate, speed, **keys)
    slip, impulse = result.notes["slip_after"], result.notes["tangential_impulse"]
    bound = keys["friction"] * result.impulse.sum()
    rounding = 1e-12 * keys["friction"] * np.abs(result.impulse).sum()  # of a sum of large p_1 and -p_2
    assert abs(impulse) <= bound + rounding
    size = abs(speed) + block.com_height * abs(rate) * 3
    if abs(impulse) < bound * (1 - 1e-9) - rounding:
        assert abs(slip) <= 1e-12 * size
    else:
        assert slip * impulse <= 1e-12 * size * bound
    assert result.friction


@pytest.mark.parametrize("tangential", ["frictionless", "coulomb"])
def test_no_friction_changes_no_horizontal_velocity(tangential):
    result = block_impact(BLOCK, -1.0, 2.0, e_n21=0.6, tangential=tangential, friction=0.0)
    assert result.velocity[0] == 2.0
    assert result.notes["tangential_impulse"] == 0.0
    assert result.friction


def test_infinite_friction_sticks_and_asks_no_more_than_sticking():
    one = block_impact(BLOCK, -1.0, 2.0, e_n21=0.6, tangential="coulomb", friction=inf)
    two = block_impact(BLOCK, -1.0, 2.0, e_n21=0.6, tangential="sticking")
    assert one.velocity == pytest.approx(two.velocity)
    assert one.notes["slip_after"] == pytest.approx(0.0, abs=1e-15)


def test_nothing_presses_so_nothing_rubs():
    """e_n21 = -1: no normal impulse at all, and infinite friction of it is none."""
    result = block_impact(BLOCK, -1.0, 2.0, e_n21=-1.0, tangential="coulomb", friction=inf)
    assert result.notes["tangential_impulse"] == 0.0
    assert result.velocity == pytest.approx([2.0, -0.5, 1.0])
    assert not result.kinematic


def test_pulling_on_the_whole_is_named():
    result = block_impact(BLOCK, -1.0, e_n1=-1.0, e_n21=-0.5, tangential="coulomb", friction=0.5)
    assert result.impulse.sum() < 0.0
    assert not result.kinetic
    assert result.notes["tangential_impulse"] == 0.0


@pytest.mark.parametrize("tangential", TANGENTIAL)
def test_no_rotation_is_no_impact(tangential):
    result = block_impact(BLOCK, 0.0, e_n21=0.5, tangential=tangential, friction=0.5, e_t3=0.2)
    assert np.all(result.velocity == 0.0)
    assert np.all(result.impulse == 0.0)
    assert result.energy_change == 0.0
    assert result.consistent


def test_a_block_that_only_slides_keeps_sliding():
    """thdot- = 0 with a horizontal velocity: no normal impulse, so Coulomb's law changes nothing."""
    result = block_impact(BLOCK, 0.0, 2.0, e_n21=0.5, tangential="coulomb", friction=inf)
    assert result.velocity == pytest.approx([2.0, 0.0, 0.0])


@given(blocks(off_centre=False), st.floats(0.1, 5.0), st.floats(0.0, 1.0))
def test_housner_leaves_the_old_corner_free(block, rate, share):
    """p_2 = 0 at Housner's ratio; between it and 1 everything is consistent."""
    low = housner_1963(block)
    at = block_impact(block, -rate, e_n21=low)
    scale = block.mass * block.width * rate
    assert at.impulse[1] == pytest.approx(0.0, abs=1e-9 * scale * (1 + aspect_of(block) ** 2))
    low = max(0.0, low)
    inside = block_impact(block, -rate, e_n21=low + share * (1 - low))
    assert inside.kinematic
    assert inside.energetic
    assert inside.impulse.min() >= -1e-9 * scale * (1 + aspect_of(block) ** 2)


@given(blocks(off_centre=False), COEFFICIENT, COEFFICIENT, st.floats(-2.0, 2.0))
def test_rebound_margins_are_energy_and_impulses(block, e_n1, e_n21, e_t3):
    """(51), (53), (54) corrected, from the impact itself."""
    result = block_impact(block, -1.0, e_n1=e_n1, e_n21=e_n21, e_t3=e_t3, tangential="et3")
    energy, landing, leaving = rebound_margins(block, e_n1, e_n21, e_t3)
    unit = block.mass * block.width
    size = (1 + aspect_of(block) ** 2 + inertia_ratio(block)) * 1e-10
    assert -result.energy_change / (unit * block.width / 8) == pytest.approx(energy, abs=20 * size)
    assert result.impulse / (unit / 4) == pytest.approx([landing, leaving], abs=20 * size)


def test_least_friction_of_housner():
    """3 l L/(4 l^2 + L^2)."""
    for width, height in ((1.0, 2.0), (0.5, 0.6), (1.0, 5.0)):
        block = rectangle(width, height)
        expected = 3 * height * width / (4 * height**2 + width**2)
        assert least_friction(block, housner_1963(block)) == pytest.approx(expected, rel=1e-12)
    assert least_friction(BLOCK, 1.0) == 0.0


@given(blocks(off_centre=False), st.floats(0.0, 1.0), st.floats(0.0, 3.0))
def test_coulomb_sticks_from_the_least_friction_on(block, e, friction):
    needed = least_friction(block, e)
    assume(abs(friction - needed) > 1e-9)
    result = block_impact(block, -1.0, e_n21=e, tangential="coulomb", friction=friction)
    slips = abs(result.notes["slip_after"]) > 1e-12 * block.com_height
    assert slips == (friction < needed)
    assert block_impact(block, -1.0, e_n21=e, tangential="sticking", friction=friction).friction != slips


@given(blocks(off_centre=False), st.floats(0.0, 1.0), COEFFICIENT)
def test_sticking_law_is_remark_7_and_55(block, e_n21, e_n1):
    """E = [[e_n1, e, 0], [e, e_n1, 0], [0, 0, e_n1 - e]] never slips, whatever the block."""
    problem = block_problem(block, -1.0, friction=inf)
    normal = np.array([[e_n1, e_n21], [e_n21, e_n1]])
    law = generalized_kinematic(problem, normal=normal, tangential=e_n1 - e_n21)
    impact = block_impact(block, -1.0, e_n1=e_n1, e_n21=e_n21)
    size = 1e-10 * (1 + block.com_height) ** 2
    assert np.allclose(law.velocity, impact.velocity, atol=size)
    assert np.allclose(law.impulse, impact.impulse, atol=size * block.mass / block.width)
    assert abs(impact.notes["slip_after"]) <= size


def test_r_is_the_tangential_coefficient_of_rocking():
    """From the outcome alone: E_tan = -e_n21 = r, and its column in E_n."""
    e = 0.8
    problem = block_problem(BLOCK, -1.0, friction=inf)
    normal, tangential, _ = coefficients_of(problem, block_impact(BLOCK, -1.0, e_n21=e).velocity)
    assert np.allclose(normal, [[0.0, 0.0], [e, 0.0]])
    assert np.allclose(tangential, [[-e]])


def test_horizontal_velocity_of_a_block_that_does_not_slip():
    assert block_problem(BLOCK, -2.0).velocity == pytest.approx([2.0, -1.0, -2.0])
    assert block_problem(BLOCK, -2.0).tangents[:, 0, 0] @ block_problem(BLOCK, -2.0).velocity == 0.0


def test_orthogonal_corners():
    """l = sqrt2 L: the corners do not disturb each other, A gets nothing without friction."""
    result = block_impact(rectangle(1.0, sqrt(2.0)), -1.0, tangential="frictionless")
    assert result.impulse[1] == pytest.approx(0.0, abs=1e-15)
    assert result.consistent


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: block_impact(BLOCK, 1.0), r"must be finite and negative, clockwise \[rad/s\], got 1\.0"),
        (lambda: block_impact(BLOCK, nan), "finite and negative"),
        (lambda: block_impact(rectangle(1.0, 2.0, offset=0.1), -1.0), "above the middle of the base"),
        (lambda: block_impact(BLOCK, -1.0, e_n21=inf), r"e_n21 must be a finite number \[1\], got inf"),
        (lambda: block_impact(BLOCK, -1.0, e_n1="x"), "e_n1 must be a finite number"),
        (lambda: block_impact(BLOCK, -1.0, inf), "velocity must be finite"),
        (lambda: block_impact(BLOCK, -1.0, tangential="glue"), "one of frictionless, sticking, coulomb, et3"),
        (lambda: block_impact(BLOCK, -1.0, tangential="coulomb"), "needs the coefficient of friction"),
        (lambda: block_impact(BLOCK, -1.0, tangential="et3"), "needs the coefficient e_t3"),
        (lambda: block_impact(BLOCK, -1.0, tangential="et3", e_t3=nan), "e_t3 must be a finite number"),
        (lambda: block_impact(BLOCK, -1.0, tangential="coulomb", friction=-0.1), "from 0 to inf"),
        (lambda: block_impact(BLOCK, -1.0, tangential="coulomb", friction=nan), "from 0 to inf"),
        (lambda: least_friction(BLOCK, -1.0), "must be above -1, got -1: nothing presses"),
    ],
)
def test_what_cannot_be_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
