"""The rigid body: geometry, mass properties and the numbers derived from them.

A body stands on a convex polygonal base. Its frame has the origin at the centre of mass (COM) and
z along the inward normal of the base, so every base vertex has the same negative z. The array
functions work on many bodies at once, one per realization of a study.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcrock.params import GRAVITY

FLATNESS = 1e-9  # largest deviation of the base from a plane over its size [1]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """Rigid body on a convex polygonal base.

    Use `cuboid` or `prism` for homogeneous solids; call ``Body`` itself with measured or computed
    mass properties.

    Attributes
    ----------
    mass : float
        [kg].
    inertia : ndarray (3, 3)
        About the COM, body axes [kg m2].
    vertices : ndarray (n, 3)
        Base vertices relative to the COM, counter-clockwise seen from above, all at z = -(height
        of the COM above the base) [m].
    gravity : float
        [m/s2].

    Raises
    ------
    ValueError
        For a body that cannot exist or cannot stand: the message names field, unit and value.
    """

    mass: float
    inertia: Array
    vertices: Array
    gravity: float = GRAVITY

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", float(self.mass))
        object.__setattr__(self, "gravity", float(self.gravity))
        for name, shape in (("inertia", "(3, 3) [kg m2]"), ("vertices", "(n, 3) [m]")):
            try:
                array = np.array(getattr(self, name), dtype=float)
            except (TypeError, ValueError):
                raise ValueError(f"Body.{name} must be an array of numbers of shape {shape}") from None
            if array.ndim != 2 or array.shape[1] != 3 or (name == "inertia" and array.shape[0] != 3):
                raise ValueError(f"Body.{name} must have shape {shape}, got {array.shape}")
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        check_bodies(np.array([self.mass]), self.inertia[None], self.vertices[None], np.array([self.gravity]))

    @property
    def com_height(self) -> float:
        """Height of the COM above the base [m]."""
        return -float(self.vertices[:, 2].mean())

    @property
    def faces(self) -> tuple[tuple[int, ...], ...]:
        """Vertices of each face that can touch the ground, counter-clockwise from above."""
        return (tuple(range(len(self.vertices))),)

    @property
    def edge_slenderness(self) -> Array:
        """Slenderness of each base edge: tilt at which the COM stands over it (n,) [rad]."""
        return _edge_geometry(self.vertices[None])[1][0]

    @property
    def slenderness(self) -> float:
        """Smallest slenderness over the base edges [rad]."""
        return float(self._derived("slenderness"))

    @property
    def radius(self) -> float:
        """Distance R from the COM to the edge of smallest slenderness [m]."""
        return float(self._derived("radius"))

    @property
    def frequency(self) -> float:
        """Frequency parameter p = sqrt(m g R / I) about the edge of smallest slenderness [rad/s]."""
        return float(self._derived("frequency"))

    def _derived(self, name: str) -> float:
        arrays = np.array([self.mass]), self.inertia[None], self.vertices[None], np.array([self.gravity])
        return derived(*arrays)[name][0]


def cuboid(
    width: float,
    depth: float,
    height: float,
    density: float | None = None,
    *,
    mass: float | None = None,
    com: ArrayLike = (0.0, 0.0, 0.0),
    gravity: float = GRAVITY,
) -> Body:
    """Homogeneous rectangular block standing on its ``width`` x ``depth`` face.

    Parameters
    ----------
    width, depth, height : float
        Edges along body x, y and z [m].
    density, mass : float
        One of the two [kg/m3], [kg].
    com : array_like (3,)
        Offset of the COM from the centre of the block [m]; the inertia about the COM stays that
        of the homogeneous block.
    gravity : float
        [m/s2].

    Raises
    ------
    ValueError
        If a size is not positive, both or neither of density and mass are given, or the body
        cannot stand.

    Examples
    --------
    >>> body = cuboid(width=0.4, depth=0.4, height=1.6, density=2600)
    >>> round(body.mass, 1), round(body.slenderness, 4), round(body.frequency, 4)
    (665.6, 0.245, 2.987)
    """
    for name, value in (("width", width), ("depth", depth), ("height", height)):
        _positive(f"cuboid.{name}", value, "m")
    volume = width * depth * height
    mass = _mass("cuboid", density, mass, volume)
    inertia, vertices = cuboid_properties(
        *(np.array([value], float) for value in (width, depth, height, mass)), np.array(com, float)[None]
    )
    return Body(mass, inertia[0], vertices[0], gravity)


def prism(
    base: ArrayLike,
    height: float,
    density: float | None = None,
    *,
    mass: float | None = None,
    com: ArrayLike = (0.0, 0.0, 0.0),
    gravity: float = GRAVITY,
) -> Body:
    """Homogeneous right prism on a convex polygon.

    Parameters
    ----------
    base : array_like (n, 2)
        Corners of the base, counter-clockwise [m].
    height : float
        [m].
    density, mass : float
        One of the two [kg/m3], [kg].
    com : array_like (3,)
        Offset of the COM from the centroid of the prism [m]; the inertia about the COM stays that
        of the homogeneous prism.
    gravity : float
        [m/s2].

    Raises
    ------
    ValueError
        As `cuboid`, and for a base that is not a convex polygon.

    Examples
    --------
    >>> block = prism([(-0.2, -0.2), (0.2, -0.2), (0.2, 0.2), (-0.2, 0.2)], 1.6, density=2600)
    >>> round(block.frequency, 4)
    2.987
    """
    corners = np.array(base, float)
    if corners.ndim != 2 or corners.shape[1:] != (2,):
        raise ValueError(f"prism.base must have shape (n, 2) [m], got {corners.shape}")
    if len(corners) < 3:
        raise ValueError(f"prism.base must have at least 3 corners [m], got {len(corners)}")
    if not np.isfinite(corners).all():
        raise ValueError(f"prism.base must be finite [m], got {corners.tolist()}")
    area = float(prism_volume(corners[None], np.ones(1))[0])
    if abs(area) <= 1e-12 * float(np.ptp(corners, axis=0).max()) ** 2:
        raise ValueError("prism.base must be a convex polygon, but its corners enclose no area [m2]")
    if area < 0:
        raise ValueError("prism.base must run counter-clockwise seen from above; reverse their order")
    _positive("prism.height", height, "m")
    mass = _mass("prism", density, mass, float(prism_volume(corners[None], np.array([height]))[0]))
    inertia, vertices = prism_properties(
        corners[None], np.array([height], float), np.array([mass]), np.array(com, float)[None]
    )
    return Body(mass, inertia[0], vertices[0], gravity)


def cuboid_properties(
    width: Array, depth: Array, height: Array, mass: Array, com: Array
) -> tuple[Array, Array]:
    """Inertia (n, 3, 3) [kg m2] and base vertices (n, 4, 3) [m] of homogeneous cuboids.

    ``width``, ``depth``, ``height`` [m] and ``mass`` [kg] have shape (n,), ``com`` (n, 3) is the
    offset of the COM from the centre [m]. Vertex 0 is at (+x, -y), the order is counter-clockwise.
    """
    inertia = np.zeros((len(mass), 3, 3))
    inertia[:, 0, 0] = mass * (depth**2 + height**2) / 12.0
    inertia[:, 1, 1] = mass * (width**2 + height**2) / 12.0
    inertia[:, 2, 2] = mass * (width**2 + depth**2) / 12.0
    signs = np.array([[1.0, -1.0, -1.0], [1.0, 1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, -1.0]])
    half = 0.5 * np.stack([width, depth, height], axis=-1)
    return inertia, signs * half[:, None, :] - com[:, None, :]


def prism_properties(base: Array, height: Array, mass: Array, com: Array) -> tuple[Array, Array]:
    """Inertia (n, 3, 3) [kg m2] and base vertices (n, k, 3) [m] of homogeneous prisms.

    ``base`` (n, k, 2) [m] counter-clockwise, ``height`` (n,) [m], ``mass`` (n,) [kg], ``com``
    (n, 3) the offset of the COM from the centroid of the prism [m].
    """
    x, y = base[..., 0], base[..., 1]
    x1, y1 = np.roll(x, -1, axis=-1), np.roll(y, -1, axis=-1)
    cross = x * y1 - x1 * y
    area = 0.5 * cross.sum(-1)
    cx = ((x + x1) * cross).sum(-1) / (6.0 * area)
    cy = ((y + y1) * cross).sum(-1) / (6.0 * area)
    xx = ((x * x + x * x1 + x1 * x1) * cross).sum(-1) / (12.0 * area) - cx * cx
    yy = ((y * y + y * y1 + y1 * y1) * cross).sum(-1) / (12.0 * area) - cy * cy
    xy = ((x * y1 + 2.0 * (x * y + x1 * y1) + x1 * y) * cross).sum(-1) / (24.0 * area) - cx * cy
    inertia = np.zeros((len(mass), 3, 3))
    inertia[:, 0, 0] = mass * (yy + height**2 / 12.0)
    inertia[:, 1, 1] = mass * (xx + height**2 / 12.0)
    inertia[:, 2, 2] = mass * (xx + yy)
    inertia[:, 0, 1] = inertia[:, 1, 0] = -mass * xy
    centre = np.stack([cx, cy, 0.5 * height], axis=-1) + com
    corners = np.concatenate([base, np.zeros_like(x)[..., None]], axis=-1)
    return inertia, corners - centre[:, None, :]


def prism_volume(base: Array, height: Array) -> Array:
    """Volume (n,) [m3] of prisms on ``base`` (n, k, 2) [m] of ``height`` (n,) [m]."""
    x, y = base[..., 0], base[..., 1]
    return 0.5 * (x * np.roll(y, -1, -1) - np.roll(x, -1, -1) * y).sum(-1) * height


def _edge_geometry(vertices: Array) -> tuple[Array, Array, Array, Array]:
    """Distance [m] of the COM axis from each base edge (positive inside), slenderness [rad],
    unit edge directions (..., 2) [1] and lengths [m]; leading shape (n, k)."""
    step = np.roll(vertices, -1, axis=1)[..., :2] - vertices[..., :2]
    length = np.hypot(step[..., 0], step[..., 1])
    with np.errstate(invalid="ignore", divide="ignore"):
        unit = step / length[..., None]
    distance = vertices[..., 0] * unit[..., 1] - vertices[..., 1] * unit[..., 0]
    return distance, np.arctan2(distance, -vertices[..., 2]), unit, length


def derived(mass: Array, inertia: Array, vertices: Array, gravity: Array) -> dict[str, Array]:
    """Radius [m], slenderness [rad] and frequency parameter [rad/s] of many bodies.

    All three belong to the base edge of smallest slenderness. Shapes as `check_bodies`; each
    result has shape (n,).
    """
    distance, slenderness, unit, _ = _edge_geometry(vertices)
    pick = np.argmin(slenderness, axis=1)
    rows = np.arange(len(mass))
    edge = np.concatenate([unit[rows, pick], np.zeros((len(mass), 1))], axis=-1)
    radius = np.hypot(distance[rows, pick], vertices[rows, pick, 2])
    about_edge = np.einsum("ni,nij,nj->n", edge, inertia, edge) + mass * radius**2
    return {
        "radius": radius,
        "slenderness": slenderness[rows, pick],
        "frequency": np.sqrt(mass * gravity * radius / about_edge),
    }


def check_bodies(mass: Array, inertia: Array, vertices: Array, gravity: Array | None = None) -> None:
    """Refuse bodies that cannot exist or cannot stand.

    Parameters
    ----------
    mass : ndarray (n,)
        [kg].
    inertia : ndarray (n, 3, 3)
        About the COM [kg m2].
    vertices : ndarray (n, k, 3)
        Base vertices relative to the COM [m].
    gravity : ndarray (n,), optional
        [m/s2].

    Raises
    ------
    ValueError
        With field, unit and value of the first body that fails.
    """
    _refuse(
        ~(np.isfinite(mass) & (mass > 0)),
        lambda i: f"Body.mass must be finite and > 0 kg, got {mass[i]:g}",
    )
    if gravity is not None:
        _refuse(
            ~(np.isfinite(gravity) & (gravity > 0)),
            lambda i: f"Body.gravity must be finite and > 0 m/s2, got {gravity[i]:g}",
        )
    if vertices.shape[1] < 3:
        raise ValueError(f"Body.vertices must list at least 3 base vertices, got {vertices.shape[1]}")
    _refuse(
        ~np.isfinite(inertia).all((1, 2)),
        lambda i: f"Body.inertia must be finite [kg m2], got {inertia[i].tolist()}",
    )
    _refuse(
        ~np.isfinite(vertices).all((1, 2)),
        lambda i: f"Body.vertices must be finite [m], got {vertices[i].tolist()}",
    )
    scale = np.abs(inertia).max((1, 2))
    _refuse(
        (np.abs(inertia - inertia.transpose(0, 2, 1)) > 1e-9 * scale[:, None, None]).any((1, 2)),
        lambda i: f"Body.inertia must be symmetric [kg m2], got {inertia[i].tolist()}",
    )
    moments = np.linalg.eigvalsh(inertia)
    _refuse(
        moments[:, 0] <= 0,
        lambda i: (
            f"Body.inertia must be positive definite; its principal moments are {moments[i].tolist()} kg m2"
        ),
    )
    _refuse(
        moments[:, 2] > (moments[:, 0] + moments[:, 1]) * (1 + 1e-9),
        lambda i: (
            "Body.inertia breaks the triangle inequality (no principal moment may exceed the sum of "
            f"the other two); they are {moments[i].tolist()} kg m2"
        ),
    )
    size = np.ptp(vertices[..., :2], axis=1).max(-1)
    depth = np.ptp(vertices[..., 2], axis=1)
    _refuse(
        depth > FLATNESS * size,
        lambda i: f"Body.vertices must lie in one plane z = -h [m], but their z differ by {depth[i]:.3g} m",
    )
    _refuse(
        vertices[..., 2].max(1) >= 0,
        lambda i: (
            "Body.vertices must lie below the centre of mass (z < 0 m), got z = "
            f"{vertices[i, :, 2].max():.6g} m"
        ),
    )
    distance, _, unit, length = _edge_geometry(vertices)
    _refuse(
        length.min(1) <= 1e-9 * size,
        lambda i: (
            f"Body.vertices {length[i].argmin()} and {(length[i].argmin() + 1) % vertices.shape[1]} "
            f"coincide at {vertices[i, length[i].argmin(), :2].tolist()} m"
        ),
    )
    after = np.roll(unit, -1, axis=1)
    turn = unit[..., 0] * after[..., 1] - unit[..., 1] * after[..., 0]
    _refuse(
        (turn < 0).all(1),
        lambda i: "Body.vertices must run counter-clockwise seen from above; reverse their order",
    )
    _refuse(
        turn.min(1) <= 1e-9,
        lambda i: (
            "Body.vertices must be the corners of a convex polygon, counter-clockwise seen from "
            f"above; the corner at {vertices[i, (turn[i].argmin() + 1) % vertices.shape[1], :2].tolist()} m "
            "(relative to the centre of mass) is straight or turns the wrong way"
        ),
    )
    heading = np.arctan2(turn, (unit * after).sum(-1)).sum(1)
    _refuse(
        np.abs(heading - 2 * np.pi) > 1e-6,
        lambda i: "Body.vertices must go round the base once; the polygon crosses itself",
    )
    _refuse(
        distance.min(1) <= 0,
        lambda i: (
            "the centre of mass must stand over the inside of the base; it lies "
            f"{-distance[i].min():.6g} m outside base edge {distance[i].argmin()}"
        ),
    )


def _refuse(bad: NDArray[np.bool_], message) -> None:
    if bad.any():
        i = int(np.argmax(bad))
        where = f" (body {i} of {len(bad)})" if len(bad) > 1 else ""
        raise ValueError(message(i) + where)


def _positive(name: str, value: float, unit: str) -> None:
    if not (np.isfinite(value) and value > 0):
        raise ValueError(f"{name} must be finite and > 0 {unit}, got {value!r}")


def _mass(name: str, density: float | None, mass: float | None, volume: float) -> float:
    if (density is None) == (mass is None):
        raise ValueError(
            f"{name} needs exactly one of density [kg/m3] and mass [kg], got {density=}, {mass=}"
        )
    if mass is None:
        _positive(f"{name}.density", density, "kg/m3")
        return density * volume
    _positive(f"{name}.mass", mass, "kg")
    return float(mass)
