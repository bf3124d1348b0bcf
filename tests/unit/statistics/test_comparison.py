"""Two designs whose runs are pairs: known answers, symmetry, and pairings that do not hold."""

import json

import numpy as np
import pytest
import xarray as xr
from scipy.special import ndtr, stdtrit

from mcrock.base.params import Outcome
from mcrock.plots import plot_comparison
from mcrock.show.comparison import format_comparison
from mcrock.statistics import annual_rate, compare_designs, fit_fragility, overturning_probability
from mcrock.statistics.comparison import PairingError, what_differs
from mcrock.statistics.rates import lognormal_rates
from tests.conftest import few_resamples
from tests.unit.statistics.conditions import held
from tests.unit.statistics.conftest import LEVELS, PGA
from tests.unit.statistics.nested import nested_study
from tests.unit.statistics.test_risk import power_law

BETWEEN, WITHIN, CHANGE, OWN = 0.35, 0.25, 0.08, 0.05  # standard deviations of ln(capacity)


def pair_of_designs(
    ratio=1.1, records=22, per_record=20, seed=0, change=CHANGE, own=OWN, undecided=0.0, cloud=False
):
    """Studies with the same draws: the second has the capacities of the first times ``ratio`` and factors of
    its records and runs."""
    rng = np.random.default_rng(seed)
    n = records * per_record
    record = np.arange(n) % records
    z = BETWEEN * rng.standard_normal(records)[record] + WITHIN * rng.standard_normal(n)
    moved = np.log(ratio) + CHANGE * rng.standard_normal(records)[record] + OWN * rng.standard_normal(n)
    azimuth, unsure = rng.uniform(0, 6, n), rng.random((2, n, len(LEVELS))) < undecided
    x = np.asarray(LEVELS)
    shared = {
        "record": ("realization", record.astype("i4")),
        "azimuth": ("realization", azimuth),
        "motion_group": ("motion", np.arange(records, dtype="i4")),
        "motion_intensity": ("motion", np.arange(1.0, records + 1)),
    }
    found = []
    for capacity, doubt in zip((3 * np.exp(z), 3 * np.exp(z + moved)), unsure, strict=True):
        if cloud:
            strength = 3 * np.exp(0.6 * np.random.default_rng(seed + 1).standard_normal(n))
            outcome = np.where(strength > capacity, Outcome.OVERTURNED, Outcome.AT_REST).astype("i1")
            values = {"outcome": ("realization", outcome), "intensity_value": ("realization", strength, PGA)}
            found.append(xr.Dataset(shared | values, attrs={"seed": 1}))
            continue
        outcome = np.where(x > capacity[:, None], Outcome.OVERTURNED, Outcome.AT_REST)
        outcome = np.where(doubt, Outcome.ROCKING, outcome).astype("i1")
        values = shared | {"outcome": (("realization", "intensity"), outcome)}
        found.append(xr.Dataset(values, {"intensity": ("intensity", x, PGA)}, {"seed": 1}))
    return found


@pytest.fixture(scope="module")
def pair():
    return pair_of_designs()


@pytest.fixture(scope="module")
def compared(pair):
    return compare_designs(*pair, power_law())


def test_numbers_are_those_of_both_studies(pair, compared):
    found = compared
    for k, ds in enumerate(pair):
        np.testing.assert_allclose(found["probability"][k], overturning_probability(ds)["probability"])
        assert float(found["median_capacity"][k]) == pytest.approx(
            float(fit_fragility(ds)["median_capacity"])
        )
        np.testing.assert_allclose(
            found["rate"][:, k], annual_rate(ds, power_law())["rate"].sel(hazard="mean")
        )
    fell = [(ds["outcome"] == Outcome.OVERTURNED).values for ds in pair]
    np.testing.assert_array_equal(found["only_first"], (fell[0] & ~fell[1]).sum(axis=0))
    np.testing.assert_array_equal(found["only_second"], (fell[1] & ~fell[0]).sum(axis=0))
    np.testing.assert_allclose(found["difference"], (found["only_second"] - found["only_first"]) / 440)


