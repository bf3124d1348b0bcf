"""Damaged files of every other kind: hazards, recordings, fits, labels, scans, spectra, clusters, logs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from mcrock.body.polyhedron import read_scan
from mcrock.ensemble.cluster import load_cluster
from mcrock.ensemble.opening import read_log
from mcrock.excitation.readers import scan_records
from mcrock.excitation.selection import survey
from mcrock.excitation.spectrum_compatible import read_target
from mcrock.measurement import read_recording
from mcrock.measurement.campaign import chosen_parameters, read_tests
from mcrock.show.records import format_surveys
from mcrock.statistics.hazard import load_hazard
from mcrock.statistics.labels import read_labels
from mcrock.statistics.validation import read_geometry
from mcrock.study import load_config
from mcrock.study.load import load_tested
from tests.fuzz import configs, records
from tests.fuzz.damage import damage_table, damaged_text
from tests.unit.commands.test_fit import BODY, HEAD
from tests.unit.commands.test_risk import HAZARD
from tests.unit.statistics.labels.validation.test_validation import geometry


class Kind(NamedTuple):
    """A kind of file."""

    take: Callable[[Path], Any]  # on
    sound: Iterable[tuple[str, str]]  # names and texts of files


def measured(path: Path) -> None:
    """Take a recording on as `mcrock fit` does."""
    read_recording(path, "y -x z").unbiased((0.0, 0.3)).trimmed()


def tabulated(path: Path) -> None:
    chosen_parameters(read_tests(path))


def recorded(path: Path) -> None:
    """Take records on as `mcrock records check` does."""
    format_surveys(survey(scan_records(path).motions), 100)


def measured_texts() -> Iterable[tuple[str, str]]:
    """A body that is held, falls and rests; with semicolons and commas too."""
    rows = [(0.02 * i, 0.0 if not 40 < i < 60 else 30.0 * (-0.9) ** i, 0.1, 0.0) for i in range(80)]
    text = HEAD + "\n" + "".join(",".join(f"{value:.4f}" for value in row) + "\n" for row in rows)
    return ("test.csv", text), ("test.csv", text.replace(",", ";").replace(".", ","))


CORNERS = "v 0 0 0\nv 60 0 0\nv 0 60 0\nv 20 20 90\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
POINTS = "# x y z\n0 0 0\n1 0 0\n0 1 0\n0.2 0.2 2\n"
FITS = "test,specimen,position,repetition,parameter,estimate,standard_error\n" + "".join(
    f"{i},{i % 3},{'AB'[i % 2]},1,lambda,{0.8 + 0.01 * i},0.02\n" for i in range(9)
)
LABELS = "realization,intensity,fallen\n0,2,0\n3,2,1\n5,4,0.5\n"
SLURM = (Path(__file__).parents[2] / "jobs" / "slurm.yaml").read_text(encoding="utf-8")
CLUSTERS = (("c.yaml", SLURM),)
LOG = json.dumps(
    {"time": "2026-11-25T20:00:00.000+00:00", "host": "a", "process": 1, "event": "start", "task": "1/1"}
)
LOGS = LOG + "\n" + LOG.replace('"start"', '"part", "realizations": [0, 8], "seconds": 1.5') + "\n"
KINDS = {
    "hazard": Kind(load_hazard, [("h.csv", HAZARD), ("h.csv", HAZARD.replace("[m/s2]", "[g]"))]),
    "hazard_years": Kind(partial(load_hazard, years=50.0), [("h.csv", HAZARD)]),
    "recording": Kind(measured, measured_texts()),
    "fits": Kind(tabulated, [("fits.csv", FITS)]),
    "labels": Kind(read_labels, [("labels.csv", LABELS)]),
    "geometry": Kind(read_geometry, [("block.json", geometry())]),
    "scan": Kind(partial(read_scan, unit="cm"), [("scan.obj", CORNERS), ("scan.txt", POINTS)]),
    "spectrum": Kind(partial(read_target, unit="g"), [("s.txt", "0.01 1\n0.1 2.5\n0.5 2.5\n1 1.2\n4 0.1\n")]),
    "cluster": Kind(load_cluster, CLUSTERS),
    "tested": Kind(partial(load_tested, fitted=("lambda",)), [("block.toml", BODY)]),
    "log": Kind(lambda path: read_log(path.with_suffix("")), [("s.zarr.log", LOGS)]),
    "records": Kind(recorded, [(name, text.decode("latin-1")) for name, text in records.sound_files()]),
    "study": Kind(load_config, [("study.toml", text) for text in configs.sound_studies()]),
}
OTHERS = tuple(name for name in KINDS if name not in ("records", "study"))  # which have a fuzz of their own


def attempt(number: int, folder: Path) -> None:
    """Take a damaged file on."""
    random = Random(f"file {number}")
    kind = KINDS[random.choice(OTHERS)]
    name, text = random.choice(list(kind.sound))
    if name.endswith(".json") and random.random() < 0.7:
        table = json.loads(text)
        damage_table(random, table)
        text = json.dumps(table)
    else:
        text = damaged_text(random, text)
    path = folder / name
    path.write_text(text, encoding="utf-8", errors="replace")
    kind.take(path)
