"""Re-entrant corners: all stationary velocities, by geometry, by their conditions and by brute force."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mcrock.laws.inequalities import moreau, reentrant_corner
from mcrock.laws.problem import ContactProblem

from .contact_problems import assert_same_velocity, reordered, systems


def wedge(beta, phi):
    """A particle meets the tip of a wedge of angle beta, moving at phi from its first face [rad]."""
    faces = np.array([[0.0, -np.sin(beta)], [-1.0, np.cos(beta)]])
    return ContactProblem(np.eye(2), faces, [np.cos(phi), np.sin(phi)])


def kinds(result):
    return [solution.notes["kind"] for solution in result.solutions]


@given(st.floats(0.05, 3.0), st.floats(0.01, 0.99))
def test_number_of_solutions_on_a_wedge(beta, fraction):
    """Face 1 below a right angle to it, face 2 likewise, the edge where both are: three or one."""
    phi = fraction * beta
    assume(abs(phi - np.pi / 2) > 1e-6)
    assume(abs(phi - beta + np.pi / 2) > 1e-6)
    result = reentrant_corner(wedge(beta, phi), restitution=0.5)
    first, second = phi < np.pi / 2, phi > beta - np.pi / 2
    expected = ["edge"] * (first and second) + ["face1"] * first + ["face2"] * second
    assert kinds(result) == expected
    assert len(expected) in (1, 3)
    assert result.unique_velocity == (len(expected) == 1)
    near = "face1" if phi < beta / 2 else "face2"
    if abs(phi - beta / 2) > 1e-6:
        assert result.notes["nearest"] == [near]


def test_two_solutions_on_the_borderline():
    result = reentrant_corner(wedge(np.radians(120.0), np.radians(90.0)), restitution=0.5)
    assert kinds(result) == ["edge", "face2"]


def test_head_on_tie_of_the_nearest():
    result = reentrant_corner(wedge(np.pi / 2, np.pi / 4), restitution=0.5)
    assert result.notes["nearest"] == ["face1", "face2"]
    assert result.notes["kind"] == "face1"
    speeds = {s.notes["kind"]: s.velocity for s in result.solutions}
    half = np.sqrt(0.5)
    assert speeds["edge"] == pytest.approx([-0.5 * half, -0.5 * half])
    assert speeds["face1"] == pytest.approx([half, -0.5 * half])


@given(systems(most=4), st.floats(0.0, 1.0))
def test_every_solution_is_stationary_admitted_and_without_gain(problem, restitution):
    assume(problem.directions.shape[1] > 1)
    result = reentrant_corner(problem, restitution=restitution)
    assert len(result.solutions) > 0
    for solution in result.solutions:
        assert solution.energy_change <= 1e-9 * problem.energy
        assert solution.kinematic
        assert solution.kinetic
        stayed = (solution.velocity + restitution * problem.velocity) / (1.0 + restitution)
        removed = problem.velocity - stayed
        length = np.sqrt(np.diag(problem.delassus))
        rates = problem.directions.T @ stayed / length
        speed = np.sqrt(2.0 * problem.energy)
        assert rates.max() >= -1e-9 * speed  # in K
        weights = solution.impulse / (1.0 + restitution)  # in the cone of the faces that it touches
        change = np.linalg.solve(problem.mass, problem.directions @ weights)
        assert_same_velocity(problem, -change, removed)
        touched = solution.impulse * length > 1e-9 * speed
        assert np.all(np.abs(rates[touched]) <= 1e-8 * speed)


@given(st.integers(0, 10**6))
def test_nearest_solution_is_the_nearest_admitted_velocity(seed):
    """Twin: the whole plane of velocities, by directions."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(2, 2))
    faces, velocity = rng.normal(size=(2, 2)), rng.normal(size=2)
    faces *= -np.sign(faces.T @ velocity)
    problem = ContactProblem(root @ root.T + 0.3 * np.eye(2), faces, velocity)
    result = reentrant_corner(problem, restitution=0.0)
    angle = np.linspace(0.0, 2.0 * np.pi, 40_001)
    along_faces = np.array([[0.0, -1.0], [1.0, 0.0]]) @ problem.directions
    rays = np.hstack([[np.cos(angle), np.sin(angle)], along_faces, -along_faces])
    rays = rays[:, (problem.directions.T @ rays).max(axis=0) >= -1e-12]
    along = np.einsum("ij,ik,k->j", rays, problem.mass, problem.velocity)
    lengths = np.einsum("ij,ik,kj->j", rays, problem.mass, rays)
    nearest = 2.0 * problem.energy - (np.maximum(along, 0.0) ** 2 / lengths).max()
    assert result.notes["distance"] ** 2 == pytest.approx(nearest, abs=1e-3 * problem.energy)


