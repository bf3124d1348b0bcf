"""A study in words, for people who are about to run it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import degrees, radians
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcrock.body import (
    exterior_angles,
    face_areas,
    face_heights,
    face_normals,
    stable_faces,
    uplift_slenderness,
)
from mcrock.body.faces import Faces, connected
from mcrock.body.polyhedron import SHALLOW
from mcrock.config import Study
from mcrock.config.motions import FemaMotion, PulseMotion, Recorded, StillGround
from mcrock.config.polyhedron import Polyhedron
from mcrock.config.study import Specification
from mcrock.dataset.schema import declaration
from mcrock.excitation.intensity import intensity
from mcrock.excitation.motion import Motion
from mcrock.excitation.rezaeian_2010 import simulate_motion
from mcrock.params import STANDARD_GRAVITY, Inputs
from mcrock.sampling.inputs import draw_inputs, variable_name
from mcrock.sampling.own_motions import Fit, origin, read_sources
from mcrock.tables.distributions import Distribution
from mcrock.tables.fields import plain
from mcrock.text.notes import notes

LOOK = 4096  # realizations that ranges are taken from [1]
LEVEL = 1e-9  # a tilt that is rounding [rad]
TRIALS = 15  # simulations set beside a fitted record
FAR = 1.5  # times the velocity of the simulations
GENTLE = radians(20.0)  # a face at a smaller angle to the base may have been meant to belong to it [rad]


def describe(study: Study, motions: Sequence[Motion]) -> str:
    """Describe body, motions, intensities, uncertain inputs and size of a study.

    Ranges are the smallest and largest values of the first 4096 realizations at most.

    Parameters
    ----------
    study : Study
        From `load_config`.
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
    inputs = draw_inputs(study, motions, 0, min(study.n_realizations, LOOK), with_motions=False)
    lines = [f"{study.title or 'untitled study'} (seed {study.seed})"]
    lines += _body(study, inputs) + _faces(study, inputs) + _release(study, inputs)
    lines += _motions(study, motions)
    if not isinstance(study.motion, StillGround):
        lines += _intensity(study, inputs.values)
    lines += _uncertain(study) + notes(study, motions, inputs)
    if any(name.startswith(("body.", "intensity.", "start.")) for name in study.uncertain):
        which = "the" if len(inputs) == study.n_realizations else "the first"
        lines.insert(1, f"ranges go from the smallest to the largest of {which} {len(inputs)} draws")
    n, levels = study.n_realizations, study.n_intensity
    design = study.ensemble.design.replace("_", " ")
    each = "1 intensity" if levels == 1 else f"{levels} intensities"
    lines.append(f"size: {n} realizations x {each} = {n * levels} runs, {design} design")
    return "\n".join(lines)


def _span(array: NDArray[Any], form: str = ".4g") -> str:
    """``0.4`` or ``0.39 to 0.41``."""
    low, high = format(array.min(), form), format(array.max(), form)
    return low if low == high else f"{low} to {high}"


def _body(study: Study, inputs: Inputs) -> list[str]:
    values = inputs.values
    slenderness = values["body_slenderness"]
    over = uplift_slenderness(inputs.vertices, inputs.faces, inputs.start_face)
    which = ""
    if not np.allclose(over, slenderness, rtol=1e-9, atol=0.0):
        which = f" (over an edge of the start face, of slenderness {_span(np.degrees(over))} deg)"
    lines = [
        f"body: {study.body.shape}, {_size(inputs)}, mass {_span(values['body_mass'])} kg",
        f"  R {_span(values['body_radius'])} m, slenderness {_span(np.degrees(slenderness))} deg, "
        f"p {_span(values['body_frequency'])} rad/s",
        "  uplifts at a horizontal acceleration of about "
        f"{_span(values['gravity'] * np.tan(over) / STANDARD_GRAVITY)} g{which}",
    ]
    if (slenderness >= np.pi / 2).any():
        lines.append(
            "  note: within 90 deg of tilt it reaches no edge that bounds the base, so that the slenderness "
            "tells nothing; list fewer faces in body.base_faces"
        )
    if (slenderness <= LEVEL).any():
        lines.append(
            "  note: it stands over an edge that bounds the base at no tilt at all, so that the slenderness "
            "tells nothing; list the face beyond that edge in body.base_faces too"
        )
    return lines


