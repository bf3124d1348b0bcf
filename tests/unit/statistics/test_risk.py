"""Risk of simulated studies: closed forms, what lies outside, capacities of high confidence, survival."""

import numpy as np
import pytest
import xarray as xr
from scipy.special import ndtr
from scipy.stats import norm

from mcrock.base.estimates import format_interval
from mcrock.base.params import Outcome
from mcrock.plots import plot_risk
from mcrock.show.report.content import Caution
from mcrock.show.report.results import key_figures
from mcrock.show.report.subject import answer_sentence
from mcrock.show.risk import Site, capacity_blocks, compose_risk, rate_blocks, risk_blocks
from mcrock.show.summary import summarize
from mcrock.show.text import as_text
from mcrock.statistics import (
    annual_rate,
    by_limit,
    by_support,
    epistemic_fragility,
    fit_fragility,
    high_confidence_capacity,
    isotonic_fragility,
    pooled,
    rate_of_draws,
    survival,
    with_displacement_limit,
)
from mcrock.statistics.hazard import HazardError
from mcrock.statistics.intervals import Confidence
from mcrock.statistics.risk import _no_capacity, accepted_rate, largest_rate, with_chance
from tests.unit.statistics.nested import nested_study
from tests.unit.statistics.test_probability import sliding_study

K0, SLOPE = 2e-3, 2.5


def power_law(low=1e-3, high=1e4, rows=60, units="m s-2", fractiles=()):
    """Hazard K0 x**-SLOPE, and fractiles with other factors."""
    x = np.geomspace(low, high, rows)
    factors = {"mean": 1.0} | {str(f): 2 * f for f in fractiles}
    rate = np.stack([factor * K0 * x**-SLOPE for factor in factors.values()])
    return xr.Dataset(
        {"rate": (("hazard", "hazard_intensity"), rate, {"units": "1/a"})},
        coords={"hazard": list(factors), "hazard_intensity": ("hazard_intensity", x, {"units": units})},
        attrs={"measure": "intensity", "source": "power law"},
    )


def text_of(rates, capacity):
    """What `mcrock risk` prints of both."""
    found = {"annual_rate": rates, "high_confidence_capacity": capacity}
    return "\n".join(as_text(risk_blocks(found, Site(standard=True))))


def test_the_lognormal_rate_has_the_closed_form(make_study):
    ds = make_study()
    fit = fit_fragility(ds)
    found = annual_rate(ds, power_law(fractiles=[0.16, 0.84]), years=100)
    median, dispersion = float(fit["median_capacity"]), float(fit["dispersion"])
    expected = K0 * median**-SLOPE * np.exp((SLOPE * dispersion) ** 2 / 2)
    rates = found["rate"].sel(fragility="lognormal")
    assert float(rates.sel(hazard="mean")) == pytest.approx(expected, rel=1e-6)
    np.testing.assert_allclose(rates, expected * np.array([1, 0.32, 1.68]), rtol=1e-6)
    np.testing.assert_allclose(found["probability"], 1 - np.exp(-100 * found["rate"]))
    np.testing.assert_allclose(found["probability_interval"], 1 - np.exp(-100 * found["rate_interval"]))
    low, high = found["rate_interval"].values
    assert ((low < found["rate"]) & (found["rate"] < high)).all()


def test_two_recordings_have_a_rate_and_years_are_fifty(make_study):
    found = annual_rate(make_study(records=2), power_law())
    assert (found["rate"] > 0).all()
    assert found.attrs["years"] == 50
    np.testing.assert_allclose(found["probability"], 1 - np.exp(-50 * found["rate"]))


def test_the_share_below_is_that_of_the_tilted_curve(make_study):
    """Part of the rate from intensities below x: Phi((ln(x/theta) + k beta^2)/beta) - H(x) F(x)/rate."""
    ds = make_study(per_record=10)
    fit, found = fit_fragility(ds), annual_rate(ds, power_law())
    median, dispersion = float(fit["median_capacity"]), float(fit["dispersion"])
    x, rate = float(found["weakest_overturning"]), float(found["rate"][0, 0])
    assert x == float(fit["weakest_overturning"])
    u = np.log(x / median) / dispersion
    expected = ndtr(u + SLOPE * dispersion) - K0 * x**-SLOPE * ndtr(u) / rate
    assert float(found["share_below"].sel(fragility="lognormal")) == pytest.approx(expected, abs=1e-6)


