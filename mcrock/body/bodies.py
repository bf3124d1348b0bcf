"""Many bodies of one shape at once: one for each realization of a study."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcrock.body.base import check_polygons
from mcrock.body.body import Body
from mcrock.body.check import check_bodies
from mcrock.body.faces import Array, Faces
from mcrock.body.rocking import derived


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

    def repeated(self, n: int) -> Bodies:
        """The only body of these n times."""
        return self._replace(
            mass=np.repeat(self.mass, n),
            inertia=np.repeat(self.inertia, n, axis=0),
            vertices=np.repeat(self.vertices, n, axis=0),
            gravity=np.repeat(self.gravity, n),
            start_face=np.repeat(self.start_face, n),
            values={name: np.repeat(array, n) for name, array in self.values.items()},
            polygons={name: np.repeat(array, n, axis=0) for name, array in self.polygons.items()},
        )

    def only(self) -> Body:
        """The only body of these, which must stand on face 0.

        Raises
        ------
        ValueError
            As `Body`, with the words for a base if it cannot stand.
        """
        self._check_base(slice(None))
        return Body(
            float(self.mass[0]), self.inertia[0], self.vertices[0], float(self.gravity[0]), self.faces
        )

    def derived(self) -> dict[str, Array]:
        """Radius [m], slenderness [rad] and frequency parameter [rad/s] of each, see `derived`."""
        return derived(
            self.mass, self.inertia, self.vertices, self.gravity, self.faces, self.start_face, self.base_faces
        )

    def check(self, part: slice = slice(None)) -> None:
        """Refuse impossible bodies among those in ``part`` (ValueError)."""
        for name, corners in self.polygons.items():  # first, for the sake of coordinates as they were given
            check_polygons(name, corners[part])
        if self.put_on is None:
            self._check_base(part)
        if self.put_on is not None or len(self.faces) > 1:
            mass, inertia, gravity = self.mass[part], self.inertia[part], self.gravity[part]
            check_bodies(mass, inertia, self.vertices[part], gravity, self.faces, self.start_face[part])

    def _check_base(self, part: slice) -> None:
        """Refuse in words about the base."""
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
