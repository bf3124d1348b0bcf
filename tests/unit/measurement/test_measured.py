"""Measures of tests of free rocking against those of the motions that a sensor recorded."""

import numpy as np
import pytest

import mcrock as mr
from mcrock.measurement import (
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


@pytest.mark.slow
def test_intervals_of_measures_hold():
    """Of 200 blocks drawn at random, through three sensors."""
    held = [covers(*measured(seed)[:2]) for seed in range(200)]
    shares = {name: np.mean([one[name] for one in held]) for name in held[0]}
    assert min(shares.values()) >= 0.92, shares
