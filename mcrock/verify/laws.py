"""Cases of impact laws and of the systems that show them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from mcrock.verify import laws_kinematic, laws_multiple, laws_single
from mcrock.verify.checks import CaseError, ComparedQuantity, compare, is_information, same

LAW_CASES = laws_kinematic.LAW_CASES | laws_single.LAW_CASES | laws_multiple.LAW_CASES
WORDS = {"inf": np.inf, "-inf": -np.inf, "nan": np.nan}


class UnknownLawError(CaseError):
    """A case of a law that is not in the library."""


def _read(value: Any) -> Any:
    """A value of a case with the words for infinite and undefined numbers as numbers."""
    if isinstance(value, Mapping):
        return {key: _read(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_read(item) for item in value]
    return WORDS.get(value, value) if isinstance(value, str) else value


def _compute(case: dict[str, Any]) -> dict[str, Any]:
    law = case["law"]
    if law not in LAW_CASES:
        raise UnknownLawError(f"unknown law {law!r}; known are {', '.join(sorted(LAW_CASES))}")
    return LAW_CASES[law](_read(case["inputs"]))


def value_case(case: dict[str, Any]) -> Iterator[ComparedQuantity]:
    """Every field that is expected."""
    computed = _compute(case)
    for key, expected in case["expected"].items():
        empty_set = key == "interval" and expected is None
        if is_information(key, expected) and not empty_set:
            continue
        yield from _checks(case, key, _read(expected), computed[key])


def set_case(case: dict[str, Any]) -> Iterator[ComparedQuantity]:
    """One of several solutions, their number, and all of them in any order."""
    computed, expected = _compute(case), _read(case["expected"])
    solutions = expected["P_all"]
    nearest = min(solutions, key=lambda point: float(np.linalg.norm(np.subtract(point, computed["P"]))))
    yield from _checks(case, "P", nearest, computed["P"])
    yield from _checks(case, "n_solutions", expected["n_solutions"], computed["n_solutions"])
    own = np.array(computed["P_all"], float)
    order = [int(np.linalg.norm(own - point, axis=1).argmin()) for point in np.array(solutions, float)]
    for key in ("P_all", "dE_all"):
        if expected.get(key) is not None:
            yield from _checks(case, key, expected[key], [computed[key][i] for i in order])


def error_case(case: dict[str, Any]) -> Iterator[ComparedQuantity]:
    """Input that must be refused."""
    try:
        _compute(case)
    except UnknownLawError:
        raise
    except (ValueError, KeyError) as error:  # a missing input is refused too
        yield same(case["id"], "refused", "error", "error" if str(error) else "error without a message")
    else:
        yield same(case["id"], "refused", "error", "accepted")


def _checks(case: dict[str, Any], key: str, expected: Any, computed: Any) -> Iterator[ComparedQuantity]:
    """Compare numbers by the tolerance of the case, words and truth values as they are, tables by key."""
    if isinstance(expected, Mapping):
        for name, item in expected.items():
            yield from _checks(case, f"{key}.{name}", item, computed[name])
    elif isinstance(expected, list) and any(isinstance(item, Mapping) for item in expected):
        yield same(case["id"], f"{key}: number", len(expected), len(computed))
        for number, item in enumerate(expected):  # in any order: by kind, or the nearest velocity
            own = next((found for found in computed if found.get("kind") == item.get("kind")), None)
            if own is None:
                item = {name: value for name, value in item.items() if name != "kind"}
                own = min(computed, key=lambda found: _distance(found, item))
            yield from _checks(case, f"{key} {item.get('kind', number)}", item, own)
    elif expected is None or isinstance(expected, bool | str) or _are_words(expected):
        yield same(case["id"], key, expected, computed)
    else:
        tolerance = case.get("tol", {})
        absolute, relative = tolerance.get("abs") or 0.0, tolerance.get("rel") or 0.0
        there = np.nan if computed is None else computed
        yield compare(case["id"], key, expected, there, absolute, relative)


def _distance(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> float:
    """Distance of the velocity of a solution from a wanted one."""
    return float(np.linalg.norm(np.subtract(found["u_plus"], wanted["u_plus"])))


def _are_words(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(item, str | bool) for item in value)


LAW_KINDS = {"value": value_case, "set": set_case, "error": error_case}
