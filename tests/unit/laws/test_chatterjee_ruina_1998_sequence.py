"""Sequences of single collisions."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mcrock.laws.impulse_space import chatterjee_ruina
from mcrock.laws.inequalities import collide_in_turn, moreau, sequential
from mcrock.laws.problem import ContactProblem, SingleContact

from .contact_problems import assert_same_velocity, systems


def chain(velocity, masses=None):
    n = len(velocity)
    return ContactProblem(np.diag(masses or [1.0] * n), np.diff(np.eye(n), axis=0).T, velocity)


def falling_rod(velocity=(-1.0, 0.0)):
    """A slender rod of half length 1 that falls with both ends on the floor."""
    return ContactProblem(np.diag([1.0, 1.0 / 3.0]), [[1.0, 1.0], [-1.0, 1.0]], velocity)


def frictional(problem, rng, k=1):
    """The system with random tangents and friction."""
    n, m = problem.directions.shape
    return ContactProblem(
        problem.mass,
        problem.directions,
        problem.velocity,
        tangents=rng.normal(size=(n, m, k)),
        friction=rng.choice([0.0, 0.2, 0.7, np.inf], m),
    )


@pytest.mark.parametrize("n", [2, 3, 6])
def test_cradle_of_equal_balls(n):
    """One ball in, one ball out, in order along the chain."""
    result = sequential(chain([1.0] + [0.0] * (n - 1)), restitution=1.0)
    assert result.velocity == pytest.approx([0.0] * (n - 1) + [1.0], abs=1e-14)
    assert result.notes["sequence"] == list(range(n - 1))
    assert result.energy_change == pytest.approx(0.0, abs=1e-14)


def test_infinite_sequence_converges_to_a_common_speed():
    """Three equal balls without rebound: each pair of collisions leaves a quarter of the difference."""
    result = sequential(chain([1.0, 0.0, 0.0]), restitution=0.0)
    assert result.velocity == pytest.approx([1 / 3] * 3, abs=1e-11)
    assert not result.notes["truncated"]
    assert result.notes["sequence"][:4] == [0, 1, 0, 1]
    assert 15 < len(result.notes["sequence"]) < 50
    assert result.impulse == pytest.approx([2 / 3, 1 / 3], abs=1e-11)


def test_infinite_sequence_is_cut_off_and_told():
    result = sequential(chain([1.0, 0.0, 0.0]), restitution=0.0, limit=5)
    assert result.notes["truncated"]
    assert len(result.notes["sequence"]) == 5
    assert not result.kinematic


def test_lossless_ball_between_two_walls_never_ends():
    """Energy is conserved and the sequence goes on, as the paper warns."""
    problem = ContactProblem(np.eye(1), [[1.0, -1.0]], [-1.0])
    result = sequential(problem, restitution=1.0, limit=101)
    assert result.notes["truncated"]
    assert result.notes["sequence"] == [0, 1] * 50 + [0]
    assert sequential(problem, restitution=0.0).velocity == pytest.approx([0.0])


def test_dissipation_ends_a_ball_between_two_walls():
    problem = ContactProblem(np.eye(1), [[1.0, -1.0]], [-1.0])
    result = sequential(problem, restitution=0.5)
    assert not result.notes["truncated"]
    assert result.velocity == pytest.approx([0.0], abs=1e-11)


def test_falling_rod_is_a_tie_with_two_outcomes():
    """Goyal, Papadopoulos and Sullivan's rod: whichever end hits first, the rod turns the other way."""
    result = sequential(falling_rod(), restitution=0.5)
    assert result.notes["ties"] == 1
    assert result.notes["sequence"][0] == 0
    assert not result.unique_velocity
    one, other = result.solutions
    assert one.velocity == pytest.approx(result.velocity)
    assert other.notes["sequence"][0] == 1
    assert other.velocity == pytest.approx(one.velocity * [1.0, -1.0])
    first = sequential(falling_rod(), restitution=0.5, priority=[1, 0])
    assert first.velocity == pytest.approx(other.velocity)


