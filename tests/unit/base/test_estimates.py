"""Estimates and intervals as text: digits follow the interval, and what is printed holds what is printed."""

from hypothesis import assume, given
from hypothesis import strategies as st

from mcrock.base.estimates import format_estimate, format_interval

SIZES = st.floats(1e-10, 1e6)


@given(value=SIZES, down=st.floats(1.0, 1e3), up=st.floats(1.0, 1e3))
def test_a_printed_value_lies_in_its_printed_interval(value, down, up):
    low, high = value / down, value * up
    assume(low > 1e-10)
    text, ends = format_estimate(value, low, high), format_interval(low, high)
    parts = [float(part) for part in ends.split(" to ")]
    assert parts[0] <= float(text) <= parts[-1]


@given(value=SIZES, high=SIZES)
def test_an_upper_bound_is_not_rounded_below_itself(value, high):
    text = format_interval(0.0, high)
    assert text.startswith("below ")
    assert float(text.removeprefix("below ")) >= high * (1 - 1e-6)
    if value <= high:
        assert float(format_estimate(value, 0.0, high)) <= float(text.removeprefix("below ")) * 1.0001


@given(low=SIZES, width=st.floats(1e-9, 10.0))
def test_the_ends_of_an_interval_differ_in_five_digits_at_most(low, width):
    ends = format_interval(low, low * (1 + width)).split(" to ")
    assert float(ends[0]) < float(ends[-1]) or width < 1.01e-4
    assert all(len(end.partition("e")[0].replace(".", "").strip("0")) <= 5 for end in ends)


def test_what_says_nothing_is_no_number():
    inf, nan = float("inf"), float("nan")
    assert format_interval(0.0, inf) == "open"
    assert format_interval(nan, 1.0) == "-"
    assert format_estimate(inf, 0.1, inf) == "-"
    assert format_estimate(1e-300, 0.0, 1e-200) == "below 1e-12"