def test_shares_by_intensity_add_up(make_study):
    found = annual_rate(make_study(), power_law())
    np.testing.assert_allclose(found["share"].sum("intensity_bin"), 1)
    below = found["share"].where(found["bin_upper"] < found["weakest_overturning"], 0).sum("intensity_bin")
    assert (below <= found["share_below"] + 1e-12).all()


def test_stripes_of_a_step_are_bounded_by_their_levels(make_study):
    """Capacities without spread: the rate lies between the hazard at the stripes on both sides."""
    ds = make_study(between=0.0, within=0.0)  # all overturn from 3.6 on, none at 2.9
    found = annual_rate(ds, power_law()).sel(hazard="mean")
    at = K0 * np.array([3.6, 2.9]) ** -SLOPE
    assert at[0] <= float(found["rate"].sel(fragility="stripes")) <= at[1]
    low, high = found["rate_interval"].sel(fragility="stripes").values
    assert 0 < low <= at[0] < at[1] <= high
    assert np.isnan(found["rate"].sel(fragility="lognormal"))


def test_nothing_is_added_outside_the_table(make_study):
    ds = make_study()
    wide, narrow = annual_rate(ds, power_law()), annual_rate(ds, power_law(2.0, 8.0))
    assert (narrow["rate"] < wide["rate"]).all()
    low, high = narrow["rate_above"].sel(hazard="mean").values
    assert (low <= high).all()
    np.testing.assert_allclose(high, K0 * 8.0**-SLOPE)
    np.testing.assert_allclose(low[0], high[0] * fit_fragility(ds, grid=[8.0])["curve"].item())
    first = fit_fragility(ds, grid=[2.0])["curve"].item()
    assert first < float(narrow["first_probability"]) < 0.5  # an end of an interval
    assert [float(narrow[name]) for name in ("hazard_begin", "hazard_end")] == pytest.approx([2.0, 8.0])


def test_the_headline_counts_all_uncertainties_first_and_standards_if_asked(make_study):
    """The interval over all holds that of the recordings, which holds the rate; its parts stand behind it."""
    site = Site(power_law(fractiles=[0.16, 0.84]).assign_attrs(reading="annual rates"))
    found = compose_risk(make_study(), site, Confidence())
    rates, text = found.tables["annual_rate"], "\n".join(as_text(found.blocks))
    low, high = rates["rate_over_all"].values
    of_recordings = accepted_rate(rates)["rate_interval"].values
    assert low < of_recordings[0] < float(accepted_rate(rates)["rate"]) < of_recordings[1] < high
    np.testing.assert_allclose(rates["probability_over_all"], -np.expm1(-50 * np.array([low, high])))
    parts = [format_interval(low, high), "over all uncertainties counted:", format_interval(*of_recordings)]
    assert f"(95 % interval {' '.join(parts)} from the number of recordings and runs; " in text
    words = ("HCLPF", "beta", "k0")
    assert not any(word in text for word in words)
    for asked in ({"standard": True}, {"target": 1e-4}, {"beta_u": 0.1}):
        said = "\n".join(as_text(risk_blocks(found.tables, site._replace(**asked))))
        assert all(word in said for word in words)
    one = power_law(fractiles=[0.84]).assign_attrs(reading="annual rates")
    alone = compose_risk(make_study(), Site(one), Confidence()).tables
    assert "rate_over_all" not in alone["annual_rate"]  # one fractile says no distribution


def test_a_rate_has_its_probability_next_to_it(make_study):
    rates = with_chance(annual_rate(make_study(), power_law(), years=20.0), 20.0)
    np.testing.assert_allclose(rates["chance"], rates["probability"])
    np.testing.assert_allclose(rates["chance_interval"], rates["probability_interval"])
    assert rates["chance"].attrs["long_name"] == "in 20 years"
    with pytest.raises(ValueError, match="years must be finite and > 0"):
        with_chance(rates, 0.0)


