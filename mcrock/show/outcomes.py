"""How runs ended, how far bodies moved, what strained the model, what more runs or shorter steps change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import xarray as xr

from mcrock import statistics
from mcrock.base.estimates import Term, format_percent
from mcrock.base.params import STANDING
from mcrock.show import style
from mcrock.show.text import (
    Caution,
    Column,
    Columns,
    at,
    count_words,
    format_count,
    label,
    percent,
    table_along,
    write,
)
from mcrock.statistics.intervals import Confidence, ConfidenceKeywords
from mcrock.statistics.outcomes import GUESS, STROKE, UNDECIDED, Ending
from mcrock.statistics.precision import MORE_RECORDS, MORE_RUNS
from mcrock.statistics.probability import OF_SUPPORT, response
from mcrock.statistics.runs import is_cloud, is_shaken

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LOOKS = {  # with the colours of the chart of motions from rest; neighbours are apart in grey
    Ending.RESTED: ("0.92", ""),
    Ending.SLID: (style.PALE_BLUE, ""),
    Ending.ROCKED: (style.DEEP_GREEN, ""),
    Ending.SLID_AND_ROCKED: (style.ORANGE, ""),
    Ending.LEFT_THE_GROUND: (style.SAND, ""),
    Ending.FELL_OFF_ITS_SUPPORT: (style.DEEP_RED, ""),
    Ending.OVERTURNED: (style.DEEP_BLUE, ""),
    Ending.STILL_ROCKING: (style.YELLOW, "////"),
    Ending.LIMIT_MET: (style.PINK, "\\\\\\\\"),
    Ending.FRICTION_UNDECIDED: (style.GREY, "xxxx"),
    Ending.LIFTED_OFF: (style.BROWN, "----"),
    Ending.FAILED: ("1.0", "++++"),
    Ending.INFEASIBLE_IMPACT: (style.PURPLE, "...."),
    Ending.BEYOND_STROKE: (style.SKY, "||||"),
}
IN_PERCENT = "{share:of 100} ({interval:of 100})"
TOLD = 0.02  # mean of p (1 - p) below which a curve is next to 0 or 1 throughout [1]
APART = 0.03  # mean difference of two curves below which only one is drawn [1]


def format_outcomes(outcomes: xr.Dataset, by_intensity: bool) -> list[str]:
    """Table of the outcomes that occur, and its title."""
    outcomes = outcomes.isel(ending=(outcomes["share"] > 0).any("intensity").values)
    title = f"Fractions of the runs in % ({percent(outcomes)} interval)"
    columns: list[Column] = ["intensity"] if by_intensity else []
    columns += [(name, at(IN_PERCENT, ending=name)) for name in outcomes["ending"].values.tolist()]
    return [title, table_along(outcomes, "intensity", columns)]


def format_tilts(tilted: xr.Dataset, by_intensity: bool) -> list[str]:
    """Table of how near to overturning bodies came, and its title."""
    title = "Peak tilt beyond this fraction of the slenderness, or body overturned, in %"
    return [f"{title} ({percent(tilted)} interval)", _exceeding(tilted, by_intensity, "")]


def format_displacements(moved: xr.Dataset, overturned: xr.DataArray, by_intensity: bool) -> list[str]:
    """Table of the displacements that bodies exceeded without overturning, and its title; none if none."""
    moved = moved.isel(threshold=(moved["exceeding"] > overturned).any("intensity").values)
    if not moved.sizes["threshold"]:
        return []
    title = "Base centre displaced by more than this, or body overturned, in %"
    return [f"{title} ({percent(moved)} interval)", _exceeding(moved, by_intensity, " m")]


def format_isolator(moved: xr.Dataset, stroke: float | None, by_intensity: bool) -> list[str]:
    """Table of the displacements that the isolator exceeded, and its title."""
    moved = moved.isel(threshold=(moved["exceeding"] > 0).any("intensity").values)
    if not moved.sizes["threshold"]:
        return []
    limit = "" if stroke is None else f" (its stroke is {stroke:g} m)"
    title = f"Isolator displaced by more than this{limit}, in % ({percent(moved)} interval)"
    return [title, _exceeding(moved, by_intensity, " m")]


def _exceeding(found: xr.Dataset, by_intensity: bool, unit: str) -> Columns:
    columns: list[Column] = ["intensity"] if by_intensity else []
    columns += [(f"{x:g}{unit}", at(IN_PERCENT, threshold=x)) for x in found["threshold"].values.tolist()]
    return table_along(found.rename(probability="share"), "intensity", columns)


def format_own_responses(own: xr.Dataset) -> list[str]:
    """Table of each response of one's own, and its title."""
    lines: list[str] = []
    columns: list[Column] = [
        ("intensity", "{intensity}" if "intensity" in own.coords else "all"),
        ("NaN", "{unknown}"),
        ("mean", "{mean:.4g}"),
        (f"{percent(own)} interval", "{interval:.4g}"),
    ]
    columns += [(f"{p:.0%} below", at("{quantile:.4g}", share=p)) for p in own["share"].values.tolist()]
    for name, units in zip(own["response"].values, own["units"].values, strict=True):
        one = own.sel(response=name).drop_vars("units")
        lines += [f"{name} [{units}]", table_along(one, "intensity", columns)]
    if (own["unknown"] > 0).any():
        lines.append("NaN: runs whose response cannot be known; they count as undecided by a limit of it")
    return lines


