"""Base polygons: their edges, and which of them are refused."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mcrock.body.faces import FLATNESS, Array


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


def refuse(bad: NDArray[np.bool_] | np.bool_, message: Callable[[int], str]) -> None:
    """Raise a ValueError with the ``message`` of the first body that is ``bad`` (n,), if any is."""
    if bad.any():
        i = int(np.argmax(bad))
        where = f" (body {i} of {bad.size})" if bad.size > 1 else ""
        raise ValueError(message(i) + where)
