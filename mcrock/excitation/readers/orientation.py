"""Direction of a component, from the words in which files name it.

Azimuths count clockwise from north; a positive sample accelerates the ground that way.
"""

from __future__ import annotations

import re
from math import cos, pi, radians, sin
from typing import NamedTuple

UP = {"UP", "U", "Z", "V", "V1", "V2", "V3", "UD", "U-D", "VER", "VERT", "VRT", "VERTICAL", "UPDO", "HAUT"}
DOWN = {"DOWN", "DWN", "DN", "D", "D-U", "DU"}
HEADINGS = {"N": 0.0, "E": 90.0, "S": 180.0, "W": 270.0}
# a pair of letters names an axis; networks that write W-E or S-N count east and north positive too
PAIRS = {"NS": "N", "N-S": "N", "EW": "E", "E-W": "E"}
REVERSED = {"SN": "N", "S-N": "N", "WE": "E", "W-E": "E"}
# axes of the sensor or of the fault, whose direction the name does not say
UNKNOWN = re.compile(
    r"[123]|[HLT][123]|[LTRXY]|LN|TR|TE|LONG(ITUDINAL)?|TRAN(S|SVERSE|SVERSAL)?|RADL|TANG|FN|FP"
)
# of SEED: band, instrument and direction, perhaps between other codes and that of the location, as in BHZ.00
CHANNEL = re.compile(r"(?:\w*\.)*[A-W][HLNG]([ZNE123XYRT])(?:[ ._-]?(?:\d\d|--))?")
SKEW = 15.0  # largest deviation of horizontal components from a right angle [deg]


class Orientation(NamedTuple):
    """Role of a component, "horizontal", "up" or "down", and its azimuth [rad] if it is known."""

    role: str
    azimuth: float | None = None


def parse_orientation(name: str) -> Orientation | None:
    """Orientation of a component by its name; None if the name says nothing.

    Understands azimuths in degrees (``067``, ``360 Deg``), bearings (``N28W``), points of the compass
    (``E``, ``N-S``, ``North South``), ``Up``, ``Down`` and their short forms, channel codes of SEED
    (``HNZ``, ``BHZ00``, ``IU.CCM.00.BHZ``), components of borehole arrays (``NS2``) and names of axes without
    a direction (``H1``, ``L``, ``FN``).

    >>> parse_orientation("UP")
    Orientation(role='up', azimuth=None)
    >>> parse_orientation("N28W").azimuth == radians(332)
    True
    >>> parse_orientation("HNE").azimuth == radians(90)
    True
    """
    name, degrees = re.subn(r"\s*DEG(REES?)?\.?$", "", name.strip().upper())
    name = name.strip(" -_")
    name = re.sub(r"^(?:[XY](?=(?:LN|TE|TR)$)|Z(?=UP$))", "", name)  # axis of the sensor and direction: XTE
    name = re.sub(r"^(NS|EW|UD)[12]$", r"\1", name)  # 1 in the borehole, 2 at the surface
    name = re.sub("NORTH|EAST|SOUTH|WEST", lambda word: word[0][0], name)
    name = re.sub("^([NESW])[ -]+([NESW])$", r"\1-\2", name)
    name = PAIRS.get(name) or REVERSED.get(name, name)
    if name in UP:
        return Orientation("up")
    if name in DOWN:
        return Orientation("down")
    if name in HEADINGS:
        return Orientation("horizontal", radians(HEADINGS[name]))
    if re.fullmatch(r"\d{2,3}(\.\d+)?|0|360", name) or (degrees and re.fullmatch(r"\d(\.\d+)?", name)):
        return Orientation("horizontal", radians(float(name) % 360)) if float(name) <= 360 else None
    if UNKNOWN.fullmatch(name):
        return Orientation("horizontal")
    bearing = re.fullmatch(r"([NS])\s*(\d{1,2}(?:\.\d+)?)\s*([EW])", name)
    if bearing:
        return Orientation("horizontal", radians(_from_bearing(*bearing.groups())))
    channel = CHANNEL.fullmatch(name)
    return parse_orientation(channel[1]) if channel else None


def opposite(orientation: Orientation) -> Orientation:
    """Orientation of a component whose samples are positive the other way.

    >>> opposite(Orientation("up")), opposite(Orientation("horizontal", radians(90))).azimuth == radians(270)
    (Orientation(role='down', azimuth=None), True)
    """
    role = {"up": "down", "down": "up"}.get(orientation.role, orientation.role)
    if orientation.azimuth is None:
        return Orientation(role)
    return Orientation(role, (orientation.azimuth + pi) % (2 * pi))


def _from_bearing(pole: str, angle: str, side: str) -> float:
    """Azimuth [deg] of a bearing: so many degrees from north or south towards east or west."""
    turn = float(angle) if (pole == "N") == (side == "E") else -float(angle)
    return (HEADINGS[pole] + turn) % 360


def doubt(name: str) -> str:
    """What is not sure about the direction of a component of this name, empty if nothing.

    >>> doubt("W-E")
    'component W-E: taken as positive towards east'
    """
    heading = REVERSED.get(name.strip().upper())
    if heading is None:
        return ""
    return f"component {name}: taken as positive towards {'north' if heading == 'N' else 'east'}"


def word_unknown(x: str, y: str) -> str:
    """What is not sure about two horizontal components of which one has no known direction."""
    return f"components {x} and {y}: directions unknown; {y} is taken as counter-clockwise of {x}"


def is_square(one: float, two: float) -> bool:
    """Whether two azimuths [rad] are 90 degrees apart, to within `SKEW`."""
    return abs(cos(two - one)) <= sin(radians(SKEW))


def is_clockwise(one: float, two: float) -> bool:
    """Whether the second azimuth [rad] lies clockwise of the first, so that the second is ground x."""
    return sin(two - one) > 0
