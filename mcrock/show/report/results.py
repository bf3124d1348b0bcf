"""Sections on what came out: outcomes, fragility, what drives it, risk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import xarray as xr

from mcrock.ensemble.opening import read_log
from mcrock.show.curves import format_laws, plot_choices
from mcrock.show.epistemic import format_nested, plot_probability_box, plot_variance_shares
from mcrock.show.fragility import UNSUPPORTED, format_fragility, format_support, plot_fragility
from mcrock.show.measures import format_measures, plot_measures
from mcrock.show.outcomes import format_displacements, format_outcomes, plot_exceedance, plot_outcomes
from mcrock.show.report.audit import hazard_blocks
from mcrock.show.report.content import Block, Caution, Section, cautions, embed
from mcrock.show.risk import (
    format_capacity,
    format_consistency,
    format_distribution,
    format_extrapolated,
    format_hazard,
    format_headline,
    format_outside,
    format_rates,
    format_unsupported,
    format_with_support,
    plot_risk,
)
from mcrock.show.rules import format_baselines, plot_baselines
from mcrock.show.sensitivity import format_distances, format_indices, plot_sensitivity
from mcrock.show.standards import format_standards
from mcrock.show.status import format_impossible
from mcrock.show.style import add_note
from mcrock.show.summary import (
    PEAK,
    Summary,
    format_independence,
    format_probabilities,
    format_resurrection,
    missing_chunks,
)
from mcrock.show.validity import format_doubt
from mcrock.statistics import (
    by_support,
    design_intensity,
    outcome_distances,
    outcome_shares,
    rate_distribution,
    sobol_indices,
    standards,
)
from mcrock.statistics.hazard import question
from mcrock.statistics.intervals import Confidence
from mcrock.statistics.sensitivity import has_indices

DISPERSIONS = (
    "HCLPF: the capacity with high confidence of a low probability of failure, here of overturning. beta_R: "
    "dispersion of the curve by the shaking; beta_U: that of its median by ignorance and few recordings."
)
CURVES = (
    "1/a: times a year. lognormal: the fitted curve, whose lower tail is an assumption; rising fractions: "
    "the fractions of the runs that overturned at each intensity, made to rise with the least "
    "change, without a formula."
)
SCORE = (
    "Log loss: minus the logarithm of the probability that a rule gave to what happened, averaged over the "
    "runs of recordings that it was not fitted to. 0 is certainty that came true, a rule that always says "
    "one half has 0.693: the smaller the better."
)


class Site(NamedTuple):
    """Inputs of the risk at a site, and of the standards."""

    hazard: xr.Dataset | None = None  # from `mcrock.statistics.load_hazard`
    years: float = 50.0  # for which a probability is given [a]
    age: float | None = None  # of a body that still stands [a]
    design: str | None = None  # motion at which standards are judged, as in 0.4g
    target: float | None = None  # annual rate that is allowed [1/a]
    consistencies: Sequence[xr.Dataset] = ()  # from `mcrock.statistics.hazard_consistency`


def outcomes_section(ds: xr.Dataset, summary: Summary, how: Confidence, store: Path | None) -> Section:
    """Fractions of the outcomes, and runs that decide nothing, with the first that failed by the log."""
    ax = plot_outcomes(ds, allow_missing=how.allow_missing)
    shares = outcome_shares(ds, **how.keywords) if summary.outcomes is None else summary.outcomes
    failed = format_impossible(read_log(store))[:2] if store else []
    blocks: list[Block] = [
        embed(ax, "Fractions of the outcomes at each intensity"),
        *format_outcomes(shares, summary.is_shaken),
        *cautions(format_doubt(summary.doubt, int(summary.probability["runs"].sum()))),
        *cautions([" ".join(failed)] * bool(failed)),
    ]
    return Section("outcomes", "Outcomes", blocks)


def fragility_section(
    ds: xr.Dataset, summary: Summary, capacity: xr.Dataset | str | None, how: Confidence
) -> Section:
    """Probabilities with intervals, the fragility curve, and where it is an extrapolation."""
    blocks: list[Block] = []
    if summary.is_shaken:
        blocks += _curve(ds, summary.fragility, "Fragility curve with its band", how)
    blocks += format_probabilities(summary.probability, summary.is_shaken)
    blocks += [format_independence(summary.probability), *format_resurrection(summary.resurrected)]
    if isinstance(capacity, xr.Dataset):
        blocks += [*format_capacity(capacity), DISPERSIONS, *cautions(format_extrapolated(capacity))]
    else:
        blocks.append(capacity or "")
    if summary.laws is not None and summary.is_shaken:
        ax = plot_choices(ds, found=summary.laws, **how.keywords)
        blocks += [embed(ax, "Fragility curves of the impact laws"), *format_laws(summary.laws)]
    if summary.measures is not None:
        ax = plot_measures(ds, found=summary.measures, **how.keywords)
        blocks += [
            embed(ax, "How much each intensity measure explains"),
            *format_measures(summary.measures),
            SCORE,
        ]
    return Section("fragility", "Probability of overturning", blocks)


def _curve(ds: xr.Dataset, fit: xr.Dataset, words: str, how: Confidence, event: str = "") -> list[Block]:
    """A fragility curve with its parameters, and what to know of them."""
    ax = plot_fragility(ds, found=fit, **how.keywords)
    add_note(ax, UNSUPPORTED)  # what else its caption says stands in the text
    return [embed(ax, words), event + format_fragility(fit), *cautions(format_support(fit))]


def motion_section(ds: xr.Dataset, summary: Summary, how: Confidence) -> Section | None:
    """How far bodies tilted and slid; None where that was not kept."""
    if "peak_tilt_ratio" not in ds:
        return None
    ax = plot_exceedance(ds, **how.keywords)
    blocks: list[Block] = [embed(ax, "Probability that the tilt exceeds a level")]
    if PEAK in ds:
        ax = plot_exceedance(ds, variable=PEAK, **how.keywords)
        blocks.append(embed(ax, "Probability that the base is displaced farther"))
        overturned = summary.probability["overturned"]
        blocks += format_displacements(summary.displacement, overturned, summary.is_shaken)
    support = by_support(ds)
    if support is not None and summary.support is not None and summary.is_shaken:
        words = "Fragility by overturning or falling off"
        blocks += _curve(support, summary.support, words, how, "Overturning or falling off its support: ")
    return Section("motion", "Tilt and displacement", blocks)


def nested_section(ds: xr.Dataset, summary: Summary, how: Confidence) -> Section | None:
    """What ignorance does, and what the shaking; None of a study that is not nested."""
    if summary.nested is None:
        return None
    box = plot_probability_box(ds, level=how.level, found=summary.nested.probability)
    shares = plot_variance_shares(ds, level=how.level, found=summary.nested.shares)
    blocks: list[Block] = [
        embed(box, "Probability of each outer draw"),
        embed(shares, "Shares of the variance of overturning"),
        *filter(None, format_nested(summary.nested)),
    ]
    return Section("uncertainty", "Ignorance and shaking", blocks)


def rules_section(ds: xr.Dataset, summary: Summary, folder: Path, how: Confidence) -> Section | None:
    """What rules of thumb and checks of codes say of the body; None where no run asks for it."""
    if summary.rules is None:
        return None
    blocks: list[Block] = [str(summary.rules)]
    if isinstance(summary.rules, xr.Dataset):
        ax = plot_baselines(ds, folder=folder, found=summary.rules, **how.keywords)
        words = "How well rules of thumb and code checks tell which runs overturn"
        blocks = [*format_baselines(summary.rules), SCORE, embed(ax, words)]
    return Section("rules", "Rules of thumb and code checks", blocks)


def sensitivity_section(
    ds: xr.Dataset, how: Confidence, progress: Callable[[int, int], None] | None = None
) -> Section | None:
    """Which inputs decide; None where nothing is drawn or all runs ended alike."""
    blocks: list[Block] = []
    if has_indices(ds) and not missing_chunks(ds):
        found = sobol_indices(ds, level=how.level)
        blocks += [embed(plot_sensitivity(found), "Sobol indices of the inputs"), *format_indices(found)]
    try:
        found = outcome_distances(ds, allow_missing=how.allow_missing, progress=progress)
    except ValueError:  # nothing is drawn
        return None
    if found["distance"].isnull().all():
        return None
    words = "Distances between the inputs of runs that overturned and of those that did not"
    blocks += [embed(plot_sensitivity(found), words), *format_distances(found)]
    return Section("sensitivity", "Which inputs decide", blocks)


def risk_section(
    ds: xr.Dataset,
    site: Site | None,
    rates: xr.Dataset | str | None,
    how: Confidence,
    either: xr.Dataset | None = None,
) -> Section | None:
    """Annual rate and where it comes from, or why there is none; None without a hazard.

    ``either`` is that of overturning or falling off the support.
    """
    if site is None or site.hazard is None or rates is None:
        return None
    if isinstance(rates, str):
        return Section("risk", "Risk at the site", [Caution(rates)])
    blocks: list[Block] = [
        embed(
            plot_risk(ds, site.hazard, found=rates), "From which intensities the rate of overturning comes"
        ),
        *([] if either is None else format_with_support(either)),
        *format_headline(rates),
        format_hazard(site.hazard),
        *cautions(filter(None, [question(site.hazard)])),
        *format_rates(rates),
        CURVES,
        *cautions(format_unsupported(rates)),
        *format_outside(rates),
        *(line for one in site.consistencies for line in format_consistency(one)),
        *format_distribution(rate_distribution(ds, site.hazard, age=site.age, **how.keywords), site.age),
        *hazard_blocks(site.hazard),
    ]
    return Section("risk", "Risk at the site", blocks)


def standards_section(
    ds: xr.Dataset, site: Site | None, rates: xr.Dataset | None, folder: Path, how: Confidence
) -> Section | None:
    """Standards at a design motion and against a rate; None where none is asked for."""
    if site is None or (site.design is None and site.target is None):
        return None
    at = None if site.design is None else design_intensity(site.design, ds)
    found = standards(
        ds, at, rates=rates, hazard=site.hazard, target=site.target, folder=folder, **how.keywords
    )
    return Section("standards", "Standards", [*format_standards(found)])
