"""Base of the steps of drawing: values by dotted name, and what each step adds to the inputs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from numpy.typing import NDArray

from mcrock.body.shapes import SHAPES

Draws = Mapping[str, NDArray[Any]]  # value (n,) of every input, by dotted name
VARIABLES = {  # of inputs whose variable is not called as they are
    "body.gravity": "gravity",
    "impact.energy_gain": "energy_gain",
    "impact.facet_fallback": "facet_fallback",
    "motion.azimuth": "azimuth",
    "motion.polarity": "polarity",
    "motion.record": "record",
} | {
    f"body.{key}": f"body_{item.variable}"
    for shape in SHAPES.values()
    for key, item in shape.inputs.items()
    if item.variable
}


class Drawn(NamedTuple):
    """Inputs of a slice of realizations that one step adds."""

    arrays: dict[str, Any]  # items of `mcrock.base.params.Inputs`
    values: dict[str, NDArray[Any]]  # dataset variables on realization


def variable_name(name: str) -> str:
    """Dataset variable of an input, from its dotted name.

    >>> variable_name("body.vertices[3][2]"), variable_name("motion.azimuth")
    ('body_vertices_3_2', 'azimuth')
    """
    return VARIABLES.get(name) or re.sub(r"\W+", "_", name).strip("_")
