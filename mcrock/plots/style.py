"""Where figures of impact laws found their looks: `mcrock.show.style`."""

from __future__ import annotations

from mcrock.show import style


def __getattr__(name: str) -> object:
    return getattr(style, name)
