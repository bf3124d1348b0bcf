"""Batch scripts: their directives, what `mcrock submit` makes of them, and runs as a system starts them."""

import os
import re
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mcrock.base.checks import HIDDEN
from mcrock.dataset.contents import chunks_done
from mcrock.ensemble.cluster import (
    RESERVE,
    START,
    ArrayPlan,
    Estimate,
    plan_tasks,
    read_script,
    set_lines,
    write_script,
)
from tests.conftest import few_resamples

JOBS = Path(__file__).parents[4] / "jobs"
SCRIPTS = sorted(path.name for path in JOBS.glob("*.sh"))
PLAN = ArrayPlan(tasks=3, cores=2, walltime=5400, memory=1.2e9, seconds=3000.0)
# options with the form of their values, from the manuals of sbatch(1) and of qsub(1B) of OpenPBS
DOCUMENTED = {
    "SBATCH": [
        r"--job-name=\S+",
        r"--array=1-\d+",
        r"--(cpus-per-task|nodes|ntasks)=\d+",
        r"--mem(-per-cpu)?=\d+G?",
        r"--time=\d\d:\d\d:\d\d",
        r"--output=\S+",
        r"--(requeue|exclusive)",
    ],
    "PBS": [
        r"-N [A-Za-z][\w-]{0,14}",
        r"-J 1-\d+",
        r"-l select=1:ncpus=\d+:mem=\d+gb",
        r"-l walltime=\d\d:\d\d:\d\d",
        r"-r y",
        r"-j oe",
    ],
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_directives_are_documented_and_come_before_any_command(name):
    lines = (JOBS / name).read_text().splitlines()
    assert lines[0] == "#!/bin/bash"
    kind = "PBS" if name.startswith("pbs") else "SBATCH"
    found = [line for line in lines if re.match(r"#(PBS|SBATCH)", line)]
    patterns = "|".join(DOCUMENTED[kind])
    assert [line for line in found if not re.fullmatch(rf"#{kind} ({patterns})", line)] == []
    first_command = next(i for i, line in enumerate(lines) if line and not line.startswith("#"))
    assert all(lines.index(line) < first_command for line in found)


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_are_short_and_bash_reads_them(name):
    assert len((JOBS / name).read_text().splitlines()) <= 35
    checked = subprocess.run(["bash", "-n", JOBS / name], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_a_script_for_slurm():
    script = write_script("slurm", Path("/a b/c.toml"), Path("/s.zarr"), ["--set=seed=2"], PLAN)
    assert {
        "#SBATCH --array=1-3",
        "#SBATCH --cpus-per-task=2",
        "#SBATCH --mem=2G",
        "#SBATCH --time=01:30:00",
    } < {*script.splitlines()}
    assert re.search(r"^CONFIG='/a b/c.toml' +# ", script, re.MULTILINE)
    assert "\nOPTIONS=(--set=seed=2) " in script


def test_a_script_for_pbs_says_the_number_of_tasks_twice():
    script = write_script("pbs", Path("c.toml"), Path("s.zarr"), [], PLAN)
    assert {"#PBS -J 1-3", "#PBS -l select=1:ncpus=2:mem=2gb", "#PBS -l walltime=01:30:00"} < {
        *script.splitlines()
    }
    assert re.search(r"^TASKS=3 ", script, re.MULTILINE)
    assert re.search(r"^CORES=2 ", script, re.MULTILINE)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder whose `mcrock` writes its arguments, each ended by a zero."""
    folder = tmp_path_factory.mktemp("bin of 'one'")
    (folder / "mcrock").write_text("#!/bin/sh\nprintf '%s\\0' \"$@\"\n")
    (folder / "mcrock").chmod(0o755)
    return folder


NAMES = st.text(st.characters(exclude_categories=HIDDEN, exclude_characters="/"), min_size=1, max_size=20)


@given(st.sampled_from(["slurm", "pbs"]), NAMES, NAMES, NAMES, st.booleans())
@example("slurm", "$(touch a)", "b;touch c #", "`d` '\"\\", True)
def test_every_name_of_a_script_comes_back_whole(installed, system, config, store, option, dask):
    files = [Path("/", f"{name}x") for name in (config, store, option)]
    with patch("sys.executable", str(installed / "python")):
        script = write_script(
            system, files[0], files[1], [f"--set={option}"], PLAN, files[2] if dask else None
        )
    slurm = dict.fromkeys(["SLURM_CPUS_PER_TASK", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT"], "1")
    environment = {"PBS_O_WORKDIR": "/", "PBS_ARRAY_INDEX": "1", "PATH": os.environ["PATH"], **slurm}
    ran = subprocess.run(["bash", "-euc", script], env=environment, capture_output=True, check=False)
    words = ran.stdout.decode().split("\0")
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert words[:5] == ["run", str(files[0]), "-o", str(files[1]), f"--set={option}"]
    assert not dask or words[6] == str(files[2])


@given(st.sampled_from(range(3)), NAMES, st.characters(categories=HIDDEN), NAMES)
def test_a_control_character_in_any_name_of_a_script_is_refused(place, before, control, after):
    names = ["c", "s", "o"]
    names[place] = before + control + after
    with pytest.raises(ValueError, match="without control characters"):
        write_script("slurm", Path(names[0]), Path(names[1]), [names[2]], PLAN)


def test_nothing_else_of_a_script_changes():
    made = write_script("slurm", Path("c.toml"), Path("s.zarr"), [], PLAN).splitlines()
    shipped = read_script("slurm_array.sh").splitlines()
    changed = [old.split("=")[0] for old, new in zip(shipped, made, strict=True) if old != new]
    assert changed == [
        "# A study as a Slurm job array: sbatch jobs/slurm_array.sh",
        *(f"#SBATCH {option}" for option in ("--array", "--cpus-per-task", "--mem", "--time")),
        "CONFIG",
        "STORE",
        "source .venv/bin/activate      # where mcrock is installed",
    ]


def estimate(core_seconds, chunks=1000):
    return Estimate(10**6, core_seconds / 1e6, 100, 1e8, chunks, chunks + 1, 1e6)


@pytest.mark.parametrize("hours", [0.01, 1.0, 40.0, 1000.0])
def test_tasks_end_before_their_walltime(hours):
    plan = plan_tasks(estimate(3600.0 * hours, chunks=10**6), cores=4, walltime=3600, memory=3e8, tasks=None)
    assert plan.fits
    assert START + RESERVE * plan.seconds <= 3600
    assert plan.tasks * plan.cores * plan.seconds == pytest.approx(3600.0 * hours)
    if plan.tasks > 1:  # one less would not do
        assert START + RESERVE * plan.seconds * plan.tasks / (plan.tasks - 1) > 0.8 * 3600


def test_no_task_is_without_work():
    plan = plan_tasks(estimate(3.6e8, chunks=40), cores=4, walltime=3600, memory=3e8, tasks=None)
    assert plan.tasks == 10
    assert not plan.fits


def run_script(tmp_path, script, **environment):
    (tmp_path / "script.sh").write_text(script)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", tmp_path / "script.sh"],
        cwd=tmp_path,
        env={**os.environ, "PATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def started_by(tmp_path):
    """Run a script with a `mcrock` that prints its command: arguments of every call."""
    bin, notes = tmp_path / "bin", tmp_path / "started"
    bin.mkdir()
    (bin / "mcrock").write_text(f'#!/bin/sh\nprintf "%s\\t" "$@" >> {notes}\necho >> {notes}\necho "$1"\n')
    (bin / "mcrock").chmod(0o755)

    def run(make, **environment):
        with patch("sys.executable", str(bin / "python")):
            ran = run_script(tmp_path, make(), **environment)
        assert ran.returncode == 0, ran.stderr
        calls = [line.split("\t")[:-1] for line in notes.read_text().splitlines()]
        notes.unlink()
        return calls

    return run


def test_a_pbs_array_runs_as_pbs_would_start_it(mcrock, study_file, tmp_path, started_by):
    """No PBS can be installed here, so its tasks are started with the variables that it sets, one with that
    of OpenPBS, one with that of Torque."""
    for task, index in ((2, "PBS_ARRAY_INDEX"), (1, "PBS_ARRAYID")):
        (call,) = started_by(
            lambda: write_script("pbs", study_file, tmp_path / "s.zarr", [], PLAN._replace(tasks=2)),
            **{"PBS_O_WORKDIR": str(tmp_path), index: str(task)},
        )
        assert f"{task}/2" in call
        code, output, errors = mcrock(*call)
        assert code == 0, errors
    assert "Probability of overturning (95 % interval): " in output
    assert chunks_done(tmp_path / "s.zarr").all()


def test_a_safety_assessment_goes_from_the_study_to_figures(
    mcrock, study_file, tmp_path, started_by, monkeypatch
):
    (tmp_path / "h.csv").write_text("pga [g], mean\n0.05, 1e-2\n2.0, 1e-5\n")
    lines = {"CONFIG": "study.toml", "STORE": "s.zarr", "FIGURES": "out", "HAZARD": "h.csv"}
    calls = started_by(lambda: set_lines("assessment.sh", {}, lines))
    for name in ("check", "stats", "risk"):  # what the commands print is kept
        assert (tmp_path / "out" / f"{name}.txt").read_text() == f"{name}\n"
    assert (tmp_path / "out" / "stats.json").read_text() == "stats\n"
    monkeypatch.chdir(tmp_path)
    printed = {}
    with few_resamples():
        for call in calls:
            code, printed[call[0]], errors = mcrock(*call)
            assert code == 0, errors
    assert list(printed) == ["check", "run", "verify", "stats", "plot", "risk", "report"]
    assert {"fragility.png", "risk.png", "report.html"} <= {path.name for path in Path("out").iterdir()}
    assert printed["stats"].startswith("{")  # the second time as JSON
    assert "Annual rate" in printed["risk"]


def test_a_safety_assessment_stops_at_the_first_failure(study_file, tmp_path):
    lines = {"CONFIG": "study.toml", "STORE": "s.zarr", "FIGURES": "out", "OPTIONS": "(--set seed=-1)"}
    ran = run_script(tmp_path, set_lines("assessment.sh", {}, lines))
    assert ran.returncode == 2
    assert "seed" in ran.stderr
    assert not (tmp_path / "s.zarr").exists()


def test_one_node_uses_its_cores(started_by):
    (call,) = started_by(lambda: set_lines("one_node.sh", {}, {"CONFIG": "study.toml", "STORE": "s.zarr"}))
    assert call == ["run", "study.toml", "-o", "s.zarr", "--processes", "--resume"]


def test_each_rank_of_a_job_is_a_task(started_by, tmp_path):
    (tmp_path / "bin" / "srun").write_text('#!/bin/sh\nexec "$@"\n')
    (tmp_path / "bin" / "srun").chmod(0o755)
    lines = {"CONFIG": "study.toml", "STORE": "s.zarr", "OPTIONS": "(--seed 7)"}
    (call,) = started_by(lambda: set_lines("slurm_ranks.sh", {}, lines), SLURM_PROCID="2", SLURM_NTASKS="4")
    assert call == [
        "run",
        "study.toml",
        "-o",
        "s.zarr",
        "--seed",
        "7",
        "--resume",
        "--workers",
        "1",
        "--task",
        "3/4",
    ]
