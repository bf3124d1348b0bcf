"""Restitution models: published formulas and numbers, limits of one another, conversions both ways."""

import warnings
from math import inf, nan, sin, sqrt

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from mcrock.body import cuboid
from mcrock.impact.varkonyi_2022 import facet_map, facet_point
from mcrock.planar import planar_block, rectangle, rectangle_of, velocity_ratios
from mcrock.planar import restitution as models
from tests.unit.planar.blocks import blocks, mirrored

RTOL = 1e-12  # closed forms, up to rounding
ONTO = st.sampled_from(["right", "left"])


def test_numbers_of_a_block_twice_as_high_as_wide():
    """Height 2, width 1, homogeneous, nu = 0.5, lambda = 0.4, by equations (3) to (6) of the review."""
    block = rectangle(1.0, 2.0)
    assert models.housner_1963(block) == pytest.approx(0.7, rel=RTOL)
    assert models.ther_kollar_2017(block) == pytest.approx(0.85, rel=RTOL)
    assert models.kalliontzis_2016(block, 0.5) == pytest.approx(0.9154929577464789, rel=RTOL)
    assert models.chatzis_2017(block, 0.4) == pytest.approx(0.868131868131868, rel=RTOL)
    assert models.e_n21_of_ratio(block, 0.7) == pytest.approx(0.7, rel=RTOL)


@given(st.floats(1e-3, 1.5))
def test_housner_of_a_rectangle(slenderness):
    block = rectangle_of(slenderness, 2.0)
    assert models.housner_1963(block) == pytest.approx(1 - 1.5 * sin(slenderness) ** 2, rel=1e-9, abs=1e-12)


@given(blocks(off_centre=False), st.floats(0.0, 1.0))
def test_formulas_of_the_review(block, parameter):
    a, b = block.about_base, block.mass * block.right**2
    for onto in ("right", "left"):
        assert models.housner_1963(block, onto) == pytest.approx((a - b) / (a + b), rel=RTOL)
        assert models.ther_kollar_2017(block, onto) == pytest.approx(a / (a + b), rel=RTOL)
        reduced = parameter**2 * b
        expected = (a - reduced) / (a + reduced)
        assert models.kalliontzis_2016(block, parameter, onto) == pytest.approx(expected, rel=RTOL)
        reduced = parameter * b
        expected = (a - reduced) / (a + reduced)
        assert models.chatzis_2017(block, parameter, onto) == pytest.approx(expected, rel=RTOL)


@given(blocks(off_centre=False), st.floats(0.01, 1.0))
def test_parameters_that_mean_the_same(block, nu):
    """nu^2 = lambda; Ther and Kollar's lambda is A/(2A + B), a little below one half."""
    a, b = block.about_base, block.mass * block.right**2
    assert models.lambda_of_ratio(block, models.kalliontzis_2016(block, nu)) == pytest.approx(nu**2, abs=1e-9)
    assert models.lambda_of_ratio(block, models.ther_kollar_2017(block)) == pytest.approx(
        a / (2 * a + b), rel=1e-9
    )
    assert models.lambda_of_ratio(block, models.housner_1963(block)) == pytest.approx(1.0, rel=1e-9)


@given(blocks(), ONTO)
def test_models_that_contain_one_another(block, onto):
    assert models.wittich_hutchinson_2018(block, (), onto) == pytest.approx(
        models.housner_1963(block, onto), rel=RTOL
    )
    assert models.chatzis_2017(block, 1.0, onto) == pytest.approx(models.housner_1963(block, onto), rel=RTOL)
    assert models.kalliontzis_2016(block, 1.0, onto) == pytest.approx(
        models.housner_1963(block, onto), rel=1e-9
    )
    assert models.kalliontzis_2016(block, 0.0, onto) == pytest.approx(
        models.largest_ratio(block, onto), rel=RTOL
    )


@given(blocks(), st.floats(0.2, 1.0), ONTO)
def test_balance_of_momentum_about_the_impulse(block, lambda_, onto):
    """Two points of view that share no formula: velocities of the COM and the sum of impulses."""
    try:
        ratio = models.chatzis_2017(block, lambda_, onto)
    except ValueError:  # would gain energy
        reject()
    old, new = (-block.left, block.right) if onto == "right" else (-block.right, block.left)
    vertical = block.mass * (ratio * new - old)  # impulse, for unit angular velocity before
    across = block.mass * block.com_height * (ratio - 1.0)
    moment = block.inertia * (ratio - 1.0)  # about the COM
    # the impulse acts at height -h and at the place where it has this moment: -across h - x vertical
    place = -(moment + across * block.com_height) / vertical
    middle, half = 0.5 * (old + new), 0.5 * (new - old)
    assert place == pytest.approx(middle + lambda_ * half, rel=1e-9, abs=1e-9 * half)


