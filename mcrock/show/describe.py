"""A study before it is run, as text, for people who are about to run it.

For each subject (body, impacts, contact, motions, intensities, design) there are the lines that describe it
and notes on settings that are valid but suspicious, each a line that begins with "note: ". `describe`
puts them together, with the assumptions that matter most for objects like that of the study.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from functools import cache
from math import degrees, radians
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from mcrock.base.estimates import Term, format_percent
from mcrock.base.params import STANDARD_GRAVITY, ContactColumn, Inputs
from mcrock.base.tables.distributions import Distribution, Listed, Quantity
from mcrock.base.tables.fields import plain
from mcrock.base.units import unit_in_text
from mcrock.body import (
    Bodies,
    exterior_angles,
    face_areas,
    face_heights,
    face_normals,
    solid_moments,
    stable_faces,
    uplift_slenderness,
)
from mcrock.body.faces import (
    Faces,
    Regime,
    Sections,
    connected,
    extreme_directions,
    painleve_friction,
    regime_from_rest,
    sections,
    side_distances,
    slide_rock_limit,
)
from mcrock.body.parts import Composite
from mcrock.body.shapes import OFFSETS, Polyhedron
from mcrock.body.surface import SHALLOW
from mcrock.dataset.schema import declaration
from mcrock.ensemble.pilot import first_size, records_for, run_pilot
from mcrock.excitation.motion import Motion, MotionError
from mcrock.excitation.sources.base import HEAVY
from mcrock.impact.planar import housner_1963
from mcrock.impact.registry import DEFAULT_LAW, ImpactParameter, parameter_of
from mcrock.show.text import format_count, format_range, label_intensities
from mcrock.statistics.precision import WIDTH
from mcrock.study import ConfigError, Study
from mcrock.study.design import nearest_designs
from mcrock.study.impact import BOUNDS, PRESETS, Given, Preset
from mcrock.study.sampling import draw_inputs, load_motions, sample_inputs, variable_name
from mcrock.study.sections import OF_INDICES
from mcrock.study.study import Specification

WHERE = ImpactParameter["LAMBDA"], ImpactParameter["LAMBDA_LON"]
ROUND = 8  # sides from which on a base is round enough to roll: a square and a hexagon do not [1]
ROLLS = 0.8  # friction over the ratio at which it tips, from which on a round base that is uneven may [1]


def contact_notes(inputs: Inputs) -> list[str]:
    """Notes on the contacts of a study with friction."""
    if inputs.contact is None:
        return []
    found = []
    friction, rebound = (
        inputs.contact[:, column] for column in (ContactColumn.FRICTION, ContactColumn.IMPACT_RESTITUTION)
    )
    corners = sorted({corner for face in inputs.base_faces for corner in inputs.faces[face]})
    least = painleve_friction(inputs.mass, inputs.inertia, inputs.vertices[:, corners]).min(axis=1)
    over = friction >= least
    if over.any():
        found.append(
            f"note: contact.friction reaches {friction[over].max():.3g}; from {least[over].min():.3g} on the "
            "force on a corner that slips may not exist: an impulse stops it then (jams)"
        )
    if (inputs.contact[:, ContactColumn.RESTITUTION] == 1.0).any():
        found.append("note: contact.restitution reaches 1, with which bounces never end")
    if len(inputs.base_faces) == 1 and len(inputs.faces[inputs.base_faces[0]]) >= ROUND:
        stands = inputs.vertices, inputs.faces, inputs.start_face
        nearest = extreme_directions(*stands, inputs.rim)[:, :1]
        worst = sections(inputs.mass, inputs.inertia, *stands, nearest, inputs.rim)
        near = (friction > ROLLS * worst.tipping[:, 0]) & (friction <= worst.tipping[:, 0])
        if near.any():
            found.append(
                f"note: in {format_percent(near.mean())} of realizations friction is {ROLLS:g} to 1 times "
                "what tips this round body: exactly flat it slides and never overturns, uneven by a few "
                "0.01 % of its width it may roll on its rim and overturn (mcrock docs contact round)"
            )
    place = inputs.impact[:, list(WHERE)].min(axis=1)  # NaN if drawn anew at every impact
    gains = (rebound > place) & (inputs.law == DEFAULT_LAW)
    if gains.any():
        found.append(
            f"note: in {format_percent(gains.mean())} of the realizations contact.impact_restitution exceeds "
            "impact.lambda or impact.lambda_lon: such impacts may gain energy, and then become ones of "
            "several contacts"
        )
    return found


def value_in_words(parameter: ImpactParameter, given: Given) -> str:
    """Interval of a parameter with its unit.

    >>> value_in_words(ImpactParameter["LAMBDA_LON"], Given(0.0, 1.5, "section 5.3"))
    'lambda_lon 0 to 1.5 [1]'
    """
    ends = f"{given.low:g}" if given.low == given.high else f"{given.low:g} to {given.high:g}"
    return f"{parameter.key} {ends} [{parameter.row.rule.unit}]"


def given_by(given: Given) -> str:
    """Where an interval is from, and what is to be known of it."""
    return "; ".join(filter(None, (given.source, given.remark)))


def preset_lines(preset: Preset) -> list[str]:
    """Law and parameters of a preset, each with its source."""
    lines = [f"law {preset.law.key}: {preset.source}"]
    lines += [preset.interface] * bool(preset.interface)
    for parameter, given in preset.parameters.items():
        lines.append(f"{value_in_words(parameter, given)}: {given_by(given)}")
    for parameter, reason in preset.lacking.items():
        lines.append(f"no {parameter.key}: {reason}")
    return lines


TABLE = Path(__file__).with_name("assumptions.csv")  # of tests/benchmarks/assumptions.py
SHOWN = 3  # assumptions that are named
LIKE = np.log(2.0)  # of slenderness and p together: how far an object may be from that which is quoted [1]
INTERVAL = ("one_percent_low", "one_percent_high")


@cache
def assumption_costs() -> list[dict[str, str]]:
    """Rows of the table: what each assumption changed for each of its objects, ratios with 95 % intervals."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def assumption_notes(values: Mapping[str, ArrayLike] | xr.Dataset, study: Study | None = None) -> list[str]:
    """Assumptions that change the capacity at 1 % most for the object that is most like that of a study.

    Empty where none is like it; what the study has itself, such as a floor, it does not leave out.
    """
    if not np.all(np.asarray(values["body_slenderness"]) > 0.0):
        return []
    own = np.log([np.median(np.asarray(values[f"body_{key}"])) for key in ("slenderness", "frequency")])

    def apart(row: dict[str, str]) -> float:
        return float(np.linalg.norm(own - np.log([float(row["slenderness"]), float(row["p"])])))

    nearest = min(assumption_costs(), key=apart)
    if not apart(nearest) < LIKE:
        return []
    own_words = () if study is None else _of_study(study)
    rows = [row for row in assumption_costs() if row["object"] == nearest["object"]]
    rows = [row for row in rows if not row["assumption"].startswith(own_words)]
    sure = [
        row
        for row in rows
        if all(row[end] for end in INTERVAL) and not float(row[INTERVAL[0]]) <= 1.0 <= float(row[INTERVAL[1]])
    ]
    sure.sort(key=lambda row: -abs(np.log(float(row["one_percent_ratio"]))))
    words = [
        f"{float(row['one_percent_ratio']):.2f} times as high ({row['assumption']})" for row in sure[:SHOWN]
    ]
    slid = [row["assumption"] for row in rows if not row["one_percent_ratio"]]
    slide = [f"with {name} it slides rather than overturns" for name in slid]
    changes = [f"the intensity at which 1 % overturn is {', '.join(words)}"] * bool(words)
    both = np.exp(own), (float(nearest["slenderness"]), float(nearest["p"]))
    this, one = (f"{np.degrees(alpha):.0f} deg and p {p:.2g} rad/s" for alpha, p in both)
    return [
        f"assumptions matter (`mcrock docs assumptions`): for a {nearest['object']} of slenderness {one}, "
        f"the nearest of those compared ({this} here), {'; '.join([*changes, *slide])}"
    ] * bool(changes or slide)


