"""Studies on a GPU that numba simulates: the whole way from the study file to the store.

The simulator runs the source of the program as plain Python, a thread of the processor for each of the GPU.
It does not show types, speed, nor what a GPU rounds otherwise.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mcrock.dataset import load_dataset
from mcrock.dataset.create import StoreError
from mcrock.ensemble import run_study
from mcrock.study import load_config
from tests.unit.conftest import write_study

# a run in Python takes up to a second
SHORT = ["ensemble.realizations=3", "intensity.levels=[4.0, 9.0]", "controls.tail=0.5"]
SIMULATED = {"NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Folder with the study and `gpu.zarr`, its store from the simulated GPU."""
    path = tmp_path_factory.mktemp("simulated")
    study, store = write_study(path), path / "gpu.zarr"
    subprocess.run(
        [
            sys.executable,
            "-W",
            "ignore",
            "-m",
            "tests.unit.simulation.device.simulated",
            study,
            store,
            *SHORT,
        ],
        env={**os.environ, **SIMULATED},
        cwd=Path(__file__).parents[4],
        check=True,
    )
    return path


def test_a_study_is_that_of_the_processor(folder, tmp_path):
    """Outcomes of all runs, half the step included, and all other results to rounding."""
    found = load_dataset(folder / "gpu.zarr")
    wanted = run_study(load_config(folder / "study.toml", SHORT), tmp_path / "cpu.zarr")
    assert found.attrs["arithmetic"].startswith("the arithmetic of a GPU of compute capability ")
    assert set(found.variables) == set(wanted.variables)
    assert (wanted["half_step_outcome"] > 0).any()
    assert len(np.unique(wanted["outcome"])) > 1
    for name, variable in wanted.variables.items():
        if variable.dtype.kind == "f":
            np.testing.assert_allclose(found[name], variable, rtol=1e-6, atol=1e-9, err_msg=name)
        else:
            np.testing.assert_array_equal(found[name], variable, err_msg=name)


def test_its_store_is_no_other_s(folder):
    study = load_config(folder / "study.toml", SHORT)
    with pytest.raises(StoreError, match=r"holds runs in the arithmetic of a GPU .*, this process computes"):
        run_study(study, folder / "gpu.zarr", resume=True)
