"""A block that rocks in a vertical plane: geometry, mass properties and the numbers derived from them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import atan2, cos, hypot, pi, sin, sqrt
from typing import TYPE_CHECKING

import numpy as np

from mcrock.base.checks import Number
from mcrock.base.params import GRAVITY

if TYPE_CHECKING:
    from mcrock.body import Body

STRAIGHT = 1e-9  # largest deviation of an edge from the normal of the plane, over the size of the base [1]
SIDES = ("right", "left")  # edge about which the block turns, in the order of every pair of numbers


@dataclass(frozen=True, slots=True)
class PlanarBlock:
    """Rigid block on two edges, which rocks in the plane across them.

    Attributes
    ----------
    left, right : float
        Horizontal distances of the centre of mass (COM) from the two edges [m]; both positive, equal
        for a symmetric block.
    com_height : float
        Height of the COM above the base [m].
    mass : float
        [kg].
    inertia : float
        About the COM, for the axis across the plane [kg m2].
    gravity : float
        [m/s2].

    Raises
    ------
    ValueError
        If a number is not finite and positive.

    Examples
    --------
    >>> block = rectangle(width=0.4, height=1.6)
    >>> round(block.slenderness, 4), round(block.frequency, 4)
    (0.245, 2.987)
    """

    left: float
    right: float
    com_height: float
    mass: float
    inertia: float
    gravity: float = GRAVITY

    def __post_init__(self) -> None:
        units = {"mass": "kg", "inertia": "kg m2", "gravity": "m/s2"}
        for field in fields(self):
            rule = Number(units.get(field.name, "m"), above=0.0)
            value = rule.check(f"PlanarBlock.{field.name}", getattr(self, field.name))
            object.__setattr__(self, field.name, value)

    @property
    def width(self) -> float:
        """Distance between the edges [m]."""
        return self.left + self.right

    @property
    def about_base(self) -> float:
        """Inertia A = I + m h^2 about the foot of the COM on the base [kg m2]."""
        return self.inertia + self.mass * self.com_height**2

    @property
    def slendernesses(self) -> tuple[float, float]:
        """Tilt at which the COM stands over the right and over the left edge [rad]."""
        return atan2(self.right, self.com_height), atan2(self.left, self.com_height)

    @property
    def slenderness(self) -> float:
        """The smaller of the two slendernesses [rad]."""
        return min(self.slendernesses)

    @property
    def radius(self) -> float:
        """Distance R from the COM to the edge of smaller slenderness [m]."""
        return hypot(min(self.left, self.right), self.com_height)

    @property
    def frequency(self) -> float:
        """Frequency parameter p = sqrt(m g R / I) about the edge of smaller slenderness [rad/s]."""
        about_edge = self.about_base + self.mass * min(self.left, self.right) ** 2
        return sqrt(self.mass * self.gravity * self.radius / about_edge)

    def resized(self, frequency: float) -> PlanarBlock:
        """Return the geometrically similar block of the same density with a frequency parameter [rad/s].

        Raises
        ------
        ValueError
            If ``frequency`` is not finite and positive.

        Examples
        --------
        >>> round(rectangle(0.4, 1.6).resized(1.4935).width, 3)  # half the frequency: four times the size
        1.6
        """
        Number("rad/s", above=0.0).check("frequency parameter", frequency)
        factor = (self.frequency / frequency) ** 2
        lengths = (self.left * factor, self.right * factor, self.com_height * factor)
        return PlanarBlock(*lengths, self.mass * factor**3, self.inertia * factor**5, self.gravity)


def rectangle(
    width: float, height: float, mass: float = 1.0, offset: float = 0.0, gravity: float = GRAVITY
) -> PlanarBlock:
    """Homogeneous rectangle.

    Parameters
    ----------
    width, height : float
        [m].
    mass : float
        [kg]; it does not change the motion.
    offset : float
        Of the COM from the middle to the right [m]; the inertia about the COM stays that of the
        homogeneous rectangle.
    gravity : float
        [m/s2].

    Raises
    ------
    ValueError
        If a size is not positive or the COM does not stand over the base.
    """
    Number("m", above=0.0).check("rectangle.width", width)
    Number("m", above=0.0).check("rectangle.height", height)
    if not abs(offset) < width / 2:
        raise ValueError(
            f"rectangle.offset must keep the centre of mass over the base, within +-{width / 2:g} m, "
            f"got {offset!r}"
        )
    inertia = mass * (width**2 + height**2) / 12
    return PlanarBlock(width / 2 + offset, width / 2 - offset, height / 2, mass, inertia, gravity)


def rectangle_of(slenderness: float, frequency: float, gravity: float = GRAVITY) -> PlanarBlock:
    """Homogeneous rectangle of given slenderness [rad] and frequency parameter p = sqrt(3 g / 4 R) [rad/s].

    Raises
    ------
    ValueError
        If the slenderness is not between 0 and pi/2 or the frequency not positive.

    Examples
    --------
    >>> block = rectangle_of(0.25, 2.14)
    >>> round(block.slenderness, 12), round(block.frequency, 12)
    (0.25, 2.14)
    """
    if not 0 < slenderness < pi / 2:
        raise ValueError(f"slenderness must be between 0 and pi/2 rad, got {slenderness!r}")
    Number("rad/s", above=0.0).check("frequency parameter", frequency)
    Number("m/s2", above=0.0).check("gravity", gravity)
    diagonal = 3 * gravity / (2 * frequency**2)  # 2 R
    return rectangle(diagonal * sin(slenderness), diagonal * cos(slenderness), gravity=gravity)


def planar_block(body: Body, axis: str = "x") -> PlanarBlock:
    """The planar block of a body that rocks along its x or its y axis.

    Parameters
    ----------
    body : Body
        Its start face must have an edge across the plane at both ends, or be a circle, whose rim the block
        stands for until it lands: then a rim sweeps to a side. Motion out of the plane is not followed, also
        where the body is not symmetric about the plane.
    axis : str
        "x" or "y": horizontal body axis of the plane. Right is the positive direction.

    Raises
    ------
    ValueError
        If the axis is unknown, the start face is not across the body axis, or it has no two such edges.

    Examples
    --------
    >>> from mcrock.body import cuboid
    >>> block = planar_block(cuboid(0.4, 0.6, 1.6, 2600))
    >>> round(block.slenderness, 4), round(block.frequency, 4)
    (0.245, 2.987)
    """
    if axis not in ("x", "y"):
        raise ValueError(f"axis of the plane must be 'x' or 'y', got {axis!r}")
    along = "xy".index(axis)
    base = body.base
    size = float(np.ptp(base[:, :2], axis=0).max())
    if np.ptp(base[:, 2]) > STRAIGHT * size:
        raise ValueError("a planar block needs a start face across the body axis z; use the 3D model")
    place = base[:, along]
    for end, word in ((place.min(), "left"), (place.max(), "right")):
        if body.rim == 0.0 and (np.abs(place - end) <= STRAIGHT * size).sum() < 2:
            raise ValueError(
                f"a planar block needs an edge across the plane at both ends, but the base has a lone corner "
                f"at its {word} end, {axis} = {end:.6g} m; turn the body, or use the 3D model"
            )
    across = 1 - along
    ends = (place.min(), place.max()) if body.rim == 0.0 else place.mean() + body.rim * np.array([-1.0, 1.0])
    return PlanarBlock(
        -float(ends[0]),
        float(ends[1]),
        body.com_height,
        body.mass,
        float(body.inertia[across, across]),
        body.gravity,
    )


def check_planar(block: object, expected: str = "a PlanarBlock") -> None:
    """Refuse what is not a planar block.

    Raises
    ------
    ValueError
        If it is none; a body in space is told how it becomes one.
    """
    if isinstance(block, PlanarBlock):
        return
    from mcrock.body import Body

    if isinstance(block, Body):
        raise ValueError(
            f"the planar model needs {expected}, got a Body; planar_block(body, axis='x') or axis='y' makes "
            "one, for rocking along that body axis"
        )
    raise ValueError(f"the planar model needs {expected}, got {block!r}")