def _of_study(study: Study) -> tuple[str, ...]:
    """How assumptions begin that a study does not rest on, as it has what they leave out."""
    there = {
        ("floor of",): study.motion.on_floor,
        ("friction", "rebound"): study.contact is not None,
        ("ground slopes",): study.ground is not None,
        ("near-fault pulses",): "nearfield_pulse" in str(getattr(study.motion, "set", "")),
    }
    return tuple(word for words, has in there.items() if has for word in words)


LEVEL = 1e-9  # a tilt that is rounding [rad]
GENTLE = radians(20.0)  # a face at a smaller angle to the base may have been meant to belong to it [rad]
LYING = 1.1  # longest side over the height from which on a body lies down [1]
MANY = 20  # faces above which those that neither bear nor bound the base are only counted
USUAL = {  # range, unit and name of what is of human size, and what may have another unit
    "body_radius": (0.005, 20.0, "m", "a distance R from the centre of mass to the edge", "is it in m"),
    "body_density": (10.0, 25_000.0, "kg/m3", "a density", "are density, mass and lengths in kg and m"),
}


def describe_body(study: Study, inputs: Inputs) -> list[str]:
    """Lines on the body, its faces and its release."""
    return _body(study, inputs) + _parts(study) + _faces(study, inputs) + _release(study, inputs)


def describe_hulls(drawn: Sequence[Inputs]) -> list[str]:
    """Lines on the hulls of some draws of the error of a shape, each with its first realization."""
    slenderness = np.array([one.values["body_slenderness"][0] for one in drawn])
    over = np.array([uplift_slenderness(one.vertices[:1], one.faces, one.start_face[:1])[0] for one in drawn])
    gravity = np.array([one.gravity[0] for one in drawn])
    faces, corners = (np.array(list(map(len, found)), float) for found in (
        [one.faces for one in drawn], [one.vertices[0] for one in drawn]
    ))  # fmt: skip
    uplift = format_range(gravity * np.tan(over) / STANDARD_GRAVITY)
    return [
        f"  hulls of {len(drawn)} draws of the error of the shape: {format_range(corners)} corners, "
        f"{format_range(faces)} faces,",
        f"  slenderness {format_range(np.degrees(slenderness))} deg, uplift at about {uplift} g",
    ]


def isolator_notes(study: Study, inputs: Inputs) -> list[str]:
    """Whether a body is so heavy that it drives its isolator."""
    isolator = study.motion.isolator
    if isolator is None or isolator.mass is None or (ratio := inputs.mass.max() / isolator.mass) <= HEAVY:
        return []
    return [
        f"note: the body has {ratio:.2g} of the mass on the isolator, which mcrock moves without what the "
        "body does to it. With that the weakest pulse that overturns is 0.97 to 1.05 times as strong at 0.1, "
        "0.97 to 1.23 times at 0.2 and 0.98 to 1.33 times at 0.5, where peak tilts are 0.2 to 2.1 times as "
        "large (nine in ten of 72 cases, mcrock docs motions)"
    ]


