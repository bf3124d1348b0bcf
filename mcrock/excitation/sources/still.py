"""Ground that does not move: free rocking of released bodies."""

from __future__ import annotations

from typing import ClassVar, Literal

from mcrock.excitation.sources.base import Source


class StillSource(Source):
    """Ground that does not move: free rocking of released bodies."""

    shakes: ClassVar = False

    source: Literal["none"]
