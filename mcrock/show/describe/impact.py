"""Impact parameters that nobody chose, and those with which impacts may be infeasible."""

from __future__ import annotations

import numpy as np

from mcrock.base.params import Inputs
from mcrock.base.tables.distributions import Distribution, Quantity
from mcrock.base.tables.fields import plain
from mcrock.body import face_heights, face_normals
from mcrock.body.faces import side_distances
from mcrock.impact.housner_1963 import velocity_ratio
from mcrock.impact.registry import DEFAULT_LAW, ImpactParameter, parameter_of
from mcrock.show.describe.contact import ROUND
from mcrock.show.presets import given_by, value_in_words
from mcrock.study import Study
from mcrock.study.impact import BOUNDS, PRESETS

LOSSES = (ImpactParameter.LAMBDA, ImpactParameter.LAMBDA_LON)  # set the energy that impacts cost
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
    if sides >= ROUND and (inputs.impact[inputs.law == DEFAULT_LAW, ImpactParameter.LAMBDA] != 0.0).any():
        found.append(
            f"note: a wobble over {sides} sides costs tilt that a round base keeps, with lambda = 1 and 12, "
            "24 or 48 sides 17, 10 or 5 % at every half turn, in proportion to lambda; if it is round, try "
            "lambda = 0 or more sides (mcrock docs engines round)"
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
        least.append(velocity_ratio(about, mass, -float(inside[k]), depth - float(inside[k])))
    low = max(0.0, min(least))
    if not _leaves(item, low, 1.0):
        return []
    return [
        f"note: impact.e_n21 reaches outside [{low:.3f}, 1], where the edge that leaves would be pulled or "
        "energy gained; impacts may be infeasible"
    ]
