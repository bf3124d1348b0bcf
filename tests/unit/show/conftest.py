"""Texts and figures show what was computed; how sure it is, is tested with the statistics."""

import pytest

from tests.conftest import few_resamples


@pytest.fixture(autouse=True, scope="package")
def fewer():
    with few_resamples():
        yield
