"""What someone who checks a report asks for: who answers for it, which files, which records, which hazard."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.base.tables.errors import ConfigError
from mcrock.base.tables.parsing import toml
from mcrock.base.units import as_written
from mcrock.excitation.motion import MotionError
from mcrock.excitation.sources.recorded import RecordedSource
from mcrock.show.fragility import format_half
from mcrock.show.numbers import label, percent
from mcrock.show.report.content import Block, Section
from mcrock.show.risk import tell_risk
from mcrock.show.summary import Summary
from mcrock.show.tables import format_table
from mcrock.statistics.probability import EVENT
from mcrock.statistics.runs import config_of
from mcrock.study import Study

FILES = ("file", "files", "table")  # keys of a study file that name files
FLOOR = {"frequency": "Hz", "masses": "kg", "stiffnesses": "N/m"}
ROWS = 80  # of a hazard table
PARTS = {  # questions of a safety case, what decides first, and the sections that answer them in their order
    "How likely it is": ("risk", "standards", "fragility", "outcomes", "motion", "replays"),
    "What decides it": ("uncertainty", "sensitivity"),
    "What is judged, and what threatens it": ("body", "motions"),
    "What is assumed, and what is uncertain": ("inputs", "model"),
    "Why the numbers hold": ("rules", "validity", "convergence"),
    "What they leave out": ("limits",),
    "How to check and repeat them": ("files", "provenance", "study"),
}


class Signed(NamedTuple):
    """Who answers for a report, what it is of and which files belong to it; what is empty is left out."""

    object: str = ""
    author: str = ""
    checker: str = ""
    reference: str = ""
    files: Sequence[Path] = ()  # whose digests are listed, as those of the hazard and of a scan of the body

    @property
    def fields(self) -> list[tuple[str, str]]:
        """What heads the page, by name."""
        names = [name for name in self._fields if name != "files"]
        return [(name, text) for name in names if (text := getattr(self, name))]

    def or_of(self, study: Study | None) -> Signed:
        """With what a study says where nothing is said here."""
        said = study.report if study else None
        return self._replace(**{name: text for name, text in said or () if not getattr(self, name)})


NOBODY = Signed()


def headline(summary: Summary, rates: xr.Dataset | None, with_support: xr.Dataset | None = None) -> str:
    """The answer of a study in one sentence; where a body may fall off its support, that first."""
    event = summary.fragility.attrs.get(EVENT)
    what = f"the response goes beyond its limit ({event})" if event else "the body overturns"
    said = [(what, rates)]
    if with_support is not None:
        off = f"the body overturns or falls off its support ({with_support.attrs[EVENT]})"
        said.insert(0, (off, with_support))
    told = [
        f"The probability that {event} at this site is {chance} in {found.attrs['years']:g} years ({of})."
        for event, found in said
        if found is not None
        for chance, of in [tell_risk(found, "probability", " %")]
        if chance != "0 %"
    ]
    if told:
        return " ".join(told)
    if not summary.is_shaken:
        low, high = summary.probability["interval"].values[:, 0]
        chance = float(summary.probability["probability"][0])
        return (
            f"The probability that {what} after its release is about {chance:.2g} ({low:.2g} to {high:.2g})."
        )
    fit = summary.fragility
    fell, runs = int(fit["overturned"]), int(fit["runs"])
    counted = f"In {fell} of {runs} runs under {int(fit['records'])} recordings {what}"
    if not fell < runs or fell == 0 or not float(fit["median_capacity"]) > 0:
        return f"{counted}; the strongest was shaken by {label(fit['strongest_run'])}."
    if np.isinf(fit["accepted_reached"][-1]):
        return f"{counted}; half of such motions would do so at none of the intensities run."
    return (
        f"{counted}; half of such motions would do so at about {label(fit['accepted_reached'][-1])} "
        f"({percent(fit)} interval {format_half(fit)})."
    )


def in_order(sections: Sequence[Section | None]) -> list[Section]:
    """Sections that there are, in the order of the questions of a safety case."""
    keys = [key for answers in PARTS.values() for key in answers]
    return sorted(filter(None, sections), key=lambda section: keys.index(section.key))


def contents(sections: Sequence[Section]) -> list[tuple[str, list[tuple[int, Section]]]]:
    """Sections with their numbers under the questions of a safety case that they answer."""
    numbered = list(enumerate(sections, 1))
    found = [(words, [(n, one) for n, one in numbered if one.key in keys]) for words, keys in PARTS.items()]
    placed = {one.key for _, parts in found for _, one in parts}
    found.append(("", [(n, one) for n, one in numbered if one.key not in placed]))
    return [(words, parts) for words, parts in found if parts]


def files_section(ds: xr.Dataset, folder: Path, others: Sequence[Path]) -> Section:
    """Every file that the numbers rest on, with its SHA-256 digest."""
    rows, missing = [], []
    for path in dict.fromkeys([*others, *(folder / name for name in _named(config_of(ds)))]):
        if path.is_file():
            rows.append([path.name, str(path.stat().st_size), sha256(path)])
        elif not path.is_dir():
            missing.append(str(path))
    blocks: list[Block] = [
        "`sha256sum FILE` gives the digest of a file, by which anyone can tell whether it is the one used "
        "here. Digests of records and tables are of the files as they were when this page was made; the "
        "digest of the motions, below, is of those that were run."
    ]
    blocks += [format_table(["file", "bytes", "SHA-256"], rows)] if rows else ["No files are named."]
    if missing:
        blocks.append(f"Not found from here: {', '.join(missing)}; --folder says where the study file was.")
    return Section("files", "Files", blocks)


def sha256(path: Path) -> str:
    """Digest of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _named(table: Any) -> Iterator[str]:
    """Files that the tables of a study name."""
    for key, item in table.items() if isinstance(table, dict) else ():
        if key in FILES:
            yield from (name for name in ([item] if isinstance(item, str) else item) if isinstance(name, str))
        else:
            yield from _named(item)


