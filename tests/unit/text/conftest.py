"""Text is tried on the synthetic studies of the statistics."""

from tests.unit.statistics.conftest import make_study

__all__ = ["make_study"]
