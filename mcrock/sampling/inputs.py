"""Inputs of a slice of realizations, as the kernel reads them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcrock.body import derived
from mcrock.config import ConfigError, Study
from mcrock.config.body import Bodies
from mcrock.config.motions import GROUNDS, SHAPES, StillGround
from mcrock.excitation.motion import Motion
from mcrock.params import Draw, EnergyGain, FacetFallback, ImpactParameter, Inputs, Law
from mcrock.sampling.design import assign_records, choose, unit_numbers
from mcrock.sampling.intensities import factors, kept_intensities, recorded
from mcrock.sampling.own_motions import check_draws, own_motions
from mcrock.sampling.quantiles import impact_tables
from mcrock.sampling.release import releases
from mcrock.tables.distributions import Distribution

Array = NDArray[np.float64]
CHOICES: dict[str, Callable[[Any], int]] = {  # code of an option, by the dotted name of the choice
    "start.edge": int,
    "motion.polarity": int,
    "motion.shape": SHAPES.index,
    "motion.ground": GROUNDS.index,
    "impact.energy_gain": lambda word: EnergyGain[word.upper()],
    "impact.draw": lambda word: Draw[word.upper()],
    "impact.facet_fallback": lambda word: FacetFallback[word.upper()],
    "impact.law": lambda word: Law[word.upper()],
}
VARIABLES = {  # of inputs whose variable is not called as they are
    "body.gravity": "gravity",
    "body.radius": "body_base_radius",
    "impact.energy_gain": "energy_gain",
    "impact.facet_fallback": "facet_fallback",
    "motion.azimuth": "azimuth",
    "motion.polarity": "polarity",
    "motion.record": "record",
}
# impact parameters without a variable where no law of the study has them
OF_ONE_LAW = {"nu": Law.KALLIONTZIS_2016, "e_n21": Law.BROGLIATO_2012}
SLICE = 16384  # realizations checked at a time [1]
CHECKED = 16 * SLICE  # realizations checked before a study runs [1]


def draw_inputs(
    study: Study, motions: Sequence[Motion], start: int, stop: int, *, with_motions: bool = True
) -> Inputs:
    """Draw the inputs of the realizations ``start`` to ``stop - 1``.

    They depend on the study and on the index of the realization alone: not on the slice, and in
    random and Sobol designs not on the number of realizations either.

    Parameters
    ----------
    study : Study
        What is uncertain, and how.
    motions : sequence of Motion
        From `load_motions`.
    start, stop : int
        Slice, 0 <= start <= stop <= number of realizations.

    with_motions : bool
        Whether to make the motions that realizations have of their own; without them ``scale`` and what is
        kept of their intensities are NaN. Of motions that are shared this makes no difference.

    Returns
    -------
    Inputs
        A negative polarity is part of ``scale``. Every name in ``study.uncertain`` has its variable in
        ``values``: that of `variable_name`.

    Raises
    ------
    ValueError
        If the slice or ``motions`` is empty or out of range.
    ConfigError
        If a drawn body cannot exist or stand: names the realization and the value.
    """
    if not 0 <= start < stop <= study.n_realizations:
        raise ValueError(
            f"expected 0 <= start < stop <= {study.n_realizations} realizations, got {start} and {stop}"
        )
    if not motions:
        raise ValueError("at least one ground motion is needed, got none")
    n = stop - start
    u = unit_numbers(study, start, stop)
    draws = _draw(study, u, n)
    same = not any(name.startswith("body.") for name in study.uncertain)
    bodies = study.body.build({name: array[:1] for name, array in draws.items()} if same else draws)
    _check(study, bodies, draws, start)
    sizes = _derived(bodies)
    if same:
        bodies, sizes = bodies.repeated(n), {name: np.repeat(array, n) for name, array in sizes.items()}
    record = assign_records(study, len(motions), start, stop, u)
    polarity, gain = draws["motion.polarity"], draws["impact.energy_gain"]
    draw, fallback, law = (draws[f"impact.{key}"] for key in ("draw", "facet_fallback", "law"))
    azimuth = draws["motion.azimuth"] * study.motion.rotation[1]
    level = _intensities(study, draws, n)
    measure, taken = study.intensity.measure, study.intensity.parameters
    source, index, under = motions, record, ()
    if study.motion.has_own_motions and with_motions:
        source, under = own_motions(study, motions, record, draws, start)
        index = np.arange(n, dtype=np.int32)
    elif study.motion.has_own_motions:
        check_draws(study, draws, start)
    scaling = draws["motion.scaling"][:, None] if "motion.scaling" in draws else 1.0
    own, pulse_period = np.full(n, np.nan), draws.get("motion.period")
    if with_motions or not study.motion.has_own_motions:
        own = recorded(measure, taken, source, index, sizes, bodies.gravity)
    factor = scaling * factors(measure, level, own)
    edge, tilt = releases(study, draws, bodies, start)
    kinds, quantiles = impact_tables(study)
    redrawn = np.where(draw[:, None] == Draw.IMPACT, kinds, np.int8(0))
    columns = [draws.get(f"impact.{key}", np.full(n, np.nan)) for key in study.impact.columns]
    impact = np.where(redrawn == 0, np.stack(columns, axis=-1), np.nan)
    values = {variable_name(name): draws[name] for name in study.uncertain if name.startswith("body.")}
    values |= bodies.values | {"body_mass": bodies.mass, "gravity": bodies.gravity}
    values |= {f"body_{name}": array for name, array in sizes.items()}
    values["start_face"] = bodies.start_face.astype(np.int16)
    for key, column in zip(study.impact.columns, impact.T, strict=True):
        if key not in OF_ONE_LAW or study.impact.parameters[key] is not None:
            owner = OF_ONE_LAW.get(key, Law.VARKONYI_2022)  # those of other laws do not use it
            values[variable_name(f"impact.{key}")] = np.where(law == owner, column, np.nan)
    values |= {"impact_law": law, "impact_draw": draw, "energy_gain": gain, "facet_fallback": fallback}
    if not isinstance(study.motion, StillGround):
        values |= {"azimuth": azimuth, "polarity": polarity}
        if study.motion.is_generated:
            values["own_intensity"] = own
        else:
            values["record"] = record
        values |= {variable_name(f"motion.{key}"): draws[f"motion.{key}"] for key in _kept(study)}
    if study.start is not None:
        values |= {"start_edge": edge.astype(np.int16), "start_tilt": tilt}
        values |= {
            variable_name(f"start.{study.start.kind_of_tilt}"): draws[f"start.{study.start.kind_of_tilt}"]
        }
    if study.is_cloud:
        values["intensity_value"] = level[:, 0]
        if with_motions or not study.motion.has_own_motions:
            values |= kept_intensities(
                study, source, index, factor[:, 0], sizes, bodies.gravity, pulse_period
            )
    return Inputs(
        seed=study.seed,
        start=start,
        faces=bodies.faces,
        start_face=bodies.start_face,
        start_edge=edge,
        start_tilt=tilt,
        base_faces=bodies.base_faces,
        stands_clear=bodies.stands_clear,
        gravity=bodies.gravity,
        mass=bodies.mass,
        inertia=bodies.inertia,
        vertices=bodies.vertices,
        record=index,
        azimuth=azimuth,
        scale=polarity[:, None] * factor,
        impact=impact,
        redrawn=redrawn,
        quantiles=quantiles,
        face_parameters=_face_parameters(study, len(bodies.faces)),
        law=law,
        energy_gain=gain,
        facet_fallback=fallback,
        values={name: np.ascontiguousarray(array) for name, array in values.items()},
        motions=tuple(under),
    )


def _kept(study: Study) -> list[str]:
    """Keys of the motion whose drawn values are variables of the dataset: those that are uncertain."""
    return [key for key, item in study.motion.quantities.items() if isinstance(item, Distribution | tuple)]


def variable_name(name: str) -> str:
    """Dataset variable of an input, from its dotted name.

    >>> variable_name("body.vertices[3][2]"), variable_name("motion.azimuth")
    ('body_vertices_3_2', 'azimuth')
    """
    return VARIABLES.get(name) or re.sub(r"\W+", "_", name).strip("_")


def check_inputs(study: Study, motions: Sequence[Motion]) -> None:
    """Draw realizations once, so that an impossible one is refused before anything runs.

    Only the first `CHECKED` of a large study, which takes seconds: an impossible one beyond is refused
    when its turn comes, and the store keeps the others.

    Raises
    ------
    ConfigError
        As `draw_inputs`.
    """
    checked = ("body.", "start.", "motion.") if study.motion.has_own_motions else ("body.", "start.")
    drawn = any(name.startswith(checked) for name in study.uncertain)
    last = min(study.n_realizations, CHECKED) if drawn else 1
    for start in range(0, last, SLICE):
        draw_inputs(study, motions, start, min(start + SLICE, last), with_motions=False)
    if study.motion.has_own_motions:  # a few: most mistakes show in all of them
        draw_inputs(study, motions, 0, min(8, study.n_realizations))


def _draw(study: Study, u: dict[str, Array], n: int) -> dict[str, NDArray[Any]]:
    """Value (n,) of every input, by dotted name, in the unit of its key; choices as codes."""
    draws: dict[str, NDArray[Any]] = {}
    for name, item in study.quantities.items():
        if isinstance(item, Distribution):
            draws[name] = item.quantile(u[name])
        elif name in CHOICES:
            codes = [CHOICES[name](option) for option in (item if isinstance(item, tuple) else (item,))]
            draws[name] = choose(u.get(name, np.full(n, 0.5)), codes)
        else:
            draws[name] = np.full(n, item, float)
    return draws


def _derived(bodies: Bodies) -> dict[str, Array]:
    return derived(*bodies[:4], bodies.faces, bodies.start_face, bodies.base_faces)


def _check(study: Study, bodies: Bodies, draws: dict[str, NDArray[Any]], start: int) -> None:
    impossible = bodies.first_impossible()
    if impossible is None:
        return
    i, reason = impossible
    drawn = [name for name in study.uncertain if name.startswith("body.")]
    what = ", ".join(f"{name.removeprefix('body.')} = {draws[name][i]:.6g}" for name in drawn)
    advice = f" (drawn: {what}); truncate the distributions" if drawn else ""
    raise ConfigError(f"{study.source} [body]: realization {start + i}: {reason}{advice}")


def _face_parameters(study: Study, n_face: int) -> NDArray[np.int64]:
    """Column of lambda_lon of every face (n_face,)."""
    found = np.full(n_face, int(ImpactParameter.LAMBDA_LON), np.int64)
    for i, table in enumerate(study.impact.faces):
        if table.face >= n_face:
            raise ConfigError(
                f"{study.source} [impact] faces[{i}].face: the body has the faces 0 to {n_face - 1}, "
                f"got {table.face}"
            )
        found[table.face] = len(ImpactParameter) + 2 * i
    return found


def _intensities(study: Study, draws: dict[str, NDArray[Any]], n: int) -> Array:
    """Intensity of every run (n, n_intensity), in the units of the measure."""
    random = study.intensity.distribution
    if random is not None:
        return draws["intensity.value"][:, None] * random[1]
    return np.broadcast_to(np.array(study.intensity.si_levels), (n, study.n_intensity))