def test_rounding_does_not_decide_a_tie():
    one = sequential(falling_rod((-1.0, 1e-13)), restitution=0.5)
    other = sequential(falling_rod((-1.0, -1e-13)), restitution=0.5)
    assert one.notes["sequence"] == other.notes["sequence"]


def test_a_tie_of_contacts_that_do_not_feel_each_other_is_unique():
    problem = ContactProblem(np.eye(2), np.eye(2), [-1.0, -1.0])
    result = sequential(problem, restitution=0.5)
    assert result.notes["ties"] == 0
    assert result.unique_velocity
    assert result.velocity == pytest.approx([0.5, 0.5])


def test_symmetric_tie_with_one_outcome_is_unique():
    """Two balls hit a third from both sides: the order changes the way, not the end, at e = 1."""
    result = sequential(chain([1.0, 0.0, -1.0]), restitution=1.0)
    assert result.notes["ties"] > 0
    assert result.unique_velocity
    assert result.velocity == pytest.approx([-1.0, 0.0, 1.0], abs=1e-14)


@given(systems(), st.floats(0.0, 0.9), st.integers(0, 10**6))
def test_frictional_sequences_never_gain_energy(problem, restitution, seed):
    rng = np.random.default_rng(seed)
    rough = frictional(problem, rng, int(rng.integers(1, 3)))
    result = sequential(rough, restitution=restitution, tangential_restitution=0.3, limit=300)
    assert result.energy_change <= 1e-9 * problem.energy
    assert result.kinetic
    assert result.friction
    assert result.kinematic or result.notes["truncated"]
    impulse = np.einsum("nmk,mk->n", rough.tangents, result.notes["tangential_impulse"])
    impulse += rough.directions @ result.impulse
    change = rough.mass @ (result.velocity - rough.velocity)
    assert change == pytest.approx(impulse, abs=1e-8 * max(np.abs(impulse).max(), 1e-300))


@given(st.data())
def test_order_of_the_contacts_does_not_matter_without_ties(data):
    problem = data.draw(systems(independent=True))
    m = problem.directions.shape[1]
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    rough = frictional(problem, rng)
    order = list(data.draw(st.permutations(range(m))))
    e, et = rng.uniform(0.0, 0.8, m), rng.uniform(-1.0, 1.0, m)
    other = ContactProblem(
        rough.mass,
        rough.directions[:, order],
        rough.velocity,
        tangents=rough.tangents[:, order],
        friction=rough.friction[order],
    )
    result = sequential(rough, restitution=e, tangential_restitution=et, limit=200)
    twin = sequential(other, restitution=e[order], tangential_restitution=et[order], limit=200)
    assume(result.notes["ties"] == 0)
    assert [order[contact] for contact in twin.notes["sequence"]] == result.notes["sequence"]
    assert_same_velocity(problem, result.velocity, twin.velocity)


@given(systems(closing=True), st.floats(0.0, 1.0))
def test_orthogonal_contacts_rebound_as_by_moreau(problem, restitution):
    """Contacts that do not feel each other: one collision each, and all laws agree."""
    factor = np.linalg.cholesky(problem.mass)
    frame = np.linalg.qr(np.random.default_rng(1).normal(size=problem.mass.shape))[0]
    directions = factor @ frame
    directions = directions * np.where(directions.T @ problem.velocity > 0.0, -1.0, 1.0)
    alone = ContactProblem(problem.mass, directions, problem.velocity)
    one = sequential(alone, restitution=restitution)
    assert_same_velocity(alone, one.velocity, moreau(alone, restitution=restitution).velocity)


