"""The rigid body: geometry, mass properties and the numbers derived from them.

A body is a convex polyhedron that stands on one of its faces, or a base polygon if nothing else is
known. Its frame has the origin at the centre of mass (COM), and z is the axis that tilt is measured
from: the inward normal of the start face unless given. `Body` is one body, made by a constructor of
`mcrock.body.solids`; the array functions work on many bodies at once, one per realization of a study, and
`mcrock.body.shapes` has the tables of a study file that they come from.
"""

from mcrock.body.base import check_polygons
from mcrock.body.bodies import Bodies
from mcrock.body.body import Body
from mcrock.body.check import check_bodies
from mcrock.body.faces import Faces, exterior_angles, face_areas, face_heights, face_normals
from mcrock.body.frame import body_axes, rotation_matrix
from mcrock.body.mass import solid_moments
from mcrock.body.merge import merge_coplanar, orient
from mcrock.body.random_surface import random_surface, with_shape_error
from mcrock.body.rocking import derived
from mcrock.body.scan import Scan, read_scan
from mcrock.body.solids.cuboid import cuboid
from mcrock.body.solids.cylinder import cylinder
from mcrock.body.solids.frustum import frustum
from mcrock.body.solids.polyhedron import hull, polyhedron, scanned
from mcrock.body.solids.prism import prism
from mcrock.body.standing import (
    lowest_face,
    nearly_flat,
    settle,
    stable_faces,
    stands_over,
    uplift_slenderness,
)
from mcrock.body.surface import hull_surface

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
