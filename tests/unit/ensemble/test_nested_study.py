"""Studies in which some distributions are one unknown number: every draw meets the same realizations."""

import numpy as np
import pytest

from mcrock.dataset import load_dataset, to_frame
from mcrock.dataset.contents import chunk_path
from mcrock.dataset.create import StoreError
from mcrock.ensemble import estimate_time, run_study
from mcrock.plots import save_all
from mcrock.show.describe import describe
from mcrock.show.summary import format_summary, summarize, summary_as_json
from mcrock.statistics import pooled
from mcrock.study import load_config
from mcrock.study.sampling import draw_inputs, load_motions, sample_inputs
from tests.conftest import few_resamples
from tests.unit.conftest import STORED

NESTED = STORED["nested"]
OF_MOTION = ["record", "azimuth", "polarity"]


@pytest.fixture
def nested(copied):
    """What a copy of its store holds."""
    return load_dataset(copied("nested", "n.zarr")).load()


def test_every_draw_meets_the_same_motions_and_other_inputs(nested):
    assert nested["outcome"].dims == ("outer", "realization", "intensity")
    for name in [*OF_MOTION, "impact_lambda_lon"]:
        assert (nested[name] == nested[name][0]).all()
    for name in ("body_width", "impact_lambda", "body_mass"):
        assert (nested[name] == nested[name][:, 0]).all()
        assert len(np.unique(nested[name])) == 3
    assert len(np.unique(nested["impact_lambda_lon"])) == 12


def test_a_draw_is_the_study_with_its_numbers(study_file, nested, tmp_path):
    """An independent study with the drawn numbers in place of the distributions has the same runs."""
    for k in range(2):
        width, edge = (float(nested[name][k, 0]) for name in ("body_width", "impact_lambda"))
        fixed = [f"body.width={width!r}", f"impact.lambda={edge!r}", "impact.draw=run"]
        alone = run_study(
            load_config(study_file, [*fixed, "ensemble.realizations=12"]), tmp_path / f"{k}.zarr"
        )
        shared = [name for name in alone.data_vars if name in nested and "realization" in alone[name].dims]
        assert {"outcome", "end_time", "azimuth"} <= set(shared)
        for name in shared:
            np.testing.assert_array_equal(alone[name], nested[name][k], err_msg=str(name))


def test_other_inputs_are_those_of_the_study_without_the_unknown_ones(study_file, nested, tmp_path):
    overrides = ["body.width=0.3", "impact.lambda=0.8", "impact.draw=run", "ensemble.realizations=12"]
    plain = run_study(load_config(study_file, overrides), tmp_path / "p.zarr")
    for name in [*OF_MOTION, "impact_lambda_lon"]:
        np.testing.assert_array_equal(plain[name], nested[name][1])


def test_a_study_says_what_is_epistemic_before_it_is_run(study_file):
    study = load_config(study_file, NESTED)
    text = describe(study, load_motions(study))
    assert "low 0.2, high 0.4, epistemic" in text
    assert "of the 12 draws of each of 3 epistemic draws" in text
    assert "size: 3 epistemic draws x 12 realizations x 3 intensities = 108 runs" in text


def test_a_study_is_described_by_all_its_outer_draws(study_file, nested):
    study = load_config(study_file, NESTED)
    inputs, each, outers = sample_inputs(study, load_motions(study), 4096)
    assert (each, outers) == (12, 3)
    for name in ("body_width", "impact_lambda", "impact_lambda_lon"):
        assert inputs.values[name] == pytest.approx(nested[name].values.ravel(), rel=1e-15)


@pytest.mark.parametrize(("realizations", "each"), [(16, 1.0), (256, 0.01), (1000, 0.01)])
def test_the_time_is_estimated_over_all_outer_draws(study_file, monkeypatch, realizations, each):
    """Which differ, whatever the size of a block that is timed."""
    clock = [0.0]

    def simulated(inputs, pack, controls):
        clock[0] += each * len(inputs.mass) * (inputs.values["body_width"][0] - 0.1)

    monkeypatch.setattr("mcrock.ensemble.estimate.thread_time", lambda: clock[0])
    monkeypatch.setattr("mcrock.ensemble.estimate.simulate_part", simulated)
    size = ["ensemble.outer=32", f"ensemble.realizations={realizations}"]
    study = load_config(study_file, [*NESTED, *size])
    motions = load_motions(study)
    widths = [draw_inputs(study, motions, 0, 1, k).values["body_width"][0] for k in range(32)]
    seconds, _ = estimate_time(study, motions)
    assert seconds * study.n_intensity == pytest.approx(each * (np.mean(widths) - 0.1), rel=0.2)


def test_fewer_draws_are_no_extension(study_file, nested, tmp_path):
    study = load_config(study_file, [*NESTED, "ensemble.outer=2"])
    with pytest.raises(StoreError, match=r"not wanted: ensemble\.outer \(stored 3, wanted 2\)"):
        run_study(study, tmp_path / "n.zarr", extend=True)


def test_a_study_without_unknown_numbers_has_no_dimension_of_them(study_file, tmp_path):
    ds = run_study(load_config(study_file, ["ensemble.realizations=4"]), tmp_path / "s.zarr")
    assert "outer" not in ds.dims
    assert "epistemic" not in ds.attrs["config"]
    assert "outer" not in ds.attrs["config"]


def test_a_nested_study_as_a_table(nested, tmp_path):
    table = to_frame(nested)
    assert to_frame(tmp_path / "n.zarr").equals(table)
    assert len(table) == 3 * 12 * 3
    assert list(table.columns[:3]) == ["outer", "realization", "intensity"]
    last = table.iloc[-1]
    assert last["body_width"] == float(nested["body_width"][2, 11])
    assert last["motion_name"] == nested["motion_name"].values[nested["record"].values[2, 11]]


def test_a_summary_has_both_kinds_of_uncertainty(nested, tmp_path):
    summary = summarize(nested)
    assert int(summary["overturning_probability"]["runs"].sum()) == 3 * 12 * 3
    text = format_summary(summary)
    assert "Epistemic uncertainty: 3 epistemic draws that meet the same motions" in text
    assert "with 95 % confidence, but for the noise of its runs" in text
    tables = {"variance_shares", "epistemic_probability", "epistemic_fragility", "epistemic_bounds"}
    assert tables <= summary_as_json(summary).keys()
    with few_resamples():
        names = {path.stem for path in save_all(nested, tmp_path / "figures")}
    assert {"probability_box", "variance_shares", "fragility", "outcomes"} <= names


def test_a_nested_study_with_missing_runs_has_the_pooled_statistics(study_file, nested, tmp_path):
    chunk_path(tmp_path / "n.zarr", (1, 0)).unlink()
    ds = load_dataset(tmp_path / "n.zarr", allow_incomplete=True)
    summary = summarize(ds, allow_missing=True)
    assert summary["variance_shares"] is None
    assert int(summary["overturning_probability"]["runs"].sum()) == 2 * 12 * 3
    assert "chunk_done" not in pooled(ds)
    with few_resamples():
        names = {path.stem for path in save_all(ds, tmp_path / "figures", allow_missing=True)}
    assert "fragility" in names
    assert "probability_box" not in names
