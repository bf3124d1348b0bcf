"""Quantiles of the distributions against independent SciPy and NumPy expressions."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy import stats

from mcrock.base.tables.distributions import (
    Beta,
    Discrete,
    Lognormal,
    Normal,
    Triangular,
    TruncatedNormal,
    Uncertain,
    Uniform,
)

U = np.array([1e-12, 0.001, 0.2, 0.5, 0.9, 0.9999])
finite = st.floats(-1e3, 1e3)
positive = st.floats(1e-3, 1e3)


@given(mean=finite, std=positive)
def test_normal(mean, std):
    ours = Normal(distribution="normal", mean=mean, std=std).quantile(U)
    np.testing.assert_array_equal(ours, stats.norm.ppf(U, mean, std))


@given(median=positive, dispersion=st.floats(0.01, 2.0))
def test_lognormal_by_median(median, dispersion):
    ours = Lognormal(distribution="lognormal", median=median, dispersion=dispersion).quantile(U)
    np.testing.assert_allclose(ours, median * np.exp(dispersion * stats.norm.ppf(U)), rtol=1e-12)


@given(mean=positive, ratio=st.floats(0.01, 2.0))
def test_lognormal_by_mean(mean, ratio):
    frozen = Lognormal(distribution="lognormal", mean=mean, std=ratio * mean).frozen
    assert frozen.mean() == pytest.approx(mean, rel=1e-9)
    assert frozen.std() == pytest.approx(ratio * mean, rel=1e-9)


@given(low=finite, width=positive, place=st.floats(0.0, 1.0))
def test_uniform_and_triangular(low, width, place):
    high, tol = low + width, 1e-9 * (abs(low) + width)
    ours = Uniform(distribution="uniform", low=low, high=high).quantile(U)
    np.testing.assert_allclose(ours, low + U * width, atol=tol)
    mode = min(low + place * width, high)
    triangular = Triangular(distribution="triangular", low=low, mode=mode, high=high)
    place = (mode - low) / (high - low)
    np.testing.assert_allclose(triangular.quantile(U), stats.triang.ppf(U, place, low, high - low), atol=tol)
    np.testing.assert_allclose(
        triangular.upper_quantile(U), triangular.quantile(1 - U), atol=1e-6 * (abs(low) + width)
    )


@given(mean=finite, std=positive, low=st.floats(-2.0, 1.0), width=st.floats(0.1, 3.0))
def test_truncated_normal(mean, std, low, width):
    ours = TruncatedNormal(
        distribution="truncated_normal",
        mean=mean,
        std=std,
        low=mean + low * std,
        high=mean + (low + width) * std,
    )
    first, last = stats.norm.cdf([low, low + width])
    expected = mean + std * stats.norm.ppf(first + U * (last - first))
    np.testing.assert_allclose(ours.quantile(U), expected, atol=1e-6 * (abs(mean) + std))


@given(alpha=st.floats(0.5, 20.0), beta=st.floats(0.5, 20.0), low=finite, width=positive)
def test_beta(alpha, beta, low, width):
    ours = Beta(distribution="beta", alpha=alpha, beta=beta, low=low, high=low + width).quantile(U)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy 1.18 gives up far out in the tail, where it is off by 1e-24
        expected = low + width * stats.beta.ppf(U, alpha, beta)
    np.testing.assert_allclose(ours, expected, atol=1e-9 * (abs(low) + width))


def test_discrete():
    ours = Discrete(distribution="discrete", values=[3, 1, 2], probabilities=[0.5, 0.25, 0.25])
    np.testing.assert_array_equal(ours.quantile([1e-16, 0.2, 0.3, 0.5, 0.51, 1 - 1e-16]), [1, 1, 2, 2, 3, 3])
    equal = Discrete(distribution="discrete", values=[0, 1])
    np.testing.assert_array_equal(equal.quantile([0.49, 0.51]), [0, 1])


def test_discrete_value_without_probability_never_comes():
    ours = Discrete(distribution="discrete", values=[0, 1, 2], probabilities=[0, 1, 0])
    np.testing.assert_array_equal(ours.quantile([1e-300, 0.5, 1 - 2**-53]), [1, 1, 1])


def test_upper_tail_keeps_its_digits():
    normal = Normal(distribution="normal", mean=0, std=1)
    assert normal.upper_quantile(1e-20) == pytest.approx(9.262340089798408, rel=1e-12)  # where 1 - q is 1


UNIFORM = Uniform(distribution="uniform", low=0, high=10)
DISCRETE = Discrete(distribution="discrete", values=[3, 1, 2, 0], probabilities=[0.4, 0.2, 0.3, 0.1])


@pytest.mark.parametrize(
    ("above", "least", "most", "of_uniform", "of_discrete"),
    [
        (None, None, None, 0.0, 0.0),
        (1.0, None, None, 0.1, 0.3),  # 0 and 1: a value must be above
        (None, 1.0, None, 0.1, 0.1),  # 0
        (None, None, 2.0, 0.8, 0.4),  # 3
        (None, None, 2.5, 0.75, 0.4),
        (None, 1.0, 2.0, 0.9, 0.5),
        (0.0, None, 1.0, 0.9, 0.8),  # but 1
        (1.0, 2.0, None, 0.2, 0.3),
        (2.0, 1.0, None, 0.2, 0.6),
        (-1.0, -1.0, 11.0, 0.0, 0.0),
    ],
)
def test_probability_outside_of_bounds(above, least, most, of_uniform, of_discrete):
    for distribution, expected in ((UNIFORM, of_uniform), (DISCRETE, of_discrete)):
        found = distribution.share_outside(above, least, most)
        assert found == pytest.approx(expected, abs=1e-15)


def test_the_rarest_draw_must_be_finite():
    """That of probability 2**-53; of an infinite one no run would come."""
    largest, rarest = np.log(np.finfo(float).max), stats.norm.isf(2.0**-53)
    for dispersion, finite in ((0.999 * largest / rarest, True), (1.001 * largest / rarest, False)):
        table = {"distribution": "lognormal", "median": 1.0, "dispersion": dispersion}
        if finite:
            assert Uncertain("1").parse(table).dispersion == dispersion
        else:
            with pytest.raises(ValidationError, match="must have finite values"):
                Uncertain("1").parse(table)


@pytest.mark.parametrize(
    ("table", "where"),
    [
        ({"distribution": "beta", "alpha": 1, "beta": 1, "high": -0.5}, "low"),  # which is 0 by default
        ({"distribution": "beta", "alpha": 1, "beta": 1, "low": 1.5}, "low"),  # and high 1
        ({"distribution": "triangular", "low": 1, "mode": 3.5, "high": 3}, "mode"),
        (
            {"distribution": "truncated_normal", "mean": 1, "std": 1, "low": 1 - 1e-13, "high": 1 + 1e-13},
            None,
        ),
        ({"distribution": "truncated_normal", "mean": 1, "std": 1, "low": 9, "high": 99}, None),
        ({"distribution": "truncated_normal", "mean": 1, "std": 1, "low": -99, "high": -7}, None),
    ],
)
def test_what_is_no_distribution(table, where):
    with pytest.raises(ValidationError) as error:
        Uncertain("m").parse(table)
    assert [item["loc"][-1:] for item in error.value.errors()] == [(where,) if where else ()]


def test_ends_and_modes_may_meet():
    for mode in (1.0, 3.0):
        table = {"distribution": "triangular", "low": 1, "mode": mode, "high": 3}
        assert Uncertain("m").parse(table).mode == mode
    far = {"distribution": "truncated_normal", "mean": 0, "std": 1, "low": 6.5, "high": 99}  # 4e-11 of it
    assert Uncertain("m").parse(far).quantile(0.5) == pytest.approx(stats.norm.isf(stats.norm.sf(6.5) / 2))
