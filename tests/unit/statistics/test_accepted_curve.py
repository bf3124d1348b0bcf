"""The accepted curve: one choice for every result; value, inverse and rate of a family are one curve."""

import json

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

from mcrock.base.params import Outcome
from mcrock.excitation.measures import intensity
from mcrock.excitation.motion import Motion
from mcrock.show.comparison import format_comparison
from mcrock.show.fragility import json_fragility
from mcrock.statistics import (
    annual_rate,
    by_limit,
    by_support,
    compare_designs,
    fit_fragility,
    fragility_by_limit,
    high_confidence_capacity,
    pooled,
    rate_distribution,
    standards,
    with_displacement_limit,
)
from mcrock.statistics.accepted_curve import (
    FAMILIES,
    LARGEST,
    accept_curve,
    accepted_family,
    choice_of,
    rocking_bound,
)
from mcrock.statistics.goodness import by_curve, left_out_losses
from mcrock.statistics.intervals import Bootstrap
from mcrock.statistics.likelihood import PROBIT
from mcrock.statistics.rates import LognormalCurve, integration_points, lognormal_bounds, refine
from mcrock.statistics.resampling import draw_units
from mcrock.statistics.risk import accepted_rate, rate_with_support
from tests.conftest import few_resamples
from tests.unit.statistics.measured import measured_study

LEVELS = np.array([2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0])


def study(seed, records=40, share=1.0, per_record=8, median=5.0):
    """Runs at `LEVELS` of bodies of lognormal capacity, of which a share can overturn at all."""
    rng = np.random.default_rng(seed)
    record = np.repeat(np.arange(records), per_record)
    capacity = median * np.exp(0.2 * rng.normal(size=records)[record] + 0.2 * rng.normal(size=len(record)))
    over = (capacity[:, None] < LEVELS) & (rng.random(len(record)) < share)[:, None]
    outcome = np.where(over, Outcome.OVERTURNED, Outcome.AT_REST).astype("i1")
    return xr.Dataset(
        {
            "outcome": (("realization", "intensity"), outcome),
            "peak_displacement": (("realization", "intensity"), 0.1 * LEVELS / capacity[:, None]),
            "record": ("realization", record),
        },
        coords={"intensity": ("intensity", LEVELS, {"units": "m s-2", "long_name": "pga"})},
        attrs={"measure": "pga"},
    )


def hazard(slope=2.5):
    x = np.geomspace(0.5, 40.0, 30)
    return xr.Dataset(
        {"rate": (("hazard", "hazard_intensity"), 1e-2 * x[None] ** -slope, {"units": "1/a"})},
        coords={"hazard": ["mean"], "hazard_intensity": ("hazard_intensity", x, {"units": "m s-2"})},
        attrs={"measure": "pga", "source": "power law"},
    )


@pytest.mark.parametrize("family", FAMILIES)
@given(seed=st.integers(0, 10**6), slope=st.floats(1.5, 4.0))
def test_value_inverse_and_rate_of_a_family_are_of_one_curve(family, seed, slope):
    counts = np.sort(np.random.default_rng(seed).integers(0, 41, len(LEVELS))).astype(float)
    curve = FAMILIES[family].fit(LEVELS, counts, np.full(len(LEVELS), 40.0), 40)
    if np.isnan(curve.reached(0.5)):
        return
    for p in (0.01, 0.05, 0.5):
        at = curve.reached(p)
        if np.isfinite(at) and not curve.is_open(p):
            assert curve.at(np.array([at]))[0] == pytest.approx(p, abs=1e-9)
    x, rate = refine(
        np.geomspace(0.5, 40.0, 3000),
        1e-2 * np.geomspace(0.5, 40.0, 3000) ** -slope,
        integration_points(LEVELS),
    )
    middle = np.sqrt(x[1:] * x[:-1])
    assert curve.rates(x, rate).sum() == pytest.approx(curve.at(middle) @ -np.diff(rate), rel=2e-2, abs=1e-9)


@pytest.mark.parametrize("share", [1.0, 0.6])
@settings(max_examples=5)
@given(seed=st.integers(0, 10**6), limit=st.floats(0.03, 0.2))
def test_each_accepted_rate_integrates_to_what_its_own_curve_gives(share, seed, limit):
    """That of the limit had the rate of overturning, where this was larger."""
    ds = with_displacement_limit(study(seed, share=share), limit)
    alone = annual_rate(ds, hazard(), resamples=200)
    either = rate_with_support(ds, hazard(), alone, resamples=200)
    x = np.geomspace(0.5, 40.0, 4000)
    rate = 1e-2 * x**-2.5
    for found, runs in ((alone, ds), (either, by_support(ds))):
        accepted = accept_curve(runs, Bootstrap(resamples=200))
        assert accepted_family(found) == accepted.choice.family
        expected = accepted.curve.at(np.sqrt(x[1:] * x[:-1])) @ -np.diff(rate)
        assert float(accepted_rate(found)["rate"]) == pytest.approx(expected, rel=1e-2)


