"""`mcrock app`: what it refuses before a page opens."""

import socket
import subprocess
import sys

import pytest


def test_without_panel_it_says_what_to_install(mcrock, store, monkeypatch):
    monkeypatch.setitem(sys.modules, "panel", None)
    code, output, errors = mcrock("app", store)
    assert (code, output, errors.count("\n")) == (2, "", 1)
    assert "pip install 'mcrock[app]'" in errors


def test_the_commands_do_not_load_it():
    code = "import sys, mcrock.commands.program; print(sorted({'panel', 'bokeh'} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_a_port_that_is_taken_is_said_to_be(mcrock, store):
    pytest.importorskip("panel", reason="the page needs the extra app")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, _, errors = mcrock("app", store, "--port", port)
    assert code == 2
    assert f"port {port} of 127.0.0.1" in errors
    assert "--port" in errors
