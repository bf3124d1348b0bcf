"""The command line is tried on the small study of all unit tests."""

import pytest

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
