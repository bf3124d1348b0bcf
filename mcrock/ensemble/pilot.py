"""What a pilot of a few runs tells of a study ahead: where bodies begin to fall, and how many runs it takes.

The pilot seeks the capacity of some realizations by bisection, four runs each, from what starts rocking: the
spread of these capacities says where the probability goes from little to nearly one, and so which levels tell
something. It is a function of the study alone, as its runs are. How many realizations an answer takes, its
first runs tell (`mcrock.statistics.precision`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from math import ceil, inf, sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from scipy.special import ndtr, ndtri, stdtrit

from mcrock.base.params import STANDARD_GRAVITY, Inputs, MotionPack, Outcome
from mcrock.base.tables.fields import plain
from mcrock.dataset import is_store, load_dataset
from mcrock.excitation import Motion, pack_motions
from mcrock.excitation.measures import MEASURES
from mcrock.simulation.runs import simulate_part
from mcrock.statistics.precision import WIDTH, check_aim, hazard_rows, what_limits
from mcrock.statistics.probability import by_falling, overturning_probability, pooled
from mcrock.statistics.runs import read_once
from mcrock.study import Study
from mcrock.study.sampling import draw_inputs, load_motions
from mcrock.study.sections import RUNS_SHARE, Intensity

FEWEST, MOST_TRIED, OUTERS = 24, 192, 8  # realizations of a pilot, and epistemic draws of a nested study
STEPS = 15  # intensities of the bisection: four runs find one of sixteen places
LOW, HIGH = 0.7, 40.0  # of what starts rocking, between which capacities are sought at first
STRONGEST = 5.0 * STANDARD_GRAVITY  # largest acceleration that is sought of half of the motions [m/s2]
TAIL = 2.05  # standard deviations from the median to a probability of 0.02 and of 0.98
APART = 1.35  # intensities of a study, at most, times the one before
NUMBER = (8, 16)  # of intensities, at least and at most
FINE = 400  # places at which densities are added
WIDER = 1.25  # is the distribution of intensities than the best lognormal one
NARROWEST = 0.1  # dispersion of capacities, as they are found in steps


class Spread(NamedTuple):
    """Logarithms of the capacities of what falls: their median, and the deviations below and above it."""

    centre: float
    below: float
    above: float
    most: float  # beyond which no study goes
    share: float = 1.0  # of the realizations that fall at all

    def probability(self, z: np.ndarray) -> np.ndarray:
        """That a body falls at logarithms of intensities (n,) [1]."""
        off = z - self.centre
        return np.asarray(ndtr(off / np.where(off < 0, self.below, self.above)))


def records_for(spread: Spread, records: int, width: float, level: float = 0.95) -> tuple[float, int]:
    """Half-width of the interval of the median that so many recordings give, and how many give `width`.

    By Student's interval of the mean of the logarithms, as of as many capacities; runs add to it.

    Returns
    -------
    float, int
        Relative half-width [1], infinite of a single recording, and number of recordings.
    """
    deviation = (spread.below + spread.above) / 2
    half = float(stdtrit(records - 1, (1 + level) / 2)) * deviation / sqrt(records) if records > 1 else inf
    return half, ceil((float(ndtri((1 + level) / 2)) * deviation / width) ** 2) + 2


def run_pilot(study: Study, motions: list[Motion], events: str = "falls") -> Spread:
    """Capacities of some realizations, each by four runs.

    Parameters
    ----------
    study, motions
        The study and what `load_motions` gives for it.
    events : str
        "falls" for overturning or sliding off, where the study has a displacement limit, or "overturns".
    """
    n = min(max(len(motions), FEWEST), MOST_TRIED, study.n_realizations)
    pack, one = pack_motions(motions), study.at_intensities([1.0])
    outers = min(study.n_outer, OUTERS)
    size = 1 if study.body.own_hulls else -(-n // outers)
    rows = [(i, min(i + size, n), i // size % outers) for i in range(0, n, size)]
    rocks, strong = (
        np.concatenate(each) for each in zip(*(_rocks(one, motions, *row) for row in rows), strict=True)
    )
    most = float(np.log(np.median(strong)))
    ends = np.log(LOW * rocks.min()), min(np.log(HIGH * np.median(rocks)), most)
    ends = ends[0], max(ends[1], ends[0] + 1.0)
    for _ in range(3):
        z = np.linspace(*ends, STEPS)
        tried = study.at_intensities(np.exp(z).tolist())
        place = np.concatenate([_bisect(tried, motions, pack, row, events) for row in rows])
        wide = ends[1] - ends[0]
        if np.median(place) == 0:
            ends = ends[0] - wide, ends[0]
        elif np.median(place) == STEPS and ends[1] < most:
            ends = ends[1], min(ends[1] + wide, most)
        else:
            break
    return spread_of(z, place, most)


def spread_of(z: np.ndarray, place: np.ndarray, most: float) -> Spread:
    """Spread of capacities, each between two of the logarithms of intensities that were tried.

    Parameters
    ----------
    z : ndarray (n_tried,)
        Logarithms of intensities, evenly spaced.
    place : ndarray (n,)
        How many of them each realization survives. Where all survive all, the spread is that of ``z``.
    most : float
        Logarithm of the strongest intensity of a study.
    """
    falls = place < len(z)
    if not falls.any():
        deviation = float(np.ptp(z)) / 2 / TAIL
        return Spread(float(z.mean()), deviation, deviation, most, 0.0)
    found = z[0] + (z[1] - z[0]) * (place[falls] - 0.5)
    low, centre, high = np.quantile(found, [0.16, 0.5, 0.84]).tolist()
    below, above = (max(part, float(found.std()), NARROWEST) for part in (centre - low, high - centre))
    return Spread(centre, below, above, most, float(falls.mean()))


def _rocks(study: Study, motions: list[Motion], *row: int) -> tuple[np.ndarray, np.ndarray]:
    """Intensities (n,) at which a peak acceleration starts rocking, and at which it is `STRONGEST`; ``row``
    is the slice of realizations, and the epistemic draw."""
    inputs = draw_inputs(study, motions, *row)
    shaken = inputs.motions or [motions[i] for i in inputs.record]
    peaks = np.array([np.hypot(*motion.acceleration[:2]).max() for motion in shaken]) * abs(
        inputs.scale[:, 0]
    )
    measure = study.intensity.measure
    power = 1.0 if measure == "factor" else MEASURES[measure].power
    return (_resistance(inputs) / peaks) ** power, (STRONGEST / peaks) ** power


def static_resistance(study: Study, motions: list[Motion]) -> float:
    """Acceleration that starts rocking the first body of a study [m/s2]."""
    one = study.at_intensities([1.0])
    return float(_resistance(draw_inputs(one, motions, 0, 1, with_motions=False))[0])


def _resistance(inputs: Inputs) -> np.ndarray:
    slenderness = inputs.values["body_slenderness"].astype(float)
    return np.asarray(inputs.gravity * np.tan(slenderness))


def _bisect(
    study: Study, motions: list[Motion], pack: MotionPack, row: tuple[int, ...], events: str
) -> np.ndarray:
    """Number of the levels (n,) that realizations survive, if they fall at all stronger ones."""
    inputs = draw_inputs(study, motions, *row)
    pack = pack_motions(inputs.motions) if inputs.motions else pack
    limit = study.limits.displacement if study.limits and events == "falls" else None
    low, high = np.zeros(len(inputs), int), np.full(len(inputs), STEPS)
    while (low < high).any():
        middle = np.minimum((low + high) // 2, STEPS - 1)
        scale = np.take_along_axis(inputs.scale, middle[:, None], axis=1)
        out = simulate_part(replace(inputs, scale=scale), pack, study.controls)
        fell = out["outcome"][:, 0] == Outcome.OVERTURNED
        if limit is not None:
            fell |= out["peak_displacement"][:, 0] > limit
        low, high = (
            np.where(fell | (low == high), low, middle + 1),
            np.where(fell, np.minimum(middle, high), high),
        )
    return high


def levels_that_tell(
    spreads: Sequence[Spread], hazard: xr.Dataset | None = None, unit: float = 1.0
) -> list[float]:
    """Levels for studies that are compared, from their pilots.

    They go from where 0.02 of what falls have fallen, of the study that begins, to where 0.98 have, of that
    which ends last; half of them lie evenly and half where the curves rise. With a hazard they go from where
    its first hundredth of a rate is from to where its last one is, half of them where most of it is.

    Parameters
    ----------
    spreads : sequence of Spread
        Of each study, from `run_pilot`.
    hazard : Dataset, optional
        From `load_hazard`; its mean curve counts.
    unit : float
        In which levels have two digits.
    """
    most = max(each.most for each in spreads)
    low = min(each.centre - TAIL * each.below for each in spreads)
    high = min(max(each.centre + TAIL * each.above for each in spreads), most)
    z = np.linspace(low - 2.0, max(high, low + np.log(2.0)), FINE)
    densities = [_integrand(each, z, hazard) for each in spreads]
    if hazard is not None:
        sums = [np.cumsum(each) / each.sum() for each in densities]
        low = min(z[np.searchsorted(each, 0.01)] for each in sums)
        median = max(each.centre for each in spreads)
        high = min(max(median, *(z[np.searchsorted(each, 0.99)] for each in sums)), most)
    inside = (z >= low) & (z <= max(high, low + np.log(2.0)))
    z, density = z[inside], np.sum([each[inside] / each.sum() for each in densities], axis=0)
    share = np.linspace(0, 1, len(z)) / 2 + np.cumsum(density) / density.sum() / 2
    number = int(np.clip(np.ceil((z[-1] - z[0]) / np.log(APART)) + 1, *NUMBER))
    levels = np.exp(np.interp(np.linspace(share[0], 1, number), share, z)) / unit
    return [level * unit for level in dict.fromkeys(float(f"{level:.2g}") for level in levels)]


def _integrand(spread: Spread, z: np.ndarray, hazard: xr.Dataset | None) -> np.ndarray:
    """How much each place adds to the probability, or to the rate (n,)."""
    curve = spread.probability(z)
    return np.gradient(curve) if hazard is None else curve * _occurrence(z, hazard)


def _occurrence(z: np.ndarray, hazard: xr.Dataset) -> np.ndarray:
    """Rate (n,) at which intensities around each place occur."""
    x, rate = hazard_rows(hazard)
    exceeded = np.exp(np.interp(z, np.log(x), np.log(rate)))
    return np.maximum(-np.gradient(np.where(z > np.log(x[-1]), rate[-1], exceeded)), 0.0)


def settle(
    studies: Sequence[Study],
    hazard: xr.Dataset | None = None,
    *,
    intensity: float | None = None,
    output: Path | None = None,
) -> list[Study]:
    """Studies that are compared, with intensities in the place of those that they leave to a pilot.

    Parameters
    ----------
    studies : sequence of Study
        All at the same levels; each is returned as it is unless its intensities are "auto".
    hazard, intensity
        What is asked, as of `mcrock.statistics.what_limits`; the intensity becomes one of the levels.
    output : Path, optional
        A store that is there, and whose intensities count, if it is gone on with.

    Raises
    ------
    ValueError
        As `mcrock.statistics.precision.check_aim`.
    """
    first = studies[0]
    check_aim(without_runs(first), hazard, intensity)
    if not first.intensity.is_auto:
        return [*studies]
    if output is not None and is_store(output):
        table = Study.from_json(load_dataset(output, allow_incomplete=True).attrs["config"]).intensity
    else:
        spreads = [spread for study in studies for spread in _spreads(study)]
        unit = STANDARD_GRAVITY if first.intensity.units == "m s-2" else 1.0
        if first.intensity.value is None:
            levels = {*levels_that_tell(spreads, hazard, unit), *([] if intensity is None else [intensity])}
            changes: dict[str, Any] = {"levels": sorted(levels)}
        else:
            changes = {"value": proposal(spreads, hazard)}
        table = Intensity.model_validate(plain(first.intensity) | changes)
    settled = [study.model_copy(update={"intensity": table}) for study in studies]
    check_aim(without_runs(settled[0]), None, intensity)
    return settled


def _spreads(study: Study) -> list[Spread]:
    """Pilots of a study: of overturning, and of what its displacement limit adds."""
    motions = load_motions(study)
    slides = study.limits is not None and study.limits.displacement is not None
    found = [run_pilot(study, motions, event) for event in ("overturns", "falls")[: 1 + slides]]
    return [each for each in found if each.share > 0] or found


def proposal(spreads: Sequence[Spread], hazard: xr.Dataset | None) -> dict[str, Any]:
    """Lognormal distribution of the intensities of a cloud from which much is known by few runs.

    With a hazard in proportion to ``f sqrt(F)``, with -dH/dx as f and the probability of falling F: weights
    then have the least variance (`mcrock.statistics.importance`). Else in proportion to ``sqrt(F (1 - F))``,
    by which a run tells of a curve. `WIDER` than the distribution nearest to it, as F is known by a pilot
    alone, and too narrow a proposal has rare large weights.
    """
    ends = [end for each in spreads for end in (each.centre - 4 * each.below, each.centre + 4 * each.above)]
    z = np.linspace(min(ends), max(ends), FINE)
    if hazard is not None:
        x = np.log(hazard_rows(hazard)[0])
        z = np.linspace(x[0], x[-1], FINE)
    curve = np.mean([each.probability(z) for each in spreads], axis=0)
    best = np.sqrt(curve * (1 - curve)) if hazard is None else _occurrence(z, hazard) * np.sqrt(curve)
    centre = float((best * z).sum() / best.sum())
    dispersion = float(np.sqrt((best * (z - centre) ** 2).sum() / best.sum()))
    numbers = {"median": np.exp(centre), "dispersion": WIDER * dispersion}
    return {"distribution": "lognormal"} | {key: float(f"{number:.3g}") for key, number in numbers.items()}


def without_runs(study: Study) -> xr.Dataset:
    """A result of a study that has no runs: its intensity, by which hazard and level are checked first; no
    levels where a pilot chooses them."""
    name, dims = ("intensity_value", ()) if study.is_cloud else ("intensity", ("intensity",))
    levels = np.array([] if study.intensity.is_auto else study.intensity.si_levels, float)
    attrs = {"units": study.intensity.units, "long_name": study.intensity.long_name}
    axis = (("realization",), levels[:0], attrs) if study.is_cloud else (dims, levels, attrs)
    outcome = (("realization", *dims), np.zeros((0, *levels.shape[: len(dims)]), "i1"))
    return xr.Dataset({"outcome": outcome}, {name: axis}, {"config": study.to_json()})


FEW, LEAST, MANY = 4, 2, 200  # realizations of each record at first, fewer where they are more than these
MORE = (1.25, 2.5)  # times as many come next
RESAMPLES = 200  # by which a study finds how many it needs; its answer has more
ALONE = 16  # realizations that count as met together where each has a motion of its own
_NUMBERS: dict[tuple[str, Path], int] = {}  # of recordings, by their table and folder


def _block(study: Study) -> int:
    """Realizations in which a study meets each of its recordings once."""
    if not study.motion.shakes or study.motion.is_generated or study.draws_records:
        return ALONE
    key = json.dumps(plain(study.motion)), study.folder  # objects of a collection ask again and again
    if key not in _NUMBERS:
        _NUMBERS[key] = len(load_motions(study))
    return _NUMBERS[key]


def first_size(study: Study) -> int:
    """Realizations of the first batch of a study of no fixed size; all of another."""
    if study.has_fixed_size:
        return study.n_realizations
    block = _block(study)
    each = 1 if study.is_certain else max(LEAST, min(FEW, MANY // block))
    return min(each * block, study.n_realizations)


def size_that_tells(study: Study, ds: xr.Dataset, **asked: Any) -> int:
    """Realizations that a study of no fixed size needs, by what limits the answer of fewer.

    Instead of a median that no level reaches, the probability nearest to one half counts.

    Parameters
    ----------
    study : Study
        At the levels of the result.
    ds : Dataset
        Its result.
    **asked
        As of `mcrock.statistics.what_limits`.
    """
    n = ds.sizes["realization"]
    if study.is_certain:
        return n
    share, width = study.ensemble.runs_share or RUNS_SHARE, study.ensemble.width
    read_once(ds)
    found = what_limits(ds, resamples=RESAMPLES, **asked)
    if np.isinf(found["answer"]) and not study.is_cloud:  # a median that no level reaches
        p = overturning_probability(by_falling(pooled(ds)))["probability"].values
        level = float(ds["intensity"].values[abs(p - 0.5).argmin()])
        found = what_limits(ds, resamples=RESAMPLES, intensity=level)
    return next_size(found, n, _block(study), study.n_realizations, share, width)


def next_size(
    found: xr.Dataset,
    n: int,
    block: int,
    most: int,
    runs_share: float = RUNS_SHARE,
    width: float | None = None,
) -> int:
    """Realizations with which runs add no more than a share to the variance of an answer.

    Or with which its interval is as narrow as is wanted: the smaller number. It is the present one if that is
    enough. Where each realization has a motion of its own, as many as the width takes.

    Parameters
    ----------
    found : Dataset
        Of `mcrock.statistics.what_limits`.
    n : int
        Present number of realizations.
    block : int
        Of which the number is a multiple, unless it is the largest one.
    most : int
        Largest number.
    runs_share : float
        Share of the variance [1].
    width : float, optional
        Half-width of the interval, as of `what_limits`.
    """
    share, half = float(found["runs_share"]), float(found["half_width"])
    needed = inf
    if share <= runs_share:
        needed = n
    elif share < 1:
        needed = n * share * (1 - runs_share) / ((1 - share) * runs_share)
    if np.isnan(share):
        width = width or WIDTH
    if width is not None:
        needed = min(needed, n * (half / width) ** 2)
    if needed <= n:
        return n
    more = min(max(needed, MORE[0] * n), MORE[1] * n)
    return min(ceil(more / block) * block, most)
