"""The motions of a study as text, and what about them or their scaling is suspicious."""

from __future__ import annotations

from collections.abc import Sequence
from math import degrees, pi

import numpy as np

from mcrock.config import Study
from mcrock.config.motions import FemaMotion, PulseMotion, Recorded, SpectrumMotion, StillGround
from mcrock.excitation.floor import chain_modes
from mcrock.excitation.intensity import MEASURES, intensity
from mcrock.excitation.motion import Motion
from mcrock.excitation.rezaeian_2010 import simulate_motion
from mcrock.excitation.survey import survey
from mcrock.params import Inputs
from mcrock.sampling.own_motions import Fit, origin, read_sources
from mcrock.tables.distributions import Distribution
from mcrock.text.numbers import format_range

TRIALS = 15  # simulations set beside a fitted record
FAR = 1.5  # times the velocity of the simulations
WEAK = 0.1  # of the other horizontal component [1]
STRENGTHS = ("arias", "arias_factor")  # of generated motions, by key
FARTHEST = 20.0  # factor on a motion above which it is another one
TURN = 2 * pi  # [rad]
SAMPLES_OF_FLOOR = 0.1  # frequency of a floor times the time step, at most [1]


def motion_notes(study: Study, motions: Sequence[Motion], inputs: Inputs) -> list[str]:
    """What the measure, the scaling or the floor makes of the motions, and motions that look wrong."""
    return [
        *_mean_note(study, motions),
        *_spectrum_note(study),
        *_floor_note(study, motions),
        *_turn_note(study),
        *_strength_notes(study, motions, inputs),
    ]


def describe_motions(study: Study, motions: Sequence[Motion]) -> list[str]:
    """Lines on where the motions come from, their processing and their azimuth."""
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
        f"motions: {len(motions)}{several} ({name}), {format_range(durations, '.3g')} s long{floor}, "
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


def _turn_note(study: Study) -> list[str]:
    """Whether an azimuth in radians looks as if it were in degrees."""
    if isinstance(study.motion, StillGround):
        return []
    azimuth, factor = study.motion.rotation
    if isinstance(azimuth, Distribution):
        beyond = azimuth.share_outside(None, -TURN, TURN) > 1e-6
    else:
        beyond = abs(azimuth) > TURN
    if factor == 1.0 and beyond:
        return ["note: motion.azimuth turns by more than a circle [rad]; in degrees it is azimuth_deg"]
    return []


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