@style.figure_of_runs()
def plot_outcomes(ds: xr.Dataset, ax: Axes | None = None, *, allow_missing: bool = False) -> Axes:
    """Draw stacked fractions of the outcomes over the intensities.

    Parameters
    ----------
    ds : Dataset
        Study, as for `mcrock.statistics.outcome_shares`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    allow_missing : bool
        Leave out runs that have not been run, rather than refuse.

    Returns
    -------
    Axes
        One bar for each intensity, or bin of the intensities of a cloud; one without an intensity
        where the ground does not move.

    Raises
    ------
    ValueError
        As `mcrock.statistics.outcome_shares`.
    """
    result = statistics.outcome_shares(ds, allow_missing=allow_missing)
    result = result.isel(intensity=result["runs"].values > 0).sortby("intensity")
    ax = style.new_axes(height=74.0) if ax is None else ax
    factor, words = style.axis_scale(result["intensity"])
    parts = []
    for ending, (colour, hatch) in LOOKS.items():
        look: dict[str, Any] = {"color": colour, "hatch": hatch, "linewidth": 0.3}
        look["edgecolor"] = "0.25" if hatch else "white"
        parts.append((ending.words, result["share"].sel(ending=ending.words).values, look))
    style.stacked_bars(ax, style.short_numbers(result["intensity"].values * factor), parts)
    style.probability_axis(ax, "Fraction of the runs [1]")
    style.legend_above(ax, left=0.0)
    runs = result["runs"].values
    each = f"{runs[0]}" if np.ptp(runs) == 0 else f"{runs.min()} to {runs.max()}"
    where = f", {each} at each intensity"
    if not is_shaken(ds):
        ax.set_xticks([])
        where = ", on ground that does not move"
    else:
        ax.set_xlabel(words)
        if is_cloud(ds):
            where = f" in {len(runs)} bins of {each} runs by intensity, named by their medians"
    limit = ""
    if OF_SUPPORT in result.attrs:
        limit = f" Fell off: the base centre was displaced by more than {result.attrs[OF_SUPPORT]:g} m."
    return style.add_note(ax, f"{format_count(runs.sum(), 'run')}{where}.{limit} {_doubt(result)}")


def _doubt(result: xr.Dataset) -> str:
    doubtful = result["share"].sel(ending=[ending.words for ending in UNDECIDED]).sum("ending")
    number = round(float((doubtful * result["runs"]).sum()))
    if number == 0:
        return "All are decided."
    are, count = ("is", "it counts") if number == 1 else ("are", "they count")
    return f"{number} {are} undecided (with a pattern): {count} both ways in the intervals."


