"""Planar blocks with friction up to an impact: the kernel against an independent twin."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from mcrock import simulate
from mcrock.body import cuboid
from mcrock.excitation import Motion
from mcrock.impact.conditions import Contact, Start
from mcrock.planar import planar_block
from tests.physics.friction import noise, steps_of
from tests.physics.planar_friction import Phase, block_forces, block_motion

BODY = cuboid(0.5, 0.4, 1.2, 2600.0)
BLOCK = planar_block(BODY)
UPRIGHT, STILL = np.array([0.0, 0.6, 0.0]), np.zeros(3)


def last_of(run, t):
    """x, z and tilt of the centre of mass, counter-clockwise, and their rates, at a time of the history."""
    history = run.history
    row = int(np.flatnonzero(np.abs(history["time"].values - t) < 1e-6)[0])
    turn = Rotation.from_quat(history["orientation"].values[row], scalar_first=True).as_rotvec()
    com, velocity = history["com"].values[row], history["velocity"].values[row]
    rate = history["angular_velocity"].values[row]
    return [com[0], com[2], -turn[1]], [velocity[0], velocity[2], -rate[1]]


@pytest.mark.parametrize("friction", [0.05, 0.15, 0.3, 0.45])
@pytest.mark.parametrize("tilt", [0.1, 0.3])
def test_a_tilted_block_slips_and_lands_as_its_twin(friction, tilt):
    run = simulate(
        BODY,
        contact=Contact(friction=friction),
        start=Start(edge=0, tilt=tilt),
        controls=steps_of(1e-3),
        t_end=3.0,
    )
    side = np.sign(last_of(run, 0.0)[0][2])
    level = np.array([BLOCK.right, -BLOCK.left]) * np.sin(side * tilt) - BLOCK.com_height * np.cos(tilt)
    place = np.array([last_of(run, 0.0)[0][0], -level.min(), side * tilt])
    twin = block_motion(BLOCK, place, STILL, 3.0, friction=friction)
    assert twin.ending == "impact"
    landing = next(
        event["t"] for event in run.events if "impact" in event["kind"] or event["kind"] == "landing"
    )
    assert landing == pytest.approx(twin.time[-1], abs=1e-6)
    before = simulate(
        BODY,
        contact=Contact(friction=friction),
        start=Start(edge=0, tilt=tilt),
        controls=steps_of(1e-3),
        t_end=twin.time[-2],
    )
    position, velocity = last_of(before, twin.time[-2])
    np.testing.assert_allclose(position, twin.position[-2], atol=1e-6)
    np.testing.assert_allclose(velocity, twin.velocity[-2], atol=1e-5)
    if friction in (0.05, 0.45):  # both kinds are seen
        assert (twin.phases[0][1].slip != 0) == (friction == 0.05)


@pytest.mark.parametrize(("seed", "friction"), [(2, 0.35), (3, 0.5)])
def test_a_shaken_block_slides_rocks_and_slips_as_its_twin(seed, friction):
    shaken = noise(seed, 9.0)
    motion = Motion(shaken.acceleration * [[1.0], [0.0], [0.5]], dt=0.01, name="in a plane")

    def ground(t):
        return tuple(np.interp(t, motion.time, motion.acceleration[i]) for i in (0, 2))

    twin = block_motion(BLOCK, UPRIGHT, STILL, 1.2, friction=friction, ground=ground, max_step=2e-3)
    assert len(twin.phases) > 1
    end = twin.time[-2]  # before an impact
    run = simulate(BODY, motion, contact=Contact(friction=friction), controls=steps_of(1e-3), t_end=end)
    position, velocity = last_of(run, end)
    np.testing.assert_allclose(position, twin.position[-2], atol=2e-6)
    np.testing.assert_allclose(velocity, twin.velocity[-2], atol=2e-5)


@pytest.mark.parametrize(("rate", "number"), [(0.0, 0), (5.0, 2)])
def test_painleves_paradox_has_no_forces_or_several(rate, number):
    block = planar_block(cuboid(0.4, 0.4, 1.6, 2600.0))
    angle, slip = 0.05, -1.0
    level = -block.left * np.sin(angle) - block.com_height * np.cos(angle)
    across = -block.left * np.cos(angle) + block.com_height * np.sin(angle)
    velocity = (slip + level * rate, -across * rate, rate)
    assert len(block_forces(block, (0.0, -level, angle), velocity, friction=4.0)) == number


def test_a_block_that_cannot_slide_flat_tips_over_its_leading_corner():
    (forces,) = block_forces(BLOCK, UPRIGHT, (1.5, 0.0, 0.0), friction=0.6)
    assert forces.phase == Phase((0,), 1)
    assert forces.acceleration[2] < 0.0
