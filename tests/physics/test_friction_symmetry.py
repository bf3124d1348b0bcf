"""Symmetries of bodies that slip, rebound and fly: the first events of random runs and of their images."""

from dataclasses import replace
from math import cos, pi, sin, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from mcrock.body import Body
from mcrock.excitation import Motion
from mcrock.kernel.friction.motion import STOPS_IN
from tests.physics.contact import AMPLIFIED, PERTURBATION, ZENO_GAP
from tests.physics.friction import FINE, ONE_END, Scenario, scenario, seeds, steps_of, turned

# faces of random hulls may meet at small angles
pytestmark = pytest.mark.filterwarnings("ignore:hull. faces:UserWarning")

SAME = 1e-9  # of times [s], velocities [m/s] and angular velocities [rad/s] that no error has amplified yet
WEIGHED = 1e-7  # the same where the tolerances of forces are of another weight
ONSET = 1e-5  # the same where onsets of slip, which have a speed of their own, do not scale along
INTEGRATION = 3.0  # images differ by this much of what halving the step changes
T_END = 1.0  # [s]
UPRIGHT = np.eye(3)


def kind(event):
    """What happens in an event and where it leads; which end of an edge is first does not matter."""
    mode = event["to"][0]
    return event["kind"], "one end slips" if mode in ONE_END else mode


def nearby(s: Scenario) -> Scenario:
    """The same with motion or start changed by a millionth."""
    if s.motion is not None:
        return replace(s, motion=s.motion.scaled(1.0 + PERTURBATION))
    spin = np.array(s.start.angular_velocity) * (1.0 + PERTURBATION) + PERTURBATION
    return replace(s, start=replace(s.start, angular_velocity=spin))


def check_image(s, image, turn=UPRIGHT, clock=1.0, same=SAME, most=8, integration=0.0):
    """The leading events of two scenarios that must be images of each other, and how many they were.

    Leading are those whose order a change by a millionth leaves, up to events that crowd.
    """
    run, near, half = s.run(), nearby(s).run(), s.run(controls=steps_of(0.5 * FINE.max_step))
    other, spin, count, last = image.run(), np.linalg.det(turn) * turn, 0, -1.0
    events = zip(run.events[:most], near.events, half.events, strict=False)
    for i, (one, beside, finer) in enumerate(events):
        if not kind(one) == kind(beside) == kind(finer) or one["t"] - last < ZENO_GAP:
            break
        seen = other.events[i]
        assert kind(seen) == kind(one)
        for name, there in (
            ("t", seen["t"] / clock),
            ("omega", spin.T @ seen["omega"] * clock),
            ("velocity", turn.T @ seen["velocity"] / clock),
        ):
            slack = same + AMPLIFIED * np.abs(beside[name] - one[name]).max()
            slack += integration * np.abs(finer[name] - one[name]).max()
            assert there == pytest.approx(one[name], rel=0.0, abs=slack), (i, kind(one), name)
        count, last = count + 1, one["t"]
    return count


def image_of(s: Scenario, turn) -> Scenario:
    """Body, motion and start turned or mirrored together."""
    motion = s.motion and Motion(turn @ s.motion.acceleration, dt=s.motion.dt, name="image")
    start = s.start
    if start is not None:
        pose = Rotation.from_quat(start.orientation, scalar_first=True).as_matrix()
        start = replace(
            start,
            position=turn @ np.array(start.position),
            velocity=turn @ np.array(start.velocity),
            angular_velocity=np.linalg.det(turn) * turn @ np.array(start.angular_velocity),
            orientation=Rotation.from_matrix(turn @ pose @ turn.T).as_quat(scalar_first=True),
        )
    return replace(s, body=turned(s.body, turn), motion=motion, start=start)


def resized(body: Body, mass: float, length: float, gravity: float) -> Body:
    return Body(
        body.mass * mass,
        body.inertia * mass * length**2,
        body.vertices * length,
        gravity,
        faces=body.faces,
        start_face=body.start_face,
        base_faces=body.base_faces,
    )


@given(seeds, st.booleans(), st.floats(-pi, pi))
def test_body_and_motion_turned_together_change_nothing(seed, shaken, azimuth):
    s, c, d = replace(scenario(seed, shaken), t_end=T_END), cos(azimuth), sin(azimuth)
    turn = np.array([[c, -d, 0.0], [d, c, 0.0], [0.0, 0.0, 1.0]])
    check_image(s, image_of(s, turn), turn)


@given(seeds, st.booleans())
def test_mirror_symmetry(seed, shaken):
    """x -> -x: lambda_lat changes sign. The ends of edges swap, and a step is not the same from both."""
    s, mirror = replace(scenario(seed, shaken), t_end=T_END), np.diag([-1.0, 1.0, 1.0])
    image = replace(image_of(s, mirror), impact=replace(s.impact, lambda_lat=-s.impact.lambda_lat))
    check_image(s, image, mirror, integration=INTEGRATION)


@given(seeds, st.booleans(), st.floats(0.01, 100.0))
def test_mass_does_not_matter(seed, shaken, share):
    s = replace(scenario(seed, shaken), t_end=T_END)
    check_image(s, replace(s, body=resized(s.body, share, 1.0, s.body.gravity)))


@given(seeds, st.booleans(), st.sampled_from([0.25, 4.0]))
def test_scale_of_length_and_time(seed, shaken, length):
    """Lengths by s, times by sqrt(s), accelerations, friction and restitution as they are."""
    s, clock = replace(scenario(seed, shaken), t_end=T_END), sqrt(length)
    motion = s.motion and Motion(s.motion.acceleration, dt=s.motion.dt * clock, name="slow")
    start = s.start and replace(
        s.start,
        position=np.array(s.start.position) * length,
        velocity=np.array(s.start.velocity) * clock,
        angular_velocity=np.array(s.start.angular_velocity) / clock,
    )
    names = ("max_step", "edge_zeno_time", "rest_time")
    slow = replace(FINE, **{name: getattr(FINE, name) * clock for name in names})
    body = resized(s.body, length**3, length, s.body.gravity)
    image = replace(s, body=body, motion=motion, start=start, t_end=T_END * clock, controls=slow)
    check_image(s, image, clock=clock, same=ONSET, most=3, integration=INTEGRATION)


@given(seeds, st.booleans(), st.floats(-4.0, 8.0))
def test_constant_vertical_acceleration_is_changed_gravity(seed, shaken, lift):
    s = scenario(seed, shaken)
    still = Motion(np.zeros((3, 150)), dt=0.01, name="still")
    s = replace(s, motion=s.motion or still, t_end=T_END)
    raised = Motion(s.motion.acceleration + np.array([[0.0], [0.0], [lift]]), dt=s.motion.dt, name="raised")
    heavy = replace(s, body=resized(s.body, 1.0, 1.0, s.body.gravity + lift))
    # a stop leaves out a slip that friction would end this soon; which slip that is depends on the steps
    stop = s.contact.friction * heavy.body.gravity * STOPS_IN * s.controls.edge_zeno_time
    check_image(heavy, replace(s, motion=raised), same=WEIGHED + stop, integration=INTEGRATION)


def test_the_first_events_are_many_enough():
    """What the symmetries compare, on average over 20 runs: the tests above are not empty."""
    counts = []
    for seed in range(20):
        s = replace(scenario(seed, seed % 2 == 0), t_end=T_END)
        counts.append(check_image(s, s))
    assert np.mean(counts) > 3.0
