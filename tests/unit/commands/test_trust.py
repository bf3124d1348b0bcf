"""Files of strangers: a law that leaves a trace when it runs, given to every command and every reader."""

import hashlib
import os
import py_compile
import shutil
import socket
import sys
from contextlib import suppress

import matplotlib
import numba
import pytest
import typer
import xarray as xr

import mcrock
from mcrock.base.compiled_code import start_process
from mcrock.base.tables.parsing import parse_toml
from mcrock.commands import program
from mcrock.ensemble.schedule import run_tasks
from mcrock.show.style import paper_style
from mcrock.study.load import load_tested, study_of
from mcrock.study.study import Study
from tests.unit.conftest import copy_store

LAW = """
from pathlib import Path
Path(__file__).with_name("trace").touch()

def law(mass):
    return 0.5

def lean(run):
    return run.peak_tilt
"""
STUDY = """
seed = 1
motion = { source = "none" }
start = { tilt_ratio = 0.8 }
[body]
shape = "cuboid"
width = 0.3
depth = 0.3
height = 1.2
density = 2600.0
[impact]
law = "own"
own_law = "law:law"
[ensemble]
realizations = 6
responses = ["law:lean"]
"""
# One call of every command, with the study, the store or the law of a stranger wherever it takes a file.
ASKS = {  # for the word, as they would run the law
    "check": ["study.toml"],
    "run": ["study.toml", "-o", "new.zarr"],
    "simulate": ["evil.zarr", "--realization", "1"],
    "report": ["evil.zarr", "-o", "page.html"],
    "rare": ["study.toml"],
    "design": ["study.toml", "--vary=body.width=1:2", "--at=1", "--probability=0.5", "-o", "designs"],
    "validate": ["study.toml", "--measured", "table.csv", "-o", "validation"],
    "fit": ["law.py", "--body", "study.toml", "--edge", "0"],
    "population": ["fits.csv", "--into", "study.toml"],
    "submit": ["study.toml", "--dry-run"],
    "verify": ["evil.zarr", "--repair"],
}
READS = {
    "example": ["law.py"],
    "new": ["written.toml", "--answers", "study.toml"],
    "stats": ["evil.zarr"],
    "plot": ["evil.zarr", "-o", "figures"],
    "fragility": ["law.py"],
    "risk": ["evil.zarr", "study.toml"],
    "compare": ["evil.zarr", "evil.zarr"],
    "collection": ["evil.zarr"],
    "app": ["evil.zarr", "--port", "{port}"],
    "sensitivity": ["evil.zarr"],
    "calibrate": ["evil.zarr", "--labels", "law.py"],
    "export": ["evil.zarr", "-o", "out.nc"],
    "spectrum overturning": ["--record", "law.py"],
    "spectrum rocking": ["--record", "law.py"],
    "records check": ["law.py"],
    "records plot": ["law.py"],
    "records select": ["law.py"],
    "laws list": [],
    "laws show": ["law.py"],
    "measure": ["law.py", "--body", "study.toml", "--edge", "0"],
    "status": ["evil.zarr"],
    "merge": ["evil.zarr", "evil.zarr", "-o", "merged.zarr"],
    "warm": ["law.py"],
    "docs": ["law.py"],
}


def commands(group, before=()):
    for name, command in group.commands.items():
        inner = (*before, name)
        yield from commands(command, inner) if hasattr(command, "commands") else [" ".join(inner)]


class Stranger:
    """A folder with a law, a study that names it and its store; the trace shows if the law ran."""

    def __init__(self, folder):
        self.folder, self.trace, self.law = folder, folder / "trace", folder / "law.py"
        self.study, self.store = folder / "study.toml", folder / "evil.zarr"
        self.law.write_text(LAW, encoding="utf-8")
        self.study.write_text(STUDY, encoding="utf-8")

    def ran(self):
        found = self.trace.exists()
        self.trace.unlink(missing_ok=True)
        return found


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    found = Stranger(tmp_path_factory.mktemp("made"))
    mcrock.run_study(mcrock.load_config(found.study, trust_code=True), found.store, workers=1).close()
    assert found.ran()
    return found.store


@pytest.fixture
def stranger(made, tmp_path, monkeypatch):
    """In whose folder every call is made."""
    copy_store(made, tmp_path / "evil.zarr")
    monkeypatch.chdir(tmp_path)
    return Stranger(tmp_path)


def test_no_command_is_forgotten():
    assert {*ASKS, *READS} == set(commands(typer.main.get_command(program.app)))
    assert not {*ASKS} & {*READS}


