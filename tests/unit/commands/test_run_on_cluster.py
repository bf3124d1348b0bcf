"""`mcrock run --cluster`: workers that a file describes."""

import os

from mcrock.dataset.contents import chunks_done
from tests.cluster.conftest import WORKERS, processes_for_slurm
from tests.unit.commands.processes import program


def test_a_run_on_workers_of_a_file(study_file, tmp_path, monkeypatch):
    processes_for_slurm(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    (tmp_path / "c.yaml").write_text(WORKERS.format(jobs=2))
    ran = program("run", study_file, "-o", tmp_path / "s.zarr", "--cluster", tmp_path / "c.yaml")
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr.startswith("mcrock: dask scheduler at tls://127.0.0.1:")
    assert "distributed" not in ran.stderr  # what dask says of its parts
    assert " runs of 2 records" in ran.stdout
    assert chunks_done(tmp_path / "s.zarr").all()


def test_a_retired_file_of_a_cluster_says_what_to_use(mcrock, study_file, tmp_path):
    (tmp_path / "c.toml").write_text('system = "local"\nworkers = 2\n')
    code, output, errors = mcrock(
        "run", study_file, "-o", tmp_path / "s.zarr", "--cluster", tmp_path / "c.toml"
    )
    assert (code, output) == (2, "")
    assert "in place of the system local use --processes" in errors
