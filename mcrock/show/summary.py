"""All statistics of a study, and all its figures.

All statistics of a study: computed once, given as text or as JSON.

All figures that a study can fill.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, Unpack

import xarray as xr

from mcrock import statistics
from mcrock.base.keywords import shared_keywords
from mcrock.base.params import Outcome
from mcrock.dataset.opened import takes_path
from mcrock.excitation.motion import MotionError
from mcrock.show.curves import format_laws, plot_choices
from mcrock.show.fragility import format_fragility, format_support, plot_fragility
from mcrock.show.maps import has_regimes, map_axes, plot_impact_map, plot_regimes
from mcrock.show.measures import format_measures, plot_measures
from mcrock.show.outcomes import (
    format_displacements,
    format_doubt,
    format_outcomes,
    format_own_responses,
    format_sizes,
    format_steps,
    format_validity,
    plot_convergence,
    plot_exceedance,
    plot_outcomes,
)
from mcrock.show.risk import format_baselines, standards_blocks
from mcrock.show.sensitivity import (
    Nested,
    format_nested,
    has_distributions,
    plot_inputs,
    plot_probability_box,
    plot_variance_shares,
    summarize_nested,
)
from mcrock.show.style import add_source, save_figure
from mcrock.show.text import Column, dataset_as_json, format_count, missing_chunks, percent, table_along
from mcrock.statistics import by_support
from mcrock.statistics.curves import has_laws
from mcrock.statistics.fragility import count_resurrected
from mcrock.statistics.intervals import Confidence, ConfidenceKeywords, bound_without_events
from mcrock.statistics.measures import measures_of
from mcrock.statistics.outcomes import knows_strain
from mcrock.statistics.probability import EVENT, is_nested, pooled
from mcrock.statistics.runs import config_of, is_shaken, read_once
from mcrock.statistics.standards import NO_MOTIONS, design_intensity, without_rules
from mcrock.study import ConfigError

FEW = 11  # recordings below which a result needs more of them
PEAK = "peak_displacement"
DISPLACEMENTS = (0.01, 0.03, 0.1, 0.3, 1.0)  # of the table of a study with friction [m]


class Summary(NamedTuple):
    """Statistics of a study, each a dataset; None where a study has none of the kind."""

    probability: xr.Dataset  # from `overturning_probability`
    fragility: xr.Dataset  # from `fit_fragility`
    doubt: xr.Dataset  # from `undecided_runs`
    steps: xr.Dataset | None  # from `step_check`, of runs of mcrock
    sizes: xr.Dataset  # from `size_convergence`
    validity: xr.Dataset | None  # from `model_validity`, of runs of mcrock
    laws: xr.Dataset | None  # from `fragility_by_choice`
    measures: xr.Dataset | None  # from `compare_measures`
    outcomes: xr.Dataset | None  # from `outcome_shares`, of a study with friction
    displacement: xr.Dataset | None  # from `exceedance_probability` of the peak displacement
    support: xr.Dataset | None  # from `fit_fragility` by the displacement limit
    resurrected: tuple[int, int] | None  # from `count_resurrected`, where there are several levels
    rules: xr.Dataset | str | None  # from `baselines`, or why the motions could not be measured
    nested: Nested | None  # of a nested study without missing runs, whose runs the others pool
    standards: xr.Dataset | None  # from `standards`, with a design motion
    is_shaken: bool  # False where the ground does not move, so that no curve means anything
    own_law: str | None = None  # name and hash of the law of a user
    arithmetic: str | None = None  # None for the plain arithmetic of a processor
    own: xr.Dataset | None = None  # from `own_responses`


@shared_keywords(Confidence)
def summarize(
    ds: xr.Dataset,
    *,
    folder: str | Path = ".",
    design: str | None = None,
    **keywords: Unpack[ConfidenceKeywords],
) -> Summary:
    """All statistics of a study.

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
    how = Confidence(**keywords)
    read_once(ds)
    at = None if design is None else design_intensity(design, ds)
    is_whole = is_nested(ds) and not missing_chunks(ds)
    nested = summarize_nested(ds, how.level) if is_whole else None
    ds = pooled(ds)
    limit = statistics.displacement_limit(ds)
    displacement = None
    if PEAK in ds:
        limits = sorted({*DISPLACEMENTS, *([] if limit is None else [limit])})
        displacement = statistics.exceedance_probability(ds, limits, PEAK, **keywords)
    off = statistics.by_support(ds)
    fragility = statistics.fit_fragility(ds, **keywords)
    return Summary(
        probability=statistics.overturning_probability(ds, **keywords),
        fragility=fragility,
        doubt=statistics.undecided_runs(ds, allow_missing=how.allow_missing),
        steps=statistics.step_check(ds, how.level) if "half_step_outcome" in ds else None,
        sizes=statistics.size_convergence(ds, allow_missing=how.allow_missing),
        validity=statistics.model_validity(ds, allow_missing=how.allow_missing) if knows_strain(ds) else None,
        laws=statistics.fragility_by_choice(ds, **keywords) if has_laws(ds) else None,
        measures=statistics.compare_measures(ds, **keywords) if len(statistics.measures_of(ds)) > 1 else None,
        outcomes=statistics.outcome_shares(ds, **keywords) if PEAK in ds else None,
        displacement=displacement,
        support=None if off is None else statistics.fit_fragility(off, **keywords),
        resurrected=count_resurrected(ds) if ds.sizes.get("intensity", 0) > 1 else None,
        rules=_rules(ds, fragility, folder, keywords),
        nested=nested,
        standards=None if at is None else statistics.standards(ds, at, folder=folder, **keywords),
        is_shaken=is_shaken(ds),
        own_law=ds.attrs.get("own_law"),
        arithmetic=ds.attrs.get("arithmetic"),
        own=statistics.own_responses(ds, **keywords),
    )


