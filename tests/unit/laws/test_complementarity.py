"""Impulses of several contacts: their conditions, twins, dependent contacts, and bad conditioning."""

from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize

from mcrock.laws import problem as problems
from mcrock.laws.complementarity import lemke, nonnegative_least_squares, shortest, unilateral_impulses
from mcrock.laws.final_slip import whittaker
from mcrock.laws.inequalities import fremond, moreau, newton, poisson
from mcrock.laws.problem import ContactProblem, SingleContact

from .contact_problems import coefficients, reordered, systems

RELATIVE = 1e-8  # of the rates: the conditions hold to rounding of ill-conditioned systems


def solve_by_enumeration(delassus, rates):
    """Rates after, from trying all sets of contacts that push; None if none fits."""
    m = len(rates)
    size = np.abs(rates).max()
    for chosen in chain.from_iterable(combinations(range(m), k) for k in range(m + 1)):
        chosen = list(chosen)
        impulse = np.zeros(m)
        block = delassus[np.ix_(chosen, chosen)]
        if len(chosen) and np.linalg.cond(block) > 1e8:
            continue
        impulse[chosen] = np.linalg.solve(block, -rates[chosen]) if chosen else []
        after = delassus @ impulse + rates
        if impulse.min(initial=0.0) >= -1e-9 * np.abs(impulse).max(initial=0.0) and np.all(
            after >= -1e-9 * size
        ):
            return after
    return None


def is_feasible(problem, rates):
    """Whether a change of velocity raises all rates to more than rounding, by linear programming."""
    size = np.abs(rates).max()
    margin = linprog(
        np.zeros(len(problem.velocity)),
        A_ub=-problem.directions.T,
        b_ub=rates / size - 1e-6,
        bounds=(None, None),
    )
    return margin.status == 0


@given(st.data())
def test_impulses_and_rates_are_complementary(data):
    problem = data.draw(systems())
    eps = np.array(data.draw(coefficients(problem.directions.shape[1])))
    rates = (1.0 + eps) * problem.normal_velocity
    found = unilateral_impulses(problem, rates)
    if found is None:
        assert not is_feasible(problem, rates)
        return
    size = np.abs(rates).max()
    raised = problem.delassus @ found.impulse + rates
    assert np.all(found.impulse >= 0.0)
    assert np.all(raised >= -RELATIVE * size)
    assert np.abs(raised - found.rates).max() <= RELATIVE * size
    assert np.all(np.minimum(found.impulse * np.diag(problem.delassus), raised) <= RELATIVE * size)


@given(st.data())
def test_velocity_is_that_of_all_sets_of_pushing_contacts(data):
    """Twin: enumeration of the active sets, which finds a solution of independent active contacts."""
    problem = data.draw(systems(most=5))
    eps = np.array(data.draw(coefficients(problem.directions.shape[1])))
    rates = (1.0 + eps) * problem.normal_velocity
    found = unilateral_impulses(problem, rates)
    twin = solve_by_enumeration(problem.delassus, rates)
    if found is None:
        assert not is_feasible(problem, rates)
    elif twin is not None:
        assert found.rates == pytest.approx(twin, abs=1e-6 * np.abs(rates).max())


@given(systems(most=4))
def test_velocity_is_the_minimum_of_a_general_optimisation(problem):
    """Twin: scipy's SLSQP on the change of velocity."""
    rates = problem.normal_velocity
    size = np.abs(rates).max()
    change = np.linalg.solve(problem.mass, problem.directions @ unilateral_impulses(problem, rates).impulse)

    def energy(step):
        return 0.5 * step @ problem.mass @ step / problem.energy

    def slope(step):
        return problem.mass @ step / problem.energy

    twin = minimize(
        energy,
        -problem.velocity,
        jac=slope,
        method="SLSQP",
        constraints={
            "type": "ineq",
            "fun": lambda step: (problem.directions.T @ step + rates) / size,
            "jac": lambda _: problem.directions.T / size,
        },
        options={"ftol": 1e-14, "maxiter": 500},
    )
    if twin.success:
        assert energy(change) <= energy(twin.x) + 1e-5


