"""What `mcrock check` says of a body: when it uplifts, how large it is, on which face it starts."""

import re

import numpy as np
import pytest

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.body import Body, uplift_slenderness
from mcrock.excitation import Motion
from mcrock.show.describe import describe
from mcrock.simulation.runs import simulate
from mcrock.study import Study
from mcrock.study.sampling import draw_inputs

RAMP = 20.0  # time in which the ground acceleration grows to 1 g [s]


@pytest.fixture
def make(make_study):
    """Study with another body: ``make(shape="frustum", ...)``."""

    def build(**body):
        raw = make_study().model_dump(by_alias=True, exclude_none=True)
        return Study.model_validate(raw | {"body": body})

    return build


def spread(outline, length=0.8):
    """Points of a body of constant section: its outline [(x, z), ...] along y."""
    return [[x, y, z] for y in (0.0, length) for x, z in outline]


# a flat middle of 0.2 m, strips of 3 degrees on both sides
STRIPS = spread([(-0.1, 0), (0.1, 0), (0.35, 0.0131), (0.35, 1.2), (-0.35, 1.2), (-0.35, 0.0131)])
# a keel of 5 degrees, both sides base, tilt measured from the vertical of the drawing
KEEL = spread([(0, 0), (0.4, 0.035), (0.4, 1.5), (-0.4, 1.5), (-0.4, 0.035)])
BODIES = {
    "strips": {"shape": "polyhedron", "vertices": STRIPS, "density": 2500},
    "keel": {"shape": "polyhedron", "vertices": KEEL, "density": 2500, "axis": [0, 0, 1]},
    "keel with a base": {
        "shape": "polyhedron", "vertices": KEEL, "density": 2500, "axis": [0, 0, 1], "base_faces": [0, 1, 4],
    },
    "block": {"shape": "cuboid", "width": 0.4, "depth": 0.6, "height": 1.5, "density": 2500},
    "plinth": {
        "shape": "free", "base": [[0, 0], [0.5, 0], [0.4, 0.6], [0, 0.4]], "com": [0.2, 0.2, 0.7], "mass": 9,
        "inertia": [[3, 0, 0], [0, 3, 0], [0, 0, 1]],
    },
}  # fmt: skip


def body_of(inputs, row=0):
    return Body(
        inputs.mass[row], inputs.inertia[row], inputs.vertices[row], inputs.gravity[row], faces=inputs.faces,
        start_face=inputs.start_face[row], base_faces=inputs.base_faces,
    )  # fmt: skip


def onset(body):
    """Smallest ground acceleration [g] that lifts a body, by pushing it slowly over every edge."""
    base = body._flat_base()[:, :2]
    along = np.roll(base, -1, axis=0) - base
    found = []
    for x, y in along / np.linalg.norm(along, axis=1)[:, None]:
        # towards the inside of the base, so that the body leans out over this edge
        push = np.zeros((3, 2))
        push[:2, 1] = np.array([-y, x]) * STANDARD_GRAVITY
        run = simulate(body, Motion(push, dt=RAMP, name="ramp"), t_end=RAMP)
        found.append(run.events[0]["t"] / RAMP)
    return min(found)


@pytest.mark.parametrize("name", BODIES)
def test_the_acceleration_of_uplift_is_the_one_that_lifts(make, motions, name):
    study = make(**BODIES[name])
    said = float(re.search(r"uplifts at .* about (\S+) g", describe(study, motions))[1])
    body = body_of(draw_inputs(study, motions, 0, 1))
    assert said == pytest.approx(onset(body), rel=1e-3)


def test_an_edge_inside_the_base_lifts_before_the_outer_ones(make, motions):
    text = describe(make(**BODIES["strips"]), motions)
    assert re.search(r"about 0\.16\S* g \(over an edge of the start face, of slenderness 9\.\d+ deg\)", text)
    assert float(re.search(r"slenderness (\S+) deg, p", text)[1]) > 25
    assert "start face, of slenderness" not in describe(make(**BODIES["block"]), motions)


