"""What objects do together: exact laws, a second implementation, and coverage of random truths."""

from itertools import product
from unittest.mock import patch

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr
from scipy.stats import binom, rankdata

from mcrock.base.params import Outcome
from mcrock.dataset import load_dataset
from mcrock.statistics import annual_rate, with_displacement_limit
from mcrock.statistics.collection import (
    Losses,
    change_of_losses,
    count_losses,
    judge_objects,
    loss_events,
    number_lost,
    rank_scores,
    rate_weights,
    resampled_scores,
)
from mcrock.statistics.intervals import Bootstrap
from mcrock.statistics.rates import lognormal_rates
from mcrock.statistics.resampling import Units
from tests.unit.statistics.conditions import CHOICES
from tests.unit.statistics.conftest import PGA, simulate_study
from tests.unit.statistics.test_probability import sliding_study
from tests.unit.statistics.test_risk import power_law

MANY = 20_000  # earthquakes of the truth


def fallen(fell, record=None):
    """Result of one object by what falls (n_realization, n_level)."""
    fell = np.asarray(fell)
    record = np.arange(len(fell)) if record is None else record
    outcome = np.where(fell, Outcome.OVERTURNED, Outcome.AT_REST).astype("i1")
    levels = ("intensity", 1.0 + np.arange(fell.shape[1]), PGA)
    runs = {"outcome": (("realization", "intensity"), outcome), "record": ("realization", record)}
    return xr.Dataset(runs, {"intensity": levels})


def test_independent_objects_give_the_binomial_law_and_equal_ones_fall_together():
    places = np.array([*product(range(3), repeat=4)])  # every combination once: exactly independent
    apart, alike = (
        number_lost(count_losses({str(k): fallen(places[:, [j]] == 0) for k, j in enumerate(which)}), 1.0)
        for which in ([0, 1, 2, 3], [0, 0, 0, 0])
    )
    binomial = binom.pmf(range(5), 4, 1 / 3)
    np.testing.assert_allclose(apart["number_probability"], binomial, atol=1e-12)
    np.testing.assert_allclose(alike["number_probability"], [2 / 3, 0, 0, 0, 1 / 3], atol=1e-12)
    for found, variance, correlation in ((apart, 1.0, 0.0), (alike, 4.0, 1.0)):
        np.testing.assert_allclose(found["independent"], binomial, atol=1e-12)
        assert float(found["overdispersion"]) == pytest.approx(variance)
        assert float(found["correlation"]) == pytest.approx(correlation, abs=1e-12)


def test_chances_that_differ_give_the_poisson_binomial_law():
    chance, expected = np.array([1, 3, 4, 7, 8]) / 8, np.zeros(6)
    sets = {str(k): fallen((np.arange(8) < 8 * p)[:, None]) for k, p in enumerate(chance)}
    for falls in product([0, 1], repeat=5):
        expected[sum(falls)] += np.where(falls, chance, 1 - chance).prod()
    np.testing.assert_allclose(number_lost(count_losses(sets), 1.0)["independent"], expected, atol=1e-12)


def second_implementation(objects, values, groups, level, steps):
    """From the runs of each store at one level: (reading, object, realization), by xarray alone."""
    readings, worth = [], np.array([*values.values()])
    for ds in objects.values():
        at, limit = ds.isel(intensity=level), ds.attrs.get("displacement_limit", np.inf)
        fell = at["outcome"] == Outcome.OVERTURNED
        fell = fell | (at["peak_displacement"] > limit) if "peak_displacement" in at else fell
        readings.append(np.stack([fell, fell | (at["outcome"] == Outcome.ROCKING)]))
    fell = np.stack(readings, axis=1)
    lost = (worth[:, None] * fell).sum(axis=1)
    pair = fell[:, [group == "pair" for group in groups.values()]]
    return {
        "exceedance": [(fell.sum(axis=1) >= k).mean() for k in range(len(worth) + 1)],
        "expected_number": fell.sum(axis=1).mean(),
        "expected_share": lost.mean() / worth.sum(),
        "event_probability": [fell.any(axis=1).mean(), pair.all(axis=1).mean()],
        "loss_probability": [(lost >= step - 1e-9).mean() for step in steps],
    }


