"""Events of an animation as text, and their numbers so far."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mcrock.base.params import Event, Mode
from mcrock.show.contacts import CONTACT_WORDS
from mcrock.show.history import has_friction

if TYPE_CHECKING:
    from mcrock.simulation.runs import Run

LATEST = 9  # events listed at a time
COUNTED = {
    Event.EDGE_IMPACT: "edge impacts",
    Event.FACET_IMPACT: "facet impacts",
    Event.EDGE_RELEASE: "edge releases",
    Event.UPLIFT: "uplifts",
}
COUNTED_WITH_FRICTION = COUNTED | {Event.SLIP: "slips", Event.LANDING: "landings"}


def format_event(event: dict[str, Any]) -> str:
    """One event in a line of fixed columns.

    >>> format_event({"t": 4.25, "kind": "edge_impact", "to": ("VERTEX", 2)})
    '  4.2500 s  edge impact   vertex 2'
    """
    mode, index = event["to"]
    kind = event["kind"].removeprefix("slip_").replace("_", " ")  # a reversal
    return f"{event['t']:8.4f} s  {kind:<12}  {CONTACT_WORDS[Mode[mode]].short.format(index)}"


def counted(run: Run) -> dict[Event, str]:
    """Events that are counted in a run, and what they are called."""
    return COUNTED_WITH_FRICTION if has_friction(run) else COUNTED


def count_events(run: Run, happened: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number of events of each kind of `counted` (n, n_kind) among the first ``happened`` (n,)."""
    names = counted(run)
    kinds = np.array([Event[event["kind"].upper()] for event in run.events], dtype=int)
    counts = np.cumsum(kinds[:, None] == np.array([int(kind) for kind in names]), axis=0)
    return np.concatenate([np.zeros((1, len(names)), dtype=int), counts])[happened]
