"""Contacts of a body with the ground as figures and animations show them."""

from __future__ import annotations

from mcrock.params import Mode
from mcrock.show.contacts_text import CONTACT_WORDS
from mcrock.show.style import BLUE, GREEN, GREY, ORANGE, PURPLE, RED, SKY

OLIVE = "#a89800"  # apart from the others to colour-blind readers, too, and dark enough for words

FLAT = (Mode.REST, Mode.SLIDE, Mode.SPIN)
ON_EDGE = (Mode.EDGE, Mode.EDGE_SLIP_FIRST, Mode.EDGE_SLIP_SECOND, Mode.EDGE_SLIP)
ON_VERTEX = (Mode.VERTEX, Mode.VERTEX_SLIP)

COLOURS = {  # by name of the contact, in the order of a key
    "rest": GREY,
    "slide": SKY,
    "spin": BLUE,
    "edge": GREEN,
    "edge slip": OLIVE,
    "vertex": ORANGE,
    "vertex slip": RED,
    "flight": PURPLE,
}


def contact_colour(mode: Mode) -> str:
    """Colour of a mode of contact."""
    return COLOURS[CONTACT_WORDS[mode].name]