def test_beyond_a_short_table_risk_and_report_claim_the_same_bound(make_study):
    """All that is known is how often the stronger ones come."""
    ds = make_study()
    summary, capacity = summarize(ds), high_confidence_capacity(ds)
    full, short = (annual_rate(ds, power_law(high=high, fractiles=[0.84])) for high in (1e4, 1.0))
    most, is_bound = largest_rate(accepted_rate(short))
    own = short["rate_interval"].sel(hazard="mean", fragility=short.attrs["accepted_family"], bound="upper")
    assert (is_bound, largest_rate(accepted_rate(full))[1]) == (True, False)
    assert most == pytest.approx(K0 + float(own))  # all beyond 1 m/s2
    figures = key_figures(summary, short, capacity)
    assert figures[0].value == f"up to {format_interval(0, most)[6:]}"
    assert text_of(short, capacity).startswith(f"Annual rate of overturning: {figures[0].value} per year")
    assert f"up to {format_interval(0, -100 * np.expm1(-50 * most))[6:]} %" in answer_sentence(summary, short)
    assert ["check its unit" in text_of(each, capacity) for each in (short, full)] == [True, False]
    ends = format_interval(*100 * full["probability"].sel(fragility=full.attrs["accepted_family"]).values)
    assert f"{ends} % from the hazard curves, mean and fractiles of 84 %)" in answer_sentence(summary, full)
    none, off = full.assign(probability=0 * full["probability"]), full.assign_attrs(event="slip")
    assert answer_sentence(summary, none, off).startswith(
        "The probability that the body overturns or falls off its"
    )


def test_a_level_that_has_not_been_run_supports_nothing(make_study):
    ds = make_study()
    there = ds["intensity"] < 5.0
    part = ds.assign(outcome=ds["outcome"].where(there, Outcome.NOT_RUN).astype("i1"))
    found, short = (
        annual_rate(each, power_law(), allow_missing=True) for each in (part, ds.sel(intensity=there))
    )
    assert float(found["strongest_run"]) == float(ds["intensity"][there][-1]) < float(ds["intensity"][-1])
    for name in ("rate", "rate_interval", "share_beyond"):
        np.testing.assert_allclose(found[name], short[name], rtol=1e-9)


def test_stripes_that_begin_where_many_overturn_are_told(make_study):
    ds, hazard = make_study(), power_law()
    cut = ds.isel(intensity=slice(3, None))  # from 2.3 on
    whole, part = annual_rate(ds, hazard), annual_rate(cut, hazard)
    assert float(whole["weakest_fraction"]) == 0
    fell = (cut["outcome"][:, 0] == Outcome.OVERTURNED).mean()
    assert float(part["weakest_fraction"]) == pytest.approx(float(fell))
    assert float(part["rate"][1, 0]) < 0.8 * float(whole["rate"][1, 0])
    words = "the empirical fractions begin at 0.235 g, where 27 % overturned: their rate lacks what weaker"
    assert words in text_of(part, high_confidence_capacity(cut))
    assert "the empirical fractions begin" not in text_of(whole, high_confidence_capacity(ds))


def test_undecided_runs_widen_the_interval_both_ways(make_study):
    plain = annual_rate(make_study(), power_law())["rate_interval"].values
    doubt = annual_rate(make_study(undecided=0.05), power_law())["rate_interval"].values
    assert (doubt[0] < plain[0]).all()
    assert (doubt[1] > plain[1]).all()


def test_where_nothing_overturned_there_is_no_curve(make_study):
    ds = make_study(median=1000.0)
    found = annual_rate(ds, power_law())
    assert found["rate"].sel(fragility="lognormal").isnull().all()
    assert (found["rate"].sel(fragility="stripes") == 0).all()
    assert found["rate_interval"].sel(fragility="lognormal").isnull().all()
    low, high = found["rate_interval"].sel(fragility="stripes", hazard="mean").values
    x, at = found["bin_lower"].values[0], 6.0
    bound = 1 - 0.025 ** (1 / 22)  # of 22 records without an event
    assert low == 0
    beyond = K0 * (at**-SLOPE - found["bin_upper"].values[-1] ** -SLOPE)
    assert high == pytest.approx(bound * K0 * (x**-SLOPE - at**-SLOPE) + beyond, rel=1e-6)
    assert "no HCLPF: there is no fragility curve" in text_of(found, high_confidence_capacity(ds))