def test_every_limit_has_its_test_of_fit_and_its_plateau():
    """A curve of median 3.03 g was drawn through points that level off at 0.39."""
    ds = study(5, share=0.5)
    found = fragility_by_limit(ds, [("peak_displacement", 0.1)])
    for k, runs in enumerate((by_limit(ds, "peak_displacement", 0.1), ds)):
        one, accepted = found.isel(limit=k), accept_curve(runs, Bootstrap())
        assert choice_of(one)[:3] == accepted.choice[:3]
        assert float(one["accepted_reached"][-1]) == accepted.curve.reached(0.5)
    low, high = found["share_interval"].isel(limit=1).values
    assert low < 0.5 < high < 0.7
    assert found["share_interval"].isel(limit=0).values[1] > 0.95  # all slide in the end


def test_a_nested_study_with_a_limit_has_the_rate_of_its_pooled_runs():
    draws = xr.concat([study(seed, 12) for seed in range(3)], "outer", data_vars="all")
    ds = with_displacement_limit(draws, 0.1)
    found = rate_with_support(ds, hazard(), annual_rate(ds, hazard()))
    xr.testing.assert_equal(found, annual_rate(by_support(pooled(ds)), hazard()))


@pytest.mark.parametrize(("share", "expected"), [(1.0, "lognormal"), (0.5, "stripes")])
def test_every_result_goes_by_one_curve(share, expected):
    ds = study(3, share=share)
    results = fit_fragility(ds), annual_rate(ds, hazard()), high_confidence_capacity(ds)
    accepted = accept_curve(ds, Bootstrap())
    assert accepted.choice.family == expected
    for found in results:
        assert accepted_family(found) == expected
        assert found.attrs["why"] == accepted.choice.why
        assert float(found["fit_p_value"]) == accepted.choice.p_value
    low, high = accepted.reached_interval(0.05)
    assert low <= accepted.curve.reached(0.05) <= high


@pytest.mark.parametrize("share", [1.0, 0.6])
@pytest.mark.parametrize("factor", [0.3, 0.99, 1.01, 3.0])
def test_the_rows_of_a_target_do_not_contradict_each_other(share, factor):
    """A rejected curve's median failed a target that the accepted rate met."""
    ds = study(4, share=share)
    rates = annual_rate(ds, hazard())
    rate = float(rates["rate"].sel(hazard="mean", fragility=accepted_family(rates)))
    found = standards(ds, rates=rates, hazard=hazard(), target=factor * rate)
    need, median = (float(found[name].sel(check="median for the target")) for name in ("demand", "capacity"))
    assert median == accept_curve(ds, Bootstrap()).curve.reached(0.5)
    assert (need < median) == (factor > 1)
    assert {"pass", "fail"} - set(found["verdict"].values.tolist())


@pytest.mark.parametrize("shares", [(0.8, 0.55), (1.0, 0.55), (0.8, 0.53)])
def test_designs_without_a_common_curve_go_by_the_fractions(shares):
    """Rejected curves gave a ratio of rates of 2.15 (1.69 to 2.73) where the truth is 0.894."""
    pair = [study(8, 60, *case) for case in zip(shares, (8, 8), (5.0, 5.5), strict=True)]
    with few_resamples(1000):  # a plateau of 0.53 is near to none
        found = compare_designs(*pair, hazard())
    assert accepted_family(found) != "lognormal"
    assert found["fit_p_value"].values[1] < 0.05
    one = found.sel(fragility=accepted_family(found))
    truth = shares[1] / shares[0] * 1.1**-2.5
    low, high = one["rate_ratio_interval"].values
    assert low < truth < high < 1
    for k, ds in enumerate(pair):
        fractions = accept_curve(ds, Bootstrap()).curves[accepted_family(found)]
        assert float(found["median_capacity"][k]) == fractions.reached(0.5)
    text = "\n".join(format_comparison(found, None))
    assert "second: the lognormal curve is rejected (p" in text
    unknown = bool(found["median_ratio_interval"].isnull().all())
    told = "ratio of medians has no interval: without some of the recordings" in text
    assert told == unknown == (shares[1] < 0.55)


