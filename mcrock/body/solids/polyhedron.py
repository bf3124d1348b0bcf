"""Bodies of any convex shape, from their points, from their faces, or as they were scanned."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import radians
from pathlib import Path
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from mcrock.base.checks import Flag, Number, check_array
from mcrock.base.keywords import takes
from mcrock.base.params import GRAVITY
from mcrock.body.body import Body
from mcrock.body.face_lists import face_number, face_numbers
from mcrock.body.faces import Array, Faces, face_normals
from mcrock.body.frame import body_axes
from mcrock.body.mass import solid_moments
from mcrock.body.scan import hull_corners, is_mesh, read_scan
from mcrock.body.solids.parts import list_of_points, positive, weight_of
from mcrock.body.standing import lowest_face, nearly_flat
from mcrock.body.standing import settle as settled_face
from mcrock.body.surface import Surface, hull_surface, surface_of, warn_if_shallow


class SolidKeywords(TypedDict, total=False):
    """Fields of `SolidOptions` as keywords."""

    mass: float | None
    com: ArrayLike | None
    inertia: ArrayLike | None
    start_face: int | None
    axis: ArrayLike | None
    base_faces: tuple[int, ...] | None
    gravity: float
    base_angle_deg: float | None
    settle: bool


@dataclass(frozen=True, kw_only=True)
class SolidOptions:
    """What a body is made of, how it is put down and what counts as base, as `polyhedron` takes them."""

    mass: float | None = None
    com: ArrayLike | None = None
    inertia: ArrayLike | None = None
    start_face: int | None = None
    axis: ArrayLike | None = None
    base_faces: tuple[int, ...] | None = None
    gravity: float = GRAVITY
    base_angle_deg: float | None = None
    settle: bool = False


@takes(SolidOptions)
def polyhedron(
    vertices: ArrayLike,
    faces: Faces | None = None,
    density: float | None = None,
    **keywords: Unpack[SolidKeywords],
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
    how = SolidOptions(**keywords)
    if faces is None:
        return _body("hull", points, hull_surface(points, "hull.points"), density, how)
    surface = surface_of(points, faces)
    n_face = len(surface.face_map)
    if how.start_face is not None:
        given = face_number("polyhedron.start_face", how.start_face, n_face)
        how = replace(how, start_face=int(surface.face_map[given]))
    if how.base_faces is not None:
        listed = face_numbers("polyhedron.base_faces", how.base_faces, n_face)
        how = replace(how, base_faces=tuple(surface.face_map[list(listed)].tolist()))
    return _body("polyhedron", points, surface, density, how)


@takes(SolidOptions)
def hull(points: ArrayLike, density: float | None = None, **keywords: Unpack[SolidKeywords]) -> Body:
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
    return _body("hull", corners, hull_surface(corners, "hull.points"), density, SolidOptions(**keywords))


@takes(SolidOptions)
def scanned(
    path: str | Path,
    density: float | None = None,
    *,
    unit: str | None = None,
    up: str = "z",
    **keywords: Unpack[SolidKeywords],
) -> Body:
    """Body of a scan: the convex hull of its points touches the ground, the mesh itself has the mass.

    No point is left out of the hull. Volume, centroid and inertia are those of the closed mesh, which need
    not be convex; those of a point cloud are of its hull.

    Parameters
    ----------
    path : str or Path
        Mesh (.stl, .obj, .ply; needs trimesh, ``pip install 'mcrock[mesh]'``), or text file with a point
        x y z on each line.
    density, mass : float
        One of the two [kg/m3], [kg].
    unit : str
        Unit of the lengths in the file, "m", "cm", "mm", "in" or "ft"; required for a mesh.
    up : str
        Axis of the file that is up, as `read_scan`. All other arguments are in the axes after it, z up.
    com : array_like (3,), optional
        Position of the COM in the axes of the file, whatever its unit is in [m]; the centroid by default.
    inertia : array_like (3, 3), optional
        About the COM, in the axes of the file [kg m2], with ``mass``. A mesh with ``com`` and ``inertia``
        from elsewhere need not be closed.
    start_face, axis, base_faces, gravity, base_angle_deg, settle
        As `hull`.

    Returns
    -------
    Body

    Raises
    ------
    ValueError
        If the file cannot be read, its unit is missing, or the mesh is not closed or inside out: says where,
        and what to do; and as `hull`.

    Warns
    -----
    UserWarning
        As `hull`.
    """
    how, scan = SolidOptions(**keywords), read_scan(path, unit, up)
    if is_mesh(path) and (how.com is None or how.inertia is None):
        volume, centroid, spread = scan.solid()
        mass = float(weight_of("scanned", density, how.mass).of(np.array([volume]))[0])
        com = centroid if how.com is None else how.com
        how = replace(how, mass=mass, com=com, inertia=mass * spread if how.inertia is None else how.inertia)
        density = None
    corners = scan.points[hull_corners(scan.points)]
    return _body("hull", corners, hull_surface(corners, "hull.points"), density, how)


def _body(name: str, points: Array, surface: Surface, density: float | None, how: SolidOptions) -> Body:
    corners, faces = points[surface.kept], surface.faces
    volume, centroid, spread = (array[0] for array in solid_moments(corners[None], faces))
    if how.inertia is not None and how.mass is None:
        raise ValueError(f"{name}.inertia [kg m2] is given, so {name}.mass [kg] is needed too")
    mass = float(weight_of(name, density, how.mass).of(volume[None])[0])
    centre = centroid if how.com is None else check_array(f"{name}.com", how.com, (3,), "m")
    about = mass * spread
    if how.inertia is not None:
        about = check_array(f"{name}.inertia", how.inertia, (3, 3), "kg m2")
    relative = corners - centre
    if how.start_face is None:
        start = lowest_face(relative, faces)
    else:
        start = face_number(f"{name}.start_face", how.start_face, len(faces))
    if Flag().check(f"{name}.settle", how.settle):
        start = settled_face(relative, faces, start)
    axis = None if how.axis is None else check_array(f"{name}.axis", how.axis, (3,), "1")
    if axis is not None and not axis.any():
        raise ValueError(f"{name}.axis must not be zero")
    gravity = positive(f"{name}.gravity", how.gravity, "m/s2")
    turn = body_axes(face_normals(corners[None], (faces[start],))[0], axis)[0]
    warn_if_shallow(name, corners, faces)
    base = _base_faces(name, relative, faces, start, how)
    return Body(mass, turn @ about @ turn.T, relative @ turn.T, gravity, faces, start, base)  # type: ignore[arg-type]


def _base_faces(
    name: str, relative: Array, faces: Faces, start: int, how: SolidOptions
) -> tuple[int, ...] | None:
    """Faces that count as base, if that is given, by their numbers or their inclination to the start face."""
    if how.base_faces is not None and how.base_angle_deg is not None:
        raise ValueError(f"{name}: give one of base_faces and base_angle_deg")
    if how.base_angle_deg is not None:
        angle = Number("deg", above=0.0, most=90.0).check(f"{name}.base_angle_deg", how.base_angle_deg)
        return nearly_flat(relative, faces, start, radians(angle))
    return None if how.base_faces is None else face_numbers(f"{name}.base_faces", how.base_faces, len(faces))
