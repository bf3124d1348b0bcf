"""Planar blocks with friction between impacts: closed forms, Painleve's paradox, energy, symmetry."""

from math import inf

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mcrock.laws.block_motion import Phase, block_forces, block_motion
from mcrock.params import GRAVITY
from mcrock.planar import rectangle, simulate_planar

BLOCK = rectangle(0.4, 1.6, mass=2.0)
UPRIGHT, STILL = (0.0, 0.8, 0.0), (0.0, 0.0, 0.0)
LEFT_CORNER, RIGHT_CORNER = 1, 0


def standing(block, angle):
    """Position of a block that stands on its lower corner, and this corner."""
    level = np.array([block.right, -block.left]) * np.sin(angle) - block.com_height * np.cos(angle)
    return np.array([0.0, -level.min(), angle]), int(level.argmin())


def turning(block, angle, rate, slip):
    """Velocity of a block whose lower corner slips along the ground."""
    corner = standing(block, angle)[1]
    edge = np.array([block.right, -block.left])[corner]
    across = np.cos(angle) * edge + np.sin(angle) * block.com_height
    level = np.sin(angle) * edge - np.cos(angle) * block.com_height
    return np.array([slip + level * rate, -across * rate, rate])


def energy(block, position, velocity):
    kinetic = block.mass * (velocity[..., 0] ** 2 + velocity[..., 1] ** 2)
    kinetic = 0.5 * (kinetic + block.inertia * velocity[..., 2] ** 2)
    return kinetic + block.mass * block.gravity * position[..., 1]


@settings(max_examples=300, deadline=None)
@given(st.floats(0.1, 3.0), st.floats(0.05, 2.0), st.floats(0.01, 3.0))
def test_what_a_jump_of_the_ground_starts(slenderness, friction, level):
    """Shenton (1996): rest, slide, rock or slide and rock, with the acceleration of each."""
    b, h = 0.3 * slenderness, 0.3
    block = rectangle(2.0 * b, 2.0 * h)
    k2, g = block.inertia / block.mass, GRAVITY
    stick = friction * (k2 + h * h) - b * h - level * (k2 + b * b - friction * b * h)
    for margin in (level - friction, level - b / h, friction - b / h, stick / h**2):
        assume(abs(margin) > 1e-6)
    found = block_forces(block, (0.0, h, 0.0), STILL, friction=friction, ground=(level * g, 0.0))
    if k2 + b * b <= friction * b * h:  # beyond Painleve's bound there may be several
        return
    (forces,) = found
    if level < min(friction, b / h):
        assert forces.phase == Phase((0, 1), 0)
        assert forces.acceleration == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)
    elif friction < b / h:
        assert forces.phase == Phase((0, 1), -1)
        assert forces.acceleration == pytest.approx([-(level - friction) * g, 0.0, 0.0], abs=1e-9)
    elif stick > 0.0:
        assert forces.phase == Phase((LEFT_CORNER,), 0)
        assert forces.acceleration[2] == pytest.approx(g * (level * h - b) / (k2 + h * h + b * b))
    else:
        assert forces.phase == Phase((LEFT_CORNER,), -1)
        turn = g * (friction * h - b) / (k2 + b * b - friction * b * h)
        assert forces.acceleration[2] == pytest.approx(turn)


@settings(max_examples=200, deadline=None)
@given(
    st.floats(0.01, 1.2),
    st.floats(-3.0, 3.0),
    st.floats(-2.0, 2.0),
    st.floats(0.05, 6.0),
    st.floats(0.3, 5.0),
)
def test_forces_are_unique_below_the_bound_of_painleve(angle, rate, slip, friction, aspect):
    """One corner, COM at the distances X and Z: mu < (k^2 + X^2)/(X Z), for slip away from the COM."""
    assume(abs(slip) > 1e-3)
    block = rectangle(0.4, 0.4 * aspect)
    position, corner = standing(block, angle)
    com = np.cos(angle) * block.left - np.sin(angle) * block.com_height  # to the right of the left corner
    assert corner == LEFT_CORNER
    found = block_forces(block, position, turning(block, angle, rate, slip), friction=friction)
    k2, z = block.inertia / block.mass, position[1]
    push = k2 + com * com + friction * com * z * np.sign(slip)
    assume(abs(push) > 1e-6)
    free = -GRAVITY + rate**2 * z  # acceleration of the corner without contact
    assume(abs(free) > 1e-6)
    expected = 1 if push > 0.0 else (2 if free > 0.0 else 0)
    assert len(found) == expected
    for forces in found:
        assert forces.normal.min() >= 0.0
        if forces.normal.any():
            assert forces.normal[corner] == pytest.approx(-block.mass * free * k2 / push, rel=1e-6)


