"""Bodies with an error of their shape: a hull for each draw, and what cannot go with it."""

import numpy as np
import pytest

from mcrock.body import hull, settle, with_shape_error
from mcrock.ensemble.rare import rare_probability
from mcrock.show.describe import describe
from mcrock.study import ConfigError, Study
from mcrock.study.sampling import check_inputs, draw_inputs

pytestmark = pytest.mark.filterwarnings("ignore:hull. faces")  # of a rough surface, that differ by little

HOMOGENEOUS = {"density": 2600.0}
ERROR = {"std": 0.001, "correlation_length": 0.1}
GIVEN = {"mass": 500.0, "com": [0.01, 0.0, 0.45], "inertia": np.diag([60.0, 55.0, 30.0]).tolist()}


def rock():
    """A rough block: rings of a shallow bowl below a flat top."""
    angle = np.arange(12) * np.pi / 6
    rings = [(0.12, 0.0, 0.0), (0.24, 0.002, 0.2), (0.3, 0.03, 0.4), (0.3, 0.9, 0.0)]
    return np.vstack(
        [np.column_stack([r * np.cos(angle + a), r * np.sin(angle + a), np.full(12, z)]) for r, z, a in rings]
    )


@pytest.fixture
def make(make_study):
    """Study of the rock: ``make(ensemble={...}, shape_error=...)``."""

    def build(ensemble=None, **body):
        raw = make_study().model_dump(by_alias=True, exclude_none=True)
        given = {} if "density" in body else GIVEN
        body = {"shape": "polyhedron", "vertices": rock().tolist()} | given | body
        sections = {name: body.pop(name) for name in ("impact", "start") if name in body}
        raw["ensemble"] |= ensemble or {}
        return Study.model_validate(raw | {"body": body} | sections)

    return build


def nested(make, **body):
    return make({"outer": 5}, shape_error=ERROR | {"epistemic": True}, **body)


def assert_drawn(inputs, seed, draw, *, scale=1.0, **given):
    """The body of `inputs` is the hull of the points with the surface of a draw, settled."""
    points = with_shape_error(scale * rock(), *ERROR.values(), seed=seed, draw=draw)
    values = {"mass": 500.0, "com": GIVEN["com"], "inertia": GIVEN["inertia"]} | given
    first = hull(points, **values)
    start = settle(first.vertices, first.faces, first.start_face)
    body = hull(points, start_face=start, **values)
    assert inputs.faces == body.faces
    assert inputs.start_face[0] == body.start_face
    assert inputs.base_faces == body.base_faces
    np.testing.assert_allclose(inputs.vertices[0], body.vertices, atol=1e-12)
    return body


def test_each_outer_draw_has_one_hull(make, motions):
    study = nested(make)
    seen = []
    for outer in range(5):
        inputs = draw_inputs(study, motions, 0, 20, outer)
        assert_drawn(inputs, study.seed, outer)
        assert (inputs.vertices == inputs.vertices[0]).all()
        part = draw_inputs(study, motions, 13, 14, outer)
        np.testing.assert_array_equal(part.vertices[0], inputs.vertices[13])
        seen.append((inputs.faces, inputs.vertices[0].tobytes()))
    assert len(set(seen)) == 5
    assert len({faces for faces, _ in seen}) > 1  # not the corners alone differ


def test_each_realization_has_its_hull(make, motions, monkeypatch):
    study = make(shape_error=ERROR)
    bodies = [draw_inputs(study, motions, i, i + 1) for i in (0, 1, 150)]
    for i, inputs in zip((0, 1, 150), bodies, strict=True):
        assert_drawn(inputs, study.seed, i)
    assert len({inputs.vertices.tobytes() for inputs in bodies}) == 3
    with pytest.raises(ValueError, match="has faces of its own: draw them one at a time, got 2"):
        draw_inputs(study, motions, 0, 2)
    monkeypatch.setattr("mcrock.study.sampling.HULLS", 4)  # that are made to see that all is well
    check_inputs(study, motions)


def test_without_an_error_the_body_is_the_same_to_the_last_bit(make, motions):
    plain = draw_inputs(make(), motions, 7, 8)
    for error in (ERROR | {"std": 0.0}, ERROR | {"std": 0.0, "epistemic": True}):
        study = make({"outer": 2} if "epistemic" in error else None, shape_error=error)
        same = draw_inputs(study, motions, 7, 8)
        for name in ("faces", "base_faces"):
            assert getattr(same, name) == getattr(plain, name)
        for name in ("vertices", "inertia", "mass", "start_face", "scale", "azimuth", "impact"):
            np.testing.assert_array_equal(getattr(same, name), getattr(plain, name))
        assert same.values.keys() == plain.values.keys()


def test_a_small_error_is_a_small_change(make, motions):
    """Corners and slenderness go to those of the body itself, in proportion."""
    plain = draw_inputs(make(**HOMOGENEOUS), motions, 0, 1)
    gaps = []
    for std in (1e-4, 1e-5):
        study = make(**HOMOGENEOUS, shape_error=ERROR | {"std": std})
        drawn = draw_inputs(study, motions, 0, 1)
        gaps.append(abs(drawn.mass[0] - plain.mass[0]))
    assert 0 < gaps[1] < 0.2 * gaps[0] < 0.2 * plain.mass[0] * 1e-3


