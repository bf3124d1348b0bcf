"""How likely is it that a free-standing object overturns, and how sure are we?

The names below are what most work needs; the submodules hold the rest. Both are loaded when first used, so
that importing mcrock is quick and compiles nothing.
"""

from __future__ import annotations

import importlib
import re
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcrock.base.notebook import show_with

if TYPE_CHECKING:
    from mcrock import (
        body,
        dataset,
        ensemble,
        excitation,
        laws,
        measurement,
        planar,
        plots,
        statistics,
        study,
    )
    from mcrock.base.params import Outcome
    from mcrock.body import Body, cuboid, cylinder, frustum, hull, polyhedron, prism
    from mcrock.dataset import load_dataset, read_outcomes, to_frame
    from mcrock.ensemble import rare, run_study
    from mcrock.excitation import Motion, Pulse, fema_p695
    from mcrock.excitation.readers import read_records
    from mcrock.impact.conditions import Contact, Controls, Impact, Start
    from mcrock.plots import plot_exceedance, plot_fragility
    from mcrock.simulation.runs import simulate
    from mcrock.statistics import exceedance_probability, fit_fragility, labels, overturning_probability
    from mcrock.statistics.labels import validation
    from mcrock.study import load_config, new_study

__version__: str

__all__ = [
    "Body",
    "Contact",
    "Controls",
    "Impact",
    "Motion",
    "Outcome",
    "Pulse",
    "Start",
    "__version__",
    "body",
    "cuboid",
    "cylinder",
    "dataset",
    "ensemble",
    "exceedance_probability",
    "excitation",
    "fema_p695",
    "fit_fragility",
    "frustum",
    "hull",
    "labels",
    "laws",
    "load_config",
    "load_dataset",
    "measurement",
    "new_study",
    "overturning_probability",
    "planar",
    "plot_exceedance",
    "plot_fragility",
    "plots",
    "polyhedron",
    "prism",
    "rare",
    "read_outcomes",
    "read_records",
    "run_study",
    "simulate",
    "statistics",
    "study",
    "to_frame",
    "validation",
]

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
    "read_records": "excitation.readers",
    "simulate": "simulation.runs",
    "Impact": "impact.conditions",
    "Contact": "impact.conditions",
    "Start": "impact.conditions",
    "Controls": "impact.conditions",
    "Outcome": "base.params",
    "load_config": "study",
    "new_study": "study",
    "run_study": "ensemble",
    "load_dataset": "dataset",
    "read_outcomes": "dataset",
    "to_frame": "dataset",
    "overturning_probability": "statistics",
    "exceedance_probability": "statistics",
    "fit_fragility": "statistics",
    "plot_fragility": "plots",
    "plot_exceedance": "plots",
}
_MODULES = {
    "body": "body",
    "dataset": "dataset",
    "ensemble": "ensemble",
    "excitation": "excitation",
    "labels": "statistics.labels",
    "laws": "laws",
    "measurement": "measurement",
    "planar": "planar",
    "plots": "plots",
    "rare": "ensemble.rare",
    "statistics": "statistics",
    "study": "study",
    "validation": "statistics.labels.validation",
}
if not TYPE_CHECKING:  # type checkers find a misspelt name by the imports above

    def __getattr__(name: str) -> object:
        if name == "__version__":
            from mcrock.base.version import mcrock_version

            return mcrock_version()
        if name in _MODULES:
            return importlib.import_module(f"mcrock.{_MODULES[name]}")
        if name in _HOME:
            value = getattr(importlib.import_module(f"mcrock.{_HOME[name]}"), name)
            globals()[name] = value
            return value
        now = "".join([f"; use mcrock.{home}.{name}" for home in _MODULES if name in _names_of(home)][:1])
        raise AttributeError(f"module 'mcrock' has no attribute {name!r}{now}")


def _names_of(module: str) -> set[str]:
    """What stands in quotes in the source of a module, its public names too, without loading it."""
    place = Path(__file__).parent / _MODULES[module].replace(".", "/")
    source = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    return set(re.findall(r'"(\w+)"', source.read_text(encoding="utf-8")))


def __dir__() -> list[str]:
    return sorted(__all__)


def _html_of(item: object) -> str:
    from mcrock.show.report.cells import html_of

    return html_of(item)


def _progress_bar() -> AbstractContextManager[Any]:
    from mcrock.show.progress import notebook_progress

    return notebook_progress()


show_with(_html_of, _progress_bar)
