"""Measures of tests of free rocking against those of the motions that a sensor recorded."""

import numpy as np
import pytest
from scipy.integrate import quad

import mcrock as mr
from mcrock.measurement import (
    Recording,
    alignment,
    euler_angles,
    out_of_plane_motion_factor,
    peak_angles,
    phases_of,
    reduction_factor,
    sensed,
)
from mcrock.measurement.measures import measure_test
from mcrock.measurement.misfit import FreeRocking
from mcrock.measurement.recording import INSTANT
from tests.benchmarks.fit_coverage import drawn_round

SENSORS = (8e-5, 1e-4, 3e-4)  # densities of noise [rad/s/sqrt(Hz)]


def measured(seed, lateral=1.0, **sensor):
    """Measures of a block drawn at random, by its sensor and in truth."""
    rng = np.random.default_rng(seed)
    half = rng.uniform(0.04, 0.12)
    tall, tilt = half * rng.uniform(2.5, 5.0), 0.6
    body = mr.cuboid(2 * half, rng.uniform(0.1, 0.3), 2 * tall, mass=10.0)
    lambda_, lon, lat = rng.uniform([0.6, 0.6, -lateral], [1.0, 1.0, lateral])
    impact = mr.Impact(lambda_=lambda_, lambda_lon=lon, lambda_lat=lat)
    start = mr.Start(edge=0, tilt=tilt * np.arctan(half / tall))
    run = mr.simulate(body, None, impact, start=start, controls=mr.Controls(max_step=1e-3))
    bias, noise = rng.normal(0.0, 0.02, 3), rng.choice(SENSORS)
    sensor = sensed(run, before=2.0, after=1.0, bias=bias, seed=seed, noise_density=noise, **sensor)
    sensor = sensor.unbiased((0.0, 1.5)).trimmed()
    axes = FreeRocking(body, 0, mr.Impact())
    found = measure_test(body, sensor.turned(alignment(sensor, axes.along)), axes.along, axes.across)
    phi, phases = euler_angles(run.history.orientation), phases_of(run, 0)
    truth = {
        "tilt": start.tilt,
        "avrf": reduction_factor(peak_angles(phi[:, 1]), half, tall),
        "opmf": out_of_plane_motion_factor(run.history.time, phi[:, 0], phi[:, 1], phases.facet_impact),
    }
    return found.squeeze("test"), truth, phases


def covers(found, truth):
    ends = {name: found[f"{name}_interval"].values for name in truth}
    return {name: bool(ends[name][0] <= value <= ends[name][1]) for name, value in truth.items()}


@pytest.mark.parametrize("seed", range(4))
def test_measures_are_those_of_the_motion(seed):
    found, truth, phases = measured(seed)
    assert float(found["avrf"]) == pytest.approx(truth["avrf"], abs=0.006)
    assert float(found["tilt"]) == pytest.approx(truth["tilt"], rel=0.03)
    assert float(found["facet_impact"]) == pytest.approx(phases.facet_impact, abs=0.006)
    assert float(found["next_impact"]) == pytest.approx(phases.next_impact, abs=0.01)
    assert np.nanmean(found["energy_loss"]) == pytest.approx(1.0 - truth["avrf"] ** 2, abs=0.03)
    half_cycle = phases.next_impact - phases.facet_impact  # the first, and the longest
    assert 0.5 / half_cycle * 0.8 < float(found["frequency"]) < 2.5 * 0.5 / half_cycle
    assert np.isnan(found["opmf"]) == (found["opmf_interval"].values[0] == 0.0)
    for name in ("frequency_across", "frequency_across_interval"):
        assert (np.isnan(found[name]) == np.isnan(found["opmf"])).all()


@pytest.mark.parametrize("seed", range(3))
def test_noise_is_no_edge_impact(seed):
    """Of planar rocking, whose rate out of the plane is noise; 19 to 226 were counted."""
    found, _, phases = measured(seed, lateral=0.0)
    assert float(found["edge_impacts"]) == phases.edge_impacts.size == 0


@pytest.mark.parametrize("averaging", [1.0, INSTANT])
@pytest.mark.parametrize("rate", [100.0, 256.0, 1024.0])
def test_the_tilt_does_not_depend_on_the_sampling(rate, averaging):
    """But for the half sample that readings at an instant leave open."""
    found = [measured(seed, rate=rate, averaging=averaging)[:2] for seed in range(3)]
    off = [float(one["tilt"]) / truth["tilt"] - 1.0 for one, truth in found]
    assert np.abs(off).max() < (4.0 if averaging == INSTANT else 1.5) / rate


@pytest.mark.slow
def test_intervals_of_the_tilt_hold_at_any_sampling():
    """Of 200 blocks drawn at random, read at instants or as means, at 100 to 1000 Hz."""
    rng = np.random.default_rng(1)
    rates, kinds = rng.uniform(100.0, 1000.0, 200), rng.choice([1.0, INSTANT], 200)
    held = [
        covers(*measured(seed, rate=rate, averaging=kind)[:2])["tilt"]
        for seed, (rate, kind) in enumerate(zip(rates, kinds, strict=True), 1000)
    ]
    assert np.mean(held) >= 0.92, np.mean(held)


