"""Which single runs stand for a study."""

import numpy as np
import pytest
import xarray as xr

from mcrock.base.params import Outcome
from mcrock.statistics import runs
from mcrock.statistics.outcomes import MEANINGS, RunPlace, representative_runs


def study(outcome, tilt=None, **more):
    dims = ("outer", "realization", "intensity")[-np.ndim(outcome) :]
    levels = np.arange(1.0, np.shape(outcome)[-1] + 1.0)
    ratio = np.zeros(np.shape(outcome)) if tilt is None else tilt
    found = {"outcome": (dims, np.array(outcome, "i1")), "peak_tilt_ratio": (dims, np.array(ratio))}
    return xr.Dataset(found | more, coords={"intensity": levels})


def brute(ds):
    """The three runs by sorting all of them."""
    outcome, tilt = ds["outcome"].values, ds["peak_tilt_ratio"].values
    number = [(i, j) for i in range(len(outcome)) for j in range(outcome.shape[1])]
    fell = [at for at in number if outcome[at] == Outcome.OVERTURNED]
    stood = [at for at in number if outcome[at] in (Outcome.AT_REST, Outcome.SETTLING)]
    levels = sorted(j for _, j in fell)
    middle = levels[(len(levels) - 1) // 2]
    return {
        "median_overturned": next(RunPlace(*at) for at in fell if at[1] == middle),
        "strongest_survivor": RunPlace(*min(stood, key=lambda at: (-at[1], -tilt[at], at[0]))),
        "weakest_overturned": RunPlace(*min(fell, key=lambda at: (at[1], at[0]))),
    }


@pytest.mark.parametrize("slice_", [3, 1 << 17])
def test_runs_are_those_of_sorting_all(monkeypatch, slice_):
    monkeypatch.setattr(runs, "SLICE", slice_)
    rng = np.random.default_rng(4)
    for _ in range(20):
        outcome = rng.choice([1, 2, 3, 8], size=(17, 5))
        ds = study(outcome, rng.integers(0, 4, (17, 5)) / 4)
        assert representative_runs(ds) == brute(ds)


def test_undecided_runs_are_none_of_them():
    ds = study([[Outcome.ROCKING, Outcome.STEP_LIMIT]])
    assert representative_runs(ds) == {}
    ds = study([[1, 3]], infeasible_energy_loss=(("realization", "intensity"), [[0.0, 2.0]]))
    assert set(representative_runs(ds)) == {"strongest_survivor"}


def test_of_a_nested_study_the_outer_draw_is_told():
    ds = study([[[1, 1]], [[1, 3]]])
    assert representative_runs(ds)["weakest_overturned"] == RunPlace(realization=0, intensity=1, outer=1)
    assert representative_runs(ds)["strongest_survivor"] == RunPlace(realization=0, intensity=1, outer=0)


def test_a_cloud_has_its_own_intensities():
    ds = xr.Dataset(
        {
            "outcome": ("realization", np.array([3, 1, 3, 3], "i1")),
            "intensity_value": ("realization", [4.0, 9.0, 2.0, 3.0]),
        }
    )
    assert [representative_runs(ds)[name].realization for name in MEANINGS] == [3, 1, 2]
