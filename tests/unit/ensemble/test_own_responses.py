"""Responses by functions of the user: what the store has of them, and what is refused."""

import importlib.metadata
import subprocess
import sys
from math import nan
from types import FunctionType

import numpy as np
import pytest

import mcrock
from mcrock.study import load_config

STUDY = """
seed = 1
motion = { source = "pulse", shape = "one-sine", period = 0.8 }
intensity = { measure = "pga", levels_g = [0.2, 0.5, 1.0] }
[body]
shape = "cuboid"
width = 0.3
depth = 0.3
height = { distribution = "uniform", low = 1.0, high = 1.6 }
density = 2600.0
[ensemble]
realizations = 12
"""


def time_of_peak(run):
    """When the body leans most."""
    return run.history.time.values[run.history.tilt.values.argmax()]


time_of_peak.units = "s"


def largest_tilt(run):
    return run.history.tilt.max()


def unknown(run):
    return run.largest_lean


def words(run):
    return "large"


def intensity(run):
    return 1.0


def nothing(run):
    return nan


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(STUDY, encoding="utf-8")
    return load_config(path)


@pytest.mark.parametrize("processes", [False, True])
def test_a_store_has_what_the_function_gives_of_every_run(study, tmp_path, processes):
    ds = mcrock.run_study(
        study, tmp_path / "own.zarr", responses=[time_of_peak, largest_tilt], processes=processes, workers=1
    )
    # the history has the peak between steps only to the step
    assert ds.own_largest_tilt.values == pytest.approx(ds.peak_tilt.values, rel=1e-3, abs=1e-9)
    assert ds.own_time_of_peak.attrs == {"units": "s", "long_name": "time of peak"}
    assert (ds.own_time_of_peak.values <= ds.end_time.values + 1e-4).all()
    assert ds.attrs["own_responses"].startswith("time_of_peak, source ")
    same = mcrock.run_study(study, tmp_path / "without.zarr")
    assert (same.peak_tilt.values == ds.peak_tilt.values).all()


def test_statistics_take_it_as_a_limit(study, tmp_path):
    ds = mcrock.run_study(study, tmp_path / "own.zarr", responses=[largest_tilt])
    found = mcrock.exceedance_probability(ds, [0.1], "own_largest_tilt")
    known = mcrock.exceedance_probability(ds, [0.1], "peak_tilt")
    assert 0.0 < float(known.probability.mean()) < 1.0
    assert (found.probability.values == known.probability.values).all()
    judged = [mcrock.statistics.by_limit(ds, name, 0.1) for name in ("own_largest_tilt", "peak_tilt")]
    assert (judged[0].outcome.values == judged[1].outcome.values).all()
    assert judged[0].attrs["event"] == "own largest tilt beyond 0.1"


@pytest.mark.parametrize("near", [0.1, 1e-9])
def test_a_response_that_fails_is_nan_and_no_run_is_lost(study, tmp_path, near):
    """In some runs, and in all but those that it was tried on."""
    known = mcrock.run_study(study, tmp_path / "known.zarr")
    first = float(known.body_height[0])

    def of_few(run):
        return run.peak_tilt if abs(2.0 * run.body.com_height - first) < near else run.no_such_result

    said = r"responses of runs of \d+ realizations are NaN, as .*\n.*'of_few' of realization \d+: expected"
    with pytest.warns(UserWarning, match=said):
        ds = mcrock.run_study(study, tmp_path / "own.zarr", responses=[of_few])
    assert ds.outcome.identical(known.outcome)
    like = np.abs(ds.body_height.values - first) < near
    assert 0 < like.sum() < 12
    assert (np.isfinite(ds.own_of_few.values) == like[:, None]).all()


def test_a_response_that_is_nan_wherever_it_was_tried_is_told(study, tmp_path):
    with pytest.warns(UserWarning, match="own_nothing is NaN in both runs .* give 0 where"):
        mcrock.run_study(study, tmp_path / "own.zarr", responses=[nothing])


