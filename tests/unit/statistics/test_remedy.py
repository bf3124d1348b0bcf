"""The value that meets a target: closed forms, symmetries, and how often its interval holds the truth."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from mcrock.base.params import Outcome
from mcrock.show.comparison import compose_remedy, format_remedy
from mcrock.statistics import judge_design, required_value
from mcrock.statistics.remedy import crossings, next_value
from tests.conftest import few_resamples
from tests.unit.statistics.conftest import PGA, simulate_study
from tests.unit.statistics.test_risk import K0, SLOPE, power_law

VALUES = np.linspace(0.3, 0.9, 5)


def judged(rate, spread=2.0, family="lognormal"):
    """A design of this annual rate, the isotonic one being larger by a tenth."""
    rates = np.array([rate, 1.1 * rate])
    return xr.Dataset(
        {
            "rate": ("fragility", rates),
            "rate_interval": (("bound", "fragility"), [rates / spread, rates * spread]),
            "fit_p_value": 0.5,
            "overturned": 30,
            "runs": 100,
        },
        coords={"fragility": ["lognormal", "stripes"]},
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
        ([9e-4, 5e-4, 3e-4, 2e-4, 1.5e-4], 1e-4, "none", "least: 0.00015 1/a (95 % interval 7.5e-05 to"),
        ([9e-4, 5e-4, 3e-4, 2e-4, 1.5e-4], 1e-3, "all", "most: 0.0009 1/a (95 % interval 0.00045 to"),
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
    assert "today: 0.0009 1/a (95 % interval 0.00045 to 0.0018) at 0.3 m" in compose_remedy(found, 0.3).blocks
    assert not any("today" in block for block in compose_remedy(found, 0.2).blocks)


def test_a_dependence_that_turns_is_a_caution_with_its_place():
    found = solved([1e-3, 1e-5, 1e-3, 1e-5, 1e-5], 1e-4)
    assert found["rises"].item() == found["falls"].item() == 1
    assert any("does not go one way" in block for block in compose_remedy(found).blocks)


def test_all_designs_go_by_one_curve_and_those_without_any_by_their_fractions():
    rates = np.array([9e-4, 5e-4, 3e-4, 2e-4, 1e-4])
    values = dict(zip(VALUES, map(judged, rates), strict=True))
    values[0.9]["rate"][0] = np.nan
    found = required_value(values, 2e-4, name="h")
    assert found.attrs["accepted_family"] == "lognormal"
    np.testing.assert_allclose(found["rate"], rates * [1, 1, 1, 1, 1.1])
    values[0.3] = judged(9e-4, family="stripes")
    found = required_value(values, 2e-4, name="h")
    assert found.attrs["accepted_family"] == "stripes"
    np.testing.assert_allclose(found["rate"], 1.1 * rates)


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


def designs(rng, records, slope):
    """Designs of median capacities exp(slope (x - 0.6)) under the same draws, and their dispersion."""
    per_record, between, within = int(rng.integers(4, 30)), *rng.uniform(0.1, 0.5, 2)
    record = np.arange(records * per_record) % records
    z = between * rng.standard_normal(records)[record] + within * rng.standard_normal(len(record))
    levels = np.sort(np.exp(rng.uniform(-1.2, 1.2, int(rng.integers(6, 12)))))
    made = {}
    for x in VALUES:
        fell = levels > np.exp(slope * (x - 0.6) + z)[:, None]
        made[float(x)] = xr.Dataset(
            {
                "outcome": (
                    ("realization", "intensity"),
                    np.where(fell, Outcome.OVERTURNED, Outcome.AT_REST),
                ),
                "record": ("realization", record),
                "motion_group": ("motion", np.arange(records)),
            },
            coords={"intensity": ("intensity", levels, PGA)},
        )
    return made, np.hypot(between, within)


def trial(rng, by_rate):
    """Whether the interval holds the true value, and its width; None for a target out of reach."""
    from scipy.stats import norm

    slope = float(rng.uniform(1.0, 4.0))
    made, spread = designs(rng, int(rng.integers(8, 60)), slope)
    true = float(rng.uniform(0.4, 0.8))
    if by_rate:  # in closed form: K0 median**-SLOPE exp(SLOPE**2 spread**2 / 2)
        target = K0 * np.exp(-SLOPE * slope * (true - 0.6) + 0.5 * (SLOPE * spread) ** 2)
        found = {x: judge_design(ds, power_law()) for x, ds in made.items()}
    else:
        levels = made[VALUES[0]]["intensity"].values
        level = float(rng.choice(levels))
        target = float(norm.cdf((np.log(level) - slope * (true - 0.6)) / spread))
        if not 0.02 < target < 0.98:
            return None
        found = {x: judge_design(ds, intensity=level) for x, ds in made.items()}
    result = required_value(found, target, name="x")
    low, high = result["required_interval"].values
    if np.isnan(low):  # several
        low, high = result["crossing_interval"].values.min(), result["crossing_interval"].values.max()
    return low <= true <= high, np.clip(high, 0.3, 0.9) - np.clip(low, 0.3, 0.9)


def coverage(seed, trials, by_rate):
    rng, held = np.random.default_rng(seed), []
    while len(held) < trials:
        if (one := trial(rng, by_rate)) is not None:
            held.append(one)
    return np.mean(held, axis=0)


def test_the_interval_holds_the_true_value_as_often_as_it_says():
    held, width = coverage(3, 100, by_rate=False)
    assert 0.93 <= held <= 1.0
    assert width < 0.5


@pytest.mark.slow
def test_the_interval_by_rates_holds_the_true_value_as_often_as_it_says():
    with few_resamples(400):
        held, width = coverage(4, 300, by_rate=True)
    assert 0.92 <= held <= 0.99
    assert width < 0.4
