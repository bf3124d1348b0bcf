"""Subset simulation: closed forms from 1e-2 to 1e-6, ties, several branches, moves that keep the prior."""

from math import sqrt

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr, ndtri

from mcrock.ensemble.rare import LENGTH, Space, Walkers, _Mixture, climb, next_level

WEIGHTS = np.sqrt([0.6, 0.25, 0.1, 0.05])
MOST = 9


def space(seed=1):
    return Space(seed, ("a", "b", "c", "d"), False)


def linear(probability):
    """Score of the event that a weighted sum of standard normal numbers is above its quantile."""
    limit = -ndtri(probability)

    def score(walkers, strata):
        y = walkers.normal @ WEIGHTS
        return np.where(y > limit, np.inf, y - limit)

    return score


def estimates(score, units, seed=1, n=100):
    before = climb(space(seed + 1000), score, [0], n, MOST)
    return climb(space(seed), score, [0] * units, n, MOST, ladders=before.ladders)


@pytest.mark.parametrize(("probability", "units"), [(1e-2, 1000), (1e-4, 2000), (1e-6, 3000)])
def test_estimates_of_a_linear_event_have_no_bias(probability, units):
    """Coefficients of variation of 0.5, 1.2 and 1.9: five standard errors are 8, 13 and 17 %."""
    found = estimates(linear(probability), units)
    error = found.probability.std() / sqrt(units)
    assert abs(found.probability.mean() - probability) < 5 * error
    assert error < 0.04 * probability
    # the runs that counting needs for the same error are far more
    assert found.runs.mean() < 0.5 * probability * (1 - probability) / (units * error**2) + 200


def test_levels_chosen_from_the_same_states_make_it_too_large():
    """What the run before is for: 20 % near 1e-4, with 500 units and a standard error of 5 %."""
    own = climb(space(), linear(1e-4), [0] * 500, 100, MOST)
    assert own.probability.mean() > 1.05e-4


def test_two_branches_count_both():
    """The event at either end of one input, where one end is behind the other at first."""
    lower, upper = ndtri(1e-3), -ndtri(2e-3)

    def score(walkers, strata):
        x = walkers.normal[:, 0]
        reached = np.where(x > 0, x - upper, 2 * (lower - x) - 1)
        return np.where((x > upper) | (x < lower), np.inf, np.minimum(reached, 0.0))

    found = estimates(score, 2000).probability
    assert abs(found.mean() - 3e-3) < 5 * found.std() / sqrt(2000)


def test_scores_that_are_the_same_for_most_are_no_level():
    """Nine of ten states score the same, as bodies do that nothing tells apart."""

    def score(walkers, strata):
        u = ndtr(walkers.normal[:, 0])
        return np.where(u < 1e-3, np.inf, np.where(u < 0.1, 1 - 10 * u, -1.0))

    found = estimates(score, 2000).probability
    assert abs(found.mean() - 1e-3) < 5 * found.std() / sqrt(2000)


def test_an_impossible_event_has_no_probability_and_ends():
    found = estimates(lambda walkers, strata: -1.0 - np.abs(walkers.normal[:, 0]), 5)
    assert (found.probability == 0).all()
    assert (found.runs <= 100 * (MOST + 1)).all()


def test_an_event_that_the_run_before_misses_is_found_all_the_same():
    """Nothing leads up to it: 20 states, of which none reaches it, choose the levels."""

    def score(walkers, strata):
        return np.where(ndtr(walkers.normal[:, 0]) < 1e-2, np.inf, -1.0)

    seeds = (seed for seed in range(100) if not climb(space(seed), score, [0], 20, MOST).probability[0])
    before = climb(space(next(seeds)), score, [0], 20, MOST)
    found = climb(space(200), score, [0] * 2000, 20, MOST, ladders=before.ladders).probability
    assert abs(found.mean() - 1e-2) < 5 * found.std() / sqrt(2000)


def test_strata_have_levels_of_their_own():
    limits = -ndtri(np.array([1e-1, 1e-3]))

    def score(walkers, strata):
        y = walkers.normal @ WEIGHTS
        return np.where(y > limits[strata], np.inf, y - limits[strata])

    before = climb(space(5), score, [0, 1], 200, MOST)
    found = climb(space(6), score, [0, 1] * 500, 50, MOST, ladders=before.ladders).probability
    for stratum, true in enumerate((1e-1, 1e-3)):
        own = found[stratum::2]
        assert abs(own.mean() - true) < 5 * own.std() / sqrt(500)
    assert len(before.ladders.levels[0]) < len(before.ladders.levels[1])


def test_units_do_not_depend_on_others():
    """The first unit, alone or with others."""
    score = linear(1e-3)
    ladders = climb(space(9), score, [0], 100, MOST).ladders
    one = climb(space(), score, [0], 50, MOST, ladders=ladders)
    many = climb(space(), score, [0] * 7, 50, MOST, ladders=ladders)
    assert one.probability[0] == many.probability[0]
    assert len(np.unique(many.probability)) > 3


def test_moves_keep_the_distribution_and_the_noise_its_variance():
    of = Space(3, ("a",), True)
    walkers, places = of.fresh(20_000, 1), np.arange(20_000)
    for turn in range(2, 6):
        walkers = of.propose(walkers, of.fresh(20_000, turn), places, turn, 0.5)
    # 4 standard errors of 20,000
    assert stats.kstest(walkers.normal[:, 0], "norm").statistic < 0.014
    np.testing.assert_allclose((walkers.share**2).sum(axis=1), 1.0)
    assert walkers.noise.shape == (20_000, 5)
    same = (walkers.at_impacts < 2 * 2**32).mean()  # kept four times, each with a chance of one half
    assert same == pytest.approx(0.5**4, abs=0.007)
    whole, other = (_Mixture(3, np.array([5, 9]), np.array(share)) for share in ([0.0, 1.0], [1.0, 0.0]))
    both = _Mixture(3, np.array([5, 9]), np.array([0.8, 0.6])).standard_normal(10_000)
    np.testing.assert_allclose(
        both, 0.6 * whole.standard_normal(10_000) + 0.8 * other.standard_normal(10_000)
    )
    assert stats.kstest(both, "norm").statistic < 0.02


def test_walkers_that_are_not_moved_keep_their_streams():
    of = Space(3, ("a",), True)
    now, places = of.fresh(4, 1), np.arange(4)
    proposal = of.propose(now, of.fresh(4, 2), places, 2, 0.5)
    good = np.array([True, False, True, False])
    after = now.moved(good, proposal)
    np.testing.assert_array_equal(after.share[~good], [[1.0, 0.0]] * 2)
    np.testing.assert_array_equal(after.normal[~good], now.normal[~good])
    np.testing.assert_array_equal(after.noise[good], proposal.noise[good])
    put = Walkers(*(array.copy() for array in now)).put(np.array([1]), after.take(np.array([0])))
    np.testing.assert_array_equal(put.normal[1], after.normal[0])


def test_levels_rise_to_the_event():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=100)
    level = next_level(scores, [])
    assert (scores >= level).sum() == 100 // LENGTH
    assert next_level(np.full(100, -1.0), []) == 1.0  # nothing to choose from
    assert next_level(scores + 5.0, []) == 1.0  # beyond the slenderness nothing is ranked
    assert next_level(scores, [1.0]) == np.inf
    assert next_level(np.where(scores > 0, np.inf, scores), []) == np.inf
    assert next_level(scores, [], last=True) == np.inf
