"""From a study to its result on disk: parts of the design, run through dask, stored as they finish."""

from mcrock.ensemble.part import Part
from mcrock.ensemble.study import EnsembleError, Plan, Progress, estimate_time, plan_study, run_study

__all__ = ["EnsembleError", "Part", "Plan", "Progress", "estimate_time", "plan_study", "run_study"]
