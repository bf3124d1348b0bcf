"""Values at places of the sorted ones, and medians: those of numpy, whatever the values and their cuts."""

from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mcrock.statistics import runs as module
from mcrock.statistics.runs import median, order_statistics

NEAR = [-1.0, -0.0, 0.0, 0.3, np.nextafter(0.3, 1.0)]
VALUES = arrays(float, st.integers(1, 60), elements=st.floats(-1e300, 1e300) | st.sampled_from(NEAR))


@given(values=VALUES, cuts=st.integers(1, 5), kept=st.integers(1, 70))
def test_every_place_and_the_median_are_those_of_sorted_values(values, cuts, kept):
    parts, n = np.array_split(values, cuts), len(values)
    with patch.object(module, "KEPT", kept):
        assert np.array_equal(order_statistics(lambda: parts, n, np.arange(n)), np.sort(values))
        assert median(lambda: parts, n) == np.median(values)
        assert not order_statistics(lambda: parts, n, []).size
