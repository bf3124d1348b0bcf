"""Recordings in text files: lines, numbers, units and orientations, with messages that name the line.

Azimuths count clockwise from north; a positive sample accelerates the ground that way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import ceil, cos, nan, pi, radians, sin
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mcrock.base.units import ACCELERATIONS, parse_unit, plain_number
from mcrock.excitation.motion import TIME_STEP, FloatArray, MotionError, checked

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


def orientation_remark(name: str) -> str:
    """What is not sure about the direction of a component of this name, empty if nothing.

    >>> orientation_remark("W-E")
    'component W-E: taken as positive towards east'
    """
    heading = REVERSED.get(name.strip().upper())
    if heading is None:
        return ""
    return f"component {name}: taken as positive towards {'north' if heading == 'N' else 'east'}"


def unknown_direction_remark(x: str, y: str) -> str:
    """What is not sure about two horizontal components of which one has no known direction."""
    return f"components {x} and {y}: directions unknown; {y} is taken as counter-clockwise of {x}"


def is_square(one: float, two: float) -> bool:
    """Whether two azimuths [rad] are 90 degrees apart, to within `SKEW`."""
    return abs(cos(two - one)) <= sin(radians(SKEW))


def is_clockwise(one: float, two: float) -> bool:
    """Whether the second azimuth [rad] lies clockwise of the first, so that the second is ground x."""
    return sin(two - one) > 0


DECLARED = "declared in the file"
FIXED = "fixed by the format"
GIVEN = "given"

# of a printed peak, which has three digits or, if small, the resolution of its format
PEAK_TOLERANCE = 0.01  # [1]
PEAK_RESOLUTION = 1e-4  # [m/s2]


class NotRecordError(MotionError):
    """A file that is not a record of acceleration; the message is the reason, without the file."""


@dataclass(frozen=True, eq=False)
class RecordedComponent:
    """One component of a recording in SI units, with what its file says about it.

    Parameters
    ----------
    acceleration : ndarray (n_time,)
        Ground acceleration in the direction of the component [m/s2].
    dt : float
        Time step [s].
    path : Path
        File it was read from.
    format : str
        Name of the format, for people.
    unit, unit_known : str
        Unit of the samples in the file and how it was known: `DECLARED`, `FIXED` or `GIVEN`.
    record : str
        What the components of one recording have in common, and recordings of other earthquakes or
        places do not.
    name : str
        What to call the recording.
    component : str
        Component in the words of the file.
    role : str
        "horizontal", "up" or "down".
    azimuth : float, optional
        Direction of a horizontal component, clockwise from north [rad].
    start : float, optional
        Time of the first sample after 1970 [s].
    channel : int, optional
        Number of the channel in a file or at a station with several.
    location : str
        Where in a structure the sensor stands, empty if the file does not say.
    facts : mapping
        Facts about earthquake and site, SI units.
    remarks : tuple of str
        What the file says of itself and its samples do not confirm.
    history : tuple of str
        What the reader did to the samples besides the change of unit.
    """

    acceleration: FloatArray
    dt: float
    path: Path
    format: str
    unit: str
    unit_known: str
    record: str
    name: str
    component: str
    role: str
    azimuth: float | None = None
    start: float | None = None
    channel: int | None = None
    location: str = ""
    facts: Mapping[str, str | float] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    history: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checked(TIME_STEP, f"{self.path}: the time step", self.dt)

    def compared(
        self, *, peak: float | None = None, duration: float | None = None, dt: float | None = None
    ) -> RecordedComponent:
        """The recording with a remark on everything that the file declares otherwise.

        Parameters
        ----------
        peak : float, optional
            Largest absolute acceleration by the header [m/s2].
        duration : float, optional
            Length by the header [s]. Formats count n or n - 1 steps and round to 0.1 s or 1 s; both
            and a difference up to 1 s plus 1 % are accepted.
        dt : float, optional
            Time step by another place of the file [s].
        """
        remarks = list(self.remarks)
        if dt is not None and abs(dt - self.dt) > 1e-3 * self.dt:
            remarks.append(f"the time step is {self.dt:g} s in one place of the file and {dt:g} s in another")
        length = len(self.acceleration) * self.dt
        if duration is not None and abs(duration - length) > 1.0 + 0.01 * length:
            remarks.append(
                f"{len(self.acceleration)} samples of {self.dt:g} s make {length:.4g} s, "
                f"the file says {duration:.4g} s"
            )
        found = float(np.abs(self.acceleration).max(initial=0.0))
        if peak is not None and abs(abs(peak) - found) > PEAK_TOLERANCE * abs(peak) + PEAK_RESOLUTION:
            remarks.append(
                f"component {self.component}: the largest sample is {found:.4g} m/s2, "
                f"the file says {abs(peak):.4g} m/s2"
            )
        return replace(self, remarks=tuple(remarks))


def number_channels(recordings: list[RecordedComponent]) -> list[RecordedComponent]:
    """Channels of a file with their numbers: by their order where the file does not tell them apart."""
    numbers = {recording.channel for recording in recordings}
    if len(recordings) < 2 or (None not in numbers and len(numbers) == len(recordings)):
        return recordings
    return [replace(recording, channel=i) for i, recording in enumerate(recordings, start=1)]


MOST = 2**28  # of a record file [bytes]
NUMBER = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)"  # in a regular expression
SPOKEN_UNIT = re.compile(r"(?:\bUNITS?\b|ACCEL.*?(?:\bIN\b|[(\[]))(.*)", re.IGNORECASE)
MOMENT = re.compile(  # date and time of day, with the year first or last
    r"(?:(\d{4})[-/.]?(\d\d?)[-/.]?(\d\d?)|(\d\d?)[-/.](\d\d?)[-/.](\d{4}))"
    r"[ T_-]+(\d\d?):?(\d\d):?(\d\d(?:\.\d+)?)",
    re.ASCII,
)
FORMAT = re.compile(r"\(\s*(\d*)[A-Z]+(\d+)(?:\.\d+)?\s*\)\s*$", re.IGNORECASE)  # of Fortran: (8f9.6)


def known_unit(path: Path, unit: object) -> str:
    """Key of `ACCELERATIONS` that is given for a file.

    Raises
    ------
    MotionError
        If it is none.
    """
    known = parse_unit(unit)
    if known is None:
        names = ", ".join(ACCELERATIONS)
        raise MotionError(f"{path}: unit of the acceleration must be one of {names}, got {unit!r}")
    return known


def read_content(path: Path) -> bytes:
    """Content of a record file.

    Raises
    ------
    MotionError
        If it cannot be read or has more than 268 MB.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MOST + 1)
    except OSError as error:
        raise MotionError(f"{path}: cannot be read: {error.strerror}") from None
    if len(content) > MOST:
        raise MotionError(f"{path}: has more than {MOST} bytes; no record is that long")
    return content


