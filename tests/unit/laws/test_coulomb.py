"""Newton's, Moreau's and Poisson's laws with friction at several contacts."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mcrock.laws import complementarity
from mcrock.laws.brogliato_2012 import block_problem
from mcrock.laws.complementarity import ScaledContacts, one_solution
from mcrock.laws.final_slip import two_phase, whittaker
from mcrock.laws.inequalities import fremond, moreau, newton, poisson
from mcrock.laws.problem import ContactProblem, NormalForm
from mcrock.laws.systems.rods import pendulum_impact
from mcrock.planar import rectangle

LAWS = [newton, moreau, poisson]
RELATIVE = 1e-7  # of the largest velocity or impulse in the kinetic metric
ROUNDING = 1e-9  # of the energy


def particle(slip, approach=1.0, friction=0.5):
    """A particle of 1 kg that meets the floor."""
    return ContactProblem(
        np.eye(2), [[0.0], [1.0]], [slip, -approach], tangents=[[[1.0]], [[0.0]]], friction=friction
    )


@st.composite
def rough_systems(draw, k=None, most=3, independent=False, approaching=True):
    """A system of 2 to 7 coordinates with 1 to ``most`` contacts of friction 0 to 1.5, some without."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    k = k or draw(st.integers(1, 2))
    m = draw(st.integers(1, most))
    n = m * (1 + k) if independent else draw(st.integers(2, 7))
    root = rng.normal(size=(n, n))
    directions, velocity = rng.normal(size=(n, m)), rng.normal(size=n)
    if approaching:
        directions = directions * np.where(directions.T @ velocity > 0.0, -1.0, 1.0)
    friction = rng.uniform(0.0, 1.5, m) * (rng.random(m) < 0.9)
    return ContactProblem(
        root @ root.T + 0.3 * np.eye(n), directions, velocity, rng.normal(size=(n, m, k)), friction
    )


def assert_coulomb(problem, rates, slips, normal, tangential, least=0.0):
    """Complementarity of rates and impulses, and friction in its cone against the slip."""
    columns = np.linalg.solve(np.linalg.cholesky(problem.mass), problem.directions)
    lengths = np.linalg.norm(columns, axis=0)
    speed, length = np.linalg.norm(slips, axis=1), np.linalg.norm(tangential, axis=1)
    size = max(kinetic(problem, problem.velocity), (speed / lengths).max(), (normal * lengths).max())
    assert np.all(rates / lengths >= -RELATIVE * size)
    assert np.all(normal - least >= 0.0)
    assert np.all(np.minimum(rates / lengths, (normal - least) * lengths) <= RELATIVE * size)
    assert np.all(length * lengths <= problem.friction * normal * lengths + RELATIVE * size)
    power = np.sum(tangential * slips, axis=1) + problem.friction * normal * speed
    assert np.all(np.abs(power) <= RELATIVE * size**2)


def tangential_impulse(problem, result):
    """Tangential impulses (m, k), zero where no contact has friction."""
    return result.notes.get("tangential_impulse", np.zeros(problem.slip.shape))


def kinetic(problem, velocity):
    return float(np.sqrt(velocity @ problem.mass @ velocity))


@pytest.mark.parametrize("law", LAWS)
def test_slip_of_a_particle_is_slowed(law):
    """p = (1 + eps) 1 kg 1 m/s = 1.5 N s takes mu p = 0.75 m/s of the slip of 2 m/s."""
    result = law(particle(2.0), restitution=0.5)
    assert result.velocity == pytest.approx([1.25, 0.5])
    assert result.impulse == pytest.approx([1.5])
    assert result.notes["tangential_impulse"] == pytest.approx(np.array([[-0.75]]))
    assert result.energy_change == pytest.approx(0.5 * (1.25**2 + 0.25 - 5.0))
    assert result.consistent
    assert result.unique_velocity
    assert result.unique_impulse