@pytest.mark.parametrize("friction", [0.0, 0.3, np.inf])
def test_one_contact_is_the_law_of_one_collision(friction):
    rng = np.random.default_rng(3)
    root = rng.normal(size=(4, 4))
    frame = rng.normal(size=(4, 3))
    velocity = rng.normal(size=4)
    frame[:, 0] *= -np.sign(frame[:, 0] @ velocity)
    problem = ContactProblem(
        root @ root.T + np.eye(4), frame[:, :1], velocity, tangents=frame[:, None, 1:], friction=friction
    )
    result = sequential(problem, restitution=0.4, tangential_restitution=0.2)
    single = chatterjee_ruina(problem.at(0), restitution=0.4, tangential_restitution=0.2)
    assert result.impulse[0] == pytest.approx(single.impulse[0])
    assert result.notes["tangential_impulse"][0] == pytest.approx(single.impulse[1:])
    assert result.energy_change == pytest.approx(single.energy_change)


def test_relative_velocities_alone_are_enough():
    """Equation (15): the sequence needs W and U, each block in the axes of its contact, of any size."""
    inverse = np.array([[2.0, 0.3, 0.5], [0.3, 1.0, 0.2], [0.5, 0.2, 1.5]])
    collisions = collide_in_turn(
        inverse,
        [0.4, -1.0, -0.2],
        [[0.0, 1.0], [1.0]],
        friction=[0.3, 0.0],
        restitution=[0.5, 0.1],
        tangential_restitution=[0.0, 0.0],
    )
    single = SingleContact.of_inverse(inverse[:2, :2], [0.4, -1.0], [0.0, 1.0], 0.3)
    first = chatterjee_ruina(single, restitution=0.5, tangential_restitution=0.0).impulse
    assert collisions.order[0] == 0
    assert collisions.velocity == pytest.approx(inverse @ collisions.impulse + [0.4, -1.0, -0.2])
    if collisions.order == [0]:
        assert collisions.impulse[:2] == pytest.approx(first)


def hinged_rod(angle=0.0, friction=0.0):
    """A slender rod of half length 1 and mass 1 that turns about its left end; the right one meets the floor.

    Coordinates x, y of the centre and the angle; below the horizontal for angle < 0.
    """
    c, s = np.cos(angle), np.sin(angle)
    hinge = np.array([[1.0, 0.0], [0.0, 1.0], [s, -c]])
    problem = ContactProblem(
        np.diag([1.0, 1.0, 1.0 / 3.0]),
        [[0.0], [1.0], [c]],
        [s, -c, -1.0],
        tangents=[[[1.0]], [[0.0]], [[-s]]],
        friction=friction,
    )
    return problem, hinge


@pytest.mark.parametrize("e", [1.0, 0.8, 0.5, 0.35, 0.3, 0.1, 0.0])
def test_rod_with_a_hinge_as_an_extra_collision(e):
    """Closed form: each round leaves (3 e - 1)/4 of the speed, so that it is the only one if e >= 1/3."""
    problem, hinge = hinged_rod()
    result = sequential(problem, restitution=e, hinges=[hinge])
    ratio = (3.0 * e - 1.0) / 4.0
    assert result.notes["sequence"][:2] == [0, 1]
    assert (len(result.notes["sequence"]) == 2) == (e >= 1.0 / 3.0)
    assert result.velocity == pytest.approx(max(ratio, 0.0) * -problem.velocity, abs=1e-11)
    assert not result.notes["truncated"]
    assert result.kinematic
    # of the series of impulses (1 + e) |v| / 4, v = 2, the hinge takes half in each round
    total = (1.0 + e) / 2.0 / (1.0 if ratio >= 0.0 else 1.0 + ratio)
    assert result.impulse == pytest.approx([total], abs=1e-11)
    assert result.notes["hinge_impulses"][0] == pytest.approx([0.0, 0.5 * total], abs=1e-11)


def test_a_hinge_in_the_coordinates_is_another_model():
    """As an intact mechanism the same rod keeps all of e, as Chatterjee and Ruina say in section 6.5."""
    whole = ContactProblem([[4.0 / 3.0]], [[2.0]], [-1.0])
    assert sequential(whole, restitution=0.5).velocity == pytest.approx([0.5])
    problem, hinge = hinged_rod()
    assert sequential(problem, restitution=0.5, hinges=[hinge]).velocity[2] == pytest.approx(0.125)


