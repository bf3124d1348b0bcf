"""Sections of the report on what was computed and what an auditor asks for, and the sentence above all.

Body, inputs, ground motions, model; who answers for it, files, records, hazard.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from math import degrees, tan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from mcrock.base.estimates import Term
from mcrock.base.params import STANDARD_GRAVITY
from mcrock.base.tables.parsing import ConfigError, toml, toml_line
from mcrock.base.units import unit_in_text
from mcrock.body import Bodies, Body, uplift_slenderness
from mcrock.excitation.motion import MotionError
from mcrock.excitation.sources.recorded import RecordedSource
from mcrock.impact.registry import Law
from mcrock.show.body import BODY, plot_body
from mcrock.show.describe import assumption_notes, section_notes, uncertain_rows
from mcrock.show.fragility import median_sentence
from mcrock.show.report.content import Block, Code, Section, cautions, embed
from mcrock.show.risk import risk_statement
from mcrock.show.sensitivity import has_distributions, plot_inputs
from mcrock.show.summary import Summary, answer_line
from mcrock.show.text import format_count, format_range, format_table, label_intensities
from mcrock.statistics.hazard import MEAN
from mcrock.statistics.probability import EVENT
from mcrock.statistics.risk import accepted_rate
from mcrock.statistics.runs import config_of, count_runs, intensity_classes, numbered, overturn_levels
from mcrock.study import Study

FILES = ("file", "files", "table")  # keys of a study file that name files
FLOOR = {"frequency": "Hz", "masses": "kg", "stiffnesses": "N/m"}
PARTS = {  # questions of a safety case, what decides first, and the sections that answer them in their order
    "How likely it is": ("risk", "standards", "fragility", "outcomes", "motion", "replays"),
    "What would make it safe enough": ("remedy",),
    "What decides it": ("uncertainty", "sensitivity"),
    "What is judged, and what threatens it": ("body", "motions"),
    "What is assumed, and what is uncertain": ("inputs", "model"),
    "Why the numbers hold": ("rules", "validity", "convergence"),
    "What they leave out": ("limits",),
    "How to check and repeat them": ("formulas", "files", "provenance", "study"),
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


def answer_sentence(
    summary: Summary, rates: xr.Dataset | None, with_support: xr.Dataset | None = None
) -> str:
    """The answer of a study; where a body may fall off its support that first, of no event the runs too."""
    event = summary["fragility"].attrs.get(EVENT)
    what = f"the response goes beyond its limit ({event})" if event else "the body overturns"
    said = [(what, rates)]
    if with_support is not None:
        off = f"the body overturns or falls off its support ({with_support.attrs[EVENT]})"
        said.insert(0, (off, with_support))
    answers = [
        (
            float(accepted_rate(found)["rate"]) > 0,
            f"The probability that {what} at this site is {chance} in {found.attrs['years']:g} years ({of}).",
        )
        for what, found in said
        if found is not None
        for chance, of in [risk_statement(found, "probability", " %")]
    ]
    if known := [words for is_known, words in answers if is_known]:
        return " ".join(known)
    of_runs = median_sentence(summary["fragility"]) if summary.is_shaken else answer_line(summary)
    return " ".join([*(words for _, words in answers[:1]), f"{of_runs}."])


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
    units, scale = ("g", STANDARD_GRAVITY) if in_g else (unit_in_text(x.attrs["units"]), 1.0)
    rates = hazard["rate"].transpose("hazard_intensity", "hazard").values
    often = 1.0 / hazard["rate"].sel(hazard=MEAN).values
    rows = [
        [f"{at:.6g}", *(f"{rate:.6g}" for rate in row), f"{years:.6g}"]
        for at, row, years in zip(x.values / scale, rates, often, strict=True)
    ]
    source, reading = hazard.attrs["source"], hazard.attrs.get("reading", "annual rates")
    title = f"Annual rates at which {hazard.attrs['measure']} is exceeded [{Term.PER_YEAR}]"
    blocks: list[Block] = [
        f"The hazard was read from {source} as {reading}; its digest stands under Files in the report.",
        title,
        format_table([f"{hazard.attrs['measure']} [{units}]", *names, "mean: once in [years]"], rows),
    ]
    if reading != "annual rates":
        blocks.append(f"The file has {reading}: p = 1 - exp(-H T) of a rate H in those T years.")
    return blocks


LONGEST = 400  # characters of a value of the study file that is shown whole
MOTIONS_SHOWN = 60
OF_BODY = {"rad": ("deg", 180 / np.pi)}  # other units that readers know


def subject_sections(ds: xr.Dataset, study: Study, folder: Path) -> list[Section]:
    """What was computed."""
    body, inputs, motions = (part(ds, study) for part in (body_section, inputs_section, motions_section))
    further = [*record_blocks(study, folder), *floor_blocks(study)]
    own = [body, inputs, motions._replace(blocks=[*motions.blocks, *further]), model_section(study)]
    return noted(own, ds, study, folder)


def noted(sections: Sequence[Section], ds: xr.Dataset, study: Study, folder: Path) -> list[Section]:
    """Sections with the notes of `mcrock check` that bear on them."""
    notes = section_notes(study, folder)
    notes["model"] += assumption_notes(ds, study) if study.motion.shakes else []
    found = []
    for section in sections:
        words = (re.sub(r"^note: (?=\w+\.\w)", "of the parameters ", n) for n in notes.get(section.key, ()))
        own = cautions(word.removeprefix("note: ") for word in words)
        found.append(section._replace(blocks=[*section.blocks, *own]))
    return found


def table_section(ds: xr.Dataset) -> Section:
    """Outcomes that mcrock did not compute, with the part of each motion in them."""
    source = ds.attrs.get("source", "outcomes of a table")
    blocks: list[Block] = [
        f"The runs ({source}) are of another program or of tests; mcrock has computed their statistics. Of "
        "the object, its uncertain inputs, the model and its numerical settings this page knows nothing but "
        "what the table has: the source of the outcomes belongs in the file with this page.",
        *_motion_table(ds, ds["motion_name"].values.tolist()),
    ]
    return Section("motions", "Outcomes and ground motions", blocks)


def body_section(ds: xr.Dataset, study: Study) -> Section:
    """The body drawn, with its numbers."""
    body = body_at_medians(study)
    uncertain = any(name.startswith("body.") for name in study.uncertain)
    at = ", every uncertain number at its median" if uncertain else ""
    at += ", without the error of its shape" if study.body.underside else ""
    blocks: list[Block] = [embed(plot_body(body), BODY)]
    rows = [["shape", study.body.shape + at]]
    for name in ("body_mass", "body_radius", "body_slenderness", "body_frequency"):
        units, factor = OF_BODY.get(ds[name].attrs["units"], (unit_in_text(ds[name].attrs["units"]), 1.0))
        rows.append([ds[name].attrs["long_name"], f"{format_range(factor * ds[name].values)} {units}"])
    rows.append(["height of the centre of mass", f"{body.com_height:.4g} m"])
    bodies = study.body.at_medians()
    over = float(uplift_slenderness(bodies.vertices, bodies.faces, bodies.start_face, bodies.rim)[0])
    starts, place = body.gravity * tan(over) / STANDARD_GRAVITY, "the rim" if body.rim else "an edge"
    words = f"{starts:.3g} g, over {place} of slenderness {degrees(over):.4g} deg"
    rows.append(["horizontal acceleration that starts rocking", words])
    if len(body.faces) > 1:
        rows.append(["faces, corners", f"{len(body.faces)}, {len(body.vertices)}"])
    return Section("body", "The object", [*blocks, format_table(["", ""], rows)])


def body_at_medians(study: Study) -> Body:
    """The body of a study whose every uncertain number has its median."""
    bodies: Bodies = study.body.at_medians()
    return Body(
        float(bodies.mass[0]),
        bodies.inertia[0],
        bodies.vertices[0],
        float(bodies.gravity[0]),
        bodies.faces,
        int(bodies.start_face[0]),
        bodies.base_faces,
        0.0 if bodies.rim is None else float(bodies.rim[0]),
        parts=tuple((vertices[0], faces) for vertices, faces in bodies.parts),
    )


def inputs_section(ds: xr.Dataset, study: Study) -> Section:
    """What is uncertain, and how it is drawn."""
    rows = uncertain_rows(study)
    blocks: list[Block] = []
    if rows:
        blocks.append(format_table(["input", "distribution", "parameters"], rows))
    if has_distributions(ds):
        blocks.append(embed(plot_inputs(ds), "Distributions of the inputs and what was drawn from them"))
    if study.motion.draws_noise:
        blocks.append("The noise of the motions is drawn for each realization.")
    if not blocks:
        blocks.append("No input is uncertain.")
    design = study.ensemble.design.replace("_", " ")
    draws = f"{study.n_outer} {Term.DRAWS}, each with " if study.ensemble.outer else ""
    blocks.append(
        f"{draws}{format_count(study.n_realizations, 'realization')} ({design} design, seed {study.seed}), "
        f"each at {format_count(study.n_intensity, 'intensity').replace('ys', 'ies')}: {study.n_runs} runs. "
        "All other numbers are fixed, as in the study file at the end."
    )
    return Section("inputs", "Inputs and their distributions", blocks)


def motions_section(ds: xr.Dataset, study: Study) -> Section:
    """Where the ground motions come from, and each of them with its part in the outcome."""
    if not study.motion.shakes:
        return Section(
            "motions", "Ground motions", ["The ground does not move: the body is released from a tilt."]
        )
    if not isinstance(study.motion, RecordedSource) or "record" not in ds:
        return Section("motions", "Ground motions", [*study.motion.describe([], study.folder)])
    names = ds["motion_name"].values.tolist()
    number = len(np.unique(ds["motion_group"].values)) if "motion_group" in ds else len(names)
    blocks: list[Block] = [
        f"{format_count(len(names), 'motion')} of {format_count(number, 'recording')} "
        f"({study.motion.origin}), {study.motion.assigned}; intensity: "
        f"{study.intensity.long_name}."
    ]
    blocks += _motion_table(ds, names)
    steps = Counter(ds["motion_history"].values.tolist()) if "motion_history" in ds else {}
    processed = [f"{words} ({number} of {len(names)})" for words, number in steps.items() if words]
    done = (
        f"Processing: {'; '.join(processed)}."
        if processed
        else "The motions are used as they were published."
    )
    blocks.append(done)
    return Section("motions", "Ground motions", blocks)


def _motion_table(ds: xr.Dataset, names: list[str]) -> list[Block]:
    """Each motion with its part in the outcome."""
    strength = ["-"] * len(names)
    if "motion_intensity" in ds:
        units = ds["motion_intensity"].attrs.get("units", "1")
        strength = label_intensities(ds["motion_intensity"].values.tolist(), units)
    records, index = numbered(ds, "record")
    tally = count_runs(ds, overturn_levels, 1, intensity_classes(ds, 1), index, allow_missing=True)
    counts = np.zeros((3, len(names)))
    counts[:, records] = np.bincount(index), tally.runs.sum(axis=1), tally.beyond.sure.sum(axis=(1, 2))
    rows = [
        [name, label, str(int(number)), f"{100 * fell / runs:.0f}" if runs else "-"]
        for name, label, number, runs, fell in zip(names, strength, *counts, strict=True)
    ]
    heads = ["motion", "as recorded", "realizations", "overturned [%]"]
    more = [f"and {len(rows) - MOTIONS_SHOWN} more."] if len(rows) > MOTIONS_SHOWN else []
    return [format_table(heads, rows[:MOTIONS_SHOWN]), *more]


def model_section(study: Study) -> Section:
    """Impact law, contacts and numerical settings."""
    keys = study.impact.law if isinstance(study.impact.law, tuple) else (study.impact.law,)
    laws = [law for law in Law if law.key in keys]
    blocks: list[Block] = [
        "A rigid body in three dimensions on rigid ground. Between impacts its motion about the corner, edge "
        "or face in contact is integrated; every impact is an event of its own, which changes velocities by "
        "the impact law."
    ]
    blocks.append(
        format_table(
            ["impact law", "impulse", "source"], [[law.label, law.words, law.source] for law in laws]
        )
    )
    if study.contact is None:
        blocks.append("Contacts stick: nothing slides, and nothing rebounds.")
    else:
        items = ", ".join(
            f"{key} {toml(item) if not hasattr(item, 'distribution') else 'uncertain'}"
            for key, item in study.contact.parameters.items()
        )
        blocks.append(f"Contacts have Coulomb friction and may rebound: {items}.")
    return Section("model", "Model and impact law", blocks)


def study_section(study: Study) -> Section:
    """The study file with every default, so that it can be run again."""
    text = study_as_toml(json.loads(study.to_json()))
    lacks = (
        "Without the store this cannot be run: it alone has the values in the place of which a line begins "
        "with #, as columns of a table of inputs. It keeps no name of that; `--file` lists its digest."
    )
    return Section("study", "Study file", [lacks * ("\n# " in text), Code(text)])


def study_as_toml(data: dict[str, object], longest: float = LONGEST) -> str:
    """A study in TOML; what has more characters, as a mesh, is left to the store."""
    lines = [f"{key} = {toml(value)}" for key, value in data.items() if not isinstance(value, dict)]
    for section, table in data.items():
        if isinstance(table, dict):
            lines += ["", f"[{section}]"]
            for key, value in table.items():
                whole = toml_line(key, value)
                lines.append(whole if len(whole) <= longest else f"# {key}: too long, kept in the store")
    return "\n".join(lines)
