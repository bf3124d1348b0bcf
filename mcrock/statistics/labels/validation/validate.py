"""Scores of a nested study of shake-table tests next to rules of thumb."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from mcrock.statistics.intervals import check_level
from mcrock.statistics.labels import left_out
from mcrock.statistics.labels.read import overturned_shares
from mcrock.statistics.labels.validation.rules import RULES, fitted_elsewhere, leave_one_out
from mcrock.statistics.labels.validation.scores import RESAMPLES, SCORES, interval, resampled, score
from mcrock.statistics.labels.weights import ERROR_RATE, LEAST_EFFECTIVE
from mcrock.statistics.probability import BOUNDS

Array = NDArray[np.float64]

PLAIN, CALIBRATED = "mcrock", "mcrock, calibrated"


class Elsewhere(NamedTuple):
    """Tests of another file, to which rules of thumb may be fitted."""

    measures: Mapping[str, Array]  # by name, each (m,)
    fallen: Array  # (m,)


def probabilities(ds: xr.Dataset) -> Array:
    """Outcome of each test in each outer draw.

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
        If the study has several intensities, or no outer draws.
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
