"""Faces of convex polyhedra: normals, areas, COM heights, sides, and how they join.

Arrays have a leading axis of ``n`` bodies that share one list of faces. The vertices are relative to
the centre of mass (COM); each face lists its own counter-clockwise seen from above when the body lies
on that face, which is seen from inside the body.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Faces = tuple[tuple[int, ...], ...]

FLATNESS = 1e-9  # deviation of a base from a plane, over the size of the body, that is rounding [1]


def dot(a: Array, b: Array) -> Array:
    """Scalar products along the last axis."""
    return np.einsum("...i,...i->...", a, b)  # far quicker than a sum over three


def cross(a: Array, b: Array) -> Array:
    """Vector products along the last axis."""
    found = np.empty(np.broadcast_shapes(a.shape, b.shape))  # `np.cross` takes five times as long for a few
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        found[..., i] = a[..., j] * b[..., k] - a[..., k] * b[..., j]
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
        found[:, f] = -cross(arms[:, :-1], arms[:, 1:]).sum(1)
    return found


def face_areas(vertices: Array, faces: Faces) -> Array:
    """Areas (n, n_face) [m2]."""
    vectors = area_vectors(vertices, faces)
    return 0.5 * np.sqrt(dot(vectors, vectors))


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
    inwards = cross(along, normal[:, None])
    with np.errstate(divide="ignore", invalid="ignore"):
        inwards /= np.sqrt(dot(inwards, inwards))[..., None]
    return -dot(corners, inwards)


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
                turn = dot(cross(normals[:, g], normals[:, f]), along)
                with np.errstate(divide="ignore", invalid="ignore"):
                    turn /= length
                pairs.append((min(f, g), max(f, g)))
                angles.append(np.arctan2(turn, dot(normals[:, f], normals[:, g])))
    return pairs, np.stack(angles, -1)


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