def test_a_program_that_processes_cannot_read_is_refused(study, tmp_path):
    study_file = tmp_path / "study.toml"
    program = f"import mcrock\nstudy = mcrock.load_config({str(study_file)!r})\n"
    program += "mcrock.run_study(study, 'out.zarr', processes=True)"
    done = subprocess.run(
        [sys.executable, "-"],
        input=program,
        text=True,
        capture_output=True,
        cwd=tmp_path,
        timeout=600,
        check=False,
    )
    assert done.stderr.splitlines()[-1].startswith(
        "ValueError: processes=True starts processes that read the"
    )
    assert not (tmp_path / "out.zarr").exists()


def test_another_source_is_another_study(study, tmp_path):
    mcrock.run_study(study, tmp_path / "own.zarr", responses=[largest_tilt])
    with pytest.raises(ValueError, match=r"holds another study, .*own_responses \(stored \"largest_tilt"):
        mcrock.run_study(study, tmp_path / "own.zarr", responses=[time_of_peak], resume=True)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (unknown, "response 'unknown' of realization 0: expected a number.* got AttributeError"),
        (words, "response 'words' of realization 0: expected a number.* got ValueError"),
        (lambda run: 1.0, "response '<lambda>': expected a named function of one argument"),
        ("theirs", "response 'theirs': no installed package has it"),
        (3, "response 'int': expected a function, got int"),
        (intensity, "own_intensity is intensity measure .*; rename"),
    ],
)
def test_what_is_no_response_is_refused_before_a_store_is_made(study, tmp_path, given, message):
    with pytest.raises(ValueError, match=message):
        mcrock.run_study(study, tmp_path / "own.zarr", responses=[given])
    assert not (tmp_path / "own.zarr").exists()


def test_a_package_names_a_response(study, tmp_path, monkeypatch):
    entry = importlib.metadata.EntryPoint("theirs", f"{__name__}:largest_tilt", "mcrock.responses")
    monkeypatch.setattr("mcrock.base.own_function.entry_points", lambda group: [entry])
    with pytest.raises(ValueError, match=r"response 'theirs' is code: .* --trust-code"):
        mcrock.run_study(study, tmp_path / "own.zarr", responses=["theirs"])
    trusted = load_config(tmp_path / "study.toml", trust_code=True)
    assert "own_theirs" in mcrock.run_study(trusted, tmp_path / "own.zarr", responses=["theirs"])


def test_a_study_file_names_responses_of_a_file(study, tmp_path):
    changes = [f'ensemble.responses=["{__file__}:time_of_peak"]']
    named = load_config(tmp_path / "study.toml", changes, trust_code=True)
    ds = mcrock.run_study(named, tmp_path / "own.zarr")
    given = mcrock.run_study(study, tmp_path / "given.zarr", responses=[time_of_peak])
    assert ds.own_time_of_peak.identical(given.own_time_of_peak)
    of_file, of_function = (each.attrs["own_responses"].split() for each in (ds, given))
    assert (of_file[-1], of_file[2]) == (of_function[-1], "sha256")  # what runs, and what was agreed to
    other = FunctionType(largest_tilt.__code__, globals(), "time_of_peak")
    more = [load_config(tmp_path / "study.toml", ["ensemble.realizations=14"])]
    more.append(load_config(tmp_path / "study.toml", ["ensemble.realizations=15", *changes], trust_code=True))
    for store in ("own.zarr", "given.zarr"):
        for again, own, runs in ((more[0], [time_of_peak], 14), (more[1], [], 15)):
            ds = mcrock.run_study(again, tmp_path / store, responses=own, extend=True)
            assert np.isfinite(ds.own_time_of_peak).sum() == 3 * runs
        with pytest.raises(ValueError, match=r"holds another study, .*own_responses"):
            mcrock.run_study(more[1], tmp_path / store, responses=[other], resume=True)