def test_a_nested_study_is_pooled():
    ds = nested_study()
    xr.testing.assert_identical(annual_rate(ds, power_law()), annual_rate(pooled(ds), power_law()))


def test_every_outer_draw_has_the_rate_of_its_runs():
    ds = nested_study(unknown=0.3)
    hazard, found = power_law(), rate_of_draws(ds, power_law())["rate_of_draws"]
    assert found.dims == ("fragility", "outer")
    for k in (0, 5):
        alone = annual_rate(ds.isel(outer=k), hazard)["rate"].sel(hazard="mean")
        np.testing.assert_allclose(found[:, k], alone)
    shuffled = rate_of_draws(ds.isel(intensity=[3, 0, 4, 1, 2]), hazard)["rate_of_draws"]
    np.testing.assert_allclose(shuffled, found)
    with pytest.raises(ValueError, match="not nested"):
        rate_of_draws(ds.isel(outer=0), hazard)
    with pytest.raises(HazardError, match="the study's intensity is intensity"):
        rate_of_draws(ds, power_law(units="m s-1"))


def test_a_draw_in_which_nothing_overturns_has_no_lognormal_rate():
    ds = nested_study(draws=3)
    ds["outcome"][0] = Outcome.AT_REST  # a draw in which nothing overturns
    found = rate_of_draws(ds, power_law())
    assert found["draws_without_rate"].values.tolist() == [1, 0]
    assert np.isnan(found["median_of_draws"][0])
    stripes = found["rate_of_draws"].sel(fragility="stripes").values
    assert stripes[0] == 0 < stripes[1:].min()
    low, middle, high = np.quantile(stripes, [0.05, 0.5, 0.95])
    assert float(found["median_of_draws"][1]) == middle
    np.testing.assert_array_equal(found["median_of_draws_interval"][:, 1], [low, high])
    text = "\n".join(rate_blocks(annual_rate(ds, power_law()).assign(found.data_vars)))
    assert "count 10 recordings, and not what is epistemic" in text


def test_a_nested_study_falls_off_its_support_as_its_pooled_runs_do():
    """The base of a body that stands moves by 0.02 m for each 1 m/s2: beyond 0.05 m from 2.5 m/s2 on."""
    ds, hazard = nested_study(), power_law().assign_attrs(reading="annual rates")
    ds["peak_displacement"] = (0.02 * ds["intensity"]).broadcast_like(ds["outcome"]).assign_attrs(units="m")
    limited = with_displacement_limit(ds, 0.05)
    found = compose_risk(limited, Site(hazard), Confidence())
    either, alone = (found.tables[name] for name in ("annual_rate_with_support", "annual_rate"))
    judged = by_limit(pooled(ds), "peak_displacement", 0.05)
    np.testing.assert_array_equal(
        pooled(by_limit(ds, "peak_displacement", 0.05))["outcome"], judged["outcome"]
    )
    np.testing.assert_array_equal(either["rate"], annual_rate(judged, hazard)["rate"])
    both = [each["rate_of_draws"].sel(fragility="stripes") for each in (either, alone)]
    assert (both[0] > both[1]).all()
    assert "% in 90 % of the epistemic draws" in answer_sentence(summarize(limited), alone, either)


def test_a_study_with_a_displacement_limit_is_judged_by_falling_off_too():
    """Headline, card, cautions and the check against the target name one rate; what is not of it says so."""
    ds = with_displacement_limit(sliding_study(records=12, per_record=8), 0.05)
    site = Site(power_law().assign_attrs(reading="annual rates"), target=1e-4)
    found = compose_risk(ds, site, Confidence())
    either, alone, judged = (
        found.tables[name] for name in ("annual_rate_with_support", "annual_rate", "standards")
    )
    event = "overturning or falling off its support (peak displacement beyond 0.05 m)"
    row = judged.sel(check=f"annual rate of {event}")
    assert float(row["demand"]) == float(accepted_rate(either)["rate"]) > float(accepted_rate(alone)["rate"])
    needed, median = (
        float(judged[name].sel(check="median for the target")) for name in ("demand", "capacity")
    )
    assert median == pytest.approx(float(fit_fragility(by_support(ds))["median_capacity"]))
    assert needed > median
    cards = {card.name: card.value for card in key_figures(summarize(ds), either, None)}
    name, rate = next(iter(cards.items()))
    assert name == f"Annual rate of {event} [per year]"
    assert rate_blocks(either)[0].startswith(f"Annual rate of {event}: {rate} per year")
    assert "Median capacity, overturning alone" in cards
    said = [next(line for line in rate_blocks(each) if isinstance(line, Caution)) for each in (either, alone)]
    assert "of the rate of overturning or falling off comes from below" in said[0]
    assert "at which a run overturned or fell off" in said[0]
    assert "of the rate of overturning comes from below" in said[1]


