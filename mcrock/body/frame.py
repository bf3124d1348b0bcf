"""Rotations: those that lay a face flat and turn body axes upright, and those of quaternions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def downwards(normal: Array) -> Array:
    """Smallest rotations (n, 3, 3) that turn unit vectors ``normal`` (n, 3) to -z.

    Half a turn about x for a vector along +z.
    """
    x, y, z = normal.T
    k = np.zeros((len(normal), 3, 3))  # cross product with normal x (-z), times the sine
    k[:, 0, 2], k[:, 1, 2] = x, y
    k[:, 2, 0], k[:, 2, 1] = -x, -y
    square = x * x + y * y
    upright = square == 0
    # 1 / (1 + cos) without cancellation
    share = np.where(z <= 0, 1 / (1 + np.abs(z)), (1 + z) / np.where(upright, 1.0, square))
    rotation: Array = np.eye(3) + k + share[:, None, None] * (k @ k)
    rotation[upright & (z > 0)] = np.diag([1.0, -1.0, -1.0])
    return rotation


def body_axes(normal: Array, axis: Array | None = None) -> Array:
    """Rotations (n, 3, 3) from given axes to body axes.

    Body z is ``axis`` (3,) or, by default, the inward normal of the start face, whose outward normal
    is ``normal`` (n, 3). The turn about body z is such that the start pose, the smallest rotation of
    the body axes that lays the start face flat, shows the body as the smallest rotation of the given
    axes does: the pose on the ground does not depend on the axis.
    """
    flat = downwards(normal)
    if axis is None:
        return flat
    axis = np.asarray(axis, float) / np.sqrt(np.square(axis).sum())
    if (axis == [0.0, 0.0, 1.0]).all():
        return np.broadcast_to(np.eye(3), flat.shape)
    leaning = flat @ axis  # the axis in the start pose
    return downwards(-leaning) @ flat


def rotation_matrix(q: ArrayLike) -> Array:
    """Rotation matrix (..., 3, 3), body to ground, of unit quaternions (..., 4)."""
    q0, q1, q2, q3 = np.moveaxis(np.asarray(q, float), -1, 0)
    rows = [
        [1 - 2 * (q2**2 + q3**2), 2 * (q1 * q2 - q0 * q3), 2 * (q1 * q3 + q0 * q2)],
        [2 * (q1 * q2 + q0 * q3), 1 - 2 * (q1**2 + q3**2), 2 * (q2 * q3 - q0 * q1)],
        [2 * (q1 * q3 - q0 * q2), 2 * (q2 * q3 + q0 * q1), 1 - 2 * (q1**2 + q2**2)],
    ]
    return np.stack([np.stack(row, -1) for row in rows], -2)
