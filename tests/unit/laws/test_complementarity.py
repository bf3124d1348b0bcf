"""The complementarity problem of all inequality laws: its conditions, its twins, dependent contacts."""

from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize

from mcrock.laws import problem as problems
from mcrock.laws.complementarity import shortest, unilateral_impulses
from mcrock.laws.problem import ContactProblem

from .contact_problems import coefficients, systems

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