@style.figure_of_runs(Confidence)
def plot_exceedance(
    ds: xr.Dataset,
    ax: Axes | None = None,
    *,
    variable: str = "peak_tilt_ratio",
    curves: int = 3,
    **keywords: Unpack[ConfidenceKeywords],
) -> Axes:
    """Draw the probability that `variable` exceeds x, for a few intensities, with bands.

    Parameters
    ----------
    ds : Dataset
        Study, as for `mcrock.statistics.exceedance_probability`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    variable : str
        What is compared with x; by default the peak tilt ratio [1]. Others as in
        `mcrock.statistics.exceedance_probability`.
    curves : int
        Largest number of intensities drawn: of those whose probabilities are not next to 0 or 1 throughout
        the one that tells most, and those that differ most from it, by 0.03 on average at least; the
        strongest if there is none.
    **keywords
        As for `mcrock.statistics.exceedance_probability`.

    Returns
    -------
    Axes
        With one line and one band between dashed lines for each intensity; without a legend of the
        intensities where the ground does not move.

    Raises
    ------
    ValueError
        As `mcrock.statistics.exceedance_probability`, or if `curves` is less than 1.
    """
    if curves < 1:
        raise ValueError(f"curves must be at least 1, got {curves!r}")
    thresholds = _thresholds(ds, variable)
    result = statistics.exceedance_probability(ds, thresholds, variable, **keywords)
    runs = int(result["runs"].sum())
    moving = (result["runs"].values > 0) & (result["probability"].values[0] > 0)
    shown = np.flatnonzero(moving if moving.any() else result["runs"].values > 0)
    strength = result["intensity"].values[shown]
    shown = shown[_different(result["probability"].values[:, shown], strength, curves)]
    result = result.isel(intensity=shown).sortby("intensity", ascending=False)
    ax = style.new_axes() if ax is None else ax
    factor, words = style.axis_scale(result["intensity"])
    colours = style.shades("viridis_r", len(shown) + 1)[1:][::-1]
    names = style.short_numbers(result["intensity"].values * factor)
    for i, (colour, name) in enumerate(zip(colours, names, strict=True)):
        one = result.isel(intensity=i)
        lower, upper = one["interval"].values
        # the probability falls, the intervals need not: widen them to bounds that fall as well
        lower, upper = np.minimum.accumulate(lower), np.maximum.accumulate(upper[::-1])[::-1]
        ax.fill_between(thresholds, lower, upper, color=colour, alpha=0.08, linewidth=0)
        for bound in (lower, upper):
            ax.plot(thresholds, bound, color=colour, linewidth=0.6, linestyle=(0, (4, 2)), alpha=0.9)
        look: dict[str, Any] = {"marker": style.MARKERS[i % len(style.MARKERS)], "markersize": 3.4}
        look |= {"color": colour, "markevery": (0.05 + 0.06 * i, 0.25), "label": name}
        ax.plot(thresholds, one["probability"], **look)
    ax.set_xlim(0, thresholds[-1])
    style.number_axis(ax)
    ax.set_xlabel(_axis_label(ds, variable))
    style.probability_axis(ax, "Probability of exceedance [1]")
    style.legend_of_levels(ax, words, len(shown) if is_shaken(ds) else 0)
    note, places = count_words(result, runs), "intensities"
    if is_cloud(ds) and is_shaken(ds):
        places = "bins"
        note += f" in {len(moving)} bins of the intensity, named by their medians"
    if len(shown) < int(moving.sum()):
        note += f"; {len(shown)} of {int(moving.sum())} {places} with motion shown"
    level = f"{result.attrs['level']:.0%}"
    return style.add_note(ax, f"{note}. Overturned runs exceed every threshold. Dashed: {level} intervals.")


def _different(curves: np.ndarray, strength: np.ndarray, number: int) -> np.ndarray:
    """Columns of `curves` that tell most and are far from each other, in rising order."""
    told = (curves * (1.0 - curves)).mean(axis=0)
    chosen = [int(told.argmax() if told.max() > TOLD else strength.argmax())]
    while len(chosen) < number:
        apart = np.abs(curves[:, :, None] - curves[:, None, chosen]).mean(axis=0).min(axis=1)
        apart[told < TOLD] = 0.0
        if apart.max() < APART:
            break
        chosen.append(int(apart.argmax()))
    return np.sort(chosen)


