"""Ground that is not level: as if it moved with a constant acceleration, under less gravity."""

from math import atan, cos, radians, sin, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcrock import simulate
from mcrock.body import Body, cuboid
from mcrock.excitation import Motion, Pulse
from mcrock.impact.conditions import Contact, Controls, Impact, Start
from tests.physics.test_sliding_block import component

BLOCK = cuboid(0.3, 0.2, 0.9, mass=100.0)
LONG = 20.0  # that the twin is shaken [s]


def under(body: Body, slope: tuple[float, float]) -> tuple[Body, np.ndarray]:
    """The body under the gravity across the ground, and the acceleration in the place of the rest."""
    sines = np.sin(slope)
    upright = sqrt(1.0 - sines @ sines)
    twin = Body(body.mass, body.inertia, body.vertices, upright * body.gravity, body.faces)
    return twin, body.gravity * np.append(sines, 0.0)


def moved(motion: Motion, pull: np.ndarray) -> Motion:
    """A motion with a constant acceleration added, for as long as a run may last."""
    rest = np.zeros((3, int(LONG / motion.dt)))
    return Motion(np.concatenate([motion.acceleration, rest], axis=1) + pull[:, None], motion.dt, "twin")


@pytest.mark.parametrize("contact", [None, Contact(friction=0.35)])
@pytest.mark.parametrize("slope", [(0.02, 0.0), (-0.05, 0.03)])
def test_a_slope_is_a_constant_acceleration_under_less_gravity(slope, contact):
    a = component(3, duration=4.0, largest=6.0)
    motion = Motion(np.stack([a, 0.4 * a[::-1], 0.1 * a]), dt=0.01, name="shaken")
    impact = Impact(lambda_=0.8, lambda_lon=0.8)
    twin, pull = under(BLOCK, slope)
    run = simulate(BLOCK, motion, impact, contact=contact, slope=slope, t_end=6.0)
    other = simulate(twin, moved(motion, pull), impact, contact=contact, t_end=6.0)
    events = min(len(run.events), len(other.events), 8)
    assert events > 2
    for mine, theirs in zip(run.events[:events], other.events[:events], strict=True):
        assert mine["kind"] == theirs["kind"]
        assert mine["t"] == pytest.approx(theirs["t"], abs=1e-6)


@given(along=st.floats(0.0, 0.5), turn=st.floats(-3.0, 3.0))
def test_a_block_falls_by_itself_where_its_centre_is_past_an_edge(along, turn):
    """The vertical through the centre of mass leaves the base where the slope exceeds the slenderness."""
    lean = along * np.array([cos(turn), sin(turn)])
    inside = np.abs(lean) * 0.45 - sqrt(1.0 - lean @ lean) * np.array([0.15, 0.1])
    if np.abs(inside).min() < 1e-6:
        return
    run = simulate(BLOCK, slope=tuple(np.arcsin(lean)), history=False)
    assert run.outcome.name == ("OVERTURNED" if inside.max() > 0.0 else "AT_REST")


def test_uplift_under_a_pulse_is_west_s_less_the_slope():
    """g sin(slope) + a = g cos(slope) tan(alpha), a along the ground (equal moments)."""
    slope, alpha = radians(3.0), atan(0.15 / 0.45)
    least = 9.81 * (cos(slope) * 0.15 / 0.45 - sin(slope))
    assert BLOCK.slenderness <= alpha
    for factor, events in ((0.999, 0), (1.001, 1)):
        pulse = Pulse((factor * least, 0.0, 0.0), angular_frequency=3.0)
        run = simulate(BLOCK, pulse, slope=(slope, 0.0))
        assert bool(run.events) == bool(events)


@pytest.mark.parametrize("slope", [0.0, 0.15, 0.35])
def test_on_any_slope_a_body_rocks_from_rest_if_its_friction_exceeds_tan_alpha(slope):
    """The slope is in both forces whose ratio makes it slip or lifts it."""
    for share, rocks in ((0.97, False), (1.03, True)):
        on = {"contact": Contact(friction=share * 0.1 / 0.45), "slope": (0.0, slope), "history": False}
        pulses = [Pulse((0.0, a, 0.0), angular_frequency=3.0) for a in (-30.0, -3.0, 3.0, 30.0)]
        assert any(simulate(BLOCK, pulse, **on).peak_tilt > 0.0 for pulse in pulses) == rocks


@pytest.mark.parametrize("slope", [0.15, 0.3])
def test_a_squat_block_slides_down_as_galileo_says(slope):
    """Pushed at v it stops after v^2 / (2 g (mu cos - sin)), or goes on with g (sin - mu cos)."""
    block, mu, v = cuboid(1.0, 0.8, 0.3, mass=100.0), 0.2, 0.5
    start = Start(velocity=(-v, 0.0, 0.0))  # downhill: the ground rises along x
    run = simulate(block, start=start, contact=Contact(friction=mu), slope=(slope, 0.0), t_end=1.5)
    gain = 9.81 * (sin(slope) - mu * cos(slope))
    stops = v / -gain if gain < 0.0 else 1.5
    time = min(1.5, stops)
    assert run.slip_path == pytest.approx(v * time + 0.5 * gain * time**2, rel=1e-9)


def test_free_rocking_on_a_slope_keeps_its_outcome_open_where_it_may_still_fall():
    """At the end of its time a body that moves counts as standing only if nothing can overturn it."""
    controls = Controls(tail=0.3, rest_time=1e-3)
    start = Start(edge=0, tilt=0.05)
    assert simulate(BLOCK, start=start, controls=controls, history=False).outcome.name == "SETTLING"
    steep = simulate(BLOCK, start=start, controls=controls, slope=(0.15, 0.1), history=False)
    assert steep.outcome.name in ("ROCKING", "OVERTURNED")


@pytest.mark.parametrize("slope", [(0.8, 0.0), (0.1,), "steep"])
def test_slopes_that_are_none_are_refused(slope):
    with pytest.raises(ValueError, match=r"simulate.slope|could not convert"):
        simulate(BLOCK, slope=slope)
