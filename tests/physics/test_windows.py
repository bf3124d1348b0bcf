"""Several samples of a recorded motion in one step: against one at a time, as small steps give."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from mcrock.body import cuboid
from mcrock.excitation import Motion
from mcrock.impact.conditions import Controls, Impact, Start
from mcrock.simulation.runs import simulate

BODY = cuboid(0.4, 0.5, 1.6, density=2000.0)
TURN = Rotation.from_rotvec([0.07, -0.09, 0.02])
START = Start(
    vertex=int(np.argmin(TURN.apply(BODY.vertices.copy())[:, 2])),
    orientation=TURN.as_quat(scalar_first=True),
    angular_velocity=(-0.15, 0.2, 0.05),
)
FLIGHT = 0.24  # time in which no vertex lands [s]
DT = 0.005  # of the motions [s]
FINE = 1e-4  # largest step of the reference [s]


def rough(seed):
    """Three components of white noise below 20 Hz and a strong swing of 2 Hz."""
    t = np.arange(401) * DT
    rng = np.random.default_rng(seed)
    wave = np.sin(2.0 * np.pi * np.outer(rng.uniform(1.0, 20.0, 30), t) + rng.uniform(0.0, 6.3, (30, 1)))
    noise = 0.25 * rng.standard_normal((3, 30)) @ wave
    noise[:2] += 3.0 * np.sin(4.0 * np.pi * t + rng.uniform(0.0, 6.3, (2, 1)))
    return Motion(noise, DT, f"rough {seed}")


def run(motion, max_step, t_end=FLIGHT, start=START):
    controls = Controls(step=1.0, max_step=max_step)
    return simulate(BODY, motion, Impact(lambda_=0.8), start=start, controls=controls, t_end=t_end)


def pose(found):
    last = found.history.isel(time=-1)
    return np.concatenate([last.orientation, last.angular_velocity])


@pytest.mark.parametrize("seed", range(4))
def test_rough_motion_in_steps_over_several_samples(seed):
    motion = rough(seed)
    found, exact = run(motion, 6e-3), run(motion, FINE)
    assert found.steps < 0.8 * FLIGHT / DT  # samples
    assert np.abs(pose(found) - pose(exact)).max() < 2e-6


@pytest.mark.parametrize("seed", range(12))
def test_no_extreme_is_lost_between_samples(seed):
    """Until the first landing, after which motions part: forces are looked at where steps begin."""
    motion = rough(seed)
    events = run(motion, FINE, t_end=1.5).events
    t_end = events[0]["t"] - 1e-3 if events else 1.5
    found, fine, less = run(motion, 6e-3, t_end), run(motion, 1.6e-3, t_end), run(motion, 1.6e-3, t_end - DT)
    assert found.steps < 0.9 * t_end / DT < fine.steps / 2
    assert found.peak_tilt == pytest.approx(fine.peak_tilt, rel=1e-5)
    for name in ("peak_friction_demand", "certified_friction"):
        assert less.results[name] * (1.0 - 1e-5) <= found.results[name] <= fine.results[name] * (1.0 + 1e-5)
    lowest = [item.results["lowest_normal_force"] for item in (less, found, fine)]
    assert lowest[0] + 1e-5 >= lowest[1] >= lowest[2] - 1e-5
    for name in ("peak_rotation_x", "peak_rotation_y"):  # looked at at the ends of steps
        assert found.results[name] == pytest.approx(fine.results[name], rel=1e-3), name
