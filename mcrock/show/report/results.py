"""Sections of the report on what came out and how far to trust it, and the numbers that are looked for first.

Outcomes, fragility, what drives it, risk, three runs to watch; validity, convergence, limits, origin.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import xarray as xr
from markupsafe import Markup

from mcrock.base.tables.parsing import ConfigError
from mcrock.dataset.contents import STUDY, store_digest
from mcrock.ensemble.opening import logged_versions, read_log
from mcrock.show import fragility, outcomes, risk, sensitivity, text
from mcrock.show.animation.page import embed_run, still_of
from mcrock.show.curves import format_laws, format_measures, plot_choices, plot_measures
from mcrock.show.progress import format_impossible
from mcrock.show.report.content import Block, Player, Section, cautions, embed
from mcrock.show.report.subject import hazard_blocks
from mcrock.show.run import name_of, repeat_command, repeat_run, stored_outcome
from mcrock.show.style import add_note
from mcrock.show.summary import (
    PEAK,
    Summary,
    format_convergence,
    format_displacements,
    format_independence,
    format_probabilities,
    format_resurrection,
)
from mcrock.statistics import by_support, outcome_shares
from mcrock.statistics.accepted_curve import accepted_family, choice_of, rejects_lognormal
from mcrock.statistics.intervals import Confidence, bound_without_events
from mcrock.statistics.outcomes import MEANINGS, RunPlace, representative_runs
from mcrock.study import Study

HCLPF = "High confidence of a low probability (HCLPF)"


class KeyFigure(NamedTuple):
    """A number with its name and what has to be known of it."""

    name: str
    value: str
    words: str


def key_figures(summary: Summary, rates: xr.Dataset | None, capacity: xr.Dataset | None) -> list[KeyFigure]:
    """Key results of a study, each with its interval."""
    found = _fragility(summary) if summary.is_shaken else [_release(summary.overturning_probability)]
    if capacity is not None and math.isfinite(float(capacity["confident"])):
        found.append(capacity_figure(capacity))
    return [*([] if rates is None else _risk(rates)), *found, _size(summary.overturning_probability)]


def capacity_figure(capacity: xr.Dataset) -> KeyFigure:
    """The capacity with which `mcrock risk` begins, too."""
    return KeyFigure(HCLPF, risk.format_hclpf(capacity), risk.hclpf_words(capacity))


def _size(probability: xr.Dataset) -> KeyFigure:
    runs, doubtful = int(probability["runs"].sum()), int(probability["undecided"].sum())
    noun = "recording" if probability.attrs["independent"] == "records" else "realization"
    words = f"{runs} runs, {doubtful or 'none'} of them undecided"
    return KeyFigure("Based on", text.format_count(int(probability["records"]), noun), words)


def _release(probability: xr.Dataset) -> KeyFigure:
    """Of a body released from a tilt."""
    low, high = probability["interval"].values[:, 0]
    words = f"{text.percent(probability)} interval {low:.3f} to {high:.3f}"
    return KeyFigure("Probability of overturning", f"{float(probability['probability'][0]):.3f}", words)


def _fragility(summary: Summary) -> list[KeyFigure]:
    fit = summary.fragility
    words = f"{text.percent(fit)} interval {fragility.format_accepted_ends(fit)}"
    if rejects_lognormal(fit):
        words += f", {risk.WORDS[accepted_family(fit)]}: {choice_of(fit).words}"
    elif not math.isfinite(float(fit["median_capacity"])):
        words = fragility.format_fragility(fit).removeprefix("Fragility: ")
    found = [KeyFigure("Median capacity", fragility.format_accepted_median(fit), words)]
    if not rejects_lognormal(fit) and math.isfinite(float(fit["median_capacity"])):
        words = f"{text.percent(fit)} interval {text.label_interval(fit, 'dispersion_interval')}"
        found.append(KeyFigure("Dispersion", text.cell(fit, "dispersion"), words))
    if math.isfinite(float(fit["weakest_overturning"])):
        below, weakest = int(fit["runs_below"]), text.label(fit["weakest_overturning"])
        words = (
            f"none of {text.format_count(below, 'run')} at weaker ones did" if below else "none was weaker"
        )
        found.append(KeyFigure("Weakest level that overturned", weakest, words))
    return found


def _risk(rates: xr.Dataset) -> list[KeyFigure]:
    (rate, of_rate), chance = (risk.risk_statement(rates, name) for name in ("rate", "probability"))
    by = f"{risk.WORDS[accepted_family(rates)]}: {choice_of(rates).words}"
    return [
        KeyFigure("Annual rate of overturning [1/year]", rate, f"{of_rate}; {by}"),
        KeyFigure(f"Probability in {rates.attrs['years']:g} years", *chance),
    ]


FLAGS = {
    "contact_lost": "contact lost",
    "energy_gain_impacts": "impacts that would gain energy",
    "infeasible_impacts": "in doubt after infeasible impacts",
    "edge_stick_infeasible": "edge that should have slid",
}
MEANING = (
    "Contact lost: the ground would have had to pull before 45 degrees of tilt, so that a real body would "
    "have jumped. Impacts that would gain energy were changed until they gain none. In doubt: faces that "
    "landed without a feasible pivot were put to rest, at more than the energy needed to overturn. Edge that "
    "should have slid: for up to some 25 ms the ground could not have held one corner of the edge that "
    "carries the body, and a model without slip holds it; common under shaking in two directions, and "
    "harmless."
)


def validity_section(summary: Summary) -> Section:
    """What strained the model, at each intensity."""
    validity = summary.model_validity
    if validity is None:
        return Section("validity", "Does the model hold?", [outcomes.NOT_OF_MCROCK])
    columns: list[text.Column] = [
        "intensity",
        *((words, f"{{{name}:percent}}") for name, words in FLAGS.items()),
    ]
    blocks: list[Block] = [
        "Fractions of the runs that strain the model",
        text.table_along(validity.sel(among="all"), "intensity", columns),
    ]
    certificate = outcomes.format_certificate(validity)
    few = "certified" in validity and float(validity["certified"].sel(among="all").mean()) < 0.5
    blocks += [
        MEANING,
        *cautions(outcomes.format_strain(validity)),
        *(cautions(certificate) if few else certificate),
    ]
    return Section("validity", "Does the model hold?", blocks)


def convergence_section(ds: xr.Dataset, summary: Summary, how: Confidence) -> Section:
    """What more runs and shorter steps would change."""
    blocks: list[Block] = []
    if ds.sizes["realization"] > 1:
        ax = outcomes.plot_convergence(ds, **how.keywords)
        blocks.append(embed(ax, "Probability of overturning over the number of realizations"))
    blocks += format_convergence(summary)
    return Section("convergence", "Convergence", blocks)


def limits_section(study: Study | None, summary: Summary) -> Section:
    """What these numbers do not say."""
    probability = summary.overturning_probability
    records, level = int(probability["records"]), probability.attrs["level"]
    rigid = (
        "The body is rigid and the ground too: no crushing of edges, no rocking on soil or carpets, no "
        "flexible body, no liquid inside."
    )
    lines = [
        rigid if study else "What the program or test behind these outcomes leaves out is left out here.",
        "An undecided run is never counted as survival: intervals hold both readings.",
    ]
    if study and study.contact is None:
        lines.insert(
            1, "Nothing slides and nothing rebounds: above stands of how many runs that is certain to hold."
        )
    if probability.attrs["independent"] == "records":
        lines += [
            "The intervals count recordings, and hold for earthquakes of the kind of these recordings: not "
            "for other faults, soils or distances.",
            f"What {records} recordings cannot decide, no number of runs does: where none of them overturned "
            f"the body, the {text.percent(probability)} interval of the probability reaches "
            f"{bound_without_events(records, level):.2g}. Only other recordings lower that.",
        ]
    return Section("limits", "Limits", list(lines))


def provenance_section(ds: xr.Dataset, store: Path | None) -> Section:
    """Versions, seeds and digests, with which the numbers can be made again."""
    rows = [] if store is None else [["result", store.name]]
    if store is not None and (store / STUDY).exists():
        rows.append(["digest of the store (mcrock verify)", store_digest(store)])
    for versions in [] if store is None else logged_versions(store):
        rows.append(["versions", ", ".join(f"{name} {version}" for name, version in versions.items())])
    names = {
        "source": "computed by",
        "seed": "seed",
        "kernel_digest": "digest of the compiled source",
        "arithmetic": "arithmetic",
        "own_law": "impacts by the user's law",
        "motions_digest": "digest of the motions",
    }
    rows += [[words, str(ds.attrs[name])] for name, words in names.items() if name in ds.attrs]
    return Section("provenance", "Where the numbers come from", [text.format_table(["", ""], rows)])


def replays_section(
    ds: xr.Dataset,
    study: Study,
    folder: str | Path,
    store: Path | None,
    allow_missing: bool,
    *,
    trust_code: bool = False,
) -> Section | None:
    """Three runs of a study, repeated if code that it names may run; None where no run is decided."""
    named: dict[RunPlace, list[str]] = {}
    for name, place in representative_runs(ds, allow_missing=allow_missing).items():
        named.setdefault(place, []).append(name)
    of_files = Study.from_json(study.to_json(), folder, trust_code=trust_code)
    blocks: list[Block] = []
    for place, names in named.items():
        try:
            blocks.append(_player(ds, of_files, place, names, store))
        except ConfigError as error:
            blocks = [f"No replays: {error.mistakes[0]}; give the folder of the study file (--folder)"]
            break
        except ValueError as error:
            blocks += [] if str(error) in blocks else [str(error)]
    return Section("replays", "Three runs to watch", blocks) if blocks else None


def _player(ds: xr.Dataset, study: Study, place: RunPlace, names: list[str], store: Path | None) -> Player:
    """A run with what it is; one run may be several of the three."""
    at = place._asdict()
    found = repeat_run(study, **at, stored=ds)
    said = stored_outcome(ds, at, found.run.outcome)
    what = "; ".join(f"{name_of(name)}: {MEANINGS[name]}" for name in names)
    again = f"; `{repeat_command(store.name, at)}` repeats it" if store else ""
    words = f"{what}. {found.title}{found.measure}, {said}{again}"
    shown = found.run, found.motion, found.title
    return Player(Markup(embed_run(*shown, theme="light")), still_of(*shown), words)


DISPERSIONS = (
    "HCLPF: the capacity with high confidence of a low probability of failure, here of overturning. beta_R: "
    "dispersion of the curve by the shaking; beta_U: that of its median by ignorance and few recordings."
)
CURVES = (
    "1/a: times a year. lognormal: the fitted curve, whose lower tail is an assumption; isotonic fractions: "
    "the fractions of the runs that overturned at each intensity, made to rise with the least "
    "change, without a formula."
)
SCORE = (
    "Log loss: minus the logarithm of the probability that a rule gave to what happened, averaged over the "
    "runs of recordings that it was not fitted to. 0 is certainty that came true, a rule that always says "
    "one half has 0.693: the smaller the better."
)


def outcomes_section(ds: xr.Dataset, summary: Summary, how: Confidence, store: Path | None) -> Section:
    """Fractions of the outcomes, and runs that decide nothing, with the first that failed by the log."""
    ax = outcomes.plot_outcomes(ds, allow_missing=how.allow_missing)
    shares = outcome_shares(ds, **how.keywords) if summary.outcome_shares is None else summary.outcome_shares
    failed = format_impossible(read_log(store))[:2] if store else []
    blocks: list[Block] = [
        embed(ax, "Fractions of the outcomes at each intensity"),
        *outcomes.format_outcomes(shares, summary.is_shaken),
        *cautions(
            outcomes.format_doubt(summary.undecided_runs, int(summary.overturning_probability["runs"].sum()))
        ),
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
    blocks += format_probabilities(summary.overturning_probability, summary.is_shaken)
    blocks += [
        format_independence(summary.overturning_probability),
        *format_resurrection(summary.resurrected),
    ]
    if isinstance(capacity, xr.Dataset):
        blocks += [*risk.capacity_blocks(capacity), DISPERSIONS]
    else:
        blocks.append(capacity or "")
    if summary.fragility_by_law is not None and summary.is_shaken:
        ax = plot_choices(ds, found=summary.fragility_by_law, **how.keywords)
        blocks += [embed(ax, "Fragility curves of the impact laws"), *format_laws(summary.fragility_by_law)]
    if summary.intensity_measures is not None:
        ax = plot_measures(ds, found=summary.intensity_measures, **how.keywords)
        blocks += [
            embed(ax, "How much each intensity measure explains"),
            *format_measures(summary.intensity_measures),
            SCORE,
        ]
    return Section("fragility", "Probability of overturning", blocks)


def _curve(ds: xr.Dataset, fit: xr.Dataset, words: str, how: Confidence, event: str = "") -> list[Block]:
    """A fragility curve with its parameters, and what to know of them."""
    ax = fragility.plot_fragility(ds, found=fit, **how.keywords)
    add_note(ax, fragility.UNSUPPORTED)  # what else its caption says stands in the text
    return [
        embed(ax, words),
        event + fragility.format_fragility(fit),
        *cautions(fragility.format_support(fit)),
    ]


def motion_section(ds: xr.Dataset, summary: Summary, how: Confidence) -> Section | None:
    """How far bodies tilted and slid; None where that was not kept."""
    if "peak_tilt_ratio" not in ds:
        return None
    ax = outcomes.plot_exceedance(ds, **how.keywords)
    blocks: list[Block] = [embed(ax, "Probability that the tilt exceeds a level")]
    if PEAK in ds:
        ax = outcomes.plot_exceedance(ds, variable=PEAK, **how.keywords)
        blocks.append(embed(ax, "Probability that the base is displaced farther"))
        blocks += format_displacements(summary)
    support = by_support(ds)
    if support is not None and summary.support_fragility is not None and summary.is_shaken:
        words = "Fragility by overturning or falling off"
        blocks += _curve(
            support, summary.support_fragility, words, how, "Overturning or falling off its support: "
        )
    return Section("motion", "Tilt and displacement", blocks)


def nested_section(ds: xr.Dataset, summary: Summary, how: Confidence) -> Section | None:
    """What ignorance does, and what the shaking; None of a study that is not nested."""
    if summary.nested is None:
        return None
    box = sensitivity.plot_probability_box(ds, level=how.level, found=summary.nested.epistemic_probability)
    shares = sensitivity.plot_variance_shares(ds, level=how.level, found=summary.nested.variance_shares)
    blocks: list[Block] = [
        embed(box, "Probability of each outer draw"),
        embed(shares, "Shares of the variance of overturning"),
        *filter(None, sensitivity.format_nested(summary.nested)),
    ]
    return Section("uncertainty", "Ignorance and shaking", blocks)


def rules_section(ds: xr.Dataset, summary: Summary, folder: Path, how: Confidence) -> Section | None:
    """What rules of thumb and checks of codes say of the body; None where no run asks for it."""
    if summary.baselines is None:
        return None
    blocks: list[Block] = [str(summary.baselines)]
    if isinstance(summary.baselines, xr.Dataset):
        ax = risk.plot_baselines(ds, folder=folder, found=summary.baselines, **how.keywords)
        words = "How well rules of thumb and code checks tell which runs overturn"
        blocks = [*risk.format_baselines(summary.baselines), SCORE, embed(ax, words)]
    return Section("rules", "Rules of thumb and code checks", blocks)


def sensitivity_section(
    ds: xr.Dataset, how: Confidence, progress: Callable[[int, int], None] | None = None
) -> Section | None:
    """Which inputs decide; None where nothing is drawn or all runs ended alike."""
    try:
        found = sensitivity.sensitivity_of(ds, how, progress=progress)
    except ValueError:  # nothing is drawn
        return None
    if found["outcome_distances"]["distance"].isnull().all():
        return None
    blocks: list[Block] = []
    for name, one in found.items():
        figure = embed(sensitivity.plot_sensitivity(one), sensitivity.FIGURES[name])
        blocks += [figure, *sensitivity.BLOCKS[name](one)]
    return Section("sensitivity", "Which inputs decide", blocks)


def risk_section(ds: xr.Dataset, found: Mapping[str, xr.Dataset], few: str | None) -> Section | None:
    """The risk at a site by `risk_of`, or why there is none; None without a hazard."""
    if "annual_rate" not in found:
        return Section("risk", "Risk at the site", [text.Caution(few)]) if few else None
    hazard, rates = found["hazard"], found["annual_rate"]
    own = {name: one for name, one in found.items() if name not in ("high_confidence_capacity", "standards")}
    ax, words = (
        risk.plot_risk(ds, hazard, found=rates),
        "From which intensities the rate of overturning comes",
    )
    return Section(
        "risk", "Risk at the site", [embed(ax, words), *risk.risk_blocks(own), CURVES, *hazard_blocks(hazard)]
    )


def standards_section(found: Mapping[str, xr.Dataset]) -> Section | None:
    """Standards at a design motion and against a rate; None where none is asked for."""
    if "standards" not in found:
        return None
    return Section("standards", "Standards", [*risk.standards_blocks(found["standards"])])
