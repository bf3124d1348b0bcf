"""Bodies of parts: sums against whole bodies, quadrature and closed forms; what stands, what is refused."""

import pickle
from math import pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mcrock as mr
from mcrock.body import cuboid, cylinder, frustum, prism
from mcrock.body.parts import composite
from mcrock.show.describe import describe
from mcrock.study import Study, load_config
from mcrock.study.sampling import draw_inputs, load_motions
from tests.unit.body.shapes import quadrature
from tests.unit.study.conftest import BLOCK, VALID, mistakes

RTOL = 1e-12  # sums of a few terms of one sign
SQUARE = [[0.2, -0.2], [0.2, 0.2], [-0.2, 0.2], [-0.2, -0.2]]
PLINTH = {"shape": "cuboid", "width": 0.4, "depth": 0.5, "height": 0.9, "density": 2600.0}
BUST = {"shape": "cylinder", "radius": 0.12, "height": 0.6, "density": 2700.0}


def assert_same(body, other, rtol=RTOL):
    """Mass properties, and the base relative to the centre of mass."""
    assert body.mass == pytest.approx(other.mass, rel=rtol)
    assert body.inertia == pytest.approx(other.inertia, abs=rtol * other.inertia.max())
    size = np.ptp(other.vertices, axis=0).max()
    assert body.base == pytest.approx(other.base, abs=rtol * size)


@given(st.floats(0.05, 2), st.floats(0.05, 2), st.floats(0.2, 4), st.floats(0.05, 0.95), st.floats(0, 360))
@settings(max_examples=30, deadline=None)
def test_two_halves_are_the_whole(width, depth, height, share, turn):
    """Cut across, and cut upright, and turned together."""
    size = {"shape": "cuboid", "depth": depth, "density": 900.0}
    below, above = {"height": share * height}, {"height": height - share * height}
    whole = cuboid(width, depth, height, 900.0)
    assert_same(composite([size | {"width": width} | end for end in (below, above)]), whole)
    left, right = share * width, width - share * width
    sides = [
        size | {"height": height, "width": left, "x": -0.5 * right, "z": 0.0},
        size | {"height": height, "width": right, "x": 0.5 * left, "z": 0.0},
    ]
    body = composite(sides)
    assert body.mass == pytest.approx(whole.mass, rel=RTOL)
    assert body.inertia == pytest.approx(whole.inertia, abs=RTOL * whole.inertia.max())
    assert np.ptp(body.base, axis=0) == pytest.approx(np.ptp(whole.base, axis=0), abs=RTOL)
    turned = composite([size | {"width": width, "turn_deg": turn} | end for end in (below, above)])
    angle = np.radians(turn)
    q = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    assert turned.inertia == pytest.approx(q @ whole.inertia @ q.T, abs=RTOL * whole.inertia.max())
    assert turned.slenderness == pytest.approx(whole.slenderness, rel=1e-9)


def test_bust_on_plinth_by_hand():
    """Sums of moments, and Steiner's theorem about the centre of mass of both."""
    body = composite([PLINTH, BUST | {"x": 0.03, "y": -0.02}])
    m = np.array([2600 * 0.4 * 0.5 * 0.9, 2700 * pi * 0.12**2 * 0.6])
    at = np.array([[0, 0, 0.45], [0.03, -0.02, 1.2]])
    centre = m @ at / m.sum()
    assert body.mass == pytest.approx(m.sum(), rel=RTOL)
    assert -body.base.mean(0) == pytest.approx(centre, rel=1e-9)
    own = [np.array([0.5**2 + 0.9**2, 0.4**2 + 0.9**2, 0.4**2 + 0.5**2]) * m[0] / 12]
    own.append(m[1] * np.array([0.12**2 / 4 + 0.03, 0.12**2 / 4 + 0.03, 0.12**2 / 2]))
    expected = np.zeros((3, 3))
    for mass, place, moments in zip(m, at - centre, own, strict=True):
        expected += np.diag(moments) + mass * (place @ place * np.eye(3) - np.outer(place, place))
    assert body.inertia == pytest.approx(expected, abs=RTOL * expected.max())


