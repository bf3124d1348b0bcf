"""Response spectrum of a motion: of one component, or one for its horizontal pair."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mcrock.base.checks import Choice
from mcrock.excitation.measures.response_spectra import DAMPING, response_spectrum, rotated_spectrum
from mcrock.excitation.motion import FloatArray, Motion, checked

COMBINATIONS = ("geometric_mean", "rotd50", "rotd100", "x", "y", "z")


def motion_spectrum(
    motion: Motion,
    periods: ArrayLike,
    damping: float = DAMPING,
    quantity: str = "pseudo_acceleration",
    combination: str = "geometric_mean",
) -> FloatArray:
    """Response spectrum of a motion.

    Parameters
    ----------
    motion : Motion
        As recorded.
    periods, damping, quantity
        As for `mcrock.excitation.measures.response_spectra.response_spectrum`.
    combination : str
        "geometric_mean", "rotd50" or "rotd100" of the horizontal pair; of a motion with a single
        horizontal component (the other is zero throughout) each is the spectrum of that component.
        "x", "y" or "z" for one component.

    Returns
    -------
    ndarray (n_period,)
        In the units of the quantity.

    Raises
    ------
    MotionError
        If the combination or another argument is unsuitable.

    Examples
    --------
    >>> pair = Motion([[0.0, 4.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 0.0]], dt=0.5, name="pair")
    >>> motion_spectrum(pair, [0.0, 1.0]).round(3).tolist()
    [2.0, 2.826]
    """
    checked(Choice(COMBINATIONS), "combination of the components", combination)
    x, y, _ = motion.acceleration
    if combination in "xyz":
        component = motion.acceleration["xyz".index(combination)]
        return response_spectrum(component, motion.dt, periods, damping, quantity)
    along_x, along_y, _ = motion.shaken
    if not (along_x and along_y):
        return response_spectrum(y if along_y else x, motion.dt, periods, damping, quantity)
    if combination == "geometric_mean":
        of_x, of_y = (response_spectrum(a, motion.dt, periods, damping, quantity) for a in (x, y))
        return np.sqrt(of_x * of_y)
    percentile = float(combination.removeprefix("rotd"))
    return rotated_spectrum(x, y, motion.dt, periods, damping, quantity, percentile)
