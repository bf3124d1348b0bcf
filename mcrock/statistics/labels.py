"""Labels of what happened to objects, and which draws of the unknown inputs they make likely.

Every epistemic draw of a nested study is a possible body or site. Objects seen after an earthquake or a test
(`read_labels`) make some draws more likely than others: `weigh_draws` gives weights to the draws, and
`calibrate` with them posterior distributions of the inputs and probabilities for other objects.

With q the fraction of the runs of a draw that do what was seen, the likelihood of a label is e + (1 - 2 e) q:
a label is wrong, or a run is not what the object did, with the error rate e. Those of all labels are
multiplied and raised to a power between 0 and 1, the temper, which allows for dependent labels and for a
truth that is among none of the draws.

Del Moral, P., Doucet, A. and Jasra, A. (2006). Sequential Monte Carlo samplers. Journal of the Royal
Statistical Society B 68(3), 411-436 (tempering, effective sample size).

Bissiri, P. G., Holmes, C. C. and Walker, S. G. (2016). A general framework for updating belief distributions.
Journal of the Royal Statistical Society B 78(5), 1103-1130 (the power of a likelihood).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from mcrock.base.tables.parsing import ConfigError, read_columns
from mcrock.dataset.schema import OUTER
from mcrock.statistics.intervals import BOUNDS, check_level, table
from mcrock.statistics.probability import is_nested, unknown_inputs
from mcrock.statistics.runs import ESTIMATE, overturn_levels
from mcrock.study import Study
from mcrock.study.sampling import variable_name

__all__ = ["Labels", "Weights", "calibrate", "left_out", "read_labels", "weigh_draws"]

COLUMNS = ("realization", "record", "intensity")  # that choose runs; each may be missing
MOST = 2**53  # number of a run of which a table can say that it is whole
STUDY = "study"  # column with the number of the study, from 0 in their order


class Labels(NamedTuple):
    """Observations of objects that fell or stood, one label each."""

    fallen: NDArray[np.float64]  # (n_label,) 1 fell, 0 stood
    chosen: dict[str, NDArray[np.int64]]  # (n_label,) numbers from 0 that choose runs, by `COLUMNS`
    study: NDArray[np.int64]  # (n_label,) number of the study, from 0

    def of_study(self, number: int) -> Labels:
        """Labels of one study, by its number from 0."""
        own = self.study == number
        chosen = {name: array[own] for name, array in self.chosen.items()}
        return Labels(self.fallen[own], chosen, self.study[own])


def read_labels(path: str | Path) -> Labels:
    """Read labels from a CSV file.

    The column ``fallen`` has 1 for objects that fell and 0 for those that stood; ``study`` the number of the
    study, by default 0. The columns ``realization``, ``record`` and ``intensity``, numbers from 0 in the
    order of the store, choose the runs that a label refers to; without them it refers to all runs.

    Parameters
    ----------
    path : str or Path
        CSV file with a line of column names.

    Returns
    -------
    Labels

    Raises
    ------
    ConfigError
        If the file cannot be read, has no column ``fallen`` or an unknown one, a value of ``fallen`` other
        than 0 and 1, or other numbers that are not whole numbers from 0.
    """
    place = Path(path)
    columns = read_columns(place)
    if "fallen" not in columns or not columns["fallen"]:
        raise ConfigError(f"{place}: expected a column 'fallen' with 1 for fallen and 0 for standing")
    unknown = [name for name in columns if name not in (*COLUMNS, STUDY, "fallen")]
    if unknown:
        raise ConfigError(
            f"{place}: unknown column {unknown[0]!r}; expected fallen, {STUDY}, {', '.join(COLUMNS)}"
        )
    fallen = np.array(columns.pop("fallen"))
    if not np.isin(fallen, (0.0, 1.0)).all():
        row = int(np.flatnonzero(~np.isin(fallen, (0.0, 1.0)))[0])
        raise ConfigError(f"{place}: fallen: expected 0 or 1, got {fallen[row]:g} in row {row + 1}")
    chosen = {name: whole_numbers(place, name, np.array(values)) for name, values in columns.items()}
    study = chosen.pop(STUDY, np.zeros(len(fallen), np.int64))
    return Labels(fallen, chosen, study)


def whole_numbers(place: Path, name: str, values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Numbers of runs in a column of a file; a ConfigError if some are no whole numbers from 0."""
    if not ((values >= 0) & (values < MOST) & (np.floor(values) == values)).all():
        raise ConfigError(f"{place}: {name}: expected whole numbers from 0")
    return values.astype(np.int64)


