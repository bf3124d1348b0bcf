"""Sections on what came out: outcomes, fragility, what drives it, risk."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import xarray as xr

from mcrock.show.baselines import plot_baselines
from mcrock.show.baselines_text import format_baselines
from mcrock.show.choices import plot_choices
from mcrock.show.doubt import format_doubt
from mcrock.show.efficiency import plot_measures
from mcrock.show.epistemic import plot_probability_box, plot_variance_shares
from mcrock.show.epistemic_text import format_nested
from mcrock.show.exceedance import plot_exceedance
from mcrock.show.fragility import plot_fragility
from mcrock.show.fragility_text import format_fragility, format_laws, format_measures, format_support
from mcrock.show.outcomes import plot_outcomes
from mcrock.show.report.content import Block, Section, cautions, embed
from mcrock.show.risk import plot_risk
from mcrock.show.risk_text import (
    format_capacity,
    format_distribution,
    format_headline,
    format_outside,
    format_rates,
    format_unsupported,
)
from mcrock.show.sensitivity import plot_sensitivity
from mcrock.show.sensitivity_text import format_distances, format_indices
from mcrock.show.summary import (
    PEAK,
    Summary,
    format_displacements,
    format_independence,
    format_outcomes,
    format_probabilities,
    format_resurrection,
    missing_chunks,
)
from mcrock.statistics import (
    by_limit,
    displacement_limit,
    outcome_distances,
    outcome_shares,
    rate_distribution,
    sobol_indices,
)
from mcrock.statistics.inference import Confidence
from mcrock.statistics.sensitivity import has_indices


class Site(NamedTuple):
    """Inputs of the risk at a site."""

    hazard: xr.Dataset  # from `mcrock.statistics.load_hazard`
    years: float = 50.0  # for which a probability is given [a]
    age: float | None = None  # of a body that still stands [a]


def outcomes_section(ds: xr.Dataset, summary: Summary, how: Confidence) -> Section:
    """Fractions of the outcomes, and runs that decide nothing."""
    ax = plot_outcomes(ds, allow_missing=how.allow_missing)
    blocks: list[Block] = [embed(ax, "Fractions of the outcomes at each intensity")]
    shares = outcome_shares(ds, **how.keywords) if summary.outcomes is None else summary.outcomes
    blocks += format_outcomes(shares, summary.is_shaken)
    blocks += cautions(format_doubt(summary.doubt, int(summary.probability["runs"].sum())))
    return Section("outcomes", "Outcomes", blocks)


def fragility_section(
    ds: xr.Dataset, summary: Summary, capacity: xr.Dataset | None, how: Confidence
) -> Section:
    """Probabilities with intervals, the fragility curve, and where it is an extrapolation."""
    blocks: list[Block] = []
    units = summary.probability["intensity"].attrs.get("units", "1")
    if summary.is_shaken:
        words = "Fragility curve with its band and the fractions that overturned"
        blocks.append(embed(plot_fragility(ds, found=summary.fragility, **how.keywords), words))
        blocks.append(format_fragility(summary.fragility, units))
        blocks += cautions(format_support(summary.fragility, units))
    blocks += format_probabilities(summary.probability, summary.is_shaken)
    blocks += [format_independence(summary.probability), *format_resurrection(summary.capacity)]
    blocks += [] if capacity is None else format_capacity(capacity)
    if summary.laws is not None and summary.is_shaken:
        blocks.append(
            embed(plot_choices(ds, found=summary.laws, **how.keywords), "Fragility curves of the impact laws")
        )
        blocks += format_laws(summary.laws, units)
    if summary.measures is not None:
        blocks.append(
            embed(
                plot_measures(ds, found=summary.measures, **how.keywords),
                "How much each intensity measure explains",
            )
        )
        blocks += format_measures(summary.measures)
    return Section("fragility", "Probability of overturning", blocks)


def motion_section(ds: xr.Dataset, summary: Summary, how: Confidence) -> Section | None:
    """How far bodies tilted and slid; None where that was not kept."""
    if "peak_tilt_ratio" not in ds:
        return None
    ax = plot_exceedance(ds, **how.keywords)
    blocks: list[Block] = [embed(ax, "Probability that the tilt exceeds a level")]
    limit = displacement_limit(ds)
    if PEAK in ds:
        ax = plot_exceedance(ds, variable=PEAK, **how.keywords)
        blocks += [
            embed(ax, "Probability that the base is displaced farther"),
            *format_displacements(summary),
        ]
    if limit is not None and summary.support is not None and summary.is_shaken:
        support, units = by_limit(ds, PEAK, limit), summary.probability["intensity"].attrs.get("units", "1")
        blocks.append(
            embed(
                plot_fragility(support, found=summary.support, **how.keywords),
                "Fragility by overturning or falling off",
            )
        )
        blocks.append(f"Overturning or falling off its support: {format_fragility(summary.support, units)}")
        blocks += cautions(format_support(summary.support, units))
    return Section("motion", "Tilt and displacement", blocks)


def nested_section(ds: xr.Dataset, summary: Summary, how: Confidence) -> Section | None:
    """What ignorance does, and what the shaking; None of a study that is not nested."""
    if summary.nested is None:
        return None
    return Section(
        "uncertainty",
        "Ignorance and shaking",
        [
            embed(plot_probability_box(ds, level=how.level), "Probability of each outer draw"),
            embed(plot_variance_shares(ds, level=how.level), "Shares of the variance of overturning"),
            *filter(None, format_nested(summary.nested)),
        ],
    )


def rules_section(ds: xr.Dataset, summary: Summary, folder: Path, how: Confidence) -> Section | None:
    """What rules of thumb and checks of codes say of the body; None where no run asks for it."""
    if summary.rules is None:
        return None
    if isinstance(summary.rules, str):
        return Section("rules", "Rules of thumb and code checks", [summary.rules])
    ax = plot_baselines(ds, folder=folder, **how.keywords)
    words = "How well rules of thumb and code checks tell which runs overturn"
    blocks: list[Block] = [*format_baselines(summary.rules), embed(ax, words)]
    return Section("rules", "Rules of thumb and code checks", blocks)


def sensitivity_section(ds: xr.Dataset, how: Confidence) -> Section | None:
    """Which inputs decide; None where nothing is drawn or all runs ended alike."""
    blocks: list[Block] = []
    if has_indices(ds) and not missing_chunks(ds):
        found = sobol_indices(ds, level=how.level)
        blocks += [embed(plot_sensitivity(found), "Sobol indices of the inputs"), *format_indices(found)]
    try:
        found = outcome_distances(ds, allow_missing=how.allow_missing)
    except ValueError:  # nothing is drawn
        return None
    if found["distance"].isnull().all():
        return None
    words = "Distances between the inputs of runs that overturned and of those that did not"
    blocks += [embed(plot_sensitivity(found), words), *format_distances(found)]
    return Section("sensitivity", "Which inputs decide", blocks)


def risk_section(
    ds: xr.Dataset, site: Site | None, rates: xr.Dataset | None, how: Confidence
) -> Section | None:
    """Annual rate and where it comes from; None without a hazard."""
    if site is None or rates is None:
        return None
    ax = plot_risk(ds, site.hazard, years=site.years, level=how.level, allow_missing=how.allow_missing)
    blocks: list[Block] = [embed(ax, "From which intensities the rate of overturning comes")]
    blocks += [
        *format_headline(rates),
        *format_rates(rates),
        *cautions(format_unsupported(rates)),
        *format_outside(rates),
    ]
    whole = rate_distribution(ds, site.hazard, age=site.age, **how.keywords)
    blocks += format_distribution(whole, rates["weakest_overturning"].attrs.get("units", "1"), site.age)
    return Section("risk", "Risk at the site", blocks)
