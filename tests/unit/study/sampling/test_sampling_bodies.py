"""Bodies of every shape, one per realization, equal those of the constructors."""

import numpy as np
import pytest

from mcrock.body import Body, cylinder, frustum, hull
from mcrock.show.describe import describe
from mcrock.study import ConfigError, Study
from mcrock.study.sampling import RealizationError, check_inputs, draw_inputs

ATOL = 1e-12  # sums over a few tetrahedra of a body of size 1
BASE = [[-0.3, -0.3], [0.3, -0.3], [0.3, 0.3], [-0.3, 0.3]]
TOP = [[-0.3, -0.1], [0.3, -0.1], [0.3, 0.1], [-0.3, 0.1]]
ROCK = [
    [0, 0, 0],
    [0.5, -0.1, 0.0],
    [0.6, 0.5, 0.02],
    [0, 0.4, 0],
    [0.1, 0, 0.9],
    [0.5, 0.5, 0.8],
    [0.3, 0.2, 0.4],
]


def normal(mean, std):
    return {"distribution": "normal", "mean": mean, "std": std}


def uniform(low, high):
    return {"distribution": "uniform", "low": low, "high": high}


@pytest.fixture
def make(make_study):
    """Study with another body: ``make(shape="frustum", ...)``."""

    def build(**body):
        raw = make_study().model_dump(by_alias=True, exclude_none=True)
        return Study.model_validate(raw | {"body": body})

    return build


def assert_bodies(inputs, bodies):
    for i, body in enumerate(bodies):
        assert inputs.mass[i] == pytest.approx(body.mass, rel=ATOL)
        assert inputs.inertia[i] == pytest.approx(body.inertia, abs=ATOL * body.mass)
        assert inputs.vertices[i] == pytest.approx(body.vertices, abs=ATOL)
        assert inputs.faces == body.faces
        assert inputs.start_face[i] == body.start_face
        for name in ("radius", "slenderness", "frequency"):
            assert inputs.values[f"body_{name}"][i] == pytest.approx(getattr(body, name), rel=1e-9)


def test_frusta(make, motions):
    study = make(
        shape="frustum", base=BASE, top_scale=uniform(0.3, 0.9), height=uniform(0.8, 1.1), density=2600
    )
    inputs = draw_inputs(study, motions, 0, 6)
    height, mass = inputs.values["body_height"], inputs.values["body_mass"]
    scale = np.abs(inputs.vertices[:, 4:, 0]).max(1) / 0.3
    assert_bodies(
        inputs, [frustum(BASE, h, mass=m, top_scale=s) for h, m, s in zip(height, mass, scale, strict=True)]
    )
    assert (inputs.base_faces, inputs.stands_clear) == ((0,), True)
    assert inputs.values["start_face"].dtype == np.int16


@pytest.mark.parametrize(
    ("top", "clear"),
    [
        ({"top_scale": 1.0}, True),
        ({"top_scale": 1.1}, False),
        ({"top_scale": uniform(0.5, 1.01)}, False),  # decided for the study, not for the realizations drawn
        ({"top": TOP}, True),
        ({"top": np.multiply(TOP, 1.01).tolist()}, False),
        ({"top": TOP, "base": [*BASE[:3], [-0.3, uniform(0.3, 0.3001)]]}, False),
    ],
)  # fmt: skip
def test_frusta_that_stand_clear(make, motions, top, clear):
    study = make(**({"shape": "frustum", "base": BASE, "height": 1.0, "density": 2600} | top))
    if "base" not in top:
        assert draw_inputs(study, motions, 0, 1).stands_clear is clear
    assert study.body.at_medians().stands_clear is clear


def test_cylinders(make, motions):
    study = make(
        shape="cylinder", radius=uniform(0.2, 0.3), height=1.0, sides=10, density=uniform(1000, 2000)
    )
    inputs = draw_inputs(study, motions, 0, 6)
    radius, density = 0.5 * inputs.values["body_width"], inputs.values["body_density"]
    assert_bodies(inputs, [cylinder(r, 1.0, 10, d) for r, d in zip(radius, density, strict=True)])
    assert inputs.stands_clear