def test_copies_of_a_contact_share_the_impulse():
    """Among the impulses that do the same the shortest is taken, and told not to be the only one."""
    problem = ContactProblem([[2.0]], [[1.0, 1.0, 1.0]], [-3.0])
    found = unilateral_impulses(problem, problem.normal_velocity)
    assert found.impulse == pytest.approx([2.0, 2.0, 2.0])
    assert not found.unique
    assert found.exchange.shape == (3, 2)


def test_least_impulse_is_not_the_one_of_the_plain_inverse():
    """The shortest exchange would make an impulse negative: the shortest nonnegative one is meant."""
    rng = np.random.default_rng(1)
    met = 0
    for _ in range(200):
        directions = rng.normal(size=(2, 4))
        problem = ContactProblem(np.eye(2), directions, rng.normal(size=2))
        rates = -np.ones(4)  # a change that all contacts ask for
        found = unilateral_impulses(problem, rates)
        if found is None:
            continue
        active = found.rates <= 1e-9
        plain = np.linalg.pinv(directions[:, active]) @ (directions @ found.impulse)
        if plain.min(initial=0.0) < -1e-6:
            met += 1
        assert np.linalg.norm(found.impulse) >= np.linalg.norm(plain) - 1e-9
        assert np.all(found.impulse >= 0.0)
    rows = np.array([[1.0, -1.0, 0.1], [0.0, 0.0, 1.0]])
    problem = ContactProblem(np.eye(2), rows, [0.0, 0.0])
    found = unilateral_impulses(problem, np.array([-1.0, 1.0, -0.1]))
    assert found.impulse == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)
    assert not found.unique  # a squeeze of the first two


@pytest.mark.parametrize(
    ("directions", "unique"),
    [
        ([[1.0, 0.0], [0.0, 1.0]], True),
        ([[1.0, 1.0], [0.0, 0.0]], True),  # the same contact twice, without an impulse to share
        ([[1.0, -1.0], [0.0, 0.0]], False),  # a body squeezed between two walls
        ([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]], True),  # dependent, but no exchange is without a pull
        ([[1.0, -0.5, -0.5], [0.0, 0.8, -0.8]], False),  # three that balance each other
    ],
)
def test_uniqueness_at_rest_is_that_of_squeezing(directions, unique):
    problem = ContactProblem(np.eye(2), np.array(directions), np.zeros(2))
    found = unilateral_impulses(problem, problem.normal_velocity)
    assert np.all(found.impulse == 0.0)
    assert found.unique == unique


def test_contacts_that_ask_for_what_they_cannot_do_have_no_impulses():
    problem = ContactProblem(np.eye(1), [[1.0, -1.0]], [-1.0])
    assert unilateral_impulses(problem, np.array([-1.5, 1.2])) is None


def test_nothing_approaches_nothing_happens():
    problem = ContactProblem(np.eye(2), np.eye(2), [1.0, 0.0])
    found = unilateral_impulses(problem, problem.normal_velocity)
    assert np.all(found.impulse == 0.0)
    assert found.unique


@pytest.mark.parametrize("angle", [1e-2, 1e-4, 1e-6])
def test_narrow_wedge(angle):
    """A particle between two almost opposite walls moves out along the wedge: tangential speed only."""
    walls = np.array([[1.0, -1.0], [0.0, angle]])
    problem = ContactProblem(np.eye(2), walls, [-1.0, -1.0])
    found = unilateral_impulses(problem, problem.normal_velocity)
    velocity = problem.velocity + walls @ found.impulse
    assert velocity == pytest.approx([0.0, 0.0], abs=1e-9)


