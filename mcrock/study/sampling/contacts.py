"""Friction and rebound of the contacts of a slice of realizations."""

from __future__ import annotations

import numpy as np

from mcrock.base.params import ContactColumn
from mcrock.study import Study
from mcrock.study.sampling.drawn import Drawn, Draws, variable_name


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