def _size(inputs: Inputs) -> str:
    """Sizes that have a name, or how far the body reaches along its axes."""
    keys = ("width", "depth", "height")
    if all(f"body_{key}" in inputs.values for key in keys):
        return ", ".join(f"{key} {_span(inputs.values[f'body_{key}'])} m" for key in keys)
    reach = np.ptp(inputs.vertices, axis=1).T
    if len(inputs.faces) == 1:
        return f"base {_span(reach[0])} m along x, {_span(reach[1])} m along y"
    return ", ".join(f"{_span(extent)} m along {axis}" for extent, axis in zip(reach, "xyz", strict=True))


def _faces(study: Study, inputs: Inputs) -> list[str]:
    """The faces of a polyhedron with every uncertain number at its median."""
    if not isinstance(study.body, Polyhedron):
        return []
    body = study.body.build(study.body.medians())
    vertices, faces, start = body.vertices, body.faces, int(body.start_face[0])
    normals = face_normals(vertices, faces)
    heights, areas = face_heights(vertices, faces, normals)[0], face_areas(vertices, faces)[0]
    across = np.sqrt(np.square(np.cross(normals[0], normals[0, start])).sum(-1))
    angles = np.degrees(np.arctan2(across, normals[0] @ normals[0, start]))
    stable = stable_faces(vertices, faces)[0]
    at_medians = ", at the medians" if any(name.startswith("body.") for name in study.uncertain) else ""
    lines = [
        f"  {len(faces)} faces, {vertices.shape[1]} corners{at_medians}; angle to the face it starts on, "
        "height of the centre of mass:",
        "  face   area [m2]  angle [deg]  height [m]  stable  base",
    ]
    for f in range(len(faces)):
        base = "start" if f == start else "yes" if f in body.base_faces else "no"
        lines.append(
            f"  {f:>4}  {areas[f]:>10.4g}  {angles[f]:>11.2f}  {heights[f]:>10.4g}  "
            f"{'yes' if stable[f] else 'no':>6}  {base}"
        )
    lines += _settling(study.body.outline.start_face, inputs.start_face)
    pairs, meeting = exterior_angles(vertices, faces)
    lines += [
        f"  note: faces {f} and {g} meet at {angle:.2g} rad; put them in one plane if flat"
        for (f, g), angle in zip(pairs, meeting[0], strict=True)
        if angle < SHALLOW
    ]
    if study.controls.overturned_by == "contact":
        lines += _gentle_faces(faces, normals[0], sorted({start, *body.base_faces}))
    return lines


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


def _gentle_faces(faces: Faces, normals: NDArray[np.float64], base: list[int]) -> list[str]:
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
        "list it in body.base_faces if the body is to roll onto it"
    ]


def _release(study: Study, inputs: Inputs) -> list[str]:
    if study.start is None:
        return []
    edges = ", ".join(map(str, np.unique(inputs.start_edge)))
    return [f"released over edge {edges} from {_span(np.degrees(inputs.start_tilt))} deg"]


def _motions(study: Study, motions: Sequence[Motion]) -> list[str]:
    if isinstance(study.motion, StillGround):
        return ["motions: none, free rocking"]
    floor = _floor(study)
    if not isinstance(study.motion, Recorded):
        off = "" if study.motion.vertical else ", vertical off"
        what = f"{origin(study)}, one for each realization{off}"
        return [f"motions: {what}{floor}, {_turned(study)}", *_fit(study)]
    groups = len({motion.group for motion in motions})
    several = f" from {groups} recordings" if groups < len(motions) else ""
    durations = np.array([motion.duration for motion in motions])
    name = "files"
    if isinstance(study.motion, FemaMotion):
        name = f"FEMA P695 {' and '.join(study.motion.sets)}"
    weighted = ", by weight" if study.motion.weights is not None else ""
    lines = [
        f"motions: {len(motions)}{several} ({name}), {_span(durations, '.3g')} s long{floor}, "
        f"{_turned(study)}, assigned by {study.motion.assignment}{weighted}"
    ]
    # steps that depend on the record, as the trimming, are worded for the first one
    history = str(motions[0].metadata.get("history", ""))
    if study.motion.processing or not study.motion.vertical:
        of_first = " (of the first)" if len(motions) > 1 else ""
        lines.append(f"  processing{of_first}: {history or 'vertical off'}")
    return lines


