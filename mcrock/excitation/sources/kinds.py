"""Kinds of values in the tables of sources: units of acceleration and steps of processing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from mcrock.base.checks import joined
from mcrock.base.tables.distributions import Discrete, Distribution, Uncertain
from mcrock.base.tables.errors import refuse
from mcrock.base.tables.fields import ChoiceKey, Kind, ListOf
from mcrock.base.units import ACCELERATIONS, parse_unit
from mcrock.excitation.motion import MotionError
from mcrock.excitation.processing import check_steps

SIGNS = 'expected signs, as in { distribution = "discrete", values = [1, -1], epistemic = true }'


@dataclass(frozen=True)
class Unit(Kind):
    """A unit of acceleration, however it is written."""

    expected: str = joined(ACCELERATIONS)

    def parse(self, value: Any) -> str:
        unit = parse_unit(value)
        if unit is None:
            refuse(self.wrong(value))
        return unit


class Paths(ListOf):
    """Names of files and folders, with slashes on every system."""

    def parse(self, value: Any) -> tuple[str, ...]:
        return tuple(PurePath(path).as_posix() for path in super().parse(value))


class Sign(ChoiceKey):
    """A sign, a list of both to sample from, or a discrete distribution of signs."""

    def parse(self, value: Any) -> Any:
        if not isinstance(value, Mapping | Distribution):
            return super().parse(value)
        found = Uncertain("1").parse(value)
        if not isinstance(found, Discrete) or not set(found.values) <= {1.0, -1.0}:
            refuse(SIGNS)
        return found


@dataclass(frozen=True)
class Steps(Kind):
    """Steps of processing, each a table with the key ``step``."""

    expected: str = 'a list of steps, as in [{ step = "bandpass", low = 0.1, high = 25 }]'

    def parse(self, value: Any) -> tuple[dict[str, Any], ...]:
        if not isinstance(value, list | tuple):
            refuse(self.wrong(value))
        try:
            check_steps(value)
        except MotionError as error:
            refuse(str(error))
        return tuple(dict(step) for step in value)
