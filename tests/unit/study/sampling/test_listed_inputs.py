"""Listed inputs reach their realizations, whatever the design, and nothing else changes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcrock.base.tables.distributions import Listed
from mcrock.study import ConfigError, Study
from mcrock.study.sampling import draw_inputs, load_motions

WIDTHS = [0.41, 0.39, 0.40, 0.39, 0.42, 0.38]
LISTED = f"body.width={{distribution='listed', values={WIDTHS}}}"


@pytest.mark.parametrize("design", ["random", "sobol", "sobol_by_record", "latin_hypercube"])
def test_values_go_to_their_realizations(make_study, motions, design):
    study = make_study(LISTED, "ensemble.realizations=6", f"ensemble.design={design}")
    whole = draw_inputs(study, motions, 0, 6)
    assert whole.values["body_width"].tolist() == WIDTHS
    assert draw_inputs(study, motions, 2, 5).values["body_width"].tolist() == WIDTHS[2:5]


def test_other_inputs_are_as_without_a_list(make_study, motions):
    listed = make_study(LISTED, "ensemble.realizations=6", "ensemble.design=random")
    drawn = make_study("ensemble.realizations=6", "ensemble.design=random")
    ones, others = (draw_inputs(study, motions, 0, 6).values for study in (listed, drawn))
    for name in ("body_height", "body_com_x", "impact_lambda", "azimuth", "polarity", "energy_gain"):
        np.testing.assert_array_equal(ones[name], others[name], err_msg=name)


@pytest.mark.parametrize("design", ["random", "sobol"])
def test_listed_records(make_study, motions, design):
    data = make_study("ensemble.realizations=4", f"ensemble.design={design}").to_json()
    study = Study.from_json(data.replace('"source": "csv"', '"source": "csv", "record": [2, 0, 0, 1]'))
    assert draw_inputs(study, motions, 0, 4).record.tolist() == [2, 0, 0, 1]
    assert draw_inputs(study, motions, 1, 3).record.tolist() == [0, 0]
    assert "motion.record" not in study.uncertain


def test_record_that_is_not_there(make_study, tmp_path):
    (tmp_path / "a.csv").write_text("".join(f"{0.1 * i},{0.1 * (i % 3)}\n" for i in range(40)))
    data = make_study("ensemble.realizations=2").to_json()
    study = Study.from_json(data.replace('"source": "csv"', '"source": "csv", "record": [0, 1]'), tmp_path)
    with pytest.raises(ConfigError, match="realization 1 has the record 1, and there are 1, 0 to 0"):
        load_motions(study)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60))
def test_places_are_those_of_the_values(values):
    item = Listed(distribution="listed", values=values)
    assert item.quantile(item.places).tolist() == values
    n = len(values)
    np.testing.assert_allclose(np.sort(item.places), (np.arange(n) + 0.5) / n, rtol=1e-12)
