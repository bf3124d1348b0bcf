"""What laws of several contacts without friction have in common."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcrock.laws.inequalities import moreau, newton, poisson, sequential
from mcrock.laws.problem import ContactProblem

from .contact_problems import assert_same_velocity, coefficients, reordered, systems

ROUNDING = 1e-9  # of the energy


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


@pytest.mark.parametrize("law", [moreau, poisson])
def test_obstacles_that_close_on_each_other_are_refused(law):
    problem = ContactProblem([[1.0]], [[1.0, -1.0]], [0.0], drift=-1.0)
    with pytest.raises(ValueError, match="the obstacles move so that no velocity is admitted"):
        law(problem, restitution=0.5)


@pytest.mark.parametrize("law", [moreau, newton, poisson, sequential])
@pytest.mark.parametrize("restitution", [-0.1, 1.1, float("nan"), "hard", None])
def test_coefficient_outside_its_domain_is_refused(law, restitution):
    with pytest.raises(ValueError, match="restitution must be"):
        law(ContactProblem([[1.0]], [[1.0]], [-1.0]), restitution=restitution)
