"""How likely is it that a free-standing object overturns, and how sure are we?

The names below are what most work needs; the submodules hold the rest. Both are loaded when first used, so
that importing mcrock is quick and compiles nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcrock.base.environment import homes_of, imported_on_use
from mcrock.base.session import show_with

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
    from mcrock.body.parts import composite
    from mcrock.dataset import load_dataset, read_outcomes, to_frame
    from mcrock.ensemble import rare, run_study
    from mcrock.excitation import Motion, Pulse, fema_p695
    from mcrock.excitation.readers import read_records
    from mcrock.impact.conditions import Contact, Controls, Impact, Start
    from mcrock.plots import plot_exceedance, plot_fragility
    from mcrock.show.run import repeat_run
    from mcrock.simulation.runs import simulate
    from mcrock.statistics import (
        exceedance_probability,
        fit_fragility,
        labels,
        overturning_probability,
        validation,
    )
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
    "composite",
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
    "repeat_run",
    "run_study",
    "simulate",
    "statistics",
    "study",
    "to_frame",
    "validation",
]

_found = imported_on_use(__name__, __file__)
if not TYPE_CHECKING:  # type checkers find a misspelt name by the imports above

    def __getattr__(name: str) -> object:
        if name == "__version__":
            from mcrock.base.environment import mcrock_version

            return mcrock_version()
        try:
            return _found(name)
        except AttributeError as error:
            now = "".join([f"; use {place}.{name}" for place, names in _elsewhere() if name in names][:1])
            raise AttributeError(f"{error}{now}") from None


def _elsewhere() -> Iterator[tuple[str, set[str]]]:
    """Public modules, and what stands in quotes in their source, their names too, without loading them."""
    for name, home in homes_of(__file__).items():
        place = Path(__file__).parents[1] / f"{home}.{name}".replace(".", "/")
        source = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
        if source.is_file():
            yield f"mcrock.{name}", set(re.findall(r'"(\w+)"', source.read_text(encoding="utf-8")))


def __dir__() -> list[str]:
    return sorted(__all__)


def _html_of(item: object) -> str:
    from mcrock.show.report.page import html_of

    return html_of(item)


def _progress_bar() -> AbstractContextManager[Any]:
    from mcrock.show.progress import notebook_progress

    return notebook_progress()


show_with(_html_of, _progress_bar)
