"""Homogeneous upright circular cylinders, as regular prisms of the same volume."""

from __future__ import annotations

from numpy.typing import ArrayLike

from mcrock.base.checks import Integer, shown
from mcrock.base.keywords import suggesting
from mcrock.base.params import GRAVITY
from mcrock.body.bodies import Bodies
from mcrock.body.body import Body
from mcrock.body.faces import Array
from mcrock.body.solids.parts import Weight, circle_polygon, gravity_of, length, weight_of
from mcrock.body.solids.prism import prisms


def cylinders(radius: Array, height: Array, sides: int, weight: Weight, gravity: Array) -> Bodies:
    """Cylinders of ``radius`` and ``height`` (n,) [m] with ``sides`` walls; ``gravity`` (n,) [m/s2]."""
    bodies = prisms(circle_polygon(radius, sides), height, weight, gravity)
    width = 2.0 * radius
    return bodies._replace(polygons={}, values={"width": width, "depth": width} | bodies.values)


@suggesting
def cylinder(
    radius: float,
    height: float,
    sides: int = 48,
    density: float | None = None,
    *,
    mass: float | None = None,
    com: ArrayLike = (0.0, 0.0, 0.0),
    gravity: float = GRAVITY,
) -> Body:
    """Homogeneous upright circular cylinder as a regular prism of ``sides`` walls.

    The polygon has the area of the circle, so that mass and density fit together. The inertia is
    then that of the cylinder to order sides^-4; the base edges are nearer to the axis than
    ``radius`` by a share pi^2/(6 sides^2) and the corners farther by twice as much (0.07 %
    and 0.14 % for 48 sides), and the slenderness over edges and corners converges at that rate. Edge 0
    faces +x.

    Parameters
    ----------
    radius, height : float
        [m].
    sides : int
        At least 3.
    density, mass : float
        One of the two [kg/m3], [kg].
    com : array_like (3,)
        Offset of the COM from the centre of the cylinder [m]; the inertia about the COM stays that
        of the homogeneous solid.
    gravity : float
        [m/s2].

    Raises
    ------
    ValueError
        As `cuboid`, and if ``sides`` is not an integer >= 3.

    Examples
    --------
    >>> drum = cylinder(0.2, 1.0, density=1000)
    >>> round(drum.mass, 3), len(drum.faces)
    (125.664, 50)
    """
    radii, heights = length("cylinder.radius", radius), length("cylinder.height", height)
    if not Integer(3).fits(sides):
        raise ValueError(f"cylinder.sides must be an integer >= 3, got {shown(sides)}")
    weight = weight_of("cylinder", density, mass, com)
    return cylinders(radii, heights, int(sides), weight, gravity_of("cylinder", gravity)).only()
