"""Rocking spectra and overturning acceleration spectra of planar blocks.

A family of similar blocks of one slenderness is described by its frequency parameter p, so that a
spectrum shows every size at once: the largest tilt over 2 pi/p (rocking spectrum, Makris and
Konstantinidis 2003), or the amplitudes of the ground acceleration at which the block overturns
(overturning acceleration spectrum, Zhang and Makris 2001).

Overturning is not monotone in the amplitude: between bands in which the block overturns after one
impact, after several or without any there are safe islands. A scan over the amplitude finds every band
and island that is wider than its step, and its changes are then bisected. Thinner ones are found where
something points to them: free motion close to the balanced state between two points of the scan, or a
large tilt below the lowest amplitude that overturns. Under long records there is no end to them: a scan
twice as fine finds nearly twice as many, each time in thinner bands, and what converges is the share
of amplitudes that overturn. The dataset therefore says what a scan half as fine would have found.
"""

from __future__ import annotations

from dataclasses import replace
from math import isfinite, pi, tan
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from mcrock.conditions import Controls
from mcrock.excitation import MotionError, Pulse
from mcrock.params import GRAVITY, STANDING, Outcome
from mcrock.planar import integrate as kernel
from mcrock.planar.bands import (
    COUNTED_IMPACTS,
    LARGEST_LEVEL,
    Points,
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
    peak_along_z,
    pulse_frequency,
)
from mcrock.planar.restitution import Restitution
from mcrock.planar.simulation import Array, run_many

RECORD_SCAN, PULSE_SCAN = 1025, 4097  # amplitudes of a scan by default
NO_BOUND = 1e9  # on the time step: none of a run on a pulse is as long [s]


