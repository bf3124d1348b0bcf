"""Small probabilities of overturning of a study, with their sampling error for new earthquakes."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, log

import numpy as np
import xarray as xr
from dask.system import CPU_COUNT
from scipy.special import stdtrit

from mcrock.ensemble.rare.runs import ScoredRuns
from mcrock.ensemble.rare.splitting import CHANCE, LENGTH, climb
from mcrock.excitation import pack_motions
from mcrock.statistics.intervals import check_level, clustered_interval
from mcrock.statistics.probability import BOUNDS
from mcrock.study import Study
from mcrock.study.sampling import check_inputs, load_motions

ONE = {"units": "1"}
STATES, FEWEST = 1000, 100  # states of all records together at a level, and least of each
LEAST_STATES, LEAST_REPETITIONS = 20, 4
CORRELATION = 1.0  # of the states of a chain, see `_counting` [1]
WANTED = 0.1  # coefficient of variation for which records are counted


def rare_probability(
    study: Study,
    *,
    states: int | None = None,
    repetitions: int = 8,
    least: float = 1e-6,
    level: float = 0.95,
    workers: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> xr.Dataset:
    """Probability of overturning by subset simulation within each record.

    Each record is a stratum with its weight, its own levels of the score (`mcrock.ensemble.rare.runs`),
    chosen in a preliminary pass, and independent repetitions, whose estimates are unbiased (Au and Beck 2001;
    `mcrock.ensemble.rare.splitting`). Motions generated for each realization are one stratum, and the chains
    move in their noise too. Epistemic inputs are treated like the others.

    There are two intervals. The one for these recordings is Student's, on the logarithm, from the
    repetitions. The one for new earthquakes has Gaffke's bounds, with the recordings as units; more runs do
    not narrow it.

    Parameters
    ----------
    study : Study
        Each of its intensity levels has a probability; a cloud study has one, over its distribution of the
        intensity.
    states : int, optional
        Realizations at each level of the score, of a stratum in one repetition, at least 20; rounded up to a
        multiple of 5. By default 1000 over all records together, and at least 100 for each.
    repetitions : int
        Independent repetitions, at least 4.
    least : float
        Probability of overturning in a record below which it counts as 0, in (0, 0.1] [1].
    level : float
        Coverage of the intervals [1].
    workers : int, optional
        Threads; by default one for each CPU. The result does not depend on their number.
    progress : callable, optional
        Called with a line of text at every intensity.

    Returns
    -------
    Dataset
        Along `intensity` (not for a cloud study): `probability`; `interval` (bound) for these motions, NaN
        where no repetition reached overturning; `new_interval` (bound) for new ones, NaN with a single
        stratum, where `interval` is for new motions too; `variation`, the coefficient of variation of
        `probability` from the repetitions; `runs`, their number, and `brute_force_runs`, how many direct
        Monte Carlo simulation would need for the same variation; `records`, the number of recordings, and
        `records_needed`, how many a coefficient of variation of 0.1 over new earthquakes would need;
        `record_probability` (record), of each record; `repetition_probability` (repetition); all [1].

    Raises
    ------
    ConfigError
        If motions cannot be read, or a body cannot stand.
    ValueError
        If nothing but the record is drawn, inputs are listed, the body has a `shape_error`, or an option is
        out of range.
    """
    check_level(level)
    _check(study, states, repetitions, least)
    motions = load_motions(study)
    check_inputs(study, motions)
    pack = pack_motions(motions)
    strata = 1 if study.motion.is_generated or not study.motion.shakes else len(motions)
    n = LENGTH * -(-(states or max(FEWEST, STATES // strata)) // LENGTH)
    most = ceil(log(least) / log(CHANCE))
    weights = np.asarray(study.motion.record_weights or np.ones(strata), float)
    weights /= weights.sum()
    found, spent = [], []
    places = [None] if study.is_cloud else list(study.intensity.si_levels)
    for place in places:
        one = study if place is None else study.at_intensities([place])
        runs = ScoredRuns(one, motions, pack, workers or CPU_COUNT)
        if not runs.space.names and not runs.space.has_noise and not study.redrawn:
            raise ValueError("nothing is drawn but the record: there is no small probability to find")
        before = climb(runs.space, runs.score, range(strata), n, most)
        if progress and (counted := _counting(float(before.probability @ weights), n * strata * repetitions)):
            total = (repetitions + 1) * int(before.runs.sum())
            progress(
                f"overturning is not so rare here: about {float(f'{counted:.1g}'):.0f} plain runs "
                f"(mcrock run) are as accurate as the {float(f'{total:.1g}'):.0f} of this"
            )
        turn = (most + 2) * LENGTH
        units = list(range(strata)) * repetitions
        after = climb(runs.space, runs.score, units, n, most, ladders=before.ladders, turn=turn)
        found.append(after.probability.reshape(repetitions, strata))
        spent.append(int(before.runs.sum() + after.runs.sum()))
        if progress:
            progress(f"{spent[-1]} runs: probability {float((found[-1] @ weights).mean()):.3g}")
    names = [motion.name for motion in motions] if strata > 1 else ["all motions"]
    groups = np.unique([motion.group for motion in motions] if strata > 1 else [""], return_inverse=True)[1]
    result = _summary(np.stack(found), weights, groups, level)
    result["runs"] = ("intensity", spent, ONE)
    p, cov = result["probability"], result["variation"]
    result["brute_force_runs"] = ((1 - p) / (p * cov**2)).where(cov > 0).assign_attrs(ONE)
    axis = np.full(1, np.nan) if study.is_cloud else np.asarray(places, float)
    attrs = {"units": study.intensity.units, "long_name": study.intensity.long_name}
    result = result.assign_coords(record=names, intensity=("intensity", axis, attrs))
    result.attrs = {
        "level": level,
        "states": n,
        "repetitions": repetitions,
        "least": least,
        "seed": study.seed,
        "title": study.title,
        "independent": "records" if strata > 1 else "realizations",
    }
    return result.isel(intensity=0, drop=True) if study.is_cloud else result


def _counting(p: float, n: int) -> float | None:
    """Runs by direct simulation as accurate as subset simulation with `n` states a level; None if more.

    Its squared coefficient of variation is about that of m levels of probability q in turn,
    m (1 - q) / (q n) (1 + gamma), where gamma, by the correlation of states in a chain, is about 1. Of one
    level the states are plain runs.
    """
    if p <= 0 or p >= CHANCE:
        return n if p > 0 else None
    levels = log(p) / log(CHANCE)
    variation = levels * (1 - CHANCE) / (CHANCE * n) * (1.0 + CORRELATION)
    counted = (1 - p) / (p * variation)
    return counted if counted < levels * n else None


def _check(study: Study, states: int | None, repetitions: int, least: float) -> None:
    """Refuse what subset simulation cannot do."""
    if states is not None and states < LEAST_STATES:
        raise ValueError(f"states must be at least {LEAST_STATES} [1], got {states!r}")
    if repetitions < LEAST_REPETITIONS:
        raise ValueError(f"repetitions must be at least {LEAST_REPETITIONS} [1], got {repetitions!r}")
    if not 0 < least <= 0.1:
        raise ValueError(f"least must lie in (0, 0.1] [1], got {least!r}; 1e-6 is usual")
    if study.listed or study.motion.listed_records is not None:
        raise ValueError(
            "rare events are searched among all that could be drawn: give distributions in place of lists "
            "(ensemble.table)"
        )
    if study.body.underside is not None:
        raise ValueError(
            "Markov chains need realizations close to each other, and hulls of random surfaces are not: "
            "leave body.shape_error out"
        )


def _summary(found: np.ndarray, weights: np.ndarray, groups: np.ndarray, level: float) -> xr.Dataset:
    """Probabilities and intervals of estimates (n_intensity, n_repetition, n_record)."""
    of_record, each = found.mean(axis=1), found @ weights
    p, k = each.mean(axis=1), found.shape[1]
    with np.errstate(invalid="ignore", divide="ignore"):
        variation = each.std(axis=1, ddof=1) / np.sqrt(k) / p
        half = stdtrit(k - 1, (1 + level) / 2) * variation
        ends = np.stack([p * np.exp(-half), np.minimum(p * np.exp(half), 1.0)])
        share = np.bincount(groups, weights)  # of the recordings of one earthquake
        of_group = np.stack([np.bincount(groups, row) for row in weights * of_record]) / share
        count = len(share)
        spread = (share * (of_group - p[:, None]) ** 2).sum(axis=1) * count / max(count - 1, 1)
        noise = (weights * found.var(axis=1, ddof=1)).sum(axis=1) / k
        needed = np.ceil(np.maximum(spread - noise, 0.0) / (WANTED * p) ** 2)
    new = np.full((2, len(p)), np.nan)
    if count > 1:
        runs = np.broadcast_to(share[:, None] * count, (count, len(p)))
        new = np.stack(clustered_interval(np.clip(of_group.T, 0, 1) * runs, runs, level))
    needed = np.where((p > 0) & (count > 1), needed, np.nan)
    return xr.Dataset(
        {
            "probability": ("intensity", p, ONE | {"long_name": "probability of overturning"}),
            "interval": (("bound", "intensity"), ends, ONE),
            "new_interval": (("bound", "intensity"), new, ONE),
            "variation": ("intensity", variation, ONE),
            "records_needed": ("intensity", needed, ONE),
            "records": ((), count, ONE),
            "record_probability": (("record", "intensity"), of_record.T, ONE),
            "repetition_probability": (("repetition", "intensity"), each.T, ONE),
        },
        coords={"bound": BOUNDS},
    )
