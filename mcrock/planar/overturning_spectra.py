"""Overturning acceleration spectra: the amplitudes at which similar planar blocks of every size overturn.

A family of similar blocks of one slenderness is described by its frequency parameter p, so that a spectrum
shows every size at once.

Overturning is not monotone in the amplitude: between bands in which the block overturns after one
impact, after several or without any there are safe islands. A scan over the amplitude finds every band
and island that is wider than its step, and its changes are then bisected. Thinner ones are found where
something points to them: free motion close to the balanced state between two points of the scan, or a
large tilt below the lowest amplitude that overturns. Under long records there is no end to them: a scan
twice as fine finds nearly twice as many, each time in thinner bands, and what converges is the share
of amplitudes that overturn. The dataset therefore says what a scan half as fine would have found.

Zhang, J. and Makris, N. (2001). Rocking response of free-standing blocks under cycloidal pulses. Journal of
Engineering Mechanics 127(5), 473-483.
"""

from __future__ import annotations

from dataclasses import replace
from math import isfinite, pi, tan
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from mcrock.base.params import GRAVITY, STANDING, Outcome
from mcrock.base.variables import variable
from mcrock.excitation import MotionError, Pulse
from mcrock.impact.conditions import Controls
from mcrock.planar.bands import (
    COUNTED_IMPACTS,
    LARGEST_LEVEL,
    Limits,
    TriedAmplitudes,
    collect_bands,
    find_limits,
    scan_amplitudes,
    scan_level,
)
from mcrock.planar.cases import (
    Blocks,
    Cases,
    Motions,
    increasing,
    list_motions,
    peak_along_x,
    pulse_frequency,
)
from mcrock.planar.columns import PlanarResult
from mcrock.planar.restitution import Restitution
from mcrock.planar.runs import Array, run_many

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
