"""A realization of which no run can be made is recorded with its message, and the others are run."""

import json
import warnings

import numpy as np
import pytest
import xarray as xr

import mcrock.ensemble.part
from mcrock.base.params import Outcome
from mcrock.dataset import load_dataset
from mcrock.ensemble import EnsembleError, run_study
from mcrock.ensemble.opening import log_path
from mcrock.simulation.runs import simulate_part
from mcrock.statistics import outcome_shares, overturning_probability, undecided_runs
from mcrock.study import ConfigError, load_config
from mcrock.study.sampling import draw_inputs, load_motions

TIPPING = 'body.com_x={ distribution = "normal", mean = 0.0, std = 0.12 }'  # the base ends at 0.15 m
CLOUD = 'intensity={ measure = "pga", value = { distribution = "uniform", low = 0.5, high = 9.0 } }'


@pytest.fixture
def few_checked(monkeypatch):
    """Only the first realizations are looked at before a study is run, as of a very large one."""
    monkeypatch.setattr("mcrock.study.sampling.CHECKED", 1)


def impossible(study):
    """Realizations of which no body can stand, and the message of each."""
    motions, found = load_motions(study), {}
    for i in range(study.n_realizations):
        try:
            draw_inputs(study, motions, i, i + 1)
        except ConfigError as error:
            found[i] = str(error)
    return found


def logged(path):
    """Messages of realizations in the log of a store."""
    entries = map(json.loads, log_path(path).read_text().splitlines())
    return {entry["realization"]: entry["error"] for entry in entries if entry["event"] == "no_run"}


@pytest.mark.parametrize(
    ("cloud", "processes"),
    [([], True), ([CLOUD], False), pytest.param([CLOUD], True, marks=pytest.mark.slow)],
    ids=["stripes", "cloud", "cloud-processes"],
)
def test_an_impossible_body_stops_nothing(study_file, tmp_path, few_checked, cloud, processes):
    study = load_config(study_file, [TIPPING, *cloud])
    expected = impossible(study)
    assert 2 < len(expected) < 12
    assert 0 not in expected
    stores = []
    ways = [{"workers": 2}, {"workers": 1, "part_size": 40}]
    if processes:
        ways.append({"processes": True, "workers": 1})
    for options in ways:
        path = tmp_path / f"{len(stores)}.zarr"
        with pytest.warns(UserWarning, match=f"no run could be made of {len(expected)} realizations, which"):
            stores.append(run_study(study, path, **options).load())
        assert logged(path) == expected
    for ds in stores[1:]:
        xr.testing.assert_identical(ds, stores[0])
    failed = np.isin(np.arange(40), list(expected))
    outcome = stores[0]["outcome"].values.reshape(40, -1)
    assert ((outcome == Outcome.FAILED).all(1) == failed).all()
    assert ((outcome == Outcome.FAILED).any(1) == failed).all()
    rest = stores[0].isel(realization=~failed)
    assert not rest["peak_tilt"].isnull().any()
    drawn = stores[0].isel(realization=failed)
    assert (abs(drawn["body_com_x"]) > 0.1).all()  # what was drawn is there, what follows from it is not
    assert drawn["peak_tilt"].isnull().all()
    assert (stores[0]["record"] == xr.DataArray(np.arange(40) % 2, dims="realization")).all()


def test_failures_count_as_undecided(study_file, tmp_path, few_checked):
    study = load_config(study_file, [TIPPING])
    n = len(impossible(study))
    with pytest.warns(UserWarning, match="which count as undecided"):
        ds = run_study(study, tmp_path / "s.zarr")
    doubt = undecided_runs(ds)
    assert int(doubt["runs"].sel(reason="failed")) == 3 * n == int(doubt["runs"].sum())
    fell = (ds["outcome"] == Outcome.OVERTURNED).sum("realization")
    probability = overturning_probability(ds, cluster=False)
    np.testing.assert_allclose(probability["probability"], (fell + n / 2) / 40)
    np.testing.assert_allclose(outcome_shares(ds)["share"].sel(ending="failed"), n / 40)


@pytest.mark.parametrize("part_size", [None, 40])
def test_an_error_of_one_realization_stops_nothing(study_file, computed, tmp_path, monkeypatch, part_size):
    study, reference = load_config(study_file), load_dataset(computed).load()

    def fail(inputs, motions, controls, **more):
        if inputs.start <= 19 < inputs.start + len(inputs.mass):
            raise ZeroDivisionError("division by zero")
        return simulate_part(inputs, motions, controls, **more)

    monkeypatch.setattr(mcrock.ensemble.part, "simulate_part", fail)
    path = tmp_path / "s.zarr"
    with pytest.warns(
        UserWarning, match="no run could be made of 1 realization, .*\n.* 19: ZeroDivisionError"
    ):
        ds = run_study(study, path, part_size=part_size).load()
    assert (ds["outcome"].isel(realization=19) == Outcome.FAILED).all()
    others = np.arange(40) != 19
    xr.testing.assert_identical(ds.isel(realization=others), reference.isel(realization=others))
    assert logged(path) == {19: "ZeroDivisionError: division by zero"}
    assert "in fail" in log_path(path).read_text()  # where it was raised
    with warnings.catch_warnings(action="error"):  # what is recorded is done
        run_study(study, path, resume=True)


@pytest.mark.parametrize(
    "error", [OSError(5, "Input/output error"), MemoryError(), ConfigError("a file is gone")]
)
def test_what_is_no_fault_of_a_realization_is_not_recorded(study_file, tmp_path, monkeypatch, error):
    def fail(inputs, motions, controls, **more):
        if inputs.start <= 19 < inputs.start + len(inputs.mass):
            raise error
        return simulate_part(inputs, motions, controls, **more)

    study = load_config(study_file)
    monkeypatch.setattr(mcrock.ensemble.part, "simulate_part", fail)
    with pytest.raises(EnsembleError, match=r"realizations 16 to 23 failed: .*\n4 of 5 chunks are done"):
        run_study(study, tmp_path / "s.zarr")
    ds = load_dataset(tmp_path / "s.zarr", allow_incomplete=True)
    assert (ds["outcome"].isel(realization=slice(16, 24)) == Outcome.NOT_RUN).all()
    monkeypatch.undo()
    run_study(study, tmp_path / "s.zarr", resume=True)
