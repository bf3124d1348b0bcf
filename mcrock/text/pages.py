"""Pages of the documentation that are made: ``python -m mcrock.text.pages`` writes them anew."""

from __future__ import annotations

from pathlib import Path

from mcrock.text import study_file, variables

FOLDER = Path(__file__).parents[1] / "docs"
MADE = {"study-file": study_file.reference, "variables": variables.reference}


def main() -> None:
    """Write the pages."""
    for name, reference in MADE.items():
        (FOLDER / f"{name}.md").write_text(reference(), encoding="utf-8")


if __name__ == "__main__":
    main()
