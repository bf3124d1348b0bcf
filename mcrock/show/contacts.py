"""Contacts of a body with the ground: how text names them and how figures and animations colour them."""

from __future__ import annotations

from typing import NamedTuple

from mcrock.base.params import Mode
from mcrock.show import style

OLIVE = "#a89800"  # apart from the others to colour-blind readers, too, and dark enough for words

FLAT = (Mode.REST, Mode.SLIDE, Mode.SPIN)
ON_EDGE = (Mode.EDGE, Mode.EDGE_SLIP_FIRST, Mode.EDGE_SLIP_SECOND, Mode.EDGE_SLIP)
ON_VERTEX = (Mode.VERTEX, Mode.VERTEX_SLIP)

COLOURS = {  # by name of the contact, in the order of a key
    "rest": style.GREY,
    "slide": style.SKY,
    "spin": style.BLUE,
    "edge": style.GREEN,
    "edge slip": OLIVE,
    "vertex": style.ORANGE,
    "vertex slip": style.RED,
    "flight": style.PURPLE,
}


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


def contact_colour(mode: Mode) -> str:
    """Colour of a mode of contact."""
    return COLOURS[CONTACT_WORDS[mode].name]