def test_the_two_readings_of_high_confidence(make_study):
    ds = make_study()
    fit, found = fit_fragility(ds), high_confidence_capacity(ds)
    median, r, u = (float(found[name]) for name in ("median_capacity", "beta_r", "beta_u"))
    assert (median, r) == pytest.approx((float(fit["median_capacity"]), float(fit["dispersion"])))
    assert float(found["separation"]) == pytest.approx(median * np.exp(-1.6448536 * (r + u)))
    assert float(found["confident"]) < median * np.exp(-1.6448536 * r)
    few = high_confidence_capacity(make_study(records=5))
    assert np.isnan([few[name] for name in ("confident", "separation", "one_percent")]).all()
    assert "5 recordings cannot give a confidence of 95 %" in capacity_blocks(few)[0]
    assert float(found["one_percent"]) == pytest.approx(median * np.exp(-2.3263479 * np.hypot(r, u)))
    assert u == float(found["beta_sampling"]) > 0 == float(found["beta_epistemic"])
    low, high = np.log(fit["median_capacity_interval"].values)
    assert u == pytest.approx((high - low) / 2 / 2.08, rel=0.15)  # Student's 0.975 quantile, 21 degrees
    assert "beta_R holds ignorance too" in "\n".join(capacity_blocks(found))
    weakest = found["weakest_overturning"]
    low, high = (found.assign(weakest_overturning=weakest.copy(data=at)) for at in (0.1, 10.0))
    heeded = [[block for block in capacity_blocks(each) if "HCLPF is an" in block] for each in (low, high)]
    assert [len(each) for each in heeded] == [0, 1]
    assert isinstance(heeded[1][0], Caution)


def test_the_dispersion_of_few_records_is_that_of_the_jackknife(make_study):
    ds = make_study(records=6)
    record = ds["record"]
    medians = [float(fit_fragility(ds.sel(realization=record != k))["median_capacity"]) for k in range(6)]
    expected = np.sqrt(5) * np.log(medians).std()
    assert float(high_confidence_capacity(ds)["beta_sampling"]) == pytest.approx(expected)


def test_a_nested_study_tells_the_dispersions_apart():
    ds = nested_study(unknown=0.3)
    found, parts = high_confidence_capacity(ds), epistemic_fragility(ds)
    assert float(found["beta_r"]) == float(parts["aleatory"])
    assert float(found["beta_epistemic"]) == float(parts["epistemic"])
    assert float(found["beta_u"]) == pytest.approx(np.hypot(found["beta_epistemic"], found["beta_sampling"]))
    assert "ignorance too" not in "\n".join(capacity_blocks(found))


def test_a_capacity_that_is_not_defined_says_why():
    ds = nested_study(draws=6)
    ds["outcome"][:2] = Outcome.AT_REST
    found = high_confidence_capacity(ds)
    assert [int(found[name]) for name in ("draws", "draws_standing", "draws_without_curve")] == [6, 2, 2]
    assert found.attrs["missing"] == "in 2 of 6 epistemic draws nothing overturns"
    text = "\n".join(capacity_blocks(found))
    assert f"{float(found['beta_sampling']):.3f}" in text
    ds["outcome"][:2] = Outcome.OVERTURNED
    missing = high_confidence_capacity(ds).attrs["missing"]
    assert missing == "in 2 of 6 epistemic draws there is no curve"
    for name in ("draws_standing", "draws_without_curve"):
        found[name] = 0
    assert _no_capacity(found) == "without one of the records an epistemic draw has no curve"
    found["beta_epistemic"], found["beta_sampling"] = 0.1, np.nan
    assert _no_capacity(found) == "without one of the records there is no curve"
    assert "nan" not in text


