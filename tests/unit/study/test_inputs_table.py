"""Inputs made elsewhere: what a study makes of a table, and what it refuses."""

import numpy as np
import pandas as pd
import pytest

from mcrock.base.tables.distributions import MOST_LISTED, Listed
from mcrock.study import ConfigError, Study, load_config

HEAD = "body.width [m],impact.lambda,motion.record,motion.azimuth_deg"
ROWS = ["0.41,0.7,3,10", "0.39,0.9,0,350.5", "0.40,0.9,21,-20"]


@pytest.fixture
def study_of(study_file, tmp_path):
    """Study of the valid file and a table: ``study_of(header, *rows, overrides=[...])``."""

    def load(head=HEAD, *rows, overrides=(), realizations=""):
        (tmp_path / "inputs.csv").write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
        path = study_file("realizations = 64", f'table = "inputs.csv"\n{realizations}')
        return load_config(path, list(overrides))

    return load


def message(study_of, *table, **options):
    with pytest.raises(ConfigError) as error:
        study_of(*table, **options)
    return str(error.value)


def test_columns_become_lists(study_of):
    study = study_of(HEAD, *ROWS)
    assert study.n_realizations == 3
    assert study.body.width == Listed(distribution="listed", values=(0.41, 0.39, 0.4))
    assert study.motion.record == (3, 0, 21)
    assert list(study.listed) == ["body.width", "impact.lambda", "motion.azimuth"]


@pytest.mark.parametrize(
    ("head", "given", "expected"),
    [
        ("body.width [mm]", 410, 0.41),
        ("body.density [g/cm3]", 2.6, 2600),
        ("motion.azimuth_deg [rad]", 1, 57.29578),
    ],
)
def test_units_of_columns_are_turned_into_those_of_their_keys(study_of, head, given, expected):
    study = study_of(head, str(given), str(given))
    section, key = head.partition(" ")[0].split(".")
    assert getattr(getattr(study, section), key).values == pytest.approx((expected, expected))


def test_frame_is_as_its_file(study_of, study_file, tmp_path):
    of_file = study_of(HEAD, *ROWS)
    frame = pd.read_csv(tmp_path / "inputs.csv")
    path = study_file("realizations = 64", "")
    assert load_config(path, inputs=frame).to_json() == of_file.to_json()
    arrays = {name: frame[name].to_numpy() for name in frame}
    assert load_config(path, inputs=arrays).to_json() == of_file.to_json()


def test_stored_study_needs_no_file(study_of, tmp_path):
    study = study_of(HEAD, *ROWS)
    (tmp_path / "inputs.csv").unlink()
    assert Study.from_json(study.to_json()).to_json() == study.to_json()


def test_override_wins_over_column(study_of):
    with pytest.warns(UserWarning, match=r"column 'body.width \[m\]': an override stands in its place"):
        study = study_of(HEAD, *ROWS, overrides=["body.width=0.5", "ensemble.realizations=2"])
    assert (study.body.width, study.n_realizations) == (0.5, 2)


def test_column_takes_the_place_of_alternatives(study_of):
    study = study_of("body.mass", "650", "660")
    assert (study.body.mass.values, study.body.density) == ((650.0, 660.0), None)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (("body.widht", "1"), "column 'body.widht': [body]: unknown key 'widht'; did you mean 'width'?"),
        (
            ("body.width [kg]", "400"),
            "column 'body.width [kg]': its unit is 'm' or another of its kind, got kg",
        ),
        (("body.width", "0.4", "-1"), "must be > 0 [m], got -1 for realization 1"),
        (("body.width", "0.4", "wide"), "line 3, column 'body.width': expected a number, got 'wide'"),
        (("body.width", "0.4", "nan"), "line 3, column 'body.width': expected a number, got 'nan'"),
        (("body.width,impact.tau", "0.4"), "line 2: expected 2 cells as in the header, got 1"),
        (("body.width,body.width", "1,1"), "line 1: every column needs a name of its own"),
        (("body.width",), "expected as many numbers in every column, at least one, got 0 in 'body.width'"),
        (("",), "got no column"),
        (("impact.law", "1"), "is a choice of words or codes"),
        (("width", "1"), "expected a key with its section, as body.width"),
        (("motion.record", "1.5"), "expected whole numbers, got 1.5"),
        (("motion.record", "-1"), "record[0]: expected an integer >= 0 and < 2**63, got -1"),
    ],
)
def test_refusals(study_of, rows, expected):
    found = message(study_of, *rows)
    assert expected in found
    assert "inputs.csv" in found
    assert "\n" not in found


def test_missing_file(study_file):
    with pytest.raises(ConfigError, match=r"none.csv: cannot be read: No such file"):
        load_config(study_file("realizations = 64", 'table = "none.csv"'))


def test_too_many_rows(study_file):
    with pytest.raises(ConfigError, match=f"a table may have {MOST_LISTED} rows, got {MOST_LISTED + 1}"):
        load_config(study_file(), inputs={"body.width": np.ones(MOST_LISTED + 1)})


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("ensemble.realizations=4", "has 3 values for 4 realizations"),
        ("ensemble.design=sobol_indices", "changes one input at a time"),
        ("ensemble.design=sobol_by_record", "no motion.record"),
        ("impact.draw=impact", "has one value for each realization: give impact.draw = 'run'"),
        ("motion.assignment=random", "the record of each realization is listed"),
    ],
)
def test_what_a_table_excludes(study_of, override, expected):
    assert expected in message(study_of, HEAD, *ROWS, overrides=[override])


def test_static_friction_is_compared_row_by_row(study_of):
    head = "contact.friction,contact.static_friction"
    # the sorted values of the second column are above those of the first
    assert "is 0.5 where that is 0.6" in message(study_of, head, "0.3,0.7", "0.6,0.5")
    assert study_of(head, "0.3,0.5", "0.6,0.7").tied == {}
    distributed = "contact.static_friction={distribution='uniform', low=0.9, high=1}"
    assert "both it and the friction are listed" in message(
        study_of, "contact.friction", "0.3", "0.6", overrides=[distributed]
    )
