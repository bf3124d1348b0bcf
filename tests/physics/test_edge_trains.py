"""Short flights between the ends of an edge are taken a step at a time: against the same motion flight by
flight, which a step so fine that no flight is short against it gives."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from mcrock.body import cuboid
from mcrock.impact.conditions import Controls, Impact, Start
from mcrock.simulation.runs import simulate

BLOCK = cuboid(0.4, 0.5, 1.6, density=2000.0)
END = 0.03  # [s]
STEPS = 0.01, 0.005, 0.0004  # [s]; the finest has no short flight
FIRST, EVENT = 20, 3e-5  # impacts whose times are compared, and to what [s]
POSE = 5e-7, 2e-7  # of the two coarser steps: orientation [1] and position [m]


def motion(step, lambda_, **impact):
    """A block that rolls about an edge and rocks sideways on it, with a little spin."""
    turn = Rotation.from_rotvec([0.08, 0.0, 0.0])
    vertex = int(np.argmin(turn.apply(BLOCK.vertices.copy())[:, 2]))
    return simulate(
        BLOCK,
        impact=Impact(lambda_=lambda_, lambda_lon=0.8, **impact),
        start=Start(
            vertex=vertex, orientation=turn.as_quat(scalar_first=True), angular_velocity=(0.5, 5e-4, 0.05)
        ),
        controls=Controls(step=3.0 * step, max_step=step, edge_zeno_time=1e-7),
        t_end=END,
    )


def pose(run):
    last = run.history.isel(time=-1)
    return np.concatenate([last.orientation, last.com])


@pytest.mark.parametrize("lambda_", [0.2, 0.5])
def test_a_step_of_flights_ends_where_the_flights_do(lambda_):
    coarse, middle, fine = (motion(step, lambda_) for step in STEPS)
    assert coarse.steps < middle.steps < 0.3 * fine.edge_impacts < fine.steps
    for run in (coarse, middle, fine):
        assert len(run.events) == run.edge_impacts
        assert abs(run.edge_impacts - fine.edge_impacts) <= 1.0
        times = [[event["t"] for event in item.events[:FIRST]] for item in (run, fine)]
        np.testing.assert_allclose(*times, rtol=0.0, atol=EVENT)
    for run, tolerance in zip((coarse, middle), POSE, strict=True):
        np.testing.assert_allclose(pose(run), pose(fine), rtol=0.0, atol=tolerance)
    losses = [run.impact_energy_loss for run in (coarse, middle, fine)]
    np.testing.assert_allclose(losses, losses[-1], rtol=1e-3)


def test_energy_is_lost_in_the_impacts_alone():
    for step, tolerance in zip(STEPS, (5e-3, 2e-3, 1e-9), strict=True):
        run = motion(step, 0.5)
        energy = run.history.energy.values
        assert energy[0] - energy[-1] == pytest.approx(run.impact_energy_loss, rel=tolerance)
        assert sum(event["energy_change"] for event in run.events) == pytest.approx(-run.impact_energy_loss)
