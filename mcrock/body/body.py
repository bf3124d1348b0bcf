"""The rigid body of one run, and many of one shape, one for each realization of a study.

Bodies that cannot exist or cannot stand are refused here, and nowhere deeper.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcrock.base.checks import Number, suggest_keyword
from mcrock.base.params import GRAVITY
from mcrock.base.session import Displayed
from mcrock.body.faces import (
    PLANE,
    Array,
    Faces,
    area_vectors,
    check_base,
    check_faces,
    check_polygons,
    check_rims,
    cross,
    derived,
    dot,
    downwards,
    edge_geometry,
    exterior_angles,
    face_heights,
    face_lists,
    face_normals,
    face_number,
    face_numbers,
    nearly_flat,
    refuse,
    stable_faces,
    stands_over,
)
from mcrock.body.surface import MERGE_ANGLE


def check_bodies(
    mass: Array,
    inertia: Array,
    vertices: Array,
    gravity: Array | None = None,
    faces: Faces | None = None,
    start_face: NDArray[np.int64] | None = None,
) -> None:
    """Refuse bodies that cannot exist or, if only their base is known, cannot stand on it.

    Parameters
    ----------
    mass : ndarray (n,)
        [kg].
    inertia : ndarray (n, 3, 3)
        About the COM [kg m2].
    vertices : ndarray (n, n_vertex, 3)
        Relative to the COM [m].
    gravity : ndarray (n,), optional
        [m/s2].
    faces : tuple of tuples of int, optional
        Faces of a closed surface; by default the vertices are a base polygon, in their order.
    start_face : ndarray (n,), optional
        Face on which each body starts; 0 by default.

    Raises
    ------
    ValueError
        With field, unit and value of the first body that fails.
    """
    refuse(
        ~np.isfinite(vertices).all((1, 2)),
        lambda i: f"Body.vertices must be finite [m], got {vertices[i].tolist()}",
    )
    if faces is None or len(faces) == 1:
        _check_matter(mass, inertia, gravity)
        check_base(vertices if faces is None else vertices[:, faces[0]])
    else:
        _check_outside(vertices, faces)  # first: the mass of a homogeneous body has the sign of its volume
        _check_matter(mass, inertia, gravity)
        _check_polyhedra(vertices, faces, start_face)
        _check_spread(mass, inertia, vertices)


def _check_matter(mass: Array, inertia: Array, gravity: Array | None) -> None:
    refuse(
        ~(np.isfinite(mass) & (mass > 0)),
        lambda i: f"Body.mass must be a finite number > 0 [kg], got {mass[i]:g}",
    )
    if gravity is not None:
        refuse(
            ~(np.isfinite(gravity) & (gravity > 0)),
            lambda i: f"Body.gravity must be a finite number > 0 [m/s2], got {gravity[i]:g}",
        )
    refuse(
        ~np.isfinite(inertia).all((1, 2)),
        lambda i: f"Body.inertia must be finite [kg m2], got {inertia[i].tolist()}",
    )
    scale = np.abs(inertia).max((1, 2))
    refuse(
        (np.abs(inertia - inertia.transpose(0, 2, 1)) > 1e-9 * scale[:, None, None]).any((1, 2)),
        lambda i: f"Body.inertia must be symmetric [kg m2], got {inertia[i].tolist()}",
    )
    moments = np.linalg.eigvalsh(inertia)
    refuse(
        moments[:, 0] <= 0,
        lambda i: (
            f"Body.inertia must be positive definite; its principal moments are {moments[i].tolist()} kg m2"
        ),
    )
    refuse(
        moments[:, 2] > (moments[:, 0] + moments[:, 1]) * (1 + 1e-9),
        lambda i: (
            "Body.inertia breaks the triangle inequality (no principal moment may exceed the sum of "
            f"the other two); they are {moments[i].tolist()} kg m2"
        ),
    )


def _check_outside(vertices: Array, faces: Faces) -> None:
    """Refuse surfaces whose outside is inside."""
    first = vertices[:, [face[0] for face in faces]]
    volume = dot(area_vectors(vertices, faces), first).sum(1) / 6.0
    refuse(
        volume < 0,
        lambda i: (
            "Body.vertices turn the body inside out: its faces, each counter-clockwise seen from inside the "
            f"body, enclose {volume[i]:.4g} m3"
        ),
    )


def _check_spread(mass: Array, inertia: Array, vertices: Array) -> None:
    """Refuse principal moments that no matter between the vertices can have, however it is spread."""
    moments, axes = np.linalg.eigh(inertia)
    along = vertices @ axes
    square = (dot(vertices, vertices)[..., None] - along**2).max(1)  # farthest from each principal axis
    excess = moments / (mass[:, None] * square)
    worst = excess.argmax(1)
    refuse(
        excess.max(1) > 1 + 1e-9,
        lambda i: (
            f"Body.inertia has the principal moment {moments[i, worst[i]]:.4g} kg m2, but if all of the "
            f"{mass[i]:.6g} kg were at the vertex farthest from its axis, {square[i, worst[i]] ** 0.5:.4g} m "
            f"away, it would be {mass[i] * square[i, worst[i]]:.4g} kg m2; check the units, and that it is "
            "about the centre of mass"
        ),
    )


def _check_polyhedra(vertices: Array, faces: Faces, start_face: NDArray[np.int64] | None) -> None:
    """Refuse surfaces that are not plane and convex, and a COM that is not strictly inside."""
    size = np.ptp(vertices, axis=1).max(-1)
    normals = face_normals(vertices, faces)
    for f, face in enumerate(faces):
        _check_face(vertices, f, face, normals[:, f], size)
    pairs, angles = exterior_angles(vertices, faces, normals)
    refuse(
        angles.min(1) < 0.5 * MERGE_ANGLE,  # merging left none below, but rounding may
        lambda i: (
            f"Body.faces {pairs[angles[i].argmin()][0]} and {pairs[angles[i].argmin()][1]} must meet at an "
            f"angle, convex and >= {MERGE_ANGLE:g} rad, got {angles[i].min():.3g} rad; polyhedron() merges "
            "faces of one plane"
        ),
    )
    heights = face_heights(vertices, faces, normals)
    refuse(
        heights.min(1) <= 1e-9 * size,
        lambda i: (
            "the centre of mass must be inside the body; it lies "
            + (f"{-heights[i].min():.6g} m outside" if heights[i].min() < 0 else "on")
            + f" face {heights[i].argmin()}"
        ),
    )
    start = np.zeros(len(vertices), dtype=np.int64) if start_face is None else start_face
    down = -normals[np.arange(len(vertices)), start, 2]
    refuse(
        down <= 0,
        lambda i: (
            f"the axis of the body (z) must lean by less than 90 deg when face {start[i]} lies on the "
            f"ground, got {np.degrees(np.arccos(down[i])):.1f} deg; choose another start_face or axis"
        ),
    )


def _check_face(vertices: Array, f: int, face: tuple[int, ...], normal: Array, size: Array) -> None:
    """Refuse a face that is not a plane convex polygon or that other vertices are outside of."""
    corners = vertices[:, face]
    steps = np.roll(corners, -1, axis=1) - corners
    length = np.sqrt(dot(steps, steps))
    refuse(
        length.min(1) <= 1e-9 * size,
        lambda i: (
            f"Body.vertices {face[length[i].argmin()]} and {face[(length[i].argmin() + 1) % len(face)]} "
            f"coincide at {corners[i, length[i].argmin()].tolist()} m (face {f})"
        ),
    )
    refuse(~np.isfinite(normal).all(-1), lambda i: f"Body.faces: face {f} has no area [m2]")
    height = np.einsum("nvi,ni->nv", vertices, normal)
    height -= height[:, face].mean(1, keepdims=True)
    off = np.abs(height[:, face])
    refuse(
        off.max(1) > PLANE * size,
        lambda i: (
            f"Body.faces: face {f} must be plane; vertex {face[off[i].argmax()]} is {off[i].max():.3g} m off "
            "its plane"
        ),
    )
    along = steps / length[..., None]
    turn = -dot(cross(along, np.roll(along, -1, axis=1)), normal[:, None])
    refuse(
        turn.min(1) <= 1e-9,
        lambda i: (
            f"Body.faces: face {f} must be a convex polygon; its corner at vertex "
            f"{face[(turn[i].argmin() + 1) % len(face)]} is straight or turns the wrong way"
        ),
    )
    refuse(
        height.max(1) > PLANE * size,
        lambda i: (
            f"Body.vertices must be the corners of a convex body; vertex {height[i].argmax()} is "
            f"{height[i].max():.3g} m outside face {f}"
        ),
    )


@suggest_keyword
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
    rim : float
        Radius of a circular base about the centre of the corners of the start face, on whose rim the body
        rolls; 0 of a polygon [m]. The corners are then drawn alone.
    parts : tuple
        Of a body of several parts the vertices (n, 3) [m] and faces of each, in the axes of ``vertices``;
        they are drawn, and nothing else depends on them.

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
    rim: float = 0.0
    parts: tuple[tuple[Array, Faces], ...] = ()

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
        object.__setattr__(self, "rim", Number("m", least=0.0).check("Body.rim", self.rim))
        round_base = (self.start_face,) if self.rim > 0.0 else None
        base = round_base or nearly_flat(self.vertices, self.faces, self.start_face)
        if self.base_faces is not None:
            listed = face_numbers("Body.base_faces", self.base_faces, len(self.faces))
            base = tuple(sorted({self.start_face, *listed}))
        object.__setattr__(self, "base_faces", base)
        if round_base:
            start, rim = np.array([self.start_face]), np.array([self.rim])
            check_rims(self.vertices[None], self.faces, rim, start, self.base_faces)

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
        """Slenderness of each edge of the start face, or of the rim in its direction: tilt at which the COM
        stands over it (n,) [rad]."""
        base = self._flat_base()
        _, slenderness, along, _ = edge_geometry(base[None])
        if not self.rim:
            return slenderness[0]
        centre = base[:, :2].mean(axis=0)
        reach = self.rim + along[0, :, 1] * centre[0] - along[0, :, 0] * centre[1]
        return np.arctan2(reach, self.com_height)

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
        start, rim = np.array([self.start_face]), np.array([self.rim])
        return derived(*self._arrays(), self.faces, start, self.base_faces, rim)[name][0]


class Bodies(NamedTuple):
    """Many bodies of one shape, unchecked."""

    mass: Array  # (n,) [kg]
    inertia: Array  # (n, 3, 3) about the centre of mass [kg m2]
    vertices: Array  # (n, n_vertex, 3) relative to the centre of mass [m]
    gravity: Array  # (n,) [m/s2]
    faces: Faces  # vertices of each face, counter-clockwise from above when the body lies on it
    start_face: NDArray[np.int64]  # (n,) face on which each body starts
    base_faces: tuple[int, ...]  # faces that may touch the ground without overturning
    stands_clear: bool  # up to a tilt of 90 degrees nothing but face 0 can touch the ground
    put_on: int | None  # face that they were put down on, to settle; None: they must stand on face 0
    polygons: dict[str, Array]  # convex polygons (n, k, 2) that they are made of, as they were given [m]
    values: dict[str, Array]  # numbers (n,) worth keeping beside those that all bodies have, by key
    rim: Array | None = None  # (n,) radius of circular bases [m]; None: they are polygons
    parts: tuple[tuple[Array, Faces], ...] = ()  # of one body: vertices (1, n_vertex, 3) [m], faces to draw
    faults: tuple[tuple[Array, str], ...] = ()  # what must not be above 0 (n,), with its words

    def repeated(self, n: int) -> Bodies:
        """The only body of these n times, which has been checked."""
        return self._replace(
            mass=np.repeat(self.mass, n),
            inertia=np.repeat(self.inertia, n, axis=0),
            vertices=np.repeat(self.vertices, n, axis=0),
            gravity=np.repeat(self.gravity, n),
            start_face=np.repeat(self.start_face, n),
            values={name: np.repeat(array, n) for name, array in self.values.items()},
            polygons={name: np.repeat(array, n, axis=0) for name, array in self.polygons.items()},
            rim=None if self.rim is None else np.repeat(self.rim, n),
            parts=self.parts if n == 1 else (),
            faults=(),
        )

    def only(self) -> Body:
        """The only body of these, which must stand on face 0.

        Raises
        ------
        ValueError
            As `Body`, with the words for a base if it cannot stand.
        """
        self._check_faults(slice(None))
        self._check_base(slice(None))
        return Body(
            float(self.mass[0]),
            self.inertia[0],
            self.vertices[0],
            float(self.gravity[0]),
            self.faces,
            rim=0.0 if self.rim is None else self.rim[0],
            parts=tuple((vertices[0], faces) for vertices, faces in self.parts),
        )

    def derived(self) -> dict[str, Array]:
        """Radius [m], slenderness [rad] and frequency parameter [rad/s] of each, see `derived`."""
        return derived(
            self.mass,
            self.inertia,
            self.vertices,
            self.gravity,
            self.faces,
            self.start_face,
            self.base_faces,
            self.rim,
        )

    def check(self, part: slice = slice(None)) -> None:
        """Refuse impossible bodies among those in ``part`` (ValueError)."""
        for name, corners in self.polygons.items():  # first, for the sake of coordinates as they were given
            check_polygons(name, corners[part])
        self._check_faults(part)
        if self.put_on is None:
            self._check_base(part)
        elif self.rim is not None:
            check_rims(*self._round(part))
        if self.put_on is not None or len(self.faces) > 1:
            mass, inertia, gravity = self.mass[part], self.inertia[part], self.gravity[part]
            check_bodies(mass, inertia, self.vertices[part], gravity, self.faces, self.start_face[part])

    def _check_faults(self, part: slice) -> None:
        for above, words in self.faults:
            refuse(above[part] > 0, lambda i, found=above[part], words=words: words.format(found[i]))  # type: ignore[misc]

    def _round(self, part: slice) -> tuple[Array, Faces, Array, NDArray[np.int64], tuple[int, ...]]:
        """What `check_rims` takes of bodies on circles."""
        assert self.rim is not None
        return self.vertices[part], self.faces, self.rim[part], self.start_face[part], self.base_faces

    def _check_base(self, part: slice) -> None:
        """Refuse in words about the base."""
        if self.rim is not None:
            check_rims(*self._round(part))
        base = self.vertices[part, : len(self.faces[0])]
        check_bodies(self.mass[part], self.inertia[part], base, self.gravity[part])

    def first_impossible(self) -> tuple[int, str] | None:
        """Index of the first body that cannot exist or stand, and why; None if all can."""
        try:
            self.check()
            return None
        except ValueError:
            good, bad = 0, len(self.mass)
        while bad - good > 1:  # the first `good` bodies are possible, the first `bad` are not
            middle = (good + bad) // 2
            try:
                self.check(slice(middle))
                good = middle
            except ValueError:
                bad = middle
        try:
            self.check(slice(good, bad))
        except ValueError as error:
            name = "base" if self.put_on is None else "vertices"
            return good, str(error).replace("Body.vertices", name).replace("Body.", "")
        raise AssertionError("a body refused in company must be refused alone")


def on_base(
    mass: Array,
    inertia: Array,
    vertices: Array,
    gravity: Array,
    faces: Faces,
    *,
    stands_clear: bool = True,
    polygons: dict[str, Array] | None = None,
    values: dict[str, Array] | None = None,
) -> Bodies:
    """Bodies that must stand on face 0, their only base; see `Bodies`."""
    return Bodies(
        mass,
        inertia,
        vertices,
        gravity,
        faces,
        start_face=np.zeros(len(mass), dtype=np.int64),
        base_faces=(0,),
        stands_clear=stands_clear,
        put_on=None,
        polygons=polygons or {},
        values=values or {},
    )
