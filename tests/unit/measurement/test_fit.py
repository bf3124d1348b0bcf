"""Fits of simulated tests: the truth is found, where a fit of all samples at once goes astray."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.transform import Rotation
from scipy.stats import norm, qmc

import mcrock as mr
from mcrock.measurement import Recording, fit_test, sensed
from mcrock.measurement import misfit as searching
from mcrock.measurement.campaign import read_tests
from mcrock.measurement.fit import (
    LAMBDAS,
    ROOM,
    SCALE,
    Neighbour,
    Optimum,
    _preferred,
    _widened,
    long_run_covariance,
    neighbours,
    uncertainty,
    widen_intervals,
)
from mcrock.measurement.misfit import BOUNDS, ROBUST, Comparison, FreeRocking, misfit, search, stretched
from mcrock.measurement.recording import INSTANT, NOISE_DENSITY, RATE, means
from mcrock.show.fit import (
    fit_as_json,
    format_campaign,
    format_fit,
    impact_section,
    misfit_words,
    neighbour_table,
    neighbour_words,
    neighbours_as_json,
    plot_fit,
)
from tests.benchmarks.fit_coverage import ROUND, drawn_round, drawn_test
from tests.unit.kernel import rolling_reference

BLOCK = mr.cuboid(0.1, 0.14, 0.4, density=2700)
NOISE = NOISE_DENSITY * np.sqrt(0.5 * RATE)
TRUTH = {"time": 1.0, "tilt": 0.2, "lambda": 1.2, "lambda_lon": 0.8, "lambda_lat": -0.6}
BIAS = np.array([0.01, -0.02, 0.005])
SURE = 0.999  # level at which a test asks for the truth: five parameters, false alarm 1 in 200, fixed seed


def recording_of(truth, body=BLOCK, bias=BIAS, seed=0, averaging=1.0, **more):
    """A test of a body released over edge 0 at 1 s, its bias taken from what is before."""
    impact = {f"{key}_" if key == "lambda" else key: truth[key] for key in LAMBDAS}
    run = mr.simulate(
        body,
        None,
        mr.Impact(**impact, **more),
        start=mr.Start(edge=0, tilt=truth["tilt"]),
        controls=mr.Controls(step=0.002, edge_zeno_time=1e-6),  # not those of the fit
        t_end=3.0,
    )
    recording = sensed(run, before=1.0, bias=bias, seed=seed, averaging=averaging)
    return recording.unbiased((0.0, 0.9)).between(0.5, 4.0)


@pytest.fixture
def quick(monkeypatch):
    """A search from few points, which finds what is easy, for tests of something else."""
    monkeypatch.setattr(searching, "POINTS", 16)
    monkeypatch.setattr(searching, "KEPT", 2)


@pytest.fixture(scope="module")
def recording():
    return recording_of(TRUTH)


@pytest.fixture(scope="module")
def found(recording):
    return fit_test(BLOCK, recording, 0, level=SURE)


def test_truth_lies_in_narrow_intervals(found):
    for name, value in TRUTH.items():
        low, high = found.intervals[name]
        assert low <= value <= high
        assert high - low < 0.03
    assert found.resolved
    assert found.noise == pytest.approx(NOISE, rel=0.1)
    # of three normal components: mean of their norm, sqrt(8/pi) times the noise
    assert found.error == pytest.approx(np.sqrt(8.0 / np.pi) * NOISE, rel=0.1)
    assert np.abs(found.bias).max() < 4.0 * NOISE / np.sqrt(200.0)


def test_the_true_model_explains_the_test(found):
    assert found.misfit.explained
    assert found.misfit.noise == pytest.approx(NOISE, rel=0.15)
    assert found.at_bound == ()


@pytest.mark.parametrize(
    ("body", "impact", "explained"),
    [
        (BLOCK, mr.Impact(), True),
        (mr.cuboid(0.1, 0.2, 0.4, density=2700), mr.Impact(), False),
        (mr.cuboid(0.11, 0.14, 0.4, density=2700), mr.Impact(), False),
        (BLOCK, mr.Impact(tau=0.01), False),
    ],
)
def test_another_model_does_not_explain_the_test(recording, body, impact, explained):
    comparison = Comparison(body, recording, 0, impact, LAMBDAS, BOUNDS, 2)
    best = comparison.fitted(np.array([*TRUTH.values(), *np.zeros(6)]), 2.0 * NOISE)
    assert misfit(comparison, best.x).explained == explained


def test_a_stretched_cuboid_is_a_cuboid():
    found = stretched(mr.cuboid(0.1, 0.14, 0.4, density=2700), np.array([1.1, 0.9, 1.02]))
    expected = mr.cuboid(0.11, 0.126, 0.408, density=2700 / (1.1 * 0.9 * 1.02))
    assert found.inertia == pytest.approx(expected.inertia)
    assert found.vertices == pytest.approx(expected.vertices)
    assert found.mass == pytest.approx(expected.mass)


def test_the_size_of_the_body_decides_the_estimates(found, recording):
    """Of a body that is half a per cent too deep: what the fit says of one that is 1 % deeper, halved."""
    body = stretched(BLOCK, np.array([1.0, 1.005, 1.0]))
    comparison = Comparison(body, recording, 0, mr.Impact(), LAMBDAS, BOUNDS, 2)
    best = comparison.fitted(np.array([*found.estimates.values(), *found.turn, *found.bias]), 2.0 * NOISE).x
    change = best[:5] - np.array([*found.estimates.values()])
    assert change == pytest.approx(0.5 * found.by_size[1], rel=0.1, abs=1e-4)
    # 3.9 times: 5 of the error that white noise gives, 0.0027, with the turn of the sensor known or fitted;
    # the profile has 0.0034, by the long-run covariance of the scores of this one recording
    assert abs(change[2]) > 3.0 * found.standard_errors["lambda"]  # the interval does not know of it


def test_intervals_contain_what_the_size_of_the_body_leaves_open(found):
    """Of 1 % of each dimension, by three independent errors; they widen with residuals above the noise."""
    wider = _widened(found, 0.01)
    by_size = np.sqrt((found.by_size**2).sum(0))
    for i, name in enumerate(TRUTH):
        assert wider.standard_errors[name] == pytest.approx(np.hypot(found.standard_errors[name], by_size[i]))
        low, high = wider.intervals[name]
        half = norm.ppf(0.5 + 0.5 * SURE) * by_size[i]
        assert high - low == pytest.approx(2.0 * half, rel=0.05)  # here 1 % is far above the noise
    errors = np.array(list(wider.standard_errors.values()))
    assert np.sqrt(np.diag(wider.covariance)) == pytest.approx(errors)
    assert "intervals contain 1 % of each" in format_fit(wider)
    unknown = found.by_size.copy()
    unknown[0, 2] = np.nan  # of lambda: that fit did not end
    open_end = _widened(replace(found, by_size=unknown), 0.01)
    assert "lambda" not in open_end.intervals
    assert open_end.standard_errors["lambda"] == np.inf
    loud = _widened(replace(found, misfit=found.misfit._replace(after_impact=2.0)), 0.0)
    assert np.ptp(loud.intervals["lambda"]) == pytest.approx(2.0 * np.ptp(found.intervals["lambda"]))


def test_an_effect_of_the_size_that_was_not_found_is_none(found):
    unknown = replace(found, by_size=np.full_like(found.by_size, np.nan))
    assert "not found" in format_fit(unknown)
    assert fit_as_json(unknown)["change_by_1_percent_of_size"]["tilt"] == {"x": None, "y": None, "z": None}


def test_effects_of_the_size_are_found_though_many_steps_lead_there(found, recording):
    """To a standard error; a body that is 1 % wider explains the test much worse, and is far to go to."""
    errors = np.array([*found.standard_errors.values()])
    x = np.array([*found.estimates.values(), *found.turn, *found.bias])
    for axis in range(3):
        body = stretched(BLOCK, np.where(np.arange(3) == axis, 1.01, 1.0))
        longer = Comparison(body, recording, 0, mr.Impact(), LAMBDAS, BOUNDS, 2).fitted(
            x, SCALE * found.noise, tries=200
        )
        assert (np.abs((longer.x - x)[:5] - found.by_size[axis]) < errors).all()


def test_without_rest_before_the_release_nothing_is_said(recording):
    short = recording.between(0.97, 4.0)
    comparison = Comparison(BLOCK, short, 0, mr.Impact(), LAMBDAS, BOUNDS, 2)
    found = misfit(comparison, np.array([*TRUTH.values(), *np.zeros(6)]))
    assert found.explained is None


def test_an_estimate_at_a_bound_is_none(quick):
    fit = fit_test(BLOCK, recording_of(TRUTH), 0, bounds={"lambda": (0.0, 1.0)})
    assert fit.at_bound == ("lambda",)
    assert "lambda" not in fit.intervals
    assert not fit.misfit.explained
    assert [row["parameter"] for row in fit.rows("t", "s", "A", "1")] == ["lambda_lon", "lambda_lat"]
    assert "lambda ended at a bound of its search, 0 to 1" in format_fit(fit)
    assert "# a bound of the search" in impact_section(fit)
    axes = plot_fit(fit)
    assert "The model does not explain the test" in axes.get_figure(root=True).texts[-1].get_text()
    assert axes._repr_png_()  # as a notebook shows it


def test_a_sensor_turned_about_the_edge_is_found_out(quick):
    """No first swing shows that turn, and it takes the spin for lateral rocking."""
    turn = Rotation.from_rotvec([0.0, 0.03, 0.0])
    fit = fit_test(BLOCK, recording_of(TRUTH).turned(turn), 0, level=SURE)
    assert fit.turn == pytest.approx([0.0, 0.03, 0.0], abs=0.02)  # twice what this test tells
    assert all(fit.intervals[name][0] <= value <= fit.intervals[name][1] for name, value in TRUTH.items())


def test_a_run_of_another_size_is_that_of_another_body():
    """And back again; a rate at the release is there."""
    lambdas = {key: TRUTH[key] for key in LAMBDAS}
    rocking, other = FreeRocking(BLOCK, 0, mr.Impact()), stretched(BLOCK, np.array([1.1, 0.9, 1.02]))
    for sizes, body in ({"size_x": 1.1, "size_y": 0.9, "size_z": 1.02}, other), ({}, BLOCK):
        run = rocking(0.2, lambdas | sizes, 0.6)
        twin = FreeRocking(body, 0, mr.Impact())(0.2, lambdas, 0.6)
        assert run.time == pytest.approx(twin.time, abs=1e-12)
        assert run.angular_velocity == pytest.approx(twin.angular_velocity, abs=1e-9)
    assert rocking(0.2, lambdas | {"rate": 0.1}, 0.1).angular_velocity[0] == pytest.approx([0.0, 0.1, 0.0])


@pytest.mark.slow
def test_a_wrong_depth_is_recognized(quick):
    """Of all that may be wrong, the depth alone brings the misfit down to the noise, and the lambdas back."""
    recording, deep = recording_of(TRUTH), mr.cuboid(0.1, 0.2, 0.4, density=2700)
    fit = fit_test(deep, recording, 0)
    assert not fit.misfit.explained
    assert fit.estimates["time"] == pytest.approx(TRUTH["time"], abs=1e-3)
    assert all(abs(other.estimates["lambda"] - fit.estimates["lambda"]) > 0.01 for other in fit.optima)
    found = {each.added: each for each in neighbours(deep, recording, fit)}
    explaining = [added for added, each in found.items() if each.misfit.explained]
    assert set(explaining) == {("size_y",), ("size_x", "size_y", "size_z")}
    near = found["size_y",]
    assert near.estimates["size_y"] == pytest.approx(0.7, abs=0.01)
    assert near.estimates["lambda"] == pytest.approx(1.2, abs=0.05)
    assert near.deviance < -500.0
    assert "explained to the noise by another size along y:" in neighbour_words(list(found.values()))[0]
    assert "size along x, y and z" in str(neighbour_table(neighbours_as_json(list(found.values()))))


def test_without_the_noise_of_the_sensor_there_are_no_neighbours(found, recording):
    unknown = replace(found, misfit=found.misfit._replace(noise=np.nan))
    with pytest.raises(ValueError, match="the noise of the sensor is not known"):
        neighbours(BLOCK, recording, unknown)


def test_intervals_hold_those_of_neighbours_that_explain_the_test(found):
    """And of the others nothing; what grows with an interval is its standard error."""
    errors = dict.fromkeys(found.estimates, 0.01)
    good = found.misfit._replace(first_swing=1.0, after_impact=1.0, excess=0.0, correlation=0.0)
    other = Neighbour(("slip",), found.estimates | {"lambda": 1.5}, errors, -9.0, good)
    wrong = other._replace(estimates=found.estimates | {"lambda": 3.0}, misfit=good._replace(correlation=1.0))
    held, quantile = widen_intervals(found, [other, wrong]), norm.ppf(0.5 + 0.5 * found.level)
    low, high = held.intervals["lambda"]
    assert low <= found.intervals["lambda"][0]
    assert high == pytest.approx(1.5 + quantile * 0.01)
    assert held.standard_errors["lambda"] == pytest.approx((high - low) / (2.0 * quantile))
    at = list(found.estimates).index("lambda")
    assert held.covariance[at, at] == pytest.approx(held.standard_errors["lambda"] ** 2)
    assert held.estimates == found.estimates
    assert widen_intervals(found, [wrong]).intervals == found.intervals
    for printed in (format_fit, impact_section, lambda fit: plot_fit(fit).figure.texts[0].get_text()):
        assert "slip at the first landing" in " ".join(printed(held).split())
        assert "slip" not in printed(found)
    numbers = fit_as_json(replace(held, misfit=wrong.misfit))
    lines = format_campaign([{"test": "A-1-1", "fit": numbers}])
    assert "A-1-1, whose +- holds that with another slip at the first landing too" in lines[1]


@pytest.mark.slow
def test_a_foot_that_slips_can_be_fitted(quick):
    """And is no impact parameter of the section."""
    body, recording, truth = drawn_test("slip", "mean", 0)
    fit = fit_test(body, recording, 0, free=(*LAMBDAS, "slip"))
    assert fit.misfit.explained
    assert abs(fit.estimates["slip"]) == pytest.approx(2e-4, rel=0.05)
    for name in LAMBDAS:
        assert fit.intervals[name][0] <= truth[name] <= fit.intervals[name][1]
    assert "slip" not in impact_section(fit)


def test_an_optimum_beside_the_best_is_named(found):
    """Also when no neighbour explains the test."""
    beside = replace(found, optima=(Optimum(found.estimates | {"lambda": 2.0}, 1.1),))
    assert "another optimum, lambda 2, lambda_lon 0.8" in format_fit(beside)
    assert fit_as_json(beside)["other_optima"][0]["error"] == 1.1
    bad = found.misfit._replace(correlation=1.0)
    none = [Neighbour(("rate",), found.estimates, found.standard_errors, -1.0, bad)]
    assert neighbour_words(none) == [
        "none of these explains the test to the noise: the lambdas may differ between its impacts"
    ]


def test_whether_readings_are_means_is_found_out(found, quick):
    """A wrong guess puts impacts up to half a sample off."""
    assert found.averaging == 1.0
    assert found.preferred > 100.0
    fit = fit_test(BLOCK, recording_of(TRUTH, averaging=INSTANT), 0, level=SURE)
    assert fit.averaging == INSTANT
    assert fit.preferred > 100.0
    assert 0.0 < (~fit.kept).mean() < 0.1
    assert f"{(~fit.kept).sum()} so near to an impact" in format_fit(fit)
    assert all(fit.intervals[name][0] <= value <= fit.intervals[name][1] for name, value in TRUTH.items())


def test_an_impact_beside_a_reading_at_an_instant_moves_nothing():
    """Such a reading tells a side, which least squares takes for a time: it is left out, and few others."""
    time, rates = FreeRocking(BLOCK, 0, mr.Impact())(0.2, {key: TRUTH[key] for key in LAMBDAS}, 1.5)
    edge_impact = time[:-1][np.diff(time) == 0.0][2]
    at = edge_impact + (np.arange(-256, 256) - 0.005) / RATE
    noise = np.random.default_rng(0).normal(0.0, NOISE, (at.size, 3))
    recording = Recording(1.0 + at, means(time, rates, at, 1e-6 / RATE) + noise)
    comparison = Comparison(BLOCK, recording, 0, mr.Impact(), LAMBDAS, BOUNDS, 2, INSTANT)
    true = np.array([*TRUTH.values(), *np.zeros(6)])
    between = comparison.only(comparison.away_from_impacts(true, ROOM[-1]))
    assert not between.kept[256]
    assert between.kept.mean() > 0.9
    scores = []
    for part in (comparison, between):
        x = part.fitted(true, SCALE * NOISE).x
        error = np.sqrt(np.diag(uncertainty(part, x, SCALE * NOISE).covariance))
        scores.append(float(np.abs((x - true) / error)[:5].max()))
    assert scores[0] > 5.0
    assert scores[1] < 3.0


def test_profiles_touch_zero_at_the_estimate_and_the_quantile_at_the_ends(found):
    quantile = norm.ppf(0.5 + 0.5 * SURE) ** 2
    for name, profile in found.profiles.items():
        assert profile.closed
        at = np.interp([found.estimates[name], *found.intervals[name]], profile.values, profile.deviance)
        assert at[0] == pytest.approx(0.0, abs=0.01)
        assert at[1:] == pytest.approx([quantile] * 2, rel=0.05)  # linear in its root between two points
        assert found.covariance.shape == (5, 5)
    errors = np.array([found.standard_errors[name] for name in TRUTH])
    assert np.sqrt(np.diag(found.covariance)) == pytest.approx(errors)


def test_the_mean_is_fitted_alike_again_and_has_the_least_mean_error(quick, found, recording):
    of_mean, again = (fit_test(BLOCK, recording, 0, objective="mean") for _ in range(2))
    assert again.estimates == of_mean.estimates
    assert of_mean.error < found.error
    assert of_mean.profiles == {}
    assert of_mean.rows("t", "s", "A", "1") == []
    for name, value in TRUTH.items():
        assert of_mean.estimates[name] == pytest.approx(value, abs=3.0 * np.ptp(found.intervals[name]))


def test_rows_are_those_of_a_population(found):
    table = read_tests(pd.DataFrame(found.rows("t1", "4", "A", "1")))
    assert table["parameter"].tolist() == sorted(LAMBDAS)
    assert table["estimate"].tolist() == [found.estimates[key] for key in sorted(LAMBDAS)]
    assert found.impact == mr.Impact(
        lambda_=found.estimates["lambda"],
        lambda_lon=found.estimates["lambda_lon"],
        lambda_lat=found.estimates["lambda_lat"],
    )


def test_angular_impulse_is_found_too(quick):
    """A tau that changes the spin by 0.03 rad/s in every edge impact."""
    fit = fit_test(BLOCK, recording_of(TRUTH, tau=0.002), 0, free=(*LAMBDAS, "tau"), level=SURE)
    for name, value in {**TRUTH, "tau": 0.002}.items():
        assert fit.intervals[name][0] <= value <= fit.intervals[name][1]


@pytest.mark.slow
def test_search_finds_what_a_fit_of_all_samples_does_not():
    """Where edge impacts are many, the objective has a minimum for every number of them."""
    truth = {"time": 1.0, "tilt": 0.2237, "lambda": 0.328, "lambda_lon": 0.879, "lambda_lat": -0.532}
    body = mr.cuboid(0.1, 0.188, 0.4, density=2700)
    record = recording_of(truth, body, seed=4)
    comparison = Comparison(body, record, 0, mr.Impact(), LAMBDAS, BOUNDS, 2)
    candidates, noise = search(comparison, seed=0)
    scale = ROBUST * noise
    best = comparison.fitted(candidates[0], scale)
    true = np.array([*truth.values(), *np.zeros(6)])
    assert best.x[2:5] == pytest.approx(true[2:5], abs=0.01)
    assert best.cost <= comparison.cost(true, scale)
    # all samples at once, from as many starts of a design with time and tilt as good as known
    points = qmc.Sobol(3, rng=np.random.default_rng(0)).random(128)
    starts = qmc.scale(points, *np.array(list(BOUNDS.values())).T)
    pool = [np.concatenate([true[:2], start, true[5:]]) for start in starts]
    pool.sort(key=comparison.mean_error)  # the objective of the source
    fits = [comparison.fitted(x, scale) for x in pool[:6]]
    assert min(abs(fit.x[2] - true[2]) for fit in fits) > 0.05  # in other minima, beyond any quantile
    assert min(2.0 * (fit.cost - best.cost) / noise**2 for fit in fits) > 1000.0


@pytest.mark.parametrize("averaging", [1.0, INSTANT])
def test_a_second_search_keeps_the_release_where_the_first_found_it(quick, averaging):
    """Though the largest rate before the landing tells another tilt than the first swing."""
    truth = TRUTH | {"tilt": 0.22}  # of 0.245
    given = BLOCK, recording_of(truth, averaging=averaging), 0, mr.Impact(), LAMBDAS, BOUNDS, 2
    mean, instant = Comparison(*given), Comparison(*given, INSTANT)
    candidates, noise = search(mean, seed=0)
    ends = mean.lower[0], mean.upper[0]
    comparison, _, _ = _preferred(mean, instant, candidates, SCALE * noise)
    assert comparison.averaging == averaging
    candidates, _ = search(comparison, seed=1)
    assert (comparison.lower[0], comparison.upper[0]) == pytest.approx(ends, abs=1e-3)
    assert candidates[0][:2] == pytest.approx([truth["time"], truth["tilt"]], abs=1e-3)


def test_planar_rocking_tells_nothing_of_the_lateral_parameters():
    truth = TRUTH | {"lambda_lat": 0.0}
    fit = fit_test(BLOCK, recording_of(truth), 0, level=SURE)
    assert not fit.resolved
    assert "hide a slip of the foot" in misfit_words(fit)[-1]
    for name in ("lambda", "lambda_lat"):
        assert fit.intervals[name] == BOUNDS[name]
        assert fit.standard_errors[name] == np.inf
    assert fit.intervals["lambda_lon"][0] <= 0.8 <= fit.intervals["lambda_lon"][1]
    assert [row["parameter"] for row in fit.rows("t", "s", "A", "1")] == ["lambda_lon"]


def test_ringing_after_impacts_moves_little(found, recording, quick):
    """What the source sees in its gyroscopes: an oscillation that dies out, here of 0.1 rad/s."""
    since = recording.time - found.landings.landing[0]
    ringing = np.where(since > 0.0, 0.1 * np.exp(-since / 0.005) * np.cos(2.0 * np.pi * 90.0 * since), 0.0)
    shaken = Recording(recording.time, recording.angular_velocity + ringing[:, None])
    fit = fit_test(BLOCK, shaken, 0, level=SURE)
    assert fit.estimates["lambda_lon"] == pytest.approx(0.8, abs=0.02)
    assert fit.estimates["lambda"] == pytest.approx(1.2, abs=0.1)
    assert fit.estimates["lambda_lat"] == pytest.approx(-0.6, abs=0.05)


def test_long_run_covariance_of_an_autoregression():
    """An AR(1) of 0.6 has the long-run variance (1/0.4)^2 of its innovations."""
    draws = np.random.default_rng(1).normal(size=(20000, 2)) * [1.0, 100.0]
    series = np.zeros_like(draws)
    for i in range(1, len(draws)):
        series[i] = 0.6 * series[i - 1] + draws[i]
    found = np.diag(long_run_covariance(series)) / np.array([1.0, 1e4])
    assert found == pytest.approx([6.25, 6.25], rel=0.15)  # bias and spread of the estimator at this length


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"edge": 1}, "check the edge, the axes of the sensor"),
        ({"edge": 2}, "released over the opposite edge"),
        ({"edge": 7}, "edge must be one of the start face, 0, 1, 2, 3"),
        ({"landings": 99}, "99 are to be fitted"),
        ({"landings": 1}, "landings must be"),
        ({"objective": "median"}, "objective must be one of robust, mean"),
        ({"free": ("nu",)}, "free must name parameters of lambda"),
        ({"bounds": {"tau": (0.0, 1.0)}}, "bounds are of fitted parameters"),
        ({"bounds": {"lambda": (1.0, 1.0)}}, "must rise"),
        ({"level": 95}, "level must be > 0 and < 1"),
        ({"impact": mr.Impact(law="housner_1963")}, "the lambdas are parameters of the law"),
        ({"body": mr.cuboid(0.1, 0.14, 1.6, density=2700)}, "at most at"),
    ],
)
def test_messages(recording, change, says):
    arguments = {"body": BLOCK, "recording": recording, "edge": 0} | change
    with pytest.raises(ValueError, match=says):
        fit_test(**arguments)


@pytest.mark.parametrize(
    ("kind", "number"), [("planar", 0), ("planar", 1), ("wobbling", 0), ("wobbling", 5), ("uneven", 0)]
)
def test_truth_of_a_round_body_lies_in_narrow_intervals(kind, number):
    """Pushed to either side, or not at all, or on a base that is not flat."""
    body, recording, truth = drawn_round(kind, "mean", number)
    fit = fit_test(body, recording, 0, free=ROUND[kind], level=SURE)
    assert fit.misfit.explained
    assert fit.resolved
    for name, value in truth.items():
        low, high = fit.intervals[name]
        assert low <= value <= high, name
        assert high - low < 0.02
    assert (fit.by_size[1] == 0.0).all()
    assert np.nanmin(np.abs(fit.by_size[::2, 1])) > 0.0  # NaN of a push near zero, whose fit may not end


def test_round_body_of_another_code():
    """By SciPy's integrator and Lagrange multipliers; the push is a share of the rate at the first sweep."""
    radius, height, loss, tilt, push = 0.1, 0.5, 0.2, 0.2, 0.3
    body = rolling_reference.frustum_rim(1.0, radius, radius, height)
    turn = np.array([np.cos(0.5 * tilt), 0.0, np.sin(0.5 * tilt), 0.0])
    velocity = Rotation.from_quat(turn, scalar_first=True).apply([-push, 0.0, 0.0])
    start = rolling_reference.at_contact(body, turn, velocity)
    time = np.arange(round(1.1 * 2048)) / 2048.0
    motion = rolling_reference.roll(replace(body, loss=loss), start, time, rtol=1e-10)
    turns = Rotation.from_quat(motion.orientation, scalar_first=True).inv()
    rates = turns.apply(motion.angular_velocity)
    since, still = np.concatenate([[-2.0, 0.0], motion.times]), np.zeros((2, 3))  # at rest until 0
    at = (np.arange(-256, 256) + 0.3) / 256.0
    rates = means(since, np.concatenate([still, rates]), at, 1.0 / 256.0)
    noisy = rates + np.random.default_rng(1).normal(0.0, NOISE, rates.shape)
    drum = mr.cylinder(radius, height, mass=1.0)
    fit = fit_test(drum, Recording(at, noisy), 0, level=SURE)
    assert fit.misfit.explained
    for name, value in {"time": 0.0, "tilt": tilt, "rolling_loss": loss, "push": push}.items():
        low, high = fit.intervals[name]
        assert low <= value <= high, (name, low, high)
        assert high - low < 0.02