def sets_of(kind, stored):
    """Studies that share their recordings: with undecided runs and falls off a support, or of two stores."""
    if kind == "stores":
        opened = {name: load_dataset(stored(name)).load() for name in ("plain", "friction")}
        return opened | {"short": opened["plain"].isel(realization=slice(26))}
    made = {f"a{k}": simulate_study(median=2.0 + k, undecided=0.1, seed=k, per_record=5) for k in range(3)}
    slid = sliding_study(median=4.0, undecided=0.1, seed=7, per_record=5)
    return made | {"slid": with_displacement_limit(slid, 0.02), "not slid": slid}


@pytest.mark.parametrize("kind", ["made", "stores"])
@pytest.mark.parametrize("level", [1, 2])
def test_a_second_implementation_from_single_stores_gives_the_same(kind, level, stored):
    objects = sets_of(kind, stored)
    values = dict(zip(objects, [1.0, 2.5, 0.0, 4.0, 3.0], strict=False))
    groups = dict(zip(objects, ["pair", "pair", "", "", ""], strict=False))
    losses = count_losses(objects, values, groups)
    least = min(ds.sizes["realization"] for ds in objects.values())
    cut = {name: ds.isel(realization=slice(least)) for name, ds in objects.items()}
    if kind == "stores":  # its limit stands in the study
        cut["friction"].attrs["displacement_limit"] = 0.2
    events, found = loss_events(losses), number_lost(losses, float(losses.intensity[level]))
    for name, number in second_implementation(cut, values, groups, level, events["loss"].values).items():
        result = found if name in found else events.isel(intensity=level)
        np.testing.assert_allclose(result[name], number, atol=1e-12, err_msg=name)


def test_one_object_alone_has_its_rate_by_the_fractions():
    ds, hazard = simulate_study(per_record=6, undecided=0.02), power_law()
    alone = annual_rate(ds, hazard)
    found = loss_events(count_losses({"a": ds}, {"a": 3.0}), hazard)
    for name in ("event_rate", "loss_rate", "share_rate"):
        pick = dict.fromkeys(found[name].dims, 0)
        rate = alone["rate"].sel(fragility="stripes", hazard="mean")
        assert float(found[name].isel(pick)) == pytest.approx(float(rate), rel=1e-12)
        ends = alone["rate_interval"].sel(fragility="stripes", hazard="mean")
        np.testing.assert_allclose(found[f"{name}_interval"].isel(pick), ends, rtol=1e-12)


@pytest.mark.parametrize(
    "other",
    [
        lambda ds: ds.assign(record=("realization", ds["record"].values[::-1])),
        lambda ds: ds.isel(intensity=slice(2)),
        lambda ds: ds.assign_coords(intensity=1.1 * ds["intensity"]),
        lambda ds: ds.assign(azimuth=ds["record"] * 0.1),
    ],
)
def test_objects_of_other_earthquakes_are_refused(other):
    ds = simulate_study(per_record=2)
    for first, second in ((ds, other(ds)), (other(ds), ds)):
        with pytest.raises(ValueError, match="b does not meet the earthquakes of a at their levels"):
            count_losses({"a": first, "b": second})


def test_what_cannot_be_counted_is_refused():
    ds = simulate_study(per_record=2)
    with pytest.raises(ValueError, match="b: objects are compared at fixed levels"):
        count_losses({"a": ds, "b": simulate_study(cloud=True)})
    with pytest.raises(ValueError, match="expected at least one object, got none"):
        count_losses({})
    with pytest.raises(ValueError, match=r"no level of the collection is 0\.3059 g; there are 0\.051"):
        number_lost(count_losses({"a": ds}), 3.0)


@given(st.integers(0, 2**32 - 1))
def test_the_order_of_objects_changes_nothing_and_intervals_hold_their_numbers(seed):
    rng = np.random.default_rng(seed)
    n, record = int(rng.integers(2, 9)), np.arange(60) % 12
    sets = {str(k): fallen(rng.random((60, 3)) < rng.random(3), record) for k in range(n)}
    values = {name: float(rng.integers(0, 4)) for name in sets}
    groups = {name: str(rng.integers(2)) for name in sets}
    order = rng.permutation(n).astype(str)
    found, mixed = (
        number_lost(count_losses({k: sets[k] for k in names}, values, groups), 2.0) for names in (sets, order)
    )
    xr.testing.assert_allclose(found, mixed, atol=1e-12)
    assert float(found["number_probability"].sum()) == pytest.approx(1.0)
    assert (np.diff(found["exceedance"]) <= 0).all()
    assert float(found["exceedance"][0]) == 1.0
    assert float(found["exceedance"][1:].sum()) == pytest.approx(float(found["expected_number"]))
    for name in ("exceedance", "expected_number", "expected_share"):
        low, high = found[f"{name}_interval"].values
        assert (low <= found[name] + 1e-9).all()
        assert (found[name] <= high + 1e-9).all()


