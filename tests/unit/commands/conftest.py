"""The command line is tried on the small study of the ensemble tests."""

import signal
import sys

import pytest

from mcrock.commands import program
from tests.unit.ensemble.conftest import study_file

__all__ = ["study_file"]


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
def store(mcrock, study_file, tmp_path):
    """Finished store of the small study."""
    assert mcrock("run", study_file, "-o", tmp_path / "s.zarr")[0] == 0
    return tmp_path / "s.zarr"
