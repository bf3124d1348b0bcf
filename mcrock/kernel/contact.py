"""What can touch the ground: vertices, edges and faces, and the constants that belong to each."""

from __future__ import annotations

from math import atan2, inf, pi, sqrt
from typing import NamedTuple

import numpy as np

from mcrock.base.jit import jit
from mcrock.kernel.rotation import flattened, largest_eigenvalue, to_ground


class Topology(NamedTuple):
    """Who is next to whom. One for all realizations of a study."""

    neighbours: np.ndarray  # (n_vertex, n_max) vertices joined to each vertex by an edge, -1 where none
    edge_of: np.ndarray  # (n_vertex, n_vertex) edge between two vertices, -1 where none
    edge_vertices: np.ndarray  # (n_edge, 2) ends, in the order of the first face
    edge_faces: np.ndarray  # (n_edge, 2) first face (lifted by positive rotation), other face or -1
    face_first: np.ndarray  # (n_face + 1,) where the vertices of each face begin
    face_vertices: np.ndarray  # (sum,) vertices of the faces, counter-clockwise from above
    base: np.ndarray  # (n_face,) bool: faces that may touch the ground without overturning


# columns of `scalars`; J = m Theta^-1 in body axes [1/m2]; centre of the start face from the COM in body
# axes, and its place on the ground at the start [m]
(
    MASS, GRAVITY, FREQUENCY, SLENDERNESS, SIZE, BARRIER, J_XX, J_XY, J_XZ, J_YY, J_YZ, J_ZZ,
    BASE_X, BASE_Y, BASE_Z, START_X, START_Y,
    SCALARS_SIZE,
) = range(18)  # fmt: skip


# columns of `pivots`, all that motion about a vertex needs, in one place and per unit mass: COM from
# there [m]; inertia about it over mass [m2]; inverse of that [1/m2]; its largest principal moment
(
    C_X, C_Y, C_Z, K_XX, K_XY, K_XZ, K_YY, K_YZ, K_ZZ,
    I_XX, I_XY, I_XZ, I_YY, I_YZ, I_ZZ, LARGEST,
    PIVOT_SIZE,
) = range(17)  # fmt: skip


# columns of `edges`; (e, n, z) is the frame of the first face: along, inwards, up; the inertia K is
# about the first end and over mass [m2]; PUSH = 1/K_EE and SHARE = 1/(g length) spare divisions
(
    E_X, E_Y, E_Z, N_X, N_Y, N_Z, UP_X, UP_Y, UP_Z, LENGTH,
    COM_E, COM_N, COM_Z, K_EE, K_EN, K_EZ, OPENING, PUSH, SHARE,
    EDGE_SIZE,
) = range(20)  # fmt: skip


# columns of `faces`; axes (x, y, up) of the face, COM height, inverse of Theta + m h^2, and how
# high the COM has to rise at least on the way there from the start
(
    F_XX, F_XY, F_XZ, F_YX, F_YY, F_YZ, F_UX, F_UY, F_UZ, F_HEIGHT, F_CXX, F_CXY, F_CYY, F_PASS,
    FACE_SIZE,
) = range(15)  # fmt: skip
LEVEL = 1e-9  # a face that deviates this little from the body axes is described in them [1]


def topology(
    faces: tuple[tuple[int, ...], ...], n_vertex: int, base_faces: tuple[int, ...] = (0,)
) -> Topology:
    """Neighbour tables of a body from the vertex lists of its faces.

    Parameters
    ----------
    faces : tuple of tuples of int
        Vertices of each face that can touch the ground, counter-clockwise from above when the
        body stands on it. Edges are numbered as they appear: edge k of the first face is k.
    n_vertex : int
        Number of vertices.
    base_faces : tuple of int
        Faces that may touch the ground without overturning.
    """
    edge_of = np.full((n_vertex, n_vertex), -1, dtype=np.int64)
    ends: list[tuple[int, int]] = []
    sides: list[list[int]] = []
    for number, face in enumerate(faces):
        for v, w in zip(face, face[1:] + face[:1], strict=True):
            if edge_of[v, w] < 0:
                edge_of[v, w] = edge_of[w, v] = len(ends)
                ends.append((v, w))
                sides.append([number, -1])
            else:
                sides[edge_of[v, w]][1] = number
    joined = [[w for w in range(n_vertex) if edge_of[v, w] >= 0] for v in range(n_vertex)]
    neighbours = np.full((n_vertex, max(map(len, joined))), -1, dtype=np.int64)
    for v, row in enumerate(joined):
        neighbours[v, : len(row)] = row
    return Topology(
        neighbours,
        edge_of,
        np.array(ends, dtype=np.int64),
        np.array(sides, dtype=np.int64),
        np.cumsum([0, *map(len, faces)]).astype(np.int64),
        np.concatenate([np.array(face, dtype=np.int64) for face in faces]),
        np.isin(np.arange(len(faces)), base_faces),
    )