@given(blocks(), st.lists(st.floats(-0.99, 0.99), max_size=4), ONTO)
def test_inelastic_impacts_keep_the_squared_cosine_of_the_energy(block, points, onto):
    sign = 1.0 if onto == "right" else -1.0
    old, new = (-block.left, block.right) if onto == "right" else (-block.right, block.left)
    middle, half = 0.5 * (old + new), 0.5 * (new - old)
    places = [old, *sorted(middle + half * sign * point for point in points), new]
    angles = np.arctan(np.array(places) * sqrt(block.mass / block.about_base))
    ratio = models.wittich_hutchinson_2018(block, points, onto)
    kept = np.prod(np.cos(np.diff(angles)) ** 2)
    assert models.energy_ratio(block, ratio, onto) == pytest.approx(kept, rel=1e-9)


@pytest.mark.parametrize(("n", "lambda_"), [(2, 0.48872), (3, 0.32451), (4, 0.24305), (8, 0.12136)])
def test_bases_of_equal_strips(n, lambda_):
    """Height 2.4 m, half width 0.3 m: the effective lambda of n strips; two are Ther and Kollar's."""
    block = rectangle(0.6, 2.4)
    ratio = models.wittich_hutchinson_2018(block, np.linspace(-1, 1, n + 1)[1:-1])
    assert models.lambda_of_ratio(block, ratio) == pytest.approx(lambda_, abs=5e-6)


@pytest.mark.parametrize("offset", [0.0, 0.15])
@pytest.mark.parametrize("onto", ["right", "left"])
def test_an_effective_width_is_two_smooth_strips(offset, onto):
    """Ever more points on the outer strips approach Kalliontzis' ratio, with an error of first order."""
    block, nu = rectangle(1.0, 2.0, offset=offset), 0.6
    errors = []
    for n in (50, 100):
        strip = np.linspace(nu, 1.0, n, endpoint=False)
        ratio = models.wittich_hutchinson_2018(block, [*strip, *-strip], onto)
        errors.append(models.kalliontzis_2016(block, nu, onto) - ratio)
    assert 0 < errors[1] < 2e-3
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.02)


@given(blocks(), st.floats(0.3, 1.0), st.lists(st.floats(-0.9, 0.9), max_size=3))
def test_a_mirrored_block_swaps_the_edges(block, parameter, points):
    other = mirrored(block)
    for model, right, left in (
        (models.housner_1963, (), ()),
        (models.ther_kollar_2017, (), ()),
        (models.kalliontzis_2016, (parameter,), (parameter,)),
        (models.wittich_hutchinson_2018, (points,), ([-point for point in points],)),
        (models.largest_ratio, (), ()),
    ):
        assert model(block, *right, onto="right") == pytest.approx(model(other, *left, onto="left"), rel=RTOL)


SHARES = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0.0, 1.0))


@given(blocks(), SHARES, ONTO)
def test_round_trips_through_all_conversions(block, share, onto):
    """Housner's ratio to no loss: what one conversion returns the next accepts, also at the ends."""
    housner, largest = models.housner_1963(block, onto), models.largest_ratio(block, onto)
    ratio = housner + share * (largest - housner)
    lambda_ = models.lambda_of_ratio(block, ratio, onto)
    of_lambda = models.chatzis_2017(block, lambda_, onto)  # a warning would fail the test
    nu = models.nu_of_ratio(block, of_lambda, onto)
    width = models.effective_width(block, nu)
    of_nu = models.kalliontzis_2016(block, models.nu_of_effective_width(block, width), onto)
    of_e_n21 = models.brogliato_2012(block, models.e_n21_of_ratio(block, of_nu, onto), onto)
    assert [of_lambda, of_nu, of_e_n21] == pytest.approx([ratio] * 3, abs=RTOL)
    assert models.lambda_of_ratio(block, of_e_n21, onto) == pytest.approx(lambda_, abs=1e-9)
    assert 0.0 <= nu <= 1.0
    assert 0.0 <= width <= block.width
    assert max(of_lambda, of_nu, of_e_n21) <= largest


