"""Who waits for the compiler is told, once."""

import multiprocessing
import os
import re
import subprocess
import sys
from time import perf_counter, sleep

import numba
import pytest
from numba import typeof

from mcrock.base import compiled_code
from mcrock.base.compiled_code import LONG, expected_time, piece_name, report_compilation, yardstick

KERNEL = "kernel.batch.run_part"


@pytest.fixture(autouse=True)
def impatient(monkeypatch, tmp_path):
    monkeypatch.setenv("MCROCK_COMPILE_FIRST", "")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    (tmp_path / "mcrock").mkdir()
    monkeypatch.setattr(compiled_code, "SILENCE", 0.01)


def test_a_long_wait_is_announced_and_timed(capsys):
    with report_compilation(KERNEL):
        sleep(0.5)
        begun = capsys.readouterr().err
    what = "mcrock: compiling the kernel for this processor, once for each version: about "
    assert begun.startswith(what)
    assert begun.endswith(" s, by the speed of this machine\n")
    assert begun.count("\n") == 1
    assert re.fullmatch(r"mcrock: the compiler took \d s\n", capsys.readouterr().err)


def test_the_next_time_it_is_as_long_as_the_last_one(monkeypatch, capsys, tmp_path):
    with report_compilation(KERNEL):
        sleep(0.6)
    seconds, how = expected_time(KERNEL)
    assert (0.5 < seconds < 5.0, how) == (True, "as it took here last time")
    (tmp_path / "mcrock" / f"{KERNEL}.seconds").write_text("33.3")
    capsys.readouterr()
    with report_compilation(KERNEL, began=perf_counter() - 10):
        sleep(0.3)
    said = capsys.readouterr().err.splitlines()[0]
    assert said.endswith(": about 23 s, as it took here last time")
    assert expected_time(KERNEL)[0] == 33.3  # what was not timed from its start is not kept


def test_the_first_time_is_by_the_speed_of_the_machine(monkeypatch):
    """Half the speed, twice the time; a single core, which nobody helps, takes longer."""
    monkeypatch.setattr(compiled_code, "cores", lambda: 2)
    for piece, (_, helped, alone) in LONG.items():
        monkeypatch.setattr(compiled_code, "yardstick", lambda: 0.01)
        assert expected_time(piece) == (0.01 * helped, "by the speed of this machine")
        monkeypatch.setattr(compiled_code, "yardstick", lambda: 0.02)
        assert expected_time(piece)[0] == 0.02 * helped
        assert alone >= helped
    monkeypatch.setattr(compiled_code, "cores", lambda: 1)
    assert expected_time(KERNEL)[0] == 0.02 * LONG[KERNEL][2]
    assert expected_time("mine.law") == (0.0, "")


def test_the_yardstick_is_longer_for_more_work(monkeypatch):
    short = yardstick()
    monkeypatch.setattr(compiled_code, "YARD", 4 * compiled_code.YARD)
    assert 2 * short < yardstick() < 12 * short


def test_what_is_compiled_has_its_name(capsys):
    from mcrock.kernel.batch import run_part

    kinds = tuple(map(typeof, (1.0, None)))
    assert piece_name(run_part, kinds) == KERNEL
    assert piece_name(run_part, (*kinds, typeof(True))) == f"{KERNEL} with friction"
    with report_compilation("mine.law"):
        sleep(0.3)
    assert capsys.readouterr().err.splitlines()[0] == (
        "mcrock: compiling mine.law for this processor, once for each version"
    )


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_a_cold_start_names_the_response_spectra(tmp_path):
    """A compilation of one to two seconds in a process of its own."""
    code = (
        "from mcrock.base import compiled_code; compiled_code.SILENCE = 0.1; import numpy; "
        "from mcrock.excitation.response_spectra import response_spectrum; "
        "response_spectrum(numpy.ones(2), 0.01, [1.0])"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stderr.startswith("mcrock: compiling response spectra for this processor")
    assert float((tmp_path / "mcrock" / "excitation.response_spectra._fill.seconds").read_text()) > 0.1


def test_a_short_wait_is_silent(monkeypatch, capsys):
    monkeypatch.setattr(compiled_code, "SILENCE", 60.0)
    with report_compilation(KERNEL):
        pass
    assert capsys.readouterr() == ("", "")


def test_tests_are_silent(monkeypatch, capsys):
    monkeypatch.setenv("MCROCK_COMPILE_FIRST", "1")
    with report_compilation(KERNEL):
        sleep(0.3)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("name", "speaks"), [("SpawnProcess-1", True), ("SpawnProcess-2", False)])
def test_of_worker_processes_one_speaks(monkeypatch, capsys, name, speaks):
    monkeypatch.setattr(multiprocessing.current_process(), "_name", name)
    with report_compilation(KERNEL):
        sleep(0.3)
    assert bool(capsys.readouterr().err) == speaks
