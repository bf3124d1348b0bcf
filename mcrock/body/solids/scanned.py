"""Bodies as they were scanned."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from mcrock.body.body import Body
from mcrock.body.scan import hull_corners, is_mesh, read_scan
from mcrock.body.solids.arguments import weight_of
from mcrock.body.solids.polyhedron import hull
from mcrock.params import GRAVITY


def scanned(
    path: str | Path,
    density: float | None = None,
    *,
    unit: str | None = None,
    up: str = "z",
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
    scan = read_scan(path, unit, up)
    if is_mesh(path) and (com is None or inertia is None):
        volume, centroid, spread = scan.solid()
        mass = float(weight_of("scanned", density, mass).of(np.array([volume]))[0])
        com = centroid if com is None else com
        inertia = mass * spread if inertia is None else inertia
        density = None
    return hull(
        scan.points[hull_corners(scan.points)],
        density,
        mass=mass,
        com=com,
        inertia=inertia,
        start_face=start_face,
        axis=axis,
        base_faces=base_faces,
        gravity=gravity,
        base_angle_deg=base_angle_deg,
        settle=settle,
    )