@pytest.mark.parametrize(("law", "left"), [(newton, 0.0), (moreau, -0.2), (poisson, 0.0)])
def test_slow_slip_of_a_particle_ends(law, left):
    """Of 0.4 m/s: Moreau's law gives half of it back, as it sticks in the mean."""
    result = law(particle(0.4), restitution=0.5)
    assert result.velocity == pytest.approx([left, 0.5], abs=1e-12)
    assert result.notes["tangential_impulse"] == pytest.approx(np.array([[left - 0.4]]))


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("friction", [0.1, 0.3, 1.0, np.inf])
def test_slender_block_rocks_on_the_corner_that_lands(law, friction):
    """Of height l = 4 and width L = 1: Housner's ratio where friction is at least 3 l L/(4 l^2 + L^2), the
    lower end e_c1+ of Brogliato's sliding rocking where it is less, and no impulse at the corner left."""
    result = law(block_problem(rectangle(1.0, 4.0, mass=1.0), -1.0, friction=friction), restitution=0.0)
    sticks = friction >= 12.0 / 65.0
    ratio = 31.0 / 34.0 if sticks else (14.0 + 12.0 * friction) / (20.0 - 12.0 * friction)
    normal = 0.5 * (1.0 + ratio)
    assert result.velocity[2] == pytest.approx(-ratio)
    assert result.impulse == pytest.approx([normal, 0.0], abs=1e-12)
    used = 12.0 / 65.0 if sticks else friction
    assert result.notes["tangential_impulse"][:, 0] == pytest.approx([-used * normal, 0.0], abs=1e-12)
    assert result.unique_velocity
    assert result.consistent


@pytest.mark.parametrize("law", LAWS)
def test_flat_block_stops_on_both_corners(law):
    """Of height 1 and width 4: N = m L |rate|/2 = 2, the impulse that stops the COM's 0.5 m/s sideways, and
    moments about the COM. Only the sum of the friction of both corners is determined."""
    block = rectangle(4.0, 1.0, mass=1.0)
    result = law(block_problem(block, -1.0, friction=1.0), restitution=0.0)
    assert result.velocity == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)
    apart = (block.inertia * 1.0 + 0.5 * 0.5) / 2.0
    assert result.impulse == pytest.approx([1.0 + 0.5 * apart, 1.0 - 0.5 * apart])
    assert result.notes["tangential_impulse"].sum() == pytest.approx(-0.5)
    assert result.unique_velocity
    assert not result.unique_impulse


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_block_that_lands_flat_and_slips(law, restitution):
    """Both corners together: 1 kg that falls with 1 m/s and slips with 2 m/s; friction 0.2 at a depth of
    0.5 m moves impulse from corner to corner, half a width of 1 m from the COM."""
    problem = replace(
        block_problem(rectangle(2.0, 1.0, mass=1.0), 0.0, friction=0.2), velocity=np.array([2.0, -1.0, 0.0])
    )
    result = law(problem, restitution=restitution)
    press = 1.0 + restitution
    assert result.velocity == pytest.approx([2.0 - 0.2 * press, restitution, 0.0], abs=1e-12)
    apart = 0.5 * 0.2 * press
    assert result.impulse == pytest.approx([0.5 * (press + apart), 0.5 * (press - apart)])
    assert result.notes["tangential_impulse"][:, 0] == pytest.approx(-0.2 * result.impulse)


@pytest.mark.parametrize("law", LAWS)
def test_particle_that_meets_two_rough_walls_stops(law):
    """A right-angled corner with friction 0.5: each wall's friction acts along the other's normal, so that
    the velocity is known, and the impulses are not."""
    tangents = np.array([[[0.0], [1.0]], [[1.0], [0.0]]])
    result = law(ContactProblem(np.eye(2), np.eye(2), [-1.0, -1.2], tangents, 0.5), restitution=0.0)
    assert result.velocity == pytest.approx([0.0, 0.0], abs=1e-12)
    tangential = result.notes["tangential_impulse"][:, 0]
    assert result.impulse + tangential[::-1] == pytest.approx([1.0, 1.2])
    assert np.all(np.abs(tangential) <= 0.5 * result.impulse + 1e-12)
    assert result.unique_velocity
    assert not result.unique_impulse


@given(rough_systems(most=1, independent=True), st.floats(0.0, 1.0))
def test_one_contact_is_the_law_of_whittaker_and_of_two_phases(problem, restitution):
    assume(np.linalg.cond(NormalForm.of(problem.at(0)).inverse) < 1e9)  # else `newton` may refuse
    twin = whittaker(problem.at(0), restitution=restitution)
    twins = [one.impulse for one in twin.solutions or (twin,)]
    size = np.abs(twins[0]).max()
    result = newton(problem, restitution=restitution)
    found = np.append(result.impulse, tangential_impulse(problem, result))
    assert min(np.abs(found - one).max() for one in twins) <= RELATIVE * size
    assert not (result.unique_velocity and len(twins) > 1)
    phases = two_phase(problem.at(0), restitution=restitution)
    result = poisson(problem, restitution=restitution)
    if phases.notes["n_compressions"] == 1:
        found = np.append(result.impulse, tangential_impulse(problem, result))
        assert found == pytest.approx(phases.impulse, abs=RELATIVE * np.abs(phases.impulse).max())


