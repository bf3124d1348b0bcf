"""The command line is tried on the small study of the ensemble tests."""

from tests.unit.ensemble.conftest import study_file

__all__ = ["study_file"]
