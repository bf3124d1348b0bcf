"""Predicted distributions and probabilities scored by what was measured.

`score` and its intervals, from resampling recordings, are of probabilities against outcomes. `compare_tests`
compares measured maxima with the distributions that a study predicts for them: a rocking body forgets how it
started, so that one measured history says little of a model, and the distribution of many does (for 226
podium tests doi 10.1177/8755293020988017). Each test has the runs with its motion. Campaigns simulated from
the study, one run for each test, say how far from the prediction a campaign of this size is if the study is
true: that makes the p-values.

Brier, G. W. (1950). Verification of forecasts expressed in terms of probability. Monthly Weather Review
78(1), 1-3.

Good, I. J. (1952). Rational decisions. Journal of the Royal Statistical Society B 14(1), 107-114
(logarithmic).

Efron, B. and Tibshirani, R. J. (1993). An introduction to the bootstrap. Chapman and Hall, chapter 13
(percentiles).

Hesterberg, T. C. (2015). What teachers should know about the bootstrap. The American Statistician 69(4),
371-386 (their tails with few samples).

Gneiting, T. and Raftery, A. E. (2007). Strictly proper scoring rules, prediction, and estimation. Journal of
the American Statistical Association 102, 359-378 (CRPS).

Ferro, C. A. T. (2014). Fair scores for ensemble forecasts. Quarterly Journal of the Royal Meteorological
Society 140, 1917-1923.

Szekely, G. J. and Rizzo, M. L. (2013). Energy statistics: a class of statistics based on distances. Journal
of Statistical Planning and Inference 143(8), 1249-1272.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from mcrock.base.checks import suggest
from mcrock.base.params import Response
from mcrock.base.tables.parsing import ConfigError, read_columns
from mcrock.base.units import factor_to, split_header, unit_in_text
from mcrock.dataset.schema import OUTER, own_names
from mcrock.statistics.intervals import check_level, expanded_tail, table
from mcrock.statistics.labels import COLUMNS, Labels, chosen_runs, whole_numbers
from mcrock.statistics.runs import ESTIMATE, overturn_levels

Array = NDArray[np.float64]

SCORES = {"f1": "F1", "accuracy": "accuracy", "brier": "Brier", "log_loss": "log loss", "auc": "AUC"}
BEST = {"f1": "high", "accuracy": "high", "brier": "low", "log_loss": "low", "auc": "high"}
RESAMPLES = 2000
LEAST = 1e-3  # probability given at least to what came, in the logarithmic score [1]
BINS = 8  # of the calibration curve at most


class Scores(NamedTuple):
    """Scores of n tests, each a number or an array over resamples."""

    f1: Array  # 2 TP / (2 TP + FP + FN), of predictions at p > 0.5 [1]
    accuracy: Array  # fraction of the tests predicted correctly at p > 0.5 [1]
    brier: Array  # mean of (p - y)^2 [1]
    log_loss: Array  # mean of minus the logarithm of the probability given to the outcome [1]
    auc: Array  # area under the ROC curve: chance that a fallen test had a higher p than one that stood [1]


def score(probability: ArrayLike, fallen: ArrayLike, weight: ArrayLike | None = None) -> Scores:
    """Score probabilities of overturning against outcomes.

    Parameters
    ----------
    probability : array_like (n_test,)
        Predicted probability of overturning [1].
    fallen : array_like (n_test,)
        1 for tests that overturned, 0 for those that did not.
    weight : array_like (..., n_test), optional
        How often each test counts, by default once [1]; its leading axes become those of the scores.

    Returns
    -------
    Scores
        Each of shape (...). In the log loss a probability given to an outcome is at least 0.001.

    Raises
    ------
    ValueError
        If the lengths differ, a probability is outside 0 to 1 or a label neither 0 nor 1.
    """
    p, y = np.asarray(probability, float), np.asarray(fallen, float)
    if p.ndim != 1 or p.shape != y.shape or not p.size:
        raise ValueError(
            f"probability and fallen must be (n_test,) of one length, got {p.shape} and {y.shape}"
        )
    if not ((p >= 0.0) & (p <= 1.0)).all() or not np.isin(y, (0.0, 1.0)).all():
        raise ValueError("probabilities must be 0 to 1, and labels 0 or 1")
    w = np.ones(len(p)) if weight is None else np.asarray(weight, float)
    called = (p > 0.5).astype(float)
    hits, wrong = w @ (called * y), w @ np.abs(called - y)
    total = w.sum(axis=-1)
    given = np.clip(np.where(y == 1.0, p, 1.0 - p), LEAST, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return Scores(
            np.where(2 * hits + wrong > 0, 2 * hits / (2 * hits + wrong), np.nan),
            1.0 - wrong / total,
            w @ (p - y) ** 2 / total,
            -(w @ np.log(given)) / total,
            _area(p, y, w),
        )


def _area(p: Array, y: Array, w: Array) -> Array:
    """Share of pairs, a topple and a stand, of which the topple has the higher probability; ties count
    half."""
    value, place = np.unique(p, return_inverse=True)
    table = np.zeros((len(value), len(p)))
    table[place, np.arange(len(p))] = 1.0
    fell, stood = (w * y) @ table.T, (w * (1.0 - y)) @ table.T
    below = np.cumsum(stood, axis=-1) - 0.5 * stood
    return (fell * below).sum(axis=-1) / (fell.sum(axis=-1) * stood.sum(axis=-1))


def resampled(recording: ArrayLike, resamples: int = RESAMPLES, seed: int = 0) -> Array:
    """Multiplicity of each test when recordings are resampled with replacement.

    Parameters
    ----------
    recording : array_like (n_test,)
        Name of the recording of each test.
    resamples, seed : int
        Number of resamples, and the seed of their random numbers.

    Returns
    -------
    ndarray (resamples, n_test)
        Counts [1], weights for `score`.
    """
    _, group = np.unique(np.asarray(recording), return_inverse=True)
    n = int(group.max()) + 1
    drawn = np.random.default_rng(seed).multinomial(n, np.full(n, 1.0 / n), size=resamples)
    return drawn[:, group].astype(float)


def interval(samples: Array, level: float, recordings: int) -> Array:
    """Percentile interval (2, ...) of samples (..., n) that may be NaN where a resample has no topple.

    Its tails are those of a number of recordings (`expanded_tail`): plain percentiles of level 0.9 covered
    the truth in 0.74 to 0.82 of 400 simulated sets of 6 to 14 recordings.
    """
    tail = expanded_tail(level, recordings)
    return np.nanquantile(samples, [tail, 1.0 - tail], axis=-1)


def calibration_curve(
    probability: ArrayLike, fallen: ArrayLike, bins: int = BINS
) -> tuple[Array, Array, Array]:
    """Calibration curve, in bins of about equal numbers of tests.

    Equal probabilities stay in one bin, so that there may be fewer bins.

    Parameters
    ----------
    probability : array_like (n_test,)
        Predicted probability of overturning [1].
    fallen : array_like (n_test,)
        1 for tests that overturned, 0 for those that did not.
    bins : int
        Largest number of bins.

    Returns
    -------
    mean, fraction, number : ndarray (n_bin,)
        Mean predicted probability, overturned fraction, and number of tests of each bin [1].
    """
    p, y = np.asarray(probability, float), np.asarray(fallen, float)
    edges = np.unique(np.quantile(p, np.linspace(0.0, 1.0, bins + 1)))
    place = np.clip(np.searchsorted(edges, p, side="right") - 1, 0, max(len(edges) - 2, 0))
    number = np.bincount(place).astype(float)
    there = number > 0
    mean, share = (np.bincount(place, values)[there] / number[there] for values in (p, y))
    return mean, share, number[there]


def roc_curve(probability: ArrayLike, fallen: ArrayLike) -> tuple[Array, Array]:
    """ROC curve: false and true positive rate as the threshold of the probability falls.

    Parameters
    ----------
    probability : array_like (n_test,)
        Predicted probability of overturning [1].
    fallen : array_like (n_test,)
        1 for tests that overturned, 0 for those that did not.

    Returns
    -------
    false, true : ndarray (n,)
        Fractions of the tests that stood and of those that overturned whose probability reaches the
        threshold, from 0 to 1 [1].
    """
    p, y = np.asarray(probability, float), np.asarray(fallen, float)
    levels = np.unique(p)[::-1]
    above = p[None, :] >= levels[:, None]
    false = np.concatenate([[0.0], (above * (1.0 - y)).sum(axis=1) / max((1.0 - y).sum(), 1.0)])
    true = np.concatenate([[0.0], (above * y).sum(axis=1) / max(y.sum(), 1.0)])
    return false, true


RECORDING, OVERTURNED = "recording", "overturned"
RESPONSES = {member.variable: member.units for member in Response if member.flags is None}
CAMPAIGNS = 999  # simulated
DOUBT = 0.05  # of the smallest p-value, times their number (Bonferroni)
FACTORS = 0.5, 2.0  # of studies that a campaign of this size should tell from the true one
GRID = 200  # values at which distribution functions are compared, at most
STATISTICS = {
    "rank_mean": "mean rank less 0.5, without sign",
    "rank_distance": "distance of the ranks from uniform",
    "crps": "mean CRPS",
    "ks": "largest distance of the distribution functions",
    "energy": "energy distance",
}


NAMES = {  # of a comparison with tests, as `mcrock.statistics.intervals.LONG_NAMES`
    "measured": "measured {curve}",
    "rank": "rank among the runs {curve}",
    "crps": "CRPS of each test {curve}",
    "crps_mean": "mean CRPS, over recordings",
    "crps_others": "of the other recordings' tests as prediction",
    "difference": "the former less the latter {difference}",
    "p_value": "p-value {p}",
    "told": "campaigns of this size that contradict the study {.2f}",
    "inside": "tests in it {.2f}",
    "inside_expected": "in simulated campaigns",
    "predicted": "distribution function of the runs {curve}",
    "observed": "that of the tests {curve}",
    "observed_band": "its interval over recordings {curve}",
    "expected_band": "that in simulated campaigns {curve}",
    "irreducible": "variance between repetitions of a motion, which no model predicts {percent}",
}


class MeasuredTests(NamedTuple):
    """Tests and what was measured in each."""

    measured: dict[str, Array]  # (n,) by response, in units of datasets; inf where the body overturned
    chosen: Labels  # runs of each test
    recording: NDArray[np.int64]  # (n,) whose motions go together

    def repeated(self) -> NDArray[np.int64]:
        """Number of the group of tests with the same motion and runs, of each test (n,)."""
        keys = np.stack([*self.chosen.chosen.values(), self.recording], axis=1)
        return np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)


def read_tests(path: str | Path, ds: xr.Dataset | None = None) -> MeasuredTests:
    """Read tests and measured maxima from a CSV file.

    ``realization``, ``record`` and ``intensity``, numbers from 0 in the order of the store, choose the runs
    of a test, as for labels; ``recording`` (by default ``record``) numbers the recording; ``overturned`` is 1
    where the body overturned. Every other column is a response with its unit, such as ``peak_tilt [deg]``;
    where the body overturned it is beyond every value. Responses of one's own (``own_rocking_time [s]``) are
    those that the result `ds` has.

    Raises
    ------
    ConfigError
        If the file cannot be read, a column is unknown or lacks its unit, a number is missing or out of
        range, nothing is measured, or no column chooses runs.
    """
    place = Path(path)
    columns = {name: np.array(values) for name, values in read_columns(place).items()}
    numbers = {
        name: whole_numbers(place, name, columns.pop(name))
        for name in (*COLUMNS, RECORDING)
        if name in columns
    }
    chosen = {name: numbers[name] for name in COLUMNS if name in numbers}
    if not chosen:
        raise ConfigError(
            f"{place}: expected a column record, intensity or realization that chooses the runs"
        )
    n = len(next(iter(chosen.values())))
    recording = numbers.get(RECORDING, numbers.get("record"))
    if recording is None:
        raise ConfigError(f"{place}: expected a column 'recording' or 'record' with the number of the motion")
    fallen = columns.pop(OVERTURNED, np.zeros(n))
    if not np.isin(fallen, (0.0, 1.0)).all():
        raise ConfigError(f"{place}: {OVERTURNED}: expected 0 or 1")
    there = {} if ds is None else {name: str(ds[name].attrs["units"]) for name in own_names(ds)}
    measured, responses = {}, there | RESPONSES
    for header, values in columns.items():
        name, factor = _response(place, header, responses)
        values = np.where(fallen == 1.0, np.inf, values * factor)
        if not (values >= 0.0).all():
            raise ConfigError(f"{place}: {header}: expected numbers from 0")
        if name == "peak_tilt" and np.max(values, initial=0.0, where=fallen == 0.0) > 0.5 * np.pi:
            raise ConfigError(
                f"{place}: {header}: a body that did not overturn tilts by less than 90 deg; check the unit"
            )
        measured[name] = values
    if not measured or n < 2:
        raise ConfigError(f"{place}: expected 2 tests or more, and a response such as 'peak_tilt [deg]'")
    return MeasuredTests(measured, Labels(fallen, chosen, np.zeros(n, np.int64)), recording)


def _response(place: Path, header: str, responses: dict[str, str]) -> tuple[str, float]:
    """Name of a response that a column holds, and the factor from its unit to that of datasets."""
    name, unit = split_header(header)
    if name not in responses:
        raise ConfigError(f"{place}: {header}: no response of this name{suggest(name, responses)}")
    wanted = unit_in_text(responses[name])
    factor = factor_to(unit or ("1" if wanted == "1" else ""), wanted)
    if factor is None:
        raise ConfigError(f"{place}: {header}: expected a unit, '{name} [{wanted}]' or another of its kind")
    return name, factor


def compare_tests(
    ds: xr.Dataset, tests: MeasuredTests, *, level: float = 0.9, campaigns: int = CAMPAIGNS, seed: int = 0
) -> dict[str, xr.Dataset]:
    """Compare measured responses of tests with the runs of a study, by response (`judge`).

    Raises
    ------
    ValueError
        If the study lacks a response, or a test chooses no run.
    """
    draws = [ds.isel({OUTER: k}) for k in range(ds.sizes[OUTER])] if OUTER in ds["outcome"].dims else [ds]
    draws = [one.transpose("realization", ...) for one in draws]
    fallen = [overturn_levels(one).readings[ESTIMATE] == 1.0 for one in draws]
    record = ds["record"].values if "record" in ds else None
    found = {}
    for name, measured in tests.measured.items():
        if name not in ds:
            raise ValueError(f"the study has no response {name}; measured are {', '.join(tests.measured)}")
        values = [np.where(f, np.inf, one[name].values) for f, one in zip(fallen, draws, strict=True)]
        stack = np.stack([array.reshape(len(array), -1) for array in values])
        runs = []
        for k in range(len(measured)):
            rows, levels = chosen_runs(tests.chosen, k, stack.shape[1:], record)
            runs.append(stack[:, rows][:, :, levels].reshape(len(stack), -1))
        found[name] = judge(
            runs, measured, tests.recording, tests.repeated(), level=level, campaigns=campaigns, seed=seed
        )
        units = ds[name].attrs["units"]
        for each in ("measured", "crps", "crps_mean", "crps_others", "difference"):
            for variable in {each, f"{each}_interval"} & set(found[name]):
                found[name][variable].attrs["units"] = units
        found[name].attrs |= {
            "units": units,
            "long_name": ds[name].attrs.get("long_name", name),
            **{key: ds.attrs[key] for key in ("title", "seed") if key in ds.attrs},
        }
    return found


def judge(
    runs: list[Array],
    measured: ArrayLike,
    recording: ArrayLike,
    repeated: ArrayLike,
    *,
    level: float = 0.9,
    campaigns: int = CAMPAIGNS,
    seed: int = 0,
) -> xr.Dataset:
    """How well runs predict what was measured.

    Parameters
    ----------
    runs : list of ndarray (n_draw, n_run)
        Response in the runs of each test, a row for each epistemic draw; inf where the body overturned.
    measured : array_like (n_test,)
        The same in each test.
    recording, repeated : array_like (n_test,)
        Recording of each test, and the group of tests that repeat each other.
    level : float
        Coverage of the intervals [1].
    campaigns, seed : int
        Number of simulated campaigns, and the seed of their random numbers.

    Returns
    -------
    Dataset
        `measured`, `rank`, the fraction of the runs below, in the middle of what ties leave open,
        `rank_interval` (bound, test), and `crps` (test); `crps_mean` with its interval over recordings, and
        that of the tests of other recordings as a prediction, `crps_others`; `difference`, the first less
        the second; `value` and `p_value` (statistic) of `STATISTICS`, small p-values for a study that is
        not true; `told` (factor), the fraction of campaigns of this size that contradict the study where
        the truth is that multiple of it (`FACTORS`); `inside` (share), the fraction of tests in the central
        half and nine tenths of their runs, with the central `level` of simulated campaigns
        `inside_expected` (bound, share); at the values `at`: the distribution functions `predicted`,
        `observed` with `observed_band` (bound, at) over recordings and `expected_band` over simulated
        campaigns; `irreducible`, the variance within repeated tests over that of all, what no model
        predicts, NaN without repetitions.

    Raises
    ------
    ValueError
        If a test has fewer than 2 runs, or the level is out of range.
    """
    check_level(level)
    if min(one.size for one in runs) < 2:
        raise ValueError("a test needs 2 runs or more to be compared with: more realizations of its motion")
    y, of = np.asarray(measured, float), np.asarray(recording)
    cut, every, own = _campaigns(runs, y, campaigns, np.random.default_rng(seed))
    bounds, crps, (at, predicted, steps), values = _scores(cut, every, own)
    p_value = 1.0 - np.stack([np.searchsorted(np.sort(one[own]), one) for one in values]) / (campaigns + 1)
    told = contradicts(p_value[:, campaigns + 1 :]).reshape(len(FACTORS), -1).mean(axis=1)
    rank = bounds.mean(axis=0)[: campaigns + 1]
    shares, tails = np.array([0.5, 0.9]), [0.5 - 0.5 * level, 0.5 + 0.5 * level]
    inside = np.stack([(np.abs(rank - 0.5) <= 0.5 * share).mean(axis=1) for share in shares])
    others = _by_others(every[0], of)
    over, recordings = resampled(of, RESAMPLES, seed), len(np.unique(of))
    over /= over.sum(axis=1, keepdims=True)

    def ends(scores: Array) -> Array:
        """Interval of the mean over recordings."""
        return interval(over @ scores, level, recordings) if recordings > 1 else np.full(2, np.nan)

    observed = (every[0] <= at[:, None]).astype(float)
    sizes = {"level": level, "campaigns": campaigns, "recordings": recordings}
    return table(
        {
            "measured": ("test", y),
            "rank": ("test", rank[0]),
            "rank_interval": (("bound", "test"), bounds[:, 0]),
            "crps": ("test", crps[0]),
            "crps_mean": ((), crps[0].mean()),
            "crps_mean_interval": ("bound", ends(crps[0])),
            "crps_others": ((), others.mean()),
            "difference": ((), (crps[0] - others).mean()),
            "difference_interval": ("bound", ends(crps[0] - others)),
            "value": ("statistic", values[:, 0]),
            "p_value": ("statistic", p_value[:, 0]),
            "told": ("factor", told),
            "inside": ("share", inside[:, 0]),
            "inside_expected": (("bound", "share"), np.quantile(inside[:, 1:], tails, axis=1)),
            "predicted": ("at", predicted),
            "observed": ("at", observed.mean(axis=1)),
            "observed_band": (("bound", "at"), np.stack([*map(ends, observed)], axis=1)),
            "expected_band": (("bound", "at"), np.quantile(steps[own], tails, axis=0)),
            "irreducible": ((), _irreducible(every[0], np.asarray(repeated))),
        },
        coords={
            "statistic": [*STATISTICS],
            "statistic_label": ("statistic", [*STATISTICS.values()]),
            "share": ("share", shares, {"long_name": "central part of the runs"}),
            "at": at,
            "factor": ("factor", [*FACTORS], {"long_name": "truth over the study"}),
        },
        attrs=sizes | {"fell": int(np.isinf(y).sum())},
        names=NAMES,
    )


def _campaigns(
    runs: list[Array], y: Array, campaigns: int, rng: np.random.Generator
) -> tuple[list[Array], Array, NDArray[np.bool_]]:
    """Sorted runs, with what overturned just beyond the largest value; tests, campaigns simulated from the
    runs and some where the truth is a multiple of it (m, n); and which of these rows hold runs (m,)."""
    runs = [np.asarray(one, float) for one in runs]  # as what is measured: round-off decides no rank
    most = max(float(np.max(a, initial=0.0, where=np.isfinite(a))) for a in [*runs, y])
    most = np.nextafter(most, np.inf)
    draw = rng.integers(len(runs[0]), size=campaigns)
    simulated = np.stack([one[draw, rng.integers(one.shape[1], size=campaigns)] for one in runs], axis=1)
    wrong = np.vstack([factor * simulated[: campaigns // 4] for factor in FACTORS])
    own = np.repeat([False, True, False], [1, campaigns, len(wrong)])
    cut = [np.sort(np.minimum(one.ravel(), most)) for one in runs]
    return cut, np.minimum(np.vstack([y, simulated, wrong]), most), own


def _scores(cut: list[Array], every: Array, own: NDArray[np.bool_]) -> tuple[Array, Array, Any, Array]:
    """Bounds of ranks (2, m, n), CRPS (m, n), distribution functions and `STATISTICS` (statistic, m)."""
    bounds = np.stack([_rank(one, column, own) for one, column in zip(cut, every.T, strict=True)], axis=2)
    crps = np.stack([_crps(one, column, own) for one, column in zip(cut, every.T, strict=True)], axis=1)
    at, *curves, apart = _curves(cut, every, own)
    rank, far = bounds.mean(axis=0), [np.abs(apart).max(axis=1), 2.0 * (apart[:, :-1] ** 2 @ np.diff(at))]
    values = [np.abs(rank.mean(axis=1) - 0.5), _distance(rank), crps.mean(axis=1), *far]
    return bounds, crps, (at, *curves), np.stack(values)


def contradicts(p_value: ArrayLike) -> NDArray[np.bool_]:
    """Whether p-values of `STATISTICS` (statistic, ...), the smallest of them, contradict a study."""
    return np.min(p_value, axis=0) * len(STATISTICS) < DOUBT


def _curves(runs: list[Array], every: Array, own: NDArray[np.bool_]) -> tuple[Array, Array, Array, Array]:
    """Values (k,), the distribution function of sorted runs (k,), those of tests and of simulated campaigns
    (m, k), and these less that of the runs, of which a simulated test leaves its own out (m, k)."""
    at = np.unique(np.quantile(np.concatenate([*runs, every[0]]), np.linspace(0.0, 1.0, GRID)))
    steps, rest = np.zeros((len(every), at.size)), np.zeros((len(every), at.size))
    for column, one in zip(every.T, runs, strict=True):
        below, is_below = np.searchsorted(one, at, side="right"), column[:, None] <= at
        steps += is_below / len(runs)
        rest[~own] += below / len(one) / len(runs)
        rest[own] += (below - is_below[own]) / (len(one) - 1) / len(runs)
    return at, rest[0], steps, steps - rest


def _by_others(values: Array, of: NDArray[Any]) -> Array:
    """CRPS of each test as predicted by those of other recordings, NaN without any."""
    others, own = [np.sort(values[of != one]) for one in of], np.zeros(1, bool)
    return np.array(
        [_crps(o, v[None], own)[0] if o.size else np.nan for o, v in zip(others, values, strict=True)]
    )


def _rank(runs: Array, values: Array, own: NDArray[np.bool_]) -> Array:
    """Bounds of the rank of values among sorted runs, and of their own, which are runs, among the rest (2, m)
    [1]: ties and the gap between two runs share it evenly, so that no draw decides a rank."""
    low, high = np.searchsorted(runs, values, side="left"), np.searchsorted(runs, values, side="right")
    return np.stack([low, high + 1 - own]) / (len(runs) + 1 - own)


def _crps(runs: Array, values: Array, own: NDArray[np.bool_]) -> Array:
    """Fair continuous ranked probability score of sorted runs for values, and for their own, which are runs,
    of the rest."""
    m = len(runs)
    sums = np.concatenate([[0.0], np.cumsum(runs)])
    k = np.searchsorted(runs, values)
    away = values * k - sums[k] + sums[-1] - sums[k] - values * (m - k)
    spread = 2.0 * (np.arange(m) @ runs - (np.cumsum(runs) - runs).sum()) / max(m * (m - 1), 1)
    return away / np.maximum(m - own, 1) - 0.5 * spread


def _distance(rank: Array) -> Array:
    """Cramer-von Mises distance of ranks (m, n) from a uniform distribution, over n [1]."""
    n = rank.shape[1]
    uniform = (np.arange(n) + 0.5) / n
    return ((np.sort(rank, axis=1) - uniform) ** 2).mean(axis=1) + 1.0 / (12.0 * n * n)


def _irreducible(values: Array, repeated: NDArray[np.int64]) -> float:
    """Variance within groups of repeated tests over that of all of their tests, which has it in it [1]."""
    again = np.bincount(repeated)[repeated] > 1
    if not again.any() or not values[again].var() > 0.0:
        return np.nan
    _, group = np.unique(repeated[again], return_inverse=True)
    number = np.bincount(group)
    means = np.bincount(group, values[again]) / number
    within = ((values[again] - means[group]) ** 2).sum() / (again.sum() - len(number))
    return min(1.0, float(within / values[again].var(ddof=1)))
