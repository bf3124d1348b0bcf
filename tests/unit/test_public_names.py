"""The names at the top of the package: all are there, and known to type checkers; moved ones say where to."""

import ast
from pathlib import Path

import pytest

import mcrock

MOVED = [(name, home) for home, names in mcrock._MOVED.items() for name in names]


def names_for_type_checkers():
    tree = ast.parse(Path(mcrock.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If) and node.test.id == "TYPE_CHECKING")
    return [alias.name for node in block.body for alias in node.names]


def test_type_checkers_see_what_is_there():
    seen = names_for_type_checkers()
    assert sorted([*seen, "__version__"]) == mcrock.__all__ == dir(mcrock)
    assert sorted(seen) == sorted([*mcrock._HOME, *mcrock._MODULES])
    assert (Path(mcrock.__file__).parent / "py.typed").is_file()


def test_every_public_name_is_there():
    for name in mcrock.__all__:
        assert getattr(mcrock, name) is not None


def test_no_other_name_is_there():
    with pytest.raises(AttributeError, match=r"^module 'mcrock' has no attribute 'rock'$"):
        _ = mcrock.rock


@pytest.mark.parametrize(("name", "home"), MOVED)
def test_a_name_that_moved_says_where_to(name, home):
    with pytest.raises(AttributeError, match=rf"has no attribute '{name}'; use mcrock\.{home}\.{name}$"):
        getattr(mcrock, name)
    assert callable(getattr(getattr(mcrock, home), name))