def test_neighbours_of_a_round_body_name_its_radius_and_clearance(quick):
    body, recording, truth = drawn_round("wobbling", "mean", 1)
    wider = stretched(body, np.array([1.05, 1.05, 1.0]))
    fit = fit_test(wider, recording, 0)
    assert fit.misfit.explained is False
    near = {each.added: each for each in neighbours(wider, recording, fit)}
    assert set(near) == {
        ("size_r",),
        ("size_z",),
        ("size_r", "size_z"),
        ("rate",),
        ("clearance",),
        ("energy_gain",),
    }
    assert near["size_r",].misfit.explained
    assert near["size_r",].estimates["size_r"] == pytest.approx(1.0 / 1.05, abs=2e-3)
    assert near["size_r",].estimates["rolling_loss"] == pytest.approx(truth["rolling_loss"], abs=5e-3)


def test_parameters_that_a_base_does_not_have_are_refused(recording):
    body, other, _ = drawn_round("planar", "mean", 0)
    with pytest.raises(
        ValueError, match=r"free must name parameters of lambda_lon, lambda_lat, rolling_loss"
    ):
        fit_test(body, other, 0, free=LAMBDAS)
    with pytest.raises(ValueError, match=r"free must name parameters of lambda, .* got \('rolling_loss',\)"):
        fit_test(BLOCK, recording, 0, free=("rolling_loss",))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ROUND)
