"""Answers of `mcrock new` that a study file gives, and what of it no question asks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import hypot
from pathlib import Path
from typing import Any

from mcrock.study.answers import Option
from mcrock.study.load import study_of
from mcrock.study.new import FRICTION, PRESET_OF, new_study
from mcrock.study.questions import DENSITIES, PLACES, asked

Tables = dict[str, Any]
SAME = ("height", "width", "depth", "top_scale", "com_z", "mass", "file", "up")  # questions that are keys


def answers_of(tables: Tables, folder: Path) -> tuple[dict[str, str], Tables]:
    """Answers with which `mcrock new` writes a study file, as far as its questions go.

    Parameters
    ----------
    tables : dict
        Of the study file.
    folder : Path
        From which names of files start.

    Returns
    -------
    dict of str to str
        Answers by the names of questions; what is not there has its default.
    dict of str
        By section and key what the study says otherwise than those answers: its value, or None where it has
        none. Numbers without a section are those of the study.

    Raises
    ------
    ConfigError
        As `study_of`.
    """
    guessed = {name: _typed(value) for name, value in _guess(tables).items() if value is not None}
    answers: dict[str, str] = {}
    for question in asked(answers):
        text = guessed.get(question.name, "")
        text += f" {question.unit}" if text and question.unit not in ("", "1") and text != "none" else ""
        try:
            value = question.check.read(text)
            answers[question.name] = value if isinstance(question.check, Option) else text
        except ValueError:
            answers[question.name] = question.default_after(answers)
    wanted, made = (
        json.loads(study.to_json())
        for study in (study_of(tables, folder / "study"), new_study(folder, **answers).study)
    )
    kept: Tables = {}
    for section in wanted | made:
        of_file, of_answers = wanted.get(section), made.get(section)
        if not (isinstance(of_file or {}, dict) and isinstance(of_answers or {}, dict)):
            of_file, of_answers, section = {section: of_file}, {section: of_answers}, ""
        ours, theirs = of_file or {}, of_answers or {}
        differ = {key: ours.get(key) for key in ours | theirs if ours.get(key) != theirs.get(key)}
        if differ:
            kept.setdefault(section, {}).update(differ)
    return answers, kept


def keep(tables: Mapping[str, Any], kept: Tables) -> Tables:
    """Tables of a study file with what `answers_of` found that answers do not say."""
    out = {key: dict(value) if isinstance(value, dict) else value for key, value in tables.items()}
    for section, items in kept.items():
        table = out.setdefault(section, {}) if section else out
        table |= {key: value for key, value in items.items() if value is not None}
        for key in [key for key, value in items.items() if value is None]:
            table.pop(key, None)
    return {key: value for key, value in out.items() if value != {}}


def _typed(value: Any) -> str:
    """A value of a study file as an answer, without its unit; empty for one that no answer is."""
    if isinstance(value, dict):
        known = value.keys() == {"distribution", "low", "high"} and value["distribution"] == "uniform"
        return f"{value['low']} to {value['high']}" if known else ""
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _guess(tables: Mapping[str, Any]) -> Tables:
    """What the questions are about, as values of the study file; None for what is not there."""
    names = ("body", "impact", "contact", "limits", "motion", "intensity", "ensemble")
    body, impact, contact, limits, motion, intensity, ensemble = (tables.get(name) or {} for name in names)
    densities: dict[Any, str] = {value: name for name, value in DENSITIES.items()}
    presets: dict[Any, str] = {preset: name for name, preset in PRESET_OF.items()}
    frictions: dict[Any, str] = {friction: name for name, (friction, _) in FRICTION.items()}
    source, floor, rubbed = motion.get("source"), motion.get("floor") or {}, contact.get("friction")
    slip = (rubbed.get("low"), rubbed.get("high")) if isinstance(rubbed, dict) else ()
    places = list(PLACES)
    storey, storeys = _storeys(floor.get("factor"))
    distance = limits.get("displacement")
    return {
        **{name: body.get(name) for name in SAME},
        **_base(body),
        "title": tables.get("title"),
        "shape": body.get("shape"),
        "file_unit": body.get("unit"),
        "material": "weighed" if "mass" in body else densities.get(body.get("density")),
        "place": places[2 * bool(floor) + (distance is not None)],
        "storey": storey,
        "storeys_above": storeys - storey,
        "building_frequency": floor.get("frequency"),
        "surfaces": frictions.get(slip, "measured") if contact else "rough",
        "friction": rubbed,
        "edge_distance": "none" if distance is None else distance,
        "impacts": presets.get(impact.get("preset"), "usual"),
        "earthquakes": source if source in ("files", "spectrum") else motion.get("set", "farfield"),
        "records": " ".join(motion.get("paths", [])[:1]),
        "record_unit": motion.get("unit"),
        "spectrum": motion.get("ground") or motion.get("standard") or "file",
        "spectrum_file": motion.get("table"),
        "spectrum_unit": motion.get("unit"),
        "measure": {"factor": "as_recorded"}.get(str(intensity.get("measure")), intensity.get("measure")),
        "pga_levels": intensity.get("levels_g"),
        "pgv_levels": intensity.get("levels"),
        "realizations": ensemble.get("realizations"),
    }


def _base(body: Mapping[str, Any]) -> Tables:
    """Sides and widths of the base [m]."""
    corners, radius = body.get("base"), body.get("radius")
    if isinstance(radius, dict):
        radius = radius | {end: 2.0 * radius[end] for end in ("low", "high") if end in radius}
    elif radius is not None:
        radius = 2.0 * radius
    found = {"diameter": radius}
    if isinstance(corners, list) and all(isinstance(x, int | float) for corner in corners for x in corner):
        middle = [(a + b) / 2 for a, b in zip(corners[0], corners[-1], strict=True)]
        across = corners[0][0] if body.get("shape") == "frustum" else hypot(*middle)
        found |= {"sides": len(corners), "base_width": round(2 * across, 6)}
        found["base_depth"] = 2 * max(y for _, y in corners)
    return found


def _storeys(factor: Any) -> tuple[int, int]:
    """Storey and number of storeys of the least building that amplifies by a factor, or 1 of 3."""
    found = ((s, n) for n in range(1, 60) for s in range(1, n + 1) if round(3 * s / (2 * n + 1), 3) == factor)
    return next(found, (1, 3))