def _thresholds(ds: xr.Dataset, variable: str) -> np.ndarray:
    """From 0 to where only overturned runs are beyond: 1.3 for a tilt ratio, else the 99 % quantile of those
    that stand."""
    if variable == "peak_tilt_ratio":
        return np.linspace(0, 1.3, 131)
    values = response(ds, variable).values[ds["outcome"].isin(STANDING).values]
    top = np.nanquantile(values, 0.99) if values.size else 0.0
    return np.linspace(0, top if top > 0 else 1.0, 131)


def _axis_label(ds: xr.Dataset, variable: str) -> str:
    if variable == "peak_tilt_ratio":
        return "Peak tilt / slenderness [1]"
    return style.axis_scale(response(ds, variable))[1].replace("[g]", "[m/s²]")


REMEDIES = {
    GUESS: "had faces put to rest for want of a feasible pivot: "
    'impact.facet_fallback = "plastic" decides them',
    STROKE: "moved the isolator beyond its stroke, where it strikes its stop and isolates no more: take a "
    "longer stroke, more damping or a higher frequency",
    "rocking": "still rocked at the end: raise controls.tail, unless they rock on without loss",
    "step_limit": "took controls.max_steps steps: raise it",
    "impact_limit": "had controls.max_impacts impacts: raise it",
    "contact_limit": "solved contacts controls.max_contact_solves times: raise it, or take a base with fewer "
    "corners",
    "instant_limit": "had too many events at one instant: look for impact parameters that gain energy, and "
    "with friction at the events of one of them (`mcrock simulate`)",
    "not_finite": "grew beyond all numbers: look for impact parameters that gain energy, and at the shaking",
    "failed": "have no outcome, as what was drawn is impossible or an error came up: the log next to a "
    "store has the message of each realization",
    "painleve": "came where friction leaves the contact force undetermined: `mcrock docs contact` says from "
    "which friction on",
    "lifted_off": "were lifted off their whole base from rest, as the ground fell faster than gravity: "
    "[contact] with a friction coefficient lets a body leave the ground and land",
}
STEPS_OF_OTHERS = "what shorter time steps change, the program behind these outcomes has to tell"
NOT_OF_MCROCK = "what strains the model, the program or test behind these outcomes has to tell"
STRAINED = 0.03  # share of the runs above which a departure from the model is worth a line


def format_validity(validity: xr.Dataset) -> list[str]:
    """Cautions on what strains the model, and a line on the runs that are certified."""
    certificate = format_certificate(validity)
    few = "certified" in validity and float(validity["certified"].sel(among="all").mean()) < 0.5
    return [*map(Caution, format_strain(validity)), *map(Caution if few else str, certificate)]


