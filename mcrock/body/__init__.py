"""The rigid body: geometry, mass properties and the numbers derived from them.

A body is a convex polyhedron that stands on one of its faces, or a base polygon if nothing else is
known. Its frame has the origin at the centre of mass (COM), and z is the axis that tilt is measured
from: the inward normal of the start face unless given. `Body` is one body, made by a constructor of
`mcrock.body.solids`; the array functions work on many bodies at once, one per realization of a study, and
`mcrock.body.shapes` has the tables of a study file that they come from.
"""

from mcrock.body.body import Bodies, Body, check_bodies
from mcrock.body.faces import (
    Faces,
    body_axes,
    check_polygons,
    derived,
    exterior_angles,
    face_areas,
    face_heights,
    face_normals,
    lowest_face,
    nearly_flat,
    rotation_matrix,
    settle,
    solid_moments,
    stable_faces,
    stands_over,
    uplift_slenderness,
)
from mcrock.body.polyhedron import (
    Scan,
    hull,
    polyhedron,
    random_surface,
    read_scan,
    scanned,
    with_shape_error,
)
from mcrock.body.solids import cuboid, cylinder, frustum, prism
from mcrock.body.surface import hull_surface, merge_coplanar, orient

__all__ = [
    "Bodies",
    "Body",
    "Faces",
    "Scan",
    "body_axes",
    "check_bodies",
    "check_polygons",
    "cuboid",
    "cylinder",
    "derived",
    "exterior_angles",
    "face_areas",
    "face_heights",
    "face_normals",
    "frustum",
    "hull",
    "hull_surface",
    "lowest_face",
    "merge_coplanar",
    "nearly_flat",
    "orient",
    "polyhedron",
    "prism",
    "random_surface",
    "read_scan",
    "rotation_matrix",
    "scanned",
    "settle",
    "solid_moments",
    "stable_faces",
    "stands_over",
    "uplift_slenderness",
    "with_shape_error",
]
