"""Density or mass of homogeneous solids, and their centre of mass."""

from __future__ import annotations

from typing import NamedTuple

from mcrock.body.faces import Array


class Weight(NamedTuple):
    """Density or mass of many homogeneous solids, whose centre of mass may be off the centroid."""

    density: Array | None  # (n,) [kg/m3]; None if the mass is given
    mass: Array | None  # (n,) [kg]
    offset: Array  # (n, 3) of the centre of mass from the centroid [m]

    def of(self, volume: Array) -> Array:
        """Mass (n,) [kg] of the ``volume`` (n,) [m3]."""
        if self.mass is not None:
            return self.mass
        assert self.density is not None
        return self.density * volume

    def values(self, volume: Array) -> dict[str, Array]:
        """Density [kg/m3] and offsets [m] by key, each (n,)."""
        density = self.density
        if density is None:
            assert self.mass is not None
            density = self.mass / volume
        return {"density": density} | {f"com_{axis}": self.offset[:, i] for i, axis in enumerate("xyz")}
