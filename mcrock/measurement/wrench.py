"""The equivalent of impulses that are spread over an edge or a face (section 4.1)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Wrench(NamedTuple):
    """A resultant impulse on its line of action and an angular impulse about the vertical."""

    impulse: NDArray[np.float64]  # (3,) rho [N s]
    point: NDArray[np.float64]  # (2,) x_R, y_R where the resultant meets the plane of the face [m]
    torque: float  # tau [N m s]


def equivalent_wrench(points: ArrayLike, impulses: ArrayLike, *, as_printed: bool = False) -> Wrench:
    """Modified wrench of impulses at points of a plane, equations (7) to (10).

    The printed (9) has y_R with the wrong sign, and the printed (10) is the angular impulse about the origin,
    from which that of the resultant at R is taken here: with both the wrench has the moments of the impulses.

    Parameters
    ----------
    points : array_like (n, 2)
        Where they act, in the plane of the face or edge [m].
    impulses : array_like (n, 3)
        Their components, z up [N s]; of a continuous distribution times the areas of a quadrature.
    as_printed : bool
        y_R and tau as the source prints them.

    Raises
    ------
    ValueError
        If the shapes do not fit or the vertical impulses have no sum.
    """
    at, p = np.asarray(points, float), np.asarray(impulses, float)
    if at.ndim != 2 or at.shape[1] != 2 or p.shape != (len(at), 3):
        raise ValueError(f"points [m] must be (n, 2) and impulses [N s] (n, 3), got {at.shape} and {p.shape}")
    rho = p.sum(0)
    if rho[2] == 0.0:
        raise ValueError("the vertical impulses [N s] have no sum: their resultant has no line of action")
    place = p[:, 2] @ at / rho[2]
    torque = float(at[:, 0] @ p[:, 1] - at[:, 1] @ p[:, 0])
    if as_printed:
        return Wrench(rho, place * [1.0, -1.0], torque)
    return Wrench(rho, place, torque - float(place[0] * rho[1] - place[1] * rho[0]))