def split_lines(content: bytes) -> list[str]:
    """Lines of a file in UTF-8 or, where it is not that, Latin-1.

    Lines may end as on Unix, DOS or old Macs; a byte order mark at the beginning and the end-of-file
    character of DOS are left out.

    >>> split_lines(b"a\\r\\nb\\x1a")
    ['a', 'b']
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")  # names of places in old files
    if "\x1a" in text[-80:]:
        text = text.rstrip().rstrip("\x1a")
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


class BinaryFileError(MotionError):
    """A file that is not text."""


@dataclass(frozen=True)
class TextFile:
    """A record file in memory; lines count from 0 here and from 1 in messages.

    Blank lines at the beginning are `skipped`, so that `lines` begins where the format does.
    """

    path: Path
    lines: list[str]
    skipped: int = 0
    given: str | None = None  # unit of the acceleration, for a header that does not say it

    @classmethod
    def load(cls, path: Path, given: str | None = None) -> TextFile:
        """Read a file in UTF-8 or, where it is not that, Latin-1.

        Raises
        ------
        MotionError
            If the file cannot be read or is not text.
        """
        content = read_content(path)
        if b"\0" in content[:4096]:
            raise BinaryFileError(f"{path}: not a text file")
        lines = split_lines(content)
        skipped = next((i for i, line in enumerate(lines) if line.strip()), 0)
        return cls(path, lines[skipped:], skipped, given)

    def line(self, index: int) -> str:
        """A line, refused where the file is shorter."""
        if index >= len(self.lines):
            last = self.last + self.skipped + 1
            raise MotionError(f"{self.path}: the file ends in its header, after line {last}")
        return self.lines[index]

    @property
    def last(self) -> int:
        """Index of the last line that is not blank."""
        return next((i for i in range(len(self.lines) - 1, -1, -1) if self.lines[i].strip()), 0)

    def error(self, index: int, reason: str) -> MotionError:
        """An error that names the file and the line."""
        return MotionError(f"{self.path}, line {index + self.skipped + 1}: {reason}")

    def number(self, index: int, text: str, what: str, *, positive: bool = False) -> float:
        """A number of the header, `what` with its unit in words."""
        try:
            value = plain_number(text)
        except ValueError:
            value = nan
        if value != value or (positive and value <= 0):
            kind = "a number > 0" if positive else "a number"
            raise self.error(index, f"{what} must be {kind}, got {text.strip()!r}")
        return value

    def count(self, index: int, text: str, what: str = "number of samples") -> int:
        """A number of samples of the header, at least 2."""
        value = self.number(index, text, what, positive=True)
        if value != int(value) or value < 2:
            raise self.error(index, f"{what} must be a whole number >= 2, got {text.strip()!r}")
        return int(value)

    def unit(self, index: int, text: str, what: str = "unit of the acceleration") -> str:
        """Key of `ACCELERATIONS` that a text of the header means."""
        unit = parse_unit(text)
        if unit is None:
            raise self.error(index, f"{what} must be one of {', '.join(ACCELERATIONS)}, got {text!r}")
        return unit

    def spoken_unit(self, lines: Sequence[int], example: str) -> tuple[str, str]:
        """Unit of the acceleration in lines of free text, and how it is known: else it is the one given.

        Raises
        ------
        MotionError
            If they say no unit or several, and none is given.
        """
        for i in lines:
            said = SPOKEN_UNIT.search(self.lines[i])
            text = (
                re.sub(r"milli-?\s*g\b|% *g\b", lambda found: f"{found[0][0]}g", said[1].lower())
                if said
                else ""
            )
            words = re.findall(r"%?[a-z][a-z0-9/*^²]*", text)
            known = {unit for word in words if (unit := parse_unit(word))}
            if len(known) == 1:
                return known.pop(), DECLARED
            if said and words and not self.given:
                raise self.error(
                    i, f"unit of the acceleration must be one of {', '.join(ACCELERATIONS)}, got {said[0]!r}"
                )
        if self.given:
            return self.given, GIVEN
        raise self.error(
            max(lines, default=0),
            f"the header does not say the unit; expected {example!r}, or give it, as unit='g' or --unit g",
        )

    def orientation(self, index: int, name: str, what: str) -> Orientation:
        """Orientation of a component by its name, where that has to say one."""
        orientation = parse_orientation(name)
        if orientation is None:
            raise self.error(
                index, f"{what} must be a direction such as N, N28W, 090, HNE or Up, got {name!r}"
            )
        return orientation

    def recorded(
        self, samples: FloatArray, dt: float, unit: str, component: str, orientation: Orientation, **more: Any
    ) -> RecordedComponent:
        """A component of which the file has samples in a unit; `more` are others of `RecordedComponent`."""
        return RecordedComponent(
            ACCELERATIONS[unit] * samples,
            dt,
            self.path,
            unit=unit,
            component=component,
            role=orientation.role,
            azimuth=orientation.azimuth,
            **{"unit_known": DECLARED, **more},
        )

    def numbers_from(self, first: int) -> range:
        """Numbers of the lines from `first` on, as messages have them."""
        return range(self.skipped + first + 1, self.skipped + len(self.lines) + 1)

    def counted(self, index: int, what: str, per_line: int, width: int) -> tuple[FloatArray, int]:
        """Numbers that a line announces, its first word being their count, and the line after them.

        The line says in which Fortran format they follow, as in ``31932 Accelerogram points at 100 pts/sec
        in units of g. Format: (8f9.6)``; without it there are `per_line` in columns of `width`.

        Raises
        ------
        MotionError
            If the line announces nothing, or the numbers are fewer or none.
        """
        line = self.line(index)
        words, found = line.split(), FORMAT.search(line.rstrip())
        if not (words and re.fullmatch("[0-9]+", words[0])):
            raise self.error(
                index, f"expected a line that says how many {what} follow, got {line.strip()[:40]!r}"
            )
        if "format" in line.lower() and not found:
            raise self.error(index, f"expected a format such as (8f10.6), got {line.strip()[-40:]!r}")
        layout = (int(found[1] or 1), int(found[2])) if found else (per_line, width)
        return self.samples(index + 1, int(words[0]), *layout)

    def samples(
        self, first: int, count: int, per_line: int | None = None, width: int | None = None
    ) -> tuple[FloatArray, int]:
        """Samples that begin in line `first`, and the line after them.

        Parameters
        ----------
        first : int
            Line of the first sample.
        count : int
            Number of samples that the header declares.
        per_line : int, optional
            Samples in a full line; without it the samples go on to the end of the file.
        width : int, optional
            Width of the columns, of formats whose numbers may touch; blanks separate wherever that gives
            `count` numbers.

        Raises
        ------
        MotionError
            Where the file has fewer or more samples, or something that is not a finite number.
        """
        if width is not None:
            with suppress(MotionError):
                return self.samples(first, count, len(self.line(first).split()) or 1)
        end = self.last + 1 if per_line is None else first + ceil(count / per_line)
        block = self.lines[first:end]
        fields = _fields(block, width)
        try:
            values = np.array(fields, dtype=np.float64)
        except ValueError:
            raise self._not_a_number(first, width, count) from None
        if len(values) < count or end > len(self.lines):
            raise self._truncated(first, len(values), count, end)
        if len(values) > count:
            raise self.error(
                end - 1, f"the file goes on after {count} samples, the number that its header declares"
            )
        if not np.isfinite(values).all() or "_" in (text := "".join(block)) or not text.isascii():
            raise self._not_a_number(first, width, count)
        return values, end

    def table(
        self, first: int, columns: int, count: int | None = None, separator: str | None = None
    ) -> FloatArray:
        """Samples (n_time, columns) of a table that begins in line `first`, one line for each time step.

        Parameters
        ----------
        first : int
            Line of the first sample.
        columns : int
            Numbers in a line.
        count : int, optional
            Lines that the header declares, by default all there are.
        separator : str, optional
            Between the numbers, also without a number at the end of a line; by default blanks.

        Raises
        ------
        MotionError
            Where the file has fewer or more lines, or one that is not `columns` finite numbers.
        """
        end = self.last + 1
        if separator is not None:
            rows = [line.rstrip(f"{separator} \t").replace(separator, " ") for line in self.lines[first:end]]
            return replace(self, lines=[*self.lines[:first], *rows]).table(first, columns, count)
        for i in range(first, end if count is None else min(first + count, end)):
            if len(self.lines[i].split()) != columns:
                raise self.error(
                    i, f"expected {columns} columns of numbers, got {self.lines[i].strip()[:40]!r}"
                )
        if count is None and end - first < 2:
            raise self.error(end - 1, f"at least 2 lines of {columns} columns of numbers must follow")
        samples, _ = self.samples(first, columns * (end - first if count is None else count))
        return samples.reshape(-1, columns)

    def _truncated(self, first: int, found: int, count: int, end: int) -> MotionError:
        last = min(end - 1, self.last)
        return self.error(
            max(last, first - 1),
            f"the samples end after {found} of the {count} that the header declares; is the file truncated?",
        )

    def _not_a_number(self, first: int, width: int | None, count: int) -> MotionError:
        """The first thing among the samples that is not a finite number."""
        found = 0
        for index in range(first, self.last + 1):
            for entry in _fields([self.lines[index]], width):
                try:
                    plain_number(entry)
                except ValueError:
                    shown = entry if len(entry) <= 40 else f"{entry[:37]}..."
                    return self.error(
                        index, f"expected a number, got {shown!r} after {found} of {count} samples"
                    )
                found += 1
        raise AssertionError("every sample is a number")  # called only where one is not


def _fields(lines: list[str], width: int | None) -> list[str]:
    """Fields of some lines; a blank column counts as none."""
    if width is None:
        return " ".join(lines).split()
    columns = (
        line[i : i + width].strip() for line in map(str.rstrip, lines) for i in range(0, len(line), width)
    )
    return [column for column in columns if column]


@dataclass(frozen=True)
class Header:
    """Lines with a key and a value above the samples of a file."""

    file: TextFile
    end: int  # line after the header
    lines: Mapping[str, int]  # by key
    values: Mapping[str, str]

    @classmethod
    def of(cls, file: TextFile, end: int, sign: str = ":", key: Callable[[str], str] = str.strip) -> Header:
        """The lines above `end` that have a `sign` between key and value; `key` takes what is before it.

        Commas that a spreadsheet left at the end of a line do not belong to a value.
        """
        parts = [(i, *line.partition(sign)) for i, line in enumerate(file.lines[:end]) if sign in line]
        lines = {key(before): i for i, before, _, _ in parts}
        return cls(file, end, lines, {key(before): value.strip(", \t") for _, before, _, value in parts})

    def need(self, *keys: str) -> None:
        """Refuse a header without one of the keys."""
        for key in keys:
            if key not in self.values:
                raise self.file.error(self.end - 1, f"the header ends here and has no line {key!r}")

    def __getitem__(self, key: str) -> str:
        """Value of a key, empty where there is none."""
        return self.values.get(key, "")

    def error(self, key: str, reason: str) -> MotionError:
        """An error that names the line of a key."""
        return self.file.error(self.lines.get(key, self.end - 1), reason)

    def number(self, key: str, *, positive: bool = True) -> float:
        """Number of a key."""
        return self.file.number(self.lines.get(key, self.end - 1), self[key], key, positive=positive)

    def count(self, key: str) -> int:
        """Number of samples of a key."""
        return self.file.count(self.lines.get(key, self.end - 1), self[key], key)

    def unit(self, key: str, separator: str | None = None) -> str:
        """Unit of a key, up to a `separator` in its value."""
        text = self[key].partition(separator)[0] if separator else self[key]
        return self.file.unit(self.lines.get(key, self.end - 1), text, key)

    def facts(self, wanted: Mapping[str, tuple[str, float]]) -> dict[str, str | float]:
        """Facts in SI units: `wanted` has the name and the factor of each by its key."""
        return facts_of(self.values, wanted)


def facts_of(values: Mapping[str, str], wanted: Mapping[str, tuple[str, float]]) -> dict[str, str | float]:
    """Facts in SI units by their names, from texts by key; what does not begin with a number is left out.

    >>> facts_of({"Rrup (km)": "7.1", "Vs30": "-"}, {"Rrup (km)": ("distance_rupture", 1000.0)})
    {'distance_rupture': 7100.0}
    """
    found: dict[str, str | float] = {}
    for key, (name, factor) in wanted.items():
        number = re.match(rf"\s*{NUMBER}(?:[eE][-+]?\d+)?", values.get(key, ""))
        if number:
            found[name] = round(factor * float(number[0]), 6)  # [km] to [m], less the noise of the product
    return found


def start_of(text: str) -> tuple[float | None, tuple[str, ...]]:
    """Time of a first sample after 1970 [s], None where a file does not say it, and a remark where it is odd.

    Day and month may stand before the year; which of both is first only has to be the same in all components.

    >>> start_of("01/02/1970 00:00:05.300"), start_of("19700102_000005.3"), start_of("")
    ((2678405.3, ()), (86405.3, ()), (None, ()))
    """
    found = MOMENT.match(text.strip())
    if found:
        year, month, day = (found[1], found[2], found[3]) if found[1] else (found[6], found[5], found[4])
        if int(month) > 12:
            month, day = day, month
        with suppress(ValueError):
            date = datetime(int(year), int(month), int(day), int(found[7]), int(found[8]), tzinfo=UTC)
            return date.timestamp() + float(found[9]), ()
    if not text.strip():
        return None, ()
    return None, (f"the time {text!r} is not understood; components are taken to begin together",)


def year_of(date: str) -> dict[str, str | float]:
    """The fact of the year with which a date begins, none where it does not."""
    return {"year": int(date[:4])} if date[:4].isdecimal() else {}
