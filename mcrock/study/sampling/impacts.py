"""Law and parameters of the impacts of a slice of realizations."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcrock.base.params import Draw
from mcrock.impact.registry import CHOICES, code_of, face_columns, parameter_of
from mcrock.study import ConfigError, Study
from mcrock.study.sampling.drawn import Drawn, Draws, variable_name
from mcrock.study.sampling.quantiles import impact_tables

CODES: dict[str, Callable[[Any], int]] = {  # of the options of a choice, by its dotted name
    f"impact.{choice}": partial(code_of, choice) for choice in CHOICES
}


def draw_impacts(study: Study, draws: Draws, n: int, n_face: int) -> Drawn:
    """Impacts of ``n`` realizations of a body with ``n_face`` faces.

    Raises
    ------
    ConfigError
        If a face has parameters of its own that the body does not have.
    """
    law, gain, fallback, draw = (
        draws[f"impact.{key}"] for key in ("law", "energy_gain", "facet_fallback", "draw")
    )
    kinds, quantiles = impact_tables(study)
    redrawn = np.where(draw[:, None] == Draw.IMPACT, kinds, np.int8(0))
    columns = [draws.get(f"impact.{key}", np.full(n, np.nan)) for key in study.impact.columns]
    impact = np.where(redrawn == 0, np.stack(columns, axis=-1), np.nan)
    arrays = {
        "impact": impact,
        "redrawn": redrawn,
        "quantiles": quantiles,
        "face_parameters": _face_parameters(study, n_face),
        "law": law,
        "energy_gain": gain,
        "facet_fallback": fallback,
    }
    values: dict[str, NDArray[Any]] = {}
    for key, column in zip(study.impact.columns, impact.T, strict=True):
        row = parameter_of(key).row
        if not row.needed or study.impact.parameters[key] is not None:
            values[variable_name(f"impact.{key}")] = np.where(law == row.law, column, np.nan)
    values |= {"impact_law": law, "impact_draw": draw, "energy_gain": gain, "facet_fallback": fallback}
    return Drawn(arrays, values)


def _face_parameters(study: Study, n_face: int) -> NDArray[np.int64]:
    """Columns of faces in the impact parameters (n_face,)."""
    for i, table in enumerate(study.impact.faces):
        if table.face >= n_face:
            raise ConfigError(
                f"{study.source} [impact] faces[{i}].face: the body has the faces 0 to {n_face - 1}, "
                f"got {table.face}"
            )
    return face_columns([table.face for table in study.impact.faces], n_face)
