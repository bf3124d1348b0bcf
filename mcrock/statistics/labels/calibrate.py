"""Unknown inputs and probabilities of studies, before and after labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.special import ndtr

from mcrock.dataset.schema import OUTER
from mcrock.statistics.intervals import check_level
from mcrock.statistics.labels.read import Labels, overturned_shares, shares_of_runs
from mcrock.statistics.labels.weights import ERROR_RATE, LEAST_EFFECTIVE, Weights, weigh_draws
from mcrock.statistics.nested import unknown_inputs
from mcrock.statistics.probability import BOUNDS
from mcrock.study import Study
from mcrock.study.sampling import variable_name

Array = NDArray[np.float64]

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
    """Weight the outer draws that studies share by what fell and what stood.

    Parameters
    ----------
    studies : sequence of Dataset
        Results of nested studies with the same seed and number of outer draws, so that draw k of an input
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
    result = xr.Dataset(
        coords={"stage": list(STAGES), "bound": list(BOUNDS), "input": list(unknown)},
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
    table = np.array([[_moments(weights, values, tails) for weights in both] for values in unknown.values()])
    table = table.reshape(len(unknown), 2, 4)
    result["mean"] = (("input", "stage"), table[..., 0])
    result["std"] = (("input", "stage"), table[..., 1])
    result["quantile"] = (("bound", "input", "stage"), np.moveaxis(table[..., 2:], -1, 0))
    result["unit"] = ("input", [_unit(studies, name) for name in unknown])
    for name, values in unknown.items():
        result[f"draw_{name}"] = ("draw", values, {"units": _unit(studies, name)})
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
    return result


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
        raise ValueError(f"studies must have as many outer draws, got {', '.join(map(str, draws))}")
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
