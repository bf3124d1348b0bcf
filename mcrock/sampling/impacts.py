"""Law and parameters of the impacts of a slice of realizations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcrock.config import ConfigError, Study
from mcrock.params import Draw, EnergyGain, FacetFallback, ImpactParameter, Law
from mcrock.sampling.drawn import Drawn, Draws, variable_name
from mcrock.sampling.quantiles import impact_tables

CODES: dict[str, Callable[[Any], int]] = {  # of the options of a choice, by its dotted name
    "impact.energy_gain": lambda word: EnergyGain[word.upper()],
    "impact.draw": lambda word: Draw[word.upper()],
    "impact.facet_fallback": lambda word: FacetFallback[word.upper()],
    "impact.law": lambda word: Law[word.upper()],
}
# impact parameters without a variable where no law of the study has them
OF_ONE_LAW = {"nu": Law.KALLIONTZIS_2016, "e_n21": Law.BROGLIATO_2012}


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
        if key not in OF_ONE_LAW or study.impact.parameters[key] is not None:
            owner = OF_ONE_LAW.get(key, Law.VARKONYI_2022)  # those of other laws do not use it
            values[variable_name(f"impact.{key}")] = np.where(law == owner, column, np.nan)
    values |= {"impact_law": law, "impact_draw": draw, "energy_gain": gain, "facet_fallback": fallback}
    return Drawn(arrays, values)


def _face_parameters(study: Study, n_face: int) -> NDArray[np.int64]:
    """Column of lambda_lon of every face (n_face,)."""
    found = np.full(n_face, int(ImpactParameter.LAMBDA_LON), np.int64)
    for i, table in enumerate(study.impact.faces):
        if table.face >= n_face:
            raise ConfigError(
                f"{study.source} [impact] faces[{i}].face: the body has the faces 0 to {n_face - 1}, "
                f"got {table.face}"
            )
        found[table.face] = len(ImpactParameter) + 2 * i
    return found
