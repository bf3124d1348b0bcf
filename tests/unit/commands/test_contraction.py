"""`mcrock run --contract`: other bits, the same answers, and never in one store with plain runs."""

import json
import os
import subprocess
import sys

import numba
import numpy as np
import pytest
from distributed import Client, LocalCluster

import mcrock as mr
from mcrock.dataset import load_dataset
from mcrock.ensemble import EnsembleError, run_study
from mcrock.ensemble.cluster import _environment
from mcrock.study import load_config
from tests.unit.commands.processes import program

FUSED = "fused multiply-add, by LLVM "
REFUSED = "and runs of both never meet in one store: give the same setting (--contract, MCROCK_"


@pytest.fixture(scope="module")
def contracted(tmp_path_factory):
    """The small study computed with contraction in a process of its own, by one worker that compiles."""
    from tests.unit.conftest import write_study

    folder = tmp_path_factory.mktemp("contracted")
    options = ("--contract", "--processes", "--workers", "1")
    done = program("run", write_study(folder), "-o", folder / "s.zarr", *options)
    assert done.returncode == 0, done.stderr
    assert f"computed in {FUSED}" in done.stdout
    return folder / "s.zarr"


def test_it_is_part_of_the_result(mcrock, contracted, tmp_path):
    name = load_dataset(contracted).attrs["arithmetic"]
    assert name.startswith(FUSED)
    assert f"computed in {name}\n" in mcrock("stats", contracted)[1]
    log = contracted.with_name("s.zarr.log").read_text().splitlines()
    assert json.loads(log[0])["arithmetic"] == name
    assert mcrock("report", contracted, "-o", tmp_path / "r.html", "--folder", contracted.parent)[0] == 0
    assert name in (tmp_path / "r.html").read_text()


SINGLE = (
    "import mcrock; body = mcrock.cuboid(0.4, 0.4, 1.6, 2600); "
    "run = mcrock.simulate(body, start=mcrock.Start(edge=0, tilt=0.1)); "
    "print(run.outcome.name, *(event['t'] for event in run.events))"
)


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_bits_differ_and_answers_do_not(store, contracted):
    """Single numbers of a store are too short to tell."""
    plain, fused = load_dataset(store), load_dataset(contracted)
    assert "arithmetic" not in plain.attrs
    assert (plain["outcome"] == fused["outcome"]).mean() > 0.9
    environment = {**os.environ, "MCROCK_CONTRACT": "1"}
    end, *times = subprocess.check_output([sys.executable, "-c", SINGLE], text=True, env=environment).split()
    run = mr.simulate(mr.cuboid(0.4, 0.4, 1.6, 2600), start=mr.Start(edge=0, tilt=0.1))
    assert end == run.outcome.name == "AT_REST"
    plain_times = [float(event["t"]) for event in run.events]
    assert [float(t) for t in times] != plain_times
    np.testing.assert_allclose([float(t) for t in times[:5]], plain_times[:5], rtol=1e-9)


def test_neither_goes_on_with_the_other(mcrock, store, contracted, study_file, tmp_path):
    before = (store / "study.zip").read_bytes()
    for option in ("--resume", "--extend", "--task=1/2"):
        code, output, errors = mcrock("run", contracted.parent / "study.toml", "-o", contracted, option)
        assert (code, output) == (2, "")
        assert f"{contracted} holds runs in {FUSED}" in errors
        assert "this process computes in the plain arithmetic of a processor, " + REFUSED in errors
        assert errors.count("\n") == 1
    done = program("run", study_file, "-o", store, "--contract", "--resume", "--dry-run")
    assert (done.returncode, done.stdout) == (2, "")
    plain = "holds runs in the plain arithmetic of a processor, this process computes in"
    assert f"{store} {plain} {FUSED}" in done.stderr
    assert (store / "study.zip").read_bytes() == before
    code, output, errors = mcrock("merge", tmp_path / "all.zarr", store, contracted)
    assert (code, output) == (2, "")
    assert f"{contracted} holds runs in {FUSED}" in errors
    assert f"{store} in the plain arithmetic of a processor, {REFUSED}" in errors
    assert not (tmp_path / "all.zarr").exists()


def test_contraction_goes_on_with_itself(contracted):
    study = contracted.parent / "study.toml"
    done = program("run", study, "-o", contracted, "--resume", env={**os.environ, "MCROCK_CONTRACT": "1"})
    assert done.returncode == 0, done.stderr


def test_a_worker_with_another_setting_is_refused(study_file, tmp_path, monkeypatch):
    """Workers started elsewhere have an environment of their own."""
    monkeypatch.setenv("MCROCK_CONTRACT", "1")
    with LocalCluster(1, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
        monkeypatch.setenv("MCROCK_CONTRACT", "0")
        message = (
            f"the worker .* computes in {FUSED}.*, the study is in the plain arithmetic of a processor: start"
        )
        with pytest.raises(EnsembleError, match=message):
            run_study(load_config(study_file), tmp_path / "s.zarr", client=client)
    assert not list((tmp_path / "s.zarr" / "chunks").iterdir())


def test_jobs_and_scripts_hand_it_on(mcrock, study_file, monkeypatch):
    assert not any("CONTRACT" in line for line in _environment())
    assert "--contract" not in mcrock("submit", study_file, "--dry-run")[1]
    monkeypatch.setattr("mcrock.base.environment.contracts", lambda: True)
    monkeypatch.setattr("mcrock.ensemble.cluster.contracts", lambda: True)
    assert "export MCROCK_CONTRACT=1" in _environment()
    assert "OPTIONS=(--contract) " in mcrock("submit", study_file, "--dry-run")[1]


def test_a_bad_value_ends_with_a_message(study_file, tmp_path):
    done = program("check", study_file, env={**os.environ, "MCROCK_CONTRACT": "yes"})
    assert done.returncode == 2
    assert done.stderr == "mcrock: the environment variable MCROCK_CONTRACT must be 0 or 1, got 'yes'\n"
