"""Leading parameters of rocking: radius, slenderness and frequency parameter."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mcrock.body.faces import Array, Faces, connected, directed_edges


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
    base (the start face and the base faces connected to it), or over the end of one where the edge is not
    long enough, as on the ragged border of a scanned base; it is negative where the COM is not over the base
    without any tilt. Radius and frequency parameter belong to that edge. Where every face is base the
    slenderness is pi/2. Shapes as `check_bodies`; each result has shape (n,).
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
    return result


def _stands_over_any(vertices: Array, faces: Sequence[tuple[int, ...]]) -> NDArray[np.bool_]:
    """Whether the line from the COM along -z goes through one of the faces (n,)."""
    found = np.zeros(len(vertices), np.bool_)
    for face in faces:
        here = vertices[:, face, :2]
        onwards = np.roll(here, -1, axis=1)
        found |= (here[..., 0] * onwards[..., 1] - here[..., 1] * onwards[..., 0]).min(axis=1) >= 0
    return found