def test_points_of_uncertain_size_have_hulls_of_their_own(make, motions):
    """The error is in m, whatever the scale."""
    study = nested(make, scale={"distribution": "uniform", "low": 0.9, "high": 1.1})
    assert study.body.own_hulls
    inputs = draw_inputs(study, motions, 4, 5, 2)
    assert_drawn(inputs, study.seed, 2, scale=inputs.values["body_scale"][0])


def test_uncertain_mass_properties_share_the_hull(make, motions):
    com = [{"distribution": "uniform", "low": -0.05, "high": 0.05}, 0.0, 0.45]
    study = nested(make, com=com)
    inputs = draw_inputs(study, motions, 0, 6, 3)
    for i in range(6):
        one = draw_inputs(study, motions, i, i + 1, 3)
        np.testing.assert_array_equal(one.vertices[0], inputs.vertices[i])
    assert len(np.unique(inputs.vertices[:, 0, 0])) == 6
    shape = inputs.vertices - inputs.vertices[:, :1]
    if len(set(inputs.start_face)) == 1:
        np.testing.assert_allclose(shape, np.broadcast_to(shape[0], shape.shape), atol=1e-12)


def test_points_deep_inside_change_nothing(make, motions):
    """They are left out before hulls are made."""
    cloud = np.random.default_rng(5).uniform([-0.1, -0.1, 0.2], [0.1, 0.1, 0.6], (300, 3))
    more = np.vstack([rock(), cloud]).tolist()
    study = make(shape_error=ERROR, vertices=more)
    assert len(study.body._near_surface) < 60
    for i in range(3):
        with_cloud = draw_inputs(study, motions, i, i + 1)
        without = draw_inputs(make(shape_error=ERROR), motions, i, i + 1)
        assert with_cloud.faces == without.faces
        np.testing.assert_array_equal(with_cloud.vertices, without.vertices)


def test_the_base_by_an_angle(make, motions):
    wide, narrow = (
        draw_inputs(make(shape_error=ERROR, base_angle_deg=angle), motions, 0, 1) for angle in (40.0, 0.01)
    )
    assert narrow.base_faces == tuple(narrow.start_face)
    assert len(wide.base_faces) > len(draw_inputs(make(shape_error=ERROR), motions, 0, 1).base_faces)


def test_sobol_indices_count_the_hull_as_an_input(make, motions):
    from mcrock.study.design import HULL, draws_of, inputs_of_design

    study = make({"design": "sobol_indices", "realizations": 400}, shape_error=ERROR)
    assert inputs_of_design(study)[-1] == HULL
    number = draws_of(study, HULL, 0, 200)
    assert len(np.unique(number)) == 2 * 200 // (2 + len(inputs_of_design(study)))
    i = int(np.flatnonzero(number != np.arange(200))[0])
    assert_drawn(draw_inputs(study, motions, i, i + 1), study.seed, int(number[i]))


def test_description(make, motions):
    text = describe(nested(make), motions)
    assert "body.shape_error [m]: smooth surface, std 0.001, correlation_length 0.1, epistemic" in text
    assert "hulls of 5 draws of the error of the shape: " in text
    assert "corners, without the error of the shape; angle" in text
    narrow = describe(nested(make, base_angle_deg=0.01), motions)
    assert "counts as overturned; raise body.base_angle_deg if the body is to roll onto it" in narrow
    own = describe(make(shape_error=ERROR), motions)
    assert "hulls of 16 draws of the error of the shape: " in own
    assert "nothing is uncertain" not in own


def test_a_body_that_settles_on_its_side_is_refused(make):
    """The underside must be down: an oblique prism comes to lie on its side."""
    oblique = [[x + 0.7 * z, y, z] for x in (0, 0.4) for y in (0, 0.4) for z in (0, 1)]
    study = make(shape_error=ERROR, vertices=oblique, **HOMOGENEOUS)
    assert "shape_error is along z, but the body settles on a face with the outward normal" in str(
        study.body.refusal()
    )


def test_no_rare_events_of_hulls(make):
    with pytest.raises(ValueError, match=r"hulls of random surfaces are not: leave body\.shape_error out"):
        rare_probability(make(shape_error=ERROR))


def test_an_impossible_hull_is_named(make, motions):
    study = make(shape_error={"std": 0.1, "correlation_length": 5.0}, com=[0.0, 0.0, 0.05])
    message = r"\[body\]: realization \d+: the centre of mass must be inside the body"
    with pytest.raises(ConfigError, match=message):
        check_inputs(study, motions)


def test_lowest_face_of_a_draw_is_looked_for_anew(make, motions):
    """Bodies stand on the face that carries each, and not on one of a number."""
    study = make(shape_error=ERROR)
    starts = []
    for i in range(12):
        inputs = draw_inputs(study, motions, i, i + 1)
        body = assert_drawn(inputs, study.seed, i)
        assert body.face_stable[body.start_face]
        starts.append(tuple(sorted(inputs.faces[inputs.start_face[0]])))
    assert len(set(starts)) > 1