def test_coverage_of_the_intervals_of_round_bodies(kind):
    """Of 40 tests intervals at 95 % hold each parameter in 34 at least: chance 99 %, each."""
    inside: dict[str, int] = {}
    for number in range(40):
        body, recording, truth = drawn_round(kind, "mean", number)
        fit = fit_test(body, recording, 0, free=ROUND[kind])
        for name, value in truth.items():
            low, high = fit.intervals[name]
            inside[name] = inside.get(name, 0) + (low <= value <= high)
    assert min(inside.values()) >= 34, inside


@pytest.mark.slow
def test_coverage_of_the_intervals(capsys):
    """Of 100 tests with parameters at random, intervals at 95 % hold each in 89 to 100: chance 99 %, each."""
    rng = np.random.default_rng(7)
    inside = dict.fromkeys(TRUTH, 0)
    scores = {name: [] for name in TRUTH}
    for seed in range(100):
        truth = {
            "time": 1.0,
            "tilt": rng.uniform(0.17, 0.22),
            "lambda": rng.uniform(0.4, 1.6),
            "lambda_lon": rng.uniform(0.6, 1.3),
            "lambda_lat": rng.choice([-1.0, 1.0]) * rng.uniform(0.3, 1.0),
        }
        fit = fit_test(BLOCK, recording_of(truth, bias=rng.normal(0.0, 0.02, 3), seed=seed), 0)
        for name, value in truth.items():
            low, high = fit.intervals[name]
            inside[name] += low <= value <= high
            scores[name].append((fit.estimates[name] - value) / fit.standard_errors[name])
    with capsys.disabled():
        for name in TRUTH:
            print(f"\n{name}: {inside[name]} of 100 inside, error over standard error ", end="")
            print(f"{np.mean(scores[name]):.2f} +- {np.std(scores[name]):.2f}", end="")
    assert min(inside.values()) >= 89


def test_readings_that_never_change_at_rest_tell_no_noise():
    """As of a coarse sensor or of noise-free data: whether the model explains the test is then not known."""
    time = np.linspace(0.0, 4.0, 401)
    left = np.where(time[:, None] > 1.0, 0.01 * np.sin(40.0 * time[:, None] + np.arange(3)), 0.0)
    comparison = SimpleNamespace(
        residuals=lambda x: left.ravel(), time=time, kept=np.ones(time.size, bool), sample=0.01,
        landings=SimpleNamespace(landing=np.array([2.0])),
    )  # fmt: skip
    found = misfit(comparison, np.array([1.0]))
    assert np.isnan(found.noise)
    assert found.explained is None
    assert found.widening == 1.0


def test_axes_that_a_file_lacks_do_not_make_the_noise_small():
    readings = np.zeros((2001, 3))
    readings[:, 1] = norm.ppf((np.arange(2001) + 0.5) / 2001, scale=0.01)
    assert searching.noise_of(readings.ravel(), 1e-4) == pytest.approx(0.01, rel=1e-3)
    assert searching.noise_of(np.zeros(30), 1e-4) == 1e-4
