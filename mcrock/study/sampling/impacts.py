"""Impacts and contacts of a slice of realizations: law, parameters, friction and rebound.

Compiled code draws at every impact from a table of the distribution. A continuous one is tabulated over
standard normal scores: there its quantiles are smooth in both tails, and the interpolation of
`mcrock.base.random_numbers.quantile` is accurate to 1e-5 of the spread or better. A discrete one is a list of
probabilities and values that is searched, exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from mcrock.base.params import ContactColumn, Draw
from mcrock.base.random_numbers import SCORE_LIMIT
from mcrock.base.tables.distributions import Discrete, Distribution
from mcrock.impact.registry import face_columns, parameter_of
from mcrock.study import ConfigError, Study
from mcrock.study.sampling.drawn import Drawn, Draws, variable_name

Array = NDArray[np.float64]

NODES = 529  # odd, so that the median is a node; 1/32 of a standard deviation apart
FIXED, INTERPOLATED, STEPS = 0, 1, 2  # codes of `Inputs.redrawn`


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


def quantile_table(distribution: Distribution) -> Array:
    """Table (529,) of one distribution for `mcrock.base.random_numbers.quantile`, in the unit of the number.

    Raises
    ------
    ValueError
        If a discrete distribution has more values than the table has room for.
    """
    if isinstance(distribution, Discrete):
        table, room = np.ones(NODES), NODES // 2
        values, reached = distribution.steps
        if len(values) > room:
            raise ValueError(
                f"a discrete distribution drawn at every impact may have {room} values, got {len(values)}"
            )
        table[: len(values) - 1], table[room : room + len(values)] = reached[:-1], values
        return table
    score = np.linspace(-SCORE_LIMIT, SCORE_LIMIT, NODES)
    tail = ndtr(-np.abs(score))
    return np.where(score <= 0, distribution.quantile(tail), distribution.upper_quantile(tail))


def impact_tables(study: Study) -> tuple[NDArray[np.int8], Array]:
    """How each column of impact parameters is drawn at every impact (n_parameter,), and its table
    (n_parameter, 529), zero where it is fixed.

    Raises
    ------
    ConfigError
        If a distribution has no table.
    """
    columns = study.impact.columns
    redrawn, tables = np.zeros(len(columns), np.int8), np.zeros((len(columns), NODES))
    for i, key in enumerate(columns):
        distribution = study.impact.redrawn.get(key)
        if distribution is not None:
            redrawn[i] = STEPS if isinstance(distribution, Discrete) else INTERPOLATED
            try:
                tables[i] = quantile_table(distribution)
            except ValueError as error:
                raise ConfigError(f"{study.source} [impact] {key}: {error}") from None
    return redrawn, tables


def draw_contacts(study: Study, draws: Draws) -> Drawn:
    """Contacts of realizations, None in a study without friction."""
    if "contact.friction" not in study.quantities:
        return Drawn({"contact": None}, {})
    names = [f"contact.{column.name.lower()}" for column in ContactColumn]
    # static friction, the only one without a value of its own, is the friction unless given
    contact = np.stack([draws.get(name, draws["contact.friction"]) for name in names], axis=-1)
    friction, static = contact[:, ContactColumn.FRICTION], contact[:, ContactColumn.STATIC_FRICTION]
    static[:] = np.maximum(static, friction)  # beyond the quantiles that the table compares
    return Drawn({"contact": contact}, {variable_name(name): contact[:, i] for i, name in enumerate(names)})
