"""Intervals that hold at every look: by martingale, by simulation, and what they are of."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcrock.base.params import Outcome
from mcrock.statistics import betting_interval, sequential_probability
from mcrock.statistics.probability import BETS


def capital(x, mean):
    """Of bets that the mean is larger (n + 1,), after each observation."""
    gains = np.log1p(BETS[:, None] * (x / mean - 1)).cumsum(axis=1)
    return np.exp(np.concatenate([np.zeros((len(BETS), 1)), gains], axis=1)).mean(axis=0)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_ends_are_where_the_capital_is_forty(values):
    x = np.array(values)
    for data, end in ((x, betting_interval(x)[0]), (1 - x, 1 - betting_interval(x)[1])):
        assert 0 <= end <= data.mean() + 1e-9
        if end > 1e-6:
            assert capital(data, end * (1 - 1e-6))[-1] >= 40
            assert capital(data, end * (1 + 1e-6))[-1] <= 40


def test_the_capital_is_a_martingale():
    """Two values of mean 0.3: the next capital is the present one in the mean."""
    now = np.array([0.0, 1.0, 1.0, 0.0])
    after = [capital(np.append(now, x), 0.3)[-1] for x in (0.0, 1.0)]
    assert 0.7 * after[0] + 0.3 * after[1] == pytest.approx(capital(now, 0.3)[-1])


def test_intervals_do_not_depend_on_the_order_and_mirror():
    x = np.random.default_rng(0).beta(0.3, 1.0, 40)
    lower, upper = betting_interval(x)
    np.testing.assert_allclose(betting_interval(x[::-1]), (lower, upper), atol=1e-10)
    np.testing.assert_allclose(betting_interval(1 - x), (1 - upper, 1 - lower), atol=1e-10)
    assert betting_interval(x, 0.5)[0] > lower
    columns = betting_interval(np.stack([x, 1 - x], axis=1))
    np.testing.assert_allclose(columns[0], [lower, 1 - upper], atol=1e-10)


def draw(rng, kind, n):
    """Observations of mean 0.05, 0.2 or 0.5: yes or no, shares of 22 records, or mostly nothing."""
    if kind == "rare":
        return (rng.random(n) < 0.05).astype(float), 0.05
    if kind == "shares":
        p = np.linspace(0, 1, 22)
        return (rng.random((n, 22)) < p).mean(axis=1), 0.5
    return rng.beta(0.1, 0.4, n), 0.2


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["rare", "shares", "skewed"])
def test_intervals_hold_at_every_look(kind):
    """2000 samples of 400 observations, looked at after each: the truth is excluded at no look in 0.95.

    An interval excludes the truth where a capital at it passes 40; in the mean that is far rarer.
    """
    rng = np.random.default_rng(7)
    held = 0
    for _ in range(2000):
        x, mean = draw(rng, kind, 400)
        held += capital(x, mean).max() < 40 and capital(1 - x, 1 - mean).max() < 40
    assert held >= 0.95 * 2000


def test_a_look_at_every_tenth_of_a_study_holds():
    """The same by the intervals themselves, for 12 samples: 0.6 misses on average at most, 4 once in 400."""
    rng = np.random.default_rng(1)
    missed = 0
    for _ in range(12):
        x, mean = draw(rng, "shares", 60)
        looks = [betting_interval(x[:n]) for n in range(6, 61, 6)]
        missed += any(not low <= mean <= high for low, high in looks)
    assert missed < 4


def test_blocks_are_one_realization_of_each_record(make_study):
    ds = make_study(records=4, per_record=25)
    found = sequential_probability(ds)
    share = (ds["outcome"].values == Outcome.OVERTURNED).reshape(25, 4, -1).mean(axis=1)
    np.testing.assert_allclose(found["interval"], betting_interval(share))
    np.testing.assert_allclose(found["probability"], share.mean(axis=0))
    assert int(found["blocks"]) == 25
    whole = sequential_probability(ds.isel(realization=slice(98)))  # two realizations without their block
    assert int(whole["blocks"]) == 24


def test_undecided_runs_widen_the_interval(make_study):
    ds = make_study(records=4, per_record=25, undecided=0.2)
    decided = make_study(records=4, per_record=25)
    wide, narrow = (np.diff(sequential_probability(one)["interval"].values, axis=0) for one in (ds, decided))
    assert (wide >= narrow - 1e-9).all()
    assert wide.sum() > narrow.sum() + 0.5


def test_what_has_no_independent_blocks_is_refused(make_study):
    with pytest.raises(ValueError, match="fixed levels"):
        sequential_probability(make_study(cloud=True))
    ds = make_study(records=4, per_record=5)
    with pytest.raises(ValueError, match="in turn"):
        sequential_probability(ds.isel(realization=slice(None, None, -1)))
    config = {
        "seed": 1,
        "body": {"shape": "cuboid", "width": 0.4, "depth": 0.4, "height": 1.6, "density": 2000.0},
        "motion": {"source": "pulse", "shape": "one-sine", "period": 1.0},
        "intensity": {"measure": "pga", "levels": [1.0, 2.0]},
        "ensemble": {"realizations": 20, "design": "sobol"},
    }
    with pytest.raises(ValueError, match=r"ensemble\.design = 'random', got 'sobol'"):
        sequential_probability(ds.assign_attrs(config=json.dumps(config)))
