"""The rigid body of one run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mcrock.base.checks import Number
from mcrock.base.keywords import suggesting
from mcrock.base.notebook import Displayed
from mcrock.base.params import GRAVITY
from mcrock.body.base import edge_geometry
from mcrock.body.check import check_bodies
from mcrock.body.face_lists import check_faces, face_lists, face_number, face_numbers
from mcrock.body.faces import Array, Faces, face_heights, face_normals
from mcrock.body.frame import downwards
from mcrock.body.rocking import derived
from mcrock.body.standing import nearly_flat, stable_faces, stands_over


@suggesting
@dataclass(frozen=True, slots=True, eq=False)
class Body(Displayed):
    """Rigid convex body that stands on one of its faces.

    Use `cuboid`, `prism`, `frustum`, `cylinder`, `hull` or `polyhedron`; call ``Body`` itself with
    measured or computed mass properties. If only its base is known, ``vertices`` is the base polygon
    and nothing else can touch the ground.

    The frame has its origin at the COM, and z is the axis that tilt is measured from. A start face
    that is not perpendicular to z is laid flat by the smallest rotation.

    Attributes
    ----------
    mass : float
        [kg].
    inertia : ndarray (3, 3)
        About the COM, body axes [kg m2].
    vertices : ndarray (n, 3)
        Relative to the COM [m]. Without ``faces`` the base, counter-clockwise seen from above, all at
        z = -(height of the COM above the base).
    gravity : float
        [m/s2].
    faces : tuple of tuples of int
        Vertices of each face that can touch the ground, counter-clockwise seen from above when the
        body lies on it (seen from inside the body).
    start_face : int
        Face on which the body stands at the start. The COM need not be over it if all faces are given:
        such a body rolls off.
    base_faces : tuple of int
        Faces that count as base: a vertex that belongs to none of them and touches the ground means
        overturned. Always with the start face; by default also every face inclined to it by less
        than 5 deg that is connected to it through such faces.

    Raises
    ------
    ValueError
        For a body that cannot exist or cannot stand: the message names field, unit and value.
    """

    mass: float
    inertia: Array
    vertices: Array
    gravity: float = GRAVITY
    faces: Faces = None  # type: ignore[assignment]  # a tuple once the body is made
    start_face: int = 0
    base_faces: tuple[int, ...] = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"Body({self.mass:.6g} kg, slenderness {self.slenderness:.4g} rad, p {self.frequency:.4g} rad/s, "
            f"{len(self.vertices)} corners, {len(self.faces)} face{'' if len(self.faces) == 1 else 's'})"
        )

    def __post_init__(self) -> None:
        for name, unit in (("mass", "kg"), ("gravity", "m/s2")):
            value = Number(unit, above=0.0).check(f"Body.{name}", getattr(self, name))
            object.__setattr__(self, name, value)
        for name, shape in (("inertia", "(3, 3) [kg m2]"), ("vertices", "(n, 3) [m]")):
            try:
                array = np.array(getattr(self, name), dtype=float)
            except (TypeError, ValueError):
                raise ValueError(f"Body.{name} must be an array of numbers of shape {shape}") from None
            if array.ndim != 2 or array.shape[1] != 3 or (name == "inertia" and array.shape[0] != 3):
                raise ValueError(f"Body.{name} must have shape {shape}, got {array.shape}")
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        self._set_faces()
        check_bodies(*self._arrays(), self.faces, np.array([self.start_face]))
        base = nearly_flat(self.vertices, self.faces, self.start_face)
        if self.base_faces is not None:
            listed = face_numbers("Body.base_faces", self.base_faces, len(self.faces))
            base = tuple(sorted({self.start_face, *listed}))
        object.__setattr__(self, "base_faces", base)

    def _set_faces(self) -> None:
        if self.faces is None:
            faces: Faces = (tuple(range(len(self.vertices))),)
        else:
            faces = face_lists("Body.faces", self.faces)
            check_faces(faces, len(self.vertices))
        object.__setattr__(self, "faces", faces)
        start = face_number("Body.start_face", self.start_face, len(faces))
        object.__setattr__(self, "start_face", start)

    def _arrays(self) -> tuple[Array, Array, Array, Array]:
        """Mass, inertia, vertices and gravity as those of one body among many."""
        return np.array([self.mass]), self.inertia[None], self.vertices[None], np.array([self.gravity])

    @property
    def base(self) -> Array:
        """Vertices of the start face in its order (k, 3) [m]."""
        return self.vertices[list(self.faces[self.start_face])]

    @property
    def com_height(self) -> float:
        """Height of the COM above the start face [m]."""
        return -float(self._flat_base()[:, 2].mean())

    @property
    def face_normals(self) -> Array:
        """Outward unit normals (n_face, 3) [1]."""
        return face_normals(self.vertices[None], self.faces)[0]

    @property
    def face_heights(self) -> Array:
        """Height of the COM over each face (n_face,) [m]."""
        return face_heights(self.vertices[None], self.faces, self.face_normals[None])[0]

    @property
    def face_stable(self) -> NDArray[np.bool_]:
        """Whether the body can stand on each face (n_face,)."""
        return stable_faces(self.vertices[None], self.faces)[0]

    @property
    def edge_slenderness(self) -> Array:
        """Slenderness of each edge of the start face: tilt at which the COM stands over it (n,) [rad]."""
        return edge_geometry(self._flat_base()[None])[1][0]

    @property
    def slenderness(self) -> float:
        """Smallest tilt at which the COM stands over an edge that bounds the base [rad]."""
        return float(self._derived("slenderness"))

    @property
    def radius(self) -> float:
        """Distance R from the COM to the edge of smallest slenderness [m]."""
        return float(self._derived("radius"))

    @property
    def frequency(self) -> float:
        """Frequency parameter p = sqrt(m g R / I) about the edge of smallest slenderness [rad/s]."""
        return float(self._derived("frequency"))

    @property
    def stands_clear(self) -> bool:
        """Whether nothing outside the base can touch the ground before the axis has tilted by 90 deg.

        True if only the base is known, or if it is one face perpendicular to the axis and every
        other vertex stands over it.
        """
        if len(self.faces) == 1:
            return True
        return len(self.base_faces) == 1 and bool(
            stands_over(self.vertices[None], self.faces[self.start_face])[0]
        )

    def _flat_base(self) -> Array:
        """Vertices of the start face with z up when it lies flat (k, 3) [m]."""
        if len(self.faces) == 1:
            return self.base
        normal = face_normals(self.vertices[None], self.faces)[:, self.start_face]
        return self.base @ downwards(normal)[0].T

    def _derived(self, name: str) -> float:
        return derived(*self._arrays(), self.faces, np.array([self.start_face]), self.base_faces)[name][0]
