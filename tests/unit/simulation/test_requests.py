"""What may be asked of a run: natural mistakes and contradictions have one clear message each."""

import re
from math import inf, nan, pi

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from mcrock.base.params import Mode
from mcrock.body import cuboid, frustum, hull
from mcrock.excitation import Motion
from mcrock.impact.conditions import Controls, Impact, Start
from mcrock.simulation.runs import PENETRATION, simulate

BODY = cuboid(0.4, 0.5, 1.6, 2600)
STILL = Motion(np.zeros((3, 3)), dt=0.1, name="still")
LEANING = tuple(Rotation.from_rotvec([0.05, 0.05, 0.0]).as_quat(scalar_first=True))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((BODY, STILL, 0.9), r"simulate\.impact must be an Impact, as in Impact\(lambda_=0\.9\), got 0\.9"),
        ((BODY, [STILL]), r"simulate\.motion must be one Motion or Pulse, got \[Motion"),
        ((BODY, "record"), r"simulate\.motion must be one Motion or Pulse, got 'record'"),
        ((BODY, Impact()), r"simulate\.motion must be one Motion or Pulse, got Impact"),
        ((0.4,), r"simulate\.body must be a Body, as cuboid\(\) makes one, got 0\.4"),
    ],
)
def test_arguments_of_another_kind(arguments, message):
    with pytest.raises(ValueError, match=message):
        simulate(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"start": 0.1}, r"simulate\.start must be a Start, as in Start\(edge=0, tilt=0\.1\), got 0\.1"),
        ({"controls": {"tail": 3}}, r"simulate\.controls must be Controls, as in .*, got \{'tail': 3\}"),
        ({"t_end": nan}, r"simulate\.t_end must be a finite number >= 0 \[s\], got nan"),
        ({"t_end": inf}, r"simulate\.t_end must be a finite number >= 0 \[s\], got inf"),
        ({"t_end": -1.0}, r"simulate\.t_end must be a finite number >= 0 \[s\], got -1\.0"),
        ({"t_end": "9"}, r"simulate\.t_end must be a finite number >= 0 \[s\], got '9'"),
    ],
)
def test_options_of_another_kind(options, message):
    with pytest.raises(ValueError, match=message):
        simulate(BODY, **options)


def test_a_run_knows_its_body():
    assert simulate(BODY, t_end=0.0).body is BODY


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"lambda_": "a"}, r"Impact\.lambda_ must be a finite number \[1\], got 'a'"),
        ({"tau": nan}, r"Impact\.tau must be a finite number \[N m s\], got nan"),
        ({"tau_facet": inf}, r"Impact\.tau_facet must be a finite number \[N m s\], got inf"),
        ({"point": (1.0,)}, r"Impact\.point must be 2 finite numbers \[m\], got \(1\.0,\)"),
        ({"energy_gain": "stop"}, r"Impact\.energy_gain must be 'project' or 'allow', got 'stop'"),
        ({"facet_fallback": 1}, r"Impact\.facet_fallback must be 'rest' or 'plastic', got 1"),
        ({"faces": 3}, r"Impact\.faces must be a mapping, as in \{0: \{'lambda_lon': 0\.5\}\}, got 3"),
        ({"faces": {0: 0.5}}, r"Impact\.faces\[0\] must hold 'lambda_lon', 'lambda_lat' or .* got 0\.5"),
        ({"faces": {0: {}}}, r"Impact\.faces\[0\] must hold .* got \{\}"),
        ({"faces": {0: {"lambda_": 0.5}}}, r"Impact\.faces\[0\] must hold .* got \{'lambda_': 0\.5\}"),
        ({"faces": {2: {"lambda_lon": nan}}}, r"Impact\.faces\[2\]\['lambda_lon'\] must be a finite number"),
        ({"faces": {"a": {"lambda_lon": 0.5}}}, r"Impact\.faces: the number of a face .* be an integer >= 0"),
    ],
)
def test_impacts_that_cannot_be(values, message):
    with pytest.raises(ValueError, match=message):
        Impact(**values)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"tilt": 0.1}, r"Start\.tilt and Start\.rate turn the body about an edge: give Start\.edge too"),
        ({"rate": 0.1}, r"give Start\.edge too"),
        ({"edge": 0, "tilt": -0.1}, r"Start\.tilt must be a finite number >= 0 \[rad\], got -0\.1"),
        ({"edge": 0, "tilt": nan}, r"Start\.tilt must be a finite number >= 0 \[rad\], got nan"),
        ({"edge": 0, "rate": inf}, r"Start\.rate must be a finite number \[rad/s\], got inf"),
        ({"edge": 0, "rate": -0.1}, r"Start\.rate must be >= 0 \[rad/s\] where Start\.tilt is 0, .* -0\.1"),
        ({"edge": 0.0}, r"Start\.edge must be an integer >= 0 .* got 0\.0"),
        ({"edge": -1}, r"Start\.edge must be an integer >= 0 .* got -1"),
        ({"edge": 0, "vertex": 0}, r"on an edge or on a vertex, got Start\.edge = 0 and Start\.vertex = 0"),
        ({"orientation": LEANING}, r"give Start\.vertex or Start\.position too"),
        ({"edge": 0, "angular_velocity": (0, 0, 1)}, r"give Start\.vertex or Start\.position too"),
        ({"vertex": 0, "orientation": (1, 1, 0, 0)}, r"Start\.orientation must be a unit quaternion"),
        ({"vertex": 0, "orientation": (1, 0, 0)}, r"Start\.orientation must be 4 finite numbers \[1\]"),
        ({"vertex": 0, "angular_velocity": (0, 0, nan)}, r"Start\.angular_velocity must be 3 finite numbers"),
    ],
)  # fmt: skip
def test_starts_that_contradict_themselves(values, message):
    with pytest.raises(ValueError, match=message):
        Start(**values)