def body_notes(inputs: Inputs) -> list[str]:
    """Sizes, densities and releases that may have been meant otherwise."""
    found = []
    if inputs.rim is not None:
        found.append(
            "note: it stands on a circle and rolls on its rim; a cylinder without body.sides stood on 48 "
            "sides in earlier versions, as it does with sides = 48 (mcrock docs bodies)"
        )
    for name, (low, high, unit, what, question) in USUAL.items():
        values = inputs.values.get(name)
        if values is None:
            continue
        odd = values[(values < low) | (values > high)]
        if len(odd):
            found.append(f"note: {what} of {odd[0]:.4g} {unit} is unusual; {question}?")
    if (inputs.values.get("start_tilt_ratio", np.zeros(1)) >= 1).any():
        found.append("note: start.tilt_ratio reaches 1, the balance: from there on a body falls at once")
    return found


def _body(study: Study, inputs: Inputs) -> list[str]:
    values = inputs.values
    slenderness = values["body_slenderness"]
    in_degrees = format_range(np.degrees(slenderness))
    over = uplift_slenderness(inputs.vertices, inputs.faces, inputs.start_face, inputs.rim)
    which = ""
    if not np.allclose(over, slenderness, rtol=1e-9, atol=0.0):
        which = f" (over an edge of the start face, of slenderness {format_range(np.degrees(over))} deg)"
    lines = [
        f"body: {study.body.shape}, {_size(inputs)}, mass {format_range(values['body_mass'])} kg",
        f"  R {format_range(values['body_radius'])} m, slenderness {in_degrees} deg, "
        f"p {format_range(values['body_frequency'])} rad/s",
        "  uplifts at a horizontal acceleration of about "
        f"{format_range(values['gravity'] * np.tan(over) / STANDARD_GRAVITY)} g{which}"
        + ("" if inputs.contact is None else ", unless it slides first"),
    ]
    if (slenderness >= np.pi / 2).any():
        lines.append(
            "  note: within 90 deg of tilt it reaches no edge that bounds the base, so that the slenderness "
            f"tells nothing; {_more_base(study, 'less')}"
        )
    if (slenderness <= LEVEL).any():
        lines.append(
            "  note: it stands over an edge that bounds the base at no tilt at all, so that the slenderness "
            f"tells nothing; {_more_base(study, 'the face beyond that edge')}"
        )
    return lines


def _parts(study: Study) -> list[str]:
    """The parts of a body, with every uncertain number at its median, and what it means that they are one."""
    shape = study.body
    if not isinstance(shape, Composite):
        return []
    pieces, whole = shape.pieces_at_medians(), shape.at_medians()
    alone = [np.degrees(piece.bodies.derived()["slenderness"][0]) for piece in pieces]
    masses = np.array([piece.bodies.mass[0] for piece in pieces])
    x, y, z = (
        f"{value:.4g}"
        for value in (masses @ [piece.centre[0] for piece in pieces] / masses.sum()).round(9) + 0.0
    )
    lines = [
        f"  {piece.name}: {part['shape']}, {piece.bodies.mass[0]:.4g} kg, from {piece.place[0, 2]:.4g} to "
        f"{piece.ends[1, 0, 2]:.4g} m, centre of mass at {piece.centre[0, 2]:.4g} m; slenderness by itself "
        f"{degree:.4g} deg"
        for piece, part, degree in zip(pieces, plain(shape)["parts"], alone, strict=True)
    ]
    drawn = any(name.startswith("body.") for name in study.uncertain)
    lines += [
        f"  whole: {whole.mass[0]:.4g} kg, centre of mass at x {x} m, y {y} m, height {z} m"
        + ", all at the medians" * drawn,
        "  its parts are taken to be fixed to each other: one that stands loose on another may rock, slide "
        "or fall by itself, which this does not tell; give it a study of its own",
    ]
    return lines + [
        f"  note: parts {i} and {j} share space, where mass counts twice; fine for a load that is spread out"
        for i, j in shape.overlaps()
    ]


def _size(inputs: Inputs) -> str:
    """Sizes that have a name, or how far the body reaches along its axes."""
    keys = ("width", "depth", "height")
    if all(f"body_{key}" in inputs.values for key in keys):
        return ", ".join(f"{key} {format_range(inputs.values[f'body_{key}'])} m" for key in keys)
    reach = np.ptp(inputs.vertices, axis=1).T
    if len(inputs.faces) == 1:
        return f"base {format_range(reach[0])} m along x, {format_range(reach[1])} m along y"
    return ", ".join(
        f"{format_range(extent)} m along {axis}" for extent, axis in zip(reach, "xyz", strict=True)
    )


