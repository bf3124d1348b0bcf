"""Rocking and overturning spectra of similar planar blocks of every size, under every motion.

A family of similar blocks of one slenderness is described by its frequency parameter p, so that a spectrum
over 2 pi/p shows every size at once. A rocking spectrum holds the largest tilt (Makris, N. and
Konstantinidis, D. (2003). The rocking spectrum and the limitations of practical design methodologies.
Earthquake Engineering and Structural Dynamics 32(2), 265-289), an overturning acceleration spectrum the
amplitudes that overturn (Zhang, J. and Makris, N. (2001). Rocking response of free-standing blocks under
cycloidal pulses. Journal of Engineering Mechanics 127(5), 473-483).

Overturning is not monotone in the amplitude: between bands in which the block overturns after one impact,
after several or without any there are safe islands. A scan of 2**k + 1 amplitudes, evenly spaced in the
logarithm, is made level by level: each level halves the steps of the one before it and keeps its points, so
that a finer scan contains every coarser one. It finds every band and island that is wider than its step, and
bisection sharpens their ends. Thinner ones are found where something points to them: free motion close to
the balanced state between two points of the scan, or a large tilt below the lowest amplitude that overturns.
Under long records there is no end to them: a scan twice as fine finds nearly twice as many, each time in
thinner bands, and what converges is the share of amplitudes that overturn. The dataset therefore says what a
scan half as fine would have found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf, isfinite, nan, pi, sin, tan
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from mcrock.base.environment import mcrock_version
from mcrock.base.params import GRAVITY, STANDING, Outcome
from mcrock.base.units import variable
from mcrock.excitation import Motion, MotionError, Pulse, pack_motions
from mcrock.impact.conditions import Controls
from mcrock.planar.block import SIDES, PlanarBlock, check_planar, rectangle_of
from mcrock.planar.integrate import PlanarResult
from mcrock.planar.restitution import Restitution, velocity_ratios
from mcrock.planar.simulation import Array, block_rows, run_many

Blocks = float | PlanarBlock | Sequence[float | PlanarBlock]
Motions = Motion | Pulse | Sequence[Motion | Pulse]


class Cases:
    """Motions, families of similar blocks and sizes, as compiled code reads them and as datasets name them.

    Cases are numbered by motion, family and size, the last one fastest. ``frequencies`` (n_size,) or
    (n_motion, n_size) are the p of the sizes [rad/s], ``pulse_frequencies`` (n_motion,) the omega_p of the
    motions [rad/s], NaN of a record that has none.
    """

    def __init__(
        self,
        motions: list[Motion | Pulse],
        slenderness: Blocks,
        frequencies: Array,
        pulse_frequencies: Array,
        r: Restitution,
        gravity: float,
    ) -> None:
        self.motions, self.pulse_frequencies = motions, pulse_frequencies
        listed = slenderness if isinstance(slenderness, Sequence | np.ndarray) else [slenderness]
        self.families = [_family(block, gravity) for block in listed]
        if not self.families:
            raise ValueError("at least one slenderness [rad] is needed, got none")
        self.restitution = r
        self.ratios = [velocity_ratios(family, r) for family in self.families]
        self.shape = (len(motions), len(self.families), np.shape(frequencies)[-1])
        self.frequencies = np.broadcast_to(np.reshape(frequencies, (-1, 1, self.shape[2])), self.shape)
        self.blocks = [
            family.resized(p)
            for per_motion in self.frequencies
            for family, row in zip(self.families, per_motion, strict=True)
            for p in row.tolist()
        ]
        ratios = [pair for _ in motions for pair in self.ratios for _ in range(self.shape[2])]
        self.rows = block_rows(self.blocks, ratios)
        self.pack = pack_motions(motions)
        self.block = np.arange(len(self.blocks))
        self.motion = np.repeat(np.arange(self.shape[0]), self.shape[1] * self.shape[2])
        # factor on a motion from which it lifts the blocks of a family (n_motion, n_family)
        self.uplift = np.array(
            [[uplift_factor(motion, family) for family in self.families] for motion in motions]
        )

    def coords(self) -> dict[str, Any]:
        """Coordinates but the sizes."""
        slenderness = [family.slenderness for family in self.families]
        return {
            "motion": ("motion", np.array([motion.name for motion in self.motions], dtype=object)),
            "slenderness": variable(
                "slenderness", slenderness, "rad", "slenderness (the smaller of the two)"
            ),
            "edge": ("edge", np.array(SIDES, dtype=object)),
        }

    def variables(self, axis: str) -> dict[str, Any]:
        """What the blocks are, what shook them, and when that begins to lift them."""
        dims = f"motion slenderness {axis}"
        radius = np.array([block.radius for block in self.blocks]).reshape(self.shape)
        if (self.frequencies == self.frequencies[:1]).all():
            dims, radius = f"slenderness {axis}", radius[0]
        peaks = np.array([peak_along_x(motion) for motion in self.motions])
        uplift = np.where(peaks[:, None] > 0, self.uplift * peaks[:, None], nan)
        duration = [_duration(motion) for motion in self.motions]
        return {
            "radius": variable(dims, radius, "m", "distance R from the centre of mass to the edge"),
            "velocity_ratio": variable(
                "slenderness edge",
                self.ratios,
                "1",
                "angular velocity after over before a landing on the edge",
            ),
            "uplift_acceleration": variable(
                "motion slenderness",
                uplift,
                "m s-2",
                "peak of the acceleration along x at which rocking begins, all components scaled alike",
            ),
            "pulse_period": variable(
                "motion", 2 * pi / self.pulse_frequencies, "s", "period 2 pi/omega_p of the pulse"
            ),
            "duration": variable("motion", duration, "s", "time for which the ground moves"),
        }

    def attributes(self, kind: str, controls: Controls, runs: int) -> dict[str, str | float | int]:
        """Attributes of a dataset."""
        r = self.restitution
        return {
            "Conventions": "CF-1.10",
            "source": f"mcrock {mcrock_version()}",
            "spectrum": kind,
            "restitution": r if isinstance(r, str) else " ".join(map(str, np.atleast_1d(r).tolist())),
            "gravity": float(self.families[0].gravity),
            "step": controls.step,
            "max_step": controls.max_step,
            "runs": runs,
        }


def list_motions(motions: Motions) -> list[Motion | Pulse]:
    """One motion or several as a list.

    Raises
    ------
    MotionError
        If there is none.
    """
    listed = [motions] if isinstance(motions, Motion | Pulse) else list(motions)
    if not listed:
        raise MotionError("at least one ground motion is needed, got none")
    return listed


def pulse_frequency(motion: Motion | Pulse, given: float | None) -> float:
    """omega_p of a motion [rad/s], NaN of a record if it is not given.

    Raises
    ------
    ValueError
        If a given one is not finite and positive.
    """
    if given is None:
        return motion.angular_frequency if isinstance(motion, Pulse) else nan
    if not (isfinite(given) and given > 0):
        raise ValueError(f"angular_frequency must be finite and > 0 [rad/s], got {given!r}")
    return float(given)


def increasing(name: str, values: ArrayLike | None, unit: str) -> Array:
    """Numbers of an axis, checked.

    Raises
    ------
    ValueError
        If they are not a list of finite, positive and increasing numbers.
    """
    array = np.atleast_1d(np.asarray(values, float))
    if array.ndim != 1 or not len(array):
        raise ValueError(f"{name} must be a list of numbers [{unit}], got shape {array.shape}")
    if not (np.isfinite(array).all() and array[0] > 0 and (np.diff(array) > 0).all()):
        raise ValueError(f"{name} must be finite, > 0 and increasing [{unit}], got {array.tolist()}")
    return array


def peak_along_x(motion: Motion | Pulse) -> float:
    """Peak of the acceleration along x, the axis of the plane [m/s2]."""
    return abs(motion.amplitude[0]) if isinstance(motion, Pulse) else float(abs(motion.acceleration[0]).max())


def peak_along_z(motion: Motion | Pulse) -> float:
    """Peak of the vertical acceleration [m/s2]."""
    return abs(motion.amplitude[2]) if isinstance(motion, Pulse) else float(abs(motion.acceleration[2]).max())


def uplift_factor(motion: Motion | Pulse, block: PlanarBlock) -> float:
    """Factor on a motion from which on it lifts a block [1], infinite if it never does.

    With the COM at the height h, the distance b from an edge holds the block down as long as
    (g + a_z) b + s h a_x > 0, s = 1 for the right and -1 for the left edge. Accelerations are linear
    between samples, and those of a pulse are in phase, so that their extremes decide.
    """
    if isinstance(motion, Pulse):
        x, z = (motion.amplitude[i] * np.array(_extremes_of_sine(motion)) for i in (0, 2))
    else:
        x, z = motion.acceleration[0], motion.acceleration[2]
    pulls = (
        float((-z - sign * x * block.com_height / distance).max())
        for sign, distance in ((1.0, block.right), (-1.0, block.left))
    )
    return min(block.gravity / pull if pull > 0 else inf for pull in pulls)


def _extremes_of_sine(pulse: Pulse) -> tuple[float, float]:
    """Smallest and largest value of the sine of a pulse [1]."""
    first, last = pulse.phase, pulse.phase + 2 * pi * pulse.cycles
    ends = sin(first), sin(last)

    def passes(angle: float) -> bool:
        return first + (angle - first) % (2 * pi) <= last

    return (-1.0 if passes(-pi / 2) else min(ends)), (1.0 if passes(pi / 2) else max(ends))


def _duration(motion: Motion | Pulse) -> float:
    return motion.end - motion.start if isinstance(motion, Pulse) else motion.duration


def _family(block: float | PlanarBlock, gravity: float) -> PlanarBlock:
    """The block that stands for all that are similar to it."""
    if isinstance(block, PlanarBlock):
        return block
    if not isinstance(block, int | float | np.number):
        check_planar(block, "a slenderness [rad] or a PlanarBlock")
    return rectangle_of(float(block), 1.0, gravity)


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


RECORD_SCAN, PULSE_SCAN = 1025, 4097  # amplitudes of a scan by default
NO_BOUND = 1e9  # on the time step: none of a run on a pulse is as long [s]


def overturning_spectrum(
    motions: Motions,
    slenderness: Blocks,
    frequency_ratios: ArrayLike | None = None,
    *,
    periods: ArrayLike | None = None,
    angular_frequency: float | None = None,
    r: Restitution = "housner_1963",
    largest_amplitude: float = 20.0,
    scan: int | None = None,
    tolerance: float = 1e-6,
    gravity: float = GRAVITY,
    controls: Controls | None = None,
    workers: int | None = None,
) -> xr.Dataset:
    """Bands of amplitude of the ground acceleration in which similar blocks of every size overturn.

    Every band and every island of safety between bands that is wider than a step of the scan is found,
    and some of the thinner ones.

    Parameters
    ----------
    motions : Motion, Pulse or sequence of them
        Their x and z components act, whatever their amplitude; the peak of x is the amplitude a_p.
    slenderness : float, PlanarBlock or sequence of them
        As for `rocking_spectrum`.
    frequency_ratios, periods : array_like (n,)
        One of the two, increasing: omega_p/p [1], or 2 pi/p [s].
    angular_frequency : float, optional
        omega_p [rad/s], needed for frequency ratios of records (that of the pulse in them); pulses have
        their own. Over periods it is only named in the dataset.
    r : str, float or tuple of 2 float
        As for `rocking_spectrum`.
    largest_amplitude : float
        End of the scan, a_p/(g tan slenderness) [1]. It begins where rocking does.
    scan : int, optional
        Amplitudes of the scan, evenly spaced in the logarithm, rounded up to 2**k + 1: a finer scan
        contains the coarser ones. By default 1025, or 4097 for pulses alone, which take a tenth of the
        time. Below the lowest amplitude that overturns, where the tilt exceeds half the slenderness, the
        steps are an eighth.
    tolerance : float
        Relative accuracy of the limits [1].
    gravity, controls, workers
        As for `rocking_spectrum`; for pulses the step is a share of 1/p and of the pulse alone, so that
        the spectrum does not depend on the size.

    Returns
    -------
    Dataset
        Bands of overturning in rising order, over (motion, slenderness, frequency_ratio or period, band):
        `lower` and `upper` amplitude a_p/(g tan slenderness) [1], the upper one infinite where the block
        still overturns at the end of the scan, and the `impacts` before overturning at the lower end.
        Bands are split where the impacts change among 0, 1, 2 and more, and are NaN (impacts -1) beyond
        the last. `limits` counts the limits between standing and overturning or between bands, and
        `half_scan_limits` those that a scan half as fine meets: where it is the smaller one, bands are as
        thin as the scan and others have probably been missed. `undecided` counts runs that met a
        numerical limit; they count as standing. `uplift_amplitude` (motion, slenderness) [1] is where
        rocking begins: 1 for a symmetric block without vertical acceleration. The dataset also has
        `uplift_acceleration`, `pulse_period`, `duration` and `radius`, as for `rocking_spectrum`.

    Raises
    ------
    ValueError
        For an unsuitable motion, slenderness, axis, scan or restitution.

    Examples
    --------
    >>> from mcrock.excitation import one_sine
    >>> ds = overturning_spectrum(one_sine(1.0, 6.0), 0.2, [5.0], scan=100)
    >>> scale = np.tan(0.2) / 0.2  # to a_p/(g slenderness)
    >>> (ds["lower"] * scale).values.round(2).ravel().tolist(), ds["impacts"].values.ravel().tolist()
    ([2.63, 7.37], [1, 0])
    >>> (ds["upper"] * scale).values.round(2).ravel().tolist()
    [6.98, inf]
    """
    listed = list_motions(motions)
    own = np.array([pulse_frequency(motion, angular_frequency) for motion in listed])
    axis, sizes, frequencies = _sizes(frequency_ratios, periods, own, [motion.name for motion in listed])
    if not 1e-12 <= tolerance < 1:
        raise ValueError(f"tolerance must be at least 1e-12 and below 1, got {tolerance!r}")
    controls = controls or Controls()
    of_pulses = all(isinstance(motion, Pulse) for motion in listed)
    if of_pulses:
        controls = replace(controls, max_step=NO_BOUND)
    level = _check_scan(scan if scan is not None else PULSE_SCAN if of_pulses else RECORD_SCAN)
    cases = Cases(listed, slenderness, frequencies, own, r, gravity)
    uplift, scale = _amplitude_scale(cases)
    if not (isfinite(largest_amplitude) and largest_amplitude > 1.000001 * uplift.max()):
        raise ValueError(
            f"the largest amplitude must be finite and exceed {uplift.max():.4g}, a_p/(g tan slenderness) at "
            f"which rocking begins, got {largest_amplitude!r}"
        )
    begin, scale = (np.repeat(array, cases.shape[2]) for array in (uplift, scale))
    runs = _CountedRuns(cases, scale, controls, workers)
    points, half = scan_amplitudes(runs, begin, largest_amplitude, level)
    limits = find_limits(runs, points, tolerance)
    undecided = np.bincount(points.case[points.state < 0], minlength=len(begin))
    attrs = {
        **cases.attributes("overturning acceleration spectrum", controls, runs.count),
        "largest_amplitude": float(largest_amplitude),
        "scan": 2**level + 1,
        "scan_step": float((largest_amplitude / begin.min()) ** 0.5**level - 1),
        "tolerance": tolerance,
    }
    variables = {**_variables(axis, cases.shape, limits, half, undecided, uplift), **cases.variables(axis)}
    return xr.Dataset(variables, {**cases.coords(), axis: sizes}, attrs)


def _sizes(
    frequency_ratios: ArrayLike | None, periods: ArrayLike | None, own: Array, names: list[str]
) -> tuple[str, tuple[Any, ...], Array]:
    """Name of the axis of sizes, its coordinate, and the p of the sizes [rad/s] as `Cases` takes them."""
    if (frequency_ratios is None) == (periods is None):
        raise ValueError("give either frequency_ratios (omega_p/p, for pulses) or periods (2 pi/p in s)")
    if periods is not None:
        values = increasing("periods 2 pi/p", periods, "s")
        return "period", variable("period", values, "s", "period parameter 2 pi/p"), 2 * pi / values
    values = increasing("frequency ratios omega_p/p", frequency_ratios, "1")
    if np.isnan(own).any():
        raise ValueError(
            f"motion '{names[int(np.isnan(own).argmax())]}' is a record and has no omega_p of its "
            "own; give angular_frequency [rad/s], or periods 2 pi/p [s] in place of frequency ratios"
        )
    about = variable("frequency_ratio", values, "1", "frequency of the pulse over p, omega_p/p")
    return "frequency_ratio", about, own[:, None] / values


def _variables(
    axis: str,
    shape: tuple[int, ...],
    limits: Limits,
    half: NDArray[np.int64],
    undecided: NDArray[np.int64],
    uplift: Array,
) -> dict[str, tuple[Any, ...]]:
    """Results of the scan, as variables of the dataset."""
    lower, upper, impacts = collect_bands(limits, len(half), shape)
    dims = f"motion slenderness {axis}"
    amplitude = "amplitude a_p/(g tan slenderness)"

    def count(numbers: NDArray[np.int64], words: str) -> tuple[Any, ...]:
        return variable(dims, numbers.reshape(shape).astype("i4"), "1", words)

    return {
        "band": variable("band", np.arange(lower.shape[-1]), "1", "band of overturning, from the lowest"),
        "lower": variable(f"{dims} band", lower, "1", f"{amplitude} above which the block overturns"),
        "upper": variable(f"{dims} band", upper, "1", f"{amplitude} up to which the block overturns"),
        "impacts": variable(
            f"{dims} band", impacts.astype("i4"), "1", "impacts before overturning, -1 where there is no band"
        ),
        "limits": count(np.bincount(limits.case, minlength=len(half)), "limits found"),
        "half_scan_limits": count(half, "limits that a scan half as fine meets"),
        "undecided": count(undecided, "runs of the scan that met a numerical limit"),
        "uplift_amplitude": variable(
            "motion slenderness", uplift, "1", f"{amplitude} at which rocking begins"
        ),
    }


class _CountedRuns:
    """Runs of cases at amplitudes, counted."""

    def __init__(self, cases: Cases, scale: Array, controls: Controls, workers: int | None) -> None:
        self.cases, self.scale, self.controls, self.workers = cases, scale, controls, workers
        self.count = 0

    def __call__(self, case: NDArray[np.int64], amplitude: Array) -> TriedAmplitudes:
        cases = self.cases
        out = run_many(
            cases.rows,
            cases.pack,
            cases.block[case],
            cases.motion[case],
            amplitude * self.scale[case],
            self.controls,
            self.workers,
        )
        self.count += len(case)
        outcome, impacts = out[:, PlanarResult.OUTCOME].astype(int), out[:, PlanarResult.IMPACTS].astype(int)
        state = np.where(outcome == Outcome.OVERTURNED, 1 + np.minimum(impacts, COUNTED_IMPACTS), -1)
        state[np.isin(outcome, STANDING)] = 0
        return TriedAmplitudes(
            case, amplitude, state, impacts, out[:, PlanarResult.MARGIN], out[:, PlanarResult.PEAK_RATIO]
        )


def _check_scan(scan: int) -> int:
    """Level of a scan of at least so many amplitudes."""
    if not (isinstance(scan, int) and 3 <= scan <= 2**LARGEST_LEVEL + 1):
        raise ValueError(
            f"scan must be a number of amplitudes, from 3 to {2**LARGEST_LEVEL + 1}, got {scan!r}"
        )
    return scan_level(scan)


def _amplitude_scale(cases: Cases) -> tuple[Array, Array]:
    """Normalised amplitudes at which rocking begins (n_motion, n_family), and the factors on the motions for
    amplitude 1.
    """
    peaks = np.array([peak_along_x(motion) for motion in cases.motions])
    for motion, peak in zip(cases.motions, peaks, strict=True):
        if peak == 0.0:
            raise MotionError(
                f"motion '{motion.name}' has no acceleration along x, the axis of the plane; turn it with "
                "Motion.rotated, or take the other component"
            )
    for motion, factors in zip(cases.motions, cases.uplift, strict=True):
        if not np.isfinite(factors).all():
            raise MotionError(
                f"motion '{motion.name}' lifts the block at no amplitude: its z component holds it down"
            )
    threshold = np.array([family.gravity * tan(family.slenderness) for family in cases.families])
    scale = threshold / peaks[:, None]
    return cases.uplift / scale, scale


def rocking_spectrum(
    motions: Motions,
    slenderness: Blocks,
    periods: ArrayLike,
    *,
    r: Restitution = "housner_1963",
    angular_frequency: float | None = None,
    gravity: float = GRAVITY,
    controls: Controls | None = None,
    workers: int | None = None,
) -> xr.Dataset:
    """Largest tilt of similar blocks of every size.

    Parameters
    ----------
    motions : Motion, Pulse or sequence of them
        Their x and z components act.
    slenderness : float, PlanarBlock or sequence of them
        A number is a homogeneous rectangle of that slenderness [rad], a block stands for all blocks
        similar to it.
    periods : array_like (n,)
        2 pi/p, increasing [s].
    r : str, float or tuple of 2 float
        Restitution, as for `mcrock.planar.velocity_ratios`.
    angular_frequency : float, optional
        omega_p [rad/s] that the dataset names as that of the motions; pulses have their own. It changes
        no result.
    gravity : float
        For rectangles given by their slenderness [m/s2].
    controls : Controls, optional
        Numerical settings.
    workers : int, optional
        Threads; all cores by default. They change no bit of the result.

    Returns
    -------
    Dataset
        Over (motion, slenderness, period): `peak_tilt` [rad], `peak_tilt_ratio` (over the slenderness)
        [1], `outcome`, `impacts` while the ground moves and up to overturning, `peak_friction_demand` [1]
        and `contact_lost`; `radius` R [m] of the blocks. A block that overturned has a peak tilt of pi/2.
        Of each motion: `peak_acceleration` and `peak_vertical_acceleration` [m/s2], `duration` [s],
        `pulse_period` 2 pi/omega_p [s] (NaN of a record), and `uplift_acceleration` (motion, slenderness)
        [m/s2], the peak at which rocking would begin.

    Raises
    ------
    ValueError
        For an unsuitable motion, slenderness, period or restitution.

    Examples
    --------
    >>> from mcrock.excitation import one_sine
    >>> ds = rocking_spectrum(one_sine(3.0, 6.0), 0.2, [1.0, 2.0, 4.0])
    >>> ds["peak_tilt_ratio"].values.round(3).ravel().tolist(), ds["outcome"].values.ravel().tolist()
    ([7.854, 7.854, 0.566], [3, 3, 8])
    """
    periods = increasing("periods 2 pi/p", periods, "s")
    listed = list_motions(motions)
    own = np.array([pulse_frequency(motion, angular_frequency) for motion in listed])
    cases = Cases(listed, slenderness, 2 * pi / periods, own, r, gravity)
    controls = controls or Controls()
    n = len(cases.block)
    out = run_many(cases.rows, cases.pack, cases.block, cases.motion, np.ones(n), controls, workers)
    flags = {
        "flag_values": np.array([int(code) for code in Outcome], "i1"),
        "flag_meanings": " ".join(code.name.lower() for code in Outcome),
    }

    def of(values: NDArray[Any], units: str, long_name: str, **more: Any) -> tuple[Any, ...]:
        return variable("motion slenderness period", values.reshape(cases.shape), units, long_name, **more)

    lost = out[:, PlanarResult.CONTACT_LOST].astype("i1")
    impacts = out[:, PlanarResult.IMPACTS].astype("i4")
    tilt = np.maximum(out[:, PlanarResult.PEAK_RIGHT], out[:, PlanarResult.PEAK_LEFT])
    variables = {
        "peak_tilt": of(tilt, "rad", "largest tilt"),
        "peak_tilt_ratio": of(
            out[:, PlanarResult.PEAK_RATIO], "1", "largest tilt over the smaller slenderness"
        ),
        "outcome": of(out[:, PlanarResult.OUTCOME].astype("i1"), "1", "how the run ended", **flags),
        "impacts": of(impacts, "1", "impacts while the ground moves and up to overturning"),
        "peak_friction_demand": of(
            out[:, PlanarResult.FRICTION],
            "1",
            "largest horizontal over vertical contact force while rocking, up to 45 degrees of tilt",
        ),
        "contact_lost": of(lost, "1", "1 if the contact force became tensile before 45 degrees of tilt"),
        **{
            name: variable("motion", peaks, "m s-2", f"peak of the acceleration along {component}")
            for name, peaks, component in (
                ("peak_acceleration", [peak_along_x(each) for each in listed], "x, the axis of the plane"),
                ("peak_vertical_acceleration", [peak_along_z(each) for each in listed], "z"),
            )
        },
        **cases.variables("period"),
    }
    coords = {
        **cases.coords(),
        "period": variable("period", periods, "s", "period parameter 2 pi/p"),
        "frequency": variable("period", 2 * pi / periods, "rad s-1", "frequency parameter p"),
    }
    return xr.Dataset(variables, coords, cases.attributes("rocking spectrum", controls, n))
