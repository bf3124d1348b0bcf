"""Risk at a site: `risk_of` computes it, `risk_blocks` says it, `plot_risk` draws it, for all who show it.

Rules of thumb and checks of codes stand next to the result: how well they tell the runs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np
import xarray as xr

from mcrock import statistics
from mcrock.base.estimates import Term, format_interval, format_or_bound, format_percent
from mcrock.show import style, text
from mcrock.show.fragility import accepted_label
from mcrock.statistics.accepted_curve import FAMILIES, ISOTONIC, accepted_family, choice_of
from mcrock.statistics.hazard import MEAN, question, return_periods
from mcrock.statistics.importance import drawn_intensity
from mcrock.statistics.intervals import Bootstrap, BootstrapKeywords, Confidence
from mcrock.statistics.measures import hazard_consistency
from mcrock.statistics.probability import by_falling, is_nested
from mcrock.statistics.risk import failure_of, largest_rate, rate_with_support, with_all_unknown
from mcrock.statistics.standards import FITTED, rule_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINE = 7.5  # height of a rule in the figure [mm]
REST = 34.0  # height of everything else [mm]


def format_baselines(found: xr.Dataset) -> list[str]:
    """Table of what rules of thumb and checks of codes say."""
    level = text.percent(found)
    columns: list[text.Column] = [
        ("rule", rule_words),
        "capacity",
        (f"P there ({level})", "{probability:.2f with ends}"),
        ("by", lambda row: accepted_label(row) if accepted_family(row) else "-"),
        (f"misclassified ({level})", "{misclassified:.2f with ends}"),
        (f"log loss ({level})", "{log_loss:.3f with ends}"),
    ]
    return [
        "Rules of thumb and code checks for comparison, scored on each record as fitted to the others",
        text.table_along(found, "rule", columns),
        *dict.fromkeys(
            f"over {row['measure'].item()} {choice_of(row).words}, so P is by the {Term.FRACTIONS}"
            for row in (found.isel(rule=k) for k in range(found.sizes["rule"]))
            if accepted_family(row) == ISOTONIC
        ),
    ]


@style.figure_of_runs(Bootstrap)
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
    found = statistics.baselines(ds, folder=folder, **keywords) if found is None else found
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
    return style.add_note(
        ax,
        f"Bars: {found.attrs['level']:.0%} intervals over {found.sizes['left_out']} {found.attrs['scored']}, "
        "each predicted from the others. Circles: fitted to the runs of the others; squares: checks of the "
        "body alone, scored with the overturned fractions on either side. 0: perfect; 0.69: a coin toss. "
        "After the names: capacity; P, probability of overturning there by the accepted curve, f by "
        f"the {Term.FRACTIONS}; misclassified runs.",
    )


def _words(row: xr.Dataset) -> str:
    """Capacity, probability there and misclassified fraction of a rule."""
    chance, missed = float(row["probability"]), f"{float(row['misclassified']):.0%} wrong"
    capacity, there = text.cell(row, "capacity"), f"P {chance:.2f}" if math.isfinite(chance) else ""
    there += " f" * (accepted_family(row) == ISOTONIC)
    return missed if capacity == "-" else ", ".join(filter(None, (capacity, there, missed)))


POWER_LAW = ["hazard_slope", "hazard_factor", "closed_form"]  # of a hazard, for standards alone
SMALL = 0.01  # fraction at the weakest level that leaves out little [1]
WORDS = {name: f"by {family.words}" for name, family in FAMILIES.items()}
NEGLIGIBLE = 5e-4  # share of a rate that is not mentioned [1]
LINES = ("-", "-.", "--", ":")  # of the families


CAPACITIES = {  # by which a HCLPF is headed
    "confident": "overturns with at most 5 % at 95 % confidence, by the curves of the rate's interval",
    "one_percent": "overturns with 1 % by the lognormal mean curve, as no input is marked as unknown",
    "accepted_one_percent": "overturns with 1 %",
}


class Site(NamedTuple):
    """Inputs of the risk at a site, and of the standards."""

    hazard: xr.Dataset | None = None  # from `mcrock.statistics.load_hazard`
    years: float = 50.0  # for which a probability is given [a]
    age: float | None = None  # of a body that still stands [a]
    design: str | None = None  # motion at which standards are judged, as in 0.4g
    target: float | None = None  # annual rate that is allowed [1/year]
    others: Sequence[xr.Dataset] = ()  # hazards of other measures, to compare with the recordings
    beta_u: float = 0.0  # dispersion of the capacity for what the model leaves out [1]
    folder: str | Path = "."  # from which names of record files start
    standard: bool = False  # whether numbers that nuclear standards alone ask for are said

    @property
    def asks_standard(self) -> bool:
        """Whether a nuclear standard is asked for, or what one needs."""
        return self.standard or self.design is not None or self.target is not None or self.beta_u > 0


def risk_of(ds: xr.Dataset, site: Site, how: Confidence) -> dict[str, xr.Dataset]:
    """All that is known of the risk at a site with a hazard, by the name of the function that says it.

    Raises
    ------
    FewError
        If there are too few recordings.
    ValueError
        As the functions of `mcrock.statistics`.
    """
    if (hazard := site.hazard) is None:
        return {}
    rates = statistics.annual_rate(ds, hazard, years=site.years, **how.keywords)
    either, judged = rate_with_support(ds, hazard, rates, **how.keywords), by_falling(ds)
    if is_nested(ds):
        rates = rates.assign(statistics.rate_of_draws(ds, hazard).data_vars)
        if either is not None:
            either = either.assign(statistics.rate_of_draws(judged, hazard).data_vars)
    given: dict[str, Any] = {"beta_u": site.beta_u, **how.keywords}
    family = accepted_family(rates)
    distribution = statistics.rate_distribution(ds, hazard, fragility=family, age=site.age, **given)
    rates, found = with_all_unknown(rates, distribution), {}
    if either is not None:
        of_either = {"fragility": accepted_family(either), **given}
        joint = statistics.rate_distribution(judged, hazard, **of_either)
        found["annual_rate_with_support"] = _with_statement(with_all_unknown(either, joint))
    found |= {
        "annual_rate": _with_statement(rates),
        "high_confidence_capacity": statistics.high_confidence_capacity(ds, allow_missing=how.allow_missing),
        "hazard": hazard.assign_attrs(question=question(hazard)),
    }
    if drawn_intensity(ds) is not None and not text.missing_chunks(ds):
        found["weighted_rate"] = statistics.weighted_probability(ds, hazard, level=how.level)
    found["rate_distribution"] = distribution
    for other in site.others:
        one = hazard_consistency(ds, hazard, other, folder=site.folder)
        found[f"consistency_{one.attrs['measure']}"] = one
    return found


def _with_statement(rates: xr.Dataset) -> xr.Dataset:
    """The rates, in JSON with what is said of them."""
    return rates.assign_attrs(statement="; ".join(format_rate(rates)))


def standards_of(
    ds: xr.Dataset, site: Site, rates: xr.Dataset | None, how: Confidence
) -> dict[str, xr.Dataset]:
    """Standards at a design motion and against a rate, where they are asked for, by name."""
    if site.design is None and site.target is None:
        return {}
    at = None if site.design is None else statistics.design_intensity(site.design, ds)
    asked: dict[str, Any] = {"hazard": site.hazard, "target": site.target, "folder": site.folder}
    return {"standards": statistics.standards(ds, at, rates=rates, **asked, **how.keywords)}


def risk_blocks(found: Mapping[str, xr.Dataset], site: Site) -> list[str]:
    """Answers, tables and cautions of results by name, in their order; of a standard if it is asked for."""
    if not site.asks_standard:
        kept = {name: one.drop_vars(POWER_LAW, errors="ignore") for name, one in found.items()}
        found = {name: one for name, one in kept.items() if name != "high_confidence_capacity"}
    return text.blocks_of(found, BLOCKS)


def compose_risk(ds: xr.Dataset, site: Site, how: Confidence) -> text.Composition:
    """The risk at a site and the standards that are asked for."""
    found = risk_of(ds, site, how)
    rates = found["annual_rate"]
    found |= standards_of(ds, site, found.get("annual_rate_with_support", rates), how)
    drawings = {"risk": lambda: plot_risk(ds, found["hazard"], found=rates)}
    return text.Composition(found, risk_blocks(found, site), drawings)


def rate_blocks(rates: xr.Dataset) -> list[str]:
    """The rate to go by, all of them, where they come from, and what no run supports."""
    lines = format_rate(rates)
    lines.append(f"{WORDS[accepted_family(rates)]}: {choice_of(rates).words}")
    if rates.attrs.get("crosses"):
        lines.append("that of overturning alone, which is part of it, is larger: the curves are fitted apart")
    title = f"Rates of earthquakes in the hazard table, up to {text.label(rates['hazard_end'])}"
    title += ", and at most with all beyond it"
    counted = (
        f"intervals are for this hazard and count {text.format_count(int(rates['records']), 'recording')}"
    )
    counted += ", and not what is epistemic" * ("rate_of_draws" in rates)
    return [*lines, *map(text.Caution, format_unsupported(rates)), *text.present(rates, title), counted]


def capacity_blocks(capacity: xr.Dataset) -> list[str]:
    """The capacity with high confidence, and what it is made of."""
    lines = [f"no HCLPF: {capacity.attrs['missing']}"]
    if not capacity.attrs["missing"]:
        lines = [f"HCLPF: {format_hclpf(capacity)} {hclpf_words(capacity)}"]
        if accepted_family(capacity) != "lognormal":
            lines.append(
                f"with the lognormal curve its capacities are rejected: go {WORDS[accepted_family(capacity)]}"
            )
        if not capacity["beta_epistemic"] > 0:
            lines.append(
                "nothing is epistemic in this study: beta_R holds ignorance too (`mcrock docs assessment`)"
            )
    weakest = capacity["weakest_overturning"]
    if min(float(capacity[name]) for name in ("confident", "separation", "one_percent")) < float(weakest):
        words = "the weakest intensity at which a run overturned, a HCLPF is an extrapolation"
        lines.append(text.Caution(f"below {text.label(weakest)}, {words}"))
    return [*lines, *text.present(capacity, "Capacities and their dispersions")]


def distribution_blocks(found: xr.Dataset) -> list[str]:
    """Everything that is not known of the rate at once."""
    if found.attrs["missing"]:
        return [f"no distribution of the rate: {found.attrs['missing']}"]
    shown = found if found["beta_u"] else found.drop_vars("beta_u").drop_sel(source="beta_u")
    lines = text.present(shown, f"Rate of overturning {WORDS[found.attrs['fragility']]} {Term.ALL_UNKNOWN}")
    if found.attrs["fragility"] == ISOTONIC:
        lines.append(
            "what the levels leave open, between them and below the weakest, is in the interval of the rate, "
            "not in this"
        )
    if "survival" in found:
        lines.append("few that still stand speak against the hazard, the body or the age")
    return lines


def weighted_blocks(found: xr.Dataset) -> list[str]:
    """The rate by the weighted runs of a cloud."""
    lines = text.present(
        found, "Rate of overturning by the runs themselves, weighted to the hazard, without a curve"
    )
    if not math.isfinite(float(found["weakest_overturning"])):
        lines.append(f"none of {int(found['runs'])} runs overturned: the rate is at most what others add")
    return [*lines, "no less is known without a curve: a smaller number needs more records or runs there"]


def hazard_lines(hazard: xr.Dataset) -> list[str]:
    """What the hazard is of, and what no site on earth has."""
    return [format_hazard(hazard), *map(text.Caution, filter(None, [hazard.attrs["question"]]))]


def standards_blocks(found: xr.Dataset) -> list[str]:
    """Checks with their verdicts, and what they could not say."""
    title = "Standards: passed or failed where the intervals of demand and capacity are apart"
    return [*text.present(found, title), *found.attrs["notes"].splitlines()]


def format_hazard(hazard: xr.Dataset) -> str:
    """What the hazard from `mcrock.statistics.load_hazard` is of, and how its files were read."""
    of_others = "site" in hazard.attrs
    at = f" at {hazard.attrs['site']}" if hazard.attrs.get("site") else ""
    turned = ", turned into annual rates" * hazard.attrs["reading"].startswith("probabilities")
    measure = hazard.attrs["measure"]
    component = f", taken for {format_component(measure)}" if format_component(measure) else ""
    component += ", which the files do not say" * bool(of_others and component)
    units = hazard["hazard_intensity"].attrs["units"]
    returns = ", ".join(
        f"{text.label_intensities([at], units)[0]} once in {years:.4g} years"
        for at, years in return_periods(hazard)
    )
    read = f"{hazard.attrs['reading']}{turned}{component}"
    return f"Hazard: {hazard_curves(hazard)} of {measure}{at}, {read}; {returns}"


def hazard_curves(found: xr.Dataset) -> str:
    """Curves of a hazard, or of results along them, in words."""
    fractiles = [f"{100 * float(name):g} %" for name in found["hazard"].values.tolist() if name != MEAN]
    return f"mean and fractiles of {', '.join(fractiles)}" if fractiles else "mean"


def format_component(measure: str) -> str:
    """Which horizontal component a measure is of; empty if it is of none.

    >>> format_component("sa_1s"), format_component("pga_rotd50"), format_component("d5_95")
    ('the geometric mean of both horizontal components', 'RotD50', '')
    """
    found = re.fullmatch(r"(?:pg[avd]|sa|avgsa)(?:_rotd(\d+))?(?:_\d.*)?", measure)
    if found is None:
        return ""
    return f"RotD{found[1]}" if found[1] else "the geometric mean of both horizontal components"


def consistency_blocks(found: xr.Dataset) -> list[str]:
    """Rates of another measure by site and recordings, of `mcrock.statistics.hazard_consistency`."""
    known, own, other = found.dropna("level"), found.attrs["own"], found.attrs["measure"]
    title = f"Hazard consistency: how often the recordings, with the hazard in {own}, are beyond"
    if not known.sizes["level"]:
        return [f"{title} {other}: not known, the hazard of {own} is too short"]
    words = (
        f"beyond 1 the recordings are stronger in {other} than earthquakes of the same {own} at the site, "
        "and the rate of overturning is too high as far as it goes by that"
    )
    return [*text.present(known, title), words]


def risk_statement(
    rates: xr.Dataset, name: str, unit: str = "", family: str | None = None
) -> tuple[str, str]:
    """The "rate" or "probability" for the mean hazard by the accepted curve or a family, and its interval.

    Of 0, and where the table ends too early to know more, it is what it may reach. The range over all hazard
    curves is given too. With the unit " %" in percent. Commands, JSON, figure, report and page all take it.
    """
    family = family or accepted_family(rates)
    of_curve, scale = rates.sel(fragility=family), 100.0 if unit else 1.0
    one = of_curve.sel(hazard=MEAN)
    most, is_bound = largest_rate(one)
    if is_bound:
        bound = most if name == "rate" else -math.expm1(-most * rates.attrs["years"])
        end = text.label(rates["bin_upper"][-1])
        words = f"counting all earthquakes beyond {end}, where the hazard table ends"
        return format_or_bound(0.0, 0.0, scale * bound) + unit, words
    value, low, high = (scale * x for x in text.estimate(one, name))
    words = f"{format_interval(low, high)}{unit} {Term.SAMPLING}"
    if f"{name}_over_all" in rates and family == accepted_family(rates):
        ends = format_interval(*(scale * rates[f"{name}_over_all"].values))
        words = f"{ends}{unit} {Term.ALL_UNKNOWN}: {words}"
    words = f"{text.percent(rates)} interval {words}"
    of_curves = scale * of_curve[name].values
    if len(of_curves) > 1 and of_curves.any():
        ends = format_interval(of_curves.min(), of_curves.max())
        words += f"; {ends}{unit} {Term.OF_HAZARD}, {hazard_curves(rates)}"
    draws = rates["median_of_draws_interval"].sel(fragility=family) if "rate_of_draws" in rates else None
    if draws is not None and np.isfinite(draws).all():
        ends = format_interval(
            *(draws if name == "rate" else -scale * np.expm1(-draws * rates.attrs["years"])).values
        )
        words += f"; {ends}{unit} in 90 % of the {Term.DRAWS}"
    if family == ISOTONIC and (fraction := float(rates["weakest_fraction"])) > SMALL:
        words += f"; the number leaves out what is weaker than {text.label(rates['weakest_run'])}, where "
        words += f"{format_percent(fraction)} overturned"
    return format_or_bound(value, low, high) + unit, words


def format_rate(rates: xr.Dataset) -> list[str]:
    """Lines on the annual rate and the probability in some years by `risk_statement`."""
    (rate, of_rate), (chance, of_chance) = (risk_statement(rates, name) for name in ("rate", "probability"))
    years = f"{rates.attrs['years']:g}"
    return [
        f"Annual rate of {failure_of(rates)}: {rate} {Term.PER_YEAR} ({of_rate})",
        f"in {years} years: {chance} ({of_chance})",
    ]


def format_unsupported(rates: xr.Dataset) -> list[str]:
    """Lines on what no run supports."""
    lines, fell = list[str](), "overturned or fell off" if "crosses" in rates.attrs else "overturned"
    event = failure_of(rates).partition(" its support")[0]
    for share, bound, words in (
        ("share_below", "weakest_overturning", f"below {{}}, the weakest intensity at which a run {fell}"),
        ("share_beyond", "strongest_run", "beyond {}, the strongest intensity of a run"),
    ):
        part = float(rates[share].sel(fragility=accepted_family(rates)))
        if part > NEGLIGIBLE:
            lines.append(
                f"{format_percent(part)} of the rate of {event} comes from "
                f"{words.format(text.label(rates[bound]))}"
            )
    end, weakest = float(rates["bin_upper"][-1]), float(rates["weakest_overturning"])
    if end < weakest < math.inf:
        lines.append(
            f"the hazard table ends at {text.label(rates['bin_upper'][-1])}, below the weakest intensity at "
            f"which a run {fell} ({text.label(rates['weakest_overturning'])}): check its unit, or give "
            "more rows"
        )
    fraction = float(rates["weakest_fraction"])
    if fraction > SMALL:
        lines.append(
            f"the {Term.FRACTIONS} begin at {text.label(rates['weakest_run'])}, where "
            f"{format_percent(fraction)} {fell}: their rate lacks what weaker earthquakes do; run "
            "weaker levels (--extend)"
        )
    return lines


def hclpf_variable(capacity: xr.Dataset) -> str:
    """Name of the capacity to go by.

    The 1 % point of the accepted curve where that is not the lognormal one, that of the mean curve where
    nothing is epistemic, else the bound of 5 % with 95 % confidence.
    """
    if accepted_family(capacity) != "lognormal":
        return "accepted_one_percent"
    return "confident" if float(capacity["beta_epistemic"]) > 0 else "one_percent"


def format_hclpf(capacity: xr.Dataset) -> str:
    """The capacity to go by; of another than the lognormal curve at or below what, or beyond the runs."""
    return text.cell(capacity, hclpf_variable(capacity))


def hclpf_words(capacity: xr.Dataset) -> str:
    """By what it is the capacity to go by."""
    name = hclpf_variable(capacity)
    by = f" {WORDS[accepted_family(capacity)]}: {choice_of(capacity).words}" * (
        name == "accepted_one_percent"
    )
    return CAPACITIES[name] + by


BLOCKS = {
    "annual_rate_with_support": rate_blocks,
    "annual_rate": rate_blocks,
    "high_confidence_capacity": capacity_blocks,
    "hazard": hazard_lines,
    "weighted_rate": weighted_blocks,
    "rate_distribution": distribution_blocks,
    "consistency": consistency_blocks,
    "standards": standards_blocks,
}


@style.figure_of_runs(Bootstrap)
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
    found = statistics.annual_rate(ds, hazard, years=years, **keywords) if found is None else found
    ax = style.new_axes() if ax is None else ax
    factor, words = style.axis_scale(found["bin_lower"])
    edges = np.append(found["bin_lower"].values, found["bin_upper"].values[-1]) * factor
    rows = []
    for i, curve in enumerate(found["fragility"].values.tolist()):
        one, name = found.sel(fragility=curve, hazard=MEAN), FAMILIES[curve].label
        rate, *ends = text.estimate(one, "rate")
        said, of_bound = risk_statement(found, "rate", family=curve)
        density = np.nan_to_num(one["share"].values * rate / np.log(edges[1] / edges[0]))
        colour = style.BLUE if curve == accepted_family(found) else style.GREY
        look: dict[str, Any] = {"color": colour, "linestyle": LINES[i % len(LINES)], "linewidth": 1.3}
        ax.stairs(density, edges, fill=False, label=f"{name}, {said} {Term.PER_YEAR}", **look)
        known = f"{format_interval(*ends)} {Term.PER_YEAR}" if math.isfinite(ends[0]) else "unknown"
        rows.append(f"{name} {of_bound if largest_rate(one)[1] else known}")
    marks = ""
    for name, dashes, meaning in (
        ("weakest_overturning", ":", "Dotted: weakest intensity at which a run overturned. "),
        ("strongest_run", "--", "Dashed: strongest run. "),
    ):
        at = float(found[name]) * factor
        if edges[0] < at < edges[-1]:
            ax.axvline(at, color=style.GREY, linestyle=dashes, linewidth=0.9)
            marks += meaning
    ax.set(xlim=(edges[0], edges[-1]), xlabel=words, ylabel=f"Rate per ln(intensity) [{Term.PER_YEAR}]")
    style.log_axis(ax)
    ax.set_ylim(bottom=0)
    style.number_axis(ax, "y")
    style.legend_above(ax, handlelength=1.8)
    return style.add_note(
        ax,
        f"Mean hazard; areas are parts of the rate. {found.attrs['level']:.0%} intervals from "
        f"{int(found['records'])} {found.attrs['independent']}: {', '.join(rows)}. "
        f"In {found.attrs['years']:g} years: {risk_statement(found, 'probability')[0]}. "
        f"{marks}Go {WORDS[accepted_family(found)]}: {choice_of(found).words}.",
    )
