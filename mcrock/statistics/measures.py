"""Intensity measures of runs, and how much each of them explains.

`measures_of` and `by_measure` read those that a cloud study holds, `with_measures` computes others from its
motions; `compare_measures` fits a curve over each and scores it on recordings left out. `weigh_runs` counts
runs of any number over several measures: at fixed levels all runs of a motion at a level have the same ones.
`hazard_consistency` asks whether scaled recordings have the hazard of the site in other measures too.

Good, I. J. (1952). Rational decisions. Journal of the Royal Statistical Society B 14(1), 107-114. (The
logarithmic score.)

Lin, T., Haselton, C. B., Baker, J. W. (2013). Conditional spectrum-based ground motion selection. Part I:
hazard consistency for risk-based assessments. Earthquake Engineering and Structural Dynamics 42(12),
1847-1865.

McFadden, D. (1974). Conditional logit analysis of qualitative choice behavior. In: Zarembka, P. (ed.),
Frontiers in Econometrics, 105-142. (The share of the deviance that a curve explains.)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np
import xarray as xr
from pydantic import ValidationError

from mcrock.base.checks import shared_keywords
from mcrock.base.tables.distributions import Distribution
from mcrock.dataset.opened import accepts_path
from mcrock.dataset.schema import declaration
from mcrock.excitation.measures import MEASURES, intensity, variable_name
from mcrock.excitation.motion import Motion
from mcrock.statistics.accepted_curve import choice_of_all
from mcrock.statistics.fragility import BELOW, fit_fragility, side_by_side
from mcrock.statistics.goodness import (
    add_log_losses,
    by_isotonic,
    by_probit,
    held_out,
    record_units,
    rising_or_falling,
)
from mcrock.statistics.hazard import MEAN, HazardError, load_hazard, measures_in
from mcrock.statistics.intervals import Bootstrap, BootstrapKeywords, expanded_tail, table
from mcrock.statistics.likelihood import evaluate_curves, fit_curves, log_likelihood
from mcrock.statistics.probability import EVENT, pooled
from mcrock.statistics.resampling import Units, collect_units, draw_units
from mcrock.statistics.runs import (
    ESTIMATE,
    GUESSED,
    Classes,
    LogCells,
    check_runs,
    config_of,
    count_runs,
    cut,
    is_cloud,
    numbered,
    overturn_levels,
    read_slices,
    record_index,
    record_lots,
    run_intensity,
    slices,
    study_of,
    tipping_acceleration,
)
from mcrock.study import Study
from mcrock.study.sampling import OF_MOTION, factors, load_motions, of_motions, recorded
from mcrock.study.sections import KeptMeasure, Variables

PREFIX = "im_"
SMALLEST = 1e-300  # probability that is told from 0: its logarithm is finite


@accepts_path
def measures_of(ds: xr.Dataset) -> list[str]:
    """Names of the intensity measures of a cloud study, its own first.

    Parameters
    ----------
    ds : Dataset
        With `intensity_value` and, where it has further measures, variables ``im_...`` on (realization).

    Returns
    -------
    list of str
        Such as ``["pgv", "pga", "sa_0p4s"]``; empty for a study at fixed levels.
    """
    if "outcome" not in ds or not is_cloud(ds):
        return []
    others = [str(name) for name in ds.data_vars if str(name).startswith(PREFIX)]
    return [own_measure(ds), *(name.removeprefix(PREFIX) for name in others)]


@accepts_path
def by_measure(ds: xr.Dataset, measure: str) -> xr.Dataset:
    """A cloud study with another of its measures as the intensity.

    Every statistic and figure of the dataset returned is then by that measure.

    Parameters
    ----------
    ds : Dataset
        Cloud study.
    measure : str
        Of `measures_of(ds)`: the name of a variable ``im_...``, with or without its beginning.

    Returns
    -------
    Dataset
        The same runs: the measure is `intensity_value`, and the one that was is a variable ``im_...``.

    Raises
    ------
    ValueError
        If the study has no such measure.
    """
    names = measures_of(ds)
    wanted = measure.removeprefix(PREFIX)
    if wanted not in names:
        have = f"it has {', '.join(names)}" if names else "one with fixed levels has its own measure alone"
        raise ValueError(
            f"the study has no intensity measure {measure!r}: {have}; list others in intensity.variables "
            "of a cloud study"
        )
    if wanted == names[0]:
        return ds
    swapped = ds.drop_vars(["intensity_value", PREFIX + wanted])
    swapped = swapped.assign(
        {"intensity_value": ds[PREFIX + wanted], PREFIX + names[0]: ds["intensity_value"]}
    )
    return swapped.assign_attrs(intensity_measure=wanted)


@accepts_path
@shared_keywords(Bootstrap)
def compare_measures(ds: xr.Dataset, **keywords: Unpack[BootstrapKeywords]) -> xr.Dataset:
    """Fragility curve by each intensity measure of a cloud study, and the deviance it explains.

    A measure is efficient if knowing it leaves little doubt about the outcome. `explained` is the share
    of the deviance that the lognormal curve by that measure explains (McFadden 1974): 0 if it tells no more
    than the share of all runs that overturned, 1 if it tells all; a curve that falls counts as well as one
    that rises. Unlike the dispersion it does not depend on how a measure grows when a motion is scaled, so
    that an Arias intensity can be compared with a velocity, and a duration with both. It does depend on how
    wide the motions of the study were spread.

    In 200 simulated clouds of 60 runs for each of 22 records, where two thirds of the variance of the
    capacity lay between records, intervals of level 0.95 covered the true share in 0.93 of them for the
    measure of the capacities and in 0.95 for a noisy one; with 10 records in 0.83 and 0.90.

    Parameters
    ----------
    ds : Dataset
        Cloud study.
    **keywords
        As for `fit_fragility`.

    Returns
    -------
    Dataset
        Along ``measure``, by name: `median_capacity`, `median_capacity_interval` (bound) and `dispersion`,
        `dispersion_interval`, and `accepted_family`, `why` and `accepted_reached` with its interval, of the
        curve that the runs accept over the measure, as from `fit_fragility`, without units, which `units`
        (measure) has as text;
        `explained` and `explained_interval` (bound) [1], percentiles of the resamples; `first`, the
        share of the resamples in which the measure explains most [1]. They are of lognormal curves also
        where these are rejected: empirical fractions follow every run, and explain by any measure. By the
        family that the runs accept over all measures, else by isotonic (or falling) fractions (attributes
        `accepted_family` and `why`), `log_loss` and `log_loss_interval`
        (bound) [1], mean of minus the logarithm of the probability that the curve of the other records gave
        to what came in each record (Good 1952), with Student's interval over the records;
        `log_loss_difference` and `log_loss_difference_interval` (bound) [1] from the measure with the least,
        by paired differences of the records: choose by it, and take measures whose interval holds 0 as
        equally good. The resamples are the same for all measures. NaN where all or no run overturned, or
        there are too few recordings (fewer than six for 0.95) to draw from.

    Raises
    ------
    ValueError
        As `fit_fragility`; also if the study has fixed levels.
    """
    how = Bootstrap(**keywords)
    check_runs(ds)
    names = measures_of(ds)
    if not names:
        raise ValueError("intensity measures are compared in a cloud study, and this one has fixed levels")
    record = record_index(ds)[0] if how.cluster else None
    if record is None:
        record = record_lots(ds.drop_vars("record", errors="ignore"))
    fits, units, points, drawn, scored = {}, [], [], [], []
    for name in names:
        part = by_measure(ds, name)
        fits[name] = fit_fragility(part, **keywords)
        units.append(str(part["intensity_value"].attrs.get("units", "1")))
        groups = collect_units(part, record, how.allow_missing)
        counts = groups.runs, groups.overturned[ESTIMATE]
        scored.append(record_units(part, how.allow_missing))
        points.append(_explained(groups.intensity, *(groups.total(count)[None] for count in counts))[0])
        parts = draw_units(groups, how)
        drawn.append(
            np.concatenate([_explained(groups.intensity, *(n @ count for count in counts)) for n in parts])
        )
    number = groups.number
    common = choice_of_all(fits)
    result = side_by_side("measure", names, (fit.drop_dims("intensity_grid") for fit in fits.values()))
    result = result.drop_attrs().assign_attrs(result.attrs | common.attrs)  # their units are those of `units`
    rule = by_probit if common.family == "lognormal" else rising_or_falling(by_isotonic)
    scores = [held_out(one, rule) for one in scored]
    ends, first = np.full((2, len(names)), np.nan), np.full(len(names), np.nan)
    table = np.stack(drawn)
    if np.isfinite(table).all() and how.reaches_level(number):
        tail = expanded_tail(how.level, number)
        ends = np.quantile(table, [tail, 1 - tail], axis=1)
        first = np.bincount(table.argmax(axis=0), minlength=len(names)) / how.resamples
    words = {"units": "1", "long_name": "fraction of the deviance that the curve explains"}
    result["explained"] = ("measure", np.array(points), words)
    result["explained_interval"] = (("bound", "measure"), ends, {"units": "1"})
    words = {"units": "1", "long_name": "fraction of the resamples in which it explains most"}
    result["first"] = ("measure", first, words)
    losses = np.stack([score.log_loss for score in scores])
    if result["explained"].isnull().any():
        losses[:] = np.nan
    add_log_losses(result, "measure", losses, scores[0].runs, how.level, int(losses.sum(axis=1).argmin()))
    result["accepted_reached"].attrs = BELOW
    result["units"] = ("measure", units)
    result["records"] = fits[names[0]]["records"]
    return result


def own_measure(ds: xr.Dataset) -> str:
    """Name of the measure of the intensity, as a variable of it would be called."""
    if "intensity_measure" in ds.attrs:
        return str(ds.attrs["intensity_measure"])
    asked = config_of(ds).get("intensity", {})
    return variable_name(asked["measure"], asked) if "measure" in asked else "intensity"


def _explained(intensity: np.ndarray, runs: np.ndarray, yes: np.ndarray) -> np.ndarray:
    """Fraction of the deviance (n,) that the curves of n sets of counts (n, n_intensity) explain.

    A curve may fall: the higher the frequency of a pulse, the safer the body. NaN
    where nothing is to be explained.
    """
    there = runs.any(axis=0)
    intensity, runs, yes = intensity[there], runs[:, there], yes[:, there]
    share = yes.sum(axis=1, keepdims=True) / runs.sum(axis=1, keepdims=True)
    whole = -2 * log_likelihood(yes, runs, np.broadcast_to(share, runs.shape))
    rising = _deviance_left(intensity, yes, runs)
    falling = _deviance_left(1 / intensity[::-1], yes[:, ::-1], runs[:, ::-1])
    with np.errstate(divide="ignore", invalid="ignore"):
        explained = 1 - np.minimum(rising, falling) / whole
    return np.where((share[:, 0] > 0) & (share[:, 0] < 1), explained, np.nan)


def _deviance_left(intensity: np.ndarray, yes: np.ndarray, runs: np.ndarray) -> np.ndarray:
    """Deviance (n,) from the rising curves of n sets of counts."""
    lower, upper = evaluate_curves(fit_curves(intensity, yes, runs), intensity)
    return -2 * log_likelihood(
        yes, runs, np.where(lower == upper, lower, yes / np.maximum(runs, 1)), SMALLEST
    )


Asked = str | Mapping[str, Any]


@accepts_path
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
    differing = [item.measure for item in variables if MEASURES[item.measure].of_floor]
    if differing and not under_body and _floor_is_uncertain(study):
        raise ValueError(
            f"{differing[0]} is another one in each realization of an uncertain floor: list it in "
            "intensity.variables of a cloud study, or make it intensity.measure"
        )
    motions = load_motions(study)
    measure, parameters = study.intensity.measure, study.intensity.parameters
    name = variable_name(measure, parameters)
    own_of = of_motions(measure, parameters, _measured(study, motions, measure))
    known = {
        item.name: of_motions(
            item.measure, item.parameters, _measured(study, motions, item.measure, under_body)
        )
        for item in variables
    }

    def computed(part: xr.Dataset) -> dict[str, np.ndarray]:
        record, sizes, gravity = _bodies(part)
        own = recorded(measure, parameters, motions, record, sizes, gravity, known=own_of)
        if "own_intensity" in part:  # of floors that differ
            own = part["own_intensity"].values
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
            unscaled = recorded(of, taken, motions, record, sizes, gravity, known=known[item.name])
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
    measured = _measured(study, motions, measure)
    own = recorded(measure, parameters, measured, np.arange(len(motions), dtype=np.int32), sizes, gravity)
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
    measure, parameters = study.intensity.measure, study.intensity.parameters
    other = own_measure(ds) != variable_name(measure, parameters)
    if other or study.start is not None or _floor_is_uncertain(study):
        return None
    motions = load_motions(study)
    beneath = _measured(study, motions, measure, under_body=True)
    level = np.array([np.hypot(*motion.acceleration[:2]).max() for motion in beneath])
    down = np.array([max(-motion.acceleration[2].min(), 0.0) for motion in beneath])
    power = 1 if measure == "factor" else MEASURES[measure].power
    own_of = of_motions(measure, parameters, _measured(study, motions, measure))
    found = np.empty(ds.sizes["realization"])
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


def _measured(study: Study, motions: list[Motion], measure: str, under_body: bool = False) -> list[Motion]:
    """Motions that a measure is of, on the ground or on the floor, an uncertain one at its medians."""
    if not (study.motion.on_floor and (under_body or (measure in MEASURES and MEASURES[measure].of_floor))):
        return motions
    return [study.motion.under_body(motion, _floor_at_medians(study)) for motion in motions]


def _floor_is_uncertain(study: Study) -> bool:
    """Whether realizations have floors of their own."""
    floor = (item for key, item in study.motion.quantities.items() if key.startswith("floor."))
    return any(isinstance(item, Distribution | tuple) for item in floor)


def _floor_at_medians(study: Study) -> dict[str, float]:
    """Numbers of the floor of a study, by key."""
    floor = {key: item for key, item in study.motion.quantities.items() if key.startswith("floor.")}
    return {
        key: float(item.quantile(0.5) if isinstance(item, Distribution) else np.median(item))
        for key, item in floor.items()
    }


INPUTS = (
    "intensity_value",
    "own_intensity",
    "record",
    "gravity",
    "motion_scaling",
    "body_slenderness",
    "body_frequency",
)
Measures = Mapping[str, np.ndarray]  # by name, of each run or group of runs


class Slice(NamedTuple):
    """Runs, or groups of runs of equal measures, that are read together."""

    measures: Measures  # (n,)
    runs: np.ndarray  # (n,) runs of each group
    overturned: np.ndarray  # (3, n) of them, by the readings of `Passed`
    record: np.ndarray  # (n,) recording, or lot of recordings


class WeighedRuns(NamedTuple):
    """Runs with their measures."""

    read: Callable[[], Iterator[Slice]]  # all of them, whenever it is called
    units_of: Mapping[str, str]  # units of the measures, by name
    records: int  # recordings, or lots

    def units(self, asked: Mapping[str, Callable[[Measures], np.ndarray]]) -> dict[str, Units]:
        """Counts of each recording over each measure, and over other intensities made of them, by name."""
        wanted = {name: lambda measures, name=name: measures[name] for name in self.units_of} | dict(asked)

        def intensities(part: Slice) -> Iterator[tuple[str, np.ndarray]]:
            return ((name, np.where(part.runs > 0, x(part.measures), 0.0)) for name, x in wanted.items())

        cells = {name: LogCells() for name in wanted}
        for part in self.read():
            for name, x in intensities(part):
                cells[name].see(x)
        tables = {name: np.zeros((4, self.records, found.size)) for name, found in cells.items()}
        for part in self.read():
            for name, x in intensities(part):
                place, table = cells[name].count(x), tables[name]
                cell = (part.record.astype(np.int64) * table.shape[2] + place)[place >= 0]
                for of, counts in zip(table, (part.runs, *part.overturned), strict=True):
                    of += np.bincount(cell, counts[place >= 0], minlength=of.size).reshape(of.shape)
        return {name: _units(cells[name], table) for name, table in tables.items()}


def _units(cells: LogCells, table: np.ndarray) -> Units:
    runs, *overturned = table[:, table[0].any(axis=1)][:, :, cells.filled]
    return Units(cells.centres, runs, np.stack(overturned), np.ones(len(runs), np.int64))


def weigh_runs(
    ds: xr.Dataset,
    measures: Sequence[Asked],
    allow_missing: bool,
    folder: str | Path = ".",
    *,
    under_body: bool = False,
) -> WeighedRuns:
    """Runs of a study, not nested, with measures as `with_measures` gives them; errors as there."""
    ds, names = ds.transpose("realization", ...), list(map(measure_name, measures))
    absent = missing_measures(ds, measures, under_body)
    computed = {item.name.removeprefix(PREFIX) for item in absent}
    units = {
        name: declaration(PREFIX + name).units
        if name in computed
        else str(_kept(ds, name).attrs.get("units", "1"))
        for name in names
    }
    if _alike(ds):
        group = _groups(ds, measures, allow_missing, folder, under_body)
        return WeighedRuns(lambda: iter([group]), units, int(group.record.max()) + 1)
    lots = record_lots(ds)
    measured = measurer(ds, absent, folder, under_body)
    read = tuple(str(name) for name in ds.data_vars if name in INPUTS or str(name).startswith(PREFIX))

    def parts() -> Iterator[Slice]:
        for where, part, there in read_slices(ds, read, allow_missing):
            found = {name.removeprefix(PREFIX): array.ravel() for name, array in measured(part).items()}
            for name in set(names) - computed:
                found[name] = np.broadcast_to(_kept(part, name).values, there.shape).ravel()
            counts = (overturn_levels(part).readings * there).reshape(3, -1)
            yield Slice(found, there.ravel(), counts, np.repeat(lots[where], there[0].size))

    return WeighedRuns(parts, units, int(lots.max()) + 1)


def _kept(ds: xr.Dataset, measure: str) -> xr.DataArray:
    """A measure that a study holds."""
    return run_intensity(by_measure(ds, measure) if is_cloud(ds) else ds)


def _groups(
    ds: xr.Dataset, measures: Sequence[Asked], allow_missing: bool, folder: str | Path, under_body: bool
) -> Slice:
    """All runs of a motion at a level as one group."""
    records, index = numbered(ds, "record")
    first = np.full(len(records), len(index))
    for where in slices(ds):
        here, place = np.unique(index[where], return_index=True)
        first[here] = np.minimum(first[here], where.start + place)
    level = ds["intensity"].values.astype(float)
    places = Classes(level, level, level, None)
    tally = count_runs(ds, overturn_levels, 1, places, index, allow_missing=allow_missing)
    ds = ds.isel(realization=first)
    runs, overturned = tally.runs.ravel(), tally.beyond.readings[..., 0].reshape(3, -1)
    cloud = with_measures(ds, measures, folder=folder, under_body=under_body)
    held = {
        name: PREFIX + name if PREFIX + name in cloud else "intensity_value"
        for name in map(measure_name, measures)
    }
    found = {name: cloud[variable].values for name, variable in held.items()}
    return Slice(found, runs, overturned, np.repeat(record_lots(ds), len(level)))


def _alike(ds: xr.Dataset) -> bool:
    """True if all runs of a motion at a level are shaken with the same strength."""
    if is_cloud(ds) or not has_records(ds) or "motion_scaling" in ds:
        return False
    return Study.from_json(ds.attrs["config"]).intensity.measure not in OF_MOTION


PERIOD = r"(sa(?:_rotd\d+)?)_(\d+(?:p\d+)?)s"
LEVELS = 9  # at which rates are compared
MOST = 0.1  # of a rate that no row of the own hazard tells [1]


def other_hazards(
    paths: Iterable[str | Path], own: str, *, years: float | None = None, site: str | None = None
) -> list[xr.Dataset]:
    """Hazards of all measures that files have, but for that of a study; arguments as of `load_hazard`."""
    found = []
    for path in paths:
        for measure in measures_in(path, years):
            hazard = load_hazard(path, years=years, site=site if measure else None, measure=measure)
            if hazard.attrs["measure"] != re.sub(r"_rotd\d+", "", own):
                found.append(hazard)
    return found


@accepts_path
def hazard_consistency(
    ds: xr.Dataset, hazard: xr.Dataset, other: xr.Dataset, *, folder: str | Path = "."
) -> xr.Dataset:
    """How often the recordings of a study exceed another measure, if its own has the hazard of the site.

    A recording that has the own intensity x has ``y = y1 x**(p'/p)`` of the other measure, with the powers by
    which both grow with its scale. It is beyond y at the annual rate ``H(x(y))``, and the recordings
    together, each as often as the study takes it, at the mean of these rates. Where that is more than the
    hazard of the other measure, they shake the body more in it than the site does, and a rate of overturning
    is that of such motions. Both hazards are taken as of the horizontal component of the study's measure.

    Parameters
    ----------
    ds : Dataset
        Result of a study with recordings.
    hazard, other : Dataset
        From `load_hazard`, of the measure of the study and of another one; their means count.
    folder : str or Path
        Folder that the names of record files start from.

    Returns
    -------
    Dataset
        Along `level`, values of the other measure [SI unit]: `site_rate`, `recordings_rate` [1/year], `ratio`
        of these to those. NaN where recordings would have to be weaker than the table of the own hazard, or
        those that would have to be stronger may make up more than `MOST` of the rate.

    Raises
    ------
    ValueError
        If the study has no recordings, or its measure, another one or that of the hazard cannot be scaled.
    ConfigError
        If the records cannot be read.
    """
    if not has_records(ds):
        raise ValueError("the hazard of other measures is compared with recordings, which this study has not")
    study = Study.from_json(ds.attrs["config"], folder)
    name, motions = scaled_to(ds, study, 1.0)
    if not own_measure(ds) == name == hazard.attrs["measure"] or study.intensity.measure not in MEASURES:
        raise ValueError(f"hazards of other measures need a hazard of the study's own measure, {name}")
    measure, given = _measure(other.attrs["measure"], name)
    power = MEASURES[measure].power / MEASURES[study.intensity.measure].power
    if not power > 0:
        raise HazardError(f"{other.attrs['measure']} does not grow when a motion is scaled: leave it out")
    at_one = np.array([intensity(motion, measure, **given) for motion in motions])
    weight = np.bincount(ds["record"].values.ravel(), minlength=len(motions)) / ds["record"].size
    levels, rates = other["hazard_intensity"].values, other["rate"].sel(hazard=MEAN).values
    y = np.geomspace(levels[0], levels[-1], LEVELS)
    x, rate = hazard["hazard_intensity"].values, hazard["rate"].sel(hazard=MEAN).values
    of_record = np.log(y[:, None] / at_one) / power
    beyond = np.exp(np.interp(of_record, np.log(x), np.log(rate)))
    mean, weaker = beyond @ weight, ((of_record < np.log(x[0])) & (weight > 0)).any(axis=1)
    stronger = (beyond * (of_record > np.log(x[-1]))) @ weight
    mean = np.where(weaker | (stronger > MOST * mean), np.nan, mean)
    site = np.exp(np.interp(np.log(y), np.log(levels), np.log(rates)))
    per_year, other_name = {"units": "1/a", "digits": ".2g"}, variable_name(measure, given)
    units = {"units": other["hazard_intensity"].attrs["units"], "long_name": other_name}
    return table(
        {
            "site_rate": ("level", site, per_year | {"long_name": "site"}),
            "recordings_rate": ("level", mean, per_year | {"long_name": "recordings"}),
            "ratio": ("level", mean / site, {"digits": ".2g"}),
        },
        coords={"level": ("level", y, units)},
        attrs={"measure": other_name, "own": name},
    )


def _measure(name: str, own: str) -> tuple[str, dict[str, float]]:
    """Measure of a hazard, of the horizontal component of another one, with its parameters."""
    found = re.fullmatch(PERIOD, name)
    measure, given = (found[1], {"period": float(found[2].replace("p", "."))}) if found else (name, {})
    turned = re.search(r"_rotd\d+", own)
    if turned and "_rotd" not in measure and measure + turned[0] in MEASURES:
        measure += turned[0]
    if measure not in MEASURES or (MEASURES[measure].parameters and not given):
        raise HazardError(f"the hazard of {name!r} is of none of the measures that recordings are scaled in")
    return measure, given
