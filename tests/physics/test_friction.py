"""Bodies that slip, rebound and fly: closed forms, the certificate of contacts that stick, and the energy."""

from math import sqrt

import numpy as np
import pytest

from mcrock import simulate
from mcrock.body import cuboid
from mcrock.excitation import Pulse
from mcrock.impact.conditions import Contact, Controls, Start

TIGHT = Controls(step=0.004, max_step=1e-3, edge_zeno_time=1e-6, rest_time=1e-5)
SQUAT, BLOCK = cuboid(1.0, 1.0, 0.5, 2000.0), cuboid(0.4, 0.5, 1.6, 2600.0)


@pytest.mark.parametrize("speed", [0.1, 1.0, 3.0])
def test_a_body_pushed_along_the_ground_stops_after_v2_over_2_mu_g(speed):
    start = Start(velocity=(0.6 * speed, -0.8 * speed, 0.0))
    run = simulate(SQUAT, contact=Contact(friction=0.3), start=start, controls=TIGHT, t_end=3.0)
    path = speed**2 / (2.0 * 0.3 * SQUAT.gravity)
    moved = run.results["final_displacement_x"], run.results["final_displacement_y"]
    np.testing.assert_allclose(moved, (0.6 * path, -0.8 * path), rtol=1e-9)
    assert run.results["slip_path"] == pytest.approx(path, rel=1e-9)
    loss = run.results["friction_energy_loss"]
    assert loss == pytest.approx(0.5 * SQUAT.mass * speed**2, rel=1e-9)
    assert run.events[-1]["kind"] == "stick"
    assert run.events[-1]["t"] == pytest.approx(speed / (0.3 * SQUAT.gravity), rel=1e-8)


def test_a_flat_drop_bounces_as_its_restitution_says():
    e, height = 0.4, 0.3
    start = Start(position=(0.0, 0.0, height + 0.25))
    run = simulate(
        SQUAT, contact=Contact(friction=0.5, restitution=e), start=start, controls=TIGHT, t_end=2.0
    )
    fall = sqrt(2.0 * height / SQUAT.gravity)
    landings = [event["t"] for event in run.events if event["kind"] == "landing"][:6]
    expected = [fall * (1.0 + 2.0 * sum(e**k for k in range(1, n + 1))) for n in range(6)]
    np.testing.assert_allclose(landings, expected, rtol=1e-9)


@pytest.mark.parametrize("tilt", [0.05, 0.1, 0.2])
def test_planar_rocking_with_more_friction_than_it_asks_for_has_the_bits_of_contacts_that_stick(tilt):
    start = Start(edge=0, tilt=tilt)
    sticks = simulate(BLOCK, start=start)
    need = sticks.results["certified_friction"]
    assert 0.0 < need < 2.0
    slips = simulate(BLOCK, contact=Contact(friction=1.001 * need), start=start)
    for name, value in sticks.results.items():
        assert slips.results[name] == pytest.approx(value, rel=0, abs=0, nan_ok=True), name
    assert slips.results["certified_until"] == np.inf
    less = simulate(BLOCK, contact=Contact(friction=0.999 * need), start=start)
    assert less.results["certified_until"] < sticks.results["end_time"]


@pytest.mark.parametrize("friction", [0.3, 0.5, 0.8])
def test_work_of_the_ground_is_energy_slip_and_impacts(friction):
    pulse = Pulse((5.0, 3.0, 0.0), 8.0)
    run = simulate(
        BLOCK,
        pulse,
        contact=Contact(friction=friction),
        controls=Controls(step=0.002, max_step=5e-4),
        t_end=1.5,
    )
    t, v = run.history["time"].values, run.history["velocity"].values
    span = np.pi / 4.0
    a = np.where((t >= 0) & (t < span), np.sin(8.0 * t), 0.0)[:, None] * np.array([5.0, 3.0, 0.0])
    power = -BLOCK.mass * (a * v).sum(1)
    work = (0.5 * np.diff(t) * (power[1:] + power[:-1])).sum()
    energy = run.history["energy"].values
    lost = run.results["friction_energy_loss"] + run.results["impact_energy_loss"]
    assert abs(energy[-1] - energy[0] + lost - work) < 1e-4 * np.abs(energy - energy[0]).max() + 1e-3 * abs(
        work
    )
