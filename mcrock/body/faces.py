"""Faces of convex polyhedra: normals, COM heights, sides, and which of them a body can stand on.

Arrays have a leading axis of ``n`` bodies that share one list of faces. The vertices are relative to
the centre of mass (COM); each face lists its own counter-clockwise seen from above when the body lies
on that face, which is seen from inside the body.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import radians
from typing import overload

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Faces = tuple[tuple[int, ...], ...]

FLATNESS = 1e-9  # deviation of a base from a plane, over the size of the body, that is rounding [1]
BASE_ANGLE = radians(5.0)  # faces less inclined to the start face than this count as base [rad]


def dot(a: Array, b: Array) -> Array:
    """Scalar products along the last axis."""
    found: Array = np.einsum("...i,...i->...", a, b)  # far quicker than a sum over three
    return found


def directed_edges(face: tuple[int, ...]) -> list[tuple[int, int]]:
    """Sides of a face, each from a vertex to the next; the last one returns to the first vertex."""
    return list(zip(face, face[1:] + face[:1], strict=True))


def neighbours(faces: Faces) -> list[list[int]]:
    """Face on the other side of each side of each face of a closed surface."""
    owner = {edge: f for f, face in enumerate(faces) for edge in directed_edges(face)}
    return [[owner[w, v] for v, w in directed_edges(face)] for face in faces]


def area_vectors(vertices: Array, faces: Faces) -> Array:
    """Outward normals times twice the areas (n, n_face, 3) [m2]."""
    found = np.empty((len(vertices), len(faces), 3))
    for f, face in enumerate(faces):
        arms = vertices[:, face[1:]] - vertices[:, face[:1]]
        found[:, f] = -np.cross(arms[:, :-1], arms[:, 1:]).sum(1)
    return found


def face_areas(vertices: Array, faces: Faces) -> Array:
    """Areas (n, n_face) [m2]."""
    vectors = area_vectors(vertices, faces)
    areas: Array = 0.5 * np.sqrt(dot(vectors, vectors))
    return areas


def face_normals(vertices: Array, faces: Faces) -> Array:
    """Outward unit normals (n, n_face, 3) [1]; NaN for a face without area."""
    vectors = area_vectors(vertices, faces)
    with np.errstate(divide="ignore", invalid="ignore"):
        normals: Array = vectors / np.sqrt(dot(vectors, vectors))[..., None]
    return normals


def face_heights(vertices: Array, faces: Faces, normals: Array) -> Array:
    """Height of the COM over each face (n, n_face) [m], negative where it is outside."""
    heights = [np.einsum("nki,ni->n", vertices[:, f], normals[:, i]) / len(f) for i, f in enumerate(faces)]
    return np.stack(heights, -1)


def side_distances(vertices: Array, face: tuple[int, ...], normal: Array) -> Array:
    """Distance of the COM from the sides of one face, in its plane (n, k) [m]; positive inside.

    ``normal`` (n, 3) is the outward normal of the face.
    """
    corners = vertices[:, face]
    along = np.roll(corners, -1, axis=1) - corners
    inwards = np.cross(along, normal[:, None])
    with np.errstate(divide="ignore", invalid="ignore"):
        inwards /= np.sqrt(dot(inwards, inwards))[..., None]
    return -dot(corners, inwards)


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
    over: NDArray[np.bool_] = level & above & (inside.min((1, 2)) >= -tolerance)
    return over


def exterior_angles(
    vertices: Array, faces: Faces, normals: Array | None = None
) -> tuple[list[tuple[int, int]], Array]:
    """Pairs of neighbouring faces and the angle between their outward normals (n, n_edge) [rad].

    The angle is negative at an edge where the surface is not convex.
    """
    normals = face_normals(vertices, faces) if normals is None else normals
    pairs, angles = [], []
    for f, (face, others) in enumerate(zip(faces, neighbours(faces), strict=True)):
        for (v, w), g in zip(directed_edges(face), others, strict=True):
            if v < w:  # the other side of the edge is the same pair
                along = vertices[:, w] - vertices[:, v]
                length = np.sqrt(dot(along, along))
                turn = dot(np.cross(normals[:, g], normals[:, f]), along)
                with np.errstate(divide="ignore", invalid="ignore"):
                    turn /= length
                pairs.append((min(f, g), max(f, g)))
                angles.append(np.arctan2(turn, dot(normals[:, f], normals[:, g])))
    return pairs, np.stack(angles, -1)


def nearly_flat(vertices: Array, faces: Faces, start_face: int) -> tuple[int, ...]:
    """Numbers of the start face and of the faces inclined to it by less than 5 deg that are connected
    to it through such faces; ``vertices`` (n_vertex, 3) of one body."""
    normals = face_normals(vertices[None], faces)[0]
    across = np.cross(normals[start_face], normals)
    angles = np.arctan2(np.sqrt(dot(across, across)), normals @ normals[start_face])
    return connected(faces, np.flatnonzero(angles < BASE_ANGLE).tolist(), start_face)


def connected(faces: Faces, allowed: Iterable[int], start_face: int) -> tuple[int, ...]:
    """Numbers of the start face and of those ``allowed`` faces that can be reached from it across edges
    without leaving them."""
    if len(faces) == 1:
        return (start_face,)
    joined, left, found, fresh = neighbours(faces), set(allowed), {start_face}, [start_face]
    while fresh:
        near = left.difference(found).intersection(joined[fresh.pop()])
        found |= near
        fresh += near
    return tuple(sorted(found))


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