def _faces(study: Study, inputs: Inputs) -> list[str]:
    """The faces of a body that is put down on one, with every uncertain number at its median."""
    body = study.body.at_medians()
    if body.put_on is None:
        return []
    vertices, faces, start = body.vertices, body.faces, int(body.start_face[0])
    normals = face_normals(vertices, faces)
    heights, areas = face_heights(vertices, faces, normals)[0], face_areas(vertices, faces)[0]
    across = np.sqrt(np.square(np.cross(normals[0], normals[0, start])).sum(-1))
    angles = np.degrees(np.arctan2(across, normals[0] @ normals[0, start]))
    stable = stable_faces(vertices, faces)[0]
    at_medians = ", at the medians" if any(name.startswith("body.") for name in study.uncertain) else ""
    at_medians += ", without the error of the shape" if study.body.underside else ""
    lines = [
        f"  {len(faces)} faces, {vertices.shape[1]} corners{at_medians}; angle to the face it starts on, "
        "height of the centre of mass:",
        "  face   area [m2]  angle [deg]  height [m]  stable  base",
    ]
    listed = _listed(faces, stable, {start, *body.base_faces})
    for f in listed:
        base = "start" if f == start else "yes" if f in body.base_faces else "no"
        lines.append(
            f"  {f:>4}  {areas[f]:>10.4g}  {angles[f]:>11.2f}  {heights[f]:>10.4g}  "
            f"{'yes' if stable[f] else 'no':>6}  {base}"
        )
    if len(listed) < len(faces):
        lines.append(f"  and {len(faces) - len(listed)} others, neither stable nor base")
    lines += _inside(body)
    lines += _homogeneous(study, body)
    lines += _lying(study, body)
    lines += [] if study.body.underside else _settling(body.put_on, inputs.start_face)
    pairs, meeting = exterior_angles(vertices, faces)
    lines += [
        f"  note: faces {f} and {g} meet at {angle:.2g} rad; put them in one plane if flat"
        for (f, g), angle in zip(pairs, meeting[0], strict=True)
        if angle < SHALLOW
    ]
    if study.controls.overturned_by == "contact":
        lines += _gentle_faces(study, faces, normals[0], sorted({start, *body.base_faces}))
    return lines


def _listed(faces: Faces, stable: NDArray[np.bool_], base: set[int]) -> list[int]:
    """Faces worth a line: all of a few, of many those of the base, those that join it and stable ones."""
    numbers = range(len(faces))
    if len(faces) <= MANY:
        return list(numbers)
    edges = [{frozenset(edge) for edge in zip(face, face[1:] + face[:1], strict=True)} for face in faces]
    of_base = set().union(*(edges[f] for f in base))
    return [f for f in numbers if f in base or stable[f] or edges[f] & of_base]


def _homogeneous(study: Study, body: Bodies) -> list[str]:
    """What the mass properties of a polyhedron are taken from that gives a mass or density alone."""
    shape = study.body
    if not isinstance(shape, Polyhedron) or shape.com is not None:
        return []
    what, whose = ("mesh", "file") if shape.solid is not None else ("hull", "points")
    moved = any(getattr(shape, name) != 0.0 for name in OFFSETS)
    taken = "inertia is that" if moved else "centre of mass and inertia are those"
    whose += "" if shape.up in (None, "z") else f" after {shape.up} was turned up"
    x, y, z = (f"{value:.4g}" for value in shape.centre_of_mass.round(9) + 0.0)  # no -0, no 4e-19
    hollow = "" if shape.mass is None else "; if it is hollow, give com and inertia (mcrock docs bodies)"
    return [
        f"  {taken} of the homogeneous {what}, {body.values['density'][0]:.4g} kg/m3{hollow}",
        f"  centre of mass at x {x} m, y {y} m, z {z} m in the axes of the {whose}",
    ]


def _inside(body: Bodies) -> list[str]:
    """Volumes of a body whose mass is that of a mesh or given, and of its hull, where they differ."""
    if "density" not in body.values:
        return []
    volume = float(body.mass[0] / body.values["density"][0])
    hull = float(solid_moments(body.vertices[:1], body.faces)[0][0])
    if np.isclose(volume, hull, rtol=1e-6):
        return []
    return [f"  it has a volume of {volume:.4g} m3, and its hull, which touches the ground, {hull:.4g} m3"]


def _lying(study: Study, body: Bodies) -> list[str]:
    """Whether the longest side of a polyhedron lies down, as where another axis of its file is up."""
    reach = np.ptp(body.vertices[0], axis=0)
    longest = int(reach[:2].argmax())
    if not isinstance(study.body, Polyhedron) or reach[longest] <= LYING * reach[2]:
        return []
    return [
        f"  note: its longest side, {reach[longest]:.4g} m, lies down, and it stands {reach[2]:.4g} m high; "
        'if z is not up in its file, give the axis that is, as in up = "y" (body.up)'
    ]


def _settling(put_on: int, start_face: NDArray[np.int64]) -> list[str]:
    """On which faces bodies start that the one they are put on does not carry."""
    elsewhere = start_face != put_on
    if not elsewhere.any():
        return []
    others = " or ".join(map(str, np.unique(start_face[elsewhere])))
    share = "all" if elsewhere.all() else f"{elsewhere.mean():.2g} of the"
    return [
        f"  note: put down on face {put_on}, which does not carry it, it settles on face {others} before it "
        f"starts in {share} realizations"
    ]


def _more_base(study: Study, what: str) -> str:
    """How to make faces base, or fewer of them."""
    if study.body.underside:  # whose faces have no numbers
        return f"{'lower' if what == 'less' else 'raise'} body.base_angle_deg"
    return "list fewer faces in body.base_faces" if what == "less" else f"list {what} in body.base_faces"


def _gentle_faces(study: Study, faces: Faces, normals: NDArray[np.float64], base: list[int]) -> list[str]:
    """What it means that faces connected to the base and little inclined to it do not belong to it."""
    across = np.linalg.norm(np.cross(normals[:, None], normals[base]), axis=-1)
    angles = np.arctan2(across, normals @ normals[base].T).min(1)
    gentle = np.flatnonzero(angles < GENTLE).tolist()
    found = sorted({g for f in base for g in connected(faces, gentle, f)}.difference(base))
    if not found:
        return []
    names, inclined = ", ".join(map(str, found)), ", ".join(f"{degrees(angles[f]):.2f}" for f in found)
    return [
        f"  note: touching the ground with face {names} ({inclined} deg from the base) counts as overturned; "
        f"{_more_base(study, 'it')} if the body is to roll onto it"
    ]


