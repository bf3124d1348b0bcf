"""The bodies of a slice of realizations, the slope that they stand on and the tilt that they start from."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mcrock.base.tables.errors import RealizationError
from mcrock.body import Bodies, face_heights, face_normals
from mcrock.body.faces import Array, directed_edges, side_distances
from mcrock.body.shapes import Shape
from mcrock.kernel.contact import Topology, topology
from mcrock.study import Study
from mcrock.study.sampling.drawn import Drawn, Draws, variable_name
from mcrock.study.sections import DEGREE

SLOPES = ("ground.slope_x_deg", "ground.slope_y_deg")


@np.errstate(all="ignore")  # what overflows is refused as not finite
def draw_bodies(
    study: Study, draws: Draws, n: int, start: int, hull: NDArray[np.int64]
) -> tuple[Bodies, dict[str, Array], Drawn]:
    """Bodies of ``n`` realizations, the first of which has the number ``start``.

    ``hull`` (n,) are the numbers of their draws of the error of the shape.

    Returns
    -------
    bodies : Bodies
    sizes : dict of str to ndarray (n,)
        `radius` [m], `slenderness` [rad] and `frequency` [rad/s] of each.
    drawn : Drawn

    Raises
    ------
    RealizationError
        If a body cannot exist or stand: names the realization and what was drawn.
    ValueError
        If realizations that have faces of their own are drawn together.
    """
    uncertain = [name for name in study.uncertain if name.startswith("body.")]
    drawn = {key: draws[f"body.{key}"] for key, _ in study.body.quantities()}
    if study.body.own_hulls and n > 1:
        raise ValueError(f"each realization has faces of its own: draw them one at a time, got {n}")
    if uncertain or study.body.underside is not None:
        one = drawn if uncertain else {key: array[:1] for key, array in drawn.items()}
        bodies = _build(study, one, hull)
        impossible, sizes = bodies.first_impossible(), bodies.derived()
    else:
        bodies, impossible, sizes = _fixed(study.body)
    if impossible is not None:
        _refuse(study, *impossible, {name: draws[name] for name in uncertain}, start)
    if not uncertain:
        bodies, sizes = bodies.repeated(n), {name: np.repeat(array, n) for name, array in sizes.items()}
    arrays = {
        "faces": bodies.faces,
        "start_face": bodies.start_face,
        "base_faces": bodies.base_faces,
        "stands_clear": bodies.stands_clear,
        "gravity": bodies.gravity,
        "mass": bodies.mass,
        "inertia": bodies.inertia,
        "vertices": bodies.vertices,
    }
    values = {variable_name(name): draws[name] for name in uncertain}
    values |= {f"body_{key}": array for key, array in bodies.values.items()}
    values |= {"body_mass": bodies.mass, "gravity": bodies.gravity}
    values |= {f"body_{key}": array for key, array in sizes.items()}
    values["start_face"] = bodies.start_face.astype(np.int16)
    return bodies, sizes, Drawn(arrays, values)


def _build(study: Study, drawn: dict[str, Array], hull: NDArray[np.int64]) -> Bodies:
    if study.body.underside is None:
        return study.body.build(drawn)
    number = int(hull[0])
    try:
        body = study.body.on_hull(drawn, study.seed, number)
        return body.build(drawn | {"scale": np.ones_like(drawn["scale"])})  # the hull has its size
    except ValueError as error:
        raise RealizationError(f"{study.source} [body] shape_error: draw {number}: {error}") from None


@lru_cache(maxsize=4)
def _fixed(shape: Shape) -> tuple[Bodies, tuple[int, str] | None, dict[str, Array]]:
    """The one body of a shape without uncertain numbers, why it is impossible, and its sizes.

    Kept, as every part of a study asks for it, and a scan of 150 corners takes a tenth of a second.
    """
    bodies = shape.build({key: np.array([value], float) for key, value in shape.quantities()})
    return bodies, bodies.first_impossible(), bodies.derived()


def _refuse(study: Study, i: int, reason: str, uncertain: Draws, start: int) -> None:
    what = ", ".join(f"{name.removeprefix('body.')} = {array[i]:.6g}" for name, array in uncertain.items())
    advice = f" (drawn: {what}); truncate the distributions" if uncertain else ""
    raise RealizationError(f"{study.source} [body]: realization {start + i}: {reason}{advice}")


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


def draw_ground(draws: Draws, n: int) -> Drawn:
    """Slopes of ``n`` realizations; the ground is level where a study does not say."""
    if SLOPES[0] not in draws:
        return Drawn({"slope": np.zeros((n, 2))}, {})
    slope = np.sin(np.radians(np.stack([draws[name] for name in SLOPES], axis=-1)))
    return Drawn({"slope": slope}, {variable_name(name): draws[name] for name in SLOPES})
