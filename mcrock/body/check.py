"""Bodies that cannot exist or cannot stand are refused here, and nowhere deeper."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mcrock.body.faces import (
    FLATNESS,
    Array,
    Faces,
    directed_edges,
    dot,
    exterior_angles,
    face_heights,
    face_normals,
)
from mcrock.body.merge import MERGE_ANGLE

PLANE = 1e-6  # deviation of a face from its plane, over the size; it may be merged from several [1]


def edge_geometry(vertices: Array) -> tuple[Array, Array, Array, Array]:
    """Distance [m] of the COM axis from each base edge (positive inside), slenderness [rad],
    unit edge directions (..., 2) [1] and lengths [m]; leading shape (n, k)."""
    step = np.roll(vertices, -1, axis=1)[..., :2] - vertices[..., :2]
    length = np.hypot(step[..., 0], step[..., 1])
    with np.errstate(invalid="ignore", divide="ignore"):
        unit = step / length[..., None]
    distance = vertices[..., 0] * unit[..., 1] - vertices[..., 1] * unit[..., 0]
    return distance, np.arctan2(distance, -vertices[..., 2]), unit, length


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
    _check_matter(mass, inertia, gravity)
    _refuse(
        ~np.isfinite(vertices).all((1, 2)),
        lambda i: f"Body.vertices must be finite [m], got {vertices[i].tolist()}",
    )
    if faces is None or len(faces) == 1:
        _check_base(vertices if faces is None else vertices[:, faces[0]])
    else:
        _check_polyhedra(vertices, faces, start_face)


def _check_matter(mass: Array, inertia: Array, gravity: Array | None) -> None:
    _refuse(
        ~(np.isfinite(mass) & (mass > 0)),
        lambda i: f"Body.mass must be finite and > 0 kg, got {mass[i]:g}",
    )
    if gravity is not None:
        _refuse(
            ~(np.isfinite(gravity) & (gravity > 0)),
            lambda i: f"Body.gravity must be finite and > 0 m/s2, got {gravity[i]:g}",
        )
    _refuse(
        ~np.isfinite(inertia).all((1, 2)),
        lambda i: f"Body.inertia must be finite [kg m2], got {inertia[i].tolist()}",
    )
    scale = np.abs(inertia).max((1, 2))
    _refuse(
        (np.abs(inertia - inertia.transpose(0, 2, 1)) > 1e-9 * scale[:, None, None]).any((1, 2)),
        lambda i: f"Body.inertia must be symmetric [kg m2], got {inertia[i].tolist()}",
    )
    moments = np.linalg.eigvalsh(inertia)
    _refuse(
        moments[:, 0] <= 0,
        lambda i: (
            f"Body.inertia must be positive definite; its principal moments are {moments[i].tolist()} kg m2"
        ),
    )
    _refuse(
        moments[:, 2] > (moments[:, 0] + moments[:, 1]) * (1 + 1e-9),
        lambda i: (
            "Body.inertia breaks the triangle inequality (no principal moment may exceed the sum of "
            f"the other two); they are {moments[i].tolist()} kg m2"
        ),
    )


def _check_base(vertices: Array) -> None:
    """Refuse bases that are no convex polygon in a plane z = -h or that the COM is not over."""
    if vertices.shape[1] < 3:
        raise ValueError(f"Body.vertices must list at least 3 base vertices, got {vertices.shape[1]}")
    size = np.ptp(vertices[..., :2], axis=1).max(-1)
    depth = np.ptp(vertices[..., 2], axis=1)
    _refuse(
        depth > FLATNESS * size,
        lambda i: (
            f"Body.vertices must lie in one plane z = -h [m], but their z differ by {depth[i]:.3g} m; "
            "for a whole body give faces too, or use hull()"
        ),
    )
    _refuse(
        vertices[..., 2].max(1) >= 0,
        lambda i: (
            "Body.vertices must lie below the centre of mass (z < 0 m), got z = "
            f"{vertices[i, :, 2].max():.6g} m"
        ),
    )
    distance, _, unit, length = edge_geometry(vertices)
    _refuse(
        length.min(1) <= 1e-9 * size,
        lambda i: (
            f"Body.vertices {length[i].argmin()} and {(length[i].argmin() + 1) % vertices.shape[1]} "
            f"coincide at {vertices[i, length[i].argmin(), :2].tolist()} m"
        ),
    )
    after = np.roll(unit, -1, axis=1)
    turn = unit[..., 0] * after[..., 1] - unit[..., 1] * after[..., 0]
    _refuse(
        (turn < 0).all(1),
        lambda i: "Body.vertices must run counter-clockwise seen from above; reverse their order",
    )
    _refuse(
        turn.min(1) <= 1e-9,
        lambda i: (
            "Body.vertices must be the corners of a convex polygon, counter-clockwise seen from "
            f"above; the corner at {vertices[i, (turn[i].argmin() + 1) % vertices.shape[1], :2].tolist()} m "
            "(relative to the centre of mass) is straight or turns the wrong way"
        ),
    )
    heading = np.arctan2(turn, (unit * after).sum(-1)).sum(1)
    _refuse(
        np.abs(heading - 2 * np.pi) > 1e-6,
        lambda i: "Body.vertices must go round the base once; the polygon crosses itself",
    )
    _refuse(
        distance.min(1) <= 0,
        lambda i: (
            "the centre of mass must stand over the inside of the base; it lies "
            f"{-distance[i].min():.6g} m outside base edge {distance[i].argmin()}"
        ),
    )


def check_faces(faces: Faces, n_vertex: int) -> None:
    """Refuse vertex lists that are not those of one closed surface round ``n_vertex`` vertices.

    Raises
    ------
    ValueError
        That names the face or edge.
    """
    check_face_lists(faces, n_vertex)
    if len(faces) == 1:
        return
    owner: dict[tuple[int, int], int] = {}
    for f, face in enumerate(faces):
        for v, w in directed_edges(face):
            if (v, w) in owner:
                raise ValueError(
                    f"Body.faces {owner[v, w]} and {f} both run from vertex {v} to {w}; list every face "
                    "counter-clockwise seen from inside the body, or use polyhedron(), which turns them round"
                )
            owner[v, w] = f
    for (v, w), f in owner.items():
        if (w, v) not in owner:
            raise ValueError(
                "Body.faces must form a closed surface; nothing is on the other side of the edge from "
                f"vertex {v} to {w} of face {f}"
            )
    euler = n_vertex - len(owner) // 2 + len(faces)
    if euler != 2:
        raise ValueError(
            f"Body.faces must form one closed surface without holes; {n_vertex} vertices - {len(owner) // 2} "
            f"edges + {len(faces)} faces must be 2, got {euler}"
        )


def check_face_lists(faces: Faces, n_vertex: int, owner: str = "Body") -> None:
    """Refuse faces that do not list three or more different vertices each, and idle vertices."""
    for f, face in enumerate(faces):
        if len(face) < 3:
            raise ValueError(f"{owner}.faces: face {f} must list at least 3 vertices, got {len(face)}")
        wrong = [v for v in face if not 0 <= v < n_vertex]
        if wrong:
            raise ValueError(f"{owner}.faces: face {f} lists vertex {wrong[0]}, expected 0 to {n_vertex - 1}")
        if len(set(face)) < len(face):
            raise ValueError(f"{owner}.faces: face {f} lists a vertex twice: {list(face)}")
    idle = set(range(n_vertex)) - {v for face in faces for v in face}
    if idle:
        raise ValueError(f"{owner}.faces: vertex {min(idle)} belongs to no face; leave it out")


def _check_polyhedra(vertices: Array, faces: Faces, start_face: NDArray[np.int64] | None) -> None:
    """Refuse surfaces that are not plane and convex, and a COM that is not strictly inside."""
    size = np.ptp(vertices, axis=1).max(-1)
    normals = face_normals(vertices, faces)
    for f, face in enumerate(faces):
        _check_face(vertices, f, face, normals[:, f], size)
    pairs, angles = exterior_angles(vertices, faces, normals)
    _refuse(
        angles.min(1) < 0.5 * MERGE_ANGLE,  # merging left none below, but rounding may
        lambda i: (
            f"Body.faces {pairs[angles[i].argmin()][0]} and {pairs[angles[i].argmin()][1]} must meet at an "
            f"angle, convex and >= {MERGE_ANGLE:g} rad, got {angles[i].min():.3g} rad; polyhedron() merges "
            "faces of one plane"
        ),
    )
    heights = face_heights(vertices, faces, normals)
    _refuse(
        heights.min(1) <= 1e-9 * size,
        lambda i: (
            "the centre of mass must be inside the body; it lies "
            f"{max(0.0, -heights[i].min()):.6g} m outside face {heights[i].argmin()}"
        ),
    )
    start = np.zeros(len(vertices), dtype=np.int64) if start_face is None else start_face
    down = -normals[np.arange(len(vertices)), start, 2]
    _refuse(
        down <= 0,
        lambda i: (
            f"the axis of the body (z) must lean by less than 90 deg when face {start[i]} lies on the "
            f"ground, got {np.degrees(np.arccos(down[i])):.1f} deg; choose another start_face or axis"
        ),
    )


def _check_face(vertices: Array, f: int, face: tuple[int, ...], normal: Array, size: Array) -> None:
    """Refuse a face that is no plane convex polygon or that other vertices are outside of."""
    corners = vertices[:, face]
    steps = np.roll(corners, -1, axis=1) - corners
    length = np.sqrt(dot(steps, steps))
    _refuse(
        length.min(1) <= 1e-9 * size,
        lambda i: (
            f"Body.vertices {face[length[i].argmin()]} and {face[(length[i].argmin() + 1) % len(face)]} "
            f"coincide at {corners[i, length[i].argmin()].tolist()} m (face {f})"
        ),
    )
    _refuse(~np.isfinite(normal).all(-1), lambda i: f"Body.faces: face {f} has no area [m2]")
    height = np.einsum("nvi,ni->nv", vertices, normal)
    height -= height[:, face].mean(1, keepdims=True)
    off = np.abs(height[:, face])
    _refuse(
        off.max(1) > PLANE * size,
        lambda i: (
            f"Body.faces: face {f} must be plane; vertex {face[off[i].argmax()]} is {off[i].max():.3g} m off "
            "its plane"
        ),
    )
    along = steps / length[..., None]
    turn = -dot(np.cross(along, np.roll(along, -1, axis=1)), normal[:, None])
    _refuse(
        turn.min(1) <= 1e-9,
        lambda i: (
            f"Body.faces: face {f} must be a convex polygon; its corner at vertex "
            f"{face[(turn[i].argmin() + 1) % len(face)]} is straight or turns the wrong way"
        ),
    )
    _refuse(
        height.max(1) > PLANE * size,
        lambda i: (
            f"Body.vertices must be the corners of a convex body; vertex {height[i].argmax()} is "
            f"{height[i].max():.3g} m outside face {f}"
        ),
    )


def _refuse(bad: NDArray[np.bool_] | np.bool_, message: Callable[[int], str]) -> None:
    if bad.any():
        i = int(np.argmax(bad))
        where = f" (body {i} of {bad.size})" if bad.size > 1 else ""
        raise ValueError(message(i) + where)
