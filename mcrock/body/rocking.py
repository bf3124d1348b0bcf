"""What the rocking of a body depends on first: its radius, slenderness and frequency parameter."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mcrock.body.faces import Array, Faces, connected, directed_edges, face_normals


def derived(
    mass: Array,
    inertia: Array,
    vertices: Array,
    gravity: Array,
    faces: Faces | None = None,
    start_face: NDArray[np.int64] | None = None,
    base_faces: tuple[int, ...] = (0,),
) -> dict[str, Array]:
    """Radius [m], slenderness [rad] and frequency parameter [rad/s] of many bodies.

    The slenderness is the smallest tilt of body z at which the COM stands over an edge that bounds the
    base (the start face and the base faces connected to it); radius and frequency parameter belong to
    that edge. Where every face is base the slenderness is pi/2. Shapes as `check_bodies`; each result
    has shape (n,).
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
        along /= np.sqrt((along**2).sum(-1, keepdims=True))
        lever = (corner * along).sum(-1, keepdims=True) * along - corner  # from the edge to the COM
        radius = np.sqrt((lever**2).sum(-1))
        about = np.einsum("nki,nij,nkj->nk", along, inertia[of], along) + mass[of, None] * radius**2
        frequency = np.sqrt((mass * gravity)[of, None] * radius / about)
        sides, side = np.unique([owner[edge] for edge in zip(v, w, strict=True)], return_inverse=True)
        normals = -face_normals(vertices[of], tuple(faces[f] for f in sides))[:, side]
        inside = (np.cross(normals, along) * lever).sum(-1)
        tilt = np.copysign(np.arctan2(np.hypot(lever[..., 0], lever[..., 1]), lever[..., 2]), inside)
        pick = np.argmax(frequency, axis=1) if free else np.argmin(tilt, axis=1)
        rows = np.arange(len(of))
        result["radius"][of] = radius[rows, pick]
        result["slenderness"][of] = np.pi / 2 if free else tilt[rows, pick]
        result["frequency"][of] = frequency[rows, pick]
    return result
