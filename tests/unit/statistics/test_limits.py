"""Limits of responses in place of overturning: the same numbers as exceedance, and a known fragility."""

import numpy as np
import pytest
import xarray as xr

from mcrock.base.params import Outcome
from mcrock.statistics import by_limit, exceedance_probability, fit_fragility, overturning_probability, runs
from tests.unit.statistics.conftest import simulate_study


def sliding_study(**settings):
    """Study whose base centre moves by 0.1 m times the square of intensity over capacity, if it stands."""
    ds = simulate_study(**settings)
    ratio = np.sqrt(ds["peak_tilt_ratio"].values.astype(float))  # 0 below 0.4, beyond 1 where it overturns
    dims, angle = ds["outcome"].dims, np.random.default_rng(1).uniform(0, 2 * np.pi, ratio.shape)
    moved = 0.1 * ratio**2
    for name, values in {
        "slip_path": 1.5 * moved,
        "peak_displacement": moved,
        "final_displacement_x": 0.8 * moved * np.cos(angle),
        "final_displacement_y": 0.8 * moved * np.sin(angle),
        "final_yaw": angle - np.pi,
        "longest_flight": 0.0 * moved,
    }.items():
        ds[name] = dims, values.astype("f4")
    return ds


@pytest.mark.parametrize("cloud", [False, True])
@pytest.mark.parametrize(
    ("variable", "limit"),
    [("peak_displacement", 0.03), ("residual_displacement", 0.04), ("residual_yaw", 2.0), ("peak_tilt", 0.0)],
)
def test_beyond_a_limit_is_exceeding_a_threshold(variable, limit, cloud):
    ds = sliding_study(cloud=cloud, undecided=0.05)
    ds["infeasible_energy_loss"][:9] = 2.0
    judged = overturning_probability(by_limit(ds, variable, limit))
    xr.testing.assert_identical(
        judged.drop_attrs(),
        exceedance_probability(ds, limit, variable)
        .rename(exceeding="overturned")
        .drop_vars("threshold")
        .drop_attrs(),
    )


def test_the_fragility_of_a_limit_is_that_of_the_capacities():
    """Displaced by more than 0.1 m / 4 from half the overturning intensity on: median 1.5 m/s2."""
    ds = sliding_study(records=200, per_record=5)
    fit = fit_fragility(by_limit(ds, "peak_displacement", 0.025))
    low, high = fit["median_capacity_interval"].values
    assert low < 1.5 < high
    assert high / low < 1.2
    assert fit.attrs["event"] == "peak displacement beyond 0.025 m"
    assert "event" not in fit_fragility(ds).attrs


def test_a_residual_of_an_undecided_run_is_not_known():
    ds = sliding_study(records=1, per_record=4, levels=(2.0,))
    ds["peak_displacement"][:] = 0.5
    ds["final_displacement_x"][:], ds["final_displacement_y"][:] = 0.3, -0.4
    ds["outcome"][:, 0] = [Outcome.AT_REST, Outcome.ROCKING, Outcome.OVERTURNED, Outcome.PAINLEVE]
    peak, residual = (
        exceedance_probability(ds, [0.49, 0.51], f"{kind}_displacement", cluster=False)
        for kind in ("peak", "residual")
    )
    assert peak["exceeding"].values[:, 0].tolist() == [4, 1]
    assert residual["exceeding"].values[:, 0].tolist() == [2, 1]
    assert residual["undecided"].values[:, 0].tolist() == [2, 2]
    assert residual["threshold"].attrs["units"] == "m"


def test_missing_runs_stay_missing_and_slices_change_nothing(monkeypatch):
    ds = sliding_study(undecided=0.05)
    whole = exceedance_probability(ds, [0.01, 0.05], "residual_displacement")
    monkeypatch.setattr(runs, "SLICE", 7)
    xr.testing.assert_identical(exceedance_probability(ds, [0.01, 0.05], "residual_displacement"), whole)
    ds["outcome"][:22] = Outcome.NOT_RUN
    judged = by_limit(ds, "slip_path", 0.01)
    assert (judged["outcome"][:22] == Outcome.NOT_RUN).all()
    with pytest.raises(ValueError, match="have not been run"):
        fit_fragility(judged)


def test_mistakes_name_what_is_missing(make_study):
    with pytest.raises(ValueError, match="no variable 'final_displacement_x' on the dims of `outcome`"):
        by_limit(make_study(), "residual_displacement", 0.1)
    with pytest.raises(ValueError, match=r"the limit of peak_tilt must be a finite number \[rad\]"):
        by_limit(make_study(), "peak_tilt", np.inf)
