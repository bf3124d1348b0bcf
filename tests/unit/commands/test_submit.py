"""`mcrock submit`: the script of a study with what it needs, measured, and its submission."""

import re

import pytest

from mcrock.ensemble.cluster import signed
from tests.cluster.conftest import WORKERS


@pytest.fixture
def batch_system(tmp_path, monkeypatch):
    """A batch system that keeps what is submitted, or refuses it."""

    def make(program, answer, code=0):
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        path = folder / program
        path.write_text(
            f'#!/bin/sh\ncp "$1" {tmp_path}/submitted.sh\necho "{answer}" >&{1 + (code > 0)}\nexit {code}\n'
        )
        path.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")

    return make


@pytest.mark.parametrize("system", ["slurm", "pbs"])
def test_a_dry_run_prints_the_script_and_what_the_study_needs(mcrock, study_file, tmp_path, system):
    before = sorted(tmp_path.iterdir())
    options = ("--set", "ensemble.realizations=40000", "--seed", 3, "--cores", 2, "--dry-run")
    code, output, errors = mcrock(
        "submit", study_file, "-o", tmp_path / "s.zarr", "--system", system, *options
    )
    assert (code, errors) == (0, "")
    assert sorted(tmp_path.iterdir()) == before
    lines = output.splitlines()
    assert lines[0] == "#!/bin/bash"
    assert re.fullmatch(
        r"# 120000 runs of [\d.]+ ms \(mean of \d+ runs\): [\d.]+ core-hours on processors as this one",
        lines[1],
    )
    assert re.fullmatch(r"# [\d.]+ MB on disk in 83 files", lines[2])
    assert re.fullmatch(r"# \d+ chunks, .* each on one core, which an interruption loses", lines[3])
    assert re.fullmatch(
        r"# \d+ tasks of 2 cores, .* each after the start, [\d.]+ [MG]B of memory each", lines[4]
    )
    assert "OPTIONS=(--set=ensemble.realizations=40000 --seed=3) " in output
    assert f"{'sbatch' if system == 'slurm' else 'qsub'} s.sh" in output


def test_the_file_of_a_hazard_is_found_from_every_folder(mcrock, study_file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hazard.csv").write_text("pga [g],mean\n0.05,1e-1\n0.5,1e-3\n2,1e-5\n")
    code, output, errors = mcrock("submit", study_file, "--for", "hazard.csv", "--dry-run")
    assert (code, errors) == (0, "")
    assert f"OPTIONS=(--for={tmp_path / 'hazard.csv'}) " in output


@pytest.mark.parametrize(
    ("system", "first", "second"),
    [
        ("slurm", "#SBATCH --partition=short", "#SBATCH --account=eq-2026"),
        ("pbs", "#PBS -q short", "#PBS -A eq-2026"),
    ],
)
def test_a_script_asks_for_a_partition_and_an_account(mcrock, study_file, system, first, second):
    place = ("--partition", "short", "--account", "eq-2026")
    code, output, _ = mcrock("submit", study_file, "--system", system, "--dry-run", *place)
    assert code == 0
    assert {first, second} <= set(output.splitlines())
    assert mcrock("submit", study_file, "--partition", "short\trm", "--dry-run")[0] == 2


def test_the_estimate_of_the_disk_is_that_of_the_study(mcrock, study_file, tmp_path):
    store = tmp_path / "s.zarr"
    options = ("--set", "ensemble.realizations=4000")
    _, output, _ = mcrock("submit", study_file, "-o", store, *options, "--dry-run")
    number, unit, files = re.search(r"# ([\d.]+) ([kM])B on disk in (\d+) files", output).groups()
    assert mcrock("run", study_file, "-o", store, *options)[0] == 0
    found = [file.stat().st_size for file in store.rglob("*") if file.is_file()]
    assert len(found) == int(files)
    assert sum(found) == pytest.approx(float(number) * {"k": 1e3, "M": 1e6}[unit], rel=0.1)


def test_a_script_is_written_and_submitted(mcrock, study_file, tmp_path, batch_system):
    batch_system("sbatch", "Submitted batch job 7")
    last = signed("STORE=the-last-one\n")
    (tmp_path / "s.sh").write_text(last)
    with (tmp_path / "s.sh").open() as read_by_a_shell:
        code, output, _ = mcrock("submit", study_file, "-o", tmp_path / "s.zarr")
        assert (code, read_by_a_shell.read()) == (0, last)
    assert output.splitlines()[-1] == f"{tmp_path / 's.sh'}: Submitted batch job 7"
    assert (tmp_path / "submitted.sh").read_text() == (tmp_path / "s.sh").read_text()


@pytest.mark.parametrize(
    "text",
    [
        "#!/bin/sh\necho of somebody else\n",
        "#!/bin/sh\nSTORE=s.zarr\n",
        signed("STORE=s.zarr\n").replace("STORE", "#SBATCH --account=mine\nSTORE"),
        signed("STORE=s.zarr\n") + "echo done\n",
    ],
    ids=["of somebody else", "without a digest", "with a line of the user", "with one at its end"],
)
def test_no_other_file_is_replaced(mcrock, study_file, tmp_path, batch_system, text):
    batch_system("sbatch", "Submitted batch job 7")
    (tmp_path / "s.sh").write_text(text)
    code, output, errors = mcrock("submit", study_file, "-o", tmp_path / "s.zarr")
    assert (code, output, errors.count("\n")) == (2, "", 1)
    assert "s.sh exists and is not a batch script as mcrock submit wrote it" in errors
    assert (tmp_path / "s.sh").read_text() == text
    assert not (tmp_path / "submitted.sh").exists()


def test_dask_takes_the_file_of_a_cluster(mcrock, study_file, tmp_path):
    (tmp_path / "c.yaml").write_text(WORKERS.format(jobs=2))
    options = ("--system", "pbs", "--cluster", tmp_path / "c.yaml", "--dry-run")
    code, output, _ = mcrock("submit", study_file, *options)
    assert code == 0
    assert "#PBS -N mcrock-dask" in output
    assert f"CLUSTER={tmp_path / 'c.yaml'} #" in output


def test_a_refusal_is_shown(mcrock, study_file, tmp_path, batch_system):
    batch_system("sbatch", "invalid account", 1)
    code, output, errors = mcrock("submit", study_file, "-o", tmp_path / "s.zarr")
    assert (code, output) == (1, "")
    assert errors == f"mcrock: {tmp_path / 's.sh'} is written, but sbatch refuses it: invalid account\n"


def test_a_missing_batch_system_is_named(mcrock, study_file, tmp_path, batch_system):
    batch_system("none", "")
    code, _, errors = mcrock("submit", study_file, "-o", tmp_path / "s.zarr", "--system", "pbs")
    assert code == 1
    assert f"{tmp_path / 's.sh'} is written, but qsub is not on this machine: submit it where it is" in errors
