"""Bodies released from a tilt, in place of standing at rest when the ground begins to move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcrock.base.tables.errors import RealizationError
from mcrock.body import Bodies, face_heights, face_normals
from mcrock.body.faces import Array, directed_edges, side_distances
from mcrock.kernel.contact import Topology, topology
from mcrock.study import Study
from mcrock.study.sampling.drawn import Drawn, Draws, variable_name
from mcrock.study.sections import DEGREE

CODES: dict[str, Callable[[Any], int]] = {"start.edge": int}  # of the options of a choice, by dotted name


def draw_release(study: Study, draws: Draws, bodies: Bodies, start: int) -> Drawn:
    """Edge, numbered over the whole body, and tilt [rad] of release of each body; 0 is at rest.

    Parameters
    ----------
    study : Study
        Its section ``start`` says how; without it every body starts at rest.
    draws : mapping
        Values by dotted name, each (n,).
    bodies : Bodies
        The n bodies.
    start : int
        Number of the first realization, for messages.

    Raises
    ------
    RealizationError
        If an edge is none of the start face, or a body is tilted further than it can be.
    """
    n = len(bodies.mass)
    if study.start is None:
        return Drawn({"start_edge": np.zeros(n, dtype=np.int64), "start_tilt": np.zeros(n)}, {})
    edge = draws["start.edge"].astype(np.int64)
    kind = study.start.kind_of_tilt
    tilt = np.array(draws[f"start.{kind}"], float)
    top = topology(bodies.faces, bodies.vertices.shape[1], bodies.base_faces)
    slenderness, most = _limits(bodies, edge, top)
    name = f"{study.source} [start]"
    foreign = np.flatnonzero(np.isnan(slenderness))
    if foreign.size:
        i = int(foreign[0])
        own = np.flatnonzero((top.edge_faces == bodies.start_face[i]).any(1))
        raise RealizationError(
            f"{name} edge: realization {start + i}: expected an edge of the start face, "
            f"{', '.join(map(str, own))}, got {edge[i]}"
        )
    if kind == "tilt_ratio":
        tilt *= slenderness
    elif kind == "tilt_deg":
        tilt *= DEGREE
    wrong = np.flatnonzero((tilt < 0.0) | (tilt > most))
    if wrong.size:
        i = int(wrong[0])
        raise RealizationError(
            f"{name} {kind}: realization {start + i}: the tilt must be 0 to {most[i]:.6g} rad over edge "
            f"{edge[i]}, where the body has tipped over, got {tilt[i]:.6g}"
        )
    values = {
        "start_edge": edge.astype(np.int16),
        "start_tilt": tilt,
        variable_name(f"start.{kind}"): draws[f"start.{kind}"],
    }
    return Drawn({"start_edge": edge, "start_tilt": tilt}, values)


def _limits(bodies: Bodies, edge: NDArray[np.int64], top: Topology) -> tuple[Array, Array]:
    """Tilts over the edge of each body at which its COM stands over it, and at which its next face lies on
    the ground, each (n,) [rad]; NaN where the edge is none of the start face."""
    n = len(bodies.mass)
    slenderness, most = np.full(n, np.nan), np.full(n, np.nan)
    normals = face_normals(bodies.vertices, bodies.faces)
    heights = face_heights(bodies.vertices, bodies.faces, normals)
    for face in np.unique(bodies.start_face):
        of = bodies.start_face == face
        corners = bodies.faces[face]
        inside = side_distances(bodies.vertices[of], corners, normals[of, face])
        lies_over = np.arctan2(inside, heights[of, face][:, None])
        for side, pair in enumerate(directed_edges(corners)):
            number = top.edge_of[pair]
            here = np.flatnonzero(of)[edge[of] == number]
            slenderness[here] = lies_over[edge[of] == number, side]
            others = [f for f in top.edge_faces[number] if f not in (face, -1)]
            most[here] = np.pi / 2
            if others:
                cosine = (normals[here, face] * normals[here, others[0]]).sum(-1)
                most[here] = np.arccos(np.clip(cosine, -1.0, 1.0))
    return slenderness, most
