"""Names of measures with their parameters, as variables of datasets and in words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from mcrock.excitation.measures.registry import MEASURES

_PIECE = r"(?:\d[\dpme]*s|to|n\d+|d\d[\dpme]*)"  # of the parameters in a name


def variable_name(measure: str, parameters: Mapping[str, Any] | None = None) -> str:
    """Name of a measure with its parameters as that of a variable: digits, letters and underscores alone.

    >>> variable_name("pgv"), variable_name("sa", {"period": 0.5, "damping": 0.02})
    ('pgv', 'sa_0p5s_d0p02')
    >>> variable_name("avgsa", {"low": 0.2, "high": 2}), variable_name("avgsa", {"periods": [0.5, 1]})
    ('avgsa_0p2s_to_2s', 'avgsa_0p5s_1s')
    """
    given = parameters or {}
    words = [measure]
    words += [f"{given[key]:g}s" for key in ("period", "pulse_period") if key in given]
    words += [f"{period:g}s" for period in given.get("periods", ())]
    if "low" in given:
        words.append(f"{given['low']:g}s_to_{given['high']:g}s")
    words += [f"n{given['count']}"] if "count" in given else []
    words += [f"d{given['damping']:g}"] if "damping" in given else []
    return "_".join(words).replace(".", "p").replace("-", "m").replace("+", "")


def named_measure(name: str) -> tuple[str, str]:
    """Measure of a name that `variable_name` gave, and its parameters in words; ("", "") of another name.

    >>> named_measure("sa_0p5s_d0p02"), named_measure("avgsa_0p2s_to_2s"), named_measure("d5_95")
    (('sa', ' at 0.5 s, damping 0.02'), ('avgsa', ' from 0.2 s to 2 s'), ('d5_95', ''))
    """
    found = [key for key in MEASURES if re.fullmatch(rf"{key}(_{_PIECE})*", name)]
    if not found:
        return "", ""
    measure = max(found, key=len)
    pieces = re.findall(_PIECE, name[len(measure) :])
    times = [f"{_number(piece[:-1])} s" for piece in pieces if piece.endswith("s")]
    words = [_word_times(measure, times, "to" in pieces)] if times else []
    words += [f"{piece[1:]} periods" for piece in pieces if piece.startswith("n")]
    words += [f"damping {_number(piece[1:])}" for piece in pieces if piece.startswith("d")]
    return measure, " " + ", ".join(words) if words else ""


def _number(text: str) -> str:
    """A number of a name, written as usual."""
    return text.replace("p", ".").replace("m", "-")


def _word_times(measure: str, times: list[str], is_range: bool) -> str:
    """Periods of a measure in words."""
    if is_range:
        return f"from {times[0]} to {times[1]}"
    if measure == "frequency_ratio":
        return f"with a pulse of {times[0]}"
    return f"{'at' if len(times) == 1 else 'over'} {', '.join(times)}"
