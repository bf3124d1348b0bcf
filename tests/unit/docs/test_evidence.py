"""The page of evidence has what was run last, of parts that exist; a part that fails stops no other."""

import csv
from importlib.util import find_spec

import pytest

from tests import evidence


def test_the_page_has_the_table():
    text = evidence.PAGE.read_text(encoding="utf-8")
    assert evidence.HEAD in text
    assert text == evidence.page(evidence.stored(), text), "run: python -m tests.evidence"


@pytest.mark.parametrize("part", evidence.PARTS, ids=lambda part: part["name"])
def test_a_part_can_be_run(part):
    module, *words = part["command"].split()
    assert find_spec(module)
    assert all((evidence.ROOT / word).exists() for word in words if word.startswith("tests/"))


def test_every_publication_is_a_part():
    folders = {path.parent.name for path in (evidence.ROOT / "tests/published").glob("*/__init__.py")}
    commands = " ".join(part["command"] for part in evidence.PARTS)
    assert [name for name in folders if f"tests/published/{name}" not in commands] == []


def test_a_failing_part_stops_no_other(monkeypatch, tmp_path, capsys):
    common = {"bound": "none", "pattern": "(?s)^.+", "minutes": 1}
    commands = {"a": "json.tool nowhere.json", "b": "platform", "c": "no_such_module", "d": "x $NOT_SET/y"}
    parts = [{"name": name, "command": command} | common for name, command in commands.items()]
    monkeypatch.setattr(evidence, "PARTS", [*parts, parts[1] | {"name": "e", "minutes": 600}])
    for name in ("TABLE", "PAGE"):
        monkeypatch.setattr(evidence, name, tmp_path / name)
    evidence.PAGE.write_text(f"{evidence.HEAD}old\n")
    assert evidence.main([], str(tmp_path)) == 1
    with evidence.TABLE.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["evidence"], row["verdict"]) for row in rows] == [("a", "FAILS"), ("b", "reported")]
    assert "nowhere.json" in rows[0]["figure"]
    said = capsys.readouterr().out
    assert "d: not run, set NOT_SET" in said
    assert "e: 600 minutes, last run at never" in said
    assert "| e | - | - | not run | - | - |" in evidence.PAGE.read_text()


def test_an_installed_package_says_what_it_takes(monkeypatch, tmp_path):
    from mcrock.commands import reference

    monkeypatch.setattr(reference, "__file__", str(tmp_path / "mcrock/commands/reference.py"))
    with pytest.raises(
        ValueError, match=r"needs a clone(.|\n)*pip install -e '\.\[test\]' && mcrock verify --all"
    ):
        reference.verify(everything=True)
