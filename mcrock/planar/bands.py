"""All amplitudes at which outcomes change: a scan, a search between its points, and bisection."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcrock.planar.simulation import Array

COUNTED_IMPACTS = 3  # bands of fewer impacts are told apart; from here on they are one
NEAR = 0.5  # distance from the balanced state below which bands between points of the scan are looked for [1]
SECTIONS = 30  # of the search for such a band, each 0.618 of the one before
ROUNDS = 20  # of bisection, when one step of the scan holds several limits


class Points(NamedTuple):
    """Runs that were made, in the order of case and amplitude."""

    case: NDArray[np.int64]
    amplitude: Array
    state: NDArray[np.int64]  # 0 stands, 1 + impacts (at most COUNTED_IMPACTS) overturns, -1 undecided
    impacts: NDArray[np.int64]
    margin: Array  # distance of the free motion from the balanced state, positive if it overturns [1]


Runner = Callable[[NDArray[np.int64], Array], Points]  # runs of cases at amplitudes


def scan_amplitudes(runs: Runner, begin: Array, end: float, scan: int) -> tuple[Points, NDArray[np.int64]]:
    """Points of the scan and between them, and the changes that every second one of the scan meets."""
    n = len(begin)
    amplitude = np.geomspace(begin, np.full(n, end), scan, axis=1)
    case = np.repeat(np.arange(n), scan)
    points = runs(case, amplitude.ravel())
    state, margin = points.state.reshape(n, scan), points.margin.reshape(n, scan)
    half = (np.diff(state[:, ::2], axis=1) != 0).sum(1)
    # three points alike whose middle one comes closest to the balanced state: perhaps a band between them
    alike = (state[:, :-2] == state[:, 1:-1]) & (state[:, 1:-1] == state[:, 2:]) & (state[:, 1:-1] >= 0)
    away = np.where(np.isfinite(margin), np.abs(margin), inf)
    closest = (away[:, 1:-1] <= away[:, :-2]) & (away[:, 1:-1] <= away[:, 2:]) & (away[:, 1:-1] < NEAR)
    row, column = np.nonzero(alike & closest)
    found = search_between(
        runs, row, amplitude[row, column], amplitude[row, column + 2], state[row, column + 1]
    )
    merged = Points(*(np.concatenate(pair) for pair in zip(points, found, strict=True)))
    order = np.lexsort((merged.amplitude, merged.case))
    return Points(*(column[order] for column in merged)), half


def search_between(
    runs: Runner, case: NDArray[np.int64], low: Array, high: Array, state: NDArray[np.int64]
) -> Points:
    """Points of another state between two amplitudes, where the distance from balance is smallest."""
    share = 0.5 * (5**0.5 - 1)
    inner = [high - share * (high - low), low + share * (high - low)]
    seen = [runs(case, amplitude) for amplitude in inner]
    away = [np.abs(points.margin) for points in seen]
    for _ in range(SECTIONS):
        left = away[0] < away[1]
        low, high = np.where(left, low, inner[0]), np.where(left, inner[1], high)
        new = np.where(left, high - share * (high - low), low + share * (high - low))
        points = runs(case, new)
        seen.append(points)
        kept, kept_away = np.where(left, inner[0], inner[1]), np.where(left, away[0], away[1])
        fresh = np.abs(points.margin)
        inner = [np.where(left, new, kept), np.where(left, kept, new)]
        away = [np.where(left, fresh, kept_away), np.where(left, kept_away, fresh)]
    other = [points.state != state for points in seen]
    return Points(
        *(
            np.concatenate([column[keep] for column, keep in zip(columns, other, strict=True)])
            for columns in zip(*seen, strict=True)
        )
    )


class Limits(NamedTuple):
    """Amplitudes at which the state changes, in the order of case and amplitude."""

    case: NDArray[np.int64]
    amplitude: Array
    before: NDArray[np.int64]
    after: NDArray[np.int64]
    impacts: NDArray[np.int64]  # just above


def find_limits(runs: Runner, points: Points, tolerance: float) -> Limits:
    """Bisect every change of state between neighbouring points."""
    first = np.flatnonzero((np.diff(points.case) == 0) & (np.diff(points.state) != 0))
    case, low, high = points.case[first], points.amplitude[first], points.amplitude[first + 1]
    before, after, impacts = points.state[first], points.state[first + 1], points.impacts[first + 1]
    found = []
    for _ in range(ROUNDS):
        if not len(case):
            break
        end, end_state, end_impacts = high.copy(), after.copy(), impacts.copy()
        while True:
            wide = np.flatnonzero(high > low * (1 + tolerance))
            if not len(wide):
                break
            middle = runs(case[wide], np.sqrt(low[wide] * high[wide]))
            same = middle.state == before[wide]
            low[wide[same]] = middle.amplitude[same]
            rest = wide[~same]
            high[rest], after[rest] = middle.amplitude[~same], middle.state[~same]
            impacts[rest] = middle.impacts[~same]
        found.append((case, np.sqrt(low * high), before, after, impacts))
        more = after != end_state  # the step held further limits
        case, low, before = case[more], high[more], after[more]
        high, after, impacts = end[more], end_state[more], end_impacts[more]
    if not found:
        return Limits(case, low, before, after, impacts)
    columns = [np.concatenate(column) for column in zip(*found, strict=True)]
    order = np.lexsort((columns[1], columns[0]))
    return Limits(*(column[order] for column in columns))


def collect_bands(limits: Limits, n: int, shape: tuple[int, ...]) -> tuple[Array, Array, Array]:
    """Lower and upper amplitude and impacts of every band (*shape, n_band)."""
    rows: list[list[tuple[float, float, int]]] = [[] for _ in range(n)]
    following = np.append(limits.case[1:], -1)
    for i, case in enumerate(limits.case):
        if limits.after[i] > 0:
            upper = limits.amplitude[i + 1] if following[i] == case else inf
            rows[case].append((limits.amplitude[i], upper, limits.impacts[i]))
    width = max(1, *(len(row) for row in rows))
    bands = np.full((3, n, width), np.nan)
    bands[2] = -1
    for case, row in enumerate(rows):
        for place, band in enumerate(row):
            bands[:, case, place] = band
    lower, upper, impacts = bands.reshape(3, *shape, width)
    return lower, upper, impacts
