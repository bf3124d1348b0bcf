"""A study as text, for people who are about to run it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mcrock.base.params import Inputs
from mcrock.base.tables.distributions import Distribution, Listed
from mcrock.base.tables.fields import plain
from mcrock.base.units import as_written
from mcrock.dataset.schema import declaration
from mcrock.excitation.motion import Motion, MotionError
from mcrock.show.describe.assumptions import assumption_notes
from mcrock.show.describe.body import body_notes, describe_body, describe_hulls
from mcrock.show.describe.contact import contact_notes
from mcrock.show.describe.impact import describe_preset, impact_notes, loss_notes, range_notes
from mcrock.show.describe.intensity import describe_intensity, intensity_notes
from mcrock.show.describe.regimes import describe_regimes
from mcrock.study import ConfigError, Study
from mcrock.study.design import nearest_designs
from mcrock.study.sampling import draw_inputs, load_motions, sample_inputs, variable_name
from mcrock.study.sections import OF_INDICES
from mcrock.study.study import Specification

LOOK = 4096  # realizations that ranges are taken from [1]
HULLS = 16  # the same of bodies with an error of their shape [1]


def describe(study: Study, motions: Sequence[Motion]) -> str:
    """Describe body, motions, intensities, uncertain inputs and size of a study.

    Ranges are the smallest and largest values of 4096 draws at most, of up to 64 outer draws.

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
        of = f" of each of {outers} outer draws" if study.ensemble.outer else ""
        lines.insert(1, f"ranges go from the smallest to the largest of {which} {look} draws{of}")
    n, levels, design = study.n_realizations, study.n_intensity, study.ensemble.design.replace("_", " ")
    each = "1 intensity" if levels == 1 else f"{levels} intensities"
    draws = f"{study.n_outer} outer draws x " if study.ensemble.outer else ""
    lines.append(f"size: {draws}{n} realizations x {each} = {study.n_runs} runs, {design} design")
    return "\n".join(lines)


def _first_inputs(study: Study, motions: Sequence[Motion]) -> tuple[Inputs, int, int]:
    return sample_inputs(study, motions, 1 if study.body.own_hulls else LOOK)


def _model_notes(study: Study, inputs: Inputs) -> list[str]:
    return impact_notes(study, inputs) + contact_notes(inputs) + body_notes(inputs)


def model_notes(study: Study, folder: Path) -> list[str]:
    """Notes of `describe` on body, impacts and contacts of a study that was run.

    Without its records, which say how realizations meet them, only those that go by the study file.
    """
    study = Study.from_json(study.to_json(), folder)
    try:
        return _model_notes(study, _first_inputs(study, load_motions(study))[0])
    except (ConfigError, MotionError):
        return loss_notes(study) + range_notes(study)


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
        return f"{name}_g [g]" if in_g else f"{name} [{as_written(study.intensity.units)}]"
    key, _, when = name.partition(" ")
    units = as_written(declaration(variable_name(key)).units)
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
    certain = not (study.uncertain or study.redrawn or study.motion.draws_noise or study.body.underside)
    if certain and study.n_realizations > len(motions):
        found.append(f"note: nothing is uncertain; realizations beyond the first {len(motions)} repeat runs")
    return found
