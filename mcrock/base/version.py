"""The version that stores, pages and reports are signed with."""

from __future__ import annotations

from functools import cache


@cache
def mcrock_version() -> str:
    """Version of the installed package; ``0+unknown`` in a checkout that is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # half of the time of `import mcrock`

    try:
        return version("mcrock")
    except PackageNotFoundError:
        return "0+unknown"