def test_the_interval_is_students_on_differences_of_records(pair, compared):
    found = compared.isel(intensity=4)
    fell = [(ds["outcome"][:, 4] == Outcome.OVERTURNED).values.astype(float) for ds in pair]
    of_record = np.array([(fell[1] - fell[0])[pair[0]["record"] == r].mean() for r in range(22)])
    half = stdtrit(21, 1 - 0.025 / 10) * of_record.std(ddof=1) / np.sqrt(22)  # one of ten levels
    expected = of_record.mean() + np.array([-half, half])
    np.testing.assert_allclose(found["difference_interval"], expected, rtol=1e-8)


@pytest.mark.parametrize(
    ("studies", "within"), [(20, 0.06), pytest.param(400, 0.025, marks=pytest.mark.slow)], ids=str
)
def test_intervals_cover_a_known_difference(studies, within):
    """At nominal 0.95 the differences of all ten levels together are covered in 0.95, the ratio of medians in
    0.96, each measured in 400 studies; pairs make intervals four times narrower. Of each level by itself
    Student's intervals would cover all in 0.80. The ratio of the rates by the fractions holds what the levels
    leave open: 0.99, where that of the curve between them covers 0.87."""
    x, total = np.asarray(LEVELS), np.hypot(BETWEEN, WITHIN)
    other = np.sqrt(total**2 + CHANGE**2 + OWN**2)
    true = ndtr(np.log(x / 3.3) / other) - ndtr(np.log(x / 3.0) / total)
    site = power_law()
    table = site["hazard_intensity"].values, site["rate"].sel(hazard="mean").values
    first, second = (lognormal_rates(*table, *curve).sum() for curve in ((3.0, total), (3.3, other)))
    covered, gain = [], []
    for seed in range(studies):
        with few_resamples():
            found = compare_designs(*pair_of_designs(seed=seed), site)
        low, high = found["difference_interval"].values
        rates = found["rate_ratio_interval"].sel(fragility="stripes")
        ratios = [
            held(ends, ratio)
            for ends, ratio in ((found["median_ratio_interval"], 1.1), (rates, second / first))
        ]
        covered.append([((low <= true) & (true <= high)).all(), *ratios])
        gain.append(np.diff(found["unpaired_interval"].values[:, 3:7], axis=0) / (high - low)[3:7])
    assert np.mean(covered, axis=0) == pytest.approx([0.955, 0.955, 0.985], abs=within)
    assert np.median(gain) > 3.5


def test_designs_in_the_other_order_are_the_opposite():
    first, second = pair_of_designs(undecided=0.02)
    there, back = compare_designs(first, second, power_law()), compare_designs(second, first, power_law())
    np.testing.assert_allclose(there["difference"], -back["difference"])
    np.testing.assert_allclose(there["difference_interval"].values, -back["difference_interval"].values[::-1])
    for name in ("median_ratio", "rate_ratio"):
        np.testing.assert_allclose(there[name], 1 / back[name])
        np.testing.assert_allclose(
            there[f"{name}_interval"].values, 1 / back[f"{name}_interval"].values[::-1]
        )


def test_undecided_runs_count_both_ways():
    sure, unsure = (compare_designs(*pair_of_designs(undecided=share)) for share in (0.0, 0.05))
    width = [np.diff(found["difference_interval"], axis=0)[0, 3:7] for found in (sure, unsure)]
    assert (width[1] > width[0] + 0.08).all()  # each of both leaves 0.05 open


def test_where_no_pair_differs_the_interval_is_that_of_no_events():
    first, _ = pair_of_designs()
    found = compare_designs(first, first)
    reach = 1 - (0.025 / 10) ** (1 / 22)  # of ten levels together
    np.testing.assert_allclose(found["difference_interval"], [[-reach] * 10, [reach] * 10])
    assert float(found["median_ratio"]) == 1