def shares_of_runs(
    fallen: NDArray[np.float64], labels: Labels, record: NDArray[np.int64] | None = None
) -> NDArray[np.float64]:
    """Fraction overturned of the runs that each label is about, by draw (n_draw, n_label) [1].

    Parameters
    ----------
    fallen : ndarray (n_draw, n_realization, n_intensity)
        From `overturned_shares`.
    labels : Labels
    record : ndarray (n_realization,), optional
        Number of the record of each realization.

    Raises
    ------
    ValueError
        If a label is about no run.
    """
    found = np.empty((len(fallen), len(labels.fallen)))
    for k in range(len(labels.fallen)):
        rows, levels = chosen_runs(labels, k, fallen.shape[1:], record)
        found[:, k] = fallen[:, rows][:, :, levels].mean(axis=(1, 2))
    return found


def chosen_runs(
    labels: Labels, k: int, shape: tuple[int, ...], record: NDArray[np.int64] | None
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which realizations and which intensities the label k is about, of a study with runs of a shape
    (n_realization, n_intensity); records as of `shares_of_runs`.

    Raises
    ------
    ValueError
        If it is about no run.
    """
    sizes = dict(zip(("realization", "intensity"), shape, strict=True))
    rows, levels = (np.ones(size, bool) for size in shape)
    for name, numbers in labels.chosen.items():
        number = int(numbers[k])
        if name == "record":
            if record is None:
                raise ValueError("the study has no records, and the labels name them")
            rows &= record == number
            continue
        if number >= sizes[name]:
            raise ValueError(f"row {k + 1} of the table: {name} must be 0 to {sizes[name] - 1}, got {number}")
        only = np.arange(sizes[name]) == number
        rows, levels = (rows & only, levels) if name == "realization" else (rows, levels & only)
    if not rows.any():
        raise ValueError(f"row {k + 1} of the table is about no run: no realization has its record")
    return rows, levels


def overturned_shares(ds: xr.Dataset) -> NDArray[np.float64]:
    """What each run of a nested study says: 1 overturned, 0 stood, one half where it is not decided
    (n_draw, n_realization, n_intensity).

    Raises
    ------
    ValueError
        If the study is not nested.
    """
    if not is_nested(ds):
        raise ValueError(
            "labels weigh epistemic draws: mark distributions with 'epistemic = true' and "
            "give 'ensemble.outer', the number of their draws"
        )
    draws = []
    for k in range(ds.sizes[OUTER]):
        one = ds.isel({OUTER: k}).transpose("realization", ...)
        found = overturn_levels(one).readings[ESTIMATE].astype(float)
        draws.append(found.reshape(len(found), -1))
    return np.stack(draws)


Array = NDArray[np.float64]

# where weights do not suffice: the draws of a prior that is cut lie where the labels point
REMEDY = (
    "take more draws (ensemble.outer), or cut the distributions (low, high) where the labels leave nothing, "
    "and run again"
)
ERROR_RATE = 0.05  # of a label, by default [1]
LEAST_EFFECTIVE = 10.0  # number of draws below which weights are refused [1]
BISECTIONS = 60


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights of the epistemic draws, given labels.

    Attributes
    ----------
    weight : ndarray (n_draw,)
        Weights, with the sum 1 [1].
    temper : float
        Power of the likelihood [1].
    log_likelihood : ndarray (n_draw,)
        Logarithm of the likelihood of all labels, before the temper [1].
    """

    weight: Array
    temper: float
    log_likelihood: Array

    @property
    def effective(self) -> float:
        """Effective number of draws: one over the sum of the squared weights [1]."""
        return float(1.0 / (self.weight**2).sum())

    def mean(self, values: ArrayLike) -> Array:
        """Weighted mean (...) of values of the draws (n_draw, ...), in their unit."""
        return np.tensordot(self.weight, np.asarray(values, float), axes=1)

    def quantile(self, values: ArrayLike, probability: ArrayLike) -> Array:
        """Weighted quantiles, of the shape of ``probability``, of values of the draws (n_draw,)."""
        x = np.asarray(values, float)
        order = np.argsort(x, kind="stable")
        reached = np.cumsum(self.weight[order])
        place = np.searchsorted(reached / reached[-1], probability)
        return x[order][np.minimum(place, len(x) - 1)]


def log_likelihoods(share: ArrayLike, fallen: ArrayLike, error_rate: float = ERROR_RATE) -> Array:
    """Logarithm of the likelihood of each label under each draw (n_draw, n_label) [1].

    Parameters
    ----------
    share : array_like (n_draw, n_label)
        Fraction of the runs of a draw, of what has the label, that overturned; one run that is not decided
        counts one half [1].
    fallen : array_like (n_label,)
        1 for what fell, 0 for what stood.
    error_rate : float
        Between 0 and 0.5 [1].

    Raises
    ------
    ValueError
        If the shapes do not fit, a label is neither 0 nor 1, a share is outside 0 to 1 or the error rate
        outside (0, 0.5).
    """
    p, y = np.asarray(share, float), np.asarray(fallen, float)
    if p.ndim != 2 or y.shape != p.shape[1:] or not p.size:
        raise ValueError(f"share must be (draws, labels) and fallen (labels,), got {p.shape} and {y.shape}")
    if not np.isin(y, (0.0, 1.0)).all():
        raise ValueError(
            f"labels must be 1 for fallen and 0 for standing, got {y[~np.isin(y, (0.0, 1.0))][0]:g}"
        )
    if not ((p >= 0.0) & (p <= 1.0)).all():
        raise ValueError("shares of runs that overturned must be 0 to 1")
    if not 0.0 < error_rate < 0.5:
        raise ValueError(f"the error rate must be between 0 and 0.5, got {error_rate:g}")
    return np.log(error_rate + (1.0 - 2.0 * error_rate) * np.where(y == 1.0, p, 1.0 - p))


def weigh_draws(
    share: ArrayLike,
    fallen: ArrayLike,
    *,
    error_rate: float = ERROR_RATE,
    temper: float | None = None,
    least_effective: float = LEAST_EFFECTIVE,
) -> Weights:
    """Weight epistemic draws by what fell and what stood.

    The likelihood of a label is e + (1 - 2 e) q, with the error rate e and the fraction q of the runs that do
    what was seen.

    Parameters
    ----------
    share : array_like (n_draw, n_label)
        Overturned fraction of the runs of each draw that each label refers to; an undecided run counts as one
        half [1].
    fallen : array_like (n_label,)
        1 for fallen, 0 for standing.
    error_rate : float
        e, probability that a label is wrong, in (0, 0.5) [1].
    temper : float, optional
        Power of the likelihood, above 0 and at most 1; by default the largest that leaves ``least_effective``
        draws [1].
    least_effective : float
        Effective number of draws that the weights must leave [1].

    Returns
    -------
    Weights

    Raises
    ------
    ValueError
        If there are fewer draws than ``least_effective``, or the given ``temper`` leaves fewer effective
        ones; if shapes do not fit, or a number is outside its range.

    Examples
    --------
    >>> share = np.repeat([[0.0, 0.0], [1.0, 1.0]], 10, axis=0)
    >>> weights = weigh_draws(share, [1, 1], error_rate=0.1, least_effective=5)
    >>> float(weights.weight[:10].sum().round(4)), round(weights.effective, 2)
    (0.0122, 10.25)
    """
    each = log_likelihoods(share, fallen, error_rate)
    n = len(each)
    if n < least_effective:
        raise ValueError(
            f"{n} draws cannot leave {least_effective:g} effective ones: raise their number (ensemble.outer)"
        )
    total = each.sum(axis=1)
    if temper is None:
        temper = _largest_temper(total, least_effective)
    elif not 0.0 < temper <= 1.0:
        raise ValueError(f"the temper must be above 0 and at most 1, got {temper:g}")
    found = Weights(normalized(temper * total), float(temper), total)
    if found.effective < least_effective * (1.0 - 1e-6):
        raise ValueError(
            f"the weights collapse on {found.effective:.1f} of {n} draws, where {least_effective:g} are "
            f"asked for: give a smaller temper than {temper:g} or none, or a larger error rate; or {REMEDY}"
        )
    return found


def left_out(
    share: ArrayLike,
    fallen: ArrayLike,
    group: ArrayLike,
    *,
    error_rate: float = ERROR_RATE,
    temper: float | None = None,
    least_effective: float = LEAST_EFFECTIVE,
) -> tuple[Array, Array]:
    """Probabilities of the labelled objects, each by the draws weighted with the labels of all other groups.

    Parameters
    ----------
    group : array_like (n_label,)
        Group of each label, such as its recording; groups are left out one at a time.
    share, fallen, error_rate, temper, least_effective
        As for `weigh_draws`.

    Returns
    -------
    probability : ndarray (n_label,)
        Of falling [1].
    effective : ndarray (n_label,)
        Effective number of draws behind each [1].

    Raises
    ------
    ValueError
        As `weigh_draws`.
    """
    p, y, of = np.asarray(share, float), np.asarray(fallen, float), np.asarray(group)
    probability, effective = np.empty(len(y)), np.empty(len(y))
    for name in np.unique(of):
        own = of == name
        weights = weigh_draws(
            p[:, ~own], y[~own], error_rate=error_rate, temper=temper, least_effective=least_effective
        )
        probability[own], effective[own] = weights.mean(p[:, own]), weights.effective
    return np.clip(probability, 0.0, 1.0), effective  # what rounding leaves of a sum of weights


def normalized(log_weight: Array) -> Array:
    """Weights with sum 1 from their logarithms."""
    weight = np.exp(log_weight - log_weight.max())
    return weight / weight.sum()


def _largest_temper(total: Array, least: float) -> float:
    """Largest power of the likelihood that leaves so many effective draws."""

    def enough(temper: float) -> bool:
        weight = normalized(temper * total)
        return bool(1.0 / (weight**2).sum() >= least)

    if enough(1.0):
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if enough(middle) else (low, middle)
    return low


NAMES = {  # of weights by labels, as `mcrock.statistics.intervals.LONG_NAMES`
    "weight": "weight of each draw {curve}",
    "log_likelihood": "logarithm of its likelihood {curve}",
    "mean": "mean {.4g}",
    "std": "standard deviation {.2g}",
    "fallen": "1 if it fell {curve}",
    "study": "study of the label {curve}",
    "expected": "probability that it falls {curve}",
    "count": "how many of the labelled should have fallen {.1f}",
    "count_std": "standard deviation {.1f}",
    "tail": "P of being as far off as seen {.2g}",
    "count_seen": "how many of them fell {g}",
}
STAGES = ("before", "after")


def calibrate(
    studies: Sequence[xr.Dataset],
    labels: Labels,
    *,
    error_rate: float = ERROR_RATE,
    temper: float | None = None,
    least_effective: float = LEAST_EFFECTIVE,
    level: float = 0.9,
) -> xr.Dataset:
    """Weight the epistemic draws that studies share by what fell and what stood.

    Parameters
    ----------
    studies : sequence of Dataset
        Results of nested studies with the same seed and number of epistemic draws, so that draw k of an input
        that two of them have is the same number in both. The calibration is transferred to those without
        labels: other objects, directions or earthquakes.
    labels : Labels
        What fell and what stood, from `read_labels`.
    error_rate, temper, least_effective
        As for `weigh_draws`.
    level : float
        Coverage of the intervals over the draws [1].

    Returns
    -------
    Dataset
        With `stage` "before" and "after" the labels. `weight` (draw) and `log_likelihood` (draw) [1], with
        the attributes `effective`, `temper` and `error_rate`. Of the unknown inputs, with the units `unit`
        (input): `mean` and `std` (input, stage), `quantile` (bound, input, stage), and `draw_NAME` (draw),
        the values. Of the labels: `fallen` and `study` (seen), and `expected` (stage, seen) [1], the
        probability of having fallen. `count` and `count_std` (stage) [1], mean and standard deviation of the
        predicted number of labelled objects that fall, `count_seen` [1], the number that fell, and `tail`
        (stage) [1], the probability of a number at least as far from the mean. For each study k
        `probability_k` (stage, intensity_k) of overturning and `probability_interval_k` (bound, stage,
        intensity_k) over the draws [1].

    Raises
    ------
    ValueError
        If the studies do not share their draws, a label names a study that is not there, or as `weigh_draws`.
    """
    check_level(level)
    said = [overturned_shares(ds) for ds in studies]
    unknown = _shared_inputs(studies, [len(one) for one in said])
    if labels.study.max() >= len(studies):
        raise ValueError(
            f"labels name study {labels.study.max()}, numbered from 0, and there "
            + ("is 1 study" if len(studies) == 1 else f"are {len(studies)} studies")
        )
    share = _shares(studies, said, labels)
    after = weigh_draws(
        share, labels.fallen, error_rate=error_rate, temper=temper, least_effective=least_effective
    )
    n = len(after.weight)
    before = Weights(np.full(n, 1.0 / n), 0.0, after.log_likelihood)
    both, tails = (before, after), np.array([(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    inputs = [f"{name} [{_unit(studies, name)}]" for name in unknown]
    result = xr.Dataset(
        coords={
            "stage": list(STAGES),
            "bound": list(BOUNDS),
            "input": list(unknown),
            "input_label": ("input", inputs),
        },
        attrs={
            "effective": after.effective,
            "temper": after.temper,
            "error_rate": error_rate,
            "level": level,
            "draws": n,
        },
    )
    result["weight"] = ("draw", after.weight)
    result["log_likelihood"] = ("draw", after.log_likelihood)
    rows = np.array([[_moments(weights, values, tails) for weights in both] for values in unknown.values()])
    rows = rows.reshape(len(unknown), 2, 4)
    result["mean"] = (("input", "stage"), rows[..., 0])
    result["std"] = (("input", "stage"), rows[..., 1])
    result["quantile"] = (("bound", "input", "stage"), np.moveaxis(rows[..., 2:], -1, 0))
    result["unit"] = ("input", [_unit(studies, name) for name in unknown], {"digits": "curve"})
    for name, values in unknown.items():
        result[f"draw_{name}"] = ("draw", values, {"units": _unit(studies, name), "digits": "curve"})
    result["fallen"] = ("seen", labels.fallen)
    result["study"] = ("seen", labels.study)
    result["expected"] = (("stage", "seen"), np.stack([weights.mean(share) for weights in both]))
    counts = np.array([_count(weights, share, labels.fallen, error_rate) for weights in both])
    result["count"], result["count_std"], result["tail"] = (("stage", column) for column in counts.T)
    result["count_seen"] = float(labels.fallen.sum())
    for number, (ds, fallen) in enumerate(zip(studies, said, strict=True)):
        of_draw = fallen.mean(axis=1)
        axis = f"intensity_{number}"
        if "intensity" in ds.dims:
            result = result.assign_coords({axis: (axis, ds["intensity"].values, ds["intensity"].attrs)})
        result[f"probability_{number}"] = (("stage", axis), np.stack([w.mean(of_draw) for w in both]))
        bounds = [[w.quantile(column, tails) for column in of_draw.T] for w in both]
        dims = ("bound", "stage", axis)
        result[f"probability_interval_{number}"] = (dims, np.moveaxis(np.array(bounds), -1, 0))
    of_draws = {f"probability_{k}": "probability of overturning {.4f}" for k in range(len(studies))}
    of_draws |= {f"probability_interval_{k}": f"{100 * level:.4g} % of draws" for k in range(len(studies))}
    names = NAMES | of_draws | {"quantile": f"{100 * level:.4g} % of draws"}
    return table(dict(result.data_vars), dict(result.coords), result.attrs, names)


def _shares(studies: Sequence[xr.Dataset], said: Sequence[Array], labels: Labels) -> Array:
    """Overturned fraction of the runs that each label refers to (n_draw, n_label) [1]."""
    share = np.empty((len(said[0]), len(labels.fallen)))
    for number, (ds, fallen) in enumerate(zip(studies, said, strict=True)):
        own = labels.study == number
        record = ds["record"].isel({OUTER: 0}).values if "record" in ds else None
        share[:, own] = shares_of_runs(fallen, labels.of_study(number), record)
    return share


def _shared_inputs(studies: Sequence[xr.Dataset], draws: Sequence[int]) -> dict[str, Array]:
    """Unknown inputs of all studies (n_draw,), which must not differ where two have one."""
    if len(set(draws)) > 1:
        raise ValueError(f"studies must have as many epistemic draws, got {', '.join(map(str, draws))}")
    seeds = [ds.attrs.get("seed") for ds in studies]
    if len(set(seeds)) > 1:
        raise ValueError(f"studies share their draws only with one seed, got {', '.join(map(str, seeds))}")
    found: dict[str, Array] = {}
    for ds in studies:
        for name, values in unknown_inputs(ds).items():
            if name in found and name in _drawn(ds) and not np.array_equal(found[name], values):
                raise ValueError(
                    f"{name} differs between the studies in the same draw: give all of them one distribution"
                )
            found.setdefault(name, values)
    return found


def _drawn(ds: xr.Dataset) -> set[str]:
    """Variables of what a study draws itself; others follow from it, and from what it has of its own."""
    return {variable_name(name) for name in Study.from_json(ds.attrs["config"]).epistemic}


def _unit(studies: Sequence[xr.Dataset], name: str) -> str:
    return next((str(ds[name].attrs.get("units", "1")) for ds in studies if name in ds), "1")


def _moments(weights: Weights, values: Array, tails: Array) -> list[float]:
    mean = float(weights.mean(values))
    spread = float(np.sqrt(max(float(weights.mean((values - mean) ** 2)), 0.0)))
    return [mean, spread, *weights.quantile(values, tails).tolist()]


def _count(weights: Weights, share: Array, fallen: Array, error_rate: float) -> list[float]:
    """Mean and standard deviation of how many of the labelled fall, and the probability of a count at least
    as far from the mean as that seen: labels of a draw independent, with the error rate, and a normal sum."""
    p = error_rate + (1.0 - 2.0 * error_rate) * share
    of_draw, within = p.sum(axis=1), (p * (1.0 - p)).sum(axis=1)
    mean = float(weights.mean(of_draw))
    variance = float(weights.mean(within)) + float(weights.mean((of_draw - mean) ** 2))
    deviation = np.sqrt(max(variance, np.finfo(float).tiny))
    off = max(abs(float(fallen.sum()) - mean) - 0.5, 0.0) / deviation
    return [mean, float(deviation), float(2.0 * ndtr(-off))]