def _release(study: Study, inputs: Inputs) -> list[str]:
    if study.start is None:
        return []
    edges = ", ".join(map(str, np.unique(inputs.start_edge)))
    return [f"released over edge {edges} from {format_range(np.degrees(inputs.start_tilt))} deg"]


LOSSES = (ImpactParameter["LAMBDA"], ImpactParameter["LAMBDA_LON"])  # set the energy that impacts cost
# overturned fraction of the main example at 0.4 g: without [impact], as shipped (both from 0.5 to 1,
# lambda_lat from -0.3 to 0.3), and within the theoretical bounds
MAIN_EXAMPLE = (0.292, 0.398, 0.486)


def describe_preset(study: Study) -> list[str]:
    """What the preset of the impacts stands for, and what the study has in its place."""
    if study.impact.preset is None:
        return []
    preset = PRESETS[study.impact.preset]
    lines = [f"impacts: preset {study.impact.preset}, {preset.words}", f"  {preset.source}"]
    lines += [f"  {preset.interface}"] * bool(preset.interface)
    for parameter, given in preset.parameters.items():
        own = plain(study.impact.parameters[parameter.key]) != given.specification
        where = "the study has its own" if own else given_by(given)
        lines.append(f"  {value_in_words(parameter, given)}: {where}")
    return lines + [f"  {parameter.key}: the study's own" for parameter in preset.lacking]


def range_notes(study: Study) -> list[str]:
    """Parameters that leave their usual range, with a preset that of the theory."""
    found: list[str] = []
    outside: dict[tuple[float, float], list[str]] = {}
    for name, item in study.impact.parameters.items():
        parameter = parameter_of(name)
        within = parameter.row.within
        if study.impact.preset is not None and parameter in BOUNDS.parameters and within is not None:
            theory = BOUNDS.parameters[parameter]
            if item is not None and _leaves(item, theory.low, theory.high):
                found.append(
                    f"note: impact.{name} leaves the theoretical bounds [{theory.low:g}, {theory.high:g}] "
                    f"(Várkonyi et al. 2022, {theory.source}); impacts may be infeasible or gain energy"
                )
            continue
        if item is not None and within is not None and _leaves(item, *within):
            outside.setdefault(within, []).append(f"impact.{name}")
    return found + [
        f"note: {', '.join(names)} {'reaches' if len(names) == 1 else 'reach'} outside [{low:g}, {high:g}], "
        "beyond the base; impacts may be infeasible"
        for (low, high), names in outside.items()
    ]


def impact_notes(study: Study, inputs: Inputs) -> list[str]:
    """Notes on the impacts."""
    found = loss_notes(study) + range_notes(study)
    sides = len(inputs.faces[inputs.start_face[0]])
    if inputs.rim is not None and study.impact.rolling_loss is None and study.impact.clearance is None:
        found.append(
            "note: a perfect rim on hard ground loses no energy as it rolls, and overturns the most; for a "
            "real one write in [impact] rolling_loss and clearance, as mcrock new does (mcrock docs bodies)"
        )
    elif inputs.rim is None and (study.impact.rolling_loss or study.impact.clearance):
        found.append(
            "note: impact.rolling_loss and clearance are of a circular base, and do nothing to this polygon"
        )
    polygon = inputs.rim is None and sides >= ROUND
    if polygon and (inputs.impact[inputs.law == DEFAULT_LAW, ImpactParameter["LAMBDA"]] != 0.0).any():
        found.append(
            f"note: a wobble over {sides} sides costs tilt that a round base keeps, with lambda = 1 and 12, "
            "24 or 48 sides 17, 10 or 5 % at every half turn, in proportion to lambda; if it is round, leave "
            "body.sides out or give the radius body.base.rim (mcrock docs engines round)"
        )
    found += _ratio_note(study, inputs)
    return found


def loss_notes(study: Study) -> list[str]:
    """A line where lambda or lambda_lon stands at its default, which costs the most energy; else none.

    A study read back from a store (`Study.from_json`) has the same line, as it goes by values. The law
    ``housner_1963`` says that the loss is meant, and has none.
    """
    laws = study.impact.law if isinstance(study.impact.law, tuple) else (study.impact.law,)
    given = study.impact.parameters
    own = {parameter_of(name) for name in given if name.startswith("face_")}
    left = [item for item in LOSSES if given[item.key] == item.row.default and item not in own]
    if DEFAULT_LAW.key not in laws or not left:
        return []
    if study.body.at_medians().rim is not None:  # which no edge of lands, and no face unless it is uneven
        return []
    default, common, bounds = MAIN_EXAMPLE
    keys, verb = " and ".join(f"impact.{item.key}" for item in left), "are" if len(left) > 1 else "is"
    ranges = ", ".join(f'{item.key} = {{ distribution = "uniform", low = 0.5, high = 1.0 }}' for item in left)
    return [
        f"note: {keys} {verb} 1, the default: impacts then cost as much energy as by Housner's rule, the "
        "most within the theoretical bounds, and fewer bodies overturn. "
        f"With both at 1 {default:.3f} of the main example overturn at 0.4 g, with both from 0.5 to 1 "
        f"{common:.3f}, within the bounds {bounds:.3f}. "
        f'Without tests write in [impact] {ranges}, and compare preset = "varkonyi_2022_bounds"; if '
        'Housner\'s rule is meant, law = "housner_1963" (mcrock docs impacts)'
    ]