def test_round_solids(make, motions):
    """On circles: cylinders, whole and hollow, and cones; what is drawn is kept under its own name."""
    study = make(
        shape="cylinder", radius=uniform(0.2, 0.3), top_radius=0.1, inner_radius=uniform(0.02, 0.05),
        height=1.0, mass=20.0,
    )  # fmt: skip
    inputs = draw_inputs(study, motions, 0, 6)
    radius, hole = inputs.values["body_base_radius"], inputs.values["body_inner_radius"]
    numbers = zip(radius, hole, strict=True)
    assert_bodies(
        inputs, [cylinder(r, 1.0, mass=20.0, top_radius=0.1, inner_radius=inner) for r, inner in numbers]
    )
    assert (inputs.rim == radius).all()
    assert inputs.stands_clear
    assert (
        draw_inputs(make(shape="cylinder", radius=0.2, height=1.0, sides=8, mass=20.0), motions, 0, 2).rim
        is None
    )


def test_given_bodies_on_circles(make, motions):
    study = make(
        shape="free", base={"rim": uniform(0.2, 0.3)},
        com=[0.02, 0.0, 0.6], mass=20.0,
        inertia=[[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 0.5]],
    )  # fmt: skip
    assert study.uncertain[0] == "body.base.rim"
    inputs = draw_inputs(study, motions, 0, 6)
    rim = inputs.values["body_base_rim"]
    assert (inputs.rim == rim).all()
    assert inputs.values["body_slenderness"] == pytest.approx(np.arctan((rim - 0.02) / 0.6), rel=1e-12)


@pytest.mark.parametrize("draw", ["run", "impact"])
def test_a_base_more_uneven_than_the_body_is_slender_is_refused(make, motions, draw):
    drum = {"shape": "cylinder", "radius": 0.2, "height": 1.0, "density": 1000.0}
    study = make(**drum)
    for low, high in ((0.1, 0.3), (0.37, 0.39)):
        impact = study.impact.model_validate({"clearance": uniform(low, high), "draw": draw})
        uneven = study.model_copy(update={"impact": impact})
        if high < 0.38:
            draw_inputs(uneven, motions, 0, 50)
            continue
        with pytest.raises(RealizationError, match=r"clearance: .* below the slenderness of the body, 0\.38"):
            draw_inputs(uneven, motions, 0, 50)


def test_scanned_bodies_on_a_foot(make, motions):
    """A vase whose foot is a ring of points of a circle: the circle counts, whatever the points."""
    turns = np.arange(24) * 2 * np.pi / 24
    rings = [(0.1, 0.0), (0.2, 0.4), (0.08, 0.6)]
    points = [[radius * np.cos(turn), radius * np.sin(turn), z] for radius, z in rings for turn in turns]
    vase = {"shape": "polyhedron", "vertices": points, "density": 2000.0}
    inputs = draw_inputs(make(**vase, base={"rim": 0.1}), motions, 0, 2)
    assert (inputs.rim == 0.1).all()
    assert_bodies(inputs, [hull(points, 2000.0, base={"rim": 0.1})])
    height = -inputs.vertices[0][list(inputs.faces[inputs.start_face[0]])][:, 2].mean()
    assert inputs.values["body_slenderness"] == pytest.approx(np.arctan(0.1 / height), rel=1e-9)
    with pytest.raises(
        RealizationError, match=r"between the circles in and about the base, 0.0991\d* to 0.1 m"
    ):
        draw_inputs(make(**vase, base={"rim": 0.12}), motions, 0, 2)
    with pytest.raises(ValueError, match="base is a circle: give one of them"):
        make(**vase, base={"rim": 0.1}, base_angle_deg=3.0)


def test_polyhedra(make, motions):
    """Uncertain size, density and centre of mass; a point inside is left out."""
    study = make(
        shape="polyhedron",
        vertices=ROCK,
        density=uniform(2000, 3000),
        scale=uniform(0.5, 2),
        com_z=normal(0, 0.02),
    )
    inputs = draw_inputs(study, motions, 0, 6)
    density, com_z = inputs.values["body_density"], inputs.values["body_com_z"]
    plain = hull(ROCK, 1.0)
    scale = (inputs.mass / density / plain.mass) ** (1 / 3)
    centroid = np.array(ROCK[0]) - hull(ROCK, 1.0, axis=(0, 0, 1)).vertices[0]
    bodies = [
        hull(np.multiply(ROCK, s), d, com=s * centroid + [0, 0, c], start_face=f)
        for s, d, c, f in zip(scale, density, com_z, inputs.start_face, strict=True)
    ]
    assert_bodies(inputs, bodies)
    assert inputs.vertices.shape == (6, 6, 3)
    assert not inputs.stands_clear
    assert set(inputs.start_face) <= set(inputs.base_faces)