@pytest.mark.parametrize("command", ASKS)
def test_what_would_run_a_law_says_so_and_stops(mcrock, stranger, command):
    if command == "verify":
        next((stranger.store / "chunks").iterdir()).unlink()
    call = (*command.split(), *ASKS[command])
    code, _, errors = mcrock(*call)
    assert not stranger.ran()
    if command == "report":
        errors = (stranger.folder / "page.html").read_text(encoding="utf-8")
    assert code == (0 if command == "report" else 2)
    digest = hashlib.sha256(stranger.law.read_bytes()).hexdigest()
    assert all(word in errors for word in (str(stranger.law), digest, "--trust-code"))
    mcrock(*call, "--trust-code", *["--overwrite"] * (command == "report"))
    assert stranger.ran()


@pytest.mark.parametrize("command", READS)
def test_no_other_command_runs_it(mcrock, stranger, command):
    with socket.socket() as taken:  # a page that would open does not
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        mcrock(*command.split(), *[word.format(port=taken.getsockname()[1]) for word in READS[command]])
    assert not stranger.ran()


def of_the_page(at):
    """A study that is typed, and a store whose run is clicked at."""
    pytest.importorskip("panel", reason="the page needs the extra app")
    from mcrock.show.app.results import Result

    with suppress(ValueError):
        study_of(parse_toml(STUDY), at.folder / "study file")
    mcrock.repeat_run(Result(mcrock.load_dataset(at.store), at.store, at.folder).study, 1)


READERS = {
    "page": of_the_page,
    "load_config": lambda at: mcrock.load_config(at.study),
    "load_dataset": lambda at: mcrock.load_dataset(at.store),
    "read_outcomes": lambda at: mcrock.read_outcomes(at.folder / "law.py"),
    "read_records": lambda at: mcrock.read_records(at.folder / "law.py"),
    "repeat_run": lambda at: mcrock.repeat_run(at.store, 1),
    "new_study": lambda at: mcrock.new_study(at.folder, shape="mesh", file="law.py"),
    "polyhedron": lambda at: mcrock.polyhedron(at.folder / "law.py"),
    "overturning_probability": lambda at: mcrock.overturning_probability(at.store),
    "exceedance_probability": lambda at: mcrock.exceedance_probability(at.store, [0.1]),
    "fit_fragility": lambda at: mcrock.fit_fragility(at.store),
    "to_frame": lambda at: mcrock.to_frame(at.store),
    "run_study": lambda at: mcrock.run_study(stored(at), at.folder / "new.zarr"),
    "xarray": lambda at: xr.open_dataset(at.store).load(),
    "load_tested": lambda at: load_tested(at.study),
    "Study": lambda at: stored(at).own_law_words,
}


def stored(at):
    with mcrock.load_dataset(at.store) as ds:
        return Study.from_json(ds.attrs["config"], at.folder)


@pytest.mark.parametrize("reader", READERS)
def test_no_reader_runs_it(stranger, reader):
    with suppress(ValueError, TypeError, OSError):
        READERS[reader](stranger)
    assert not stranger.ran()


def test_no_reader_is_forgotten():
    read = {name for name in mcrock.__all__ if name.startswith(("load_", "read_", "repeat_", "new_", "run_"))}
    assert read <= set(READERS)


def test_with_the_word_a_replay_is_that_of_the_store(stranger):
    with mcrock.load_dataset(stranger.store) as ds:
        found = mcrock.repeat_run(stranger.store, 1, trust_code=True)
        assert found.own["own_lean"][0] == ds.own_lean[1, 0]
    assert stranger.ran()


def test_the_batch_script_passes_the_word_on(mcrock, stranger):
    assert "OPTIONS=(--trust-code)" in mcrock("submit", "study.toml", "--dry-run", "--trust-code")[1]


@pytest.mark.parametrize(
    "name", ["law", "law.py", "sub.law", "sub/law.py", "../{folder}/law.py", "{path}/law.py"]
)
def test_files_are_named_from_the_folder_of_the_study(stranger, name):
    (stranger.folder / "sub").mkdir()
    shutil.copy(stranger.law, stranger.folder / "sub")
    name = name.format(folder=stranger.folder.name, path=stranger.folder.as_posix())
    changes = [f'impact.own_law="{name}:law"']
    with pytest.raises(ValueError, match=r"(?s)law\.py, sha256 [0-9a-f]{64}\n.*--trust-code .trust"):
        mcrock.load_config(stranger.study, changes)
    assert not any(stranger.folder.glob("**/trace"))
    assert mcrock.load_config(stranger.study, changes, trust_code=True).own_law.name == "law"


@pytest.mark.parametrize(
    ("name", "words"),
    [("x" * 300 + ".py", "cannot be read: File name too long"), ("large.py", "over 1000000 bytes")],
)
def test_what_is_no_source_is_refused(stranger, name, words):
    (stranger.folder / "large.py").write_bytes(b"#" * 2_000_000)
    with pytest.raises(ValueError, match=words):
        mcrock.load_config(stranger.study, [f'impact.own_law="{name}:law"'], trust_code=True)


