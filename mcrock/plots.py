"""Figures of studies, runs and spectra: dataset in, matplotlib Axes out, at the size of a printed column."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from mcrock.show.body import plot_body
from mcrock.show.comparison import plot_comparison, plot_frontier, plot_remedy
from mcrock.show.curves import plot_choices, plot_limits, plot_measures, plot_methods, plot_surface
from mcrock.show.fit import plot_angles, plot_fit
from mcrock.show.fragility import plot_fragility
from mcrock.show.history import plot_history
from mcrock.show.maps import plot_impact_map, plot_regimes
from mcrock.show.outcomes import plot_convergence, plot_exceedance, plot_outcomes
from mcrock.show.population import plot_effects, plot_population
from mcrock.show.rare import plot_rare
from mcrock.show.risk import plot_baselines, plot_risk
from mcrock.show.sensitivity import plot_inputs, plot_probability_box, plot_sensitivity, plot_variance_shares
from mcrock.show.spectrum import plot_overturning_spectrum, plot_rocking_spectrum
from mcrock.show.style import paper_style, save_figure
from mcrock.show.summary import save_all
from mcrock.show.validation import plot_labels, plot_validation

if TYPE_CHECKING:
    from mcrock.show.animation import animate_run, save_animation

__all__ = [
    "animate_run",
    "paper_style",
    "plot_angles",
    "plot_baselines",
    "plot_body",
    "plot_choices",
    "plot_comparison",
    "plot_convergence",
    "plot_effects",
    "plot_exceedance",
    "plot_fit",
    "plot_fragility",
    "plot_frontier",
    "plot_history",
    "plot_impact_map",
    "plot_inputs",
    "plot_labels",
    "plot_limits",
    "plot_measures",
    "plot_methods",
    "plot_outcomes",
    "plot_overturning_spectrum",
    "plot_population",
    "plot_probability_box",
    "plot_rare",
    "plot_regimes",
    "plot_remedy",
    "plot_risk",
    "plot_rocking_spectrum",
    "plot_sensitivity",
    "plot_surface",
    "plot_validation",
    "plot_variance_shares",
    "save_all",
    "save_animation",
    "save_figure",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name in ("animate_run", "save_animation"):  # when first used: they need the kernel
            return getattr(import_module("mcrock.show.animation"), name)
        raise AttributeError(f"module 'mcrock.plots' has no attribute {name!r}")
