"""The history of a run: rotations about the base axes for every tilt, also upside down."""

from math import cos, pi, sin

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from mcrock.base.params import HistoryColumn, Mode
from mcrock.body import cuboid
from mcrock.dataset import build_history
from mcrock.impact.conditions import Controls, Impact, Start
from mcrock.simulation.runs import simulate

QUATERNION = slice(HistoryColumn.Q0, HistoryColumn.Q3 + 1)
ROUNDING = 1e-14


def history_of(quaternion, tilt):
    """History of one moment with a pose of that tilt [rad]."""
    row = np.zeros((1, len(HistoryColumn)))
    row[0, QUATERNION], row[0, HistoryColumn.TILT] = quaternion, tilt
    return build_history(row, np.zeros(3), np.zeros(3)).isel(time=0)


def test_run_that_ends_in_an_undecided_contact_keeps_the_mode_before():
    rows = np.zeros((3, len(HistoryColumn)))
    rows[:, HistoryColumn.Q0] = 1.0
    rows[:, HistoryColumn.MODE], rows[:, HistoryColumn.INDEX] = [Mode.EDGE, Mode.EDGE_SLIP, -2], [1, 2, -1]
    history = build_history(rows, np.zeros(3), np.zeros(3))
    assert history["mode"].values.tolist() == [Mode.EDGE, Mode.EDGE_SLIP, Mode.EDGE_SLIP]
    assert history["index"].values.tolist() == [1, 2, 2]


@given(
    st.one_of(st.floats(0.0, pi - 1e-6), st.sampled_from([0.0, 1e-9, pi / 2, pi - 1e-6])),
    st.floats(-pi, pi),
    st.floats(-pi, pi),
)
def test_rotations_are_the_rotation_vector_without_its_yaw(tilt, direction, yaw):
    """A turn about a horizontal axis, then a yaw: the first alone is left."""
    vector = tilt * np.array([cos(direction), sin(direction), 0.0])
    pose = Rotation.from_euler("z", yaw) * Rotation.from_rotvec(vector)
    found = history_of(pose.as_quat(scalar_first=True), tilt)
    # the direction of the vector is known to rounding over the sine of the tilt
    error = ROUNDING * (1.0 + tilt / max(sin(tilt), 1e-300)) if tilt > 0.0 else 0.0
    assert float(found["rotation_x"]) == pytest.approx(vector[0], abs=error)
    assert float(found["rotation_y"]) == pytest.approx(vector[1], abs=error)
    assert np.hypot(found["rotation_x"], found["rotation_y"]) == pytest.approx(tilt, abs=ROUNDING)


@pytest.mark.parametrize(
    "quaternion",
    [
        (0.0, 1.0, 0.0, 0.0),  # exactly upside down: the direction is open
        (0.0, 0.6, 0.8, 0.0),
        (cos(pi / 2), 0.0, sin(pi / 2), 0.0),  # up to rounding
        (1e-160, 1.0, 0.0, 1e-170),
    ],
)
def test_upside_down_the_rotation_is_half_a_turn(quaternion):
    found = history_of(quaternion, pi)
    assert np.hypot(found["rotation_x"], found["rotation_y"]) == pytest.approx(pi, rel=ROUNDING)


def test_rotations_of_a_fall_that_ends_on_the_top():
    """A low block thrown over two edges: rotations as long as the tilt, and steady below 180 degrees."""
    body = cuboid(0.5, 0.9, 0.4, mass=100.0)
    start = Start(edge=0, tilt=0.5, rate=9.0)
    controls = Controls(follow_fall=True)
    run = simulate(body, None, Impact(facet_fallback="plastic"), start=start, controls=controls)
    tilt = run.history["tilt"].values
    rotation = np.stack([run.history["rotation_x"].values, run.history["rotation_y"].values])
    assert run.final_face == 5
    assert tilt[-1] == pytest.approx(pi, abs=ROUNDING)
    assert np.hypot(*rotation) == pytest.approx(tilt, abs=ROUNDING)
    steps = np.abs(np.diff(rotation)).max(0)
    assert steps[np.sin(tilt[1:]) > 0.2].max() < 0.15


def test_a_run_is_printed_in_a_line():
    run = simulate(
        cuboid(0.1, 0.1, 0.4, 2600.0),
        None,
        Impact(lambda_=1.0, lambda_lon=0.9),
        start=Start(edge=0, tilt=0.1),
    )
    assert repr(run) == (
        f"Run(AT_REST at {run.end_time:.4g} s, peak tilt {run.peak_tilt_ratio:.4g} of the slenderness, "
        f"{len(run.events)} events; .results, .events, .history)"
    )