def test_polyhedra_with_given_mass_properties(make, motions):
    given = {"com": [0.25, 0.2, 0.35], "inertia": [[9.0, 0.1, 0], [0.1, 8.0, 0], [0, 0, 4.0]]}
    lowest = int(hull(ROCK, mass=95.0, **given).face_heights.argmin())
    settings = {"start_face": lowest, "base_faces": [1]}
    body = hull(ROCK, mass=95.0, **given, **settings)
    raw = given | settings | {"com": [uniform(0.25, 0.26), 0.2, 0.35], "mass": uniform(90, 99)}
    inputs = draw_inputs(make(shape="polyhedron", vertices=ROCK, **raw), motions, 0, 5)
    for i in range(5):
        shift = body.vertices - inputs.vertices[i]
        assert np.ptp(shift, axis=0) == pytest.approx(np.zeros(3), abs=ATOL)
        assert 0 <= np.linalg.norm(shift[0]) <= 0.01
        assert 90 <= inputs.mass[i] <= 99
        assert inputs.inertia[i] == pytest.approx(body.inertia, abs=ATOL)
    assert inputs.faces == body.faces
    assert (inputs.start_face == lowest).all()
    assert inputs.base_faces == (1,)
    assert "body_density" not in inputs.values


def test_axis_of_a_polyhedron(make, motions):
    """Tilt is measured from the axis given, in the axes of the vertices."""
    study = make(shape="polyhedron", vertices=ROCK, density=2000, axis=[0, 0.1, 1])
    inputs = draw_inputs(study, motions, 0, 1)
    assert_bodies(inputs, [hull(ROCK, 2000, axis=[0, 0.1, 1], start_face=int(inputs.start_face[0]))])


def test_uncertain_vertices_keep_the_faces(make, motions):
    """A corner of triangles may move; one of a face with four corners may not."""
    tetrahedron = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.3, 0.3, uniform(0.5, 0.9)]]
    inputs = draw_inputs(make(shape="polyhedron", vertices=tetrahedron, density=1000), motions, 0, 40)
    assert np.ptp(inputs.mass) > 30
    assert len(inputs.faces) == 4
    box = [[x, y, z] for z in (0, 2) for y in (0, 1) for x in (0, 1)]
    box[7][0] = uniform(0.9995, 1.0005)
    study = make(shape="polyhedron", vertices=box, density=1000)
    message = (
        r"realization \d: .*face \d must be plane; vertex \d is \S+ m off .*\(drawn: vertices\[7\]\[0\] = "
    )
    with pytest.raises(ConfigError, match=message):
        check_inputs(study, motions)


def test_a_body_that_a_drawn_vertex_turns_inside_out_is_called_that(make, motions):
    """A pyramid whose top is drawn below its base: a negative volume is no matter of the mass."""
    top = [0.4, 0.4, {"distribution": "discrete", "values": [1.0, 1.0, -1.0]}]
    points = [[0, 0, 0], [1, 0, 0], [0.2, 1, 0], top]
    study = make(shape="polyhedron", vertices=points, density=1000)
    message = (
        r"realization \d+: vertices turn the body inside out: its faces, .*, enclose -0\.1667 m3 "
        r"\(drawn: vertices\[3\]\[2\] = -1\); truncate the distributions"
    )
    with pytest.raises(ConfigError, match=message):
        check_inputs(study, motions)


def test_centre_of_mass_outside_the_face_settles(make, motions):
    """Each realization starts flat on the face that its own centre of mass rolls it on to."""
    cube = [[x, y, z] for z in (0, 1.2) for y in (0, 1) for x in (0, 1)]
    oblique = [[x + 0.6 * z, y, z] for x, y, z in cube]
    study = make(shape="polyhedron", vertices=oblique, density=1000, com_x=normal(0.1, 0.05))
    inputs = draw_inputs(study, motions, 0, 60)
    over = inputs.values["body_com_x"] + 0.5 + 0.36 > 1  # beyond the base
    assert 5 < over.sum() < 55
    assert (inputs.start_face[~over] == 0).all()
    assert len(set(inputs.start_face[over])) == 1
    for i in range(60):
        body = Body(
            inputs.mass[i], inputs.inertia[i], inputs.vertices[i], faces=inputs.faces,
            start_face=inputs.start_face[i], base_faces=inputs.base_faces,
        )  # fmt: skip
        assert body.face_stable[body.start_face]
        assert body.face_normals[body.start_face] == pytest.approx([0, 0, -1], abs=ATOL)
        assert body.slenderness == pytest.approx(inputs.values["body_slenderness"][i], rel=1e-9)
        assert body.slenderness > 0
    parts = [draw_inputs(study, motions, a, b) for a, b in ((0, 7), (7, 60))]
    for name in ("start_face", "vertices", "inertia"):
        joined = np.concatenate([getattr(part, name) for part in parts])
        np.testing.assert_array_equal(joined, getattr(inputs, name))
    text = describe(study, motions)
    assert f"settles on face {inputs.start_face.max()} before it starts in 0." in text


