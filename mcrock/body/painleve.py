"""Up to which friction the slip of one corner always has exactly one contact force.

A corner with the offset d from the centre of mass moves, under a force F there, by W F with
``W = I/m - [d]x Theta^-1 [d]x``. While it slips in the direction s the normal force N follows from
``p N = b`` with ``p = e_z.W e_z - mu e_z.W s``: for p <= 0 there is none or more than one.

Painlevé, P. (1895). Sur les lois du frottement de glissement. Comptes rendus 121, 112-115.
Génot, F., Brogliato, B. (1999). New results on Painlevé paradoxes. European Journal of Mechanics A/Solids
18(4), 653-677.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def painleve_friction(mass: ArrayLike, inertia: ArrayLike, corners: ArrayLike) -> Array:
    """Least friction coefficient at which the slip of a corner is undetermined in some pose.

    For orthogonal unit vectors n and s the largest value of ``n.W s / n.W n`` is
    ``(w3 - w1) / (2 sqrt(w1 w3))`` with the extreme eigenvalues w1 and w3 of W.

    Parameters
    ----------
    mass : array_like (n,)
        [kg].
    inertia : array_like (n, 3, 3)
        About the centre of mass [kg m2].
    corners : array_like (n, k, 3)
        Relative to the centre of mass, in the axes of the inertia [m].

    Returns
    -------
    ndarray (n, k)
        [1]; infinite for a corner at the centre of mass.

    Examples
    --------
    Of a cube of 1 kg with edges of 1 m:

    >>> float(painleve_friction([1.0], [np.eye(3) / 6], [[[0.5, 0.5, -0.5]]])[0, 0].round(3))
    1.042
    """
    d = np.asarray(corners, float)
    zero = np.zeros(d.shape[:-1])
    x, y, z = np.moveaxis(d, -1, 0)
    cross = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=-1).reshape(*d.shape, 3)
    turn = cross @ np.linalg.inv(np.asarray(inertia, float))[:, None] @ cross
    w = np.linalg.eigvalsh(np.eye(3) / np.asarray(mass, float)[:, None, None, None] - turn)
    with np.errstate(divide="ignore"):
        return np.asarray(2.0 * np.sqrt(w[..., 0] * w[..., 2]) / (w[..., 2] - w[..., 0]))
