"""The surface of a convex body: from points alone, or from faces that are listed."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcrock.body.face_lists import check_face_lists, face_lists
from mcrock.body.faces import Array, Faces, exterior_angles
from mcrock.body.merge import MERGE_ANGLE, merge_coplanar, orient

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
