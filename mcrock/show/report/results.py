"""Sections of the report on what came out and how far to trust it, and the numbers that are looked for first.

Outcomes, fragility, what drives it, risk, three runs to watch; validity, convergence, limits, origin.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import xarray as xr
from markupsafe import Markup

from mcrock.base.estimates import Term
from mcrock.base.tables.parsing import ConfigError
from mcrock.base.units import unit_in_text
from mcrock.dataset.contents import STUDY, store_digest
from mcrock.ensemble.opening import logged_versions
from mcrock.show import fragility, risk, sensitivity, text
from mcrock.show.animation.page import embed_run, still_of
from mcrock.show.comparison import compose_remedy, values
from mcrock.show.report.content import Block, Figure, Player, Section, cautions, embed
from mcrock.show.report.subject import answer_sentence, hazard_blocks
from mcrock.show.risk import Site
from mcrock.show.run import name_of, repeat_command, repeat_run, stored_outcome
from mcrock.show.summary import PLOTS, RESULTS, SECTIONS, Summary, drawn, shown, summarize
from mcrock.statistics import high_confidence_capacity
from mcrock.statistics.accepted_curve import accept_curve, accepted_family, choice_of, rejects_lognormal
from mcrock.statistics.comparison import what_differs
from mcrock.statistics.intervals import Bootstrap, Confidence, bound_without_events
from mcrock.statistics.outcomes import MEANINGS, RunPlace, representative_runs
from mcrock.statistics.risk import FewError, failure_of
from mcrock.study import Study

MANY, MOST_DOUBTS = 20, 6  # blocks of a kind, and cautions, on the first pages of a report
LONGEST = 300  # of a caution there [characters]
HCLPF = "High confidence of a low probability (HCLPF)"


class KeyFigure(NamedTuple):
    """A number with its name and what has to be known of it."""

    name: str
    value: str
    words: str


class Answer(NamedTuple):
    """What a study says of a body, and of its risk at a site if one is given."""

    summary: Summary
    capacity: xr.Dataset | str | None  # with high confidence of a low probability of failure, or why not
    sentence: str
    figures: list[KeyFigure]
    sections: list[Section | None]  # risk, standards, and what the numbers leave out


def answer_of(ds: xr.Dataset, study: Study | None, site: Site, how: Confidence) -> Answer:
    """All results of a study, and the risk at a site and standards where they are asked for."""
    summary = summarize(ds, folder=site.folder, **how.keywords)
    found, few = dict[str, xr.Dataset](), None
    try:
        found = risk.risk_of(ds, site, how)
        if summary.is_shaken and not found:
            capacity = high_confidence_capacity(ds, allow_missing=how.allow_missing)
            found = {"high_confidence_capacity": capacity}
    except FewError as error:
        few = f"no capacity with confidence and no annual rate: {error}"
    rates, known = found.get("annual_rate"), found.get("high_confidence_capacity")
    headed = found.get("annual_rate_with_support", rates)
    return Answer(
        summary,
        few if known is None else known,
        answer_sentence(summary, rates, found.get("annual_rate_with_support")),
        key_figures(summary, headed, known if site.asks_standard else None),
        [
            risk_section(ds, found, None if site.hazard is None else few, site),
            standards_section(judged := risk.standards_of(ds, site, headed, how)),
            limits_section(study, summary),
            formulas_section(ds, summary, found | judged, how),
        ],
    )


def key_figures(summary: Summary, rates: xr.Dataset | None, capacity: xr.Dataset | None) -> list[KeyFigure]:
    """Key results of a study, each with its interval."""
    found = _fragility(summary) if summary.is_shaken else [_release(summary["overturning_probability"])]
    if capacity is not None and math.isfinite(float(capacity["confident"])):
        found.append(capacity_figure(capacity))
    return [*([] if rates is None else _risk(rates)), *found, _size(summary["overturning_probability"])]


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
    fit = summary["fragility"]
    words = f"{text.percent(fit)} interval {fragility.format_accepted_ends(fit)}"
    if rejects_lognormal(fit):
        words += f", {risk.WORDS[accepted_family(fit)]}: {choice_of(fit).words}"
    elif not math.isfinite(float(fit["median_capacity"])):
        words = fragility.format_fragility(fit).removeprefix("Fragility: ")
    of = ", overturning alone" * (summary.support is not None)
    found = [KeyFigure(f"Median capacity{of}", fragility.format_accepted_median(fit), words)]
    if not rejects_lognormal(fit) and math.isfinite(float(fit["median_capacity"])):
        words = f"{text.percent(fit)} interval {text.label_interval(fit, 'dispersion_interval')}"
        found.append(KeyFigure(f"Dispersion{of}", text.cell(fit, "dispersion"), words))
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
        KeyFigure(f"Annual rate of {failure_of(rates)} [{Term.PER_YEAR}]", rate, f"{of_rate}; {by}"),
        KeyFigure(f"Probability of it in {rates.attrs['years']:g} years", *chance),
    ]


def limits_section(study: Study | None, summary: Summary) -> Section:
    """What these numbers do not say."""
    probability = summary["overturning_probability"]
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
        lines.insert(1, "Nothing slides and nothing rebounds: above stands of how many runs that is certain.")
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


def replays_section(ds: xr.Dataset, study: Study, store: Path | None, how: Confidence) -> Section | None:
    """Three runs of a study, repeated if code that it names may run; None where no run is decided."""
    named: dict[RunPlace, list[str]] = {}
    for name, place in representative_runs(ds, allow_missing=how.allow_missing).items():
        named.setdefault(place, []).append(name)
    blocks: list[Block] = []
    for place, names in named.items():
        try:
            blocks.append(_player(ds, study, place, names, store))
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
    f"lognormal: the fitted curve, whose lower tail is an assumption. {Term.FRACTIONS.capitalize()}: "
    f"{Term.FRACTIONS.meaning} {Term.PER_YEAR.capitalize()}: {Term.PER_YEAR.meaning}"
)


def section_of(study: Summary, key: str, further: Iterable[Block] = ()) -> Section | None:
    """The results of a study that stand in a section of the report; None if it has none of them."""
    blocks: list[Block] = []
    for name, result in RESULTS.items():
        if result.section == key:
            blocks += shown(name, study)
            for plot in PLOTS:
                if plot.result == name and plot.caption and (ax := drawn(plot, study)) is not None:
                    blocks.append(embed(ax, plot.caption))
            if isinstance(study[name], xr.Dataset):
                blocks += result.page(study[name], study)
    blocks += further
    return Section(key, SECTIONS[key], blocks) if blocks else None


def capacity_blocks(capacity: xr.Dataset | str | None) -> list[Block]:
    """The capacity with high confidence, or why there is none."""
    if isinstance(capacity, xr.Dataset):
        return [*risk.capacity_blocks(capacity), DISPERSIONS]
    return [capacity] if capacity else []


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


def risk_section(
    ds: xr.Dataset, found: Mapping[str, xr.Dataset], few: str | None, site: Site
) -> Section | None:
    """The risk at a site by `risk_of`, or why there is none; None without a hazard."""
    if "annual_rate" not in found:
        return Section("risk", "Risk at the site", [text.Caution(few)]) if few else None
    hazard, rates = found["hazard"], found["annual_rate"]
    own = {name: one for name, one in found.items() if name not in ("high_confidence_capacity", "standards")}
    ax = risk.plot_risk(ds, hazard, found=rates)
    figure = embed(ax, "From which intensities the rate of overturning comes")
    blocks = [figure, *risk.risk_blocks(own, site), CURVES, *hazard_blocks(hazard)]
    return Section("risk", "Risk at the site", blocks)


def remedy_section(ds: xr.Dataset, found: xr.Dataset) -> Section:
    """What to change, and in what the study that was changed differs from this one."""
    composed = compose_remedy(found)
    changes = what_differs(ds, found) if "config" in ds.attrs else []
    differ = "; ".join(f"{key} {values(old, new)}" for key, old, new in changes)
    doubts = cautions([f"this study and that of the remedy differ in {differ}"] if differ else [])
    axes = [draw() for draw in composed.drawings.values()]
    drawn = [embed(ax, "The value that is needed, and designs") for ax in axes if not isinstance(ax, str)]
    return Section("remedy", "Remedy", [*drawn, *doubts, *composed.blocks])


def brief_sections(sections: Sequence[Section]) -> list[Section]:
    """What whoever decides needs of a report, two pages in print: pictures, remedy, cautions, assumptions."""
    of_key = {section.key: section.blocks for section in sections}

    def some(key: str, kind: type, most: int = MANY) -> list[Block]:
        return [block for block in of_key.get(key, []) if type(block) is kind][:most]

    heeded = (block for blocks in of_key.values() for block in blocks if isinstance(block, text.Caution))
    doubts = [*dict.fromkeys(map(str, heeded))]
    left = [f"{len(doubts) - MOST_DOUBTS} more stand in the annex."] if len(doubts) > MOST_DOUBTS else []
    no_remedy = "No change was examined: `mcrock design` finds which one makes the object safe enough."
    assumed = [*some("motions", str, 1), *some("inputs", text.Columns), *some("model", str, 1)]
    given: dict[str, list[Block]] = {
        "The object, and how likely it overturns": [*some("body", Figure), *some("fragility", Figure, 1)],
        "What would make it safe enough": [*some("remedy", str, 3), *some("remedy", Figure)] or [no_remedy],
        "Before these numbers are used": [
            *(text.shorten(each, LONGEST) for each in doubts[:MOST_DOUBTS]),
            *left,
        ],
        "What was assumed": [*assumed, *some("limits", str)],
    }
    return [Section(f"brief-{k}", title, blocks) for k, (title, blocks) in enumerate(given.items()) if blocks]


SYMBOLS = {
    "body_slenderness": "alpha [rad]",
    "body_radius": "R [m]",
    "body_frequency": "p [rad/s]",
    "gravity": "g [m/s2]",
    "contact_friction": "mu [1]",
}
LOGNORMAL = "F(x) = Phi(ln(x / median) / dispersion); covariance of both logarithms by leaving out recordings"
FRACTIONS = (
    "F(x) at the levels, 0 below and constant above them; in between probit(F) is straight over ln(x), "
    "scaled to both fractions; of none or all fallen it is that of half a unit of n + 1, n at most {}"
)
RATE = (
    "Rate = integral of F |dH| over the hazard table, where ln(H) is straight over ln(x). Probability in T "
    "years = 1 - exp(-rate T)."
)
CHECKS = (
    "Static: g tan(alpha). Full impulse: 2 g sin(alpha / 2) / (p cos(alpha)). A.2: Sa = 2 g f / alpha, f = "
    "1 / cos(alpha) - 1, at the period 2 pi sqrt(C alpha^2 R cos(alpha) / (2 f g)), C = g / (p^2 R "
    "cos(alpha)^2), and the damping b / sqrt(4 pi^2 + b^2), b = -2 ln(1 - 2 tan(alpha)^2 / C). A.1: sliding "
    "distance = c / (2 pi sliding frequency)^2, c = 2 mu (g - 0.4 vertical peak), at the lowest frequency at "
    "which the 10 % damped RotD100 spectrum is c. Demands are medians of these columns."
)


def exact(value: float) -> str:
    """A number to be computed with; "-" if there is none."""
    return f"{value:.8g}" if math.isfinite(value) else "-"


def formulas_section(
    ds: xr.Dataset, summary: Summary, found: Mapping[str, xr.Dataset], how: Confidence
) -> Section | None:
    """With what the numbers of the page can be computed again."""
    if not summary.is_shaken:
        return None
    accepted, fit = accept_curve(ds, Bootstrap(**how.keywords)), summary["fragility"]
    units, unit = accepted.units, unit_in_text(fit["median_capacity"].attrs["units"])
    if accepted.choice.family == "lognormal":
        (first, both), (_, second) = fragility.covariance_of(units)
        values = float(fit["median_capacity"]), float(fit["dispersion"]), first, both, second
        heads, words = ["", ""], LOGNORMAL
        names = f"median [{unit}]", "dispersion", "var ln(median)", "covariance", "var ln(dispersion)"
        rows = [[name, exact(value)] for name, value in zip(names, values, strict=True)]
    else:
        x, _, runs = units.sums()
        heads, words = [f"x [{unit}]", "F", "runs"], FRACTIONS.format(units.number)
        rows = [list(map(exact, row)) for row in zip(x, accepted.curve.at(x), runs, strict=True)]
    drawn = f"{accepted.how.resamples} resamples of {units.number} {fit.attrs['independent']}"
    blocks: list[Block] = [f"{words}; {drawn}, seed {accepted.how.seed}.", text.format_table(heads, rows)]
    blocks += [RATE] * ("annual_rate" in found)
    if (judged := found.get("standards")) is not None and "recording" in judged.coords:
        body = [[name, exact(judged.attrs[key])] for key, name in SYMBOLS.items() if key in judged.attrs]
        own = [array for array in judged.data_vars.values() if array.dims == ("recording",)]
        heads = [f"{one.name} [{unit_in_text(one.attrs['units'])}]".replace("_", " ") for one in own]
        columns = judged["recording"].values, *(map(exact, array.values) for array in own)
        table = text.format_table(["recording", *heads], list(zip(*columns, strict=True)))
        blocks += [CHECKS, text.format_table(["", ""], body), "Recordings at the design motion", table]
    return Section("formulas", "Formulas and ordinates", blocks)


def standards_section(found: Mapping[str, xr.Dataset]) -> Section | None:
    """Standards at a design motion and against a rate; None where none is asked for."""
    if "standards" not in found:
        return None
    return Section("standards", "Standards", [*risk.standards_blocks(found["standards"])])