@given(st.data())
def test_order_of_the_faces_does_not_matter(data):
    problem = data.draw(systems(most=4))
    m = problem.directions.shape[1]
    assume(m > 1)
    order = list(data.draw(st.permutations(range(m))))
    one = reentrant_corner(problem, restitution=0.5)
    other = reentrant_corner(reordered(problem, order), restitution=0.5)
    assert len(one.solutions) == len(other.solutions)
    for solution in one.solutions:
        change = [np.abs(solution.velocity - twin.velocity).max() for twin in other.solutions]
        assert min(change) <= 1e-8 * max(np.abs(problem.velocity).max(), 1e-300) * 1e2


def test_approach_inside_the_admitted_set_has_other_solutions_too():
    """Erratum 1: A sharp wedge: the velocity leaves face 2, yet lies in the cone of the normals."""
    beta, phi = np.radians(40.0), np.radians(60.0)
    result = reentrant_corner(wedge(beta, phi), restitution=0.5)
    assert result.notes["admitted"]
    assert kinds(result) == ["none", "edge", "face1"]
    assert result.notes["nearest"] == ["none"]
    assert not result.unique_velocity
    assert np.all(result.velocity == result.solutions[0].velocity)
    assert np.all(result.velocity == [np.cos(phi), np.sin(phi)])
    edge, face = result.solutions[1:]
    # all motion is reversed at the edge; that along the normal of face 1, which is vertical, on this face
    assert edge.velocity == pytest.approx([-0.5 * np.cos(phi), -0.5 * np.sin(phi)])
    assert face.velocity == pytest.approx([np.cos(phi), -0.5 * np.sin(phi)])


@given(st.floats(0.05, 3.0), st.floats(-np.pi, np.pi), st.floats(0.0, 1.0))
def test_every_direction_of_a_wedge(beta, phi, restitution):
    """Closed form: v = u- where a gap opens; face i where its gap closes and the foot on it is admitted; the
    edge where u- lies between the normals (pi/2 of face 1, beta - pi/2 of face 2, both into the wedge)."""
    first, second = np.sin(phi), np.sin(beta - phi)  # speeds into the wedge through its faces
    normal_2 = np.array([np.sin(beta), -np.cos(beta)])
    foot_1, foot_2 = np.cos(phi), np.cos(phi - beta)  # speeds along the faces, away from the tip
    weights = np.linalg.solve(np.column_stack([[0.0, 1.0], normal_2]), [np.cos(phi), np.sin(phi)])
    margins = [first, second, foot_1, foot_2, *weights]
    assume(min(abs(margin) for margin in margins) > 1e-6)
    exists = {
        "none": first < 0.0 or second < 0.0,
        "edge": min(weights) > 0.0,
        "face1": first > 0.0 and foot_1 > 0.0,
        "face2": second > 0.0 and foot_2 > 0.0,
    }
    expected = [kind for kind, there in exists.items() if there]
    result = reentrant_corner(wedge(beta, phi), restitution=restitution)
    assert kinds(result) == expected
    assert result.unique_velocity == (len(expected) == 1)
    for solution in result.solutions:
        assert solution.energy_change <= 1e-12
        assert solution.kinematic


