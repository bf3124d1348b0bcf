"""Files of clusters: what they may hold, and the message for each mistake."""

from pathlib import Path

import pytest

from mcrock.base.tables.errors import ConfigError
from mcrock.ensemble.cluster import BATCH, BatchJobs, Local, Mpi, load_cluster

JOBS = Path(__file__).parents[4] / "jobs"
SLURM = """
system = "slurm"
jobs = [0, 20]
cores = 8
memory = "16 GiB"
walltime = "12:30:05"
interface = "ib0"
options = { queue = "long" }
"""


@pytest.fixture
def load(tmp_path):
    def load(text):
        (tmp_path / "c.toml").write_text(text)
        return load_cluster(tmp_path / "c.toml")

    return load


def test_jobs_of_a_batch_system(load):
    cluster = load(SLURM)
    assert isinstance(cluster, BatchJobs)
    assert (cluster.jobs, cluster.cores, cluster.memory) == ((0, 20), 8, "16 GiB")
    assert cluster.walltime == 12 * 3600 + 30 * 60 + 5
    assert cluster.options == {"queue": "long"}
    assert cluster.security == "temporary"


def test_one_number_of_jobs_is_the_least_and_the_most(load):
    assert load(SLURM.replace("[0, 20]", "3")).jobs == (3, 3)


@pytest.mark.parametrize(("text", "kind"), [('"local"\nworkers = 2', Local), ('"mpi"', Mpi)])
def test_connections_of_one_machine_stay_on_the_loopback_and_are_encrypted(load, text, kind):
    cluster = load(f"system = {text}")
    assert isinstance(cluster, kind)
    assert (cluster.interface, cluster.security) == ("lo", "temporary")


@pytest.mark.parametrize("system", BATCH)
def test_every_system_knows_the_walltime(load, system):
    cluster = load(SLURM.replace("slurm", system))
    assert cluster.written_walltime == ("12:30" if system == "lsf" else "12:30:05")


@pytest.mark.parametrize(("walltime", "margin"), [("00:10:00", 60.0), ("24:00:00", 600.0)])
def test_workers_end_before_their_walltime(load, walltime, margin):
    assert load(SLURM.replace("12:30:05", walltime)).margin == margin


def test_files_of_keys(load):
    files = {"ca": "a.pem", "cert": "b.pem", "key": "c.pem"}
    text = ", ".join(f'{name} = "{file}"' for name, file in files.items())
    assert load(f'system = "mpi"\nsecurity = {{ {text} }}').security == files


@pytest.mark.parametrize("path", sorted(JOBS.glob("*.toml")), ids=lambda path: path.name)
def test_shipped_files_are_valid(path):
    assert load_cluster(path).interface == "ib0"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"slurm"', '"slrum"', r"system: expected 'local', .* got 'slrum'; did you mean 'slurm'\?"),
        ('system = "slurm"', "", "missing key 'system'"),
        ('"ib0"', "7", "interface: expected the network interface that login node and workers share"),
        ('interface = "ib0"', "", "missing key 'interface'; expected the network .* 'lo' where all"),
        ("[0, 20]", "[20, 2]", "jobs: expected a number of jobs >= 1, or the least and the most"),
        ("[0, 20]", "0", "jobs: expected a number of jobs >= 1, or the least and the most"),
        ("[0, 20]", "true", "jobs: expected a number of jobs"),
        ('"16 GiB"', '"16"', "memory: expected an amount of memory as \"4GB\", got '16'"),
        ('"12:30:05"', '"12:60:05"', 'walltime: expected a time as "HH:MM:SS", of at least a minute'),
        ('"12:30:05"', '"00:00:59"', "walltime: expected a time"),
        ('"12:30:05"', "3600", "walltime: expected a time"),
        ("queue =", "memory =", r"\[options\] memory: mcrock sets this option from the keys above"),
        ("cores = 8", "cores = 8\ncore = 8", "unknown key 'core'; did you mean 'cores'"),
        ("cores = 8", 'cores = 8\nsecurity = "tls"', 'security: expected "temporary" .TLS., "none", or a'),
        ("cores = 8", "cores = ", "c.toml line 4, column 9: not valid TOML"),
    ],
)
def test_mistakes(load, old, new, message):
    with pytest.raises(ConfigError, match=message):
        load(SLURM.replace(old, new))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ConfigError, match="no such file"):
        load_cluster(tmp_path / "c.toml")
    with pytest.raises(ConfigError, match=r"expected a file of a cluster \(.toml\)"):
        load_cluster(tmp_path)