def _rules(
    ds: xr.Dataset, fragility: xr.Dataset, folder: str | Path, keywords: ConfidenceKeywords
) -> xr.Dataset | str | None:
    """Rules of thumb, where there is a transition for them to predict, or why they cannot be known."""
    fell = int(fragility["overturned"])
    if not (is_shaken(ds) and 0 < fell < int(fragility["runs"]) - int(fragility["undecided"])):
        return None
    try:
        if why := without_rules(ds):
            return None if config_of(ds) and why == NO_MOTIONS else why
        return statistics.baselines(ds, folder=folder, **keywords)
    except ConfigError as error:
        return f"no rules of thumb: {error.mistakes[0]}; give the folder of the study file (--folder)"
    except MotionError as error:
        return f"no rules of thumb: {error}"


def summary_as_json(summary: Summary) -> dict[str, Any]:
    """The statistics as plain tables by name."""
    tables = {
        "overturning_probability": summary.probability,
        "fragility": summary.fragility,
        "undecided_runs": summary.doubt,
        "step_check": summary.steps,
        "size_convergence": summary.sizes,
        "model_validity": summary.validity,
        "fragility_by_law": summary.laws,
        "intensity_measures": summary.measures,
        "outcome_shares": summary.outcomes,
        "displacement_exceedance": summary.displacement,
        "support_fragility": summary.support,
        "baselines": summary.rules,
        "standards": summary.standards,
        "own_responses": summary.own,
    }
    if summary.nested is not None:
        names = ("variance_shares", "epistemic_probability", "epistemic_fragility", "epistemic_bounds")
        tables |= dict(zip(names, summary.nested, strict=True))
    return {name: dataset_as_json(table) for name, table in tables.items() if isinstance(table, xr.Dataset)}


def format_answer(summary: Summary) -> str:
    """What decides, as text: what intervals count and what is undecided, then probabilities and curves."""
    probability = summary.probability
    notes = [format_independence(probability), *format_doubt(summary.doubt, int(probability["runs"].sum()))]
    lines = [*notes, "", *_format_curves(summary)]
    if summary.laws is not None and summary.is_shaken:
        lines += ["", *format_laws(summary.laws)]
    return "\n".join(lines + _format_arithmetic(summary))


def format_summary(summary: Summary) -> str:
    """The statistics as text: probabilities with intervals, fragility curves and how the model held."""
    probability, shaken = summary.probability, summary.is_shaken
    lines = _format_curves(summary)
    if summary.outcomes is not None:
        moved = format_displacements(summary.displacement, probability["overturned"], shaken)
        friction = [*format_outcomes(summary.outcomes, shaken), *([""] if moved else []), *moved]
        lines += ["", *friction, ""]
    lines.append(format_independence(probability))
    lines += format_doubt(summary.doubt, int(probability["runs"].sum()))
    lines += format_resurrection(summary.resurrected)
    if summary.laws is not None and shaken:
        lines += ["", *format_laws(summary.laws), ""]
    if summary.own is not None:
        lines += ["", *format_own_responses(summary.own), ""]
    if summary.measures is not None:
        lines += ["", *format_measures(summary.measures), ""]
    if isinstance(summary.rules, xr.Dataset):
        lines += ["", *format_baselines(summary.rules), ""]
    elif summary.rules:
        lines.append(summary.rules)
    lines += ["", *standards_blocks(summary.standards), ""] if summary.standards is not None else []
    if summary.steps is not None:  # outcomes of other engines have no realizations that could be more
        lines += format_sizes(summary.sizes, shaken)
    lines.append(format_steps(summary.steps))
    return "\n".join(lines + _format_arithmetic(summary) + format_validity(summary.validity))


