"""A table of inputs made elsewhere, one realization a row, instead of a design."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mcrock.base.checks import joined
from mcrock.base.tables.distributions import MOST_LISTED
from mcrock.base.tables.errors import ConfigError, shown
from mcrock.base.tables.fields import ChoiceKey, ListOf, Table
from mcrock.base.units import factor_to, split_header
from mcrock.study.study import tables

Columns = Mapping[str, Sequence[Any]]  # by header: the dotted key, or it and its unit as in "body.width [m]"


def listed(columns: Columns, source: str) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    """Keys of a table of inputs with the header of each, and the raw value of the study file in its place.

    Raises
    ------
    ConfigError
        With one line for every column that cannot be one.

    Numbers in another unit of the kind of their key, as ``body.width [mm]``, are turned into its own.
    """
    found: list[tuple[tuple[str, ...], str, Any]] = []
    mistakes = []
    lengths = {name: len(columns[name]) for name in columns}
    if not lengths or len({*lengths.values()}) > 1 or not all(lengths.values()):
        rows = ", ".join(f"{n} in {name!r}" for name, n in lengths.items()) or "no column"
        raise ConfigError(f"{source}: expected as many numbers in every column, at least one, got {rows}")
    for name in columns:
        dotted, unit = split_header(str(name))
        keys = tuple(part.strip() for part in dotted.split("."))
        try:
            values = np.asarray(columns[name], float)
        except (TypeError, ValueError, OverflowError):
            mistakes.append(
                f"{source}, column {name!r}: expected numbers, got {shown(columns[name][0])} first"
            )
            continue
        values, problem = _in_unit_of(keys, unit, values), _problem(keys, unit, values)
        if problem:
            mistakes.append(f"{source}, column {name!r}: {problem}")
        elif keys == ("motion", "record"):
            found.append((keys, str(name), [int(value) for value in values]))
        else:
            found.append((keys, str(name), {"distribution": "listed", "values": values.tolist()}))
    if mistakes:
        raise ConfigError(mistakes)
    yield from found


def _problem(keys: tuple[str, ...], unit: str, values: np.ndarray) -> str:
    """Why numbers cannot stand for a key with a unit, in words; none if they can."""
    kinds = [variant.kind(keys[1]) for variant in _variants(keys)]
    if len(keys) < 2 or keys[0] not in tables():
        return f"expected a key with its section, as body.width, of {joined(tables())}"
    if len(values) > MOST_LISTED:
        return f"a table may have {MOST_LISTED} rows, got {len(values)}"
    if not np.isfinite(values).all():
        return f"expected finite numbers, got {values[~np.isfinite(values)][0]:g}"
    if any(isinstance(kind, ChoiceKey) for kind in kinds):
        return "is a choice of words or codes, and a column has numbers: give it in the study file"
    if any(isinstance(kind, ListOf) for kind in kinds) and (values % 1).any():
        return f"expected whole numbers, got {values[values % 1 != 0][0]:g}"
    wanted = _units(keys)
    if unit and wanted and all(factor_to(unit, each) is None for each in wanted):
        return f"its unit is {joined(wanted)} or another of its kind, got {unit}"
    return ""


def _units(keys: tuple[str, ...]) -> list[str]:
    """Units of a key of a section, in the tables that have it; none of keys further down."""
    kinds = [variant.kind(keys[1]) for variant in _variants(keys)] if len(keys) == 2 else []
    return sorted({str(getattr(kind, "unit", "1")) for kind in kinds if kind is not None})


def _in_unit_of(keys: tuple[str, ...], unit: str, values: np.ndarray) -> np.ndarray:
    """Numbers of a column in the unit of its key, where it names another of the same kind."""
    factors = [factor for each in _units(keys) if unit and (factor := factor_to(unit, each))]
    return values * factors[0] if factors and 1.0 not in factors else values


def _variants(keys: tuple[str, ...]) -> Iterator[type[Table]]:
    """Tables of a section that have a key."""
    if len(keys) > 1:
        yield from (table for table in tables().get(keys[0], {}).values() if keys[1] in table.key_names())