def rolled(kind, seed):
    """Measures of a cylinder on its rim drawn at random, by its sensor, and its truth."""
    body, recording, truth = drawn_round(kind, "mean", seed, halves=40.0)
    axes = FreeRocking(body, 0, mr.Impact())
    part = recording.trimmed()
    part = part.turned(alignment(part, axes.along))
    found = measure_test(body, part, axes.along, axes.across).squeeze("test")
    about = body.inertia[0, 0] + body.mass * body.com_height**2
    nu = np.sqrt(about / (about + body.mass * body.rim**2))
    truth["loss"] = 1.0 - np.exp(-truth["rolling_loss"] / (4.0 * nu))  # of a sweep, without a push
    return body, found, truth


@pytest.mark.parametrize("seed", range(3))
def test_measures_of_a_body_that_rolls_in_a_plane(seed):
    """Half cycles last as those of a block as wide as the rim would from these tilts."""
    body, found, truth = rolled("planar", seed)
    for name in ("tilt", "loss"):
        low, high = found[f"{name}_interval"].values
        assert low <= truth[name] <= high
    assert float(found["tilt"]) == pytest.approx(truth["tilt"], rel=1.5e-3)
    assert float(found["loss"]) == pytest.approx(truth["loss"], rel=0.03, abs=5e-4)
    peaks, inertia = (
        found["peak_tilt"].values,
        body.inertia[0, 0] + body.mass * (body.rim**2 + body.com_height**2),
    )
    assert (np.diff(peaks) < 0.0).all()
    quarters = []
    for peak in peaks[:4]:

        def slowness(u, peak=peak):
            """Time over u, with the tilt peak (1 - u^2): no singular end."""
            tilt = peak * (1.0 - u * u)
            drop = body.rim * (np.sin(peak) - np.sin(tilt)) + body.com_height * (np.cos(peak) - np.cos(tilt))
            return 2.0 * peak * u / np.sqrt(2.0 * body.mass * body.gravity * drop / inertia)

        quarters.append(quad(slowness, 0.0, 1.0)[0])
    assert found["swing"].values[:3] == pytest.approx(np.add(quarters[:-1], quarters[1:]), abs=0.012)
    assert float(found["facet_impact"]) == pytest.approx(quarters[0], abs=0.012)
    assert np.isnan(found["edge_impacts"])


@pytest.mark.parametrize("seed", range(3))
def test_tilts_of_a_body_that_wobbles(seed):
    """Those of the run: where its tilt is largest, to what the sensor drifts."""
    body, found, truth = rolled("wobbling", seed)
    assert float(found["tilt"]) == pytest.approx(truth["tilt"], rel=0.01)  # as if it lost evenly
    turn = np.cos(0.5 * truth["tilt"]), 0.0, np.sin(0.5 * truth["tilt"]), 0.0
    velocity = mr.body.rotation_matrix(turn) @ [-truth["push"], 0.0, 0.0]
    start = mr.Start(vertex=0, orientation=turn, angular_velocity=tuple(velocity))
    run = mr.simulate(body, None, mr.Impact(rolling_loss=truth["rolling_loss"]), start=start, t_end=6.0)
    tilt, time = run.history.tilt.values, run.history.time.values
    highest = [0, *(1 + np.flatnonzero((tilt[1:-1] > tilt[:-2]) & (tilt[1:-1] >= tilt[2:])))][:4]
    assert found["peak_tilt"].values[:4] == pytest.approx(tilt[highest], rel=0.01)
    assert found["swing"].values[:3] == pytest.approx(np.diff(time[highest]), abs=0.02)


def test_a_body_that_does_not_rise_again_is_refused():
    body, recording, _ = drawn_round("planar", "mean", 0)
    axes = FreeRocking(body, 0, mr.Impact())
    still = np.where(recording.time > 1.05 + 0.25 / body.frequency, 0.0, 1.0)
    part = Recording(recording.time, recording.angular_velocity * still[:, None]).trimmed()
    with pytest.raises(ValueError, match=r"two are needed|two peaks are needed"):
        measure_test(body, part, axes.along, axes.across)


@pytest.mark.slow
def test_intervals_of_measures_of_round_bodies_hold():
    """Of 100 cylinders that roll in a plane."""
    held = []
    for seed in range(100):
        _, found, truth = rolled("planar", seed)
        if float(found["peak_tilt"].count()) >= 7:
            held.append(list(covers(found, {name: truth[name] for name in ("tilt", "loss")}).values()))
    assert np.mean(held, axis=0).min() >= 0.9, np.mean(held, axis=0)


@pytest.mark.slow
def test_intervals_of_measures_hold():
    """Of 200 blocks drawn at random, through three sensors."""
    held = [covers(*measured(seed)[:2]) for seed in range(200)]
    shares = {name: np.mean([one[name] for one in held]) for name in held[0]}
    assert min(shares.values()) >= 0.92, shares
