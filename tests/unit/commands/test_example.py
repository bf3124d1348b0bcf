"""`mcrock example`: the list, copies that work where they are, and files that are kept."""

import re
import subprocess

import pytest

from mcrock.base.environment import shipped
from mcrock.commands.reference import needs, notebooks, scripts, studies, tables
from mcrock.study import load_config


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_example_is_listed_with_one_line(mcrock):
    code, output, errors = mcrock("example")
    assert (code, errors) == (0, "")
    listed = re.findall(r"^  (\w+) +(\S.*)$", output, re.MULTILINE)
    shown = [*studies(), *tables(), *scripts(), *notebooks()]
    assert [name for name, _ in listed] == [path.stem for path in shown]
    assert ("storage_cask", "Freestanding storage cask, cloud of records") in listed
    assert ("slurm_array", "A study as a Slurm job array") in listed
    assert max(map(len, output.splitlines())) <= 100
    shipped_files = {path.stem for path in shipped("configs").glob("*.toml")}
    assert shipped_files <= {name for name, _ in listed}


@pytest.mark.parametrize("path", studies() + tables() + notebooks(), ids=lambda path: path.stem)
def test_a_study_or_notebook_is_copied_as_it_is(mcrock, folder, path):
    command = {".toml": "mcrock check", ".csv": "mcrock fragility"}.get(path.suffix, "jupyter lab")
    wrote = "".join(f"wrote {one.name}\n" for one in (path, *needs(path)))
    assert mcrock("example", path.stem) == (0, f"{wrote}next: {command} {path.name}\n", "")
    assert (folder / path.name).read_text() == path.read_text()
    if path.suffix == ".toml":
        assert load_config(folder / path.name).to_json() == load_config(path).to_json()


@pytest.mark.parametrize("path", scripts(), ids=lambda path: path.stem)
def test_a_script_comes_with_the_files_it_names(mcrock, folder, path):
    assert mcrock("example", path.stem)[0] == 0
    text = (folder / path.name).read_text()
    assert not re.search(r"\b(configs|jobs)/", text)
    subprocess.run(["bash", "-n", path.name], check=True)
    files = re.findall(r"^(?:CONFIG|CLUSTER)=(\S+)", text, re.MULTILINE)
    assert files
    assert {file.name for file in folder.iterdir()} == {path.name, *files}


def test_which_files_a_script_names():
    assert [path.name for path in needs(shipped("jobs") / "pbs_dask.sh")] == ["quickstart.toml", "pbs.yaml"]
    assert [path.name for path in needs(shipped("jobs") / "assessment.sh")] == ["quickstart.toml"]
    assert needs(shipped("configs") / "quickstart.toml") == []
    assert [path.name for path in needs(shipped("configs") / "shake_table.toml")] == ["shake_table.csv"]


def test_nothing_is_overwritten(mcrock, folder):
    (folder / "quickstart.toml").write_text("seed = 1")
    assert mcrock("example", "quickstart") == (
        2,
        "",
        "mcrock: quickstart.toml exists here and is not overwritten; rename it, or change folder\n",
    )
    code, output, _ = mcrock("example", "slurm_dask")
    assert code == 0
    assert "quickstart.toml exists here and is kept\nwrote slurm.yaml\n" in output
    assert (folder / "quickstart.toml").read_text() == "seed = 1"


def test_an_unknown_example_is_one_message(mcrock, folder):
    code, output, errors = mcrock("example", "quickstart.toml")
    assert (code, output) == (2, "")
    first, second = errors.splitlines()
    assert first == "mcrock: no example 'quickstart.toml'; did you mean 'quickstart'?"
    assert second.startswith("mcrock: the examples are cabinet_on_floor, full_range, ")
    assert list(folder.iterdir()) == []
