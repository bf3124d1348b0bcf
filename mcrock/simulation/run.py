"""The result of one run, with its history."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mcrock.base.notebook import Displayed
from mcrock.base.params import FacetFallback, Outcome
from mcrock.body import Body
from mcrock.dataset.history import build_history

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True)
class Run(Displayed):
    """Result of one run.

    Attributes
    ----------
    outcome : Outcome
        How it ended.
    results : dict of float
        The scalars of a run by the names of the dataset, SI units.
    events : list of dict
        Time ``t`` [s], ``kind``, mode and index ``to``, angular velocity after ``omega`` (3,) in
        ground axes [rad/s], ``velocity`` of the centre of mass after (3,) relative to the ground [m/s],
        ``energy_change`` [J], ``tilt`` [rad] and ``face`` (the one that lands, None but in a facet
        impact) of every change of contact.
    history : Dataset
        Motion over ``time``: mode, orientation, angular velocity, position and velocity of the centre
        of mass, displacement of the base, rotations, energy, tilt.
    body : Body
        The body that it was made with.
    facet_fallback : FacetFallback
        What a facet impact without feasible pivot became.
    recorded : Dataset, or tuple of ndarray
        What the history is, or the arguments of `mcrock.dataset.build_history` to make it of at its first
        use: xarray takes longer to load than a run.
    """

    outcome: Outcome
    results: dict[str, float]
    events: list[dict[str, Any]]
    body: Body
    facet_fallback: FacetFallback
    recorded: xr.Dataset | tuple[np.ndarray, np.ndarray, np.ndarray]

    @cached_property
    def history(self) -> xr.Dataset:
        """Motion over ``time``."""
        return build_history(*self.recorded) if isinstance(self.recorded, tuple) else self.recorded

    def __repr__(self) -> str:
        tilt, end = self.results["peak_tilt_ratio"], self.results["end_time"]
        return (
            f"Run({self.outcome.name} at {end:.4g} s, peak tilt {tilt:.4g} of the slenderness, "
            f"{len(self.events)} events; .results, .events, .history)"
        )

    def __getattr__(self, name: str) -> float:
        if name.startswith("_") or name == "results":  # as a copy is made, before it has results
            raise AttributeError(name)
        try:
            return self.results[name]
        except KeyError:
            raise AttributeError(f"a run has no result {name!r}; it has {', '.join(self.results)}") from None