@jit
def fill_constants(body, mass, inertia, vertices, gravity, start):
    """Compute the constants of a body of ``mass`` [kg], ``inertia`` (3, 3) [kg m2], ``vertices``
    (n, 3) [m] and ``gravity`` [m/s2] that stands on face ``start``."""
    theta, scalars = body.inertia, body.scalars
    scalars[MASS], scalars[GRAVITY] = mass, gravity
    theta[0], theta[1], theta[2] = inertia[0, 0], inertia[0, 1], inertia[0, 2]
    theta[3], theta[4], theta[5] = inertia[1, 1], inertia[1, 2], inertia[2, 2]
    j = _inverse((theta[0], theta[1], theta[2], theta[3], theta[4], theta[5]), mass)
    scalars[J_XX], scalars[J_XY], scalars[J_XZ], scalars[J_YY], scalars[J_YZ], scalars[J_ZZ] = j
    size = 0.0
    for v in range(vertices.shape[0]):
        x, y, z = vertices[v, 0], vertices[v, 1], vertices[v, 2]
        body.vertices[v, 0], body.vertices[v, 1], body.vertices[v, 2] = x, y, z
        size = max(size, sqrt(x * x + y * y + z * z))
        xx, yy = theta[0] / mass + (y * y + z * z), theta[3] / mass + (x * x + z * z)
        zz = theta[5] / mass + (x * x + y * y)
        xy, xz, yz = theta[1] / mass - x * y, theta[2] / mass - x * z, theta[4] / mass - y * z
        p = body.pivots[v]
        p[C_X], p[C_Y], p[C_Z] = -x, -y, -z
        p[K_XX], p[K_XY], p[K_XZ], p[K_YY], p[K_YZ], p[K_ZZ] = xx, xy, xz, yy, yz, zz
        p[I_XX], p[I_XY], p[I_XZ], p[I_YY], p[I_YZ], p[I_ZZ] = _inverse((xx, xy, xz, yy, yz, zz), 1.0)
        p[LARGEST] = largest_eigenvalue(xx, xy, xz, yy, yz, zz)
    for f in range(body.n_face):
        _fill_face(body, f)
    for k in range(body.n_edge):
        _fill_edge(body, k)
    body.start = start
    up = body.faces[start]
    pose = flattened(UPRIGHT_POSE, up[F_UX], up[F_UY], up[F_UZ])
    body.pose[0], body.pose[1], body.pose[2], body.pose[3] = pose
    _fill_base(body, start, pose)
    for v in range(vertices.shape[0]):
        body.standing[v] = False
    for f in range(body.n_face):
        if body.is_base[f] or f == start:
            for i in range(body.face_first[f], body.face_first[f + 1]):
                body.standing[body.face_vertices[i]] = True
    scalars[SIZE] = size
    scalars[BARRIER] = mass * gravity * (_pass_height(body, start) - up[F_HEIGHT])
    _fill_slenderness(body, start)


UPRIGHT_POSE = (1.0, 0.0, 0.0, 0.0)


@jit(internal=True)
def _fill_base(body, start, pose):
    first, last, scalars = body.face_first[start], body.face_first[start + 1], body.scalars
    x, y, z = 0.0, 0.0, 0.0
    for i in range(first, last):
        x += body.vertices[body.face_vertices[i], 0] / (last - first)
        y += body.vertices[body.face_vertices[i], 1] / (last - first)
        z += body.vertices[body.face_vertices[i], 2] / (last - first)
    scalars[BASE_X], scalars[BASE_Y], scalars[BASE_Z] = x, y, z
    scalars[START_X], scalars[START_Y], _ = to_ground(pose, x, y, z)


@jit(internal=True)
def _inverse(matrix, mass):
    """``mass`` times the inverse of a symmetric matrix, both as (xx, xy, xz, yy, yz, zz)."""
    xx, xy, xz, yy, yz, zz = matrix
    a, b, c = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    scale = mass / (xx * a + xy * b + xz * c)
    d, e, f = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
    return a * scale, b * scale, c * scale, d * scale, e * scale, f * scale


