"""Faces of convex polyhedra, and what follows from them: frames, mass, standing, rocking, sliding.

Arrays have a leading axis of ``n`` bodies that share one list of faces. The vertices are relative to the
centre of mass (COM); each face lists its own counter-clockwise seen from above when the body lies on that
face, which is seen from inside the body.

From lists of vertex numbers, which have to make one closed surface, follow normals, areas and heights; the
rotations that lay a face flat and turn body axes upright; volume, centroid and inertia of a homogeneous
solid; the base polygons and which of them are refused; on which faces a body stands, settles or counts as
lying on its base; and the leading parameters of rocking: radius, slenderness and frequency parameter.

The motion that a body at rest enters (rest, slide, rock or slide-rock) is that of Shenton's chart, which is
one of a planar rectangle. Here there is one for each horizontal direction: that in which the body is pushed,
opposite to the acceleration of the ground. ``A`` is the horizontal acceleration over the vertical one,
gravity included, |a_h| / (g + a_z). That a body rests (``A`` at most the friction, centre of pressure inside
the base) and that it slides flat and never tips (friction at most reach over height) is exact for every body
and direction, whatever the pressure under it. Whether one that tips sticks or slips is decided in the
vertical plane through the COM. That is exact across a side where the inertia does not couple the axes along
and across it, so in the worst direction of every cuboid, and in planes of symmetry; towards the farthest
corner of 3000 random cuboids it was right within 0.4 % of the friction. In oblique directions it is a bound
from below: the friction that the ends of the edge need to stick was 6 % above it in half of those cuboids, 25
% in a tenth.

A corner with the offset d from the COM moves, under a force F there, by W F with
``W = I/m - [d]x Theta^-1 [d]x``. While it slips in the direction s the normal force N follows from
``p N = b`` with ``p = e_z.W e_z - mu e_z.W s``: for p <= 0 there is none or more than one.

Génot, F., Brogliato, B. (1999). New results on Painlevé paradoxes. European Journal of Mechanics A/Solids
18(4), 653-677.

Painlevé, P. (1895). Sur les lois du frottement de glissement. Comptes rendus 121, 112-115.

Shenton, H. W. III (1996). Criteria for initiation of slide, rock, and slide-rock rigid-body modes. Journal
of Engineering Mechanics 122(7), 690-693.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from math import radians
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcrock.base.checks import Integer, shown

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
    edges = [
        (v, w, f, g)
        for f, (face, others) in enumerate(zip(faces, neighbours(faces), strict=True))
        for (v, w), g in zip(directed_edges(face), others, strict=True)
        if v < w  # the other side of the edge is the same pair
    ]
    v, w, f, g = np.array(edges).T
    along = vertices[:, w] - vertices[:, v]
    turn = dot(cross(normals[:, g], normals[:, f]), along)
    with np.errstate(divide="ignore", invalid="ignore"):
        turn /= np.sqrt(dot(along, along))
    return [(min(f, g), max(f, g)) for *_, f, g in edges], np.arctan2(turn, dot(normals[:, f], normals[:, g]))


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


def solid_moments(vertices: Array, faces: Faces) -> tuple[Array, Array, Array]:
    """Volume, centroid and inertia of homogeneous polyhedra, exact to rounding.

    The body is cut into tetrahedra with one corner at the mean of the vertices; the first and second
    moments of a tetrahedron are polynomials of its corners.

    Parameters
    ----------
    vertices : ndarray (n, n_vertex, 3)
        In any axes [m].
    faces : tuple of tuples of int
        As `Body.faces`, the same for all bodies.

    Returns
    -------
    volume : ndarray (n,)
        [m3]; negative if the faces run the wrong way round.
    centroid : ndarray (n, 3)
        [m].
    inertia : ndarray (n, 3, 3)
        About the centroid, per mass [m2].
    """
    middle = vertices.mean(1, keepdims=True)
    arms = vertices - middle
    volume, first = np.zeros(len(arms)), np.zeros((len(arms), 3))
    second = np.zeros((len(arms), 3, 3))
    for face in faces:
        a, b, c = arms[:, face[:1]], arms[:, face[2:]], arms[:, face[1:-1]]
        part = (a * cross(b, c)).sum(-1) / 6.0  # volumes of the tetrahedra of one face (n, k - 2)
        total = a + b + c
        volume += part.sum(1)
        first += (part[..., None] * total).sum(1) / 4.0
        for arm in (np.broadcast_to(a, b.shape), b, c, total):
            second += np.einsum("nk,nki,nkj->nij", part, arm, arm) / 20.0
    with np.errstate(divide="ignore", invalid="ignore"):
        centroid = first / volume[:, None]
        spread = second / volume[:, None, None] - centroid[:, :, None] * centroid[:, None, :]
    inertia = np.trace(spread, axis1=1, axis2=2)[:, None, None] * np.eye(3) - spread
    return volume, centroid + middle[:, 0], inertia


def edge_geometry(vertices: Array) -> tuple[Array, Array, Array, Array]:
    """Distance [m] of the COM axis from each base edge (positive inside), slenderness [rad],
    unit edge directions (..., 2) [1] and lengths [m]; leading shape (n, k)."""
    step = np.roll(vertices, -1, axis=1)[..., :2] - vertices[..., :2]
    length = np.hypot(step[..., 0], step[..., 1])
    with np.errstate(invalid="ignore", divide="ignore"):
        unit = step / length[..., None]
    distance = vertices[..., 0] * unit[..., 1] - vertices[..., 1] * unit[..., 0]
    return distance, np.arctan2(distance, -vertices[..., 2]), unit, length


def check_base(vertices: Array) -> None:
    """Refuse bases (n, k, 3) [m], relative to the COM, that are not a convex polygon in a plane z = -h or
    that the COM is not over."""
    if vertices.shape[1] < 3:
        raise ValueError(f"Body.vertices must list at least 3 base vertices, got {vertices.shape[1]}")
    size = np.ptp(vertices[..., :2], axis=1).max(-1)
    depth = np.ptp(vertices[..., 2], axis=1)
    refuse(
        depth > FLATNESS * size,
        lambda i: (
            f"Body.vertices must lie in one plane z = -h [m], but their z differ by {depth[i]:.3g} m; "
            "for a whole body give faces too, or use hull()"
        ),
    )
    refuse(
        vertices[..., 2].max(1) >= 0,
        lambda i: (
            "Body.vertices must lie below the centre of mass (z < 0 m), got z = "
            f"{vertices[i, :, 2].max():.6g} m"
        ),
    )
    check_polygons("Body.vertices", vertices[..., :2], " (relative to the centre of mass)")
    distance = edge_geometry(vertices)[0]
    refuse(
        distance.min(1) <= 0,
        lambda i: (
            "the centre of mass must stand over the inside of the base; it lies "
            f"{-distance[i].min():.6g} m outside base edge {distance[i].argmin()}"
        ),
    )


def check_polygons(name: str, corners: Array, where: str = "") -> None:
    """Refuse corners (n, k, 2) [m] that are not a convex polygon, counter-clockwise seen from above.

    Raises
    ------
    ValueError
        That calls the polygon ``name`` and says ``where`` the coordinates in it are measured.
    """
    step = np.roll(corners, -1, axis=1) - corners
    length = np.hypot(step[..., 0], step[..., 1])
    refuse(
        length.min(1) <= 1e-9 * np.ptp(corners, axis=1).max(-1),
        lambda i: (
            f"{name}: corners {length[i].argmin()} and {(length[i].argmin() + 1) % corners.shape[1]} "
            f"coincide at {corners[i, length[i].argmin()].tolist()} m{where}"
        ),
    )
    unit = step / length[..., None]
    after = np.roll(unit, -1, axis=1)
    turn = unit[..., 0] * after[..., 1] - unit[..., 1] * after[..., 0]
    refuse(
        (turn < 0).all(1),
        lambda i: f"{name} must run counter-clockwise seen from above; reverse the order of its corners",
    )
    wrong = (turn.argmin(1) + 1) % corners.shape[1]
    refuse(
        turn.min(1) <= 1e-9,
        lambda i: (
            f"{name} must be the corners of a convex polygon, counter-clockwise seen from above; corner "
            f"{wrong[i]} at {corners[i, wrong[i]].tolist()} m{where} is straight or turns the wrong way"
        ),
    )
    heading = np.arctan2(turn, (unit * after).sum(-1)).sum(1)
    refuse(
        np.abs(heading - 2 * np.pi) > 1e-6,
        lambda i: f"{name} must go round the base once; the polygon crosses itself",
    )


ROUND = 0.05  # by which corners of a circular base may differ in their distance from its centre [1]
FEW = 0.9  # of the circle about a base that the one in it has at least: that of seven corners [1]
PLANE = 1e-6  # deviation of a face from its plane, over the size; it may be merged from several [1]


def refuse(bad: NDArray[np.bool_] | np.bool_, message: Callable[[int], str]) -> None:
    """Raise a ValueError with the ``message`` of the first body that is ``bad`` (n,), if any is."""
    if bad.any():
        i = int(np.argmax(bad))
        where = f" (body {i} of {bad.size})" if bad.size > 1 else ""
        raise ValueError(message(i) + where)


BASE_ANGLE = radians(5.0)  # faces less inclined to the start face than this count as base [rad]


def stable_faces(vertices: Array, faces: Faces) -> NDArray[np.bool_]:
    """Whether the COM stands over the inside of each face (n, n_face)."""
    normals = face_normals(vertices, faces)
    sides = [side_distances(vertices, face, normals[:, f]) for f, face in enumerate(faces)]
    return np.stack([distances.min(1) > 0 for distances in sides], -1)


def uplift_slenderness(
    vertices: Array, faces: Faces, start_face: NDArray[np.int64], rim: Array | None = None
) -> Array:
    """Smallest slenderness over the edges of the start face of each body (n,) [rad], or over its circle by
    radius ``rim`` (n,) [m].

    Gravity times its tangent is the horizontal acceleration at which the body begins to rock, over an
    edge to another base face too.
    """
    normals = face_normals(vertices, faces)
    heights = face_heights(vertices, faces, normals)
    found = np.empty(len(vertices))
    for f in np.unique(start_face):
        of = start_face == f
        if rim is None:
            reach = side_distances(vertices[of], faces[f], normals[of, f]).min(1)
        else:
            reach = rim[of] - np.hypot(*vertices[of][:, faces[f], :2].mean(1).T)
        found[of] = np.arctan2(reach, heights[of, f])
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


def derived(
    mass: Array,
    inertia: Array,
    vertices: Array,
    gravity: Array,
    faces: Faces | None = None,
    start_face: NDArray[np.int64] | None = None,
    base_faces: tuple[int, ...] = (0,),
    rim: Array | None = None,
) -> dict[str, Array]:
    """Radius [m], slenderness [rad] and frequency parameter [rad/s] of many bodies.

    The slenderness is the smallest tilt of body z at which the COM stands over an edge that bounds the
    base (the start face and the base faces connected to it), or over the end of one where the edge is not
    long enough, as on the ragged border of a scanned base; it is negative where the COM is not over the base
    without any tilt. Radius and frequency parameter belong to that edge. Where every face is base the
    slenderness is pi/2. Of a base that is a circle of radius ``rim`` (n,) > 0 [m] it is that over the point
    of the rim nearest to the COM. Shapes as `check_bodies`; each result has shape (n,).
    """
    faces = (tuple(range(vertices.shape[1])),) if faces is None else faces
    start = np.zeros(len(mass), dtype=np.int64) if start_face is None else start_face
    owner = {edge: f for f, face in enumerate(faces) for edge in directed_edges(face)}
    result = {name: np.empty(len(mass)) for name in ("radius", "slenderness", "frequency")}
    for face in np.unique(start):
        of, base = np.flatnonzero(start == face), set(connected(faces, base_faces, int(face)))
        bounds = [(v, w) for (v, w), f in owner.items() if f in base and owner.get((w, v)) not in base]
        free = not bounds
        v, w = np.array(bounds or [edge for edge in owner if edge[0] < edge[1]]).T
        corner, along = vertices[of][:, v], vertices[of][:, w] - vertices[of][:, v]
        length = np.sqrt((along**2).sum(-1, keepdims=True))
        along /= length
        place = -(corner * along).sum(-1, keepdims=True)  # of the foot of the COM on the line of the edge
        lever = -place * along - corner  # from the edge to the COM
        radius = np.sqrt((lever**2).sum(-1))
        about = np.einsum("nki,nij,nkj->nk", along, inertia[of], along) + mass[of, None] * radius**2
        frequency = np.sqrt((mass * gravity)[of, None] * radius / about)
        over = np.where(place < 0, -corner, np.where(place > length, -vertices[of][:, w], lever))
        tilt = np.arctan2(np.hypot(over[..., 0], over[..., 1]), over[..., 2])
        # of edges that share the corner beneath, that of the largest frequency
        first = frequency if free else np.where(tilt == tilt.min(axis=1, keepdims=True), frequency, -1.0)
        pick = np.argmax(first, axis=1)
        rows = np.arange(len(of))
        sign = np.where(_stands_over_any(vertices[of], [faces[f] for f in sorted(base)]), 1.0, -1.0)
        result["radius"][of] = radius[rows, pick]
        result["slenderness"][of] = np.pi / 2 if free else sign * tilt[rows, pick]
        result["frequency"][of] = frequency[rows, pick]
    rim = np.zeros(len(mass)) if rim is None else rim
    for i in np.flatnonzero(rim):
        centre = vertices[i, faces[start[i]]].mean(axis=0)
        off = np.hypot(*centre[:2])
        along = np.array([centre[1], -centre[0], 0.0]) / off if off > 0.0 else np.array([0.0, 1.0, 0.0])
        radius = np.hypot(rim[i] - off, centre[2])
        about = along @ inertia[i] @ along + mass[i] * radius**2
        result["radius"][i], result["slenderness"][i] = radius, np.arctan2(rim[i] - off, -centre[2])
        result["frequency"][i] = np.sqrt(mass[i] * gravity[i] * radius / about)
    return result


def check_rims(
    vertices: Array, faces: Faces, rim: Array, start_face: NDArray[np.int64], base_faces: tuple[int, ...]
) -> None:
    """Refuse radii ``rim`` (n,) [m] of circular bases that do not fit the start face, the only base.

    Raises
    ------
    ValueError
        With radius and limit of the first body that fails.
    """
    for f in np.unique(start_face):
        if tuple(base_faces) != (f,):
            raise ValueError(f"Body.rim is of a body with one base, its start face {f}, got {base_faces}")
        of = start_face == f
        _check_circles(vertices[of][:, faces[f]], rim[of])


def _check_circles(corners: Array, rim: Array) -> None:
    """Refuse radii ``rim`` (n,) of circles that do not go through the corners (n, k, 3) of a base [m]."""
    centre = corners.mean(1, keepdims=True)
    spread = np.ptp(corners[..., 2], axis=1)
    refuse(
        spread > PLANE * rim,
        lambda i: f"Body.rim: the base must be perpendicular to z, its corners differ by {spread[i]:.3g} m",
    )
    here, following = corners[..., :2] - centre[..., :2], np.roll(corners, -1, axis=1)[..., :2]
    far = np.hypot(here[..., 0], here[..., 1])
    near, most = far.min(1), far.max(1)
    middle = 0.5 * (corners[..., :2] + following) - centre[..., :2]
    least = np.hypot(middle[..., 0], middle[..., 1]).min(1)
    refuse(
        near < most * (1 - ROUND),
        lambda i: (
            f"Body.rim is of a circular base, and its corners are {near[i]:.6g} to {most[i]:.6g} m from "
            "their centre: leave it out, or give the base as a circle"
        ),
    )
    refuse(
        least < FEW * most,
        lambda i: (
            f"Body.rim is of a circular base, and this one is not round: of its {corners.shape[1]} corners, "
            f"{most[i]:.6g} m from their centre, sides come as near as {least[i]:.6g} m; give more points of "
            "the circle, or leave it out"
        ),
    )
    refuse(
        ~((rim >= least * (1 - PLANE)) & (rim <= most * (1 + PLANE))),
        lambda i: (
            f"Body.rim must be between the circles in and about the base, {least[i]:.6g} to {most[i]:.6g} m, "
            f"got {rim[i]:.6g} m"
        ),
    )
    off = np.hypot(centre[:, 0, 0], centre[:, 0, 1])
    refuse(
        off >= rim,
        lambda i: (
            f"the centre of mass must be over the base: it is {off[i]:.4g} m off the centre of a circle of "
            f"radius {rim[i]:.4g} m"
        ),
    )


def _stands_over_any(vertices: Array, faces: Sequence[tuple[int, ...]]) -> NDArray[np.bool_]:
    """Whether the line from the COM along -z goes through one of the faces (n,)."""
    found = np.zeros(len(vertices), np.bool_)
    for face in faces:
        here = vertices[:, face, :2]
        onwards = np.roll(here, -1, axis=1)
        found |= (here[..., 0] * onwards[..., 1] - here[..., 1] * onwards[..., 0]).min(axis=1) >= 0
    return found


class Regime(IntEnum):
    """Motion that starts from rest."""

    REST = 0
    SLIDE = 1
    ROCK = 2
    SLIDE_ROCK = 3


class Sections(NamedTuple):
    """Vertical planes through the COM of bodies that stand on their start face; shapes that broadcast."""

    reach: Array  # from the COM to the border of the base, horizontally [m]
    height: Array  # of the COM above the ground [m]
    gyration: Array  # radius of gyration about the horizontal axis through the COM across the plane [m]

    @property
    def tipping(self) -> Array:
        """Horizontal over vertical acceleration beyond which the body cannot rest upright [1]."""
        return self.reach / self.height


class _Standing(NamedTuple):
    """Bodies as they stand: their sides, and the inertia in ground axes."""

    distance: Array  # (n, k) of the COM from each side, inf beyond the last side of a body [m]
    outwards: Array  # (n, k, 2) normals of the sides
    corners: Array  # (n, k, 2) relative to the COM, 0 beyond the last [m]
    height: Array  # (n,) [m]
    inertia: Array  # (n, 3, 3) [kg m2]


def sections(
    mass: Array,
    inertia: Array,
    vertices: Array,
    faces: Faces,
    start_face: NDArray[np.int64],
    azimuth: ArrayLike,
    rim: Array | None = None,
) -> Sections:
    """Sections of bodies in some directions.

    Parameters
    ----------
    mass, inertia, vertices, faces, start_face, rim
        As those of `mcrock.body.Bodies`.
    azimuth : array_like (n_direction,) or (n, n_direction)
        Directions in which the bodies are pushed, from ground x towards y in the start pose [rad].

    Returns
    -------
    Sections
        Arrays (n, n_direction), the height (n, 1).
    """
    standing = _stand(inertia, vertices, faces, start_face, rim)
    angle = np.broadcast_to(azimuth, (len(mass), np.shape(azimuth)[-1]))
    along = np.stack([np.cos(angle), np.sin(angle)], -1)
    approach = np.einsum("nmi,nki->nmk", along, standing.outwards)
    with np.errstate(divide="ignore"):
        meets = np.where(approach > 0, standing.distance[:, None] / approach, np.inf)
    across = np.stack([-along[..., 1], along[..., 0]], -1)
    about = np.einsum("nmi,nij,nmj->nm", across, standing.inertia[:, :2, :2], across)
    return Sections(meets.min(-1), standing.height[:, None], np.sqrt(about / mass[:, None]))


def extreme_directions(
    vertices: Array, faces: Faces, start_face: NDArray[np.int64], rim: Array | None = None
) -> Array:
    """Azimuths (n, 2) [rad] in which bodies tip most and least easily: across the nearest side of the base
    and towards its farthest corner."""
    unused = np.zeros((len(vertices), 3, 3))
    standing = _stand(unused, vertices, faces, start_face, rim)
    rows = np.arange(len(vertices))
    worst = standing.outwards[rows, standing.distance.argmin(-1)]
    mildest = standing.corners[rows, np.square(standing.corners).sum(-1).argmax(-1)]
    either = np.stack([worst, mildest], 1)
    return np.arctan2(either[..., 1], either[..., 0])


def slide_rock_limit(friction: ArrayLike, section: Sections) -> Array:
    """Horizontal over vertical acceleration up to which a body that tips sticks [1].

    Parameters
    ----------
    friction : array_like
        Coulomb coefficient up to which contacts stick [1].
    section : Sections

    Returns
    -------
    ndarray
        Broadcast; inf where the body sticks however hard it is pushed, NaN where it slides and never tips.

    Examples
    --------
    A block of 0.4 x 1.6 m at friction 0.35; with k^2 = (b^2 + h^2) / 3 this is Shenton's formula,
    (mu (4 h^2 + b^2) - 3 b h) / (4 b^2 + h^2 - 3 mu b h).

    >>> block = Sections(np.array(0.2), np.array(0.8), np.sqrt(np.array(0.2**2 + 0.8**2) / 3))
    >>> print(f"{slide_rock_limit(0.35, block):.4f}")
    0.6804
    """
    mu = np.asarray(friction, float)
    b, h, k2 = section.reach, section.height, np.square(section.gyration)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        pull, demand = k2 + b**2 - mu * b * h, mu * (k2 + h**2) - b * h
        limit = np.where(pull > 0, demand / pull, np.inf)
    return np.where(mu > section.tipping, limit, np.nan)


def regime_from_rest(
    acceleration: ArrayLike, friction: ArrayLike, section: Sections, static_friction: ArrayLike | None = None
) -> NDArray[np.int64]:
    """Motion that bodies at rest enter when they are pushed with a constant acceleration.

    Parameters
    ----------
    acceleration : array_like
        Horizontal over vertical acceleration of the ground, gravity included [1].
    friction : array_like
        Coulomb coefficient of contacts that slip [1].
    section : Sections
        In the directions in which the bodies are pushed.
    static_friction : array_like, optional
        Coefficient up to which contacts stick [1], at least ``friction``, which is the default.

    Returns
    -------
    ndarray of int
        Codes of `Regime`, broadcast.
    """
    a, kinetic = np.asarray(acceleration, float), np.asarray(friction, float)
    static = kinetic if static_friction is None else np.asarray(static_friction, float)
    moves = a > np.minimum(static, section.tipping)
    sticks = a <= slide_rock_limit(static, section)  # not where the limit is NaN
    slipping = np.where(kinetic > section.tipping, Regime.SLIDE_ROCK, Regime.SLIDE)
    return np.where(moves, np.where(sticks, Regime.ROCK, slipping), Regime.REST)


TANGENTS = 720  # of a circular base, in one of which it is reached to 2e-6 of its radius [1]


def _stand(
    inertia: Array, vertices: Array, faces: Faces, start_face: NDArray[np.int64], rim: Array | None = None
) -> _Standing:
    normals = face_normals(vertices, faces)
    rows = np.arange(len(vertices))
    upright = downwards(normals[rows, start_face])
    n, most = len(vertices), max(len(faces[f]) for f in np.unique(start_face))
    distance, outwards = np.full((n, most), np.inf), np.zeros((n, most, 2))
    corners = np.zeros((n, most, 2))
    for f in np.unique(start_face):
        of, k = start_face == f, len(faces[f])
        base = np.einsum("nij,nkj->nki", upright[of], vertices[of][:, faces[f]])
        distance[of, :k], _, along, _ = edge_geometry(base)
        outwards[of, :k] = np.stack([along[..., 1], -along[..., 0]], -1)
        corners[of, :k] = base[..., :2]
    if rim is not None:
        angles = np.arange(TANGENTS) * (2.0 * np.pi / TANGENTS)
        centre, unit = corners.mean(1), np.stack([np.cos(angles), np.sin(angles)], -1)
        outwards = np.broadcast_to(unit, (n, TANGENTS, 2))
        radius = rim[:, None]
        distance, corners = radius + centre @ unit.T, centre[:, None] + radius[..., None] * unit
    height = face_heights(vertices, faces, normals)[rows, start_face]
    return _Standing(distance, outwards, corners, height, upright @ inertia @ upright.transpose(0, 2, 1))


def painleve_friction(mass: ArrayLike, inertia: ArrayLike, corners: ArrayLike) -> Array:
    """Least friction coefficient at which the slip of a corner is undetermined in some pose.

    For orthogonal unit vectors n and s the largest value of ``n.W s / n.W n`` is
    ``(w3 - w1) / (2 sqrt(w1 w3))`` with the extreme eigenvalues w1 and w3 of W.

    Parameters
    ----------
    mass : array_like (n,)
        [kg].
    inertia : array_like (n, 3, 3)
        About the centre of mass [kg m2].
    corners : array_like (n, k, 3)
        Relative to the centre of mass, in the axes of the inertia [m].

    Returns
    -------
    ndarray (n, k)
        [1]; infinite for a corner at the centre of mass.

    Examples
    --------
    Of a cube of 1 kg with edges of 1 m:

    >>> float(painleve_friction([1.0], [np.eye(3) / 6], [[[0.5, 0.5, -0.5]]])[0, 0].round(3))
    1.042
    """
    d = np.asarray(corners, float)
    zero = np.zeros(d.shape[:-1])
    x, y, z = np.moveaxis(d, -1, 0)
    cross = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=-1).reshape(*d.shape, 3)
    turn = cross @ np.linalg.inv(np.asarray(inertia, float))[:, None] @ cross
    w = np.linalg.eigvalsh(np.eye(3) / np.asarray(mass, float)[:, None, None, None] - turn)
    with np.errstate(divide="ignore"):
        return np.asarray(2.0 * np.sqrt(w[..., 0] * w[..., 2]) / (w[..., 2] - w[..., 0]))
