"""What all laws promise: energy, friction cone, limits, any axes and units, refusals."""

from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcrock.laws.final_slip import smith, two_phase, whittaker
from mcrock.laws.impulse_space import bilinear, chatterjee_ruina, composite, routh
from mcrock.laws.inequalities import fremond, moreau, newton, poisson, sequential
from mcrock.laws.problem import ContactProblem, SingleContact

from .contact_problems import assert_same_velocity, coefficients, reordered, systems
from .single_contacts import SHARES, TANGENTIAL, changed, contacts, embedded, size

ROUNDING = 1e-9  # of the energy
LAWS = {law.__name__: law for law in (chatterjee_ruina, routh, smith, two_phase, whittaker)}
TWIN = {"chatterjee_ruina": 1e-11, "routh": 1e-9, "smith": 1e-7, "two_phase": 1e-8, "whittaker": 1e-8}
each_law = pytest.mark.parametrize("name", LAWS)
MASS = np.array([[1.4, 0.3, 0.1], [0.3, 2.0, -0.2], [0.1, -0.2, 1.1]])
ONE = ContactProblem([[1.0]], [[1.0]], [-1.0])


def collide(name, contact, e=0.5, et=0.2):
    """Only the law of Chatterjee and Ruina needs a tangential restitution."""
    more = {"tangential_restitution": et} if name == "chatterjee_ruina" else {}
    return LAWS[name](contact, restitution=e, **more)


def all_of(impact):
    return impact.solutions or (impact,)


def nearest(impact, impulse):
    """Distance of an impulse from the nearest of all solutions."""
    return min(np.abs(solution.impulse - impulse).max() for solution in all_of(impact))


@each_law
@given(contacts(), SHARES, TANGENTIAL, st.integers(0, 10**6))
def test_axes_do_not_matter(name, contact, e, et, seed):
    """Turned and mirrored, one contact in two frames has the same impulse."""
    d = len(contact.normal)
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(d, d)))[0]
    mass = turn @ contact.mass @ turn.T
    other = SingleContact(
        0.5 * (mass + mass.T), turn @ contact.velocity, turn @ contact.normal, contact.friction
    )
    one, two = collide(name, contact, e, et), collide(name, other, e, et)
    assert nearest(two, turn @ one.impulse) < TWIN[name] * size(contact)


@each_law
@given(contacts(), SHARES, TANGENTIAL, st.floats(0.1, 10.0))
def test_impulses_scale_with_the_speed(name, contact, e, et, factor):
    one = collide(name, contact, e, et)
    faster = collide(name, changed(contact, velocity=factor * contact.velocity), e, et)
    assert nearest(faster, factor * one.impulse) < TWIN[name] * factor * size(contact)


@each_law
@given(contacts(dimensions=(2,)), SHARES, TANGENTIAL, st.floats(0.1, 10.0))
def test_a_plane_problem_in_space(name, contact, e, et, third):
    """One of the solutions, where there are several, stays in the plane."""
    flat, deep = collide(name, contact, e, et), collide(name, embedded(contact, third), e, et)
    if deep.unique_velocity or deep.solutions:  # else what is counted is the compression
        assert nearest(deep, np.append(flat.impulse, 0.0)) < TWIN[name] * size(contact)


@each_law
@given(contacts(), SHARES, TANGENTIAL)
def test_without_friction_the_impulse_is_normal(name, contact, e, et):
    impact = collide(name, changed(contact, friction=0.0), e, et)
    assert impact.impulse == pytest.approx((1 + e) * contact.compression, abs=1e-11 * size(contact))


@each_law
def test_no_motion_no_impulse(name):
    impact = collide(name, SingleContact(MASS, np.zeros(3), np.eye(3)[0], 0.3))
    assert not impact.impulse.any()
    assert impact.consistent


@each_law
def test_a_contact_of_one_dimension(name):
    impact = collide(name, SingleContact([[2.0]], [-1.0], [1.0], 0.3))
    assert impact.velocity == pytest.approx([0.5])


@pytest.mark.parametrize(
    ("name", "dimensions"), [("chatterjee_ruina", (2, 3)), ("two_phase", (2, 3)), ("routh", (2,))]
)
@pytest.mark.parametrize("grazing", [False, True])
@given(data=st.data(), e=SHARES, et=TANGENTIAL, weight=SHARES)
def test_permissible(name, dimensions, grazing, data, e, et, weight):
    """The composite too, as a weighted sum of impulses of a convex region."""
    contact = data.draw(contacts(dimensions=dimensions, grazing=grazing))
    assert collide(name, contact, e, et).consistent
    if name == "routh":
        assert composite(contact, restitution=e, tangential_restitution=et, weight=weight).consistent