def test_a_start_has_to_fit_the_body():
    with pytest.raises(ValueError, match=r"Start\.edge must be an edge of the start face, 0, 1, 2, 3, got 7"):
        simulate(BODY, start=Start(edge=7, tilt=0.1))
    with pytest.raises(ValueError, match=r"Start\.tilt must be at most 1\.5708 rad over edge 0, .* got 9"):
        simulate(BODY, start=Start(edge=0, tilt=9.0))
    with pytest.raises(ValueError, match=r"Start\.vertex must be 0 to 3, got 4"):
        simulate(BODY, start=Start(vertex=4))


@pytest.mark.parametrize("top_scale", [0.5, 1.0, 1.5])
def test_a_body_can_be_tilted_up_to_its_next_face(top_scale):
    """A wall that leans out by an angle lands that much earlier; a tapered one stands clear up to 90 deg."""
    base = [(-0.3, -0.3), (0.3, -0.3), (0.3, 0.3), (-0.3, 0.3)]
    body = frustum(base, 1.0, 1000, top_scale=top_scale)
    follow = Controls(follow_fall=True)
    most = pi / 2 - np.arctan(0.3 * (top_scale - 1.0))
    assert simulate(body, start=Start(edge=1, tilt=most - 1e-6), controls=follow, t_end=0.1).events
    with pytest.raises(ValueError, match=rf"at most {most:.6g} rad over edge 1"):
        simulate(body, start=Start(edge=1, tilt=most + 1e-6), controls=follow)


@given(st.floats(-pi, pi), st.floats(0.01, 0.6), st.floats(-pi, pi), st.integers(0, 3))
@example(direction=-1e-5, tilt=0.125, yaw=0.0, vertex=0)
def test_a_body_stands_on_its_lowest_vertex(direction, tilt, yaw, vertex):
    vector = tilt * np.array([np.cos(direction), np.sin(direction), 0.0])
    pose = Rotation.from_euler("z", yaw) * Rotation.from_rotvec(vector)
    heights = pose.apply(BODY.base)[:, 2]
    start = Start(vertex=vertex, orientation=pose.as_quat(scalar_first=True))
    # a dip of a millionth of the base is rounding, a deeper one is refused
    allowed, dip = PENETRATION * np.ptp(BODY.base, axis=0).max(), heights[vertex] - heights.min()
    assume(abs(dip - allowed) > 1e-12)
    if dip < allowed:
        assert simulate(BODY, start=start, t_end=0.01).history["mode"].values[0] == Mode.VERTEX
        return
    message = rf"Start\.orientation puts vertex (\d) \S+ m below vertex {vertex}, on which the body"
    with pytest.raises(ValueError, match=message) as refused:
        simulate(BODY, start=start, t_end=0.01)
    named = int(re.search(message, str(refused.value))[1])
    assert heights[named] == pytest.approx(heights.min(), abs=1e-9)  # of two equally low ones, either


def test_a_body_put_on_a_face_that_does_not_carry_it_rolls_off():
    """As the docstring of `hull` says; a study lets such a body settle first."""
    oblique = [(x + 1.2 * z, y, z) for x in (0, 0.4) for y in (0, 0.4) for z in (0, 1)]
    body = hull(oblique, 1000, start_face=hull(oblique, 1000).start_face)
    assert not body.face_stable[body.start_face]
    run = simulate(body, None, Impact(facet_fallback="plastic"), controls=Controls(follow_fall=True))
    assert run.events[0]["t"] == 0.0
    assert body.face_stable[int(run.final_face)]
