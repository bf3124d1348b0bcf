"""Rocking spectra: the largest tilt of similar planar blocks of every size.

A family of similar blocks of one slenderness is described by its frequency parameter p, so that a spectrum
over 2 pi/p shows every size at once.

Makris, N. and Konstantinidis, D. (2003). The rocking spectrum and the limitations of practical design
methodologies. Earthquake Engineering and Structural Dynamics 32(2), 265-289.
"""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from mcrock.base.params import GRAVITY, Outcome
from mcrock.base.variables import variable
from mcrock.impact.conditions import Controls
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
from mcrock.planar.columns import PlanarResult
from mcrock.planar.restitution import Restitution
from mcrock.planar.runs import run_many


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
