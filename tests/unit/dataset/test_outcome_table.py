"""Outcomes of other programs: a table and a store with the same runs are the same dataset."""

# ruff: noqa: E501 -- a table and what is said of it stand on one line

import re
from io import StringIO

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import mcrock as mr
from mcrock.base.params import Outcome
from mcrock.dataset import DatasetError
from mcrock.show.fragility import outcome_rows
from mcrock.statistics import annual_rate, baselines, compare_designs
from mcrock.statistics.comparison import PairingError, check_pairs
from mcrock.statistics.hazard import load_hazard
from tests.unit.statistics.conftest import simulate_study

HOW = {"resamples": 50}
ROWS = {"pga [g]": [0.2, 0.4] * 3, "record": list("aabbcc"), "overturned": [0, 1, 0, 0, 0, 1]}


def written(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(text)
    return path


@pytest.mark.parametrize("cloud", [False, True])
def test_a_study_written_to_a_table_in_any_order_gives_the_same_statistics(cloud, tmp_path):
    ds = simulate_study(records=8, per_record=6, undecided=0.03, cloud=cloud)
    ds.attrs["intensity_measure"] = "pga"
    rows = pd.read_csv(StringIO(outcome_rows(ds)), dtype=str).sample(frac=1, random_state=1)
    back = mr.load_dataset(written(tmp_path, rows.to_csv(index=False)))
    hazard = load_hazard(written(tmp_path, "pga [g], mean\n0.05, 1e-2\n0.3, 1e-3\n1, 1e-5\n"))
    for statistic in (mr.fit_fragility, lambda x, **how: annual_rate(x, hazard, **how)):
        xr.testing.assert_equal(statistic(ds, **HOW), statistic(back, **HOW))
    xr.testing.assert_equal(mr.overturning_probability(ds), mr.overturning_probability(back))
    for name in ("outcome", "record", "peak_tilt", "impact_lambda", "motion_group"):
        np.testing.assert_array_equal(back[name], ds[name])


def test_columns_are_read_in_their_units():
    frame = pd.DataFrame(ROWS | {"body_width [cm]": 40.0, "peak_tilt [deg]": 18.0})
    ds = mr.read_outcomes(frame)
    assert ds["outcome"].dims == ("realization", "intensity")
    np.testing.assert_allclose(ds["intensity"], [0.2 * 9.80665, 0.4 * 9.80665])
    np.testing.assert_allclose(ds["body_width"], 0.4)
    np.testing.assert_allclose(ds["peak_tilt"], np.pi / 10, rtol=1e-6)
    assert ds["motion_name"].values.tolist() == ["a", "b", "c"]
    assert (ds.attrs["intensity_measure"], ds["intensity"].units) == ("pga", "m s-2")


def test_semicolons_and_decimal_commas_are_read(tmp_path):
    text = "# a comment\nPGA [g];Record;Overturned\n0,2;10;0\n\n0,4;10;1\n0,2;9;FALSE\n0,4;9;true\n"
    ds = mr.load_dataset(written(tmp_path, text))
    assert ds["outcome"].values.tolist() == [[1, 3], [1, 3]]
    assert ds["motion_name"].values.tolist() == ["9", "10"]


@pytest.mark.parametrize(
    ("changes", "cloud"),
    [
        ({}, False),
        ({"pga [g]": [0.2, 0.4, 0.2, 0.4, 0.2, 0.5]}, True),
        ({"body_width": [1, 2, 1, 1, 1, 1]}, True),
        ({"pgv [m/s]": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}, True),
        ({"record": list("aaaabb"), "note": range(6)}, True),
        ({"record": list("aaaabb"), "realization": [1, 1, 2, 2, 1, 1]}, False),
        # no analyses that stop at their first overturning: one goes on
        ({"pga [g]": [1, 2, 3, 1, 2, 1], "record": list("aaabbc"), "overturned": [0, 0, 0, 1, 0, 1]}, True),
    ],
)
@pytest.mark.filterwarnings("ignore:.*left out")
def test_only_a_whole_grid_has_fixed_levels(changes, cloud):
    ds = mr.read_outcomes(pd.DataFrame(ROWS | changes))
    assert ("intensity_value" in ds) == cloud
    assert ds["outcome"].size == 6


def test_a_response_above_its_limit_counts_as_overturned():
    rows = {"pga [g]": [1.0] * 4, "record": list("abcd"), "peak_tilt [deg]": [1, 10, np.nan, 10]}
    ds = mr.read_outcomes(pd.DataFrame(rows | {"peak_tilt_limit [deg]": [9, 9, 9, 11]}))
    codes = [Outcome.AT_REST, Outcome.OVERTURNED, Outcome.FAILED, Outcome.AT_REST]
    assert ds["outcome"].values.ravel().tolist() == codes
    assert ds.attrs["event"] == "peak tilt beyond its limit"
    assert mr.statistics.undecided(ds).sum() == 1


def test_a_row_stands_for_as_many_runs_as_its_weight():
    several = mr.read_outcomes(pd.DataFrame(ROWS | {"weight": [2, 2, 1, 1, 3, 3]}))
    runs = mr.overturning_probability(several)
    assert runs["runs"].values.tolist() == [6, 6]
    assert runs["overturned"].values.tolist() == [0, 5]
    assert int(runs["records"]) == 3


CELLS = [  # columns that change: what is said
    ({"overturned": [0, 2, 0, 0, 0, 1]}, "row 2, column 'overturned': expected 0, 1, undecided, got 2"),
    ({"overturned": [0, np.nan, 0, 0, 0, 1]}, "row 2, column 'overturned': expected 0, 1, undecided"),
    ({"pga [g]": [0.2, np.nan] * 3}, "row 2, column 'pga': expected a finite number >= 0 [g] and <= 1000 g"),
    ({"pga [g]": [0.2, 8e299] * 3}, "row 2, column 'pga': expected a finite number >= 0 [g] and <= 1000 g"),
    ({"pga [g]": [0.2, 0.0] * 3}, "row 2, column 'pga': expected more than 0, as the body overturned"),
    ({"record": [None, "a", "b", "b", "c", "c"]}, "row 1, column 'record': expected a name or number"),
    ({"body_width": ["wide"] * 6}, "row 1, column 'body_width': expected a number, or nothing"),
    ({"body_width [kg]": 1.0}, "column 'body_width' must be in m, got the unit 'kg'"),
    ({"impact_law": "mine"}, "row 1, column 'impact_law': expected one of varkonyi_2022"),
    ({"weight": 0.5}, "expected a whole number of equal runs, 1 or more (other weights are not taken)"),
    ({"outcome": "overturned"}, "give one of 'overturned', 'outcome', not 2"),
    ({"outer": 0}, "a table has no epistemic draws"),
    ({"motion_group": range(6)}, "'motion_group' must be the same in all rows of a record"),
    ({"pga [g]": [0.2] * 6, "peak_tilt": range(6)}, "row 2 has the same run as row 1 with another outcome"),
    ({"pga [g]": [0.2] * 6, "realization": [1, 2, 3, 3, 4, 5]}, "row 4 has the same run of that realization as row 3"),
    ({"pga [g]": [0.3, 0.1 + 0.2] * 3, "overturned": 0}, "row 2 has the same run as row 1; number runs of their own"),
    # analyses that stop at their first overturning
    ({"pga [g]": [1, 2, 3, 1, 2, 1], "record": list("aaabbc"), "overturned": [0, 0, 0, 0, 1, 1]}, "2 of 3 records stop at their first"),
]  # fmt: skip
TEXTS = {
    "pga, record, overturned\n1, a, 0\n": "the intensity 'pga' needs a unit in m/s2 in brackets",
    "pga [cm/s], record, overturned\n1, a, 0\n": "the intensity 'pga [cm/s]' needs a unit in m/s2",
    "pga [g], records, overturned\n1, a, 0\n": "no column 'record'; did you mean 'records'?",
    "pga [g], record, fell\n1, a, 0\n": "no column 'overturned'; a table of outcomes needs an intens",
    "x, record, overturned\n1, a, 0\n": "no column 'intensity'",
    "pga [g], record, overturned\n1, a\n": "line 2: expected 3 cells as in the first line, got 2",
    "pga [g], record, record\n1, a, 0\n": "the column 'record' is there twice",
    "pga [g], record, overturned\n": "there are no rows below the names of the columns",
    "\n": "the file is empty",
    "pga [g], record, overturned\n\n# two\n1, a, fell\n": "line 4, column 'overturned': expected 0, 1",
}


@pytest.mark.parametrize(("table", "message"), [*CELLS, *TEXTS.items()])
def test_what_does_not_fit_is_named(table, message, tmp_path):
    """Of a file with its path, too."""
    text = isinstance(table, str)
    with pytest.raises(DatasetError, match=re.escape(message)) as error:
        mr.load_dataset(written(tmp_path, table)) if text else mr.read_outcomes(pd.DataFrame(ROWS | table))
    assert not text or str(error.value).startswith(str(tmp_path / "t.csv"))


def test_columns_of_no_known_name_are_listed():
    with pytest.warns(UserWarning, match=r"columns of no known name are left out: 'Date', 'note'"):
        mr.read_outcomes(pd.DataFrame(ROWS | {"Date": "today", "note": ""}))


def test_runs_of_tables_are_pairs_by_record_and_intensity():
    first = mr.read_outcomes(pd.DataFrame(ROWS))
    second = mr.read_outcomes(pd.DataFrame(ROWS | {"overturned": [0, 1, 0, 1, 0, 1]}).iloc[::-1])
    assert compare_designs(first, second)["only_second"].values.tolist() == [0, 1]
    other = mr.read_outcomes(pd.DataFrame(ROWS).rename(columns={"pga [g]": "pgv [m/s]"}))
    with pytest.raises(PairingError, match=r"intensities pga \[m s-2\] and pgv \[m s-1\]"):
        check_pairs(first, other)
    with pytest.raises(PairingError, match="one is a study of mcrock and the other a table of outcomes"):
        check_pairs(first, first.assign_attrs(config="{}"))


def test_levels_that_differ_by_rounding_are_one():
    near = [0.1 + 0.2, 0.6, 0.3, 0.6 * (1 + 6e-8), float(np.float32(0.3)), 0.6]
    first = mr.read_outcomes(pd.DataFrame(ROWS | {"pga [g]": near}))
    assert first.sizes["intensity"] == 2
    assert first["outcome"].sizes == {"realization": 3, "intensity": 2}
    second = mr.read_outcomes(pd.DataFrame(ROWS | {"pga [g]": [0.3, 0.60000001] * 3}))
    assert compare_designs(first, second)["pairs"].values.tolist() == [3, 3]


def test_rules_of_thumb_go_by_what_the_table_has():
    n = 12
    rows = {"pga [g]": np.linspace(0.1, 1, n), "pgv [m/s]": np.linspace(0.3, 0.4, n) ** 2}
    rows |= {"record": range(n), "overturned": [0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 1, 1]}
    body = {"body_slenderness": 0.2, "body_radius": 1.0, "body_frequency": 2.7, "gravity": 9.81}
    fitted = {"constant", "pga_threshold", "pga_probit", "pgv_threshold", "pgv_probit"}
    assert {*baselines(mr.read_outcomes(pd.DataFrame(rows)), **HOW)["rule"].values} == fitted
    checked = {"static", "full_impulse", "static_and_impulse", "fema_p58"}
    known = baselines(mr.read_outcomes(pd.DataFrame(rows | body)), **HOW)
    assert {*known["rule"].values} == fitted | checked


def test_names_with_digits_of_any_script_are_in_order(tmp_path):
    """A full-width 1 ended in a traceback, and 5,000 digits in advice about Python."""
    names = ["\uff11", "a9", "a10", "a\u00b2", "7" * 5000]
    rows = [f"0.2,{name},0\n0.4,{name},1" for name in reversed(names)]
    ds = mr.read_outcomes(written(tmp_path, "\n".join(["pga [g],record,overturned", *rows])))
    assert ds["motion_name"].values.tolist() == ["\uff11", "7" * 5000, "a9", "a10", "a\u00b2"]
