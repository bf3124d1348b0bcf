"""Studies that stop by themselves: the store of so many realizations, whatever the looks."""

import numpy as np
import pytest
import xarray as xr

from mcrock.ensemble import run_study, run_until
from mcrock.show.outcomes import format_looks
from mcrock.study import load_config

RANDOM = ["ensemble.design=random", "motion.assignment=cycle"]


def test_a_study_stops_when_its_probabilities_are_known(study_file, tmp_path):
    study = load_config(study_file, [*RANDOM, "ensemble.realizations=400"])
    ds, found = run_until(study, tmp_path / "a.zarr", 0.2)
    n = ds.sizes["realization"]
    assert n in (20, 30, 46, 70, 106, 160, 240, 360)  # two records
    low, high = found["interval"].values
    assert (high - low).max() <= 0.4
    assert f"after {n} realizations" in format_looks(found, n)
    assert "2 recordings leave open" in format_looks(found, n)
    size = f"ensemble.realizations={n}"
    plain = run_study(load_config(study_file, [*RANDOM, size]), tmp_path / "b.zarr")
    apart = "chunk_done"  # chunks are as long as the first realizations made them
    xr.testing.assert_identical(ds.drop_vars(apart).load(), plain.drop_vars(apart).load())
    again, _ = run_until(study, tmp_path / "a.zarr", 0.2, resume=True)
    assert again.sizes["realization"] == n


def test_a_study_ends_where_its_file_says(study_file, tmp_path):
    study = load_config(study_file, [*RANDOM, "ensemble.realizations=25"])
    ds, found = run_until(study, tmp_path / "a.zarr", 0.01, resume=True)  # where there is no store yet
    assert ds.sizes["realization"] == 25
    assert int(found["blocks"]) == 12
    assert np.isfinite(found["interval"]).all()


def test_what_cannot_stop_is_refused(study_file, tmp_path):
    for change in ("ensemble.design=sobol", "motion.assignment=random"):
        study = load_config(study_file, [*RANDOM, change])
        with pytest.raises(ValueError, match="independent realizations at fixed levels"):
            run_until(study, tmp_path / "a.zarr", 0.1)
    with pytest.raises(ValueError, match=r"half-width of an interval must lie in \(0, 0.5\)"):
        run_until(load_config(study_file, RANDOM), tmp_path / "a.zarr", 0.5)
    assert not (tmp_path / "a.zarr").exists()
