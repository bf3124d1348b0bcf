"""Direction of a component, from the words in which files name it.

Azimuths count clockwise from north; a positive sample accelerates the ground that way.
"""

from __future__ import annotations

import re
from math import radians
from typing import NamedTuple

UP = {"UP", "U", "Z", "V", "UD", "U-D", "VER", "VERT", "VRT", "VERTICAL", "UPDO", "HAUT"}
DOWN = {"DOWN", "DWN", "DN", "D", "D-U", "DU"}
HEADINGS = {"N": 0.0, "E": 90.0, "S": 180.0, "W": 270.0}
PAIRS = {"NS": "N", "N-S": "N", "EW": "E", "E-W": "E", "SN": "S", "S-N": "S", "WE": "W", "W-E": "W"}
WORDS = {"NORTH": "N", "EAST": "E", "SOUTH": "S", "WEST": "W"}
# axes of the sensor or of the fault, whose direction the name does not say
UNKNOWN = {"1", "2", "3", "H1", "H2", "L", "T", "LONG", "TRAN", "R", "RADL", "TANG", "FN", "FP", "X", "Y"}


class Orientation(NamedTuple):
    """Role of a component, "horizontal", "up" or "down", and its azimuth [rad] if it is known."""

    role: str
    azimuth: float | None = None


def parse_orientation(name: str) -> Orientation | None:
    """Orientation of a component by its name; None if the name says nothing.

    Understands azimuths in degrees (``067``, ``360 Deg``), bearings (``N28W``), points of the compass
    (``E``, ``N-S``, ``West``), ``Up``, ``Down`` and their short forms, SEED channel codes (``HNZ``)
    and names of axes without a direction (``H1``, ``L``, ``FN``).

    >>> parse_orientation("UP")
    Orientation(role='up', azimuth=None)
    >>> parse_orientation("N28W").azimuth == radians(332)
    True
    >>> parse_orientation("HNE").azimuth == radians(90)
    True
    """
    name = re.sub(r"\s*DEG(REES?)?\.?$", "", name.strip().upper()).strip(" -_")
    name = WORDS.get(name, PAIRS.get(name, name))
    if name in UP:
        return Orientation("up")
    if name in DOWN:
        return Orientation("down")
    if name in HEADINGS:
        return Orientation("horizontal", radians(HEADINGS[name]))
    if name in UNKNOWN:
        return Orientation("horizontal")
    if re.fullmatch(r"\d{2,3}", name) or name in ("0", "360"):
        return Orientation("horizontal", radians(int(name) % 360)) if int(name) <= 360 else None
    bearing = re.fullmatch(r"([NS])\s*(\d{1,2}(?:\.\d+)?)\s*([EW])", name)
    if bearing:
        return Orientation("horizontal", radians(_from_bearing(*bearing.groups())))
    channel = re.fullmatch(r"[A-Z][HLNG]([ZNE12])", name)
    return parse_orientation(channel[1]) if channel else None


def _from_bearing(pole: str, angle: str, side: str) -> float:
    """Azimuth [deg] of a bearing: so many degrees from north or south towards east or west."""
    turn = float(angle) if (pole == "N") == (side == "E") else -float(angle)
    return (HEADINGS[pole] + turn) % 360
