"""`mcrock calibrate` on a block whose centre of mass is known here and not there."""

import json

import pytest

from mcrock.base.params import Outcome


@pytest.fixture
def labels(runs_of_labels, tmp_path):
    true = runs_of_labels[2]
    rows = [
        f"{i},{j},{int(true['outcome'].values[i, j] == Outcome.OVERTURNED)}"
        for i in range(12)
        for j in (2, 4)
    ]
    (tmp_path / "labels.csv").write_text("\n".join(["realization,intensity,fallen", *rows]))
    return tmp_path / "labels.csv"


def test_it_prints_and_draws(runs_of_labels, labels, mcrock, tmp_path):
    store, out = runs_of_labels[0] / "study.zarr", tmp_path / "out"
    code, text, errors = mcrock("calibrate", labels, store, "-o", out)
    assert (code, errors) == (0, "")
    for words in (
        "24 labels",
        "effective of 60 draws",
        "body_com_x [m]",
        "probability of overturning, study.zarr",
    ):
        assert words in text
    assert (out / "labels.png").exists()
    assert (out / "labels.nc").exists()
    code, text, _ = mcrock("calibrate", labels, store, "--json")
    assert json.loads(text)


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ("realization,fallen\n-1,1", (), "realization: expected whole numbers from 0"),
        ("realization,fallen\n99,1", (), "row 1 of the table: realization must be 0 to 11, got 99"),
        ("fallen\n1", ("--effective", "100"), "60 draws cannot leave 100 effective ones"),
        ("fallen\n1", ("--temper", "3"), "the temper must be above 0 and at most 1"),
    ],
)
def test_mistakes_are_one_line(runs_of_labels, mcrock, tmp_path, rows, options, message):
    (tmp_path / "wrong.csv").write_text(rows)
    store = runs_of_labels[0] / "study.zarr"
    code, text, errors = mcrock("calibrate", tmp_path / "wrong.csv", store, *options)
    assert (code, text, errors.count("\n")) == (2, "", 1)
    assert message in errors
