"""The surface of a convex body: from points, from faces that are listed, from any list of plane pieces."""

from __future__ import annotations

import warnings
from collections import defaultdict
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcrock.body.faces import (
    Array,
    Faces,
    check_face_lists,
    directed_edges,
    exterior_angles,
    face_areas,
    face_lists,
    face_normals,
    solid_moments,
)

Edge = tuple[int, int]  # directed, from a vertex to another
MERGE_ANGLE = 1e-6  # neighbouring faces that differ by less are one face [rad]
THIN = 1e-6  # a face narrower than this share of the body is no face of its own [1]


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
                raise ValueError(
                    f"polyhedron.faces {f} and {g} cannot be given one orientation: it has no outside"
                )
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
    """Merge neighbouring faces of one plane and drop the vertices that are not corners.

    Neighbours whose normals differ by less than 1e-6 rad are one face. A strip narrower than 1e-6 of
    the body, as triangulations leave along straight edges, joins the neighbour it shares the longest
    side with. Vertices inside a merged face or on a straight edge are dropped.

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
        If fewer than 4 faces are left, or those of one plane do not form one polygon.
    """
    points = np.asarray(vertices, float)
    faces = tuple(tuple(map(int, face)) for face in faces)
    owner = {edge: f for f, face in enumerate(faces) for edge in directed_edges(face)}
    lengths = {(v, w): float(np.sqrt(((points[w] - points[v]) ** 2).sum())) for v, w in owner}
    group = _in_one_plane(points, faces, normals, owner, lengths)
    while True:
        # a corner belongs to three faces or more, and a face has three corners or more
        around: list[set[int]] = [set() for _ in points]
        for (begin, _), f in owner.items():
            around[begin].add(int(group[f]))
        corners = np.array([len(found) >= 3 for found in around])
        count = dict.fromkeys(np.unique(group).tolist(), 0)
        for corner in np.flatnonzero(corners).tolist():
            for f in around[corner]:
                count[f] += 1
        lost = [f for f, n in count.items() if n < 3]
        if not lost:
            break
        if len(count) <= 4:
            raise ValueError(
                f"polyhedron: fewer than 4 faces are wider than {THIN:g} of the size; is the body flat?"
            )
        bounds = [(v, w) for (v, w), f in owner.items() if group[f] == lost[0] != group[owner[w, v]]]
        v, w = max(bounds, key=lengths.__getitem__)
        _join(group, lost[0], int(group[owner[w, v]]))
    first = np.unique(group)
    vertex_map = np.where(corners, np.cumsum(corners) - 1, -1)
    merged = tuple(
        tuple(int(vertex_map[v]) for v in _outline(int(f), faces, owner, group, corners)) for f in first
    )
    return points[corners], merged, np.searchsorted(first, group), vertex_map


def _in_one_plane(
    points: Array, faces: Faces, normals: Array | None, owner: dict[Edge, int], lengths: dict[Edge, float]
) -> NDArray[np.int64]:
    """Lowest number among the faces that are one with each face (n_face,)."""
    normals = np.array(face_normals(points[None], faces)[0] if normals is None else normals)
    size = np.ptp(points, axis=0).max()
    longest = [max(lengths[edge] for edge in directed_edges(face)) for face in faces]
    widths = 2 * face_areas(points[None], faces)[0] / longest
    thin = set(np.flatnonzero(widths <= THIN * size).tolist())
    while thin:  # a strip takes the direction of a neighbour that has one
        sides = {
            (v, w): lengths[v, w]
            for f in thin
            for v, w in directed_edges(faces[f])
            if owner[w, v] not in thin
        }
        if not sides:
            raise ValueError(f"polyhedron: no face is wider than {THIN:g} of the size; is the body flat?")
        v, w = max(sides, key=sides.__getitem__)
        normals[owner[v, w]] = normals[owner[w, v]]
        thin.remove(owner[v, w])
    group = np.arange(len(faces))
    for (v, w), f in owner.items():
        g = owner[w, v]
        sine = np.sqrt(np.square(np.cross(normals[f], normals[g])).sum())
        if f < g and np.arctan2(sine, normals[f] @ normals[g]) < MERGE_ANGLE:
            _join(group, int(group[f]), int(group[g]))
    return group


