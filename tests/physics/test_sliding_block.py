"""A body that slides flat on a record is Newmark's block, integrated here another way."""

from math import cos, hypot, sin

import numpy as np
import pytest

from mcrock import simulate
from mcrock.excitation import Motion
from mcrock.impact.conditions import Contact, Controls
from tests.benchmarks.newmark import FLAT as BODY
from tests.benchmarks.newmark import slip, straight_errors, straight_slip


def component(seed, dt=0.01, duration=6.0, largest=16.0):
    """Sines of random phase under an envelope, linear between samples [m/s2]."""
    time = np.arange(0.0, duration, dt)
    waves = [
        np.sin(2.0 * np.pi * (f * time + p)) / f
        for f, p in zip(np.arange(0.5, 6.0, 0.3), np.random.default_rng(seed).random(19), strict=True)
    ]
    a = np.sum(waves, axis=0) * np.sin(np.pi * time / duration) ** 2
    return largest * a / np.abs(a).max()


@pytest.mark.parametrize("direction", [0.0, 0.4, 2.5])
@pytest.mark.parametrize("friction", [0.1, 0.3, 0.6])
def test_one_component_slides_as_newmarks_block(friction, direction):
    a = component(7)
    motion = Motion(np.stack([cos(direction) * a, sin(direction) * a, 0.0 * a]), dt=0.01, name="line")
    run = simulate(BODY, motion, contact=Contact(friction=friction), history=False)
    path, moved = straight_slip(a, 0.01, friction * BODY.gravity)
    assert path > 1.0
    assert run.slip_path == pytest.approx(path, rel=1e-6)
    there = cos(direction) * run.final_displacement_x + sin(direction) * run.final_displacement_y
    across = cos(direction) * run.final_displacement_y - sin(direction) * run.final_displacement_x
    assert there == pytest.approx(moved, rel=1e-6)
    assert abs(across) < 1e-9
    assert run.peak_tilt == 0.0


@pytest.mark.parametrize("friction", [0.2, 0.5])
def test_two_components_slide_as_newmarks_block(friction):
    x, y = component(1), component(2)
    motion = Motion(np.stack([x, y, 0.0 * x]), dt=0.01, name="pair")
    fine = Controls(step=5e-4, max_step=1e-4)
    run = simulate(BODY, motion, contact=Contact(friction=friction), history=False, controls=fine)
    coarse, finer = (np.array(slip(motion, friction, BODY.gravity, step)) for step in (1e-4, 5e-5))
    path, moved = 2.0 * finer - coarse  # of first order in the step
    assert run.slip_path == pytest.approx(path, rel=1e-6)
    assert hypot(run.final_displacement_x, run.final_displacement_y) == pytest.approx(moved, abs=1e-5)
    assert run.peak_tilt == 0.0


@pytest.mark.parametrize("friction", [0.05, 0.5])
def test_a_vertical_component_changes_the_friction_as_in_newmarks_block(friction):
    x, z = component(3), component(4, largest=8.0)
    level, vertical = (straight_slip(x, 0.01, friction * (BODY.gravity + k * z))[0] for k in (0.0, 1.0))
    assert abs(vertical / level - 1.0) > 1e-3
    assert max(straight_errors(x, z, 0.01, friction)) < 1e-6
