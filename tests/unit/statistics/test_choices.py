"""Fragility by the law of the impacts: known ratios of medians, and intervals that leave the records out."""

import numpy as np
import pytest
import xarray as xr

from mcrock.base.params import Outcome
from mcrock.impact.registry import Law
from mcrock.show.curves import format_laws
from mcrock.show.text import label_intensities
from mcrock.statistics import fit_fragility, fragility_by_choice, split_by_choice
from mcrock.statistics.accepted_curve import accept_curve, accepted_family
from mcrock.statistics.intervals import Bootstrap
from mcrock.statistics.likelihood import fit_curves
from tests.unit.statistics.conftest import simulate_study

CODES = {"flag_values": np.array([0, 1], "i1"), "flag_meanings": "varkonyi_2022 housner_1963"}


def two_laws(stronger=1.1, seeds=(0, 0), **options):
    """Two laws under the same records, the second with capacities ``stronger`` times as large."""
    parts = []
    for code, (factor, seed) in enumerate(zip((1.0, stronger), seeds, strict=True)):
        ds = simulate_study(median=3.0 * factor, seed=seed, **options)
        law = np.full(ds.sizes["realization"], code, "i1")
        parts.append(ds.assign(impact_law=("realization", law, CODES | {"long_name": "law of the impacts"})))
    return xr.concat(parts, "realization", data_vars="minimal", combine_attrs="override")


@pytest.mark.parametrize("cloud", [False, True])
def test_ratios_are_those_of_the_capacities(cloud):
    fits = fragility_by_choice(two_laws(cloud=cloud, per_record=100), resamples=300)
    weak, strong = fits["ratio"].values
    assert fits["impact_law"].values.tolist() == ["varkonyi_2022", "housner_1963"]
    assert strong / weak == pytest.approx(1.1, rel=0.02)
    lower, upper = fits["ratio_interval"].values
    assert upper[0] < 1.0 < lower[1]  # what the intervals of the medians cannot tell
    low, high = fits["median_capacity_interval"].values.T
    assert low[1] < high[0]


@pytest.mark.parametrize("undecided", [0.0, 0.03])
def test_laws_whose_curves_are_rejected_are_compared_by_the_fractions(undecided):
    """Lognormal medians of two plateaus, which lie beyond all runs or far from where half overturned."""
    ds = two_laws(stronger=1.1, records=30, undecided=undecided)
    share = np.where(ds["impact_law"] == 0, 0.9, 0.75)
    stuck = np.random.default_rng(0).random(len(share)) > share
    ds["outcome"] = (
        ds["outcome"].where(~xr.DataArray(stuck, dims="realization"), Outcome.AT_REST).astype("i1")
    )
    fits = fragility_by_choice(ds, resamples=200)
    assert accepted_family(fits) == "stripes"
    whole = accept_curve(ds, Bootstrap()).curves["stripes"].reached(0.5)
    for name, part in split_by_choice(ds).items():
        one, curve = fits.sel(impact_law=name), accept_curve(part, Bootstrap()).curves["stripes"]
        assert float(one["ratio"]) == pytest.approx(curve.reached(0.5) / whole, rel=1e-6)
        low, high = one["ratio_interval"].values
        assert low < float(one["ratio"]) < high < 1.5 * low
    text = "\n".join(format_laws(fits))
    assert "what the law alone does, by the empirical fractions" in text
    assert f" {label_intensities([curve.reached(0.5)], 'm s-2')[0]} " in text


def test_each_law_is_the_study_of_its_runs():
    ds = two_laws()
    fits = fragility_by_choice(ds)
    for word, part in split_by_choice(ds).items():
        grid = fits["intensity_grid"].values
        alone, among = fit_fragility(part, grid=grid), fits.sel(impact_law=word)
        for name in ("median_capacity", "median_capacity_interval", "dispersion", "curve", "band", "runs"):
            np.testing.assert_array_equal(among[name], alone[name])


def test_equal_laws_have_a_ratio_of_one():
    fits = fragility_by_choice(two_laws(stronger=1.0))
    np.testing.assert_allclose(fits["ratio"], 1.0, rtol=1e-6)
    np.testing.assert_allclose(fits["ratio_interval"], 1.0, rtol=1e-5)


def test_a_law_of_one_realization_has_no_curve_and_open_ends():
    ds = two_laws()
    first = int(ds["impact_law"].values.argmax())
    fits = fragility_by_choice(ds.isel(realization=slice(first - 1, None)))  # most resamples have none of it
    assert fits["runs"].values[0] == ds.sizes["intensity"]
    assert np.isnan(fits["ratio_interval"].values[:, 0]).all()
    assert "inf" not in "".join(format_laws(fits))


def test_a_law_may_miss_a_recording():
    ds = two_laws()
    fits = fragility_by_choice(ds.isel(realization=~((ds["impact_law"] == 1) & (ds["record"] == 3)).values))
    assert np.isfinite(fits["ratio_interval"]).all()


@pytest.mark.parametrize("records", [1, 5])
def test_few_recordings_give_a_ratio_without_an_interval(records):
    fits = fragility_by_choice(two_laws(records=records, per_record=100))
    assert np.isfinite(fits["ratio"]).all()
    assert np.isnan(fits["ratio_interval"]).all()


@pytest.mark.parametrize("cloud", [False, True])
def test_without_recordings_realizations_are_drawn_with_their_law(cloud):
    """Against a bootstrap by hand of the realizations."""
    ds = two_laws(seeds=(1, 2), cloud=cloud, records=1, per_record=200, between=0.0).drop_vars("record")
    low, high = fragility_by_choice(ds)["ratio_interval"].values
    times = np.random.default_rng(5).multinomial(400, np.full(400, 1 / 400), size=1000)  # each is drawn
    intensity, overturned = ds["intensity_value" if cloud else "intensity"].values, ds["outcome"].values == 3

    def medians(of_law):
        drawn = times * of_law
        if cloud:
            order = np.argsort(intensity)
            curves = fit_curves(intensity[order], (drawn * overturned)[:, order], drawn[:, order])
        else:
            curves = fit_curves(intensity, drawn @ overturned, drawn.sum(axis=1)[:, None] + 0 * intensity)
        np.testing.assert_array_equal(curves.low_median, curves.high_median)
        return curves.low_median

    ratios = [medians(ds["impact_law"].values == law) / medians(np.ones(400)) for law in (0, 1)]
    spread = np.std(np.log(ratios), axis=1)
    np.testing.assert_allclose(np.log(high / low) / (2 * 1.96), spread, rtol=0.1)


def test_a_law_that_never_overturns_has_no_ratio():
    fits = fragility_by_choice(two_laws(stronger=100.0))
    assert np.isnan(fits["ratio"].sel(impact_law="housner_1963"))
    assert fits["fit"].values[1].startswith("none overturned")


def test_a_dataset_without_the_choice_is_refused(make_study):
    with pytest.raises(ValueError, match="no choice 'impact_law' on realization"):
        fragility_by_choice(make_study())


def test_the_codes_of_the_schema_are_the_laws():
    ds = two_laws()
    assert list(split_by_choice(ds)) == [Law(code).name.lower() for code in (0, 1)]
