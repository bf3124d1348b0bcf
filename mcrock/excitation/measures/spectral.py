"""Measures that are points of response spectra, of one component or of a pair in all directions (RotD).

Baker, J. W., Cornell, C. A. (2006). Spectral shape, epsilon and record selection. Earthquake Engineering
and Structural Dynamics 35(9), 1077-1095 (the averaged spectral acceleration).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mcrock.excitation.measures.periods import averaged, one_period
from mcrock.excitation.motion import FloatArray

# response_spectra loads the compiler: it is imported where a spectrum is computed


def spectral_acceleration(acceleration: FloatArray, dt: float, period: float, damping: float = 0.05) -> float:
    """Pseudo-spectral acceleration of one component at a period [s]: [m/s2]."""
    from mcrock.excitation.measures.response_spectra import response_spectrum

    return float(response_spectrum(acceleration, dt, [one_period(period)], damping)[0])


def average_spectral_acceleration(
    acceleration: FloatArray, dt: float, periods: ArrayLike | None = None, **parameters: Any
) -> float:
    """Geometric mean of the pseudo-spectral accelerations at several periods [m/s2]: see `averaged`."""
    from mcrock.excitation.measures.response_spectra import response_spectrum

    periods, damping = averaged(periods, **parameters)
    return geometric_mean(response_spectrum(acceleration, dt, periods, damping))


def geometric_mean(values: FloatArray) -> float:
    """Geometric mean, zero if any is."""
    return float(np.exp(np.log(values).mean())) if (values > 0).all() else 0.0


def rotated_spectral(percentile: float) -> Callable[..., float]:
    """RotD pseudo-spectral acceleration at a period."""

    def rotated(x: FloatArray, y: FloatArray, dt: float, period: float, damping: float = 0.05) -> float:
        from mcrock.excitation.measures.response_spectra import rotated_spectrum

        return float(rotated_spectrum(x, y, dt, [one_period(period)], damping, percentile=percentile)[0])

    return rotated


def rotated_average(percentile: float) -> Callable[..., float]:
    """Geometric mean of RotD pseudo-spectral accelerations at several periods."""

    def rotated(
        x: FloatArray, y: FloatArray, dt: float, periods: ArrayLike | None = None, **parameters: Any
    ) -> float:
        from mcrock.excitation.measures.response_spectra import rotated_spectrum

        periods, damping = averaged(periods, **parameters)
        return geometric_mean(rotated_spectrum(x, y, dt, periods, damping, percentile=percentile))

    return rotated