@given(st.floats(0.5, 1.6), st.floats(0.0, 0.1), st.integers(3, 9))
@settings(max_examples=20, deadline=None)
def test_odd_parts_against_quadrature(scale, shift, sides):
    """A tapered part on a polygon beside its axis, turned, on a prism: each integrated on its own."""
    angle = 2 * pi * np.arange(sides) / sides
    foot = (0.3 * np.stack([np.cos(angle), np.sin(angle)], -1) + shift).tolist()
    top = np.add(np.multiply(SQUARE, 0.5), [shift, 0.0])
    parts = [
        {"shape": "prism", "base": foot, "height": 0.7, "density": 1.0},
        {"shape": "frustum", "base": top.tolist(), "top_scale": scale, "height": 0.4, "density": 3.0},
    ]
    body = composite([parts[0], parts[1] | {"turn_deg": 30.0}])
    q = np.array([[np.cos(pi / 6), -np.sin(pi / 6), 0], [np.sin(pi / 6), np.cos(pi / 6), 0], [0, 0, 1]])
    lower, upper = prism(foot, 0.7, 1.0), frustum(top, 0.4, 3.0, top_scale=scale)
    found = []
    for solid, density, low, turn in (
        (lower, 1.0, [*foot[0], 0.0], np.eye(3)),
        (upper, 3.0, [*top[0], 0.0], q),
    ):
        own = solid.vertices - solid.vertices[0] + low
        volume, centroid, inertia = quadrature(own @ turn.T + [0, 0, 0.7 * (density > 1)])
        found.append((density * volume, centroid, density * volume * inertia))
    mass = sum(m for m, _, _ in found)
    centre = sum(m * c for m, c, _ in found) / mass
    whole = sum(
        i + m * ((c - centre) @ (c - centre) * np.eye(3) - np.outer(c - centre, c - centre))
        for m, c, i in found
    )
    assert body.mass == pytest.approx(mass, rel=1e-10)
    assert body.inertia == pytest.approx(whole, abs=1e-10 * whole.max())


SHELLS = [
    (
        {"shape": "cuboid", "width": 0.8, "depth": 0.5, "height": 1.8},
        lambda t: cuboid(0.8 - 2 * t, 0.5 - 2 * t, 1.8 - 2 * t, 1.0),
    ),
    (
        {"shape": "cylinder", "radius": 0.3, "height": 1.1},
        lambda t: cylinder(0.3 - t, 1.1 - 2 * t, density=1.0),
    ),
    (
        {"shape": "prism", "base": SQUARE, "height": 1.1},
        lambda t: cuboid(0.4 - 2 * t, 0.4 - 2 * t, 1.1 - 2 * t, 1.0),
    ),
]


@pytest.mark.parametrize(("part", "inner"), SHELLS, ids=["cuboid", "cylinder", "prism"])
@pytest.mark.parametrize("wall", [0.004, 0.1])
def test_shell_is_outer_less_inner(part, inner, wall):
    outer, hole = composite([part | {"density": 1.0}]), inner(wall)
    shell = composite([part | {"density": 7850.0, "wall": wall}])
    assert shell.mass == pytest.approx(7850 * (outer.mass - hole.mass), rel=1e-10)  # a difference
    assert shell.inertia == pytest.approx(7850 * (outer.inertia - hole.inertia), rel=1e-10, abs=1e-9)
    weighed = composite([part | {"mass": 12.0, "wall": wall}])
    assert weighed.inertia * shell.mass == pytest.approx(shell.inertia * 12.0, rel=RTOL, abs=1e-9)


@pytest.mark.parametrize("top", [0.1, 0.25, 0.45])
def test_shell_of_a_cone_is_outer_less_inner(top):
    """The wall is thick across itself; the cavity is not at the centre of the solid."""
    wall, slope = 0.03, (top - 0.25) / 0.8
    across = wall * np.hypot(1, slope)
    hole = cylinder(0.25 + slope * wall - across, 0.74, density=1.0, top_radius=top - slope * wall - across)
    solid = cylinder(0.25, 0.8, density=1.0, top_radius=top)
    shell = composite(
        [
            {
                "shape": "cylinder",
                "radius": 0.25,
                "top_radius": top,
                "height": 0.8,
                "density": 1.0,
                "wall": wall,
            }
        ]
    )
    mass = solid.mass - hole.mass
    centre = (solid.mass * solid.com_height - hole.mass * (hole.com_height + wall)) / mass
    assert shell.com_height == pytest.approx(centre, rel=1e-10)
    far = [(centre - solid.com_height) ** 2, (centre - hole.com_height - wall) ** 2]
    across = solid.inertia[0, 0] + solid.mass * far[0] - hole.inertia[0, 0] - hole.mass * far[1]
    assert shell.inertia[0, 0] == pytest.approx(across, rel=1e-10)
    assert shell.inertia[2, 2] == pytest.approx(solid.inertia[2, 2] - hole.inertia[2, 2], rel=1e-10)
    assert shell.rim == 0.25