@given(rough_systems(approaching=False), st.floats(0.0, 1.0))
def test_moreau_obeys_coulomb_in_the_mean_and_never_gains_energy(problem, restitution):
    result = moreau(problem, restitution=restitution)
    mean = (result.velocity + restitution * problem.velocity) / (1.0 + restitution)
    at_mean = replace(problem, velocity=mean)
    tangential = tangential_impulse(problem, result)
    assert_coulomb(problem, at_mean.normal_velocity, at_mean.slip, result.impulse, tangential)
    change = kinetic(problem, result.velocity - problem.velocity)
    lost = np.sum(tangential * at_mean.slip) - 0.5 * (1.0 - restitution) / (1.0 + restitution) * change**2
    assert result.energy_change == pytest.approx(lost, abs=1e-7 * max(problem.energy, change**2))
    assert result.energetic
    assert result.friction


@given(rough_systems(approaching=False), st.floats(0.0, 1.0), st.booleans())
def test_both_phases_of_poisson_obey_coulomb(problem, restitution, equal):
    """With one coefficient no energy is gained."""
    m = len(problem.friction)
    eps = np.full(m, restitution) if equal else restitution ** np.arange(1.0, m + 1.0)
    result = poisson(problem, restitution=eps)
    assert result.kinematic
    assert result.kinetic
    assert result.friction
    if equal:
        assert result.energy_change <= ROUNDING * problem.energy
    compressed = poisson(problem, restitution=0.0)
    middle = replace(problem, velocity=compressed.velocity)
    tangential = tangential_impulse(problem, compressed)
    assert_coulomb(problem, middle.normal_velocity, middle.slip, compressed.impulse, tangential)
    after = replace(problem, velocity=result.velocity)
    more = tangential_impulse(problem, result) - tangential
    least = eps * result.notes["compression"]
    assert result.notes["compression"] == pytest.approx(compressed.impulse)
    assert_coulomb(problem, after.normal_velocity, after.slip, result.notes["expansion"], more, least)


@given(rough_systems(independent=True), st.lists(st.floats(0.0, 1.0), min_size=3, max_size=3))
def test_newton_reverses_approaches_and_obeys_coulomb(problem, coefficients):
    """Of independent contacts; without restitution no energy is gained."""
    eps = np.array(coefficients[: len(problem.friction)])
    result = newton(problem, restitution=eps)
    after = replace(problem, velocity=result.velocity)
    asked = after.normal_velocity + eps * problem.normal_velocity
    tangential = tangential_impulse(problem, result)
    assert_coulomb(problem, asked, after.slip, result.impulse, tangential)
    plastic = newton(problem, restitution=0.0)
    assert plastic.energy_change <= ROUNDING * problem.energy
    assert plastic.consistent


@given(rough_systems(k=1, approaching=False), st.floats(0.0, 1.0))
def test_the_search_finds_one_of_all_solutions_in_the_plane(problem, least):
    """Twin: Lemke's and Newton's methods against all modes; and where friction is low enough there is one."""
    contacts = ScaledContacts.of(
        problem, problem.normal_velocity, problem.slip, np.full(len(problem.friction), least)
    )
    tried = [
        complementarity._of_modes(contacts, modes) for modes in product(*complementarity._modes(contacts))
    ]
    moves = [contacts.columns @ one[0].ravel() for one in tried if one and contacts.holds(one[0])]
    found = one_solution(contacts)
    assert found is not None
    size = max(1.0, np.linalg.norm(contacts.columns @ found.ravel()))
    assert min(np.linalg.norm(contacts.columns @ found.ravel() - move) for move in moves) <= RELATIVE * size
    if contacts.is_monotone():
        assert max(np.linalg.norm(moves[0] - move) for move in moves) <= RELATIVE * size


@given(rough_systems(independent=True))
def test_friction_that_leaves_one_solution_is_known_by_its_size(problem):
    """Up to the friction at which the sum of (|N_i| |A_x,i| + |A_x,i^T N_i|)/2 over the contacts is 1."""
    m = len(problem.friction)

    def contacts(friction):
        rough = replace(problem, friction=np.full(m, friction))
        return ScaledContacts.of(rough, problem.normal_velocity, problem.slip, np.zeros(m))

    columns = contacts(1.0).columns
    normal = np.linalg.pinv(columns).reshape(m, -1, len(columns))[:, 0]
    tangents = columns.reshape(len(columns), m, -1)[:, :, 1:]
    most = sum(
        0.5 * (np.linalg.norm(row) * np.linalg.norm(across, 2) + np.linalg.norm(across.T @ row))
        for row, across in zip(normal, np.moveaxis(tangents, 1, 0), strict=True)
    )
    assert contacts(0.999 / most).is_monotone()
    assert not contacts(1.001 / most).is_monotone()