@given(blocks(off_centre=False), SHARES)
def test_round_trips_in_words(block, parameter):
    """lambda -> r -> nu -> r -> lambda, every number written and read again."""
    (ratio, _) = velocity_ratios(block, f"chatzis_2017:lambda={parameter!r}")
    nu = models.nu_of_ratio(block, ratio)
    again = velocity_ratios(block, f"kalliontzis_2016:nu={nu!r}")
    assert again == pytest.approx((ratio, ratio), abs=RTOL)
    assert velocity_ratios(block, f"{again[0]!r},{again[1]!r}") == again
    lambda_ = models.lambda_of_ratio(block, again[0])
    assert lambda_ == pytest.approx(parameter, abs=1e-9)
    assert velocity_ratios(block, f"chatzis_2017:lambda={lambda_!r}") == pytest.approx(
        (ratio, ratio), abs=RTOL
    )
    # the ratio is flat at nu = 0: rounding of it leaves the square root of rounding
    assert nu == pytest.approx(sqrt(parameter), abs=1e-6)


@given(blocks(), SHARES, ONTO)
def test_a_ratio_of_zero_is_found_again(block, share, onto):
    """Ratios below Housner's, down to an impact that ends in rest; lambda is then above 1."""
    ratio = share * models.housner_1963(block, onto)
    lambda_ = models.lambda_of_ratio(block, ratio, onto)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert models.chatzis_2017(block, lambda_, onto) == pytest.approx(ratio, abs=RTOL)
    e_n21 = models.e_n21_of_ratio(block, ratio, onto)
    assert models.brogliato_2012(block, e_n21, onto) == pytest.approx(ratio, abs=RTOL)


def test_rounding_beyond_the_ends_counts_as_the_end_and_no_more():
    """Two in five slender blocks give lambda = 1 + 2e-16 back for Housner's ratio, and nu = sqrt(lambda)."""
    ulp, beyond = 2**-52, 0
    for half in np.linspace(0.1, 0.9, 81):
        block = rectangle(2.0 * half, 2.0)
        ratio = models.housner_1963(block)
        lambda_ = models.lambda_of_ratio(block, ratio)
        beyond += lambda_ > 1.0
        for words in (f"kalliontzis_2016:nu={sqrt(lambda_)!r}", f"chatzis_2017:lambda={lambda_!r}"):
            assert velocity_ratios(block, words) == pytest.approx((ratio, ratio), abs=RTOL)
    assert beyond > 10
    assert models.kalliontzis_2016(BLOCK, 1.0 + ulp) == models.kalliontzis_2016(BLOCK, 1.0)
    assert models.kalliontzis_2016(BLOCK, -ulp) == models.kalliontzis_2016(BLOCK, 0.0) == 1.0
    assert models.effective_width(BLOCK, 1.0 + ulp) == BLOCK.width
    assert models.nu_of_effective_width(BLOCK, BLOCK.width * (1.0 + ulp)) == 1.0
    assert models.measured(BLOCK, 1.0 + 9e-13) == 1.0
    assert models.measured(BLOCK, -9e-13) == 0.0
    assert models.nu_of_ratio(BLOCK, models.housner_1963(BLOCK) - 5e-13) == pytest.approx(1.0, abs=4 * ulp)
    assert models.brogliato_2012(BLOCK, 1.0 + ulp) == 1.0
    assert models.chatzis_2017(BLOCK, 1.0 + ulp) == pytest.approx(models.housner_1963(BLOCK), rel=RTOL)
    assert models.chatzis_2017(BLOCK, -ulp) == 1.0
    for call in (
        lambda: models.kalliontzis_2016(BLOCK, 1.0 + 2e-12),
        lambda: models.measured(BLOCK, 1.0 + 2e-12),
        lambda: models.measured(BLOCK, -2e-12),
        lambda: models.nu_of_ratio(BLOCK, models.housner_1963(BLOCK) - 2e-12),
        lambda: models.nu_of_effective_width(BLOCK, 1.0 + 2e-12),
        lambda: models.brogliato_2012(BLOCK, 1.0 + 2e-12),
    ):
        with pytest.raises(ValueError, match=r"must be from|gives velocity ratios from"):
            call()


@given(blocks(), st.floats(0.0, 1.0), ONTO)
def test_e_n21_is_a_ratio_of_normalized_normal_velocities(block, ratio, onto):
    """gamma_2+ = -e_n21 sqrt(D_22/D_11) gamma_1- with corner velocities of the two rotations."""
    ratio *= models.largest_ratio(block, onto)
    lands, leaves = (block.right, block.left) if onto == "right" else (block.left, block.right)
    width = lands + leaves
    before, after = -width, ratio * width  # of the corner that lands, then of the one that leaves
    d_lands, d_leaves = (1 / block.mass + x**2 / block.inertia for x in (lands, leaves))
    expected = -(after / sqrt(d_leaves)) / (before / sqrt(d_lands))
    assert models.e_n21_of_ratio(block, ratio, onto) == pytest.approx(expected, rel=1e-12)