def test_a_hinge_that_stays_open_is_told():
    problem, hinge = hinged_rod()
    result = sequential(problem, restitution=0.5, hinges=[hinge], limit=1)
    assert result.notes["truncated"]
    assert not result.kinematic
    assert result.normal_velocity[0] > 0.0


@given(systems(most=3), st.floats(0.0, 0.9), st.integers(0, 10**6))
def test_hinges_close_and_energy_does_not_grow(problem, restitution, seed):
    rng = np.random.default_rng(seed)
    rough = frictional(problem, rng)
    hinge = rng.normal(size=(len(problem.velocity), int(rng.integers(1, 3))))
    result = sequential(rough, restitution=restitution, hinges=[hinge], limit=500)
    assert result.energy_change <= 1e-9 * problem.energy
    assert result.kinetic
    assert result.friction
    if not result.notes["truncated"]:
        assert result.kinematic
        opening = hinge.T @ result.velocity
        assert np.abs(opening).max() <= 1e-8 * np.abs(hinge).max() * np.abs(problem.velocity).max() * 10.0
    impulse = np.einsum("nmk,mk->n", rough.tangents, result.notes["tangential_impulse"])
    impulse += rough.directions @ result.impulse + hinge @ result.notes["hinge_impulses"][0]
    change = problem.mass @ (result.velocity - problem.velocity)
    assert change == pytest.approx(impulse, abs=1e-8 * np.abs(change).max() + 1e-300)


@given(st.floats(-1.4, 1.4))
def test_plastic_rod_with_a_hinge_comes_to_rest(angle):
    """Alternating projections: a mechanism of one coordinate that loses all of it."""
    problem, hinge = hinged_rod(angle)
    result = sequential(problem, restitution=0.0, hinges=[hinge])
    assert np.abs(result.velocity).max() <= 1e-6


def test_only_a_hinge():
    """The plastic, sticking collision of a hinge that opens: momentum across it is kept."""
    problem = ContactProblem(np.diag([1.0, 3.0]), [[0.0], [1.0]], [4.0, 0.0])
    result = sequential(problem, restitution=0.5, hinges=[[[1.0], [-1.0]]])
    assert result.velocity == pytest.approx([1.0, 1.0])
    assert result.notes["sequence"] == [1]
    assert result.notes["hinge_impulses"][0] == pytest.approx([-3.0])


def test_random_ties_are_a_function_of_seed_and_realization():
    drawn = [sequential(falling_rod(), restitution=0.5, seed=3, realization=i) for i in range(200)]
    again = [sequential(falling_rod(), restitution=0.5, seed=3, realization=i) for i in range(200)]
    first = np.array([result.notes["sequence"][0] for result in drawn])
    assert [result.notes["sequence"][0] for result in again] == first.tolist()
    # of a fair coin, five standard deviations: a false alarm in a million seeds, and this one is fixed
    assert abs(first.mean() - 0.5) < 5.0 * 0.5 / np.sqrt(200)
    other = [sequential(falling_rod(), restitution=0.5, seed=4, realization=i) for i in range(200)]
    assert first.tolist() != [result.notes["sequence"][0] for result in other]
    by_number = sequential(falling_rod(), restitution=0.5).velocity
    for result in drawn:
        sign = 1.0 if result.notes["sequence"][0] == 0 else -1.0
        assert result.velocity == pytest.approx(by_number * [1.0, sign])
        assert not result.unique_velocity
        assert len(result.solutions) == 2
        assert result.solutions[0].velocity == pytest.approx(result.velocity)