@jit(internal=True)
def _fill_slenderness(body, start):
    """Smallest tilt of the body axis at which the COM stands over an edge that bounds the base, or over an
    end of one where its foot is beyond it, and the frequency parameter about that edge.

    The border of a ragged base runs in zigzag: the line of a short edge may pass beneath the COM.
    """
    gravity = body.scalars[GRAVITY]
    slenderness, frequency = inf, 0.0
    sign = 1.0 if _stands_over_base(body, start) else -1.0
    for k in range(body.n_edge):
        first, other = body.edge_faces[k, 0], body.edge_faces[k, 1]
        inside = body.is_base[first] != 0 or first == start
        if inside == (other >= 0 and (body.is_base[other] != 0 or other == start)):
            continue
        edge = body.edges[k]
        radius = sqrt(edge[COM_N] ** 2 + edge[COM_Z] ** 2)
        x = edge[COM_N] * edge[N_X] + edge[COM_Z] * edge[UP_X]
        y = edge[COM_N] * edge[N_Y] + edge[COM_Z] * edge[UP_Y]
        z = edge[COM_N] * edge[N_Z] + edge[COM_Z] * edge[UP_Z]
        v, w = body.vertices[body.edge_vertices[k, 0]], body.vertices[body.edge_vertices[k, 1]]
        place = -(v[0] * edge[E_X] + v[1] * edge[E_Y] + v[2] * edge[E_Z])
        if place < 0.0:
            x, y, z = -v[0], -v[1], -v[2]
        elif w[0] * edge[E_X] + w[1] * edge[E_Y] + w[2] * edge[E_Z] < 0.0:
            x, y, z = -w[0], -w[1], -w[2]
        angle = sign * atan2(sqrt(x * x + y * y), z)
        about = sqrt(gravity * radius / edge[K_EE])
        if angle < slenderness or (angle == slenderness and about > frequency):  # edges may share a corner
            slenderness, frequency = angle, about
    if frequency == 0.0:  # every face is base: nothing but a tilt of 90 degrees overturns
        slenderness = 0.5 * pi
        for k in range(body.n_edge):
            edge = body.edges[k]
            radius = sqrt(edge[COM_N] ** 2 + edge[COM_Z] ** 2)
            frequency = max(frequency, sqrt(gravity * radius / edge[K_EE]))
    body.scalars[SLENDERNESS], body.scalars[FREQUENCY] = slenderness, frequency


@jit(internal=True)
def _stands_over_base(body, start):
    """Whether the line from the COM along -z goes through one of the base faces."""
    for f in range(body.n_face):
        if not (body.is_base[f] or f == start):
            continue
        first, last, inside = body.face_first[f], body.face_first[f + 1], True
        for i in range(first, last):
            here = body.vertices[body.face_vertices[i]]
            onwards = body.vertices[body.face_vertices[i + 1 if i + 1 < last else first]]
            inside = inside and here[0] * onwards[1] - here[1] * onwards[0] >= 0.0
        if inside:
            return True
    return False


@jit(internal=True)
def _pass_height(body, start):
    """How high the COM has to rise at least to leave the base [m].

    While the body rolls on the ground its COM height over the orientations is the support function
    of its hull. Its saddles lie on edges, so the lowest way from face to face keeps to them: the
    lowest of all ways is found as in a network whose links are the edges.
    """
    n_face, leave = body.n_face, inf
    for f in range(n_face):
        body.faces[f, F_PASS] = inf
    body.faces[start, F_PASS] = body.faces[start, F_HEIGHT]
    for _ in range(n_face):
        settled = True
        for k in range(body.n_edge):
            edge = body.edges[k]
            for side in range(2):
                here, there = body.edge_faces[k, side], body.edge_faces[k, 1 - side]
                if here < 0 or not (body.is_base[here] or here == start):
                    continue
                top_height = body.faces[here, F_HEIGHT]
                angle = atan2(edge[COM_N], edge[COM_Z])
                if there >= 0:
                    top_height = max(top_height, body.faces[there, F_HEIGHT])
                if 0.0 < angle < edge[OPENING]:
                    top_height = sqrt(edge[COM_N] ** 2 + edge[COM_Z] ** 2)
                height = max(body.faces[here, F_PASS], top_height)
                if there < 0 or not (body.is_base[there] or there == start) or body.faces[there, F_UZ] <= 0.0:
                    leave = min(leave, height)
                elif height < body.faces[there, F_PASS]:
                    body.faces[there, F_PASS], settled = height, False
        if settled:
            break
    return leave