def test_shell_of_a_frustum_is_as_thick_everywhere():
    part = {"shape": "frustum", "base": SQUARE, "top_scale": 0.6, "height": 0.9, "density": 1.0}
    thin = [composite([part | {"wall": wall}]).mass / wall for wall in (1e-4, 5e-5)]
    side = 0.5 * (0.4 + 0.24) * np.hypot(0.9, 0.08)  # of a wall: a trapezium [m2]
    assert 2 * thin[1] - thin[0] == pytest.approx(0.4**2 + 0.24**2 + 4 * side, rel=1e-6)


def test_box_on_legs_stands_on_the_hull_of_its_feet():
    legs = [
        {
            "shape": "cuboid",
            "width": 0.05,
            "depth": 0.05,
            "height": 0.1,
            "mass": 1.0,
            "x": x,
            "y": y,
            "z": 0.0,
        }
        for x in (-0.3, 0.3)
        for y in (-0.15, 0.15)
    ]
    box = {"shape": "cuboid", "width": 0.8, "depth": 0.5, "height": 1.5, "mass": 60.0, "x": 0.0, "y": 0.0}
    body = composite([*legs, box])
    assert np.ptp(body.base, axis=0) == pytest.approx([0.65, 0.35, 0.0], abs=RTOL)
    assert len(body.base) == 4
    assert not body.stands_clear  # the box is wider than its feet


@pytest.mark.parametrize(("foot", "rim"), [(BUST, 0.12), (BUST | {"sides": 8}, 0.0)])
def test_a_round_foot_keeps_its_rim(foot, rim):
    plate = {"shape": "cylinder", "radius": 0.1, "height": 0.2, "mass": 3.0}
    assert composite([foot, plate]).rim == rim
    assert composite([plate | {"z": 0.0}, plate | {"z": 0.0, "x": 0.2}]).rim == 0.0


def test_same_bits_as_a_free_body_of_its_numbers():
    body = composite([PLINTH, BUST])
    free = mr.Body(body.mass, body.inertia, body.base)
    shaken = mr.Pulse((5.0, 1.0, 0.0), 2 * pi / 0.7)
    runs = [mr.simulate(one, shaken, mr.Impact(lambda_=0.8)) for one in (body, free)]
    assert runs[0].events
    np.testing.assert_equal(runs[0].results, runs[1].results)  # NaN as NaN


