"""Risk of overturning at a site as text."""

from __future__ import annotations

import math

import numpy as np
import xarray as xr

from mcrock.base.estimates import LEAST, format_estimate, format_interval, format_p_value, format_percent
from mcrock.show.numbers import format_count, label_intensities, label_place
from mcrock.show.tables import format_table
from mcrock.statistics.goodness import REJECTED
from mcrock.statistics.hazard import MEAN

SMALL = 0.01  # fraction at the weakest level that leaves out little [1]
FEWEST = 6  # recordings that can give a confidence of 95 % at all
SOURCES = {
    "hazard": "hazard",
    "epistemic": "epistemic inputs",
    "records": "number of records",
    "beta_u": "own beta_U",
}
WORDS = {"lognormal": "by the lognormal curve", "stripes": "by the rising fractions of the levels"}
NEGLIGIBLE = 5e-4  # share of a rate that is not mentioned [1]


def format_risk(rates: xr.Dataset, capacity: xr.Dataset) -> str:
    """Rates and probabilities by both fragilities, where they come from, and the HCLPF.

    Parameters
    ----------
    rates, capacity : Dataset
        From `mcrock.statistics.annual_rate`, for a nested study with `mcrock.statistics.rate_of_draws` as the
        variable `rate_of_draws`, and `mcrock.statistics.high_confidence_capacity`.
    """
    lines = [*format_headline(rates), "", *format_rates(rates), *format_unsupported(rates)]
    return "\n".join([*lines, *format_outside(rates), "", *format_capacity(capacity)])


def format_headline(rates: xr.Dataset) -> list[str]:
    """The annual rate for the mean hazard by the fragility to go by, with the end of the table."""
    one = rates.sel(hazard=MEAN, fragility=rates.attrs["headline"])
    units = rates["weakest_overturning"].attrs.get("units", "1")
    last = label_intensities([float(rates["bin_upper"][-1])], units)[0]
    ends, chances = one["rate_interval"].values.tolist(), one["probability_interval"].values.tolist()
    beyond = float(rates["rate_above"].sel(hazard=MEAN, bound="upper").isel(fragility=0))
    percent = f"{rates.attrs['level'] * 100:.4g} % interval"
    return [
        f"Annual rate of overturning: {format_estimate(float(one['rate']), *ends)} 1/a ({percent} "
        f"{format_interval(*ends)}); in {rates.attrs['years']:g} years "
        f"{format_estimate(float(one['probability']), *chances)} ({format_interval(*chances)})",
        f"of earthquakes up to {last}, where the hazard table ends; stronger ones come up to {beyond:.2g} "
        f"times a year, so that the rate is at most {_rounded(ends[1] + beyond)} 1/a",
        f"{WORDS[rates.attrs['headline']]}: {format_choice(rates)}",
    ]


def format_choice(found: xr.Dataset) -> str:
    """Why a rate goes by its fragility, with the p-value of the test of the lognormal curve."""
    p = float(found["fit_p_value"])
    return found.attrs["why"] + ("" if math.isnan(p) else f" ({format_p_value(p)})")


def format_rates(rates: xr.Dataset) -> list[str]:
    """Table of rates and probabilities, and what its intervals are of."""
    percent = f"{rates.attrs['level'] * 100:.4g} % interval"
    rows = []
    for curve in rates["fragility"].values.tolist():
        for hazard in rates["hazard"].values.tolist():
            one = rates.sel(fragility=curve, hazard=hazard)
            row = [curve, hazard]
            for name in ("rate", "probability"):
                ends = one[f"{name}_interval"].values.tolist()
                row += [format_estimate(float(one[name]), *ends), format_interval(*ends)]
            rows.append(row)
    heads = ["fragility", "hazard", "rate [1/a]", percent, f"in {rates.attrs['years']:g} years", percent]
    records = format_count(int(rates["records"]), "independent recording")
    lines = ["Rates by both fragilities and all hazard curves", format_table(heads, rows)]
    words = f"intervals are for this hazard and count {records}"
    if "rate_of_draws" not in rates:
        return [*lines, words]
    return [*lines, f"{words}, and not what is epistemic", *format_draws(rates["rate_of_draws"])]


def format_draws(rates: xr.DataArray) -> list[str]:
    """Lines on the rates of the outer draws of a nested study, from `mcrock.statistics.rate_of_draws`."""
    draws, lines = rates.sizes["outer"], []
    for curve in rates["fragility"].values.tolist():
        of_curve = rates.sel(fragility=curve).values
        missing = int((~np.isfinite(of_curve)).sum())
        if missing:
            words = f"{missing} of them {'has' if missing == 1 else 'have'} no curve"
        else:
            low, middle, high = np.quantile(of_curve, [0.05, 0.5, 0.95])
            words = f"median {middle:.3g}, 5 to 95 % {low:.3g} to {high:.3g} 1/a "
            words += "(as counted, the noise of their runs included)"
        lines.append(f"{curve} rate over the {draws} outer draws, mean hazard: {words}")
    return lines


