"""Motion that a body at rest enters, and the friction up to which a slip has one contact force.

Motion that a body at rest enters: rest, slide, rock or slide-rock, on any convex base.

Shenton, H. W. III (1996). Criteria for initiation of slide, rock, and slide-rock rigid-body modes. Journal
of Engineering Mechanics 122(7), 690-693.

Shenton's chart is that of a planar rectangle. Here it is one for each horizontal direction: that in which
the body is pushed, opposite to the acceleration of the ground. ``A`` is the horizontal acceleration over the
vertical one, gravity included, |a_h| / (g + a_z).

That a body rests (``A`` at most the friction, centre of pressure inside the base) and that it slides flat
and never tips (friction at most reach over height) is exact for every body and direction, whatever the
pressure under it. Whether one that tips sticks or slips is decided in the vertical plane through the centre
of mass (COM). That is exact across a side where the inertia does not couple the axes along and across it, so
in the worst direction of every cuboid, and in planes of symmetry; towards the farthest corner of 3000 random
cuboids it was right within 0.4 % of the friction. In oblique directions it is a bound from below: the
friction that the ends of the edge need to stick was 6 % above it in half of those cuboids, 25 % in a tenth.

Up to which friction the slip of one corner always has exactly one contact force.

A corner with the offset d from the centre of mass moves, under a force F there, by W F with
``W = I/m - [d]x Theta^-1 [d]x``. While it slips in the direction s the normal force N follows from
``p N = b`` with ``p = e_z.W e_z - mu e_z.W s``: for p <= 0 there is none or more than one.

Painlevé, P. (1895). Sur les lois du frottement de glissement. Comptes rendus 121, 112-115.
Génot, F., Brogliato, B. (1999). New results on Painlevé paradoxes. European Journal of Mechanics A/Solids
18(4), 653-677.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcrock.body.faces import Faces, downwards, edge_geometry, face_heights, face_normals


class Regime(IntEnum):
    """Motion that starts from rest."""

    REST = 0
    SLIDE = 1
    ROCK = 2
    SLIDE_ROCK = 3


class Sections(NamedTuple):
    """Vertical planes through the COM of bodies that stand on their start face; shapes that broadcast."""

    reach: Array  # from the COM to the border of the base, horizontally [m]
    height: Array  # of the COM above the ground [m]
    gyration: Array  # radius of gyration about the horizontal axis through the COM across the plane [m]

    @property
    def tipping(self) -> Array:
        """Horizontal over vertical acceleration beyond which the body cannot rest upright [1]."""
        return self.reach / self.height


class _Standing(NamedTuple):
    """Bodies as they stand: their sides, and the inertia in ground axes."""

    distance: Array  # (n, k) of the COM from each side, inf beyond the last side of a body [m]
    outwards: Array  # (n, k, 2) normals of the sides
    corners: Array  # (n, k, 2) relative to the COM, 0 beyond the last [m]
    height: Array  # (n,) [m]
    inertia: Array  # (n, 3, 3) [kg m2]


def sections(
    mass: Array,
    inertia: Array,
    vertices: Array,
    faces: Faces,
    start_face: NDArray[np.int64],
    azimuth: ArrayLike,
) -> Sections:
    """Sections of bodies in some directions.

    Parameters
    ----------
    mass, inertia, vertices, faces, start_face
        As those of `mcrock.body.Bodies`.
    azimuth : array_like (n_direction,) or (n, n_direction)
        Directions in which the bodies are pushed, from ground x towards y in the start pose [rad].

    Returns
    -------
    Sections
        Arrays (n, n_direction), the height (n, 1).
    """
    standing = _stand(inertia, vertices, faces, start_face)
    angle = np.broadcast_to(azimuth, (len(mass), np.shape(azimuth)[-1]))
    along = np.stack([np.cos(angle), np.sin(angle)], -1)
    approach = np.einsum("nmi,nki->nmk", along, standing.outwards)
    with np.errstate(divide="ignore"):
        meets = np.where(approach > 0, standing.distance[:, None] / approach, np.inf)
    across = np.stack([-along[..., 1], along[..., 0]], -1)
    about = np.einsum("nmi,nij,nmj->nm", across, standing.inertia[:, :2, :2], across)
    return Sections(meets.min(-1), standing.height[:, None], np.sqrt(about / mass[:, None]))


def extreme_directions(vertices: Array, faces: Faces, start_face: NDArray[np.int64]) -> Array:
    """Azimuths (n, 2) [rad] in which bodies tip most and least easily: across the nearest side of the base
    and towards its farthest corner."""
    unused = np.zeros((len(vertices), 3, 3))
    standing = _stand(unused, vertices, faces, start_face)
    rows = np.arange(len(vertices))
    worst = standing.outwards[rows, standing.distance.argmin(-1)]
    mildest = standing.corners[rows, np.square(standing.corners).sum(-1).argmax(-1)]
    either = np.stack([worst, mildest], 1)
    return np.arctan2(either[..., 1], either[..., 0])


def slide_rock_limit(friction: ArrayLike, section: Sections) -> Array:
    """Horizontal over vertical acceleration up to which a body that tips sticks [1].

    Parameters
    ----------
    friction : array_like
        Coulomb coefficient up to which contacts stick [1].
    section : Sections

    Returns
    -------
    ndarray
        Broadcast; inf where the body sticks however hard it is pushed, NaN where it slides and never tips.

    Examples
    --------
    A block of 0.4 x 1.6 m at friction 0.35; with k^2 = (b^2 + h^2) / 3 this is Shenton's formula,
    (mu (4 h^2 + b^2) - 3 b h) / (4 b^2 + h^2 - 3 mu b h).

    >>> block = Sections(np.array(0.2), np.array(0.8), np.sqrt(np.array(0.2**2 + 0.8**2) / 3))
    >>> print(f"{slide_rock_limit(0.35, block):.4f}")
    0.6804
    """
    mu = np.asarray(friction, float)
    b, h, k2 = section.reach, section.height, np.square(section.gyration)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        pull, demand = k2 + b**2 - mu * b * h, mu * (k2 + h**2) - b * h
        limit = np.where(pull > 0, demand / pull, np.inf)
    return np.where(mu > section.tipping, limit, np.nan)


def regime_from_rest(
    acceleration: ArrayLike, friction: ArrayLike, section: Sections, static_friction: ArrayLike | None = None
) -> NDArray[np.int64]:
    """Motion that bodies at rest enter when they are pushed with a constant acceleration.

    Parameters
    ----------
    acceleration : array_like
        Horizontal over vertical acceleration of the ground, gravity included [1].
    friction : array_like
        Coulomb coefficient of contacts that slip [1].
    section : Sections
        In the directions in which the bodies are pushed.
    static_friction : array_like, optional
        Coefficient up to which contacts stick [1], at least ``friction``, which is the default.

    Returns
    -------
    ndarray of int
        Codes of `Regime`, broadcast.
    """
    a, kinetic = np.asarray(acceleration, float), np.asarray(friction, float)
    static = kinetic if static_friction is None else np.asarray(static_friction, float)
    moves = a > np.minimum(static, section.tipping)
    sticks = a <= slide_rock_limit(static, section)  # not where the limit is NaN
    slipping = np.where(kinetic > section.tipping, Regime.SLIDE_ROCK, Regime.SLIDE)
    return np.where(moves, np.where(sticks, Regime.ROCK, slipping), Regime.REST)


def _stand(inertia: Array, vertices: Array, faces: Faces, start_face: NDArray[np.int64]) -> _Standing:
    normals = face_normals(vertices, faces)
    rows = np.arange(len(vertices))
    upright = downwards(normals[rows, start_face])
    n, most = len(vertices), max(len(faces[f]) for f in np.unique(start_face))
    distance, outwards = np.full((n, most), np.inf), np.zeros((n, most, 2))
    corners = np.zeros((n, most, 2))
    for f in np.unique(start_face):
        of, k = start_face == f, len(faces[f])
        base = np.einsum("nij,nkj->nki", upright[of], vertices[of][:, faces[f]])
        distance[of, :k], _, along, _ = edge_geometry(base)
        outwards[of, :k] = np.stack([along[..., 1], -along[..., 0]], -1)
        corners[of, :k] = base[..., :2]
    height = face_heights(vertices, faces, normals)[rows, start_face]
    return _Standing(distance, outwards, corners, height, upright @ inertia @ upright.transpose(0, 2, 1))


Array = NDArray[np.float64]


def painleve_friction(mass: ArrayLike, inertia: ArrayLike, corners: ArrayLike) -> Array:
    """Least friction coefficient at which the slip of a corner is undetermined in some pose.

    For orthogonal unit vectors n and s the largest value of ``n.W s / n.W n`` is
    ``(w3 - w1) / (2 sqrt(w1 w3))`` with the extreme eigenvalues w1 and w3 of W.

    Parameters
    ----------
    mass : array_like (n,)
        [kg].
    inertia : array_like (n, 3, 3)
        About the centre of mass [kg m2].
    corners : array_like (n, k, 3)
        Relative to the centre of mass, in the axes of the inertia [m].

    Returns
    -------
    ndarray (n, k)
        [1]; infinite for a corner at the centre of mass.

    Examples
    --------
    Of a cube of 1 kg with edges of 1 m:

    >>> float(painleve_friction([1.0], [np.eye(3) / 6], [[[0.5, 0.5, -0.5]]])[0, 0].round(3))
    1.042
    """
    d = np.asarray(corners, float)
    zero = np.zeros(d.shape[:-1])
    x, y, z = np.moveaxis(d, -1, 0)
    cross = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=-1).reshape(*d.shape, 3)
    turn = cross @ np.linalg.inv(np.asarray(inertia, float))[:, None] @ cross
    w = np.linalg.eigvalsh(np.eye(3) / np.asarray(mass, float)[:, None, None, None] - turn)
    with np.errstate(divide="ignore"):
        return np.asarray(2.0 * np.sqrt(w[..., 0] * w[..., 2]) / (w[..., 2] - w[..., 0]))
