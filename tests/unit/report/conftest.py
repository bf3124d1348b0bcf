"""Figures are tried on the simulated study of the statistics tests."""

from tests.unit.statistics.conftest import make_study

__all__ = ["make_study"]