@pytest.mark.parametrize("records", [2, 3, 5])
def test_few_recordings_test_no_curve(records):
    """With two and three a true curve was rejected in 40 and 15 % of studies."""
    ds = study(1, records=records)
    for found in (fit_fragility(ds), annual_rate(ds, hazard()), high_confidence_capacity(ds)):
        assert np.isnan(found["fit_p_value"])
        assert "fewer than 6 recordings" in found.attrs["why"]


@pytest.mark.parametrize(("best", "said"), [(2, "a plateau foretells"), (3, "empirical fractions foretell")])
def test_a_curve_that_foretells_recordings_better_rejects_the_lognormal_one(monkeypatch, best, said):
    """Also where the test of fit does not; every result hears of it."""
    losses = np.tile(np.arange(4.0)[:, None], (1, 10)) + 1
    losses[best, :8] = 0.0
    module = "mcrock.statistics.accepted_curve"
    monkeypatch.setattr(f"{module}.left_out_losses", lambda *of: losses[{1: [2], 3: [0, 1, 3]}[len(of[2])]])
    monkeypatch.setattr(f"{module}.fit_plateau", lambda *_: np.array([[0.9, 1.0, 0.4]]))
    monkeypatch.setattr(f"{module}._CHOICES", {})
    accepted = accept_curve(study(1), Bootstrap(resamples=99))
    assert accepted.choice.p_value > 0.05
    assert accepted.choice.family == "stripes"
    assert f"{said} recordings left out better than the lognormal curve in 80 %" in accepted.choice.why
    rates = annual_rate(study(1), hazard(), resamples=99)
    assert (
        accepted_family(rates)
        == accepted_family(high_confidence_capacity(study(1), resamples=99))
        == "stripes"
    )
    losses[best, 6:8] = 9.0
    monkeypatch.setattr(f"{module}._CHOICES", {})
    assert accept_curve(study(1), Bootstrap(resamples=99)).choice.family == "lognormal"
    losses[best] = 0.0
    monkeypatch.setattr(
        f"{module}.fit_plateau", lambda *_: np.array([[1.0, 1.0, 0.4]])
    )  # it foretells without one
    monkeypatch.setattr(f"{module}._CHOICES", {})
    family = accept_curve(study(1), Bootstrap(resamples=99)).choice.family
    assert family == ("lognormal" if best == 2 else "stripes")


def test_the_rate_is_averaged_over_the_curves_that_the_runs_leave_open():
    """It reaches beyond that of the lognormal curve alone to that of the log-logistic one, and says so."""
    how, x = Bootstrap(resamples=199), np.geomspace(0.1, 40.0, 30)
    accepted, tables = accept_curve(study(1), how), [(x, 1e-2 * x**-3.0)]
    (probit, _), (logit, share) = accepted.choice.shares
    assert f"the weight {share:.2g}" in accepted.choice.why
    alone = [lognormal_bounds(accepted.units, how, tables, ((link, 1.0),))[:, 0] for link in (probit, logit)]
    both = accepted.rate_interval(tables)[:, 0]
    assert alone[0][1] < both[1] < alone[1][1]
    assert alone[0][0] <= both[0] <= alone[1][0]


def test_losses_are_those_of_the_units_that_a_resample_leaves_out():
    """The mean over kinds of many units is what is expected of it."""
    units, how = accept_curve(study(1, records=7), Bootstrap(resamples=5)).units, Bootstrap(resamples=5)
    rule = by_curve(PROBIT)
    (found,) = left_out_losses(units, how, [rule])
    (drawn,) = draw_units(units, how)
    yes, least = units.overturned[2], 0.5 / (units.runs.sum() + 1)
    for times, loss in zip(drawn, found, strict=True):
        p = np.clip(
            rule(units.intensity, (times @ yes)[None], (times @ units.runs)[None])[0], least, 1 - least
        )
        out = times == 0
        fell, runs = yes[out].sum(axis=0), units.runs[out].sum(axis=0)
        assert loss == pytest.approx(-(fell * np.log(p) + (runs - fell) * np.log(1 - p)).sum(), rel=1e-9)


@given(seed=st.integers(0, 10**6), flat=st.floats(0.0, 1.0))
def test_no_direction_of_any_motion_exceeds_what_bounds_it(seed, flat):
    """Of a motion along one line RotD50 is least of the largest: 1 / sqrt(2) of it."""
    x, y = np.random.default_rng(seed).normal(size=(2, 8))
    motion = Motion([x, flat * y + (1 - flat) * np.tan(seed) * x, 0 * x], dt=0.01, name="any")
    largest = np.hypot(*motion.acceleration[:2]).max()
    for measure, factor in LARGEST.items():
        assert largest <= factor * intensity(motion, measure) * (1 + 1e-12)


