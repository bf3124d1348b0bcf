"""Landings, phases, trimming and alignment, from simulated sensors whose truth is known."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import mcrock as mr
from mcrock.measurement import alignment, contact_phases, landings, phases_of, rates_in_body, sensed
from mcrock.measurement.recording import NOISE_DENSITY, RATE, means

LATE = 1.5 / RATE  # the last reading that is all before an impact may be so long before it [s]
BLOCK = mr.cuboid(0.1, 0.16, 0.4, density=2700)
EDGE = np.array([0.0, 1.0, 0.0])  # of edge 0
FINE = mr.Controls(step=0.005, edge_zeno_time=1e-6)


@pytest.fixture(scope="module")
def run():
    impact = mr.Impact(lambda_=0.7, lambda_lon=0.8, lambda_lat=-0.9)
    return mr.simulate(BLOCK, None, impact, start=mr.Start(edge=0, tilt=0.19), controls=FINE)


def test_rates_jump_by_what_the_impact_map_says(run):
    """The state before the facet impact turns about the old edge alone, with the speed that energy gives."""
    rates = rates_in_body(run)
    first = int(np.flatnonzero(rates.time == run.events[0]["t"])[0])
    before, after = rates.angular_velocity[first], rates.angular_velocity[first + 1]
    turn = run.history["orientation"].sel(time=run.events[0]["t"]).values[-1]
    assert Rotation.from_quat(turn, scalar_first=True).apply(after) == pytest.approx(run.events[0]["omega"])
    rise = 0.05 * np.sin(0.19) - 0.2 * (1.0 - np.cos(0.19))
    inertia = BLOCK.inertia[1, 1] + BLOCK.mass * (0.05**2 + 0.2**2)
    fall = np.sqrt(2.0 * BLOCK.mass * BLOCK.gravity * rise / inertia)
    assert before == pytest.approx([0.0, -fall, 0.0], abs=1e-9)


def test_rates_between_impacts_are_those_of_finer_steps(run):
    """The state before an edge impact is as in a run with a third of the step."""
    impact = mr.Impact(lambda_=0.7, lambda_lon=0.8, lambda_lat=-0.9)
    finer = mr.Controls(step=0.005 / 3.0, edge_zeno_time=1e-6)
    other = mr.simulate(BLOCK, None, impact, start=mr.Start(edge=0, tilt=0.19), controls=finer)
    for event in run.events[1:6]:
        before = []
        for one in (run, other):
            rates = rates_in_body(one)
            before.append(rates.angular_velocity[int(np.searchsorted(rates.time, event["t"] - 1e-7))])
        assert before[0] == pytest.approx(before[1], abs=2e-5)
        assert np.abs(before[0] - event["omega"]).max() > 1e-3


def test_readings_are_means_bias_and_white_noise(run):
    bias = np.array([0.01, -0.02, 0.03])
    clean = sensed(run, noise_density=0.0, before=0.5)
    noisy = sensed(run, bias=bias, before=0.5, seed=3)
    rest = noisy.angular_velocity - clean.angular_velocity
    n = len(rest)
    deviation = NOISE_DENSITY * np.sqrt(0.5 * RATE)
    assert rest.mean(0) == pytest.approx(bias, abs=4.0 * deviation / np.sqrt(n))
    assert rest.std(0) == pytest.approx(np.full(3, deviation), rel=4.0 / np.sqrt(2.0 * n))
    rates = rates_in_body(run)
    angle = np.trapezoid(rates.angular_velocity, rates.time, axis=0)
    assert clean.angular_velocity.sum(0) / RATE == pytest.approx(angle, abs=1e-12)
    assert not clean.angular_velocity[clean.time < 0.5 - 0.5 / RATE].any()


def test_means_of_a_jump():
    time, values = [0.0, 1.0, 1.0, 3.0], [[2.0], [2.0], [0.0], [4.0]]
    assert means(time, values, [0.5, 1.0, 2.0, 3.5], 1.0).ravel() == pytest.approx([2.0, 1.25, 2.0, 0.0])


def test_landings_are_the_impacts(run):
    recording = sensed(run, before=0.5, seed=1)
    found = landings(recording.time, recording.angular_velocity @ EDGE)
    exact = phases_of(run, 0)
    assert found.landing[:2] - 0.5 == pytest.approx([exact.facet_impact, exact.next_impact], abs=LATE)
    assert (found.turning > found.landing[: found.turning.size]).all()
    assert (found.landing[1:] > found.turning[: found.landing.size - 1]).all()


def test_phases_of_data_are_those_of_the_run(run):
    recording = sensed(run, before=0.5, seed=1)
    rate = recording.angular_velocity
    found, exact = contact_phases(recording.time - 0.5, rate @ EDGE, -rate[:, 0]), phases_of(run, 0)
    assert found.facet_impact == pytest.approx(exact.facet_impact, abs=LATE)
    assert found.next_impact == pytest.approx(exact.next_impact, abs=LATE)
    slow = np.flatnonzero(np.diff(exact.edge_impacts) < 4.0 / RATE)[0]  # then come less than four samples
    assert slow >= 5
    assert found.edge_impacts[:slow] == pytest.approx(exact.edge_impacts[:slow], abs=LATE)


def test_planar_rocking_has_no_edge_impacts():
    run = mr.simulate(BLOCK, start=mr.Start(edge=0, tilt=0.1))
    exact = phases_of(run, 0)
    assert exact.edge_impacts.size == 0
    rates = rates_in_body(run)
    found = contact_phases(rates.time, rates.angular_velocity @ EDGE, rates.angular_velocity[:, 0])
    assert found == (pytest.approx(exact.facet_impact), pytest.approx([]), pytest.approx(exact.next_impact))


def test_trimming_finds_release_and_rest(run):
    recording = sensed(run, before=3.0, after=4.0, seed=2)
    part = recording.trimmed(margin=0.5)
    # the release is where a fiftieth of the largest rate is reached, by acceleration of some 2 rad/s2
    assert part.time[0] == pytest.approx(2.5, abs=0.05)
    assert part.time[-1] == pytest.approx(3.0 + run.end_time + 0.5, abs=0.25)
    assert np.isin(part.time, recording.time).all()


@pytest.mark.parametrize("ratio", [0.9, 0.99, 0.999])
@pytest.mark.parametrize("scale", [1.0, 4.0])
def test_trimming_keeps_a_release_near_the_unstable_pose(ratio, scale):
    """From which a body starts so slowly that it is half a second and more before the motion is seen."""
    body = mr.cuboid(0.1 * scale, 0.3, 0.4 * scale, mass=10.0)
    run = mr.simulate(body, start=mr.Start(edge=0, tilt=ratio * body.edge_slenderness[0]))
    part = sensed(run, before=3.0, after=1.0, seed=3).trimmed()
    assert part.time[0] < 3.0 - 0.1


@pytest.mark.parametrize("with_gravity", [True, False])
def test_alignment_by_the_first_swing(run, with_gravity):
    turn = Rotation.from_euler("xyz", [3.0, -2.0, 4.0], degrees=True)  # of the sensor on the body
    recording = sensed(run, before=0.5, after=1.0, seed=4)
    up = np.where(recording.time[:, None] > recording.time[-1] - 1.0, [0.0, 0.0, 9.81], [1.0, 0.0, 9.7])
    recording = mr.measurement.Recording(recording.time, recording.angular_velocity, up).turned(turn.inv())
    rest = (recording.time[-1] - 0.9, recording.time[-1]) if with_gravity else None
    left = alignment(recording, EDGE, rest) * turn.inv()
    # of the axis: white noise over the square root of the summed squares of the swing
    swing = recording.between(0.5, 0.5 + run.events[0]["t"]).angular_velocity
    spread = NOISE_DENSITY * np.sqrt(0.5 * RATE) / np.linalg.norm(swing)
    assert left.apply(EDGE)[[0, 2]] == pytest.approx([0.0, 0.0], abs=4.0 * spread)
    if with_gravity:
        assert left.magnitude() < 6.0 * spread
    else:  # the turn about the edge stays, here of 2 deg
        assert left.magnitude() == pytest.approx(np.radians(2.0), abs=np.radians(0.3))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda run: landings([0.0, 1.0], [0.0]), "one length"),
        (lambda run: landings([0.0, 1.0], [0.0, 0.0]), "nothing moves"),
        (lambda run: contact_phases([0.0, 1.0, 2.0], [0.0, 1.0, 0.0], [0.0] * 3), "1 landings in these data"),
        (lambda run: sensed(run, rate=0.0), r"rate must be .* > 0 \[1/s\]"),
        (lambda run: sensed(run, before=-1.0), r"before must be .* >= 0 \[s\]"),
        (lambda run: rates_in_body(mr.simulate(BLOCK, history=False)), "no history"),
        (lambda run: phases_of(mr.simulate(BLOCK), 0), "0 impacts in the run"),
        (lambda run: sensed(run, before=0.0).between(0.3, 2.0).trimmed(), "held still"),
        (lambda run: alignment(sensed(run), EDGE, (0.0, 1.0)), "needs acceleration"),
        (lambda run: alignment(sensed(run), (1.0, 0.0, 0.0)), "90 deg off the edge"),
    ],
)
def test_messages(run, call, says):
    with pytest.raises(ValueError, match=says):
        call(run)
