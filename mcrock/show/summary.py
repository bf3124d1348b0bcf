"""The results of a study: what computes each of them, what is shown of it, where, and in which figures.

`STATISTICS` and `PLOTS` are the lists of them. Text, JSON, figures and the report all go through them, so
that a result that is added appears in each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np
import xarray as xr

from mcrock import statistics
from mcrock.base.checks import shared_keywords
from mcrock.dataset.opened import accepts_path
from mcrock.excitation.motion import MotionError
from mcrock.show import outcomes, risk, sensitivity
from mcrock.show.curves import format_laws, format_measures, plot_choices, plot_measures
from mcrock.show.fragility import format_fragility, format_support, median_sentence, plot_fragility
from mcrock.show.maps import has_regimes, plot_impact_map, plot_regimes
from mcrock.show.sensitivity import has_distributions, plot_inputs
from mcrock.show.style import add_source, save_figure
from mcrock.show.text import (
    Caution,
    Column,
    Columns,
    dataset_as_json,
    format_count,
    missing_chunks,
    percent,
    table_along,
    write,
)
from mcrock.statistics.curves import has_laws
from mcrock.statistics.fragility import count_resurrected
from mcrock.statistics.intervals import Confidence, ConfidenceKeywords, bound_without_events
from mcrock.statistics.measures import measures_of
from mcrock.statistics.outcomes import knows_strain
from mcrock.statistics.probability import EVENT, ISOLATOR, is_nested, pooled
from mcrock.statistics.runs import config_of, is_shaken, read_once
from mcrock.statistics.standards import NO_MOTIONS, design_intensity, why_no_baselines
from mcrock.study import ConfigError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEW = 11  # recordings below which a result needs more of them
PEAK, TILT = "peak_displacement", "peak_tilt_ratio"
TILTS = (0.25, 0.5, 0.75)  # of the table of the report [1]
DISPLACEMENTS = (0.01, 0.03, 0.1, 0.3, 1.0)  # of the tables of studies with friction or an isolator [m]
SECTIONS = {  # of the report that hold results, and what heads them
    "fragility": "Probability of overturning",
    "outcomes": "Outcomes",
    "motion": "Tilt and displacement",
    "uncertainty": "Ignorance and shaking",
    "rules": "Rules of thumb and code checks",
    "convergence": "Convergence",
    "validity": "Does the model hold?",
}


class Summary:
    """Results of a study by name, each computed when it is first asked for.

    Attributes
    ----------
    whole, runs : Dataset
        The study, and its runs pooled if it is nested.
    how : Confidence
        Level of the intervals, and what they count as independent.
    folder : Path
        That the names of record files start from.
    design : float or None
        Design motion at which standards are judged, in the unit of the intensity.
    is_shaken : bool
        False where the ground does not move, so that no curve means anything.
    is_own : bool
        Whether mcrock computed the runs.
    """

    def __init__(
        self, ds: xr.Dataset, how: Confidence, folder: str | Path = ".", design: str | None = None
    ) -> None:
        read_once(ds)
        self.design = None if design is None else design_intensity(design, ds)
        self.whole, self.runs = ds, pooled(ds)
        self.how, self.folder = how, Path(folder)
        self.is_shaken = is_shaken(ds)
        self.is_own = "half_step_outcome" in ds
        self._found: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        """A dataset, or where a study has none of the kind a line that says why or None.

        Raises
        ------
        KeyError
            If there is no result of that name.
        ValueError
            As the functions of `mcrock.statistics`.
        """
        if name not in self._found:
            self._found[name] = RESULTS[name].compute(self)
        return self._found[name]

    @cached_property
    def support(self) -> Any:
        """The runs judged by overturning or falling off, a dataset; None without a displacement limit."""
        return statistics.by_support(self.runs)

    def of(self, function: Callable[..., Any], **more: Any) -> Any:
        """A statistic or a figure of the runs, with the level of the study."""
        return function(self.runs, **more, **self.how.keywords)

    def of_draws(self, function: Callable[..., Any], **more: Any) -> Any:
        """A statistic or a figure of the epistemic draws; None without them or with missing runs."""
        known = is_nested(self.whole) and not missing_chunks(self.whole)
        return function(self.whole, **more) if known else None


class Statistic(NamedTuple):
    """A statistic of a study."""

    name: str  # in JSON
    section: str  # of the report, a key of `SECTIONS`; empty if it is not there
    compute: Callable[[Summary], xr.Dataset | str | None]
    show: Callable[[Any, Summary], Sequence[str]] = lambda *_: ()  # lines, tables and cautions
    page: Callable[[Any, Summary], Sequence[str]] = lambda *_: ()  # what the report adds


class Plot(NamedTuple):
    """A figure of a study, drawn where it has a result."""

    result: str
    name: str  # of the file that `save_all` writes; empty if only the report has it
    caption: str  # in the report; empty if it is not there
    draw: Callable[[Any, Summary], Axes | None]  # None where there is nothing to draw


def _of(function: Callable[..., Any]) -> Callable[[Summary], Any]:
    return lambda s: s.of(function)


def _of_draws(function: Callable[..., Any]) -> Callable[[Summary], Any]:
    return lambda s: s.of_draws(function, level=s.how.level)


def _alone(show: Callable[[Any], Sequence[str]]) -> Callable[[Any, Summary], Sequence[str]]:
    return lambda found, _: show(found)


def _draw(plot: Callable[..., Axes]) -> Callable[[Any, Summary], Axes]:
    return lambda found, s: s.of(plot, found=found)


def _show_curve(fit: xr.Dataset, s: Summary, event: str = "") -> list[str]:
    lines = [format_fragility(fit), *map(Caution, format_support(fit))] if s.is_shaken else []
    return [type(line)(event + line) for line in lines]


def _show_outcomes(shares: xr.Dataset, s: Summary) -> list[str]:
    return outcomes.format_outcomes(shares, s.is_shaken)


def _show_computation(s: Summary) -> list[str]:
    own, arithmetic = (s.runs.attrs.get(name) for name in ("own_law", "arithmetic"))
    lines = [] if own is None else [f"impacts by the user's law {own}"]
    return lines if arithmetic is None else [*lines, f"computed in {arithmetic}"]


def _displacements(s: Summary, variable: str, limit: float | None) -> xr.Dataset | None:
    if variable not in s.runs:
        return None
    limits = sorted({*DISPLACEMENTS, *([] if limit is None else [limit])})
    return s.of(statistics.exceedance_probability, threshold=limits, variable=variable)


def _stroke(s: Summary) -> float | None:
    floor = (config_of(s.runs).get("motion") or {}).get("floor") or {}
    return floor.get("stroke")


def _baselines(s: Summary) -> xr.Dataset | str | None:
    """Rules of thumb, where there is a transition for them to predict, or why they cannot be known."""
    fit = s["fragility"]
    if not (s.is_shaken and 0 < int(fit["overturned"]) < int(fit["runs"]) - int(fit["undecided"])):
        return None
    try:
        if why := why_no_baselines(s.runs):
            return None if config_of(s.runs) and why == NO_MOTIONS else why
        return s.of(statistics.baselines, folder=s.folder)
    except ConfigError as error:
        return f"no rules of thumb: {error.mistakes[0]}; give the folder of the study file (--folder)"
    except MotionError as error:
        return f"no rules of thumb: {error}"


def _draw_exceedance(variable: str) -> Callable[[Any, Summary], Axes]:
    return lambda _, s: s.of(outcomes.plot_exceedance, variable=variable)


def _effect(runs: xr.Dataset, s: Summary) -> xr.Dataset | str | None:
    return None if is_nested(s.whole) else sensitivity.impact_effect(runs, s.how)


def _draw_map(runs: xr.Dataset, found: xr.Dataset | str | None, s: Summary) -> Axes | None:
    if not isinstance(found, xr.Dataset):
        return None
    runs = sensitivity.runs_of_map(runs)
    return plot_impact_map(runs, *found["parameter"].values, allow_missing=s.how.allow_missing)


def format_probabilities(probability: xr.Dataset, by_intensity: bool) -> list[str]:
    """Table of probabilities and its title."""
    columns: list[Column] = [
        "intensity",
        *("runs", "overturned", "undecided"),
        ("probability", "{probability:probability}"),
        (f"{percent(probability)} interval", "{interval:probability}"),
    ]
    name = f"by {probability['intensity'].attrs.get('long_name', 'intensity')}"
    if not by_intensity:
        name, columns = "after release", columns[1:]
    return [f"Probability of overturning {name}", table_along(probability, "intensity", columns)]


def format_resurrection(found: xr.Dataset) -> list[str]:
    """A line on realizations that a stronger motion spares, if there are any."""
    if not found["resurrected"]:
        return []
    return [
        f"{int(found['resurrected'])} of {format_count(int(found['realizations']), 'realization')} overturn "
        "at one intensity and survive a stronger one: rocking is not monotone"
    ]


def format_independence(probability: xr.Dataset) -> str:
    """Unit that the intervals count as independent, and what so few recordings cannot tell."""
    records = int(probability["records"])
    if probability.attrs["independent"] == "records":
        few = ""
        if records < FEW:
            bound = bound_without_events(records, probability.attrs["level"])
            few = (
                f"; where none of so few overturns a body the {percent(probability)} interval of the "
                f"probability reaches {bound:.2f}, and more "
            )
            few += "runs change nothing of that: add recordings"
        return (
            f"{format_count(records, 'independent recording')}; the intervals count recordings, not runs, "
            f"and hold for new ground motions of the kind{few}"
        )
    if not probability.attrs["shared"]:
        return "every realization is independent of the others"
    return "the intervals count realizations as independent: they hold for the given ground motions alone"


SCORE = (
    "Log loss: minus the logarithm of the probability that a rule gave to what happened, averaged over the "
    "runs of recordings that it was not fitted to. 0 is certainty that came true, a rule that always says "
    "one half has 0.693: the smaller the better."
)
STATISTICS = (
    Statistic("fragility", "fragility", _of(statistics.fit_fragility), _show_curve),
    Statistic(
        "overturning_probability",
        "fragility",
        _of(statistics.overturning_probability),
        lambda p, s: [*format_probabilities(p, s.is_shaken), format_independence(p)],
    ),
    Statistic(
        "resurrected",
        "fragility",
        lambda s: count_resurrected(s.runs) if s.runs.sizes.get("intensity", 0) > 1 else None,
        _alone(format_resurrection),
    ),
    Statistic(
        "fragility_by_law",
        "fragility",
        lambda s: s.of(statistics.fragility_by_choice) if has_laws(s.runs) else None,
        lambda laws, s: format_laws(laws) if s.is_shaken else [],
    ),
    Statistic(
        "intensity_measures",
        "fragility",
        lambda s: s.of(statistics.compare_measures) if len(measures_of(s.runs)) > 1 else None,
        _alone(format_measures),
        lambda *_: [SCORE],
    ),
    Statistic(
        "impact_effect",
        "fragility",
        lambda s: _effect(s.runs, s),
        lambda found, _: [sensitivity.effect_line(found)],
    ),
    Statistic(
        "outcome_shares",
        "outcomes",
        _of(statistics.outcome_shares),
        lambda shares, s: _show_outcomes(shares, s) if PEAK in s.runs else [],
        lambda shares, s: [] if PEAK in s.runs else _show_outcomes(shares, s),
    ),
    Statistic(
        "undecided_runs",
        "outcomes",
        lambda s: statistics.undecided_runs(s.runs, allow_missing=s.how.allow_missing),
        lambda doubt, s: [*map(Caution, outcomes.format_doubt(doubt, int(s[ALWAYS]["runs"].sum())))],
    ),
    Statistic(
        "tilt_exceedance",
        "motion",
        lambda s: s.of(statistics.exceedance_probability, threshold=TILTS) if TILT in s.runs else None,
        page=lambda tilted, s: outcomes.format_tilts(tilted, s.is_shaken),
    ),
    Statistic(
        "displacement_exceedance",
        "motion",
        lambda s: _displacements(s, PEAK, statistics.displacement_limit(s.runs)),
        lambda moved, s: outcomes.format_displacements(moved, s[ALWAYS]["overturned"], s.is_shaken),
    ),
    Statistic(
        "isolator_exceedance",
        "motion",
        lambda s: _displacements(s, ISOLATOR, _stroke(s)),
        lambda moved, s: outcomes.format_isolator(moved, _stroke(s), s.is_shaken),
    ),
    Statistic(
        "support_fragility",
        "motion",
        lambda s: None if s.support is None else statistics.fit_fragility(s.support, **s.how.keywords),
        lambda fit, s: _show_curve(fit, s, f"Overturning or {fit.attrs[EVENT]}: "),
    ),
    Statistic(
        "own_responses", "motion", _of(statistics.own_responses), _alone(outcomes.format_own_responses)
    ),
    Statistic("epistemic_probability", "uncertainty", _of_draws(statistics.epistemic_probability)),
    Statistic(
        "variance_shares",
        "uncertainty",
        _of_draws(statistics.variance_shares),
        lambda shares, s: sensitivity.format_shares(shares, s["epistemic_probability"]),
    ),
    Statistic(
        "epistemic_bounds",
        "uncertainty",
        _of_draws(statistics.epistemic_bounds),
        _alone(sensitivity.format_bounds),
    ),
    Statistic(
        "epistemic_fragility",
        "uncertainty",
        lambda s: s.of_draws(statistics.epistemic_fragility),
        _alone(sensitivity.format_dispersions),
    ),
    Statistic("baselines", "rules", _baselines, _alone(risk.format_baselines), lambda *_: [SCORE]),
    Statistic(
        "standards",
        "",
        lambda s: None if s.design is None else s.of(statistics.standards, design=s.design, folder=s.folder),
        _alone(risk.standards_blocks),
    ),
    Statistic(
        "what_limits",
        "convergence",
        lambda s: s.of(statistics.what_limits) if s.is_shaken else None,
        lambda found, _: [outcomes.format_limits(found)],
    ),
    Statistic(
        "size_convergence",
        "convergence",
        lambda s: statistics.size_convergence(s.runs, allow_missing=s.how.allow_missing),
        # outcomes of other programs have no realizations that could be more
        lambda sizes, s: outcomes.format_sizes(sizes, s.is_shaken) if s.is_own else [],
    ),
    Statistic(
        "step_check",
        "convergence",
        lambda s: statistics.step_check(s.runs, s.how.level) if s.is_own else outcomes.STEPS_OF_OTHERS,
        lambda steps, s: [outcomes.format_steps(steps), *_show_computation(s)],
    ),
    Statistic(
        "model_validity",
        "validity",
        lambda s: (
            statistics.model_validity(s.runs, allow_missing=s.how.allow_missing)
            if knows_strain(s.runs)
            else outcomes.NOT_OF_MCROCK
        ),
        _alone(outcomes.format_validity),
        _alone(outcomes.validity_blocks),
    ),
)
ALWAYS = "overturning_probability"  # a result that every study has
PLOTS = (
    Plot(
        "fragility",
        "fragility",
        "Fragility curve with its band",
        lambda fit, s: s.of(plot_fragility, found=fit) if s.is_shaken else None,
    ),
    Plot("fragility_by_law", "laws", "Fragility curves of the impact laws", _draw(plot_choices)),
    Plot("intensity_measures", "measures", "How much each intensity measure explains", _draw(plot_measures)),
    Plot(
        "outcome_shares",
        "outcomes",
        "Fractions of the outcomes at each intensity",
        lambda _, s: outcomes.plot_outcomes(s.runs, allow_missing=s.how.allow_missing),
    ),
    Plot(
        "tilt_exceedance", "exceedance", "Probability that the tilt exceeds a level", _draw_exceedance(TILT)
    ),
    Plot(
        "displacement_exceedance",
        "exceedance_peak_displacement",
        "Probability that the base is displaced farther",
        _draw_exceedance(PEAK),
    ),
    *(
        Plot("displacement_exceedance", f"exceedance_{name}", "", _draw_exceedance(name))
        for name in ("slip_path", "residual_displacement")
    ),
    Plot(
        "support_fragility",
        "fragility_of_support",
        "Fragility by overturning or falling off",
        lambda fit, s: plot_fragility(s.support, found=fit, **s.how.keywords) if s.is_shaken else None,
    ),
    Plot(
        "epistemic_probability",
        "probability_box",
        "Probability of each epistemic draw",
        lambda found, s: s.of_draws(sensitivity.plot_probability_box, found=found, level=s.how.level),
    ),
    Plot(
        "variance_shares",
        "variance_shares",
        "Shares of the variance of overturning",
        lambda found, s: s.of_draws(sensitivity.plot_variance_shares, found=found, level=s.how.level),
    ),
    Plot(
        "baselines",
        "",
        "How well rules of thumb and code checks tell which runs overturn",
        lambda rules, s: s.of(risk.plot_baselines, found=rules, folder=s.folder),
    ),
    Plot(
        "size_convergence",
        "convergence",
        "Probability of overturning over the number of realizations",
        lambda _, s: s.of(outcomes.plot_convergence) if s.runs.sizes["realization"] > 1 else None,
    ),
    Plot(
        "impact_effect",
        "impact_map",
        "Fraction overturned by impacts",
        lambda found, s: _draw_map(s.runs, found, s),
    ),
    Plot(
        "support_fragility",
        "impact_map_of_support",
        "",
        lambda _, s: _draw_map(s.support, _effect(s.support, s), s),
    ),
    Plot(ALWAYS, "inputs", "", lambda _, s: plot_inputs(s.runs) if has_distributions(s.runs) else None),
    Plot(ALWAYS, "regimes", "", lambda _, s: plot_regimes(s.runs) if has_regimes(s.runs) else None),
)
RESULTS = {result.name: result for result in STATISTICS}
MOST = 3  # cautions of the answer


@shared_keywords(Confidence)
def summarize(
    ds: xr.Dataset,
    *,
    folder: str | Path = ".",
    design: str | None = None,
    **keywords: Unpack[ConfidenceKeywords],
) -> Summary:
    """All results of a study, computed.

    Parameters
    ----------
    ds : Dataset
        Result of a study.
    folder : str or Path
        Folder that the names of record files start from; without them there are no rules of thumb.
    design : str, optional
        Design motion at which standards are judged, as in ``0.4g``.
    **keywords
        Of `mcrock.statistics.Confidence`: `level`, `cluster` and `allow_missing`.

    Raises
    ------
    ValueError
        As the functions of `mcrock.statistics`.
    """
    study = Summary(ds, Confidence(**keywords), folder, design)
    for name in RESULTS:
        _ = study[name]
    return study


def summary_as_json(study: Summary) -> dict[str, Any]:
    """The results as plain tables by name."""
    return {name: dataset_as_json(table) for name in RESULTS if isinstance(table := study[name], xr.Dataset)}


def shown(name: str, study: Summary) -> list[str]:
    """Lines, tables and cautions of a result, or why there is none."""
    found = study[name]
    if isinstance(found, xr.Dataset):
        return [*RESULTS[name].show(found, study)]
    return [] if found is None else [found]


def drawn(plot: Plot, study: Summary) -> Axes | None:
    """A figure, where the study has what it draws."""
    found = study[plot.result]
    return plot.draw(found, study) if isinstance(found, xr.Dataset) else None


def format_answer(study: Summary) -> str:
    """The answer in lines, then its tables, and the first cautions, as text.

    The lines are the probability at some levels, the curve, and what limits both.
    """
    probability = study[ALWAYS]
    lines = [answer_line(study)]
    if study.is_shaken:
        fits = (study["fragility"], study["support_fragility"])
        lines += [median_sentence(fit) for fit in fits if fit is not None]
    lines += [format_independence(probability), *shown("what_limits", study), *_show_computation(study)]
    tables = [format_probabilities(probability, study.is_shaken), shown("fragility_by_law", study)]
    warned: list[str] = [
        block for name in RESULTS for block in shown(name, study) if isinstance(block, Caution)
    ]
    if len(warned) > MOST:
        warned[MOST:] = [f"{format_count(len(warned) - MOST, 'further caution')}: --all"]
    parts = [lines, *tables, warned]
    return "\n\n".join("\n".join(part) for part in parts if part)


def answer_line(study: Summary) -> str:
    """The probability at the weakest level, where it is nearest to one half, and at the strongest."""
    probability: xr.Dataset = study[ALWAYS]
    found = probability.isel(intensity=(probability["runs"] > 0).values).sortby("intensity")
    half = int(np.nanargmin(abs(found["probability"].values - 0.5)))
    places = dict.fromkeys((0, half, found.sizes["intensity"] - 1))
    at = " at {intensity}" if len(places) > 1 else ""
    words = "{probability:probability} ({interval:probability})" + at
    told = [write(found.isel(intensity=k), words) for k in places]
    of = study.runs.attrs.get(EVENT, "overturning")
    return f"Probability of {of} ({percent(found)} interval): {', '.join(told)}"


def format_summary(study: Summary) -> str:
    """Results as text, those of a section of the report and those without a table in one paragraph."""
    paragraphs: list[list[str]] = []
    last = None
    for name, result in RESULTS.items():
        if blocks := shown(name, study):
            if last != result.section or any(isinstance(block, Columns) for block in blocks):
                paragraphs.append([])
            paragraphs[-1] += blocks
            last = result.section
    return "\n\n".join(map("\n".join, paragraphs))


@accepts_path
def save_all(
    ds: xr.Dataset, folder: str | Path, format: str = "png", *, allow_missing: bool = False
) -> list[Path]:
    """Write every figure that a study can fill, each under its own name, signed with title and seed.

    Parameters
    ----------
    ds : Dataset
        Study that fits `mcrock.dataset.SCHEMA`.
    folder : str or Path
        Where to write; made if it is not there.
    format : str
        Ending that matplotlib knows: png, pdf, svg.
    allow_missing : bool
        Leave out runs that have not been run, rather than refuse.

    Returns
    -------
    list of Path
        One for each of `PLOTS` that the study has the result for: `mcrock docs results` says which show what.
        No `impact_map` of parameters that `parameter_effect` tells no effect of, and of a nested study, whose
        runs are pooled.

    Raises
    ------
    ValueError
        If the dataset does not fit, holds runs not yet run, or the format is unknown.
    """
    study = Summary(ds, Confidence(allow_missing=allow_missing))
    figures = {plot.name: ax for plot in PLOTS if plot.name and (ax := drawn(plot, study)) is not None}
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for ax in figures.values():
        add_source(ax, study.runs.attrs)
    return [save_figure(ax, folder / f"{name}.{format}") for name, ax in figures.items()]
