"""The command line is tried on the small study of all unit tests."""

import signal
import sys

import pytest

from mcrock.commands import program
from tests.unit.conftest import copy_store


@pytest.fixture
def mcrock(monkeypatch, capsys):
    """Run the command line in this process: (exit code, output, errors)."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["mcrock", *map(str, arguments)])
        terminate = signal.getsignal(signal.SIGTERM)
        try:
            with pytest.raises(SystemExit) as ended:
                program.main()
        finally:
            signal.signal(signal.SIGTERM, terminate)
        return ended.value.code or 0, *capsys.readouterr()

    return call


@pytest.fixture
def store(computed, study_file, tmp_path):
    """Finished store of the small study, and its log, next to the study's file."""
    return copy_store(computed, tmp_path / "s.zarr")
