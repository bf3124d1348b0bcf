"""Bodies of any convex shape, from their points or from their faces."""

from __future__ import annotations

from math import radians
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcrock.body.body import Body
from mcrock.body.face_lists import face_number, face_numbers
from mcrock.body.faces import Array, Faces, face_normals
from mcrock.body.frame import body_axes
from mcrock.body.mass import solid_moments
from mcrock.body.solids.arguments import list_of_points, positive, weight_of
from mcrock.body.standing import lowest_face, nearly_flat
from mcrock.body.standing import settle as settled_face
from mcrock.body.surface import Surface, hull_surface, surface_of, warn_if_shallow
from mcrock.params import GRAVITY
from mcrock.rules import Flag, Number, check_array


class Base(NamedTuple):
    """What counts as base: faces by their numbers, or by their inclination to the start face."""

    numbers: tuple[int, ...] | None
    angle_deg: float | None


def polyhedron(
    vertices: ArrayLike,
    faces: Faces | None = None,
    density: float | None = None,
    *,
    mass: float | None = None,
    com: ArrayLike | None = None,
    inertia: ArrayLike | None = None,
    start_face: int | None = None,
    axis: ArrayLike | None = None,
    base_faces: tuple[int, ...] | None = None,
    gravity: float = GRAVITY,
    base_angle_deg: float | None = None,
    settle: bool = False,
) -> Body:
    """Convex body from its vertices and faces.

    Faces in one plane are merged, and vertices that are not corners then are dropped: neighbours whose
    normals differ by less than 1e-6 rad are one face. A merged face takes the place of the first of
    its parts; otherwise faces and vertices keep their order.

    Parameters
    ----------
    vertices : array_like (n, 3)
        In any axes [m].
    faces : tuple of tuples of int, optional
        Vertices of each face in order round it, either way; the faces of the hull by default.
    density, mass : float
        One of the two [kg/m3], [kg].
    com : array_like (3,), optional
        Position of the COM in the axes of the vertices [m]; the centroid by default.
    inertia : array_like (3, 3), optional
        About the COM, in the axes of the vertices [kg m2], with ``mass``; by default that of the
        homogeneous body about its centroid.
    start_face : int, optional
        Face on which the body starts, by its number in ``faces``; by default the face whose outward
        normal is closest to -z, of equal ones one that carries the body. A body that it does not carry
        (`Body.face_stable`) rolls off it at the start of a run, unless it is to ``settle``.
    axis : array_like (3,), optional
        Axis from which tilt is measured, in the axes of the vertices; by default the inward normal of
        the start face. It becomes body z.
    base_faces : tuple of int, optional
        Faces that count as base, see `Body`, by their numbers in ``faces``.
    gravity : float
        [m/s2].
    base_angle_deg : float, optional
        In the place of ``base_faces``: faces that join the start face count as base where they are inclined
        to it by less, in (0, 90] [deg]; 5 by default.
    settle : bool
        Put the body down slowly on the start face, as a study does: it rolls over the side that its COM is
        farthest outside of until a face carries it, which is its start face then.

    Returns
    -------
    Body

    Raises
    ------
    ValueError
        If the faces are not a closed convex surface, or the body cannot exist.

    Warns
    -----
    UserWarning
        If neighbouring faces meet at 1e-6 to 1e-3 rad: the motion depends on whether such faces
        are one.

    Examples
    --------
    >>> wedge = polyhedron(
    ...     [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
    ...     [(0, 1, 2), (0, 1, 3), (1, 2, 3), (2, 0, 3)],
    ...     mass=6.0,
    ... )
    >>> round(wedge.com_height, 4), wedge.face_stable.tolist()
    (0.25, [True, True, True, True])
    """
    points = list_of_points("polyhedron.vertices", vertices, 3)
    if faces is None:
        return hull(
            points, density, mass=mass, com=com, inertia=inertia, start_face=start_face, axis=axis,
            base_faces=base_faces, gravity=gravity, base_angle_deg=base_angle_deg, settle=settle,
        )  # fmt: skip
    surface = surface_of(points, faces)
    start = None if start_face is None else _mapped(surface.face_map, start_face, "start_face")
    if base_faces is not None:
        listed = face_numbers("polyhedron.base_faces", base_faces, len(surface.face_map))
        base_faces = tuple(int(surface.face_map[f]) for f in listed)
    base = Base(base_faces, base_angle_deg)
    return _body(
        "polyhedron", points, surface, density, mass, com, inertia, start, axis, base, gravity, settle
    )


