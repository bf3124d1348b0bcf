"""Scores of probabilities, and the rules of thumb beside them."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize
from scipy.special import log_ndtr, ndtr

from mcrock.statistics.distributions import calibration_curve, resampled, roc_curve, score
from mcrock.statistics.validation import fitted_elsewhere, is_set_aside, leave_one_out, validate

N = 14
P = arrays(float, N, elements=st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.6, 0.9, 1.0]))
Y = arrays(float, N, elements=st.sampled_from([0.0, 1.0]))
W = arrays(float, N, elements=st.integers(0, 3).map(float))


@given(P, Y, W)
def test_weights_are_copies(p, y, w):
    assume(w.sum() > 0)
    copies = np.repeat(np.arange(N), w.astype(int))
    one, other = score(p[copies], y[copies]), score(p, y, w)
    np.testing.assert_allclose(np.stack(other), np.stack(one), rtol=1e-12)


@given(P, Y)
def test_scores_by_their_definitions(p, y):
    called = p > 0.5
    found = score(p, y)
    right, hits = int((called == y).sum()), int((called & (y == 1)).sum())
    assert found.accuracy == pytest.approx(right / N)
    if hits:
        precision, recall = hits / called.sum(), hits / y.sum()
        assert found.f1 == pytest.approx(2 / (1 / precision + 1 / recall))
    assert found.brier == pytest.approx(np.mean((p - y) ** 2))
    given_to_it = np.maximum(np.where(y == 1, p, 1 - p), 1e-3)
    assert found.log_loss == pytest.approx(-np.log(given_to_it).mean())
    if 0 < y.sum() < N:
        pairs = p[y == 1][:, None] - p[y == 0]
        assert found.auc == pytest.approx(((pairs > 0) + 0.5 * (pairs == 0)).mean())


@given(P, Y)
def test_the_area_is_that_under_the_curve(p, y):
    assume(0 < y.sum() < N)
    false, true = roc_curve(p, y)
    assert (false[0], true[0], false[-1], true[-1]) == (0.0, 0.0, 1.0, 1.0)
    assert np.trapezoid(true, false) == pytest.approx(float(score(p, y).auc))


@given(P, Y, st.integers(1, 8))
def test_a_calibration_curve_counts_every_test_once(p, y, bins):
    mean, share, number = calibration_curve(p, y, bins)
    assert number.sum() == N
    assert mean @ number == pytest.approx(p.sum())
    assert share @ number == pytest.approx(y.sum())
    assert (np.diff(mean) > 0).all()


def test_resamples_take_whole_recordings():
    recording = np.array(list("aabbbc"))
    drawn = resampled(recording, 400, seed=3)
    assert (drawn[:, 0] == drawn[:, 1]).all()
    assert (drawn[:, 2] == drawn[:, 4]).all()
    np.testing.assert_array_equal(drawn[:, [0, 2, 5]].sum(axis=1), 3)
    np.testing.assert_allclose(drawn.mean(axis=0), 1.0, atol=0.15)


def sample(seed, n=60):
    rng = np.random.default_rng(seed)
    x = np.exp(rng.normal(size=n))
    y = (rng.random(n) < ndtr(1.5 * np.log(x))).astype(float)
    return x, y, rng.choice(list("abcdefgh"), n)


def test_a_probit_that_leaves_a_recording_out_is_the_likeliest_of_the_others():
    """Against an own minimum of the likelihood."""
    x, y, recording = sample(0)
    found = leave_one_out("probit", x, y, recording)
    for name in "abc":
        own = recording == name
        z, sign = np.log(x[~own]), 2 * y[~own] - 1

        def loss(b, z=z, sign=sign):
            return -log_ndtr(sign * (b[0] + b[1] * z)).sum()

        a, b = minimize(loss, [0.0, 1.0], tol=1e-10).x
        np.testing.assert_allclose(found[own], ndtr(a + b * np.log(x[own])), atol=1e-5)


def test_a_threshold_has_the_fewest_errors_among_the_others():
    x, y, recording = sample(2)
    found = leave_one_out("threshold", x, y, recording)
    own = recording == "b"
    errors = [(np.abs((x[~own] >= t) - y[~own]).sum(), t) for t in np.sort(x)]
    fewest = min(errors)[0]
    limits = [t for e, t in errors if e == fewest]
    called = found[own] > 0.5
    sure = (x[own] < min(limits)) | (x[own] > max(limits))
    np.testing.assert_array_equal(called[sure], x[own][sure] > max(limits))


def test_fitted_elsewhere_asks_nothing_of_the_labels_here():
    x, _, _ = sample(3)
    z, other, _ = sample(4)
    found = fitted_elsewhere("probit", x, z, other)
    order = np.argsort(x)
    assert (np.diff(found[order]) >= 0).all()
    np.testing.assert_allclose(fitted_elsewhere("probit", z, z, other).mean(), other.mean(), atol=0.02)


def test_the_differences_are_paired():
    x, y, recording = sample(5, 120)
    rng = np.random.default_rng(1)
    runs = (rng.random((300, len(y))) < ndtr(1.5 * np.log(x))).astype(float)
    found = validate(runs, y, recording, {"PGV": x}, level=0.9)
    assert found.attrs["judged"] == "mcrock"
    value, difference = found["value"], found["difference"]
    np.testing.assert_allclose(difference, value - value.sel(predictor="mcrock"))
    assert not difference.sel(predictor="mcrock").any()
    probit = found.sel(predictor="PGV probit", score="brier")
    low, high = probit["difference_interval"].values
    own = probit["value_interval"].values
    assert low < float(probit["difference"]) < high
    assert high - low < own[1] - own[0]  # both meet the same recordings
    assert 0.0 <= float(probit["better"]) <= 1.0


def test_calibration_learns_from_the_other_recordings():
    """Half of the draws say the contrary of what is seen."""
    x, y, recording = sample(6, 120)
    runs = np.concatenate([np.tile(y, (50, 1)), np.tile(1 - y, (50, 1))])
    found = validate(runs, y, recording, {"PGV": x}, calibrate=True)
    brier = found["value"].sel(score="brier")
    assert float(brier.sel(predictor="mcrock")) == pytest.approx(0.25)
    assert float(brier.sel(predictor="mcrock, calibrated")) < 1e-6
    assert float(found["effective"].min()) == pytest.approx(50.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"fallen": np.zeros(60)}, "some overturned and some did not"),
        ({"recording": np.full(60, "a")}, "scores need 2 recordings"),
        ({"fallen_by_draw": np.zeros((5, 59))}, r"expected runs \(n_draw, n_test\)"),
    ],
)
def test_what_has_no_scores(change, message):
    x, y, recording = sample(0)
    arguments = {"fallen_by_draw": np.zeros((5, 60)), "fallen": y, "recording": recording} | change
    with pytest.raises(ValueError, match=message):
        validate(**arguments, measures={"PGV": x})


@given(st.lists(st.text("abcdef0123", min_size=1, max_size=6), min_size=1, max_size=40))
def test_a_quarter_of_the_recordings_is_set_aside_whatever_their_order(names):
    chosen = {name for name, aside in zip(names, is_set_aside(names), strict=True) if aside}
    assert len(chosen) == round(len(set(names)) / 4)
    turned = {name for name, aside in zip(names[::-1], is_set_aside(names[::-1]), strict=True) if aside}
    assert turned == chosen
