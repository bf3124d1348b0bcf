"""Files of clusters: dask's own configuration, and the message for each mistake."""

from pathlib import Path

import pytest

from mcrock.base.tables.parsing import ConfigError
from mcrock.ensemble.cluster import load_cluster
from tests.cluster.conftest import WORKERS

JOBS = Path(__file__).parents[4] / "jobs"
SLURM = WORKERS.format(jobs=2)


@pytest.mark.parametrize("path", sorted(JOBS.glob("*.yaml")), ids=lambda path: path.name)
def test_shipped_files_are_valid(path):
    place = load_cluster(path)
    assert place["jobqueue"][path.stem]["interface"] == "ib0"
    assert place["distributed"]["adaptive"] == {"minimum": 1, "maximum": 20}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "c.toml",
            'system = "local"',
            r"TOML is retired here: .* of the system local use --processes, of mpi jobs/",
        ),
        ("c.yaml", None, "no such file"),
        ("c.yaml", "jobqueue: [", "malformed"),
        ("c.yaml", "", r"expected one table of slurm, pbs, sge, lsf under 'jobqueue'"),
        ("c.yaml", "jobqueue: 3", "expected one table of"),
        ("c.yaml", "jobqueue: {slrum: {cores: 1}}", "expected one table of slurm"),
        ("c.yaml", "jobqueue: {slurm: {cores: 1}, pbs: {cores: 1}}", "expected one table of slurm"),
        ("c.yaml", "jobqueue: {slurm: 3}", "expected one table of slurm"),
        ("c.yaml", SLURM.replace("maximum: 2", "maximum: 0"), r"adaptive.maximum: .* integer >= 1, got 0"),
        ("c.yaml", "jobqueue: {slurm: {}}", r"adaptive.maximum: expected the most workers at a time"),
    ],
)
def test_mistakes(tmp_path, name, text, message):
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(ConfigError, match=message):
        load_cluster(tmp_path / name)
