"""The questions that lead to a study file: `mcrock new`, `new_study` and any form ask the same.

Nothing heavy is imported, because the options of a command are made from them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from mcrock.base.checks import Integer, Number, suggest

Answers = Mapping[str, str]  # as they were typed, by the names of their questions


class Reading(Protocol):
    """How an answer is checked: `read` gives the value of the study file, or raises ValueError."""

    def read(self, text: str) -> Any: ...


@dataclass(frozen=True)
class Option:
    """One of a few words, or the start of one alone."""

    choices: Mapping[str, str]  # each with what it means

    def read(self, text: str) -> str:
        written = text.strip().casefold()
        found = [name for name in self.choices if name.casefold() == written]
        found = found or [name for name in self.choices if written and name.casefold().startswith(written)]
        if len(found) != 1:
            hint = f"; did you mean {' or '.join(found)}?" if found else suggest(text, self.choices)
            raise ValueError(f"expected {', '.join(self.choices)}, got {text!r}{hint}")
        return found[0]


@dataclass(frozen=True)
class Words:
    """A line of text; a name of a file is one that starts from the folder of the study file."""

    needed: bool = True

    def read(self, text: str) -> str:
        from mcrock.base.checks import check_name

        if self.needed and not text.strip():
            raise ValueError("expected a name of a file or folder, got nothing")
        return check_name(text.strip())


class Whole(Integer):
    """An integer within bounds."""

    def read(self, text: str) -> int:
        if not re.fullmatch(r"\s*\d{1,9}\s*", text) or not self.fits(int(text)):
            raise ValueError(f"expected an integer from {self.least} to {self.most}, got {text!r}")
        return int(text)


@dataclass(frozen=True)
class MaybeAuto:
    """An answer, or the word for what a pilot chooses."""

    of: Reading

    @property
    def unit(self) -> str:
        """Of the answer."""
        return str(getattr(self.of, "unit", ""))

    def read(self, text: str) -> Any:
        return AUTO if text.strip().casefold() == AUTO else self.of.read(text)


@dataclass(frozen=True)
class Amount(Number):
    """A number in `unit` unless it names another one, and perhaps a range: ``0.38 to 0.42 m``."""

    ranges: bool = False
    or_none: bool = False  # or the word none

    def read(self, text: str) -> float | dict[str, Any] | None:
        if self.or_none and text.strip().casefold() == "none":
            return None
        ends = re.split(r"\s+to\s+|\s*\.\.\s*", text.strip())
        if len(ends) == 1:
            return self._one(text)
        if len(ends) > 2 or not self.ranges:
            raise ValueError(f"expected one {'number or a range' if self.ranges else 'number'}, got {text!r}")
        unit = re.sub(r"^[-+\d.,\s]+(?:[eE][-+]?\d+)?", "", ends[1])
        low, high = (self._one(end if re.search(r"[^\W\d_]\S*$", end) else f"{end} {unit}") for end in ends)
        if not low < high:
            raise ValueError(f"expected a range from the smaller to the larger number, got {text!r}")
        return {"distribution": "uniform", "low": low, "high": high}

    def _one(self, text: str) -> float:
        from mcrock.base.units import parse_quantity, units_of

        number, written = parse_quantity(text, units_of(self.unit)), text.strip()
        if not self.within(number):
            in_cm = self.unit == "m" and number > 0 and written[-1:].isdigit()
            meant = f"; did you mean '{written} cm'?" if in_cm else ""
            raise ValueError(f"expected a number {self.bounds} [{self.unit}], got {written!r}{meant}")
        return number


@dataclass(frozen=True)
class LevelList:
    """Increasing numbers with one unit behind them."""

    unit: str

    def read(self, text: str) -> list[float]:
        from mcrock.base.units import parse_number

        inner = re.sub(rf"\s*{re.escape(self.unit)}\s*$", "", text.strip())
        levels = [parse_number(part) for part in re.split(r"\s*[,;]\s+|\s*;\s*|\s+", inner)]
        if not all(a < b for a, b in zip([0.0, *levels], levels, strict=False)):
            raise ValueError(f"expected increasing numbers > 0 [{self.unit}], got {text!r}")
        return levels


@dataclass(frozen=True)
class Question:
    """One question: what is asked, why it matters, what is taken for an answer, and how it is checked."""

    prompt: str
    why: str
    default: str | Callable[[Answers], str]
    check: Reading
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # answers with which it is asked
    name: str = ""
    part: str = ""  # of the form: object, place, contact, earthquakes, size

    @property
    def unit(self) -> str:
        """Unit of the answer; empty where it has none."""
        return getattr(self.check, "unit", "")

    def is_asked(self, answers: Answers) -> bool:
        """Whether it is asked after these answers."""
        return all(answers.get(name) in values for name, values in self.needs.items())

    def default_after(self, answers: Answers) -> str:
        """The default, which may depend on earlier answers."""
        return self.default if isinstance(self.default, str) else self.default(answers)


LARGEST = 40.0  # object [m]; a larger number is one of centimetres, as a rule
LENGTH = Amount("m", above=0.0, most=LARGEST, ranges=True)
FIXED_LENGTH = Amount("m", above=0.0, most=LARGEST)
SHAPES = {
    "cuboid": "rectangular block, cabinet, pedestal",
    "cylinder": "upright cylinder, cask, column drum",
    "prism": "regular polygon as base, such as an octagonal plinth",
    "frustum": "rectangular base, tapered upwards or downwards",
    "bust": "head and shoulders on a narrower foot",
    "polyhedron": "scan or mesh in a file (STL, OBJ, PLY, or points x y z)",
}
DENSITIES = {  # usual ones of solid pieces [kg/m3]
    "granite": 2600.0,
    "marble": 2700.0,
    "limestone": 2300.0,
    "sandstone": 2200.0,
    "concrete": 2400.0,
    "brick": 1800.0,
    "terracotta": 2000.0,
    "plaster": 1200.0,
    "wood": 700.0,
    "bronze": 8700.0,
    "steel": 7850.0,
    "glass": 2500.0,
}
MOUNTED = {
    "no": "it is one piece, and stands loose",
    "fixed": "to a plinth, pedestal or skid under it, without play",
}
ON_MOUNT = {"mounted": ("fixed",)}
PLACES = {
    "ground": "on the ground, on a slab or on a ground floor",
    "plinth": "the same, on a plinth, table or shelf that it could slide off",
    "storey": "on an upper storey of a building",
    "plinth_on_storey": "the same, on a plinth, table or shelf there",
}
UPPER = ("storey", "plinth_on_storey")
SURFACES = {
    "rough": "it does not slide; quick to compute, for slender bodies on rough ground",
    "unknown": "friction 0.2 to 0.8",
    "steel_on_concrete": "friction 0.57 to 0.70",
    "polished_floor": "friction 0.25 to 0.35 in slip, 0.35 to 0.45 at rest",
    "vinyl_floor": "steel feet, friction 0.2 to 0.4",
    "measured": "a coefficient that you know",
}
SLIDING = tuple(name for name in SURFACES if name != "rough")
IMPACTS = {
    "usual": "the common first choice: up to the loss of energy of Housner's rule",
    "bounds": "nothing is known: all that physics allows",
    "granite": "fitted to tests of granite on granite",
    "concrete": "from tests on a concrete base",
    "rubber": "from tests on a rubber base, slender bodies",
    "housner_1963": "Housner's rule: no uncertainty, the most loss of energy",
}
SETS = {"farfield": 22, "nearfield_pulse": 14, "nearfield_no_pulse": 14}  # recordings in each
EARTHQUAKES = {
    "farfield": "22 strong recordings far from faults, FEMA P695",
    "nearfield_pulse": "14 near faults, with a velocity pulse",
    "nearfield_no_pulse": "14 near faults, without a pulse",
    "files": "your recordings: one file, or a folder of them",
    "spectrum": "generated to match a design spectrum",
}
SPECTRA = {
    "A": "EN 1998-1, rock",
    "B": "EN 1998-1, very dense soil",
    "C": "EN 1998-1, dense soil",
    "D": "EN 1998-1, loose soil",
    "E": "EN 1998-1, thin soil on rock",
    "rg_1_60": "U.S. NRC Regulatory Guide 1.60",
    "ac156": "AC156, non-structural components",
    "file": "periods [s] and accelerations in a file",
}
ACCELERATION_UNITS = ("g", "m/s2", "cm/s2", "mm/s2", "gal", "mg")
MEASURES = {
    "pga": "peak ground acceleration",
    "pgv": "peak ground velocity, better for large or sliding bodies",
    "pfa": "peak floor acceleration, as of FEMA P-58: of the floor that it stands on",
    "pfv": "peak floor velocity",
    "as_recorded": "not scaled: the motions as they are",
}
AUTO = "auto"  # what a pilot, or the run itself, chooses


def asked(answers: Answers) -> Iterator[Question]:
    """The questions in their order; ``answers`` may grow meanwhile, and decides what is asked next."""
    for question in QUESTIONS:
        if question.is_asked(answers):
            yield question


def read_answers(given: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, Any]]:
    """Answers to all questions, and the values that they stand for in the study file.

    Parameters
    ----------
    given : mapping
        Some answers by name: text as typed, or numbers in the unit of the question and lists of them.

    Raises
    ------
    ValueError
        With every mistake, one line each.
    """
    answers: dict[str, str] = {}
    values: dict[str, Any] = {}
    mistakes = []
    for question in asked(answers):
        name = question.name
        text = as_typed(given[name]) if given.get(name) is not None else question.default_after(answers)
        try:
            values[name] = question.check.read(text)
        except ValueError as error:
            mistakes.append(f"{name}: {error}")
            text = question.default_after(answers)  # so that what depends on it is asked
            values[name] = question.check.read(text) if text else None
        answers[name] = values[name] if isinstance(question.check, Option) else text
    for name in given:
        if name not in BY_NAME:
            mistakes.append(f"{name}: no such question{suggest(name, BY_NAME)}")
        elif name not in answers and given[name] is not None:
            needs = " and ".join(f"{key} = {' or '.join(of)}" for key, of in BY_NAME[name].needs.items())
            mistakes.append(f"{name}: is asked with {needs} alone; change that answer, or leave this one out")
    if mistakes:
        raise ValueError("\n".join(mistakes))
    return answers, values


def as_typed(value: Any) -> str:
    """An answer as somebody would type it."""
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _of(*shapes: str) -> dict[str, tuple[str, ...]]:
    return {"shape": shapes}


def _storeys(answers: Answers) -> tuple[int, int]:
    """That which it stands on, and all of the building."""
    storey, above = (BY_NAME[name].check.read(answers[name]) for name in ("storey", "storeys_above"))
    return storey, storey + above


def _frequency(answers: Answers) -> str:
    _, storeys = _storeys(answers)
    return f"{6.7 / storeys:.2g} to {15.0 / storeys:.2g} Hz"


def _height_ratio(answers: Answers) -> str:
    storey, storeys = _storeys(answers) if "storey" in answers else (0, 1)
    return f"{storey / storeys:.3g}"


def floor_accelerations(s_ds: list[float], height_ratio: float) -> list[float]:
    """A_RIG of AC156, the peak acceleration of a floor at z/h, of some S_DS in their unit."""
    return [round(0.4 * level * (1 + 2 * height_ratio), 4) for level in s_ds]


def _around_site(answers: Answers) -> str:
    """Levels about the peak floor accelerations that AC156 gives for the site, if it does."""
    if "s_ds" not in answers or answers["measure"] != "pfa":
        return AUTO
    s_ds, height_ratio = (BY_NAME[name].check.read(answers[name]) for name in ("s_ds", "height_ratio"))
    if not height_ratio and "storey" in answers:  # the floor is an oscillator on the ground of AC156
        return AUTO
    found = floor_accelerations(s_ds, height_ratio)
    more = [found[0] * by for by in (0.25, 0.5, 0.75)], [found[-1] * by for by in (1.5, 2.0, 3.0)]
    return ", ".join(f"{level:.4g}" for level in [*more[0], *found, *more[1]]) + " g"


ABOUT_OBJECT = {
    "title": Question(
        "What is it called?",
        "Written under figures and on the report.",
        "Free-standing object",
        Words(needed=False),
    ),
    "shape": Question(
        "Which shape is closest to it?",
        "It rocks over the edges of its base. A plinth that it is fixed to is asked for further down.",
        "cuboid",
        Option(SHAPES),
    ),
    "file": Question(
        "Which file has its shape?",
        "Its convex hull touches the ground; the triangles of a closed mesh give volume and inertia.",
        "",
        Words(),
        _of("polyhedron"),
    ),
    "file_unit": Question(
        "In which unit are the lengths in the file?",
        "A mesh does not say it, and a factor of 1000 makes another object.",
        "m",
        Option(dict.fromkeys(("m", "cm", "mm", "in", "ft"), "")),
        _of("polyhedron"),
    ),
    "up": Question(
        "Which axis of the file is up?",
        "The object is put down with this axis upright.",
        "z",
        Option(dict.fromkeys(("z", "y", "x", "-z", "-y", "-x"), "")),
        _of("polyhedron"),
    ),
    "height": Question(
        "How high is it? (1.4 m, 140 cm, 55 in, or a range: 1.38 to 1.42 m)",
        "Of two objects of one shape the larger is more stable; of two on one base the higher is less.",
        lambda answers: "0.7 m" if answers["shape"] == "bust" else "1.6 m",
        LENGTH,
        _of("cuboid", "cylinder", "prism", "frustum", "bust"),
    ),
    "width": Question(
        "How wide is its base, along x?",
        "Width over height is the slenderness, and times g about the acceleration that starts rocking. "
        "Measure where it touches the ground, not at a moulding above it.",
        "0.4 m",
        LENGTH,
        _of("cuboid"),
    ),
    "depth": Question(
        "How deep is its base, along y?",
        "It rocks first over the shorter side.",
        "0.4 m",
        LENGTH,
        _of("cuboid"),
    ),
    "diameter": Question(
        "What is the diameter of its base?",
        "Measure where it touches the ground: a rounded or chamfered edge makes the base smaller.",
        "0.6 m",
        LENGTH,
        _of("cylinder"),
    ),
    "sides": Question(
        "How many sides has its base?",
        "A regular polygon; other outlines can be written into the study file (body.base).",
        "8",
        Whole(3, 60),
        _of("prism"),
    ),
    "base_width": Question(
        "How wide is its base? (of a polygon: twice the distance from the centre to a side)",
        "Width over height is the slenderness, and times g about the acceleration that starts rocking.",
        lambda answers: "0.3 m" if answers["shape"] == "bust" else "0.5 m",
        FIXED_LENGTH,
        _of("prism", "frustum", "bust"),
    ),
    "base_depth": Question(
        "How deep is its base?",
        "It rocks first over the shorter side.",
        lambda answers: answers["base_width"],
        FIXED_LENGTH,
        _of("frustum", "bust"),
    ),
    "top_scale": Question(
        "How wide is its top over its base? (0.8: tapered upwards)",
        "A taper lowers the centre of mass; shoulders wider than the foot raise it.",
        lambda answers: "1.6" if answers["shape"] == "bust" else "0.8",
        Amount("1", above=0.0, most=10.0, ranges=True),
        _of("frustum", "bust"),
    ),
    "material": Question(
        "What is it made of?",
        "Density and mass do not change whether a solid object overturns; where its mass sits does.",
        "granite",
        Option(
            {**{name: f"{value:g} kg/m3" for name, value in DENSITIES.items()}, "weighed": "give its mass"}
        ),
    ),
    "mass": Question(
        "What is its mass? (120 kg, 250 lb, 1.2 t)",
        "Forces follow from it; whether it overturns does not.",
        "100 kg",
        Amount("kg", above=0.0, ranges=True),
        {"material": ("weighed",)},
    ),
    "com_z": Question(
        "How much higher is its centre of mass than that of a homogeneous solid? (lower: -5 cm)",
        "A heavy head or an empty top shelf moves it, and with it the slenderness. Or a range: -5 to 5 cm.",
        "0 m",
        Amount("m", ranges=True),
    ),
    "mounted": Question(
        "Is it fixed to what it stands on?",
        "What is fixed to a plinth or skid rocks with it as one body, over the edges of that.",
        "no",
        Option(MOUNTED),
    ),
    "mount_width": Question(
        "How wide is the plinth or skid, along x?",
        "Both together rock over its edges.",
        "0.4 m",
        LENGTH,
        ON_MOUNT,
    ),
    "mount_depth": Question(
        "How deep is the plinth or skid, along y?",
        "They rock first over the shorter side.",
        lambda answers: answers["mount_width"],
        LENGTH,
        ON_MOUNT,
    ),
    "mount_height": Question(
        "How high is the plinth or skid?",
        "The object stands in the middle of its top.",
        "1 m",
        LENGTH,
        ON_MOUNT,
    ),
    "mount_wall": Question(
        "How thick are the walls of the plinth or skid? (2 cm, or none: solid)",
        "A hollow plinth leaves the centre of mass of both high up.",
        "none",
        Amount("m", above=0.0, or_none=True),
        ON_MOUNT,
    ),
    "mount_material": Question(
        "What is the plinth or skid made of?",
        "How heavy it is under the object decides where the centre of mass of both is.",
        "granite",
        Option({name: f"{value:g} kg/m3" for name, value in DENSITIES.items()}),
        ON_MOUNT,
    ),
}
ABOUT_PLACE = {
    "place": Question(
        "Where does it stand?",
        "A building amplifies motions near its own frequency, and a plinth has an edge to fall from.",
        "ground",
        Option(PLACES),
    ),
    "storey": Question(
        "On which storey above the ground?",
        "The motion of a building grows towards its top.",
        "1",
        Whole(1, 200),
        {"place": UPPER},
    ),
    "storeys_above": Question(
        "How many storeys are above that?",
        "The higher the building, the slower it sways.",
        "2",
        Whole(0, 200),
        {"place": UPPER},
    ),
    "building_frequency": Question(
        "What is the natural frequency of the building?",
        "By rule of thumb 10 Hz over the number of storeys, within a factor of 1.5 either way.",
        _frequency,
        Amount("Hz", above=0.0, most=100.0, ranges=True),
        {"place": UPPER},
    ),
}
ABOUT_CONTACT = {
    "surfaces": Question(
        "What do you know of the friction under it?",
        "Below width over height it slides before it rocks. Runs with friction take longer.",
        lambda answers: "unknown" if answers["place"].startswith("plinth") else "rough",
        Option(SURFACES),
    ),
    "friction": Question(
        "Which coefficient of friction? (0.45, or 0.4 to 0.5)",
        "From a pull test: the horizontal force that moves it over its weight.",
        "0.4 to 0.6",
        Amount("1", least=0.0, most=10.0, ranges=True),
        {"surfaces": ("measured",)},
    ),
    "edge_distance": Question(
        "How far can it slide before it falls off an edge? (5 cm, or none)",
        "Counted next to overturning: objects fall off plinths and shelves that they never tip on.",
        lambda answers: "5 cm" if answers["place"].startswith("plinth") else "none",
        Amount("m", above=0.0, or_none=True),
        {"surfaces": SLIDING},
    ),
    "impacts": Question(
        "What do you know of its impacts when it rocks?",
        "Each impact costs energy, how much depends on what is too small to see. A free-rocking test tells.",
        "usual",
        Option(IMPACTS),
    ),
}
ABOUT_EARTHQUAKES = {
    "earthquakes": Question(
        "Which earthquakes?",
        "Most of the uncertainty is from recording to recording: ten say little, 22 or more are good.",
        "farfield",
        Option(EARTHQUAKES),
    ),
    "records": Question(
        "Which file or folder has them?",
        "AT2, ESM, K-NET, COSMOS, CSV and others are known by their content.",
        "records",
        Words(),
        {"earthquakes": ("files",)},
    ),
    "record_unit": Question(
        "In which unit are they?",
        "Most formats say it themselves; tables of numbers do not.",
        "stated",
        Option({"stated": "the files say it", **dict.fromkeys(ACCELERATION_UNITS, "")}),
        {"earthquakes": ("files",)},
    ),
    "spectrum": Question(
        "Which spectrum?",
        "Motions are generated to match it, each another one; they vary less than recordings do.",
        "B",
        Option(SPECTRA),
        {"earthquakes": ("spectrum",)},
    ),
    "spectrum_file": Question(
        "Which file has the spectrum?",
        "Two columns: periods and accelerations, with their units as in 'period [s], sa [g]'.",
        "spectrum.txt",
        Words(),
        {"earthquakes": ("spectrum",), "spectrum": ("file",)},
    ),
    "spectrum_unit": Question(
        "In which unit are its accelerations?",
        "A line of names in the file says it best.",
        "stated",
        Option({"stated": "the file says it", **dict.fromkeys(ACCELERATION_UNITS, "")}),
        {"earthquakes": ("spectrum",), "spectrum": ("file",)},
    ),
    "height_ratio": Question(
        "How high in the building does it stand? (z/h: 0 on the ground, 1 at the roof)",
        "AC156 makes the spectrum of the floor from that of the ground; above 0 no other floor is between.",
        _height_ratio,
        Amount("1", least=0.0, most=1.0),
        {"spectrum": ("ac156",)},
    ),
    "measure": Question(
        "How is the strength of an earthquake measured?",
        "Every motion is scaled to each level of it. Take the measure of your hazard curve.",
        lambda answers: "as_recorded" if answers.get("spectrum") == "ac156" else "pga",
        Option(MEASURES),
    ),
    "s_ds": Question(
        "Which S_DS has the site? (1 g, or several: 0.5, 1, 1.5 g)",
        "The design spectral acceleration at short periods, ASCE/SEI 7; every motion is one for each. Of pfa "
        "its peak floor acceleration by AC156 is one of the levels.",
        "1 g",
        LevelList("g"),
        {"spectrum": ("ac156",), "measure": ("as_recorded", "pfa")},
    ),
    "pga_levels": Question(
        "At which levels? (auto, or as 0.2, 0.4, 0.8 g)",
        "The curve needs some where next to nothing overturns and some where most do; a pilot finds them.",
        _around_site,
        MaybeAuto(LevelList("g")),
        {"measure": ("pga", "pfa")},
    ),
    "pgv_levels": Question(
        "At which levels? (auto, or as 0.2, 0.4, 0.8 m/s)",
        "The curve needs some where next to nothing overturns and some where most do; a pilot finds them.",
        AUTO,
        MaybeAuto(LevelList("m/s")),
        {"measure": ("pgv", "pfv")},
    ),
}
ABOUT_SIZE = {
    "realizations": Question(
        "How many random draws of everything uncertain? (auto, or a number)",
        "Each meets one motion at every level; auto ends when more would change little.",
        AUTO,
        MaybeAuto(Whole(1, 100_000_000)),
    )
}
QUESTIONS = tuple(
    replace(question, name=name, part=part)
    for part, questions in {
        "object": ABOUT_OBJECT,
        "place": ABOUT_PLACE,
        "contact": ABOUT_CONTACT,
        "earthquakes": ABOUT_EARTHQUAKES,
        "size": ABOUT_SIZE,
    }.items()
    for name, question in questions.items()
)
BY_NAME = {question.name: question for question in QUESTIONS}
