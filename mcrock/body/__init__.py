"""The rigid body: geometry, mass properties and the numbers derived from them.

A body is a convex polyhedron that stands on one of its faces, or a base polygon if nothing else is
known. Its frame has the origin at the centre of mass (COM), and z is the axis that tilt is measured
from: the inward normal of the start face unless given. The array functions work on many bodies at
once, one per realization of a study.
"""

from mcrock.body.base import check_polygons
from mcrock.body.body import Body, derived
from mcrock.body.check import check_bodies
from mcrock.body.faces import (
    Faces,
    exterior_angles,
    face_areas,
    face_heights,
    face_normals,
    nearly_flat,
    settle,
    stable_faces,
    stands_over,
    uplift_slenderness,
)
from mcrock.body.frame import body_axes, rotation_matrix
from mcrock.body.mass import solid_moments
from mcrock.body.merge import merge_coplanar, orient
from mcrock.body.polyhedron import hull, hull_surface, lowest_face, polyhedron
from mcrock.body.solids import (
    circle_polygon,
    cuboid,
    cuboid_properties,
    cylinder,
    frustum,
    frustum_properties,
    frustum_volume,
    prism,
    prism_faces,
    prism_properties,
    prism_volume,
    scaled_base,
)

__all__ = [
    "Body",
    "Faces",
    "body_axes",
    "check_bodies",
    "check_polygons",
    "circle_polygon",
    "cuboid",
    "cuboid_properties",
    "cylinder",
    "derived",
    "exterior_angles",
    "face_areas",
    "face_heights",
    "face_normals",
    "frustum",
    "frustum_properties",
    "frustum_volume",
    "hull",
    "hull_surface",
    "lowest_face",
    "merge_coplanar",
    "nearly_flat",
    "orient",
    "polyhedron",
    "prism",
    "prism_faces",
    "prism_properties",
    "prism_volume",
    "rotation_matrix",
    "scaled_base",
    "settle",
    "solid_moments",
    "stable_faces",
    "stands_over",
    "uplift_slenderness",
]
