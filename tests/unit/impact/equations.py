"""Plain-numpy twins of the impact equations of Várkonyi, Kocsis and Ther (2022).

Written from the equations alone: every pivot is tried by solving (18) with numpy.linalg and kept if
it passes (22) and (23). Points are relative to the centre of mass, axes are those of the ground.
"""

from typing import NamedTuple

import numpy as np

UP = np.array([0.0, 0.0, 1.0])


class Solution(NamedTuple):
    """One feasible way to go on after a facet impact."""

    pivot: int
    omega: np.ndarray  # [rad/s]
    tau: float  # [N m s]
    velocity: np.ndarray  # of the centre of mass [m/s]


def cross_matrix(v):
    """(14): the matrix [v] with [v] u = v x u."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def impact(mass, inertia, point, old, new, omega, tau, up=UP):
    """(18) [rad/s]."""
    R, a, b = cross_matrix(point), cross_matrix(new), cross_matrix(old)
    return np.linalg.solve(inertia - mass * R @ a, (inertia - mass * R @ b) @ omega + tau * up)


def edge_point(old, new, lambda_):
    """(19): place of the impulse on a landing edge [m]."""
    return 0.5 * (new + old) + 0.5 * lambda_ * (new - old)


def energy(mass, inertia, pivot, omega):
    """Kinetic energy of rotation about a fixed point, as under (25) [J]."""
    R = cross_matrix(pivot)
    return 0.5 * omega @ (inertia + mass * R.T @ R) @ omega


def edge_energy_change(mass, inertia, old, new, omega, lambda_, tau, up=UP):
    """Left side of (26) for an edge impact [J]."""
    after = impact(mass, inertia, edge_point(old, new, lambda_), old, new, omega, tau, up)
    return energy(mass, inertia, new, after) - energy(mass, inertia, old, omega)


def facet_point(polygon, old, lambda_lon, lambda_lat):
    """R in a convex polygon (n, 2), by cutting it with the chord parallel to the old edge [m].

    (21) for a rectangle. The polygon is turned so that the old edge lies on the x axis and cut by
    interpolation of its left and right boundaries.
    """
    n = len(polygon)
    origin, along = polygon[old], polygon[(old + 1) % n] - polygon[old]
    along = along / np.hypot(*along)
    turn = np.array([along, [-along[1], along[0]]])
    local = np.roll((polygon - origin) @ turn.T, -old, axis=0)  # 0 and 1 are the old edge
    depth = local[:, 1].max()
    level = np.clip(0.5 * (1 + lambda_lon) * depth, 0.0, depth)
    top = np.flatnonzero(local[:, 1] > depth * (1 - 1e-12))
    right, left = local[1 : top[0] + 1], np.vstack([local[top[-1] :], local[:1]])[::-1]
    ends = [np.interp(level, side[:, 1], side[:, 0]) for side in (left, right)]
    middle, half = 0.5 * (ends[0] + ends[1]), 0.5 * (ends[1] - ends[0])
    return origin + turn.T @ np.array([middle + lambda_lat * half, 0.5 * (1 + lambda_lon) * depth])


def facet_solutions(mass, inertia, vertices, point, old, omega, tau=None, slack=1e-9):
    """All feasible solutions of a facet impact.

    ``vertices`` (n, 3), ``point`` (3,) and ``old``, a vertex of the old edge, in ground axes. With
    ``tau`` None the condition (24), no spin after the impact, takes its place.
    """
    velocity = cross_matrix(old) @ omega  # (15)
    speed = np.linalg.norm(omega) * np.abs(vertices).max()
    found = []
    for a, new in enumerate(vertices):
        matrix = inertia - mass * cross_matrix(point) @ cross_matrix(new)
        right = (inertia - mass * cross_matrix(point) @ cross_matrix(old)) @ omega
        if tau is None:
            x, y, torque = np.linalg.solve(np.column_stack([matrix[:, 0], matrix[:, 1], -UP]), right)
            after = np.array([x, y, 0.0])
        else:
            after, torque = np.linalg.solve(matrix, right + tau * UP), tau
        v = cross_matrix(new) @ after  # (16)
        lift = v[2] + np.cross(after, vertices)[:, 2]
        if v[2] > velocity[2] and lift.min() >= -slack * speed:  # (22), (23)
            found.append(Solution(a, after, torque, v))
    return found
