"""The numbers of a study that a reader looks for first."""

from __future__ import annotations

import math
from typing import NamedTuple

import xarray as xr

from mcrock.base.estimates import format_estimate, format_interval
from mcrock.show.fragility import format_ends, format_fragility, format_half
from mcrock.show.numbers import estimate, format_count, label, label_place, percent
from mcrock.show.risk import WORDS, format_headline_capacity, headline_capacity, tell_risk
from mcrock.show.summary import Summary
from mcrock.statistics.accepted_curve import choice_of, goes_by, goes_without
from mcrock.statistics.risk import headline_rate

CAPACITIES = {  # by which a HCLPF is headed
    "confident": "overturns with at most 5 % at 95 % confidence, by the curves of the rate's interval",
    "one_percent": "overturns with 1 % by the lognormal mean curve, as no input is marked as unknown",
    "accepted_one_percent": "overturns with 1 %",
}


HCLPF = "High confidence of a low probability (HCLPF)"


class KeyFigure(NamedTuple):
    """A number with its name and what has to be known of it."""

    name: str
    value: str
    words: str


def key_figures(summary: Summary, rates: xr.Dataset | None, capacity: xr.Dataset | None) -> list[KeyFigure]:
    """Key results of a study, each with its interval."""
    found = _fragility(summary) if summary.is_shaken else [_release(summary.probability)]
    if capacity is not None and math.isfinite(float(capacity["confident"])):
        found.append(capacity_figure(capacity))
    return [*([] if rates is None else _risk(rates)), *found, _size(summary.probability)]


def capacity_figure(capacity: xr.Dataset) -> KeyFigure:
    """The capacity with which `mcrock risk` begins, too."""
    name = headline_capacity(capacity)
    by = f" {WORDS[goes_by(capacity)]}: {choice_of(capacity).words}" * (name == "accepted_one_percent")
    return KeyFigure(HCLPF, format_headline_capacity(capacity), CAPACITIES[name] + by)


def _size(probability: xr.Dataset) -> KeyFigure:
    runs, doubtful = int(probability["runs"].sum()), int(probability["undecided"].sum())
    noun = "recording" if probability.attrs["independent"] == "records" else "realization"
    words = f"{runs} runs, {doubtful or 'none'} of them undecided"
    return KeyFigure("Based on", format_count(int(probability["records"]), noun), words)


def _release(probability: xr.Dataset) -> KeyFigure:
    """Of a body released from a tilt."""
    low, high = probability["interval"].values[:, 0]
    words = f"{percent(probability)} interval {low:.3f} to {high:.3f}"
    return KeyFigure("Probability of overturning", f"{float(probability['probability'][0]):.3f}", words)


def _fragility(summary: Summary) -> list[KeyFigure]:
    fit = summary.fragility
    if goes_without(fit):
        at, is_below = fit["accepted_reached"][-1], bool(fit["accepted_below"][-1])
        half = label_place(float(at), is_below, at.attrs["units"])
        words = f"{percent(fit)} interval {format_half(fit)}, {WORDS[goes_by(fit)]}: {choice_of(fit).words}"
        found = [KeyFigure("Median capacity", half.removeprefix("at "), words)]
    elif math.isfinite(float(fit["median_capacity"])):
        dispersion, level = estimate(fit, "dispersion"), f"{percent(fit)} interval"
        words = f"{level} {format_interval(*dispersion[1:])}"
        found = [
            KeyFigure("Median capacity", label(fit["median_capacity"]), f"{level} {format_ends(fit)}"),
            KeyFigure("Dispersion", format_estimate(*dispersion), words),
        ]
    else:
        words = format_fragility(fit).removeprefix("Fragility: ")
        found = [KeyFigure("Median capacity", "-", words)]
    if math.isfinite(float(fit["weakest_overturning"])):
        below, weakest = int(fit["runs_below"]), label(fit["weakest_overturning"])
        words = f"none of {format_count(below, 'run')} at weaker ones did" if below else "none was weaker"
        found.append(KeyFigure("Weakest level that overturned", weakest, words))
    return found


def _at_most(rates: xr.Dataset, name: str) -> tuple[str, str]:
    """`tell_risk`, with the upper end where it is 0."""
    told, words = tell_risk(rates, name)
    most = format_interval(0.0, float(headline_rate(rates)[f"{name}_interval"].sel(bound="upper")))
    return (f"up to {most.removeprefix('below ')}" if told == "0" and most != "-" else told), words


def _risk(rates: xr.Dataset) -> list[KeyFigure]:
    (rate, of_rate), chance = _at_most(rates, "rate"), _at_most(rates, "probability")
    by = f"{WORDS[goes_by(rates)]}: {choice_of(rates).words}"
    return [
        KeyFigure("Annual rate of overturning [1/year]", rate, f"{of_rate}; {by}"),
        KeyFigure(f"Probability in {rates.attrs['years']:g} years", *chance),
    ]