def test_upright_shapes_do_not_settle(make, motions):
    study = make(shape="frustum", base=BASE, top_scale=1.5, height=1.0, density=2600, com_x=normal(0, 0.15))
    message = r"realization \d+: the centre of mass must stand over the inside of the base.*com_x = "
    with pytest.raises(ConfigError, match=message):
        check_inputs(study, motions)


def test_description_lists_the_faces(make, motions):
    roof = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 2], [1, 0, 2], [1, 1, 2], [0, 1, 2]]
    ridge = [[0.5, 0, 2.0002], [0.5, 1, 2.0002]]
    study = make(shape="polyhedron", vertices=[*roof, *ridge], density=1000, base_faces=[0, 5])
    lines = describe(study, motions).splitlines()
    at = next(i for i, line in enumerate(lines) if "7 faces, 10 corners;" in line)
    rows = [line.split() for line in lines[at + 2 : at + 9]]
    assert rows[0] == ["0", "1", "0.00", "1", "yes", "start"]
    assert [row[5] for row in rows] == ["start", "no", "no", "no", "no", "yes", "no"]
    assert {row[2] for row in rows} == {"0.00", "90.00", "179.98"}
    assert lines[at + 9] == "  centre of mass and inertia are those of the homogeneous hull, 1000 kg/m3"
    assert lines[at + 10] == "  centre of mass at x 0.5 m, y 0.5 m, z 1 m in the axes of the points"
    assert lines[at + 11] == "  note: faces 5 and 6 meet at 0.0008 rad; put them in one plane if flat"
    uncertain = describe(make(shape="polyhedron", vertices=roof, density=normal(1000, 10)), motions)
    assert "6 faces, 8 corners, at the medians;" in uncertain
    assert "faces" not in describe(make(shape="cylinder", radius=0.2, height=1.0, density=1000), motions)


def test_description_warns_of_gentle_faces_off_the_base(make, motions):
    """A keel: strips of 2, 8 and 25 degrees on both sides of a flat middle, the first within the base."""
    x, z, half = 0.2, 0.0, [(0.2, 0.0)]
    for slope in np.radians([2.0, 8.0, 25.0]):
        x, z = x + 0.1, z + 0.1 * np.tan(slope)
        half.append((x, z))
    outline = [*((-a, b) for a, b in half[::-1]), *half, (0.5, 2.0), (-0.5, 2.0)]
    points = [[a, y, b] for y in (0.0, 0.8) for a, b in outline]

    def notes(overturned_by="contact", **body):
        study = make(shape="polyhedron", vertices=points, density=1000, **body)
        raw = study.model_dump(by_alias=True, exclude_none=True)
        study = Study.model_validate(raw | {"controls": {"overturned_by": overturned_by}})
        lines = describe(study, motions).splitlines()
        rows = [line.split() for line in lines if line[:6].strip().isdigit()]
        return [line for line in lines if "touching" in line], {int(row[0]): row[2] for row in rows}

    (note,), angles = notes()
    first, second = sorted(face for face, angle in angles.items() if angle == "8.00")
    # 6 degrees from the nearest face of the base, which the strips of 2 degrees belong to
    assert note == (
        f"  note: touching the ground with face {first}, {second} (6.00, 6.00 deg from the base) counts as "
        "overturned; list it in body.base_faces if the body is to roll onto it"
    )
    assert notes(overturned_by="tilt")[0] == []
    flat, *others = sorted(
        (face for face in angles if float(angles[face]) < 30), key=lambda f: float(angles[f])
    )
    assert [angles[face] for face in (flat, *others)] == [
        "0.00",
        "2.00",
        "2.00",
        "8.00",
        "8.00",
        "25.00",
        "25.00",
    ]
    assert notes(base_faces=[flat, *others])[0] == []
    (note,), _ = notes(base_faces=[flat])
    assert sorted(note.split("(")[1].split(" deg")[0].split(", ")) == ["2.00", "2.00", "8.00", "8.00"]
    upright = [[a, y, b] for b in (0, 2) for y in (0, 1) for a in (0, 1)]
    assert "touching" not in describe(make(shape="polyhedron", vertices=upright, density=1000), motions)
