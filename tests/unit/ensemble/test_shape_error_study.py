"""Studies of bodies with an error of their shape: the hull belongs to the draw, however it is computed."""

import numpy as np
import pytest
import xarray as xr
from typer.testing import CliRunner

from mcrock.commands.program import app
from mcrock.dataset.contents import chunk_path
from mcrock.ensemble import estimate_time, plan_study, run_study
from mcrock.excitation import pack_motions
from mcrock.simulation.runs import simulate_realization
from mcrock.statistics import variance_shares
from mcrock.study import load_config
from mcrock.study.sampling import draw_inputs, load_motions

POINTS = [
    (r * np.cos(a + t), r * np.sin(a + t), z)
    for r, z, t in ((0.06, 0.0, 0.0), (0.12, 0.002, 0.3), (0.15, 0.02, 0.1), (0.15, 0.9, 0.0))
    for a in np.arange(7) * 2 * np.pi / 7
]
BODY = """
[body]
shape = "polyhedron"
file = "rock.txt"
density = 2600
base_angle_deg = 20
shape_error = { std = 0.002, correlation_length = 0.05 }
"""
EPISTEMIC = ["body.shape_error.epistemic=true", "ensemble.outer=3", "ensemble.realizations=8"]
OWN = ["ensemble.realizations=14"]


@pytest.fixture
def rock_file(study_file):
    """Path of a study of a rough block, whose realizations have hulls of their own."""
    np.savetxt(study_file.parent / "rock.txt", POINTS)
    top, _, rest = study_file.read_text().partition("[body]")
    study_file.write_text(f"{top}{BODY}[impact]{rest.partition('[impact]')[2]}", encoding="utf-8")
    return study_file


def slopes(ds):
    return ds["body_slenderness"].values


@pytest.mark.parametrize(
    ("overrides", "options"),
    [
        (EPISTEMIC, {"workers": 2, "part_size": 3}),
        (OWN, {"workers": 2, "part_size": 3}),
        (OWN, {"workers": 2, "processes": True}),
        pytest.param(EPISTEMIC, {"workers": 2, "processes": True}, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_results_depend_on_the_study_alone(rock_file, tmp_path, overrides, options):
    study = load_config(rock_file, overrides)
    whole = run_study(study, tmp_path / "w.zarr", workers=1).load()
    xr.testing.assert_identical(run_study(study, tmp_path / "s.zarr", **options).load(), whole)
    hulls = 3 if overrides is EPISTEMIC else 14
    assert len(np.unique(slopes(whole))) == hulls


def test_every_realization_of_an_outer_draw_has_its_hull(rock_file, tmp_path):
    ds = run_study(load_config(rock_file, EPISTEMIC), tmp_path / "s.zarr").load()
    assert ds["outcome"].dims == ("outer", "realization", "intensity")
    assert (slopes(ds) == slopes(ds)[:, :1]).all()
    assert (ds["azimuth"] == ds["azimuth"][0]).all()
    assert np.isfinite(variance_shares(ds)["share"]).any()


@pytest.mark.parametrize("overrides", [EPISTEMIC, OWN], ids=["epistemic", "own"])
def test_an_interrupted_study_goes_on(rock_file, tmp_path, overrides):
    study, path = load_config(rock_file, overrides), tmp_path / "s.zarr"
    whole = run_study(study, path).load()
    chunk_path(path, (1, 0) if overrides is EPISTEMIC else (0,)).unlink()
    assert plan_study(study, path, resume=True).left == 1
    xr.testing.assert_identical(run_study(study, path, resume=True).load(), whole)


def test_an_extended_study_keeps_its_hulls(rock_file, tmp_path):
    for first, more in ((EPISTEMIC, ["ensemble.outer=5"]), (OWN, ["ensemble.realizations=20"])):
        path = tmp_path / f"{len(first)}.zarr"
        run_study(load_config(rock_file, first), path).close()
        whole = load_config(rock_file, [*first, *more])
        extended = run_study(whole, path, extend=True).load()
        fresh = run_study(whole, tmp_path / "f.zarr", overwrite=True).load()
        names = [name for name in fresh.variables if name != "chunk_done"]
        xr.testing.assert_identical(extended[names], fresh[names])


@pytest.mark.parametrize(("overrides", "outer"), [(EPISTEMIC, 2), (OWN, 0)], ids=["epistemic", "own"])
def test_a_run_is_replayed(rock_file, tmp_path, overrides, outer):
    study = load_config(rock_file, overrides)
    ds = run_study(study, tmp_path / "s.zarr").load()
    ds = ds.isel(outer=outer) if "outer" in ds.dims else ds
    motions = load_motions(study)
    for i in (0, 5):
        inputs = draw_inputs(study, motions, i, i + 1, outer)
        _, run = simulate_realization(inputs, 0, 1, pack_motions(motions), study.controls)
        for name in set(run.results) - {"half_step_outcome"}:
            value = run.results[name]
            stored = ds[name].values[i, 1]
            np.testing.assert_array_equal(np.asarray(value).astype(stored.dtype), stored)


def test_the_command_replays_a_run_of_a_draw(rock_file, tmp_path):
    options = ["--realization", "5", "--intensity", "1", "--outer", "2", "-o", str(tmp_path / "run")]
    settings = [part for item in EPISTEMIC for part in ("--set", item)]
    found = CliRunner().invoke(app, ["simulate", str(rock_file), *options, *settings])
    assert found.exit_code == 0, found.output
    assert (tmp_path / "run" / "history.nc").is_file()


def test_the_time_of_a_study_with_hulls_is_estimated(rock_file):
    study = load_config(rock_file, OWN)
    seconds, runs = estimate_time(study, load_motions(study), budget=0.5)
    assert seconds > 0
    assert runs % study.n_intensity == 0


def test_hulls_of_realizations_are_not_for_a_gpu(rock_file, tmp_path, monkeypatch):
    monkeypatch.setattr("mcrock.ensemble.study.check_device", lambda device: None)
    with pytest.raises(ValueError, match=r"each realization has its own: leave device \(--device\) out"):
        plan_study(load_config(rock_file, OWN), tmp_path / "s.zarr", device="cuda")
