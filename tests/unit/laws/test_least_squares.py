"""Nonnegative least squares: the conditions of the minimum, also where multipliers are 0 but for rounding."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcrock.laws.complementarity import nonnegative_least_squares

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


@settings(max_examples=150)
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


def test_nothing_to_do():
    columns = np.eye(3)
    assert np.all(nonnegative_least_squares(columns, np.zeros(3)) == 0.0)
    assert np.all(nonnegative_least_squares(columns, -np.ones(3)) == 0.0)
