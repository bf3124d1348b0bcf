"""Units of acceleration, in the many ways in which files and people write them."""

from __future__ import annotations

import re

from mcrock.params import STANDARD_GRAVITY

UNITS = {  # [m/s2], in lower case
    "m/s2": 1.0,
    "cm/s2": 0.01,
    "mm/s2": 0.001,
    "gal": 0.01,
    "g": STANDARD_GRAVITY,
    "mg": STANDARD_GRAVITY / 1000,
}


def parse_unit(word: object) -> str | None:
    """Key of `UNITS` that a word means, None if it means none of them.

    >>> [parse_unit(word) for word in ("CM/SEC/SEC", "m/s^2", "cm/s**2", "m/s²", "Gal", "m s-2", "ft/s2")]
    ['cm/s2', 'm/s2', 'cm/s2', 'm/s2', 'gal', 'm/s2', None]
    """
    if not isinstance(word, str):
        return None
    text = re.sub(r"[\s*^.]", "", word.lower().replace("²", "2").replace("sec", "s"))
    text = re.sub(r"(?:/s/s|/ss|s-2)$", "/s2", text)
    return text if text in UNITS else None