def test_a_round_one_has_the_bits_of_a_free_one():
    body = composite([BUST | {"radius": 0.2}, BUST])
    free = mr.Body(body.mass, body.inertia, body.base, rim=body.rim)
    impact = mr.Impact(rolling_loss=0.05, clearance=1e-3)
    runs = [mr.simulate(one, mr.Pulse((6.0, 1.0, 0.0), 2 * pi / 0.6), impact) for one in (body, free)]
    assert runs[0].events
    np.testing.assert_equal(runs[0].results, runs[1].results)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([], r"parts: expected a list of tables, one for each part, as \[\[body.parts\]\], got \[\]"),
        ([PLINTH | {"wall": 0.2}], r"parts\[0\].wall: must be less than half .*, got 0.2 m"),
        ([BUST | {"wall": 0.12}], r"parts\[0\].wall: must be less than half"),
        (
            [PLINTH, BUST | {"z": 1.0}],
            r"parts\[1\]: must touch another part, but is 0.1 m away .* without z it",
        ),
        ([PLINTH, BUST, BUST | {"x": 0.9}, BUST | {"x": 0.9}], r"parts\[2\]: must touch another part"),
        ([PLINTH | {"z": 0.1}], r"parts: expected a part with z = 0 m that stands on a flat underside"),
        ([PLINTH | {"shape": "ball"}], r"parts\[0\].shape: expected 'cuboid', 'prism', .*, got 'ball'"),
        ([{"width": 1.0}], r"parts\[0\]: missing key 'shape'"),
        ([PLINTH | {"density": -1.0}], r"parts\[0\].density: must be > 0 \[kg/m3\], got -1"),
        (
            [{k: v for k, v in PLINTH.items() if k != "density"}],
            r"expected exactly one of 'density' .* none is",
        ),
        ([PLINTH, BUST | {"z": -0.1}], r"parts\[1\].z: must be >= 0 \[m\], got -0.1"),
        ([PLINTH | {"gravity": 3.0}], r"parts\[0\].gravity: is that of the whole: give it in \[body\]"),
        ([PLINTH | {"rim_width": 0.1, "rim_height": 0.1}], r"rim_width: is of a body in one piece"),
        (
            [BUST | {"inner_radius": 0.1, "wall": 0.01}],
            r"wall: makes a closed shell, and inner_radius a tube",
        ),
        (
            [PLINTH, BUST | {"radius": {"distribution": "uniform", "low": 0.1, "high": 0.2}}],
            r"a distribution, and",
        ),
        ([BUST | {"radius": 0.05}, PLINTH | {"x": 0.24}], "the centre of mass must be over the base"),
        ([PLINTH | {"width": 0.1}, PLINTH | {"x": 0.2}], "the centre of mass must stand over the inside of"),
    ],
)
def test_refusals(parts, words):
    with pytest.raises(ValueError, match=words):
        composite(parts)


STUDY = """\
shape = "composite"

[[body.parts]]
shape = "cuboid"
width = { distribution = "normal", mean = 0.4, std = 0.01 }
depth = 0.4
height = { distribution = "uniform", low = 0.8, high = 1.0 }
density = 2600

[[body.parts]]
shape = "frustum"
base = [[0.1, -0.1], [0.1, 0.1], [-0.1, 0.1], [-0.1, -0.1]]
top_scale = 1.5
height = 0.6
mass = { distribution = "uniform", low = 40, high = 60 }
x = { distribution = "normal", mean = 0.0, std = 0.01 }
"""


