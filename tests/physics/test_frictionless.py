"""Ground that only pushes up: it moves no centre of mass sideways."""

from math import atan2, cos, hypot, sin, sqrt

import numpy as np
import pytest
from scipy.integrate import quad

from mcrock.base.params import GRAVITY
from mcrock.body import cuboid, cylinder
from mcrock.excitation import Motion
from mcrock.impact.conditions import Contact, Controls, Impact, Start
from mcrock.simulation.runs import simulate

SMOOTH = Contact(friction=0.0)
BLOCK = cuboid(0.4, 0.4, 1.6, 2600.0)
BEGINS = 1e-7  # speed that gives a slip its first direction; each adds as much to the velocity [m/s]


def shaking(seed):
    samples = np.random.default_rng(seed).normal(size=(3, 200)) * [[4.0], [4.0], [2.0]]
    samples[:, 0] = 0.0
    return Motion(samples, dt=0.01, name="noise")


def displacement(motion):
    """Of the ground at the last sample: its acceleration is linear between samples."""
    place, velocity, dt = np.zeros(3), np.zeros(3), motion.dt
    for a, b in zip(motion.acceleration.T, motion.acceleration.T[1:], strict=False):
        place = place + velocity * dt + (2.0 * a + b) * dt**2 / 6.0
        velocity = velocity + 0.5 * (a + b) * dt
    return place


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("body", [BLOCK, cylinder(0.2, 3.0, 48, density=2000.0)], ids=["block", "column"])
def test_a_flat_body_stays_where_it_is_while_the_ground_moves(body, seed):
    motion = shaking(seed)
    run = simulate(body, motion, contact=SMOOTH, t_end=1.99)
    assert run.peak_tilt == 0.0
    ground = displacement(motion)
    moved = run.final_displacement_x + ground[0], run.final_displacement_y + ground[1]
    slips = 1 + len(run.events)
    assert moved == pytest.approx((0.0, 0.0), abs=slips * BEGINS * run.end_time + 1e-9)


@pytest.mark.parametrize("edge", range(4))
@pytest.mark.parametrize("tilt", [0.05, 0.1, 0.2])
def test_a_block_released_on_smooth_ground_falls_straight_down(edge, tilt):
    """It slips about the edge it leans on, so that its centre of mass sinks along a vertical line; until the
    base lands the time is a quadrature of the energy integral."""
    run = simulate(BLOCK, None, Impact(), contact=SMOOTH, start=Start(edge=edge, tilt=tilt), t_end=1.0)
    com = np.asarray(run.history["com"])
    slips = 1 + len(run.events)
    assert com[:, :2] - com[0, :2] == pytest.approx(0.0, abs=slips * BEGINS * run.end_time)
    lands = next(event["t"] for event in run.events if event["kind"] == "facet_impact")
    b, h = 0.2, 0.8
    radius, lean, square = hypot(b, h), atan2(b, h), (b * b + h * h) / 3.0

    def per_root(u):  # the angle is tilt (1 - u^2): no singularity at the release
        sink = radius * (cos(lean - tilt) - cos(lean - tilt * (1.0 - u * u)))
        inertia = square + (radius * sin(lean - tilt * (1.0 - u * u))) ** 2
        return 2.0 * tilt * u * sqrt(inertia / (2.0 * GRAVITY * sink))

    assert lands == pytest.approx(quad(per_root, 0.0, 1.0, epsabs=0.0, epsrel=1e-12)[0], rel=1e-6)


def test_nothing_sticks_and_no_energy_goes_into_slip():
    run = simulate(BLOCK, shaking(7), contact=SMOOTH, start=Start(edge=1, tilt=0.1), t_end=1.99)
    assert run.friction_energy_loss == 0.0
    assert run.rocking_share == 0.0


def test_the_time_to_the_first_impact_converges():
    """A smaller step changes it by less than 1e-8 s."""
    fine = Controls(step=0.005, max_step=0.002)
    times = [
        next(
            event["t"]
            for event in simulate(
                BLOCK, None, contact=SMOOTH, start=Start(edge=0, tilt=0.1), t_end=0.5, controls=controls
            ).events
            if event["kind"] == "facet_impact"
        )
        for controls in (Controls(), fine)
    ]
    assert times[0] == pytest.approx(times[1], abs=1e-7)
