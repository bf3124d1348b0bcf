"""Sections on what was computed: the body, its inputs, the ground motions, the model."""

from __future__ import annotations

import json
import re
from collections import Counter
from math import degrees, tan
from pathlib import Path

import numpy as np
import xarray as xr

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.base.tables.parsing import toml
from mcrock.base.units import as_written
from mcrock.body import Bodies, Body, uplift_slenderness
from mcrock.excitation.sources.recorded import RecordedSource
from mcrock.impact.registry import Law
from mcrock.show.body import BODY, plot_body
from mcrock.show.describe import uncertain_rows
from mcrock.show.describe.assumptions import assumption_notes
from mcrock.show.describe.study import model_notes
from mcrock.show.inputs import has_distributions, plot_inputs
from mcrock.show.numbers import format_count, format_range, label_intensities
from mcrock.show.report.audit import floor_blocks, record_blocks
from mcrock.show.report.content import Block, Code, Section, cautions, embed
from mcrock.show.tables import format_table
from mcrock.statistics.runs import count_runs, intensity_classes, numbered, overturn_levels
from mcrock.study import Study

LONGEST = 400  # characters of a value of the study file that is shown whole
MOTIONS_SHOWN = 60
OF_BODY = {"rad": ("deg", 180 / np.pi)}  # other units that readers know


def subject_sections(ds: xr.Dataset, study: Study, folder: Path) -> list[Section]:
    """What was computed."""
    body, inputs, motions = (part(ds, study) for part in (body_section, inputs_section, motions_section))
    further = [*record_blocks(study, folder), *floor_blocks(study)]
    return [
        body,
        inputs,
        motions._replace(blocks=[*motions.blocks, *further]),
        model_section(ds, study, folder),
    ]


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
        units, factor = OF_BODY.get(ds[name].attrs["units"], (as_written(ds[name].attrs["units"]), 1.0))
        rows.append([ds[name].attrs["long_name"], f"{format_range(factor * ds[name].values)} {units}"])
    rows.append(["height of the centre of mass", f"{body.com_height:.4g} m"])
    over = float(uplift_slenderness(body.vertices[None], body.faces, np.array([body.start_face]))[0])
    starts = body.gravity * tan(over) / STANDARD_GRAVITY
    words = f"{starts:.3g} g, over an edge of slenderness {degrees(over):.4g} deg"
    rows.append(["horizontal acceleration that lifts an edge", words])
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
    draws = f"{study.n_outer} outer draws of the epistemic inputs, each with " if study.ensemble.outer else ""
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


def model_section(ds: xr.Dataset, study: Study, folder: Path) -> Section:
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
    notes = model_notes(study, folder) + (assumption_notes(ds, study) if study.motion.shakes else [])
    words = (re.sub(r"^note: (?=\w+\.\w)", "of the parameters ", note) for note in notes)
    blocks += cautions(note.removeprefix("note: ") for note in words)
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
                whole = f"{key} = {toml(value)}"
                lines.append(whole if len(whole) <= longest else f"# {key}: too long, kept in the store")
    return "\n".join(lines)
