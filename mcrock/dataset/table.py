"""A study as a table: one row for each run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mcrock.base.params import Outcome
from mcrock.dataset.opened import takes_path
from mcrock.dataset.schema import DatasetError

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

MOTION, RECORD = "motion", "record"


@takes_path
def to_frame(ds: xr.Dataset, variables: Sequence[str] | None = None) -> pd.DataFrame:
    """Table of the runs of a study.

    `Dataset.to_dataframe` would combine every run with every ground motion and every chunk of the store.

    Parameters
    ----------
    ds : Dataset or path
        Result of a study, or its store.
    variables : sequence of str, optional
        Columns; by default everything that is known of a run: its inputs and responses, and what is known of
        its ground motion.

    Returns
    -------
    DataFrame
        A row for each run that has been run, numbered by `realization` and `intensity` (a cloud by
        `realization` alone), which are columns too. Codes are categories by name, such as the outcome
        "overturned"; units are those of the dataset.

    Raises
    ------
    DatasetError
        If the dataset has no outcomes, or no such variable for every run.

    Examples
    --------
    >>> import xarray as xr
    >>> outcome = ("realization", "intensity"), np.array([[1, 3], [0, 1]], "i1")
    >>> ds = xr.Dataset({"outcome": outcome, "mass": ("realization", [5.0, 7.0])}, {"intensity": [2.0, 3.0]})
    >>> to_frame(ds)
       realization  intensity  outcome  mass
    0            0        2.0        1   5.0
    1            0        3.0        3   5.0
    2            1        3.0        1   7.0
    """
    import pandas as pd
    import xarray as xr

    if "outcome" not in ds:
        raise DatasetError("the dataset lacks the variable `outcome`; is it the store of a mcrock study?")
    sizes = {str(dim): size for dim, size in ds["outcome"].sizes.items()}
    of_run = {str(name): item for name, item in ds.variables.items() if {*item.dims} <= {*sizes}}
    if RECORD in ds:
        motion = ds.variables[RECORD].load()
        of_motion = {str(name): item for name, item in ds.variables.items() if item.dims == (MOTION,)}
        of_run |= {name: item.load()[motion] for name, item in of_motion.items()}
    for name in variables or ():
        if name not in of_run:
            known = ", ".join(of_run)
            raise DatasetError(f"the dataset has no variable {name!r} of every run; it has {known}")
    wanted = dict.fromkeys([*sizes, *(of_run if variables is None else variables)])
    of_run |= {dim: xr.Variable(dim, np.arange(size)) for dim, size in sizes.items() if dim not in of_run}
    there = (ds["outcome"] != Outcome.NOT_RUN).values
    whole = {name: of_run[name].set_dims(sizes) for name in wanted}  # type: ignore[no-untyped-call]
    return pd.DataFrame({name: _column(item.transpose(*sizes), there) for name, item in whole.items()})


def _column(variable: xr.Variable, there: np.ndarray) -> np.ndarray | pd.Categorical:
    """Values of the runs that are there; codes as categories, where the attributes name them."""
    import pandas as pd

    values = variable.values[there]
    if "flag_meanings" not in variable.attrs:
        return values
    flags: np.ndarray = np.atleast_1d(variable.attrs["flag_values"])
    words, order = str(variable.attrs["flag_meanings"]).split(), np.argsort(flags)
    return pd.Categorical.from_codes(np.searchsorted(flags[order], values), [words[i] for i in order])
