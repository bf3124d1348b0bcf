"""Rocking spectra and overturning acceleration spectra of planar blocks.

A family of similar blocks of one slenderness is described by its frequency parameter p, so that a
spectrum shows every size at once: the largest tilt over 2 pi/p (rocking spectrum, Makris and
Konstantinidis 2003), or the amplitudes of the ground acceleration at which the block overturns
(overturning acceleration spectrum, Zhang and Makris 2001).

Overturning is not monotone in the amplitude: between bands in which the block overturns after one
impact, after several or without any there are safe islands. All bands are given, found by a scan over
the amplitude whose changes are then bisected. A band or an island thinner than the step of the scan
can be missed where nothing points to it; where free motion decides, its distance from the balanced
state shows bands between the points of the scan, and they are looked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf, isfinite, pi, tan
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

import mcrock
from mcrock.excitation import Motion, MotionError, Pulse, pack_motions
from mcrock.params import GRAVITY, STANDING, Controls, MotionPack, Outcome
from mcrock.planar import motion as kernel
from mcrock.planar.bands import COUNTED_IMPACTS, Points, collect_bands, find_limits, scan_amplitudes
from mcrock.planar.block import SIDES, PlanarBlock, rectangle_of
from mcrock.planar.restitution import velocity_ratios
from mcrock.planar.simulation import Array, block_rows, run_many

Restitution = str | float | tuple[float, float]
Blocks = float | PlanarBlock | Sequence[float | PlanarBlock]
Motions = Motion | Pulse | Sequence[Motion | Pulse]


def rocking_spectrum(
    motions: Motions,
    slenderness: Blocks,
    periods: ArrayLike,
    *,
    r: Restitution = "housner",
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
        Restitution, as for `mcrock.planar.restitution.velocity_ratios`.
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
    periods = _increasing("periods 2 pi/p", periods, "s")
    table = _Table(motions, slenderness, 2 * pi / periods, r, gravity)
    controls = controls or Controls()
    n = len(table.case_block)
    out = run_many(table.rows, table.pack, table.case_block, table.case_motion, np.ones(n), controls, workers)
    shape, dims = (len(table.motions), len(table.families), len(periods)), ("motion", "slenderness", "period")

    def variable(values: NDArray[Any], units: str, long_name: str, **more: Any) -> tuple[Any, ...]:
        return dims, values.reshape(shape), {"units": units, "long_name": long_name, **more}

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
        **_family_variables(table, "period"),
    }
    coords = {
        **_family_coords(table),
        "period": ("period", periods, {"units": "s", "long_name": "period parameter 2 pi/p"}),
        "frequency": ("period", 2 * pi / periods, {"units": "rad s-1", "long_name": "frequency parameter p"}),
    }
    return xr.Dataset(variables, coords, _attributes("rocking spectrum", table, r, controls, n))


def overturning_spectrum(
    motions: Motions,
    slenderness: Blocks,
    frequency_ratios: ArrayLike | None = None,
    *,
    periods: ArrayLike | None = None,
    angular_frequency: float | None = None,
    r: Restitution = "housner",
    largest_amplitude: float = 20.0,
    scan: int = 400,
    tolerance: float = 1e-6,
    gravity: float = GRAVITY,
    controls: Controls | None = None,
    workers: int | None = None,
) -> xr.Dataset:
    """All amplitudes of the ground acceleration at which similar blocks of every size overturn.

    Parameters
    ----------
    motions : Motion, Pulse or sequence of them
        Their x and z components act, whatever their amplitude; the peak of x is the amplitude a_p.
    slenderness : float, PlanarBlock or sequence of them
        As for `rocking_spectrum`.
    frequency_ratios, periods : array_like (n,)
        One of the two, increasing: omega_p/p [1], or 2 pi/p [s].
    angular_frequency : float, optional
        omega_p [rad/s] of frequency ratios, needed for records (that of the pulse in them); pulses have
        their own.
    r : str, float or tuple of 2 float
        As for `rocking_spectrum`.
    largest_amplitude : float
        End of the scan, a_p/(g tan slenderness) [1]. It begins where rocking can.
    scan : int
        Amplitudes of the scan, spaced evenly in the logarithm.
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
        `half_scan_limits` those that a scan at every second amplitude would have met: where it is the
        smaller one, bands are as thin as the scan and others may have been missed. `undecided` counts
        runs that met a numerical limit; they count as standing.

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
    listed = _listed(motions)
    if frequency_ratios is not None:
        axis, values = "frequency_ratio", _increasing("frequency ratios omega_p/p", frequency_ratios, "1")
        own = np.array([_frequency_of(motion, angular_frequency) for motion in listed])
        frequencies = own[:, None] / values
        about = {"units": "1", "long_name": "frequency of the pulse over p, omega_p/p"}
    else:
        axis, values = "period", _increasing("periods 2 pi/p", periods, "s")
        frequencies = 2 * pi / values
        about = {"units": "s", "long_name": "period parameter 2 pi/p"}
    if not (isinstance(scan, int) and scan >= 3):
        raise ValueError(f"scan must be a number of amplitudes, at least 3, got {scan!r}")
    if not 1e-12 <= tolerance < 1:
        raise ValueError(f"tolerance must be at least 1e-12 and below 1, got {tolerance!r}")
    controls = controls or Controls()
    if all(isinstance(motion, Pulse) for motion in listed):
        controls = replace(controls, max_step=inf)
    table = _Table(listed, slenderness, frequencies, r, gravity)
    begin, scale = _amplitude_scale(table)
    if not largest_amplitude > begin.max():
        raise ValueError(
            f"the largest amplitude must exceed {begin.max():.4g}, a_p/(g tan slenderness) at which rocking "
            f"begins, got {largest_amplitude!r}"
        )
    runs = _Runs(table, scale, controls, workers)
    points, half = scan_amplitudes(runs, begin, largest_amplitude, scan)
    limits = find_limits(runs, points, tolerance)
    shape = (len(table.motions), len(table.families), len(values))
    bands = collect_bands(limits, len(begin), shape)
    dims = ("motion", "slenderness", axis)
    counts = {
        "limits": (np.bincount(limits.case, minlength=len(begin)), "limits found"),
        "half_scan_limits": (half, "limits that every second amplitude of the scan meets"),
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
        **_family_variables(table, axis),
    }
    coords = {**_family_coords(table), axis: (axis, values, about)}
    attrs = {
        **_attributes("overturning acceleration spectrum", table, r, controls, runs.count),
        "largest_amplitude": float(largest_amplitude),
        "scan": scan,
        "scan_step": f"{(largest_amplitude / begin.max()) ** (1 / (scan - 1)) - 1:.3g} of the amplitude",
        "tolerance": tolerance,
    }
    return xr.Dataset(variables, coords, attrs)