def test_contacts_that_are_the_same_but_for_rounding():
    """Their difference is no direction of its own: also where the demands on them differ a little."""
    rng = np.random.default_rng(4)
    for _ in range(50):
        directions = rng.normal(size=(4, 2))
        directions[:, 1] = np.nextafter(directions[:, 0], rng.choice([-9.0, 9.0], 4))
        problem = ContactProblem(np.diag([1.0, 2.0, 3.0, 4.0]), directions, -5.0 * directions[:, 0])
        one = ContactProblem(problem.mass, directions[:, :1], problem.velocity)
        for eps in ([0.5, 0.5], [0.3, 0.5]):
            rates = (1.0 + np.array(eps)) * problem.normal_velocity
            found, twin = unilateral_impulses(problem, rates), unilateral_impulses(one, rates[1:])
            change = directions @ found.impulse
            assert change == pytest.approx(one.directions @ twin.impulse, rel=1e-9)


def test_shortest_vector_to_a_corner():
    assert shortest(np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([1.0, 3.0])) == pytest.approx([1.5, 1.5])
    assert shortest(np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([2.0, 3.0])) == pytest.approx([2.0, 1.0])


def test_row_without_a_direction_is_fulfilled_or_not():
    rows = np.array([[1.0], [0.0]])
    assert shortest(rows, np.array([1.0, -1.0])) == pytest.approx([1.0])
    assert shortest(rows, np.array([1.0, 1.0])) is None


def test_coefficients_are_named_with_their_domain():
    assert problems.coefficients("restitution", 0.5, 3, 0.0, 1.0) == pytest.approx([0.5, 0.5, 0.5])
    with pytest.raises(ValueError, match="restitution must be one number or 3, one for each contact; got 2"):
        problems.coefficients("restitution", [0.1, 0.2], 3, 0.0, 1.0)
    with pytest.raises(ValueError, match=r"restitution must be from 0 to 1, got 1\.2"):
        problems.coefficients("restitution", [0.1, 1.2], 2, 0.0, 1.0)
    with pytest.raises(ValueError, match="restitution must be from 0 to 1, got nan"):
        problems.coefficients("restitution", float("nan"), 2, 0.0, 1.0)


ROUNDING = 1e-10


def random_columns(rng):
    """Unit columns, some of them copies, opposites or sums of others."""
    n, m = rng.integers(1, 6), rng.integers(1, 8)
    columns = rng.normal(size=(n, m))
    if m > 1 and rng.random() < 0.5:
        i, j = rng.choice(m, 2, replace=False)
        other = columns[:, j]
        near = other * (1.0 + 1e-16 * rng.normal(size=n))
        choices = [near, -other, columns.sum(axis=1) - columns[:, i]]
        columns[:, i] = choices[rng.integers(3)]
    return columns / np.linalg.norm(columns, axis=0)


def assert_minimum(columns, target, weights):
    rest = target - columns @ weights
    size = np.linalg.norm(target)
    assert np.all(weights >= 0.0)
    assert (columns.T @ rest).max() <= ROUNDING * size
    assert abs(rest @ (columns @ weights)) <= ROUNDING * size**2


@given(st.integers(0, 2**32 - 1))
def test_conditions_of_the_minimum(seed):
    """Of any target, and of its rest, at which all multipliers of the first solution vanish."""
    rng = np.random.default_rng(seed)
    columns = random_columns(rng)
    target = rng.normal(size=len(columns)) * 10.0 ** rng.uniform(-12, 12)
    weights = nonnegative_least_squares(columns, target)
    assert_minimum(columns, target, weights)
    rest = target - columns @ weights
    if np.linalg.norm(rest) > 1e-6 * np.linalg.norm(target):
        again = nonnegative_least_squares(columns, rest)
        assert_minimum(columns, rest, again)
        assert np.linalg.norm(columns @ again) <= 1e-6 * np.linalg.norm(rest)


def test_target_in_the_cone_is_met():
    rng = np.random.default_rng(0)
    columns = random_columns(rng)
    given_weights = rng.uniform(0.0, 1.0, columns.shape[1])
    target = columns @ given_weights
    assert columns @ nonnegative_least_squares(columns, target) == pytest.approx(target)


def test_least_squares_with_nothing_to_do():
    columns = np.eye(3)
    assert np.all(nonnegative_least_squares(columns, np.zeros(3)) == 0.0)
    assert np.all(nonnegative_least_squares(columns, -np.ones(3)) == 0.0)