def format_weighted(found: xr.Dataset) -> list[str]:
    """Lines on the rate by the weighted runs of a cloud, from `mcrock.statistics.weighted_probability`."""
    units = found["weakest_overturning"].attrs.get("units", "1")
    low, high = found["interval"].values.tolist()
    weakest, unseen = float(found["weakest_overturning"]), format_interval(0.0, float(found["unseen"]))
    words = "rate by the runs themselves, weighted to the hazard, without a curve: "
    if math.isfinite(weakest):
        (label,) = label_intensities([weakest], units)
        lines = [
            f"{words}{format_estimate(float(found['rate']), low, high)} 1/a "
            f"({format_interval(low, high)}, of earthquakes from {label} on, the weakest that overturned), "
            f"from {float(found['effective_runs']):.0f} effective of {int(found['runs'])} runs",
            f"weaker earthquakes, in which no run overturned, and any stronger than all runs add {unseen} "
            "1/a: no less is known without a curve, and a smaller number needs more records or runs there",
        ]
    else:
        lines = [f"{words}{unseen} 1/a: none of {int(found['runs'])} runs overturned"]
    if float(found["outside"]) > 0:
        lines.append(
            f"intensities at which the study has no runs come {_number(found['outside'])} times a year"
        )
    if math.isfinite(float(found["proposal_median"])):
        (label,) = label_intensities([float(found["proposal_median"])], units)
        lines.append(
            f"runs for this hazard are best drawn from about a lognormal intensity of median {label} and "
            f"dispersion {float(found['proposal_dispersion']):.2g}"
        )
    return lines


def format_unsupported(rates: xr.Dataset) -> list[str]:
    """Lines on what no run supports."""
    lines, units = [], rates["weakest_overturning"].attrs.get("units", "1")
    for share, bound, words in (
        ("share_below", "weakest_overturning", "below {}, the weakest intensity at which a run overturned"),
        ("share_beyond", "strongest_run", "beyond {}, the strongest intensity of a run"),
    ):
        parts = zip(rates["fragility"].values.tolist(), rates[share].values.tolist(), strict=True)
        found = [f"{format_percent(part)} of the {curve} rate" for curve, part in parts if part > NEGLIGIBLE]
        if found:
            place = words.format(label_intensities([float(rates[bound])], units)[0])
            lines.append(f"{' and '.join(found)} come{'s' * (len(found) == 1)} from {place}")
    end, weakest = float(rates["bin_upper"][-1]), float(rates["weakest_overturning"])
    if end < weakest < math.inf:
        last, first = label_intensities([end, weakest], units)
        lines.append(
            f"the hazard table ends at {last}, below the weakest intensity at which a run overturned "
            f"({first}): check its unit"
        )
    start, fraction = float(rates["weakest_run"]), float(rates["weakest_fraction"])
    if fraction > SMALL:
        lines.append(
            f"the stripes begin at {label_intensities([start], units)[0]}, where {format_percent(fraction)} "
            "overturned: their rate lacks what weaker earthquakes do; run weaker levels (--extend)"
        )
    return lines


def format_outside(rates: xr.Dataset) -> list[str]:
    """Lines on what no row of the hazard supports."""
    units = rates["weakest_overturning"].attrs.get("units", "1")
    (first,) = label_intensities([float(rates["bin_lower"][0])], units)
    if float(rates["weakest_run"]) > float(rates["bin_lower"][0]) and rates["first_probability"][0].isnull():
        return [f"below {first}, where the hazard table begins, no run tells the probability"]
    at_first = _number(max(float(rates["first_probability"].max(skipna=True)), LEAST))
    return [f"below the hazard table, which begins at {first}, the probability is {at_first} at most"]


def headline_capacity(capacity: xr.Dataset) -> str:
    """Name of the capacity to go by.

    The 1 % point of the rising fractions where the lognormal curve is rejected, that of the mean curve where
    nothing is epistemic, else the bound of 5 % with 95 % confidence.
    """
    if float(capacity["fit_p_value"]) < REJECTED:
        return "stripes_one_percent"
    return "confident" if float(capacity["beta_epistemic"]) > 0 else "one_percent"


