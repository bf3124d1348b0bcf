"""Order of convergence in every mode with slip and in flight."""

from dataclasses import dataclass
from itertools import pairwise
from math import log2

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from mcrock import simulate
from mcrock.base.params import Mode
from mcrock.body import Body, cuboid
from mcrock.excitation import Motion
from mcrock.impact.conditions import Contact, Start
from tests.physics.friction import scenario, steps_of

BLOCK, SQUAT = cuboid(0.4, 0.5, 1.6, 2600.0), cuboid(0.6, 0.6, 0.3, 1000.0)
SHAKE = Motion([[1.0, 5.0, -2.0], [2.0, -3.0, 1.0], [0.5, 0.2, -0.3]], dt=0.2, name="shake")
TILTED = Rotation.from_rotvec([0.1, 0.15, 0.3])
ORDER_ATOL = 0.3  # of the observed order: terms of the next order at these steps
STEPS = (4e-3, 2e-3, 1e-3, 5e-4)
REFERENCE = 5e-5  # [s]


@dataclass(frozen=True)
class Case:
    body: Body
    friction: float
    start: Start
    t_end: float
    modes: set[Mode]
    motion: Motion | None = SHAKE


def on_vertex(body, velocity):
    lowest = int(TILTED.apply(np.array(body.vertices))[:, 2].argmin())
    pose = TILTED.as_quat(scalar_first=True)
    return Start(vertex=lowest, orientation=pose, angular_velocity=(0.1, 0.2, -0.3), velocity=velocity)


CASES = {
    "flight": Case(
        BLOCK, 0.3, Start(position=(0, 0, 3.0), angular_velocity=(1.0, 2.0, 3.0)), 0.3, {Mode.FLIGHT}
    ),
    "slide": Case(SQUAT, 0.3, Start(velocity=(2.0, 1.0, 0.0)), 0.3, {Mode.SLIDE}),
    "spin": Case(SQUAT, 0.3, Start(velocity=(2.0, 1.0, 0.0), yaw_rate=3.0), 0.3, {Mode.SPIN}),
    "edge": Case(
        BLOCK, 0.3, Start(edge=0, tilt=0.1, rate=-0.1, velocity=(1.0, 0.7, 0.0)), 0.15, {Mode.EDGE_SLIP}
    ),
    "vertex": Case(BLOCK, 0.1, on_vertex(BLOCK, (3.0, 1.0, 0.0)), 0.1, {Mode.VERTEX_SLIP}),
}


def end(case: Case, step: float) -> tuple[np.ndarray, set[Mode]]:
    """State at the end, and the modes on the way."""
    run = simulate(
        case.body,
        case.motion,
        contact=Contact(friction=case.friction),
        start=case.start,
        controls=steps_of(step),
        t_end=case.t_end,
    )
    last = run.history.isel(time=-1)
    state = [last[name].values for name in ("com", "velocity", "orientation", "angular_velocity")]
    return np.concatenate([*state, [run.friction_energy_loss / case.body.mass]]), set(
        map(Mode, run.history["mode"].values)
    )


def orders(errors):
    return [log2(coarse / fine) for coarse, fine in pairwise(errors)]


@pytest.mark.parametrize("name", CASES)
def test_smooth_motion_is_of_fourth_order(name):
    case = CASES[name]
    exact, modes = end(case, REFERENCE)
    assert modes == case.modes
    errors = [np.abs(end(case, step)[0] - exact).max() for step in STEPS]
    assert errors[-1] < 1e-8
    assert orders(errors) == pytest.approx([4.0] * 3, abs=ORDER_ATOL)


@pytest.mark.filterwarnings("ignore:hull. faces:UserWarning")
def test_a_pivot_and_the_onset_before_it_are_of_fourth_order():
    """One end of an edge slips after an uplift at the start and an onset that is located."""
    given = scenario(2, shaken=True)

    def state(step):
        run = given.run(controls=steps_of(step), t_end=0.105)
        assert [event["to"][0] for event in run.events] == ["EDGE", "EDGE_SLIP_FIRST"]
        last = run.history.isel(time=-1)
        return np.concatenate([last[name].values for name in ("com", "velocity", "angular_velocity")])

    exact = state(REFERENCE)
    errors = [np.abs(state(step) - exact).max() for step in STEPS]
    assert errors[-1] < 1e-11
    assert np.mean(orders(errors)) == pytest.approx(4.0, abs=0.5)  # the last step before the onset is cut