@given(st.integers(0, 2**32 - 1), st.floats(0.0, 3.0))
def test_ranks_hold_their_estimates_and_ties_share_them(seed, apart):
    rng = np.random.default_rng(seed)
    scores = np.repeat(apart * np.arange(5), 2)[:, None] + np.append(0.0, 0.1 * rng.standard_normal(200))
    scores[::2, 1:] += 0.1 * rng.standard_normal((5, 200))
    found = rank_scores(scores, 4, 0.95)
    np.testing.assert_array_equal(found.rank, np.repeat([9, 7, 5, 3, 1], 2) if apart else np.ones(10))
    low, high = found.interval
    assert (low <= found.rank).all()
    assert (found.rank <= high).all()
    assert found.among_worst.sum() == pytest.approx(4.0)
    if apart == 0:  # nothing is known
        np.testing.assert_array_equal(found.interval, np.repeat([[1], [10]], 10, axis=1))
    if apart > 1:  # ten times the error of a difference
        np.testing.assert_array_equal(found.interval, [found.rank, found.rank + 1])


def test_a_change_is_told_by_pairs():
    before = {"a": simulate_study(median=2.0), "b": simulate_study(median=3.0)}
    after = before | {"a": simulate_study(median=2.6)}
    losses = [count_losses(each, {"a": 3.0, "b": 1.0}) for each in (before, after)]
    found = change_of_losses(*losses, 2.3)
    fell = [(each["a"]["outcome"][:, 3] == Outcome.OVERTURNED).mean() for each in (before, after)]
    assert float(found["fewer"]) == pytest.approx(float(fell[0] - fell[1]))
    assert float(found["share_saved"]) == pytest.approx(0.75 * float(fell[0] - fell[1]))
    low, high = found["fewer_interval"].values
    assert 0 < low < float(found["fewer"]) < high
    assert not any(change_of_losses(losses[0], losses[0], 2.3)[name] for name in ("fewer", "share_saved"))


class Truth:
    """A collection drawn at random: capacities are lognormal, with a factor that all objects share.

    3 to 30 objects of medians over a factor of up to 10, 10 to 40 recordings of 3 to 30 realizations, 0 to
    0.9 of the variance shared by all, any part of that and 0 to 0.95 of the rest between recordings.
    """

    def __init__(self, rng):
        self.rng, self.n, self.records = rng, int(rng.integers(3, 31)), int(rng.integers(10, 41))
        self.runs, self.levels = int(rng.integers(3, 31)), np.sort(CHOICES[rng.choice(list(CHOICES))](rng))
        self.median = np.exp(rng.uniform(0.05, 0.6) * rng.standard_normal(self.n))
        self.spread = rng.uniform(0.3, 0.6, self.n if rng.random() < 0.5 else 1) * np.ones(self.n)
        self.shared, self.of_record = rng.uniform(0, 0.9), rng.random()
        self.own = rng.uniform(0, 0.95, self.n)
        self.values = rng.integers(1, rng.choice([2, 10]), self.n).astype(float)
        self.hazard, x = power_law(0.1, 10.0), power_law(0.1, 10.0)["hazard_intensity"].values
        self.hazard["rate"][0] = 1e-3 * x ** -rng.uniform(1.5, 4.0)
        self.table = x, self.hazard["rate"].values[0]

    def capacities(self, records, runs):
        """Recordings (n_run,) and capacities (n_run, n_object)."""
        record, normal = np.arange(records * runs) % records, self.rng.standard_normal
        parts = [
            np.sqrt(share) * normal((records, m))[record] + np.sqrt(1 - share) * normal((len(record), m))
            for share, m in ((self.of_record, 1), (self.own, self.n))
        ]
        z = np.sqrt(self.shared) * parts[0] + np.sqrt(1 - self.shared) * parts[1]
        return record, self.median * np.exp(self.spread * z)

    def rate(self, capacity):
        """Annual rate of what happens beyond capacities (n_run, ...)."""
        x, rate = self.table
        return np.exp(np.interp(np.log(capacity), np.log(x), np.log(rate))).mean(axis=0) - rate[-1]


