"""What is allowed in a study and perhaps not meant."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi

import numpy as np

from mcrock.body import face_heights, face_normals, uplift_slenderness
from mcrock.body.faces import side_distances
from mcrock.config import Study
from mcrock.config.motions import FemaMotion, PulseMotion, Recorded, SpectrumMotion, StillGround
from mcrock.excitation.floor import chain_modes
from mcrock.excitation.intensity import MEASURES
from mcrock.excitation.motion import Motion
from mcrock.excitation.survey import survey
from mcrock.impact.housner_1963 import velocity_ratio
from mcrock.params import STANDARD_GRAVITY, Inputs
from mcrock.tables.distributions import Discrete, Distribution

WEAK = 0.1  # of the other horizontal component [1]
STRENGTHS = ("arias", "arias_factor")  # of generated motions, by key
FARTHEST = 20.0  # factor on a motion above which it is another one
TURN = 2 * pi  # [rad]
USUAL = {  # range, unit and name of what is of human size
    "body_radius": (0.005, 50.0, "m", "a distance R from the centre of mass to the edge"),
    "body_density": (10.0, 25_000.0, "kg/m3", "a density"),
}
SAMPLES_OF_FLOOR = 0.1  # frequency of a floor times the time step, at most [1]


def notes(study: Study, motions: Sequence[Motion], inputs: Inputs) -> list[str]:
    """Lines on what is allowed and perhaps not meant; each begins with "note: "."""
    found = []
    for name, item in study.impact.parameters.items():
        if "lambda" not in name or item is None:
            continue
        beyond = item.share_outside(None, -1.0, 1.0) if isinstance(item, Distribution) else abs(item) > 1
        if beyond:
            found.append(
                f"note: impact.{name} reaches outside [-1, 1], beyond the base; impacts may be infeasible"
            )
    found += _ratio_note(study, inputs) + _mean_note(study, motions) + _spectrum_note(study)
    found += _floor_note(study, motions)
    found += _unit_notes(study, inputs) + _strength_notes(study, motions, inputs)
    if any(isinstance(item, Discrete) for item in study.impact.redrawn.values()):
        found.append("note: a discrete distribution drawn at every impact keeps its probabilities to 1/529")
    if study.motion.assignment == "cycle" and study.n_realizations % len(motions):
        n = study.n_realizations
        found.append(
            f"note: {n} realizations are no multiple of {len(motions)} motions, so some motions are met once "
            "more than others"
            if n > len(motions)
            else f"note: {n} realizations meet {n} of the {len(motions)} motions, and the others never"
        )
    draws_noise = study.motion.is_generated and not isinstance(study.motion, PulseMotion)
    certain = not (study.uncertain or study.redrawn or draws_noise)
    if certain and study.n_realizations > len(motions):
        found.append(f"note: nothing is uncertain; realizations beyond the first {len(motions)} repeat runs")
    return found


def _unit_notes(study: Study, inputs: Inputs) -> list[str]:
    """Numbers that look as if they were in another unit."""
    found = []
    for name, (low, high, unit, what) in USUAL.items():
        values = inputs.values.get(name)
        if values is None:
            continue
        odd = values[(values < low) | (values > high)]
        if len(odd):
            found.append(f"note: {what} of {odd[0]:.4g} {unit} is unusual; is it in {unit}?")
    if (inputs.values.get("start_tilt_ratio", np.zeros(1)) >= 1).any():
        found.append("note: start.tilt_ratio reaches 1, the balance: from there on a body falls at once")
    if isinstance(study.motion, StillGround):
        return found
    azimuth, factor = study.motion.rotation
    if isinstance(azimuth, Distribution):
        beyond = azimuth.share_outside(None, -TURN, TURN) > 1e-6
    else:
        beyond = abs(azimuth) > TURN
    if factor == 1.0 and beyond:
        found.append("note: motion.azimuth turns by more than a circle [rad]; in degrees it is azimuth_deg")
    if study.intensity.measure in ("pga", "pga_rotd50", "pga_rotd100") and study.motion.floor is None:
        over = uplift_slenderness(inputs.vertices, inputs.faces, inputs.start_face)
        needed = float((inputs.values["gravity"] * np.tan(over)).min())
        levels = inputs.values["intensity_value"] if study.is_cloud else np.array(study.intensity.si_levels)
        if levels.max() < 0.5 * needed:
            found.append(
                f"note: the strongest motion has {levels.max():.3g} m/s2 or "
                f"{levels.max() / STANDARD_GRAVITY:.3g} g, and the body begins to rock at about "
                f"{needed / STANDARD_GRAVITY:.3g} g; for numbers in g give levels_g or value_g"
            )
        elif levels.min() > 5 * STANDARD_GRAVITY:
            weakest = levels.min() / STANDARD_GRAVITY
            found.append(
                f"note: even the weakest motion has {weakest:.3g} g; 'levels' are in m/s2, 'levels_g' in g"
            )
    elif study.intensity.measure.startswith("pgv"):
        levels = inputs.values["intensity_value"] if study.is_cloud else np.array(study.intensity.si_levels)
        if levels.min() > 5:
            found.append(
                f"note: even the weakest motion has {levels.min():.3g} m/s; levels of pgv are in m/s"
            )
    return found


def _strength_notes(study: Study, motions: Sequence[Motion], inputs: Inputs) -> list[str]:
    """What the scaling of motions hides, and motions that look wrong as they will act."""
    if isinstance(study.motion, StillGround):
        return []
    found, measure = [], study.intensity.measure
    for key in STRENGTHS:
        item = study.motion.quantities.get(key)
        if measure != "factor" and isinstance(item, Distribution):
            found.append(
                f"note: motion.{key} changes nothing, as every motion is scaled to its {measure}; the "
                "measure 'factor' leaves motions as strong as they are made"
            )
    if not isinstance(study.motion, Recorded):
        return found
    strongest = float(np.abs(inputs.scale).max())
    if measure != "factor" and strongest > FARTHEST:
        found.append(f"note: motions are scaled by up to {strongest:.3g} times")
    if not isinstance(study.motion, FemaMotion):
        odd = [(looked.motion.name, looked.flags) for looked in survey(motions) if looked.flags]
        if odd:
            name, flags = odd[0]
            found.append(
                f"note: {len(odd)} of {len(motions)} motions look suspicious as they are used, as '{name}' "
                f"does: {flags[0]}; `mcrock records check` has all of it for the files"
            )
    return found


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
    beyond = item.share_outside(None, low, 1.0) if isinstance(item, Distribution) else not low <= item <= 1.0
    if not beyond:
        return []
    return [
        f"note: impact.e_n21 reaches outside [{low:.3f}, 1], where the edge that leaves would be pulled or "
        "energy gained; impacts may be infeasible"
    ]


def _spectrum_note(study: Study) -> list[str]:
    """Whether motions made for a spectrum are changed so that they leave it."""
    if not isinstance(study.motion, SpectrumMotion):
        return []
    azimuth, _ = study.motion.rotation
    changes = (
        [] if study.intensity.measure == "factor" else [f"scaled to levels of {study.intensity.measure}"]
    )
    if study.motion.components > 1 and azimuth != 0:
        changes.append("turned")
    if not changes:
        return []
    return [
        f"note: the motions follow their spectrum before they are {' and '.join(changes)}; the measure "
        "'factor' and no azimuth keep them within 0.9 to 1.3 of the spectrum times the level"
    ]


def _floor_note(study: Study, motions: Sequence[Motion]) -> list[str]:
    """Whether the samples are too few for the frequency of a floor."""
    floor = None if isinstance(study.motion, StillGround) else study.motion.floor
    if floor is None:
        return []
    made = study.motion.is_generated
    step = getattr(study.motion, "dt", None) if made else max(motion.dt for motion in motions)
    if step is None:  # of a pulse, which is sampled finely, or of the fitted record
        return []
    most = SAMPLES_OF_FLOOR / step
    if isinstance(floor.frequency, Distribution):
        beyond = floor.frequency.share_outside(None, None, most) > 0
    elif floor.frequency is not None:
        beyond = floor.frequency > most
    else:
        beyond = max(mode.frequency for mode in chain_modes(*floor.chain(damping=0.0))) > most
    if not beyond:
        return []
    mend = "make dt shorter" if made else "resample the motions (processing)"
    return [
        f"note: the floor has frequencies above {most:.3g} Hz, of which a period has fewer than ten samples "
        f"of {step:g} s: its peaks come out too low by a few per cent; {mend}"
    ]


def _mean_note(study: Study, motions: Sequence[Motion]) -> list[str]:
    """Whether the geometric mean of two components says little because one of them is small."""
    measure = study.intensity.measure
    if isinstance(study.motion, StillGround) or measure == "factor" or MEASURES[measure].of_pair:
        return []
    weak = 0.0
    if isinstance(study.motion, PulseMotion):
        ratio = study.motion.ratio_y
        if isinstance(ratio, Distribution):
            weak = 1.0 - ratio.share_outside(None, -WEAK, WEAK)
        else:
            weak = float(0 < abs(ratio) < WEAK)
    elif not study.motion.is_generated:
        peaks = [np.sort(np.abs(motion.acceleration[:2]).max(axis=1)) for motion in motions]
        pairs = [all(motion.shaken[:2]) for motion in motions]
        weak = np.mean([pair and low < WEAK * high for pair, (low, high) in zip(pairs, peaks, strict=True)])
    if weak < 1e-6:
        return []
    other = f"{measure}_rotd100" if f"{measure}_rotd100" in MEASURES else "pga_rotd100"
    return [
        f"note: one horizontal component is less than {WEAK:g} of the other in {weak:.2g} of the motions, so "
        f"that their geometric mean is far below the stronger one; a measure such as {other!r} does not "
        "depend on the axes"
    ]
