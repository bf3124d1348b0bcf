"""Names that reach a batch script, a log or a page: text that stays in its line and shows all of itself."""

from __future__ import annotations

import re
from unicodedata import category, decimal

HIDDEN = ("Cc", "Cs", "Zl", "Zp")  # control characters, bytes that are no text, ends of lines and paragraphs


def is_plain(text: str, allowed: str = "") -> bool:
    r"""Whether a text has no control character and no end of a line, but for some that are allowed.

    >>> is_plain("tür 1.zarr"), is_plain("a\nrm -rf b"), is_plain("\x1b[2J"), is_plain("a\nb", "\n")
    (True, False, False, True)
    """
    return not any(category(letter) in HIDDEN and letter not in allowed for letter in text)


def check_name(text: str) -> str:
    """The text, if it is plain.

    Raises
    ------
    ValueError
        If it has a control character or an end of a line, which could add a line to a script or a log.
    """
    if not is_plain(text):
        raise ValueError(f"{text!r}: a name must be without control characters and ends of lines")
    return text


def by_number(text: str) -> tuple[tuple[bool, int, str, str], ...]:
    """Sort key of a name in which digits count as numbers, of any script and however many.

    >>> sorted(["b", "a10", "a09", "a8", "\uff11", "a\u00b2"], key=by_number)
    ['\uff11', 'a8', 'a09', 'a10', 'a\u00b2', 'b']
    """
    found = []
    for part in filter(None, re.split(r"(\d+)", text)):
        number = "".join(str(decimal(letter)) for letter in part).lstrip("0") if part.isdecimal() else ""
        found.append((not part.isdecimal(), len(number), number, part))
    return tuple(found)