@settings(max_examples=100, deadline=None)
@given(
    st.one_of(st.just(0.0), st.floats(-1.2, -1e-3), st.floats(1e-3, 1.2)),
    st.floats(-3.0, 3.0),
    st.one_of(st.just(0.0), st.floats(-2.0, 2.0)),
    st.floats(0.0, 3.0),
    st.floats(-10.0, 10.0),
)
def test_mirror(angle, rate, slip, friction, ground):
    rate = rate if angle else 0.0
    position, velocity = standing(BLOCK, angle)[0], turning(BLOCK, angle, rate, slip)
    sign = np.array([-1.0, 1.0, -1.0])
    one = block_forces(BLOCK, position, velocity, friction=friction, ground=(ground, 1.0))
    two = block_forces(BLOCK, sign * position, sign * velocity, friction=friction, ground=(-ground, 1.0))
    assert len(one) == len(two)
    scale = 1e-8 * (GRAVITY + rate**2 + abs(ground)) * (1.0 + friction)
    for forces in one:
        change = [np.abs(sign * forces.acceleration - other.acceleration).max() for other in two]
        twin = two[int(np.argmin(change))]
        assert min(change) <= scale * (1.0 + np.abs(forces.acceleration).max())
        assert twin.normal[::-1] == pytest.approx(forces.normal, rel=1e-6, abs=1e-6)
        assert twin.tangential[::-1] == pytest.approx(-forces.tangential, rel=1e-6, abs=1e-6)


def test_a_sliding_block_stops():
    motion = block_motion(BLOCK, UPRIGHT, (1.5, 0.0, 0.0), 2.0, friction=0.2)
    assert [phase for _, phase in motion.phases] == [Phase((0, 1), 1), Phase((0, 1), 0)]
    assert motion.phases[1][0] == pytest.approx(1.5 / (0.2 * GRAVITY), rel=1e-9)
    assert motion.position[-1] == pytest.approx([1.5**2 / (0.4 * GRAVITY), 0.8, 0.0], abs=1e-9)
    assert motion.velocity[-1] == pytest.approx(STILL, abs=1e-12)
    assert motion.ending == "duration"


def test_a_block_that_cannot_slide_flat_tips():
    """mu h > b: the centre of pressure of a slide would be outside the base."""
    (forces,) = block_forces(BLOCK, UPRIGHT, (1.5, 0.0, 0.0), friction=0.3)
    assert forces.phase == Phase((RIGHT_CORNER,), 1)
    assert forces.acceleration[2] < 0.0  # over the leading corner


def test_growing_shaking_starts_slip_where_it_exceeds_friction():
    rate, mu = 3.0, 0.2
    motion = block_motion(BLOCK, UPRIGHT, STILL, 1.5, friction=mu, ground=lambda t: (rate * t, 0.0))
    onset = mu * GRAVITY / rate
    assert [phase for _, phase in motion.phases] == [Phase((0, 1), 0), Phase((0, 1), -1)]
    assert motion.phases[1][0] == pytest.approx(onset, rel=1e-9)
    slid = rate * (motion.time[-1] - onset) ** 2 / 2.0
    assert motion.velocity[-1, 0] == pytest.approx(-slid, rel=1e-8)
    assert motion.position[-1, 0] == pytest.approx(-slid * (motion.time[-1] - onset) / 3.0, rel=1e-8)


def test_newmarks_sliding_block_under_a_sine():
    """Slip from the onset to the time at which the velocities are equal again, by the closed form."""
    peak, frequency, mu = 3.0, 4.0, 0.15
    yield_level = mu * GRAVITY
    motion = block_motion(
        BLOCK, UPRIGHT, STILL, 1.1, friction=mu, ground=lambda t: (peak * np.sin(frequency * t), 0.0)
    )
    onset = np.arcsin(yield_level / peak) / frequency
    (start, phase), (stop, _) = motion.phases[1:3]
    assert phase == Phase((0, 1), -1)
    assert start == pytest.approx(onset, rel=1e-9)

    def speed(t):
        swing = peak / frequency * (np.cos(frequency * onset) - np.cos(frequency * t))
        return yield_level * (t - onset) - swing

    assert speed(stop) == pytest.approx(0.0, abs=1e-8)
    k = int(np.flatnonzero(motion.time == stop)[0])
    dt = stop - onset
    slid = yield_level * dt**2 / 2.0 - peak / frequency * np.cos(frequency * onset) * dt
    slid += peak / frequency**2 * (np.sin(frequency * stop) - np.sin(frequency * onset))
    assert motion.position[k, 0] == pytest.approx(slid, abs=1e-8)


