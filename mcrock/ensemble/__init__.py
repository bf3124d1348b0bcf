"""From a study to its result on disk: parts of the design, run through dask, stored as they finish."""

from typing import TYPE_CHECKING

from mcrock.base.environment import imported_on_use

if TYPE_CHECKING:
    from mcrock.ensemble.collection import open_collection, run_collection
    from mcrock.ensemble.estimate import estimate_time
    from mcrock.ensemble.part import Part
    from mcrock.ensemble.pilot import settle
    from mcrock.ensemble.study import EnsembleError, Plan, Progress, plan_study, run_study

__all__ = [
    "EnsembleError",
    "Part",
    "Plan",
    "Progress",
    "estimate_time",
    "open_collection",
    "plan_study",
    "run_collection",
    "run_study",
    "settle",
]

if not TYPE_CHECKING:  # type checkers find a misspelt name by the imports above
    __getattr__ = imported_on_use(__name__, __file__)