def test_one_percent_of_the_fractions_themselves():
    """Of 100 records with a run at each of three levels 0, 2 and 50 overturned: 1 % lies where the probit of
    half a record rises to that of two."""
    fell = np.arange(100)[:, None] < [0, 2, 50]
    outcome = ("realization", "intensity"), np.where(fell, Outcome.OVERTURNED, Outcome.AT_REST).astype("i1")
    ds = xr.Dataset(
        {"outcome": outcome}, coords={"intensity": ("intensity", [1.0, 4.0, 9.0], {"units": "m s-2"})}
    )
    first, last = norm.ppf([0.5 / 101, 0.02])
    place = norm.ppf(norm.cdf(first) + 0.5 * (0.02 - norm.cdf(first)))
    expected = 4.0 ** ((place - first) / (last - first))
    found = float(high_confidence_capacity(ds)["stripes_one_percent"])
    assert found == float(isotonic_fragility(ds)["reached"][0]) == pytest.approx(expected)


def test_survival_averages_over_ages():
    assert survival(1e-4, 1e4).item() == pytest.approx(np.exp(-1))
    assert survival([1e-4], [5e3, 1.5e4])[0] == pytest.approx((np.exp(-0.5) + np.exp(-1.5)) / 2)
    for bad in ((-1e-4, 10.0), (1e-4, np.nan)):
        with pytest.raises(ValueError, match="must be finite and >= 0"):
            survival(*bad)


def test_the_figure_has_areas_that_are_the_rate(make_study):
    ds = make_study()
    found, ax = annual_rate(ds, power_law()), plot_risk(ds, power_law())
    for patch, curve in zip(ax.patches, ("lognormal", "stripes"), strict=True):
        values, edges, _ = patch.get_data()
        area = (values * np.diff(np.log(edges))).sum()
        assert area == pytest.approx(float(found["rate"].sel(fragility=curve, hazard="mean")))


def test_a_cloud_has_a_rate_too(make_study):
    found = annual_rate(make_study(cloud=True), power_law())
    assert float(found["rate"][0, 0]) == pytest.approx(float(found["rate"][1, 0]), rel=0.25)


def test_mistakes(make_study):
    with pytest.raises(ValueError, match=r"years must be finite and > 0 \[a\]"):
        annual_rate(make_study(), power_law(), years=0.0)
    with pytest.raises(HazardError, match="the study's intensity is intensity"):
        annual_rate(make_study(), power_law(units="m s-1"))
    with pytest.raises(TypeError, match=r"^annual_rate\(\) got an unexpected keyword argument 'measure'"):
        annual_rate(make_study(), power_law(), measure="pgv")
    with pytest.raises(ValueError, match="at least 2 recordings"):
        annual_rate(make_study(records=1), power_law())


@pytest.mark.parametrize("scale", [1e3, 1e-3])
def test_a_rate_that_the_runs_do_not_bound_from_below_says_what_it_leaves_out(make_study, scale):
    """Where nothing overturned command, card, figure and answer say what the rate may reach."""
    ds = make_study(median=3.0 * scale)
    rates, summary = annual_rate(ds, power_law()), summarize(ds)
    card, text = key_figures(summary, rates, None)[0], rate_blocks(rates)[0]
    most = format_interval(0.0, float(accepted_rate(rates)["rate_interval"][1])).removeprefix("below ")
    assert (card.value == f"up to {most}") == (scale > 1)
    assert text.startswith(f"Annual rate of overturning: {card.value} per year (95 % interval ")
    assert (
        f"empirical fractions, {card.value} per year"
        in plot_risk(ds, power_law()).get_legend_handles_labels()[1]
    )
    answer = answer_sentence(summary, rates)
    assert ("% in 50 years (95 % interval below " in answer) == (scale > 1)
    assert ("In 0 of " in answer) == (scale > 1)
    assert ("the number leaves out what is weaker than 0.051 g, where all overturned" in text) == (scale < 1)