def test_a_cloud_is_compared_in_classes():
    """Its medians and rates are those of its runs."""
    few = {"resamples": 200}
    pair = first, second = pair_of_designs(cloud=True)
    near = second.assign(intensity_value=second["intensity_value"] * (1 + 1e-12))  # the same but for rounding
    found = compare_designs(first, near, power_law())
    assert found.sizes["intensity"] == 10
    assert float(found["median_ratio"]) == pytest.approx(1.1, abs=0.06)
    low, high = found["median_ratio_interval"].values
    assert low < float(found["median_ratio"]) < high
    for k, ds in enumerate(pair):
        fit = fit_fragility(ds, **few)
        assert float(found["median_capacity"][k]) == pytest.approx(float(fit["median_capacity"]), rel=1e-4)
        rate = annual_rate(ds, power_law(), **few)["rate"].sel(hazard="mean")
        off = abs(found["rate"][:, k] / rate - 1)
        assert off.sel(fragility="lognormal") < 1e-3
        assert off.sel(fragility="stripes") < 0.02  # they are of classes, which differ in width


def test_without_pairs_nothing_is_said_where_few_records_tell(compared):
    fell = compared["probability"].values * 22
    told = np.isfinite(compared["unpaired_interval"].values).all(axis=0)
    assert not told[(fell < 1).any(axis=0)].any()
    assert told[((fell > 8) & (fell < 14)).all(axis=0)].all()


def test_levels_that_both_have_count():
    first, second = pair_of_designs()
    found = compare_designs(first.isel(intensity=slice(2, 8)), second.isel(intensity=[9, 7, 5, 3]))
    np.testing.assert_array_equal(found["intensity"], [2.3, 3.6, 4.8])
    with pytest.raises(PairingError, match="no level of the intensity in common"):
        compare_designs(first.isel(intensity=[1]), second.isel(intensity=[2]))


def test_nested_studies_are_pooled():
    first = nested_study()
    second = first.assign(outcome=first["outcome"].isel(outer=slice(None, None, -1)))
    found = compare_designs(first, second)
    np.testing.assert_allclose(found["difference"], 0, atol=1e-12)
    assert int(found["pairs"][0]) == 720


def changed(ds, **values):
    return ds.assign({name: (ds[name].dims, array) for name, array in values.items()})


def with_config(ds, **config):
    return ds.assign_attrs(config=json.dumps(config))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda ds: ds.isel(realization=slice(22)), "440 and 22 of the dimension 'realization'.*--extend"),
        (lambda ds: ds.assign_attrs(seed=2), "the seeds 1 and 2: give both the same"),
        (lambda ds: changed(ds, azimuth=ds["azimuth"].values[::-1]), "differ in azimuth: .*not shaken alike"),
        (lambda ds: changed(ds, record=ds["record"].values[::-1]), "differ in record"),
        (
            lambda ds: changed(ds, motion_intensity=2 * ds["motion_intensity"].values),
            "differ in motion_intensity",
        ),
        (lambda ds: with_config(ds, intensity={"measure": "pgv"}), "scale their .* to different intensities"),
    ],
)
def test_pairings_that_do_not_hold_are_refused(change, message):
    first, second = pair_of_designs()
    with pytest.raises(PairingError, match=message):
        compare_designs(first, change(second))


def test_an_intensity_that_contains_the_body_is_refused():
    first, second = (
        with_config(ds, intensity={"measure": "uplift_ratio"}, body={"width": width})
        for ds, width in zip(pair_of_designs(), (0.4, 0.44), strict=True)
    )
    with pytest.raises(PairingError, match=r"'uplift_ratio' contains the body.*take 'pga'"):
        compare_designs(first, second)


def test_an_intensity_of_floors_that_differ_is_refused():
    first, second = (
        with_config(ds, intensity={"measure": "pfa"}, motion={"floor": {"frequency": frequency}})
        for ds, frequency in zip(pair_of_designs(), (2.0, 3.0), strict=True)
    )
    with pytest.raises(PairingError, match=r"'pfa' contains the floor.*take 'pga'"):
        compare_designs(first, second)