def test_uplift_slenderness_of_many_bodies_is_that_of_each(make, motions):
    scale = {"distribution": "uniform", "low": 0.5, "high": 2.0}
    com = {"distribution": "normal", "mean": 0.0, "std": 0.05}
    study = make(shape="polyhedron", vertices=STRIPS, density=2500, scale=scale, com_x=com)
    inputs = draw_inputs(study, motions, 0, 40)
    found = uplift_slenderness(inputs.vertices, inputs.faces, inputs.start_face)
    assert len(set(inputs.start_face.tolist())) > 1
    for i in range(40):
        assert found[i] == pytest.approx(body_of(inputs, i).edge_slenderness.min(), rel=1e-9)


def test_a_slenderness_that_tells_nothing_is_pointed_out(make, motions):
    every = make(shape="polyhedron", vertices=KEEL, density=2500, base_faces=list(range(7)))
    note = "note: within 90 deg of tilt it reaches no edge that bounds the base"
    assert note in describe(every, motions)
    one = make(shape="polyhedron", vertices=KEEL, density=2500, axis=[0, 0, 1], base_faces=[0])
    assert "note: it stands over an edge that bounds the base at no tilt" in describe(one, motions)
    assert "tells nothing" not in describe(make(**BODIES["strips"]), motions)


@pytest.mark.parametrize(
    ("body", "size"),
    [
        (BODIES["block"], "width 0.4 m, depth 0.6 m, height 1.5 m"),
        (BODIES["plinth"], "base 0.5 m along x, 0.6 m along y"),
        (BODIES["keel"], "0.8 m along x, 0.8 m along y, 1.5 m along z"),
        (
            {
                "shape": "frustum", "base": [[0, 0], [0.5, 0], [0, 0.4]], "top_scale": 0.5, "density": 2000,
                "height": {"distribution": "uniform", "low": 1.0, "high": 1.2},
            },
            r"0.5 m along x, 0.4 m along y, 1.0\d* to 1.\d* m along z",
        ),
    ],
)  # fmt: skip
def test_every_shape_has_a_size(make, motions, body, size):
    line = next(line for line in describe(make(**body), motions).splitlines() if line.startswith("body:"))
    assert re.fullmatch(rf"body: {body['shape']}, {size}, mass \S+( to \S+)? kg", line)


def test_ranges_are_said_to_be_of_the_draws(make_study, motions):
    text = describe(make_study("ensemble.realizations=10000"), motions)
    assert text.splitlines()[1] == "ranges go from the smallest to the largest of the first 4096 draws"
    assert "largest of the 200 draws" in describe(make_study(), motions)
    certain = make_study("body.width=0.4", "body.height=1.6", "body.com_x=0")
    assert "ranges" not in describe(certain, motions)


def test_a_face_that_does_not_carry_the_body_is_not_replaced_in_silence(make, motions):
    oblique = [[x + z, y, z] for x in (0, 0.4) for y in (0, 0.4) for z in (0, 1)]
    body = {"shape": "polyhedron", "vertices": oblique, "density": 2500}
    study = make(**body)
    stable = body_of(draw_inputs(study, motions, 0, 1)).face_stable
    unstable = np.flatnonzero(~stable).tolist()
    assert unstable
    for face in unstable:
        study = make(**body, start_face=face)
        ends = int(draw_inputs(study, motions, 0, 1).start_face[0])
        assert stable[ends]
        assert (
            f"  note: put down on face {face}, which does not carry it, it settles on face {ends} before it "
            "starts in all realizations"
        ) in describe(study, motions).splitlines()
    for face in np.flatnonzero(stable).tolist():
        assert "settles" not in describe(make(**body, start_face=face), motions)


def test_of_equally_low_faces_one_that_carries_the_body_is_taken(make, motions):
    """The default of a study is that of `hull`."""
    com = {"distribution": "normal", "mean": 0.3, "std": 1e-6}
    for sign in (-1, 1):
        study = make(**BODIES["keel"], com_x=com | {"mean": 0.3 * sign})
        body = body_of(draw_inputs(study, motions, 0, 1))
        assert body.face_normals[body.start_face] @ [sign, 0, 0] > 0
        assert "settles" not in describe(study, motions)
