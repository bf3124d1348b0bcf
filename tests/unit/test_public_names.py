"""The names at the top of the package: all are there, known to type checkers; others say where they are."""

import ast
import inspect
from dataclasses import fields
from pathlib import Path

import pytest

import mcrock
from mcrock.body.parts import SHAPES
from mcrock.excitation.sources import SOURCES
from mcrock.study.study import tables

ELSEWHERE = [
    ("plots", "plot_history"),
    ("statistics", "annual_rate"),
    ("excitation", "read_csv"),
    ("rare", "rare_probability"),
]


def names_for_type_checkers():
    tree = ast.parse(Path(mcrock.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If) and node.test.id == "TYPE_CHECKING")
    return [alias.name for node in block.body for alias in node.names]


def test_type_checkers_see_what_is_there():
    seen = names_for_type_checkers()
    assert sorted([*seen, "__version__"]) == mcrock.__all__ == dir(mcrock)
    assert (Path(mcrock.__file__).parent / "py.typed").is_file()


def test_every_public_name_is_there():
    for name in mcrock.__all__:
        assert getattr(mcrock, name) is not None


def test_no_other_name_is_there():
    with pytest.raises(AttributeError, match=r"^module 'mcrock' has no attribute 'rock'$"):
        _ = mcrock.rock


@pytest.mark.parametrize(("home", "name"), ELSEWHERE)
def test_a_name_of_a_submodule_says_where_it_is(home, name):
    with pytest.raises(AttributeError, match=rf"has no attribute '{name}'; use mcrock\.{home}\.{name}$"):
        getattr(mcrock, name)
    assert callable(getattr(getattr(mcrock, home), name))


def parameters(function):
    return set(inspect.signature(function).parameters)


def names_of_keys(table):
    """Keys of a table as Python can have them: with a _ after keywords."""
    return set(table.model_fields)


@pytest.mark.parametrize("shape", ["cuboid", "prism", "frustum", "cylinder"])
def test_solids_take_the_keys_of_study_files(shape):
    keys = names_of_keys(SHAPES[shape]) - {"shape", "com_x", "com_y", "com_z"}
    assert parameters(getattr(mcrock, shape)) == keys | {"com"}


def test_a_hull_takes_the_keys_of_a_polyhedron():
    keys = names_of_keys(SHAPES["polyhedron"]) - {"shape", "com_x", "com_y", "com_z", "scale"}
    keys = keys - {"vertices", "shape_error", "solid"} | {"settle"}
    of_files = {"file", "unit", "up"}
    assert parameters(mcrock.hull) == keys - of_files | {"points"}  # not all of which become vertices
    assert parameters(mcrock.body.scanned) == keys - {"file"} | {"path"}


def test_impacts_contacts_and_controls_take_the_keys_of_study_files():
    sections = {name: names_of_keys(found[""]) for name, found in tables().items() if "" in found}
    assert {field.name for field in fields(mcrock.Controls)} == sections["controls"] - {"preset"}
    of_studies = {"draw", "preset"}  # a single run has values and no ranges
    assert {field.name for field in fields(mcrock.Impact)} - {"point"} == sections["impact"] - of_studies
    assert {field.name for field in fields(mcrock.Contact)} == sections["contact"]
    assert {"edge", "tilt"} <= {field.name for field in fields(mcrock.Start)} & sections["start"]


def test_readers_of_records_take_the_keys_of_study_files():
    assert parameters(mcrock.fema_p695) <= names_of_keys(SOURCES["fema_p695"])
    assert parameters(mcrock.read_records) - {"path", "progress"} <= names_of_keys(SOURCES["files"])
    assert parameters(mcrock.excitation.read_csv) - {"path", "name"} <= names_of_keys(SOURCES["csv"])