def test_text_says_what_differs_and_what_that_does(pair, compared):
    first, second = (
        with_config(ds, body={"width": width}, title=str(width), ensemble={"realizations": 3})
        for ds, width in zip(pair, (0.4, 0.44), strict=True)
    )
    changes = what_differs(first, second)
    assert changes == [("body.width", 0.4, 0.44)]
    first, _ = pair
    found = compared
    text = "\n".join(format_comparison(found, changes))
    assert "first and second study differ in\n  body.width: 0.4 and 0.44\n" in text
    assert "\nannual rate " in text
    assert f": ratio {float(found['median_ratio']):.3g} (" in text
    same = "\n".join(format_comparison(compare_designs(first, first), []))
    assert same.startswith("the studies differ in nothing that is run")


@pytest.mark.parametrize("cloud", [False, True])
def test_a_median_beyond_the_runs_is_an_extrapolation(cloud):
    note = "the strongest intensity of a run: an extrapolation"
    first, second = pair_of_designs(cloud=cloud)
    assert note not in "\n".join(format_comparison(compare_designs(first, second), []))
    if cloud:
        kept = np.flatnonzero(first["intensity_value"] < 2.6)  # where both go by the lognormal curve
        weaker = [ds.isel(realization=kept) for ds in pair_of_designs(cloud=True, ratio=1.3)]
    else:
        weaker = [ds.isel(intensity=ds["intensity"] < 3.2) for ds in pair_of_designs(ratio=1.3)]
    found = compare_designs(*weaker)
    strongest = float(found["strongest_run"])
    assert float(found["median_capacity"][0]) < strongest < float(found["median_capacity"][1])
    text = "\n".join(format_comparison(found, []))
    assert "\nthe median of the second study lies beyond " in text
    assert "the median of the first study lies" not in text
    assert note in text


def test_many_points_are_compared_not_listed(compared):
    points = np.random.default_rng(3).normal(size=(104, 3)).tolist()
    moved = [list(point) for point in points]
    for i in range(8):
        moved[i][2] += 0.01 * i + 1e-4

    def told(one, other):
        return format_comparison(compared, [("body.vertices", one, other)])[1].strip()

    assert told(points, moved) == "body.vertices: 104 points, 8 differ by at most 0.07 m"
    assert told(points, sorted(moved)) == "body.vertices: 104 points, 8 differ by at most 0.07 m"
    assert told(points, points[8:]) == "body.vertices: 104 and 96 points"
    assert told(points, points[::-1]) == "body.vertices: 104 points in another order"
    moved[0][0] = {"distribution": "normal", "mean": 0.3, "std": 0.01}
    assert told(points, moved) == "body.vertices: 104 points, 8 differ"
    assert told([[0.0, 1.0]], [[0.0, 2.0]]) == "body.vertices: [[0.0, 1.0]] and [[0.0, 2.0]]"


def test_the_figure_shows_the_differences(pair, compared):
    ax = plot_comparison(*pair)
    np.testing.assert_allclose(ax.containers[-1].lines[0].get_ydata(), compared["difference"])
    note = ax.get_figure().get_supxlabel().replace("\n", " ")
    assert "Second less first study, 4400 pairs of runs of 22 records." in note


@pytest.mark.parametrize("records", [1, 12])
def test_identical_outcomes_have_no_ratio_beyond_them(records):
    """Difference and ratio say one thing: nothing differs in these records, and what others do is open."""
    first, _ = pair_of_designs(records=records)
    found = compare_designs(first, first)
    assert (found["difference"] == 0).all()
    assert int(found["differ"]) == 0
    assert found["median_ratio_interval"].isnull().all()
    text = "\n".join(format_comparison(found, []))
    assert "nan" not in text
    assert "inf" not in text.replace("infeasible", "")
    if np.isfinite(found["median_ratio"]):
        assert "ratio 1 (no interval)" in text
