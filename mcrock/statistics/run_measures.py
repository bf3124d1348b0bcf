"""Intensity measures of every run of a study that did not store them, from its motions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from pydantic import ValidationError

from mcrock.base.tables.distributions import Distribution
from mcrock.dataset.opened import takes_path
from mcrock.dataset.schema import declaration
from mcrock.excitation.measures import MEASURES, variable_name
from mcrock.excitation.motion import Motion
from mcrock.statistics.efficiency import PREFIX, by_measure, measures_of, own_measure
from mcrock.statistics.limits import EVENT
from mcrock.statistics.nested import pooled
from mcrock.statistics.runs import (
    GUESSED,
    check_runs,
    cut,
    is_cloud,
    run_intensity,
    study_of,
    tipping_acceleration,
)
from mcrock.study import Study
from mcrock.study.sampling import factors, load_motions, of_motions, recorded
from mcrock.study.sections import KeptMeasure, Variables

Asked = str | Mapping[str, Any]


@takes_path
def with_measures(
    ds: xr.Dataset, measures: Sequence[Asked], *, folder: str | Path = ".", under_body: bool = False
) -> xr.Dataset:
    """Turn the runs of a study into a cloud study with further intensity measures of each motion.

    A study at fixed levels of one measure is a cloud in any other. With the result, records scaled to PGA
    give a fragility curve by PGV (`by_measure`), a surface over both (`fit_surface`), and a comparison of the
    two (`compare_measures`).

    Parameters
    ----------
    ds : Dataset
        Result of a study, cloud or at fixed levels; the runs of a nested study are pooled.
    measures : sequence
        As in `intensity.variables` of a study file: "pgv", or ``{"measure": "sa", "period": 1.0}`` (period in
        s). Measures that a cloud study has are kept; others are computed from the recorded motions.
    folder : str or Path
        Folder that the names of record files start from.
    under_body : bool
        Whether to measure the motion of the floor that the body stands on, an uncertain floor at its median,
        instead of that of the ground.

    Returns
    -------
    Dataset
        Along `realization`, one for each run, with the levels of a realization side by side: `outcome`;
        `intensity_value`, the measure of the study, and variables ``im_...`` [units of the measures];
        `record`, for motions generated for each realization the number of the realization.

    Raises
    ------
    ValueError
        If the dataset does not fit, a measure is unknown, or it has to be computed and the motions were
        generated for each realization.
    ConfigError
        If the records cannot be read.
    """
    ds = pooled(ds)
    check_runs(ds)
    ds = ds.transpose("realization", ...)
    missing = missing_measures(ds, measures, under_body)
    computed = measurer(ds, missing, folder, under_body)
    flat = _flat(ds)
    values = {variable.name: np.empty(ds["outcome"].size) for variable in missing}
    levels = ds["outcome"].size // ds.sizes["realization"]
    for where in cut(ds.sizes["realization"]) if missing else ():
        for key, array in computed(ds.isel(realization=where)).items():
            values[key][where.start * levels : where.stop * levels] = array.reshape(-1)
    for key, array in values.items():
        attrs = {"units": declaration(key).units, "long_name": declaration(key).long_name}
        flat[key] = ("realization", array, attrs)
    return flat


def missing_measures(ds: xr.Dataset, measures: Sequence[Asked], under_body: bool) -> list[KeptMeasure]:
    """Those of some measures that a study does not hold, or not of the motion under the body."""
    known = set() if under_body else {f"{PREFIX}{name}" for name in [*measures_of(ds), own_measure(ds)]}
    return [variable for variable in map(_variable, measures) if variable.name not in known]


def measure_name(item: Asked) -> str:
    """Name of a measure with its parameters.

    >>> measure_name({"measure": "sa", "period": 1.0})
    'sa_1s'
    """
    return _variable(item).name.removeprefix(PREFIX)


def _variable(item: Asked) -> KeptMeasure:
    try:
        found: KeptMeasure = Variables().parse([item])[0]
    except ValidationError as error:
        raise ValueError(f"measures: {error.errors()[0]['msg']}") from None
    return found


def has_records(ds: xr.Dataset) -> bool:
    """True if the runs share recorded motions, which can be read again."""
    study = study_of(ds)
    return "record" in ds and study is not None and not study.motion.is_generated


def stands_on_floor(ds: xr.Dataset) -> bool:
    """True if a floor is between ground and body."""
    study = study_of(ds)
    return study is not None and study.motion.on_floor


def _flat(ds: xr.Dataset) -> xr.Dataset:
    """A cloud of all runs with what statistics read of them."""
    if is_cloud(ds):
        return ds
    n, levels = ds["outcome"].shape
    kept = {name: ds[name] for name in ("outcome", *GUESSED) if name in ds}
    kept["intensity_value"] = run_intensity(ds)
    kept["record"] = ds["record"] if "record" in ds else xr.DataArray(np.arange(n), dims="realization")
    flat: dict[str, Any] = {}
    for name, array in kept.items():
        values = array.values if "intensity" in array.dims else np.repeat(array.values, levels)
        values = np.tile(values, n) if array.dims == ("intensity",) else values.reshape(-1)
        flat[name] = ("realization", values, array.attrs)
    if "motion_group" in ds:
        flat["motion_group"] = (ds["motion_group"].dims, ds["motion_group"].values, ds["motion_group"].attrs)
    attrs = {key: ds.attrs[key] for key in ("config", EVENT, "title", "seed") if key in ds.attrs}
    return xr.Dataset(flat, attrs=attrs | {"intensity_measure": own_measure(ds)})


def measurer(
    ds: xr.Dataset, variables: Sequence[KeptMeasure], folder: str | Path, under_body: bool
) -> Callable[[xr.Dataset], dict[str, np.ndarray]]:
    """What computes measures by name, (n, n_intensity) or (n, 1) of a cloud, of some realizations of a study.

    Raises
    ------
    ValueError
        If the motions were generated for each realization.
    ConfigError
        If the records cannot be read.
    """
    if variables and not has_records(ds):
        names = ", ".join(variable.name.removeprefix(PREFIX) for variable in variables)
        raise ValueError(
            f"the study does not hold {names}, and its motions are not there to be measured: list them in "
            "intensity.variables of a cloud study"
        )
    if not variables:
        return lambda part: {}
    study = Study.from_json(ds.attrs["config"], Path(folder))
    motions = load_motions(study)
    measure, parameters = study.intensity.measure, study.intensity.parameters
    name = variable_name(measure, parameters)
    floor = under_body and study.motion.on_floor
    beneath = [study.motion.under_body(m, _floor_at_medians(study)) for m in motions] if floor else motions
    own_of = of_motions(measure, parameters, motions)
    known = {item.name: of_motions(item.measure, item.parameters, beneath) for item in variables}

    def computed(part: xr.Dataset) -> dict[str, np.ndarray]:
        record, sizes, gravity = _bodies(part)
        own = recorded(measure, parameters, motions, record, sizes, gravity, known=own_of)
        if is_cloud(part):
            level = by_measure(part, name)["intensity_value"].values[:, None]
        else:
            level = part["intensity"].values[None, :]
        scale = factors(measure, level, own)
        if "motion_scaling" in part:
            scale = scale * part["motion_scaling"].values[:, None]
        found = {}
        for item in variables:
            of, taken = item.measure, item.parameters
            unscaled = recorded(of, taken, beneath, record, sizes, gravity, known=known[item.name])
            found[item.name] = unscaled[:, None] * scale ** MEASURES[of].power
        return found

    return computed


def motions_at(ds: xr.Dataset, level: float, folder: str | Path = ".") -> tuple[str, list[Motion]]:
    """Recordings of a study scaled to an intensity, under the body, and the name of the measure of the study.

    An uncertain floor is at its medians, and so is the body where the measure depends on it.
    """
    study = Study.from_json(ds.attrs["config"], folder)
    name, scaled = scaled_to(ds, study, level)
    floor = _floor_at_medians(study) if study.motion.on_floor else {}
    return name, [study.motion.under_body(motion, floor) for motion in scaled]


def scaled_to(ds: xr.Dataset, study: Study, level: float) -> tuple[str, list[Motion]]:
    """Recordings of a study scaled to an intensity, as of the ground, and the name of its measure."""
    motions = load_motions(study)
    sizes = {
        key: np.full(len(motions), float(ds[f"body_{key}"].median())) for key in ("slenderness", "frequency")
    }
    gravity = np.full(len(motions), float(ds["gravity"][0]))
    measure, parameters = study.intensity.measure, study.intensity.parameters
    own = recorded(measure, parameters, motions, np.arange(len(motions), dtype=np.int32), sizes, gravity)
    scale = factors(measure, np.array([level]), own)[:, 0]
    scaled = [motion.scaled(factor) for motion, factor in zip(motions, scale, strict=True)]
    return variable_name(measure, parameters), scaled


def static_thresholds(ds: xr.Dataset, *, folder: str | Path = ".") -> np.ndarray | None:
    """Intensity of each realization below which its body cannot rock, whatever the azimuth.

    With ``A`` the largest horizontal acceleration of the motion as recorded and ``A_down`` its largest
    downward one, a motion scaled by less than ``g tan(alpha) / (A + A_down tan(alpha))`` lifts no body of the
    slenderness alpha that stands at rest on level ground; on a slope `tipping_acceleration` is less.

    Returns
    -------
    ndarray (n_realization,) or None
        In the unit of the intensity; None where the motions are not there, the body is released from a tilt,
        the floor is uncertain, or the intensity is another measure than that of the study.
    """
    if not has_records(ds):
        return None
    study = Study.from_json(ds.attrs["config"], folder)
    floor = [item for key, item in study.motion.quantities.items() if key.startswith("floor.")]
    measure, parameters = study.intensity.measure, study.intensity.parameters
    other = own_measure(ds) != variable_name(measure, parameters)
    if other or study.start is not None or any(isinstance(item, Distribution | tuple) for item in floor):
        return None
    motions = load_motions(study)
    beneath = motions
    if study.motion.on_floor:
        beneath = [study.motion.under_body(motion, _floor_at_medians(study)) for motion in motions]
    level = np.array([np.hypot(*motion.acceleration[:2]).max() for motion in beneath])
    down = np.array([max(-motion.acceleration[2].min(), 0.0) for motion in beneath])
    power = 1 if measure == "factor" else MEASURES[measure].power
    own_of, found = of_motions(measure, parameters, motions), np.empty(ds.sizes["realization"])
    for where in cut(len(found)):
        part = ds.isel(realization=where)
        record, sizes, gravity = _bodies(part)
        own = recorded(measure, parameters, motions, record, sizes, gravity, known=own_of)
        tipping, tangent = tipping_acceleration(part)
        scale = tipping / (level[record] + down[record] * tangent)
        if "motion_scaling" in ds:
            scale = scale / part["motion_scaling"].values
        found[where] = own * scale**power
    return found


def _bodies(ds: xr.Dataset) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]:
    """Record of each realization, sizes of its body and the gravity [m/s2] on it."""
    sizes = {key: ds[f"body_{key}"].values for key in ("slenderness", "frequency")}
    return ds["record"].values, sizes, ds["gravity"].values


def _floor_at_medians(study: Study) -> dict[str, float]:
    """Numbers of the floor of a study, by key."""
    floor = {key: item for key, item in study.motion.quantities.items() if key.startswith("floor.")}
    return {
        key: float(item.quantile(0.5) if isinstance(item, Distribution) else np.median(item))
        for key, item in floor.items()
    }
