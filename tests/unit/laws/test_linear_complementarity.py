"""Lemke's method: the conditions, and a problem without a solution."""

import numpy as np
import pytest

from mcrock.laws.complementarity import lemke

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


def test_nothing_to_do():
    assert np.all(lemke(np.eye(3), np.ones(3)) == 0.0)
