"""Values at places of the sorted ones: those of numpy, whatever the values and however they are cut."""

from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mcrock.statistics import order_statistics as module
from mcrock.statistics.order_statistics import median, middles, order_statistics

NEAR = [-1.0, -0.0, 0.0, 0.3, np.nextafter(0.3, 1.0)]
VALUES = st.one_of(st.floats(allow_nan=False), st.sampled_from(NEAR))
LENGTHS = st.integers(1, 60)


@given(
    values=arrays(float, st.integers(1, 60), elements=VALUES), cuts=st.integers(1, 5), kept=st.integers(1, 70)
)
def test_every_place_is_that_of_sorted_values(values, cuts, kept):
    parts = np.array_split(values, cuts)
    with patch.object(module, "KEPT", kept):
        found = order_statistics(lambda: parts, len(values), np.arange(len(values)))
        assert np.array_equal(found, np.sort(values))
        assert not order_statistics(lambda: parts, len(values), []).size


@given(values=arrays(float, LENGTHS, elements=st.floats(-1e300, 1e300)), kept=st.integers(1, 70))
def test_median_is_that_of_numpy(values, kept):
    with patch.object(module, "KEPT", kept):
        assert median(lambda: np.array_split(values, 3), len(values)) == np.median(values)


def test_middle_places():
    assert middles(10, 5).tolist() == [12, 12]
    assert middles([0, 10], [4, 1]).tolist() == [[1, 2], [10, 10]]
