"""A collection: many objects that meet the same earthquakes, one a row of a table, each a study of its own.

The study file has a section ``[collection]`` with the name of the table; its other sections hold what rows
leave out. Columns are questions of `mcrock new` about the object, or keys of the study file as ``body.com_x
[cm]``. Cells are answers, so that ranges and units are read.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from pydantic import ValidationError

from mcrock.base.checks import is_plain, joined, suggest
from mcrock.base.tables.parsing import ConfigError, format_mistakes, read_data, separator_of, with_points
from mcrock.base.units import factor_to, split_header
from mcrock.body import uplift_slenderness
from mcrock.excitation.sources.base import Floor
from mcrock.study.load import apply_keys, keys_of, read_toml, study_of, units_of_key
from mcrock.study.new import body_lines, contact_lines
from mcrock.study.questions import BY_NAME, Amount
from mcrock.study.sections import MOST_REALIZATIONS, OF_INDICES, Intensity, LimitsTable
from mcrock.study.study import Study, tables

GROUND = "ground"
SMALLEST, LARGEST_USUAL, FLAT = (
    0.02,
    15.0,
    np.radians(60.0),
)  # sizes [m] and slenderness beyond which one asks
MOST_OBJECTS, LONGEST_NAME = 10_000, 100
SHARED = ("seed", "title", "description", "report", "ensemble", "intensity", "controls", "motion")
# answers of `mcrock new` that are columns, with the key of the study file that each becomes
ANSWERED: dict[str, tuple[str, ...]] = {
    "shape": ("body", "shape"),
    "file": ("body", "file"),
    "file_unit": ("body", "unit"),
    "up": ("body", "up"),
    "height": ("body", "height"),
    "width": ("body", "width"),
    "depth": ("body", "depth"),
    "diameter": ("body", "radius"),
    "sides": ("body", "base"),
    "base_width": ("body", "base"),
    "base_depth": ("body", "base"),
    "top_scale": ("body", "top_scale"),
    "material": ("body", "density"),
    "mass": ("body", "mass"),
    "com_z": ("body", "com_z"),
    "surfaces": ("contact", "friction"),
    "friction": ("contact", "friction"),
    "edge_distance": ("limits", "displacement"),
}
OWN: dict[str, Amount | None] = {  # further columns, by what their cells are: numbers, or words
    "object": None,
    "place": None,
    "group": None,
    "note": None,
    "number": Amount("1", least=1.0, most=1000.0),
    "realizations": Amount("1", least=1.0, most=MOST_REALIZATIONS),
    "value": Amount("1", least=0.0),
    "plinth_width": Amount("m", above=0.0),
    "plinth_depth": Amount("m", above=0.0),
    "plinth_height": Amount("m", above=0.0),
}
COLUMNS = [*OWN, *ANSWERED]
BASED: dict[str, dict[str, Any]] = {"prism": {}, "frustum": {}, "bust": {"top_scale": 1.6}}  # on a polygon
TEMPLATE = (
    "object,shape,width [cm],depth [cm],diameter [cm],height [cm],material,friction,place,"
    "plinth_width [cm],number,value,group,note\n"
    "cabinet,cuboid,60,45,,180,wood,0.3 to 0.5,ground,,1,10,,an example: replace these rows\n"
    "vase,cylinder,,,22,65,terracotta,0.3 to 0.5,ground,40,3,5,,three alike\n"
    "stele,cuboid,50,20,,160,limestone,,ground,,1,80,,it does not slide\n"
)


@dataclass(frozen=True)
class Item:
    """One row of a collection."""

    name: str
    study: Study
    number: int = 1  # equal ones, each with impacts of its own
    value: float = 1.0  # of each, in any unit
    place: str = ""
    group: str = ""
    note: str = ""

    @property
    def members(self) -> dict[str, Study]:
        """Study of each of the equal ones by its name: the first has that of the row."""
        names = [self.name, *(f"{self.name} ({k})" for k in range(2, self.number + 1))]
        return {name: of_object(self.study, name) for name in names}


class Collection(NamedTuple):
    """Objects of a study file and its table, in the order of the rows."""

    title: str
    items: list[Item]
    cautions: list[str]

    def with_intensity(self, intensity: Intensity) -> Collection:
        """The same objects at other intensities."""
        items = [replace(item, study=_changed(item.study, intensity=intensity)) for item in self.items]
        return self._replace(items=items)

    @property
    def members(self) -> dict[str, Study]:
        """Study of every single object by its name."""
        return {name: study for item in self.items for name, study in item.members.items()}


def of_object(study: Study, name: str) -> Study:
    """The same study with the draws of an object of a collection (`mcrock.study.design.own_seed`)."""
    return _changed(study, title=name, ensemble=study.ensemble.model_copy(update={"object": name}))


def _changed(study: Study, **sections: Any) -> Study:
    changed = study.model_copy(update=sections)
    changed._folder, changed._source, changed._trust_code = study.folder, study.source, study.trust_code
    return changed


def is_collection(path: Path) -> bool:
    """Whether a study file has a section [collection]; errors as of `load_config`."""
    return "collection" in read_toml(path, "study file")


def load_collection(
    path: str | Path, overrides: Sequence[str] = (), *, trust_code: bool = False
) -> Collection:
    """Read and check a study file of many objects and its table.

    Parameters
    ----------
    path : str or Path
        TOML file with a section ``[collection]``.
    overrides, trust_code
        As of `load_config`; overrides change what rows leave out, and win over rows.

    Returns
    -------
    Collection

    Raises
    ------
    ConfigError
        With every mistake, each by line and column of the table.
    """
    path = Path(path)
    data = read_toml(path, "study file")
    section = data.pop("collection", None)
    if not isinstance(section, dict) or not isinstance(section.get("table"), str):
        raise ConfigError(f"{path}: expected a section [collection] with the key table = 'objects.csv'")
    floors, source = _floors(section, path), path.parent / section["table"]
    items: list[Item] = []
    cautions: list[str] = []
    names: dict[str, str] = {}
    rows, mistakes = _rows(source)
    for row in rows:
        try:
            item, said = _item(row, data, floors, path, overrides, trust_code)
        except ConfigError as error:
            mistakes += error.mistakes
            continue
        for name in item.members:
            if (known := names.setdefault(name.casefold(), row.place)) != row.place:
                mistakes.append(f"{row.place}: {known} has the name {name!r} too; give each object its own")
        items.append(item)
        cautions += said
    design = next((item.study.ensemble.design for item in items), "")
    uneven = design == "latin_hypercube" and len({item.study.n_realizations for item in items}) > 1
    if uneven or design == OF_INDICES:
        differs = "number of realizations" if uneven else "inputs"
        mistakes.append(
            f"{path} [ensemble] design: {design!r} depends on the {differs} of each object, and "
            "they would not meet the same earthquakes: take 'random' or 'sobol'"
        )
    if mistakes:
        raise ConfigError(list(dict.fromkeys(mistakes)))
    return Collection(str(data.get("title") or path.stem), items, cautions)


def _floors(section: dict[str, Any], path: Path) -> dict[str, Any]:
    """Raw tables of the floors by name, checked one by one."""
    floors = section.get("floors", {})
    mistakes = [
        f"{path} [collection]: no such key {key!r}; there are 'table' and 'floors'"
        for key in section.keys() - {"table", "floors"}
    ]
    if not isinstance(floors, dict):
        raise ConfigError(f"{path} [collection] floors: expected a table for each floor, by its name")
    for name, floor in floors.items():
        place = f"{path} [collection.floors.{name}]"
        if name == GROUND:
            mistakes.append(f"{place}: this name is that of the ground; give the floor another one")
        try:
            Floor.model_validate(floor)
        except ValidationError as error:
            mistakes += format_mistakes(error, place, (), {}, {})
    if mistakes:
        raise ConfigError(mistakes)
    return floors


class _Line(NamedTuple):
    """Cells of a row that are not empty, by header, and how messages call the row."""

    place: str
    name: str
    cells: dict[str, str]
    heads: Mapping[str, tuple[str, str]]  # name and unit of each column, by header

    def column(self, name: str) -> str:
        """How messages call a cell."""
        head = next((head for head, (known, _) in self.heads.items() if known == name), name)
        return f"{self.place}, column {head!r}:"


def _rows(source: Path) -> tuple[list[_Line], list[str]]:
    """Rows of a table of objects, and mistakes in their names and lengths; ConfigError with every mistake in
    its header."""
    if source.suffix.lower() in (".xlsx", ".xls", ".ods"):
        raise ConfigError(f"{source}: save the table as CSV, in UTF-8, and name that file")
    text = read_data(source)
    separator = separator_of(text.split("\n", 1)[0])
    text = text if separator == "," else with_points(text)
    read = csv.DictReader(text.splitlines(), skipinitialspace=True, delimiter=separator)
    heads = {head: split_header(head) for head in read.fieldnames or [] if head and head.strip()}
    names = [name for name, _ in heads.values()]
    mistakes = [
        f"{source}, column {head!r}: {problem}" for head in heads if (problem := _problem(*heads[head]))
    ]
    mistakes += [f"{source}: more than one column {name!r}" for name in {*names} if names.count(name) > 1]
    mistakes += [
        f"{source}: columns {name!r} and {'.'.join(ANSWERED[name])!r} are the same; leave one of them out"
        for name in names
        if name in ANSWERED and ".".join(ANSWERED[name]) in names
    ]
    if "object" not in names:
        mistakes.append(f"{source}: no column 'object', which has the name of each")
    if mistakes:
        raise ConfigError(mistakes)
    rows = []
    for cells in read:
        filled = {key: str(cell).strip() for key, cell in cells.items() if key in heads and cell}
        filled = {key: cell for key, cell in filled.items() if cell}
        name = next((filled.pop(head) for head in [*filled] if heads[head][0] == "object"), "")
        place = f"{source}, line {read.line_num}{f' ({name})' if name else ''}"
        if not (name or filled):
            continue
        if None in cells:
            mistakes.append(f"{place}: more cells than the header has columns")
        if None in cells.values():
            mistakes.append(f"{place}: fewer cells than the header has columns; leave unknown ones empty")
        short = len(name) <= LONGEST_NAME and len(name.encode()) <= 150  # as a name of a file
        if not (name and is_plain(name) and short):
            mistakes.append(f"{place}: expected a name of 1 to {LONGEST_NAME} letters in column 'object'")
        rows.append(_Line(place, name, filled, heads))
    if not 0 < len(rows) <= MOST_OBJECTS:
        mistakes.append(f"{source}: expected 1 to {MOST_OBJECTS} objects, one a row, got {len(rows)}")
    return rows, mistakes


def _problem(name: str, unit: str) -> str:
    """Why a column cannot be read, in words; none if it can."""
    section, _, key = name.partition(".")
    if key and section in SHARED:
        return f"all objects have the same {section}: give it in the study file"
    if key and not any(key in table.key_names() for table in tables().get(section, {}).values()):
        return "no such key of a study file"
    if not key and name not in COLUMNS:
        return f"no such column{suggest(name, COLUMNS)}; there are {joined(COLUMNS, 'and')}"
    wanted = units_of_key((section, key)) if key else [getattr(_check(name), "unit", "1")]
    if unit and name != "value" and all(factor_to(unit, each) is None for each in wanted):
        return f"its unit is {joined(wanted)} or another of its kind, got {unit}"
    return ""


def _check(name: str) -> Any:
    """What reads the cells of a column; None for words."""
    if "." in name:
        return Amount(next(iter(units_of_key(keys_of(name))), "1"), ranges=True)
    return OWN[name] if name in OWN else BY_NAME[name].check


def _item(
    row: _Line,
    data: Mapping[str, Any],
    floors: Mapping[str, Any],
    path: Path,
    overrides: Sequence[str],
    trust_code: bool,
) -> tuple[Item, list[str]]:
    """The object of a row, and what to think of; ConfigError with all mistakes of the row."""
    cells: dict[str, Any] = {}
    mistakes = []
    for head, text in row.cells.items():
        name, unit = row.heads[head]
        try:
            cells[name] = _read_cell(text, unit, _check(name), is_key="." in name)
        except ValueError as error:
            mistakes.append(f"{row.column(name)} {error}")
    place = cells.get("place", "")
    if place not in ("", GROUND, *floors):
        known = joined([GROUND, *floors])
        mistakes.append(f"{row.column('place')} expected {known}, of [collection.floors], got {place!r}")
    mistakes += [
        f"{row.column(name)} expected a whole number, got {cells[name]:g}"
        for name in ("number", "realizations")
        if cells.get(name, 0.0) % 1
    ]
    raw = deepcopy(dict(data))
    if "realizations" in cells and isinstance(raw.get("ensemble"), dict):
        raw["ensemble"]["realizations"] = int(cells["realizations"])
    if not mistakes:
        mistakes += _put_in(raw, cells, row)
    if mistakes:
        raise ConfigError(mistakes)
    if place:
        motion = {key: item for key, item in raw.get("motion", {}).items() if key != "floor"}
        raw["motion"] = motion | ({"floor": deepcopy(floors[place])} if place in floors else {})
    origins: dict[tuple[int | str, ...], str] = {
        ANSWERED.get(name) or tuple(name.split(".")): row.column(name) for name in cells
    }
    try:
        study = study_of(raw, path, overrides, trust_code=trust_code, source=row.place, origins=origins)
    except ConfigError as error:
        raise ConfigError([_by_column(mistake) for mistake in error.mistakes]) from None
    if study.ensemble.outer or study.listed or study.body.own_hulls:
        raise ConfigError(
            f"{row.place}: a collection has no epistemic draws, tables of inputs or drawn faces"
        )
    study, said = _on_plinth(row, study, cells)
    said += _odd_size(row, study)
    words = {key: cells.get(key, "") for key in ("place", "group", "note")}
    number, value = int(cells.get("number", 1)), float(cells.get("value", 1.0))
    return Item(row.name, of_object(study, row.name), number, value, **words), said


def _by_column(mistake: str) -> str:
    """A mistake about a missing key, with the column that gives it if that has another name."""
    for name in ("diameter", "base_width", "file_unit"):
        key = ANSWERED[name][1]
        if f"missing key {key!r}" in mistake or f"give {key} = " in mistake:
            return f"{mistake}; the column {name!r} gives it"
    return mistake


def _read_cell(text: str, unit: str, check: Any, *, is_key: bool) -> Any:
    """Value of a cell; a number alone is in the unit of its column, and another unit is refused there."""
    if check is None or (is_key and not text[0].isdigit() and text[0] not in "+-."):
        return text
    if not unit or not isinstance(check, Amount):
        return check.read(text)
    if text[-1].isalpha() and not text.endswith(unit):
        raise ValueError(f"the column is in {unit}: write the number alone, got {text!r}")
    return check.read(text if text.endswith(unit) or check.unit == "1" else f"{text} {unit}")


def _put_in(raw: dict[str, Any], cells: Mapping[str, Any], row: _Line) -> list[str]:
    """Write what a row has into the raw tables of its study; mistakes in words."""
    tabled = {key: raw[key] for key in ("body", "contact", "limits") if isinstance(raw.get(key), dict)}
    given = tabled.get("body", {})
    answers = {name: cells[name] for name in ANSWERED if name in cells}
    shape = answers.setdefault("shape", given.get("shape"))
    if shape is None:
        return [f"{row.place}: expected a shape, in a column 'shape' or in [body] of the study file"]
    if answers.get("mass") and answers.get("material", "weighed") != "weighed":
        return [f"{row.column('mass')} the density of its material gives it; leave one of them out"]
    if shape in BASED:
        answers |= {f"base_{side}": answers.pop(side) for side in ("width", "depth") if side in answers}
        answers = BASED[shape] | answers
        if ranges := [side for side in ("base_width", "base_depth") if isinstance(answers.get(side), dict)]:
            return [f"{row.place}: the base of a {shape} is of numbers: give one for its {ranges[0][5:]}"]
    own: dict[str, Any] = {key: value for key, value, _ in body_lines(answers)}
    same = own["shape"] == given.get("shape")
    left = ("gravity", "density") if not same else tuple(given)
    weighed = own.keys() & {"density", "mass"}
    raw["body"] = {
        key: given[key] for key in left if key in given and not (weighed and key in ("density", "mass"))
    } | own
    if (surfaces := answers.get("surfaces", "measured" if "friction" in answers else None)) is not None:
        lines = contact_lines(answers | {"surfaces": surfaces})
        raw["contact"] = {**tabled.get("contact", {}), **{key: value for key, value, _ in lines}}
        if surfaces == "rough":
            del raw["contact"]
            raw.pop("limits", None)
    if (distance := answers.get("edge_distance")) is not None:
        raw["limits"] = {**tabled.get("limits", {}), "displacement": distance}
    keys = {name: cells[name] for name in cells if "." in name}
    found = {name: apply_keys(raw, keys_of(name), value) for name, value in keys.items()}
    return [f"{row.column(name)} {problem}" for name, problem in found.items() if problem]


def _odd_size(row: _Line, study: Study) -> list[str]:
    """What to look at where an object has a size that few have."""
    body = study.body.at_medians()
    sizes = np.ptp(body.vertices[0], axis=0)
    flat = uplift_slenderness(body.vertices, body.faces, body.start_face)[0] > FLAT
    if not flat and sizes.min() >= SMALLEST and sizes.max() <= LARGEST_USUAL:
        return []
    words = " x ".join(f"{size:.3g}" for size in sizes)
    return [f"{row.place} is {words} m: look at the units of its sizes"]


def _on_plinth(row: _Line, study: Study, cells: Mapping[str, Any]) -> tuple[Study, list[str]]:
    """The study with the edge of its plinth as a limit of sliding; a caution where the plinth may rock."""
    given = [cells.get(f"plinth_{side}") for side in ("width", "depth")]
    known = [size for size in given if size is not None]
    if not known:
        return study, []
    plinth = np.array([known[0] if size is None else size for size in given])
    bodies = study.body.at_medians()
    corners = bodies.vertices[0][list(bodies.faces[int(bodies.start_face[0])])]
    base = np.ptp(corners[:, :2], axis=0)
    if (plinth < base * (1 - 1e-9)).any():
        sizes = f"{plinth[0]:g} x {plinth[1]:g} m is smaller than the base, {base[0]:.3g} x {base[1]:.3g} m"
        column = "plinth_depth" if given[0] is None else "plinth_width"
        raise ConfigError(f"{row.column(column)} the plinth of {sizes}")
    height, said = cells.get("plinth_height", 0.0), []
    if height and plinth.min() / height < base.min() / 2 / -corners[:, 2].mean():
        said.append(
            f"{row.name}: its plinth, {plinth.min():g} m wide and {height:g} m high, is as slender and may "
            "rock too: fix it to the ground, or give both as one object"
        )
    margin = (plinth - base).min() / 2
    slides = study.contact is not None and study.contact.friction != float("inf")
    if slides and margin > 0 and (study.limits is None or study.limits.displacement is None):
        study = _changed(study, limits=LimitsTable.model_validate({"displacement": float(margin)}))
    return study, said