@pytest.fixture
def composite_file(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(VALID.replace(BLOCK, STUDY), encoding="utf-8")
    return path


def test_parts_of_a_study_are_drawn(composite_file):
    """Every realization is the body of its numbers; the upper part stands on the lower one, however high."""
    study = load_config(composite_file)
    names = ["parts[0].height", "parts[0].width", "parts[1].mass", "parts[1].x"]
    assert sorted(study.uncertain)[:4] == [f"body.{name}" for name in names]
    inputs = draw_inputs(study, load_motions(study), 0, 64)
    for i in (0, 17, 63):
        width, height, mass, x = (
            inputs.values[f"body_parts_{name}"][i] for name in ("0_width", "0_height", "1_mass", "1_x")
        )
        top = {"shape": "frustum", "base": np.multiply(SQUARE, 0.5).tolist(), "top_scale": 1.5, "height": 0.6}
        one = composite(
            [PLINTH | {"width": width, "depth": 0.4, "height": height}, top | {"mass": mass, "x": x}]
        )
        assert inputs.mass[i] == pytest.approx(one.mass, rel=RTOL)
        assert inputs.inertia[i] == pytest.approx(one.inertia, abs=RTOL * one.inertia.max())
        assert inputs.vertices[i, :4] == pytest.approx(one.base, abs=RTOL)
        assert np.ptp(inputs.vertices[i, :, 2]) == pytest.approx(height + 0.6, rel=RTOL)
    assert inputs.stands_clear
    assert len(draw_inputs(study, load_motions(study), 5, 6).parts) == 2  # of a replay
    again = Study.from_json(study.to_json())
    assert (again.body, again.to_json()) == (study.body, study.to_json())
    assert pickle.loads(pickle.dumps(study)).body == study.body


def test_parts_are_overridden_by_their_place(composite_file):
    study = load_config(composite_file, ["body.parts.0.width=0.5", "body.parts[1].density=2700"])
    assert (study.body.parts[0].width, study.body.parts[1].mass, study.body.parts[1].density) == (
        0.5,
        None,
        2700,
    )
    assert mistakes(composite_file, "body.parts.2.width=0.5") == [
        "override 'body.parts.2.width=0.5': body.parts has the places 0 to 1, got 2"
    ]
    assert mistakes(composite_file, "body.parts.0.width=-1") == [
        "override 'body.parts.0.width=-1' [body] parts[0].width: must be > 0 [m], got -1"
    ]
    assert mistakes(composite_file, "body.parts.0.widht=1") == [
        "override 'body.parts.0.widht=1' [body] parts[0]: unknown key 'widht'; did you mean 'width'?"
    ]


def test_columns_of_a_table_name_parts(composite_file):
    columns = {"body.parts[0].width [mm]": [410.0, 390.0], "body.parts.1.mass": [40.0, 50.0]}
    study = load_config(composite_file, ["ensemble.realizations=2"], inputs=columns)
    inputs = draw_inputs(study, load_motions(study), 0, 2)
    assert inputs.values["body_parts_0_width"] == pytest.approx([0.41, 0.39], rel=RTOL)
    assert inputs.values["body_parts_1_mass"].tolist() == [40.0, 50.0]


def test_a_part_that_floats_in_one_realization_is_refused(composite_file):
    words = r"\[body\]: realization \d+: parts\[1\]: must touch another part, but is .* m away .*drawn: parts"
    study = load_config(composite_file, ["body.parts.1.z=0.9"])
    with pytest.raises(ValueError, match=words):
        draw_inputs(study, load_motions(study), 0, 64)


def test_parts_that_share_space_are_told(composite_file):
    assert load_config(composite_file).body.overlaps() == []
    assert load_config(composite_file, ["body.parts.1.z=0.85"]).body.overlaps() == [(0, 1)]
    assert load_config(composite_file, ["body.parts.1.z=0.2", "body.parts.0.wall=0.1"]).body.overlaps() == []


def test_a_part_from_a_file(tmp_path):
    corners = [(x, y, z) for x in (0.0, 200.0) for y in (0.0, 100.0) for z in (0.0, 600.0)]
    (tmp_path / "bust.txt").write_text(
        "x [mm], y [mm], z [mm]\n" + "\n".join(f"{x} {y} {z}" for x, y, z in corners)
    )
    part = '\n[[body.parts]]\nshape = "polyhedron"\nfile = "bust.txt"\nmass = 40\n'
    path = tmp_path / "study.toml"
    first = STUDY.partition('\n[[body.parts]]\nshape = "frustum"')[0]
    path.write_text(VALID.replace(BLOCK, first + part))
    body = load_config(path, ["body.parts.0.width=0.4", "body.parts.0.height=0.9"]).body.at_medians().only()
    both = composite(
        [
            PLINTH | {"depth": 0.4},
            {"shape": "cuboid", "width": 0.2, "depth": 0.1, "height": 0.6, "mass": 40.0},
        ]
    )
    assert_same(body, both)
    path.write_text(path.read_text().replace("bust.txt", "lost.txt"))
    assert "[body] parts[1].file: " in mistakes(path)[0]


def test_check_lists_parts_and_the_whole(composite_file):
    """Masses, heights and slendernesses by hand: 0.4 x 0.4 x 0.9 m of 2600 kg/m3 under 50 kg of 0.6 m."""
    study = load_config(composite_file)
    text = describe(study, load_motions(study))
    assert (
        "parts[0]: cuboid, 374.4 kg, from 0 to 0.9 m, centre of mass at 0.45 m; slenderness by itself" in text
    )
    assert "by itself 23.96 deg" in text  # atan(0.2 / 0.45)
    assert "parts[1]: frustum, 50 kg, from 0.9 to 1.5 m" in text
    assert "whole: 424.4 kg, centre of mass at x 0 m, y 0 m, height" in text
    assert "its parts are taken to be fixed to each other" in text
    assert "share space" not in text
    study = load_config(composite_file, ["body.parts.1.z=0.7", "body.parts.0.height=0.9"])
    assert "note: parts 0 and 1 share space" in describe(study, load_motions(study))
