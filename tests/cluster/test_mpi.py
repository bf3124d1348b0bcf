"""`jobs/mpi.sh` on the ranks of a real MPI."""

import importlib.util
import os
import shutil
import subprocess

import pytest

from mcrock.ensemble.cluster import set_lines
from tests.cluster.conftest import digests

ABSENT = [name for name in ("dask_mpi", "mpi4py") if not importlib.util.find_spec(name)]
ABSENT += [] if shutil.which("mpirun") else ["mpirun"]
pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(bool(ABSENT), reason=f"no MPI: {', '.join(ABSENT)} missing"),
]

# OpenMPI on a machine of few cores, also for root in a container
ALLOWED = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
}


@pytest.fixture
def run(config, tmp_path):
    """Start the script on a number of ranks, as a batch system would."""

    def run(ranks):
        (tmp_path / "mpi.toml").write_text('system = "mpi"\nsecurity = "temporary"\n')
        lines = {"CONFIG": str(config), "STORE": "s.zarr", "CLUSTER": "mpi.toml"}
        script = set_lines("mpi.sh", {}, lines).replace("mpirun ", f"mpirun -n {ranks} ")
        (tmp_path / "mpi.sh").write_text(script)
        command = ["bash", tmp_path / "mpi.sh"]
        environment = {**os.environ, **ALLOWED}
        return subprocess.run(
            command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
        )

    return run


def test_ranks_change_no_bit(run, expected, tmp_path):
    ran = run(4)
    assert ran.returncode == 0, ran.stderr
    assert "mcrock: dask scheduler at tls://127.0.0.1:" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert ran.stdout.count("Fragility: ") == 1
    assert digests(tmp_path / "s.zarr") == expected


def test_too_few_ranks_are_refused(run):
    ran = run(2)
    assert ran.returncode != 0
    assert "MPI needs at least 3 ranks, for scheduler, client and workers, got 2" in ran.stderr
    assert "Traceback" not in ran.stderr