class _Table:
    """Cases of a spectrum: every motion with every family of similar blocks in every size."""

    def __init__(
        self, motions: Motions, slenderness: Blocks, frequencies: Array, r: Restitution, gravity: float
    ) -> None:
        self.motions = _listed(motions)
        self.families = [
            block if isinstance(block, PlanarBlock) else rectangle_of(float(block), 1.0, gravity)
            for block in (slenderness if isinstance(slenderness, Sequence | np.ndarray) else [slenderness])
        ]
        if not self.families:
            raise ValueError("at least one slenderness [rad] is needed, got none")
        self.ratios = [velocity_ratios(family, r) for family in self.families]
        # the frequencies (n_x,) are the same for all motions or (n_motion, n_x)
        n = (len(self.motions), len(self.families), np.shape(frequencies)[-1])
        self.frequencies = np.broadcast_to(np.reshape(frequencies, (-1, 1, n[2])), n)
        self.blocks = [
            family.resized(p)
            for per_motion in self.frequencies
            for family, row in zip(self.families, per_motion, strict=True)
            for p in row.tolist()
        ]
        ratios = [pair for _ in self.motions for pair in self.ratios for _ in range(n[2])]
        self.rows = block_rows(self.blocks, ratios)
        self.pack: MotionPack = pack_motions(self.motions)
        self.case_block = np.arange(len(self.blocks))
        self.case_motion = np.repeat(np.arange(n[0]), n[1] * n[2])


class _Runs:
    """Runs of cases at amplitudes, counted."""

    def __init__(self, table: _Table, scale: Array, controls: Controls, workers: int | None) -> None:
        self.table, self.scale, self.controls, self.workers = table, scale, controls, workers
        self.count = 0

    def __call__(self, case: NDArray[np.int64], amplitude: Array) -> Points:
        table = self.table
        out = run_many(
            table.rows,
            table.pack,
            table.case_block[case],
            table.case_motion[case],
            amplitude * self.scale[case],
            self.controls,
            self.workers,
        )
        self.count += len(case)
        outcome, impacts = out[:, kernel.OUTCOME].astype(int), out[:, kernel.IMPACTS].astype(int)
        state = np.where(outcome == Outcome.OVERTURNED, 1 + np.minimum(impacts, COUNTED_IMPACTS), -1)
        state[np.isin(outcome, STANDING)] = 0
        return Points(case, amplitude, state, impacts, out[:, kernel.MARGIN])


