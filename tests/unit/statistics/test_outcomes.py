"""Endings of runs: each told by its responses, exclusive and complete, with intervals both ways in doubt."""

import numpy as np
import pytest

from mcrock.base.params import Outcome
from mcrock.dataset import build_dataset
from mcrock.statistics import (
    displacement_limit,
    outcome_shares,
    overturned,
    overturning_probability,
    undecided,
    with_displacement_limit,
)
from mcrock.statistics.outcomes import UNDECIDED, Ending

RUNS = {  # outcome, peak tilt [rad], slip path [m], longest flight [s], peak displacement [m]
    Ending.RESTED: (Outcome.AT_REST, 0.0, 1e-4, 0.0, 1e-4),
    Ending.SLID: (Outcome.AT_REST, 1e-9, 0.02, 1e-9, 0.02),  # with the rounding of a hop
    Ending.ROCKED: (Outcome.AT_REST, 0.1, 1e-4, 0.001, 0.01),
    Ending.SLID_AND_ROCKED: (Outcome.SETTLING, 0.1, 0.02, 0.0, 0.05),
    Ending.LEFT_THE_GROUND: (Outcome.AT_REST, 0.1, 0.02, 0.02, 0.05),
    Ending.FELL_OFF_ITS_SUPPORT: (Outcome.AT_REST, 0.0, 0.3, 0.0, 0.3),
    Ending.OVERTURNED: (Outcome.OVERTURNED, 1.6, 0.3, 0.1, 0.9),
    Ending.STILL_ROCKING: (Outcome.ROCKING, 0.1, 0.0, 0.0, 0.0),
    Ending.LIMIT_MET: (Outcome.STEP_LIMIT, 0.1, 0.0, 0.0, 0.3),
    Ending.FRICTION_UNDECIDED: (Outcome.PAINLEVE, 0.1, 0.0, 0.0, 0.0),
    Ending.LIFTED_OFF: (Outcome.LIFTED_OFF, 0.0, 0.0, 0.0, 0.0),
    Ending.FAILED: (Outcome.FAILED, np.nan, np.nan, np.nan, np.nan),
}
NAMES = ("outcome", "peak_tilt", "slip_path", "longest_flight", "peak_displacement")


def every_ending(copies=1, limit=0.15):
    """A study at one intensity with runs of every ending but infeasible impacts."""
    columns = zip(*(RUNS[ending] for ending in RUNS for _ in range(copies)), strict=True)
    values = {name: np.array(column)[:, None] for name, column in zip(NAMES, columns, strict=True)}
    ds = build_dataset(values | {"intensity": [2.0]}, units="m s-2")
    return ds.assign_attrs(config=f'{{"limits": {{"displacement": {limit}}}}}')


def test_every_ending_is_told():
    for i, ending in enumerate(RUNS):
        share = outcome_shares(every_ending().isel(realization=[i]))["share"].isel(intensity=0)
        assert share.sel(ending=ending.words) == 1, ending
        assert share.sum() == 1
    assert outcome_shares(every_ending())["ending"].values.tolist() == [ending.words for ending in Ending]


def test_runs_in_doubt_are_those_that_are_undecided():
    ds = every_ending()
    ds["infeasible_energy_loss"] = "realization", np.where(np.arange(len(RUNS)) == 1, 2.0, 0.0)
    ds["infeasible_energy_loss"] = ds["infeasible_energy_loss"].expand_dims(intensity=1, axis=1)
    share = outcome_shares(ds)["share"]
    assert float(share.sel(ending="infeasible impact").item()) == pytest.approx(1 / len(RUNS))
    words = [ending.words for ending in UNDECIDED]
    assert float(share.sel(ending=words).sum()) == pytest.approx(float(undecided(ds).mean()))
    assert float(share.sel(ending="overturned").item()) == pytest.approx(float(overturned(ds).mean()))


def test_the_limit_is_judged_after_the_run():
    ds = every_ending(limit=0.15)
    fell = {"ending": Ending.FELL_OFF_ITS_SUPPORT.words}
    assert displacement_limit(ds) == 0.15
    for limit, expected in ((0.04, 3), (0.15, 1), (0.5, 0)):
        other = with_displacement_limit(ds, limit)
        assert displacement_limit(other) == limit
        result = outcome_shares(other)
        assert float(result["share"].sel(fell).item()) == pytest.approx(expected / len(RUNS))
        assert result.attrs["displacement_limit"] == limit
    assert displacement_limit(ds.drop_attrs()) is None
    assert float(outcome_shares(ds.drop_attrs())["share"].sel(fell).item()) == 0
    with pytest.raises(ValueError, match=r"the displacement limit must be a finite number > 0 \[m\]"):
        with_displacement_limit(ds, -1.0)
    with pytest.raises(ValueError, match="needs runs with friction: the dataset has no variable"):
        with_displacement_limit(ds.drop_vars("peak_displacement"), 0.1)


@pytest.mark.parametrize("cluster", [True, False])
@pytest.mark.parametrize("cloud", [False, True])
def test_the_interval_of_overturning_is_that_of_its_probability(make_study, cluster, cloud):
    ds = make_study(undecided=0.05, cloud=cloud)
    shares = outcome_shares(ds, cluster=cluster)
    probability = overturning_probability(ds, cluster=cluster)
    np.testing.assert_allclose(
        shares["interval"].sel(ending="overturned").values, probability["interval"].values
    )
    np.testing.assert_array_equal(shares["intensity"], probability["intensity"])
    assert shares.attrs["independent"] == probability.attrs["independent"]
    np.testing.assert_allclose(shares["share"].sum("ending"), 1)
    low, high = shares["interval"].values
    assert ((low <= shares["share"].values) & (shares["share"].values <= high)).all()


def test_doubt_widens_what_is_decided_upwards():
    sure = every_ending(40).isel(realization=slice(0, 280))
    doubtful = every_ending(40)
    low, high = outcome_shares(doubtful)["interval"].sel(ending="rested").values[:, 0]
    assert low < 40 / 400 < (40 + 120) / 400 < high
    low, high = outcome_shares(sure)["interval"].sel(ending="rested").values[:, 0]
    assert 0.1 < low < 40 / 280 < high < 0.2
