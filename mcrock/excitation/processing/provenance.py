"""What has been done to a motion since it was recorded, in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from mcrock.excitation.motion import Motion


def changed(motion: Motion, acceleration: ArrayLike, step: str, dt: float | None = None) -> Motion:
    """Return the motion with new samples and a phrase more in its history.

    Parameters
    ----------
    motion : Motion
        Gives name, group and metadata.
    acceleration : array_like (3, n_time)
        [m/s2].
    step : str
        What was done, for ``metadata["history"]``, where steps are separated by semicolons.
    dt : float, optional
        New time step [s].

    Examples
    --------
    >>> shake = Motion([[0.0, 2.0], [0.0, 0.0], [0.0, 1.0]], dt=0.5, name="shake")
    >>> twice = changed(changed(shake, -shake.acceleration, "sign reversed"), [[0, 1]] * 3, "replaced")
    >>> twice.metadata["history"]
    'sign reversed; replaced'
    """
    before = motion.metadata.get("history", "")
    history = f"{before}; {step}" if before else step
    return replace(
        motion,
        acceleration=np.asarray(acceleration, dtype=np.float64),
        dt=motion.dt if dt is None else dt,
        metadata={**motion.metadata, "history": history},
    )
