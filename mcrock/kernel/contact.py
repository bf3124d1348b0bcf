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
    (n, 3) [m] and ``gravity`` [m/s2] that stands on face ``start``; it has the radius of its rim."""
    theta = body.inertia
    body.mass, body.gravity = mass, gravity
    theta[0], theta[1], theta[2] = inertia[0, 0], inertia[0, 1], inertia[0, 2]
    theta[3], theta[4], theta[5] = inertia[1, 1], inertia[1, 2], inertia[2, 2]
    j = _inverse((theta[0], theta[1], theta[2], theta[3], theta[4], theta[5]), mass)
    body.j_xx, body.j_xy, body.j_xz, body.j_yy, body.j_yz, body.j_zz = j
    radius = 0.0
    for v in range(vertices.shape[0]):
        x, y, z = vertices[v, 0], vertices[v, 1], vertices[v, 2]
        body.vertices[v, 0], body.vertices[v, 1], body.vertices[v, 2] = x, y, z
        radius = max(radius, sqrt(x * x + y * y + z * z))
        xx, yy = theta[0] / mass + (y * y + z * z), theta[3] / mass + (x * x + z * z)
        zz = theta[5] / mass + (x * x + y * y)
        xy, xz, yz = theta[1] / mass - x * y, theta[2] / mass - x * z, theta[4] / mass - y * z
        p = body.pivots[v]
        p.com_x, p.com_y, p.com_z = -x, -y, -z
        p.k_xx, p.k_xy, p.k_xz, p.k_yy, p.k_yz, p.k_zz = xx, xy, xz, yy, yz, zz
        p.inv_xx, p.inv_xy, p.inv_xz, p.inv_yy, p.inv_yz, p.inv_zz = _inverse((xx, xy, xz, yy, yz, zz), 1.0)
        p.largest = largest_eigenvalue(xx, xy, xz, yy, yz, zz)
    for f in range(body.n_face):
        _fill_face(body, f)
    for k in range(body.n_edge):
        _fill_edge(body, k)
    body.start = start
    up = body.faces[start]
    pose = flattened(UPRIGHT_POSE, up.up_x, up.up_y, up.up_z)
    body.pose[0], body.pose[1], body.pose[2], body.pose[3] = pose
    _fill_base(body, start, pose)
    for v in range(vertices.shape[0]):
        body.standing[v] = False
    for f in range(body.n_face):
        if body.is_base[f] or f == start:
            for i in range(body.face_first[f], body.face_first[f + 1]):
                body.standing[body.face_vertices[i]] = True
    body.radius = radius
    body.barrier = mass * gravity * (_pass_height(body, start) - up.height)
    _fill_slenderness(body, start)
    if body.rim > 0.0:
        _fill_rim(body)


UPRIGHT_POSE = (1.0, 0.0, 0.0, 0.0)


@jit(internal=True)
def _fill_base(body, start, pose):
    first, last = body.face_first[start], body.face_first[start + 1]
    x, y, z = 0.0, 0.0, 0.0
    for i in range(first, last):
        x += body.vertices[body.face_vertices[i], 0] / (last - first)
        y += body.vertices[body.face_vertices[i], 1] / (last - first)
        z += body.vertices[body.face_vertices[i], 2] / (last - first)
    body.base_x, body.base_y, body.base_z = x, y, z
    body.start_x, body.start_y, _ = to_ground(pose, x, y, z)


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
    gravity = body.gravity
    slenderness, frequency = inf, 0.0
    sign = 1.0 if _stands_over_base(body, start) else -1.0
    for k in range(body.n_edge):
        first, other = body.edge_faces[k, 0], body.edge_faces[k, 1]
        inside = body.is_base[first] != 0 or first == start
        if inside == (other >= 0 and (body.is_base[other] != 0 or other == start)):
            continue
        edge = body.edges[k]
        radius = sqrt(edge.com_n**2 + edge.com_z**2)
        x = edge.com_n * edge.normal_x + edge.com_z * edge.up_x
        y = edge.com_n * edge.normal_y + edge.com_z * edge.up_y
        z = edge.com_n * edge.normal_z + edge.com_z * edge.up_z
        v, w = body.vertices[body.edge_vertices[k, 0]], body.vertices[body.edge_vertices[k, 1]]
        place = -(v[0] * edge.along_x + v[1] * edge.along_y + v[2] * edge.along_z)
        if place < 0.0:
            x, y, z = -v[0], -v[1], -v[2]
        elif w[0] * edge.along_x + w[1] * edge.along_y + w[2] * edge.along_z < 0.0:
            x, y, z = -w[0], -w[1], -w[2]
        angle = sign * atan2(sqrt(x * x + y * y), z)
        about = sqrt(gravity * radius / edge.k_ee)
        if angle < slenderness or (angle == slenderness and about > frequency):  # edges may share a corner
            slenderness, frequency = angle, about
    if frequency == 0.0:  # every face is base: nothing but a tilt of 90 degrees overturns
        slenderness = 0.5 * pi
        for k in range(body.n_edge):
            edge = body.edges[k]
            radius = sqrt(edge.com_n**2 + edge.com_z**2)
            frequency = max(frequency, sqrt(gravity * radius / edge.k_ee))
    body.slenderness, body.frequency = slenderness, frequency


@jit(internal=True)
def _fill_rim(body):
    """The same for a circular base, at the point of its rim that is nearest to the COM; and the energy that
    the COM needs to come over it."""
    x, y, h = body.base_x, body.base_y, -body.base_z
    off = sqrt(x * x + y * y)
    reach = body.rim - off
    c, s = (-x / off, -y / off) if off > 0.0 else (1.0, 0.0)
    i, radius = body.inertia, sqrt(reach * reach + h * h)
    about = s * s * i[0] - 2.0 * s * c * i[1] + c * c * i[3] + body.mass * radius * radius
    body.slenderness, body.frequency = atan2(reach, h), sqrt(body.mass * body.gravity * radius / about)
    body.barrier = body.mass * body.gravity * (radius - h)
    body.standing[body.n_vertex] = True  # where its lowest point counts as a vertex


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
        body.faces[f].pass_height = inf
    body.faces[start].pass_height = body.faces[start].height
    for _ in range(n_face):
        settled = True
        for k in range(body.n_edge):
            edge = body.edges[k]
            for side in range(2):
                here, there = body.edge_faces[k, side], body.edge_faces[k, 1 - side]
                if here < 0 or not (body.is_base[here] or here == start):
                    continue
                top_height = body.faces[here].height
                angle = atan2(edge.com_n, edge.com_z)
                if there >= 0:
                    top_height = max(top_height, body.faces[there].height)
                if 0.0 < angle < edge.opening:
                    top_height = sqrt(edge.com_n**2 + edge.com_z**2)
                height = max(body.faces[here].pass_height, top_height)
                if there < 0 or not (body.is_base[there] or there == start) or body.faces[there].up_z <= 0.0:
                    leave = min(leave, height)
                elif height < body.faces[there].pass_height:
                    body.faces[there].pass_height, settled = height, False
        if settled:
            break
    return leave


@jit(internal=True)
def _fill_face(body, f):
    mass, theta = body.mass, body.inertia
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
    face.x_x, face.x_y, face.x_z = xx, xy, xz
    face.y_x, face.y_y, face.y_z = yx, yy, yz
    face.up_x, face.up_y, face.up_z = ux, uy, uz
    height = 0.0
    for i in range(first, last):
        v = body.vertices[body.face_vertices[i]]
        body.corners[i, 0] = v[0] * xx + v[1] * xy + v[2] * xz
        body.corners[i, 1] = v[0] * yx + v[1] * yy + v[2] * yz
        height -= (v[0] * ux + v[1] * uy + v[2] * uz) / (last - first)
    face.height = height
    tx, ty, tz = _times(theta, xx, xy, xz)
    sx, sy, sz = _times(theta, yx, yy, yz)
    jxx = tx * xx + ty * xy + tz * xz + mass * height * height
    jxy = tx * yx + ty * yy + tz * yz
    jyy = sx * yx + sy * yy + sz * yz + mass * height * height
    scale = 1.0 / (jxx * jyy - jxy * jxy)
    face.c_xx, face.c_xy, face.c_yy = jyy * scale, -jxy * scale, jxx * scale


@jit(internal=True)
def _fill_edge(body, k):
    edge = body.edges[k]
    v, w = body.vertices[body.edge_vertices[k, 0]], body.vertices[body.edge_vertices[k, 1]]
    face = body.faces[body.edge_faces[k, 0]]
    ex, ey, ez = w[0] - v[0], w[1] - v[1], w[2] - v[2]
    length = sqrt(ex * ex + ey * ey + ez * ez)
    ex, ey, ez = ex / length, ey / length, ez / length
    ux, uy, uz = face.up_x, face.up_y, face.up_z
    nx, ny, nz = uy * ez - uz * ey, uz * ex - ux * ez, ux * ey - uy * ex
    edge.along_x, edge.along_y, edge.along_z = ex, ey, ez
    edge.normal_x, edge.normal_y, edge.normal_z = nx, ny, nz
    edge.up_x, edge.up_y, edge.up_z = ux, uy, uz
    edge.length = length
    edge.com_e = -(v[0] * ex + v[1] * ey + v[2] * ez)
    edge.com_n = -(v[0] * nx + v[1] * ny + v[2] * nz)
    edge.com_z = -(v[0] * ux + v[1] * uy + v[2] * uz)
    p = body.pivots[body.edge_vertices[k, 0]]
    kx, ky, kz = _times((p.k_xx, p.k_xy, p.k_xz, p.k_yy, p.k_yz, p.k_zz), ex, ey, ez)
    edge.k_ee = kx * ex + ky * ey + kz * ez
    edge.k_en = kx * nx + ky * ny + kz * nz
    edge.k_ez = kx * ux + ky * uy + kz * uz
    edge.push = 1.0 / edge.k_ee
    edge.share = 1.0 / (body.gravity * length)
    edge.opening = inf
    other = body.edge_faces[k, 1]
    if other >= 0:  # turn from the first face flat to the other face flat
        up = body.faces[other]
        edge.opening = atan2(
            up.up_x * nx + up.up_y * ny + up.up_z * nz, up.up_x * ux + up.up_y * uy + up.up_z * uz
        )


@jit(internal=True)
def _times(s, x, y, z):
    """Product of a symmetric matrix (xx, xy, xz, yy, yz, zz) and a vector."""
    return s[0] * x + s[1] * y + s[2] * z, s[1] * x + s[3] * y + s[4] * z, s[2] * x + s[4] * y + s[5] * z
