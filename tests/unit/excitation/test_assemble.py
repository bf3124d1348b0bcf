"""Components become motions: which is x, what is missing, what does not fit."""

from dataclasses import replace
from math import cos, degrees, pi, radians, sin
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcrock.excitation import Motion
from mcrock.excitation.readers.read import assemble, skew
from mcrock.excitation.readers.text_file import DECLARED, RecordedComponent

ROUNDING = 1e-12


def component(samples, azimuth=None, role="horizontal", name="H1", **changes):
    pieces = np.array(samples, dtype=float), 0.01, Path("a") / name, "F", "g", DECLARED, "R 1", "R"
    return replace(RecordedComponent(*pieces, name, role, azimuth), **changes)


def motion_of(*components):
    motions, problems = assemble(components)
    assert problems == []
    return motions[0]


def problem_of(*components):
    motions, problems = assemble(components)
    assert motions == []
    assert len(problems) == 1
    return problems[0]


@given(
    azimuth=st.floats(0, 2 * pi),
    side=st.sampled_from([-1, 1]),
    swap=st.booleans(),
    east=st.floats(-5, 5),
    north=st.floats(-5, 5),
)
def test_turning_by_the_azimuth_gives_east_and_north(azimuth, side, swap, east, north):
    """The pair is right-handed whatever the directions and the order of the files."""
    both = []
    for direction in (azimuth, azimuth + side * pi / 2):
        sample = north * cos(direction) + east * sin(direction)
        both.append(component([sample, 0.0], direction % (2 * pi), name=f"{direction:.3f}"))
    motion = motion_of(*(both[::-1] if swap else both))
    # x points `azimuth_x` clockwise from north, which is pi/2 - azimuth_x counter-clockwise from east
    turned = motion.rotated(pi / 2 - motion.metadata["azimuth_x"])
    np.testing.assert_allclose(turned.acceleration[:2, 0], [east, north], atol=20 * ROUNDING)
    assert skew(motion) == pytest.approx(0, abs=1e-6)  # arccos near 0


UNKNOWN = "components H1 and H2: directions unknown; H2 is taken as counter-clockwise of H1"
H1, H2 = component([1, 2], name="H1"), component([3, 4], name="H2")
NORTH, EAST, UP = (
    replace(H1, azimuth=0.0),
    replace(H2, azimuth=pi / 2),
    component([5, 6], role="up", name="Z"),
)
MOTIONS = {  # components; samples of x, y and z, and facts, None where there are none
    "east is x and north is y": (
        [UP, NORTH, EAST],
        [[3, 4], [1, 2], [5, 6]],
        {"component_x": "H2", "component_y": "H1", "component_z": "Z", "missing": None, "remarks": None},
    ),
    "without directions the order decides": (
        [H1, H2],
        [[1, 2], [3, 4], [0, 0]],
        {"missing": "z", "azimuth_x": None, "remarks": UNKNOWN},
    ),
    "one direction is unknown": ([NORTH, H2], [[1, 2], [3, 4], [0, 0]], {"remarks": UNKNOWN}),
    "the other one is": ([H1, replace(H2, azimuth=0.0)], [[1, 2], [3, 4], [0, 0]], {"remarks": UNKNOWN}),
    "one horizontal component": ([H1, UP], [[1, 2], [0, 0], [5, 6]], {"missing": "y", "remarks": None}),
    "recorded downwards": (
        [component([1, -2], role="down", name="DN")],
        [[0, 0], [0, 0], [-1, 2]],
        {"missing": "x, y", "history": "z: sign reversed, recorded downwards"},
    ),
    "shorter components are continued with zeros": (
        [component([1, 2, 3], name="H1"), H2],
        [[1, 2, 3], [3, 4, 0], [0, 0, 0]],
        {"history": "y: continued with zeros after 0.02 s"},
    ),
    "facts and remarks are kept": (
        [
            replace(EAST, facts={"vs30": 300.0}, remarks=("one", "both"), history=("done",)),
            replace(NORTH, facts={"year": 1990}, remarks=("both", "two")),
        ],
        [[3, 4], [1, 2], [0, 0]],
        {"vs30": 300.0, "year": 1990, "remarks": "one; both; two", "history": "x: done", "file": "H2, H1"},
    ),
    "against the usual order": (
        [component([3, 4], pi / 2, name="W-E"), component([1, 2], 0.0, name="N-S")],
        [[3, 4], [1, 2], [0, 0]],
        {"remarks": "component W-E: taken as positive towards east"},
    ),
    "starts within half a step are the same": (
        [replace(NORTH, start=100.0), replace(EAST, start=100.004)],
        [[3, 4], [1, 2], [0, 0]],
        {},
    ),
}


