"""From any list of plane pieces to the faces of a convex polyhedron: orient, merge, renumber."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcrock.body.faces import Array, Faces, directed_edges, face_normals
from mcrock.body.mass import solid_moments

MERGE_ANGLE = 1e-6  # neighbouring faces that differ by less are one face [rad]
THIN = 1e-8  # a face narrower than this share of the body has no direction of its own [1]


def orient(vertices: ArrayLike, faces: Faces) -> Faces:
    """The same faces, each counter-clockwise seen from inside the body.

    A face that has to be turned round keeps its first vertex.

    Raises
    ------
    ValueError
        If the faces do not form one closed surface.
    """
    owners: dict[frozenset[int], list[tuple[int, bool]]] = defaultdict(list)
    for f, face in enumerate(faces):
        for v, w in directed_edges(face):
            owners[frozenset((v, w))].append((f, v < w))
    for edge, found in owners.items():
        if len(found) != 2:
            v, w = min(edge), max(edge)
            where = ", ".join(str(f) for f, _ in found)
            raise ValueError(
                "polyhedron.faces must form a closed surface, each edge shared by 2 faces; the edge from "
                f"vertex {v} to {w} belongs to {len(found)} (face{'s' * (len(found) > 1)} {where})"
            )
    joined: dict[int, list[tuple[int, bool]]] = defaultdict(list)  # neighbour, whether it runs alike
    for (f, up), (g, other) in owners.values():
        joined[f].append((g, up != other))
        joined[g].append((f, up != other))
    kept = {0: True}
    fresh = [0]
    while fresh:
        f = fresh.pop()
        for g, alike in joined[f]:
            if g not in kept:
                kept[g] = kept[f] if alike else not kept[f]
                fresh.append(g)
            elif kept[g] != (kept[f] if alike else not kept[f]):
                raise ValueError(f"polyhedron.faces {f} and {g} cannot be given one orientation")
    if len(kept) < len(faces):
        apart = min(set(range(len(faces))) - set(kept))
        raise ValueError(f"polyhedron.faces must form one closed surface; face {apart} is apart from face 0")
    turned = tuple(face if kept[f] else _reversed(face) for f, face in enumerate(faces))
    volume = solid_moments(np.asarray(vertices, float)[None], turned)[0][0]
    return turned if volume > 0 else tuple(map(_reversed, turned))


def _reversed(face: tuple[int, ...]) -> tuple[int, ...]:
    return face[:1] + face[:0:-1]


def merge_coplanar(
    vertices: ArrayLike, faces: Faces, normals: Array | None = None
) -> tuple[Array, Faces, NDArray[np.int64], NDArray[np.int64]]:
    """Merge neighbouring faces of one plane and drop the vertices that are no corners.

    Neighbours whose normals differ by less than 1e-6 rad are one face. A sliver narrower than 1e-8
    of the body, as triangulations leave along straight edges, joins the face across its longest side.
    Vertices inside a merged face or on a straight edge are dropped.

    Parameters
    ----------
    vertices : array_like (n_vertex, 3)
        [m].
    faces : tuple of tuples of int
        Closed surface, all faces counter-clockwise seen from the same side (`orient`).
    normals : ndarray (n_face, 3), optional
        Unit normals where they are known better than from the vertices [1].

    Returns
    -------
    vertices : ndarray (n_kept, 3)
        In their order [m].
    faces : tuple of tuples of int
        In the order of their first parts; each starts with the first corner in the list of that part.
    face_map, vertex_map : ndarray (n_face,), (n_vertex,)
        New number of each face, and of each vertex or -1 where dropped.

    Raises
    ------
    ValueError
        If the faces that lie in one plane do not form one polygon.
    """
    points = np.asarray(vertices, float)
    faces = tuple(tuple(map(int, face)) for face in faces)
    owner = {edge: f for f, face in enumerate(faces) for edge in directed_edges(face)}
    group = _groups(points, faces, normals, owner)
    face_map = np.unique(group, return_inverse=True)[1].reshape(-1)
    outlines = []
    for first in np.unique(group):
        edges = [edge for f in np.flatnonzero(group == first) for edge in directed_edges(faces[f])]
        outlines.append(_outline([(v, w) for v, w in edges if group[owner[w, v]] != first], first, faces))
    corners = np.bincount([v for outline in outlines for v in outline], minlength=len(points)) >= 3
    vertex_map = np.where(corners, np.cumsum(corners) - 1, -1)
    merged = []
    for first, outline in zip(np.unique(group), outlines, strict=True):
        left = [int(vertex_map[v]) for v in outline if corners[v]]
        if len(left) < 3:
            raise ValueError(
                f"polyhedron.faces: face {first} has fewer than 3 corners [m]; is the body flat?"
            )
        begin = next((vertex_map[v] for v in faces[first] if corners[v]), left[0])
        at = left.index(int(begin))
        merged.append(tuple(left[at:] + left[:at]))
    return points[corners], tuple(merged), face_map, vertex_map


def _groups(points: Array, faces: Faces, normals: Array | None, owner: dict) -> NDArray[np.int64]:
    """Lowest number among the faces that each face is merged with."""
    if normals is None:
        normals = face_normals(points[None], faces)[0]
    size = np.ptp(points, axis=0).max()
    parent = list(range(len(faces)))

    def root(f: int) -> int:
        while parent[f] != f:
            parent[f] = parent[parent[f]]
            f = parent[f]
        return f

    thin = []
    for face in faces:
        sides = np.roll(points[list(face)], -1, axis=0) - points[list(face)]
        lengths = np.sqrt((sides**2).sum(-1))
        area = 0.5 * np.sqrt(np.square(np.cross(points[list(face)] - points[face[0]], sides).sum(0)).sum())
        thin.append(2 * area <= THIN * size * lengths.max())
        if thin[-1]:
            v, w = directed_edges(face)[int(lengths.argmax())]
            a, b = sorted((root(owner[v, w]), root(owner[w, v])))
            parent[b] = a
    for (v, w), f in owner.items():
        g = owner[w, v]
        if f < g and not thin[f] and not thin[g]:
            sine = np.sqrt(np.square(np.cross(normals[f], normals[g])).sum())
            if np.arctan2(sine, normals[f] @ normals[g]) < MERGE_ANGLE:
                a, b = sorted((root(f), root(g)))
                parent[b] = a
    return np.array([root(f) for f in range(len(faces))])


def _outline(edges: list[tuple[int, int]], first: int, faces: Faces) -> list[int]:
    """The closed polygon made of directed edges, in order."""
    onwards = dict(edges)
    at = next((v for v in faces[first] if v in onwards), edges[0][0] if edges else -1)
    outline = [at]
    while len(outline) < len(edges) and onwards.get(outline[-1], at) != at:
        outline.append(onwards[outline[-1]])
    if len(onwards) < len(edges) or len(outline) < len(edges) or not edges:
        raise ValueError(
            f"polyhedron.faces: the faces in the plane of face {first} do not form one polygon; "
            "is the body convex?"
        )
    return outline
