"""Studies of bodies with an error of their shape: the hull belongs to the draw, however it is computed."""

import numpy as np
import pytest
from typer.testing import CliRunner

from mcrock.commands.program import app
from mcrock.ensemble import estimate_time, plan_study, run_study
from mcrock.statistics import variance_shares
from mcrock.study import load_config
from mcrock.study.sampling import load_motions
from tests.unit.conftest import write_study

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


def write_rock(folder):
    """Write the study of a rough block, whose realizations have hulls of their own, into a folder."""
    path = write_study(folder)
    np.savetxt(folder / "rock.txt", POINTS)
    top, _, rest = path.read_text().partition("[body]")
    path.write_text(f"{top}{BODY}[impact]{rest.partition('[impact]')[2]}", encoding="utf-8")
    return path


@pytest.fixture
def rock_file(tmp_path):
    return write_rock(tmp_path)


def slopes(ds):
    return ds["body_slenderness"].values


def test_every_draw_has_its_hull(rock_file, tmp_path):
    """An epistemic draw all its realizations, or each realization."""
    ds = run_study(load_config(rock_file, EPISTEMIC), tmp_path / "s.zarr").load()
    assert ds["outcome"].dims == ("outer", "realization", "intensity")
    assert (slopes(ds) == slopes(ds)[:, :1]).all()
    assert len(np.unique(slopes(ds))) == 3
    assert (ds["azimuth"] == ds["azimuth"][0]).all()
    assert np.isfinite(variance_shares(ds)["share"]).any()
    own = run_study(load_config(rock_file, OWN), tmp_path / "own.zarr").load()
    assert len(np.unique(slopes(own))) == 14


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
