"""Sequences of single collisions."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mcrock.laws.chatterjee_ruina_1998 import chatterjee_ruina
from mcrock.laws.chatterjee_ruina_1998_sequence import collide_in_turn, sequential
from mcrock.laws.moreau_1988 import moreau
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


@settings(max_examples=50, deadline=None)
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


@settings(max_examples=60, deadline=None)
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


@settings(max_examples=60, deadline=None)
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


def test_moving_obstacle():
    """A wall that comes with 1 m/s."""
    problem = ContactProblem([[2.0]], [[1.0]], [-3.0], drift=-1.0)
    assert sequential(problem, restitution=0.5).velocity == pytest.approx([3.0])


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
        ({"friction": [-0.1, 0.0]}, "friction must be one number from 0 to infinity"),
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
