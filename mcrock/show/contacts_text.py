"""Contacts of a body with the ground in words: of event tables, captions and keys."""

from __future__ import annotations

from typing import NamedTuple

from mcrock.params import Mode


class ContactWords(NamedTuple):
    """A mode of contact: its name in a key, and two phrases with room for the number of its feature."""

    name: str
    phrase: str
    short: str


PIVOT = ContactWords("edge slip", "pivoting on edge {}", "edge {} pivots")
CONTACT_WORDS = {
    Mode.REST: ContactWords("rest", "at rest on face {}", "face {}"),
    Mode.SLIDE: ContactWords("slide", "sliding on face {}", "face {} slides"),
    Mode.SPIN: ContactWords("spin", "spinning on face {}", "face {} spins"),
    Mode.EDGE: ContactWords("edge", "on edge {}", "edge {}"),
    Mode.EDGE_SLIP_FIRST: PIVOT,
    Mode.EDGE_SLIP_SECOND: PIVOT,
    Mode.EDGE_SLIP: ContactWords("edge slip", "slipping on edge {}", "edge {} slips"),
    Mode.VERTEX: ContactWords("vertex", "on vertex {}", "vertex {}"),
    Mode.VERTEX_SLIP: ContactWords("vertex slip", "slipping on vertex {}", "vertex {} slips"),
    Mode.FLIGHT: ContactWords("flight", "in flight", "flight"),
}


def contact_name(mode: Mode) -> str:
    """Name of a mode of contact in keys and tables; the two pivots about an edge share one with its slip."""
    return CONTACT_WORDS[mode].name


def describe_contact(mode: int, index: int) -> str:
    """Contact with the ground.

    >>> describe_contact(Mode.REST, 0), describe_contact(Mode.VERTEX_SLIP, 3)
    ('at rest on face 0', 'slipping on vertex 3')
    """
    return CONTACT_WORDS[Mode(mode)].phrase.format(index)