def record_blocks(study: Study, folder: Path) -> list[Block]:
    """The sampling step of each record as it was read, and what stands between its samples in a run."""
    if not isinstance(study.motion, RecordedSource):
        return []
    try:
        read = [motion for reading in study.motion.readings(folder) for motion in reading()]
    except (MotionError, ConfigError) as error:
        return [f"The records could not be read here, so that their own steps are not known: {error}"]
    rows = [[motion.name, f"{motion.dt:g}", f"{motion.duration:.4g}"] for motion in read]
    resampled = [step for step in study.motion.processing if step.get("step") == "resample"]
    how = (
        f"They were resampled by {toml(resampled[0])}, within their band."
        if resampled
        else "They were not resampled: a run takes the acceleration straight between these samples. What "
        'finer ones change, a study with `motion.processing = [{ step = "resample", dt = 0.001 }]` tells.'
    )
    return ["Records as they were read", format_table(["record", "own step [s]", "length [s]"], rows), how]


def floor_blocks(study: Study) -> list[Block]:
    """The floor between ground and body, with every number of it."""
    floor = json.loads(study.to_json())["motion"].get("floor")
    if not floor:
        return []
    rows = [[key, toml(value), FLOOR.get(key, "1")] for key, value in floor.items() if value is not None]
    words = "Between ground and body stands a floor, which filters the motions"
    return [words, format_table(["floor", "value", "unit"], rows)]


def hazard_blocks(hazard: xr.Dataset) -> list[Block]:
    """The table of a hazard as it was used, and where it was read."""
    x, names = hazard["hazard_intensity"], hazard["hazard"].values.tolist()
    in_g = x.attrs["units"] == "m s-2"
    units, scale = ("g", STANDARD_GRAVITY) if in_g else (as_written(x.attrs["units"]), 1.0)
    rates = hazard["rate"].transpose("hazard_intensity", "hazard").values.tolist()
    rows = [
        [f"{at:.5g}", *(f"{rate:.4g}" for rate in row)]
        for at, row in zip(x.values / scale, rates, strict=True)
    ]
    source, reading = hazard.attrs["source"], hazard.attrs.get("reading", "annual rates")
    title = f"Annual rates at which {hazard.attrs['measure']} is exceeded [1/a]"
    blocks: list[Block] = [
        f"The hazard was read from {source} as {reading}; its digest stands under Files in the report.",
        title,
        format_table([f"{hazard.attrs['measure']} [{units}]", *names], rows[:ROWS]),
    ]
    return [*blocks, f"and {len(rows) - ROWS} more rows." if len(rows) > ROWS else ""]
