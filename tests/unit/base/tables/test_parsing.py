"""Texts that ask too much of the machine are refused, and what is within the limits is read as it is."""

import json
import tomllib
from pathlib import Path

import pytest

from mcrock.base.tables.parsing import (
    DEEPEST,
    DIGITS,
    ConfigError,
    parse_json,
    parse_toml,
    read_json,
    read_text,
)

LEVELS = rf"tables or lists in more than {DEEPEST} levels"


@pytest.mark.parametrize("digits", [309, 5000])
def test_json_has_no_integers_that_are_no_finite_number(tmp_path, digits):
    (tmp_path / "a.json").write_text(f'{{"a": [1{"0" * (digits - 1)}]}}')
    with pytest.raises(ConfigError, match=r"a\.json: expected JSON, an integer of more than 308 digits"):
        read_json(tmp_path / "a.json")
    (tmp_path / "a.json").write_text(f'{{"a": [1{"0" * 307}]}}')
    assert float(read_json(tmp_path / "a.json")["a"][0]) == 1e307


@pytest.mark.parametrize("levels", [DEEPEST + 1, 2000, 100_000])
@pytest.mark.parametrize(
    "form",
    [
        lambda n: "x = " + "[" * n + "]" * n,
        lambda n: "x = " + "{a = " * n + "1" + "}" * n,
        lambda n: ".".join(["x"] * (n + 1)) + " = 1",
        lambda n: "[" + " . ".join(["x"] * (n + 1)) + "]",
        lambda n: "\n".join("[" + ".".join(["x"] * k) + "]" for k in range(1, min(n + 2, 200))),
    ],
    ids=["lists", "tables", "key", "heading", "headings"],
)
def test_deep_toml_is_refused(form, levels):
    with pytest.raises(tomllib.TOMLDecodeError, match=LEVELS):
        parse_toml(form(levels))


@pytest.mark.parametrize("levels", [DEEPEST + 1, 100_000])
@pytest.mark.parametrize("ends", ["[]", ('{"a":', "}")])
def test_deep_json_is_refused(ends, levels):
    with pytest.raises(ValueError, match=LEVELS):
        parse_json(ends[0] * levels + "1" + ends[1] * levels)


@pytest.mark.parametrize("number", ["9" * (DIGITS + 1), "-" + "9" * (DIGITS + 1), "0x" + "f" * DIGITS])
def test_long_integers_are_refused(number):
    with pytest.raises(tomllib.TOMLDecodeError, match=f"an integer of more than {DIGITS} digits"):
        parse_toml(f"x = [{number}]")
    if "x" not in number:
        with pytest.raises(ValueError, match="an integer of more than 308 digits"):
            parse_json(f"[{number}]")


def test_a_file_without_end_is_refused():
    with pytest.raises(ValueError, match="more than 16777216 characters"):
        read_text(Path("/dev/zero"))


def test_what_is_within_the_limits_is_read():
    text = "[" * DEEPEST + "]" * DEEPEST
    assert parse_toml(f"x = {text[1:-1]}") == {"x": json.loads(text[1:-1])}
    assert parse_json(text) == json.loads(text)
    assert parse_toml(f"x = {'9' * DIGITS}") == {"x": 10**DIGITS - 1}
    sentence = 'x = "' + "Yes, and so on. " * 200 + '"'
    assert parse_toml(sentence) == tomllib.loads(sentence)


@pytest.mark.parametrize("text", ["{", "", "[1,]", '{"a" 1}'])
def test_what_is_no_json_says_where(text):
    with pytest.raises(json.JSONDecodeError, match="line 1 column"):
        parse_json(text)
