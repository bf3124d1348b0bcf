"""Bodies that cannot exist or cannot stand are refused here, and nowhere deeper."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mcrock.body.base import check_base, refuse
from mcrock.body.faces import (
    Array,
    Faces,
    area_vectors,
    cross,
    dot,
    exterior_angles,
    face_heights,
    face_normals,
)
from mcrock.body.merge import MERGE_ANGLE

PLANE = 1e-6  # deviation of a face from its plane, over the size; it may be merged from several [1]


def check_bodies(
    mass: Array,
    inertia: Array,
    vertices: Array,
    gravity: Array | None = None,
    faces: Faces | None = None,
    start_face: NDArray[np.int64] | None = None,
) -> None:
    """Refuse bodies that cannot exist or, if only their base is known, cannot stand on it.

    Parameters
    ----------
    mass : ndarray (n,)
        [kg].
    inertia : ndarray (n, 3, 3)
        About the COM [kg m2].
    vertices : ndarray (n, n_vertex, 3)
        Relative to the COM [m].
    gravity : ndarray (n,), optional
        [m/s2].
    faces : tuple of tuples of int, optional
        Faces of a closed surface; by default the vertices are a base polygon, in their order.
    start_face : ndarray (n,), optional
        Face on which each body starts; 0 by default.

    Raises
    ------
    ValueError
        With field, unit and value of the first body that fails.
    """
    refuse(
        ~np.isfinite(vertices).all((1, 2)),
        lambda i: f"Body.vertices must be finite [m], got {vertices[i].tolist()}",
    )
    if faces is None or len(faces) == 1:
        _check_matter(mass, inertia, gravity)
        check_base(vertices if faces is None else vertices[:, faces[0]])
    else:
        _check_outside(vertices, faces)  # first: the mass of a homogeneous body has the sign of its volume
        _check_matter(mass, inertia, gravity)
        _check_polyhedra(vertices, faces, start_face)
        _check_spread(mass, inertia, vertices)


def _check_matter(mass: Array, inertia: Array, gravity: Array | None) -> None:
    refuse(
        ~(np.isfinite(mass) & (mass > 0)),
        lambda i: f"Body.mass must be a finite number > 0 [kg], got {mass[i]:g}",
    )
    if gravity is not None:
        refuse(
            ~(np.isfinite(gravity) & (gravity > 0)),
            lambda i: f"Body.gravity must be a finite number > 0 [m/s2], got {gravity[i]:g}",
        )
    refuse(
        ~np.isfinite(inertia).all((1, 2)),
        lambda i: f"Body.inertia must be finite [kg m2], got {inertia[i].tolist()}",
    )
    scale = np.abs(inertia).max((1, 2))
    refuse(
        (np.abs(inertia - inertia.transpose(0, 2, 1)) > 1e-9 * scale[:, None, None]).any((1, 2)),
        lambda i: f"Body.inertia must be symmetric [kg m2], got {inertia[i].tolist()}",
    )
    moments = np.linalg.eigvalsh(inertia)
    refuse(
        moments[:, 0] <= 0,
        lambda i: (
            f"Body.inertia must be positive definite; its principal moments are {moments[i].tolist()} kg m2"
        ),
    )
    refuse(
        moments[:, 2] > (moments[:, 0] + moments[:, 1]) * (1 + 1e-9),
        lambda i: (
            "Body.inertia breaks the triangle inequality (no principal moment may exceed the sum of "
            f"the other two); they are {moments[i].tolist()} kg m2"
        ),
    )


def _check_outside(vertices: Array, faces: Faces) -> None:
    """Refuse surfaces whose outside is inside."""
    first = vertices[:, [face[0] for face in faces]]
    volume = dot(area_vectors(vertices, faces), first).sum(1) / 6.0
    refuse(
        volume < 0,
        lambda i: (
            "Body.vertices turn the body inside out: its faces, each counter-clockwise seen from inside the "
            f"body, enclose {volume[i]:.4g} m3"
        ),
    )


def _check_spread(mass: Array, inertia: Array, vertices: Array) -> None:
    """Refuse principal moments that no matter between the vertices can have, however it is spread."""
    moments, axes = np.linalg.eigh(inertia)
    along = vertices @ axes
    square = (dot(vertices, vertices)[..., None] - along**2).max(1)  # farthest from each principal axis
    excess = moments / (mass[:, None] * square)
    worst = excess.argmax(1)
    refuse(
        excess.max(1) > 1 + 1e-9,
        lambda i: (
            f"Body.inertia has the principal moment {moments[i, worst[i]]:.4g} kg m2, but if all of the "
            f"{mass[i]:.6g} kg were at the vertex farthest from its axis, {square[i, worst[i]] ** 0.5:.4g} m "
            f"away, it would be {mass[i] * square[i, worst[i]]:.4g} kg m2; check the units, and that it is "
            "about the centre of mass"
        ),
    )


def _check_polyhedra(vertices: Array, faces: Faces, start_face: NDArray[np.int64] | None) -> None:
    """Refuse surfaces that are not plane and convex, and a COM that is not strictly inside."""
    size = np.ptp(vertices, axis=1).max(-1)
    normals = face_normals(vertices, faces)
    for f, face in enumerate(faces):
        _check_face(vertices, f, face, normals[:, f], size)
    pairs, angles = exterior_angles(vertices, faces, normals)
    refuse(
        angles.min(1) < 0.5 * MERGE_ANGLE,  # merging left none below, but rounding may
        lambda i: (
            f"Body.faces {pairs[angles[i].argmin()][0]} and {pairs[angles[i].argmin()][1]} must meet at an "
            f"angle, convex and >= {MERGE_ANGLE:g} rad, got {angles[i].min():.3g} rad; polyhedron() merges "
            "faces of one plane"
        ),
    )
    heights = face_heights(vertices, faces, normals)
    refuse(
        heights.min(1) <= 1e-9 * size,
        lambda i: (
            "the centre of mass must be inside the body; it lies "
            + (f"{-heights[i].min():.6g} m outside" if heights[i].min() < 0 else "on")
            + f" face {heights[i].argmin()}"
        ),
    )
    start = np.zeros(len(vertices), dtype=np.int64) if start_face is None else start_face
    down = -normals[np.arange(len(vertices)), start, 2]
    refuse(
        down <= 0,
        lambda i: (
            f"the axis of the body (z) must lean by less than 90 deg when face {start[i]} lies on the "
            f"ground, got {np.degrees(np.arccos(down[i])):.1f} deg; choose another start_face or axis"
        ),
    )


def _check_face(vertices: Array, f: int, face: tuple[int, ...], normal: Array, size: Array) -> None:
    """Refuse a face that is not a plane convex polygon or that other vertices are outside of."""
    corners = vertices[:, face]
    steps = np.roll(corners, -1, axis=1) - corners
    length = np.sqrt(dot(steps, steps))
    refuse(
        length.min(1) <= 1e-9 * size,
        lambda i: (
            f"Body.vertices {face[length[i].argmin()]} and {face[(length[i].argmin() + 1) % len(face)]} "
            f"coincide at {corners[i, length[i].argmin()].tolist()} m (face {f})"
        ),
    )
    refuse(~np.isfinite(normal).all(-1), lambda i: f"Body.faces: face {f} has no area [m2]")
    height = np.einsum("nvi,ni->nv", vertices, normal)
    height -= height[:, face].mean(1, keepdims=True)
    off = np.abs(height[:, face])
    refuse(
        off.max(1) > PLANE * size,
        lambda i: (
            f"Body.faces: face {f} must be plane; vertex {face[off[i].argmax()]} is {off[i].max():.3g} m off "
            "its plane"
        ),
    )
    along = steps / length[..., None]
    turn = -dot(cross(along, np.roll(along, -1, axis=1)), normal[:, None])
    refuse(
        turn.min(1) <= 1e-9,
        lambda i: (
            f"Body.faces: face {f} must be a convex polygon; its corner at vertex "
            f"{face[(turn[i].argmin() + 1) % len(face)]} is straight or turns the wrong way"
        ),
    )
    refuse(
        height.max(1) > PLANE * size,
        lambda i: (
            f"Body.vertices must be the corners of a convex body; vertex {height[i].argmax()} is "
            f"{height[i].max():.3g} m outside face {f}"
        ),
    )
