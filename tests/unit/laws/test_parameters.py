"""Messages about physical parameters."""

import pytest

from mcrock.laws.systems.parameters import count, quantities, quantity


@pytest.mark.parametrize("value", [0.0, -1, float("nan"), float("inf"), "long", None, [1.0, 2.0]])
def test_quantity_names_itself_its_limit_and_unit(value):
    with pytest.raises(ValueError, match=r"length must be > 0 \[m\], got"):
        quantity("length", value, "m", above=0.0)


def test_both_limits():
    assert quantity("share", 1, "1", above=0.0, most=1.0) == 1.0
    with pytest.raises(ValueError, match=r"share must be > 0 and <= 1 \[1\], got 2"):
        quantity("share", 2, "1", above=0.0, most=1.0)


def test_one_number_or_several():
    assert quantities("places", 0.5, "m") == [0.5]
    assert quantities("places", (0.5, 1), "m") == [0.5, 1.0]
    with pytest.raises(ValueError, match=r"places must be at least one number \[m\], got \[\]"):
        quantities("places", [], "m")
    with pytest.raises(ValueError, match=r"places must be 2 numbers \[m\], got 0.5"):
        quantities("places", 0.5, "m", number=2)
    with pytest.raises(ValueError, match=r"places must be a finite number \[m\], got 'far'"):
        quantities("places", "far", "m")


@pytest.mark.parametrize("value", [1, 11, 2.5, "many", None, float("nan"), float("inf"), True])
def test_count(value):
    with pytest.raises(ValueError, match="points must be a whole number from 2 to 10, got"):
        count("points", value, 2, 10)


def test_count_takes_whole_floats():
    assert count("points", 5.0, 2, 10) == 5
