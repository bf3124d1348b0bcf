"""Polygons (n, k, 2) [m] under solids, and the vertices and faces of what stands between two of them."""

from __future__ import annotations

from math import pi, sin

import numpy as np

from mcrock.body.faces import Array, Faces


def cross_products(base: Array) -> Array:
    """Twice the signed area of the triangle of each side with the origin (n, k) [m2]."""
    x, y = base[..., 0], base[..., 1]
    return x * np.roll(y, -1, axis=-1) - np.roll(x, -1, axis=-1) * y


def polygon_area(base: Array) -> Array:
    """Areas (n,) [m2]; negative where the corners run clockwise."""
    return 0.5 * cross_products(base).sum(-1)


def polygon_centroid(base: Array) -> Array:
    """Centroids (n, 2) [m]."""
    beside = base + np.roll(base, -1, axis=-2)
    cross = cross_products(base)
    area = 3.0 * cross.sum(-1)
    return np.stack([(beside[..., i] * cross).sum(-1) / area for i in range(2)], -1)


def scaled_polygon(base: Array, scale: Array) -> Array:
    """Polygons scaled about their centroids by ``scale`` (n,) [1]."""
    centroid = polygon_centroid(base)[:, None]
    return centroid + scale[:, None, None] * (base - centroid)


def circle_polygon(radius: Array, sides: int) -> Array:
    """Regular polygons (n, sides, 2) [m] of the area of circles of ``radius`` (n,) [m]."""
    angles = 2 * pi * (np.arange(sides) - 0.5) / sides
    unit = np.stack([np.cos(angles), np.sin(angles)], -1)
    return np.sqrt(2 * pi / (sides * sin(2 * pi / sides))) * radius[:, None, None] * unit


def prism_faces(k: int) -> Faces:
    """Faces of a solid on a base of ``k`` corners: base, walls over its edges, top."""
    walls = [((i + 1) % k, i, k + i, k + (i + 1) % k) for i in range(k)]
    return (tuple(range(k)), *walls, tuple(range(2 * k - 1, k - 1, -1)))


def between(base: Array, top: Array, height: Array) -> Array:
    """Vertices (n, 2 k, 3) [m] of what stands between ``base`` at z = 0 and ``top`` at ``height`` (n,)."""
    flat = np.zeros_like(base[..., :1])
    lower = np.concatenate([base, flat], axis=-1)
    return np.concatenate([lower, np.concatenate([top, flat + height[:, None, None]], axis=-1)], axis=1)
