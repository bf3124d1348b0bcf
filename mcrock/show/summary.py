"""All statistics of a study, computed once and given as text or as JSON, and all figures that it can fill."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, Unpack

import xarray as xr

from mcrock import statistics
from mcrock.base.checks import shared_keywords
from mcrock.base.params import Outcome
from mcrock.dataset.opened import accepts_path
from mcrock.excitation.motion import MotionError
from mcrock.show import outcomes, sensitivity
from mcrock.show.curves import format_laws, format_measures, plot_choices, plot_measures
from mcrock.show.fragility import format_fragility, format_support, plot_fragility
from mcrock.show.maps import has_regimes, map_axes, plot_impact_map, plot_regimes
from mcrock.show.risk import format_baselines, standards_blocks
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
from mcrock.statistics.standards import NO_MOTIONS, design_intensity, why_no_baselines
from mcrock.study import ConfigError

FEW = 11  # recordings below which a result needs more of them
PEAK = "peak_displacement"
DISPLACEMENTS = (0.01, 0.03, 0.1, 0.3, 1.0)  # of the table of a study with friction [m]


class Summary(NamedTuple):
    """Statistics of a study, datasets by their names in JSON; None where a study has none of the kind."""

    overturning_probability: xr.Dataset
    fragility: xr.Dataset  # from `fit_fragility`
    undecided_runs: xr.Dataset
    step_check: xr.Dataset | None  # of runs of mcrock
    size_convergence: xr.Dataset
    model_validity: xr.Dataset | None  # of runs of mcrock
    fragility_by_law: xr.Dataset | None  # from `fragility_by_choice`
    intensity_measures: xr.Dataset | None  # from `compare_measures`
    outcome_shares: xr.Dataset | None  # of a study with friction
    displacement_exceedance: xr.Dataset | None  # from `exceedance_probability` of the peak displacement
    support_fragility: xr.Dataset | None  # from `fit_fragility` by the displacement limit
    baselines: xr.Dataset | str | None  # or why the motions could not be measured
    standards: xr.Dataset | None  # with a design motion
    own_responses: xr.Dataset | None
    nested: sensitivity.Nested | None  # of a nested study without missing runs, whose runs the others pool
    resurrected: tuple[int, int] | None  # from `count_resurrected`, where there are several levels
    is_shaken: bool  # False where the ground does not move, so that no curve means anything
    own_law: str | None  # name and hash of the law of a user
    arithmetic: str | None  # None for the plain arithmetic of a processor


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
    nested = sensitivity.summarize_nested(ds, how.level) if is_whole else None
    ds = pooled(ds)
    limit = statistics.displacement_limit(ds)
    displacement = validity = None
    if knows_strain(ds):
        validity = statistics.model_validity(ds, allow_missing=how.allow_missing)
    if PEAK in ds:
        limits = sorted({*DISPLACEMENTS, *([] if limit is None else [limit])})
        displacement = statistics.exceedance_probability(ds, limits, PEAK, **keywords)
    off = statistics.by_support(ds)
    fragility = statistics.fit_fragility(ds, **keywords)
    return Summary(
        overturning_probability=statistics.overturning_probability(ds, **keywords),
        fragility=fragility,
        undecided_runs=statistics.undecided_runs(ds, allow_missing=how.allow_missing),
        step_check=statistics.step_check(ds, how.level) if "half_step_outcome" in ds else None,
        size_convergence=statistics.size_convergence(ds, allow_missing=how.allow_missing),
        model_validity=validity,
        fragility_by_law=statistics.fragility_by_choice(ds, **keywords) if has_laws(ds) else None,
        intensity_measures=statistics.compare_measures(ds, **keywords) if len(measures_of(ds)) > 1 else None,
        outcome_shares=statistics.outcome_shares(ds, **keywords) if PEAK in ds else None,
        displacement_exceedance=displacement,
        support_fragility=None if off is None else statistics.fit_fragility(off, **keywords),
        resurrected=count_resurrected(ds) if ds.sizes.get("intensity", 0) > 1 else None,
        baselines=_rules(ds, fragility, folder, keywords),
        nested=nested,
        standards=None if at is None else statistics.standards(ds, at, folder=folder, **keywords),
        is_shaken=is_shaken(ds),
        own_law=ds.attrs.get("own_law"),
        arithmetic=ds.attrs.get("arithmetic"),
        own_responses=statistics.own_responses(ds, **keywords),
    )


def _rules(
    ds: xr.Dataset, fragility: xr.Dataset, folder: str | Path, keywords: ConfidenceKeywords
) -> xr.Dataset | str | None:
    """Rules of thumb, where there is a transition for them to predict, or why they cannot be known."""
    fell = int(fragility["overturned"])
    if not (is_shaken(ds) and 0 < fell < int(fragility["runs"]) - int(fragility["undecided"])):
        return None
    try:
        if why := why_no_baselines(ds):
            return None if config_of(ds) and why == NO_MOTIONS else why
        return statistics.baselines(ds, folder=folder, **keywords)
    except ConfigError as error:
        return f"no rules of thumb: {error.mistakes[0]}; give the folder of the study file (--folder)"
    except MotionError as error:
        return f"no rules of thumb: {error}"


def summary_as_json(summary: Summary) -> dict[str, Any]:
    """The statistics as plain tables by name."""
    tables = summary._asdict() | (summary.nested._asdict() if summary.nested else {})
    return {name: dataset_as_json(table) for name, table in tables.items() if isinstance(table, xr.Dataset)}


def format_answer(summary: Summary) -> str:
    """What decides, as text: what intervals count and what is undecided, then probabilities and curves."""
    parts = [_format_notes(summary), _format_curves(summary)]
    if summary.fragility_by_law is not None and summary.is_shaken:
        parts.append(format_laws(summary.fragility_by_law))
    parts[-1] += _format_arithmetic(summary)
    return "\n\n".join(map("\n".join, parts))


def format_summary(summary: Summary) -> str:
    """The statistics as text: probabilities with intervals, fragility curves and how the model held."""
    shaken = summary.is_shaken
    parts = [_format_curves(summary)]
    if summary.outcome_shares is not None:
        parts.append(outcomes.format_outcomes(summary.outcome_shares, shaken))
        parts.append(format_displacements(summary))
    parts.append(_format_notes(summary) + format_resurrection(summary.resurrected))
    if summary.fragility_by_law is not None and shaken:
        parts.append(format_laws(summary.fragility_by_law))
    if summary.own_responses is not None:
        parts.append(outcomes.format_own_responses(summary.own_responses))
    if summary.intensity_measures is not None:
        parts.append(format_measures(summary.intensity_measures))
    if (rules := summary.baselines) is not None:
        parts.append([rules] if isinstance(rules, str) else format_baselines(rules))
    if summary.standards is not None:
        parts.append(standards_blocks(summary.standards))
    checks = format_convergence(summary) + _format_arithmetic(summary)
    parts.append(checks + outcomes.format_validity(summary.model_validity))
    return "\n\n".join("\n".join(part) for part in parts if part)


def _format_notes(summary: Summary) -> list[str]:
    probability = summary.overturning_probability
    doubt = outcomes.format_doubt(summary.undecided_runs, int(probability["runs"].sum()))
    return [format_independence(probability), *doubt]


def format_displacements(summary: Summary) -> list[str]:
    """Table of the displacements that bodies exceeded, and its title; none if none."""
    overturned = summary.overturning_probability["overturned"]
    return outcomes.format_displacements(summary.displacement_exceedance, overturned, summary.is_shaken)


def format_convergence(summary: Summary) -> list[str]:
    """What more realizations and shorter steps would change."""
    sizes = outcomes.format_sizes(summary.size_convergence, summary.is_shaken)
    # outcomes of other engines have no realizations that could be more
    return [*(sizes if summary.step_check is not None else []), outcomes.format_steps(summary.step_check)]


def _format_arithmetic(summary: Summary) -> list[str]:
    lines = [] if summary.own_law is None else [f"impacts by the user's law {summary.own_law}"]
    return lines if summary.arithmetic is None else [*lines, f"computed in {summary.arithmetic}"]


def _format_curves(summary: Summary) -> list[str]:
    """Probabilities with intervals, and fragility curves."""
    shaken = summary.is_shaken
    lines = format_probabilities(summary.overturning_probability, shaken)
    if shaken:
        lines += [format_fragility(summary.fragility), *format_support(summary.fragility)]
    if shaken and (support := summary.support_fragility) is not None:
        lines.append(f"Overturning or {support.attrs[EVENT]}: {format_fragility(support)}")
        lines += format_support(support)
    lines += [] if summary.nested is None else sensitivity.format_nested(summary.nested)
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
        figures = {
            "probability_box": sensitivity.plot_probability_box(ds),
            "variance_shares": sensitivity.plot_variance_shares(ds),
        }
    ds = pooled(ds)
    if is_shaken(ds):
        figures["fragility"] = plot_fragility(ds, allow_missing=allow_missing)
    if sensitivity.has_distributions(ds):
        figures["inputs"] = sensitivity.plot_inputs(ds)
    figures["outcomes"] = outcomes.plot_outcomes(ds, allow_missing=allow_missing)
    if "peak_tilt_ratio" in ds:
        figures["exceedance"] = outcomes.plot_exceedance(ds, allow_missing=allow_missing)
    if "slip_path" in ds:
        for name in SLIPS:
            figures[f"exceedance_{name}"] = outcomes.plot_exceedance(
                ds, variable=name, allow_missing=allow_missing
            )
    support = by_support(ds)
    if support is not None and is_shaken(ds):
        figures["fragility_of_support"] = plot_fragility(support, allow_missing=allow_missing)
    if ds.sizes["realization"] > 1:
        figures["convergence"] = outcomes.plot_convergence(ds, allow_missing=allow_missing)
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
