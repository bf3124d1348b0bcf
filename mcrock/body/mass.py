"""Volume, centroid and inertia of homogeneous convex polyhedra."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mcrock.body.faces import Faces, cross

Array = NDArray[np.float64]


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
