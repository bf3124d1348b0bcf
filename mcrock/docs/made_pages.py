"""Pages of the documentation that are made: ``python -m mcrock.docs.made_pages`` writes them anew."""

from __future__ import annotations

import re
from pathlib import Path

from mcrock.docs import study_file_page, variables_page
from mcrock.impact.registry import Law

FOLDER = Path(__file__).parent
TABLE_OF_LAWS = re.compile(r"(?<=\| law \| landing \| parameters \|\n\|---\|---\|---\|\n)(?:\|.*\n)*")


def impacts() -> str:
    """The page of impacts with its table of laws, which alone is made."""
    rows = [
        f"| `{law.key}` | {law.words} | {', '.join(f'`{item.key}`' for item in law.parameters) or 'none'} |\n"
        for law in Law
        if not law.of_one_contact
    ]
    page = (FOLDER / "impacts.md").read_text(encoding="utf-8")
    return TABLE_OF_LAWS.sub(lambda _: "".join(rows), page, count=1)


MADE = {"impacts": impacts, "study-file": study_file_page.reference, "variables": variables_page.reference}


def main() -> None:
    """Write the pages."""
    for name, reference in MADE.items():
        (FOLDER / f"{name}.md").write_text(reference(), encoding="utf-8")


if __name__ == "__main__":
    main()