def rocking_spectrum(
    motions: Motions,
    slenderness: Blocks,
    periods: ArrayLike,
    *,
    r: Restitution = "housner",
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
    dims = ("motion", "slenderness", "period")

    def variable(values: NDArray[Any], units: str, long_name: str, **more: Any) -> tuple[Any, ...]:
        return dims, values.reshape(cases.shape), {"units": units, "long_name": long_name, **more}

    tilt = np.maximum(out[:, kernel.PEAK_RIGHT], out[:, kernel.PEAK_LEFT])
    variables = {
        "peak_tilt": variable(tilt, "rad", "largest tilt"),
        "peak_tilt_ratio": variable(
            out[:, kernel.PEAK_RATIO], "1", "largest tilt over the smaller slenderness"
        ),
        "outcome": variable(out[:, kernel.OUTCOME].astype("i1"), "1", "how the run ended", **_flags()),
        "impacts": variable(
            out[:, kernel.IMPACTS].astype("i4"), "1", "impacts while the ground moves and up to overturning"
        ),
        "peak_friction_demand": variable(
            out[:, kernel.FRICTION],
            "1",
            "largest horizontal over vertical contact force while rocking, up to 45 degrees of tilt",
        ),
        "contact_lost": variable(
            out[:, kernel.CONTACT_LOST].astype("i1"),
            "1",
            "1 if the contact force became tensile before 45 degrees of tilt",
        ),
        **{
            name: (
                "motion",
                np.array([peak(motion) for motion in listed]),
                {"units": "m s-2", "long_name": f"peak of the acceleration along {component}"},
            )
            for name, peak, component in (
                ("peak_acceleration", peak_along_x, "x, the axis of the plane"),
                ("peak_vertical_acceleration", peak_along_z, "z"),
            )
        },
        **cases.variables("period"),
    }
    coords = {
        **cases.coords(),
        "period": ("period", periods, {"units": "s", "long_name": "period parameter 2 pi/p"}),
        "frequency": ("period", 2 * pi / periods, {"units": "rad s-1", "long_name": "frequency parameter p"}),
    }
    return xr.Dataset(variables, coords, cases.attributes("rocking spectrum", controls, n))


def overturning_spectrum(
    motions: Motions,
    slenderness: Blocks,
    frequency_ratios: ArrayLike | None = None,
    *,
    periods: ArrayLike | None = None,
    angular_frequency: float | None = None,
    r: Restitution = "housner",
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
    if (frequency_ratios is None) == (periods is None):
        raise ValueError("give either frequency_ratios (omega_p/p, for pulses) or periods (2 pi/p in s)")
    listed = list_motions(motions)
    own = np.array([pulse_frequency(motion, angular_frequency) for motion in listed])
    if frequency_ratios is not None:
        axis, values = "frequency_ratio", increasing("frequency ratios omega_p/p", frequency_ratios, "1")
        if np.isnan(own).any():
            raise ValueError(
                f"motion '{listed[int(np.isnan(own).argmax())].name}' is a record and has no omega_p of its "
                "own; give angular_frequency [rad/s], or periods 2 pi/p [s] in place of frequency ratios"
            )
        frequencies = own[:, None] / values
        about = {"units": "1", "long_name": "frequency of the pulse over p, omega_p/p"}
    else:
        axis, values = "period", increasing("periods 2 pi/p", periods, "s")
        frequencies = 2 * pi / values
        about = {"units": "s", "long_name": "period parameter 2 pi/p"}
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
    begin, scale = (np.repeat(array, len(values)) for array in (uplift, scale))
    runs = _Runs(cases, scale, controls, workers)
    points, half = scan_amplitudes(runs, begin, largest_amplitude, level)
    limits = find_limits(runs, points, tolerance)
    shape = cases.shape
    bands = collect_bands(limits, len(begin), shape)
    dims = ("motion", "slenderness", axis)
    counts = {
        "limits": (np.bincount(limits.case, minlength=len(begin)), "limits found"),
        "half_scan_limits": (half, "limits that a scan half as fine meets"),
        "undecided": (
            np.bincount(points.case[points.state < 0], minlength=len(begin)),
            "runs of the scan that met a numerical limit",
        ),
    }
    variables = {
        "lower": (
            (*dims, "band"),
            bands[0],
            {"units": "1", "long_name": "amplitude a_p/(g tan slenderness) above which the block overturns"},
        ),
        "upper": (
            (*dims, "band"),
            bands[1],
            {"units": "1", "long_name": "amplitude a_p/(g tan slenderness) up to which the block overturns"},
        ),
        "impacts": (
            (*dims, "band"),
            bands[2].astype("i4"),
            {"units": "1", "long_name": "impacts before overturning, -1 where there is no band"},
        ),
        **{
            name: (dims, count.reshape(shape).astype("i4"), {"units": "1", "long_name": words})
            for name, (count, words) in counts.items()
        },
        "uplift_amplitude": (
            ("motion", "slenderness"),
            uplift,
            {"units": "1", "long_name": "amplitude a_p/(g tan slenderness) at which rocking begins"},
        ),
        **cases.variables(axis),
    }
    coords = {**cases.coords(), axis: (axis, values, about)}
    attrs = {
        **cases.attributes("overturning acceleration spectrum", controls, runs.count),
        "largest_amplitude": float(largest_amplitude),
        "scan": 2**level + 1,
        "scan_step": float((largest_amplitude / begin.min()) ** 0.5**level - 1),
        "tolerance": tolerance,
    }
    return xr.Dataset(variables, coords, attrs)


class _Runs:
    """Runs of cases at amplitudes, counted."""

    def __init__(self, cases: Cases, scale: Array, controls: Controls, workers: int | None) -> None:
        self.cases, self.scale, self.controls, self.workers = cases, scale, controls, workers
        self.count = 0

    def __call__(self, case: NDArray[np.int64], amplitude: Array) -> Points:
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
        outcome, impacts = out[:, kernel.OUTCOME].astype(int), out[:, kernel.IMPACTS].astype(int)
        state = np.where(outcome == Outcome.OVERTURNED, 1 + np.minimum(impacts, COUNTED_IMPACTS), -1)
        state[np.isin(outcome, STANDING)] = 0
        return Points(case, amplitude, state, impacts, out[:, kernel.MARGIN], out[:, kernel.PEAK_RATIO])


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


def _flags() -> dict[str, Any]:
    return {
        "flag_values": np.array([int(code) for code in Outcome], "i1"),
        "flag_meanings": " ".join(code.name.lower() for code in Outcome),
    }