def test_three_faces_of_a_box_corner():
    """A particle meets the corner of a box head on: one corner, three edges and three faces can stop it."""
    problem = ContactProblem(np.eye(3), -np.eye(3), [1.0, 1.0, 1.0])
    result = reentrant_corner(problem, restitution=0.0)
    assert kinds(result) == ["edge1-2-3", "edge1-2", "edge1-3", "edge2-3", "face1", "face2", "face3"]
    assert result.solutions[1].velocity == pytest.approx([0.0, 0.0, 1.0])


def test_one_face_twice_is_the_flat_wall():
    problem = ContactProblem(np.eye(2), [[1.0, 1.0], [0.0, 0.0]], [-1.0, 2.0])
    result = reentrant_corner(problem, restitution=0.4)
    assert kinds(result) == ["edge"]
    wall = moreau(ContactProblem(np.eye(2), [[1.0], [0.0]], [-1.0, 2.0]), restitution=0.4)
    assert result.velocity == pytest.approx(wall.velocity)
    assert not result.unique_impulse


def test_faces_that_are_the_same_but_for_rounding_are_one():
    """In other coordinates two copies of a face differ in the last digit."""
    mass = [[3.24811235, 0.18780535, 0.94224037], [0.18780535, 6.16312106, 1.29056656]]
    mass += [[0.94224037, 1.29056656, 0.60649383]]
    face = np.array([-0.00082966, 0.4658781, 0.09788274])
    for other in (face, face * (1.0 + 1e-15), np.nextafter(face, 1.0)):
        problem = ContactProblem(mass, np.column_stack([face, other]), [0.7, -0.6, -0.1])
        result = reentrant_corner(problem, restitution=0.5)
        assert kinds(result) == ["edge"]
        wall = moreau(ContactProblem(mass, face[:, None], problem.velocity), restitution=0.5)
        assert result.velocity == pytest.approx(wall.velocity, abs=1e-9)


@pytest.mark.parametrize("angle", [1e-3, 1e-6, 1e-9, 1e-12])
def test_an_almost_flat_wedge_has_an_impact_on_its_borderlines(angle):
    """Normals that differ by a small angle, and velocities around those normal to either face."""
    faces = np.array([[0.0, np.sin(angle)], [1.0, np.cos(angle)]])
    for turn in np.linspace(-2.0, 2.0, 41) * angle:
        problem = ContactProblem(np.eye(2), faces, [-np.sin(turn), -np.cos(turn)])
        result = reentrant_corner(problem, restitution=0.0)
        assert len(result.solutions) > 0
        assert np.linalg.norm(result.velocity) <= 4.0 * angle + 1e-9


def test_opposite_faces_admit_everything():
    result = reentrant_corner(
        ContactProblem(np.eye(2), [[1.0, -1.0], [0.0, 0.0]], [-1.0, 2.0]), restitution=0.4
    )
    assert result.notes["admitted"]


def test_along_a_face_is_no_impact():
    result = reentrant_corner(wedge(np.pi / 2, 0.0), restitution=0.5)
    assert result.notes["admitted"]
    assert result.energy_change == 0.0


@pytest.mark.parametrize("number", [1, 13])
def test_number_of_faces(number):
    problem = ContactProblem(np.eye(1), -np.ones((1, number)), [1.0])
    with pytest.raises(ValueError, match=f"a corner needs 2 to 12 faces, got {number}"):
        reentrant_corner(problem, restitution=0.5)


def test_moving_faces_are_refused():
    problem = ContactProblem(np.eye(2), -np.eye(2), [1.0, 1.0], drift=-0.1)
    with pytest.raises(ValueError, match="the faces of a corner must not move"):
        reentrant_corner(problem, restitution=0.5)


def test_coefficient_outside_its_domain_is_refused():
    with pytest.raises(ValueError, match="restitution must be from 0 to 1, got -1"):
        reentrant_corner(wedge(1.0, 0.5), restitution=-1.0)


