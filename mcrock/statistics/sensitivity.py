"""Sensitivity of overturning to the inputs: Sobol indices, and inputs given the outcome.

Overturned or not has the variance P (1 - P). The first-order index of an input is the part that the
probability given this input explains; the total index is the part that is left when all other inputs are
known. For yes or no even a sum of independent terms is mostly interaction: first-order indices add up to far
less than 1, and the total index is what ranks inputs.

Li, L., Papaioannou, I. and Straub, D. (2019). Global reliability sensitivity estimation based on failure
samples. Structural Safety 81, 101871.

MacKinnon, J. G. and White, H. (1985). Some heteroskedasticity-consistent covariance matrix estimators with
improved finite sample properties. Journal of Econometrics 29(3), 305-325.

Hoeffding, W. (1951). A combinatorial central limit theorem. The Annals of Mathematical Statistics 22(4),
558-566.

Westfall, P. H. and Young, S. S. (1993). Resampling-based multiple testing. Wiley (the largest of all).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations_with_replacement
from math import pi

import numpy as np
import xarray as xr
from scipy.special import chdtrc, stdtrit

from mcrock.base.params import Outcome
from mcrock.dataset import outputs
from mcrock.dataset.opened import accepts_path
from mcrock.dataset.schema import OUTER
from mcrock.statistics.intervals import BOUNDS, check_level, table
from mcrock.statistics.likelihood import jackknife
from mcrock.statistics.probability import is_nested, rank_scores
from mcrock.statistics.runs import check_runs, is_cloud, is_given, overturn_levels, read_slices, study_of
from mcrock.study import Study
from mcrock.study.design import FIRST_INPUT, OF_A, OF_B, SCRAMBLES, block_length, inputs_of_design
from mcrock.study.sampling import variable_name
from mcrock.study.sections import OF_INDICES

SECTORS = 16  # of the circle, in place of an angle, which begins nowhere
MOST = 100_000  # realizations whose outcomes are permuted; by then chance makes a distance of 0.01
DEPENDENT = 0.5  # rank correlation of two inputs from which it is said
ONE = {"units": "1"}


def has_indices(ds: xr.Dataset) -> bool:
    """True if a study has the design of Sobol indices."""
    study = study_of(ds)
    return study is not None and study.ensemble.design == OF_INDICES


@accepts_path
def sobol_indices(ds: xr.Dataset, *, level: float = 0.95) -> xr.Dataset:
    """Sobol indices of overturning, of a study with ``ensemble.design = "sobol_indices"``.

    First-order indices by Saltelli's estimator, mean of f_B (f_AB - f_A), and total ones by Jansen's, half
    the mean of (f_A - f_AB)^2, both over the variance of f_A and f_B, with f less its mean (Saltelli et al.
    2010, table 2, b and f). Intervals are Student's, with the standard error of the jackknife over the
    independent scrambles of the design.

    Parameters
    ----------
    ds : Dataset
        Result of such a study with all its runs; realizations beyond the last whole set are left out.
    level : float
        Coverage of the intervals [1].

    Returns
    -------
    Dataset
        Along `input`, by dotted name, and `intensity` (not in a cloud study): `first_order` and `total`,
        clipped to 0 to 1, with `first_order_interval` and `total_interval` (bound, input, intensity);
        `probability` (intensity); all [1], NaN where all runs ended alike. Numbers of `points` of each
        scramble and of `runs`. Undecided runs count as in `overturning_probability`.

    Raises
    ------
    ValueError
        If the study has another design, no uncertain input or less than one point of each scramble, runs are
        missing, all runs ended alike, or ``level`` is outside (0, 1).
    """
    check_level(level)
    study = study_of(ds)
    if study is None or study.ensemble.design != OF_INDICES:
        raise ValueError(
            f'Sobol indices need a study with ensemble.design = "{OF_INDICES}", whose realizations differ in '
            "one input at a time"
        )
    check_runs(ds)
    names, block = inputs_of_design(study), block_length(study)
    points = ds.sizes["realization"] // block
    if not points or not names:
        what = (
            "an uncertain input" if not names else f"at least {block} realizations, a point of each scramble"
        )
        raise ValueError(f"Sobol indices need {what}")
    fell, _ = _outcomes(ds.isel(realization=slice(points * block)))
    y = fell.reshape(points, SCRAMBLES, FIRST_INPUT + len(names), -1)
    probability = y[:, :, [OF_A, OF_B]].mean(axis=(0, 1, 2))
    if not ((probability > 0) & (probability < 1)).any():
        raise ValueError("all runs ended alike: there is no variance that inputs could explain")
    index, half = estimate_indices(y, level)
    ends = np.clip(np.stack([index - half, index + half]), 0, 1)
    result = xr.Dataset(coords={"input": names, "bound": BOUNDS} | _axis(ds), attrs={"level": level})
    for i, (name, words) in enumerate((("first_order", "first-order index"), ("total", "total index"))):
        values = np.clip(index[i], 0, 1)
        result[name] = (("input", "intensity"), values, ONE | {"long_name": words})
        result[f"{name}_interval"] = (("bound", "input", "intensity"), ends[:, i], ONE)
    result["probability"] = ("intensity", probability, ONE)
    result["points"], result["runs"] = ((), points, ONE), ((), y.size, ONE)
    return result.isel(intensity=0, drop=True) if is_cloud(ds) else result


def estimate_indices(y: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """First-order and total indices (2, n_input, ...) and the half-widths of their intervals.

    Parameters
    ----------
    y : ndarray (n_point, n_scramble, 2 + n_input, ...)
        Output at the points of A, of B, and of A with one input from B.
    level : float
        Coverage of the intervals [1].
    """
    scrambles, inputs = y.shape[1], y.shape[2] - FIRST_INPUT
    mean = y[:, :, [OF_A, OF_B]].mean(axis=(0, 1, 2))
    a, b = y[:, :, OF_A] - mean, y[:, :, OF_B] - mean
    variance = (a * a + b * b).mean(axis=0) / 2
    sums = np.empty((2, inputs, *variance.shape))
    for k in range(inputs):
        change = y[:, :, FIRST_INPUT + k] - mean - a
        sums[:, k] = (b * change).mean(axis=0), (change * change).mean(axis=0) / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        index = sums.sum(axis=2) / variance.sum(axis=0)
        others = [
            np.delete(sums, s, axis=2).sum(axis=2) / np.delete(variance, s, axis=0).sum(axis=0)
            for s in range(scrambles)
        ]
        half = stdtrit(scrambles - 1, (1 + level) / 2) * jackknife(np.stack(others))
    return index, half


@accepts_path
def outcome_distances(
    ds: xr.Dataset,
    *,
    permutations: int = 199,
    seed: int = 0,
    allow_missing: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> xr.Dataset:
    """Distances between the inputs of runs that overturned and those of runs that did not.

    The distance between the two distributions: Kolmogorov-Smirnov's for a number, the total variation (half
    the sum of the absolute differences of the frequencies) for a choice, the record, or an angle in `SECTORS`
    sectors. It needs no special design. It is 0, up to chance, for an input without effect and 1 where the
    input alone decides; the effect of a number that overturns bodies at both ends of its range is
    underestimated.

    What chance would give is found by permuting outcomes between the realizations of each record, those at
    all intensities together, so that the effect of the records is not taken for that of an input; for the
    record itself, between all realizations. In a nested study realizations keep their outcomes in all draws
    together, and epistemic inputs are permuted by draws.

    Parameters
    ----------
    ds : Dataset
        Result of any study. With the design of Sobol indices only the runs of its independent points count,
        in a large study those of the first `MOST` realizations.
    permutations, seed : int
        Number of permutations, at least 19, and the seed of their random numbers.
    allow_missing : bool
        Leave out runs that have not been run, rather than refuse.
    progress : callable, optional
        Called with the number of permutations that are done and that of all.

    Returns
    -------
    Dataset
        Along `input`, by the name of its variable, and `intensity` (not in a cloud study): `distance`;
        `direction`, 1 where runs overturned at larger numbers, -1 at smaller ones and 0 for inputs without
        order; `by_chance`, the mean distance of the permutations; `significance`, the p-value: the fraction
        of the permutations, the observed order among them, that reach the distance; `family_significance`,
        that of all inputs and intensities together: the fraction of the permutations in which the largest
        of all distances, in standard deviations of chance, reaches this one (Westfall and Young 1993), so
        that a study without any effect has one below 0.05 in 5 % of the cases; all [1], NaN where all runs
        ended alike. `runs` (intensity), the number of runs. Attribute `constant` names the inputs that are
        the same in all runs, and `dependent` pairs of inputs with their rank correlation where it is beyond
        `DEPENDENT` or the study says one: of two such inputs a table cannot tell which one acts.

    Raises
    ------
    ValueError
        If nothing is drawn in the study, runs are missing, or there are too few permutations.
    """
    if permutations < 19:
        raise ValueError(f"permutations must be at least 19 [1], got {permutations!r}; 199 is usual")
    ds = _independent(ds)
    if allow_missing:  # of which not even the inputs are there
        there = ds["outcome"] != Outcome.NOT_RUN
        there = there.any([dim for dim in there.dims if dim not in ("realization", OUTER)])
        ds = ds.isel(realization=there.all([dim for dim in there.dims if dim == OUTER]).values)
    ds = ds.isel(realization=slice(MOST))
    draws = [ds.isel({OUTER: k}) for k in range(ds.sizes[OUTER])] if is_nested(ds) else [ds]
    names = _drawn(ds)
    if not names:
        raise ValueError("nothing is drawn in this study, so no input can tell overturned runs from others")
    for draw in draws:
        check_runs(draw)
    counts = np.stack([np.stack(_outcomes(draw, allow_missing)) for draw in draws], axis=1)
    record = draws[0]["record"].values if "record" in ds else np.zeros(ds.sizes["realization"], int)
    tables = []
    for name in names:
        values = np.stack([draw[name].values for draw in draws])
        if name == "azimuth":
            values = (values % (2 * pi) * (SECTORS / (2 * pi))).astype(int)
        tables.append(_Table(values, counts, np.zeros_like(record) if name == "record" else record))
    distance, direction = np.stack([table.distance(np.arange(len(table.strata))) for table in tables], axis=1)
    by_chance = _by_chance(tables, permutations, seed, progress)
    reached = (by_chance >= distance - 1e-12).sum(axis=0)
    known = np.where(np.isnan(distance), np.nan, 1.0)
    found = distance, direction, by_chance.mean(axis=0), known * (1 + reached) / (1 + permutations)
    result = xr.Dataset(
        coords={"input": names} | _axis(ds),
        attrs={
            "permutations": permutations,
            "seed": seed,
            "constant": ", ".join(_drawn(ds, constant=True)),
            "dependent": "; ".join(_dependent(draws, names, study_of(ds))),
        },
    )
    words = (
        "distance of inputs given the outcome",
        "sign",
        "mean by chance",
        "fraction of permutations beyond",
    )
    keys = ("distance", "direction", "by_chance", "significance")
    for key, long_name, values in zip(keys, words, found, strict=True):
        result[key] = (("input", "intensity"), values, ONE | {"long_name": long_name})
    family = _family_significance(distance, by_chance)
    long_name = "fraction of permutations whose largest distance of all is beyond"
    result["family_significance"] = (("input", "intensity"), family, ONE | {"long_name": long_name})
    result["runs"] = ("intensity", counts[1].sum(axis=(0, 1)), ONE)
    return result.isel(intensity=0, drop=True) if is_cloud(draws[0]) else result


def parameter_effect(part: xr.Dataset, names: Sequence[str], *, level: float = 0.95) -> xr.Dataset:
    """What parameters do to the probability of overturning in runs at one intensity, recordings aside.

    Outcomes and parameters are taken less their means in each recording, whose effect is then no noise.
    `change` is linear, of least squares with the covariance of White and leverages (HC3, MacKinnon and White
    1985). The test has all terms of second order, and the variance that permutations of the outcomes within
    recordings give their sums (Hoeffding 1951).

    Parameters
    ----------
    part : Dataset
        Runs at one intensity, or all of a cloud, with the parameters on (realization).
    names : sequence of str
        The parameters.
    level : float
        Coverage of the intervals [1].

    Returns
    -------
    Dataset
        `change` of the probability from the smallest to the largest number of each (parameter), with
        `change_interval` (bound, parameter), and `p_value` of no effect at all; NaN where all ended alike.

    Raises
    ------
    ValueError
        If ``level`` is outside (0, 1).
    """
    check_level(level)
    record = part["record"].values if "record" in part else np.zeros(part.sizes["realization"], dtype=int)
    _, index, size = np.unique(record, return_inverse=True, return_counts=True)
    x = np.stack([part[name].values for name in names])
    x = (x - x.min(axis=1, keepdims=True)) / np.maximum(np.ptp(x, axis=1, keepdims=True), 1e-300)
    second = [x[i] * x[j] for i, j in combinations_with_replacement(range(len(names)), 2)]
    columns = (*x, *second, overturn_levels(part).estimate)
    *within, y = (each - (np.bincount(index, each) / size)[index] for each in columns)
    terms = np.stack(within, axis=1)
    spread = (np.bincount(index, y**2) / np.maximum(size - 1, 1))[index]
    sums = terms.T @ y
    score = sums @ np.linalg.pinv((terms * spread[:, None]).T @ terms) @ sums
    linear = terms[:, : len(names)]
    inverse = np.linalg.pinv(linear.T @ linear)
    change = inverse @ (linear.T @ y)
    leverage = np.einsum("ij,jk,ik->i", linear, inverse, linear) + 1.0 / size[index]
    pushed = linear * ((y - linear @ change) / np.maximum(1.0 - leverage, 1e-3))[:, None]
    error = np.sqrt(np.diagonal(inverse @ (pushed.T @ pushed) @ inverse))
    error *= stdtrit(len(y) - len(size) - len(names), (1 + level) / 2)
    known = np.where(spread.any(), 1.0, np.nan)
    return table(
        {
            "change": ("parameter", known * change),
            "change_interval": (("bound", "parameter"), known * np.stack([change - error, change + error])),
            "p_value": ((), known * chdtrc(len(sums), score)),
        },
        {"parameter": [*names]},
        {"level": level},
    )


def _by_chance(
    tables: list[_Table], permutations: int, seed: int, progress: Callable[[int, int], None] | None
) -> np.ndarray:
    """Distances of inputs under permutations of the outcomes (permutations, n_input, n_intensity).

    Inputs whose outcomes are permuted within the same strata see the same permutations, drawn once.
    """
    alike: dict[tuple[int, bytes], list[int]] = {}
    for i, one in enumerate(tables):
        alike.setdefault((len(one.strata), one.strata.tobytes()), []).append(i)
    found = np.empty((permutations, len(tables), len(tables[0].yes)))
    for group, inputs in enumerate(alike.values()):
        for k, order in zip(range(permutations), _shuffles(tables[inputs[0]].strata, seed), strict=False):
            for i in inputs:
                found[k, i] = tables[i].distance(order)[0]
            if progress:
                progress(group * permutations + k + 1, len(alike) * permutations)
    return found


def _family_significance(distance: np.ndarray, by_chance: np.ndarray) -> np.ndarray:
    """P-values (n_input, n_intensity) of distances by the largest of all in each permutation (n, ...)."""
    every = np.concatenate([distance[None], by_chance])
    spread = every.std(axis=0)
    off = np.divide(
        every - every.mean(axis=0), spread, out=np.full_like(every, -np.inf), where=spread > 1e-12
    )
    off = np.where(np.isnan(off), -np.inf, off)
    largest = off.reshape(len(off), -1).max(axis=1)
    reached = (largest[:, None, None] >= off[0] - 1e-9).mean(axis=0)
    return np.where(np.isnan(distance), np.nan, reached)


def _dependent(draws: list[xr.Dataset], names: list[str], study: Study | None) -> list[str]:
    """Pairs of inputs that vary together, with their rank correlation."""
    stated = [{*map(variable_name, pair[:2])} for pair in study.copula.pairs] if study else []
    table = {}
    for name in names:
        values = np.concatenate([draw[name].values for draw in draws])
        if values.dtype.kind == "f" and not np.isnan(values).any() and name != "azimuth":
            table[name] = rank_scores(values)
    pairs = [(a, b, float(table[a] @ table[b])) for i, a in enumerate(table) for b in list(table)[i + 1 :]]
    return [f"{a} and {b} ({r:+.2f})" for a, b, r in pairs if abs(r) > DEPENDENT or {a, b} in stated]


class _Table:
    """An input, prepared for its distances under many permutations of the outcomes.

    Parameters
    ----------
    values : ndarray (n_draw, n_realization)
        Of the input.
    counts : ndarray (2, n_draw, n_realization, n_intensity)
        Overturned runs, in halves, and all runs.
    strata : ndarray (n_realization,)
        Within which outcomes are permuted; those of an epistemic input are by draws.
    """

    def __init__(self, values: np.ndarray, counts: np.ndarray, strata: np.ndarray) -> None:
        epistemic = len(values) > 1 and bool((values == values[:, :1]).all())
        values = values[:, 0] if epistemic else values[0]
        known = np.flatnonzero(values == values)  # a parameter of another law is not a number
        self.strata = _narrow(np.zeros(len(known), int) if epistemic else strata[known])
        fell, runs = _narrow(2 * np.moveaxis(counts.sum(axis=2 if epistemic else 1)[:, known], -1, 1))
        self.yes, self.total = fell.sum(axis=1, dtype=float), runs.sum(axis=1, dtype=float)
        self.ordered = values.dtype.kind == "f"
        self.order = np.argsort(values[known], kind="stable")
        rising = values[known][self.order]
        self.starts = np.flatnonzero(np.append(True, rising[1:] != rising[:-1]))  # of equal values
        self.each = runs.max(axis=1, initial=0)
        is_even = bool((runs == self.each[:, None]).all())  # so that no permutation changes them
        self.rare: list[np.ndarray] = []  # in few bytes: most of the time goes into gathering
        if is_even and self.ordered and len(self.starts) == len(known):
            self.rare = [*np.where((self.yes > self.total / 2)[:, None], runs - fell, fell)]
        largest = int(self.each.max()) * int(np.diff(self.starts, append=len(known)).max(initial=1))
        self.bits = max(largest.bit_length(), 1)  # of the sum of a value
        self.fields = min(64 // self.bits, len(fell))
        self.fell, self.runs = self._packed(fell), self._packed(runs)
        self.even = self._below(self.runs) if is_even else None

    def distance(self, order: np.ndarray) -> np.ndarray:
        """Distance and its sign (2, n_intensity) with outcomes in another order (n,)."""
        place = order.take(self.order)
        if self.rare:
            most, least = np.array([self._extremes(j, place) for j in range(len(self.rare))]).T
        else:
            runs = self._below(self.runs.take(place, axis=1)) if self.even is None else self.even
            fell = self._below(self.fell.take(place, axis=1))
            gap = runs * self.yes[:, None] - fell * self.total[:, None]
            most, least = gap.max(axis=1), gap.min(axis=1)
        found = np.zeros((2, len(self.yes)))
        if self.ordered:
            largest = np.where(most >= -least, most, least)
            found[:] = abs(largest), np.sign(largest)
        else:
            found[0] = np.abs(np.diff(gap, prepend=0.0)).sum(axis=1) / 2
        alike = (self.yes == 0) | (self.yes == self.total)
        found[0] /= np.where(alike, np.nan, self.yes * (self.total - self.yes))  # as if of fractions
        found[1, alike] = np.nan
        return found

    def _packed(self, numbers: np.ndarray) -> np.ndarray:
        """Words (n_word, n) of numbers (n_intensity, n) of some intensities each, with room for sums."""
        shifts = np.arange(len(numbers), dtype=np.uint64)[:, None] % self.fields * self.bits
        return np.add.reduceat(numbers.astype(np.uint64) << shifts, range(0, len(numbers), self.fields))

    def _below(self, words: np.ndarray) -> np.ndarray:
        """Sums (n_intensity, n_value) of packed numbers up to each value of the input."""
        shifts = np.arange(self.fields, dtype=np.uint64)[:, None] * self.bits
        whole = len(self.starts) == words.shape[1]
        sums = (words if whole else np.add.reduceat(words, self.starts, axis=1))[:, None] >> shifts
        sums = (sums & (2**self.bits - 1)).reshape(-1, len(self.starts))[: len(self.yes)]
        return sums.astype(np.int64).cumsum(axis=1)

    def _extremes(self, j: int, place: np.ndarray) -> tuple[float, float]:
        """Largest and smallest gap where all values differ: beside the runs of the rarer outcome, or 0."""
        row = self.rare[j].take(place)
        at = np.flatnonzero(row > 0)
        weight, step = row.take(at), float(self.each[j]) * row.sum(dtype=float)
        gap = (at + 1) * step - weight.cumsum(dtype=np.int64) * self.total[j]
        least, most = gap.min(initial=0.0), (gap - step + weight * self.total[j]).max(initial=0.0)
        return (most, least) if self.yes[j] <= self.total[j] / 2 else (-least, -most)


def _narrow(whole: np.ndarray) -> np.ndarray:
    """Whole numbers from 0 on in the fewest bytes."""
    return whole.astype(np.min_scalar_type(int(whole.max(initial=0))))


def _shuffles(strata: np.ndarray, seed: int) -> Iterator[np.ndarray]:
    """Random permutations (n,) that move nothing from one stratum to another.

    Each stratum is sorted by random numbers: by 32 bits of stratum and number in linear time, then by the
    few neighbours that these do not tell apart.
    """
    rng, found = np.random.default_rng(seed), np.empty(len(strata), np.int64)
    home, names = np.argsort(strata, kind="stable"), np.unique(strata, return_inverse=True)[1]
    bits = 32 - int(names.max(initial=0)).bit_length()
    before, inside = (names << bits).astype(np.uint32), np.diff(names[home]) == 0
    while True:
        drawn = rng.random(len(strata))
        key = before + (drawn * 2.0**bits).astype(np.uint32)
        order = np.argsort(key.astype(np.uint16), kind="stable")
        order = order.take(np.argsort((key >> 16).astype(np.uint16).take(order), kind="stable"))
        while (falls := np.flatnonzero((np.diff(drawn.take(order)) < 0) & inside)).size:
            for k in falls:
                order[[k, k + 1]] = order[[k + 1, k]]
        found[home] = order
        yield found


def _outcomes(ds: xr.Dataset, allow_missing: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Runs that overturned, and runs that exist, of each realization (n_realization, n_intensity)."""
    fell, runs = [], []
    for _, part, there in read_slices(ds, (), allow_missing):
        n = len(there)
        fell.append((overturn_levels(part).estimate * there).reshape(n, -1))
        runs.append(there.reshape(n, -1).astype(float))
    return np.concatenate(fell), np.concatenate(runs)


