"""Directions by the names of components."""

from math import degrees

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcrock.excitation.readers.text_file import orientation_remark, parse_orientation

AZIMUTHS = {  # [deg]
    **{
        "067": 67,
        "67": 67,
        "0": 0,
        "000": 0,
        "360": 0,
        "360 Deg": 0,
        " 90 DEG": 90,
        "91.5 Deg": 91.5,
        "5 Deg": 5,
    },
    **{"N": 0, "e": 90, "West": 270, "N-S": 0, "E-W": 90, "EW": 90, "HNE": 90, "BNN": 0, "NS2": 0},
    **{"EW1": 90, "N28W": 332, "S62W": 242, "N00E": 0, "S90E": 90, "S26W": 206, "N 17 E": 17},
    **{"WE": 90, "W-E": 90, "S-N": 0},  # axes, not headings
}
ROLES = {
    "horizontal": "H1 H2 L -T FN FP HN1 BH2 1 LN TR L1 T1 XTE YLN HN3 HNX HNY LONG LONGITUDINAL TRANSVERSE",
    "up": "UP Up -UP Z HNZ U-D UD V VERT V1 ZUP UD2",
    "down": "DOWN dwn DN",
    None: "NPTS 361 999 N95X ACC QQZ1 N-E 5",
}


@pytest.mark.parametrize("name", AZIMUTHS)
def test_horizontal_with_azimuth(name):
    found = parse_orientation(name)
    assert found.role == "horizontal"
    assert degrees(found.azimuth) == pytest.approx(AZIMUTHS[name], abs=1e-9)


@pytest.mark.parametrize(("name", "role"), [(name, role) for role in ROLES for name in ROLES[role].split()])
def test_roles_without_azimuth(name, role):
    """The vertical, horizontals of unknown direction, and what says nothing."""
    assert parse_orientation(name) == (role and (role, None))
    assert parse_orientation("") is None


@given(pole=st.sampled_from("NS"), angle=st.integers(0, 90), side=st.sampled_from("EW"))
def test_opposite_bearings_are_opposite(pole, angle, side):
    one = parse_orientation(f"{pole}{angle:02d}{side}").azimuth
    other = parse_orientation(
        f"{'S' if pole == 'N' else 'N'}{angle:02d}{'W' if side == 'E' else 'E'}"
    ).azimuth
    assert degrees(abs(one - other)) == pytest.approx(180)


@pytest.mark.parametrize(("name", "towards"), [("WE", "east"), ("w-e", "east"), ("S-N", "north")])
def test_axes_written_backwards_are_in_doubt(name, towards):
    assert orientation_remark(name) == f"component {name}: taken as positive towards {towards}"
    assert orientation_remark("EW") == orientation_remark("270") == ""