@given(blocks(), st.floats(0.0, 1.0), st.floats(0.05, 3.0), ONTO)
def test_admissible_ratios_keep_the_impulse_in_the_cone_of_friction(block, share, friction, onto):
    try:
        low, high = models.admissible_ratios(block, friction, onto)
    except ValueError:  # too little friction for any landing, tried below
        reject()
    ratio = low + share * (high - low)
    old, new = (-block.left, block.right) if onto == "right" else (-block.right, block.left)
    across, up = block.com_height * (1.0 - ratio), ratio * new - old
    assert across <= friction * up * (1 + 1e-9) + 1e-12
    lambda_ = models.lambda_of_ratio(block, ratio, onto)
    assert lambda_ <= 1 + 1e-9


def test_admissible_ratios_of_published_domains():
    """Domains of e_n21 for l/L = 2 and, where friction governs, l/L = 4 and 0.5 (A3.4, (30))."""
    assert models.admissible_ratios(rectangle(1.0, 2.0)) == pytest.approx((0.7, 1.0), rel=RTOL)
    low, high = models.admissible_ratios(rectangle(1.0, 4.0), friction=0.5)
    assert (low, high) == pytest.approx((0.9117647058823529, 1.0), rel=RTOL)


@pytest.mark.parametrize("lambda_", [0.4, 0.7, 1.0])
@pytest.mark.parametrize("offset", [0.0, 0.07])
@pytest.mark.parametrize("onto", ["right", "left"])
def test_the_three_dimensional_map_in_the_plane(lambda_, offset, onto):
    """A cuboid that lands on its base from an edge across the plane keeps the same share of its rate."""
    body = cuboid(0.4, 0.6, 1.2, 2000, com=(offset, 0.0, 0.0))
    block = planar_block(body)
    lands_from = 2 if onto == "right" else 0  # edge 0 is the right one
    corners = np.ascontiguousarray(body.base[:, :2])
    point = facet_point(corners, 0, 4, lands_from, lambda_, 0.0)
    about = np.diag(body.inertia)[:2] + body.mass * body.com_height**2
    rate = 1.0 if onto == "right" else -1.0  # about y; positive falls to the right
    place = -block.left if onto == "right" else block.right
    w_x, w_y, *_ = facet_map(
        body.mass, (1 / about[0], 0.0, 1 / about[1]), corners, 0, 4, (0.0, rate), rate * place, point
    )
    assert w_x == pytest.approx(0.0, abs=1e-12)
    assert w_y / rate == pytest.approx(models.chatzis_2017(block, lambda_, onto), abs=1e-9)


def test_a_light_impact_beyond_the_base_is_warned_of():
    with pytest.warns(UserWarning, match="lambda = 1.3: above 1 the impulse acts beyond the base"):
        ratio = models.chatzis_2017(rectangle(1.0, 3.0), 1.3)
    assert models.lambda_of_ratio(rectangle(1.0, 3.0), ratio) == pytest.approx(1.3)


