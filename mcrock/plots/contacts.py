"""Contacts of a body with the ground as figures and animations show them: names, colours, words."""

from __future__ import annotations

from typing import NamedTuple

from mcrock.params import Mode
from mcrock.plots.style import BLUE, GREEN, GREY, ORANGE, PURPLE, RED, SKY

OLIVE = "#a89800"  # apart from the others to colour-blind readers, too, and dark enough for words

FLAT = (Mode.REST, Mode.SLIDE, Mode.SPIN)
ON_EDGE = (Mode.EDGE, Mode.EDGE_SLIP_FIRST, Mode.EDGE_SLIP_SECOND, Mode.EDGE_SLIP)
ON_VERTEX = (Mode.VERTEX, Mode.VERTEX_SLIP)


class Look(NamedTuple):
    """A mode of contact: its name in a key, its colour, and its words with room for a number."""

    name: str
    colour: str
    words: str
    short: str


PIVOT = Look("edge slip", OLIVE, "pivoting on edge {}", "edge {} pivots")
LOOKS = {
    Mode.REST: Look("rest", GREY, "at rest on face {}", "face {}"),
    Mode.SLIDE: Look("slide", SKY, "sliding on face {}", "face {} slides"),
    Mode.SPIN: Look("spin", BLUE, "spinning on face {}", "face {} spins"),
    Mode.EDGE: Look("edge", GREEN, "on edge {}", "edge {}"),
    Mode.EDGE_SLIP_FIRST: PIVOT,
    Mode.EDGE_SLIP_SECOND: PIVOT,
    Mode.EDGE_SLIP: Look("edge slip", OLIVE, "slipping on edge {}", "edge {} slips"),
    Mode.VERTEX: Look("vertex", ORANGE, "on vertex {}", "vertex {}"),
    Mode.VERTEX_SLIP: Look("vertex slip", RED, "slipping on vertex {}", "vertex {} slips"),
    Mode.FLIGHT: Look("flight", PURPLE, "in flight", "flight"),
}
COLOURS = {look.name: look.colour for look in LOOKS.values()}


def describe_contact(mode: int, index: int) -> str:
    """Contact with the ground.

    >>> describe_contact(Mode.REST, 0), describe_contact(Mode.VERTEX_SLIP, 3)
    ('at rest on face 0', 'slipping on vertex 3')
    """
    return LOOKS[Mode(mode)].words.format(index)