@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.integers(1, 2), st.sampled_from([6.0, 12.0, 13.5]))
@pytest.mark.parametrize("law", [newton, moreau])
def test_masses_that_differ_much_hold_the_law_or_are_refused(law, seed, n, k, span):
    """Balls in a row, of 1e-12 to 1e12 kg, that slip on each other."""
    rng = np.random.default_rng(seed)
    powers = rng.uniform(0.0, span, n)
    mass = np.diag(np.repeat(10.0 ** (powers + rng.uniform(-12.0, 12.0 - span)), 1 + k))
    frames = np.kron(np.diff(np.eye(n), axis=0).T, np.eye(1 + k)).reshape(n * (1 + k), n - 1, 1 + k)
    velocity = rng.normal(size=n * (1 + k))
    problem = ContactProblem(mass, frames[:, :, 0], velocity, frames[:, :, 1:], rng.uniform(0.1, 1.0))
    try:
        result = law(problem, restitution=0.5)
    except ArithmeticError as error:
        if "rounding hides them" in str(error):
            return
        raise
    share = 1.5 if law is moreau else 1.0
    ended = replace(problem, velocity=(result.velocity + (share - 1.0) * velocity) / share)
    asked = result.normal_velocity + 0.5 * problem.normal_velocity
    assert_coulomb(problem, asked, ended.slip, result.impulse, tangential_impulse(problem, result))


@given(rough_systems(k=1, approaching=False), st.floats(0.0, 1.0))
def test_the_plane_is_part_of_space(problem, restitution):
    """A second tangent along a coordinate of its own, which nothing moves."""
    n, m = problem.directions.shape
    mass = np.eye(n + m)
    mass[:n, :n] = problem.mass
    tangents = np.zeros((n + m, m, 2))
    tangents[:n, :, :1] = problem.tangents
    tangents[n:, :, 1] = np.eye(m)
    directions = np.vstack([problem.directions, np.zeros((m, m))])
    velocity = np.append(problem.velocity, np.zeros(m))
    spatial = ContactProblem(mass, directions, velocity, tangents, problem.friction)
    flat, found = moreau(problem, restitution=restitution), moreau(spatial, restitution=restitution)
    velocities = [one.velocity for one in flat.solutions or (flat,)]
    size = kinetic(problem, problem.velocity)
    assert min(kinetic(problem, found.velocity[:n] - one) for one in velocities) <= RELATIVE * size
    assert not (found.unique_velocity and len(velocities) > 1)


@given(rough_systems(k=1), st.data())
@pytest.mark.parametrize("law", LAWS)
def test_order_of_contacts_does_not_matter(law, problem, data):
    order = list(data.draw(st.permutations(range(len(problem.friction)))))
    other = ContactProblem(
        problem.mass,
        problem.directions[:, order],
        problem.velocity,
        np.asarray(problem.tangents)[:, order],
        np.asarray(problem.friction)[order],
    )
    one, two = law(problem, restitution=0.0), law(other, restitution=0.0)
    assert one.unique_velocity == two.unique_velocity
    assert kinetic(problem, one.velocity - two.velocity) <= 1e-6 * kinetic(problem, problem.velocity)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("friction", [0.0, 1e-9])
def test_vanishing_friction_is_none(law, friction):
    rng = np.random.default_rng(3)
    directions, tangents = rng.normal(size=(5, 3)), rng.normal(size=(5, 3, 2))
    problem = ContactProblem(np.eye(5), directions, rng.normal(size=5), tangents, friction)
    smooth = ContactProblem(np.eye(5), directions, problem.velocity)
    assert law(problem, restitution=0.4).velocity == pytest.approx(
        law(smooth, restitution=0.4).velocity, abs=1e-7
    )


def test_several_solutions_are_all_given():
    """Two contacts of high friction in the plane: every solution obeys the law, and none is the only one."""
    rng = np.random.default_rng(0)
    met = 0
    while met < 5:
        n = 3
        root = rng.normal(size=(n, n))
        directions, velocity = rng.normal(size=(n, 2)), rng.normal(size=n)
        directions = directions * np.where(directions.T @ velocity > 0.0, -1.0, 1.0)
        problem = ContactProblem(
            root @ root.T + 0.1 * np.eye(n), directions, velocity, rng.normal(size=(n, 2, 1)), 1.5
        )
        result = moreau(problem, restitution=0.0)
        if not result.solutions:
            assert result.unique_velocity
            continue
        met += 1
        assert not result.unique_velocity
        assert not result.unique_impulse
        assert np.all(result.velocity == result.solutions[0].velocity)
        sums = [one.impulse.sum() for one in result.solutions]
        assert sums == sorted(sums)
        for one in result.solutions:
            after = replace(problem, velocity=one.velocity)
            assert_coulomb(
                problem, after.normal_velocity, after.slip, one.impulse, one.notes["tangential_impulse"]
            )


