"""Rules of thumb and checks of codes: closed forms, exact studies, scaling."""

import numpy as np
import pytest
import xarray as xr

from mcrock import cuboid
from mcrock.base.params import Outcome
from mcrock.show.risk import _words, format_baselines
from mcrock.statistics import baselines, by_measure, checks_of_body, with_measures
from mcrock.statistics.accepted_curve import accept_curve, accepted_family
from mcrock.statistics.intervals import Bootstrap
from tests.unit.statistics.conftest import simulate_study
from tests.unit.statistics.measured import measured_study

G = 9.81
FEW = {"resamples": 20}


def block(width=0.4, height=1.6):
    body = cuboid(width, width, height, 2600)
    return body.slenderness, body.radius, body.frequency


@pytest.mark.parametrize(("width", "height"), [(0.4, 1.6), (0.1, 2.0), (1.0, 1.5)])
def test_closed_forms_of_a_box(width, height):
    alpha, radius, p = block(width, height)
    checks = checks_of_body(alpha, radius, p, G)
    assert checks["static"].capacity == pytest.approx(G * width / height, rel=1e-12)
    impulse = np.sqrt(8 / 3 * G * radius * (1 - np.cos(alpha))) / np.cos(alpha)
    assert checks["full_impulse"].capacity == pytest.approx(impulse, rel=1e-12)
    oscillator = checks["asce_43_05"]
    a, h = width / height, height / 2  # of the standard, with the half height
    f1 = np.cos(alpha) + a * np.sin(alpha) - 1
    c1 = 4 * (1 + a * a) / 3
    frequency = np.sqrt(2 * f1 * G / (c1 * alpha**2 * h)) / (2 * np.pi)
    gamma = -2 * np.log(1 - 2 * a * a / c1)
    assert oscillator.capacity == pytest.approx(2 * G * f1 / alpha, rel=1e-9)
    assert oscillator.measure["period"] == pytest.approx(1 / frequency, rel=1e-9)
    damping = gamma / np.sqrt(4 * np.pi**2 + gamma**2)
    assert oscillator.measure["damping"] == pytest.approx(damping, rel=1e-9)
    assert 1 - 2 * a * a / c1 == pytest.approx(1 - 1.5 * np.sin(alpha) ** 2, rel=1e-12)  # Housner (1963)


def test_energy_of_the_full_impulse_just_lifts_the_centre_over_the_edge():
    """Angular momentum m h V about the edge, so the energy (m h V)^2 / 2 I_O, is m g R (1 - cos alpha)."""
    alpha, radius, p = block()
    v = checks_of_body(alpha, radius, p, G)["full_impulse"].capacity
    inertia_over_mass = radius * G / p**2
    gained = (radius * np.cos(alpha) * v) ** 2 / (2 * inertia_over_mass)
    assert gained == pytest.approx(G * radius * (1 - np.cos(alpha)), rel=1e-12)


def test_size_of_the_body():
    """A block s times as large: accelerations alike, velocities and periods the root of s times as large."""
    small, large = (checks_of_body(*block(0.4 * s, 1.6 * s), G) for s in (1, 4))
    assert large["static"].capacity == pytest.approx(small["static"].capacity, rel=1e-12)
    assert large["full_impulse"].capacity == pytest.approx(2 * small["full_impulse"].capacity, rel=1e-12)
    one, other = small["asce_43_05"], large["asce_43_05"]
    assert other.capacity == pytest.approx(one.capacity, rel=1e-12)
    assert other.measure["period"] == pytest.approx(2 * one.measure["period"], rel=1e-12)
    assert other.measure["damping"] == pytest.approx(one.measure["damping"], rel=1e-12)


def test_a_body_that_an_impact_stops_has_no_oscillator():
    assert "asce_43_05" not in checks_of_body(np.radians(56), 1.0, 2.7, G)
    assert "asce_43_05" in checks_of_body(np.radians(54), 1.0, np.sqrt(0.75 * G), G)


def velocity_study(limit=0.5):
    """Main example in which exactly those runs overturn whose PGV is above a limit [m/s]."""
    from mcrock.excitation.measures import intensity

    ds, inputs, motions = measured_study(["ensemble.realizations=44"])
    own = np.array([intensity(motion, "pgv") for motion in motions])[inputs.record]
    velocity = np.abs(inputs.scale) * own[:, None]
    fell = np.where(velocity > limit, Outcome.OVERTURNED, Outcome.AT_REST).astype("i1")
    return ds.assign(outcome=ds["outcome"].copy(data=fell)), velocity


def test_a_rule_that_made_the_study_is_found():
    ds, velocity = velocity_study()
    found = baselines(ds, **FEW)
    threshold = found.sel(rule="pgv_threshold")
    assert float(threshold["misclassified"]) < 0.01  # records that hold the nearest runs are left out in turn
    below, above = velocity[velocity <= 0.5].max(), velocity[velocity > 0.5].min()
    assert float(threshold["capacity"]) == pytest.approx(np.sqrt(below * above), rel=1e-12)
    losses = found["log_loss"].sel(rule=["pgv_threshold", "pga_threshold", "constant"]).values
    assert (np.diff(losses) > 0.05).all()
    assert found["units"].sel(rule=["pga_probit", "pgv_probit"]).values.tolist() == ["m s-2", "m s-1"]