def test_a_bare_module_is_not_looked_for_where_python_finds_modules(tmp_path, monkeypatch):
    elsewhere, here = tmp_path / "elsewhere", tmp_path / "here"
    elsewhere.mkdir()
    here.mkdir()
    stranger = Stranger(elsewhere)
    monkeypatch.syspath_prepend(elsewhere)
    shutil.move(stranger.study, here / "study.toml")
    with pytest.raises(ValueError, match=r"there is no file .*law\.py, and no installed package has it"):
        mcrock.load_config(here / "study.toml", trust_code=True)
    assert not stranger.ran()


def test_what_runs_is_the_source_that_was_shown(stranger):
    """And not compiled code next to it that says to be of it."""
    other = stranger.folder / "other.py"
    other.write_text(LAW.replace(".touch()", ".mkdir()"), encoding="utf-8")
    compiled = stranger.folder / "__pycache__" / f"law.{sys.implementation.cache_tag}.pyc"
    py_compile.compile(other, compiled, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    mcrock.load_config(stranger.study, trust_code=True)
    assert stranger.trace.is_file()


@pytest.mark.parametrize("start", ["compiler", "processes"])
def test_processes_import_nothing_from_the_current_folder(tmp_path, monkeypatch, start):
    trace = tmp_path / "trace"
    for name in ("pickle", "threading", "multiprocessing", "signal", "numpy", "numba", "mcrock"):
        (tmp_path / f"{name}.py").write_text(f"open({str(trace)!r}, 'w')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    if start == "compiler":
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
        process = start_process("lock", os.getpid, ())
        process.wait()
        assert process.returncode == 0
    else:
        results = []
        run_tasks(abs, [-1, -2], 2, results.append)
        assert sorted(results) == [1, 2]
    assert not trace.exists()


def test_settings_in_the_current_folder_name_no_programs(mcrock, stranger, monkeypatch):
    """Of numba, which unpickles from the folder of its cache, and of matplotlib, as if read from there."""
    (stranger.folder / ".numba_config.yaml").write_text("cache_dir: evil\ndisable_jit: 1", encoding="utf-8")
    before = numba.config.CACHE_DIR, numba.config.DISABLE_JIT
    numba.config.reload_config()
    assert before == (numba.config.CACHE_DIR, numba.config.DISABLE_JIT)
    ran, tools = stranger.folder / "ran", stranger.folder / "tools"
    tools.mkdir()
    for file in (stranger.folder / "evil", tools / "ffmpeg"):
        file.write_text(f"#!/bin/sh\necho {file.name} >> {ran}\nexit 3", encoding="utf-8")
        file.chmod(0o755)
    monkeypatch.setenv("PATH", str(tools), prepend=os.pathsep)
    monkeypatch.setitem(matplotlib.rcParams, "animation.ffmpeg_path", str(stranger.folder / "evil"))
    mcrock("simulate", "evil.zarr", "--realization", "1", "--trust-code", "--animate", "run.mp4")
    assert ran.read_text(encoding="utf-8").split() == ["ffmpeg"]
    monkeypatch.setitem(matplotlib.rcParams, "text.usetex", True)
    with paper_style():
        assert not matplotlib.rcParams["text.usetex"]


def test_an_installed_package_is_named_with_its_source_and_not_imported(tmp_path, monkeypatch):
    package, info = tmp_path / "site" / "theirs", tmp_path / "site" / "theirs-1.2.dist-info"
    package.mkdir(parents=True)
    info.mkdir()
    (package / "__init__.py").write_text(LAW, encoding="utf-8")
    (package / "laws.py").write_text("def law(mass):\n    return 0.5\n", encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.2\n", encoding="utf-8")
    points = "[mcrock.impact_laws]\nslow = theirs.laws:law\n"
    (info / "entry_points.txt").write_text(points, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path / "site")
    study = tmp_path / "study.toml"
    study.write_text(STUDY.replace('"law:law"', '"slow"').partition("responses")[0], encoding="utf-8")
    digest = hashlib.sha256((package / "laws.py").read_bytes()).hexdigest()
    words = rf"theirs.laws:law of the installed package theirs 1.2 in .*laws\.py, sha256 {digest}"
    with pytest.raises(ValueError, match=words):
        mcrock.load_config(study)
    assert not (package / "trace").exists()
    by_value = mcrock.load_config(study, ['impact.own_law="theirs.laws:law"'], trust_code=True)
    assert (package / "trace").exists()
    assert by_value.own_law_words.partition(",")[0] == "law"
