"""Files that come with mcrock and are meant to be copied: studies (`configs`) and batch scripts (`jobs`)."""

from __future__ import annotations

from pathlib import Path


def shipped(folder: str) -> Path:
    """A folder of shipped files: in the installed package, else at the root of the checkout."""
    package = Path(__file__).parents[1]
    return package / folder if (package / folder).is_dir() else package.parent / folder