def trial(rng, how):
    """Shares of numbers that intervals hold, and those half as wide about their middle, and mean widths."""
    truth, held = Truth(rng), {}
    record, capacity = truth.capacities(truth.records, truth.runs)
    fell, levels, n = truth.levels[:, None] > capacity[:, None, :], truth.levels, truth.n
    axis = xr.DataArray(levels, {"intensity": levels}, "intensity", attrs=PGA)
    twice = [np.stack([each] * 2) for each in (fell.sum(2), fell @ truth.values, fell[..., :2].all(2))]
    groups, marginal = {"pair": twice.pop()}, fell.mean(0).T
    losses = Losses(axis, "intensity", record, *twice, groups, marginal, truth.values)
    weakest = truth.capacities(MANY, 1)[1]
    order = weakest.argsort(axis=1)
    rising = np.take_along_axis(weakest, order, 1)
    lost, k = truth.values[order].cumsum(axis=1), int(rng.integers(len(levels)))
    p = ndtr(np.log(levels[k] / truth.median) / truth.spread)

    def note(name, interval, true):
        (low, high), true = np.asarray(interval), np.asarray(true)
        off = np.abs(true - (low + high) / 2)
        held[name] = (
            *((off <= (high - low) / part * (1 + 1e-9)).mean() for part in (2, 4)),
            (high - low).mean(),
        )

    found = number_lost(losses, levels[k], level=how.level)
    fewer = (rising < levels[k]).mean(axis=0)
    known = (fewer > 0.01) & (fewer < 0.99)
    if known.any():
        note("number that falls", found["exceedance_interval"].values[:, 1:][:, known], fewer[known])
    note("expected number / n", found["expected_number_interval"] / n, p.mean())
    note("expected share", found["expected_share_interval"], p @ truth.values / truth.values.sum())
    changed = np.arange(n) < rng.integers(1, n + 1)
    factor = np.where(changed, rng.uniform(1.0, 1.6), 1.0)
    other = levels[:, None] > (capacity * factor)[:, None]
    twice = [np.stack([each] * 2) for each in (other.sum(2), other @ truth.values)]
    change = change_of_losses(losses, losses._replace(number=twice[0], value=twice[1]), levels[k])
    after = ndtr(np.log(levels[k] / truth.median / factor) / truth.spread)
    note("fewer / n by a change", change["fewer_interval"] / n, (p - after).mean())
    with patch("mcrock.statistics.collection.STEPS", 3):
        keywords = {"level": how.level, "resamples": how.resamples, "seed": how.seed}
        events = loss_events(losses, truth.hazard, **keywords)
    steps = [(lost >= step - 1e-9).argmax(axis=1)[:, None] for step in events["loss"].values]
    first = np.concatenate([np.take_along_axis(rising, step, 1) for step in steps], axis=1)
    at = {"event": np.stack([rising[:, 0], weakest[:, :2].max(axis=1)], 1), "loss": first}
    top = truth.table[1][0] - truth.table[1][-1]
    for name, words in (("event", "any object, a pair"), ("loss", "loss")):
        chance = events[f"{name}_probability_interval"][..., k]
        note(words, chance, (at[name] < levels[k]).mean(axis=0))
        note(f"{words}, rate / largest", events[f"{name}_rate_interval"] / top, truth.rate(at[name]) / top)
    runs, one = np.full((truth.records, len(levels)), float(truth.runs)), np.ones(truth.records, np.int64)
    counts = np.zeros((truth.records, len(levels), n))
    np.add.at(counts, record, fell)
    curves = zip(truth.median, truth.spread, strict=True)
    rates = np.array([lognormal_rates(*truth.table, *curve).sum() for curve in curves])
    of_level, worst = (np.arange(len(levels)) == k).astype(float), max(1, n // 3)
    asked = ("rate", rate_weights(levels, *truth.table), rates), ("level", of_level, p)
    for name, weight, score in asked:
        units = (Units(levels, runs, np.stack([counts[..., i]] * 3), one) for i in range(n))
        scores = np.array([resampled_scores(each, weight[None], how) for each in units])
        ranked, rank = rank_scores(scores, worst, how.level), rankdata(-score)
        note(f"(rank - 1) / (n - 1) by {name}", (ranked.interval - 1) / (n - 1), (rank - 1) / (n - 1))
        told, true = ranked.among_worst, rank <= worst
        unsure = (told >= 0.2) & (told < 0.4)
        held[f"worst by {name}, of 0.2 to 0.4"] = unsure.sum(), true[unsure].sum(), told[unsure].sum()
    return held


def coverage(seed, trials, resamples):
    """Mean over the trials of each number of `trial`; of the worst, the share that is and that is told."""
    rng, held = np.random.default_rng(seed), {}
    for _ in range(trials):
        how = Bootstrap(resamples=resamples, seed=int(rng.integers(2**31)))
        for name, numbers in trial(rng, how).items():
            held.setdefault(name, []).append(numbers)
    found = {name: np.mean(numbers, axis=0) for name, numbers in held.items()}
    for name, (first, second, third) in found.items():
        print(f"{name:32} {first:.3f} {second:.3f} {third:.3f}")
    return found


def check(found, least):
    """The shares, each of which intervals half as wide would not have; what is and is told of the worst."""
    worst = {name: found.pop(name) for name in [*found] if name.startswith("worst")}
    for name, (share, half, _) in found.items():
        assert half < least <= share, name
    return [(true / number, told / number) for number, true, told in worst.values()]


def test_intervals_and_ranks_hold_random_truths():
    check(coverage(1, 12, 100), 0.93)


@pytest.mark.slow
def test_intervals_and_ranks_hold_1000_random_truths():
    for true, told in check(coverage(2, 1000, 199), 0.93):
        assert true == pytest.approx(told, abs=0.05)


def test_objects_are_judged_as_alone():
    sizes = {name: ("realization", np.full(132, 0.2)) for name in ("body_slenderness", "body_radius")}
    objects = {str(k): simulate_study(per_record=6, median=2.0 + k, seed=1).assign(sizes) for k in range(3)}
    hazard = power_law()
    found = judge_objects(objects, hazard, intensity=2.9, worst=1)
    for k, ds in enumerate(objects.values()):
        alone = annual_rate(ds, hazard).sel(hazard="mean")
        alone = alone.sel(fragility=alone.attrs["accepted_family"])
        assert float(found["rate"][k]) == pytest.approx(float(alone["rate"]))
        np.testing.assert_allclose(found["rate_interval"][:, k], alone["rate_interval"])
    np.testing.assert_array_equal(found["urgency"], [1, 2, 3])
    np.testing.assert_array_equal(found["urgency_interval"], [[1, 2, 3], [1, 2, 3]])
    np.testing.assert_array_equal(found["among_worst"], [1, 0, 0])


@pytest.mark.parametrize("seed", range(8))
def test_what_one_object_brings_about_is_no_rarer_than_its_fall(seed):
    """Of one frail object, which may have more realizations than the others, and sturdier ones."""
    rng = np.random.default_rng(seed)
    sizes = {name: ("realization", np.full(132, 0.2)) for name in ("body_slenderness", "body_radius")}
    medians = [2.0, *rng.uniform(3.0, 8.0, 2)]
    objects = {
        str(k): simulate_study(per_record=6, median=median, undecided=0.02 * (seed % 2), seed=seed)
        .assign(sizes)
        .isel(realization=slice(None if k == 0 else 132 - 22 * int(rng.integers(4))))
        for k, median in enumerate(medians)
    }
    hazard, values = power_law(), np.array([3.0, 2.0, 1.0])
    losses = count_losses(objects, dict(zip(objects, values, strict=True)))
    level = float(losses.intensity[2])
    single = judge_objects(objects, hazard, intensity=level)
    events = loss_events(losses, hazard, rates=single["rate"].values)
    for there, name in ((events, "rate"), (events.sel(intensity=level), "probability")):
        least = single[name].max() * (1 - 1e-9)
        assert there[f"event_{name}"].sel(event="any object") >= least
        for step in events["loss"].values:
            alone = single[name].values[values >= step].max(initial=0.0)
            assert there[f"loss_{name}"].sel(loss=step) >= alone * (1 - 1e-9)
        for what in ("event", "loss"):
            low, high = there[f"{what}_{name}_interval"].values
            assert (low <= there[f"{what}_{name}"] * (1 + 1e-9)).all()
            assert (there[f"{what}_{name}"] <= high * (1 + 1e-9)).all()
