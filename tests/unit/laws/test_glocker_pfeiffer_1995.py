"""Poisson's law as inequalities: two phases, never a gain of energy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcrock.laws.inequalities import poisson
from mcrock.laws.problem import ContactProblem

from .contact_problems import coefficients, systems

ROUNDING = 1e-9  # of the energy


@given(st.data())
def test_both_phases_are_complementary(data):
    problem = data.draw(systems())
    eps = np.array(data.draw(coefficients(problem.directions.shape[1])))
    result = poisson(problem, restitution=eps)
    compression, expansion = result.notes["compression"], result.notes["expansion"]
    middle = problem.normal_velocity + problem.delassus @ compression
    size = np.abs(problem.normal_velocity).max()
    scale = np.diag(problem.delassus)
    assert np.all(middle >= -1e-8 * size)
    assert np.all(np.minimum(middle, scale * compression) <= 1e-8 * size)
    assert np.all(np.minimum(result.normal_velocity, scale * (expansion - eps * compression)) <= 1e-8 * size)
    assert np.all(expansion >= eps * compression)
    assert result.impulse == pytest.approx(compression + expansion)


def test_the_equality_rule_gains_energy_and_the_inequality_does_not():
    """Erratum 1: Glocker (2001), section 3(a), warns of gains: they are those of Ld = eps Lc.

    D = [[2, -1], [-1, 2]] and Lc = (1, 0.6), coefficients (1, 0).
    """
    gaps = np.diff(np.eye(3), axis=0).T
    delassus = gaps.T @ gaps
    assert delassus == pytest.approx(np.array([[2.0, -1.0], [-1.0, 2.0]]))
    compression = np.array([1.0, 0.6])
    velocity = np.linalg.lstsq(gaps.T, -delassus @ compression, rcond=None)[0]
    problem = ContactProblem(np.eye(3), gaps, velocity)
    result = poisson(problem, restitution=[1.0, 0.0])
    assert result.notes["compression"] == pytest.approx(compression)
    printed = problem.result(compression + np.array([1.0, 0.0]) * compression)
    assert not printed.kinematic
    assert not printed.energetic
    assert result.kinematic
    assert result.energetic
    assert result.notes["expansion"][1] > 0.0


def test_dependent_contacts_with_unequal_coefficients_are_flagged():
    """Two copies of a contact, coefficients 1 and 0: compression by the first alone rebounds with 1, by both
    with 1/2, and the law does not say which."""
    problem = ContactProblem(np.eye(1), [[1.0, 1.0]], [-1.0])
    result = poisson(problem, restitution=[1.0, 0.0])
    assert result.velocity == pytest.approx([0.5])
    assert not result.unique_velocity
    assert not result.unique_impulse
    equal = poisson(problem, restitution=0.7)
    assert equal.unique_velocity
    assert not equal.unique_impulse
