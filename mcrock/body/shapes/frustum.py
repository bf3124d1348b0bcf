"""Frusta of a study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

import numpy as np

from mcrock.base.tables.distributions import Distribution, Quantity, Uncertain
from mcrock.base.tables.fields import entry, exactly_one, optional
from mcrock.base.tables.inputs import Input
from mcrock.body.bodies import Bodies
from mcrock.body.faces import Array
from mcrock.body.shapes.coordinates import BASE, CORNERS, Corners, Draws, coordinates
from mcrock.body.shapes.shape import Solid, Upright
from mcrock.body.solids.frustum import frusta
from mcrock.body.solids.parts import scaled_polygon
from mcrock.body.standing import stands_over


class Frustum(Solid, Upright):
    """Convex base, parallel top, plane tapered walls."""

    alternatives: ClassVar = (("density", "mass"), ("top_scale", "top"))
    inputs: ClassVar = {
        "base": CORNERS,
        "top_scale": Input("size of the top over that of the base"),
        "top": Input("top corner {0}, coordinate {1} of the study (0 x, 1 y)"),
    }

    shape: Literal["frustum"]
    base: Corners = entry(
        BASE,
        "corners of the base seen from above; each coordinate may be a distribution",
        [[0.3, -0.2], [0.3, 0.2], [-0.3, 0.2], [-0.3, -0.2]],
    )
    top_scale: Quantity | None = optional(
        Uncertain("1", above=0.0), "size of the top over that of the base", 0.8
    )
    top: Corners | None = optional(
        BASE,
        "corners of the top, as many as those of the base and in the same order; the walls must be plane",
        [[0.2, -0.1], [0.2, 0.1], [-0.2, 0.1], [-0.2, -0.1]],
    )

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from super().conflicts(data)
        yield from exactly_one(data, {"top_scale": "1", "top": "m"})
        base, top = data.get("base"), data.get("top")
        if isinstance(base, list | tuple) and isinstance(top, list | tuple) and len(top) != len(base):
            yield ("top",), f"must have as many corners as the base, {len(base)}, got {len(top)}"

    def build(self, draws: Draws) -> Bodies:
        base = coordinates("base", self.base, draws)
        if self.top is None:
            with np.errstate(divide="ignore", invalid="ignore"):  # `Bodies.check` refuses a base without area
                top = scaled_polygon(base, draws["top_scale"])
        else:
            top = coordinates("top", self.top, draws)
        bodies = frusta(base, top, draws["height"], self.weight(draws), draws["gravity"])
        listed = {"base": base} if self.top is None else {"base": base, "top": top}
        return bodies._replace(polygons=listed, stands_clear=self._stands_clear(bodies.vertices))

    def _stands_clear(self, vertices: Array) -> bool:
        """Whether no realization can reach beyond its base; the same for every part of a study."""
        if self.top_scale is not None:
            if isinstance(self.top_scale, Distribution):
                return self.top_scale.share_outside(None, None, 1.0) == 0
            return self.top_scale <= 1
        shapes = (*self.base, *(self.top or ()))
        if any(isinstance(value, Distribution) for corner in shapes for value in corner):
            return False
        return bool(stands_over(vertices[:1], tuple(range(len(self.base))))[0])
