"""Runs repeated at half the step."""

import numpy as np
import pytest
import xarray as xr

from mcrock.base.params import Outcome
from mcrock.statistics import step_check

REST, FELL, ROCKING, NOT = Outcome.AT_REST, Outcome.OVERTURNED, Outcome.ROCKING, Outcome.NOT_RUN


def study(first, second):
    dims = ("realization", "intensity")
    return xr.Dataset({"outcome": (dims, np.array(first)), "half_step_outcome": (dims, np.array(second))})


def test_counts_by_hand():
    ds = study(
        [[REST, FELL], [FELL, REST], [ROCKING, REST], [REST, REST]],
        [[REST, REST], [FELL, FELL], [REST, Outcome.SETTLING], [NOT, NOT]],
    )
    result = step_check(ds)
    assert int(result["repeated"]) == 6
    assert int(result["flipped"]) == 3  # fell to rest, rest to fell, rocking to rest; settling stands too
    assert float(result["share"]) == 0.5
    assert float(result["change"]) == 0.0
    assert 0.1 < float(result["interval"][0]) < 0.5 < float(result["interval"][1]) < 0.9


def test_nothing_repeated_says_nothing():
    result = step_check(study([[REST]], [[NOT]]))
    assert int(result["repeated"]) == 0
    assert np.isnan(result["share"])
    assert result["interval"].values.tolist() == [0.0, 1.0]


def test_refuses_a_dataset_without_outcomes():
    with pytest.raises(ValueError, match="half_step_outcome"):
        step_check(study([[REST]], [[REST]]).drop_vars("half_step_outcome"))
