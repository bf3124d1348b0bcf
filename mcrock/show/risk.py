"""Risk at a site, standards and rules of thumb: text and figures.

Rules of thumb and checks of codes next to the result: how well they tell the runs.

Standards next to the result, as a table: what is asked of the body, what it has, and the verdict.

Risk of overturning at a site: rates, where they come from, the capacity HCLPF; text and figure.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import xarray as xr

from mcrock.base.estimates import LEAST, format_estimate, format_interval, format_p_value, format_percent
from mcrock.base.keywords import takes
from mcrock.dataset.opened import takes_path
from mcrock.show import style
from mcrock.show.fragility import accepted_label
from mcrock.show.text import (
    estimate,
    format_count,
    label,
    label_intensities,
    label_place,
    labels,
    percent,
    table_along,
    with_ends,
)
from mcrock.statistics import annual_rate, baselines
from mcrock.statistics.accepted_curve import FAMILIES, choice_of, goes_by
from mcrock.statistics.hazard import MEAN, return_periods
from mcrock.statistics.intervals import Bootstrap, BootstrapKeywords
from mcrock.statistics.probability import EVENT
from mcrock.statistics.risk import largest_rate
from mcrock.statistics.standards import FITTED, rule_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINE = 7.5  # height of a rule in the figure [mm]
REST = 34.0  # height of everything else [mm]


def format_baselines(found: xr.Dataset) -> list[str]:
    """Table of what rules of thumb and checks of codes say."""
    level = percent(found)
    columns = [
        ("rule", rule_words),
        ("capacity", _capacity),
        (f"P there ({level})", lambda row: with_ends(row, "probability", ".2f")),
        ("by", lambda row: accepted_label(row) if goes_by(row) else "-"),
        (f"misclassified ({level})", lambda row: with_ends(row, "misclassified", ".2f")),
        (f"log loss ({level})", lambda row: with_ends(row, "log_loss", ".3f")),
    ]
    return [
        "Rules of thumb and code checks for comparison, scored on each record as fitted to the others",
        table_along(found, "rule", columns),
        *dict.fromkeys(
            f"over {row['measure'].item()} {choice_of(row).words}, so P is by the rising fractions"
            for row in (found.isel(rule=k) for k in range(found.sizes["rule"]))
            if goes_by(row) == "stripes"
        ),
    ]


def _capacity(row: xr.Dataset) -> str:
    capacity = float(row["capacity"])
    return label_intensities([capacity], str(row["units"].item()))[0] if math.isfinite(capacity) else "-"


@takes_path
@style.styled
@takes(Bootstrap)
def plot_baselines(
    ds: xr.Dataset,
    ax: Axes | None = None,
    *,
    folder: str | Path = ".",
    found: xr.Dataset | None = None,
    **keywords: Unpack[BootstrapKeywords],
) -> Axes:
    """Draw the log loss of rules of thumb and of checks of codes, with their capacities.

    Parameters
    ----------
    ds, folder, **keywords
        As for `mcrock.statistics.baselines`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    found : Dataset, optional
        From `mcrock.statistics.baselines`, of the same runs and keywords; by default computed.

    Returns
    -------
    Axes
        A rule in each row.

    Raises
    ------
    ValueError
        As `mcrock.statistics.baselines`.
    """
    found = baselines(ds, folder=folder, **keywords) if found is None else found
    found = found.isel(rule=slice(None, None, -1))
    ones = [found.isel(rule=i) for i in range(found.sizes["rule"])]
    ax = style.new_axes(height=REST + LINE * len(ones)) if ax is None else ax
    fitted, loss = found["rule"].isin(list(FITTED)).values, found["log_loss"].values
    ends = found["log_loss_interval"].values
    colours = np.where(fitted, style.BLUE, style.ORANGE).tolist()
    row = style.interval_rows(ax, [""] * len(ones), ends, colours)
    for group, colour, mark in ((fitted, style.BLUE, "o"), (~fitted, style.ORANGE, "s")):
        ax.scatter(loss[group], row[group], color=colour, marker=mark, s=16.0, zorder=3)
    style.words_above_rows(ax, [f"{rule_words(one)}: {_words(one)}" for one in ones])
    ax.set_xlim(0, 1.05 * np.nanmax([*ends[1], *loss]))
    ax.set_xlabel("Log loss on records left out [1]")
    style.add_note(
        ax,
        f"Bars: {found.attrs['level']:.0%} intervals over {found.sizes['left_out']} {found.attrs['scored']}, "
        "each predicted from the others. Circles: fitted to the runs of the others; squares: checks of the "
        "body alone, scored with the overturned fractions on either side. 0: perfect; 0.69: a coin toss. "
        "After the names: capacity; P, probability of overturning there by the accepted curve, f by "
        "the rising fractions; misclassified runs.",
    )
    return ax


def _words(row: xr.Dataset) -> str:
    """Capacity, probability there and misclassified fraction of a rule."""
    chance, missed = float(row["probability"]), f"{float(row['misclassified']):.0%} wrong"
    capacity, there = _capacity(row), f"P {chance:.2f}" if math.isfinite(chance) else ""
    there += " f" * (goes_by(row) == "stripes")
    return missed if capacity == "-" else ", ".join(filter(None, (capacity, there, missed)))


def format_standards(found: xr.Dataset) -> list[str]:
    """Table of a result of `mcrock.statistics.standards`, and the lines on what it could not say."""
    columns = [
        ("check", lambda one: str(one["check"].item())),
        (f"demand ({percent(found)})", lambda one: _cell(one, "demand")),
        (f"capacity ({percent(found)})", lambda one: _cell(one, "capacity")),
        ("verdict", lambda one: str(one["verdict"].item())),
        ("source", lambda one: str(one["source"].item())),
    ]
    title = "Standards: passed or failed where the intervals of demand and capacity are apart"
    return [title, table_along(found, "check", columns, left=True), *found.attrs["notes"].splitlines()]


def _cell(one: xr.Dataset, name: str) -> str:
    """A number with its interval, if it has one, in the unit of its row; "-" where nothing is known."""
    value, low, high = estimate(one, name)
    units = str(one["units"].item())
    if math.isnan(value) and (low, high) == (0.0, math.inf):
        return "-"

    def word(x: float) -> str:
        if math.isnan(x):
            return "-"
        return f"{format_estimate(x, low, high)} 1/a" if units == "1/a" else label_intensities([x], units)[0]

    if low == high:
        return word(value)
    interval = f"above {word(low)}" if math.isinf(high) else f"{word(low)} to {word(high)}"
    if low == 0 and units != "1/a":
        interval = "interval open" if math.isinf(high) else f"below {word(high)}"
    return f"{word(value)} ({interval})"


SMALL = 0.01  # fraction at the weakest level that leaves out little [1]
FEWEST = 6  # recordings that can give a confidence of 95 % at all
SOURCES = {
    "hazard": "hazard",
    "epistemic": "epistemic inputs",
    "records": "number of records",
    "beta_u": "own beta_U",
}
WORDS = {name: f"by {family.words}" for name, family in FAMILIES.items()}
NEGLIGIBLE = 5e-4  # share of a rate that is not mentioned [1]
LINES = ("-", "-.", "--", ":")  # of the families


def format_risk(rates: xr.Dataset, capacity: xr.Dataset) -> str:
    """Rates and probabilities by both fragilities, where they come from, and the HCLPF.

    Parameters
    ----------
    rates, capacity : Dataset
        From `mcrock.statistics.annual_rate`, for a nested study with `mcrock.statistics.rate_of_draws` as the
        variable `rate_of_draws`, and `mcrock.statistics.high_confidence_capacity`.
    """
    lines = [*format_headline(rates), "", *format_rates(rates), *format_unsupported(rates)]
    lines += [*format_outside(rates), "", *format_capacity(capacity), *format_extrapolated(capacity)]
    return "\n".join(lines)


def format_hazard(hazard: xr.Dataset) -> str:
    """What the hazard from `mcrock.statistics.load_hazard` is of, and how its files were read."""
    fractiles = [name for name in hazard["hazard"].values.tolist() if name != MEAN]
    curves = f"mean and fractiles {', '.join(fractiles)}" if fractiles else "mean"
    of_others = "site" in hazard.attrs
    at = f" at {hazard.attrs['site']}" if hazard.attrs.get("site") else ""
    turned = ", turned into annual rates" * hazard.attrs["reading"].startswith("probabilities")
    measure = hazard.attrs["measure"]
    component = f", taken for {format_component(measure)}" if format_component(measure) else ""
    component += ", which the files do not say" * bool(of_others and component)
    units = hazard["hazard_intensity"].attrs["units"]
    returns = ", ".join(
        f"{label_intensities([at], units)[0]} once in {years:.4g} years"
        for at, years in return_periods(hazard)
    )
    return f"Hazard: {curves} of {measure}{at}, {hazard.attrs['reading']}{turned}{component}; {returns}"


def format_component(measure: str) -> str:
    """Which horizontal component a measure is of; empty if it is of none.

    >>> format_component("sa_1s"), format_component("pga_rotd50"), format_component("d5_95")
    ('the geometric mean of both horizontal components', 'RotD50', '')
    """
    found = re.fullmatch(r"(?:pg[avd]|sa|avgsa)(?:_rotd(\d+))?(?:_\d.*)?", measure)
    if found is None:
        return ""
    return f"RotD{found[1]}" if found[1] else "the geometric mean of both horizontal components"


def format_consistency(found: xr.Dataset) -> list[str]:
    """Rates of another measure by site and recordings, of `mcrock.statistics.hazard_consistency`."""
    rate = "{:.2g}".format
    columns = [
        (found.attrs["measure"], lambda one: label(one["level"])),
        ("site [1/a]", lambda one: rate(float(one["site_rate"]))),
        ("recordings [1/a]", lambda one: rate(float(one["recordings_rate"]))),
        ("ratio", lambda one: rate(float(one["ratio"]))),
    ]
    known = found.isel(level=np.isfinite(found["ratio"].values))
    title = (
        f"Hazard consistency: how often the recordings, with the hazard in {found.attrs['own']}, are beyond"
    )
    if not known.sizes["level"]:
        return [
            f"{title} {found.attrs['measure']}: not known, the hazard of {found.attrs['own']} is too short"
        ]
    words = (
        f"beyond 1 the recordings are stronger in {found.attrs['measure']} than earthquakes of the same "
        f"{found.attrs['own']} at the site, and the rate of overturning is too high as far as it goes by that"
    )
    return [title, table_along(known, "level", columns), words]


def tell_risk(rates: xr.Dataset, name: str, unit: str = "") -> tuple[str, str]:
    """The "rate" or "probability" to go by for the mean hazard, and what its interval holds.

    The range over all hazard curves is told too; where no more is known, the bound and what it counts. With
    the unit " %" in percent.
    """
    of_curve, scale = rates.sel(fragility=goes_by(rates)), 100.0 if unit else 1.0
    most, is_bound = largest_rate(rates)
    if is_bound:
        bound = most if name == "rate" else -math.expm1(-most * rates.attrs["years"])
        words = (
            f"counting all earthquakes beyond {label(rates['bin_upper'][-1])}, where the hazard table ends"
        )
        return f"up to {format_interval(0.0, scale * bound).removeprefix('below ')}{unit}", words
    value, low, high = (scale * x for x in estimate(of_curve.sel(hazard=MEAN), name))
    words = f"{percent(rates)} interval {format_interval(low, high)}{unit}, of recordings and runs alone"
    curves, of_curves = rates["hazard"].values.tolist(), scale * of_curve[name].values
    if len(curves) > 1:
        ends = format_interval(of_curves.min(), of_curves.max())
        words += f"; {ends}{unit} over the hazard curves {', '.join(curves)}"
    if goes_by(rates) == "stripes" and (fraction := float(rates["weakest_fraction"])) > SMALL:
        words += f"; the number leaves out what is weaker than {label(rates['weakest_run'])}, where "
        words += f"{format_percent(fraction)} overturned"
    return format_estimate(value, low, high) + unit, words


def format_rate(rates: xr.Dataset, what: str = "overturning") -> list[str]:
    """Lines on the annual rate and the probability in some years by `tell_risk`."""
    (rate, of_rate), (chance, of_chance) = (tell_risk(rates, name) for name in ("rate", "probability"))
    years = f"{rates.attrs['years']:g}"
    return [f"Annual rate of {what}: {rate} 1/a ({of_rate})", f"in {years} years: {chance} ({of_chance})"]


def format_with_support(rates: xr.Dataset) -> list[str]:
    """Lines on the rate of `mcrock.statistics.risk.rate_with_support`, and the curve that it is of."""
    event = f"overturning or falling off its support ({rates.attrs[EVENT]})"
    lines = [*format_rate(rates, event), f"{WORDS[goes_by(rates)]}: {choice_of(rates).words}"]
    if rates.attrs["crosses"]:
        lines.append("that of overturning alone, which is part of it, is larger: the curves are fitted apart")
    return lines


def format_headline(rates: xr.Dataset) -> list[str]:
    """That, with the ends of the table."""
    beyond = float(rates["rate_above"].sel(hazard=MEAN, bound="upper").isel(fragility=0))
    by = WORDS[goes_by(rates)]
    return [
        *format_rate(rates),
        f"of earthquakes up to {label(rates['bin_upper'][-1])}, where the hazard table ends; stronger ones "
        f"come up to {beyond:.2g} times a year, so that for the mean hazard the rate {by} is at most "
        f"{format_interval(0.0, largest_rate(rates)[0]).removeprefix('below ')} 1/a",
        f"{by}: {choice_of(rates).words}",
    ]


def format_rates(rates: xr.Dataset) -> list[str]:
    """Table of rates and probabilities, and what its intervals are of."""
    level = f"{percent(rates)} interval"
    columns = [
        ("fragility", lambda one: FAMILIES[one["fragility"].item()].label),
        ("hazard", lambda one: str(one["hazard"].item())),
        ("rate [1/a]", lambda one: format_estimate(*estimate(one, "rate"))),
        (level, lambda one: format_interval(*estimate(one, "rate")[1:])),
        (f"in {rates.attrs['years']:g} years", lambda one: format_estimate(*estimate(one, "probability"))),
        (level, lambda one: format_interval(*estimate(one, "probability")[1:])),
    ]
    names = ["rate", "rate_interval", "probability", "probability_interval"]
    table = table_along(rates[names].stack(row=["fragility", "hazard"]), "row", columns)
    records = format_count(int(rates["records"]), "independent recording")
    lines = ["Rates by both fragilities and all hazard curves, of earthquakes in the hazard table", table]
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
        lines.append(f"rate {WORDS[curve]} over the {draws} outer draws, mean hazard: {words}")
    return lines


def format_weighted(found: xr.Dataset) -> list[str]:
    """Lines on the rate by the weighted runs of a cloud, from `mcrock.statistics.weighted_probability`."""
    low, high = found["interval"].values.tolist()
    unseen = format_interval(0.0, float(found["unseen"]))
    words = "rate by the runs themselves, weighted to the hazard, without a curve: "
    if math.isfinite(float(found["weakest_overturning"])):
        weakest = label(found["weakest_overturning"])
        lines = [
            f"{words}{format_estimate(float(found['rate']), low, high)} 1/a "
            f"({format_interval(low, high)}, of earthquakes from {weakest} on, the weakest that overturned), "
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
        lines.append(
            "runs for this hazard are best drawn from about a lognormal intensity of median "
            f"{label(found['proposal_median'])} and dispersion {float(found['proposal_dispersion']):.2g}"
        )
    return lines


def format_unsupported(rates: xr.Dataset) -> list[str]:
    """Lines on what no run supports."""
    lines = []
    for share, bound, words in (
        ("share_below", "weakest_overturning", "below {}, the weakest intensity at which a run overturned"),
        ("share_beyond", "strongest_run", "beyond {}, the strongest intensity of a run"),
    ):
        part = float(rates[share].sel(fragility=goes_by(rates)))
        if part > NEGLIGIBLE:
            lines.append(f"{format_percent(part)} of the rate comes from {words.format(label(rates[bound]))}")
    end, weakest = float(rates["bin_upper"][-1]), float(rates["weakest_overturning"])
    if end < weakest < math.inf:
        lines.append(
            f"the hazard table ends at {label(rates['bin_upper'][-1])}, below the weakest intensity at which "
            f"a run overturned ({label(rates['weakest_overturning'])}): check its unit, or give more rows"
        )
    fraction = float(rates["weakest_fraction"])
    if fraction > SMALL:
        lines.append(
            f"the rising fractions begin at {label(rates['weakest_run'])}, where {format_percent(fraction)} "
            "overturned: their rate lacks what weaker earthquakes do; run weaker levels (--extend)"
        )
    return lines


def format_outside(rates: xr.Dataset) -> list[str]:
    """Lines on what no row of the hazard supports."""
    first = label(rates["bin_lower"][0])
    most = _number(max(float(rates["first_probability"]), LEAST))
    return [
        f"below the hazard table, which begins at {first}, the probability is {most} at most "
        f"({percent(rates)} interval {WORDS[goes_by(rates)]})"
    ]


def headline_capacity(capacity: xr.Dataset) -> str:
    """Name of the capacity to go by.

    The 1 % point of the accepted curve where that is not the lognormal one, that of the mean curve where
    nothing is epistemic, else the bound of 5 % with 95 % confidence.
    """
    if goes_by(capacity) != "lognormal":
        return "accepted_one_percent"
    return "confident" if float(capacity["beta_epistemic"]) > 0 else "one_percent"


def format_headline_capacity(capacity: xr.Dataset) -> str:
    """The capacity to go by; of another than the lognormal curve at or below what, or beyond the runs."""
    name = headline_capacity(capacity)
    if name != "accepted_one_percent":
        return label(capacity[name])
    return _one_percent(capacity, "accepted").removeprefix("at ")


def _one_percent(capacity: xr.Dataset, of: str) -> str:
    at = capacity[f"{of}_one_percent"]
    return label_place(float(at), bool(capacity[f"{of}_open"]), at.attrs["units"])


def format_capacity(capacity: xr.Dataset) -> list[str]:
    """Lines on the HCLPF and the dispersions that it is made of."""
    if math.isnan(float(capacity["median_capacity"])):
        return ["HCLPF: none, as there is no fragility curve"]
    stripes = f"the rising fractions reach 1 % {_one_percent(capacity, 'stripes')}"
    r, u, epistemic, sampling = (
        float(capacity[name]) for name in ("beta_r", "beta_u", "beta_epistemic", "beta_sampling")
    )
    if not math.isfinite(float(capacity["confident"])):
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
    own = FAMILIES[goes_by(capacity)].words
    said = {
        "confident": f"{label(capacity['confident'])} has at most 5 % with 95 % confidence (one-sided bound "
        "by the curves of the interval of the rate)",
        "one_percent": f"{label(capacity['one_percent'])} is 1 % of the mean curve, the lognormal one alone",
        "stripes_one_percent": stripes,
        "accepted_one_percent": f"{own} has 1 % {_one_percent(capacity, 'accepted')}",
    }
    if goes_by(capacity) in ("lognormal", "stripes"):
        said["accepted_one_percent"] = said.pop("stripes_one_percent")
    first, of_inputs = said.pop(headline_capacity(capacity)), f", {epistemic:.3f} from epistemic inputs"
    lines = [
        f"HCLPF: {'; '.join([first, *said.values()])}",
        f"by the convention of separated dispersions, lognormal by definition, "
        f"{label(capacity['separation'])}: beta_R = {r:.3f}, "
        f"beta_U = {u:.3f}, {sampling:.3f} of it from the number of records{of_inputs * (epistemic > 0)}",
    ]
    if goes_by(capacity) != "lognormal":
        lines.append(
            f"{choice_of(capacity).words}, and with it these capacities: go {WORDS[goes_by(capacity)]}"
        )
    if not epistemic > 0:
        lines.append(
            "nothing is epistemic in this study: beta_R holds ignorance too (`mcrock docs assessment`)"
        )
    return lines


def format_extrapolated(capacity: xr.Dataset) -> list[str]:
    """A line on a HCLPF that no run supports, if there is one."""
    weakest = capacity["weakest_overturning"]
    if not min(float(capacity[name]) for name in ("confident", "separation", "one_percent")) < float(weakest):
        return []
    return [
        f"below {label(weakest)}, the weakest intensity at which a run overturned, a HCLPF is an "
        "extrapolation"
    ]


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


def format_distribution(found: xr.Dataset, age: float | None = None) -> list[str]:
    """Lines on the distribution of the rate, from `mcrock.statistics.risk`."""
    if math.isnan(float(found["rate_mean"])):
        return [f"no distribution of the rate: {found.attrs['missing']}"]
    fractiles = dict(
        zip(found["fractile"].values.tolist(), found["rate_fractile"].values.tolist(), strict=True)
    )
    ends = fractiles[0.05], fractiles[0.95]
    middle, mean = (format_estimate(x, *ends) for x in (fractiles[0.5], float(found["rate_mean"])))
    shares = zip(found["source"].values.tolist(), found["variance_share"].values.tolist(), strict=True)
    parts = ", ".join(f"{SOURCES[name]} {share:.2f}" for name, share in shares if share > NEGLIGIBLE)
    below, heavy = labels(found["part_intensity"]), found.attrs["log_logistic"]
    lines = [
        f"Rate {WORDS[found.attrs['fragility']]} over hazard, inputs, recordings and beta_U: median "
        f"{middle} 1/a, 5 to 95 % {format_interval(*ends)}, mean {mean}"
        + f" (of {int(found['hazards'])} curves through the fractiles, not of the mean curve of the table)"
        * (int(found["hazards"]) > 1)
        + f"; {format_percent(heavy)} of the resamples go by a log-logistic curve" * (heavy > 0),
        f"shares of the variance of ln(rate): {parts or 'none'}",
        f"5, 50 and 95 % of the mean rate arise below {below[0]}, {below[1]} and {below[2]}; at {below[1]} "
        f"the hazard is k0 x^-k with k = {float(found['hazard_slope']):.3g} and k0 = "
        f"{float(found['hazard_factor']):.3g} (SI)"
        + f": with this law everywhere {format_estimate(float(found['closed_form']), *ends)} 1/a"
        * (found.attrs["fragility"] == "lognormal"),
    ]
    if found.attrs["fragility"] == "stripes":
        lines.append(
            "what the levels leave open, between them and below the weakest, is in the interval of the rate, "
            "not in this"
        )
    if "rank_correlation" in found:
        named = zip(
            found["input"].values, found["rank_correlation"].values, found["p_value"].values, strict=True
        )
        words = ", ".join(f"{name} {r:+.2f} ({format_p_value(float(p))})" for name, r, p in named)
        lines.append(
            f"rank correlation of the rate with what is epistemic, p-values over all inputs: {words}"
        )
    if age is not None:
        survival, number = estimate(found, "survival"), int(found["hazards"])
        over = f"{number} hazard curves of equal weight" if number > 1 else "the mean hazard alone"
        lines += [
            f"A body that has stood for {age:g} years: {format_estimate(*survival)} of "
            f"such bodies do ({percent(found)} interval {format_interval(*survival[1:])}), "
            f"over {over}",
            "a small number speaks against the hazard, the body or the age",
        ]
    return lines


def _number(value: float | xr.DataArray) -> str:
    return f"{float(value):.3g}" if math.isfinite(float(value)) else "-"


@takes_path
@style.styled
@takes(Bootstrap)
def plot_risk(
    ds: xr.Dataset,
    hazard: xr.Dataset,
    ax: Axes | None = None,
    *,
    years: float = 50.0,
    found: xr.Dataset | None = None,
    **keywords: Unpack[BootstrapKeywords],
) -> Axes:
    """Draw from which intensities the rate of overturning comes, by both fragilities.

    Parameters
    ----------
    ds, hazard, years, **keywords
        As for `mcrock.statistics.annual_rate`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    found : Dataset, optional
        From `mcrock.statistics.annual_rate`, of the same runs and keywords; by default computed.

    Returns
    -------
    Axes
        Logarithmic along the intensity, acceleration in g, so that areas are parts of the rate.

    Raises
    ------
    ValueError
        As `mcrock.statistics.annual_rate`.
    """
    found = annual_rate(ds, hazard, years=years, **keywords) if found is None else found
    ax = style.new_axes() if ax is None else ax
    factor, words = style.axis_scale(found["bin_lower"])
    edges = np.append(found["bin_lower"].values, found["bin_upper"].values[-1]) * factor
    rows = []
    for i, curve in enumerate(found["fragility"].values.tolist()):
        one, words_of = found.sel(fragility=curve, hazard=MEAN), FAMILIES[curve].label
        rate = estimate(one, "rate")
        density = np.nan_to_num(one["share"].values * rate[0] / np.log(edges[1] / edges[0]))
        colour = style.BLUE if curve == goes_by(found) else style.GREY
        look: dict[str, Any] = {"color": colour, "linestyle": LINES[i % len(LINES)], "linewidth": 1.3}
        ax.stairs(density, edges, fill=False, label=f"{words_of}, {format_estimate(*rate)} /a", **look)
        known = math.isfinite(rate[1])
        rows.append(f"{words_of} {format_interval(*rate[1:])} /a" if known else f"{words_of} unknown")
    marks = ""
    for name, dashes, meaning in (
        ("weakest_overturning", ":", "Dotted: weakest intensity at which a run overturned. "),
        ("strongest_run", "--", "Dashed: strongest run. "),
    ):
        at = float(found[name]) * factor
        if edges[0] < at < edges[-1]:
            ax.axvline(at, color=style.GREY, linestyle=dashes, linewidth=0.9)
            marks += meaning
    ax.set(xlim=(edges[0], edges[-1]), xlabel=words, ylabel="Rate per ln(intensity) [1/a]")
    style.log_axis(ax)
    ax.set_ylim(bottom=0)
    style.number_axis(ax, "y")
    style.legend_above(ax, handlelength=1.8)
    style.add_note(
        ax,
        f"Mean hazard; areas are parts of the rate. {found.attrs['level']:.0%} intervals from "
        f"{int(found['records'])} {found.attrs['independent']}: {', '.join(rows)}. "
        f"{marks}Go {WORDS[goes_by(found)]}: {choice_of(found).words}.",
    )
    return ax
