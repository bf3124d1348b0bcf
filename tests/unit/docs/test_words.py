"""Pages, shipped studies and the source strings use the terms of the glossary and the field's English."""

import ast
import re
from pathlib import Path

import mcrock
from tests.unit.docs.pages import PAGES, ROOT, SITE

STUDIES = sorted((ROOT / "configs").glob("*.toml"))
COMPILED = ("kernel/", "impact/", "base/params.py", "base/checks.py")  # with what they import
TO_BE_READ = (
    "base/compiled_code.py", "laws/", "measurement/", "simulation/",
    "statistics/",
)  # fmt: skip
BETTER = {  # what was corrected more than once, and what to write
    r"beside": "next to, compared with, in addition to",
    r"let go": "released",
    r"place of the impulse": "position of the impulse",
    r"moving pictures?": "animation",
    r"share of the runs|share overturned|overturned share": "fraction of the runs, overturned fraction",
    r"peak tilt over the slenderness": "peak tilt ratio",
    r"engine that others wrote": "independent engine",
    r"(?:end|ends|ended) otherwise": "end differently",
    r"told otherwise": "by default",
    r"in the place of a": "instead of a",
    r"mended": "repaired, corrected",
    r"made(?: |-)up": "synthetic",
    r"to the (?:same|last) bits?": "bit for bit",
    r"(?:hold|holds|held) the (?:truth|true)": "cover the truth",
    r"intervals? of level": "95 % intervals",
    r"least and (?:the )?largest": "smallest and largest",
    r"(?<!there )(?:is|are|was|were) no (?!longer|more|less|smaller|larger|worse|better)": "is not a",
    r"knows? no": "has no",
    r"begin of": "start of",
    r"an own": "of its own",
}


ANY = re.compile("|".join(BETTER), re.IGNORECASE)


def strings(path):
    """Docstrings, messages and help of a source file, with their lines; parts of a formatted one join."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            words = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
            yield node.lineno, "".join(words)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            yield node.lineno, node.value


def faults(text, place):
    """What of `BETTER` stands in a text, with what to write."""
    text = " ".join(text.split())
    return [
        f"{place}: '{text[max(found.start() - 30, 0) : found.end() + 30]}': {better}"
        for wrong, better in (BETTER.items() if ANY.search(text) else ())
        for found in re.finditer(rf"\b(?:{wrong})(?:(?<=\s)|\b)", text, flags=re.IGNORECASE)
    ]


def test_pages_and_studies():
    texts = [(path.name, path.read_text(encoding="utf-8")) for path in PAGES + SITE + STUDIES]
    found = [fault for name, text in texts for fault in faults(text, name)]
    assert not found, "\n".join(found)


def test_source_strings():
    """All but compiled files, whose every edit compiles anew, and rooms that are still to be read."""
    package = Path(mcrock.__file__).parent
    unread = tuple(str(package / name) for name in (*COMPILED, *TO_BE_READ))
    read = [path for path in package.rglob("*.py") if not str(path).startswith(unread)]
    read = [path for path in read if "@jit" not in path.read_text(encoding="utf-8")]
    found = [
        fault
        for path in read
        for line, text in strings(path)
        for fault in faults(text, f"{path.relative_to(package)}:{line}")
    ]
    assert not found, "\n".join(found)


def test_words_that_are_found_and_words_that_are_right():
    wrong = ["the log beside the store", "an engine is no part of it", "22 runs ended\notherwise"]
    assert [len(faults(text, "here")) for text in wrong] == [1, 1, 1]
    assert (
        faults("besides, there is no pivot, and it is no longer made by fraction of the runs", "here") == []
    )
