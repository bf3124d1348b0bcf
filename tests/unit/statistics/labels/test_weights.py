"""Weights of draws by what fell and what stood."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mcrock.statistics.labels import left_out, log_likelihoods, weigh_draws

SHARES = arrays(float, (12, 5), elements=st.sampled_from([0.0, 0.25, 0.5, 1.0]))
LABELS = arrays(float, 5, elements=st.sampled_from([0.0, 1.0]))


@given(SHARES, LABELS, st.floats(0.01, 0.45), st.floats(0.05, 1.0))
def test_weights_are_bayes_with_a_power_of_the_likelihood(share, fallen, error, temper):
    each = error + (1 - 2 * error) * np.where(fallen == 1, share, 1 - share)
    expected = np.prod(each, axis=1) ** temper
    found = weigh_draws(share, fallen, error_rate=error, temper=temper, least_effective=1.0)
    np.testing.assert_allclose(found.weight, expected / expected.sum(), rtol=1e-9)
    assert 1.0 - 1e-9 <= found.effective <= 12.0 + 1e-9


@given(SHARES, LABELS, st.permutations(range(12)), st.permutations(range(5)))
def test_the_order_of_draws_and_labels_does_not_count(share, fallen, rows, columns):
    weights = weigh_draws(share, fallen, least_effective=2.0)
    other = weigh_draws(share[rows][:, columns], fallen[columns], least_effective=2.0)
    np.testing.assert_allclose(other.weight, weights.weight[rows], rtol=1e-6)
    assert other.temper == pytest.approx(weights.temper, rel=1e-6)


@given(SHARES, LABELS, st.floats(2.0, 11.0))
def test_the_temper_is_the_largest_that_leaves_the_draws_asked_for(share, fallen, least):
    found = weigh_draws(share, fallen, least_effective=least)
    assert found.effective >= least * (1 - 1e-6)
    if found.temper < 1.0:
        assert found.effective == pytest.approx(least, rel=1e-4)


def test_weights_that_collapse_are_refused():
    share = np.eye(40, 6)
    share[0] = 1.0
    with pytest.raises(ValueError, match=r"collapse on 1\.0 of 40 draws, where 10 are asked for"):
        weigh_draws(share, np.ones(6), temper=1.0)
    assert weigh_draws(share, np.ones(6)).effective == pytest.approx(10.0)
    with pytest.raises(ValueError, match="4 draws cannot leave 10"):
        weigh_draws(share[:4], np.ones(6))


@pytest.mark.parametrize(
    ("share", "fallen", "error", "message"),
    [
        ([[0.2, 0.4]], [1], 0.1, "share must be"),
        ([[0.2, 0.4]], [1, 0.5], 0.1, "1 for fallen and 0 for standing, got 0.5"),
        ([[0.2, 1.4]], [1, 0], 0.1, "must be 0 to 1"),
        ([[0.2, 0.4]], [1, 0], 0.5, "error rate must be between 0 and 0.5"),
    ],
)
def test_mistakes(share, fallen, error, message):
    with pytest.raises(ValueError, match=message):
        log_likelihoods(share, fallen, error)


def test_a_left_out_group_has_no_say_in_its_own_probability():
    rng = np.random.default_rng(3)
    share, fallen = (rng.random((200, 9)) < 0.5).astype(float), np.tile([1.0, 0.0, 1.0], 3)
    group = np.repeat(["a", "b", "c"], 3)
    found, effective = left_out(share, fallen, group)
    turned = np.where(group == "b", 1.0 - fallen, fallen)
    other, _ = left_out(share, turned, group)
    np.testing.assert_array_equal(other[group == "b"], found[group == "b"])
    assert (other[group != "b"] != found[group != "b"]).any()
    own = group == "a"
    weights = weigh_draws(share[:, ~own], fallen[~own])
    np.testing.assert_allclose(found[own], weights.weight @ share[:, own])
    assert effective[0] == pytest.approx(weights.effective)


def test_quantiles_and_means_go_by_weights():
    share = np.repeat([[0.0], [1.0]], 10, axis=0)
    weights = weigh_draws(share, [1], error_rate=0.1, least_effective=1.0)
    values = np.arange(20.0)
    assert weights.mean(values) == pytest.approx(0.1 * 4.5 + 0.9 * 14.5)
    assert weights.quantile(values, [0.05, 0.5, 0.95]).tolist() == [4.0, 14.0, 19.0]
