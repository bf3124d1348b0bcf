"""The page: its parts, of which one is shown at a time."""

from __future__ import annotations

from html import escape
from typing import Any

import panel as pn

from mcrock.show.app.parts import WIDE, html
from mcrock.show.app.understand import Result, understand
from mcrock.show.summary import missing_chunks


def build(result: Result, theme: str) -> pn.Column:
    """The page of one visitor."""
    title = (result.study.title if result.study else "") or result.store.stem
    missing = "".join(f"<p>{escape(line)}</p>" for line in missing_chunks(result.ds))
    other = "default" if theme == "dark" else "dark"
    words = "light" if theme == "dark" else "dark"
    head = html(
        f'<h1>{escape(title)}</h1>{missing}<p class="dim">{escape(str(result.store))}, read only. '
        f'<a href="?theme={other}" style="color: inherit">{words} page</a></p>'
    )
    parts: dict[str, Any] = {"Understand": understand(result, theme)}
    return pn.Column(head, *parts.values(), **WIDE)
