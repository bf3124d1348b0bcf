"""Faces as lists of vertex numbers: which numbers exist, and which lists make one closed surface."""

from __future__ import annotations

from typing import Any

import numpy as np

from mcrock.base.checks import Integer, shown
from mcrock.body.faces import Faces, directed_edges


def face_number(name: str, face: Any, n_face: int) -> int:
    """A face of a body; ValueError that calls it ``name`` if the body has none of that number."""
    if not Integer(0, n_face - 1).fits(face):
        raise ValueError(f"{name} must be 0 to {n_face - 1}, got {shown(face)}")
    return int(face)


def face_numbers(name: str, faces: Any, n_face: int) -> tuple[int, ...]:
    """Faces of a body; ValueError that calls them ``name`` if they are not a list of face numbers."""
    if isinstance(faces, str) or not np.iterable(faces):
        raise ValueError(f"{name} must be a list of face numbers, as in [0, 3], got {shown(faces)}")
    return tuple(face_number(name, face, n_face) for face in faces)


def face_lists(name: str, faces: Any) -> Faces:
    """Vertices of each face as tuples of int; ValueError that calls them ``name`` if they are not."""
    try:
        return tuple(tuple(Integer(0).check(name, v) for v in face) for face in faces)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} must list the vertex numbers of each face, as in [[0, 1, 2], [0, 3, 1], ...], got "
            f"{shown(faces)}"
        ) from None


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
