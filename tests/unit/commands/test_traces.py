"""Commands leave the process that called them as it was: a notebook, or a program of a user."""

import atexit
import warnings

import pytest

from tests.traces import state, traces

COMMANDS = {  # with the exit code
    "--version": 0,
    "check study.toml": 0,
    "check absent.toml": 2,
    "plot s.zarr -o figures": 0,
    "verify s.zarr --repair": 0,
    "export s.zarr -o absent/s.nc": 2,
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_leaves_the_process_that_called_it_as_it_was(
    mcrock, store, study_file, monkeypatch, command
):
    monkeypatch.chdir(study_file.parent)
    monkeypatch.setattr(warnings, "showwarning", lambda *args, **kwargs: None)
    ours, filters, before = warnings.showwarning, warnings.filters[:], state()
    assert mcrock(*command.split())[0] == COMMANDS[command]
    assert traces(before) == {}
    assert (warnings.showwarning, warnings.filters) == (ours, filters)


def test_a_command_leaves_nothing_to_do_at_the_end(mcrock):
    mcrock("--version")
    registered = atexit._ncallbacks()
    mcrock("--version")
    assert atexit._ncallbacks() == registered
