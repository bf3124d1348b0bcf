"""All statistics of a study: computed once, given as text or as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, Unpack

import xarray as xr

from mcrock.config import ConfigError
from mcrock.params import Outcome
from mcrock.show.baselines_text import format_baselines
from mcrock.show.doubt import format_doubt
from mcrock.show.epistemic_text import Nested, format_nested, summarize_nested
from mcrock.show.fragility_text import format_fragility, format_laws, format_measures, format_support
from mcrock.show.json_values import dataset_as_json
from mcrock.show.numbers import format_count, format_probability, label_intensities
from mcrock.show.tables import format_table
from mcrock.show.validity import format_validity
from mcrock.statistics import (
    baselines,
    by_limit,
    capacities,
    compare_measures,
    displacement_limit,
    exceedance_probability,
    fit_fragility,
    fragility_by_choice,
    measures_of,
    model_validity,
    outcome_shares,
    overturning_probability,
    size_convergence,
    step_check,
    undecided_runs,
)
from mcrock.statistics.choices import has_laws
from mcrock.statistics.inference import Confidence, ConfidenceKeywords, takes
from mcrock.statistics.intervals import bound_without_events
from mcrock.statistics.limits import EVENT
from mcrock.statistics.nested import is_nested, pooled
from mcrock.statistics.runs import is_shaken, read_once
from mcrock.statistics.simple_rules import can_measure

FEW = 11  # recordings below which a result needs more of them
PEAK = "peak_displacement"
DISPLACEMENTS = (0.01, 0.03, 0.1, 0.3, 1.0)  # of the table of a study with friction [m]


class Summary(NamedTuple):
    """Statistics of a study, each a dataset; None where a study has none of the kind."""

    probability: xr.Dataset  # from `overturning_probability`
    fragility: xr.Dataset  # from `fit_fragility`
    doubt: xr.Dataset  # from `undecided_runs`
    steps: xr.Dataset  # from `step_check`
    sizes: xr.Dataset  # from `size_convergence`
    validity: xr.Dataset  # from `model_validity`
    laws: xr.Dataset | None  # from `fragility_by_choice`
    measures: xr.Dataset | None  # from `compare_measures`
    outcomes: xr.Dataset | None  # from `outcome_shares`, of a study with friction
    displacement: xr.Dataset | None  # from `exceedance_probability` of the peak displacement
    support: xr.Dataset | None  # from `fit_fragility` by the displacement limit
    capacity: xr.Dataset | None  # from `capacities` of the realizations that have been run
    rules: xr.Dataset | str | None  # from `baselines`, or why the motions could not be measured
    nested: Nested | None  # of a nested study without missing runs, whose runs the others pool
    is_shaken: bool  # False where the ground does not move, so that no curve means anything
    arithmetic: str | None = None  # None for the plain arithmetic of a processor


@takes(Confidence)
def summarize(ds: xr.Dataset, *, folder: str | Path = ".", **keywords: Unpack[ConfidenceKeywords]) -> Summary:
    """All statistics of a study.

    Parameters
    ----------
    ds : Dataset
        Result of a study.
    folder : str or Path
        Folder that the names of record files start from; without them there are no rules of thumb.
    **keywords
        Of `mcrock.statistics.Confidence`: `level`, `cluster` and `allow_missing`.

    Raises
    ------
    ValueError
        As the functions of `mcrock.statistics`.
    """
    how = Confidence(**keywords)
    read_once(ds)
    is_whole = is_nested(ds) and not missing_chunks(ds)
    nested = summarize_nested(ds, how.level) if is_whole else None
    ds = pooled(ds)
    limit = displacement_limit(ds)
    displacements = sorted({*DISPLACEMENTS, *([] if limit is None else [limit])})
    slides, support = PEAK in ds, None if limit is None else by_limit(ds, PEAK, limit)
    fragility = fit_fragility(ds, **keywords)
    return Summary(
        probability=overturning_probability(ds, **keywords),
        fragility=fragility,
        doubt=undecided_runs(ds, allow_missing=how.allow_missing),
        steps=step_check(ds, how.level),
        sizes=size_convergence(ds, allow_missing=how.allow_missing),
        validity=model_validity(ds, allow_missing=how.allow_missing),
        laws=fragility_by_choice(ds, **keywords) if has_laws(ds) else None,
        measures=compare_measures(ds, **keywords) if len(measures_of(ds)) > 1 else None,
        outcomes=outcome_shares(ds, **keywords) if slides else None,
        displacement=exceedance_probability(ds, displacements, PEAK, **keywords) if slides else None,
        support=None if support is None else fit_fragility(support, **keywords),
        capacity=capacities(_without_missing(ds)) if ds.sizes.get("intensity", 0) > 1 else None,
        rules=_rules(ds, fragility, folder, keywords),
        nested=nested,
        is_shaken=is_shaken(ds),
        arithmetic=ds.attrs.get("arithmetic"),
    )


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
    }
    if summary.nested is not None:
        shares, probability, fragility, bounds = summary.nested
        tables |= {"variance_shares": shares, "epistemic_probability": probability}
        tables |= {"epistemic_fragility": fragility, "epistemic_bounds": bounds}
    return {name: dataset_as_json(table) for name, table in tables.items() if isinstance(table, xr.Dataset)}


def format_summary(summary: Summary) -> str:
    """The statistics as text: probabilities with intervals, fragility curves and how the model held."""
    probability, units = summary.probability, summary.probability["intensity"].attrs.get("units", "1")
    lines = format_probabilities(probability, summary.is_shaken) + format_curves(summary)
    lines += [] if summary.nested is None else format_nested(summary.nested)
    friction = format_friction(summary)
    lines += ["", *friction, ""] if friction else []
    lines.append(format_independence(probability))
    lines += format_doubt(summary.doubt, int(probability["runs"].sum()))
    lines += format_resurrection(summary.capacity)
    if summary.laws is not None and summary.is_shaken:
        lines += ["", *format_laws(summary.laws, units), ""]
    if summary.measures is not None:
        lines += ["", *format_measures(summary.measures), ""]
    if isinstance(summary.rules, xr.Dataset):
        lines += ["", *format_baselines(summary.rules), ""]
    elif summary.rules:
        lines.append(summary.rules)
    lines += [*format_sizes(summary.sizes, summary.is_shaken), format_steps(summary.steps)]
    lines += [] if summary.arithmetic is None else [f"computed in {summary.arithmetic}"]
    return "\n".join(lines + format_validity(summary.validity))


def format_curves(summary: Summary) -> list[str]:
    """Lines on the fragility curve, by overturning and by the limit of a displacement."""
    if not summary.is_shaken:
        return []
    units = summary.probability["intensity"].attrs.get("units", "1")
    lines = [format_fragility(summary.fragility, units), *format_support(summary.fragility, units)]
    if summary.support is not None:
        event = f"Overturning or {summary.support.attrs[EVENT]}"
        lines.append(f"{event}: {format_fragility(summary.support, units)}")
        lines += format_support(summary.support, units)
    return lines


def format_resurrection(capacity: xr.Dataset | None) -> list[str]:
    """A line on realizations that a stronger motion spares, if there are any."""
    if capacity is None or not capacity["resurrected"].any():
        return []
    number, total = int(capacity["resurrected"].sum()), capacity.sizes["realization"]
    return [
        f"{number} of {format_count(total, 'realization')} overturn at one intensity and survive a "
        "stronger one: rocking is not monotone"
    ]


def missing_chunks(ds: xr.Dataset) -> list[str]:
    """Completeness of a study, as a line; none if it is all there."""
    done = ds["chunk_done"].values == 1 if "chunk_done" in ds else None
    if done is None or done.all():
        return []
    return [f"incomplete: {done.sum()} of {done.size} chunks"]


def _rules(
    ds: xr.Dataset, fragility: xr.Dataset, folder: str | Path, keywords: ConfidenceKeywords
) -> xr.Dataset | str | None:
    """Rules of thumb, where there is a transition for them to predict, or why they cannot be known."""
    fell = int(fragility["overturned"])
    if not (is_shaken(ds) and 0 < fell < int(fragility["runs"]) - int(fragility["undecided"])):
        return None
    try:
        return baselines(ds, folder=folder, **keywords) if can_measure(ds) else None
    except ConfigError as error:
        return f"no rules of thumb: {error.mistakes[0]}; give the folder of the study file (--folder)"


def _without_missing(ds: xr.Dataset) -> xr.Dataset:
    """Realizations of which any intensity has been run."""
    return ds.isel(realization=(ds["outcome"] != Outcome.NOT_RUN).any("intensity").values)


def format_probabilities(probability: xr.Dataset, by_intensity: bool) -> list[str]:
    """Table of probabilities and its title."""
    axis = probability["intensity"]
    rows = [
        [
            label,
            *(str(int(number)) for number in counts),
            format_probability(p),
            f"{format_probability(low)} to {format_probability(high)}",
        ]
        for label, *counts, p, low, high in zip(
            label_intensities(axis.values.tolist(), axis.attrs.get("units", "1")),
            probability["runs"].values,
            probability["overturned"].values,
            probability["undecided"].values,
            probability["probability"].values,
            *probability["interval"].transpose("bound", "intensity").values,
            strict=True,
        )
    ]
    interval = f"{probability.attrs['level'] * 100:.4g} % interval"
    heads = ["intensity", "runs", "overturned", "undecided", "probability", interval]
    name = f"by {axis.attrs.get('long_name', 'intensity')}"
    if not by_intensity:
        name, heads, rows = "after release", heads[1:], [row[1:] for row in rows]
    return [f"Probability of overturning {name}", format_table(heads, rows)]


def _percent_table(
    title: str, heads: list[str], shares: xr.DataArray, intervals: xr.DataArray, by_intensity: bool
) -> list[str]:
    """Table of shares (intensity, column) with intervals (bound, intensity, column), and its title."""
    axis = shares["intensity"]
    labels = label_intensities(axis.values.tolist(), axis.attrs.get("units", "1"))
    ends = 100 * intervals.transpose("bound", *shares.dims).values
    rows = [
        [label, *(f"{p:.0f} ({low:.0f} to {high:.0f})" for p, low, high in zip(*cells, strict=True))]
        for label, *cells in zip(labels, 100 * shares.values, *ends, strict=True)
    ]
    heads = ["intensity", *heads]
    if not by_intensity:
        heads, rows = heads[1:], [row[1:] for row in rows]
    return [title, format_table(heads, rows)]


def format_friction(summary: Summary) -> list[str]:
    """Tables of the outcomes that occur and of the displacements beyond which a body stood."""
    if summary.outcomes is None:
        return []
    moved = format_displacements(summary)
    return [*format_outcomes(summary.outcomes, summary.is_shaken), *([""] if moved else []), *moved]


def format_outcomes(outcomes: xr.Dataset, by_intensity: bool) -> list[str]:
    """Table of the outcomes that occur, and its title."""
    outcomes = outcomes.isel(ending=(outcomes["share"] > 0).any("intensity").values)
    return _percent_table(
        f"Fractions of the runs in % ({outcomes.attrs['level'] * 100:.4g} % interval)",
        outcomes["ending"].values.tolist(),
        outcomes["share"].transpose("intensity", "ending"),
        outcomes["interval"],
        by_intensity,
    )


def format_displacements(summary: Summary) -> list[str]:
    """Table of the displacements that bodies exceeded without overturning, and its title; none if none."""
    moved = summary.displacement
    if moved is None:
        return []
    farther = moved["exceeding"] > summary.probability["overturned"]
    moved = moved.isel(threshold=farther.any("intensity").values)
    if not moved.sizes["threshold"]:
        return []
    percent = f"in % ({moved.attrs['level'] * 100:.4g} % interval)"
    return _percent_table(
        f"Base centre displaced by more than this, or body overturned, {percent}",
        [f"{limit:g} m" for limit in moved["threshold"].values],
        moved["probability"].transpose("intensity", "threshold"),
        moved["interval"],
        summary.is_shaken,
    )


def format_sizes(sizes: xr.Dataset, by_intensity: bool) -> list[str]:
    """A line on what more realizations would change; none where there is nothing to compare."""
    change = sizes["change"].fillna(0.0).values
    if sizes.sizes["size"] < 2:
        return []
    worst, axis = int(abs(change).argmax()), sizes["intensity"]
    where = label_intensities([float(axis[worst])], axis.attrs.get("units", "1"))[0]
    place = f" (at {where})" if by_intensity and change[worst] else ""
    return [
        f"from the first half of the realizations to all of them the probability changes by at most "
        f"{abs(change[worst]):.3f}{place}"
    ]


def format_steps(steps: xr.Dataset) -> str:
    """Effect of halving the time step."""
    if not steps["repeated"]:
        return "no run was repeated at half the time step: raise controls.recheck to see what it does"
    return (
        f"{format_count(int(steps['repeated']), 'run')} repeated at half the time step: "
        f"{int(steps['flipped'])} ended differently, the overturned fraction changed by "
        f"{float(steps['change']):+.4f}"
    )


def _few_records(records: int, level: float) -> str:
    """What so few records cannot tell, however many runs; nothing if they tell most of it."""
    if records >= FEW:
        return ""
    return (
        f"; where none of so few overturns a body the probability may still be "
        f"{bound_without_events(records, level):.2f}, and more runs change nothing of that: add recordings"
    )


def format_independence(probability: xr.Dataset) -> str:
    """Unit that the intervals count as independent."""
    records = int(probability["records"])
    if probability.attrs["independent"] == "records":
        return (
            f"{format_count(records, 'independent recording')}; the intervals count recordings, not runs, "
            f"and hold for new ground motions of the kind{_few_records(records, probability.attrs['level'])}"
        )
    if not probability.attrs["shared"]:
        return "every realization is independent of the others"
    return "the intervals count realizations as independent: they hold for the given ground motions alone"