def test_newton_and_uneven_poisson_can_gain_energy_and_tell():
    """Kane's and Levinson's paradox, and two contacts with the coefficients 1 and 0."""
    rng = np.random.default_rng(1)
    gains = {"newton": 0, "poisson": 0}
    for _ in range(150):
        root = rng.normal(size=(4, 4))
        directions, velocity = rng.normal(size=(4, 2)), rng.normal(size=4)
        directions = directions * np.where(directions.T @ velocity > 0.0, -1.0, 1.0)
        problem = ContactProblem(
            root @ root.T + 0.1 * np.eye(4), directions, velocity, rng.normal(size=(4, 2, 1)), 1.0
        )
        for law in (newton, poisson):
            result = law(problem, restitution=[1.0, 0.0])
            gains[law.__name__] += result.energy_change > 1e-3 * problem.energy
            assert result.energetic == (result.energy_change <= 1e-9 * problem.energy)
    assert min(gains.values()) > 0


@pytest.mark.parametrize("angle", [30.0, 60.0, 80.0])
def test_impact_pendulum(angle):
    """A rod that can only turn: where friction jams, Newton's law has no solution; the velocity of Poisson's
    depends on how the compression shares normal and tangential impulse, which is told."""
    sine, cosine = np.sin(np.deg2rad(angle)), np.cos(np.deg2rad(angle))
    problem = ContactProblem([[1.0 / 3.0]], [[sine]], [-1.0], tangents=[[[cosine]]], friction=0.6)
    result = poisson(problem, restitution=1.0)
    assert not result.unique_velocity
    paper = pendulum_impact(1.0 / 3.0, 1.0, np.deg2rad(angle), 0.6, 1.0, -1.0)
    assert (result.velocity[0] <= 1e-12) == paper.sticks
    assert -1e-12 <= result.velocity[0] <= 1.0
    if paper.sticks:
        with pytest.raises(ArithmeticError, match="friction jams a contact that is to rebound"):
            newton(problem, restitution=1.0)
    else:
        assert newton(problem, restitution=1.0).velocity == pytest.approx([1.0])


def test_a_table_that_lands_on_four_legs():
    """In space, three of four legs would do: a slip of 2 m/s is slowed by mu (1 + eps) times the fall, and
    without a moment, as the COM is on the floor, all legs take the same."""
    corners = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [-1.0, 1.0]])
    directions = np.zeros((6, 4))
    directions[2] = 1.0
    directions[3], directions[4] = corners[:, 1], -corners[:, 0]
    tangents = np.zeros((6, 4, 2))
    tangents[0, :, 0] = tangents[1, :, 1] = 1.0
    tangents[5, :, 0], tangents[5, :, 1] = -corners[:, 1], corners[:, 0]
    velocity = np.array([1.2, 1.6, -1.0, 0.0, 0.0, 0.0])
    problem = ContactProblem(np.diag([2.0, 2.0, 2.0, 1.0, 1.0, 1.0]), directions, velocity, tangents, 0.5)
    for law in LAWS:
        result = law(problem, restitution=0.5)
        assert result.velocity == pytest.approx([1.25 * 0.6, 1.25 * 0.8, 0.5, 0, 0, 0], abs=1e-9)
        assert result.impulse == pytest.approx(np.full(4, 0.75))
        assert not result.unique_impulse


def test_laws_without_a_rule_for_friction_refuse_it():
    with pytest.raises(
        ValueError, match=r"Fremond's law has no rule for friction, got friction 0\.5: take newton"
    ):
        fremond(particle(2.0), restitution=[[0.5]])
    assert fremond(particle(2.0, friction=0.0), restitution=[[0.5]]).velocity == pytest.approx([2.0, 0.5])


@pytest.mark.parametrize("law", LAWS)
def test_friction_without_directions_of_slip_is_refused(law):
    bare = ContactProblem(np.eye(2), [[0.0], [1.0]], [2.0, -1.0], friction=0.5)
    with pytest.raises(ValueError, match=r"friction 0\.5 needs the directions of slip: give tangents"):
        law(bare, restitution=0.5)
    many = replace(bare, tangents=np.ones((2, 1, 3)))
    with pytest.raises(ValueError, match="a contact has 1 or 2 tangents, got 3"):
        law(many, restitution=0.5)