def test_every_order_of_a_tie_of_three_is_drawn():
    """A ball in the middle of three others, hit by all of them alike."""
    directions = np.array([[1.0, 0.0], [-0.5, np.sqrt(0.75)], [-0.5, -np.sqrt(0.75)]])
    gaps = np.zeros((8, 3))
    velocity = np.zeros(8)
    for i, direction in enumerate(directions):
        gaps[:2, i], gaps[2 + 2 * i : 4 + 2 * i, i] = -direction, direction
        velocity[2 + 2 * i : 4 + 2 * i] = -direction
    problem = ContactProblem(np.eye(8), gaps, velocity)
    orders = {
        tuple(sequential(problem, restitution=0.2, seed=1, realization=i).notes["sequence"][:2])
        for i in range(100)
    }
    assert orders == {(i, j) for i in range(3) for j in range(3) if i != j}


def test_without_ties_a_seed_changes_nothing():
    problem = chain([1.0, 0.0, 0.0], [1.0, 2.0, 3.0])
    plain, drawn = (sequential(problem, restitution=0.5, **seed) for seed in ({}, {"seed": 7}))
    assert drawn.notes["ties"] == 0
    assert np.all(drawn.velocity == plain.velocity)


def test_nothing_approaches_nothing_happens():
    result = sequential(chain([0.0, 0.0, 1.0]), restitution=1.0)
    assert result.notes["sequence"] == []
    assert np.all(result.impulse == 0.0)


def test_slip_at_rest_is_no_collision():
    """A contact that slides without approach takes no impulse."""
    problem = ContactProblem(np.eye(2), [[0.0], [1.0]], [1.0, 0.0], tangents=[[[1.0]], [[0.0]]], friction=0.5)
    assert np.all(sequential(problem, restitution=0.5).impulse == 0.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"restitution": 1.5}, "restitution must be from 0 to 1, got 1"),
        ({"tangential_restitution": -2.0}, "tangential_restitution must be from -1 to 1, got -2"),
        ({"priority": [0, 0]}, "priority must name each of the contacts 0 to 1 once"),
        ({"limit": 0}, "limit must be from 1"),
        ({"priority": [0, 1], "seed": 1}, "give either priority or seed"),
        ({"seed": -1}, "seed must be from 0"),
        ({"hinges": [[[1.0]]]}, "a hinge must have 2 rows"),
        ({"hinges": [[[1.0], [0.0]]], "priority": [0, 1]}, "contacts 0 to 1 once, and the .* 2 to 2; got"),
    ],
)
def test_wrong_parameters_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        sequential(falling_rod(), **({"restitution": 0.5} | change))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"inverse": [[1.0, 2.0], [2.0, 1.0]]}, "inverse must be positive semidefinite"),
        ({"inverse": [[1.0, 0.5], [0.0, 1.0]]}, "inverse must be symmetric"),
        ({"velocity": [-1.0]}, "velocity must have the shape"),
        ({"normals": [[2.0], [1.0]]}, "normal must be a unit vector"),
        ({"friction": [-0.1, 0.0]}, "friction must be from 0 to inf"),
    ],
)
def test_wrong_relative_problems_are_refused(change, message):
    given = {
        "inverse": np.eye(2),
        "velocity": [-1.0, -1.0],
        "normals": [[1.0], [1.0]],
        "friction": 0.0,
        "restitution": 0.5,
    } | change
    with pytest.raises(ValueError, match=message):
        collide_in_turn(given.pop("inverse"), given.pop("velocity"), given.pop("normals"), **given)


def test_parallel_contacts_share_an_impulse_that_the_order_decides():
    """Two points of a wall meet a ball at once: it rebounds by e from either, and only one of them pushes."""
    result = sequential(ContactProblem(np.eye(1), [[1.0, 1.0]], [-1.0]), restitution=0.5)
    assert result.velocity == pytest.approx([0.5])
    assert result.unique_velocity
    assert not result.unique_impulse
    impulses = [solution.impulse.tolist() for solution in result.solutions]
    assert impulses == [[1.5, 0.0], [0.0, 1.5]]