def _independent(ds: xr.Dataset) -> xr.Dataset:
    """The realizations that do not share inputs with others."""
    if not has_indices(ds):
        return ds
    study = study_of(ds)
    assert study is not None
    column = np.arange(ds.sizes["realization"]) % (block_length(study) // SCRAMBLES)
    return ds.isel(realization=np.isin(column, (OF_A, OF_B)))


def _drawn(ds: xr.Dataset, constant: bool = False) -> list[str]:
    """Variables of inputs that differ between realizations or draws, or of those that do not; of a study
    those that it draws."""
    study = study_of(ds)
    drawn = [*map(variable_name, study.uncertain), "record"] if study else map(str, ds.data_vars)
    drawn = [name for name in drawn if is_given(ds, name)]
    results, found = outputs(friction=True), list[str]()
    for name in dict.fromkeys(drawn):
        if name in ds and name not in results and ds[name].dims in (("realization",), (OUTER, "realization")):
            values = ds[name].values.ravel()
            differ = len(np.unique(values[values == values])) > 1
            if values.dtype.kind in "fiu" and differ is not constant:
                found.append(name)
    return found


def _axis(ds: xr.Dataset) -> dict[str, object]:
    """Coordinate of the intensity; a single place in a cloud study."""
    if "intensity" not in ds["outcome"].dims:
        return {"intensity": [np.nan]}
    return {"intensity": ds["intensity"]}