ROTATED = [
    "motion.vertical=false",
    "intensity={ measure = 'pga_rotd100', levels_g = [0.1, 0.3, 0.5, 0.7, 1.0] }",
]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([], 1.0),
        (["intensity.measure=pga_rotd50"], 1 / np.sqrt(2)),
        (["motion.scaling={ distribution = 'uniform', low = 0.5, high = 2.0 }"], 0.5),
        (["body.width={ distribution = 'uniform', low = 0.2, high = 0.4 }"], 0.5),
        (["ground.slope_x_deg=3.0"], np.cos(np.radians(3)) - np.sin(np.radians(3)) / 0.25),
        (["ground.slope_x_deg=16.0", "body.width=1.0"], 0.0),
        (["motion.vertical=true"], 0.0),
        (["intensity.measure=pga"], 0.0),
        (["motion.floor={ frequency = 5.0 }"], 0.0),
        (["body.rim_width=0.1", "body.rim_height=0.01"], 0.0),
        (["start.edge=0", "start.tilt_deg=1.0"], 0.0),
    ],
)
def test_what_no_recording_can_rock_is_bounded_only_where_physics_bounds_it(changes, expected):
    found = rocking_bound(measured_study([*ROTATED, *changes])[0])
    assert found == pytest.approx(expected * 9.81 * 0.25 * np.cos(np.pi / 360), rel=0.03)


def test_below_what_no_recording_can_rock_every_result_is_0():
    """Nothing but the curve knows of the bound: rates, intervals, capacities, standards and exports."""
    rng = np.random.default_rng(1)
    fell = rng.random((440, 5)) < ndtr(np.log(np.array([0.1, 0.3, 0.5, 0.7, 1.0]) / 0.5) / 0.45)
    ds, _, _ = measured_study([*ROTATED, "ensemble.realizations=440"], lambda _: fell)
    site = hazard().assign_attrs(measure="pga_rotd100")
    accepted = accept_curve(ds, Bootstrap())
    least, x = rocking_bound(ds), np.geomspace(0.5, 40.0, 30)
    assert accepted.choice.family == "lognormal"
    assert f"0 below {least:.3g} m/s2, where no recording rocks" in accepted.choice.why
    plain = LognormalCurve(*accepted.units.sums())
    assert plain.at(np.array([least]))[0] > 0.01
    ends = np.array([0.999, 1.001]) * least
    assert (accepted.curve.at(ends) == [0, plain.at(ends)[1]]).all()
    assert (accepted.band(ends)[:, 0] == 0).all()
    assert accepted.curve.reached(0.01) == accepted.reached_interval(0.01)[0] == least
    found = annual_rate(ds, site)
    fine = np.geomspace(least, 40.0, 4000)
    expected = plain.at(np.sqrt(fine[1:] * fine[:-1])) @ -np.diff(1e-2 * fine**-2.5)
    assert float(accepted_rate(found)["rate"]) == pytest.approx(expected, rel=1e-3)
    assert accepted.rate(x, 1e-2 * x**-2.5) == pytest.approx(expected, rel=1e-3)
    assert (accepted_rate(found)["share"].values[found["bin_upper"].values < least] == 0).all()
    low, high = accepted_rate(found)["rate_interval"].values
    whole = lognormal_bounds(accepted.units, Bootstrap(), [(x, 1e-2 * x**-2.5)], accepted.choice.shares)
    assert low < expected < high < min(whole[1, 0], 1e-2 * least**-2.5)
    weak = x[:4]
    assert least > weak[-1] > 0.5
    assert (accepted.rate_interval([(weak, 1e-2 * weak**-2.5)]) == 0).all()
    assert float(high_confidence_capacity(ds)["one_percent"]) == least
    judged = standards(ds, 0.2 * 9.80665).sel(check="at most 1 % at the design motion")
    assert float(judged["capacity"]) == least
    curve = json.loads(json_fragility(ds))["accepted"]["curve"]
    assert max(p for at, p in zip(curve["intensity"], curve["probability"], strict=True) if at < least) == 0
    pair = compare_designs(ds, ds, site)
    assert float(pair["rate"].sel(fragility="lognormal")[0]) == pytest.approx(expected, rel=1e-3)
    spread = rate_distribution(ds, site, fragility="lognormal", resamples=99)
    assert float(spread["rate_fractile"][-1]) < 1e-2 * least**-2.5
    assert float(spread["part_intensity"][0]) > least
