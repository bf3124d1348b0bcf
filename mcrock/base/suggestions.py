"""What somebody who misspelled a word may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


def suggest(word: Any, options: Iterable[str]) -> str:
    """``; did you mean 'height'?``, or nothing if no option is close."""
    by_case = {option.casefold(): option for option in options}
    written = str(word).casefold()
    with_unit = [option for option in by_case if written.startswith(f"{option}_")]  # as in period_s
    begun = sorted((option for option in by_case if len(written) > 2 and option.startswith(written)), key=len)
    close = with_unit or begun or difflib.get_close_matches(written, list(by_case), n=1, cutoff=0.6)
    return f"; did you mean {by_case[close[0]]!r}?" if close else ""
