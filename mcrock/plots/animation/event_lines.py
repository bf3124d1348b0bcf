"""Events of an animation as text, and their numbers so far."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mcrock.params import Event, Mode

if TYPE_CHECKING:
    from mcrock.simulation import Run

LATEST = 9  # events listed at a time
COUNTED = {
    Event.EDGE_IMPACT: "edge impacts",
    Event.FACET_IMPACT: "facet impacts",
    Event.EDGE_RELEASE: "edge releases",
    Event.UPLIFT: "uplifts",
}
PLACE = {Mode.REST: "face", Mode.EDGE: "edge", Mode.VERTEX: "vertex"}


def describe_contact(mode: int, index: int) -> str:
    """Contact with the ground.

    >>> describe_contact(Mode.REST, 0), describe_contact(Mode.VERTEX, 3)
    ('at rest on face 0', 'on vertex 3')
    """
    return f"{'at rest ' if mode == Mode.REST else ''}on {PLACE[Mode(mode)]} {index}"


def format_event(event: dict[str, Any]) -> str:
    """One event in a line of fixed columns.

    >>> format_event({"t": 4.25, "kind": "edge_impact", "to": ("VERTEX", 2)})
    '  4.2500 s  edge impact   vertex 2'
    """
    mode, index = event["to"]
    return f"{event['t']:8.4f} s  {event['kind'].replace('_', ' '):<12}  {PLACE[Mode[mode]]} {index}"


def count_events(run: Run, happened: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number of events of each kind of `COUNTED` (n, 4) among the first ``happened`` (n,)."""
    kinds = np.array([Event[event["kind"].upper()] for event in run.events], dtype=int)
    counts = np.cumsum(kinds[:, None] == np.array([int(kind) for kind in COUNTED]), axis=0)
    return np.concatenate([np.zeros((1, len(COUNTED)), dtype=int), counts])[happened]
