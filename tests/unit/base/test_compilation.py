"""Who waits for the compiler is told, once."""

import multiprocessing
from time import sleep

import pytest

from mcrock.base import compiled_code
from mcrock.base.compiled_code import report_compilation


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setenv("MCROCK_COMPILE_FIRST", "")
    monkeypatch.setattr(compiled_code, "SILENCE", 0.01)


def test_a_long_wait_is_announced_and_timed(capsys):
    with report_compilation():
        sleep(0.3)
        begun = capsys.readouterr().err
    assert begun.startswith("mcrock: compiling for this processor, once for each version")
    assert begun.count("\n") == 1
    assert capsys.readouterr() == ("", "mcrock: the compiler took 0 s\n")


def test_a_short_wait_is_silent(monkeypatch, capsys):
    monkeypatch.setattr(compiled_code, "SILENCE", 60.0)
    with report_compilation():
        pass
    assert capsys.readouterr() == ("", "")


def test_tests_are_silent(monkeypatch, capsys):
    monkeypatch.setenv("MCROCK_COMPILE_FIRST", "1")
    with report_compilation():
        sleep(0.3)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("name", "speaks"), [("SpawnProcess-1", True), ("SpawnProcess-2", False)])
def test_of_worker_processes_one_speaks(monkeypatch, capsys, name, speaks):
    monkeypatch.setattr(multiprocessing.current_process(), "_name", name)
    with report_compilation():
        sleep(0.3)
    assert bool(capsys.readouterr().err) == speaks
