"""Lines of Markdown for pages that are made from declarations."""

from __future__ import annotations

import re
import textwrap


def sentence(text: str | None) -> str:
    """The first paragraph of a text in one line, as a sentence."""
    line = " ".join((text or "").partition("\n\n")[0].replace("``", "`").split())
    return f"{line[:1].upper()}{line[1:].rstrip('.')}." if line else ""


def wrapped(text: str) -> str:
    """A text as an item of a list, in lines that end outside of code."""
    whole = re.sub(r"`[^`]*`", lambda code: code[0].replace(" ", "\0"), text)
    lines = textwrap.wrap(whole, 108, break_long_words=False, break_on_hyphens=False)
    return ("- " + "\n  ".join(lines)).replace("\0", " ")


def paragraph(text: str) -> str:
    """A text as a paragraph."""
    return textwrap.fill(text, 110) + "\n"
