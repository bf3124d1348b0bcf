"""What README and pages of the documentation hold: links, blocks of code, commands."""

import re
import shlex
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import mcrock

PACKAGE = Path(mcrock.__file__).parent
ROOT = PACKAGE.parent
README = ROOT / "README.md"
PAGES = [README, *sorted((PACKAGE / "docs").glob("*.md"))]
SITE = sorted((PACKAGE / "docs" / "site").rglob("*.md"))  # for browsers only


class Block(NamedTuple):
    """A block of code of a page."""

    line: int
    language: str
    text: str


def blocks_of(path: Path) -> list[Block]:
    """All blocks of code of a page."""
    found, start, language = [], None, ""
    lines = path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        if line.startswith("```") and start is None:
            start, language = number, line[3:].strip()
        elif line.startswith("```"):
            found.append(Block(start + 1, language, "\n".join([*lines[start : number - 1], ""])))
            start = None
    assert start is None, f"{path.name}, line {start}: a block without end"
    return found


def programs_of(path: Path) -> list[tuple[Block, str | None]]:
    """Python blocks of a page with what they print: the next block, where it has no language."""
    blocks = [*blocks_of(path), Block(0, "end", "")]
    return [
        (block, after.text if after.language == "" else None)
        for block, after in pairwise(blocks)
        if block.language == "python"
    ]


def commands_of(path: Path) -> list[list[str]]:
    """Command lines of mcrock on a page, in blocks of code and between backticks."""
    text = path.read_text(encoding="utf-8")
    shown = [block.text.replace("\\\n", " ") for block in blocks_of(path) if block.language in ("", "sh")]
    lines = [line for block in shown for line in block.splitlines()]
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    lines += [" ".join(code.split()) for code in re.findall(r"`([^`]+)`", text)]
    parts = [part.strip() for line in lines for part in re.split(r"&&|\|", line)]
    commands = [re.sub(r"^\.venv/bin/", "", part) for part in parts]
    return [shlex.split(command) for command in commands if re.match(r"mcrock( |$)", command)]
