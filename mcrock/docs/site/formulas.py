"""Formulas of pages, typeset: terminals see what a page says, browsers what `formulas.toml` says for it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

FILE = Path(__file__).with_suffix(".toml")
FORMULAS: dict[str, dict[str, str]] = tomllib.loads(FILE.read_text(encoding="utf-8"))


def with_formulas(text: str, formulas: dict[str, str]) -> str:
    """A page with its formulas typeset.

    Raises
    ------
    ValueError
        If the page does not say one of them.
    """
    patterns = {said: r"\s+".join(map(re.escape, said.split())) for said in formulas}
    missing = [said for said, pattern in patterns.items() if not re.search(pattern, text)]
    if missing:
        raise ValueError(f"{FILE}: the page does not say {missing}; write them as it does")
    said = "|".join(sorted(patterns.values(), key=len, reverse=True))

    def block(found: re.Match[str]) -> str:
        formula = formulas[" ".join(found[2].split())].strip("$")
        return "\n".join(found[1] + line for line in ("```{math}", formula, "```"))

    def inline(found: re.Match[str]) -> str:
        return re.sub(r"\$([^$]+)\$", r"{math}`\1`", formulas[" ".join(found[0].split())])

    text = re.sub(rf"^( *)    ({said})$", block, text, flags=re.MULTILINE)  # a block of its own, as code
    return re.sub(rf"(?<!\w)(?:{said})(?!\w)", inline, text)