def _leaves(item: Quantity, low: float, high: float) -> bool:
    """Whether a number, or any of a distribution, lies outside an interval."""
    if isinstance(item, Distribution):
        return item.share_outside(None, low, high) > 0
    return not low <= item <= high


def _ratio_note(study: Study, inputs: Inputs) -> list[str]:
    """Whether e_n21 leaves the range in which no corner is pulled and no energy gained."""
    item = study.impact.e_n21
    if item is None:
        return []
    face, face_number = inputs.faces[inputs.start_face[0]], int(inputs.start_face[0])
    normals = face_normals(inputs.vertices[:1], inputs.faces)
    height = float(face_heights(inputs.vertices[:1], inputs.faces, normals)[0, face_number])
    inside = side_distances(inputs.vertices[:1], face, normals[:1, face_number])[0]
    corners, mass = inputs.vertices[0, list(face)], float(inputs.mass[0])
    least = []
    for k in range(len(face)):
        along = corners[(k + 1) % len(face)] - corners[k]
        along = along / np.linalg.norm(along)
        across = np.cross(normals[0, face_number], along)
        reach = (corners - corners[k]) @ across
        depth = float(np.abs(reach).max())
        about = float(along @ inputs.inertia[0] @ along) + mass * height**2
        least.append(housner_1963(about, mass, -float(inside[k]), depth - float(inside[k])))
    low = max(0.0, min(least))
    if not _leaves(item, low, 1.0):
        return []
    return [
        f"note: impact.e_n21 reaches outside [{low:.3f}, 1], where the edge that leaves would be pulled or "
        "energy gained; impacts may be infeasible"
    ]


def describe_intensity(study: Study, inputs: Inputs) -> list[str]:
    """A line on the measure and its levels."""
    measure = study.intensity.measure
    units, in_g = study.intensity.units, study.intensity.units == "m s-2"
    units = "times the motion" if measure == "factor" else "g" if in_g else unit_in_text(units)
    levels = _levels(study, inputs)
    if in_g:
        levels = levels / STANDARD_GRAVITY
    measure += study.intensity.suffix
    if study.is_cloud:
        kept = ", ".join(variable.name for variable in study.intensity.variables)
        also = f"; also kept: {kept}" if kept else ""
        return [f"intensity: {measure}, {format_range(levels)} {units}, one per realization (cloud){also}"]
    return [f"intensity: {measure} = {', '.join(f'{level:.4g}' for level in levels)} {units}"]


def intensity_notes(study: Study, inputs: Inputs) -> list[str]:
    """Levels that look as if they were in another unit."""
    levels = _levels(study, inputs)
    strongest, weakest = levels.max(), levels.min()
    if study.intensity.measure in ("pga", "pfa", "pga_rotd50", "pga_rotd100"):
        over = uplift_slenderness(inputs.vertices, inputs.faces, inputs.start_face, inputs.rim)
        in_g = study.intensity.levels_g is not None or study.intensity.value_g is not None
        advice = "" if in_g else "; for numbers in g give levels_g or value_g"
        needed = float((inputs.values["gravity"] * np.tan(over)).min())
        if strongest < 0.5 * needed and not study.motion.on_floor:  # which may amplify
            return [
                f"note: the strongest motion has {strongest:.3g} m/s2 or "
                f"{strongest / STANDARD_GRAVITY:.3g} g, and the body begins to rock at about "
                f"{needed / STANDARD_GRAVITY:.3g} g{advice}"
            ]
        if weakest > 5 * STANDARD_GRAVITY:
            return [
                f"note: even the weakest motion has {weakest / STANDARD_GRAVITY:.3g} g; 'levels' are in "
                "m/s2, 'levels_g' in g"
            ]
    if study.intensity.measure.startswith(("pgv", "pfv")) and weakest > 5:
        return [f"note: even the weakest motion has {weakest:.3g} m/s; levels of pgv and pfv are in m/s"]
    return []


def _levels(study: Study, inputs: Inputs) -> NDArray[Any]:
    """Intensities of the runs in SI units."""
    return inputs.values["intensity_value"] if study.is_cloud else np.array(study.intensity.si_levels)


Array = NDArray[np.float64]
WORDS = {Regime.REST: "rest", Regime.SLIDE: "slide", Regime.ROCK: "rock", Regime.SLIDE_ROCK: "slide and rock"}


def describe_regimes(study: Study, inputs: Inputs) -> list[str]:
    """Motions that start from rest at the friction of a study, and at the peaks of its motions."""
    if inputs.contact is None or study.start is not None or not study.motion.shakes:
        return []
    body = inputs.mass, inputs.inertia, inputs.vertices, inputs.faces, inputs.start_face
    directions = extreme_directions(inputs.vertices, inputs.faces, inputs.start_face)
    both = sections(*body, directions)
    static, friction = (
        inputs.contact[:, column] for column in (ContactColumn.STATIC_FRICTION, ContactColumn.FRICTION)
    )
    unit = inputs.gravity / STANDARD_GRAVITY
    name = "friction" if (static == friction).all() else "static friction"
    does = _from_rest(friction, static, both, unit)
    lines = [f"contact: at {name} {format_range(static, '.3g')} this body {does}"]
    peak = inputs.values["peak_acceleration"].reshape(len(inputs), -1) / inputs.gravity[:, None]
    if np.isfinite(peak).all():  # the motions are made
        worst = Sections(both.reach[:, :1], both.height, both.gyration[:, :1])
        found = regime_from_rest(peak, friction[:, None], worst, static[:, None])
        shares = ((words, (found == regime).mean()) for regime, words in WORDS.items())
        listed = ", ".join(f"{format_percent(share)} {words}" for words, share in shares if share > 0)
        lines.append(
            f"  at the peak horizontal acceleration, taken in the worst direction, of the runs {listed}"
        )
    return lines


