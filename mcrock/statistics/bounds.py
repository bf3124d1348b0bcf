"""Bounds of the probability of overturning over a whole range of unknown numbers.

Of K noisy fractions the largest is too large: part of it is search. The worst draw is therefore chosen on one
half of the records and its probability estimated on the other, and the other way round.

Wilks, S. S. (1941). Determination of sample sizes for setting tolerance limits. Annals of Mathematical
Statistics 12(1), 91-96 (how much of a range its largest draw exceeds).

Jyrkama, M. I. and Pandey, M. D. (2016). On the separation of aleatory and epistemic uncertainties in
probabilistic assessments. Nuclear Engineering and Design 303, 68-74 (what such bounds are no confidence of).
"""

from __future__ import annotations

import numpy as np
import xarray as xr

from mcrock.dataset.opened import takes_path
from mcrock.statistics.intervals import check_level, interval_of_readings
from mcrock.statistics.nested import Crossed, read_crossed, unknown_inputs
from mcrock.statistics.probability import BOUNDS
from mcrock.statistics.result_table import table
from mcrock.statistics.runs import ALL_OVERTURN, ALL_STAND, ESTIMATE, axis_attrs

ENDS = ("least", "largest")


@takes_path
def epistemic_bounds(ds: xr.Dataset, *, level: float = 0.95, seed: int = 0) -> xr.Dataset:
    """Least and largest probability of overturning over the outer draws.

    Parameters
    ----------
    ds : Dataset
        Nested study with all runs, at fixed levels of the intensity.
    level : float
        Coverage of the intervals [1].
    seed : int
        Of the order in which records are dealt to the halves.

    Returns
    -------
    Dataset
        Along `end`, "least" and "largest", and `intensity`: `estimate`, the probability of the draw that one
        half of the records chooses, in the other half (the mean of both ways): on average no farther out than
        the true extreme of the draws; `naive`, the extreme fraction, too far out; `draw`, the number of the
        extreme one. `interval` (bound, intensity) holds the probabilities of all draws at once with the
        confidence `level`, for new earthquakes: intervals of single draws at 1 - (1 - level) / K, undecided
        runs both ways. `content` [1]: with confidence `level` the extreme draw exceeds at least this part of
        the distribution of the unknown numbers. Values of inputs
        that differ between draws at the extreme ones are `input_NAME` (end, intensity), and
        `rank_correlation` (input, intensity) is Spearman's of the fractions with them [1].

    Raises
    ------
    ValueError
        If the study is not nested, runs are missing, or ``level`` is outside (0, 1).
    """
    check_level(level)
    crossed = read_crossed(ds)
    cells, runs = crossed.cells(ESTIMATE), crossed.runs.astype(float)
    fraction = cells.sum(axis=1) / runs.sum()
    half = np.random.default_rng(seed).permutation(len(runs)) % 2 == 0
    ways = [_chosen(cells, runs, chosen_on) for chosen_on in (half, ~half)]
    draws = len(cells)
    one = {"units": "1"}
    result = table(
        {
            "estimate": (("end", "intensity"), np.mean(ways, axis=0)),
            "naive": (("end", "intensity"), np.stack([fraction.min(axis=0), fraction.max(axis=0)])),
            "draw": (("end", "intensity"), np.stack([fraction.argmin(axis=0), fraction.argmax(axis=0)])),
            "interval": (("bound", "intensity"), _all_at_once(crossed, level)),
            "draws": ((), draws, {"long_name": "number of outer draws"}),
            "content": ((), (1 - level) ** (1 / draws)),
        },
        coords={
            "end": list(ENDS),
            "bound": BOUNDS,
            "intensity": ("intensity", ds["intensity"].values, axis_attrs(ds)),
        },
        attrs={"level": level, "seed": seed},
    )
    inputs = unknown_inputs(ds)
    for name, values in inputs.items():
        result[f"input_{name}"] = (("end", "intensity"), values[result["draw"].values], dict(ds[name].attrs))
    if inputs:
        ranks = rank_scores(np.stack(list(inputs.values()))) @ rank_scores(fraction.T).T
        result["rank_correlation"] = (("input", "intensity"), ranks, one)
        result = result.assign_coords(input=list(inputs))
    return result


def _chosen(cells: np.ndarray, runs: np.ndarray, on: np.ndarray) -> np.ndarray:
    """Fractions (2, n_intensity) of the least and the largest draw on some records, in the other ones."""
    there, elsewhere = (cells[:, which].sum(axis=1) / runs[which].sum() for which in (on, ~on))
    picked = np.stack([there.argmin(axis=0), there.argmax(axis=0)])
    return np.take_along_axis(elsewhere, picked, axis=0)


def _all_at_once(crossed: Crossed, level: float) -> np.ndarray:
    """Bounds (2, n_intensity) of the probabilities of all draws, by Bonferroni."""
    draws = crossed.outcome.shape[1]
    each = 1 - (1 - level) / draws
    runs = crossed.runs[:, None, None].astype(float)
    sure, possible = (crossed.cells(reading).swapaxes(0, 1) for reading in (ALL_STAND, ALL_OVERTURN))
    low, high = interval_of_readings(sure, possible, runs, each)
    return np.stack([low.min(axis=0), high.max(axis=0)])


def rank_scores(values: np.ndarray) -> np.ndarray:
    """Ranks along the last axis, less their mean and over their norm; NaN where all values are equal.

    The sum of products of those of two inputs is Spearman's correlation.
    """
    from scipy.stats import rankdata  # half a second to import

    off = rankdata(values, axis=-1) - (values.shape[-1] + 1) / 2
    with np.errstate(invalid="ignore"):
        found: np.ndarray = off / np.sqrt((off**2).sum(axis=-1, keepdims=True))
    return found