@pytest.mark.parametrize("velocity", [[0.0, 0.0, 0.0], [0.0, 0.0, 2.0]])
def test_at_rest_or_along_the_edge_nothing_happens_once(velocity):
    result = reentrant_corner(ContactProblem(np.eye(3), -np.eye(3)[:, :2], velocity), restitution=0.5)
    assert kinds(result) == ["none"]
    assert np.all(result.velocity == velocity)
    assert result.unique_velocity


def projected(problem, columns):
    """The velocity nearest to u- that none of some contacts opposes, as by Moreau's law."""
    if not len(columns):
        return problem.velocity
    chosen = ContactProblem(problem.mass, problem.directions[:, list(columns)], problem.velocity)
    return moreau(chosen, restitution=0.0).velocity


@st.composite
def corners(draw):
    """A corner of two or three faces with one or two further contacts."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, faces, further = draw(st.integers(2, 4)), draw(st.integers(2, 3)), draw(st.integers(1, 2))
    root = rng.normal(size=(n, n))
    velocity = rng.normal(size=n)
    directions = rng.normal(size=(n, faces + further))
    if draw(st.booleans()):  # head on
        directions *= -np.sign(directions.T @ velocity)
    return ContactProblem(root @ root.T + 0.3 * np.eye(n), directions, velocity), list(range(faces))


@given(corners())
def test_the_nearest_outcome_at_a_corner_with_further_contacts(corner):
    """K is a union of convex sets, one for each face with all further contacts, each with its nearest."""
    problem, faces = corner
    further = range(len(faces), problem.directions.shape[1])
    result = reentrant_corner(problem, restitution=0.0, faces=faces)
    removed = [problem.velocity - projected(problem, [face, *further]) for face in faces]
    distance = min(np.sqrt(part @ problem.mass @ part) for part in removed)
    assert result.notes["distance"] == pytest.approx(distance, abs=1e-8 * np.sqrt(2.0 * problem.energy))


@given(corners(), st.floats(0.0, 1.0))
def test_every_outcome_at_a_corner_with_further_contacts_is_stationary(corner, restitution):
    """v is admitted, v_perp in the cone of the normals of what v touches, and no energy is gained."""
    problem, faces = corner
    result = reentrant_corner(problem, restitution=restitution, faces=faces)
    length, speed = np.sqrt(np.diag(problem.delassus)), np.sqrt(2.0 * problem.energy)
    for solution in result.solutions:
        v, across = solution.notes["admitted_part"], solution.notes["normal_part"]
        rates = problem.directions.T @ v / length
        assert rates[: len(faces)].max() >= -1e-9 * speed
        assert rates[len(faces) :].min() >= -1e-9 * speed
        weights = solution.impulse / (1.0 + restitution)
        assert weights.min() >= 0.0
        assert_same_velocity(problem, -np.linalg.solve(problem.mass, problem.directions @ weights), across)
        assert np.all(np.abs(rates[weights * length > 1e-9 * speed]) <= 1e-8 * speed)
        assert solution.energy_change <= 1e-9 * problem.energy
        assert_same_velocity(problem, v - restitution * across, solution.velocity)


def test_a_corner_on_the_ground():
    """A point that touches a tip comes down on the ground: the ground pushes it, by eps into the tip."""
    ground, tip = [0.0, 1.0], -np.eye(2)
    problem = ContactProblem(np.eye(2), np.column_stack([tip, ground]), [1.0, -1.0])
    result = reentrant_corner(problem, restitution=0.5, faces=[0, 1])
    assert not result.notes["admitted"]
    # v = (1, 0) stays on the ground, which is on face 2 too: that alone is needed
    assert kinds(result)[0] == "none"
    assert result.velocity == pytest.approx([1.0, 0.5])
    assert not result.kinematic
    assert result.solutions[0].impulse == pytest.approx([0.0, 0.0, 1.5])


@pytest.mark.parametrize("faces", [[0, 0], [0, 5], [-1, 0]])
def test_faces_that_are_no_contacts_are_refused(faces):
    with pytest.raises(ValueError, match="faces must name contacts, 0 to 2, each once"):
        reentrant_corner(ContactProblem(np.eye(3), -np.eye(3), np.ones(3)), restitution=0.5, faces=faces)
