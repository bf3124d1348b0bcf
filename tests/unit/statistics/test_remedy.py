"""The value that meets a target: closed forms, symmetries, and how often its interval holds the truth."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit, ndtr, ndtri

from mcrock.base.params import Outcome
from mcrock.ensemble.designs import MOST
from mcrock.show.comparison import compose_remedy, format_doubts, format_remedy, plot_remedy
from mcrock.statistics import frontier, judge_design, required_value, with_displacement_limit
from mcrock.statistics.likelihood import fit_curves
from mcrock.statistics.remedy import crossings, next_value
from tests.conftest import few_resamples
from tests.unit.statistics.conftest import PGA, simulate_study
from tests.unit.statistics.test_probability import sliding_study
from tests.unit.statistics.test_risk import K0, SLOPE, power_law

VALUES = np.linspace(0.3, 0.9, 5)


def judged(rate, spread=2.0, family="lognormal"):
    """A design of this annual rate, the isotonic one being larger by a tenth."""
    rates = np.array([rate, 1.1 * rate])
    return xr.Dataset(
        {
            "rate": ("fragility", rates),
            "rate_interval": (("bound", "fragility"), [rates / spread, rates * spread]),
            "rate_by_hazard": (("fragility", "hazard"), np.multiply.outer(rates, [1.0, 0.5, 2.0])),
            "fit_p_value": 0.5,
            "runs_share": ("fragility", [0.1, 0.2]),
            "records": 22,
            "overturned": 30,
            "undecided": 0,
            "runs": 100,
        },
        coords={"fragility": ["lognormal", "stripes"], "hazard": ["mean", "0.16", "0.84"]},
        attrs={"accepted_family": family, "why": "a test"},
    )


def solved(rates, target, **options):
    found = {value: judged(rate, **options) for value, rate in zip(VALUES, rates, strict=True)}
    return required_value(found, target, name="body.width", units="m")


@given(st.floats(0.31, 0.89), st.floats(5.0, 30.0), st.floats(1.1, 5.0), st.booleans())
def test_an_exponential_is_solved_exactly(at, slope, spread, rises):
    slope = slope if rises else -slope
    found = solved(1e-4 * np.exp(slope * (VALUES - at)), 1e-4, spread=spread)
    assert float(found["required"]) == pytest.approx(at, rel=1e-9)
    reach = np.log(spread) / abs(slope)
    low, high = at - reach, at + reach
    expected = [low if low > 0.3 else -np.inf, high if high < 0.9 else np.inf]
    np.testing.assert_allclose(found["required_interval"], expected, rtol=1e-9)
    assert found.attrs["verdict"] == ("at most" if rises else "at least")
    assert (bool(found["rises"]), bool(found["falls"])) == (
        (True, False)
        if rises and 0.6 * abs(slope) > 2 * np.log(spread)
        else (False, True)
        if 0.6 * abs(slope) > 2 * np.log(spread)
        else (False, False)
    )


@given(st.lists(st.floats(-3.0, 3.0), min_size=5, max_size=5))
def test_a_mirror_mirrors_every_crossing(logs):
    y = np.exp(logs)
    found = crossings(VALUES, y, 0.5 * y, 2.0 * y, 1.0)
    mirrored = crossings(-VALUES[::-1], y[::-1], 0.5 * y[::-1], 2.0 * y[::-1], 1.0)
    assert len(found) == int(((y[1:] > 1) != (y[:-1] > 1)).sum())
    for one, other in zip(found, mirrored[::-1], strict=True):
        np.testing.assert_allclose(
            [one.at, one.low, one.high], [-other.at, -other.high, -other.low], atol=1e-12
        )
        assert one.low <= one.at <= one.high


@pytest.mark.parametrize(
    ("rates", "target", "verdict", "words"),
    [
        ([9e-4, 5e-4, 3e-4, 2e-4, 1.5e-4], 1e-4, "none", "least: 0.00015 per year (95 % interval 7.5e-05 to"),
        ([9e-4, 5e-4, 3e-4, 2e-4, 1.5e-4], 1e-3, "all", "most: 0.0009 per year (95 % interval 0.00045 to"),
        ([9e-4, 5e-4, 3e-4, 2e-4, 1.5e-4], 5e-3, "all", "Every body.width from 0.3 m to 0.9 m keeps"),
        ([9e-4, 8e-4, 8e-4, 7e-4, 6e-4], 1e-3, "all", "is known to keep the annual rate"),
        ([1e-5, 1e-3, 1e-3, 1e-5, 1e-5], 1e-4, "several", "0.3 m to 0.375 m, 0.675 m to 0.9 m keep"),
        ([1e-3, 1e-5, 1e-5, 1e-5, 1e-3], 1e-4, "several", "0.375 m to 0.825 m keep"),
    ],
)  # fmt: skip
def test_none_all_and_parts_of_a_range_are_said(rates, target, verdict, words):
    found = solved(rates, target)
    assert found.attrs["verdict"] == verdict
    assert not np.isfinite(found["required"])
    assert words in format_remedy(found)


def test_today_is_said_where_it_was_run():
    found = solved([9e-4, 5e-4, 3e-4, 2e-4, 1.5e-4], 3e-4)
    today = compose_remedy(found.assign_attrs(today=0.3)).blocks
    assert "today: 0.0009 per year (95 % interval 0.00045 to 0.0018; 4.4 % in 50 years) at 0.3 m" in today
    assert not any("today" in block for block in compose_remedy(found.assign_attrs(today=0.2)).blocks)


def test_the_figure_goes_down_to_the_least_rate_and_marks_what_is_far_below():
    """An axis that ended at a thirtieth of the target drew a gain of two orders as a flat line."""
    ax = plot_remedy(solved([4e-4, 1e-4, 3e-5, 2.1e-6, 2.7e-7], 1e-4))
    line, below = ax.lines[0], ax.lines[1]
    np.testing.assert_allclose(line.get_ydata(), [4e-4, 1e-4, 3e-5, 2.1e-6, 2.7e-7])
    assert ax.get_ylim()[0] < 2.7e-7
    assert not len(below.get_xdata())
    ax = plot_remedy(solved([4e-4, 1e-4, 3e-5, 1e-6, 1e-12], 1e-4))
    np.testing.assert_array_equal(np.isnan(ax.lines[0].get_ydata()), [0, 0, 0, 0, 1])
    assert ax.lines[1].get_xdata() == VALUES[-1]
    assert ax.lines[1].get_ydata() == ax.get_ylim()[0] == 1e-8
    assert "triangles: below 1e-08" in ax.get_figure().texts[0].get_text()


@pytest.mark.parametrize(
    ("rates", "cautions"),
    [
        ([9e-4, 3e-4, 1.5e-4, 8e-5, 6e-5], ["goes on above 0.9 m"]),
        ([6e-5, 8e-5, 1.5e-4, 3e-4, 9e-4], ["goes on below 0.3 m"]),
        ([1.5e-4, 8e-5, 3e-5, 1e-5, 1e-6], []),  # open on the side of values that are too weak alone
    ],
)
def test_an_interval_that_is_open_is_a_caution_on_the_side_that_meets_the_target(rates, cautions):
    found = solved(rates, 1e-4)
    assert np.isinf(found["required_interval"]).any()
    doubts = format_doubts(found)
    assert len(doubts) == len(cautions)
    assert all(words in line for words, line in zip(cautions, doubts, strict=True))


def test_a_dependence_that_turns_is_a_caution_with_its_place():
    found = solved([1e-3, 1e-5, 1e-3, 1e-5, 1e-5], 1e-4)
    assert found["rises"].item() == found["falls"].item() == 1
    assert any("does not go one way" in block for block in compose_remedy(found).blocks)


def test_rates_go_by_the_curve_of_most_and_intervals_by_each_design_s_own():
    rates = np.array([9e-4, 5e-4, 3e-4, 2e-4, 1e-4])
    values = dict(zip(VALUES, map(judged, rates), strict=True))
    values[0.9]["rate"][0] = np.nan
    values[VALUES[1]] = judged(5e-4, family="stripes")
    found = required_value(values, 2e-4, name="h")
    assert found.attrs["accepted_family"] == "lognormal"
    assert found.attrs["why"] == "3 of 4 designs go by the lognormal curve"
    np.testing.assert_allclose(found["rate"], rates * [1, 1, 1, 1, 1.1])
    own = np.array([1, 1.1, 1, 1, 1.1])
    np.testing.assert_allclose(found["rate_interval"], [rates * own / 2, rates * own * 2])
    assert "at 0.45, 0.9 the interval is that of the empirical fractions" in "".join(format_doubts(found))
    values[0.3], values[VALUES[2]] = (judged(rate, family="stripes") for rate in (9e-4, 3e-4))
    found = required_value(values, 2e-4, name="h")
    assert found.attrs["accepted_family"] == "stripes"
    np.testing.assert_allclose(found["rate"], 1.1 * rates)
    assert (found["rate_interval"].sel(bound="upper") >= found["rate"]).all()


def test_each_hazard_curve_has_its_value_and_the_runs_their_share():
    at, slope = 0.6, 10.0
    found = solved(1e-4 * np.exp(-slope * (VALUES - at)), 1e-4)
    np.testing.assert_allclose(found["required_by_hazard"], at + np.log([1.0, 0.5, 2.0]) / slope)
    low, high = at + np.log([0.5, 2.0]) / slope
    lines = compose_remedy(found).blocks
    assert f"by the fractiles of the hazard: {low:.3g} m (0.16), {high:.3g} m (0.84)" in lines
    assert "limited by 22 recordings: 10 times the runs would narrow the interval by 4.6 %" in lines
    far = solved(1e-4 * np.exp(-slope * (VALUES - 0.85)), 1e-4)
    assert "by the fractiles of the hazard: 0.781 m (0.16), above 0.9 m (0.84)" in compose_remedy(far).blocks


def test_the_line_of_two_keys_has_a_place_for_each_value_of_the_second():
    at = {1.0: 0.5, 1.5: 0.7, 2.0: 1.4, 0.5: 0.1}
    found = {x: solved(1e-4 * np.exp(-10 * (VALUES - each)), 1e-4) for x, each in at.items()}
    line = frontier(found, name="body.height", units="m")
    assert line["other"].values.tolist() == [0.5, 1.0, 1.5, 2.0]
    assert line["verdict"].values.tolist() == ["all", "at least", "at least", "none"]
    np.testing.assert_allclose(line["required"], [-np.inf, 0.5, 0.7, np.inf])
    np.testing.assert_allclose(line["required_interval"].isel(other=1), found[1.0]["required_interval"])
    shown = compose_remedy(line.assign_attrs(today=0.4, other_today=1.2))
    every = "of 0.3 m to 0.9 m"
    words = f"all {every} at 0.5 m; at least 0.5 m at 1 m; at least 0.7 m at 1.5 m; none {every} at 2 m"
    assert f"at 0.0001 per year (0.5 % in 50 years) or below, by body.height: {words}" in shown.blocks[0]
    ax = shown.drawings["frontier"]()
    assert ax.get_ylim() == (0.3, 0.9)
    places = {each.get_marker(): each.get_xydata().tolist() for each in ax.lines}
    assert (places["^"], places["v"], places["*"]) == ([[2.0, 0.9]], [[0.5, 0.3]], [[1.2, 0.4]])
    with pytest.raises(ValueError, match=r"at least two values of body\.height make a line, got 1"):
        frontier({1.0: found[1.0]}, name="body.height")


@pytest.mark.parametrize("by_rate", [False, True])
def test_more_runs_of_the_same_recordings_take_away_the_share_that_is_theirs(by_rate):
    """With 20 times the runs the variance is (1 - 0.95 share) of what it was."""
    shares, spreads = [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        effect = 0.25 * rng.standard_normal(40)
        levels = np.array([0.4, 0.6, 0.8, 1.0, 1.3, 1.7])
        few, many = (outcomes(rng, effect, levels, per_record) for per_record in (4, 80))
        asked = {"hazard": power_law()} if by_rate else {"intensity": 1.0}
        one = judge_design(few, **asked)
        shares.append(float(one["runs_share"][0] if by_rate else one["runs_share"]))
        spreads.append([spread_of(ds, by_rate) for ds in (few, many)])
    before, after = np.mean(spreads, axis=0)
    assert 0.2 < np.mean(shares) < 0.8
    assert after / before == pytest.approx(1 - 0.95 * np.mean(shares), abs=0.1)


def outcomes(rng, effect, levels, per_record):
    """Runs of records whose ln(capacity) has an effect of each and a scatter within of 0.3."""
    record = np.arange(len(effect) * per_record) % len(effect)
    capacity = np.exp(effect[record] + 0.3 * rng.standard_normal(len(record)))
    fell = np.where(levels > capacity[:, None], Outcome.OVERTURNED, Outcome.AT_REST)
    return xr.Dataset(
        {
            "outcome": (("realization", "intensity"), fell),
            "record": ("realization", record),
            "motion_group": ("motion", np.arange(len(effect))),
        },
        coords={"intensity": ("intensity", levels, PGA)},
    )


def spread_of(ds, by_rate):
    """Variance of ln(rate), or of the probability at the fourth level, by leaving out each record."""
    fell = (ds["outcome"] == Outcome.OVERTURNED).groupby(ds["record"]).sum().values
    rest = fell.sum(axis=0) - fell
    runs = (1 - 1 / len(fell)) * ds.sizes["realization"]
    if not by_rate:
        values = rest[:, 3] / runs
    else:
        fit = fit_curves(ds["intensity"].values, rest.astype(float), np.full(rest.shape, runs))
        values = -SLOPE * np.log(fit.low_median) + 0.5 * (SLOPE * fit.low_dispersion) ** 2
    return (len(fell) - 1) * values.var()


def test_the_next_value_halves_the_longest_step_until_it_is_short_beside_the_interval():
    def rate(x):
        return 1e-3 * np.exp(-((x - 0.2) ** 2) / 0.04)

    target, found = 1e-5, {x: judged(rate(x), spread=1.05) for x in VALUES}
    while True:
        result = required_value(found, target, name="body.width", units="m")
        if (value := next_value(result)) is None:
            break
        assert min(abs(value - x) for x in found) > 1e-3
        found[value] = judged(rate(value), spread=1.05)
    assert len(found) <= 12
    truth = 0.2 + np.sqrt(0.04 * np.log(100))
    low, high = result["required_interval"].values
    assert float(result["required"]) == pytest.approx(truth, abs=0.1 * (high - low))


def test_a_level_that_is_not_run_is_refused():
    with pytest.raises(
        ValueError, match=r"no level of the study is 3.3 m s-2: add it to \[intensity\] levels"
    ):
        judge_design(simulate_study(), intensity=3.3)
    with pytest.raises(ValueError, match="a cloud has no runs at one intensity"):
        judge_design(simulate_study(cloud=True), intensity=3.0)
    with pytest.raises(ValueError, match="by a hazard or at an intensity"):
        judge_design(simulate_study())


KINDS = ("lognormal", "log-logistic", "plateau")


def capacities(rng, kind):
    """ln(capacity) of each realization at x = 0.6, its record, and the distribution that it is drawn from."""
    records, per_record = int(rng.integers(8, 60)), int(rng.integers(4, 30))
    between, within = rng.uniform(0.1, 0.5, 2)
    record, spread = np.arange(records * per_record) % records, np.hypot(between, within)
    z = between * rng.standard_normal(records)[record] + within * rng.standard_normal(len(record))
    if kind == "log-logistic":
        scale = spread * np.sqrt(3) / np.pi
        return scale * logit(ndtr(z / spread)), record, lambda at: expit(at / scale)
    share = 1.0 if kind == "lognormal" else rng.uniform(0.5, 0.95)
    falls = rng.standard_normal(records)[record] + rng.standard_normal(len(record)) < np.sqrt(2) * ndtri(
        share
    )
    return np.where(falls, z, np.inf), record, lambda at: share * ndtr(at / spread)


def random_hazard(rng):
    """A power law, and the rate of a distribution of ln(capacity) by it, over its table."""
    slope, low, high = rng.uniform(1.5, 3.5), 10 ** rng.uniform(-1.5, -0.5), 10 ** rng.uniform(1.2, 2.0)
    hazard = power_law(low, high, 30)
    hazard["rate"][:] = K0 * hazard["hazard_intensity"].values ** -slope
    z = np.linspace(np.log(low), np.log(high), 20001)
    pieces = -np.diff(K0 * np.exp(-slope * z))
    return hazard, lambda share_below: float(share_below(0.5 * (z[1:] + z[:-1])) @ pieces)


def trial(rng, by_rate, kind="lognormal"):
    """Whether the interval holds the true value, and its width; None for a target out of reach."""
    slope, true = rng.uniform(1.0, 4.0), rng.uniform(0.4, 0.8)
    z, record, distribution = capacities(rng, kind)
    levels = np.sort(np.exp(rng.uniform(-1.2, 1.2, int(rng.integers(6, 12)))))
    hazard, rate_of = random_hazard(rng)
    level = float(rng.choice(levels))
    asked = {"hazard": hazard} if by_rate else {"intensity": level}
    if by_rate:
        target = rate_of(lambda at: distribution(at - slope * (true - 0.6)))
    else:
        target = float(distribution(np.log(level) - slope * (true - 0.6)))
        if not 0.02 < target < 0.98:
            return None

    def judge(x):
        fell = levels > np.exp(slope * (x - 0.6) + z)[:, None]
        ds = xr.Dataset(
            {
                "outcome": (
                    ("realization", "intensity"),
                    np.where(fell, Outcome.OVERTURNED, Outcome.AT_REST),
                ),
                "record": ("realization", record),
                "motion_group": ("motion", np.arange(record.max() + 1)),
            },
            coords={"intensity": ("intensity", levels, PGA)},
        )
        return judge_design(ds, **asked)

    found = {float(x): judge(x) for x in VALUES}
    while (value := next_value(result := required_value(found, target, name="x"))) and len(found) < MOST:
        found[value] = judge(value)
    low, high = result["required_interval"].values
    if np.isnan(low):  # several
        low, high = result["crossing_interval"].values.min(), result["crossing_interval"].values.max()
    return low <= true <= high, np.clip(high, 0.3, 0.9) - np.clip(low, 0.3, 0.9)


def coverage(seed, trials, *how):
    rng, held = np.random.default_rng(seed), []
    while len(held) < trials:
        if (one := trial(rng, *how)) is not None:
            held.append(one)
    return np.mean(held, axis=0)


def test_the_interval_holds_the_true_value_as_often_as_it_says():
    held, width = coverage(3, 100, False)
    assert 0.93 <= held <= 1.0
    assert width < 0.5


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "least", "most", "width"), [
    ("lognormal", 0.93, 0.99, 0.25), ("log-logistic", 0.93, 0.99, 0.3), ("plateau", 0.93, 1.0, 0.45),
])  # fmt: skip
def test_the_interval_by_rates_holds_the_true_value_as_often_as_it_says(kind, least, most, width):
    """Of a plateau the bounds of the fractions decide, which hold whatever curve there is between levels."""
    with few_resamples(400):
        held, wide = coverage(4, 200, True, kind)
    assert least <= held <= most
    assert wide < width


def test_designs_with_a_displacement_limit_are_judged_by_sliding_off_too():
    """The limit itself can be sought: the runs beyond it, or overturned, counted by hand."""
    ds = sliding_study()
    level, fell = float(ds["intensity"][3]), ds["outcome"].values[:, 3] == Outcome.OVERTURNED
    moved = ds["peak_displacement"].values[:, 3]
    limits = np.quantile(moved[~fell], [0.2, 0.5, 0.8])
    found = {
        limit: judge_design(with_displacement_limit(ds, limit), intensity=level) for limit in limits.tolist()
    }
    for limit, one in found.items():
        assert float(one["probability"]) == pytest.approx((fell | (moved > limit)).mean(), abs=1e-3)
    target = float(np.mean([float(one["probability"]) for one in found.values()]))
    words = format_remedy(required_value(found, target, name="limits.displacement", units="m"))
    assert words.startswith("At least")
    assert "probability of overturning or sliding off" in words
    assert "sliding" not in format_remedy(
        required_value({0.1: judged(1e-3), 0.2: judged(1e-5)}, 1e-4, name="x")
    )
