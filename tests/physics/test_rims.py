"""A raised rim round the base: where it lands, and the slow push that then overturns, in closed form."""

from math import atan, tan

import numpy as np
import pytest

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.body import cuboid, hull
from mcrock.body.shapes import Cuboid
from mcrock.excitation import Motion
from mcrock.simulation.runs import simulate

WIDTH, HEIGHT = 0.3, 1.5
RIMS = [(0.1, 0.004), (0.3, 0.02)]


def rimmed(reach, rise):
    shape = Cuboid(
        shape="cuboid", width=WIDTH, depth=0.8, height=HEIGHT, mass=300.0, rim_width=reach, rim_height=rise
    )
    return shape.at_medians().only()


def threshold(reach, rise):
    """Slow acceleration over gravity that overturns a body which has landed on its rim."""
    return tan(atan((WIDTH / 2 + reach) / (HEIGHT / 2 - rise)) - atan(rise / reach))


@pytest.mark.parametrize(("reach", "rise"), RIMS)
def test_a_rim_is_the_hull_of_its_corners(reach, rise):
    body = rimmed(reach, rise)
    twin = hull(
        body.vertices, mass=300.0, com=(0, 0, 0), inertia=body.inertia, start_face=None, base_angle_deg=6.0
    )
    sets = {frozenset(face) for face in body.faces}
    assert sets == {frozenset(face) for face in twin.faces}
    assert {frozenset(body.faces[k]) for k in body.base_faces} == {
        frozenset(twin.faces[k]) for k in twin.base_faces
    }
    bare = cuboid(WIDTH, 0.8, HEIGHT, mass=300.0)
    np.testing.assert_array_equal(body.inertia, bare.inertia)
    same = cuboid(WIDTH, 0.8, HEIGHT, mass=300.0, rim_width=reach, rim_height=rise)
    np.testing.assert_array_equal(body.vertices, same.vertices)
    assert (body.faces, body.base_faces) == (same.faces, same.base_faces)
    with pytest.raises(ValueError, match=r"cuboid.rim_height must be .* > 0 \[m\], got None"):
        cuboid(WIDTH, 0.8, HEIGHT, mass=300.0, rim_width=reach)
    assert body.slenderness == pytest.approx(atan((WIDTH / 2 + reach) / (HEIGHT / 2 - rise)))


@pytest.mark.parametrize(
    ("reach", "rise", "message"),
    [
        (5.0, 0.01, r"rim_width must be at most the longest edge of the body \[m\], got 5$"),
        (0.1, HEIGHT, r"rim_height must be below the height of the body \[m\], got "),
        (0.1, HEIGHT + 0.5, r"rim_height must be below the height of the body \[m\], got "),
    ],
)
def test_a_rim_that_cannot_be_is_refused_by_name(reach, rise, message):
    for make in (rimmed, lambda x, z: cuboid(WIDTH, 0.8, HEIGHT, mass=300.0, rim_width=x, rim_height=z)):
        with pytest.raises(ValueError, match=message):
            make(reach, rise)


@pytest.mark.parametrize(("reach", "rise"), RIMS)
def test_a_slow_push_lands_it_on_its_rim_and_overturns_it_over_that(reach, rise):
    """Pushed within 600 s it settles on the rim long before the threshold: what is left is less than 1 %."""
    body, needed = rimmed(reach, rise), threshold(reach, rise)
    assert needed > 1.4 * WIDTH / HEIGHT
    time = np.arange(0.0, 600.0, 0.1)
    bare = cuboid(WIDTH, 0.8, HEIGHT, mass=300.0)

    def pushed(what, peak):
        push = peak * STANDARD_GRAVITY * np.sin(np.pi * time / 600.0)
        return simulate(what, Motion([push, 0 * push, 0 * push], dt=0.1, name="push"))

    runs = [pushed(body, factor * needed) for factor in (0.99, 1.01)]
    assert [run.outcome.name for run in runs] == ["AT_REST", "OVERTURNED"]
    for run in runs:
        lifted, landed = run.events[:2]
        assert (lifted["kind"], landed["kind"]) == ("uplift", "facet_impact")
        tilt = np.interp(landed["t"], run.history.time, run.history.tilt)
        assert tilt == pytest.approx(atan(rise / reach), abs=1e-6)
    runs = [pushed(bare, factor * WIDTH / HEIGHT) for factor in (0.99, 1.01)]
    assert [run.outcome.name for run in runs] == ["AT_REST", "OVERTURNED"]