ACCURACY = 1e-6  # q is perturbed


@pytest.mark.parametrize("seed", range(30))
def test_conditions_hold_for_positive_definite_and_skew_parts(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    root, skew = rng.normal(size=(n, n)), rng.normal(size=(n, n))
    matrix, constant = root @ root.T + 0.1 * np.eye(n) + skew - skew.T, rng.normal(size=n)
    found = lemke(matrix, constant)
    raised = matrix @ found + constant
    assert np.all(found >= 0.0)
    assert np.all(raised >= -ACCURACY)
    assert np.abs(found * raised).max() <= ACCURACY * max(1.0, found.max())


def test_what_has_no_solution_ends_on_a_ray():
    assert lemke(np.array([[0.0]]), np.array([-1.0])) is None
    assert lemke(np.array([[-1.0, 0.0], [0.0, 1.0]]), np.array([-1.0, -1.0])) is None


def test_lemke_with_nothing_to_do():
    assert np.all(lemke(np.eye(3), np.ones(3)) == 0.0)


REFUSALS = ("eigenvalues within a factor of 1e14", "lost in rounding", "contacts that depend on each other")
GAPS = np.diff(np.eye(3), axis=0).T
NEWTON_LIKE = {
    "newton": newton,
    "moreau": lambda problem, restitution: moreau(problem, restitution=restitution[0]),
    "fremond": lambda problem, restitution: fremond(problem, restitution=np.diag(restitution)),
}


@st.composite
def ill_conditioned(draw):
    """A chain of masses from 1e-12 to 1e12, or a mass matrix with an eigenvalue down to 1e-13."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(2, 5))
    if draw(st.booleans()):
        span = draw(st.sampled_from([6.0, 12.0, 13.9, 24.0]))
        powers = rng.uniform(0.0, span, n)
        mass = np.diag(10.0 ** (powers + rng.uniform(-12.0, 12.0 - powers.max())))
        directions = np.diff(np.eye(n), axis=0).T
    else:
        weak = 10.0 ** rng.uniform(-13.0, -1.0)
        axis = rng.normal(size=n)
        axis /= np.linalg.norm(axis)
        mass = np.eye(n) - (1.0 - weak) * np.outer(axis, axis)
        if draw(st.booleans()):
            mass = (1.0 - weak) * np.ones((n, n)) + weak * np.eye(n)
        directions = draw(st.sampled_from([np.eye(n), rng.normal(size=(n, draw(st.integers(1, n + 1))))]))
    return mass, directions, rng.normal(size=n)


def scaled(problem):
    """Directions in the kinetic metric (n, m) and their lengths (m,)."""
    columns = np.linalg.solve(np.linalg.cholesky(problem.mass), problem.directions)
    return columns, np.linalg.norm(columns, axis=0)


def assert_complementary(problem, rates, impulse, size):
    """0 <= L, 0 <= rates and one of them 0 for each contact, in scaled variables; ``size`` of a rate."""
    _, lengths = scaled(problem)
    assert np.all(impulse >= 0.0)
    assert np.all(rates / lengths >= -RELATIVE * size)
    assert np.all(np.minimum(rates / lengths, impulse * lengths) <= RELATIVE * size)


def assert_moved_by_impulses(problem, result):
    columns, lengths = scaled(problem)
    change = np.linalg.cholesky(problem.mass).T @ (result.velocity - problem.velocity)
    missing = np.linalg.norm(columns @ result.impulse - change)
    # the change is a difference of velocities, and known to their rounding
    rounding = np.finfo(float).eps * np.linalg.norm(
        np.abs(np.linalg.cholesky(problem.mass).T) @ np.abs(problem.velocity)
    )
    assert missing <= RELATIVE * max(np.linalg.norm(change), (result.impulse * lengths).max()) + rounding


def outcome(law, mass, directions, velocity, eps):
    """Problem and result, or None where input or law is refused with words."""
    try:
        problem = ContactProblem(mass, directions, velocity)
        return problem, law(problem, restitution=eps)
    except (ArithmeticError, ValueError) as error:
        if any(words in str(error) for words in REFUSALS):
            return None
        raise


@given(ill_conditioned(), st.lists(st.floats(0.0, 1.0), min_size=6, max_size=6), st.booleans())
@pytest.mark.parametrize("name", NEWTON_LIKE)
def test_the_law_holds_or_an_error_is_raised(name, system, coefficients, equal):
    m = system[1].shape[1]
    eps = np.full(m, coefficients[0]) if equal or name == "moreau" else np.array(coefficients[:m])
    found = outcome(NEWTON_LIKE[name], *system, eps)
    if found is None:
        return
    problem, result = found
    change = problem.directions.T @ (result.velocity - problem.velocity)
    asked = (1.0 + eps) * problem.normal_velocity
    size = np.abs(asked / scaled(problem)[1]).max()
    assert_complementary(problem, change + asked, result.impulse, size)
    assert_moved_by_impulses(problem, result)


@given(ill_conditioned(), st.lists(st.floats(0.0, 1.0), min_size=6, max_size=6), st.booleans())
def test_both_phases_of_poisson_hold_or_an_error_is_raised(system, coefficients, equal):
    m = system[1].shape[1]
    eps = np.full(m, coefficients[0]) if equal else np.array(coefficients[:m])
    found = outcome(poisson, *system, eps)
    if found is None:
        return
    problem, result = found
    columns, lengths = scaled(problem)
    least = eps * result.notes["compression"]
    given_back = np.abs(columns.T @ (columns @ least) / lengths).max()
    size = max(np.abs(problem.normal_velocity / lengths).max(), given_back)
    # rounding of impulses that all but cancel may leave their sum less than their parts
    more = np.maximum(result.notes["expansion"] - least, 0.0)
    assert_complementary(problem, result.normal_velocity, more, size)
    assert_moved_by_impulses(problem, result)


@pytest.mark.parametrize("light", [1e-4, 3e-8, 1e-10, 1e-12])
@pytest.mark.parametrize("law", [newton, moreau, poisson])
def test_a_light_ball_between_heavy_ones(law, light):
    """By hand, for a vanishing light ball: contact 1 reverses to half, the outer balls exchange 9/8 N s, and
    contact 2, which separates with 0.25 m/s, is asked for -0.125 m/s, but by Poisson's law for none."""
    result = law(ContactProblem(np.diag([1.0, light, 1.0]), GAPS, [1.0, -0.75, -0.5]), restitution=0.5)
    expected = [-0.125, 0.625, 0.625] if law is poisson else [-0.125, 0.75, 0.625]
    assert result.velocity == pytest.approx(expected, abs=2.0 * light + 1e-9)
    assert result.impulse == pytest.approx([1.125, 1.125], abs=2.0 * light + 1e-9)
    assert result.unique_impulse


@pytest.mark.parametrize("light", [1e-4, 3e-8, 1e-10, 1e-12])
@pytest.mark.parametrize("law", [newton, moreau, poisson])
def test_a_light_ball_that_both_heavy_ones_approach(law, light):
    """By hand, for a vanishing light ball: both gaps reverse to half, at 1 and 0.5 m/s before."""
    result = law(ContactProblem(np.diag([1.0, light, 1.0]), GAPS, [1.0, 0.0, -0.5]), restitution=0.5)
    assert result.velocity == pytest.approx([-0.125, 0.375, 0.625], abs=2.0 * light + 1e-9)
    assert result.consistent


@pytest.mark.parametrize("weak", [1e-5, 1e-7, 1e-10, 1e-12])
@pytest.mark.parametrize("law", [newton, moreau, poisson])
def test_nearly_singular_mass(law, weak):
    """Both coordinates meet their walls and reverse to half, as both impulses push."""
    mass = np.array([[1.0, 1.0 - weak], [1.0 - weak, 1.0]])
    result = law(ContactProblem(mass, np.eye(2), [-1.0, -0.5]), restitution=0.5)
    assert result.velocity == pytest.approx([0.5, 0.25], abs=1e-9)
    assert result.impulse == pytest.approx([2.25 - 0.75 * weak, 2.25 - 1.5 * weak])
    assert result.unique_impulse


@given(ill_conditioned(), st.floats(0.0, 1.0))
@pytest.mark.parametrize("law", [newton, moreau, poisson])
def test_impulses_that_a_copied_contact_can_take_are_never_unique(law, system, eps):
    found = outcome(law, *system, eps)
    if found is None:
        return
    problem, result = found
    m = len(result.impulse)
    pushes = int(np.argmax(result.impulse * scaled(problem)[1]))
    if result.impulse[pushes] == 0.0:
        return
    try:
        twin = law(reordered(problem, [*range(m), pushes]), restitution=eps)
    except ArithmeticError:
        return
    assert not twin.unique_impulse
    assert twin.impulse[pushes] == pytest.approx(twin.impulse[-1], rel=1e-6)


def test_columns_that_all_but_cancel_have_their_least_squares():
    """Masses from 2e-8 to 5e3: impulses of two contacts are 1e5 times what moves the bodies."""
    mass = np.diag([5.17733501e2, 2.26724505e-8, 4.88965135e3, 7.30923523, 1.14213655e-3])
    velocity = np.array([0.53585531, 0.1017401, 0.07766678, -0.78096125, 1.3671871])
    problem = ContactProblem(mass, np.diff(np.eye(5), axis=0).T, velocity)
    result = moreau(problem, restitution=0.0)
    together = float(velocity[:4] @ np.diag(mass)[:4] / np.diag(mass)[:4].sum())  # four bodies of one speed
    np.testing.assert_allclose(result.velocity, [together] * 4 + [velocity[4]], rtol=1e-9)


def test_a_coefficient_of_a_contact_that_does_not_push_changes_nothing():
    """An eigenvalue of 2.6e-10: the impulses of the other two all but cancel, and give nothing back."""
    axis = np.array([0.342, -0.216, -0.9145]) / np.linalg.norm([0.342, -0.216, -0.9145])
    mass = np.eye(3) - (1.0 - 2.6e-10) * np.outer(axis, axis)
    problem = ContactProblem(mass, np.eye(3), [1.066, -2.17, 1.019])
    with_third, without = (poisson(problem, restitution=eps) for eps in ([0.0, 0.0, 1.0], 0.0))
    assert (without.impulse > 0.0).tolist() == [True, True, False]
    assert (with_third.velocity == without.velocity).all()


def test_impulses_that_bring_all_to_rest_cancel():
    """Five contacts in a plane stop the body; what expansion gives back cancels, but for its rounding."""
    mass = np.array([[2.41153493, -0.35765144], [-0.35765144, 0.25297186]])
    gaps = np.array(
        [
            [0.1097064, -0.55264732, -0.78478036, 0.74874577, -0.47897551],
            [0.27276878, -1.23332866, -0.95826521, 1.60001909, -0.318806],
        ]
    )
    problem = ContactProblem(mass, gaps, [-0.00269451, -0.00145769])
    for eps in ([0.81551041, 0, 1, 0, 1], [1, 0, 0.50093796, 0, 1], [0, 0, 0, 0, 1]):
        result = poisson(problem, restitution=eps)
        assert result.velocity == pytest.approx([0.0, 0.0], abs=1e-12)
        assert result.kinetic
        assert result.kinematic


def test_an_impulse_of_a_mass_nearly_unbounded_is_known_to_its_rounding():
    """Inverse mass of condition 3e10: the impulse that ends the slip is 1e9 times what moves the body."""
    inverse = np.array([[1.2405016024, 1.9918125749], [1.9918125749, 3.1981557540]])
    contact = SingleContact(np.linalg.inv(inverse), np.array([-0.349, -0.56]), np.array([1.0, 0.0]), 1.2334)
    impulse = whittaker(contact, restitution=1.0).impulse
    assert inverse @ impulse == pytest.approx([0.698, 0.56], abs=1e-6)
    assert abs(impulse[1]) < 1.2334 * impulse[0]
