"""From a verdict to a remedy: the number of a study at which a probability or an annual rate meets a target.

Designs that differ in one number meet the same motions and draws, so that their probabilities differ by the
number alone. The values that the runs cannot tell from one that just meets the target are those at which the
interval holds the target: the inverse of a test at each value, which covers the true value as often as the
interval covers the truth there, whatever the dependence on the number looks like (Neyman 1937). Between two
values that were run the logarithms of estimate and ends are taken as linear, and `next_value` says where one
more run makes that matter less.

Neyman, J. (1937). Outline of a theory of statistical estimation based on the classical theory of probability.
Philosophical Transactions of the Royal Society A 236, 333-380.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Unpack

import numpy as np
import xarray as xr

from mcrock.base.checks import ROUNDING, shared_keywords
from mcrock.dataset.opened import accepts_path
from mcrock.statistics.accepted_curve import (
    FAMILIES,
    ISOTONIC,
    accept_curve,
    accepted_family,
    choice_of,
    choice_of_most,
)
from mcrock.statistics.comparison import check_pairs, compare_designs
from mcrock.statistics.hazard import MEAN
from mcrock.statistics.intervals import Bootstrap, Confidence, ConfidenceKeywords, described, table
from mcrock.statistics.precision import check_aim, influence, share_of_runs
from mcrock.statistics.probability import (
    EVENT,
    by_falling,
    displacement_limit,
    overturning_probability,
    pooled,
)
from mcrock.statistics.risk import annual_rate
from mcrock.statistics.runs import is_cloud

EVENTS = ("overturning", "overturning or sliding off")  # of designs without and with a displacement limit
FAR = 10.0  # logarithms farther from that of the target count as this; 0 has none
FINE = 1.0  # of the interval of the value sought: the longest step between values around it
SHORT = 0.01  # of the range of values: no step is shorter
COUNTS = ("overturned", "undecided", "runs")
NAMES = {
    "rate": "annual rate [1/a]",
    "probability": "probability {probability}",
    "rate_by_hazard": "annual rate by the hazard curve [1/a]",
    "required": "value that just meets the target",
    "required_by_hazard": "value that meets it by the hazard curve",
    "runs_share": "share of the variance of the logarithm that runs add {percent}",
    "own_curve": "goes by itself by",
    "crossing": "values that just meet the target",
    "rate_ratio": "over that of the first",
    "difference": "less that of the first {difference}",
    "saved": "taken off by a unit of cost {.2g}",
    "cost": "cost {g}",
}


@accepts_path
@shared_keywords(Confidence)
def judge_design(
    ds: xr.Dataset,
    hazard: xr.Dataset | None = None,
    *,
    intensity: float | None = None,
    first: xr.Dataset | None = None,
    **keywords: Unpack[ConfidenceKeywords],
) -> xr.Dataset:
    """What one design is judged by: its annual rate, or its probability at one intensity.

    It is that of overturning or, where the study has a displacement limit, of falling off its support too.

    Parameters
    ----------
    ds : Dataset
        Study of the design.
    hazard : Dataset, optional
        From `load_hazard`; its mean curve counts.
    intensity : float, optional
        Level of the study that is judged, without a hazard [unit of the intensity].
    first : Dataset, optional
        Design whose runs those of this one have to be pairs of.
    **keywords
        Of `mcrock.statistics.Confidence`: `level`, `cluster` and `allow_missing`.

    Returns
    -------
    Dataset
        `rate` (fragility) [1/year] with `rate_interval` (bound, fragility) and `fit_p_value`, as of
        `annual_rate`, or `probability` with `probability_interval` (bound); `overturned` and
        `undecided` of `runs`, and `records`. `rate_by_hazard` (fragility, hazard) [1/year], by the mean curve
        and the fractiles, and `runs_share` (fragility) [1], the share of the variance of the estimate that
        more runs of the same recordings would take away (`share_of_runs`). Attribute `event`, of `EVENTS`.

    Raises
    ------
    PairingError
        As `mcrock.statistics.comparison.check_pairs`.
    ValueError
        As `check_aim`, `annual_rate` and `overturning_probability`.
    """
    if hazard is None and intensity is None:
        raise ValueError("a design is judged by a hazard or at an intensity: give one of them")
    check_aim(ds, hazard, intensity)
    if first is not None:
        check_pairs(first, ds)
    event = {EVENT: EVENTS[displacement_limit(ds) is not None]}
    ds = by_falling(pooled(ds))
    every = points = overturning_probability(ds, **keywords)
    dims: tuple[str, ...] = ()
    if hazard is not None:
        rates = annual_rate(ds, hazard, **keywords)
        found = rates[["rate", "rate_interval", "fit_p_value"]].sel(hazard=MEAN, drop=True)
        found["rate_by_hazard"] = rates["rate"].assign_attrs(described("rate_by_hazard", NAMES))
        weights, dims = influence(ds, accept_curve(ds, Bootstrap(**keywords)), hazard), ("fragility",)
    else:
        points = points.sel(intensity=intensity, method="nearest", drop=True)
        found = points[["probability"]].assign(probability_interval=points["interval"])
        weights = np.isclose(ds["intensity"], intensity or 0.0, rtol=ROUNDING).astype(float)
    share = np.full(weights.shape[:-1], np.nan)
    if not is_cloud(ds):
        share = share_of_runs(ds, weights, every["probability"].values, Confidence(**keywords))
    counts = {name: int(points[name].sum()) for name in (*COUNTS, "records")}
    attrs = {"units": "1"} | described("runs_share", NAMES)
    return found.assign(counts | {"runs_share": (dims, share, attrs)}).assign_attrs(event)


def required_value(
    found: Mapping[float, xr.Dataset], target: float, *, name: str, units: str = "1", level: float = 0.95
) -> xr.Dataset:
    """The value of a key at which designs just meet a target, with its interval.

    Annual rates are by the curve that most designs go by (`choice_of_most`), so that no step along the key is
    one from curve to curve, and by the empirical fractions where a design has no other, as where nothing
    overturned. Their intervals are each by the curve that the design goes by itself, as the inverse of a test
    at each value asks for, and hold the rate.

    Parameters
    ----------
    found : mapping of float to Dataset
        Of `judge_design`, by the value of the key, of at least two.
    target : float
        Annual rate [1/year] or probability [1] that is allowed.
    name, units : str
        Key that the designs differ in, and its unit.
    level : float
        Coverage of the intervals in ``found`` [1].

    Returns
    -------
    Dataset
        Along `value`, rising: `rate` or `probability` with its interval, `overturned`, `undecided`, `runs`,
        and `meets`, 1 where the estimate is at most the target. `crossing` (place) with `crossing_interval`
        (bound, place): all values at which the estimate just meets it; an end beyond the range is infinite.
        `required` with `required_interval` (bound): the only one of them, NaN of several; without any it is
        infinite, on the side on which the estimate nears the target, and its interval may end in the range.
        Of rates `required_by_hazard` (hazard), the same for the mean curve and the fractiles, and `own_curve`
        (value), the family that each design goes by itself. `runs_share` where the target is just met [1] and
        `records`.
        Attributes `verdict`: "at least" or "at most" the required value meets the target, "all", "none" or
        "several"; `target`, `key`, its range from `low` to `high`, `quantity`, and of rates `accepted_family`
        and `why`. `rises` and `falls`:
        whether intervals tell that the estimate does so anywhere along the values.

    Raises
    ------
    ValueError
        If there are fewer than two values, or the target is not > 0.
    """
    if len(found) < 2:
        raise ValueError(f"at least two values of {name} are compared, got {len(found)}")
    if not target > 0:
        raise ValueError(f"the target must be > 0, got {target!r}")
    value = np.sort([*found])
    ones = [found[each] for each in value]
    quantity = "rate" if "rate" in ones[0] else "probability"
    attrs: dict[str, Any] = {"key": name, "target": target, "quantity": quantity, "level": level}
    attrs |= {"low": float(value[0]), "high": float(value[-1])}
    attrs[EVENT] = max((one.attrs.get(EVENT, EVENTS[0]) for one in ones), key=len)
    more: dict[str, Any] = {}
    ends = [one[f"{quantity}_interval"] for one in ones]
    if quantity == "rate":
        choices = [choice_of(one) if one["rate"].notnull().all() else None for one in ones]
        choice = choice_of_most([each for each in choices if each])
        own = [each.family if each else ISOTONIC for each in choices]
        attrs |= choice.attrs
        more["own_curve"] = ("value", [FAMILIES[family].label for family in own])
        ends = [one["rate_interval"].sel(fragility=family) for one, family in zip(ones, own, strict=True)]
        of_all = [choice.family if each else ISOTONIC for each in choices]
        ones = [one.sel(fragility=family) for one, family in zip(ones, of_all, strict=True)]
        rates = np.array([one["rate_by_hazard"].values for one in ones]).T
        by_hazard = [_sought(value, row, row, row, target)[1].at for row in rates]
        more["required_by_hazard"] = ("hazard", by_hazard, {"units": units})
        more["hazard"] = ("hazard", ones[0]["hazard"].values)
    y = np.array([float(one[quantity]) for one in ones])
    low, high = np.array([one.values for one in ends]).T
    low, high = np.minimum(low, y), np.maximum(high, y)
    places, only = _sought(value, y, low, high, target)
    shares = np.array([float(one["runs_share"]) for one in ones])
    told = np.isfinite(shares)
    if np.isfinite(only.at) and told.any():
        more["runs_share"] = ((), np.interp(only.at, value[told], shares[told]))
    of_unit = {"units": units}
    counts = {each: ("value", [int(one[each]) for one in ones]) for each in COUNTS}
    return table(
        {
            quantity: ("value", y),
            f"{quantity}_interval": (("bound", "value"), [low, high]),
            **counts,
            **more,
            "records": ((), int(ones[0]["records"])),
            "meets": ("value", (y <= target).astype(int)),
            "crossing": ("place", [one.at for one in places], of_unit),
            "crossing_interval": (("bound", "place"), np.reshape([one[1:] for one in places], (-1, 2)).T),
            "required": ((), only.at, of_unit),
            "required_interval": ("bound", [only.low, only.high]),
            "rises": ((), int(_climbs(low, high))),
            "falls": ((), int(_climbs(low[::-1], high[::-1]))),
        },
        {"value": ("value", value, of_unit | {"long_name": name})},
        attrs | {"verdict": _verdict(y <= target, places)},
        NAMES,
    )


def frontier(found: Mapping[float, xr.Dataset], *, name: str, units: str = "1") -> xr.Dataset:
    """The value of one key that a target needs, over those of another one: a line in the plane of both.

    Parameters
    ----------
    found : mapping of float to Dataset
        Of `required_value`, by the value of the other key, all of one key and one target.
    name, units : str
        The other key, and its unit.

    Returns
    -------
    Dataset
        Along `other`, rising: `required` with `required_interval` (bound), `required_by_hazard` (hazard),
        `runs_share` and `verdict`, as of `required_value`; `designs`, how many were run, and the most
        `undecided` of `runs` of one of them. Attributes of the first, and `other`, the name.

    Raises
    ------
    ValueError
        If there are fewer than two values.
    """
    if len(found) < 2:
        raise ValueError(f"at least two values of {name} make a line, got {len(found)}")
    value = sorted(found)
    rows = [
        one.drop_dims(["value", "place"]).assign(
            {each: one[each].max() for each in COUNTS[1:]}
            | {"verdict": one.attrs["verdict"], "designs": one.sizes["value"]}
        )
        for one in map(found.__getitem__, value)
    ]
    joined = xr.concat(rows, "other", combine_attrs="override").drop_attrs(deep=False).transpose(..., "other")
    attrs = {key: item for key, item in found[value[0]].attrs.items() if key not in ("verdict", "why")}
    axis = ("other", np.array(value), {"units": units, "long_name": name})
    return joined.assign_coords(other=axis).assign_attrs(attrs, other=name)


def rank_designs(
    studies: Mapping[str, xr.Dataset],
    hazard: xr.Dataset | None = None,
    *,
    intensity: float | None = None,
    costs: Sequence[float] | None = None,
    level: float = 0.95,
) -> xr.Dataset:
    """Designs in the order of their rate or probability, each compared with the first run by run.

    Parameters
    ----------
    studies : mapping of str to Dataset
        At least two by name, with the same draws.
    hazard : Dataset, optional
        From `load_hazard`; its mean curve counts.
    intensity : float, optional
        Level of the studies that is judged, without a hazard [unit of the intensity].
    costs : sequence of float, optional
        Of each design, in any unit of money.
    level : float
        Coverage of the intervals [1].

    Returns
    -------
    Dataset
        Along `design`, the safest first: `rate` [1/year] and `rate_ratio` to the first of ``studies`` [1], or
        `probability` and `difference` to it [1], with intervals as of `compare_designs`. `cost`, and
        `saved`, what the design takes off rate or probability for each unit of cost beyond that of the
        first; NaN where it does not cost more. `undecided` of `runs`. Attribute `reference` names the first.

    Raises
    ------
    ValueError
        As `judge_design` and `compare_designs`; if there are not as many costs as designs.
    """
    names = [*studies]
    if costs is not None and len(costs) != len(names):
        raise ValueError(f"expected a cost for each of {len(names)} designs, got {len(costs)}")
    first = studies[names[0]]
    quantity, change = ("probability", "difference") if hazard is None else ("rate", "rate_ratio")
    rows, counted, event = [], [], EVENTS[0]
    for ds in studies.values():
        one = judge_design(ds, hazard, intensity=intensity, level=level)
        counted.append([int(one[each]) for each in COUNTS[1:]])
        event = max(event, one.attrs[EVENT], key=len)
        pair = compare_designs(by_falling(pooled(first)), by_falling(pooled(ds)), hazard, level=level)
        if hazard is None:
            pair = pair.sel(intensity=intensity, method="nearest")
        else:
            family = accepted_family(pair)
            one, pair = one.sel(fragility=family), pair.sel(fragility=family)
        rows.append(
            [
                (float(each[key]), each[f"{key}_interval"].values)
                for each, key in ((one, quantity), (pair, change))
            ]
        )
    (y, ends), (changes, of_changes) = (tuple(zip(*each, strict=True)) for each in zip(*rows, strict=True))
    variables: dict[str, Any] = {
        quantity: ("design", np.array(y)),
        f"{quantity}_interval": (("bound", "design"), np.array(ends).T),
        change: ("design", np.array(changes)),
        f"{change}_interval": (("bound", "design"), np.array(of_changes).T),
        **{name: ("design", numbers) for name, *numbers in zip(COUNTS[1:], *counted, strict=True)},
    }
    if costs is not None:
        more = np.array(costs, float) - costs[0]
        with np.errstate(invalid="ignore", divide="ignore"):
            variables["cost"] = ("design", np.array(costs, float))
            variables["saved"] = ("design", np.where(more > 0, (y[0] - np.array(y)) / more, np.nan))
    attrs = {"level": level, "reference": names[0], "quantity": quantity, EVENT: event}
    found = table(variables, {"design": names}, attrs, NAMES)
    return found.isel(design=np.argsort(found[quantity].values, kind="stable"))


class Crossing(NamedTuple):
    """Where a curve between values crosses a target, and the values that could be the place."""

    at: float
    low: float
    high: float


def crossings(
    value: np.ndarray, y: np.ndarray, low: np.ndarray, high: np.ndarray, target: float
) -> list[Crossing]:
    """All places where estimates (n,) cross a target, with the values around at which the interval holds it.

    Logarithms are linear between the values (n,), which rise. An interval that goes on to the first or the
    last value has an infinite end.
    """
    nodes, holds = _held(value, low, high, target)
    found = []
    for at in _roots(value, _distance(y, target)):
        k = min(int(np.searchsorted(nodes, at, side="right")) - 1, len(holds) - 1)
        out = np.flatnonzero(~holds)
        first, last = out[out < k], out[out > k]
        start = nodes[first[-1] + 1] if len(first) else -np.inf
        stop = nodes[last[0]] if len(last) else np.inf
        found.append(Crossing(float(at), float(min(start, at)), float(max(stop, at))))
    return found


def _held(
    value: np.ndarray, low: np.ndarray, high: np.ndarray, target: float
) -> tuple[np.ndarray, np.ndarray]:
    """Ends of pieces of the range (n_piece + 1,), and whether the interval holds the target in each."""
    below, above = _distance(low, target), _distance(high, target)
    nodes = np.sort([*value, *_roots(value, below), *_roots(value, above)])
    inner = 0.5 * (nodes[1:] + nodes[:-1])
    return nodes, (np.interp(inner, value, below) <= 0) & (np.interp(inner, value, above) >= 0)


def _sought(
    value: np.ndarray, y: np.ndarray, low: np.ndarray, high: np.ndarray, target: float
) -> tuple[list[Crossing], Crossing]:
    """All crossings, and the one that is sought: NaN of several, beyond the range if there is none."""
    places = crossings(value, y, low, high, target)
    if not places:
        return places, _beyond(value, y, low, high, target)
    return places, places[0] if len(places) == 1 else Crossing(np.nan, np.nan, np.nan)


def _beyond(value: np.ndarray, y: np.ndarray, low: np.ndarray, high: np.ndarray, target: float) -> Crossing:
    """The crossing of estimates that are all on one side, which is beyond the end that is nearer to it."""
    nodes, holds = _held(value, low, high, target)
    distance = abs(_distance(y, target))
    out = np.flatnonzero(~holds)
    if distance[0] < distance[-1]:
        return Crossing(-np.inf, -np.inf, float(nodes[out[0]]) if len(out) else np.inf)
    return Crossing(np.inf, float(nodes[out[-1] + 1]) if len(out) else -np.inf, np.inf)


def next_value(found: xr.Dataset) -> float | None:
    """The value to run next, so that straight lines between values matter little beside the interval.

    Parameters
    ----------
    found : Dataset
        Of `required_value`.

    Returns
    -------
    float or None
        Middle of the longest step around a crossing or an end of its interval, where that is longer than
        `FINE` of the interval; None where all are short.
    """
    value = found["value"].values
    steps = np.diff(value)
    least = SHORT * (value[-1] - value[0])
    longest, middle = 0.0, None
    for at, (low, high) in zip(found["crossing"].values, found["crossing_interval"].values.T, strict=True):
        width = np.clip(high, *value[[0, -1]]) - np.clip(low, *value[[0, -1]])
        for place in (at, low, high):
            k = int(np.clip(np.searchsorted(value, place, side="right") - 1, 0, len(steps) - 1))
            if np.isfinite(place) and steps[k] > max(FINE * width, least, longest):
                longest, middle = steps[k], float(value[k] + 0.5 * steps[k])
    return middle


def _distance(y: np.ndarray, target: float) -> np.ndarray:
    """Logarithm of numbers over the target, no farther than `FAR`; of an unknown end that far above."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(np.clip(np.log(y / target), -FAR, FAR), nan=FAR)


def _roots(value: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Where straight lines through points (n,) change their sign; 0 is below."""
    k = np.flatnonzero((z[1:] > 0) != (z[:-1] > 0))
    return value[k] + (value[k + 1] - value[k]) * z[k] / (z[k] - z[k + 1])


def _verdict(meets: np.ndarray, places: list[Crossing]) -> str:
    """Which values meet the target."""
    if not places:
        return "all" if meets.all() else "none"
    if len(places) > 1:
        return "several"
    return "at least" if meets[-1] else "at most"


def _climbs(low: np.ndarray, high: np.ndarray) -> bool:
    """Whether some interval lies above one before it."""
    return bool((low > np.minimum.accumulate(high)).any())
