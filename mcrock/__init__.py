"""How likely is it that a free-standing object overturns, and how sure are we?

Names are loaded when first used, so that importing mcrock is quick and compiles nothing.
"""

from __future__ import annotations

import importlib
from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("mcrock")
except PackageNotFoundError:  # a checkout that is not installed
    __version__ = "0+unknown"

_HOME = {
    "Body": "body",
    "cuboid": "body",
    "prism": "body",
    "frustum": "body",
    "cylinder": "body",
    "hull": "body",
    "polyhedron": "body",
    "Motion": "excitation",
    "Pulse": "excitation",
    "fema_p695": "excitation",
    "read_csv": "excitation",
    "read_records": "excitation.readers",
    "intensity": "excitation",
    "Controls": "conditions",
    "Outcome": "params",
    "Impact": "simulation",
    "Start": "simulation",
    "simulate": "simulation",
    "simulate_planar": "planar",
    "rocking_spectrum": "planar",
    "overturning_spectrum": "planar",
    "load_config": "config",
    "run_study": "ensemble",
    "load_dataset": "dataset",
    "overturning_probability": "statistics",
    "exceedance_probability": "statistics",
    "fit_fragility": "statistics",
    "capacities": "statistics",
    "fragility_by_choice": "statistics",
    "by_measure": "statistics",
    "compare_measures": "statistics",
    "undecided": "statistics",
    "step_check": "statistics",
    "model_validity": "statistics",
    "plot_fragility": "plots",
    "plot_exceedance": "plots",
    "plot_impact_map": "plots",
    "plot_outcomes": "plots",
    "plot_choices": "plots",
    "plot_measures": "plots",
    "plot_history": "plots",
    "plot_overturning_spectrum": "plots",
    "plot_rocking_spectrum": "plots",
    "animate_run": "plots.animation",
    "save_animation": "plots.animation",
}

__all__ = ["__version__", *_HOME]


_MODULES = ("excitation", "laws", "planar", "plots", "statistics")  # that `mcrock.NAME` finds too


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return importlib.import_module(f"mcrock.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'mcrock' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"mcrock.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