def _amplitude_scale(table: _Table) -> tuple[Array, Array]:
    """Normalised amplitude below which no block lifts [1], and the factor on the motion for amplitude 1."""
    peaks = np.array([_peaks(motion) for motion in table.motions])[table.case_motion]
    slope = np.array([tan(block.slenderness) for block in table.blocks])
    gravity = np.array([block.gravity for block in table.blocks])
    # h a_x > (g + a_z) b with the vertical peak at its worst
    return 1.0 / (1.0 + peaks[:, 1] / peaks[:, 0] * slope), gravity * slope / peaks[:, 0]


def _frequency_of(motion: Motion | Pulse, given: float | None) -> float:
    """omega_p of a motion [rad/s]."""
    if given is not None:
        value = given
    elif isinstance(motion, Pulse):
        value = motion.angular_frequency
    else:
        raise ValueError(
            f"motion '{motion.name}' is a record and has no omega_p of its own; give angular_frequency "
            "[rad/s], or periods 2 pi/p [s] in place of frequency ratios"
        )
    if not (isfinite(value) and value > 0):
        raise ValueError(f"angular_frequency must be finite and > 0 [rad/s], got {value!r}")
    return value


def _peaks(motion: Motion | Pulse) -> tuple[float, float]:
    """Peaks of the x and the z component [m/s2]."""
    if isinstance(motion, Pulse):
        x, z = abs(motion.amplitude[0]), abs(motion.amplitude[2])
    else:
        x, z = (float(np.abs(motion.acceleration[row]).max()) for row in (0, 2))
    if x == 0.0:
        raise MotionError(
            f"motion '{motion.name}' has no acceleration along x, the axis of the plane; turn it with "
            "Motion.rotated, or take the other component"
        )
    return x, z


def _listed(motions: Motions) -> list[Motion | Pulse]:
    listed = [motions] if isinstance(motions, Motion | Pulse) else list(motions)
    if not listed:
        raise MotionError("at least one ground motion is needed, got none")
    return listed


def _increasing(name: str, values: ArrayLike | None, unit: str) -> Array:
    array = np.atleast_1d(np.asarray(values, float))
    if array.ndim != 1 or not len(array):
        raise ValueError(f"{name} must be a list of numbers [{unit}], got shape {array.shape}")
    if not (np.isfinite(array).all() and array[0] > 0 and (np.diff(array) > 0).all()):
        raise ValueError(f"{name} must be finite, > 0 and increasing [{unit}], got {array.tolist()}")
    return array


def _family_coords(table: _Table) -> dict[str, Any]:
    slenderness = [family.slenderness for family in table.families]
    return {
        "motion": ("motion", np.array([motion.name for motion in table.motions], dtype=object)),
        "slenderness": (
            "slenderness",
            np.array(slenderness),
            {"units": "rad", "long_name": "slenderness (the smaller of the two)"},
        ),
        "edge": ("edge", np.array(SIDES, dtype=object)),
    }


def _family_variables(table: _Table, axis: str) -> dict[str, Any]:
    """What the blocks of a spectrum are: restitution, threshold, size."""
    threshold = [family.gravity * tan(family.slenderness) for family in table.families]
    shape = table.frequencies.shape
    dims: tuple[str, ...] = ("motion", "slenderness", axis)
    radius = np.array([block.radius for block in table.blocks]).reshape(shape)
    if (table.frequencies == table.frequencies[:1]).all():
        dims, radius = dims[1:], radius[0]
    return {
        "radius": (
            dims,
            radius,
            {"units": "m", "long_name": "distance R from the centre of mass to the edge"},
        ),
        "velocity_ratio": (
            ("slenderness", "edge"),
            np.array(table.ratios),
            {"units": "1", "long_name": "angular velocity after over before a landing on the edge"},
        ),
        "uplift_acceleration": (
            "slenderness",
            np.array(threshold),
            {"units": "m s-2", "long_name": "ground acceleration g tan(slenderness) at which rocking begins"},
        ),
    }


def _flags() -> dict[str, Any]:
    return {
        "flag_values": np.array([int(code) for code in Outcome], "i1"),
        "flag_meanings": " ".join(code.name.lower() for code in Outcome),
    }


def _attributes(
    kind: str, table: _Table, r: Restitution, controls: Controls, runs: int
) -> dict[str, str | float | int]:
    return {
        "Conventions": "CF-1.10",
        "source": f"mcrock {mcrock.__version__}",
        "spectrum": kind,
        "restitution": r if isinstance(r, str) else " ".join(map(str, np.atleast_1d(r).tolist())),
        "gravity": float(table.families[0].gravity),
        "step": controls.step,
        "max_step": controls.max_step,
        "runs": runs,
    }
