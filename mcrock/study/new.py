"""A new study file, with comments, from answers to questions; and the answers that an existing file gives."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import cos, hypot, pi, sin
from pathlib import Path
from typing import Any, NamedTuple

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.base.tables.parsing import parse_toml, toml
from mcrock.study.impact import PRESETS
from mcrock.study.load import study_of
from mcrock.study.questions import (
    AUTO,
    BY_NAME,
    DENSITIES,
    PLACES,
    SHAPES,
    Option,
    asked,
    floor_accelerations,
    read_answers,
)
from mcrock.study.study import Study

COMMENTS = 28  # column at which short lines have their comment
SEED = 2026
USUAL_SIDES = 8  # of the base of a prism
Line = tuple[str, Any, str]  # key, value, comment


def _uniform(low: float, high: float) -> dict[str, Any]:
    return {"distribution": "uniform", "low": low, "high": high}


USUAL: list[Line] = [
    ("lambda", _uniform(0.5, 1.0), "[1] edge: 0 middle (no loss), 1 far end"),
    ("lambda_lon", _uniform(0.5, 1.0), "[1] facet: 0 middle (no loss), 1 far edge"),
    ("lambda_lat", _uniform(-0.3, 0.3), "[1] facet: along the far edge"),
]
RIM: list[Line] = [
    ("rolling_loss", _uniform(0.0, 0.1), "[1] rim: energy of the roll lost in a turn on it, 0 if it is hard"),
    ("clearance", _uniform(0.0, 1e-3), "[1] how uneven the base is, over its radius: there it lands"),
]
PRESET_OF = {  # impacts by the name of the preset that they are
    "bounds": "varkonyi_2022_bounds",
    "granite": "varkonyi_2022_fitted",
    "concrete": "concrete_base",
    "rubber": "rubber_base",
    "housner_1963": "housner_1963",
}
FRICTION: dict[str, tuple[tuple[float, float], str]] = {  # in slip, and where it is from
    "unknown": ((0.2, 0.8), "bracket of safety studies (Luk et al. 2005, NUREG/CR-6865)"),
    "steel_on_concrete": ((0.57, 0.70), "push-off tests (Rabbat and Russell 1985)"),
    "polished_floor": ((0.25, 0.35), "assumed for a museum floor (Monaco et al. 2020), +-0.05"),
    "vinyl_floor": ((0.2, 0.4), "an assumption, to be replaced by a pull test"),
}
STATIC = {"polished_floor": (0.35, 0.45)}


class NewStudy(NamedTuple):
    """A study file and what it says."""

    text: str
    study: Study


def new_study(folder: str | Path = ".", **answers: Any) -> NewStudy:
    """Study from the answers to the questions of `mcrock new`.

    Parameters
    ----------
    folder : str or Path
        Where the study file will be, from which names of files start.
    **answers
        Answers by the names of questions (`mcrock.study.questions.QUESTIONS`): text with any unit, as in
        ``height="140 cm"`` or ``width="0.38 to 0.42 m"``, or numbers in the unit of the question. What is not
        answered has its default.

    Returns
    -------
    NewStudy
        ``text`` of the file, with comments, and ``study``, as `load_config` reads it.

    Raises
    ------
    ValueError
        With every mistake of the answers, one line each.
    ConfigError
        As `load_config`, if the answers do not go together or the file of a shape cannot be read.

    Examples
    --------
    >>> text, study = new_study(height="140 cm", width="40 cm", material="marble")
    >>> print(text.splitlines()[8])
    height = 1.4                # [m]
    >>> study.ensemble.realizations
    'auto'
    """
    _, values = read_answers(answers)
    text = _file(values)
    return NewStudy(text, study_of(parse_toml(text), Path(folder) / "new study"))


def new_collection(table: str, **answers: Any) -> str:
    """Text of a study file of many objects, one a row of the file ``table``, from answers to the questions on
    what they share; errors as `new_study`."""
    own = [name for name in answers if name in BY_NAME and BY_NAME[name].part == "object" and name != "title"]
    if own:
        raise ValueError(f"{', '.join(own)}: is of each object: give it in the table")
    _, values = read_answers({"title": "Collection of objects", "surfaces": "unknown"} | answers)
    return _file(values, table)


def _file(values: dict[str, Any], table: str = "") -> str:
    """Text of the study file, or with a table of that of a collection."""
    sections = {
        "": [
            ("title", values["title"], ""),
            ("seed", SEED, "[1] the same seed gives the same draws on every machine"),
        ],
        **_body(values),
        "impact": _impact(values),
        "contact": contact_lines(values),
        "limits": _limits(values),
        "motion": _motion(values),
        "motion.floor": _floor(values),
        "intensity": _intensity(values),
        "ensemble": [
            (
                "realizations",
                values["realizations"],
                "[1] draws of all that is uncertain; each meets every level"
                + "; auto: until more change little" * (values["realizations"] == AUTO),
            )
        ],
    }
    if table:
        place: dict[str, list[Line]] = {
            "collection": [("table", table, "an object a row; it wins over what stands here")]
        }
        storeys = values["storey"] + values["storeys_above"] if "storey" in values else 0
        for storey in range(1, storeys + 1):
            on_it = values | {"storey": storey, "storeys_above": storeys - storey}
            place[f"collection.floors.floor_{storey}"] = _floor(on_it)
        sections = {"": sections[""]} | place | sections
        sections = {
            key: lines for key, lines in sections.items() if key not in ("body", "limits", "motion.floor")
        }
    lines = ["# Written by `mcrock new`; `mcrock docs study-file` has every key."]
    for section, items in sections.items():
        if not items:
            continue
        lines += ["", f"[{section.strip()}]"] if section else []
        for key, value, comment in items:
            line = f"{key} = {toml(value)}"
            lines.append(f"{line:<{COMMENTS - 1}} # {comment}" if comment else line)
    return "\n".join(lines) + "\n"


def _body(values: dict[str, Any]) -> dict[str, list[Line]]:
    """Section [body], with its parts where the object is fixed to another one."""
    if values.get("mounted") != "fixed":
        return {"body": body_lines(values)}
    size: list[Line] = [(key, values[f"mount_{key}"], "[m]") for key in ("width", "depth", "height")]
    wall, material = values["mount_wall"], values["mount_material"]
    size += [("wall", wall, "[m] hollow: thickness of all its sides")] * (wall is not None)
    mount = [("shape", "cuboid", "what it is fixed to"), *size]
    return {
        "body": [("shape", "composite", "parts that are fixed to each other")],
        "[body.parts]": [*mount, ("density", DENSITIES[material], f"[kg/m3] {material}")],
        "[body.parts] ": body_lines(values),  # a second one
    }


def body_lines(values: dict[str, Any]) -> list[Line]:
    """Section [body] by what is known of an object, perhaps not all of it."""
    shape = values["shape"]
    lines: list[Line] = [("shape", "frustum" if shape == "bust" else shape, SHAPES[shape])]
    of_file = {"file": ("file", ""), "file_unit": ("unit", "of the lengths in the file")}
    of_file["up"] = "up", "axis of the file that is up"
    lines += [(key, values[name], words) for name, (key, words) in of_file.items() if name in values]
    if "base_width" in values:
        lines.append(("base", _corners(values), "[m] corners x, y, counter-clockwise from above"))
    if "diameter" in values:
        lines.append(("radius", _times(values["diameter"], 0.5), "[m]"))
    names = {"width": "[m] along body x", "depth": "[m] along body y", "height": "[m]"}
    lines += [(name, values[name], unit) for name, unit in names.items() if name in values]
    if "top_scale" in values:
        lines.append(("top_scale", values["top_scale"], "[1] size of the top over that of the base"))
    if "mass" in values:
        lines.append(("mass", values["mass"], "[kg]"))
    elif values.get("material", "weighed") != "weighed":
        material = values["material"]
        alone = "; alone it does not change the probability" * (values.get("mounted") != "fixed")
        lines.append(("density", DENSITIES[material], f"[kg/m3] {material}{alone}"))
    if values.get("com_z", 0.0) != 0.0:
        lines.append(("com_z", values["com_z"], "[m] centre of mass above that of the homogeneous solid"))
    return lines


def _corners(values: dict[str, Any]) -> list[list[float]]:
    """Corners of a regular polygon or a rectangle [m]."""
    x = values["base_width"] / 2
    if values["shape"] != "prism":
        y = values.get("base_depth", values["base_width"]) / 2
        return [[x, -y], [x, y], [-x, y], [-x, -y]]
    n = values.get("sides", USUAL_SIDES)
    radius, turns = x / cos(pi / n), [2 * pi * (i + 0.5) / n for i in range(n)]
    return [[round(radius * cos(turn), 6), round(radius * sin(turn), 6)] for turn in turns]


def _times(value: Any, factor: float) -> Any:
    """A number or the ends of its range times a factor."""
    if isinstance(value, dict):
        return value | {end: value[end] * factor for end in ("low", "high")}
    return value * factor


def _impact(values: dict[str, Any]) -> list[Line]:
    impacts = values["impacts"]
    is_round = values["shape"] == "cylinder" and values.get("mounted") != "fixed"
    lines = list(USUAL[is_round:])  # a rim has no edges
    if impacts != "usual":
        preset = PRESETS[PRESET_OF[impacts]]
        lines = [("preset", PRESET_OF[impacts], preset.words)]
        lacking = {parameter.key for parameter in preset.lacking}
        lines += [
            (key, value, "[1] assumed: the source has none") for key, value, _ in USUAL if key in lacking
        ]
    lines += RIM * is_round
    if values["shape"] == "polyhedron":
        lines.append(("facet_fallback", "plastic", "recommended for rocks and compact bodies"))
    return lines


def contact_lines(values: dict[str, Any]) -> list[Line]:
    """Section [contact] by what is known of the friction."""
    surfaces = values["surfaces"]
    if surfaces == "rough":
        return []
    if surfaces == "measured":
        return [("friction", values["friction"], "[1] as measured")]
    (low, high), source = FRICTION[surfaces]
    lines: list[Line] = [("friction", _uniform(low, high), f"[1] {source}")]
    if surfaces in STATIC:
        lines.append(("static_friction", _uniform(*STATIC[surfaces]), "[1] at rest"))
    return lines


def _limits(values: dict[str, Any]) -> list[Line]:
    distance, words = values.get("edge_distance"), "[m] beyond it the object falls off its support"
    return [] if distance is None else [("displacement", distance, words)]


def _motion(values: dict[str, Any]) -> list[Line]:
    earthquakes = values["earthquakes"]
    if earthquakes == "files":
        lines: list[Line] = [("source", "files", ""), ("paths", [values["records"]], "")]
        if values["record_unit"] != "stated":
            lines.append(("unit", values["record_unit"], "of the accelerations"))
    elif earthquakes == "spectrum":
        lines = [("source", "spectrum", "a motion for each realization"), *_spectrum(values)]
    else:
        lines = [("source", "fema_p695", ""), ("set", earthquakes, "recorded pairs of horizontal components")]
    if "height_ratio" in values:  # of a test, whose axes are those of what is tested
        return lines
    return [*lines, ("azimuth_deg", _uniform(0, 360), "[deg] from any direction")]


def _spectrum(values: dict[str, Any]) -> list[Line]:
    spectrum = values["spectrum"]
    if spectrum == "file":
        stated = values["spectrum_unit"] == "stated"
        table: Line = ("table", values["spectrum_file"], "of periods and accelerations")
        return [table] if stated else [table, ("unit", values["spectrum_unit"], "of the accelerations")]
    lines: list[Line] = [("ground" if len(spectrum) == 1 else "standard", spectrum, "")]
    if spectrum == "ac156":
        lines.append(
            ("height_ratio", values["height_ratio"], "[1] z/h, height of its floor over that of the roof")
        )
        lines.append(("components", 3, "two horizontal ones along its axes, and the vertical one"))
    return lines


def _floor(values: dict[str, Any]) -> list[Line]:
    """An oscillator with a mode shape that grows in proportion to the height.

    Of N storeys of one mass its participation factor is sum(i/N) / sum((i/N)^2) = 3 N / (2 N + 1), which
    counts i/N times at the i-th floor.
    """
    if "storey" not in values or values.get("height_ratio"):
        return []
    storey = values["storey"]
    n = storey + values["storeys_above"]
    return [
        ("frequency", values["building_frequency"], "[Hz] of the building in its first mode"),
        ("damping", _uniform(0.02, 0.07), "[1]"),
        (
            "factor",
            round(3 * storey / (2 * n + 1), 3),
            f"[1] floor {storey} of {n}: participation factor times mode shape",
        ),
    ]


def _intensity(values: dict[str, Any]) -> list[Line]:
    measure = values["measure"]
    if "s_ds" in values and measure == "as_recorded":
        levels: Any = [round(STANDARD_GRAVITY * level, 5) for level in values["s_ds"]]
        return [("measure", "factor", "on the spectrum of S_DS = 1 m/s2"), ("levels", levels, "[m/s2] S_DS")]
    if measure == "as_recorded":
        return [
            ("measure", "factor", "on the motions, which are taken as they are"),
            ("levels", [1.0], "[1]"),
        ]
    in_g = measure in ("pga", "pfa")
    levels = values["pga_levels" if in_g else "pgv_levels"]
    key, unit = ("levels_g", "[g]") if in_g else ("levels", "[m/s]")
    if levels == AUTO:
        key, unit = "levels", "where some fall and others do not, found by a pilot"
    if "s_ds" in values and not _floor(values):
        own = floor_accelerations(values["s_ds"], values["height_ratio"])
        pfa, s_ds = (" ".join(f"{level:g}" for level in of) for of in (own, values["s_ds"]))
        if levels == AUTO:
            unit += f"; `mcrock run --for {own[0]:g}g` adds the first of those"
        else:
            levels = sorted({*levels, *own})
        unit += f"; AC156, 0.4 S_DS (1 + 2 z/h): {pfa} g of S_DS = {s_ds} g"
    return [("measure", measure, "geometric mean of the two horizontal components"), (key, levels, unit)]


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

    def material(density: Any) -> str | None:
        return next((name for name, value in DENSITIES.items() if value == density), None)

    presets: dict[Any, str] = {preset: name for name, preset in PRESET_OF.items()}
    frictions: dict[Any, str] = {friction: name for name, (friction, _) in FRICTION.items()}
    mount: dict[str, Any] = {}
    if body.get("shape") == "composite" and len(body.get("parts", [])) == 2:
        mount, body = body["parts"]
    source, floor, rubbed = motion.get("source"), motion.get("floor") or {}, contact.get("friction")
    slip = (rubbed.get("low"), rubbed.get("high")) if isinstance(rubbed, dict) else ()
    places = list(PLACES)
    storey, storeys = _storeys(floor.get("factor"))
    distance, levels = limits.get("displacement"), intensity.get("levels")
    return {
        **{name: body.get(name) for name in SAME},
        **_base(body),
        "title": tables.get("title"),
        "shape": body.get("shape"),
        "file_unit": body.get("unit"),
        "material": "weighed" if "mass" in body else material(body.get("density")),
        "mounted": "fixed" if mount else "no",
        **{f"mount_{key}": mount.get(key) for key in ("width", "depth", "height", "wall")},
        "mount_material": material(mount.get("density")),
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
        "height_ratio": motion.get("height_ratio"),
        "s_ds": _site(motion, intensity),
        "measure": {"factor": "as_recorded"}.get(str(intensity.get("measure")), intensity.get("measure")),
        "pga_levels": intensity.get("levels_g", AUTO),
        "pgv_levels": levels,
        "realizations": ensemble.get("realizations"),
    }


def _site(motion: Mapping[str, Any], intensity: Mapping[str, Any]) -> list[float] | None:
    """S_DS of the levels [g], or None; of peak floor accelerations those that AC156 gives them for."""
    levels, in_g = intensity.get("levels"), intensity.get("levels_g")
    if intensity.get("measure") == "pfa" and in_g and "height_ratio" in motion:
        (ratio,) = floor_accelerations([1.0], motion["height_ratio"])
        return [round(level / ratio, 4) for level in in_g]
    return [round(level / STANDARD_GRAVITY, 4) for level in levels] if isinstance(levels, list) else None


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
