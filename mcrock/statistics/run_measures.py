"""Intensity measures of every run of a study that did not store them, from its motions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from pydantic import ValidationError

from mcrock.base.tables.distributions import Distribution
from mcrock.dataset.opened import takes_path
from mcrock.dataset.schema import declaration
from mcrock.excitation.measures import MEASURES, variable_name
from mcrock.statistics.efficiency import PREFIX, by_measure, measures_of, own_measure
from mcrock.statistics.limits import EVENT
from mcrock.statistics.nested import pooled
from mcrock.statistics.runs import GUESSED, check_runs, cut, is_cloud, run_intensity, study_of
from mcrock.study import Study
from mcrock.study.intensity import KeptMeasure, Variables
from mcrock.study.sampling.intensities import factors, recorded
from mcrock.study.sampling.motions import load_motions

Asked = str | Mapping[str, Any]
AT_ONCE = 8  # slices of realizations that are measured together: each time all motions are, too


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
    asked = [_variable(item) for item in measures]
    known = set() if under_body else {f"{PREFIX}{name}" for name in [*measures_of(ds), own_measure(ds)]}
    missing = [variable for variable in asked if variable.name not in known]
    values = _computed(ds, missing, Path(folder), under_body) if missing else {}
    flat = _flat(ds)
    for variable in missing:
        array = np.broadcast_to(values[variable.name], ds["outcome"].shape).reshape(-1)
        attrs = {"units": declaration(variable.name).units, "long_name": declaration(variable.name).long_name}
        flat[variable.name] = ("realization", array, attrs)
    return flat


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


def _computed(
    ds: xr.Dataset, variables: Sequence[KeptMeasure], folder: Path, under_body: bool
) -> dict[str, np.ndarray]:
    """Values of measures by name, (n_realization,) of a cloud, (n_realization, n_intensity) of others."""
    names = ", ".join(variable.name.removeprefix(PREFIX) for variable in variables)
    if not has_records(ds):
        raise ValueError(
            f"the study does not hold {names}, and its motions are not there to be measured: list them in "
            "intensity.variables of a cloud study"
        )
    study = Study.from_json(ds.attrs["config"], folder)
    motions = load_motions(study)
    measure, parameters = study.intensity.measure, study.intensity.parameters
    name = variable_name(measure, parameters)
    floor = under_body and study.motion.on_floor
    beneath = [study.motion.under_body(m, _floor_at_medians(study)) for m in motions] if floor else motions
    cloud = is_cloud(ds)
    found = {variable.name: np.empty(ds["outcome"].shape) for variable in variables}
    for where in cut(ds.sizes["realization"], AT_ONCE):
        part = ds.isel(realization=where)
        record, sizes, gravity = _bodies(part)
        own = recorded(measure, parameters, motions, record, sizes, gravity)
        level = by_measure(part, name)["intensity_value"] if cloud else part["intensity"]
        scale = factors(measure, level.values[:, None] if cloud else level.values[None, :], own)
        if "motion_scaling" in ds:
            scale = scale * part["motion_scaling"].values[:, None]
        for variable in variables:
            unscaled = recorded(variable.measure, variable.parameters, beneath, record, sizes, gravity)
            values = unscaled[:, None] * scale ** MEASURES[variable.measure].power
            found[variable.name][where] = values[:, 0] if cloud else values
    return found


def static_thresholds(ds: xr.Dataset, *, folder: str | Path = ".") -> np.ndarray | None:
    """Intensity of each realization below which its body cannot rock, whatever the azimuth.

    With ``A`` the largest horizontal acceleration of the motion as recorded and ``A_down`` its largest
    downward one, a motion scaled by less than ``g tan(alpha) / (A + A_down tan(alpha))`` lifts no body of the
    slenderness alpha that stands at rest.

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
    found = np.empty(ds.sizes["realization"])
    for where in cut(len(found), AT_ONCE):
        part = ds.isel(realization=where)
        record, sizes, gravity = _bodies(part)
        own = recorded(measure, parameters, motions, record, sizes, gravity)
        tangent = np.tan(sizes["slenderness"])
        scale = gravity * tangent / (level[record] + down[record] * tangent)
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