STRAINS = {
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


def validity_blocks(validity: xr.Dataset) -> list[str]:
    """Table of what strained the model at each intensity, with what it means."""
    columns: list[Column] = [
        "intensity",
        *((words, f"{{{name}:percent}}") for name, words in STRAINS.items()),
    ]
    table = table_along(validity.sel(among="all"), "intensity", columns)
    return ["Fractions of the runs that strain the model", table, MEANING]


def format_strain(validity: xr.Dataset) -> list[str]:
    """Lines on what strains the model."""
    lines, slides = [], "certified_throughout" in validity
    advice = "; a study with [contact] friction lets bodies slide and leave the ground" * (not slides)
    words = {
        "contact_lost": "contact was lost before 45 degrees of tilt in {}: beyond a few per cent the rigid "
        f"no-bounce model is strained{advice}",
        "energy_gain_impacts": "impacts that would gain energy occurred in {}: their parameters lie outside "
        "what is possible there",
    }
    runs = validity["runs"].sum("intensity").values
    for name, sentence in words.items():
        shares = [_whole(validity[name], validity, among) for among in validity["among"].values]
        if max(shares) > STRAINED:
            standing = f"{format_percent(shares[1])} of those that stand" if runs[1] else "none stands"
            lines.append(sentence.format(f"{format_percent(shares[0])} of the runs ({standing})"))
    return lines


def format_certificate(validity: xr.Dataset) -> list[str]:
    """Said of certified runs alone."""
    if "certified_throughout" in validity:
        share = _format_certain(_whole(validity["certified_throughout"], validity))
        return [f"runs in which friction certainly holds, as if contacts stuck: {share}"]
    if "certified" not in validity:
        return []
    shares = [
        f"{_format_certain(_whole(share, validity))} at {float(share['friction']):g}"
        for share in validity["certified"]
    ]
    return [
        f"{Term.STICKS}, by its coefficient: {', '.join(shares)}; what friction "
        "does to the others, only a study with [contact] tells"
    ]


def _format_certain(share: float) -> str:
    """A share that is called all of the runs only where it is.

    >>> _format_certain(0.9999), _format_certain(1.0), _format_certain(0.0312)
    ('99.9 %', 'all', '3.12 %')
    """
    return "all" if share == 1.0 else f"{min(100 * share, 99.9):.3g} %"


def _whole(share: xr.DataArray, validity: xr.Dataset, among: str = "all") -> float:
    """A fraction of the runs at all intensities; 0 if there are none."""
    runs = validity["runs"].sel(among=among)
    return float((share.sel(among=among) * runs).sum() / max(int(runs.sum()), 1))


def format_doubt(doubt: xr.Dataset, runs: int) -> list[str]:
    """Lines on the undecided ones of all runs, from `undecided_runs`; none if all are decided."""
    guessed = doubt.sel(reason=[GUESS, STROKE]).sum("reason")
    total, guesses = int(doubt["runs"].sum()), int(guessed["runs"])
    if not total:
        return []
    fell = int(guessed["overturned"])
    count = []
    if guesses:
        count.append(f"as simulated where the outcome rests on a guess ({fell} overturned)")
    if guesses < total:
        count.append("half where the simulation broke off")
    verb = "is undecided: it counts" if total == 1 else "are undecided: they count"
    lines = [
        f"{total} of {format_count(runs, 'run')} {verb} "
        f"{', '.join(count)}, and both as standing and as overturned in the intervals"
    ]
    for reason, words in REMEDIES.items():
        number = int(doubt["runs"].sel(reason=reason))
        if number:
            lines.append(f"of these, {number} {words}")
    return lines


CURVES, TICKS = 5, 5
SURE = 0.02  # from 0 or 1 at which there is nothing to see


def format_sizes(sizes: xr.Dataset, by_intensity: bool) -> list[str]:
    """A line on what more realizations would change; none where there is nothing to compare."""
    change = sizes["change"].fillna(0.0).values
    if sizes.sizes["size"] < 2:
        return []
    worst, axis = int(abs(change).argmax()), sizes["intensity"]
    place = f" (at {label(axis[worst])})" if by_intensity and change[worst] else ""
    return [
        f"from the first half of the realizations to all of them the probability changes by at most "
        f"{abs(change[worst]):.3f}{place}"
    ]


def format_steps(steps: xr.Dataset) -> str:
    """Effect of halving the time step."""
    if not steps["repeated"]:
        return "no run was repeated at half the time step: raise controls.recheck to see what it does"
    return write(
        steps,
        f"{format_count(int(steps['repeated']), 'run')} repeated at half the time step: {{flipped}} ended "
        f"differently ({{share:percent}}, {percent(steps)} interval {{interval:percent}}), the overturned "
        "fraction changed by {change:+.4f}",
    )


def format_limits(found: xr.Dataset) -> str:
    """What limits an answer, runs or recordings: a sentence on `mcrock.statistics.what_limits`."""
    kind, limit, records = found.attrs["answer"], found.attrs["limit"], int(found["records"])
    template = {
        "median": "",
        "probability": "probability {answer:probability} ({answer_interval:probability}), ",
        "rate": "annual rate {answer:with ends}, ",
    }[kind]
    told = write(found, template)
    if np.isinf(float(found["answer"])):
        return "more runs do not tell the median: half of such motions do it at none of the intensities run"
    if limit == "levels":
        return "limited by its levels: at each all runs fall or none do, and levels between tell more"
    if records == 1:
        return f"{told}limited by its single recording: nothing tells how others differ"
    what = count_words(found, int(found["runs"])) if limit == "runs" else f"{records} recordings"
    verb = f" would narrow the interval of the {kind}"
    gains: list[str] = []
    for name, key in (
        (f"{MORE_RUNS} times the runs", "narrower_by_runs"),
        (f"{MORE_RECORDS * records} recordings", "narrower_by_records"),
    ):
        if np.isfinite(float(found[key])):
            gains.append(f"{name}{verb * (not gains)} by {write(found, f'{{{key}:percent}}')}")
    return f"{told}limited by its {what}: {', '.join(gains)}{_needed(found)}"


def _needed(found: xr.Dataset) -> str:
    """How many recordings the wanted interval takes, if that is known."""
    if np.isnan(float(found["records_needed"])):
        return ""
    now, wanted = float(found["half_width"]), float(found["width"])
    shares = found.attrs["answer"] != "probability"
    widths = [f"+-{100 * x:.2g} %" if shares else f"+-{x:.2g}" for x in (now, wanted)]
    needed = format_count(int(found["records_needed"]), "recording")
    return f"; it is known to {widths[0]}, and {widths[1]} takes about {needed}"


@style.figure_of_runs(Confidence)
def plot_convergence(ds: xr.Dataset, ax: Axes | None = None, **keywords: Unpack[ConfidenceKeywords]) -> Axes:
    """Draw the probability of overturning from the first realizations, more and more of them.

    Parameters
    ----------
    ds : Dataset
        Study, as for `mcrock.statistics.size_convergence`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    **keywords
        As for `mcrock.overturning_probability`, whose intervals stand at the end.

    Returns
    -------
    Axes
        A curve for each intensity, of at most five whose probability is least sure.

    Raises
    ------
    ValueError
        As `mcrock.statistics.size_convergence`.
    """
    how = Confidence(**keywords)
    found = statistics.size_convergence(ds, allow_missing=how.allow_missing)
    points = statistics.overturning_probability(ds, **how.keywords)
    last = points["probability"].values
    least = sorted(np.argsort(np.abs(np.nan_to_num(last) - 0.5), kind="stable")[:CURVES].tolist())
    unsure = [k for k in least if SURE < last[k] < 1 - SURE] or least[:1]
    worst = float(np.nanmax(np.abs(found["change"].values)))
    found, points = found.isel(intensity=unsure), points.isel(intensity=unsure)
    ax = style.new_axes() if ax is None else ax
    factor, words = style.axis_scale(found["intensity"])
    names = style.short_numbers(found["intensity"].values * factor)
    sizes = found["size"].values
    apart = (sizes[-1] / sizes[0]) ** 0.03 if len(sizes) > 1 else 1.1
    colours = style.shades("viridis", len(unsure))
    for k, (name, colour) in enumerate(zip(names, colours, strict=True)):
        one, mark = points.isel(intensity=[k]), style.MARKERS[k]
        look: dict[str, Any] = {"color": colour, "marker": mark, "markersize": 2.6}
        ax.plot(sizes, found["probability"].values[:, k], label=name, **look)
        x, p = np.array([sizes[-1] * apart ** (1 + k)]), one["probability"].values
        style.error_bars(ax, x, p, one["interval"].values, fmt=mark, markersize=3.0, color=colour)
    ax.set_xscale("log")
    ax.set_xlabel("Number of realizations [1]")
    wanted = np.geomspace(sizes[0], sizes[-1], TICKS)
    ticks = np.unique(sizes[np.abs(np.log(sizes) - np.log(wanted)[:, None]).argmin(axis=1)])
    ax.set_xticks(ticks, [str(tick) for tick in ticks])
    ax.set_xticks([], minor=True)
    style.probability_axis(ax, "Probability of overturning [1]")
    style.legend_of_levels(ax, words if is_shaken(ds) else "", len(unsure))
    return style.add_note(
        ax,
        f"{count_words(points, int(points['runs'].sum()))}. From the first half of the realizations to all "
        f"of them the probability changes by at most {worst:.3f}. Bars: {how.level:.0%} intervals for new "
        "ground motions.",
    )