def _from_rest(friction: Array, static: Array, both: Sections, unit: Array) -> str:
    """What the body does from rest, by the worst and the mildest direction."""
    worst, mildest = both.tipping.T
    slides, rocks = static <= worst, friction > mildest
    slip, tip, late = (format_range(unit * limit, ".2f") for limit in (static, worst, mildest))
    if slides.all():
        return f"slides from {slip} g and cannot rock from rest"
    if rocks.all():
        text = f"rocks from {tip} g in the worst direction, {late} g in the mildest, and cannot slide flat "
        limit = slide_rock_limit(static[:, None], both)[:, 0]
        if np.isinf(limit).all():
            return text + "from rest"
        held = format_range(unit[np.isfinite(limit)] * limit[np.isfinite(limit)], ".2f")
        return text + f"from rest; in the worst direction it slides and rocks from {held} g"
    if not (slides.any() or rocks.any()):
        return f"rocks from {tip} g in the worst direction and may slide flat from {slip} g in others"
    shares = (
        (slides, "slides and cannot rock from rest"),
        (~slides & ~rocks, "rocks in the worst direction and may slide flat in others"),
        (rocks, "rocks and cannot slide flat from rest"),
    )
    return " or ".join(
        f"{words} ({format_percent(where.mean())} of the realizations)"
        for where, words in shares
        if where.any()
    )


LOOK = 4096  # realizations that ranges are taken from [1]
HULLS = 16  # the same of bodies with an error of their shape [1]


def describe(study: Study, motions: Sequence[Motion]) -> str:
    """Describe body, motions, intensities, uncertain inputs and size of a study.

    Ranges are the smallest and largest values of 4096 draws at most, of up to 64 epistemic draws.

    Parameters
    ----------
    study : Study
        From `load_config`, or `mcrock.ensemble.settle`.
    motions : sequence of Motion
        From `load_motions`.

    Returns
    -------
    str
        Lines of text.

    Raises
    ------
    ConfigError
        As `draw_inputs`.
    """
    most = f"at most {study.n_realizations} realizations = {study.n_runs} runs"
    more = "" if study.has_fixed_size else f" at first, more while they tell ({most})"
    study = study.of_size(first_size(study))
    inputs, look, outers = _first_inputs(study, motions)
    lines = [f"{study.title or 'untitled study'} (seed {study.seed})"]
    lines += describe_body(study, inputs) + _hulls(study, motions)
    lines += study.motion.describe(motions, study.folder)
    if study.motion.shakes:
        lines += describe_intensity(study, inputs)
    lines += describe_regimes(study, inputs)
    lines += [f"impacts by the user's law {study.own_law_words}"] * bool(study.own_law)
    lines += describe_preset(study) + _uncertain(study)
    lines += _model_notes(study, inputs)
    lines += study.motion.notes(study.intensity.measure, motions, inputs.scale)
    lines += intensity_notes(study, inputs) if study.motion.shakes else []
    lines += _design_notes(study, motions)
    if study.motion.shakes:
        lines += assumption_notes(inputs.values, study)
    ranges = any(name.startswith(("body.", "intensity.", "start.")) for name in study.uncertain)
    if ranges and len(inputs) == 1 and study.n_realizations > 1:
        lines.insert(1, "numbers of the body and its release are those of the first realization")
    elif ranges:
        which = "the" if look == study.n_realizations else "the first"
        of = f" of each of {outers} {Term.DRAWS}" if study.ensemble.outer else ""
        lines.insert(1, f"ranges go from the smallest to the largest of {which} {look} draws{of}")
    n, levels, design = study.n_realizations, study.n_intensity, study.ensemble.design.replace("_", " ")
    each = "1 intensity" if levels == 1 else f"{levels} intensities"
    draws = f"{study.n_outer} {Term.DRAWS} x " if study.ensemble.outer else ""
    lines.append(f"size: {draws}{n} realizations x {each} = {study.n_runs} runs{more}, {design} design")
    return "\n".join(lines)


def describe_recordings(study: Study, motions: Sequence[Motion]) -> str:
    """How well the motions of a study can tell its median, by a pilot of a few runs; arguments as of
    `describe`."""
    found = run_pilot(study, list(motions))
    if not found.share:
        return "pilot: nothing falls at any intensity that was tried"
    width, n = study.ensemble.width or WIDTH, len(motions)
    kind, verb = "recording", "is"
    if study.motion.is_generated:
        n, kind, verb = study.n_realizations, "motion", "is at best"
    half, needed = records_for(found, n, width)
    at = label_intensities([float(np.exp(found.centre))], study.intensity.units)[0]
    if found.share < 0.9:
        share = format_percent(found.share)
        return f"pilot: {share} of the realizations fall at all, half of these at about {at}"
    return (
        f"pilot: half of such motions fell the body at about {at}; by {format_count(n, kind)} that {verb} "
        f"known to +-{100 * half:.2g} %, and +-{100 * width:.2g} % takes {format_count(needed, kind)}"
    )


