"""Run a study until its probabilities are known well enough."""

from __future__ import annotations

from math import ceil
from pathlib import Path
from typing import Any

import xarray as xr

from mcrock.dataset import is_store, load_dataset
from mcrock.ensemble.study import run_study
from mcrock.statistics import sequential_probability
from mcrock.statistics.probability import INDEPENDENT
from mcrock.study import Study
from mcrock.study.sampling import load_motions

FIRST, GROWTH = 10, 1.5  # realizations of each record at the first look, and their growth to the next


def run_until(
    study: Study, output: str | Path, half_width: float, *, level: float = 0.95, **options: Any
) -> tuple[xr.Dataset, xr.Dataset]:
    """Run a study until the intervals of its probabilities are narrow enough, or to its end.

    The intervals are checked after 10, 15, 23 ... realizations of each record and hold at every look
    (`mcrock.statistics.sequential_probability`). Where the study stops depends on it, ``half_width`` and
    ``level`` alone, and its runs are identical to those of a study with that number of realizations.

    Parameters
    ----------
    study : Study
        With ``ensemble.design = "random"`` at fixed levels; its number of realizations is the largest
        allowed.
    output : str or Path
        Folder of the store.
    half_width : float
        Largest half-width of the intervals at which the study stops, in (0, 0.5) [1].
    level : float
        Probability with which the intervals at one intensity hold at all looks [1].
    **options
        Of `mcrock.ensemble.run_study`; `task` must be its default, the whole study.

    Returns
    -------
    tuple of Dataset
        The result, and the intervals, from `sequential_probability`.

    Raises
    ------
    ValueError
        If the study has another design, is a cloud or nested, or ``half_width`` is out of range.
    """
    if not 0 < half_width < 0.5:
        raise ValueError(f"the half-width of an interval must lie in (0, 0.5) [1], got {half_width!r}")
    dependent = study.draws_records or study.listed or study.motion.listed_records is not None
    if study.ensemble.design != INDEPENDENT or dependent or study.is_cloud or study.ensemble.outer:
        raise ValueError(
            "a study that stops by itself needs independent realizations at fixed levels that take their "
            f"records in turn: ensemble.design = {INDEPENDENT!r}, motion.assignment = 'cycle', no outer "
            "draws, nothing listed"
        )
    size = 1 if study.motion.is_generated else len(load_motions(study))
    blocks, most = FIRST, study.n_realizations
    if (options.get("resume") or options.get("extend")) and is_store(Path(output)):
        there = load_dataset(output, allow_incomplete=True).sizes["realization"]
        blocks = max(blocks, -(-there // size))
    while True:
        n = min(blocks * size, most)
        part = study.model_copy(update={"ensemble": study.ensemble.model_copy(update={"realizations": n})})
        ds = run_study(part, output, **options)
        found = sequential_probability(ds, level=level)
        low, high = found["interval"].values
        if n == most or (high - low <= 2 * half_width).all():
            return ds, found
        options = options | {"overwrite": False, "resume": False, "extend": True}
        blocks = ceil(blocks * GROWTH)
