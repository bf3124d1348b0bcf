"""A study as a table: a row for each run, with everything that is known of it."""

import numpy as np
import pytest
import xarray as xr

from mcrock import to_frame
from mcrock.base.params import Outcome
from mcrock.dataset import DatasetError, build_dataset
from tests.unit.statistics.conftest import simulate_study


@pytest.fixture
def study():
    """Three realizations of two motions at two levels, one run missing, as the store has them."""
    outcome = np.array([[Outcome.AT_REST, Outcome.OVERTURNED], [Outcome.NOT_RUN, 1], [3, 2]], "i1")
    values = {
        "outcome": outcome,
        "peak_tilt": np.arange(6, dtype="f4").reshape(3, 2),
        "body_mass": np.array([5.0, 6.0, 7.0]),
        "record": np.array([1, 0, 1], "i4"),
        "motion_name": np.array(["weak", "strong"]),
        "motion_group": np.array([0, 4], "i4"),
        "intensity": [1.0, 2.0],
    }
    return build_dataset(values, units="m s-2")


def test_every_run_that_was_run_has_its_row(study):
    frame = to_frame(study)
    assert len(frame) == 5
    assert frame["realization"].tolist() == [0, 0, 1, 2, 2]
    assert frame["intensity"].tolist() == [1.0, 2.0, 2.0, 1.0, 2.0]
    assert frame["outcome"].tolist() == ["at_rest", "overturned", "at_rest", "overturned", "rocking"]
    assert frame["peak_tilt"].tolist() == [0.0, 1.0, 3.0, 4.0, 5.0]
    assert frame["body_mass"].tolist() == [5.0, 5.0, 6.0, 7.0, 7.0]
    assert frame["motion_name"].tolist() == ["strong", "strong", "weak", "strong", "strong"]
    assert frame["motion_group"].tolist() == [4, 4, 0, 4, 4]
    assert set(frame) == {"realization", *study.variables}


def test_columns_may_be_chosen(study):
    frame = to_frame(study, ["motion_name", "outcome"])
    assert list(frame) == ["realization", "intensity", "motion_name", "outcome"]
    assert (frame.groupby("motion_name")["outcome"].agg(lambda x: (x == "overturned").sum()) == [2, 0]).all()
    with pytest.raises(DatasetError, match=r"no variable 'mass' of every run; it has outcome, "):
        to_frame(study, ["mass"])
    with pytest.raises(DatasetError, match="lacks the variable `outcome`"):
        to_frame(study.drop_vars("outcome"))


@pytest.mark.parametrize("cloud", [False, True])
def test_a_table_counts_as_the_dataset_does(cloud):
    ds = simulate_study(cloud=cloud)
    frame = to_frame(ds)
    assert len(frame) == ds["outcome"].size
    np.testing.assert_array_equal(frame["outcome"], ds["outcome"].values.ravel())
    fell = frame.groupby("record")["outcome"].apply(lambda x: (x == Outcome.OVERTURNED).sum())
    expected = [(ds["outcome"][ds["record"].values == i] == Outcome.OVERTURNED).sum() for i in range(22)]
    np.testing.assert_array_equal(fell, expected)
    assert ("intensity" in frame) != cloud


def test_the_order_of_dimensions_does_not_matter(study):
    turned = study.transpose("intensity", ...)
    assert (
        to_frame(turned).sort_values(["realization", "intensity"], ignore_index=True)["peak_tilt"].tolist()
        == to_frame(study)["peak_tilt"].tolist()
    )


def test_an_outer_dimension_is_a_column(study):
    nested = xr.concat([study[["outcome", "peak_tilt"]]] * 2, "outer").transpose("outer", ...)
    frame = to_frame(nested)
    assert frame["outer"].tolist() == [0] * 5 + [1] * 5
