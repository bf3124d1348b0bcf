"""All amplitudes at which outcomes change: nested scans, a search between their points, and bisection.

A scan of 2**k + 1 amplitudes, evenly spaced in the logarithm, is made level by level: each level halves
the steps of the one before it and keeps its points, so that a finer scan contains every coarser one. Each
level also searches where free motion comes close to overturning, and halves its steps further below the
lowest amplitude that overturns, where the block comes close to it.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcrock.planar.runs import Array

COUNTED_IMPACTS = 3  # bands of fewer impacts are told apart; from here on they are one
FIRST_SEARCH = 3  # level from which bands between points of the scan are searched for
NEAR = 0.5  # distance from the balanced state below which they are [1]
SECTIONS = 30  # of the search for such a band, each 0.618 of the one before
HALVINGS = 3  # of the step of a level below the lowest amplitude that overturns
NEAR_TILT = 0.5  # peak tilt over slenderness above which these steps are halved [1]
ROUNDS = 20  # of bisection, when one step of the scan holds several limits
LARGEST_LEVEL = 20  # of a scan


class TriedAmplitudes(NamedTuple):
    """Runs that were made, in the order of case and amplitude."""

    case: NDArray[np.int64]
    amplitude: Array
    state: NDArray[np.int64]  # 0 stands, 1 + impacts (at most COUNTED_IMPACTS) overturns, -1 undecided
    impacts: NDArray[np.int64]
    margin: Array  # distance of the free motion from the balanced state, positive if it overturns [1]
    peak: Array  # largest tilt over the slenderness [1]

    def taken(self, which: NDArray[np.int64] | NDArray[np.bool_]) -> TriedAmplitudes:
        """Some of the points."""
        return TriedAmplitudes._make(column[which] for column in self)


Runner = Callable[[NDArray[np.int64], Array], TriedAmplitudes]  # runs of cases at amplitudes


class AmplitudeInterval:
    """Points of cases between the amplitudes ``begin`` (n,) and ``end``.

    The place of a point is its share of the range in the logarithm: exact at the points of a level, so
    that those of other levels are known again.
    """

    def __init__(self, runs: Runner, begin: Array, end: float) -> None:
        self.runs, self.begin, self.range = runs, begin, end / begin
        none = np.zeros(0, dtype=np.int64)
        self.points = runs(none, np.zeros(0))
        self.place = np.zeros(0)
        self.searched = np.zeros(0)  # keys of the places at which searches ended

    @property
    def _keys(self) -> Array:
        """Numbers that rise with case and place."""
        return 2.0 * self.points.case + self.place

    def add(self, case: NDArray[np.int64], place: Array) -> None:
        """Make the runs at some places that have not been made."""
        keys = np.setdiff1d(2.0 * case + place, self._keys)
        case = (keys // 2.0).astype(np.int64)
        place = keys - 2.0 * case
        self._merge(place, self.runs(case, self.begin[case] * self.range[case] ** place))

    def _merge(self, place: Array, points: TriedAmplitudes) -> None:
        self.place = np.append(self.place, place)
        self.points = TriedAmplitudes(*(np.append(*pair) for pair in zip(self.points, points, strict=True)))
        order = np.argsort(self._keys, kind="stable")
        self.place, self.points = self.place[order], self.points.taken(order)

    def changes(self) -> NDArray[np.bool_]:
        """Whether the state changes from one point to the next of the same case (n_point - 1,)."""
        return (np.diff(self.points.case) == 0) & (np.diff(self.points.state) != 0)

    def add_level(self, level: int) -> None:
        """Make a level of the scan and what goes with it."""
        n, places = len(self.begin), np.arange(2**level + 1) / 2**level
        self.add(np.repeat(np.arange(n), len(places)), np.tile(places, n))
        if level >= FIRST_SEARCH:
            self._search(places)
        self._halve_below_the_lowest(0.5 ** (level + HALVINGS))

    def _search(self, places: Array) -> None:
        """Look for a band around points alike of which the middle one comes closest to the balanced state."""
        keys = 2.0 * np.arange(len(self.begin))[:, None] + places
        known = np.searchsorted(self.searched, keys)
        index = np.searchsorted(self._keys, keys.ravel()).reshape(keys.shape)
        changed = np.append(0, np.cumsum(self.changes()))[index]
        state, margin = self.points.state[index], self.points.margin[index]
        away = np.where(np.isfinite(margin), np.abs(margin), inf)
        alike = (changed[:, 2:] == changed[:, :-2]) & (state[:, 1:-1] >= 0)
        closest = (away[:, 1:-1] <= away[:, :-2]) & (away[:, 1:-1] <= away[:, 2:]) & (away[:, 1:-1] < NEAR)
        row, column = np.nonzero(alike & closest & (known[:, 2:] == known[:, :-2]))
        amplitude = self.points.amplitude[index]
        found, middle = search_between(
            self.runs, row, amplitude[row, column], amplitude[row, column + 2], state[row, column + 1]
        )
        self._merge(self._place_of(found.case, found.amplitude), found)
        self.searched = np.sort(np.append(self.searched, 2.0 * row + self._place_of(row, middle)))

    def _place_of(self, case: NDArray[np.int64], amplitude: Array) -> Array:
        return np.asarray(np.log(amplitude / self.begin[case]) / np.log(self.range[case]))

    def _halve_below_the_lowest(self, narrowest: float) -> None:
        """Halve steps wider than ``narrowest`` below the lowest amplitude that overturns, at large tilts."""
        while True:
            case, fell, peak = self.points.case, self.points.state > 0, self.points.peak
            fallen: NDArray[np.int64] = np.cumsum(fell) - fell  # points before that overturn, of all cases
            first = np.searchsorted(case, case)  # of the case
            below = (fallen == fallen[first])[1:] & (case[1:] == case[:-1])
            wide = np.diff(self.place) > 1.5 * narrowest
            chosen = below & wide & (np.maximum(peak[1:], peak[:-1]) > NEAR_TILT)
            if not chosen.any():
                return
            self.add(case[1:][chosen], 0.5 * (self.place[1:] + self.place[:-1])[chosen])


def scan_level(scan: int) -> int:
    """Level of the coarsest scan of at least so many amplitudes.

    >>> scan_level(1024), scan_level(1025), scan_level(1026)
    (10, 10, 11)
    """
    return max(1, (scan - 2).bit_length())


def scan_amplitudes(
    runs: Runner, begin: Array, end: float, level: int
) -> tuple[TriedAmplitudes, NDArray[np.int64]]:
    """Points of a scan and between them, and the changes (n,) that the scan of the level before met."""
    scan = AmplitudeInterval(runs, begin, end)
    half = np.zeros(len(begin), dtype=np.int64)
    for number in range(level + 1):
        half = np.bincount(scan.points.case[1:][scan.changes()], minlength=len(begin))
        scan.add_level(number)
    return scan.points, half


def search_between(
    runs: Runner, case: NDArray[np.int64], low: Array, high: Array, state: NDArray[np.int64]
) -> tuple[TriedAmplitudes, Array]:
    """Points of another state between two amplitudes, and the amplitude closest to the balanced state."""
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
    others = [points.taken(points.state != state) for points in seen]
    return TriedAmplitudes(*(np.concatenate(columns) for columns in zip(*others, strict=True))), inner[0]


class Limits(NamedTuple):
    """Amplitudes at which the state changes, in the order of case and amplitude."""

    case: NDArray[np.int64]
    amplitude: Array
    before: NDArray[np.int64]
    after: NDArray[np.int64]
    impacts: NDArray[np.int64]  # just above


def find_limits(runs: Runner, points: TriedAmplitudes, tolerance: float) -> Limits:
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