@pytest.mark.parametrize("case", MOTIONS)
def test_components_become_a_motion(case):
    components, samples, facts = MOTIONS[case]
    motion = motion_of(*components)
    assert motion.acceleration.tolist() == samples
    assert {name: motion.metadata.get(name) for name in facts} == facts


def test_a_skew_of_ten_degrees_is_accepted_and_known():
    assert skew(motion_of(NORTH, replace(EAST, azimuth=radians(80)))) == pytest.approx(radians(10))
    assert skew(motion_of(H1, H2)) is None


def test_recordings_are_told_apart_and_motions_pass_through():
    whole = Motion(np.ones((3, 2)), 0.5, "whole")
    one, two = component([1, 2]), component([3, 4], record="R 2")
    other_folder = component([5, 6], path=Path("b") / "H1")
    other_format = component([7, 8], format="G")
    motions, problems = assemble([one, whole, two, other_folder, other_format])
    assert problems == []
    assert [float(motion.acceleration[0, 0]) for motion in motions] == [1, 1, 3, 5, 7]
    assert motions[1] is whole
    # the same shaking from two folders stays one group, which statistics have to know
    assert [motion.group for motion in motions] == ["R 1", "whole", "R 2", "R 1", "R 1"]


def test_what_does_not_fit_is_refused():
    h1, h2 = component([1, 2], 0.0, name="H1"), component([3, 4], pi / 2, name="H2")
    assert problem_of(h1, replace(h2, dt=0.02)) == (
        "a/H1, H2: components H1 and H2 of R 1 have time steps of 0.01 s and 0.02 s; resample one of them, "
        "or read them apart"
    )
    assert "start 3 s apart" in problem_of(replace(h1, start=0.0), replace(h2, start=3.0))
    assert "are 0 deg apart, expected 90 deg" in problem_of(h1, replace(h2, azimuth=0.0))
    assert "are 180 deg apart, expected 90 deg" in problem_of(h1, replace(h2, azimuth=pi))
    third = component([5, 6], pi, name="H3")
    assert "has 3 horizontal components (H1, H2, H3), expected at most 2" in problem_of(h1, h2, third)
    up = component([5, 6], role="up", name="Z")
    assert "has 2 vertical components" in problem_of(up, replace(up, path=Path("a/Z2")))


def channel(number, azimuth, location, **changes):
    name = f"{degrees(azimuth):.0f} Deg"
    return component([number, number], azimuth, name=name, channel=number, location=location, **changes)


def test_each_place_of_a_structure_is_a_motion_of_its_own():
    roof = [channel(1, 0.0, "Roof"), channel(2, pi / 2, "ROOF")]
    base = [channel(3, 0.0, "Base"), channel(4, pi / 2, "Base"), channel(5, 0.0, "Base", role="up")]
    motions, problems = assemble([*roof, *base])
    assert problems == []
    assert [(motion.name, motion.metadata["location"]) for motion in motions] == [
        ("R, Roof", "Roof, ROOF"),
        ("R, Base", "Base"),
    ]
    assert [motion.acceleration[:, 0].tolist() for motion in motions] == [[2, 1, 0], [4, 3, 5]]
    assert motions[0].group == motions[1].group == "R 1"  # one earthquake
    # somebody who chooses the channels knows which belong together
    (motion,) = assemble([roof[1], base[0]], chosen=True)[0]
    assert motion.acceleration[:, 0].tolist() == [2, 3, 0]


def test_channels_of_unknown_places_are_not_put_together():
    channels = [channel(i, 0.0, "" if i > 2 else "Roof") for i in range(1, 6)]
    problem = problem_of(*channels)
    assert "has 5 horizontal components (channel 1: 0 Deg, channel 2: 0 Deg, channel 3: 0 Deg" in problem
    assert problem.endswith(
        "choose the channels of one sensor, as in `--channels 1,2,3` or channels=[1, 2, 3]"
    )
