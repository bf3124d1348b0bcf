"""A test of free rocking as angles: what the readings integrate to, and what the run that fits them does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from scipy.spatial.transform import Rotation

from mcrock.measurement.recording import Recording, euler_angles
from mcrock.show import style
from mcrock.show.fit import draw_test

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mcrock.measurement.fit import Fit

PANELS = {  # column of the angles
    r"In the plane, $\varphi_y$": 1,
    r"Out of it, $\varphi_x$": 0,
    r"About the vertical, $\varphi_z$": 2,
}


def angles_of(fit: Fit) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Time (n,) [s] and the angles (n, 3) [rad] of `euler_angles` that were measured and simulated.

    Both are integrated from the tilt of the release, about the edge as y, with the rest of the bias taken
    away: a drift of the measured ones is that of the noise, and of what the model leaves out.
    """
    after = fit.time >= fit.estimates["time"]
    up = np.cross(fit.across, fit.along)
    frame = np.stack([np.cross(fit.along, up), fit.along, up])
    start = Rotation.from_rotvec([0.0, fit.estimates["tilt"], 0.0]).as_quat(scalar_first=True)
    time = fit.time[after]
    measured, simulated = (
        euler_angles(Recording(time, rates[after] @ frame.T, name=fit.name).orientation(start))
        for rates in (fit.measured, fit.simulated)
    )
    return time, measured, simulated


@style.styled
def plot_angles(fit: Fit) -> Axes:
    """Draw the angles of a test and those of the run that fits it, with their differences.

    Parameters
    ----------
    fit : Fit
        From `mcrock.measurement.fit_test`.

    Returns
    -------
    Axes
        The first of a figure two columns wide: in the plane of the release, out of it and about the vertical,
        each with the difference below.
    """
    time, measured, simulated = angles_of(fit)
    rows = style.new_figure(style.PAGE, 70.0).subplots(2, 3, sharex=True, height_ratios=[2.0, 1.0])
    both = [1e3 * angles[:, [*PANELS.values()]] for angles in (measured, simulated)]
    draw_test(rows, [*PANELS], time, [*both, both[0] - both[1]], ("Angle [mrad]", "Difference\n[mrad]"))
    for below in rows[1]:
        below.axhline(0.0, color=style.GREY, linewidth=0.6)
    largest = float(np.abs(measured - simulated).max())
    words = f"{fit.name}, edge {fit.edge}: angles integrated from the release at "
    words += f"{fit.estimates['tilt']:.4f} rad; "
    style.add_note(rows[0, 0], words + f"they differ by {1e3 * largest:.2g} mrad at most.")
    return rows[0, 0]