def test_checks_say_what_they_say():
    """Full impulse of the block: 0.827 m/s. If just those runs overturn it is never wrong."""
    capacity = checks_of_body(*block(), 9.81)["full_impulse"].capacity
    ds, velocity = velocity_study(capacity)
    found = baselines(ds, **FEW)
    assert float(found["misclassified"].sel(rule="full_impulse")) == 0
    assert float(found["capacity"].sel(rule="full_impulse")) == pytest.approx(capacity, rel=1e-9)
    level = ds["intensity"].values
    static = (level > float(found["capacity"].sel(rule="static"))) != (velocity > capacity)
    assert float(found["misclassified"].sel(rule="static")) == pytest.approx(static.mean())
    rocking = level > float(found["capacity"].sel(rule="static"))
    both = (rocking & (velocity > capacity)) != (velocity > capacity)
    assert float(found["misclassified"].sel(rule="static_and_impulse")) == pytest.approx(both.mean())
    assert float(found["spectral_velocity"]) == pytest.approx(9.81 * block()[0] / block()[2])


@pytest.mark.parametrize(
    "motion", [[], ["motion.scaling={ distribution = 'uniform', low = 0.9, high = 1.1 }"]]
)
def test_a_body_on_a_floor_is_checked_by_the_motion_of_the_floor(motion):
    """In a study by PGV of the ground too, whether runs of a motion at a level are alike or not."""
    floor = ["motion.floor={ frequency = 1.0, damping = 0.05 }", *motion]
    ds, _, _ = measured_study([*floor, "intensity={ measure = 'pgv', levels = [0.2, 0.4, 0.8] }"])
    beneath = with_measures(ds, ["pgv"], under_body=True)["im_pgv"].values.reshape(ds["outcome"].shape)
    fell = beneath > checks_of_body(*block(), 9.81)["full_impulse"].capacity
    ds["outcome"][:] = np.where(fell, Outcome.OVERTURNED, Outcome.AT_REST)
    found = baselines(ds, **FEW)["misclassified"]
    assert float(found.sel(rule="full_impulse")) == 0
    assert float(found.sel(rule="pgv_threshold")) > 0.05  # of the ground


@pytest.mark.parametrize(("share", "family"), [(1.0, "lognormal"), (0.6, "stripes")])
def test_a_probability_is_of_the_curve_that_the_runs_accept_over_the_measure(share, family):
    """Rejected curves told it: at the PGA where the empirical fractions have 0.40 it was 0.50."""
    ds = simulate_study(60, 40, cloud=True, strength=(1.3, 0.9))
    free = np.random.default_rng(1).random(ds.sizes["realization"]) < share
    ds["outcome"] = ds["outcome"].where(free, Outcome.AT_REST).astype("i1")
    noise = np.exp(0.1 * np.random.default_rng(2).normal(size=ds.sizes["realization"]))
    ds = ds.assign(im_pgv=0.1 * ds["intensity_value"] * noise).assign_attrs(intensity_measure="pga")
    found, how = baselines(ds, resamples=200), Bootstrap(resamples=200)
    for measure in ("pga", "pgv"):
        accepted = accept_curve(by_measure(ds, measure), how)
        one = found.sel(rule=f"{measure}_probit")
        at = one["capacity"].values[None]
        assert accepted_family(one) == accepted.choice.family == family
        assert float(one["probability"]) == pytest.approx(accepted.curve.at(at)[0], abs=0.01)
        np.testing.assert_allclose(one["probability_interval"], accepted.band(at)[:, 0], atol=0.02)
    text = "\n".join(format_baselines(found))
    assert ("over pgv the lognormal curve is rejected (p" in text) == (share < 1)
    assert (" f, " in _words(one)) == (share < 1)


def test_means_of_records_add_up():
    ds, _ = velocity_study()
    found = baselines(ds, **FEW)
    for name in ("misclassified", "log_loss"):
        total = (found[f"record_{name}"] * found["record_runs"]).sum("left_out")
        np.testing.assert_allclose(total / found["record_runs"].sum("left_out"), found[name], rtol=1e-12)


def test_undecided_runs_are_misclassified_by_half():
    ds, _ = velocity_study()
    broke_off = ds.assign(outcome=ds["outcome"].where(ds["intensity"] < 15.0, Outcome.ROCKING).astype("i1"))
    found = baselines(broke_off, **FEW)
    assert float(found["misclassified"].sel(rule="constant")) > 0.1
    assert np.isfinite(found["log_loss"]).all()


def test_runs_alike_are_counted_together():
    """A scaling by 1, drawn for every run, makes every run one of its own."""
    ds, _ = velocity_study()
    ds["outcome"][3:9, 4] = Outcome.ROCKING
    scaled = ds.assign(motion_scaling=("realization", np.ones(ds.sizes["realization"])))
    xr.testing.assert_allclose(baselines(ds, **FEW), baselines(scaled, **FEW), rtol=1e-9)
    thin = ds.copy(deep=True)
    thin["outcome"][10:20] = Outcome.NOT_RUN
    found = baselines(thin, allow_missing=True, **FEW)
    assert float(found["record_runs"][0].sum()) == ds["outcome"].size - 10 * ds.sizes["intensity"]


@pytest.mark.parametrize("slenderness", [-0.1, np.pi / 2])
def test_a_body_that_no_tilt_tells_of_has_no_checks(slenderness):
    """Negative where it stands over no base, 90 degrees where all of it is base."""
    ds, _ = velocity_study()
    ds["body_slenderness"][:] = slenderness
    rules = baselines(ds, **FEW)["rule"].values.tolist()
    assert rules == ["constant", "pga_threshold", "pga_probit", "pgv_threshold", "pgv_probit"]
