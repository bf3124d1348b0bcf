"""Inputs of a table that may differ between realizations: how datasets call and declare it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import IntEnum
from typing import Any, NamedTuple

from mcrock.base.tables.fields import Table
from mcrock.base.units import as_in_datasets

Numbers = Mapping[str, Any]  # what was drawn for one realization, by key; of a choice its code


class Input(NamedTuple):
    """Number or choice under a key of a table that realizations may have of their own."""

    long_name: str
    codes: type[IntEnum] | None = None  # of a choice, in the order of its options
    variable: str | None = None  # in datasets, where its key means something else there


Inputs = Mapping[str, Input]  # by key


class Declaration(NamedTuple):
    """Dataset variable of an input."""

    name: str
    units: str
    long_name: str
    codes: type[IntEnum] | None


def design_order(inputs: Inputs) -> list[str]:
    """Keys in the order of the design, where numbers come before choices."""
    return sorted(inputs, key=lambda key: inputs[key].codes is not None)


def declare(table: type[Table], inputs: Inputs, prefix: str) -> Iterator[Declaration]:
    """Variables of the inputs of a table, with the units of its keys.

    Of a list of numbers each has its own: # stands for its place, and {0} in the words.
    """
    for key, (long_name, codes, variable) in inputs.items():
        kind = table.kind(key)
        units = "1" if codes else as_in_datasets(getattr(kind, "unit", "1"))
        places = "_#" * getattr(kind, "n_places", 0)
        yield Declaration(f"{prefix}{variable or key}{places}", units, long_name, codes)