def hull(
    points: ArrayLike,
    density: float | None = None,
    *,
    mass: float | None = None,
    com: ArrayLike | None = None,
    inertia: ArrayLike | None = None,
    start_face: int | None = None,
    axis: ArrayLike | None = None,
    base_faces: tuple[int, ...] | None = None,
    gravity: float = GRAVITY,
    base_angle_deg: float | None = None,
    settle: bool = False,
) -> Body:
    """Convex hull of points, in any order; points inside it are left out.

    The corners keep the order of the points. Faces are numbered by their vertices in ascending
    order: the face with vertices 0, 1 and 4 comes before that with 0, 2 and 3.

    Parameters
    ----------
    points : array_like (n, 3)
        At least 4, in any axes [m].
    density, mass, com, inertia, axis, gravity, base_angle_deg, settle
        As `polyhedron`.
    start_face, base_faces : int, tuple of int, optional
        As `polyhedron`, by the numbers of the faces of the hull.

    Returns
    -------
    Body

    Raises
    ------
    ValueError
        If the points enclose no volume, or the body cannot exist.

    Warns
    -----
    UserWarning
        As `polyhedron`.

    Examples
    --------
    >>> corners = [(x, y, z) for x in (0.0, 0.4) for y in (0.0, 0.4) for z in (0.0, 1.6)]
    >>> block = hull([*corners, (0.2, 0.2, 0.8)], density=2600)
    >>> round(block.frequency, 4), block.base.shape
    (2.987, (4, 3))
    """
    corners = list_of_points("hull.points", points, 3)
    surface = hull_surface(corners, "hull.points")
    base = Base(base_faces, base_angle_deg)
    return _body(
        "hull", corners, surface, density, mass, com, inertia, start_face, axis, base, gravity, settle
    )


def _body(
    name: str,
    points: Array,
    surface: Surface,
    density: float | None,
    mass: float | None,
    com: ArrayLike | None,
    inertia: ArrayLike | None,
    start_face: int | None,
    axis: ArrayLike | None,
    base: Base,
    gravity: float,
    settles: bool,
) -> Body:
    corners = points[surface.kept]
    volume, centroid, spread = (array[0] for array in solid_moments(corners[None], surface.faces))
    if inertia is not None and mass is None:
        raise ValueError(f"{name}.inertia [kg m2] is given, so {name}.mass [kg] is needed too")
    mass = float(weight_of(name, density, mass).of(volume[None])[0])
    centre = centroid if com is None else check_array(f"{name}.com", com, (3,), "m")
    about = mass * spread
    if inertia is not None:
        about = check_array(f"{name}.inertia", inertia, (3, 3), "kg m2")
    relative = corners - centre
    if start_face is None:
        start = lowest_face(relative, surface.faces)
    else:
        start = face_number(f"{name}.start_face", start_face, len(surface.faces))
    if Flag().check(f"{name}.settle", settles):
        start = settled_face(relative, surface.faces, start)
    base_faces = base.numbers
    if base_faces is not None:
        base_faces = face_numbers(f"{name}.base_faces", base_faces, len(surface.faces))
    if base.angle_deg is not None:
        if base_faces is not None:
            raise ValueError(f"{name}: give one of base_faces and base_angle_deg")
        angle = Number("deg", above=0.0, most=90.0).check(f"{name}.base_angle_deg", base.angle_deg)
        base_faces = nearly_flat(relative, surface.faces, start, radians(angle))
    if axis is not None:
        axis = check_array(f"{name}.axis", axis, (3,), "1")
        if not axis.any():
            raise ValueError(f"{name}.axis must not be zero")
    gravity = positive(f"{name}.gravity", gravity, "m/s2")
    turn = body_axes(face_normals(corners[None], (surface.faces[start],))[0], axis)[0]
    warn_if_shallow(name, corners, surface.faces)
    return Body(
        mass,
        turn @ about @ turn.T,
        relative @ turn.T,
        gravity,
        surface.faces,
        start,
        base_faces,  # type: ignore[arg-type]  # None is the default
    )


def _mapped(face_map: NDArray[np.int64], face: int, name: str) -> int:
    return int(face_map[face_number(f"polyhedron.{name}", face, len(face_map))])