@pytest.mark.parametrize("angle", [0.1, -0.2])
def test_rocking_without_slip_is_that_of_the_planar_block(angle):
    """Time to the landing and speed at it, of the compiled model whose corners never slip."""
    run = simulate_planar(BLOCK, tilt=-angle, history=True)  # there positive over the right edge
    motion = block_motion(BLOCK, standing(BLOCK, angle)[0], STILL, 2.0, friction=inf)
    assert motion.ending == "impact"
    assert motion.time[-1] == pytest.approx(run.events[0]["t"], abs=1e-7)
    rough = block_motion(BLOCK, standing(BLOCK, angle)[0], STILL, 2.0, friction=3.0)
    assert rough.time[-1] == pytest.approx(motion.time[-1], abs=1e-10)


def test_free_flight_ends_where_a_corner_lands():
    start, velocity = np.array([0.0, 2.0, 0.1]), np.array([1.0, 1.0, 0.5])
    motion = block_motion(BLOCK, start, velocity, 2.0, friction=0.4)
    t = motion.time[-1]
    assert motion.phases == [(0.0, Phase((), 0))]
    assert motion.ending == "impact"
    expected = start + velocity * t - [0.0, 0.5 * GRAVITY * t * t, 0.0]
    assert motion.position[-1] == pytest.approx(expected, abs=1e-10)
    assert standing(BLOCK, expected[2])[0][1] == pytest.approx(expected[1], abs=1e-9)


@settings(max_examples=12, deadline=None)
@given(st.floats(-0.9, 0.9), st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.floats(0.1, 0.8))
def test_friction_takes_the_energy_that_is_lost(angle, rate, slip, friction):
    """Slip, stick and flight up to the next impact: the change of energy is the work of friction."""
    assume(abs(angle) > 0.02)
    position = standing(BLOCK, angle)[0]
    velocity = turning(BLOCK, angle, rate, slip)
    assume(len(block_forces(BLOCK, position, velocity, friction=friction)) == 1)
    motion = block_motion(BLOCK, position, velocity, 0.3, friction=friction, max_step=2e-3)
    assume(motion.ending in ("impact", "duration"))
    levels = energy(BLOCK, motion.position, motion.velocity)
    # nothing but friction changes the horizontal momentum; of its power the trapezoidal rule
    turn = motion.position[:, 2]
    edge = np.where(turn > 0.0, -BLOCK.left, BLOCK.right)
    slips = motion.velocity[:, 0]
    slips = slips - (np.sin(turn) * edge - np.cos(turn) * BLOCK.com_height) * motion.velocity[:, 2]
    push = BLOCK.mass * np.diff(motion.velocity[:, 0])
    work = np.sum(push * 0.5 * (slips[1:] + slips[:-1]))
    scale = BLOCK.mass * GRAVITY * 0.8
    assert levels[-1] - levels[0] == pytest.approx(work, abs=1e-5 * scale)
    assert np.all(np.diff(levels) <= 1e-9 * scale)


def test_painleves_paradox_ends_the_motion():
    position, _ = standing(BLOCK, 0.05)
    away = turning(BLOCK, 0.05, 0.0, -1.0)
    motion = block_motion(BLOCK, position, away, 1.0, friction=4.0)
    assert motion.ending == "no forces"
    assert len(motion.time) == 1
    lifting = turning(BLOCK, 0.05, 5.0, -1.0)
    assert block_motion(BLOCK, position, lifting, 1.0, friction=4.0).ending == "several forces"


def test_ground_that_falls_away_leaves_a_block_in_flight():
    (forces,) = block_forces(BLOCK, UPRIGHT, STILL, friction=0.5, ground=(1.0, -12.0))
    assert forces.phase == Phase((), 0)
    assert forces.acceleration == pytest.approx([-1.0, 12.0 - GRAVITY, 0.0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"position": (0.0, 0.7, 0.0)}, "a corner is below the ground"),
        ({"velocity": (0.0, -1.0, 0.0)}, "a corner meets the ground at 1 m/s: an impact comes first"),
        ({"position": (0.0, 3.0, 2.0)}, r"rotation must be within \+-pi/2"),
        ({"velocity": (1.0, 0.0, 0.0), "friction": inf}, "slips though friction is infinite"),
        ({"friction": -0.1}, "friction must be a number from 0 to infinity"),
        ({"ground": (0.0,)}, "ground must have the shape"),
    ],
)
def test_wrong_states_are_refused(change, message):
    given = {"position": UPRIGHT, "velocity": STILL, "friction": 0.3} | change
    with pytest.raises(ValueError, match=message):
        block_forces(BLOCK, given.pop("position"), given.pop("velocity"), **given)


@pytest.mark.parametrize("change", [{"duration": 0.0}, {"max_step": inf}])
def test_wrong_times_are_refused(change):
    given = {"duration": 1.0} | change
    with pytest.raises(ValueError, match="must be positive and finite"):
        block_motion(BLOCK, UPRIGHT, STILL, given.pop("duration"), friction=0.3, **given)
