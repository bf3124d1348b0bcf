"""The counter generator: uniform, independent streams, exact normal scores and tables."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

from mcrock.base.random_numbers import SCORE_LIMIT, normal_score, quantile, uniform, uniforms

SIZE = 20_000
FALSE_ALARM = 1e-4  # of each statistical test; the seeds are fixed, so a pass stays a pass
SCORE_RTOL = 4e-15  # AS 241 states 1e-16 relative; a few roundings on top
TABLE_RTOL = 1e-12  # of the width of a table: rounding of the cubic
# cubics on nodes 1/32 apart: third differences over 32^3 of a standard deviation
TABLE_ATOL = 1e-5


def test_numbers_are_frozen():
    """Frozen from this package: a changed number changes every study that was ever run."""
    expected = [0.9936777860034253, 0.757466157631966, 0.17350677448782903, 0.5569709738470884]
    assert uniforms(7, 1, 0, 4) == pytest.approx(expected, abs=0.0)


def test_plain_python_twin():
    """SplitMix64's finalizer written with Python integers."""

    def mix(z):
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % 2**64
        return z ^ (z >> 31)

    golden = 0x9E3779B97F4A7C15
    rng = np.random.default_rng(64)
    for key in [(0, 0, 0, 0), (2**64 - 1,) * 4, *rng.integers(0, 2**63, (200, 4)).tolist()]:
        seed, *words = key
        z = mix((seed + golden) % 2**64)
        for word in words:
            z = mix((z + word * golden + golden) % 2**64)
        assert uniform(*(np.uint64(word) for word in key)) == ((z >> 12) + 0.5) / 2**52


@pytest.mark.parametrize("seed", [0, 1, 2**63, 2**64 - 1])
@pytest.mark.parametrize("stream", [0, 4, 2**40])
def test_numbers_are_uniform(seed, stream):
    u = uniforms(seed, stream, 0, SIZE)
    assert u.min() > 0.0
    assert u.max() < 1.0
    assert stats.kstest(u, "uniform").pvalue > FALSE_ALARM
    counts = np.histogram(u, 100, (0, 1))[0]
    assert stats.chisquare(counts).pvalue > FALSE_ALARM


@pytest.mark.parametrize("lag", [1, 2, 3, 64])
def test_neighbouring_realizations_are_independent(lag):
    u = uniforms(11, 3, 0, SIZE)
    counts = np.histogram2d(u[:-lag], u[lag:], 10, [[0, 1], [0, 1]])[0]
    assert stats.chi2_contingency(counts).pvalue > FALSE_ALARM


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((5, 0, 0), (5, 1, 0)),  # streams
        ((5, 0, 0), (6, 0, 0)),  # seeds
        ((5, 2, 0), (5, 2, 1)),  # impacts
        ((0, 1, 0), (1, 0, 0)),  # words in exchanged places
    ],
)
def test_streams_are_independent(one, other):
    first, second = (uniforms(seed, stream, 0, SIZE, n) for seed, stream, n in (one, other))
    counts = np.histogram2d(first, second, 10, [[0, 1], [0, 1]])[0]
    assert stats.chi2_contingency(counts).pvalue > FALSE_ALARM
    assert not np.isin(first, second).any()  # 2e4^2 pairs of 52-bit numbers: chance 1e-7


def test_counter_within_a_realization_is_uniform():
    """One realization over many impacts, as the kernel draws."""
    u = np.array([uniform(np.uint64(9), 2, np.uint64(123), n) for n in range(SIZE)])
    assert stats.kstest(u, "uniform").pvalue > FALSE_ALARM
    assert abs(stats.spearmanr(u[:-1], u[1:]).statistic) < stats.norm.isf(FALSE_ALARM / 2) / np.sqrt(SIZE)


def test_parts_do_not_change_a_number():
    whole = uniforms(7, 1, 0, 100, 3)
    parts = [uniforms(7, 1, start, 10, 3) for start in range(0, 100, 10)]
    assert (np.concatenate(parts) == whole).all()
    assert uniforms(7, 1, 2**63, 2)[1] == uniforms(7, 1, 2**63 + 1, 1)[0]


@pytest.mark.parametrize(
    "u",
    [
        np.linspace(0.001, 0.999, 999),
        0.075 + np.linspace(-1e-9, 1e-9, 11),  # where the branches meet
        10.0 ** -np.arange(1, 300, 7),
        1.0 - 2.0 ** -np.arange(4, 53),
    ],
    ids=["middle", "seam", "lower tail", "upper tail"],
)
def test_normal_score_against_scipy(u):
    ours = np.array([normal_score(value) for value in u])
    expected = ndtri(u)
    # near the median and near 1 the argument itself is rounded: du / (density) is what it costs
    rounding = np.finfo(float).eps * np.minimum(u, 1.0) / np.maximum(stats.norm.pdf(expected), 1e-300)
    upper = np.where(u > 0.5, rounding, 0.0)
    assert (np.abs(ours - expected) <= SCORE_RTOL * np.abs(expected) + upper + 1e-16).all()


def test_normal_score_is_odd_and_zero_at_the_median():
    assert normal_score(0.5) == 0.0
    for u in (0.25, 0.125, 2.0**-20):  # 1 - u is exact
        assert normal_score(1.0 - u) == -normal_score(u)


def test_smallest_and_largest_uniform_have_finite_scores():
    smallest = 0.5 * 2.0**-52
    assert -SCORE_LIMIT < normal_score(smallest) < -8.0
    assert 8.0 < normal_score(1.0 - smallest) < SCORE_LIMIT


def table(function, nodes=529):
    return function(np.linspace(-SCORE_LIMIT, SCORE_LIMIT, nodes))


def test_table_of_a_line_is_exact():
    line = table(lambda score: 3.0 + 2.0 * score)
    for u in (1e-12, 0.01, 0.3, 0.5, 0.77, 0.999):
        assert quantile(line, u, False) == pytest.approx(3.0 + 2.0 * ndtri(u), abs=TABLE_RTOL * np.ptp(line))


def test_table_of_a_smooth_distribution():
    exponential = table(np.exp)  # lognormal
    for u in np.linspace(0.0005, 0.9995, 333):
        assert quantile(exponential, u, False) == pytest.approx(np.exp(ndtri(u)), rel=TABLE_ATOL)


def test_interpolation_stays_between_nodes_and_rises():
    steep = table(lambda score: np.where(score < 0.01, 0.0, 1.0))
    values = np.array([quantile(steep, u, False) for u in np.linspace(1e-6, 1 - 1e-6, 5001)])
    assert values.min() == 0.0
    assert values.max() == 1.0
    assert (np.diff(values) >= 0.0).all()


def test_table_ends():
    line = table(lambda score: score)
    assert quantile(line, 5e-324, False) == -SCORE_LIMIT
    assert quantile(line, 0.5 * 2.0**-52, False) > -SCORE_LIMIT


def test_discrete_table_is_looked_up():
    table = np.array([0.0005, 0.75, 1.0, 1.0, 1.0, 5.0, 9.0, np.nan, np.nan])  # the ninth place is left over
    found = [quantile(table, u, True) for u in (1e-17, 0.0005, 0.00051, 0.75, 0.7501, 1.0 - 1e-16)]
    assert found == [1.0, 1.0, 5.0, 5.0, 9.0, 9.0]


def test_draws_through_a_table_follow_the_distribution():
    normal = table(lambda score: 0.8 + 0.1 * score)
    drawn = [quantile(normal, u, False) for u in uniforms(3, 0, 0, 5000)]
    assert stats.kstest(drawn, stats.norm(0.8, 0.1).cdf).pvalue > FALSE_ALARM