def _format_arithmetic(summary: Summary) -> list[str]:
    lines = [] if summary.own_law is None else [f"impacts by the user's law {summary.own_law}"]
    return lines if summary.arithmetic is None else [*lines, f"computed in {summary.arithmetic}"]


def _format_curves(summary: Summary) -> list[str]:
    """Probabilities with intervals, and fragility curves."""
    shaken = summary.is_shaken
    lines = format_probabilities(summary.probability, shaken)
    if shaken:
        lines += [format_fragility(summary.fragility), *format_support(summary.fragility)]
    if shaken and (support := summary.support) is not None:
        lines.append(f"Overturning or {support.attrs[EVENT]}: {format_fragility(support)}")
        lines += format_support(support)
    lines += [] if summary.nested is None else format_nested(summary.nested)
    return lines


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


def format_resurrection(resurrected: tuple[int, int] | None) -> list[str]:
    """A line on realizations that a stronger motion spares, if there are any."""
    if resurrected is None or not resurrected[0]:
        return []
    number, total = resurrected
    return [
        f"{number} of {format_count(total, 'realization')} overturn at one intensity and survive a "
        "stronger one: rocking is not monotone"
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


SLIPS = ("slip_path", "peak_displacement", "residual_displacement")  # responses that have a figure


@takes_path
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
        `fragility` if the ground moves, `outcomes`, `exceedance` if the peak tilt ratio is in the
        dataset, `laws` if it has several laws of the impacts, `measures` if it is a cloud with several
        intensity measures, `impact_map` if two parameters of one impact law or of the contacts vary from
        run to run, and `regimes` if its contacts have friction: then also
        `exceedance_slip_path`, `exceedance_peak_displacement`, `exceedance_residual_displacement` and, with
        a displacement limit, `fragility_of_support` and `impact_map_of_support`; `inputs` if numbers have
        distributions, `convergence` of more than one realization. Of a nested study, whose runs are pooled in
        the others, also `probability_box` and `variance_shares` if no runs are missing.

    Raises
    ------
    ValueError
        If the dataset does not fit, holds runs not yet run, or the format is unknown.
    """
    read_once(ds)
    figures = {}
    if is_nested(ds) and (ds["outcome"] != Outcome.NOT_RUN).all():
        figures = {"probability_box": plot_probability_box(ds), "variance_shares": plot_variance_shares(ds)}
    ds = pooled(ds)
    if is_shaken(ds):
        figures["fragility"] = plot_fragility(ds, allow_missing=allow_missing)
    if has_distributions(ds):
        figures["inputs"] = plot_inputs(ds)
    figures["outcomes"] = plot_outcomes(ds, allow_missing=allow_missing)
    if "peak_tilt_ratio" in ds:
        figures["exceedance"] = plot_exceedance(ds, allow_missing=allow_missing)
    if "slip_path" in ds:
        for name in SLIPS:
            figures[f"exceedance_{name}"] = plot_exceedance(ds, variable=name, allow_missing=allow_missing)
    support = by_support(ds)
    if support is not None and is_shaken(ds):
        figures["fragility_of_support"] = plot_fragility(support, allow_missing=allow_missing)
    if ds.sizes["realization"] > 1:
        figures["convergence"] = plot_convergence(ds, allow_missing=allow_missing)
    if has_laws(ds):
        figures["laws"] = plot_choices(ds, allow_missing=allow_missing)
    if len(measures_of(ds)) > 1:
        figures["measures"] = plot_measures(ds, allow_missing=allow_missing)
    axes = map_axes(ds)
    if axes is not None:
        figures["impact_map"] = plot_impact_map(ds, *axes, allow_missing=allow_missing)
        if support is not None:
            of_support = plot_impact_map(support, *axes, allow_missing=allow_missing)
            figures["impact_map_of_support"] = of_support
    if has_regimes(ds):
        figures["regimes"] = plot_regimes(ds)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for ax in figures.values():
        add_source(ax, ds.attrs)
    return [save_figure(ax, folder / f"{name}.{format}") for name, ax in figures.items()]
