"""Sobol points by their index are those that SciPy walks to, to the last bit."""

import numpy as np
import pytest

from mcrock.study import design
from mcrock.study.design import BITS, points_by_scipy, sobol_points


def generator():
    return np.random.default_rng(np.random.SeedSequence(5, spawn_key=(7,)))


@pytest.mark.parametrize("dimensions", [1, 2, 3, 8, 40, 1200])
@pytest.mark.parametrize(
    ("start", "stop"),
    [(0, 1), (0, 2), (0, 100), (1, 2), (5, 64), (64, 65), (1023, 1100), (2**18 - 3, 2**18 + 4)],
)
def test_points_are_those_of_scipy(dimensions, start, stop):
    points = sobol_points(generator(), dimensions, start, stop)
    np.testing.assert_array_equal(points, points_by_scipy(generator(), dimensions, start, stop), strict=True)


def test_a_slice_may_be_empty():
    assert sobol_points(generator(), 3, 7, 7).shape == points_by_scipy(generator(), 3, 7, 7).shape == (0, 3)


def test_the_last_points_are_there_and_no_more():
    last = sobol_points(generator(), 2, 2**BITS - 4, 2**BITS)
    assert np.all((last > 0) & (last < 1))
    assert len(np.unique(last[:, 0])) == 4
    with pytest.raises(ValueError, match=r"at most 2\*\*30 = 1073741824 points, got 1073741825"):
        sobol_points(generator(), 2, 0, 2**BITS + 1)


def test_too_many_dimensions():
    with pytest.raises(ValueError, match="at most 21201 dimensions, got 21202"):
        sobol_points(generator(), 21202, 0, 1)


def test_without_the_table_scipy_walks(monkeypatch, tmp_path):
    there = sobol_points(generator(), 4, 30, 50)
    monkeypatch.setattr(design, "TABLE", tmp_path / "moved.npz")
    np.testing.assert_array_equal(sobol_points(generator(), 4, 30, 50), there)
