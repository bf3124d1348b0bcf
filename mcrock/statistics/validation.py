"""Probabilities compared with shake-table tests.

`read_geometry` reads a body as scanned, with its uncertainties, from a JSON file; `validation_study` makes a
nested study of the uncertainties of body and table, in which every draw meets every test. `is_set_aside`
names the recordings that nothing is tuned on, `leave_one_out` and `fitted_elsewhere` are the rules of thumb
that a simulation has to beat, and `validate` scores its probabilities next to them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import ConvexHull, QhullError

from mcrock.base.tables.parsing import ConfigError, read_json
from mcrock.statistics.distributions import (
    RESAMPLES,
    SCORES,
    Scores,
    calibration_curve,
    compare_tests,
    interval,
    judge,
    read_tests,
    resampled,
    roc_curve,
    score,
)
from mcrock.statistics.goodness import Rule, by_probit, by_threshold, constant
from mcrock.statistics.intervals import check_level, table
from mcrock.statistics.labels import ERROR_RATE, LEAST_EFFECTIVE, left_out, overturned_shares
from mcrock.study import Study

__all__ = [
    "DEFAULT",
    "RULES",
    "Geometry",
    "Scores",
    "Setting",
    "calibration_curve",
    "compare_tests",
    "fitted_elsewhere",
    "is_set_aside",
    "judge",
    "leave_one_out",
    "probabilities",
    "read_geometry",
    "read_tests",
    "resampled",
    "roc_curve",
    "score",
    "validate",
    "validation_study",
]

Array = NDArray[np.float64]

TAPER = 0.8  # of the top that closes the body, over the outline of its underside [1]
COM_SD = 0.003  # of the centre of mass along each axis, where the file says nothing [m]
AZIMUTH_SD = 10.0  # of the direction of shaking [deg]


@dataclass(frozen=True, eq=False)
class Geometry:
    """A scanned body with its uncertainties, for `validation_study`.

    Attributes
    ----------
    points : ndarray (n, 3)
        Points that may touch the ground, relative to the centre of mass, z up as the body stands [m].
    top : float
        Height of its highest point above the centre of mass [m].
    mass : float
        Mass [kg].
    inertia : ndarray (3, 3)
        About the centre of mass [kg m2].
    com_sd : ndarray (3,)
        Standard deviations of the position of the centre of mass along x, y and z [m].
    azimuth_deg : float
        Direction in which it falls most easily, from x towards y [deg]; 0 where the file has none.
    name : str
        Name of the specimen, or of the file.
    """

    points: Array
    top: float
    mass: float
    inertia: Array
    com_sd: Array
    azimuth_deg: float
    name: str

    def vertices(self, inset: float = 0.0) -> Array:
        """Points of the underside, then those of a lid (m, 3) [m].

        The lid touches no ground before the body has tilted by 90 degrees.

        Parameters
        ----------
        inset : float
            Distance by which the points of the underside move towards the vertical through the centre of
            mass, for edges that are rounded or crush [m].

        Raises
        ------
        ValueError
            If the inset is negative, or half of the way to the farthest point and more.
        """
        away = np.linalg.norm(self.points[:, :2], axis=1)
        if not 0.0 <= inset < 0.5 * away.max():
            raise ValueError(
                f"inset must be from 0 to below {0.5 * away.max():.3g} m, half of the underside of "
                f"{self.name}, got {inset:g} m"
            )
        reach = np.maximum(away, inset + 1e-9)
        points = self.points * np.column_stack(
            [1.0 - inset / reach, 1.0 - inset / reach, np.ones(len(reach))]
        )
        outline = points[ConvexHull(points[:, :2]).vertices, :2]
        middle = outline.mean(axis=0)
        lid = np.column_stack([middle + TAPER * (outline - middle), np.full(len(outline), self.top)])
        return np.concatenate([points, lid])


def read_geometry(path: str | Path) -> Geometry:
    """Read a body from a JSON file.

    The file has the keys ``underside_contact_points`` (n, 3) [m], relative to the centre of mass with z up,
    ``mass`` [kg], ``inertia_com`` (3, 3) [kg m2], about the centre of mass, and ``top_height_above_base``
    [m]. ``uncertainty.com_horizontal_sd`` and ``uncertainty.com_height_sd`` [m], 0.003 m by default,
    ``weak_direction.azimuth_deg`` [deg] and ``specimen`` are optional; other keys are ignored.

    Parameters
    ----------
    path : str or Path
        JSON file.

    Returns
    -------
    Geometry

    Raises
    ------
    ConfigError
        If the file cannot be read, a key is missing or has another shape or numbers that are not finite, a
        deviation is negative or over half of the body, no matter has such moments of inertia, the points
        enclose no volume, the mass is not > 0, or the centre of mass is not between base and top.
    """
    place = Path(path)
    data = read_json(place)
    if not isinstance(data, dict):
        raise ConfigError(
            f"{place}: expected an object with the keys of a geometry, got {type(data).__name__}"
        )
    points = _array(place, data, "underside_contact_points", (-1, 3), "m")
    inertia = _array(place, data, "inertia_com", (3, 3), "kg m2")
    mass, height = (
        float(_array(place, data, name, (), unit))
        for name, unit in (("mass", "kg"), ("top_height_above_base", "m"))
    )
    inertia = (inertia + inertia.T) / 2.0
    moments = np.linalg.eigvalsh(inertia)
    if moments[0] <= 0.0 or moments[2] > (moments[0] + moments[1]) * (1.0 + 1e-9):
        raise ConfigError(
            f"{place}: inertia_com: expected principal moments > 0 kg m2, none above the sum of the others, "
            f"got {moments.tolist()}"
        )
    try:
        ConvexHull(points)
    except QhullError:
        raise ConfigError(f"{place}: underside_contact_points [m] enclose no volume") from None
    low, top = float(points[:, 2].min()), float(points[:, 2].min()) + height
    if not (mass > 0.0 and low < 0.0 < top and top > points[:, 2].max()):
        raise ConfigError(
            f"{place}: expected mass > 0 kg and a centre of mass, the origin of the points, between the base "
            f"at z = {low:.4g} m and the top at {top:.4g} m, over all points; got {mass:g} kg"
        )
    spread, base = _table(place, data, "uncertainty"), float(np.ptp(points[:, :2], axis=0).min())
    across, up = (
        _number(place, spread, f"com_{name}_sd", COM_SD, least=0.0, most=size / 2)
        for name, size in (("horizontal", base), ("height", height))
    )
    return Geometry(
        points,
        top,
        mass,
        inertia,
        np.array([across, across, up]),
        _number(place, _table(place, data, "weak_direction"), "azimuth_deg", 0.0),
        str(data.get("specimen", place.stem)),
    )


def _array(path: Path, data: dict[str, Any], key: str, shape: tuple[int, ...], unit: str) -> Array:
    if key not in data:
        raise ConfigError(f"{path}: missing key {key!r} [{unit}]")
    try:
        array = np.asarray(data[key], float)
    except (TypeError, ValueError, OverflowError):
        array = np.full(1, np.nan)
    fits = array.ndim == len(shape) and all(n in (-1, m) for n, m in zip(shape, array.shape, strict=True))
    if not fits or not np.isfinite(array).all():
        size = f"an array {shape}".replace("-1", "n") if shape else "a number"
        raise ConfigError(f"{path}: {key}: expected {size} of finite numbers [{unit}]")
    return array


def _table(path: Path, data: dict[str, Any], key: str) -> dict[str, Any]:
    table = {} if data.get(key) is None else data[key]
    if not isinstance(table, dict):
        raise ConfigError(f"{path}: {key}: expected an object, got {table!r}")
    return table


def _number(
    path: Path, data: dict[str, Any], key: str, default: float, least: float = -np.inf, most: float = np.inf
) -> float:
    value = float(_array(path, data, key, (), "SI")) if key in data else default
    if value < least:
        raise ConfigError(f"{path}: {key}: expected a number of at least {least:g}, got {value:g}")
    if key in data and value > most:
        raise ConfigError(
            f"{path}: {key}: expected less than half of the body, {most:.3g} m, got {value:g} m"
        )
    return value


@dataclass(frozen=True)
class Setting:
    """Uncertainties of a validation: one fixed setting for all bodies and tests.

    The standard deviations of the centre of mass come from the `Geometry`.

    Attributes
    ----------
    draws : int
        Number of epistemic draws, each of which meets every test.
    shape_sd, shape_length : float
        Standard deviation of the error of the underside and its correlation length [m].
    slope_sd_deg : float
        Standard deviation of the slope of the table along either axis [deg].
    azimuth_sd_deg : float
        Standard deviation of the direction of shaking [deg].
    inset : float
        How far inside the border of the scan the support ends, as edges are rounded or crush [m]; mean of 0
        to 10 mm, preferred by the labels of the tuning part of a granite rock (`mcrock docs evidence`).
    impact : tuple of tuple
        Keys and values of the table `[impact]` of a study file.
    """

    draws: int = 200
    shape_sd: float = 0.0007
    shape_length: float = 0.15
    slope_sd_deg: float = 0.3
    azimuth_sd_deg: float = 10.0
    inset: float = 0.005
    impact: tuple[tuple[str, Any], ...] = (("preset", "varkonyi_2022_bounds"),)


DEFAULT = Setting()
"""Default setting of `mcrock validate`."""


def validation_study(
    file: str | Path,
    tests: Sequence[int],
    geometry: Geometry,
    setting: Setting = DEFAULT,
    *,
    azimuth_deg: float | None = None,
    seed: int = 1,
) -> Study:
    """Nested study of shake-table tests: each realization is a test, each epistemic draw a body and a table.

    The sign of the table's axis, taken as unknown, is + or - with equal probability.

    Parameters
    ----------
    file : str or Path
        File of the tests, as read by `mcrock.excitation.readers.collections`.
    tests : sequence of int
        Numbers of the tests in the file, from 0.
    geometry : Geometry
        The body.
    setting : Setting
        Its uncertainties and those of the table.
    azimuth_deg : float, optional
        Mean direction of shaking, from x towards y [deg]; by default that in which the body falls most
        easily.
    seed : int
        Of all random numbers of the study.

    Raises
    ------
    ConfigError
        If the setting is not a study.
    """
    place = Path(file).resolve()
    azimuth = geometry.azimuth_deg if azimuth_deg is None else azimuth_deg
    body: dict[str, Any] = {
        "shape": "polyhedron",
        "vertices": geometry.vertices(setting.inset).tolist(),
        "mass": geometry.mass,
        "com": [_normal(0.0, float(sd)) for sd in geometry.com_sd],
        "inertia": geometry.inertia.tolist(),
        "axis": [0.0, 0.0, 1.0],
    }
    if setting.shape_sd > 0.0:
        shape = {"std": setting.shape_sd, "correlation_length": setting.shape_length, "epistemic": True}
        body["shape_error"] = shape
    slope = _normal(0.0, setting.slope_sd_deg)
    data = {
        "title": f"{geometry.name} on a shake table",
        "seed": seed,
        "body": body,
        "impact": dict(setting.impact),
        "ground": {"slope_x_deg": slope, "slope_y_deg": slope},
        "motion": {
            "source": "shake_table",
            "file": place.name,
            "record": list(tests),
            "azimuth_deg": _normal(azimuth, setting.azimuth_sd_deg),
            "polarity": {"distribution": "discrete", "values": [1, -1], "epistemic": True},
        },
        "intensity": {"measure": "factor", "levels": [1.0]},
        "ensemble": {"realizations": len(tests), "outer": setting.draws, "design": "random"},
        "controls": {"overturned_by": "tilt", "recheck": 0.0},  # the outline over the underside is not known
    }
    return Study.from_data(data, "validation", place.parent)


def _normal(mean: float, sd: float) -> Any:
    if sd == 0.0:
        return mean
    return {"distribution": "normal", "mean": mean, "std": sd, "epistemic": True}


SHARE = 0.25  # of the recordings, rounded to whole ones


def is_set_aside(recording: ArrayLike) -> NDArray[np.bool_]:
    """Tests of the quarter of the recordings that no setting may be tuned on.

    The rule was fixed before any score was looked at: recordings are sorted by the SHA-256 hash of their name
    (hexadecimal, of its UTF-8 bytes), and the first quarter of them, rounded, is set aside.

    Parameters
    ----------
    recording : array_like (n_test,)
        Name of the recording of each test.

    Returns
    -------
    ndarray of bool (n_test,)
        True where the recording is set aside.

    Examples
    --------
    >>> is_set_aside(["RSN17", "RSN19", "RSN40", "RSN143", "RSN17"]).tolist()
    [True, False, False, False, True]
    """
    names = np.asarray(recording, str)
    return np.isin(names, sorted(records_set_aside(names.tolist())))


def records_set_aside(names: Iterable[str]) -> set[str]:
    """Names of the recordings that are set aside."""
    ordered = sorted(set(names), key=lambda name: hashlib.sha256(name.encode()).hexdigest())
    return set(ordered[: round(SHARE * len(ordered))])


RULES: dict[str, Rule] = {"threshold": by_threshold, "probit": by_probit}


def leave_one_out(rule: str, measure: ArrayLike, fallen: ArrayLike, recording: ArrayLike) -> Array:
    """Probabilities of overturning by a rule of thumb, fitted for each test to all other recordings.

    Parameters
    ----------
    rule : str
        "threshold", the threshold with the fewest errors, with the overturned fraction on either side of it;
        "probit", a lognormal curve by maximum likelihood; or "constant", the overturned fraction of all.
    measure : array_like (n_test,)
        Intensity measure of the motion, above 0, in any unit.
    fallen : array_like (n_test,)
        1 for tests that overturned, 0 for those that did not.
    recording : array_like (n_test,)
        Name of the recording of each test; tests of one recording are left out together.

    Returns
    -------
    ndarray (n_test,)
        Probabilities [1].

    Raises
    ------
    ValueError
        If there is only one recording, or a measure is not above 0.
    """
    x, y, of = np.asarray(measure, float), np.asarray(fallen, float), np.asarray(recording)
    names, group = np.unique(of, return_inverse=True)
    if len(names) < 2:
        raise ValueError("a rule that leaves a recording out needs at least 2 recordings, got 1")
    value, place = _places(x)
    runs, yes = np.zeros((2, len(names), len(value)))
    np.add.at(runs, (group, place), 1.0)
    np.add.at(yes, (group, place), y)
    found = _rule(rule)(value, yes.sum(axis=0) - yes, runs.sum(axis=0) - runs)
    return found[group, place]


def fitted_elsewhere(rule: str, measure: ArrayLike, other: ArrayLike, fallen: ArrayLike) -> Array:
    """Probabilities of overturning by a rule of thumb that is fitted to other tests.

    Parameters
    ----------
    rule : str
        As for `leave_one_out`.
    measure : array_like (n_test,)
        Intensity measure of the tests, above 0.
    other : array_like (m,)
        The same measure of the tests to which the rule is fitted, above 0.
    fallen : array_like (m,)
        1 for those of them that overturned, 0 for the rest.

    Returns
    -------
    ndarray (n_test,)
        Probabilities [1].

    Raises
    ------
    ValueError
        If a measure is not above 0.
    """
    x, z, y = (np.asarray(item, float) for item in (measure, other, fallen))
    value, place = _places(np.concatenate([x, z]))
    runs, yes = np.zeros((2, 1, len(value)))
    np.add.at(runs[0], place[len(x) :], 1.0)
    np.add.at(yes[0], place[len(x) :], y)
    return _rule(rule)(value, yes, runs)[0, place[: len(x)]]


def _rule(name: str) -> Rule:
    return constant if name == "constant" else RULES[name]


def _places(x: Array) -> tuple[Array, NDArray[np.intp]]:
    if not (x > 0.0).all():
        raise ValueError("a measure of the motion must be above 0 for a rule")
    value, place = np.unique(x, return_inverse=True)
    return value, place


PLAIN, CALIBRATED = "mcrock", "mcrock, calibrated"


class Elsewhere(NamedTuple):
    """Tests of another file, to which rules of thumb may be fitted."""

    measures: Mapping[str, Array]  # by name, each (m,)
    fallen: Array  # (m,)


def probabilities(ds: xr.Dataset) -> Array:
    """Outcome of each test in each epistemic draw.

    Parameters
    ----------
    ds : Dataset
        Result of a `validation_study`, or of another nested study at one intensity.

    Returns
    -------
    ndarray (n_draw, n_test)
        1 where the body overturned, 0 where it stood, one half where the run broke off
        undecided. The mean over the draws is the probability of each test.

    Raises
    ------
    ValueError
        If the study has several intensities, or no epistemic draws.
    """
    found = overturned_shares(ds)
    if found.shape[2] != 1:
        raise ValueError(f"tests are at one intensity, as measured, and the study has {found.shape[2]}")
    return found[..., 0]


def validate(
    fallen_by_draw: ArrayLike,
    fallen: ArrayLike,
    recording: ArrayLike,
    measures: Mapping[str, ArrayLike],
    *,
    calibrate: bool = False,
    error_rate: float = ERROR_RATE,
    temper: float | None = None,
    least_effective: float = LEAST_EFFECTIVE,
    elsewhere: Elsewhere | None = None,
    group: ArrayLike | None = None,
    scored: ArrayLike | None = None,
    level: float = 0.9,
    resamples: int = RESAMPLES,
) -> xr.Dataset:
    """Score probabilities of mcrock and of rules of thumb, with intervals and paired differences.

    Intervals are percentiles over resamples of the recordings (`resampled`), wider for few recordings.

    Parameters
    ----------
    fallen_by_draw : array_like (n_draw, n_test)
        From `probabilities`.
    fallen : array_like (n_test,)
        1 for tests that overturned, 0 for those that did not.
    recording : array_like (n_test,)
        Name of the recording of each test; tests of one recording are left out and resampled together.
    measures : mapping of str to array_like (n_test,)
        Intensity measures of the tests, for the rules of thumb, by name; above 0.
    calibrate : bool
        Whether to score also mcrock with its draws weighted by the outcomes of all other recordings
        (`mcrock.statistics.labels.left_out`).
    error_rate, temper, least_effective
        As for `mcrock.statistics.labels.weigh_draws`.
    elsewhere : Elsewhere, optional
        Other tests; the rules fitted to them are scored too.
    group : array_like (n_test,), optional
        Group of each test; groups, not recordings, are then left out when rules and draws are fitted.
    scored : array_like (n_test,), optional
        True for tests that are scored; by default all.
    level : float
        Coverage of the intervals [1].
    resamples : int
        Number of resamples of the recordings.

    Returns
    -------
    Dataset
        `predictor` is mcrock, mcrock calibrated if asked for, and each rule with its measure; `score` one of
        the fields of `Scores`. `probability` (predictor, test); `value` (score, predictor) with
        `value_interval` (bound, score, predictor); `difference` (score, predictor), the score less that of
        mcrock (calibrated, if asked for), with `difference_interval` (bound, score, predictor); `better`
        (score, predictor), the fraction of the resamples in which mcrock scores better; `effective` (test),
        the effective number of draws; all [1]. `fallen` and `recording` (test), as given.

    Raises
    ------
    ValueError
        If shapes do not fit, there are fewer than two recordings, or all or none of the tests overturned.
    """
    check_level(level)
    y, of = np.asarray(fallen, float), np.asarray(recording).astype(str)
    runs = np.asarray(fallen_by_draw, float)
    if runs.ndim != 2 or not runs.shape[1] == len(y) == len(of):
        raise ValueError(
            f"expected runs (n_draw, n_test), labels and recordings (n_test,), got {runs.shape}, {y.shape} "
            f"and {of.shape}"
        )
    apart = of if group is None else np.asarray(group).astype(str)
    kept = np.ones(len(y), bool) if scored is None else np.asarray(scored, bool)
    if len(np.unique(of[kept])) < 2 or not 0.0 < y[kept].mean() < 1.0:
        raise ValueError("scores need 2 recordings, and tests of which some overturned and some did not")
    found: dict[str, Array] = {PLAIN: runs.mean(axis=0)}
    effective = np.full(len(y), float(len(runs)))
    if calibrate:
        found[CALIBRATED], effective = left_out(
            runs, y, apart, error_rate=error_rate, temper=temper, least_effective=least_effective
        )
    found["constant"] = leave_one_out("constant", np.ones(len(y)), y, apart)
    for name, values in measures.items():
        for rule in RULES:
            found[f"{name} {rule}"] = leave_one_out(rule, values, y, apart)
            if elsewhere is not None and name in elsewhere.measures:
                found[f"{name} {rule}, fitted elsewhere"] = fitted_elsewhere(
                    rule, values, elsewhere.measures[name], elsewhere.fallen
                )
    found = {name: p[kept] for name, p in found.items()}
    judged = CALIBRATED if calibrate else PLAIN
    return _scored(found, y[kept], of[kept], effective[kept], judged, level, resamples)


def _scored(
    found: Mapping[str, Array],
    y: Array,
    of: NDArray[np.str_],
    effective: Array,
    judged: str,
    level: float,
    resamples: int,
) -> xr.Dataset:
    names, weight = list(found), resampled(of, resamples)
    drawn = np.stack([np.stack(score(found[name], y, weight)) for name in names], axis=1)
    plain = np.stack([np.stack(score(found[name], y)) for name in names], axis=1)
    own = names.index(judged)
    differences = drawn - drawn[:, [own]]
    sign = np.array([-1.0 if name in ("f1", "accuracy", "auc") else 1.0 for name in SCORES])
    with np.errstate(invalid="ignore"):
        better = np.nanmean(
            np.where(np.isnan(differences), np.nan, sign[:, None, None] * differences > 0), axis=-1
        )
    better[:, own] = np.nan
    recordings = len(np.unique(of))
    bounds = [interval(samples, level, recordings) for samples in (drawn, differences)]
    return table(
        {
            "probability": (("predictor", "test"), np.stack([found[name] for name in names])),
            "value": (("score", "predictor"), plain),
            "value_interval": (("bound", "score", "predictor"), bounds[0]),
            "difference": (("score", "predictor"), plain - plain[:, [own]]),
            "difference_interval": (("bound", "score", "predictor"), bounds[1]),
            "better": (("score", "predictor"), better),
            "fallen": ("test", y.astype(np.int8)),
            "recording": ("test", of, {"digits": "curve"}),
            "effective": ("test", effective),
        },
        coords={"predictor": names, "score": [*SCORES], "score_label": ("score", [*SCORES.values()])},
        attrs={"judged": judged, "level": level, "resamples": resamples},
        names={
            "probability": "probability of overturning {curve}",
            "value": "value",
            "difference": f"less that of {judged} {{difference}}",
            "better": "resamples where that is better {percent}",
            "fallen": "1 if it overturned {curve}",
            "effective": "effective draws of the unknown properties {curve}",
        },
    )