def _fit(study: Study) -> list[str]:
    """Parameters of a fitted record, and whether noise with them reaches its velocity."""
    fit = read_sources(study)
    if not isinstance(fit, Fit):
        return []
    lines = [
        f"  {axis}: Arias {model.arias:.3g} m/s, D5-95 {model.duration:.3g} s, t_mid {model.middle:.3g} s, "
        f"{model.frequency:.3g} Hz ({model.frequency_slope:+.2g} Hz/s), damping {model.damping:.2g}"
        for axis, model in zip(("stronger axis", "weaker axis", "vertical"), fit.models, strict=True)
        if model is not None
    ]
    rng = np.random.default_rng(0)
    simulated = [
        intensity(simulate_motion(fit.models, rng, fit.motion.dt), "pgv_rotd50") for _ in range(TRIALS)
    ]
    low, median, high = np.percentile(simulated, [0, 50, 100])
    recorded = intensity(fit.motion, "pgv_rotd50")
    lines.append(
        f"  PGV (RotD50) of the record {recorded:.3g} m/s, of {TRIALS} simulated motions {low:.3g} to "
        f"{high:.3g} m/s, median {median:.3g} m/s"
    )
    if recorded > FAR * median:
        lines.append(
            f"  note: the record has {recorded / median:.2g} times the velocity of the model, which knows "
            "neither pulses nor long periods: they decide over large bodies, for which it is unsafe"
        )
    return lines


def _turned(study: Study) -> str:
    azimuth, factor = study.motion.rotation
    if isinstance(azimuth, Distribution):
        return "azimuth uncertain"
    return f"azimuth {degrees(azimuth * factor):g} deg"


def _floor(study: Study) -> str:
    floor = study.motion.floor
    if floor is None:
        return ""
    if floor.masses is not None:
        return f", on floor {floor.number} of {len(floor.masses)}"
    return (
        ", on a floor"
        if isinstance(floor.frequency, Distribution)
        else f", on a floor of {floor.frequency:g} Hz"
    )


def _intensity(study: Study, values: dict[str, NDArray[Any]]) -> list[str]:
    measure = study.intensity.measure
    units, in_g = study.intensity.units, study.intensity.units == "m s-2"
    units = "times the motion" if measure == "factor" else "g" if in_g else units.replace(" s-1", "/s")
    levels = values["intensity_value"] if study.is_cloud else np.array(study.intensity.si_levels)
    if in_g:
        levels = levels / STANDARD_GRAVITY
    measure += study.intensity.suffix
    if study.is_cloud:
        kept = ", ".join(variable.name for variable in study.intensity.variables)
        also = f"; also kept: {kept}" if kept else ""
        return [f"intensity: {measure}, {_span(levels)} {units}, one per realization (cloud){also}"]
    return [f"intensity: {measure} = {', '.join(f'{level:.4g}' for level in levels)} {units}"]


def _uncertain(study: Study) -> list[str]:
    lines = []
    items: dict[str, Specification] = {
        name: study.quantities.get(name, ("all motions",)) for name in study.uncertain
    }
    for key, redrawn in study.impact.redrawn.items():
        items[f"impact.{key} (anew at every impact)"] = redrawn
    for name, item in items.items():
        if isinstance(item, Distribution):
            parameters = {key: value for key, value in plain(item).items() if key != "distribution"}
            words = ", ".join(f"{key} {_short(value)}" for key, value in parameters.items())
            lines.append(f"  {_as_written(study, name)}: {item.distribution}, {words}")
        elif isinstance(item, tuple):
            lines.append(f"  {name}: one of {', '.join(map(str, item))}")
    if study.motion.is_generated and not isinstance(study.motion, PulseMotion):
        lines.append("  the noise of the motions, drawn for each realization")
    return ["uncertain:", *lines] if lines else ["uncertain: nothing"]


def _as_written(study: Study, name: str) -> str:
    """Key of a distribution as the study file has it, with its unit."""
    if name == "motion.azimuth" and study.motion.rotation[1] != 1.0:
        return "motion.azimuth_deg [deg]"
    if name == "intensity.value":
        in_g = study.intensity.value_g is not None
        return f"{name}_g [g]" if in_g else f"{name} [{_pretty(study.intensity.units)}]"
    key, _, when = name.partition(" ")
    units = _pretty(declaration(variable_name(key)).units)
    return f"{key} [{units}] {when}".rstrip()


def _pretty(units: str) -> str:
    """Units of a dataset as study files and people write them.

    >>> _pretty("m s-2"), _pretty("kg m2"), _pretty("1")
    ('m/s2', 'kg m2', '1')
    """
    return re.sub(r" (\w+)-(\d)", lambda found: f"/{found[1]}{found[2]}".removesuffix("1"), units)


def _short(value: float | list[float]) -> str:
    return f"{value:g}" if isinstance(value, float) else "[" + ", ".join(f"{item:g}" for item in value) + "]"
