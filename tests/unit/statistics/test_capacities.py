"""Capacities of realizations: brackets of the first overturning, resurrections, doubt."""

import numpy as np
import pytest

from mcrock.base.params import Outcome
from mcrock.statistics import capacities, fit_fragility, runs
from mcrock.statistics.fragility import count_resurrected
from tests.unit.statistics.conftest import LEVELS


def test_brackets_hold_the_capacities_and_their_distribution_is_the_curve(make_study):
    ds = make_study(per_record=100)
    found = capacities(ds)
    low, high = found["capacity_low"].values, found["capacity_high"].values
    assert not found["resurrected"].any()
    levels = np.array([0.0, *LEVELS, np.inf])
    np.testing.assert_array_equal(levels[np.searchsorted(levels, low) + 1], high)
    share = [(high <= level).mean() for level in LEVELS]
    np.testing.assert_allclose(share, (ds["outcome"] == Outcome.OVERTURNED).mean("realization"))
    assert float(fit_fragility(ds)["median_capacity"]) == pytest.approx(
        np.median((low + high)[high < np.inf]) / 2, rel=0.2
    )


def test_levels_may_come_in_any_order(make_study):
    ds = make_study(per_record=5)
    mixed = ds.isel(intensity=[3, 1, 9, 0, 2, 4, 8, 6, 7, 5])
    for name, values in capacities(ds).items():
        np.testing.assert_array_equal(values, capacities(mixed)[name])


def test_doubt_hides_a_capacity_but_no_resurrection(make_study):
    ds = make_study(per_record=1).isel(realization=slice(0, 4)).copy(deep=True)
    rows = [[1, 2, 3, 3], [1, 3, 2, 3], [1, 3, 1, 2], [2, 2, 1, 1]]
    ds = ds.isel(intensity=slice(0, 4))
    ds["outcome"].values[:] = rows
    found = capacities(ds)
    expected = [np.nan, LEVELS[1], LEVELS[1], np.nan]
    np.testing.assert_array_equal(found["capacity_high"], expected)
    assert found["resurrected"].values.tolist() == [False, False, True, False]


def test_counts_of_a_large_study_are_those_of_all_its_runs(make_study, monkeypatch):
    """Read in slices of seven realizations, some of which have not been run."""
    ds = make_study(per_record=3).copy(deep=True)
    ds["outcome"].values[4:13] = Outcome.NOT_RUN
    ds["outcome"].values[13:40:2, [2, 5]] = Outcome.OVERTURNED
    ran = ds.isel(realization=(ds["outcome"] != Outcome.NOT_RUN).any("intensity").values)
    records, index = np.unique(ds["record"].values, return_inverse=True)
    monkeypatch.setattr(runs, "SLICE", 7)
    found = int(capacities(ran)["resurrected"].sum())
    assert found > 5
    assert count_resurrected(ds) == (found, ran.sizes["realization"])
    np.testing.assert_array_equal(runs.numbered(ds, "record")[0], records)
    np.testing.assert_array_equal(runs.numbered(ds, "record")[1], index)


def test_a_cloud_has_none(make_study):
    with pytest.raises(ValueError, match="meets two levels or more"):
        capacities(make_study(cloud=True))