def _join(group: NDArray[np.int64], a: int, b: int) -> None:
    group[group == max(a, b)] = min(a, b)


def _outline(
    first: int, faces: Faces, owner: dict[Edge, int], group: NDArray[np.int64], corners: NDArray[np.bool_]
) -> list[int]:
    """Corners of a merged face in order, from the first one that its part ``first`` lists."""
    edges = [
        (v, w)
        for f in np.flatnonzero(group == first)
        for v, w in directed_edges(faces[f])
        if group[owner[w, v]] != first
    ]
    onwards = dict(edges)
    begin = next((v for v in faces[first] if v in onwards and corners[v]), None)
    if begin is None:
        begin = next(v for v in onwards if corners[v])
    outline = [begin]
    while onwards[outline[-1]] != begin and len(outline) < len(edges):
        outline.append(onwards[outline[-1]])
    if len(onwards) < len(edges) or len(outline) < len(edges):
        raise ValueError(
            f"polyhedron.faces: the faces in the plane of face {first} do not form one polygon; "
            "is the body convex?"
        )
    return [v for v in outline if corners[v]]


SHALLOW = 1e-3  # neighbouring faces that differ by less deserve a warning [rad]


class Surface(NamedTuple):
    """Faces of a convex body and the points that are its corners."""

    kept: NDArray[np.int64]  # (n_vertex,) numbers of the points that are corners
    faces: Faces  # of the corners, counter-clockwise seen from inside
    face_map: NDArray[np.int64]  # (n_given,) number of each given face after merging


def surface_of(points: Array, faces: Faces) -> Surface:
    """Oriented and merged ``faces`` round ``points`` (n, 3) [m]; ValueError as `polyhedron`."""
    given = face_lists("polyhedron.faces", faces)
    if len(given) < 4:
        raise ValueError(f"polyhedron.faces must list at least 4 faces, got {len(given)}")
    check_face_lists(given, len(points), "polyhedron")
    return _merged(points, orient(points, given))


def hull_surface(points: Array, name: str = "points") -> Surface:
    """Faces of the convex hull of ``points`` (n, 3) [m]; ValueError as `hull` that calls them ``name``."""
    from scipy.spatial import ConvexHull, QhullError  # slow to import, and cuboids need none

    if len(points) < 4:
        raise ValueError(f"{name} must list at least 4 points [m], got {len(points)}")
    try:
        found = ConvexHull(points)
    except QhullError:
        raise ValueError(
            f"{name} must enclose a volume [m3], but all {len(points)} lie in one plane"
        ) from None
    used = np.unique(found.simplices)
    number = np.zeros(len(points), dtype=np.int64)
    number[used] = np.arange(len(used))
    triangles = tuple(map(tuple, number[found.simplices].tolist()))
    # the triangles of one plane share its equation, exact also where they are slivers
    kept, faces, _ = _merged(points[used], orient(points[used], triangles), found.equations[:, :3])
    begun = [face[at:] + face[:at] for face in faces for at in [face.index(min(face))]]
    return Surface(used[kept], tuple(sorted(begun, key=sorted)), np.arange(len(faces)))


def _merged(points: Array, faces: Faces, normals: Array | None = None) -> Surface:
    _, merged, face_map, vertex_map = merge_coplanar(points, faces, normals)
    return Surface(np.flatnonzero(vertex_map >= 0), merged, face_map)


def warn_if_shallow(name: str, corners: Array, faces: Faces) -> None:
    """Warn of neighbouring faces that may have been meant as one."""
    pairs, angles = exterior_angles(corners[None], faces)
    shallow = np.flatnonzero((angles[0] >= 0.5 * MERGE_ANGLE) & (angles[0] < SHALLOW))
    if len(shallow):
        f, g = pairs[shallow[0]]
        more = f" and {len(shallow) - 1} more pairs" if len(shallow) > 1 else ""
        warnings.warn(
            f"{name}: faces {f} and {g}{more} meet at {angles[0][shallow[0]]:.2g} rad, less than "
            f"{SHALLOW:g}; the motion depends on whether they are one face: put them in one plane if so",
            stacklevel=5,  # beyond `takes`
        )
