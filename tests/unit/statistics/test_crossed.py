"""Components of variance of crossed draws: by the analysis of variance, by all pairs, of a known model."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

from mcrock.statistics.epistemic import components_of, covariance_between_records, jackknifed, sums_of
from tests.unit.statistics.nested import crossed_of, draw_scores, true_components


def components(yes, starts=None):
    return components_of(sums_of(crossed_of(yes, starts)), has_records=True)[:, 0]


def draw(seed, draws=6, records=5, per_record=4):
    return draw_scores(np.random.default_rng(seed), draws, records, per_record) > 0


def mean_squares(y):
    """Of the balanced design (n_outer, n_record, n_realization), realizations nested in records."""
    K, R, m = y.shape
    k, r, i = y.mean((1, 2)), y.mean((0, 2)), y.mean(0)
    kr, mean = y.mean(2), y.mean()
    off = y - kr[:, :, None] - i[None] + r[None, :, None]
    return {
        "k": R * m * ((k - mean) ** 2).sum() / (K - 1),
        "r": K * m * ((r - mean) ** 2).sum() / (R - 1),
        "kr": m * ((kr - k[:, None] - r + mean) ** 2).sum() / ((K - 1) * (R - 1)),
        "i": K * ((i - r[:, None]) ** 2).sum() / (R * (m - 1)),
        "ki": (off**2).sum() / ((K - 1) * R * (m - 1)),
    }


@pytest.mark.parametrize("seed", range(4))
def test_balanced_components_are_those_of_the_analysis_of_variance(seed):
    y = draw(seed).astype(float)
    K, R, m = y.shape
    ms = mean_squares(y)
    expected = [
        (ms["k"] - ms["kr"]) / (R * m),
        (ms["r"] - ms["i"] - ms["kr"] + ms["ki"]) / (K * m),
        (ms["i"] - ms["ki"]) / K,
        (ms["kr"] - ms["ki"]) / m,
        ms["ki"],
    ]
    np.testing.assert_allclose(components(y)[:5], expected, atol=1e-12)


def by_pairs(y, starts):
    """Means of products over all pairs of each kind, by loops."""
    K, n = y.shape
    record = np.searchsorted(starts, np.arange(n), side="right")
    found = {name: [] for name in "qabcde"}
    for (k, i), (h, j) in product(product(range(K), range(n)), repeat=2):
        same_draw, same, near = k == h, i == j, record[i] == record[j]
        name = {
            (True, True, True): "q",
            (False, True, True): "a",
            (True, False, True): "b",
            (False, False, True): "c",
            (True, False, False): "d",
            (False, False, False): "e",
        }[same_draw, same, near]
        found[name].append(y[k, i] * y[h, j])
    q, a, b, c, d, e = (np.mean(values) for values in found.values())
    return np.array([d - e, c - e, a - c, b - c - d + e, q - a - b + c, q - e])


def test_records_of_unequal_size_count_by_pairs():
    rng, starts = np.random.default_rng(3), [0, 2, 3, 7]
    y = (rng.random((4, 9)) < 0.4).astype(float)
    np.testing.assert_allclose(components(y, starts), by_pairs(y, starts), atol=1e-12)
    y[1, 4] = 0.5  # a run that broke off
    np.testing.assert_allclose(components(y, starts), by_pairs(y, starts), atol=1e-12)


@given(st.integers(0, 10**6))
def test_components_add_up_and_do_not_depend_on_the_order(seed):
    rng, y = np.random.default_rng(seed), draw(seed)
    found = components(y)
    assert found[:5].sum() == pytest.approx(found[5], abs=1e-12)
    mixed = y[rng.permutation(len(y))][:, rng.permutation(y.shape[1])][:, :, rng.permutation(y.shape[2])]
    np.testing.assert_allclose(components(mixed), found, atol=1e-12)
    np.testing.assert_allclose(components(~y), found, atol=1e-12)  # survival has the variance of overturning


@pytest.mark.parametrize(("source", "axes"), [(0, (1, 2)), (1, (0, 2))])
def test_a_source_alone_has_all_the_variance(source, axes):
    """Outcomes that hang on the draw alone, or on the record alone."""
    size = (6, 8, 4)
    yes = np.arange(size[source]) % 2 == 0
    found = components(np.broadcast_to(np.expand_dims(yes, axes), size))
    n = size[source]
    expected = np.zeros(5)
    expected[source] = 0.25 * n / (n - 1)  # sample variance without bias
    np.testing.assert_allclose(found[:5], expected, atol=1e-12)


@pytest.mark.parametrize("probability", [0.16, 0.5])
def test_components_of_a_known_model_have_no_bias(probability):
    """4000 studies: the mean of each component is within 4 standard errors, and those are below 5 %."""
    rng, limit = np.random.default_rng(1), ndtri(probability)
    found = np.array([components(draw_scores(rng, 8, 7, 3) < limit) for _ in range(4000)])
    true, error = true_components(probability), found.std(axis=0) / np.sqrt(len(found))
    assert (error < 0.05 * true).all()
    assert (np.abs(found.mean(axis=0) - true) < 4 * error).all()


def test_the_plain_variance_of_fractions_is_too_large():
    """What the crossed form is for: with the noise of runs the variance is out by 75 % here."""
    rng = np.random.default_rng(2)
    plain = [np.var((draw_scores(rng, 8, 7, 3) < 0).mean((1, 2)), ddof=1) for _ in range(2000)]
    assert np.mean(plain) > 1.5 * true_components(0.5)[0]


def test_what_records_share_is_the_first_component():
    y = draw(5)
    found = covariance_between_records(y.mean(axis=2), np.ones(5))
    assert float(found) == pytest.approx(components(y)[0], abs=1e-14)


def test_what_records_share_is_found_at_each_intensity():
    values, weights = np.random.default_rng(8).normal(size=(6, 5, 3, 2)), np.array([1.0, 4.0, 2.0, 3.0, 2.0])
    found = covariance_between_records(values, weights)
    assert found.shape == (3, 2)
    for at in product(range(3), range(2)):
        own = values[:, :, *at]
        between = np.cov(own, rowvar=False)  # of two records over the draws
        pairs = np.outer(weights, weights)
        np.fill_diagonal(pairs, 0.0)
        assert found[at] == pytest.approx((pairs * between).sum() / pairs.sum(), abs=1e-14)


def test_left_out_are_the_components_of_the_rest():
    y = draw(6)
    records, draws = jackknifed(sums_of(crossed_of(y)), has_records=True)
    for r in range(y.shape[1]):
        np.testing.assert_allclose(records[r, :, 0], components(np.delete(y, r, axis=1)), atol=1e-12)
    for k in range(len(y)):
        np.testing.assert_allclose(draws[k, :, 0], components(np.delete(y, k, axis=0)), atol=1e-12)


def test_without_records_realizations_stand_for_them():
    y = draw(7)
    crossed = crossed_of(y.reshape(6, 20, 1))
    found = components_of(sums_of(crossed), has_records=False)[:, 0]
    assert np.isnan(found[[2, 4]]).all()
    assert np.nansum(found[:5]) == pytest.approx(found[5])
    two = mean_squares(np.repeat(y.reshape(6, 20, 1), 2, axis=2).astype(float))  # m = 2 copies
    assert found[0] == pytest.approx((two["k"] - two["kr"]) / 40)


def test_with_one_realization_in_each_record_those_within_are_not_known():
    y = draw(7).reshape(6, 20, 1)
    np.testing.assert_array_equal(
        components(y), components_of(sums_of(crossed_of(y)), has_records=False)[:, 0]
    )
