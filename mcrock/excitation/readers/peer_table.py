"""Table `_SearchResults.csv` of a PEER download: which files belong together, and facts about them.

Pacific Earthquake Engineering Research Center, NGA-West2 ground motion database.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from mcrock.excitation.motion import MotionError
from mcrock.excitation.readers.orientation import parse_orientation
from mcrock.excitation.readers.recording import RecordedComponent
from mcrock.excitation.readers.text_file import TextFile, facts_of

# column: (fact, factor to SI units)
FACTS: dict[str, tuple[str, float]] = {
    "Magnitude": ("magnitude", 1.0),
    "Rjb (km)": ("distance_joyner_boore", 1000.0),
    "Rrup (km)": ("distance_rupture", 1000.0),
    "Vs30 (m/sec)": ("vs30", 1.0),
    "Lowest Useable Frequency (Hz)": ("lowest_usable_frequency", 1.0),
    "Scale Factor": ("scale_factor", 1.0),  # of the search, not applied
    "Tp-Pulse Period (sec)": ("pulse_period", 1.0),
}
TABLE = "summary of metadata of selected records"
TITLE_LINES = 200  # in which that title has to come, below the criteria of the search
NUMBER_COLUMN = "Record Sequence Number"
SLOTS = ("Horizontal-1 Acc. Filename", "Horizontal-2 Acc. Filename", "Vertical Acc. Filename")
NUMBERED = re.compile(
    r"([A-W][HLNG])?[123](?:[ ._-]?(?:\d\d|--))?", re.IGNORECASE
)  # axes of a sensor, of which any may be vertical


class ListedFile(NamedTuple):
    """Entry of a file in `_SearchResults.csv`."""

    rsn: int
    slot: int  # 0 and 1 horizontal, 2 vertical
    facts: dict[str, str | float]


def is_search_results(file: TextFile) -> bool:
    """Whether the file is the table that comes with a download."""
    return any(TABLE in line.lower() for line in file.lines[:TITLE_LINES])


def read_search_results(file: TextFile) -> dict[str, ListedFile]:
    """Files that the table of a download folder lists, by their names in lower case.

    Raises
    ------
    MotionError
        If the columns with the record number or the file names are missing, or a number is none.
    """
    start = next(i for i, line in enumerate(file.lines) if TABLE in line.lower()) + 1
    rows = list(_rows(file.lines[start:]))
    heads = rows[0][1] if rows else []
    for needed in (NUMBER_COLUMN, *SLOTS):
        if needed not in heads:
            raise file.error(start, f"column {needed!r} is missing")
    listed: dict[str, ListedFile] = {}
    for i, row in rows[1:]:
        values = dict(zip(heads, row, strict=False))
        facts = _facts(values)
        for slot, column in enumerate(SLOTS):
            name = values.get(column, "")
            if Path(name).suffix:
                number = file.number(start + i, values[NUMBER_COLUMN], NUMBER_COLUMN, positive=True)
                listed[name.lower()] = ListedFile(int(number), slot, facts)
    return listed


def _rows(lines: list[str]) -> Iterable[tuple[int, list[str]]]:
    """Rows of the table with their lines, up to the first empty one.

    Spreadsheets of many countries write semicolons between the fields, and then decimal commas.
    """
    semicolons = bool(lines) and lines[0].count(";") > lines[0].count(",")
    rows = csv.reader(lines, delimiter=";" if semicolons else ",", skipinitialspace=True)
    for row in rows:
        fields = [field.strip().strip('"').strip() for field in row]
        if not any(fields):
            return
        if semicolons:
            fields = [re.sub(r"^(-?\d+),(\d+)$", r"\1.\2", field) for field in fields]
        yield rows.line_num - 1, fields


def _facts(values: dict[str, str]) -> dict[str, str | float]:
    """Facts of a row in SI units; what is not a number is left out."""
    facts: dict[str, str | float] = {
        "event": values.get("Earthquake Name", "").replace("_", ","),
        "station": values.get("Station Name", ""),
        "fault_type": values.get("Mechanism", ""),
    }
    if values.get("Year", "").isdecimal():
        facts["year"] = int(values["Year"])
    facts |= facts_of(values, FACTS)
    return {name: value for name, value in facts.items() if value != ""}


def with_search_results(
    recordings: list[RecordedComponent], listed: dict[str, ListedFile], table: Path
) -> tuple[list[RecordedComponent], list[str]]:
    """Recordings of a download folder with the facts of its table, and the listed files not there.

    The table says which files belong together, and puts them in order: where directions are not
    known, Horizontal-1 becomes ground x. Of a component whose name says nothing it also says the role.
    """
    found = {recording.path.name.lower(): recording for recording in recordings}
    missing = [name for name in listed if name not in found]
    ordered = sorted(recordings, key=lambda recording: _place(recording, listed))
    completed = []
    for recording in ordered:
        entry = listed.get(recording.path.name.lower())
        if entry is None:
            completed.append(recording)
            continue
        if parse_orientation(recording.component) is None or NUMBERED.fullmatch(recording.component):
            recording = replace(recording, role="up" if entry.slot == 2 else "horizontal", remarks=())
        if (entry.slot == 2) != (recording.role != "horizontal"):
            wanted = "vertical" if entry.slot == 2 else "horizontal"
            raise MotionError(
                f"{recording.path}: {table.name} lists it as a {wanted} component, its header says "
                f"{recording.component!r}"
            )
        facts = {**recording.facts, **entry.facts, "rsn": entry.rsn}
        name = recording.name
        if {"event", "year", "station"} <= facts.keys():
            name = f"{facts['event']} {facts['year']}, {facts['station']}"
        completed.append(replace(recording, record=f"RSN {entry.rsn}", name=name, facts=facts))
    return completed, missing


def _place(recording: RecordedComponent, listed: dict[str, ListedFile]) -> int:
    """Place of a component in its recording."""
    entry = listed.get(recording.path.name.lower())
    return entry.slot if entry else 0
