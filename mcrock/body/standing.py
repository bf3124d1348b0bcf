"""On which faces a body stands: those that carry it, those it settles on, and those that count as base.

Arrays as in `mcrock.body.faces`.
"""

from __future__ import annotations

from math import radians
from typing import overload

import numpy as np
from numpy.typing import NDArray

from mcrock.body.faces import (
    FLATNESS,
    Array,
    Faces,
    connected,
    dot,
    face_heights,
    face_normals,
    neighbours,
    side_distances,
)

BASE_ANGLE = radians(5.0)  # faces less inclined to the start face than this count as base [rad]


def stable_faces(vertices: Array, faces: Faces) -> NDArray[np.bool_]:
    """Whether the COM stands over the inside of each face (n, n_face)."""
    normals = face_normals(vertices, faces)
    sides = [side_distances(vertices, face, normals[:, f]) for f, face in enumerate(faces)]
    return np.stack([distances.min(1) > 0 for distances in sides], -1)


def uplift_slenderness(vertices: Array, faces: Faces, start_face: NDArray[np.int64]) -> Array:
    """Smallest slenderness over the edges of the start face of each body (n,) [rad].

    Gravity times its tangent is the horizontal acceleration at which the body begins to rock, over an
    edge to another base face too.
    """
    normals = face_normals(vertices, faces)
    heights = face_heights(vertices, faces, normals)
    found = np.empty(len(vertices))
    for f in np.unique(start_face):
        of = start_face == f
        found[of] = np.arctan2(side_distances(vertices[of], faces[f], normals[of, f]).min(1), heights[of, f])
    return found


def stands_over(vertices: Array, face: tuple[int, ...]) -> NDArray[np.bool_]:
    """Whether ``face`` is perpendicular to z and every other vertex stands over it (n,).

    Such a body can touch the ground with nothing else before z has tilted by 90 degrees.
    """
    base = vertices[:, face]
    tolerance = FLATNESS * np.ptp(vertices, axis=1).max(-1)
    along = (np.roll(base, -1, axis=1) - base)[..., :2]
    arms = vertices[:, :, None, :2] - base[:, None, :, :2]  # (n, n_vertex, k, 2)
    across = along[:, None, :, 0] * arms[..., 1] - along[:, None, :, 1] * arms[..., 0]
    inside = across / np.hypot(along[..., 0], along[..., 1])[:, None]
    level = np.ptp(base[..., 2], axis=1) <= tolerance
    above = (vertices[..., 2] - base[:, :1, 2]).min(1) >= -tolerance
    return level & above & (inside.min((1, 2)) >= -tolerance)


def nearly_flat(vertices: Array, faces: Faces, start_face: int, angle: float = BASE_ANGLE) -> tuple[int, ...]:
    """Numbers of the start face and of the faces inclined to it by less than ``angle`` [rad], 5 deg, that
    are connected to it through such faces; ``vertices`` (n_vertex, 3) of one body."""
    normals = face_normals(vertices[None], faces)[0]
    across = np.cross(normals[start_face], normals)
    angles = np.arctan2(np.sqrt(dot(across, across)), normals @ normals[start_face])
    return connected(faces, np.flatnonzero(angles < angle).tolist(), start_face)


def lowest_face(vertices: Array, faces: Faces) -> int:
    """Face whose outward normal is closest to -z; of equal ones the first that carries the body, or the
    first. ``vertices`` (n, 3) [m] are relative to the COM."""
    down = face_normals(vertices[None], faces)[0, :, 2]
    lowest = np.flatnonzero(down <= down.min() + 1e-12)
    stable = lowest[stable_faces(vertices[None], faces)[0, lowest]]
    return int(stable[0] if len(stable) else lowest[0])


@overload
def settle(vertices: Array, faces: Faces, start_face: int) -> int: ...
@overload
def settle(vertices: Array, faces: Faces, start_face: NDArray[np.int64]) -> NDArray[np.int64]: ...
def settle(vertices: Array, faces: Faces, start_face: int | NDArray[np.int64]) -> int | NDArray[np.int64]:
    """Face on which a body comes to stand when it is put down slowly on another.

    As long as the COM is not over the inside of the face, the body rolls over the side that the COM
    is farthest outside of. The COM is lower on each face than on the one before, so this ends.

    Parameters
    ----------
    vertices : ndarray (n, n_vertex, 3) or (n_vertex, 3)
        Relative to the COM [m].
    faces : tuple of tuples of int
        Of a closed surface, as `Body.faces`.
    start_face : ndarray (n,) or int

    Returns
    -------
    ndarray (n,) or int
        ``start_face`` itself where the COM is over it.
    """
    single = np.ndim(start_face) == 0
    points = np.asarray(vertices)[None] if single else np.asarray(vertices)
    joined, normals = neighbours(faces), face_normals(points, faces)
    onwards = np.empty((len(points), len(faces)), dtype=np.int64)  # the face itself where it is stable
    for f, face in enumerate(faces):
        distances = side_distances(points, face, normals[:, f])
        onwards[:, f] = np.where(distances.min(1) > 0, f, np.array(joined[f])[distances.argmin(1)])
    now = np.atleast_1d(np.asarray(start_face, dtype=np.int64))
    rows = np.arange(len(points))
    for _ in faces:
        now = onwards[rows, now]
    return int(now[0]) if single else now
