"""Pages, shipped studies and the help of commands use the terms of the glossary and the field's English."""

import re

import typer

from mcrock.commands.program import app
from tests.unit.docs.pages import PAGES, ROOT, SITE

STUDIES = sorted((ROOT / "configs").glob("*.toml"))
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


def words_of_help(command):
    """Help of a command and of those below it, with that of their options."""
    yield command.help or ""
    yield from (item.help or "" for item in command.params if hasattr(item, "help"))
    for below in getattr(command, "commands", {}).values():
        yield from words_of_help(below)


def faults(text, place):
    """What of `BETTER` stands in a text, with what to write."""
    text = " ".join(text.split())
    return [
        f"{place}: '{text[max(found.start() - 30, 0) : found.end() + 30]}': {better}"
        for wrong, better in BETTER.items()
        for found in re.finditer(rf"\b(?:{wrong})(?:(?<=\s)|\b)", text, flags=re.IGNORECASE)
    ]


def test_pages_studies_and_help():
    texts = [(path.name, path.read_text(encoding="utf-8")) for path in PAGES + SITE + STUDIES]
    texts += [("help", text) for text in words_of_help(typer.main.get_command(app))]
    found = [fault for name, text in texts for fault in faults(text, name)]
    assert not found, "\n".join(found)


def test_words_that_are_found_and_words_that_are_right():
    wrong = ["the log beside the store", "an engine is no part of it", "22 runs ended\notherwise"]
    assert [len(faults(text, "here")) for text in wrong] == [1, 1, 1]
    assert (
        faults("besides, there is no pivot, and it is no longer made by fraction of the runs", "here") == []
    )
