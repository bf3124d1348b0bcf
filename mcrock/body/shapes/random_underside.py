"""The error of the shape of an underside, as a study file has it."""

from __future__ import annotations

from mcrock.base.tables.fields import FlagKey, NumberKey, Table, entry, optional
from mcrock.body.random_surface import UNDERSIDE


class RandomUnderside(Table):
    """A smooth random surface that is added to the height of the underside: at every place normal with the
    mean 0, and correlated over the horizontal distance r by exp(-r^2 / (2 l^2)), where l is the correlation
    length. The z axis of the points must be up."""

    std: float = entry(NumberKey("m", least=0.0), "standard deviation", 0.0007)
    correlation_length: float = entry(
        NumberKey("m", above=0.0),
        "horizontal distance over which the correlation falls to exp(-1/2) = 0.61",
        0.05,
    )
    underside_deg: float = entry(
        NumberKey("deg", above=0.0, most=90.0),
        "inclination to the ground of the steepest face of the underside; corners of steeper faces alone "
        "stay where they are",
        default=UNDERSIDE,
    )
    epistemic: bool | None = optional(
        FlagKey(),
        "one unknown shape for all runs of the study, instead of one for each realization: it is drawn "
        "`ensemble.outer` times",
        True,
    )
