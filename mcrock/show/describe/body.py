"""The body of a study as text, and suspicious sizes, masses and releases of it."""

from __future__ import annotations

from collections.abc import Sequence
from math import degrees, radians

import numpy as np
from numpy.typing import NDArray

from mcrock.base.params import STANDARD_GRAVITY, Inputs
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
from mcrock.body.faces import Faces, connected
from mcrock.body.shapes import OFFSETS, Polyhedron
from mcrock.body.surface import SHALLOW
from mcrock.show.numbers import format_range
from mcrock.study import Study

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
    return _body(study, inputs) + _faces(study, inputs) + _release(study, inputs)


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


def body_notes(inputs: Inputs) -> list[str]:
    """Sizes, densities and releases that may have been meant otherwise."""
    found = []
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
    over = uplift_slenderness(inputs.vertices, inputs.faces, inputs.start_face)
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
