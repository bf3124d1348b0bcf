"""The result of a study as the command line gives it: in words, or as JSON.

Heavy imports happen inside the functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import xarray as xr


def result_as_json(ds: xr.Dataset, level: float, allow_missing: bool) -> dict[str, Any]:
    """All statistics of a study as plain tables by name."""
    from mcrock.statistics import (
        compare_measures,
        fit_fragility,
        fragility_by_choice,
        measures_of,
        model_validity,
        overturning_probability,
        step_check,
    )
    from mcrock.statistics.choices import has_laws
    from mcrock.text.terminal import dataset_to_json

    probability = overturning_probability(ds, level=level, allow_missing=allow_missing)
    fragility = fit_fragility(ds, level=level, allow_missing=allow_missing)
    result = {
        "overturning_probability": probability,
        "fragility": fragility,
        "step_check": step_check(ds, level),
        "model_validity": model_validity(ds, allow_missing=allow_missing),
    }
    if has_laws(ds):
        result["fragility_by_law"] = fragility_by_choice(ds, level=level, allow_missing=allow_missing)
    if len(measures_of(ds)) > 1:
        result["intensity_measures"] = compare_measures(ds, level=level, allow_missing=allow_missing)
    return {name: dataset_to_json(part) for name, part in result.items()}


def summary(ds: xr.Dataset, level: float = 0.95, allow_missing: bool = False) -> str:
    """What `mcrock stats` prints of a study."""
    from mcrock.statistics import (
        capacities,
        compare_measures,
        fit_fragility,
        fragility_by_choice,
        measures_of,
        model_validity,
        overturning_probability,
        step_check,
    )
    from mcrock.statistics.choices import has_laws
    from mcrock.statistics.runs import is_shaken
    from mcrock.text.terminal import summarize

    laws = has_laws(ds) and is_shaken(ds)
    return summarize(
        overturning_probability(ds, level=level, allow_missing=allow_missing),
        fit_fragility(ds, level=level, allow_missing=allow_missing) if is_shaken(ds) else None,
        step_check(ds, level),
        model_validity(ds, allow_missing=allow_missing),
        fragility_by_choice(ds, level=level, allow_missing=allow_missing) if laws else None,
        capacities(ds.isel(realization=(ds["outcome"] != 0).any("intensity").values))
        if ds.sizes.get("intensity", 0) > 1
        else None,
        compare_measures(ds, level=level, allow_missing=allow_missing) if len(measures_of(ds)) > 1 else None,
    )


def missing_chunks(ds: xr.Dataset) -> list[str]:
    """How much of a study is there, as a line; none if it is all there."""
    done = ds["chunk_done"].values == 1 if "chunk_done" in ds else None
    if done is None or done.all():
        return []
    return [f"incomplete: {done.sum()} of {done.size} chunks"]
