"""Ways to damage a text, and a value of a table."""

import copy
import json
import math
from collections.abc import Mapping
from random import Random
from typing import Any

NUMBERS = (
    0, -1, 1, 2, 3, 1000, 10**6, 10**9, 2**31, 2**63 - 1, 2**63, 10**30, 10**400, -(10**400), 0.0, -0.0,
    1e-320, 1e-300, 1e-9, 0.5, 1.5, 89.9, 1e3, 1e9, 1e15, 1e154, 1e308, -1e308, math.inf, -math.inf, math.nan,
)  # fmt: skip
OTHERS = (
    True, False, "", "a", "inf", "nan", "none", "\0", "../..", "ä" * 300, [], [[]], {}, [1], ["a"], [{}],
    {"a": 1}, [[1], [1, 2]],
)  # fmt: skip
DISTRIBUTIONS = {
    "normal": ("mean", "std"),
    "lognormal": ("median", "dispersion", "mean", "std"),
    "uniform": ("low", "high"),
    "triangular": ("low", "mode", "high"),
    "truncated_normal": ("mean", "std", "low", "high"),
    "beta": ("alpha", "beta", "low", "high"),
    "discrete": ("values", "probabilities"),
}
TOKENS = (*"[]{}='-,#\n\r\0\ufeff", '"', "nan", "inf", "1e999", "0x", "true")


def any_value(random: Random, depth: int = 0) -> Any:
    """Something that a key hardly ever expects."""
    kind = random.random()
    if kind < 0.5:
        return random.choice(NUMBERS)
    if kind < 0.75 or depth > 2:
        return copy.deepcopy(random.choice(OTHERS))
    if kind < 0.9:
        return any_distribution(random, depth)
    return [any_value(random, depth + 1) for _ in range(random.randrange(5))]


def any_distribution(random: Random, depth: int = 0) -> dict[str, Any]:
    """A table of a distribution, of which little needs to be right."""
    name, keys = random.choice(list(DISTRIBUTIONS.items()))
    table: dict[str, Any] = {"distribution": name}
    for key in keys:
        if random.random() < 0.9:
            table[key] = random.choice((random.uniform(-1, 3), any_value(random, depth + 1)))
    if random.random() < 0.2:
        table["epistemic"] = random.choice((True, any_value(random, depth + 1)))
    return table


def damaged_value(random: Random, value: Any) -> Any:
    """A value that is like another one, or not at all."""
    kind = random.random()
    if isinstance(value, bool) or kind < 0.25:
        return any_value(random)
    if isinstance(value, int | float):
        if kind < 0.6:
            size = random.choice((1, 3, 12))
            return value * 10.0 ** random.randint(-size, size) if abs(value) < 1e300 else 1
        if kind < 0.8:
            return any_distribution(random)
        return random.choice(
            (-value, round(value) if abs(value) < 1e300 else 0, str(value), [value], {"value": value})
        )
    if isinstance(value, str):
        return damaged_text(random, value)
    if isinstance(value, list) and value:
        value = copy.deepcopy(value)
        place = random.randrange(len(value))
        if kind < 0.5:
            value[place] = damaged_value(random, value[place])
        elif kind < 0.7:
            del value[place]
        else:
            value.insert(place, any_value(random) if kind < 0.85 else value[place])
        return value
    if isinstance(value, dict) and value:
        value = copy.deepcopy(value)
        damage_table(random, value)
        return value
    return any_value(random)


def damage_table(random: Random, table: dict[str, Any], known: Mapping[str, Any] | None = None) -> None:
    """Change one thing in a table, or in one that it holds; `known` are keys with examples."""
    kind = random.random()
    inner = [value for value in table.values() if isinstance(value, dict)]
    if inner and kind < 0.6:
        damage_table(random, random.choice(inner))
    elif known and (kind < 0.8 or not table):
        key = random.choice(list(known))
        table[key] = copy.deepcopy(known[key]) if kind < 0.7 else damaged_value(random, known[key])
    elif not table:
        table["x"] = any_value(random)
    else:
        key = random.choice(list(table))
        if kind < 0.9:
            table[key] = damaged_value(random, table[key])
        elif kind < 0.95:
            del table[key]
        else:
            table[random.choice((key.upper(), key[:-1], "x"))] = table.pop(key)


def damaged_text(random: Random, text: str) -> str:
    """A text with a few damages of its characters, words and lines."""
    for _ in range(random.randint(1, 3)):
        if not text:
            return random.choice(TOKENS)
        place, length = random.randrange(len(text)), int(2 ** random.uniform(0, 10))
        kind = random.randrange(8)
        if kind == 0:
            text = text[:place] + chr(random.randrange(256)) + text[place + 1 :]
        elif kind == 1:
            text = text[:place] + random.choice(TOKENS) + text[place:]
        elif kind == 2:
            text = text[:place] + text[place + length :]
        elif kind == 3:
            text = (
                text[:place]
                + text[place : place + length] * random.choice((2, 3, 100))
                + text[place + length :]
            )
        elif kind == 4:
            text = text[:place]
        elif kind == 5:  # a number becomes another
            text = _with_number(random, text, place)
        else:
            lines = text.splitlines(keepends=True)
            line = random.randrange(len(lines))
            if kind == 6:
                del lines[line]
            else:
                lines.insert(random.randrange(len(lines)), lines[line])
            text = "".join(lines)
    return text


def _with_number(random: Random, text: str, place: int) -> str:
    """The next number of a text replaced."""
    digits = "0123456789.-+eE"
    first = next((i for i in range(place, len(text)) if text[i].isdigit()), None)
    if first is None:
        return text
    last = next((i for i in range(first, len(text)) if text[i] not in digits), len(text))
    other = random.choice((*map(str, NUMBERS), "9" * 30, "1e999", "0x10", "1_000", "--1", "1.2.3"))
    return text[:first] + other + text[last:]


def toml(data: Mapping[str, Any]) -> str:
    """A TOML document, all of its tables in one line each."""
    return "\n".join(f"{_key(key)} = {_toml(value)}" for key, value in data.items()) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value).replace("\x7f", "\\u007f")
    return json.dumps(value)


def _key(key: str) -> str:
    return json.dumps(key)