def _first_inputs(study: Study, motions: Sequence[Motion]) -> tuple[Inputs, int, int]:
    return sample_inputs(study, motions, 1 if study.body.own_hulls else LOOK)


def _model_notes(study: Study, inputs: Inputs) -> list[str]:
    notes = impact_notes(study, inputs) + contact_notes(inputs) + body_notes(inputs)
    return notes + isolator_notes(study, inputs)


def section_notes(study: Study, folder: Path) -> dict[str, list[str]]:
    """Notes of `describe` by what they bear on; without its records those that go by the study file alone."""
    study = Study.from_json(study.to_json(), folder)
    try:
        motions = load_motions(study)
        inputs = _first_inputs(study, motions)[0]
        return {
            "body": [line.strip() for line in describe_body(study, inputs) if "  note: " in line],
            "inputs": _design_notes(study, motions),
            "motions": study.motion.notes(study.intensity.measure, motions, inputs.scale)
            + (intensity_notes(study, inputs) if study.motion.shakes else []),
            "model": _model_notes(study, inputs),
        }
    except (ConfigError, MotionError):
        return {"model": loss_notes(study) + range_notes(study)}


def uncertain_rows(study: Study) -> list[tuple[str, str, str]]:
    """Every uncertain input: its key with its unit, what is drawn, and its parameters or options."""
    rows = []
    items: dict[str, Specification] = {
        name: study.quantities.get(name, ("all motions",)) for name in study.uncertain
    }
    for name, other in study.tied.items():
        items[f"{name} (with {other})"] = study.quantities[name]
    for key, redrawn in study.impact.redrawn.items():
        items[f"impact.{key} (anew at every impact)"] = redrawn
    for name, item in items.items():
        if isinstance(item, Distribution):
            parameters = plain(item)
            once = ", epistemic" if parameters.pop("epistemic", False) else ""
            del parameters["distribution"]
            words = ", ".join(f"{key} {_short(value)}" for key, value in parameters.items())
            if isinstance(item, Listed):
                words = f"{len(item.values)} values, {min(item.values):g} to {max(item.values):g}"
            rows.append((_as_written(study, name), item.distribution, f"{words}{once}"))
        elif isinstance(item, tuple):
            rows.append((name, "one of", ", ".join(map(str, item))))
    for a, b, r in study.copula.pairs:
        rank = 6.0 / np.pi * np.arcsin(r / 2.0)  # Kruskal 1958, of a Gaussian copula
        rows.append((f"{a}, {b}", "correlation", f"{r:g} of normal scores, rank correlation {rank:.2f}"))
    if (error := study.body.underside) is not None:
        once = ", epistemic" if error.epistemic else ""
        words = f"std {error.std:g}, correlation_length {error.correlation_length:g}{once}"
        rows.append(("body.shape_error [m]", "smooth surface", words))
    return rows


def _hulls(study: Study, motions: Sequence[Motion]) -> list[str]:
    """How much the bodies differ between draws of the error of their shape."""
    if study.body.underside is None:
        return []
    places = [(i, 0) for i in range(min(HULLS, study.n_realizations))]
    if study.body.is_one_draw:
        places = [(0, k) for k in range(min(HULLS, study.n_outer))]
    drawn = [draw_inputs(study, motions, i, i + 1, k, with_motions=False) for i, k in places]
    return describe_hulls(drawn)


def _uncertain(study: Study) -> list[str]:
    lines = [
        f"  {name}: {kind}{' ' if kind == 'one of' else ', '}{words}"
        for name, kind, words in uncertain_rows(study)
    ]
    if study.motion.draws_noise:
        lines.append("  the noise of the motions, drawn for each realization")
    return ["uncertain:", *lines] if lines else ["uncertain: nothing"]


def _as_written(study: Study, name: str) -> str:
    """Key of a distribution as the study file has it, with its unit."""
    if name == "motion.azimuth" and study.motion.rotation[1] != 1.0:
        return "motion.azimuth_deg [deg]"
    if name == "intensity.value":
        in_g = study.intensity.value_g is not None
        return f"{name}_g [g]" if in_g else f"{name} [{unit_in_text(study.intensity.units)}]"
    key, _, when = name.partition(" ")
    units = unit_in_text(declaration(variable_name(key)).units)
    return f"{key} [{units}] {when}".rstrip()


def _short(value: float | list[float]) -> str:
    return f"{value:g}" if isinstance(value, float) else "[" + ", ".join(f"{item:g}" for item in value) + "]"


def _design_notes(study: Study, motions: Sequence[Motion]) -> list[str]:
    """Realizations that meet the motions unevenly, or repeat each other."""
    found = []
    in_turn = not study.draws_records and study.motion.listed_records is None
    if in_turn and study.n_realizations % len(motions):
        n = study.n_realizations
        found.append(
            f"note: {n} realizations are not a multiple of {len(motions)} motions, so some motions are met "
            "once more than others"
            if n > len(motions)
            else f"note: {n} realizations meet {n} of the {len(motions)} motions, and the others never"
        )
    if study.ensemble.design == OF_INDICES:
        below, above = nearest_designs(study)
        if study.n_realizations != below:
            found.append(
                f"note: the design of Sobol indices is even with {below} or {above} realizations, not with "
                f"{study.n_realizations}"
            )
    if study.is_certain and study.n_realizations > len(motions):
        first = f"first {len(motions)}" if len(motions) > 1 else "first"
        found.append(f"note: nothing is uncertain; realizations beyond the {first} repeat runs")
    return found
