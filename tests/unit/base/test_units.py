"""Numbers as people write them: with commas, units and thousands that could be decimals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcrock.base.units import LENGTHS, parse_number, parse_quantity


@given(number=st.floats(-1e9, 1e9), unit=st.sampled_from(list(LENGTHS)), space=st.sampled_from(["", " "]))
def test_what_python_writes_is_read_in_every_unit(number, unit, space):
    assert parse_quantity(f"{number!r}{space}{unit.upper()}", LENGTHS) == pytest.approx(
        number * LENGTHS[unit]
    )


@given(number=st.integers(0, 99), decimals=st.sampled_from(["5", "40", "0625"]), comma=st.sampled_from(",."))
def test_a_comma_is_a_decimal_one(number, decimals, comma):
    assert parse_number(f"{number}{comma}{decimals}") == float(f"{number}.{decimals}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,400", "may be 1400 or 1.400"),
        ("1,2,3", "expected a number"),
        ("1.4 parsec", r"unit \[m; cm, mm, in, ft\]"),
        ("tall", "as in 1.4 m, got 'tall'"),
        ("", "expected a number"),
        ("nan", "expected a number"),
    ],
)
def test_what_is_not_clear_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        parse_quantity(text, LENGTHS)