@jit(internal=True)
def _fill_face(body, f):
    mass, theta = body.scalars[MASS], body.inertia
    first, last = body.face_first[f], body.face_first[f + 1]
    face = body.faces[f]
    ux, uy, uz = 0.0, 0.0, 0.0
    v0 = body.vertices[body.face_vertices[first]]
    for i in range(first + 1, last - 1):  # area vector: robust for nearly straight corners
        v1, v2 = body.vertices[body.face_vertices[i]], body.vertices[body.face_vertices[i + 1]]
        ax, ay, az = v1[0] - v0[0], v1[1] - v0[1], v1[2] - v0[2]
        bx, by, bz = v2[0] - v0[0], v2[1] - v0[1], v2[2] - v0[2]
        ux, uy, uz = ux + ay * bz - az * by, uy + az * bx - ax * bz, uz + ax * by - ay * bx
    norm = sqrt(ux * ux + uy * uy + uz * uz)
    ux, uy, uz = ux / norm, uy / norm, uz / norm
    if uz > 0.0 and abs(ux) < LEVEL and abs(uy) < LEVEL:
        ux, uy, uz = 0.0, 0.0, 1.0
        xx, xy, xz = 1.0, 0.0, 0.0
    else:
        v1 = body.vertices[body.face_vertices[first + 1]]
        xx, xy, xz = v1[0] - v0[0], v1[1] - v0[1], v1[2] - v0[2]
        norm = sqrt(xx * xx + xy * xy + xz * xz)
        xx, xy, xz = xx / norm, xy / norm, xz / norm
    yx, yy, yz = uy * xz - uz * xy, uz * xx - ux * xz, ux * xy - uy * xx
    face[F_XX], face[F_XY], face[F_XZ] = xx, xy, xz
    face[F_YX], face[F_YY], face[F_YZ] = yx, yy, yz
    face[F_UX], face[F_UY], face[F_UZ] = ux, uy, uz
    height = 0.0
    for i in range(first, last):
        v = body.vertices[body.face_vertices[i]]
        body.corners[i, 0] = v[0] * xx + v[1] * xy + v[2] * xz
        body.corners[i, 1] = v[0] * yx + v[1] * yy + v[2] * yz
        height -= (v[0] * ux + v[1] * uy + v[2] * uz) / (last - first)
    face[F_HEIGHT] = height
    tx, ty, tz = _times(theta, xx, xy, xz)
    sx, sy, sz = _times(theta, yx, yy, yz)
    jxx = tx * xx + ty * xy + tz * xz + mass * height * height
    jxy = tx * yx + ty * yy + tz * yz
    jyy = sx * yx + sy * yy + sz * yz + mass * height * height
    scale = 1.0 / (jxx * jyy - jxy * jxy)
    face[F_CXX], face[F_CXY], face[F_CYY] = jyy * scale, -jxy * scale, jxx * scale


@jit(internal=True)
def _fill_edge(body, k):
    edge = body.edges[k]
    v, w = body.vertices[body.edge_vertices[k, 0]], body.vertices[body.edge_vertices[k, 1]]
    face = body.faces[body.edge_faces[k, 0]]
    ex, ey, ez = w[0] - v[0], w[1] - v[1], w[2] - v[2]
    length = sqrt(ex * ex + ey * ey + ez * ez)
    ex, ey, ez = ex / length, ey / length, ez / length
    ux, uy, uz = face[F_UX], face[F_UY], face[F_UZ]
    nx, ny, nz = uy * ez - uz * ey, uz * ex - ux * ez, ux * ey - uy * ex
    edge[E_X], edge[E_Y], edge[E_Z] = ex, ey, ez
    edge[N_X], edge[N_Y], edge[N_Z] = nx, ny, nz
    edge[UP_X], edge[UP_Y], edge[UP_Z] = ux, uy, uz
    edge[LENGTH] = length
    edge[COM_E] = -(v[0] * ex + v[1] * ey + v[2] * ez)
    edge[COM_N] = -(v[0] * nx + v[1] * ny + v[2] * nz)
    edge[COM_Z] = -(v[0] * ux + v[1] * uy + v[2] * uz)
    kx, ky, kz = _times(body.pivots[body.edge_vertices[k, 0], K_XX:I_XX], ex, ey, ez)
    edge[K_EE] = kx * ex + ky * ey + kz * ez
    edge[K_EN] = kx * nx + ky * ny + kz * nz
    edge[K_EZ] = kx * ux + ky * uy + kz * uz
    edge[PUSH] = 1.0 / edge[K_EE]
    edge[SHARE] = 1.0 / (body.scalars[GRAVITY] * length)
    edge[OPENING] = inf
    other = body.edge_faces[k, 1]
    if other >= 0:  # turn from the first face flat to the other face flat
        up = body.faces[other]
        edge[OPENING] = atan2(
            up[F_UX] * nx + up[F_UY] * ny + up[F_UZ] * nz, up[F_UX] * ux + up[F_UY] * uy + up[F_UZ] * uz
        )


@jit(internal=True)
def _times(s, x, y, z):
    """Product of a symmetric matrix (xx, xy, xz, yy, yz, zz) and a vector."""
    return s[0] * x + s[1] * y + s[2] * z, s[1] * x + s[3] * y + s[4] * z, s[2] * x + s[4] * y + s[5] * z
