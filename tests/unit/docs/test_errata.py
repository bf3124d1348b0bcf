"""Every erratum on the page has a test that gives its number, or says that it has none; and the reverse."""

import re
from pathlib import Path

import pytest

from tests.unit.docs.pages import PACKAGE, ROOT

THEORY = (PACKAGE / "docs" / "theory.md").read_text(encoding="utf-8")
SECTIONS = re.split(r"^### ", THEORY.partition("\n## Errata")[2], flags=re.MULTILINE)[1:]


def numbers_in(path: Path) -> set[int]:
    """Numbers of the errata that the tests of a file or folder name."""
    files = path.glob("*.py") if path.is_dir() else [path]
    return {
        int(n) for file in files for n in re.findall(r"[Ee]rratum (\d+)", file.read_text(encoding="utf-8"))
    }


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.split("\n")[0])
def test_errata_and_their_tests_are_the_same(section):
    entries = re.split(r"^(\d+)\. ", section, flags=re.MULTILINE)
    listed = dict(zip(map(int, entries[1::2]), entries[2::2], strict=True))
    assert list(listed) == list(range(1, len(listed) + 1))
    tested = {number for number, text in listed.items() if "No test:" not in text}
    paths = re.findall(r"`(tests/[^`]+)`", entries[0])
    assert paths
    assert set.union(*(numbers_in(ROOT / path) for path in paths)) == tested


def test_every_source_of_published_errata_is_on_the_page():
    cited = {path.parent.name for path in (ROOT / "tests/published").rglob("*.py") if numbers_in(path)}
    assert cited == {name for name in cited if any(f"tests/published/{name}`" in s for s in SECTIONS)}
