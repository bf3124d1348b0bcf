"""The command line is tried on the small study of all unit tests."""

import signal
import sys

import pytest

from mcrock.base import session
from tests.conftest import few_resamples
from tests.unit.conftest import copy_store


@pytest.fixture(autouse=True, scope="package")
def fewer():
    """Of all commands alike; how sure a number is, is tested with the statistics."""
    with few_resamples():
        yield


@pytest.fixture
def store(computed, study_file, tmp_path):
    """Finished store of the small study, and its log, next to the study's file."""
    return copy_store(computed, tmp_path / "s.zarr")


@pytest.fixture
def listen(monkeypatch):
    """Function that has a signal interrupt, as the program does, until the end of the test."""
    before = {number: signal.getsignal(number) for number in (*session.SIGNALS, signal.SIGALRM)}
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)

    def listen(number):
        signal.signal(number, signal.SIG_DFL)
        session.listen(number)

    yield listen
    for number, handler in before.items():
        signal.signal(number, handler)
