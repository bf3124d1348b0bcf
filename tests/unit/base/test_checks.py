"""Rules of values: what keeps them, and that Python and study files share those of the controls."""

from dataclasses import fields
from math import inf, nan
from typing import get_type_hints

import numpy as np
import pytest

from mcrock.base.checks import Choice, Flag, Integer, Number, check_array
from mcrock.impact.conditions import PARAMETERS, Controls, Impact
from mcrock.study import ConfigError, load_config
from tests.unit.study.conftest import VALID

BAD = {
    "step": (0, -0.1, 1.1, nan, inf, "a", True),
    "max_step": (0.0, -1, nan, "a"),
    "tail": (-1e-9, inf, "a"),
    "edge_zeno_time": (0.0, nan),
    "rest_time": (0.0, -1.0),
    "max_steps": (0, -1, 1.5, 2**31, "a", True),
    "max_impacts": (0, 1e6, 2**31),
    "max_contact_solves": (0, 1e6, 2**31),
    "recheck": (-0.1, 1.1, nan),
    "follow_fall": (1, "yes"),
    "stop_at_settling": (0, "no"),
    "overturned_by": ("x", "TILT", 1, ""),
}
GOOD = {
    "step": (1, 0.5, 1e-3),
    "max_step": (0.5, 3),
    "tail": (0, 0.0, 10),
    "edge_zeno_time": (1e-9,),
    "rest_time": (1e-9,),
    "max_steps": (1, 2_000_000_000),
    "max_impacts": (1,),
    "max_contact_solves": (1, 2_000_000_000),
    "recheck": (0, 1, 0.5),
    "follow_fall": (True, False),
    "stop_at_settling": (True, False),
    "overturned_by": ("contact", "tilt"),
}


def written(value):
    """A value in TOML."""
    return str(value).lower() if isinstance(value, bool) else repr(value)


def loaded(tmp_path, name, value):
    path = tmp_path / "study.toml"
    path.write_text(f"{VALID}\n[controls]\n{name} = {written(value)}\n")
    return load_config(path).controls


@pytest.mark.parametrize("name", BAD)
def test_controls_refuse_in_python_what_a_study_file_refuses(tmp_path, name):
    for value in BAD[name]:
        with pytest.raises(ValueError, match=rf"^Controls\.{name} must be .*, got "):
            Controls(**{name: value})
        with pytest.raises(ConfigError, match=rf"\[controls\] {name}: "):
            loaded(tmp_path, name, value)


@pytest.mark.parametrize("name", GOOD)
def test_controls_take_in_python_what_a_study_file_takes(tmp_path, name):
    for value in GOOD[name]:
        ours, theirs = Controls(**{name: value}), loaded(tmp_path, name, value)
        assert ours == theirs
        assert type(getattr(ours, name)) is type(getattr(Controls(), name))


def test_every_control_has_a_rule_that_its_default_keeps():
    assert set(BAD) == set(GOOD) == {field.name for field in fields(Controls)}
    for field in fields(Controls):
        assert field.metadata["rule"].fits(field.default)


def test_a_message_names_value_rule_and_unit():
    with pytest.raises(
        ValueError, match=r"^Controls\.step must be a finite number > 0 and <= 1 \[1\], got nan$"
    ):
        Controls(step=nan)
    with pytest.raises(ValueError, match=r"must be 'contact' or 'tilt', got 'x'$"):
        Controls(overturned_by="x")


@pytest.mark.parametrize("value", [0.5, np.float32(0.5), np.array(0.5), np.int64(1)])
def test_numbers_of_numpy_become_plain_ones(value):
    found = Number("m").check("x", value)
    assert type(found) is float
    assert found == value


@pytest.mark.parametrize("value", [True, "1", b"1", [1.0], np.ones(1), None, 1j, 10**400, {}])
def test_what_is_no_number(value):
    assert not Number("m").fits(value)


def test_integers_flags_and_choices():
    assert type(Integer(0).check("n", np.int32(3))) is int
    assert not any(Integer(0, 5).fits(value) for value in (-1, 6, 2.0, "2", True, np.bool_(True)))
    assert Flag().check("f", np.bool_(True)) is True
    assert not Flag().fits(1)
    assert not any(Choice(("a", 1)).fits(value) for value in ("b", True, ["a"], None, 2))


@pytest.mark.parametrize("value", [[1, 2], [[1, 2, 3]], [1, 2, nan], ["1", "2", "3"], 3, None, [1, [2], 3]])
def test_arrays_have_their_shape(value):
    with pytest.raises(ValueError, match=r"^com must be 3 finite numbers \[m\], got "):
        check_array("com", value, (3,), "m")


def test_a_checked_array_is_a_copy():
    given = np.ones((3, 3))
    found = check_array("inertia", given, (3, 3), "kg m2")
    given[:] = 2.0
    assert (found == 1.0).all()


def test_impacts_have_a_field_for_every_parameter_of_the_registry():
    """Type checkers and editors read the fields: their types tell which parameters may be left out."""
    declared = [item for item in fields(Impact) if "rule" in item.metadata and item.name in PARAMETERS]
    assert [item.name for item in declared] == list(PARAMETERS)
    hints = get_type_hints(Impact)
    for item in declared:
        row = PARAMETERS[item.name]
        assert (item.default, item.metadata["rule"]) == (row.default, row.rule)
        assert hints[item.name] == (float | None if row.default is None else float)