def format_capacity(capacity: xr.Dataset) -> list[str]:
    """Lines on the HCLPF and the dispersions that it is made of."""
    units = capacity["weakest_overturning"].attrs.get("units", "1")
    if math.isnan(float(capacity["median_capacity"])):
        return ["HCLPF: none, as there is no fragility curve"]
    names = ("confident", "separation", "one_percent", "weakest_overturning")
    values = [float(capacity[name]) for name in names]
    confident, separation, one, weakest = label_intensities(values, units)
    at, is_below = float(capacity["stripes_one_percent"]), bool(capacity["stripes_open"])
    stripes = f"the rising fractions reach 1 % {label_place(at, is_below, units)}"
    r, u, epistemic, sampling = (
        float(capacity[name]) for name in ("beta_r", "beta_u", "beta_epistemic", "beta_sampling")
    )
    if not math.isfinite(values[0]):
        parts = (
            ("beta_R = {:.3f}", r),
            ("{:.3f} of beta_U from epistemic inputs", epistemic),
            ("{:.3f} of beta_U from the number of records", sampling),
        )
        known = ", ".join(words.format(part) for words, part in parts if math.isfinite(part))
        return [
            f"HCLPF: not defined: {_why_undefined(capacity)}; {stripes}",
            f"dispersions that are defined: {known or 'none'}",
        ]
    nested = epistemic > 0
    said = {
        "confident": f"{confident} has at most 5 % with 95 % confidence (one-sided bound of the lognormal "
        "curve)",
        "one_percent": f"{one} is 1 % of the mean curve",
        "stripes_one_percent": stripes,
    }
    first = said.pop(headline_capacity(capacity))
    lines = [
        f"HCLPF: {'; '.join([first, *said.values()])}",
        f"by the convention of separated dispersions {separation}: beta_R = {r:.3f}, beta_U = {u:.3f}, "
        f"{sampling:.3f} of it from the number of records"
        + f", {epistemic:.3f} from epistemic inputs"
        * nested,
    ]
    if float(capacity["fit_p_value"]) < REJECTED:
        lines.append(
            "the lognormal curve is rejected, and with it these capacities: go by the rising fractions"
        )
    if min(values[:3]) < values[3]:
        lines.append(
            f"below {weakest}, the weakest intensity at which a run overturned, a HCLPF is an extrapolation"
        )
    if not nested:
        lines.append(
            "nothing is epistemic in this study: beta_R holds ignorance too (`mcrock docs assessment`)"
        )
    return lines


def _why_undefined(capacity: xr.Dataset) -> str:
    """Why a study with a fragility curve has no HCLPF."""
    if int(capacity["records"]) < FEWEST:
        return f"{format_count(int(capacity['records']), 'recording')} cannot give a confidence of 95 %"
    if math.isnan(float(capacity["beta_epistemic"])):
        for name, words in (
            ("draws_standing", "nothing overturns"),
            ("draws_without_curve", "there is no curve"),
        ):
            if int(capacity[name]):
                return f"in {int(capacity[name])} of {int(capacity['draws'])} outer draws {words}"
        return "without one of the records an outer draw has no curve"
    if math.isnan(float(capacity["beta_sampling"])):
        return "without one of the records there is no curve"
    return "too many resamples of the records, or a reading of the undecided runs, have no curve"


def format_distribution(found: xr.Dataset, units: str, age: float | None = None) -> list[str]:
    """Lines on the distribution of the rate, from `mcrock.statistics.rate_distribution`."""
    if math.isnan(float(found["rate_mean"])):
        return [
            "no distribution of the rate: nothing overturned, or resamples of so few recordings tell none"
        ]
    fractiles = dict(
        zip(found["fractile"].values.tolist(), found["rate_fractile"].values.tolist(), strict=True)
    )
    ends = fractiles[0.05], fractiles[0.95]
    middle, mean = (format_estimate(x, *ends) for x in (fractiles[0.5], float(found["rate_mean"])))
    shares = zip(found["source"].values.tolist(), found["variance_share"].values.tolist(), strict=True)
    parts = ", ".join(f"{SOURCES[name]} {share:.2f}" for name, share in shares if share > NEGLIGIBLE)
    below = label_intensities(found["part_intensity"].values.tolist(), units)
    lines = [
        f"Rate {WORDS[found.attrs['fragility']]} over all that is not known: median {middle} 1/a, 5 to 95 % "
        f"{format_interval(*ends)}, mean {mean}",
        f"shares of the variance of ln(rate): {parts or 'none'}",
        f"5, 50 and 95 % of the mean rate arise below {below[0]}, {below[1]} and {below[2]}; at {below[1]} "
        f"the hazard is k0 x^-k with k = {float(found['hazard_slope']):.3g} and k0 = "
        f"{float(found['hazard_factor']):.3g} (SI)"
        + f": with this law everywhere {format_estimate(float(found['closed_form']), *ends)} 1/a"
        * (found.attrs["fragility"] == "lognormal"),
    ]
    if found.attrs["fragility"] == "stripes":
        lines.append("what the levels leave open between them is in the interval of the rate, not in this")
    if "rank_correlation" in found:
        named = zip(
            found["input"].values, found["rank_correlation"].values, found["p_value"].values, strict=True
        )
        words = ", ".join(f"{name} {r:+.2f} ({format_p_value(float(p))})" for name, r, p in named)
        lines.append(
            f"rank correlation of the rate with what is epistemic, p-values over all inputs: {words}"
        )
    if age is not None:
        ends = tuple(found["survival_interval"].values.tolist())
        number = int(found["hazards"])
        over = (
            f"{number} hazard curves of equal weight"
            if number > 1
            else "the mean hazard, for lack of fractiles"
        )
        lines += [
            f"A body that has stood for {age:g} years: {format_estimate(float(found['survival']), *ends)} of "
            f"such bodies do ({found.attrs['level'] * 100:.4g} % interval {format_interval(*ends)}), "
            f"over {over}",
            "a small number speaks against the hazard, the body or the age",
        ]
    return lines


def _number(value: float | xr.DataArray) -> str:
    return f"{float(value):.3g}" if math.isfinite(float(value)) else "-"


def _rounded(value: float) -> str:
    return format_interval(0.0, value).removeprefix("below ")
