"""The numbers of a study that a reader looks for first."""

from __future__ import annotations

import math
from typing import NamedTuple

import xarray as xr

from mcrock.base.estimates import format_estimate, format_interval, format_p_value
from mcrock.show.fragility_text import format_fragility
from mcrock.show.numbers import format_count, label_intensities, label_place
from mcrock.show.risk_text import WORDS, format_choice, headline_capacity
from mcrock.show.summary import Summary
from mcrock.statistics.goodness import REJECTED

CAPACITIES = {  # by which a HCLPF is headed
    "confident": "at most 5 % with 95 % confidence, a bound of the lognormal curve",
    "one_percent": "1 % of the mean curve, as nothing is epistemic",
    "stripes_one_percent": "1 % by the rising fractions: the lognormal curve is rejected",
}


class KeyFigure(NamedTuple):
    """A number with its name and what has to be known of it."""

    name: str
    value: str
    words: str


def key_figures(summary: Summary, rates: xr.Dataset | None, capacity: xr.Dataset | None) -> list[KeyFigure]:
    """Key results of a study, each with its interval."""
    found = _fragility(summary) if summary.is_shaken else [_release(summary.probability)]
    found.append(_size(summary.probability))
    if capacity is not None and math.isfinite(float(capacity["confident"])):
        found.append(capacity_figure(capacity))
    return found + ([] if rates is None else _risk(rates))


def capacity_figure(capacity: xr.Dataset) -> KeyFigure:
    """The capacity with which `mcrock risk` begins, too."""
    units, name = capacity["weakest_overturning"].attrs.get("units", "1"), headline_capacity(capacity)
    is_below = name == "stripes_one_percent" and bool(capacity["stripes_open"])
    value = label_place(float(capacity[name]), is_below, units).removeprefix("at ")
    return KeyFigure("HCLPF", value, CAPACITIES[name])


def _size(probability: xr.Dataset) -> KeyFigure:
    runs, doubtful = int(probability["runs"].sum()), int(probability["undecided"].sum())
    noun = "recording" if probability.attrs["independent"] == "records" else "realization"
    words = f"{runs} runs, {doubtful or 'none'} of them undecided"
    return KeyFigure("Based on", format_count(int(probability["records"]), noun), words)


def _release(probability: xr.Dataset) -> KeyFigure:
    """Of a body released from a tilt."""
    low, high = probability["interval"].values[:, 0]
    words = f"{_percent(probability)} {low:.3f} to {high:.3f}"
    return KeyFigure("Probability of overturning", f"{float(probability['probability'][0]):.3f}", words)


def _fragility(summary: Summary) -> list[KeyFigure]:
    fit, units = summary.fragility, summary.probability["intensity"].attrs.get("units", "1")
    median, weakest = float(fit["median_capacity"]), float(fit["weakest_overturning"])
    if float(fit["fit_p_value"]) < REJECTED:
        half = label_place(float(fit["rising_reached"][-1]), bool(fit["rising_below"][-1]), units)
        rejected = format_p_value(float(fit["fit_p_value"]))
        words = f"by the rising fractions: the lognormal curve is rejected ({rejected})"
        found = [KeyFigure("Median capacity", half.removeprefix("at "), words)]
    elif math.isfinite(median):
        ends = fit["median_capacity_interval"].values.tolist()
        label, low, high = label_intensities([median, *ends], units)
        thin, wide = fit["dispersion_interval"].values.tolist()
        percent = _percent(fit)
        found = [
            KeyFigure("Median capacity", label, f"{percent} {low} to {high}"),
            KeyFigure(
                "Dispersion",
                format_estimate(float(fit["dispersion"]), thin, wide),
                f"{percent} {format_interval(thin, wide)}",
            ),
        ]
    else:
        words = format_fragility(fit, units).removeprefix("Fragility: ")
        found = [KeyFigure("Median capacity", "-", words)]
    if math.isfinite(weakest):
        below, label = int(fit["runs_below"]), label_intensities([weakest], units)[0]
        words = f"none of {format_count(below, 'run')} at weaker ones did" if below else "none was weaker"
        found.append(KeyFigure("Weakest level that overturned", label, words))
    return found


def _risk(rates: xr.Dataset) -> list[KeyFigure]:
    one = rates.sel(hazard="mean", fragility=rates.attrs["headline"])
    ends, chances = (one[f"{name}_interval"].values.tolist() for name in ("rate", "probability"))
    units = rates["weakest_overturning"].attrs.get("units", "1")
    last = label_intensities([float(rates["bin_upper"][-1])], units)[0]
    words = f"{_percent(rates)} {format_interval(*ends)}, {WORDS[rates.attrs['headline']]}: "
    words += format_choice(rates)
    words += f"; up to {last}, where the hazard table ends"
    chance = format_estimate(float(one["probability"]), *chances)
    return [
        KeyFigure("Annual rate of overturning", format_estimate(float(one["rate"]), *ends), words),
        KeyFigure(f"Probability in {rates.attrs['years']:g} years", chance, format_interval(*chances)),
    ]


def _percent(found: xr.Dataset) -> str:
    return f"{found.attrs['level'] * 100:.4g} % interval"