@pytest.mark.parametrize(
    ("name", "friction", "dimensions"),
    [("chatterjee_ruina", 1e12, (2, 3)), ("two_phase", 1e9, (2,)), ("whittaker", 1e10, (2,))],
)
@given(data=st.data(), e=SHARES, et=TANGENTIAL)
def test_infinite_friction_is_the_limit_of_large_friction(name, friction, dimensions, data, e, et):
    contact = data.draw(contacts(dimensions=dimensions))
    limit, near = (collide(name, changed(contact, friction=mu), e, et) for mu in (inf, friction))
    tolerance = 1e-6 if name == "chatterjee_ruina" else 1e-5
    assert limit.impulse == pytest.approx(near.impulse, abs=tolerance * size(contact))
    assert name != "chatterjee_ruina" or limit.consistent


@pytest.mark.parametrize("name", ["chatterjee_ruina", "routh", "two_phase", "whittaker"])
@pytest.mark.parametrize("friction", [1e8, 1e12, 1e100, 1e160, 1e300])
@pytest.mark.parametrize("d", [2, 3])
def test_huge_friction_is_the_limit(name, friction, d):
    """Without overflow, and as fast: Routh's law took longer the more friction there was."""
    contact = SingleContact(MASS[:d, :d], [-1.1, 0.4, 0.2][:d], np.eye(d)[0], friction)
    limit = collide(name, changed(contact, friction=inf))
    assert collide(name, contact).impulse == pytest.approx(limit.impulse, abs=1e-6 * size(contact))


WITH_DEFAULTS = {
    chatterjee_ruina: {"tangential_restitution": 0.0},
    bilinear: {"tangential_restitution": 0.0},
    composite: {"tangential_restitution": 0.0, "weight": 0.5},
    **{law: {} for law in (routh, smith, two_phase, whittaker)},
}
DOMAINS = {"restitution": (0, 1), "tangential_restitution": (-1, 1), "weight": (0, 1)}


@pytest.mark.parametrize("law", WITH_DEFAULTS)
@pytest.mark.parametrize(
    ("beyond", "message"), [(1.01, r"got 1\.01"), (-1.5, r"got -1\.5"), (nan, "got nan"), ("x", "number")]
)
def test_coefficients_outside_their_domain(law, beyond, message):
    contact = SingleContact(np.eye(2), [-1.0, 0.3], [1.0, 0.0], 0.3)
    given = {"restitution": 0.5} | WITH_DEFAULTS[law]
    for name in given:
        low, high = DOMAINS[name]
        expected = message if message == "number" else f"from {low} to {high}, {message}"
        with pytest.raises(ValueError, match=f"{name} must be .*{expected}"):
            law(contact, **given | {name: beyond})


@pytest.mark.parametrize("name", ["tangential_restitution", "reversibility"])
def test_stored_impulses_have_shares(name):
    contact = SingleContact(np.eye(2), [-1.0, 0.0], [1.0, 0.0])
    with pytest.raises(ValueError, match=f"{name} must be from 0 to 1, got -0.5"):
        two_phase(contact, restitution=0.5, **{name: -0.5})


@pytest.mark.parametrize("law", [moreau, poisson])
@given(data=st.data())
def test_never_gains_energy(law, data):
    """Whatever the coefficients are and whether contacts close or separate."""
    problem = data.draw(systems())
    one = law is moreau  # which has one coefficient for all contacts
    eps = data.draw(st.floats(0.0, 1.0) if one else coefficients(problem.directions.shape[1]))
    result = law(problem, restitution=eps)
    assert result.energy_change <= ROUNDING * problem.energy
    assert result.energetic
    assert result.kinetic
    assert one or result.kinematic


@pytest.mark.parametrize(
    ("law", "independent", "tolerance"),
    [(moreau, False, 1e-8), (newton, True, 1e-8), (poisson, True, 1e-8), (poisson, False, 1e-7)],
)
@given(data=st.data())
def test_order_and_copies_of_contacts_do_not_matter(law, independent, tolerance, data):
    """Where contacts depend on each other the impulse of least norm, too, has no order."""
    problem = data.draw(systems(independent=independent))
    m = problem.directions.shape[1]
    eps = (
        np.array(data.draw(coefficients(m))) if law is not moreau else np.full(m, data.draw(st.floats(0, 1)))
    )
    order, more = list(data.draw(st.permutations(range(m)))), [*range(m), 0]

    def impact(chosen):
        return law(reordered(problem, chosen), restitution=eps[0] if law is moreau else eps[chosen])

    result, other = impact(list(range(m))), impact(order)
    assert_same_velocity(problem, result.velocity, other.velocity, tolerance)
    assert result.unique_impulse == other.unique_impulse
    if independent or law is moreau:
        copied = impact(more)
        assert_same_velocity(problem, result.velocity, copied.velocity, tolerance)
        assert copied.unique_velocity
        if result.impulse[0] > 1e-6 * result.impulse.max():
            assert not copied.unique_impulse
    if law is moreau:
        scale = 1e-6 * np.abs(result.impulse).max(initial=0.0)
        assert other.impulse == pytest.approx(result.impulse[order], abs=scale)
        assert copied.impulse[0] == pytest.approx(copied.impulse[-1], abs=scale)


