"""Scores of a nested study of shake-table tests beside rules of thumb."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from mcrock.labels import left_out
from mcrock.labels.read import overturned_shares
from mcrock.labels.weights import ERROR_RATE, LEAST_EFFECTIVE
from mcrock.statistics.intervals import check_level
from mcrock.statistics.probability import BOUNDS
from mcrock.validation.rules import RULES, fitted_elsewhere, leave_one_out
from mcrock.validation.scores import RESAMPLES, SCORES, interval, resampled, score

Array = NDArray[np.float64]

PLAIN, CALIBRATED = "mcrock", "mcrock, calibrated"


class Elsewhere(NamedTuple):
    """Tests of another file, to which rules of thumb may be fitted."""

    measures: Mapping[str, Array]  # by name, each (m,)
    fallen: Array  # (m,)


def probabilities(ds: xr.Dataset) -> Array:
    """What each draw says of each test (n_draw, n_test): 1 overturned, 0 stood, one half where undecided.

    Parameters
    ----------
    ds : Dataset
        Result of a `validation_study`, or of another nested study at one intensity.

    Raises
    ------
    ValueError
        If it has several intensities, or no outer draws.
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
    """Probabilities and scores of mcrock and of rules of thumb, with intervals and paired differences.

    Parameters
    ----------
    fallen_by_draw : array_like (n_draw, n_test)
        From `probabilities`.
    fallen : array_like (n_test,)
        1 for what overturned, 0 for what stood.
    recording : array_like (n_test,)
        Name of the recording of each test; tests of one are left out, and drawn anew, together.
    measures : mapping of str to array_like (n_test,)
        Intensity measures of the tests for the rules, in SI units.
    calibrate : bool
        Also with draws weighed by the labels of all other recordings, see `mcrock.labels.left_out`.
    error_rate, temper, least_effective
        As for `mcrock.labels.weigh_draws`.
    elsewhere : Elsewhere, optional
        Other tests: rules that are fitted to them are added.
    group : array_like (n_test,), optional
        What is left out together when rules and draws are fitted, in the place of the recording.
    scored : array_like (n_test,), optional
        Whether a test is scored; all by default.
    level : float
        Of the intervals [1].
    resamples : int

    Returns
    -------
    Dataset
        Along `predictor` (mcrock, and each rule with its measure) and `test`: `probability` (predictor,
        test), `value` (score, predictor), `value_interval` (bound, score, predictor); `difference` and
        `difference_interval`, of the score less that of the mcrock that is judged (calibrated, if asked for),
        and `better`, the share of the resamples in which that mcrock scores better [1]. `fallen`, `recording`
        (test); `effective` (test) draws.

    Raises
    ------
    ValueError
        If shapes do not fit, fewer than two recordings are there, or nothing or everything fell.
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
    bounds = [_intervals(samples, level) for samples in (drawn, differences)]
    result = xr.Dataset(
        {
            "probability": (("predictor", "test"), np.stack([found[name] for name in names])),
            "value": (("score", "predictor"), plain),
            "value_interval": (("bound", "score", "predictor"), bounds[0]),
            "difference": (("score", "predictor"), plain - plain[:, [own]]),
            "difference_interval": (("bound", "score", "predictor"), bounds[1]),
            "better": (("score", "predictor"), better),
            "fallen": ("test", y.astype(np.int8)),
            "recording": ("test", of),
            "effective": ("test", effective),
        },
        coords={"predictor": names, "score": list(SCORES), "bound": list(BOUNDS)},
        attrs={"judged": judged, "level": level, "resamples": resamples},
    )
    for name in result.data_vars:
        if name != "recording":
            result[name].attrs["units"] = "1"
    return result


def _intervals(samples: Array, level: float) -> Array:
    """Intervals (2, n_score, n_method) of samples (n_score, n_method, resamples)."""
    flat: Sequence[Array] = [interval(row, level) for row in samples.reshape(-1, samples.shape[-1])]
    return np.stack(flat, axis=-1).reshape(2, *samples.shape[:2])
