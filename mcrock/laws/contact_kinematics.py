"""Gap of two convex bodies, the points that will touch and the rate of the gap, for two ellipsoids.

Glocker, C. (2001). On frictionless impact models in rigid-body systems. Philosophical Transactions of the
Royal Society A 359, 2385-2404, section 2(a). The contact points C1 and C2 are those at which both tangent
planes are normal to the line between them, equation (2.10); with the outward normal n of body 1

    g = n . (C2 - C1),     dg/dt = n . (v_C2 - v_C1)

with the velocities of the points as fixed to the bodies, equations (2.11) and (2.14): that the contact points
wander over the surfaces does not matter. With the support functions h of the bodies, g is the maximum of
n . (c2 - c1) - h1(n) - h2(-n) over all directions, the width of the widest slab between the bodies.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import root

from mcrock.laws.problem import ROUNDING, finite_array, replace_fields

STARTS = 5000  # directions, from the best of which the widest slab is sought


@dataclass(frozen=True, slots=True, eq=False)
class Ellipsoid:
    """A moving ellipsoid."""

    centre: np.ndarray  # (3,) [m]
    semi_axes: np.ndarray  # (3,) [m]
    axes: np.ndarray = field(default_factory=lambda: np.eye(3))  # their directions as columns (3, 3)
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))  # of the centre (3,) [m/s]
    spin: np.ndarray = field(default_factory=lambda: np.zeros(3))  # angular velocity (3,) [rad/s]

    def __post_init__(self) -> None:
        values: dict[str, Any] = {
            name: finite_array(f"Ellipsoid.{name}", getattr(self, name), (3,))
            for name in ("centre", "semi_axes", "velocity", "spin")
        }
        values["axes"] = finite_array("Ellipsoid.axes", self.axes, (3, 3))
        if not np.all(values["semi_axes"] > 0.0):
            raise ValueError(f"Ellipsoid.semi_axes must be > 0 [m], got {self.semi_axes!r}")
        if np.abs(values["axes"].T @ values["axes"] - np.eye(3)).max() > ROUNDING:
            raise ValueError("Ellipsoid.axes must be orthogonal unit vectors, in columns")
        replace_fields(self, **values)

    @property
    def shape(self) -> np.ndarray:
        """Matrix S (3, 3) of the support function h(n) = n . c + sqrt(n . S n) [m2]."""
        return (self.axes * self.semi_axes**2) @ self.axes.T

    def velocity_at(self, point: np.ndarray) -> np.ndarray:
        """Velocity of a point that is fixed to the body (3,) [m/s]."""
        return self.velocity + np.cross(self.spin, point - self.centre)


@dataclass(frozen=True, slots=True, eq=False)
class ContactKinematics:
    """Where two bodies are about to touch, and how fast."""

    normal: np.ndarray  # outward, of body 1 (3,)
    point_1: np.ndarray  # contact point of body 1 (3,) [m]
    point_2: np.ndarray  # contact point of body 2 (3,) [m]
    gap: float  # negative: they overlap [m]
    gap_rate: float  # [m/s]
    direction: np.ndarray  # w (12,): the gap's rate is w . (v1, spin1, v2, spin2), equation (2.17)


def ellipsoid_contact(first: Ellipsoid, second: Ellipsoid) -> ContactKinematics:
    """Contact points, gap and gap rate of two ellipsoids.

    Parameters
    ----------
    first, second : Ellipsoid
        The bodies; they may overlap a little.

    Raises
    ------
    ValueError
        If the centres coincide, or the bodies overlap so far that they have no contact normal.

    Examples
    --------
    >>> ball = Ellipsoid([0, 0, 0], [1, 1, 1])
    >>> egg = Ellipsoid([0, 0, 5], [1, 1, 2], velocity=[3, 0, -1])
    >>> contact = ellipsoid_contact(ball, egg)
    >>> float(contact.gap), contact.gap_rate
    (2.0, -1.0)
    """
    between = second.centre - first.centre
    size = float(np.linalg.norm(between))
    if size <= ROUNDING * max(first.semi_axes.max(), second.semi_axes.max()):
        raise ValueError("the centres of the ellipsoids coincide: there is no contact normal")
    scale = size + first.semi_axes.max() + second.semi_axes.max()
    shapes = first.shape / scale**2, second.shape / scale**2
    normal, gap = _widest_slab(between / scale, shapes)
    point_1 = first.centre + scale * _support(shapes[0], normal)
    point_2 = second.centre - scale * _support(shapes[1], normal)
    arms = np.cross(point_1 - first.centre, normal), np.cross(point_2 - second.centre, normal)
    return ContactKinematics(
        normal=normal,
        point_1=point_1,
        point_2=point_2,
        gap=scale * gap,
        gap_rate=float(normal @ (second.velocity_at(point_2) - first.velocity_at(point_1))),
        direction=np.concatenate([-normal, -arms[0], normal, arms[1]]),
    )


def _support(shape: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Point of the surface whose outward normal is given, from the centre."""
    return shape @ normal / np.sqrt(normal @ shape @ normal)


def _widest_slab(between: np.ndarray, shapes: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, float]:
    """Direction of the greatest gap and that gap."""

    def width(normals: np.ndarray) -> np.ndarray:
        return normals @ between - sum(
            np.sqrt(np.einsum("...i,ij,...j", normals, shape, normals)) for shape in shapes
        )

    normals = np.vstack([_directions(STARTS), between / np.linalg.norm(between)])
    normal = normals[np.argmax(width(normals))]

    def conditions(unknown: np.ndarray) -> np.ndarray:
        """Equation (2.10): what is between the contact points is the gap along the normal."""
        n, gap = unknown[:3], unknown[3]
        apart = between - sum(_support(shape, n) for shape in shapes)
        return np.append(apart - gap * n, 0.5 * (n @ n - 1.0))

    def slopes(unknown: np.ndarray) -> np.ndarray:
        n, gap = unknown[:3], unknown[3]
        matrix = np.zeros((4, 4))
        for shape in shapes:
            length = np.sqrt(n @ shape @ n)
            matrix[:3, :3] -= shape / length - np.outer(shape @ n, shape @ n) / length**3
        matrix[:3, :3] -= gap * np.eye(3)
        matrix[:3, 3] = -n
        matrix[3, :3] = n
        return matrix

    found = root(conditions, np.append(normal, width(normal)), jac=slopes, tol=1e-14)
    error = np.abs(conditions(found.x)).max()
    if error > 1e-9 or found.x[3] < width(normal) - 1e-9:
        raise ValueError("the ellipsoids overlap so far that they have no contact normal")
    normal = found.x[:3] / np.linalg.norm(found.x[:3])
    return normal, float(width(normal))


def _directions(number: int) -> np.ndarray:
    """Unit vectors that are spread evenly over the sphere (number, 3), a spiral of the golden angle."""
    height = 1.0 - (2.0 * np.arange(number) + 1.0) / number
    angle = np.pi * (3.0 - np.sqrt(5.0)) * np.arange(number)
    radius = np.sqrt(1.0 - height**2)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), height])