@pytest.mark.parametrize("law", [moreau, newton, poisson])
@pytest.mark.parametrize("eps", [0.0, 0.3, 1.0])
def test_single_contact_is_the_textbook(law, eps):
    problem = ContactProblem(np.diag([1.0, 3.0]), [[-1.0], [1.0]], [2.0, -1.0])
    result = law(problem, restitution=eps)
    assert result.normal_velocity == pytest.approx([3.0 * eps])
    assert result.impulse == pytest.approx([0.75 * 3.0 * (1.0 + eps)])
    assert result.energy_change == pytest.approx(-0.5 * 0.75 * 9.0 * (1.0 - eps**2))


@pytest.mark.parametrize("law", [moreau, newton, poisson, sequential])
def test_moving_obstacle(law):
    """A wall that comes with 1 m/s: the ball leaves it with e times the speed of approach."""
    result = law(ContactProblem([[2.0]], [[1.0]], [-3.0], drift=-1.0), restitution=0.5)
    assert result.velocity == pytest.approx([3.0])
    assert result.normal_velocity == pytest.approx([2.0])


@pytest.mark.parametrize("law", [moreau, newton, poisson])
def test_touching_and_separating_contacts_take_no_impulse(law):
    problem = ContactProblem(np.diag([1.0, 2.0]), np.eye(2), [0.0, 2.0])
    result = law(problem, restitution=0.5)
    assert np.all(result.impulse == 0.0)
    assert np.all(result.velocity == problem.velocity)
    assert result.energy_change == 0.0


@pytest.mark.parametrize("law", [moreau, newton, poisson])
@given(data=st.data())
def test_coordinates_and_units_of_speed_do_not_matter(law, data):
    """u = T z: mass T'MT, directions T'W; and all velocities times a factor."""
    problem = data.draw(systems(independent=law is not moreau))
    n, eps = len(problem.velocity), data.draw(st.floats(0.0, 1.0))
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    change = np.linalg.qr(rng.normal(size=(n, n)))[0] * rng.uniform(0.5, 2.0, n)
    mass = change.T @ problem.mass @ change
    turned = ContactProblem(
        0.5 * (mass + mass.T), change.T @ problem.directions, np.linalg.solve(change, problem.velocity)
    )
    result = law(problem, restitution=eps)
    assert_same_velocity(problem, result.velocity, change @ law(turned, restitution=eps).velocity)
    factor = 10.0 ** data.draw(st.floats(-12.0, 12.0))
    fast = ContactProblem(problem.mass, problem.directions, factor * problem.velocity)
    assert_same_velocity(fast, factor * result.velocity, law(fast, restitution=eps).velocity)


@pytest.mark.parametrize(("law", "restitution"), [(newton, [0.5, 0.2]), (fremond, [[0.5, 0.0], [0.0, 0.2]])])
def test_dependent_contacts_with_different_demands_are_refused(law, restitution):
    """A body between two walls that move together: restitution 0.5 at one and 0.2 at the other."""
    problem = ContactProblem(np.eye(1), [[1.0, -1.0]], [-1.0])
    with pytest.raises(ValueError, match="no solution: contacts that depend on each other ask for different"):
        law(problem, restitution=restitution)
    assert newton(problem, restitution=0.5).velocity == pytest.approx([0.5])


@pytest.mark.parametrize("law", [moreau, poisson])
def test_obstacles_that_close_on_each_other_are_refused(law):
    problem = ContactProblem([[1.0]], [[1.0, -1.0]], [0.0], drift=-1.0)
    with pytest.raises(ValueError, match="the obstacles move so that no velocity is admitted"):
        law(problem, restitution=0.5)


@pytest.mark.parametrize("law", [moreau, newton, poisson, sequential])
@pytest.mark.parametrize("restitution", [-0.1, 1.1, float("nan"), "hard", None])
def test_coefficient_outside_its_domain_is_refused(law, restitution):
    with pytest.raises(ValueError, match="restitution must be"):
        law(ONE, restitution=restitution)