BLOCK = rectangle(1.0, 2.0)
SQUAT = rectangle(2.0, 1.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: models.kalliontzis_2016(BLOCK, 1.1), r"nu .* must be from 0 to 1, got 1\.1"),
        (lambda: models.kalliontzis_2016(BLOCK, nan), r"nu .* must be from 0 to 1, got nan"),
        (lambda: models.chatzis_2017(BLOCK, -0.1), r"would gain energy in a .* on the right edge; .* least"),
        (lambda: models.chatzis_2017(BLOCK, inf), r"lambda must be finite"),
        (lambda: models.chatzis_2017(SQUAT, -1.0), r"leaves no motion about the right edge"),
        (lambda: models.wittich_hutchinson_2018(BLOCK, [1.0]), r"between the edges, .* got 1\.0"),
        (lambda: models.measured(BLOCK, 1.01), r"must be from 0 .* to 1 .*, got 1\.01; an energy ratio"),
        (lambda: models.measured(BLOCK, -0.1), r"must be from 0 .*, got -0\.1"),
        (lambda: models.lambda_of_ratio(BLOCK, 1.2), r"velocity ratio r .*, got 1\.2"),
        (lambda: models.nu_of_ratio(BLOCK, 0.5), r"from 0\.7 \(nu = 1, Housner's model\) to 1 .*, got 0\.5"),
        (lambda: models.brogliato_2012(BLOCK, 1.5), r"e_n21 must be from 0 to 1, got 1\.5"),
        (lambda: models.effective_width(BLOCK, 2.0), r"nu .* got 2\.0"),
        (lambda: models.nu_of_effective_width(BLOCK, 1.5), r"effective width \[m\] must be from 0 to 1, got"),
        (lambda: models.admissible_ratios(BLOCK, -0.1), r"friction must be >= 0"),
        (lambda: models.housner_1963(BLOCK, "top"), r"onto must be 'right' or 'left', .* got 'top'"),
        (lambda: velocity_ratios(BLOCK, "housner_1963:1"), r"restitution must be a number r, .* got 'hou"),
        (lambda: velocity_ratios(BLOCK, "housner_1963:nu=1"), r"got 'housner_1963:nu=1'"),
        (lambda: velocity_ratios(BLOCK, "kalliontzis_2016"), r"got .*; write 'kalliontzis_2016:nu=NU'"),
        (lambda: velocity_ratios(BLOCK, "kalliontzis_2016:0.8"), r"write 'kalliontzis_2016:nu=0\.8'"),
        (lambda: velocity_ratios(BLOCK, "kalliontzis_2016:lambda=0.8"), r"write 'kalliontzis_2016:nu=0\.8'"),
        (lambda: velocity_ratios(BLOCK, "kalliontzis_2016:nu=0.8,0.9"), r"or one of .*got 'kallion"),
        (lambda: velocity_ratios(BLOCK, "chatzis_2017:lambda=x"), r"got 'chatzis_2017:lambda=x'"),
        (lambda: velocity_ratios(BLOCK, "housner"), r"got 'housner'; write 'housner_1963'"),
        (lambda: velocity_ratios(BLOCK, "ther-kollar"), r"write 'ther_kollar_2017'"),
        (lambda: velocity_ratios(BLOCK, "Kalliontzis:0.8"), r"write 'kalliontzis_2016:nu=0\.8'"),
        (lambda: velocity_ratios(BLOCK, "wittich-hutchinson:-0.5,0.1"), r"2018:points=-0\.5,0\.1'"),
        (lambda: velocity_ratios(BLOCK, "maxwell"), r"got 'maxwell'$"),
        (lambda: velocity_ratios(BLOCK, "0.9,0.8,0.7"), r"got '0\.9,0\.8,0\.7'"),
        (lambda: velocity_ratios(BLOCK, ()), r"got \(\)"),
        (lambda: velocity_ratios(SQUAT, "housner_1963"), r"ratio -0\.2: .* 1\.107 rad is too .* give 0"),
    ],
)
def test_what_cannot_be_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_friction_too_low_for_any_landing():
    block = rectangle(1.0, 4.0, offset=-0.3)  # lands steeply on its near edge
    assert models.largest_ratio(block, "right") < 1
    with pytest.raises(ValueError, match=r"a friction of 0\.01 leaves no landing on the right edge"):
        models.admissible_ratios(block, 0.01)


def test_restitution_in_words():
    assert velocity_ratios(BLOCK, 0.9) == (0.9, 0.9)
    assert velocity_ratios(BLOCK, "0.9") == (0.9, 0.9)
    assert velocity_ratios(BLOCK, (0.9, 0.8)) == velocity_ratios(BLOCK, " 0.9,0.8") == (0.9, 0.8)
    assert velocity_ratios(BLOCK, "Ther_Kollar_2017") == pytest.approx((0.85, 0.85))
    assert velocity_ratios(BLOCK, "chatzis_2017:lambda=1") == pytest.approx((0.7, 0.7))
    assert velocity_ratios(BLOCK, "kalliontzis_2016:nu=1.0") == pytest.approx((0.7, 0.7))
    assert velocity_ratios(BLOCK, "housner_1963") == pytest.approx((0.7, 0.7))
    assert velocity_ratios(BLOCK, "brogliato_2012:e_n21=0.8") == pytest.approx((0.8, 0.8))
    assert velocity_ratios(BLOCK, "wittich_hutchinson_2018:points=-0.5,0.1") == pytest.approx(
        [models.wittich_hutchinson_2018(BLOCK, (-0.5, 0.1), onto) for onto in ("right", "left")]
    )
    assert velocity_ratios(BLOCK, "wittich_hutchinson_2018")[0] == pytest.approx(0.7)
    right, left = velocity_ratios(rectangle(1.0, 3.0, offset=0.1), "housner_1963")
    assert right != left
