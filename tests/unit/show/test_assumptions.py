"""Which assumption matters most for an object: the table that ships, and the line of `mcrock check`."""

import numpy as np
import pytest

from mcrock.show.describe import LIKE, SHOWN, assumption_costs, assumption_notes
from mcrock.study import load_config


def inputs_of(slenderness, p):
    return {"body_slenderness": np.array([slenderness]), "body_frequency": np.array([p])}


def row_of(name):
    return next(row for row in assumption_costs() if row["object"] == name)


@pytest.mark.parametrize("name", sorted({row["object"] for row in assumption_costs()}))
def test_an_object_of_the_table_is_like_itself(name):
    row = row_of(name)
    (line,) = assumption_notes(inputs_of(float(row["slenderness"]), float(row["p"])))
    own = [one for one in assumption_costs() if one["object"] == name]
    assert f"for a {name} of slenderness" in line
    named = [one for one in own if f"times as high ({one['assumption']})" in line]
    assert line.count("it slides") == sum(not one["one_percent_ratio"] for one in own)
    known = [one for one in own if one["one_percent_low"]]
    sure = [one for one in known if not float(one["one_percent_low"]) <= 1 <= float(one["one_percent_high"])]
    sure.sort(key=lambda one: abs(np.log(float(one["one_percent_ratio"]))), reverse=True)
    # those that change most; of a round cask none changes it beyond its interval
    assert sorted(one["assumption"] for one in named) == sorted(one["assumption"] for one in sure[:SHOWN])


def test_nothing_is_said_of_an_object_unlike_all():
    row = row_of("cabinet")
    assert assumption_notes(inputs_of(float(row["slenderness"]), float(row["p"]) * 40.0 * np.exp(LIKE))) == []


def test_intervals_hold_their_values():
    for row in assumption_costs():
        for ends in ("median", "dispersion", "one_percent"):
            value = f"{ends}_change" if ends == "dispersion" else f"{ends}_ratio"
            if row[f"{ends}_low"]:
                assert float(row[f"{ends}_low"]) <= float(row[value]) <= float(row[f"{ends}_high"])


def test_what_a_study_has_itself_is_no_assumption_of_it():
    ds = inputs_of(*(float(row_of("cabinet")[key]) for key in ("slenderness", "p")))
    study = load_config("configs/cabinet_on_floor.toml")
    assert "floor of 2 Hz" in " ".join(assumption_notes(ds))
    assert "floor of 2 Hz" not in " ".join(assumption_notes(ds, study))
